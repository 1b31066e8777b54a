//===- Quantity.cpp - Amounts with units, exactly -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Support/Quantity.h"
#include "hetero/Support/ApproximateAmount.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"
#include <numeric>

using namespace llvm;
using namespace hetero;

namespace {
struct Unit {
  StringLiteral name;
  /// Base units in one of this.
  int64_t factor;
  /// Whether writeQuantity may choose it; the others are only read.
  bool written = true;
};

struct Units {
  /// What one base unit is called in messages.
  StringLiteral base;
  /// Largest first. The last one that is written takes every amount.
  ArrayRef<Unit> units;
  /// The unit of zero.
  StringLiteral zero;
};

/// The digits of a decimal number and how many of them follow the point.
struct Decimal {
  int64_t digits;
  int64_t scale;
};
} // namespace

static constexpr int64_t kilo = 1000, mega = kilo * kilo, giga = mega * kilo,
                         tera = giga * kilo, peta = tera * kilo,
                         exa = peta * kilo;

static constexpr Unit byteUnits[] = {{"PiB", 1LL << 50},
                                     {"PB", peta},
                                     {"TiB", 1LL << 40},
                                     {"TB", tera},
                                     {"GiB", 1LL << 30},
                                     {"GB", giga},
                                     {"MiB", 1LL << 20},
                                     {"MB", mega},
                                     {"KiB", 1LL << 10},
                                     {"KB", kilo},
                                     {"B", 1}};
static constexpr Unit bandwidthUnits[] = {{"TB/s", tera},
                                          {"GB/s", giga},
                                          {"MB/s", mega},
                                          {"KB/s", kilo},
                                          {"B/s", 1},
                                          {"TiB/s", 1LL << 40, false},
                                          {"GiB/s", 1LL << 30, false},
                                          {"MiB/s", 1LL << 20, false},
                                          {"KiB/s", 1LL << 10, false},
                                          {"Tb/s", tera / 8, false},
                                          {"Gb/s", giga / 8, false},
                                          {"Mb/s", mega / 8, false},
                                          {"Kb/s", kilo / 8, false}};
static constexpr Unit workUnits[] = {
    {"EFLOP", exa},  {"PFLOP", peta}, {"TFLOP", tera}, {"GFLOP", giga},
    {"MFLOP", mega}, {"KFLOP", kilo}, {"FLOP", 1}};
static constexpr Unit speedUnits[] = {
    {"EFLOP/s", exa},  {"PFLOP/s", peta}, {"TFLOP/s", tera}, {"GFLOP/s", giga},
    {"MFLOP/s", mega}, {"KFLOP/s", kilo}, {"FLOP/s", 1}};
static constexpr Unit timeUnits[] = {
    {"s", tera}, {"ms", giga}, {"us", mega}, {"ns", kilo}, {"ps", 1}};
static constexpr Unit priceUnits[] = {{"/h", mega}};
static constexpr Unit shareUnits[] = {{"", mega}};

static Units getUnits(Dimension dimension) {
  switch (dimension) {
  case Dimension::Bytes:
    return {"bytes", byteUnits, "B"};
  case Dimension::Bandwidth:
    return {"bytes per second", bandwidthUnits, "B/s"};
  case Dimension::Work:
    return {"operations", workUnits, "FLOP"};
  case Dimension::Speed:
    return {"operations per second", speedUnits, "FLOP/s"};
  case Dimension::Time:
    return {"picoseconds", timeUnits, "s"};
  case Dimension::Price:
    return {"millionths per hour", priceUnits, "/h"};
  case Dimension::Share:
    return {"millionths", shareUnits, ""};
  }
  llvm_unreachable("every dimension has units");
}

/// Reads digits, an optional fraction and an optional exponent.
static Expected<Decimal> readDecimal(StringRef text) {
  auto fail = [&](const Twine &why) {
    return createStringError("'" + text + "' " + why);
  };
  if (text.starts_with("-"))
    return fail("is negative");
  bool hasExponent = text.contains_insensitive('e');
  auto [mantissa, exponentText] = text.split(text.contains('e') ? 'e' : 'E');
  auto [whole, fraction] = mantissa.split('.');
  int64_t exponent = 0;
  exponentText.consume_front("+");
  if (hasExponent && exponentText.getAsInteger(10, exponent))
    return fail("is not a number");

  std::string digits = (whole + fraction).str();
  int64_t scale = fraction.size();
  while (scale > 0 && StringRef(digits).ends_with("0")) {
    digits.pop_back();
    --scale;
  }
  int64_t value = 0;
  if (digits.empty() || !all_of(digits, isDigit))
    return fail("is not a number");
  if (StringRef(digits).getAsInteger(10, value))
    return fail("has too many digits");
  if (value == 0)
    return Decimal{0, 0};
  // Outside of this range the amount cannot fit or cannot be whole.
  if (exponent < -64 || exponent > 64)
    return fail("is out of range");
  for (scale -= exponent; scale < 0; ++scale)
    if (MulOverflow(value, int64_t(10), value))
      return fail("is out of range");
  return Decimal{value, scale};
}

static std::string listUnits(ArrayRef<Unit> units) {
  return join(map_range(units, [](const Unit &unit) { return unit.name; }),
              ", ");
}

Expected<int64_t> hetero::readQuantity(Dimension dimension, StringRef number,
                                       StringRef unitName) {
  Units units = getUnits(dimension);
  // Nothing is nothing in all units.
  if (unitName.empty() && number == "0")
    return 0;
  const Unit *unit = find_if(
      units.units, [&](const Unit &unit) { return unit.name == unitName; });
  if (unit == units.units.end())
    return createStringError((unitName.empty()
                                  ? "'" + number + "' has no unit"
                                  : "unknown unit '" + unitName + "'") +
                             "; one of: " + listUnits(units.units));
  Expected<Decimal> decimal = readDecimal(number);
  if (!decimal)
    return decimal.takeError();

  // value = digits * factor / 10^scale, reduced first so that nothing exact
  // overflows on the way.
  int64_t digits = decimal->digits, factor = unit->factor;
  std::string written =
      (number + (unitName.empty() ? "" : " ") + unitName).str();
  for (int64_t i = 0; i < decimal->scale; ++i) {
    int64_t left = 10;
    for (int64_t *part : {&factor, &digits}) {
      int64_t common = std::gcd(*part, left);
      *part /= common;
      left /= common;
    }
    if (left != 1)
      return createStringError("'" + written + "' is not a whole number of " +
                               units.base);
  }
  int64_t value;
  if (MulOverflow(digits, factor, value))
    return createStringError("'" + written + "' needs more than 63 bits of " +
                             units.base);
  return value;
}

/// `value` in units of `factor`, as a decimal number without trailing zeros;
/// empty if it has more than `maxFraction` digits after the point.
static std::string writeDecimal(int64_t value, int64_t factor,
                                int maxFraction) {
  std::string text = std::to_string(value / factor);
  int64_t rest = value % factor;
  if (rest == 0)
    return text;
  text += '.';
  // A factor is below 2^60, so ten times the rest may need 64 bits unsigned.
  uint64_t remaining = rest, divisor = factor;
  for (int i = 0; i < maxFraction; ++i) {
    remaining *= 10;
    text += char('0' + remaining / divisor);
    remaining %= divisor;
    if (remaining == 0)
      return text;
  }
  return "";
}

std::string hetero::writeQuantity(Dimension dimension, int64_t value) {
  Units units = getUnits(dimension);
  // A price and a share follow their number without a space.
  StringRef space = dimension < Dimension::Price ? " " : "";
  if (value == 0)
    return ("0" + space + units.zero).str();

  auto countDigits = [](StringRef text) {
    return text.size() - text.count('.');
  };
  std::string best;
  const Unit *bestUnit = nullptr;
  for (const Unit &unit : units.units) {
    bool last = unit.factor == 1 || units.units.size() == 1;
    if (!unit.written || (value < unit.factor && !last))
      continue;
    std::string text = writeDecimal(value, unit.factor, /*maxFraction=*/18);
    if (text.empty() || (bestUnit && countDigits(text) >= countDigits(best)))
      continue;
    best = std::move(text);
    bestUnit = &unit;
  }
  return (best + space + (bestUnit ? bestUnit->name : StringLiteral(""))).str();
}

std::string hetero::approximateQuantity(Dimension dimension, int64_t value) {
  // Amounts in bytes are read in binary units.
  int64_t magnitude = value < 0 ? -(value + 1) : value;
  const Unit *best = nullptr;
  for (const Unit &unit : getUnits(dimension).units) {
    bool decimal = dimension == Dimension::Bytes && unit.factor % 10 == 0;
    if (unit.written && !decimal && (!best || best->factor > magnitude))
      best = &unit;
  }
  double number =
      static_cast<double>(value) / static_cast<double>(best->factor);
  std::string text = formatv("{0:f3}", number).str();
  // Four digits, but all that stand before the point.
  size_t digits = text.find('.') - (value < 0);
  if (digits >= 4)
    text = formatv("{0:f0}", number);
  else if (digits > 1)
    text = formatv(digits == 3 ? "{0:f1}" : "{0:f2}", number);
  if (text.find('.') != std::string::npos)
    text = StringRef(text).rtrim('0').rtrim('.').str();
  StringRef space = dimension < Dimension::Price ? " " : "";
  return (text + space + best->name).str();
}
