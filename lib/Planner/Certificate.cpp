//===- Certificate.cpp - How good a plan can be at best -------------------===//
//
// Part of the hetero project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "hetero/Planner/Certificate.h"
#include "PlanBuilder.h"
#include "Relaxation.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace hetero;
using namespace hetero::planner;
using hetero::cluster::Cluster;

/// Up to this many ways to take devices, and steps of its dynamic program, they
/// are counted, not priced.
static constexpr int64_t mostStates = 400, mostSteps = 4000000;

/// Whether devices are counted.
static bool isSmall(ArrayRef<ClassCount> classes, int64_t numLayers) {
  int64_t states = CountRelaxation::numStates(classes);
  return states <= mostStates &&
         states * states / 4 * numLayers * numLayers / 2 <= mostSteps * 10;
}

namespace {
/// The smallest time that cannot be excluded for some way to cut the batch.
class Certificate {
public:
  Certificate(const Problem &problem, const Cluster &cluster, double known,
              bool alwaysPrices);
  double compute();

private:
  double computeWith(ArrayRef<double> prices, double known);

  StageModel model;
  std::vector<ClassCount> classes;
  LayerRuns runs;
  std::vector<std::vector<int64_t>> options;
  /// For each option a time that is excluded quickly.
  std::vector<double> quick;
  std::optional<NetworkBounds> network;
  bool counts;
  double known;
  /// The option that was lowest.
  size_t lowest = 0;
};
} // namespace

Certificate::Certificate(const Problem &problem, const Cluster &cluster,
                         double known, bool alwaysPrices)
    : model(problem, cluster), runs(problem),
      options(microbatchOptions(problem)), known(known) {
  std::vector<int64_t> devices = usableDevices(problem, cluster);
  std::map<int64_t, int64_t> numbers;
  for (int64_t device : devices)
    ++numbers[cluster.devices[device].deviceClass];
  for (auto [deviceClass, number] : numbers)
    classes.push_back({deviceClass, number});
  network.emplace(cluster, devices, classes);
  counts = !alwaysPrices && isSmall(classes, problem.layers.size());
  for (const std::vector<int64_t> &microbatches : options) {
    StageBounds bounds(model, runs, classes, *max_element(microbatches),
                       *min_element(microbatches));
    quick.push_back(workBound(bounds));
  }
}

/// The smallest over all options of what cannot be excluded, up to `best`.
double Certificate::computeWith(ArrayRef<double> prices, double best) {
  // Those in the middle are likely to be the lowest ones, and the others are
  // then excluded at once.
  std::vector<size_t> order;
  for (size_t step = std::max<size_t>(1, options.size() / 4); step > 0;
       step /= 2)
    for (size_t option = step / 2; option < options.size(); option += step)
      if (!is_contained(order, option))
        order.push_back(option);
  for (size_t option : order) {
    if (quick[option] >= best)
      continue;
    std::unique_ptr<Relaxation> relaxation;
    if (counts)
      relaxation = std::make_unique<CountRelaxation>(model, runs, classes,
                                                     options[option], *network);
    else
      relaxation = std::make_unique<PriceRelaxation>(
          model, runs, classes, options[option], *network, best, prices.vec());
    if (relaxation->excludes(best))
      continue;
    best = relaxation->raise(quick[option], best);
    lowest = option;
  }
  return best;
}

double Certificate::compute() {
  double best = computeWith({}, known);
  if (counts || classes.size() < 2 || best >= known)
    return best;
  // What is good for the lowest option is not bad for the others.
  PriceRelaxation relaxation(model, runs, classes, options[lowest], *network,
                             known);
  std::vector<double> prices = relaxation.improvePrices(best, known);
  return prices.empty() ? best : std::max(best, computeWith(prices, known));
}

Time hetero::planner::certify(const Problem &problem, const Cluster &cluster,
                              Time known, bool alwaysPrices) {
  if (usableDevices(problem, cluster).empty())
    return known;
  double best =
      Certificate(problem, cluster, toSeconds(known), alwaysPrices).compute();
  // Stay below what sums of rounded times may differ by.
  double picoseconds = best * (1 - 1e-9) * static_cast<double>(timePerSecond) -
                       4 * static_cast<double>(problem.layers.size());
  return std::min(known, Time::nearest(std::floor(std::max(0.0, picoseconds))));
}

Time hetero::planner::computeCertificate(const Problem &problem,
                                         const Cluster &cluster, Time known) {
  return certify(problem, cluster, known, /*alwaysPrices=*/false);
}
