//===- NodeSearch.h - Stages of whole nodes ---------------------*- C++ -*-===//
//
// Part of the hetero project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HETERO_LIB_PLANNER_NODESEARCH_H
#define HETERO_LIB_PLANNER_NODESEARCH_H

#include "GroupSearch.h"

namespace hetero::planner {

std::vector<GroupDesign>
searchNodes(const PlanBuilder &builder, llvm::ArrayRef<int64_t> devices,
            llvm::ArrayRef<std::vector<int64_t>> microbatches,
            llvm::ArrayRef<size_t> searched, int64_t mostOrders, double most);

} // namespace hetero::planner

#endif // HETERO_LIB_PLANNER_NODESEARCH_H
