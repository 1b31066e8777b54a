//===- Even.h - Pipelines as if all devices were alike ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The baselines `even` and `fast-only`.

#ifndef HETERO_PLANNER_BASELINES_EVEN_H
#define HETERO_PLANNER_BASELINES_EVEN_H

#include "hetero/Planner/Plan/PlannerOptions.h"

namespace hetero::planner {

/// Pipeline, tensor and data parallelism as if all devices were alike, which is
/// what Megatron offers: all devices in the order of their ranks, as many in
/// each stage, as many repeated layers, as many samples. Numbers of stages,
/// tensor degrees and microbatches that divide the devices and the batch are
/// ranked by a formula, and the best `candidates` that fit are evaluated.
/// Refuses pins. O(degrees * stages * microbatch counts * devices).
llvm::Expected<Plan> planEven(const Problem &problem,
                              const cluster::Cluster &cluster,
                              const PlannerOptions &options = {});

/// As planEven on the devices of one class, whichever class is fastest alone.
llvm::Expected<Plan> planFastOnly(const Problem &problem,
                                  const cluster::Cluster &cluster,
                                  const PlannerOptions &options = {});

} // namespace hetero::planner

#endif // HETERO_PLANNER_BASELINES_EVEN_H
