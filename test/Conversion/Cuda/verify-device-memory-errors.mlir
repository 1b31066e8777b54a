// RUN: hetero-opt %s -hetero-verify-device-memory -split-input-file -verify-diagnostics

llvm.func @hetero_cuda_alloc(i64) -> !llvm.ptr
llvm.func @hetero_cuda_free(!llvm.ptr)
llvm.func @hetero_cuda_gemm(i64, i64, i64, !llvm.ptr)

// What the analyses of a pass did not see: an address, before the free.
llvm.func @address(%x: !llvm.ptr, %table: !llvm.ptr) {
  %bytes = llvm.mlir.constant(64 : i64) : i64
  // expected-note @+1 {{it comes from here}}
  %a = llvm.call @hetero_cuda_alloc(%bytes) : (i64) -> !llvm.ptr
  %word = llvm.ptrtoint %a : !llvm.ptr to i64
  %offset = llvm.add %word, %bytes : i64
  // expected-note @+1 {{it is freed here}}
  llvm.call @hetero_cuda_free(%a) : (!llvm.ptr) -> ()
  // expected-error @+1 {{uses memory of the device that has been freed}}
  llvm.call @hetero_cuda_gemm(%offset, %word, %word, %table) : (i64, i64, i64, !llvm.ptr) -> ()
  llvm.return
}

// -----

llvm.func @hetero_cuda_alloc(i64) -> !llvm.ptr
llvm.func @hetero_cuda_free(!llvm.ptr)
llvm.func @hetero_cuda_launch(!llvm.ptr, !llvm.ptr, i64, i64, !llvm.ptr, i64)

// The argument of a launch, behind a descriptor of the buffer.
llvm.func @launch(%name: !llvm.ptr) {
  %bytes = llvm.mlir.constant(64 : i64) : i64
  %one = llvm.mlir.constant(1 : i64) : i64
  %slots = llvm.alloca %one x i64 : (i64) -> !llvm.ptr
  %none = llvm.mlir.undef : !llvm.struct<(ptr, ptr, i64)>
  // expected-note @+1 {{it comes from here}}
  %a = llvm.call @hetero_cuda_alloc(%bytes) : (i64) -> !llvm.ptr
  %buffer = llvm.insertvalue %a, %none[1] : !llvm.struct<(ptr, ptr, i64)>
  // expected-note @+1 {{it is freed here}}
  llvm.call @hetero_cuda_free(%a) : (!llvm.ptr) -> ()
  %pointer = llvm.extractvalue %buffer[1] : !llvm.struct<(ptr, ptr, i64)>
  %word = llvm.ptrtoint %pointer : !llvm.ptr to i64
  // expected-error @+1 {{uses memory of the device that has been freed}}
  llvm.store %word, %slots : i64, !llvm.ptr
  llvm.call @hetero_cuda_launch(%name, %name, %one, %one, %slots, %one) : (!llvm.ptr, !llvm.ptr, i64, i64, !llvm.ptr, i64) -> ()
  llvm.return
}

// -----

llvm.func @hetero_cuda_alloc(i64) -> !llvm.ptr
llvm.func @hetero_cuda_free(!llvm.ptr)
llvm.func @hetero_cuda_fft(i64)

// The list of a library's function, which is a buffer itself.
llvm.func @list() {
  %bytes = llvm.mlir.constant(64 : i64) : i64
  %slots = llvm.alloca %bytes x i64 : (i64) -> !llvm.ptr
  %none = llvm.mlir.undef : !llvm.struct<(ptr, ptr, i64)>
  %partly = llvm.insertvalue %slots, %none[1] : !llvm.struct<(ptr, ptr, i64)>
  %buffer = llvm.insertvalue %bytes, %partly[2] : !llvm.struct<(ptr, ptr, i64)>
  // expected-note @+1 {{it comes from here}}
  %a = llvm.call @hetero_cuda_alloc(%bytes) : (i64) -> !llvm.ptr
  %word = llvm.ptrtoint %a : !llvm.ptr to i64
  %base = llvm.extractvalue %buffer[1] : !llvm.struct<(ptr, ptr, i64)>
  %slot = llvm.getelementptr %base[%bytes] : (!llvm.ptr, i64) -> !llvm.ptr, i64
  llvm.store %word, %slot : i64, !llvm.ptr
  // expected-note @+1 {{it is freed here}}
  llvm.call @hetero_cuda_free(%a) : (!llvm.ptr) -> ()
  %address = llvm.ptrtoint %base : !llvm.ptr to i64
  // expected-error @+1 {{uses memory of the device that has been freed}}
  llvm.call @hetero_cuda_fft(%address) : (i64) -> ()
  llvm.return
}

// -----

llvm.func @hetero_cuda_alloc(i64) -> !llvm.ptr
llvm.func @hetero_cuda_free(!llvm.ptr)

llvm.func @twice() {
  %bytes = llvm.mlir.constant(64 : i64) : i64
  // expected-note @+1 {{it comes from here}}
  %a = llvm.call @hetero_cuda_alloc(%bytes) : (i64) -> !llvm.ptr
  // expected-note @+1 {{it is freed here}}
  llvm.call @hetero_cuda_free(%a) : (!llvm.ptr) -> ()
  // expected-error @+1 {{frees memory of the device that has been freed already}}
  llvm.call @hetero_cuda_free(%a) : (!llvm.ptr) -> ()
  llvm.return
}

// -----

llvm.func @hetero_cuda_alloc(i64) -> !llvm.ptr
llvm.func @hetero_cuda_free(!llvm.ptr)
llvm.func @hetero_cuda_copy(!llvm.ptr, !llvm.ptr, i64)

// Behind a loop.
llvm.func @loop(%x: !llvm.ptr, %c: i1) {
  %bytes = llvm.mlir.constant(64 : i64) : i64
  %a = llvm.call @hetero_cuda_alloc(%bytes) : (i64) -> !llvm.ptr
  llvm.br ^loop(%a : !llvm.ptr)
^loop(%old: !llvm.ptr):
  // expected-note @+1 {{it comes from here}}
  %b = llvm.call @hetero_cuda_alloc(%bytes) : (i64) -> !llvm.ptr
  // expected-note @+1 {{it is freed here}}
  llvm.call @hetero_cuda_free(%b) : (!llvm.ptr) -> ()
  llvm.cond_br %c, ^loop(%old : !llvm.ptr), ^done
^done:
  // expected-error @+1 {{uses memory of the device that has been freed}}
  llvm.call @hetero_cuda_copy(%x, %b, %bytes) : (!llvm.ptr, !llvm.ptr, i64) -> ()
  llvm.return
}
