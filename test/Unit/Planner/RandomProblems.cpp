//===- RandomProblems.cpp - Small problems and clusters -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "RandomProblems.h"

using namespace hetero;
using namespace hetero::planner;
using hetero::cluster::Cluster;

static constexpr int64_t mega = 1000000, giga = 1000 * mega;

/// From `low` to `high`. Not a distribution of the standard library, whose
/// numbers are not the same everywhere.
static int64_t pick(std::mt19937 &random, int64_t low, int64_t high) {
  return low + int64_t(random() % uint64_t(high - low + 1));
}

static Cost makeCost(std::mt19937 &random, int64_t size) {
  Cost cost;
  cost.work["f32"].perSample = Work(size * pick(random, 1, 20) * mega);
  if (pick(random, 0, 3) == 0)
    cost.work["bf16"].perSample = Work(size * pick(random, 1, 20) * mega);
  cost.bytes.fixed = Bytes(pick(random, 0, 4) * mega);
  cost.bytes.perSample = Bytes(pick(random, 1, 10) * mega / 10);
  cost.operations = pick(random, 1, 20);
  if (pick(random, 0, 3) == 0) {
    Cost &other = cost.others.emplace_back();
    other.work["f32"].perSample = Work(pick(random, 0, 5) * mega);
    other.bytes.perSample = Bytes(pick(random, 0, 10) * mega / 10);
    other.operations = pick(random, 0, 20);
  }
  return cost;
}

/// Times on the first class of makeRandomCluster, which need not rise.
static void addMeasured(std::mt19937 &random, Layer &layer) {
  MeasuredTimes &times = layer.measured["class_0"];
  int64_t samples = 0, numPoints = pick(random, 1, 3);
  for (int64_t i = 0; i < numPoints; ++i) {
    samples += pick(random, 1, 3);
    times.points.push_back({samples,
                            Time((samples + pick(random, 0, 2)) * giga),
                            Time((2 * samples + pick(random, 0, 4)) * giga)});
  }
}

Problem hetero::planner::makeRandomProblem(std::mt19937 &random,
                                           int64_t maxLayers,
                                           int64_t maxBatch) {
  Problem problem;
  problem.batch = pick(random, 1, maxBatch);
  int64_t numLayers = pick(random, 1, maxLayers);
  for (int64_t i = 0; i < numLayers; ++i) {
    if (i > 0 && pick(random, 0, 2) == 0) {
      Layer copy = problem.layers.back();
      copy.like = i - 1;
      copy.name = "layer_" + std::to_string(i);
      problem.layers.push_back(copy);
      continue;
    }
    Layer layer;
    layer.name = "layer_" + std::to_string(i);
    layer.forward = makeCost(random, 1);
    layer.backward = makeCost(random, 2);
    layer.parameters = Bytes(pick(random, 0, 10) * mega);
    layer.gradients = layer.parameters;
    layer.optimizerState = layer.parameters * pick(random, 0, 2);
    layer.update.work["f32"].fixed = Work(layer.parameters.count());
    layer.update.bytes.fixed = layer.parameters * 3;
    layer.saved = {Bytes(0), Bytes(pick(random, 1, 30) * mega / 10)};
    layer.workspace = {Bytes(0), Bytes(pick(random, 1, 10) * mega / 10)};
    layer.output = {Bytes(0), Bytes(pick(random, 1, 20) * mega / 10)};
    layer.outputGradient = layer.output;
    if (pick(random, 0, 1) == 0) {
      layer.tensorDegrees = {2};
      layer.tensorForward = layer.tensorBackward = layer.output;
    }
    if (pick(random, 0, 5) == 0)
      addMeasured(random, layer);
    problem.layers.push_back(layer);
  }
  if (problem.batch % 2 == 0) {
    problem.inputs.push_back({{0}, Bytes(mega / 5)});
    if (numLayers > 1)
      problem.inputs.push_back({{0, numLayers - 1}, Bytes(mega / 10)});
  }
  return problem;
}

Cluster hetero::planner::makeRandomCluster(std::mt19937 &random,
                                           int64_t maxDevices, bool scarce) {
  Cluster cluster;
  cluster.name = "random";
  int64_t numClasses = pick(random, 1, 3), left = pick(random, 1, maxDevices);
  for (int64_t i = 0; i < numClasses; ++i) {
    cluster::DeviceClass deviceClass;
    deviceClass.name = "class_" + std::to_string(i);
    deviceClass.memory =
        Bytes((scarce ? pick(random, 5, 60) : pick(random, 200, 900)) * mega);
    deviceClass.peak["f32"] = Speed(pick(random, 1, 20) * giga);
    deviceClass.peak["bf16"] = Speed(pick(random, 1, 40) * giga);
    deviceClass.bandwidth = Bandwidth(pick(random, 1, 20) * giga);
    deviceClass.overhead = Time(pick(random, 0, 20) * mega);
    if (pick(random, 0, 1) == 0)
      deviceClass.efficiency = {{Work(1000), Share(100000)},
                                {Work(100 * mega), Share(800000)}};
    cluster.classes.push_back(deviceClass);
  }
  while (left > 0) {
    cluster::Node node;
    node.name = "node_" + std::to_string(cluster.nodes.size());
    node.link = cluster::Link{
        cluster::LinkKind::Pcie, Bandwidth(pick(random, 1, 10) * giga),
        Time(pick(random, 0, 10) * mega), pick(random, 0, 1) == 0};
    int64_t here = cluster.nodes.size() == 2 ? left : pick(random, 1, left);
    left -= here;
    while (here > 0) {
      int64_t count = pick(random, 1, here);
      node.groups.push_back({count, pick(random, 0, numClasses - 1)});
      here -= count;
    }
    cluster.nodes.push_back(node);
  }
  cluster::Switch lan;
  lan.name = "lan";
  lan.link = {cluster::LinkKind::Ethernet,
              Bandwidth(pick(random, 1, 20) * giga / 10),
              Time(pick(random, 0, 100) * mega), false};
  for (size_t i = 0; i < cluster.nodes.size(); ++i)
    lan.members.push_back(i);
  cluster.switches.push_back(lan);
  llvm::cantFail(cluster.finish());
  return cluster;
}
