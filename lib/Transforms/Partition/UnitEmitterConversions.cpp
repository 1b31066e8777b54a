//===- UnitEmitterConversions.cpp - Changes of form in a unit -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "UnitEmitter.h"
#include "hetero/Transforms/Import/TensorExpr.h"

using namespace mlir;
using namespace hetero;
using namespace hetero::partition;

bool partition::isSame(const Holding &a, const Holding &b) {
  return a.data == b.data && a.tensor == b.tensor &&
         (!a.data.isSplit() || a.storageClass == b.storageClass) &&
         (!a.tensor.isSplit() || a.tensorClass == b.tensorClass);
}

Value partition::reshape(OpBuilder &builder, Location loc,
                         RankedTensorType type, Value value) {
  if (value.getType() == type)
    return value;
  return stablehlo::ReshapeOp::create(builder, loc, type, value);
}

Value UnitEmitter::getIntegerConstant(int64_t value, Location loc) {
  auto type = RankedTensorType::get({}, builder.getI64Type());
  return stablehlo::ConstantOp::create(
      builder, loc, DenseElementsAttr::get(type, ArrayRef<int64_t>{value}));
}

/// Units before this member's, as a tensor<i64>.
Value UnitEmitter::getOffset(const Holding &holding, bool tensor,
                             Location loc) {
  if (holding.getClass(tensor))
    return getIntegerConstant(layout.getUnits(holding, tensor, member).second,
                              loc);
  if (!offset) {
    offset = unit.function.getBody().front().addArgument(
        RankedTensorType::get({}, builder.getI64Type()), loc);
    unit.takesOffset = true;
  }
  return offset;
}

/// The form of one axis as the other one leaves it: where both split the same
/// dimension, the part of it that this one does not split is smaller.
Form UnitEmitter::getLocalForm(const Holding &holding, bool tensor) const {
  Form form = holding.getForm(tensor);
  const Form &other = holding.getForm(!tensor);
  if (!form.isSplit() || !other.isSplit() || form.dim != other.dim)
    return form;
  int64_t units = layout.getTotalUnits(holding, !tensor);
  int64_t size = layout.getUnits(holding, !tensor, member).first;
  if (size == units)
    return form;
  if (form.outer % (other.outer * units) == 0)
    form.outer = form.outer / units * size;
  else
    form.inner = form.inner / units * size;
  return form;
}

/// The part [offset, offset + size) of the units that `form` splits.
Value UnitEmitter::slice(Value local, RankedTensorType type, Form form,
                         int64_t units, int64_t size, Value begin,
                         Location loc) {
  auto from = cast<RankedTensorType>(local.getType());
  // [.., outer, units * inner, ..], sliced in the middle.
  SmallVector<int64_t> shape(from.getShape());
  size_t at = form.dim + (form.outer != 1);
  if (form.outer != 1)
    shape.insert(shape.begin() + form.dim, form.outer);
  shape[at] = units * form.inner;
  Value wide = reshape(
      builder, loc, RankedTensorType::get(shape, from.getElementType()), local);
  Value start = begin;
  if (form.inner != 1)
    start = stablehlo::MulOp::create(builder, loc, begin,
                                     getIntegerConstant(form.inner, loc));
  Value zero = shape.size() > 1 ? getIntegerConstant(0, loc) : Value();
  SmallVector<Value> starts(shape.size(), zero);
  starts[at] = start;
  shape[at] = size * form.inner;
  Value part = stablehlo::DynamicSliceOp::create(
      builder, loc, RankedTensorType::get(shape, from.getElementType()), wide,
      starts, builder.getDenseI64ArrayAttr(shape));
  return reshape(builder, loc, type, part);
}

namespace {
/// A local shape with the dimensions of both splits cut so that what is between
/// the units of one and those of the other are dimensions of their own, and
/// both as splits of these. Nothing if the units of one dimension overlap.
struct Exchange {
  SmallVector<int64_t> have, want;
  Form from, to;
};
} // namespace

static std::optional<Exchange> cutForExchange(ArrayRef<int64_t> shape,
                                              const Form &from, int64_t had,
                                              int64_t fromUnits, const Form &to,
                                              int64_t gets, int64_t toUnits) {
  Exchange cut;
  // A run of so many elements, in the operand and in the result.
  auto add = [&](int64_t have, int64_t want) {
    cut.have.push_back(have);
    cut.want.push_back(want);
  };
  auto addOuter = [&](int64_t outer) {
    if (outer != 1)
      add(outer, outer);
  };
  auto addFrom = [&](int64_t inner) {
    cut.from = Form::split(cut.have.size(), 1, inner);
    add(had * inner, fromUnits * inner);
  };
  auto addTo = [&](int64_t inner) {
    cut.to = Form::split(cut.have.size(), 1, inner);
    add(toUnits * inner, gets * inner);
  };
  for (auto [dim, size] : llvm::enumerate(shape)) {
    bool isFrom = from.dim == int64_t(dim), isTo = to.dim == int64_t(dim);
    if (isFrom && isTo) {
      int64_t fromLength = fromUnits * from.inner,
              toLength = toUnits * to.inner;
      if (from.outer == to.outer && fromLength == toLength) {
        addOuter(from.outer);
        cut.from = Form::split(cut.have.size(), 1, from.inner);
        cut.to = Form::split(cut.have.size(), 1, to.inner);
        add(had * from.inner, gets * to.inner);
      } else if (from.inner % toLength == 0) {
        addOuter(from.outer);
        addFrom(from.inner / toLength);
        addTo(to.inner);
      } else if (to.inner % fromLength == 0) {
        addOuter(to.outer);
        addTo(to.inner / fromLength);
        addFrom(from.inner);
      } else {
        return std::nullopt;
      }
    } else if (isFrom) {
      addOuter(from.outer);
      addFrom(from.inner);
    } else if (isTo) {
      addOuter(to.outer);
      addTo(to.inner);
    } else {
      add(size, size);
    }
  }
  return cut;
}

/// From one split to another by one all_to_all, where the other axis leaves
/// their dimensions alone; null if that is not so.
Value UnitEmitter::exchange(Value local, RankedTensorType type, Holding have,
                            const Holding &want, bool tensor, Location loc) {
  const Form &from = have.getForm(tensor), &to = want.getForm(tensor),
             &other = have.getForm(!tensor);
  const AxisClass *fromClass = have.getClass(tensor);
  const AxisClass *toClass = want.getClass(tensor);
  auto isOtherWhole = [&] {
    return layout.getUnits(have, !tensor, member).first ==
           layout.getTotalUnits(have, !tensor);
  };
  if (!fromClass || !toClass ||
      (other.isSplit() && (other.dim == from.dim || other.dim == to.dim) &&
       !isOtherWhole()))
    return {};
  int64_t self = tensor ? member.tensor : member.data;
  auto operandType = cast<RankedTensorType>(local.getType());
  std::optional<Exchange> cut = cutForExchange(
      operandType.getShape(), from, fromClass->sizes[self], fromClass->units,
      to, toClass->sizes[self], toClass->units);
  if (!cut)
    return {};
  MLIRContext *context = builder.getContext();
  const StageRun &stage = layout.stages[member.stage];
  Value result = AllToAllOp::create(
      builder, loc, type.clone(cut->want),
      reshape(builder, loc, operandType.clone(cut->have), local),
      cut->from.toSplit(context, fromClass->sizes),
      cut->to.toSplit(context, toClass->sizes),
      FlatSymbolRefAttr::get(stage.mesh.getSymNameAttr()),
      tensor ? stage.tensorAxes : stage.batchAxes,
      AlgorithmAttr::get(context, Algorithm::Auto), IntegerAttr());
  return reshape(builder, loc, type, result);
}

Operation *UnitEmitter::reduce(Value local, RankedTensorType type,
                               ReductionKind reduction, const Form &form,
                               const AxisClass *axis, bool tensor,
                               Location loc) {
  MLIRContext *context = builder.getContext();
  const StageRun &stage = layout.stages[member.stage];
  auto kind = ReductionKindAttr::get(context, reduction);
  auto mesh = FlatSymbolRefAttr::get(stage.mesh.getSymNameAttr());
  ArrayAttr axes = tensor ? stage.tensorAxes : stage.batchAxes;
  auto algorithm = AlgorithmAttr::get(context, Algorithm::Auto);
  if (form.isSplit())
    return ReduceScatterOp::create(builder, loc, type, kind, local,
                                   form.toSplit(context, axis->sizes), mesh,
                                   axes, algorithm, IntegerAttr());
  return AllReduceOp::create(builder, loc, type, kind, local, mesh, axes,
                             algorithm, IntegerAttr());
}

Value UnitEmitter::gather(Value local, RankedTensorType type, const Form &form,
                          ArrayRef<int64_t> sizes, bool tensor, Location loc) {
  MLIRContext *context = builder.getContext();
  const StageRun &stage = layout.stages[member.stage];
  return AllGatherOp::create(
      builder, loc, type, local, form.toSplit(context, sizes),
      FlatSymbolRefAttr::get(stage.mesh.getSymNameAttr()),
      tensor ? stage.tensorAxes : stage.batchAxes,
      AlgorithmAttr::get(context, Algorithm::Auto), IntegerAttr());
}

FailureOr<Value> UnitEmitter::convertAxis(Value local, Type whole, Holding have,
                                          Holding want, bool tensor,
                                          Location loc) {
  const Form from = have.getForm(tensor), to = want.getForm(tensor);
  const AxisClass *fromClass = have.getClass(tensor);
  const AxisClass *toClass = want.getClass(tensor);
  if (from == to && (!from.isSplit() || fromClass == toClass))
    return local;
  // What this axis wants, with the other one as it is.
  Holding target = have;
  target.set(tensor, to, toClass);
  RankedTensorType type = getLocalType(whole, target);
  if (from.isReplicated() && to.isSplit()) {
    int64_t units = layout.getTotalUnits(target, tensor);
    int64_t size = layout.getUnits(target, tensor, member).first;
    // All of it, also where the other axis splits the dimension into larger
    // units, inside of which those of this one could not be cut.
    if (size == units)
      return local;
    Form form = getLocalForm(target, tensor);
    if (form.outer * units * form.inner !=
        cast<RankedTensorType>(local.getType()).getDimSize(form.dim))
      return emitError(loc)
             << "the batch and the tensor axis would split dimension "
             << form.dim << " of '" << whole
             << "' into units that overlap; that cannot be partitioned";
    return slice(local, type, form, units, size, getOffset(target, tensor, loc),
                 loc);
  }
  if (from.isReplicated()) { // To partial.
    if (to.reduction != ReductionKind::Sum)
      return local; // Combined with itself it stays what it is.
    // The first member keeps it.
    Value zero = stablehlo::ConstantOp::create(builder, loc, getZeros(type));
    auto mark = [&](Operation *op) {
      Holding made;
      made.set(tensor, to, toClass);
      op->setAttr(
          HeteroDialect::getFormsAttrName(),
          builder.getArrayAttr({getFormsAttr(builder.getContext(), made)}));
      return op->getResult(0);
    };
    if (toClass)
      return (tensor ? member.tensor : member.data) == 0
                 ? mark(stablehlo::ReshapeOp::create(builder, loc, type, local))
                 : mark(zero.getDefiningOp());
    Value first = stablehlo::CompareOp::create(
        builder, loc, getOffset(target, tensor, loc),
        getIntegerConstant(0, loc), stablehlo::ComparisonDirection::EQ);
    return mark(
        stablehlo::SelectOp::create(builder, loc, type, first, local, zero));
  }
  bool overTime = !tensor && !fromClass;
  if (overTime || regionDepth != 0)
    return emitError(loc) << "a value would have to be made whole inside of "
                          << (overTime ? "a microbatch" : "a region")
                          << "; that cannot be partitioned";
  if (from.isPartial())
    return reduce(local, type, from.reduction, getLocalForm(target, tensor),
                  toClass, tensor, loc)
        ->getResult(0);
  if (to.isSplit())
    if (Value result = exchange(local, type, have, want, tensor, loc))
      return result;
  // Split: gather, and go on from there.
  Holding gathered = have;
  gathered.set(tensor, Form::replicated(), fromClass);
  Value all = gather(local, getLocalType(whole, gathered),
                     getLocalForm(have, tensor), fromClass->sizes, tensor, loc);
  return convertAxis(all, whole, gathered, want, tensor, loc);
}

FailureOr<Value> UnitEmitter::convert(Value local, Type whole, Holding have,
                                      const Holding &want, Location loc) {
  if (isSame(have, want))
    return local;
  // What the tensor axis is going to split must not be split by the data axis.
  if (have.storageClass && have.data.isSplit() && want.tensor.isSplit() &&
      have.data.dim == want.tensor.dim && have.tensor != want.tensor) {
    Holding gathered = have;
    gathered.set(/*isTensor=*/false, Form::replicated(), nullptr);
    FailureOr<Value> all =
        convertAxis(local, whole, have, gathered, /*tensor=*/false, loc);
    if (failed(all))
      return failure();
    local = *all;
    have = gathered;
  }
  FailureOr<Value> result =
      convertAxis(local, whole, have, want, /*tensor=*/true, loc);
  if (failed(result))
    return failure();
  have.set(/*isTensor=*/true, want.tensor, want.tensorClass);
  return convertAxis(*result, whole, have, want, /*tensor=*/false, loc);
}
