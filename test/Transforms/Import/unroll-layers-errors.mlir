// RUN: not hetero-opt --hetero-unroll-layers="max-trip-count=x" %s 2>&1 | FileCheck %s

// CHECK: 'x' value invalid for long argument
func.func @f() {
  return
}
