//===- StepProblem.cpp - What a planner is told about a step --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Analysis/StepProblem.h"
#include "hetero/Analysis/Roles.h"
#include "hetero/Analysis/StepGraph.h"
#include "hetero/Analysis/Summary.h"
#include "hetero/Dialect/Hetero/Hetero.h"
#include "hetero/Dialect/Stablehlo.h"
#include "llvm/ADT/SetVector.h"
#include <map>

using namespace mlir;
using namespace hetero;

namespace {
class ProblemBuilder {
public:
  ProblemBuilder(func::FuncOp step, const FormAnalysis &forms,
                 const StepLayers &layers, const StepGraph &graph)
      : step(step), block(step.getBody().front()), forms(forms), layers(layers),
        graph(graph), batch(forms.getAxis().units) {}

  planner::Problem build();

private:
  Affine<Bytes> getNeeded(Operation *op);
  Bytes getFixedTraffic(Operation *op, const planner::GraphOp &cost);
  void addCosts();
  void addWorkspace(Operation *op, const StepLayers::Place &place);
  void addValue(Value value, const StepLayers::Place &made);
  void addTie(llvm::SmallSetVector<int64_t, 4> users, Bytes parameters,
              Bytes gradients);
  void addInput(BlockArgument argument);
  void addState();
  void readTable(LayerTableOp table);

  template <typename Amount>
  void add(Affine<Amount> &sum, uint64_t amount, bool perSample) {
    int64_t count = std::min<uint64_t>(amount, INT64_MAX);
    if (perSample)
      sum.perSample += Amount((count + batch - 1) / batch);
    else
      sum.fixed += Amount(count);
  }

  func::FuncOp step;
  Block &block;
  const FormAnalysis &forms;
  const StepLayers &layers;
  const StepGraph &graph;
  int64_t batch;
  planner::Problem problem;
  /// By the layers that share something.
  std::map<std::vector<int64_t>, planner::Tie> ties;
};
} // namespace

/// The bytes of what has to be there for an operation and is neither an
/// argument nor a gradient, which are counted as such.
Affine<Bytes> ProblemBuilder::getNeeded(Operation *op) {
  Affine<Bytes> needed;
  llvm::SmallPtrSet<void *, 8> seen;
  for (Value value : llvm::concat<Value>(llvm::to_vector(op->getOperands()),
                                         llvm::to_vector(op->getResults()))) {
    bool isCounted =
        !value.getDefiningOp() || llvm::any_of(value.getUsers(), [&](auto *u) {
          auto it = layers.ofOp.find(block.findAncestorOpInBlock(*u));
          return it != layers.ofOp.end() && it->second.phase == Phase::Update;
        });
    if (!isCounted && seen.insert(value.getAsOpaquePointer()).second)
      add(needed, getNumBytes(value.getType()), forms.getForm(value).isSplit());
  }
  add(needed, getInnerBytes(op), forms.isLocal(op));
  return needed;
}

/// Operations whose efficiency is about the same are in one group: products
/// whose work differs by less than a factor of eight, and all that does little
/// more than read and write.
static int getGroup(Operation *op, const planner::GraphOp &cost) {
  auto hasProduct = [](Operation *inner) {
    return isa<stablehlo::DotGeneralOp, stablehlo::ConvolutionOp>(inner)
               ? WalkResult::interrupt()
               : WalkResult::advance();
  };
  bool isProduct = op->walk(hasProduct).wasInterrupted();
  int64_t work = 0;
  for (const auto &[type, amount] : cost.work)
    work = std::max(work, amount.count());
  return isProduct && work > 0 ? int(llvm::Log2_64(work) / 3) : -1;
}

/// What of the traffic of an operation is the same for any number of samples:
/// that of parameters, and of their gradients.
Bytes ProblemBuilder::getFixedTraffic(Operation *op,
                                      const planner::GraphOp &cost) {
  Bytes fixed(0);
  llvm::SmallDenseSet<int64_t, 8> seen;
  auto addAll = [&](auto values, llvm::ArrayRef<int64_t> tensors) {
    for (auto [value, tensor] : llvm::zip(values, tensors))
      if (tensor != planner::GraphOp::anyForm && seen.insert(tensor).second &&
          !forms.getForm(value).isSplit())
        fixed += graph.graph.tensors[tensor].bytes;
  };
  addAll(op->getOperands(), cost.operands);
  addAll(op->getResults(), cost.results);
  return std::min(fixed, cost.bytes);
}

/// As in the graph of the step, so that whoever divides single operations
/// counts on the same times.
void ProblemBuilder::addCosts() {
  using Groups = std::map<int, planner::Cost, std::greater<>>;
  std::map<std::pair<int64_t, Phase>, Groups> costs;
  for (auto [op, cost] :
       llvm::zip_equal(graph.operations, graph.graph.operations)) {
    auto it = layers.ofOp.find(op);
    bool isFree = cost.work.empty() && cost.bytes == Bytes(0);
    if (it == layers.ofOp.end() || isFree)
      continue;
    auto [entry, isNew] =
        costs[{it->second.layer, it->second.phase}].try_emplace(
            getGroup(op, cost));
    planner::Cost &group = entry->second;
    if (isNew)
      group.operations = 0;
    bool local = forms.isLocal(op);
    for (const auto &[type, work] : cost.work)
      add(group.work[type], work.count(), local);
    Bytes fixed = local ? getFixedTraffic(op, cost) : cost.bytes;
    group.bytes.fixed += fixed;
    add(group.bytes, (cost.bytes - fixed).count(), true);
    group.operations += cost.fused ? 0 : 1;
  }
  for (auto &[place, groups] : costs) {
    planner::Layer &layer = problem.layers[place.first];
    planner::Cost &cost = place.second == Phase::Forward  ? layer.forward
                          : place.second == Phase::Update ? layer.update
                                                          : layer.backward;
    for (auto &[number, group] : groups)
      if (&group == &groups.begin()->second)
        cost = std::move(group);
      else
        cost.others.push_back(std::move(group));
  }
}

/// Makes room for what the operation needs while it is done.
void ProblemBuilder::addWorkspace(Operation *op,
                                  const StepLayers::Place &place) {
  if (place.phase == Phase::Update)
    return;
  planner::Layer &layer = problem.layers[place.layer];
  Affine<Bytes> needed = getNeeded(op);
  if (layer.workspace.at(batch) < needed.at(batch))
    layer.workspace = needed;
}

/// What a value keeps alive, and what it carries from layer to layer.
void ProblemBuilder::addValue(Value value, const StepLayers::Place &made) {
  uint64_t bytes = getNumBytes(value.getType());
  Form form = forms.getForm(value);
  bool local = !form.isReplicated();
  int64_t furthest = made.layer;
  llvm::SmallSetVector<int64_t, 4> users; // And the layer that makes it.
  users.insert(made.layer);
  bool saved = false;
  for (Operation *user : value.getUsers()) {
    auto it = layers.ofOp.find(block.findAncestorOpInBlock(*user));
    if (it == layers.ofOp.end())
      continue;
    const StepLayers::Place &used = it->second;
    if (made.phase == Phase::Forward && used.phase == Phase::Forward)
      furthest = std::max(furthest, used.layer);
    if (made.phase == Phase::Backward && used.phase == Phase::Backward)
      furthest = std::min(furthest, used.layer);
    if (made.phase == used.phase)
      users.insert(used.layer);
    saved |= made.phase == Phase::Forward && used.phase == Phase::Backward;
  }
  if (saved)
    add(problem.layers[made.layer].saved, bytes, local);
  // What is the same for all samples, and what is summed over them (the
  // gradient of a table that several layers use), goes to another stage once
  // for a step. Scalars and keys cost nothing.
  constexpr uint64_t smallBytes = 64;
  bool once = made.phase == Phase::Forward ? !local : form.isPartial();
  if (once && bytes > smallBytes) {
    Bytes shared(std::min<uint64_t>(bytes, INT64_MAX));
    bool isForward = made.phase == Phase::Forward;
    return addTie(std::move(users), isForward ? shared : Bytes(0),
                  isForward ? Bytes(0) : shared);
  }
  for (int64_t layer = made.layer; layer < furthest; ++layer)
    add(problem.layers[layer].output, bytes, local);
  for (int64_t layer = furthest; layer < made.layer; ++layer)
    add(problem.layers[layer].outputGradient, bytes, local);
}

/// Notes that layers share what has so many bytes, if they are several.
void ProblemBuilder::addTie(llvm::SmallSetVector<int64_t, 4> users,
                            Bytes parameters, Bytes gradients) {
  if (users.size() < 2)
    return;
  std::vector<int64_t> shared(users.begin(), users.end());
  llvm::sort(shared);
  planner::Tie &tie = ties[shared];
  tie.layers = shared;
  tie.parameters += parameters;
  tie.gradients += gradients;
}

/// An argument with a part for each sample.
void ProblemBuilder::addInput(BlockArgument argument) {
  planner::Input input;
  for (Operation *user : argument.getUsers()) {
    auto it = layers.ofOp.find(block.findAncestorOpInBlock(*user));
    if (it != layers.ofOp.end() &&
        !llvm::is_contained(input.layers, it->second.layer))
      input.layers.push_back(it->second.layer);
  }
  llvm::sort(input.layers);
  int64_t bytes = getNumBytes(argument.getType());
  input.sample = Bytes((bytes + batch - 1) / batch);
  if (!input.layers.empty() && forms.getForm(argument).isSplit())
    problem.inputs.push_back(std::move(input));
}

void ProblemBuilder::addState() {
  StepRoles roles = getRoles(step);
  for (BlockArgument argument : block.getArguments()) {
    RoleAttr role = roles.arguments[argument.getArgNumber()];
    Bytes bytes(getNumBytes(argument.getType()));
    planner::Layer &layer =
        problem.layers[layers.ofArgument[argument.getArgNumber()]];
    if (role && role.getKind() == RoleKind::Batch)
      addInput(argument);
    if (!role || !role.isState())
      continue;
    if (role.getKind() != RoleKind::Parameter) {
      layer.optimizerState += bytes;
      continue;
    }
    layer.parameters += bytes;
    layer.gradients += bytes;
    llvm::SmallSetVector<int64_t, 4> users;
    for (Operation *user : argument.getUsers())
      if (auto it = layers.ofOp.find(block.findAncestorOpInBlock(*user));
          it != layers.ofOp.end() && it->second.phase == Phase::Forward)
        users.insert(it->second.layer);
    addTie(std::move(users), bytes, Bytes(0));
  }
}

planner::Problem ProblemBuilder::build() {
  problem.batch = batch;
  problem.constraints.maxMicrobatches = batch;
  problem.layers.resize(layers.numLayers);
  for (auto [index, layer] : llvm::enumerate(problem.layers)) {
    layer.name = index < layers.names.size() ? layers.names[index]
                                             : "layer_" + std::to_string(index);
    layer.forward.operations = layer.backward.operations =
        layer.update.operations = 0;
  }
  for (Operation &op : block) {
    auto it = layers.ofOp.find(&op);
    if (it == layers.ofOp.end())
      continue;
    addWorkspace(&op, it->second);
    for (Value result : op.getResults())
      addValue(result, it->second);
  }
  addCosts();
  addState();
  for (auto &[users, tie] : ties)
    problem.ties.push_back(std::move(tie));
  auto module = step->getParentOfType<ModuleOp>();
  for (LayerTableOp table : module.getOps<LayerTableOp>())
    readTable(table);
  return std::move(problem);
}

static planner::MeasuredTimes getTimes(LayerTimesAttr attr) {
  planner::MeasuredTimes times;
  for (auto [samples, forward, backward] : llvm::zip_equal(
           attr.getSamples(), attr.getForward(), attr.getBackward()))
    times.points.push_back({samples, Time(forward), Time(backward)});
  return times;
}

void hetero::linkEqualLayers(ArrayRef<int64_t> kinds,
                             planner::Problem &problem) {
  std::map<int64_t, SmallVector<int64_t>> firsts;
  for (auto [index, layer] : llvm::enumerate(problem.layers)) {
    SmallVector<int64_t> &known = firsts[kinds[index]];
    auto *like = llvm::find_if(known, [&](int64_t first) {
      return problem.layers[first].costs() == problem.layers[index].costs();
    });
    if (like == known.end()) {
      known.push_back(index);
      layer.like.reset();
    } else {
      layer.like = *like;
    }
  }
}

/// Takes over what the table knows and the operations do not: names, which
/// layers are alike, and times that were measured, of the layer or of the one
/// that it is like.
void ProblemBuilder::readTable(LayerTableOp table) {
  auto ops = llvm::to_vector(table.getBody().getOps<LayerOp>());
  SmallVector<int64_t> kinds =
      llvm::to_vector(llvm::seq<int64_t>(0, problem.layers.size()));
  for (auto [layer, op, kind] : llvm::zip(problem.layers, ops, kinds)) {
    layer.name = op.getName().str();
    kind = op.getLike().value_or(kind);
    DictionaryAttr measured = op.getMeasuredAttr();
    if (!measured && op.getLike())
      measured = ops[*op.getLike()].getMeasuredAttr();
    if (measured)
      for (NamedAttribute entry : measured)
        layer.measured[entry.getName().str()] =
            getTimes(cast<LayerTimesAttr>(entry.getValue()));
  }
  linkEqualLayers(kinds, problem);
}

planner::Problem hetero::getProblem(func::FuncOp step,
                                    const FormAnalysis &forms,
                                    const StepLayers &layers,
                                    const StepGraph &graph) {
  return ProblemBuilder(step, forms, layers, graph).build();
}

void hetero::addTensorSplits(const TensorSplits &splits, int64_t largest,
                             planner::Problem &problem) {
  SmallVector<int64_t> kinds;
  for (auto [index, layer] : llvm::enumerate(problem.layers)) {
    kinds.push_back(layer.like.value_or(index));
    layer.tensorDegrees = splits.getDegrees(index, largest);
    layer.tensorForward = splits.layers[index].forward;
    layer.tensorBackward = splits.layers[index].backward;
  }
  linkEqualLayers(kinds, problem);
}

void hetero::allowTensorDegree(int64_t degree, planner::Layer &layer) {
  if (degree < 2 || llvm::is_contained(layer.tensorDegrees, degree))
    return;
  layer.tensorDegrees.push_back(degree);
  llvm::sort(layer.tensorDegrees);
}
