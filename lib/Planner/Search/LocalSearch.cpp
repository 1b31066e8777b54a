//===- LocalSearch.cpp - Designs that differ a little ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Planner/Search/LocalSearch.h"
#include "hetero/Planner/Problem/UsableDevices.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace hetero;
using namespace hetero::planner;

/// A neighbour is better if it is below this share of the current value: sums
/// in another order differ by rounding, and would go round in circles.
static constexpr double margin = 1 - 1e-6;
/// By how many layers a boundary moves alone, and together with a row; stages
/// how far apart give a row to each other, and exchange rows; up to how many
/// stages all pairs change places. Designs that are further apart are reached
/// in several moves.
static constexpr int64_t cutMoves[] = {-1, 1, -2, 2, -4, 4};
static constexpr int64_t cutMovesWithRow[] = {-3, -2, -1, 1, 2, 3};
static constexpr size_t rowReach = 2, exchangeReach = 3, fewStages = 6;

bool LocalSearch::tryDesign(Design design) {
  if (left <= 0)
    return false;
  --left;
  double time = value(design, currentValue * margin);
  if (!(time < currentValue * margin))
    return false;
  currentValue = time;
  current = std::move(design);
  return true;
}

//===----------------------------------------------------------------------===//
// Layers
//===----------------------------------------------------------------------===//

/// Moves the boundary after a stage; false if nothing would be left.
static bool moveBoundary(Design &design, size_t stage, int64_t by) {
  LayerRun &before = design.stages[stage].layers;
  LayerRun &after = design.stages[stage + 1].layers;
  if (before.last + by < before.first || after.first + by > after.last)
    return false;
  before.last += by;
  after.first += by;
  return true;
}

bool LocalSearch::moveCuts() {
  for (size_t i = 0; i + 1 < current.stages.size(); ++i)
    for (int64_t by : cutMoves) {
      Design next = current;
      if (moveBoundary(next, i, by) && tryDesign(std::move(next)))
        return true;
    }
  return false;
}

/// Gives the stages as many layers as the lengths say, in order.
static void setLengths(Design &design, ArrayRef<int64_t> lengths) {
  int64_t first = 0;
  for (auto [stage, length] : zip_equal(design.stages, lengths)) {
    stage.layers = {first, first + length - 1};
    first += length;
  }
}

static std::vector<int64_t> lengthsOf(const Design &design) {
  std::vector<int64_t> lengths;
  lengths.reserve(design.stages.size());
  for (const StageChoice &stage : design.stages)
    lengths.push_back(stage.layers.last - stage.layers.first + 1);
  return lengths;
}

/// Two stages change places with their layers.
static void exchangeStages(Design &design, size_t one, size_t other) {
  std::vector<int64_t> lengths = lengthsOf(design);
  std::swap(design.stages[one], design.stages[other]);
  std::swap(lengths[one], lengths[other]);
  setLengths(design, lengths);
}

bool LocalSearch::changeOrder() {
  if (current.stages.size() < 2)
    return false;
  Design reversed = current;
  std::vector<int64_t> lengths = lengthsOf(current);
  std::reverse(reversed.stages.begin(), reversed.stages.end());
  setLengths(reversed, std::vector<int64_t>(lengths.rbegin(), lengths.rend()));
  if (tryDesign(std::move(reversed)))
    return true;
  size_t count = current.stages.size(), reach = count <= fewStages ? count : 2;
  for (size_t i = 0; i < current.stages.size(); ++i)
    for (size_t j = i + 1; j < std::min(count, i + reach); ++j) {
      Design next = current;
      exchangeStages(next, i, j);
      if (tryDesign(std::move(next)))
        return true;
    }
  return false;
}

//===----------------------------------------------------------------------===//
// Devices
//===----------------------------------------------------------------------===//

std::vector<std::vector<int64_t>>
LocalSearch::takeable(const StageChoice &stage, int64_t degree) const {
  std::map<std::pair<int64_t, int64_t>, std::vector<int64_t>> kinds;
  for (int64_t device : stage.devices)
    kinds[{cluster.devices[device].deviceClass, cluster.devices[device].node}]
        .push_back(device);
  std::vector<std::vector<int64_t>> rows;
  int64_t count = std::max(degree, stage.tensor);
  for (auto &[key, devices] : kinds)
    if (int64_t(devices.size()) >= count && count % stage.tensor == 0 &&
        count % degree == 0)
      rows.emplace_back(devices.end() - count, devices.end());
  return rows;
}

static void removeDevices(StageChoice &stage, ArrayRef<int64_t> devices) {
  erase_if(stage.devices,
           [&](int64_t device) { return is_contained(devices, device); });
}

/// Puts devices next to those of their class.
static void addDevices(const cluster::Cluster &cluster, StageChoice &stage,
                       ArrayRef<int64_t> devices) {
  const cluster::Device &first = cluster.devices[devices.front()];
  size_t at = stage.devices.size();
  for (size_t i = 0; i < stage.devices.size(); i += stage.tensor) {
    const cluster::Device &other = cluster.devices[stage.devices[i]];
    if (other.deviceClass == first.deviceClass && other.node == first.node)
      at = i + stage.tensor;
  }
  stage.devices.insert(stage.devices.begin() + at, devices.begin(),
                       devices.end());
}

/// A row of one stage to another, with the boundary between them if they are
/// neighbours.
bool LocalSearch::moveRow(size_t from, size_t to) {
  for (const std::vector<int64_t> &row :
       takeable(current.stages[from], current.stages[to].tensor)) {
    if (row.size() == current.stages[from].devices.size())
      continue;
    Design next = current;
    removeDevices(next.stages[from], row);
    addDevices(cluster, next.stages[to], row);
    if (tryDesign(next))
      return true;
    if (from + 1 != to && to + 1 != from)
      continue;
    for (int64_t by : cutMovesWithRow) {
      Design shifted = next;
      if (moveBoundary(shifted, std::min(from, to), by) &&
          tryDesign(std::move(shifted)))
        return true;
    }
  }
  return false;
}

bool LocalSearch::moveRows() {
  size_t count = current.stages.size();
  for (size_t from = 0; from < count; ++from)
    for (size_t to = 0; to < count; ++to)
      if (from != to && (from < to ? to - from : from - to) <= rowReach &&
          current.stages[from].devices.size() > 1 && moveRow(from, to))
        return true;
  return false;
}

bool LocalSearch::exchangeRows() {
  size_t count = current.stages.size();
  for (size_t i = 0; i < count; ++i)
    for (size_t j = i + 1; j < std::min(count, i + exchangeReach + 1); ++j)
      for (const std::vector<int64_t> &left :
           takeable(current.stages[i], current.stages[j].tensor))
        for (const std::vector<int64_t> &right :
             takeable(current.stages[j], current.stages[i].tensor)) {
          if (left.size() != right.size() ||
              cluster.devices[left.front()].deviceClass ==
                  cluster.devices[right.front()].deviceClass)
            continue;
          Design next = current;
          removeDevices(next.stages[i], left);
          removeDevices(next.stages[j], right);
          addDevices(cluster, next.stages[i], right);
          addDevices(cluster, next.stages[j], left);
          if (tryDesign(std::move(next)))
            return true;
        }
  return false;
}

/// A row of devices that are not used, to any stage or as a stage of its own.
bool LocalSearch::useMore() {
  std::vector<bool> used(cluster.devices.size(), false);
  for (const StageChoice &stage : current.stages)
    for (int64_t device : stage.devices)
      used[device] = true;
  StageChoice all;
  all.devices = usableDevices(builder.model.problem, cluster);
  erase_if(all.devices, [&](int64_t device) { return used[device]; });
  if (all.devices.empty())
    return false;
  for (size_t i = 0; i < current.stages.size(); ++i)
    for (const std::vector<int64_t> &row :
         takeable(all, current.stages[i].tensor)) {
      Design next = current;
      addDevices(cluster, next.stages[i], row);
      if (tryDesign(std::move(next)))
        return true;
    }
  for (const std::vector<int64_t> &row : takeable(all, 1))
    for (size_t i = 0; i <= current.stages.size(); ++i) {
      // It takes layers of the stage before or after it.
      size_t giver = std::min(i, current.stages.size() - 1);
      LayerRun layers = current.stages[giver].layers;
      int64_t length = layers.last - layers.first + 1;
      for (int64_t taken : {int64_t(1), length / 2}) {
        if (taken < 1 || taken >= length)
          continue;
        Design next = current;
        StageChoice stage;
        stage.devices = row;
        LayerRun &rest = next.stages[giver].layers;
        if (giver == i) {
          stage.layers = {rest.first, rest.first + taken - 1};
          rest.first += taken;
        } else {
          stage.layers = {rest.last - taken + 1, rest.last};
          rest.last -= taken;
        }
        next.stages.insert(next.stages.begin() + i, stage);
        if (tryDesign(std::move(next)))
          return true;
      }
    }
  return false;
}

bool LocalSearch::dropRows() {
  for (size_t i = 0; i < current.stages.size(); ++i)
    for (const std::vector<int64_t> &row :
         takeable(current.stages[i], current.stages[i].tensor)) {
      if (row.size() == current.stages[i].devices.size())
        continue;
      Design next = current;
      removeDevices(next.stages[i], row);
      if (tryDesign(std::move(next)))
        return true;
    }
  return false;
}

//===----------------------------------------------------------------------===//
// Options
//===----------------------------------------------------------------------===//

bool LocalSearch::changeOptions() {
  const PlannerOptions &options = builder.options;
  for (size_t i = 0; i < current.stages.size(); ++i) {
    const StageChoice &stage = current.stages[i];
    std::vector<int64_t> degrees = {stage.tensor};
    if (options.tensorParallel) {
      degrees.push_back(1);
      append_range(
          degrees,
          builder.model.problem.layers[stage.layers.first].tensorDegrees);
    }
    int64_t count = stage.devices.size();
    for (int64_t degree : degrees)
      for (StateMode mode : options.stateModes)
        for (bool recompute : {false, true}) {
          if (count % degree != 0 || (recompute && !options.recompute) ||
              (count == degree && mode != options.stateModes.front()))
            continue;
          Design next = current;
          next.stages[i].tensor = degree;
          next.stages[i].state = mode;
          next.stages[i].recompute = recompute;
          if (!(next == current) && tryDesign(std::move(next)))
            return true;
        }
  }
  if (!options.recompute)
    return false;
  for (bool recompute : {false, true}) {
    Design next = current;
    for (StageChoice &stage : next.stages)
      stage.recompute = recompute;
    if (!(next == current) && tryDesign(std::move(next)))
      return true;
  }
  return false;
}

bool LocalSearch::changeMicrobatches() {
  auto count = double(microbatches[current.microbatches].size());
  std::vector<size_t> tried = {current.microbatches};
  auto tryNumber = [&](size_t number) {
    if (is_contained(tried, number))
      return false;
    tried.push_back(number);
    Design next = current;
    next.microbatches = number;
    return tryDesign(std::move(next));
  };
  for (size_t by : {1, 2, 3}) {
    if (current.microbatches >= by && tryNumber(current.microbatches - by))
      return true;
    if (current.microbatches + by < microbatches.size() &&
        tryNumber(current.microbatches + by))
      return true;
  }
  for (double factor : {0.5, 2.0, 0.75, 1.33}) {
    auto distance = [&](ArrayRef<int64_t> sizes) {
      return std::fabs(double(sizes.size()) - count * factor);
    };
    const auto *nearest = llvm::min_element(
        microbatches, [&](ArrayRef<int64_t> left, ArrayRef<int64_t> right) {
          return distance(left) < distance(right);
        });
    if (tryNumber(nearest - microbatches.begin()))
      return true;
  }
  return false;
}

/// Makes one of a stage and the next; false if rows differ.
static bool joinStages(Design &design, size_t index) {
  StageChoice &stage = design.stages[index];
  const StageChoice &after = design.stages[index + 1];
  if (stage.tensor != after.tensor)
    return false;
  stage.layers.last = after.layers.last;
  append_range(stage.devices, after.devices);
  design.stages.erase(design.stages.begin() + index + 1);
  return true;
}

bool LocalSearch::changeStages() {
  for (size_t i = 0; i + 1 < current.stages.size(); ++i) {
    Design next = current;
    if (joinStages(next, i) && tryDesign(std::move(next)))
      return true;
  }
  for (size_t i = 0; i < current.stages.size(); ++i) {
    const StageChoice &stage = current.stages[i];
    int64_t length = stage.layers.last - stage.layers.first + 1;
    int64_t rows = int64_t(stage.devices.size()) / stage.tensor;
    if (length < 2 || rows < 2)
      continue;
    for (int64_t given : {rows / 2, int64_t(1), rows - 1}) {
      // Layers in proportion to devices, and one more or fewer.
      int64_t fair = std::max<int64_t>(1, length * given / rows);
      for (int64_t layers : {fair, fair - 1, fair + 1}) {
        if (layers < 1 || layers >= length)
          continue;
        Design next = current;
        StageChoice second = stage;
        int64_t cut = given * stage.tensor;
        StageChoice &first = next.stages[i];
        first.layers.last = first.layers.first + layers - 1;
        second.layers.first = first.layers.last + 1;
        first.devices.resize(cut);
        second.devices.erase(second.devices.begin(),
                             second.devices.begin() + cut);
        next.stages.insert(next.stages.begin() + i + 1, second);
        if (tryDesign(std::move(next)))
          return true;
      }
    }
  }
  return false;
}

Design LocalSearch::shake(Design design, std::mt19937 &random) const {
  auto pick = [&](size_t number) { return random() % number; };
  size_t changes = 2 + pick(2);
  for (size_t i = 0; i < changes; ++i) {
    size_t count = design.stages.size();
    size_t from = pick(count), to = pick(count);
    switch (pick(5)) {
    case 0:
      if (from + 1 < count)
        moveBoundary(design, from, int64_t(pick(7)) - 3);
      break;
    case 1: {
      std::vector<std::vector<int64_t>> rows =
          takeable(design.stages[from], design.stages[to].tensor);
      if (from == to || rows.empty())
        break;
      const std::vector<int64_t> &row = rows[pick(rows.size())];
      if (row.size() == design.stages[from].devices.size())
        break;
      removeDevices(design.stages[from], row);
      addDevices(cluster, design.stages[to], row);
      break;
    }
    case 2:
      exchangeStages(design, from, to);
      break;
    case 3:
      design.microbatches =
          std::min(microbatches.size() - 1,
                   size_t(std::max<int64_t>(0, int64_t(design.microbatches) +
                                                   int64_t(pick(7)) - 3)));
      break;
    default:
      if (from + 1 < count)
        joinStages(design, from);
      break;
    }
  }
  return design;
}

void LocalSearch::improve(Design &design, double &best, int64_t &work) {
  current = design;
  currentValue = best;
  left = work;
  while (left > 0 && (moveCuts() || changeMicrobatches() || moveRows() ||
                      useMore() || changeOrder() || changeOptions() ||
                      changeStages() || exchangeRows() || dropRows()))
    ;
  work = std::max<int64_t>(0, left);
  if (currentValue < best) {
    design = std::move(current);
    best = currentValue;
  }
}
