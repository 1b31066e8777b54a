//===- HostOperations.h - What NVPTX's intrinsics compute ---------*- C -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Linked into each host image: llvm.nvvm.fma.rm.f is nvvm_fma_rm_f here. The
// numbers are those of the instructions of PTX that they stand for.

#ifndef HETERO_TEST_CUDA_HOSTIMAGE_HOSTOPERATIONS_H
#define HETERO_TEST_CUDA_HOSTIMAGE_HOSTOPERATIONS_H

#include "PtxOperations.h"

#define UNARY_F(NAME, BITS)                                                    \
  float nvvm_##NAME(float x) {                                                 \
    u32 a = raw_f32(x);                                                        \
    return value_f32(BITS);                                                    \
  }
#define UNARY_D(NAME, BITS)                                                    \
  double nvvm_##NAME(double x) {                                               \
    u64 a = bits_f64(x);                                                       \
    return value_f64(BITS);                                                    \
  }
UNARY_F(fabs_f32, abs_f32(a, 0))
UNARY_F(saturate_f, out_f32(value_f32(a), 0, 1))
UNARY_F(ex2_approx_ftz_f32, ex2_approx_f32(a, 1))
UNARY_F(ex2_approx_f32, ex2_approx_f32(a, 0))
UNARY_F(lg2_approx_f, lg2_approx_f32(a, 0))
UNARY_F(lg2_approx_ftz_f, lg2_approx_f32(a, 1))
UNARY_F(sin_approx_f, sin_approx_f32(a, 0))
UNARY_F(cos_approx_f, cos_approx_f32(a, 0))
UNARY_F(sqrt_approx_f, sqrt_approx_f32(a, 0))
UNARY_F(sqrt_rn_f, sqrt_f32(a, RN, 0))
UNARY_F(rsqrt_approx_f, rsqrt_approx_f32(a, 0))
UNARY_F(rcp_approx_ftz_f, rcp_approx_f32(a, 1))
// Libdevice has it as assembly.
UNARY_F(rcp_approx_ftz_f32, rcp_approx_f32(a, 1))
UNARY_F(round_f, bits_f32(rintf(value_f32(a))))
UNARY_D(fabs_f64, abs_f64(a, 0))
UNARY_D(round_d, bits_f64(rint(value_f64(a))))
UNARY_D(rcp_approx_ftz_d, rcp_approx_f64(a))
UNARY_D(rsqrt_approx_d, rsqrt_approx_f64(a, 0))
UNARY_D(sqrt_rn_d, sqrt_f64(a, RN, 0))

#define BINARY(NAME, LETTER, OPERATION, TYPE, F, IN, ...)                      \
  TYPE nvvm_##NAME##_##LETTER(TYPE x, TYPE y) {                                \
    return value_##F(OPERATION##_##F(IN(x), IN(y), __VA_ARGS__));              \
  }
BINARY(add_rn, f, add, float, f32, raw_f32, RN, 0, 0)
BINARY(add_rz, f, add, float, f32, raw_f32, RZ, 0, 0)
BINARY(mul_rn, f, mul, float, f32, raw_f32, RN, 0, 0)
BINARY(mul_rz, f, mul, float, f32, raw_f32, RZ, 0, 0)
BINARY(div_rn, f, div, float, f32, raw_f32, RN, 0)
BINARY(div_approx, f, div_approx, float, f32, raw_f32, 0)
BINARY(add_rn, d, add, double, f64, bits_f64, RN, 0, 0)
BINARY(add_rz, d, add, double, f64, bits_f64, RZ, 0, 0)
BINARY(mul_rn, d, mul, double, f64, bits_f64, RN, 0, 0)
BINARY(div_rn, d, div, double, f64, bits_f64, RN, 0)

#define FUSED(MODE, NAME)                                                      \
  float nvvm_fma_##NAME##_f(float x, float y, float z) {                       \
    return value_f32(fma_f32(raw_f32(x), raw_f32(y), raw_f32(z), MODE, 0, 0)); \
  }                                                                            \
  double nvvm_fma_##NAME##_d(double x, double y, double z) {                   \
    return value_f64(                                                          \
        fma_f64(bits_f64(x), bits_f64(y), bits_f64(z), MODE, 0, 0));           \
  }
FUSED(RN, rn)
FUSED(RZ, rz)
FUSED(RM, rm)
FUSED(RP, rp)

// What code of the host calls to round to bfloat16.
INLINE __bf16 make_bf16(u16 bits) {
  __bf16 value;
  memcpy(&value, &bits, sizeof value);
  return value;
}
__bf16 __truncsfbf2(float x) { return make_bf16(round_bf16(x, 0, 0)); }
__bf16 __truncdfbf2(double x) { return make_bf16(round_bf16(x, 0, 0)); }

u32 nvvm_d2i_lo(double x) { return bits_f64(x); }
u32 nvvm_d2i_hi(double x) { return bits_f64(x) >> 32; }
double nvvm_lohi_i2d(u32 low, u32 high) {
  return value_f64((u64)high << 32 | low);
}
u32 nvvm_f2i_rn(float x) { return to_integer(x, RN, 32, 1, 0); }
u32 nvvm_f2i_rz(float x) { return to_integer(x, RZ, 32, 1, 0); }
u32 nvvm_d2i_rn(double x) { return to_integer(x, RN, 32, 1, 1); }
u32 nvvm_d2i_rz(double x) { return to_integer(x, RZ, 32, 1, 1); }

#endif /* HETERO_TEST_CUDA_HOSTIMAGE_HOSTOPERATIONS_H */
