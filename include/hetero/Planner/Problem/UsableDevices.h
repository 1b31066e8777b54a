//===- UsableDevices.h - Which devices a problem may use --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A cluster may say that devices are not available, and a problem that they are
// forbidden.

#ifndef HETERO_PLANNER_PROBLEM_USABLEDEVICES_H
#define HETERO_PLANNER_PROBLEM_USABLEDEVICES_H

#include "hetero/Planner/Problem/Problem.h"

namespace hetero::planner {

/// The devices that the cluster has for the problem, by rank.
std::vector<int64_t> usableDevices(const Problem &problem,
                                   const cluster::Cluster &cluster);

/// The same, and an error if there are none.
llvm::Expected<std::vector<int64_t>>
requireDevices(const Problem &problem, const cluster::Cluster &cluster);

/// Whether each row has devices of one class in one node.
bool rowsAreUniform(const cluster::Cluster &cluster,
                    llvm::ArrayRef<int64_t> devices, int64_t tensor);

} // namespace hetero::planner

#endif // HETERO_PLANNER_PROBLEM_USABLEDEVICES_H
