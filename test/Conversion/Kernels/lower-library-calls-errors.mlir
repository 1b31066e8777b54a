// RUN: hetero-opt %s -hetero-lower-library-calls -split-input-file -verify-diagnostics

// expected-error @+1 {{has the name of a function of the runtime, 'f', which is of type '(index, index) -> ()'}}
func.func private @f(memref<4xf32>)
func.func @calls(%a: memref<4xf32>) {
  hetero.call_library @f [1] reads %a : memref<4xf32>
  return
}

// -----

// expected-error @+1 {{has the name of a function of the runtime, 'f', which is of type '(index, index) -> ()'}}
memref.global "private" constant @f : memref<2xi64> = dense<[1, 2]>
func.func @calls(%a: memref<4xf32>) {
  hetero.call_library @f [1] reads %a : memref<4xf32>
  return
}

// -----

// expected-error @+1 {{has the name of a function of the runtime, 'f', which is of type '(index) -> ()'}}
func.func @f(%list: index) {
  return
}
func.func @calls(%a: memref<4xf32>) {
  hetero.call_library @f [1] in_list reads %a : memref<4xf32>
  return
}
