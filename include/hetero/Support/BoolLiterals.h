//===- BoolLiterals.h - Two spellings of large i1 constants -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// MLIR prints a constant of more than a hundred elements as a hex string. For
// i1 there are two conventions in the wild: eight elements in a byte, lowest
// bit first (MLIR 22 and older), and one byte an element (newer MLIR, and so
// the StableHLO inside jaxlib). Neither parser reads the other's:
//
//   dense<"0x0301...">  : tensor<200xi1>      25 bytes, packed
//   dense<"0x010100..."> : tensor<200xi1>    200 bytes, expanded
//
// These two functions translate text between them. They look only at literals
// of the form `dense<"0x...">` that are followed by ` : tensor<...xi1>` (or a
// vector type), with exactly the number of digits of the other convention;
// everything else is left alone, so reading either spelling is safe.

#ifndef HETERO_SUPPORT_BOOLLITERALS_H
#define HETERO_SUPPORT_BOOLLITERALS_H

#include "llvm/ADT/StringRef.h"
#include <optional>
#include <string>

namespace hetero {

/// Returns `text` with every expanded i1 literal packed, as this MLIR parses
/// them; nothing when there is none, so that the common case copies nothing.
/// No line is added or removed: diagnostics keep their line numbers.
std::optional<std::string> packBoolLiterals(llvm::StringRef text);

/// The inverse: every packed i1 literal expanded, as jaxlib reads them.
std::optional<std::string> expandBoolLiterals(llvm::StringRef text);

} // namespace hetero

#endif // HETERO_SUPPORT_BOOLLITERALS_H
