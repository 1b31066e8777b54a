//===- FunctionProgram.h - A function as the program of a rank --*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests run functions that are no training steps on devices as well: the
// function is then the only kernel of a program of one rank.

#ifndef HETERO_TEST_CONVERSION_RUN_FUNCTIONPROGRAM_H
#define HETERO_TEST_CONVERSION_RUN_FUNCTIONPROGRAM_H

#include "hetero/Conversion/Programs/RuntimePrograms.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include <optional>

namespace hetero {

/// Its arguments, one call, its results. Fails, with a diagnostic, if it has a
/// value of a type that the runtime does not know.
inline mlir::FailureOr<runtime::Program>
makeFunctionProgram(mlir::func::FuncOp function) {
  runtime::Program program;
  program.kernels.push_back(function.getName().str());
  runtime::Instruction call;
  call.kernel = 0;
  call.label = "main";
  auto add = [&](mlir::Type type) -> mlir::FailureOr<runtime::BufferId> {
    std::optional<runtime::TensorType> converted = getRuntimeType(type);
    if (!converted)
      return function.emitError() << "has a value of type " << type;
    program.buffers.push_back(*converted);
    return runtime::BufferId(program.buffers.size() - 1);
  };
  auto bind = [&](runtime::BufferId id, std::vector<runtime::Binding> &list) {
    runtime::Binding binding;
    binding.buffer = id;
    binding.index = list.size();
    for (int64_t size : program.buffers[id].shape)
      binding.region.dimensions.push_back({{0, size}});
    list.push_back(binding);
  };
  for (mlir::Type type : function.getArgumentTypes()) {
    mlir::FailureOr<runtime::BufferId> id = add(type);
    if (failed(id))
      return mlir::failure();
    call.operands.push_back(*id);
    bind(*id, program.arguments);
  }
  for (mlir::Type type : function.getResultTypes()) {
    mlir::FailureOr<runtime::BufferId> id = add(type);
    if (failed(id))
      return mlir::failure();
    call.results.push_back(*id);
    bind(*id, program.results);
  }
  program.instructions.push_back(call);
  return program;
}

} // namespace hetero

#endif // HETERO_TEST_CONVERSION_RUN_FUNCTIONPROGRAM_H
