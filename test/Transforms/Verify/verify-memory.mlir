// RUN: split-file %s %t
// RUN: hetero-opt %t/in-place.mlir --hetero-verify=remarks=true -o /dev/null 2>&1 | FileCheck %s --check-prefix=IN-PLACE
// RUN: not hetero-opt %t/beside.mlir --hetero-verify -o /dev/null 2>&1 | FileCheck %s --check-prefix=BESIDE

// The updated parameter is computed element by element from the old one, which
// ends there, so it takes its place.
// IN-PLACE: remark: rank 0 needs the most memory here: 8000 bytes (inputs 3.91 KiB, state 3.91 KiB)

// Here the old one is read in another order by the loop that writes the new one,
// which is beside it.
// BESIDE: error: 'func.call' op of rank 0 in 'update' needs 11.7 KiB of memory and its device, a c, has 8.79 KiB (3000 bytes too little): inputs 3.91 KiB, state 3.91 KiB, updated state 3.91 KiB

//--- in-place.mlir
hetero.cluster @one {
  hetero.device_class @c memory 9000 B peak <f32: 1 GFLOP/s> bandwidth 1 GB/s
  hetero.node @box [1 x @c]
}
func.func private @update(%w: tensor<1000xf32>, %g: tensor<1000xf32>) -> tensor<1000xf32> {
  %half = stablehlo.constant dense<0.5> : tensor<1000xf32>
  %0 = stablehlo.multiply %g, %half : tensor<1000xf32>
  %1 = stablehlo.subtract %w, %0 : tensor<1000xf32>
  return %1 : tensor<1000xf32>
}
func.func @rank0(%w: tensor<1000xf32> {hetero.role = #hetero.role<parameter>, hetero.part = #hetero.part<0 : [0 to 1000]>},
                 %g: tensor<1000xf32> {hetero.part = #hetero.part<1 : [0 to 1000]>})
    -> (tensor<1000xf32> {hetero.part = #hetero.part<0 : [0 to 1000]>})
    attributes {hetero.program = #hetero.program<on [0]>} {
  %0 = call @update(%w, %g) {hetero.instruction = #hetero.instruction<update>}
      : (tensor<1000xf32>, tensor<1000xf32>) -> tensor<1000xf32>
  return %0 : tensor<1000xf32>
}

//--- beside.mlir
hetero.cluster @one {
  hetero.device_class @c memory 9000 B peak <f32: 1 GFLOP/s> bandwidth 1 GB/s
  hetero.node @box [1 x @c]
}
func.func private @update(%w: tensor<1000xf32>, %g: tensor<1x1000xf32>) -> tensor<1000xf32> {
  %0 = stablehlo.reverse %w, dims = [0] : tensor<1000xf32>
  %1 = stablehlo.reshape %g : (tensor<1x1000xf32>) -> tensor<1000xf32>
  %2 = stablehlo.add %0, %1 : tensor<1000xf32>
  return %2 : tensor<1000xf32>
}
func.func @rank0(%w: tensor<1000xf32> {hetero.role = #hetero.role<parameter>, hetero.part = #hetero.part<0 : [0 to 1000]>},
                 %g: tensor<1x1000xf32> {hetero.part = #hetero.part<1 : [0 to 1] x [0 to 1000]>})
    -> (tensor<1000xf32> {hetero.part = #hetero.part<0 : [0 to 1000]>})
    attributes {hetero.program = #hetero.program<on [0]>} {
  %0 = call @update(%w, %g) {hetero.instruction = #hetero.instruction<update>}
      : (tensor<1000xf32>, tensor<1x1000xf32>) -> tensor<1000xf32>
  return %0 : tensor<1000xf32>
}
