//===- Contraction.cpp - Sums of products over strided operands -----------===//
//
// Part of the hetero project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "hetero/Runtime/Contraction.h"

#include <algorithm>
#include <cblas.h>
#include <mutex>
#include <vector>

using namespace hetero::runtime;

namespace {

/// A dimension of the loop nest.
struct Dimension {
  int64_t size, a, b, c;
};

/// The dimensions by what they do.
struct Nest {
  std::vector<Dimension> batch, rows, columns, summed;
  bool isEmpty = false;
};

/// Positions of the elements of the merged dimension, relative to its start.
using Offsets = std::vector<int64_t>;

/// A matrix as the library takes it.
template <typename T>
struct Matrix {
  T *data;
  bool transposed;
  int64_t leading;
};

} // namespace

//===----------------------------------------------------------------------===//
// Dimensions
//===----------------------------------------------------------------------===//

/// Merges neighbours that form one dimension for all operands. Outer ones come
/// first.
static void merge(std::vector<Dimension> &dimensions) {
  std::stable_sort(
      dimensions.begin(), dimensions.end(),
      [](const Dimension &x, const Dimension &y) {
        return std::max({std::abs(x.a), std::abs(x.b), std::abs(x.c)}) >
               std::max({std::abs(y.a), std::abs(y.b), std::abs(y.c)});
      });
  std::vector<Dimension> merged;
  for (const Dimension &inner : dimensions) {
    if (!merged.empty()) {
      Dimension &outer = merged.back();
      if (outer.a == inner.a * inner.size && outer.b == inner.b * inner.size &&
          outer.c == inner.c * inner.size) {
        outer = {outer.size * inner.size, inner.a, inner.b, inner.c};
        continue;
      }
    }
    merged.push_back(inner);
  }
  dimensions = std::move(merged);
}

static Nest classify(const int64_t *table) {
  Nest nest;
  int64_t count = table[0];
  const int64_t *entry = table + 2;
  for (int64_t i = 0; i < count; ++i, entry += 4) {
    Dimension dimension = {entry[0], entry[1], entry[2], entry[3]};
    if (dimension.size == 0 && dimension.c != 0)
      nest.isEmpty = true;
    if (dimension.size == 1)
      continue;
    if (dimension.c == 0)
      nest.summed.push_back(dimension);
    else if (dimension.a != 0 && dimension.b == 0)
      nest.rows.push_back(dimension);
    else if (dimension.a == 0 && dimension.b != 0)
      nest.columns.push_back(dimension);
    else
      nest.batch.push_back(dimension);
  }
  merge(nest.batch);
  merge(nest.rows);
  merge(nest.columns);
  merge(nest.summed);
  return nest;
}

static int64_t getSize(const std::vector<Dimension> &dimensions) {
  int64_t size = 1;
  for (const Dimension &dimension : dimensions)
    size *= dimension.size;
  return size;
}

/// Where each element along the dimensions is, for one operand.
static Offsets getOffsets(const std::vector<Dimension> &dimensions,
                          int64_t Dimension::*step) {
  Offsets offsets = {0};
  for (const Dimension &dimension : dimensions) {
    Offsets next;
    next.reserve(offsets.size() * dimension.size);
    for (int64_t outer : offsets)
      for (int64_t i = 0; i < dimension.size; ++i)
        next.push_back(outer + i * dimension.*step);
    offsets = std::move(next);
  }
  return offsets;
}

//===----------------------------------------------------------------------===//
// The library
//===----------------------------------------------------------------------===//

static void gemm(int64_t m, int64_t n, int64_t k, Matrix<const float> a,
                 Matrix<const float> b, float beta, float *c, int64_t ldc) {
  cblas_sgemm(CblasRowMajor, a.transposed ? CblasTrans : CblasNoTrans,
              b.transposed ? CblasTrans : CblasNoTrans, m, n, k, 1.0f, a.data,
              a.leading, b.data, b.leading, beta, c, ldc);
}

static void gemm(int64_t m, int64_t n, int64_t k, Matrix<const double> a,
                 Matrix<const double> b, double beta, double *c, int64_t ldc) {
  cblas_dgemm(CblasRowMajor, a.transposed ? CblasTrans : CblasNoTrans,
              b.transposed ? CblasTrans : CblasNoTrans, m, n, k, 1.0, a.data,
              a.leading, b.data, b.leading, beta, c, ldc);
}

/// How the library would read rows x columns elements in place, if it can:
/// one step is 1 and the other at least the length that it skips.
static bool isDirect(const std::vector<Dimension> &rows,
                     const std::vector<Dimension> &columns,
                     int64_t Dimension::*step, bool &transposed,
                     int64_t &leading) {
  if (rows.size() > 1 || columns.size() > 1)
    return false;
  int64_t numRows = rows.empty() ? 1 : rows[0].size;
  int64_t numColumns = columns.empty() ? 1 : columns[0].size;
  int64_t rowStep = rows.empty() ? numColumns : rows[0].*step;
  int64_t columnStep = columns.empty() ? 1 : columns[0].*step;
  if (columnStep == 1 && rowStep >= numColumns) {
    transposed = false;
    leading = rowStep;
    return true;
  }
  if (columns.empty())
    columnStep = numRows;
  if (rows.empty())
    rowStep = 1;
  if (rowStep == 1 && columnStep >= numRows) {
    transposed = true;
    leading = columnStep;
    return true;
  }
  return false;
}

namespace {

/// One contraction without its batch dimensions.
template <typename T>
class Product {
public:
  explicit Product(const Nest &nest)
      : m(getSize(nest.rows)), n(getSize(nest.columns)),
        k(getSize(nest.summed)) {
    aIsDirect =
        isDirect(nest.rows, nest.summed, &Dimension::a, aTransposed, lda);
    bIsDirect =
        isDirect(nest.summed, nest.columns, &Dimension::b, bTransposed, ldb);
    bool cTransposed = false;
    cIsDirect =
        isDirect(nest.rows, nest.columns, &Dimension::c, cTransposed, ldc) &&
        !cTransposed;
    if (!aIsDirect || !cIsDirect) {
      aRows = getOffsets(nest.rows, &Dimension::a);
      cRows = getOffsets(nest.rows, &Dimension::c);
    }
    if (!bIsDirect || !cIsDirect) {
      bColumns = getOffsets(nest.columns, &Dimension::b);
      cColumns = getOffsets(nest.columns, &Dimension::c);
    }
    if (!aIsDirect || !bIsDirect) {
      aSummed = getOffsets(nest.summed, &Dimension::a);
      bSummed = getOffsets(nest.summed, &Dimension::b);
    }
  }

  void run(const T *a, const T *b, T *c, bool accumulates) {
    // Blocks of what is packed stay within the cache.
    int64_t kBlock = aIsDirect && bIsDirect ? k : std::min<int64_t>(k, 2048);
    int64_t mBlock =
        aIsDirect && cIsDirect
            ? m
            : std::min<int64_t>(m,
                                std::max<int64_t>(16, kBlockElements / kBlock));
    for (int64_t k0 = 0; k0 < k; k0 += kBlock) {
      int64_t depth = std::min(kBlock, k - k0);
      Matrix<const T> right = getB(b, k0, depth);
      for (int64_t m0 = 0; m0 < m; m0 += mBlock) {
        int64_t height = std::min(mBlock, m - m0);
        Matrix<const T> left = getA(a, m0, height, k0, depth);
        bool adds = accumulates || k0 > 0;
        if (cIsDirect)
          gemm(height, n, depth, left, right, adds ? T(1) : T(0), c + m0 * ldc,
               ldc);
        else
          runIntoCopy(left, right, m0, height, depth, c, adds);
      }
    }
  }

private:
  static constexpr int64_t kBlockElements = 1 << 18;

  Matrix<const T> getA(const T *a, int64_t m0, int64_t height, int64_t k0,
                       int64_t depth) {
    if (aIsDirect)
      return {a + (aTransposed ? m0 + k0 * lda : m0 * lda + k0), aTransposed,
              lda};
    aPacked.resize(height * depth);
    for (int64_t i = 0; i < height; ++i)
      for (int64_t j = 0; j < depth; ++j)
        aPacked[i * depth + j] = a[aRows[m0 + i] + aSummed[k0 + j]];
    return {aPacked.data(), false, depth};
  }

  Matrix<const T> getB(const T *b, int64_t k0, int64_t depth) {
    if (bIsDirect)
      return {b + (bTransposed ? k0 : k0 * ldb), bTransposed, ldb};
    bPacked.resize(depth * n);
    for (int64_t i = 0; i < depth; ++i)
      for (int64_t j = 0; j < n; ++j)
        bPacked[i * n + j] = b[bSummed[k0 + i] + bColumns[j]];
    return {bPacked.data(), false, n};
  }

  void runIntoCopy(Matrix<const T> left, Matrix<const T> right, int64_t m0,
                   int64_t height, int64_t depth, T *c, bool adds) {
    cPacked.resize(height * n);
    gemm(height, n, depth, left, right, T(0), cPacked.data(), n);
    for (int64_t i = 0; i < height; ++i)
      for (int64_t j = 0; j < n; ++j) {
        T &target = c[cRows[m0 + i] + cColumns[j]];
        T value = cPacked[i * n + j];
        target = adds ? target + value : value;
      }
  }

  int64_t m, n, k;
  bool aIsDirect, bIsDirect, cIsDirect;
  bool aTransposed = false, bTransposed = false;
  int64_t lda = 1, ldb = 1, ldc = 1;
  Offsets aRows, aSummed, bSummed, bColumns, cRows, cColumns;
  std::vector<T> aPacked, bPacked, cPacked;
};

} // namespace

void hetero::runtime::setContractionThreads(int count) {
  openblas_set_num_threads(std::max(1, count));
}

/// Nothing to sum: zeros, unless the result is added to.
template <typename T>
static void writeZeros(const Nest &nest, T *c) {
  Offsets batch = getOffsets(nest.batch, &Dimension::c);
  Offsets rows = getOffsets(nest.rows, &Dimension::c);
  Offsets columns = getOffsets(nest.columns, &Dimension::c);
  for (int64_t outer : batch)
    for (int64_t row : rows)
      for (int64_t column : columns)
        c[outer + row + column] = T(0);
}

template <typename T>
static void contract(const T *a, const T *b, T *c, const int64_t *table) {
  // One thread a call unless told otherwise: ranks are threads themselves.
  static std::once_flag once;
  std::call_once(once, [] { openblas_set_num_threads(1); });
  Nest nest = classify(table);
  bool accumulates = table[1] != 0;
  if (nest.isEmpty)
    return;
  if (getSize(nest.summed) == 0) {
    if (!accumulates)
      writeZeros(nest, c);
    return;
  }
  Product<T> product(nest);
  Offsets aBatch = getOffsets(nest.batch, &Dimension::a);
  Offsets bBatch = getOffsets(nest.batch, &Dimension::b);
  Offsets cBatch = getOffsets(nest.batch, &Dimension::c);
  for (size_t i = 0; i < cBatch.size(); ++i)
    product.run(a + aBatch[i], b + bBatch[i], c + cBatch[i], accumulates);
}

void hetero_contract_f32(const float *a, const float *b, float *c,
                         const int64_t *table) {
  contract(a, b, c, table);
}

void hetero_contract_f64(const double *a, const double *b, double *c,
                         const int64_t *table) {
  contract(a, b, c, table);
}
