//===- HeteroPlanOps.td - Layers and plans -----------------*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a planner sees of a step (its layers) and what it decides.

#ifndef HETERO_DIALECT_HETERO_HETEROPLANOPS_TD
#define HETERO_DIALECT_HETERO_HETEROPLANOPS_TD

include "hetero/Dialect/Hetero/HeteroOpBase.td"

def Hetero_ResourceArrayAttr
    : TypedArrayAttrBase<Hetero_ResourceAttr, "array of resources">;

def Hetero_SamplesAttr
    : TypedArrayAttrBase<DenseI64ArrayAttr, "array of lists of sizes">;

//===----------------------------------------------------------------------===//
// Layers
//===----------------------------------------------------------------------===//

def Hetero_LayerTableOp : Hetero_Op<"layer_table",
    [Symbol, IsolatedFromAbove, NoTerminator, SingleBlock,
     NoRegionArguments]> {
  let summary = "the layers of a step";
  let description = [{
    Lists the layers that `hetero.layer` attributes refer to by number, with
    what a reader wants to know about each.

    Constraints:
    - (layer_table_c1) The body has only layers, numbered 0, 1, ... in order.

    ```mlir
    hetero.layer_table @layers {
      hetero.layer 0 "embed" forward 2 MFLOP backward 4 MFLOP parameters 3 MiB
          saved 16 KiB output 4 KiB
      hetero.layer 1 "block_0" forward 30 MFLOP backward 60 MFLOP
          parameters 12 MiB saved 64 KiB output 4 KiB
      hetero.layer 2 "block_1" like 1 forward 30 MFLOP backward 60 MFLOP
          parameters 12 MiB saved 64 KiB output 4 KiB
    }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$sym_name attr-dict-with-keyword $body";
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    int64_t getNumLayers();
  }];
}

def Hetero_LayerOp : Hetero_Op<"layer", [HasParent<"LayerTableOp">]> {
  let summary = "a layer and what it costs";
  let description = [{
    `forward` and `backward` are the work for one sample, `parameters` the bytes
    of its parameters, `saved` what one sample keeps from the forward for the
    backward, and `output` what one sample hands to the next layer. `like N`
    says that it has the structure of layer N: what is known of one holds for
    the other.

    `measured` has the times that were measured on classes of devices, by their
    names. Planners take them instead of what the cost model would say.

    Constraints:
    - (layer_c1) `like` names an earlier layer that is not itself like another.
    - (layer_c2) Each entry of `measured` is a `#hetero.layer_times`.

    ```mlir
    hetero.layer_table @layers {
      hetero.layer 0 "head" forward 2 MFLOP backward 4 MFLOP parameters 3 MiB
          saved 16 KiB output 4 B
          measured {l4 = #hetero.layer_times<1: 9 ms + 17 ms, 4: 31 ms + 60 ms>}
    }
    ```
  }];
  let arguments = (ins I64Attr:$index, StrAttr:$name,
                       OptionalAttr<I64Attr>:$like,
                       Hetero_WorkAttr:$forward, Hetero_WorkAttr:$backward,
                       Hetero_BytesAttr:$parameters, Hetero_BytesAttr:$saved,
                       Hetero_BytesAttr:$output,
                       OptionalAttr<DictionaryAttr>:$measured);
  let assemblyFormat = [{
    $index $name (`like` $like^)? `forward` custom<Quantity>($forward)
    `backward` custom<Quantity>($backward)
    `parameters` custom<Quantity>($parameters)
    `saved` custom<Quantity>($saved) `output` custom<Quantity>($output)
    (`measured` $measured^)? attr-dict
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Plans
//===----------------------------------------------------------------------===//

def Hetero_PlanOp : Hetero_Op<"plan",
    [Symbol, IsolatedFromAbove, NoTerminator, SingleBlock, NoRegionArguments,
     DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "how a step is laid out on a cluster, and how good that is";
  let description = [{
    The decisions of a planner that are not about single values: into which
    microbatches the batch is cut and which stage runs which layers on which
    devices. What it decides about single values is written on them as
    `hetero.placement`, `hetero.sharding` and `hetero.storage`.

    `predicted` is the time of a step by the cost model. `bound` is a time that
    no plan can beat under that model, and `gap` is the share of the step that
    could at most be saved, `(predicted - bound) / predicted`, rounded down to
    six digits; it follows from the two, so it is checked when it is written
    and need not be. `limited_by` names what would have to grow to make the
    step faster. `budget` is the price that the plan had to stay under.
    `schedule` is the kind of schedule that the in-flight counts of the stages
    are for and that was predicted; hetero-schedule writes that one.

    Constraints:
    - (plan_c1) There is at least one microbatch, each has a sample, and
      together they are the batch.
    - (plan_c2) The predicted time is positive and the bound does not exceed it.
    - (plan_c3) The gap, if written, is the one that follows.
    - (plan_c4) The body has at least one stage and only stages, numbered 0, 1,
      ... in order, each beginning with a later layer than the one before.
    - (plan_c5) Every layer, from 0 to the last, is in exactly one run of layers
      of one stage.
    - (plan_c6) The layer table exists and has just these layers.
    - (plan_c7) The meshes of two stages are disjoint, or the same.
    - (plan_c8) The step, if it is still there, is a function.
    - (plan_c9) Stages and devices that limit the plan are part of it.

    ```mlir
    hetero.mesh @fast = [0, 1]
    hetero.mesh @slow = [2, 3, 4, 5]
    func.func private @step(tensor<61x4xf32>)
    hetero.plan @plan of @step planner "joint" minimizes time
        batch 61 microbatches [7 x 8, 5] schedule h1f1b
        predicted 18.1 ms bound 16.5 ms gap 0.088397
        limited_by [<compute of stage 1>] {
      hetero.stage 0 on @fast layers [0 to 3] samples [[4, 4], [3, 2]] in_flight 2
      hetero.stage 1 on @slow layers [4 to 5] samples [[4 x 2], [2, 1, 1, 1]] in_flight 1
    }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name,
                       FlatSymbolRefAttr:$step,
                       StrAttr:$planner,
                       Hetero_ObjectiveAttr:$objective,
                       OptionalAttr<Hetero_PriceAttr>:$budget,
                       OptionalAttr<FlatSymbolRefAttr>:$layer_table,
                       I64Attr:$batch,
                       DenseI64ArrayAttr:$microbatches,
                       OptionalAttr<Hetero_ScheduleKindAttr>:$schedule,
                       Hetero_TimeAttr:$predicted,
                       OptionalAttr<Hetero_TimeAttr>:$bound,
                       OptionalAttr<Hetero_ResourceArrayAttr>:$limited_by);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $sym_name `of` $step `planner` $planner `minimizes` $objective
    (`budget` custom<Quantity>($budget)^)? (`layers` $layer_table^)?
    `batch` $batch `microbatches` custom<Sizes>($microbatches)
    (`schedule` $schedule^)?
    `predicted` custom<Prediction>($predicted, $bound)
    (`limited_by` custom<Resources>($limited_by)^)?
    attr-dict-with-keyword $body
  }];
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    /// The stages in order.
    ::llvm::SmallVector<StageOp, 4> getStages();
  }];
}

def Hetero_StageOp : Hetero_Op<"stage",
    [HasParent<"PlanOp">, NoTerminator, NoRegionArguments,
     DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "a run of layers on a mesh";
  let description = [{
    - `on`: the devices. Stages on the same mesh follow each other without
      running at the same time.
    - `layers`: the runs of layers, each from the first to the last. More than
      one is for interleaved pipelines and layered accumulation; each is a
      *chunk* of the schedule.
    - `samples`: how the samples of a microbatch are divided over the members of
      the named axes (of all axes if none are), one list for each different
      size of microbatch, in order of first appearance.
    - `in_flight`: how many microbatches (times chunks) may be between their
      forward and the end of their backward.
    - `state`: what of parameters, gradients and optimizer state is divided
      between the members instead of held by each: nothing (`replicated`), the
      `optimizer` state, everything (`full`), or everything inside of each
      `node` and replicated between nodes. Exact shares are in `hetero.storage`.
    - `recompute`: only the inputs of the layers are kept, everything else is
      computed again; `offload`: what is kept is parked in the host's memory.
    - `forward`, `backward`, `boundary`, `boundary_gradient`: predicted times
      for the first microbatch: of the stage itself, of handing its output to
      the next stage, and of taking the gradient back (as long, if it is not
      there).
    - `gather`, `reduce`, `update`: predicted times for a step: gathering divided
      parameters, combining gradients, applying the optimizer.

    The body, if there is one, has a `hetero.share` for each device.

    Constraints:
    - (stage_c1) The mesh exists.
    - (stage_c2) There is at least one run of layers; they ascend and do not
      overlap.
    - (stage_c3) The axes of `samples` are different axes of the mesh.
    - (stage_c4) Each list of samples has one number, not negative, for each
      member.
    - (stage_c5) The sums of the lists are the different sizes of microbatches
      of the plan, in order of first appearance.
    - (stage_c6) `in_flight` is at least 1.
    - (stage_c7) The body has only shares.

    ```mlir
    hetero.mesh @grid (data = 2, tensor = 2) = [0, 1, 2, 3]
    func.func private @step(tensor<32x4xf32>)
    hetero.plan @plan of @step planner "hand" minimizes time
        batch 32 microbatches [16, 16] predicted 20 ms {
      hetero.stage 0 on @grid layers [0 to 5] samples (data) [[11, 5]] in_flight 2
          state full recompute forward 3 ms backward 7 ms gather 1 ms
          reduce 2 ms update 500 us {
        hetero.share 0 state 1 GiB memory 9 GiB
        hetero.share 1 state 1 GiB memory 9 GiB
        hetero.share 2 micro 1 state 3 GiB memory 8.5 GiB
        hetero.share 3 micro 1 state 3 GiB memory 8.5 GiB
      }
    }
    ```
  }];
  let arguments = (ins I64Attr:$index,
                       FlatSymbolRefAttr:$mesh,
                       DenseI64ArrayAttr:$first_layers,
                       DenseI64ArrayAttr:$last_layers,
                       StrArrayAttr:$batch_axes,
                       Hetero_SamplesAttr:$samples,
                       I64Attr:$in_flight,
                       OptionalAttr<Hetero_StateModeAttr>:$state,
                       UnitAttr:$recompute,
                       UnitAttr:$offload,
                       OptionalAttr<Hetero_TimeAttr>:$forward,
                       OptionalAttr<Hetero_TimeAttr>:$backward,
                       OptionalAttr<Hetero_TimeAttr>:$boundary,
                       OptionalAttr<Hetero_TimeAttr>:$boundary_gradient,
                       OptionalAttr<Hetero_TimeAttr>:$gather,
                       OptionalAttr<Hetero_TimeAttr>:$reduce,
                       OptionalAttr<Hetero_TimeAttr>:$update);
  let regions = (region MaxSizedRegion<1>:$body);
  let assemblyFormat = [{
    $index `on` $mesh `layers` custom<LayerRuns>($first_layers, $last_layers)
    `samples` custom<Samples>($batch_axes, $samples) `in_flight` $in_flight
    (`state` $state^)? (`recompute` $recompute^)? (`offload` $offload^)?
    (`forward` custom<Quantity>($forward)^)?
    (`backward` custom<Quantity>($backward)^)?
    (`boundary` custom<Quantity>($boundary)^)?
    (`boundary_gradient` custom<Quantity>($boundary_gradient)^)?
    (`gather` custom<Quantity>($gather)^)?
    (`reduce` custom<Quantity>($reduce)^)?
    (`update` custom<Quantity>($update)^)?
    attr-dict-with-keyword `` custom<OptionalBody>($body)
  }];
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    int64_t getNumChunks() { return getFirstLayers().size(); }
  }];
}

def Hetero_ShareOp : Hetero_Op<"share", [HasParent<"StageOp">]> {
  let summary = "what one device of a stage gets";
  let description = [{
    For one device, by rank: the number of samples that it computes at a time
    (`micro`, if it does not take its share of a microbatch at once), how much
    of the state it holds, and the most memory that the plan expects it to use.
    A device may hold state and compute nothing, or the other way round.

    Constraints:
    - (share_c1) The device is in the mesh of the stage and has one share.
    - (share_c2) `micro` is at least 1.
    - (share_c3) State is part of the memory.
    - (share_c4) The memory fits: it does not exceed what the class of the
      device has beside what is reserved.

    ```mlir
    hetero.mesh @all = [0, 1]
    func.func private @step(tensor<32x4xf32>)
    hetero.plan @plan of @step planner "cephalo" minimizes time
        batch 32 microbatches [32] predicted 20 ms {
      hetero.stage 0 on @all layers [0 to 5] samples [[24, 8]] in_flight 1 state full {
        hetero.share 0 micro 4 state 1 GiB memory 9 GiB
        hetero.share 1 micro 2 state 5 GiB memory 14 GiB
      }
    }
    ```
  }];
  let arguments = (ins I64Attr:$device,
                       OptionalAttr<I64Attr>:$micro,
                       Hetero_BytesAttr:$state,
                       Hetero_BytesAttr:$memory);
  let assemblyFormat = [{
    $device (`micro` $micro^)? `state` custom<Quantity>($state)
    `memory` custom<Quantity>($memory) attr-dict
  }];
  let hasVerifier = 1;
}

#endif // HETERO_DIALECT_HETERO_HETEROPLANOPS_TD
