//===- QuickBound.cpp - A time that no plan can beat ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two bounds, of which the larger counts.
//
// 1. Work. Whatever the plan is, each sample passes each layer somewhere, and
//    each layer is updated somewhere. If that takes at least c_lk of the time
//    of devices of class k, of which there are N_k, then for all weights
//    w_k >= 0
//
//      T sum_k N_k w_k >= sum_l min_k w_k c_lk
//
//    because the left side is at least the weighted time that is spent. This is
//    the dual of dividing all work freely over all devices. Weights by speed
//    are good when classes differ by a factor; a few rounds of improvement
//    serve the other cases. It holds for programs that divide single operations
//    as well.
//
// 2. Way. One sample has to pass all layers forwards and backwards, one after
//    the other, each on the best class and as finely divided as is allowed.
//    Half of a backward makes gradients of weights, which may come later; those
//    of the first layer come last.

#include "hetero/Planner/Model/QuickBound.h"
#include "hetero/Planner/Model/CostTime.h"
#include "hetero/Planner/Problem/UsableDevices.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace hetero;
using namespace hetero::planner;
using hetero::cluster::Cluster;
using hetero::cluster::DeviceClass;

/// The least time of a cost for `samples` with the fixed part `fixed` times,
/// without overhead, in seconds.
static double leastTime(const DeviceClass &deviceClass, const Cost &cost,
                        int64_t fixed, int64_t samples) {
  return toSeconds(costBound(deviceClass, cost, [&](auto amount) {
    return amount.fixed * fixed + amount.perSample * samples;
  }));
}

static double overhead(const DeviceClass &deviceClass, const Cost &cost) {
  return toSeconds(deviceClass.overhead) *
         static_cast<double>(std::max<int64_t>(0, countOperations(cost)));
}

namespace {
/// What each layer takes at least on each class of devices that may be used.
class WorkBound {
public:
  WorkBound(const Problem &problem, const Cluster &cluster,
            ArrayRef<std::pair<int64_t, int64_t>> classes) {
    for (auto [index, number] : classes) {
      const DeviceClass &deviceClass = cluster.classes[index];
      counts.push_back(static_cast<double>(number));
      std::vector<double> &list = costs.emplace_back();
      std::vector<double> &once = overheads.emplace_back();
      for (const Layer &layer : problem.layers) {
        double update = leastTime(deviceClass, layer.update, 1, 0);
        double updateOverhead = overhead(deviceClass, layer.update);
        if (const MeasuredTimes *measured =
                layer.measuredOn(deviceClass.name)) {
          list.push_back(measured->leastPerSample() *
                             static_cast<double>(problem.batch) +
                         update);
          once.push_back(updateOverhead);
          continue;
        }
        list.push_back(
            leastTime(deviceClass, layer.forward, 0, problem.batch) +
            leastTime(deviceClass, layer.backward, 0, problem.batch) + update);
        once.push_back(overhead(deviceClass, layer.forward) +
                       overhead(deviceClass, layer.backward) + updateOverhead);
      }
    }
  }

  double compute() const {
    size_t numClasses = counts.size();
    std::vector<double> weights;
    for (const std::vector<double> &list : costs) {
      double sum = sum_of(list);
      weights.push_back(sum > 0 ? 1 / sum : 1);
    }
    double best = boundFor(weights);
    // Coordinate ascent with steps that shrink.
    double step = 2;
    for (int round = 0; round < 7; ++round, step = std::sqrt(step))
      for (size_t k = 0; k < numClasses; ++k)
        for (double factor : {step, 1 / step}) {
          std::vector<double> changed = weights;
          changed[k] *= factor;
          double value = boundFor(changed);
          if (value <= best)
            continue;
          best = value;
          weights = changed;
        }
    return best;
  }

private:
  double boundFor(ArrayRef<double> weights) const {
    double total = 0, work = 0;
    for (auto [count, weight] : zip_equal(counts, weights))
      total += count * weight;
    for (size_t layer = 0; layer < costs.front().size(); ++layer)
      for (const auto *lists : {&costs, &overheads}) {
        double least = std::numeric_limits<double>::infinity();
        for (auto [list, weight] : zip_equal(*lists, weights))
          least = std::min(least, weight * list[layer]);
        work += least;
      }
    return total > 0 ? work / total : 0;
  }

  /// How many devices there are of each class.
  std::vector<double> counts;
  /// By class and layer: what is divided, and what is paid at least once.
  std::vector<std::vector<double>> costs, overheads;
};
} // namespace

/// The least times of a layer for one sample, forwards and backwards, on the
/// class that is best at the way: the forward and half of the backward.
static std::pair<double, double>
leastWay(const Layer &layer, const Cluster &cluster,
         ArrayRef<std::pair<int64_t, int64_t>> classes) {
  int64_t most = 1;
  for (int64_t allowed : layer.tensorDegrees)
    most = std::max(most, allowed);
  auto degree = static_cast<double>(most);
  double least = std::numeric_limits<double>::infinity(), leastRest = least;
  for (auto [index, number] : classes) {
    const DeviceClass &deviceClass = cluster.classes[index];
    double forward, backward;
    if (const MeasuredTimes *measured = layer.measuredOn(deviceClass.name)) {
      auto times = measured->at(1);
      forward = toSeconds(times.first) / degree;
      backward = toSeconds(times.second) / degree;
    } else {
      forward = leastTime(deviceClass, layer.forward, 1, 1) / degree +
                overhead(deviceClass, layer.forward);
      backward = leastTime(deviceClass, layer.backward, 1, 1) / degree +
                 overhead(deviceClass, layer.backward);
    }
    least = std::min(least, forward + backward / 2);
    leastRest = std::min(leastRest, backward / 2);
  }
  return {least, leastRest};
}

static double wayBound(const Problem &problem, const Cluster &cluster,
                       ArrayRef<std::pair<int64_t, int64_t>> classes) {
  double sum = leastWay(problem.layers.front(), cluster, classes).second;
  for (const Layer &layer : problem.layers)
    sum += leastWay(layer, cluster, classes).first;
  return sum;
}

/// The classes of the devices that may be used, and how many there are.
static std::vector<std::pair<int64_t, int64_t>>
countClasses(const Problem &problem, const Cluster &cluster) {
  std::map<int64_t, int64_t> numbers;
  for (int64_t device : usableDevices(problem, cluster))
    ++numbers[cluster.devices[device].deviceClass];
  return {numbers.begin(), numbers.end()};
}

/// Sums of times round, and so does each time that a device spends on a layer;
/// stays below all of that.
static Time roundDown(const Problem &problem, double seconds) {
  double calls = static_cast<double>(problem.layers.size()) *
                 (2 * static_cast<double>(problem.batch) + 1);
  double picoseconds =
      seconds * (1 - 1e-9) * static_cast<double>(timePerSecond) - calls;
  return Time::nearest(std::floor(std::max(0.0, picoseconds)));
}

Time hetero::planner::computeWorkBound(const Problem &problem,
                                       const Cluster &cluster) {
  auto classes = countClasses(problem, cluster);
  if (classes.empty() || problem.layers.empty())
    return Time(0);
  return roundDown(problem, WorkBound(problem, cluster, classes).compute());
}

Time hetero::planner::computeBound(const Problem &problem,
                                   const Cluster &cluster) {
  auto classes = countClasses(problem, cluster);
  if (classes.empty() || problem.layers.empty())
    return Time(0);
  return std::max(computeWorkBound(problem, cluster),
                  roundDown(problem, wayBound(problem, cluster, classes)));
}
