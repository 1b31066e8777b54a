//===- Loops.cpp - Counted loops ------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Analysis/Loops.h"
#include "hetero/Dialect/Stablehlo.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace hetero;

/// The value of a constant integer scalar.
static std::optional<int64_t> getConstant(Value value) {
  DenseIntElementsAttr elements;
  if (!matchPattern(value, m_Constant(&elements)) ||
      elements.getNumElements() != 1)
    return std::nullopt;
  APInt element = *elements.value_begin<APInt>();
  bool isUnsigned = elements.getElementType().isUnsignedInteger();
  if (element.getSignificantBits() > 63)
    return std::nullopt;
  return isUnsigned ? int64_t(element.getZExtValue()) : element.getSExtValue();
}

/// The carried value that `value` is, inside of one of the loop's regions.
static std::optional<unsigned> getCarried(Value value, Region &region) {
  auto argument = dyn_cast<BlockArgument>(value);
  if (!argument || argument.getOwner()->getParent() != &region)
    return std::nullopt;
  return argument.getArgNumber();
}

/// How often `i` with the relation `direction limit` holds, counting from
/// `first` by `step`.
static std::optional<int64_t>
countIterations(stablehlo::ComparisonDirection direction, int64_t first,
                int64_t step, int64_t limit) {
  using Direction = stablehlo::ComparisonDirection;
  // Differences of values below 2^62 do not overflow.
  constexpr int64_t bound = int64_t(1) << 61;
  if (step == 0 || std::abs(first) > bound || std::abs(limit) > bound ||
      std::abs(step) > bound)
    return std::nullopt;
  switch (direction) {
  case Direction::LT:
    if (step < 0)
      return std::nullopt;
    return first < limit ? (limit - first + step - 1) / step : 0;
  case Direction::LE:
    return countIterations(Direction::LT, first, step, limit + 1);
  case Direction::GT:
    return countIterations(Direction::LT, -first, -step, -limit);
  case Direction::GE:
    return countIterations(Direction::LT, -first, -step, -limit + 1);
  case Direction::NE: {
    int64_t distance = limit - first;
    if (distance % step != 0 || distance / step < 0)
      return std::nullopt;
    return distance / step;
  }
  case Direction::EQ:
    return std::nullopt;
  }
  return std::nullopt;
}

std::optional<CountedLoop> hetero::matchCountedLoop(stablehlo::WhileOp loop) {
  Region &cond = loop.getCond(), &body = loop.getBody();
  if (!cond.hasOneBlock() || !body.hasOneBlock())
    return std::nullopt;
  Operation *condReturn = cond.front().getTerminator();
  if (condReturn->getNumOperands() != 1)
    return std::nullopt;
  auto compare =
      condReturn->getOperand(0).getDefiningOp<stablehlo::CompareOp>();
  if (!compare)
    return std::nullopt;
  std::optional<unsigned> counter = getCarried(compare.getLhs(), cond);
  std::optional<int64_t> limit = getConstant(compare.getRhs());
  if (!counter || !limit)
    return std::nullopt;
  std::optional<int64_t> first = getConstant(loop->getOperand(*counter));
  Operation *bodyReturn = body.front().getTerminator();
  auto next =
      bodyReturn->getOperand(*counter).getDefiningOp<stablehlo::AddOp>();
  if (!first || !next)
    return std::nullopt;
  Value lhs = next.getLhs(), rhs = next.getRhs();
  if (getCarried(rhs, body) == counter)
    std::swap(lhs, rhs);
  std::optional<int64_t> step = getConstant(rhs);
  if (getCarried(lhs, body) != counter || !step)
    return std::nullopt;
  std::optional<int64_t> tripCount =
      countIterations(compare.getComparisonDirection(), *first, *step, *limit);
  if (!tripCount)
    return std::nullopt;
  return CountedLoop{*counter, *first, *step, *tripCount};
}
