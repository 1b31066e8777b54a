//===- PtxOperations.h - What instructions of PTX compute ---------*- C -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Read by the C compiler in front of each translated module. Registers are
// unsigned integers that hold bits; a function per instruction says what they
// mean. Floating-point numbers are rounded as the instruction says, once.

#ifndef HETERO_TEST_CUDA_PTX_PTXOPERATIONS_H
#define HETERO_TEST_CUDA_PTX_PTXOPERATIONS_H

#include "PtxThread.h"
#include <fenv.h>
#include <math.h>
#include <string.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int8_t s8;
typedef int16_t s16;
typedef int32_t s32;
typedef int64_t s64;
typedef unsigned __int128 u128;
typedef __int128 s128;

#define INLINE static inline __attribute__((always_inline, unused))
#define OUTLINE static __attribute__((noinline, unused))

// What a register holds that nothing was written to, and the result of a
// division by zero, which may be anything: a number that nobody expects.
#define POISON 0xa5c3e7a5c3e7a5c3ULL

enum rounding { RN, RZ, RM, RP };

//===----------------------------------------------------------------------===//
// Integers
//===----------------------------------------------------------------------===//

#define INTEGERS(W)                                                            \
  INLINE u##W add_##W(u##W a, u##W b) { return (u64)a + b; }                   \
  INLINE u##W sub_##W(u##W a, u##W b) { return (u64)a - b; }                   \
  INLINE u##W mul_lo_##W(u##W a, u##W b) { return (u64)a * b; }                \
  INLINE u##W mul_hi_u##W(u##W a, u##W b) { return (u128)a * b >> W; }         \
  INLINE u##W mul_hi_s##W(u##W a, u##W b) {                                    \
    return (s128)(s##W)a * (s##W)b >> W;                                       \
  }                                                                            \
  INLINE u##W and_##W(u##W a, u##W b) { return a & b; }                        \
  INLINE u##W or_##W(u##W a, u##W b) { return a | b; }                         \
  INLINE u##W xor_##W(u##W a, u##W b) { return a ^ b; }                        \
  INLINE u##W not_##W(u##W a) { return ~a; }                                   \
  INLINE u##W cnot_##W(u##W a) { return a == 0; }                              \
  INLINE u##W shl_##W(u##W a, u32 n) { return n >= W ? 0 : (u64)a << n; }      \
  INLINE u##W shr_u##W(u##W a, u32 n) { return n >= W ? 0 : a >> n; }          \
  INLINE u##W shr_s##W(u##W a, u32 n) {                                        \
    return (s##W)a >> (n >= W ? W - 1 : n);                                    \
  }                                                                            \
  INLINE u##W neg_s##W(u##W a) { return 0 - (u64)a; }                          \
  INLINE u##W abs_s##W(u##W a) { return (s##W)a < 0 ? 0 - (u64)a : a; }        \
  INLINE u##W min_u##W(u##W a, u##W b) { return a < b ? a : b; }               \
  INLINE u##W max_u##W(u##W a, u##W b) { return a > b ? a : b; }               \
  INLINE u##W min_s##W(u##W a, u##W b) { return (s##W)a < (s##W)b ? a : b; }   \
  INLINE u##W max_s##W(u##W a, u##W b) { return (s##W)a > (s##W)b ? a : b; }   \
  INLINE u##W div_u##W(u##W a, u##W b) { return b ? a / b : (u##W)POISON; }    \
  INLINE u##W rem_u##W(u##W a, u##W b) { return b ? a % b : (u##W)POISON; }    \
  INLINE u##W div_s##W(u##W a, u##W b) {                                       \
    return !b                  ? (u##W)POISON                                  \
           : b == (u##W) ~0ULL ? 0 - (u64)a                                    \
                               : (s##W)a / (s##W)b;                            \
  }                                                                            \
  INLINE u##W rem_s##W(u##W a, u##W b) {                                       \
    return !b ? (u##W)POISON : b == (u##W) ~0ULL ? 0 : (s##W)a % (s##W)b;      \
  }                                                                            \
  INLINE u##W selp_##W(u##W a, u##W b, u8 p) { return p ? a : b; }
INTEGERS(16)
INTEGERS(32)
INTEGERS(64)

INLINE u8 and_pred(u8 a, u8 b) { return a & b; }
INLINE u8 or_pred(u8 a, u8 b) { return a | b; }
INLINE u8 xor_pred(u8 a, u8 b) { return a ^ b; }
INLINE u8 not_pred(u8 a) { return !a; }

INLINE u32 mul_wide_u16(u16 a, u16 b) { return (u32)a * b; }
INLINE u32 mul_wide_s16(u16 a, u16 b) { return (s32)(s16)a * (s16)b; }
INLINE u64 mul_wide_u32(u32 a, u32 b) { return (u64)a * b; }
INLINE u64 mul_wide_s32(u32 a, u32 b) { return (s64)(s32)a * (s32)b; }

INLINE u32 saturate_s32(s64 x) {
  return x > INT32_MAX ? INT32_MAX : x < INT32_MIN ? INT32_MIN : x;
}
INLINE u32 add_sat_s32(u32 a, u32 b) {
  return saturate_s32((s64)(s32)a + (s32)b);
}
INLINE u32 sub_sat_s32(u32 a, u32 b) {
  return saturate_s32((s64)(s32)a - (s32)b);
}
INLINE u32 mad_hi_sat_s32(u32 a, u32 b, u32 c) {
  return saturate_s32((s64)(s32)mul_hi_s32(a, b) + (s32)c);
}

// Sums that read and write the carry.
#define CARRIES(W)                                                             \
  INLINE u##W add_cc_##W(u##W a, u##W b, u32 in, u32 *out) {                   \
    u128 sum = (u128)a + b + in;                                               \
    *out = (sum >> W) & 1;                                                     \
    return sum;                                                                \
  }                                                                            \
  INLINE u##W sub_cc_##W(u##W a, u##W b, u32 in, u32 *out) {                   \
    u128 difference = (u128)a - b - in;                                        \
    *out = (difference >> W) & 1;                                              \
    return difference;                                                         \
  }
CARRIES(32)
CARRIES(64)

INLINE u32 popc_32(u32 a) { return __builtin_popcount(a); }
INLINE u32 popc_64(u64 a) { return __builtin_popcountll(a); }
INLINE u32 clz_32(u32 a) { return a ? __builtin_clz(a) : 32; }
INLINE u32 clz_64(u64 a) { return a ? __builtin_clzll(a) : 64; }
INLINE u32 brev_32(u32 a) { return __builtin_bitreverse32(a); }
INLINE u64 brev_64(u64 a) { return __builtin_bitreverse64(a); }
INLINE u32 bfind_u64(u64 a, int shift) {
  u32 top = a ? 63 - __builtin_clzll(a) : ~0U;
  return shift && a ? 63 - top : top;
}
INLINE u32 bfind_u32(u32 a, int shift) {
  u32 top = a ? 31 - __builtin_clz(a) : ~0U;
  return shift && a ? 31 - top : top;
}
INLINE u32 bfind_s32(u32 a, int shift) {
  return bfind_u32((s32)a < 0 ? ~a : a, shift);
}
INLINE u32 bfind_s64(u64 a, int shift) {
  return bfind_u64((s64)a < 0 ? ~a : a, shift);
}

// Position and length of a field are what their low 8 bits say; what is behind
// the highest bit is the sign, or 0.
#define FIELDS(W)                                                              \
  INLINE u##W field_mask_##W(u32 length) {                                     \
    return length >= W ? (u##W) ~0ULL : ((u##W)1 << length) - 1;               \
  }                                                                            \
  INLINE u##W bfe_u##W(u##W a, u32 b, u32 c) {                                 \
    return shr_u##W(a, b & 255) & field_mask_##W(c & 255);                     \
  }                                                                            \
  INLINE u##W bfe_s##W(u##W a, u32 b, u32 c) {                                 \
    u32 position = b & 255, length = c & 255, last = position + length - 1;    \
    if (!length)                                                               \
      return 0;                                                                \
    u##W sign = (s##W)shl_##W(a, W - 1 - (last < W ? last : W - 1)) < 0;       \
    u##W mask = field_mask_##W(length);                                        \
    u##W bits = shr_u##W(a, position);                                         \
    u##W known = field_mask_##W(position < W ? W - position : 0);              \
    bits = (bits & known) | (sign ? ~known : 0);                               \
    return (bits & mask) | (sign ? ~mask : 0);                                 \
  }                                                                            \
  INLINE u##W bfi_##W(u##W a, u##W b, u32 c, u32 d) {                          \
    u##W mask = shl_##W(field_mask_##W(d & 255), c & 255);                     \
    return (b & ~mask) | (shl_##W(a, c & 255) & mask);                         \
  }
FIELDS(32)
FIELDS(64)

INLINE u32 shf_left(u32 a, u32 b, u32 n) {
  return ((u64)b << 32 | a) << n >> 32;
}
INLINE u32 shf_l_wrap(u32 a, u32 b, u32 c) { return shf_left(a, b, c & 31); }
INLINE u32 shf_l_clamp(u32 a, u32 b, u32 c) {
  return c >= 32 ? a : shf_left(a, b, c);
}
INLINE u32 shf_r_wrap(u32 a, u32 b, u32 c) {
  return ((u64)b << 32 | a) >> (c & 31);
}
INLINE u32 shf_r_clamp(u32 a, u32 b, u32 c) {
  return c >= 32 ? b : (u32)(((u64)b << 32 | a) >> c);
}

INLINE u32 prmt_32(u32 a, u32 b, u32 c) {
  u64 bytes = (u64)b << 32 | a;
  u32 result = 0;
  for (int i = 0; i < 4; ++i) {
    u32 choice = c >> (4 * i);
    u32 byte = (bytes >> (8 * (choice & 7))) & 255;
    if (choice & 8)
      byte = byte & 128 ? 255 : 0;
    result |= byte << (8 * i);
  }
  return result;
}

INLINE u32 lop3_32(u32 a, u32 b, u32 c, u32 table) {
  u32 result = 0;
  for (int i = 0; i < 8; ++i)
    if (table >> i & 1)
      result |= (i & 4 ? a : ~a) & (i & 2 ? b : ~b) & (i & 1 ? c : ~c);
  return result;
}

INLINE u32 dot_bytes(u32 a, u32 b, u32 c, int signedA, int signedB) {
  for (int i = 0; i < 32; i += 8) {
    s32 x = signedA ? (s8)(a >> i) : (u8)(a >> i);
    s32 y = signedB ? (s8)(b >> i) : (u8)(b >> i);
    c += (u32)(x * y);
  }
  return c;
}

INLINE u32 pair_16(u16 low, u16 high) { return low | (u32)high << 16; }
INLINE u16 low_16(u32 a) { return a; }
INLINE u16 high_16(u32 a) { return a >> 16; }

#include "PtxFloats.h"
#include "PtxMemory.h"

#endif /* HETERO_TEST_CUDA_PTX_PTXOPERATIONS_H */
