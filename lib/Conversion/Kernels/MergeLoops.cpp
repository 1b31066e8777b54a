//===- MergeLoops.cpp - One loop with several results ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "DeviceCode.h"
#include "hetero/Analysis/Summary.h"
#include "hetero/Conversion/Kernels/Passes.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace hetero;
using linalg::GenericOp;

namespace hetero {
#define GEN_PASS_DEF_MERGELOOPSPASS
#include "hetero/Conversion/Kernels/Passes.h.inc"
} // namespace hetero

/// What a loop may grow to: operations of its body, which want registers, and
/// buffers, which want to be fetched ahead.
static constexpr int64_t kMaxBodySize = 96;
static constexpr int64_t kMaxBuffers = 10;

static int64_t getBodySize(GenericOp loop) {
  return llvm::range_size(loop.getBody()->without_terminator());
}

//===----------------------------------------------------------------------===//
// Who touches what
//===----------------------------------------------------------------------===//

namespace {
/// An operation of the block that reads or writes a buffer, perhaps in a region
/// of its own.
struct Access {
  int64_t position;
  bool isWrite;
};

/// When the buffers of a kernel are read and written.
class Accesses {
public:
  explicit Accesses(Block &block);

  /// Whether all that happens to the operands of the loop is known.
  bool isKnown(GenericOp loop) const;

  /// Whether the loop may be moved down to right before `position`.
  bool canSink(GenericOp loop, int64_t position) const;

  /// Whether temporaries fit in the memory that they need anyway if the loop is
  /// moved down, and those that it reads are kept for it.
  bool hasRoom(GenericOp loop, int64_t position) const;

  int64_t getPosition(Operation *op) const { return positions.lookup(op); }
  ArrayRef<Access> get(Value base) const {
    auto found = accesses.find(base);
    return found == accesses.end() ? ArrayRef<Access>() : found->second;
  }
  /// The loop at `position` has become part of the one at `target`.
  void move(GenericOp loop, int64_t position, int64_t target);
  void set(Operation *op, int64_t position) { positions[op] = position; }

private:
  void add(Operation *op, int64_t position);

  /// Calls `visit` with the first position at which a temporary that the loop
  /// reads is not in use any more, and its size.
  void visitKept(GenericOp loop,
                 llvm::function_ref<void(int64_t, int64_t)> visit) const;

  llvm::DenseMap<Operation *, int64_t> positions;
  llvm::DenseMap<Value, SmallVector<Access, 4>> accesses;
  /// Those whose address is taken, or that are handed on.
  llvm::DenseSet<Value> unknown;
  /// The bytes of temporaries that are in use at each position, and the most.
  std::vector<int64_t> used;
  int64_t mostUsed = 0;
};
} // namespace

/// A temporary lasts from its allocation to the last access.
static int64_t getLast(ArrayRef<Access> accesses) {
  int64_t last = 0;
  for (const Access &access : accesses)
    last = std::max(last, access.position);
  return last;
}

Accesses::Accesses(Block &block) {
  for (Operation &op : block) {
    int64_t position = positions.size();
    positions[&op] = position;
    op.walk([&](Operation *nested) { add(nested, position); });
  }
  used.resize(positions.size());
  for (auto alloc : block.getOps<memref::AllocOp>()) {
    int64_t first = getPosition(alloc);
    int64_t last = std::max(first, getLast(get(alloc.getResult())));
    int64_t size = getNumBytes(alloc.getType());
    used[first] += size;
    if (last + 1 < int64_t(used.size()))
      used[last + 1] -= size;
  }
  for (size_t i = 1; i < used.size(); ++i)
    used[i] += used[i - 1];
  mostUsed = used.empty() ? 0 : *llvm::max_element(used);
}

void Accesses::visitKept(
    GenericOp loop, llvm::function_ref<void(int64_t, int64_t)> visit) const {
  llvm::SmallDenseSet<Value> seen;
  for (OpOperand *input : loop.getDpsInputOperands()) {
    Value base = getBaseBuffer(input->get());
    if (!base.getDefiningOp<memref::AllocOp>() || !seen.insert(base).second)
      continue;
    visit(getLast(get(base)) + 1, getNumBytes(base.getType()));
  }
}

bool Accesses::hasRoom(GenericOp loop, int64_t position) const {
  SmallVector<std::pair<int64_t, int64_t>> kept;
  int64_t begin = position + 1;
  visitKept(loop, [&](int64_t first, int64_t size) {
    kept.push_back({first, size});
    begin = std::min(begin, first);
  });
  for (int64_t i = begin; i <= position; ++i) {
    int64_t sum = used[i];
    for (auto [first, size] : kept)
      sum += i < first ? 0 : size;
    if (sum > mostUsed)
      return false;
  }
  return true;
}

void Accesses::add(Operation *op, int64_t position) {
  bool touches = llvm::any_of(op->getOperandTypes(),
                              [](Type type) { return isa<MemRefType>(type); });
  if (!touches || isa<ViewLikeOpInterface>(op))
    return;
  bool isPlain = isa<linalg::LinalgOp, memref::LoadOp, memref::CopyOp,
                     memref::StoreOp, memref::DeallocOp>(op);
  auto loop = dyn_cast<linalg::LinalgOp>(op);
  auto copy = dyn_cast<memref::CopyOp>(op);
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isa<MemRefType>(operand.get().getType()))
      continue;
    Value base = getBaseBuffer(operand.get());
    if (!isPlain || !isOwnBuffer(base))
      unknown.insert(base);
    bool isRead = isa<memref::LoadOp>(op) ||
                  (loop && loop.isDpsInput(&operand)) ||
                  (copy && operand.get() == copy.getSource());
    accesses[base].push_back({position, !isRead});
  }
}

bool Accesses::isKnown(GenericOp loop) const {
  return llvm::none_of(loop->getOperands(), [&](Value operand) {
    return isa<MemRefType>(operand.getType()) &&
           unknown.contains(getBaseBuffer(operand));
  });
}

bool Accesses::canSink(GenericOp loop, int64_t position) const {
  int64_t own = getPosition(loop);
  return llvm::none_of(loop->getOpOperands(), [&](OpOperand &operand) {
    if (!isa<MemRefType>(operand.get().getType()))
      return false;
    bool isWritten = loop.isDpsInit(&operand);
    return llvm::any_of(
        get(getBaseBuffer(operand.get())), [&](const Access &access) {
          return own < access.position && access.position < position &&
                 (isWritten || access.isWrite);
        });
  });
}

void Accesses::move(GenericOp loop, int64_t position, int64_t target) {
  visitKept(loop, [&](int64_t first, int64_t size) {
    for (int64_t i = first; i <= target; ++i)
      used[i] += size;
  });
  for (Value operand : loop->getOperands())
    if (isa<MemRefType>(operand.getType()))
      for (Access &access : accesses[getBaseBuffer(operand)])
        if (access.position == position)
          access.position = target;
}

//===----------------------------------------------------------------------===//
// Which loops become one
//===----------------------------------------------------------------------===//

namespace {
/// A loop that may be merged: what is asked of it again and again.
struct Loop {
  GenericOp op;
  /// The sizes of the dimensions.
  SmallVector<int64_t> ranges;
  /// What each operand is a view of; null for scalars.
  SmallVector<Value> bases;
};
} // namespace

/// By the permutation that the first result has.
static SmallVector<int64_t> getRanges(GenericOp loop) {
  OpOperand &output = loop.getDpsInitsMutable()[0];
  auto shape = cast<MemRefType>(output.get().getType()).getShape();
  AffineMap map = loop.getMatchingIndexingMap(&output);
  SmallVector<int64_t> ranges(map.getNumDims());
  for (unsigned i = 0; i < ranges.size(); ++i)
    ranges[map.getDimPosition(i)] = shape[i];
  return ranges;
}

/// Whether each iteration computes elements of its own from operands alone.
static bool isCandidate(GenericOp loop) {
  // Contractions are marked, and go to the library.
  if (!loop->getDiscardableAttrs().empty() || !loop.hasPureBufferSemantics() ||
      loop.getNumParallelLoops() != loop.getNumLoops() ||
      loop.getNumDpsInits() == 0)
    return false;
  bool isOwn = llvm::all_of(loop.getDpsInitsMutable(), [&](OpOperand &output) {
    return cast<MemRefType>(output.get().getType()).hasStaticShape() &&
           loop.getMatchingIndexingMap(&output).isPermutation();
  });
  if (!isOwn)
    return false;
  WalkResult others = loop.getBody()->walk([](Operation *op) {
    bool touches = llvm::any_of(
        op->getOperandTypes(), [](Type type) { return isa<MemRefType>(type); });
    return touches || op->getNumRegions() != 0 ? WalkResult::interrupt()
                                               : WalkResult::advance();
  });
  return !others.wasInterrupted();
}

static Loop describe(GenericOp op) {
  Loop loop = {op, getRanges(op), {}};
  for (Value operand : op->getOperands())
    loop.bases.push_back(
        isa<MemRefType>(operand.getType()) ? getBaseBuffer(operand) : Value());
  return loop;
}

/// Whether what one of the loops writes is touched by the other one at the same
/// element alone, or not at all. Adds the bytes that both touch.
static bool areCompatible(const Loop &first, const Loop &second,
                          int64_t &shared) {
  GenericOp one = first.op, other = second.op;
  for (auto [i, base] : llvm::enumerate(first.bases))
    for (auto [j, same] : llvm::enumerate(second.bases)) {
      if (!base || base != same)
        continue;
      OpOperand &a = one->getOpOperand(i), &b = other->getOpOperand(j);
      bool writesA = one.isDpsInit(&a), writesB = other.isDpsInit(&b);
      bool isSame = a.get() == b.get() && one.getMatchingIndexingMap(&a) ==
                                              other.getMatchingIndexingMap(&b);
      if ((writesA && writesB) || ((writesA || writesB) && !isSame))
        return false;
      if (isSame)
        shared += getNumBytes(a.get().getType());
    }
  return true;
}

/// Whether one loop is better than the two: a quarter of what the smaller one
/// moves is moved once instead of twice.
static bool pays(GenericOp first, GenericOp second, int64_t shared) {
  auto getTraffic = [](GenericOp loop) {
    int64_t bytes = 0;
    for (Type type : loop->getOperandTypes())
      if (isa<MemRefType>(type))
        bytes += getNumBytes(type);
    return bytes;
  };
  llvm::SmallDenseSet<Value> buffers;
  for (GenericOp loop : {first, second})
    for (Value operand : loop->getOperands())
      if (auto type = dyn_cast<MemRefType>(operand.getType());
          type && type.getNumElements() > 1)
        buffers.insert(operand);
  return 4 * shared >= std::min(getTraffic(first), getTraffic(second)) &&
         int64_t(buffers.size()) <= kMaxBuffers &&
         getBodySize(first) + getBodySize(second) <= kMaxBodySize;
}

//===----------------------------------------------------------------------===//
// Merging
//===----------------------------------------------------------------------===//

namespace {
/// The operands of a loop that is being made, each with its map, once.
struct Operands {
  SmallVector<Value> values;
  SmallVector<AffineMap> maps;

  unsigned add(Value value, AffineMap map) {
    for (auto [i, known] : llvm::enumerate(values))
      if (known == value && maps[i] == map)
        return i;
    values.push_back(value);
    maps.push_back(map);
    return values.size() - 1;
  }
};
} // namespace

/// A loop in the place of `second` that does what both do. What the second one
/// reads of what the first one writes does not go through memory.
static GenericOp merge(GenericOp first, GenericOp second) {
  OpBuilder builder(second);
  Operands inputs, outputs;
  for (GenericOp loop : {first, second})
    for (OpOperand &output : loop.getDpsInitsMutable())
      outputs.add(output.get(), loop.getMatchingIndexingMap(&output));
  for (GenericOp loop : {first, second})
    for (OpOperand *input : loop.getDpsInputOperands())
      if (loop == first ||
          !llvm::is_contained(first.getDpsInits(), input->get()))
        inputs.add(input->get(), loop.getMatchingIndexingMap(input));
  SmallVector<AffineMap> maps = inputs.maps;
  llvm::append_range(maps, outputs.maps);
  auto build = [&](OpBuilder &b, Location loc, ValueRange arguments) {
    SmallVector<Value> yielded;
    for (GenericOp loop : {first, second}) {
      IRMapping mapping;
      for (OpOperand &operand : loop->getOpOperands()) {
        AffineMap map = loop.getMatchingIndexingMap(&operand);
        Value argument = loop.getMatchingBlockArgument(&operand);
        auto made = llvm::find(first.getDpsInits(), operand.get());
        if (loop == second && made != first.getDpsInits().end())
          mapping.map(argument, yielded[made.getIndex()]);
        else if (loop.isDpsInput(&operand))
          mapping.map(argument, arguments[inputs.add(operand.get(), map)]);
        else
          mapping.map(argument, arguments[inputs.values.size() +
                                          outputs.add(operand.get(), map)]);
      }
      for (Operation &op : loop.getBody()->without_terminator())
        b.clone(op, mapping);
      for (Value value : loop.getBody()->getTerminator()->getOperands())
        yielded.push_back(mapping.lookupOrDefault(value));
    }
    linalg::YieldOp::create(b, loc, yielded);
  };
  return GenericOp::create(
      builder, builder.getFusedLoc({second.getLoc(), first.getLoc()}),
      inputs.values, outputs.values, maps, second.getIteratorTypesArray(),
      build);
}

namespace {
struct MergeLoops : public hetero::impl::MergeLoopsPassBase<MergeLoops> {
  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (function.isExternal() || !function.getBody().hasOneBlock())
      return;
    Block &block = function.getBody().front();
    Accesses accesses(block);
    /// The candidates by position.
    llvm::DenseMap<int64_t, Loop> loops;
    for (GenericOp op : llvm::make_early_inc_range(block.getOps<GenericOp>())) {
      if (!isCandidate(op) || !accesses.isKnown(op))
        continue;
      int64_t position = accesses.getPosition(op);
      Loop loop = describe(op);
      while (GenericOp earlier = findEarlier(loop, accesses, loops)) {
        GenericOp merged = merge(earlier, loop.op);
        int64_t from = accesses.getPosition(earlier);
        accesses.move(earlier, from, position);
        accesses.set(merged, position);
        loops.erase(from);
        earlier.erase();
        loop.op.erase();
        loop = describe(merged);
        ++numMerged;
      }
      loops[position] = std::move(loop);
    }
  }

  /// The last loop before this one that it can be merged with.
  static GenericOp findEarlier(const Loop &loop, const Accesses &accesses,
                               const llvm::DenseMap<int64_t, Loop> &loops) {
    GenericOp op = loop.op;
    int64_t position = accesses.getPosition(op);
    uint64_t size = getNumBytes(op.getDpsInits()[0].getType());
    SmallVector<int64_t> others;
    for (auto [operand, base] : llvm::zip_equal(op->getOperands(), loop.bases))
      // Scalars and rows are not what loops are merged for.
      if (base && 8 * getNumBytes(operand.getType()) > size)
        for (const Access &access : accesses.get(base))
          if (access.position < position)
            others.push_back(access.position);
    llvm::sort(others, std::greater<>());
    others.erase(llvm::unique(others), others.end());
    for (int64_t other : others) {
      auto found = loops.find(other);
      if (found == loops.end() || found->second.ranges != loop.ranges)
        continue;
      int64_t shared = 0;
      GenericOp earlier = found->second.op;
      if (areCompatible(found->second, loop, shared) &&
          pays(earlier, op, shared) && accesses.canSink(earlier, position) &&
          accesses.hasRoom(earlier, position))
        return earlier;
    }
    return {};
  }
};
} // namespace
