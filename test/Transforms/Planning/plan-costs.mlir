// What a layer costs is what its operations cost in the graph of the step:
// products apart from what reads and writes, nothing for what is fused with its
// only user or is there for free.

// RUN: hetero-opt %s --hetero-import --hetero-form-layers -o %t.mlir
// RUN: hetero-translate --problem %t.mlir | FileCheck %s --check-prefix=PROBLEM
// RUN: hetero-translate --graph %t.mlir | FileCheck %s --check-prefix=GRAPH

// 2 * 64 * 64 operations for a sample. The weights are read for any number of
// samples, and the input and the result are 64 numbers for each.
// PROBLEM: name: "layer_0"
// PROBLEM-NEXT: forward: {work: {"f32": {sample: 8.192 KFLOP}}, bytes: {fixed: 16 KiB, sample: 512 B}, operations: 1}
// PROBLEM-NEXT: backward: {work: {}, bytes: {}, operations: 0}
// The update reads and writes the weights, and not what it subtracts.
// PROBLEM-NEXT: update: {work: {"f32": {fixed: 4.096 KFLOP}}, bytes: {fixed: 32 KiB}, operations: 1}
// The gradient is written once, and read once for its scaling.
// PROBLEM: name: "layer_2"
// PROBLEM-NEXT: forward: {work: {"f32": {sample: 64 FLOP}}, bytes: {sample: 512 B}, operations: 1}
// PROBLEM-NEXT: backward: {work: {"f32": {sample: 8.192 KFLOP}}, bytes: {fixed: 16 KiB, sample: 512 B}, operations: 1, others: [{work: {"f32": {sample: 512 FLOP}}, bytes: {fixed: 16 KiB}, operations: 0}]}

// The sum of the exponential and the input is done in one go.
// GRAPH: name: "exponential"{{.*}}bytes: 2 KiB, fused: true
// GRAPH: name: "add"{{.*}}bytes: 4 KiB, layer
// GRAPH: name: "dot_general"{{.*}}bytes: 20 KiB, layer

func.func @step(%w: tensor<64x64xf32> {tf.aliasing_output = 0 : i32}, %x: tensor<8x64xf32>) -> (tensor<64x64xf32>, tensor<f32>) {
  %rate = stablehlo.constant dense<1.000000e-01> : tensor<64x64xf32>
  %zero = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %y = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<8x64xf32>, tensor<64x64xf32>) -> tensor<8x64xf32>
  %e = stablehlo.exponential %y : tensor<8x64xf32>
  %a = stablehlo.add %e, %x : tensor<8x64xf32>
  %s = stablehlo.multiply %a, %a : tensor<8x64xf32>
  %loss = stablehlo.reduce(%s init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x64xf32>, tensor<f32>) -> tensor<f32>
  %g = stablehlo.dot_general %x, %a, contracting_dims = [0] x [0] : (tensor<8x64xf32>, tensor<8x64xf32>) -> tensor<64x64xf32>
  %d = stablehlo.multiply %g, %rate : tensor<64x64xf32>
  %n = stablehlo.subtract %w, %d : tensor<64x64xf32>
  return %n, %loss : tensor<64x64xf32>, tensor<f32>
}
