//===- StageSearch.cpp - A dynamic program over stages --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Planner/Search/StageSearch.h"
#include "hetero/Planner/Problem/UsableDevices.h"
#include <set>

using namespace llvm;
using namespace hetero;
using namespace hetero::planner;

//===----------------------------------------------------------------------===//
// Options
//===----------------------------------------------------------------------===//

StageSearch::StageSearch(SearchTables &tables, const PlannerOptions &options,
                         ArrayRef<int64_t> order, ArrayRef<int64_t> positions,
                         int64_t microbatchSize, int64_t numMicrobatches,
                         function_ref<bool(int64_t, int64_t)> isAllowed)
    : tables(tables), model(tables.model), problem(model.problem),
      cluster(model.cluster), planner(options), order(order),
      positions(positions), size(microbatchSize), count(numMicrobatches),
      numLayers(problem.layers.size()), numCuts(tables.cuts.size()),
      numPositions(positions.size()),
      steps(double(problem.batch) / double(microbatchSize) - 1) {
  table.resize(numPositions * numPositions);
  for (int64_t begin = 0; begin < numPositions; ++begin)
    for (int64_t end = begin + 1; end < numPositions; ++end)
      if (!isAllowed || isAllowed(begin, end))
        addOptions(begin, end);

  findRest();
}

/// Devices of class d take t_dl for a sample of layer l, and all samples of all
/// layers before some layer go through some of them. With any speeds g_d,
///
///   sum_l min_d (g_d t_dl) <= sum_l g_d(l) t_d(l)l <= period * sum of all g_d
///
/// where d(l) computes layer l. Speeds are those for all layers together.
void StageSearch::findRest() {
  std::map<int64_t, double> speeds;
  for (int64_t device : order)
    speeds.try_emplace(cluster.devices[device].deviceClass, 0);
  for (auto &[deviceClass, speed] : speeds)
    speed = 1 / std::max(tables.leastTimes(deviceClass, size).all(), 1e-30);
  for (int64_t layer = 0; layer < numLayers; ++layer) {
    double least = std::numeric_limits<double>::infinity();
    for (auto [deviceClass, speed] : speeds) {
      const LayerSums<double> &times = tables.leastTimes(deviceClass, size);
      least = std::min(least, speed * times.of(layer, layer + 1));
    }
    workBefore.add(least);
  }
  speedBefore.assign(numPositions, 0);
  for (int64_t position = 1; position < numPositions; ++position) {
    speedBefore[position] = speedBefore[position - 1];
    for (int64_t i = positions[position - 1]; i < positions[position]; ++i)
      speedBefore[position] += speeds[cluster.devices[order[i]].deviceClass];
  }
}

void StageSearch::addOptions(int64_t begin, int64_t end) {
  ArrayRef<int64_t> devices = devicesBetween(begin, end);
  std::vector<int64_t> key = {size, count, planner.tensorParallel,
                              planner.recompute,
                              int64_t(planner.stateModes.size())};
  for (StateMode mode : planner.stateModes)
    key.push_back(int64_t(mode));
  append_range(key, devices);
  std::vector<StageOption> &list = table[begin * numPositions + end];
  list =
      tables.findOptions(std::move(key), [&] { return makeOptions(devices); });
  for (StageOption &option : list) {
    option.begin = begin;
    option.end = end;
  }
}

std::vector<StageOption> StageSearch::makeOptions(ArrayRef<int64_t> devices) {
  std::vector<StageOption> result;
  int64_t numDevices = devices.size();
  std::set<int64_t> degrees = {1};
  if (planner.tensorParallel)
    for (const Layer &layer : problem.layers)
      degrees.insert(layer.tensorDegrees.begin(), layer.tensorDegrees.end());
  if (problem.constraints.tensor)
    degrees = {*problem.constraints.tensor};
  for (int64_t tensor : degrees) {
    if (numDevices % tensor != 0 || numDevices / tensor > size ||
        !rowsAreUniform(cluster, devices, tensor))
      continue;
    std::map<int64_t, int64_t> rows;
    for (int64_t i = 0; i < numDevices; i += tensor)
      ++rows[cluster.devices[devices[i]].deviceClass];
    std::vector<std::pair<int64_t, int64_t>> rowsOfClasses(rows.begin(),
                                                           rows.end());
    const std::vector<int64_t> &samples =
        tables.divideSamples(rowsOfClasses, tensor, size);
    if (samples.empty())
      continue;

    StageOption option;
    option.tensor = tensor;
    option.rows = numDevices / tensor;
    option.firstDevice = devices.front();
    option.lastDevice = devices.back();
    std::vector<int64_t> column;
    for (int64_t i = 0; i < numDevices; i += tensor)
      column.push_back(devices[i]);
    option.column = cost::makeGroup(cluster, column, /*alike=*/tensor);
    for (auto [entry, part] : zip_equal(rowsOfClasses, samples))
      option.parts.push_back(
          {entry.first, entry.second, part,
           cluster.classes[entry.first].usableMemory(),
           &model.layerTimes(entry.first, tensor, part).sums.bothSeconds,
           &model.layerTimes(entry.first, tensor, part).sums.forwardSeconds,
           &tables.updateTimes(entry.first, tensor),
           &tables.savedBytes(tensor, part), &tables.inputBytes(part),
           &tables.workspaces(part), &tables.largestSaved(tensor, part)});
    option.states = &tables.states(tensor);
    option.farthest = &tables.farthestCuts(tensor);
    option.costs = std::make_shared<DenseMap<size_t, StageCosts>>();
    std::pair<int64_t, int64_t> before(-1, -1);
    for (int64_t i = 0; i < numDevices; i += tensor) {
      int64_t deviceClass = cluster.devices[devices[i]].deviceClass;
      std::pair<int64_t, int64_t> here(
          deviceClass, model.kindOfNode(cluster.devices[devices[i]].node));
      if (here == before)
        continue;
      before = here;
      auto part = find_if(option.parts, [&](const StageOption::Part &p) {
        return p.deviceClass == deviceClass;
      });
      const PassSums &joined = model.tensorSums(devices.slice(i, tensor),
                                                /*alike=*/1, part->samples);
      if (!option.tensorTimes ||
          joined.bothSeconds.all() > option.tensorTimes->all()) {
        option.tensorTimes = &joined.bothSeconds;
        option.tensorForwards = &joined.forwardSeconds;
      }
    }
    result.push_back(std::move(option));
  }
  return result;
}

//===----------------------------------------------------------------------===//
// What a stage takes
//===----------------------------------------------------------------------===//

ArrayRef<StateMode> StageSearch::modes(const StageOption &option) const {
  static constexpr StateMode replicated[] = {StateMode::Replicated};
  return option.rows > 1 ? ArrayRef(planner.stateModes) : ArrayRef(replicated);
}

bool StageSearch::isPinnedElsewhere(const StageOption &option, int64_t first,
                                    int64_t last) const {
  return any_of(problem.constraints.pins, [&](const Pin &pin) {
    return pin.layer >= first && pin.layer < last && !pin.devices.empty() &&
           !all_of(
               devicesBetween(option.begin, option.end),
               [&](int64_t device) {
                 return is_contained(pin.devices, device);
               });
  });
}

double StageSearch::crossing(int64_t lastLayer, int64_t fromDevice,
                             int64_t toDevice, int64_t fromParts,
                             int64_t toParts, int64_t lanes) const {
  const Layer &layer = problem.layers[lastLayer];
  // All columns of a row get all of it.
  Bytes bytes = std::max(layer.output.at(size) * toParts,
                         layer.outputGradient.at(size) * fromParts);
  const cluster::Path &path = cluster.pathBetween(fromDevice, toDevice);
  return toSeconds(path.latency) +
         double(bytes.count()) / double(path.bandwidth.count() * lanes);
}

double StageSearch::crossing(int64_t lastLayer, const StageOption &from,
                             const StageOption &to) const {
  return crossing(lastLayer, from.lastDevice, to.firstDevice, from.tensor,
                  to.tensor, std::min(from.column.nodes, to.column.nodes));
}

/// Parameters of other layers that the stage needs a copy of.
static ColumnState copiedState(const Problem &problem, int64_t first,
                               int64_t last, int64_t tensor) {
  ColumnState copied;
  for (const Tie &tie : problem.ties) {
    int64_t owner = tie.layers.front();
    if ((owner >= first && owner < last) ||
        none_of(tie.layers,
                [&](int64_t layer) { return layer >= first && layer < last; }))
      continue;
    copied.parameters += Bytes(scale(tie.parameters.count(), 1, tensor));
    copied.gradients += Bytes(scale(tie.gradients.count(), 1, tensor));
  }
  return copied;
}

/// The most microbatches in flight that fit; 0 if none.
static int64_t findLimit(const StageOption &option, ColumnState state,
                         StateMode mode, Bytes gradients,
                         ArrayRef<Bytes> beside, ArrayRef<int64_t> saved,
                         int64_t most) {
  Bytes common = state.undivided(mode);
  Bytes divided = state.total() - common;
  bool gathers = mode == StateMode::Full || mode == StateMode::Node;
  Bytes free;
  Bytes savedByAll;
  int64_t limit = most;
  for (auto [part, buffers, perMicrobatch] :
       zip_equal(option.parts, beside, saved)) {
    Bytes left = part.usable - common - gradients - buffers -
                 (gathers ? state.parameters : Bytes(0));
    if (left < Bytes(perMicrobatch))
      return 0;
    if (perMicrobatch > 0)
      limit = std::min(limit, left.count() / perMicrobatch);
    free += left * part.count;
    savedByAll += Bytes(perMicrobatch) * part.count;
  }
  if (mode == StateMode::Replicated)
    return limit;
  // What is divided finds its place wherever there is room, inside of each
  // node alone if the mode says so; the exact division comes later.
  Bytes room = free - divided;
  if (room < savedByAll)
    return 0;
  if (savedByAll > Bytes(0))
    limit = std::min(limit, room.count() / savedByAll.count());
  return limit;
}

/// Gather, reduce and update, with state divided evenly.
static double onceTime(const StageOption &option, const ColumnState &state,
                       StateMode mode, double update) {
  if (option.rows == 1)
    return update;
  if (mode == StateMode::Replicated)
    return update +
           toSeconds(
               cost::chooseAllReduce(option.column, state.gradients).time);
  auto pass = [&](Bytes bytes) {
    return toSeconds(cost::allReduceTime(option.column, bytes,
                                         cost::Algorithm::Ring)) /
           2;
  };
  return update / double(option.rows) + pass(state.gradients) +
         pass(state.parameters);
}

/// Forward and backward of the slowest device.
double StageSearch::computeTime(const StageOption &option, int64_t firstCut,
                                int64_t lastCut, bool recompute) const {
  int64_t first = tables.cuts[firstCut], last = tables.cuts[lastCut];
  double longest = 0;
  for (const StageOption::Part &part : option.parts) {
    double time = part.times->of(first, last);
    if (recompute)
      time += part.forwards->of(first, last);
    longest = std::max(longest, time);
  }
  longest += option.tensorTimes->of(first, last);
  if (recompute)
    longest += option.tensorForwards->of(first, last);
  return longest;
}

std::optional<StageCost> StageSearch::cost(const StageOption &option,
                                           int64_t firstCut, int64_t lastCut,
                                           StateMode mode,
                                           bool recompute) const {
  int64_t first = tables.cuts[firstCut], last = tables.cuts[lastCut];
  ColumnState state = copiedState(problem, first, last, option.tensor);
  state += option.states->of(first, last);

  Bytes inputs = model.inputBytes(LayerRun{first, last - 1});
  StageCost result;
  result.mode = mode;
  result.recompute = recompute;
  double update = 0;
  SmallVector<Bytes, 4> beside;
  SmallVector<int64_t, 4> saved;
  for (const StageOption::Part &part : option.parts) {
    update = std::max(update, part.updates->of(first, last));
    const LayerSums<Bytes> &kept = recompute ? *part.inputs : *part.saved;
    saved.push_back(kept.of(first, last).count());
    Bytes buffers = (*part.workspace)[firstCut * numCuts + lastCut];
    if (recompute)
      buffers += (*part.largestSaved)[firstCut * numCuts + lastCut];
    if (first > 0)
      buffers += problem.layers[first - 1].output.at(part.samples) +
                 problem.layers[first - 1].outputGradient.at(part.samples);
    if (last < numLayers)
      buffers += problem.layers[last - 1].output.at(part.samples) +
                 problem.layers[last - 1].outputGradient.at(part.samples);
    beside.push_back(buffers + inputs * part.samples * count);
  }
  result.time = computeTime(option, firstCut, lastCut, recompute);
  result.limit =
      findLimit(option, state, mode, state.gradients * (count > 1 ? 2 : 1),
                beside, saved, count);
  if (result.limit < 1)
    return std::nullopt;
  result.once = onceTime(option, state, mode, update);
  return result;
}

const StageCosts &StageSearch::variants(const StageOption &option,
                                        int64_t firstCut,
                                        int64_t lastCut) const {
  size_t kind = tables.runKind(firstCut, lastCut);
  auto [entry, isNew] = option.costs->try_emplace(kind);
  if (isNew) {
    auto [first, last] = tables.representative(kind);
    entry->second = findVariants(option, first, last);
  }
  return entry->second;
}

StageCosts StageSearch::findVariants(const StageOption &option,
                                     int64_t firstCut, int64_t lastCut) const {
  StageCosts found;
  for (bool recompute : {false, true}) {
    // Who has room for all microbatches need not compute anything again.
    if (recompute &&
        (!planner.recompute || any_of(found, [&](const StageCost &other) {
          return other.limit >= count;
        })))
      break;
    for (StateMode mode : modes(option)) {
      // Inside of one node, or with one device in each, it is another mode.
      if (mode == StateMode::Node &&
          (option.column.nodes == 1 || option.column.mostInNode == 1))
        continue;
      if (std::optional<StageCost> stage =
              cost(option, firstCut, lastCut, mode, recompute))
        addIfBetter(
            found, *stage, [](const StageCost &left, const StageCost &right) {
              return left.time >= right.time && left.once >= right.once &&
                     left.limit <= right.limit;
            });
    }
  }
  return found;
}

//===----------------------------------------------------------------------===//
// The search
//===----------------------------------------------------------------------===//

bool StageSearch::isDominated(const Label &label, const Label &by) const {
  auto nodeOf = [&](const Label &l) {
    return l.firstDevice < 0 ? -1 : cluster.devices[l.firstDevice].node;
  };
  if (wantedStages ? by.stages != label.stages
                   : problem.constraints.maxStages && by.stages > label.stages)
    return false;
  // What crosses to the first stage of `by` has as many nodes to go through,
  // and goes to no more parts.
  if (by.option && label.option &&
      (by.option->column.nodes < label.option->column.nodes ||
       by.option->tensor > label.option->tensor))
    return false;
  return by.sum <= label.sum && by.period <= label.period &&
         by.finish <= label.finish && nodeOf(by) == nodeOf(label);
}

void StageSearch::insert(Label label, std::vector<int64_t> &labels) {
  for (int64_t other : labels)
    if (isDominated(label, arena[other]))
      return;
  erase_if(labels,
           [&](int64_t other) { return isDominated(arena[other], label); });
  if (labels.size() >= maxLabels) {
    auto worst = llvm::max_element(labels, [&](int64_t left, int64_t right) {
      return value(arena[left]) < value(arena[right]);
    });
    if (value(arena[*worst]) <= value(label))
      return;
    labels.erase(worst);
  }
  labels.push_back(arena.size());
  arena.push_back(label);
}

/// A time that some stage of the layers before `layer`, on devices before
/// `position`, takes at least.
double StageSearch::restPeriod(int64_t layer, int64_t position) const {
  if (layer == 0)
    return 0;
  if (position == 0)
    return std::numeric_limits<double>::infinity();
  // Sums in another order may differ by rounding.
  return double(size) * workBefore.upTo(layer) / speedBefore[position] *
         (1 - 1e-9);
}

/// A tail with a stage before it.
StageSearch::Label StageSearch::prepend(const StageOption &option,
                                        const StageCost &stage, int64_t tail,
                                        int64_t firstLayer,
                                        int64_t lastLayer) const {
  const Label &next = arena[tail];
  double boundary = next.option ? crossing(lastLayer, option, *next.option) : 0;
  Label label;
  label.sum = stage.time + 2 * boundary + next.sum;
  label.period = std::max(
      {next.period, stage.time, boundary, label.sum / double(stage.limit)});
  label.finish = std::max(next.finish, label.sum + stage.once);
  label.stages = next.stages + 1;
  label.firstDevice = option.firstDevice;
  label.firstLayer = firstLayer;
  label.lastLayer = lastLayer;
  label.option = &option;
  label.mode = stage.mode;
  label.recompute = stage.recompute;
  label.rest = tail;
  return label;
}

/// Whether the stages of a label are not too many, and the number that the
/// first of them will have in the plan is the one that its layers are pinned
/// to.
bool StageSearch::isRightStage(const Label &label) const {
  if (problem.constraints.maxStages &&
      label.stages > *problem.constraints.maxStages)
    return false;
  return none_of(problem.constraints.pins, [&](const Pin &pin) {
    return pin.stage && wantedStages && pin.layer >= label.firstLayer &&
           pin.layer <= label.lastLayer &&
           *pin.stage != *wantedStages - label.stages;
  });
}

/// Adds all stages that start at a cut and the begin of `option`.
void StageSearch::extend(int64_t cut, const StageOption &option,
                         std::vector<int64_t> &labels) {
  int64_t layer = tables.cuts[cut];
  double rest = restPeriod(layer, option.begin);
  for (int64_t lastCut = cut + 1; lastCut <= (*option.farthest)[cut];
       ++lastCut) {
    int64_t last = tables.cuts[lastCut];
    if (isPinnedElsewhere(option, layer, last))
      return;
    double time = computeTime(option, cut, lastCut);
    if (!isBelowCutoff(rest, time, time))
      return;
    const State &state = states[option.end][lastCut];
    if (state.labels.empty() ||
        !isBelowCutoff(rest, time + state.sum, std::max(time, state.period)))
      continue;
    for (const StageCost &stage : variants(option, cut, lastCut))
      for (int64_t tail : state.labels) {
        Label label = prepend(option, stage, tail, layer, last - 1);
        if (isBelowCutoff(rest, label.sum, label.period) &&
            label.finish + steps * std::max(rest, label.period) < cutoff &&
            isRightStage(label))
          insert(label, labels);
      }
  }
}

StageSearch::State StageSearch::makeState(std::vector<int64_t> labels) const {
  State state;
  state.sum = state.period = std::numeric_limits<double>::infinity();
  for (int64_t label : labels) {
    state.sum = std::min(state.sum, arena[label].sum);
    state.period = std::min(state.period, arena[label].period);
  }
  state.labels = std::move(labels);
  return state;
}

StageLayout StageSearch::unwind(const Label &label) const {
  StageLayout layout;
  layout.value = value(label);
  for (const Label *at = &label; at->option; at = &arena[at->rest]) {
    const StageOption &option = *at->option;
    layout.stages.push_back({{at->firstLayer, at->lastLayer},
                             devicesBetween(option.begin, option.end).vec(),
                             option.tensor,
                             at->mode,
                             at->recompute});
  }
  return layout;
}

std::vector<StageLayout> StageSearch::run(double limit, size_t keep,
                                          size_t labelLimit,
                                          std::optional<int64_t> numStages) {
  cutoff = limit;
  maxLabels = labelLimit;
  wantedStages = numStages;
  arena.assign(1, Label());
  states.assign(numPositions, {});
  for (auto &byCut : states) {
    byCut.resize(numCuts);
    byCut.back() = makeState({0});
  }
  for (int64_t begin = numPositions - 2; begin >= 0; --begin)
    for (int64_t cut = numCuts - 2; cut >= 0; --cut) {
      // The devices up to the next position may be left out.
      std::vector<int64_t> labels = states[begin + 1][cut].labels;
      for (int64_t end = begin + 1; end < numPositions; ++end)
        for (const StageOption &option : options(begin, end))
          extend(cut, option, labels);
      states[begin][cut] = makeState(std::move(labels));
    }
  std::vector<StageLayout> found;
  for (int64_t label : states[0][0].labels)
    if (!wantedStages || arena[label].stages == *wantedStages)
      found.push_back(unwind(arena[label]));
  // Equal values stay in the order of the search.
  stable_sort(found, [](const StageLayout &left, const StageLayout &right) {
    return left.value < right.value;
  });
  if (found.size() > keep)
    found.resize(keep);
  return found;
}
