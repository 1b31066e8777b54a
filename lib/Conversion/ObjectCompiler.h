//===- ObjectCompiler.h - LLVM IR to objects, cached ------------*- C++ -*-===//
//
// Part of the hetero project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HETERO_LIB_CONVERSION_OBJECTCOMPILER_H
#define HETERO_LIB_CONVERSION_OBJECTCOMPILER_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"
#include <memory>

namespace llvm {
class Module;
} // namespace llvm

namespace hetero {

/// Optimizes the module and compiles it for this machine. With a cache
/// directory, an object that was made from equal code before is returned
/// instead, and `isFromCache` is set; the module is then left as it is.
llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
compileToObject(llvm::Module &module, unsigned optLevel,
                llvm::StringRef cacheDirectory, bool &isFromCache);

} // namespace hetero

#endif // HETERO_LIB_CONVERSION_OBJECTCOMPILER_H
