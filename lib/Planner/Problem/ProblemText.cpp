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
  if (const YamlNode *work = mapping.get("work")) {
    if (work->kind != YamlNode::Kind::Mapping)
      reader.fail(*work, "expected work by element type, like "
                         "{f32: {sample: 48 FLOP}}");
    for (auto [key, value] : zip(work->keys, work->items)) {
      checkElementType(reader, key);
      readAffine(reader, &value, cost.work[key.text]);
    }
  }
  readAffine(reader, mapping.get("bytes"), cost.bytes);
  mapping.readInteger("operations", cost.operations, 0);
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
  if (node->kind != YamlNode::Kind::Mapping)
    return reader.fail(*node, "expected times by class of devices, like {l4: "
                              "{samples: [1], forward: [9 ms], backward: [17 "
                              "ms]}}");
  measured.clear();
  for (auto [key, value] : zip_equal(node->keys, node->items)) {
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
  mapping.readInteger("like", like, 0);
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
  if (const YamlNode *layers = mapping.require("layers"))
    input.layers = reader.readIntegers(*layers);
  mapping.read("sample", input.sample);
  mapping.finish();
  return input;
}

static Tie readTie(YamlReader &reader, const YamlNode &node) {
  Tie tie;
  YamlMapping mapping(reader, node, "a tie");
  if (const YamlNode *layers = mapping.require("layers"))
    tie.layers = reader.readIntegers(*layers);
  mapping.read("parameters", tie.parameters);
  mapping.read("gradients", tie.gradients);
  mapping.finish();
  return tie;
}

static Pin readPin(YamlReader &reader, const YamlNode &node) {
  Pin pin;
  YamlMapping mapping(reader, node, "a pin");
  if (const YamlNode *layer = mapping.require("layer"))
    pin.layer = reader.readInteger(*layer, 0);
  mapping.readInteger("stage", pin.stage, 0);
  mapping.read("devices", pin.devices);
  mapping.finish();
  return pin;
}

static void readConstraints(YamlReader &reader, const YamlNode &node,
                            Constraints &constraints) {
  YamlMapping mapping(reader, node, "the constraints");
  if (const YamlNode *pins = mapping.get("pins"))
    for (const YamlNode &item : reader.readItems(*pins, "pins"))
      constraints.pins.push_back(readPin(reader, item));
  mapping.read("forbiddenDevices", constraints.forbiddenDevices);
  mapping.read("microbatches", constraints.microbatches);
  mapping.readInteger("maxMicrobatches", constraints.maxMicrobatches, 1);
  mapping.readInteger("maxStages", constraints.maxStages, 1);
  mapping.readInteger("tensor", constraints.tensor, 1);
  mapping.finish();
}

/// The item with a number, or the list of all if there is none such.
static const YamlNode *itemOf(const YamlNode *list, int64_t index) {
  return index < int64_t(list->items.size()) ? &list->items[index] : list;
}

/// The node that a part of the problem was read from.
static const YamlNode *findNode(const YamlNode *node, ProblemPlace place) {
  auto child = [](const YamlNode *parent, StringRef key) {
    for (auto [name, value] : zip(parent->keys, parent->items))
      if (name.text == key)
        return &value;
    return parent;
  };
  const YamlNode *constraints = child(node, "constraints");
  const YamlNode *pin = itemOf(child(constraints, "pins"), place.index);
  switch (place.kind) {
  case ProblemPlace::Kind::Problem:
    return node;
  case ProblemPlace::Kind::Batch:
    return child(node, "batch");
  case ProblemPlace::Kind::Layer:
    return itemOf(child(node, "layers"), place.index);
  case ProblemPlace::Kind::Tie:
    return itemOf(child(node, "ties"), place.index);
  case ProblemPlace::Kind::Input:
    return itemOf(child(node, "inputs"), place.index);
  case ProblemPlace::Kind::Constraints:
    return constraints;
  case ProblemPlace::Kind::Microbatches:
    return child(constraints, "microbatches");
  case ProblemPlace::Kind::Forbidden:
    return itemOf(child(constraints, "forbiddenDevices"), place.index);
  case ProblemPlace::Kind::Tensor:
    return child(constraints, "tensor");
  case ProblemPlace::Kind::Pin:
    return pin;
  case ProblemPlace::Kind::PinStage:
    return child(pin, "stage");
  case ProblemPlace::Kind::PinDevice:
    return itemOf(child(pin, "devices"), place.device);
  }
  llvm_unreachable("every place has a node");
}

Expected<Problem> hetero::planner::readProblem(MemoryBufferRef buffer,
                                               const Cluster *cluster) {
  YamlReader reader(buffer);
  Problem problem;
  YamlMapping top(reader, reader.root(), "a problem");
  if (const YamlNode *batch = top.require("batch"))
    problem.batch = reader.readInteger(*batch, 1);
  if (const YamlNode *layers = top.require("layers"))
    for (const YamlNode &item : reader.readItems(*layers, "layers"))
      problem.layers.push_back(readLayer(reader, item, problem.layers));
  if (const YamlNode *ties = top.get("ties"))
    for (const YamlNode &item : reader.readItems(*ties, "ties"))
      problem.ties.push_back(readTie(reader, item));
  if (const YamlNode *inputs = top.get("inputs"))
    for (const YamlNode &item : reader.readItems(*inputs, "inputs"))
      problem.inputs.push_back(readInput(reader, item));
  if (const YamlNode *constraints = top.get("constraints"))
    readConstraints(reader, *constraints, problem.constraints);
  top.finish();
  if (Error error = reader.takeError())
    return error;
  ProblemPlace place;
  Error error = check(problem, place);
  if (!error && cluster)
    error = checkConstraints(problem, *cluster, place);
  if (error) {
    reader.fail(*findNode(&reader.root(), place), toString(std::move(error)));
    return reader.takeError();
  }
  return problem;
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

static void writeIntegers(ArrayRef<int64_t> values, raw_ostream &os) {
  os << '[';
  interleaveComma(values, os);
  os << ']';
}

template <typename AmountT>
static void writeAffine(const Affine<AmountT> &amount, raw_ostream &os) {
  os << '{';
  if (amount.fixed != AmountT(0))
    os << "fixed: " << amount.fixed.str();
  if (amount.perSample != AmountT(0))
    os << (amount.fixed != AmountT(0) ? ", " : "")
       << "sample: " << amount.perSample.str();
  os << '}';
}

static void writeCost(const Cost &cost, raw_ostream &os) {
  os << "{work: {";
  interleaveComma(cost.work, os, [&](const auto &entry) {
    os << quoteYaml(entry.first) << ": ";
    writeAffine(entry.second, os);
  });
  os << "}, bytes: ";
  writeAffine(cost.bytes, os);
  os << ", operations: " << cost.operations;
  if (!cost.others.empty()) {
    os << ", others: [";
    interleaveComma(cost.others, os,
                    [&](const Cost &other) { writeCost(other, os); });
    os << ']';
  }
  os << '}';
}

/// A cost on one line; nothing if it is the one that is there by default.
static void writeCost(StringRef key, const Cost &cost, raw_ostream &os) {
  if (cost == Cost())
    return;
  os << "    " << key << ": ";
  writeCost(cost, os);
  os << '\n';
}

static void writeMeasured(const Layer &layer, raw_ostream &os) {
  if (layer.measured.empty())
    return;
  os << "    measured:\n";
  for (const auto &[deviceClass, times] : layer.measured) {
    os << "      " << quoteYaml(deviceClass) << ": {samples: [";
    interleaveComma(times.points, os,
                    [&](const auto &point) { os << point.samples; });
    os << "], forward: [";
    interleaveComma(times.points, os,
                    [&](const auto &point) { os << point.forward.str(); });
    os << "], backward: [";
    interleaveComma(times.points, os,
                    [&](const auto &point) { os << point.backward.str(); });
    os << "]}\n";
  }
}

static void writeLayer(const Layer &layer, raw_ostream &os) {
  os << "  - name: " << quoteYaml(layer.name) << '\n';
  if (layer.like) {
    os << "    like: " << *layer.like << '\n';
    return;
  }
  writeCost("forward", layer.forward, os);
  writeCost("backward", layer.backward, os);
  writeCost("update", layer.update, os);
  for (auto [key, bytes] : {std::pair("parameters", layer.parameters),
                            std::pair("optimizerState", layer.optimizerState),
                            std::pair("gradients", layer.gradients)})
    if (bytes != Bytes(0))
      os << "    " << key << ": " << bytes.str() << '\n';
  auto write = [&](StringRef key, const Affine<Bytes> &amount) {
    if (amount == Affine<Bytes>())
      return;
    os << "    " << key << ": ";
    writeAffine(amount, os);
    os << '\n';
  };
  write("saved", layer.saved);
  write("workspace", layer.workspace);
  write("output", layer.output);
  write("outputGradient", layer.outputGradient);
  if (!layer.tensorDegrees.empty()) {
    os << "    tensorDegrees: ";
    writeIntegers(layer.tensorDegrees, os);
    os << '\n';
  }
  write("tensorForward", layer.tensorForward);
  write("tensorBackward", layer.tensorBackward);
  writeMeasured(layer, os);
}

static void writeConstraints(const Constraints &constraints, raw_ostream &os) {
  if (constraints == Constraints())
    return;
  os << "constraints:\n";
  if (!constraints.pins.empty())
    os << "  pins:\n";
  for (const Pin &pin : constraints.pins) {
    os << "    - {layer: " << pin.layer;
    if (pin.stage)
      os << ", stage: " << *pin.stage;
    if (!pin.devices.empty()) {
      os << ", devices: ";
      writeIntegers(pin.devices, os);
    }
    os << "}\n";
  }
  for (auto [key, values] :
       {std::pair("forbiddenDevices", &constraints.forbiddenDevices),
        std::pair("microbatches", &constraints.microbatches)}) {
    if (values->empty())
      continue;
    os << "  " << key << ": ";
    writeIntegers(*values, os);
    os << '\n';
  }
  if (constraints.maxMicrobatches)
    os << "  maxMicrobatches: " << *constraints.maxMicrobatches << '\n';
  if (constraints.maxStages)
    os << "  maxStages: " << *constraints.maxStages << '\n';
  if (constraints.tensor)
    os << "  tensor: " << *constraints.tensor << '\n';
}

void hetero::planner::writeProblem(const Problem &problem, raw_ostream &os) {
  os << "batch: " << problem.batch << "\nlayers:\n";
  for (const Layer &layer : problem.layers)
    writeLayer(layer, os);
  if (!problem.ties.empty())
    os << "ties:\n";
  for (const Tie &tie : problem.ties) {
    os << "  - {layers: ";
    writeIntegers(tie.layers, os);
    os << ", parameters: " << tie.parameters.str()
       << ", gradients: " << tie.gradients.str() << "}\n";
  }
  if (!problem.inputs.empty())
    os << "inputs:\n";
  for (const Input &input : problem.inputs) {
    os << "  - {layers: ";
    writeIntegers(input.layers, os);
    os << ", sample: " << input.sample.str() << "}\n";
  }
  writeConstraints(problem.constraints, os);
}
