//===- Fft.cpp - Discrete Fourier transforms ------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Runtime/Fft.h"
#include <algorithm>
#include <cmath>

using namespace hetero::runtime;

/// Sums of this many terms are taken as they are.
static constexpr int64_t kLargestFactor = 40;

//===----------------------------------------------------------------------===//
// One line
//===----------------------------------------------------------------------===//

/// exp(+-pi i numerator / denominator), the numerator below 2 * denominator.
template <typename T>
static std::complex<T> getRoot(int64_t numerator, int64_t denominator,
                               bool isInverse) {
  constexpr long double pi = 3.141592653589793238462643383279502884L;
  long double angle = pi * static_cast<long double>(numerator) /
                      static_cast<long double>(denominator);
  long double sine = std::sin(angle);
  return {T(std::cos(angle)), T(isInverse ? sine : -sine)};
}

/// Prime factors, with 4 for two times 2.
static std::vector<int64_t> factorize(int64_t n) {
  std::vector<int64_t> factors;
  for (int64_t p : {int64_t(4), int64_t(2)})
    for (; n % p == 0; n /= p)
      factors.push_back(p);
  for (int64_t p = 3; p * p <= n; p += 2)
    for (; n % p == 0; n /= p)
      factors.push_back(p);
  if (n > 1)
    factors.push_back(n);
  return factors;
}

template <typename T>
FftLine<T>::FftLine(int64_t size, bool isInverse) : size(size) {
  if (size <= 1)
    return;
  factors = factorize(size);
  int64_t largest = *std::max_element(factors.begin(), factors.end());
  if (largest <= kLargestFactor) {
    for (int64_t k = 0; k < size; ++k)
      roots.push_back(getRoot<T>(2 * k, size, isInverse));
    scratch.resize(size);
    terms.resize(largest);
    return;
  }
  // j k = (j^2 + k^2 - (k - j)^2) / 2: a convolution with exp(pi i j^2 / n).
  for (int64_t k = 0; k < size; ++k)
    chirp.push_back(
        getRoot<T>(int64_t((__int128(k) * k) % (2 * size)), size, isInverse));
  int64_t length = 1;
  while (length < 2 * size - 1)
    length *= 2;
  longer.emplace_back(length, false);
  longer.emplace_back(length, true);
  filter.assign(length, {});
  for (int64_t k = 0; k < size; ++k)
    filter[k] = filter[(length - k) % length] = std::conj(chirp[k]);
  longer[0].run(filter.data());
}

/// Without the checks for infinities that the standard asks of `*`.
template <typename T>
static std::complex<T> multiply(std::complex<T> a, std::complex<T> b) {
  return {a.real() * b.real() - a.imag() * b.imag(),
          a.real() * b.imag() + a.imag() * b.real()};
}

/// Turns p transforms of n / p elements, one after the other, into one.
template <typename T>
void FftLine<T>::combine(std::complex<T> *out, int64_t n, int64_t p) {
  int64_t m = n / p, step = size / n, turn = size / p;
  for (int64_t k = 0; k < m; ++k) {
    terms[0] = out[k];
    for (int64_t q = 1; q < p; ++q)
      terms[q] = multiply(out[k + q * m], roots[q * k * step]);
    if (p == 2) {
      out[k] = terms[0] + terms[1];
      out[k + m] = terms[0] - terms[1];
      continue;
    }
    for (int64_t r = 0; r < p; ++r) {
      std::complex<T> sum = terms[0];
      for (int64_t q = 1; q < p; ++q)
        sum += multiply(terms[q], roots[(q * r % p) * turn]);
      out[k + r * m] = sum;
    }
  }
}

template <typename T>
void FftLine<T>::runFactor(const std::complex<T> *in, std::complex<T> *out,
                           int64_t n, int64_t stride, size_t factor) {
  if (n == 1) {
    out[0] = in[0];
    return;
  }
  int64_t p = factors[factor];
  for (int64_t q = 0; q < p; ++q)
    runFactor(in + q * stride, out + q * (n / p), n / p, stride * p,
              factor + 1);
  combine(out, n, p);
}

template <typename T>
void FftLine<T>::runChirp(std::complex<T> *data) {
  std::vector<std::complex<T>> product(filter.size());
  for (int64_t k = 0; k < size; ++k)
    product[k] = multiply(data[k], chirp[k]);
  longer[0].run(product.data());
  for (size_t k = 0; k < product.size(); ++k)
    product[k] = multiply(product[k], filter[k]);
  longer[1].run(product.data());
  T scale = T(1) / T(filter.size());
  for (int64_t k = 0; k < size; ++k)
    data[k] = multiply(product[k], chirp[k]) * scale;
}

template <typename T>
void FftLine<T>::run(std::complex<T> *data) {
  if (size <= 1)
    return;
  if (!longer.empty())
    return runChirp(data);
  std::copy(data, data + size, scratch.begin());
  runFactor(scratch.data(), data, size, 1, 0);
}

template class hetero::runtime::FftLine<float>;
template class hetero::runtime::FftLine<double>;

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

namespace {
/// One call; see `hetero_fft`.
struct Call {
  FftKind kind;
  bool isDouble;
  int64_t batch;
  std::vector<int64_t> lengths;
  const void *input;
  void *output;

  explicit Call(const int64_t *words)
      : kind(FftKind(words[0])), isDouble(words[1] != 0), batch(words[2]),
        lengths(words + 4, words + 4 + words[3]) {
    words += 4 + words[3];
    input = reinterpret_cast<const void *>(words[0]);
    output = reinterpret_cast<void *>(words[1]);
  }
  bool isInverse() const { return kind == kIfft || kind == kIrfft; }
};
} // namespace

/// Transforms `outer * inner` lines, whose elements are `inner` apart.
template <typename T>
static void transform(std::complex<T> *data, int64_t outer, int64_t size,
                      int64_t inner, bool isInverse) {
  if (size <= 1)
    return;
  FftLine<T> line(size, isInverse);
  std::vector<std::complex<T>> elements(size);
  for (int64_t i = 0; i < outer; ++i)
    for (int64_t j = 0; j < inner; ++j) {
      std::complex<T> *begin = data + i * size * inner + j;
      for (int64_t k = 0; k < size; ++k)
        elements[k] = begin[k * inner];
      line.run(elements.data());
      for (int64_t k = 0; k < size; ++k)
        begin[k * inner] = elements[k];
    }
}

/// Transforms all but the last dimension, whose length is `last`.
template <typename T>
static void transformFirst(const Call &call, std::complex<T> *data,
                           int64_t last) {
  int64_t inner = last, outer = call.batch;
  for (int64_t length : call.lengths)
    outer *= length;
  outer /= call.lengths.back();
  for (size_t d = call.lengths.size() - 1; d-- > 0;) {
    int64_t length = call.lengths[d];
    outer /= length;
    transform(data, outer, length, inner, call.isInverse());
    inner *= length;
  }
}

/// How many lines there are along the last dimension.
static int64_t getNumLines(const Call &call) {
  int64_t lines = call.batch;
  for (size_t d = 0; d + 1 < call.lengths.size(); ++d)
    lines *= call.lengths[d];
  return lines;
}

template <typename T>
static void runComplex(const Call &call) {
  auto *in = static_cast<const std::complex<T> *>(call.input);
  auto *out = static_cast<std::complex<T> *>(call.output);
  int64_t lines = getNumLines(call), last = call.lengths.back();
  std::copy(in, in + lines * last, out);
  transform(out, lines, last, 1, call.isInverse());
  transformFirst(call, out, last);
  if (!call.isInverse())
    return;
  T scale = 1;
  for (int64_t length : call.lengths)
    scale /= T(length);
  for (int64_t i = 0; i < lines * last; ++i)
    out[i] *= scale;
}

template <typename T>
static void runFromReal(const Call &call) {
  auto *in = static_cast<const T *>(call.input);
  auto *out = static_cast<std::complex<T> *>(call.output);
  int64_t lines = getNumLines(call), last = call.lengths.back();
  int64_t half = last / 2 + 1;
  FftLine<T> line(last, false);
  std::vector<std::complex<T>> elements(last);
  for (int64_t i = 0; i < lines; ++i) {
    std::copy(in + i * last, in + (i + 1) * last, elements.begin());
    line.run(elements.data());
    std::copy(elements.begin(), elements.begin() + half, out + i * half);
  }
  transformFirst(call, out, half);
}

template <typename T>
static void runToReal(const Call &call) {
  auto *in = static_cast<const std::complex<T> *>(call.input);
  auto *out = static_cast<T *>(call.output);
  int64_t lines = getNumLines(call), last = call.lengths.back();
  int64_t half = last / 2 + 1;
  std::vector<std::complex<T>> data(in, in + lines * half);
  transformFirst(call, data.data(), half);
  T scale = 1;
  for (int64_t length : call.lengths)
    scale /= T(length);
  FftLine<T> line(last, true);
  std::vector<std::complex<T>> elements(last);
  for (int64_t i = 0; i < lines; ++i) {
    std::copy_n(data.begin() + i * half, half, elements.begin());
    // The other half is the mirror image.
    for (int64_t k = half; k < last; ++k)
      elements[k] = std::conj(elements[last - k]);
    line.run(elements.data());
    for (int64_t k = 0; k < last; ++k)
      out[i * last + k] = elements[k].real() * scale;
  }
}

template <typename T>
static void run(const Call &call) {
  if (call.kind == kRfft)
    return runFromReal<T>(call);
  if (call.kind == kIrfft)
    return runToReal<T>(call);
  runComplex<T>(call);
}

void hetero_fft(const int64_t *words) {
  Call call(words);
  if (call.isDouble)
    run<double>(call);
  else
    run<float>(call);
}
