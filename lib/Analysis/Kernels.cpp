//===- Kernels.cpp - What is compiled together ----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Analysis/Kernels.h"
#include "hetero/Dialect/Hetero/Hetero.h"
#include "hetero/Dialect/Stablehlo.h"
#include "llvm/ADT/SetVector.h"
#include <functional>

using namespace mlir;
using namespace hetero;

/// Whether it is part of a kernel.
static bool isComputation(Operation *op) {
  return !isa<CommunicationOpInterface, WaitOp, AccumulateOp>(op) &&
         !op->hasTrait<OpTrait::IsTerminator>();
}

static bool isComputation(Block &block) {
  return llvm::all_of(block.without_terminator(),
                      [](Operation &op) { return isComputation(&op); });
}

Kernel Kernel::ofBlock(Block &block) {
  Kernel kernel;
  kernel.block = &block;
  for (Operation &op : block.without_terminator())
    kernel.ops.push_back(&op);
  kernel.operands.assign(block.args_begin(), block.args_end());
  kernel.results = llvm::to_vector(block.getTerminator()->getOperands());
  kernel.isWhole = true;
  return kernel;
}

//===----------------------------------------------------------------------===//
// Pieces of units
//===----------------------------------------------------------------------===//

/// Whether it is cheaper to make the value again in each kernel than to keep
/// it: made from nothing, and nothing is computed.
static bool isMadeAnew(Operation *op) {
  if (isa<stablehlo::ConstantOp, stablehlo::IotaOp>(op))
    return true;
  return isa<stablehlo::BroadcastInDimOp, stablehlo::ReshapeOp,
             stablehlo::ConvertOp>(op) &&
         op->getOperand(0).getDefiningOp() &&
         isMadeAnew(op->getOperand(0).getDefiningOp());
}

/// The operations and, before them, what they need and is made anew.
static SmallVector<Operation *> addMadeAnew(Block &block,
                                            ArrayRef<Operation *> ops) {
  llvm::SetVector<Operation *> all;
  std::function<void(Value)> add = [&](Value value) {
    Operation *op = value.getDefiningOp();
    if (!op || op->getBlock() != &block || !isMadeAnew(op) || all.contains(op))
      return;
    for (Value operand : op->getOperands())
      add(operand);
    all.insert(op);
  };
  for (Operation *op : ops) {
    op->walk([&](Operation *inner) {
      for (Value operand : inner->getOperands())
        add(operand);
    });
    all.insert(op);
  }
  return all.takeVector();
}

/// The kernel of operations that follow each other.
static Kernel makeKernel(Block &block, ArrayRef<Operation *> own) {
  Kernel kernel;
  kernel.block = &block;
  kernel.ops = addMadeAnew(block, own);
  llvm::SmallPtrSet<Operation *, 16> inside(kernel.ops.begin(),
                                            kernel.ops.end()),
      owned(own.begin(), own.end());
  llvm::SetVector<Value> operands, results;
  for (Operation *op : kernel.ops) {
    op->walk([&](Operation *inner) {
      for (Value operand : inner->getOperands()) {
        if (operand.getParentBlock() != &block)
          continue;
        if (!operand.getDefiningOp() ||
            !inside.contains(operand.getDefiningOp()))
          operands.insert(operand);
      }
    });
    if (!owned.contains(op))
      continue;
    bool again = isMadeAnew(op);
    for (Value result : op->getResults())
      for (Operation *user : result.getUsers()) {
        Operation *top = block.findAncestorOpInBlock(*user);
        // Other kernels make it anew; who returns or sends it does not.
        if (!inside.contains(top) && (!again || !isComputation(top)))
          results.insert(result);
      }
  }
  kernel.operands = operands.takeVector();
  kernel.results = results.takeVector();
  return kernel;
}

SmallVector<Piece> hetero::cutUnit(func::FuncOp unit) {
  Block &block = unit.getBody().front();
  SmallVector<Piece> pieces;
  if (isComputation(block)) {
    pieces.push_back({Kernel::ofBlock(block)});
    return pieces;
  }
  SmallVector<Operation *> ops;
  auto addKernel = [&] {
    Kernel kernel = makeKernel(block, ops);
    if (!kernel.results.empty())
      pieces.push_back({std::move(kernel)});
    ops.clear();
  };
  for (Operation &op : block.without_terminator()) {
    if (isComputation(&op)) {
      ops.push_back(&op);
      continue;
    }
    addKernel();
    pieces.push_back({Kernel(), &op});
  }
  addKernel();
  return pieces;
}

//===----------------------------------------------------------------------===//
// Whole programs
//===----------------------------------------------------------------------===//

std::optional<Kernel> hetero::getWholeProgram(func::FuncOp program,
                                              GetUnitFn getUnit) {
  Block &block = program.getBody().front();
  bool hasUnits = false;
  for (Operation &op : block.without_terminator()) {
    auto call = dyn_cast<func::CallOp>(op);
    if (!call) {
      if (!isa<stablehlo::StablehloDialect>(op.getDialect()))
        return std::nullopt;
      continue;
    }
    func::FuncOp unit = getUnit(call);
    if (!unit || unit.isExternal() || !unit.getBody().hasOneBlock() ||
        !isComputation(unit.getBody().front()))
      return std::nullopt;
    hasUnits = true;
  }
  Kernel kernel = Kernel::ofBlock(block);
  llvm::SetVector<Value> results;
  for (Value value : kernel.results)
    if (value.getDefiningOp())
      results.insert(value);
  if (!hasUnits || results.empty())
    return std::nullopt;
  kernel.results = results.takeVector();
  return kernel;
}

/// Writes a copy of the operation; of a call, what the unit does.
static void clone(OpBuilder &builder, Operation *op, IRMapping &mapping,
                  GetUnitFn getUnit) {
  if (auto call = dyn_cast<func::CallOp>(op)) {
    Block &body = getUnit(call).getBody().front();
    for (auto [argument, operand] :
         llvm::zip_equal(body.getArguments(), call.getOperands()))
      mapping.map(argument, mapping.lookup(operand));
    for (Operation &inner : body.without_terminator())
      clone(builder, &inner, mapping, getUnit);
    for (auto [result, value] : llvm::zip_equal(
             call.getResults(), body.getTerminator()->getOperands()))
      mapping.map(result, mapping.lookup(value));
    return;
  }
  Operation *copy = builder.clone(*op, mapping);
  copy->removeAttr("hetero.instruction");
  copy->removeAttr("hetero.forms");
}

/// Kernels take and give tensors without elements as tensor<0x..>: MLIR does
/// not lower function types with a stride of 0, such as that of 4x0. A callee
/// sees no difference.
static Type getBoundaryType(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || !tensor.hasStaticShape() || tensor.getNumElements() != 0)
    return type;
  return RankedTensorType::get({0}, tensor.getElementType());
}

static Value reshape(OpBuilder &builder, Location loc, Type type, Value value) {
  if (value.getType() == type)
    return value;
  return stablehlo::ReshapeOp::create(builder, loc, type, value);
}

func::FuncOp hetero::emitKernel(OpBuilder &builder, StringRef name,
                                const Kernel &kernel, Location loc,
                                GetUnitFn getUnit) {
  OpBuilder::InsertionGuard guard(builder);
  auto getTypes = [](ValueRange values) {
    return llvm::map_to_vector(
        values, [](Value value) { return getBoundaryType(value.getType()); });
  };
  auto function =
      func::FuncOp::create(builder, loc, name,
                           builder.getFunctionType(getTypes(kernel.operands),
                                                   getTypes(kernel.results)));
  Block *block = function.addEntryBlock();
  builder.setInsertionPointToEnd(block);
  IRMapping mapping;
  for (auto [operand, argument] :
       llvm::zip_equal(kernel.operands, block->getArguments()))
    mapping.map(operand, reshape(builder, loc, operand.getType(), argument));
  for (Operation *op : kernel.ops)
    clone(builder, op, mapping, getUnit);
  SmallVector<Value> results;
  for (Value result : kernel.results)
    results.push_back(reshape(builder, loc, getBoundaryType(result.getType()),
                              mapping.lookup(result)));
  func::ReturnOp::create(builder, loc, results);
  return function;
}
