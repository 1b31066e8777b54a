// RUN: hetero-opt %s -split-input-file -verify-diagnostics

// mesh_axis_c1
// expected-error@+2 {{axis "x" has size 0, but it must be at least 1}}
// expected-error@+1 {{failed to parse Sdy_Mesh parameter 'axes'}}
sdy.mesh @mesh = <["x"=0]>

// -----

// mesh_c1
// expected-error@+1 {{mesh has two axes of the name "x"}}
sdy.mesh @mesh = <["x"=2, "y"=2, "x"=4]>

// -----

// mesh_c2
// expected-error@+1 {{device id -1 is negative}}
sdy.mesh @mesh = <["x"=2], device_ids=[0, -1]>

// -----

// mesh_c3
// expected-error@+1 {{mesh without axes has 2 device ids, but it may have only one}}
sdy.mesh @mesh = <[], device_ids=[0, 1]>

// -----

// mesh_c4
// expected-error@+1 {{mesh of 4 devices has 3 device ids}}
sdy.mesh @mesh = <["x"=2, "y"=2], device_ids=[0, 1, 2]>

// -----

// mesh_c4: the product does not fit in 64 bits
// expected-error@+1 {{mesh of 9223372036854775807 devices has 1 device ids}}
sdy.mesh @mesh = <["x"=4294967296, "y"=4294967296], device_ids=[0]>

// -----

// mesh_c5
// expected-error@+1 {{device id 2 is out of range in a mesh of 2 devices}}
sdy.mesh @mesh = <["x"=2], device_ids=[2, 0]>

// -----

// mesh_c5
// expected-error@+1 {{device id 1 occurs twice}}
sdy.mesh @mesh = <["x"=2], device_ids=[1, 1]>

// -----

// edges_c1
// expected-error@+1 {{propagation step -1 is negative}}
func.func private @f() attributes {a = #sdy.propagation_edges<[{step--1 = [{"x" = operand-0 -> [result-0]}]}]>}

// -----

// edges_c2
// expected-error@+1 {{propagation step 1 occurs twice}}
func.func private @f() attributes {a = #sdy.propagation_edges<[{step-1 = [{"x" = operand-0 -> [result-0]}]}, {step-1 = [{"x" = operand-0 -> [result-0]}]}]>}

// -----

// edges_c3
// expected-error@+1 {{axis "x" is propagated to its source in step 0}}
func.func private @f() attributes {a = #sdy.propagation_edges<[{step-0 = [{"x" = operand-0 -> [operand-0]}]}]>}

// -----

// edges_c4
// expected-error@+1 {{axis "x" is propagated twice to the same value in step 0}}
func.func private @f() attributes {a = #sdy.propagation_edges<[{step-0 = [{"x" = operand-0 -> [result-0, result-0]}]}]>}

// -----

// expected-error@+1 {{expected a priority 'p<number>', got 'q1'}}
func.func private @f() attributes {a = #sdy<dimension_sharding{"x"}q1>}

// -----

// expected-error@+1 {{priority has leading zeros: 'p01'}}
func.func private @f() attributes {a = #sdy<dimension_sharding{"x"}p01>}

// -----

// expected-error@+1 {{priority does not fit in 64 bits: 'p9223372036854775808'}}
func.func private @f() attributes {a = #sdy<dimension_sharding{"x"}p9223372036854775808>}

// -----

// expected-error@+1 {{expected '}'}}
func.func private @f() attributes {a = #sdy<dimension_sharding{?, "x"}>}

// -----

// expected-error@+1 {{'unreduced' occurs twice}}
func.func private @f() attributes {a = #sdy.sharding<@mesh, [], unreduced={"x"}, unreduced={"y"}>}

// -----

// expected-error@+1 {{expected 'replicated' or 'unreduced'}}
func.func private @f() attributes {a = #sdy.sharding<@mesh, [], reduced={"x"}>}

// -----

// expected-error@+1 {{invalid kind of attribute specified}}
func.func private @f() attributes {a = #sdy.sharding<@mesh::@nested, []>}

// -----

// expected-error@+1 {{expected factor 'j', got 'k'}}
func.func private @f() attributes {a = #sdy.op_sharding_rule<([i, k])->([i]) {i=2, k=2}>}

// -----

// expected-error@+3 {{expected a factor from 'i' to 'z', got 'a'}}
// expected-error@+2 {{failed to parse Sdy_TensorMapping parameter 'dim_mappings'}}
// expected-error@+1 {{failed to parse Sdy_OpShardingRule parameter 'operand_mappings'}}
func.func private @f() attributes {a = #sdy.op_sharding_rule<([a])->([i]) {i=2}>}

// -----

// expected-error@+1 {{expected a positive number without leading zeros after 'z_', got '01'}}
func.func private @f() attributes {a = #sdy.op_sharding_rule<([i])->([i]) {i=2} reduction={z_01}>}

// -----

// expected-error@+1 {{expected a positive number without leading zeros after 'z_', got '9223372036854775807'}}
func.func private @f() attributes {a = #sdy.op_sharding_rule<([i])->([i]) {i=2} reduction={z_9223372036854775807}>}
