//===- UsableDevices.cpp - Which devices a problem may use ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Planner/Problem/UsableDevices.h"
#include "hetero/Cluster/Cluster.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"

using namespace llvm;
using namespace hetero;
using namespace hetero::planner;
using hetero::cluster::Cluster;

std::vector<int64_t> hetero::planner::usableDevices(const Problem &problem,
                                                    const Cluster &cluster) {
  std::vector<int64_t> devices = cluster.availableDevices();
  erase_if(devices, [&](int64_t device) {
    return is_contained(problem.constraints.forbiddenDevices, device);
  });
  return devices;
}

Expected<std::vector<int64_t>>
hetero::planner::requireDevices(const Problem &problem,
                                const Cluster &cluster) {
  std::vector<int64_t> devices = usableDevices(problem, cluster);
  if (devices.empty()) {
    size_t available = cluster.availableDevices().size();
    return createStringError(
        "no device of the cluster '" + cluster.name +
        "' may be used: " + Twine(cluster.devices.size() - available) +
        " not available, " + Twine(available) + " forbidden");
  }
  return devices;
}

bool hetero::planner::rowsAreUniform(const cluster::Cluster &cluster,
                                     ArrayRef<int64_t> devices,
                                     int64_t tensor) {
  for (size_t i = 0; i < devices.size(); i += tensor)
    for (int64_t device : devices.slice(i, tensor))
      if (cluster.devices[device].node != cluster.devices[devices[i]].node ||
          cluster.devices[device].deviceClass !=
              cluster.devices[devices[i]].deviceClass)
        return false;
  return true;
}
