//===- Fft.h - Discrete Fourier transforms ----------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What compiled kernels call for stablehlo.fft, and a transform of one line for
// everybody else.
//
// The idea
// --------
// A line of n = p q elements is p interleaved lines of q elements: these are
// transformed, turned by roots of unity, and summed p at a time. Lengths whose
// largest prime factor is too large for that are convolutions of twice the
// length, rounded up to a power of two (Bluestein). Either way it takes time
// n log n.
//
// A worked example, 2x3 real numbers to 2x2 complex ones:
//
//   const int64_t call[] = {kRfft, /*isDouble=*/0, /*batch=*/1, /*rank=*/2,
//                           2, 3, int64_t(input), int64_t(output)};
//   hetero_fft(call);
//
// Calls from several threads at once are safe.

#ifndef HETERO_RUNTIME_FFT_H
#define HETERO_RUNTIME_FFT_H

#include <complex>
#include <cstdint>
#include <vector>

extern "C" {
/// `call` is the kind, whether elements are f64 (or complex of it) instead of
/// f32, how many transforms follow one another, their rank, their lengths (for
/// kRfft and kIrfft those of the real tensor), and where to read and write.
void hetero_fft(const int64_t *call);
}

namespace hetero::runtime {

enum FftKind : int64_t { kFft, kIfft, kRfft, kIrfft };

/// Transforms of one length and direction. Neither direction divides by the
/// length.
template <typename T>
class FftLine {
public:
  FftLine(int64_t size, bool isInverse);

  int64_t getSize() const { return size; }
  /// `data` holds `getSize()` elements, before and after.
  void run(std::complex<T> *data);

private:
  void runFactor(const std::complex<T> *in, std::complex<T> *out, int64_t n,
                 int64_t stride, size_t factor);
  void combine(std::complex<T> *out, int64_t n, int64_t p);
  void runChirp(std::complex<T> *data);

  int64_t size;
  std::vector<int64_t> factors;
  /// exp(+-2 pi i k / size).
  std::vector<std::complex<T>> roots;
  std::vector<std::complex<T>> scratch, terms;
  /// For lengths with a large factor: a convolution with `chirp`.
  std::vector<std::complex<T>> chirp, filter;
  std::vector<FftLine> longer;
};

} // namespace hetero::runtime

#endif // HETERO_RUNTIME_FFT_H
