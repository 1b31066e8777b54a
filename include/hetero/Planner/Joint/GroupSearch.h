//===- GroupSearch.h - Stages of equal groups of devices --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// On hundreds of devices a line of them has too many cuts to try, but many good
// plans are regular: all stages of a class are alike (NodeSearch.h has others).
// A *shape* says how,
//
//   nodes     in how many nodes a stage lies
//   devices   how many devices it has in each of them
//   tensor    how many of these make a row
//   compute again, or not
//
// so that 24 nodes of 4 in the shape 8 x 2 are 6 stages of 16 devices, of which
// two at a time lie in the same 8 nodes. Two such stages hand on inside of
// their nodes, but share what leads out of them when they reduce gradients.
//
// For an order of the classes, a number of microbatches M and a time T, stage
// after stage takes as many layers as it can with
//
//   w s + M t + r <= T,  s = sum of f + k of all stages before
//
// (t forward and backward and f the forward of a microbatch, k a crossing, r
// the reduction of gradients with that of the other stages in its nodes), as
// far as they fit in memory. With w = 1 a stage waits for its first microbatch
// only, as split backwards come close to; with w = 2 or more also for its last
// one. Of the shapes of a class the one wins that leaves least to do for those
// after it. The smallest T that all layers fit in is found by bisection.
//
// A worked example
// ----------------
// 34 layers on 8 nodes of 4 A100 and 24 of 4 V100, in 64 microbatches: A100 in
// the shape 2 x 4 are 4 stages with 4 or 5 layers each, V100 in the shape 4 x 4
// are 6 stages with 2 or 3 layers.

#ifndef HETERO_PLANNER_JOINT_GROUPSEARCH_H
#define HETERO_PLANNER_JOINT_GROUPSEARCH_H

#include "hetero/Planner/Search/StagePool.h"

namespace hetero::planner {

/// A design by the formula above, and its T.
struct GroupDesign {
  double seconds = 0;
  Design design;
};

/// The fastest first; those that take the same as they were.
std::vector<GroupDesign> sortDesigns(std::vector<GroupDesign> designs);

/// The best designs for up to `mostOrders` orders of the classes and each of
/// the numbers of microbatches in `searched`, the fastest first. They need not
/// fit: memory is estimated. O(orders * microbatches * shapes * stages).
std::vector<GroupDesign>
searchGroups(const PlanBuilder &builder, llvm::ArrayRef<int64_t> devices,
             llvm::ArrayRef<std::vector<int64_t>> microbatches,
             llvm::ArrayRef<size_t> searched, int64_t mostOrders);

} // namespace hetero::planner

#endif // HETERO_PLANNER_JOINT_GROUPSEARCH_H
