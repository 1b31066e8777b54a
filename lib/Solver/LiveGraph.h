//===- LiveGraph.h - A cost graph that shrinks ------------------*- C++ -*-===//
//
// Part of the hetero project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is left of a cost graph while it is solved: nodes lose states, and are
// folded into their neighbours. What was folded is remembered, so that states
// for the nodes that are left extend to all of them at the same cost.
//
//===----------------------------------------------------------------------===//

#ifndef HETERO_LIB_SOLVER_LIVEGRAPH_H
#define HETERO_LIB_SOLVER_LIVEGRAPH_H

#include "hetero/Solver/CostGraph.h"
#include "llvm/ADT/SmallVector.h"

namespace hetero::solver {

class LiveGraph {
public:
  struct Node {
    /// Of the states that are left, and their numbers in the given graph.
    std::vector<double> costs;
    std::vector<int> states;
    /// Of the edges that are left.
    llvm::SmallVector<int, 6> edges;
    bool alive = true;

    int size() const { return costs.size(); }
  };
  struct Edge {
    int first = 0, second = 0;
    /// Rows are states of `first`.
    std::vector<double> table;

    int other(int node) const { return node == first ? second : first; }
  };

  LiveGraph() = default;
  explicit LiveGraph(const CostGraph &graph);

  /// Removes states and folds nodes until nothing more can be; false when there
  /// is no solution of finite cost.
  bool reduce();

  /// Keeps the states with these indices of a node.
  void keepStates(int node, llvm::ArrayRef<int> kept);

  /// The nodes that are left as a graph of their own. `nodeOf` gives for each
  /// of its nodes the one here; states keep their numbers.
  LiveGraph compact(std::vector<int> &nodeOf) const;

  /// Fills in the states (by their numbers in the given graph) of folded nodes,
  /// given those of the nodes that are left.
  void extend(std::vector<int> &states) const;

  double entry(const Edge &edge, int node, int state, int otherState) const {
    return edge.first == node
               ? edge.table[state * nodes[edge.second].size() + otherState]
               : edge.table[otherState * nodes[node].size() + state];
  }
  bool empty() const { return numAlive == 0; }

  std::vector<Node> nodes;
  std::vector<Edge> edges;
  /// The cost of what was folded away.
  double base = 0;
  int numAlive = 0;

private:
  /// How a folded node's state follows from those of its neighbours.
  struct Fold {
    int node = 0;
    std::vector<double> costs;
    std::vector<int> states;
    struct Neighbor {
      int node = 0;
      std::vector<int> states;
      /// Rows are states of the folded node.
      std::vector<double> table;
    };
    llvm::SmallVector<Neighbor, 2> neighbors;
  };

  void join(int first, int second, std::vector<double> table);
  void unlink(int node, int edge);
  std::vector<double> rowsOf(const Edge &edge, int node) const;
  bool isSupported(int node, int state) const;
  bool isDominated(int node, int state, int by) const;
  bool shrink(int node);
  bool fold(int node);
  void enqueue(int node);

  std::vector<Fold> folds;
  std::vector<int> queue;
  std::vector<char> queued;
};

} // namespace hetero::solver

#endif // HETERO_LIB_SOLVER_LIVEGRAPH_H
