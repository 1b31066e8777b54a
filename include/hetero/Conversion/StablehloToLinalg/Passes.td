//===- Passes.td - From StableHLO to loops -----------------*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef HETERO_CONVERSION_STABLEHLOTOLINALG_PASSES_TD
#define HETERO_CONVERSION_STABLEHLOTOLINALG_PASSES_TD

include "mlir/Pass/PassBase.td"

def LowerToLinalgPass : Pass<"hetero-lower-to-linalg", "::mlir::ModuleOp"> {
  let summary = "Lowers StableHLO to loops on tensors";
  let description = [{
    Turns StableHLO into linalg, tensor, arith, math, complex and scf. Chains of
    element-wise operations become one loop each, together with the broadcasts,
    transposes and slices that they read through and the reduction that they end
    in: thousands of operations have to be few loops before code is generated
    for them, and it takes linear time to decide that here, where the meaning of
    each operation is known.

    Unsigned integers become signless ones; operations keep their meaning. What
    has no lowering is an error at the operation. Fourier transforms and
    factorizations of matrices become calls of the runtime, which are declared
    in the module.

    For the target `cuda`, loops are written so that many threads can share
    them: the iterations of a scatter that cannot meet come first and are marked
    `hetero.parallel`, sorting merges by ranks, counted loops run on a counter of
    the host, and products of 16-bit floats stay in that type.

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
  let options = [
    Option<"target", "target", "std::string", /*default=*/"\"cpu\"",
           "What the loops are for: cpu or cuda">
  ];
  let dependentDialects = [
    "::hetero::HeteroDialect",
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

#endif // HETERO_CONVERSION_STABLEHLOTOLINALG_PASSES_TD
