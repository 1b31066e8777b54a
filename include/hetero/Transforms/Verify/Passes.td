//===- Passes.td - Proofs about rank programs --------------*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef HETERO_TRANSFORMS_VERIFY_PASSES_TD
#define HETERO_TRANSFORMS_VERIFY_PASSES_TD

include "mlir/Pass/PassBase.td"

def VerifyPass : Pass<"hetero-verify", "::mlir::ModuleOp"> {
  let summary = "Proves what can be proved of rank programs";
  let description = [{
    Checks the rank programs of a module together, whoever wrote them:

    * *Parts*: arguments lie in those of the step, results cover those of the
      step, each element once (equal copies may be on several ranks), and state
      comes back in the part that it went in.
    * *Matching*: every send has its receive, with rank, channel, order and
      type; every collective is entered by all members of its group, in the
      order of its channel, with the same sizes, reduction, type, algorithm and
      bucket.
    * *Waiting*: no ranks wait for each other in a cycle, even where a send
      waits for its receive. A cycle is told as a path from its lowest rank.
    * *Values*: a unit gets the values that it was made for, of its own
      samples, and the step returns those that it should.
    * *Sums*: every sum over samples and devices contains each contribution
      once, and is used as a whole only when nothing is missing. For this the
      unit functions carry `hetero.forms`, and the plan says which samples are
      whose.
    * *Memory*: at every instant, the values of a rank fit into the memory of its
      device, if the module has a `hetero.cluster`.

    What fails is an error with the place, and a note at the other place. The
    module stays as it is.

    ```mlir
    hetero.mesh @all = [0, 1]
    func.func @rank0(%x: tensor<4xf32>)
        attributes {hetero.program = #hetero.program<on [0]>} {
      // error: of rank 0 to rank 1 on channel 3 has no receive
      hetero.send %x to 1 channel 3 : tensor<4xf32>
      return
    }
    func.func @rank1() -> tensor<4xf32>
        attributes {hetero.program = #hetero.program<on [1]>} {
      // note: rank 1 waits for such a value from rank 0 on channel 2 here
      %x = hetero.recv from 0 channel 2 : tensor<4xf32>
      return %x : tensor<4xf32>
    }
    ```
  }];
  let options = [
    Option<"memory", "memory", "bool", "true",
           "Check that the memory of the devices suffices">,
    Option<"remarks", "remarks", "bool", "false",
           "Report where each rank needs the most memory">
  ];
  let statistics = [
    Statistic<"numRanks", "num-ranks", "Number of rank programs">,
    Statistic<"numTransfers", "num-transfers",
              "Number of messages and collectives that match">,
    Statistic<"numSums", "num-sums",
              "Number of contributions that are summed once">,
    Statistic<"numPeakBytes", "num-peak-bytes",
              "The most memory that a rank needs">
  ];
}

#endif // HETERO_TRANSFORMS_VERIFY_PASSES_TD
