//===- AttachCluster.cpp - Puts a cluster into a module -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Analysis/ClusterValue.h"
#include "hetero/Dialect/Hetero/Hetero.h"
#include "hetero/Transforms/Planning/Passes.h"
#include "mlir/IR/Verifier.h"

namespace hetero {
#define GEN_PASS_DEF_ATTACHCLUSTERPASS
#include "hetero/Transforms/Planning/Passes.h.inc"
} // namespace hetero

using namespace mlir;
using namespace hetero;

namespace {
struct AttachClusterPass
    : public hetero::impl::AttachClusterPassBase<AttachClusterPass> {
  using AttachClusterPassBase::AttachClusterPassBase;
  void runOnOperation() override;
  void reportReadError(llvm::Error error);
  std::string chooseSymbol(const cluster::Cluster &cluster, ClusterOp old);
};
} // namespace

/// Errors of the reader start with `<file>:<line>:<column>:`; they are shown at
/// that place.
void AttachClusterPass::reportReadError(llvm::Error error) {
  std::string text = llvm::toString(std::move(error));
  StringRef message = text;
  unsigned line = 0, column = 0;
  if (message.consume_front(clusterFile) && message.consume_front(":") &&
      !message.consumeInteger(10, line) && message.consume_front(":") &&
      !message.consumeInteger(10, column) && message.consume_front(": error: "))
    emitError(FileLineColLoc::get(&getContext(), clusterFile, line, column))
        << message;
  else
    getOperation().emitError() << text;
}

/// The name of the cluster, unless something else in the module has it.
std::string AttachClusterPass::chooseSymbol(const cluster::Cluster &cluster,
                                            ClusterOp old) {
  SymbolTable symbols(getOperation());
  std::string name = cluster.name.empty() ? "cluster" : cluster.name;
  for (int64_t number = 0;; ++number) {
    Operation *other = symbols.lookup(name);
    if (!other || other == old)
      return name;
    name = cluster.name + "_cluster" + (number ? std::to_string(number) : "");
  }
}

static bool areEqual(const cluster::Cluster &first,
                     const cluster::Cluster &second) {
  std::string texts[2];
  llvm::raw_string_ostream os0(texts[0]), os1(texts[1]);
  writeCluster(first, os0);
  writeCluster(second, os1);
  return texts[0] == texts[1];
}

void AttachClusterPass::runOnOperation() {
  ModuleOp module = getOperation();
  if (clusterFile.empty()) {
    module.emitError("hetero-attach-cluster needs the option "
                     "cluster=<file.yaml>");
    return signalPassFailure();
  }
  llvm::Expected<cluster::Cluster> cluster =
      cluster::readClusterFile(clusterFile);
  if (!cluster) {
    reportReadError(cluster.takeError());
    return signalPassFailure();
  }
  auto clusters = module.getOps<ClusterOp>();
  ClusterOp old = clusters.empty() ? ClusterOp() : *clusters.begin();
  if (old) {
    FailureOr<cluster::Cluster> before = getCluster(old);
    if (succeeded(before) && areEqual(*before, *cluster))
      return;
    if (auto plans = module.getOps<PlanOp>(); !plans.empty()) {
      InFlightDiagnostic error = old.emitOpError()
                                 << "cannot become '" << cluster->name
                                 << "': a plan was made for it";
      error.attachNote((*plans.begin()).getLoc())
          << "the plan is here; remove it to plan anew";
      return signalPassFailure();
    }
  }
  OpBuilder builder(&getContext());
  builder.setInsertionPointToStart(module.getBody());
  FailureOr<ClusterOp> created = createCluster(
      builder, FileLineColLoc::get(&getContext(), clusterFile, 1, 1), *cluster,
      chooseSymbol(*cluster, old));
  if (failed(created))
    return signalPassFailure();
  if (old) {
    old.emitRemark() << "the cluster is replaced by that of '" << clusterFile
                     << "'";
    old.erase();
  }
  if (failed(mlir::verify(*created)))
    return signalPassFailure();
  numDevices += cluster->availableDevices().size();
}
