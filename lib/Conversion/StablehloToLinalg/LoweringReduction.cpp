//===- LoweringReduction.cpp - Reductions over dimensions and windows -----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Lowering.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace hetero;
using namespace mlir::stablehlo;

/// Tensors of the types of the results, filled with the initial values.
static SmallVector<Value> makeInits(Lowering &lowering, ValueRange inits,
                                    ResultRange results) {
  SmallVector<Value> filled;
  for (auto [init, result] : llvm::zip_equal(inits, results)) {
    Value scalar = emitConvert(lowering.b, lowering.getScalar(init),
                               getElementType(init), getElementType(result));
    filled.push_back(
        lowering.makeFilled(Lowering::convertType(result), scalar));
  }
  return filled;
}

/// Lets LLVM sum in several registers: a body that is one sum may be summed in
/// any order.
static void allowReassociation(linalg::GenericOp loop) {
  auto sum = loop.getBody()
                 ->getTerminator()
                 ->getOperand(0)
                 .getDefiningOp<arith::AddFOp>();
  if (sum)
    sum.setFastmath(arith::FastMathFlags::reassoc);
}

/// Calls the body with accumulators and elements, which are converted to the
/// types of its arguments.
static SmallVector<Value> emitReducer(Lowering &lowering, LoopBuilder &b,
                                      Region &body, ValueRange inputs,
                                      ValueRange sums, ValueRange elements) {
  SmallVector<Value> arguments(sums);
  for (auto [i, element] : llvm::enumerate(elements)) {
    Type type = getElementType(body.getArgument(elements.size() + i));
    arguments.push_back(
        emitConvert(b, element, getElementType(inputs[i]), type));
  }
  return lowering.emitRegion(b, body, arguments);
}

LogicalResult Lowering::lower(ReduceOp op) {
  SmallVector<Value> inits =
      makeInits(*this, op.getInitValues(), op->getResults());
  RankedTensorType inputType = convertType(op.getInputs()[0]);
  if (inputType.getNumElements() == 0) {
    map(op->getResults(), inits);
    return success();
  }
  int64_t rank = inputType.getRank();
  AffineMap identity = b.getMultiDimIdentityMap(rank);
  SmallVector<AffineExpr> kept;
  for (int64_t d = 0; d < rank; ++d)
    if (!llvm::is_contained(op.getDimensions(), d))
      kept.push_back(b.getAffineDimExpr(d));
  SmallVector<AffineMap> maps(op.getInputs().size(), identity);
  auto loop =
      makeLoop(inputType.getShape(), op.getInputs(), maps, inits,
               AffineMap::get(rank, 0, kept, b.getContext()),
               [&](LoopBuilder &nested, ValueRange elements, ValueRange sums) {
                 return emitReducer(*this, nested, op.getBody(), op.getInputs(),
                                    sums, elements);
               });
  allowReassociation(loop);
  map(op->getResults(), loop.getResults());
  return success();
}

//===----------------------------------------------------------------------===//
// Windows
//===----------------------------------------------------------------------===//

namespace {
/// How a window moves over a tensor, attributes that are absent filled in.
struct WindowShape {
  SmallVector<int64_t> sizes, strides, baseDilations, dilations, low;

  WindowShape(int64_t rank, std::optional<ArrayRef<int64_t>> sizes,
              std::optional<ArrayRef<int64_t>> strides,
              std::optional<ArrayRef<int64_t>> baseDilations,
              std::optional<ArrayRef<int64_t>> dilations,
              std::optional<DenseIntElementsAttr> padding) {
    SmallVector<int64_t> ones(rank, 1);
    auto orOnes = [&](std::optional<ArrayRef<int64_t>> list) {
      return list ? llvm::to_vector(*list) : ones;
    };
    this->sizes = orOnes(sizes);
    this->strides = orOnes(strides);
    this->baseDilations = orOnes(baseDilations);
    this->dilations = orOnes(dilations);
    low.assign(rank, 0);
    if (padding)
      for (auto [i, value] : llvm::enumerate(padding->getValues<int64_t>()))
        if (i % 2 == 0)
          low[i / 2] = value;
  }

  /// Where element `offset` of the window at `place` is in the tensor, and
  /// whether it is within it.
  SmallVector<Value> locate(LoopBuilder &b, ValueRange place, ValueRange offset,
                            ArrayRef<int64_t> shape, Value &isInside) const {

    SmallVector<Value> position;
    isInside = b.flag(true);
    for (size_t d = 0; d < shape.size(); ++d) {
      Value start = b.mulI(place[d], b.index(strides[d]));
      Value step = b.mulI(offset[d], b.index(dilations[d]));
      Value at = b.subI(b.addI(start, step), b.index(low[d]));
      Value isAfter = b.cmpI(IntOrder::sge, at, b.index(0));
      isInside = b.andI(isInside, isAfter);
      if (baseDilations[d] != 1) {
        Value spread = b.index(baseDilations[d]);
        Value rest = arith::RemSIOp::create(b, at, spread);
        Value isElement = b.cmpI(IntOrder::eq, rest, b.index(0));
        isInside = b.andI(isInside, isElement);
        at = arith::DivSIOp::create(b, at, spread);
      }
      Value isBefore = b.cmpI(IntOrder::slt, at, b.index(shape[d]));
      isInside = b.andI(isInside, isBefore);
      position.push_back(at);
    }
    return position;
  }
};
} // namespace

/// The dimension along which each window holds all elements up to its own, or
/// from it on, if that is all that the windows do.
static std::optional<int64_t> getScanned(const WindowShape &window,
                                         ArrayRef<int64_t> inputShape,
                                         ArrayRef<int64_t> shape) {
  auto isOne = [](int64_t size) { return size == 1; };
  if (inputShape != shape || !llvm::all_of(window.strides, isOne) ||
      !llvm::all_of(window.baseDilations, isOne) ||
      !llvm::all_of(window.dilations, isOne))
    return std::nullopt;
  std::optional<int64_t> scanned;
  for (auto [d, size] : llvm::enumerate(window.sizes)) {
    if (size == 1 && window.low[d] == 0)
      continue;
    if (scanned || size != shape[d] ||
        (window.low[d] != 0 && window.low[d] != size - 1))
      return std::nullopt;
    scanned = d;
  }
  return scanned;
}

/// Whether the reduction of one input may begin with several initial values,
/// and go in any order.
static bool isScan(ReduceWindowOp op) {
  if (op.getInputs().size() != 1 ||
      !llvm::hasSingleElement(op.getBody().front().without_terminator()) ||
      getElementType(op.getInputs()[0]) != getElementType(op->getResult(0)) ||
      getElementType(op.getInitValues()[0]) != getElementType(op->getResult(0)))
    return false;
  Operation &body = op.getBody().front().front();
  if (isa<MaxOp, MinOp, AndOp, OrOp>(body))
    return true;
  Value init = op.getInitValues()[0];
  return isa<AddOp>(body) &&
         (matchPattern(init, m_Zero()) || matchPattern(init, m_AnyZeroFloat()));
}

/// Sums up along one dimension: each element is that of the one before it and
/// its own.
static void lowerScan(Lowering &lowering, ReduceWindowOp op, Value init,
                      int64_t scanned, bool isForward) {
  Value input = lowering.lookup(op.getInputs()[0]);
  auto type = cast<RankedTensorType>(init.getType());
  Value first = lowering.getScalar(op.getInitValues()[0]);
  scf::LoopNest scan = lowering.b.nest(
      type.getShape(), lowering.makeEmpty(type),
      [&](LoopBuilder &b, ValueRange indices, ValueRange carried) {
        SmallVector<Value> place(indices), before(indices);
        Value one = b.index(1), zero = b.index(0);
        Value number = indices[scanned];
        if (!isForward) {
          Value last = b.index(type.getDimSize(scanned) - 1);
          place[scanned] = b.subI(last, number);
          before[scanned] = b.addI(place[scanned], one);
        } else {
          before[scanned] = b.subI(number, one);
        }
        SmallVector<Value> sum = b.ifElse(
            b.cmpI(IntOrder::eq, number, zero),
            [&](LoopBuilder &) { return SmallVector<Value>{first}; },
            [&](LoopBuilder &nested) -> SmallVector<Value> {
              return {nested.extract(carried[0], before)};
            });
        Value next = emitReducer(lowering, b, op.getBody(), op.getInputs(), sum,
                                 b.extract(input, place))[0];
        return SmallVector<Value>{
            tensor::InsertOp::create(b, next, carried[0], place)};
      });
  lowering.map(op->getResults(), scan.results);
}

LogicalResult Lowering::lower(ReduceWindowOp op) {
  SmallVector<Value> inits =
      makeInits(*this, op.getInitValues(), op->getResults());
  auto type = cast<RankedTensorType>(inits[0].getType());
  ArrayRef<int64_t> inputShape = convertType(op.getInputs()[0]).getShape();
  int64_t rank = type.getRank();
  WindowShape window(rank, op.getWindowDimensions(), op.getWindowStrides(),
                     op.getBaseDilations(), op.getWindowDilations(),
                     op.getPadding());
  if (type.getNumElements() == 0 || llvm::is_contained(inputShape, 0)) {
    map(op->getResults(), inits);
    return success();
  }
  std::optional<int64_t> scanned =
      getScanned(window, inputShape, type.getShape());
  if (target == Target::Cpu && scanned && isScan(op)) {
    lowerScan(*this, op, inits[0], *scanned, window.low[*scanned] != 0);
    return success();
  }
  SmallVector<Value> tensors = lookup(op.getInputs()), paddings;
  for (Value init : op.getInitValues())
    paddings.push_back(getScalar(init));

  SmallVector<int64_t> shape(type.getShape());
  shape.append(window.sizes);
  AffineMap resultMap =
      AffineMap::getMultiDimIdentityMap(2 * rank, b.getContext())
          .getSliceMap(0, rank);
  auto loop = makeLoop(
      shape, {}, {}, inits, resultMap,
      [&](LoopBuilder &nested, ValueRange, ValueRange sums) {
        SmallVector<Value> indices = getIndices(nested, 2 * rank);
        Value isInside;
        SmallVector<Value> position = window.locate(
            nested, ArrayRef<Value>(indices).take_front(rank),
            ArrayRef<Value>(indices).drop_front(rank), inputShape, isInside);
        // Outside of the inputs are the initial values.
        SmallVector<Value> elements = nested.ifElse(
            isInside,
            [&](LoopBuilder &then) {
              return llvm::map_to_vector(tensors, [&](Value tensor) {
                return then.extract(tensor, position);
              });
            },
            [&](LoopBuilder &) { return paddings; });
        return emitReducer(*this, nested, op.getBody(), op.getInputs(), sums,
                           elements);
      });
  map(op->getResults(), loop.getResults());
  return success();
}

LogicalResult Lowering::lower(SelectAndScatterOp op) {
  RankedTensorType type = convertType(op.getResult());
  Value init = makeInits(*this, op.getInitValue(), op->getResults())[0];

  Value operand = lookup(op.getOperand()), source = lookup(op.getSource());
  RankedTensorType sourceType = convertType(op.getSource());
  int64_t rank = type.getRank();
  WindowShape window(rank, op.getWindowDimensions(), op.getWindowStrides(),
                     std::nullopt, std::nullopt, op.getPadding());
  if (type.getNumElements() == 0 || sourceType.getNumElements() == 0) {
    map(op.getResult(), init);
    return success();
  }
  auto select = [&](LoopBuilder &nested, ValueRange place, ValueRange offset,
                    ValueRange best) {
    // best: the element, its indices, whether there is one.
    Value isInside;
    SmallVector<Value> position =
        window.locate(nested, place, offset, type.getShape(), isInside);
    return nested.ifElse(
        isInside,
        [&](LoopBuilder &then) {
          Value element = then.extract(operand, position);
          Value keeps = emitRegion(then, op.getSelect(), {best[0], element})[0];
          Value kept = then.andI(keeps, best.back());
          SmallVector<Value> chosen = {then.select(kept, best[0], element)};
          for (int64_t d = 0; d < rank; ++d)
            chosen.push_back(then.select(kept, best[d + 1], position[d]));
          chosen.push_back(then.flag(true));
          return chosen;
        },
        [&](LoopBuilder &) { return SmallVector<Value>(best); });
  };
  // Windows that do not overlap along a dimension do not meet there.
  llvm::SmallBitVector independent(rank);
  for (int64_t d = 0; d < rank; ++d)
    independent[d] = window.sizes[d] <= window.strides[d];
  scf::ValueVector result = makeNest(
      sourceType.getShape(), independent, init,
      [&](LoopBuilder &nested, ValueRange place, ValueRange carried) {
        SmallVector<Value> start = {nested.zero(type.getElementType())};
        start.append(rank, nested.index(0));
        start.push_back(nested.flag(false));
        scf::LoopNest search = nested.nest(
            window.sizes, start,
            [&](LoopBuilder &inner, ValueRange offset, ValueRange values) {
              return select(inner, place, offset, values);
            });
        ValueRange best = search.results;
        return nested.ifElse(
            best.back(),
            [&](LoopBuilder &then) -> SmallVector<Value> {
              ValueRange position = best.slice(1, rank);
              Value old = then.extract(carried[0], position);
              Value added = then.extract(source, place);
              Value sum = emitRegion(then, op.getScatter(), {old, added})[0];
              return {
                  tensor::InsertOp::create(then, sum, carried[0], position)};
            },
            [&](LoopBuilder &) { return SmallVector<Value>(carried); });
      });
  map(op.getResult(), result[0]);
  return success();
}
