//===- OutlineLoops.cpp - Loops as functions ------------------------------===//
//
// Part of the hetero project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "hetero/Conversion/Passes.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/OperationSupport.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace hetero;

namespace hetero {
#define GEN_PASS_DEF_OUTLINELOOPSPASS
#include "hetero/Conversion/Passes.h.inc"
} // namespace hetero

/// What a loop needs from outside, each value once, in order of use.
static SmallVector<Value> getArguments(Operation *op) {
  llvm::SetVector<Value> values(op->operand_begin(), op->operand_end());
  getUsedValuesDefinedAbove(op->getRegions(), values);
  return values.takeVector();
}

/// Constants are copied into the function instead of passed.
static bool isConstant(Value value) {
  Operation *op = value.getDefiningOp();
  return op && op->hasTrait<OpTrait::ConstantLike>();
}

/// Whether a pointer is all that is passed for the value.
static bool isPassable(Value value) {
  auto type = dyn_cast<MemRefType>(value.getType());
  if (!type)
    return value.getType().isIntOrIndexOrFloat();
  return type.hasStaticShape() && type.getLayout().isIdentity();
}

/// The allocation or argument that a buffer is a part of.
static Value getBase(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    auto view = dyn_cast<ViewLikeOpInterface>(op);
    if (!view)
      break;
    value = view.getViewSource();
  }
  return value;
}

/// Whether no two of the buffers can overlap: they are parts of different
/// allocations or arguments of the kernel.
static bool areDisjoint(ArrayRef<Value> values) {
  llvm::SmallDenseSet<Value> bases;
  for (Value value : values) {
    if (!isa<MemRefType>(value.getType()))
      continue;
    Value base = getBase(value);
    bool isKnown = base.getDefiningOp<memref::AllocOp>() ||
                   base.getDefiningOp<memref::GetGlobalOp>();
    if (auto argument = dyn_cast<BlockArgument>(base))
      isKnown = isa<func::FuncOp>(argument.getOwner()->getParentOp());
    if (!isKnown || !bases.insert(base).second)
      return false;
  }
  return true;
}

namespace {
class Outliner {
public:
  explicit Outliner(ModuleOp module) : module(module), symbols(module) {}

  bool outline(Operation *op);
  unsigned getNumFunctions() const { return functions.size(); }

private:
  func::FuncOp makeFunction(Operation *op, ArrayRef<Value> arguments,
                            bool disjoint);

  ModuleOp module;
  SymbolTable symbols;
  /// By the text of the function, which tells everything but locations.
  llvm::StringMap<func::FuncOp> functions;
};
} // namespace

func::FuncOp Outliner::makeFunction(Operation *op, ArrayRef<Value> arguments,
                                    bool disjoint) {
  OpBuilder builder(module.getContext());
  SmallVector<Type> types;
  for (Value argument : arguments)
    types.push_back(argument.getType());
  auto function = func::FuncOp::create(op->getLoc(), "loop",
                                       builder.getFunctionType(types, {}));
  Block *entry = function.addEntryBlock();
  builder.setInsertionPointToStart(entry);
  IRMapping mapping;
  mapping.map(arguments, entry->getArguments());
  for (Value value : getArguments(op))
    if (isConstant(value))
      mapping.map(value, builder.clone(*value.getDefiningOp())->getResult(0));
  builder.clone(*op, mapping);
  func::ReturnOp::create(builder, op->getLoc());
  if (disjoint)
    for (auto [i, type] : llvm::enumerate(types))
      if (isa<MemRefType>(type))
        function.setArgAttr(i, LLVM::LLVMDialect::getNoAliasAttrName(),
                            builder.getUnitAttr());
  return function;
}

bool Outliner::outline(Operation *op) {
  SmallVector<Value> arguments;
  for (Value value : getArguments(op))
    if (!isConstant(value))
      arguments.push_back(value);
  if (!llvm::all_of(arguments, isPassable))
    return false;
  func::FuncOp function = makeFunction(op, arguments, areDisjoint(arguments));
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
  func::CallOp::create(builder, op->getLoc(), known, arguments);
  op->erase();
  return true;
}

namespace {
struct OutlineLoops : public hetero::impl::OutlineLoopsPassBase<OutlineLoops> {
  void runOnOperation() override {
    SmallVector<Operation *> loops;
    getOperation().walk<WalkOrder::PreOrder>([&](linalg::LinalgOp op) {
      if (op.hasPureBufferSemantics())
        loops.push_back(op);
      return WalkResult::skip();
    });
    Outliner outliner(getOperation());
    for (Operation *op : loops)
      numCalls += outliner.outline(op);
    numFunctions += outliner.getNumFunctions();
  }
};
} // namespace
