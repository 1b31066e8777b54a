//===- FormModelsMovement.cpp - Operations that move data -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "FormModels.h"

using namespace mlir;
using namespace hetero;
using namespace hetero::forms;

namespace {

struct BroadcastInDimModel
    : FormOpInterface::ExternalModel<BroadcastInDimModel,
                                     stablehlo::BroadcastInDimOp> {
  DimensionMap getDimensionMap(Operation *operation) const {
    auto op = cast<stablehlo::BroadcastInDimOp>(operation);
    DimensionMap map = getElementwiseMap(op);
    map.operands[0].assign(map.operands[0].size(), DimensionMap::whole);
    for (auto [from, to] : llvm::enumerate(op.getBroadcastDimensions()))
      if (getShape(op.getOperand())[from] == getShape(op.getResult())[to])
        map.operands[0][from] = to;
    map.linear = {{0}};
    map.movesData = true;
    return map;
  }
};

struct TransposeModel
    : FormOpInterface::ExternalModel<TransposeModel, stablehlo::TransposeOp> {
  DimensionMap getDimensionMap(Operation *operation) const {
    auto op = cast<stablehlo::TransposeOp>(operation);
    DimensionMap map = getElementwiseMap(op);
    for (auto [to, from] : llvm::enumerate(op.getPermutation()))
      map.operands[0][from] = to;
    map.linear = {{0}};
    map.movesData = true;
    return map;
  }
};

struct ReverseModel
    : FormOpInterface::ExternalModel<ReverseModel, stablehlo::ReverseOp> {
  DimensionMap getDimensionMap(Operation *operation) const {
    auto op = cast<stablehlo::ReverseOp>(operation);
    DimensionMap map = getElementwiseMap(op);
    for (int64_t dim : op.getDimensions())
      map.operands[0][dim] = map.results[0][dim] = DimensionMap::whole;
    map.linear = {{0}};
    map.movesData = true;
    return map;
  }
};

struct PadModel : FormOpInterface::ExternalModel<PadModel, stablehlo::PadOp> {
  DimensionMap getDimensionMap(Operation *operation) const {
    auto op = cast<stablehlo::PadOp>(operation);
    DimensionMap map = getWholeMap(op);
    for (int64_t dim = 0, rank = map.results[0].size(); dim < rank; ++dim)
      if (op.getEdgePaddingLow()[dim] == 0 &&
          op.getEdgePaddingHigh()[dim] == 0 &&
          op.getInteriorPadding()[dim] == 0)
        map.operands[0][dim] = map.results[0][dim] = addLoop(map);
    map.linear = {{0, 1}};
    return map;
  }
};

/// Dimensions that are sliced whole run along.
struct DynamicSliceModel
    : FormOpInterface::ExternalModel<DynamicSliceModel,
                                     stablehlo::DynamicSliceOp> {
  DimensionMap getDimensionMap(Operation *operation) const {
    auto op = cast<stablehlo::DynamicSliceOp>(operation);
    DimensionMap map = getWholeMap(op);
    ArrayRef<int64_t> shape = getShape(op.getOperand());
    for (auto [dim, size] : llvm::enumerate(op.getSliceSizes()))
      if (size == shape[dim])
        map.operands[0][dim] = map.results[0][dim] = addLoop(map);
    map.linear = {{0}};
    map.movesData = true;
    return map;
  }
};

struct DynamicUpdateSliceModel
    : FormOpInterface::ExternalModel<DynamicUpdateSliceModel,
                                     stablehlo::DynamicUpdateSliceOp> {
  DimensionMap getDimensionMap(Operation *operation) const {
    auto op = cast<stablehlo::DynamicUpdateSliceOp>(operation);
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
};

/// A slice of whole rows along the split dimension takes some of the outer
/// blocks; other dimensions may be sliced in any way.
struct SliceModel
    : FormOpInterface::ExternalModel<SliceModel, stablehlo::SliceOp> {
  DimensionMap getDimensionMap(Operation *operation) const {
    auto op = cast<stablehlo::SliceOp>(operation);
    DimensionMap map = getWholeMap(op);
    ArrayRef<int64_t> shape = getShape(op.getOperand());
    for (auto [dim, size] : llvm::enumerate(getShape(op.getResult())))
      if (size == shape[dim])
        map.operands[0][dim] = map.results[0][dim] = addLoop(map);
    map.linear = {{0}};
    map.movesData = true;
    return map;
  }
  FormRule getFormRule(Operation *operation, ArrayRef<Form> forms,
                       FormScope &scope) const {
    auto op = cast<stablehlo::SliceOp>(operation);
    const Form &form = forms[0];
    if (form.isSplit()) {
      int64_t row = scope.getUnits() * form.inner;
      int64_t begin = op.getStartIndices()[form.dim];
      int64_t end = op.getLimitIndices()[form.dim];
      if (op.getStrides()[form.dim] == 1 && begin % row == 0 &&
          end % row == 0 && end > begin) {
        FormRule rule;
        rule.operands = {form};
        rule.results = {Form::split(form.dim, (end - begin) / row, form.inner)};
        return rule;
      }
    }
    return deriveFormRule(op, getDimensionMap(op), forms, scope);
  }
};

struct ReshapeModel
    : FormOpInterface::ExternalModel<ReshapeModel, stablehlo::ReshapeOp> {
  DimensionMap getDimensionMap(Operation *op) const {
    DimensionMap map = getWholeMap(op);
    map.linear = {{0}};
    map.movesData = true;
    return map;
  }
  FormRule getFormRule(Operation *op, ArrayRef<Form> forms,
                       FormScope &scope) const {
    if (forms[0].isSplit())
      if (std::optional<Form> form =
              reshapeForm(forms[0], getShape(op->getOperand(0)),
                          getShape(op->getResult(0)), scope.getUnits())) {
        FormRule rule;
        rule.operands = {forms[0]};
        rule.results = {*form};
        return rule;
      }
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
    FormRule rule;
    rule.operands.assign(forms.begin(), forms.end());
    rule.results = {Form::split(dim, outer, forms[0].inner)};
    return rule;
  }
};

/// Made from nothing: whole, unless a use wants it split.
template <typename OpTy>
struct SourceModel : FormOpInterface::ExternalModel<SourceModel<OpTy>, OpTy> {
  DimensionMap getDimensionMap(Operation *op) const {
    return getElementwiseMap(op);
  }
};

struct BarrierModel
    : FormOpInterface::ExternalModel<BarrierModel,
                                     stablehlo::OptimizationBarrierOp> {
  DimensionMap getDimensionMap(Operation *op) const { return getWholeMap(op); }
  FormRule getFormRule(Operation *, ArrayRef<Form> forms, FormScope &) const {
    FormRule rule;
    rule.operands.assign(forms.begin(), forms.end());
    rule.results = rule.operands;
    return rule;
  }
  std::optional<Form> getOperandForm(Operation *, OpOperand &operand,
                                     unsigned result, const Form &form,
                                     int64_t) const {
    if (operand.getOperandNumber() != result)
      return std::nullopt;
    return form;
  }
};

struct BitcastConvertModel
    : FormOpInterface::ExternalModel<BitcastConvertModel,
                                     stablehlo::BitcastConvertOp> {
  DimensionMap getDimensionMap(Operation *op) const {
    // A change of width adds or removes the last dimension.
    DimensionMap map = getWholeMap(op);
    size_t common = std::min(map.operands[0].size(), map.results[0].size());
    for (size_t dim = 0; dim < common; ++dim)
      map.operands[0][dim] = map.results[0][dim] = addLoop(map);
    return map;
  }
};
} // namespace

void forms::attachMovementModels(MLIRContext *context) {
  using namespace stablehlo;
  BroadcastInDimOp::attachInterface<BroadcastInDimModel>(*context);
  TransposeOp::attachInterface<TransposeModel>(*context);
  ReverseOp::attachInterface<ReverseModel>(*context);
  PadOp::attachInterface<PadModel>(*context);
  DynamicSliceOp::attachInterface<DynamicSliceModel>(*context);
  DynamicUpdateSliceOp::attachInterface<DynamicUpdateSliceModel>(*context);
  SliceOp::attachInterface<SliceModel>(*context);
  ReshapeOp::attachInterface<ReshapeModel>(*context);
  ConcatenateOp::attachInterface<ConcatenateModel>(*context);
  ConstantOp::attachInterface<SourceModel<ConstantOp>>(*context);
  IotaOp::attachInterface<SourceModel<IotaOp>>(*context);
  OptimizationBarrierOp::attachInterface<BarrierModel>(*context);
  BitcastConvertOp::attachInterface<BitcastConvertModel>(*context);
}
