// RUN: hetero-opt --hetero-check-types --split-input-file --verify-diagnostics %s

// expected-error @below {{op has a dynamic shape, 'tensor<?x4xf32>', and a plan needs static ones; export the step with concrete shapes}}
func.func @dynamic(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  return %x : tensor<?x4xf32>
}

// -----

// expected-error @below {{op has a bounded dynamic shape, 'tensor<?xf32, #stablehlo.bounds<8>>', and a plan needs static ones; pad to the bound before exporting the step}}
func.func @bounded(%x: tensor<?xf32, #stablehlo.bounds<8>>) {
  return
}

// -----

func.func @quantized(%x: tensor<4xf32>) {
  // expected-error @below {{op has quantized elements, 'tensor<4x!quant.uniform<i8:f32, 1.000000e+00>>', which cannot be trained}}
  %0 = stablehlo.uniform_quantize %x : (tensor<4xf32>) -> tensor<4x!quant.uniform<i8:f32, 1.0>>
  return
}

// -----

// Also inside of tuples, and once for each kind.
func.func @nested(%x: tensor<4xf32>) {
  // expected-error @below {{op has a dynamic shape, 'tuple<tensor<?xf32>>'}}
  %0 = stablehlo.custom_call @f(%x) : (tensor<4xf32>) -> tuple<tensor<?xf32>>
  %1 = stablehlo.custom_call @f(%x) : (tensor<4xf32>) -> tuple<tensor<?xf32>>
  return
}
