//===- ExpandChloScan.cpp - chlo.scan as a loop ---------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   %outputs, %carries = chlo.scan(%inputs) inits (%inits) dimension=d { body }
//
// becomes
//
//   (_, %carries, %outputs) = while (%step = 0, %carry = %inits, %out = 0)
//   cond: %step < N
//   body: %i = %step, or N - 1 - %step in reverse
//         slices i of %inputs; the body; slices i of %out replaced; %step + 1

#include "ExpandChlo.h"
#include <limits>

using namespace mlir;
using namespace hetero;

/// A tensor of zeros.
static Value makeZero(OpBuilder &builder, Location loc, RankedTensorType type) {
  return stablehlo::ConstantOp::create(builder, loc, getZeros(type));
}

/// The shape of one slice that keeps dimension `dim`, with size 1.
static SmallVector<int64_t> getSliceShape(RankedTensorType type, int64_t dim) {
  SmallVector<int64_t> shape(type.getShape());
  shape[dim] = 1;
  return shape;
}

namespace {
/// The loop that a scan becomes.
class ScanLoop {
public:
  ScanLoop(chlo::ScanOp op, PatternRewriter &rewriter, int64_t numSteps)
      : op(op), rewriter(rewriter), loc(op.getLoc()), numSteps(numSteps),
        dim(op.getDimension()) {
    bool isShort = numSteps <= std::numeric_limits<int32_t>::max();
    counterType =
        RankedTensorType::get({}, rewriter.getIntegerType(isShort ? 32 : 64));
  }

  stablehlo::WhileOp build(ValueRange outputs);

private:
  Value makeCounter(int64_t value) {
    return stablehlo::ConstantOp::create(
        rewriter, loc,
        DenseElementsAttr::get(
            counterType,
            rewriter.getIntegerAttr(counterType.getElementType(), value)));
  }
  void buildCondition(Block *block);
  void buildBody(Block *block);
  Value readSlice(Value input, Value index);
  Value writeSlice(Value output, Value slice, Value index);

  /// `index` at the scanned dimension, zero elsewhere.
  SmallVector<Value> getPosition(RankedTensorType type, Value index) {
    SmallVector<Value> position(type.getRank(), zero);
    position[dim] = index;
    return position;
  }

  chlo::ScanOp op;
  PatternRewriter &rewriter;
  Location loc;
  int64_t numSteps;
  int64_t dim;
  RankedTensorType counterType;
  /// Inside the body.
  Value zero;
};
} // namespace

stablehlo::WhileOp ScanLoop::build(ValueRange outputs) {
  SmallVector<Value> state = {makeCounter(0)};
  llvm::append_range(state, op.getInits());
  llvm::append_range(state, outputs);
  auto loop = stablehlo::WhileOp::create(
      rewriter, loc, TypeRange(ValueRange(state)), ValueRange(state));
  SmallVector<Location> locs(state.size(), loc);
  OpBuilder::InsertionGuard guard(rewriter);
  TypeRange types = loop->getResultTypes();
  buildCondition(rewriter.createBlock(&loop.getCond(), {}, types, locs));
  buildBody(rewriter.createBlock(&loop.getBody(), {}, types, locs));
  return loop;
}

void ScanLoop::buildCondition(Block *block) {
  Value isRunning = stablehlo::CompareOp::create(
      rewriter, loc, block->getArgument(0), makeCounter(numSteps),
      stablehlo::ComparisonDirection::LT);
  stablehlo::ReturnOp::create(rewriter, loc, isRunning);
}

void ScanLoop::buildBody(Block *block) {
  size_t numCarries = op.getInits().size();
  Value step = block->getArgument(0);
  ValueRange carries = block->getArguments().slice(1, numCarries);
  ValueRange outputs = block->getArguments().drop_front(1 + numCarries);

  zero = makeCounter(0);
  Value index = step;
  BoolAttr isReverse = op.getIsReverseAttr();
  if (isReverse && isReverse.getValue())
    index = stablehlo::SubtractOp::create(rewriter, loc,
                                          makeCounter(numSteps - 1), step);
  SmallVector<Value> arguments;
  for (Value input : op.getInputs())
    arguments.push_back(readSlice(input, index));
  llvm::append_range(arguments, carries);

  // The scan's body goes to the end of the loop's.
  Block *inner = &op.getBody().front();
  rewriter.inlineBlockBefore(inner, block, block->end(), arguments);
  Operation *terminator = block->getTerminator();
  rewriter.setInsertionPoint(terminator);
  SmallVector<Value> next = {
      stablehlo::AddOp::create(rewriter, loc, step, makeCounter(1))};
  ValueRange returned = terminator->getOperands();
  size_t numOutputs = outputs.size();
  llvm::append_range(next, returned.drop_front(numOutputs));
  for (auto [output, slice] : llvm::zip(outputs, returned))
    next.push_back(writeSlice(output, slice, index));
  stablehlo::ReturnOp::create(rewriter, loc, next);
  rewriter.eraseOp(terminator);
}

Value ScanLoop::readSlice(Value input, Value index) {
  RankedTensorType type = getTensorType(input);
  SmallVector<int64_t> sizes = getSliceShape(type, dim);
  Value slice = stablehlo::DynamicSliceOp::create(
      rewriter, loc, RankedTensorType::get(sizes, type.getElementType()), input,
      getPosition(type, index), rewriter.getDenseI64ArrayAttr(sizes));
  sizes.erase(sizes.begin() + dim);
  return stablehlo::ReshapeOp::create(
      rewriter, loc, RankedTensorType::get(sizes, type.getElementType()),
      slice);
}

Value ScanLoop::writeSlice(Value output, Value slice, Value index) {
  RankedTensorType type = getTensorType(output);
  Value update = stablehlo::ReshapeOp::create(
      rewriter, loc,
      RankedTensorType::get(getSliceShape(type, dim), type.getElementType()),
      slice);
  return stablehlo::DynamicUpdateSliceOp::create(
      rewriter, loc, type, output, update, getPosition(type, index));
}

/// A loop carries as many values out as come in, of the same types; the op
/// does not ask for that.
static LogicalResult checkCarries(chlo::ScanOp op) {
  TypeRange inits = op.getInits().getTypes();
  TypeRange carries = op.getCarries().getTypes();
  if (inits == carries)
    return success();
  return op.emitOpError() << "cannot be expanded: it carries (" << inits
                          << ") in and (" << carries << ") out";
}

/// The body's arguments and results must be static, too.
static LogicalResult checkBody(chlo::ScanOp op) {
  Block &body = op.getBody().front();
  auto check = [&](Value value, StringRef what, unsigned i) -> LogicalResult {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    if (type && type.hasStaticShape())
      return success();
    return op.emitOpError()
           << "cannot be expanded: " << what << " #" << i
           << " of the body has a dynamic shape, " << value.getType();
  };
  for (auto [i, argument] : llvm::enumerate(body.getArguments()))
    if (failed(check(argument, "argument", i)))
      return failure();
  for (auto [i, value] : llvm::enumerate(body.getTerminator()->getOperands()))
    if (failed(check(value, "result", i)))
      return failure();
  return success();
}

static LogicalResult expandScan(chlo::ScanOp op, PatternRewriter &rewriter) {
  if (failed(checkStatic(op)) || failed(checkCarries(op)) ||
      failed(checkBody(op)))
    return failure();
  Value scanned = op.getInputs().empty() ? Value(op.getOutputs().front())
                                         : Value(op.getInputs().front());
  int64_t numSteps = getTensorType(scanned).getDimSize(op.getDimension());
  SmallVector<Value> results;
  for (Value output : op.getOutputs())
    results.push_back(makeZero(rewriter, op.getLoc(), getTensorType(output)));
  // Without a step there is no slice that could be read.
  if (numSteps == 0) {
    llvm::append_range(results, op.getInits());
    rewriter.replaceOp(op, results);
    return success();
  }
  ScanLoop loop(op, rewriter, numSteps);
  ValueRange state = loop.build(results)->getResults();
  size_t numCarries = op.getInits().size();
  results = llvm::to_vector(state.drop_front(1 + numCarries));
  llvm::append_range(results, state.slice(1, numCarries));
  rewriter.replaceOp(op, results);
  return success();
}

void hetero::populateExpandChloScan(RewritePatternSet &patterns) {
  patterns.add(expandScan);
}
