//===- HeteroTypes.cpp - Types of the hetero dialect ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Dialect/Hetero/HeteroTypes.h"
#include "hetero/Dialect/Hetero/HeteroDialect.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace hetero;

#define GET_TYPEDEF_CLASSES
#include "hetero/Dialect/Hetero/HeteroTypes.cpp.inc"

void HeteroDialect::registerTypes() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "hetero/Dialect/Hetero/HeteroTypes.cpp.inc"
      >();
}

LogicalResult HandleType::verify(function_ref<InFlightDiagnostic()> emitError,
                                 Type value) {
  if (value && !isa<RankedTensorType, HostType>(value))
    return emitError() << "handle_c1: " << value
                       << " is not a ranked tensor or a '!hetero.host'";
  return success();
}

LogicalResult HostType::verify(function_ref<InFlightDiagnostic()> emitError,
                               Type value) {
  if (!isa<RankedTensorType>(value))
    return emitError() << "host_c1: " << value << " is not a ranked tensor";
  return success();
}

Type hetero::getAwaitedType(Type type) {
  if (auto handle = dyn_cast<HandleType>(type))
    return handle.getValue();
  return type;
}

/// The bits of one element, if that is known.
static std::optional<int64_t> getElementBits(Type type) {
  if (auto complex = dyn_cast<ComplexType>(type)) {
    std::optional<int64_t> part = getElementBits(complex.getElementType());
    return part ? std::optional<int64_t>(2 * *part) : std::nullopt;
  }
  if (type.isIntOrFloat())
    return type.getIntOrFloatBitWidth();
  return std::nullopt;
}

std::optional<int64_t> hetero::getByteSize(RankedTensorType type) {
  std::optional<int64_t> bits = getElementBits(type.getElementType());
  if (!bits || !type.hasStaticShape())
    return std::nullopt;
  int64_t elements = 1, total = 0;
  for (int64_t dim : type.getShape())
    if (llvm::MulOverflow(elements, dim, elements))
      return std::nullopt;
  // Elements narrower than a byte take a byte each.
  if (llvm::MulOverflow(elements, (*bits + 7) / 8, total))
    return std::nullopt;
  return total;
}
