//===- JointPlanner.cpp - All decisions together --------------------------===//
//
// Part of the hetero project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which orders, cuts and microbatches the search of StageSearch.h is run for.
// All of them would be too many, so first a few orders are tried with many
// numbers of microbatches and coarse cuts, then all orders with the best
// numbers, then fine cuts for the best of both. The search misranks, so that
// what it finds is estimated (StagePool.h); the best designs, and those of the
// other planners, are improved (LocalSearch.h); the best of all are evaluated
// exactly; and the best of those with other schedules (OtherSchedules.h).
//
// The search of planStages is the first part: the same orders, without the
// plans of larger searches as cutoffs, so that what it finds is found here.
//
// What is independent runs in two threads: the other planners beside the first
// part, every second design that is improved, the certificate beside all that
// comes after the first part.
// How much each of them does is counted, so that the plan does not depend on
// the machine.
//
//===----------------------------------------------------------------------===//

#include "JointPlanner.h"
#include "hetero/Planner/Baselines/DataParallel.h"
#include "hetero/Planner/Bounds/Certificate.h"
#include "hetero/Planner/Harp/Harp.h"
#include "hetero/Planner/Joint/GroupSearch.h"
#include "hetero/Planner/Joint/Joint.h"
#include "hetero/Planner/Joint/NodeSearch.h"
#include "hetero/Planner/Model/Verify.h"
#include "hetero/Planner/Problem/UsableDevices.h"
#include "hetero/Planner/Search/DeviceOrders.h"
#include "hetero/Planner/Search/LocalSearch.h"
#include "hetero/Planner/Search/OtherSchedules.h"
#include "llvm/ADT/STLExtras.h"
#include <atomic>
#include <random>

using namespace llvm;
using namespace hetero;
using namespace hetero::planner;
using hetero::cluster::Cluster;

/// Where a coarse search cuts devices, also if there are many, and layers, and
/// a fine one layers.
static constexpr int64_t coarsePositions = 10, morePositions = 16,
                         coarseCuts = 24, fineCuts = 72;
/// More devices than these are many.
static constexpr int64_t manyDevices = 64;
/// On more than these, stages of whole nodes are usually better than what is
/// improved device by device, which gets half of the work.
static constexpr int64_t hundredsOfDevices = 256;
/// How many labels a state keeps, how many orders are tried with all numbers of
/// microbatches, and how many numbers and configurations go on.
static constexpr size_t labelsPerState = 6, firstOrders = 4,
                        bestMicrobatches = 6, bestConfigurations = 10;
/// How many designs are improved and evaluated exactly.
static constexpr size_t mostImproved = 14, mostEvaluated = 32;
/// How many plans are tried with other schedules, also where designs of groups
/// have been, and how many of them have the same number of microbatches. Which
/// schedule is fastest depends on it.
static constexpr size_t mostScheduled = 10, mostScheduledBeside = 4,
                        mostAlike = 3;
/// How many designs are improved for split backwards, how many with the same
/// number of microbatches are looked at for that, and how much longer they may
/// take with whole ones than the best.
static constexpr size_t mostSplit = 5, splitLooks = 4;
static constexpr double splitSlack = 1.5;
/// On many devices: for how many orders of classes stages of whole nodes are
/// searched, how many of these designs and of the regular ones among them are
/// estimated, how many of the best are tried with all schedules, and how many
/// are improved further.
static constexpr int64_t groupOrders = 4;
static constexpr size_t mostGroups = 120, mostRegular = 40, groupsScheduled = 9,
                        groupStarts = 3;
/// How many designs with one number of microbatches are evaluated.
static constexpr size_t mostEvaluatedAlike = 10;
/// The value of a layout is an estimate, which may be too high by this; in
/// small problems what is better with split backwards is looked at as well.
static constexpr double slack = 1.12, smallSlack = 1.4;
static constexpr double infinity = std::numeric_limits<double>::infinity();

JointPlanner::JointPlanner(const Problem &problem, const Cluster &cluster,
                           const PlannerOptions &options, bool thorough)
    : problem(problem), cluster(cluster), options(options), thorough(thorough),
      estimator(problem, cluster, options), builder(estimator.builder),
      coarseTables(builder.model, coarseCuts),
      fineTables(builder.model, fineCuts), deadline(options.timeBudget) {}

//===----------------------------------------------------------------------===//
// Designs
//===----------------------------------------------------------------------===//

bool JointPlanner::isPossible(const Design &design) const {
  const Constraints &constraints = problem.constraints;
  int64_t numStages = design.stages.size();
  if (constraints.maxStages && numStages > *constraints.maxStages)
    return false;
  for (auto [index, stage] : enumerate(design.stages)) {
    int64_t count = stage.devices.size();
    if (count == 0 || count % stage.tensor != 0 ||
        count / stage.tensor > microbatches[design.microbatches].front())
      return false;
    for (int64_t layer = stage.layers.first;
         stage.tensor > 1 && layer <= stage.layers.last; ++layer)
      if (!is_contained(problem.layers[layer].tensorDegrees, stage.tensor))
        return false;
    if (!rowsAreUniform(cluster, stage.devices, stage.tensor))
      return false;
    for (const Pin &pin : constraints.pins) {
      if (pin.layer < stage.layers.first || pin.layer > stage.layers.last)
        continue;
      if (pin.stage && *pin.stage != int64_t(index))
        return false;
      if (!pin.devices.empty() && any_of(stage.devices, [&](int64_t device) {
            return !is_contained(pin.devices, device);
          }))
        return false;
    }
  }
  return true;
}

Estimate JointPlanner::estimate(const Design &design, Estimator &by,
                                double cutoff) const {
  if (!isPossible(design))
    return {};
  return by.pool(design.microbatches, microbatches[design.microbatches])
      .estimate(design.stages, cutoff);
}

void JointPlanner::add(Design design) {
  Estimate value = estimate(design, estimator);
  if (value.seconds == infinity)
    return;
  best = std::min(best, value.seconds);
  found.push_back({std::move(design), std::move(value), found.size()});
}

void JointPlanner::sortFound() {
  sort(found, [](const FoundDesign &left, const FoundDesign &right) {
    return std::tie(left.estimate.seconds, left.number) <
           std::tie(right.estimate.seconds, right.number);
  });
}

//===----------------------------------------------------------------------===//
// Baselines
//===----------------------------------------------------------------------===//

/// The design of another plan, if it is one.
void JointPlanner::addSeed(const Plan &plan) {
  Design design;
  auto at = find(microbatches, plan.microbatches);
  if (at == microbatches.end())
    return;
  design.microbatches = at - microbatches.begin();
  for (const Stage &stage : plan.stages) {
    if (stage.layers.size() != 1)
      return;
    design.stages.push_back({stage.layers.front(), stage.mesh.devices,
                             stage.mesh.tensor, stage.state, stage.recompute});
  }
  add(std::move(design));
}

void JointPlanner::addBaseline(Plan plan) {
  best = std::min(best, toSeconds(plan.predicted));
  addSeed(plan);
  consider({std::move(plan), std::nullopt});
}

std::optional<Candidate> JointPlanner::ask(const PlannerEntry &planner) const {
  if (isOver())
    return std::nullopt;
  PlannerOptions quiet = options;
  quiet.onBetter = nullptr;
  quiet.dataParallel = false;
  quiet.timeBudget = deadline.left();
  return takeCandidate(planner.plan(problem, cluster, quiet));
}

/// A plan that does not fit still tells how much is missing.
void JointPlanner::addAnswer(std::optional<Candidate> answer) {
  if (answer && answer->shortage)
    selection.add(std::move(*answer));
  else if (answer)
    addBaseline(std::move(answer->plan));
}

/// Those whose plans planStages starts from.
static bool isQuick(const PlannerEntry &planner) {
  return planner.plan == planSingle || planner.plan == planDpEven ||
         planner.plan == planDpProportional;
}

/// The plan of planStages.
void JointPlanner::searchQuickly() {
  for (const PlannerEntry &planner : jointBaselines())
    if (isQuick(planner))
      addAnswer(ask(planner));
  searchAll();
  evaluateBest(options.candidates, std::numeric_limits<size_t>::max());
}

/// Beside all that follows; it needs the time of some plan.
void JointPlanner::startCertificate() {
  if (certifies && selection.found() && !isOver())
    certificate.emplace([&, known = selection.get()->plan.predicted] {
      certified = computeCertificate(problem, cluster, known, options.effort);
    });
}

/// The other planners' plans are candidates as well, and a good start.
void JointPlanner::addOthers() {
  std::vector<const PlannerEntry *> list;
  for (const PlannerEntry &planner : jointBaselines())
    if (!isQuick(planner))
      list.push_back(&planner);
  // What takes longest comes first.
  std::stable_partition(
      list.begin(), list.end(),
      [](const PlannerEntry *entry) { return entry->plan == planHarp; });
  std::vector<std::optional<Candidate>> answers(list.size());
  std::atomic<size_t> next = 0;
  auto run = [&]() {
    for (size_t index = next++; index < list.size(); index = next++)
      answers[index] = ask(*list[index]);
  };
  std::thread beside(run);
  searchQuickly();
  startCertificate();
  run();
  beside.join();
  for (std::optional<Candidate> &answer : answers)
    addAnswer(std::move(answer));
}

//===----------------------------------------------------------------------===//
// Searches
//===----------------------------------------------------------------------===//

/// Adds lines that are not like those that are there.
void JointPlanner::addOrders(std::vector<std::vector<int64_t>> more) {
  int64_t most = std::max<int64_t>(1, options.maxOrders);
  std::vector<std::vector<int64_t>> all = std::move(orders);
  all.insert(all.end(), more.begin(), more.end());
  orders.clear();
  for (size_t index : findDifferent(problem, cluster, all))
    if (int64_t(orders.size()) < most)
      orders.push_back(std::move(all[index]));
}

/// All numbers up to 4, those that divide the batch, and two for each doubling
/// are searched.
void JointPlanner::chooseMicrobatches() {
  microbatches = microbatchOptions(problem);
  double next = 1;
  for (auto [index, sizes] : enumerate(microbatches)) {
    auto count = static_cast<double>(sizes.size());
    if (count < next && sizes.front() != sizes.back())
      continue;
    if (count >= next)
      next = count < 4 ? count + 1 : count * 1.4;
    searched.push_back(index);
  }
}

void JointPlanner::search(Configuration &configuration, SearchTables &tables,
                          int64_t numPositions) {
  const std::vector<int64_t> &order = orders[configuration.order];
  const std::vector<int64_t> &sizes = microbatches[configuration.microbatches];
  StageSearch search(tables, options, order,
                     findPositions(cluster, order, numPositions),
                     *max_element(sizes), sizes.size());
  std::vector<std::optional<int64_t>> counts = {std::nullopt};
  int64_t lowest = 0;
  for (const Pin &pin : problem.constraints.pins)
    if (pin.stage)
      lowest = std::max(lowest, *pin.stage + 1);
  if (lowest > 0) {
    counts.clear();
    int64_t most = std::min<int64_t>(problem.layers.size(), order.size());
    for (int64_t count = lowest;
         count <= std::min(most, problem.constraints.maxStages.value_or(most));
         ++count)
      counts.emplace_back(count);
  }
  bool looksFar =
      certifies && problem.layers.size() * order.size() <= smallProblem;
  double most = (looksFar ? smallSlack : slack) * best;
  for (std::optional<int64_t> numStages : counts)
    for (StageLayout &layout :
         search.run(most, /*keep=*/4, labelsPerState, numStages)) {
      size_t before = found.size();
      add({configuration.microbatches, std::move(layout.stages)});
      if (found.size() > before)
        configuration.value =
            std::min(configuration.value, found.back().estimate.seconds);
    }
}

static void sortByValue(std::vector<Configuration> &configurations) {
  sort(configurations,
       [](const Configuration &left, const Configuration &right) {
         return std::tie(left.value, left.order, left.microbatches) <
                std::tie(right.value, right.order, right.microbatches);
       });
}

/// Unless that was done before.
void JointPlanner::searchCoarsely(size_t order, size_t microbatches) {
  if (isOver() || any_of(done, [&](const Configuration &c) {
        return c.order == order && c.microbatches == microbatches;
      }))
    return;
  int64_t numPositions = int64_t(orders[order].size()) > manyDevices
                             ? morePositions
                             : coarsePositions;
  Configuration configuration{order, microbatches};
  search(configuration, coarseTables,
         std::min(numPositions, options.maxPositions + 1));
  done.push_back(configuration);
}

/// Searches what has not been searched before.
void JointPlanner::searchAll() {
  bool isFine = int64_t(orders.front().size()) + 1 <= coarsePositions &&
                int64_t(problem.layers.size()) <= coarseCuts;
  for (size_t order = 0; order < std::min(firstOrders, orders.size()); ++order)
    for (size_t index : searched)
      searchCoarsely(order, index);

  sortByValue(done);
  std::vector<size_t> good;
  for (const Configuration &configuration : done)
    if (!is_contained(good, configuration.microbatches) &&
        good.size() < bestMicrobatches)
      good.push_back(configuration.microbatches);
  for (size_t order = 0; order < orders.size(); ++order)
    for (size_t index : good)
      searchCoarsely(order, index);

  if (isFine)
    return;
  sortByValue(done);
  std::map<size_t, size_t> alike;
  size_t number = 0;
  for (Configuration &configuration : done)
    if (!isOver() && number < bestConfigurations &&
        ++alike[configuration.microbatches] <= mostAlike) {
      ++number;
      std::pair<size_t, size_t> key(configuration.order,
                                    configuration.microbatches);
      if (is_contained(doneFinely, key))
        continue;
      doneFinely.push_back(key);
      search(configuration, fineTables, options.maxPositions + 1);
    }
}

/// Evaluates a design with all schedules; the seconds of the best of them.
double JointPlanner::schedule(const Design &design, const Estimate &whole) {
  size_t number = design.microbatches;
  Candidate candidate =
      builder.complete(estimator.pool(number, microbatches[number])
                           .makePlan(design.stages, whole.inFlight));
  if (Error error = verifyStructure(builder.model, candidate.plan)) {
    consumeError(std::move(error));
    return infinity;
  }
  if (candidate.shortage)
    return infinity;
  double seconds = toSeconds(candidate.plan.predicted);
  Selection other;
  if (!isOver())
    addSchedules(builder, candidate.plan, other);
  consider(std::move(candidate));
  if (!other.found())
    return seconds;
  seconds = std::min(seconds, toSeconds(other.get()->plan.predicted));
  selection.add(*other.get());
  return seconds;
}

/// Stages of whole nodes, the best of which are tried with all schedules at
/// once: what they take depends much on that.
void JointPlanner::addGroups() {
  std::vector<int64_t> devices = usableDevices(problem, cluster);
  if (int64_t(devices.size()) < manyDevices || isOver())
    return;
  std::vector<GroupDesign> designs =
      searchNodes(builder, devices, microbatches, searched, groupOrders, best);
  std::vector<GroupDesign> regular =
      searchGroups(builder, devices, microbatches, searched, groupOrders);
  if (regular.size() > mostRegular)
    regular.resize(mostRegular);
  for (GroupDesign &entry : regular)
    designs.push_back(std::move(entry));
  std::vector<FoundDesign> fitting;
  std::vector<std::pair<double, size_t>> ranked;
  for (GroupDesign &entry : designs) {
    if (fitting.size() >= mostGroups || isOver())
      break;
    Estimate whole = estimate(entry.design, estimator);
    if (whole.seconds == infinity)
      continue;
    ranked.emplace_back(std::min(whole.seconds, estimateSplit(entry.design)),
                        fitting.size());
    fitting.push_back(
        {std::move(entry.design), std::move(whole), fitting.size()});
  }
  sort(ranked);
  size_t tried = 0;
  std::map<size_t, size_t> alike;
  for (auto [value, index] : ranked) {
    const FoundDesign &entry = fitting[index];
    if (tried >= groupsScheduled * options.effort || isOver())
      break;
    if (++alike[entry.design.microbatches] > mostAlike)
      continue;
    ++tried;
    double seconds = schedule(entry.design, entry.estimate);
    if (seconds < infinity)
      scheduled.emplace_back(seconds, entry.design);
  }
  llvm::stable_sort(scheduled, [](const auto &left, const auto &right) {
    return left.first < right.first;
  });
  llvm::stable_sort(fitting,
                    [](const FoundDesign &left, const FoundDesign &right) {
                      return left.estimate.seconds < right.estimate.seconds;
                    });
  for (size_t i = 0; i < std::min(groupStarts, fitting.size()); ++i)
    add(std::move(fitting[i].design));
}

//===----------------------------------------------------------------------===//
// Improvement
//===----------------------------------------------------------------------===//

/// How many designs may be estimated while improving: fewer if each of them
/// takes longer.
static int64_t improvementWork(int64_t numDevices, int64_t numLayers) {
  int64_t work = 15000000 / (numDevices * 8 + numLayers * 2 + 50);
  return std::max<int64_t>(400, std::min<int64_t>(12000, work));
}

/// The best designs, and the best for each number of stages, and then those of
/// other shapes.
std::vector<FoundDesign> JointPlanner::chooseStarts() {
  sortFound();
  std::vector<FoundDesign> starts;
  std::vector<std::pair<size_t, size_t>> shapes;
  std::vector<size_t> depths, taken;
  for (int pass = 0; pass < 2; ++pass)
    for (auto [index, candidate] : enumerate(found)) {
      std::pair<size_t, size_t> shape(candidate.design.stages.size(),
                                      candidate.design.microbatches);
      bool isNew = pass == 0 ? !is_contained(depths, shape.first)
                             : !is_contained(shapes, shape);
      if (starts.size() >= mostImproved ||
          candidate.estimate.seconds > 1.5 * best)
        break;
      if (is_contained(taken, index) || (index >= 4 && !isNew))
        continue;
      taken.push_back(index);
      depths.push_back(shape.first);
      shapes.push_back(shape);
      starts.push_back(candidate);
    }
  return starts;
}

/// Improves each start, and then the best of them again and again.
std::vector<Design> JointPlanner::improve(ArrayRef<FoundDesign> starts,
                                          int64_t work, unsigned seed,
                                          Estimator &by) const {
  std::vector<Design> result;
  if (starts.empty())
    return result;
  auto value = [&](const Design &design, double cutoff) {
    return isOver() ? infinity : estimate(design, by, cutoff).seconds;
  };
  LocalSearch search(by.builder, microbatches, value);
  Design top = starts.front().design;
  double least = infinity;
  auto finish = [&](Design design, double time) {
    if (time < least) {
      top = design;
      least = time;
    }
    result.push_back(std::move(design));
  };
  for (auto [index, start] : enumerate(starts)) {
    // What one does not use is there for the others.
    int64_t share = work / int64_t(starts.size() - index);
    work -= share;
    Design design = start.design;
    double time = start.estimate.seconds;
    search.improve(design, time, share);
    work += share;
    finish(std::move(design), time);
  }
  std::mt19937 random(seed);
  while (work > 0 && !isOver()) {
    --work;
    Design design = search.shake(top, random);
    double time = value(design, 1.3 * least);
    if (time > 1.3 * least)
      continue;
    search.improve(design, time, work);
    finish(std::move(design), time);
  }
  return result;
}

void JointPlanner::improveBest() {
  std::vector<FoundDesign> starts = chooseStarts();
  if (starts.empty())
    return;
  std::vector<FoundDesign> halves[2];
  for (auto [index, start] : enumerate(starts))
    halves[index % 2].push_back(start);
  int64_t work = options.effort *
                 improvementWork(orders.front().size(), problem.layers.size()) /
                 (int64_t(orders.front().size()) > hundredsOfDevices ? 4 : 2);
  std::vector<Design> better[2];
  std::thread beside([&] {
    Estimator other(problem, cluster, options);
    better[1] = improve(halves[1], work, /*seed=*/2, other);
  });
  better[0] = improve(halves[0], work, /*seed=*/1, estimator);
  beside.join();
  for (std::vector<Design> &designs : better)
    for (Design &design : designs)
      add(std::move(design));
}

double JointPlanner::estimateSplit(const Design &design) {
  if (isOver() || !isPossible(design))
    return infinity;
  return estimator.pool(design.microbatches, microbatches[design.microbatches])
      .estimateSplit(design.stages);
}

/// Where the search for split backwards starts: at the best designs of groups
/// by simulation, and the best for each number of microbatches by what split
/// backwards are estimated to take, the fastest first.
std::vector<Design> JointPlanner::chooseSplitStarts() {
  std::vector<Design> starts;
  size_t most = mostSplit * options.effort;
  std::map<size_t, size_t> alike;
  for (const auto &[seconds, design] : scheduled)
    if (starts.size() < most && design.stages.size() > 1 &&
        ++alike[design.microbatches] <= 2)
      starts.push_back(design);
  sortFound();
  std::map<size_t, std::pair<double, Design>> bestOf;
  std::map<size_t, size_t> looked;
  for (const FoundDesign &candidate : found) {
    size_t number = candidate.design.microbatches;
    if (candidate.estimate.seconds > splitSlack * best)
      break;
    if (candidate.design.stages.size() < 2 || alike.count(number) > 0 ||
        ++looked[number] > splitLooks)
      continue;
    Design design = candidate.design;
    for (StageChoice &stage : design.stages)
      stage.recompute = false;
    double seconds = estimateSplit(design);
    auto [entry, isNew] = bestOf.try_emplace(number, seconds, design);
    if (!isNew && seconds < entry->second.first)
      entry->second = {seconds, std::move(design)};
  }
  std::vector<std::pair<double, Design>> ranked;
  ranked.reserve(bestOf.size());
  for (auto &[number, entry] : bestOf)
    ranked.push_back(std::move(entry));
  llvm::stable_sort(ranked, [](const auto &left, const auto &right) {
    return left.first < right.first;
  });
  for (auto &[seconds, design] : ranked)
    if (starts.size() < most && seconds < infinity)
      starts.push_back(std::move(design));
  return starts;
}

/// Designs for split backwards: what is best with whole ones need not be.
void JointPlanner::addSplit() {
  if (!is_contained(options.otherSchedules, ScheduleKind::ZeroBubble))
    return;
  auto value = [&](const Design &design, double) {
    return estimateSplit(design);
  };
  LocalSearch search(builder, microbatches, value);
  int64_t work = options.effort *
                 improvementWork(orders.front().size(), problem.layers.size()) /
                 8;
  for (Design &design : chooseSplitStarts()) {
    for (StageChoice &stage : design.stages)
      stage.recompute = false;
    int64_t share = work;
    double time = value(design, infinity);
    search.improve(design, time, share);
    Estimate whole = estimate(design, estimator);
    if (time == infinity || whole.seconds == infinity)
      continue;
    schedule(design, whole);
  }
}

void JointPlanner::consider(Candidate candidate) {
  // Plans that take the same are usually the same.
  if (!candidate.shortage && none_of(top, [&](const Plan &other) {
        return candidate.plan.predicted == other.predicted;
      })) {
    auto at = find_if(top, [&](const Plan &other) {
      return candidate.plan.predicted < other.predicted;
    });
    top.insert(at, candidate.plan);
  }
  if (selection.add(std::move(candidate)) && options.onBetter)
    options.onBetter(selection.get()->plan);
}

/// The best plans with the schedules that are fastest by simulation.
void JointPlanner::scheduleBest() {
  std::map<size_t, size_t> alike;
  // Designs of groups have been tried before.
  size_t number = 0,
         most = options.effort *
                (scheduled.empty() ? mostScheduled : mostScheduledBeside);
  for (const Plan &plan : top)
    if (!isOver() && number < most &&
        ++alike[plan.microbatches.size()] <= mostAlike) {
      ++number;
      addSchedules(builder, plan, selection);
    }
}

/// Evaluates the best designs, so many, and so many of each number of
/// microbatches.
void JointPlanner::evaluateBest(size_t most, size_t ofEach) {
  sortFound();
  size_t evaluated = 0;
  std::vector<const Design *> done;
  std::map<size_t, size_t> alike;
  for (const FoundDesign &candidate : found) {
    if (evaluated > 0 && isOver())
      break;
    if (alike[candidate.design.microbatches] >= ofEach)
      continue;
    if (any_of(done,
               [&](const Design *other) { return *other == candidate.design; }))
      continue;
    done.push_back(&candidate.design);
    ++alike[candidate.design.microbatches];
    size_t number = candidate.design.microbatches;
    StagePool &pool = estimator.pool(number, microbatches[number]);
    Candidate whole = builder.complete(
        pool.makePlan(candidate.design.stages, candidate.estimate.inFlight));
    if (Error error = verifyStructure(builder.model, whole.plan))
      consumeError(std::move(error));
    else
      consider(std::move(whole));
    if (++evaluated >= std::max<size_t>(1, most))
      break;
  }
}

/// Everything that planStages does not do.
void JointPlanner::improvePlan() {
  addOrders(mixRuns(cluster, runs));
  searchAll();
  addGroups();
  improveBest();
  evaluateBest(mostEvaluated, mostEvaluatedAlike);
  scheduleBest();
  addSplit();
  if (certificate)
    certificate->join();
}

Expected<Plan> JointPlanner::plan(StringRef name) {
  Expected<std::vector<int64_t>> devices = requireDevices(problem, cluster);
  if (!devices)
    return devices.takeError();
  chooseMicrobatches();
  runs = findRuns(cluster, *devices, /*mostByNode=*/5);
  addOrders(permuteRuns(runs, std::max<int64_t>(1, options.maxOrders)));
  if (thorough) {
    addOthers();
    improvePlan();
  } else {
    searchQuickly();
  }
  if (!selection.found())
    builder.addClosest(
        isOver() ? ArrayRef(orders).take_front() : ArrayRef(orders), selection);
  Expected<Plan> plan = selection.take(name, builder.model);
  // What is known is the least that it says.
  if (plan && thorough && certifies && !isOver() &&
      (!certified || *certified >= plan->predicted))
    certified =
        computeCertificate(problem, cluster, plan->predicted, options.effort);
  if (plan && certified && isCertified(problem, cluster, *plan))
    plan->bound = std::max(plan->bound, std::min(*certified, plan->predicted));
  return plan;
}
