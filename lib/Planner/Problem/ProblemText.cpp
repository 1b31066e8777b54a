//===- ProblemText.cpp - Problems as files --------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Planner/Problem/Problem.h"
#include "hetero/Planner/Problem/ProblemCheck.h"
#include "hetero/Support/ElementType.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace hetero;
using namespace hetero::planner;
using hetero::cluster::Cluster;

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

template <typename AmountT>
static void readAffine(YamlReader &reader, const YamlNode *node,
                       Affine<AmountT> &amount) {
  if (!node)
    return;
  amount = {};
  if (node->kind != YamlNode::Kind::Mapping)
    return reader.fail(
        *node, "expected amounts like {fixed: " + AmountT(1500000).str() +
                   ", sample: " + AmountT(1000).str() + "}");
  YamlMapping mapping(reader, *node, "an amount");
  mapping.read("fixed", amount.fixed);
  mapping.read("sample", amount.perSample);
  mapping.finish();
}

static void readCost(YamlReader &reader, const YamlNode *node, Cost &cost,
                     bool isOther = false) {
  if (!node)
    return;
  cost = {};
  YamlMapping mapping(reader, *node, "a cost");
  if (const YamlNode *work = mapping.get("work"))
    for (auto [key, value] : reader.readEntries(
             *work, "work by element type, like {f32: {sample: 48 FLOP}}")) {
      checkElementType(reader, key);
      readAffine(reader, &value, cost.work[key.text]);
    }
  readAffine(reader, mapping.get("bytes"), cost.bytes);
  mapping.read("operations", cost.operations, 0);
  // Others of others would be of any depth.
  const YamlNode *others = isOther ? nullptr : mapping.get("others");
  if (others)
    for (const YamlNode &item : reader.readItems(*others, "costs"))
      readCost(reader, &item, cost.others.emplace_back(), true);
  mapping.finish();
}

/// A list of times, one for each number of samples.
static void readTimes(YamlReader &reader, const YamlNode *node,
                      Time MeasuredTimes::Point::*phase,
                      MeasuredTimes &measured) {
  if (!node)
    return;
  ArrayRef<YamlNode> items = reader.readItems(*node, "times");
  if (items.size() != measured.points.size())
    return reader.fail(*node, "expected " + Twine(measured.points.size()) +
                                  " times, one for each number of samples, "
                                  "found " +
                                  Twine(items.size()));
  for (auto [item, point] : zip_equal(items, measured.points))
    reader.read(item, point.*phase);
}

static void readMeasured(YamlReader &reader, const YamlNode *node,
                         std::map<std::string, MeasuredTimes> &measured) {
  if (!node)
    return;
  measured.clear();
  for (auto [key, value] : reader.readEntries(
           *node, "times by class of devices, like {l4: {samples: [1], "
                  "forward: [9 ms], backward: [17 ms]}}")) {
    MeasuredTimes &times = measured[key.text];
    YamlMapping mapping(reader, value, "measured times");
    if (const YamlNode *samples = mapping.require("samples"))
      for (int64_t number : reader.readIntegers(*samples))
        times.points.push_back({number, Time(0), Time(0)});
    readTimes(reader, mapping.require("forward"),
              &MeasuredTimes::Point::forward, times);
    readTimes(reader, mapping.require("backward"),
              &MeasuredTimes::Point::backward, times);
    mapping.finish();
  }
}

static Layer readLayer(YamlReader &reader, const YamlNode &node,
                       ArrayRef<Layer> before) {
  Layer layer;
  YamlMapping mapping(reader, node, "a layer");
  std::optional<int64_t> like;
  mapping.read("like", like, 0);
  // Whatever is not stated is as there; the check refuses what differs.
  if (like && *like < int64_t(before.size())) {
    layer = before[*like];
    layer.name.clear();
  }
  layer.like = like;
  mapping.read("name", layer.name);
  readCost(reader, mapping.get("forward"), layer.forward);
  readCost(reader, mapping.get("backward"), layer.backward);
  readCost(reader, mapping.get("update"), layer.update);
  mapping.read("parameters", layer.parameters);
  mapping.read("optimizerState", layer.optimizerState);
  mapping.read("gradients", layer.gradients);
  readAffine(reader, mapping.get("saved"), layer.saved);
  readAffine(reader, mapping.get("workspace"), layer.workspace);
  readAffine(reader, mapping.get("output"), layer.output);
  readAffine(reader, mapping.get("outputGradient"), layer.outputGradient);
  mapping.read("tensorDegrees", layer.tensorDegrees);
  readAffine(reader, mapping.get("tensorForward"), layer.tensorForward);
  readAffine(reader, mapping.get("tensorBackward"), layer.tensorBackward);
  readMeasured(reader, mapping.get("measured"), layer.measured);
  mapping.finish();
  return layer;
}

static Input readInput(YamlReader &reader, const YamlNode &node) {
  Input input;
  YamlMapping mapping(reader, node, "an input");
  mapping.require("layers", input.layers);
  mapping.read("sample", input.sample);
  mapping.finish();
  return input;
}

static Tie readTie(YamlReader &reader, const YamlNode &node) {
  Tie tie;
  YamlMapping mapping(reader, node, "a tie");
  mapping.require("layers", tie.layers);
  mapping.read("parameters", tie.parameters);
  mapping.read("gradients", tie.gradients);
  mapping.finish();
  return tie;
}

static Pin readPin(YamlReader &reader, const YamlNode &node) {
  Pin pin;
  YamlMapping mapping(reader, node, "a pin");
  mapping.require("layer", pin.layer, 0);
  mapping.read("stage", pin.stage, 0);
  mapping.read("devices", pin.devices);
  mapping.finish();
  return pin;
}

static void readConstraints(YamlReader &reader, const YamlNode &node,
                            Constraints &constraints) {
  YamlMapping mapping(reader, node, "the constraints");
  mapping.read("pins", constraints.pins, "pins", readPin);
  mapping.read("forbiddenDevices", constraints.forbiddenDevices);
  mapping.read("microbatches", constraints.microbatches);
  mapping.read("maxMicrobatches", constraints.maxMicrobatches, 1);
  mapping.read("maxStages", constraints.maxStages, 1);
  mapping.read("tensor", constraints.tensor, 1);
  mapping.finish();
}

Expected<Problem> hetero::planner::readProblem(MemoryBufferRef buffer,
                                               const Cluster *cluster) {
  YamlReader reader(buffer);
  Problem problem;
  YamlMapping top(reader, reader.root(), "a problem");
  top.require("batch", problem.batch, 1);
  top.require("layers", problem.layers, "layers",
              [&](YamlReader &reader, const YamlNode &item) {
                return readLayer(reader, item, problem.layers);
              });
  top.read("ties", problem.ties, "ties", readTie);
  top.read("inputs", problem.inputs, "inputs", readInput);
  if (const YamlNode *constraints = top.get("constraints"))
    readConstraints(reader, *constraints, problem.constraints);
  top.finish();
  if (Error error = reader.takeError())
    return error;
  std::string place;
  Error error = check(problem, place);
  if (!error && cluster)
    error = checkConstraints(problem, *cluster, place);
  if (error) {
    reader.fail(reader.find(place), toString(std::move(error)));
    return reader.takeError();
  }
  return problem;
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

static void writeCost(const Cost &cost, raw_ostream &os) {
  YamlWriter keys(os);
  keys.write("work", cost.work);
  keys.write("bytes", cost.bytes);
  keys.write("operations", cost.operations);
  if (!cost.others.empty())
    keys.write("others", [&](raw_ostream &os) {
      os << '[';
      interleaveComma(cost.others, os,
                      [&](const Cost &other) { writeCost(other, os); });
      os << ']';
    });
}

static void writeMeasured(const MeasuredTimes &times, raw_ostream &os) {
  using Point = MeasuredTimes::Point;
  auto list = [&](auto Point::*field) {
    return map_range(times.points,
                     [=](const Point &point) { return point.*field; });
  };
  YamlWriter keys(os);
  keys.write("samples", list(&Point::samples));
  keys.write("forward", list(&Point::forward));
  keys.write("backward", list(&Point::backward));
}

static void writeLayer(const Layer &layer, raw_ostream &os) {
  YamlWriter keys(os, "    ", "  - ");
  keys.write("name", layer.name);
  keys.write("like", layer.like);
  if (layer.like)
    return;
  for (auto [key, cost] : {std::pair("forward", &layer.forward),
                           std::pair("backward", &layer.backward),
                           std::pair("update", &layer.update)})
    if (!(*cost == Cost()))
      keys.write(key,
                 [&, &cost = *cost](raw_ostream &os) { writeCost(cost, os); });
  keys.writeUnless({}, "parameters", layer.parameters);
  keys.writeUnless({}, "optimizerState", layer.optimizerState);
  keys.writeUnless({}, "gradients", layer.gradients);
  keys.writeUnless({}, "saved", layer.saved);
  keys.writeUnless({}, "workspace", layer.workspace);
  keys.writeUnless({}, "output", layer.output);
  keys.writeUnless({}, "outputGradient", layer.outputGradient);
  keys.writeUnless({}, "tensorDegrees", layer.tensorDegrees);
  keys.writeUnless({}, "tensorForward", layer.tensorForward);
  keys.writeUnless({}, "tensorBackward", layer.tensorBackward);
  if (!layer.measured.empty())
    os << "    measured:\n";
  YamlWriter classes(os, "      ");
  for (const auto &[deviceClass, times] : layer.measured)
    classes.write(quoteYaml(deviceClass), [&, &times = times](raw_ostream &os) {
      writeMeasured(times, os);
    });
}

static void writeConstraints(const Constraints &constraints, raw_ostream &os) {
  if (constraints == Constraints())
    return;
  os << "constraints:\n";
  YamlWriter keys(os, "  ");
  keys.writeItems("pins", constraints.pins,
                  [](YamlWriter &item, const Pin &pin) {
                    item.write("layer", pin.layer);
                    item.write("stage", pin.stage);
                    item.writeUnless({}, "devices", pin.devices);
                  });
  keys.writeUnless({}, "forbiddenDevices", constraints.forbiddenDevices);
  keys.writeUnless({}, "microbatches", constraints.microbatches);
  keys.write("maxMicrobatches", constraints.maxMicrobatches);
  keys.write("maxStages", constraints.maxStages);
  keys.write("tensor", constraints.tensor);
}

void hetero::planner::writeProblem(const Problem &problem, raw_ostream &os) {
  YamlWriter top(os, "");
  top.write("batch", problem.batch);
  os << "layers:\n";
  for (const Layer &layer : problem.layers)
    writeLayer(layer, os);
  top.writeItems("ties", problem.ties, [](YamlWriter &item, const Tie &tie) {
    item.write("layers", tie.layers);
    item.write("parameters", tie.parameters);
    item.write("gradients", tie.gradients);
  });
  top.writeItems("inputs", problem.inputs,
                 [](YamlWriter &item, const Input &input) {
                   item.write("layers", input.layers);
                   item.write("sample", input.sample);
                 });
  writeConstraints(problem.constraints, os);
}
