//===- Passes.td - What rank programs compute --------------*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef HETERO_CONVERSION_PROGRAMS_PASSES_TD
#define HETERO_CONVERSION_PROGRAMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def ExtractKernelsPass : Pass<"hetero-extract-kernels", "::mlir::ModuleOp"> {
  let summary = "Leaves what rank programs compute";
  let description = [{
    A module with rank programs becomes the module of the kernels that they
    call: units, and what lies between two communications of a unit, or all of a
    program that does not communicate. The programs themselves are data for the runtime
    (hetero/Conversion/Programs/RuntimePrograms.h) and no code, and are left out. A
    module without rank programs stays as it is.

    ```mlir
    func.func @rank0(%w: tensor<4xf32>) attributes {hetero.program = ...} {
      %g = call @stage0_grad(%w) : (tensor<4xf32>) -> tensor<4xf32>
      %s = hetero.all_reduce ...
      return %s
    }
    func.func private @stage0_grad(%w: tensor<4xf32>) -> tensor<4xf32> {...}
    // becomes
    func.func @stage0_grad(%w: tensor<4xf32>) -> tensor<4xf32> {...}
    ```
  }];
  let statistics = [
    Statistic<"numKernels", "num-kernels", "Number of kernels">
  ];
}

#endif // HETERO_CONVERSION_PROGRAMS_PASSES_TD
