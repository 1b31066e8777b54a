//===- KernelTable.cpp - Units cut into kernels ---------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "KernelTable.h"

using namespace mlir;
using namespace hetero;

std::string KernelTable::emit(const Twine &name, const Kernel &kernel,
                              Location loc) {
  OpBuilder builder = OpBuilder::atBlockEnd(kernels.getBody());
  return emitKernel(builder, name.str(), kernel, loc,
                    [&](func::CallOp call) { return getFunction(call); })
      .getName()
      .str();
}

FailureOr<ArrayRef<NamedPiece>> KernelTable::getPieces(func::CallOp call) {
  func::FuncOp unit = getFunction(call);
  if (!unit || unit.isExternal() || !unit.getBody().hasOneBlock())
    return call.emitOpError() << "calls " << call.getCalleeAttr()
                              << ", which has no body of one block";
  auto [it, inserted] = units.try_emplace(unit.getName());
  std::vector<NamedPiece> &pieces = it->second;
  if (!inserted)
    return ArrayRef<NamedPiece>(pieces);
  for (Piece &piece : cutUnit(unit)) {
    std::string name;
    if (piece.kernel.isWhole)
      name = emit(unit.getName(), piece.kernel, unit.getLoc());
    else if (!piece.communication)
      name = emit(unit.getName() + "_part" + Twine(pieces.size()), piece.kernel,
                  unit.getLoc());
    pieces.push_back({std::move(piece), std::move(name)});
  }
  return ArrayRef<NamedPiece>(pieces);
}

std::optional<NamedPiece> KernelTable::getWhole(func::FuncOp program) {
  std::optional<Kernel> kernel = getWholeProgram(
      program, [&](func::CallOp call) { return getFunction(call); });
  if (!kernel)
    return std::nullopt;
  std::string name =
      emit(program.getName() + "_step", *kernel, program.getLoc());
  return NamedPiece{{std::move(*kernel)}, std::move(name)};
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
    Kernel kernel;
    kernel.ops = {op};
    kernel.operands = llvm::to_vector(op->getOperands());
    kernel.results.assign(op->result_begin(), op->result_end());
    emit(it->second, kernel, op->getLoc());
  }
  return it->second;
}
