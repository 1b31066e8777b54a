// RUN: hetero-opt %s -split-input-file -verify-diagnostics

// expected-error @+1 {{cluster_c1: has no node}}
hetero.cluster @cluster_c1 {
}

// -----

hetero.cluster @cluster_c2 {
  // expected-error @+1 {{cluster_c2: does not describe a cluster}}
  func.func private @f()
}

// -----

hetero.cluster @cluster_c3 {
  hetero.device_class @t4 memory 16 GB peak <f32: 8 TFLOP/s> bandwidth 320 GB/s
  // expected-note @+1 {{the first node is here}}
  hetero.node @n0 [1 x @t4]
  hetero.node @n1 [1 x @t4]
  // expected-error @+1 {{cluster_c3: no links lead to it from the first node}}
  hetero.node @n2 [1 x @t4]
  hetero.link @n0 <-> @n1 by <ethernet, 1 Gb/s, 30 us>
}

// -----

// expected-note @+1 {{the first one is here}}
hetero.cluster @first {
  hetero.device_class @t4 memory 16 GB peak <f32: 8 TFLOP/s> bandwidth 320 GB/s
  hetero.node @n0 [1 x @t4]
}
// expected-error @+1 {{cluster_c4: is the second one here}}
hetero.cluster @cluster_c4 {
  hetero.device_class @t4 memory 16 GB peak <f32: 8 TFLOP/s> bandwidth 320 GB/s
  hetero.node @n0 [1 x @t4]
}

// -----

// expected-error @+1 {{cluster_c5: has 1114112 devices; at most 1048576}}
hetero.cluster @cluster_c5 {
  hetero.device_class @t4 memory 16 GB peak <f32: 8 TFLOP/s> bandwidth 320 GB/s
  hetero.node @n0 [65536 x @t4] link <pcie, 1 GB/s, 1 us>
  hetero.node @n1 [65536 x @t4] link <pcie, 1 GB/s, 1 us>
  hetero.node @n2 [65536 x @t4] link <pcie, 1 GB/s, 1 us>
  hetero.node @n3 [65536 x @t4] link <pcie, 1 GB/s, 1 us>
  hetero.node @n4 [65536 x @t4] link <pcie, 1 GB/s, 1 us>
  hetero.node @n5 [65536 x @t4] link <pcie, 1 GB/s, 1 us>
  hetero.node @n6 [65536 x @t4] link <pcie, 1 GB/s, 1 us>
  hetero.node @n7 [65536 x @t4] link <pcie, 1 GB/s, 1 us>
  hetero.node @n8 [65536 x @t4] link <pcie, 1 GB/s, 1 us>
  hetero.node @n9 [65536 x @t4] link <pcie, 1 GB/s, 1 us>
  hetero.node @n10 [65536 x @t4] link <pcie, 1 GB/s, 1 us>
  hetero.node @n11 [65536 x @t4] link <pcie, 1 GB/s, 1 us>
  hetero.node @n12 [65536 x @t4] link <pcie, 1 GB/s, 1 us>
  hetero.node @n13 [65536 x @t4] link <pcie, 1 GB/s, 1 us>
  hetero.node @n14 [65536 x @t4] link <pcie, 1 GB/s, 1 us>
  hetero.node @n15 [65536 x @t4] link <pcie, 1 GB/s, 1 us>
  hetero.node @n16 [65536 x @t4] link <pcie, 1 GB/s, 1 us>
}

// -----

hetero.cluster @device_class_c1 {
  // expected-error @+1 {{device_class_c1: the memory of 1 GiB must be more than what is reserved of it}}
  hetero.device_class @t4 memory 1 GiB reserved 1 GiB peak <f32: 8 TFLOP/s> bandwidth 320 GB/s
}

// -----

hetero.cluster @device_class_c2 {
  // expected-error @+1 {{device_class_c2: the memory bandwidth must be positive}}
  hetero.device_class @t4 memory 1 GiB peak <f32: 8 TFLOP/s> bandwidth 0 GB/s
}

// -----

// expected-error @+1 {{peak_c1: 0 element types with 0 speeds; there must be as many, at least one}}
module attributes {a = #hetero.peak<>} {}

// -----

// expected-error @+1 {{peak_c1: 'f32' is given twice}}
module attributes {a = #hetero.peak<f32: 1 TFLOP/s, f32: 2 TFLOP/s>} {}

// -----

// expected-error @+1 {{peak_c2: 'index' is not an element type that is computed with}}
module attributes {a = #hetero.peak<index: 1 TFLOP/s>} {}

// -----

// expected-error @+1 {{peak_c3: the speed of 'f32' must be positive}}
module attributes {a = #hetero.peak<f32: 0 TFLOP/s>} {}

// -----

// expected-error @+1 {{curve_c1: 0 amounts of work with 0 shares; there must be as many, at least one}}
module attributes {a = #hetero.curve<>} {}

// -----

// expected-error @+1 {{curve_c1: the work of point 1 (1 MFLOP) must exceed that of the one before (1 GFLOP)}}
module attributes {a = #hetero.curve<1 GFLOP: 0.5, 1 MFLOP: 0.6>} {}

// -----

// expected-error @+1 {{curve_c2: the share 1.2 must be positive and at most 1}}
module attributes {a = #hetero.curve<1 GFLOP: 1.2>} {}

// -----

// expected-error @+1 {{curve_c2: the share 0 must be positive and at most 1}}
module attributes {a = #hetero.curve<1 GFLOP: 0>} {}

// -----

// expected-error @+1 {{link_attr_c1: the bandwidth must be positive}}
module attributes {a = #hetero.link<pcie, 0 GB/s, 1 us>} {}

// -----

// expected-error @+1 {{resource_c1: stage -1 does not exist}}
module attributes {a = #hetero.resource<compute of stage -1>} {}

// -----

// expected-error @+1 {{expected 'stage', 'device' or a symbol}}
module attributes {a = #hetero.resource<compute of everything>} {}

// -----

hetero.cluster @node_c1 {
  // expected-error @+1 {{node_c1: has 0 counts for 0 classes; there must be as many, at least one}}
  hetero.node @n0 []
}

// -----

hetero.cluster @node_c1 {
  hetero.device_class @t4 memory 16 GB peak <f32: 8 TFLOP/s> bandwidth 320 GB/s
  // expected-error @+1 {{node_c1: has 0 devices of a class; 1 to 65536}}
  hetero.node @n0 [0 x @t4]
}

// -----

hetero.cluster @node_c1 {
  hetero.device_class @t4 memory 16 GB peak <f32: 8 TFLOP/s> bandwidth 320 GB/s
  // expected-error @+1 {{node_c1: has 65537 devices; at most 65536}}
  hetero.node @n0 [65536 x @t4, 1 x @t4] link <pcie, 1 GB/s, 1 us>
}

// -----

hetero.cluster @node_c2 {
  // expected-error @+1 {{node_c2: @t4 is not a device class of the cluster}}
  hetero.node @n0 [1 x @t4]
}

// -----

hetero.cluster @node_c3 {
  hetero.device_class @t4 memory 16 GB peak <f32: 8 TFLOP/s> bandwidth 320 GB/s
  // expected-error @+1 {{node_c3: has 2 devices but no link between them}}
  hetero.node @n0 [2 x @t4]
}

// -----

hetero.cluster @node_c4 {
  hetero.device_class @t4 memory 16 GB peak <f32: 8 TFLOP/s> bandwidth 320 GB/s
  // expected-error @+1 {{node_c4: lists device 1 as unavailable, but has devices 0 to 0}}
  hetero.node @n0 [1 x @t4] unavailable [1]
}

// -----

hetero.cluster @node_c4 {
  hetero.device_class @t4 memory 16 GB peak <f32: 8 TFLOP/s> bandwidth 320 GB/s
  // expected-error @+1 {{node_c4: lists device 0 twice}}
  hetero.node @n0 [1 x @t4] unavailable [0, 0]
}

// -----

hetero.cluster @switch_c1 {
  // expected-error @+1 {{switch_c1: joins nothing}}
  hetero.switch @s joins [] by <ethernet, 1 Gb/s, 30 us>
}

// -----

hetero.cluster @switch_c1 {
  // expected-error @+1 {{switch_c1: joins @n0 twice}}
  hetero.switch @s joins [@n0, @n0] by <ethernet, 1 Gb/s, 30 us>
}

// -----

hetero.cluster @switch_c2 {
  hetero.device_class @t4 memory 16 GB peak <f32: 8 TFLOP/s> bandwidth 320 GB/s
  hetero.node @n0 [1 x @t4]
  // expected-error @+1 {{switch_c2: @t4 is not a node or a switch of the cluster}}
  hetero.switch @s joins [@n0, @t4] by <ethernet, 1 Gb/s, 30 us>
}

// -----

hetero.cluster @switch_c2 {
  hetero.device_class @t4 memory 16 GB peak <f32: 8 TFLOP/s> bandwidth 320 GB/s
  hetero.node @n0 [1 x @t4]
  // expected-error @+1 {{switch_c2: @s is this switch itself}}
  hetero.switch @s joins [@n0, @s] by <ethernet, 1 Gb/s, 30 us>
}

// -----

hetero.cluster @link_c1 {
  hetero.device_class @t4 memory 16 GB peak <f32: 8 TFLOP/s> bandwidth 320 GB/s
  hetero.node @n0 [1 x @t4]
  // expected-error @+1 {{link_c1: @n1 is not a node or a switch of the cluster}}
  hetero.link @n0 <-> @n1 by <ethernet, 1 Gb/s, 30 us>
}

// -----

hetero.cluster @link_c2 {
  // expected-error @+1 {{link_c2: joins @n0 with itself}}
  hetero.link @n0 <-> @n0 by <ethernet, 1 Gb/s, 30 us>
}

// -----

hetero.cluster @route_c1 {
  hetero.device_class @t4 memory 16 GB peak <f32: 8 TFLOP/s> bandwidth 320 GB/s
  hetero.node @n0 [1 x @t4]
  hetero.switch @s joins [@n0] by <ethernet, 1 Gb/s, 30 us>
  // expected-error @+1 {{route_c1: @s is not a node of the cluster}}
  hetero.route @n0 -> @s via []
}

// -----

hetero.cluster @route_c1 {
  hetero.device_class @t4 memory 16 GB peak <f32: 8 TFLOP/s> bandwidth 320 GB/s
  hetero.node @n0 [1 x @t4]
  // expected-error @+1 {{route_c1: leads from @n0 to itself}}
  hetero.route @n0 -> @n0 via []
}

// -----

hetero.cluster @route_c2 {
  hetero.device_class @t4 memory 16 GB peak <f32: 8 TFLOP/s> bandwidth 320 GB/s
  hetero.node @n0 [1 x @t4]
  hetero.node @n1 [1 x @t4]
  hetero.link @n0 <-> @n1 by <ethernet, 1 Gb/s, 30 us>
  // expected-error @+1 {{route_c2: @t4 is not a node or a switch of the cluster}}
  hetero.route @n0 -> @n1 via [@t4]
}

// -----

hetero.cluster @route_c3 {
  hetero.device_class @t4 memory 16 GB peak <f32: 8 TFLOP/s> bandwidth 320 GB/s
  hetero.node @n0 [1 x @t4]
  hetero.node @n1 [1 x @t4]
  hetero.node @n2 [1 x @t4]
  hetero.link @n0 <-> @n1 by <ethernet, 1 Gb/s, 30 us>
  hetero.link @n1 <-> @n2 by <ethernet, 1 Gb/s, 30 us>
  hetero.route @n0 -> @n2 via [@n1]
  // expected-error @+1 {{route_c3: nothing joins @n0 and @n2}}
  hetero.route @n0 -> @n2 via []
}

// -----

hetero.cluster @site_c1 {
  hetero.device_class @t4 memory 16 GB peak <f32: 8 TFLOP/s> bandwidth 320 GB/s
  hetero.node @n0 [1 x @t4]
  // expected-error @+1 {{site_c1: lists @n0 twice}}
  hetero.site @here [@n0, @n0]
}

// -----

hetero.cluster @site_c1 {
  hetero.device_class @t4 memory 16 GB peak <f32: 8 TFLOP/s> bandwidth 320 GB/s
  hetero.node @n0 [1 x @t4]
  // expected-error @+1 {{site_c1: @t4 is not a node or a switch of the cluster}}
  hetero.site @here [@n0, @t4]
}

// -----

hetero.cluster @site_c2 {
  hetero.device_class @t4 memory 16 GB peak <f32: 8 TFLOP/s> bandwidth 320 GB/s
  hetero.node @n0 [1 x @t4]
  // expected-note @+1 {{the other site is here}}
  hetero.site @here [@n0]
  // expected-error @+1 {{site_c2: @n0 is in another site already}}
  hetero.site @there [@n0]
}

// -----

hetero.cluster @measured_collective_c1 {
  hetero.device_class @t4 memory 16 GB peak <f32: 8 TFLOP/s> bandwidth 320 GB/s
  hetero.node @n0 [1 x @t4]
  // expected-error @+1 {{measured_collective_c1: has 1 members in 1 nodes; at least 2 in 1}}
  hetero.measured_collective all_reduce members 1 nodes 1 times <1 MB: 1 ms>
}

// -----

hetero.cluster @measured_collective_c2 {
  hetero.device_class @t4 memory 16 GB peak <f32: 8 TFLOP/s> bandwidth 320 GB/s
  hetero.node @n0 [1 x @t4]
  // expected-error @+1 {{measured_collective_c2: @n0 is not a device class of the cluster}}
  hetero.measured_collective broadcast members 2 nodes 1 class @n0 times <1 MB: 1 ms>
}

// -----

// expected-error @+1 {{times_c1: 0 amounts with 0 times; there must be as many, at least one}}
module attributes {example.times = #hetero.times<>} {}

// -----

// expected-error @+1 {{times_c1: the bytes of point 1 (1 KB) must exceed those of the one before (1 MB)}}
module attributes {example.times = #hetero.times<1 MB: 1 ms, 1 KB: 2 ms>} {}

// -----

// expected-error @+1 {{layer_times_c1: 0 numbers of samples with 0 and 0 times; there must be as many, at least one}}
module attributes {example.times = #hetero.layer_times<>} {}

// -----

// expected-error @+1 {{layer_times_c1: times for 2 samples follow those for 4; the numbers must be positive and ascend}}
module attributes {example.times = #hetero.layer_times<4: 1 ms + 2 ms, 2: 1 ms + 2 ms>} {}

// -----

// expected-error @+1 {{layer_times_c1: times for 0 samples follow those for 0; the numbers must be positive and ascend}}
module attributes {example.times = #hetero.layer_times<0: 1 ms + 2 ms>} {}

// -----

// expected-error @+1 {{mesh_c1: has no devices}}
hetero.mesh @mesh_c1 = []

// -----

// expected-error @+1 {{mesh_c1: device 3 is listed twice}}
hetero.mesh @mesh_c1 = [3, 0 to 4]

// -----

// expected-error @+1 {{-1 is not the number of a rank; the first is 0}}
hetero.mesh @mesh_c1 = [-1]

// -----

// expected-error @+1 {{mesh_c2: has two axes 'data'}}
hetero.mesh @mesh_c2 (data = 2, data = 2) = [0 to 3]

// -----

// expected-error @+1 {{mesh_c2: axis 'data' has size 0}}
hetero.mesh @mesh_c2 (data = 0) = [0]

// -----

// expected-error @+1 {{mesh_c2: has 3 devices, but its axes need 4}}
hetero.mesh @mesh_c2 (data = 2, tensor = 2) = [0 to 2]

// -----

// expected-error @+1 {{mesh_c2: the product of the axes overflows}}
hetero.mesh @mesh_c2 (a = 4611686018427387904, b = 4) = [0]

// -----

// expected-note @+1 {{the cluster has devices 0 to 1}}
hetero.cluster @lab {
  hetero.device_class @t4 memory 16 GB peak <f32: 8 TFLOP/s> bandwidth 320 GB/s
  hetero.node @n0 [2 x @t4] link <pcie, 12 GB/s, 5 us>
}
// expected-error @+1 {{mesh_c3: device 2 does not exist}}
hetero.mesh @mesh_c3 = [0, 2]

// -----

hetero.cluster @lab {
  hetero.device_class @t4 memory 16 GB peak <f32: 8 TFLOP/s> bandwidth 320 GB/s
  hetero.node @n0 [2 x @t4] link <pcie, 12 GB/s, 5 us>
  // expected-note @+1 {{it is device 1 of this node}}
  hetero.node @n1 [2 x @t4] link <pcie, 12 GB/s, 5 us> unavailable [1]
  hetero.link @n0 <-> @n1 by <ethernet, 1 Gb/s, 30 us>
}
// expected-error @+1 {{mesh_c3: device 3 is unavailable}}
hetero.mesh @mesh_c3 = [0, 3]

// -----

// The largest number is one like others.
// expected-error @+1 {{mesh_c1: device 9223372036854775807 is listed twice}}
hetero.mesh @mesh_c1 = [0, 9223372036854775807, 9223372036854775807]
