// RUN: hetero-opt %s --hetero-schedule -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: hetero-opt %s --hetero-schedule=kind=1f1b | FileCheck %s --check-prefix=STRICT
// RUN: hetero-opt %s --hetero-schedule=kind=gpipe | FileCheck %s --check-prefix=GPIPE

// A plan may say which kind it is for; its counts are then taken as they are.
// RUN: sed 's/2] predicted/2] schedule zero_bubble predicted/' %s | hetero-opt --hetero-schedule | FileCheck %s --check-prefix=PLANNED
// RUN: sed 's/2] predicted/2] schedule h1f1b predicted/' %s | hetero-opt --hetero-schedule | FileCheck %s --check-prefix=COUNTS
// RUN: sed 's/2] predicted/2] schedule custom predicted/' %s | not hetero-opt --hetero-schedule 2>&1 | FileCheck %s --check-prefix=CUSTOM
// PLANNED: hetero.schedule @order zero_bubble of @plan microbatches 4 {
// PLANNED: input_gradient 0
// COUNTS: hetero.schedule @order h1f1b of @plan microbatches 4 {
// COUNTS: hetero.stage_schedule 1 in_flight 4 [
// CUSTOM: error: 'hetero.plan' op is for a custom schedule, which the module must have

// A schedule is valid IR, and one that is there is left alone.
// RUN: hetero-opt %t.mlir --hetero-schedule=kind=gpipe | diff %t.mlir -

// The boundary takes as long as a microbatch, so h1f1b is two ahead of it.
// CHECK: hetero.schedule @order h1f1b of @plan microbatches 4 {
// CHECK-NEXT: hetero.stage_schedule 0 in_flight 4 [
// CHECK-NEXT: gather, forward 0, send_activation 0 to 1, forward 1, send_activation 1 to 1, forward 2,
// CHECK: backward 3, reduce,
// CHECK-NEXT: update
// CHECK: hetero.stage_schedule 1 in_flight 1 [

// STRICT: hetero.schedule @order "1f1b" of @plan microbatches 4 {
// STRICT-NEXT: hetero.stage_schedule 0 in_flight 2 [
// STRICT-NEXT: gather, forward 0, send_activation 0 to 1, forward 1, send_activation 1 to 1, recv_gradient 0 from 1,
// STRICT-NEXT: backward 0, forward 2,

// GPIPE: hetero.stage_schedule 0 in_flight 4 [
// GPIPE: hetero.stage_schedule 1 in_flight 4 [

hetero.mesh @stage0 = [0, 1]
hetero.mesh @stage1 = [2]
func.func private @step(tensor<8x4xf32>)
hetero.plan @plan of @step planner "hand" minimizes time batch 8 microbatches [2, 2, 2, 2] predicted 1.2 ms {
  hetero.stage 0 on @stage0 layers [0] samples [[1, 1]] in_flight 4 state full
      forward 1 ms backward 2 ms boundary 3 ms
  hetero.stage 1 on @stage1 layers [1] samples [[2]] in_flight 4
      forward 1 ms backward 2 ms
}
