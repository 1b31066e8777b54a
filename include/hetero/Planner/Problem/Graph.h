//===- Graph.h - A step as operations on divisible tensors ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The idea
// --------
// A Problem (Problem.h) knows layers; a Graph knows single operations, so that
// a planner can decide for each of them along which dimension it is divided.
// Operations are nested loops, as in an einsum: a *rule* names for each
// dimension of each operand and result the loop that runs over it. What follows
// from a rule if one loop is divided among devices:
//
//   - operands and results that have the loop are split along it, the other
//     operands are replicated;
//   - results that do not have it are partial, to be summed (or reduced in
//     another way) over the devices, if the rule says how its iterations are
//     combined; if it does not, the loop cannot be divided.
//
// An operation that is linear in some of its operands can take those as
// partial and gives partial results. A reshape rearranges the factors of
// dimensions; which parts of which dimensions belong together is found by
// factoring (GraphSplits.h).
//
// Operations are in program order. Operand -1 stands for a value that exists in
// every form without communication, because it depends on constants alone.
//
// A worked example
// ----------------
// One dense layer y = x w, its weight gradient for a given gradient of y, and a
// step of SGD, in the text form that readGraph takes:
//
//   batch: 8
//   tensors:
//     - {name: "x", dims: [8, 4], bytes: 128 B}
//     - {name: "w", dims: [4, 6], bytes: 96 B}
//     - {name: "y", dims: [8, 6], bytes: 192 B}
//     - {name: "g", dims: [4, 6], bytes: 96 B}
//     - {name: "n", dims: [4, 6], bytes: 96 B}
//   arguments:
//     - {tensor: 0, role: batch}
//     - {tensor: 1, role: parameter, next: 4}
//   operations:
//     - {name: "dot", operands: [0, 1], results: [2], rule: "ab,bc->ac",
//        sum: "b", linear: [[0], [1]], work: {f32: 384 FLOP}, bytes: 416 B}
//     - {name: "dot", operands: [0, 2], results: [3], rule: "ab,ac->bc",
//        sum: "a", linear: [[0], [1]], work: {f32: 384 FLOP}, bytes: 416 B}
//     - {name: "subtract", operands: [1, 3], results: [4], rule: "ab,ab->ab",
//        linear: [[0, 1]], work: {f32: 24 FLOP}, bytes: 288 B}
//
// In a rule a letter is a loop and a dot a dimension that is needed whole.
// `sum: "b"` says that iterations of loop b are added up; `max`, `min`, `and`
// and `or` are written in the same way.
//
// Divided along the batch, the first `dot` takes x split, w replicated and
// gives y split; the second takes both split along `a` and gives g partial; it
// is all-reduced, and the update is done everywhere. Or x and y are gathered,
// and every device computes all of g: then nothing needs to be summed, which is
// cheaper if x and y are smaller than w (sufficient factor broadcasting).

#ifndef HETERO_PLANNER_PROBLEM_GRAPH_H
#define HETERO_PLANNER_PROBLEM_GRAPH_H

#include "hetero/Support/Amount.h"
#include "hetero/Support/Enums.h"
#include "hetero/Support/Fields.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBufferRef.h"
#include "llvm/Support/raw_ostream.h"
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace hetero::planner {

using hetero::operator==;

struct GraphTensor {
  /// For messages.
  std::string name;
  std::vector<int64_t> dims;
  Bytes bytes;

  auto fields() const { return std::tie(name, dims, bytes); }
};

struct GraphOp {
  /// In place of a loop: the dimension is needed or made whole.
  static constexpr int whole = -1;
  /// In place of a tensor: exists in every form.
  static constexpr int64_t anyForm = -1;
  /// Loops are written as letters.
  static constexpr int maxLoops = 52;

  /// For messages.
  std::string name;
  std::vector<int64_t> operands, results;
  /// For each loop how its iterations are combined in results that do not have
  /// it; nothing if they cannot be.
  std::vector<std::optional<ReductionKind>> loops;
  /// For each dimension of each operand and result its loop, or `whole`; empty
  /// for operands that are `anyForm`, and for reshapes.
  std::vector<std::vector<int>> operandLoops, resultLoops;
  /// Groups of operands in which the operation is linear when the others are
  /// fixed.
  std::vector<std::vector<int64_t>> linear;
  /// Has one operand and result, with the same elements in the same order.
  bool reshape = false;
  /// Floating-point work by element type, and traffic to memory.
  std::map<std::string, Work> work;
  Bytes bytes;
  /// Is done within the operation that uses its result, which nobody else
  /// needs: without an overhead of its own.
  bool fused = false;
  /// The layer that it belongs to, forward or backward; -1 if that is not
  /// known.
  int64_t layer = -1;
  /// Measured times of the undivided operation, by the name of the class of
  /// devices; there they replace what follows from work and traffic.
  std::map<std::string, Time> times;

  auto fields() const {
    return std::tie(name, operands, results, loops, operandLoops, resultLoops,
                    linear, reshape, work, bytes, fused, layer, times);
  }
};

/// What a planner of single operations has to know of an argument. Less than
/// the RoleKind of a step: all state but the parameters is `OptimizerState`,
/// the rest is `Other`, and results have no roles.
enum class ArgumentRole { Batch, Parameter, OptimizerState, Other };

llvm::StringRef stringify(ArgumentRole role);

struct GraphArgument {
  int64_t tensor = 0;
  ArgumentRole role = ArgumentRole::Other;
  /// The result that is its value in the next step (`next` in the text), and so
  /// has to come out as the argument is stored.
  std::optional<int64_t> updatedBy;

  bool isState() const {
    return role == ArgumentRole::Parameter ||
           role == ArgumentRole::OptimizerState;
  }
  auto fields() const { return std::tie(tensor, role, updatedBy); }
};

struct Graph {
  /// Samples in a step; 0 if that is not known.
  int64_t batch = 0;
  std::vector<GraphTensor> tensors;
  std::vector<GraphArgument> arguments;
  std::vector<GraphOp> operations;
  /// Tensors that are needed whole at the end (the loss).
  std::vector<int64_t> results;

  auto fields() const {
    return std::tie(batch, tensors, arguments, operations, results);
  }
};

/// Checks that the graph is sound: numbers refer to what exists, each tensor is
/// an argument or the result of one operation and is used after that only,
/// rules fit the dimensions, the loops of a rule have one size, updated values
/// look like their arguments, nothing is negative. The error names the place.
llvm::Error check(const Graph &graph);

/// Reads the text form above. Errors start with `<name>:<line>:<column>:`. The
/// result is checked.
llvm::Expected<Graph> readGraph(llvm::MemoryBufferRef buffer);

/// Writes the text form; readGraph gives back an equal graph.
void writeGraph(const Graph &graph, llvm::raw_ostream &os);

} // namespace hetero::planner

#endif // HETERO_PLANNER_PROBLEM_GRAPH_H
