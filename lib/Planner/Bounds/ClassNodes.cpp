//===- ClassNodes.cpp - Classes as nodes that are alike -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Planner/Bounds/ClassNodes.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace hetero;
using namespace hetero::planner;
using hetero::cluster::Cluster;

std::vector<ClassNodes>
hetero::planner::findClassNodes(const Cluster &cluster,
                                ArrayRef<int64_t> devices) {
  std::map<int64_t, std::map<int64_t, std::vector<int64_t>>> found;
  for (int64_t device : devices)
    found[cluster.devices[device].deviceClass][cluster.devices[device].node]
        .push_back(device);
  std::vector<ClassNodes> result;
  for (auto &[deviceClass, nodes] : found) {
    ClassNodes &entry = result.emplace_back();
    entry.deviceClass = deviceClass;
    entry.perNode = devices.size();
    entry.memory = static_cast<double>(
        cluster.classes[deviceClass].usableMemory().count());
    for (auto &[node, list] : nodes) {
      entry.perNode = std::min<int64_t>(entry.perNode, list.size());
      entry.nodes.push_back(list);
    }
    auto speed = [&](int64_t from, int64_t to) {
      return static_cast<double>(
          cluster.pathBetween(from, to).bandwidth.count());
    };
    if (entry.nodes.size() > 1)
      entry.out = speed(entry.nodes[0].front(), entry.nodes[1].front());
    if (entry.perNode > 1)
      entry.inside = speed(entry.nodes[0][0], entry.nodes[0][1]);
  }
  return result;
}

const RowSeconds &RowSecondsTable::find(const ClassNodes &nodes, int64_t tensor,
                                        int64_t samples) {
  auto [found, isNew] = known.try_emplace({nodes.deviceClass, tensor, samples});
  RowSeconds &result = found->second;
  if (!isNew)
    return result;
  const LayerTimes &table =
      model.layerTimes(nodes.deviceClass, tensor, samples);
  result = {table.sums.bothSeconds, table.sums.forwardSeconds};
  if (tensor > 1) {
    const PassSums &joined = model.tensorSums(
        ArrayRef(nodes.nodes.front()).take_front(tensor), /*alike=*/1, samples);
    result.both += joined.bothSeconds;
    result.forward += joined.forwardSeconds;
  }
  return result;
}
