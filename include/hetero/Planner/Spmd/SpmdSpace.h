//===- SpmdSpace.h - All SPMD programs as a cost graph ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The cost graph of Spmd.h. It is built once for a graph and a number of
// devices; other shares or prices only change its numbers. Operations and
// tensors that look alike have the same tables, so these are few.

#ifndef HETERO_PLANNER_SPMD_SPMDSPACE_H
#define HETERO_PLANNER_SPMD_SPMDSPACE_H

#include "hetero/Planner/Spmd/Spmd.h"
#include "hetero/Planner/Spmd/SpmdCost.h"
#include "hetero/Solver/CostGraph.h"
#include <set>

namespace hetero::planner {

/// Forms that a tensor is available in: one, or two that are split or partial.
/// All are, if it is replicated.
struct Availability {
  int first = form::replicated;
  int second = -1;

  bool offers(int wanted) const {
    return first == form::replicated || first == wanted || second == wanted;
  }
};

/// The cheapest way to make a tensor available that comes in form `from`.
double timeToOffer(const FormChanges &changes, int from,
                   const Availability &availability);

/// What memory costs.
struct MemoryPrice {
  /// Seconds for a byte on each device, in the order of the group; no price if
  /// empty.
  std::vector<double> perByte;
  /// How much it rises from the first to the last operation, relative to 1.
  double slope = 0;
};

class SpmdSpace {
public:
  SpmdSpace(const Graph &graph, int64_t numDevices,
            bool replicatedState = false, std::vector<int64_t> segments = {});

  const Graph &graph;
  const std::vector<int64_t> segments;
  const OperationKinds kinds;
  const GraphSplits splits;

  /// The cost graph for shares and prices.
  solver::CostGraph getCosts(SpmdCost &cost,
                             const MemoryPrice &price = {}) const;

  SpmdProgram decode(llvm::ArrayRef<int> states, SpmdCost &cost) const;

  /// The program of a solution of the cost graph without prices, with what it
  /// takes.
  SpmdSolution getSolution(const solver::CostGraphSolution &found,
                           SpmdCost &cost) const;

  /// Everything replicated, a solution that always exists.
  std::vector<int> getReplicated() const;

  /// Seconds of computation and of communication.
  std::pair<double, double> evaluate(const SpmdProgram &program,
                                     SpmdCost &cost) const;
  /// The most memory that each device may need at any time, if it is one of its
  /// class that gets most by rounding: stored state, and
  /// tensors from their making to their last use in the forms that they are
  /// available in.
  std::vector<Bytes> getMemory(const SpmdProgram &program,
                               SpmdCost &cost) const;
  /// What is in memory when it is most: what does not depend on shares, and
  /// for each segment what does, as if the share in it were 1.
  struct Peak {
    double fixed = 0;
    std::vector<double> divided;
  };
  /// Of a member of the group, or one of its class that gets more by rounding.
  Peak getPeak(const SpmdProgram &program, SpmdCost &cost,
               int64_t member) const;

private:
  /// Forms wanted and made of each tensor.
  struct Uses {
    std::set<int> wanted, made;
    int count = 0;
  };
  /// A table of the cost graph, and where its numbers come from: all ways from
  /// some forms to some availabilities of a tensor, or of one like it.
  struct ChangeTable {
    int table = 0;
    int64_t tensor = 0;
    std::vector<int> from;
  };

  void findUses();
  void findAvailabilities();
  void findKinds();
  void findPeak();
  void addArgument(int64_t index);
  void addOperation(int64_t index);
  void addTensor(int64_t tensor);
  /// The table that all edges with this key have; a new one is `added`.
  int shareTable(llvm::ArrayRef<int64_t> key, int64_t rows, int64_t tensor,
                 bool &added);
  /// Joins a producer, whose states make the forms that `from` gives, and the
  /// tensor. What `from` gives follows from `key`; the same holds for users.
  void addChangeEdge(int node, int64_t tensor, llvm::ArrayRef<int64_t> key,
                     llvm::function_ref<std::vector<int>()> from);
  using Wanted = std::vector<llvm::SmallVector<int, 2>>;
  void addUseEdge(int node, int64_t tensor, llvm::ArrayRef<int64_t> key,
                  llvm::function_ref<Wanted()> wanted);
  void addNextEdges();
  /// For each kind of operations (in cost and strategies) the times of its
  /// strategies.
  std::vector<std::vector<double>> getTimes(SpmdCost &cost) const;
  /// For each kind of tensors (in size and splits) the times of its changes.
  std::vector<const FormChanges *> getChanges(SpmdCost &cost) const;
  void setPrices(SpmdCost &cost, const MemoryPrice &price,
                 solver::CostGraph &graph) const;
  void visitMemory(
      const SpmdProgram &program,
      llvm::function_ref<void(int64_t, int, int64_t, int64_t)> visit) const;
  double memoryCost(int64_t tensor, int form, int64_t at, SpmdCost &cost,
                    const MemoryPrice &price) const;

  bool replicatedState;
  std::vector<Uses> uses;
  KindLists<Availability> availabilities;
  /// Of operations and tensors their kind, and of each kind the first.
  std::vector<int> timeKind, changeKind;
  std::vector<int64_t> timeKinds, changeKinds;
  /// Without times and prices.
  solver::CostGraph costs;
  /// Nodes of operations, tensors and arguments; -1 for those without.
  std::vector<int> opNode, tensorNode, argumentNode;
  std::vector<std::vector<int>> argumentForms;
  /// Of tensors: the argument that it is, or whose updated value; else -1.
  std::vector<int> argumentOf, updates;
  std::map<std::vector<int64_t>, int> tables;
  std::vector<ChangeTable> changeTables;
  /// First position that makes a tensor, last one that uses it, and the
  /// position where undivided memory is largest.
  std::vector<int64_t> born, dies;
  int64_t peak = 0;
};

} // namespace hetero::planner

#endif // HETERO_PLANNER_SPMD_SPMDSPACE_H
