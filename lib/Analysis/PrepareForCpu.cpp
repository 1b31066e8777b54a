//===- PrepareForCpu.cpp - Rewritten before it is lowered -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Analysis/PrepareForCpu.h"
#include "hetero/Analysis/Fusion.h"
#include "hetero/Analysis/Loops.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace hetero;
using namespace mlir::stablehlo;

//===----------------------------------------------------------------------===//
// Short loops
//===----------------------------------------------------------------------===//

/// The rounds of random bits are a loop of five iterations over whole tensors:
/// written out, they are one loop over elements that stores nothing in between.
static constexpr int64_t kMaxUnrolled = 8;
static constexpr int64_t kMaxUnrolledOps = 512;

/// A single element of a constant, or null.
static Value getElementOfConstant(OpBuilder &builder, SliceOp slice) {
  auto constant = slice.getOperand().getDefiningOp<ConstantOp>();
  auto type = cast<RankedTensorType>(slice.getResult().getType());
  if (!constant || type.getNumElements() != 1)
    return {};
  auto elements = dyn_cast<DenseIntElementsAttr>(constant.getValue());
  if (!elements || elements.getType().getRank() != 1)
    return {};
  APInt value = elements.getValues<APInt>()[slice.getStartIndices()[0]];
  return ConstantOp::create(builder, slice.getLoc(),
                            DenseIntElementsAttr::get(type, value));
}

/// Whether the iterations are worth writing out: few, and element by element.
static bool isShort(WhileOp loop, const CountedLoop &counted) {
  Block &body = loop.getBody().front();
  int64_t numOps = std::distance(body.begin(), body.end());
  return counted.tripCount <= kMaxUnrolled &&
         counted.tripCount * numOps <= kMaxUnrolledOps &&
         llvm::all_of(body.without_terminator(), [](Operation &op) {
           return isFusible(&op) || isa<ConstantOp>(op);
         });
}

static void unrollShortLoops(func::FuncOp function) {
  SmallVector<std::pair<WhileOp, CountedLoop>> loops;
  function.walk([&](WhileOp loop) {
    std::optional<CountedLoop> counted = matchCountedLoop(loop);
    if (counted && isShort(loop, *counted))
      loops.push_back({loop, *counted});
  });
  for (auto &[loop, counted] : loops) {
    Block &body = loop.getBody().front();
    OpBuilder builder(loop);
    SmallVector<Value> carried(loop->getOperands());
    for (int64_t i = 0; i < counted.tripCount; ++i) {
      IRMapping mapping;
      mapping.map(body.getArguments(), carried);
      for (Operation &op : body.without_terminator()) {
        Operation *clone = builder.clone(op, mapping);
        auto slice = dyn_cast<SliceOp>(clone);
        Value element = slice ? getElementOfConstant(builder, slice) : Value();
        if (!element)
          continue;
        mapping.map(op.getResult(0), element);
        clone->erase();
      }
      for (auto [place, returned] :
           llvm::enumerate(body.getTerminator()->getOperands()))
        carried[place] = mapping.lookupOrDefault(returned);
    }
    loop->replaceAllUsesWith(carried);
    loop->erase();
  }
}

//===----------------------------------------------------------------------===//
// Large sums
//===----------------------------------------------------------------------===//

/// Elements that are worth a second sum, of all and of each result; and sums
/// that threads share well.
static constexpr int64_t kMinSummed = 65536, kMinLength = 512;
static constexpr int64_t kManySums = 64;

/// Whether it is a large sum of floats.
static bool isLargeSum(ReduceOp op) {
  if (op.getInputs().size() != 1 || !op.getBody().hasOneBlock())
    return false;
  auto type = dyn_cast<RankedTensorType>(op.getInputs()[0].getType());
  Block &body = op.getBody().front();
  return type && type.hasStaticShape() && type.getNumElements() >= kMinSummed &&
         (type.getElementType().isF32() || type.getElementType().isF64()) &&
         getElementTypeOrSelf(op->getResult(0)) == type.getElementType() &&
         llvm::hasSingleElement(body.without_terminator()) &&
         isa<AddOp>(body.front()) &&
         matchPattern(op.getInitValues()[0], m_AnyZeroFloat());
}

/// How many of the dimensions that are summed, which are the first ones, are
/// left to a second sum. One to a number has many sums; others have two that
/// are about as long.
static int64_t getNumLeft(ReduceOp op) {
  if (!isLargeSum(op))
    return 0;
  auto type = cast<RankedTensorType>(op.getInputs()[0].getType());
  auto numSummed = static_cast<int64_t>(op.getDimensions().size());
  for (int64_t dim = 0; dim < numSummed; ++dim)
    if (!llvm::is_contained(op.getDimensions(), dim))
      return 0;
  bool toNumber = numSummed == type.getRank();
  int64_t length = 1;
  for (int64_t dim = 0; dim < numSummed; ++dim)
    length *= type.getDimSize(dim);
  if (length < kMinLength)
    return 0;
  int64_t numLeft = 0, numSums = 1;
  while (numLeft + 1 < numSummed &&
         (toNumber ? numSums < kManySums : numSums * numSums < length))
    numSums *= type.getDimSize(numLeft++);
  return numSums > 1 && numSums < length ? numLeft : 0;
}

/// A sum of many numbers one after the other loses digits, and is for one
/// thread; sums of sums are not.
static void splitSums(func::FuncOp function) {
  SmallVector<ReduceOp> sums;
  function.walk([&](ReduceOp op) { sums.push_back(op); });
  for (ReduceOp op : sums) {
    int64_t numLeft = getNumLeft(op);
    if (numLeft == 0)
      continue;
    auto type = cast<RankedTensorType>(op.getInputs()[0].getType());
    auto numSummed = static_cast<int64_t>(op.getDimensions().size());
    OpBuilder builder(op);
    auto first = cast<ReduceOp>(builder.clone(*op));
    first.setDimensions(
        llvm::to_vector(llvm::seq<int64_t>(numLeft, numSummed)));
    SmallVector<int64_t> shape(type.getShape().take_front(numLeft));
    llvm::append_range(shape, type.getShape().drop_front(numSummed));
    first->getResult(0).setType(
        RankedTensorType::get(shape, type.getElementType()));
    op.getInputsMutable().assign(first->getResult(0));
    op.setDimensions(llvm::to_vector(llvm::seq<int64_t>(0, numLeft)));
  }
}

bool hetero::hasShortLoops(const Kernel &kernel) {
  return llvm::any_of(kernel.ops, [](Operation *op) {
    // Other operations have no loops in their regions.
    if (!isa<WhileOp, IfOp, CaseOp>(op))
      return false;
    auto find = [](WhileOp loop) {
      std::optional<CountedLoop> counted = matchCountedLoop(loop);
      return counted && isShort(loop, *counted) ? WalkResult::interrupt()
                                                : WalkResult::advance();
    };
    return op->walk(find).wasInterrupted();
  });
}

void hetero::prepareForCpu(func::FuncOp function) {
  unrollShortLoops(function);
  splitSums(function);
}
