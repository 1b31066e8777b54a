// RUN: not hetero-opt --hetero-externalize-constants="max-elements=many" %s 2>&1 | FileCheck %s

// CHECK: 'many' value invalid for long argument
func.func @f() {
  return
}
