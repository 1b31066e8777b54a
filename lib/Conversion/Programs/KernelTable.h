//===- KernelTable.h - Units cut into kernels -------------------*- C++ -*-===//
//
// Part of the hetero project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A unit that a rank program calls may communicate inside of its stage. It is
// cut there; what lies between two communications becomes a kernel. A unit that
// does not communicate is one kernel, under its own name; so is a rank program
// that does not communicate at all, with all of its units.
//
//===----------------------------------------------------------------------===//

#ifndef HETERO_LIB_CONVERSION_PROGRAMS_KERNELTABLE_H
#define HETERO_LIB_CONVERSION_PROGRAMS_KERNELTABLE_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/SymbolTable.h"
#include <map>

namespace hetero {

/// A piece of a unit: a kernel, or one operation that communicates.
struct Piece {
  std::string kernel;
  mlir::SmallVector<mlir::Value> inputs, outputs;
  mlir::Operation *communication = nullptr;
  /// A kernel that is all of the unit.
  bool isWhole = false;
};

/// Units cut into kernels at their communication.
class KernelTable {
public:
  KernelTable(mlir::ModuleOp kernels, mlir::ModuleOp module)
      : kernels(kernels), symbols(module) {}

  mlir::FailureOr<mlir::ArrayRef<Piece>> getPieces(mlir::func::CallOp call);
  /// A kernel of all of a rank program, if it does not communicate: memory is
  /// planned, and loops are fused, across its units.
  std::optional<Piece> getWhole(mlir::func::FuncOp program);
  /// A kernel of one operation.
  std::string addKernel(mlir::Operation *op);

  mlir::func::FuncOp getFunction(mlir::func::CallOp call) {
    return symbols.lookup<mlir::func::FuncOp>(call.getCallee());
  }

private:
  void addPiece(mlir::func::FuncOp unit, mlir::ArrayRef<mlir::Operation *> ops,
                std::vector<Piece> &pieces);
  /// Writes a copy of the operation; of a call, what the unit does.
  void clone(mlir::OpBuilder &builder, mlir::Operation *op,
             mlir::IRMapping &mapping);
  void emit(mlir::StringRef name, mlir::ArrayRef<mlir::Operation *> ops,
            mlir::ValueRange inputs, mlir::ValueRange outputs,
            mlir::Location loc);

  mlir::ModuleOp kernels;
  mlir::SymbolTable symbols;
  llvm::StringMap<std::vector<Piece>> units;
  std::map<std::string, std::string> singles; // By their text.
};

} // namespace hetero

#endif // HETERO_LIB_CONVERSION_PROGRAMS_KERNELTABLE_H
