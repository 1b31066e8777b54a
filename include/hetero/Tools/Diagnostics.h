//===- Diagnostics.h - Errors of one line -----------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// MLIR's own handler quotes the line that an error is about. In a step that is
// the signature of a function, or a constant, with up to millions of
// characters.

#ifndef HETERO_TOOLS_DIAGNOSTICS_H
#define HETERO_TOOLS_DIAGNOSTICS_H

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/DialectRegistry.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

namespace hetero {

/// Prints one line for a diagnostic and each of its notes:
///
///   step.mlir:13:3: error: has no argument with the role 'batch', ...
///
/// An error that has no place in a file is one of `file`.
void printDiagnostic(mlir::Diagnostic &diagnostic, llvm::raw_ostream &os,
                     llvm::StringRef file = {});

/// Makes contexts of `registry` print diagnostics about lines of `input` in
/// this way if they are longer than 2,000 characters. The handler is added to a
/// context when it loads the dialect of functions, so it comes after, and is
/// asked before, those of MLIR's tools.
void keepErrorsShort(mlir::DialectRegistry &registry,
                     const llvm::MemoryBuffer &input);

} // namespace hetero

#endif // HETERO_TOOLS_DIAGNOSTICS_H
