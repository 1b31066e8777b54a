//===- ClusterValue.h - A cluster in the IR and as a value ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `hetero.cluster` and cluster::Cluster say the same in two languages: planners
// and the cost model know no IR, and a module should be complete in itself. The
// two functions here are each other's inverse, so nothing is lost on the way
//
//   cluster.yaml --readCluster--> Cluster --createCluster--> hetero.cluster
//   hetero.cluster --getCluster--> Cluster --writeCluster--> cluster.yaml
//
// One name serves a node and a class in many files ("l4"), but symbols of one
// table must differ. Nodes and switches, which others refer to, keep their
// names; a class or site that would clash gets `_class` or `_site` added, and
// `called` keeps its name.

#ifndef HETERO_ANALYSIS_CLUSTERVALUE_H
#define HETERO_ANALYSIS_CLUSTERVALUE_H

#include "hetero/Cluster/Cluster.h"
#include "hetero/Dialect/Hetero/HeteroClusterOps.h"

namespace hetero {

/// Writes `cluster` before the insertion point of `builder` under the symbol
/// `name`. Reports an error at `location` where the IR has no word for it: a
/// peak for something that is not an element type.
mlir::FailureOr<ClusterOp> createCluster(mlir::OpBuilder &builder,
                                         mlir::Location location,
                                         const cluster::Cluster &cluster,
                                         llvm::StringRef name);

/// The value of a cluster that verifies. Reports an error at `op` when it
/// cannot be one, because it has too many nodes.
mlir::FailureOr<cluster::Cluster> getCluster(ClusterOp op);

} // namespace hetero

#endif // HETERO_ANALYSIS_CLUSTERVALUE_H
