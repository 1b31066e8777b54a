//===- LoopBuilder.cpp - A builder of what loops do -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "LoopBuilder.h"
#include "mlir/Dialect/Complex/IR/Complex.h"

using namespace mlir;
using namespace hetero;

Value LoopBuilder::zero(Type type) {
  auto complex = dyn_cast<ComplexType>(type);
  if (!complex)
    return constant(getZeroAttr(type));
  Attribute part = getZeroAttr(complex.getElementType());
  return make<complex::ConstantOp>(complex, getArrayAttr({part, part}));
}

SmallVector<Value> LoopBuilder::ifElse(Value condition, BranchFn then,
                                       BranchFn otherwise) {
  auto yield = [](BranchFn branch) {
    return [branch](OpBuilder &builder, Location loc) {
      LoopBuilder nested(loc, builder);
      scf::YieldOp::create(nested, branch(nested));
    };
  };
  auto op = scf::IfOp::create(*this, condition, yield(then), yield(otherwise));
  return llvm::to_vector(ValueRange(op.getResults()));
}

SmallVector<Value> LoopBuilder::loop(Value begin, Value end, Value step,
                                     ValueRange carried, LoopFn body) {
  auto op = scf::ForOp::create(
      *this, begin, end, step, carried,
      [&](OpBuilder &builder, Location loc, Value index, ValueRange values) {
        LoopBuilder nested(loc, builder);
        scf::YieldOp::create(nested, body(nested, index, values));
      });
  return llvm::to_vector(ValueRange(op.getResults()));
}

scf::LoopNest LoopBuilder::nest(ArrayRef<int64_t> shape, ValueRange carried,
                                NestFn body) {
  SmallVector<Value> begins(shape.size(), index(0));
  SmallVector<Value> steps(shape.size(), index(1)), ends;
  for (int64_t size : shape)
    ends.push_back(index(size));
  return scf::buildLoopNest(
      *this, getLoc(), begins, ends, steps, carried,
      [&](OpBuilder &builder, Location loc, ValueRange indices,
          ValueRange values) -> scf::ValueVector {
        LoopBuilder nested(loc, builder);
        SmallVector<Value> next = body(nested, indices, values);
        return scf::ValueVector(next.begin(), next.end());
      });
}
