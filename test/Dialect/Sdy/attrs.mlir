// RUN: hetero-opt %s | FileCheck %s
// RUN: hetero-opt %s | hetero-opt | FileCheck %s

// CHECK-LABEL: func.func private @meshes() attributes {
func.func private @meshes() attributes {
  // CHECK-SAME: a = #sdy.mesh<["data"=4, "model"=2]>
  a = #sdy.mesh<["data"=4,"model"=2]>,
  // CHECK-SAME: b = #sdy.mesh<["x"=2, "y"=2], device_ids=[0, 2, 1, 3]>
  b = #sdy.mesh<["x"=2, "y"=2], device_ids=[0, 2, 1, 3]>,
  // CHECK-SAME: c = #sdy.mesh<[], device_ids=[3]>
  c = #sdy.mesh<[], device_ids=[3]>,
  // CHECK-SAME: d = #sdy.mesh<[]>
  d = #sdy.mesh<[]>,
  // The default order of devices is dropped.
  // CHECK-SAME: e = #sdy.mesh<["x"=2]>
  e = #sdy.mesh<["x"=2], device_ids=[0, 1]>,
  // CHECK-SAME: f = #sdy<mesh_axis"a\22b\0A"=9223372036854775807>
  f = #sdy<mesh_axis "a\"b\n" = 9223372036854775807>}

// CHECK-LABEL: func.func private @axes() attributes {
func.func private @axes() attributes {
  // CHECK-SAME: a = #sdy<axis_ref"x">
  a = #sdy<axis_ref "x">,
  // CHECK-SAME: b = #sdy<axis_ref"x":(2)4>
  b = #sdy<axis_ref "x" : (2) 4>,
  // CHECK-SAME: c = #sdy<sub_axis_info(2)4>
  c = #sdy<sub_axis_info(2)4>,
  // CHECK-SAME: d = #sdy<axis_ref_list{"x":(1)2, "y"}>
  d = #sdy<axis_ref_list{"x":(1)2, "y"}>,
  // CHECK-SAME: e = #sdy<axis_ref_list{}>
  e = #sdy<axis_ref_list{}>,
  // CHECK-SAME: f = #sdy<list_of_axis_ref_lists[{"x"}, {}]>
  f = #sdy<list_of_axis_ref_lists[{"x"}, {}]>,
  // CHECK-SAME: g = #sdy<manual_axes{"x", "y"}>
  g = #sdy<manual_axes{"x", "y"}>,
  // CHECK-SAME: h = #sdy<all_to_all_param{"x", "y":(1)2}: 0->1>
  h = #sdy<all_to_all_param{"x", "y":(1)2} : 0 -> 1>,
  // CHECK-SAME: i = #sdy<all_to_all_param_list[{"x"}: 0->1, {"y"}: 2->3]>
  i = #sdy<all_to_all_param_list[{"x"}: 0->1, {"y"}: 2->3]>}

// CHECK-LABEL: func.func private @shardings() attributes {
func.func private @shardings() attributes {
  // CHECK-SAME: a = #sdy.sharding<@mesh, [{"x"}, {}, {?}, {"y":(1)2, "z", ?}]>
  a = #sdy.sharding<@mesh, [{"x"}, {}, {?}, {"y":(1)2, "z", ?}]>,
  // CHECK-SAME: b = #sdy.sharding<@mesh, [{"x"}p0, {?}p12]>
  b = #sdy.sharding<@mesh, [{"x"}p0, {?} p12]>,
  // CHECK-SAME: c = #sdy.sharding<@mesh, [], replicated={"x"}, unreduced={"y":(1)2, "z"}>
  c = #sdy.sharding<@mesh, [], unreduced={"y":(1)2, "z"}, replicated={"x"}>,
  // CHECK-SAME: d = #sdy.sharding<mesh<["x"=2], device_ids=[1, 0]>, [{"x"}]>
  d = #sdy.sharding<mesh<["x"=2], device_ids=[1, 0]>, [{"x"}]>,
  // CHECK-SAME: e = #sdy.sharding<@"a b", []>
  e = #sdy.sharding<@"a b", []>,
  // CHECK-SAME: f = #sdy.sharding_per_value<[<@mesh, [{"x"}]>, <mesh<[]>, []>]>
  f = #sdy.sharding_per_value<[<@mesh, [{"x"}]>, #sdy.sharding<mesh<[]>, []>]>,
  // CHECK-SAME: g = #sdy.sharding_per_value<[]>
  g = #sdy.sharding_per_value<[]>,
  // CHECK-SAME: h = #sdy<dimension_sharding{"x", ?}p1>
  h = #sdy<dimension_sharding{"x", ?}p1>}

// CHECK-LABEL: func.func private @rules() attributes {
func.func private @rules() attributes {
  // CHECK-SAME: a = #sdy.op_sharding_rule<([i, k], [k, j])->([i, j]) {i=8, j=16, k=4} reduction={k}>
  a = #sdy.op_sharding_rule<([i, k],[k, j])->([i, j]) {i=8, j=16, k=4} reduction={k}>,
  // CHECK-SAME: b = #sdy.op_sharding_rule<([ij, z_1])->([jz_1z_2]) {i=2, j=3} reduction={i} need_replication={j} permutation={z} blocked_propagation={i}, custom>
  b = #sdy.op_sharding_rule<([ij, z_1])->([jz_1z_2]) {i=2, j=3}
        reduction={i} need_replication={j} permutation={z} blocked_propagation={i}, custom>,
  // CHECK-SAME: c = #sdy.op_sharding_rule<([], [])->([])>
  c = #sdy.op_sharding_rule<([], [])->([]) {} reduction={}>,
  // CHECK-SAME: d = #sdy<tensor_mapping[i, jk]>
  d = #sdy<tensor_mapping[i, jk]>}

// CHECK-LABEL: func.func private @edges() attributes {
func.func private @edges() attributes {
  // CHECK-SAME: a = #sdy.propagation_edges<[{step-0 = [{"x" = operand-0 -> [result-0, operand-1]}, {"y":(1)2 = result-0 -> [operand-0]}]}, {step-2 = [{"x" = operand-0 -> [result-0]}]}]>
  a = #sdy.propagation_edges<[
        {step-0=[{"x"=operand-0->[result-0, operand-1]}, {"y":(1)2=result-0->[operand-0]}]},
        {step-2=[{"x"=operand-0->[result-0]}]}]>}
