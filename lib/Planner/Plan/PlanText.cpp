//===- PlanText.cpp - Plans as files --------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Planner/Plan/Plan.h"
#include "hetero/Support/Yaml.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace hetero;
using namespace hetero::planner;
using hetero::cluster::Cluster;

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

/// Reads one of the names of an enumeration.
template <typename EnumT>
static void readName(YamlReader &reader, const YamlNode *node, EnumT &value,
                     ArrayRef<EnumT> all) {
  if (!node)
    return;
  std::string text = reader.readString(*node);
  std::vector<std::string> names;
  for (EnumT candidate : all) {
    names.push_back(stringify(candidate).str());
    if (names.back() == text) {
      value = candidate;
      return;
    }
  }
  reader.fail(*node, "expected one of " + join(names, ", ") + ", found '" +
                         text + "'");
}

static void readLayers(YamlReader &reader, const YamlNode *node,
                       std::vector<LayerRun> &layers) {
  if (!node)
    return;
  for (const YamlNode &item : reader.readItems(*node, "runs of layers")) {
    std::vector<int64_t> ends = reader.readIntegers(item);
    if (ends.size() != 2)
      reader.fail(item,
                  "expected the first and the last layer of a run, found " +
                      Twine(ends.size()) + " numbers");
    else
      layers.push_back({ends[0], ends[1]});
  }
}

static void readMesh(YamlReader &reader, const YamlNode *node, Mesh &mesh) {
  if (!node)
    return;
  YamlMapping mapping(reader, *node, "a mesh");
  mapping.require("devices", mesh.devices);
  mesh.data = mesh.devices.size();
  mapping.read("data", mesh.data, 1);
  mapping.read("tensor", mesh.tensor, 1);
  mapping.finish();
}

static DeviceShare readShare(YamlReader &reader, const YamlNode &node) {
  DeviceShare share;
  YamlMapping mapping(reader, node, "a share");
  mapping.require("device", share.device, 0);
  mapping.read("micro", share.micro, 1);
  mapping.read("state", share.state);
  mapping.read("memory", share.memory);
  mapping.finish();
  return share;
}

static Stage readStage(YamlReader &reader, const YamlNode &node) {
  Stage stage;
  YamlMapping mapping(reader, node, "a stage");
  readLayers(reader, mapping.require("layers"), stage.layers);
  readMesh(reader, mapping.require("mesh"), stage.mesh);
  mapping.require("samples", stage.samples, "divisions",
                  std::mem_fn(&YamlReader::readIntegers));
  readName<StateMode>(reader, mapping.get("state"), stage.state,
                      {StateMode::Replicated, StateMode::Optimizer,
                       StateMode::Full, StateMode::Node});
  mapping.read("recompute", stage.recompute);
  mapping.read("inFlight", stage.inFlight, 1);
  mapping.read("forward", stage.forward);
  mapping.read("backward", stage.backward);
  mapping.read("boundary", stage.boundary);
  mapping.read("boundaryGradient", stage.boundaryGradient);
  mapping.read("gather", stage.gather);
  mapping.read("reduce", stage.reduce);
  mapping.read("update", stage.update);
  mapping.read("shares", stage.shares, "shares", readShare);
  mapping.finish();
  return stage;
}

static Resource readResource(YamlReader &reader, const YamlNode &node) {
  Resource resource;
  YamlMapping mapping(reader, node, "a limit");
  readName<ResourceKind>(reader, mapping.require("kind"), resource.kind,
                         {ResourceKind::Compute, ResourceKind::Memory,
                          ResourceKind::Bandwidth, ResourceKind::Latency});
  mapping.read("stage", resource.stage, 0);
  mapping.read("device", resource.device, 0);
  mapping.read("part", resource.part);
  mapping.finish();
  return resource;
}

static Expected<Plan> readPlan(YamlReader &reader) {
  Plan plan;
  YamlMapping top(reader, reader.root(), "a plan");
  top.read("planner", plan.planner);
  readName<Objective>(reader, top.get("objective"), plan.objective,
                      {Objective::Time, Objective::Price});
  top.require("batch", plan.batch, 1);
  top.require("microbatches", plan.microbatches);
  readName<ScheduleKind>(reader, top.get("schedule"), plan.schedule,
                         simulator::scheduleKinds());
  top.read("predicted", plan.predicted);
  top.read("bound", plan.bound);
  top.read("limitedBy", plan.limitedBy, "limits", readResource);
  top.require("stages", plan.stages, "stages", readStage);
  top.finish();
  if (Error error = reader.takeError())
    return error;
  return plan;
}

Expected<Plan> hetero::planner::readPlan(MemoryBufferRef buffer) {
  YamlReader reader(buffer);
  return ::readPlan(reader);
}

Expected<Plan>
hetero::planner::readPlan(MemoryBufferRef buffer,
                          function_ref<Error(Plan &, std::string &)> check) {
  YamlReader reader(buffer);
  Expected<Plan> plan = ::readPlan(reader);
  if (!plan)
    return plan;
  std::string place;
  if (Error error = check(*plan, place)) {
    reader.fail(reader.find(place), toString(std::move(error)));
    return reader.takeError();
  }
  return plan;
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

static void writeStage(const Stage &stage, raw_ostream &os) {
  YamlWriter keys(os, "    ", "  - ");
  keys.write("layers", map_range(stage.layers, [](const LayerRun &run) {
               return std::array<int64_t, 2>{run.first, run.last};
             }));
  keys.write("mesh", [&](raw_ostream &os) {
    YamlWriter mesh(os);
    mesh.write("devices", stage.mesh.devices);
    mesh.write("data", stage.mesh.data);
    mesh.write("tensor", stage.mesh.tensor);
  });
  keys.write("samples", stage.samples);
  keys.write("state", stage.state);
  keys.writeUnless(false, "recompute", stage.recompute);
  keys.write("inFlight", stage.inFlight);
  keys.writeUnless({}, "forward", stage.forward);
  keys.writeUnless({}, "backward", stage.backward);
  keys.writeUnless({}, "boundary", stage.boundary);
  keys.writeUnless({}, "boundaryGradient", stage.boundaryGradient);
  keys.writeUnless({}, "gather", stage.gather);
  keys.writeUnless({}, "reduce", stage.reduce);
  keys.writeUnless({}, "update", stage.update);
  if (stage.shares.empty())
    os << "    shares:\n";
  keys.writeItems("shares", stage.shares,
                  [](YamlWriter &item, const DeviceShare &share) {
                    item.write("device", share.device);
                    item.write("micro", share.micro);
                    item.write("state", share.state);
                    item.write("memory", share.memory);
                  });
}

void hetero::planner::writePlan(const Plan &plan, raw_ostream &os) {
  YamlWriter top(os, "");
  top.write("planner", plan.planner);
  top.write("objective", plan.objective);
  top.write("batch", plan.batch);
  top.write("microbatches", plan.microbatches);
  top.write("schedule", plan.schedule);
  top.write("predicted", plan.predicted);
  top.write("bound", plan.bound);
  top.writeItems("limitedBy", plan.limitedBy,
                 [](YamlWriter &item, const Resource &resource) {
                   item.write("kind", resource.kind);
                   item.write("stage", resource.stage);
                   item.write("device", resource.device);
                   item.writeUnless({}, "part", resource.part);
                 });
  os << "stages:\n";
  for (const Stage &stage : plan.stages)
    writeStage(stage, os);
}
