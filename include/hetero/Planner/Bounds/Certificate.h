//===- Certificate.h - How good a plan can be at best -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A lower bound on the step time of every plan whose microbatches differ by at
// most one sample, in one of the numbers that planners look at, and whose
// stages have one run of layers each, or that is layered and has one stage that
// divides its parameters, and rows of devices of one class in one node
// (planEven may mix classes), whatever its schedule (also with split
// backwards), modes, recompute and divisions are. It is much closer than
// computeBound, and takes longer.
//
// For M microbatches and a time T, a plan that takes at most T would have
// stages i = 1, 2, ... that cover the layers in order, use every device at most
// once, and satisfy
//
//   max(g_i, sum_{j < i} (f_j + k_j)) + sum_m t_i(m) + e_i <= T
//
//   f   the forward of a stage for the smallest microbatch
//   k   the least time of a crossing
//   t   forward and backward for a microbatch, as the devices of the stage
//       divide its samples best
//   g   the gather of the parameters, if they are not summed twice at the end
//   e   the reduction of the gradients over what leads out of a node, or inside
//       of the node if the stage lies in one, and the update
//
// whose last gradient comes back in time through all stages, and whose
// microbatches in flight fit into the memory of its devices.
//
// Whether there are such stages is decided by a relaxation (Relaxation.h):
// devices of class k cost v_k >= 0 each; if the cheapest cover of the layers
// costs more than all devices together, there is none. A dynamic program from
// the last layer to the first finds the least cost by when a stage has to
// start; v is improved for the M that is lowest, several times.
//
// The bound for M is the smallest T that cannot be excluded; the certificate is
// the smallest of these over all M.
//
// A worked example
// ----------------
// Two layers of 2 s and 4 s for a sample (a third of it forward) on two equal
// devices, a batch of 2, free communication. One microbatch of 2: both devices
// in one stage take one sample each, 6 s. Two microbatches of 1: layer 0 alone
// on a device takes 4 s, and layer 1 then 2/3 + 8 s: 8.7 s. Nothing is below
// 6 s.

#ifndef HETERO_PLANNER_BOUNDS_CERTIFICATE_H
#define HETERO_PLANNER_BOUNDS_CERTIFICATE_H

#include "hetero/Cluster/Cluster.h"
#include "hetero/Planner/Plan/Plan.h"
#include "hetero/Planner/Problem/Problem.h"

namespace hetero::planner {

/// A time that no plan as above can beat under the cost model, not above
/// `known`, the time of a plan; prices are improved `effort` times as often.
/// O(M L^2) with large constants; 0 if there are more than 600 layers or
/// 262,144 samples.
Time computeCertificate(const Problem &problem, const cluster::Cluster &cluster,
                        Time known, int64_t effort = 1);

/// Whether `plan` is one that the certificate is about.
bool isCertified(const Problem &problem, const cluster::Cluster &cluster,
                 const Plan &plan);

} // namespace hetero::planner

#endif // HETERO_PLANNER_BOUNDS_CERTIFICATE_H
