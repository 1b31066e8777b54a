//===- AnnotateForms.cpp - Shows forms on the IR --------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Analysis/BatchAxis.h"
#include "hetero/Analysis/Step.h"
#include "hetero/Transforms/Import/Passes.h"

namespace hetero {
#define GEN_PASS_DEF_ANNOTATEFORMSPASS
#include "hetero/Transforms/Import/Passes.h.inc"
} // namespace hetero

using namespace mlir;
using namespace hetero;

namespace {
struct AnnotateFormsPass
    : public hetero::impl::AnnotateFormsPassBase<AnnotateFormsPass> {
  using AnnotateFormsPassBase::AnnotateFormsPassBase;
  void runOnOperation() override;
  FormsAttr toAttr(const Form &form, int64_t level);
};
} // namespace

FormsAttr AnnotateFormsPass::toAttr(const Form &form, int64_t level) {
  MLIRContext *context = &getContext();
  numSplit += form.isSplit();
  numPartial += form.isPartial();
  SmallVector<StringAttr> axes;
  SmallVector<FormAttr> forms;
  if (!form.isReplicated()) {
    axes.push_back(StringAttr::get(context, "batch"));
    forms.push_back(form.toAttr(context));
  }
  return FormsAttr::get(context, axes, forms, level);
}

void AnnotateFormsPass::runOnOperation() {
  FailureOr<func::FuncOp> step = getStep(getOperation());
  if (failed(step))
    return signalPassFailure();
  FailureOr<FormAxis> axis = getBatchAxis(*step);
  if (failed(axis))
    return signalPassFailure();
  FormAnalysis forms(step->getBody().front(), std::move(*axis));
  FormAnalysis::Levels levels = forms.getLevels();
  for (BlockArgument argument : step->getArguments())
    step->setArgAttr(argument.getArgNumber(), "hetero.forms",
                     toAttr(forms.getForm(argument), 0));
  for (Operation &op : step->getBody().front()) {
    if (op.getNumResults() == 0)
      continue;
    SmallVector<Attribute> attrs;
    for (Value result : op.getResults())
      attrs.push_back(toAttr(forms.getForm(result), levels.ofOp[&op]));
    op.setAttr("hetero.forms", ArrayAttr::get(&getContext(), attrs));
  }
  for (const FormAnalysis::Completion &completion : forms.getCompletions()) {
    ++numCompleted;
    if (!remarks)
      continue;
    InFlightDiagnostic remark = emitRemark(completion.value.getLoc())
                                << completion.value.getType()
                                << " is made whole: " << completion.reason;
    remark.attachNote(completion.user->getLoc()) << "needed by this";
  }
}
