//===- InputLimits.h - What input is refused unread -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// MLIR's text parser recurses into every bracket and every affine term, and
// its printer and verifier recurse into what it made of them. Nothing bounds
// that recursion, so a few hundred kilobytes of `[[[[...` end the process, as
// a few of digits keep it busy for hours. A tool that reads text from outside
// checks it here first; the limits are far above what any exporter writes.

#ifndef HETERO_SUPPORT_INPUTLIMITS_H
#define HETERO_SUPPORT_INPUTLIMITS_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/MemoryBufferRef.h"
#include "llvm/Support/raw_ostream.h"
#include <optional>
#include <string>

namespace hetero {

/// Brackets of any kind that may be open at one place of the text.
inline constexpr unsigned maxNesting = 1000;

/// Characters between the brackets of an `affine_map<...>` or
/// `affine_set<...>`: its parser recurses on each term, its simplifier needs
/// time that grows with their square.
inline constexpr unsigned maxAffineLength = 8192;

/// Characters of a number: MLIR reads one in time that grows with the cube of
/// its length.
inline constexpr unsigned maxNumberLength = 1000;

/// The result number in `%name#number`: the parser keeps a table of that size
/// for each name.
inline constexpr unsigned maxResultNumber = 65535;

/// Why a text is refused, and where.
struct InputProblem {
  size_t offset;
  std::string message;
};

/// Returns the first place where `text` exceeds a limit, or has a complex
/// element in a `dense<...>` of another type (MLIR's parser would read elements
/// that are not there), if there is one. Comments and strings do not count.
/// A character with code 0 anywhere is a problem: MLIR's lexer skips it, and
/// would take a file of zeros for an empty module.
/// Bytecode is not text: it has no problem.
std::optional<InputProblem> findInputProblem(llvm::StringRef text);

/// Reports the problem of `buffer`, if it has one, as `<name>:<line>:<column>:
/// error: ...` and returns true.
bool reportInputProblem(llvm::MemoryBufferRef buffer, llvm::raw_ostream &os);

} // namespace hetero

#endif // HETERO_SUPPORT_INPUTLIMITS_H
