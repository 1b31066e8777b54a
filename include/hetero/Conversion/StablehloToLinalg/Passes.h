//===- Passes.h - From StableHLO to loops -----------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef HETERO_CONVERSION_STABLEHLOTOLINALG_PASSES_H
#define HETERO_CONVERSION_STABLEHLOTOLINALG_PASSES_H

#include "hetero/Dialect/Hetero/HeteroDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace hetero {

/// On a linalg.generic: it sums products, see `hetero-lower-contractions`.
inline constexpr llvm::StringLiteral kContractionAttr = "hetero.contraction";

/// On an scf.for: iterations that differ in its index write different elements.
inline constexpr llvm::StringLiteral kParallelAttr = "hetero.parallel";

#define GEN_PASS_DECL
#include "hetero/Conversion/StablehloToLinalg/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "hetero/Conversion/StablehloToLinalg/Passes.h.inc"

} // namespace hetero

#endif // HETERO_CONVERSION_STABLEHLOTOLINALG_PASSES_H
