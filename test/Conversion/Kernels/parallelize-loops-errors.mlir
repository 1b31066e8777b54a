// RUN: hetero-opt %s -hetero-parallelize-loops -hetero-wrap-kernels -split-input-file -verify-diagnostics

// A function of the runtime has one type.
// expected-error @+1 {{has the name of a function of the runtime, 'hetero_parallel_for', which is of type '!llvm.func<void (i64, ptr, ptr)>'}}
llvm.func @hetero_parallel_for(i64)

llvm.func @loop(%begin: i64, %end: i64, %x: !llvm.ptr) attributes {hetero.pieces} {
  llvm.return
}

// -----

// expected-error @+1 {{must be a unit}}
func.func private @loop(%begin: index, %end: index) attributes {hetero.pieces = 4 : i64}
