// RUN: hetero-record-cuda %s format=ptx steps=2 | FileCheck %s
// RUN: hetero-record-cuda %s format=ptx steps=5 memory=arena | FileCheck %s --check-prefix=STEADY

// What one kernel asks of its device: modules are loaded and constants written
// before the first step, and nothing waits in one.

// CHECK: rank 0
// CHECK-NEXT: stream s0
// CHECK-NEXT: stream s1
// CHECK-NEXT: load module0 sm_80 ptx
// CHECK-NEXT: allocate [[SCALE:m[0-9]+]] 256
// CHECK-NEXT: allocate on host
// CHECK-NEXT: write [[SCALE]] 200 on s0
// CHECK-NEXT: step 0
// CHECK-NEXT: allocate [[X:m[0-9]+]] 120064
// CHECK-NEXT: allocate on host 131072
// CHECK-NEXT: write [[X]] 120000 on s0
// CHECK-NEXT: allocate [[W:m[0-9]+]] 60160
// CHECK-NEXT: allocate on host 65536
// CHECK-NEXT: write [[W]] 60000 on s0
// CHECK-NEXT: allocate [[B:m[0-9]+]] 256
// CHECK-NEXT: allocate on host 4096
// CHECK-NEXT: write [[B]] 200 on s0
// CHECK-NEXT: allocate [[Y:m[0-9]+]] 20224
// CHECK-NEXT: allocate [[SUM:m[0-9]+]] 256
// CHECK: gemm f32 to f32 1 x 100x50x300 [[X]][0, 300, 1] [[W]][0, 50, 1] = [[P:m[0-9]+]][0, 50, 1] on s0
// 5000 elements are 20 blocks, 50 columns of 100 are a block each.
// CHECK: launch [[ADD:loop[_0-9]*]] <20, 256>({{.*}}) on s0
// CHECK: launch [[REDUCE:loop[_0-9]*]] <50, 256>([[Y]], [[SUM]]) on s0
// CHECK-NOT: synchronize
// CHECK: step 1
// CHECK-NOT: load module
// CHECK-NOT: write [[SCALE]]
// CHECK: gemm
// CHECK: launch [[ADD]]
// CHECK: launch [[REDUCE]]
// CHECK-NOT: synchronize
// CHECK: end

// With one piece of memory, steps that repeat are entered as a graph. The host
// stays two steps ahead at most.

// STEADY: allocate m0
// STEADY: step 0
// STEADY-NOT: allocate m
// STEADY: step 4
// STEADY-NEXT: write m0+{{[0-9]+}} 120000 on s0
// STEADY-NEXT: write m0+{{[0-9]+}} 60000 on s0
// STEADY-NEXT: write m0+{{[0-9]+}} 200 on s0
// STEADY-NEXT: launch graph{{[0-9]+}} on s0
// STEADY-NEXT: record [[END:e[0-9]+]] on s0
// STEADY-NEXT: wait for e
// STEADY-NEXT: release e
// STEADY-NEXT: end

func.func @main(%x: tensor<100x300xf32>, %w: tensor<300x50xf32>, %b: tensor<50xf32>) -> (tensor<100x50xf32>, tensor<50xf32>) {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<100x300xf32>, tensor<300x50xf32>) -> tensor<100x50xf32>
  %c = stablehlo.constant dense<"0x0000803F0100803F0200803F0300803F0400803F0500803F0600803F0700803F0800803F0900803F0A00803F0B00803F0C00803F0D00803F0E00803F0F00803F1000803F1100803F1200803F1300803F1400803F1500803F1600803F1700803F1800803F1900803F1A00803F1B00803F1C00803F1D00803F1E00803F1F00803F2000803F2100803F2200803F2300803F2400803F2500803F2600803F2700803F2800803F2900803F2A00803F2B00803F2C00803F2D00803F2E00803F2F00803F3000803F3100803F"> : tensor<50xf32>
  %s = stablehlo.multiply %b, %c : tensor<50xf32>
  %1 = stablehlo.broadcast_in_dim %s, dims = [1] : (tensor<50xf32>) -> tensor<100x50xf32>
  %2 = stablehlo.add %0, %1 : tensor<100x50xf32>
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %5 = stablehlo.reduce(%2 init: %z) applies stablehlo.add across dimensions = [0] : (tensor<100x50xf32>, tensor<f32>) -> tensor<50xf32>
  return %2, %5 : tensor<100x50xf32>, tensor<50xf32>
}
