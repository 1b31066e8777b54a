//===- FormsAnalysis.cpp - Forms of all values of a step ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operations are visited in program order. A completion sends the users of the
// completed value back into the queue; since completions are never taken back
// and everything else is a function of them, this ends.

#include "hetero/Analysis/Forms.h"
#include "hetero/Dialect/Stablehlo.h"
#include <climits>

using namespace mlir;
using namespace hetero;

FormAnalysis::FormAnalysis(Block &block, FormAxis givenAxis)
    : block(block), axis(std::move(givenAxis)) {
  if (axis.only)
    ops.assign(axis.only->begin(), axis.only->end());
  else
    for (Operation &op : block)
      if (!axis.includes || axis.includes(&op))
        ops.push_back(&op);
  position.reserve(ops.size());
  for (auto [index, op] : llvm::enumerate(ops))
    position[op] = index;
  run();
  if (!axis.seeds)
    return;
  // Values of the batch's shape that do not depend on it, such as masks, are
  // made split where all of their uses want that. More completions would be a
  // bad bargain: then the attempt is taken back.
  constexpr int maxRounds = 4;
  for (int round = 0; round < maxRounds; ++round) {
    llvm::MapVector<Value, Form> found = findSeeds();
    llvm::MapVector<Value, Form> before = seeds;
    for (auto &[value, form] : found)
      seeds[value] = form;
    if (seeds.size() == before.size())
      break;
    size_t numCompletions = getCompletions().size();
    completed.clear();
    run();
    if (getCompletions().size() > numCompletions) {
      seeds = std::move(before);
      completed.clear();
      run();
      break;
    }
  }
}

Form FormAnalysis::getForm(Value value) const {
  if (auto it = forms.find(value); it != forms.end())
    return it->second;
  if (auto it = axis.given.find(value); it != axis.given.end())
    return it->second;
  return Form::replicated();
}

Form FormAnalysis::getUseForm(Value value) const {
  Form form = getForm(value);
  return form.isPartial() && completed.contains(value) ? Form::replicated()
                                                       : form;
}

const FormRule &FormAnalysis::getRule(Operation *op) const {
  auto it = rules.find(op);
  assert(it != rules.end() && "not part of the axis");
  return it->second;
}

bool FormAnalysis::isLocal(Operation *op) const {
  auto it = rules.find(op);
  if (it == rules.end())
    return false;
  const FormRule &rule = it->second;
  auto isLess = [](const Form &form) { return !form.isReplicated(); };
  return llvm::any_of(rule.operands, isLess) ||
         llvm::any_of(rule.results, isLess) ||
         llvm::any_of(rule.captures, isLess);
}

FormRule FormAnalysis::computeRule(Operation *op, bool inRegion) {
  auto model = dyn_cast<FormOpInterface>(op);
  if (!model)
    return FormRule::allReplicated(op, "has no rule");
  SmallVector<Form> have = llvm::map_to_vector(
      op->getOperands(), [&](Value value) { return getUseForm(value); });
  FormScope scope(*this, inRegion);
  FormRule rule = model.getFormRule(have, scope);
  if (llvm::any_of(rule.operands, [](Form f) { return !f.isReplicated(); }))
    return rule;
  for (auto [result, form] : llvm::zip_equal(op->getResults(), rule.results))
    if (form.isReplicated())
      if (auto *it = seeds.find(result); it != seeds.end()) {
        form = it->second;
        rule.seeded = true;
      }
  return rule;
}

bool FormAnalysis::flowRegion(Block &region, const char *&reason) {
  for (Operation &op : region) {
    FormRule rule = computeRule(&op, /*inRegion=*/true);
    if (op.hasTrait<OpTrait::IsTerminator>())
      rule = FormRule::allReplicated(&op);
    else
      for (auto [value, want] :
           llvm::zip_equal(op.getOperands(), rule.operands))
        if (Form have = getUseForm(value);
            have != want && !have.isReplicated()) {
          reason =
              rule.reason ? rule.reason : "changes form inside of a region";
          return false;
        }
    for (auto [result, form] : llvm::zip_equal(op.getResults(), rule.results))
      forms[result] = form;
    rules[&op] = std::move(rule);
  }
  return true;
}

void FormAnalysis::makeReplicated(Block &region) {
  for (Value argument : region.getArguments())
    forms[argument] = Form::replicated();
  region.walk([&](Operation *op) {
    rules[op] = FormRule::allReplicated(op);
    for (Value result : op->getResults())
      forms[result] = Form::replicated();
  });
}

void FormAnalysis::enqueueUsers(Value value) {
  for (Operation *user : value.getUsers()) {
    Operation *ancestor = block.findAncestorOpInBlock(*user);
    auto it = ancestor ? position.find(ancestor) : position.end();
    if (it != position.end())
      enqueue(it->second);
  }
}

/// Completes before a broadcast and not after: follows the chain of operations
/// that are linear in one partial operand to its smallest value.
Value FormAnalysis::getSmallestPartial(Value value) const {
  auto size = [](Value v) {
    return cast<ShapedType>(v.getType()).getNumElements();
  };
  Value best = value;
  for (Value at = value;;) {
    Operation *op = at.getDefiningOp();
    if (!op || op->getNumRegions() != 0 || op->getNumResults() != 1 ||
        !position.contains(op))
      return best;
    Value only;
    for (Value operand : op->getOperands())
      if (getUseForm(operand).isPartial()) {
        if (only && only != operand)
          return best;
        only = operand;
      }
    if (!only)
      return best;
    at = only;
    if (size(at) < size(best))
      best = at;
  }
}

void FormAnalysis::complete(Value value, Operation *user, const char *reason) {
  Value smallest = getSmallestPartial(value);
  completed.insert({smallest, Completion{smallest, user, reason}});
  enqueueUsers(smallest);
}

/// Computes the rule of `op`. Returns false if a value had to be completed
/// first; `op` is then in the queue again.
bool FormAnalysis::visit(Operation *op) {
  if (op->hasTrait<OpTrait::IsTerminator>()) {
    rules[op] = FormRule::allReplicated(op);
    return true;
  }
  FormRule rule = computeRule(op, /*inRegion=*/false);
  auto check = [&](Value value, const Form &want) {
    Form have = getUseForm(value);
    if (!have.isPartial() || have == want)
      return true;
    complete(value, op, rule.reason ? rule.reason : "is needed whole");
    return false;
  };
  for (auto [operand, want] :
       llvm::zip_equal(op->getOpOperands(), rule.operands)) {
    bool crosses = axis.needsCompletion && axis.needsCompletion(operand);
    if (!check(operand.get(), crosses ? Form::replicated() : want)) {
      if (crosses)
        completed.back().second.reason = "goes to another stage";
      return false;
    }
  }
  if (!rule.captures.empty())
    for (auto [value, want] : llvm::zip_equal(getCaptures(op), rule.captures))
      if (!check(value, want))
        return false;
  for (auto [result, form] : llvm::zip_equal(op->getResults(), rule.results)) {
    auto [it, inserted] = forms.try_emplace(result, form);
    if (inserted || it->second != form) {
      it->second = form;
      enqueueUsers(result);
    }
  }
  rules[op] = std::move(rule);
  return true;
}

void FormAnalysis::run() {
  forms.clear();
  rules.clear();
  forms.reserve(ops.size());
  rules.reserve(ops.size());
  first = 0;
  queued.clear();
  queued.resize(ops.size(), true);
  for (int next; (next = queued.find_first_in(first, ops.size())) >= 0;) {
    queued.reset(next);
    first = next + 1;
    if (!visit(ops[next]))
      enqueue(next);
  }
}

/// Follows uses that want a replicated value split back to where it is made
/// from nothing: an iota, a constant, or a broadcast along that dimension.
llvm::MapVector<Value, Form> FormAnalysis::findSeeds() const {
  llvm::MapVector<Value, std::optional<Form>> found;
  SmallVector<std::pair<Value, Form>> work;
  for (Operation *op : ops)
    op->walk([&](Operation *inner) {
      auto it = rules.find(inner);
      if (it == rules.end() || inner->hasTrait<OpTrait::IsTerminator>())
        return;
      for (auto [value, want] :
           llvm::zip_equal(inner->getOperands(), it->second.operands))
        if (want.isSplit() && getUseForm(value).isReplicated())
          work.push_back({value, want});
    });
  DenseMap<Value, SmallVector<Form>> seen;
  while (!work.empty()) {
    std::pair<Value, Form> next = work.pop_back_val();
    Value value = next.first;
    Form &form = next.second;
    if (llvm::is_contained(seen[value], form) ||
        !getUseForm(value).isReplicated())
      continue;
    seen[value].push_back(form);
    auto seed = [&] {
      auto [it, inserted] = found.insert({value, form});
      if (!inserted && it->second != form)
        it->second = std::nullopt; // Wanted in two ways: stays whole.
    };
    auto enqueueLoop = [&](stablehlo::WhileOp loop, unsigned index, Form f) {
      work.push_back({loop->getOperand(index), f});
      work.push_back(
          {loop.getBody().front().getTerminator()->getOperand(index), f});
    };
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      if (auto loop =
              dyn_cast<stablehlo::WhileOp>(argument.getOwner()->getParentOp()))
        enqueueLoop(loop, argument.getArgNumber(), form);
      continue;
    }
    auto result = cast<OpResult>(value);
    Operation *op = result.getOwner();
    if (auto loop = dyn_cast<stablehlo::WhileOp>(op)) {
      enqueueLoop(loop, result.getResultNumber(), form);
      continue;
    }
    auto model = dyn_cast<FormOpInterface>(op);
    if (!model || !rules.contains(op))
      continue;
    auto constant = dyn_cast<stablehlo::ConstantOp>(op);
    if (isa<stablehlo::IotaOp>(op) ||
        (constant && constant.getValue().isSplat())) {
      seed();
      continue;
    }
    bool any = false;
    for (OpOperand &operand : op->getOpOperands())
      if (std::optional<Form> f = model.getOperandForm(
              operand, result.getResultNumber(), form, axis.units)) {
        work.push_back({operand.get(), *f});
        any = true;
      }
    if (!any && isa<stablehlo::BroadcastInDimOp>(op))
      seed();
  }
  // A constant may be shared with uses that have nothing to do with the axis
  // (an update with numbers of the batch's shape); those would be split with
  // it.
  auto isWantedBy = [&](OpOperand &use, const Form &form) {
    Operation *user = use.getOwner();
    auto it = rules.find(user);
    if (it == rules.end() || user->hasTrait<OpTrait::IsTerminator>())
      return false;
    if (user->getNumRegions() != 0 ||
        it->second.operands[use.getOperandNumber()] == form)
      return true;
    auto model = dyn_cast<FormOpInterface>(user);
    return model && llvm::any_of(user->getResults(), [&](OpResult result) {
             return llvm::any_of(seen.lookup(result), [&](const Form &wanted) {
               return model.getOperandForm(use, result.getResultNumber(),
                                           wanted, axis.units) == form;
             });
           });
  };
  llvm::MapVector<Value, Form> result;
  for (auto &[value, form] : found)
    if (form &&
        llvm::all_of(value.getUses(), [&, &form = form](OpOperand &use) {
          return isWantedBy(use, *form);
        }))
      result[value] = *form;
  return result;
}

SmallVector<FormAnalysis::Completion> FormAnalysis::getCompletions() const {
  SmallVector<Completion> result;
  DenseSet<Value> seen;
  for (auto &[value, completion] : completed)
    if (isCompleted(value)) {
      seen.insert(value);
      result.push_back(completion);
    }
  for (Operation *op : ops) {
    auto it = rules.find(op);
    if (it == rules.end() || op->hasTrait<OpTrait::IsTerminator>())
      continue;
    for (auto [value, want] :
         llvm::zip_equal(op->getOperands(), it->second.operands))
      if (Form have = getUseForm(value);
          have.isSplit() && have != want && seen.insert(value).second)
        result.push_back({value, op, it->second.reason});
  }
  return result;
}

int64_t FormAnalysis::getDelay(Value value, const Form &wanted) const {
  Form form = getForm(value);
  // Arguments of the step are there from the beginning, whole or in parts.
  bool isArgument = !value.getDefiningOp() && value.getParentBlock() == &block;
  if (form.isReplicated() || isArgument)
    return 0;
  return isCompleted(value) || form != wanted;
}

int64_t FormAnalysis::Levels::of(Value value) const {
  Operation *op = value.getDefiningOp();
  auto it = op ? ofOp.find(op) : ofOp.end();
  return it == ofOp.end() ? 0 : it->second;
}

FormAnalysis::Levels FormAnalysis::getLevels() const {
  auto forEachUse = [&](Operation *op, auto callback) {
    const FormRule &rule = getRule(op);
    for (auto [value, want] : llvm::zip_equal(op->getOperands(), rule.operands))
      callback(value, want);
    if (!rule.captures.empty())
      for (auto [value, want] : llvm::zip_equal(getCaptures(op), rule.captures))
        callback(value, want);
  };
  // As early as possible, to know how many levels there are.
  Levels early;
  for (Operation *op : ops) {
    int64_t level = 0;
    forEachUse(op, [&](Value value, const Form &want) {
      level = std::max(level, early.of(value) + getDelay(value, want));
    });
    early.ofOp[op] = level;
    early.last = std::max(early.last, level);
  }
  // Then as late as the uses allow: what only the update needs is not computed
  // for every microbatch.
  Levels late;
  late.last = early.last;
  DenseMap<Value, int64_t> limit;
  for (Operation *op : llvm::reverse(ops)) {
    int64_t level = INT64_MAX;
    for (Value result : op->getResults())
      if (auto it = limit.find(result); it != limit.end())
        level = std::min(level, it->second);
    if (op->hasTrait<OpTrait::IsTerminator>())
      level = late.last;
    else if (level == INT64_MAX)
      level = early.ofOp[op];
    late.ofOp[op] = level;
    forEachUse(op, [&](Value value, const Form &want) {
      auto it = limit.try_emplace(value, INT64_MAX).first;
      it->second = std::min(it->second, level - getDelay(value, want));
    });
  }
  return late;
}
