//===- LoweringContraction.cpp - Sums of products, dot products -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A contraction is a loop nest that sums products, with an affine map for each
// operand: dot_general by nature, and convolutions (LoweringConvolution.cpp).
// It becomes linalg.generic with the attribute `hetero.contraction`, which
// `hetero-lower-contractions` turns into calls of the matrix library once the
// operands have strides.

#include "Lowering.h"
#include "hetero/Conversion/StablehloToLinalg/Passes.h"
#include "mlir/Dialect/Complex/IR/Complex.h"

using namespace mlir;
using namespace hetero;
using namespace mlir::stablehlo;

//===----------------------------------------------------------------------===//
// Sums of products
//===----------------------------------------------------------------------===//

Type hetero::getSumType(Type resultType) {
  auto floatType = dyn_cast<FloatType>(resultType);
  if (floatType && floatType.getWidth() < 32)
    return Float32Type::get(resultType.getContext());
  return resultType;
}

Value hetero::convertTensor(Lowering &lowering, Value tensor, Type from,
                            Type to) {
  auto type = cast<RankedTensorType>(tensor.getType());
  Type element = convertElementType(to);
  if (type.getElementType() == element)
    return tensor;
  return lowering.makeGenerated(RankedTensorType::get(type.getShape(), element),
                                [&](LoopBuilder &b, ValueRange indices) {
                                  Value value = b.extract(tensor, indices);
                                  return emitConvert(b, value, from, to);
                                });
}

static Value emitProductSum(LoopBuilder &b, Value lhs, Value rhs, Value sum) {
  if (isa<FloatType>(sum.getType()) && lhs.getType() != sum.getType()) {
    lhs = arith::ExtFOp::create(b, sum.getType(), lhs);
    rhs = arith::ExtFOp::create(b, sum.getType(), rhs);
  }
  if (isa<FloatType>(sum.getType()))
    return b.addF(sum, b.mulF(lhs, rhs));
  if (isa<ComplexType>(sum.getType()))
    return complex::AddOp::create(b, sum, complex::MulOp::create(b, lhs, rhs));
  if (sum.getType().isInteger(1))
    return b.orI(sum, b.andI(lhs, rhs));
  return b.addI(sum, b.mulI(lhs, rhs));
}

Value hetero::makeContraction(Lowering &lowering, Access lhs, Access rhs,
                              RankedTensorType type, AffineMap resultMap) {
  LoopBuilder &b = lowering.b;
  Value zeros = lowering.makeFilled(type, b.zero(type.getElementType()));

  auto loop = linalg::GenericOp::create(
      b, type, ValueRange{lhs.tensor, rhs.tensor}, zeros,
      ArrayRef<AffineMap>{lhs.map, rhs.map, resultMap}, getIterators(resultMap),
      [](OpBuilder &builder, Location loc, ValueRange args) {
        LoopBuilder nested(loc, builder);
        Value sum = emitProductSum(nested, args[0], args[1], args[2]);
        linalg::YieldOp::create(nested, sum);
      });
  loop->setAttr(kContractionAttr, b.getUnitAttr());
  return loop.getResult(0);
}

//===----------------------------------------------------------------------===//
// dot_general
//===----------------------------------------------------------------------===//

LogicalResult Lowering::lowerProduct(Operation *op) {
  Value lhs = op->getOperand(0), rhs = op->getOperand(1);
  Value result = op->getResult(0);
  RankedTensorType type = convertType(result);
  Type hloResult = getElementType(result);
  Type sumType = getSumType(hloResult);
  if (mapEmpty(result))
    return success();
  RankedTensorType lhsType = convertType(lhs);
  RankedTensorType rhsType = convertType(rhs);
  if (lhsType.getNumElements() == 0 || rhsType.getNumElements() == 0) {
    Value zero = b.zero(type.getElementType());
    map(result, makeFilled(type, zero));
    return success();
  }
  ProductAccess access(op, plan);
  Access left = {getTensor(access.lhs.source), access.lhs.map};
  Access right = {getTensor(access.rhs.source), access.rhs.map};
  // Tensor cores multiply 16-bit floats as they are.
  bool isNarrow = target == Target::Cuda && sumType.isF32() &&
                  getElementType(lhs) == getElementType(rhs) &&
                  (getElementType(lhs).isF16() || getElementType(lhs).isBF16());
  if (!isNarrow) {
    left.tensor =
        convertTensor(*this, left.tensor, getElementType(lhs), sumType);
    right.tensor =
        convertTensor(*this, right.tensor, getElementType(rhs), sumType);
  }
  auto sumTensor =
      RankedTensorType::get(type.getShape(), convertElementType(sumType));
  Value sum = makeContraction(*this, left, right, sumTensor, access.resultMap);
  map(result, convertTensor(*this, sum, sumType, hloResult));
  return success();
}
