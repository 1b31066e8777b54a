//===- Hooks.h - What compiled kernels call ---------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The C interface between generated code and the runtime. A kernel does not
// know on which device it runs: the thread that calls it has a current device
// and a pool of threads, and these functions use them. On a thread without, the
// memory is the process's own and loops run on the calling thread.

#ifndef HETERO_RUNTIME_HOOKS_H
#define HETERO_RUNTIME_HOOKS_H

#include <cstdint>

extern "C" {

/// Memory for a temporary, aligned to 64 bytes. It counts against the cap of
/// the current device. Over the cap it is given all the same, so that the
/// kernel can end, and the step stops with the error when it has.
void *hetero_workspace_alloc(uint64_t bytes);

/// Gives it back; from any thread, and in any order. Null is allowed.
void hetero_workspace_free(void *memory);

/// Calls `body` for disjoint ranges that cover [0, n), on the threads of the
/// current device, and returns when all have returned. Inside of a body it runs
/// on the calling thread.
void hetero_parallel_for(int64_t n,
                         void (*body)(int64_t begin, int64_t end,
                                      void *context),
                         void *context);

/// Around each operation of a kernel that was compiled to be profiled: what it
/// is and, after a line break, where it comes from. The name is a constant of
/// the kernel. Nothing happens on threads that have no ProbeLog.
void hetero_probe_begin(const char *name);
void hetero_probe_end();

} // extern "C"

#endif // HETERO_RUNTIME_HOOKS_H
