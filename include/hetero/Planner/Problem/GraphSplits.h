//===- GraphSplits.h - How tensors and operations can be split --*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Dimensions that run together in some rule form a class. A reshape cuts them
// into factors: merging [8, 6] to [48] cuts the class of 48 at 6, and that cut
// holds for all dimensions of the class and, through other reshapes, for
// factors of others. When no more cuts appear, each dimension is a product of
// *atoms*, outermost first, and each atom is one way to split a tensor: with
// dimension = outer * units * inner, the `units` are divided.
//
//   [B, T, H * D] -> [B, T, H, D]      H * D has atoms H (inner D) and D
//   a dot over H * D                   may be divided along H, or along D
//
// From its rule each operation gets its strategies: everything everywhere; one
// for each atom of each loop; one for each group of operands that may be
// partial.
//
// Operations may belong to segments, each with shares of its own. An operation
// takes and makes splits of its segment; a tensor that several segments use or
// make has the splits of all of them.

#ifndef HETERO_PLANNER_PROBLEM_GRAPHSPLITS_H
#define HETERO_PLANNER_PROBLEM_GRAPHSPLITS_H

#include "hetero/Planner/Problem/Graph.h"
#include "llvm/ADT/SmallVector.h"
#include <tuple>

namespace hetero::planner {

/// How a tensor is held, as a number: replicated; partial, to be summed;
/// pending, to be combined in another way; then the splits of the tensor.
namespace form {
inline constexpr int replicated = 0, partial = 1, pending = 2, firstSplit = 3;
inline bool isSplit(int form) { return form >= firstSplit; }
} // namespace form

/// Units that are divided by the shares of a segment; none if 0.
struct DividedUnits {
  int64_t units = 0, segment = 0;

  bool operator<(const DividedUnits &other) const {
    return std::tie(units, segment) < std::tie(other.units, other.segment);
  }
};

struct TensorSplit {
  int64_t dim = 0;
  int64_t outer = 1, units = 1, inner = 1;
  /// The segment whose shares divide the units.
  int64_t segment = 0;

  /// Whether both divide the same units, by whatever shares.
  bool isAlong(const TensorSplit &other) const {
    return dim == other.dim && outer == other.outer && units == other.units &&
           inner == other.inner;
  }
  DividedUnits getUnits() const { return {units, segment}; }
  bool operator==(const TensorSplit &other) const {
    return isAlong(other) && segment == other.segment;
  }
};

/// One way to carry out an operation on all devices.
struct OpStrategy {
  /// Forms that operands are needed in, and that results come in; replicated
  /// for operands that exist in every form.
  llvm::SmallVector<int, 4> operands;
  llvm::SmallVector<int, 2> results;
  /// What is divided; 0 if every device does everything.
  int64_t units = 0;
  /// The segment whose shares divide it.
  int64_t segment = 0;

  DividedUnits getUnits() const { return {units, segment}; }
  bool operator==(const OpStrategy &other) const {
    return operands == other.operands && results == other.results;
  }
};

/// One list for each tensor or operation. Those of one kind have the same list,
/// which is there once: equal layers of a model have equal kinds.
template <typename T>
struct KindLists {
  std::vector<std::vector<T>> kinds;
  std::vector<int> kindOf;

  const std::vector<T> &operator[](size_t index) const {
    return kinds[kindOf[index]];
  }
  size_t size() const { return kindOf.size(); }
};

struct GraphSplits {
  /// For each tensor.
  KindLists<TensorSplit> tensors;
  /// For each operation; the first is replicated.
  KindLists<OpStrategy> operations;
  /// The most units of atoms that are too few to be splits, and the fewest of
  /// those that are splits.
  int64_t mostWhole = 1, fewestDivided = INT64_MAX;

  /// Whether findSplits gives the same for `minUnits`.
  bool isFor(int64_t minUnits) const {
    return mostWhole < minUnits && minUnits <= fewestDivided;
  }

  /// The units that a form of a tensor divides; none if it is not split.
  DividedUnits unitsOf(int64_t tensor, int form) const {
    return form::isSplit(form)
               ? tensors[tensor][form - form::firstSplit].getUnits()
               : DividedUnits();
  }
};

/// Only atoms of at least `minUnits` are splits. `segments` has that of each
/// operation; all are in one if it is empty.
GraphSplits findSplits(const Graph &graph, int64_t minUnits,
                       llvm::ArrayRef<int64_t> segments = {});

} // namespace hetero::planner

#endif // HETERO_PLANNER_PROBLEM_GRAPHSPLITS_H
