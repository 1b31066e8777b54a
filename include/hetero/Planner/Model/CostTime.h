//===- CostTime.h - What a cost takes on a device ---------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The times of all groups of operations of a Cost, one after the other. How
// much there is of what depends on samples, degrees and shares: `amount` says
// so for an affine amount of work or bytes.

#ifndef HETERO_PLANNER_MODEL_COSTTIME_H
#define HETERO_PLANNER_MODEL_COSTTIME_H

#include "hetero/CostModel/CostModel.h"
#include "hetero/Planner/Problem/Problem.h"

namespace hetero::planner {

template <typename AmountFn>
cost::Operations toOperations(const Cost &group, AmountFn amount) {
  cost::Operations operations;
  for (const auto &[type, work] : group.work)
    operations.work[type] = amount(work);
  operations.bytes = amount(group.bytes);
  operations.count = group.operations;
  return operations;
}

template <typename AmountFn, typename TimeFn>
Time sumOverGroups(const cluster::DeviceClass &deviceClass, const Cost &cost,
                   AmountFn amount, TimeFn time) {
  Time sum;
  forEachGroup(cost, [&](const Cost &group) {
    sum += time(deviceClass, toOperations(group, amount));
  });
  return sum;
}

template <typename AmountFn>
Time costTime(const cluster::DeviceClass &deviceClass, const Cost &cost,
              AmountFn amount) {
  return sumOverGroups(deviceClass, cost, amount, cost::operationTime);
}

/// Not more than that: without overhead, at the best efficiency.
template <typename AmountFn>
Time costBound(const cluster::DeviceClass &deviceClass, const Cost &cost,
               AmountFn amount) {
  return sumOverGroups(deviceClass, cost, amount, cost::operationBound);
}

/// How many operations there are in all groups.
inline int64_t countOperations(const Cost &cost) {
  int64_t count = 0;
  forEachGroup(cost, [&](const Cost &group) { count += group.operations; });
  return count;
}

} // namespace hetero::planner

#endif // HETERO_PLANNER_MODEL_COSTTIME_H
