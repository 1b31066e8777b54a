//===- HapSearch.h - A* over SPMD programs ----------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The search of the HAP paper over the programs of Spmd.h.

#ifndef HETERO_PLANNER_SPMD_HAPSEARCH_H
#define HETERO_PLANNER_SPMD_HAPSEARCH_H

#include "hetero/Planner/Spmd/Spmd.h"

namespace hetero::planner {

/// The published search: A* over programs, here on the cost graph from its end
/// (solver::searchBestFirst). A label is the strategies and forms that were
/// chosen, as far as they matter to what is open; its priority is their cost
/// and a bound for all that is open, with the collectives that it will take.
/// Exact for given shares while no more than `width` labels of a node are
/// followed, else the best that was found, with the least bound of what was
/// not followed. Memory does not limit it.
struct HapOptions {
  /// 0 for a number that makes about the same work for graphs of all sizes.
  int width = 0;
  /// Whether parameters and optimizer state must be stored replicated.
  bool replicatedState = false;
  /// The segment of each operation; one for all if empty.
  std::vector<int64_t> segments;
  /// How many segments with shares of their own searchInTurn may make.
  int64_t maxSegments = 4;
  /// When the best so far is taken; what is begun then is completed at once.
  std::optional<Time> timeBudget;
};
llvm::Expected<SpmdSolution> searchProgram(const Graph &graph,
                                           const cluster::Cluster &cluster,
                                           llvm::ArrayRef<int64_t> devices,
                                           SegmentShares shares,
                                           const HapOptions &options = {});

/// The published method as a whole: that search and the best shares for what it
/// finds, in turn, while that gets faster, from shares by speed and from even
/// ones. Of what is found the fastest that fits into memory is taken; if
/// nothing does, the fastest.
llvm::Expected<SpmdSolution> searchInTurn(const Graph &graph,
                                          const cluster::Cluster &cluster,
                                          llvm::ArrayRef<int64_t> devices,
                                          const HapOptions &options = {});

} // namespace hetero::planner

#endif // HETERO_PLANNER_SPMD_HAPSEARCH_H
