//===- Even.cpp - Pipelines as if all devices were alike ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What people do with Megatron: all devices in the order of their ranks, in
// p stages of d rows of t columns with p d t devices in all, repeated layers
// and samples divided evenly, and p, t and the microbatches tuned. Choices are
// ranked by
//
//   sum_i (t_i + 2 k_i) + (M - 1) max_i (t_i, k_i) + max_i r_i
//
// with t forward and backward of the slowest device of a stage, k a crossing
// and r the sum of its gradients; the best of those that fit are evaluated.

#include "hetero/Planner/Baselines/Even.h"
#include "hetero/Planner/Model/Microbatches.h"
#include "hetero/Planner/Model/PlanBuilder.h"
#include "hetero/Planner/Problem/UsableDevices.h"
#include "llvm/ADT/STLExtras.h"
#include <numeric>
#include <set>

using namespace llvm;
using namespace hetero;
using namespace hetero::planner;
using hetero::cluster::Cluster;

/// More microbatches than these are not tried: they only add overhead.
static constexpr int64_t maxCount = 512;
/// For each plan that may be evaluated, up to this number of choices is built
/// to find one that fits: the ranking does not know memory.
static constexpr int64_t triesPerCandidate = 8;

namespace {
struct EvenChoice {
  int64_t tensor = 1, stages = 1;
  std::vector<int64_t> microbatches;
  double estimate = 0;
};

class EvenSearch {
public:
  EvenSearch(const PlanBuilder &builder, ArrayRef<int64_t> devices)
      : builder(builder), model(builder.model), problem(model.problem),
        devices(devices) {}

  void run(Selection &selection) const;

private:
  std::vector<int64_t> tensorDegrees() const;
  std::vector<EvenChoice> listChoices() const;
  std::vector<StageChoice> makeStages(const EvenChoice &choice) const;
  double estimate(const EvenChoice &choice) const;
  bool add(const EvenChoice &choice, bool force, Selection &selection) const;

  const PlanBuilder &builder;
  const StageModel &model;
  const Problem &problem;
  ArrayRef<int64_t> devices;
};
} // namespace

/// The degrees that all layers and all nodes can be divided by.
std::vector<int64_t> EvenSearch::tensorDegrees() const {
  std::map<int64_t, int64_t> perNode;
  for (int64_t device : devices)
    ++perNode[model.cluster.devices[device].node];
  std::vector<int64_t> degrees = {1};
  for (int64_t degree : problem.layers.front().tensorDegrees) {
    bool possible = builder.options.tensorParallel && degree > 1 &&
                    all_of(problem.layers, [&](const Layer &layer) {
                      return is_contained(layer.tensorDegrees, degree);
                    });
    for (auto [node, count] : perNode)
      possible &= count % degree == 0;
    if (possible && !is_contained(degrees, degree))
      degrees.push_back(degree);
  }
  return degrees;
}

/// The layers of each stage: of the layers that are repeated most, each stage
/// has the same number, and the others stay with those before them.
static std::vector<LayerRun> divideLayers(const Problem &problem,
                                          int64_t stages) {
  int64_t numLayers = problem.layers.size();
  std::map<int64_t, std::vector<int64_t>> repeated;
  for (int64_t layer = 0; layer < numLayers; ++layer) {
    int64_t origin = layer;
    while (problem.layers[origin].like)
      origin = *problem.layers[origin].like;
    repeated[origin].push_back(layer);
  }
  std::vector<int64_t> blocks;
  for (const auto &[origin, layers] : repeated)
    if (layers.size() > blocks.size())
      blocks = layers;
  if (int64_t(blocks.size()) < stages) {
    blocks.resize(numLayers);
    std::iota(blocks.begin(), blocks.end(), 0);
  }
  std::vector<LayerRun> runs;
  int64_t number = blocks.size();
  for (int64_t stage = 0; stage < stages; ++stage) {
    int64_t first = stage == 0 ? 0 : blocks[number * stage / stages];
    if (stage > 0)
      runs.back().last = first - 1;
    runs.push_back({first, numLayers - 1});
  }
  return runs;
}

std::vector<StageChoice>
EvenSearch::makeStages(const EvenChoice &choice) const {
  std::vector<StageChoice> stages;
  int64_t size = int64_t(devices.size()) / choice.stages;
  for (auto [index, run] : enumerate(divideLayers(problem, choice.stages))) {
    StageChoice &stage = stages.emplace_back();
    stage.layers = run;
    stage.devices = devices.slice(int64_t(index) * size, size).vec();
    stage.tensor = choice.tensor;
  }
  return stages;
}

double EvenSearch::estimate(const EvenChoice &choice) const {
  const Cluster &cluster = model.cluster;
  std::vector<StageChoice> stages = makeStages(choice);
  int64_t rows = int64_t(stages.front().devices.size()) / choice.tensor;
  int64_t samples = (choice.microbatches.front() + rows - 1) / rows;
  double sum = 0, slowest = 0, reduce = 0;
  for (auto [index, stage] : enumerate(stages)) {
    std::set<int64_t> classes;
    for (int64_t device : stage.devices)
      classes.insert(cluster.devices[device].deviceClass);
    double time = 0;
    for (int64_t deviceClass : classes)
      time =
          std::max(time, model.layerTimes(deviceClass, choice.tensor, samples)
                             .sums.bothSeconds.of(stage.layers));
    double crossing = 0;
    if (index + 1 < stages.size())
      crossing = toSeconds(cost::transferTime(
          cluster.pathBetween(stage.devices.back(),
                              stages[index + 1].devices.front()),
          problem.layers[stage.layers.last].output.at(
              choice.microbatches.front())));
    sum += time + 2 * crossing;
    slowest = std::max({slowest, time, crossing});
    std::vector<int64_t> column;
    for (size_t i = 0; i < stage.devices.size(); i += choice.tensor)
      column.push_back(stage.devices[i]);
    if (rows > 1)
      reduce = std::max(
          reduce,
          toSeconds(
              cost::chooseAllReduce(
                  cost::makeGroup(cluster, column, /*alike=*/choice.tensor),
                  model.columnState({stage.layers}, choice.tensor).gradients)
                  .time));
  }
  return sum + double(choice.microbatches.size() - 1) * slowest + reduce;
}

std::vector<EvenChoice> EvenSearch::listChoices() const {
  int64_t number = devices.size(), numLayers = problem.layers.size();
  int64_t maxStages =
      std::min(numLayers, problem.constraints.maxStages.value_or(numLayers));
  bool given = !problem.constraints.microbatches.empty();
  std::vector<EvenChoice> choices;
  for (ArrayRef<int64_t> microbatches : microbatchOptions(problem)) {
    int64_t count = microbatches.size(), size = microbatches.front();
    // All the same, if that is not up to us to break.
    if (!given && count > 1 && (count > maxCount || problem.batch % count != 0))
      continue;
    for (int64_t tensor : tensorDegrees())
      for (int64_t stages = 1; stages <= maxStages; ++stages) {
        int64_t columns = number / tensor;
        if (columns % stages != 0 || (size < columns / stages && count > 1))
          continue;
        EvenChoice choice = {tensor, stages, microbatches.vec(), 0};
        choice.estimate = estimate(choice);
        choices.push_back(std::move(choice));
      }
  }
  stable_sort(choices, [](const EvenChoice &left, const EvenChoice &right) {
    return left.estimate < right.estimate;
  });
  return choices;
}

/// Adds the plan of a choice with the first way to hold state that fits;
/// returns whether there is one. With `force`, also the last one if none fits.
bool EvenSearch::add(const EvenChoice &choice, bool force,
                     Selection &selection) const {
  std::vector<StageChoice> stages = makeStages(choice);
  for (bool recompute : {false, true}) {
    if (recompute && !builder.options.recompute)
      break;
    for (StateMode mode : builder.options.stateModes) {
      for (StageChoice &stage : stages) {
        stage.state = mode;
        stage.recompute = recompute;
      }
      Plan plan = builder.draft(choice.microbatches, stages, Division::Even);
      if (is_contained(builder.findLimits(plan, Division::Even), 0))
        continue;
      selection.add(builder.build(choice.microbatches, stages, Division::Even));
      return true;
    }
  }
  if (force)
    selection.add(builder.build(choice.microbatches, stages, Division::Even));
  return false;
}

void EvenSearch::run(Selection &selection) const {
  int64_t left = std::max<int64_t>(1, builder.options.candidates);
  std::vector<EvenChoice> choices = listChoices();
  for (const EvenChoice &choice :
       ArrayRef(choices).take_front(left * triesPerCandidate))
    if (left > 0 && add(choice, /*force=*/false, selection))
      --left;
  // What needs least memory is the most that even plans can do.
  if (!selection.found() && !choices.empty()) {
    auto least = llvm::max_element(choices, [](const EvenChoice &left,
                                               const EvenChoice &right) {
      return std::tuple(left.stages * left.tensor, left.microbatches.size()) <
             std::tuple(right.stages * right.tensor, right.microbatches.size());
    });
    add(*least, /*force=*/true, selection);
  }
}

/// The best plan on one of the groups of devices that may be used.
static Expected<Plan>
planOnGroups(StringRef name, const Problem &problem, const Cluster &cluster,
             const PlannerOptions &options,
             function_ref<int64_t(const cluster::Device &)> groupOf) {
  if (Error error = check(problem, cluster))
    return error;
  Expected<std::vector<int64_t>> devices = requireDevices(problem, cluster);
  if (!devices)
    return devices.takeError();
  if (!problem.constraints.pins.empty())
    return createStringError(
        "the planner '" + name + "' divides layers evenly, but layer " +
        Twine(problem.constraints.pins.front().layer) + " is pinned");
  std::map<int64_t, std::vector<int64_t>> groups;
  for (int64_t device : *devices)
    groups[groupOf(cluster.devices[device])].push_back(device);
  PlanBuilder builder(problem, cluster, options);
  Selection selection;
  for (const auto &[number, members] : groups)
    EvenSearch(builder, members).run(selection);
  return selection.take(name, builder.model);
}

Expected<Plan> hetero::planner::planEven(const Problem &problem,
                                         const Cluster &cluster,
                                         const PlannerOptions &options) {
  return planOnGroups("even", problem, cluster, options,
                      [](const cluster::Device &) { return 0; });
}

Expected<Plan> hetero::planner::planFastOnly(const Problem &problem,
                                             const Cluster &cluster,
                                             const PlannerOptions &options) {
  return planOnGroups(
      "fast-only", problem, cluster, options,
      [](const cluster::Device &device) { return device.deviceClass; });
}
