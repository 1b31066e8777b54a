//===- GroupSearch.cpp - Stages of equal groups of devices ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Planner/Joint/GroupSearch.h"
#include "hetero/Planner/Bounds/ClassNodes.h"
#include "llvm/ADT/STLExtras.h"
#include <numeric>

using namespace llvm;
using namespace hetero;
using namespace hetero::planner;

static constexpr double infinity = std::numeric_limits<double>::infinity();
/// Shapes that give a class more stages are not tried, to have few of them.
static constexpr int64_t mostStages = 32;
/// How many microbatches are taken to be in flight for each stage that is to
/// come: 1f1b has 1, and crossings need some more.
static constexpr double inFlightPerStage = 1.2;
/// The w of GroupSearch.h that are tried, for split and for whole backwards.
static constexpr double waits[] = {1.0, 2.0, 3.5};
/// Bisection ends at this ratio of a time that is enough to one that is not.
static constexpr double closeTimes = 1.005;

namespace {
/// How the stages of a class lie.
struct Shape {
  int64_t nodes = 1, devices = 1, tensor = 1;
  bool recompute = false;
};

/// A stage that was given layers: the one with this number among those of its
/// class in that shape.
struct CoveringStage {
  size_t classIndex = 0;
  const Shape *shape = nullptr;
  int64_t number = 0;
  LayerRun layers;
};

/// Stages that were given layers.
struct Covered {
  int64_t next = 0;
  double start = 0;
  SmallVector<CoveringStage, 64> stages;
};

/// What the search does for one number of microbatches.
class GroupSearch {
public:
  GroupSearch(const PlanBuilder &builder, ArrayRef<ClassNodes> classes,
              ArrayRef<int64_t> sizes);

  /// The smallest time for an order of the classes, and its stages.
  std::pair<double, std::vector<StageChoice>> solve(ArrayRef<size_t> order,
                                                    double wait);

private:
  bool fits(const ClassNodes &nodes, const Shape &shape, int64_t samples,
            int64_t first, int64_t last) const;
  void cover(size_t index, const Shape &shape, double time, Covered &from);
  bool coverAll(ArrayRef<size_t> order, double time, Covered &result);
  StageChoice choiceOf(const CoveringStage &stage) const;

  const StageModel &model;
  ArrayRef<ClassNodes> classes;
  int64_t largest, count, numLayers;
  /// How often a stage waits for the forwards and crossings before it.
  double wait = 1;
  LayerBytes bytes;
  RowSecondsTable rowSeconds;
  /// For each class how its stages may lie.
  std::vector<std::vector<Shape>> shapes;
};
} // namespace

/// All shapes that use all nodes, or nearly.
static std::vector<Shape> findShapes(const Problem &problem, int64_t numNodes,
                                     int64_t perNode, bool recomputes) {
  std::vector<int64_t> degrees = commonDegrees(problem);
  std::vector<Shape> shapes;
  for (int64_t nodes = 1; nodes <= numNodes; ++nodes) {
    // A twentieth of the nodes may be left out.
    if (numNodes % nodes * 20 > numNodes)
      continue;
    for (int64_t devices = 1; devices <= perNode; ++devices) {
      if (perNode % devices != 0 ||
          numNodes / nodes * (perNode / devices) > mostStages)
        continue;
      for (int64_t tensor : degrees)
        if (devices % tensor == 0)
          for (bool recompute : {false, true})
            if (!recompute || recomputes)
              shapes.push_back({nodes, devices, tensor, recompute});
    }
  }
  return shapes;
}

GroupSearch::GroupSearch(const PlanBuilder &builder,
                         ArrayRef<ClassNodes> classes, ArrayRef<int64_t> sizes)
    : model(builder.model), classes(classes), largest(*max_element(sizes)),
      count(sizes.size()), numLayers(model.problem.layers.size()),
      bytes(model.problem), rowSeconds(model) {
  for (const ClassNodes &nodes : classes)
    shapes.push_back(findShapes(model.problem, nodes.nodes.size(),
                                nodes.perNode, builder.options.recompute));
}

/// Whether the memory of a device suffices for the layers with divided
/// optimizer state, if later stages are like this one.
bool GroupSearch::fits(const ClassNodes &nodes, const Shape &shape,
                       int64_t samples, int64_t first, int64_t last) const {
  ColumnState state = bytes.state.of(first, last);
  auto number = [](Bytes amount) { return double(amount.count()); };
  auto later = double(numLayers - first) / double(last - first);
  double inFlight =
      std::min(double(count), std::ceil(inFlightPerStage * later));
  auto parts = double(shape.tensor);
  double kept = shape.recompute ? number(bytes.inputs.of(first, last))
                                : number(bytes.saved.of(first, last)) / parts;
  double held = number(state.parameters) / parts +
                number(state.gradients) / parts * (count > 1 ? 2 : 1) +
                number(state.optimizer) / double(shape.nodes * shape.devices) +
                inFlight * kept * double(samples);
  return held <=
         double(
             model.cluster.classes[nodes.deviceClass].usableMemory().count());
}

/// Adds all stages of a class in a shape, each with as many layers as possible.
void GroupSearch::cover(size_t index, const Shape &shape, double time,
                        Covered &from) {
  const ClassNodes &nodes = classes[index];
  int64_t rows = shape.nodes * shape.devices / shape.tensor;
  int64_t groups = int64_t(nodes.nodes.size()) / shape.nodes;
  int64_t inNode = nodes.perNode / shape.devices;
  if (rows > largest)
    return;
  int64_t samples = (largest + rows - 1) / rows;
  const RowSeconds &table = rowSeconds.find(nodes, shape.tensor, samples);
  auto number = double(count);
  for (int64_t stage = 0; stage < groups * inNode; ++stage) {
    int64_t first = from.next, last = first;
    double forward = 0;
    while (last < numLayers) {
      LayerRun run = {first, last};
      double both = table.both.of(run), here = table.forward.of(run);
      auto gradients = double(bytes.state.of(run).gradients.count());
      if (shape.recompute)
        both += here;
      double once = 0;
      if (shape.nodes > 1)
        once = 2 * (1 - 1 / double(shape.nodes)) * gradients / nodes.out *
               double(inNode);
      else if (rows > 1)
        once = 2 * gradients / double(shape.tensor) / nodes.inside;
      if (from.start + number * both + once > time ||
          !fits(nodes, shape, samples, first, last + 1))
        break;
      forward = here;
      ++last;
    }
    if (last == first)
      break;
    from.stages.push_back({index, &shape, stage, {first, last - 1}});
    from.next = last;
    if (last == numLayers)
      break;
    bool leaves = (stage + 1) % inNode == 0;
    double bytes =
        double(largest) *
        double(model.problem.layers[last - 1].output.perSample.count());
    from.start +=
        wait * (forward + bytes * double(shape.tensor) / double(shape.nodes) /
                              (leaves ? nodes.out : nodes.inside));
  }
}

StageChoice GroupSearch::choiceOf(const CoveringStage &stage) const {
  const ClassNodes &nodes = classes[stage.classIndex];
  const Shape &shape = *stage.shape;
  int64_t inNode = nodes.perNode / shape.devices;
  StageChoice choice;
  choice.layers = stage.layers;
  choice.tensor = shape.tensor;
  choice.recompute = shape.recompute;
  choice.state = shape.nodes * shape.devices > shape.tensor
                     ? StateMode::Optimizer
                     : StateMode::Replicated;
  for (int64_t node = 0; node < shape.nodes; ++node) {
    ArrayRef<int64_t> all =
        nodes.nodes[stage.number / inNode * shape.nodes + node];
    ArrayRef<int64_t> own =
        all.slice(stage.number % inNode * shape.devices, shape.devices);
    append_range(choice.devices, own);
  }
  return choice;
}

bool GroupSearch::coverAll(ArrayRef<size_t> order, double time,
                           Covered &result) {
  result = {};
  for (size_t index : order) {
    Covered best = result, next;
    double most = 0;
    for (const Shape &shape : shapes[index]) {
      next = result;
      cover(index, shape, time, next);
      // The layers that this shape covers, without those that later classes
      // lose because they start later.
      double value =
          double(next.next - result.next) -
          (next.start - result.start) / time * double(numLayers - next.next);
      if (value <= most)
        continue;
      most = value;
      std::swap(best, next);
    }
    result = std::move(best);
    if (result.next == numLayers)
      return true;
  }
  return false;
}

std::pair<double, std::vector<StageChoice>>
GroupSearch::solve(ArrayRef<size_t> order, double given) {
  wait = given;
  Covered best, tried;
  // From a microsecond on, doubled until all layers fit; after 50 times it is
  // longer than a Time can count, so that memory must be what is short.
  double high = 1e-6;
  for (int i = 0; !coverAll(order, high, best); ++i) {
    if (i == 50)
      return {infinity, {}};
    high *= 2;
  }
  double low = high / 2;
  while (high > closeTimes * low) {
    double middle = low + (high - low) / 2;
    if (coverAll(order, middle, tried)) {
      high = middle;
      best = std::move(tried);
    } else {
      low = middle;
    }
  }
  std::vector<StageChoice> stages;
  for (const CoveringStage &stage : best.stages)
    stages.push_back(choiceOf(stage));
  return {high, std::move(stages)};
}

std::vector<GroupDesign>
hetero::planner::sortDesigns(std::vector<GroupDesign> designs) {
  stable_sort(designs, [](const GroupDesign &left, const GroupDesign &right) {
    return left.seconds < right.seconds;
  });
  return designs;
}

std::vector<GroupDesign>
hetero::planner::searchGroups(const PlanBuilder &builder,
                              ArrayRef<int64_t> devices,
                              ArrayRef<std::vector<int64_t>> microbatches,
                              ArrayRef<size_t> searched, int64_t mostOrders) {
  std::vector<ClassNodes> classes =
      findClassNodes(builder.model.cluster, devices);
  std::vector<GroupDesign> result;
  for (size_t index : searched) {
    GroupSearch search(builder, classes, microbatches[index]);
    std::vector<size_t> order(classes.size());
    std::iota(order.begin(), order.end(), 0);
    int64_t number = 0;
    do {
      for (double wait : waits) {
        auto [seconds, stages] = search.solve(order, wait);
        if (seconds < infinity)
          result.push_back({seconds, {index, std::move(stages)}});
      }
    } while (++number < mostOrders &&
             std::next_permutation(order.begin(), order.end()));
  }
  return sortDesigns(std::move(result));
}
