//===- Jit.cpp - Kernels as functions of this process ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Conversion/Jit/Jit.h"
#include "ObjectCompiler.h"
#include "hetero/Conversion/Cuda/Passes.h"
#include "hetero/Conversion/Kernels/Passes.h"
#include "hetero/Conversion/Programs/RuntimePrograms.h"
#include "hetero/Runtime/Contraction.h"
#include "hetero/Runtime/Cuda.h"
#include "hetero/Runtime/Fft.h"
#include "hetero/Runtime/Hooks.h"
#include "hetero/Runtime/Lapack.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/ExecutionEngine/Orc/AbsoluteSymbols.h"
#include "llvm/ExecutionEngine/Orc/ExecutionUtils.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include <chrono>
#include <cstdlib>
#include <cstring>

using namespace mlir;
using namespace hetero;
using runtime::InPlaceList;

static void *allocateFromHeap(uint64_t size) {
  // Kernels expect alignment to 64 bytes, and sizes that fit it.
  return std::aligned_alloc(64, (std::max<uint64_t>(size, 1) + 63) / 64 * 64);
}

/// What LLVM calls to round an f32 to a bf16, which older versions of its
/// library do not have. The bits are the low half of a register of floats.
static float roundToBFloat(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  bool isNaN = (bits & 0x7FFFFFFF) > 0x7F800000;
  bits = isNaN ? (bits >> 16) | 0x40 : (bits + 0x7FFF + (bits >> 16 & 1)) >> 16;
  float result;
  std::memcpy(&result, &bits, sizeof(result));
  return result;
}

static float roundDoubleToBFloat(double value) {
  return roundToBFloat(float(value));
}

static double now() {
  using Clock = std::chrono::steady_clock;
  return std::chrono::duration<double>(Clock::now().time_since_epoch()).count();
}

//===----------------------------------------------------------------------===//
// Lowering
//===----------------------------------------------------------------------===//

/// Removes what is there for planners alone: clusters, meshes, plans, and
/// attributes of arguments and results, but the marks of last uses.
static void removePlanning(ModuleOp module) {
  for (Operation &op : llvm::make_early_inc_range(*module.getBody())) {
    if (auto function = dyn_cast<func::FuncOp>(op)) {
      llvm::SmallBitVector lastUses(function.getNumArguments());
      for (unsigned i = 0; i < lastUses.size(); ++i)
        lastUses[i] = bool(function.getArgAttr(i, kLastUseAttr));
      function.removeArgAttrsAttr();
      function.removeResAttrsAttr();
      for (unsigned i : lastUses.set_bits())
        function.setArgAttr(i, kLastUseAttr,
                            UnitAttr::get(module.getContext()));
      continue;
    }
    StringRef dialect = op.getName().getDialectNamespace();
    if (dialect == "hetero" || dialect == "sdy")
      op.erase();
  }
}

/// Removes functions that equal an earlier one but for the name. `targets` maps
/// the name of each function to the one that stands for it.
static void deduplicate(ModuleOp module,
                        llvm::StringMap<std::string> &targets) {
  llvm::StringMap<std::string> known;
  for (auto function :
       llvm::make_early_inc_range(module.getOps<func::FuncOp>())) {
    if (function.isExternal())
      continue;
    std::string name = function.getName().str();
    function.setPublic();
    function.setName("kernel");
    std::string text;
    llvm::raw_string_ostream stream(text);
    function.print(stream, OpPrintingFlags().useLocalScope());
    function.setName(name);
    auto [entry, isNew] = known.try_emplace(text, name);
    targets[name] = entry->second;
    if (!isNew)
      function.erase();
  }
}

/// The module lowered to the LLVM dialect, in place.
static LogicalResult lower(ModuleOp module, const JitOptions &options) {
  PassManager manager(module.getContext());
  if (options.cudaArchitectures.empty()) {
    CpuPipelineOptions cpu;
    cpu.probes = options.probes;
    cpu.minWork = options.minWork;
    buildCpuPipeline(manager, cpu);
  } else {
    CudaPipelineOptions cuda;
    cuda.arch = options.cudaArchitectures;
    cuda.format = options.cudaFormat;
    cuda.toolkit = options.cudaToolkit;
    cuda.probes = options.probes;
    buildCudaPipeline(manager, cuda);
  }
  // Once at the end, not after each pass.
  manager.enableVerifier(false);
  return failure(failed(manager.run(module)) || failed(verify(module)));
}

/// Takes from each kernel which results are computed in operands.
static llvm::StringMap<InPlaceList> takeInPlace(ModuleOp module) {
  llvm::StringMap<InPlaceList> lists;
  for (auto function : module.getOps<LLVM::LLVMFuncOp>()) {
    auto numbers = function->getAttrOfType<DenseI64ArrayAttr>(kInPlaceAttr);
    if (!numbers)
      continue;
    StringRef name = function.getName();
    name.consume_back(".impl");
    for (int64_t i = 0; i + 1 < numbers.size(); i += 2)
      lists[name].push_back({numbers[i], numbers[i + 1]});
    function->removeAttr(kInPlaceAttr);
  }
  return lists;
}

static void dumpText(const JitOptions &options, StringRef stage,
                     llvm::function_ref<void(raw_ostream &)> print) {
  if (!options.dump)
    return;
  std::string text;
  llvm::raw_string_ostream stream(text);
  print(stream);
  options.dump(stage, text);
}

//===----------------------------------------------------------------------===//
// Linking
//===----------------------------------------------------------------------===//

/// Makes what kernels call known to the linker.
static llvm::Error addSymbols(llvm::orc::LLJIT &jit,
                              const JitOptions &options) {
  llvm::StringMap<void *> symbols = options.symbols;
  auto addDefault = [&](StringRef name, auto *function) {
    symbols.try_emplace(name, reinterpret_cast<void *>(function));
  };
  addDefault("hetero_workspace_alloc", &allocateFromHeap);
  addDefault("hetero_workspace_free", &std::free);
  addDefault("hetero_parallel_for", &hetero_parallel_for);
  addDefault("hetero_contract_f32", &hetero_contract_f32);
  addDefault("hetero_contract_f64", &hetero_contract_f64);
  addDefault("__truncsfbf2", &roundToBFloat);
  addDefault("__truncdfbf2", &roundDoubleToBFloat);
  addDefault("hetero_fft", &hetero_fft);
  addDefault("hetero_lapack", &hetero_lapack);
  addDefault("hetero_cuda_launch", &hetero_cuda_launch);
  addDefault("hetero_cuda_gemm", &hetero_cuda_gemm);
  addDefault("hetero_cuda_fft", &hetero_cuda_fft);
  addDefault("hetero_cuda_lapack", &hetero_cuda_lapack);
  addDefault("hetero_cuda_copy", &hetero_cuda_copy);
  addDefault("hetero_cuda_read", &hetero_cuda_read);
  addDefault("hetero_cuda_constant", &hetero_cuda_constant);
  addDefault("hetero_cuda_alloc", &hetero_cuda_alloc);
  addDefault("hetero_cuda_free", &hetero_cuda_free);
  llvm::orc::SymbolMap map;
  for (const auto &symbol : symbols)
    map[jit.mangleAndIntern(symbol.getKey())] = {
        llvm::orc::ExecutorAddr::fromPtr(symbol.getValue()),
        llvm::JITSymbolFlags::Exported};
  llvm::orc::JITDylib &library = jit.getMainJITDylib();
  if (llvm::Error error = library.define(llvm::orc::absoluteSymbols(map)))
    return error;
  char prefix = jit.getDataLayout().getGlobalPrefix();
  auto process =
      llvm::orc::DynamicLibrarySearchGenerator::GetForCurrentProcess(prefix);
  if (!process)
    return process.takeError();
  library.addGenerator(std::move(*process));
  // The vectorized functions of the mathematics library, where there is one;
  // and what a process that has loaded this code as a plug-in, as Python does,
  // need not see by itself: the library, and helpers of the compiler.
  for (const char *name : {"libmvec.so.1", "libm.so.6", "libgcc_s.so.1"}) {
    auto more = llvm::orc::DynamicLibrarySearchGenerator::Load(name, prefix);
    if (more)
      library.addGenerator(std::move(*more));
    else
      llvm::consumeError(more.takeError());
  }
  return llvm::Error::success();
}

Jit::Jit() = default;
Jit::~Jit() = default;

runtime::KernelFunction Jit::lookup(StringRef name) const {
  return functions.lookup(name);
}

runtime::InPlaceList Jit::getInPlace(StringRef name) const {
  return inPlace.lookup(name);
}

std::unique_ptr<Jit> Jit::compile(ModuleOp original,
                                  const JitOptions &options) {
  auto report = [&](llvm::Error error) {
    original.emitError() << "cannot be compiled for this machine: "
                         << llvm::toString(std::move(error));
    return nullptr;
  };
  auto progress = [&](StringRef phase) {
    if (options.progress)
      options.progress(phase);
  };
  std::unique_ptr<Jit> result(new Jit());
  double began = now();
  progress("lowering");
  MLIRContext *context = original.getContext();
  DialectRegistry registry;
  registerKernelDialects(registry);
  registerCudaDialects(registry);
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  context->appendDialectRegistry(registry);
  context->loadAllAvailableDialects();
  OwningOpRef<ModuleOp> module = original.clone();
  removePlanning(*module);
  llvm::StringMap<std::string> targets;
  deduplicate(*module, targets);
  if (failed(lower(*module, options)))
    return nullptr;
  llvm::StringMap<InPlaceList> inPlace = takeInPlace(*module);
  dumpText(options, "llvm-dialect",
           [&](raw_ostream &os) { module->print(os); });
  llvm::LLVMContext llvmContext;
  std::unique_ptr<llvm::Module> code =
      translateModuleToLLVMIR(*module, llvmContext, "kernels");
  if (!code)
    return nullptr;
  module = {};
  double lowered = now();

  progress("optimizing");
  dumpText(options, "llvm", [&](raw_ostream &os) { code->print(os, nullptr); });
  auto compiled = compileToObjects(*code, options.optLevel,
                                   options.cacheDirectory, bool(options.dump));
  if (!compiled)
    return report(compiled.takeError());
  code.reset();
  result->statistics.isFromCache = compiled->areFromCache;
  dumpText(options, "optimized-llvm",
           [&](raw_ostream &os) { os << compiled->text; });

  progress("linking");
  auto jit = llvm::orc::LLJITBuilder().create();
  if (!jit)
    return report(jit.takeError());
  if (llvm::Error error = addSymbols(**jit, options))
    return report(std::move(error));
  for (std::unique_ptr<llvm::MemoryBuffer> &object : compiled->objects)
    if (llvm::Error error = (*jit)->addObjectFile(std::move(object)))
      return report(std::move(error));
  for (const auto &target : targets) {
    auto address = (*jit)->lookup(target.getValue());
    if (!address)
      return report(address.takeError());
    result->functions[target.getKey()] =
        address->toPtr<runtime::KernelFunction>();
    result->inPlace[target.getKey()] = inPlace.lookup(target.getValue());
  }
  result->jit = std::move(*jit);
  result->statistics.numKernels = targets.size();
  result->statistics.lowerSeconds = lowered - began;
  result->statistics.compileSeconds = now() - lowered;
  return result;
}
