//===- Elements.h - Combining arrays element by element ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The arithmetic of reductions between ranks, on the host. It is that of
// StableHLO: integers wrap, `max` and `min` of floats give NaN if one of them
// is and take +0 for greater than -0, half precision is rounded after every
// step, and the sum of booleans is `or`.
//
// Combining is done in the order of members by everybody, so all transports
// give the same bits.

#ifndef HETERO_RUNTIME_ELEMENTS_H
#define HETERO_RUNTIME_ELEMENTS_H

#include "hetero/Runtime/Program.h"

namespace hetero::runtime {

/// Whether there is such a reduction: `and` and `or` are not of floats, `max`
/// and `min` not of complex numbers.
bool isDefined(Reduction reduction, ElementType type);

/// sum[i] := sum[i] op value[i]. The arrays do not overlap. Only for defined
/// reductions.
void combine(Reduction reduction, ElementType type, const void *value,
             void *sum, int64_t count);

/// data[i] := the value that changes nothing in `reduction`.
void fillNeutral(Reduction reduction, ElementType type, void *data,
                 int64_t count);

} // namespace hetero::runtime

#endif // HETERO_RUNTIME_ELEMENTS_H
