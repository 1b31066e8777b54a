//===- Roles.cpp - What arguments and results are to training -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Analysis/Roles.h"
#include "TreePath.h"
#include "hetero/Analysis/Slices.h"
#include "hetero/Dialect/Hetero/HeteroDialect.h"
#include "hetero/Dialect/Stablehlo.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace hetero;

bool StepRoles::isStep() const {
  return llvm::any_of(results, [](RoleAttr role) {
    return role && role.getKind() == RoleKind::UpdatedState;
  });
}

StepRoles hetero::getRoles(func::FuncOp step) {
  StepRoles roles;
  StringRef name = HeteroDialect::getRoleAttrName();
  for (unsigned i = 0; i < step.getNumArguments(); ++i)
    roles.arguments.push_back(step.getArgAttrOfType<RoleAttr>(i, name));
  for (unsigned i = 0; i < step.getNumResults(); ++i)
    roles.results.push_back(step.getResultAttrOfType<RoleAttr>(i, name));
  return roles;
}

/// `old` with the role, if there is one.
static DictionaryAttr addRole(MLIRContext *context, DictionaryAttr old,
                              RoleAttr role) {
  NamedAttrList attributes(old);
  if (role)
    attributes.set(HeteroDialect::getRoleAttrName(), role);
  return attributes.getDictionary(context);
}

void hetero::setRoles(func::FuncOp step, const StepRoles &roles) {
  // All at once: one by one, each would make a new list of all attributes.
  MLIRContext *context = step.getContext();
  SmallVector<DictionaryAttr> arguments, results;
  for (auto [index, role] : llvm::enumerate(roles.arguments))
    arguments.push_back(addRole(context, step.getArgAttrDict(index), role));
  for (auto [index, role] : llvm::enumerate(roles.results))
    results.push_back(addRole(context, step.getResultAttrDict(index), role));
  step.setAllArgAttrs(arguments);
  step.setAllResultAttrs(results);
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

static bool isFloat(Type type) {
  return isa<FloatType, ComplexType>(getElementTypeOrSelf(type));
}

static bool isScalar(Type type) {
  auto shaped = dyn_cast<ShapedType>(type);
  return !shaped || (shaped.hasRank() && shaped.getRank() == 0);
}

static int64_t getLeadingSize(Type type) {
  return cast<ShapedType>(type).getDimSize(0);
}

/// Whether an unsigned argument is the key or state of a generator: its bits
/// are mixed, or handed to one, before they become numbers.
static bool isRandomKey(BlockArgument argument) {
  if (!getElementTypeOrSelf(argument.getType()).isUnsignedInteger())
    return false;
  SmallVector<Value> worklist = {argument};
  llvm::DenseSet<Value> seen = {argument};
  while (!worklist.empty()) {
    for (Operation *user : worklist.pop_back_val().getUsers()) {
      if (isa<stablehlo::XorOp, stablehlo::RngBitGeneratorOp,
              stablehlo::ShiftLeftOp, stablehlo::ShiftRightLogicalOp,
              stablehlo::WhileOp, stablehlo::CustomCallOp>(user))
        return true;
      for (Value result : user->getResults())
        if (getElementTypeOrSelf(result.getType()).isUnsignedInteger() &&
            seen.insert(result).second)
          worklist.push_back(result);
    }
  }
  return false;
}

//===----------------------------------------------------------------------===//
// Inference
//===----------------------------------------------------------------------===//

namespace {
class RoleInference {
public:
  explicit RoleInference(func::FuncOp step)
      : step(step), entry(step.front()),
        returned(entry.getTerminator()->getOperands()), roles(getRoles(step)),
        updatedBy(step.getNumArguments()), lossSources(step.getNumArguments()),
        updateSources(step.getNumArguments()) {}

  FailureOr<StepRoles> run();

  /// What a function that is not a step lacks; empty otherwise.
  StringRef whyNot;

private:
  RoleAttr get(RoleKind kind) { return RoleAttr::get(step.getContext(), kind); }
  void assign(unsigned argument, RoleKind kind) {
    if (!roles.arguments[argument])
      roles.arguments[argument] = get(kind);
  }
  bool has(unsigned argument, RoleKind kind) {
    RoleAttr role = roles.arguments[argument];
    return role && role.getKind() == kind;
  }
  StringRef getResultName(unsigned index) {
    auto info = step.getResultAttrOfType<StringAttr>(index, "jax.result_info");
    return info ? info.getValue() : StringRef();
  }

  bool isDeclared();
  void pairResults();
  FailureOr<std::optional<unsigned>> findLoss();
  std::optional<unsigned> findLeast(ArrayRef<unsigned> candidates);
  InFlightDiagnostic reportAmbiguousLoss(ArrayRef<unsigned> candidates);
  bool isDifferentiable(unsigned result);
  LogicalResult checkDonations();
  bool followsOtherState(unsigned result);
  bool followsSchedule(unsigned argument);
  void classifyState();
  void classifyState(unsigned argument);
  LogicalResult classifyInputs();
  LogicalResult classifyData(ArrayRef<unsigned> data);
  LogicalResult reportUnclearData(unsigned argument, int64_t samples);
  SmallVector<unsigned> dropFrozen(ArrayRef<unsigned> data);

  func::FuncOp step;
  Block &entry;
  OperandRange returned;
  StepRoles roles;
  StateMatch match;
  SmallVector<std::optional<unsigned>> updatedBy;
  llvm::BitVector lossSources;
  llvm::BitVector updateSources;
};
} // namespace

/// Whether somebody says that this is a step: arguments are donated, or roles
/// are given. Any other function that looks like one, but not clearly, is left
/// alone instead of being refused.
bool RoleInference::isDeclared() {
  StepRoles given = getRoles(step);
  auto isGiven = [](RoleAttr role) { return bool(role); };
  if (llvm::any_of(given.arguments, isGiven) ||
      llvm::any_of(given.results, isGiven))
    return true;
  return llvm::any_of(llvm::seq<unsigned>(0, step.getNumArguments()),
                      [&](unsigned i) {
                        return step.getArgAttr(i, "tf.aliasing_output") ||
                               step.getArgAttr(i, "jax.buffer_donor");
                      });
}

void RoleInference::pairResults() {
  match = matchState(step, roles);
  for (auto [result, argument] : llvm::enumerate(match.pairs)) {
    if (!argument)
      continue;
    updatedBy[*argument] = result;
    if (!roles.results[result])
      roles.results[result] = RoleAttr::get(
          step.getContext(), RoleKind::UpdatedState, int64_t(*argument));
  }
}

/// Whether floats alone join an argument with state to the result: an accuracy
/// goes through comparisons, a loss does not.
bool RoleInference::isDifferentiable(unsigned result) {
  llvm::BitVector sources = getFloatSources(entry, returned[result]);
  return llvm::any_of(sources.set_bits(),
                      [&](unsigned i) { return bool(updatedBy[i]); });
}

InFlightDiagnostic
RoleInference::reportAmbiguousLoss(ArrayRef<unsigned> candidates) {
  InFlightDiagnostic diag =
      step.emitError("cannot tell which result is the loss: ");
  llvm::interleave(
      candidates,
      [&](unsigned index) {
        diag << "#" << index;
        if (StringRef name = getResultName(index); !name.empty())
          diag << " (" << name << ")";
      },
      [&] { diag << ", "; });
  diag.attachNote() << "put hetero.role = #hetero.role<loss> on one of them, "
                       "or pass roles=\"result"
                    << candidates.front() << "=loss\" to hetero-infer-roles";
  return diag;
}

/// The first result that data takes part in and that needs no more of the state
/// than any other: the others, such as the norm of the gradient, make no
/// argument a parameter that it does not.
std::optional<unsigned>
RoleInference::findLeast(ArrayRef<unsigned> candidates) {
  SmallVector<llvm::BitVector> needs;
  SmallVector<unsigned> fed;
  for (unsigned candidate : candidates) {
    llvm::BitVector sources = getSourceArguments(entry, returned[candidate]);
    bool hasData = false;
    for (unsigned i = 0; i < updatedBy.size(); ++i) {
      if (updatedBy[i] || !sources.test(i))
        continue;
      hasData |= !isScalar(entry.getArgument(i).getType());
      sources.reset(i);
    }
    if (!hasData)
      continue;
    fed.push_back(candidate);
    needs.push_back(std::move(sources));
  }
  for (auto [candidate, need] : llvm::zip_equal(fed, needs))
    if (llvm::none_of(needs, [&](const llvm::BitVector &other) {
          return need.test(other); // Needs something that the other does not.
        }))
      return candidate;
  return std::nullopt;
}

/// The loss among the results that are not state; nothing if no result can be.
FailureOr<std::optional<unsigned>> RoleInference::findLoss() {
  SmallVector<unsigned> candidates, named, differentiable;
  for (unsigned i = 0; i < step.getNumResults(); ++i) {
    if (roles.results[i] && roles.results[i].getKind() == RoleKind::Loss)
      return std::optional<unsigned>(i);
    Type type = returned[i].getType();
    if (!roles.results[i] && isScalar(type) && isFloat(type))
      candidates.push_back(i);
  }
  if (candidates.size() <= 1)
    return candidates.empty() ? std::nullopt
                              : std::optional<unsigned>(candidates.front());
  for (unsigned candidate : candidates) {
    StringRef name = getResultName(candidate);
    if (name.ends_with("loss']") || name.ends_with(".loss"))
      named.push_back(candidate);
    if (isDifferentiable(candidate))
      differentiable.push_back(candidate);
  }
  // 'loss' itself before 'aux_loss' and the like.
  SmallVector<unsigned> exact = llvm::filter_to_vector(named, [&](unsigned i) {
    StringRef name = getResultName(i);
    return name.ends_with("['loss']") || name.ends_with(".loss") ||
           name.ends_with("total_loss']") || name.ends_with(".total_loss");
  });
  for (ArrayRef<unsigned> list :
       {ArrayRef(exact), ArrayRef(named), ArrayRef(differentiable)})
    if (list.size() == 1)
      return std::optional<unsigned>(list.front());
  if (differentiable.empty())
    return std::optional<unsigned>();

  // `return loss, metrics`: the loss is what needs the fewest arguments; the
  // norm of a gradient needs all that the loss does, and more of the program.
  unsigned first = differentiable.front();
  bool firstIsTopLevel = getResultName(first).count('[') <= 1;
  if (firstIsTopLevel && !getResultName(first).empty() &&
      llvm::all_of(ArrayRef(differentiable).drop_front(),
                   [&](unsigned i) { return getResultName(i).count('[') > 1; }))
    return std::optional<unsigned>(first);
  if (!isDeclared())
    return std::optional<unsigned>();
  if (std::optional<unsigned> least = findLeast(differentiable))
    return least;
  (void)reportAmbiguousLoss(differentiable);
  return failure();
}

/// Whether a result is computed element by element from state that data flow
/// updates: parameters in half precision are from their copies in full.
bool RoleInference::followsOtherState(unsigned result) {
  return llvm::any_of(getElementwiseSources(entry, returned[result]),
                      [&](const ElementwiseSource &source) {
                        std::optional<unsigned> update =
                            updatedBy[source.argument];
                        return update && !match.byDonationOnly.test(*update);
                      });
}

/// Reports parameters whose buffers are donated when none of them is updated by
/// data flow: then JAX may have given the buffers to gradients.
LogicalResult RoleInference::checkDonations() {
  std::optional<unsigned> doubtful;
  for (auto [result, argument] : llvm::enumerate(match.pairs)) {
    if (!argument || !isFloat(returned[result].getType()) ||
        !lossSources.test(*argument))
      continue;
    if (match.byDonationOnly.test(result) && !followsOtherState(result))
      doubtful = doubtful.value_or(result);
    else if (returned[result] != entry.getArgument(*argument))
      return success();
  }
  if (!doubtful)
    return success();
  unsigned argument = *match.pairs[*doubtful];
  return (emitError(entry.getArgument(argument).getLoc())
          << "cannot tell whether result #" << *doubtful
          << " is the updated value of argument #" << argument
          << " or its gradient: the argument's buffer is donated, but no "
             "result is computed from it element by element")
             .attachNote(step.getLoc())
         << "put hetero.role = #hetero.role<updated_state of " << argument
         << "> or #hetero.role<gradient of " << argument
         << "> on the result, or pass roles=\"result" << *doubtful
         << "=updated_state:" << argument << "\" to hetero-infer-roles";
}

/// Whether a number that the loss depends on is set without derivatives, like
/// the scale of a loss or the weight of a term in it: its updated value depends
/// on the old one, and on the rest of what the loss sees by decisions alone.
bool RoleInference::followsSchedule(unsigned argument) {
  if (!isScalar(entry.getArgument(argument).getType()))
    return false;
  llvm::BitVector sources =
      getFloatSources(entry, returned[*updatedBy[argument]]);
  sources &= lossSources;
  sources.reset(argument);
  return sources.none();
}

void RoleInference::classifyState(unsigned argument) {
  Type type = entry.getArgument(argument).getType();
  bool unchanged =
      returned[*updatedBy[argument]] == entry.getArgument(argument);
  if (isRandomKey(entry.getArgument(argument)))
    return assign(argument, RoleKind::Rng);
  if (!isFloat(type))
    return assign(argument, isScalar(type) ? RoleKind::OptimizerState
                                           : RoleKind::ModelState);
  // A value that a model hands on to the next step is no parameter either.
  unsigned result = *updatedBy[argument];
  bool isCarry =
      match.byDonationOnly.test(result) && !followsOtherState(result);
  if (lossSources.test(argument) && (unchanged || !followsSchedule(argument)))
    assign(argument,
           unchanged || isCarry ? RoleKind::ModelState : RoleKind::Parameter);
}

void RoleInference::classifyState() {
  for (unsigned i = 0; i < updatedBy.size(); ++i)
    if (updatedBy[i])
      classifyState(i);
  // What the updated parameters depend on, and the loss does not.
  SmallVector<Value> updatedParameters;
  for (unsigned i = 0; i < updatedBy.size(); ++i)
    if (updatedBy[i] && has(i, RoleKind::Parameter))
      updatedParameters.push_back(returned[*updatedBy[i]]);
  updateSources = getSourceArguments(entry, updatedParameters);
  for (unsigned i = 0; i < updatedBy.size(); ++i)
    if (updatedBy[i])
      assign(i, updateSources.test(i) ? RoleKind::OptimizerState
                                      : RoleKind::ModelState);
}

/// A tree whose leaves differ in their first size, beside others that all have
/// the same one, which it does not have, holds frozen parameters.
SmallVector<unsigned> RoleInference::dropFrozen(ArrayRef<unsigned> data) {
  llvm::MapVector<StringRef, llvm::SmallSetVector<int64_t, 2>> sizes;
  for (unsigned i : data) {
    BlockArgument argument = entry.getArgument(i);
    sizes[getArgumentPath(argument).root].insert(
        getLeadingSize(argument.getType()));
  }
  llvm::SmallSetVector<int64_t, 2> common;
  for (const auto &[tree, leading] : sizes)
    if (leading.size() == 1)
      common.insert(leading.front());
  if (common.size() != 1 || sizes.count(""))
    return SmallVector<unsigned>(data);
  SmallVector<unsigned> rest;
  for (unsigned i : data)
    if (sizes[getArgumentPath(entry.getArgument(i)).root].contains(
            common.front()))
      rest.push_back(i);
    else
      assign(i, RoleKind::ModelState);
  return rest;
}

LogicalResult RoleInference::reportUnclearData(unsigned argument,
                                               int64_t samples) {
  BlockArgument value = entry.getArgument(argument);
  return (emitError(value.getLoc())
          << "cannot tell whether argument #" << argument << " of type "
          << value.getType()
          << " is data or a frozen parameter: its first size is not the "
          << samples << " of other data")
             .attachNote(step.getLoc())
         << "put hetero.role = #hetero.role<batch> (data) or "
            "#hetero.role<model_state> (a frozen parameter) on it: roles=\"arg"
         << argument
         << "=batch\" of hetero.jit and hetero-infer-roles, --role=arg"
         << argument << "=batch of hetero-run";
}

/// Tells data from frozen parameters: data has the samples in front, so that
/// most of it agrees in the first size. What has that size elsewhere is data,
/// too; what has it nowhere is whole on every device, as a parameter is. It is
/// not clear what the samples are if there is no majority, or if all data has
/// the first size of an argument as another dimension, as where time comes
/// first.
LogicalResult RoleInference::classifyData(ArrayRef<unsigned> data) {
  // In order of appearance; any number may be a size.
  SmallVector<std::pair<int64_t, unsigned>> votes;
  auto vote = [&](unsigned argument, unsigned weight) {
    int64_t size = getLeadingSize(entry.getArgument(argument).getType());
    auto *found = llvm::find_if(
        votes, [&](const auto &entry) { return entry.first == size; });
    if (found == votes.end())
      votes.push_back({size, weight});
    else
      found->second += weight;
  };
  for (unsigned i : data)
    vote(i, 1);
  for (unsigned i = 0; i < entry.getNumArguments(); ++i)
    if (has(i, RoleKind::Batch) && !isScalar(entry.getArgument(i).getType()))
      vote(i, data.size() + 1);
  if (votes.empty())
    return success();
  auto [samples, most] = *llvm::max_element(
      votes, [](const auto &a, const auto &b) { return a.second < b.second; });
  bool isClear = llvm::count_if(votes, [most = most](const auto &entry) {
                   return entry.second == most;
                 }) == 1;
  auto hasSize = [&](unsigned i, int64_t size) {
    auto type = cast<ShapedType>(entry.getArgument(i).getType());
    return llvm::is_contained(type.getShape(), size);
  };
  llvm::SmallDenseSet<StringRef> batchTrees;
  SmallVector<unsigned> open, samplesFirst;
  for (unsigned i : data) {
    BlockArgument argument = entry.getArgument(i);
    if (getLeadingSize(argument.getType()) != samples) {
      open.push_back(i);
      continue;
    }
    samplesFirst.push_back(i);
    batchTrees.insert(getArgumentPath(argument).root);
    assign(i, RoleKind::Batch);
  }
  for (unsigned i : open) {
    BlockArgument argument = entry.getArgument(i);
    StringRef tree = getArgumentPath(argument).root;
    bool isData = !tree.empty() && batchTrees.contains(tree);
    int64_t size = getLeadingSize(argument.getType());
    bool isUnclear = llvm::all_of(
        samplesFirst, [&](unsigned other) { return hasSize(other, size); });
    if (!isData && (!isClear || isUnclear || !isDeclared()))
      return isDeclared() ? reportUnclearData(i, samples) : failure();
    assign(i, isData || hasSize(i, samples) ? RoleKind::Batch
                                            : RoleKind::ModelState);
  }
  return success();
}

LogicalResult RoleInference::classifyInputs() {
  llvm::SmallDenseSet<StringRef> stateTrees;
  for (unsigned i = 0; i < updatedBy.size(); ++i)
    if (updatedBy[i])
      stateTrees.insert(getArgumentPath(entry.getArgument(i)).root);
  SmallVector<unsigned> data;
  for (unsigned i = 0; i < updatedBy.size(); ++i) {
    BlockArgument argument = entry.getArgument(i);
    StringRef tree = getArgumentPath(argument).root;
    if (roles.arguments[i])
      continue;
    if (isRandomKey(argument))
      assign(i, RoleKind::Rng);
    else if (!tree.empty() && stateTrees.contains(tree))
      assign(i, RoleKind::ModelState);
    else if (isScalar(argument.getType()))
      assign(i, RoleKind::HyperParameter);
    else
      data.push_back(i);
  }
  return classifyData(dropFrozen(data));
}

FailureOr<StepRoles> RoleInference::run() {
  StepRoles given = roles;
  pairResults();
  if (!roles.isStep()) {
    whyNot = "no result is the updated value of an argument";
    return given;
  }
  FailureOr<std::optional<unsigned>> loss = findLoss();
  if (failed(loss))
    return failure();
  if (!*loss) { // State without a loss: a generator's cache, a filter.
    whyNot = "no result is known to be the loss";
    return given;
  }
  roles.results[**loss] = get(RoleKind::Loss);
  lossSources = getSourceArguments(entry, returned[**loss]);
  if (failed(checkDonations()))
    return failure();
  classifyState();
  LogicalResult inputs = classifyInputs();
  if (failed(inputs) && !isDeclared()) {
    whyNot = "its data cannot be told from its parameters";
    return given;
  }
  if (failed(inputs))
    return failure();
  for (unsigned i = 0; i < roles.results.size(); ++i) {
    if (roles.results[i])
      continue;
    roles.results[i] =
        match.gradients[i] && has(*match.gradients[i], RoleKind::Parameter)
            ? RoleAttr::get(step.getContext(), RoleKind::Gradient,
                            int64_t(*match.gradients[i]))
            : get(RoleKind::Metric);
  }
  return roles;
}

FailureOr<StepRoles> hetero::inferRoles(func::FuncOp step, StringRef &whyNot) {
  RoleInference inference(step);
  FailureOr<StepRoles> roles = inference.run();
  whyNot = inference.whyNot;
  return roles;
}
