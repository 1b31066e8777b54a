//===- Leaks.h - What a program has not given back --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// With the setting leaks=refuse a process that ends by itself must have given
// back all that it was given. A call that is made to fail counts: who has tried
// has nothing more to do. All of this needs the lock of the engine.

#ifndef HETERO_TEST_CUDA_STANDIN_LEAKS_H
#define HETERO_TEST_CUDA_STANDIN_LEAKS_H

namespace hetero::standin {

enum class Thing {
  Allocation,
  PinnedBlock,
  Stream,
  Event,
  Capture,
  Graph,
  ExecutableGraph,
  Module,
  Context,
  BlasHandle,
  Communicator
};

void noteGiven(Thing thing);
void noteGivenBack(Thing thing);

/// From now on the end of the process looks for what is missing.
void refuseLeaks();

} // namespace hetero::standin

#endif // HETERO_TEST_CUDA_STANDIN_LEAKS_H
