//===- Plan.cpp - What was decided ----------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Planner/Plan/Plan.h"
#include "llvm/ADT/STLExtras.h"
#include <tuple>
#include <unordered_set>

using namespace llvm;
using namespace hetero;
using namespace hetero::planner;

//===----------------------------------------------------------------------===//
// Equality
//===----------------------------------------------------------------------===//

bool Mesh::operator==(const Mesh &other) const {
  return std::tie(devices, data, tensor) ==
         std::tie(other.devices, other.data, other.tensor);
}

bool LayerRun::operator==(const LayerRun &other) const {
  return first == other.first && last == other.last;
}

bool DeviceShare::operator==(const DeviceShare &other) const {
  return std::tie(device, micro, state, memory) ==
         std::tie(other.device, other.micro, other.state, other.memory);
}

bool Stage::operator==(const Stage &other) const {
  auto decided = [](const Stage &stage) {
    return std::tie(stage.layers, stage.mesh, stage.samples, stage.state,
                    stage.recompute, stage.inFlight, stage.shares);
  };
  auto predicted = [](const Stage &stage) {
    return std::tie(stage.forward, stage.backward, stage.boundary,
                    stage.boundaryGradient, stage.gather, stage.reduce,
                    stage.update);
  };
  return decided(*this) == decided(other) &&
         predicted(*this) == predicted(other);
}

bool Resource::operator==(const Resource &other) const {
  return std::tie(kind, stage, device, part) ==
         std::tie(other.kind, other.stage, other.device, other.part);
}

bool Plan::operator==(const Plan &other) const {
  auto fields = [](const Plan &plan) {
    return std::tie(plan.planner, plan.objective, plan.batch, plan.microbatches,
                    plan.schedule, plan.stages, plan.predicted, plan.bound,
                    plan.limitedBy);
  };
  return fields(*this) == fields(other);
}

//===----------------------------------------------------------------------===//
// What follows from a plan
//===----------------------------------------------------------------------===//

Share Plan::gap() const {
  if (predicted <= Time(0) || bound >= predicted)
    return Share(0);
  __int128 saved = predicted.count() - std::max<int64_t>(0, bound.count());
  return Share(int64_t(saved * 1000000 / predicted.count()));
}

std::vector<int64_t> Plan::distinctMicrobatches() const {
  std::vector<int64_t> sizes;
  std::unordered_set<int64_t> seen;
  for (int64_t size : microbatches)
    if (seen.insert(size).second)
      sizes.push_back(size);
  return sizes;
}
