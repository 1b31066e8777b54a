// RUN: hetero-opt %s | hetero-opt | FileCheck %s
// RUN: hetero-opt -mlir-print-op-generic %s | hetero-opt | FileCheck %s

// CHECK-LABEL: func.func private @every_role
// CHECK-SAME: tensor<4xf32> {hetero.role = #hetero.role<parameter>}
// CHECK-SAME: tensor<4xf32> {hetero.role = #hetero.role<optimizer_state>}
// CHECK-SAME: tensor<4xf32> {hetero.role = #hetero.role<model_state>}
// CHECK-SAME: tensor<8xf32> {hetero.role = #hetero.role<batch>}
// CHECK-SAME: tensor<2xi32> {hetero.role = #hetero.role<rng>}
// CHECK-SAME: tensor<f32> {hetero.role = #hetero.role<hyper_parameter>}
// CHECK-SAME: -> (tensor<f32> {hetero.role = #hetero.role<loss>}
// CHECK-SAME: tensor<f32> {hetero.role = #hetero.role<metric>}
// CHECK-SAME: tensor<4xf32> {hetero.role = #hetero.role<gradient>}
// CHECK-SAME: tensor<4xf32> {hetero.role = #hetero.role<gradient of 0>}
// CHECK-SAME: tensor<4xf32> {hetero.role = #hetero.role<updated_state of 0>}
// CHECK-SAME: tensor<4xf32> {hetero.role = #hetero.role<updated_state of 1>}
func.func private @every_role(
  tensor<4xf32> {hetero.role = #hetero.role<parameter>},
  tensor<4xf32> {hetero.role = #hetero.role<optimizer_state>},
  tensor<4xf32> {hetero.role = #hetero.role<model_state>},
  tensor<8xf32> {hetero.role = #hetero.role<batch>},
  tensor<2xi32> {hetero.role = #hetero.role<rng>},
  tensor<f32> {hetero.role = #hetero.role<hyper_parameter>})
  -> (tensor<f32> {hetero.role = #hetero.role<loss>},
      tensor<f32> {hetero.role = #hetero.role<metric>},
      tensor<4xf32> {hetero.role = #hetero.role<gradient>},
      tensor<4xf32> {hetero.role = #hetero.role<gradient of 0>},
      tensor<4xf32> {hetero.role = #hetero.role<updated_state of 0>},
      tensor<4xf32> {hetero.role = #hetero.role<updated_state of 1>})
