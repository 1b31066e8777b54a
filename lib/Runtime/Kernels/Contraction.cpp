//===- Contraction.cpp - Sums of products over strided operands -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Runtime/Contraction.h"
#include "hetero/Runtime/Device.h"
#include "hetero/Runtime/Hooks.h"
#include "hetero/Runtime/ThreadPool.h"

#include <algorithm>
#include <cblas.h>
#include <mutex>
#include <optional>
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

/// A number of elements that are evenly spaced.
namespace {
struct Line {
  int64_t size = 1, step = 0;
};
} // namespace

/// The dimensions as one, if the operand moves evenly over them.
static std::optional<Line> getLine(const std::vector<Dimension> &dimensions,
                                   int64_t Dimension::*step) {
  Line line;
  for (auto inner = dimensions.rbegin(); inner != dimensions.rend(); ++inner) {
    if (line.size == 1)
      line = {inner->size, (*inner).*step};
    else if ((*inner).*step == line.step * line.size)
      line.size *= inner->size;
    else
      return std::nullopt;
  }
  return line;
}

/// How the library would read rows x columns elements in place, if it can:
/// one step is 1 and the other at least the length that it skips.
static bool isDirect(const std::vector<Dimension> &rows,
                     const std::vector<Dimension> &columns,
                     int64_t Dimension::*step, bool &transposed,
                     int64_t &leading) {
  std::optional<Line> row = getLine(rows, step),
                      column = getLine(columns, step);
  if (!row || !column)
    return false;
  if ((column->size == 1 || column->step == 1) &&
      (row->size == 1 || row->step >= column->size)) {
    transposed = false;
    leading = row->size == 1 ? column->size : row->step;
    return true;
  }
  if ((row->size == 1 || row->step == 1) &&
      (column->size == 1 || column->step >= row->size)) {
    transposed = true;
    leading = column->size == 1 ? row->size : column->step;
    return true;
  }
  return false;
}

/// How many elements from the first one on are neighbours.
static int64_t getRun(const Offsets &offsets) {
  int64_t run = 1;
  while (run < int64_t(offsets.size()) && offsets[run] == offsets[0] + run)
    ++run;
  return run;
}

/// Part of a dimension.
namespace {
struct Part {
  int64_t begin, end;
  int64_t size() const { return end - begin; }
};
} // namespace

/// Copies the elements at `outer` x `inner` to `to`, a row for each of `outer`.
/// Runs of neighbours along `inner` are copied at once.
template <typename T>
static void pack(const T *from, const Offsets &outer, Part rows,
                 const Offsets &inner, Part columns, int64_t run, T *to) {
  for (int64_t i = rows.begin; i < rows.end; ++i) {
    const T *row = from + outer[i];
    if (run < 4) {
      for (int64_t j = columns.begin; j < columns.end; ++j)
        *to++ = row[inner[j]];
      continue;
    }
    for (int64_t j = columns.begin; j < columns.end;) {
      int64_t length = std::min(run - j % run, columns.end - j);
      to = std::copy_n(row + inner[j], length, to);
      j += length;
    }
  }
}

/// What a thread packs into; kept, because fresh memory is slow.
template <typename T>
static std::vector<T> &getBuffer(int number) {
  static thread_local std::vector<T> buffers[3];
  return buffers[number];
}

namespace {

/// One contraction without its batch dimensions. Threads share it.
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

  int64_t getNumRows() const { return m; }
  int64_t getNumColumns() const { return n; }
  int64_t getWork() const { return m * n * k; }
  /// Whether threads had better share rows than columns: what is packed is
  /// packed once then, and pieces are large.
  bool hasRowPieces() const {
    return aIsDirect == bIsDirect ? m >= n : bIsDirect;
  }

  /// Computes a part of the rows and columns.
  void run(const T *a, const T *b, T *c, bool accumulates, Part rows,
           Part columns) const {
    // Blocks of what is packed stay within the cache.
    int64_t kBlock = aIsDirect && bIsDirect ? k : std::min<int64_t>(k, 2048);
    int64_t mBlock =
        aIsDirect && cIsDirect
            ? rows.size()
            : std::min<int64_t>(rows.size(),
                                std::max<int64_t>(16, kBlockElements / kBlock));
    for (int64_t k0 = 0; k0 < k; k0 += kBlock) {
      Part depth = {k0, std::min(k, k0 + kBlock)};
      Matrix<const T> right = getB(b, depth, columns);
      for (int64_t m0 = rows.begin; m0 < rows.end; m0 += mBlock) {
        Part height = {m0, std::min(rows.end, m0 + mBlock)};
        Matrix<const T> left = getA(a, height, depth);
        bool adds = accumulates || k0 > 0;
        if (cIsDirect)
          gemm(height.size(), columns.size(), depth.size(), left, right,
               adds ? T(1) : T(0), c + m0 * ldc + columns.begin, ldc);
        else
          runIntoCopy(left, right, height, columns, depth.size(), c, adds);
      }
    }
  }

private:
  static constexpr int64_t kBlockElements = 1 << 18;

  Matrix<const T> getA(const T *a, Part rows, Part depth) const {
    if (aIsDirect)
      return {a + (aTransposed ? rows.begin + depth.begin * lda
                               : rows.begin * lda + depth.begin),
              aTransposed, lda};
    return packMatrix(a, aRows, rows, aSummed, depth, getBuffer<T>(0));
  }

  Matrix<const T> getB(const T *b, Part depth, Part columns) const {
    if (bIsDirect)
      return {b + (bTransposed ? depth.begin + columns.begin * ldb
                               : depth.begin * ldb + columns.begin),
              bTransposed, ldb};
    return packMatrix(b, bSummed, depth, bColumns, columns, getBuffer<T>(1));
  }

  /// Packs along the dimension that has the longer runs.
  static Matrix<const T> packMatrix(const T *from, const Offsets &rowOffsets,
                                    Part rows, const Offsets &columnOffsets,
                                    Part columns, std::vector<T> &buffer) {
    if (int64_t(buffer.size()) < rows.size() * columns.size())
      buffer.resize(rows.size() * columns.size());
    int64_t rowRun = getRun(rowOffsets), columnRun = getRun(columnOffsets);
    if (rowRun > columnRun) {
      pack(from, columnOffsets, columns, rowOffsets, rows, rowRun,
           buffer.data());
      return {buffer.data(), true, rows.size()};
    }
    pack(from, rowOffsets, rows, columnOffsets, columns, columnRun,
         buffer.data());
    return {buffer.data(), false, columns.size()};
  }

  void runIntoCopy(Matrix<const T> left, Matrix<const T> right, Part rows,
                   Part columns, int64_t depth, T *c, bool adds) const {
    std::vector<T> &packed = getBuffer<T>(2);
    int64_t width = columns.size();
    if (int64_t(packed.size()) < rows.size() * width)
      packed.resize(rows.size() * width);
    gemm(rows.size(), width, depth, left, right, T(0), packed.data(), width);
    for (int64_t i = 0; i < rows.size(); ++i)
      for (int64_t j = 0; j < width; ++j) {
        T &target = c[cRows[rows.begin + i] + cColumns[columns.begin + j]];
        T value = packed[i * width + j];
        target = adds ? target + value : value;
      }
  }

  int64_t m, n, k;
  bool aIsDirect, bIsDirect, cIsDirect;
  bool aTransposed = false, bTransposed = false;
  int64_t lda = 1, ldb = 1, ldc = 1;
  Offsets aRows, aSummed, bSummed, bColumns, cRows, cColumns;
};

} // namespace

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

namespace {

/// A contraction under way.
template <typename T>
struct Call {
  const Product<T> &product;
  const T *a, *b;
  T *c;
  bool accumulates;
  /// Where each member of the batch starts.
  Offsets aBatch, bBatch, cBatch;
  /// The member that threads share, if they do not share the batch.
  size_t member = 0;

  void run(size_t i, Part rows, Part columns) const {
    product.run(a + aBatch[i], b + bBatch[i], c + cBatch[i], accumulates, rows,
                columns);
  }
};

} // namespace

/// Rows or columns of a piece are a multiple of what the library computes at
/// once.
static constexpr int64_t kTile = 16;
/// Products that a call must have for several threads.
static constexpr int64_t kMinWork = 1 << 18;

static int64_t getNumThreads() {
  Device *device = Device::getCurrent();
  return device ? device->getThreadPool().getNumThreads() : 1;
}

template <typename T>
static void runMembers(int64_t begin, int64_t end, void *context) {
  const auto &call = *static_cast<const Call<T> *>(context);
  const Product<T> &product = call.product;
  for (int64_t i = begin; i < end; ++i)
    call.run(i, {0, product.getNumRows()}, {0, product.getNumColumns()});
}

template <typename T>
static void runTiles(int64_t begin, int64_t end, void *context) {
  const auto &call = *static_cast<const Call<T> *>(context);
  const Product<T> &product = call.product;
  Part rows = {0, product.getNumRows()}, columns = {0, product.getNumColumns()};
  Part &shared = product.hasRowPieces() ? rows : columns;
  shared = {begin * kTile, std::min(shared.end, end * kTile)};
  call.run(call.member, rows, columns);
}

template <typename T>
static void contract(const T *a, const T *b, T *c, const int64_t *table) {
  // Threads are those of the device.
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
  Call<T> call = {product,
                  a,
                  b,
                  c,
                  accumulates,
                  getOffsets(nest.batch, &Dimension::a),
                  getOffsets(nest.batch, &Dimension::b),
                  getOffsets(nest.batch, &Dimension::c)};
  int64_t numMembers = call.cBatch.size(), numThreads = getNumThreads();
  if (numThreads == 1 || product.getWork() * numMembers < kMinWork)
    return runMembers<T>(0, numMembers, &call);
  if (numMembers % numThreads == 0 || numMembers >= 4 * numThreads)
    return hetero_parallel_for(numMembers, &runMembers<T>, &call);
  int64_t size =
      product.hasRowPieces() ? product.getNumRows() : product.getNumColumns();
  for (; call.member < call.cBatch.size(); ++call.member)
    hetero_parallel_for((size + kTile - 1) / kTile, &runTiles<T>, &call);
}

void hetero_contract_f32(const float *a, const float *b, float *c,
                         const int64_t *table) {
  contract(a, b, c, table);
}

void hetero_contract_f64(const double *a, const double *b, double *c,
                         const int64_t *table) {
  contract(a, b, c, table);
}
