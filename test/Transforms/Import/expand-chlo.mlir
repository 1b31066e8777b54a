// The numbers that these programs compute are compared with scipy in
// test/Conformance/test_chlo_accuracy.py; here is how they are made.
// RUN: hetero-opt %s --hetero-expand-chlo | FileCheck %s --implicit-check-not=chlo.


// CHECK-LABEL: func @asin
// CHECK-SAME: (%[[X:.+]]: tensor<4xf32>)
func.func @asin(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK-DAG: %[[ONE:.+]] = stablehlo.constant dense<1.000000e+00> : tensor<4xf32>
  // CHECK-DAG: %[[LEFT:.+]] = stablehlo.subtract %[[ONE]], %[[X]]
  // CHECK-DAG: %[[RIGHT:.+]] = stablehlo.add %[[ONE]], %[[X]]
  // CHECK: %[[PRODUCT:.+]] = stablehlo.multiply %[[LEFT]], %[[RIGHT]]
  // CHECK: %[[ROOT:.+]] = stablehlo.sqrt %[[PRODUCT]]
  // CHECK: %[[ANGLE:.+]] = stablehlo.atan2 %[[X]], %[[ROOT]]
  // CHECK: return %[[ANGLE]]
  %0 = chlo.asin %x : tensor<4xf32> -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// Types below f32 are computed in f32.
// CHECK-LABEL: func @half
// CHECK-SAME: (%[[X:.+]]: tensor<4xbf16>)
func.func @half(%x: tensor<4xbf16>) -> tensor<4xbf16> {
  // CHECK: %[[WIDE:.+]] = stablehlo.convert %[[X]] : (tensor<4xbf16>) -> tensor<4xf32>
  // CHECK: stablehlo.atan2 %[[WIDE]], %{{.+}} : tensor<4xf32>
  // CHECK: %[[NARROW:.+]] = stablehlo.convert %{{.+}} : (tensor<4xf32>) -> tensor<4xbf16>
  // CHECK: return %[[NARROW]]
  %0 = chlo.atan %x : tensor<4xbf16> -> tensor<4xbf16>
  return %0 : tensor<4xbf16>
}

// Except where nothing is gained.
// CHECK-LABEL: func @square
// CHECK-NEXT: stablehlo.multiply %{{.+}}, %{{.+}} : tensor<4xbf16>
// CHECK-NEXT: return
func.func @square(%x: tensor<4xbf16>) -> tensor<4xbf16> {
  %0 = chlo.square %x : tensor<4xbf16> -> tensor<4xbf16>
  return %0 : tensor<4xbf16>
}

// CHECK-LABEL: func @tan
// CHECK-NEXT: stablehlo.tan %{{.+}} : tensor<4xcomplex<f32>>
func.func @tan(%x: tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>> {
  %0 = chlo.tan %x : tensor<4xcomplex<f32>> -> tensor<4xcomplex<f32>>
  return %0 : tensor<4xcomplex<f32>>
}

// CHECK-LABEL: func @conj
// CHECK-SAME: (%[[Z:.+]]: tensor<4xcomplex<f32>>, %[[X:.+]]: tensor<4xf32>)
func.func @conj(%z: tensor<4xcomplex<f32>>, %x: tensor<4xf32>) -> (tensor<4xcomplex<f32>>, tensor<4xf32>) {
  // CHECK-DAG: %[[RE:.+]] = stablehlo.real %[[Z]]
  // CHECK-DAG: %[[IM:.+]] = stablehlo.imag %[[Z]]
  // CHECK-DAG: %[[MINUS:.+]] = stablehlo.negate %[[IM]]
  // CHECK: %[[CONJ:.+]] = stablehlo.complex %[[RE]], %[[MINUS]]
  // CHECK: return %[[CONJ]], %[[X]]
  %0 = chlo.conj %z : tensor<4xcomplex<f32>> -> tensor<4xcomplex<f32>>
  %1 = chlo.conj %x : tensor<4xf32> -> tensor<4xf32>
  return %0, %1 : tensor<4xcomplex<f32>>, tensor<4xf32>
}

// A training step with exact GELU has many of these: one division and nothing
// else that is slow.
// CHECK-LABEL: func @erf
// CHECK-NOT: stablehlo.exponential
// CHECK: stablehlo.divide
// CHECK-NOT: stablehlo.divide
// CHECK-NOT: stablehlo.exponential
// CHECK: return
func.func @erf(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = chlo.erf %x : tensor<4xf32> -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: func @mulhi
// CHECK-DAG: stablehlo.convert %{{.+}} : (tensor<4xui32>) -> tensor<4xui64>
// CHECK-DAG: stablehlo.constant dense<32> : tensor<4xui64>
// CHECK: stablehlo.shift_right_logical
// CHECK: stablehlo.convert %{{.+}} : (tensor<4xui64>) -> tensor<4xui32>
func.func @mulhi(%x: tensor<4xui32>, %y: tensor<4xui32>) -> tensor<4xui32> {
  %0 = chlo.mulhi %x, %y : tensor<4xui32>, tensor<4xui32> -> tensor<4xui32>
  return %0 : tensor<4xui32>
}

// CHECK-LABEL: func @next_after
// CHECK: stablehlo.bitcast_convert %{{.+}} : (tensor<4xf16>) -> tensor<4xi16>
// CHECK: stablehlo.bitcast_convert %{{.+}} : (tensor<4xi16>) -> tensor<4xf16>
func.func @next_after(%x: tensor<4xf16>, %y: tensor<4xf16>) -> tensor<4xf16> {
  %0 = chlo.next_after %x, %y : tensor<4xf16>, tensor<4xf16> -> tensor<4xf16>
  return %0 : tensor<4xf16>
}

// CHECK-LABEL: func @constants
func.func @constants(%x: tensor<2xi32>) -> (tensor<2xf32>, tensor<2xf64>, tensor<2xcomplex<f32>>) {
  // CHECK-DAG: %[[A:.+]] = stablehlo.constant dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf32>
  // CHECK-DAG: %[[B:.+]] = stablehlo.constant dense<3.000000e+00> : tensor<2xf64>
  // CHECK-DAG: %[[C:.+]] = stablehlo.constant dense<(4.000000e+00,5.000000e+00)> : tensor<2xcomplex<f32>>
  // CHECK: return %[[A]], %[[B]], %[[C]]
  %0 = chlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %1 = "chlo.constant_like"(%x) <{value = 3.0 : f64}> : (tensor<2xi32>) -> tensor<2xf64>
  %2 = "chlo.constant_like"(%x) <{value = #complex.number<:f32 4.0, 5.0>}> : (tensor<2xi32>) -> tensor<2xcomplex<f32>>
  return %0, %1, %2 : tensor<2xf32>, tensor<2xf64>, tensor<2xcomplex<f32>>
}

// Dynamic sizes are read where a constant needs them.
// CHECK-LABEL: func @dynamic
// CHECK-SAME: (%[[X:.+]]: tensor<?x4xf32>)
func.func @dynamic(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  // CHECK: %[[SIZE:.+]] = stablehlo.get_dimension_size %[[X]], dim = 0
  // CHECK: %[[SIZE1:.+]] = stablehlo.reshape %[[SIZE]]
  // CHECK: %[[FOUR:.+]] = stablehlo.constant dense<4> : tensor<1xi32>
  // CHECK: %[[SHAPE:.+]] = stablehlo.concatenate %[[SIZE1]], %[[FOUR]], dim = 0
  // CHECK: %[[ONE:.+]] = stablehlo.dynamic_broadcast_in_dim %{{.+}}, %[[SHAPE]], dims = []
  // CHECK: stablehlo.atan2 %[[X]], %[[ONE]]
  %0 = chlo.atan %x : tensor<?x4xf32> -> tensor<?x4xf32>
  return %0 : tensor<?x4xf32>
}

// CHECK-LABEL: func @shape_cast
// CHECK: stablehlo.convert %{{.+}} : (tensor<4xf32>) -> tensor<?xf32>
func.func @shape_cast(%x: tensor<4xf32>) -> tensor<?xf32> {
  %0 = chlo.square %x : tensor<4xf32> -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// What users attached to the op stays with its value.
// CHECK-LABEL: func @attributes
// CHECK: stablehlo.atan2 %{{.+}}, %{{.+}} {mhlo.note = "kept"}
func.func @attributes(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = chlo.acos %x {mhlo.note = "kept"} : tensor<4xf32> -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: func @broadcast
// CHECK-SAME: (%[[X:.+]]: tensor<2x1xf32>, %[[Y:.+]]: tensor<3xf32>)
func.func @broadcast(%x: tensor<2x1xf32>, %y: tensor<3xf32>) -> tensor<2x3xf32> {
  // CHECK-DAG: %[[XB:.+]] = stablehlo.broadcast_in_dim %[[X]], dims = [0, 1] : (tensor<2x1xf32>) -> tensor<2x3xf32>
  // CHECK-DAG: %[[YB:.+]] = stablehlo.broadcast_in_dim %[[Y]], dims = [1] : (tensor<3xf32>) -> tensor<2x3xf32>
  // CHECK: stablehlo.subtract %[[XB]], %[[YB]] : tensor<2x3xf32>
  %0 = chlo.broadcast_subtract %x, %y : (tensor<2x1xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// CHECK-LABEL: func @broadcast_dimensions
// CHECK-SAME: (%[[X:.+]]: tensor<2xf32>, %[[Y:.+]]: tensor<2x3xf32>)
func.func @broadcast_dimensions(%x: tensor<2xf32>, %y: tensor<2x3xf32>) -> (tensor<2x3xi1>, tensor<2x3xcomplex<f32>>) {
  // CHECK: %[[XB:.+]] = stablehlo.broadcast_in_dim %[[X]], dims = [0] : (tensor<2xf32>) -> tensor<2x3xf32>
  // CHECK: stablehlo.compare LT, %[[XB]], %[[Y]], TOTALORDER
  // CHECK: stablehlo.complex
  %0 = chlo.broadcast_compare %x, %y {broadcast_dimensions = array<i64: 0>, compare_type = #chlo<comparison_type TOTALORDER>, comparison_direction = #chlo<comparison_direction LT>} : (tensor<2xf32>, tensor<2x3xf32>) -> tensor<2x3xi1>
  %1 = chlo.broadcast_complex %x, %y {broadcast_dimensions = array<i64: 0>} : (tensor<2xf32>, tensor<2x3xf32>) -> tensor<2x3xcomplex<f32>>
  return %0, %1 : tensor<2x3xi1>, tensor<2x3xcomplex<f32>>
}

// CHECK-LABEL: func @broadcast_select
// CHECK-SAME: (%[[P:.+]]: tensor<2x1xi1>, %[[X:.+]]: tensor<2x3xf32>, %[[Y:.+]]: tensor<f32>)
func.func @broadcast_select(%p: tensor<2x1xi1>, %x: tensor<2x3xf32>, %y: tensor<f32>) -> tensor<2x3xf32> {
  // CHECK-DAG: %[[PB:.+]] = stablehlo.broadcast_in_dim %[[P]], dims = [0, 1]
  // CHECK-DAG: %[[YB:.+]] = stablehlo.broadcast_in_dim %[[Y]], dims = []
  // CHECK: stablehlo.select %[[PB]], %[[X]], %[[YB]]
  %0 = chlo.broadcast_select %p, %x, %y : (tensor<2x1xi1>, tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// CHECK-LABEL: func @top_k
// CHECK-SAME: (%[[X:.+]]: tensor<3x5xf32>)
func.func @top_k(%x: tensor<3x5xf32>) -> (tensor<3x2xf32>, tensor<3x2xi32>) {
  // CHECK: %[[POSITIONS:.+]] = stablehlo.iota dim = 1 : tensor<3x5xi32>
  // CHECK: %[[SORT:.+]]:2 = "stablehlo.sort"(%[[X]], %[[POSITIONS]]) <{dimension = 1 : i64, is_stable = true}>
  // CHECK: stablehlo.compare GT, %{{.+}}, %{{.+}}, TOTALORDER
  // CHECK: %[[VALUES:.+]] = stablehlo.slice %[[SORT]]#0 [0:3, 0:2]
  // CHECK: %[[INDICES:.+]] = stablehlo.slice %[[SORT]]#1 [0:3, 0:2]
  // CHECK: return %[[VALUES]], %[[INDICES]]
  %0:2 = chlo.top_k(%x, k = 2) : tensor<3x5xf32> -> (tensor<3x2xf32>, tensor<3x2xi32>)
  return %0#0, %0#1 : tensor<3x2xf32>, tensor<3x2xi32>
}

// CHECK-LABEL: func @top_k_integer
// CHECK: stablehlo.compare GT, %{{.+}}, %{{.+}} : (tensor<ui8>, tensor<ui8>) -> tensor<i1>
func.func @top_k_integer(%x: tensor<5xui8>) -> (tensor<2xui8>, tensor<2xi32>) {
  %0:2 = chlo.top_k(%x, k = 2) : tensor<5xui8> -> (tensor<2xui8>, tensor<2xi32>)
  return %0#0, %0#1 : tensor<2xui8>, tensor<2xi32>
}

// One product over all groups, each row keeps that of its own.
// CHECK-LABEL: func @ragged_free
// CHECK-SAME: (%[[X:.+]]: tensor<11x5xbf16>, %[[W:.+]]: tensor<3x5x7xbf16>, %[[SIZES:.+]]: tensor<3xi32>)
func.func @ragged_free(%x: tensor<11x5xbf16>, %w: tensor<3x5x7xbf16>, %g: tensor<3xi32>) -> tensor<11x7xf32> {
  // CHECK: %[[ALL:.+]] = stablehlo.dot_general %[[X]], %[[W]], contracting_dims = [1] x [1], precision = [DEFAULT, HIGHEST] : (tensor<11x5xbf16>, tensor<3x5x7xbf16>) -> tensor<11x3x7xf32>
  // CHECK: %[[MASK:.+]] = stablehlo.and %{{.+}}, %{{.+}} : tensor<11x3xi1>
  // CHECK: %[[WIDE:.+]] = stablehlo.broadcast_in_dim %[[MASK]], dims = [0, 1] : (tensor<11x3xi1>) -> tensor<11x3x7xi1>
  // CHECK: %[[OWN:.+]] = stablehlo.select %[[WIDE]], %[[ALL]], %{{.+}} : tensor<11x3x7xi1>, tensor<11x3x7xf32>
  // CHECK: stablehlo.reduce(%[[OWN]] init: %{{.+}}) applies stablehlo.add across dimensions = [1]
  %0 = "chlo.ragged_dot"(%x, %w, %g) <{precision_config = [#chlo<precision DEFAULT>, #chlo<precision HIGHEST>], ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>}> : (tensor<11x5xbf16>, tensor<3x5x7xbf16>, tensor<3xi32>) -> tensor<11x7xf32>
  return %0 : tensor<11x7xf32>
}

// CHECK-LABEL: func @ragged_contracting
// CHECK: %[[MASKED:.+]] = stablehlo.select %{{.+}}, %{{.+}}, %{{.+}} : tensor<2x5x7x3xi1>, tensor<2x5x7x3xf32>
// CHECK: %[[DOT:.+]] = stablehlo.dot_general %{{.+}}, %[[MASKED]], batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<2x11x5xf32>, tensor<2x5x7x3xf32>) -> tensor<2x11x7x3xf32>
// CHECK: stablehlo.transpose %[[DOT]], dims = [3, 0, 1, 2]
func.func @ragged_contracting(%x: tensor<2x11x5xf32>, %w: tensor<2x5x7xf32>, %g: tensor<2x3xi32>) -> tensor<3x2x11x7xf32> {
  %0 = "chlo.ragged_dot"(%x, %w, %g) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [0], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [2]>}> : (tensor<2x11x5xf32>, tensor<2x5x7xf32>, tensor<2x3xi32>) -> tensor<3x2x11x7xf32>
  return %0 : tensor<3x2x11x7xf32>
}

// CHECK-LABEL: func @ragged_batching
// CHECK-NEXT: stablehlo.dot_general
// CHECK-NEXT: return
func.func @ragged_batching(%x: tensor<4x11x5xf32>, %w: tensor<4x5x7xf32>, %g: tensor<3xi64>) -> tensor<4x11x7xf32> {
  %0 = "chlo.ragged_dot"(%x, %w, %g) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [0], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0]>}> : (tensor<4x11x5xf32>, tensor<4x5x7xf32>, tensor<3xi64>) -> tensor<4x11x7xf32>
  return %0 : tensor<4x11x7xf32>
}

// CHECK-LABEL: func @scan
// CHECK-SAME: (%[[X:.+]]: tensor<2x3xf32>, %[[INIT:.+]]: tensor<2xf32>)
func.func @scan(%x: tensor<2x3xf32>, %init: tensor<2xf32>) -> (tensor<2x3xf32>, tensor<2xf32>) {
  // CHECK: %[[LOOP:.+]]:3 = stablehlo.while(%[[STEP:.+]] = %{{.+}}, %[[CARRY:.+]] = %[[INIT]], %[[OUT:.+]] = %{{.+}}) : tensor<i32>, tensor<2xf32>, tensor<2x3xf32>
  // CHECK: cond {
  // CHECK: stablehlo.compare LT, %[[STEP]], %{{.+}}
  // CHECK: do {
  // CHECK: %[[LAST:.+]] = stablehlo.constant dense<2> : tensor<i32>
  // CHECK: %[[INDEX:.+]] = stablehlo.subtract %[[LAST]], %[[STEP]]
  // CHECK: %[[BOX:.+]] = stablehlo.dynamic_slice %[[X]], %{{.+}}, %[[INDEX]], sizes = [2, 1]
  // CHECK: %[[SLICE:.+]] = stablehlo.reshape %[[BOX]] : (tensor<2x1xf32>) -> tensor<2xf32>
  // CHECK: %[[SUM:.+]] = stablehlo.add %[[SLICE]], %[[CARRY]]
  // CHECK: %[[TANH:.+]] = stablehlo.multiply %[[SUM]], %[[SUM]]
  // CHECK: %[[UPDATE:.+]] = stablehlo.reshape %[[TANH]] : (tensor<2xf32>) -> tensor<2x1xf32>
  // CHECK: %[[NEXT:.+]] = stablehlo.dynamic_update_slice %[[OUT]], %[[UPDATE]], %{{.+}}, %[[INDEX]]
  // CHECK: stablehlo.return %{{.+}}, %[[SUM]], %[[NEXT]]
  // CHECK: return %[[LOOP]]#2, %[[LOOP]]#1
  %0:2 = chlo.scan(%x) inits (%init) dimension=1 attributes {is_reverse = true} {
  ^bb0(%input: tensor<2xf32>, %carry: tensor<2xf32>):
    %s = stablehlo.add %input, %carry : tensor<2xf32>
    %t = chlo.square %s : tensor<2xf32> -> tensor<2xf32>
    stablehlo.return %t, %s : tensor<2xf32>, tensor<2xf32>
  } : (tensor<2x3xf32>, tensor<2xf32>) -> (tensor<2x3xf32>, tensor<2xf32>)
  return %0#0, %0#1 : tensor<2x3xf32>, tensor<2xf32>
}

// CHECK-LABEL: func @empty_scan
// CHECK-SAME: (%{{.+}}: tensor<2x0xf32>, %[[INIT:.+]]: tensor<2xf32>)
// CHECK-NEXT: %[[EMPTY:.+]] = stablehlo.constant dense<{{.*}}> : tensor<2x0xf32>
// CHECK-NEXT: return %[[EMPTY]], %[[INIT]]
func.func @empty_scan(%x: tensor<2x0xf32>, %init: tensor<2xf32>) -> (tensor<2x0xf32>, tensor<2xf32>) {
  %0:2 = chlo.scan(%x) inits (%init) dimension=1 {
  ^bb0(%input: tensor<2xf32>, %carry: tensor<2xf32>):
    stablehlo.return %input, %carry : tensor<2xf32>, tensor<2xf32>
  } : (tensor<2x0xf32>, tensor<2xf32>) -> (tensor<2x0xf32>, tensor<2xf32>)
  return %0#0, %0#1 : tensor<2x0xf32>, tensor<2xf32>
}
