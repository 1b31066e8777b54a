// RUN: hetero-opt %s -split-input-file -verify-diagnostics

// collective_c1
sdy.mesh @mesh = <["x"=2, "y"=8, "z"=2]>
func.func @f(%a: tensor<8x8xf32>) {
  // expected-error@+1 {{needs an operand that has a sharding}}
  %0 = sdy.all_gather [{}, {}] %a out_sharding=<@mesh, [{}, {}]> : tensor<8x8xf32>
  return
}

// -----

// collective_c2
sdy.mesh @mesh = <["x"=2, "y"=8, "z"=2]>
// expected-note@+1 {{the operand is defined here}}
func.func @f(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
  // expected-error@+1 {{result is on #sdy.mesh<["x"=2]>, but the operand is on #sdy.mesh<["x"=2, "y"=8, "z"=2]>}}
  %0 = sdy.all_gather [{"x"}, {}] %a out_sharding=<mesh<["x"=2]>, [{}, {}]> : tensor<8x8xf32>
  return
}

// -----

// out_sharding
sdy.mesh @mesh = <["x"=2, "y"=8, "z"=2]>
func.func @f(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
  // expected-error@+1 {{sharding has 1 dimensions, but}}
  %0 = sdy.all_gather [{"x"}] %a out_sharding=<@mesh, [{}]> : tensor<8x8xf32>
  return
}

// -----

// gather_c1
sdy.mesh @mesh = <["x"=2, "y"=8, "z"=2]>
func.func @f(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
  // expected-error@+1 {{has lists of axes for 1 dimensions, but the result has 2}}
  %0 = sdy.all_gather [{"x"}] %a out_sharding=<@mesh, [{}, {}]> : tensor<8x8xf32>
  return
}

// -----

// gather_c2
sdy.mesh @mesh = <["x"=2, "y"=8, "z"=2]>
func.func @f(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y"}, {}]>}) {
  // expected-error@+1 {{cannot remove {"x"} from {"x", "y"} in dimension 0}}
  %0 = sdy.all_gather [{"x"}, {}] %a out_sharding=<@mesh, [{"y"}, {}]> : tensor<8x8xf32>
  return
}

// -----

// gather_c2: not the minor end
sdy.mesh @mesh = <["x"=2, "y"=8, "z"=2]>
func.func @f(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>}) {
  // expected-error@+1 {{cannot remove {"y":(1)2} from {"y"} in dimension 0}}
  %0 = sdy.all_gather [{"y":(1)2}, {}] %a out_sharding=<@mesh, [{"y":(2)4}, {}]> : tensor<8x8xf32>
  return
}

// -----

// gather_c3
sdy.mesh @mesh = <["x"=2, "y"=8, "z"=2]>
func.func @f(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>}) {
  // expected-error@+1 {{dimension 0 of the result has axes {"y":(1)4}, but the operation gives {"y":(1)2}}}
  %0 = sdy.all_gather [{"y":(2)4}, {}] %a out_sharding=<@mesh, [{"y":(1)4}, {}]> : tensor<8x8xf32>
  return
}

// -----

// axes_c1
sdy.mesh @mesh = <["x"=2, "y"=8, "z"=2]>
func.func @f(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
  // expected-error@+1 {{axis "w" is not in}}
  %0 = sdy.all_gather [{"w"}, {}] %a out_sharding=<@mesh, [{}, {}]> : tensor<8x8xf32>
  return
}

// -----

// slice_c1
sdy.mesh @mesh = <["x"=2, "y"=8, "z"=2]>
func.func @f(%a: tensor<8x8xf32>) {
  // expected-error@+1 {{has lists of axes for 1 dimensions, but the result has 2}}
  %0 = sdy.all_slice [{"x"}] %a out_sharding=<@mesh, [{"x"}, {}]> : tensor<8x8xf32>
  return
}

// -----

// slice_c2
sdy.mesh @mesh = <["x"=2, "y"=8, "z"=2]>
func.func @f(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>}) {
  // expected-error@+1 {{dimension 0 of the result has axes {"x"}, but the operation gives {"y", "x"}}}
  %0 = sdy.all_slice [{"x"}, {}] %a out_sharding=<@mesh, [{"x"}, {}]> : tensor<8x8xf32>
  return
}

// -----

// reduce_scatter_c1
sdy.mesh @mesh = <["x"=2, "y"=8, "z"=2]>
func.func @f(%a: tensor<8x8xf32>) {
  // expected-error@+1 {{has lists of axes for 3 dimensions, but the result has 2}}
  %0 = sdy.reduce_scatter [{"x"}, {}, {}] %a out_sharding=<@mesh, [{"x"}, {}]> : tensor<8x8xf32>
  return
}

// -----

// reduce_scatter_c2
sdy.mesh @mesh = <["x"=2, "y"=8, "z"=2]>
func.func @f(%a: tensor<8x8xf32>) {
  // expected-error@+1 {{dimension 1 of the result has axes {}, but the operation gives {"x"}}}
  %0 = sdy.reduce_scatter [{}, {"x"}] %a out_sharding=<@mesh, [{}, {}]> : tensor<8x8xf32>
  return
}

// -----

// all_to_all_c1
sdy.mesh @mesh = <["x"=2, "y"=8, "z"=2]>
func.func @f(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
  // expected-error@+1 {{moves no axes}}
  %0 = sdy.all_to_all [] %a out_sharding=<@mesh, [{"x"}, {}]> : tensor<8x8xf32>
  return
}

// -----

// all_to_all_c2
sdy.mesh @mesh = <["x"=2, "y"=8, "z"=2]>
func.func @f(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
  // expected-error@+1 {{dimension 2 is out of range for rank 2}}
  %0 = sdy.all_to_all [{"x"}: 0->2] %a out_sharding=<@mesh, [{}, {"x"}]> : tensor<8x8xf32>
  return
}

// -----

// all_to_all_c2
sdy.mesh @mesh = <["x"=2, "y"=8, "z"=2]>
func.func @f(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
  // expected-error@+1 {{dimension -1 is out of range for rank 2}}
  %0 = sdy.all_to_all [{"x"}: -1->0] %a out_sharding=<@mesh, [{}, {"x"}]> : tensor<8x8xf32>
  return
}

// -----

// all_to_all_c3
sdy.mesh @mesh = <["x"=2, "y"=8, "z"=2]>
func.func @f(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
  // expected-error@+1 {{dimension 0 occurs twice}}
  %0 = sdy.all_to_all [{"x"}: 0->0] %a out_sharding=<@mesh, [{"x"}, {}]> : tensor<8x8xf32>
  return
}

// -----

// all_to_all_c4
sdy.mesh @mesh = <["x"=2, "y"=8, "z"=2]>
func.func @f(%a: tensor<8x8x8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}, {"x"}, {}]>}) {
  // expected-error@+1 {{source dimensions must increase, got 0 after 2}}
  %0 = sdy.all_to_all [{"x"}: 2->3, {"y"}: 0->1] %a out_sharding=<@mesh, [{}, {"y"}, {}, {"x"}]> : tensor<8x8x8x8xf32>
  return
}

// -----

// all_to_all_c5
sdy.mesh @mesh = <["x"=2, "y"=8, "z"=2]>
func.func @f(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
  // expected-error@+1 {{cannot remove {"y"} from {"x"} in dimension 0}}
  %0 = sdy.all_to_all [{"y"}: 0->1] %a out_sharding=<@mesh, [{"x"}, {"y"}]> : tensor<8x8xf32>
  return
}

// -----

// all_to_all_c6
sdy.mesh @mesh = <["x"=2, "y"=8, "z"=2]>
func.func @f(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
  // expected-error@+1 {{dimension 1 of the result has axes {}, but the operation gives {"x"}}}
  %0 = sdy.all_to_all [{"x"}: 0->1] %a out_sharding=<@mesh, [{}, {}]> : tensor<8x8xf32>
  return
}

// -----

// all_to_all_c6: another dimension
sdy.mesh @mesh = <["x"=2, "y"=8, "z"=2]>
func.func @f(%a: tensor<8x8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}, {"y"}]>}) {
  // expected-error@+1 {{dimension 2 of the result has axes {"z"}, but the operation gives {"y"}}}
  %0 = sdy.all_to_all [{"x"}: 0->1] %a out_sharding=<@mesh, [{}, {"x"}, {"z"}]> : tensor<8x8x8xf32>
  return
}

// -----

// permute_c1
sdy.mesh @mesh = <["x"=2, "y"=8, "z"=2]>
func.func @f(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
  // expected-error@+1 {{result is on #sdy.mesh<["x"=2, "y"=8]>, which has other axes than the operand's #sdy.mesh<["x"=2, "y"=8, "z"=2]>}}
  %0 = sdy.collective_permute %a out_sharding=<mesh<["x"=2, "y"=8]>, [{"x"}, {}]> : tensor<8x8xf32>
  return
}

// -----

// permute_c2
sdy.mesh @mesh = <["x"=2, "y"=8, "z"=2]>
sdy.mesh @same = <["x"=2, "y"=8, "z"=2]>
func.func @f(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
  // expected-error@+1 {{meshes of operand and result have different names but the same devices}}
  %0 = sdy.collective_permute %a out_sharding=<@same, [{"x"}, {}]> : tensor<8x8xf32>
  return
}

// -----

// permute_c3
sdy.mesh @mesh = <["x"=2, "y"=8, "z"=2]>
func.func @f(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
  // expected-error@+1 {{dimension 0 of the result has 8 parts, but that of the operand 2}}
  %0 = sdy.collective_permute %a out_sharding=<@mesh, [{"y"}, {}]> : tensor<8x8xf32>
  return
}

// -----

// all_reduce_c1
sdy.mesh @mesh = <["x"=2, "y"=8, "z"=2]>
func.func @f(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
  // expected-error@+1 {{dimension 1 of the result has axes {"y"}, but the operation gives {}}}
  %0 = sdy.all_reduce {"z"} %a out_sharding=<@mesh, [{"x"}, {"y"}]> : tensor<8x8xf32>
  return
}

// -----

// all_reduce_c1
sdy.mesh @mesh = <["x"=2, "y"=8, "z"=2]>
func.func @f(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
  // expected-error@+1 {{operand is on @mesh, but the result on #sdy.mesh<["x"=2, "y"=8, "z"=2]>}}
  %0 = sdy.all_reduce {"z"} %a out_sharding=<mesh<["x"=2, "y"=8, "z"=2]>, [{"x"}, {}]> : tensor<8x8xf32>
  return
}

// -----

// all_reduce_c2
sdy.mesh @mesh = <["x"=2, "y"=8, "z"=2]>
func.func @f(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
  // expected-error@+1 {{cannot reduce along "x", which splits the operand or is replicated}}
  %0 = sdy.all_reduce {"x"} %a out_sharding=<@mesh, [{"x"}, {}]> : tensor<8x8xf32>
  return
}

// -----

// all_reduce_c2
sdy.mesh @mesh = <["x"=2, "y"=8, "z"=2]>
func.func @f(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], replicated={"y":(4)2}>}) {
  // expected-error@+1 {{cannot reduce along "y":(2)4, which splits the operand or is replicated}}
  %0 = sdy.all_reduce {"y":(2)4} %a out_sharding=<@mesh, [{}, {}]> : tensor<8x8xf32>
  return
}

// -----

// all_reduce_c3
sdy.mesh @mesh = <["x"=2, "y"=8, "z"=2]>
func.func @f(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"x"}>}) {
  // expected-error@+1 {{reduces along "x", which is unreduced in the result}}
  %0 = sdy.all_reduce {"x"} %a out_sharding=<@mesh, [{}, {}], unreduced={"x"}> : tensor<8x8xf32>
  return
}

// -----

// all_reduce_c4
sdy.mesh @mesh = <["x"=2, "y"=8, "z"=2]>
func.func @f(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"x", "y"}>}) {
  // expected-error@+1 {{reduction axes are not in the order of}}
  %0 = sdy.all_reduce {"y", "x"} %a out_sharding=<@mesh, [{}, {}]> : tensor<8x8xf32>
  return
}

// -----

// to_unreduced_c1
sdy.mesh @mesh = <["x"=2, "y"=8, "z"=2]>
func.func @f(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
  // expected-error@+1 {{has lists of axes for 1 dimensions, but the result has 2}}
  %0 = sdy.sharded_to_unreduced [{"x"}] %a out_sharding=<@mesh, [{}, {}], unreduced={"x"}> : tensor<8x8xf32>
  return
}

// -----

// to_unreduced_c2
sdy.mesh @mesh = <["x"=2, "y"=8, "z"=2]>
func.func @f(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
  // expected-error@+1 {{cannot remove {"y"} from {"x"} in dimension 0}}
  %0 = sdy.sharded_to_unreduced [{"y"}, {}] %a out_sharding=<@mesh, [{}, {}], unreduced={"y"}> : tensor<8x8xf32>
  return
}

// -----

// to_unreduced_c3
sdy.mesh @mesh = <["x"=2, "y"=8, "z"=2]>
func.func @f(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
  // expected-error@+1 {{dimension 0 of the result has axes {"z"}, but the operation gives {}}}
  %0 = sdy.sharded_to_unreduced [{"x"}, {}] %a out_sharding=<@mesh, [{"z"}, {}], unreduced={"x"}> : tensor<8x8xf32>
  return
}

// -----

// to_unreduced_c4
sdy.mesh @mesh = <["x"=2, "y"=8, "z"=2]>
func.func @f(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
  // expected-error@+1 {{result has unreduced axes {}, but the operation gives {"x"}}}
  %0 = sdy.sharded_to_unreduced [{"x"}, {}] %a out_sharding=<@mesh, [{}, {}]> : tensor<8x8xf32>
  return
}

// -----

// replicated_to_unreduced_c1
sdy.mesh @mesh = <["x"=2, "y"=8, "z"=2]>
func.func @f(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {?}]>}) {
  // expected-error@+1 {{which differs in a dimension from}}
  %0 = sdy.replicated_to_unreduced {"y"} %a out_sharding=<@mesh, [{"x"}, {}], unreduced={"y"}> : tensor<8x8xf32>
  return
}

// -----

// replicated_to_unreduced_c2
sdy.mesh @mesh = <["x"=2, "y"=8, "z"=2]>
func.func @f(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"x"}>}) {
  // expected-error@+1 {{axis "x" does not hold copies of the operand}}
  %0 = sdy.replicated_to_unreduced {"x"} %a out_sharding=<@mesh, [{}, {}], unreduced={"x"}> : tensor<8x8xf32>
  return
}

// -----

// replicated_to_unreduced_c3
sdy.mesh @mesh = <["x"=2, "y"=8, "z"=2]>
func.func @f(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"x"}>}) {
  // expected-error@+1 {{result has unreduced axes {"x"}, but the operation gives {"x", "y"}}}
  %0 = sdy.replicated_to_unreduced {"y"} %a out_sharding=<@mesh, [{}, {}], unreduced={"x"}> : tensor<8x8xf32>
  return
}

// -----

// replicated_to_unreduced_c4
sdy.mesh @mesh = <["x"=2, "y"=8, "z"=2]>
func.func @f(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) {
  // expected-error@+1 {{has no axes}}
  %0 = sdy.replicated_to_unreduced {} %a out_sharding=<@mesh, [{}, {}]> : tensor<8x8xf32>
  return
}

// -----

// replicated_to_unreduced_c5
sdy.mesh @mesh = <["x"=2, "y"=8, "z"=2]>
func.func @f(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) {
  // expected-error@+1 {{axes are not in the order of #sdy.mesh<["x"=2, "y"=8, "z"=2]>}}
  %0 = sdy.replicated_to_unreduced {"y", "x"} %a out_sharding=<@mesh, [{}, {}], unreduced={"x", "y"}> : tensor<8x8xf32>
  return
}

// -----

// collective_c3: a maximal mesh fits any type
func.func @f(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<mesh<["x"=2]>, [{}]>}) {
  // expected-error@+1 {{result sharding has 0 dimensions, but that of the operand 1}}
  %0 = sdy.collective_permute %a out_sharding=<mesh<[], device_ids=[1]>, []> : tensor<8xf32>
  return
}
