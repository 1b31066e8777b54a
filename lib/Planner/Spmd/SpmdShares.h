//===- SpmdShares.h - The best shares for a program -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A linear program, with r_cs the share of each device of class c in segment s:
//
//   minimize   sum_j t_j + sum_s (padded_s M_s - grouped_s m_s) + sum_st x_st
//   t_j >= a_jc + b_jc r_cs    for each class: operation j of segment s, where
//                              it is divided
//   m_s <= r_cs <= M_s         the largest and the smallest share
//   sum_c n_c r_cs = 1
//   fixed_c + sum_s divided_cs r_cs <= memory of the class
//   p_sk = sum of r_cs over the first k devices
//   d_stk >= |p_sk - p_tk|     what passes between devices k and k + 1 when a
//                              tensor goes from the shares of s to those of t
//   x_st >= exchanged_st (d_st(k-1) + d_stk)       for each device k
//
// `padded` and `grouped` are what the collectives of the program take more if
// the largest part grows, or the smallest shrinks, and `exchanged` what it
// takes to move all that goes between two segments over the slowest link.
// Memory is that at the moment when most of it is in use.

#ifndef HETERO_LIB_PLANNER_SPMD_SPMDSHARES_H
#define HETERO_LIB_PLANNER_SPMD_SPMDSHARES_H

#include "hetero/Planner/Spmd/SpmdSpace.h"

namespace hetero::planner {

/// New shares of all devices in the segments of the space. Fails when memory
/// cannot suffice, naming the class.
llvm::Expected<SegmentShares> findShares(const SpmdSpace &space,
                                         const SpmdProgram &program,
                                         SpmdCost &cost, bool limitMemory);

} // namespace hetero::planner

#endif // HETERO_LIB_PLANNER_SPMD_SPMDSHARES_H
