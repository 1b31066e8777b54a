//===- Quantity.h - Amounts with units, exactly -----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bytes, bandwidth, work, speed, time, price and shares as people write them
// ("40 GiB", "10.4 Gb/s", "2 us"), held as whole numbers of a base unit.
//
// A whole number has no rounding: text that is read and written again means
// the same amount, and sums do not depend on their order, so a plan is the same
// on every machine. 63 bits are enough for 9.2 EB, 9.2 EFLOP/s and 106 days in
// picoseconds; a picosecond is fine enough, because even a single byte takes
// longer than that on a link of 900 GB/s.

#ifndef HETERO_SUPPORT_QUANTITY_H
#define HETERO_SUPPORT_QUANTITY_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <string>

namespace hetero {

/// What is measured, with the base unit that counts it.
enum class Dimension {
  Bytes,     ///< byte
  Bandwidth, ///< byte per second
  Work,      ///< floating-point operation
  Speed,     ///< floating-point operation per second
  Time,      ///< picosecond
  Price,     ///< millionth of the currency per hour
  Share      ///< millionth of the whole; has no unit
};

/// Turns a decimal number ("10.4", "1.5e3") and a unit ("Gb/s") into base
/// units. Fails when the unit is not one of `dimension`, when the amount is
/// negative, not a whole number of base units, or needs more than 63 bits.
llvm::Expected<int64_t>
readQuantity(Dimension dimension, llvm::StringRef number, llvm::StringRef unit);

/// Writes `value` base units in the unit that needs the fewest digits and, if
/// several do, in the largest of them: "40 GiB", "1.25 GB/s", "3.06/h".
/// readQuantity gives back exactly `value`.
std::string writeQuantity(Dimension dimension, int64_t value);

} // namespace hetero

#endif // HETERO_SUPPORT_QUANTITY_H
