//===- HeteroKernelOps.cpp - Within kernels -------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Dialect/Hetero/HeteroKernelOps.h"
#include "hetero/Dialect/Hetero/HeteroDialect.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;
using namespace hetero;

/// Whether elements of the type lie in memory as whole bytes.
static bool hasBytes(Type type) {
  if (auto complex = dyn_cast<ComplexType>(type))
    type = complex.getElementType();
  return type.isIntOrIndexOrFloat();
}

LogicalResult CallLibraryOp::verify() {
  for (auto [i, buffer] : llvm::enumerate(getOperands())) {
    auto type = dyn_cast<MemRefType>(buffer.getType());
    SmallVector<int64_t> strides;
    int64_t offset = 0;
    if (!type || failed(type.getStridesAndOffset(strides, offset)))
      return emitOpError() << "call_library_c1: operand " << i << " is "
                           << buffer.getType() << ", whose layout is not "
                           << "strided";
    if (!hasBytes(type.getElementType()))
      return emitOpError() << "call_library_c2: operand " << i
                           << " has elements of " << type.getElementType()
                           << ", which have no size";
  }
  return success();
}

void CallLibraryOp::getEffects(
    SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  for (OpOperand &buffer : getReadsMutable())
    effects.emplace_back(MemoryEffects::Read::get(), &buffer);
  for (OpOperand &buffer : getWritesMutable()) {
    if (getAccumulates())
      effects.emplace_back(MemoryEffects::Read::get(), &buffer);
    effects.emplace_back(MemoryEffects::Write::get(), &buffer);
  }
}

#define GET_OP_CLASSES
#include "hetero/Dialect/Hetero/HeteroKernelOps.cpp.inc"
