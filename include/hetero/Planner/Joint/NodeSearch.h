//===- NodeSearch.h - Stages of whole nodes ---------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// On hundreds of devices a line of them has too many cuts to try, but nodes of
// a class are alike, so that it is enough to say how many of them a stage has.
// Classes come one after the other in some order. A stage lies in some nodes of
// one class, in a *shape*: their number, whether it has all devices of each or
// half of them, so that two stages share the nodes, and how many devices make a
// row. Only numbers of nodes that change the samples of a row are tried.
//
// A dynamic program goes from the last stage to the first, over layers and
// nodes of the class that are used. For the stages from a layer on it knows
//
//   seconds  what a step takes, from when the first of them begins
//   stay     how long a microbatch is on its way there and back, by which the
//            memory of the stages before is filled (Little's law)
//   gone     when the last gradient leaves them
//
// and a stage that is put before them, with f and t for a forward and for all
// of a microbatch, a crossing k there and back, M microbatches of which n have
// room in flight, and a reduction r, has
//
//   stay'    = f + b + 2 k + stay             b: the gradient of inputs
//   end      = M max(t, (stay' + w) / n) + 1.5 max(0, stay' - b - n f)
//   gone'    = max(f + 2 k + gone + b, end - 0.7 n w)   w: that of weights
//   seconds' = max(max(end, gone' + w) + r, f + k + seconds)
//
// That is for split backwards; with whole ones all stages wait for the first
// microbatch and the last. Of labels that are good in different ways a few are
// kept. What leads out of the nodes bounds the step as well.
//
// A worked example
// ----------------
// 34 layers on 8 nodes of 4 A100 and 24 of 4 V100, in 64 microbatches of 32:
// 5 layers on 2 nodes of A100 and 4 layers on 2 more, 7 on the other four, then
// 3 layers on each 4 nodes of V100.

#ifndef HETERO_PLANNER_JOINT_NODESEARCH_H
#define HETERO_PLANNER_JOINT_NODESEARCH_H

#include "hetero/Planner/Joint/GroupSearch.h"

namespace hetero::planner {

/// The best designs for up to `mostOrders` orders of the classes and each of
/// the numbers of microbatches in `searched`, the fastest first, without those
/// that take much longer than the best or than `most`. They need not fit:
/// memory is estimated. O(orders * microbatches * layers^2 * nodes * shapes).
std::vector<GroupDesign>
searchNodes(const PlanBuilder &builder, llvm::ArrayRef<int64_t> devices,
            llvm::ArrayRef<std::vector<int64_t>> microbatches,
            llvm::ArrayRef<size_t> searched, int64_t mostOrders, double most);

} // namespace hetero::planner

#endif // HETERO_PLANNER_JOINT_NODESEARCH_H
