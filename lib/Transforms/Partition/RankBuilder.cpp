//===- RankBuilder.cpp - The program of one rank --------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "RankBuilder.h"
#include "hetero/Transforms/Import/TensorExpr.h"

using namespace mlir;
using namespace hetero;
using namespace hetero::partition;

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

/// The ranges of a value that this rank has.
PartAttr RankBuilder::getPart(int64_t index, Type type, const Holding &holding,
                              int64_t microbatch) const {
  auto tensorType = cast<RankedTensorType>(type);
  SmallVector<SmallVector<int64_t>> ranges;
  for (int64_t size : tensorType.getShape())
    ranges.push_back({0, size});
  for (bool isTensor : {false, true}) {
    const Form &form = holding.getForm(isTensor);
    if (!form.isSplit())
      continue;
    int64_t total = layout.getTotalUnits(holding, isTensor);
    auto [size, before] =
        layout.getUnits(holding, isTensor, member.at(microbatch));
    SmallVector<int64_t> &list = ranges[form.dim];
    list.clear();
    for (int64_t outer = 0; outer < form.outer; ++outer) {
      int64_t begin = (outer * total + before) * form.inner;
      list.append({begin, begin + size * form.inner});
    }
  }
  MLIRContext *context = type.getContext();
  SmallVector<DenseI64ArrayAttr> attrs =
      llvm::map_to_vector(ranges, [&](ArrayRef<int64_t> list) {
        return DenseI64ArrayAttr::get(context, list);
      });
  return PartAttr::get(context, index, attrs);
}

Value RankBuilder::addArgument(BlockArgument argument, const Holding &holding,
                               int64_t microbatch) {
  unsigned index = argument.getArgNumber();
  SmallVector<NamedAttribute> attrs;
  attrs.push_back(builder.getNamedAttr(
      HeteroDialect::getPartAttrName(),
      getPart(index, argument.getType(), holding, microbatch)));
  if (RoleAttr role = layout.roles.arguments[index])
    attrs.push_back(
        builder.getNamedAttr(HeteroDialect::getRoleAttrName(), role));
  program.argumentAttrs.push_back(builder.getDictionaryAttr(attrs));
  return program.function.getBody().front().addArgument(
      layout.getLocalType(argument.getType(), holding, member.at(microbatch)),
      argument.getLoc());
}

/// State lives here as it is stored.
void RankBuilder::addState(BlockArgument argument) {
  program.stateArguments[argument.getArgNumber()] =
      program.argumentAttrs.size();
  store[{argument.getAsOpaquePointer(), Variant::Native, 0, true}] =
      addArgument(argument, layout.getHoldingInStorage(argument), 0);
}

/// State is whole for the gradients if they use it, and is sent to other stages
/// that do.
LogicalResult RankBuilder::gatherState(BlockArgument argument) {
  Holding storage = layout.getHoldingInStorage(argument),
          inUse = layout.getHoldingInUse(argument);
  void *key = argument.getAsOpaquePointer();
  Value part = store[{key, Variant::Native, 0, true}];
  FailureOr<Value> gathered = emitter.convert(part, argument.getType(), storage,
                                              inUse, argument.getLoc());
  if (failed(gathered))
    return failure();
  store[{key, Variant::Native, 0, false}] = *gathered;
  if (traffic.getDestinations(argument, Variant::Moved).empty() ||
      !sentState.insert(argument).second)
    return success();
  Holding moved = getHolding({argument, Variant::Moved});
  FailureOr<Value> local = emitter.convert(*gathered, argument.getType(), inUse,
                                           moved, argument.getLoc());
  if (failed(local))
    return failure();
  send(argument, Variant::Moved, *local, moved, 0);
  return success();
}

LogicalResult RankBuilder::gather(bool onlyMoved) {
  for (BlockArgument argument : layout.step.getArguments())
    if (layout.getHome(argument) == member.stage &&
        traffic.isNeeded(argument, Variant::Native, member.stage) &&
        (!onlyMoved ||
         !traffic.getDestinations(argument, Variant::Moved).empty()) &&
        failed(gatherState(argument)))
      return failure();
  return success();
}

void RankBuilder::addArguments() {
  for (BlockArgument argument : layout.step.getArguments()) {
    if (std::optional<int64_t> home = layout.getHome(argument)) {
      if (*home == member.stage)
        addState(argument);
      continue;
    }
    // Runs of one rank share them: their samples are the same.
    auto add = [&](Variant variant, const Holding &held, int64_t microbatch) {
      void *key = argument.getAsOpaquePointer();
      Value &known = program.arguments[{key, variant, microbatch}];
      if (!known)
        known = addArgument(argument, held, microbatch);
      store[{key, variant, microbatch, false}] = known;
    };
    Holding holding = layout.getHoldingInUse(argument);
    if (traffic.isNeeded(argument, Variant::Whole, member.stage)) {
      Holding whole = holding;
      whole.data = Form::replicated();
      add(Variant::Whole, whole, 0);
    }
    if (!traffic.isNeeded(argument, Variant::Native, member.stage))
      continue;
    int64_t count = holding.data.isSplit() ? layout.microbatches.size() : 1;
    for (int64_t microbatch = 0; microbatch < count; ++microbatch)
      add(Variant::Native, holding, microbatch);
  }
}

//===----------------------------------------------------------------------===//
// Units
//===----------------------------------------------------------------------===//

FailureOr<Value> RankBuilder::lookUp(const UnitValue &input, int64_t microbatch,
                                     Where where) {
  bool perMicrobatch =
      !isWhole(input.variant) && layout.isPerMicrobatch(input.value);
  bool isStored =
      where.update && isa<BlockArgument>(input.value) &&
      layout.getHome(cast<BlockArgument>(input.value)) == member.stage;
  StoreKey key{input.value.getAsOpaquePointer(), input.variant,
               perMicrobatch ? microbatch : 0, isStored};
  if (auto it = store.find(key); it != store.end())
    return it->second;
  if (isMoved(input.variant)) {
    FailureOr<Value> received =
        receive(input.value, input.variant, std::get<2>(key));
    if (succeeded(received))
      store[key] = *received;
    return received;
  }
  // What is computed once for all microbatches may need state before its turn.
  if (auto argument = dyn_cast<BlockArgument>(input.value);
      argument && layout.getHome(argument) == member.stage) {
    if (failed(gatherState(argument)))
      return failure();
    return store[key];
  }
  return emitError(input.value.getLoc()) << "is used on stage " << member.stage
                                         << " before it is computed there";
}

/// What leaves a unit: kept for later units, added up, sent.
LogicalResult RankBuilder::keep(const UnitValue &output, Value local,
                                int64_t microbatch) {
  Value value = output.value;
  bool perMicrobatch = layout.isPerMicrobatch(value);
  Form form = layout.batch->getForm(value);
  if (output.variant == Variant::Moved) {
    if (form.isPartial())
      return emitError(value.getLoc())
             << "a partial value cannot go from stage " << member.stage
             << " to another one";
    // What is the same in each microbatch goes with the first.
    if (perMicrobatch || microbatch == 0)
      send(value, Variant::Moved, local, getHolding(output), microbatch);
    return success();
  }
  store[{value.getAsOpaquePointer(), Variant::Native,
         perMicrobatch ? microbatch : 0, false}] = local;
  if (!traffic.isNeeded(value, Variant::Whole, member.stage))
    return success();
  if (form.isSplit()) {
    parts[value].push_back(local);
    return success();
  }
  auto [it, isFirst] = sums.insert({value, local});
  if (!isFirst)
    it->second = AccumulateOp::create(
        builder, value.getLoc(), local.getType(),
        ReductionKindAttr::get(builder.getContext(), form.reduction), local,
        it->second);
  return success();
}

/// Whether a member without samples knows what the unit would give it.
bool RankBuilder::canSkip(ArrayRef<Operation *> ops) const {
  return llvm::none_of(traffic.getOutputs(member.stage, ops),
                       [&](const UnitValue &output) {
                         return getHolding(output).data.isReplicated();
                       });
}

/// Whether a member that has samples waits for the others within the unit: for
/// parts of state that is stored divided.
FailureOr<bool> RankBuilder::meetsOthers(const UnitKey &unit,
                                         int64_t microbatch) {
  Member other = member.at(microbatch);
  ArrayRef<int64_t> samples = stage.samples[microbatch];
  other.data = llvm::find_if(samples, [](int64_t size) { return size != 0; }) -
               samples.begin();
  if (other.data == int64_t(samples.size()))
    return false;
  FailureOr<const UnitFunction *> function = units.get(unit, other);
  if (failed(function))
    return failure();
  func::FuncOp body = (*function)->function;
  WalkResult met = body.walk([&](CommunicationOpInterface op) {
    return op.getGroupMesh() && op.getGroupAxes() == stage.batchAxes
               ? WalkResult::interrupt()
               : WalkResult::advance();
  });
  return met.wasInterrupted();
}

/// What a unit gives a member that has no samples: nothing, or what does not
/// change a sum.
LogicalResult RankBuilder::skip(ArrayRef<Operation *> ops, int64_t microbatch) {
  // What is sent to all members of the stage is received all the same.
  for (Operation *op : ops) {
    Where where = layout.getWhere(op);
    for (auto [index, value] : llvm::enumerate(getUses(op))) {
      Operation *def = value.getDefiningOp();
      if (def && !layout.isPlaced(def))
        continue;
      Variant variant = getVariant(
          layout, value, layout.getWanted(op, index, where).data, where);
      UnitValue input{value, variant};
      if (isMoved(variant) &&
          !getVariantHolding(layout, input, where).data.isSplit() &&
          failed(lookUp(input, microbatch, where)))
        return failure();
    }
  }
  for (const UnitValue &output : traffic.getOutputs(member.stage, ops)) {
    Holding holding = getHolding(output);
    RankedTensorType type = layout.getLocalType(output.value.getType(), holding,
                                                member.at(microbatch));
    DenseElementsAttr neutral =
        holding.data.isPartial() ? getNeutralValue(type, holding.data.reduction)
                                 : getZeros(type);
    Value nothing =
        stablehlo::ConstantOp::create(builder, output.value.getLoc(), neutral);
    if (failed(keep(output, nothing, microbatch)))
      return failure();
  }
  return success();
}

LogicalResult RankBuilder::call(const UnitKey &unit, int64_t microbatch) {
  auto it = layout.units[member.stage].find(unit);
  if (it == layout.units[member.stage].end())
    return success();
  if (unit.kind != UnitKind::Once &&
      stage.samples[microbatch][member.data] == 0 && canSkip(it->second)) {
    FailureOr<bool> meets = meetsOthers(unit, microbatch);
    if (failed(meets))
      return failure();
    if (!*meets)
      return skip(it->second, microbatch);
  }
  FailureOr<const UnitFunction *> function =
      units.get(unit, member.at(microbatch));
  if (failed(function))
    return failure();
  Where where = layout.getWhere(it->second.front());
  SmallVector<Value> operands;
  for (const UnitValue &input : (*function)->inputs) {
    FailureOr<Value> operand = lookUp(input, microbatch, where);
    if (failed(operand))
      return failure();
    operands.push_back(*operand);
  }
  Location loc = layout.step.getLoc();
  if ((*function)->takesOffset) {
    auto type = RankedTensorType::get({}, builder.getI64Type());
    int64_t offset =
        layout.getUnits(Holding(), /*isTensor=*/false, member.at(microbatch))
            .second;
    operands.push_back(stablehlo::ConstantOp::create(
        builder, loc, DenseElementsAttr::get(type, ArrayRef<int64_t>{offset})));
  }
  func::FuncOp callee = (*function)->function;
  auto call = func::CallOp::create(builder, loc, callee, operands);
  std::optional<int64_t> number;
  if (unit.kind != UnitKind::Once)
    number = microbatch;
  call->setAttr(
      HeteroDialect::getInstructionAttrName(),
      InstructionAttr::get(builder.getContext(),
                           getInstructionKind(layout, member.stage, unit),
                           number, std::nullopt, stage.chunk,
                           getSweep(unit, layout.levels.last)));
  for (auto [output, result] :
       llvm::zip_equal((*function)->outputs, call.getResults()))
    if (failed(keep(output, result, microbatch)))
      return failure();
  return success();
}

/// Makes a value whole that came in parts: the parts of each microbatch are
/// gathered from the devices, and follow each other. What the tensor axis
/// splits along the same dimension is made whole there first.
FailureOr<Value> RankBuilder::putTogether(Value value, Holding holding) {
  Form form = holding.data;
  Holding target = holding;
  if (layout.isSplitTwice(value))
    target.set(/*isTensor=*/true, Form::replicated(), nullptr);
  SmallVector<Value> pieces;
  for (auto [microbatch, part] : llvm::enumerate(parts[value])) {
    FailureOr<Value> converted =
        UnitEmitter(layout, member.at(microbatch), Where{member.stage, false},
                    builder)
            .convert(part, value.getType(), holding, target, value.getLoc());
    if (failed(converted))
      return failure();
    part = *converted;
    if (stage.dataSize == 1) {
      pieces.push_back(part);
      continue;
    }
    auto type = cast<RankedTensorType>(part.getType());
    SmallVector<int64_t> shape(type.getShape());
    shape[form.dim] = form.outer * layout.microbatches[microbatch] * form.inner;
    pieces.push_back(emitter.gather(part, type.clone(shape), form,
                                    stage.samples[microbatch],
                                    /*tensor=*/false, value.getLoc()));
  }
  Holding whole = target;
  whole.data = Form::replicated();
  return concatenateUnits(pieces, form,
                          layout.getLocalType(value.getType(), whole, member),
                          value.getLoc());
}

LogicalResult RankBuilder::finishLevel(int64_t level) {
  MLIRContext *context = builder.getContext();
  auto finish = [&](Value value, Value whole) -> LogicalResult {
    store[{value.getAsOpaquePointer(), Variant::Whole, 0, false}] = whole;
    if (traffic.getDestinations(value, Variant::MovedWhole).empty())
      return success();
    Holding have = layout.getCompleted(value);
    FailureOr<Value> moved = emitter.convert(whole, value.getType(), have,
                                             Holding(), value.getLoc());
    if (failed(moved))
      return failure();
    send(value, Variant::MovedWhole, *moved, Holding(), 0);
    return success();
  };
  for (auto &[value, sum] : sums) {
    Holding held = layout.getHeld(value), target = layout.getCompleted(value);
    Value whole = sum;
    if (stage.dataSize > 1) {
      Operation *op = emitter.reduce(
          sum, layout.getLocalType(value.getType(), target, member),
          held.data.reduction, target.data, target.storageClass,
          /*tensor=*/false, value.getLoc());
      op->setAttr(HeteroDialect::getInstructionAttrName(),
                  InstructionAttr::get(context, InstructionKind::Reduce,
                                       std::nullopt, std::nullopt, 0, level));
      whole = op->getResult(0);
    }
    if (failed(finish(value, whole)))
      return failure();
  }
  for (auto &[value, list] : parts) {
    FailureOr<Value> whole = putTogether(value, layout.getHeld(value));
    if (failed(whole) || failed(finish(value, *whole)))
      return failure();
  }
  sums.clear();
  parts.clear();
  return success();
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

/// The sum over the tensor axis of a value that is partial there.
Value RankBuilder::completeTensor(Value local, const Holding &holding) {
  if (!holding.tensor.isPartial())
    return local;
  return emitter
      .reduce(local, cast<RankedTensorType>(local.getType()),
              holding.tensor.reduction, Form::replicated(), nullptr,
              /*tensor=*/true, local.getLoc())
      ->getResult(0);
}

LogicalResult RankBuilder::addResults() {
  Operation *terminator = layout.step.getBody().front().getTerminator();
  auto add = [&](Value local, unsigned index, Type type, const Holding &holding,
                 int64_t microbatch) {
    program.results.push_back(local);
    SmallVector<NamedAttribute> list;
    list.push_back(
        builder.getNamedAttr(HeteroDialect::getPartAttrName(),
                             getPart(index, type, holding, microbatch)));
    if (RoleAttr role = layout.roles.results[index]) {
      if (role.getArgument())
        role =
            RoleAttr::get(builder.getContext(), role.getKind(),
                          program.stateArguments.lookup(*role.getArgument()));
      list.push_back(
          builder.getNamedAttr(HeteroDialect::getRoleAttrName(), role));
    }
    program.resultAttrs.push_back(builder.getDictionaryAttr(list));
  };
  for (auto [index, value] : llvm::enumerate(terminator->getOperands())) {
    if (getResultStage(layout, index) != member.stage)
      continue;
    RoleAttr role = layout.roles.results[index];
    Variant variant = getResultVariant(layout, index, member.stage);
    Where where{member.stage, false};
    Holding have = getHolding({value, variant});
    Holding whole = have;
    if (have.tensor.isPartial())
      whole.tensor = Form::replicated();
    if (have.data.isPartial() && have.storageClass)
      whole.data = Form::replicated();
    if (!isWhole(variant) && layout.isPerMicrobatch(value)) {
      for (int64_t microbatch = 0, e = layout.microbatches.size();
           microbatch < e; ++microbatch) {
        FailureOr<Value> local = lookUp({value, variant}, microbatch, where);
        if (failed(local))
          return failure();
        add(completeTensor(*local, have), index, value.getType(), whole,
            microbatch);
      }
      continue;
    }
    FailureOr<Value> local = lookUp({value, variant}, 0, where);
    if (failed(local))
      return failure();
    Holding want = whole;
    if (role && role.getKind() == RoleKind::UpdatedState && role.getArgument())
      want = layout.getHoldingInStorage(
          layout.step.getArgument(*role.getArgument()));
    FailureOr<Value> converted =
        emitter.convert(*local, value.getType(), have, want, value.getLoc());
    if (failed(converted))
      return failure();
    add(*converted, index, value.getType(), want, 0);
  }
  return success();
}
