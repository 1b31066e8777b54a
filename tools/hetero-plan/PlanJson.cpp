//===- PlanJson.cpp - Plans for programs ----------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "PlanJson.h"

using namespace llvm;
using namespace hetero;
using namespace hetero::planner;

static json::Object toJson(const Stage &stage) {
  json::Array layers, samples, shares;
  for (const LayerRun &run : stage.layers)
    layers.push_back(json::Array{run.first, run.last});
  for (const auto &list : stage.samples)
    samples.push_back(json::Array(list));
  for (const DeviceShare &share : stage.shares) {
    json::Object object{{"device", share.device},
                        {"state_bytes", share.state.count()},
                        {"memory_bytes", share.memory.count()}};
    if (share.micro)
      object["micro"] = *share.micro;
    shares.push_back(std::move(object));
  }
  return json::Object{{"layers", std::move(layers)},
                      {"devices", json::Array(stage.mesh.devices)},
                      {"data", stage.mesh.data},
                      {"tensor", stage.mesh.tensor},
                      {"samples", std::move(samples)},
                      {"state", stringify(stage.state)},
                      {"recompute", stage.recompute},
                      {"in_flight", stage.inFlight},
                      {"forward_ps", stage.forward.count()},
                      {"backward_ps", stage.backward.count()},
                      {"boundary_ps", stage.boundary.count()},
                      {"boundary_gradient_ps", stage.boundaryGradient.count()},
                      {"gather_ps", stage.gather.count()},
                      {"reduce_ps", stage.reduce.count()},
                      {"update_ps", stage.update.count()},
                      {"shares", std::move(shares)}};
}

json::Object hetero::planner::toJson(const Plan &plan) {
  json::Array stages, limits;
  for (const Stage &stage : plan.stages)
    stages.push_back(::toJson(stage));
  for (const Resource &resource : plan.limitedBy) {
    json::Object object{{"kind", stringify(resource.kind)}};
    if (resource.stage)
      object["stage"] = *resource.stage;
    if (resource.device)
      object["device"] = *resource.device;
    if (!resource.part.empty())
      object["part"] = resource.part;
    limits.push_back(std::move(object));
  }
  return json::Object{{"planner", plan.planner},
                      {"schedule", stringify(plan.schedule)},
                      {"objective", stringify(plan.objective)},
                      {"batch", plan.batch},
                      {"microbatches", json::Array(plan.microbatches)},
                      {"predicted_ps", plan.predicted.count()},
                      {"bound_ps", plan.bound.count()},
                      {"gap_millionths", plan.gap().count()},
                      {"limited_by", std::move(limits)},
                      {"stages", std::move(stages)}};
}

json::Object hetero::planner::toJson(const PricedPlan &plan) {
  json::Object object = toJson(plan.plan);
  object["price_per_hour"] = static_cast<double>(plan.hour.count()) / 1e6;
  object["price_per_step"] = plan.step;
  return object;
}

json::Object hetero::planner::toJson(const WhatIf &answer) {
  json::Object object{{"change", answer.change}};
  if (answer.predicted)
    object["predicted_ps"] = answer.predicted->count();
  if (answer.price)
    object["price_per_hour"] = static_cast<double>(answer.price->count()) / 1e6;
  return object;
}
