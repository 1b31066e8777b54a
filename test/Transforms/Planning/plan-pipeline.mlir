// RUN: hetero-opt %S/Inputs/dense.mlir --hetero-plan-pipeline="cluster=%S/Inputs/two-classes.yaml planner=dp-even" -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: hetero-opt %S/Inputs/dense.mlir --hetero-plan-pipeline="cluster=%S/Inputs/two-classes.yaml planner=dp-even partition=true" | FileCheck %s --check-prefix=RANKS

// It continues where a module has stopped: here with the partition.
// RUN: hetero-opt %t.mlir --hetero-plan-pipeline=partition=true | FileCheck %s --check-prefix=RANKS

// CHECK: hetero.cluster @two
// CHECK: hetero.layer_table @layers
// CHECK: hetero.plan @plan of @step planner "dp-even"
// CHECK: hetero.schedule @order h1f1b of @plan
// CHECK: func.func {{.*}}@step

// RANKS: func.func @rank0
// RANKS: func.func @rank1
