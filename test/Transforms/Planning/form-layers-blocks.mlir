// RUN: hetero-opt %s --hetero-form-layers > %t
// RUN: FileCheck %s --check-prefixes=CHECK,NAMED < %t
// RUN: hetero-opt %t --hetero-form-layers | diff %t -
// RUN: hetero-opt %s --strip-debuginfo --hetero-form-layers | FileCheck %s --check-prefixes=CHECK,PLAIN
// RUN: hetero-opt %s --hetero-form-layers=max-layers=2 | FileCheck %s --check-prefix=TWO

// Three blocks of a product, a tanh and the residual: all are cut alike, and
// equal pieces are known to be equal (the last block has another backward). What
// the user calls them is in the locations; without these they are counted.

// CHECK: hetero.layer_table @layers {
// NAMED-NEXT: hetero.layer 0 "embed" forward
// NAMED-NEXT: hetero.layer 1 "h_0/up" forward
// NAMED-NEXT: hetero.layer 2 "h_0 (1 of 2)" forward
// NAMED-NEXT: hetero.layer 3 "h_0 (2 of 2)" forward
// NAMED-NEXT: hetero.layer 4 "h_1/up" like 1 forward
// NAMED-NEXT: hetero.layer 5 "h_1 (1 of 2)" like 2 forward
// NAMED-NEXT: hetero.layer 6 "h_1 (2 of 2)" like 3 forward
// NAMED-NEXT: hetero.layer 7 "h_2/up" forward
// NAMED-NEXT: hetero.layer 8 "h_2 (1 of 2)" forward
// NAMED-NEXT: hetero.layer 9 "h_2 (2 of 2)" forward
// NAMED-NEXT: hetero.layer 10 "layer_10" forward
// PLAIN-NEXT: hetero.layer 0 "layer_0" forward
// PLAIN-NEXT: hetero.layer 1 "block 1 of 3, part 1 of 3" forward
// PLAIN-NEXT: hetero.layer 2 "block 1 of 3, part 2 of 3" forward
// PLAIN-NEXT: hetero.layer 3 "block 1 of 3, part 3 of 3" forward
// PLAIN-NEXT: hetero.layer 4 "block 2 of 3, part 1 of 3" like 1 forward
// PLAIN-NEXT: hetero.layer 5 "block 2 of 3, part 2 of 3" like 2 forward
// PLAIN-NEXT: hetero.layer 6 "block 2 of 3, part 3 of 3" like 3 forward
// PLAIN-NEXT: hetero.layer 7 "block 3 of 3, part 1 of 3" forward
// PLAIN-NEXT: hetero.layer 8 "block 3 of 3, part 2 of 3" forward
// PLAIN-NEXT: hetero.layer 9 "block 3 of 3, part 3 of 3" forward
// PLAIN-NEXT: hetero.layer 10 "layer_10" forward

// TWO: hetero.layer 1
// TWO-NOT: hetero.layer 2

#embed = loc("jit(step)/jvp(Net)/embed/dot_general")
#up0 = loc("jit(step)/jvp(Net)/h_0/up/dot_general"("net.py":1:1))
#act0 = loc("jit(step)/jvp(Net)/h_0/tanh")
#add0 = loc("jit(step)/jvp(Net)/h_0/add")
// Of an inlined function the place of the call counts.
#up1 = loc(callsite("dot_general" at "jit(step)/jvp(Net)/h_1/up/jit(f)"))
#act1 = loc("jit(step)/jvp(Net)/h_1/tanh")
#add1 = loc("jit(step)/jvp(Net)/h_1/add")
#up2 = loc("jit(step)/jvp(Net)/h_2/up/dot_general")
#act2 = loc("jit(step)/jvp(Net)/h_2/tanh")
#add2 = loc("jit(step)/jvp(Net)/h_2/add")

func.func @step(
  %w: tensor<5x16xf32> {hetero.role = #hetero.role<parameter>},
  %w0: tensor<16x16xf32> {hetero.role = #hetero.role<parameter>},
  %w1: tensor<16x16xf32> {hetero.role = #hetero.role<parameter>},
  %w2: tensor<16x16xf32> {hetero.role = #hetero.role<parameter>},
  %x: tensor<8x5xf32> {hetero.role = #hetero.role<batch>})
    -> (tensor<f32> {hetero.role = #hetero.role<loss>},
        tensor<5x16xf32> {hetero.role = #hetero.role<updated_state of 0>},
        tensor<16x16xf32> {hetero.role = #hetero.role<updated_state of 1>},
        tensor<16x16xf32> {hetero.role = #hetero.role<updated_state of 2>},
        tensor<16x16xf32> {hetero.role = #hetero.role<updated_state of 3>}) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %one = stablehlo.constant dense<1.0> : tensor<8x16xf32>
  %x0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0]
      : (tensor<8x5xf32>, tensor<5x16xf32>) -> tensor<8x16xf32> loc(#embed)
  %h0 = stablehlo.dot_general %x0, %w0, contracting_dims = [1] x [0]
      : (tensor<8x16xf32>, tensor<16x16xf32>) -> tensor<8x16xf32> loc(#up0)
  %t0 = stablehlo.tanh %h0 : tensor<8x16xf32> loc(#act0)
  %x1 = stablehlo.add %x0, %t0 : tensor<8x16xf32> loc(#add0)
  %h1 = stablehlo.dot_general %x1, %w1, contracting_dims = [1] x [0]
      : (tensor<8x16xf32>, tensor<16x16xf32>) -> tensor<8x16xf32> loc(#up1)
  %t1 = stablehlo.tanh %h1 : tensor<8x16xf32> loc(#act1)
  %x2 = stablehlo.add %x1, %t1 : tensor<8x16xf32> loc(#add1)
  %h2 = stablehlo.dot_general %x2, %w2, contracting_dims = [1] x [0]
      : (tensor<8x16xf32>, tensor<16x16xf32>) -> tensor<8x16xf32> loc(#up2)
  %t2 = stablehlo.tanh %h2 : tensor<8x16xf32> loc(#act2)
  %x3 = stablehlo.add %x2, %t2 : tensor<8x16xf32> loc(#add2)
  %loss = stablehlo.reduce(%x3 init: %zero) applies stablehlo.add across dimensions = [0, 1]
      : (tensor<8x16xf32>, tensor<f32>) -> tensor<f32>
  // The gradient of a dense layer that is the last; good enough to be placed.
  %g2 = stablehlo.dot_general %x2, %t2, contracting_dims = [0] x [0]
      : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<16x16xf32>
  %d2 = stablehlo.dot_general %one, %w2, contracting_dims = [1] x [1]
      : (tensor<8x16xf32>, tensor<16x16xf32>) -> tensor<8x16xf32>
  %g1 = stablehlo.dot_general %x1, %d2, contracting_dims = [0] x [0]
      : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<16x16xf32>
  %d1 = stablehlo.dot_general %d2, %w1, contracting_dims = [1] x [1]
      : (tensor<8x16xf32>, tensor<16x16xf32>) -> tensor<8x16xf32>
  %g0 = stablehlo.dot_general %x0, %d1, contracting_dims = [0] x [0]
      : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<16x16xf32>
  %d0 = stablehlo.dot_general %d1, %w0, contracting_dims = [1] x [1]
      : (tensor<8x16xf32>, tensor<16x16xf32>) -> tensor<8x16xf32>
  %g = stablehlo.dot_general %x, %d0, contracting_dims = [0] x [0]
      : (tensor<8x5xf32>, tensor<8x16xf32>) -> tensor<5x16xf32>
  %n = stablehlo.subtract %w, %g : tensor<5x16xf32>
  %n0 = stablehlo.subtract %w0, %g0 : tensor<16x16xf32>
  %n1 = stablehlo.subtract %w1, %g1 : tensor<16x16xf32>
  %n2 = stablehlo.subtract %w2, %g2 : tensor<16x16xf32>
  return %loss, %n, %n0, %n1, %n2
      : tensor<f32>, tensor<5x16xf32>, tensor<16x16xf32>, tensor<16x16xf32>, tensor<16x16xf32>
}
