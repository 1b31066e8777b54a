//===- Passes.td - From kernels to machine code ------------*- tablegen -*-===//
//
// Part of the hetero project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HETERO_CONVERSION_PASSES_TD
#define HETERO_CONVERSION_PASSES_TD

include "mlir/Pass/PassBase.td"

def LowerToLinalgPass : Pass<"hetero-lower-to-linalg", "::mlir::func::FuncOp"> {
  let summary = "Lowers StableHLO to loops on tensors";
  let description = [{
    Turns StableHLO into linalg, tensor, arith, math, complex and scf. Chains of
    element-wise operations become one loop each, together with the broadcasts,
    transposes and slices that they read through and the reduction that they end
    in: thousands of operations have to be few loops before code is generated
    for them, and it takes linear time to decide that here, where the meaning of
    each operation is known.

    Unsigned integers become signless ones; operations keep their meaning. What
    has no lowering is an error at the operation.

    ```mlir
    %0 = stablehlo.broadcast_in_dim %bias, dims = [1] : (tensor<8xf32>) -> tensor<4x8xf32>
    %1 = stablehlo.add %x, %0 : tensor<4x8xf32>
    %2 = stablehlo.tanh %1 : tensor<4x8xf32>
    // becomes
    %e = tensor.empty() : tensor<4x8xf32>
    %2 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>,
                                          affine_map<(d0, d1) -> (d1)>,
                                          affine_map<(d0, d1) -> (d0, d1)>], ...}
         ins(%x, %bias : ...) outs(%e : ...) {
    ^bb0(%a: f32, %b: f32, %out: f32):
      %s = arith.addf %a, %b : f32
      %t = math.tanh %s : f32
      linalg.yield %t : f32
    }
    ```
  }];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::bufferization::BufferizationDialect",
    "::mlir::complex::ComplexDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::math::MathDialect", "::mlir::memref::MemRefDialect",
    "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect"
  ];
  let statistics = [
    Statistic<"numOps", "num-ops", "Number of StableHLO operations">,
    Statistic<"numLoops", "num-loops", "Number of loops that they became">
  ];
}

def SetDestinationsPass
    : Pass<"hetero-set-destinations", "::mlir::func::FuncOp"> {
  let summary = "Makes a kernel write its results into given buffers";
  let description = [{
    The caller of a kernel owns its operands and results: each result becomes a
    buffer argument that the value is materialized in, and operands are marked
    as not writable. It is separate from bufferization, which then lets the
    producers write there at once.

    ```mlir
    func.func @k(%x: tensor<4xf32>) -> tensor<4xf32> {
      ...
      return %r : tensor<4xf32>
    }
    // becomes
    func.func @k(%x: tensor<4xf32> {bufferization.writable = false}, %out: memref<4xf32>) {
      ...
      bufferization.materialize_in_destination %r in restrict writable %out
        : (tensor<4xf32>, memref<4xf32>) -> ()
      return
    }
    ```
  }];
  let dependentDialects = ["::mlir::bufferization::BufferizationDialect",
                           "::mlir::memref::MemRefDialect"];
  let statistics = [
    Statistic<"numResults", "num-results", "Number of results">
  ];
}

def LowerContractionsPass
    : Pass<"hetero-lower-contractions", "::mlir::ModuleOp"> {
  let summary = "Calls the matrix library for contractions";
  let description = [{
    A linalg.generic with `hetero.contraction` on buffers of f32 or f64 whose
    strides are known becomes a call of `hetero_contract_f32` or `_f64`
    (hetero/Runtime/Contraction.h), with a table that says how far each operand
    moves along each dimension of the loop nest. Transposed and strided operands
    and the windows of convolutions need no copies before that. It runs after
    bufferization, when strides are known. Others stay loops.

    ```mlir
    linalg.generic {indexing_maps = [...], hetero.contraction}
      ins(%a, %b : memref<4x8xf32>, memref<8x6xf32>) outs(%c : memref<4x6xf32>) {...}
    // becomes
    memref.global constant @contraction_0 : memref<14xi64> =
      dense<[3, 1, 4, 8, 0, 6, 6, 0, 1, 1, 8, 1, 6, 0]>
    call @hetero_contract_f32(%pa, %pb, %pc, %table) : (index, index, index, index) -> ()
    ```
  }];
  let dependentDialects = ["::mlir::memref::MemRefDialect",
                           "::mlir::arith::ArithDialect"];
  let statistics = [
    Statistic<"numCalls", "num-calls", "Number of calls">
  ];
}

def OutlineLoopsPass : Pass<"hetero-outline-loops", "::mlir::ModuleOp"> {
  let summary = "Makes loops functions, equal ones once";
  let description = [{
    LLVM takes much more than linear time for large functions, and the layers of
    a model repeat the same loops. Each linalg operation on whole buffers
    becomes a call of a function that holds it; operations that are equal but
    for the buffers share one.

    ```mlir
    linalg.generic ... ins(%a : memref<4xf32>) outs(%b : memref<4xf32>) {...}
    linalg.generic ... ins(%b : memref<4xf32>) outs(%c : memref<4xf32>) {...}
    // becomes
    call @loop_0(%a, %b) : (memref<4xf32>, memref<4xf32>) -> ()
    call @loop_0(%b, %c) : (memref<4xf32>, memref<4xf32>) -> ()
    ```
  }];
  let statistics = [
    Statistic<"numCalls", "num-calls", "Number of loops that became calls">,
    Statistic<"numFunctions", "num-functions", "Number of distinct loops">
  ];
}

def WrapKernelsPass : Pass<"hetero-wrap-kernels", "::mlir::ModuleOp"> {
  let summary = "Gives kernels their calling convention";
  let description = [{
    The last step before translation. Each function with `hetero.kernel` becomes
    private, and a function of its name reads its pointers from a list. Calls of
    the allocator that the conversion of memref leaves become calls of
    `hetero_workspace_alloc` and `hetero_workspace_free`.

    ```mlir
    llvm.func @k(%x: !llvm.ptr, %out: !llvm.ptr) attributes {hetero.kernel} {...}
    // becomes
    llvm.func private @k.impl(%x: !llvm.ptr, %out: !llvm.ptr) {...}
    llvm.func @k(%buffers: !llvm.ptr) {
      %x = llvm.load %buffers : !llvm.ptr -> !llvm.ptr
      %1 = llvm.getelementptr %buffers[1] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
      %out = llvm.load %1 : !llvm.ptr -> !llvm.ptr
      llvm.call @k.impl(%x, %out) : (!llvm.ptr, !llvm.ptr) -> ()
      llvm.return
    }
    ```
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
  let statistics = [
    Statistic<"numKernels", "num-kernels", "Number of kernels">
  ];
}

#endif // HETERO_CONVERSION_PASSES_TD
