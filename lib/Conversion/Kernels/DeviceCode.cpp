//===- DeviceCode.cpp - What runs on a device, and what it needs ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "DeviceCode.h"
#include "hetero/Dialect/Hetero/HeteroKernelOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace hetero;

/// Scalars are copied up to this many operations; beyond, they are passed.
static constexpr unsigned kMaxCopied = 64;

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

Value hetero::getBaseBuffer(Value buffer) {
  while (Operation *op = buffer.getDefiningOp()) {
    auto view = dyn_cast<ViewLikeOpInterface>(op);
    if (!view || isa<memref::ViewOp>(op))
      break;
    buffer = view.getViewSource();
  }
  return buffer;
}

bool hetero::isOwnBuffer(Value base) {
  if (auto argument = dyn_cast<BlockArgument>(base))
    return isa<func::FuncOp>(argument.getOwner()->getParentOp());
  return base.getDefiningOp<memref::AllocOp>() ||
         base.getDefiningOp<memref::ViewOp>() ||
         base.getDefiningOp<memref::GetGlobalOp>();
}

static bool mayOverlap(Value a, Value b) {
  Value first = getBaseBuffer(a), second = getBaseBuffer(b);
  return first == second || !isOwnBuffer(first) || !isOwnBuffer(second);
}

/// The buffers that the operation itself, not one inside of it, may write to or
/// end.
static SmallVector<Value> getChanged(Operation *op) {
  if (auto loop = dyn_cast<linalg::LinalgOp>(op))
    return llvm::to_vector(loop.getDpsInits());
  if (auto copy = dyn_cast<memref::CopyOp>(op))
    return {copy.getTarget()};
  if (auto call = dyn_cast<CallLibraryOp>(op))
    return llvm::to_vector(call.getWrites());
  if (isMemoryEffectFree(op) || isa<memref::AllocOp, memref::LoadOp>(op) ||
      isa<scf::SCFDialect>(op->getDialect()))
    return {};
  return llvm::to_vector(op->getOperands());
}

static bool mayChange(Operation *op, Value buffer) {
  WalkResult result = op->walk([&](Operation *nested) {
    bool changes = llvm::any_of(getChanged(nested), [&](Value operand) {
      return isa<MemRefType>(operand.getType()) && mayOverlap(operand, buffer);
    });
    return changes ? WalkResult::interrupt() : WalkResult::advance();
  });
  return result.wasInterrupted();
}

//===----------------------------------------------------------------------===//
// Slices
//===----------------------------------------------------------------------===//

/// Whether a load may be moved to `user`, because nothing changes what it reads
/// before that. What the user itself changes matters if it runs in parallel.
static bool isSafeToMove(memref::LoadOp load, Operation *user) {
  Operation *ancestor = load->getBlock()->findAncestorOpInBlock(*user);
  if (!ancestor)
    return false;
  Operation *last = ancestor == user && isa<memref::StoreOp>(user)
                        ? user
                        : ancestor->getNextNode();
  for (Operation *op = load->getNextNode(); op != last; op = op->getNextNode())
    if (!op || mayChange(op, load.getMemRef()))
      return false;
  return true;
}

static bool isConstant(Operation *op) {
  return op->hasTrait<OpTrait::ConstantLike>();
}

static bool isScalar(Operation *op) {
  return op->getNumRegions() == 0 && isMemoryEffectFree(op) &&
         llvm::all_of(op->getResultTypes(), [](Type type) {
           return type.isIntOrIndexOrFloat() || isa<ComplexType>(type);
         });
}

namespace {
/// Collects the slice of one operation.
class Slicer {
public:
  Slicer(Operation *root, bool isOnDevice)
      : root(root), isOnDevice(isOnDevice) {}

  CodeSlice take();

private:
  /// Whether the operation is made of loads that can be moved, scalars and
  /// constants, and reads memory: a host would have to wait for it.
  bool readsMemory(Operation *op, bool &isMovable, unsigned depth);
  void visit(Value value);

  Operation *root;
  bool isOnDevice;
  llvm::SetVector<Value> arguments;
  llvm::SetVector<Operation *> copied;
};
} // namespace

bool Slicer::readsMemory(Operation *op, bool &isMovable, unsigned depth) {
  if (!op || isConstant(op))
    return false;
  if (auto load = dyn_cast<memref::LoadOp>(op)) {
    if (!isSafeToMove(load, root))
      isMovable = false;
    return true;
  }
  if (!isScalar(op))
    return false;
  if (depth == 0)
    return isMovable = false;
  bool reads = false;
  for (Value operand : op->getOperands())
    reads |= readsMemory(operand.getDefiningOp(), isMovable, depth - 1);
  return reads;
}

/// Whether a pointer does not say everything about the buffer.
static bool hasLayout(Value value) {
  auto type = dyn_cast<MemRefType>(value.getType());
  return type && !type.getLayout().isIdentity();
}

void Slicer::visit(Value value) {
  Operation *op = value.getDefiningOp();
  bool isView =
      isa_and_nonnull<ViewLikeOpInterface>(op) && !isa<memref::GetGlobalOp>(op);
  bool isPassed =
      !isOnDevice && op && !isConstant(op) && !(isView && hasLayout(value));
  if (!op || isPassed) {
    arguments.insert(value);
    return;
  }
  if (copied.contains(op))
    return;
  bool isMovable = true;
  if (!isConstant(op) && !isView &&
      (!readsMemory(op, isMovable, kMaxCopied) || !isMovable)) {
    arguments.insert(value);
    return;
  }
  for (Value operand : op->getOperands())
    visit(operand);
  copied.insert(op);
}

CodeSlice Slicer::take() {
  llvm::SetVector<Value> values(root->operand_begin(), root->operand_end());
  getUsedValuesDefinedAbove(root->getRegions(), values);
  for (Value value : values)
    visit(value);
  CodeSlice slice;
  slice.arguments = arguments.takeVector();
  slice.copied.assign(copied.begin(), copied.end());
  return slice;
}

CodeSlice hetero::getSlice(Operation *op, bool isOnDevice) {
  return Slicer(op, isOnDevice).take();
}

//===----------------------------------------------------------------------===//
// Where the boundary is
//===----------------------------------------------------------------------===//

/// Whether the operation computes on single elements alone, and something of it
/// is stored.
static bool isElementCode(Operation *op) {
  bool stores = false;
  WalkResult result = op->walk([&](Operation *nested) {
    stores |= isa<memref::StoreOp>(nested);
    bool isControl =
        isa<scf::ForOp, scf::IfOp, scf::WhileOp, scf::IndexSwitchOp,
            scf::ParallelOp, scf::YieldOp, scf::ConditionOp, scf::ReduceOp>(
            nested);
    bool fits = isControl || isa<memref::LoadOp, memref::StoreOp>(nested) ||
                isa<ViewLikeOpInterface>(nested) || isConstant(nested) ||
                isScalar(nested);
    return fits ? WalkResult::advance() : WalkResult::interrupt();
  });
  return stores && !result.wasInterrupted();
}

void hetero::collectCode(Region &region, bool isOnDevice,
                         SmallVectorImpl<Operation *> &code) {
  for (Operation &op : region.getOps()) {
    auto loop = dyn_cast<linalg::LinalgOp>(op);
    if ((loop && loop.hasPureBufferSemantics()) ||
        ((isOnDevice || isa<scf::ForOp>(op)) && op.use_empty() &&
         isElementCode(&op))) {
      code.push_back(&op);
      continue;
    }
    for (Region &nested : op.getRegions())
      collectCode(nested, isOnDevice, code);
  }
}
