//===- StablehloTypes.cpp - Types of StableHLO ----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Dialect/Stablehlo/StablehloOps.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::stablehlo;

#define GET_TYPEDEF_CLASSES
#include "hetero/Dialect/Stablehlo/StablehloTypes.cpp.inc"

void StablehloDialect::registerTypes() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "hetero/Dialect/Stablehlo/StablehloTypes.cpp.inc"
      >();
}

LogicalResult FutureType::verify(function_ref<InFlightDiagnostic()> emitError,
                                 ArrayRef<Type> types) {
  for (Type type : types)
    if (!isa<RankedTensorType>(type))
      return emitError()
             << "future element type must be a ranked tensor, but got " << type;
  return success();
}
