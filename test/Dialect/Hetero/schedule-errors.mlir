// RUN: hetero-opt %s -split-input-file -verify-diagnostics

// expected-error @+1 {{instruction_c1: 'update' is of no microbatch, but names 0}}
module attributes {a = #hetero.instruction<update 0>} {}

// -----

// expected-error @+1 {{instruction_c1: 'forward' must name its microbatch}}
module attributes {a = #hetero.instruction<forward>} {}

// -----

// expected-error @+1 {{instruction_c2: 'send_gradient' must name the other stage}}
module attributes {a = #hetero.instruction<send_gradient 0>} {}

// -----

// expected-error @+1 {{instruction_c2: 'forward' has no other stage}}
module attributes {a = #hetero.instruction<forward 0 to 1>} {}

// -----

// expected-error @+1 {{instruction_c3: -1 is negative}}
module attributes {a = #hetero.instruction<forward -1>} {}

// -----

// expected-error @+1 {{instruction_c3: -2 is negative}}
module attributes {a = #hetero.instruction<forward 0 chunk -2>} {}

// -----

// expected-error @+1 {{program_c1: no rank runs the program}}
module attributes {a = #hetero.program<on []>} {}

// -----

// expected-error @+1 {{program_c1: rank 1 is listed twice}}
module attributes {a = #hetero.program<on [1, 0 to 2]>} {}

// -----

// expected-error @+1 {{program_c1: rank 9223372036854775807 is listed twice}}
module attributes {a = #hetero.program<on [9223372036854775807, 9223372036854775807]>} {}

// -----

// expected-error @+1 {{program_c2: stage -1, chunk 0 and sweep 0 must not be negative}}
module attributes {a = #hetero.program<stage -1 forward on [0]>} {}

// -----

// expected-error @+1 {{program_c3: 'reduce' does not compute}}
module attributes {a = #hetero.program<stage 0 reduce on [0]>} {}

// -----

func.func @program_c4() {
  // expected-error @+1 {{program_c4: "hetero.program" must be on a function}}
  return {hetero.program = #hetero.program<on [0]>}
}

// -----

// expected-error @+1 {{schedule_c1: has 0 microbatches}}
hetero.schedule @s custom microbatches 0 {
  hetero.stage_schedule 0 in_flight 2 []
}

// -----

// expected-error @+1 {{schedule_c2: has no stages}}
hetero.schedule @s custom microbatches 2 {

}

// -----

hetero.schedule @s custom microbatches 2 {
  // expected-error @+1 {{schedule_c2: must have number 0}}
  hetero.stage_schedule 1 in_flight 2 [forward 0, forward 1, backward 0, backward 1]
}

// -----

hetero.schedule @s custom microbatches 2 {
  // expected-error @+1 {{schedule_c2: is not the schedule of a stage}}
  %0 = arith.constant 1 : i32
}

// -----

hetero.schedule @s custom microbatches 2 {
  // expected-error @+1 {{schedule_c3: 'recv_gradient 0' has no counterpart in stage 1}}
  hetero.stage_schedule 0 in_flight 2 [forward 0, forward 1, recv_gradient 0 from 1, backward 0, backward 1]
  // expected-note @+1 {{the other stage is here}}
  hetero.stage_schedule 1 in_flight 2 [forward 0, forward 1, backward 0, backward 1]
}

// -----

hetero.schedule @s custom microbatches 2 {
  // expected-error @+1 {{schedule_c3: 'send_activation 0' has no counterpart in stage 7}}
  hetero.stage_schedule 0 in_flight 2 [forward 0, send_activation 0 to 7, forward 1, backward 0, backward 1]
}

// -----

hetero.schedule @s custom microbatches 2 {
  // expected-error @+1 {{schedule_c3: 'send_activation 0' has no counterpart in stage 1}}
  hetero.stage_schedule 0 in_flight 2 [forward 0, send_activation 0 to 1, forward 1, backward 0, backward 1]
  // expected-note @+1 {{the other stage is here}}
  hetero.stage_schedule 1 in_flight 2 [forward 0, recv_activation 1 from 0, forward 1, backward 0, backward 1]
}

// -----

// expected-error @+1 {{schedule_c4: @p is not a plan}}
hetero.schedule @s custom of @p microbatches 2 {
  hetero.stage_schedule 0 in_flight 2 [forward 0, forward 1, backward 0, backward 1]
}

// -----

hetero.mesh @a = [0]
func.func private @step()
// expected-note @+1 {{the plan is here}}
hetero.plan @p of @step planner "hand" minimizes time batch 2 microbatches [1, 1] predicted 1 s {
  hetero.stage 0 on @a layers [0, 1] samples [[1]] in_flight 1
}
// expected-error @+1 {{schedule_c4: has 1 microbatches, but the plan has 2}}
hetero.schedule @s custom of @p microbatches 1 {
  hetero.stage_schedule 0 in_flight 2 [forward 0, backward 0]
}

// -----

hetero.mesh @a = [0]
func.func private @step()
// expected-note @+1 {{the plan is here}}
hetero.plan @p of @step planner "hand" minimizes time batch 2 microbatches [1, 1] predicted 1 s {
  hetero.stage 0 on @a layers [0, 1] samples [[1]] in_flight 1
}
// expected-error @+1 {{schedule_c4: has 2 stages, but the plan has 1}}
hetero.schedule @s custom of @p microbatches 2 {
  hetero.stage_schedule 0 in_flight 2 [forward 0, forward 1, backward 0, backward 1]
  hetero.stage_schedule 1 in_flight 2 [forward 0, forward 1, backward 0, backward 1]
}

// -----

hetero.mesh @a = [0]
func.func private @step()
// expected-note @+1 {{the plan is here}}
hetero.plan @p of @step planner "hand" minimizes time batch 2 microbatches [1, 1] predicted 1 s {
  hetero.stage 0 on @a layers [0, 1] samples [[1]] in_flight 1
}
hetero.schedule @s custom of @p microbatches 2 {
  // expected-error @+1 {{schedule_c4: has 1 chunks, but the plan has 2}}
  hetero.stage_schedule 0 in_flight 2 [forward 0, forward 1, backward 0, backward 1]
}

// -----

hetero.schedule @s custom microbatches 2 {
  // expected-error @+1 {{stage_schedule_c1: 'forward 2' is of a microbatch that does not exist; there are 2}}
  hetero.stage_schedule 0 in_flight 2 [forward 2]
}

// -----

hetero.schedule @s custom microbatches 2 {
  // expected-error @+1 {{stage_schedule_c1: 'forward 0 chunk 1' is of a chunk that does not exist; there are 1}}
  hetero.stage_schedule 0 in_flight 2 [forward 0 chunk 1]
}

// -----

hetero.schedule @s custom microbatches 2 {
  // expected-error @+1 {{stage_schedule_c1: 'send_activation 0' is between stage 0 and itself}}
  hetero.stage_schedule 0 in_flight 2 [forward 0, send_activation 0 to 0]
}

// -----

hetero.schedule @s custom microbatches 2 {
  // expected-error @+1 {{stage_schedule_c1: must have at least one chunk and one in flight}}
  hetero.stage_schedule 0 in_flight 0 [forward 0, forward 1, backward 0, backward 1]
}

// -----

hetero.schedule @s custom microbatches 2 {
  // expected-error @+1 {{stage_schedule_c2: 'forward 0' appears twice}}
  hetero.stage_schedule 0 in_flight 2 [forward 0, forward 0]
}

// -----

hetero.schedule @s custom microbatches 2 {
  // expected-error @+1 {{stage_schedule_c3: sweep 0 has 1 forwards for 2 microbatches of 1 chunks}}
  hetero.stage_schedule 0 in_flight 2 [forward 0, backward 0]
}

// -----

hetero.schedule @s custom microbatches 2 {
  // expected-error @+1 {{stage_schedule_c3: microbatch 0 of chunk 0 has no forward}}
  hetero.stage_schedule 0 in_flight 2 []
}

// -----

hetero.schedule @s custom microbatches 2 {
  // expected-error @+1 {{stage_schedule_c3: microbatch 0 of chunk 0 has no backward or input gradient}}
  hetero.stage_schedule 0 in_flight 2 [forward 0, forward 1, backward 1]
}

// -----

hetero.schedule @s custom microbatches 2 {
  // expected-error @+1 {{stage_schedule_c3: microbatch 0 of chunk 0 has no weight gradient}}
  hetero.stage_schedule 0 in_flight 2 [forward 0, forward 1, input_gradient 0, backward 1]
}

// -----

hetero.schedule @s custom microbatches 2 {
  // expected-error @+1 {{stage_schedule_c4: 'backward 1' comes before 'forward 1'}}
  hetero.stage_schedule 0 in_flight 2 [forward 0, backward 1, forward 1, backward 0]
}

// -----

hetero.schedule @s custom microbatches 2 {
  // expected-error @+1 {{stage_schedule_c4: 'recompute 1' comes before 'forward 1'}}
  hetero.stage_schedule 0 in_flight 2 [forward 0, recompute 1, forward 1, backward 0, backward 1]
}

// -----

hetero.schedule @s custom microbatches 2 {
  // expected-error @+1 {{stage_schedule_c4: 'weight_gradient 0' comes before 'input_gradient 0'}}
  hetero.stage_schedule 0 in_flight 2 [forward 0, forward 1, weight_gradient 0, input_gradient 0, backward 1]
}

// -----

hetero.schedule @s custom microbatches 2 {
  // expected-error @+1 {{stage_schedule_c4: 'forward 0 sweep 1' comes before 'forward 1' of the sweep before}}
  hetero.stage_schedule 0 in_flight 2 [forward 0, forward 0 sweep 1, forward 1, forward 1 sweep 1, backward 0, backward 1]
}

// -----

hetero.schedule @s custom microbatches 2 {
  // expected-error @+1 {{stage_schedule_c5: 'forward 1' puts 2 in flight; at most 1}}
  hetero.stage_schedule 0 in_flight 1 [forward 0, forward 1, backward 0, backward 1]
}

// -----

hetero.schedule @s custom microbatches 2 {
  // expected-error @+1 {{stage_schedule_c5: 'forward 1' puts 2 in flight; at most 1}}
  hetero.stage_schedule 0 in_flight 1 [forward 0, forward 1, input_gradient 0, input_gradient 1, weight_gradient 0, weight_gradient 1]
}

// -----

hetero.schedule @s custom microbatches 2 {
  // expected-error @+1 {{stage_schedule_c6: 'update' comes before 'backward 1'}}
  hetero.stage_schedule 0 in_flight 2 [forward 0, forward 1, backward 0, update, backward 1]
}

// -----

hetero.schedule @s custom microbatches 2 {
  // expected-error @+1 {{stage_schedule_c7: 'send_activation 0' comes before 'forward 0'}}
  hetero.stage_schedule 0 in_flight 2 [send_activation 0 to 1, forward 0, forward 1, backward 0, backward 1]
}

// -----

hetero.schedule @s custom microbatches 2 {
  // expected-error @+1 {{stage_schedule_c7: 'recv_activation 0' comes after 'forward 0'}}
  hetero.stage_schedule 0 in_flight 2 [forward 0, recv_activation 0 from 1, forward 1, backward 0, backward 1]
}

// -----

hetero.schedule @s custom microbatches 2 {
  // expected-error @+1 {{stage_schedule_c7: 'send_gradient 0' comes before 'backward 0'}}
  hetero.stage_schedule 0 in_flight 2 [forward 0, forward 1, send_gradient 0 to 1, backward 0, backward 1]
}

// -----

hetero.schedule @s custom microbatches 2 {
  // expected-error @+1 {{stage_schedule_c7: 'recv_gradient 0' comes after 'backward 0'}}
  hetero.stage_schedule 0 in_flight 2 [forward 0, forward 1, backward 0, recv_gradient 0 from 1, backward 1]
}

// -----

hetero.schedule @s custom microbatches 2 {
  // expected-error @+1 {{stage_schedule_c7: 'send_activation 0 sweep 1' is of a sweep that has no such forward}}
  hetero.stage_schedule 0 in_flight 2 [forward 0, forward 1, send_activation 0 to 1 sweep 1, backward 0, backward 1]
}

// -----

hetero.schedule @s custom microbatches 9223372036854775807 {
  // expected-error @+1 {{stage_schedule_c3: sweep 0 has 2 forwards for 9223372036854775807 microbatches of 2 chunks}}
  hetero.stage_schedule 0 in_flight 2 chunks 2 [forward 0, forward 1, backward 0, backward 1]
}

// -----

// expected-error @below {{part_c1: -1 is negative}}
func.func private @part(tensor<f32> {hetero.part = #hetero.part<-1>})

// -----

// expected-error @below {{part_c1: 2 is below 3, where its range begins}}
func.func private @part(tensor<1xf32> {hetero.part = #hetero.part<0 : [3 to 2]>})

// -----

// expected-error @below {{part_c2: 1 lists of ranges for the 2 dimensions of 'tensor<1x2xf32>'}}
func.func private @part(tensor<1x2xf32> {hetero.part = #hetero.part<0 : [0 to 1]>})

// -----

// expected-error @below {{part_c2: ranges of 4 in all for dimension 0 of 'tensor<3xf32>'}}
func.func private @part(tensor<3xf32> {hetero.part = #hetero.part<0 : [0 to 2, 4 to 6]>})

// -----

// expected-error @below {{part_c3: "hetero.part" must be on a ranked tensor with static shape, but is on 'i32'}}
func.func private @part(i32 {hetero.part = #hetero.part<0>})

// -----

// The largest number is one like others.
// expected-error @+1 {{program_c1: rank 9223372036854775807 is listed twice}}
module attributes {a = #hetero.program<on [0, 9223372036854775807, 9223372036854775807]>} {}
