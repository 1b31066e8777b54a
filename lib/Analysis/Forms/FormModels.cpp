//===- FormModels.cpp - Element-wise operations and what all share --------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "FormModels.h"
#include "hetero/Dialect/Hetero/Hetero.h"
#include "hetero/Dialect/Sdy/Sdy.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace hetero;
using namespace hetero::forms;

DimensionMap forms::getWholeMap(Operation *op) {
  DimensionMap map;
  auto whole = [](Type type) {
    auto shaped = dyn_cast<ShapedType>(type);
    return SmallVector<int>(shaped && shaped.hasRank() ? shaped.getRank() : 0,
                            DimensionMap::whole);
  };
  for (Type type : op->getOperandTypes())
    map.operands.push_back(whole(type));
  for (Type type : op->getResultTypes())
    map.results.push_back(whole(type));
  return map;
}

int forms::addLoop(DimensionMap &map, std::optional<ReductionKind> reduction) {
  map.loops.push_back({reduction});
  return map.loops.size() - 1;
}

DimensionMap forms::getElementwiseMap(Operation *op) {
  DimensionMap map = getWholeMap(op);
  size_t rank = map.results.front().size();
  auto loops = llvm::to_vector(llvm::seq<int>(0, rank));
  map.loops.resize(rank);
  for (SmallVector<int> &operand : map.operands)
    if (operand.size() == rank)
      operand = loops;
  for (SmallVector<int> &result : map.results)
    result = loops;
  return map;
}

DimensionMap forms::makeMove(DimensionMap map) {
  map.linear = {{0}};
  map.movesData = true;
  return map;
}

std::optional<ReductionKind> forms::getReduction(Region &region) {
  Block &block = region.front();
  if (block.getNumArguments() != 2 || !llvm::hasNItems(block, 2))
    return std::nullopt;
  Operation &op = block.front();
  if (op.getNumOperands() != 2 || op.getNumResults() != 1 ||
      block.getTerminator()->getOperands() != op.getResults())
    return std::nullopt;
  Value a = block.getArgument(0), b = block.getArgument(1);
  Value x = op.getOperand(0), y = op.getOperand(1);
  if (!((x == a && y == b) || (x == b && y == a)))
    return std::nullopt;
  bool boolean = getElementTypeOrSelf(x.getType()).isInteger(1);
  if (isa<stablehlo::AddOp>(op))
    return boolean ? ReductionKind::Or : ReductionKind::Sum;
  if (isa<stablehlo::MaxOp>(op))
    return boolean ? ReductionKind::Or : ReductionKind::Max;
  if (isa<stablehlo::MinOp>(op))
    return boolean ? ReductionKind::And : ReductionKind::Min;
  if (isa<stablehlo::AndOp>(op))
    return ReductionKind::And;
  if (isa<stablehlo::OrOp>(op))
    return ReductionKind::Or;
  return std::nullopt;
}

/// A conversion that keeps sums: to floats at least as wide, or between
/// integers (which wrap around).
static bool isLinearConversion(Type from, Type to) {
  from = getElementTypeOrSelf(from);
  to = getElementTypeOrSelf(to);
  if (auto complex = dyn_cast<ComplexType>(to)) {
    to = complex.getElementType();
    if (auto complexFrom = dyn_cast<ComplexType>(from))
      from = complexFrom.getElementType();
  }
  if (auto toFloat = dyn_cast<FloatType>(to)) {
    auto fromFloat = dyn_cast<FloatType>(from);
    return fromFloat &&
           fromFloat.getFPMantissaWidth() <= toFloat.getFPMantissaWidth();
  }
  return isa<IntegerType>(from) && isa<IntegerType>(to) && !from.isInteger(1) &&
         !to.isInteger(1) &&
         to.getIntOrFloatBitWidth() <= from.getIntOrFloatBitWidth();
}

static SmallVector<SmallVector<unsigned>> getLinearGroups(Operation *op) {
  using namespace stablehlo;
  if (getElementTypeOrSelf(op->getResult(0).getType()).isInteger(1))
    return {};
  if (isa<AddOp, SubtractOp, ComplexOp>(op))
    return {{0, 1}};
  if (isa<MulOp>(op))
    return {{0}, {1}};
  if (isa<DivOp>(op) &&
      !isa<IntegerType>(getElementTypeOrSelf(op->getResult(0).getType())))
    return {{0}};
  if (isa<SelectOp>(op))
    return {{1, 2}};
  if (isa<NegOp, RealOp, ImagOp>(op))
    return {{0}};
  if (isa<ConvertOp>(op) && isLinearConversion(op->getOperand(0).getType(),
                                               op->getResult(0).getType()))
    return {{0}};
  return {};
}

static DimensionMap getLinearElementwiseMap(Operation *op) {
  DimensionMap map = getElementwiseMap(op);
  map.linear = getLinearGroups(op);
  return map;
}

template <typename... Ops>
static void attachElementwise(MLIRContext *context) {
  (attachMap<Ops, getLinearElementwiseMap>(context), ...);
}

void forms::attachElementwiseModels(MLIRContext *context) {
  using namespace stablehlo;
  attachElementwise<AbsOp, AddOp, AndOp, Atan2Op, CbrtOp, CeilOp, ClampOp,
                    ClzOp, CompareOp, ComplexOp, ConvertOp, CosineOp, DivOp,
                    ExpOp, Expm1Op, FloorOp, ImagOp, IsFiniteOp, LogOp, Log1pOp,
                    LogisticOp, MaxOp, MinOp, MulOp, NegOp, NotOp, OrOp,
                    PopulationCountOp, PowOp, RealOp, ReducePrecisionOp, RemOp,
                    RoundNearestEvenOp, RoundOp, RsqrtOp, SelectOp, ShiftLeftOp,
                    ShiftRightArithmeticOp, ShiftRightLogicalOp, SignOp, SineOp,
                    SqrtOp, SubtractOp, TanOp, TanhOp, XorOp>(context);
}

void hetero::registerFormModels(DialectRegistry &registry) {
  registry.addExtension(
      +[](MLIRContext *context, stablehlo::StablehloDialect *) {
        attachElementwiseModels(context);
        attachContractionModels(context);
        attachMovementModels(context);
        attachIndexingModels(context);
        attachControlModels(context);
      });
  registry.addExtension(+[](MLIRContext *context, sdy::SdyDialect *) {
    attachShardingModels(context);
  });
  registry.addExtension(+[](MLIRContext *context, HeteroDialect *) {
    attachReshardModels(context);
  });
}
