//===- UnitEmitter.cpp - A unit of work as a function of one member -------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "UnitEmitter.h"
#include "hetero/Dialect/Sdy/Sdy.h"
#include "hetero/Transforms/Import/TensorExpr.h"

using namespace mlir;
using namespace hetero;
using namespace hetero::partition;

Variant partition::getVariant(const StepLayout &layout, Value value,
                              const Form &data, Where where) {
  Operation *def = value.getDefiningOp();
  Form form = layout.batch->getForm(value);
  if (!def) {
    if (std::optional<int64_t> home =
            layout.getHome(cast<BlockArgument>(value)))
      return *home != where.stage ? Variant::Moved : Variant::Native;
    // Whoever needs all samples of the batch is given them.
    bool whole = form.isSplit() && (where.update || data != form);
    return whole ? Variant::Whole : Variant::Native;
  }
  bool whole = layout.isCompleted(value) ||
               (form.isSplit() && (where.update || data != form));
  bool moved = layout.getStage(def) != where.stage;
  if (whole)
    return moved ? Variant::MovedWhole : Variant::Whole;
  return moved ? Variant::Moved : Variant::Native;
}

Holding partition::getVariantHolding(const StepLayout &layout,
                                     const UnitValue &value, Where where) {
  Holding holding;
  if (auto argument = dyn_cast<BlockArgument>(value.value)) {
    holding = where.update ? layout.getHoldingInStorage(argument)
                           : layout.getHoldingInUse(argument);
    if (value.variant == Variant::Whole)
      holding.data = Form::replicated();
  } else {
    holding = isWhole(value.variant) ? layout.getCompleted(value.value)
                                     : layout.getHeld(value.value);
  }
  if (!isMoved(value.variant))
    return holding;
  holding.tensor = Form::replicated();
  if (holding.storageClass || isWhole(value.variant))
    holding.data = Form::replicated();
  return holding;
}

FormsAttr partition::getFormsAttr(MLIRContext *context,
                                  const Holding &holding) {
  SmallVector<StringAttr> axes;
  SmallVector<FormAttr> forms;
  auto add = [&](StringRef axis, const Form &form) {
    if (form.isReplicated())
      return;
    axes.push_back(StringAttr::get(context, axis));
    forms.push_back(form.toAttr(context));
  };
  add(holding.storageClass ? "storage" : "batch", holding.data);
  add("tensor", holding.tensor);
  return axes.empty() ? FormsAttr() : FormsAttr::get(context, axes, forms, 0);
}

DenseElementsAttr partition::getNeutralValue(RankedTensorType type,
                                             ReductionKind reduction) {
  Type element = type.getElementType();
  bool lowest = reduction == ReductionKind::Max;
  if (reduction == ReductionKind::Max || reduction == ReductionKind::Min) {
    if (auto floating = dyn_cast<FloatType>(element))
      return DenseElementsAttr::get(
          type, APFloat::getInf(floating.getFloatSemantics(), lowest));
    unsigned width = element.getIntOrFloatBitWidth();
    bool isUnsigned = element.isUnsignedInteger() || width == 1;
    APInt value = isUnsigned ? (lowest ? APInt::getZero(width)
                                       : APInt::getMaxValue(width))
                             : (lowest ? APInt::getSignedMinValue(width)
                                       : APInt::getSignedMaxValue(width));
    return DenseElementsAttr::get(type, value);
  }
  if (reduction == ReductionKind::And)
    return DenseElementsAttr::get(
        type, APInt::getAllOnes(element.getIntOrFloatBitWidth()));
  return getZeros(type);
}

/// Writes down which results of `local` are partial because its operands are
/// split; all that are partial if there are no operands, as for loops.
void UnitEmitter::markPartial(Operation *local, ArrayRef<Holding> operands,
                              ArrayRef<Holding> results) {
  // What goes through a barrier was so before.
  if (isa<stablehlo::OptimizationBarrierOp>(local))
    return;
  auto isMade = [&](bool tensor) {
    return operands.empty() ||
           llvm::any_of(operands, [&](const Holding &holding) {
             return holding.getForm(tensor).isSplit();
           });
  };
  MLIRContext *context = builder.getContext();
  auto nothing = FormsAttr::get(context, builder.getStringAttr("batch"),
                                FormAttr::getReplicated(context), 0);
  SmallVector<Attribute> marks;
  bool any = false;
  for (Holding holding : results) {
    for (bool tensor : {false, true})
      if (!holding.getForm(tensor).isPartial() || !isMade(tensor))
        holding.set(tensor, Form::replicated(), holding.getClass(tensor));
    FormsAttr forms = getFormsAttr(context, holding);
    any |= static_cast<bool>(forms);
    marks.push_back(forms ? forms : nothing);
  }
  if (any)
    local->setAttr(HeteroDialect::getFormsAttrName(),
                   builder.getArrayAttr(marks));
}

/// Makes a value that depends on no argument directly in the form that is
/// wanted, as far back as operations allow it.
FailureOr<Value> UnitEmitter::materialize(Value value, const Holding &want) {
  for (auto &[holding, made] : materialized[value])
    if (isSame(holding, want))
      return made;
  auto result = cast<OpResult>(value);
  Operation *op = result.getOwner();
  Holding given = want;
  SmallVector<Holding> operands(op->getNumOperands());
  auto model = dyn_cast<FormOpInterface>(op);
  for (bool tensor : {false, true}) {
    Form &form = tensor ? given.tensor : given.data;
    bool possible = form.isReplicated();
    if (form.isSplit() && model &&
        isa<stablehlo::IotaOp, stablehlo::ConstantOp>(op)) {
      auto constant = dyn_cast<stablehlo::ConstantOp>(op);
      possible = !constant || constant.getValue().isSplat();
    } else if (form.isSplit() && model && op->getNumResults() == 1) {
      int64_t units = layout.getTotalUnits(want, tensor);
      bool any = false;
      for (OpOperand &operand : op->getOpOperands())
        if (std::optional<Form> f =
                model.getOperandForm(operand, 0, form, units)) {
          operands[operand.getOperandNumber()].set(tensor, *f,
                                                   want.getClass(tensor));
          any = true;
        }
      possible = any || isa<stablehlo::BroadcastInDimOp>(op);
    }
    if (!possible)
      form = Form::replicated();
  }
  SmallVector<Value> locals;
  for (auto [operand, holding] : llvm::zip_equal(op->getOperands(), operands)) {
    FailureOr<Value> local = materialize(operand, holding);
    if (failed(local))
      return failure();
    locals.push_back(*local);
  }
  OpBuilder::InsertionGuard guard(builder);
  builder.restoreInsertionPoint(prologue);
  Value made;
  if (auto iota = dyn_cast<stablehlo::IotaOp>(op)) {
    made = emitIota(iota, given);
  } else {
    SmallVector<Holding> results(op->getNumResults(), given);
    FailureOr<Operation *> local = cloneLocal(op, locals, results);
    if (failed(local))
      return failure();
    made = (*local)->getResult(result.getResultNumber());
  }
  FailureOr<Value> converted =
      convert(made, value.getType(), given, want, op->getLoc());
  prologue = builder.saveInsertionPoint();
  if (succeeded(converted))
    materialized[value].push_back({want, *converted});
  return converted;
}

/// Indices along a split dimension continue those of the members before.
Value UnitEmitter::emitIota(stablehlo::IotaOp op, const Holding &holding) {
  Location loc = op.getLoc();
  RankedTensorType type = getLocalType(op.getType(), holding);
  int64_t dim = op.getIotaDimension();
  auto isAlong = [&](const Form &form) {
    return form.isSplit() && form.dim == dim;
  };
  bool data = isAlong(holding.data), tensor = isAlong(holding.tensor);
  if (!data && !tensor)
    return stablehlo::IotaOp::create(builder, loc, type, dim);
  // The part of the indices 0, 1, ... is made in i64 and converted, so that a
  // narrow element type cannot overflow on the way.
  int64_t length = cast<ShapedType>(op.getType()).getDimSize(dim);
  auto lineType = RankedTensorType::get({length}, builder.getI64Type());
  Value line = stablehlo::IotaOp::create(builder, loc, lineType, 0);
  Holding have, want;
  for (bool axis : {false, true})
    if (axis ? tensor : data)
      want.set(axis, holding.getForm(axis).along(0), holding.getClass(axis));
  if ((data != tensor) && want.getForm(tensor).outer == 1) {
    // One run of indices: shift a short iota.
    const Form &form = want.getForm(tensor);
    auto shortType = getLocalType(lineType, want);
    Value begin = getOffset(want, tensor, loc);
    if (form.inner != 1)
      begin = stablehlo::MulOp::create(builder, loc, begin,
                                       getIntegerConstant(form.inner, loc));
    Value shift = stablehlo::BroadcastInDimOp::create(
        builder, loc, shortType, begin, builder.getDenseI64ArrayAttr({}));
    line = stablehlo::IotaOp::create(builder, loc, shortType, 0);
    line = stablehlo::AddOp::create(builder, loc, line, shift);
  } else {
    line = *convert(line, lineType, have, want, loc);
  }
  auto converted =
      cast<RankedTensorType>(line.getType()).clone(type.getElementType());
  if (converted != line.getType())
    line = stablehlo::ConvertOp::create(builder, loc, converted, line);
  return stablehlo::BroadcastInDimOp::create(
      builder, loc, type, line, builder.getDenseI64ArrayAttr({dim}));
}

/// A value in whatever form it is at hand; argument-free ones are made as
/// wanted.
FailureOr<UnitEmitter::Held> UnitEmitter::getHeld(Value value,
                                                  const Holding &want) {
  Operation *def = value.getDefiningOp();
  if (def && layout.argumentFree.contains(def)) {
    FailureOr<Value> made = materialize(value, want);
    if (failed(made))
      return failure();
    return Held{*made, want};
  }
  if (auto it = captured.find(value); it != captured.end())
    return it->second;
  if (auto it = values.find(value); it != values.end())
    return it->second;
  // From outside of the unit.
  Variant variant = getVariant(layout, value, want.data, where);
  DenseMap<Value, Held> &known = isWhole(variant) ? wholes : natives;
  if (auto it = known.find(value); it != known.end())
    return it->second;
  UnitValue input{value, variant};
  Holding holding = getVariantHolding(layout, input, where);
  Value argument = unit.function.getBody().front().insertArgument(
      unit.inputs.size(), getLocalType(value.getType(), holding),
      value.getLoc());
  unit.inputs.push_back(input);
  return known[value] = Held{argument, holding};
}

FailureOr<Value> UnitEmitter::get(Value value, const Holding &want,
                                  Operation *user) {
  FailureOr<Held> held = getHeld(value, want);
  if (failed(held))
    return failure();
  if (isSame(held->holding, want))
    return held->value;
  if (regionDepth == 0)
    for (Converted &known : conversions[value])
      if (known.from == held->value && isSame(known.want, want))
        return known.to;
  FailureOr<Value> converted = convert(held->value, value.getType(),
                                       held->holding, want, user->getLoc());
  if (succeeded(converted) && regionDepth == 0)
    conversions[value].push_back({held->value, want, *converted});
  return converted;
}

/// Whether a member has no samples for `op`, which then gives it nothing, or
/// what does not change a sum. Operations such as gather do not take empty
/// operands.
bool UnitEmitter::isEmpty(Operation *op, ValueRange operands,
                          ArrayRef<Holding> wanted,
                          ArrayRef<Holding> results) const {
  auto hasElements = [](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return !tensor || tensor.getNumElements() != 0;
  };
  if (llvm::none_of(llvm::zip_equal(operands, op->getOperands()),
                    [&](auto pair) {
                      auto [local, whole] = pair;
                      return !hasElements(local.getType()) &&
                             hasElements(whole.getType());
                    }))
    return false;
  // What is added to a sum counts even if nothing else does.
  bool adds = llvm::any_of(
      wanted, [](const Holding &want) { return want.tensor.isPartial(); });
  return llvm::all_of(
      llvm::zip_equal(op->getResultTypes(), results), [&](auto pair) {
        auto [type, holding] = pair;
        return (holding.data.isPartial() && !holding.storageClass) ||
               (holding.tensor.isPartial() && !adds) ||
               !hasElements(getLocalType(type, holding));
      });
}

LogicalResult UnitEmitter::emitOp(Operation *op) {
  if (isa<stablehlo::WhileOp, stablehlo::IfOp, stablehlo::CaseOp>(op))
    return emitRegionOp(op);
  SmallVector<Value> operands;
  SmallVector<Holding> wanted;
  for (OpOperand &operand : op->getOpOperands()) {
    wanted.push_back(layout.getWanted(op, operand.getOperandNumber(), where));
    FailureOr<Value> local = get(operand.get(), wanted.back(), op);
    if (failed(local))
      return failure();
    operands.push_back(*local);
  }
  SmallVector<Holding> results;
  for (unsigned i = 0; i < op->getNumResults(); ++i)
    results.push_back(layout.getGiven(op, i, where));
  SmallVector<Value> locals;
  if (auto iota = dyn_cast<stablehlo::IotaOp>(op)) {
    locals.push_back(emitIota(iota, results[0]));
  } else if (isa<sdy::ShardingConstraintOp, ReshardOp>(op)) {
    // A wish, about which the plan has decided; or brought into form already.
    locals.push_back(operands[0]);
  } else if (isEmpty(op, operands, wanted, results)) {
    for (auto [result, holding] : llvm::zip_equal(op->getResults(), results)) {
      auto nothing = stablehlo::ConstantOp::create(
          builder, op->getLoc(),
          getNeutralValue(getLocalType(result.getType(), holding),
                          holding.data.isPartial() ? holding.data.reduction
                                                   : holding.tensor.reduction));
      // No operand of it says so.
      markPartial(nothing, {}, holding);
      locals.push_back(nothing);
    }
  } else {
    FailureOr<Operation *> local = cloneLocal(op, operands, results);
    if (failed(local))
      return failure();
    markPartial(*local, wanted, results);
    llvm::append_range(locals, (*local)->getResults());
  }
  bool isTop = op->getBlock() == &layout.step.getBody().front();
  return keepResults(op, locals, results, isTop);
}

/// Notes the results of an operation; of one of the step itself in the form in
/// which others see them.
LogicalResult UnitEmitter::keepResults(Operation *op, ValueRange locals,
                                       ArrayRef<Holding> holdings, bool isTop) {
  for (auto [result, local, holding] :
       llvm::zip_equal(op->getResults(), locals, holdings)) {
    Held held{local, holding};
    if (isTop) {
      Holding want = layout.getHeld(result);
      FailureOr<Value> converted =
          convert(local, result.getType(), holding, want, op->getLoc());
      if (failed(converted))
        return failure();
      held = {*converted, want};
    }
    values[result] = held;
  }
  return success();
}

LogicalResult UnitEmitter::emitBlock(Block &from, Block &to,
                                     ArrayRef<Holding> terminator) {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(&to);
  for (Operation &op : from.without_terminator())
    if (failed(emitOp(&op)))
      return failure();
  SmallVector<Value> results;
  Operation *end = from.getTerminator();
  for (auto [value, want] : llvm::zip_equal(end->getOperands(), terminator)) {
    FailureOr<Value> local = get(value, want, end);
    if (failed(local))
      return failure();
    results.push_back(*local);
  }
  stablehlo::ReturnOp::create(builder, end->getLoc(), results);
  return success();
}

/// Loops and branches: what they take from outside is brought into form before
/// them.
LogicalResult UnitEmitter::emitRegionOp(Operation *op) {
  SmallVector<Value> operands;
  for (OpOperand &operand : op->getOpOperands()) {
    FailureOr<Value> local =
        get(operand.get(),
            layout.getWanted(op, operand.getOperandNumber(), where), op);
    if (failed(local))
      return failure();
    operands.push_back(*local);
  }
  DenseMap<Value, Held> outer = captured, inner;
  for (auto [index, value] : llvm::enumerate(getCaptures(op))) {
    Operation *def = value.getDefiningOp();
    if (def && layout.argumentFree.contains(def))
      continue;
    Holding want = layout.getWanted(op, op->getNumOperands() + index, where);
    FailureOr<Value> local = get(value, want, op);
    if (failed(local))
      return failure();
    inner[value] = {*local, want};
  }
  SmallVector<Holding> holdings;
  SmallVector<Type> types;
  for (OpResult result : op->getResults()) {
    holdings.push_back(layout.getGiven(op, result.getResultNumber(), where));
    types.push_back(getLocalType(result.getType(), holdings.back()));
  }
  OperationState state(op->getLoc(), op->getName(), operands, types);
  for (size_t i = 0; i < op->getNumRegions(); ++i)
    state.addRegion();
  Operation *local = builder.create(state);
  markPartial(local, {}, holdings);
  for (auto &[value, held] : inner)
    captured[value] = held;
  ++regionDepth;
  for (auto [index, region] : llvm::enumerate(op->getRegions())) {
    Block &from = region.front();
    Block &to = local->getRegion(index).emplaceBlock();
    for (auto [argument, holding] :
         llvm::zip_first(from.getArguments(), ArrayRef<Holding>(holdings))) {
      Value made = to.addArgument(getLocalType(argument.getType(), holding),
                                  argument.getLoc());
      values[argument] = {made, holding};
    }
    bool isCondition = isa<stablehlo::WhileOp>(op) && index == 0;
    SmallVector<Holding> terminator =
        isCondition ? SmallVector<Holding>(1) : holdings;
    if (failed(emitBlock(from, to, terminator)))
      return failure();
  }
  --regionDepth;
  captured = std::move(outer);
  return keepResults(op, local->getResults(), holdings, regionDepth == 0);
}

/// Attributes that speak of sizes get those of the member.
void UnitEmitter::fixAttributes(Operation *op, OperationState &state,
                                ArrayRef<Holding> results) {
  auto shapeOf = [](Value value) {
    return cast<RankedTensorType>(value.getType()).getShape();
  };
  if (auto constant = dyn_cast<stablehlo::ConstantOp>(op)) {
    auto type = cast<RankedTensorType>(state.types[0]);
    if (auto value = dyn_cast<DenseElementsAttr>(constant.getValue());
        value && value.isSplat() && type != value.getType())
      state.attributes.set("value", value.resizeSplat(type));
  } else if (auto slice = dyn_cast<stablehlo::SliceOp>(op)) {
    SmallVector<int64_t> begin(slice.getStartIndices()),
        end(slice.getLimitIndices());
    ArrayRef<int64_t> whole = shapeOf(slice.getOperand()),
                      local = shapeOf(state.operands[0]);
    for (size_t dim = 0; dim < begin.size(); ++dim)
      if (local[dim] != whole[dim] && whole[dim] != 0) {
        // Whole rows of a split dimension: in proportion.
        begin[dim] = begin[dim] * local[dim] / whole[dim];
        end[dim] = end[dim] * local[dim] / whole[dim];
      }
    state.attributes.set("start_indices", builder.getDenseI64ArrayAttr(begin));
    state.attributes.set("limit_indices", builder.getDenseI64ArrayAttr(end));
  } else if (isa<stablehlo::DynamicSliceOp>(op)) {
    auto type = cast<RankedTensorType>(state.types[0]);
    state.attributes.set("slice_sizes",
                         builder.getDenseI64ArrayAttr(type.getShape()));
  } else if (auto gather = dyn_cast<stablehlo::GatherOp>(op)) {
    SmallVector<int64_t> sizes(gather.getSliceSizes());
    ArrayRef<int64_t> whole = shapeOf(gather.getOperand()),
                      local = shapeOf(state.operands[0]);
    for (size_t dim = 0; dim < sizes.size(); ++dim)
      if (local[dim] != whole[dim] && sizes[dim] == whole[dim] &&
          !llvm::is_contained(
              gather.getDimensionNumbers().getOperandBatchingDims(), dim))
        sizes[dim] = local[dim];
    state.attributes.set("slice_sizes", builder.getDenseI64ArrayAttr(sizes));
  }
}

FailureOr<Operation *> UnitEmitter::cloneLocal(Operation *op,
                                               ValueRange operands,
                                               ArrayRef<Holding> results) {
  // Bodies of reductions and sorts see whole values.
  IRMapping captures;
  if (op->getNumRegions() != 0)
    for (Value value : getCaptures(op)) {
      FailureOr<Value> local = get(value, Holding(), op);
      if (failed(local))
        return failure();
      captures.map(value, *local);
    }
  OperationState state(op->getLoc(), op->getName());
  state.addOperands(operands);
  for (auto [type, holding] : llvm::zip_equal(op->getResultTypes(), results))
    state.addTypes(
        isa<RankedTensorType>(type) ? Type(getLocalType(type, holding)) : type);
  for (NamedAttribute attribute : op->getAttrs())
    if (!attribute.getName().strref().starts_with("hetero."))
      state.attributes.append(attribute);
  fixAttributes(op, state, results);
  for (Region &region : op->getRegions()) {
    IRMapping mapping = captures;
    region.cloneInto(state.addRegion(), mapping);
  }
  return builder.create(state);
}

FailureOr<UnitFunction> UnitEmitter::emit(StringRef name,
                                          ArrayRef<Operation *> ops,
                                          ArrayRef<UnitValue> outputs,
                                          Location loc) {
  unit.function =
      func::FuncOp::create(builder, loc, name, builder.getFunctionType({}, {}));
  unit.function.setPrivate();
  Block *block = unit.function.addEntryBlock();
  builder.setInsertionPointToStart(block);
  // Everything made from nothing goes to the front, once.
  Operation *marker = func::ReturnOp::create(builder, loc);
  builder.setInsertionPoint(marker);
  prologue = builder.saveInsertionPoint();
  builder.setInsertionPointToEnd(block);
  for (Operation *op : ops)
    if (failed(emitOp(op)))
      return failure();
  SmallVector<Value> results;
  for (const UnitValue &output : outputs) {
    Holding want = getVariantHolding(layout, output, where);
    FailureOr<Value> local =
        get(output.value, want, output.value.getDefiningOp());
    if (failed(local))
      return failure();
    results.push_back(*local);
    unit.outputs.push_back(output);
  }
  marker->erase();
  func::ReturnOp::create(builder, loc, results);
  unit.function.setType(builder.getFunctionType(
      block->getArgumentTypes(), ValueRange(results).getTypes()));
  MLIRContext *context = builder.getContext();
  StringRef formsName = HeteroDialect::getFormsAttrName();
  for (auto [index, input] : llvm::enumerate(unit.inputs))
    if (FormsAttr forms =
            getFormsAttr(context, getVariantHolding(layout, input, where)))
      unit.function.setArgAttr(index, formsName, forms);
  for (auto [index, output] : llvm::enumerate(unit.outputs))
    if (FormsAttr forms =
            getFormsAttr(context, getVariantHolding(layout, output, where)))
      unit.function.setResultAttr(index, formsName, forms);
  return std::move(unit);
}
