//===- CostGraph.h - Choices whose costs meet in pairs ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The idea
// --------
// Each node takes one of a few states. A state costs something by itself, and a
// pair of states of two joined nodes costs something, possibly infinitely much.
// Find the states with the least sum. In general that is hard; for the graphs
// of programs, which are long and thin, the following proves optimality for
// tens of thousands of nodes:
//
//  1. Reduce. A state without a finite pair on some edge goes (arc
//     consistency); so does one that another state of its node can replace at
//     no loss, whatever the neighbours do (Goldstein's dominance). A node with
//     at most two neighbours is folded into the edge between them. Repeat.
//  2. Bound. Move cost between edges and nodes (TRW-S sweeps) until the sum of
//     the least entries of all edges, which nothing can beat, grows no more.
//     States and pairs that this bound puts above the best known solution go;
//     then reduce again.
//  3. Finish. Keep what lies within tau of the bound and fold all nodes, with
//     several random orders (bucket elimination). A result within tau proves
//     that nothing better was left out. Otherwise take a larger tau, or, when
//     the tables get too wide, sweep more.
//
// Reducing and sweeping are O(edges states^2) a round, folding is exponential
// in the width of what is left, which is limited: if the gap is not closed, the
// best solution comes with its bound.
//
// A worked example
// ----------------
// Two operations that run split or replicated, and a value between them. The
// producer takes 1 split and 4 replicated, the consumer 2 and 8, and it costs 5
// to make a split value whole:
//
//   CostGraph graph;
//   int producer = graph.addNode({1, 4});                // split, replicated
//   int consumer = graph.addNode({2, 8});
//   int change = graph.addTable(2, 2, {0, 5,             // from split
//                                      0, 0});           // from replicated
//   graph.addEdge(producer, consumer, change);
//   solve(graph)->states;                                // 0, 0: costs 3

#ifndef HETERO_SOLVER_COSTGRAPH_H
#define HETERO_SOLVER_COSTGRAPH_H

#include "llvm/ADT/ArrayRef.h"
#include <chrono>
#include <optional>
#include <vector>

namespace hetero::solver {

/// Nodes are numbered in the order in which they are added; neighbours should
/// be close, as producers and users in a program are, because the bound is
/// tightened from the first node to the last and back.
class CostGraph {
public:
  /// Adds a node with these costs of its states, at least one.
  int addNode(llvm::ArrayRef<double> costs);
  /// Adds a table of `rows` times `columns` costs, row by row, that any number
  /// of edges may use.
  int addTable(int rows, int columns, llvm::ArrayRef<double> costs);
  /// Joins two different nodes: the states of `first` are rows. Several edges
  /// between two nodes add up.
  void addEdge(int first, int second, int table);

  /// Another cost for the same state or table; all else stays.
  void setNode(int node, llvm::ArrayRef<double> costs) {
    nodes.set(node, costs);
  }
  void setTable(int table, llvm::ArrayRef<double> costs) {
    tables.set(table, costs);
  }

  struct Edge {
    int first = 0, second = 0, table = 0;
  };
  int getNumNodes() const { return nodes.size(); }
  int getNumTables() const { return tables.size(); }
  int getNumStates(int node) const { return nodes.get(node).size(); }
  llvm::ArrayRef<double> getNode(int node) const { return nodes.get(node); }
  llvm::ArrayRef<double> getTable(int table) const { return tables.get(table); }
  llvm::ArrayRef<Edge> getEdges() const { return edges; }

  /// The cost of one state for each node.
  double getCost(llvm::ArrayRef<int> states) const;

private:
  /// Lists of numbers, one behind the other.
  class Lists {
  public:
    int add(llvm::ArrayRef<double> costs);
    void set(int index, llvm::ArrayRef<double> costs);
    int size() const { return int(ends.size()) - 1; }
    llvm::ArrayRef<double> get(int index) const {
      return llvm::ArrayRef(numbers).slice(ends[index],
                                           ends[index + 1] - ends[index]);
    }

  private:
    std::vector<double> numbers;
    std::vector<size_t> ends = {0};
  };
  Lists nodes, tables;
  std::vector<Edge> edges;
};

struct CostGraphOptions {
  /// Sweeps of the first round of bounding.
  int sweeps = 150;
  /// Random orders of folding to choose from.
  int orders = 8;
  /// The logarithm (base 2) of the largest table that folding may make, as long
  /// as there is another way, and when there is none.
  double tableLimit = 18, lastTableLimit = 24;
  /// A relative gap at which a solution counts as optimal.
  double tolerance = 1e-9;
};

struct CostGraphSolution {
  /// One for each node.
  std::vector<int> states;
  double cost = 0;
  /// No solution costs less. Equal to `cost` when that was proven.
  double bound = 0;
  bool proven = false;
};

/// Solves `graph`; nothing if every choice costs infinitely much. `starts` are
/// known solutions, one state for each node; the better they are, the less is
/// searched. Deterministic.
std::optional<CostGraphSolution>
solve(const CostGraph &graph, const CostGraphOptions &options = {},
      llvm::ArrayRef<std::vector<int>> starts = {});

/// What no solution costs less than, by steps 1 and 2 alone; the sweeps end
/// when that reaches `target`. Infinite if every choice costs infinitely much.
double computeBound(const CostGraph &graph, double target);

struct BestFirstOptions {
  /// How many labels are followed at each node; 0 for a number that makes about
  /// the same work for graphs of all sizes.
  int width = 0;
  /// Sweeps of the bound.
  int sweeps = 150;
  /// When the best is completed that was begun.
  std::optional<std::chrono::steady_clock::time_point> deadline;
};

/// The same by A* on what step 1 leaves, node by node, with the bound of step 2
/// for all that is still open. Exact while no more labels of a node come up
/// than are followed; else `bound` is the least of those that were not. Nothing
/// if every choice costs infinitely much, or if what was followed leads nowhere
/// and there are no starts.
std::optional<CostGraphSolution>
searchBestFirst(const CostGraph &graph, const BestFirstOptions &options = {},
                llvm::ArrayRef<std::vector<int>> starts = {});

} // namespace hetero::solver

#endif // HETERO_SOLVER_COSTGRAPH_H
