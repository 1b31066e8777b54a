// RUN: hetero-opt %s -hetero-insert-probes | FileCheck %s

// What an operation is, and where it comes from.
// CHECK-DAG: llvm.mlir.global internal constant @[[$LOOP:probe[_0-9]*]]("tanh, multiply 8x4xf32\0Ajit(step)/tanh\00")
// CHECK-DAG: llvm.mlir.global internal constant @[[$DOT:probe[_0-9]*]]("dot_general 4x4xf32\0Astep.mlir:9\00")
// CHECK-DAG: llvm.mlir.global internal constant @[[$COPY:probe[_0-9]*]]("copy\0A{{.*}}insert-probes.mlir:{{[0-9]+}}\00")
// CHECK-DAG: llvm.func @hetero_probe_begin(!llvm.ptr)
// CHECK-DAG: llvm.func @hetero_probe_end()

llvm.func @hetero_contract_f32(!llvm.ptr)
llvm.func @hetero_workspace_alloc(i64) -> !llvm.ptr

llvm.func internal @loop(%x: !llvm.ptr) {
  %0 = llvm.load %x : !llvm.ptr -> f32 loc(fused<"tanh 8x4xf32">["step.mlir":7:1])
  %1 = llvm.fmul %0, %0 : f32 loc(fused<"multiply 8x4xf32">["step.mlir":6:1])
  llvm.store %1, %x : f32, !llvm.ptr loc(fused<"tanh 8x4xf32">["step.mlir":7:1])
  llvm.return
}

// CHECK-LABEL: llvm.func @kernel
llvm.func @kernel(%x: !llvm.ptr, %y: !llvm.ptr) attributes {hetero.kernel} {
  // Taking memory is no operation.
  // CHECK-NOT: probe
  // CHECK: llvm.call @hetero_workspace_alloc
  %size = llvm.mlir.constant(64 : i64) : i64
  %room = llvm.call @hetero_workspace_alloc(%size) : (i64) -> !llvm.ptr
  // CHECK: %[[NAME:.*]] = llvm.mlir.addressof @[[$LOOP]]
  // CHECK-NEXT: llvm.call @hetero_probe_begin(%[[NAME]])
  // CHECK-NEXT: llvm.call @loop
  // CHECK-NEXT: llvm.call @hetero_probe_end()
  llvm.call @loop(%x) : (!llvm.ptr) -> () loc(fused<"tanh 8x4xf32">["jit(step)/tanh"("step.py":3:1)])
  // CHECK-NEXT: %[[NAME:.*]] = llvm.mlir.addressof @[[$DOT]]
  // CHECK-NEXT: llvm.call @hetero_probe_begin(%[[NAME]])
  // CHECK-NEXT: llvm.call @hetero_contract_f32
  // CHECK-NEXT: llvm.call @hetero_probe_end()
  llvm.call @hetero_contract_f32(%x) : (!llvm.ptr) -> () loc(fused<"dot_general 4x4xf32">["step.mlir":9:1])
  // CHECK-NEXT: %[[NAME:.*]] = llvm.mlir.addressof @[[$COPY]]
  // CHECK-NEXT: llvm.call @hetero_probe_begin(%[[NAME]])
  // CHECK-NEXT: llvm.intr.memcpy
  // CHECK-NEXT: llvm.call @hetero_probe_end()
  "llvm.intr.memcpy"(%y, %x, %size) <{isVolatile = false}> : (!llvm.ptr, !llvm.ptr, i64) -> ()
  llvm.return
}

// Loops themselves are not looked into.
// CHECK-NOT: llvm.call @hetero_probe
llvm.func @helper(%x: !llvm.ptr) {
  llvm.call @loop(%x) : (!llvm.ptr) -> ()
  llvm.return
}
