//===- UnitEmitterConversions.cpp - Changes of form in a unit -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "UnitEmitter.h"
#include "hetero/Transforms/Import/TensorExpr.h"

using namespace mlir;
using namespace hetero;
using namespace hetero::partition;

bool partition::isSame(const Holding &a, const Holding &b) {
  return a.data == b.data && a.tensor == b.tensor &&
         (!a.data.isSplit() || a.dataClass == b.dataClass) &&
         (!a.tensor.isSplit() || a.tensorClass == b.tensorClass);
}

Value UnitEmitter::getIntegerConstant(int64_t value, Location loc) {
  auto type = RankedTensorType::get({}, builder.getI64Type());
  return stablehlo::ConstantOp::create(
      builder, loc, DenseElementsAttr::get(type, ArrayRef<int64_t>{value}));
}

/// Units before this member's, as a tensor<i64>.
Value UnitEmitter::getOffset(const Holding &holding, bool tensor,
                             Location loc) {
  if (tensor)
    return getIntegerConstant(
        StepLayout::getUnits(*holding.tensorClass, member.tensor).second, loc);
  if (holding.dataClass)
    return getIntegerConstant(
        StepLayout::getUnits(*holding.dataClass, member.data).second, loc);
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
  Form form = tensor ? holding.tensor : holding.data;
  const Form &other = tensor ? holding.data : holding.tensor;
  if (!form.isSplit() || !other.isSplit() || form.dim != other.dim)
    return form;
  int64_t units =
      tensor ? layout.getTotalUnits(holding) : holding.tensorClass->units;
  int64_t size =
      tensor ? layout
                   .getDataUnits(holding, member.stage, member.microbatch,
                                 member.data)
                   .first
             : StepLayout::getUnits(*holding.tensorClass, member.tensor).first;
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
  SmallVector<int64_t> shape(from.getShape().take_front(form.dim));
  size_t at = shape.size();
  if (form.outer != 1) {
    shape.push_back(form.outer);
    ++at;
  }
  shape.push_back(units * form.inner);
  llvm::append_range(shape, from.getShape().drop_front(form.dim + 1));
  Value wide = local;
  if (form.outer != 1)
    wide = stablehlo::ReshapeOp::create(
        builder, loc, RankedTensorType::get(shape, from.getElementType()),
        local);
  Value start = begin;
  if (form.inner != 1)
    start = stablehlo::MulOp::create(builder, loc, begin,
                                     getIntegerConstant(form.inner, loc));
  SmallVector<Value> starts(shape.size(), Value());
  Value zero;
  for (auto [dim, value] : llvm::enumerate(starts)) {
    if (dim == at) {
      value = start;
      continue;
    }
    if (!zero)
      zero = getIntegerConstant(0, loc);
    value = zero;
  }
  shape[at] = size * form.inner;
  Value part = stablehlo::DynamicSliceOp::create(
      builder, loc, RankedTensorType::get(shape, from.getElementType()), wide,
      starts, builder.getDenseI64ArrayAttr(shape));
  if (form.outer != 1)
    part = stablehlo::ReshapeOp::create(builder, loc, type, part);
  return part;
}

static SplitAttr getSplit(MLIRContext *context, Form form,
                          ArrayRef<int64_t> sizes) {
  return SplitAttr::get(context, form.dim, form.outer, form.inner, sizes);
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
  const Form &from = tensor ? have.tensor : have.data,
             &to = tensor ? want.tensor : want.data,
             &other = tensor ? have.data : have.tensor;
  const AxisClass *fromClass = tensor ? have.tensorClass : have.dataClass;
  const AxisClass *toClass = tensor ? want.tensorClass : want.dataClass;
  auto isOtherWhole = [&] {
    return tensor ? layout.getDataUnits(have, member.stage, member.microbatch,
                                        member.data)
                            .first == layout.getTotalUnits(have)
                  : have.tensorClass->sizes[member.tensor] ==
                        have.tensorClass->units;
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
  auto reshape = [&](Value value, RankedTensorType wanted) -> Value {
    if (value.getType() == wanted)
      return value;
    return stablehlo::ReshapeOp::create(builder, loc, wanted, value);
  };
  MLIRContext *context = builder.getContext();
  const StageRun &stage = layout.stages[member.stage];
  Value result = AllToAllOp::create(
      builder, loc, type.clone(cut->want),
      reshape(local, operandType.clone(cut->have)),
      getSplit(context, cut->from, fromClass->sizes),
      getSplit(context, cut->to, toClass->sizes),
      FlatSymbolRefAttr::get(stage.mesh.getSymNameAttr()),
      tensor ? stage.tensorAxes : stage.dataAxes,
      AlgorithmAttr::get(context, Algorithm::Auto), IntegerAttr());
  return reshape(result, type);
}

FailureOr<Value> UnitEmitter::convertAxis(Value local, Type whole, Holding have,
                                          Holding want, bool tensor,
                                          Location loc) {
  const Form from = tensor ? have.tensor : have.data,
             to = tensor ? want.tensor : want.data;
  const AxisClass *fromClass = tensor ? have.tensorClass : have.dataClass;
  const AxisClass *toClass = tensor ? want.tensorClass : want.dataClass;
  if (from == to && (!from.isSplit() || fromClass == toClass))
    return local;
  // What this axis wants, with the other one as it is.
  Holding target = have;
  (tensor ? target.tensor : target.data) = to;
  (tensor ? target.tensorClass : target.dataClass) = toClass;
  MLIRContext *context = builder.getContext();
  const StageRun &stage = layout.stages[member.stage];
  auto mesh = FlatSymbolRefAttr::get(stage.mesh.getSymNameAttr());
  ArrayAttr axes = tensor ? stage.tensorAxes : stage.dataAxes;
  AlgorithmAttr algorithm = AlgorithmAttr::get(context, Algorithm::Auto);
  RankedTensorType type = getLocalType(whole, target);
  if (from.isReplicated() && to.isSplit()) {
    auto [size, before] =
        tensor ? StepLayout::getUnits(*toClass, member.tensor)
               : layout.getDataUnits(target, member.stage, member.microbatch,
                                     member.data);
    int64_t units = tensor ? toClass->units : layout.getTotalUnits(target);
    return slice(local, type, getLocalForm(target, tensor), units, size,
                 getOffset(target, tensor, loc), loc);
  }
  if (from.isReplicated()) { // To partial.
    if (to.reduction != ReductionKind::Sum)
      return local; // Combined with itself it stays what it is.
    // The first member keeps it.
    Value zero = stablehlo::ConstantOp::create(builder, loc, getZeros(type));
    auto mark = [&](Operation *op) {
      Holding made;
      (tensor ? made.tensor : made.data) = to;
      (tensor ? made.tensorClass : made.dataClass) = toClass;
      op->setAttr(HeteroDialect::getFormsAttrName(),
                  builder.getArrayAttr({getFormsAttr(context, made)}));
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
  if (from.isPartial()) {
    auto reduction = ReductionKindAttr::get(context, from.reduction);
    if (to.isSplit())
      return Value(ReduceScatterOp::create(
          builder, loc, type, reduction, local,
          getSplit(context, getLocalForm(target, tensor), toClass->sizes), mesh,
          axes, algorithm, IntegerAttr()));
    return Value(AllReduceOp::create(builder, loc, type, reduction, local, mesh,
                                     axes, algorithm, IntegerAttr()));
  }
  if (to.isSplit())
    if (Value result = exchange(local, type, have, want, tensor, loc))
      return result;
  // Split: gather, and go on from there.
  Holding gathered = have;
  (tensor ? gathered.tensor : gathered.data) = Form::replicated();
  Value all = AllGatherOp::create(
      builder, loc, getLocalType(whole, gathered), local,
      getSplit(context, getLocalForm(have, tensor), fromClass->sizes), mesh,
      axes, algorithm, IntegerAttr());
  return convertAxis(all, whole, gathered, want, tensor, loc);
}

FailureOr<Value> UnitEmitter::convert(Value local, Type whole, Holding have,
                                      const Holding &want, Location loc) {
  if (isSame(have, want))
    return local;
  // What the model axis is going to split must not be split by the data axis.
  if (have.dataClass && have.data.isSplit() && want.tensor.isSplit() &&
      have.data.dim == want.tensor.dim && have.tensor != want.tensor) {
    Holding gathered = have;
    gathered.data = Form::replicated();
    gathered.dataClass = nullptr;
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
  have.tensor = want.tensor;
  have.tensorClass = want.tensorClass;
  return convertAxis(*result, whole, have, want, /*tensor=*/false, loc);
}
