//===- Cephalo.cpp - Compute and state split separately -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The release has one stage of all devices and one microbatch, of which devices
// compute their samples in parts of their own (CephaloSearch.h). Beyond that,
// smaller groups of devices, which have less to wait for, and more
// microbatches, which need less memory, are tried where they can still be
// faster than what is known.

#include "hetero/Planner/Cephalo/Cephalo.h"
#include "CephaloSearch.h"
#include "hetero/Planner/Baselines/DataParallel.h"
#include "hetero/Planner/Baselines/OneStage.h"
#include "hetero/Planner/Model/Microbatches.h"
#include "llvm/ADT/STLExtras.h"
#include <set>

using namespace llvm;
using namespace hetero;
using namespace hetero::planner;
using hetero::cluster::Cluster;

/// The most microbatches that are tried where layers are accumulated one by
/// one.
static constexpr int64_t maxLayered = 2;
/// What the release does.
static constexpr Way released = {StateMode::Full, /*recompute=*/true,
                                 /*layered=*/true};

//===----------------------------------------------------------------------===//
// Groups
//===----------------------------------------------------------------------===//

/// Above this number of classes, nodes or sites only some are looked at.
static constexpr size_t allPartsUpTo = 8;
/// Layers without work are not infinitely fast.
static constexpr double leastSeconds = 1e-12;

namespace {
/// Devices that have something in common, and their samples in a second.
struct Part {
  double speed = 0;
  std::vector<int64_t> devices;
};
} // namespace

/// Those with the same key, fastest first.
static std::vector<Part> listParts(const StageModel &model,
                                   ArrayRef<int64_t> devices,
                                   function_ref<int64_t(int64_t)> keyOf) {
  int64_t samples =
      std::max<int64_t>(1, model.problem.batch / int64_t(devices.size()));
  std::map<int64_t, Part> parts;
  for (int64_t device : devices) {
    const LayerTimes &times =
        model.layerTimes(model.cluster.devices[device].deviceClass, 1, samples);
    Part &part = parts[keyOf(device)];
    part.speed += 1 / std::max(times.sums.bothSeconds.all(), leastSeconds);
    part.devices.push_back(device);
  }
  std::vector<Part> list;
  append_range(list, make_second_range(parts));
  llvm::stable_sort(list, [](const Part &left, const Part &right) {
    return left.speed > right.speed;
  });
  return list;
}

/// All devices, and groups that have less to wait for: without the slowest
/// classes, nodes or sites, and one of them alone.
static std::vector<std::vector<int64_t>> listGroups(const StageModel &model,
                                                    ArrayRef<int64_t> devices) {
  const Cluster &cluster = model.cluster;
  std::vector<std::vector<int64_t>> groups = {devices.vec()};
  auto add = [&](std::vector<int64_t> group) {
    llvm::sort(group);
    if (!is_contained(groups, group))
      groups.push_back(std::move(group));
  };
  auto addParts = [&](ArrayRef<Part> parts) {
    // Many are halved instead.
    size_t count = parts.size();
    while (count > 1) {
      count = count > allPartsUpTo ? count / 2 : count - 1;
      std::vector<int64_t> group;
      for (const Part &part : parts.take_front(count))
        llvm::append_range(group, part.devices);
      add(std::move(group));
    }
    for (const Part &part :
         parts.take_front(std::min(parts.size(), allPartsUpTo)))
      add(part.devices);
  };
  std::vector<Part> classes = listParts(model, devices, [&](int64_t device) {
    return cluster.devices[device].deviceClass;
  });
  addParts(classes);
  addParts(listParts(model, devices, [&](int64_t device) {
    return cluster.devices[device].node;
  }));
  int64_t numNodes = cluster.nodes.size();
  addParts(listParts(model, devices, [&](int64_t device) {
    int64_t node = cluster.devices[device].node;
    for (auto [index, site] : enumerate(cluster.sites))
      if (is_contained(site.members, node))
        return numNodes + int64_t(index);
    return node;
  }));
  for (const Part &part : classes)
    add({part.devices.front()});
  return groups;
}

//===----------------------------------------------------------------------===//
// Planner
//===----------------------------------------------------------------------===//

namespace {
/// Devices that a plan may use, and what is known of them.
struct Group {
  std::vector<int64_t> devices;
  /// Collectives and update for parts that are alike.
  std::map<StateMode, StageTimes> once;
  /// Modes, and whether layers come one by one, for which more microbatches or
  /// computing things again would only take longer.
  std::set<std::pair<StateMode, bool>> free;
};

class CephaloPlanner {
public:
  CephaloPlanner(const Problem &problem, const Cluster &cluster,
                 const PlannerOptions &options, ArrayRef<int64_t> devices);

  Expected<Plan> run();

private:
  bool isOver() const { return selection.found() && deadline.isOver(); }
  bool isWorthTrying(const Group &group, const Way &way,
                     int64_t numMicrobatches) const;
  void forEachWay(function_ref<void(const Way &)> visit) const;
  double leastWaiting(Group &group, const Way &way) const;
  void addPlans(size_t group, ArrayRef<int64_t> microbatches, const Way &way);
  void addPlans(ArrayRef<int64_t> microbatches);
  void addMicrobatches();
  void addDataParallel();
  void addClosest();

  const Problem &problem;
  const Cluster &cluster;
  const PlannerOptions &options;
  PlanBuilder builder;
  Deadline deadline;
  CephaloTables tables;
  std::vector<Group> groups;
  Selection selection;
};
} // namespace

CephaloPlanner::CephaloPlanner(const Problem &problem, const Cluster &cluster,
                               const PlannerOptions &options,
                               ArrayRef<int64_t> devices)
    : problem(problem), cluster(cluster), options(options),
      builder(problem, cluster, options), deadline(options.timeBudget),
      tables(builder) {
  std::vector<std::vector<int64_t>> lists = {devices.vec()};
  if (!options.asReleased)
    lists = listGroups(builder.model, devices);
  for (std::vector<int64_t> &list : lists)
    groups.push_back({std::move(list), {}, {}});
}

/// Calls `visit` with all ways that may be tried.
void CephaloPlanner::forEachWay(function_ref<void(const Way &)> visit) const {
  for (StateMode mode : options.stateModes)
    for (bool recompute : {false, true})
      for (bool layered : {false, true}) {
        Way way{mode, recompute, layered};
        if ((recompute && !options.recompute) ||
            (layered && !(way.divides() && options.layered)))
          continue;
        if (!options.asReleased || way == released)
          visit(way);
      }
}

/// Whether no other way is sure to be as good.
bool CephaloPlanner::isWorthTrying(const Group &group, const Way &way,
                                   int64_t numMicrobatches) const {
  if (group.free.count({way.mode, way.layered}) ||
      (group.devices.size() == 1 && way.mode != options.stateModes.front()))
    return false;
  // Layers that are accumulated one by one keep all microbatches anyway; some
  // more only round better.
  if (way.layered && numMicrobatches > maxLayered &&
      problem.constraints.microbatches.empty())
    return false;
  if (way.mode != StateMode::Node ||
      !is_contained(options.stateModes, StateMode::Full))
    return true;
  // In one node it is the same as everywhere.
  return any_of(group.devices, [&](int64_t device) {
    return cluster.devices[device].node !=
           cluster.devices[group.devices.front()].node;
  });
}

/// What plans wait for at least beside their computation, or instead of it if
/// layers come one by one.
double CephaloPlanner::leastWaiting(Group &group, const Way &way) const {
  auto [entry, isNew] = group.once.try_emplace(way.mode);
  int64_t last = int64_t(problem.layers.size()) - 1;
  if (isNew)
    entry->second =
        onceTimesOf(builder.model, group.devices, way.mode, {{0, last}});
  const StageTimes &once = entry->second;
  return toSeconds(once.gather) * (way.layered ? 2 : 1) +
         toSeconds(once.reduce) + toSeconds(once.update);
}

void CephaloPlanner::addPlans(size_t index, ArrayRef<int64_t> microbatches,
                              const Way &way) {
  if (isOver() ||
      !isWorthTrying(groups[index], way, int64_t(microbatches.size())))
    return;
  double best = selection.found() ? toSeconds(selection.get()->plan.predicted)
                                  : std::numeric_limits<double>::infinity();
  double waiting = leastWaiting(groups[index], way);
  if (waiting >= best)
    return;
  CephaloSearch search(tables, groups[index].devices, microbatches.vec(), way);
  double computing = search.leastComputing();
  if ((way.layered ? std::max(computing, waiting) : computing + waiting) >=
      best)
    return;
  if (search.run(selection) && !way.recompute)
    groups[index].free.insert({way.mode, way.layered});
  for (std::vector<int64_t> &used : search.used)
    if (none_of(groups,
                [&](const Group &group) { return group.devices == used; }))
      groups.push_back({std::move(used), {}, {}});
}

/// Adds the plans of all groups and ways.
void CephaloPlanner::addPlans(ArrayRef<int64_t> microbatches) {
  // There may be more groups on the way.
  for (size_t index = 0; index < groups.size(); ++index)
    forEachWay([&](const Way &way) { addPlans(index, microbatches, way); });
}

/// The divisions that are known without a search of sizes.
void CephaloPlanner::addDataParallel() {
  for (auto *plan : {planDpEven, planDpProportional}) {
    if (isOver())
      return;
    if (auto found = expectedToOptional(plan(problem, cluster, options)))
      selection.add(builder.complete(std::move(*found)));
  }
}

/// Adds plans that come close, to say what is missing.
void CephaloPlanner::addClosest() {
  CephaloTables large(builder, /*ignoresMemory=*/true);
  std::vector<std::vector<int64_t>> sizes = microbatchOptions(problem);
  if (options.asReleased && problem.constraints.microbatches.empty())
    sizes.resize(1);
  forEachWay([&](const Way &way) {
    for (ArrayRef<int64_t> microbatches : {sizes.front(), sizes.back()})
      CephaloSearch(large, groups.front().devices, microbatches.vec(), way)
          .runSmallest(selection);
  });
}

/// More microbatches than one, as devices keep what all of their samples bring
/// along: all powers of two, and then numbers beside the best.
void CephaloPlanner::addMicrobatches() {
  int64_t most =
      std::min({problem.batch, mostMicrobatches,
                problem.constraints.maxMicrobatches.value_or(problem.batch)});
  for (int64_t count = 2; count <= most; count *= 2)
    addPlans(divideEvenly(problem.batch, count));
  if (!selection.found())
    return;
  int64_t best = selection.get()->plan.microbatches.size();
  for (int64_t count : {best * 3 / 4, best * 3 / 2})
    if (count > 1 && count != best && count <= most)
      addPlans(divideEvenly(problem.batch, count));
}

Expected<Plan> CephaloPlanner::run() {
  ArrayRef<int64_t> given = problem.constraints.microbatches;
  ArrayRef<int64_t> first = given.empty() ? ArrayRef(problem.batch) : given;
  if (!options.asReleased) {
    addPlans(first);
    if (given.empty())
      addMicrobatches();
    if (options.dataParallel)
      addDataParallel();
  }
  // The plans of the release, which divides all state, and keeps inputs of
  // layers alone.
  if (is_contained(options.stateModes, released.mode) && options.recompute &&
      options.layered && !isOver())
    CephaloSearch(tables, groups.front().devices, first.vec(), released)
        .runReleased(selection);
  if (!selection.found())
    addClosest();
  return selection.take("cephalo", builder.model);
}

Expected<Plan> hetero::planner::planCephalo(const Problem &problem,
                                            const Cluster &cluster,
                                            const PlannerOptions &options) {
  Expected<std::vector<int64_t>> devices =
      devicesForOneStage("cephalo", problem, cluster);
  if (!devices)
    return devices.takeError();
  return CephaloPlanner(problem, cluster, options, *devices).run();
}
