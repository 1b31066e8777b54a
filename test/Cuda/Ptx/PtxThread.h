//===- PtxThread.h - What translated code and its host share ------*- C -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Read by the C compiler together with a translated module, and by the host
// that runs it.

#ifndef HETERO_TEST_CUDA_PTX_PTXTHREAD_H
#define HETERO_TEST_CUDA_PTX_PTXTHREAD_H

#include <stdint.h>

// Where the address spaces lie in the generic one. Devices and hosts have
// addresses of at most 57 bits, so that bits 60 and up tell the spaces apart.
#define PTX_SHARED_WINDOW (UINT64_C(1) << 60)
#define PTX_LOCAL_WINDOW (UINT64_C(2) << 60)
#define PTX_PARAM_WINDOW (UINT64_C(3) << 60)
/// Variables of the module, in .global and .const.
#define PTX_MODULE_WINDOW (UINT64_C(4) << 60)
#define PTX_WINDOW_MASK (UINT64_C(7) << 60)

// The first address in shared, local and parameter space, so that null and
// what is a little off are outside.
#define PTX_FIRST_ADDRESS 64

enum ptx_space {
  PTX_GENERIC,
  PTX_GLOBAL,
  PTX_CONST,
  PTX_SHARED,
  PTX_LOCAL,
  PTX_PARAM
};

/// How memory is accessed.
enum ptx_access {
  PTX_READ = 0,
  PTX_WRITE = 1,
  PTX_ATOMIC = 2,
  /// Through the cache that is for what nobody writes.
  PTX_NON_COHERENT = 4,
  /// What is written depends on what was there.
  PTX_UPDATE = 8
};

/// What the threads of a warp do together.
enum ptx_collective {
  PTX_SHUFFLE_UP,
  PTX_SHUFFLE_DOWN,
  PTX_SHUFFLE_BUTTERFLY,
  PTX_SHUFFLE_INDEX,
  PTX_VOTE_ALL,
  PTX_VOTE_ANY,
  PTX_VOTE_UNIFORM,
  PTX_VOTE_BALLOT,
  PTX_MATCH_ANY,
  PTX_MATCH_ALL,
  PTX_REDUCE_ADD,
  PTX_REDUCE_MIN_SIGNED,
  PTX_REDUCE_MIN_UNSIGNED,
  PTX_REDUCE_MAX_SIGNED,
  PTX_REDUCE_MAX_UNSIGNED,
  PTX_REDUCE_AND,
  PTX_REDUCE_OR,
  PTX_REDUCE_XOR,
  PTX_WARP_BARRIER
};

struct ptx_thread;

/// What translated code asks the host for.
struct ptx_host {
  char *(*access)(struct ptx_thread *, int space, uint64_t address,
                  uint32_t bytes, int how, uint32_t line);
  /// The value for this thread; *predicate is the second result.
  uint64_t (*collective)(struct ptx_thread *, int what, uint32_t mask,
                         uint64_t value, uint32_t lane, uint32_t clamp,
                         uint8_t *predicate, uint32_t line);
  /// `count` is 0 for all threads of the block.
  void (*barrier)(struct ptx_thread *, uint32_t index, uint32_t count,
                  int aligned, uint32_t line);
  /// Makes room for `bytes` of local memory; where they begin.
  uint64_t (*enter)(struct ptx_thread *, uint32_t bytes, uint32_t line);
  /// Does not return.
  void (*fail)(struct ptx_thread *, const char *what, uint32_t line);
};

struct ptx_thread {
  uint32_t tid[3];
  uint32_t ctaid[3];
  uint32_t ntid[3];
  uint32_t nctaid[3];
  uint32_t lane;
  uint32_t warp;
  /// Bytes of local memory in use, and from the beginning.
  uint64_t local_end;
  const struct ptx_host *host;
  /// Instructions that have begun, where they are counted.
  uint64_t instructions;
};

typedef void (*ptx_kernel)(struct ptx_thread *);

#endif /* HETERO_TEST_CUDA_PTX_PTXTHREAD_H */
