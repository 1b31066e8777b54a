// RUN: hetero-opt %s -split-input-file -verify-diagnostics

// expected-error @+1 {{form_c1: dimension -1 does not exist}}
module attributes {a = #hetero.form<split -1>} {}

// -----

// expected-error @+1 {{form_c1: outer 0 and inner 1 must be positive}}
module attributes {a = #hetero.form<split 0 outer 0>} {}

// -----

// expected-error @+1 {{forms_c1: axis 'data' is named twice}}
module attributes {a = #hetero.forms<data = replicated, data = split 0>} {}

// -----

// expected-error @+1 {{forms_c2: level -1 is negative}}
module attributes {a = #hetero.forms<data = replicated at level -1>} {}

// -----

// expected-error @+1 {{forms_c3: dimension 1, split on axis 'data', does not exist in 'tensor<4xf32>'}}
func.func private @forms_c3(tensor<4xf32> {hetero.forms = #hetero.forms<data = split 1>})

// -----

func.func @forms_c3(%x: f32) -> f32 {
  // expected-error @+1 {{forms_c3: dimension 0, split on axis 'data', does not exist in 'f32'}}
  %0 = arith.negf %x {hetero.forms = [#hetero.forms<data = split 0>]} : f32
  return %0 : f32
}

// -----

// expected-error @+1 {{split_c1: dimension -1 does not exist}}
module attributes {a = #hetero.split<-1 : [1]>} {}

// -----

// expected-error @+1 {{split_c1: outer 1 and inner -2 must be positive}}
module attributes {a = #hetero.split<0 inner -2 : [1]>} {}

// -----

// expected-error @+1 {{split_c2: size -1 is negative}}
module attributes {a = #hetero.split<0 : [1, -1]>} {}

// -----

// expected-error @+1 {{split_c2: the sum of the sizes overflows}}
module attributes {a = #hetero.split<0 : [9223372036854775807, 1]>} {}

// -----

// expected-error @+1 {{split_c2: the length of the dimension overflows}}
module attributes {a = #hetero.split<0 outer 2 : [9223372036854775807]>} {}

// -----

// expected-error @+1 {{expected the sizes of at least one member}}
module attributes {a = #hetero.split<0 : []>} {}

// -----

// expected-error @+1 {{a run of 1000000000000 entries; a list has 0 to 1048576}}
module attributes {a = #hetero.split<0 : [1000000000000 x 1]>} {}

// -----

// expected-error @+1 {{axis_sharding_c1: axis 'a' is named twice}}
module attributes {a = #hetero.axis_sharding<(a, a) = split 0 : [1]>} {}

// -----

// expected-error @+1 {{expected 'split' or 'partial'; axes that are not named hold the value replicated}}
module attributes {a = #hetero.axis_sharding<data = replicated>} {}

// -----

// expected-error @+1 {{sharding_c1: axis 'a' is named twice}}
module attributes {a = #hetero.sharding<@m, a = split 0 : [1], a = split 1 : [1]>} {}

// -----

// expected-error @+1 {{sharding_c1: an entry for all axes must be the only one}}
module attributes {a = #hetero.sharding<@m, split 0 : [1], a = split 1 : [1]>} {}

// -----

// expected-error @+1 {{sharding_c2: dimension 0 is split twice; name the axes together, as in '(data, tensor) = split 0'}}
module attributes {a = #hetero.sharding<@m, a = split 0 : [1], b = split 0 : [1]>} {}

// -----

// expected-error @+1 {{sharding_c3: @m is not a mesh}}
func.func private @sharding_c3(tensor<4xf32> {hetero.sharding = #hetero.sharding<@m>})

// -----

// expected-note @+1 {{the mesh is here}}
hetero.mesh @m = [0, 1]
func.func @sharding_c3(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{sharding_c3: mesh 'm' does not have all axes of #hetero.axis_sharding<data = split 0 : [2, 2]>}}
  %0 = arith.negf %x {hetero.sharding = #hetero.sharding<@m, data = split 0 : [2, 2]>} : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// expected-note @+1 {{the mesh is here}}
hetero.mesh @m = [0, 1]
// expected-error @+1 {{sharding_c4: has 3 sizes for 2 members}}
func.func private @sharding_c4(tensor<4xf32> {hetero.storage = #hetero.sharding<@m, split 0 : [2, 1, 1]>})

// -----

hetero.mesh @m = [0, 1]
// expected-error @+1 {{sharding_c5: the parts of dimension 0 make 5, but it has length 4}}
func.func private @sharding_c5(tensor<4xf32> {hetero.sharding = #hetero.sharding<@m, split 0 : [2, 3]>})

// -----

hetero.mesh @m = [0, 1]
// expected-error @+1 {{sharding_c5: dimension 1 does not exist in 'tensor<4xf32>'}}
func.func private @sharding_c5() -> (tensor<4xf32> {hetero.sharding = #hetero.sharding<@m, split 1 : batch>})

// -----

hetero.mesh @m = [0, 1]
// expected-error @+1 {{sharding_c6: a value of type 'f32' cannot be sharded}}
func.func private @sharding_c6(f32 {hetero.sharding = #hetero.sharding<@m>})

// -----

hetero.mesh @m = [0, 1]
// expected-error @+1 {{sharding_c7: 'and' does not combine elements of type 'f32'}}
func.func private @sharding_c7(tensor<4xf32> {hetero.sharding = #hetero.sharding<@m, partial and>})

// -----

hetero.mesh @m = [0, 1]
func.func @sharding_c8(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{sharding_c8: "hetero.sharding" has 2 entries for 1 results}}
  %0 = arith.negf %x {hetero.sharding = [#hetero.sharding<@m>, #hetero.sharding<@m>]} : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// expected-error @+1 {{placement_c1: stage -1 and chunk 0 must not be negative}}
module attributes {a = #hetero.placement<stage = -1>} {}

// -----

func.func @placement_c2(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{placement_c2: @m is not a mesh}}
  %0 = arith.negf %x {hetero.placement = #hetero.placement<stage = 0, mesh = @m>} : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// expected-error @+1 {{layer_attr_c1: layer -1 does not exist}}
module attributes {a = #hetero.layer<-1, forward>} {}

// -----

// expected-error @+1 {{hetero_c1: "hetero.shard" is not an attribute of operations}}
func.func private @hetero_c1() attributes {hetero.shard = 1 : i64}

// -----

// expected-error @+1 {{hetero_c1: "hetero.layer" is not an attribute of arguments}}
func.func private @hetero_c1(f32 {hetero.layer = #hetero.layer<0, forward>})

// -----

// expected-error @+1 {{hetero_c1: "hetero.placement" is not an attribute of results}}
func.func private @hetero_c1() -> (f32 {hetero.placement = #hetero.placement<stage = 0>})

// -----

func.func @hetero_c2(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{hetero_c2: "hetero.layer" must be a #hetero.layer, but is 3 : i64}}
  %0 = arith.negf %x {hetero.layer = 3} : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @hetero_c2(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{hetero_c2: "hetero.forms" must be an array of #hetero.forms, but has 1 : i64}}
  %0 = arith.negf %x {hetero.forms = [1]} : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @hetero_c2(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{hetero_c2: "hetero.forms" has 0 entries for 1 results}}
  %0 = arith.negf %x {hetero.forms = []} : tensor<4xf32>
  return %0 : tensor<4xf32>
}
