//===- hetero-host-image.cpp - Kernels of a GPU, compiled for the host ----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   hetero-host-image module.ll module.o
//
// Compiles what hetero-serialize-kernels{format=llvm} wrote for this machine;
// see Retarget.h.

#include "Retarget.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Verifier.h"
#include "llvm/IRReader/IRReader.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/TargetParser/Host.h"

using namespace llvm;

static int fail(const Twine &message) {
  errs() << "error: " << message << "\n";
  return 1;
}

/// Rounds each operation as it stands there. Without optimization: LLVM 22
/// takes the sign of a bfloat16 that it knows in another block for 0.
static std::unique_ptr<TargetMachine> makeMachine(std::string &error) {
  InitializeNativeTarget();
  InitializeNativeTargetAsmPrinter();
  Triple triple(sys::getProcessTriple());
  const Target *target = TargetRegistry::lookupTarget(triple, error);
  if (!target)
    return nullptr;
  TargetOptions options;
  options.AllowFPOpFusion = FPOpFusion::Strict;
  // What rounds each operation once, without calls.
  std::string features;
  StringMap<bool> known = sys::getHostCPUFeatures();
  for (StringRef name : {"fma", "avx2", "popcnt", "lzcnt"})
    if (known.lookup(name))
      features += (features.empty() ? "+" : ",+") + name.str();
  return std::unique_ptr<TargetMachine>(
      target->createTargetMachine(triple, "", features, options, Reloc::PIC_,
                                  std::nullopt, CodeGenOptLevel::None));
}

int main(int argc, char **argv) {
  InitLLVM init(argc, argv);
  if (argc != 3)
    return fail("a module and the name of an object are expected");
  LLVMContext context;
  SMDiagnostic diagnostic;
  std::unique_ptr<Module> module = parseIRFile(argv[1], diagnostic, context);
  if (!module) {
    diagnostic.print(argv[0], errs());
    return 1;
  }
  std::string message;
  std::unique_ptr<TargetMachine> machine = makeMachine(message);
  if (!machine)
    return fail(message);
  if (Error error = hetero::standin::retarget(*module, *machine))
    return fail(toString(std::move(error)));
  if (verifyModule(*module, &errs()))
    return fail("what was made of the module is not valid");
  std::error_code code;
  raw_fd_ostream object(argv[2], code, sys::fs::OF_None);
  if (code)
    return fail(Twine(argv[2]) + ": " + code.message());
  legacy::PassManager passes;
  if (machine->addPassesToEmitFile(passes, object, nullptr,
                                   CodeGenFileType::ObjectFile))
    return fail("this LLVM writes no objects");
  passes.run(*module);
  return 0;
}
