//===- Numbers.h - Short floats as a device rounds them ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef HETERO_TEST_CUDA_STANDIN_NUMBERS_H
#define HETERO_TEST_CUDA_STANDIN_NUMBERS_H

#include <cmath>
#include <cstdint>
#include <cstring>

namespace hetero::standin {

/// 16 bits of which `mantissaBits` are the fraction: f16 has 10, bf16 has 7.
template <int mantissaBits>
struct ShortFloat {
  uint16_t bits = 0;

  ShortFloat() = default;
  explicit ShortFloat(float value) : bits(round(value)) {}

  operator float() const {
    uint32_t sign = bits >> 15;
    int exponent = (bits >> mantissaBits) & mask;
    uint32_t fraction = bits & ((1u << mantissaBits) - 1);
    float value;
    if (exponent == mask)
      value = fraction ? NAN : INFINITY;
    else if (exponent == 0)
      value = std::ldexp(float(fraction), 1 - bias - mantissaBits);
    else
      value = std::ldexp(float(fraction | (1u << mantissaBits)),
                         exponent - bias - mantissaBits);
    return sign ? -value : value;
  }

private:
  static constexpr int mask = (1 << (15 - mantissaBits)) - 1;
  static constexpr int bias = mask >> 1;

  /// To the nearest, to the even one of two.
  static uint16_t round(float value) {
    uint16_t sign = std::signbit(value) ? 0x8000 : 0;
    if (std::isinf(value))
      return sign | mask << mantissaBits;
    if (std::isnan(value))
      return sign | (mask << mantissaBits) | 1 << (mantissaBits - 1);
    double size = std::fabs(double(value));
    if (size == 0)
      return sign;
    int exponent;
    std::frexp(size, &exponent);
    // The exponent of the last bit that is kept.
    int last = (exponent - 1 < 1 - bias ? 1 - bias : exponent - 1);
    last -= mantissaBits;
    double rounded = std::nearbyint(std::ldexp(size, -last));
    auto fraction = static_cast<uint32_t>(rounded);
    // A carry moves into the exponent by itself.
    uint32_t biased = last + mantissaBits + bias;
    uint32_t result =
        fraction < (1u << mantissaBits)
            ? fraction
            : (biased << mantissaBits) + (fraction - (1u << mantissaBits));
    uint32_t infinity = uint32_t(mask) << mantissaBits;
    return sign | static_cast<uint16_t>(result < infinity ? result : infinity);
  }
};

using Half = ShortFloat<10>;
using BFloat = ShortFloat<7>;

} // namespace hetero::standin

#endif // HETERO_TEST_CUDA_STANDIN_NUMBERS_H
