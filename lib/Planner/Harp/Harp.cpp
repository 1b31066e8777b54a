//===- Harp.cpp - Pipelines of stages inside of sub-clusters --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which orders and microbatches the search of Harp.h is run for: coarse cuts
// and positions for all of them, then fine ones for the best few.

#include "hetero/Planner/Harp/Harp.h"
#include "hetero/Planner/Harp/HarpSearch.h"
#include "hetero/Planner/Model/Microbatches.h"
#include "hetero/Planner/Problem/UsableDevices.h"
#include "hetero/Planner/Search/DeviceOrders.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/SmallVectorExtras.h"

using namespace llvm;
using namespace hetero;
using namespace hetero::planner;
using hetero::cluster::Cluster;

/// Where coarse and fine searches cut devices and layers.
static constexpr int64_t coarsePositions = 14, finePositions = 34,
                         coarseCuts = 24, fineCuts = 72;
/// How many orders of sub-clusters are tried, 24 being all of four; how many
/// pairs of order and number of microbatches are searched finely; and how many
/// layouts are evaluated.
static constexpr int64_t mostOrders = 24;
static constexpr size_t fineConfigurations = 4, mostEvaluated = 12;
/// How many are also searched, and evaluated, with the published counts.
static constexpr size_t leanConfigurations = 1, leanEvaluated = 4;
/// A coarse and a fine search may end with a layout whose value is this share
/// above the best one; a coarse one only ranks what is searched finely.
static constexpr double coarseTolerance = 2e-3, fineTolerance = 2e-4;

namespace {
/// A layout and what it was found with.
struct HarpProposal {
  HarpLayout layout;
  size_t order = 0, microbatches = 0;
  /// Whether counts in flight follow the published rule.
  bool published = false;
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
              int64_t numPositions, double tolerance);
  void add(HarpProposal proposal, SearchTables &tables, int64_t numPositions,
           double tolerance);
  std::vector<HarpProposal> takeBest(size_t most);
  std::vector<HarpProposal> takeStarts(size_t most);
  void searchAll();
  void refine();
  std::vector<HarpProposal> searchLean();
  void evaluate(ArrayRef<HarpProposal> proposals);

  PlannerOptions options;
  PlanBuilder builder;
  SearchTables coarse, fine;
  /// Orders of runs, and the ways to cut the batch.
  std::vector<std::vector<std::vector<int64_t>>> orders;
  std::vector<std::vector<int64_t>> microbatches;
  /// Whether few cuts and positions are all there are.
  bool small = false;
  /// How many positions coarse and fine searches look at.
  int64_t few = 0, many = 0;
  std::vector<HarpProposal> found;
  /// The least value of them.
  double best = std::numeric_limits<double>::infinity();
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
  auto numbers = map_to_vector(seq<int64_t>(runs.size()), [](int64_t run) {
    return std::vector<int64_t>{run};
  });
  int64_t most = options.asReleased ? 2 : mostOrders;
  std::vector<std::vector<int64_t>> permutations = permuteRuns(numbers, most);
  for (size_t different :
       findDifferent(problem, builder.model.cluster, permuteRuns(runs, most))) {
    auto &order = orders.emplace_back();
    for (int64_t index : permutations[different])
      order.push_back(runs[index]);
  }
  // Every number of microbatches up to 4, then two for each doubling; as
  // released, those that cut the batch into equal ones.
  double next = 1;
  for (std::vector<int64_t> &sizes : microbatchOptions(problem)) {
    auto number = double(sizes.size());
    if (options.asReleased ? sizes.front() != sizes.back() : number < next)
      continue;
    next = number < 4 ? number + 1 : number * 1.4;
    microbatches.push_back(std::move(sizes));
  }
  if (microbatches.empty())
    microbatches = microbatchOptions(problem);
}

bool HarpPlanner::search(HarpProposal &proposal, SearchTables &tables,
                         int64_t numPositions, double tolerance) {
  // The value of a coarse search may be too high, but not by much.
  double cutoff = best * 1.1;
  ArrayRef<int64_t> sizes = microbatches[proposal.microbatches];
  HarpSearch search(tables, options, orders[proposal.order], numPositions,
                    *max_element(sizes), sizes.size(), cutoff, tolerance,
                    proposal.published);
  std::optional<HarpLayout> layout = search.run();
  if (layout)
    proposal.layout = std::move(*layout);
  return layout.has_value();
}

void HarpPlanner::add(HarpProposal proposal, SearchTables &tables,
                      int64_t numPositions, double tolerance) {
  if (deadline.isOver() || !search(proposal, tables, numPositions, tolerance))
    return;
  best = std::min(best, proposal.layout.value);
  found.push_back(std::move(proposal));
}

/// Copies of the best that were found, the best first.
std::vector<HarpProposal> HarpPlanner::takeBest(size_t most) {
  sort(found, [](const HarpProposal &left, const HarpProposal &right) {
    return std::tie(left.layout.value, left.microbatches, left.order) <
           std::tie(right.layout.value, right.microbatches, right.order);
  });
  return ArrayRef(found).take_front(std::min(found.size(), most)).vec();
}

void HarpPlanner::evaluate(ArrayRef<HarpProposal> proposals) {
  for (auto [index, proposal] : enumerate(proposals)) {
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
    SmallVector<ArrayRef<int64_t>, 2> wanted = {proposal.layout.inFlight};
    if (!options.asReleased && index < leanEvaluated &&
        proposal.layout.published != proposal.layout.inFlight)
      wanted.push_back(proposal.layout.published);
    for (ArrayRef<int64_t> list : wanted) {
      std::vector<int64_t> counts;
      int64_t before = plan.microbatches.size();
      for (auto [limit, count] : zip_equal(limits, list))
        counts.push_back(before = std::min({limit, count, before}));
      builder.setInFlight(plan, counts, Division::Even);
      selection.add(builder.complete(plan));
    }
  }
}

/// The best for all configurations, with few cuts and positions.
void HarpPlanner::searchAll() {
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
        return;
      add({{}, order, index}, coarse, few,
          small ? fineTolerance : coarseTolerance);
    }
}

/// The best configurations, or those with the smallest microbatches if nothing
/// fits.
std::vector<HarpProposal> HarpPlanner::takeStarts(size_t most) {
  std::vector<HarpProposal> starts = takeBest(most);
  if (starts.empty())
    for (size_t order = 0; order < orders.size(); ++order)
      starts.push_back({{}, order, microbatches.size() - 1});
  return starts;
}

/// More cuts and positions for the best configurations.
void HarpPlanner::refine() {
  for (HarpProposal &proposal : takeStarts(fineConfigurations))
    add(std::move(proposal), fine, many, fineTolerance);
}

/// Counts by the published rule for the best configurations: with fewer in
/// flight, stages fit that are faster. They are not compared with the others,
/// as they seem to cost nothing.
std::vector<HarpProposal> HarpPlanner::searchLean() {
  std::vector<HarpProposal> lean = takeStarts(leanConfigurations);
  for (HarpProposal &proposal : lean)
    proposal.published = true;
  auto findsNone = [&](SearchTables &tables, int64_t numPositions) {
    return [&, numPositions](HarpProposal &proposal) {
      return deadline.isOver() ||
             !search(proposal, tables, numPositions, coarseTolerance);
    };
  };
  std::vector<HarpProposal> refined = lean;
  erase_if(lean, findsNone(coarse, few));
  if (small)
    return lean;
  if (!lean.empty())
    refined = {*min_element(lean, [](const auto &left, const auto &right) {
      return left.layout.value < right.layout.value;
    })};
  erase_if(refined, findsNone(fine, many));
  append_range(lean, refined);
  return lean;
}

Expected<Plan> HarpPlanner::plan(ArrayRef<int64_t> devices) {
  findConfigurations(devices);
  int64_t numLayers = builder.model.problem.layers.size();
  int64_t numDevices = devices.size();
  // As released, every device is a position of its own.
  small = numDevices < coarsePositions && numLayers <= coarseCuts;
  few = options.asReleased ? numDevices + 1 : coarsePositions;
  many = options.asReleased ? numDevices + 1 : finePositions;
  searchAll();
  if (!small)
    refine();
  evaluate(takeBest(mostEvaluated));
  if (!options.asReleased)
    evaluate(searchLean());
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
