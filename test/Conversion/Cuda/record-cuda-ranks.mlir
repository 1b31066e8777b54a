// RUN: hetero-record-cuda %s format=ptx | FileCheck %s

// Two ranks that have 5 and 3 rows of the batch and 3 and 1 of the parameters:
// these are gathered before, their gradients scattered after.

// CHECK-LABEL: rank 0
// CHECK-DAG: stream s0
// CHECK-DAG: nccl id
// CHECK-DAG: join g{{[0-9]}} as 0 of 2
// CHECK: step 0
// CHECK: record [[E0:e[0-9]+]] on s0
// CHECK-NEXT: await [[E0]] on [[S:s[1-9]]]
// CHECK-NEXT: release [[E0]]
// CHECK-NEXT: group begin
// CHECK-NEXT: broadcast [[W:m[0-9]+]] to [[ALL:m[0-9]+]] 72 ui8 from 0 in [[G:g[0-9]]] on [[S]]
// CHECK-NEXT: broadcast null to [[ALL]]+72 24 ui8 from 1 in [[G]] on [[S]]
// CHECK-NEXT: group end
// CHECK-NEXT: record [[E1:e[0-9]+]] on [[S]]
// CHECK-NEXT: await [[E1]] on s0
// CHECK-NEXT: release [[E1]]
// CHECK: gemm f32 to f32 1 x 4x6x5 {{.*}} on s0
// CHECK: group begin
// CHECK-NEXT: reduce sum [[GRADIENT:m[0-9]+]] to [[MINE:m[0-9]+]] 18 f32 at 0 in
// CHECK-NEXT: reduce sum [[GRADIENT]]+72 to null 6 f32 at 1 in
// CHECK-NEXT: group end
// New parameters take the place of the old.
// CHECK: launch {{.*}} <1, 256>([[W]], [[MINE]]) on s0

// CHECK-LABEL: rank 1
// CHECK-NOT: nccl id
// CHECK: join g{{[0-9]}} as 1 of 2
// CHECK: broadcast null to [[ALL1:m[0-9]+]] 72 ui8 from 0
// CHECK-NEXT: broadcast {{m[0-9]+}} to [[ALL1]]+72 24 ui8 from 1
// CHECK: gemm f32 to f32 1 x 4x6x3
// CHECK: reduce sum {{m[0-9]+}} to null 18 f32 at 0
// CHECK-NEXT: reduce sum {{m[0-9]+}}+72 to {{m[0-9]+}} 6 f32 at 1

hetero.mesh @both = [0, 1]
func.func private @gradient0(%x: tensor<5x4xf32>, %w: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<5x4xf32>, tensor<4x6xf32>) -> tensor<5x6xf32>
  %1 = stablehlo.dot_general %x, %0, contracting_dims = [0] x [0] : (tensor<5x4xf32>, tensor<5x6xf32>) -> tensor<4x6xf32>
  return %1 : tensor<4x6xf32>
}
func.func private @gradient1(%x: tensor<3x4xf32>, %w: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<3x4xf32>, tensor<4x6xf32>) -> tensor<3x6xf32>
  %1 = stablehlo.dot_general %x, %0, contracting_dims = [0] x [0] : (tensor<3x4xf32>, tensor<3x6xf32>) -> tensor<4x6xf32>
  return %1 : tensor<4x6xf32>
}
func.func private @update0(%w: tensor<3x6xf32>, %g: tensor<3x6xf32>) -> tensor<3x6xf32> {
  %0 = stablehlo.subtract %w, %g : tensor<3x6xf32>
  return %0 : tensor<3x6xf32>
}
func.func private @update1(%w: tensor<1x6xf32>, %g: tensor<1x6xf32>) -> tensor<1x6xf32> {
  %0 = stablehlo.subtract %w, %g : tensor<1x6xf32>
  return %0 : tensor<1x6xf32>
}
func.func @rank0(%w: tensor<3x6xf32> {hetero.part = #hetero.part<0 : [0 to 3] x [0 to 6]>},
                 %x: tensor<5x4xf32> {hetero.part = #hetero.part<1 : [0 to 5] x [0 to 4]>})
    -> (tensor<3x6xf32> {hetero.part = #hetero.part<0 : [0 to 3] x [0 to 6]>})
    attributes {hetero.program = #hetero.program<on [0]>} {
  %0 = hetero.all_gather %w split 0 : [3, 1] over @both : tensor<3x6xf32> -> tensor<4x6xf32>
  %1 = call @gradient0(%x, %0) : (tensor<5x4xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  %2 = hetero.reduce_scatter sum %1 split 0 : [3, 1] over @both : tensor<4x6xf32> -> tensor<3x6xf32>
  %3 = call @update0(%w, %2) : (tensor<3x6xf32>, tensor<3x6xf32>) -> tensor<3x6xf32>
  return %3 : tensor<3x6xf32>
}
func.func @rank1(%w: tensor<1x6xf32> {hetero.part = #hetero.part<0 : [3 to 4] x [0 to 6]>},
                 %x: tensor<3x4xf32> {hetero.part = #hetero.part<1 : [5 to 8] x [0 to 4]>})
    -> (tensor<1x6xf32> {hetero.part = #hetero.part<0 : [3 to 4] x [0 to 6]>})
    attributes {hetero.program = #hetero.program<on [1]>} {
  %0 = hetero.all_gather %w split 0 : [3, 1] over @both : tensor<1x6xf32> -> tensor<4x6xf32>
  %1 = call @gradient1(%x, %0) : (tensor<3x4xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  %2 = hetero.reduce_scatter sum %1 split 0 : [3, 1] over @both : tensor<4x6xf32> -> tensor<1x6xf32>
  %3 = call @update1(%w, %2) : (tensor<1x6xf32>, tensor<1x6xf32>) -> tensor<1x6xf32>
  return %3 : tensor<1x6xf32>
}
