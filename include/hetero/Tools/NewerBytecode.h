//===- NewerBytecode.h - Bytecode of a newer MLIR ---------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// jaxlib is built with an MLIR that is newer than ours. The bytecode has the
// same version, but its builtin dialect numbers types that ours spells out: the
// floating-point types of 8 bits and less, and tf32.

#ifndef HETERO_TOOLS_NEWERBYTECODE_H
#define HETERO_TOOLS_NEWERBYTECODE_H

#include "mlir/Bytecode/BytecodeReaderConfig.h"
#include "mlir/IR/DialectRegistry.h"
#include "llvm/Support/MemoryBuffer.h"
#include <memory>

namespace hetero {

/// Lets a reader with this configuration understand the newer types.
void readNewerTypes(mlir::BytecodeReaderConfig &config);

/// The same module as this MLIR would write it; null when `bytecode` was not
/// written by a newer MLIR, or cannot be read anyhow. `bytecode` must be known
/// to be survivable.
std::unique_ptr<llvm::MemoryBuffer>
rewriteNewerBytecode(const llvm::MemoryBuffer &bytecode,
                     const mlir::DialectRegistry &registry);

} // namespace hetero

#endif // HETERO_TOOLS_NEWERBYTECODE_H
