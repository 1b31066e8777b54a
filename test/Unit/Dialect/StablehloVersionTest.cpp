//===- StablehloVersionTest.cpp - Versions in bytecode --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Dialect/Stablehlo/StablehloOps.h"
#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace mlir::stablehlo;

/// A module with an attribute of the dialect, marked with `version`.
static std::string write(std::optional<StablehloDialectVersion> version) {
  MLIRContext context;
  context.loadDialect<StablehloDialect>();
  context.getLoadedDialect<StablehloDialect>()->setVersion(version);
  auto module = ModuleOp::create(UnknownLoc::get(&context));
  OwningOpRef<ModuleOp> owner(module);
  module->setAttr("t.a", ChannelHandleAttr::get(&context, 1, 2));
  std::string text;
  llvm::raw_string_ostream os(text);
  EXPECT_TRUE(succeeded(writeBytecodeToFile(module, os)));
  return text;
}

/// The first error of reading it, empty if there is none.
static std::string read(StringRef bytecode) {
  MLIRContext context;
  context.loadDialect<StablehloDialect>();
  std::string error;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    if (error.empty())
      error = diagnostic.str();
    return success();
  });
  OwningOpRef<ModuleOp> module =
      parseSourceString<ModuleOp>(bytecode, ParserConfig(&context));
  EXPECT_EQ(bool(module), error.empty());
  if (module)
    EXPECT_EQ((*module)->getAttr("t.a"),
              ChannelHandleAttr::get(&context, 1, 2));
  return error;
}

TEST(StablehloVersion, isAbsentByDefault) { EXPECT_EQ(read(write({})), ""); }

TEST(StablehloVersion, mayBeCurrentOrOlder) {
  EXPECT_EQ(read(write(StablehloDialectVersion::getCurrentVersion())), "");
  EXPECT_EQ(read(write(StablehloDialectVersion(0, 9, 3))), "");
}

TEST(StablehloVersion, mayNotBeNewer) {
  std::string error = read(write(StablehloDialectVersion(1, 2, 3)));
  EXPECT_NE(error.find("stablehlo 1.2.3 is newer than what is understood, "
                       "1.0.0"),
            std::string::npos)
      << error;
}
