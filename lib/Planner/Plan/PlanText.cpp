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
  if (const YamlNode *devices = mapping.require("devices"))
    mesh.devices = reader.readIntegers(*devices);
  mesh.data = mesh.devices.size();
  mapping.readInteger("data", mesh.data, 1);
  mapping.readInteger("tensor", mesh.tensor, 1);
  mapping.finish();
}

static DeviceShare readShare(YamlReader &reader, const YamlNode &node) {
  DeviceShare share;
  YamlMapping mapping(reader, node, "a share");
  if (const YamlNode *device = mapping.require("device"))
    share.device = reader.readInteger(*device, 0);
  mapping.readInteger("micro", share.micro, 1);
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
  if (const YamlNode *samples = mapping.require("samples"))
    for (const YamlNode &item : reader.readItems(*samples, "divisions"))
      stage.samples.push_back(reader.readIntegers(item));
  readName<StateMode>(reader, mapping.get("state"), stage.state,
                      {StateMode::Replicated, StateMode::Optimizer,
                       StateMode::Full, StateMode::Node});
  mapping.read("recompute", stage.recompute);
  mapping.readInteger("inFlight", stage.inFlight, 1);
  mapping.read("forward", stage.forward);
  mapping.read("backward", stage.backward);
  mapping.read("boundary", stage.boundary);
  mapping.read("boundaryGradient", stage.boundaryGradient);
  mapping.read("gather", stage.gather);
  mapping.read("reduce", stage.reduce);
  mapping.read("update", stage.update);
  if (const YamlNode *shares = mapping.get("shares"))
    for (const YamlNode &item : reader.readItems(*shares, "shares"))
      stage.shares.push_back(readShare(reader, item));
  mapping.finish();
  return stage;
}

static Resource readResource(YamlReader &reader, const YamlNode &node) {
  Resource resource;
  YamlMapping mapping(reader, node, "a limit");
  readName<ResourceKind>(reader, mapping.require("kind"), resource.kind,
                         {ResourceKind::Compute, ResourceKind::Memory,
                          ResourceKind::Bandwidth, ResourceKind::Latency});
  mapping.readInteger("stage", resource.stage, 0);
  mapping.readInteger("device", resource.device, 0);
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
  if (const YamlNode *batch = top.require("batch"))
    plan.batch = reader.readInteger(*batch, 1);
  if (const YamlNode *sizes = top.require("microbatches"))
    plan.microbatches = reader.readIntegers(*sizes);
  readName<ScheduleKind>(reader, top.get("schedule"), plan.schedule,
                         simulator::scheduleKinds());
  top.read("predicted", plan.predicted);
  top.read("bound", plan.bound);
  if (const YamlNode *limits = top.get("limitedBy"))
    for (const YamlNode &item : reader.readItems(*limits, "limits"))
      plan.limitedBy.push_back(readResource(reader, item));
  if (const YamlNode *stages = top.require("stages"))
    for (const YamlNode &item : reader.readItems(*stages, "stages"))
      plan.stages.push_back(readStage(reader, item));
  top.finish();
  if (Error error = reader.takeError())
    return error;
  return plan;
}

/// The node that a part of a plan was read from, or what it would be in.
static const YamlNode &findNode(const YamlNode &root, const PlanPlace &place) {
  const YamlNode *node = &root;
  auto enter = [&](StringRef key) {
    for (auto [name, value] : zip(node->keys, node->items))
      if (name.text == key) {
        node = &value;
        return;
      }
  };
  auto enterItem = [&](int64_t index) {
    if (node->kind == YamlNode::Kind::Sequence &&
        index < int64_t(node->items.size()))
      node = &node->items[index];
  };
  if (place.stage) {
    enter("stages");
    enterItem(*place.stage);
  }
  SmallVector<StringRef> keys;
  place.key.split(keys, '.');
  for (StringRef key : keys)
    enter(key);
  if (place.item)
    enterItem(*place.item);
  return *node;
}

Expected<Plan> hetero::planner::readPlan(MemoryBufferRef buffer) {
  YamlReader reader(buffer);
  return ::readPlan(reader);
}

Expected<Plan>
hetero::planner::readPlan(MemoryBufferRef buffer,
                          function_ref<Error(Plan &, PlanPlace &)> check) {
  YamlReader reader(buffer);
  Expected<Plan> plan = ::readPlan(reader);
  if (!plan)
    return plan;
  PlanPlace place;
  if (Error error = check(*plan, place)) {
    reader.fail(findNode(reader.root(), place), toString(std::move(error)));
    return reader.takeError();
  }
  return plan;
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

static void writeIntegers(ArrayRef<int64_t> values, raw_ostream &os) {
  os << '[';
  interleaveComma(values, os);
  os << ']';
}

static void writeStage(const Stage &stage, raw_ostream &os) {
  os << "  - layers: [";
  interleaveComma(stage.layers, os, [&](const LayerRun &run) {
    writeIntegers({run.first, run.last}, os);
  });
  os << "]\n    mesh: {devices: ";
  writeIntegers(stage.mesh.devices, os);
  os << ", data: " << stage.mesh.data << ", tensor: " << stage.mesh.tensor
     << "}\n    samples: [";
  interleaveComma(stage.samples, os, [&](ArrayRef<int64_t> samples) {
    writeIntegers(samples, os);
  });
  os << "]\n    state: " << stringify(stage.state) << '\n';
  if (stage.recompute)
    os << "    recompute: true\n";
  os << "    inFlight: " << stage.inFlight << '\n';
  for (auto [key, time] :
       {std::pair("forward", stage.forward),
        std::pair("backward", stage.backward),
        std::pair("boundary", stage.boundary),
        std::pair("boundaryGradient", stage.boundaryGradient),
        std::pair("gather", stage.gather), std::pair("reduce", stage.reduce),
        std::pair("update", stage.update)})
    if (time != Time(0))
      os << "    " << key << ": " << time.str() << '\n';
  os << "    shares:\n";
  for (const DeviceShare &share : stage.shares) {
    os << "      - {device: " << share.device;
    if (share.micro)
      os << ", micro: " << *share.micro;
    os << ", state: " << share.state.str() << ", memory: " << share.memory.str()
       << "}\n";
  }
}

void hetero::planner::writePlan(const Plan &plan, raw_ostream &os) {
  os << "planner: " << quoteYaml(plan.planner) << '\n';
  os << "objective: " << stringify(plan.objective) << '\n';
  os << "batch: " << plan.batch << "\nmicrobatches: ";
  writeIntegers(plan.microbatches, os);
  os << "\nschedule: " << stringify(plan.schedule)
     << "\npredicted: " << plan.predicted.str()
     << "\nbound: " << plan.bound.str() << '\n';
  if (!plan.limitedBy.empty())
    os << "limitedBy:\n";
  for (const Resource &resource : plan.limitedBy) {
    os << "  - {kind: " << stringify(resource.kind);
    if (resource.stage)
      os << ", stage: " << *resource.stage;
    if (resource.device)
      os << ", device: " << *resource.device;
    if (!resource.part.empty())
      os << ", part: " << quoteYaml(resource.part);
    os << "}\n";
  }
  os << "stages:\n";
  for (const Stage &stage : plan.stages)
    writeStage(stage, os);
}
