//===- InferRoles.cpp - Says what each argument and result is to training -===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Analysis/Roles.h"
#include "hetero/Analysis/Step.h"
#include "hetero/Dialect/Hetero/HeteroDialect.h"
#include "hetero/Transforms/Import/Passes.h"

namespace hetero {
#define GEN_PASS_DEF_INFERROLESPASS
#include "hetero/Transforms/Import/Passes.h.inc"
} // namespace hetero

using namespace mlir;
using namespace hetero;

namespace {
struct InferRolesPass
    : public hetero::impl::InferRolesPassBase<InferRolesPass> {
  using InferRolesPassBase::InferRolesPassBase;
  void runOnOperation() override;
};
} // namespace

/// Applies one entry of the option: `arg3=batch`, `result1=updated_state:2`.
static LogicalResult applyGiven(func::FuncOp step, StringRef entry,
                                StepRoles &roles) {
  auto fail = [&](const Twine &problem) {
    return step.emitError() << "invalid role '" << entry << "': " << problem;
  };
  auto [place, role] = entry.split('=');
  bool isResult = place.consume_front("result");
  if (!isResult && !place.consume_front("arg"))
    return fail("expected arg<N>=<role> or result<N>=<role>");
  unsigned index;
  SmallVectorImpl<RoleAttr> &list = isResult ? roles.results : roles.arguments;
  if (place.getAsInteger(10, index) || index >= list.size())
    return fail("the step has " + Twine(list.size()) +
                (isResult ? " results" : " arguments"));
  auto [name, argument] = role.split(':');
  std::optional<RoleKind> kind = symbolizeRoleKind(name);
  if (!kind)
    return fail("unknown role '" + name + "'");
  int64_t argumentIndex;
  std::optional<int64_t> of;
  if (!argument.empty()) {
    if (argument.getAsInteger(10, argumentIndex))
      return fail("expected the number of an argument after ':'");
    of = argumentIndex;
  }
  RoleAttr attr = RoleAttr::getChecked(
      [&] { return step.emitError() << "invalid role '" << entry << "': "; },
      step.getContext(), *kind, of);
  if (!attr)
    return failure();
  if (attr.isArgumentRole() == isResult)
    return fail(isResult ? "not a role of results" : "not a role of arguments");
  if (of && (*of < 0 || *of >= int64_t(roles.arguments.size())))
    return fail("the step has " + Twine(roles.arguments.size()) + " arguments");
  list[index] = attr;
  return success();
}

void InferRolesPass::runOnOperation() {
  func::FuncOp step = getOperation();
  if (step.isExternal() || !step.isPublic())
    return;
  if (failed(checkOneBlock(step, "step")))
    return signalPassFailure();
  StepRoles given = getRoles(step);
  for (const std::string &entry : roles)
    if (failed(applyGiven(step, entry, given)))
      return signalPassFailure();
  setRoles(step, given);
  StringRef whyNot;
  FailureOr<StepRoles> inferred = inferRoles(step, whyNot);
  if (failed(inferred))
    return signalPassFailure();
  if (!whyNot.empty())
    step.emitWarning() << "not a training step: " << whyNot;
  setRoles(step, *inferred);
  for (RoleAttr role : inferred->arguments) {
    numParameters += role && role.getKind() == RoleKind::Parameter;
    numOptimizerStates += role && role.getKind() == RoleKind::OptimizerState;
  }
}
