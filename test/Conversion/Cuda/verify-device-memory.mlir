// RUN: hetero-opt %s -hetero-verify-device-memory | FileCheck %s
// RUN: hetero-opt %s -o %t.before && hetero-opt %s -hetero-verify-device-memory -o %t.after && diff %t.before %t.after

llvm.func @hetero_cuda_alloc(i64) -> !llvm.ptr
llvm.func @hetero_cuda_free(!llvm.ptr)
llvm.func @hetero_cuda_copy(!llvm.ptr, !llvm.ptr, i64)
llvm.func @hetero_cuda_launch(!llvm.ptr, !llvm.ptr, i64, i64, !llvm.ptr, i64)

// CHECK-LABEL: llvm.func @straight
llvm.func @straight(%x: !llvm.ptr, %name: !llvm.ptr) {
  %bytes = llvm.mlir.constant(64 : i64) : i64
  %one = llvm.mlir.constant(1 : i64) : i64
  %slots = llvm.alloca %one x i64 : (i64) -> !llvm.ptr
  %a = llvm.call @hetero_cuda_alloc(%bytes) : (i64) -> !llvm.ptr
  %word = llvm.ptrtoint %a : !llvm.ptr to i64
  llvm.store %word, %slots : i64, !llvm.ptr
  llvm.call @hetero_cuda_launch(%name, %name, %one, %one, %slots, %one) : (!llvm.ptr, !llvm.ptr, i64, i64, !llvm.ptr, i64) -> ()
  llvm.call @hetero_cuda_copy(%x, %a, %bytes) : (!llvm.ptr, !llvm.ptr, i64) -> ()
  llvm.call @hetero_cuda_free(%a) : (!llvm.ptr) -> ()
  // The array still has the address, and the launch stores another one.
  %value = llvm.ptrtoint %x : !llvm.ptr to i64
  llvm.store %value, %slots : i64, !llvm.ptr
  llvm.call @hetero_cuda_launch(%name, %name, %one, %one, %slots, %one) : (!llvm.ptr, !llvm.ptr, i64, i64, !llvm.ptr, i64) -> ()
  llvm.return
}

// Each iteration frees what the one before has made.
// CHECK-LABEL: llvm.func @handed_on
llvm.func @handed_on(%x: !llvm.ptr, %n: i64) {
  %bytes = llvm.mlir.constant(64 : i64) : i64
  %zero = llvm.mlir.constant(0 : i64) : i64
  %one = llvm.mlir.constant(1 : i64) : i64
  %a = llvm.call @hetero_cuda_alloc(%bytes) : (i64) -> !llvm.ptr
  llvm.br ^loop(%zero, %a : i64, !llvm.ptr)
^loop(%i: i64, %old: !llvm.ptr):
  %b = llvm.call @hetero_cuda_alloc(%bytes) : (i64) -> !llvm.ptr
  llvm.call @hetero_cuda_copy(%b, %old, %bytes) : (!llvm.ptr, !llvm.ptr, i64) -> ()
  llvm.call @hetero_cuda_free(%old) : (!llvm.ptr) -> ()
  %next = llvm.add %i, %one : i64
  %more = llvm.icmp "slt" %next, %n : i64
  llvm.cond_br %more, ^loop(%next, %b : i64, !llvm.ptr), ^done(%b : !llvm.ptr)
^done(%last: !llvm.ptr):
  llvm.call @hetero_cuda_copy(%x, %last, %bytes) : (!llvm.ptr, !llvm.ptr, i64) -> ()
  llvm.call @hetero_cuda_free(%last) : (!llvm.ptr) -> ()
  llvm.return
}

// Who owns the block is found out at run time: that cannot be proven.
// CHECK-LABEL: llvm.func @sometimes
llvm.func @sometimes(%x: !llvm.ptr, %c: i1) {
  %bytes = llvm.mlir.constant(64 : i64) : i64
  %a = llvm.call @hetero_cuda_alloc(%bytes) : (i64) -> !llvm.ptr
  llvm.cond_br %c, ^free, ^use
^free:
  llvm.call @hetero_cuda_free(%a) : (!llvm.ptr) -> ()
  llvm.br ^use
^use:
  llvm.call @hetero_cuda_copy(%x, %a, %bytes) : (!llvm.ptr, !llvm.ptr, i64) -> ()
  llvm.return
}

// What is made again in each iteration is another block.
// CHECK-LABEL: llvm.func @again
llvm.func @again(%x: !llvm.ptr, %c: i1) {
  %bytes = llvm.mlir.constant(64 : i64) : i64
  llvm.br ^loop
^loop:
  %a = llvm.call @hetero_cuda_alloc(%bytes) : (i64) -> !llvm.ptr
  llvm.call @hetero_cuda_copy(%x, %a, %bytes) : (!llvm.ptr, !llvm.ptr, i64) -> ()
  llvm.call @hetero_cuda_free(%a) : (!llvm.ptr) -> ()
  llvm.cond_br %c, ^loop, ^done
^done:
  llvm.return
}
