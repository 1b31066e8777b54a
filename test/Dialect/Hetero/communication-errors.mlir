// RUN: hetero-opt %s -split-input-file -verify-diagnostics

// expected-error @+1 {{handle_c1: 'f32' is not a ranked tensor or a '!hetero.host'}}
func.func private @f(!hetero.handle<f32>)

// -----

// expected-error @+1 {{host_c1: 'f32' is not a ranked tensor}}
func.func private @f(!hetero.host<f32>)

// -----

hetero.mesh @m = [4, 5]
func.func @f(%x: tensor<5x8xf32>) {
  // expected-error @+1 {{collective_c1: @f is not a mesh}}
  %0 = hetero.all_gather %x split 0 : [5, 3] over @f : tensor<5x8xf32> -> tensor<8x8xf32>
  return
}

// -----

// expected-note @+1 {{the mesh is here}}
hetero.mesh @m = [4, 5]
func.func @f(%x: tensor<5x8xf32>) {
  // expected-error @+1 {{collective_c1: the axes must be different ones of the mesh}}
  %0 = hetero.all_gather %x split 0 : [5, 3] over @m(data) : tensor<5x8xf32> -> tensor<8x8xf32>
  return
}

// -----

// expected-note @+1 {{the mesh is here}}
hetero.mesh @m = [4, 5]
func.func @f(%x: tensor<5x8xf32>) {
  // expected-error @+1 {{collective_c1: the axes must be different ones of the mesh}}
  %0 = hetero.all_gather %x split 0 : [5, 3] over @m(devices, devices) : tensor<5x8xf32> -> tensor<8x8xf32>
  return
}

// -----

// expected-note @+1 {{the mesh is here}}
hetero.mesh @m = [4, 5]
func.func @f(%x: tensor<5x8xf32>) attributes {hetero.program = #hetero.program<on [6]>} {
  // expected-error @+1 {{collective_c2: rank 6, which runs this, is not in the mesh}}
  %0 = hetero.all_gather %x split 0 : [5, 3] over @m : tensor<5x8xf32> -> tensor<8x8xf32>
  return
}

// -----

hetero.mesh @m = [4, 5]
func.func @f(%x: tensor<5xf32>) {
  // expected-error @+1 {{collective_c3: the result '!hetero.handle' is not a ranked tensor or a handle of one}}
  %0 = hetero.all_reduce sum %x over @m : tensor<5xf32> -> !hetero.handle
  return
}

// -----

hetero.mesh @m = [4, 5]
func.func @f(%x: tensor<5xf32>) {
  // expected-error @+1 {{collective_c3: the result '!hetero.handle<!hetero.host<tensor<5xf32>>>' is not a ranked tensor or a handle of one}}
  %0 = hetero.all_reduce sum %x over @m : tensor<5xf32> -> !hetero.handle<!hetero.host<tensor<5xf32>>>
  return
}

// -----

hetero.mesh @m = [4, 5]
func.func @f(%x: tensor<5x8xf32>) {
  // expected-error @+1 {{collective_c4: channel and bucket must not be negative}}
  %0 = hetero.all_gather %x split 0 : [5, 3] over @m channel -1 : tensor<5x8xf32> -> tensor<8x8xf32>
  return
}

// -----

hetero.mesh @m = [4, 5]
func.func @f(%x: tensor<5x8xf32>) {
  // expected-error @+1 {{collective_c4: channel and bucket must not be negative}}
  %0 = hetero.all_gather %x split 0 : [5, 3] over @m bucket -1 : tensor<5x8xf32> -> tensor<8x8xf32>
  return
}

// -----

hetero.mesh @m = [4, 5]
func.func @f(%x: tensor<5x8xf32>) {
  // expected-error @+1 {{collective_c5: has 3 sizes for 2 members}}
  %0 = hetero.all_gather %x split 0 : [5, 2, 1] over @m : tensor<5x8xf32> -> tensor<8x8xf32>
  return
}

// -----

hetero.mesh @m = [4, 5]
func.func @f(%x: tensor<5x8xf32>) {
  // expected-error @+1 {{collective_c5: the sizes must be given}}
  %0 = hetero.all_gather %x split 0 : batch over @m : tensor<5x8xf32> -> tensor<8x8xf32>
  return
}

// -----

hetero.mesh @m = [4, 5]
func.func @f(%x: tensor<5xf32>) {
  // expected-error @+1 {{collective_c6: 'and' does not combine elements of type 'f32'}}
  %0 = hetero.all_reduce and %x over @m : tensor<5xf32> -> tensor<5xf32>
  return
}

// -----

hetero.mesh @m = [4, 5]
func.func @f(%x: tensor<5xi1>) {
  // expected-error @+1 {{collective_c6: 'sum' does not combine elements of type 'i1'}}
  %0 = hetero.all_reduce sum %x over @m : tensor<5xi1> -> tensor<5xi1>
  return
}

// -----

hetero.mesh @m = [4, 5]
func.func @f(%x: tensor<5xcomplex<f32>>) {
  // expected-error @+1 {{collective_c6: 'max' does not combine elements of type 'complex<f32>'}}
  %0 = hetero.exclusive_scan max %x over @m : tensor<5xcomplex<f32>> -> tensor<5xcomplex<f32>>
  return
}

// -----

hetero.mesh @m = [4, 5]
func.func @f(%x: tensor<5x8xf32>) {
  // expected-error @+1 {{all_gather_c1: 'tensor<5x8xf32>' and 'tensor<8x8xf16>' differ in element type or rank}}
  %0 = hetero.all_gather %x split 0 : [5, 3] over @m : tensor<5x8xf32> -> tensor<8x8xf16>
  return
}

// -----

hetero.mesh @m = [4, 5]
func.func @f(%x: tensor<5x8xf32>) {
  // expected-error @+1 {{all_gather_c1: dimension 2 does not exist in 'tensor<5x8xf32>'}}
  %0 = hetero.all_gather %x split 2 : [5, 3] over @m : tensor<5x8xf32> -> tensor<8x8xf32>
  return
}

// -----

hetero.mesh @m = [4, 5]
func.func @f(%x: tensor<5x8xf32>) {
  // expected-error @+1 {{all_gather_c2: dimension 1 is 8 in the operand and 9 in the result}}
  %0 = hetero.all_gather %x split 0 : [5, 3] over @m : tensor<5x8xf32> -> tensor<8x9xf32>
  return
}

// -----

hetero.mesh @m = [4, 5]
func.func @f(%x: tensor<5x8xf32>) {
  // expected-error @+1 {{all_gather_c3: dimension 0 of 'tensor<9x8xf32>' must be 8, which the parts make together}}
  %0 = hetero.all_gather %x split 0 : [5, 3] over @m : tensor<5x8xf32> -> tensor<9x8xf32>
  return
}

// -----

hetero.mesh @m = [4, 5]
func.func @f(%x: tensor<5x8xf32>) attributes {hetero.program = #hetero.program<on [5]>} {
  // expected-error @+1 {{all_gather_c4: dimension 0 of 'tensor<5x8xf32>' must be 3, the part of rank 5}}
  %0 = hetero.all_gather %x split 0 : [5, 3] over @m : tensor<5x8xf32> -> tensor<8x8xf32>
  return
}

// -----

hetero.mesh @m = [4, 5]
func.func @f(%x: tensor<5x8xf32>) attributes {hetero.program = #hetero.program<on [4, 5]>} {
  // expected-error @+1 {{all_gather_c4: dimension 0 of 'tensor<5x8xf32>' must be 3, the part of rank 5}}
  %0 = hetero.all_gather %x split 0 : [5, 3] over @m : tensor<5x8xf32> -> tensor<8x8xf32>
  return
}

// -----

hetero.mesh @m = [4, 5]
func.func @f(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{all_gather_c4: dimension 0 of 'tensor<4x8xf32>' is not the part of any member}}
  %0 = hetero.all_gather %x split 0 : [5, 3] over @m : tensor<4x8xf32> -> tensor<8x8xf32>
  return
}

// -----

hetero.mesh @m = [4, 5]
func.func @f(%x: tensor<8x8xf32>) {
  // expected-error @+1 {{reduce_scatter_c1: 'tensor<8x8xf32>' and 'tensor<5xf32>' differ in element type or rank}}
  %0 = hetero.reduce_scatter sum %x split 0 : [5, 3] over @m : tensor<8x8xf32> -> tensor<5xf32>
  return
}

// -----

hetero.mesh @m = [4, 5]
func.func @f(%x: tensor<8x8xf32>) {
  // expected-error @+1 {{reduce_scatter_c2: dimension 1 is 8 in the operand and 7 in the result}}
  %0 = hetero.reduce_scatter sum %x split 0 : [5, 3] over @m : tensor<8x8xf32> -> tensor<5x7xf32>
  return
}

// -----

hetero.mesh @m = [4, 5]
func.func @f(%x: tensor<9x8xf32>) {
  // expected-error @+1 {{reduce_scatter_c3: dimension 0 of 'tensor<9x8xf32>' must be 8, which the parts make together}}
  %0 = hetero.reduce_scatter sum %x split 0 : [5, 3] over @m : tensor<9x8xf32> -> tensor<5x8xf32>
  return
}

// -----

hetero.mesh @m = [4, 5]
func.func @f(%x: tensor<8x8xf32>) attributes {hetero.program = #hetero.program<on [5]>} {
  // expected-error @+1 {{reduce_scatter_c4: dimension 0 of 'tensor<5x8xf32>' must be 3, the part of rank 5}}
  %0 = hetero.reduce_scatter sum %x split 0 : [5, 3] over @m : tensor<8x8xf32> -> tensor<5x8xf32>
  return
}

// -----

hetero.mesh @m = [4, 5]
func.func @f(%x: tensor<5xf32>) {
  // expected-error @+1 {{all_reduce_c1: the operand 'tensor<5xf32>' and the result 'tensor<6xf32>' differ}}
  %0 = hetero.all_reduce sum %x over @m : tensor<5xf32> -> tensor<6xf32>
  return
}

// -----

hetero.mesh @m = [4, 5]
func.func @f(%x: tensor<5xf32>) {
  // expected-error @+1 {{exclusive_scan_c1: the operand 'tensor<5xf32>' and the result 'tensor<6xf32>' differ}}
  %0 = hetero.exclusive_scan sum %x over @m : tensor<5xf32> -> !hetero.handle<tensor<6xf32>>
  return
}

// -----

hetero.mesh @m = [4, 5]
func.func @f(%x: tensor<5x8xf32>) {
  // expected-error @+1 {{all_to_all_c1: dimension 3 does not exist in 'tensor<5x8xf32>'}}
  %0 = hetero.all_to_all %x split 0 : [5, 3] to 3 : [2, 6] over @m : tensor<5x8xf32> -> tensor<8x2xf32>
  return
}

// -----

hetero.mesh @m = [4, 5]
func.func @f(%x: tensor<5x8x4xf32>) {
  // expected-error @+1 {{all_to_all_c2: dimension 2 is 4 in the operand and 5 in the result}}
  %0 = hetero.all_to_all %x split 0 : [5, 3] to 1 : [2, 6] over @m : tensor<5x8x4xf32> -> tensor<8x2x5xf32>
  return
}

// -----

hetero.mesh @m = [4, 5]
func.func @f(%x: tensor<5x9xf32>) {
  // expected-error @+1 {{all_to_all_c3: dimension 1 of 'tensor<5x9xf32>' must be 8, which the parts make together}}
  %0 = hetero.all_to_all %x split 0 : [5, 3] to 1 : [2, 6] over @m : tensor<5x9xf32> -> tensor<8x2xf32>
  return
}

// -----

hetero.mesh @m = [4, 5]
func.func @f(%x: tensor<5x8xf32>) {
  // expected-error @+1 {{all_to_all_c3: dimension 0 of 'tensor<9x2xf32>' must be 8, which the parts make together}}
  %0 = hetero.all_to_all %x split 0 : [5, 3] to 1 : [2, 6] over @m : tensor<5x8xf32> -> tensor<9x2xf32>
  return
}

// -----

hetero.mesh @m = [4, 5]
func.func @f(%x: tensor<5x8xf32>) attributes {hetero.program = #hetero.program<on [5]>} {
  // expected-error @+1 {{all_to_all_c4: dimension 0 of 'tensor<5x8xf32>' must be 3, the part of rank 5}}
  %0 = hetero.all_to_all %x split 0 : [5, 3] to 1 : [2, 6] over @m : tensor<5x8xf32> -> tensor<8x2xf32>
  return
}

// -----

hetero.mesh @m = [4, 5]
func.func @f(%x: tensor<5x8xf32>) attributes {hetero.program = #hetero.program<on [4]>} {
  // expected-error @+1 {{all_to_all_c4: dimension 1 of 'tensor<8x6xf32>' must be 2, the part of rank 4}}
  %0 = hetero.all_to_all %x split 0 : [5, 3] to 1 : [2, 6] over @m : tensor<5x8xf32> -> tensor<8x6xf32>
  return
}

// -----

hetero.mesh @m = [4, 5]
func.func @f(%x: tensor<5x8xf32>) {
  // expected-error @+1 {{all_to_all_c4: the operand and the result are not the parts of the same member}}
  %0 = hetero.all_to_all %x split 0 : [5, 3] to 1 : [2, 6] over @m : tensor<5x8xf32> -> tensor<8x6xf32>
  return
}

// -----

hetero.mesh @m = [4, 5]
func.func @f(%x: tensor<5x8xf32>) {
  // expected-error @+1 {{all_to_all_c5: dimension 0 has length 8 before and 9 after}}
  %0 = hetero.all_to_all %x split 0 : [5, 3] to 0 : [2, 7] over @m : tensor<5x8xf32> -> tensor<2x8xf32>
  return
}

// -----

hetero.mesh @m = [4, 5]
func.func @f(%x: tensor<5xf32>) {
  // expected-error @+1 {{broadcast_c1: comes from member 2, but there are 2}}
  %0 = hetero.broadcast %x from 2 over @m : (tensor<5xf32>) -> tensor<5xf32>
  return
}

// -----

hetero.mesh @m = [4, 5]
func.func @f(%x: tensor<5xf32>) {
  // expected-error @+1 {{broadcast_c1: comes from member -1, but there are 2}}
  %0 = hetero.broadcast %x from -1 over @m : (tensor<5xf32>) -> tensor<5xf32>
  return
}

// -----

hetero.mesh @m = [4, 5]
func.func @f(%x: tensor<5xf32>) attributes {hetero.program = #hetero.program<on [4]>} {
  // expected-error @+1 {{broadcast_c2: rank 4 must not bring a value}}
  %0 = hetero.broadcast %x from 1 over @m : (tensor<5xf32>) -> tensor<5xf32>
  return
}

// -----

hetero.mesh @m = [4, 5]
func.func @f(%x: tensor<5xf32>) attributes {hetero.program = #hetero.program<on [5]>} {
  // expected-error @+1 {{broadcast_c2: rank 5 must bring the value}}
  %0 = hetero.broadcast from 1 over @m : () -> tensor<5xf32>
  return
}

// -----

hetero.mesh @m = [4, 5]
func.func @f(%x: tensor<5xf32>) {
  // expected-error @+1 {{broadcast_c3: the operand 'tensor<5xf32>' and the result 'tensor<6xf32>' differ}}
  %0 = hetero.broadcast %x from 1 over @m : (tensor<5xf32>) -> tensor<6xf32>
  return
}

// -----

hetero.mesh @m = [4, 5]
func.func @f(%x: tensor<5xf32>) {
  // expected-error @+1 {{message_c1: rank -1 and channel 0 must not be negative}}
  hetero.send %x to -1 : tensor<5xf32>
  return
}

// -----

hetero.mesh @m = [4, 5]
func.func @f(%x: tensor<5xf32>) {
  // expected-error @+1 {{message_c1: rank 1 and channel -2 must not be negative}}
  %0 = hetero.recv from 1 channel -2 : tensor<5xf32>
  return
}

// -----

hetero.mesh @m = [4, 5]
func.func @f(%x: tensor<5xf32>) attributes {hetero.program = #hetero.program<on [4, 5]>} {
  // expected-error @+1 {{message_c2: is run by 2 ranks; a message has one at each end}}
  hetero.send %x to 1 : tensor<5xf32>
  return
}

// -----

hetero.mesh @m = [4, 5]
func.func @f(%x: tensor<5xf32>) attributes {hetero.program = #hetero.program<on [4]>} {
  // expected-error @+1 {{message_c2: is between rank 4 and itself}}
  hetero.send %x to 4 : tensor<5xf32>
  return
}

// -----

// expected-note @+1 {{the cluster has ranks 0 to 5}}
hetero.cluster @lab {
  hetero.device_class @t4 memory 16 GB peak <f32: 8 TFLOP/s> bandwidth 320 GB/s
  hetero.node @n0 [6 x @t4] link <pcie, 12 GB/s, 5 us>
}
hetero.mesh @m = [4, 5]
func.func @f(%x: tensor<5xf32>) {
  // expected-error @+1 {{message_c3: rank 6 does not exist}}
  %0 = hetero.recv from 6 : tensor<5xf32>
  return
}

// -----

hetero.mesh @m = [4, 5]
func.func @f(%x: tensor<5xf32>) {
  // expected-error @+1 {{recv_c1: the result '!hetero.handle' is not a ranked tensor or a handle of one}}
  %0 = hetero.recv from 6 : !hetero.handle
  return
}

// -----

hetero.mesh @m = [4, 5]
func.func @f() {
  // expected-error @+1 {{offset_c1: the result 'tensor<f32>' is not a tensor of rank 0 of integers}}
  %0 = hetero.offset [1, 2] over @m : tensor<f32>
  return
}

// -----

hetero.mesh @m = [4, 5]
func.func @f() {
  // expected-error @+1 {{offset_c1: the result 'tensor<1xi32>' is not a tensor of rank 0 of integers}}
  %0 = hetero.offset [1, 2] over @m : tensor<1xi32>
  return
}

// -----

hetero.mesh @m = [4, 5]
func.func @f() {
  // expected-error @+1 {{offset_c2: @f is not a mesh that has the axes}}
  %0 = hetero.offset [1, 2] over @f : tensor<i32>
  return
}

// -----

hetero.mesh @m = [4, 5]
func.func @f() {
  // expected-error @+1 {{offset_c2: has 1 sizes for 2 members}}
  %0 = hetero.offset [1] over @m : tensor<i32>
  return
}

// -----

hetero.mesh @m = [4, 5]
func.func @f() {
  // expected-error @+1 {{offset_c2: size -2 is not possible}}
  %0 = hetero.offset [1, -2] over @m : tensor<i32>
  return
}

// -----

hetero.mesh @m = [4, 5]
func.func @f(%x: tensor<5xf32>) {
  // expected-error @+1 {{accumulate_c1: 'or' does not combine elements of type 'f32'}}
  %0 = hetero.accumulate or %x into %x : tensor<5xf32>
  return
}

// -----

hetero.mesh @m = [4, 5]
func.func @f(%x: tensor<5xf32>) {
  // expected-error @+1 {{copy_c1: one of 'tensor<5xf32>' and 'tensor<5xf32>' must be a '!hetero.host' of the other}}
  %0 = hetero.copy %x : tensor<5xf32> -> tensor<5xf32>
  return
}

// -----

hetero.mesh @m = [4, 5]
func.func @f(%x: tensor<5xf32>) {
  // expected-error @+1 {{copy_c1: one of 'tensor<5xf32>' and '!hetero.handle' must be a '!hetero.host' of the other}}
  %0 = hetero.copy %x : tensor<5xf32> -> !hetero.handle
  return
}

// -----

hetero.mesh @m = [4, 5]
func.func @f(%x: tensor<5xf32>) {
  // expected-error @+1 {{sharding_c5: the parts of dimension 0 make 6, but it has length 5}}
  %0 = hetero.reshard %x to <@m, split 0 : [5, 1]> : tensor<5xf32>
  return
}

// -----

hetero.mesh @m = [4, 5]
func.func @f(%x: !hetero.handle<tensor<5xf32>>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{inferred type(s) 'tensor<5xf32>' are incompatible with return type(s) of operation 'tensor<6xf32>'}}
  %0 = "hetero.wait"(%x) : (!hetero.handle<tensor<5xf32>>) -> tensor<6xf32>
  return
}
