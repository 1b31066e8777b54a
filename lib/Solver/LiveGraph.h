//===- LiveGraph.h - A cost graph that shrinks ------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is left of a cost graph while it is solved: nodes lose states, and are
// folded into their neighbours. What was folded is remembered, so that states
// for the nodes that are left extend to all of them at the same cost.
//
// Programs repeat: a model has many equal layers. Costs, tables and lists of
// states are therefore kept once for all nodes and edges that have equal ones,
// and what is done to a node (which states go, what it becomes when it is
// folded) is looked up by the ids of what it depends on. Only the first of
// equal layers is computed with, at the same result as for each by itself.

#ifndef HETERO_LIB_SOLVER_LIVEGRAPH_H
#define HETERO_LIB_SOLVER_LIVEGRAPH_H

#include "Interner.h"
#include "hetero/Solver/CostGraph.h"
#include "llvm/ADT/SmallVector.h"

namespace hetero::solver {

class LiveGraph {
public:
  struct Node {
    /// Ids of the costs of the states that are left, and of their numbers in
    /// the given graph.
    int costs = 0, states = 0;
    bool alive = true;
    /// Those that are left.
    llvm::SmallVector<int, 6> edges;
  };
  struct Edge {
    int first = 0, second = 0;
    /// The id of its table: rows are states of `first`.
    int table = 0;

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

  /// Valid until something changes.
  llvm::ArrayRef<double> costsOf(int node) const {
    return getTable(nodes[node].costs);
  }
  llvm::ArrayRef<int> statesOf(int node) const {
    return lists.get(nodes[node].states);
  }
  int sizeOf(int node) const { return lists.get(nodes[node].states).size(); }
  llvm::ArrayRef<double> tableOf(const Edge &edge) const {
    return getTable(edge.table);
  }
  void setCosts(int node, llvm::ArrayRef<double> costs) {
    nodes[node].costs = addTable(costs, costs.size());
  }
  void setTable(int edge, llvm::ArrayRef<double> table) {
    edges[edge].table = addTable(table, sizeOf(edges[edge].second));
  }
  bool empty() const { return numAlive == 0; }

  std::vector<Node> nodes;
  std::vector<Edge> edges;
  /// The cost of what was folded away.
  double base = 0;
  int numAlive = 0;

private:
  /// The table of an edge as one of its nodes sees it: that node's states are
  /// rows.
  struct View {
    const double *data;
    int stride, step;

    double operator()(int state, int other) const {
      return data[state * stride + other * step];
    }
  };
  /// How a folded node's state follows from those of its neighbours.
  struct Fold {
    int node = 0, costs = 0, states = 0, numNeighbors = 0;
    struct Neighbor {
      int node = 0, states = 0, side = 0;
    } neighbors[2];
  };
  /// What is looked up.
  enum Step { Shrink, Keep, KeepList, AddRow, FoldOne, FoldTwo, Add };

  int addTable(llvm::ArrayRef<double> entries, int columns);
  /// Without the number of columns, which it begins with.
  llvm::ArrayRef<double> getTable(int id) const {
    return tables.get(id).drop_front();
  }
  /// A table and which of its sides is seen, as one number.
  static int sideOf(const Edge &edge, int node) {
    return 2 * edge.table + (edge.first != node);
  }
  View getView(int side) const;
  /// The result that was found for these ids, or that `find` finds.
  template <typename Find>
  int lookUp(llvm::ArrayRef<int> key, const Find &find);

  void join(int first, int second, int table);
  void unlink(int node, int edge);
  int keepSide(int side, int kept);
  bool isSupported(int node, int state) const;
  bool isDominated(int node, int state, int by) const;
  int findKept(int node);
  void keep(int node, int kept);
  bool shrink(int node);
  int foldIntoCosts(const Fold &fold, int costs);
  int foldIntoTable(const Fold &fold);
  bool fold(int node);
  void enqueue(int node);

  /// Costs and tables, each with its number of columns first; lists of states,
  /// in the given graph or by index; what was looked up, and its results.
  Interner<double> tables;
  Interner<int> lists, keys;
  std::vector<int> results;
  std::vector<double> scratch;
  std::vector<Fold> folds;
  std::vector<int> queue;
  std::vector<char> queued;
};

} // namespace hetero::solver

#endif // HETERO_LIB_SOLVER_LIVEGRAPH_H
