//===- DualBound.h - What no solution can beat ------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cost may be moved from an edge to a node and back without changing what any
// solution costs: a *message* m(y) from an edge to state y of a node adds m(y)
// there and takes it from all pairs with y. When the costs of nodes are divided
// over their edges, the sum of the least pairs of all edges is a bound. A sweep
// (TRW-S) visits the nodes in order and moves as much as possible ahead, then
// the same backwards; the bound never falls.
//
// The graph must be arc consistent (LiveGraph::reduce), so that all messages
// are finite.

#ifndef HETERO_LIB_SOLVER_DUALBOUND_H
#define HETERO_LIB_SOLVER_DUALBOUND_H

#include "LiveGraph.h"

namespace hetero::solver {

class DualBound {
public:
  /// Looks at the nodes of `graph` that are left, which must be some.
  explicit DualBound(const LiveGraph &graph);

  /// Makes up to `sweeps` sweeps; fewer when the bound reaches `target` or
  /// hardly grows, or at the deadline.
  void
  sweep(int sweeps, double target,
        std::optional<std::chrono::steady_clock::time_point> deadline = {});

  /// No solution of the graph costs less.
  double getBound() const;

  /// A solution that the sweeps came by, by node and index of state; it may
  /// cost infinitely much.
  const std::vector<int> &getBest() const { return best; }
  double getBestCost() const { return bestCost; }

  /// Moves the costs of `graph` (the same) to where the sweeps left them, and
  /// removes states and pairs that no solution of at most `limit` has. False if
  /// there is no such solution.
  bool apply(LiveGraph &graph, double limit) const;

private:
  struct Edge {
    int first = 0, second = 0;
    /// Where its table begins (rows are states of `first`), and its messages to
    /// the two nodes.
    size_t table = 0, toFirst = 0, toSecond = 0;
    int index = 0;
  };
  struct Node {
    size_t offset = 0;
    int size = 0;
    int degree = 0;
    int index = 0; // In the graph.
    /// Edges to nodes before and after it.
    llvm::SmallVector<int, 4> before, after;
  };

  /// What is moved over one edge from a node to its other one: where the
  /// table, with states of the first as rows, the messages back and ahead and
  /// the costs of both nodes begin.
  struct Move {
    size_t table = 0, back = 0, message = 0, from = 0, to = 0;
    int rows = 0, columns = 0;
    double weight = 1; // Of the cost of the node in each message.
  };

  void addMoves(int index, bool isAhead);
  void pass(llvm::ArrayRef<Move> moves);
  void decode();
  bool bestStateOf(const Node &node, llvm::ArrayRef<int> edges,
                   llvm::ArrayRef<int> states, int &best) const;
  double pairCost(const Edge &edge, int row, int column) const;
  double costOf(llvm::ArrayRef<int> states) const;

  std::vector<Node> nodes;
  std::vector<Edge> edges;
  /// Of a sweep to the last node and of one back, in order.
  std::vector<Move> ahead, back;
  std::vector<double> costs, tables, messages;
  /// For a message.
  std::vector<double> least;
  std::vector<int> best;
  double bestCost;
  double base;
};

} // namespace hetero::solver

#endif // HETERO_LIB_SOLVER_DUALBOUND_H
