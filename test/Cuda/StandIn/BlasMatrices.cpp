//===- BlasMatrices.cpp - Triangular systems and sums of matrices ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "BlasCall.h"
#include "Ending.h"
#include <algorithm>
#include <cblas.h>
#include <complex>

using namespace hetero::standin;

static void solve(CBLAS_SIDE side, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans,
                  CBLAS_DIAG diag, int m, int n, float alpha, const float *a,
                  int lda, float *b, int ldb) {
  cblas_strsm(CblasColMajor, side, uplo, trans, diag, m, n, alpha, a, lda, b,
              ldb);
}
static void solve(CBLAS_SIDE side, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans,
                  CBLAS_DIAG diag, int m, int n, double alpha, const double *a,
                  int lda, double *b, int ldb) {
  cblas_dtrsm(CblasColMajor, side, uplo, trans, diag, m, n, alpha, a, lda, b,
              ldb);
}
static void solve(CBLAS_SIDE side, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans,
                  CBLAS_DIAG diag, int m, int n, cuComplex alpha,
                  const cuComplex *a, int lda, cuComplex *b, int ldb) {
  cblas_ctrsm(CblasColMajor, side, uplo, trans, diag, m, n, &alpha, a, lda, b,
              ldb);
}
static void solve(CBLAS_SIDE side, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans,
                  CBLAS_DIAG diag, int m, int n, cuDoubleComplex alpha,
                  const cuDoubleComplex *a, int lda, cuDoubleComplex *b,
                  int ldb) {
  cblas_ztrsm(CblasColMajor, side, uplo, trans, diag, m, n, &alpha, a, lda, b,
              ldb);
}

static CBLAS_TRANSPOSE toCblas(cublasOperation_t operation) {
  return operation == CUBLAS_OP_N   ? CblasNoTrans
         : operation == CUBLAS_OP_T ? CblasTrans
                                    : CblasConjTrans;
}

template <typename T>
static cublasStatus_t trsm(BlasCall &call, cublasSideMode_t side,
                           cublasFillMode_t uplo, cublasOperation_t trans,
                           cublasDiagType_t diag, int m, int n, const T *alpha,
                           const T *a, int lda, T *b, int ldb) {
  if (cublasStatus_t status = call.check())
    return status;
  bool isLeft = side == CUBLAS_SIDE_LEFT;
  int order = isLeft ? m : n;
  if (m < 0 || n < 0 || lda < std::max(order, 1) || ldb < std::max(m, 1) ||
      !alpha)
    return CUBLAS_STATUS_INVALID_VALUE;
  if (!m || !n)
    return CUBLAS_STATUS_SUCCESS;
  Work work;
  work.name = "trsm of " + str(m) + "x" + str(n);
  Memory &memory = call.getStream().device->memory;
  ColumnMatrix matrix = makeMatrix(a, order, order, lda);
  ColumnMatrix sides = makeMatrix(b, m, n, ldb);
  work.run = [=, &memory, scale = *alpha](const std::string &who) {
    char *left = matrix.reach(memory, true, false, who);
    char *right = sides.reach(memory, true, true, who);
    solve(isLeft ? CblasLeft : CblasRight,
          uplo == CUBLAS_FILL_MODE_LOWER ? CblasLower : CblasUpper,
          toCblas(trans), diag == CUBLAS_DIAG_UNIT ? CblasUnit : CblasNonUnit,
          m, n, scale, reinterpret_cast<const T *>(left), lda,
          reinterpret_cast<T *>(right), ldb);
  };
  Engine::get().enter(call.getStream(), work);
  return CUBLAS_STATUS_SUCCESS;
}

//===----------------------------------------------------------------------===//
// Sums
//===----------------------------------------------------------------------===//

static float toNumber(float value) { return value; }
static double toNumber(double value) { return value; }
static std::complex<float> toNumber(cuComplex value) {
  return {value.x, value.y};
}
static std::complex<double> toNumber(cuDoubleComplex value) {
  return {value.x, value.y};
}
static float conjugate(float value) { return value; }
static double conjugate(double value) { return value; }
template <typename T>
static std::complex<T> conjugate(std::complex<T> value) {
  return std::conj(value);
}

namespace {
/// An operand of a sum, as `rows` x `columns` of the result take it.
template <typename T>
struct Summand {
  using Number = decltype(toNumber(T()));
  ColumnMatrix matrix;
  cublasOperation_t operation = CUBLAS_OP_N;
  Number scale = 0;
  const Number *data = nullptr;

  Summand(cublasOperation_t operation, int m, int n, const T *scale,
          const T *data, int ld)
      : matrix(operation == CUBLAS_OP_N ? makeMatrix(data, m, n, ld)
                                        : makeMatrix(data, n, m, ld)),
        operation(operation), scale(toNumber(*scale)) {}

  bool isRead() const { return scale != Number(0); }
  bool isValid() const {
    return !isRead() || matrix.ld >= std::max<int64_t>(matrix.rows, 1);
  }
  void reach(Memory &memory, const std::string &who) {
    if (isRead())
      data = reinterpret_cast<Number *>(matrix.reach(memory, true, false, who));
  }
  Number get(int64_t row, int64_t column) const {
    if (!isRead())
      return 0;
    if (operation == CUBLAS_OP_N)
      return scale * data[column * matrix.ld + row];
    Number value = data[row * matrix.ld + column];
    return scale * (operation == CUBLAS_OP_T ? value : conjugate(value));
  }
};
} // namespace

template <typename T>
static cublasStatus_t geam(BlasCall &call, cublasOperation_t transa,
                           cublasOperation_t transb, int m, int n,
                           const T *alpha, const T *a, int lda, const T *beta,
                           const T *b, int ldb, T *c, int ldc) {
  if (cublasStatus_t status = call.check())
    return status;
  if (m < 0 || n < 0 || ldc < std::max(m, 1) || !alpha || !beta)
    return CUBLAS_STATUS_INVALID_VALUE;
  Summand<T> left(transa, m, n, alpha, a, lda);
  Summand<T> right(transb, m, n, beta, b, ldb);
  if (!left.isValid() || !right.isValid())
    return CUBLAS_STATUS_INVALID_VALUE;
  if (!m || !n)
    return CUBLAS_STATUS_SUCCESS;
  if ((a == c && transa != CUBLAS_OP_N && left.isRead()) ||
      (b == c && transb != CUBLAS_OP_N && right.isRead()))
    leaveProcess(call.getName() +
                 " is given one matrix to transpose and to write");
  Work work;
  work.name = "geam of " + str(m) + "x" + str(n);
  Memory &memory = call.getStream().device->memory;
  ColumnMatrix sum = makeMatrix(c, m, n, ldc);
  work.run = [=, &memory](const std::string &who) mutable {
    using Number = typename Summand<T>::Number;
    left.reach(memory, who);
    right.reach(memory, who);
    auto *to = reinterpret_cast<Number *>(sum.reach(memory, false, true, who));
    for (int64_t column = 0; column < n; ++column)
      for (int64_t row = 0; row < m; ++row)
        to[column * ldc + row] = left.get(row, column) + right.get(row, column);
  };
  Engine::get().enter(call.getStream(), work);
  return CUBLAS_STATUS_SUCCESS;
}

#define HETERO_MATRICES(T, letter)                                             \
  cublasStatus_t cublas##letter##trsm(                                         \
      cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t uplo,     \
      cublasOperation_t trans, cublasDiagType_t diag, int m, int n,            \
      const T *alpha, const T *a, int lda, T *b, int ldb) {                    \
    BlasCall call(__func__, handle);                                           \
    return trsm(call, side, uplo, trans, diag, m, n, alpha, a, lda, b, ldb);   \
  }                                                                            \
  cublasStatus_t cublas##letter##geam(                                         \
      cublasHandle_t handle, cublasOperation_t transa,                         \
      cublasOperation_t transb, int m, int n, const T *alpha, const T *a,      \
      int lda, const T *beta, const T *b, int ldb, T *c, int ldc) {            \
    BlasCall call(__func__, handle);                                           \
    return geam(call, transa, transb, m, n, alpha, a, lda, beta, b, ldb, c,    \
                ldc);                                                          \
  }
HETERO_MATRICES(float, S)
HETERO_MATRICES(double, D)
HETERO_MATRICES(cuComplex, C)
HETERO_MATRICES(cuDoubleComplex, Z)
