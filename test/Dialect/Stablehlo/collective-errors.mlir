// One program for each constraint of the specification, named for its label.
// RUN: hetero-opt %s -split-input-file -verify-diagnostics

// all_gather_c1
func.func @all_gather_c1(%x: tensor<2x8xf32>) {
  // expected-error @+1 {{all_gather_dim must be a valid index of operand, got 2 for 'tensor<2x8xf32>'}}
  %0 = "stablehlo.all_gather"(%x) <{all_gather_dim = 2 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<2x8xf32>) -> tensor<2x16xf32>
  return
}

// -----

// all_gather_c1_negative
func.func @all_gather_c1_negative(%x: tensor<2x8xf32>) {
  // expected-error @+1 {{attribute 'all_gather_dim' failed to satisfy constraint: 64-bit signless integer attribute whose value is non-negative}}
  %0 = "stablehlo.all_gather"(%x) <{all_gather_dim = -1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<2x8xf32>) -> tensor<2x16xf32>
  return
}

// -----

// all_gather_c2
func.func @all_gather_c2(%x: tensor<2x8xf32>) {
  // expected-error @+1 {{replica id #1 seen more than once}}
  %0 = "stablehlo.all_gather"(%x) <{all_gather_dim = 1 : i64, replica_groups = dense<[[0, 1, 1]]> : tensor<1x3xi64>}> : (tensor<2x8xf32>) -> tensor<2x16xf32>
  return
}

// -----

// all_gather_c2_splat
func.func @all_gather_c2_splat(%x: tensor<2x8xf32>) {
  // expected-error @+1 {{replica id #0 seen more than once}}
  %0 = "stablehlo.all_gather"(%x) <{all_gather_dim = 1 : i64, replica_groups = dense<0> : tensor<1000000000x1000000000xi64>}> : (tensor<2x8xf32>) -> tensor<2x16xf32>
  return
}

// -----

// all_gather_c4
func.func @all_gather_c4(%x: tensor<2x8xf32>) {
  // expected-error @+1 {{replica id #1 not seen in replica groups}}
  %0 = "stablehlo.all_gather"(%x) <{all_gather_dim = 1 : i64, replica_groups = dense<[[0, 9223372036854775807]]> : tensor<1x2xi64>}> : (tensor<2x8xf32>) -> tensor<2x16xf32>
  return
}

// -----

// all_gather_c4_padding
func.func @all_gather_c4_padding(%x: tensor<2x8xf32>) {
  // expected-error @+1 {{invalid replica id -1}}
  %0 = "stablehlo.all_gather"(%x) <{all_gather_dim = 1 : i64, replica_groups = dense<[[0, -1]]> : tensor<1x2xi64>}> : (tensor<2x8xf32>) -> tensor<2x16xf32>
  return
}

// -----

// all_gather_c5
func.func @all_gather_c5(%x: tensor<2x8xf32>) {
  // expected-error @+1 {{channel_id cannot be negative when useGlobalDeviceIds is set, got -1}}
  %0 = "stablehlo.all_gather"(%x) <{all_gather_dim = 1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids, channel_handle = #stablehlo.channel_handle<handle = -1, type = 0>}> : (tensor<2x8xf32>) -> tensor<2x16xf32>
  return
}

// -----

// all_gather_c6
func.func @all_gather_c6(%x: tensor<2x8xf32>) {
  // expected-error @+1 {{result gather dimension has size 15, expected to be a multiple of operand gather dimension size 8}}
  %0 = "stablehlo.all_gather"(%x) <{all_gather_dim = 1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<2x8xf32>) -> tensor<2x15xf32>
  return
}

// -----

// all_gather_c6_shape
func.func @all_gather_c6_shape(%x: tensor<2x8xf32>) {
  // expected-error @+1 {{operand and result should have the same shape except for the dimension size at}}
  %0 = "stablehlo.all_gather"(%x) <{all_gather_dim = 1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<2x8xf32>) -> tensor<3x16xf32>
  return
}

// -----

// all_gather_c6_rank
func.func @all_gather_c6_rank(%x: tensor<2x8xf32>) {
  // expected-error @+1 {{operand and result must have the same rank}}
  %0 = "stablehlo.all_gather"(%x) <{all_gather_dim = 1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<2x8xf32>) -> tensor<16xf32>
  return
}

// -----

// all_gather_c6_zero
func.func @all_gather_c6_zero(%x: tensor<2x0xf32>) {
  // expected-error @+1 {{dimension size of operand at 'all_gather_dim' cannot be zero}}
  %0 = "stablehlo.all_gather"(%x) <{all_gather_dim = 1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<2x0xf32>) -> tensor<2x0xf32>
  return
}

// -----

// all_gather_c6_element
func.func @all_gather_c6_element(%x: tensor<2x8xf32>) {
  // expected-error @+1 {{requires the same element type for operand and result, got}}
  %0 = "stablehlo.all_gather"(%x) <{all_gather_dim = 1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<2x8xf32>) -> tensor<2x16xf64>
  return
}

// -----

// all_gather_i3
func.func @all_gather_i3(%x: tensor<2x8xf32>) {
  // expected-error @+1 {{replica groups should be a rank 2 tensor, got}}
  %0 = "stablehlo.all_gather"(%x) <{all_gather_dim = 1 : i64, replica_groups = dense<[0, 1]> : tensor<2xi64>}> : (tensor<2x8xf32>) -> tensor<2x16xf32>
  return
}

// -----

// all_gather_i3_empty
func.func @all_gather_i3_empty(%x: tensor<2x8xf32>) {
  // expected-error @+1 {{if `use_global_device_ids` is set, the replica groups cannot be empty}}
  %0 = "stablehlo.all_gather"(%x) <{all_gather_dim = 1 : i64, replica_groups = dense<> : tensor<0x0xi64>, use_global_device_ids}> : (tensor<2x8xf32>) -> tensor<2x16xf32>
  return
}

// -----

// all_gather_groups
func.func @all_gather_groups(%x: tensor<2x8xf32>) {
  // expected-error @+1 {{attribute 'replica_groups' failed to satisfy constraint: 64-bit signless integer elements attribute or mesh and axes based replica groups}}
  %0 = "stablehlo.all_gather"(%x) <{all_gather_dim = 1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi32>}> : (tensor<2x8xf32>) -> tensor<2x16xf32>
  return
}

// -----

func.func @all_gather_results(%x: tensor<2x8xf32>) {
  // expected-error @+1 {{expects as many results as operands, got 1 and 2}}
  %0 = "stablehlo.all_gather"(%x, %x) <{all_gather_dim = 1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<2x16xf32>
  return
}

// -----

// replica_group_mesh_axes_c1
// expected-error @+1 {{mesh must be a FlatSymbolRefAttr or MeshAttr, got @a::@b}}
func.func private @replica_group_mesh_axes_c1() attributes {groups = #stablehlo.replica_group_mesh_axes<mesh = @a::@b, axes = []>}

// -----

// replica_group_mesh_axes_c2
// expected-error @+1 {{expected AxisRefAttr in axes list, got 3}}
func.func private @replica_group_mesh_axes_c2() attributes {groups = #stablehlo.replica_group_mesh_axes<mesh = #stablehlo.mesh<axes=[<name = "x", size = 2>]>, axes = [3]>}

// -----

// replica_group_mesh_axes_c3
// expected-error @+1 {{axis 'y' not found in mesh definition}}
func.func private @replica_group_mesh_axes_c3() attributes {groups = #stablehlo.replica_group_mesh_axes<mesh = #stablehlo.mesh<axes=[<name = "x", size = 2>]>, axes = [#stablehlo.axis_ref<name = "y">]>}

// -----

// replica_group_mesh_axes_c4
func.func @replica_group_mesh_axes_c4(%x: tensor<2x8xf32>) {
  // expected-error @+1 {{replica_groups: mesh symbol 'mesh' not found}}
  %0 = "stablehlo.all_gather"(%x) <{all_gather_dim = 1 : i64, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = []>}> : (tensor<2x8xf32>) -> tensor<2x16xf32>
  return
}

// -----

// all_to_all_c1
func.func @all_to_all_c1(%x: tensor<2x8xf32>) {
  // expected-error @+2 {{AllToAll split_dimension 2 is out-of-bounds for input rank 2}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "stablehlo.all_to_all"(%x) <{split_dimension = 2 : i64, concat_dimension = 0 : i64, split_count = 2 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<2x8xf32>) -> tensor<4x4xf32>
  return
}

// -----

// all_to_all_c2
func.func @all_to_all_c2(%x: tensor<2x7xf32>) {
  // expected-error @+2 {{split dimension has size 7, expected to be a multiple of split_count 2}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "stablehlo.all_to_all"(%x) <{split_dimension = 1 : i64, concat_dimension = 0 : i64, split_count = 2 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<2x7xf32>) -> tensor<4x4xf32>
  return
}

// -----

// all_to_all_c3
func.func @all_to_all_c3(%x: tensor<2x8xf32>) {
  // expected-error @+2 {{AllToAll concat_dimension 2 is out-of-bounds for input rank 2}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "stablehlo.all_to_all"(%x) <{split_dimension = 1 : i64, concat_dimension = 2 : i64, split_count = 2 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<2x8xf32>) -> tensor<4x4xf32>
  return
}

// -----

// all_to_all_c4
func.func @all_to_all_c4(%x: tensor<2x8xf32>) {
  // expected-error @+1 {{attribute 'split_count' failed to satisfy constraint: 64-bit signless integer attribute whose value is positive}}
  %0 = "stablehlo.all_to_all"(%x) <{split_dimension = 1 : i64, concat_dimension = 0 : i64, split_count = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<2x8xf32>) -> tensor<4x4xf32>
  return
}

// -----

// all_to_all_c5
func.func @all_to_all_c5(%x: tensor<2x8xf32>) {
  // expected-error @+2 {{replica id #1 seen more than once}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "stablehlo.all_to_all"(%x) <{split_dimension = 1 : i64, concat_dimension = 0 : i64, split_count = 2 : i64, replica_groups = dense<[[1, 1]]> : tensor<1x2xi64>}> : (tensor<2x8xf32>) -> tensor<4x4xf32>
  return
}

// -----

// all_to_all_c7
func.func @all_to_all_c7(%x: tensor<2x8xf32>) {
  // expected-error @+2 {{replica id #0 not seen in replica groups}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "stablehlo.all_to_all"(%x) <{split_dimension = 1 : i64, concat_dimension = 0 : i64, split_count = 2 : i64, replica_groups = dense<[[1, 2]]> : tensor<1x2xi64>}> : (tensor<2x8xf32>) -> tensor<4x4xf32>
  return
}

// -----

// all_to_all_c8
func.func @all_to_all_c8(%x: tensor<2x8xf32>) {
  // expected-error @+2 {{group size of replica_groups must be 2, got 3}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "stablehlo.all_to_all"(%x) <{split_dimension = 1 : i64, concat_dimension = 0 : i64, split_count = 2 : i64, replica_groups = dense<[[0, 1, 2]]> : tensor<1x3xi64>}> : (tensor<2x8xf32>) -> tensor<4x4xf32>
  return
}

// -----

// all_to_all_c9
func.func @all_to_all_c9(%x: tensor<2x8xf32>) {
  // expected-error @+2 {{inferred type(s) 'tensor<4x4xf32>' are incompatible with return type(s) of operation 'tensor<4x8xf32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "stablehlo.all_to_all"(%x) <{split_dimension = 1 : i64, concat_dimension = 0 : i64, split_count = 2 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<2x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

// all_to_all_c9_overflow
func.func @all_to_all_c9_overflow(%x: tensor<9223372036854775807x8xf32>) {
  // expected-error @+2 {{size of the concatenated dimension does not fit in 64 bits}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "stablehlo.all_to_all"(%x) <{split_dimension = 1 : i64, concat_dimension = 0 : i64, split_count = 2 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<9223372036854775807x8xf32>) -> tensor<4x4xf32>
  return
}

// -----

// all_to_all_i5
func.func @all_to_all_i5(%x: tensor<2x8xf32>) {
  // expected-error @+2 {{replica groups should be a rank 2 tensor}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "stablehlo.all_to_all"(%x) <{split_dimension = 1 : i64, concat_dimension = 0 : i64, split_count = 2 : i64, replica_groups = dense<[0, 1]> : tensor<2xi64>}> : (tensor<2x8xf32>) -> tensor<4x4xf32>
  return
}

// -----

// collective_broadcast_c1
func.func @collective_broadcast_c1(%x: tensor<4xf32>) {
  // expected-error @+1 {{replica id #3 seen more than once}}
  %0 = "stablehlo.collective_broadcast"(%x) <{replica_groups = dense<[[3, 1], [0, 3]]> : tensor<2x2xi64>}> : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// collective_broadcast_c2
func.func @collective_broadcast_c2(%x: tensor<4xf32>) {
  // expected-error @+1 {{replica_groups values must be positive, but was given -1}}
  %0 = "stablehlo.collective_broadcast"(%x) <{replica_groups = dense<[[0, -1]]> : tensor<1x2xi64>}> : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// collective_broadcast_c3
func.func @collective_broadcast_c3(%x: tensor<4xf32>) {
  // expected-error @+1 {{requires compatible types for all operands and results}}
  %0 = "stablehlo.collective_broadcast"(%x) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4xf32>) -> tensor<5xf32>
  return
}

// -----

// collective_broadcast_i2
func.func @collective_broadcast_i2(%x: tensor<4xf32>) {
  // expected-error @+1 {{replica groups should be a rank 2 tensor, got}}
  %0 = "stablehlo.collective_broadcast"(%x) <{replica_groups = dense<0> : tensor<2xi64>}> : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// collective_permute_c1
func.func @collective_permute_c1(%x: tensor<4xf32>) {
  // expected-error @+1 {{expect source_target_pairs attribute of shape (N, 2), but got}}
  %0 = "stablehlo.collective_permute"(%x) <{source_target_pairs = dense<[[0, 1, 2]]> : tensor<1x3xi64>}> : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// collective_permute_c2
func.func @collective_permute_c2(%x: tensor<4xf32>) {
  // expected-error @+1 {{duplicate sources not allowed, got 0}}
  %0 = "stablehlo.collective_permute"(%x) <{source_target_pairs = dense<[[0, 1], [0, 2]]> : tensor<2x2xi64>}> : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// collective_permute_c2_splat
func.func @collective_permute_c2_splat(%x: tensor<4xf32>) {
  // expected-error @+1 {{duplicate sources not allowed, got 0}}
  %0 = "stablehlo.collective_permute"(%x) <{source_target_pairs = dense<0> : tensor<1000000000000x2xi64>}> : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// collective_permute_c3
func.func @collective_permute_c3(%x: tensor<4xf32>) {
  // expected-error @+1 {{duplicate targets not allowed, got 2}}
  %0 = "stablehlo.collective_permute"(%x) <{source_target_pairs = dense<[[0, 2], [1, 2]]> : tensor<2x2xi64>}> : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// collective_permute_c4
func.func @collective_permute_c4(%x: tensor<4xf32>) {
  // expected-error @+1 {{replica ids in source_target_pairs must be >= 0, got -1}}
  %0 = "stablehlo.collective_permute"(%x) <{source_target_pairs = dense<[[0, -1]]> : tensor<1x2xi64>}> : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// collective_permute_c5
func.func @collective_permute_c5(%x: tensor<4xf32>) {
  // expected-error @+1 {{requires compatible types for all operands and results}}
  %0 = "stablehlo.collective_permute"(%x) <{source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4xf32>) -> tensor<4xf64>
  return
}

// -----

// collective_permute_i2
func.func @collective_permute_i2(%x: tensor<4xf32>) {
  // expected-error @+1 {{expect source_target_pairs attribute to be of rank 2, but got rank 1}}
  %0 = "stablehlo.collective_permute"(%x) <{source_target_pairs = dense<[0, 1]> : tensor<2xi64>}> : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// send_c1_i3
func.func @send_c1_i3(%t: !stablehlo.token) {
  // expected-error @+1 {{channel_type should be DEVICE_TO_DEVICE (1) when is_host_transfer is false, got 2}}
  %0 = "stablehlo.send"(%t) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 2>}> : (!stablehlo.token) -> !stablehlo.token
  return
}

// -----

// send_c1_i3_host
func.func @send_c1_i3_host(%t: !stablehlo.token) {
  // expected-error @+1 {{channel_type should be DEVICE_TO_HOST (2) when is_host_transfer is true, got 3}}
  %0 = "stablehlo.send"(%t) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 3>, is_host_transfer = true}> : (!stablehlo.token) -> !stablehlo.token
  return
}

// -----

// recv_c1_i3
func.func @recv_c1_i3(%t: !stablehlo.token) {
  // expected-error @+1 {{channel_type should be DEVICE_TO_DEVICE (1) when is_host_transfer is false, got 3}}
  %0 = "stablehlo.recv"(%t) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 3>}> : (!stablehlo.token) -> (!stablehlo.token)
  return
}

// -----

// recv_c1_i3_host
func.func @recv_c1_i3_host(%t: !stablehlo.token) {
  // expected-error @+1 {{channel_type should be HOST_TO_DEVICE (3) when is_host_transfer is true, got 2}}
  %0 = "stablehlo.recv"(%t) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 2>, is_host_transfer = true}> : (!stablehlo.token) -> (!stablehlo.token)
  return
}

// -----

// recv_c2
func.func @recv_c2(%t: !stablehlo.token) {
  // expected-error @+1 {{result is expected to be at least of size 1, but got 0}}
  "stablehlo.recv"(%t) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>}> : (!stablehlo.token) -> ()
  return
}

// -----

// recv_c3
func.func @recv_c3(%t: !stablehlo.token) {
  // expected-error @+1 {{everything but the last element of result types is expected to be of tensor type, but got '!stablehlo.token'}}
  %0:2 = "stablehlo.recv"(%t) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>}> : (!stablehlo.token) -> (!stablehlo.token, !stablehlo.token)
  return
}

// -----

// recv_c4
func.func @recv_c4(%t: !stablehlo.token) {
  // expected-error @+1 {{last element of result types is expected to be of token type, but got 'tensor<f32>'}}
  %0 = "stablehlo.recv"(%t) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>}> : (!stablehlo.token) -> (tensor<f32>)
  return
}

// -----

// partition_id_type
func.func @partition_id_type() {
  // expected-error @+1 {{result #0 must be}}
  %0 = stablehlo.partition_id : tensor<i32>
  return
}

// -----

// async_done_c1
func.func @async_done_c1(%f: !stablehlo.future<tensor<f32>, tensor<f32>>) {
  // expected-error @+2 {{future must have exactly one type parameter, but got 2}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "stablehlo.async_done"(%f) : (!stablehlo.future<tensor<f32>, tensor<f32>>) -> tensor<f32>
  return
}

// -----

// async_done_c1_type
func.func @async_done_c1_type(%f: !stablehlo.future<tensor<f32>>) {
  // expected-error @+2 {{inferred type(s) 'tensor<f32>' are incompatible with return type(s) of operation 'tensor<f64>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "stablehlo.async_done"(%f) : (!stablehlo.future<tensor<f32>>) -> tensor<f64>
  return
}
