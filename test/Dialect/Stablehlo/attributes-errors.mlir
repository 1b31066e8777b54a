// RUN: hetero-opt --split-input-file --verify-diagnostics %s

// expected-error @below {{duplicated `offset_dims` entry}}
module attributes {jax.a = #stablehlo.gather<offset_dims = [1], offset_dims = [1]>} {}

// -----

// expected-error @below {{expected one of: `lhs_batching_dimensions`}}
module attributes {jax.a = #stablehlo.dot<batching = [1]>} {}

// -----

// expected-error @below {{unexpected dimension b}}
module attributes {jax.a = #stablehlo.conv<[b, b, f]x[i, o]->[b, f]>} {}

// -----

// expected-error @below {{expected spatial dimension 0 not specified}}
module attributes {jax.a = #stablehlo.conv<[b, 1, f]x[0, i, o]->[b, 0, f]>} {}

// -----

// expected-error @below {{duplicate entry for spatial dimension 0}}
module attributes {jax.a = #stablehlo.conv<[b, 0, 0, f]x[0, i, o]->[b, 0, f]>} {}

// -----

// expected-error @below {{invalid spatial dimension 65}}
module attributes {jax.a = #stablehlo.conv<[b, 65, f]x[0, i, o]->[b, 0, f]>} {}

// -----

// expected-error @below {{tolerances need the mode TOLERANCE, got HIGHEST}}
module attributes {jax.a = #stablehlo.result_accuracy<ulps = 1, mode = #stablehlo.result_accuracy_mode<HIGHEST>>} {}

// -----

// expected-error @below {{expected tolerances that are not negative}}
module attributes {jax.a = #stablehlo.result_accuracy<atol = -1.0, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>} {}

// -----

// expected-error @below {{unknown StableHLO attribute 'nothing'}}
module attributes {jax.a = #stablehlo.nothing<1>} {}

// -----

// expected-error @below {{bounds length is 1, expected to be equal to rank(2) of the tensor}}
func.func private @f(tensor<?x?xf32, #stablehlo.bounds<1>>)

// -----

// expected-error @below {{static dimension 0 cannot have a bound, use `?` to indicate none}}
func.func private @f(tensor<2x?xf32, #stablehlo.bounds<4, 4>>)

// -----

// expected-error @below {{future element type must be a ranked tensor, but got '!stablehlo.token'}}
func.func private @f(!stablehlo.future<!stablehlo.token>)
