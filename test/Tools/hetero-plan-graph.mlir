// A step as a graph of operations, and the SPMD program for it.
//
// RUN: hetero-translate --graph %s -o %t.graph.yaml
// RUN: FileCheck %s --check-prefix=GRAPH < %t.graph.yaml
// RUN: hetero-plan --graph %t.graph.yaml --cluster %S/../../examples/clusters/desk.yaml | FileCheck %s
// RUN: hetero-plan --graph %s --cluster %S/../../examples/clusters/desk.yaml --planner hap | FileCheck %s --check-prefix=HAP
// RUN: hetero-plan --graph %s --cluster %S/../../examples/clusters/desk.yaml --planner hap --time-budget 0s | FileCheck %s --check-prefix=EARLY
// RUN: not hetero-plan --graph %s --time-budget 1s 2>&1 | FileCheck %s --check-prefix=BUDGET
// RUN: not hetero-plan --graph %s --planner hap --time-budget soon 2>&1 | FileCheck %s --check-prefix=SOON
// RUN: hetero-plan --graph %s --cluster %S/../../examples/clusters/desk.yaml --json | FileCheck %s --check-prefix=JSON
// RUN: not hetero-plan --graph %s --planner stages 2>&1 | FileCheck %s --check-prefix=PLANNER
// RUN: sed 's/memory: [0-9]* GiB/memory: 2 KiB, reserved: 0 B/' %S/../../examples/clusters/demo.yaml > %t.small.yaml
// RUN: not hetero-plan --graph %s --cluster %t.small.yaml 2>&1 | FileCheck %s --check-prefix=SHORT
// RUN: not hetero-plan --graph %s --cluster %t.small.yaml --planner hap 2>&1 | FileCheck %s --check-prefix=SHORT
// RUN: echo "tensors: [{dims: [2, -1]}]" > %t.bad.yaml
// RUN: not hetero-plan --graph %t.bad.yaml 2>&1 | FileCheck %s --check-prefix=BAD

// Constants are in every form, reshapes are only that, and barriers are one
// operation for each value.
// GRAPH: batch: 64
// GRAPH: - {name: "arg0", dims: [32, 48], bytes: 6 KiB}
// GRAPH: - {tensor: 0, role: parameter, next: [[NEXT:[0-9]+]]}
// GRAPH: - {tensor: 1, role: batch}
// GRAPH: - {name: "dot_general", operands: [1, 0], results: [2], rule: "ba,ac->bc", sum: "a", linear: {{\[\[0\], \[1\]\]}}, work: {"f32": {{.*}}FLOP}, bytes: {{.*}}}
// GRAPH: - {name: "reshape", operands: [2], results: [3], rule: "reshape", linear: {{\[\[0\]\]}}}
// GRAPH: - {name: "optimization_barrier", operands: [3], results: [4], rule: "abc->abc"
// GRAPH: - {name: "tanh", operands: [4], results: [5], rule: "abc->abc"
// GRAPH: - {name: "reduce", operands: [5, -1], results: [6], rule: "abc,->", sum: "abc"
// GRAPH: - {name: "multiply", operands: [{{[0-9]+}}, -1], results: [{{[0-9]+}}], rule: "ab,->ab"
// GRAPH: - {name: "subtract", operands: [0, {{[0-9]+}}], results: [[[NEXT]]], rule: "ab,ab->ab", linear: {{\[\[0, 1\]\]}}
// GRAPH: results: [6]

// CHECK: program by 'spmd' on cluster 'desk': {{[0-9]+}} operations on 4 devices
// CHECK-NEXT: shares 1 x rtx4090 {{.*}}%, 1 x rtx3090 {{.*}}%, 2 x rtx2080ti {{.*}}%
// CHECK-NEXT: products
// CHECK-NEXT: collectives
// CHECK-NEXT: state {{[01]}} of 1 tensors in parts
// CHECK-NEXT: memory 1 x rtx4090
// CHECK-NEXT: step {{.*}}: computation {{.*}}, communication {{.*}}; optimal for its shares
// HAP: program by 'hap'
// HAP: memory 1 x rtx4090
// HAP: optimal for its shares
// EARLY: program by 'hap'
// EARLY: step {{.*}}: computation
// BUDGET: error: --time-budget does nothing with --graph
// SOON: error: time-budget is 'soon' and must be a time, like 5s
// JSON: "bound_seconds":
// JSON: "proven": true
// PLANNER: error: the planner 'stages' takes no graphs; those that do: hap, spmd
// SHORT: error: device {{[0-3] .*}} has 2 KiB of memory, and the program that comes closest needs {{.*}} KiB: it is {{.*}} KiB short
// BAD: bad.yaml:1:1: error: tensor 0 has a dimension of -1

func.func @main(%w: tensor<32x48xf32> {hetero.role = #hetero.role<parameter>},
                %x: tensor<64x32xf32> {hetero.role = #hetero.role<batch>})
    -> (tensor<f32> {hetero.role = #hetero.role<loss>},
        tensor<32x48xf32> {hetero.role = #hetero.role<updated_state of 0>}) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %rate = stablehlo.constant dense<0.1> : tensor<32x48xf32>
  %y = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<64x32xf32>, tensor<32x48xf32>) -> tensor<64x48xf32>
  %h = stablehlo.reshape %y : (tensor<64x48xf32>) -> tensor<64x6x8xf32>
  %b = stablehlo.optimization_barrier %h : tensor<64x6x8xf32>
  %t = stablehlo.tanh %b : tensor<64x6x8xf32>
  %loss = stablehlo.reduce(%t init: %zero) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<64x6x8xf32>, tensor<f32>) -> tensor<f32>
  %d = stablehlo.reshape %t : (tensor<64x6x8xf32>) -> tensor<64x48xf32>
  %g = stablehlo.dot_general %x, %d, contracting_dims = [0] x [0] : (tensor<64x32xf32>, tensor<64x48xf32>) -> tensor<32x48xf32>
  %u = stablehlo.multiply %g, %rate : tensor<32x48xf32>
  %n = stablehlo.subtract %w, %u : tensor<32x48xf32>
  return %loss, %n : tensor<f32>, tensor<32x48xf32>
}
