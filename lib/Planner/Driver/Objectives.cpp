//===- Objectives.cpp - Time and money ------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Planner/Driver/Objectives.h"
#include "hetero/Planner/Model/PlanBuilder.h"
#include "hetero/Planner/Model/QuickBound.h"
#include "hetero/Planner/Problem/UsableDevices.h"
#include "hetero/Support/Yaml.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;
using namespace hetero;
using namespace hetero::planner;
using hetero::cluster::Cluster;

//===----------------------------------------------------------------------===//
// Prices
//===----------------------------------------------------------------------===//

static Error checkPrice(const Cluster &cluster, int64_t device) {
  const cluster::DeviceClass &deviceClass = cluster.classOf(device);
  if (deviceClass.price)
    return Error::success();
  return createStringError("the class '" + deviceClass.name +
                           "' has no price; give it one, like 'price: 0.8/h', "
                           "in the classes of the cluster");
}

Expected<Price> hetero::planner::hourPrice(const Cluster &cluster,
                                           const Plan &plan) {
  Price sum;
  for (const Stage &stage : plan.stages)
    for (int64_t device : stage.mesh.devices) {
      if (Error error = checkPrice(cluster, device))
        return error;
      sum += *cluster.classOf(device).price;
    }
  return sum;
}

double hetero::planner::stepPrice(Price hour, Time step) {
  constexpr double millionths = 1e6, secondsPerHour = 3600;
  return double(hour.count()) / millionths * toSeconds(step) / secondsPerHour;
}

Expected<Budget> hetero::planner::readBudget(StringRef text) {
  auto [number, unit] = splitAmount(text);
  Budget budget;
  if (unit == "/step") {
    double value = 0;
    if (number.getAsDouble(value) || !(value > 0))
      return createStringError("the budget '" + text +
                               "' must be a positive number, like 0.01/step");
    budget.step = value;
    return budget;
  }
  auto price = expectedToOptional(readQuantity(Dimension::Price, number, unit));
  if (!price)
    return createStringError("the budget '" + text +
                             "' is neither for an hour, like 2.5/h, nor for a "
                             "step, like 0.01/step");
  budget.hour = Price(*price);
  return budget;
}

//===----------------------------------------------------------------------===//
// Parts of a cluster
//===----------------------------------------------------------------------===//

/// Numbers of devices to try of a class: all of them, or `all`, a half, ... and
/// none, `steps` in all.
static std::vector<int64_t> listCounts(int64_t all, int64_t steps) {
  std::vector<int64_t> counts;
  for (int64_t count = all; count > 0 && int64_t(counts.size()) + 1 < steps;
       count = all < steps ? count - 1 : count / 2)
    counts.push_back(count);
  counts.push_back(0);
  return counts;
}

/// All ways to take some devices of each class, everything first.
static std::vector<std::vector<int64_t>>
listParts(ArrayRef<std::vector<int64_t>> devices, int64_t maxParts) {
  // The most numbers for each class that do not make too many parts.
  auto countParts = [&](int64_t steps) {
    int64_t parts = 1;
    for (const std::vector<int64_t> &list : devices)
      parts = std::min<int64_t>(
          maxParts + 1, parts * int64_t(listCounts(list.size(), steps).size()));
    return parts;
  };
  int64_t steps = 2, most = 2;
  for (const std::vector<int64_t> &list : devices)
    most = std::max<int64_t>(most, list.size() + 1);
  while (steps < most && countParts(steps + 1) <= maxParts)
    ++steps;
  std::vector<std::vector<int64_t>> parts = {{}};
  for (const std::vector<int64_t> &list : devices) {
    std::vector<std::vector<int64_t>> longer;
    for (const std::vector<int64_t> &part : parts)
      for (int64_t count : listCounts(list.size(), steps)) {
        std::vector<int64_t> &more = longer.emplace_back(part);
        more.insert(more.end(), list.begin(), list.begin() + count);
      }
    parts = std::move(longer);
    if (int64_t(parts.size()) > maxParts)
      parts.resize(maxParts);
  }
  erase_if(parts,
           [](const std::vector<int64_t> &part) { return part.empty(); });
  return parts;
}

static void keepPareto(std::vector<PricedPlan> &plans) {
  stable_sort(plans, [](const PricedPlan &left, const PricedPlan &right) {
    return std::pair(left.plan.predicted, left.step) <
           std::pair(right.plan.predicted, right.step);
  });
  double least = std::numeric_limits<double>::infinity();
  erase_if(plans, [&](const PricedPlan &plan) {
    bool isWorse = plan.step >= least;
    least = std::min(least, plan.step);
    return isWorse;
  });
}

Expected<std::vector<PricedPlan>>
hetero::planner::findPareto(const Problem &problem, const Cluster &cluster,
                            const PlanFunction &planner, int64_t maxParts) {
  std::map<int64_t, std::vector<int64_t>> classes;
  Expected<std::vector<int64_t>> found = requireDevices(problem, cluster);
  if (!found)
    return found.takeError();
  const std::vector<int64_t> &usable = *found;
  for (int64_t device : usable) {
    if (Error error = checkPrice(cluster, device))
      return error;
    classes[cluster.devices[device].deviceClass].push_back(device);
  }
  std::vector<PricedPlan> plans;
  // Of all the parts, the largest one tells best why there is no plan.
  std::string message;
  size_t largest = 0;
  Time bound = computeBound(problem, cluster);
  for (const std::vector<int64_t> &part :
       listParts(to_vector(make_second_range(classes)), maxParts)) {
    Problem smaller = problem;
    for (int64_t device : usable)
      if (!is_contained(part, device))
        smaller.constraints.forbiddenDevices.push_back(device);
    Expected<Plan> plan = planner(smaller, cluster);
    if (!plan) {
      std::string why = toString(plan.takeError());
      if (part.size() > largest)
        message = std::move(why);
      largest = std::max(largest, part.size());
      continue;
    }
    // What is forbidden only here does not make the bound of the problem.
    plan->bound = std::min(bound, plan->predicted);
    Expected<Price> hour = hourPrice(cluster, *plan);
    if (!hour)
      return hour.takeError();
    double step = stepPrice(*hour, plan->predicted);
    plans.push_back({std::move(*plan), *hour, step});
  }
  if (plans.empty())
    return createStringError(message);
  keepPareto(plans);
  return plans;
}

Expected<PricedPlan> hetero::planner::choosePlan(ArrayRef<PricedPlan> pareto,
                                                 Objective objective,
                                                 const Budget &budget) {
  if (pareto.empty())
    return createStringError("there is no plan to choose from");
  const PricedPlan *best = nullptr, *cheapest = &pareto.front();
  for (const PricedPlan &plan : pareto) {
    if (plan.step < cheapest->step)
      cheapest = &plan;
    if ((budget.hour && plan.hour > *budget.hour) ||
        (budget.step && plan.step > *budget.step))
      continue;
    bool isBetter = !best || (objective == Objective::Price
                                  ? plan.step < best->step
                                  : plan.plan.predicted < best->plan.predicted);
    if (isBetter)
      best = &plan;
  }
  if (!best)
    return createStringError(
        "no plan is within the budget; the cheapest costs " +
        cheapest->hour.str() + " and " +
        formatv("{0:f6}", cheapest->step).str() + " for a step");
  PricedPlan chosen = *best;
  chosen.plan.objective = objective;
  return chosen;
}
