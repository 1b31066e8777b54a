//===- Passes.td - Passes over rank programs ---------------*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef HETERO_TRANSFORMS_RANKS_PASSES_TD
#define HETERO_TRANSFORMS_RANKS_PASSES_TD

include "mlir/Pass/PassBase.td"

def SelectCollectivesPass
    : Pass<"hetero-select-collectives", "::mlir::ModuleOp"> {
  let summary = "Chooses how each communication is done";
  let description = [{
    Rank programs leave open how their collectives are carried out. With the
    `hetero.cluster` of the module and the cost model, this pass

    * gives every all-reduce, all-gather and reduce-scatter the `algorithm` that
      takes least: ring, tree or hierarchical for a sum; for parts of unlike
      sizes padded or grouped;
    * puts runs of small collectives of one group into one `bucket`, which is
      one transfer, where the latency that is saved outweighs the packing;
    * lets a collective whose result is not needed at once go on behind the work
      that follows, as a start and a `hetero.wait`.

    All members of a group decide alike, and the order of communications on each
    channel stays as it is. Algorithms and buckets that are already there are
    kept. The numbers are the same bits whatever is chosen when the `threads` or
    `mpi` transport carries it out, because it adds in the order of members;
    NCCL has an order of its own.

    Without a cluster, algorithms of sums stay `auto`, parts of unlike sizes are
    padded while that moves at most a quarter more, and collectives of up to
    1 MiB are put together to at most 32 MiB.

    ```mlir
    hetero.mesh @all = [0, 1]
    func.func @rank0(%x: tensor<4xf32>, %y: tensor<9xf32>)
        -> (tensor<4xf32>, tensor<9xf32>)
        attributes {hetero.program = #hetero.program<on [0]>} {
      // Both get bucket 0.
      %0 = hetero.all_reduce sum %x over @all : tensor<4xf32> -> tensor<4xf32>
      %1 = hetero.all_reduce sum %y over @all : tensor<9xf32> -> tensor<9xf32>
      return %0, %1 : tensor<4xf32>, tensor<9xf32>
    }
    ```
  }];
  let options = [
    Option<"buckets", "buckets", "bool", "true",
           "Put small collectives together">,
    Option<"overlap", "overlap", "bool", "true",
           "Let collectives go on behind other work">
  ];
  let dependentDialects = ["::hetero::HeteroDialect"];
  let statistics = [
    Statistic<"numSelected", "num-selected",
              "Number of collectives that were given an algorithm">,
    Statistic<"numBuckets", "num-buckets", "Number of buckets">,
    Statistic<"numJoined", "num-joined",
              "Number of collectives in them, on one rank each">,
    Statistic<"numStarted", "num-started",
              "Number of collectives that go on behind other work">
  ];
}

#endif // HETERO_TRANSFORMS_RANKS_PASSES_TD
