//===- Input.h - How a tool reads a file from outside -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whatever the file holds, the outcome is a module or an error message. MLIR's
// readers alone do not give that: the text parser has no limit on recursion,
// and the bytecode reader trusts the counts and indices that it reads.

#ifndef HETERO_TOOLS_INPUT_H
#define HETERO_TOOLS_INPUT_H

#include "mlir/IR/DialectRegistry.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include <memory>

namespace hetero {

/// Reads `filename`, `-` being the standard input, in a form that MLIR's own
/// readers can be given. Returns null, with an error on `errs`, when
/// - the file cannot be read,
/// - it is text beyond the limits of hetero/Support/InputLimits.h,
/// - it is a portable artifact of StableHLO, which jaxlib reads, or
/// - it is bytecode that MLIR's reader does not survive. This is found out in a
///   forked process, so reading bytecode costs twice the time.
/// Large i1 constants come out in the spelling that this MLIR parses
/// (hetero/Support/BoolLiterals.h), and bytecode of a newer MLIR as ours would
/// have written it (hetero/Tools/NewerBytecode.h).
std::unique_ptr<llvm::MemoryBuffer>
readInput(llvm::StringRef filename, const mlir::DialectRegistry &registry,
          llvm::raw_ostream &errs);

/// Whether MLIR's reader comes to an end on the bytecode in `buffer`, as a
/// forked process finds out.
bool survivesBytecode(const llvm::MemoryBuffer &buffer,
                      const mlir::DialectRegistry &registry);

} // namespace hetero

#endif // HETERO_TOOLS_INPUT_H
