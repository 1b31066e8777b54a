//===- PtxMemory.h - Loads, stores and atomics of PTX -------------*- C -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The third part of PtxOperations.h. The host checks each access.

#ifndef HETERO_TEST_CUDA_PTX_PTXMEMORY_H
#define HETERO_TEST_CUDA_PTX_PTXMEMORY_H

typedef struct ptx_thread *thread;

#define AT(SPACE, ADDRESS, BYTES, HOW, LINE)                                   \
  t->host->access(t, SPACE, ADDRESS, BYTES, HOW, LINE)

/// One element of a vector that was looked up.
#define ELEMENTS(W)                                                            \
  INLINE u##W element_##W(const char *at, int index) {                         \
    u##W value;                                                                \
    memcpy(&value, at + index * sizeof value, sizeof value);                   \
    return value;                                                              \
  }                                                                            \
  INLINE void set_element_##W(char *at, int index, u##W value) {               \
    memcpy(at + index * sizeof value, &value, sizeof value);                   \
  }
ELEMENTS(8)
ELEMENTS(16)
ELEMENTS(32)
ELEMENTS(64)

INLINE u32 inc_32(u32 old, u32 last) { return old >= last ? 0 : old + 1; }
INLINE u32 dec_32(u32 old, u32 last) {
  return old == 0 || old > last ? last : old - 1;
}

#endif /* HETERO_TEST_CUDA_PTX_PTXMEMORY_H */
