//===- LowerToCublas.cpp - Contractions as calls of cuBLAS ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cuBLAS multiplies batches of matrices, each with neighbouring elements along
// its rows or its columns, and a fixed distance from one matrix to the next. Of
// the dimensions of a contraction, one each becomes rows, columns, the summed
// dimension and the batch; what is left becomes loops around the call. All
// choices that cuBLAS accepts are tried, and the one with the fewest calls
// taken.

#include "hetero/Conversion/Cuda/Passes.h"
#include "hetero/Conversion/Kernels/Contractions.h"
#include "hetero/Conversion/StablehloToLinalg/Passes.h"
#include "hetero/Dialect/Hetero/HeteroKernelOps.h"
#include "hetero/Runtime/Program.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace hetero;

namespace hetero {
#define GEN_PASS_DEF_LOWERTOCUBLASPASS
#include "hetero/Conversion/Cuda/Passes.h.inc"
} // namespace hetero

/// Beyond this many calls a kernel of our own is better.
static constexpr int64_t kMaxCalls = 1024;
/// So many calls are good in any case, unless they add up.
static constexpr int64_t kFewCalls = 64;
/// Otherwise a call should have so many products.
static constexpr int64_t kMinWork = 32768;
/// cuBLAS takes sizes and steps between rows as 32-bit numbers.
static constexpr int64_t kMaxInt = INT32_MAX;

namespace {
/// One dimension of the loop nest: steps of a, b and c.
struct Dim {
  int64_t size = 1;
  int64_t a = 0, b = 0, c = 0;

  bool isRow() const { return a && !b && c; }
  bool isColumn() const { return !a && b && c; }
  bool isSum() const { return a && b && !c; }
  bool isBatch() const { return a && b && c; }
};

/// Which dimensions are the matrices; -1 for none.
struct Choice {
  int row = -1, column = -1, sum = -1, batch = -1;
};

/// A contraction as calls of cuBLAS.
struct Gemm {
  Dim row, column, sum, batch;
  SmallVector<Dim> loops;

  int64_t getNumCalls() const {
    int64_t count = 1;
    for (const Dim &loop : loops) {
      if (loop.size > kMaxCalls)
        return kMaxCalls + 1;
      count = std::min(count * loop.size, kMaxCalls + 1);
    }
    return count;
  }
  int64_t getWork() const { return row.size * column.size * sum.size; }
};
} // namespace

/// Whether a matrix can be given to cuBLAS: neighbours along one direction, and
/// lines along the other that do not overlap.
static bool isMatrix(int64_t rows, int64_t rowStep, int64_t columns,
                     int64_t columnStep) {
  if (std::max(rows, columns) > kMaxInt ||
      std::max(rowStep, columnStep) > kMaxInt)
    return false;
  if (rows == 1 || columns == 1)
    return true;
  return (columnStep == 1 && rowStep >= columns) ||
         (rowStep == 1 && columnStep >= rows);
}

static bool isAccepted(const Gemm &gemm) {
  return isMatrix(gemm.row.size, gemm.row.a, gemm.sum.size, gemm.sum.a) &&
         isMatrix(gemm.sum.size, gemm.sum.b, gemm.column.size, gemm.column.b) &&
         isMatrix(gemm.row.size, gemm.row.c, gemm.column.size, gemm.column.c) &&
         gemm.batch.size <= kMaxInt;
}

static Gemm makeGemm(ArrayRef<Dim> dims, Choice choice) {
  Gemm gemm;
  auto get = [&](int position) {
    return position < 0 ? Dim() : dims[position];
  };
  gemm.row = get(choice.row);
  gemm.column = get(choice.column);
  gemm.sum = get(choice.sum);
  gemm.batch = get(choice.batch);
  for (auto [i, dim] : llvm::enumerate(dims))
    if (!llvm::is_contained(
            {choice.row, choice.column, choice.sum, choice.batch}, int(i)))
      gemm.loops.push_back(dim);
  return gemm;
}

/// Joins dimensions that are one longer dimension of all three operands.
static SmallVector<Dim> merge(ArrayRef<Dim> dims) {
  SmallVector<Dim> merged;
  for (const Dim &dim : dims) {
    Dim *outer = merged.empty() ? nullptr : &merged.back();
    if (outer && outer->a == dim.a * dim.size && outer->b == dim.b * dim.size &&
        outer->c == dim.c * dim.size) {
      *outer = {outer->size * dim.size, dim.a, dim.b, dim.c};
      continue;
    }
    merged.push_back(dim);
  }
  return merged;
}

/// Tries everything and improves `best`.
static void tryAll(ArrayRef<Dim> dims, std::optional<Gemm> &best) {
  int count = dims.size();
  auto consider = [&](Choice choice) {
    Gemm gemm = makeGemm(dims, choice);
    if (!isAccepted(gemm))
      return;
    auto key = [](const Gemm &g) {
      return std::make_pair(g.getNumCalls(), -g.getWork());
    };
    if (!best || key(gemm) < key(*best))
      best = std::move(gemm);
  };
  for (int row = -1; row < count; ++row) {
    if (row >= 0 && !dims[row].isRow())
      continue;
    for (int column = -1; column < count; ++column) {
      if (column >= 0 && !dims[column].isColumn())
        continue;
      for (int sum = -1; sum < count; ++sum) {
        if (sum >= 0 && !dims[sum].isSum())
          continue;
        for (int batch = -1; batch < count; ++batch) {
          // The matrices of a batch are written at the same time.
          bool isFree = batch < 0 || (batch != row && batch != column &&
                                      !dims[batch].isSum());
          if (isFree)
            consider({row, column, sum, batch});
        }
      }
    }
  }
}

/// Whether calls are better than a kernel of our own, which reads everything
/// from memory but is one launch.
static bool isWorthCalls(const Gemm &gemm) {
  int64_t count = gemm.getNumCalls();
  bool hasSums =
      llvm::any_of(gemm.loops, [](const Dim &d) { return d.isSum(); });
  if (count == 1 || (count <= kFewCalls && !hasSums))
    return true;
  return count <= kMaxCalls &&
         gemm.batch.size >= kMinWork / std::max<int64_t>(1, gemm.getWork());
}

/// The best way to have cuBLAS do it, if there is one.
static std::optional<Gemm> findGemm(const ContractionLoops &loops) {
  SmallVector<Dim> dims;
  for (auto [d, size] : llvm::enumerate(loops.sizes)) {
    Dim dim = {size, loops.operands[0].strides[d], loops.operands[1].strides[d],
               loops.operands[2].strides[d]};
    if (size == 1)
      continue;
    bool isKnown =
        dim.isRow() || dim.isColumn() || dim.isSum() || dim.isBatch();
    if (size < 1 || !isKnown || std::min({dim.a, dim.b, dim.c}) < 0)
      return std::nullopt;
    dims.push_back(dim);
  }
  std::optional<Gemm> best;
  tryAll(merge(dims), best);
  tryAll(dims, best);
  if (best && !isWorthCalls(*best))
    return std::nullopt;
  return best;
}

/// The element types that cuBLAS multiplies, as the runtime counts them.
static std::optional<runtime::ElementType> getElementType(Type type) {
  if (type.isF32())
    return runtime::ElementType::F32;
  if (type.isF64())
    return runtime::ElementType::F64;
  if (type.isF16())
    return runtime::ElementType::F16;
  if (type.isBF16())
    return runtime::ElementType::BF16;
  return std::nullopt;
}

static void addSteps(SmallVectorImpl<int64_t> &table, int64_t batch,
                     int64_t first, int64_t second) {
  table.append({batch, first, second});
}

/// The table of hetero_cuda_gemm, see hetero/Runtime/Cuda.h.
static SmallVector<int64_t> makeTable(const Gemm &gemm, int64_t inputType,
                                      int64_t outputType, bool accumulates) {
  SmallVector<int64_t> table = {
      inputType,     outputType,       accumulates,  gemm.batch.size,
      gemm.row.size, gemm.column.size, gemm.sum.size};
  addSteps(table, gemm.batch.a, gemm.row.a, gemm.sum.a);
  addSteps(table, gemm.batch.b, gemm.sum.b, gemm.column.b);
  addSteps(table, gemm.batch.c, gemm.row.c, gemm.column.c);
  table.push_back(gemm.loops.size());
  for (const Dim &loop : gemm.loops)
    table.append({loop.size, loop.a, loop.b, loop.c});
  return table;
}

/// Replaces the operation by a call. Fails if it has to stay a loop.
static LogicalResult replace(linalg::GenericOp op) {
  SmallVector<std::optional<runtime::ElementType>> types;
  for (Value buffer : op->getOperands())
    types.push_back(getElementType(getElementTypeOrSelf(buffer.getType())));
  if (types.size() != 3 || !types[0] || types[1] != types[0] || !types[2])
    return failure();
  bool isNarrow = *types[0] == runtime::ElementType::F16 ||
                  *types[0] == runtime::ElementType::BF16;
  if (types[2] != types[0] &&
      !(isNarrow && types[2] == runtime::ElementType::F32))
    return failure();
  FailureOr<ContractionLoops> loops = getContractionLoops(op);
  if (failed(loops))
    return failure();
  std::optional<Gemm> gemm = findGemm(*loops);
  if (!gemm)
    return failure();
  callLibrary(op, *loops, "hetero_cuda_gemm",
              makeTable(*gemm, int64_t(*types[0]), int64_t(*types[2]),
                        /*accumulates=*/!loops->fill));
  return success();
}

namespace {
struct LowerToCublas
    : public hetero::impl::LowerToCublasPassBase<LowerToCublas> {
  void runOnOperation() override {
    SmallVector<linalg::GenericOp> contractions;
    getOperation().walk([&](linalg::GenericOp op) {
      if (op->hasAttr(kContractionAttr))
        contractions.push_back(op);
    });
    for (linalg::GenericOp op : contractions)
      if (succeeded(replace(op))) {
        ++numCalls;
      } else {
        op->removeAttr(kContractionAttr);
        ++numLoops;
      }
  }
};
} // namespace
