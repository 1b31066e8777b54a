// RUN: hetero-opt %s -hetero-cuda-pipeline="arch=sm_80 format=ptx" | FileCheck %s

// LLVM writes PTX without the CUDA toolkit.
// CHECK: llvm.mlir.global private constant @image_sm_80("
// CHECK-SAME: .target sm_80
// CHECK-SAME: .visible .entry loop(
// CHECK: llvm.func @main(%{{.*}}: !llvm.ptr)
func.func @main(%x: tensor<1000xf32>) -> tensor<1000xf32> {
  %0 = stablehlo.add %x, %x : tensor<1000xf32>
  return %0 : tensor<1000xf32>
}
