// RUN: hetero-opt %s -split-input-file -verify-diagnostics

// mesh_op_c1
func.func @f() {
  // expected-error@+1 {{'sdy.mesh' op expects parent op 'builtin.module'}}
  sdy.mesh @mesh = <["x"=2]>
  return
}

// -----

// return_c1
func.func @f(%a: f32) -> i32 {
  // expected-error@+1 {{returns 'f32', but the function returns 'i32'}}
  sdy.return %a : f32
}

// -----

// barrier_c1
func.func @f(%a: tensor<8xf32>) {
  // expected-error@+1 {{must not allow both directions}}
  %0 = sdy.propagation_barrier %a allowed_direction=BOTH : tensor<8xf32>
  return
}

// -----

// constant_c1
func.func @f() {
  // expected-error@+2 {{inferred type(s) 'tensor<2xi32>' are incompatible with return type(s) of operation 'tensor<2xf32>'}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = "sdy.constant"() {value = dense<1> : tensor<2xi32>} : () -> tensor<2xf32>
  return
}

// -----

// edge_c1
func.func @f(%a: tensor<?xf32>) {
  // expected-error@+1 {{needs a static shape, got 'tensor<?xf32>'}}
  %0 = sdy.data_flow_edge %a : tensor<?xf32>
  return
}

// -----

// edge_c2
func.func @f(%a: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error@+1 {{must be the only use of its input}}
  %0 = sdy.data_flow_edge %a : tensor<8xf32>
  return %a : tensor<8xf32>
}

// -----

// edge_c3
func.func @f() {
  // expected-note@+1 {{the input is defined here}}
  %0 = sdy.constant dense<1.0> : tensor<8xf32>
  // expected-error@+1 {{must not stand on the result of 'sdy.constant'}}
  %1 = sdy.data_flow_edge %0 : tensor<8xf32>
  return
}

// -----

// func_edge_c1
func.func @f(%a: tensor<?xf32>) {
  // expected-error@+1 {{needs a static shape, got 'tensor<?xf32>'}}
  %0 = sdy.func_data_flow_edge %a : tensor<?xf32>
  return
}

// -----

// func_edge_c2
func.func @f(%a: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error@+1 {{must be the only use of its input}}
  %0 = sdy.func_data_flow_edge %a : tensor<8xf32>
  return %a : tensor<8xf32>
}

// -----

// func_edge_c3
func.func @f() {
  // expected-note@+1 {{the operand is defined here}}
  %0 = sdy.constant dense<1.0> : tensor<8xf32>
  // expected-error@+1 {{needs a function argument or the result of a call}}
  %1 = sdy.func_data_flow_edge %0 : tensor<8xf32>
  return
}

// -----

// named_c1
func.func @f(%a: f32) {
  // expected-error@+1 {{takes 'f32', but its body takes 'i32'}}
  sdy.named_computation<"n">(%a) (%b: i32) {
    sdy.return
  } : (f32) -> ()
  return
}

// -----

// named_c2
func.func @f(%a: f32) {
  // expected-error@+1 {{returns 'i32', but its body returns 'f32'}}
  %0 = sdy.named_computation<"n">(%a) (%b: f32) {
    sdy.return %b : f32
  } : (f32) -> i32
  return
}

// -----

// named_computation: shardings
sdy.mesh @mesh = <["x"=2, "y"=8, "z"=2]>
func.func @f(%a: tensor<8xf32>) {
  // expected-error@+1 {{operand 0: sharding has 0 dimensions, but 'tensor<8xf32>' has 1}}
  sdy.named_computation<"n">(%a) in_shardings=[<@mesh, []>] (%b: tensor<8xf32>) {
    sdy.return
  } : (tensor<8xf32>) -> ()
  return
}

// -----

// manual_c1
sdy.mesh @mesh = <["x"=2, "y"=8, "z"=2]>
func.func @f(%a: tensor<8xf32>) {
  // expected-note@+1 {{axis "x" is manual here}}
  sdy.manual_computation(%a) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[] manual_axes={"x"} (%b: tensor<4xf32>) {
    // expected-error@+1 {{axis "x" is manual in an enclosing computation}}
    sdy.manual_computation() in_shardings=[] out_shardings=[] manual_axes={"x"} () {
      sdy.return
    } : () -> ()
    sdy.return
  } : (tensor<8xf32>) -> ()
  return
}

// -----

// manual_c2
sdy.mesh @mesh = <["x"=2, "y"=8, "z"=2]>
func.func @f(%a0: tensor<8xf32>) {
  // expected-error@+1 {{has 1 operands, but its body has 2}}
  sdy.manual_computation(%a0) in_shardings=[<@mesh, [{}]>] out_shardings=[] manual_axes={} (%b0: tensor<8xf32>, %b1: tensor<8xf32>) {
    sdy.return
  } : (tensor<8xf32>) -> ()
  return
}

// -----

// manual_c2
sdy.mesh @mesh = <["x"=2, "y"=8, "z"=2]>
func.func @f(%a0: tensor<8xf32>) {
  // expected-error@+1 {{has 1 results, but its body has 2}}
  %0 = sdy.manual_computation(%a0) in_shardings=[<@mesh, [{}]>] out_shardings=[<@mesh, [{}]>] manual_axes={} (%b0: tensor<8xf32>) {
    sdy.return %b0, %b0 : tensor<8xf32>, tensor<8xf32>
  } : (tensor<8xf32>) -> (tensor<8xf32>)
  return
}

// -----

// manual_c3
sdy.mesh @mesh = <["x"=2, "y"=8, "z"=2]>
func.func @f(%a0: tensor<8xf32>) {
  // expected-error@+1 {{operand 0: manual axis "x" comes after free axis "y"}}
  sdy.manual_computation(%a0) in_shardings=[<@mesh, [{"y", "x"}]>] out_shardings=[] manual_axes={"x"} (%b0: tensor<4xf32>) {
    sdy.return
  } : (tensor<8xf32>) -> ()
  return
}

// -----

// manual_c4
sdy.mesh @mesh = <["x"=2, "y"=8, "z"=2]>
func.func @f(%a0: tensor<9xf32>) {
  // expected-error@+1 {{operand 0: manual axes split a dimension of size 9 into 2 parts}}
  sdy.manual_computation(%a0) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[] manual_axes={"x"} (%b0: tensor<4xf32>) {
    sdy.return
  } : (tensor<9xf32>) -> ()
  return
}

// -----

// manual_c5
sdy.mesh @mesh = <["x"=2, "y"=8, "z"=2]>
func.func @f(%a0: tensor<8xf32>) {
  // expected-error@+1 {{operand 0: one device's part of 'tensor<8xf32>' is 'tensor<4xf32>', but the body has 'tensor<8xf32>'}}
  sdy.manual_computation(%a0) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[] manual_axes={"x"} (%b0: tensor<8xf32>) {
    sdy.return
  } : (tensor<8xf32>) -> ()
  return
}

// -----

// manual_c5
sdy.mesh @mesh = <["x"=2, "y"=8, "z"=2]>
func.func @f(%a0: tensor<8xf32>) {
  // expected-error@+1 {{result 0: one device's part of 'tensor<8xf32>' is 'tensor<8xf32>', but the body has 'tensor<4xf32>'}}
  %0 = sdy.manual_computation(%a0) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@mesh, [{}]>] manual_axes={"x"} (%b0: tensor<4xf32>) {
    sdy.return %b0 : tensor<4xf32>
  } : (tensor<8xf32>) -> (tensor<8xf32>)
  return
}

// -----

// manual_c5: no local shape
sdy.mesh @mesh = <["x"=2, "y"=8, "z"=2]>
func.func @f(%a0: tensor<8xf32>) {
  // expected-error@+1 {{operand 0: sharding does not give the local shape of 'tensor<8xf32>'}}
  sdy.manual_computation(%a0) in_shardings=[<mesh<[], device_ids=[1]>, []>] out_shardings=[] manual_axes={} (%b0: tensor<8xf32>) {
    sdy.return
  } : (tensor<8xf32>) -> ()
  return
}

// -----

// manual_c6
sdy.mesh @mesh = <["x"=2, "y"=8, "z"=2]>
sdy.mesh @other = <["x"=2]>
func.func @f(%a0: tensor<8xf32>) {
  // expected-error@+1 {{has manual axes, but shardings on two meshes, #sdy.mesh<["x"=2, "y"=8, "z"=2]> and #sdy.mesh<["x"=2]>}}
  %0 = sdy.manual_computation(%a0) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@other, [{"x"}]>] manual_axes={"x"} (%b0: tensor<4xf32>) {
    sdy.return %b0 : tensor<4xf32>
  } : (tensor<8xf32>) -> (tensor<8xf32>)
  return
}

// -----

// manual_c7
sdy.mesh @mesh = <["x"=2, "y"=8, "z"=2]>
func.func @f(%a0: tensor<8xf32>) {
  // expected-error@+1 {{manual axis "w" is not in #sdy.mesh<["x"=2, "y"=8, "z"=2]>}}
  sdy.manual_computation(%a0) in_shardings=[<@mesh, [{}]>] out_shardings=[] manual_axes={"w"} (%b0: tensor<8xf32>) {
    sdy.return
  } : (tensor<8xf32>) -> ()
  return
}

// -----

// manual_computation: shardings
sdy.mesh @mesh = <["x"=2, "y"=8, "z"=2]>
func.func @f(%a0: tensor<8xf32>) {
  // expected-error@+1 {{operand 0: axis "w" is not in}}
  sdy.manual_computation(%a0) in_shardings=[<@mesh, [{"w"}]>] out_shardings=[] manual_axes={} (%b0: tensor<8xf32>) {
    sdy.return
  } : (tensor<8xf32>) -> ()
  return
}

// -----

// manual_computation: shardings
sdy.mesh @mesh = <["x"=2, "y"=8, "z"=2]>
func.func @f(%a0: tensor<8xf32>) {
  // expected-error@+1 {{has 1 operands, but shardings for 0}}
  sdy.manual_computation(%a0) in_shardings=[] out_shardings=[] manual_axes={} (%b0: tensor<8xf32>) {
    sdy.return
  } : (tensor<8xf32>) -> ()
  return
}

// -----

// manual_computation: bodies end with sdy.return
func.func @f() {
  // expected-error@+1 {{expects a non-empty block}}
  "sdy.manual_computation"() <{in_shardings = #sdy.sharding_per_value<[]>, out_shardings = #sdy.sharding_per_value<[]>, manual_axes = #sdy<manual_axes{}>}> ({
  ^bb0:
  }) : () -> ()
  return
}

// -----

// func_edge_c3: an argument, but not of a function
// expected-note@+2 {{the operand is defined here}}
func.func @f(%a: tensor<8xf32>) {
  sdy.named_computation<"n">(%a) (%b: tensor<8xf32>) {
    // expected-error@+1 {{needs a function argument or the result of a call}}
    %0 = sdy.func_data_flow_edge %b : tensor<8xf32>
    sdy.return
  } : (tensor<8xf32>) -> ()
  return
}
