//===- LoweringGatherScatter.cpp - Slices at lists of places --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Lowering.h"
#include "hetero/Conversion/StablehloToLinalg/Passes.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"

using namespace mlir;
using namespace hetero;
using namespace mlir::stablehlo;

namespace {
/// What gather and scatter have in common: a window over `operand` for each
/// vector in `indices`. `batch` are the indices of the result (or updates) that
/// run over the vectors, `window` those that run over a window.
struct Windows {
  ArrayRef<int64_t> windowDims;   ///< Of the result or updates.
  ArrayRef<int64_t> insertedDims; ///< Of the operand, size 1 in the window.
  ArrayRef<int64_t> operandBatch; ///< Of the operand ..
  ArrayRef<int64_t> indicesBatch; ///< .. and their partners.
  ArrayRef<int64_t> indexMap;     ///< Operand dimension of each component.
  int64_t vectorDim;

  /// Whether a window has this dimension of the operand.
  bool hasDimension(int64_t d) const {
    return !llvm::is_contained(insertedDims, d) &&
           !llvm::is_contained(operandBatch, d);
  }

  /// For the element at `position` of the result: where its vector is, without
  /// the component.
  SmallVector<Value> getBatch(ValueRange position) const {
    SmallVector<Value> batch;
    for (auto [d, value] : llvm::enumerate(position))
      if (!llvm::is_contained(windowDims, int64_t(d)))
        batch.push_back(value);
    return batch;
  }

  /// The start of the window along each dimension of the operand.
  SmallVector<Value> getStarts(Lowering &lowering, LoopBuilder &b,
                               Value indices, Type indexType, ValueRange batch,
                               int64_t rank) const {
    Value zero = b.index(0);
    SmallVector<Value> starts(rank, zero);
    int64_t indicesRank = cast<RankedTensorType>(indices.getType()).getRank();
    for (auto [component, dim] : llvm::enumerate(indexMap)) {
      SmallVector<Value> place(batch);
      if (vectorDim < indicesRank)
        place.insert(place.begin() + vectorDim, b.index(component));
      Value index = b.extract(indices, place);
      starts[dim] = lowering.toIndex(b, index, indexType);
    }
    for (auto [dim, partner] : llvm::zip_equal(operandBatch, indicesBatch)) {
      // `batch` lacks the dimension of the vectors.
      int64_t at = partner < vectorDim ? partner : partner - 1;
      starts[dim] = batch[at];
    }
    return starts;
  }

  /// Offsets within the window along each dimension of the operand.
  SmallVector<Value> getOffsets(LoopBuilder &b, ValueRange position,
                                int64_t rank) const {
    SmallVector<Value> offsets(rank);
    size_t next = 0;
    for (int64_t d = 0; d < rank; ++d)
      offsets[d] = hasDimension(d) ? position[windowDims[next++]] : b.index(0);
    return offsets;
  }

  /// The dimensions of the updates along which no two of them meet: windows
  /// start at the same place there, or the vectors at different ones.
  llvm::SmallBitVector getIndependent(ScatterOp op) const {
    int64_t rank = Lowering::convertType(op.getUpdates()[0]).getRank();
    llvm::SmallBitVector independent(rank, op.getUniqueIndices());
    int64_t operandRank = Lowering::convertType(op.getInputs()[0]).getRank();
    for (int64_t d = 0, next = 0; d < operandRank; ++d)
      if (hasDimension(d)) {
        if (!llvm::is_contained(indexMap, d))
          independent.set(windowDims[next]);
        ++next;
      }
    for (int64_t d = 0, next = 0; d < rank; ++d) {
      if (llvm::is_contained(windowDims, d))
        continue;
      int64_t partner = next < vectorDim ? next : next + 1;
      if (llvm::is_contained(indicesBatch, partner))
        independent.set(d);
      ++next;
    }
    return independent;
  }
};
} // namespace

scf::ValueVector Lowering::makeNest(ArrayRef<int64_t> shape,
                                    const llvm::SmallBitVector &independent,
                                    ValueRange carried,
                                    LoopBuilder::NestFn body) {
  // Without loops a condition around the only write decides which buffer the
  // result is, unless the write goes to one of its own.
  SmallVector<Value> owned(carried);
  if (llvm::all_of(shape, [](int64_t size) { return size == 1; })) {
    for (Value &value : owned)
      value = bufferization::AllocTensorOp::create(
          b, cast<RankedTensorType>(value.getType()),
          /*dynamicSizes=*/ValueRange(), /*copy=*/value);
    carried = owned;
  }
  // On a device, the loops that threads can share come first; the order within
  // the others stays.
  SmallVector<int64_t> order;
  bool sharesLoops = target == Target::Cuda;
  for (size_t d = 0; d < shape.size(); ++d)
    if (!sharesLoops || independent[d])
      order.push_back(d);
  for (size_t d = 0; d < shape.size(); ++d)
    if (sharesLoops && !independent[d])
      order.push_back(d);
  SmallVector<int64_t> sizes;
  for (int64_t d : order)
    sizes.push_back(shape[d]);
  scf::LoopNest nest =
      b.nest(sizes, carried,
             [&](LoopBuilder &nested, ValueRange indices, ValueRange values) {
               SmallVector<Value> position(shape.size());
               for (auto [d, index] : llvm::zip_equal(order, indices))
                 position[d] = index;
               return body(nested, position, values);
             });
  for (auto [d, loop] : llvm::zip_equal(order, nest.loops))
    if (independent[d])
      loop->setAttr(kParallelAttr, b.getUnitAttr());
  return nest.results;
}

LogicalResult Lowering::lower(GatherOp op) {
  auto numbers = op.getDimensionNumbers();
  Windows windows = {
      numbers.getOffsetDims(),          numbers.getCollapsedSliceDims(),
      numbers.getOperandBatchingDims(), numbers.getStartIndicesBatchingDims(),
      numbers.getStartIndexMap(),       numbers.getIndexVectorDim()};
  RankedTensorType type = convertType(op.getResult());
  RankedTensorType operandType = convertType(op.getOperand());
  Value operand = lookup(op.getOperand());
  Value indices = lookup(op.getStartIndices());
  Type indexType = getElementType(op.getStartIndices());
  int64_t rank = operandType.getRank();
  Value result = makeGenerated(
      type, [&](LoopBuilder &nested, ValueRange position) -> Value {
        SmallVector<Value> starts =
            windows.getStarts(*this, nested, indices, indexType,
                              windows.getBatch(position), rank);
        SmallVector<Value> offsets = windows.getOffsets(nested, position, rank);
        Value zero = nested.index(0);
        for (int64_t d = 0; d < rank; ++d) {
          if (llvm::is_contained(windows.indexMap, d)) {
            Value last =
                nested.index(operandType.getDimSize(d) - op.getSliceSizes()[d]);
            starts[d] = indexType.isUnsignedInteger(64)
                            ? nested.minUI(starts[d], last)
                            : nested.minSI(nested.maxSI(starts[d], zero), last);
          }
          starts[d] = nested.addI(starts[d], offsets[d]);
        }
        return nested.extract(operand, starts);
      });
  map(op.getResult(), result);
  return success();
}

/// Whether windows of `sizes` at `starts` lie within `shape`.
static Value isWithin(LoopBuilder &b, ValueRange starts,
                      ArrayRef<int64_t> sizes, ArrayRef<int64_t> shape,
                      ArrayRef<int64_t> dims) {
  Value inside = b.flag(true);
  for (int64_t d : dims) {
    // As unsigned numbers, negative ones are large.
    Value bound = b.index(shape[d] - sizes[d] + 1);
    Value fits = b.cmpI(IntOrder::ult, starts[d], bound);
    inside = b.andI(inside, fits);
  }
  return inside;
}

LogicalResult Lowering::lower(ScatterOp op) {
  auto numbers = op.getScatterDimensionNumbers();
  Windows windows = {numbers.getUpdateWindowDims(),
                     numbers.getInsertedWindowDims(),
                     numbers.getInputBatchingDims(),
                     numbers.getScatterIndicesBatchingDims(),
                     numbers.getScatterDimsToOperandDims(),
                     numbers.getIndexVectorDim()};
  SmallVector<Value> inputs = lookup(op.getInputs());
  SmallVector<Value> updates = lookup(op.getUpdates());
  RankedTensorType updateType = convertType(op.getUpdates()[0]);
  RankedTensorType type = convertType(op.getInputs()[0]);
  if (updateType.getNumElements() == 0) {
    map(op->getResults(), inputs);
    return success();
  }
  Value indices = lookup(op.getScatterIndices());
  Type indexType = getElementType(op.getScatterIndices());
  int64_t rank = type.getRank();
  SmallVector<int64_t> sizes(rank, 1);
  for (int64_t d = 0, next = 0; d < rank; ++d)
    if (windows.hasDimension(d))

      sizes[d] = updateType.getDimSize(windows.windowDims[next++]);
  for (int64_t d : windows.indexMap)
    if (sizes[d] > type.getDimSize(d)) {
      map(op->getResults(), inputs);
      return success();
    }

  auto combine = [&](LoopBuilder &then, ValueRange at, ValueRange position,
                     ValueRange carried) {
    SmallVector<Value> arguments, inserted;
    for (Value input : carried)
      arguments.push_back(then.extract(input, at));
    for (Value update : updates)
      arguments.push_back(then.extract(update, position));
    SmallVector<Value> combined =
        emitRegion(then, op.getUpdateComputation(), arguments);
    for (auto [value, input] : llvm::zip_equal(combined, carried))
      inserted.push_back(tensor::InsertOp::create(then, value, input, at));
    return inserted;
  };
  scf::ValueVector results = makeNest(
      updateType.getShape(), windows.getIndependent(op), inputs,
      [&](LoopBuilder &nested, ValueRange position, ValueRange carried) {
        SmallVector<Value> starts =
            windows.getStarts(*this, nested, indices, indexType,
                              windows.getBatch(position), rank);
        Value inside =
            isWithin(nested, starts, sizes, type.getShape(), windows.indexMap);
        SmallVector<Value> offsets = windows.getOffsets(nested, position, rank);
        for (auto [start, offset] : llvm::zip_equal(starts, offsets))
          start = nested.addI(start, offset);
        return nested.ifElse(
            inside,
            [&](LoopBuilder &then) {
              return combine(then, starts, position, carried);
            },
            [&](LoopBuilder &) { return SmallVector<Value>(carried); });
      });
  map(op->getResults(), results);
  return success();
}
