//===- StablehloDialect.cpp - Registration, types, inlining ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Dialect/Stablehlo/StablehloOps.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/Transforms/InliningUtils.h"
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

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

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

//===----------------------------------------------------------------------===//
// Inlining into and out of StableHLO
//===----------------------------------------------------------------------===//

namespace {
/// Every op may go anywhere, and a call within a region of an op may be
/// replaced by its callee as long as the region stays one block.
struct StablehloInlinerInterface : DialectInlinerInterface {
  using DialectInlinerInterface::DialectInlinerInterface;

  bool isLegalToInline(Operation *, Operation *, bool) const override {
    return true;
  }
  bool isLegalToInline(Operation *, Region *, bool,
                       IRMapping &) const override {
    return true;
  }
  bool isLegalToInline(Region *, Region *source, bool,
                       IRMapping &) const override {
    return source->hasOneBlock();
  }
};
} // namespace

void StablehloDialect::registerInliner() {
  addInterfaces<StablehloInlinerInterface>();
}
