// RUN: hetero-opt --hetero-inline-calls="max-ops=50" --split-input-file --verify-diagnostics %s

func.func @main(%x: tensor<f32>) -> tensor<f32> {
  %0 = call @a(%x) : (tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}
func.func private @a(%x: tensor<f32>) -> tensor<f32> {
  %0 = call @b(%x) : (tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}
func.func private @b(%x: tensor<f32>) -> tensor<f32> {
  // expected-error @below {{op is recursive: @a -> @b -> @a}}
  %0 = call @a(%x) : (tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// -----

func.func @main(%x: tensor<f32>) -> tensor<f32> {
  // expected-error @below {{op calls @external, which has no body}}
  %0 = call @external(%x) : (tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}
// expected-note @below {{declared here}}
func.func private @external(tensor<f32>) -> tensor<f32>

// -----

// expected-error @below {{expected a function @main or exactly one public function, found 2 public functions}}
module {
  // expected-note @below {{@f}}
  func.func @f() { return }
  // expected-note @below {{@g}}
  func.func @g() { return }
}

// -----

// Doubling at every level: the size is known before anything grows.
func.func @main(%x: tensor<f32>) -> tensor<f32> {
  %0 = call @f4(%x) : (tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}
// expected-error @below {{would grow to 93 operations when its calls are inlined; max-ops allows 50}}
func.func private @f4(%x: tensor<f32>) -> tensor<f32> {
  %0 = call @f3(%x) : (tensor<f32>) -> tensor<f32>
  %1 = call @f3(%0) : (tensor<f32>) -> tensor<f32>
  return %1 : tensor<f32>
}
func.func private @f3(%x: tensor<f32>) -> tensor<f32> {
  %0 = call @f2(%x) : (tensor<f32>) -> tensor<f32>
  %1 = call @f2(%0) : (tensor<f32>) -> tensor<f32>
  return %1 : tensor<f32>
}
func.func private @f2(%x: tensor<f32>) -> tensor<f32> {
  %0 = call @f1(%x) : (tensor<f32>) -> tensor<f32>
  %1 = call @f1(%0) : (tensor<f32>) -> tensor<f32>
  return %1 : tensor<f32>
}
func.func private @f1(%x: tensor<f32>) -> tensor<f32> {
  %0 = call @f0(%x) : (tensor<f32>) -> tensor<f32>
  %1 = call @f0(%0) : (tensor<f32>) -> tensor<f32>
  return %1 : tensor<f32>
}
func.func private @f0(%x: tensor<f32>) -> tensor<f32> {
  %0 = stablehlo.add %x, %x : tensor<f32>
  %1 = stablehlo.add %0, %0 : tensor<f32>
  return %1 : tensor<f32>
}
