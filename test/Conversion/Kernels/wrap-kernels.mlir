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

// A function that is divided is called by the pool, with its arguments in
// memory.
// CHECK: llvm.func internal @loop.piece(%{{.*}}: i64, %{{.*}}: i64, %{{.*}}: !llvm.ptr {llvm.noalias}, %{{.*}}: f32)
// CHECK: llvm.func internal @loop.body(%[[BEGIN:.*]]: i64, %[[END:.*]]: i64, %[[LIST:.*]]: !llvm.ptr)
// CHECK: %[[X:.*]] = llvm.load %{{.*}} : !llvm.ptr -> !llvm.ptr
// CHECK: %[[Y:.*]] = llvm.load %{{.*}} : !llvm.ptr -> f32
// CHECK: llvm.call @loop.piece(%[[BEGIN]], %[[END]], %[[X]], %[[Y]])
// CHECK: llvm.func internal @loop(%{{.*}}: i64, %[[SIZE:.*]]: i64, %{{.*}}: !llvm.ptr, %{{.*}}: f32)
// CHECK: %[[MEMORY:.*]] = llvm.alloca
// CHECK: %[[BODY:.*]] = llvm.mlir.addressof @loop.body
// CHECK: llvm.call @hetero_parallel_for(%[[SIZE]], %[[BODY]], %[[MEMORY]])
llvm.func @loop(%begin: i64, %end: i64, %x: !llvm.ptr {llvm.noalias}, %y: f32) attributes {hetero.pieces} {
  llvm.store %y, %x : f32, !llvm.ptr
  llvm.return
}
