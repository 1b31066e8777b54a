// RUN: hetero-opt --hetero-check-types %s | FileCheck %s
// RUN: hetero-opt --hetero-check-types --hetero-check-types %s | FileCheck %s

// Static shapes, empty and scalar ones included, tokens and tuples pass.
// CHECK-LABEL: func @static
// CHECK: stablehlo.add
func.func @static(%x: tensor<0x4xf32>, %t: !stablehlo.token, %e: tensor<0x4294967296x4294967296xf32>) -> tensor<0x4xf32> {
  %0 = stablehlo.add %x, %x : tensor<0x4xf32>
  %1 = stablehlo.tuple %x, %t : tuple<tensor<0x4xf32>, !stablehlo.token>
  return %0 : tensor<0x4xf32>
}
