// RUN: hetero-opt --canonicalize --split-input-file %s | FileCheck %s

// CHECK-LABEL: func.func @identities
// CHECK-SAME: (%[[X:.*]]: tensor<4xf32>, %[[I:.*]]: tensor<4xi32>)
func.func @identities(%x: tensor<4xf32>, %i: tensor<4xi32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xi32>, tensor<4xi32>, tensor<4xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<4xf32>
  %one = stablehlo.constant dense<1.0> : tensor<4xf32>
  %izero = stablehlo.constant dense<0> : tensor<4xi32>
  %ones = stablehlo.constant dense<-1> : tensor<4xi32>
  %0 = stablehlo.subtract %x, %zero : tensor<4xf32>
  %1 = stablehlo.multiply %one, %x : tensor<4xf32>
  %2 = stablehlo.add %i, %izero : tensor<4xi32>
  %3 = stablehlo.and %i, %ones : tensor<4xi32>
  %n = stablehlo.negate %x : tensor<4xf32>
  %4 = stablehlo.negate %n : tensor<4xf32>
  // CHECK-NEXT: return %[[X]], %[[X]], %[[I]], %[[I]], %[[X]]
  return %0, %1, %2, %3, %4 : tensor<4xf32>, tensor<4xf32>, tensor<4xi32>, tensor<4xi32>, tensor<4xf32>
}

// -----

// -0 + 0 is 0: x + 0 stays, x + -0 does not.
// CHECK-LABEL: func.func @signed_zero
// CHECK: %[[SUM:.*]] = stablehlo.add
// CHECK: return %[[SUM]], %arg0
func.func @signed_zero(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<4xf32>
  %minus = stablehlo.constant dense<-0.0> : tensor<4xf32>
  %0 = stablehlo.add %x, %zero : tensor<4xf32>
  %1 = stablehlo.add %x, %minus : tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}

// -----

// CHECK-LABEL: func.func @integers
func.func @integers() -> (tensor<2xi8>, tensor<2xui8>, tensor<2xi1>, tensor<2xi8>, tensor<2xi32>) {
  %a = stablehlo.constant dense<[-128, 7]> : tensor<2xi8>
  %b = stablehlo.constant dense<[100, 3]> : tensor<2xi8>
  %u = stablehlo.constant dense<[200, 7]> : tensor<2xui8>
  %v = stablehlo.constant dense<[100, 9]> : tensor<2xui8>
  // CHECK-DAG: dense<[100, 7]> : tensor<2xi8>
  %0 = stablehlo.maximum %a, %b : tensor<2xi8>
  // CHECK-DAG: dense<[0, 36]> : tensor<2xui8>
  %two = stablehlo.constant dense<[9, 2]> : tensor<2xui8>
  %1 = stablehlo.shift_left %v, %two : tensor<2xui8>
  // CHECK-DAG: dense<[false, true]> : tensor<2xi1>
  %2 = stablehlo.compare LT, %u, %v : (tensor<2xui8>, tensor<2xui8>) -> tensor<2xi1>
  // CHECK-DAG: dense<[-28, 10]> : tensor<2xi8>
  %3 = stablehlo.add %a, %b : tensor<2xi8>
  // CHECK-DAG: dense<[200, 7]> : tensor<2xi32>
  %4 = stablehlo.convert %u : (tensor<2xui8>) -> tensor<2xi32>
  return %0, %1, %2, %3, %4 : tensor<2xi8>, tensor<2xui8>, tensor<2xi1>, tensor<2xi8>, tensor<2xi32>
}

// -----

// Division by zero is left to run time, and so is what would grow.
// CHECK-LABEL: func.func @kept
// CHECK: stablehlo.divide
// CHECK: stablehlo.add
func.func @kept(%i: tensor<300xi32>) -> (tensor<2xi32>, tensor<300xi32>) {
  %a = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  %z = stablehlo.constant dense<[0, 1]> : tensor<2xi32>
  %0 = stablehlo.divide %a, %z : tensor<2xi32>
  %one = stablehlo.constant dense<1> : tensor<300xi32>
  %1 = stablehlo.add %i, %one : tensor<300xi32>
  return %0, %1 : tensor<2xi32>, tensor<300xi32>
}
