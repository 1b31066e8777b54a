// RUN: hetero-opt %s -hetero-wrap-kernels -verify-diagnostics

// expected-note @+1 {{the kernel is here}}
llvm.func @copy(%x: !llvm.ptr) attributes {hetero.kernel} {
  llvm.return
}

// expected-error @+1 {{has the name that the body of a kernel gets}}
llvm.func @copy.impl(%x: !llvm.ptr) {
  llvm.return
}
