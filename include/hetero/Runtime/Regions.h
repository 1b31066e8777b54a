//===- Regions.h - Parts of row-major arrays --------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies between a whole tensor of the step and the part of it that a rank has.
//
// A worked example: of a 4x6 tensor, a rank with rows [1, 3) and columns
// [0, 2) and [4, 5) has the 2x3 tensor
//
//     whole    0  1  2  3  4  5        local    6  7 10
//              6  7  8  9 10 11                12 13 16
//             12 13 14 15 16 17
//             18 19 20 21 22 23
//
// `scatterInto` makes local from whole; `gatherFrom` writes local back into the
// same places of whole.

#ifndef HETERO_RUNTIME_REGIONS_H
#define HETERO_RUNTIME_REGIONS_H

#include "hetero/Runtime/Error.h"
#include "hetero/Runtime/Program.h"

namespace hetero::runtime {

/// The region that is all of `type`.
Region wholeOf(const TensorType &type);

/// Checks that `region` has ascending disjoint ranges of as many indices as
/// `local` has in each dimension.
MaybeError checkRegion(const Region &region, const TensorType &local);

/// Checks also that it lies within `whole`, of the same element type.
MaybeError checkRegion(const Region &region, const TensorType &local,
                       const TensorType &whole);

/// Copies the part of `whole` at `region` into `local`, densely. The region
/// must have passed `checkRegion`.
void scatterInto(void *local, const Region &region, const void *whole,
                 const TensorType &wholeType);

/// Copies `local` to its place in `whole`.
void gatherFrom(const void *local, const Region &region, void *whole,
                const TensorType &wholeType);

} // namespace hetero::runtime

#endif // HETERO_RUNTIME_REGIONS_H
