// Collectives with a body: what is printed is what is read, in the custom and
// in the generic form.
// RUN: hetero-opt %s | FileCheck %s
// RUN: hetero-opt %s | hetero-opt | FileCheck %s
// RUN: hetero-opt %s --mlir-print-op-generic | hetero-opt | FileCheck %s

// CHECK-LABEL: func @all_reduce
func.func @all_reduce(%x: tensor<2x8xf32>) {
  // CHECK: %0:2 = "stablehlo.all_reduce"(%arg0, %arg0) <{replica_groups = dense<{{\[\[0, 1, 2\], \[3, 4, -1\]\]}}> : tensor<2x3xi64>}> ({
  // CHECK-NEXT: ^bb0(%[[A:.*]]: tensor<f32>, %[[B:.*]]: tensor<f32>):
  // CHECK-NEXT: %[[S:.*]] = stablehlo.add %[[A]], %[[B]] : tensor<f32>
  // CHECK-NEXT: stablehlo.return %[[S]] : tensor<f32>
  // CHECK-NEXT: }) : (tensor<2x8xf32>, tensor<2x8xf32>) -> (tensor<2x8xf32>, tensor<2x8xf32>)
  %0:2 = "stablehlo.all_reduce"(%x, %x) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) {replica_groups = dense<[[0, 1, 2], [3, 4, -1]]> : tensor<2x3xi64>} : (tensor<2x8xf32>, tensor<2x8xf32>) -> (tensor<2x8xf32>, tensor<2x8xf32>)
  return
}

// Sums may be accumulated in a wider type.
// CHECK-LABEL: func @all_reduce_promoted
func.func @all_reduce_promoted(%x: tensor<?xbf16>) {
  // CHECK: }) : (tensor<?xbf16>) -> tensor<?xf32>
  %0 = "stablehlo.all_reduce"(%x) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) {replica_groups = dense<0> : tensor<1x1xi64>} : (tensor<?xbf16>) -> tensor<?xf32>
  return
}

// CHECK-LABEL: func @collective_reduce
func.func @collective_reduce(%x: tensor<4xi64>) {
  // CHECK: "stablehlo.collective_reduce"(%arg0) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>, replica_groups = dense<{{\[\[0, 1\]\]}}> : tensor<1x2xi64>}> ({
  // CHECK: }) : (tensor<4xi64>) -> tensor<4xi64>
  %0 = "stablehlo.collective_reduce"(%x) ({
  ^bb0(%a: tensor<i64>, %b: tensor<i64>):
    %s = stablehlo.maximum %a, %b : tensor<i64>
    stablehlo.return %s : tensor<i64>
  }) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>} : (tensor<4xi64>) -> tensor<4xi64>
  return
}

// CHECK-LABEL: func @reduce_scatter
func.func @reduce_scatter(%x: tensor<2x8xf32>) {
  // CHECK: "stablehlo.reduce_scatter"(%arg0) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>, replica_groups = dense<{{\[\[0, 1, 2, 3\]\]}}> : tensor<1x4xi64>, scatter_dimension = 1 : i64, use_global_device_ids}> ({
  // CHECK: }) : (tensor<2x8xf32>) -> tensor<2x2xf32>
  %0 = "stablehlo.reduce_scatter"(%x) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) {scatter_dimension = 1 : i64, replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>, use_global_device_ids} : (tensor<2x8xf32>) -> tensor<2x2xf32>
  return
}

// CHECK-LABEL: func @async
func.func @async(%x: tensor<2x8xf32>) {
  // CHECK: %[[F:.*]] = "stablehlo.async_start"(%arg0) ({
  // CHECK-NEXT: ^bb0(%[[A:.*]]: tensor<2x8xf32>):
  // CHECK-NEXT: %[[G:.*]] = "stablehlo.all_gather"(%[[A]]) <{all_gather_dim = 1 : i64, replica_groups = dense<{{\[\[0, 1\]\]}}> : tensor<1x2xi64>}> : (tensor<2x8xf32>) -> tensor<2x16xf32>
  // CHECK-NEXT: stablehlo.return %[[G]] : tensor<2x16xf32>
  // CHECK-NEXT: }) : (tensor<2x8xf32>) -> !stablehlo.future<tensor<2x16xf32>>
  %0 = "stablehlo.async_start"(%x) ({
  ^bb0(%a: tensor<2x8xf32>):
    %g = "stablehlo.all_gather"(%a) {all_gather_dim = 1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<2x8xf32>) -> tensor<2x16xf32>
    stablehlo.return %g : tensor<2x16xf32>
  }) : (tensor<2x8xf32>) -> !stablehlo.future<tensor<2x16xf32>>
  // CHECK: "stablehlo.async_done"(%[[F]])
  %1 = "stablehlo.async_done"(%0) : (!stablehlo.future<tensor<2x16xf32>>) -> tensor<2x16xf32>
  return
}

