// RUN: hetero-opt --hetero-externalize-constants="max-elements=3" %s | FileCheck %s
// RUN: hetero-opt --hetero-externalize-constants="max-elements=3" --hetero-externalize-constants="max-elements=3" %s | FileCheck %s

// CHECK-LABEL: func.func @constants
func.func @constants() -> (tensor<4xi32>, tensor<4xi32>, tensor<3xf32>, tensor<4xf32>, tensor<4xi1>) {
  // Equal constants share a resource.
  // CHECK: stablehlo.constant dense_resource<constant_0> : tensor<4xi32>
  %0 = stablehlo.constant dense<[1, 2, 3, 4]> : tensor<4xi32>
  // CHECK: stablehlo.constant dense_resource<constant_0> : tensor<4xi32>
  %1 = stablehlo.constant dense<[1, 2, 3, 4]> : tensor<4xi32>
  // CHECK: stablehlo.constant dense<[1.000000e+00, 2.000000e+00, 3.000000e+00]>
  %2 = stablehlo.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
  // However it is written, one value is a splat.
  // CHECK: stablehlo.constant dense<1.000000e+00> : tensor<4xf32>
  %3 = stablehlo.constant dense<"0x0000803F0000803F0000803F0000803F"> : tensor<4xf32>
  // CHECK: stablehlo.constant dense<[true, false, true, true]>
  %4 = stablehlo.constant dense<[true, false, true, true]> : tensor<4xi1>
  return %0, %1, %2, %3, %4 : tensor<4xi32>, tensor<4xi32>, tensor<3xf32>, tensor<4xf32>, tensor<4xi1>
}

// CHECK: constant_0: "0x4000000001000000020000000300000004000000"
