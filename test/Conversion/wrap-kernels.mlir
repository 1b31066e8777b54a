// RUN: hetero-opt %s -hetero-wrap-kernels | FileCheck %s

// CHECK: llvm.func @hetero_workspace_alloc(i64) -> !llvm.ptr
llvm.func @_mlir_memref_to_llvm_alloc(i64) -> !llvm.ptr
// CHECK: llvm.func @hetero_workspace_free(!llvm.ptr)
llvm.func @_mlir_memref_to_llvm_free(!llvm.ptr)

// CHECK: llvm.func internal @copy.impl(%{{.*}}: !llvm.ptr, %{{.*}}: !llvm.ptr) {
// CHECK: llvm.call @hetero_workspace_alloc
// CHECK: llvm.call @hetero_workspace_free
// CHECK: llvm.func @copy(%[[LIST:.*]]: !llvm.ptr) {
// CHECK: %[[FIRST:.*]] = llvm.getelementptr %[[LIST]][0]
// CHECK: %[[X:.*]] = llvm.load %[[FIRST]]
// CHECK: %[[SECOND:.*]] = llvm.getelementptr %[[LIST]][1]
// CHECK: %[[OUT:.*]] = llvm.load %[[SECOND]]
// CHECK: llvm.call @copy.impl(%[[X]], %[[OUT]])
llvm.func @copy(%x: !llvm.ptr, %out: !llvm.ptr) attributes {hetero.kernel} {
  %size = llvm.mlir.constant(64 : i64) : i64
  %room = llvm.call @_mlir_memref_to_llvm_alloc(%size) : (i64) -> !llvm.ptr
  %value = llvm.load %x : !llvm.ptr -> f32
  llvm.store %value, %out : f32, !llvm.ptr
  llvm.call @_mlir_memref_to_llvm_free(%room) : (!llvm.ptr) -> ()
  llvm.return
}

// Functions that are no kernels stay as they are.
// CHECK: llvm.func @helper(%{{.*}}: !llvm.ptr, %{{.*}}: i64)
llvm.func @helper(%x: !llvm.ptr, %n: i64) {
  llvm.return
}
