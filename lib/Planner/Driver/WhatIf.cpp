//===- WhatIf.cpp - What would make the step faster -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Planner/Driver/WhatIf.h"
#include "hetero/Planner/Model/Evaluate.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace hetero;
using namespace hetero::planner;
using hetero::cluster::Cluster;

/// More bandwidth or memory by this factor is asked about.
static constexpr int64_t growth = 2;

namespace {
/// A cluster with one thing changed, and the problem on it.
struct Change {
  std::string text;
  Cluster cluster;
  Problem problem;
  std::optional<Price> price;
  /// The rank of a new device.
  std::optional<int64_t> added;
};

class ChangeList {
public:
  ChangeList(const Problem &problem, const Cluster &cluster)
      : problem(problem), cluster(cluster) {
    addDevices();
    addLinks();
    addMemory();
  }

  std::vector<Change> changes;

private:
  void addDevices();
  void addLinks();
  void addMemory();
  void add(const Twine &text, Cluster changed, Problem onIt,
           std::optional<Price> price = std::nullopt,
           std::optional<int64_t> added = std::nullopt) {
    // A cluster that was sound stays so, unless it becomes too large.
    if (!errorToBool(changed.finish()))
      changes.push_back(
          {text.str(), std::move(changed), std::move(onIt), price, added});
  }

  const Problem &problem;
  const Cluster &cluster;
};
} // namespace

/// Devices of a cluster that has a new one of rank `added`.
static void renumber(std::vector<int64_t> &devices, int64_t added) {
  for (int64_t &device : devices)
    device += device >= added;
}

/// Constraints for such a cluster.
static void renumber(Constraints &constraints, int64_t added) {
  renumber(constraints.forbiddenDevices, added);
  for (Pin &pin : constraints.pins)
    renumber(pin.devices, added);
}

/// What a plan takes after a change, if it still is one.
static std::optional<Time> evaluateAfter(const Change &change, Plan plan) {
  for (Stage &stage : plan.stages) {
    if (change.added)
      renumber(stage.mesh.devices, *change.added);
    for (auto [share, device] : zip_equal(stage.shares, stage.mesh.devices))
      share.device = device;
  }
  if (errorToBool(evaluate(change.problem, change.cluster, plan)))
    return std::nullopt;
  return plan.predicted;
}

/// One more of each class, beside the last one that can be used.
void ChangeList::addDevices() {
  for (auto [classIndex, deviceClass] : enumerate(cluster.classes)) {
    std::optional<int64_t> last;
    for (int64_t device : cluster.availableDevices())
      if (cluster.devices[device].deviceClass == int64_t(classIndex))
        last = device;
    if (!last)
      continue;
    Cluster changed = cluster;
    Problem onIt = problem;
    int64_t nodeIndex = cluster.devices[*last].node;
    cluster::Node &node = changed.nodes[nodeIndex];
    // A node with one device has no link yet; the network's must do.
    if (!node.link) {
      const cluster::Edge *edge = nullptr;
      for (const cluster::Edge &entry : cluster.edges)
        if (entry.first == nodeIndex || entry.second == nodeIndex)
          edge = &entry;
      if (!edge)
        continue;
      node.link = edge->link;
    }
    node.groups.push_back({1, int64_t(classIndex)});
    int64_t added = 0;
    for (const auto &device : cluster.devices)
      added += device.node <= nodeIndex;
    renumber(onIt.constraints, added);
    add("one more " + deviceClass.name + " in node '" + node.name + "'",
        std::move(changed), std::move(onIt), deviceClass.price, added);
  }
}

static bool isAlike(const cluster::Node &left, const cluster::Node &right) {
  auto isSame = [](const cluster::DeviceGroup &one,
                   const cluster::DeviceGroup &other) {
    return one.count == other.count && one.deviceClass == other.deviceClass;
  };
  return left.link && right.link &&
         llvm::equal(left.groups, right.groups, isSame) &&
         left.link->bandwidth == right.link->bandwidth &&
         left.link->latency == right.link->latency;
}

void ChangeList::addLinks() {
  std::vector<bool> done(cluster.nodes.size());
  for (size_t first = 0; first < cluster.nodes.size(); ++first) {
    const cluster::Node &node = cluster.nodes[first];
    if (done[first] || !node.link)
      continue;
    Cluster changed = cluster;
    int64_t count = 0;
    for (size_t other = first; other < cluster.nodes.size(); ++other)
      if (isAlike(node, cluster.nodes[other])) {
        done[other] = true;
        ++count;
        cluster::Link &link = *changed.nodes[other].link;
        link.bandwidth = link.bandwidth * growth;
      }
    add("twice the bandwidth inside of node '" + node.name + "'" +
            (count > 1 ? " and " + std::to_string(count - 1) + " like it"
                       : std::string()),
        std::move(changed), problem);
  }
  auto addWider = [&](const Twine &where, auto links, size_t index) {
    Cluster changed = cluster;
    cluster::Link &link = (changed.*links)[index].link;
    link.bandwidth = link.bandwidth * growth;
    add("twice the bandwidth " + where, std::move(changed), problem);
  };
  for (auto [index, entry] : enumerate(cluster.switches))
    addWider("of '" + entry.name + "'", &Cluster::switches, index);
  for (auto [index, cable] : enumerate(cluster.cables))
    addWider("between '" + cluster.vertexName(cable.first) + "' and '" +
                 cluster.vertexName(cable.second) + "'",
             &Cluster::cables, index);
}

void ChangeList::addMemory() {
  for (auto [index, deviceClass] : enumerate(cluster.classes)) {
    Cluster changed = cluster;
    Bytes &memory = changed.classes[index].memory;
    memory = memory * growth;
    add("twice the memory of " + deviceClass.name, std::move(changed), problem);
  }
}

std::vector<WhatIf> hetero::planner::askWhatIf(const Problem &problem,
                                               const Cluster &cluster,
                                               const PlanFunction &planner,
                                               const Plan *now) {
  std::vector<WhatIf> answers;
  ChangeList list(problem, cluster);
  for (const Change &change : list.changes) {
    WhatIf &answer = answers.emplace_back();
    answer.change = change.text;
    answer.price = change.price;
    if (auto plan = expectedToOptional(planner(change.problem, change.cluster)))
      answer.predicted = plan->predicted;
    // What is better than before is not used for the worse.
    if (now)
      if (std::optional<Time> kept = evaluateAfter(change, *now))
        answer.predicted = std::min(*kept, answer.predicted.value_or(*kept));
  }
  stable_sort(answers, [](const WhatIf &left, const WhatIf &right) {
    return left.predicted.value_or(Time::max()) <
           right.predicted.value_or(Time::max());
  });
  return answers;
}
