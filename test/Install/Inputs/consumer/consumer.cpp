//===- consumer.cpp - Uses an installed hetero ----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads every dialect into a context, parses a function, prints it.

#include "hetero/InitAll.h"
#include "hetero/Support/BoolLiterals.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/raw_ostream.h"

int main() {
  mlir::DialectRegistry registry;
  hetero::registerAllDialects(registry);
  mlir::MLIRContext context(registry);
  context.loadAllAvailableDialects();
  auto module = mlir::parseSourceString<mlir::ModuleOp>(
      "func.func @consumer(%a: tensor<2xf32>) -> tensor<2xf32> {\n"
      "  return %a : tensor<2xf32>\n"
      "}\n",
      &context);
  if (!module || hetero::packBoolLiterals(""))
    return 1;
  module->print(llvm::outs());
  return 0;
}
