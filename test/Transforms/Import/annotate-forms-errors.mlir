// RUN: hetero-opt %s --hetero-annotate-forms --split-input-file --verify-diagnostics

// expected-error @below {{has no argument with the role 'batch', so there is nothing to share out}}
func.func @no_batch(%x: tensor<8xf32>) -> tensor<8xf32> {
  return %x : tensor<8xf32>
}

// -----

// expected-error @below {{the batch has no samples}}
func.func @no_samples(%x: tensor<0x4xf32> {hetero.role = #hetero.role<batch>}) {
  return
}

// -----

// expected-error @below {{expected a function @main or exactly one public function, found 2 public functions}}
module {
  // expected-note @below {{@a}}
  func.func @a() { return }
  // expected-note @below {{@b}}
  func.func @b() { return }
}
