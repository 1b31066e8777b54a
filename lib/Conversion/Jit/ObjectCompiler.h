//===- ObjectCompiler.h - LLVM IR to objects, cached ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef HETERO_LIB_CONVERSION_JIT_OBJECTCOMPILER_H
#define HETERO_LIB_CONVERSION_JIT_OBJECTCOMPILER_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"
#include <memory>
#include <string>
#include <vector>

namespace llvm {
class Module;
} // namespace llvm

namespace hetero {

struct CompiledObjects {
  std::vector<std::unique_ptr<llvm::MemoryBuffer>> objects;
  /// All of them.
  bool areFromCache = false;
  /// The optimized code, if it was asked for and compiled.
  std::string text;
};

/// Optimizes the module and compiles it for this machine, in parts (see
/// ModuleParts.h) that threads share. With a cache directory, an object that
/// was made from equal code before is taken instead.
llvm::Expected<CompiledObjects> compileToObjects(llvm::Module &module,
                                                 unsigned optLevel,
                                                 llvm::StringRef cacheDirectory,
                                                 bool keepsText);

} // namespace hetero

#endif // HETERO_LIB_CONVERSION_JIT_OBJECTCOMPILER_H
