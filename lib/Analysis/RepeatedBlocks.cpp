//===- RepeatedBlocks.cpp - What repeats in a model -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Analysis/RepeatedBlocks.h"
#include "hetero/Analysis/Summary.h"
#include "mlir/IR/OperationSupport.h"
#include "llvm/ADT/StringSet.h"
#include <map>

using namespace mlir;
using namespace hetero;

//===----------------------------------------------------------------------===//
// Repetition
//===----------------------------------------------------------------------===//

uint64_t hetero::getToken(Operation *op) {
  llvm::hash_code hash(0);
  op->walk<WalkOrder::PreOrder>([&](Operation *inner) {
    hash = llvm::hash_combine(
        hash,
        OperationEquivalence::computeHash(
            inner, OperationEquivalence::ignoreHashValue,
            OperationEquivalence::ignoreHashValue,
            OperationEquivalence::IgnoreLocations |
                OperationEquivalence::IgnoreDiscardableAttrs),
        llvm::hash_combine_range(inner->getOperandTypes()));
  });
  return hash;
}

namespace {
class BlockFinder {
public:
  explicit BlockFinder(const OpSequence &sequence)
      : sequence(sequence),
        tokens(llvm::map_to_vector(sequence.ops, getToken)) {}

  void find(size_t begin, size_t end);
  SmallVector<BlockRun> runs;

private:
  SmallVector<size_t> getPeriods(size_t begin, size_t end) const;
  void addRuns(size_t period, size_t begin, size_t end,
               SmallVectorImpl<BlockRun> &found) const;
  std::optional<BlockRun> rotate(BlockRun run, size_t end) const;

  const OpSequence &sequence;
  SmallVector<uint64_t> tokens;
};
} // namespace

/// The most frequent distances between a window of tokens and the next that is
/// equal to it.
SmallVector<size_t> BlockFinder::getPeriods(size_t begin, size_t end) const {
  // Long windows tell the parts of a block apart, short ones find short blocks.
  constexpr size_t windows[] = {1, 4, 16};
  constexpr size_t numPeriods = 8; // For each window; blocks are in the first.
  llvm::SmallSetVector<size_t, 16> periods;
  for (size_t window : windows) {
    llvm::DenseMap<uint64_t, size_t> last;
    std::map<size_t, size_t> counts;
    for (size_t at = begin; at + window <= end; ++at) {
      uint64_t hash = llvm::hash_combine_range(tokens.begin() + at,
                                               tokens.begin() + at + window);
      // The two largest numbers are not keys of a DenseMap.
      auto [it, isNew] = last.try_emplace(hash >> 1, at);
      if (!isNew)
        ++counts[at - std::exchange(it->second, at)];
    }
    SmallVector<std::pair<size_t, size_t>> sorted;
    for (auto [period, count] : counts)
      sorted.push_back({period * count, period});
    llvm::sort(sorted, std::greater<>());
    for (auto [count, period] : ArrayRef(sorted).take_front(numPeriods))
      periods.insert(period);
  }
  return periods.takeVector();
}

/// The runs of at least two blocks of a period, as long as they go.
void BlockFinder::addRuns(size_t period, size_t begin, size_t end,
                          SmallVectorImpl<BlockRun> &found) const {
  for (size_t at = begin; at + period < end;) {
    size_t first = at;
    while (at + period < end && tokens[at] == tokens[at + period])
      ++at;
    if (at - first >= period)
      found.push_back({first, period, (at - first) / period + 1});
    at += at == first;
  }
}

/// The number of names that two scopes begin with alike: few where one block of
/// the user ends and another begins.
static size_t countCommon(StringRef left, StringRef right) {
  size_t common = 0;
  while (!left.empty() && !right.empty()) {
    auto [leftName, leftRest] = left.split('/');
    auto [rightName, rightRest] = right.split('/');
    if (leftName != rightName)
      break;
    ++common;
    left = leftRest;
    right = rightRest;
  }
  return common;
}

/// Lets the blocks of a run that goes on to `end` begin where the fewest bytes
/// cross; nothing if what crosses grows from block to block.
std::optional<BlockRun> BlockFinder::rotate(BlockRun run, size_t end) const {
  constexpr double mostGrowth = 1.25;
  std::optional<std::tuple<double, size_t, size_t>> best;
  BlockRun result;
  for (size_t offset = 0; offset < run.period; ++offset) {
    BlockRun turned = run;
    turned.begin += offset;
    turned.count = (end - turned.begin) / run.period;
    if (turned.count < 2)
      break;
    uint64_t least = UINT64_MAX, most = 0;
    double sum = 0;
    for (size_t block = 1; block < turned.count; ++block) {
      uint64_t bytes = sequence.crossing[turned.begin + block * run.period - 1];
      least = std::min(least, bytes);
      most = std::max(most, bytes);
      sum += double(bytes);
    }
    if (double(most) > mostGrowth * double(least))
      continue;
    size_t at = turned.begin + run.period;
    size_t common = countCommon(getScope(sequence.ops[at - 1]->getLoc()),
                                getScope(sequence.ops[at]->getLoc()));
    std::tuple<double, size_t, size_t> key(sum / double(turned.count - 1),
                                           common, offset);
    if (!best || key < *best) {
      best = key;
      result = turned;
    }
  }
  return best ? std::optional(result) : std::nullopt;
}

void BlockFinder::find(size_t begin, size_t end) {
  // Blocks that have less of the work than a layer should have are no help.
  constexpr uint64_t leastShare = 32;
  SmallVector<BlockRun> found;
  for (size_t period : getPeriods(begin, end))
    addRuns(period, begin, end, found);
  auto work = [&](const BlockRun &run) {
    return sequence.getWork(run.begin, run.end());
  };
  llvm::sort(found, [&](const BlockRun &a, const BlockRun &b) {
    return std::make_tuple(work(b), a.period, a.begin) <
           std::make_tuple(work(a), b.period, b.begin);
  });
  for (const BlockRun &run : found) {
    if (work(run) * leastShare < sequence.workUpTo.back())
      return;
    size_t last = run.begin;
    while (last + run.period < end && tokens[last] == tokens[last + run.period])
      ++last;
    std::optional<BlockRun> blocks = rotate(run, last + run.period);
    if (!blocks)
      continue;
    find(begin, blocks->begin);
    runs.push_back(*blocks);
    find(blocks->end(), end);
    return;
  }
}

SmallVector<BlockRun> hetero::findBlocks(const OpSequence &sequence) {
  BlockFinder finder(sequence);
  finder.find(0, sequence.ops.size());
  return std::move(finder.runs);
}

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

/// The name stack in a location, with the name of the primitive at its end. An
/// operation of a function is where the function is called.
static StringRef getNameStack(Location location) {
  if (auto call = dyn_cast<CallSiteLoc>(location)) {
    StringRef caller = getNameStack(call.getCaller());
    return caller.empty() ? getNameStack(call.getCallee()) : caller;
  }
  if (auto name = dyn_cast<NameLoc>(location)) {
    StringRef text = name.getName();
    return text.starts_with("jit(") && text.contains('/')
               ? text
               : getNameStack(name.getChildLoc());
  }
  if (auto fused = dyn_cast<FusedLoc>(location))
    for (Location part : fused.getLocations())
      if (StringRef text = getNameStack(part); !text.empty())
        return text;
  return "";
}

/// Takes the name out of jvp(name), transpose(jvp(name)) and the like; that of
/// a function is none that the user has given to a part of the model.
static StringRef unwrap(StringRef component) {
  static const llvm::StringSet<> loops = {
      "while",      "body", "cond", "closed_call",         "remat",
      "checkpoint", "scan", "pjit", "rematted_computation"};
  while (component.ends_with(")") && component.contains('(')) {
    auto [wrapper, rest] = component.drop_back().split('(');
    component = wrapper == "jit" || wrapper == "pjit" ? "" : rest;
  }
  return loops.contains(component) ? "" : component;
}

std::string hetero::getScope(Location location) {
  StringRef stack = getNameStack(location);
  std::string scope;
  int depth = 0;
  size_t begin = 0;
  for (auto [at, letter] : llvm::enumerate(stack)) {
    depth += letter == '(' ? 1 : letter == ')' ? -1 : 0;
    if (letter != '/' || depth != 0)
      continue;
    StringRef name = unwrap(stack.slice(begin, at));
    begin = at + 1;
    if (!name.empty())
      scope += (scope.empty() ? "" : "/") + name.str();
  }
  return scope;
}

std::string hetero::getScope(ArrayRef<Operation *> ops) {
  // The work in each scope and in those inside of it; each with a '/' behind.
  std::map<std::string, uint64_t> work;
  uint64_t total = 0;
  for (Operation *op : ops) {
    OpWork cost = getWork(op);
    total += cost.flops + cost.bytes;
    std::string scope = getScope(op->getLoc());
    for (size_t at = 0; at < scope.size(); ++at)
      if (at + 1 == scope.size() || scope[at + 1] == '/')
        work[scope.substr(0, at + 1)] += cost.flops + cost.bytes;
  }
  std::string longest;
  for (auto &[scope, inside] : work)
    if (inside * 3 >= total * 2 && scope.size() > longest.size())
      longest = scope;
  return longest;
}
