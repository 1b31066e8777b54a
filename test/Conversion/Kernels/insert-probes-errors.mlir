// RUN: hetero-opt %s -hetero-insert-probes -split-input-file -verify-diagnostics

llvm.func @loop(!llvm.ptr)
// expected-error@below {{has the name of a function that kernels call to be profiled}}
llvm.mlir.global internal constant @hetero_probe_begin(0 : i64) : i64
llvm.func @kernel(%x: !llvm.ptr) attributes {hetero.kernel} {
  llvm.call @loop(%x) : (!llvm.ptr) -> ()
  llvm.return
}

// -----

llvm.func @loop(!llvm.ptr)
// expected-error@below {{has the name of a function that kernels call to be profiled}}
llvm.func @hetero_probe_end() {
  llvm.return
}
llvm.func @kernel(%x: !llvm.ptr) attributes {hetero.kernel} {
  llvm.call @loop(%x) : (!llvm.ptr) -> ()
  llvm.return
}

// -----

// Nobody else's business without kernels.
llvm.mlir.global internal constant @hetero_probe_end(0 : i64) : i64
