// RUN: hetero-opt %S/Inputs/dense.mlir --hetero-attach-cluster=cluster=%S/Inputs/two-classes.yaml -o %t.mlir
// RUN: hetero-opt %t.mlir --hetero-plan="planner=dp-proportional state=full" | FileCheck %s --check-prefix=SPEED
// RUN: hetero-opt %t.mlir --hetero-plan="planner=dp-even state=full" -o %t.even.mlir
// RUN: FileCheck %s --check-prefix=EVEN < %t.even.mlir
// RUN: hetero-opt %t.mlir --hetero-plan="planner=dp-even state=optimizer" | FileCheck %s --check-prefix=OPTIMIZER
// RUN: hetero-opt %t.mlir --hetero-plan="planner=dp-even state=replicated microbatches=3" | FileCheck %s --check-prefix=THREE
// RUN: hetero-opt %t.mlir --hetero-plan="planner=dp-even microbatches=1,5,2" | FileCheck %s --check-prefix=SIZES
// RUN: hetero-opt %t.mlir --hetero-plan="planner=dp-even without=0" | FileCheck %s --check-prefix=WITHOUT

// RUN: hetero-opt %S/Inputs/dense.mlir --hetero-attach-cluster=cluster=%S/Inputs/two-alike.yaml --hetero-plan=tensor=2 -o %t.tensor.mlir
// RUN: FileCheck %s --check-prefix=TENSOR < %t.tensor.mlir
// RUN: hetero-opt %t.tensor.mlir --hetero-plan=tensor=1 | diff %t.tensor.mlir -

// RUN: hetero-opt %t.mlir --hetero-form-layers | sed 's/^\( *hetero.layer [0-9].*\)$/\1 measured {slow = #hetero.layer_times<1: 1 us + 2 us, 8: 8 us + 16 us>}/' > %t.measured.mlir
// RUN: hetero-opt %t.measured.mlir --hetero-plan="planner=dp-proportional state=full" | FileCheck %s --check-prefix=MEASURED
// RUN: hetero-translate --problem %t.measured.mlir | FileCheck %s --check-prefix=PROBLEM

// A plan is valid IR, and one that is there is left alone.
// RUN: hetero-opt %t.even.mlir --hetero-plan=planner=dp-proportional | diff %t.even.mlir -

// Samples by speed, three to one; layers were formed on the way.
// SPEED: hetero.layer_table @layers
// SPEED: hetero.mesh @stage0 = [0, 1]
// SPEED-NEXT: hetero.plan @plan of @step planner "dp-proportional" minimizes time layers @layers batch 8 microbatches [8]
// SPEED-SAME: predicted {{[0-9.]+}} ms bound {{[0-9.]+}} ms gap {{[0-9.]+}} limited_by [<compute of stage 0>]
// SPEED-NEXT: hetero.stage 0 on @stage0 layers [0 to 2] samples {{\[\[}}6, 2]] in_flight 1 state full forward {{.*}} backward

// What was measured counts, not the speeds that the class states.
// MEASURED: hetero.mesh @stage0 = [1]
// MEASURED: hetero.stage 0 on @stage0 layers [0 to 2] samples {{\[\[}}8]] in_flight 1 forward 24 us backward 48 us
// PROBLEM: "slow": {samples: [1, 8], forward: [1 us, 8 us], backward: [2 us, 16 us]}

// State in exact rows of the longest dimension; moments go with parameters.
// EVEN: hetero.stage 0 on @stage0 {{.*}} state full
// EVEN-NEXT: hetero.share 0 state 144 B
// EVEN-NEXT: hetero.share 1 state 144 B
// EVEN: func.func @step(
// EVEN-SAME: tensor<4x6xf32> {hetero.role = #hetero.role<parameter>, hetero.storage = #hetero.sharding<@stage0, split 1 : [3, 3]>}
// EVEN-SAME: tensor<6x2xf32> {hetero.role = #hetero.role<parameter>, hetero.storage = #hetero.sharding<@stage0, split 0 : [3, 3]>}
// EVEN-SAME: tensor<4x6xf32> {hetero.role = #hetero.role<optimizer_state>, hetero.storage = #hetero.sharding<@stage0, split 1 : [3, 3]>}

// OPTIMIZER: hetero.stage 0 on @stage0 {{.*}} state optimizer
// OPTIMIZER-NEXT: hetero.share 0 state 216 B
// OPTIMIZER: func.func @step(
// OPTIMIZER-SAME: tensor<4x6xf32> {hetero.role = #hetero.role<parameter>}
// OPTIMIZER-SAME: tensor<4x6xf32> {hetero.role = #hetero.role<optimizer_state>, hetero.storage = #hetero.sharding<@stage0, split 1 : [3, 3]>}

// THREE: batch 8 microbatches [3, 3, 2]
// THREE-NOT: hetero.storage

// SIZES: batch 8 microbatches [1, 5, 2]

// WITHOUT: hetero.mesh @stage0 = [1]

// Parameters are split so that little has to be summed, and moments with them.
// TENSOR: hetero.mesh @stage0 (data = 1, tensor = 2) = [0, 1]
// TENSOR: hetero.stage 0 on @stage0 {{.*}} samples (data) {{\[\[}}8]]
// TENSOR: func.func @step(
// TENSOR-SAME: tensor<4x6xf32> {hetero.role = #hetero.role<parameter>, hetero.sharding = #hetero.sharding<@stage0, tensor = split [[DIM:[01]]] : {{\[}}[[PARTS:2, 2|3, 3]]]>}
// TENSOR-SAME: tensor<4x6xf32> {hetero.role = #hetero.role<optimizer_state>, hetero.sharding = #hetero.sharding<@stage0, tensor = split [[DIM]] : {{\[}}[[PARTS]]]>}
