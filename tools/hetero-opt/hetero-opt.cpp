//===- hetero-opt.cpp - Runs passes over a step ---------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// MLIR's opt driver with our dialects and passes. Three things are added around
// it: input that MLIR's readers would not survive is refused, with an error
// (hetero/Tools/Input.h); large i1 constants are written in the spelling that
// jaxlib reads (hetero/Support/BoolLiterals.h); and everything runs on a stack
// that is large and watched (hetero/Support/LargeStack.h).

#include "hetero/InitAll.h"
#include "hetero/Support/BoolLiterals.h"
#include "hetero/Support/LargeStack.h"
#include "hetero/Tools/Diagnostics.h"
#include "hetero/Tools/Input.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/ToolOutputFile.h"

using namespace mlir;

static LogicalResult run(llvm::raw_ostream &os, StringRef inputFilename,
                         DialectRegistry &registry) {
  auto input = hetero::readInput(inputFilename, registry, llvm::errs());
  if (!input)
    return failure();
  MlirOptMainConfig config = MlirOptMainConfig::createFromCLOptions();
  if (!config.shouldVerifyDiagnostics() && config.inputSplitMarker().empty())
    hetero::keepErrorsShort(registry, *input);
  std::string text;
  llvm::raw_string_ostream stream(text);
  LogicalResult result =
      MlirOptMain(stream, std::move(input), registry, config);
  if (auto expanded = hetero::expandBoolLiterals(text))
    text = std::move(*expanded);
  // MLIR's driver adds an empty line that no printer of JAX makes.
  StringRef output = text;
  if (output.ends_with("\n\n"))
    output = output.drop_back();
  os << output;
  return result;
}

static int optMain(int argc, char **argv) {
  DialectRegistry registry;
  hetero::registerAllDialects(registry);
  hetero::registerAllPasses();

  auto [inputFilename, outputFilename] = registerAndParseCLIOptions(
      argc, argv, "hetero: plans and runs a JAX training step\n", registry);

  std::string error;
  auto output = openOutputFile(outputFilename, &error);
  if (!output) {
    llvm::errs() << "error: " << error << "\n";
    return 1;
  }
  if (failed(run(output->os(), inputFilename, registry)))
    return 1;
  output->keep();
  return 0;
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  return hetero::runOnLargeStack([&] { return optMain(argc, argv); });
}
