// One program for each constraint of the specification, named for its label.
// RUN: hetero-opt %s -split-input-file -verify-diagnostics

// all_reduce_c1
func.func @all_reduce_c1(%x: tensor<4xf32>) {
  // expected-error @+1 {{replica id #0 seen more than once}}
  %0 = "stablehlo.all_reduce"(%x) <{replica_groups = dense<[[0, 0]]> : tensor<1x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// all_reduce_c3
func.func @all_reduce_c3(%x: tensor<4xf32>) {
  // expected-error @+1 {{replica id #0 not seen in replica groups}}
  %0 = "stablehlo.all_reduce"(%x) <{replica_groups = dense<[[1, 2]]> : tensor<1x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// all_reduce_c4
func.func @all_reduce_c4(%x: tensor<4xf32>) {
  // expected-error @+1 {{channel_id must be positive when useGlobalDeviceIds is set but got: 0}}
  %0 = "stablehlo.all_reduce"(%x) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// all_reduce_c5
func.func @all_reduce_c5(%x: tensor<4xf32>) {
  // expected-error @+2 {{expects computation to take 2 arguments, got 1}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "stablehlo.all_reduce"(%x) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
  ^bb0(%a: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// all_reduce_c5_results
func.func @all_reduce_c5_results(%x: tensor<4xf32>) {
  // expected-error @+2 {{expects computation to return 1 values, got 2}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "stablehlo.all_reduce"(%x) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %a, %b : tensor<f32>, tensor<f32>
  }) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// all_reduce_c5_rank
func.func @all_reduce_c5_rank(%x: tensor<4xf32>) {
  // expected-error @+2 {{computation returns 'tensor<2xf32>', which an initial value of 'tensor<f32>' cannot be promoted to}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "stablehlo.all_reduce"(%x) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
  ^bb0(%a: tensor<2xf32>, %b: tensor<2xf32>):
    stablehlo.return %a : tensor<2xf32>
  }) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// all_reduce_c5_first
func.func @all_reduce_c5_first(%x: tensor<4xf32>) {
  // expected-error @+2 {{computation returns 'tensor<f64>', but accumulates in 'tensor<f32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "stablehlo.all_reduce"(%x) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f64>):
    stablehlo.return %b : tensor<f64>
  }) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// all_reduce_c5_second
func.func @all_reduce_c5_second(%x: tensor<4xf32>) {
  // expected-error @+2 {{computation returns 'tensor<f32>', but adds elements of 'tensor<i32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "stablehlo.all_reduce"(%x) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<i32>):
    stablehlo.return %a : tensor<f32>
  }) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// all_reduce_c5_promotion
func.func @all_reduce_c5_promotion(%x: tensor<4xi64>) {
  // expected-error @+2 {{computation returns 'tensor<i32>', which an initial value of 'tensor<i64>' cannot be promoted to}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "stablehlo.all_reduce"(%x) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    stablehlo.return %a : tensor<i32>
  }) : (tensor<4xi64>) -> tensor<4xi32>
  return
}

// -----

// all_reduce_i2
func.func @all_reduce_i2(%x: tensor<4xf32>) {
  // expected-error @+1 {{replica groups should be a rank 2 tensor}}
  %0 = "stablehlo.all_reduce"(%x) <{replica_groups = dense<0> : tensor<1xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// all_reduce_i2_empty
func.func @all_reduce_i2_empty(%x: tensor<4xf32>) {
  // expected-error @+1 {{if `use_global_device_ids` is set, the replica groups cannot be empty}}
  %0 = "stablehlo.all_reduce"(%x) <{replica_groups = dense<> : tensor<0x0xi64>, use_global_device_ids}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// all_reduce_c6
func.func @all_reduce_c6(%x: tensor<4xf32>) {
  // expected-error @+2 {{inferred type(s) 'tensor<4xf32>' are incompatible with return type(s) of operation 'tensor<5xf32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "stablehlo.all_reduce"(%x) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) : (tensor<4xf32>) -> tensor<5xf32>
  return
}

// -----

// all_reduce_c7
func.func @all_reduce_c7(%x: tensor<4xf32>) {
  // expected-error @+2 {{inferred type(s) 'tensor<4xf32>' are incompatible with return type(s) of operation 'tensor<4xf64>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "stablehlo.all_reduce"(%x) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) : (tensor<4xf32>) -> tensor<4xf64>
  return
}

// -----

// collective_reduce_c1
func.func @collective_reduce_c1(%x: tensor<4xf32>) {
  // expected-error @+1 {{replica id #0 seen more than once}}
  %0 = "stablehlo.collective_reduce"(%x) <{replica_groups = dense<[[0, 0]]> : tensor<1x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// collective_reduce_c3
func.func @collective_reduce_c3(%x: tensor<4xf32>) {
  // expected-error @+1 {{replica id #0 not seen in replica groups}}
  %0 = "stablehlo.collective_reduce"(%x) <{replica_groups = dense<[[1, 2]]> : tensor<1x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// collective_reduce_c4
func.func @collective_reduce_c4(%x: tensor<4xf32>) {
  // expected-error @+1 {{channel_id must be positive when useGlobalDeviceIds is set but got: 0}}
  %0 = "stablehlo.collective_reduce"(%x) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// collective_reduce_c5
func.func @collective_reduce_c5(%x: tensor<4xf32>) {
  // expected-error @+2 {{expects computation to take 2 arguments, got 1}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "stablehlo.collective_reduce"(%x) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
  ^bb0(%a: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// collective_reduce_c5_results
func.func @collective_reduce_c5_results(%x: tensor<4xf32>) {
  // expected-error @+2 {{expects computation to return 1 values, got 2}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "stablehlo.collective_reduce"(%x) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %a, %b : tensor<f32>, tensor<f32>
  }) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// collective_reduce_c5_rank
func.func @collective_reduce_c5_rank(%x: tensor<4xf32>) {
  // expected-error @+2 {{computation returns 'tensor<2xf32>', which an initial value of 'tensor<f32>' cannot be promoted to}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "stablehlo.collective_reduce"(%x) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
  ^bb0(%a: tensor<2xf32>, %b: tensor<2xf32>):
    stablehlo.return %a : tensor<2xf32>
  }) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// collective_reduce_c5_first
func.func @collective_reduce_c5_first(%x: tensor<4xf32>) {
  // expected-error @+2 {{computation returns 'tensor<f64>', but accumulates in 'tensor<f32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "stablehlo.collective_reduce"(%x) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f64>):
    stablehlo.return %b : tensor<f64>
  }) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// collective_reduce_c5_second
func.func @collective_reduce_c5_second(%x: tensor<4xf32>) {
  // expected-error @+2 {{computation returns 'tensor<f32>', but adds elements of 'tensor<i32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "stablehlo.collective_reduce"(%x) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<i32>):
    stablehlo.return %a : tensor<f32>
  }) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// collective_reduce_c5_promotion
func.func @collective_reduce_c5_promotion(%x: tensor<4xi64>) {
  // expected-error @+2 {{computation returns 'tensor<i32>', which an initial value of 'tensor<i64>' cannot be promoted to}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "stablehlo.collective_reduce"(%x) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    stablehlo.return %a : tensor<i32>
  }) : (tensor<4xi64>) -> tensor<4xi32>
  return
}

// -----

// collective_reduce_i2
func.func @collective_reduce_i2(%x: tensor<4xf32>) {
  // expected-error @+1 {{replica groups should be a rank 2 tensor}}
  %0 = "stablehlo.collective_reduce"(%x) <{replica_groups = dense<0> : tensor<1xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// collective_reduce_i2_empty
func.func @collective_reduce_i2_empty(%x: tensor<4xf32>) {
  // expected-error @+1 {{if `use_global_device_ids` is set, the replica groups cannot be empty}}
  %0 = "stablehlo.collective_reduce"(%x) <{replica_groups = dense<> : tensor<0x0xi64>, use_global_device_ids}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// collective_reduce_c6
func.func @collective_reduce_c6(%x: tensor<4xf32>) {
  // expected-error @+2 {{inferred type(s) 'tensor<4xf32>' are incompatible with return type(s) of operation 'tensor<5xf32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "stablehlo.collective_reduce"(%x) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) : (tensor<4xf32>) -> tensor<5xf32>
  return
}

// -----

// collective_reduce_c7
func.func @collective_reduce_c7(%x: tensor<4xf32>) {
  // expected-error @+2 {{inferred type(s) 'tensor<4xf32>' are incompatible with return type(s) of operation 'tensor<4xf64>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "stablehlo.collective_reduce"(%x) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) : (tensor<4xf32>) -> tensor<4xf64>
  return
}

// -----

// reduce_scatter_c3
func.func @reduce_scatter_c3(%x: tensor<4xf32>) {
  // expected-error @+1 {{replica id #0 seen more than once}}
  %0 = "stablehlo.reduce_scatter"(%x) <{scatter_dimension = 0 : i64, replica_groups = dense<[[0, 0]]> : tensor<1x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// reduce_scatter_c5
func.func @reduce_scatter_c5(%x: tensor<4xf32>) {
  // expected-error @+1 {{replica id #0 not seen in replica groups}}
  %0 = "stablehlo.reduce_scatter"(%x) <{scatter_dimension = 0 : i64, replica_groups = dense<[[1, 2]]> : tensor<1x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// reduce_scatter_c6
func.func @reduce_scatter_c6(%x: tensor<4xf32>) {
  // expected-error @+1 {{channel_id must be positive when useGlobalDeviceIds is set but got: 0}}
  %0 = "stablehlo.reduce_scatter"(%x) <{scatter_dimension = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// reduce_scatter_c7
func.func @reduce_scatter_c7(%x: tensor<4xf32>) {
  // expected-error @+1 {{expects computation to take 2 arguments, got 1}}
  %0 = "stablehlo.reduce_scatter"(%x) <{scatter_dimension = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
  ^bb0(%a: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// reduce_scatter_c7_results
func.func @reduce_scatter_c7_results(%x: tensor<4xf32>) {
  // expected-error @+1 {{expects computation to return 1 values, got 2}}
  %0 = "stablehlo.reduce_scatter"(%x) <{scatter_dimension = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %a, %b : tensor<f32>, tensor<f32>
  }) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// reduce_scatter_c7_rank
func.func @reduce_scatter_c7_rank(%x: tensor<4xf32>) {
  // expected-error @+1 {{computation returns 'tensor<2xf32>', which an initial value of 'tensor<f32>' cannot be promoted to}}
  %0 = "stablehlo.reduce_scatter"(%x) <{scatter_dimension = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
  ^bb0(%a: tensor<2xf32>, %b: tensor<2xf32>):
    stablehlo.return %a : tensor<2xf32>
  }) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// reduce_scatter_c7_first
func.func @reduce_scatter_c7_first(%x: tensor<4xf32>) {
  // expected-error @+1 {{computation returns 'tensor<f64>', but accumulates in 'tensor<f32>'}}
  %0 = "stablehlo.reduce_scatter"(%x) <{scatter_dimension = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f64>):
    stablehlo.return %b : tensor<f64>
  }) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// reduce_scatter_c7_second
func.func @reduce_scatter_c7_second(%x: tensor<4xf32>) {
  // expected-error @+1 {{computation returns 'tensor<f32>', but adds elements of 'tensor<i32>'}}
  %0 = "stablehlo.reduce_scatter"(%x) <{scatter_dimension = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<i32>):
    stablehlo.return %a : tensor<f32>
  }) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// reduce_scatter_c7_promotion
func.func @reduce_scatter_c7_promotion(%x: tensor<4xi64>) {
  // expected-error @+1 {{computation returns 'tensor<i32>', which an initial value of 'tensor<i64>' cannot be promoted to}}
  %0 = "stablehlo.reduce_scatter"(%x) <{scatter_dimension = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    stablehlo.return %a : tensor<i32>
  }) : (tensor<4xi64>) -> tensor<4xi32>
  return
}

// -----

// reduce_scatter_i3
func.func @reduce_scatter_i3(%x: tensor<4xf32>) {
  // expected-error @+1 {{replica groups should be a rank 2 tensor}}
  %0 = "stablehlo.reduce_scatter"(%x) <{scatter_dimension = 0 : i64, replica_groups = dense<0> : tensor<1xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// reduce_scatter_i3_empty
func.func @reduce_scatter_i3_empty(%x: tensor<4xf32>) {
  // expected-error @+1 {{if `use_global_device_ids` is set, the replica groups cannot be empty}}
  %0 = "stablehlo.reduce_scatter"(%x) <{scatter_dimension = 0 : i64, replica_groups = dense<> : tensor<0x0xi64>, use_global_device_ids}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// reduce_scatter_c2
func.func @reduce_scatter_c2(%x: tensor<4xf32>) {
  // expected-error @+1 {{scatter dim should be less than operand/result rank, got 1 for 'tensor<4xf32>'}}
  %0 = "stablehlo.reduce_scatter"(%x) <{scatter_dimension = 1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// reduce_scatter_c8
func.func @reduce_scatter_c8(%x: tensor<4xf32>) {
  // expected-error @+1 {{operand scatter dimension has size 4, expected to be a multiple of result scatter dimension size 3}}
  %0 = "stablehlo.reduce_scatter"(%x) <{scatter_dimension = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) : (tensor<4xf32>) -> tensor<3xf32>
  return
}

// -----

// reduce_scatter_c8_rank
func.func @reduce_scatter_c8_rank(%x: tensor<4xf32>) {
  // expected-error @+1 {{operand and result should have same rank}}
  %0 = "stablehlo.reduce_scatter"(%x) <{scatter_dimension = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) : (tensor<4xf32>) -> tensor<4x1xf32>
  return
}

// -----

// reduce_scatter_c8_shape
func.func @reduce_scatter_c8_shape(%x: tensor<4x2xf32>) {
  // expected-error @+1 {{non scatter dimensions should be same for operand (2) and result (3)}}
  %0 = "stablehlo.reduce_scatter"(%x) <{scatter_dimension = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) : (tensor<4x2xf32>) -> tensor<2x3xf32>
  return
}

// -----

// reduce_scatter_c8_zero
func.func @reduce_scatter_c8_zero(%x: tensor<4xf32>) {
  // expected-error @+1 {{dimension sizes at scatter_dimension cannot be zero, got 4 and 0}}
  %0 = "stablehlo.reduce_scatter"(%x) <{scatter_dimension = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) : (tensor<4xf32>) -> tensor<0xf32>
  return
}

// -----

// reduce_scatter_c9
func.func @reduce_scatter_c9(%x: tensor<4xf32>) {
  // expected-error @+1 {{result element-type is expected to be 'f32', but got 'f64'}}
  %0 = "stablehlo.reduce_scatter"(%x) <{scatter_dimension = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) : (tensor<4xf32>) -> tensor<2xf64>
  return
}

// -----

// async_start_c1
func.func @async_start_c1(%x: tensor<4xf32>) {
  // expected-error @+2 {{region must contain exactly one operation and a return}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "stablehlo.async_start"(%x) ({
  ^bb0(%a: tensor<4xf32>):
    stablehlo.return %a : tensor<4xf32>
  }) : (tensor<4xf32>) -> !stablehlo.future<tensor<8xf32>>
  return
}

// -----

// async_start_c1_kind
func.func @async_start_c1_kind(%x: tensor<4xf32>) {
  // expected-error @+2 {{region must contain a collective or slice operation, got 'stablehlo.negate'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "stablehlo.async_start"(%x) ({
  ^bb0(%a: tensor<4xf32>):
    %g = stablehlo.negate %a : tensor<4xf32>
    stablehlo.return %g : tensor<4xf32>
  }) : (tensor<4xf32>) -> !stablehlo.future<tensor<8xf32>>
  return
}

// -----

// async_start_c1_return
func.func @async_start_c1_return(%x: tensor<4xf32>) {
  // expected-error @+2 {{region must return exactly one value, but got 2}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "stablehlo.async_start"(%x) ({
  ^bb0(%a: tensor<4xf32>):
    %g = "stablehlo.all_gather"(%a) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4xf32>) -> tensor<8xf32>
    stablehlo.return %g, %g : tensor<8xf32>, tensor<8xf32>
  }) : (tensor<4xf32>) -> !stablehlo.future<tensor<8xf32>>
  return
}

// -----

// async_start_c2
func.func @async_start_c2(%x: tensor<4xf32>) {
  // expected-error @+2 {{operand types must match the types of the region}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "stablehlo.async_start"(%x) ({
  ^bb0(%a: tensor<?xf32>):
    %g = "stablehlo.all_gather"(%a) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<?xf32>) -> tensor<8xf32>
    stablehlo.return %g : tensor<8xf32>
  }) : (tensor<4xf32>) -> !stablehlo.future<tensor<8xf32>>
  return
}

// -----

// async_start_c3
func.func @async_start_c3(%x: tensor<4xf32>) {
  // expected-error @+2 {{inferred type(s) '!stablehlo.future<tensor<8xf32>>' are incompatible with return type(s) of operation '!stablehlo.future<tensor<9xf32>>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "stablehlo.async_start"(%x) ({
  ^bb0(%a: tensor<4xf32>):
    %g = "stablehlo.all_gather"(%a) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4xf32>) -> tensor<8xf32>
    stablehlo.return %g : tensor<8xf32>
  }) : (tensor<4xf32>) -> !stablehlo.future<tensor<9xf32>>
  return
}
