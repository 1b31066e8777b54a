//===- StablehloDialect.cpp - Registration of StableHLO -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Dialect/Stablehlo/StablehloOps.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::stablehlo;

#include "hetero/Dialect/Stablehlo/StablehloDialect.cpp.inc"

#include "hetero/Dialect/Stablehlo/StablehloEnums.cpp.inc"

void StablehloDialect::initialize() {
  registerTypes();
  registerAttributes();
  registerBytecode();
  registerInliner();
  addCollectiveOps();
  addContractionOps();
  addControlOps();
  addDynamicOps();
  addElementwiseOps();
  addReductionOps();
  addShapeOps();
}

Operation *StablehloDialect::materializeConstant(OpBuilder &builder,
                                                 Attribute value, Type type,
                                                 Location loc) {
  auto elements = dyn_cast<ElementsAttr>(value);
  if (!elements || elements.getType() != type)
    return nullptr;
  return ConstantOp::create(builder, loc, type, elements);
}
