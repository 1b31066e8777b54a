//===- Fusion.h - Which operations share a loop -----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Thousands of element-wise operations must become few loops before anything
// is generated: a loop for each of them is slow to compile and slow to run. The
// plan is made on StableHLO, in one backward walk over a kernel, in linear
// time.
//
// It is the only answer to the question what is fused. Three ask for it: the
// lowering makes exactly the loops of the plan (Conversion/Lowering.h), the
// graph of a step counts the traffic of these loops (StepGraph.h), and the
// check of memory gives room to what they store (KernelMemory.h).
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

#ifndef HETERO_ANALYSIS_FUSION_H
#define HETERO_ANALYSIS_FUSION_H

#include "hetero/Analysis/Kernels.h"
#include "hetero/Dialect/Stablehlo.h"
#include "llvm/ADT/DenseMap.h"

namespace hetero {

/// An operation on single elements, which the lowering knows the code of
/// (Conversion/ScalarOps.h).
bool isScalarOp(mlir::Operation *op);

/// An operation that says where an element of its operand is found.
bool isView(mlir::Operation *op);

/// A reshape that adds and removes dimensions of size 1 only.
bool isUnitReshape(mlir::Operation *op);

/// A constant all of whose elements are equal, or an iota: computed anywhere.
bool isGenerated(mlir::Operation *op);

/// One of these three: a loop can compute its elements where they are needed.
bool isFusible(mlir::Operation *op);

/// Where an element of the operand of a view is found, given where the element
/// of its result is: both maps are from the dimensions of a loop.
mlir::AffineMap getViewMap(mlir::Operation *view, mlir::AffineMap map);

class FusionPlan {
public:
  /// Plans the operations of the kernel, nested ones included.
  explicit FusionPlan(const Kernel &kernel);

  /// Whether the results of the operation become tensors.
  bool isStored(mlir::Operation *op) const { return !unstored.contains(op); }

  /// Whether a loop that uses the result computes it instead of loading it.
  bool isInlined(mlir::Operation *op) const;

  /// How many loops compute the result: 1 if it is stored.
  unsigned getNumLoops(mlir::Operation *op) const;

private:
  /// The roots of clusters.
  using Roots = llvm::SmallVector<mlir::Operation *, 2>;

  void visitOps(llvm::ArrayRef<mlir::Operation *> ops);
  void visitFusible(mlir::Operation &op);
  void findRecomputable(llvm::ArrayRef<mlir::Operation *> ops);
  /// Who uses the value: null for who takes the results of the kernel, nothing
  /// for other kernels.
  std::optional<mlir::Operation *> getUser(mlir::OpOperand &use) const;
  bool hasOneUse(mlir::Value value) const;

  /// Adds the clusters that the use is in. Returns false if there are none.
  bool addClusters(mlir::OpOperand &use, int64_t rank, Roots &roots) const;
  /// The clusters that the uses of the result are in; none if one is in none.
  Roots getClusters(mlir::Operation &op) const;

  /// Of a kernel that is a part of a block: the block, and what is the
  /// kernel's.
  mlir::Block *block = nullptr;
  llvm::DenseSet<mlir::Operation *> inside;
  llvm::DenseSet<mlir::Value> results;
  /// Operations that never become tensors.
  llvm::DenseSet<mlir::Operation *> unstored;
  /// Operations that several clusters may compute.
  llvm::DenseSet<mlir::Operation *> recomputable;
  /// The clusters of each visited fusible operation and reduction.
  llvm::DenseMap<mlir::Operation *, Roots> clusters;
  llvm::DenseMap<mlir::Operation *, unsigned> clusterSizes;
};

/// What a dot or dot_general reads: its operands through views, if the loop
/// nest can be told from where their elements are; else the operands
/// themselves, of which those that are not stored are made for it.
struct ProductAccess {
  ProductAccess(mlir::Operation *product, const FusionPlan &plan);

  struct Operand {
    mlir::Value source;
    /// From the dimensions of the loop nest: those of the result, then those
    /// that are summed over.
    mlir::AffineMap map;
  };
  Operand lhs, rhs;
  mlir::AffineMap resultMap;
};

} // namespace hetero

#endif // HETERO_ANALYSIS_FUSION_H
