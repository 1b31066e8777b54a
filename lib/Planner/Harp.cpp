//===- Harp.cpp - Pipelines of stages inside of sub-clusters --------------===//
//
// Part of the hetero project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which orders and microbatches the search of Harp.h is run for: coarse cuts
// and positions for all of them, then fine ones for the best few.
//
//===----------------------------------------------------------------------===//

#include "Harp.h"
#include "DeviceOrders.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace hetero;
using namespace hetero::planner;
using hetero::cluster::Cluster;

/// Where coarse and fine searches cut devices and layers.
static constexpr int64_t coarsePositions = 14, finePositions = 34,
                         coarseCuts = 24, fineCuts = 72;
/// How many orders are tried, how many configurations are searched finely, and
/// how many layouts are evaluated.
static constexpr int64_t mostOrders = 24;
static constexpr size_t fineConfigurations = 4, mostEvaluated = 12;
/// How much better than what is found other layouts may be, as a share.
static constexpr double coarseTolerance = 2e-3, fineTolerance = 2e-4;

namespace {
/// A layout and what it was found with.
struct HarpProposal {
  HarpLayout layout;
  size_t order = 0, microbatches = 0;
};

class HarpPlanner {
public:
  HarpPlanner(const Problem &problem, const Cluster &cluster,
              const PlannerOptions &given)
      : options(restrict(given)), builder(problem, cluster, options),
        coarse(builder.model, coarseCuts), fine(builder.model, fineCuts),
        deadline(given.timeBudget) {}

  Expected<Plan> plan(ArrayRef<int64_t> devices);

private:
  static PlannerOptions restrict(PlannerOptions options);
  void findConfigurations(ArrayRef<int64_t> devices);
  bool search(HarpProposal &proposal, SearchTables &tables,
              int64_t numPositions, double tolerance, double cutoff);
  void evaluate(ArrayRef<HarpProposal> proposals);

  PlannerOptions options;
  PlanBuilder builder;
  SearchTables coarse, fine;
  /// Orders of runs, and the ways to cut the batch.
  std::vector<std::vector<std::vector<int64_t>>> orders;
  std::vector<std::vector<int64_t>> microbatches;
  Selection selection;
  Deadline deadline;
};
} // namespace

/// The release divides the optimizer state and always recomputes.
PlannerOptions HarpPlanner::restrict(PlannerOptions options) {
  if (options.asReleased &&
      is_contained(options.stateModes, StateMode::Optimizer))
    options.stateModes = {StateMode::Optimizer};
  return options;
}

void HarpPlanner::findConfigurations(ArrayRef<int64_t> devices) {
  const Problem &problem = builder.model.problem;
  std::vector<std::vector<int64_t>> runs =
      findRuns(builder.model.cluster, devices, /*mostByNode=*/4);
  std::vector<std::vector<int64_t>> numbers;
  for (size_t i = 0; i < runs.size(); ++i)
    numbers.push_back({int64_t(i)});
  int64_t most = options.asReleased ? 2 : mostOrders;
  std::vector<std::vector<int64_t>> permutations = permuteRuns(numbers, most);
  for (size_t different :
       findDifferent(problem, builder.model.cluster, permuteRuns(runs, most))) {
    auto &order = orders.emplace_back();
    for (int64_t index : permutations[different])
      order.push_back(runs[index]);
  }
  // Each up to 4, then two for each doubling; as released, equal ones.
  double next = 1;
  for (std::vector<int64_t> &sizes : microbatchOptions(problem)) {
    auto number = static_cast<double>(sizes.size());
    if (options.asReleased ? sizes.front() != sizes.back() : number < next)
      continue;
    next = number < 4 ? number + 1 : number * 1.4;
    microbatches.push_back(std::move(sizes));
  }
  if (microbatches.empty())
    microbatches = microbatchOptions(problem);
}

bool HarpPlanner::search(HarpProposal &proposal, SearchTables &tables,
                         int64_t numPositions, double tolerance,
                         double cutoff) {
  ArrayRef<int64_t> sizes = microbatches[proposal.microbatches];
  HarpSearch search(tables, options, orders[proposal.order], numPositions,
                    *max_element(sizes), sizes.size(), cutoff, tolerance);
  std::optional<HarpLayout> layout = search.run();
  if (!layout)
    return false;
  proposal.layout = std::move(*layout);
  return true;
}

void HarpPlanner::evaluate(ArrayRef<HarpProposal> proposals) {
  for (const HarpProposal &proposal : proposals) {
    if (deadline.isOver() && selection.found())
      return;
    // The counts of the search are for one schedule.
    if (options.schedule != ScheduleKind::HeteroOneFOneB) {
      selection.add(builder.build(microbatches[proposal.microbatches],
                                  proposal.layout.stages, Division::Even));
      continue;
    }
    Plan plan = builder.draft(microbatches[proposal.microbatches],
                              proposal.layout.stages, Division::Even);
    std::vector<int64_t> limits = builder.findLimits(plan, Division::Even);
    int64_t before = plan.microbatches.size();
    for (auto [limit, wanted] : zip_equal(limits, proposal.layout.inFlight))
      before = limit = std::min({limit, wanted, before});
    builder.setInFlight(plan, limits, Division::Even);
    selection.add(builder.complete(std::move(plan)));
  }
}

Expected<Plan> HarpPlanner::plan(ArrayRef<int64_t> devices) {
  findConfigurations(devices);
  int64_t numLayers = builder.model.problem.layers.size();
  int64_t numDevices = devices.size();
  // As released, every device is a position of its own.
  bool small = numDevices < coarsePositions && numLayers <= coarseCuts;
  int64_t few = options.asReleased ? numDevices + 1 : coarsePositions;
  int64_t many = options.asReleased ? numDevices + 1 : finePositions;
  std::vector<HarpProposal> found;
  double best = std::numeric_limits<double>::infinity();
  // The best numbers are likely to be those in the middle, and make it quick to
  // see that others are worse.
  std::vector<size_t> indices;
  for (size_t step = microbatches.size(); step > 0; step /= 2)
    for (size_t index = step / 2; index < microbatches.size(); index += step)
      if (!is_contained(indices, index))
        indices.push_back(index);
  for (size_t index : indices)
    for (size_t order = 0; order < orders.size(); ++order) {
      if (deadline.isOver())
        break;
      HarpProposal proposal = {{}, order, index};
      // The coarse value may be too high, but not by much.
      if (!search(proposal, coarse, few,
                  small ? fineTolerance : coarseTolerance, best * 1.1))
        continue;
      best = std::min(best, proposal.layout.value);
      found.push_back(std::move(proposal));
    }
  auto sortFound = [&]() {
    sort(found, [](const HarpProposal &left, const HarpProposal &right) {
      return std::tie(left.layout.value, left.microbatches, left.order) <
             std::tie(right.layout.value, right.microbatches, right.order);
    });
  };
  sortFound();
  if (!small) {
    std::vector<HarpProposal> refined;
    for (HarpProposal proposal :
         ArrayRef(found).take_front(std::min(found.size(), fineConfigurations)))
      if (!deadline.isOver() &&
          search(proposal, fine, many, fineTolerance, best * 1.1)) {
        best = std::min(best, proposal.layout.value);
        refined.push_back(std::move(proposal));
      }
    found.insert(found.end(), refined.begin(), refined.end());
    sortFound();
  }
  evaluate(ArrayRef(found).take_front(std::min(found.size(), mostEvaluated)));
  if (!selection.found()) {
    Selection closest;
    builder.addClosest({devices.vec()}, closest);
    if (!closest.found())
      return closest.take("harp", builder.model);
    if (!options.asReleased)
      selection = std::move(closest);
  }
  return selection.take("harp", builder.model);
}

Expected<Plan> hetero::planner::planHarp(const Problem &problem,
                                         const Cluster &cluster,
                                         const PlannerOptions &options) {
  if (Error error = check(problem, cluster))
    return error;
  Expected<std::vector<int64_t>> devices = requireDevices(problem, cluster);
  if (!devices)
    return devices.takeError();
  for (const Pin &pin : problem.constraints.pins)
    if (pin.stage)
      return createStringError(
          "the planner 'harp' finds the number of stages itself, but layer " +
          Twine(pin.layer) + " is pinned to stage " + Twine(*pin.stage));
  return HarpPlanner(problem, cluster, options).plan(*devices);
}
