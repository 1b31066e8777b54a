//===- TensorSplits.cpp - Layers divided along a model dimension ----------===//
//
// Part of the hetero project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "hetero/Analysis/TensorSplits.h"
#include "hetero/Analysis/Roles.h"
#include "hetero/Analysis/Summary.h"
#include "hetero/Dialect/Stablehlo.h"
#include <set>

using namespace mlir;
using namespace hetero;

/// A byte on the network is worth about this much work; only to compare trials,
/// planners know better.
static constexpr double workPerByte = 32;
/// A layer of which less is divided is not worth it.
static constexpr double leastDivided = 0.75;
/// How many parameters, the largest first, and how many units for each of their
/// dimensions are tried.
static constexpr size_t maxParameters = 6, maxUnits = 12;

std::vector<int64_t> TensorSplit::getDegrees(int64_t largest) const {
  std::vector<int64_t> degrees;
  for (int64_t degree = 2; !groups.empty() && degree <= largest; ++degree)
    if (llvm::all_of(groups, [&](const Group &group) {
          int64_t most = (group.units + degree - 1) / degree;
          return group.units >= degree && most * degree * 4 <= group.units * 5;
        }))
      degrees.push_back(degree);
  return degrees;
}

namespace {
/// What comes of splitting one parameter.
struct Trial {
  TensorSplit::Group group;
  Affine<Bytes> forward, backward;
  uint64_t work = 0;
  DenseSet<Operation *> local;
  double score = 0;
};

class SplitFinder {
public:
  SplitFinder(func::FuncOp step, const FormAnalysis &batch,
              const StepLayers &layers, int64_t layer);
  TensorSplit find();

private:
  SmallVector<int64_t> getSizes() const;
  SmallVector<std::pair<Form, int64_t>> getForms(int64_t dim, int64_t length,
                                                 ArrayRef<int64_t> sizes) const;
  Trial run(unsigned argument, Form form, int64_t units) const;
  bool addWanted(const FormAnalysis &forms, TensorSplit::Group &group) const;
  void measure(const FormAnalysis &forms, Trial &trial) const;
  bool isLocalArgument(BlockArgument argument) const;
  void add(Affine<Bytes> &sum, Value value) const;
  Phase getPhase(Operation *op) const {
    return layers.ofOp.find(op)->second.phase;
  }

  func::FuncOp step;
  Block &block;
  const FormAnalysis &batch;
  const StepLayers &layers;
  StepRoles roles;
  SmallVector<Operation *> ops;
  DenseSet<Operation *> included;
  /// Arguments that no other layer uses, the largest first.
  SmallVector<unsigned> parameters;
  DenseSet<unsigned> localArguments;
};
} // namespace

bool SplitFinder::isLocalArgument(BlockArgument argument) const {
  RoleAttr role = roles.arguments[argument.getArgNumber()];
  return role && role.isState() && !argument.use_empty() &&
         llvm::all_of(argument.getUsers(), [&](Operation *user) {
           return included.contains(block.findAncestorOpInBlock(*user));
         });
}

SplitFinder::SplitFinder(func::FuncOp step, const FormAnalysis &batch,
                         const StepLayers &layers, int64_t layer)
    : step(step), block(step.getBody().front()), batch(batch), layers(layers),
      roles(getRoles(step)) {
  for (Operation &op : block)
    if (auto it = layers.ofOp.find(&op);
        it != layers.ofOp.end() && it->second.layer == layer) {
      ops.push_back(&op);
      included.insert(&op);
    }
  for (BlockArgument argument : block.getArguments()) {
    if (!isLocalArgument(argument))
      continue;
    unsigned number = argument.getArgNumber();
    localArguments.insert(number);
    auto type = dyn_cast<RankedTensorType>(argument.getType());
    if (type && type.getRank() >= 2 &&
        roles.arguments[number].getKind() == RoleKind::Parameter)
      parameters.push_back(number);
  }
  llvm::stable_sort(parameters, [&](unsigned left, unsigned right) {
    return getNumBytes(block.getArgument(left).getType()) >
           getNumBytes(block.getArgument(right).getType());
  });
}

/// The sizes of dimensions that a reshape of the layer makes: heads and the
/// like.
SmallVector<int64_t> SplitFinder::getSizes() const {
  std::set<int64_t> sizes;
  for (Operation *op : ops)
    if (isa<stablehlo::ReshapeOp>(op) && getPhase(op) == Phase::Forward)
      for (int64_t size :
           cast<ShapedType>(op->getResult(0).getType()).getShape())
        if (size > 1)
          sizes.insert(size);
  return SmallVector<int64_t>(sizes.begin(), sizes.end());
}

/// Ways to see a dimension as outer * units * inner.
SmallVector<std::pair<Form, int64_t>>
SplitFinder::getForms(int64_t dim, int64_t length,
                      ArrayRef<int64_t> sizes) const {
  SmallVector<std::pair<Form, int64_t>> forms;
  forms.push_back({Form::split(dim), length});
  SmallVector<int64_t> inners = {1};
  llvm::append_range(inners, sizes);
  for (int64_t units : sizes)
    for (int64_t inner : inners) {
      if (units * inner > length || length % (units * inner) != 0 ||
          forms.size() >= maxUnits || units == length)
        continue;
      forms.push_back(
          {Form::split(dim, length / (units * inner), inner), units});
    }
  return forms;
}

/// Adds the arguments that operations would like to have split.
bool SplitFinder::addWanted(const FormAnalysis &forms,
                            TensorSplit::Group &group) const {
  SmallVector<std::pair<Value, Form>> work;
  for (Operation *op : ops) {
    if (!forms.includes(op))
      continue;
    for (auto [value, want] :
         llvm::zip_equal(op->getOperands(), forms.getRule(op).operands))
      if (want.isSplit() && forms.getUseForm(value).isReplicated())
        work.push_back({value, want});
  }
  DenseSet<Value> seen;
  bool added = false;
  while (!work.empty()) {
    auto [value, form] = work.pop_back_val();
    if (!forms.getUseForm(value).isReplicated() || !seen.insert(value).second)
      continue;
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      if (argument.getOwner() == &block &&
          localArguments.contains(argument.getArgNumber()))
        added |= group.arguments.insert({argument.getArgNumber(), form}).second;
      continue;
    }
    auto result = cast<OpResult>(value);
    auto model = dyn_cast<FormOpInterface>(result.getOwner());
    if (!model || !included.contains(result.getOwner()))
      continue;
    for (OpOperand &operand : result.getOwner()->getOpOperands())
      if (std::optional<Form> wanted = model.getOperandForm(
              operand, result.getResultNumber(), form, group.units))
        work.push_back({operand.get(), *wanted});
  }
  return added;
}

void SplitFinder::add(Affine<Bytes> &sum, Value value) const {
  int64_t bytes = std::min<uint64_t>(getNumBytes(value.getType()), INT64_MAX);
  int64_t samples = batch.getAxis().units;
  if (batch.getForm(value).isSplit())
    sum.perSample += Bytes((bytes + samples - 1) / samples);
  else
    sum.fixed += Bytes(bytes);
}

/// Counts the work that is divided, and what is summed or gathered for it.
void SplitFinder::measure(const FormAnalysis &forms, Trial &trial) const {
  auto pay = [&](Value value) {
    Operation *def = value.getDefiningOp();
    if (!def) // A parameter that is gathered after all.
      return add(trial.forward, value);
    if (getPhase(def) == Phase::Forward)
      return add(trial.forward, value);
    add(trial.backward, value);
  };
  for (const FormAnalysis::Completion &completion : forms.getCompletions())
    if (!completion.value.getDefiningOp() ||
        included.contains(completion.value.getDefiningOp()))
      pay(completion.value);
  for (Operation *op : ops) {
    if (!forms.includes(op) || !forms.isLocal(op))
      continue;
    trial.local.insert(op);
    trial.work += getWork(op).flops;
    for (Value result : op->getResults()) {
      if (forms.getUseForm(result).isReplicated())
        continue;
      // Updated state stays as it is; anything else leaves the layer whole.
      bool leaves = llvm::any_of(result.getUsers(), [&](Operation *user) {
        Operation *top = block.findAncestorOpInBlock(*user);
        return !included.contains(top) &&
               !(top->hasTrait<OpTrait::IsTerminator>() &&
                 getPhase(op) == Phase::Update);
      });
      if (leaves)
        pay(result);
    }
  }
  int64_t samples = batch.getAxis().units;
  trial.score =
      double(trial.work) -
      workPerByte *
          double(
              (trial.forward.at(samples) + trial.backward.at(samples)).count());
}

Trial SplitFinder::run(unsigned argument, Form form, int64_t units) const {
  Trial trial;
  trial.group.units = units;
  trial.group.arguments[argument] = form;
  constexpr int maxRounds = 6;
  for (int round = 0; round < maxRounds; ++round) {
    FormAxis axis;
    axis.units = units;
    axis.includes = [&](Operation *op) { return included.contains(op); };
    for (auto &[number, given] : trial.group.arguments)
      axis.given[block.getArgument(number)] = given;
    FormAnalysis forms(block, std::move(axis));
    if (round + 1 < maxRounds && addWanted(forms, trial.group))
      continue;
    measure(forms, trial);
    break;
  }
  return trial;
}

TensorSplit SplitFinder::find() {
  TensorSplit split;
  uint64_t total = 0;
  for (Operation *op : ops)
    total += getWork(op).flops;
  SmallVector<int64_t> sizes = getSizes();
  DenseSet<unsigned> tried;
  while (true) {
    std::optional<Trial> best;
    size_t count = 0;
    for (unsigned argument : parameters) {
      if (tried.contains(argument) || ++count > maxParameters)
        continue;
      auto type = cast<RankedTensorType>(block.getArgument(argument).getType());
      for (int64_t dim = 0; dim < type.getRank(); ++dim)
        for (auto [form, units] : getForms(dim, type.getDimSize(dim), sizes)) {
          if (units < 2)
            continue;
          Trial trial = run(argument, form, units);
          if (trial.score > 0 && (!best || trial.score > best->score))
            best = std::move(trial);
        }
    }
    if (!best)
      break;
    for (auto &[argument, form] : best->group.arguments)
      tried.insert(argument);
    for (Operation *op : best->local)
      included.erase(op);
    llvm::erase_if(ops, [&](Operation *op) { return !included.contains(op); });
    for (auto &[argument, form] : best->group.arguments)
      localArguments.erase(argument);
    split.divided += total == 0 ? 0 : double(best->work) / double(total);
    split.forward.fixed += best->forward.fixed;
    split.forward.perSample += best->forward.perSample;
    split.backward.fixed += best->backward.fixed;
    split.backward.perSample += best->backward.perSample;
    split.groups.push_back(std::move(best->group));
  }
  if (split.divided < leastDivided)
    return TensorSplit();
  return split;
}

std::vector<TensorSplit> hetero::findTensorSplits(func::FuncOp step,
                                                  const FormAnalysis &batch,
                                                  const StepLayers &layers) {
  std::vector<TensorSplit> splits;
  for (int64_t layer = 0; layer < layers.numLayers; ++layer)
    splits.push_back(SplitFinder(step, batch, layers, layer).find());
  return splits;
}
