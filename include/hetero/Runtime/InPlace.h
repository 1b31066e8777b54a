//===- InPlace.h - Results in the memory of operands ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel may compute a result where an operand is that nothing reads
// afterwards: an optimizer then needs no second copy of the state. The kernel
// relies on it: for the pair {2, 0}, operand 2 and result 0 are the same
// memory, which holds the operand before the call and the result after it.

#ifndef HETERO_RUNTIME_INPLACE_H
#define HETERO_RUNTIME_INPLACE_H

#include <cstdint>
#include <vector>

namespace hetero::runtime {

/// Numbers of an operand and of a result of a kernel.
struct InPlace {
  int64_t operand = 0, result = 0;
};

/// No operand and no result is in two pairs.
using InPlaceList = std::vector<InPlace>;

} // namespace hetero::runtime

#endif // HETERO_RUNTIME_INPLACE_H
