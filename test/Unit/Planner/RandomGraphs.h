//===- RandomGraphs.h - Small graphs ----------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef HETERO_TEST_UNIT_PLANNER_RANDOMGRAPHS_H
#define HETERO_TEST_UNIT_PLANNER_RANDOMGRAPHS_H

#include "hetero/Planner/Problem/Graph.h"
#include <random>

namespace hetero::planner {

/// Adds tensors and operations by name of what they do; sizes and costs follow.
class GraphBuilder {
public:
  /// Bytes of an element; large ones make communication dear.
  explicit GraphBuilder(int64_t elementBytes = 4)
      : elementBytes(elementBytes) {}

  int64_t argument(std::vector<int64_t> dims, ArgumentRole role);
  int64_t dot(int64_t lhs, int64_t rhs, bool transposeLhs = false,
              bool transposeRhs = false);
  /// A binary operation; `linear` as add, else as a maximum.
  int64_t elementwise(int64_t lhs, int64_t rhs, bool linear);
  int64_t unary(int64_t operand);
  int64_t transpose(int64_t operand);
  int64_t reshape(int64_t operand, std::vector<int64_t> dims);
  /// Reduces the last dimension.
  int64_t reduce(int64_t operand, ReductionKind reduction);

  /// Makes `next` the updated value of an argument.
  void update(int64_t argument, int64_t next);
  void result(int64_t tensor) { graph.results.push_back(tensor); }
  const std::vector<int64_t> &dims(int64_t tensor) const {
    return graph.tensors[tensor].dims;
  }

  Graph graph;

private:
  int64_t tensor(std::vector<int64_t> dims);
  int64_t addOp(GraphOp op, std::vector<int64_t> dims, int64_t flops);

  int64_t elementBytes;
};

/// A few operations of all kinds on small matrices, one or two parameters with
/// updates, and a result.
Graph makeRandomGraph(std::mt19937 &random, int maxOps = 4);

} // namespace hetero::planner

#endif // HETERO_TEST_UNIT_PLANNER_RANDOMGRAPHS_H
