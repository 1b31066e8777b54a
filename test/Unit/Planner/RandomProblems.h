//===- RandomProblems.h - Small problems and clusters -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef HETERO_TEST_UNIT_PLANNER_RANDOMPROBLEMS_H
#define HETERO_TEST_UNIT_PLANNER_RANDOMPROBLEMS_H

#include "hetero/Planner/Driver/Planners.h"
#include "hetero/Planner/Model/Evaluate.h"
#include <random>

namespace hetero::planner {

/// A problem of a few layers and samples. State and activations of a layer are
/// some megabytes, and a sample takes some milliseconds on a slow device.
Problem makeRandomProblem(std::mt19937 &random, int64_t maxLayers = 5,
                          int64_t maxBatch = 6);

/// A cluster of up to `maxDevices` devices of up to three classes in up to
/// three nodes. With `scarce` memory many plans do not fit.
cluster::Cluster makeRandomCluster(std::mt19937 &random, int64_t maxDevices = 4,
                                   bool scarce = false);

} // namespace hetero::planner

#endif // HETERO_TEST_UNIT_PLANNER_RANDOMPROBLEMS_H
