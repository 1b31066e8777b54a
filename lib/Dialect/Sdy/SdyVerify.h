//===- SdyVerify.h - Checks that several sdy verifiers share ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef HETERO_LIB_DIALECT_SDY_SDYVERIFY_H
#define HETERO_LIB_DIALECT_SDY_SDYVERIFY_H

#include "hetero/Dialect/Sdy/Sdy.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include <tuple>

namespace mlir {
namespace sdy {

/// Starts a diagnostic at the right place with the right prefix.
using ErrorFn = llvm::function_ref<InFlightDiagnostic()>;

/// All references to axes of a mesh in one attribute. Checks what has to hold
/// within each list and among all of them.
class AxisUses {
public:
  explicit AxisUses(MeshAttr mesh);

  /// Checks axes_c1 to axes_c3 for one list.
  LogicalResult add(ArrayRef<AxisRefAttr> axes, ErrorFn emitError);
  /// Checks that a list, already added, is in the order of the mesh.
  bool isOrdered(ArrayRef<AxisRefAttr> axes) const;
  /// Checks sub_axis_c1 to sub_axis_c5 for all lists together.
  LogicalResult verifySubAxes(ErrorFn emitError) const;

private:
  /// Orders references: by axis of the mesh, then by pre-size, then sub-axes by
  /// size before the whole axis.
  using Position = std::tuple<size_t, int64_t, bool, int64_t>;
  Position getPosition(AxisRefAttr axis) const;

  MeshAttr mesh;
  llvm::SmallDenseMap<StringRef, size_t, 8> indices;
  llvm::SmallDenseSet<AxisRefAttr, 8> seen;
  SmallVector<AxisRefAttr> subAxes;
};

/// Verifies a sharding, written on `op`, for a value of the given type. A null
/// type stands for no value at all.
LogicalResult verifySharding(TensorShardingAttr sharding, Type type,
                             Operation *op, ErrorFn emitError);

/// Verifies a sharding for each of `types`; `kind` says in diagnostics what
/// these are: "operand", "result".
LogicalResult verifyShardings(TensorShardingPerValueAttr shardings,
                              TypeRange types, Operation *op, StringRef kind);

/// The manual computation around `op` that has `axis` as a manual axis, if any.
ManualComputationOp findManualOwner(Operation *op, StringRef axis);

/// Merges a mesh into the common one of several shardings, where an empty mesh
/// fits any other. Fails if they differ.
LogicalResult mergeMesh(MeshAttr &common, MeshAttr mesh);

/// Verifies `sdy.sharding_rule` of an operation.
LogicalResult verifyShardingRule(OpShardingRuleAttr rule, Operation *op);

/// Verifies `sdy.propagation_edges` of an operation.
LogicalResult verifyPropagationEdges(PropagationEdgesAttr edges, Operation *op);

} // namespace sdy
} // namespace mlir

#endif // HETERO_LIB_DIALECT_SDY_SDYVERIFY_H
