// RUN: hetero-opt %s -hetero-name-operations --mlir-print-debuginfo --mlir-print-op-generic --mlir-print-local-scope | FileCheck %s

func.func @names_and_types(%x: tensor<8x4xf32>) -> (tensor<8x4xf32>, tensor<f32>) {
  // CHECK: "stablehlo.constant"{{.*}} loc(fused<"constant f32">["{{.*}}name-operations.mlir":[[#@LINE+1]]:
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  // CHECK: "stablehlo.tanh"{{.*}} loc(fused<"tanh 8x4xf32">["jit(step)/tanh"("{{.*}}":7:1)])
  %y = stablehlo.tanh %x : tensor<8x4xf32> loc("jit(step)/tanh"("step.py":7:1))
  // Operations of regions have names of their own, terminators have none.
  // CHECK: "stablehlo.maximum"{{.*}} loc(fused<"maximum f32">[
  // CHECK: "stablehlo.return"{{.*}} loc("{{.*}}name-operations.mlir"
  // CHECK: loc(fused<"reduce f32">[
  %m = "stablehlo.reduce"(%y, %zero) <{dimensions = array<i64: 0, 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.maximum %a, %b : tensor<f32>
    stablehlo.return %c : tensor<f32>
  }) : (tensor<8x4xf32>, tensor<f32>) -> tensor<f32>
  return %y, %m : tensor<8x4xf32>, tensor<f32>
}
