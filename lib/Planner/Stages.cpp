//===- Stages.cpp - Pipelines across unequal sub-clusters -----------------===//
//
// Part of the hetero project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which orders, cuts and microbatches the search of StageSearch.h is run for.
// All of them would be too many, so first a few orders are tried with all
// numbers of microbatches and coarse cuts, then all orders with the best
// numbers, then fine cuts for the best of both.
//
//===----------------------------------------------------------------------===//

#include "StageSearch.h"
#include "Verify.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace hetero;
using namespace hetero::planner;
using hetero::cluster::Cluster;

//===----------------------------------------------------------------------===//
// Orders
//===----------------------------------------------------------------------===//

/// The site of each node; nodes in none have a place of their own, after the
/// sites.
static std::vector<int64_t> sitesOfNodes(const Cluster &cluster) {
  std::vector<int64_t> sites(cluster.nodes.size(), cluster.sites.size());
  for (auto [index, site] : enumerate(cluster.sites))
    for (int64_t member : site.members)
      if (member < int64_t(sites.size()))
        sites[member] = index;
  return sites;
}

/// The devices in runs that stay together: of one class in one node, or, if
/// there would be many, of one class in one site.
static std::vector<std::vector<int64_t>>
findRuns(const Cluster &cluster, ArrayRef<int64_t> devices, bool bySite) {
  std::vector<int64_t> sites = sitesOfNodes(cluster);
  std::map<std::pair<int64_t, int64_t>, std::vector<int64_t>> runs;
  for (int64_t device : devices) {
    const cluster::Device &entry = cluster.devices[device];
    runs[{bySite ? sites[entry.node] : entry.node, entry.deviceClass}]
        .push_back(device);
  }
  std::vector<std::vector<int64_t>> result;
  for (auto &[key, run] : runs)
    result.push_back(std::move(run));
  return result;
}

/// Up to `most` orders of the runs. Few runs are permuted; of many only the
/// order by rank and its reverse, rotations and exchanges of two are tried.
static std::vector<std::vector<int64_t>>
findOrders(ArrayRef<std::vector<int64_t>> runs, int64_t most) {
  std::vector<int64_t> indices(runs.size());
  for (size_t i = 0; i < indices.size(); ++i)
    indices[i] = i;
  std::vector<std::vector<int64_t>> permutations;
  auto add = [&](const std::vector<int64_t> &permutation) {
    if (int64_t(permutations.size()) < most &&
        !is_contained(permutations, permutation))
      permutations.push_back(permutation);
  };
  add(indices);
  std::vector<int64_t> reversed(indices.rbegin(), indices.rend());
  add(reversed);
  if (indices.size() <= 5) {
    std::vector<int64_t> permutation = indices;
    while (std::next_permutation(permutation.begin(), permutation.end()))
      add(permutation);
  } else {
    for (size_t i = 1; i < indices.size(); ++i) {
      std::vector<int64_t> rotated = indices;
      std::rotate(rotated.begin(), rotated.begin() + i, rotated.end());
      add(rotated);
    }
    for (size_t i = 0; i < indices.size(); ++i)
      for (size_t j = i + 1; j < indices.size(); ++j) {
        std::vector<int64_t> swapped = indices;
        std::swap(swapped[i], swapped[j]);
        add(swapped);
      }
  }
  std::vector<std::vector<int64_t>> orders;
  for (const std::vector<int64_t> &permutation : permutations) {
    std::vector<int64_t> &order = orders.emplace_back();
    for (int64_t index : permutation)
      order.insert(order.end(), runs[index].begin(), runs[index].end());
  }
  return orders;
}

/// Where the line of devices may be cut: between classes, then between nodes,
/// then in halves, quarters, ... of what is there, until there are `most` or
/// every device stands alone.
static std::vector<int64_t>
findPositions(const Cluster &cluster, ArrayRef<int64_t> order, int64_t most) {
  int64_t numDevices = order.size();
  std::vector<int64_t> positions = {0, numDevices};
  auto addThinned = [&](ArrayRef<int64_t> more) {
    int64_t room = most - int64_t(positions.size());
    int64_t step = room > 0 ? (int64_t(more.size()) + room - 1) / room : 0;
    for (size_t i = 0; step > 0 && i < more.size(); i += step)
      positions.push_back(more[i]);
    sort(positions);
  };
  std::vector<int64_t> classes, nodes;
  for (int64_t i = 1; i < numDevices; ++i) {
    const cluster::Device &before = cluster.devices[order[i - 1]];
    const cluster::Device &here = cluster.devices[order[i]];
    if (before.deviceClass != here.deviceClass)
      classes.push_back(i);
    else if (before.node != here.node)
      nodes.push_back(i);
  }
  addThinned(classes);
  addThinned(nodes);
  while (int64_t(positions.size()) < most) {
    std::vector<int64_t> middles;
    for (size_t i = 1; i < positions.size(); ++i)
      if (positions[i] - positions[i - 1] > 1)
        middles.push_back((positions[i - 1] + positions[i]) / 2);
    if (middles.empty())
      break;
    addThinned(middles);
  }
  return positions;
}

//===----------------------------------------------------------------------===//
// The planner
//===----------------------------------------------------------------------===//

/// Where a coarse search cuts devices and layers, and a fine one layers.
static constexpr int64_t coarsePositions = 10, coarseCuts = 40, fineCuts = 72;
/// How many labels a state keeps, how many orders are tried with all numbers of
/// microbatches, and how many numbers and configurations go on.
static constexpr size_t labelsPerState = 6, firstOrders = 4,
                        bestMicrobatches = 4, bestConfigurations = 10;

namespace {
/// One run of the search.
struct Configuration {
  size_t order = 0, microbatches = 0;
  double value = 0;
};

/// A layout with the microbatches that it is for.
struct Proposal {
  StageLayout layout;
  size_t microbatches = 0;
  /// In the order in which they were found.
  size_t number = 0;
};

class StagesPlanner {
public:
  StagesPlanner(const Problem &problem, const Cluster &cluster,
                const PlannerOptions &options)
      : problem(problem), cluster(cluster), options(options),
        builder(problem, cluster, options),
        coarseTables(builder.model, coarseCuts),
        fineTables(builder.model, fineCuts) {}

  Expected<Plan> plan(StringRef name);

private:
  void addBaselines();
  void chooseMicrobatches();
  void search(Configuration &configuration, SearchTables &tables,
              int64_t numPositions);
  void searchAll();
  void evaluateProposals();
  void addClosest();

  const Problem &problem;
  const Cluster &cluster;
  const PlannerOptions &options;
  PlanBuilder builder;
  SearchTables coarseTables, fineTables;
  std::vector<std::vector<int64_t>> orders, microbatches;
  std::vector<Proposal> proposals;
  Selection selection;
};
} // namespace

/// The value of a layout is an estimate, which may be too high by this.
static constexpr double slack = 1.05;

/// The other planners' plans are candidates as well, and a good start.
void StagesPlanner::addBaselines() {
  for (auto *planner : {planSingle, planEven, planProportional}) {
    Expected<Plan> plan = planner(problem, cluster, options);
    if (plan)
      selection.add({std::move(*plan), std::nullopt});
    else
      consumeError(plan.takeError());
  }
}

/// All numbers up to 4 and then two for each doubling.
void StagesPlanner::chooseMicrobatches() {
  double next = 1;
  for (std::vector<int64_t> &sizes : microbatchOptions(problem)) {
    auto count = static_cast<double>(sizes.size());
    if (count < next)
      continue;
    next = count < 4 ? count + 1 : count * 1.4;
    microbatches.push_back(std::move(sizes));
  }
}

void StagesPlanner::search(Configuration &configuration, SearchTables &tables,
                           int64_t numPositions) {
  const std::vector<int64_t> &order = orders[configuration.order];
  const std::vector<int64_t> &sizes = microbatches[configuration.microbatches];
  double cutoff = selection.found()
                      ? slack * toSeconds(selection.get()->plan.predicted)
                      : std::numeric_limits<double>::infinity();
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
      counts.push_back(count);
  }
  configuration.value = std::numeric_limits<double>::infinity();
  for (std::optional<int64_t> numStages : counts)
    for (StageLayout &layout :
         search.run(cutoff, /*keep=*/4, labelsPerState, numStages)) {
      configuration.value = std::min(configuration.value, layout.value);
      proposals.push_back(
          {std::move(layout), configuration.microbatches, proposals.size()});
    }
}

static void sortByValue(std::vector<Configuration> &configurations) {
  sort(configurations,
       [](const Configuration &left, const Configuration &right) {
         return std::tie(left.value, left.order, left.microbatches) <
                std::tie(right.value, right.order, right.microbatches);
       });
}

void StagesPlanner::searchAll() {
  int64_t numDevices = orders.front().size();
  bool isFine = numDevices + 1 <= coarsePositions &&
                int64_t(problem.layers.size()) <= coarseCuts;
  int64_t coarse = std::min(coarsePositions, options.maxPositions + 1);
  std::vector<Configuration> done;
  auto run = [&](size_t order, size_t index) {
    if (any_of(done, [&](const Configuration &c) {
          return c.order == order && c.microbatches == index;
        }))
      return;
    Configuration configuration{order, index, 0};
    search(configuration, coarseTables, coarse);
    done.push_back(configuration);
  };
  for (size_t order = 0; order < std::min(firstOrders, orders.size()); ++order)
    for (size_t index = 0; index < microbatches.size(); ++index)
      run(order, index);
  evaluateProposals();

  sortByValue(done);
  std::vector<size_t> good;
  for (const Configuration &configuration : done)
    if (!is_contained(good, configuration.microbatches) &&
        good.size() < bestMicrobatches)
      good.push_back(configuration.microbatches);
  for (size_t order = 0; order < orders.size(); ++order)
    for (size_t index : good)
      run(order, index);
  evaluateProposals();

  if (isFine)
    return;
  sortByValue(done);
  if (done.size() > bestConfigurations)
    done.resize(bestConfigurations);
  for (Configuration &configuration : done)
    search(configuration, fineTables, options.maxPositions + 1);
  evaluateProposals();
}

/// Evaluates the best proposals exactly.
void StagesPlanner::evaluateProposals() {
  sort(proposals, [](const Proposal &left, const Proposal &right) {
    return std::tie(left.layout.value, left.number) <
           std::tie(right.layout.value, right.number);
  });
  size_t most = std::max<int64_t>(1, options.candidates);
  if (proposals.size() > most)
    proposals.resize(most);
  for (const Proposal &proposal : proposals)
    selection.add(builder.build(microbatches[proposal.microbatches],
                                proposal.layout.stages,
                                Division::Proportional));
  proposals.clear();
}

/// When nothing fits: layouts that come close, with layers by memory and the
/// smallest microbatches, so that it can be said what is missing.
void StagesPlanner::addClosest() {
  int64_t numLayers = problem.layers.size();
  auto addIfAllowed = [&](ArrayRef<StageChoice> stages) {
    Candidate candidate =
        builder.build(microbatches.back(), stages, Division::Proportional);
    if (Error error = verifyStructure(builder.model, candidate.plan))
      consumeError(std::move(error));
    else
      selection.add(std::move(candidate));
  };
  for (ArrayRef<int64_t> order : orders) {
    std::vector<StageChoice> stages;
    Bytes whole = builder.model.columnState({{0, numLayers - 1}}, 1).total();
    Bytes usable, before, given;
    for (int64_t device : order)
      usable += cluster.classOf(device).usableMemory();
    int64_t first = 0;
    for (size_t i = 0; i < order.size() && first < numLayers; ++i) {
      before += cluster.classOf(order[i]).usableMemory();
      Bytes target(scale(whole.count(), before.count(), usable.count()));
      int64_t last = first;
      given += builder.model.columnState({{first, first}}, 1).total();
      for (; last + 1 < numLayers; ++last) {
        Bytes next =
            given +
            builder.model.columnState({{last + 1, last + 1}}, 1).total();
        if (i + 1 < order.size() && next > target)
          break;
        given = next;
      }
      stages.push_back({{first, last}, {order[i]}, 1, StateMode::Replicated});
      first = last + 1;
    }
    addIfAllowed(stages);
  }
  StageChoice all;
  all.layers = {0, numLayers - 1};
  all.devices = orders.front();
  for (StateMode mode : options.stateModes) {
    all.state = mode;
    addIfAllowed(all);
  }
}

Expected<Plan> StagesPlanner::plan(StringRef name) {
  std::vector<int64_t> devices = usableDevices(problem, cluster);
  if (devices.empty())
    return createStringError("no device of the cluster '" + cluster.name +
                             "' may be used");
  addBaselines();
  chooseMicrobatches();
  std::vector<std::vector<int64_t>> runs =
      findRuns(cluster, devices, /*bySite=*/false);
  if (runs.size() > 5)
    runs = findRuns(cluster, devices, /*bySite=*/true);
  orders = findOrders(runs, std::max<int64_t>(1, options.maxOrders));
  searchAll();
  if (!selection.found())
    addClosest();
  return selection.take(name, builder.model);
}

Expected<Plan> hetero::planner::searchStages(StringRef name,
                                             const Problem &problem,
                                             const Cluster &cluster,
                                             const PlannerOptions &options) {
  if (Error error = check(problem))
    return error;
  return StagesPlanner(problem, cluster, options).plan(name);
}

Expected<Plan> hetero::planner::planStages(const Problem &problem,
                                           const Cluster &cluster,
                                           const PlannerOptions &options) {
  return searchStages("stages", problem, cluster, options);
}
