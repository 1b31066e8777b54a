//===- LoweringSort.cpp - Sorting along a dimension -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A merge sort from the bottom up, of each line along the dimension: stable,
// n log n, and without recursion. A line is copied into a buffer; passes merge
// runs of 1, 2, 4, .. elements into a second one and back. It is written on
// buffers, because the two change places.
//
// On a device the passes are the same, and all elements are merged at once:
// each finds its place by counting, with a binary search, how many elements of
// the other run come before it.

#include "Lowering.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace hetero;
using namespace mlir::stablehlo;

namespace {
/// The sort of the lines of some tensors, as one stands at `line`.
class LineSort {
public:
  LineSort(Lowering &lowering, SortOp op, ArrayRef<Value> from,
           ArrayRef<Value> to, ArrayRef<Value> elements, ArrayRef<Value> merged,
           int64_t dimension, int64_t size)
      : lowering(lowering), op(op), from(from), to(to), elements(elements),
        merged(merged), dimension(dimension), size(size) {}

  /// Sorts the line at the indices of the other dimensions.
  LogicalResult emit(ImplicitLocOpBuilder &b, ValueRange line);

private:
  Value index(ImplicitLocOpBuilder &b, int64_t value) {
    return arith::ConstantIndexOp::create(b, value);
  }
  /// A loop over positions that copies elements.
  void emitCopy(ImplicitLocOpBuilder &b, ArrayRef<Value> source,
                ArrayRef<Value> target, ValueRange sourceLine,
                ValueRange targetLine);
  /// Merges all runs of `width` elements.
  void emitPass(ImplicitLocOpBuilder &b, Value width);
  void emitMerge(ImplicitLocOpBuilder &b, Value low, Value middle, Value high);
  /// Whether the element at `second` has to stand before that at `first`.
  Value emitPrecedes(ImplicitLocOpBuilder &b, Value second, Value first);

  Lowering &lowering;
  SortOp op;
  ArrayRef<Value> from, to, elements, merged;
  int64_t dimension, size;
  bool hasFailed = false;
};
} // namespace

/// The indices of position `at` of a line; of a buffer that is a line itself if
/// the tensor has no other dimensions left.
static SmallVector<Value> insertAt(ValueRange line, int64_t dimension,
                                   Value at) {
  SmallVector<Value> indices(line);
  indices.insert(indices.begin() + dimension, at);
  return indices;
}

void LineSort::emitCopy(ImplicitLocOpBuilder &b, ArrayRef<Value> source,
                        ArrayRef<Value> target, ValueRange sourceLine,
                        ValueRange targetLine) {
  scf::ForOp::create(
      b, index(b, 0), index(b, size), index(b, 1), ValueRange(),
      [&](OpBuilder &builder, Location loc, Value at, ValueRange) {
        ImplicitLocOpBuilder nested(loc, builder);
        for (auto [s, t] : llvm::zip_equal(source, target)) {
          Value element = memref::LoadOp::create(
              nested, s,
              insertAt(sourceLine, sourceLine.empty() ? 0 : dimension, at));
          memref::StoreOp::create(
              nested, element, t,
              insertAt(targetLine, targetLine.empty() ? 0 : dimension, at));
        }
        scf::YieldOp::create(nested);
      });
}

Value LineSort::emitPrecedes(ImplicitLocOpBuilder &b, Value second,
                             Value first) {
  SmallVector<Value> arguments, results;
  for (Value buffer : elements) {
    arguments.push_back(memref::LoadOp::create(b, buffer, second));
    arguments.push_back(memref::LoadOp::create(b, buffer, first));
  }
  if (failed(lowering.emitRegion(b, op.getComparator(), arguments, results))) {
    hasFailed = true;
    return arith::ConstantOp::create(b, b.getBoolAttr(false));
  }
  return results[0];
}

void LineSort::emitMerge(ImplicitLocOpBuilder &b, Value low, Value middle,
                         Value high) {
  scf::ForOp::create(
      b, low, high, index(b, 1), ValueRange{low, middle},
      [&](OpBuilder &builder, Location loc, Value at, ValueRange heads) {
        ImplicitLocOpBuilder nested(loc, builder);
        Value first = heads[0], second = heads[1];
        Value last = index(nested, size - 1), one = index(nested, 1);
        Value hasFirst = arith::CmpIOp::create(
            nested, arith::CmpIPredicate::slt, first, middle);
        Value hasSecond = arith::CmpIOp::create(
            nested, arith::CmpIPredicate::slt, second, high);
        // Beyond the end of a run any element may be compared.
        Value safeFirst = arith::MinSIOp::create(nested, first, last);
        Value safeSecond = arith::MinSIOp::create(nested, second, last);
        Value precedes = emitPrecedes(nested, safeSecond, safeFirst);
        Value yes = arith::ConstantOp::create(nested, nested.getBoolAttr(true));
        Value noFirst = arith::XOrIOp::create(nested, hasFirst, yes);
        Value takesSecond = arith::AndIOp::create(
            nested, hasSecond, arith::OrIOp::create(nested, noFirst, precedes));
        Value taken =
            arith::SelectOp::create(nested, takesSecond, safeSecond, safeFirst);
        for (auto [source, target] : llvm::zip_equal(elements, merged)) {
          Value element = memref::LoadOp::create(nested, source, taken);
          memref::StoreOp::create(nested, element, target, at);
        }
        Value nextFirst =
            arith::SelectOp::create(nested, takesSecond, first,
                                    arith::AddIOp::create(nested, first, one));
        Value nextSecond = arith::SelectOp::create(
            nested, takesSecond, arith::AddIOp::create(nested, second, one),
            second);
        scf::YieldOp::create(nested, ValueRange{nextFirst, nextSecond});
      });
}

void LineSort::emitPass(ImplicitLocOpBuilder &b, Value width) {
  Value end = index(b, size);
  Value twice = arith::AddIOp::create(b, width, width);
  scf::ForOp::create(
      b, index(b, 0), end, twice, ValueRange(),
      [&](OpBuilder &builder, Location loc, Value low, ValueRange) {
        ImplicitLocOpBuilder nested(loc, builder);
        Value middle = arith::MinSIOp::create(
            nested, arith::AddIOp::create(nested, low, width), end);
        Value high = arith::MinSIOp::create(
            nested, arith::AddIOp::create(nested, low, twice), end);
        emitMerge(nested, low, middle, high);
        scf::YieldOp::create(nested);
      });
  emitCopy(b, merged, elements, {}, {});
}

LogicalResult LineSort::emit(ImplicitLocOpBuilder &b, ValueRange line) {
  emitCopy(b, from, elements, line, {});
  Type type = b.getIndexType();
  scf::WhileOp::create(
      b, type, index(b, 1),
      [&](OpBuilder &builder, Location loc, ValueRange width) {
        ImplicitLocOpBuilder nested(loc, builder);
        Value goesOn = arith::CmpIOp::create(nested, arith::CmpIPredicate::slt,
                                             width[0], index(nested, size));
        scf::ConditionOp::create(nested, goesOn, width);
      },
      [&](OpBuilder &builder, Location loc, ValueRange width) {
        ImplicitLocOpBuilder nested(loc, builder);
        emitPass(nested, width[0]);
        Value next = arith::AddIOp::create(nested, width[0], width[0]);
        scf::YieldOp::create(nested, next);
      });
  emitCopy(b, elements, to, {}, line);
  return failure(hasFailed);
}

//===----------------------------------------------------------------------===//
// All elements at once
//===----------------------------------------------------------------------===//

namespace {
/// One pass over some tensors: runs of `width` elements are merged in pairs.
class RankMerge {
public:
  RankMerge(Lowering &lowering, SortOp op, int64_t dimension, int64_t size,
            int64_t width)
      : lowering(lowering), op(op), dimension(dimension), size(size),
        width(width) {}

  /// Puts the element at `indices` of `from` to its place in `to`.
  LogicalResult emit(ImplicitLocOpBuilder &b, ArrayRef<Value> from,
                     ArrayRef<Value> to, ValueRange indices);

private:
  Value index(ImplicitLocOpBuilder &b, int64_t value) {
    return arith::ConstantIndexOp::create(b, value);
  }
  Value min(ImplicitLocOpBuilder &b, Value lhs, Value rhs) {
    return arith::MinSIOp::create(b, lhs, rhs);
  }
  SmallVector<Value> load(ImplicitLocOpBuilder &b, ArrayRef<Value> from,
                          SmallVector<Value> indices, Value at);
  /// Whether `other` of the other run comes before `own`.
  Value comesBefore(ImplicitLocOpBuilder &b, ArrayRef<Value> other,
                    ArrayRef<Value> own, Value isFirst);

  Lowering &lowering;
  SortOp op;
  int64_t dimension, size, width;
  bool hasFailed = false;
};
} // namespace

SmallVector<Value> RankMerge::load(ImplicitLocOpBuilder &b,
                                   ArrayRef<Value> from,
                                   SmallVector<Value> indices, Value at) {
  indices[dimension] = at;
  SmallVector<Value> elements;
  for (Value buffer : from)
    elements.push_back(memref::LoadOp::create(b, buffer, indices));
  return elements;
}

Value RankMerge::comesBefore(ImplicitLocOpBuilder &b, ArrayRef<Value> other,
                             ArrayRef<Value> own, Value isFirst) {
  // Equal elements stay in order: one of the second run comes before one of the
  // first if it precedes it, one of the first unless it is preceded.
  SmallVector<Value> arguments, results;
  for (auto [theirs, mine] : llvm::zip_equal(other, own)) {
    arguments.push_back(arith::SelectOp::create(b, isFirst, theirs, mine));
    arguments.push_back(arith::SelectOp::create(b, isFirst, mine, theirs));
  }
  if (failed(lowering.emitRegion(b, op.getComparator(), arguments, results))) {
    hasFailed = true;
    return isFirst;
  }
  return arith::CmpIOp::create(b, arith::CmpIPredicate::eq, results[0],
                               isFirst);
}

LogicalResult RankMerge::emit(ImplicitLocOpBuilder &b, ArrayRef<Value> from,
                              ArrayRef<Value> to, ValueRange indices) {
  Value at = indices[dimension], end = index(b, size);
  Value pair = arith::DivUIOp::create(b, at, index(b, 2 * width));
  Value low = arith::MulIOp::create(b, pair, index(b, 2 * width));
  Value middle = min(b, arith::AddIOp::create(b, low, index(b, width)), end);
  Value high = min(b, arith::AddIOp::create(b, low, index(b, 2 * width)), end);
  Value isFirst =
      arith::CmpIOp::create(b, arith::CmpIPredicate::slt, at, middle);
  Value begin = arith::SelectOp::create(b, isFirst, middle, low);
  Value last = arith::SelectOp::create(b, isFirst, high, middle);
  SmallVector<Value> own = load(b, from, indices, at);
  SmallVector<Type> types(2, b.getIndexType());
  auto search = scf::WhileOp::create(
      b, types, ValueRange{begin, last},
      [&](OpBuilder &builder, Location loc, ValueRange range) {
        ImplicitLocOpBuilder nested(loc, builder);
        Value goesOn = arith::CmpIOp::create(nested, arith::CmpIPredicate::slt,
                                             range[0], range[1]);
        scf::ConditionOp::create(nested, goesOn, range);
      },
      [&](OpBuilder &builder, Location loc, ValueRange range) {
        ImplicitLocOpBuilder nested(loc, builder);
        Value sum = arith::AddIOp::create(nested, range[0], range[1]);
        Value probe = arith::DivUIOp::create(nested, sum, index(nested, 2));
        Value before = comesBefore(nested, load(nested, from, indices, probe),
                                   own, isFirst);
        Value next = arith::AddIOp::create(nested, probe, index(nested, 1));
        Value first = arith::SelectOp::create(nested, before, next, range[0]);
        Value second = arith::SelectOp::create(nested, before, range[1], probe);
        scf::YieldOp::create(nested, ValueRange{first, second});
      });
  SmallVector<Value> place(indices);
  place[dimension] = arith::SubIOp::create(
      b, arith::AddIOp::create(b, at, search.getResult(0)), middle);
  for (auto [element, buffer] : llvm::zip_equal(own, to))
    memref::StoreOp::create(b, element, buffer, place);
  return failure(hasFailed);
}

LogicalResult Lowering::lowerSortByRanks(SortOp op, int64_t dimension) {
  ArrayRef<int64_t> shape = convertType(op.getInputs()[0]).getShape();
  int64_t size = shape[dimension];
  SmallVector<Value> from, others[2];
  for (Value input : op.getInputs()) {
    RankedTensorType tensor = convertType(input);
    auto type = MemRefType::get(tensor.getShape(), tensor.getElementType());
    from.push_back(bufferization::ToBufferOp::create(b, type, lookup(input),
                                                     /*read_only=*/true));
    others[0].push_back(memref::AllocOp::create(b, type));
    if (size > 2)
      others[1].push_back(memref::AllocOp::create(b, type));
  }
  LogicalResult result = success();
  unsigned numPasses = 0;
  for (int64_t width = 1; width < size; width *= 2) {
    ArrayRef<Value> to = others[numPasses++ % 2];
    RankMerge merge(*this, op, dimension, size, width);
    makeNest(shape, llvm::SmallBitVector(shape.size(), true), ValueRange(),
             [&](ImplicitLocOpBuilder &nested, ValueRange indices, ValueRange) {
               if (failed(merge.emit(nested, from, to, indices)))
                 result = failure();
               return SmallVector<Value>();
             });
    from.assign(to.begin(), to.end());
  }
  for (auto [old, buffer, input] :
       llvm::zip_equal(op->getResults(), from, op.getInputs()))
    map(old, bufferization::ToTensorOp::create(b, convertType(input), buffer,
                                               /*restrict=*/true));
  return result;
}

LogicalResult Lowering::lowerSort(SortOp op) {
  RankedTensorType type = convertType(op.getInputs()[0]);
  int64_t rank = type.getRank();
  int64_t dimension = int64_t(op.getDimension());
  dimension = dimension < 0 ? dimension + rank : dimension;
  if (type.getNumElements() <= 1 || type.getDimSize(dimension) == 1) {
    for (auto [input, result] :
         llvm::zip_equal(op.getInputs(), op->getResults()))
      map(result, lookup(input));
    return success();
  }
  if (target == Target::Cuda)
    return lowerSortByRanks(op, dimension);
  int64_t size = type.getDimSize(dimension);
  SmallVector<Value> from, to, elements, merged;
  for (Value input : op.getInputs()) {
    RankedTensorType tensor = convertType(input);
    auto whole = MemRefType::get(tensor.getShape(), tensor.getElementType());
    auto line = MemRefType::get({size}, tensor.getElementType());
    from.push_back(bufferization::ToBufferOp::create(b, whole, lookup(input),
                                                     /*read_only=*/true));
    to.push_back(memref::AllocOp::create(b, whole));
    elements.push_back(memref::AllocOp::create(b, line));
    merged.push_back(memref::AllocOp::create(b, line));
  }
  LineSort sort(*this, op, from, to, elements, merged, dimension, size);
  SmallVector<Value> lower, upper, steps;
  for (int64_t d = 0; d < rank; ++d) {
    if (d == dimension)
      continue;
    lower.push_back(index(0));
    upper.push_back(index(type.getDimSize(d)));
    steps.push_back(index(1));
  }
  LogicalResult result = success();
  scf::buildLoopNest(b, b.getLoc(), lower, upper, steps,
                     [&](OpBuilder &builder, Location loc, ValueRange line) {
                       ImplicitLocOpBuilder nested(loc, builder);
                       result = sort.emit(nested, line);
                     });
  for (auto [old, buffer, input] :
       llvm::zip_equal(op->getResults(), to, op.getInputs()))
    map(old, bufferization::ToTensorOp::create(b, convertType(input), buffer,
                                               /*restrict=*/true));
  return result;
}
