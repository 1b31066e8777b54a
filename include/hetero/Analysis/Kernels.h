//===- Kernels.h - What is compiled together --------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A rank program calls units. A unit is one kernel, unless it communicates:
// then it is cut into kernels at its communication. What is made from nothing,
// such as constants, is made again in each kernel that needs it. A rank program
// that does not communicate at all is one kernel, with all of its units in it.
//
//   func.func @unit(%x, %w, %b) {
//     %zero = constant 0                    in the second kernel
//     %p = dot_general %x, %w               kernel (%x, %w) -> (%p)
//     %s = hetero.all_reduce %p             communication
//     %y = add %s, %b                       kernel (%s, %b) -> (%r)
//     %r = maximum %y, %zero
//     return %r
//   }
//
// The conversion to programs of the runtime makes these kernels, and the check
// of memory counts with them.

#ifndef HETERO_ANALYSIS_KERNELS_H
#define HETERO_ANALYSIS_KERNELS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace hetero {

/// Operations of a block, in their order, that are compiled together.
struct Kernel {
  /// All of a block but its terminator, whose operands are the results.
  static Kernel ofBlock(mlir::Block &block);

  mlir::Block *block = nullptr;
  llvm::SmallVector<mlir::Operation *> ops;
  llvm::SmallVector<mlir::Value> operands, results;
  /// All of its block: then the results may have one value several times.
  bool isWhole = false;
};

/// A piece of a unit: a kernel, or one operation that communicates.
struct Piece {
  Kernel kernel;
  mlir::Operation *communication = nullptr;
};

/// The pieces of a unit of one block, in their order.
llvm::SmallVector<Piece> cutUnit(mlir::func::FuncOp unit);

/// The unit that a call calls, or null.
using GetUnitFn = llvm::function_ref<mlir::func::FuncOp(mlir::func::CallOp)>;

/// All of a rank program as one kernel, if it does not communicate and has
/// units: its results are each value that it returns and is no argument, once.
std::optional<Kernel> getWholeProgram(mlir::func::FuncOp program,
                                      GetUnitFn getUnit);

/// A function that does what the kernel does, with units in the place of their
/// calls.
mlir::func::FuncOp emitKernel(mlir::OpBuilder &builder, mlir::StringRef name,
                              const Kernel &kernel, mlir::Location loc,
                              GetUnitFn getUnit);

} // namespace hetero

#endif // HETERO_ANALYSIS_KERNELS_H
