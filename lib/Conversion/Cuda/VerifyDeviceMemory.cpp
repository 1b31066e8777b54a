//===- VerifyDeviceMemory.cpp - No use of freed memory --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Follows each block of memory that host code asks for through the code that
// will be compiled. A *block* is the result of one call of hetero_cuda_alloc,
// or an argument of a basic block that stands for whatever blocks come in. Two
// things are known at each place:
//
//   freed   whether a block is live, freed on all ways that lead there, or on
//           some of them
//   holds   which blocks an argument of a basic block may be
//
// They are computed forwards over the basic blocks until nothing changes. A
// call of hetero_cuda_alloc that is reached once more makes a new block of
// memory: an argument that may hold the one before does not hold it.

#include "hetero/Conversion/Cuda/Passes.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include <deque>

using namespace mlir;
using namespace hetero;

namespace hetero {
#define GEN_PASS_DEF_VERIFYDEVICEMEMORYPASS
#include "hetero/Conversion/Cuda/Passes.h.inc"
} // namespace hetero

using Blocks = llvm::SmallSetVector<Value, 2>;

namespace {
enum class Freed { No, Sometimes, Yes };

struct State {
  llvm::MapVector<Value, Freed> freed;
  llvm::MapVector<Value, Blocks> holds;

  /// What is known where two ways meet. Returns whether something changed.
  bool join(const State &other);
};

/// One function.
class MemoryProof {
public:
  explicit MemoryProof(LLVM::LLVMFuncOp function) : function(function) {}

  /// Errors are reported; `unproven` counts uses of memory that is freed on
  /// some of the ways that lead there.
  LogicalResult run(int64_t &unproven);

private:
  const Blocks &getBlocks(Value value);
  void transfer(Operation &op, State &state);
  void free(const Blocks &freed, State &state);
  /// The blocks that an operation needs to be live.
  Blocks getUsed(Operation &op);
  void leave(Block &from, const State &state, std::deque<Block *> &next);
  LogicalResult check(Operation &op, const State &state, int64_t &unproven);

  LLVM::LLVMFuncOp function;
  llvm::DenseMap<Value, Blocks> blocks;
  llvm::DenseMap<Block *, State> entries;
  /// Where a block is freed, for messages.
  llvm::DenseMap<Value, Operation *> frees;
};
} // namespace

bool State::join(const State &other) {
  bool changed = false;
  for (const auto &[block, theirs] : other.freed) {
    auto [known, isNew] = freed.insert({block, theirs});
    Freed joined = isNew || known->second == theirs ? theirs : Freed::Sometimes;
    changed |= isNew || known->second != joined;
    known->second = joined;
  }
  for (const auto &[holder, theirs] : other.holds) {
    Blocks &ours = holds[holder];
    for (Value block : theirs)
      changed |= ours.insert(block);
  }
  return changed;
}

static bool isCall(Operation &op, StringRef name) {
  auto call = dyn_cast<LLVM::CallOp>(op);
  return call && call.getCallee() == name;
}

/// What an address was made of, within the same memory; null if it was not.
static Value getOrigin(Value address) {
  if (auto number = address.getDefiningOp<LLVM::PtrToIntOp>())
    return number.getArg();
  if (auto element = address.getDefiningOp<LLVM::GEPOp>())
    return element.getBase();
  auto member = address.getDefiningOp<LLVM::ExtractValueOp>();
  if (!member)
    return {};
  // A descriptor of a buffer, made member by member.
  Value container = member.getContainer();
  while (auto made = container.getDefiningOp<LLVM::InsertValueOp>()) {
    if (made.getPosition() == member.getPosition())
      return made.getValue();
    container = made.getContainer();
  }
  return {};
}

/// The array on the stack that an address, or its number, is in, or null.
static Value getArray(Value address) {
  while (Value origin = getOrigin(address))
    address = origin;
  return address.getDefiningOp<LLVM::AllocaOp>() ? address : Value();
}

const Blocks &MemoryProof::getBlocks(Value value) {
  auto known = blocks.find(value);
  if (known != blocks.end())
    return known->second;
  Blocks found;
  Operation *op = value.getDefiningOp();
  if (!op) {
    if (!cast<BlockArgument>(value).getOwner()->isEntryBlock())
      found.insert(value);
  } else if (isCall(*op, "hetero_cuda_alloc")) {
    found.insert(value);
  } else if (!isa<LLVM::CallOp, LLVM::LoadOp, LLVM::AllocaOp, LLVM::ICmpOp>(
                 op)) {
    for (Value operand : op->getOperands())
      found.insert_range(getBlocks(operand));
  }
  return blocks[value] = std::move(found);
}

void MemoryProof::free(const Blocks &given, State &state) {
  auto mark = [&](Value block, bool isSure) {
    Freed &now = state.freed[block];
    now = isSure || now == Freed::Yes ? Freed::Yes : Freed::Sometimes;
  };
  for (Value block : given) {
    bool isSure = given.size() == 1;
    mark(block, isSure);
    // The same memory under other names.
    Blocks inside = state.holds.lookup(block);
    for (Value other : inside)
      mark(other, isSure && inside.size() == 1);
    for (const auto &[holder, held] : state.holds)
      if (held.contains(block))
        mark(holder, isSure && held.size() == 1);
  }
}

void MemoryProof::transfer(Operation &op, State &state) {
  if (isCall(op, "hetero_cuda_alloc")) {
    Value made = op.getResult(0);
    state.freed[made] = Freed::No;
    for (auto &[holder, held] : state.holds)
      held.remove(made);
  } else if (isCall(op, "hetero_cuda_free")) {
    const Blocks &given = getBlocks(op.getOperand(0));
    for (Value block : given)
      frees.insert({block, &op});
    free(given, state);
  }
}

Blocks MemoryProof::getUsed(Operation &op) {
  Blocks used;
  bool isUse =
      isa<LLVM::CallOp, LLVM::StoreOp, LLVM::LoadOp, LLVM::MemcpyOp>(op);
  if (!isUse || isCall(op, "hetero_cuda_alloc"))
    return used;
  for (Value operand : op.getOperands()) {
    used.insert_range(getBlocks(operand));
    // Arguments of a launch, and the list of a library's function, are stored
    // in an array right before it.
    if (!isa<LLVM::CallOp>(op) || !getArray(operand))
      continue;
    for (Operation *before = op.getPrevNode();
         before &&
         (!isa<LLVM::CallOp>(before) || isCall(*before, "hetero_cuda_free"));
         before = before->getPrevNode())
      if (auto store = dyn_cast<LLVM::StoreOp>(before))
        if (getArray(store.getAddr()) == getArray(operand))
          used.insert_range(getBlocks(store.getValue()));
  }
  return used;
}

/// Hands what is known to the successors, with what arguments become.
void MemoryProof::leave(Block &from, const State &state,
                        std::deque<Block *> &next) {
  auto branch = dyn_cast<BranchOpInterface>(from.getTerminator());
  for (auto [i, successor] : llvm::enumerate(from.getSuccessors())) {
    State handed = state;
    for (BlockArgument argument : successor->getArguments()) {
      Value given;
      if (branch)
        given = branch.getSuccessorOperands(i)[argument.getArgNumber()];
      Blocks held;
      Freed freed = Freed::No;
      for (Value block : given ? getBlocks(given) : Blocks()) {
        held.insert(block);
        auto inner = state.holds.find(block);
        if (inner != state.holds.end())
          held.insert_range(inner->second);
        auto known = state.freed.find(block);
        if (known != state.freed.end())
          freed = std::max(freed, known->second);
      }
      held.remove(argument);
      handed.holds[argument] = held;
      handed.freed[argument] = freed;
    }
    bool isNew = !entries.count(successor);
    if (entries[successor].join(handed) || isNew)
      next.push_back(successor);
  }
}

LogicalResult MemoryProof::check(Operation &op, const State &state,
                                 int64_t &unproven) {
  for (Value block : getUsed(op)) {
    auto known = state.freed.find(block);
    if (known == state.freed.end() || known->second == Freed::No)
      continue;
    if (known->second == Freed::Sometimes) {
      ++unproven;
      continue;
    }
    InFlightDiagnostic error = op.emitError();
    if (isCall(op, "hetero_cuda_free"))
      error << "frees memory of the device that has been freed already";
    else
      error << "uses memory of the device that has been freed";
    error.attachNote(block.getLoc()) << "it comes from here";
    if (Operation *freed = frees.lookup(block))
      error.attachNote(freed->getLoc()) << "it is freed here";
    return error;
  }
  return success();
}

LogicalResult MemoryProof::run(int64_t &unproven) {
  Block &first = function.getBody().front();
  std::deque<Block *> next = {&first};
  entries[&first];
  while (!next.empty()) {
    Block *block = next.front();
    next.pop_front();
    State state = entries[block];
    for (Operation &op : *block)
      transfer(op, state);
    leave(*block, state, next);
  }
  for (Block &block : function.getBody()) {
    State state = entries[&block];
    for (Operation &op : block) {
      if (failed(check(op, state, unproven)))
        return failure();
      transfer(op, state);
    }
  }
  return success();
}

namespace {
struct VerifyDeviceMemory
    : public hetero::impl::VerifyDeviceMemoryPassBase<VerifyDeviceMemory> {
  void runOnOperation() override {
    int64_t unproven = 0;
    for (auto function : getOperation().getOps<LLVM::LLVMFuncOp>()) {
      if (function.isExternal())
        continue;
      if (failed(MemoryProof(function).run(unproven)))
        return signalPassFailure();
      function.walk([&](Operation *op) {
        numBlocks += isCall(*op, "hetero_cuda_alloc");
      });
    }
    numUnproven += unproven;
    markAllAnalysesPreserved();
  }
};
} // namespace
