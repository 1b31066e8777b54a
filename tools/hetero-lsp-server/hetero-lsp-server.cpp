//===- hetero-lsp-server.cpp - Our dialects in an editor ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/InitAll.h"
#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  hetero::registerAllDialects(registry);
  return failed(mlir::MlirLspServerMain(argc, argv, registry));
}
