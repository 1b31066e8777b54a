// RUN: hetero-opt %s --hetero-verify --split-input-file --verify-diagnostics

// expected-error @below {{has no rank programs; run hetero-partition first}}
module {
}

// -----

module {
  // expected-note @below {{the first is here}}
  func.func @a() attributes {hetero.program = #hetero.program<on [0]>} {
    return
  }
  // expected-error @below {{is a second program of rank 0}}
  func.func @b() attributes {hetero.program = #hetero.program<on [0]>} {
    return
  }
}

// -----

// Each waits for what the other one does later: collectives on two channels in
// another order.

// expected-warning @below {{has no hetero.plan; that gradients are complete is not checked}}
module {
  hetero.mesh @all = [0, 1]
  func.func @rank0(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
      attributes {hetero.program = #hetero.program<on [0]>} {
    // expected-error @below {{waits in a cycle: rank 0 waits in 'all_reduce' (channel 0) for rank 1, which waits in 'all_reduce' (channel 1) for rank 0}}
    %0 = hetero.all_reduce sum %x over @all : tensor<4xf32> -> tensor<4xf32>
    %1 = hetero.all_reduce sum %x over @all channel 1 : tensor<4xf32> -> tensor<4xf32>
    return %0, %1 : tensor<4xf32>, tensor<4xf32>
  }
  func.func @rank1(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
      attributes {hetero.program = #hetero.program<on [1]>} {
    // expected-note @below {{rank 1 waits here}}
    %1 = hetero.all_reduce sum %x over @all channel 1 : tensor<4xf32> -> tensor<4xf32>
    %0 = hetero.all_reduce sum %x over @all : tensor<4xf32> -> tensor<4xf32>
    return %0, %1 : tensor<4xf32>, tensor<4xf32>
  }
}

// -----

// A cycle of three that starts at its lowest rank, though rank 0, which waits
// for it, is not in it.

// expected-warning @below {{has no hetero.plan}}
module {
  func.func @rank0() -> tensor<f32>
      attributes {hetero.program = #hetero.program<on [0]>} {
    %0 = hetero.recv from 3 : tensor<f32>
    return %0 : tensor<f32>
  }
  func.func @rank1(%x: tensor<f32>) -> tensor<f32>
      attributes {hetero.program = #hetero.program<on [1]>} {
    // expected-error @below {{waits in a cycle: rank 1 waits in 'recv' (channel 0) for rank 3, which waits in 'recv' (channel 0) for rank 2, which waits in 'recv' (channel 0) for rank 1}}
    %0 = hetero.recv from 3 : tensor<f32>
    hetero.send %x to 2 : tensor<f32>
    return %0 : tensor<f32>
  }
  func.func @rank2(%x: tensor<f32>) -> tensor<f32>
      attributes {hetero.program = #hetero.program<on [2]>} {
    // expected-note @below {{rank 2 waits here}}
    %0 = hetero.recv from 1 : tensor<f32>
    hetero.send %x to 3 : tensor<f32>
    return %0 : tensor<f32>
  }
  func.func @rank3(%x: tensor<f32>) -> tensor<f32>
      attributes {hetero.program = #hetero.program<on [3]>} {
    // expected-note @below {{rank 3 waits here}}
    %0 = hetero.recv from 2 : tensor<f32>
    hetero.send %x to 1 : tensor<f32>
    hetero.send %x to 0 : tensor<f32>
    return %0 : tensor<f32>
  }
}

// -----

// Sends that wait for each other's receives; with a handle it would be fine.

// expected-warning @below {{has no hetero.plan}}
module {
  func.func @rank0(%x: tensor<f32>) -> tensor<f32>
      attributes {hetero.program = #hetero.program<on [0]>} {
    // expected-error @below {{waits in a cycle: rank 0 waits in 'send' (channel 0) for rank 1, which waits in 'send' (channel 0) for rank 0}}
    hetero.send %x to 1 : tensor<f32>
    %0 = hetero.recv from 1 : tensor<f32>
    return %0 : tensor<f32>
  }
  func.func @rank1(%x: tensor<f32>) -> tensor<f32>
      attributes {hetero.program = #hetero.program<on [1]>} {
    // expected-note @below {{rank 1 waits here}}
    hetero.send %x to 0 : tensor<f32>
    %0 = hetero.recv from 0 : tensor<f32>
    return %0 : tensor<f32>
  }
}

// -----

// expected-warning @below {{has no hetero.plan}}
module {
  hetero.mesh @all = [0, 1, 2]
  func.func @rank0(%x: tensor<1xf32>) -> tensor<6xf32>
      attributes {hetero.program = #hetero.program<on [0]>} {
    // expected-note @below {{rank 0 has its 'hetero.all_gather' here}}
    %0 = hetero.all_gather %x split 0 : [1, 3, 2] over @all : tensor<1xf32> -> tensor<6xf32>
    return %0 : tensor<6xf32>
  }
  func.func @rank1(%x: tensor<3xf32>) -> tensor<6xf32>
      attributes {hetero.program = #hetero.program<on [1]>} {
    // expected-error @below {{of rank 1 over ranks [0, 1, 2] on channel 0 has split #hetero.split<0 : [2, 3, 1]> and that of rank 0 has #hetero.split<0 : [1, 3, 2]>}}
    %0 = hetero.all_gather %x split 0 : [2, 3, 1] over @all : tensor<3xf32> -> tensor<6xf32>
    return %0 : tensor<6xf32>
  }
  func.func @rank2(%x: tensor<2xf32>) -> tensor<6xf32>
      attributes {hetero.program = #hetero.program<on [2]>} {
    %0 = hetero.all_gather %x split 0 : [1, 3, 2] over @all : tensor<2xf32> -> tensor<6xf32>
    return %0 : tensor<6xf32>
  }
}

// -----

// expected-warning @below {{has no hetero.plan}}
module {
  hetero.mesh @all = [0, 1]
  func.func @rank0(%x: tensor<4xf32>) -> tensor<4xf32>
      attributes {hetero.program = #hetero.program<on [0]>} {
    // expected-note @below {{rank 0 has its 'hetero.all_reduce' here}}
    %0 = hetero.all_reduce sum %x over @all algorithm ring : tensor<4xf32> -> tensor<4xf32>
    return %0 : tensor<4xf32>
  }
  func.func @rank1(%x: tensor<4xf32>) -> tensor<4xf32>
      attributes {hetero.program = #hetero.program<on [1]>} {
    // expected-error @below {{of rank 1 over ranks [0, 1] on channel 0 has algorithm auto and that of rank 0 has ring}}
    %0 = hetero.all_reduce sum %x over @all : tensor<4xf32> -> tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}

// -----

// expected-warning @below {{has no hetero.plan}}
module {
  hetero.mesh @all = [0, 1]
  func.func @rank0(%x: tensor<4xf32>) -> tensor<4xf32>
      attributes {hetero.program = #hetero.program<on [0]>} {
    // expected-note @below {{rank 0 has its 'hetero.all_reduce' here}}
    %0 = hetero.all_reduce sum %x over @all : tensor<4xf32> -> tensor<4xf32>
    return %0 : tensor<4xf32>
  }
  func.func @rank1(%x: tensor<4xf32>) -> tensor<4xf32>
      attributes {hetero.program = #hetero.program<on [1]>} {
    // expected-error @below {{is number 0 of rank 1 over ranks [0, 1] on channel 0, where rank 0 enters 'hetero.all_reduce'}}
    %0 = hetero.exclusive_scan sum %x over @all : tensor<4xf32> -> tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}

// -----

// expected-warning @below {{has no hetero.plan}}
module {
  func.func @rank0(%x: tensor<4xf32>)
      attributes {hetero.program = #hetero.program<on [0]>} {
    // expected-note @below {{rank 0 has its 'hetero.send' here}}
    hetero.send %x to 1 : tensor<4xf32>
    return
  }
  func.func @rank1() -> tensor<2x2xf32>
      attributes {hetero.program = #hetero.program<on [1]>} {
    // expected-error @below {{of rank 1 expects tensor<2x2xf32> from rank 0 on channel 0, which sends tensor<4xf32>}}
    %0 = hetero.recv from 0 : tensor<2x2xf32>
    return %0 : tensor<2x2xf32>
  }
}

// -----

// expected-warning @below {{has no hetero.plan}}
module {
  func.func @rank0(%x: tensor<4xf32>)
      attributes {hetero.program = #hetero.program<on [0]>} {
    // expected-error @below {{is with rank 7, which has no program}}
    hetero.send %x to 7 : tensor<4xf32>
    return
  }
}

// -----

module {
  func.func @rank0(%x: tensor<i1>, %y: tensor<4xf32>) -> tensor<4xf32>
      attributes {hetero.program = #hetero.program<on [0]>} {
    %0 = "stablehlo.if"(%x) ({
      // expected-error @below {{is inside of a region, where it is not known how often it is executed}}
      hetero.send %y to 1 : tensor<4xf32>
      stablehlo.return %y : tensor<4xf32>
    }, {
      stablehlo.return %y : tensor<4xf32>
    }) : (tensor<i1>) -> tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}

// -----

module {
  func.func @rank0(%x: tensor<4xf32>)
      attributes {hetero.program = #hetero.program<on [0]>} {
    %0 = hetero.send %x to 1 : tensor<4xf32> -> !hetero.handle
    hetero.wait %0 : !hetero.handle
    // expected-error @below {{waits for something that was not started, or that was waited for already}}
    hetero.wait %0 : !hetero.handle
    return
  }
}

// -----

// expected-warning @below {{has no hetero.plan}}
module {
  hetero.mesh @all = [0]
  func.func @rank0(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
      attributes {hetero.program = #hetero.program<on [0]>} {
    %0 = hetero.all_reduce sum %x over @all bucket 3 : tensor<4xf32> -> tensor<4xf32>
    %1 = stablehlo.negate %x : tensor<4xf32>
    // expected-error @below {{does not follow the one before it in bucket 3}}
    %2 = hetero.all_reduce sum %1 over @all bucket 3 : tensor<4xf32> -> tensor<4xf32>
    return %0, %2 : tensor<4xf32>, tensor<4xf32>
  }
}

// -----

// expected-warning @below {{has no hetero.plan}}
module {
  hetero.mesh @all = [0]
  func.func @rank0(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
      attributes {hetero.program = #hetero.program<on [0]>} {
    // expected-note @below {{the one before is here}}
    %0 = hetero.all_reduce sum %x over @all bucket 3 : tensor<4xf32> -> tensor<4xf32>
    // expected-error @below {{is unlike the one before it in bucket 3; they cannot be one transfer}}
    %2 = hetero.all_reduce max %x over @all bucket 3 : tensor<4xf32> -> tensor<4xf32>
    return %0, %2 : tensor<4xf32>, tensor<4xf32>
  }
}

// -----

// A part of a result is missing, and one lies outside.

// expected-warning @below {{has no hetero.forms}}
module {
  hetero.mesh @all = [0]
  hetero.plan @plan of @step planner "hand" minimizes time batch 8 microbatches [8] predicted 1 ms {
    hetero.stage 0 on @all layers [0] samples [[8]] in_flight 1
  }
  // expected-note @below {{the step is here}}
  func.func private @step(tensor<8xf32>) -> tensor<8xf32>
  // expected-error @below {{argument 0 of rank 0 is #hetero.part<0 : [4 to 12]>, which is outside of tensor<8xf32>}}
  func.func @rank0(%x: tensor<8xf32> {hetero.part = #hetero.part<0 : [4 to 12]>})
      attributes {hetero.program = #hetero.program<on [0]>} {
    return
  }
}

// -----

// expected-warning @below {{has no hetero.forms}}
module {
  hetero.mesh @all = [0]
  hetero.plan @plan of @step planner "hand" minimizes time batch 8 microbatches [8] predicted 1 ms {
    hetero.stage 0 on @all layers [0] samples [[8]] in_flight 1
  }
  // expected-error @below {{result 0 has 8 elements, and the ranks return 6 of them}}
  func.func private @step(tensor<8xf32>) -> tensor<8xf32>
  func.func @rank0(%x: tensor<6xf32> {hetero.part = #hetero.part<0 : [0 to 6]>})
      -> (tensor<6xf32> {hetero.part = #hetero.part<0 : [0 to 6]>})
      attributes {hetero.program = #hetero.program<on [0]>} {
    return %x : tensor<6xf32>
  }
}
