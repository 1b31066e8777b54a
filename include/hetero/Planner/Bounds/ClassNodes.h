//===- ClassNodes.h - Classes as nodes that are alike -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What searches over whole nodes (GroupSearch.h, NodeSearch.h) know: of a class
// only how many nodes there are with how many devices, of layers sums over all
// before, so that a stage is a difference of two of them.

#ifndef HETERO_PLANNER_BOUNDS_CLASSNODES_H
#define HETERO_PLANNER_BOUNDS_CLASSNODES_H

#include "hetero/Planner/Model/StageModel.h"

namespace hetero::planner {

/// The nodes that have devices of a class, with equally many of them.
struct ClassNodes {
  int64_t deviceClass = 0, perNode = 0;
  std::vector<std::vector<int64_t>> nodes;
  /// Bytes for a second to another node, and in a node.
  double out = std::numeric_limits<double>::infinity(), inside = out;
  /// Bytes that a device can use.
  double memory = 0;
};

/// The classes with their nodes; a node that has fewer devices of a class than
/// others counts with what all have.
std::vector<ClassNodes> findClassNodes(const cluster::Cluster &cluster,
                                       llvm::ArrayRef<int64_t> devices);

/// Of all layers before: forward and backward, with the sums over a row, and
/// the forward alone.
struct RowSeconds {
  LayerSums<double> both, forward;
};

/// What rows of a class take, by degree and samples. References stay valid.
class RowSecondsTable {
public:
  explicit RowSecondsTable(const StageModel &model) : model(model) {}

  const RowSeconds &find(const ClassNodes &nodes, int64_t tensor,
                         int64_t samples);

private:
  const StageModel &model;
  std::map<std::tuple<int64_t, int64_t, int64_t>, RowSeconds> known;
};

} // namespace hetero::planner

#endif // HETERO_PLANNER_BOUNDS_CLASSNODES_H
