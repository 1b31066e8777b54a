// RUN: hetero-opt %s --hetero-partition --split-input-file --verify-diagnostics

// expected-error @below {{has no hetero.plan; run hetero-plan first}}
module {
  func.func @step(%x: tensor<8xf32> {hetero.role = #hetero.role<batch>}) {
    return
  }
}

// -----

hetero.mesh @all = [0, 1]
// expected-error @below {{is for a batch of 6}}
hetero.plan @plan of @step planner "hand" minimizes time batch 6 microbatches [6] predicted 1 ms {
  hetero.stage 0 on @all layers [0] samples [[3, 3]] in_flight 1
}
// expected-note @below {{the step has a batch of 8}}
func.func @step(%x: tensor<8xf32> {hetero.role = #hetero.role<batch>}) -> tensor<8xf32> {
  %0 = stablehlo.exponential %x : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

hetero.mesh @a = [0]
hetero.mesh @b = [1]
// expected-note @below {{the plan has 2 stages}}
hetero.plan @plan of @step planner "hand" minimizes time batch 8 microbatches [8] predicted 1 ms {
  hetero.stage 0 on @a layers [0] samples [[8]] in_flight 1
  hetero.stage 1 on @b layers [1] samples [[8]] in_flight 1
}
func.func @step(%x: tensor<8xf32> {hetero.role = #hetero.role<batch>}) -> tensor<8xf32> {
  // expected-error @below {{is placed on stage 7}}
  %0 = stablehlo.exponential %x {hetero.placement = #hetero.placement<stage = 7>} : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

hetero.mesh @a = [0]
hetero.mesh @b = [1]
hetero.plan @plan of @step planner "hand" minimizes time batch 8 microbatches [8] predicted 1 ms {
  hetero.stage 0 on @a layers [0] samples [[8]] in_flight 1
  hetero.stage 1 on @b layers [1] samples [[8]] in_flight 1
}
func.func @step(%x: tensor<8xf32> {hetero.role = #hetero.role<batch>}) -> tensor<8xf32> {
  // expected-note @below {{the value is computed here}}
  %0 = stablehlo.exponential %x {hetero.layer = #hetero.layer<1, forward>} : tensor<8xf32>
  // expected-error @below {{is on stage 0 and uses a value of stage 1 in the forward, where values only go to later stages}}
  %1 = stablehlo.negate %0 {hetero.layer = #hetero.layer<0, forward>} : tensor<8xf32>
  return %1 : tensor<8xf32>
}

// -----

hetero.mesh @all = [0]
// expected-note @below {{the plan has 1 and 1}}
hetero.plan @plan of @step planner "hand" minimizes time batch 8 microbatches [8] predicted 1 ms {
  hetero.stage 0 on @all layers [0] samples [[8]] in_flight 1
}
// expected-error @below {{is for 2 microbatches and 1 stages}}
hetero.schedule @order "1f1b" microbatches 2 {
  hetero.stage_schedule 0 in_flight 1 [forward 0, backward 0, forward 1, backward 1, update]
}
func.func @step(%x: tensor<8xf32> {hetero.role = #hetero.role<batch>}) -> tensor<8xf32> {
  %0 = stablehlo.exponential %x : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

hetero.mesh @all = [0]
hetero.plan @plan of @step planner "hand" minimizes time batch 8 microbatches [8] predicted 1 ms {
  // expected-note @below {{the stage does not say recompute}}
  hetero.stage 0 on @all layers [0] samples [[8]] in_flight 1
}
hetero.schedule @order "1f1b" microbatches 1 {
  // expected-error @below {{has the instruction #hetero.instruction<recompute 0>}}
  hetero.stage_schedule 0 in_flight 1 [forward 0, recompute 0, backward 0, update]
}
func.func @step(%x: tensor<8xf32> {hetero.role = #hetero.role<batch>}) -> tensor<8xf32> {
  %0 = stablehlo.exponential %x : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

hetero.mesh @all = [0]
hetero.plan @plan of @step planner "hand" minimizes time batch 8 microbatches [4, 4] predicted 1 ms {
  hetero.stage 0 on @all layers [0] samples [[4]] in_flight 1
}
hetero.schedule @order zero_bubble microbatches 2 {
  // expected-error @below {{has whole backwards and halves of them, which cannot be partitioned together}}
  hetero.stage_schedule 0 in_flight 2 [forward 0, forward 1, backward 0, input_gradient 1, weight_gradient 1, update]
}
func.func @step(%x: tensor<8xf32> {hetero.role = #hetero.role<batch>}) -> tensor<8xf32> {
  %0 = stablehlo.exponential %x : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

hetero.mesh @all = [0]
// expected-error @below {{is of @wrong, which the module does not have}}
hetero.plan @plan of @wrong planner "hand" minimizes time batch 8 microbatches [8] predicted 1 ms {
  hetero.stage 0 on @all layers [0] samples [[8]] in_flight 1
}
func.func @step(%x: tensor<8xf32> {hetero.role = #hetero.role<batch>}) -> tensor<8xf32> {
  %0 = stablehlo.exponential %x : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

hetero.mesh @all = [0, 1]
hetero.plan @plan of @step planner "hand" minimizes time batch 8 microbatches [8] predicted 1 ms {
  hetero.stage 0 on @all layers [0] samples [[4, 4]] in_flight 1
}
// expected-error @below {{argument 0 is no state, so hetero.storage cannot be followed; the stages of the plan say how samples are divided, and every device has the rest whole}}
func.func @step(%x: tensor<8xf32> {hetero.role = #hetero.role<batch>, hetero.storage = #hetero.sharding<@all, split 0 : [6, 2]>}) -> tensor<8xf32> {
  %0 = stablehlo.exponential %x : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

hetero.mesh @all = [0, 1]
hetero.plan @plan of @step planner "hand" minimizes time batch 8 microbatches [8] predicted 1 ms {
  // expected-note @below {{the plan has 1 stages, 1 microbatches, and 2 devices along the batch here}}
  hetero.stage 0 on @all layers [0] samples [[4, 4]] in_flight 1
}
func.func @step(%x: tensor<8xf32> {hetero.role = #hetero.role<batch>}) -> tensor<8xf32> {
  // expected-error @below {{has a sharding, which can be followed where the plan has one stage, one microbatch, and one device along the batch}}
  %0 = stablehlo.exponential %x {hetero.sharding = [#hetero.sharding<@all, split 0 : [6, 2]>]} : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

hetero.mesh @all (data = 1, tensor = 2) = [0, 1]
hetero.mesh @other (data = 1, tensor = 2) = [0, 1]
hetero.plan @plan of @step planner "hand" minimizes time batch 8 microbatches [8] predicted 1 ms {
  hetero.stage 0 on @all layers [0] samples (data) [[8]] in_flight 1
}
func.func @step(%x: tensor<8xf32> {hetero.role = #hetero.role<batch>}) -> tensor<8xf32> {
  // expected-error @below {{has a sharding on @other, a mesh that is not that of its stage, @all}}
  %0 = stablehlo.exponential %x {hetero.sharding = #hetero.sharding<@other, tensor = split 0 : [6, 2]>} : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

hetero.mesh @all (data = 1, tensor = 2) = [0, 1]
hetero.plan @plan of @step planner "hand" minimizes time batch 8 microbatches [8] predicted 1 ms {
  hetero.stage 0 on @all layers [0] samples (data) [[8]] in_flight 1
}
func.func @step(%x: tensor<8xf32> {hetero.role = #hetero.role<batch>}) -> tensor<8xf32> {
  // expected-error @below {{has a sharding over other axes of the mesh than ["tensor"]; that cannot be partitioned yet}}
  %0 = stablehlo.exponential %x {hetero.sharding = #hetero.sharding<@all, (data, tensor) = split 0 : [6, 2]>} : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

hetero.mesh @all (data = 1, tensor = 2) = [0, 1]
hetero.plan @plan of @step planner "hand" minimizes time batch 8 microbatches [8] predicted 1 ms {
  hetero.stage 0 on @all layers [0] samples (data) [[8]] in_flight 1
}
func.func @step(%x: tensor<8xf32> {hetero.role = #hetero.role<batch>}) -> tensor<8xf32> {
  // expected-error @below {{cannot give its results as hetero.sharding says from operands that come as #hetero.form<replicated>}}
  %0 = stablehlo.exponential %x {hetero.sharding = #hetero.sharding<@all, tensor = partial sum>} : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

hetero.mesh @all = [0, 1]
hetero.plan @plan of @step planner "hand" minimizes time batch 8 microbatches [8] predicted 1 ms {
  // expected-warning @below {{has 'offload', which is not carried out: what the backward needs stays in the memory of the device}}
  hetero.stage 0 on @all layers [0] samples [[5, 3]] in_flight 1 offload {
    // expected-warning @below {{asks for at most 2 samples at once and gets 5; make microbatches of them}}
    hetero.share 0 micro 2 state 0 B memory 0 B
    hetero.share 1 micro 3 state 0 B memory 0 B
  }
}
func.func @step(%x: tensor<8xf32> {hetero.role = #hetero.role<batch>}) -> tensor<8xf32> {
  %0 = stablehlo.exponential %x : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// Samples that the members of a stage share are divided where operations are.
hetero.mesh @all = [0, 1]
hetero.plan @plan of @step planner "hand" minimizes time batch 8 microbatches [8] predicted 1 ms {
  hetero.stage 0 on @all layers [0] samples [[5, 3]] in_flight 1
}
func.func @step(
    // expected-error @below {{argument 0 is no state, so hetero.sharding cannot be followed}}
    %x: tensor<8xf32> {hetero.role = #hetero.role<batch>, hetero.sharding = #hetero.sharding<@all, split 0 : [4, 4]>})
    -> tensor<8xf32> {
  %0 = stablehlo.exponential %x : tensor<8xf32>
  return %0 : tensor<8xf32>
}
