//===- UnitEmitter.h - A unit of work as a function -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Emits the operations of one unit (StepLayout.h) with the shapes that one
// member of a stage has, and the collectives between members of the stage that
// changes of form need.
//
// What comes from outside of the unit becomes an argument of the function. An
// argument is a value of the step in one of four variants:
//
//   native       as the unit that computes it gives it, for one microbatch if
//                there is one instance for each;
//   whole        after the end of its level: completed, or put together;
//   moved,       the same as another stage hands it over: replicated on the
//   moved whole  tensor axis.
//
// The offset of the member in the batch is an argument, too, so that the same
// function serves all microbatches of a size: indices and random numbers are
// those of the whole batch.
//
// What a proof that every sum is completed once needs to know is left in the
// function as `hetero.forms`: the forms of its arguments and results, and on
// operations that make a partial value out of split ones the form of that
// value. The axes are called as in StepLayout.h.

#ifndef HETERO_LIB_TRANSFORMS_PARTITION_UNITEMITTER_H
#define HETERO_LIB_TRANSFORMS_PARTITION_UNITEMITTER_H

#include "StepLayout.h"
#include "hetero/Dialect/Stablehlo.h"
#include "mlir/IR/IRMapping.h"

namespace hetero::partition {

enum class Variant { Native, Whole, Moved, MovedWhole };

inline bool isWhole(Variant variant) {
  return variant == Variant::Whole || variant == Variant::MovedWhole;
}
inline bool isMoved(Variant variant) {
  return variant == Variant::Moved || variant == Variant::MovedWhole;
}

struct UnitValue {
  mlir::Value value;
  Variant variant = Variant::Native;
  bool operator==(const UnitValue &other) const {
    return value == other.value && variant == other.variant;
  }
};

/// A unit of one member, as a function.
struct UnitFunction {
  mlir::func::FuncOp function;
  llvm::SmallVector<UnitValue> inputs, outputs;
  bool takesOffset = false; ///< A last argument: samples before its own.
};

/// The variant in which a unit on `stage` needs a value that it does not
/// compute, if it wants the form `data` of it.
Variant getVariant(const StepLayout &layout, mlir::Value value,
                   const Form &data, Where where);

/// The forms of a holding as an attribute; null if it is replicated.
FormsAttr getFormsAttr(mlir::MLIRContext *context, const Holding &holding);

/// How a value is held in a variant.
Holding getVariantHolding(const StepLayout &layout, const UnitValue &value,
                          Where where);

/// Whether values that are held so have the same elements on every member.
bool isSame(const Holding &a, const Holding &b);

/// The value that leaves others as they are when it is combined with them.
mlir::DenseElementsAttr getNeutralValue(mlir::RankedTensorType type,
                                        ReductionKind reduction);

/// `value` as `type`, by a reshape unless that is its type.
mlir::Value reshape(mlir::OpBuilder &builder, mlir::Location loc,
                    mlir::RankedTensorType type, mlir::Value value);

class UnitEmitter {
public:
  UnitEmitter(const StepLayout &layout, Member member, Where where,
              mlir::OpBuilder builder)
      : layout(layout), member(member), where(where), builder(builder) {}

  /// Emits `ops` into a new function named `name`; `outputs` are wanted from
  /// it. Fails with a diagnostic if a change of form is not possible.
  mlir::FailureOr<UnitFunction> emit(llvm::StringRef name,
                                     llvm::ArrayRef<mlir::Operation *> ops,
                                     llvm::ArrayRef<UnitValue> outputs,
                                     mlir::Location loc);

  /// Changes how a value is held, by collectives of the stage where needed.
  mlir::FailureOr<mlir::Value> convert(mlir::Value local, mlir::Type whole,
                                       Holding have, const Holding &want,
                                       mlir::Location loc);
  /// Reduces a value over the members of the stage along one axis, to all of
  /// it, or to the parts of `form` if that is split, with the units of `axis`.
  mlir::Operation *reduce(mlir::Value local, mlir::RankedTensorType type,
                          ReductionKind reduction, const Form &form,
                          const AxisClass *axis, bool tensor,
                          mlir::Location loc);

  /// Puts the parts of `form`, of so many units each, together to `type`.
  mlir::Value gather(mlir::Value local, mlir::RankedTensorType type,
                     const Form &form, llvm::ArrayRef<int64_t> sizes,
                     bool tensor, mlir::Location loc);

private:
  struct Held {
    mlir::Value value;
    Holding holding;
  };
  bool isEmpty(mlir::Operation *op, mlir::ValueRange operands,
               llvm::ArrayRef<Holding> wanted,
               llvm::ArrayRef<Holding> results) const;
  mlir::LogicalResult emitOp(mlir::Operation *op);
  mlir::LogicalResult emitRegionOp(mlir::Operation *op);
  mlir::LogicalResult keepResults(mlir::Operation *op, mlir::ValueRange locals,
                                  llvm::ArrayRef<Holding> holdings, bool isTop);
  mlir::LogicalResult emitBlock(mlir::Block &from, mlir::Block &to,
                                llvm::ArrayRef<Holding> terminator);
  mlir::FailureOr<mlir::Operation *>
  cloneLocal(mlir::Operation *op, mlir::ValueRange operands,
             llvm::ArrayRef<Holding> results);
  void fixAttributes(mlir::Operation *op, mlir::OperationState &state,
                     llvm::ArrayRef<Holding> results);
  mlir::Value emitIota(mlir::stablehlo::IotaOp op, const Holding &holding);
  mlir::FailureOr<mlir::Value> get(mlir::Value value, const Holding &want,
                                   mlir::Operation *user);
  mlir::FailureOr<mlir::Value> materialize(mlir::Value value,
                                           const Holding &want);
  mlir::FailureOr<Held> getHeld(mlir::Value value, const Holding &want);
  mlir::FailureOr<mlir::Value> convertAxis(mlir::Value local, mlir::Type whole,
                                           Holding have, Holding want,
                                           bool tensor, mlir::Location loc);
  mlir::Value exchange(mlir::Value local, mlir::RankedTensorType type,
                       Holding have, const Holding &want, bool tensor,
                       mlir::Location loc);
  mlir::Value slice(mlir::Value local, mlir::RankedTensorType type, Form form,
                    int64_t units, int64_t size, mlir::Value offset,
                    mlir::Location loc);
  mlir::Value getOffset(const Holding &holding, bool tensor,
                        mlir::Location loc);
  mlir::Value getIntegerConstant(int64_t value, mlir::Location loc);
  mlir::RankedTensorType getLocalType(mlir::Type type,
                                      const Holding &holding) const {
    return layout.getLocalType(type, holding, member);
  }
  Form getLocalForm(const Holding &holding, bool tensor) const;
  void markPartial(mlir::Operation *local, llvm::ArrayRef<Holding> operands,
                   llvm::ArrayRef<Holding> results);

  const StepLayout &layout;
  Member member;
  Where where;
  mlir::OpBuilder builder;
  mlir::OpBuilder::InsertPoint prologue;
  UnitFunction unit;
  mlir::Value offset;
  /// Computed in the unit; what comes from outside; what the region that is
  /// being emitted takes from around it.
  llvm::DenseMap<mlir::Value, Held> values, natives, wholes, captured;
  struct Converted {
    mlir::Value from;
    Holding want;
    mlir::Value to;
  };
  llvm::DenseMap<mlir::Value, llvm::SmallVector<Converted>> conversions;
  llvm::DenseMap<mlir::Value,
                 llvm::SmallVector<std::pair<Holding, mlir::Value>>>
      materialized;
  int regionDepth = 0;
};

} // namespace hetero::partition

#endif // HETERO_LIB_TRANSFORMS_PARTITION_UNITEMITTER_H
