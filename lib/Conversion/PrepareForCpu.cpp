//===- PrepareForCpu.cpp - Rewritten before it is lowered -----------------===//
//
// Part of the hetero project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PrepareForCpu.h"
#include "FusionPlan.h"
#include "ScalarOps.h"
#include "hetero/Analysis/Loops.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"

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
           return isView(&op) || isGenerated(&op) || isScalarOp(&op) ||
                  isa<ConstantOp>(op);
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

/// Elements that are worth a second sum, and sums that threads share well.
static constexpr int64_t kMinSummed = 65536;
static constexpr int64_t kManySums = 64;

/// How many dimensions the sum over all of them leaves to a second one; none if
/// it is not a large sum of floats.
static int64_t getNumLeft(ReduceOp op) {
  if (op.getInputs().size() != 1 || !op.getBody().hasOneBlock())
    return 0;
  auto type = dyn_cast<RankedTensorType>(op.getInputs()[0].getType());
  Block &body = op.getBody().front();
  if (!type || !type.hasStaticShape() || type.getNumElements() < kMinSummed ||
      int64_t(op.getDimensions().size()) != type.getRank() ||
      !(type.getElementType().isF32() || type.getElementType().isF64()) ||
      op->getResult(0).getType() != op.getInitValues()[0].getType() ||
      getElementType(op->getResult(0)) != type.getElementType() ||
      !llvm::hasSingleElement(body.without_terminator()) ||
      !isa<AddOp>(body.front()) ||
      !matchPattern(op.getInitValues()[0], m_AnyZeroFloat()))
    return 0;
  int64_t numLeft = 0, numSums = 1;
  while (numLeft + 1 < type.getRank() && numSums < kManySums)
    numSums *= type.getDimSize(numLeft++);
  return numSums > 1 ? numLeft : 0;
}

static void splitSums(func::FuncOp function) {
  SmallVector<ReduceOp> sums;
  function.walk([&](ReduceOp op) { sums.push_back(op); });
  for (ReduceOp op : sums) {
    int64_t numLeft = getNumLeft(op);
    if (numLeft == 0)
      continue;
    auto type = cast<RankedTensorType>(op.getInputs()[0].getType());
    OpBuilder builder(op);
    auto first = cast<ReduceOp>(builder.clone(*op));
    first.setDimensions(
        llvm::to_vector(llvm::seq<int64_t>(numLeft, type.getRank())));
    first->getResult(0).setType(RankedTensorType::get(
        type.getShape().take_front(numLeft), type.getElementType()));
    op.getInputsMutable().assign(first->getResult(0));
    op.setDimensions(llvm::to_vector(llvm::seq<int64_t>(0, numLeft)));
  }
}

void hetero::prepareForCpu(func::FuncOp function) {
  unrollShortLoops(function);
  splitSums(function);
}
