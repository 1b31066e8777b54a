//===- RepeatedBlocks.h - What repeats in a model ---------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the blocks of a model: pieces of the forward that are equal and follow
// each other. Nothing but the operations is needed for that; where JAX has left
// its name stack in the locations, it says what the user calls them.
//
// The idea
// --------
// The forward is a sequence of tokens, one for each operation: its name,
// attributes and types. Blocks of period p are a run of positions i with
// token[i] == token[i + p]. Periods worth a look are the distances from one
// window of tokens to the next equal one; of their runs the one with the most
// work is taken, and what lies before and behind it is searched in turn.
//
// Where in its period a block begins is not in the tokens: it begins where the
// fewest bytes cross, which for transformers and residual networks is the
// residual stream. Where that is so twice in a block (behind attention and
// behind the multi-layer perceptron) the name stack decides, then the first.
//
// A worked example, with d for dot_general, b for add, r for maximum:
//
//   e d b r d b r d b r s       e: embedding, s: reduction to the loss
//     |-----|-----|-----|       one run: begin 1, period 3, count 3

#ifndef HETERO_ANALYSIS_REPEATEDBLOCKS_H
#define HETERO_ANALYSIS_REPEATEDBLOCKS_H

#include "mlir/IR/Operation.h"

namespace hetero {

/// Equal blocks that follow each other in a sequence.
struct BlockRun {
  size_t begin = 0, period = 0, count = 0;
  size_t end() const { return begin + period * count; }
};

/// What is known of the operations of a sequence, one entry each.
struct OpSequence {
  llvm::SmallVector<mlir::Operation *> ops;
  /// The work of all operations up to this one, and it.
  llvm::SmallVector<uint64_t> workUpTo;
  /// The bytes that are alive behind it.
  llvm::SmallVector<uint64_t> crossing;

  /// The work of the operations from `begin` to before `end`.
  uint64_t getWork(size_t begin, size_t end) const {
    return end == 0
               ? 0
               : workUpTo[end - 1] - (begin == 0 ? 0 : workUpTo[begin - 1]);
  }
};

/// A number that equal operations share: their name, attributes, types and
/// regions are the same. What their operands are does not matter.
uint64_t getToken(mlir::Operation *op);

/// The runs of blocks in a sequence, in order, that have a part of its work
/// worth cutting and between whose blocks about equally much is alive. Takes
/// O(n) for each run.
llvm::SmallVector<BlockRun> findBlocks(const OpSequence &sequence);

/// Where the user's program made an operation, as JAX's name stack says it in
/// the location: "GPT/h_3/attn" for "jit(step)/jvp(GPT)/h_3/attn/dot_general".
/// Transformations, functions and loops are left out; empty if nothing is left.
std::string getScope(mlir::Location location);

/// The scope that two thirds of the work of some operations are in, the longest
/// one.
std::string getScope(llvm::ArrayRef<mlir::Operation *> ops);

} // namespace hetero

#endif // HETERO_ANALYSIS_REPEATEDBLOCKS_H
