//===- KernelTable.cpp - Units cut into kernels ---------------------------===//
//
// Part of the hetero project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelTable.h"
#include "hetero/Dialect/Hetero/Hetero.h"
#include "hetero/Dialect/Stablehlo.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"
#include <functional>

using namespace mlir;
using namespace hetero;

/// Whether it is part of a kernel.
static bool isComputation(Operation *op) {
  return !isa<CommunicationOpInterface, WaitOp, AccumulateOp>(op) &&
         !op->hasTrait<OpTrait::IsTerminator>();
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

void KernelTable::clone(OpBuilder &builder, Operation *op, IRMapping &mapping) {
  if (auto call = dyn_cast<func::CallOp>(op)) {
    Block &body = getFunction(call).getBody().front();
    for (auto [argument, operand] :
         llvm::zip_equal(body.getArguments(), call.getOperands()))
      mapping.map(argument, mapping.lookup(operand));
    for (Operation &inner : body.without_terminator())
      clone(builder, &inner, mapping);
    for (auto [result, value] : llvm::zip_equal(
             call.getResults(), body.getTerminator()->getOperands()))
      mapping.map(result, mapping.lookup(value));
    return;
  }
  Operation *copy = builder.clone(*op, mapping);
  copy->removeAttr("hetero.instruction");
  copy->removeAttr("hetero.forms");
}

void KernelTable::emit(StringRef name, ArrayRef<Operation *> ops,
                       ValueRange inputs, ValueRange outputs, Location loc) {
  OpBuilder builder = OpBuilder::atBlockEnd(kernels.getBody());
  auto getTypes = [](ValueRange values) {
    return llvm::map_to_vector(
        values, [](Value value) { return getBoundaryType(value.getType()); });
  };
  auto function = func::FuncOp::create(
      builder, loc, name,
      builder.getFunctionType(getTypes(inputs), getTypes(outputs)));
  Block *block = function.addEntryBlock();
  builder.setInsertionPointToEnd(block);
  IRMapping mapping;
  for (auto [input, argument] : llvm::zip_equal(inputs, block->getArguments()))
    mapping.map(input, reshape(builder, loc, input.getType(), argument));
  for (Operation *op : ops)
    clone(builder, op, mapping);
  SmallVector<Value> results;
  for (Value output : outputs)
    results.push_back(reshape(builder, loc, getBoundaryType(output.getType()),
                              mapping.lookup(output)));
  func::ReturnOp::create(builder, loc, results);
}

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

/// Makes a kernel of operations that follow each other.
void KernelTable::addPiece(func::FuncOp unit, ArrayRef<Operation *> own,
                           std::vector<Piece> &pieces) {
  SmallVector<Operation *> ops = addMadeAnew(unit.getBody().front(), own);
  llvm::SmallPtrSet<Operation *, 16> inside(ops.begin(), ops.end()),
      owned(own.begin(), own.end());
  llvm::SetVector<Value> inputs, outputs;
  for (Operation *op : ops) {
    op->walk([&](Operation *inner) {
      for (Value operand : inner->getOperands()) {
        if (operand.getParentBlock() != &unit.getBody().front())
          continue;
        if (!operand.getDefiningOp() ||
            !inside.contains(operand.getDefiningOp()))
          inputs.insert(operand);
      }
    });
    if (!owned.contains(op))
      continue;
    bool again = isMadeAnew(op);
    for (Value result : op->getResults())
      for (Operation *user : result.getUsers()) {
        Operation *top = unit.getBody().front().findAncestorOpInBlock(*user);
        // Other kernels make it anew; who returns or sends it does not.
        if (!inside.contains(top) && (!again || !isComputation(top)))
          outputs.insert(result);
      }
  }
  if (outputs.empty())
    return;
  Piece piece;
  piece.kernel = (unit.getName() + "_part" + Twine(pieces.size())).str();
  piece.inputs = inputs.takeVector();
  piece.outputs = outputs.takeVector();
  emit(piece.kernel, ops, piece.inputs, piece.outputs, unit.getLoc());
  pieces.push_back(std::move(piece));
}

FailureOr<ArrayRef<Piece>> KernelTable::getPieces(func::CallOp call) {
  func::FuncOp unit = getFunction(call);
  if (!unit || unit.isExternal() || !unit.getBody().hasOneBlock())
    return call.emitOpError() << "calls " << call.getCalleeAttr()
                              << ", which has no body of one block";
  auto [it, inserted] = units.try_emplace(unit.getName());
  std::vector<Piece> &pieces = it->second;
  if (!inserted)
    return ArrayRef<Piece>(pieces);
  Block &block = unit.getBody().front();
  bool communicates = llvm::any_of(block, [](Operation &op) {
    return !isComputation(&op) && !op.hasTrait<OpTrait::IsTerminator>();
  });
  if (!communicates) {
    Piece piece;
    piece.kernel = unit.getName().str();
    piece.isWhole = true;
    piece.inputs.assign(block.args_begin(), block.args_end());
    piece.outputs.assign(block.getTerminator()->operand_begin(),
                         block.getTerminator()->operand_end());
    SmallVector<Operation *> ops = llvm::map_to_vector(
        block.without_terminator(), [](Operation &op) { return &op; });
    emit(piece.kernel, ops, piece.inputs, piece.outputs, unit.getLoc());
    pieces.push_back(std::move(piece));
    return ArrayRef<Piece>(pieces);
  }
  SmallVector<Operation *> ops;
  for (Operation &op : block.without_terminator()) {
    if (isComputation(&op)) {
      ops.push_back(&op);
      continue;
    }
    addPiece(unit, ops, pieces);
    ops.clear();
    Piece piece;
    piece.communication = &op;
    pieces.push_back(std::move(piece));
  }
  addPiece(unit, ops, pieces);
  return ArrayRef<Piece>(pieces);
}

std::optional<Piece> KernelTable::getWhole(func::FuncOp program) {
  Block &block = program.getBody().front();
  SmallVector<Operation *> ops;
  bool hasUnits = false;
  for (Operation &op : block.without_terminator()) {
    ops.push_back(&op);
    auto call = dyn_cast<func::CallOp>(op);
    if (!call) {
      if (!isa<stablehlo::StablehloDialect>(op.getDialect()))
        return std::nullopt;
      continue;
    }
    func::FuncOp unit = getFunction(call);
    if (!unit || unit.isExternal() || !unit.getBody().hasOneBlock() ||
        !llvm::all_of(unit.getBody().front().without_terminator(),
                      [](Operation &op) { return isComputation(&op); }))
      return std::nullopt;
    hasUnits = true;
  }
  if (!hasUnits)
    return std::nullopt;
  Piece piece;
  piece.kernel = (program.getName() + "_step").str();
  piece.inputs.assign(block.args_begin(), block.args_end());
  llvm::SetVector<Value> outputs;
  for (Value value : block.getTerminator()->getOperands())
    if (value.getDefiningOp())
      outputs.insert(value);
  piece.outputs = outputs.takeVector();
  if (piece.outputs.empty())
    return std::nullopt;
  emit(piece.kernel, ops, piece.inputs, piece.outputs, program.getLoc());
  return piece;
}

std::string KernelTable::addKernel(Operation *op) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << op->getName() << op->getAttrDictionary();
  llvm::interleaveComma(op->getOperandTypes(), os);
  llvm::interleaveComma(op->getResultTypes(), os);
  auto [it, inserted] = singles.try_emplace(text);
  if (inserted) {
    it->second =
        (op->getName().stripDialect() + "_" + Twine(singles.size())).str();
    emit(it->second, {op}, op->getOperands(), op->getResults(), op->getLoc());
  }
  return it->second;
}
