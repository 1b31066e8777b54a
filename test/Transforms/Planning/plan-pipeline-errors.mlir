// RUN: not hetero-opt %S/../Import/Inputs/sgd.mlir --hetero-plan-pipeline 2>&1 | FileCheck %s --check-prefix=CLUSTER
// RUN: not hetero-opt %S/../Import/Inputs/sgd.mlir --hetero-plan-pipeline=cluster=%S/Inputs/attach-cluster-bad.yaml 2>&1 | FileCheck %s --check-prefix=BAD
// RUN: not hetero-opt %S/../Import/Inputs/sgd.mlir --hetero-plan-pipeline="cluster=builtin microbatches=1000" 2>&1 | FileCheck %s --check-prefix=MANY

// CLUSTER: error: has no hetero.cluster; run hetero-attach-cluster first
// BAD: attach-cluster-bad.yaml:3:{{[0-9]+}}: error: {{.*}}a1000
// MANY: error: a batch of {{[0-9]+}} samples cannot make 1000 microbatches
