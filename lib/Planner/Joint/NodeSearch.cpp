//===- NodeSearch.cpp - Stages of whole nodes -----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Planner/Joint/NodeSearch.h"
#include "hetero/Planner/Bounds/ClassNodes.h"
#include "hetero/Planner/Model/PipelineRecurrence.h"
#include "llvm/ADT/STLExtras.h"
#include <numeric>

using namespace llvm;
using namespace hetero;
using namespace hetero::planner;

static constexpr double infinity = std::numeric_limits<double>::infinity();
/// Times that are so much longer than the best are of no interest.
static constexpr double muchLonger = 1.08;
/// How many labels a cell keeps, and how many designs of one search are
/// returned.
static constexpr size_t mostLabels = 3, designsOfEach = 2;
/// More stages of one class in the same nodes are not tried.
static constexpr int64_t mostShared = 2;
/// How much of its time the way out of a node can be busy before everything
/// waits for it. Less than for complete plans (StepEstimate.cpp): here all rows
/// are taken to hand on as much as the fullest, and no stage's waiting comes on
/// top; fitted to which designs simulate best.
static constexpr double fullest = 0.85;
/// Layers differ in how much faster classes compute them, so that a little less
/// than all of the work may be enough.
static constexpr double freely = 0.97;

namespace {
/// Of a stage: seconds for a microbatch, and once; how many have room in
/// flight, also if it computes again.
struct StageWork {
  double forward = 0, both = 0, once = 0, room = 0, roomAgain = 0;
};

/// How stages lie: in so many nodes, with so many devices of each, of which
/// `tensor` make a row.
struct Shape {
  int64_t nodes = 1, devices = 1, tensor = 1;
  /// How many stages share the nodes, how many rows one has, and how many
  /// samples the fullest row.
  int64_t shared = 1, rows = 1, samples = 1;
  const RowSeconds *times = nullptr;
  /// What a stage takes with the layers from `first` up to `last`, at
  /// first * (layers + 1) + last.
  std::vector<StageWork> works;
};

/// Stages from a layer to the end.
struct Label {
  PipelineTail tail;
  /// Of the nodes of the first stage: the seconds for what goes in or out for a
  /// byte of each sample, and what they already carry for a microbatch.
  double fill = 0, load = 0;
  /// The shape of the first stages, and the label of those after them.
  int32_t shape = -1;
  int32_t before = -1;
  int16_t used = 0, layer = 0;
  int16_t tensor = 1;
  /// A bit for each of the first stages that share nodes: it computes again.
  uint16_t again = 0;

  bool isAsGood(const Label &other) const {
    return tail.seconds <= other.tail.seconds && tail.gone <= other.tail.gone &&
           tail.stay <= other.tail.stay;
  }
  /// Which of several that are good in different ways is kept.
  double value() const { return tail.seconds + tail.stay; }
};

using Cell = SmallVector<int32_t, 4>;

class NodeSearch {
public:
  NodeSearch(const StageModel &model, ArrayRef<ClassNodes> classes,
             ArrayRef<int64_t> sizes, bool recomputes);

  /// The best designs for an order of the classes below `most`.
  std::vector<std::pair<double, std::vector<StageChoice>>>
  solve(ArrayRef<size_t> order, bool splits, double most);

private:
  StageWork workOf(const ClassNodes &nodes, const Shape &shape, int64_t first,
                   int64_t last) const;
  void findShapes(size_t index, ArrayRef<int64_t> degrees);
  bool prepend(const ClassNodes &nodes, const Shape &shape, int64_t first,
               int64_t last, int64_t part, Label &label) const;
  bool prependAll(const ClassNodes &nodes, const Shape &shape, int64_t first,
                  int64_t last, Label &label) const;
  void insert(Cell &cell, const Label &label);
  bool isEnough(size_t index, ArrayRef<size_t> earlier, int64_t left,
                int64_t layer) const;
  void extend(size_t index, ArrayRef<size_t> earlier, int64_t used,
              int64_t last, int32_t at);
  void coverClass(size_t index, ArrayRef<size_t> earlier);
  std::vector<StageChoice> collect(ArrayRef<size_t> order, int32_t label) const;
  void addStages(const ClassNodes &nodes, const Shape &shape, int64_t first,
                 int64_t last, int64_t firstNode, uint16_t again,
                 std::vector<StageChoice> &stages) const;

  const StageModel &model;
  ArrayRef<ClassNodes> classes;
  int64_t largest, count, numLayers;
  bool recomputes, splits = true;
  double limit = infinity;
  LayerBytes bytes;
  RowSecondsTable rowSeconds;
  std::vector<std::vector<Shape>> shapes;
  /// By class, for all layers before: the seconds of a node for all
  /// microbatches, in the shape that takes least.
  std::vector<std::vector<double>> nodeSeconds;
  std::vector<Label> labels;
  /// Of the current class, by nodes and layer.
  std::vector<Cell> cells;
};
} // namespace

/// Of the layers from `first` to before `last`, those of the stage with number
/// `part` of the `parts` stages that share the same nodes.
static std::pair<int64_t, int64_t> partOf(int64_t first, int64_t last,
                                          int64_t part, int64_t parts) {
  // The first have more: the others begin later.
  int64_t all = last - first, each = all / parts, more = all % parts;
  int64_t from = first + part * each + std::min(part, more);
  return {from, from + each + (part < more)};
}

NodeSearch::NodeSearch(const StageModel &model, ArrayRef<ClassNodes> classes,
                       ArrayRef<int64_t> sizes, bool recomputes)
    : model(model), classes(classes), largest(*max_element(sizes)),
      count(sizes.size()), numLayers(model.problem.layers.size()),
      recomputes(recomputes), bytes(model.problem), rowSeconds(model) {
  shapes.resize(classes.size());
  for (size_t index = 0; index < classes.size(); ++index)
    findShapes(index, commonDegrees(model.problem));
  for (ArrayRef<Shape> list : shapes) {
    std::vector<double> &least =
        nodeSeconds.emplace_back(numLayers + 1, list.empty() ? infinity : 0);
    for (auto [number, shape] : enumerate(list))
      for (int64_t layer = 0; layer <= numLayers; ++layer) {
        double seconds = double(count * shape.nodes) / double(shape.shared) *
                         shape.times->both.upTo(layer);
        least[layer] = number == 0 ? seconds : std::min(least[layer], seconds);
      }
  }
}

/// The shapes with the fewest nodes for each number of samples, and of those
/// that differ in the degree alone the one that computes fastest.
void NodeSearch::findShapes(size_t index, ArrayRef<int64_t> degrees) {
  const ClassNodes &nodes = classes[index];
  std::map<std::pair<int64_t, int64_t>, Shape> best;
  for (int64_t devices = 1; devices <= nodes.perNode; ++devices) {
    if (nodes.perNode % devices != 0 || nodes.perNode / devices > mostShared)
      continue;
    for (int64_t tensor : degrees)
      for (int64_t samples = 1; devices % tensor == 0 && samples <= largest;) {
        Shape shape;
        int64_t inNode = devices / tensor;
        shape.nodes = (largest + inNode * samples - 1) / (inNode * samples);
        shape.devices = devices;
        shape.tensor = tensor;
        shape.shared = nodes.perNode / devices;
        shape.rows = std::min(shape.nodes * inNode, largest);
        shape.samples = (largest + shape.rows - 1) / shape.rows;
        // The next number that needs fewer nodes.
        int64_t fewer = shape.nodes - 1;
        samples = fewer == 0
                      ? largest + 1
                      : std::max(samples + 1, (largest + inNode * fewer - 1) /
                                                  (inNode * fewer));
        if (shape.nodes > int64_t(nodes.nodes.size()))
          continue;
        shape.times = &rowSeconds.find(nodes, tensor, shape.samples);
        auto [entry, isNew] =
            best.try_emplace({shape.devices, shape.nodes}, shape);
        if (!isNew && shape.times->both.all() < entry->second.times->both.all())
          entry->second = shape;
      }
  }
  for (auto &[key, shape] : best) {
    shape.works.resize(numLayers * (numLayers + 1));
    for (int64_t first = 0; first < numLayers; ++first)
      for (int64_t last = first + 1; last <= numLayers; ++last)
        shape.works[first * (numLayers + 1) + last] =
            workOf(nodes, shape, first, last);
    shapes[index].push_back(std::move(shape));
  }
}

/// What a stage in this shape takes for a microbatch and once.
StageWork NodeSearch::workOf(const ClassNodes &nodes, const Shape &shape,
                             int64_t first, int64_t last) const {
  ColumnState state = bytes.state.of(first, last);
  auto number = [](Bytes amount) { return double(amount.count()); };
  auto numNodes = double(shape.nodes);
  auto parts = double(shape.tensor);
  StageWork work;
  work.forward = shape.times->forward.of(first, last);
  work.both = shape.times->both.of(first, last);
  if (shape.nodes > 1)
    work.once = 2 * (1 - 1 / numNodes) * number(state.gradients) / nodes.out *
                double(shape.shared);
  else if (shape.rows > 1)
    work.once = 2 * number(state.gradients) / parts / nodes.inside;
  double free = nodes.memory - number(state.parameters) / parts -
                number(state.gradients) / parts * (count > 1 ? 2 : 1) -
                number(state.optimizer) / double(shape.nodes * shape.devices);
  auto samples = double(shape.samples);
  auto room = [&](double kept) {
    return std::min(double(count), std::floor(free / (kept * samples)));
  };
  work.room = room(number(bytes.saved.of(first, last)) / parts);
  work.roomAgain = room(number(bytes.inputs.of(first, last)));
  return work;
}

/// Puts a stage before those of a label; false if it takes too long or does
/// not fit.
bool NodeSearch::prepend(const ClassNodes &nodes, const Shape &shape,
                         int64_t first, int64_t last, int64_t part,
                         Label &label) const {
  bool isLastInNodes = part + 1 == shape.shared;
  const StageWork &work = shape.works[first * (numLayers + 1) + last];
  auto number = double(count);
  if (number * work.both + work.once > limit)
    return false;
  double crossing = 0, back = 0, load = 0;
  double fill =
      double(shape.samples * shape.devices) / double(shape.tensor) / nodes.out;
  if (last < numLayers) {
    auto bytes =
        double(model.problem.layers[last - 1].output.perSample.count());
    if (isLastInNodes) {
      double most = bytes * std::max(fill, label.fill);
      crossing = most * label.tensor;
      back = most * double(shape.tensor);
      double later =
          label.load +
          bytes * label.fill * std::max<double>(label.tensor, shape.tensor);
      label.tail.seconds =
          std::max(label.tail.seconds, wayTime(number, later, fullest));
      load = bytes * fill * std::max<double>(label.tensor, shape.tensor);
      // What goes forwards shares the way out with what goes back.
      double slower = sharedWay(load, work.both);
      crossing *= slower;
      back *= slower;
    } else {
      crossing = back = bytes * double(shape.samples) / nodes.inside;
      load = 0;
    }
  }
  Label best = label;
  best.tail.own = best.tail.seconds = infinity;
  auto tryOption = [&](bool again) {
    PipelineStage stage;
    stage.forward = work.forward;
    stage.backward = again ? work.both : work.both - work.forward;
    stage.there = crossing;
    stage.back = back;
    stage.count = number;
    stage.work = number * (again ? work.both + work.forward : work.both);
    stage.room = again ? work.roomAgain : work.room;
    stage.reduce = work.once;
    stage.splits = splits;
    if (stage.room < 1)
      return;
    PipelineTail tail = prependStage(stage, label.tail);
    if (tail.own >= best.tail.own)
      return;
    best.tail = tail;
    best.again = label.again | uint16_t(again << part);
  };
  tryOption(false);
  if (!splits && recomputes)
    tryOption(true);
  best.fill = fill;
  best.tensor = int16_t(shape.tensor);
  best.load = load;
  label = best;
  return label.tail.seconds <= limit;
}

/// The same for all stages of a shape that share their nodes.
bool NodeSearch::prependAll(const ClassNodes &nodes, const Shape &shape,
                            int64_t first, int64_t last, Label &label) const {
  label.again = 0;
  for (int64_t part = shape.shared; part-- > 0;) {
    auto [from, to] = partOf(first, last, part, shape.shared);
    if (!prepend(nodes, shape, from, to, part, label))
      return false;
  }
  return true;
}

/// Unless another one is as good; without those that are not any more.
void NodeSearch::insert(Cell &cell, const Label &label) {
  for (int32_t other : cell)
    if (labels[other].isAsGood(label))
      return;
  erase_if(cell, [&](int32_t other) { return label.isAsGood(labels[other]); });
  if (cell.size() >= mostLabels) {
    auto *worst = llvm::max_element(cell, [&](int32_t left, int32_t right) {
      return labels[left].value() < labels[right].value();
    });
    if (labels[*worst].value() <= label.value())
      return;
    cell.erase(worst);
  }
  cell.push_back(int32_t(labels.size()));
  labels.push_back(label);
}

/// Whether what is left of a class and those before it could do the layers
/// before `layer` in time, if the work could be divided freely.
bool NodeSearch::isEnough(size_t index, ArrayRef<size_t> earlier, int64_t left,
                          int64_t layer) const {
  if (layer == 0)
    return true;
  auto part = [&](size_t number, int64_t nodes) {
    return double(nodes) * limit / nodeSeconds[number][layer];
  };
  double parts = part(index, left);
  for (size_t other : earlier)
    parts += part(other, classes[other].nodes.size());
  return parts >= freely;
}

/// Extends the labels of a cell by each shape.
void NodeSearch::extend(size_t index, ArrayRef<size_t> earlier, int64_t used,
                        int64_t last, int32_t at) {
  const ClassNodes &nodes = classes[index];
  int64_t numNodes = nodes.nodes.size(), width = numLayers + 1;
  // A copy: new labels move the old ones.
  Label start = labels[at];
  for (auto [number, shape] : enumerate(shapes[index])) {
    int64_t left = numNodes - used - shape.nodes;
    if (left < 0)
      continue;
    for (int64_t first = last - shape.shared; first >= 0; --first) {
      Label label = start;
      if (!prependAll(nodes, shape, first, last, label))
        break;
      if (!isEnough(index, earlier, left, first))
        continue;
      label.shape = int32_t(number);
      label.before = at;
      label.used = int16_t(used + shape.nodes);
      label.layer = int16_t(first);
      insert(cells[label.used * width + first], label);
    }
  }
}

/// Extends all cells of a class, those with fewest nodes first.
void NodeSearch::coverClass(size_t index, ArrayRef<size_t> earlier) {
  int64_t numNodes = classes[index].nodes.size(), width = numLayers + 1;
  // For each layer the best labels from it or an earlier one on with as many or
  // fewer nodes.
  std::vector<Cell> fronts(width);
  for (int64_t used = 0; used < numNodes; ++used)
    for (int64_t last = 1; last <= numLayers; ++last)
      for (int32_t at : Cell(cells[used * width + last])) {
        if (any_of(fronts[last], [&](int32_t other) {
              return labels[other].isAsGood(labels[at]);
            }))
          continue;
        for (int64_t layer = last; layer <= numLayers; ++layer) {
          Cell &front = fronts[layer];
          erase_if(front, [&](int32_t other) {
            return labels[at].isAsGood(labels[other]);
          });
          front.push_back(at);
        }
        extend(index, earlier, used, last, at);
      }
}

std::vector<std::pair<double, std::vector<StageChoice>>>
NodeSearch::solve(ArrayRef<size_t> order, bool split, double most) {
  splits = split;
  limit = most;
  labels.clear();
  labels.emplace_back();
  labels.back().layer = int16_t(numLayers);
  int64_t width = numLayers + 1;
  std::vector<Cell> start(width);
  start[numLayers].push_back(0);
  // What was found for later classes, without nodes of the next one.
  auto goOn = [&](int32_t at, int32_t shape, Cell &cell) {
    Label label = labels[at];
    label.before = at;
    label.shape = shape;
    label.used = 0;
    insert(cell, label);
  };
  for (size_t number = order.size(); number-- > 0;) {
    size_t index = order[number];
    int64_t numNodes = classes[index].nodes.size();
    cells.assign((numNodes + 1) * width, {});
    for (int64_t layer = 0; layer < width; ++layer)
      for (int32_t at : start[layer])
        goOn(at, -1, cells[layer]);
    coverClass(index, order.take_front(number));
    start.assign(width, {});
    for (int64_t layer = 0; layer < width; ++layer)
      for (int64_t used = 0; used <= numNodes; ++used)
        for (int32_t at : Cell(cells[used * width + layer]))
          goOn(at, -2, start[layer]);
  }
  Cell last = start[0];
  sort(last, [&](int32_t left, int32_t right) {
    return labels[left].tail.seconds < labels[right].tail.seconds;
  });
  std::vector<std::pair<double, std::vector<StageChoice>>> result;
  for (int32_t at : ArrayRef(last).take_front(designsOfEach))
    result.emplace_back(labels[at].tail.seconds, collect(order, at));
  return result;
}

void NodeSearch::addStages(const ClassNodes &nodes, const Shape &shape,
                           int64_t first, int64_t last, int64_t firstNode,
                           uint16_t again,
                           std::vector<StageChoice> &stages) const {
  for (int64_t part = 0; part < shape.shared; ++part) {
    auto [from, to] = partOf(first, last, part, shape.shared);
    StageChoice &choice = stages.emplace_back();
    choice.layers = {from, to - 1};
    choice.tensor = shape.tensor;
    choice.recompute = (again >> part) & 1;
    choice.state =
        shape.rows > 1 ? StateMode::Optimizer : StateMode::Replicated;
    for (int64_t node = firstNode; node < firstNode + shape.nodes; ++node) {
      ArrayRef<int64_t> own = ArrayRef(nodes.nodes[node])
                                  .slice(part * shape.devices, shape.devices);
      append_range(choice.devices, own);
    }
    choice.devices.resize(shape.rows * shape.tensor);
  }
}

/// The stages of a label.
std::vector<StageChoice> NodeSearch::collect(ArrayRef<size_t> order,
                                             int32_t at) const {
  std::vector<StageChoice> stages;
  size_t number = 0;
  int64_t node = 0;
  bool began = false;
  while (at >= 0) {
    const Label &label = labels[at];
    if (label.shape == -2) {
      // The stages of the next class begin.
      if (began)
        ++number;
      began = true;
      node = 0;
    } else if (label.shape >= 0) {
      const Shape &shape = shapes[order[number]][label.shape];
      addStages(classes[order[number]], shape, label.layer,
                labels[label.before].layer, node, label.again, stages);
      node += shape.nodes;
    }
    at = label.before;
  }
  return stages;
}

std::vector<GroupDesign> hetero::planner::searchNodes(
    const PlanBuilder &builder, ArrayRef<int64_t> devices,
    ArrayRef<std::vector<int64_t>> microbatches, ArrayRef<size_t> searched,
    int64_t mostOrders, double most) {
  std::vector<ClassNodes> classes =
      findClassNodes(builder.model.cluster, devices);
  std::vector<GroupDesign> result;
  double least[2] = {most / muchLonger, most / muchLonger};
  for (size_t index : searched) {
    NodeSearch search(builder.model, classes, microbatches[index],
                      builder.options.recompute);
    std::vector<size_t> order(classes.size());
    std::iota(order.begin(), order.end(), 0);
    int64_t number = 0;
    do {
      for (bool splits : {false, true})
        for (auto &[seconds, stages] :
             search.solve(order, splits, muchLonger * least[splits])) {
          least[splits] = std::min(least[splits], seconds);
          result.push_back({seconds, {index, std::move(stages)}});
        }
    } while (++number < mostOrders &&
             std::next_permutation(order.begin(), order.end()));
  }
  return sortDesigns(std::move(result));
}
