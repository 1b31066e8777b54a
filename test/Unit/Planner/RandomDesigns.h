//===- RandomDesigns.h - Designs for random problems ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef HETERO_TEST_UNIT_PLANNER_RANDOMDESIGNS_H
#define HETERO_TEST_UNIT_PLANNER_RANDOMDESIGNS_H

#include "hetero/Planner/Search/StagePool.h"
#include <random>

namespace hetero::planner {

/// Stages that have all layers in order and different devices of the cluster,
/// all or some of them, in rows of one.
inline std::vector<StageChoice> makeRandomStages(std::mt19937 &random,
                                                 const PlanBuilder &builder) {
  std::vector<int64_t> devices = builder.model.cluster.availableDevices();
  int64_t layers = builder.model.problem.layers.size(), layer = 0;
  size_t device = random() % devices.size();
  std::vector<StageChoice> stages;
  while (layer < layers && device < devices.size()) {
    StageChoice &stage = stages.emplace_back();
    int64_t length = 1 + int64_t(random() % uint64_t(layers - layer));
    size_t count = 1 + random() % (devices.size() - device);
    stage.layers = {layer, layer + length - 1};
    stage.devices.assign(devices.begin() + device,
                         devices.begin() + device + count);
    stage.state = builder.options
                      .stateModes[random() % builder.options.stateModes.size()];
    stage.recompute = random() % 2;
    layer += length;
    device += count;
  }
  stages.back().layers.last = layers - 1;
  return stages;
}

} // namespace hetero::planner

#endif // HETERO_TEST_UNIT_PLANNER_RANDOMDESIGNS_H
