//===- StepLayoutDivisions.cpp - Operations that say how they are split ---===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `hetero.sharding` on an operation is the form in which it makes its results
// on the tensor axis. Operands come as they are made, and `hetero.reshard`
// changes that. Which dimensions of the operands are split for such results
// follows from the rules of operations (Forms.h), so what is written cannot
// change what is computed: an operand that comes in another form than the rule
// wants is brought into it.

#include "StepLayout.h"

using namespace mlir;
using namespace hetero;
using namespace hetero::partition;

/// Shardings on operations are for one stage whose members all see the whole
/// batch: the tensor axis is then free to split samples as well.
LogicalResult StepLayout::checkShardings() const {
  if (!hasShardings)
    return success();
  StageRun first = stages.front();
  if (stages.size() == 1 && isWholeBatch() && first.tensorAxes)
    return success();
  func::FuncOp function = step;
  for (Operation &op : function.getBody().front()) {
    if (!isa<ReshardOp>(op) && !op.hasAttr("hetero.sharding"))
      continue;
    return (op.emitOpError()
            << "has a sharding, which can be followed where the plan has one "
               "stage, one microbatch, and one device along the batch")
               .attachNote(first.stage.getLoc())
           << "the plan has " << stages.size() << " stages, "
           << microbatches.size() << " microbatches, and " << first.dataSize
           << " devices along the batch here";
  }
  return success();
}

/// The form and class that a sharding gives to a value. Partial values have a
/// class, too, of equal members.
FailureOr<StepLayout::Split> StepLayout::readSharding(Operation *op,
                                                      ShardingAttr sharding) {
  const StageRun &run = stages.front();
  std::vector<AxisClass> &classes = tensorClasses.front();
  if (sharding.getMesh().getAttr() != run.mesh.getSymNameAttr())
    return op->emitOpError() << "has a sharding on " << sharding.getMesh()
                             << ", a mesh that is not that of its stage, @"
                             << run.mesh.getSymName();
  SmallVector<int64_t> equal(run.tensorSize, 1);
  if (sharding.getEntries().empty())
    return Split(Form::replicated(), nullptr);
  AxisShardingAttr entry = sharding.getEntries().front();
  auto axes = ArrayAttr::get(
      op->getContext(),
      SmallVector<Attribute>(entry.getAxes().begin(), entry.getAxes().end()));
  if (sharding.getEntries().size() != 1 || axes != run.tensorAxes)
    return op->emitOpError()
           << "has a sharding over other axes of the mesh "
              "than "
           << run.tensorAxes << "; that cannot be partitioned yet";
  SplitAttr split = entry.getSplit();
  if (!split)
    return Split(Form::partial(entry.getReduction()),
                 findClass(classes, equal, false).second);
  if (split.isBatch())
    return op->emitOpError() << "has a sharding without sizes; that cannot be "
                                "partitioned yet";
  auto [factor, axis] = findClass(classes, split.getSizes(), true);
  if (axis->units == 0)
    return Split(Form::replicated(), nullptr);
  return Split(
      Form::split(split.getDim(), split.getOuter(), split.getInner() * factor),
      axis);
}

LogicalResult StepLayout::divide(Operation *op) {
  SmallVector<ShardingAttr> shardings;
  if (auto reshard = dyn_cast<ReshardOp>(op))
    shardings.push_back(reshard.getSharding());
  else if (auto one = op->getAttrOfType<ShardingAttr>("hetero.sharding"))
    shardings.push_back(one);
  else if (auto list = op->getAttrOfType<ArrayAttr>("hetero.sharding"))
    llvm::append_range(shardings, list.getAsRange<ShardingAttr>());
  else
    return success();
  Division division;
  SmallVector<Form> results;
  for (ShardingAttr sharding : shardings) {
    FailureOr<Split> split = readSharding(op, sharding);
    if (failed(split))
      return failure();
    auto [form, axis] = *split;
    results.push_back(form);
    if (!axis)
      continue;
    bool isSplit = division.axis && division.axis != axis &&
                   llvm::any_of(results, [](Form f) { return f.isSplit(); });
    if (isSplit && form.isSplit())
      return op->emitOpError() << "splits its results in different proportions";
    if (!division.axis || form.isSplit())
      division.axis = axis;
  }
  if (isa<ReshardOp>(op)) {
    division.rule = FormRule::allReplicated(op);
    division.rule.operands = division.rule.results = results;
    if (division.axis)
      divisions[op] = std::move(division);
    return success();
  }
  if (!division.axis)
    return success();
  // What is made from partial results is of the class of split operands.
  auto getSplit = [&](Value value) -> Split {
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      auto it = tensorSplits.find(argument);
      return it == tensorSplits.end() ? Split() : it->second;
    }
    auto it = divisions.find(value.getDefiningOp());
    if (it == divisions.end())
      return Split();
    return {it->second.rule.results[cast<OpResult>(value).getResultNumber()],
            it->second.axis};
  };
  bool isSplit = llvm::any_of(results, [](Form f) { return f.isSplit(); });
  if (!isSplit)
    for (Value operand : op->getOperands())
      if (auto [form, axis] = getSplit(operand); form.isSplit()) {
        division.axis = axis;
        break;
      }
  SmallVector<Form> operands;
  for (Value operand : op->getOperands()) {
    auto [form, axis] = getSplit(operand);
    operands.push_back(
        form.isSplit() && axis != division.axis ? Form::replicated() : form);
  }
  std::optional<FormRule> rule =
      findFormRule(op, operands, results, rules->get(division.axis->units));
  if (!rule) {
    InFlightDiagnostic error =
        op->emitOpError() << "cannot give its results as hetero.sharding says "
                             "from operands that come as ";
    llvm::interleaveComma(operands, error, [&](const Form &form) {
      error << form.toAttr(op->getContext());
    });
    return error;
  }
  division.rule = std::move(*rule);
  divisions[op] = std::move(division);
  return success();
}

LogicalResult StepLayout::readDivisions() {
  rules.emplace(step.getBody().front());
  for (Operation &op : step.getBody().front())
    if (stageOf.contains(&op) && failed(divide(&op)))
      return failure();
  return success();
}

/// The rule of an operation on the tensor axis and its class; null if it works
/// on whole values there.
std::pair<const FormRule *, const AxisClass *>
StepLayout::getTensorRule(Operation *op) const {
  if (hasShardings) {
    auto it = divisions.find(op);
    if (it == divisions.end())
      return {nullptr, nullptr};
    return {&it->second.rule, it->second.axis};
  }
  const AxisClass *axis = getClass(op, tensorClassOf);
  return {axis ? &axis->forms->getRule(op) : nullptr, axis};
}
