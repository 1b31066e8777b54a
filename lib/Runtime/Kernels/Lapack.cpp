//===- Lapack.cpp - Factorizations of matrices ----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Runtime/Lapack.h"
#include "LapackSymbols.h"
#include <algorithm>
#include <cblas.h>
#include <limits>
#include <tuple>
#include <type_traits>
#include <vector>

using namespace hetero::runtime;

/// The length of an option.
static constexpr size_t kOne = 1;

namespace {
/// One call; see `hetero_lapack`. `index` is the matrix that is worked on.
struct Call {
  const int64_t *words;
  int64_t index = 0;

  int m() const { return int(words[3]); }
  int n() const { return int(words[4]); }
  int k() const { return int(words[5]); }
  int64_t number(int i) const { return words[6 + i]; }
  char option(int i) const { return char(words[6 + i]); }
  /// Of `size` elements for each matrix.
  template <typename T>
  T *buffer(int i, int64_t size) const {
    return reinterpret_cast<T *>(words[10 + i]) + index * size;
  }
  void setInfo(int i, int info) const { *buffer<int32_t>(i, 1) = info; }
};

/// A matrix as LAPACK wants it, column by column.
template <typename T>
struct Matrix {
  int m, n, leading;
  std::vector<T> data;

  Matrix(int m, int n)
      : m(m), n(n), leading(std::max(1, m)), data(size_t(leading) * n + 1) {}
  Matrix(const Call &call, int buffer, int m, int n) : Matrix(m, n) {
    const T *rows = call.buffer<T>(buffer, int64_t(m) * n);
    for (int i = 0; i < m; ++i)
      for (int j = 0; j < n; ++j)
        data[i + int64_t(j) * leading] = rows[int64_t(i) * n + j];
  }
  void store(const Call &call, int buffer) const {
    T *rows = call.buffer<T>(buffer, int64_t(m) * n);
    for (int i = 0; i < m; ++i)
      for (int j = 0; j < n; ++j)
        rows[int64_t(i) * n + j] = data[i + int64_t(j) * leading];
  }
  T *get() { return data.data(); }
};
} // namespace

/// Arguments that only the real or the complex form of a routine takes.
template <bool isTaken, typename... Args>
static auto takeIf(Args... args) {
  if constexpr (isTaken)
    return std::tuple(args...);
  else
    return std::tuple();
}

/// Calls a routine with arguments of which some are from `takeIf`.

template <typename Fn, typename... Args>
static void invoke(Fn routine, Args... args) {
  auto list = [](auto arg) {
    if constexpr (std::is_scalar_v<decltype(arg)>)
      return std::tuple(arg);
    else
      return arg;
  };
  std::apply(routine, std::tuple_cat(list(args)...));
}

template <typename T>
static int toInt(T value) {
  return int(std::real(value));
}

/// Calls `run` to ask how much workspace it wants, then with it.
template <typename T, typename Fn>
static void withWorkspace(Fn run) {
  T wanted = T(1);
  run(&wanted, -1);
  std::vector<T> work(std::max(1, toInt(wanted)));
  run(work.data(), int(work.size()));
}

//===----------------------------------------------------------------------===//
// Triangular matrices
//===----------------------------------------------------------------------===//

template <typename T>
static void potrf(const Call &call) {
  int n = call.n(), info = 0;
  Matrix<T> a(call, 0, n, n);
  char uplo = call.option(0);
  Lapack<T>::potrf(&uplo, &n, a.get(), &a.leading, &info, kOne);
  bool hasInfo = call.number(1) == 0;
  if (!hasInfo) {
    // Nobody masks what is left of the matrix, or looks whether there is a
    // factor.
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) {
        T &element = a.data[i + int64_t(j) * a.leading];
        if (info != 0)
          element =
              T(std::numeric_limits<typename Lapack<T>::Real>::quiet_NaN());
        else if (uplo == 'L' ? i < j : i > j)
          element = T(0);
      }
  }
  a.store(call, 1);
  if (hasInfo)
    call.setInfo(2, info);
}

template <typename T>
static void solveTriangular(CBLAS_SIDE side, CBLAS_UPLO uplo,
                            CBLAS_TRANSPOSE trans, CBLAS_DIAG diag, int m,
                            int n, const T *a, int lda, T *b, int ldb) {
  const T one = 1;
  if constexpr (std::is_same_v<T, float>)
    cblas_strsm(CblasRowMajor, side, uplo, trans, diag, m, n, one, a, lda, b,
                ldb);
  else if constexpr (std::is_same_v<T, double>)
    cblas_dtrsm(CblasRowMajor, side, uplo, trans, diag, m, n, one, a, lda, b,
                ldb);
  else if constexpr (std::is_same_v<T, C64>)
    cblas_ctrsm(CblasRowMajor, side, uplo, trans, diag, m, n, &one, a, lda, b,
                ldb);
  else
    cblas_ztrsm(CblasRowMajor, side, uplo, trans, diag, m, n, &one, a, lda, b,
                ldb);
}

template <typename T>
static void trsm(const Call &call) {
  int m = call.m(), n = call.n();
  bool isLeft = call.option(0) == 'L';
  int64_t order = isLeft ? m : n;
  const T *a = call.buffer<T>(0, order * order);
  const T *b = call.buffer<T>(1, int64_t(m) * n);
  T *x = call.buffer<T>(2, int64_t(m) * n);
  std::copy(b, b + int64_t(m) * n, x);
  CBLAS_TRANSPOSE trans = call.option(2) == 'N'   ? CblasNoTrans
                          : call.option(2) == 'T' ? CblasTrans
                                                  : CblasConjTrans;
  solveTriangular(isLeft ? CblasLeft : CblasRight,
                  call.option(1) == 'L' ? CblasLower : CblasUpper, trans,
                  call.option(3) == 'U' ? CblasUnit : CblasNonUnit, m, n, a,
                  int(order), x, n);
}

//===----------------------------------------------------------------------===//
// LU and QR
//===----------------------------------------------------------------------===//

template <typename T>
static void getrf(const Call &call) {
  int m = call.m(), n = call.n(), info = 0;
  Matrix<T> a(call, 0, m, n);
  int *pivots = call.buffer<int>(2, std::min(m, n));
  Lapack<T>::getrf(&m, &n, a.get(), &a.leading, pivots, &info);
  a.store(call, 1);
  call.setInfo(3, info);
}

template <typename T>
static void geqrf(const Call &call) {
  int m = call.m(), n = call.n(), info = 0;
  Matrix<T> a(call, 0, m, n);
  T *tau = call.buffer<T>(2, std::min(m, n));
  withWorkspace<T>([&](T *work, int size) {
    Lapack<T>::geqrf(&m, &n, a.get(), &a.leading, tau, work, &size, &info);
  });
  a.store(call, 1);
}

template <typename T>
static void geqp3(const Call &call) {
  int m = call.m(), n = call.n(), info = 0;
  Matrix<T> a(call, 0, m, n);
  const int *given = call.buffer<int>(1, n);
  int *pivots = call.buffer<int>(3, n);
  std::copy(given, given + n, pivots);
  T *tau = call.buffer<T>(4, std::min(m, n));
  withWorkspace<T>([&](T *work, int size) {
    std::vector<typename Lapack<T>::Real> reals(2 * size_t(n) + 1);
    invoke(Lapack<T>::geqp3, &m, &n, a.get(), &a.leading, pivots, tau, work,
           &size, takeIf<Lapack<T>::isComplex>(reals.data()), &info);
  });
  a.store(call, 2);
}

template <typename T>
static void orgqr(const Call &call) {
  int m = call.m(), n = call.n(), k = call.k(), info = 0;
  Matrix<T> a(call, 0, m, n);
  const T *tau = call.buffer<T>(1, k);
  withWorkspace<T>([&](T *work, int size) {
    Lapack<T>::orgqr(&m, &n, &k, a.get(), &a.leading, tau, work, &size, &info);
  });
  a.store(call, 2);
}

template <typename T>
static void ormqr(const Call &call) {
  int m = call.m(), n = call.n(), k = call.k(), info = 0;
  bool isLeft = call.number(0) != 0;
  Matrix<T> a(call, 0, isLeft ? m : n, int(call.number(2))), c(call, 2, m, n);
  const T *tau = call.buffer<T>(1, k);
  char side = isLeft ? 'L' : 'R';
  char trans = !call.number(1) ? 'N' : Lapack<T>::isComplex ? 'C' : 'T';
  withWorkspace<T>([&](T *work, int size) {
    Lapack<T>::ormqr(&side, &trans, &m, &n, &k, a.get(), &a.leading, tau,
                     c.get(), &c.leading, work, &size, &info, kOne, kOne);
  });
  c.store(call, 3);
}

//===----------------------------------------------------------------------===//
// Values and vectors
//===----------------------------------------------------------------------===//

template <typename T>
static void syevd(const Call &call) {
  using R = typename Lapack<T>::Real;
  int n = call.n(), info = 0;
  Matrix<T> a(call, 0, n, n);
  R *values = call.buffer<R>(2, n);
  char mode = call.option(0), uplo = call.option(1);
  int wanted = 1, ask = -1;
  T work = T(1);
  R real = 1;
  auto run = [&](T *space, const int *size, R *reals, const int *numReals,
                 int *ints, const int *numInts) {
    invoke(Lapack<T>::syevd, &mode, &uplo, &n, a.get(), &a.leading, values,
           space, size, takeIf<Lapack<T>::isComplex>(reals, numReals), ints,
           numInts, &info, kOne, kOne);
  };
  run(&work, &ask, &real, &ask, &wanted, &ask);
  std::vector<T> space(std::max(1, toInt(work)));
  std::vector<R> reals(std::max(1, toInt(real)));
  std::vector<int> ints(std::max(1, wanted));
  int sizes[] = {int(space.size()), int(reals.size()), int(ints.size())};
  run(space.data(), &sizes[0], reals.data(), &sizes[1], ints.data(), &sizes[2]);
  a.store(call, 1);
  call.setInfo(3, info);
}

template <typename T, bool divides>
static void decompose(const Call &call) {
  using R = typename Lapack<T>::Real;
  int m = call.m(), n = call.n(), k = call.k(), info = 0;
  int smaller = std::min(m, n), larger = std::max(m, n);
  char mode = call.option(0);
  Matrix<T> a(call, 0, m, n), u(m, k), vt(int(call.number(1)), n);
  R *values = call.buffer<R>(2, smaller);
  std::vector<int> ints(8 * size_t(smaller) + 1);
  // As much as gesdd asks for in the worst case.
  size_t numReals = size_t(smaller) * (5 * size_t(smaller) + 7) +
                    2 * size_t(larger) * smaller + smaller;
  std::vector<R> reals(Lapack<T>::isComplex ? numReals + 1 : 1);
  withWorkspace<T>([&](T *work, int size) {
    if (divides)
      invoke(Lapack<T>::gesdd, &mode, &m, &n, a.get(), &a.leading, values,
             u.get(), &u.leading, vt.get(), &vt.leading, work, &size,
             takeIf<Lapack<T>::isComplex>(reals.data()), ints.data(), &info,
             kOne);
    else
      invoke(Lapack<T>::gesvd, &mode, &mode, &m, &n, a.get(), &a.leading,
             values, u.get(), &u.leading, vt.get(), &vt.leading, work, &size,
             takeIf<Lapack<T>::isComplex>(reals.data()), &info, kOne, kOne);
  });
  a.store(call, 1);
  u.store(call, 3);
  vt.store(call, 4);
  call.setInfo(5, info);
}

/// Real vectors of pairs of complex values hold the real and imaginary part of
/// the first of the two.
template <typename R>
static Matrix<std::complex<R>> unpackVectors(const Matrix<R> &packed,
                                             const R *imaginary) {
  Matrix<std::complex<R>> vectors(packed.m, packed.n);
  for (int j = 0; j < packed.n; ++j) {
    bool isPair = imaginary[j] != 0 && j + 1 < packed.n;
    for (int i = 0; i < packed.m; ++i) {
      int64_t at = i + int64_t(j) * packed.leading;
      R re = packed.data[at];
      R im = isPair ? packed.data[at + packed.leading] : R(0);
      vectors.data[at] = {re, im};
      if (isPair)
        vectors.data[at + packed.leading] = {re, -im};
    }
    j += isPair;
  }
  return vectors;
}

template <typename T>
static void geev(const Call &call) {
  using R = typename Lapack<T>::Real;
  int n = call.n(), info = 0;
  char left = call.option(0), right = call.option(1);
  Matrix<T> a(call, 0, n, n), vl(n, n), vr(n, n);
  T *values = call.buffer<T>(1, n);
  constexpr bool isComplex = Lapack<T>::isComplex;
  T *imaginary = isComplex ? nullptr : call.buffer<T>(2, n);
  std::vector<R> reals(2 * size_t(n) + 1);
  withWorkspace<T>([&](T *work, int size) {
    invoke(Lapack<T>::geev, &left, &right, &n, a.get(), &a.leading, values,
           takeIf<!isComplex>(imaginary), vl.get(), &vl.leading, vr.get(),
           &vr.leading, work, &size, takeIf<isComplex>(reals.data()), &info,
           kOne, kOne);
  });
  int next = isComplex ? 2 : 3;
  if constexpr (isComplex) {
    vl.store(call, next);
    vr.store(call, next + 1);
  } else {
    unpackVectors(vl, imaginary).store(call, next);
    unpackVectors(vr, imaginary).store(call, next + 1);
  }
  call.setInfo(next + 2, info);
}

template <typename T>
static void gees(const Call &call) {
  using R = typename Lapack<T>::Real;
  int n = call.n(), info = 0, selected = 0;
  char mode = call.option(0), sort = 'N';
  Matrix<T> a(call, 0, n, n), vectors(n, n);
  T *values = call.buffer<T>(3, n);
  std::vector<int> flags(size_t(n) + 1);
  constexpr bool isComplex = Lapack<T>::isComplex;
  T *imaginary = isComplex ? nullptr : call.buffer<T>(4, n);
  std::vector<R> reals(size_t(n) + 1);
  withWorkspace<T>([&](T *work, int size) {
    invoke(Lapack<T>::gees, &mode, &sort, nullptr, &n, a.get(), &a.leading,
           &selected, values, takeIf<!isComplex>(imaginary), vectors.get(),
           &vectors.leading, work, &size, takeIf<isComplex>(reals.data()),
           flags.data(), &info, kOne, kOne);
  });
  int next = isComplex ? 4 : 5;
  a.store(call, 1);
  vectors.store(call, 2);
  call.setInfo(next, selected);
  call.setInfo(next + 1, info);
}

//===----------------------------------------------------------------------===//
// Forms with few diagonals
//===----------------------------------------------------------------------===//

template <typename T>
static void gehrd(const Call &call) {
  int n = call.n(), info = 0;
  int low = int(call.number(0)), high = int(call.number(1));
  Matrix<T> a(call, 0, n, n);
  T *tau = call.buffer<T>(2, std::max(0, n - 1));
  withWorkspace<T>([&](T *work, int size) {
    Lapack<T>::gehrd(&n, &low, &high, a.get(), &a.leading, tau, work, &size,
                     &info);
  });
  a.store(call, 1);
  call.setInfo(3, info);
}

template <typename T>
static void sytrd(const Call &call) {
  using R = typename Lapack<T>::Real;
  int n = call.n(), info = 0, beside = std::max(0, n - 1);
  char uplo = call.option(0);
  Matrix<T> a(call, 0, n, n);
  R *diagonal = call.buffer<R>(2, n), *next = call.buffer<R>(3, beside);
  T *tau = call.buffer<T>(4, beside);
  withWorkspace<T>([&](T *work, int size) {
    Lapack<T>::sytrd(&uplo, &n, a.get(), &a.leading, diagonal, next, tau, work,
                     &size, &info, kOne);
  });
  a.store(call, 1);
  call.setInfo(5, info);
}

template <typename T>
static void gtsv(const Call &call) {
  int m = call.m(), n = call.n(), info = 0;
  T *diagonals[3];
  for (int i = 0; i < 3; ++i) {
    const T *given = call.buffer<T>(i, m);
    diagonals[i] = call.buffer<T>(4 + i, m);
    std::copy(given, given + m, diagonals[i]);
  }
  Matrix<T> b(call, 3, m, n);
  // The lower one begins with an element that is not there.
  Lapack<T>::gtsv(&m, &n, diagonals[0] + 1, diagonals[1], diagonals[2], b.get(),
                  &b.leading, &info);
  b.store(call, 7);
  call.setInfo(8, info);
}

//===----------------------------------------------------------------------===//
// Dispatch
//===----------------------------------------------------------------------===//

template <typename T>
static void runOne(const Call &call) {
  /// In the order of LapackRoutine.
  static constexpr void (*routines[])(const Call &) = {
      potrf<T>,
      trsm<T>,
      getrf<T>,
      geqrf<T>,
      geqp3<T>,
      orgqr<T>,
      ormqr<T>,
      syevd<T>,
      decompose<T, /*divides=*/true>,
      decompose<T, /*divides=*/false>,
      geev<T>,
      gees<T>,
      gehrd<T>,
      sytrd<T>,
      gtsv<T>};
  static_assert(std::size(routines) == kGtsv + 1);
  routines[call.words[0]](call);
}

template <typename T>
static void runAll(const int64_t *words) {
  Call call{words};
  for (call.index = 0; call.index < words[2]; ++call.index)
    runOne<T>(call);
}

void hetero_lapack(const int64_t *words) {
  switch (LapackElement(words[1])) {
  case kLapackF32:
    return runAll<float>(words);
  case kLapackF64:
    return runAll<double>(words);
  case kLapackC64:
    return runAll<C64>(words);
  case kLapackC128:
    return runAll<C128>(words);
  }
}
