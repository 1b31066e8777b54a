//===- KernelMemory.h - What a kernel takes in memory -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The only answer to the questions which result of a kernel is computed in the
// memory of which operand, and how much a kernel needs beside its operands and
// results. The check of memory asks it about kernels that are not made yet; the
// lowering asks it about each kernel before it makes loops, and then does what
// was decided: `hetero-plan-memory` checks each pair on the buffers that came
// out, and counts those that it has to refuse.
//
// The idea
// --------
// What the fusion plan stores is a buffer, from the operation that makes it to
// the last loop that reads it. A loop reads at the place of its root: what is
// fused between a buffer and a root keeps the buffer in use. Reshapes, slices
// at computed places and barriers are other names of a buffer. Operations that
// are lowered with copies (padded inputs of convolutions, 16-bit operands of
// products in f32) have them as long as they last.
//
// A value that is returned is computed where its result is, if one operation
// makes all of it; else it is a temporary, and copied at the end. A result is
// computed in the memory of an operand of its type that has its last use here
//
//   * if the operation that writes it reads the operand element by element at
//     the same places, and nothing reads the operand later, or
//   * if nothing reads the operand any more when the result is written first.
//
// The temporaries share one block: see placeBlocks.
//
//   func.func @update(%w, %g) {           the last use of %w, not of %g
//     %h = multiply %g, %half             fused
//     %n = subtract %w, %h                reads %w at its own places
//     %t = transpose %n                   stored: dot_general reads a tensor
//     %d = dot_general %t, %t
//     return %n, %d
//   }
//
// %n is computed in the memory of %w: {operand 0, result 0}. If %t were stored,
// it would be the workspace; dot_general reads %n through it instead, and the
// workspace is empty.
//
// What is not known here: loops that hetero-merge-loops moves down keep what
// they read for longer. They may not raise the most that is in use at once, but
// places can be taken otherwise.

#ifndef HETERO_ANALYSIS_KERNELMEMORY_H
#define HETERO_ANALYSIS_KERNELMEMORY_H

#include "hetero/Analysis/Fusion.h"
#include "hetero/Runtime/Program.h"
#include "llvm/ADT/SmallBitVector.h"

namespace hetero {

struct KernelMemory {
  runtime::InPlaceList inPlace;
  /// Bytes of the block of temporaries, and of those of loops and branches.
  int64_t workspace = 0;
};

/// `lastUses` has the operands that no call of the kernel needs afterwards.
KernelMemory getKernelMemory(const Kernel &kernel, const FusionPlan &plan,
                             const llvm::SmallBitVector &lastUses);

/// A part of a block of memory that is in use from one moment to another, both
/// included.
struct PlacedBlock {
  int64_t size = 0, first = 0, last = 0;
  int64_t offset = 0;
};

/// Temporaries start at multiples of this, and sizes are rounded up to it.
constexpr int64_t temporaryAlignment = 64;

/// Gives each part the lowest place that no other one has at the same time, the
/// largest first. Returns the size of all.
int64_t placeBlocks(llvm::MutableArrayRef<PlacedBlock> blocks);

} // namespace hetero

#endif // HETERO_ANALYSIS_KERNELMEMORY_H
