//===- FormModelsMovement.cpp - Operations that move data -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "FormModels.h"

using namespace mlir;
using namespace hetero;
using namespace hetero::forms;

static DimensionMap getBroadcastInDimMap(stablehlo::BroadcastInDimOp op) {
  DimensionMap map = getElementwiseMap(op);
  map.operands[0].assign(map.operands[0].size(), DimensionMap::whole);
  for (auto [from, to] : llvm::enumerate(op.getBroadcastDimensions()))
    if (getShape(op.getOperand())[from] == getShape(op.getResult())[to])
      map.operands[0][from] = to;
  return makeMove(std::move(map));
}

static DimensionMap getTransposeMap(stablehlo::TransposeOp op) {
  DimensionMap map = getElementwiseMap(op);
  for (auto [to, from] : llvm::enumerate(op.getPermutation()))
    map.operands[0][from] = to;
  return makeMove(std::move(map));
}

static DimensionMap getReverseMap(stablehlo::ReverseOp op) {
  DimensionMap map = getElementwiseMap(op);
  for (int64_t dim : op.getDimensions())
    map.operands[0][dim] = map.results[0][dim] = DimensionMap::whole;
  return makeMove(std::move(map));
}

static DimensionMap getPadMap(stablehlo::PadOp op) {
  DimensionMap map = getWholeMap(op);
  for (int64_t dim = 0, rank = map.results[0].size(); dim < rank; ++dim)
    if (op.getEdgePaddingLow()[dim] == 0 && op.getEdgePaddingHigh()[dim] == 0 &&
        op.getInteriorPadding()[dim] == 0)
      map.operands[0][dim] = map.results[0][dim] = addLoop(map);
  map.linear = {{0, 1}};
  return map;
}

/// Dimensions that are sliced whole run along.
static DimensionMap getSliceMap(Operation *op) {
  DimensionMap map = getWholeMap(op);
  ArrayRef<int64_t> shape = getShape(op->getOperand(0));
  for (auto [dim, size] : llvm::enumerate(getShape(op->getResult(0))))
    if (size == shape[dim])
      map.operands[0][dim] = map.results[0][dim] = addLoop(map);
  return makeMove(std::move(map));
}

static DimensionMap
getDynamicUpdateSliceMap(stablehlo::DynamicUpdateSliceOp op) {
  DimensionMap map = getWholeMap(op);
  ArrayRef<int64_t> shape = getShape(op.getOperand());
  for (auto [dim, size] : llvm::enumerate(getShape(op.getUpdate())))
    if (size == shape[dim])
      map.operands[0][dim] = map.operands[1][dim] = map.results[0][dim] =
          addLoop(map);
  map.linear = {{0, 1}};
  map.movesData = true;
  return map;
}

static DimensionMap getBitcastConvertMap(Operation *op) {
  // A change of width adds or removes the last dimension.
  DimensionMap map = getWholeMap(op);
  size_t common = std::min(map.operands[0].size(), map.results[0].size());
  for (size_t dim = 0; dim < common; ++dim)
    map.operands[0][dim] = map.results[0][dim] = addLoop(map);
  return map;
}

namespace {

/// A slice of whole rows along the split dimension takes some of the outer
/// blocks; other dimensions may be sliced in any way.
struct SliceModel
    : FormOpInterface::ExternalModel<SliceModel, stablehlo::SliceOp> {
  DimensionMap getDimensionMap(Operation *op) const { return getSliceMap(op); }

  FormRule getFormRule(Operation *operation, ArrayRef<Form> forms,
                       FormScope &scope) const {
    auto op = cast<stablehlo::SliceOp>(operation);
    const Form &form = forms[0];
    if (form.isSplit()) {
      int64_t row = scope.getUnits() * form.inner;
      int64_t begin = op.getStartIndices()[form.dim];
      int64_t end = op.getLimitIndices()[form.dim];
      if (op.getStrides()[form.dim] == 1 && begin % row == 0 &&
          end % row == 0 && end > begin)
        return {{form},
                {Form::split(form.dim, (end - begin) / row, form.inner)},
                {}};
    }
    return deriveFormRule(op, getSliceMap(op), forms, scope);
  }
};

struct ReshapeModel
    : FormOpInterface::ExternalModel<ReshapeModel, stablehlo::ReshapeOp> {
  DimensionMap getDimensionMap(Operation *op) const {
    return makeMove(getWholeMap(op));
  }

  FormRule getFormRule(Operation *op, ArrayRef<Form> forms,
                       FormScope &scope) const {
    if (forms[0].isSplit())
      if (std::optional<Form> form =
              reshapeForm(forms[0], getShape(op->getOperand(0)),
                          getShape(op->getResult(0)), scope.getUnits()))
        return {{forms[0]}, {*form}, {}};
    return deriveFormRule(op, getDimensionMap(op), forms, scope);
  }

  std::optional<Form> getOperandForm(Operation *op, OpOperand &, unsigned,
                                     const Form &form, int64_t units) const {
    return reshapeForm(form, getShape(op->getResult(0)),
                       getShape(op->getOperand(0)), units);
  }
};

/// Along the split dimension the outer blocks of the operands follow each
/// other; this works if all of them are split.
struct ConcatenateModel
    : FormOpInterface::ExternalModel<ConcatenateModel,
                                     stablehlo::ConcatenateOp> {
  DimensionMap getDimensionMap(Operation *operation) const {
    auto op = cast<stablehlo::ConcatenateOp>(operation);
    DimensionMap map = getElementwiseMap(op);
    for (SmallVector<int> &operand : map.operands)
      operand[op.getDimension()] = DimensionMap::whole;
    map.results[0][op.getDimension()] = DimensionMap::whole;
    map.linear.push_back(
        llvm::to_vector(llvm::seq<unsigned>(0, op->getNumOperands())));
    map.movesData = true;
    return map;
  }

  FormRule getFormRule(Operation *operation, ArrayRef<Form> forms,
                       FormScope &scope) const {
    auto op = cast<stablehlo::ConcatenateOp>(operation);
    int64_t dim = op.getDimension(), outer = 0;
    bool along = llvm::all_of(forms, [&](const Form &form) {
      outer += form.outer;
      return form.isSplit() && form.dim == dim && form.inner == forms[0].inner;
    });
    if (!along)
      return deriveFormRule(op, getDimensionMap(op), forms, scope);
    return {SmallVector<Form>(forms),
            {Form::split(dim, outer, forms[0].inner)},
            {}};
  }
};

struct BarrierModel
    : FormOpInterface::ExternalModel<BarrierModel,
                                     stablehlo::OptimizationBarrierOp> {
  DimensionMap getDimensionMap(Operation *op) const { return getWholeMap(op); }

  FormRule getFormRule(Operation *, ArrayRef<Form> forms, FormScope &) const {
    return {SmallVector<Form>(forms), SmallVector<Form>(forms), {}};
  }

  std::optional<Form> getOperandForm(Operation *, OpOperand &operand,
                                     unsigned result, const Form &form,
                                     int64_t) const {
    if (operand.getOperandNumber() != result)
      return std::nullopt;
    return form;
  }
};

} // namespace

void forms::attachMovementModels(MLIRContext *context) {
  using namespace stablehlo;
  attachMap<BroadcastInDimOp, getBroadcastInDimMap>(context);
  attachMap<TransposeOp, getTransposeMap>(context);
  attachMap<ReverseOp, getReverseMap>(context);
  attachMap<PadOp, getPadMap>(context);
  attachMap<DynamicSliceOp, getSliceMap>(context);
  attachMap<DynamicUpdateSliceOp, getDynamicUpdateSliceMap>(context);
  attachMap<BitcastConvertOp, getBitcastConvertMap>(context);
  // Made from nothing: whole, unless a use wants it split.
  attachMap<ConstantOp, getElementwiseMap>(context);
  attachMap<IotaOp, getElementwiseMap>(context);
  SliceOp::attachInterface<SliceModel>(*context);
  ReshapeOp::attachInterface<ReshapeModel>(*context);
  ConcatenateOp::attachInterface<ConcatenateModel>(*context);
  OptimizationBarrierOp::attachInterface<BarrierModel>(*context);
}
