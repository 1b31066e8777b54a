//===- StatePairs.cpp - Which result is the next value of which argument --===//
//
// Part of the hetero project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "hetero/Analysis/Roles.h"
#include "hetero/Analysis/Slices.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace hetero;

//===----------------------------------------------------------------------===//
// Paths into JAX's trees
//===----------------------------------------------------------------------===//

namespace {
/// `opt[1][0].mu['Dense_0']['bias']` is the leaf `[1][0].mu['Dense_0']['bias']`
/// of the tree `opt`.
struct TreePath {
  StringRef root;
  StringRef leaf;
};
} // namespace

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

/// JAX keeps the path of an argument as the name of its location.
static TreePath getArgumentPath(BlockArgument argument) {
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
  void findGradients(StatePairs &gradients);

  StatePairs takePairs() { return std::move(pairs); }

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

  void pair(unsigned argument, unsigned result) {
    pairs[result] = argument;
    isPaired.set(argument);
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
  ArrayRef<unsigned> getSources(unsigned result);
  SmallVector<Image> findImages(const Tree &tree);
  bool pairTree(const Tree &tree);
  bool isDonated(unsigned argument);
  bool mayCarryState(unsigned argument, unsigned result);

  func::FuncOp step;
  Block &entry;
  OperandRange returned;
  StatePairs pairs;
  llvm::BitVector isPaired;
  bool anyDonated = false;
  llvm::MapVector<StringRef, Tree> trees;
  SmallVector<StringRef> resultLeaves;
  llvm::StringMap<unsigned> resultOfLeaf;
  SmallVector<std::optional<SmallVector<unsigned>>> sources;
};
} // namespace

StateMatcher::StateMatcher(func::FuncOp step, const StepRoles &given)
    : step(step), entry(step.front()),
      returned(entry.getTerminator()->getOperands()),
      pairs(step.getNumResults()), isPaired(step.getNumArguments()),
      sources(step.getNumResults()) {
  for (auto [index, role] : llvm::enumerate(given.results))
    if (role && role.getKind() == RoleKind::UpdatedState)
      pair(*role.getArgument(), index);
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
}

bool StateMatcher::isDonated(unsigned argument) {
  return step.getArgAttr(argument, "tf.aliasing_output") ||
         step.getArgAttr(argument, "jax.buffer_donor");
}

ArrayRef<unsigned> StateMatcher::getSources(unsigned result) {
  if (!sources[result])
    sources[result] = getElementwiseSources(entry, returned[result]);
  return *sources[result];
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
      if (found == resultOfLeaf.end() || pairs[found->second] ||
          getResultType(found->second) != getArgumentType(leaf.argument))
        break;
      image.results.push_back(found->second);
      image.carriesState |=
          llvm::is_contained(getSources(found->second), leaf.argument);
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
  // %m1 can only be the next %m; then %p1, which depends on %p and %m, can only
  // be the next %p. What stays open is decided in order.
  bool changed = true, inOrder = false;
  while (changed || !inOrder) {
    inOrder = !changed;
    changed = false;
    for (unsigned result = 0; result < pairs.size(); ++result) {
      if (pairs[result])
        continue;
      SmallVector<unsigned> candidates;
      for (unsigned argument : getSources(result))
        if (mayCarryState(argument, result))
          candidates.push_back(argument);
      if (candidates.size() == 1 || (inOrder && !candidates.empty())) {
        pair(candidates.front(), result);
        changed = true;
        inOrder = false;
      }
    }
  }
}

void StateMatcher::matchDonations() {
  for (unsigned argument = 0; argument < entry.getNumArguments(); ++argument) {
    auto alias =
        step.getArgAttrOfType<IntegerAttr>(argument, "tf.aliasing_output");
    if (!alias || alias.getInt() < 0 ||
        alias.getInt() >= int64_t(pairs.size()) || pairs[alias.getInt()])
      continue;
    if (isCandidate(argument, alias.getInt()))
      pair(argument, alias.getInt());
  }
}

void StateMatcher::findGradients(StatePairs &gradients) {
  gradients.assign(pairs.size(), std::nullopt);
  for (const auto &[root, tree] : trees)
    for (const Image &image : findImages(tree))
      if (!image.carriesState)
        for (auto [leaf, result] : llvm::zip(tree, image.results))
          gradients[result] = leaf.argument;
}

StatePairs hetero::pairState(func::FuncOp step, const StepRoles &given,
                             StatePairs &gradients) {
  StateMatcher matcher(step, given);
  matcher.matchTrees();
  matcher.matchDataFlow();
  matcher.matchDonations();
  matcher.findGradients(gradients);
  return matcher.takePairs();
}
