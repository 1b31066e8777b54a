//===- Jit.h - Kernels as functions of this process -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiles the functions of a module, StableHLO over tensors, for this machine
// and makes them callable.
//
//   JitOptions options;
//   options.cacheDirectory = "cache";
//   std::unique_ptr<Jit> jit = Jit::compile(module, options);
//   if (!jit)
//     return failure();            // the diagnostics have been emitted
//   void *buffers[] = {x, w, y};   // operands, then results
//   jit->lookup("layer")(buffers);
//
// What the functions look like to their callers is in
// hetero/Conversion/Kernels/Passes.h. Functions that are equal but for their
// names are compiled once; objects are kept in the cache directory under a hash
// of the code that they were made from, the machine, and the versions of hetero
// and LLVM.
//
// `compile` may be called from several threads, each with a context of its own.
// Compiled functions are reentrant; they live as long as the Jit.

#ifndef HETERO_CONVERSION_JIT_JIT_H
#define HETERO_CONVERSION_JIT_JIT_H

#include "hetero/Runtime/Program.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringMap.h"
#include <functional>
#include <memory>
#include <string>

namespace llvm::orc {
class LLJIT;
} // namespace llvm::orc

namespace hetero {

struct JitOptions {
  /// LLVM's, 0 to 3.
  unsigned optLevel = 2;
  /// Where objects are kept; nowhere if empty. It is made if it is missing, and
  /// a file that cannot be read or written is only not reused.
  std::string cacheDirectory;
  /// Architectures of CUDA devices, such as "sm_80": kernels then run on these
  /// and take buffers there; see hetero/Runtime/Cuda.h. Without, on this
  /// machine.
  std::vector<std::string> cudaArchitectures;
  /// Operations on elements that a loop must have to be divided among threads.
  int64_t minWork = 65536;
  /// What kernels for CUDA become: "cubin" or "ptx".
  std::string cudaFormat = "cubin";
  /// The directory of the CUDA toolkit; searched for if empty.
  std::string cudaToolkit;
  /// Kernels tell `hetero_probe_begin` and `hetero_probe_end` what they do.
  bool probes = false;
  /// Is told what happens next: "lowering", "optimizing", "linking".
  std::function<void(llvm::StringRef phase)> progress;
  /// Is given the code at "llvm-dialect", "llvm" and "optimized-llvm".
  std::function<void(llvm::StringRef stage, llvm::StringRef text)> dump;
  /// Functions that kernels may call besides those of the C library. Without
  /// an entry, `hetero_workspace_alloc` and `hetero_workspace_free` use the
  /// heap, `hetero_parallel_for` is that of hetero/Runtime/Hooks.h, and
  /// `hetero_contract_*` are those of hetero/Runtime/Contraction.h.
  llvm::StringMap<void *> symbols;
};

/// What a compilation did.
struct JitStatistics {
  unsigned numKernels = 0;
  bool isFromCache = false;
  double lowerSeconds = 0.0;
  double compileSeconds = 0.0;
};

class Jit {
public:
  ~Jit();

  /// Compiles every function with a body. The module itself is not changed.
  /// Null after an error through the diagnostics of its context.
  static std::unique_ptr<Jit> compile(mlir::ModuleOp module,
                                      const JitOptions &options = {});

  /// The function of that name, or null.
  runtime::KernelFunction lookup(llvm::StringRef name) const;

  /// The results that the function computes in the memory of operands, whose
  /// last use it is (`kLastUseAttr`): its list of buffers has the same pointer
  /// for both.
  runtime::InPlaceList getInPlace(llvm::StringRef name) const;

  const JitStatistics &getStatistics() const { return statistics; }

private:
  Jit();

  std::unique_ptr<llvm::orc::LLJIT> jit;
  llvm::StringMap<runtime::KernelFunction> functions;
  llvm::StringMap<runtime::InPlaceList> inPlace;
  JitStatistics statistics;
};

} // namespace hetero

#endif // HETERO_CONVERSION_JIT_JIT_H
