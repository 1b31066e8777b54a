//===- StepLayoutAxisClasses.cpp - Splits and state of a stage ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "StepLayout.h"
#include <numeric>

using namespace mlir;
using namespace hetero;
using namespace hetero::partition;

/// Calls back with the splits that `attribute` gives to arguments of `stage`.
LogicalResult StepLayout::readSplits(
    int64_t stage, StringRef attribute,
    function_ref<LogicalResult(BlockArgument, SplitAttr, bool)> callback) {
  const StageRun &run = stages[stage];
  for (BlockArgument argument : step.getArguments()) {
    auto sharding =
        step.getArgAttrOfType<ShardingAttr>(argument.getArgNumber(), attribute);
    // What is no state has no home; shardings are then for the only stage.
    if (!sharding || getHome(argument).value_or(0) != stage)
      continue;
    auto fail = [&](const Twine &problem) {
      return emitError(argument.getLoc())
             << "argument " << argument.getArgNumber() << ": " << attribute
             << " " << problem;
    };
    if (sharding.getMesh().getAttr() != run.mesh.getSymNameAttr())
      return fail("names a mesh that is not that of stage " + Twine(stage) +
                  ", where it is used");
    for (AxisShardingAttr entry : sharding.getEntries()) {
      if (!entry.getSplit())
        return fail("makes it partial, which state cannot be");
      auto axes = ArrayAttr::get(step.getContext(),
                                 SmallVector<Attribute>(entry.getAxes().begin(),
                                                        entry.getAxes().end()));
      bool all = axes.empty();
      bool isTensor = run.tensorAxes && axes == run.tensorAxes;
      bool isData = axes == run.batchAxes || (all && !run.tensorAxes);
      if (entry.getSplit().isBatch())
        continue;
      if (!isTensor && !isData)
        return fail("splits over axes that are neither those of the batch nor "
                    "the other "
                    "ones of the mesh; that cannot be partitioned yet");
      if (failed(callback(argument, entry.getSplit(), isTensor)))
        return failure();
    }
  }
  return success();
}

std::pair<int64_t, AxisClass *>
partition::findClass(std::vector<AxisClass> &classes, ArrayRef<int64_t> sizes,
                     bool normalize) {
  int64_t factor = 0;
  for (int64_t size : sizes)
    factor = std::gcd(factor, size);
  if (!normalize || factor == 0)
    factor = 1;
  SmallVector<int64_t> units =
      llvm::map_to_vector(sizes, [&](int64_t s) { return s / factor; });
  for (AxisClass &axis : classes)
    if (axis.sizes == units)
      return {factor, &axis};
  AxisClass axis;
  axis.sizes = units;
  axis.units = std::accumulate(units.begin(), units.end(), int64_t(0));
  classes.push_back(std::move(axis));
  return {factor, &classes.back()};
}

LogicalResult StepLayout::buildClasses(int64_t stage) {
  std::vector<AxisClass> &tensor = tensorClasses[stage],
                         &storage = storageClasses[stage];
  size_t limit = 2 * step.getNumArguments() + 1; // Classes must not move.
  if (hasShardings)
    for (Operation &op : step.getBody().front())
      limit += op.getNumResults();
  tensor.reserve(limit);
  storage.reserve(limit);
  auto add = [&](std::vector<AxisClass> &classes,
                 DenseMap<Value, Split> &splits, BlockArgument argument,
                 SplitAttr split, bool normalize) {
    auto [factor, axis] = findClass(classes, split.getSizes(), normalize);
    if (axis->units != 0)
      splits[argument] = {Form::split(split.getDim(), split.getOuter(),
                                      split.getInner() * factor),
                          axis};
  };
  if (failed(readSplits(
          stage, "hetero.sharding",
          [&](BlockArgument argument, SplitAttr split, bool isTensor) {
            if (isTensor)
              add(tensor, tensorSplits, argument, split, true);
            return success();
          })))
    return failure();
  LogicalResult read = readSplits(
      stage, "hetero.storage",
      [&](BlockArgument argument, SplitAttr split, bool isTensor) {
        auto it = tensorSplits.find(argument);
        if (!isTensor) {
          if (it != tensorSplits.end() &&
              it->second.first.dim == split.getDim())
            return LogicalResult(
                emitError(argument.getLoc())
                << "argument " << argument.getArgNumber()
                << ": hetero.storage and hetero.sharding split it both along "
                   "dimension "
                << split.getDim() << "; that cannot be partitioned yet");
          add(storage, storageSplits, argument, split, false);
          return success();
        }
        Form form = Form::get(split.getForm());
        if (it == tensorSplits.end() || it->second.first.dim != form.dim)
          return LogicalResult(
              emitError(argument.getLoc())
              << "argument " << argument.getArgNumber()
              << ": hetero.storage and hetero.sharding split it differently "
                 "over the tensor axis; that cannot be partitioned yet");
        return success();
      });
  if (failed(read))
    return failure();
  if (!hasShardings)
    analyzeClasses(stage, tensor, tensorSplits, /*storage=*/false);
  else if (failed(readDivisions()))
    return failure();
  if (!storage.empty())
    findUpdateForms(stage);
  analyzeClasses(stage, storage, storageSplits, /*storage=*/true);
  return success();
}

/// Whether one value can be split both ways: along different dimensions, or one
/// of them inside of what the other leaves whole.
static bool goTogether(const Form &a, const Form &b, int64_t unitsOfB) {
  return !a.isSplit() || !b.isSplit() || a.dim != b.dim ||
         a.inner % (b.inner * unitsOfB) == 0 ||
         a.outer % (b.outer * unitsOfB) == 0;
}

/// Takes operations out of a class that their other axis does not go together
/// with. Returns whether there were any; forms are then to be found again.
bool StepLayout::excludeMisfits(AxisClass &axis, bool storage) const {
  size_t before = axis.excluded.size();
  for (Operation &op : step.getBody().front()) {
    if (!axis.forms->isLocal(&op))
      continue;
    // Model splits come after those of the batch, storage after both.
    const FormRule *other = nullptr;
    int64_t units = batch->getAxis().units;
    if (storage) {
      if (auto [rule, tensor] = getTensorRule(&op); rule) {
        other = rule;
        units = tensor->units;
      }
    } else if (!isUpdate(&op)) {
      other = &batch->getRule(&op);
    }
    if (!other)
      continue;
    const FormRule &rule = axis.forms->getRule(&op);
    auto fit = [&](ArrayRef<Form> mine, ArrayRef<Form> others) {
      return llvm::all_of(llvm::zip(mine, others), [&](auto pair) {
        return goTogether(std::get<0>(pair), std::get<1>(pair), units);
      });
    };
    if (!fit(rule.operands, other->operands) ||
        !fit(rule.results, other->results) ||
        !fit(rule.captures, other->captures))
      axis.excluded.insert(&op);
  }
  return axis.excluded.size() != before;
}

/// Whether a value can be stored so and keep its split over the tensor axis.
bool StepLayout::fits(const Split &split, Value value) const {
  Holding held = getHeld(value);
  return !held.tensorClass ||
         goTogether(split.first, held.tensor, held.tensorClass->units);
}

void StepLayout::analyzeClasses(int64_t stage, std::vector<AxisClass> &classes,
                                const DenseMap<Value, Split> &splits,
                                bool storage) {
  for (AxisClass &axisClass : classes) {
    FormAxis axis;
    axis.units = axisClass.units;
    if (axis.units == 0)
      continue;
    for (auto &[value, split] : splits)
      if (split.second == &axisClass)
        axis.given[value] = split.first;
    if (storage)
      for (auto &[value, split] : completedAs)
        if (split.second == &axisClass)
          axis.given[value] = split.first;
    ClassOfOp &owners = storage ? storageClassOf : tensorClassOf;
    axis.includes = [this, stage, storage, &owners, &axisClass](Operation *op) {
      auto it = stageOf.find(op);
      return it != stageOf.end() && it->second == stage &&
             (!storage || isUpdate(op)) && !owners.contains(op) &&
             !axisClass.excluded.contains(op);
    };
    axis.needsCompletion = [this, stage](OpOperand &use) {
      Operation *user = getTop(use.getOwner());
      auto it = stageOf.find(user);
      return it != stageOf.end() && it->second != stage;
    };
    do
      axisClass.forms =
          std::make_unique<FormAnalysis>(step.getBody().front(), axis);
    while (excludeMisfits(axisClass, storage));
    for (Operation &op : step.getBody().front())
      if (axisClass.forms->isLocal(&op))
        owners[&op] = &axisClass;
  }
}

/// Follows element-wise uses of `value` to state of its shape that is stored
/// split.
std::optional<StepLayout::Split> StepLayout::findStoredUse(Value value) const {
  SmallVector<Value> work = {value};
  DenseSet<Value> seen;
  while (!work.empty()) {
    Value at = work.pop_back_val();
    if (!seen.insert(at).second)
      continue;
    for (Operation *user : at.getUsers()) {
      if (user->getNumResults() != 1 || user->getNumRegions() != 0 ||
          !isUpdate(user) ||
          cast<ShapedType>(user->getResult(0).getType()).getShape() !=
              cast<ShapedType>(value.getType()).getShape())
        continue;
      for (Value operand : user->getOperands())
        if (auto it = storageSplits.find(operand);
            it != storageSplits.end() && operand.getType() == value.getType())
          return it->second;
      work.push_back(user->getResult(0));
    }
  }
  return std::nullopt;
}

/// Gradients of state that is stored split are reduced into the same split.
void StepLayout::findUpdateForms(int64_t stage) {
  for (Operation *op : llvm::make_pointer_range(step.getBody().front())) {
    auto it = stageOf.find(op);
    if (it == stageOf.end() || it->second != stage)
      continue;
    for (Value result : op->getResults()) {
      if (!isCompleted(result) ||
          batch->getForm(result).reduction != ReductionKind::Sum)
        continue;
      bool onlyHere = llvm::all_of(result.getUsers(), [&](Operation *user) {
        Operation *top = getTop(user);
        return top->hasTrait<OpTrait::IsTerminator>() ||
               (stageOf.lookup(top) == stage &&
                (isUpdate(top) || batch->isLocal(top)));
      });
      if (!onlyHere)
        continue;
      if (std::optional<Split> split = findStoredUse(result);
          split && fits(*split, result))
        completedAs[result] = *split;
    }
  }
}

/// Operations in regions belong to the class of the one around them.
const AxisClass *StepLayout::getClass(Operation *op,
                                      const ClassOfOp &classes) const {
  const AxisClass *axis = classes.lookup(getTop(op));
  return axis && axis->forms->isLocal(op) ? axis : nullptr;
}

Holding StepLayout::getHoldingInUse(BlockArgument argument) const {
  Holding holding;
  holding.data = batch->getForm(argument);
  if (auto it = tensorSplits.find(argument); it != tensorSplits.end())
    std::tie(holding.tensor, holding.tensorClass) = it->second;
  return holding;
}

Holding StepLayout::getHoldingInStorage(BlockArgument argument) const {
  Holding holding = getHoldingInUse(argument);
  if (auto it = storageSplits.find(argument); it != storageSplits.end())
    std::tie(holding.data, holding.storageClass) = it->second;
  return holding;
}

bool StepLayout::isSplitTwice(Value value) const {
  Form tensor = getHeld(value).tensor, data = batch->getForm(value);
  return tensor.isSplit() && data.isSplit() && tensor.dim == data.dim &&
         !isWholeBatch();
}

Holding StepLayout::getCompleted(Value value) const {
  Holding holding;
  Holding given = getHeld(value);
  if (!isSplitTwice(value)) {
    holding.tensor = given.tensor;
    holding.tensorClass = given.tensorClass;
  }
  if (auto it = completedAs.find(value); it != completedAs.end())
    std::tie(holding.data, holding.storageClass) = it->second;
  return holding;
}

static Form getOperandForm(const FormRule &rule, unsigned operand) {
  if (operand < rule.operands.size())
    return rule.operands[operand];
  // Rules without captures see them whole.
  operand -= rule.operands.size();
  return operand < rule.captures.size() ? rule.captures[operand]
                                        : Form::replicated();
}

Holding
StepLayout::getHolding(Operation *op, Where where,
                       function_ref<Form(const FormRule &)> pick) const {
  Holding holding;
  bool update = where.update;
  if (const AxisClass *axis = update ? getClass(op, storageClassOf) : nullptr)
    holding.set(/*isTensor=*/false, pick(axis->forms->getRule(op)), axis);
  else if (!update)
    holding.data = pick(batch->getRule(op));
  if (auto [rule, axis] = getTensorRule(op); rule)
    holding.set(/*isTensor=*/true, pick(*rule), axis);
  return holding;
}

Holding StepLayout::getWanted(Operation *op, unsigned operand,
                              Where where) const {
  return getHolding(op, where, [&](const FormRule &rule) {
    return getOperandForm(rule, operand);
  });
}

Holding StepLayout::getGiven(Operation *op, unsigned result,
                             Where where) const {
  return getHolding(op, where,
                    [&](const FormRule &rule) { return rule.results[result]; });
}

Holding StepLayout::getHeld(Value value) const {
  auto result = cast<OpResult>(value);
  Operation *op = result.getOwner();
  Where where = getWhere(op);
  Holding holding = getGiven(op, result.getResultNumber(), where);
  if (where.update && holding.storageClass &&
      holding.storageClass->forms->isCompleted(value))
    holding.data = Form::replicated();
  if (!hasShardings && holding.tensorClass &&
      holding.tensorClass->forms->isCompleted(value))
    holding.tensor = Form::replicated();
  return holding;
}
