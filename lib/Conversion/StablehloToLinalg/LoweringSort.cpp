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
  void emit(LoopBuilder &b, ValueRange line);

private:
  /// A loop over positions that copies elements.
  void emitCopy(LoopBuilder &b, ArrayRef<Value> source, ArrayRef<Value> target,
                ValueRange sourceLine, ValueRange targetLine);
  /// Merges all runs of `width` elements.
  void emitPass(LoopBuilder &b, Value width);
  void emitMerge(LoopBuilder &b, Value low, Value middle, Value high);
  /// Whether the element at `second` has to stand before that at `first`.
  Value emitPrecedes(LoopBuilder &b, Value second, Value first);

  Lowering &lowering;
  SortOp op;
  ArrayRef<Value> from, to, elements, merged;
  int64_t dimension, size;
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

void LineSort::emitCopy(LoopBuilder &b, ArrayRef<Value> source,
                        ArrayRef<Value> target, ValueRange sourceLine,
                        ValueRange targetLine) {
  b.loop(b.index(0), b.index(size), b.index(1), {},
         [&](LoopBuilder &nested, Value at, ValueRange) {
           for (auto [s, t] : llvm::zip_equal(source, target)) {
             Value element = memref::LoadOp::create(
                 nested, s,
                 insertAt(sourceLine, sourceLine.empty() ? 0 : dimension, at));
             memref::StoreOp::create(
                 nested, element, t,
                 insertAt(targetLine, targetLine.empty() ? 0 : dimension, at));
           }
           return SmallVector<Value>();
         });
}

Value LineSort::emitPrecedes(LoopBuilder &b, Value second, Value first) {
  SmallVector<Value> arguments;
  for (Value buffer : elements) {
    arguments.push_back(memref::LoadOp::create(b, buffer, second));
    arguments.push_back(memref::LoadOp::create(b, buffer, first));
  }
  return lowering.emitRegion(b, op.getComparator(), arguments)[0];
}

void LineSort::emitMerge(LoopBuilder &b, Value low, Value middle, Value high) {
  b.loop(low, high, b.index(1), {low, middle},
         [&](LoopBuilder &nested, Value at,
             ValueRange heads) -> SmallVector<Value> {
           Value first = heads[0], second = heads[1];
           Value last = nested.index(size - 1), one = nested.index(1);
           Value hasFirst = nested.cmpI(IntOrder::slt, first, middle);
           Value hasSecond = nested.cmpI(IntOrder::slt, second, high);
           // Beyond the end of a run any element may be compared.
           Value safeFirst = nested.minSI(first, last);
           Value safeSecond = nested.minSI(second, last);
           Value precedes = emitPrecedes(nested, safeSecond, safeFirst);
           Value yes = nested.flag(true);
           Value noFirst = nested.xorI(hasFirst, yes);
           Value takesSecond =
               nested.andI(hasSecond, nested.orI(noFirst, precedes));
           Value taken = nested.select(takesSecond, safeSecond, safeFirst);
           for (auto [source, target] : llvm::zip_equal(elements, merged)) {
             Value element = memref::LoadOp::create(nested, source, taken);
             memref::StoreOp::create(nested, element, target, at);
           }
           Value nextFirst =
               nested.select(takesSecond, first, nested.addI(first, one));
           Value nextSecond =
               nested.select(takesSecond, nested.addI(second, one), second);
           return {nextFirst, nextSecond};
         });
}

void LineSort::emitPass(LoopBuilder &b, Value width) {
  Value end = b.index(size);
  Value twice = b.addI(width, width);
  b.loop(b.index(0), end, twice, {},
         [&](LoopBuilder &nested, Value low, ValueRange) {
           Value middle = nested.minSI(nested.addI(low, width), end);
           Value high = nested.minSI(nested.addI(low, twice), end);
           emitMerge(nested, low, middle, high);
           return SmallVector<Value>();
         });
  emitCopy(b, merged, elements, {}, {});
}

void LineSort::emit(LoopBuilder &b, ValueRange line) {
  emitCopy(b, from, elements, line, {});
  Type type = b.getIndexType();
  scf::WhileOp::create(
      b, type, b.index(1),
      [&](OpBuilder &builder, Location loc, ValueRange width) {
        LoopBuilder nested(loc, builder);
        Value goesOn = nested.cmpI(IntOrder::slt, width[0], nested.index(size));
        scf::ConditionOp::create(nested, goesOn, width);
      },
      [&](OpBuilder &builder, Location loc, ValueRange width) {
        LoopBuilder nested(loc, builder);
        emitPass(nested, width[0]);
        Value next = nested.addI(width[0], width[0]);
        scf::YieldOp::create(nested, next);
      });
  emitCopy(b, elements, to, {}, line);
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
  void emit(LoopBuilder &b, ArrayRef<Value> from, ArrayRef<Value> to,
            ValueRange indices);

private:
  SmallVector<Value> load(LoopBuilder &b, ArrayRef<Value> from,
                          SmallVector<Value> indices, Value at);
  /// Whether `other` of the other run comes before `own`.
  Value comesBefore(LoopBuilder &b, ArrayRef<Value> other, ArrayRef<Value> own,
                    Value isFirst);

  Lowering &lowering;
  SortOp op;
  int64_t dimension, size, width;
};
} // namespace

SmallVector<Value> RankMerge::load(LoopBuilder &b, ArrayRef<Value> from,
                                   SmallVector<Value> indices, Value at) {
  indices[dimension] = at;
  SmallVector<Value> elements;
  for (Value buffer : from)
    elements.push_back(memref::LoadOp::create(b, buffer, indices));
  return elements;
}

Value RankMerge::comesBefore(LoopBuilder &b, ArrayRef<Value> other,
                             ArrayRef<Value> own, Value isFirst) {
  // Equal elements stay in order: one of the second run comes before one of the
  // first if it precedes it, one of the first unless it is preceded.
  SmallVector<Value> arguments;
  for (auto [theirs, mine] : llvm::zip_equal(other, own)) {
    arguments.push_back(b.select(isFirst, theirs, mine));
    arguments.push_back(b.select(isFirst, mine, theirs));
  }
  Value precedes = lowering.emitRegion(b, op.getComparator(), arguments)[0];
  return b.cmpI(IntOrder::eq, precedes, isFirst);
}

void RankMerge::emit(LoopBuilder &b, ArrayRef<Value> from, ArrayRef<Value> to,
                     ValueRange indices) {
  Value at = indices[dimension], end = b.index(size);
  Value pair = b.divUI(at, b.index(2 * width));
  Value low = b.mulI(pair, b.index(2 * width));
  Value middle = b.minSI(b.addI(low, b.index(width)), end);
  Value high = b.minSI(b.addI(low, b.index(2 * width)), end);
  Value isFirst = b.cmpI(IntOrder::slt, at, middle);
  Value begin = b.select(isFirst, middle, low);
  Value last = b.select(isFirst, high, middle);
  SmallVector<Value> own = load(b, from, indices, at);
  SmallVector<Type> types(2, b.getIndexType());
  auto search = scf::WhileOp::create(
      b, types, ValueRange{begin, last},
      [&](OpBuilder &builder, Location loc, ValueRange range) {
        LoopBuilder nested(loc, builder);
        Value goesOn = nested.cmpI(IntOrder::slt, range[0], range[1]);
        scf::ConditionOp::create(nested, goesOn, range);
      },
      [&](OpBuilder &builder, Location loc, ValueRange range) {
        LoopBuilder nested(loc, builder);
        Value sum = nested.addI(range[0], range[1]);
        Value probe = nested.divUI(sum, nested.index(2));
        Value before = comesBefore(nested, load(nested, from, indices, probe),
                                   own, isFirst);
        Value next = nested.addI(probe, nested.index(1));
        Value first = nested.select(before, next, range[0]);
        Value second = nested.select(before, range[1], probe);
        scf::YieldOp::create(nested, ValueRange{first, second});
      });
  SmallVector<Value> place(indices);
  place[dimension] = b.subI(b.addI(at, search.getResult(0)), middle);
  for (auto [element, buffer] : llvm::zip_equal(own, to))
    memref::StoreOp::create(b, element, buffer, place);
}

LogicalResult Lowering::lowerSortByRanks(SortOp op, int64_t dimension) {
  ArrayRef<int64_t> shape = convertType(op.getInputs()[0]).getShape();
  int64_t size = shape[dimension];
  SmallVector<Value> from, others[2];
  for (Value input : op.getInputs()) {
    from.push_back(getBuffer(input));
    others[0].push_back(makeBuffer(input));
    if (size > 2)
      others[1].push_back(makeBuffer(input));
  }

  unsigned numPasses = 0;
  for (int64_t width = 1; width < size; width *= 2) {
    ArrayRef<Value> to = others[numPasses++ % 2];
    RankMerge merge(*this, op, dimension, size, width);
    makeNest(shape, llvm::SmallBitVector(shape.size(), true), ValueRange(),
             [&](LoopBuilder &nested, ValueRange indices, ValueRange) {
               merge.emit(nested, from, to, indices);

               return SmallVector<Value>();
             });
    from.assign(to.begin(), to.end());
  }
  mapBuffers(op->getResults(), from);
  return success();
}

LogicalResult Lowering::lower(SortOp op) {
  RankedTensorType type = convertType(op.getInputs()[0]);
  int64_t rank = type.getRank();
  int64_t dimension = int64_t(op.getDimension());
  dimension = dimension < 0 ? dimension + rank : dimension;
  if (type.getNumElements() <= 1 || type.getDimSize(dimension) == 1) {
    map(op->getResults(), lookup(op.getInputs()));

    return success();
  }
  if (target == Target::Cuda)
    return lowerSortByRanks(op, dimension);
  int64_t size = type.getDimSize(dimension);
  SmallVector<Value> from, to, elements, merged;
  for (Value input : op.getInputs()) {
    auto line = MemRefType::get({size}, convertType(input).getElementType());
    from.push_back(getBuffer(input));
    to.push_back(makeBuffer(input));

    elements.push_back(memref::AllocOp::create(b, line));
    merged.push_back(memref::AllocOp::create(b, line));
  }
  LineSort sort(*this, op, from, to, elements, merged, dimension, size);
  SmallVector<Value> lower, upper, steps;
  for (int64_t d = 0; d < rank; ++d) {
    if (d == dimension)
      continue;
    lower.push_back(b.index(0));
    upper.push_back(b.index(type.getDimSize(d)));
    steps.push_back(b.index(1));
  }
  scf::buildLoopNest(b, b.getLoc(), lower, upper, steps,
                     [&](OpBuilder &builder, Location loc, ValueRange line) {
                       LoopBuilder nested(loc, builder);
                       sort.emit(nested, line);
                     });
  mapBuffers(op->getResults(), to);
  return success();
}
