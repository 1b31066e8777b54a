// RUN: hetero-opt %s -split-input-file -verify-diagnostics

// expected-error @+1 {{role_c1: 'updated_state' must name the argument that it updates, as in 'updated_state of 3'}}
func.func private @role_c1() -> (tensor<f32> {hetero.role = #hetero.role<updated_state>})

// -----

// expected-error @+1 {{role_c2: 'loss' names argument 0; only 'updated_state' and 'gradient' name one}}
func.func private @role_c2() -> (tensor<f32> {hetero.role = #hetero.role<loss of 0>})

// -----

// expected-error @+1 {{role_c3: argument 1 has role 'loss', which is one of results}}
func.func private @role_c3(tensor<f32>, tensor<f32> {hetero.role = #hetero.role<loss>})

// -----

// expected-error @+1 {{role_c4: result 0 has role 'batch', which is one of arguments}}
func.func private @role_c4() -> (tensor<f32> {hetero.role = #hetero.role<batch>})

// -----

// expected-error @+1 {{role_c5: result 0 names argument 1, but there are 1 arguments}}
func.func private @role_c5(tensor<f32>) -> (tensor<f32> {hetero.role = #hetero.role<updated_state of 1>})

// -----

// expected-error @+1 {{role_c5: argument -1 does not exist}}
func.func private @role_c5_negative(tensor<f32>) -> (tensor<f32> {hetero.role = #hetero.role<updated_state of -1>})

// -----

// expected-error @+1 {{role_c6: result 0 updates argument 0 but has type 'tensor<2xf32>' instead of 'tensor<f32>'}}
func.func private @role_c6(tensor<f32>) -> (tensor<2xf32> {hetero.role = #hetero.role<updated_state of 0>})

// -----

// expected-error @+1 {{role_c7: result 2 updates argument 0, as result 1 does already}}
func.func private @role_c7(tensor<f32>) -> (
  tensor<f32> {hetero.role = #hetero.role<loss>},
  tensor<f32> {hetero.role = #hetero.role<updated_state of 0>},
  tensor<f32> {hetero.role = #hetero.role<updated_state of 0>})

// -----

// expected-error @+1 {{role_c8: "hetero.role" must be on an argument or a result of a function}}
func.func private @role_c8() attributes {hetero.role = #hetero.role<batch>}

// -----

// expected-error @+1 {{hetero_c2: "hetero.role" must be a #hetero.role, but is "batch"}}
func.func private @not_a_role(tensor<f32> {hetero.role = "batch"})

// -----

// expected-error @+1 {{for what a value is to training, got: weights}}
func.func private @unknown_role(tensor<f32> {hetero.role = #hetero.role<weights>})

// -----

// expected-error @+1 {{hetero_c1: "hetero.rule" is not an attribute of arguments}}
func.func private @unknown_attribute(tensor<f32> {hetero.rule = 1 : i64})

// -----

// The largest number is one like others.
// expected-error @+1 {{role_c5: result 1 names argument 9223372036854775807, but there are 1 arguments}}
func.func private @role_c5(tensor<f32>) -> (
  tensor<f32> {hetero.role = #hetero.role<updated_state of 0>},
  tensor<f32> {hetero.role = #hetero.role<updated_state of 9223372036854775807>})
