//===- ProgramSolver.h - Programs for several sets of devices ---*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which strategies there are depends on the number of devices only as far as
// some loops are too short to be divided among them, so that several sets of
// devices have the same cost graph, with other numbers. It is made once.

#ifndef HETERO_LIB_PLANNER_SPMD_PROGRAMSOLVER_H
#define HETERO_LIB_PLANNER_SPMD_PROGRAMSOLVER_H

#include "hetero/Planner/Spmd/SpmdSpace.h"

namespace hetero::planner {

class ProgramSolver {
public:
  ProgramSolver(const Graph &graph, const cluster::Cluster &cluster,
                const SpmdOptions &options)
      : kinds(graph), cluster(cluster), options(options) {}

  /// Seconds that no program on the devices beats, whatever its shares; no
  /// closer than it takes to reach `target`.
  double computeBound(llvm::ArrayRef<int64_t> devices, double target);

  /// See `synthesize`; programs that take `below` or longer are of no use.
  llvm::Expected<SpmdSolution> solve(llvm::ArrayRef<int64_t> devices,
                                     std::optional<double> below);

private:
  const SpmdSpace &getSpace(int64_t numDevices);

  OperationKinds kinds;
  const cluster::Cluster &cluster;
  const SpmdOptions &options;
  std::vector<std::unique_ptr<SpmdSpace>> spaces;
};

} // namespace hetero::planner

#endif // HETERO_LIB_PLANNER_SPMD_PROGRAMSOLVER_H
