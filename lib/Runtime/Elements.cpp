//===- Elements.cpp - Combining arrays element by element -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Runtime/Elements.h"
#include <cmath>
#include <complex>
#include <cstring>
#include <limits>
#include <type_traits>

using namespace hetero::runtime;

namespace {
/// A byte that is zero or one.
struct Boolean {
  using Wide = uint8_t;
  uint8_t value;
  Wide widen() const { return value != 0; }
  static Boolean narrow(Wide wide) { return {uint8_t(wide != 0)}; }
};

/// Computed in float, which is exact enough that one rounding back gives what
/// the operation in half precision gives.
struct Half {
  using Wide = float;
  _Float16 value;
  Wide widen() const { return float(value); }
  static Half narrow(Wide wide) { return {_Float16(wide)}; }
};

struct BFloat {
  using Wide = float;
  uint16_t bits;
  Wide widen() const {
    uint32_t wide = uint32_t(bits) << 16;
    float value;
    std::memcpy(&value, &wide, sizeof(value));
    return value;
  }
  static BFloat narrow(Wide value) {
    uint32_t wide;
    std::memcpy(&wide, &value, sizeof(wide));
    if (std::isnan(value))
      return {uint16_t((wide >> 16) | 0x40)};
    // To nearest, ties to even.
    return {uint16_t((wide + 0x7fff + ((wide >> 16) & 1)) >> 16)};
  }
};

/// A type that is computed in itself.
template <typename T>
struct Plain {
  using Wide = T;
  T value;
  Wide widen() const { return value; }
  static Plain narrow(Wide wide) { return {wide}; }
};

template <typename T>
struct IsComplex : std::false_type {};
template <typename T>
struct IsComplex<std::complex<T>> : std::true_type {};
} // namespace

template <typename T>
static T add(T a, T b) {
  if constexpr (std::is_integral_v<T>)
    return T(std::make_unsigned_t<T>(a) + std::make_unsigned_t<T>(b));
  else
    return a + b;
}

/// The greater one for `sign` 1, the lesser one for -1.
template <int sign, typename T>
static T choose(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(a) || std::isnan(b))
      return std::isnan(a) ? a : b;
    if (a == b)
      return std::signbit(a) == (sign < 0) ? a : b;
  }
  return (sign > 0) == (a < b) ? b : a;
}

template <typename T>
static T neutral(Reduction reduction) {
  if constexpr (!IsComplex<T>::value) {
    using Limits = std::numeric_limits<T>;
    if (reduction == Reduction::Max)
      return Limits::has_infinity ? T(-Limits::infinity()) : Limits::lowest();
    if (reduction == Reduction::Min)
      return Limits::has_infinity ? Limits::infinity() : Limits::max();
    if constexpr (std::is_integral_v<T>)
      if (reduction == Reduction::And)
        return T(~T(0));
  }
  return T(0);
}

template <typename Element, typename Operation>
static void combineWith(const void *value, void *sum, int64_t count,
                        Operation operation) {
  // Parts of a message follow each other, whatever their types are aligned to.
  const auto *from = static_cast<const char *>(value);
  auto *to = static_cast<char *>(sum);
  for (int64_t i = 0; i < count; ++i) {
    Element left, right;
    std::memcpy(&left, to + i * sizeof(Element), sizeof(Element));
    std::memcpy(&right, from + i * sizeof(Element), sizeof(Element));
    left = Element::narrow(operation(left.widen(), right.widen()));
    std::memcpy(to + i * sizeof(Element), &left, sizeof(Element));
  }
}

/// Calls `visit` with a value of the struct that stands for `type`.
template <typename Visitor>
static void dispatch(ElementType type, Visitor visit) {
  switch (type) {
  case ElementType::Bool:
    return visit(Boolean{});
  case ElementType::I8:
    return visit(Plain<int8_t>{});
  case ElementType::I16:
    return visit(Plain<int16_t>{});
  case ElementType::I32:
    return visit(Plain<int32_t>{});
  case ElementType::I64:
    return visit(Plain<int64_t>{});
  case ElementType::U8:
    return visit(Plain<uint8_t>{});
  case ElementType::U16:
    return visit(Plain<uint16_t>{});
  case ElementType::U32:
    return visit(Plain<uint32_t>{});
  case ElementType::U64:
    return visit(Plain<uint64_t>{});
  case ElementType::F16:
    return visit(Half{});
  case ElementType::BF16:
    return visit(BFloat{});
  case ElementType::F32:
    return visit(Plain<float>{});
  case ElementType::F64:
    return visit(Plain<double>{});
  case ElementType::C64:
    return visit(Plain<std::complex<float>>{});
  case ElementType::C128:
    return visit(Plain<std::complex<double>>{});
  }
}

bool hetero::runtime::isDefined(Reduction reduction, ElementType type) {
  bool isFloat = type >= ElementType::F16;
  bool isComplex = type >= ElementType::C64;
  switch (reduction) {
  case Reduction::Sum:
    return true;
  case Reduction::Max:
  case Reduction::Min:
    return !isComplex;
  case Reduction::And:
  case Reduction::Or:
    return !isFloat;
  }
  return false;
}

void hetero::runtime::combine(Reduction reduction, ElementType type,
                              const void *value, void *sum, int64_t count) {
  dispatch(type, [&](auto element) {
    using Element = decltype(element);
    using T = typename Element::Wide;
    auto with = [&](auto operation) {
      combineWith<Element>(value, sum, count, operation);
    };
    if (reduction == Reduction::Sum)
      return with([](T a, T b) { return add(a, b); });
    if constexpr (!IsComplex<T>::value) {
      if (reduction == Reduction::Max)
        return with([](T a, T b) { return choose<1>(a, b); });
      if (reduction == Reduction::Min)
        return with([](T a, T b) { return choose<-1>(a, b); });
    }
    if constexpr (std::is_integral_v<T>) {
      if (reduction == Reduction::And)
        return with([](T a, T b) { return T(a & b); });
      return with([](T a, T b) { return T(a | b); });
    }
  });
}

void hetero::runtime::fillNeutral(Reduction reduction, ElementType type,
                                  void *data, int64_t count) {
  dispatch(type, [&](auto element) {
    using Element = decltype(element);
    Element value = Element::narrow(neutral<typename Element::Wide>(reduction));
    auto *to = static_cast<Element *>(data);
    for (int64_t i = 0; i < count; ++i)
      to[i] = value;
  });
}
