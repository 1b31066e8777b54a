//===- OutlineLoops.cpp - Loops as functions ------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "DeviceCode.h"
#include "hetero/Conversion/Kernels/Passes.h"
#include "hetero/Dialect/Hetero/HeteroKernelOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/OperationSupport.h"

using namespace mlir;
using namespace hetero;

namespace hetero {
#define GEN_PASS_DEF_OUTLINELOOPSPASS
#include "hetero/Conversion/Kernels/Passes.h.inc"
} // namespace hetero

/// Whether a pointer is all that is passed for the value.
static bool isPassable(Value value) {
  auto type = dyn_cast<MemRefType>(value.getType());
  if (!type)
    return value.getType().isIntOrIndexOrFloat();
  return type.hasStaticShape() && type.getLayout().isIdentity();
}

/// Whether no two of the buffers can overlap: they are parts of different
/// allocations or arguments of the kernel.
static bool areDisjoint(ArrayRef<Value> values) {
  llvm::SmallDenseSet<Value> bases;
  for (Value value : values) {
    if (!isa<MemRefType>(value.getType()))
      continue;
    Value base = getBaseBuffer(value);
    if (!isOwnBuffer(base) || !bases.insert(base).second)
      return false;
  }
  return true;
}

namespace {
/// Makes functions of operations, each distinct one once.
class Outliner {
public:
  explicit Outliner(ModuleOp module) : module(module), symbols(module) {}

  /// Replaces an operation by a call, if everything it needs can be passed.
  bool outline(Operation *op, const CodeSlice &slice, bool isOnDevice);

  unsigned getNumFunctions() const { return functions.size(); }

private:
  ModuleOp module;
  SymbolTable symbols;
  /// By the text of the function.
  llvm::StringMap<func::FuncOp> functions;
};
} // namespace

/// A function that holds the operation; what it needs of `slice` are the
/// arguments.
static func::FuncOp makeFunction(Operation *op, const CodeSlice &slice,
                                 bool isOnDevice) {
  // Locations do not tell functions apart.
  OpBuilder builder(op->getContext());
  SmallVector<Type> types;
  for (Value argument : slice.arguments)
    types.push_back(argument.getType());
  auto function = func::FuncOp::create(op->getLoc(), "loop",
                                       builder.getFunctionType(types, {}));
  Block *entry = function.addEntryBlock();
  builder.setInsertionPointToStart(entry);
  IRMapping mapping;
  mapping.map(slice.arguments, entry->getArguments());
  for (Operation *copied : slice.copied)
    builder.clone(*copied, mapping);
  builder.clone(*op, mapping);
  func::ReturnOp::create(builder, op->getLoc());
  if (isOnDevice)
    function->setAttr(kDeviceLoopAttr, builder.getUnitAttr());
  else
    function->setAttr("passthrough", builder.getStrArrayAttr({"noinline"}));
  if (areDisjoint(slice.arguments))
    for (auto [i, type] : llvm::enumerate(types))
      if (isa<MemRefType>(type))
        function.setArgAttr(i, LLVM::LLVMDialect::getNoAliasAttrName(),
                            builder.getUnitAttr());
  return function;
}

bool Outliner::outline(Operation *op, const CodeSlice &slice, bool isOnDevice) {
  if (!llvm::all_of(slice.arguments, isPassable))
    return false;
  func::FuncOp function = makeFunction(op, slice, isOnDevice);
  std::string text;
  llvm::raw_string_ostream stream(text);
  function.print(stream, OpPrintingFlags().useLocalScope());
  func::FuncOp &known = functions[text];
  if (known) {
    function.erase();
  } else {
    known = function;
    function.setPrivate();
    symbols.insert(function, module.getBody()->end());
  }
  OpBuilder builder(op);
  func::CallOp::create(builder, op->getLoc(), known, slice.arguments);
  op->erase();
  return true;
}

/// Whether all that is left to a function on the host is to call others: each
/// loop in it repeats calls, and none goes over elements.
static bool onlyCalls(func::FuncOp function) {
  bool hasCalls = false;
  WalkResult result = function.walk([&](Operation *op) {
    hasCalls |= isa<func::CallOp, CallLibraryOp>(op);
    bool isLoop = isa<LoopLikeOpInterface>(op);
    bool repeatsCalls =
        isLoop && op->walk([](Operation *nested) {
                      return isa<func::CallOp, CallLibraryOp>(nested)
                                 ? WalkResult::interrupt()
                                 : WalkResult::advance();
                    }).wasInterrupted();
    return isa<linalg::LinalgOp>(op) || (isLoop && !repeatsCalls)
               ? WalkResult::interrupt()
               : WalkResult::advance();
  });
  return hasCalls && !result.wasInterrupted();
}

namespace {
struct OutlineLoops : public hetero::impl::OutlineLoopsPassBase<OutlineLoops> {
  using OutlineLoopsPassBase::OutlineLoopsPassBase;

  void runOnOperation() override {
    SmallVector<Operation *> loops;
    for (auto function : getOperation().getOps<func::FuncOp>())
      collectCode(function.getBody(), device, loops);
    // All slices are found before calls hide who writes what.
    SmallVector<CodeSlice> slices;
    for (Operation *op : loops)
      slices.push_back(getSlice(op, device));
    Outliner outliner(getOperation());
    for (auto [op, slice] : llvm::zip_equal(loops, slices)) {
      bool done = outliner.outline(op, slice, device);
      numCalls += done;
      if (done || !device)
        continue;
      op->emitError() << "reads or writes a buffer whose layout is not known "
                         "when it is compiled, which is not supported on CUDA";
      return signalPassFailure();
    }
    numFunctions += outliner.getNumFunctions();
    if (device)
      return;
    // LLVM would put the loops back, and take long to schedule the calls.
    Builder builder(&getContext());
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (!function->hasAttr("passthrough") && onlyCalls(function))
        function->setAttr("passthrough",
                          builder.getStrArrayAttr({"noinline", "optnone"}));
  }
};
} // namespace
