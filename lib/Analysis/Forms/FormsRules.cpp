//===- FormsRules.cpp - Rules that follow from dimension maps -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Analysis/Forms.h"
#include "hetero/Dialect/Stablehlo.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace hetero;

#include "hetero/Analysis/FormInterface.cpp.inc"

FormRule FormRule::allReplicated(Operation *op, const char *reason) {
  FormRule rule;
  rule.operands.resize(op->getNumOperands());
  rule.results.resize(op->getNumResults());
  rule.captures.resize(getCaptures(op).size());
  rule.reason = reason;
  return rule;
}

int64_t FormScope::getUnits() const { return analysis.getAxis().units; }

SmallVector<Value> hetero::getCaptures(Operation *op) {
  llvm::SetVector<Value> captures;
  for (Region &region : op->getRegions())
    region.walk([&](Operation *inner) {
      for (Value operand : inner->getOperands())
        if (!op->isAncestor(operand.getParentBlock()->getParentOp()))
          captures.insert(operand);
    });
  return captures.takeVector();
}

SmallVector<Value> hetero::getUses(Operation *op) {
  SmallVector<Value> uses(op->getOperands());
  llvm::append_range(uses, getCaptures(op));
  return uses;
}

bool hetero::isZero(Value value) {
  for (;;) {
    if (matchPattern(value, m_AnyZeroFloat()) || matchPattern(value, m_Zero()))
      return true;
    Operation *op = value.getDefiningOp();
    if (auto barrier = dyn_cast_or_null<stablehlo::OptimizationBarrierOp>(op)) {
      value = barrier->getOperand(cast<OpResult>(value).getResultNumber());
      continue;
    }
    if (!isa_and_nonnull<stablehlo::BroadcastInDimOp, stablehlo::ReshapeOp,
                         stablehlo::ConvertOp, stablehlo::TransposeOp>(op))
      return false;
    value = op->getOperand(0);
  }
}

std::optional<Form> hetero::reshapeForm(const Form &form,
                                        ArrayRef<int64_t> from,
                                        ArrayRef<int64_t> to, int64_t units) {
  auto product = [](ArrayRef<int64_t> dims) {
    int64_t result = 1;
    for (int64_t dim : dims)
      result *= dim;
    return result;
  };
  int64_t before = product(from.take_front(form.dim)) * form.outer;
  int64_t after = product(from.drop_front(form.dim + 1)) * form.inner;
  for (int64_t dim = 0, rank = to.size(); dim < rank; ++dim) {
    int64_t left = product(to.take_front(dim));
    int64_t right = product(to.drop_front(dim + 1));
    if (left == 0 || right == 0 || before % left != 0 || after % right != 0)
      continue;
    if (to[dim] == before / left * units * (after / right))
      return Form::split(dim, before / left, after / right);
  }
  return std::nullopt;
}

static int findLoop(ArrayRef<int> loops, int loop) {
  auto *it = llvm::find(loops, loop);
  return it == loops.end() ? DimensionMap::whole : it - loops.begin();
}

/// Whether `operand` is added to what an operand with the loop contributes.
static bool isAddend(const DimensionMap &map, unsigned operand, int loop) {
  return llvm::any_of(map.linear, [&](ArrayRef<unsigned> group) {
    return llvm::is_contained(group, operand) &&
           llvm::any_of(group, [&](unsigned other) {
             return findLoop(map.operands[other], loop) != DimensionMap::whole;
           });
  });
}

/// The rule that splits one loop, as `split` does; nothing if a result would
/// not be known.
static std::optional<FormRule> splitLoop(Operation *op, const DimensionMap &map,
                                         int loop, const Form &split) {
  FormRule rule;
  std::optional<ReductionKind> reduction = map.loops[loop].reduction;
  bool partial = false;
  for (ArrayRef<int> result : map.results) {
    int dim = findLoop(result, loop);
    if (dim == DimensionMap::whole && !reduction)
      return std::nullopt;
    partial |= dim == DimensionMap::whole;
    rule.results.push_back(dim == DimensionMap::whole
                               ? Form::partial(*reduction)
                               : split.along(dim));
  }
  for (auto [index, operand] : llvm::enumerate(map.operands)) {
    int dim = findLoop(operand, loop);
    Form form;
    if (dim != DimensionMap::whole)
      form = split.along(dim);
    else if (partial && reduction == ReductionKind::Sum &&
             isAddend(map, index, loop) && !isZero(op->getOperand(index)))
      form = Form::partial();
    rule.operands.push_back(form);
  }
  return rule;
}

static int64_t getSize(Value value) {
  auto type = dyn_cast<ShapedType>(value.getType());
  return type && type.hasStaticShape() ? type.getNumElements() : 1;
}

/// Elements of operands that would have to change their form.
static int64_t getChangedSize(Operation *op, ArrayRef<Form> forms,
                              const FormRule &rule) {
  int64_t size = 0;
  for (auto [value, have, want] :
       llvm::zip_equal(op->getOperands(), forms, rule.operands))
    if (have != want && !have.isReplicated())
      size += getSize(value);
  return size;
}

bool hetero::isLinearFor(const DimensionMap &map, ReductionKind kind) {
  if (map.commutesWith)
    return map.commutesWith == kind;
  return kind == ReductionKind::Sum || map.movesData;
}

static FormRule derivePartialRule(Operation *op, const DimensionMap &map,
                                  ArrayRef<Form> forms, FormScope &scope) {
  auto *first = llvm::find_if(forms, [](Form f) { return f.isPartial(); });
  ReductionKind kind = first->reduction;
  auto isThat = [&](unsigned i) {
    return forms[i].isPartial() && forms[i].reduction == kind;
  };
  bool sum = kind == ReductionKind::Sum;
  ArrayRef<SmallVector<unsigned>> groups = map.linear;
  if (!isLinearFor(map, kind))
    return FormRule::allReplicated(op, "not linear in a partial value");
  const char *reason = "not linear in a partial value";
  for (ArrayRef<unsigned> group : groups) {
    if (llvm::none_of(group, isThat))
      continue;
    bool others =
        llvm::any_of(llvm::seq<unsigned>(0, forms.size()), [&](auto i) {
          return forms[i].isPartial() && !llvm::is_contained(group, i);
        });
    if (others && groups.size() != 1)
      continue;
    FormRule rule = FormRule::allReplicated(op);
    rule.results.assign(op->getNumResults(), Form::partial(kind));
    rule.reason = others ? "needs another operand whole" : nullptr;
    bool fits = true;
    for (unsigned i : group) {
      bool zero = sum && forms[i].isReplicated() && isZero(op->getOperand(i));
      if (!zero)
        rule.operands[i] = Form::partial(kind);
      if (!isThat(i) && !zero && !(sum && scope.isInRegion()))
        fits = !sum && map.commutesWith == kind;
      if (!fits)
        reason = "a partial value meets a whole one";
    }
    if (!sum &&
        map.commutesWith == kind) // max(init, partial): init may repeat.
      for (unsigned i : group)
        if (!isThat(i))
          rule.operands[i] = Form::replicated();
    if (fits)
      return rule;
  }
  return FormRule::allReplicated(op, reason);
}

FormRule hetero::deriveFormRule(Operation *op, const DimensionMap &map,
                                ArrayRef<Form> forms, FormScope &scope) {
  std::optional<FormRule> best;
  bool split = false;
  for (auto [index, form] : llvm::enumerate(forms)) {
    if (!form.isSplit())
      continue;
    split = true;
    int loop = map.operands[index][form.dim];
    if (loop == DimensionMap::whole)
      continue;
    std::optional<FormRule> rule = splitLoop(op, map, loop, form);
    if (rule && (!best || getChangedSize(op, forms, *rule) <
                              getChangedSize(op, forms, *best)))
      best = std::move(rule);
  }
  if (best) {
    if (getChangedSize(op, forms, *best) != 0)
      best->reason = "operands are split differently";
    return std::move(*best);
  }
  if (split)
    return FormRule::allReplicated(op, "needs the split dimension whole");
  if (llvm::any_of(forms, [](const Form &form) { return form.isPartial(); }))
    return derivePartialRule(op, map, forms, scope);
  return FormRule::allReplicated(op);
}

std::optional<Form> hetero::deriveOperandForm(const DimensionMap &map,
                                              unsigned operand, unsigned result,
                                              const Form &form) {
  int loop = map.results[result][form.dim];
  if (loop == DimensionMap::whole)
    return std::nullopt;
  int dim = findLoop(map.operands[operand], loop);
  if (dim == DimensionMap::whole)
    return std::nullopt;
  return form.along(dim);
}

std::optional<FormRule> hetero::findFormRule(Operation *op,
                                             ArrayRef<Form> operands,
                                             ArrayRef<Form> results,
                                             FormAnalysis &axis) {
  if (llvm::all_of(results, [](const Form &f) { return f.isReplicated(); }))
    return FormRule::allReplicated(op);
  auto model = dyn_cast<FormOpInterface>(op);
  if (!model || isa<stablehlo::WhileOp, stablehlo::IfOp, stablehlo::CaseOp>(op))
    return std::nullopt;
  FormScope scope(axis, /*inRegion=*/false);
  auto give = [&](ArrayRef<Form> forms) -> std::optional<FormRule> {
    FormRule rule = model.getFormRule(forms, scope);
    if (ArrayRef<Form>(rule.results) != results)
      return std::nullopt;
    return rule;
  };
  if (std::optional<FormRule> rule = give(operands))
    return rule;
  // From the result back.
  const auto *split =
      llvm::find_if(results, [](const Form &form) { return form.isSplit(); });
  if (split == results.end())
    return std::nullopt;
  SmallVector<Form> wanted(op->getNumOperands());
  bool any = false;
  for (OpOperand &operand : op->getOpOperands())
    if (std::optional<Form> form = model.getOperandForm(
            operand, split - results.begin(), *split, scope.getUnits())) {
      wanted[operand.getOperandNumber()] = *form;
      any = true;
    }
  if (any)
    return give(wanted);
  if (!isa<stablehlo::BroadcastInDimOp>(op))
    return std::nullopt;
  FormRule rule = FormRule::allReplicated(op);
  rule.results.assign(results.begin(), results.end());
  rule.seeded = true;
  return rule;
}

FormAnalysis &FormRules::get(int64_t units) {
  std::unique_ptr<FormAnalysis> &analysis = known[units];
  if (!analysis) {
    FormAxis axis;
    axis.units = units;
    axis.seeds = false;
    axis.includes = [](Operation *) { return false; };
    analysis = std::make_unique<FormAnalysis>(*block, std::move(axis));
  }
  return *analysis;
}
