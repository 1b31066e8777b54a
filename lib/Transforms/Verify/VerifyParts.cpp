//===- VerifyParts.cpp - Arguments and results of rank programs -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Transforms/Verify/Verify.h"

using namespace mlir;
using namespace hetero;
using namespace hetero::verify;

namespace {
/// A part with its place, for messages.
struct RankPart {
  PartAttr part;
  mutable func::FuncOp program;
  int64_t rank;
};
} // namespace

static PartAttr getPart(func::FuncOp function, bool isResult, unsigned i) {
  StringRef name = HeteroDialect::getPartAttrName();
  return isResult ? function.getResultAttrOfType<PartAttr>(i, name)
                  : function.getArgAttrOfType<PartAttr>(i, name);
}

/// The elements that two parts have in common.
static bool overlap(PartAttr a, PartAttr b) {
  for (auto [mine, theirs] : llvm::zip_equal(a.getRanges(), b.getRanges())) {
    bool meets = false;
    for (int64_t i = 0; i < mine.size(); i += 2)
      for (int64_t j = 0; j < theirs.size(); j += 2)
        meets |=
            std::max(mine[i], theirs[j]) < std::min(mine[i + 1], theirs[j + 1]);
    if (!meets)
      return false;
  }
  return true;
}

static int64_t getNumElements(PartAttr part) {
  int64_t total = 1;
  for (DenseI64ArrayAttr ranges : part.getRanges()) {
    int64_t length = 0;
    for (int64_t i = 0; i < ranges.size(); i += 2)
      length += ranges[i + 1] - ranges[i];
    total *= length;
  }
  return total;
}

/// Checks that a part lies in the value of the step that it is of.
static LogicalResult checkInside(const RankPart &rankPart, bool isResult,
                                 unsigned i, func::FuncOp step) {
  StringRef what = isResult ? "result" : "argument";
  ArrayRef<Type> types =
      isResult ? step.getResultTypes() : step.getArgumentTypes();
  auto fail = [&](const Twine &why) -> LogicalResult {
    return (rankPart.program.emitOpError()
            << what << " " << i << " of rank " << rankPart.rank << " is "
            << str(rankPart.part) << ", " << why)
               .attachNote(step.getLoc())
           << "the step is here";
  };
  if (rankPart.part.getIndex() >= int64_t(types.size()))
    return fail("and the step has only " + Twine(types.size()));
  auto whole = dyn_cast<RankedTensorType>(types[rankPart.part.getIndex()]);
  Type element =
      getElementTypeOrSelf(isResult ? rankPart.program.getResultTypes()[i]
                                    : rankPart.program.getArgumentTypes()[i]);
  if (!whole || whole.getElementType() != element ||
      whole.getRank() != int64_t(rankPart.part.getRanges().size()))
    return fail("which is no part of " +
                str(TypeAttr::get(types[rankPart.part.getIndex()])));
  for (auto [dim, ranges] : llvm::enumerate(rankPart.part.getRanges()))
    if (!ranges.empty() && ranges[ranges.size() - 1] > whole.getDimSize(dim))
      return fail("which is outside of " + str(TypeAttr::get(whole)));
  return success();
}

/// Checks that an argument has the part that `hetero.sharding` on it says.
static LogicalResult checkSharding(const RankPart &rankPart, unsigned i,
                                   func::FuncOp step) {
  int64_t index = rankPart.part.getIndex();
  auto sharding = step.getArgAttrOfType<ShardingAttr>(
      index, HeteroDialect::getShardingAttrName());
  if (!sharding || step.getArgAttr(index, HeteroDialect::getStorageAttrName()))
    return success();
  auto mesh = SymbolTable::lookupNearestSymbolFrom<MeshOp>(step.getOperation(),
                                                           sharding.getMesh());
  for (AxisShardingAttr entry : sharding.getEntries()) {
    SplitAttr split = entry.getSplit();
    SmallVector<Attribute> axes(entry.getAxes().begin(), entry.getAxes().end());
    std::optional<int64_t> member =
        mesh ? mesh.getMember(rankPart.rank,
                              ArrayAttr::get(step.getContext(), axes))
             : std::nullopt;
    if (!split || split.isBatch() || !member ||
        *member >= int64_t(split.getSizes().size()) || split.getLength() == 0)
      continue;
    int64_t before = 0, total = 0;
    for (auto [other, size] : llvm::enumerate(split.getSizes())) {
      before += int64_t(other) < *member ? size : 0;
      total += size;
    }
    SmallVector<int64_t> expected;
    for (int64_t outer = 0; outer < split.getOuter(); ++outer) {
      int64_t begin = (outer * total + before) * split.getInner();
      expected.append(
          {begin, begin + split.getSizes()[*member] * split.getInner()});
    }
    if (ArrayRef<int64_t>(rankPart.part.getRanges()[split.getDim()]) ==
        ArrayRef<int64_t>(expected))
      continue;
    return (rankPart.program.emitOpError()
            << "argument " << i << " of rank " << rankPart.rank << " is "
            << str(rankPart.part) << ", and member " << *member << " of "
            << sharding.getMesh() << " should have [" << expected[0] << " to "
            << expected[1] << "] of dimension " << split.getDim())
               .attachNote(step.getLoc())
           << "the sharding is here";
  }
  return success();
}

/// Checks that the parts of one result make up all of it.
static LogicalResult checkCover(func::FuncOp step, unsigned index,
                                ArrayRef<RankPart> rankParts) {
  auto whole = cast<RankedTensorType>(step.getResultTypes()[index]);
  SmallVector<RankPart> distinct;
  int64_t covered = 0;
  for (const RankPart &rankPart : rankParts) {
    bool known = false;
    for (const RankPart &other : distinct) {
      known |= other.part == rankPart.part;
      if (other.part == rankPart.part || !overlap(other.part, rankPart.part))
        continue;
      return (rankPart.program.emitOpError()
              << "rank " << rankPart.rank << " has " << str(rankPart.part)
              << " of result " << index << ", and rank " << other.rank
              << " has " << str(other.part) << ", which overlaps with it")
                 .attachNote(other.program.getLoc())
             << "the program of rank " << other.rank << " is here";
    }
    if (known)
      continue;
    covered += getNumElements(rankPart.part);
    distinct.push_back(rankPart);
  }
  if (covered == whole.getNumElements())
    return success();
  return step.emitOpError()
         << "result " << index << " has " << whole.getNumElements()
         << " elements, and the ranks return " << covered << " of them";
}

/// State comes back in the part that it went in.
static LogicalResult checkState(const RankSteps &rank) {
  func::FuncOp program = rank.function;
  for (unsigned i = 0; i < program.getNumResults(); ++i) {
    auto role = program.getResultAttrOfType<RoleAttr>(
        i, HeteroDialect::getRoleAttrName());
    PartAttr to = getPart(program, true, i);
    if (!role || role.getKind() != RoleKind::UpdatedState ||
        !role.getArgument() || !to ||
        *role.getArgument() >= int64_t(program.getNumArguments()))
      continue;
    PartAttr from = getPart(program, false, *role.getArgument());
    if (from && from.getRanges() == to.getRanges())
      continue;
    return program.emitOpError()
           << "result " << i << " of rank " << rank.rank
           << " is the updated value of argument " << *role.getArgument()
           << " and has " << str(to) << " instead of "
           << (from ? str(from) : "nothing");
  }
  return success();
}

LogicalResult verify::checkParts(const Programs &programs) {
  func::FuncOp step;
  ModuleOp module = programs.module;
  for (PlanOp plan : module.getOps<PlanOp>())
    step = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
        module, plan.getStepAttr());
  std::map<unsigned, SmallVector<RankPart>> results;
  bool ok = true;
  for (auto &[number, rank] : programs.ranks) {
    func::FuncOp program = rank.function;
    ok &= succeeded(checkState(rank));
    for (bool isResult : {false, true}) {
      unsigned count =
          isResult ? program.getNumResults() : program.getNumArguments();
      for (unsigned i = 0; i < count; ++i) {
        PartAttr part = getPart(program, isResult, i);
        if (!part)
          continue;
        RankPart rankPart{part, program, number};
        if (step && (failed(checkInside(rankPart, isResult, i, step)) ||
                     (!isResult && failed(checkSharding(rankPart, i, step)))))
          return failure();
        if (isResult)
          results[part.getIndex()].push_back(rankPart);
      }
    }
  }
  if (!step)
    return success(ok);
  for (unsigned i = 0; i < step.getNumResults(); ++i)
    if (isa<RankedTensorType>(step.getResultTypes()[i]))
      ok &= succeeded(checkCover(step, i, results[i]));
  return success(ok);
}
