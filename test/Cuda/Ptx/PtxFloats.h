//===- PtxFloats.h - Floating-point instructions of PTX -----------*- C -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The second part of PtxOperations.h. What has no better way is computed in
// double and rounded to odd, from which rounding to half the digits is exact.

#ifndef HETERO_TEST_CUDA_PTX_PTXFLOATS_H
#define HETERO_TEST_CUDA_PTX_PTXFLOATS_H

enum { MANTISSA_F16 = 10, EXPONENT_F16 = 5 };
enum { MANTISSA_BF16 = 7, EXPONENT_BF16 = 8 };
enum { MANTISSA_F32 = 23, EXPONENT_F32 = 8 };

INLINE float value_f32(u32 bits) {
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}
INLINE double value_f64(u64 bits) {
  double value;
  memcpy(&value, &bits, sizeof value);
  return value;
}
INLINE u32 raw_f32(float value) {
  u32 bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}
INLINE u64 bits_f64(double value) {
  u64 bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}
/// A device has one NaN of 32 bits.
INLINE u32 bits_f32(float value) {
  return value != value ? 0x7fffffff : raw_f32(value);
}
INLINE float value_f16(u16 bits) {
  // The exponent moves from a bias of 15 to one of 127.
  u32 wide = raw_f32(value_f32((u32)(bits & 0x7fff) << 13) * 0x1p112f);
  if ((bits & 0x7c00) == 0x7c00)
    wide |= 0x7f800000;
  return value_f32(wide | (u32)(bits & 0x8000) << 16);
}
INLINE float value_bf16(u16 bits) { return value_f32((u32)bits << 16); }

INLINE u32 flush_f32(u32 a) { return a & 0x7f800000 ? a : a & 0x80000000; }
INLINE u16 flush_f16(u16 a) { return a & 0x7c00 ? a : a & 0x8000; }
INLINE u16 flush_bf16(u16 a) { return a & 0x7f80 ? a : a & 0x8000; }

/// Rounds ties away from zero.
enum { RNA = 4 };

/// The number in a narrower format, rounded.
OUTLINE u64 narrow(double x, int mantissa, int exponent, int mode) {
  u64 infinity = ((UINT64_C(1) << exponent) - 1) << mantissa;
  u64 minus = signbit(x) != 0, sign = minus << (mantissa + exponent);
  if (x != x)
    return infinity | ((UINT64_C(1) << mantissa) - 1);
  if (isinf(x))
    return sign | infinity;
  if (x == 0)
    return sign;
  int power;
  u64 digits = ldexp(frexp(fabs(x), &power), 53);
  // The last place of the result, and that of the smallest numbers.
  int last = power - 1 - mantissa;
  int least = 2 - (1 << (exponent - 1)) - mantissa;
  last = last < least ? least : last;
  int shift = last - (power - 53);
  shift = shift > 60 ? 60 : shift;
  u64 kept = digits >> shift, rest = digits & ((UINT64_C(1) << shift) - 1);
  u64 half = UINT64_C(1) << (shift - 1);
  if (mode == RN)
    kept += rest > half || (rest == half && (kept & 1));
  else if (mode == RNA)
    kept += rest >= half;
  else if (mode != RZ)
    kept += rest && (mode == RM) == minus;
  u64 bits = kept + ((u64)(last - least) << mantissa);
  if (bits >= infinity)
    bits = infinity -
           (mode == RZ || (mode == RM && !minus) || (mode == RP && minus));
  return sign | bits;
}

/// The sum of two numbers, of which the last bit is set if it is not exact.
INLINE double odd_sum(double a, double b) {
  double sum = a + b;
  if (!isfinite(sum))
    return sum;
  double part = sum - a;
  double rest = (a - (sum - part)) + (b - part);
  if (rest == 0 || (bits_f64(sum) & 1))
    return sum;
  return nextafter(sum, rest > 0 ? INFINITY : -INFINITY);
}
INLINE double odd_integer(u64 magnitude, int minus) {
  int shift = magnitude >> 53 ? 11 - __builtin_clzll(magnitude) : 0;
  u64 rest = magnitude & ((UINT64_C(1) << shift) - 1);
  double result = ldexp((double)((magnitude >> shift) | (rest != 0)), shift);
  return minus ? -result : result;
}
INLINE double odd_signed(s64 x) {
  return odd_integer(x < 0 ? 0 - (u64)x : (u64)x, x < 0);
}

//===----------------------------------------------------------------------===//
// f16 and bf16
//===----------------------------------------------------------------------===//

INLINE u16 clamp_half(u16 a, u16 one) {
  return a & 0x8000 || (a & 0x7fff) == 0x7fff ? 0 : a > one ? one : a;
}
INLINE u16 relu_half(u16 a) { return a & 0x8000 ? 0 : a; }

#define HALVES(T, M, E, INF, ONE)                                              \
  INLINE u16 round_##T(double x, int flush, int saturate) {                    \
    u16 bits = narrow(x, M, E, RN);                                            \
    bits = flush ? flush_##T(bits) : bits;                                     \
    return saturate ? clamp_half(bits, ONE) : bits;                            \
  }                                                                            \
  INLINE double in_##T(u16 a, int flush) {                                     \
    return value_##T(flush ? flush_##T(a) : a);                                \
  }                                                                            \
  INLINE u16 fma_##T(u16 a, u16 b, u16 c, int flush, int saturate) {           \
    double product = in_##T(a, flush) * in_##T(b, flush);                      \
    return round_##T(odd_sum(product, in_##T(c, flush)), flush, saturate);     \
  }                                                                            \
  INLINE u16 fma_relu_##T(u16 a, u16 b, u16 c, int flush) {                    \
    return relu_half(fma_##T(a, b, c, flush, 0));                              \
  }                                                                            \
  INLINE u16 add_##T(u16 a, u16 b, int flush, int saturate) {                  \
    double sum = odd_sum(in_##T(a, flush), in_##T(b, flush));                  \
    return round_##T(sum, flush, saturate);                                    \
  }                                                                            \
  INLINE u16 sub_##T(u16 a, u16 b, int flush, int saturate) {                  \
    double sum = odd_sum(in_##T(a, flush), -in_##T(b, flush));                 \
    return round_##T(sum, flush, saturate);                                    \
  }                                                                            \
  INLINE u16 mul_##T(u16 a, u16 b, int flush, int saturate) {                  \
    return round_##T(in_##T(a, flush) * in_##T(b, flush), flush, saturate);    \
  }                                                                            \
  INLINE int nan_##T(u16 a) { return (a & 0x7fff) > INF; }                     \
  INLINE u16 neg_##T(u16 a, int flush) {                                       \
    return nan_##T(a) ? 0x7fff : (flush ? flush_##T(a) : a) ^ 0x8000;          \
  }                                                                            \
  INLINE u16 abs_##T(u16 a, int flush) {                                       \
    return nan_##T(a) ? 0x7fff : (flush ? flush_##T(a) : a) & 0x7fff;          \
  }                                                                            \
  INLINE u16 least_##T(u16 a, u16 b, int flush, int nan, int max) {            \
    a = flush ? flush_##T(a) : a;                                              \
    b = flush ? flush_##T(b) : b;                                              \
    if (nan_##T(a) || nan_##T(b))                                              \
      return nan || (nan_##T(a) && nan_##T(b)) ? 0x7fff : nan_##T(a) ? b : a;  \
    float x = value_##T(a), y = value_##T(b);                                  \
    if (x == y)                                                                \
      return max ? a & b : a | b;                                              \
    return (x < y) != max ? a : b;                                             \
  }                                                                            \
  INLINE u16 min_##T(u16 a, u16 b, int flush, int nan) {                       \
    return least_##T(a, b, flush, nan, 0);                                     \
  }                                                                            \
  INLINE u16 max_##T(u16 a, u16 b, int flush, int nan) {                       \
    return least_##T(a, b, flush, nan, 1);                                     \
  }                                                                            \
  INLINE u16 ex2_##T(u16 a, int flush) {                                       \
    return round_##T(exp2(in_##T(a, flush)), flush, 0);                        \
  }                                                                            \
  INLINE u16 tanh_##T(u16 a) { return round_##T(tanh(in_##T(a, 0)), 0, 0); }
HALVES(f16, MANTISSA_F16, EXPONENT_F16, 0x7c00, 0x3c00)
HALVES(bf16, MANTISSA_BF16, EXPONENT_BF16, 0x7f80, 0x3f80)

//===----------------------------------------------------------------------===//
// f32 and f64
//===----------------------------------------------------------------------===//

enum operation { ADD, SUB, MUL, DIV, FMA, SQRT };

// The operands are volatile so that nothing moves over the change of mode.
#define DIRECTED(T, F)                                                         \
  OUTLINE T directed_##F(int operation, T a, T b, T c, int mode) {             \
    _Pragma("STDC FENV_ACCESS ON") static const int modes[] = {                \
        FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};                  \
    volatile T x = a, y = b, z = c, result = 0;                                \
    fesetround(modes[mode]);                                                   \
    switch (operation) {                                                       \
    case ADD:                                                                  \
      result = x + y;                                                          \
      break;                                                                   \
    case SUB:                                                                  \
      result = x - y;                                                          \
      break;                                                                   \
    case MUL:                                                                  \
      result = x * y;                                                          \
      break;                                                                   \
    case DIV:                                                                  \
      result = x / y;                                                          \
      break;                                                                   \
    case FMA:                                                                  \
      result = __builtin_choose_expr(sizeof(T) == 4, fmaf, fma)(x, y, z);      \
      break;                                                                   \
    case SQRT:                                                                 \
      result = __builtin_choose_expr(sizeof(T) == 4, sqrtf, sqrt)(x);          \
      break;                                                                   \
    }                                                                          \
    fesetround(FE_TONEAREST);                                                  \
    return result;                                                             \
  }
DIRECTED(float, f32)
DIRECTED(double, f64)

INLINE float in_f32(u32 a, int flush) {
  return value_f32(flush ? flush_f32(a) : a);
}
INLINE u32 out_f32(float x, int flush, int saturate) {
  if (saturate)
    x = x > 1 ? 1 : x > 0 ? x : 0;
  u32 bits = bits_f32(x);
  return flush ? flush_f32(bits) : bits;
}
INLINE double in_f64(u64 a, int flush) {
  (void)flush;
  return value_f64(a);
}
INLINE u64 out_f64(double x, int flush, int saturate) {
  (void)flush;
  (void)saturate;
  return bits_f64(x);
}

#define WIDE_FLOATS(B, T, F, SUFFIX)                                           \
  INLINE B add_##F(B a, B b, int mode, int flush, int saturate) {              \
    T x = in_##F(a, flush), y = in_##F(b, flush);                              \
    T sum = mode == RN ? x + y : directed_##F(ADD, x, y, 0, mode);             \
    return out_##F(sum, flush, saturate);                                      \
  }                                                                            \
  INLINE B sub_##F(B a, B b, int mode, int flush, int saturate) {              \
    T x = in_##F(a, flush), y = in_##F(b, flush);                              \
    T sum = mode == RN ? x - y : directed_##F(SUB, x, y, 0, mode);             \
    return out_##F(sum, flush, saturate);                                      \
  }                                                                            \
  INLINE B mul_##F(B a, B b, int mode, int flush, int saturate) {              \
    T x = in_##F(a, flush), y = in_##F(b, flush);                              \
    T product = mode == RN ? x * y : directed_##F(MUL, x, y, 0, mode);         \
    return out_##F(product, flush, saturate);                                  \
  }                                                                            \
  INLINE B div_##F(B a, B b, int mode, int flush) {                            \
    T x = in_##F(a, flush), y = in_##F(b, flush);                              \
    T quotient = mode == RN ? x / y : directed_##F(DIV, x, y, 0, mode);        \
    return out_##F(quotient, flush, 0);                                        \
  }                                                                            \
  INLINE B fma_##F(B a, B b, B c, int mode, int flush, int saturate) {         \
    T x = in_##F(a, flush), y = in_##F(b, flush), z = in_##F(c, flush);        \
    T sum = mode == RN ? __builtin_fma##SUFFIX(x, y, z)                        \
                       : directed_##F(FMA, x, y, z, mode);                     \
    return out_##F(sum, flush, saturate);                                      \
  }                                                                            \
  INLINE B sqrt_##F(B a, int mode, int flush) {                                \
    T x = in_##F(a, flush);                                                    \
    T root = mode == RN ? __builtin_sqrt##SUFFIX(x)                            \
                        : directed_##F(SQRT, x, 0, 0, mode);                   \
    return out_##F(root, flush, 0);                                            \
  }                                                                            \
  INLINE B least_##F(B a, B b, int flush, int nan, int max) {                  \
    T x = in_##F(a, flush), y = in_##F(b, flush);                              \
    if (x != x || y != y)                                                      \
      return out_##F(nan || (x != x && y != y) ? x + y                         \
                     : x == x                  ? x                             \
                                               : y,                            \
                     0, 0);                                                    \
    if (x == y)                                                                \
      return out_##F((signbit(x) != 0) != max ? x : y, 0, 0);                  \
    return out_##F((x < y) != max ? x : y, 0, 0);                              \
  }                                                                            \
  INLINE B min_##F(B a, B b, int flush, int nan) {                             \
    return least_##F(a, b, flush, nan, 0);                                     \
  }                                                                            \
  INLINE B max_##F(B a, B b, int flush, int nan) {                             \
    return least_##F(a, b, flush, nan, 1);                                     \
  }
WIDE_FLOATS(u32, float, f32, f)
WIDE_FLOATS(u64, double, f64, )

INLINE u32 neg_f32(u32 a, int flush) {
  a = flush ? flush_f32(a) : a;
  return a << 1 > 0xff000000 ? 0x7fffffff : a ^ 0x80000000;
}
INLINE u32 abs_f32(u32 a, int flush) {
  a = flush ? flush_f32(a) : a;
  return a << 1 > 0xff000000 ? 0x7fffffff : a & 0x7fffffff;
}
INLINE u64 neg_f64(u64 a, int flush) {
  (void)flush;
  return a ^ UINT64_C(1) << 63;
}
INLINE u64 abs_f64(u64 a, int flush) {
  (void)flush;
  return a & ~(UINT64_C(1) << 63);
}
/// The sign of the first in front of the second.
INLINE u32 copysign_f32(u32 a, u32 b) {
  return (a & 0x80000000) | (b & 0x7fffffff);
}
INLINE u64 copysign_f64(u64 a, u64 b) {
  u64 sign = UINT64_C(1) << 63;
  return (a & sign) | (b & ~sign);
}

//===----------------------------------------------------------------------===//
// Approximations: the host's, rounded.
//===----------------------------------------------------------------------===//

INLINE u32 rcp_approx_f32(u32 a, int flush) {
  return out_f32(1.0 / in_f32(a, flush), flush, 0);
}
INLINE u32 sqrt_approx_f32(u32 a, int flush) { return sqrt_f32(a, RN, flush); }
INLINE u32 rsqrt_approx_f32(u32 a, int flush) {
  return out_f32(1.0 / sqrt(in_f32(a, flush)), flush, 0);
}
INLINE u32 sin_approx_f32(u32 a, int flush) {
  return out_f32(sin(in_f32(a, flush)), flush, 0);
}
INLINE u32 cos_approx_f32(u32 a, int flush) {
  return out_f32(cos(in_f32(a, flush)), flush, 0);
}
INLINE u32 ex2_approx_f32(u32 a, int flush) {
  return out_f32(exp2(in_f32(a, flush)), flush, 0);
}
INLINE u32 lg2_approx_f32(u32 a, int flush) {
  return out_f32(log2(in_f32(a, flush)), flush, 0);
}
INLINE u32 tanh_approx_f32(u32 a, int flush) {
  return out_f32(tanh(in_f32(a, flush)), flush, 0);
}
/// A product with the reciprocal, which is 0 where the divisor is large.
INLINE u32 div_approx_f32(u32 a, u32 b, int flush) {
  float x = in_f32(a, flush), y = in_f32(b, flush);
  if (fabsf(y) > 0x1p126f && isfinite(y))
    return out_f32(x * copysignf(0, y), flush, 0);
  float inverse = 1.0 / y;
  // Divisors below 2^-126 have reciprocals that are not numbers of 32 bits.
  return out_f32(isinf(inverse) && y != 0 ? x / y : x * inverse, flush, 0);
}
INLINE u32 div_full_f32(u32 a, u32 b, int flush) {
  return out_f32(in_f32(a, flush) / in_f32(b, flush), flush, 0);
}
/// What has only the upper 32 bits of a number of 64, and no small numbers.
INLINE u64 upper_f64(double x) {
  u64 bits = bits_f64(x) & ~UINT64_C(0xffffffff);
  if (x != x)
    return UINT64_C(0x7fffffff) << 32;
  return bits << 1 >> 53 ? bits : bits & UINT64_C(1) << 63;
}
INLINE double upper_in_f64(u64 a) { return value_f64(upper_f64(value_f64(a))); }
INLINE u64 rcp_approx_f64(u64 a) { return upper_f64(1 / upper_in_f64(a)); }
INLINE u64 rsqrt_approx_f64(u64 a, int flush) {
  return flush ? upper_f64(1 / sqrt(upper_in_f64(a)))
               : bits_f64(1 / sqrt(value_f64(a)));
}

//===----------------------------------------------------------------------===//
// Comparisons, classes and conversions
//===----------------------------------------------------------------------===//

#define ORDERS(T, F)                                                           \
  INLINE u8 eq_##F(T a, T b) { return a == b; }                                \
  INLINE u8 ne_##F(T a, T b) { return a < b || a > b; }                        \
  INLINE u8 lt_##F(T a, T b) { return a < b; }                                 \
  INLINE u8 le_##F(T a, T b) { return a <= b; }                                \
  INLINE u8 gt_##F(T a, T b) { return a > b; }                                 \
  INLINE u8 ge_##F(T a, T b) { return a >= b; }                                \
  INLINE u8 equ_##F(T a, T b) { return !(a < b || a > b); }                    \
  INLINE u8 neu_##F(T a, T b) { return a != b; }                               \
  INLINE u8 ltu_##F(T a, T b) { return !(a >= b); }                            \
  INLINE u8 leu_##F(T a, T b) { return !(a > b); }                             \
  INLINE u8 gtu_##F(T a, T b) { return !(a <= b); }                            \
  INLINE u8 geu_##F(T a, T b) { return !(a < b); }                             \
  INLINE u8 num_##F(T a, T b) { return a == a && b == b; }                     \
  INLINE u8 nan_pair_##F(T a, T b) { return a != a || b != b; }
ORDERS(double, float)

INLINE u8 is_finite(double x) { return isfinite(x); }
INLINE u8 is_infinite(double x) { return isinf(x) != 0; }
INLINE u8 is_number(double x) { return x == x; }
INLINE u8 is_notanumber(double x) { return x != x; }
INLINE u8 is_normal_f32(u32 a) {
  u32 power = a >> 23 & 255;
  return power != 0 && power != 255;
}
INLINE u8 is_normal_f64(u64 a) {
  u32 power = a >> 52 & 2047;
  return power != 0 && power != 2047;
}
INLINE u8 is_subnormal_f32(u32 a) { return !(a & 0x7f800000) && a << 1; }
INLINE u8 is_subnormal_f64(u64 a) { return !(a >> 52 & 2047) && a << 1; }

INLINE double to_integral(double x, int mode) {
  return mode == RN   ? rint(x)
         : mode == RZ ? trunc(x)
         : mode == RM ? floor(x)
                      : ceil(x);
}
/// Clamped to the integers of so many bits. A NaN is 0, or the smallest of the
/// signed ones where either type has 64 bits.
INLINE u64 to_integer(double x, int mode, int bits, int isSigned, int isWide) {
  if (x != x)
    return isWide ? ~UINT64_C(0) << (bits - 1) : 0;
  x = to_integral(x, mode);
  double end = ldexp(1, isSigned ? bits - 1 : bits);
  if (isSigned)
    return x >= end   ? (UINT64_C(1) << (bits - 1)) - 1
           : x < -end ? ~UINT64_C(0) << (bits - 1)
                      : (u64)(s64)x;
  return x >= end ? ~UINT64_C(0) >> (64 - bits) : x > 0 ? (u64)x : 0;
}
/// An integer clamped to another type, which has so many bits.
INLINE u64 clamp_integer(s128 x, int bits, int isSigned) {
  s128 one = 1, low = isSigned ? -(one << (bits - 1)) : 0;
  s128 high = (one << (isSigned ? bits - 1 : bits)) - 1;
  return x < low ? low : x > high ? high : x;
}

OUTLINE u64 directed_integer(s128 x, int mode) {
#pragma STDC FENV_ACCESS ON
  // The upper part is exact, and the sum is rounded once.
  volatile double upper = (double)(s64)(x >> 32) * 0x1p32;
  volatile double lower = (u32)x;
  return bits_f64(directed_f64(ADD, upper, lower, 0, mode));
}

#endif /* HETERO_TEST_CUDA_PTX_PTXFLOATS_H */
