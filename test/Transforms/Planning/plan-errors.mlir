// RUN: hetero-opt %S/Inputs/dense.mlir --hetero-attach-cluster=cluster=%S/Inputs/two-classes.yaml -o %t.mlir
// RUN: not hetero-opt %t.mlir --hetero-plan=planner=best 2>&1 | FileCheck %s --check-prefix=PLANNER
// RUN: not hetero-opt %t.mlir --hetero-plan=schedule=fast 2>&1 | FileCheck %s --check-prefix=SCHEDULE
// RUN: not hetero-opt %t.mlir --hetero-plan=state=some 2>&1 | FileCheck %s --check-prefix=STATE
// RUN: not hetero-opt %t.mlir --hetero-plan=microbatches=9 2>&1 | FileCheck %s --check-prefix=MANY
// RUN: not hetero-opt %t.mlir --hetero-plan=microbatches=0 2>&1 | FileCheck %s --check-prefix=ZERO
// RUN: not hetero-opt %t.mlir --hetero-plan=microbatches=4,5 2>&1 | FileCheck %s --check-prefix=SUM
// RUN: not hetero-opt %t.mlir --hetero-plan=without=7 2>&1 | FileCheck %s --check-prefix=DEVICE
// RUN: not hetero-opt %t.mlir --hetero-plan=max-stages=-1 2>&1 | FileCheck %s --check-prefix=STAGES
// RUN: not hetero-opt %S/Inputs/dense.mlir --hetero-attach-cluster=cluster=%S/Inputs/plan-small.yaml --hetero-plan 2>&1 | FileCheck %s --check-prefix=MEMORY
// RUN: not hetero-opt %t.mlir --hetero-plan=tensor=2 2>&1 | FileCheck %s --check-prefix=TENSOR
// RUN: not hetero-opt %t.mlir --hetero-plan=tensor=-1 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// RUN: not hetero-opt %t.mlir --hetero-plan=effort=0 2>&1 | FileCheck %s --check-prefix=EFFORT
// RUN: not hetero-opt %t.mlir --hetero-plan=time-budget=soon 2>&1 | FileCheck %s --check-prefix=SOON
// RUN: hetero-opt %s --hetero-plan --split-input-file --verify-diagnostics

// PLANNER: error: {{.*}}'best'{{.*}}even
// SCHEDULE: error: there is no schedule 'fast'; there are: auto, gpipe, 1f1b, interleaved, h1f1b, zero_bubble, layered
// STATE: error: there is no way to hold state 'some'; there are: replicated, optimizer, full
// MANY: error: a batch of 8 samples cannot make 9 microbatches
// ZERO: error: microbatches is 0 and must be at least 1
// SUM: error: the batch has 8 samples, but the microbatches make 9
// DEVICE: error: without names device 7, but the cluster has devices 0 to 1
// STAGES: error: max-stages is -1 and must be at least 1
// TENSOR: error: tensor asks for 2 parts, but the most devices of one class in one node are 1
// NEGATIVE: error: tensor asks for -1 parts
// EFFORT: error: effort is 0 and must be from 1 to 100
// SOON: error: time-budget is 'soon' and must be a time, like 5s
// MEMORY: error: {{.*}}device {{[01]}} {{.*}} B

// expected-error @below {{has no hetero.cluster; run hetero-attach-cluster first}}
module {
  func.func @step(%w: tensor<4xf32> {hetero.role = #hetero.role<parameter>},
                  %x: tensor<8x4xf32> {hetero.role = #hetero.role<batch>})
      -> (tensor<4xf32> {hetero.role = #hetero.role<updated_state of 0>}) {
    return %w : tensor<4xf32>
  }
}

// -----

// expected-error @below {{has no hetero.role on its arguments; run hetero-import first}}
func.func @step(%x: tensor<8xf32>) -> tensor<8xf32> {
  return %x : tensor<8xf32>
}

// -----

// expected-error @below {{returns no updated value of any argument, so there is nothing to train; return the updated parameters}}
func.func @step(%w: tensor<4xf32> {hetero.role = #hetero.role<parameter>},
                %x: tensor<8x4xf32> {hetero.role = #hetero.role<batch>}) -> tensor<8xf32> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<8x4xf32>, tensor<4xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

hetero.cluster @one {
  hetero.device_class @t4 memory 16 GB peak <f32: 8.1 TFLOP/s> bandwidth 320 GB/s
  hetero.node @n0 [1 x @t4]
}
hetero.layer_table @layers {
  hetero.layer 0 "all" forward 2 FLOP backward 4 FLOP parameters 16 B saved 0 B output 0 B
}
func.func @step(%w: tensor<4xf32> {hetero.role = #hetero.role<parameter>},
                %x: tensor<8x4xf32> {hetero.role = #hetero.role<batch>})
    -> (tensor<8xf32> {hetero.role = #hetero.role<metric>}, tensor<4xf32> {hetero.role = #hetero.role<updated_state of 0>}) {
  // expected-note @below {{the other one is here}}
  %0 = stablehlo.negate %w {hetero.layer = #hetero.layer<0, forward>, hetero.placement = #hetero.placement<stage = 0>} : tensor<4xf32>
  // expected-error @below {{is placed on stage 1, but another operation of layer 0 is on stage 0}}
  %1 = stablehlo.dot_general %x, %0, contracting_dims = [1] x [0] {hetero.layer = #hetero.layer<0, forward>, hetero.placement = #hetero.placement<stage = 1>} : (tensor<8x4xf32>, tensor<4xf32>) -> tensor<8xf32>
  return %1, %w : tensor<8xf32>, tensor<4xf32>
}

// -----

hetero.cluster @one {
  hetero.device_class @t4 memory 16 GB peak <f32: 8.1 TFLOP/s> bandwidth 320 GB/s
  hetero.node @n0 [1 x @t4]
}
hetero.layer_table @layers {
  hetero.layer 0 "all" forward 2 FLOP backward 4 FLOP parameters 16 B saved 0 B output 0 B
}
func.func @step(%w: tensor<4xf32> {hetero.role = #hetero.role<parameter>},
                %x: tensor<8x4xf32> {hetero.role = #hetero.role<batch>})
    -> (tensor<8xf32> {hetero.role = #hetero.role<metric>}, tensor<4xf32> {hetero.role = #hetero.role<updated_state of 0>}) {
  // expected-error @below {{belongs to no layer; run hetero-form-layers, or give it a hetero.layer}}
  %1 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<8x4xf32>, tensor<4xf32>) -> tensor<8xf32>
  return %1, %w : tensor<8xf32>, tensor<4xf32>
}

// -----

hetero.cluster @pair {
  hetero.device_class @c memory 1 GiB peak <f32: 1 GFLOP/s> bandwidth 1 GB/s
  hetero.node @box [2 x @c] link <nvlink, 1 TB/s, 1 ns>
}
sdy.mesh @mesh = <["data"=2, "model"=2]>
func.func @step(%w: tensor<4xf32> {hetero.role = #hetero.role<parameter>},
                // expected-error @below {{argument 1: sdy.sharding splits dimension 1 of a batch; only its samples, dimension 0, can be divided}}
                %x: tensor<8x4xf32> {hetero.role = #hetero.role<batch>, sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {"model"}]>})
    -> (tensor<4xf32> {hetero.role = #hetero.role<updated_state of 0>}) {
  return %w : tensor<4xf32>
}

// -----

hetero.cluster @pair {
  hetero.device_class @c memory 1 GiB peak <f32: 1 GFLOP/s> bandwidth 1 GB/s
  hetero.node @box [2 x @c] link <nvlink, 1 TB/s, 1 ns>
}
sdy.mesh @mesh = <["data"=2]>
func.func @step(%w: tensor<4xf32> {hetero.role = #hetero.role<parameter>},
                %x: tensor<8x4xf32> {hetero.role = #hetero.role<batch>, sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>},
                // expected-warning @+2 {{argument 2 of type 'tensor<6xf32>' has no dimension of 8 samples}}
                // expected-error @below {{argument 2: sdy.sharding splits dimension 0 of a batch argument that has no dimension of 8 samples, and only these can be divided}}
                %y: tensor<6xf32> {hetero.role = #hetero.role<batch>, sdy.sharding = #sdy.sharding<@mesh, [{"data"}]>})
    -> (tensor<4xf32> {hetero.role = #hetero.role<updated_state of 0>}) {
  return %w : tensor<4xf32>
}

// -----

// The planner decides how many devices share the samples, and says so.
hetero.cluster @pair {
  hetero.device_class @c memory 1 GiB peak <f32: 1 GFLOP/s> bandwidth 1 GB/s
  hetero.node @box [2 x @c] link <nvlink, 1 TB/s, 1 ns>
}
sdy.mesh @mesh = <["data"=4]>
func.func @step(%w: tensor<4xf32> {hetero.role = #hetero.role<parameter>},
                // expected-warning @below {{argument 1: sdy.sharding asks for 4 parts of the samples, but stage 0 has}}
                %x: tensor<8x4xf32> {hetero.role = #hetero.role<batch>, sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>})
    -> (tensor<4xf32> {hetero.role = #hetero.role<updated_state of 0>}) {
  return %w : tensor<4xf32>
}

// -----

hetero.cluster @pair {
  hetero.device_class @c memory 1 GiB peak <f32: 1 GFLOP/s> bandwidth 1 GB/s
  hetero.node @box [2 x @c] link <nvlink, 1 TB/s, 1 ns>
}
sdy.mesh @mesh = <["one"=2, "two"=4]>
func.func @step(%v: tensor<8x4xf32> {hetero.role = #hetero.role<parameter>, sdy.sharding = #sdy.sharding<@mesh, [{"one"}, {}]>}, // expected-note {{argument 0 asks for 2}}
                // expected-error @below {{argument 1: sdy.sharding asks for 4 parts; all arguments must ask for as many}}
                %w: tensor<4xf32> {hetero.role = #hetero.role<parameter>, sdy.sharding = #sdy.sharding<@mesh, [{"two"}]>},
                %x: tensor<8x4xf32> {hetero.role = #hetero.role<batch>})
    -> (tensor<8x4xf32> {hetero.role = #hetero.role<updated_state of 0>},
        tensor<4xf32> {hetero.role = #hetero.role<updated_state of 1>}) {
  return %v, %w : tensor<8x4xf32>, tensor<4xf32>
}

// -----

hetero.cluster @pair {
  hetero.device_class @c memory 1 GiB peak <f32: 1 GFLOP/s> bandwidth 1 GB/s
  hetero.node @box [2 x @c] link <nvlink, 1 TB/s, 1 ns>
}
sdy.mesh @mesh = <["model"=8]>
// expected-error @below {{argument 0: sdy.sharding splits dimension 0 in 8 parts, but it has 4}}
func.func @step(%w: tensor<4xf32> {hetero.role = #hetero.role<parameter>, sdy.sharding = #sdy.sharding<@mesh, [{"model"}]>},
                %x: tensor<8x4xf32> {hetero.role = #hetero.role<batch>})
    -> (tensor<4xf32> {hetero.role = #hetero.role<updated_state of 0>}) {
  return %w : tensor<4xf32>
}

// -----

// expected-error @below {{sdy.sharding on arguments asks for 4 parts, but the most devices of one class in one node are 2}}
module {
  hetero.cluster @pair {
    hetero.device_class @c memory 1 GiB peak <f32: 1 GFLOP/s> bandwidth 1 GB/s
    hetero.node @box [2 x @c] link <nvlink, 1 TB/s, 1 ns>
  }
  sdy.mesh @mesh = <["model"=4]>
  func.func @step(%w: tensor<4xf32> {hetero.role = #hetero.role<parameter>, sdy.sharding = #sdy.sharding<@mesh, [{"model"}]>},
                  %x: tensor<8x4xf32> {hetero.role = #hetero.role<batch>})
      -> (tensor<4xf32> {hetero.role = #hetero.role<updated_state of 0>}) {
    return %w : tensor<4xf32>
  }
}
