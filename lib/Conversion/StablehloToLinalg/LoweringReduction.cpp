//===- LoweringReduction.cpp - Reductions over dimensions and windows -----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Lowering.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace hetero;
using namespace mlir::stablehlo;

/// Tensors of the types of the results, filled with the initial values.
static SmallVector<Value> makeInits(Lowering &lowering, ValueRange inits,
                                    ResultRange results, Region &body) {
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
static LogicalResult emitReducer(Lowering &lowering, ImplicitLocOpBuilder &b,
                                 Region &body, ValueRange inputs,
                                 ValueRange sums, ValueRange elements,
                                 SmallVectorImpl<Value> &results) {
  SmallVector<Value> arguments(sums);
  for (auto [i, element] : llvm::enumerate(elements)) {
    Type type = getElementType(body.getArgument(elements.size() + i));
    arguments.push_back(
        emitConvert(b, element, getElementType(inputs[i]), type));
  }
  return lowering.emitRegion(b, body, arguments, results);
}

LogicalResult Lowering::lowerReduce(ReduceOp op) {
  SmallVector<Value> inits =
      makeInits(*this, op.getInitValues(), op->getResults(), op.getBody());
  RankedTensorType inputType = convertType(op.getInputs()[0]);
  if (inputType.getNumElements() == 0) {
    for (auto [result, init] : llvm::zip_equal(op->getResults(), inits))
      map(result, init);
    return success();
  }
  int64_t rank = inputType.getRank();
  AffineMap identity = b.getMultiDimIdentityMap(rank);
  SmallVector<utils::IteratorType> iterators(rank,
                                             utils::IteratorType::parallel);
  SmallVector<AffineExpr> kept;
  for (int64_t d = 0; d < rank; ++d) {
    if (llvm::is_contained(op.getDimensions(), d))
      iterators[d] = utils::IteratorType::reduction;
    else
      kept.push_back(b.getAffineDimExpr(d));
  }
  SmallVector<AffineMap> maps(op.getInputs().size(), identity);
  SmallVector<AffineMap> resultMaps(
      inits.size(), AffineMap::get(rank, 0, kept, b.getContext()));
  auto loop = makeLoop(
      inputType.getShape(), op.getInputs(), maps, inits, resultMaps, iterators,
      [&](ImplicitLocOpBuilder &nested, ValueRange elements, ValueRange sums,
          SmallVectorImpl<Value> &results) {
        return emitReducer(*this, nested, op.getBody(), op.getInputs(), sums,
                           elements, results);
      });
  if (failed(loop))
    return failure();
  allowReassociation(*loop);
  for (auto [result, value] :
       llvm::zip_equal(op->getResults(), (*loop)->getResults()))
    map(result, value);
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
  SmallVector<Value> locate(ImplicitLocOpBuilder &b, ValueRange place,
                            ValueRange offset, ArrayRef<int64_t> shape,
                            Value &isInside) const {
    auto constant = [&](int64_t value) -> Value {
      return arith::ConstantIndexOp::create(b, value);
    };
    SmallVector<Value> position;
    isInside = arith::ConstantOp::create(b, b.getBoolAttr(true));
    for (size_t d = 0; d < shape.size(); ++d) {
      Value start = arith::MulIOp::create(b, place[d], constant(strides[d]));
      Value step = arith::MulIOp::create(b, offset[d], constant(dilations[d]));
      Value at = arith::SubIOp::create(b, arith::AddIOp::create(b, start, step),
                                       constant(low[d]));
      Value isAfter =
          arith::CmpIOp::create(b, arith::CmpIPredicate::sge, at, constant(0));
      isInside = arith::AndIOp::create(b, isInside, isAfter);
      if (baseDilations[d] != 1) {
        Value spread = constant(baseDilations[d]);
        Value rest = arith::RemSIOp::create(b, at, spread);
        Value isElement = arith::CmpIOp::create(b, arith::CmpIPredicate::eq,
                                                rest, constant(0));
        isInside = arith::AndIOp::create(b, isInside, isElement);
        at = arith::DivSIOp::create(b, at, spread);
      }
      Value isBefore = arith::CmpIOp::create(b, arith::CmpIPredicate::slt, at,
                                             constant(shape[d]));
      isInside = arith::AndIOp::create(b, isInside, isBefore);
      position.push_back(at);
    }
    return position;
  }
};
} // namespace

/// A nest of loops over a window with values that each iteration replaces.
static SmallVector<Value>
makeWindowNest(ImplicitLocOpBuilder &b, ArrayRef<int64_t> shape,
               ValueRange carried,
               llvm::function_ref<SmallVector<Value>(ImplicitLocOpBuilder &,
                                                     ValueRange, ValueRange)>
                   body) {
  Value zero = arith::ConstantIndexOp::create(b, 0);
  Value one = arith::ConstantIndexOp::create(b, 1);
  SmallVector<Value> lower(shape.size(), zero), steps(shape.size(), one), upper;
  for (int64_t size : shape)
    upper.push_back(arith::ConstantIndexOp::create(b, size));
  scf::LoopNest nest = scf::buildLoopNest(
      b, b.getLoc(), lower, upper, steps, carried,
      [&](OpBuilder &builder, Location loc, ValueRange indices,
          ValueRange values) -> scf::ValueVector {
        ImplicitLocOpBuilder nested(loc, builder);
        SmallVector<Value> next = body(nested, indices, values);
        return scf::ValueVector(next.begin(), next.end());
      });
  return llvm::to_vector(nest.results);
}

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
static LogicalResult lowerScan(Lowering &lowering, ReduceWindowOp op,
                               Value init, int64_t scanned, bool isForward) {
  Value input = lowering.lookup(op.getInputs()[0]);
  auto type = cast<RankedTensorType>(init.getType());
  bool hasFailed = false;
  Value first = lowering.getScalar(op.getInitValues()[0]);
  SmallVector<Value> scan = makeWindowNest(
      lowering.b, type.getShape(), lowering.makeEmpty(type),
      [&](ImplicitLocOpBuilder &b, ValueRange indices, ValueRange carried) {
        SmallVector<Value> place(indices), before(indices);
        Value one = arith::ConstantIndexOp::create(b, 1);
        Value zero = arith::ConstantIndexOp::create(b, 0);
        Value number = indices[scanned];
        if (!isForward) {
          Value last =
              arith::ConstantIndexOp::create(b, type.getDimSize(scanned) - 1);
          place[scanned] = arith::SubIOp::create(b, last, number);
          before[scanned] = arith::AddIOp::create(b, place[scanned], one);
        } else {
          before[scanned] = arith::SubIOp::create(b, number, one);
        }
        Value isFirst =
            arith::CmpIOp::create(b, arith::CmpIPredicate::eq, number, zero);
        auto sum = scf::IfOp::create(
            b, isFirst,
            [&](OpBuilder &builder, Location loc) {
              scf::YieldOp::create(builder, loc, first);
            },
            [&](OpBuilder &builder, Location loc) {
              Value known =
                  tensor::ExtractOp::create(builder, loc, carried[0], before);
              scf::YieldOp::create(builder, loc, known);
            });
        Value element = tensor::ExtractOp::create(b, input, place);
        SmallVector<Value> results;
        if (failed(emitReducer(lowering, b, op.getBody(), op.getInputs(),
                               sum.getResults(), element, results))) {
          hasFailed = true;
          results = {element};
        }
        Value next = tensor::InsertOp::create(b, results[0], carried[0], place);
        return SmallVector<Value>{next};
      });
  if (hasFailed)
    return failure();
  lowering.map(op->getResult(0), scan[0]);
  return success();
}

LogicalResult Lowering::lowerReduceWindow(ReduceWindowOp op) {
  SmallVector<Value> inits =
      makeInits(*this, op.getInitValues(), op->getResults(), op.getBody());
  auto type = cast<RankedTensorType>(inits[0].getType());
  ArrayRef<int64_t> inputShape = convertType(op.getInputs()[0]).getShape();
  int64_t rank = type.getRank();
  WindowShape window(rank, op.getWindowDimensions(), op.getWindowStrides(),
                     op.getBaseDilations(), op.getWindowDilations(),
                     op.getPadding());
  if (type.getNumElements() == 0 || llvm::is_contained(inputShape, 0)) {
    for (auto [result, init] : llvm::zip_equal(op->getResults(), inits))
      map(result, init);
    return success();
  }
  std::optional<int64_t> scanned =
      getScanned(window, inputShape, type.getShape());
  if (target == Target::Cpu && scanned && isScan(op))
    return lowerScan(*this, op, inits[0], *scanned, window.low[*scanned] != 0);
  SmallVector<Value> tensors, paddings;
  for (auto [input, init] :
       llvm::zip_equal(op.getInputs(), op.getInitValues())) {
    tensors.push_back(lookup(input));
    paddings.push_back(getScalar(init));
  }
  SmallVector<int64_t> shape(type.getShape());
  shape.append(window.sizes);
  SmallVector<utils::IteratorType> iterators(2 * rank,
                                             utils::IteratorType::parallel);
  std::fill(iterators.begin() + rank, iterators.end(),
            utils::IteratorType::reduction);
  AffineMap resultMap =
      AffineMap::getMultiDimIdentityMap(2 * rank, b.getContext())
          .getSliceMap(0, rank);
  SmallVector<AffineMap> resultMaps(inits.size(), resultMap);
  auto loop = makeLoop(
      shape, {}, {}, inits, resultMaps, iterators,
      [&](ImplicitLocOpBuilder &nested, ValueRange, ValueRange sums,
          SmallVectorImpl<Value> &results) {
        SmallVector<Value> indices;
        for (int64_t d = 0; d < 2 * rank; ++d)
          indices.push_back(linalg::IndexOp::create(nested, d));
        Value isInside;
        SmallVector<Value> position = window.locate(
            nested, ArrayRef<Value>(indices).take_front(rank),
            ArrayRef<Value>(indices).drop_front(rank), inputShape, isInside);
        // Outside of the inputs are the initial values.
        auto load = scf::IfOp::create(
            nested, isInside,
            [&](OpBuilder &builder, Location loc) {
              SmallVector<Value> elements;
              for (Value tensor : tensors)
                elements.push_back(
                    tensor::ExtractOp::create(builder, loc, tensor, position));
              scf::YieldOp::create(builder, loc, elements);
            },
            [&](OpBuilder &builder, Location loc) {
              scf::YieldOp::create(builder, loc, paddings);
            });
        return emitReducer(*this, nested, op.getBody(), op.getInputs(), sums,
                           load.getResults(), results);
      });
  if (failed(loop))
    return failure();
  for (auto [result, value] :
       llvm::zip_equal(op->getResults(), (*loop)->getResults()))
    map(result, value);
  return success();
}

LogicalResult Lowering::lowerSelectAndScatter(SelectAndScatterOp op) {
  RankedTensorType type = convertType(op.getResult());
  Value scalar = emitConvert(b, getScalar(op.getInitValue()),
                             getElementType(op.getInitValue()),
                             getElementType(op.getResult()));
  Value init = makeFilled(type, scalar);
  Value operand = lookup(op.getOperand()), source = lookup(op.getSource());
  RankedTensorType sourceType = convertType(op.getSource());
  int64_t rank = type.getRank();
  WindowShape window(rank, op.getWindowDimensions(), op.getWindowStrides(),
                     std::nullopt, std::nullopt, op.getPadding());
  if (type.getNumElements() == 0 || sourceType.getNumElements() == 0) {
    map(op.getResult(), init);
    return success();
  }
  bool hasFailed = false;
  auto select = [&](ImplicitLocOpBuilder &nested, ValueRange place,
                    ValueRange offset, ValueRange best) {
    // best: the element, its indices, whether there is one.
    Value isInside;
    SmallVector<Value> position =
        window.locate(nested, place, offset, type.getShape(), isInside);
    auto next = scf::IfOp::create(
        nested, isInside,
        [&](OpBuilder &builder, Location loc) {
          ImplicitLocOpBuilder then(loc, builder);
          Value element = tensor::ExtractOp::create(then, operand, position);
          SmallVector<Value> keeps;
          if (failed(emitRegion(then, op.getSelect(), {best[0], element},
                                keeps))) {
            hasFailed = true;
            keeps.push_back(best.back());
          }
          Value kept = arith::AndIOp::create(then, keeps[0], best.back());
          SmallVector<Value> chosen;
          chosen.push_back(
              arith::SelectOp::create(then, kept, best[0], element));
          for (int64_t d = 0; d < rank; ++d)
            chosen.push_back(
                arith::SelectOp::create(then, kept, best[d + 1], position[d]));
          chosen.push_back(
              arith::ConstantOp::create(then, then.getBoolAttr(true)));
          scf::YieldOp::create(then, chosen);
        },
        [&](OpBuilder &builder, Location loc) {
          scf::YieldOp::create(builder, loc, best);
        });
    return llvm::to_vector(ValueRange(next.getResults()));
  };
  // Windows that do not overlap along a dimension do not meet there.
  llvm::SmallBitVector independent(rank);
  for (int64_t d = 0; d < rank; ++d)
    independent[d] = window.sizes[d] <= window.strides[d];
  SmallVector<Value> result = makeNest(
      sourceType.getShape(), independent, init,
      [&](ImplicitLocOpBuilder &nested, ValueRange place, ValueRange carried) {
        SmallVector<Value> start = {arith::ConstantOp::create(
            nested, nested.getZeroAttr(type.getElementType()))};
        start.append(rank, arith::ConstantIndexOp::create(nested, 0));
        start.push_back(
            arith::ConstantOp::create(nested, nested.getBoolAttr(false)));
        SmallVector<Value> best =
            makeWindowNest(nested, window.sizes, start,
                           [&](ImplicitLocOpBuilder &inner, ValueRange offset,
                               ValueRange values) {
                             return select(inner, place, offset, values);
                           });
        auto updated = scf::IfOp::create(
            nested, best.back(),
            [&](OpBuilder &builder, Location loc) {
              ImplicitLocOpBuilder then(loc, builder);
              ValueRange position = ValueRange(best).slice(1, rank);
              Value old = tensor::ExtractOp::create(then, carried[0], position);
              Value added = tensor::ExtractOp::create(then, source, place);
              SmallVector<Value> sums;
              if (failed(
                      emitRegion(then, op.getScatter(), {old, added}, sums))) {
                hasFailed = true;
                sums.push_back(old);
              }
              Value inserted =
                  tensor::InsertOp::create(then, sums[0], carried[0], position);
              scf::YieldOp::create(then, inserted);
            },
            [&](OpBuilder &builder, Location loc) {
              scf::YieldOp::create(builder, loc, carried);
            });
        return SmallVector<Value>{updated.getResult(0)};
      });
  if (hasFailed)
    return failure();
  map(op.getResult(), result[0]);
  return success();
}
