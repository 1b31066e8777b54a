//===- HarpSearch.cpp - Layers to stages under a period -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Planner/Harp/HarpSearch.h"
#include "hetero/Planner/Search/DeviceOrders.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"
#include <set>

using namespace llvm;
using namespace hetero;
using namespace hetero::planner;

static constexpr double infinity = std::numeric_limits<double>::infinity();

static std::vector<int64_t> join(ArrayRef<std::vector<int64_t>> runs) {
  std::vector<int64_t> order;
  for (const std::vector<int64_t> &run : runs)
    append_range(order, run);
  return order;
}

/// For each device of the line its run.
static std::vector<int64_t> numberRuns(ArrayRef<std::vector<int64_t>> runs) {
  std::vector<int64_t> numbers;
  for (auto [index, run] : enumerate(runs))
    numbers.insert(numbers.end(), run.size(), index);
  return numbers;
}

//===----------------------------------------------------------------------===//
// Stages
//===----------------------------------------------------------------------===//

HarpSearch::HarpSearch(SearchTables &tables, const PlannerOptions &options,
                       ArrayRef<std::vector<int64_t>> runs,
                       int64_t maxPositions, int64_t microbatchSize,
                       int64_t numMicrobatches, double cutoff, double tolerance,
                       bool published)
    : tables(tables), planner(options), cluster(tables.model.cluster),
      order(join(runs)), positions(findPositions(cluster, order, maxPositions)),
      runOf(numberRuns(runs)),
      search(
          tables, options, order, positions, microbatchSize, numMicrobatches,
          [this](int64_t begin, int64_t end) { return isAllowed(begin, end); }),
      numMicrobatches(numMicrobatches), cutoff(cutoff), tolerance(tolerance),
      numSteps(double(tables.model.problem.batch) / double(microbatchSize) - 1),
      published(published || options.asReleased) {
  table.resize(numCuts() * numPositions());
  double longest = cutoff / (numSteps + 1);
  for (int64_t begin = 0; begin + 1 < numPositions(); ++begin)
    for (int64_t cut = 0; cut + 1 < numCuts(); ++cut)
      addStages(cut, begin, longest);
  findCrossings();
  findPeriods();
  findLeast();
  compareStarts();
}

/// Whether the devices between two positions can be a mesh.
bool HarpSearch::isAllowed(int64_t begin, int64_t end) const {
  int64_t first = positions[begin], last = positions[end] - 1;
  if (runOf[first] != runOf[last])
    return false;
  if (!planner.asReleased)
    return true;
  int64_t size = last - first + 1;
  return isPowerOf2_64(size) && cluster.devices[order[first]].node ==
                                    cluster.devices[order[last]].node;
}

void HarpSearch::addStages(int64_t cut, int64_t begin, double longest) {
  std::vector<HarpStage> &list = unsorted;
  list.clear();
  for (int64_t end = begin + 1; end < numPositions(); ++end) {
    if (!isAllowed(begin, end))
      continue;
    for (int64_t lastCut = cut + 1; lastCut < numCuts(); ++lastCut) {
      SmallVector<HarpStage, 8> found;
      bool isShort = false;
      for (const StageOption &option : search.options(begin, end)) {
        if (lastCut > (*option.farthest)[cut] ||
            search.isPinnedElsewhere(option, tables.cuts[cut],
                                     tables.cuts[lastCut]) ||
            search.computeTime(option, cut, lastCut) >= longest)
          continue;
        isShort = true;
        for (const StageCost &cost : search.variants(option, cut, lastCut)) {
          double once = planner.asReleased ? 0 : cost.once / (numSteps + 1);
          HarpStage stage = {lastCut,
                             end,
                             cost.time + once,
                             cost.limit,
                             &option,
                             cost.mode,
                             cost.recompute,
                             double(option.tensor),
                             1 / double(option.column.nodes)};
          addIfBetter(
              found, stage, [](const HarpStage &left, const HarpStage &right) {
                return left.time >= right.time && left.limit <= right.limit;
              });
        }
      }
      // More layers take longer.
      if (!isShort)
        break;
      append_range(list, found);
    }
  }
  keys.clear();
  for (auto [number, stage] : enumerate(list))
    keys.emplace_back(stage.time, number);
  sort(keys);
  std::vector<HarpStage> &sorted = table[cut * numPositions() + begin];
  sorted.reserve(list.size());
  for (auto [time, number] : keys)
    sorted.push_back(list[number]);
}

void HarpSearch::findCrossings() {
  crossingTimes.resize(numPositions() * numPositions() * numCuts());
  betweenNodes.resize(numPositions() * numPositions());
  auto nodeOf = [&](int64_t index) {
    return cluster.devices[order[index]].node;
  };
  for (int64_t end = 1; end < numPositions(); ++end)
    for (int64_t begin = 0; begin + 1 < numPositions(); ++begin)
      betweenNodes[end * numPositions() + begin] =
          nodeOf(positions[end] - 1) != nodeOf(positions[begin]);
  double *next = crossingTimes.data() + numPositions() * numCuts();
  for (int64_t end = 1; end < numPositions(); ++end)
    for (int64_t begin = 0; begin < numPositions(); ++begin)
      for (int64_t cut = 0; cut < numCuts(); ++cut, ++next)
        if (begin >= end && begin + 1 < numPositions() && cut > 0)
          *next =
              search.crossing(tables.cuts[cut] - 1, order[positions[end] - 1],
                              order[positions[begin]]);
}

void HarpSearch::findLeast() {
  leastBefore.assign(numCuts(), infinity);
  leastBefore[0] = 0;
  for (int64_t cut = 0; cut + 1 < numCuts(); ++cut)
    for (int64_t begin = 0; begin + 1 < numPositions(); ++begin)
      for (const HarpStage &stage : stages(cut, begin)) {
        double &least = leastBefore[stage.lastCut];
        least = std::min(least, leastBefore[cut] + stage.time);
      }
  // Sums in another order may differ by rounding.
  for (double &least : leastBefore)
    least *= 1 - 1e-9;
}

HarpBoundary HarpSearch::boundary(const HarpStage &stage, const HarpStage &next,
                                  int64_t begin) const {
  double one = crossing(stage.lastCut, stage.end, begin);
  if (planner.asReleased)
    return {one, 0};
  if (!isBetweenNodes(stage.end, begin))
    return {one, one};
  // Stages in several nodes have several ways.
  one *= std::max(stage.way, next.way);
  return {one * next.parts, one * stage.parts};
}

int64_t HarpSearch::publishedDelay(double there, double period, int64_t end,
                                   int64_t begin) const {
  if (runOf[positions[end] - 1] == runOf[positions[begin]] ||
      there < period / 10)
    return 1;
  return there < period / 2 ? 2 : 3;
}

int64_t HarpSearch::delay(const HarpBoundary &boundary, double period,
                          int64_t end, int64_t begin) const {
  if (published)
    return publishedDelay(boundary.there, period, end, begin);
  // A crossing that is not a whole number of periods by rounding alone is one.
  return 1 + int64_t(std::ceil(boundary.sum() / period - 1e-9));
}

/// All times of stages and crossings that the period of a layout below the
/// cutoff can be. It may be longer than each of its stages, to have fewer
/// microbatches in flight.
void HarpSearch::findPeriods() {
  // Most of them are there many times.
  DenseSet<uint64_t> seen;
  auto add = [&](double period) {
    bool isNew = numSteps * period < cutoff &&
                 seen.insert(bit_cast<uint64_t>(period)).second;
    if (isNew)
      allPeriods.push_back(period);
    return isNew;
  };
  // In how many parts stages divide their layers.
  std::set<int64_t> degrees;
  for (const std::vector<HarpStage> &list : table)
    for (const HarpStage &stage : list) {
      add(stage.time);
      degrees.insert(stage.option->tensor);
    }
  std::vector<std::pair<int64_t, int64_t>> joints;
  for (int64_t end = 1; end + 1 < numPositions(); ++end)
    for (int64_t begin = end; begin + 1 < numPositions(); ++begin)
      joints.emplace_back(end, begin);
  for (int64_t cut = 1; cut + 1 < numCuts(); ++cut)
    for (auto [end, begin] : joints) {
      double one = crossing(cut, end, begin);
      // Where it is known, so are all numbers of parts.
      if (add(one) && !planner.asReleased && isBetweenNodes(end, begin))
        for (int64_t degree : degrees)
          add(one * double(degree));
    }
  sort(allPeriods);
}

//===----------------------------------------------------------------------===//
// The dynamic program
//===----------------------------------------------------------------------===//

/// From where it makes no difference at which of two positions the next stage
/// begins.
void HarpSearch::compareStarts() {
  int64_t count = numPositions();
  alikeUpTo.assign(count * count, 0);
  for (int64_t one = 0; one + 1 < count; ++one)
    for (int64_t other = 0; other + 1 < count; ++other) {
      int64_t &last = alikeUpTo[one * count + other];
      while (last < std::min(one, other)) {
        int64_t from = order[positions[last + 1] - 1];
        const cluster::Path &left =
            cluster.pathBetween(from, order[positions[one]]);
        const cluster::Path &right =
            cluster.pathBetween(from, order[positions[other]]);
        if (left.bandwidth != right.bandwidth || left.latency != right.latency)
          break;
        ++last;
      }
    }
}

/// Whether stages that end at `position` or before reach the label `by` as well
/// as the other one, and all that is given lets them.
bool HarpSearch::isReachedAsWell(const Label &label, const Label &by,
                                 int64_t position) const {
  bool startsAlike =
      label.begin == by.begin ||
      (!planner.asReleased && label.begin >= 0 && by.begin >= 0 &&
       alikeUpTo[label.begin * numPositions() + by.begin] >= position);
  if (!startsAlike || (tables.model.problem.constraints.maxStages &&
                       by.numStages > label.numStages))
    return false;
  // Where only some positions are looked at, nothing is exact, and keeping all
  // of these takes several times as long.
  if (planner.asReleased || !label.stage || !by.stage ||
      positions.size() <= order.size())
    return true;
  return by.stage->parts <= label.stage->parts &&
         by.stage->way <= label.stage->way;
}

void HarpSearch::insert(const Label &label, int64_t position,
                        std::vector<int64_t> &labels) {
  for (int64_t other : labels)
    if (isDominated(label, arena[other], position))
      return;
  erase_if(labels, [&](int64_t other) {
    return isDominated(arena[other], label, position);
  });
  labels.push_back(arena.size());
  arena.push_back(label);
}

std::optional<HarpSearch::Label> HarpSearch::solve(double period,
                                                   double limit) {
  arena.assign(1, Label());
  states.resize(numCuts() * numPositions());
  for (std::vector<int64_t> &state : states)
    state.clear();
  auto at = [&](int64_t cut, int64_t position) -> std::vector<int64_t> & {
    return states[cut * numPositions() + position];
  };
  int64_t lastPosition = numPositions() - 1;
  for (int64_t position = 0; position <= lastPosition; ++position)
    if (mayLeaveOut() || position == lastPosition)
      at(numCuts() - 1, position) = {0};
  std::optional<int64_t> maxStages = tables.model.problem.constraints.maxStages;
  for (int64_t begin = lastPosition - 1; begin >= 0; --begin)
    for (int64_t cut = numCuts() - 2; cut >= 0; --cut) {
      std::vector<int64_t> &labels = at(cut, begin);
      if (mayLeaveOut())
        labels = at(cut, begin + 1);
      for (const HarpStage &stage : stages(cut, begin)) {
        if (stage.time > period)
          break;
        for (int64_t tail : at(stage.lastCut, stage.end)) {
          const Label &next = arena[tail];
          if (next.cost + stage.time + leastBefore[cut] >= limit)
            continue;
          Label label;
          label.inFlight = 1;
          label.cost = next.cost + stage.time;
          if (next.stage) {
            HarpBoundary between = boundary(stage, *next.stage, next.begin);
            label.cost += between.sum();
            // What takes longest is last.
            if (between.longest() > period ||
                label.cost + leastBefore[cut] >= limit)
              continue;
            label.inFlight = std::min(
                numMicrobatches,
                next.inFlight + delay(between, period, stage.end, next.begin));
          }
          label.numStages = next.numStages + 1;
          if (label.inFlight > stage.limit ||
              (maxStages && label.numStages > *maxStages))
            continue;
          label.begin = begin;
          label.firstCut = cut;
          label.stage = &stage;
          label.rest = tail;
          insert(label, begin, labels);
        }
      }
    }
  std::optional<Label> best;
  for (int64_t index : at(0, 0))
    if (!best || arena[index].cost < best->cost)
      best = arena[index];
  return best;
}

HarpLayout HarpSearch::unwind(const Label &label, double period) const {
  HarpLayout layout;
  layout.value = label.cost + numSteps * period;
  for (const Label *at = &label; at->stage; at = &arena[at->rest]) {
    const HarpStage &stage = *at->stage;
    layout.stages.push_back(
        {{tables.cuts[at->firstCut], tables.cuts[stage.lastCut] - 1},
         search.devicesBetween(at->begin, stage.end).vec(),
         stage.option->tensor,
         stage.mode,
         stage.recompute});
    layout.inFlight.push_back(at->inFlight);
    // From the first stage on: how many more than the next one.
    const Label &next = arena[at->rest];
    layout.published.push_back(
        next.stage
            ? publishedDelay(boundary(stage, *next.stage, next.begin).there,
                             period, stage.end, next.begin)
            : 1);
  }
  int64_t sum = 0;
  for (int64_t &count : reverse(layout.published))
    count = sum = std::min(numMicrobatches, sum + count);
  return layout;
}

/// Tries the periods from `low` to before `end`, all of which need at least
/// `least` beside the period itself. A shorter period never needs less, so that
/// one period that needs too much excludes all shorter ones.
void HarpSearch::explore(size_t low, size_t end, double least) {
  while (true) {
    double wanted = best.value * (1 - tolerance);
    end =
        std::partition_point(
            allPeriods.begin() + low, allPeriods.begin() + end,
            [&](double period) { return least + numSteps * period < wanted; }) -
        allPeriods.begin();
    if (low == end)
      return;
    size_t middle = low + (end - low) / 2;
    std::optional<Label> label =
        solve(allPeriods[middle], wanted - numSteps * allPeriods[low]);
    if (label) {
      consider(*label, allPeriods[middle]);
      explore(low, middle, label->cost);
    }
    low = middle + 1;
  }
}

void HarpSearch::consider(const Label &label, double period) {
  double value = label.cost + numSteps * period;
  if (value < best.value)
    best = unwind(label, period);
}

std::optional<HarpLayout> HarpSearch::run() {
  if (allPeriods.empty())
    return std::nullopt;
  best.value = cutoff;
  if (std::optional<Label> label =
          solve(allPeriods.back(), cutoff - numSteps * allPeriods.front())) {
    consider(*label, allPeriods.back());
    explore(0, allPeriods.size() - 1, label->cost);
  }
  if (best.stages.empty())
    return std::nullopt;
  return std::move(best);
}
