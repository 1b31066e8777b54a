//===- Certificate.cpp - How good a plan can be at best -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Planner/Bounds/Certificate.h"
#include "Relaxation.h"
#include "hetero/Planner/Model/Microbatches.h"
#include "hetero/Planner/Problem/UsableDevices.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace hetero;
using namespace hetero::planner;
using hetero::cluster::Cluster;

namespace {
/// The smallest time that cannot be excluded for some way to cut the batch.
class Certificate {
public:
  Certificate(const Problem &problem, const Cluster &cluster, double known);
  double compute(int64_t effort);

private:
  std::vector<size_t> orderOptions(bool isFirst) const;
  double raise(size_t option, ArrayRef<double> prices, double best);
  double raise(Relaxation &relaxation, double low, double best) const;
  size_t raiseAll(ArrayRef<double> prices, bool isFirst, double best);

  StageModel model;
  std::vector<ClassCount> classes;
  LayerRuns runs;
  RowTimes rowTimes;
  std::vector<std::vector<int64_t>> options;
  /// For each option a time that is excluded.
  std::vector<double> excluded;
  /// And the prices that it was found with; none if those by speed.
  std::vector<std::vector<double>> pricesOf;
  std::optional<NetworkBounds> network;
  /// How many more steps of relaxations may be done finely.
  int64_t work = 0;
  double known;
};
} // namespace

Certificate::Certificate(const Problem &problem, const Cluster &cluster,
                         double known)
    : model(problem, cluster), runs(problem),
      options(microbatchOptions(problem)), known(known) {
  std::vector<int64_t> devices = usableDevices(problem, cluster);
  std::map<int64_t, int64_t> numbers;
  for (int64_t device : devices)
    ++numbers[cluster.devices[device].deviceClass];
  for (auto [deviceClass, number] : numbers)
    classes.push_back({deviceClass, number});
  network.emplace(cluster, devices, classes);
  for (const std::vector<int64_t> &microbatches : options) {
    StageBounds bounds(model, runs, classes, *max_element(microbatches),
                       *min_element(microbatches), rowTimes);
    excluded.push_back(std::min(known, workBound(bounds)));
    pricesOf.emplace_back();
  }
}

/// Options in an order that begins with those that are likely to be the lowest
/// ones: first those in the middle, and then by what is excluded.
std::vector<size_t> Certificate::orderOptions(bool isFirst) const {
  std::vector<size_t> order;
  for (size_t step = std::max<size_t>(1, options.size() / 4); step > 0;
       step /= 2)
    for (size_t option = step / 2; option < options.size(); option += step)
      if (!is_contained(order, option))
        order.push_back(option);
  if (!isFirst)
    sort(order, [&](size_t left, size_t right) {
      return std::tie(excluded[left], left) < std::tie(excluded[right], right);
    });
  return order;
}

/// Raises what is excluded of an option, at most to `best`.
double Certificate::raise(size_t option, ArrayRef<double> prices, double best) {
  Relaxation relaxation(model, runs, classes, options[option], *network, known,
                        prices.vec(), rowTimes);
  double raised = raise(relaxation, excluded[option], best);
  work -= relaxation.numSteps();
  return raised;
}

/// Raises `low`, which is excluded, at most to `best`. Coarse cells exclude
/// much of what can be excluded in little time, and fine ones the rest as long
/// as there is work left.
double Certificate::raise(Relaxation &relaxation, double low,
                          double best) const {
  bool isFar = best == known;
  relaxation.setResolution(Relaxation::coarse);
  if (!isFar && relaxation.excludes(best))
    return best;
  if (isFar || work <= 0)
    low = relaxation.raise(low, best);
  if (work > 0) {
    relaxation.setResolution(Relaxation::fine);
    if (!isFar && relaxation.excludes(best))
      return best;
    low = relaxation.raise(low, best);
  }
  bool isNear = isFar && low * (1 + precision) >= best;
  return isNear && relaxation.excludes(best) ? best : low;
}

/// Raises what is excluded of each option, at most to `best`, until it is not
/// below what is excluded of some other one. Returns the one that could not be
/// raised more.
size_t Certificate::raiseAll(ArrayRef<double> prices, bool isFirst,
                             double best) {
  size_t lowest = 0;
  for (size_t option : orderOptions(isFirst)) {
    if (excluded[option] >= best)
      continue;
    double before = excluded[option], raised = raise(option, prices, best);
    excluded[option] = raised;
    if (raised >= best)
      continue;
    best = raised;
    lowest = option;
    if (raised > before)
      pricesOf[option] = prices.vec();
  }
  return lowest;
}

/// How often prices are improved, and by which factor what is excluded may rise
/// each time: prices that exclude more of one option exclude less of others,
/// which then have to be looked at first.
static constexpr int64_t mostImprovements = 4;
static constexpr double mostGain = 1.04;
/// With more than `mostLayers` layers prices are not improved, as each try
/// takes too long; with more than `mostCertified` there is no certificate.
static constexpr int64_t mostLayers = 60, mostCertified = 600;
/// Tables are by numbers of samples; with more they would fill the memory.
static constexpr int64_t mostSamples = 1 << 18;
/// How many steps of relaxations are done finely: some seconds.
static constexpr int64_t mostWork = 60000000;

double Certificate::compute(int64_t effort) {
  work = effort * mostWork;
  size_t lowest = raiseAll({}, /*isFirst=*/true, known);
  // Prices that are good for one option need not be for another one.
  bool improves = classes.size() > 1 && runs.numLayers <= mostLayers;
  for (int64_t i = 0; improves && i < mostImprovements * effort; ++i) {
    if (excluded[lowest] >= known || work <= 0)
      break;
    Relaxation relaxation(model, runs, classes, options[lowest], *network,
                          known, pricesOf[lowest], rowTimes);
    std::vector<double> prices =
        relaxation.improvePrices(excluded[lowest], known);
    work -= relaxation.numSteps();
    if (prices.empty())
      break;
    lowest = raiseAll(prices, /*isFirst=*/false,
                      std::min(known, mostGain * excluded[lowest]));
  }
  return *llvm::min_element(excluded);
}

bool hetero::planner::isCertified(const Problem &problem,
                                  const Cluster &cluster, const Plan &plan) {
  bool isLayered = plan.schedule == ScheduleKind::Layered &&
                   plan.stages.size() == 1 &&
                   (plan.stages.front().state == StateMode::Full ||
                    plan.stages.front().state == StateMode::Node);
  auto isSame = [&](ArrayRef<int64_t> sizes) {
    return std::is_permutation(sizes.begin(), sizes.end(),
                               plan.microbatches.begin(),
                               plan.microbatches.end());
  };
  return any_of(microbatchOptions(problem), isSame) &&
         all_of(plan.stages, [&](const Stage &stage) {
           const Mesh &mesh = stage.mesh;
           return (isLayered || stage.layers.size() == 1) &&
                  rowsAreUniform(cluster, mesh.devices, mesh.tensor);
         });
}

Time hetero::planner::computeCertificate(const Problem &problem,
                                         const Cluster &cluster, Time known,
                                         int64_t effort) {
  if (usableDevices(problem, cluster).empty())
    return known;
  if (int64_t(problem.layers.size()) > mostCertified ||
      problem.batch > mostSamples)
    return Time(0);
  double best = Certificate(problem, cluster, toSeconds(known)).compute(effort);
  // Stay below what sums of rounded times may differ by.
  double picoseconds = best * (1 - 1e-9) * static_cast<double>(timePerSecond) -
                       4 * static_cast<double>(problem.layers.size());
  return std::min(known, Time::nearest(std::floor(std::max(0.0, picoseconds))));
}
