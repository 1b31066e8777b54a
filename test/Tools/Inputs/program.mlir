module @m attributes {x.a = dense<[1, 2, 3]> : tensor<3xi32>, x.b = [1, "s", {k = 2.5 : f32}], x.r = dense_resource<blob> : tensor<2xf32>} {
  func.func @f(%a: tensor<4xf32> loc("arg")) -> tensor<4xf32> attributes {x.c = tensor<2x?xf32>} {
    %0 = arith.addf %a, %a : tensor<4xf32> loc(callsite("x" at "f.py":1:2))
    %1 = arith.constant dense<1.0> : tensor<4xf32>
    %2 = "test.region"(%0) ({
    ^bb0(%x: f32):
      "test.yield"(%x) : (f32) -> ()
    }) : (tensor<4xf32>) -> tensor<4xf32>
    return %2 : tensor<4xf32>
  }
}
{-# dialect_resources: { builtin: { blob: "0x040000000000803F00000040" } } #-}
