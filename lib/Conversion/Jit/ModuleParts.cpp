//===- ModuleParts.cpp - Code in parts that are compiled apart ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ModuleParts.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include <algorithm>
#include <tuple>

using namespace hetero;
using namespace llvm;

/// Instructions that are worth a part of their own, and the most parts.
static constexpr uint64_t kPartSize = 2000;
static constexpr uint64_t kMaxParts = 8;

namespace {
/// Functions that stay together.
struct Group {
  SmallVector<Function *> functions;
  uint64_t size = 0;
};
} // namespace

/// The functions that are defined and referred to by the body of `function`.
static void visitReferences(Function &function,
                            function_ref<void(Function &)> visit) {
  for (BasicBlock &block : function)
    for (Instruction &instruction : block)
      for (Value *operand : instruction.operands())
        if (auto *other = dyn_cast<Function>(operand->stripPointerCasts());
            other && !other->isDeclaration())
          visit(*other);
}

/// In the order of the module.
static std::vector<Group> getGroups(Module &module) {
  EquivalenceClasses<Function *> together;
  for (Function &function : module) {
    if (function.isDeclaration())
      continue;
    together.insert(&function);
    visitReferences(function, [&](Function &other) {
      if (!other.hasFnAttribute(Attribute::NoInline))
        together.unionSets(&function, &other);
    });
  }
  std::vector<Group> groups;
  DenseMap<Function *, size_t> numbers;
  for (Function &function : module) {
    if (function.isDeclaration())
      continue;
    auto [known, isNew] = numbers.try_emplace(
        together.getOrInsertLeaderValue(&function), groups.size());
    if (isNew)
      groups.emplace_back();
    Group &group = groups[known->second];
    group.functions.push_back(&function);
    group.size += function.getInstructionCount();
  }
  return groups;
}

/// The number of the part of each function that is defined.
static DenseMap<const Function *, size_t> assignParts(ArrayRef<Group> groups,
                                                      size_t numParts) {
  std::vector<const Group *> order;
  for (const Group &group : groups)
    order.push_back(&group);
  llvm::sort(order, [](const Group *a, const Group *b) {
    return std::make_tuple(b->size, a) < std::make_tuple(a->size, b);
  });
  std::vector<uint64_t> sizes(numParts);
  DenseMap<const Function *, size_t> parts;
  for (const Group *group : order) {
    size_t part = llvm::min_element(sizes) - sizes.begin();
    sizes[part] += group->size;
    for (Function *function : group->functions)
      parts[function] = part;
  }
  return parts;
}

/// Lets functions be called from other parts.
static void exposeFunctions(Module &module,
                            const DenseMap<const Function *, size_t> &parts) {
  for (Function &function : module) {
    if (function.isDeclaration())
      continue;
    visitReferences(function, [&](Function &other) {
      if (!other.hasLocalLinkage() ||
          parts.lookup(&other) == parts.lookup(&function))
        return;
      other.setLinkage(GlobalValue::ExternalLinkage);
      other.setVisibility(GlobalValue::HiddenVisibility);
    });
  }
  for (GlobalVariable &variable : module.globals())
    if (variable.hasLocalLinkage() && !variable.isConstant()) {
      variable.setLinkage(GlobalValue::ExternalLinkage);
      variable.setVisibility(GlobalValue::HiddenVisibility);
    }
}

static SmallVector<char, 0> write(const Module &module) {
  SmallVector<char, 0> bytes;
  raw_svector_ostream stream(bytes);
  WriteBitcodeToFile(module, stream);
  return bytes;
}

std::vector<SmallVector<char, 0>> hetero::divideModule(Module &module) {
  std::vector<Group> groups = getGroups(module);
  uint64_t size = 0;
  for (const Group &group : groups)
    size += group.size;
  size_t numParts = std::clamp<uint64_t>(
      size / kPartSize, 1, std::clamp<uint64_t>(groups.size(), 1, kMaxParts));
  std::vector<SmallVector<char, 0>> result;
  if (numParts == 1) {
    result.push_back(write(module));
    return result;
  }
  DenseMap<const Function *, size_t> parts = assignParts(groups, numParts);
  exposeFunctions(module, parts);
  for (size_t part = 0; part < numParts; ++part) {
    ValueToValueMapTy values;
    std::unique_ptr<Module> copy =
        CloneModule(module, values, [&](const GlobalValue *value) {
          if (auto *function = dyn_cast<Function>(value))
            return parts.lookup(function) == part;
          auto *variable = dyn_cast<GlobalVariable>(value);
          return part == 0 || (variable && variable->isConstant() &&
                               variable->hasLocalLinkage());
        });
    result.push_back(write(*copy));
  }
  return result;
}
