// Both spellings of a large i1 constant are read; the one with a byte an
// element, which jaxlib reads, is written.
// RUN: hetero-opt %s | FileCheck %s

// CHECK-LABEL: func @packed
// CHECK: dense<"0x010000000000000000{{(00)+}}01"> : tensor<2x60xi1>
func.func @packed() -> tensor<2x60xi1> {
  %0 = arith.constant dense<"0x010000000000000000000000000080"> : tensor<2x60xi1>
  return %0 : tensor<2x60xi1>
}

// CHECK-LABEL: func @expanded
// CHECK: dense<"0x00010001{{0+}}"> : tensor<104xi1>
func.func @expanded() -> tensor<104xi1> {
  %0 = arith.constant dense<"0x0001000100000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000"> : tensor<104xi1>
  return %0 : tensor<104xi1>
}

// Other element types keep their literals, whatever their length.
// CHECK-LABEL: func @bytes
// CHECK: dense<"0x0102{{(03)+}}"> : tensor<104xi8>
func.func @bytes() -> tensor<104xi8> {
  %0 = arith.constant dense<"0x0102030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303"> : tensor<104xi8>
  return %0 : tensor<104xi8>
}
