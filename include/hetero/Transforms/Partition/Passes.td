//===- Passes.td - From a planned step to ranks ------------*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef HETERO_TRANSFORMS_PARTITION_PASSES_TD
#define HETERO_TRANSFORMS_PARTITION_PASSES_TD

include "mlir/Pass/PassBase.td"

def PartitionPass : Pass<"hetero-partition", "::mlir::ModuleOp"> {
  let summary = "Writes the program of each rank";
  let description = [{
    Turns a planned step into one program for each device: straight-line code
    that calls the units of its stage in the order of the schedule (1F1B if
    there is none), accumulates over microbatches, and exchanges values with
    other ranks. Shapes are those of the rank, as the plan divides samples
    (`hetero.stage`), parameters (`hetero.sharding`) and stored state
    (`hetero.storage`). Indices and random numbers are those of the whole batch.

    Where operations have `hetero.sharding`, each makes its results so, and takes
    its operands as they are; `hetero.reshard` becomes collectives. That is for
    plans of one stage with one microbatch and one device along the batch, whose
    other axis may then split any dimension, of samples as well.

    Stages that say `recompute` compute again, in the unit of the backward, what
    the backward of a layer takes from its forward; only what enters the layers
    is kept in between.

    What each argument and result of a rank program is of the step's, its
    `hetero.part` says; the step itself becomes a declaration.

    What `hetero-verify` needs to prove that each sum over samples and devices
    is completed once stays in the units: `hetero.forms` on arguments and
    results, and on operations that make a partial value; and in `hetero.inputs`
    and `hetero.outputs` which value each argument and result is (arguments of
    the step are numbered first, then its operations).

    ```mlir
    hetero.mesh @all = [0, 1]
    hetero.plan @plan of @step planner "hand" minimizes time
        batch 8 microbatches [8] predicted 1 ms {
      hetero.stage 0 on @all layers [0] samples [[5, 3]] in_flight 1
    }
    func.func @step(%x: tensor<8x4xf32> {hetero.role = #hetero.role<batch>})
        -> tensor<8x4xf32> {
      // On rank 1 a tensor<3x4xf32>.
      %0 = stablehlo.exponential %x : tensor<8x4xf32>
      return %0 : tensor<8x4xf32>
    }
    ```
  }];
  let dependentDialects = ["::hetero::HeteroDialect",
                           "::mlir::stablehlo::StablehloDialect"];
  let statistics = [
    Statistic<"numRanks", "num-ranks", "Number of rank programs">,
    Statistic<"numUnits", "num-units", "Number of functions that they call">,
    Statistic<"numSweeps", "num-sweeps", "Number of sweeps over the batch">,
    Statistic<"numRecomputed", "num-recomputed",
              "Number of operations that are computed twice">
  ];
}

#endif // HETERO_TRANSFORMS_PARTITION_PASSES_TD
