//===- Microbatches.h - Ways to cut the batch -------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef HETERO_PLANNER_MODEL_MICROBATCHES_H
#define HETERO_PLANNER_MODEL_MICROBATCHES_H

#include "hetero/Planner/Problem/Problem.h"

namespace hetero::planner {

/// The ways to cut the batch that are worth trying, fewest microbatches first:
/// the given one if there is one, else sizes that differ by at most one, for
/// numbers that make the largest microbatch smaller: each of them up to 64, and
/// then in steps of a tenth up to `mostMicrobatches`.
std::vector<std::vector<int64_t>> microbatchOptions(const Problem &problem);

/// More microbatches hardly do more than add overhead, and simulating them
/// takes long. They are only tried when they are given.
inline constexpr int64_t mostMicrobatches = 4096;

} // namespace hetero::planner

#endif // HETERO_PLANNER_MODEL_MICROBATCHES_H
