//===- ApproximateAmount.h - Amounts for people -----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Amounts with few digits, for messages and tables: "11.52 GiB", "3.277 us".
// What is read again is written with writeQuantity.

#ifndef HETERO_SUPPORT_APPROXIMATEAMOUNT_H
#define HETERO_SUPPORT_APPROXIMATEAMOUNT_H

#include "hetero/Support/Amount.h"

namespace hetero {

/// Writes `value` base units in the largest unit that it has one of, rounded to
/// four digits in all if so many do not stand before the point. Bytes are
/// written in binary units.
std::string approximateQuantity(Dimension dimension, int64_t value);

template <Dimension D>
std::string approximate(Amount<D> amount) {
  return approximateQuantity(D, amount.count());
}

} // namespace hetero

#endif // HETERO_SUPPORT_APPROXIMATEAMOUNT_H
