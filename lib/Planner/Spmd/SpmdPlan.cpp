//===- SpmdPlan.cpp - Plans of one stage from SPMD programs ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Planner/Spmd/SpmdPlan.h"
#include "hetero/Planner/Baselines/OneStage.h"
#include "hetero/Planner/Model/Microbatches.h"
#include "hetero/Planner/Model/PlanBuilder.h"
#include "hetero/Planner/Spmd/DeviceSets.h"
#include "hetero/Planner/Spmd/HapSearch.h"
#include "hetero/Planner/Spmd/SpmdCost.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>

using namespace llvm;
using namespace hetero;
using namespace hetero::planner;
using hetero::cluster::Cluster;

//===----------------------------------------------------------------------===//
// Layers as operations
//===----------------------------------------------------------------------===//

namespace {
/// Each layer is a forward, a backward and an update, on tensors with one
/// dimension: samples, or elements of the parameters. Layers are not divided
/// along a model dimension.
class LayerGraph {
public:
  explicit LayerGraph(const Problem &problem) : problem(problem) {
    graph.batch = problem.batch;
  }
  Graph build();

private:
  int64_t addTensor(std::string name, int64_t size, Bytes bytes);
  void addOp(std::string name, const Layer &layer, const Cost &cost,
             bool forward, GraphOp op);

  const Problem &problem;
  Graph graph;
};
} // namespace

int64_t LayerGraph::addTensor(std::string name, int64_t size, Bytes bytes) {
  graph.tensors.push_back({std::move(name), {size}, bytes});
  return graph.tensors.size() - 1;
}

/// Adds the operation for what grows with the samples, and one that cannot be
/// divided for what does not.
void LayerGraph::addOp(std::string name, const Layer &layer, const Cost &cost,
                       bool forward, GraphOp op) {
  op.name = std::move(name);
  GraphOp fixed;
  fixed.name = op.name + " (fixed)";
  forEachGroup(cost, [&](const Cost &group) {
    for (const auto &[type, work] : group.work) {
      if (work.perSample != Work(0))
        op.work[type] += work.perSample * problem.batch;
      if (work.fixed != Work(0))
        fixed.work[type] += work.fixed;
    }
    op.bytes += group.bytes.perSample * problem.batch;
    fixed.bytes += group.bytes.fixed;
  });
  for (const auto &[deviceClass, measured] : layer.measured) {
    auto [forwardTime, backwardTime] = measured.at(problem.batch);
    op.times[deviceClass] = forward ? forwardTime : backwardTime;
    fixed.times[deviceClass] = Time(0);
  }
  graph.operations.push_back(std::move(op));
  if (!fixed.work.empty() || fixed.bytes != Bytes(0))
    graph.operations.push_back(std::move(fixed));
}

Graph LayerGraph::build() {
  std::optional<ReductionKind> none;
  std::vector<int64_t> parameters, saved;
  graph.arguments.push_back({addTensor("batch", problem.batch, Bytes(0)),
                             ArgumentRole::Batch, std::nullopt});
  int64_t at = 0;
  for (const Layer &layer : problem.layers) {
    int64_t elements = std::max<int64_t>(1, layer.parameters.count() / 4);
    parameters.push_back(
        addTensor(layer.name + ".parameters", elements, layer.parameters));
    graph.arguments.push_back(
        {parameters.back(), ArgumentRole::Parameter, std::nullopt});
    int64_t output = addTensor(layer.name + ".output", problem.batch,
                               layer.output.at(problem.batch));
    saved.push_back(addTensor(layer.name + ".saved", problem.batch,
                              layer.saved.at(problem.batch)));
    GraphOp op;
    op.operands = {at, parameters.back()};
    op.results = {output, saved.back()};
    op.loops = {none};
    op.operandLoops = {{0}, {GraphOp::whole}};
    op.resultLoops = {{0}, {0}};
    addOp(layer.name + ".forward", layer, layer.forward, true, std::move(op));
    at = output;
  }
  for (int64_t index = int64_t(problem.layers.size()) - 1; index >= 0;
       --index) {
    const Layer &layer = problem.layers[index];
    int64_t elements = graph.tensors[parameters[index]].dims[0];
    int64_t input = addTensor(
        layer.name + ".inputGradient", problem.batch,
        index > 0 ? problem.layers[index - 1].outputGradient.at(problem.batch)
                  : Bytes(0));
    int64_t gradient =
        addTensor(layer.name + ".gradient", elements, layer.gradients);
    GraphOp op;
    op.operands = {at, saved[index], parameters[index]};
    op.results = {input, gradient};
    op.loops = {ReductionKind::Sum};
    op.operandLoops = {{0}, {0}, {GraphOp::whole}};
    op.resultLoops = {{0}, {GraphOp::whole}};
    addOp(layer.name + ".backward", layer, layer.backward, false,
          std::move(op));
    at = input;
    int64_t optimizer =
        addTensor(layer.name + ".optimizer", elements, layer.optimizerState);
    graph.arguments.push_back(
        {optimizer, ArgumentRole::OptimizerState, std::nullopt});
    int64_t next = addTensor(layer.name + ".next", elements, layer.parameters);
    int64_t nextOptimizer = addTensor(layer.name + ".nextOptimizer", elements,
                                      layer.optimizerState);
    GraphOp update;
    update.name = layer.name + ".update";
    update.operands = {parameters[index], optimizer, gradient};
    update.results = {next, nextOptimizer};
    update.loops = {none};
    update.operandLoops = {{0}, {0}, {0}};
    update.resultLoops = {{0}, {0}};
    for (const auto &[type, work] : layer.update.work)
      update.work[type] = work.fixed;
    update.bytes = layer.update.bytes.fixed;
    graph.operations.push_back(std::move(update));
    graph.arguments[1 + index].updatedBy = next;
    graph.arguments.back().updatedBy = nextOptimizer;
  }
  return std::move(graph);
}

//===----------------------------------------------------------------------===//
// Programs as plans
//===----------------------------------------------------------------------===//

/// All layers on the devices that get a sample of some microbatch.
static Stage makeStage(const Problem &problem, const Plan &plan,
                       ArrayRef<int64_t> devices, ArrayRef<double> shares) {
  Stage stage;
  stage.layers = {{0, int64_t(problem.layers.size()) - 1}};
  // Not divided yet.
  stage.inFlight = 0;
  std::vector<std::vector<int64_t>> all;
  for (int64_t size : plan.distinctMicrobatches())
    all.push_back(divideUnits(size, shares));
  stage.samples.resize(all.size());
  for (auto [member, device] : enumerate(devices)) {
    bool idle = true;
    for (ArrayRef<int64_t> samples : all)
      idle &= samples[member] == 0;
    if (idle)
      continue;
    for (auto [samples, from] : zip_equal(stage.samples, all))
      samples.push_back(from[member]);
    stage.mesh.devices.push_back(device);
    stage.shares.emplace_back().device = device;
  }
  stage.mesh.data = stage.mesh.devices.size();
  return stage;
}

/// Adds plans of one stage that divides samples by the shares of a program,
/// with the given ways to hold state.
static void addPlans(const Problem &problem, const PlanBuilder &builder,
                     ArrayRef<std::vector<int64_t>> microbatchLists,
                     ArrayRef<StateMode> modes, ArrayRef<int64_t> devices,
                     ArrayRef<double> shares, Selection &selection) {
  // In one stage microbatches only help memory: once a plan fits, more of them
  // soon stop to pay.
  constexpr int patience = 3;
  int worse = 0;
  for (ArrayRef<int64_t> microbatches : microbatchLists) {
    bool improved = false;
    for (StateMode mode : modes) {
      Plan plan;
      plan.batch = problem.batch;
      plan.microbatches = microbatches.vec();
      Stage stage = makeStage(problem, plan, devices, shares);
      stage.state = mode;
      plan.stages.push_back(std::move(stage));
      builder.setInFlight(plan, {1}, Division::Proportional);
      improved |= selection.add(builder.complete(std::move(plan)));
    }
    worse = improved || !selection.found() ? 0 : worse + 1;
    if (worse > patience)
      return;
  }
}

/// From half to twice as many microbatches as the best plan has.
static std::vector<std::vector<int64_t>>
getLike(ArrayRef<std::vector<int64_t>> lists, size_t count) {
  std::vector<std::vector<int64_t>> like;
  copy_if(lists, std::back_inserter(like), [&](ArrayRef<int64_t> list) {
    return list.size() * 2 >= count && list.size() <= count * 2;
  });
  return like;
}

using Synthesizer =
    function_ref<Expected<SpmdSolution>(const Graph &, ArrayRef<int64_t>)>;

/// Plans of one stage for the programs that `synthesizer` makes.
static Expected<Plan> planOneStage(StringRef name, const Problem &problem,
                                   const Cluster &cluster,
                                   const PlannerOptions &options,
                                   Synthesizer synthesizer) {
  Expected<std::vector<int64_t>> devices =
      devicesForOneStage(name, problem, cluster);
  if (!devices)
    return devices.takeError();
  Graph made;
  if (!options.graph)
    made = LayerGraph(problem).build();
  const Graph &graph = options.graph ? *options.graph : made;
  PlanBuilder builder(problem, cluster, options);
  Selection selection;
  std::vector<std::vector<int64_t>> sets = {*devices};
  // What was published uses all devices.
  if (!options.asReleased)
    sets = getDeviceSets(graph, cluster, *devices);
  OperationKinds operations(graph);
  std::vector<std::vector<int64_t>> lists = microbatchOptions(problem);
  for (ArrayRef<int64_t> set : sets) {
    if (selection.found() && computeWorkBound(operations, cluster, set) >=
                                 toSeconds(selection.get()->plan.predicted))
      continue;
    Expected<SpmdSolution> solution = synthesizer(graph, set);
    if (!solution)
      return solution.takeError();
    addPlans(problem, builder, lists, options.stateModes, set,
             solution->shares.front(), selection);
    if (options.asReleased || !selection.found())
      continue;
    // Shares that are best for all samples at once may not be for the few of a
    // microbatch.
    std::vector<double> even(set.size(), 1.0 / double(set.size()));
    for (const std::vector<double> &shares :
         {getSpeedShares(operations, cluster, set), even}) {
      const Plan &best = selection.get()->plan;
      addPlans(problem, builder, getLike(lists, best.microbatches.size()),
               {best.stages[0].state}, set, shares, selection);
    }
  }
  return selection.take(name, builder.model);
}

/// Whether what is saved for all samples at once could fit, however it is
/// divided.
static bool mayFitAtOnce(const Problem &problem, const Cluster &cluster,
                         ArrayRef<int64_t> devices) {
  Bytes saved, usable;
  for (const Layer &layer : problem.layers)
    saved += layer.saved.at(problem.batch);
  for (int64_t device : devices)
    usable += cluster.classOf(device).usableMemory();
  return saved <= usable;
}

/// The best program that fits into memory, or else the best one: with
/// microbatches less is needed than the graph says.
static Expected<SpmdSolution> synthesizeFitting(const Problem &problem,
                                                const Graph &graph,
                                                const Cluster &cluster,
                                                ArrayRef<int64_t> devices) {
  SpmdOptions options;
  options.maxSegments = 1;
  if (mayFitAtOnce(problem, cluster, devices))
    if (auto solution =
            expectedToOptional(synthesize(graph, cluster, devices, options)))
      return std::move(*solution);
  options.memory = false;
  return synthesize(graph, cluster, devices, options);
}

Expected<Plan> hetero::planner::planSpmd(const Problem &problem,
                                         const Cluster &cluster,
                                         const PlannerOptions &options) {
  return planOneStage("spmd", problem, cluster, options,
                      [&](const Graph &graph, ArrayRef<int64_t> devices) {
                        return synthesizeFitting(problem, graph, cluster,
                                                 devices);
                      });
}

Expected<Plan> hetero::planner::planHap(const Problem &problem,
                                        const Cluster &cluster,
                                        const PlannerOptions &options) {
  Deadline deadline(options.timeBudget);
  return planOneStage("hap", problem, cluster, options,
                      [&](const Graph &graph, ArrayRef<int64_t> devices) {
                        HapOptions search;
                        search.maxSegments = 1;
                        search.timeBudget = deadline.left();
                        return searchInTurn(graph, cluster, devices, search);
                      });
}
