//===- LargeStack.h - Room for deep recursion -------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// MLIR recurses over nested attributes, types, locations and regions. Limits on
// the text (hetero/Support/InputLimits.h) do not see the depth that aliases,
// bytecode and passes build up, so the tools also run on a stack of their own
// and turn its exhaustion into an error.

#ifndef HETERO_SUPPORT_LARGESTACK_H
#define HETERO_SUPPORT_LARGESTACK_H

#include "llvm/ADT/STLFunctionalExtras.h"

namespace hetero {

/// Runs `body` on a thread with a stack of 256 MiB, which takes memory only as
/// it is used, and returns its result. When that stack is exhausted the process
/// prints an error and exits with code 1; unfinished output files are removed.
/// Other faults keep their handlers. Under AddressSanitizer, which reports
/// exhaustion itself, only the large stack remains. One call at a time.
int runOnLargeStack(llvm::function_ref<int()> body);

} // namespace hetero

#endif // HETERO_SUPPORT_LARGESTACK_H
