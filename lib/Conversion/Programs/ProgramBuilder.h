//===- ProgramBuilder.h - One rank program ----------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Converts the straight-line function of one rank: values become buffers and
// operations instructions, one by one.

#ifndef HETERO_LIB_CONVERSION_PROGRAMS_PROGRAMBUILDER_H
#define HETERO_LIB_CONVERSION_PROGRAMS_PROGRAMBUILDER_H

#include "KernelTable.h"
#include "hetero/Conversion/Programs/RuntimePrograms.h"
#include "hetero/Dialect/Hetero/Hetero.h"
#include "hetero/Dialect/Stablehlo.h"

namespace hetero {

/// Builds the program of the rank that `function` is for.
class ProgramBuilder {
public:
  ProgramBuilder(mlir::func::FuncOp function, KernelTable &kernels)
      : function(function), kernels(kernels) {}

  mlir::FailureOr<runtime::Program> build();

private:
  mlir::LogicalResult bind(runtime::BufferId id, mlir::DictionaryAttr attrs,
                           bool isResult);
  mlir::FailureOr<runtime::BufferId> addBuffer(mlir::Value value);
  runtime::BufferId addBuffer(const runtime::TensorType &type) {
    program.buffers.push_back(type);
    return program.buffers.size() - 1;
  }
  runtime::Instruction &add(runtime::Opcode opcode, mlir::Operation *op);
  runtime::BufferId copy(runtime::BufferId from,
                         const runtime::TensorType &type, mlir::Operation *op);
  mlir::LogicalResult convert(mlir::Operation *op);
  mlir::LogicalResult convertPiece(const NamedPiece &piece, mlir::Operation *op,
                                   mlir::ValueRange results);
  mlir::LogicalResult convertCall(mlir::func::CallOp call);
  mlir::LogicalResult convertCommunication(mlir::Operation *op);
  mlir::LogicalResult convertMessage(mlir::Operation *op);
  mlir::LogicalResult setKind(mlir::Operation *op,
                              runtime::Instruction &instruction,
                              SplitAttr &split);
  mlir::LogicalResult convertCollective(mlir::Operation *op);
  mlir::LogicalResult convertAccumulate(AccumulateOp op);
  mlir::LogicalResult convertConstant(mlir::stablehlo::ConstantOp op);
  mlir::LogicalResult convertKernel(mlir::Operation *op);
  mlir::LogicalResult convertReturn(mlir::func::ReturnOp op);
  void addKernelCall(mlir::StringRef kernel,
                     mlir::ArrayRef<runtime::BufferId> operands,
                     mlir::ArrayRef<runtime::BufferId> results,
                     mlir::Operation *op);
  void free();
  int32_t getKernel(mlir::StringRef name);
  /// The buffer of a value; -1, which no verified program has, if it has none.
  runtime::BufferId get(mlir::Value value) const {
    auto it = buffers.find(value);
    return it == buffers.end() ? -1 : it->second;
  }
  void set(mlir::Value value, runtime::BufferId id) {
    buffers[value] = id;
    ++numNames[id];
  }

  mlir::func::FuncOp function;
  KernelTable &kernels;
  runtime::Program program;
  llvm::DenseMap<mlir::Value, runtime::BufferId> buffers;
  /// Values that are in a buffer, by its id.
  llvm::DenseMap<runtime::BufferId, int> numNames;
  llvm::DenseMap<mlir::Value, int32_t> started; // Handle -> instruction.
  llvm::StringMap<int32_t> kernelIds;
  std::string label;
};

} // namespace hetero

#endif // HETERO_LIB_CONVERSION_PROGRAMS_PROGRAMBUILDER_H
