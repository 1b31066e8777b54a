//===- StablehloElementwiseFolders.cpp - Constant folding -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//
// Folds what imported steps are full of: arithmetic on splats and on the small
// index vectors of gathers and slices, and operations with a neutral element.
// Results larger than a limit are left alone, so that folding never makes the
// module grow. Floating-point identities keep signed zeros and NaNs.
//
//===----------------------------------------------------------------------===//

#include "FoldUtils.h"
#include "hetero/Dialect/Stablehlo/StablehloOps.h"
#include "mlir/Dialect/CommonFolders.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::stablehlo;

static bool isUnsigned(Type type) {
  Type element = getElementTypeOrSelf(type);
  return element.isUnsignedInteger() || element.isInteger(1);
}

/// Applies one function to the elements of equally typed static tensors.
/// `resultType` has the same shape; splats stay splats.
template <typename ElementT, typename ResultT, typename FnT>
static DenseElementsAttr mapElements(RankedTensorType resultType,
                                     ArrayRef<DenseElementsAttr> operands,
                                     FnT fn) {
  if (resultType.getNumElements() == 0)
    return {};
  bool allSplat = llvm::all_of(
      operands, [](DenseElementsAttr operand) { return operand.isSplat(); });
  int64_t count = allSplat ? 1 : resultType.getNumElements();
  if (count > kFoldLimit)
    return {};
  SmallVector<SmallVector<ElementT>> columns;
  for (DenseElementsAttr operand : operands) {
    auto values = operand.getValues<ElementT>();
    columns.emplace_back();
    for (int64_t i = 0; i < count; ++i)
      columns.back().push_back(values[i]);
  }
  SmallVector<ResultT> result;
  for (int64_t i = 0; i < count; ++i) {
    SmallVector<ElementT, 2> row;
    for (ArrayRef<ElementT> column : columns)
      row.push_back(column[i]);
    std::optional<ResultT> value = fn(row);
    if (!value)
      return {};
    result.push_back(*value);
  }
  return DenseElementsAttr::get(resultType, result);
}

/// Folds an op whose operands have the type of its result, with separate
/// functions for integers and floats.
template <typename OpT, typename IntFnT, typename FloatFnT>
static Attribute foldElements(OpT op, ArrayRef<Attribute> operands,
                              IntFnT intFn, FloatFnT floatFn) {
  auto type = dyn_cast<RankedTensorType>(op.getType());
  SmallVector<DenseElementsAttr> values =
      llvm::map_to_vector(operands, getFoldable);
  if (!type || !llvm::all_of(values, [&](DenseElementsAttr value) {
        return value && value.getType() == type;
      }))
    return {};
  if (isa<IntegerType>(type.getElementType()))
    return mapElements<APInt, APInt>(type, values, intFn);
  if (isa<FloatType>(type.getElementType()))
    return mapElements<APFloat, APFloat>(type, values, floatFn);
  return {};
}

template <typename OpT, typename AdaptorT, typename IntFnT, typename FloatFnT>
static Attribute foldBinary(OpT op, AdaptorT adaptor, IntFnT intFn,
                            FloatFnT floatFn) {
  return foldElements(
      op, {adaptor.getLhs(), adaptor.getRhs()},
      [&](ArrayRef<APInt> row) { return intFn(row[0], row[1]); },
      [&](ArrayRef<APFloat> row) { return floatFn(row[0], row[1]); });
}

static std::optional<APFloat> noFloat(const APFloat &, const APFloat &) {
  return std::nullopt;
}

/// Whether `attr` is a splat of the integer `value`.
static bool isSplatInt(Attribute attr, int64_t value) {
  auto elements = dyn_cast_or_null<SplatElementsAttr>(attr);
  if (!elements || !isa<IntegerType>(elements.getElementType()))
    return false;
  APInt element = elements.getSplatValue<APInt>();
  return element == APInt(element.getBitWidth(), value, /*isSigned=*/true,
                          /*implicitTrunc=*/true);
}

/// Whether `attr` is a splat of the float `value`, with its sign.
static bool isSplatFloat(Attribute attr, double value) {
  auto elements = dyn_cast_or_null<SplatElementsAttr>(attr);
  if (!elements || !isa<FloatType>(elements.getElementType()))
    return false;
  return elements.getSplatValue<APFloat>().isExactlyValue(value);
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

OpFoldResult AddOp::fold(FoldAdaptor adaptor) {
  bool boolean = getElementTypeOrSelf(getType()).isInteger(1);
  // x + 0 is not x for floats: -0 + 0 is 0. x + -0 is.
  if (isSplatInt(adaptor.getRhs(), 0) || isSplatFloat(adaptor.getRhs(), -0.0))
    if (OpFoldResult result = sameType(*this, getLhs()))
      return result;
  return foldBinary(
      *this, adaptor,
      [&](APInt a, APInt b) { return boolean ? (a | b) : (a + b); },
      [](APFloat a, APFloat b) { return a + b; });
}

OpFoldResult SubtractOp::fold(FoldAdaptor adaptor) {
  if (isSplatInt(adaptor.getRhs(), 0) || isSplatFloat(adaptor.getRhs(), 0.0))
    if (OpFoldResult result = sameType(*this, getLhs()))
      return result;
  return foldBinary(
      *this, adaptor, [](APInt a, APInt b) { return a - b; },
      [](APFloat a, APFloat b) { return a - b; });
}

OpFoldResult MulOp::fold(FoldAdaptor adaptor) {
  bool boolean = getElementTypeOrSelf(getType()).isInteger(1);
  if (isSplatInt(adaptor.getRhs(), 1) || isSplatFloat(adaptor.getRhs(), 1.0))
    if (OpFoldResult result = sameType(*this, getLhs()))
      return result;
  return foldBinary(
      *this, adaptor,
      [&](APInt a, APInt b) { return boolean ? (a & b) : (a * b); },
      [](APFloat a, APFloat b) { return a * b; });
}

/// Whether there is a quotient; division by zero and the one overflow are left
/// to run time.
static bool isDefined(const APInt &a, const APInt &b, bool isUnsignedType) {
  return !b.isZero() &&
         (isUnsignedType || !a.isMinSignedValue() || !b.isAllOnes());
}

OpFoldResult DivOp::fold(FoldAdaptor adaptor) {
  bool isUnsignedType = isUnsigned(getType());
  if ((!getElementTypeOrSelf(getType()).isInteger(1) &&
       isSplatInt(adaptor.getRhs(), 1)) ||
      isSplatFloat(adaptor.getRhs(), 1.0))
    if (OpFoldResult result = sameType(*this, getLhs()))
      return result;
  return foldBinary(
      *this, adaptor,
      [&](APInt a, APInt b) -> std::optional<APInt> {
        if (!isDefined(a, b, isUnsignedType))
          return std::nullopt;
        return isUnsignedType ? a.udiv(b) : a.sdiv(b);
      },
      [](APFloat a, APFloat b) { return a / b; });
}

OpFoldResult RemOp::fold(FoldAdaptor adaptor) {
  bool isUnsignedType = isUnsigned(getType());
  return foldBinary(
      *this, adaptor,
      [&](APInt a, APInt b) -> std::optional<APInt> {
        if (!isDefined(a, b, isUnsignedType))
          return std::nullopt;
        return isUnsignedType ? a.urem(b) : a.srem(b);
      },
      noFloat);
}

/// The larger or the smaller of the operands.
template <typename OpT>
static OpFoldResult foldExtremum(OpT op, typename OpT::FoldAdaptor adaptor,
                                 bool isMax) {
  if (op.getLhs() == op.getRhs())
    return sameType(op, op.getLhs());
  bool isUnsignedType = isUnsigned(op.getType());
  return foldBinary(
      op, adaptor,
      [=](APInt a, APInt b) {
        bool isAbove = isUnsignedType ? a.uge(b) : a.sge(b);
        return isAbove == isMax ? a : b;
      },
      [=](APFloat a, APFloat b) {
        return isMax ? llvm::maximum(a, b) : llvm::minimum(a, b);
      });
}

OpFoldResult MaxOp::fold(FoldAdaptor adaptor) {
  return foldExtremum(*this, adaptor, /*isMax=*/true);
}

OpFoldResult MinOp::fold(FoldAdaptor adaptor) {
  return foldExtremum(*this, adaptor, /*isMax=*/false);
}

OpFoldResult NegOp::fold(FoldAdaptor adaptor) {
  if (auto inner = getOperand().getDefiningOp<NegOp>())
    if (OpFoldResult result = sameType(*this, inner.getOperand()))
      return result;
  return foldElements(
      *this, adaptor.getOperand(), [](ArrayRef<APInt> row) { return -row[0]; },
      [](ArrayRef<APFloat> row) { return neg(row[0]); });
}

//===----------------------------------------------------------------------===//
// Bits
//===----------------------------------------------------------------------===//

OpFoldResult NotOp::fold(FoldAdaptor adaptor) {
  if (auto inner = getOperand().getDefiningOp<NotOp>())
    if (OpFoldResult result = sameType(*this, inner.getOperand()))
      return result;
  DenseElementsAttr operand = getFoldable(adaptor.getOperand());
  auto type = dyn_cast<RankedTensorType>(getType());
  if (!operand || !type || operand.getType() != type)
    return {};
  return mapElements<APInt, APInt>(
      type, operand,
      [](ArrayRef<APInt> row) -> std::optional<APInt> { return ~row[0]; });
}

OpFoldResult AndOp::fold(FoldAdaptor adaptor) {
  if (isSplatInt(adaptor.getRhs(), -1) || getLhs() == getRhs())
    if (OpFoldResult result = sameType(*this, getLhs()))
      return result;
  return foldBinary(
      *this, adaptor, [](APInt a, APInt b) { return a & b; }, noFloat);
}

OpFoldResult OrOp::fold(FoldAdaptor adaptor) {
  if (isSplatInt(adaptor.getRhs(), 0) || getLhs() == getRhs())
    if (OpFoldResult result = sameType(*this, getLhs()))
      return result;
  return foldBinary(
      *this, adaptor, [](APInt a, APInt b) { return a | b; }, noFloat);
}

OpFoldResult XorOp::fold(FoldAdaptor adaptor) {
  if (isSplatInt(adaptor.getRhs(), 0))
    if (OpFoldResult result = sameType(*this, getLhs()))
      return result;
  return foldBinary(
      *this, adaptor, [](APInt a, APInt b) { return a ^ b; }, noFloat);
}

// A shift by the width or more gives zero, or copies of the sign.

OpFoldResult ShiftLeftOp::fold(FoldAdaptor adaptor) {
  return foldBinary(
      *this, adaptor, [](APInt a, APInt b) { return a.shl(b); }, noFloat);
}

OpFoldResult ShiftRightLogicalOp::fold(FoldAdaptor adaptor) {
  return foldBinary(
      *this, adaptor, [](APInt a, APInt b) { return a.lshr(b); }, noFloat);
}

OpFoldResult ShiftRightArithmeticOp::fold(FoldAdaptor adaptor) {
  return foldBinary(
      *this, adaptor, [](APInt a, APInt b) { return a.ashr(b); }, noFloat);
}

//===----------------------------------------------------------------------===//
// Comparison, choice and conversion
//===----------------------------------------------------------------------===//

/// Whether `order` (negative, zero, positive) satisfies the relation.
static bool satisfies(ComparisonDirection direction, int order) {
  switch (direction) {
  case ComparisonDirection::EQ:
    return order == 0;
  case ComparisonDirection::NE:
    return order != 0;
  case ComparisonDirection::GE:
    return order >= 0;
  case ComparisonDirection::GT:
    return order > 0;
  case ComparisonDirection::LE:
    return order <= 0;
  case ComparisonDirection::LT:
    return order < 0;
  }
  return false;
}

OpFoldResult CompareOp::fold(FoldAdaptor adaptor) {
  DenseElementsAttr lhs = getFoldable(adaptor.getLhs());
  DenseElementsAttr rhs = getFoldable(adaptor.getRhs());
  auto type = dyn_cast<RankedTensorType>(getType());
  if (!lhs || !rhs || !type || !type.hasStaticShape() ||
      lhs.getType() != rhs.getType() || !isa<IntegerType>(lhs.getElementType()))
    return {};
  bool isUnsignedType = isUnsigned(lhs.getType());
  ComparisonDirection direction = getComparisonDirection();
  return mapElements<APInt, bool>(
      type, {lhs, rhs}, [&](ArrayRef<APInt> row) -> std::optional<bool> {
        bool less = isUnsignedType ? row[0].ult(row[1]) : row[0].slt(row[1]);
        int order = row[0] == row[1] ? 0 : (less ? -1 : 1);
        return satisfies(direction, order);
      });
}

OpFoldResult SelectOp::fold(FoldAdaptor adaptor) {
  if (getOnTrue() == getOnFalse())
    return sameType(*this, getOnTrue());
  auto pred = dyn_cast_or_null<SplatElementsAttr>(adaptor.getPred());
  if (!pred)
    return {};
  return sameType(*this,
                  pred.getSplatValue<bool>() ? getOnTrue() : getOnFalse());
}

/// Folds between integer types and from integer or float to float. A float
/// that may not fit its integer type is left to run time.
static DenseElementsAttr foldConvert(DenseElementsAttr operand,
                                     RankedTensorType type) {
  Type from = operand.getElementType(), to = type.getElementType();
  bool signedFrom = !isUnsigned(from);
  if (isa<IntegerType>(from) && isa<IntegerType>(to))
    return mapElements<APInt, APInt>(
        type, operand, [&](ArrayRef<APInt> row) -> std::optional<APInt> {
          unsigned width = to.getIntOrFloatBitWidth();
          if (width == 1)
            return APInt(1, !row[0].isZero());
          return signedFrom ? row[0].sextOrTrunc(width)
                            : row[0].zextOrTrunc(width);
        });
  auto toFloat = dyn_cast<FloatType>(to);
  if (isa<IntegerType>(from) && toFloat)
    return mapElements<APInt, APFloat>(
        type, operand, [&](ArrayRef<APInt> row) -> std::optional<APFloat> {
          APFloat value(toFloat.getFloatSemantics());
          value.convertFromAPInt(row[0], signedFrom,
                                 APFloat::rmNearestTiesToEven);
          return value;
        });
  if (isa<FloatType>(from) && toFloat)
    return mapElements<APFloat, APFloat>(
        type, operand, [&](ArrayRef<APFloat> row) -> std::optional<APFloat> {
          bool losesInfo;
          APFloat value = row[0];
          value.convert(toFloat.getFloatSemantics(),
                        APFloat::rmNearestTiesToEven, &losesInfo);
          return value;
        });
  return {};
}

OpFoldResult ConvertOp::fold(FoldAdaptor adaptor) {
  if (OpFoldResult result = sameType(*this, getOperand()))
    return result;
  DenseElementsAttr operand = getFoldable(adaptor.getOperand());
  auto type = dyn_cast<RankedTensorType>(getType());
  if (!operand || !type || !type.hasStaticShape())
    return {};
  return foldConvert(operand, type);
}

OpFoldResult ComplexOp::fold(FoldAdaptor) {
  auto real = getLhs().getDefiningOp<RealOp>();
  auto imag = getRhs().getDefiningOp<ImagOp>();
  if (!real || !imag || real.getOperand() != imag.getOperand())
    return {};
  return sameType(*this, real.getOperand());
}

OpFoldResult RealOp::fold(FoldAdaptor) {
  if (auto parts = getOperand().getDefiningOp<ComplexOp>())
    return sameType(*this, parts.getLhs());
  return {};
}

OpFoldResult ImagOp::fold(FoldAdaptor) {
  if (auto parts = getOperand().getDefiningOp<ComplexOp>())
    return sameType(*this, parts.getRhs());
  return {};
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

OpFoldResult ConstantOp::fold(FoldAdaptor) { return getValue(); }

OpFoldResult IotaOp::fold(FoldAdaptor) {
  // Counting to one is the constant zero.
  auto type = dyn_cast<RankedTensorType>(getType());
  if (!type || !type.hasStaticShape() ||
      type.getDimSize(getIotaDimension()) != 1 ||
      !type.getElementType().isIntOrFloat())
    return {};
  return DenseElementsAttr::get(
      type, Builder(getContext()).getZeroAttr(type.getElementType()));
}
