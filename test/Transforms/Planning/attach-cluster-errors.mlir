// RUN: not hetero-opt %s --hetero-attach-cluster 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not hetero-opt %s --hetero-attach-cluster=cluster=%t-missing.yaml 2>&1 | FileCheck %s --check-prefix=MISSING
// RUN: not hetero-opt %s --hetero-attach-cluster=cluster=%S/Inputs/attach-cluster-bad.yaml 2>&1 | FileCheck %s --check-prefix=BAD
// RUN: not hetero-opt %S/attach-cluster.mlir --hetero-attach-cluster=cluster=%S/Inputs/attach-cluster-peak.yaml 2>&1 | FileCheck %s --check-prefix=PEAK
// RUN: not hetero-opt %s --hetero-attach-cluster=cluster=builtin 2>&1 | FileCheck %s --check-prefix=PLANNED
// RUN: not hetero-translate --cluster %S/attach-cluster.mlir 2>&1 | FileCheck %s --check-prefix=TRANSLATE

// NONE: error: hetero-attach-cluster needs the option cluster=<file.yaml>
// MISSING: error: cannot read the cluster file '{{.*}}-missing.yaml': No such file or directory
// BAD: attach-cluster-bad.yaml:3:{{[0-9]+}}: error: unknown device class 'a1000'
// PEAK: attach-cluster-peak.yaml:3:27: error: unknown element type 'speed'; known types: f64, f32
// PLANNED: error: 'hetero.cluster' op cannot become 'builtin': a plan was made for it
// PLANNED: note: the plan is here; remove it to plan anew
// TRANSLATE: error: has no hetero.cluster; run hetero-attach-cluster first

hetero.cluster @one {
  hetero.device_class @t4 memory 16 GB peak <f32: 8.1 TFLOP/s> bandwidth 320 GB/s
  hetero.node @n0 [1 x @t4]
}
hetero.mesh @all = [0]
hetero.plan @plan of @step planner "hand" minimizes time batch 8 microbatches [8] predicted 1 ms {
  hetero.stage 0 on @all layers [0] samples [[8]] in_flight 1
}
func.func @step(%x: tensor<8xf32>) -> tensor<8xf32> {
  return %x : tensor<8xf32>
}
