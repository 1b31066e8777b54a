// RUN: hetero-opt %s | FileCheck %s --match-full-lines --strict-whitespace
// RUN: hetero-opt %s | hetero-opt | FileCheck %s --match-full-lines --strict-whitespace
// RUN: hetero-opt -mlir-print-op-generic %s | hetero-opt | FileCheck %s --match-full-lines --strict-whitespace
// RUN: hetero-opt -emit-bytecode %s | hetero-opt | FileCheck %s --match-full-lines --strict-whitespace


// A loop names what it carries; its condition and body share the names.
//CHECK-LABEL:  func.func @while(%arg0: tensor<i32>, %arg1: tensor<f32>) -> (tensor<i32>, tensor<f32>) {
// CHECK-NEXT:    %c = stablehlo.constant dense<0> : tensor<i32>
// CHECK-NEXT:    %0:2 = stablehlo.while(%iterArg = %c, %iterArg_0 = %arg1) : tensor<i32>, tensor<f32>
// CHECK-NEXT:    cond {
// CHECK-NEXT:      %1 = stablehlo.compare LT, %iterArg, %arg0, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
// CHECK-NEXT:      stablehlo.return %1 : tensor<i1>
// CHECK-NEXT:    } do {
// CHECK-NEXT:      %c_1 = stablehlo.constant dense<1> : tensor<i32>
// CHECK-NEXT:      %1 = stablehlo.add %iterArg, %c_1 : tensor<i32>
// CHECK-NEXT:      %2 = stablehlo.multiply %iterArg_0, %iterArg_0 : tensor<f32>
// CHECK-NEXT:      stablehlo.return %1, %2 : tensor<i32>, tensor<f32>
// CHECK-NEXT:    }
// CHECK-NEXT:    return %0#0, %0#1 : tensor<i32>, tensor<f32>
// CHECK-NEXT:  }
func.func @while(%n: tensor<i32>, %x: tensor<f32>) -> (tensor<i32>, tensor<f32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %0:2 = stablehlo.while(%i = %zero, %sum = %x) : tensor<i32>, tensor<f32>
  cond {
    %1 = stablehlo.compare LT, %i, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %1 = stablehlo.add %i, %one : tensor<i32>
    %2 = stablehlo.multiply %sum, %sum : tensor<f32>
    stablehlo.return %1, %2 : tensor<i32>, tensor<f32>
  }
  return %0#0, %0#1 : tensor<i32>, tensor<f32>
}

// Loops nest, and the inner one's names are made distinct.
//CHECK-LABEL:  func.func @while_nested(%arg0: tensor<i1>, %arg1: tensor<f32>) -> tensor<f32> {
// CHECK-NEXT:    %0 = stablehlo.while(%iterArg = %arg1) : tensor<f32> attributes {mhlo.frontend_attributes = {}}
// CHECK-NEXT:    cond {
// CHECK-NEXT:      stablehlo.return %arg0 : tensor<i1>
// CHECK-NEXT:    } do {
// CHECK-NEXT:      %1 = stablehlo.while(%iterArg_0 = %iterArg) : tensor<f32>
// CHECK-NEXT:      cond {
// CHECK-NEXT:        stablehlo.return %arg0 : tensor<i1>
// CHECK-NEXT:      } do {
// CHECK-NEXT:        %2 = stablehlo.add %iterArg, %iterArg_0 : tensor<f32>
// CHECK-NEXT:        stablehlo.return %2 : tensor<f32>
// CHECK-NEXT:      }
// CHECK-NEXT:      stablehlo.return %1 : tensor<f32>
// CHECK-NEXT:    }
// CHECK-NEXT:    return %0 : tensor<f32>
// CHECK-NEXT:  }
func.func @while_nested(%p: tensor<i1>, %x: tensor<f32>) -> tensor<f32> {
  %0 = stablehlo.while(%a = %x) : tensor<f32> attributes {mhlo.frontend_attributes = {}}
  cond {
    stablehlo.return %p : tensor<i1>
  } do {
    %1 = stablehlo.while(%b = %a) : tensor<f32>
    cond {
      stablehlo.return %p : tensor<i1>
    } do {
      %2 = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %2 : tensor<f32>
    }
    stablehlo.return %1 : tensor<f32>
  }
  return %0 : tensor<f32>
}

// A loop may carry nothing, tokens and buffers.
//CHECK-LABEL:  func.func @while_carries(%arg0: tensor<i1>, %arg1: !stablehlo.token, %arg2: memref<2xf32>) {
// CHECK-NEXT:    stablehlo.while()
// CHECK-NEXT:    cond {
// CHECK-NEXT:      stablehlo.return %arg0 : tensor<i1>
// CHECK-NEXT:    } do {
// CHECK-NEXT:      stablehlo.return 
// CHECK-NEXT:    }
// CHECK-NEXT:    %0:2 = stablehlo.while(%iterArg = %arg1, %iterArg_0 = %arg2) : !stablehlo.token, memref<2xf32>
// CHECK-NEXT:    cond {
// CHECK-NEXT:      stablehlo.return %arg0 : tensor<i1>
// CHECK-NEXT:    } do {
// CHECK-NEXT:      stablehlo.return %iterArg, %iterArg_0 : !stablehlo.token, memref<2xf32>
// CHECK-NEXT:    }
// CHECK-NEXT:    return
// CHECK-NEXT:  }
func.func @while_carries(%p: tensor<i1>, %t: !stablehlo.token, %m: memref<2xf32>) {
  stablehlo.while() cond {
    stablehlo.return %p : tensor<i1>
  } do {
    stablehlo.return
  }
  %0:2 = stablehlo.while(%a = %t, %b = %m) : !stablehlo.token, memref<2xf32>
  cond {
    stablehlo.return %p : tensor<i1>
  } do {
    stablehlo.return %a, %b : !stablehlo.token, memref<2xf32>
  }
  return
}

//CHECK-LABEL:  func.func @if(%arg0: tensor<i1>, %arg1: tensor<4xf32>, %arg2: tensor<?xf32>) -> tensor<?xf32> {
// CHECK-NEXT:    %0 = "stablehlo.if"(%arg0) ({
// CHECK-NEXT:      stablehlo.return %arg1 : tensor<4xf32>
// CHECK-NEXT:    }, {
// CHECK-NEXT:      stablehlo.return %arg2 : tensor<?xf32>
// CHECK-NEXT:    }) {name = "choice"} : (tensor<i1>) -> tensor<?xf32>
// CHECK-NEXT:    return %0 : tensor<?xf32>
// CHECK-NEXT:  }
func.func @if(%p: tensor<i1>, %a: tensor<4xf32>, %b: tensor<?xf32>) -> tensor<?xf32> {
  %0 = "stablehlo.if"(%p) ({
    stablehlo.return %a : tensor<4xf32>
  }, {
    stablehlo.return %b : tensor<?xf32>
  }) {name = "choice"} : (tensor<i1>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

//CHECK-LABEL:  func.func @case(%arg0: tensor<i32>, %arg1: tensor<f32>, %arg2: !stablehlo.token) -> (tensor<f32>, !stablehlo.token) {
// CHECK-NEXT:    %0:2 = "stablehlo.case"(%arg0) ({
// CHECK-NEXT:      stablehlo.return %arg1, %arg2 : tensor<f32>, !stablehlo.token
// CHECK-NEXT:    }, {
// CHECK-NEXT:      %1 = stablehlo.negate %arg1 : tensor<f32>
// CHECK-NEXT:      stablehlo.return %1, %arg2 : tensor<f32>, !stablehlo.token
// CHECK-NEXT:    }, {
// CHECK-NEXT:      stablehlo.return %arg1, %arg2 : tensor<f32>, !stablehlo.token
// CHECK-NEXT:    }) : (tensor<i32>) -> (tensor<f32>, !stablehlo.token)
// CHECK-NEXT:    "stablehlo.case"(%arg0) ({
// CHECK-NEXT:      stablehlo.return 
// CHECK-NEXT:    }) : (tensor<i32>) -> ()
// CHECK-NEXT:    return %0#0, %0#1 : tensor<f32>, !stablehlo.token
// CHECK-NEXT:  }
func.func @case(%i: tensor<i32>, %a: tensor<f32>, %t: !stablehlo.token) -> (tensor<f32>, !stablehlo.token) {
  %0:2 = "stablehlo.case"(%i) ({
    stablehlo.return %a, %t : tensor<f32>, !stablehlo.token
  }, {
    %1 = stablehlo.negate %a : tensor<f32>
    stablehlo.return %1, %t : tensor<f32>, !stablehlo.token
  }, {
    stablehlo.return %a, %t : tensor<f32>, !stablehlo.token
  }) : (tensor<i32>) -> (tensor<f32>, !stablehlo.token)
  "stablehlo.case"(%i) ({
    stablehlo.return
  }) : (tensor<i32>) -> ()
  return %0#0, %0#1 : tensor<f32>, !stablehlo.token
}

//CHECK-LABEL:  func.func @optimization_barrier(%arg0: tensor<2xf32>, %arg1: !stablehlo.token) -> (tensor<2xf32>, !stablehlo.token) {
// CHECK-NEXT:    %0:2 = stablehlo.optimization_barrier %arg0, %arg1 : tensor<2xf32>, !stablehlo.token
// CHECK-NEXT:    %1 = stablehlo.optimization_barrier {kind = "remat"} %0#0 : tensor<2xf32>
// CHECK-NEXT:    stablehlo.optimization_barrier()
// CHECK-NEXT:    stablehlo.optimization_barrier {empty}()
// CHECK-NEXT:    return %1, %0#1 : tensor<2xf32>, !stablehlo.token
// CHECK-NEXT:  }
func.func @optimization_barrier(%a: tensor<2xf32>, %t: !stablehlo.token) -> (tensor<2xf32>, !stablehlo.token) {
  %0:2 = stablehlo.optimization_barrier %a, %t : tensor<2xf32>, !stablehlo.token
  %1 = stablehlo.optimization_barrier {kind = "remat"} %0#0 : tensor<2xf32>
  stablehlo.optimization_barrier()
  stablehlo.optimization_barrier {empty}()
  return %1, %0#1 : tensor<2xf32>, !stablehlo.token
}

//CHECK-LABEL:  func.func @custom_call(%arg0: tensor<2x3xf32>, %arg1: !stablehlo.token) {
// CHECK-NEXT:    %0 = stablehlo.custom_call @f(%arg0) : (tensor<2x3xf32>) -> tensor<2x3xf32>
// CHECK-NEXT:    %1 = stablehlo.custom_call @"quoted name"(%arg0) {api_version = 2 : i32, backend_config = "text", has_side_effect = true} : (tensor<2x3xf32>) -> tensor<2x3xf32>
// CHECK-NEXT:    %2 = stablehlo.custom_call @g(%arg0) {api_version = 4 : i32, backend_config = {n = 3 : i64}, mhlo.sharding = "{replicated}"} : (tensor<2x3xf32>) -> tuple<tensor<2x3xf32>, tensor<i32>>
// CHECK-NEXT:    stablehlo.custom_call @nothing() : () -> ()
// CHECK-NEXT:    return
// CHECK-NEXT:  }
func.func @custom_call(%a: tensor<2x3xf32>, %t: !stablehlo.token) {
  %0 = stablehlo.custom_call @f(%a) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %1 = stablehlo.custom_call @"quoted name"(%a) {has_side_effect = true, backend_config = "text", api_version = 2 : i32} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %2 = stablehlo.custom_call @g(%a) {api_version = 4 : i32, backend_config = {n = 3 : i64}, mhlo.sharding = "{replicated}"} : (tensor<2x3xf32>) -> tuple<tensor<2x3xf32>, tensor<i32>>
  stablehlo.custom_call @nothing() : () -> ()
  return
}

// Attributes that have their default value are not written in the custom form.
//CHECK-LABEL:  func.func @custom_call_defaults(%arg0: tensor<f32>) {
// CHECK-NEXT:    %0 = stablehlo.custom_call @f(%arg0) {backend_config = ""} : (tensor<f32>) -> tensor<f32>
// CHECK-NEXT:    return
// CHECK-NEXT:  }
func.func @custom_call_defaults(%a: tensor<f32>) {
  %0 = "stablehlo.custom_call"(%a) {call_target_name = "f", has_side_effect = false, api_version = 1 : i32, called_computations = [], backend_config = ""} : (tensor<f32>) -> tensor<f32>
  return
}

//CHECK-LABEL:  func.func @custom_call_layouts(%arg0: tensor<2x3xf32>, %arg1: !stablehlo.token) {
// CHECK-NEXT:    %0:2 = stablehlo.custom_call @f(%arg0, %arg1) {operand_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<> : tensor<0xindex>], result_layouts = [dense<[1, 0]> : tensor<2xindex>, dense<> : tensor<0xindex>]} : (tensor<2x3xf32>, !stablehlo.token) -> (tensor<2x3xf32>, !stablehlo.token)
// CHECK-NEXT:    %1 = stablehlo.custom_call @f(%arg0) {operand_layouts = [dense<[0, 1]> : tensor<2xindex>], result_layouts = [dense<> : tensor<0xindex>, dense<0> : tensor<1xindex>]} : (tensor<2x3xf32>) -> tuple<tensor<i32>, tensor<4xf32>>
// CHECK-NEXT:    return
// CHECK-NEXT:  }
func.func @custom_call_layouts(%a: tensor<2x3xf32>, %t: !stablehlo.token) {
  %0:2 = stablehlo.custom_call @f(%a, %t) {operand_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<> : tensor<0xindex>], result_layouts = [dense<[1, 0]> : tensor<2xindex>, dense<> : tensor<0xindex>]} : (tensor<2x3xf32>, !stablehlo.token) -> (tensor<2x3xf32>, !stablehlo.token)
  %1 = stablehlo.custom_call @f(%a) {operand_layouts = [dense<[0, 1]> : tensor<2xindex>], result_layouts = [dense<> : tensor<0xindex>, dense<0> : tensor<1xindex>]} : (tensor<2x3xf32>) -> tuple<tensor<i32>, tensor<4xf32>>
  return
}

//CHECK-LABEL:  func.func @custom_call_aliases(%arg0: tensor<2xf32>, %arg1: tuple<tensor<2xf32>, tensor<i32>>) {
// CHECK-NEXT:    %0 = stablehlo.custom_call @f(%arg0) {output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 0, operand_tuple_indices = []>]} : (tensor<2xf32>) -> tensor<2xf32>
// CHECK-NEXT:    %1:2 = stablehlo.custom_call @f(%arg1) {output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [1], operand_index = 0, operand_tuple_indices = [0]>]} : (tuple<tensor<2xf32>, tensor<i32>>) -> (tensor<i32>, tensor<2xf32>)
// CHECK-NEXT:    return
// CHECK-NEXT:  }
func.func @custom_call_aliases(%a: tensor<2xf32>, %b: tuple<tensor<2xf32>, tensor<i32>>) {
  %0 = stablehlo.custom_call @f(%a) {output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 0, operand_tuple_indices = []>]} : (tensor<2xf32>) -> tensor<2xf32>
  %1:2 = stablehlo.custom_call @f(%b) {output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [1], operand_index = 0, operand_tuple_indices = [0]>]} : (tuple<tensor<2xf32>, tensor<i32>>) -> (tensor<i32>, tensor<2xf32>)
  return
}

//CHECK-LABEL:  func.func @custom_call_types(%arg0: tensor<*xf32>, %arg1: memref<?xi32>, %arg2: tensor<4xcomplex<f64>>) {
// CHECK-NEXT:    %0 = stablehlo.custom_call @f(%arg0, %arg1, %arg2) {called_computations = [@impl, @unknown]} : (tensor<*xf32>, memref<?xi32>, tensor<4xcomplex<f64>>) -> !stablehlo.future<tensor<2xf32>>
// CHECK-NEXT:    return
// CHECK-NEXT:  }
func.func @custom_call_types(%a: tensor<*xf32>, %b: memref<?xi32>, %c: tensor<4xcomplex<f64>>) {
  %0 = stablehlo.custom_call @f(%a, %b, %c) {called_computations = [@impl, @unknown]} : (tensor<*xf32>, memref<?xi32>, tensor<4xcomplex<f64>>) -> !stablehlo.future<tensor<2xf32>>
  return
}

//CHECK-LABEL:  func.func @composite(%arg0: tensor<f32>) -> tensor<f32> {
// CHECK-NEXT:    %0 = stablehlo.composite "my.op" %arg0 {decomposition = @impl} : (tensor<f32>) -> tensor<f32>
// CHECK-NEXT:    %1 = stablehlo.composite "my.op.part$" %0 {composite_attributes = {scale = 2 : i32}, decomposition = @impl, version = 3 : i32} : (tensor<f32>) -> tensor<f32>
// CHECK-NEXT:    stablehlo.composite "my.nothing"  {decomposition = @nothing} : () -> ()
// CHECK-NEXT:    return %1 : tensor<f32>
// CHECK-NEXT:  }
func.func @composite(%a: tensor<f32>) -> tensor<f32> {
  %0 = stablehlo.composite "my.op" %a {decomposition = @impl} : (tensor<f32>) -> tensor<f32>
  %1 = stablehlo.composite "my.op.part$" %0 {composite_attributes = {scale = 2 : i32}, decomposition = @impl, version = 3 : i32} : (tensor<f32>) -> tensor<f32>
  stablehlo.composite "my.nothing" {decomposition = @nothing} : () -> ()
  return %1 : tensor<f32>
}

//CHECK-LABEL:  func.func @composite_regions(%arg0: tensor<f32>) -> tensor<f32> {
// CHECK-NEXT:    %0 = stablehlo.composite "my.op" %arg0 ({
// CHECK-NEXT:      stablehlo.return 
// CHECK-NEXT:    }, {
// CHECK-NEXT:    ^bb0(%arg1: tensor<f32>):
// CHECK-NEXT:      stablehlo.return %arg1 : tensor<f32>
// CHECK-NEXT:    }) {decomposition = @impl} : (tensor<f32>) -> tensor<f32>
// CHECK-NEXT:    return %0 : tensor<f32>
// CHECK-NEXT:  }
func.func @composite_regions(%a: tensor<f32>) -> tensor<f32> {
  %0 = stablehlo.composite "my.op" %a ({
    stablehlo.return
  }, {
  ^bb0(%b: tensor<f32>):
    stablehlo.return %b : tensor<f32>
  }) {decomposition = @impl} : (tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}

//CHECK-LABEL:  func.func private @impl(tensor<f32>) -> tensor<f32>
func.func private @impl(tensor<f32>) -> tensor<f32>

//CHECK-LABEL:  func.func private @nothing()
func.func private @nothing()

//CHECK-LABEL:  func.func @tuple(%arg0: tensor<2xf32>, %arg1: !stablehlo.token) -> tensor<2xf32> {
// CHECK-NEXT:    %0 = stablehlo.tuple %arg0, %arg1 {kind = "pair"} : tuple<tensor<2xf32>, !stablehlo.token>
// CHECK-NEXT:    %1 = stablehlo.tuple  : tuple<>
// CHECK-NEXT:    %2 = stablehlo.tuple %0, %1 : tuple<tuple<tensor<2xf32>, !stablehlo.token>, tuple<>>
// CHECK-NEXT:    %3 = stablehlo.get_tuple_element %2[0] : (tuple<tuple<tensor<2xf32>, !stablehlo.token>, tuple<>>) -> tuple<tensor<2xf32>, !stablehlo.token>
// CHECK-NEXT:    %4 = stablehlo.get_tuple_element %3[0] {kind = "first"} : (tuple<tensor<2xf32>, !stablehlo.token>) -> tensor<2xf32>
// CHECK-NEXT:    return %4 : tensor<2xf32>
// CHECK-NEXT:  }
func.func @tuple(%a: tensor<2xf32>, %t: !stablehlo.token) -> tensor<2xf32> {
  %0 = stablehlo.tuple %a, %t {kind = "pair"} : tuple<tensor<2xf32>, !stablehlo.token>
  %1 = stablehlo.tuple : tuple<>
  %2 = stablehlo.tuple %0, %1 : tuple<tuple<tensor<2xf32>, !stablehlo.token>, tuple<>>
  %3 = stablehlo.get_tuple_element %2[0] : (tuple<tuple<tensor<2xf32>, !stablehlo.token>, tuple<>>) -> tuple<tensor<2xf32>, !stablehlo.token>
  %4 = stablehlo.get_tuple_element %3[0] {kind = "first"} : (tuple<tensor<2xf32>, !stablehlo.token>) -> tensor<2xf32>
  return %4 : tensor<2xf32>
}

//CHECK-LABEL:  func.func @tokens(%arg0: tensor<2x3xf32>) -> !stablehlo.token {
// CHECK-NEXT:    %0 = stablehlo.create_token : !stablehlo.token
// CHECK-NEXT:    %1 = stablehlo.after_all  : !stablehlo.token
// CHECK-NEXT:    %2 = stablehlo.after_all %0, %1 {kind = "join"} : !stablehlo.token
// CHECK-NEXT:    %3:2 = "stablehlo.infeed"(%2) <{infeed_config = "x", layout = {{\[\[}}0, 1]]}> : (!stablehlo.token) -> (tensor<2x3xf32>, !stablehlo.token)
// CHECK-NEXT:    %4 = "stablehlo.infeed"(%3#1) <{infeed_config = ""}> : (!stablehlo.token) -> !stablehlo.token
// CHECK-NEXT:    %5 = "stablehlo.outfeed"(%arg0, %3#0, %4) <{outfeed_config = "y"}> : (tensor<2x3xf32>, tensor<2x3xf32>, !stablehlo.token) -> !stablehlo.token
// CHECK-NEXT:    %6 = "stablehlo.outfeed"(%5) <{outfeed_config = ""}> : (!stablehlo.token) -> !stablehlo.token
// CHECK-NEXT:    return %6 : !stablehlo.token
// CHECK-NEXT:  }
func.func @tokens(%a: tensor<2x3xf32>) -> !stablehlo.token {
  %0 = stablehlo.create_token : !stablehlo.token
  %1 = stablehlo.after_all : !stablehlo.token
  %2 = stablehlo.after_all %0, %1 {kind = "join"} : !stablehlo.token
  %3:2 = "stablehlo.infeed"(%2) {infeed_config = "x", layout = [[0, 1]]} : (!stablehlo.token) -> (tensor<2x3xf32>, !stablehlo.token)
  %4 = "stablehlo.infeed"(%3#1) : (!stablehlo.token) -> !stablehlo.token
  %5 = "stablehlo.outfeed"(%a, %3#0, %4) {outfeed_config = "y"} : (tensor<2x3xf32>, tensor<2x3xf32>, !stablehlo.token) -> !stablehlo.token
  %6 = "stablehlo.outfeed"(%5) : (!stablehlo.token) -> !stablehlo.token
  return %6 : !stablehlo.token
}

//CHECK-LABEL:  func.func @rng(%arg0: tensor<f32>, %arg1: tensor<2xindex>) -> (tensor<2x3xf32>, tensor<?x3xf32>) {
// CHECK-NEXT:    %c = stablehlo.constant dense<[2, 3]> : tensor<2xi64>
// CHECK-NEXT:    %0 = stablehlo.rng %arg0, %arg0, %c, distribution = NORMAL : (tensor<f32>, tensor<f32>, tensor<2xi64>) -> tensor<2x3xf32>
// CHECK-NEXT:    %1 = stablehlo.rng %arg0, %arg0, %arg1, distribution = UNIFORM {seed = 1 : i32} : (tensor<f32>, tensor<f32>, tensor<2xindex>) -> tensor<?x3xf32>
// CHECK-NEXT:    return %0, %1 : tensor<2x3xf32>, tensor<?x3xf32>
// CHECK-NEXT:  }
func.func @rng(%a: tensor<f32>, %shape: tensor<2xindex>) -> (tensor<2x3xf32>, tensor<?x3xf32>) {
  %0 = stablehlo.constant dense<[2, 3]> : tensor<2xi64>
  %1 = stablehlo.rng %a, %a, %0, distribution = NORMAL : (tensor<f32>, tensor<f32>, tensor<2xi64>) -> tensor<2x3xf32>
  %2 = stablehlo.rng %a, %a, %shape, distribution = UNIFORM {seed = 1 : i32} : (tensor<f32>, tensor<f32>, tensor<2xindex>) -> tensor<?x3xf32>
  return %1, %2 : tensor<2x3xf32>, tensor<?x3xf32>
}

//CHECK-LABEL:  func.func @rng_bit_generator(%arg0: tensor<2xui64>) -> (tensor<2xui64>, tensor<2x3xui32>) {
// CHECK-NEXT:    %output_state, %output = stablehlo.rng_bit_generator %arg0, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<2x3xui32>)
// CHECK-NEXT:    %output_state_0, %output_1 = stablehlo.rng_bit_generator %output_state, algorithm = DEFAULT {kind = "next"} : (tensor<2xui64>) -> (tensor<2xui64>, tensor<2x3xui32>)
// CHECK-NEXT:    return %output_state_0, %output_1 : tensor<2xui64>, tensor<2x3xui32>
// CHECK-NEXT:  }
func.func @rng_bit_generator(%s: tensor<2xui64>) -> (tensor<2xui64>, tensor<2x3xui32>) {
  %0:2 = stablehlo.rng_bit_generator %s, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<2x3xui32>)
  %1, %2 = stablehlo.rng_bit_generator %0#0, algorithm = DEFAULT {kind = "next"} : (tensor<2xui64>) -> (tensor<2xui64>, tensor<2x3xui32>)
  return %1, %2 : tensor<2xui64>, tensor<2x3xui32>
}
