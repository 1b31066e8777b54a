// RUN: hetero-opt %s -hetero-lower-contractions -verify-diagnostics

// expected-error @+1 {{has the name of a function of the runtime, 'hetero_contract_f32', which is of type '(index, index, index, index) -> ()'}}
func.func @hetero_contract_f32(%a: memref<4x8xf32>) {
  return
}
