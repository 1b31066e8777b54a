//===- KernelTable.h - Units cut into kernels -------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A unit that a rank program calls may communicate inside of its stage. It is
// cut there; what lies between two communications becomes a kernel. A unit that
// does not communicate is one kernel, under its own name; so is a rank program
// that does not communicate at all, with all of its units.

#ifndef HETERO_LIB_CONVERSION_PROGRAMS_KERNELTABLE_H
#define HETERO_LIB_CONVERSION_PROGRAMS_KERNELTABLE_H

#include "hetero/Analysis/Kernels.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/SymbolTable.h"
#include <map>

namespace hetero {

/// A piece of a unit, with the name of its kernel.
struct NamedPiece : Piece {
  std::string name;
};

/// Units cut into kernels at their communication.
class KernelTable {
public:
  KernelTable(mlir::ModuleOp kernels, mlir::ModuleOp module)
      : kernels(kernels), symbols(module) {}

  mlir::FailureOr<mlir::ArrayRef<NamedPiece>>
  getPieces(mlir::func::CallOp call);
  /// A kernel of all of a rank program, if it does not communicate: memory is
  /// planned, and loops are fused, across its units.
  std::optional<NamedPiece> getWhole(mlir::func::FuncOp program);
  /// A kernel of one operation.
  std::string addKernel(mlir::Operation *op);

  mlir::func::FuncOp getFunction(mlir::func::CallOp call) {
    return symbols.lookup<mlir::func::FuncOp>(call.getCallee());
  }

private:
  /// Adds a function for the kernel, and returns its name.
  std::string emit(const llvm::Twine &name, const Kernel &kernel,
                   mlir::Location loc);

  mlir::ModuleOp kernels;
  mlir::SymbolTable symbols;
  llvm::StringMap<std::vector<NamedPiece>> units;
  std::map<std::string, std::string> singles; // By their text.
};

} // namespace hetero

#endif // HETERO_LIB_CONVERSION_PROGRAMS_KERNELTABLE_H
