//===- ContributionsUnitSums.cpp - Sums inside of units -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Inside of a unit a value is partial on an axis or it is not. Where it becomes
// so is written on the operation (`hetero.forms`); from there the rules of
// hetero/Analysis/Forms.h say which operations keep it partial, because they
// are linear in it, and which would need it whole. The latter are the errors.
// A reduction over the devices of the axis makes it whole; one of a value that
// is not partial would count it several times.

#include "Contributions.h"
#include "hetero/Analysis/Forms.h"
#include "hetero/Dialect/Stablehlo.h"

using namespace mlir;
using namespace hetero;
using namespace hetero::verify;

namespace {
class UnitSums {
public:
  UnitSums(func::FuncOp unit, const Place &place, Axis axis)
      : unit(unit), place(place), axis(axis) {}
  LogicalResult run();

private:
  FormsAttr getMark(Operation *op, unsigned result) const;
  /// Whether `op` makes a value that is partial on this axis out of split ones.
  bool isMarked(Operation *op) const {
    return llvm::any_of(op->getResults(), [&](OpResult result) {
      FormsAttr mark = getMark(op, result.getResultNumber());
      return mark && mark.getForm(getName(axis)).isPartial();
    });
  }
  bool isExcluded(Operation *op) const {
    return isa<CommunicationOpInterface, WaitOp>(op) || isMarked(op);
  }
  bool completes(Operation *op) const;
  void readForms();
  bool flowThrough(const FormAnalysis &forms);
  LogicalResult checkUses(const FormAnalysis &forms);
  LogicalResult checkMarked(const FormAnalysis &forms, Operation *op);
  LogicalResult checkReduction(const FormAnalysis &forms, Operation *op);
  LogicalResult checkResults(const FormAnalysis &forms);

  func::FuncOp unit;
  const Place &place;
  Axis axis;
  DenseMap<Value, Form> given;
};
} // namespace

FormsAttr UnitSums::getMark(Operation *op, unsigned result) const {
  auto marks = op->getAttrOfType<ArrayAttr>(HeteroDialect::getFormsAttrName());
  if (!marks || result >= marks.size())
    return {};
  return dyn_cast<FormsAttr>(marks[result]);
}

/// Whether a reduction is over the devices of the axis.
bool UnitSums::completes(Operation *op) const {
  if (!isa<AllReduceOp, ReduceScatterOp>(op))
    return false;
  ArrayAttr axes = cast<CommunicationOpInterface>(op).getGroupAxes();
  ArrayAttr mine =
      axis == Axis::Tensor ? place.stage->tensorAxes : place.stage->batchAxes;
  return mine && axes == mine;
}

/// What is partial from the start.
void UnitSums::readForms() {
  auto add = [&](Value value, FormsAttr forms) {
    FormAttr form = forms ? forms.getForm(getName(axis)) : FormAttr();
    if (form && form.isPartial())
      given[value] = Form::get(form);
  };
  for (BlockArgument argument : unit.getArguments())
    add(argument,
        unit.getArgAttrOfType<FormsAttr>(argument.getArgNumber(),
                                         HeteroDialect::getFormsAttrName()));
  for (Operation &op : unit.getBody().front())
    for (OpResult result : op.getResults())
      add(result, getMark(&op, result.getResultNumber()));
}

/// Communication over other devices leaves a value partial. Returns whether
/// anything was found that was not known.
bool UnitSums::flowThrough(const FormAnalysis &forms) {
  bool any = false;
  for (Operation &op : unit.getBody().front()) {
    if (!isa<CommunicationOpInterface, WaitOp>(op) || completes(&op) ||
        op.getNumOperands() == 0 || op.getNumResults() == 0)
      continue;
    Form form = forms.getForm(op.getOperand(0));
    if (form.isPartial() && given.try_emplace(op.getResult(0), form).second)
      any = true;
  }
  return any;
}

LogicalResult UnitSums::checkUses(const FormAnalysis &forms) {
  for (const FormAnalysis::Completion &completion : forms.getCompletions()) {
    if (!forms.isCompleted(completion.value))
      continue;
    InFlightDiagnostic error = completion.user->emitOpError();
    error << "uses a value as a whole that is a sum over the " << getName(axis)
          << " axis and is not reduced over it";
    if (completion.reason)
      error << ": " << completion.reason;
    error.attachNote(completion.value.getLoc()) << "the value is made here";
    return error;
  }
  return success();
}

/// An operation that makes a partial value of split ones may add a partial one
/// to it.
LogicalResult UnitSums::checkMarked(const FormAnalysis &forms, Operation *op) {
  if (isa<stablehlo::WhileOp, stablehlo::IfOp, stablehlo::CaseOp>(op))
    return success();
  auto model = dyn_cast<FormOpInterface>(op);
  for (OpOperand &operand : op->getOpOperands()) {
    Form form = forms.getForm(operand.get());
    if (!form.isPartial())
      continue;
    unsigned number = operand.getOperandNumber();
    DimensionMap map = model ? model.getDimensionMap() : DimensionMap();
    if (isLinearFor(map, form.reduction) &&
        llvm::any_of(map.linear, [&](ArrayRef<unsigned> group) {
          return llvm::is_contained(group, number);
        }))
      continue;
    return (op->emitOpError()
            << "uses operand " << number
            << " as a whole, which is a sum over the " << getName(axis)
            << " axis and is not reduced over it")
               .attachNote(operand.get().getLoc())
           << "the value is made here";
  }
  return success();
}

LogicalResult UnitSums::checkReduction(const FormAnalysis &forms,
                                       Operation *op) {
  Form form = forms.getForm(op->getOperand(0));
  auto kind = op->getAttrOfType<ReductionKindAttr>("reduction").getValue();
  if (form.isPartial() && form.reduction == kind)
    return success();
  InFlightDiagnostic error = op->emitOpError();
  if (form.isPartial())
    error << "combines by " << stringifyReductionKind(kind)
          << " what is partial " << stringifyReductionKind(form.reduction);
  else
    error << "adds up what every member has whole: it would be counted "
          << (axis == Axis::Tensor ? place.stage->tensorSize
                                   : place.stage->dataSize)
          << " times";
  error.attachNote(op->getOperand(0).getLoc()) << "the value is made here";
  return error;
}

LogicalResult UnitSums::checkResults(const FormAnalysis &forms) {
  Operation *end = unit.getBody().front().getTerminator();
  for (OpOperand &operand : end->getOpOperands()) {
    auto attr = unit.getResultAttrOfType<FormsAttr>(
        operand.getOperandNumber(), HeteroDialect::getFormsAttrName());
    Form said =
        attr ? Form::get(attr.getForm(getName(axis))) : Form::replicated();
    Form is = forms.getForm(operand.get());
    if (is.isPartial() == said.isPartial() &&
        (!is.isPartial() || is.reduction == said.reduction))
      continue;
    return (end->emitOpError()
            << "returns result " << operand.getOperandNumber() << " of @"
            << unit.getName() << " "
            << (is.isPartial() ? "as a sum over the " : "whole on the ")
            << getName(axis) << " axis, and the function says "
            << (is.isPartial() ? "that it is whole" : "that it is partial"))
               .attachNote(operand.get().getLoc())
           << "the value is made here";
  }
  return success();
}

LogicalResult UnitSums::run() {
  readForms();
  bool reduces = llvm::any_of(unit.getBody().front(),
                              [&](Operation &op) { return completes(&op); });
  // The data axis is that of the stored state in an update, else of the batch,
  // whose sums end with the rank programs only.
  if (given.empty() && (!reduces || axis == Axis::Batch))
    return success();
  Block &block = unit.getBody().front();
  std::unique_ptr<FormAnalysis> forms;
  do {
    FormAxis formAxis;
    formAxis.given = given;
    formAxis.seeds = false;
    formAxis.includes = [this](Operation *op) { return !isExcluded(op); };
    forms = std::make_unique<FormAnalysis>(block, std::move(formAxis));
  } while (flowThrough(*forms));
  if (failed(checkUses(*forms)))
    return failure();
  for (Operation &op : block) {
    if (isMarked(&op) && failed(checkMarked(*forms, &op)))
      return failure();
    if (axis != Axis::Batch && completes(&op) &&
        failed(checkReduction(*forms, &op)))
      return failure();
  }
  return checkResults(*forms);
}

LogicalResult verify::checkUnitSums(func::FuncOp unit, const Place &place) {
  bool ok = true;
  for (Axis axis : allAxes)
    ok &= succeeded(UnitSums(unit, place, axis).run());
  return success(ok);
}
