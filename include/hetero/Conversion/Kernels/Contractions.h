//===- Contractions.h - Contractions as calls of a library ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the lowerings of contractions share: how far each operand of a
// linalg.generic with `hetero.contraction` moves along each dimension of its
// loop nest, and calls with pointers to the operands and a table of numbers.

#ifndef HETERO_CONVERSION_KERNELS_CONTRACTIONS_H
#define HETERO_CONVERSION_KERNELS_CONTRACTIONS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/SymbolTable.h"

namespace hetero {

/// How far an operand moves along each dimension of the loop nest, and where it
/// starts, in elements.
struct Steps {
  llvm::SmallVector<int64_t> strides;
  int64_t offset = 0;
};

/// A contraction whose strides are known.
struct ContractionLoops {
  llvm::SmallVector<int64_t> sizes;
  /// Of the two inputs and the output.
  llvm::SmallVector<Steps> operands;
  /// The fill with zeros that comes right before it, if any: then the library
  /// writes instead of adding, and the fill goes.
  mlir::linalg::FillOp fill;
};

/// Fails if strides are not known.
mlir::FailureOr<ContractionLoops>
getContractionLoops(mlir::linalg::GenericOp op);

/// Makes calls in one module; equal tables are kept once.
class LibraryCalls {
public:
  explicit LibraryCalls(mlir::ModuleOp module)
      : module(module), symbols(module) {}

  /// Checks that each name is free, or a function of the right type; an error
  /// otherwise.
  mlir::LogicalResult checkNames(llvm::ArrayRef<llvm::StringRef> names);
  /// Replaces the contraction by `name(a, b, c, table)`.
  void replace(mlir::linalg::GenericOp op, const ContractionLoops &loops,
               llvm::StringRef name, llvm::ArrayRef<int64_t> table);

private:
  mlir::Value getTable(mlir::ImplicitLocOpBuilder &b,
                       llvm::ArrayRef<int64_t> numbers);
  mlir::func::FuncOp getFunction(llvm::StringRef name);

  mlir::ModuleOp module;
  mlir::SymbolTable symbols;
  llvm::DenseMap<mlir::Attribute, mlir::memref::GlobalOp> tables;
};

/// The address of element `offset` of a buffer, as an index.
mlir::Value getElementAddress(mlir::ImplicitLocOpBuilder &b, mlir::Value buffer,
                              int64_t offset);

} // namespace hetero

#endif // HETERO_CONVERSION_KERNELS_CONTRACTIONS_H
