// RUN: hetero-opt %s -hetero-lower-to-cublas -verify-diagnostics

// expected-error @+1 {{has the name of a function of the runtime, 'hetero_cuda_gemm', which is of type '(index, index, index, index) -> ()'}}
memref.global "private" constant @hetero_cuda_gemm : memref<2xi64> = dense<[1, 2]>
