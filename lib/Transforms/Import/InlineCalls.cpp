//===- InlineCalls.cpp - Makes the step one function ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Analysis/Step.h"
#include "hetero/Dialect/Stablehlo.h"
#include "hetero/Transforms/Import/Passes.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/MathExtras.h"

namespace hetero {
#define GEN_PASS_DEF_INLINECALLSPASS
#include "hetero/Transforms/Import/Passes.h.inc"
} // namespace hetero

using namespace mlir;
using namespace hetero;

/// The function that an op stands for, null if it is no call.
static FlatSymbolRefAttr getCallee(Operation *op) {
  if (auto call = dyn_cast<func::CallOp>(op))
    return call.getCalleeAttr();
  if (auto composite = dyn_cast<stablehlo::CompositeOp>(op))
    return composite.getDecompositionAttr();
  return {};
}

namespace {
/// A function with its calls, and the size it will have without them.
struct Node {
  func::FuncOp function;
  SmallVector<Operation *> calls;
  uint64_t flatSize = 0;
};

struct InlineCallsPass
    : public hetero::impl::InlineCallsPassBase<InlineCallsPass> {
  using InlineCallsPassBase::InlineCallsPassBase;
  void runOnOperation() override;

private:
  FailureOr<func::FuncOp> resolve(Operation *call);
  LogicalResult orderBottomUp(func::FuncOp entry);
  LogicalResult computeSizes();
  void inlineInto(Node &node);
  void inlineCall(Operation *call, func::FuncOp callee, bool isLast);
  void eraseUnused(func::FuncOp entry);

  SymbolTable *symbols = nullptr;
  llvm::MapVector<Operation *, Node> nodes; // Callees before their callers.
  DenseMap<Operation *, unsigned> numUses;
};
} // namespace

FailureOr<func::FuncOp> InlineCallsPass::resolve(Operation *call) {
  FlatSymbolRefAttr name = getCallee(call);
  auto callee = symbols->lookup<func::FuncOp>(name.getValue());
  if (!callee)
    return call->emitOpError() << "calls " << name << ", which does not exist";
  if (callee.isExternal() || !callee.getBody().hasOneBlock())
    return (call->emitOpError()
            << "calls " << name << ", which has "
            << (callee.isExternal() ? "no body" : "several blocks"))
               .attachNote(callee.getLoc())
           << "declared here";
  return callee;
}

/// Depth-first over the calls with a stack of our own: chains of calls can be
/// longer than the thread's stack is deep.
LogicalResult InlineCallsPass::orderBottomUp(func::FuncOp entry) {
  struct Frame {
    Node node;
    size_t next = 0;
  };
  SmallVector<Frame> stack;
  llvm::SetVector<Operation *> active;
  auto enter = [&](func::FuncOp function) {
    Frame frame;
    frame.node.function = function;
    function.getBody().walk([&](Operation *op) {
      ++frame.node.flatSize;
      if (getCallee(op))
        frame.node.calls.push_back(op);
    });
    active.insert(function);
    stack.push_back(std::move(frame));
  };
  auto reportCycle = [&](Operation *call, func::FuncOp callee) {
    InFlightDiagnostic diag = call->emitOpError("is recursive: ");
    bool inCycle = false;
    for (Operation *function : active) {
      inCycle |= function == callee;
      if (inCycle)
        diag << "@" << cast<func::FuncOp>(function).getName() << " -> ";
    }
    diag << "@" << callee.getName();
    return failure();
  };

  enter(entry);
  while (!stack.empty()) {
    Frame &frame = stack.back();
    if (frame.next == frame.node.calls.size()) {
      active.remove(frame.node.function);
      Operation *function = frame.node.function;
      nodes.insert({function, std::move(frame.node)});
      stack.pop_back();
      continue;
    }
    Operation *call = frame.node.calls[frame.next++];
    FailureOr<func::FuncOp> callee = resolve(call);
    if (failed(callee))
      return failure();
    if (active.contains(*callee))
      return reportCycle(call, *callee);
    ++numUses[*callee];
    if (!nodes.count(*callee))
      enter(*callee);
  }
  return success();
}

LogicalResult InlineCallsPass::computeSizes() {
  for (auto &[function, node] : nodes) {
    for (Operation *call : node.calls)
      node.flatSize = llvm::SaturatingAdd(
          node.flatSize, nodes.find(*resolve(call))->second.flatSize);
    if (node.flatSize > maxOps)
      return function->emitError()
             << "would grow to " << node.flatSize
             << " operations when its calls are inlined; max-ops allows "
             << maxOps.getValue();
  }
  return success();
}

/// Replaces one call by the callee's body, which is moved when this is the
/// last use of a private function.
void InlineCallsPass::inlineCall(Operation *call, func::FuncOp callee,
                                 bool isLast) {
  Block &body = callee.front();
  Operation *terminator = body.getTerminator();
  SmallVector<Value> results;
  auto relocate = [&](Operation *op) {
    op->walk([&](Operation *inner) {
      inner->setLoc(CallSiteLoc::get(inner->getLoc(), call->getLoc()));
    });
  };
  if (isLast) {
    for (auto [argument, operand] :
         llvm::zip(body.getArguments(), call->getOperands()))
      argument.replaceAllUsesWith(operand);
    llvm::append_range(results, terminator->getOperands());
    for (Operation &op : body.without_terminator())
      relocate(&op);
    call->getBlock()->getOperations().splice(call->getIterator(),
                                             body.getOperations(), body.begin(),
                                             terminator->getIterator());
    terminator->dropAllReferences();
  } else {
    IRMapping mapping;
    mapping.map(body.getArguments(), call->getOperands());
    OpBuilder builder(call);
    for (Operation &op : body.without_terminator())
      relocate(builder.clone(op, mapping));
    for (Value value : terminator->getOperands())
      results.push_back(mapping.lookupOrDefault(value));
  }
  call->replaceAllUsesWith(results);
  call->erase();
  ++numCalls;
}

void InlineCallsPass::inlineInto(Node &node) {
  for (Operation *call : node.calls) {
    func::FuncOp callee = *resolve(call);
    bool isLast = --numUses[callee] == 0 && callee.isPrivate();
    inlineCall(call, callee, isLast);
    if (isLast) {
      nodes.find(callee)->second.function = {};
      symbols->erase(callee);
      ++numFunctions;
    }
  }
}

/// Removes functions that were there for calls alone.
void InlineCallsPass::eraseUnused(func::FuncOp entry) {
  SmallVector<func::FuncOp> unused;
  for (auto function : getOperation().getOps<func::FuncOp>())
    if (function != entry && function.isPrivate() &&
        SymbolTable::symbolKnownUseEmpty(function, getOperation()))
      unused.push_back(function);
  for (func::FuncOp function : unused) {
    symbols->erase(function);
    ++numFunctions;
  }
}

void InlineCallsPass::runOnOperation() {
  SymbolTable table(getOperation());
  symbols = &table;
  nodes.clear();
  numUses.clear();
  FailureOr<func::FuncOp> step = getStep(getOperation());
  if (failed(step))
    return signalPassFailure();
  func::FuncOp entry = *step;
  if (entry.isExternal() || !entry.getBody().hasOneBlock()) {
    entry.emitError("expected a body with one block");
    return signalPassFailure();
  }
  if (failed(orderBottomUp(entry)) || failed(computeSizes()))
    return signalPassFailure();
  for (auto &[function, node] : nodes)
    if (node.function)
      inlineInto(node);
  eraseUnused(entry);
}
