//===- Compare.cpp - Differences between arrays ---------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Compare.h"
#include "llvm/ADT/APFloat.h"
#include <cmath>
#include <cstring>
#include <limits>

using namespace hetero;
using runtime::ElementType;

static double toDouble(uint16_t bits, const llvm::fltSemantics &semantics) {
  llvm::APFloat value(semantics, llvm::APInt(16, bits));
  bool losesInfo;
  value.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven,
                &losesInfo);
  return value.convertToDouble();
}

/// The numbers of an array; a complex one is two.
static std::vector<double> getNumbers(const runtime::Array &array) {
  std::vector<double> numbers;
  auto read = [&](auto zero) {
    using T = decltype(zero);
    size_t count = array.data.size() / sizeof(T);
    numbers.resize(count);
    for (size_t i = 0; i < count; ++i) {
      T value;
      std::memcpy(&value, array.data.data() + i * sizeof(T), sizeof(T));
      numbers[i] = value;
    }
  };
  switch (array.type.element) {
  case ElementType::F32:
  case ElementType::C64:
    read(float());
    break;
  case ElementType::F64:
  case ElementType::C128:
    read(double());
    break;
  case ElementType::F16:
  case ElementType::BF16:
    read(uint16_t());
    for (double &number : numbers)
      number = toDouble(uint16_t(number), array.type.element == ElementType::F16
                                              ? llvm::APFloat::IEEEhalf()
                                              : llvm::APFloat::BFloat());
    break;
  default:
    break;
  }
  return numbers;
}

double hetero::getDifference(const runtime::Array &actual,
                             const runtime::Array &expected) {
  constexpr double infinite = std::numeric_limits<double>::infinity();
  if (actual.type != expected.type ||
      actual.data.size() != expected.data.size())
    return infinite;
  if (actual.data == expected.data)
    return 0.0;
  std::vector<double> a = getNumbers(actual), e = getNumbers(expected);
  if (a.empty())
    return infinite;
  double scale = 0.0, error = 0.0;
  for (size_t i = 0; i < e.size(); ++i) {
    bool isNumber = std::isfinite(e[i]);
    if (isNumber != std::isfinite(a[i]))
      return infinite;
    if (isNumber) {
      scale = std::max(scale, std::abs(e[i]));
      error = std::max(error, std::abs(a[i] - e[i]));
    } else if (std::isnan(e[i]) != std::isnan(a[i]) ||
               (!std::isnan(e[i]) && e[i] != a[i])) {
      return infinite;
    }
  }
  if (error == 0.0)
    return 0.0;
  return error / std::max<double>(scale, std::numeric_limits<float>::min());
}
