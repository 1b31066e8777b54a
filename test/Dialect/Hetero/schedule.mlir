// RUN: hetero-opt %s | hetero-opt | FileCheck %s
// RUN: hetero-opt -mlir-print-op-generic %s | hetero-opt | FileCheck %s

hetero.mesh @a = [0]
hetero.mesh @b = [1]
func.func private @step()
hetero.plan @plan of @step planner "hand" minimizes time
    batch 4 microbatches [2, 2] predicted 1 s {
  hetero.stage 0 on @a layers [0, 2] samples [[2]] in_flight 4
  hetero.stage 1 on @b layers [1, 3] samples [[2]] in_flight 3
}

// Two chunks on each stage; the second chunk of stage 0 follows the first one
// of stage 1.
// CHECK-LABEL: hetero.schedule @interleaved interleaved of @plan microbatches 2 {
hetero.schedule @interleaved interleaved of @plan microbatches 2 {
  // CHECK-NEXT: hetero.stage_schedule 0 in_flight 4 chunks 2 [
  // CHECK-NEXT:   forward 0, send_activation 0 to 1, forward 1, send_activation 1 to 1, recv_activation 0 from 1 chunk 1, forward 0 chunk 1,
  // CHECK-NEXT:   send_activation 0 to 1 chunk 1,
  // CHECK: update, update chunk 1
  // CHECK-NEXT: ]
  hetero.stage_schedule 0 in_flight 4 chunks 2 [
    forward 0, send_activation 0 to 1, forward 1, send_activation 1 to 1,
    recv_activation 0 from 1 chunk 1, forward 0 chunk 1,
    send_activation 0 to 1 chunk 1,
    recv_activation 1 from 1 chunk 1, forward 1 chunk 1,
    send_activation 1 to 1 chunk 1,
    backward 0 chunk 1, backward 1 chunk 1, backward 0, backward 1,
    update, update chunk 1
  ]
  // CHECK-NEXT: hetero.stage_schedule 1 in_flight 3 chunks 2 [
  hetero.stage_schedule 1 in_flight 3 chunks 2 [
    recv_activation 0 from 0, forward 0, send_activation 0 to 0 chunk 0,
    recv_activation 1 from 0, forward 1, send_activation 1 to 0,
    recv_activation 0 from 0 chunk 1, forward 0 chunk 1, backward 0 chunk 1,
    recv_activation 1 from 0 chunk 1, forward 1 chunk 1, backward 1 chunk 1,
    backward 0, backward 1, update chunk 1, update
  ]
}

// Samples that depend on each other: all microbatches pass twice.
// CHECK-LABEL: hetero.schedule @sweeps gpipe microbatches 2 {
hetero.schedule @sweeps gpipe microbatches 2 {
  // CHECK: forward 0, forward 1, reduce, forward 0 sweep 1, forward 1 sweep 1, recompute 1 sweep 1,
  hetero.stage_schedule 0 in_flight 2 [
    forward 0, forward 1, reduce, forward 0 sweep 1, forward 1 sweep 1,
    recompute 1 sweep 1, backward 1, backward 0, reduce, update
  ]
}

// Layer by layer, with one gather for each layer and direction.
// CHECK-LABEL: hetero.schedule @layered layered microbatches 2 {
hetero.schedule @layered layered microbatches 2 {
  // CHECK: gather, forward 0, forward 1, gather chunk 1,
  hetero.stage_schedule 0 in_flight 4 chunks 2 [
    gather, forward 0, forward 1,
    gather chunk 1, forward 0 chunk 1, forward 1 chunk 1,
    backward 0 chunk 1, backward 1 chunk 1, reduce chunk 1, update chunk 1,
    gather, backward 0, backward 1, reduce, update
  ]
}

// CHECK-LABEL: hetero.schedule @zero_bubble zero_bubble microbatches 2 {
hetero.schedule @zero_bubble zero_bubble microbatches 2 {
  hetero.stage_schedule 0 in_flight 2 [
    forward 0, forward 1, input_gradient 0, send_gradient 0 to 1,
    weight_gradient 0, backward 1, update
  ]
  hetero.stage_schedule 1 in_flight 2 [
    forward 0, forward 1, recv_gradient 0 from 0, backward 0, backward 1
  ]
}

// CHECK-LABEL: hetero.schedule @plain "1f1b" microbatches 1
hetero.schedule @plain "1f1b" microbatches 1 {
  hetero.stage_schedule 0 in_flight 1 [forward 0, backward 0]
}

// CHECK-LABEL: func.func private @forward
// CHECK-SAME: #hetero.program<stage 1 weight_gradient chunk 1 sweep 2 on [0 to 4, 7]>
func.func private @forward() attributes {
  hetero.program = #hetero.program<stage 1 weight_gradient chunk 1 sweep 2 on [0, 1, 2, 3, 4, 7]>}

// CHECK-LABEL: func.func @rank0
// CHECK-SAME: #hetero.program<on [0]>
func.func @rank0() attributes {hetero.program = #hetero.program<on [0]>} {
  // CHECK: call @forward() {hetero.instruction = #hetero.instruction<weight_gradient 3 chunk 1 sweep 2>}
  call @forward() {hetero.instruction = #hetero.instruction<weight_gradient 3 chunk 1 sweep 2>} : () -> ()
  return
}

// CHECK-LABEL: func.func private @parts
// CHECK-SAME: tensor<4xf32> {hetero.part = #hetero.part<1 : [2 to 4, 8 to 10]>}
// CHECK-SAME: tensor<f32> {hetero.part = #hetero.part<0>}
func.func private @parts(tensor<4xf32> {hetero.part = #hetero.part<1 : [2 to 4, 8 to 10]>},
                         tensor<f32> {hetero.part = #hetero.part<0>})

// CHECK: example.prepare = #hetero.instruction<prepare sweep 1>
module attributes {example.prepare = #hetero.instruction<prepare sweep 1>} {}

// Nothing comes after the largest rank.
// CHECK-LABEL: func.func private @far
// CHECK-SAME: #hetero.program<on [9223372036854775807, 0]>
func.func private @far() attributes {hetero.program = #hetero.program<on [9223372036854775807, 0]>}
