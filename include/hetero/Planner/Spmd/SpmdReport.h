//===- SpmdReport.h - What an SPMD program does -----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counts for people:
//
//   program by 'spmd' on cluster 'hap': 8024 operations on 8 devices
//     shares       2 x v100-16 16.0%, 6 x p100 11.3%
//     products     74 contracted, 220 split
//     collectives  205 all-reduce 626.5 ms
//     state        0 of 609 tensors in parts (0.0% of 1.2 GiB)
//     memory       v100-16 10.2 GiB of 15 GiB, p100 7.6 GiB of 15 GiB
//   step 1.103 s: computation 476.1 ms, communication 626.5 ms; optimal for its
//   shares
//
// A product is *split* along a dimension of its result, *contracted* along one
// that it sums over, *linear* in a partial operand, or computed *whole* by all.

#ifndef HETERO_PLANNER_SPMD_SPMDREPORT_H
#define HETERO_PLANNER_SPMD_SPMDREPORT_H

#include "hetero/Planner/Spmd/Spmd.h"

namespace hetero::planner {

struct SpmdReport {
  /// Products (operations with a loop that is summed over and two operands) by
  /// kind, collectives by name with their seconds.
  std::map<std::string, int64_t> products;
  std::map<std::string, std::pair<int64_t, double>> collectives;
  /// Parameters and optimizer state, and what of it is stored in parts.
  int64_t stateTensors = 0, splitTensors = 0;
  Bytes state, splitState;
};

SpmdReport getReport(const Graph &graph, const cluster::Cluster &cluster,
                     llvm::ArrayRef<int64_t> devices,
                     const SpmdSolution &solution);

void printReport(llvm::StringRef planner, const Graph &graph,
                 const cluster::Cluster &cluster,
                 llvm::ArrayRef<int64_t> devices, const SpmdSolution &solution,
                 llvm::raw_ostream &os);

} // namespace hetero::planner

#endif // HETERO_PLANNER_SPMD_SPMDREPORT_H
