// RUN: hetero-opt %s | hetero-opt | FileCheck %s
// RUN: hetero-opt -mlir-print-op-generic %s | hetero-opt | FileCheck %s
// RUN: hetero-opt --emit-bytecode %s | hetero-opt | FileCheck %s

// CHECK-LABEL: hetero.cluster @everything {
hetero.cluster @everything {
  // CHECK-NEXT: hetero.device_class @a100 memory 40 GiB reserved 1.5 GiB
  // CHECK-SAME: peak <f32: 19.5 TFLOP/s, bf16: 312 TFLOP/s, i8: 624 TFLOP/s>
  // CHECK-SAME: bandwidth 1.555 TB/s
  // CHECK-SAME: efficiency <1 MFLOP: 0.02, 1 GFLOP: 0.4, 1 TFLOP: 0.85>
  // CHECK-SAME: overhead 4 us price 3.06/h{{$}}
  hetero.device_class @a100 memory 40 GiB reserved 1536 MiB
      peak <f32: 19.5 TFLOP/s, bf16: 312 TFLOP/s, i8: 624 TFLOP/s>
      bandwidth 1555 GB/s
      efficiency <1 MFLOP: 0.02, 1 GFLOP: 0.4, 1 TFLOP: 0.85>
      overhead 4 us price 3.06/h
  // CHECK-NEXT: hetero.device_class @p40 memory 24 GB peak <f32: 11.8 TFLOP/s> bandwidth 346 GB/s{{$}}
  hetero.device_class @p40 memory 24 GB peak <f32: 11.8 TFLOP/s> bandwidth 346 GB/s
  // CHECK-NEXT: hetero.node @mixed [2 x @a100, 1 x @p40, 1 x @a100] link <nvlink, 300 GB/s, 2 us> host 512 GiB unavailable [1, 3]
  hetero.node @mixed [2 x @a100, 1 x @p40, 1 x @a100] link <nvlink, 300 GB/s, 2 us> host 512 GiB unavailable [1, 3]
  // CHECK-NEXT: hetero.node @bus [4 x @p40] link <shared pcie, 12 GB/s, 5 us>{{$}}
  hetero.node @bus [4 x @p40] link <shared pcie, 12 GB/s, 5 us>
  // CHECK-NEXT: hetero.node @single [1 x @p40]{{$}}
  hetero.node @single [1 x @p40]
  // CHECK-NEXT: hetero.switch @tor joins [@mixed, @bus] by <infiniband, 12.5 GB/s, 1.5 us>
  hetero.switch @tor joins [@mixed, @bus] by <infiniband, 100 Gb/s, 1.5 us>
  // CHECK-NEXT: hetero.switch @wan joins [@tor, @single] by <ethernet, 125 MB/s, 5 ms>
  hetero.switch @wan joins [@tor, @single] by <ethernet, 1 Gb/s, 5 ms>
  // CHECK-NEXT: hetero.link @bus <-> @single by <ethernet, 1.25 GB/s, 30 us>
  hetero.link @bus <-> @single by <ethernet, 10 Gb/s, 30 us>
  // CHECK-NEXT: hetero.route @mixed -> @single via [@tor, @bus]
  hetero.route @mixed -> @single via [@tor, @bus]
  // CHECK-NEXT: hetero.route @bus -> @single via []
  hetero.route @bus -> @single via []
  // CHECK-NEXT: hetero.site @here [@mixed, @bus, @tor]
  hetero.site @here [@mixed, @bus, @tor]
  // CHECK-NEXT: hetero.site @there [@single]
  hetero.site @there [@single]
  // CHECK-NEXT: hetero.measured_collective all_reduce members 2 nodes 1 class @p40 times <1 MB: 250 us, 64 MB: 13 ms>
  hetero.measured_collective all_reduce members 2 nodes 1 class @p40
      times <1 MB: 250 us, 64 MB: 13000 us>
  // CHECK-NEXT: hetero.measured_collective all_to_all members 4 nodes 2 times <1 MiB: 2 ms>
  hetero.measured_collective all_to_all members 4 nodes 2 times <1 MiB: 2 ms>
}

// The devices have ranks 0 to 8; ranks 1 and 3 are unavailable.

// CHECK: hetero.mesh @some = [8, 0, 2]
hetero.mesh @some = [8, 0, 2]
// CHECK: hetero.mesh @range = [4 to 8, 0]
hetero.mesh @range = [4, 5, 6, 7, 8, 0]
// CHECK: hetero.mesh @grid (data = 2, tensor = 2) = [4, 5, 6, 7]
hetero.mesh @grid (data = 2, tensor = 2) = [4 to 7]
// An axis of another name, or with the name of the default one.
// CHECK: hetero.mesh @line (data = 2) = [4, 5]
hetero.mesh @line (data = 2) = [4, 5]
// CHECK: hetero.mesh @default = [4, 5]
hetero.mesh @default (devices = 2) = [4, 5]
