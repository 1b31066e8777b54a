// Ops between devices: what is printed is what is read, in the custom and in
// the generic form.
// RUN: hetero-opt %s | FileCheck %s
// RUN: hetero-opt %s | hetero-opt | FileCheck %s
// RUN: hetero-opt %s --mlir-print-op-generic | FileCheck %s --check-prefix=GENERIC
// RUN: hetero-opt %s --mlir-print-op-generic | hetero-opt | FileCheck %s

// CHECK-LABEL: func @ids
func.func @ids() {
  // CHECK: stablehlo.partition_id {a} : tensor<ui32>
  // GENERIC: "stablehlo.partition_id"() {a} : () -> tensor<ui32>
  %0 = stablehlo.partition_id {a} : tensor<ui32>
  // CHECK: stablehlo.replica_id : tensor<ui32>
  %1 = stablehlo.replica_id : tensor<ui32>
  return
}

// CHECK-LABEL: func @all_gather
func.func @all_gather(%x: tensor<2x8xf32>, %y: tensor<?x8xf32>) {
  // CHECK: %0:2 = "stablehlo.all_gather"(%arg0, %arg0) <{all_gather_dim = 1 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>, replica_groups = dense<{{\[\[0, 1\], \[2, 3\]\]}}> : tensor<2x2xi64>, use_global_device_ids}> : (tensor<2x8xf32>, tensor<2x8xf32>) -> (tensor<2x16xf32>, tensor<2x16xf32>)
  %0:2 = "stablehlo.all_gather"(%x, %x) {all_gather_dim = 1 : i64, replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>, use_global_device_ids} : (tensor<2x8xf32>, tensor<2x8xf32>) -> (tensor<2x16xf32>, tensor<2x16xf32>)
  // CHECK: "stablehlo.all_gather"(%arg1) <{all_gather_dim = 0 : i64, replica_groups = dense<> : tensor<0x0xi64>}> : (tensor<?x8xf32>) -> tensor<6x8xf32>
  %1 = "stablehlo.all_gather"(%y) <{all_gather_dim = 0 : i64, replica_groups = dense<> : tensor<0x0xi64>}> : (tensor<?x8xf32>) -> tensor<6x8xf32>
  return
}

// CHECK-LABEL: func @all_to_all
func.func @all_to_all(%x: tensor<2x8xf32>, %y: tensor<?x8xf32, #stablehlo.bounds<4, ?>>) {
  // CHECK: "stablehlo.all_to_all"(%arg0) <{concat_dimension = 0 : i64, replica_groups = dense<{{\[\[0, 1\], \[2, 3\]\]}}> : tensor<2x2xi64>, split_count = 2 : i64, split_dimension = 1 : i64}> : (tensor<2x8xf32>) -> tensor<4x4xf32>
  %0 = "stablehlo.all_to_all"(%x) {split_dimension = 1 : i64, concat_dimension = 0 : i64, split_count = 2 : i64, replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>} : (tensor<2x8xf32>) -> tensor<4x4xf32>
  // CHECK: -> tensor<?x4xf32, #stablehlo.bounds<8, ?>>
  %1 = "stablehlo.all_to_all"(%y) {split_dimension = 1 : i64, concat_dimension = 0 : i64, split_count = 2 : i64, replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>} : (tensor<?x8xf32, #stablehlo.bounds<4, ?>>) -> tensor<?x4xf32, #stablehlo.bounds<8, ?>>
  return
}

// CHECK-LABEL: func @collective_broadcast
func.func @collective_broadcast(%x: tensor<4xi32>) {
  // CHECK: "stablehlo.collective_broadcast"(%arg0) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>, replica_groups = dense<{{\[\[7, 3\]\]}}> : tensor<1x2xi64>}> : (tensor<4xi32>) -> tensor<4xi32>
  %0 = "stablehlo.collective_broadcast"(%x) {replica_groups = dense<[[7, 3]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>} : (tensor<4xi32>) -> tensor<4xi32>
  return
}

// CHECK-LABEL: func @collective_permute
func.func @collective_permute(%x: tensor<4xi32>) {
  // CHECK: "stablehlo.collective_permute"(%arg0) <{source_target_pairs = dense<{{\[\[0, 1\], \[1, 0\]\]}}> : tensor<2x2xi64>}> : (tensor<4xi32>) -> tensor<4xi32>
  %0 = "stablehlo.collective_permute"(%x) {source_target_pairs = dense<[[0, 1], [1, 0]]> : tensor<2x2xi64>} : (tensor<4xi32>) -> tensor<4xi32>
  // CHECK: source_target_pairs = dense<5> : tensor<1x2xi64>
  %1 = "stablehlo.collective_permute"(%x) {source_target_pairs = dense<5> : tensor<1x2xi64>} : (tensor<4xi32>) -> tensor<4xi32>
  return
}

// CHECK-LABEL: func @cross_replica_sum
func.func @cross_replica_sum(%x: tensor<4xi32>) {
  // CHECK: "stablehlo.cross-replica-sum"(%arg0) <{replica_groups = dense<{{\[\[0, 1\], \[2, 3\]\]}}> : tensor<2x2xi64>}> : (tensor<4xi32>) -> tensor<4xi32>
  %0 = "stablehlo.cross-replica-sum"(%x) {replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>} : (tensor<4xi32>) -> tensor<4xi32>
  return
}

// Groups by the axes of a mesh that is written out, and of one that is a symbol.
// CHECK-LABEL: func @mesh_axes
func.func @mesh_axes(%x: tensor<4xi32>) {
  // CHECK: replica_groups = #stablehlo.replica_group_mesh_axes<mesh = #stablehlo.mesh<axes=[<name = "x", size = 2>, <name = "y", size = 4>]>, axes = [#stablehlo.axis_ref<name = "y", sub_axis_info = (1)2>, #stablehlo.axis_ref<name = "x">]>
  %0 = "stablehlo.all_gather"(%x) {all_gather_dim = 0 : i64, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = #stablehlo.mesh<axes = [#stablehlo.mesh_axis<name = "x", size = 2>, <name = "y", size = 4>]>, axes = [#stablehlo.axis_ref<name = "y", sub_axis_info = (1)2>, #stablehlo.axis_ref<name = "x">]>} : (tensor<4xi32>) -> tensor<16xi32>
  // CHECK: replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh_axes, axes = [#stablehlo.axis_ref<name = "x">]>
  %1 = "stablehlo.collective_broadcast"(%x) {replica_groups = #stablehlo.replica_group_mesh_axes<axes = [#stablehlo.axis_ref<name = "x">], mesh = @mesh_axes>} : (tensor<4xi32>) -> tensor<4xi32>
  return
}

// CHECK-LABEL: func @mesh_attributes
// CHECK-SAME: mesh = #stablehlo.mesh<axes=[<name = "x", size = 2>], device_ids=dense<[1, 0]> : tensor<2xi64>>
// CHECK-SAME: sub = #stablehlo<sub_axis_info(1)2>
func.func @mesh_attributes() attributes {
    mesh = #stablehlo.mesh<axes=[<name = "x", size = 2>], device_ids=dense<[1, 0]> : tensor<2xi64>>,
    sub = #stablehlo<sub_axis_info (1) 2>} {
  return
}

// CHECK-LABEL: func @send_recv
func.func @send_recv(%x: tensor<4xi32>, %t: !stablehlo.token) {
  // CHECK: "stablehlo.send"(%arg0, %arg1) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 2>, is_host_transfer = true}> : (tensor<4xi32>, !stablehlo.token) -> !stablehlo.token
  %0 = "stablehlo.send"(%x, %t) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 2>, is_host_transfer = true} : (tensor<4xi32>, !stablehlo.token) -> !stablehlo.token
  // CHECK: "stablehlo.send"(%arg0, %arg0, %arg1) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<{{\[\[0, 1\], \[2, 3\]\]}}> : tensor<2x2xi64>}> :
  %1 = "stablehlo.send"(%x, %x, %t) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>} : (tensor<4xi32>, tensor<4xi32>, !stablehlo.token) -> !stablehlo.token
  // CHECK: "stablehlo.recv"(%arg1) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 3>, is_host_transfer = true}> : (!stablehlo.token) -> (tensor<4xi32>, !stablehlo.token)
  %2:2 = "stablehlo.recv"(%t) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 3>, is_host_transfer = true} : (!stablehlo.token) -> (tensor<4xi32>, !stablehlo.token)
  // CHECK: "stablehlo.recv"(%arg1) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, is_host_transfer = false}> : (!stablehlo.token) -> !stablehlo.token
  %3 = "stablehlo.recv"(%t) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, is_host_transfer = false} : (!stablehlo.token) -> !stablehlo.token
  return
}

// CHECK-LABEL: func @async_done
func.func @async_done(%f: !stablehlo.future<tensor<2x16xf32>>) {
  // CHECK: "stablehlo.async_done"(%arg0) : (!stablehlo.future<tensor<2x16xf32>>) -> tensor<2x16xf32>
  %0 = "stablehlo.async_done"(%f) : (!stablehlo.future<tensor<2x16xf32>>) -> tensor<2x16xf32>
  return
}
