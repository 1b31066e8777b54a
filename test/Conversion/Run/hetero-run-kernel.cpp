//===- hetero-run-kernel.cpp - Runs one function on raw buffers -----------===//
//
// Part of the hetero project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// hetero-run-kernel <module> <function> <operands> <results> [count]
//
// Compiles a module and calls a function of it `count` times. The file of
// operands holds their bytes one after the other, each aligned to 64 bytes; the
// results are written likewise. What it took goes to standard error.
//
//===----------------------------------------------------------------------===//

#include "hetero/Conversion/Jit.h"
#include "hetero/InitAll.h"
#include "hetero/Support/LargeStack.h"
#include "hetero/Tools/Input.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/SourceMgr.h"
#include <chrono>
#include <cstring>

using namespace mlir;

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

static int fail(const Twine &message) {
  llvm::errs() << "error: " << message << "\n";
  return 1;
}

static int runMain(int argc, char **argv) {
  if (argc < 5)
    return fail("expected: module function operands results [count]");
  DialectRegistry registry;
  hetero::registerAllDialects(registry);
  auto input = hetero::readInput(argv[1], registry, llvm::errs());
  if (!input)
    return 1;
  MLIRContext context(registry);
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(std::move(input), SMLoc());
  SourceMgrDiagnosticHandler handler(sources, &context);
  auto module = parseSourceFile<ModuleOp>(sources, &context);
  if (!module)
    return 1;
  auto function = module->lookupSymbol<func::FuncOp>(argv[2]);
  if (!function)
    return fail(Twine("no function @") + argv[2]);
  hetero::JitOptions options;
  if (const char *directory = std::getenv("HETERO_CACHE"))
    options.cacheDirectory = directory;
  if (std::getenv("HETERO_DUMP"))
    options.dump = [](StringRef stage, StringRef text) {
      std::error_code error;
      llvm::raw_fd_ostream file(
          (std::getenv("HETERO_DUMP") + ("/" + stage)).str(), error);
      file << text;
    };
  auto jit = hetero::Jit::compile(*module, options);
  if (!jit)
    return 1;
  const hetero::JitStatistics &statistics = jit->getStatistics();
  llvm::errs() << llvm::format("lower %.2f s, compile %.2f s",
                               statistics.lowerSeconds,
                               statistics.compileSeconds)
               << (statistics.isFromCache ? " (cached)" : "") << "\n";

  auto operands = llvm::MemoryBuffer::getFile(argv[3], false, false);
  if (!operands)
    return fail(Twine(argv[3]) + ": " + operands.getError().message());
  std::vector<std::unique_ptr<char, decltype(&std::free)>> memory;
  std::vector<void *> buffers;
  uint64_t position = 0;
  for (Type type : function.getArgumentTypes()) {
    uint64_t size = getNumBytes(type);
    if (position + size > (*operands)->getBufferSize())
      return fail("the operands are too short");
    memory.push_back(allocate(size));
    std::memcpy(memory.back().get(), (*operands)->getBufferStart() + position,
                size);
    buffers.push_back(memory.back().get());
    position = llvm::alignTo(position + size, 64);
  }
  size_t numOperands = buffers.size();
  for (Type type : function.getResultTypes()) {
    memory.push_back(allocate(getNumBytes(type)));
    buffers.push_back(memory.back().get());
  }
  int count = argc > 5 ? std::atoi(argv[5]) : 1;
  for (int i = 0; i < count; ++i) {
    auto began = std::chrono::steady_clock::now();
    jit->lookup(argv[2])(buffers.data());
    std::chrono::duration<double> took =
        std::chrono::steady_clock::now() - began;
    llvm::errs() << llvm::format("run %.4f s\n", took.count());
  }
  std::error_code error;
  llvm::raw_fd_ostream results(argv[4], error);
  if (error)
    return fail(Twine(argv[4]) + ": " + error.message());
  for (auto [i, type] : llvm::enumerate(function.getResultTypes())) {
    uint64_t size = getNumBytes(type);
    results.write(static_cast<char *>(buffers[numOperands + i]), size);
    results.write_zeros(llvm::alignTo(results.tell(), 64) - results.tell());
  }
  return 0;
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  return hetero::runOnLargeStack([&] { return runMain(argc, argv); });
}
