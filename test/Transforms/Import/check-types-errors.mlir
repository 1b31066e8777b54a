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

// -----

#csr = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : dense, d1 : compressed) }>

// expected-error @below {{op has a tensor with an encoding, 'tensor<2x3xf32, #sparse_tensor.encoding}}
func.func @sparse(%x: tensor<2x3xf32, #csr>) {
  return
}

// -----

// expected-error @below {{op has more elements than 64 bits can count, 'tensor<4294967296x4294967296xf32>'}}
func.func @too_large(%x: tensor<4294967296x4294967296xf32>) {
  return
}
