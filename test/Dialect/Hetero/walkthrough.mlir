// RUN: hetero-opt %s -split-input-file > %t.once
// RUN: hetero-opt %t.once -split-input-file | diff %t.once -
// RUN: FileCheck %s < %t.once

// One small training step through all phases, as in the header Hetero.h: two
// dense layers trained by gradient descent on three unlike devices.

// 1. Imported: the step as one function, with the role of each value.

// CHECK: func.func @step
// CHECK-SAME: hetero.role = #hetero.role<updated_state of 0>
func.func @step(
  %w0: tensor<4x6xf32>
          {hetero.role = #hetero.role<parameter>},
  %w1: tensor<6x2xf32>
          {hetero.role = #hetero.role<parameter>},
  %x: tensor<8x4xf32>
         {hetero.role = #hetero.role<batch>})
    -> (tensor<f32> {hetero.role = #hetero.role<loss>},
        tensor<4x6xf32>
         {hetero.role = #hetero.role<updated_state of 0>},
        tensor<6x2xf32> {hetero.role = #hetero.role<updated_state of 1>}) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %one = stablehlo.constant dense<1.0> : tensor<8x2xf32>
  %rate0 = stablehlo.constant dense<0.1> : tensor<4x6xf32>
  %rate1 = stablehlo.constant dense<0.1> : tensor<6x2xf32>
  %h = stablehlo.dot_general %x, %w0, contracting_dims = [1] x [0]
      : (tensor<8x4xf32>, tensor<4x6xf32>) -> tensor<8x6xf32>
  %y = stablehlo.dot_general %h, %w1, contracting_dims = [1] x [0]
      : (tensor<8x6xf32>, tensor<6x2xf32>) -> tensor<8x2xf32>
  %loss = stablehlo.reduce(%y init: %zero) applies stablehlo.add across dimensions = [0, 1]
      : (tensor<8x2xf32>, tensor<f32>) -> tensor<f32>
  %dw1 = stablehlo.dot_general %h, %one, contracting_dims = [0] x [0]
      : (tensor<8x6xf32>, tensor<8x2xf32>) -> tensor<6x2xf32>
  %dh = stablehlo.dot_general %one, %w1, contracting_dims = [1] x [1]
      : (tensor<8x2xf32>, tensor<6x2xf32>) -> tensor<8x6xf32>
  %dw0 = stablehlo.dot_general %x, %dh, contracting_dims = [0] x [0]
      : (tensor<8x4xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
  %u0 = stablehlo.multiply %dw0, %rate0 : tensor<4x6xf32>
  %n0 = stablehlo.subtract %w0, %u0 : tensor<4x6xf32>
  %u1 = stablehlo.multiply %dw1, %rate1 : tensor<6x2xf32>
  %n1 = stablehlo.subtract %w1, %u1 : tensor<6x2xf32>
  return %loss, %n0, %n1 : tensor<f32>, tensor<4x6xf32>, tensor<6x2xf32>
}

// -----

// 2. The cluster attached: the module is self-contained.

// CHECK: hetero.cluster @lab {
hetero.cluster @lab {
  hetero.device_class @a100 memory 40 GiB reserved 1 GiB
      peak <f32: 19.5 TFLOP/s, bf16: 312 TFLOP/s> bandwidth 1555 GB/s
      efficiency <1 MFLOP: 0.02, 1 GFLOP: 0.4, 1 TFLOP: 0.85> price 3.06/h
  hetero.device_class @t4 memory 16 GB reserved 0.5 GB
      peak <f32: 8.1 TFLOP/s, f16: 65 TFLOP/s> bandwidth 320 GB/s price 0.526/h
  hetero.node @n0 [1 x @a100, 1 x @t4] link <pcie, 12 GB/s, 5 us>
  hetero.node @n1 [1 x @a100] host 256 GiB
  hetero.link @n0 <-> @n1 by <ethernet, 10 Gb/s, 30 us>
}
func.func @step(
  %w0: tensor<4x6xf32>
          {hetero.role = #hetero.role<parameter>},
  %w1: tensor<6x2xf32>
          {hetero.role = #hetero.role<parameter>},
  %x: tensor<8x4xf32>
         {hetero.role = #hetero.role<batch>})
    -> (tensor<f32> {hetero.role = #hetero.role<loss>},
        tensor<4x6xf32>
         {hetero.role = #hetero.role<updated_state of 0>},
        tensor<6x2xf32> {hetero.role = #hetero.role<updated_state of 1>}) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %one = stablehlo.constant dense<1.0> : tensor<8x2xf32>
  %rate0 = stablehlo.constant dense<0.1> : tensor<4x6xf32>
  %rate1 = stablehlo.constant dense<0.1> : tensor<6x2xf32>
  %h = stablehlo.dot_general %x, %w0, contracting_dims = [1] x [0]
      : (tensor<8x4xf32>, tensor<4x6xf32>) -> tensor<8x6xf32>
  %y = stablehlo.dot_general %h, %w1, contracting_dims = [1] x [0]
      : (tensor<8x6xf32>, tensor<6x2xf32>) -> tensor<8x2xf32>
  %loss = stablehlo.reduce(%y init: %zero) applies stablehlo.add across dimensions = [0, 1]
      : (tensor<8x2xf32>, tensor<f32>) -> tensor<f32>
  %dw1 = stablehlo.dot_general %h, %one, contracting_dims = [0] x [0]
      : (tensor<8x6xf32>, tensor<8x2xf32>) -> tensor<6x2xf32>
  %dh = stablehlo.dot_general %one, %w1, contracting_dims = [1] x [1]
      : (tensor<8x2xf32>, tensor<6x2xf32>) -> tensor<8x6xf32>
  %dw0 = stablehlo.dot_general %x, %dh, contracting_dims = [0] x [0]
      : (tensor<8x4xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
  %u0 = stablehlo.multiply %dw0, %rate0 : tensor<4x6xf32>
  %n0 = stablehlo.subtract %w0, %u0 : tensor<4x6xf32>
  %u1 = stablehlo.multiply %dw1, %rate1 : tensor<6x2xf32>
  %n1 = stablehlo.subtract %w1, %u1 : tensor<6x2xf32>
  return %loss, %n0, %n1 : tensor<f32>, tensor<4x6xf32>, tensor<6x2xf32>
}

// -----

// 3. Planned: layers found, meshes made, decisions written on the step. A
// change of layout is an operation of its own, so that each value has one
// layout. Sizes along the batch are the shares that the plan gives.

// CHECK: hetero.plan @plan of @step planner "hand" minimizes time
// CHECK: hetero.reshard %{{.*}} to <@stage1> : tensor<8x6xf32>
hetero.cluster @lab {
  hetero.device_class @a100 memory 40 GiB reserved 1 GiB
      peak <f32: 19.5 TFLOP/s, bf16: 312 TFLOP/s> bandwidth 1555 GB/s
      efficiency <1 MFLOP: 0.02, 1 GFLOP: 0.4, 1 TFLOP: 0.85> price 3.06/h
  hetero.device_class @t4 memory 16 GB reserved 0.5 GB
      peak <f32: 8.1 TFLOP/s, f16: 65 TFLOP/s> bandwidth 320 GB/s price 0.526/h
  hetero.node @n0 [1 x @a100, 1 x @t4] link <pcie, 12 GB/s, 5 us>
  hetero.node @n1 [1 x @a100] host 256 GiB
  hetero.link @n0 <-> @n1 by <ethernet, 10 Gb/s, 30 us>
}
hetero.layer_table @layers {
  hetero.layer 0 "dense_0" forward 48 FLOP backward 48 FLOP parameters 96 B saved 16 B output 24 B
  hetero.layer 1 "dense_1" forward 24 FLOP backward 48 FLOP parameters 48 B saved 24 B output 4 B
}
hetero.mesh @stage0 = [0, 1]
hetero.mesh @stage1 = [2]
hetero.plan @plan of @step planner "hand" minimizes time layers @layers
    batch 8 microbatches [4, 4] predicted 1.2 ms bound 0.9 ms gap 0.25
    limited_by [<latency of @n0>] {
  hetero.stage 0 on @stage0 layers [0] samples [[3, 1]] in_flight 2 state full
      forward 20 us backward 40 us boundary 60 us {
    hetero.share 0 state 24 B memory 600 B
    hetero.share 1 state 72 B memory 400 B
  }
  hetero.stage 1 on @stage1 layers [1] samples [[4]] in_flight 1
      forward 15 us backward 30 us {
    hetero.share 2 state 48 B memory 700 B
  }
}
func.func @step(
  %w0: tensor<4x6xf32>
          {hetero.role = #hetero.role<parameter>,
           hetero.sharding = #hetero.sharding<@stage0>,
           hetero.storage = #hetero.sharding<@stage0, split 0 : [1, 3]>},
  %w1: tensor<6x2xf32>
          {hetero.role = #hetero.role<parameter>,
           hetero.sharding = #hetero.sharding<@stage1>},
  %x: tensor<8x4xf32>
         {hetero.role = #hetero.role<batch>,
          hetero.sharding = #hetero.sharding<@stage0, split 0 : batch>})
    -> (tensor<f32> {hetero.role = #hetero.role<loss>},
        tensor<4x6xf32>
         {hetero.role = #hetero.role<updated_state of 0>,
          hetero.storage = #hetero.sharding<@stage0, split 0 : [1, 3]>},
        tensor<6x2xf32> {hetero.role = #hetero.role<updated_state of 1>}) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %one = stablehlo.constant dense<1.0> : tensor<8x2xf32>
  %rate0 = stablehlo.constant dense<0.1> : tensor<4x6xf32>
  %rate1 = stablehlo.constant dense<0.1> : tensor<6x2xf32>
  %h = stablehlo.dot_general %x, %w0, contracting_dims = [1] x [0] {
      hetero.layer = #hetero.layer<0, forward>,
      hetero.placement = #hetero.placement<stage = 0>,
      hetero.sharding = #hetero.sharding<@stage0, split 0 : batch>}
      : (tensor<8x4xf32>, tensor<4x6xf32>) -> tensor<8x6xf32>
  %h1 = hetero.reshard %h to <@stage1> : tensor<8x6xf32>
  %y = stablehlo.dot_general %h1, %w1, contracting_dims = [1] x [0] {
      hetero.layer = #hetero.layer<1, forward>,
      hetero.placement = #hetero.placement<stage = 1>,
      hetero.sharding = #hetero.sharding<@stage1>}
      : (tensor<8x6xf32>, tensor<6x2xf32>) -> tensor<8x2xf32>
  %loss = stablehlo.reduce(%y init: %zero) applies stablehlo.add across dimensions = [0, 1]
      : (tensor<8x2xf32>, tensor<f32>) -> tensor<f32>
  %dw1 = stablehlo.dot_general %h1, %one, contracting_dims = [0] x [0] {
      hetero.layer = #hetero.layer<1, backward>,
      hetero.placement = #hetero.placement<stage = 1>,
      hetero.sharding = #hetero.sharding<@stage1>}
      : (tensor<8x6xf32>, tensor<8x2xf32>) -> tensor<6x2xf32>
  %dh = stablehlo.dot_general %one, %w1, contracting_dims = [1] x [1] {
      hetero.layer = #hetero.layer<1, backward>,
      hetero.placement = #hetero.placement<stage = 1>,
      hetero.sharding = #hetero.sharding<@stage1>}
      : (tensor<8x2xf32>, tensor<6x2xf32>) -> tensor<8x6xf32>
  %dh0 = hetero.reshard %dh to <@stage0, split 0 : batch> : tensor<8x6xf32>
  %dw0 = stablehlo.dot_general %x, %dh0, contracting_dims = [0] x [0] {
      hetero.layer = #hetero.layer<0, backward>,
      hetero.placement = #hetero.placement<stage = 0>,
      hetero.sharding = #hetero.sharding<@stage0, partial sum>}
      : (tensor<8x4xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
  %dw0r = hetero.reshard %dw0 to <@stage0, split 0 : [1, 3]> : tensor<4x6xf32>
  %w0s = hetero.reshard %w0 to <@stage0, split 0 : [1, 3]> : tensor<4x6xf32>
  %u0 = stablehlo.multiply %dw0r, %rate0 : tensor<4x6xf32>
  %n0 = stablehlo.subtract %w0s, %u0 {
      hetero.layer = #hetero.layer<0, update>,
      hetero.placement = #hetero.placement<stage = 0>,
      hetero.sharding = #hetero.sharding<@stage0, split 0 : [1, 3]>} : tensor<4x6xf32>
  %u1 = stablehlo.multiply %dw1, %rate1 : tensor<6x2xf32>
  %n1 = stablehlo.subtract %w1, %u1 {
      hetero.layer = #hetero.layer<1, update>,
      hetero.placement = #hetero.placement<stage = 1>,
      hetero.sharding = #hetero.sharding<@stage1>} : tensor<6x2xf32>
  return %loss, %n0, %n1 : tensor<f32>, tensor<4x6xf32>, tensor<6x2xf32>
}

// -----

// 4. Scheduled: an order of work for each stage.

// CHECK: hetero.schedule @order h1f1b of @plan microbatches 2 {
hetero.cluster @lab {
  hetero.device_class @a100 memory 40 GiB reserved 1 GiB
      peak <f32: 19.5 TFLOP/s, bf16: 312 TFLOP/s> bandwidth 1555 GB/s
      efficiency <1 MFLOP: 0.02, 1 GFLOP: 0.4, 1 TFLOP: 0.85> price 3.06/h
  hetero.device_class @t4 memory 16 GB reserved 0.5 GB
      peak <f32: 8.1 TFLOP/s, f16: 65 TFLOP/s> bandwidth 320 GB/s price 0.526/h
  hetero.node @n0 [1 x @a100, 1 x @t4] link <pcie, 12 GB/s, 5 us>
  hetero.node @n1 [1 x @a100] host 256 GiB
  hetero.link @n0 <-> @n1 by <ethernet, 10 Gb/s, 30 us>
}
hetero.layer_table @layers {
  hetero.layer 0 "dense_0" forward 48 FLOP backward 48 FLOP parameters 96 B saved 16 B output 24 B
  hetero.layer 1 "dense_1" forward 24 FLOP backward 48 FLOP parameters 48 B saved 24 B output 4 B
}
hetero.mesh @stage0 = [0, 1]
hetero.mesh @stage1 = [2]
hetero.plan @plan of @step planner "hand" minimizes time layers @layers
    batch 8 microbatches [4, 4] predicted 1.2 ms bound 0.9 ms gap 0.25
    limited_by [<latency of @n0>] {
  hetero.stage 0 on @stage0 layers [0] samples [[3, 1]] in_flight 2 state full
      forward 20 us backward 40 us boundary 60 us {
    hetero.share 0 state 24 B memory 600 B
    hetero.share 1 state 72 B memory 400 B
  }
  hetero.stage 1 on @stage1 layers [1] samples [[4]] in_flight 1
      forward 15 us backward 30 us {
    hetero.share 2 state 48 B memory 700 B
  }
}
hetero.schedule @order h1f1b of @plan microbatches 2 {
  hetero.stage_schedule 0 in_flight 2 [
    gather, forward 0, send_activation 0 to 1, forward 1, send_activation 1 to 1,
    recv_gradient 0 from 1, backward 0, recv_gradient 1 from 1, backward 1,
    reduce, update
  ]
  hetero.stage_schedule 1 in_flight 1 [
    recv_activation 0 from 0, forward 0, backward 0, send_gradient 0 to 0,
    recv_activation 1 from 0, forward 1, backward 1, send_gradient 1 to 0,
    update
  ]
}
func.func @step(
  %w0: tensor<4x6xf32>
          {hetero.role = #hetero.role<parameter>,
           hetero.sharding = #hetero.sharding<@stage0>,
           hetero.storage = #hetero.sharding<@stage0, split 0 : [1, 3]>},
  %w1: tensor<6x2xf32>
          {hetero.role = #hetero.role<parameter>,
           hetero.sharding = #hetero.sharding<@stage1>},
  %x: tensor<8x4xf32>
         {hetero.role = #hetero.role<batch>,
          hetero.sharding = #hetero.sharding<@stage0, split 0 : batch>})
    -> (tensor<f32> {hetero.role = #hetero.role<loss>},
        tensor<4x6xf32>
         {hetero.role = #hetero.role<updated_state of 0>,
          hetero.storage = #hetero.sharding<@stage0, split 0 : [1, 3]>},
        tensor<6x2xf32> {hetero.role = #hetero.role<updated_state of 1>}) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %one = stablehlo.constant dense<1.0> : tensor<8x2xf32>
  %rate0 = stablehlo.constant dense<0.1> : tensor<4x6xf32>
  %rate1 = stablehlo.constant dense<0.1> : tensor<6x2xf32>
  %h = stablehlo.dot_general %x, %w0, contracting_dims = [1] x [0] {
      hetero.layer = #hetero.layer<0, forward>,
      hetero.placement = #hetero.placement<stage = 0>,
      hetero.sharding = #hetero.sharding<@stage0, split 0 : batch>}
      : (tensor<8x4xf32>, tensor<4x6xf32>) -> tensor<8x6xf32>
  %h1 = hetero.reshard %h to <@stage1> : tensor<8x6xf32>
  %y = stablehlo.dot_general %h1, %w1, contracting_dims = [1] x [0] {
      hetero.layer = #hetero.layer<1, forward>,
      hetero.placement = #hetero.placement<stage = 1>,
      hetero.sharding = #hetero.sharding<@stage1>}
      : (tensor<8x6xf32>, tensor<6x2xf32>) -> tensor<8x2xf32>
  %loss = stablehlo.reduce(%y init: %zero) applies stablehlo.add across dimensions = [0, 1]
      : (tensor<8x2xf32>, tensor<f32>) -> tensor<f32>
  %dw1 = stablehlo.dot_general %h1, %one, contracting_dims = [0] x [0] {
      hetero.layer = #hetero.layer<1, backward>,
      hetero.placement = #hetero.placement<stage = 1>,
      hetero.sharding = #hetero.sharding<@stage1>}
      : (tensor<8x6xf32>, tensor<8x2xf32>) -> tensor<6x2xf32>
  %dh = stablehlo.dot_general %one, %w1, contracting_dims = [1] x [1] {
      hetero.layer = #hetero.layer<1, backward>,
      hetero.placement = #hetero.placement<stage = 1>,
      hetero.sharding = #hetero.sharding<@stage1>}
      : (tensor<8x2xf32>, tensor<6x2xf32>) -> tensor<8x6xf32>
  %dh0 = hetero.reshard %dh to <@stage0, split 0 : batch> : tensor<8x6xf32>
  %dw0 = stablehlo.dot_general %x, %dh0, contracting_dims = [0] x [0] {
      hetero.layer = #hetero.layer<0, backward>,
      hetero.placement = #hetero.placement<stage = 0>,
      hetero.sharding = #hetero.sharding<@stage0, partial sum>}
      : (tensor<8x4xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
  %dw0r = hetero.reshard %dw0 to <@stage0, split 0 : [1, 3]> : tensor<4x6xf32>
  %w0s = hetero.reshard %w0 to <@stage0, split 0 : [1, 3]> : tensor<4x6xf32>
  %u0 = stablehlo.multiply %dw0r, %rate0 : tensor<4x6xf32>
  %n0 = stablehlo.subtract %w0s, %u0 {
      hetero.layer = #hetero.layer<0, update>,
      hetero.placement = #hetero.placement<stage = 0>,
      hetero.sharding = #hetero.sharding<@stage0, split 0 : [1, 3]>} : tensor<4x6xf32>
  %u1 = stablehlo.multiply %dw1, %rate1 : tensor<6x2xf32>
  %n1 = stablehlo.subtract %w1, %u1 {
      hetero.layer = #hetero.layer<1, update>,
      hetero.placement = #hetero.placement<stage = 1>,
      hetero.sharding = #hetero.sharding<@stage1>} : tensor<6x2xf32>
  return %loss, %n0, %n1 : tensor<f32>, tensor<4x6xf32>, tensor<6x2xf32>
}

// -----

// 5. Partitioned: a program for each rank, with its own shapes. Values live as
// long as they are used, which is what memory is counted from; everything that
// is said to another rank is an operation. Plan and schedule stay, to compare
// with.

// CHECK: func.func @rank0
// CHECK: hetero.all_gather %{{.*}} split 0 : [1, 3] over @stage0 algorithm padded
// CHECK-SAME: tensor<1x6xf32> -> tensor<4x6xf32>
// CHECK: func.func @rank1
// CHECK: func.func @rank2
hetero.cluster @lab {
  hetero.device_class @a100 memory 40 GiB reserved 1 GiB
      peak <f32: 19.5 TFLOP/s, bf16: 312 TFLOP/s> bandwidth 1555 GB/s
      efficiency <1 MFLOP: 0.02, 1 GFLOP: 0.4, 1 TFLOP: 0.85> price 3.06/h
  hetero.device_class @t4 memory 16 GB reserved 0.5 GB
      peak <f32: 8.1 TFLOP/s, f16: 65 TFLOP/s> bandwidth 320 GB/s price 0.526/h
  hetero.node @n0 [1 x @a100, 1 x @t4] link <pcie, 12 GB/s, 5 us>
  hetero.node @n1 [1 x @a100] host 256 GiB
  hetero.link @n0 <-> @n1 by <ethernet, 10 Gb/s, 30 us>
}
hetero.layer_table @layers {
  hetero.layer 0 "dense_0" forward 48 FLOP backward 48 FLOP parameters 96 B saved 16 B output 24 B
  hetero.layer 1 "dense_1" forward 24 FLOP backward 48 FLOP parameters 48 B saved 24 B output 4 B
}
hetero.mesh @stage0 = [0, 1]
hetero.mesh @stage1 = [2]
hetero.plan @plan of @step planner "hand" minimizes time layers @layers
    batch 8 microbatches [4, 4] predicted 1.2 ms bound 0.9 ms gap 0.25
    limited_by [<latency of @n0>] {
  hetero.stage 0 on @stage0 layers [0] samples [[3, 1]] in_flight 2 state full
      forward 20 us backward 40 us boundary 60 us {
    hetero.share 0 state 24 B memory 600 B
    hetero.share 1 state 72 B memory 400 B
  }
  hetero.stage 1 on @stage1 layers [1] samples [[4]] in_flight 1
      forward 15 us backward 30 us {
    hetero.share 2 state 48 B memory 700 B
  }
}
hetero.schedule @order h1f1b of @plan microbatches 2 {
  hetero.stage_schedule 0 in_flight 2 [
    gather, forward 0, send_activation 0 to 1, forward 1, send_activation 1 to 1,
    recv_gradient 0 from 1, backward 0, recv_gradient 1 from 1, backward 1,
    reduce, update
  ]
  hetero.stage_schedule 1 in_flight 1 [
    recv_activation 0 from 0, forward 0, backward 0, send_gradient 0 to 0,
    recv_activation 1 from 0, forward 1, backward 1, send_gradient 1 to 0,
    update
  ]
}
func.func private @stage0_forward_0(%w: tensor<4x6xf32>, %x: tensor<3x4xf32>) -> tensor<3x6xf32>
    attributes {hetero.program = #hetero.program<stage 0 forward on [0]>} {
  %h = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0]
    : (tensor<3x4xf32>, tensor<4x6xf32>) -> tensor<3x6xf32>
  return %h : tensor<3x6xf32>
}
func.func private @stage0_backward_0(%x: tensor<3x4xf32>, %dh: tensor<3x6xf32>) -> tensor<4x6xf32>
    attributes {hetero.program = #hetero.program<stage 0 backward on [0]>} {
  %dw = stablehlo.dot_general %x, %dh, contracting_dims = [0] x [0]
    : (tensor<3x4xf32>, tensor<3x6xf32>) -> tensor<4x6xf32>
  return %dw : tensor<4x6xf32>
}
func.func private @stage0_update_0(%w: tensor<1x6xf32>, %dw: tensor<1x6xf32>) -> tensor<1x6xf32>
    attributes {hetero.program = #hetero.program<stage 0 update on [0]>} {
  %rate = stablehlo.constant dense<0.1> : tensor<1x6xf32>
  %u = stablehlo.multiply %dw, %rate : tensor<1x6xf32>
  %n = stablehlo.subtract %w, %u : tensor<1x6xf32>
  return %n : tensor<1x6xf32>
}

// Rank 0 has 3 of the 4 samples of each microbatch, but 1 of the 4 rows of the
// parameter: it computes by its speed and stores by its memory.
func.func @rank0(
    %part: tensor<1x6xf32> {hetero.role = #hetero.role<parameter>},
    %x0: tensor<3x4xf32> {hetero.role = #hetero.role<batch>},
    %x1: tensor<3x4xf32> {hetero.role = #hetero.role<batch>})
    -> (tensor<1x6xf32> {hetero.role = #hetero.role<updated_state of 0>})
    attributes {hetero.program = #hetero.program<on [0]>} {
  %w = hetero.all_gather %part split 0 : [1, 3] over @stage0 algorithm padded
    {hetero.instruction = #hetero.instruction<gather>} : tensor<1x6xf32> -> tensor<4x6xf32>
  %h0 = call @stage0_forward_0(%w, %x0) {hetero.instruction = #hetero.instruction<forward 0>}
    : (tensor<4x6xf32>, tensor<3x4xf32>) -> tensor<3x6xf32>
  %s0 = hetero.send %h0 to 2 channel 0 : tensor<3x6xf32> -> !hetero.handle
  %h1 = call @stage0_forward_0(%w, %x1) {hetero.instruction = #hetero.instruction<forward 1>}
    : (tensor<4x6xf32>, tensor<3x4xf32>) -> tensor<3x6xf32>
  %s1 = hetero.send %h1 to 2 channel 1 : tensor<3x6xf32> -> !hetero.handle
  %dh0 = hetero.recv from 2 channel 0 : tensor<3x6xf32>
  hetero.wait %s0 : !hetero.handle
  %dw0 = call @stage0_backward_0(%x0, %dh0) {hetero.instruction = #hetero.instruction<backward 0>}
    : (tensor<3x4xf32>, tensor<3x6xf32>) -> tensor<4x6xf32>
  %dh1 = hetero.recv from 2 channel 1 : tensor<3x6xf32>
  hetero.wait %s1 : !hetero.handle
  %dw1 = call @stage0_backward_0(%x1, %dh1) {hetero.instruction = #hetero.instruction<backward 1>}
    : (tensor<3x4xf32>, tensor<3x6xf32>) -> tensor<4x6xf32>
  %sum = hetero.accumulate sum %dw1 into %dw0 : tensor<4x6xf32>
  %dw = hetero.reduce_scatter sum %sum split 0 : [1, 3] over @stage0
    {hetero.instruction = #hetero.instruction<reduce>} : tensor<4x6xf32> -> tensor<1x6xf32>
  %new = call @stage0_update_0(%part, %dw) {hetero.instruction = #hetero.instruction<update>}
    : (tensor<1x6xf32>, tensor<1x6xf32>) -> tensor<1x6xf32>
  return %new : tensor<1x6xf32>
}
func.func private @stage0_forward_1(%w: tensor<4x6xf32>, %x: tensor<1x4xf32>) -> tensor<1x6xf32>
    attributes {hetero.program = #hetero.program<stage 0 forward on [1]>} {
  %h = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0]
    : (tensor<1x4xf32>, tensor<4x6xf32>) -> tensor<1x6xf32>
  return %h : tensor<1x6xf32>
}
func.func private @stage0_backward_1(%x: tensor<1x4xf32>, %dh: tensor<1x6xf32>) -> tensor<4x6xf32>
    attributes {hetero.program = #hetero.program<stage 0 backward on [1]>} {
  %dw = stablehlo.dot_general %x, %dh, contracting_dims = [0] x [0]
    : (tensor<1x4xf32>, tensor<1x6xf32>) -> tensor<4x6xf32>
  return %dw : tensor<4x6xf32>
}
func.func private @stage0_update_1(%w: tensor<3x6xf32>, %dw: tensor<3x6xf32>) -> tensor<3x6xf32>
    attributes {hetero.program = #hetero.program<stage 0 update on [1]>} {
  %rate = stablehlo.constant dense<0.1> : tensor<3x6xf32>
  %u = stablehlo.multiply %dw, %rate : tensor<3x6xf32>
  %n = stablehlo.subtract %w, %u : tensor<3x6xf32>
  return %n : tensor<3x6xf32>
}

// Rank 1 has 1 of the 4 samples of each microbatch, but 3 of the 4 rows of the
// parameter: it computes by its speed and stores by its memory.
func.func @rank1(
    %part: tensor<3x6xf32> {hetero.role = #hetero.role<parameter>},
    %x0: tensor<1x4xf32> {hetero.role = #hetero.role<batch>},
    %x1: tensor<1x4xf32> {hetero.role = #hetero.role<batch>})
    -> (tensor<3x6xf32> {hetero.role = #hetero.role<updated_state of 0>})
    attributes {hetero.program = #hetero.program<on [1]>} {
  %w = hetero.all_gather %part split 0 : [1, 3] over @stage0 algorithm padded
    {hetero.instruction = #hetero.instruction<gather>} : tensor<3x6xf32> -> tensor<4x6xf32>
  %h0 = call @stage0_forward_1(%w, %x0) {hetero.instruction = #hetero.instruction<forward 0>}
    : (tensor<4x6xf32>, tensor<1x4xf32>) -> tensor<1x6xf32>
  %s0 = hetero.send %h0 to 2 channel 0 : tensor<1x6xf32> -> !hetero.handle
  %h1 = call @stage0_forward_1(%w, %x1) {hetero.instruction = #hetero.instruction<forward 1>}
    : (tensor<4x6xf32>, tensor<1x4xf32>) -> tensor<1x6xf32>
  %s1 = hetero.send %h1 to 2 channel 1 : tensor<1x6xf32> -> !hetero.handle
  %dh0 = hetero.recv from 2 channel 0 : tensor<1x6xf32>
  hetero.wait %s0 : !hetero.handle
  %dw0 = call @stage0_backward_1(%x0, %dh0) {hetero.instruction = #hetero.instruction<backward 0>}
    : (tensor<1x4xf32>, tensor<1x6xf32>) -> tensor<4x6xf32>
  %dh1 = hetero.recv from 2 channel 1 : tensor<1x6xf32>
  hetero.wait %s1 : !hetero.handle
  %dw1 = call @stage0_backward_1(%x1, %dh1) {hetero.instruction = #hetero.instruction<backward 1>}
    : (tensor<1x4xf32>, tensor<1x6xf32>) -> tensor<4x6xf32>
  %sum = hetero.accumulate sum %dw1 into %dw0 : tensor<4x6xf32>
  %dw = hetero.reduce_scatter sum %sum split 0 : [1, 3] over @stage0
    {hetero.instruction = #hetero.instruction<reduce>} : tensor<4x6xf32> -> tensor<3x6xf32>
  %new = call @stage0_update_1(%part, %dw) {hetero.instruction = #hetero.instruction<update>}
    : (tensor<3x6xf32>, tensor<3x6xf32>) -> tensor<3x6xf32>
  return %new : tensor<3x6xf32>
}
func.func private @stage1_forward(%w: tensor<6x2xf32>, %h: tensor<4x6xf32>) -> tensor<f32>
    attributes {hetero.program = #hetero.program<stage 1 forward on [2]>} {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %y = stablehlo.dot_general %h, %w, contracting_dims = [1] x [0]
    : (tensor<4x6xf32>, tensor<6x2xf32>) -> tensor<4x2xf32>
  %loss = stablehlo.reduce(%y init: %zero) applies stablehlo.add across dimensions = [0, 1]
    : (tensor<4x2xf32>, tensor<f32>) -> tensor<f32>
  return %loss : tensor<f32>
}
func.func private @stage1_backward(%w: tensor<6x2xf32>, %h: tensor<4x6xf32>) -> (tensor<6x2xf32>, tensor<4x6xf32>)
    attributes {hetero.program = #hetero.program<stage 1 backward on [2]>} {
  %one = stablehlo.constant dense<1.0> : tensor<4x2xf32>
  %dw = stablehlo.dot_general %h, %one, contracting_dims = [0] x [0]
    : (tensor<4x6xf32>, tensor<4x2xf32>) -> tensor<6x2xf32>
  %dh = stablehlo.dot_general %one, %w, contracting_dims = [1] x [1]
    : (tensor<4x2xf32>, tensor<6x2xf32>) -> tensor<4x6xf32>
  return %dw, %dh : tensor<6x2xf32>, tensor<4x6xf32>
}
func.func private @stage1_update(%w: tensor<6x2xf32>, %dw: tensor<6x2xf32>) -> tensor<6x2xf32>
    attributes {hetero.program = #hetero.program<stage 1 update on [2]>} {
  %rate = stablehlo.constant dense<0.1> : tensor<6x2xf32>
  %u = stablehlo.multiply %dw, %rate : tensor<6x2xf32>
  %n = stablehlo.subtract %w, %u : tensor<6x2xf32>
  return %n : tensor<6x2xf32>
}

func.func @rank2(%w: tensor<6x2xf32> {hetero.role = #hetero.role<parameter>})
    -> (tensor<f32> {hetero.role = #hetero.role<loss>},
        tensor<6x2xf32> {hetero.role = #hetero.role<updated_state of 0>})
    attributes {hetero.program = #hetero.program<on [2]>} {
  %a0 = hetero.recv from 0 channel 0 : tensor<3x6xf32>
  %b0 = hetero.recv from 1 channel 0 : tensor<1x6xf32>
  %h0 = stablehlo.concatenate %a0, %b0, dim = 0 : (tensor<3x6xf32>, tensor<1x6xf32>) -> tensor<4x6xf32>
  %l0 = call @stage1_forward(%w, %h0) {hetero.instruction = #hetero.instruction<forward 0>}
    : (tensor<6x2xf32>, tensor<4x6xf32>) -> tensor<f32>
  %dw0, %dh0 = call @stage1_backward(%w, %h0) {hetero.instruction = #hetero.instruction<backward 0>}
    : (tensor<6x2xf32>, tensor<4x6xf32>) -> (tensor<6x2xf32>, tensor<4x6xf32>)
  %da0 = stablehlo.slice %dh0 [0:3, 0:6] : (tensor<4x6xf32>) -> tensor<3x6xf32>
  %db0 = stablehlo.slice %dh0 [3:4, 0:6] : (tensor<4x6xf32>) -> tensor<1x6xf32>
  hetero.send %da0 to 0 channel 0 : tensor<3x6xf32>
  hetero.send %db0 to 1 channel 0 : tensor<1x6xf32>
  %a1 = hetero.recv from 0 channel 1 : tensor<3x6xf32>
  %b1 = hetero.recv from 1 channel 1 : tensor<1x6xf32>
  %h1 = stablehlo.concatenate %a1, %b1, dim = 0 : (tensor<3x6xf32>, tensor<1x6xf32>) -> tensor<4x6xf32>
  %l1 = call @stage1_forward(%w, %h1) {hetero.instruction = #hetero.instruction<forward 1>}
    : (tensor<6x2xf32>, tensor<4x6xf32>) -> tensor<f32>
  %dw1, %dh1 = call @stage1_backward(%w, %h1) {hetero.instruction = #hetero.instruction<backward 1>}
    : (tensor<6x2xf32>, tensor<4x6xf32>) -> (tensor<6x2xf32>, tensor<4x6xf32>)
  %da1 = stablehlo.slice %dh1 [0:3, 0:6] : (tensor<4x6xf32>) -> tensor<3x6xf32>
  %db1 = stablehlo.slice %dh1 [3:4, 0:6] : (tensor<4x6xf32>) -> tensor<1x6xf32>
  hetero.send %da1 to 0 channel 1 : tensor<3x6xf32>
  hetero.send %db1 to 1 channel 1 : tensor<1x6xf32>
  %loss = hetero.accumulate sum %l1 into %l0 : tensor<f32>
  %dw = hetero.accumulate sum %dw1 into %dw0 : tensor<6x2xf32>
  %new = call @stage1_update(%w, %dw) {hetero.instruction = #hetero.instruction<update>}
    : (tensor<6x2xf32>, tensor<6x2xf32>) -> tensor<6x2xf32>
  return %loss, %new : tensor<f32>, tensor<6x2xf32>
}
