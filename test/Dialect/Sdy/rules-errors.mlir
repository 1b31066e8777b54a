// RUN: hetero-opt %s -split-input-file -verify-diagnostics

// rule_c1
func.func private @g(tensor<8x8xf32>) -> tensor<8x8xf32>
func.func @f(%a0: tensor<8x8xf32>) {
  // expected-error@+1 {{has 1 operands, but its sharding rule is for 2}}
  %0 = call @g(%a0) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, j])->([i, j]) {i=8, j=8}>} : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return
}

// -----

// rule_c1
func.func private @g(tensor<8x8xf32>) -> tensor<8x8xf32>
func.func @f(%a0: tensor<8x8xf32>) {
  // expected-error@+1 {{has 1 results, but its sharding rule is for 2}}
  %0 = call @g(%a0) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j], [i, j]) {i=8, j=8}>} : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return
}

// -----

// rule_c3
func.func private @g(tensor<?x8xf32>) -> tensor<8x8xf32>
func.func @f(%a0: tensor<?x8xf32>) {
  // expected-error@+1 {{operand 0: a sharding rule needs a static shape, got 'tensor<?x8xf32>'}}
  %0 = call @g(%a0) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=8, j=8}>} : (tensor<?x8xf32>) -> tensor<8x8xf32>
  return
}

// -----

// rule_c4
func.func private @g(tensor<8x8xf32>) -> tensor<8x8xf32>
func.func @f(%a0: tensor<8x8xf32>) {
  // expected-error@+1 {{result 0: mapping has 1 dimensions, but 'tensor<8x8xf32>' has 2}}
  %0 = call @g(%a0) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i]) {i=8, j=8}>} : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return
}

// -----

// rule_c5
func.func private @g(tensor<8x8xf32>) -> tensor<8x8xf32>
func.func @f(%a0: tensor<8x8xf32>) {
  // expected-error@+1 {{operand 0: dimension 1 has no factor}}
  %0 = call @g(%a0) {sdy.sharding_rule = #sdy.op_sharding_rule<([i,])->([i, j]) {i=8, j=8}>} : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return
}

// -----

// rule_c6
func.func private @g(tensor<8x8xf32>) -> tensor<8x8xf32>
func.func @f(%a0: tensor<8x8xf32>) {
  // expected-error@+1 {{result 0: factor k has no size}}
  %0 = call @g(%a0) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, k]) {i=8, j=8}>} : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return
}

// -----

// rule_c6
func.func private @g(tensor<8x8xf32>) -> tensor<8x8xf32>
func.func @f(%a0: tensor<8x8xf32>) {
  // expected-error@+1 {{operand 0: factor z_3 has no size}}
  %0 = call @g(%a0) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, z_3])->([i, j]) {i=8, j=8}>} : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return
}

// -----

// rule_c7
func.func private @g(tensor<8x8xf32>) -> tensor<8x8xf32>
func.func @f(%a0: tensor<8x8xf32>) {
  // expected-error@+1 {{operand 0: factor i occurs twice}}
  %0 = call @g(%a0) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, i])->([i, j]) {i=8, j=8}>} : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return
}

// -----

// rule_c8
func.func private @g(tensor<8x8xf32>) -> tensor<8x8xf32>
func.func @f(%a0: tensor<8x8xf32>) {
  // expected-error@+1 {{operand 0: factor k has size 1, but is not alone in dimension 0}}
  %0 = call @g(%a0) {sdy.sharding_rule = #sdy.op_sharding_rule<([ik, j])->([i, j]) {i=8, j=8, k=1}>} : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return
}

// -----

// rule_c9
func.func private @g(tensor<8x8xf32>) -> tensor<8x8xf32>
func.func @f(%a0: tensor<8x8xf32>) {
  // expected-error@+1 {{has a sharding rule with factor k, which occurs in no operand or result}}
  %0 = call @g(%a0) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=8, j=8, k=2}>} : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return
}

// -----

// rule_c10
func.func private @g(tensor<8x8xf32>) -> tensor<8x8xf32>
func.func @f(%a0: tensor<8x8xf32>) {
  // expected-error@+1 {{need_replication factors must increase, got j before i}}
  %0 = call @g(%a0) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=8, j=8} need_replication={j, i}>} : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return
}

// -----

// rule_c10
func.func private @g(tensor<8x8xf32>) -> tensor<8x8xf32>
func.func @f(%a0: tensor<8x8xf32>) {
  // expected-error@+1 {{blocked_propagation factors must increase, got i before i}}
  %0 = call @g(%a0) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=8, j=8} blocked_propagation={i, i}>} : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return
}

// -----

// rule_c11
func.func private @g(tensor<8x8xf32>) -> tensor<8x8xf32>
func.func @f(%a0: tensor<8x8xf32>) {
  // expected-error@+1 {{permutation factor k has no size}}
  %0 = call @g(%a0) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=8, j=8} permutation={k}>} : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return
}

// -----

// rule_c12
func.func private @g(tensor<8x8xf32>) -> tensor<8x8xf32>
func.func @f(%a0: tensor<8x8xf32>) {
  // expected-error@+1 {{permutation factor i is also of another kind}}
  %0 = call @g(%a0) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=8, j=8} need_replication={i} permutation={i}>} : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return
}

// -----

// rule_c13
func.func private @g(tensor<8x8xf32>) -> tensor<8x8xf32>
func.func @f(%a0: tensor<8x8xf32>) {
  // expected-error@+1 {{reduction factor j occurs in a result}}
  %0 = call @g(%a0) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=8, j=8} reduction={j}>} : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return
}

// -----

// edges_c5
sdy.mesh @mesh = <["x"=2, "y"=8, "z"=2]>
func.func @f(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<mesh<["v"=2]>, [{}]>}, %b: tensor<8xf32>) {
  // expected-error@+1 {{has a propagation edge at operand 1, which it does not have}}
  %0 = sdy.propagation_barrier %b allowed_direction=NONE {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>]>, sdy.propagation_edges = #sdy.propagation_edges<[{step-0 = [{"x" = operand-1 -> [result-0]}]}]>} : tensor<8xf32>
  return
}

// -----

// edges_c5
sdy.mesh @mesh = <["x"=2, "y"=8, "z"=2]>
func.func @f(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<mesh<["v"=2]>, [{}]>}, %b: tensor<8xf32>) {
  // expected-error@+1 {{has a propagation edge at result -1, which it does not have}}
  %0 = sdy.propagation_barrier %b allowed_direction=NONE {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>]>, sdy.propagation_edges = #sdy.propagation_edges<[{step-0 = [{"x" = operand-0 -> [result--1]}]}]>} : tensor<8xf32>
  return
}

// -----

// edges_c6
sdy.mesh @mesh = <["x"=2, "y"=8, "z"=2]>
func.func @f(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<mesh<["v"=2]>, [{}]>}, %b: tensor<8xf32>) {
  // expected-error@+1 {{has a propagation edge for axis "x" between values without sharding}}
  %0 = sdy.propagation_barrier %b allowed_direction=NONE {sdy.propagation_edges = #sdy.propagation_edges<[{step-0 = [{"x" = operand-0 -> [result-0]}]}]>} : tensor<8xf32>
  return
}

// -----

// edges_c7
sdy.mesh @mesh = <["x"=2, "y"=8, "z"=2]>
func.func @f(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<mesh<["v"=2]>, [{}]>}, %b: tensor<8xf32>) {
  // expected-error@+1 {{has a propagation edge between the meshes #sdy.mesh<["v"=2]> and #sdy.mesh<["x"=2, "y"=8, "z"=2]>}}
  %0 = sdy.propagation_barrier %a allowed_direction=NONE {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>]>, sdy.propagation_edges = #sdy.propagation_edges<[{step-0 = [{"x" = operand-0 -> [result-0]}]}]>} : tensor<8xf32>
  return
}

// -----

// edges_c8
sdy.mesh @mesh = <["x"=2, "y"=8, "z"=2]>
func.func @f(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<mesh<["v"=2]>, [{}]>}, %b: tensor<8xf32>) {
  // expected-error@+1 {{has a propagation edge for axis "w", which is not in #sdy.mesh<["x"=2, "y"=8, "z"=2]>}}
  %0 = sdy.propagation_barrier %b allowed_direction=NONE {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>]>, sdy.propagation_edges = #sdy.propagation_edges<[{step-0 = [{"w" = operand-0 -> [result-0]}]}]>} : tensor<8xf32>
  return
}

// -----

// rule_c2: a rule without operands or results cannot be written, only encoded
// in bytecode; an operation without operands has another number than any rule.
func.func private @g() -> tensor<8xf32>
func.func @f() {
  // expected-error@+1 {{has 0 operands, but its sharding rule is for 1}}
  %0 = call @g() {sdy.sharding_rule = #sdy.op_sharding_rule<([i])->([i]) {i=8}>} : () -> tensor<8xf32>
  return
}
