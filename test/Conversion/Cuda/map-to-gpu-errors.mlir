// RUN: hetero-opt %s -hetero-map-to-gpu -verify-diagnostics

// expected-error @+1 {{has a loop that cannot be mapped to threads}}
func.func private @dynamic(%a: memref<?xf32>) attributes {hetero.device_loop} {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%a : memref<?xf32>)
  return
}
