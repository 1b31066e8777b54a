// RUN: hetero-opt %s -hetero-plan-memory -split-input-file -verify-diagnostics

// expected-error @+1 {{must be a unit, but is 1 : i64}}
func.func @update(%p: memref<4xf32> {hetero.last_use = 1 : i64}) {
  return
}

// -----

// expected-error @+1 {{must be a unit, but is "out"}}
func.func @update(%p: memref<4xf32> {hetero.result = "out"}) {
  return
}

// -----

// expected-error @+1 {{must be a list of numbers, but is unit}}
func.func @update(%p: memref<4xf32>) attributes {hetero.in_place} {
  return
}
