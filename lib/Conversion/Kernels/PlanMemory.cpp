//===- PlanMemory.cpp - Temporaries in one block --------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Analysis/KernelMemory.h"
#include "hetero/Conversion/Kernels/Passes.h"
#include "hetero/Conversion/Programs/RuntimePrograms.h"
#include "hetero/Dialect/Hetero/HeteroKernelOps.h"
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

namespace {
/// When an argument of a kernel is read or written.
struct Usage {
  int64_t first = INT64_MAX, last = -1;
  /// Not, if it is handed on.
  bool isKnown = true;
};

/// A temporary, with the operations of the block between which it is in use.
struct Temporary : PlacedBlock {
  memref::AllocOp alloc;
  SmallVector<Operation *> frees;
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
  if (isa<memref::LoadOp, memref::CopyOp, CallLibraryOp>(op))
    return true;
  if (auto store = dyn_cast<memref::StoreOp>(op))
    return store.getMemRef() == use.get();
  if (auto loop = dyn_cast<linalg::LinalgOp>(op))
    return loop.hasPureBufferSemantics();
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
  temporary.size =
      llvm::alignTo(std::max<int64_t>(*size, 1), temporaryAlignment);
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
      usage.isKnown &=
          addUse(use, temporary, aliases) && temporary.frees.empty();
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

/// Whether the result can be computed in the memory of the operand: all is read
/// before anything is written, or element by element at one place.
static bool canReuse(BlockArgument operand, BlockArgument result,
                     Lifetimes &lifetimes) {
  Usage read = lifetimes.getUsage(operand);
  Usage written = lifetimes.getUsage(result);
  if (!read.isKnown || !written.isKnown || written.last < 0 ||
      operand.getType() != result.getType())
    return false;
  return read.last < written.first ||
         (read.last == written.first &&
          isElementwise(lifetimes.getOperation(read.last), operand, result));
}

/// Lets results be computed in the memory of operands, as was decided. Returns
/// the pairs of numbers that it could do so for.
static SmallVector<int64_t> reuseOperands(func::FuncOp function,
                                          ArrayRef<int64_t> decided,
                                          Lifetimes &lifetimes) {
  unsigned numOperands = 0;
  for (unsigned i = 0; i < function.getNumArguments(); ++i) {
    numOperands += !function.getArgAttr(i, kResultAttr);
    function.removeArgAttr(i, kResultAttr);
  }
  SmallVector<int64_t> pairs;
  for (size_t i = 0; i + 1 < decided.size(); i += 2) {
    int64_t number = numOperands + decided[i + 1];
    if (decided[i] < 0 || decided[i] >= numOperands || decided[i + 1] < 0 ||
        number >= function.getNumArguments())
      continue;
    BlockArgument operand = function.getArgument(decided[i]);
    BlockArgument result = function.getArgument(number);
    if (!canReuse(operand, result, lifetimes))
      continue;
    pairs.append({decided[i], decided[i + 1]});
    result.replaceAllUsesWith(operand);
  }
  return pairs;
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
    if (results)
      planResults(function, lifetimes);
    if (temporaries)
      planTemporaries(block, lifetimes);
  }

  /// Does what `hetero.in_place` says, which then says what was done.
  void planResults(func::FuncOp function, Lifetimes &lifetimes) {
    auto decided = function->getAttrOfType<DenseI64ArrayAttr>(kInPlaceAttr);
    if (!decided)
      return;
    SmallVector<int64_t> pairs =
        reuseOperands(function, decided.asArrayRef(), lifetimes);
    numInPlace += pairs.size() / 2;
    numRefused += (decided.size() - pairs.size()) / 2;
    if (pairs.empty())
      function->removeAttr(kInPlaceAttr);
    else
      function->setAttr(kInPlaceAttr,
                        DenseI64ArrayAttr::get(&getContext(), pairs));
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
    SmallVector<PlacedBlock> blocks(temporaries.begin(), temporaries.end());
    int64_t total = placeBlocks(blocks);
    OpBuilder builder = OpBuilder::atBlockBegin(&block);
    auto type = MemRefType::get({total}, builder.getI8Type());
    Value memory =
        memref::AllocOp::create(builder, getOperation().getLoc(), type);
    for (auto [temporary, block] : llvm::zip_equal(temporaries, blocks)) {
      builder.setInsertionPoint(temporary.alloc);
      Location loc = temporary.alloc.getLoc();
      Value offset = arith::ConstantIndexOp::create(builder, loc, block.offset);
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
