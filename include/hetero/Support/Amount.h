//===- Amount.h - Whole amounts with a dimension ----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The amounts of hetero/Support/Quantity.h as types, so that bytes are not
// added to seconds:
//
//   Bytes activations = Bytes(4096) * samples;
//   Time crossing = activations / link.bandwidth + link.latency;
//   os << crossing.str();                                       // "3.277 us"
//
// All are whole numbers of the base unit, so sums are exact and do not depend
// on their order. Arithmetic saturates: an amount that is too large to count
// stays the largest one instead of wrapping around, whatever the input was.
// Quotients are rounded up, as nothing takes less than the time it needs.

#ifndef HETERO_SUPPORT_AMOUNT_H
#define HETERO_SUPPORT_AMOUNT_H

#include "hetero/Support/Quantity.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>
#include <limits>

namespace hetero {

/// A whole number of base units of dimension `D`.
template <Dimension D>
class Amount {
public:
  constexpr Amount() = default;
  constexpr explicit Amount(int64_t value) : value(value) {}

  /// The nearest amount to `value`; the largest one when that is too large.
  static Amount nearest(double value) {
    if (!(value < 9.2e18))
      return max();
    return Amount(value <= -9.2e18 ? std::numeric_limits<int64_t>::min()
                                   : std::llround(value));
  }
  static constexpr Amount max() {
    return Amount(std::numeric_limits<int64_t>::max());
  }

  /// The number of base units.
  constexpr int64_t count() const { return value; }
  /// As people write it, for example "40 GiB".
  std::string str() const { return writeQuantity(D, value); }

  Amount operator+(Amount other) const {
    int64_t sum;
    if (llvm::AddOverflow(value, other.value, sum))
      return saturated(value < 0);
    return Amount(sum);
  }
  Amount operator-(Amount other) const {
    int64_t difference;
    if (llvm::SubOverflow(value, other.value, difference))
      return saturated(value < 0);
    return Amount(difference);
  }
  Amount operator*(int64_t factor) const {
    int64_t product;
    if (llvm::MulOverflow(value, factor, product))
      return saturated((value < 0) != (factor < 0));
    return Amount(product);
  }
  Amount &operator+=(Amount other) { return *this = *this + other; }
  Amount &operator-=(Amount other) { return *this = *this - other; }

  constexpr bool operator==(Amount other) const { return value == other.value; }
  constexpr bool operator!=(Amount other) const { return value != other.value; }
  constexpr bool operator<(Amount other) const { return value < other.value; }
  constexpr bool operator<=(Amount other) const { return value <= other.value; }
  constexpr bool operator>(Amount other) const { return value > other.value; }
  constexpr bool operator>=(Amount other) const { return value >= other.value; }

private:
  static constexpr Amount saturated(bool negative) {
    return Amount(negative ? std::numeric_limits<int64_t>::min()
                           : std::numeric_limits<int64_t>::max());
  }

  int64_t value = 0;
};

using Bytes = Amount<Dimension::Bytes>;
using Bandwidth = Amount<Dimension::Bandwidth>;
using Work = Amount<Dimension::Work>;
using Speed = Amount<Dimension::Speed>;
using Time = Amount<Dimension::Time>;
using Price = Amount<Dimension::Price>;
using Share = Amount<Dimension::Share>;

/// Units of the rate's base in one second, for times in picoseconds.
inline constexpr int64_t timePerSecond = 1000000000000;

/// `amount / rate` seconds, rounded up; the longest time if the rate is not
/// positive.
inline Time divideByRate(int64_t amount, int64_t rate) {
  if (amount <= 0)
    return Time(0);
  if (rate <= 0)
    return Time::max();
  __int128 product = static_cast<__int128>(amount) * timePerSecond;
  __int128 time = (product + rate - 1) / rate;
  return time > std::numeric_limits<int64_t>::max()
             ? Time::max()
             : Time(static_cast<int64_t>(time));
}

inline Time operator/(Bytes bytes, Bandwidth bandwidth) {
  return divideByRate(bytes.count(), bandwidth.count());
}
inline Time operator/(Work work, Speed speed) {
  return divideByRate(work.count(), speed.count());
}

/// The time in seconds, for ratios and plots.
inline double toSeconds(Time time) {
  return static_cast<double>(time.count()) / timePerSecond;
}

/// An amount that grows with the number of samples: `fixed + perSample * n`.
template <typename AmountT>
struct Affine {
  AmountT fixed = AmountT(0);
  AmountT perSample = AmountT(0);

  AmountT at(int64_t samples) const { return fixed + perSample * samples; }
  bool operator==(const Affine &other) const {
    return fixed == other.fixed && perSample == other.perSample;
  }
};

} // namespace hetero

#endif // HETERO_SUPPORT_AMOUNT_H
