//===- FusionPlan.h - Which operations share a loop -------------*- C++ -*-===//
//
// Part of the hetero project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Thousands of element-wise operations must become few loops before anything
// is generated: a loop for each of them is slow to compile and slow to run. The
// plan is made on StableHLO, in one backward walk over a block, in linear time.
//
// The idea
// --------
// An operation is *element-wise* (it has a scalar form), a *view* (it only says
// where an element of its operand is found: broadcast_in_dim, transpose, slice,
// reverse, reshapes that only move dimensions of size 1) or anything else.
//
// Element-wise operations form clusters. A cluster has one root, which is an
// element-wise operation, a view or a reduction, and becomes one loop; the
// other members are computed within it and never stored. An element-wise
// operation joins the clusters of its users if they all have one, each element
// is used at one place of it (not through a broadcast or slice, which would
// compute it again or only partly), and no cluster is too large already.
//
// An operation joins several clusters, which compute it each for itself, only
// if that is cheap and needs no more memory: it is computed in few steps from
// stored tensors that are hardly larger than its result. So the forward and the
// backward pass share what they read, and not what they make of it:
//
//   %h = dot_general %x, %w            stored
//   %a = add %h, %b                    computed in both loops
//   %t = tanh %a                       computed in both loops
//   %y = multiply %a, %t               loop of the forward pass
//   %g = multiply %dy, %t              loop of the backward pass
//
// Views and splat constants are computed wherever they are used; they become
// tensors only for users that need one. Contractions read through views.
//
//   %b = broadcast_in_dim %bias        view, not stored
//   %h = add %x, %b                    joins %g
//   %g = tanh %h                       root: one loop over %x and %bias
//   %d = dot_general %g, %w
//
//===----------------------------------------------------------------------===//

#ifndef HETERO_LIB_CONVERSION_STABLEHLOTOLINALG_FUSIONPLAN_H
#define HETERO_LIB_CONVERSION_STABLEHLOTOLINALG_FUSIONPLAN_H

#include "hetero/Dialect/Stablehlo.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"

namespace hetero {

/// An operation that says where an element of its operand is found.
bool isView(mlir::Operation *op);

/// A reshape that adds and removes dimensions of size 1 only.
bool isUnitReshape(mlir::Operation *op);

/// A constant all of whose elements are equal, or an iota: computed anywhere.
bool isGenerated(mlir::Operation *op);

/// Where an element of the operand of a view is found, given where the element
/// of its result is: both maps are from the dimensions of a loop.
mlir::AffineMap getViewMap(mlir::Operation *view, mlir::AffineMap map);

class FusionPlan {
public:
  /// Plans all blocks of the function, nested ones included.
  explicit FusionPlan(mlir::Operation *function);

  /// Whether the results of the operation become tensors.
  bool isStored(mlir::Operation *op) const { return !unstored.contains(op); }

  /// Whether a loop that uses the result computes it instead of loading it.
  bool isInlined(mlir::Operation *op) const;

private:
  /// The roots of clusters.
  using Roots = llvm::SmallVector<mlir::Operation *, 2>;

  void visitBlock(mlir::Block &block);
  void visitFusible(mlir::Operation &op);
  void findRecomputable(mlir::Block &block);

  /// Adds the clusters that the use is in. Returns false if there are none.
  bool addClusters(mlir::OpOperand &use, int64_t rank, Roots &roots) const;
  /// The clusters that the uses of the result are in; none if one is in none.
  Roots getClusters(mlir::Operation &op) const;

  /// Operations that never become tensors.
  llvm::DenseSet<mlir::Operation *> unstored;
  /// Operations that several clusters may compute.
  llvm::DenseSet<mlir::Operation *> recomputable;
  /// The clusters of each visited fusible operation and reduction.
  llvm::DenseMap<mlir::Operation *, Roots> clusters;
  llvm::DenseMap<mlir::Operation *, unsigned> clusterSizes;
};

} // namespace hetero

#endif // HETERO_LIB_CONVERSION_STABLEHLOTOLINALG_FUSIONPLAN_H
