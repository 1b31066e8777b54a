//===- Evaluate.h - Whether a plan is one, and how good it is ---*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every planner, and every plan that comes from a file, goes through these.

#ifndef HETERO_PLANNER_MODEL_EVALUATE_H
#define HETERO_PLANNER_MODEL_EVALUATE_H

#include "hetero/Planner/Plan/Plan.h"
#include "hetero/Planner/Problem/Problem.h"

namespace hetero::planner {

/// Checks that `plan` is a plan of `problem` on `cluster`: microbatches sum to
/// the batch; every layer is in exactly one stage, in order; devices exist, are
/// available, allowed and used once; meshes, samples and shares agree; state is
/// held completely; tensor degrees and pins are respected; and the memory of
/// every device suffices. Predictions are not looked at.
llvm::Error verify(const Problem &problem, const cluster::Cluster &cluster,
                   const Plan &plan);

/// Fills in all predictions of `plan`, which must be one that verify accepts
/// but for memory. Fails where verify would; a device whose memory is too small
/// is such a failure, which says what takes how much and what is missing. Fails
/// also if the step takes longer than a Time can count, about 100 days.
llvm::Error evaluate(const Problem &problem, const cluster::Cluster &cluster,
                     Plan &plan);

/// As evaluate for a problem that was checked; `place` is then the path
/// to the part with the error.
llvm::Error evaluateChecked(const Problem &problem,
                            const cluster::Cluster &cluster, Plan &plan,
                            std::string &place);

/// Reads a plan and evaluates it. What evaluate finds wrong with the plan also
/// has the place of the stage, device or number that it is about.
llvm::Expected<Plan> readPlan(llvm::MemoryBufferRef buffer,
                              const Problem &problem,
                              const cluster::Cluster &cluster);

} // namespace hetero::planner

#endif // HETERO_PLANNER_MODEL_EVALUATE_H
