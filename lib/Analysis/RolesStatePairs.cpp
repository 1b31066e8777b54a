//===- RolesStatePairs.cpp - Which result follows an argument -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "TreePath.h"
#include "hetero/Analysis/Roles.h"
#include "hetero/Analysis/Slices.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringMap.h"
#include <tuple>

using namespace mlir;
using namespace hetero;

//===----------------------------------------------------------------------===//
// Paths into JAX's trees
//===----------------------------------------------------------------------===//

static TreePath parsePath(StringRef text) {
  size_t end = text.find_first_of("[.");
  if (end == StringRef::npos)
    return {text, ""};
  return {text.take_front(end), text.drop_front(end)};
}

/// Whether a path can be cut at `offset`: steps begin with a bracket or a dot.
static bool isStepBoundary(StringRef leaf, size_t offset) {
  return offset == leaf.size() || leaf[offset] == '[' || leaf[offset] == '.';
}

/// The last step of a path: `['bias']`, `[0]`, `.count`.
static StringRef getLastStep(StringRef leaf) {
  size_t begin = leaf.find_last_of("[.");
  return begin == StringRef::npos ? StringRef() : leaf.drop_front(begin);
}

/// Whether an argument and a result may be the same thing by their names; true
/// where one has none. `x` may stand again as `result[1]`, not as `['w']`.
static bool haveSimilarNames(TreePath argument, TreePath result) {
  if (argument.root.empty() || (result.root.empty() && result.leaf.empty()))
    return true;
  StringRef last = getLastStep(result.leaf);
  if (!argument.leaf.empty())
    return getLastStep(argument.leaf) == last;
  StringRef name = last.trim("[]'.");
  unsigned index;
  return name.empty() || name == argument.root || !name.getAsInteger(10, index);
}

TreePath hetero::getArgumentPath(BlockArgument argument) {
  Location loc = argument.getLoc();
  if (auto name = dyn_cast<NameLoc>(loc))
    return parsePath(name.getName());
  return {};
}

static TreePath getResultPath(func::FuncOp step, unsigned index) {
  auto info = step.getResultAttrOfType<StringAttr>(index, "jax.result_info");
  return info ? parsePath(info.getValue()) : TreePath{};
}

//===----------------------------------------------------------------------===//
// The matching
//===----------------------------------------------------------------------===//

namespace {
class StateMatcher {
public:
  StateMatcher(func::FuncOp step, const StepRoles &given);

  void matchTrees();
  void matchDataFlow();
  void matchDonations();
  void findGradients();

  StateMatch takeMatch() { return std::move(match); }

private:
  struct Leaf {
    unsigned argument;
    StringRef path;
  };
  /// A part of the result tree in which all leaves of an argument tree stand
  /// again, with the same types.
  struct Image {
    SmallVector<unsigned> results; // One for each leaf.
    bool carriesState = false;     // A leaf is computed from its argument.
  };
  using Tree = SmallVector<Leaf>;
  /// A result that is computed element by element from an argument of its type.
  struct Flow {
    unsigned argument;
    unsigned result;
    bool isMixed; // With floats of other arguments; asked of scalars alone.
    unsigned distance;
  };

  void pair(unsigned argument, unsigned result) {
    match.pairs[result] = argument;
    isPaired.set(argument);
  }
  bool isOpen(unsigned result) {
    return !match.pairs[result] && !hasOtherRole.test(result);
  }
  Type getResultType(unsigned index) {
    return step.getFunctionType().getResult(index);
  }
  Type getArgumentType(unsigned index) {
    return entry.getArgument(index).getType();
  }
  bool isCandidate(unsigned argument, unsigned result) {
    return !isPaired.test(argument) &&
           getArgumentType(argument) == getResultType(result);
  }
  void findFlows();
  SmallVector<Image> findImages(const Tree &tree);
  bool pairTree(const Tree &tree);
  bool isDonated(unsigned argument);
  bool mayCarryState(unsigned argument, unsigned result);

  func::FuncOp step;
  Block &entry;
  OperandRange returned;
  StateMatch match;
  llvm::BitVector isPaired;
  llvm::BitVector hasOtherRole; // Results that are given one.
  bool anyDonated = false;
  llvm::MapVector<StringRef, Tree> trees;
  SmallVector<StringRef> resultLeaves;
  llvm::StringMap<unsigned> resultOfLeaf;
  SmallVector<Flow> flows;  // The likeliest first.
  StatePairs likelySources; // Of each result, by flows alone.
};
} // namespace

StateMatcher::StateMatcher(func::FuncOp step, const StepRoles &given)
    : step(step), entry(step.front()),
      returned(entry.getTerminator()->getOperands()),
      isPaired(step.getNumArguments()), hasOtherRole(step.getNumResults()) {
  match.pairs.resize(step.getNumResults());
  match.gradients.resize(step.getNumResults());
  match.byDonationOnly.resize(step.getNumResults());
  for (auto [index, role] : llvm::enumerate(given.results)) {
    if (role && role.getKind() == RoleKind::UpdatedState)
      pair(*role.getArgument(), index);
    else if (role)
      hasOtherRole.set(index);
  }
  for (BlockArgument argument : entry.getArguments()) {
    anyDonated |= isDonated(argument.getArgNumber());
    TreePath path = getArgumentPath(argument);
    if (!path.root.empty() && !path.leaf.empty())
      trees[path.root].push_back({argument.getArgNumber(), path.leaf});
  }
  for (unsigned index = 0; index < step.getNumResults(); ++index) {
    resultLeaves.push_back(getResultPath(step, index).leaf);
    resultOfLeaf.try_emplace(resultLeaves.back(), index);
  }
  findFlows();
}

/// Lists what may carry state by data flow. Of two values that depend on the
/// same parameter the nearer one is the updated parameter: moments and averages
/// take it in behind their own old values, and a gradient behind a factor. The
/// next scale of a loss is computed from the old one alone, the loss is not. An
/// argument that is returned as it is comes last, the others being updated
/// values.
void StateMatcher::findFlows() {
  for (unsigned result = 0; result < returned.size(); ++result) {
    SmallVector<ElementwiseSource> sources =
        getElementwiseSources(entry, returned[result]);
    auto type = dyn_cast<ShapedType>(getResultType(result));
    bool isScalar = type && type.hasRank() && type.getRank() == 0;
    bool isMixed = isScalar && !sources.empty() &&
                   getFloatSources(entry, returned[result]).count() > 1;
    for (ElementwiseSource source : sources)
      if (getArgumentType(source.argument) == getResultType(result))
        flows.push_back({source.argument, result, isMixed,
                         source.distance ? source.distance : ~0u});
  }
  llvm::stable_sort(flows, [](const Flow &a, const Flow &b) {
    return std::tie(a.isMixed, a.distance) < std::tie(b.isMixed, b.distance);
  });
  likelySources.resize(returned.size());
  llvm::BitVector isTaken(entry.getNumArguments());
  for (const Flow &flow : flows) {
    if (likelySources[flow.result] || isTaken.test(flow.argument))
      continue;
    likelySources[flow.result] = flow.argument;
    isTaken.set(flow.argument);
  }
}

bool StateMatcher::isDonated(unsigned argument) {
  return step.getArgAttr(argument, "tf.aliasing_output") ||
         step.getArgAttr(argument, "jax.buffer_donor");
}

/// Finds every prefix P such that P + leaf is a result of the leaf's type, for
/// all leaves of the tree.
SmallVector<StateMatcher::Image> StateMatcher::findImages(const Tree &tree) {
  SmallVector<Image> images;
  for (StringRef candidate : resultLeaves) {
    size_t prefixSize = candidate.size() - tree.front().path.size();
    if (!candidate.ends_with(tree.front().path) ||
        !isStepBoundary(candidate, prefixSize))
      continue;
    StringRef prefix = candidate.take_front(prefixSize);
    Image image;
    for (const Leaf &leaf : tree) {
      auto found = resultOfLeaf.find((prefix + leaf.path).str());
      if (found == resultOfLeaf.end() || !isOpen(found->second) ||
          getResultType(found->second) != getArgumentType(leaf.argument))
        break;
      image.results.push_back(found->second);
      image.carriesState |= likelySources[found->second] == leaf.argument;
    }
    if (image.results.size() == tree.size())
      images.push_back(std::move(image));
  }
  return images;
}

/// Pairs a tree that has exactly one image carrying its state.
bool StateMatcher::pairTree(const Tree &tree) {
  if (llvm::any_of(
          tree, [&](const Leaf &leaf) { return isPaired.test(leaf.argument); }))
    return false;
  SmallVector<Image> images = findImages(tree);
  llvm::erase_if(images,
                 [](const Image &image) { return !image.carriesState; });
  if (images.size() != 1)
    return false;
  for (auto [leaf, result] : llvm::zip(tree, images.front().results))
    pair(leaf.argument, result);
  return true;
}

void StateMatcher::matchTrees() {
  // A tree that is paired takes its results away from the others.
  bool changed = true;
  while (changed) {
    changed = false;
    for (const auto &[root, tree] : trees)
      changed |= pairTree(tree);
  }
}

/// Guards against data that happens to flow into a result of its own shape: a
/// learning rate that is reported, an input beside its reconstruction.
bool StateMatcher::mayCarryState(unsigned argument, unsigned result) {
  if (!isCandidate(argument, result) ||
      !haveSimilarNames(getArgumentPath(entry.getArgument(argument)),
                        getResultPath(step, result)))
    return false;
  if (anyDonated)
    return isDonated(argument);
  auto type = dyn_cast<ShapedType>(getArgumentType(argument));
  bool isScalar = type && type.hasRank() && type.getRank() == 0;
  if (!isScalar)
    return true;
  return isa<IntegerType>(type.getElementType()) &&
         returned[result] != entry.getArgument(argument);
}

void StateMatcher::matchDataFlow() {
  for (const Flow &flow : flows)
    if (isOpen(flow.result) && mayCarryState(flow.argument, flow.result))
      pair(flow.argument, flow.result);
}

void StateMatcher::matchDonations() {
  // The results that JAX gave donated buffers to, first to the arguments that
  // it took them from, then to any of the type.
  SmallVector<unsigned> donated, received;
  for (unsigned argument = 0; argument < entry.getNumArguments(); ++argument) {
    auto alias =
        step.getArgAttrOfType<IntegerAttr>(argument, "tf.aliasing_output");
    if (!alias || alias.getInt() < 0 ||
        alias.getInt() >= int64_t(returned.size()))
      continue;
    donated.push_back(argument);
    received.push_back(alias.getInt());
  }
  auto pairIfOpen = [&](unsigned argument, unsigned result) {
    if (!isOpen(result) || !isCandidate(argument, result))
      return;
    pair(argument, result);
    match.byDonationOnly.set(result);
  };
  for (auto [argument, result] : llvm::zip(donated, received))
    pairIfOpen(argument, result);
  for (unsigned argument : donated)
    for (unsigned result : received)
      pairIfOpen(argument, result);
}

void StateMatcher::findGradients() {
  for (const auto &[root, tree] : trees)
    for (const Image &image : findImages(tree))
      if (!image.carriesState)
        for (auto [leaf, result] : llvm::zip(tree, image.results))
          match.gradients[result] = leaf.argument;
}

StateMatch hetero::matchState(func::FuncOp step, const StepRoles &given) {
  StateMatcher matcher(step, given);
  matcher.matchTrees();
  matcher.matchDataFlow();
  matcher.matchDonations();
  matcher.findGradients();
  return matcher.takeMatch();
}
