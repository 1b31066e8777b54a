// RUN: hetero-opt %s -split-input-file -verify-diagnostics

// if_c1
func.func @if_takes_arguments(%p: tensor<i1>) {
  // expected-error@+2 {{expects branch 0 to take no arguments, got 1}}
  // expected-error@+1 {{'stablehlo.if' op failed to infer returned types}}
  "stablehlo.if"(%p) ({
  ^bb0(%a: tensor<f32>):
    stablehlo.return
  }, {
    stablehlo.return
  }) : (tensor<i1>) -> ()
  return
}

// -----

// if_c2
func.func @if_branches_differ(%p: tensor<i1>, %a: tensor<f32>, %b: tensor<i32>) {
  // expected-error@+2 {{branch 1 and branch 0 return different types: ('tensor<i32>') and ('tensor<f32>')}}
  // expected-error@+1 {{'stablehlo.if' op failed to infer returned types}}
  %0 = "stablehlo.if"(%p) ({
    stablehlo.return %a : tensor<f32>
  }, {
    stablehlo.return %b : tensor<i32>
  }) : (tensor<i1>) -> tensor<f32>
  return
}

// -----

// if_c3
func.func @if_result(%p: tensor<i1>, %a: tensor<4xf32>) {
  // expected-error@+2 {{inferred type(s) 'tensor<4xf32>' are incompatible with return type(s) of operation 'tensor<5xf32>'}}
  // expected-error@+1 {{'stablehlo.if' op failed to infer returned types}}
  %0 = "stablehlo.if"(%p) ({
    stablehlo.return %a : tensor<4xf32>
  }, {
    stablehlo.return %a : tensor<4xf32>
  }) : (tensor<i1>) -> tensor<5xf32>
  return
}

// -----

func.func @if_without_return(%p: tensor<i1>) {
  // expected-error@+1 {{region #0 ('true_branch') failed to verify constraint: region with 1 blocks}}
  "stablehlo.if"(%p) ({}, {
    stablehlo.return
  }) : (tensor<i1>) -> ()
  return
}

// -----

func.func @if_with_wrong_end(%p: tensor<i1>, %a: tensor<f32>) {
  "stablehlo.if"(%p) ({
    // expected-error@+1 {{block with no terminator}}
    %0 = stablehlo.negate %a : tensor<f32>
  }, {
    stablehlo.return
  }) : (tensor<i1>) -> ()
  return
}

// -----

func.func @if_pred(%p: tensor<i32>) {
  // expected-error@+1 {{operand #0 must be ranked tensor of bool values, but got 'tensor<i32>'}}
  "stablehlo.if"(%p) ({
    stablehlo.return
  }, {
    stablehlo.return
  }) : (tensor<i32>) -> ()
  return
}

// -----

// case_c1
func.func @case_without_branch(%i: tensor<i32>) {
  // expected-error@+2 {{expects at least one branch}}
  // expected-error@+1 {{'stablehlo.case' op failed to infer returned types}}
  "stablehlo.case"(%i) : (tensor<i32>) -> ()
  return
}

// -----

// case_c2
func.func @case_takes_arguments(%i: tensor<i32>) {
  // expected-error@+2 {{expects branch 1 to take no arguments, got 1}}
  // expected-error@+1 {{'stablehlo.case' op failed to infer returned types}}
  "stablehlo.case"(%i) ({
    stablehlo.return
  }, {
  ^bb0(%a: tensor<f32>):
    stablehlo.return
  }) : (tensor<i32>) -> ()
  return
}

// -----

// case_c3
func.func @case_branches_differ(%i: tensor<i32>) {
  // expected-error@+2 {{branch 1 and branch 0 return different types: () and ('tensor<i32>')}}
  // expected-error@+1 {{'stablehlo.case' op failed to infer returned types}}
  "stablehlo.case"(%i) ({
    stablehlo.return %i : tensor<i32>
  }, {
    stablehlo.return
  }) : (tensor<i32>) -> ()
  return
}

// -----

// case_c4
func.func @case_result(%i: tensor<i32>) {
  // expected-error@+2 {{inferred type(s) 'tensor<i32>' are incompatible with return type(s) of operation}}
  // expected-error@+1 {{'stablehlo.case' op failed to infer returned types}}
  "stablehlo.case"(%i) ({
    stablehlo.return %i : tensor<i32>
  }) : (tensor<i32>) -> ()
  return
}

// -----

// while_c1
func.func @while_cond_arguments(%p: tensor<i1>, %a: tensor<f32>) {
  // expected-error@+1 {{'stablehlo.while' op expects cond to take ('tensor<f32>'), got ('tensor<i32>')}}
  %0 = "stablehlo.while"(%a) ({
  ^bb0(%b: tensor<i32>):
    stablehlo.return %p : tensor<i1>
  }, {
  ^bb0(%b: tensor<f32>):
    stablehlo.return %b : tensor<f32>
  }) : (tensor<f32>) -> tensor<f32>
  return
}

// -----

// while_c1
func.func @while_cond_result(%p: tensor<2xi1>) {
  // expected-error@+1 {{'stablehlo.while' op expects cond to return one tensor<i1>, got ('tensor<2xi1>')}}
  stablehlo.while() cond {
    stablehlo.return %p : tensor<2xi1>
  } do {
    stablehlo.return
  }
  return
}

// -----

// while_c2
func.func @while_body_arguments(%p: tensor<i1>, %a: tensor<f32>) {
  // expected-error@+1 {{'stablehlo.while' op expects body to take ('tensor<f32>'), got ()}}
  %0 = "stablehlo.while"(%a) ({
  ^bb0(%b: tensor<f32>):
    stablehlo.return %p : tensor<i1>
  }, {
    stablehlo.return %a : tensor<f32>
  }) : (tensor<f32>) -> tensor<f32>
  return
}

// -----

// while_c2
func.func @while_body_result(%p: tensor<i1>, %a: tensor<f32>) {
  // expected-error@+1 {{'stablehlo.while' op expects body to return ('tensor<f32>'), got ('tensor<i1>')}}
  %0 = stablehlo.while(%b = %a) : tensor<f32> cond {
    stablehlo.return %p : tensor<i1>
  } do {
    stablehlo.return %p : tensor<i1>
  }
  return
}

// -----

// while_c3
func.func @while_result(%p: tensor<i1>, %a: tensor<f32>) {
  // expected-error@+2 {{inferred type(s) 'tensor<f32>' are incompatible with return type(s) of operation 'tensor<i32>'}}
  // expected-error@+1 {{'stablehlo.while' op failed to infer returned types}}
  %0 = "stablehlo.while"(%a) ({
  ^bb0(%b: tensor<f32>):
    stablehlo.return %p : tensor<i1>
  }, {
  ^bb0(%b: tensor<f32>):
    stablehlo.return %b : tensor<f32>
  }) : (tensor<f32>) -> tensor<i32>
  return
}

// -----

func.func @while_types(%p: tensor<i1>, %a: tensor<f32>) {
  // expected-error@+1 {{number of operands and types do not match: got 1 operands and 2 types}}
  %0 = stablehlo.while(%b = %a) : tensor<f32>, tensor<f32> cond {
    stablehlo.return %p : tensor<i1>
  } do {
    stablehlo.return %b : tensor<f32>
  }
  return
}

// -----

// optimization_barrier_c1
func.func @optimization_barrier(%a: tensor<4xf32>) {
  // expected-error@+1 {{expects result #0 to have the operand's type 'tensor<4xf32>', got 'tensor<?xf32>'}}
  %0 = "stablehlo.optimization_barrier"(%a) : (tensor<4xf32>) -> tensor<?xf32>
  return
}

// -----

// custom_call_c1
func.func @custom_call_dictionary() {
  // expected-error@+1 {{expects backend_config to be a dictionary with api_version 4, got "text"}}
  stablehlo.custom_call @f() {api_version = 4 : i32, backend_config = "text"} : () -> ()
  return
}

// -----

// custom_call_c1
func.func @custom_call_string() {
  // expected-error@+1 {{expects backend_config to be a string with api_version 1, got {}}}
  stablehlo.custom_call @f() {backend_config = {}} : () -> ()
  return
}

// -----

func.func @custom_call_version() {
  // expected-error@+1 {{attribute 'api_version' failed to satisfy constraint}}
  stablehlo.custom_call @f() {api_version = 5 : i32} : () -> ()
  return
}

// -----

// custom_call_c2
func.func @custom_call_half_layouts(%a: tensor<4xf32>) {
  // expected-error@+1 {{expects operand_layouts and result_layouts together, got only operand_layouts}}
  stablehlo.custom_call @f(%a) {operand_layouts = [dense<0> : tensor<1xindex>]} : (tensor<4xf32>) -> ()
  return
}

// -----

// custom_call_c3
func.func @custom_call_layout_count(%a: tensor<4xf32>) {
  // expected-error@+1 {{expects a layout for each of 1 operands, got 0}}
  stablehlo.custom_call @f(%a) {operand_layouts = [], result_layouts = []} : (tensor<4xf32>) -> ()
  return
}

// -----

// custom_call_c4
func.func @custom_call_layout_permutation(%a: tensor<4x5xf32>) {
  // expected-error@+1 {{expects the layout of operand #0 to be a permutation of the dimensions of 'tensor<4x5xf32>', got dense<[1, 2]> : tensor<2xindex>}}
  stablehlo.custom_call @f(%a) {operand_layouts = [dense<[1, 2]> : tensor<2xindex>], result_layouts = []} : (tensor<4x5xf32>) -> ()
  return
}

// -----

// custom_call_c4
func.func @custom_call_layout_token(%t: !stablehlo.token) {
  // expected-error@+1 {{expects an empty layout for operand #0 of type '!stablehlo.token', got dense<0> : tensor<1xindex>}}
  stablehlo.custom_call @f(%t) {operand_layouts = [dense<0> : tensor<1xindex>], result_layouts = []} : (!stablehlo.token) -> ()
  return
}

// -----

// custom_call_c4
func.func @custom_call_layout_tuple(%t: tuple<tensor<f32>>) {
  // expected-error@+1 {{operand #0 is a tuple, which cannot have a layout}}
  stablehlo.custom_call @f(%t) {operand_layouts = [dense<> : tensor<0xindex>], result_layouts = []} : (tuple<tensor<f32>>) -> ()
  return
}

// -----

// custom_call_c5
func.func @custom_call_alias_operand(%a: tensor<f32>) {
  // expected-error@+1 {{expects operand_index of an alias to be less than the number of operands, 1, got 1}}
  %0 = stablehlo.custom_call @f(%a) {output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 1, operand_tuple_indices = []>]} : (tensor<f32>) -> tensor<f32>
  return
}

// -----

// custom_call_c6
func.func @custom_call_alias_operand_member(%a: tensor<f32>) {
  // expected-error@+1 {{operand_tuple_indices of an alias lead to no member of 'tensor<f32>'}}
  %0 = stablehlo.custom_call @f(%a) {output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 0, operand_tuple_indices = [0]>]} : (tensor<f32>) -> tensor<f32>
  return
}

// -----

// custom_call_c6
func.func @custom_call_alias_result_member(%a: tensor<f32>) {
  // expected-error@+1 {{output_tuple_indices of an alias lead to no member of 'tuple<tensor<f32>, tensor<i32>>'}}
  %0:2 = stablehlo.custom_call @f(%a) {output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [-1], operand_index = 0, operand_tuple_indices = []>]} : (tensor<f32>) -> (tensor<f32>, tensor<i32>)
  return
}

// -----

// custom_call_c6: a call without results has nothing to alias
func.func @custom_call_alias_nothing(%a: tensor<f32>) {
  // expected-error@+1 {{expects both sides of an alias to have the same type, got 'tensor<f32>' for the operand and 'tuple<>' for the result}}
  stablehlo.custom_call @f(%a) {output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 0, operand_tuple_indices = []>]} : (tensor<f32>) -> ()
  return
}

// -----

// custom_call_c7
func.func @custom_call_alias_types(%a: tensor<4xf32>) {
  // expected-error@+1 {{expects both sides of an alias to have the same type, got 'tensor<4xf32>' for the operand and 'tensor<5xf32>' for the result}}
  %0 = stablehlo.custom_call @f(%a) {output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 0, operand_tuple_indices = []>]} : (tensor<4xf32>) -> tensor<5xf32>
  return
}

// -----

// composite_c1
func.func @composite_name() {
  // expected-error@+1 {{expects a name like "my_dialect.my_op", got "op"}}
  stablehlo.composite "op" {decomposition = @impl} : () -> ()
  return
}
func.func private @impl()

// -----

// composite_c2
func.func @composite_decomposition() {
  // expected-error@+1 {{expects decomposition 'nowhere' to name a function}}
  stablehlo.composite "my.op" {decomposition = @nowhere} : () -> ()
  return
}

// -----

// composite_c3
func.func @composite_operands(%a: tensor<f32>) {
  // expected-error@+1 {{expects the operand types ('tensor<i32>') of its decomposition, got ('tensor<f32>')}}
  stablehlo.composite "my.op" %a {decomposition = @impl} : (tensor<f32>) -> ()
  return
}
// expected-note@+1 {{decomposition 'impl' is here}}
func.func private @impl(tensor<i32>)

// -----

// composite_c4
func.func @composite_results() {
  // expected-error@+1 {{expects the result types () of its decomposition, got ('tensor<f32>')}}
  %0 = stablehlo.composite "my.op" {decomposition = @impl} : () -> tensor<f32>
  return
}
// expected-note@+1 {{decomposition 'impl' is here}}
func.func private @impl()

// -----

// tuple_c1
func.func @tuple(%a: tensor<4xf32>) {
  // expected-error@+2 {{inferred type(s) 'tuple<tensor<4xf32>>' are incompatible with return type(s) of operation 'tuple<tensor<?xf32>>'}}
  // expected-error@+1 {{'stablehlo.tuple' op failed to infer returned types}}
  %0 = "stablehlo.tuple"(%a) : (tensor<4xf32>) -> tuple<tensor<?xf32>>
  return
}

// -----

func.func @tuple_type(%a: tensor<f32>) {
  // expected-error@+1 {{expected a tuple type, got 'tensor<f32>'}}
  %0 = stablehlo.tuple %a : tensor<f32>
  return
}

// -----

// get_tuple_element_c1
func.func @get_tuple_element_index(%t: tuple<tensor<f32>>) {
  // expected-error@+2 {{index 1 is out of range for a tuple with 1 members}}
  // expected-error@+1 {{'stablehlo.get_tuple_element' op failed to infer returned types}}
  %0 = stablehlo.get_tuple_element %t[1] : (tuple<tensor<f32>>) -> tensor<f32>
  return
}

// -----

// get_tuple_element_c1
func.func @get_tuple_element_negative(%t: tuple<tensor<f32>>) {
  // expected-error@+1 {{attribute 'index' failed to satisfy constraint: 32-bit signless integer attribute whose value is non-negative}}
  %0 = stablehlo.get_tuple_element %t[-1] : (tuple<tensor<f32>>) -> tensor<f32>
  return
}

// -----

// get_tuple_element_c2
func.func @get_tuple_element_type(%t: tuple<tensor<f32>>) {
  // expected-error@+2 {{inferred type(s) 'tensor<f32>' are incompatible with return type(s) of operation 'tensor<i32>'}}
  // expected-error@+1 {{'stablehlo.get_tuple_element' op failed to infer returned types}}
  %0 = stablehlo.get_tuple_element %t[0] : (tuple<tensor<f32>>) -> tensor<i32>
  return
}

// -----

// infeed_c1
func.func @infeed_nothing(%t: !stablehlo.token) {
  // expected-error@+1 {{expects at least one result, got none}}
  "stablehlo.infeed"(%t) : (!stablehlo.token) -> ()
  return
}

// -----

// infeed_c2
func.func @infeed_tokens(%t: !stablehlo.token) {
  // expected-error@+1 {{expects all results but the last to be tensors, got '!stablehlo.token'}}
  %0:2 = "stablehlo.infeed"(%t) : (!stablehlo.token) -> (!stablehlo.token, !stablehlo.token)
  return
}

// -----

// infeed_c3
func.func @infeed_without_token(%t: !stablehlo.token) {
  // expected-error@+1 {{expects the last result to be a token, got 'tensor<f32>'}}
  %0 = "stablehlo.infeed"(%t) : (!stablehlo.token) -> tensor<f32>
  return
}

// -----

// infeed_c4
func.func @infeed_layout_count(%t: !stablehlo.token) {
  // expected-error@+1 {{expects a layout for each of 1 tensors, got 2}}
  %0:2 = "stablehlo.infeed"(%t) {layout = [[], []]} : (!stablehlo.token) -> (tensor<f32>, !stablehlo.token)
  return
}

// -----

// infeed_c4
func.func @infeed_layout(%t: !stablehlo.token) {
  // expected-error@+1 {{expects a layout to be an array of integers, got "minor"}}
  %0:2 = "stablehlo.infeed"(%t) {layout = ["minor"]} : (!stablehlo.token) -> (tensor<f32>, !stablehlo.token)
  return
}

// -----

// rng_c1
func.func @rng_element_types(%a: tensor<f32>, %b: tensor<f64>, %shape: tensor<1xi64>) {
  // expected-error@+1 {{failed to verify that all of {a, b, result} have same element type}}
  %0 = stablehlo.rng %a, %b, %shape, distribution = UNIFORM : (tensor<f32>, tensor<f64>, tensor<1xi64>) -> tensor<?xf32>
  return
}

// -----

// rng_c2
func.func @rng_normal(%a: tensor<i32>, %shape: tensor<1xi64>) {
  // expected-error@+2 {{expects floating-point numbers with the distribution NORMAL, got 'i32'}}
  // expected-error@+1 {{'stablehlo.rng' op failed to infer returned types}}
  %0 = stablehlo.rng %a, %a, %shape, distribution = NORMAL : (tensor<i32>, tensor<i32>, tensor<1xi64>) -> tensor<?xi32>
  return
}

// -----

// rng_c3
func.func @rng_shape_size(%a: tensor<f32>, %shape: tensor<4611686018427387904xi64>) {
  // expected-error@+2 {{expects a shape of at most 65536 sizes, got 'tensor<4611686018427387904xi64>'}}
  // expected-error@+1 {{'stablehlo.rng' op failed to infer returned types}}
  %0 = stablehlo.rng %a, %a, %shape, distribution = NORMAL : (tensor<f32>, tensor<f32>, tensor<4611686018427387904xi64>) -> tensor<?xf32>
  return
}

// -----

// rng_c3
func.func @rng_shape(%a: tensor<f32>) {
  %0 = stablehlo.constant dense<[2, 3]> : tensor<2xi64>
  // expected-error@+2 {{inferred type(s) 'tensor<2x3xf32>' are incompatible with return type(s) of operation 'tensor<2x4xf32>'}}
  // expected-error@+1 {{'stablehlo.rng' op failed to infer returned types}}
  %1 = stablehlo.rng %a, %a, %0, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<2xi64>) -> tensor<2x4xf32>
  return
}

// -----

// rng_c3
func.func @rng_negative_shape(%a: tensor<f32>) {
  %0 = stablehlo.constant dense<-1> : tensor<1xi64>
  // expected-error@+2 {{expects a shape without negative sizes, got dense<-1> : tensor<1xi64>}}
  // expected-error@+1 {{'stablehlo.rng' op failed to infer returned types}}
  %1 = stablehlo.rng %a, %a, %0, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<?xf32>
  return
}

// -----

func.func @rng_distribution(%a: tensor<f32>, %shape: tensor<1xi64>) {
  // expected-error@+1 {{expected one of}}
  %0 = stablehlo.rng %a, %a, %shape, distribution = CAUCHY : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<?xf32>
  return
}

// -----

// rng_bit_generator_c1
func.func @rng_bit_generator(%s: tensor<2xui64>) {
  // expected-error@+1 {{expects the output state to have the shape of the initial state 'tensor<2xui64>', got 'tensor<3xui64>'}}
  %0, %1 = stablehlo.rng_bit_generator %s, algorithm = PHILOX : (tensor<2xui64>) -> (tensor<3xui64>, tensor<f32>)
  return
}

// -----

func.func @custom_call_scales(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{result #0 must be variadic of tensor of}}
  %0 = stablehlo.custom_call @foo(%a) : (tensor<2x3xf32>) -> tensor<2x3x!quant.uniform<i8:f32:1, {1.0, 2.0}>>
  return
}
