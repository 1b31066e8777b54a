//===- FormModelsControl.cpp - Loops and branches -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "FormModels.h"
#include "hetero/Dialect/Hetero/Hetero.h"
#include "hetero/Dialect/Sdy/Sdy.h"

using namespace mlir;
using namespace hetero;
using namespace hetero::forms;

/// The form that can stand for both: a replicated value can become any other.
static std::optional<Form> join(const Form &a, const Form &b) {
  if (a == b || b.isReplicated())
    return a;
  if (a.isReplicated())
    return b;
  return std::nullopt;
}

static SmallVector<Form> getCaptureForms(Operation *op, FormScope &scope) {
  return llvm::map_to_vector(getCaptures(op), [&](Value value) {
    return scope.analysis.getUseForm(value);
  });
}

namespace {

/// What is carried takes the form that the body gives it, up to a fixpoint:
/// forms only go from replicated to something else, so it is reached.
struct WhileModel
    : FormOpInterface::ExternalModel<WhileModel, stablehlo::WhileOp> {
  DimensionMap getDimensionMap(Operation *op) const { return getWholeMap(op); }

  FormRule getFormRule(Operation *operation, ArrayRef<Form> forms,
                       FormScope &scope) const {
    auto op = cast<stablehlo::WhileOp>(operation);
    Block &cond = op.getCond().front(), &body = op.getBody().front();
    SmallVector<Form> carried(forms);
    const char *reason = nullptr;
    for (bool changed = true; changed && !reason;) {
      changed = false;
      for (Block *block : {&cond, &body})
        for (auto [argument, form] :
             llvm::zip_equal(block->getArguments(), carried))
          scope.analysis.setForm(argument, form);
      if (!scope.analysis.flowRegion(body, reason))
        break;
      for (auto [form, next] :
           llvm::zip_equal(carried, body.getTerminator()->getOperands())) {
        std::optional<Form> joined =
            join(form, scope.analysis.getUseForm(next));
        if (!joined) {
          reason = "is carried split and partial";
          break;
        }
        changed |= *joined != form;
        form = *joined;
      }
    }
    if (!reason && scope.analysis.flowRegion(cond, reason) &&
        !scope.analysis.getUseForm(cond.getTerminator()->getOperand(0))
             .isReplicated())
      reason = "the condition differs between members";
    if (reason) {
      scope.analysis.makeReplicated(cond);
      scope.analysis.makeReplicated(body);
      return FormRule::allReplicated(op, reason);
    }
    return {carried, carried, getCaptureForms(op, scope)};
  }
};

template <typename OpTy>
struct BranchModel : FormOpInterface::ExternalModel<BranchModel<OpTy>, OpTy> {
  DimensionMap getDimensionMap(Operation *op) const { return getWholeMap(op); }

  FormRule getFormRule(Operation *op, ArrayRef<Form> forms,
                       FormScope &scope) const {
    const char *reason = forms[0].isReplicated()
                             ? nullptr
                             : "the branch differs between members";
    SmallVector<Form> results;
    for (Region &region : op->getRegions()) {
      if (reason || !scope.analysis.flowRegion(region.front(), reason))
        break;
      for (auto [index, value] :
           llvm::enumerate(region.front().getTerminator()->getOperands())) {
        Form form = scope.analysis.getUseForm(value);
        if (index == results.size()) {
          results.push_back(form);
          continue;
        }
        std::optional<Form> joined = join(results[index], form);
        if (joined)
          results[index] = *joined;
        else
          reason = "branches give different forms";
      }
    }
    if (reason) {
      for (Region &region : op->getRegions())
        scope.analysis.makeReplicated(region.front());
      return FormRule::allReplicated(op, reason);
    }
    return {SmallVector<Form>(forms), results, getCaptureForms(op, scope)};
  }
};

} // namespace

/// Another layout on devices is the same value: what the user wishes, or what a
/// plan says.
static DimensionMap getLayoutMap(Operation *op) {
  return makeMove(getElementwiseMap(op));
}

void forms::attachShardingModels(MLIRContext *context) {
  attachMap<sdy::ShardingConstraintOp, getLayoutMap>(context);
}

void forms::attachReshardModels(MLIRContext *context) {
  attachMap<ReshardOp, getLayoutMap>(context);
}

void forms::attachControlModels(MLIRContext *context) {
  using namespace stablehlo;
  WhileOp::attachInterface<WhileModel>(*context);
  IfOp::attachInterface<BranchModel<IfOp>>(*context);
  CaseOp::attachInterface<BranchModel<CaseOp>>(*context);
}
