//===- hetero-fuzz.cpp - Parser, printer and import under libFuzzer -------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One run: text -> parse and verify -> print -> parse again, which must accept
// and print the same -> write bytecode and read it -> hetero-import -> verify
// and print.
//
// What is left out on purpose: text beyond the limits that the tools impose
// (hetero/Support/InputLimits.h), and bytes that pretend to be bytecode, since
// MLIR's reader, which is not ours, does not survive them; the tools try such
// files out in a process of their own (hetero/Tools/Input.h). Dialects below
// StableHLO, which no step that comes in contains, are not registered.

#include "Mutator.h"
#include "hetero/InitAll.h"
#include "hetero/Support/BoolLiterals.h"
#include "hetero/Support/InputLimits.h"
#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "llvm/Support/CommandLine.h"
#include <cstdlib>
#include <set>

using namespace mlir;

static constexpr size_t maxInputSize = 64 << 10;
/// Uniqued attributes and types stay in a context; it is renewed now and then.
static constexpr unsigned runsPerContext = 2000;

static std::unique_ptr<MLIRContext> makeContext() {
  DialectRegistry registry;
  hetero::registerStepDialects(registry);
  auto context =
      std::make_unique<MLIRContext>(registry, MLIRContext::Threading::DISABLED);
  context->loadAllAvailableDialects();
  // A rejected input is the usual case: nobody reads its diagnostics.
  context->getDiagEngine().registerHandler(
      [](Diagnostic &) { return success(); });
  return context;
}

static OwningOpRef<ModuleOp> parse(StringRef text, MLIRContext &context) {
  return parseSourceString<ModuleOp>(text, &context);
}

static std::string print(ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream os(text);
  module->print(os, OpPrintingFlags().enableDebugInfo());
  return text;
}

/// Reports a broken property: libFuzzer keeps the input of a process that
/// aborts.
[[noreturn]] static void fail(const char *what, StringRef first,
                              StringRef second) {
  llvm::errs() << "fuzz: " << what << "\n--- first\n"
               << first << "\n--- second\n"
               << second << "\n";
  std::abort();
}

static void checkTextRoundTrip(ModuleOp module, MLIRContext &context) {
  std::string text = print(module);
  OwningOpRef<ModuleOp> again = parse(text, context);
  if (!again)
    fail("the printed module does not parse", text, "");
  std::string textAgain = print(*again);
  if (text != textAgain)
    fail("the module prints differently after a round trip", text, textAgain);
}

static void checkBytecodeRoundTrip(ModuleOp module, MLIRContext &context) {
  std::string bytes;
  llvm::raw_string_ostream os(bytes);
  if (failed(writeBytecodeToFile(module, os)))
    return;
  OwningOpRef<ModuleOp> again = parse(bytes, context);
  if (!again)
    fail("the module's bytecode is not read", print(module), "");
}

static void runImport(ModuleOp module, MLIRContext &context) {
  PassManager manager(&context);
  if (failed(parsePassPipeline("hetero-import", manager)))
    fail("hetero-import is not registered", "", "");
  if (succeeded(manager.run(module)))
    checkTextRoundTrip(module, context);
}

extern "C" int LLVMFuzzerInitialize(int *argc, char ***argv) {
  hetero::registerImportPipeline();
  std::set<std::string> words;
  std::unique_ptr<MLIRContext> context = makeContext();
  for (RegisteredOperationName name : context->getRegisteredOperations()) {
    words.insert(name.getStringRef().str());
    for (StringAttr attribute : name.getAttributeNames())
      words.insert(attribute.str());
  }
  hetero::fuzz::setVocabulary({words.begin(), words.end()});
  // --print-dictionary: the vocabulary in libFuzzer's format, and no run.
  if (*argc == 2 && StringRef((*argv)[1]) == "--print-dictionary") {
    for (const std::string &word : words)
      llvm::outs() << '"' << word << "\"\n";
    llvm::outs().flush();
    std::_Exit(0);
  }
  return 0;
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size,
                                          size_t maxSize, unsigned seed) {
  return hetero::fuzz::mutate(data, size, maxSize, seed);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  StringRef text(reinterpret_cast<const char *>(data), size);
  if (size > maxInputSize || text.starts_with("ML\xefR") ||
      hetero::findInputProblem(text))
    return -1;
  static std::unique_ptr<MLIRContext> context;
  static unsigned numRuns = 0;
  if (numRuns++ % runsPerContext == 0)
    context = makeContext();
  std::optional<std::string> packed = hetero::packBoolLiterals(text);
  OwningOpRef<ModuleOp> module = parse(packed ? *packed : text.str(), *context);
  if (!module)
    return 0;
  checkTextRoundTrip(*module, *context);
  checkBytecodeRoundTrip(*module, *context);
  runImport(*module, *context);
  return 0;
}
