//===- Loops.h - Counted loops ----------------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `lax.scan` and `lax.fori_loop` become a `stablehlo.while` that counts:
//
//   %r:2 = stablehlo.while(%i = %c0, %x = %x0) : tensor<i32>, tensor<4xf32>
//   cond { %p = stablehlo.compare LT, %i, %c12 ; return %p }
//   do   { ... ; %j = stablehlo.add %i, %c1 ; return %j, ... }

#ifndef HETERO_ANALYSIS_LOOPS_H
#define HETERO_ANALYSIS_LOOPS_H

#include <cstdint>
#include <optional>

namespace mlir::stablehlo {
class WhileOp;
} // namespace mlir::stablehlo

namespace hetero {

/// A loop whose carried value number `counter` runs from `first` by `step`,
/// `tripCount` times.
struct CountedLoop {
  unsigned counter;
  int64_t first;
  int64_t step;
  int64_t tripCount;
};

/// Recognises a counted loop with a constant, finite trip count.
std::optional<CountedLoop> matchCountedLoop(mlir::stablehlo::WhileOp loop);

} // namespace hetero

#endif // HETERO_ANALYSIS_LOOPS_H
