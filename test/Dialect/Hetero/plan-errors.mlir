// RUN: hetero-opt %s -split-input-file -verify-diagnostics

hetero.layer_table @t {
  // expected-error @+1 {{layer_table_c1: must have number 0}}
  hetero.layer 1 "l" forward 1 FLOP backward 1 FLOP parameters 1 B saved 1 B output 1 B
}

// -----

hetero.layer_table @t {
  // expected-error @+1 {{layer_table_c1: is not a layer}}
  %0 = arith.constant 1 : i32
}

// -----

hetero.layer_table @t {
  // expected-error @+1 {{layer_c1: is like layer 0, which is not an earlier one}}
  hetero.layer 0 "l" like 0 forward 1 FLOP backward 1 FLOP parameters 1 B saved 1 B output 1 B
}

// -----

hetero.layer_table @t {
  // expected-error @+1 {{layer_c2: measured on 'l4' is 3 : i64, not a #hetero.layer_times}}
  hetero.layer 0 "l" forward 1 FLOP backward 1 FLOP parameters 1 B saved 1 B output 1 B measured {l4 = 3}
}

// -----

hetero.layer_table @t {
  // expected-error @+1 {{layer_c1: is like layer -1, which is not an earlier one}}
  hetero.layer 0 "l" like -1 forward 1 FLOP backward 1 FLOP parameters 1 B saved 1 B output 1 B
}

// -----

hetero.layer_table @t {
  hetero.layer 0 "l" forward 1 FLOP backward 1 FLOP parameters 1 B saved 1 B output 1 B
  // expected-note @+1 {{that layer is here}}
  hetero.layer 1 "l" like 0 forward 1 FLOP backward 1 FLOP parameters 1 B saved 1 B output 1 B
  // expected-error @+1 {{layer_c1: is like layer 1, which is itself like another}}
  hetero.layer 2 "l" like 1 forward 1 FLOP backward 1 FLOP parameters 1 B saved 1 B output 1 B
}

// -----

hetero.mesh @a = [0, 1]
hetero.mesh @b = [1, 2]
func.func private @step()
// expected-error @+1 {{plan_c1: the microbatches make 8 samples, but the batch has 9}}
hetero.plan @plan of @step planner "hand" minimizes time batch 9 microbatches [8] predicted 1 s {
  hetero.stage 0 on @a layers [0 to 1] samples [[4, 4]] in_flight 1
}

// -----

hetero.mesh @a = [0, 1]
hetero.mesh @b = [1, 2]
func.func private @step()
// expected-error @+1 {{plan_c1: has a microbatch of 0 samples}}
hetero.plan @plan of @step planner "hand" minimizes time batch 8 microbatches [8, 0] predicted 1 s {
  hetero.stage 0 on @a layers [0 to 1] samples [[4, 4]] in_flight 1
}

// -----

hetero.mesh @a = [0, 1]
hetero.mesh @b = [1, 2]
func.func private @step()
// expected-error @+1 {{plan_c1: the microbatches make 0 samples, but the batch has 0}}
hetero.plan @plan of @step planner "hand" minimizes time batch 0 microbatches [] predicted 1 s {
  hetero.stage 0 on @a layers [0 to 1] samples [[4, 4]] in_flight 1
}

// -----

hetero.mesh @a = [0, 1]
hetero.mesh @b = [1, 2]
func.func private @step()
// expected-error @+1 {{plan_c1: the sum of the microbatches overflows}}
hetero.plan @plan of @step planner "hand" minimizes time batch 8 microbatches [9223372036854775807, 9223372036854775807] predicted 1 s {
  hetero.stage 0 on @a layers [0 to 1] samples [[4, 4]] in_flight 1
}

// -----

hetero.mesh @a = [0, 1]
hetero.mesh @b = [1, 2]
func.func private @step()
// expected-error @+1 {{plan_c2: the predicted time must be positive}}
hetero.plan @plan of @step planner "hand" minimizes time batch 8 microbatches [8] predicted 0 s {
  hetero.stage 0 on @a layers [0 to 1] samples [[4, 4]] in_flight 1
}

// -----

hetero.mesh @a = [0, 1]
hetero.mesh @b = [1, 2]
func.func private @step()
// expected-error @+1 {{plan_c2: the bound of 2 s exceeds the predicted time of 1 s}}
hetero.plan @plan of @step planner "hand" minimizes time batch 8 microbatches [8] predicted 1 s bound 2 s {
  hetero.stage 0 on @a layers [0 to 1] samples [[4, 4]] in_flight 1
}

// -----

hetero.mesh @a = [0, 1]
hetero.mesh @b = [1, 2]
func.func private @step()
// expected-error @+1 {{plan_c3: the gap is written as 0.3, but prediction and bound give 0.25}}
hetero.plan @plan of @step planner "hand" minimizes time batch 8 microbatches [8] predicted 4 s bound 3 s gap 0.3 {
  hetero.stage 0 on @a layers [0 to 1] samples [[4, 4]] in_flight 1
}

// -----

hetero.mesh @a = [0, 1]
hetero.mesh @b = [1, 2]
func.func private @step()
// expected-error @+1 {{plan_c4: has no stages}}
hetero.plan @plan of @step planner "hand" minimizes time batch 8 microbatches [8] predicted 1 s {

}

// -----

hetero.mesh @a = [0, 1]
hetero.mesh @b = [1, 2]
func.func private @step()
hetero.plan @plan of @step planner "hand" minimizes time batch 8 microbatches [8] predicted 1 s {
  // expected-error @+1 {{plan_c4: must have number 0}}
  hetero.stage 1 on @a layers [0 to 1] samples [[4, 4]] in_flight 1
}

// -----

hetero.mesh @a = [0, 1]
hetero.mesh @b = [1, 2]
func.func private @step()
hetero.plan @plan of @step planner "hand" minimizes time batch 8 microbatches [8] predicted 1 s {
  // expected-error @+1 {{plan_c4: is not a stage}}
  %0 = arith.constant 1 : i32
}

// -----

hetero.mesh @a = [0, 1]
hetero.mesh @b = [2, 3]
func.func private @step()
hetero.plan @plan of @step planner "hand" minimizes time batch 8 microbatches [8] predicted 1 s {
  // expected-note @+1 {{the stage before it is here}}
  hetero.stage 0 on @a layers [2 to 3] samples [[4, 4]] in_flight 1
  // expected-error @+1 {{plan_c4: begins with layer 0, but the stage before it begins with layer 2}}
  hetero.stage 1 on @b layers [0 to 1] samples [[4, 4]] in_flight 1
}

// -----

hetero.mesh @a = [0, 1]
hetero.mesh @b = [1, 2]
func.func private @step()
// expected-error @+1 {{plan_c5: layer 0 is in no stage}}
hetero.plan @plan of @step planner "hand" minimizes time batch 8 microbatches [8] predicted 1 s {
  hetero.stage 0 on @a layers [1 to 2] samples [[4, 4]] in_flight 1
}

// -----

hetero.mesh @a = [0, 1]
hetero.mesh @b = [1, 2]
func.func private @step()
hetero.plan @plan of @step planner "hand" minimizes time batch 8 microbatches [8] predicted 1 s {
  // expected-note @+1 {{the other one is here}}
  hetero.stage 0 on @a layers [0 to 1] samples [[4, 4]] in_flight 1
  // expected-error @+1 {{plan_c5: layer 1 is in two stages}}
  hetero.stage 1 on @a layers [1 to 2] samples [[4, 4]] in_flight 1
}

// -----

hetero.mesh @a = [0, 1]
hetero.mesh @b = [1, 2]
func.func private @step()
// expected-error @+1 {{plan_c6: @t is not a layer table}}
hetero.plan @plan of @step planner "hand" minimizes time layers @t batch 8 microbatches [8] predicted 1 s {
  hetero.stage 0 on @a layers [0 to 1] samples [[4, 4]] in_flight 1
}

// -----

// expected-note @+1 {{the table is here}}
hetero.layer_table @t {
  hetero.layer 0 "l" forward 1 FLOP backward 1 FLOP parameters 1 B saved 1 B output 1 B
}
hetero.mesh @a = [0, 1]
hetero.mesh @b = [1, 2]
func.func private @step()
// expected-error @+1 {{plan_c6: its stages have 2 layers, but the table has 1}}
hetero.plan @plan of @step planner "hand" minimizes time layers @t batch 8 microbatches [8] predicted 1 s {
  hetero.stage 0 on @a layers [0 to 1] samples [[4, 4]] in_flight 1
}

// -----

hetero.mesh @a = [0, 1]
hetero.mesh @b = [1, 2]
func.func private @step()
hetero.plan @plan of @step planner "hand" minimizes time batch 8 microbatches [8] predicted 1 s {
  // expected-note @+1 {{the other stage is here}}
  hetero.stage 0 on @a layers [0 to 1] samples [[4, 4]] in_flight 1
  // expected-error @+1 {{plan_c7: device 1 is in another stage whose mesh is not the same}}
  hetero.stage 1 on @b layers [2] samples [[4, 4]] in_flight 1
}

// -----

// expected-note @+1 {{it is defined here}}
hetero.mesh @a = [0, 1]
hetero.mesh @b = [1, 2]
func.func private @step()
// expected-error @+1 {{plan_c8: @a is not a function}}
hetero.plan @plan of @a planner "hand" minimizes time batch 8 microbatches [8] predicted 1 s {
  hetero.stage 0 on @a layers [0 to 1] samples [[4, 4]] in_flight 1
}

// -----

hetero.mesh @a = [0, 1]
hetero.mesh @b = [1, 2]
func.func private @step()
// expected-error @+1 {{plan_c9: stage 1 limits it, but it has 1 stages}}
hetero.plan @plan of @step planner "hand" minimizes time batch 8 microbatches [8] predicted 1 s limited_by [<compute of stage 1>] {
  hetero.stage 0 on @a layers [0 to 1] samples [[4, 4]] in_flight 1
}

// -----

hetero.mesh @a = [0, 1]
hetero.mesh @b = [1, 2]
func.func private @step()
// expected-error @+1 {{plan_c9: device 2 limits it, but is in no stage}}
hetero.plan @plan of @step planner "hand" minimizes time batch 8 microbatches [8] predicted 1 s limited_by [<memory of device 2>] {
  hetero.stage 0 on @a layers [0 to 1] samples [[4, 4]] in_flight 1
}

// -----

hetero.cluster @lab {
  hetero.device_class @t4 memory 16 GB reserved 1 GB peak <f32: 8 TFLOP/s> bandwidth 320 GB/s
  hetero.node @n0 [3 x @t4] link <pcie, 12 GB/s, 5 us>
}
hetero.mesh @a = [0, 1]
hetero.mesh @b = [1, 2]
func.func private @step()
// expected-error @+1 {{plan_c9: @lan limits it, but is not in the cluster}}
hetero.plan @plan of @step planner "hand" minimizes time batch 8 microbatches [8] predicted 1 s limited_by [<bandwidth of @lan>] {
  hetero.stage 0 on @a layers [0 to 1] samples [[4, 4]] in_flight 1
}

// -----

hetero.mesh @a = [0, 1]
hetero.mesh @b = [1, 2]
func.func private @step()
hetero.plan @plan of @step planner "hand" minimizes time batch 8 microbatches [8] predicted 1 s {
  // expected-error @+1 {{stage_c1: @step is not a mesh}}
  hetero.stage 0 on @step layers [0 to 1] samples [[4, 4]] in_flight 1
}

// -----

hetero.mesh @a = [0, 1]
hetero.mesh @b = [1, 2]
func.func private @step()
hetero.plan @plan of @step planner "hand" minimizes time batch 8 microbatches [8] predicted 1 s {
  // expected-error @+1 {{stage_c2: has no layers}}
  hetero.stage 0 on @a layers [] samples [[4, 4]] in_flight 1
}

// -----

hetero.mesh @a = [0, 1]
hetero.mesh @b = [1, 2]
func.func private @step()
hetero.plan @plan of @step planner "hand" minimizes time batch 8 microbatches [8] predicted 1 s {
  // expected-error @+1 {{stage_c2: layers 1 to 2 do not follow those before}}
  hetero.stage 0 on @a layers [0 to 1, 1 to 2] samples [[4, 4]] in_flight 1
}

// -----

hetero.mesh @a = [0, 1]
hetero.mesh @b = [1, 2]
func.func private @step()
hetero.plan @plan of @step planner "hand" minimizes time batch 8 microbatches [8] predicted 1 s {
  // expected-error @+1 {{stage_c2: layers 1 to 0 do not follow those before}}
  hetero.stage 0 on @a layers [1 to 0] samples [[4, 4]] in_flight 1
}

// -----

hetero.mesh @a = [0, 1]
hetero.mesh @b = [1, 2]
func.func private @step()
hetero.plan @plan of @step planner "hand" minimizes time batch 8 microbatches [8] predicted 1 s {
  // expected-error @+1 {{stage_c2: layers 0 to 9223372036854775807 do not follow those before}}
  hetero.stage 0 on @a layers [0 to 9223372036854775807] samples [[4, 4]] in_flight 1
}

// -----

// expected-note @+1 {{the mesh is here}}
hetero.mesh @a = [0, 1]
hetero.mesh @b = [1, 2]
func.func private @step()
hetero.plan @plan of @step planner "hand" minimizes time batch 8 microbatches [8] predicted 1 s {
  // expected-error @+1 {{stage_c3: the axes must be different ones of the mesh}}
  hetero.stage 0 on @a layers [0 to 1] samples (data) [[4, 4]] in_flight 1
}

// -----

hetero.mesh @a = [0, 1]
hetero.mesh @b = [1, 2]
func.func private @step()
hetero.plan @plan of @step planner "hand" minimizes time batch 8 microbatches [8] predicted 1 s {
  // expected-error @+1 {{stage_c4: divides samples between 3 members, but the mesh has 2}}
  hetero.stage 0 on @a layers [0 to 1] samples [[4, 4, 0]] in_flight 1
}

// -----

hetero.mesh @a = [0, 1]
hetero.mesh @b = [1, 2]
func.func private @step()
hetero.plan @plan of @step planner "hand" minimizes time batch 8 microbatches [8] predicted 1 s {
  // expected-error @+1 {{stage_c4: a share of -1 samples is not possible}}
  hetero.stage 0 on @a layers [0 to 1] samples [[9, -1]] in_flight 1
}

// -----

hetero.mesh @a = [0, 1]
hetero.mesh @b = [1, 2]
func.func private @step()
hetero.plan @plan of @step planner "hand" minimizes time batch 8 microbatches [5, 3] predicted 1 s {
  // expected-error @+1 {{stage_c5: divides microbatches of [8] samples, but the plan has microbatches of [5, 3]}}
  hetero.stage 0 on @a layers [0 to 1] samples [[4, 4]] in_flight 1
}

// -----

hetero.mesh @a = [0, 1]
hetero.mesh @b = [1, 2]
func.func private @step()
hetero.plan @plan of @step planner "hand" minimizes time batch 8 microbatches [8] predicted 1 s {
  // expected-error @+1 {{stage_c6: must have at least one in flight}}
  hetero.stage 0 on @a layers [0 to 1] samples [[4, 4]] in_flight 0
}

// -----

hetero.mesh @a = [0, 1]
hetero.mesh @b = [1, 2]
func.func private @step()
hetero.plan @plan of @step planner "hand" minimizes time batch 8 microbatches [8] predicted 1 s {
  hetero.stage 0 on @a layers [0 to 1] samples [[4, 4]] in_flight 1 {
    // expected-error @+1 {{stage_c7: is not a share}}
  %0 = arith.constant 1 : i32
  }
}

// -----

hetero.mesh @a = [0, 1]
hetero.mesh @b = [1, 2]
func.func private @step()
hetero.plan @plan of @step planner "hand" minimizes time batch 8 microbatches [8] predicted 1 s {
  hetero.stage 0 on @a layers [0 to 1] samples [[4, 4]] in_flight 1 {
    // expected-error @+1 {{share_c1: device 2 is not in the mesh of the stage}}
  hetero.share 2 state 1 GB memory 2 GB
  }
}

// -----

hetero.mesh @a = [0, 1]
hetero.mesh @b = [1, 2]
func.func private @step()
hetero.plan @plan of @step planner "hand" minimizes time batch 8 microbatches [8] predicted 1 s {
  hetero.stage 0 on @a layers [0 to 1] samples [[4, 4]] in_flight 1 {
    // expected-note @+1 {{that share is here}}
    hetero.share 0 state 1 GB memory 2 GB
    // expected-error @+1 {{share_c1: device 0 has a share already}}
  hetero.share 0 state 1 GB memory 2 GB
  }
}

// -----

hetero.mesh @a = [0, 1]
hetero.mesh @b = [1, 2]
func.func private @step()
hetero.plan @plan of @step planner "hand" minimizes time batch 8 microbatches [8] predicted 1 s {
  hetero.stage 0 on @a layers [0 to 1] samples [[4, 4]] in_flight 1 {
    // expected-error @+1 {{share_c2: must compute at least one sample at a time}}
  hetero.share 0 micro 0 state 1 GB memory 2 GB
  }
}

// -----

hetero.mesh @a = [0, 1]
hetero.mesh @b = [1, 2]
func.func private @step()
hetero.plan @plan of @step planner "hand" minimizes time batch 8 microbatches [8] predicted 1 s {
  hetero.stage 0 on @a layers [0 to 1] samples [[4, 4]] in_flight 1 {
    // expected-error @+1 {{share_c3: holds 3 GB of state, more than the 2 GB it uses in all}}
  hetero.share 0 state 3 GB memory 2 GB
  }
}

// -----

hetero.cluster @lab {
  // expected-note @+1 {{its class is here}}
  hetero.device_class @t4 memory 16 GB reserved 1 GB peak <f32: 8 TFLOP/s> bandwidth 320 GB/s
  hetero.node @n0 [3 x @t4] link <pcie, 12 GB/s, 5 us>
}
hetero.mesh @a = [0, 1]
hetero.mesh @b = [1, 2]
func.func private @step()
hetero.plan @plan of @step planner "hand" minimizes time batch 8 microbatches [8] predicted 1 s {
  hetero.stage 0 on @a layers [0 to 1] samples [[4, 4]] in_flight 1 {
    // expected-error @+1 {{share_c4: needs 15.5 GB of memory, but device 0 has 15 GB}}
  hetero.share 0 state 1 GB memory 15.5 GB
  }
}
