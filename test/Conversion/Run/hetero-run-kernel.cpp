//===- hetero-run-kernel.cpp - Runs functions on raw buffers --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// hetero-run-kernel <modules> <operands> <results> [count]
//
// Imports, compiles and calls @main of each module of a file, `count` times.
// Modules are separated by `// -----`. The file of operands holds the bytes of
// the operands of all of them one after the other, each aligned to 64 bytes.
// Every loop that can be is divided among three threads.
//
// For each module a line goes to standard output: `ok`, and its results have
// been added to the file of results, or what is wrong with it. A module that
// ends the process leaves no line. What the work took goes to standard error.

#include "ModuleFile.h"
#include "hetero/Conversion/Jit/Jit.h"
#include "hetero/Runtime/Device.h"
#include "hetero/Support/LargeStack.h"
#include "hetero/Transforms/Import/Passes.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MathExtras.h"
#include <chrono>
#include <cstring>

using namespace mlir;
using hetero::fail;

static uint64_t getNumBytes(Type type) {
  auto tensor = cast<RankedTensorType>(type);
  Type element = tensor.getElementType();
  uint64_t bits = isa<ComplexType>(element) ? 2 * cast<ComplexType>(element)
                                                      .getElementType()
                                                      .getIntOrFloatBitWidth()
                                            : element.getIntOrFloatBitWidth();
  return tensor.getNumElements() * std::max<uint64_t>(1, bits / 8);
}

static std::unique_ptr<char, decltype(&std::free)> allocate(uint64_t size) {
  size = llvm::alignTo(std::max<uint64_t>(size, 64), 64);
  auto *memory = static_cast<char *>(std::aligned_alloc(64, size));
  std::memset(memory, 0xAB, size);
  return {memory, &std::free};
}

/// Null after an error.
static std::unique_ptr<hetero::Jit> compile(ModuleOp module) {
  PassManager manager(module.getContext());
  hetero::ImportOptions import;
  import.inferRoles = false;
  hetero::buildImportPipeline(manager, import);
  if (failed(manager.run(module)))
    return nullptr;
  hetero::JitOptions options;
  options.minWork = 2;
  if (const char *directory = std::getenv("HETERO_CACHE"))
    options.cacheDirectory = directory;
  if (const char *level = std::getenv("HETERO_OPT_LEVEL"))
    options.optLevel = std::atoi(level);
  if (std::getenv("HETERO_DUMP"))
    options.dump = [](StringRef stage, StringRef text) {
      std::error_code error;
      llvm::raw_fd_ostream file(
          (std::getenv("HETERO_DUMP") + ("/" + stage)).str(), error);
      file << text;
    };
  std::unique_ptr<hetero::Jit> jit = hetero::Jit::compile(module, options);
  if (!jit)
    return nullptr;
  const hetero::JitStatistics &statistics = jit->getStatistics();
  llvm::errs() << llvm::format("lower %.2f s, compile %.2f s",
                               statistics.lowerSeconds,
                               statistics.compileSeconds)
               << (statistics.isFromCache ? " (cached)" : "") << "\n";
  return jit;
}

/// Calls @main. `operands` begins with what belongs to it, which is taken off.
static void run(hetero::runtime::KernelFunction kernel,
                ArrayRef<Type> argumentTypes, ArrayRef<Type> resultTypes,
                StringRef operands, int count, llvm::raw_ostream &results) {
  std::vector<std::unique_ptr<char, decltype(&std::free)>> memory;
  std::vector<void *> buffers;
  auto add = [&](uint64_t size) {
    memory.push_back(allocate(size));
    buffers.push_back(memory.back().get());
  };
  for (Type type : argumentTypes) {
    uint64_t size = getNumBytes(type);
    add(size);
    std::memcpy(buffers.back(), operands.data(), size);
    operands = operands.drop_front(llvm::alignTo(size, 64));
  }
  size_t numOperands = buffers.size();
  for (Type type : resultTypes)
    add(getNumBytes(type));
  for (int i = 0; i < count; ++i) {
    auto began = std::chrono::steady_clock::now();
    kernel(buffers.data());
    std::chrono::duration<double> took =
        std::chrono::steady_clock::now() - began;
    llvm::errs() << llvm::format("run %.4f s\n", took.count());
  }
  for (auto [i, type] : llvm::enumerate(resultTypes)) {
    uint64_t size = getNumBytes(type);
    results.write(static_cast<char *>(buffers[numOperands + i]), size);
    results.write_zeros(llvm::alignTo(results.tell(), 64) - results.tell());
  }
}

static int runMain(int argc, char **argv) {
  if (argc < 4)
    return fail("expected: modules operands results [count]");
  auto file = hetero::ModuleFile::read(argv[1]);
  if (!file)
    return 1;
  auto operands = llvm::MemoryBuffer::getFile(argv[2], false, false);
  if (!operands)
    return fail(Twine(argv[2]) + ": " + operands.getError().message());
  std::error_code error;
  llvm::raw_fd_ostream results(argv[3], error);
  if (error)
    return fail(Twine(argv[3]) + ": " + error.message());
  int count = argc > 4 ? std::atoi(argv[4]) : 1;
  std::string message;
  ScopedDiagnosticHandler handler(
      &file->getContext(), [&](Diagnostic &diagnostic) {
        if (diagnostic.getSeverity() == DiagnosticSeverity::Error)
          message += (message.empty() ? "" : "; ") + diagnostic.str();
        return success();
      });
  StringRef rest = (*operands)->getBuffer();
  hetero::runtime::Device device("kernels", std::nullopt, /*numThreads=*/3);
  hetero::runtime::Device::Scope scope(&device);
  for (size_t i = 0; i < file->size(); ++i) {
    message.clear();
    OwningOpRef<ModuleOp> module = file->parse(i);
    if (!module)
      return fail(message);
    auto function = module->lookupSymbol<func::FuncOp>("main");
    if (!function)
      return fail("no function @main");
    SmallVector<Type> arguments(function.getArgumentTypes());
    SmallVector<Type> outputs(function.getResultTypes());
    uint64_t size = 0;
    for (Type type : arguments)
      size += llvm::alignTo(getNumBytes(type), 64);
    if (size > rest.size())
      return fail("the operands are too short");
    if (auto jit = compile(*module)) {
      run(jit->lookup("main"), arguments, outputs, rest, count, results);
      message = "ok";
    }
    rest = rest.drop_front(size);
    results.flush();
    llvm::outs() << message << "\n";
    llvm::outs().flush();
  }
  return 0;
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  return hetero::runOnLargeStack([&] { return runMain(argc, argv); });
}
