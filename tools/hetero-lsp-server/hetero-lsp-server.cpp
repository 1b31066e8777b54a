//===- hetero-lsp-server.cpp - Our dialects in an editor ------------------===//
//
// Part of the hetero project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "hetero/InitAll.h"
#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  hetero::registerAllDialects(registry);
  return failed(mlir::MlirLspServerMain(argc, argv, registry));
}
