// RUN: hetero-opt %s --hetero-annotate-forms --split-input-file --verify-diagnostics

// expected-error @below {{has no argument with the role 'batch', so there is nothing to share out}}
func.func @no_batch(%x: tensor<8xf32>) -> tensor<8xf32> {
  return %x : tensor<8xf32>
}

// -----

func.func @differ(
    // expected-note @below {{argument 0 is here}}
    %x: tensor<8xf32> {hetero.role = #hetero.role<batch>},
    // expected-error @below {{batch arguments differ in their number of samples: argument 1 has 6, argument 0 has 8}}
    %y: tensor<6xf32> {hetero.role = #hetero.role<batch>}) {
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
