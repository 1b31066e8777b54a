//===- ObjectCompiler.cpp - LLVM IR to objects, cached --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ObjectCompiler.h"
#include "ModuleParts.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/SystemLibraries.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SHA256.h"
#include "llvm/Support/SmallVectorMemoryBuffer.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/ThreadPool.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Host.h"
#include <mutex>

using namespace hetero;
using namespace llvm;

static Expected<std::unique_ptr<TargetMachine>> makeHost(unsigned optLevel) {
  static std::once_flag once;
  std::call_once(once, [] {
    InitializeNativeTarget();
    InitializeNativeTargetAsmPrinter();
  });
  Triple triple(sys::getProcessTriple());
  std::string error;
  const Target *target = TargetRegistry::lookupTarget(triple, error);
  if (!target)
    return createStringError(error);
  std::vector<std::string> features;
  for (const auto &feature : sys::getHostCPUFeatures())
    features.push_back((feature.getValue() ? "+" : "-") +
                       feature.getKey().str());
  llvm::sort(features);
  CodeGenOptLevel level =
      CodeGenOpt::getLevel(optLevel).value_or(CodeGenOptLevel::Default);
  std::unique_ptr<TargetMachine> machine(target->createTargetMachine(
      triple, sys::getHostCPUName(), join(features, ","), TargetOptions(),
      Reloc::PIC_, std::nullopt, level, /*JIT=*/true));
  if (!machine)
    return createStringError("no code generator for " + triple.str());
  return machine;
}

static void optimize(Module &module, TargetMachine &machine,
                     unsigned optLevel) {
  LoopAnalysisManager loops;
  FunctionAnalysisManager functions;
  CGSCCAnalysisManager graphs;
  ModuleAnalysisManager modules;
  PipelineTuningOptions tuning;
  tuning.LoopVectorization = tuning.SLPVectorization = optLevel > 1;
  PassBuilder builder(&machine, tuning);
  // Loops over exp, log, sin, cos and pow are vectorized with the functions
  // that the C library has for it.
  bool hasVectors = module.getTargetTriple().isX86() &&
                    module.getTargetTriple().isOSLinux() &&
                    module.getTargetTriple().isGNUEnvironment();
  TargetLibraryInfoImpl libraries(module.getTargetTriple(),
                                  hasVectors ? VectorLibrary::LIBMVEC
                                             : VectorLibrary::NoLibrary);
  functions.registerPass([&] { return TargetLibraryAnalysis(libraries); });
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(graphs);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, graphs, modules);
  OptimizationLevel level = optLevel == 0   ? OptimizationLevel::O0
                            : optLevel == 1 ? OptimizationLevel::O1
                            : optLevel == 2 ? OptimizationLevel::O2
                                            : OptimizationLevel::O3;
  ModulePassManager manager =
      optLevel == 0 ? builder.buildO0DefaultPipeline(level)
                    : builder.buildPerModuleDefaultPipeline(level);
  manager.run(module, modules);
}

static Expected<std::unique_ptr<MemoryBuffer>>
emitObject(Module &module, TargetMachine &machine) {
  SmallVector<char, 0> bytes;
  raw_svector_ostream stream(bytes);
  legacy::PassManager passes;
  if (machine.addPassesToEmitFile(passes, stream, nullptr,
                                  CodeGenFileType::ObjectFile))
    return createStringError("no objects can be written for " +
                             machine.getTargetTriple().str());
  passes.run(module);
  return std::make_unique<SmallVectorMemoryBuffer>(
      std::move(bytes),
      /*RequiresNullTerminator=*/false);
}

//===----------------------------------------------------------------------===//
// The cache
//===----------------------------------------------------------------------===//

/// The file of the object that is made from the module.
static std::string getCacheFile(const Module &module,
                                const TargetMachine &machine, unsigned optLevel,
                                StringRef directory) {
  std::string text;
  raw_string_ostream stream(text);
  stream << HETERO_COMPILER << " " << LLVM_VERSION_STRING << "\n"
         << machine.getTargetCPU() << "\n"
         << machine.getTargetFeatureString() << "\n"
         << optLevel << "\n";
  module.print(stream, nullptr);
  SHA256 hash;
  hash.update(text);
  SmallString<128> path(directory);
  sys::path::append(path, toHex(hash.final(), /*LowerCase=*/true) + ".o");
  return std::string(path);
}

/// The object in the file, or null if there is none that is whole.
static std::unique_ptr<MemoryBuffer> readCache(StringRef path) {
  auto buffer = MemoryBuffer::getFile(path, /*IsText=*/false,
                                      /*RequiresNullTerminator=*/false);
  if (!buffer)
    return nullptr;
  auto object =
      object::ObjectFile::createObjectFile((*buffer)->getMemBufferRef());
  if (!object) {
    consumeError(object.takeError());
    return nullptr;
  }
  return std::move(*buffer);
}

/// Written under another name first: others may read at the same time.
static void writeCache(StringRef path, const MemoryBuffer &object) {
  if (sys::fs::create_directories(sys::path::parent_path(path)))
    return;
  auto file = sys::fs::TempFile::create(path + ".%%%%%%%%");
  if (!file) {
    consumeError(file.takeError());
    return;
  }
  raw_fd_ostream stream(file->FD, /*shouldClose=*/false);
  stream << object.getBuffer();
  stream.flush();
  if (stream.has_error()) {
    stream.clear_error();
    consumeError(file->discard());
    return;
  }
  consumeError(file->keep(path));
}

namespace {
/// What becomes of a part.
struct Compiled {
  std::unique_ptr<MemoryBuffer> object;
  std::string text, error;
  bool isFromCache = false;
};
} // namespace

/// Optimizes the module and compiles it, or takes the object that was made from
/// equal code before.
static Expected<std::unique_ptr<MemoryBuffer>>
compileModule(Module &module, unsigned optLevel, StringRef cacheDirectory,
              bool &isFromCache) {
  auto machine = makeHost(optLevel);
  if (!machine)
    return machine.takeError();
  module.setTargetTriple((*machine)->getTargetTriple());
  module.setDataLayout((*machine)->createDataLayout());
  std::string path;
  if (!cacheDirectory.empty()) {
    path = getCacheFile(module, **machine, optLevel, cacheDirectory);
    if (auto object = readCache(path)) {
      isFromCache = true;
      return object;
    }
  }
  optimize(module, **machine, optLevel);
  auto object = emitObject(module, **machine);
  if (object && !path.empty())
    writeCache(path, **object);
  return object;
}

static void compilePart(ArrayRef<char> bitcode, unsigned optLevel,
                        StringRef cacheDirectory, bool keepsText,
                        Compiled &result) {
  LLVMContext context;
  MemoryBufferRef buffer(StringRef(bitcode.data(), bitcode.size()), "kernels");
  auto module = parseBitcodeFile(buffer, context);
  if (!module) {
    result.error = toString(module.takeError());
    return;
  }
  auto object =
      compileModule(**module, optLevel, cacheDirectory, result.isFromCache);
  if (!object) {
    result.error = toString(object.takeError());
    return;
  }
  result.object = std::move(*object);
  if (!keepsText || result.isFromCache)
    return;
  raw_string_ostream stream(result.text);
  (*module)->print(stream, nullptr);
}

Expected<CompiledObjects> hetero::compileToObjects(Module &module,
                                                   unsigned optLevel,
                                                   StringRef cacheDirectory,
                                                   bool keepsText) {
  std::vector<SmallVector<char, 0>> parts = divideModule(module);
  std::vector<Compiled> compiled(parts.size());
  DefaultThreadPool threads(hardware_concurrency(parts.size()));
  for (size_t i = 0; i < parts.size(); ++i)
    threads.async([&, i] {
      compilePart(parts[i], optLevel, cacheDirectory, keepsText, compiled[i]);
    });
  threads.wait();
  CompiledObjects result;
  result.areFromCache = true;
  for (Compiled &part : compiled) {
    if (!part.object)
      return createStringError(part.error);
    result.objects.push_back(std::move(part.object));
    result.areFromCache &= part.isFromCache;
    result.text += part.text;
  }
  return std::move(result);
}
