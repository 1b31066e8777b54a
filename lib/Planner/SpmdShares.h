//===- SpmdShares.h - The best shares for a program -------------*- C++ -*-===//
//
// Part of the hetero project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A linear program, with r_c the share of each device of class c:
//
//   minimize   sum_j t_j + padded M - grouped m
//   t_j >= a_jc + b_jc r_c     for each class: operation j, where it is divided
//   m <= r_c <= M              the largest and the smallest share
//   sum_c n_c r_c = 1
//   fixed_c + divided_c r_c <= memory of the class
//
// `padded` and `grouped` are what the collectives of the program take more if
// the largest part grows, or the smallest shrinks. Memory is that at the moment
// when most of it is in use.
//
//===----------------------------------------------------------------------===//

#ifndef HETERO_LIB_PLANNER_SPMDSHARES_H
#define HETERO_LIB_PLANNER_SPMDSHARES_H

#include "SpmdSpace.h"

namespace hetero::planner {

/// New shares of all devices. Fails when memory cannot suffice, naming the
/// class.
llvm::Expected<std::vector<double>> findShares(const SpmdSpace &space,
                                               const SpmdProgram &program,
                                               SpmdCost &cost,
                                               bool limitMemory);

} // namespace hetero::planner

#endif // HETERO_LIB_PLANNER_SPMDSHARES_H
