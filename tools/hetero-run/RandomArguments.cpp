//===- RandomArguments.cpp - Inputs from nothing --------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "RandomArguments.h"
#include "llvm/ADT/APFloat.h"
#include <cmath>
#include <cstring>
#include <random>

using namespace hetero;
using runtime::ElementType;

namespace {
/// Numbers by hand, because the distributions of the standard library differ
/// from one implementation to the next.
class Numbers {
public:
  explicit Numbers(uint64_t seed) : engine(seed) {}
  uint64_t bits() { return engine(); }
  double uniform() { return double(engine() >> 11) * 0x1p-53; }
  double normal() {
    double radius = std::sqrt(-2.0 * std::log(1.0 - uniform()));
    return radius * std::cos(6.283185307179586 * uniform());
  }

private:
  std::mt19937_64 engine;
};
} // namespace

/// Like a usual initialization: smaller the more terms a sum has.
static double getParameterScale(const runtime::TensorType &type) {
  if (type.shape.size() < 2)
    return 0.1;
  int64_t last = std::max<int64_t>(type.shape.back(), 1);
  return 1.0 /
         std::sqrt(double(std::max<int64_t>(type.numElements() / last, 1)));
}

static double makeFloat(Numbers &numbers, const StepTensor &tensor) {
  if (tensor.role == "parameter")
    return numbers.normal() * getParameterScale(tensor.type);
  if (tensor.role == "optimizer_state")
    return 0.001 + 0.01 * numbers.uniform();
  if (tensor.role == "hyper_parameter")
    return 0.001 * (1.0 + numbers.uniform());
  return numbers.normal();
}

static uint64_t makeInteger(Numbers &numbers, const StepTensor &tensor) {
  if (tensor.role == "rng")
    return numbers.bits();
  if (tensor.role == "optimizer_state" || tensor.role == "hyper_parameter")
    return 1;
  return numbers.bits() >> 63;
}

static void store(std::vector<char> &data, size_t index, const void *value,
                  size_t size) {
  std::memcpy(data.data() + index * size, value, size);
}

static void fill(Numbers &numbers, const StepTensor &tensor,
                 std::vector<char> &data) {
  ElementType element = tensor.type.element;
  size_t size = runtime::sizeOf(element);
  // A complex number is two.
  auto storeParts = [&](size_t index, auto zero) {
    using T = decltype(zero);
    for (size_t part = 0; part < size / sizeof(T); ++part) {
      T value = makeFloat(numbers, tensor);
      store(data, index * (size / sizeof(T)) + part, &value, sizeof(T));
    }
  };

  for (size_t i = 0; i < data.size() / size; ++i) {
    switch (element) {
    case ElementType::F16:
    case ElementType::BF16: {
      llvm::APFloat value(makeFloat(numbers, tensor));
      bool losesInfo;
      value.convert(element == ElementType::F16 ? llvm::APFloat::IEEEhalf()
                                                : llvm::APFloat::BFloat(),
                    llvm::APFloat::rmNearestTiesToEven, &losesInfo);
      uint16_t bits = value.bitcastToAPInt().getZExtValue();
      store(data, i, &bits, size);
      break;
    }
    case ElementType::F32:
    case ElementType::C64:
      storeParts(i, float());

      break;
    case ElementType::F64:
    case ElementType::C128:
      storeParts(i, double());

      break;
    case ElementType::Bool:
      data[i] = char(numbers.bits() >> 63);
      break;
    default: { // Little-endian: the low bytes.
      uint64_t value = makeInteger(numbers, tensor);
      store(data, i, &value, size);
    }
    }
  }
}

std::vector<runtime::Array>
hetero::makeRandomArguments(const std::vector<StepTensor> &arguments,
                            uint64_t seed) {
  Numbers numbers(seed);
  std::vector<runtime::Array> arrays;
  for (const StepTensor &argument : arguments) {
    runtime::Array array;
    array.type = argument.type;
    array.data.resize(argument.type.numBytes());
    fill(numbers, argument, array.data);
    arrays.push_back(std::move(array));
  }
  return arrays;
}
