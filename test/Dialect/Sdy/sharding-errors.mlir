// RUN: hetero-opt %s -split-input-file -verify-diagnostics

// sharding_c1
sdy.mesh @mesh = <["x"=2, "y"=8, "z"=2]>
func.func @f(%a: tensor<8x8xf32>) {
  // expected-error@+1 {{there is no mesh @none in the module}}
  %0 = sdy.sharding_constraint %a <@none, [{}, {}]> : tensor<8x8xf32>
  return
}

// -----

// sharding_c1: a symbol that is not a mesh
sdy.mesh @mesh = <["x"=2, "y"=8, "z"=2]>
func.func @f(%a: tensor<8x8xf32>) {
  // expected-error@+1 {{there is no mesh @f in the module}}
  %0 = sdy.sharding_constraint %a <@f, [{}, {}]> : tensor<8x8xf32>
  return
}

// -----

// sharding_c1: a mesh of an outer module
sdy.mesh @mesh = <["x"=2, "y"=8, "z"=2]>
module {
  func.func @f(%a: tensor<8xf32>) {
    // expected-error@+1 {{there is no mesh @mesh in the module}}
    %0 = sdy.sharding_constraint %a <@mesh, [{}]> : tensor<8xf32>
    return
  }
}

// -----

// sharding_c2
sdy.mesh @mesh = <["x"=2, "y"=8, "z"=2]>
func.func @f(%a: tensor<8x8xf32>) {
  // expected-error@+1 {{sharding on the maximal mesh #sdy.mesh<[], device_ids=[1]> must have no dimensions and no replicated or unreduced axes}}
  %0 = sdy.sharding_constraint %a <mesh<[], device_ids=[1]>, [{}, {}]> : tensor<8x8xf32>
  return
}

// -----

// sharding_c3
sdy.mesh @mesh = <["x"=2, "y"=8, "z"=2]>
func.func @f(%a: tuple<f32, f32>) {
  // expected-error@+1 {{only a tuple of one element has a sharding, not 'tuple<f32, f32>'}}
  %0 = sdy.sharding_constraint %a <@mesh, []> : tuple<f32, f32>
  return
}

// -----

// sharding_c4
sdy.mesh @mesh = <["x"=2, "y"=8, "z"=2]>
func.func @f(%a: f32) {
  // expected-error@+1 {{sharding must have no dimensions and no replicated or unreduced axes for 'f32', which has no shape}}
  %0 = sdy.sharding_constraint %a <@mesh, [{}]> : f32
  return
}

// -----

// sharding_c5
sdy.mesh @mesh = <["x"=2, "y"=8, "z"=2]>
func.func @f(%a: tensor<*xf32>) {
  // expected-error@+1 {{only a ranked type has a sharding, not 'tensor<*xf32>'}}
  %0 = sdy.sharding_constraint %a <@mesh, []> : tensor<*xf32>
  return
}

// -----

// sharding_c6
sdy.mesh @mesh = <["x"=2, "y"=8, "z"=2]>
func.func @f(%a: tensor<8x8xf32>) {
  // expected-error@+1 {{sharding has 1 dimensions, but 'tensor<8x8xf32>' has 2}}
  %0 = sdy.sharding_constraint %a <@mesh, [{}]> : tensor<8x8xf32>
  return
}

// -----

// sharding_c7
sdy.mesh @mesh = <["x"=2, "y"=8, "z"=2]>
func.func @f(%a: tensor<8x8xf32>) {
  // expected-error@+1 {{replicated axes are not in the order of #sdy.mesh<["x"=2, "y"=8, "z"=2]>}}
  %0 = sdy.sharding_constraint %a <@mesh, [{}, {}], replicated={"y", "x"}> : tensor<8x8xf32>
  return
}

// -----

// sharding_c8
sdy.mesh @mesh = <["x"=2, "y"=8, "z"=2]>
func.func @f(%a: tensor<8x8xf32>) {
  // expected-error@+1 {{unreduced axes are not in the order of #sdy.mesh<["x"=2, "y"=8, "z"=2]>}}
  %0 = sdy.sharding_constraint %a <@mesh, [{}, {}], unreduced={"y":(4)2, "y":(1)2}> : tensor<8x8xf32>
  return
}

// -----

// sharding_c9
sdy.mesh @mesh = <["x"=2, "y"=8, "z"=2]>
func.func @f(%a: tensor<8xf32>) {
  // expected-note@+1 {{axis "x" is manual here}}
  sdy.manual_computation(%a) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[] manual_axes={"x"} (%b: tensor<4xf32>) {
    // expected-error@+1 {{axis "x" is manual in an enclosing computation}}
    %0 = sdy.sharding_constraint %b <@mesh, [{"x"}]> : tensor<4xf32>
    sdy.return
  } : (tensor<8xf32>) -> ()
  return
}

// -----

// axes_c1
sdy.mesh @mesh = <["x"=2, "y"=8, "z"=2]>
func.func @f(%a: tensor<8x8xf32>) {
  // expected-error@+1 {{axis "w" is not in #sdy.mesh<["x"=2, "y"=8, "z"=2]>}}
  %0 = sdy.sharding_constraint %a <@mesh, [{"w"}, {}]> : tensor<8x8xf32>
  return
}

// -----

// axes_c1: in replicated axes
sdy.mesh @mesh = <["x"=2, "y"=8, "z"=2]>
func.func @f(%a: tensor<8x8xf32>) {
  // expected-error@+1 {{axis "w" is not in #sdy.mesh<["x"=2, "y"=8, "z"=2]>}}
  %0 = sdy.sharding_constraint %a <@mesh, [{}, {}], replicated={"w"}> : tensor<8x8xf32>
  return
}

// -----

// axes_c2
sdy.mesh @mesh = <["x"=2, "y"=8, "z"=2]>
func.func @f(%a: tensor<8x8xf32>) {
  // expected-error@+1 {{axis "x" is used twice}}
  %0 = sdy.sharding_constraint %a <@mesh, [{"x"}, {"y"}], unreduced={"x"}> : tensor<8x8xf32>
  return
}

// -----

// axes_c3
sdy.mesh @mesh = <["x"=2, "y"=8, "z"=2]>
func.func @f(%a: tensor<8x8xf32>) {
  // expected-error@+1 {{sub-axes "y":(1)2 and "y":(2)4 must be merged into "y"}}
  %0 = sdy.sharding_constraint %a <@mesh, [{"y":(1)2, "y":(2)4}, {}]> : tensor<8x8xf32>
  return
}

// -----

// axes_c3
sdy.mesh @mesh = <["x"=2, "y"=8, "z"=2]>
func.func @f(%a: tensor<8x8xf32>) {
  // expected-error@+1 {{sub-axes "y":(2)2 and "y":(4)2 must be merged into "y":(2)4}}
  %0 = sdy.sharding_constraint %a <@mesh, [{"y":(2)2, "y":(4)2}, {}]> : tensor<8x8xf32>
  return
}

// -----

// sub_axis_c1
sdy.mesh @mesh = <["x"=2, "y"=8, "z"=2]>
func.func @f(%a: tensor<8x8xf32>) {
  // expected-error@+1 {{sub-axis "y":(0)2 has pre-size 0, but it must be at least 1}}
  %0 = sdy.sharding_constraint %a <@mesh, [{"y":(0)2}, {}]> : tensor<8x8xf32>
  return
}

// -----

// sub_axis_c2
sdy.mesh @mesh = <["x"=2, "y"=8, "z"=2]>
func.func @f(%a: tensor<8x8xf32>) {
  // expected-error@+1 {{sub-axis "y":(2)1 has size 1, but it must be at least 2}}
  %0 = sdy.sharding_constraint %a <@mesh, [{"y":(2)1}, {}]> : tensor<8x8xf32>
  return
}

// -----

// sub_axis_c3
sdy.mesh @mesh = <["x"=2, "y"=8, "z"=2]>
func.func @f(%a: tensor<8x8xf32>) {
  // expected-error@+1 {{pre-size times size of sub-axis "y":(2)3 does not divide the size of the axis, 8}}
  %0 = sdy.sharding_constraint %a <@mesh, [{"y":(2)3}, {}]> : tensor<8x8xf32>
  return
}

// -----

// sub_axis_c3: the product does not fit in 64 bits
sdy.mesh @mesh = <["x"=2, "y"=8, "z"=2]>
func.func @f(%a: tensor<8x8xf32>) {
  // expected-error@+1 {{pre-size times size of sub-axis "y":(4294967296)4294967296 does not divide the size of the axis, 8}}
  %0 = sdy.sharding_constraint %a <@mesh, [{"y":(4294967296)4294967296}, {}]> : tensor<8x8xf32>
  return
}

// -----

// sub_axis_c4
sdy.mesh @mesh = <["x"=2, "y"=8, "z"=2]>
func.func @f(%a: tensor<8x8xf32>) {
  // expected-error@+1 {{sub-axis "y":(1)8 is the whole axis and must be written as such}}
  %0 = sdy.sharding_constraint %a <@mesh, [{"y":(1)8}, {}]> : tensor<8x8xf32>
  return
}

// -----

// sub_axis_c5
sdy.mesh @mesh = <["x"=2, "y"=8, "z"=2]>
func.func @f(%a: tensor<8x8xf32>) {
  // expected-error@+1 {{sub-axes "y":(1)4 and "y":(2)4 overlap}}
  %0 = sdy.sharding_constraint %a <@mesh, [{"y":(2)4}, {"y":(1)4}]> : tensor<8x8xf32>
  return
}

// -----

// sub_axis_c5
sdy.mesh @mesh = <["x"=2, "y"=8, "z"=2]>
func.func @f(%a: tensor<8x8xf32>) {
  // expected-error@+1 {{sub-axis "y":(2)4 is used besides its whole axis}}
  %0 = sdy.sharding_constraint %a <@mesh, [{"y":(2)4}, {"y"}]> : tensor<8x8xf32>
  return
}

// -----

// dim_sharding_c1
sdy.mesh @mesh = <["x"=2, "y"=8, "z"=2]>
func.func @f(%a: tensor<8x8xf32>) {
  // expected-error@+1 {{dimension 1 has priority 1, but it is closed and has no axes}}
  %0 = sdy.sharding_constraint %a <@mesh, [{?}p1, {}p1]> : tensor<8x8xf32>
  return
}

// -----

// per_value_c1
sdy.mesh @mesh = <["x"=2, "y"=8, "z"=2]>
func.func private @g() -> f32
func.func @f() {
  // expected-error@+1 {{'func.call' op has 1 results, but shardings for 2}}
  %0 = call @g() {sdy.sharding = #sdy.sharding_per_value<[<@mesh, []>, <@mesh, []>]>} : () -> f32
  return
}

// -----

// per_value_c1: without results
sdy.mesh @mesh = <["x"=2, "y"=8, "z"=2]>
func.func @f() {
  // expected-error@+1 {{result 0: sharding must have no dimensions and no replicated or unreduced axes for an operation without results}}
  return {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>]>}
}

// -----

// per_value_c1: a result
sdy.mesh @mesh = <["x"=2, "y"=8, "z"=2]>
func.func private @g() -> (f32, tensor<8xf32>)
func.func @f() {
  // expected-error@+1 {{result 1: sharding has 0 dimensions, but 'tensor<8xf32>' has 1}}
  %0:2 = call @g() {sdy.sharding = #sdy.sharding_per_value<[<@mesh, []>, <@mesh, []>]>} : () -> (f32, tensor<8xf32>)
  return
}

// -----

// function results
sdy.mesh @mesh = <["x"=2, "y"=8, "z"=2]>
// expected-error@+1 {{'func.func' op result 0: axis "w" is not in}}
func.func private @f() -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"w"}]>})

// -----

// function arguments: wrong attribute
// expected-error@+1 {{'func.func' op argument 0: attribute 'sdy.sharding' must be an #sdy.sharding, got 1 : i64}}
func.func private @f(f32 {sdy.sharding = 1})

// -----

// operations: wrong attribute
func.func @f() {
  // expected-error@+1 {{attribute 'sdy.sharding' must be a #sdy.sharding_per_value, got #sdy.sharding<@mesh, []>}}
  return {sdy.sharding = #sdy.sharding<@mesh, []>}
}

// -----

// operations: wrong attribute
func.func @f() {
  // expected-error@+1 {{attribute 'sdy.sharding_rule' must be an #sdy.op_sharding_rule, got unit}}
  return {sdy.sharding_rule}
}

// -----

// operations: wrong attribute
func.func @f() {
  // expected-error@+1 {{attribute 'sdy.propagation_edges' must be an #sdy.propagation_edges, got unit}}
  return {sdy.propagation_edges}
}

// -----

// operations: wrong attribute
func.func @f() {
  // expected-error@+1 {{attribute 'sdy.result_propagation_edges' must be an array of #sdy.propagation_edges, got}}
  return {sdy.result_propagation_edges = [1]}
}
