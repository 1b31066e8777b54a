//===- PlanMemory.cpp - Temporaries in one block --------------------------===//
//
// Part of the hetero project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "hetero/Conversion/Kernels/Passes.h"
#include "hetero/Conversion/Programs/RuntimePrograms.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace hetero;

namespace hetero {
#define GEN_PASS_DEF_PLANMEMORYPASS
#include "hetero/Conversion/Kernels/Passes.h.inc"
} // namespace hetero

/// Of every temporary; that of the workspace.
static constexpr int64_t kAlignment = 64;

namespace {
/// When an argument of a kernel is read or written.
struct Usage {
  int64_t first = INT64_MAX, last = -1;
  /// Not, if its address is taken, or it is handed on.
  bool isKnown = true;
};

/// A temporary, with the operations of the block between which it is in use.
struct Temporary {
  memref::AllocOp alloc;
  SmallVector<Operation *> frees;
  int64_t size = 0, first = 0, last = 0, offset = 0;
};

/// Finds the temporaries of a block and when they are in use.
class Lifetimes {
public:
  explicit Lifetimes(Block &block) : block(block) {
    for (Operation &op : block)
      positions[&op] = positions.size();
  }

  /// Nothing if the memory cannot be planned.
  std::optional<Temporary> find(memref::AllocOp alloc);

  Usage getUsage(BlockArgument argument);
  Operation *getOperation(int64_t position) {
    return &*std::next(block.begin(), position);
  }

private:
  int64_t getPosition(Operation *op) {
    return positions.lookup(block.findAncestorOpInBlock(*op));
  }
  /// Notes what the use means, and adds values that are parts of the buffer.
  bool addUse(OpOperand &use, Temporary &temporary,
              SmallVectorImpl<Value> &aliases);

  Block &block;
  llvm::DenseMap<Operation *, int64_t> positions;
};
} // namespace

static std::optional<int64_t> getNumBytes(MemRefType type) {
  if (!type.hasStaticShape() || !type.getLayout().isIdentity())
    return std::nullopt;
  Type element = type.getElementType();
  int64_t count = type.getNumElements();
  if (auto complex = dyn_cast<ComplexType>(element)) {
    element = complex.getElementType();
    count *= 2;
  }
  if (element.isIndex())
    return 8 * count;
  if (!element.isIntOrFloat())
    return std::nullopt;
  return llvm::divideCeil(element.getIntOrFloatBitWidth(), 8) * count;
}

bool Lifetimes::addUse(OpOperand &use, Temporary &temporary,
                       SmallVectorImpl<Value> &aliases) {
  Operation *op = use.getOwner();
  if (isa<memref::DeallocOp>(op)) {
    temporary.frees.push_back(op);
    return op->getBlock() == &block;
  }
  temporary.last = std::max(temporary.last, getPosition(op));
  if (isa<memref::LoadOp, memref::CopyOp>(op))
    return true;
  if (auto store = dyn_cast<memref::StoreOp>(op))
    return store.getMemRef() == use.get();
  if (auto loop = dyn_cast<linalg::LinalgOp>(op))
    return loop.hasPureBufferSemantics();
  // Nobody knows what becomes of the address.
  if (isa<memref::ExtractAlignedPointerAsIndexOp>(op)) {
    temporary.last = positions.lookup(block.getTerminator());
    return true;
  }
  if (!isa<ViewLikeOpInterface>(op))
    return false;
  llvm::append_range(aliases, op->getResults());
  return true;
}

std::optional<Temporary> Lifetimes::find(memref::AllocOp alloc) {
  std::optional<int64_t> size = getNumBytes(alloc.getType());
  if (!size)
    return std::nullopt;
  Temporary temporary;
  temporary.alloc = alloc;
  temporary.size = llvm::alignTo(std::max<int64_t>(*size, 1), kAlignment);
  temporary.first = temporary.last = positions.lookup(alloc);
  SmallVector<Value> aliases = {alloc.getResult()};
  while (!aliases.empty())
    for (OpOperand &use : aliases.pop_back_val().getUses())
      if (!addUse(use, temporary, aliases))
        return std::nullopt;
  return temporary;
}

Usage Lifetimes::getUsage(BlockArgument argument) {
  Usage usage;
  SmallVector<Value> aliases = {argument};
  while (!aliases.empty())
    for (OpOperand &use : aliases.pop_back_val().getUses()) {
      Temporary temporary;
      bool isPlain =
          addUse(use, temporary, aliases) && temporary.frees.empty() &&
          !isa<memref::ExtractAlignedPointerAsIndexOp>(use.getOwner());
      usage.isKnown &= isPlain;
      usage.first = std::min(usage.first, temporary.last);
      usage.last = std::max(usage.last, temporary.last);
    }
  return usage;
}

//===----------------------------------------------------------------------===//
// Results in the memory of operands
//===----------------------------------------------------------------------===//

/// Whether the operation reads each element of `operand` where it writes the
/// element of `result`, and touches neither in another way.
static bool isElementwise(Operation *op, BlockArgument operand,
                          BlockArgument result) {
  auto loop = dyn_cast<linalg::GenericOp>(op);
  if (!loop || loop.getNumParallelLoops() != loop.getNumLoops())
    return false;
  AffineMap map;
  for (OpOperand &output : loop.getDpsInitsMutable())
    if (output.get() == result)
      map = loop.getMatchingIndexingMap(&output);
  if (!map || !map.isPermutation())
    return false;
  // All uses at this place are operands of the loop itself.
  for (BlockArgument argument : {operand, result})
    for (OpOperand &use : argument.getUses()) {
      if (!op->isAncestor(use.getOwner()))
        continue;
      if (use.getOwner() != op || loop.getMatchingIndexingMap(&use) != map)
        return false;
    }
  // Nor are there views of them in it.
  auto isView = [&](Value value) {
    Operation *view = value.getDefiningOp();
    while (isa_and_nonnull<ViewLikeOpInterface>(view)) {
      value = view->getOperand(0);
      view = value.getDefiningOp();
    }
    return value == operand || value == result;
  };
  WalkResult views = op->walk([&](Operation *nested) {
    for (Value value : nested->getOperands())
      if (value != operand && value != result && isView(value))
        return WalkResult::interrupt();
    return WalkResult::advance();
  });
  return !views.wasInterrupted();
}

/// Lets results be computed in the memory of operands that are not used
/// afterwards, where they are of the same type: those first that are computed
/// from each other element by element. Returns the pairs of numbers.
static SmallVector<int64_t> reuseOperands(func::FuncOp function,
                                          Lifetimes &lifetimes) {
  SmallVector<BlockArgument> operands, results;
  unsigned numOperands = 0;
  for (BlockArgument argument : function.getArguments()) {
    unsigned i = argument.getArgNumber();
    bool isResult = bool(function.getArgAttr(i, kResultAttr));
    numOperands += !isResult;
    if (isResult)
      results.push_back(argument);
    else if (function.getArgAttr(i, kLastUseAttr))
      operands.push_back(argument);
    function.removeArgAttr(i, kResultAttr);
    function.removeArgAttr(i, kLastUseAttr);
  }
  llvm::DenseMap<BlockArgument, Usage> usages;
  for (BlockArgument argument : llvm::concat<BlockArgument>(operands, results))
    usages[argument] = lifetimes.getUsage(argument);
  SmallVector<int64_t> pairs;
  llvm::DenseSet<BlockArgument> taken;
  for (bool elementwise : {true, false})
    for (BlockArgument result : results) {
      const Usage &written = usages[result];
      if (taken.contains(result) || !written.isKnown || written.last < 0)
        continue;
      auto fits = [&](BlockArgument operand) {
        const Usage &read = usages[operand];
        if (taken.contains(operand) || !read.isKnown ||
            operand.getType() != result.getType())
          return false;
        if (!elementwise)
          return read.last < written.first;
        return read.last == written.first &&
               isElementwise(lifetimes.getOperation(read.last), operand,
                             result);
      };
      auto *operand = llvm::find_if(operands, fits);
      if (operand == operands.end())
        continue;
      taken.insert(result);
      taken.insert(*operand);
      pairs.append({int64_t(operand->getArgNumber()),
                    int64_t(result.getArgNumber() - numOperands)});
      usages[*operand].last = written.last;
      result.replaceAllUsesWith(*operand);
    }
  return pairs;
}

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

/// Gives each temporary the lowest place that no other one has at the same
/// time, the largest first. Returns the size of the block.
static int64_t assignOffsets(MutableArrayRef<Temporary> temporaries) {
  SmallVector<Temporary *> order;
  for (Temporary &temporary : temporaries)
    order.push_back(&temporary);
  llvm::stable_sort(
      order, [](Temporary *a, Temporary *b) { return a->size > b->size; });
  // By offset.
  SmallVector<Temporary *> placed;
  int64_t total = 0;
  for (Temporary *temporary : order) {
    int64_t offset = 0;
    for (Temporary *other : placed) {
      if (other->last < temporary->first || temporary->last < other->first)
        continue;
      if (other->offset >= offset + temporary->size)
        break;
      offset = std::max(offset, other->offset + other->size);
    }
    temporary->offset = offset;
    total = std::max(total, offset + temporary->size);
    placed.insert(llvm::upper_bound(placed, temporary,
                                    [](Temporary *a, Temporary *b) {
                                      return a->offset < b->offset;
                                    }),
                  temporary);
  }
  return total;
}

namespace {
struct PlanMemory : public hetero::impl::PlanMemoryPassBase<PlanMemory> {
  using PlanMemoryPassBase::PlanMemoryPassBase;
  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (function.isExternal() || !function.getBody().hasOneBlock())
      return;
    Block &block = function.getBody().front();
    Lifetimes lifetimes(block);
    SmallVector<int64_t> pairs = reuseOperands(function, lifetimes);
    if (!pairs.empty())
      function->setAttr(kInPlaceAttr,
                        DenseI64ArrayAttr::get(&getContext(), pairs));
    numInPlace += pairs.size() / 2;
    if (temporaries)
      planTemporaries(block, lifetimes);
  }

  /// Puts the temporaries of the block in one.
  void planTemporaries(Block &block, Lifetimes &lifetimes) {
    SmallVector<Temporary> temporaries;
    for (auto alloc : block.getOps<memref::AllocOp>())
      if (std::optional<Temporary> temporary = lifetimes.find(alloc))
        temporaries.push_back(std::move(*temporary));
    if (temporaries.empty())
      return;
    bool isFreed = llvm::any_of(temporaries, [](const Temporary &temporary) {
      return !temporary.frees.empty();
    });
    int64_t total = assignOffsets(temporaries);
    OpBuilder builder = OpBuilder::atBlockBegin(&block);
    auto type = MemRefType::get({total}, builder.getI8Type());
    Value memory =
        memref::AllocOp::create(builder, getOperation().getLoc(), type);
    for (Temporary &temporary : temporaries) {
      builder.setInsertionPoint(temporary.alloc);
      Location loc = temporary.alloc.getLoc();
      Value offset =
          arith::ConstantIndexOp::create(builder, loc, temporary.offset);
      Value view =
          memref::ViewOp::create(builder, loc, temporary.alloc.getType(),
                                 memory, offset, ValueRange());
      for (Operation *free : temporary.frees)
        free->erase();
      temporary.alloc.getResult().replaceAllUsesWith(view);
      temporary.alloc.erase();
      numBytesUnshared += temporary.size;
    }
    if (isFreed) {
      builder.setInsertionPoint(block.getTerminator());
      memref::DeallocOp::create(builder, getOperation().getLoc(), memory);
    }
    numTemporaries += temporaries.size();
    numBytes += total;
  }
};
} // namespace
