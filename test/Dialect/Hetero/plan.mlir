// RUN: hetero-opt %s | hetero-opt | FileCheck %s
// RUN: hetero-opt -mlir-print-op-generic %s | hetero-opt | FileCheck %s

// CHECK-LABEL: hetero.layer_table @layers {
hetero.layer_table @layers {
  // CHECK-NEXT: hetero.layer 0 "embed" forward 2 MFLOP backward 4 MFLOP parameters 3 MiB saved 16 KiB output 4 KiB
  hetero.layer 0 "embed" forward 2 MFLOP backward 4 MFLOP parameters 3 MiB saved 16 KiB output 4 KiB
  // CHECK-NEXT: hetero.layer 1 "block 0"
  hetero.layer 1 "block 0" forward 30 MFLOP backward 60 MFLOP parameters 12 MiB saved 64 KiB output 4 KiB
  // CHECK-NEXT: hetero.layer 2 "block 1" like 1 forward
  hetero.layer 2 "block 1" like 1 forward 30 MFLOP backward 60 MFLOP parameters 12 MiB saved 64 KiB output 4 KiB
  // CHECK-NEXT: hetero.layer 3 "head" forward 9 MFLOP backward 18 MFLOP parameters 3 MiB saved 1 KiB output 0 B
  // CHECK-SAME: measured {l4 = #hetero.layer_times<1: 9 ms + 17 ms, 4: 31 ms + 60 ms>}
  hetero.layer 3 "head" forward 9 MFLOP backward 18 MFLOP parameters 3 MiB saved 1 KiB output 0 B
      measured {l4 = #hetero.layer_times<1: 9 ms + 17 ms, 4: 31 ms + 60000 us>}
}

hetero.mesh @fast (data = 2, tensor = 2) = [0 to 3]
hetero.mesh @slow = [4, 5, 6, 7]
hetero.mesh @slow_again (data = 4) = [7, 6, 5, 4]
func.func private @step(tensor<61x4xf32>)

// Two stages, unlike devices, a last microbatch that is smaller.
// CHECK-LABEL: hetero.plan @uneven of @step planner "joint" minimizes time layers @layers
// CHECK-SAME: batch 61 microbatches [7 x 8, 5] predicted 18.1 ms bound 16.5 ms gap 0.088397
// CHECK-SAME: limited_by [<compute of stage 1>, <memory of device 5>] {
hetero.plan @uneven of @step planner "joint" minimizes time layers @layers
    batch 61 microbatches [8, 8, 8, 8, 8, 8, 8, 5]
    predicted 18.1 ms bound 16.5 ms
    limited_by [<compute of stage 1>, <memory of device 5>] {
  // CHECK-NEXT: hetero.stage 0 on @fast layers [0 to 1] samples (data) [{{\[}}5, 3], [3, 2]] in_flight 3
  // CHECK-SAME: state full recompute offload forward 1 ms backward 3 ms boundary 400 us {
  hetero.stage 0 on @fast layers [0 to 1] samples (data) [[5, 3], [3, 2]] in_flight 3
      state full recompute offload forward 1 ms backward 3 ms boundary 400 us {
    // CHECK-NEXT: hetero.share 0 micro 2 state 1 GiB memory 9.5 GiB
    hetero.share 0 micro 2 state 1 GiB memory 9.5 GiB
    // CHECK-NEXT: hetero.share 3 state 0 B memory 9 GiB
    hetero.share 3 state 0 B memory 9 GiB
  }
  // CHECK: hetero.stage 1 on @slow layers [2 to 3] samples [{{\[}}2, 2, 2, 2], [2, 1, 1, 1]] in_flight 1{{$}}
  hetero.stage 1 on @slow layers [2 to 3] samples [[2, 2, 2, 2], [2, 1, 1, 1]] in_flight 1
}

// Interleaved: each stage has two runs of layers.
// CHECK-LABEL: hetero.plan @interleaved of @step planner "hand" minimizes price budget 20/h
// CHECK-SAME: predicted 1 s {
hetero.plan @interleaved of @step planner "hand" minimizes price budget 20/h
    batch 61 microbatches [61] predicted 1 s {
  // CHECK-NEXT: hetero.stage 0 on @fast layers [0, 2] samples (data, tensor) [{{\[}}61, 0, 0, 0]] in_flight 4
  hetero.stage 0 on @fast layers [0, 2] samples (data, tensor) [[61, 0, 0, 0]] in_flight 4
  // CHECK-NEXT: hetero.stage 1 on @slow layers [1, 3 to 9]
  hetero.stage 1 on @slow layers [1, 3 to 9] samples [[61, 0, 0, 0]] in_flight 2
}

// Two segments on the same devices, with other shares.
// CHECK-LABEL: hetero.plan @segments
hetero.plan @segments of @step planner "hap" minimizes time
    batch 61 microbatches [61] predicted 1 s bound 1 s gap 0 {
  hetero.stage 0 on @slow layers [0] samples [[16, 15, 15, 15]] in_flight 1
  hetero.stage 1 on @slow_again layers [1] samples [[31, 10, 10, 10]] in_flight 1
}
