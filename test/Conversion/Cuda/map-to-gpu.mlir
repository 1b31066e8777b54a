// RUN: hetero-opt %s -hetero-map-to-gpu | FileCheck %s

// CHECK: module attributes {gpu.container_module}

// CHECK-LABEL: func.func @main(
func.func @main(%a: memref<10x100xf32>, %b: memref<10x100xf32>, %r: memref<10xf32>, %m: memref<100000xf32>,
                %big: memref<100x100000xf32>, %i: memref<4xi32>) {
  // Nothing is launched for a loop of which nothing is left.
  // CHECK-NOT: @idle
  call @idle(%a, %b) : (memref<10x100xf32>, memref<10x100xf32>) -> ()
  // A thread for each of 1000 elements.
  // CHECK-DAG: %[[C1:.*]] = arith.constant 1 : index
  // CHECK-DAG: %[[C4:.*]] = arith.constant 4 : index
  // CHECK-DAG: %[[C256:.*]] = arith.constant 256 : index
  // CHECK: gpu.launch_func @kernels::@negate blocks in (%[[C4]], %{{.*}}, %{{.*}}) threads in (%[[C256]], %{{.*}}, %{{.*}}) args(%arg0 : memref<10x100xf32>, %arg1 : memref<10x100xf32>)
  call @negate(%a, %b) : (memref<10x100xf32>, memref<10x100xf32>) -> ()
  // A block for each of 10 rows.
  // CHECK: %[[C10:.*]] = arith.constant 10 : index
  // CHECK: gpu.launch_func @kernels::@rows blocks in (%[[C10]],
  call @rows(%a, %r) : (memref<10x100xf32>, memref<10xf32>) -> ()
  // A thread for each of 100000 columns.
  // CHECK: %[[C391:.*]] = arith.constant 391 : index
  // CHECK: gpu.launch_func @kernels::@columns blocks in (%[[C391]],
  call @columns(%big, %m) : (memref<100x100000xf32>, memref<100000xf32>) -> ()
  // CHECK: gpu.launch_func @kernels::@serial blocks in (%{{.*}}) threads in (%[[ONE:.*]], %{{.*}}, %{{.*}}) args(%arg5 : memref<4xi32>)
  call @serial(%i) : (memref<4xi32>) -> ()
  // CHECK: gpu.launch_func @kernels::@shared
  call @shared(%i) : (memref<4xi32>) -> ()
  return
}

func.func private @idle(%a: memref<10x100xf32>, %r: memref<10x100xf32>) attributes {hetero.device_loop} {
  %zero = arith.constant 0 : index
  return
}

// CHECK: gpu.module @kernels
// CHECK-LABEL: gpu.func @negate
// CHECK-SAME: kernel attributes {known_block_size = array<i32: 256, 1, 1>}
// CHECK: %[[BLOCK:.*]] = gpu.block_id x
// CHECK: %[[THREAD:.*]] = gpu.thread_id x
// CHECK: scf.if
// CHECK: arith.remui
// CHECK: arith.divui
// CHECK: memref.load
// CHECK: arith.negf
// CHECK: memref.store
func.func private @negate(%a: memref<10x100xf32>, %b: memref<10x100xf32>) attributes {hetero.device_loop} {
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
    ins(%a : memref<10x100xf32>) outs(%b : memref<10x100xf32>) {
  ^bb0(%x: f32, %y: f32):
    %n = arith.negf %x : f32
    linalg.yield %n : f32
  }
  return
}

// CHECK-LABEL: gpu.func @rows
// CHECK: %[[PART:.*]] = scf.for {{.*}} iter_args
// CHECK: arith.maximumf
// CHECK: %[[WHOLE:.*]] = gpu.all_reduce %[[PART]] uniform {
// CHECK: arith.maximumf
// CHECK: scf.if
// CHECK: %[[INIT:.*]] = memref.load
// CHECK: %[[RESULT:.*]] = arith.maximumf %[[INIT]], %[[WHOLE]]
// CHECK: memref.store %[[RESULT]]
func.func private @rows(%a: memref<10x100xf32>, %r: memref<10xf32>) attributes {hetero.device_loop} {
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
    ins(%a : memref<10x100xf32>) outs(%r : memref<10xf32>) {
  ^bb0(%x: f32, %y: f32):
    %n = arith.maximumf %y, %x : f32
    linalg.yield %n : f32
  }
  return
}

// CHECK-LABEL: gpu.func @columns
// CHECK-NOT: gpu.all_reduce
// CHECK: scf.if
// CHECK: %[[SUM:.*]] = scf.for
// CHECK: memref.store %[[SUM]]
func.func private @columns(%a: memref<100x100000xf32>, %r: memref<100000xf32>) attributes {hetero.device_loop} {
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>], iterator_types = ["reduction", "parallel"]}
    ins(%a : memref<100x100000xf32>) outs(%r : memref<100000xf32>) {
  ^bb0(%x: f32, %y: f32):
    %n = arith.addf %y, %x fastmath<reassoc> : f32
    linalg.yield %n : f32
  }
  return
}

// CHECK-LABEL: gpu.func @serial
// CHECK: scf.if
// CHECK: scf.for
func.func private @serial(%i: memref<4xi32>) attributes {hetero.device_loop} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.for %k = %c0 to %c4 step %c1 {
    %x = memref.load %i[%k] : memref<4xi32>
    %y = arith.addi %x, %x : i32
    memref.store %y, %i[%k] : memref<4xi32>
  }
  return
}

// CHECK-LABEL: gpu.func @shared
// CHECK: scf.if
// CHECK-NOT: scf.for
// CHECK: memref.store
func.func private @shared(%i: memref<4xi32>) attributes {hetero.device_loop} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.for %k = %c0 to %c4 step %c1 {
    %x = memref.load %i[%k] : memref<4xi32>
    %y = arith.addi %x, %x : i32
    memref.store %y, %i[%k] : memref<4xi32>
  } {hetero.parallel}
  return
}
