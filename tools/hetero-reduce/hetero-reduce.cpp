//===- hetero-reduce.cpp - The smallest program that still fails ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/InitAll.h"
#include "mlir/Tools/mlir-reduce/MlirReduceMain.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  hetero::registerAllDialects(registry);
  hetero::registerAllPasses();
  mlir::MLIRContext context(registry);
  return failed(mlir::mlirReduceMain(argc, argv, context));
}
