// RUN: hetero-opt %s -hetero-cpu-pipeline | FileCheck %s

// CHECK: llvm.func @hetero_contract_f32
// CHECK-NOT: stablehlo
// CHECK: llvm.func internal @layer.impl
// CHECK: llvm.call @hetero_contract_f32
// CHECK: llvm.call @loop
// CHECK: llvm.func @layer(%{{.*}}: !llvm.ptr)
// CHECK-NOT: builtin.unrealized_conversion_cast
func.func @layer(%x: tensor<4x8xf32>, %w: tensor<8x6xf32>) -> tensor<4x6xf32> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
  %1 = stablehlo.tanh %0 : tensor<4x6xf32>
  return %1 : tensor<4x6xf32>
}
