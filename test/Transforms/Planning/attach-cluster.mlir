// RUN: hetero-opt %s --hetero-attach-cluster=cluster=%S/Inputs/attach-cluster.yaml -o %t.mlir
// RUN: FileCheck %s < %t.mlir

// The cluster is a part of the text now, and can be had back from it.
// RUN: hetero-opt %t.mlir | hetero-translate --cluster -o %t.yaml
// RUN: FileCheck %s --check-prefix=YAML < %t.yaml
// RUN: hetero-opt %s --hetero-attach-cluster=cluster=%t.yaml | hetero-translate --cluster | diff %t.yaml -

// The same cluster again changes nothing; another one takes its place.
// RUN: hetero-opt %t.mlir --hetero-attach-cluster=cluster=%t.yaml | diff %t.mlir -
// RUN: hetero-opt %t.mlir --hetero-attach-cluster=cluster=builtin 2>&1 | FileCheck %s --check-prefix=AGAIN

// All examples can be attached and had back.
// RUN: hetero-opt %s --hetero-attach-cluster=cluster=%source_root/examples/clusters/aws.yaml | hetero-translate --cluster -o %t.aws.yaml
// RUN: hetero-opt %s --hetero-attach-cluster=cluster=%t.aws.yaml | hetero-translate --cluster | diff %t.aws.yaml -
// RUN: hetero-opt %s --hetero-attach-cluster=cluster=%source_root/examples/clusters/demo.yaml | hetero-translate --cluster -o %t.demo.yaml
// RUN: hetero-opt %s --hetero-attach-cluster=cluster=%t.demo.yaml | hetero-translate --cluster | diff %t.demo.yaml -
// RUN: hetero-opt %s --hetero-attach-cluster=cluster=%source_root/examples/clusters/desk.yaml | hetero-translate --cluster -o %t.desk.yaml
// RUN: hetero-opt %s --hetero-attach-cluster=cluster=%t.desk.yaml | hetero-translate --cluster | diff %t.desk.yaml -
// RUN: hetero-opt %s --hetero-attach-cluster=cluster=%source_root/examples/clusters/hap.yaml | hetero-translate --cluster -o %t.hap.yaml
// RUN: hetero-opt %s --hetero-attach-cluster=cluster=%t.hap.yaml | hetero-translate --cluster | diff %t.hap.yaml -
// RUN: hetero-opt %s --hetero-attach-cluster=cluster=%source_root/examples/clusters/lab.yaml | hetero-translate --cluster -o %t.lab.yaml
// RUN: hetero-opt %s --hetero-attach-cluster=cluster=%t.lab.yaml | hetero-translate --cluster | diff %t.lab.yaml -
// RUN: hetero-opt %s --hetero-attach-cluster=cluster=%source_root/examples/clusters/single.yaml | hetero-translate --cluster -o %t.single.yaml
// RUN: hetero-opt %s --hetero-attach-cluster=cluster=%t.single.yaml | hetero-translate --cluster | diff %t.single.yaml -
// RUN: hetero-opt %s --hetero-attach-cluster=cluster=%source_root/examples/clusters/harp.yaml | hetero-translate --cluster -o %t.harp.yaml
// RUN: hetero-opt %s --hetero-attach-cluster=cluster=%t.harp.yaml | hetero-translate --cluster | diff %t.harp.yaml -
// RUN: hetero-opt %s --hetero-attach-cluster=cluster=%source_root/examples/clusters/thousand.yaml | hetero-translate --cluster -o %t.thousand.yaml
// RUN: hetero-opt %s --hetero-attach-cluster=cluster=%t.thousand.yaml | hetero-translate --cluster | diff %t.thousand.yaml -
// RUN: hetero-opt %s --hetero-attach-cluster=cluster=%source_root/examples/clusters/sites.yaml | hetero-translate --cluster -o %t.sites.yaml
// RUN: hetero-opt %s --hetero-attach-cluster=cluster=%t.sites.yaml | hetero-translate --cluster | diff %t.sites.yaml -

// CHECK: hetero.cluster @step_cluster called "step" {
// CHECK-NEXT: hetero.device_class @l4_class called "l4" memory 24 GB
// CHECK-SAME: overhead 3 us price 0.8/h
// CHECK-NEXT: hetero.device_class @odd memory 10 GB reserved 1 GiB peak <bf16: 3 TFLOP/s, f32: 1.5 TFLOP/s> bandwidth 100 GB/s
// CHECK-SAME: efficiency <1 MFLOP: 0.02, 1 GFLOP: 0.5>
// CHECK-NEXT: hetero.node @l4 [2 x @l4_class, 1 x @odd] link <shared pcie, 12 GB/s, 5 us> host 64 GiB unavailable [1]
// CHECK-NEXT: hetero.node @far_0 [1 x @odd]
// CHECK-NEXT: hetero.node @far_1 [1 x @odd]
// CHECK-NEXT: hetero.switch @lan joins [@l4, @far_0, @far_1] by <ethernet, 1.25 GB/s, 30 us>
// CHECK-NEXT: hetero.link @l4 <-> @far_0 by <infiniband, 12.5 GB/s, 1.5 us>
// CHECK-NEXT: hetero.route @l4 -> @far_0 via [@lan]
// CHECK-NEXT: hetero.site @l4_site called "l4" [@l4, @lan]
// CHECK-NEXT: hetero.site @away [@far_0, @far_1]
// CHECK-NEXT: hetero.measured_collective all_gather members 2 nodes 1 class @l4_class times <1 MB: 250 us, 64 MB: 13 ms>
// CHECK-NEXT: hetero.measured_collective all_reduce members 3 nodes 3 times <1 MB: 2 ms>

// YAML: name: "step"
// YAML: price: 0.8/h
// YAML: unavailable: [1]
// YAML: from: "l4", to: "far_0", via: ["lan"]
// YAML: name: "l4", members: ["l4", "lan"]
// YAML: operation: all_gather, members: 2, nodes: 1, class: "l4", times: {1 MB: 250 us, 64 MB: 13 ms}

// AGAIN: remark: the cluster is replaced by that of 'builtin'
// AGAIN: hetero.cluster @builtin {
// AGAIN-NOT: hetero.cluster

func.func @step(%x: tensor<8xf32>) -> tensor<8xf32> {
  return %x : tensor<8xf32>
}
