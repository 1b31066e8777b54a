//===- LoopBuilder.h - A builder of what loops do ---------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Short names for the operations that bodies of loops mostly consist of:
//
//   Value isZero = b.cmpI(IntOrder::eq, x, b.integer(type, 0));
//   return b.select(isZero, x, b.addI(x, y));

#ifndef HETERO_LIB_CONVERSION_STABLEHLOTOLINALG_LOOPBUILDER_H
#define HETERO_LIB_CONVERSION_STABLEHLOTOLINALG_LOOPBUILDER_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace hetero {

using IntOrder = mlir::arith::CmpIPredicate;
using FloatOrder = mlir::arith::CmpFPredicate;

class LoopBuilder : public mlir::ImplicitLocOpBuilder {
  using Type = mlir::Type;
  using Value = mlir::Value;
  using ValueRange = mlir::ValueRange;
  using Values = llvm::SmallVector<mlir::Value>;

  template <typename Op, typename... Args>
  Value make(Args &&...args) {
    return Op::create(*this, std::forward<Args>(args)...);
  }

public:
  using ImplicitLocOpBuilder::ImplicitLocOpBuilder;

  // Constants.
  Value constant(mlir::TypedAttr value) {
    return make<mlir::arith::ConstantOp>(value);
  }
  Value index(int64_t value) { return constant(getIndexAttr(value)); }
  Value flag(bool value) { return constant(getBoolAttr(value)); }
  Value real(Type type, double value) {
    return constant(getFloatAttr(type, value));
  }
  template <typename Int>
  Value integer(Type type, const Int &value) {
    return constant(getIntegerAttr(type, value));
  }
  /// Of any type, complex ones among them.
  Value zero(Type type);

  // Integers.
  Value addI(Value x, Value y) { return make<mlir::arith::AddIOp>(x, y); }
  Value subI(Value x, Value y) { return make<mlir::arith::SubIOp>(x, y); }
  Value mulI(Value x, Value y) { return make<mlir::arith::MulIOp>(x, y); }
  Value divUI(Value x, Value y) { return make<mlir::arith::DivUIOp>(x, y); }
  Value remUI(Value x, Value y) { return make<mlir::arith::RemUIOp>(x, y); }
  Value minSI(Value x, Value y) { return make<mlir::arith::MinSIOp>(x, y); }
  Value maxSI(Value x, Value y) { return make<mlir::arith::MaxSIOp>(x, y); }
  Value minUI(Value x, Value y) { return make<mlir::arith::MinUIOp>(x, y); }
  Value maxUI(Value x, Value y) { return make<mlir::arith::MaxUIOp>(x, y); }
  Value andI(Value x, Value y) { return make<mlir::arith::AndIOp>(x, y); }
  Value orI(Value x, Value y) { return make<mlir::arith::OrIOp>(x, y); }
  Value xorI(Value x, Value y) { return make<mlir::arith::XOrIOp>(x, y); }
  Value shlI(Value x, Value y) { return make<mlir::arith::ShLIOp>(x, y); }
  Value shrUI(Value x, Value y) { return make<mlir::arith::ShRUIOp>(x, y); }
  Value cmpI(IntOrder order, Value x, Value y) {
    return make<mlir::arith::CmpIOp>(order, x, y);
  }

  // Floats.
  Value addF(Value x, Value y) { return make<mlir::arith::AddFOp>(x, y); }
  Value mulF(Value x, Value y) { return make<mlir::arith::MulFOp>(x, y); }
  Value divF(Value x, Value y) { return make<mlir::arith::DivFOp>(x, y); }
  Value cmpF(FloatOrder order, Value x, Value y) {
    return make<mlir::arith::CmpFOp>(order, x, y);
  }

  Value select(Value condition, Value x, Value y) {
    return make<mlir::arith::SelectOp>(condition, x, y);
  }
  /// The bits of `value`, which may be of this type already.
  Value bitcast(Type type, Value value) {
    return value.getType() == type ? value
                                   : make<mlir::arith::BitcastOp>(type, value);
  }
  Value extract(Value tensor, ValueRange indices) {
    return make<mlir::tensor::ExtractOp>(tensor, indices);
  }

  // Control. What is built within an operation comes from a builder for that
  // place, which a function gets.
  using BranchFn = llvm::function_ref<Values(LoopBuilder &)>;
  Values ifElse(Value condition, BranchFn then, BranchFn otherwise);

  /// A loop with values that each iteration replaces.
  using LoopFn = llvm::function_ref<Values(LoopBuilder &, Value index,
                                           ValueRange carried)>;
  Values loop(Value begin, Value end, Value step, ValueRange carried,
              LoopFn body);

  /// A nest of loops over `shape` with such values.
  using NestFn = llvm::function_ref<Values(LoopBuilder &, ValueRange indices,
                                           ValueRange carried)>;
  mlir::scf::LoopNest nest(llvm::ArrayRef<int64_t> shape, ValueRange carried,
                           NestFn body);
};

} // namespace hetero

#endif // HETERO_LIB_CONVERSION_STABLEHLOTOLINALG_LOOPBUILDER_H
