//===- Passes.td - What runs where, and when ---------------*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef HETERO_TRANSFORMS_PLANNING_PASSES_TD
#define HETERO_TRANSFORMS_PLANNING_PASSES_TD

include "mlir/Pass/PassBase.td"

def AttachClusterPass : Pass<"hetero-attach-cluster", "::mlir::ModuleOp"> {
  let summary = "Puts the description of a cluster into the module";
  let description = [{
    Reads a `cluster.yaml` (`hetero/Cluster/Cluster.h` lists its keys) and writes
    it as `hetero.cluster`, without loss: a module with its cluster is all that
    planning needs, and `hetero-translate --cluster` gives the file back. The
    name `builtin` stands for one device of the built-in class `cpu`.

    A cluster that is already there is left alone if it is the same one, and
    else replaced, with a remark. Where a plan was made for it, another one is an
    error.

    ```mlir
    // --hetero-attach-cluster=cluster=pair.yaml
    hetero.cluster @pair {
      hetero.device_class @t4 memory 16 GB peak <f32: 8.1 TFLOP/s> bandwidth 320 GB/s
      hetero.node @n0 [1 x @t4]
      hetero.node @n1 [1 x @t4]
      hetero.link @n0 <-> @n1 by <ethernet, 10 Gb/s, 30 us>
    }
    ```
  }];
  let options = [
    Option<"clusterFile", "cluster", "std::string", "\"\"",
           "The cluster.yaml that is read">
  ];
  let dependentDialects = ["::hetero::HeteroDialect"];
  let statistics = [
    Statistic<"numDevices", "num-devices", "Number of devices that may be used">
  ];
}

def FormLayersPass : Pass<"hetero-form-layers", "::mlir::ModuleOp"> {
  let summary = "Divides a step into the layers that a planner places";
  let description = [{
    Writes `hetero.layer` on every operation that depends on an argument, and a
    `hetero.layer_table` that lists the layers with their cost. The forward is
    cut between the blocks of the model, which are found by their repeated
    structure, large blocks into equal pieces, and where little crosses where
    nothing repeats; backward, recomputation and update follow their forward
    (`hetero/Analysis/Layers.h`). Layers that are equal are `like` the first of
    them. They are named by JAX's name stack where locations have it
    (`h_3/attn`), else by their block (`block 3 of 12`). A step that has a layer
    table is left alone, so layers that were edited by hand stay.

    Each layer and phase that uses a broadcast value gets a copy of the
    broadcast, so that what one gives to the other is the value before it.

    ```mlir
    func.func @step(%w: tensor<4xf32> {hetero.role = #hetero.role<parameter>},
                    %x: tensor<8x4xf32> {hetero.role = #hetero.role<batch>})
        -> tensor<8xf32> {
      // Gets hetero.layer = #hetero.layer<0, forward>.
      %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0]
          : (tensor<8x4xf32>, tensor<4xf32>) -> tensor<8xf32>
      return %0 : tensor<8xf32>
    }
    ```
  }];
  let options = [
    Option<"maxLayers", "max-layers", "int64_t", "0",
           "The largest number of layers, which are then of equal work; 0 for "
           "no limit">
  ];
  let dependentDialects = ["::hetero::HeteroDialect"];
  let statistics = [
    Statistic<"numLayers", "num-layers", "Number of layers">,
    Statistic<"numCopies", "num-copies", "Number of broadcasts copied">
  ];
}

def PlanPass : Pass<"hetero-plan", "::mlir::ModuleOp"> {
  let summary = "Lays a step out on its cluster";
  let description = [{
    Runs a planner (`hetero/Planner/Driver/Planners.h`) on the layers of the step and
    the `hetero.cluster` of the module, and writes what it decides:

    - a `hetero.mesh` for each stage and a `hetero.plan` with stages,
      microbatches, shares, prediction and lower bound. The stage of an
      operation follows from its `hetero.layer`, so moving a layer is an edit of
      one line of the plan;
    - `hetero.storage` with exact rows on state that a stage divides;
    - `hetero.sharding` with exact sizes on parameters that are split along a
      model dimension;
    - of the planners `spmd` and `hap`, a program: `hetero.sharding` on
      operations and state, and `hetero.reshard` where a value changes its form.
      Its stage has all devices on the axis `tensor`, and one microbatch. If
      none fits, or the options ask for what it cannot have, samples are divided.
      `joint` takes such a program where it is faster than all plans of layers
      and there are at most 64 devices.

    Layers are formed first if there are none. A `hetero.placement` that is
    already on an operation pins its layer to that stage, and to the devices of
    its mesh if it names one; it stays, and decides for that operation
    downstream. `sdy.sharding` on arguments says along which dimensions state is
    to be split (`hetero/Analysis/UserConstraints.h`). A module that has a plan is left alone, so a plan that was made
    or edited by hand stays.

    Planners count memory by formulas. A plan that fills a device more than half
    is tried: its program is made, and if that needs more memory than a device
    has, another plan is made for a cluster with so much less of it.

    When nothing fits, the error names the device and what is missing.

    ```mlir
    // --hetero-plan=planner=dp-proportional
    hetero.mesh @stage0 = [0, 1]
    hetero.plan @plan of @step planner "dp-proportional" minimizes time
        layers @layers batch 8 microbatches [8] schedule h1f1b
        predicted 1.2 ms bound 900 us gap 0.25 {
      hetero.stage 0 on @stage0 layers [0] samples [[5, 3]] in_flight 1 state full {
        hetero.share 0 state 24 B memory 600 B
        hetero.share 1 state 72 B memory 700 B
      }
    }
    func.func @step(
        %w: tensor<4x6xf32> {
          hetero.role = #hetero.role<parameter>,
          hetero.storage = #hetero.sharding<@stage0, split 1 : [2, 4]>}, ...
    ```
  }];
  let options = [
    Option<"planner", "planner", "std::string", "\"joint\"",
           "The planner: single, even, dp-proportional, stages, joint, ...">,
    ListOption<"microbatches", "microbatches", "int64_t",
               "The number of microbatches, or the sizes of several">,
    Option<"schedule", "schedule", "std::string", "\"auto\"",
           "The schedule that the plan is for: gpipe, 1f1b, h1f1b, "
           "zero_bubble, interleaved, or auto: the planner chooses">,
    ListOption<"state", "state", "std::string",
               "How stages of several devices may hold their state: "
               "replicated, optimizer, full">,
    Option<"maxStages", "max-stages", "int64_t", "0",
           "The largest number of stages; 0 for no limit">,
    Option<"tensor", "tensor", "int64_t", "0",
           "In how many parts every stage divides its layers along a model "
           "dimension; 0 to let the planner choose">,
    ListOption<"without", "without", "int64_t",
               "Devices, by rank, that must not be used">,
    Option<"effort", "effort", "int64_t", "1",
           "How many times as long joint searches, from 1 to 100">,
    Option<"timeBudget", "time-budget", "std::string", "\"\"",
           "How long a planner may search, as 5s; no limit if empty">
  ];
  let dependentDialects = ["::hetero::HeteroDialect"];
  let statistics = [
    Statistic<"numStages", "num-stages", "Number of stages">,
    Statistic<"numMicrobatches", "num-microbatches", "Number of microbatches">,
    Statistic<"numDivided", "num-divided",
              "Number of tensors of state that are divided">,
    Statistic<"numSplit", "num-split",
              "Number of tensors that are split along a model dimension">
  ];
}

def SchedulePass : Pass<"hetero-schedule", "::mlir::ModuleOp"> {
  let summary = "Writes the order of work of each stage";
  let description = [{
    Turns the `hetero.plan` of the module into a `hetero.schedule`: for each
    stage the list of its instructions. The kinds (`hetero/Simulator/Schedule.h`)
    differ in how many microbatches are in flight: `gpipe` all, `1f1b` as many
    as there are stages to come, `h1f1b` more where the predicted time of a
    boundary would stall it, `zero_bubble` and `interleaved` as their orders
    want. None has more than the plan has room for (`in_flight`), whose times and
    counts may have been edited by hand; the kind that the plan is for takes all
    of that room.

    The lists are what hetero-partition follows, and may be edited as well: a
    module that has a schedule is left alone.

    ```mlir
    // --hetero-schedule=kind=1f1b
    hetero.schedule @order "1f1b" of @plan microbatches 2 {
      hetero.stage_schedule 0 in_flight 2 [
        forward 0, send_activation 0 to 1, forward 1, send_activation 1 to 1,
        recv_gradient 0 from 1, backward 0, recv_gradient 1 from 1, backward 1,
        update
      ]
      hetero.stage_schedule 1 in_flight 1 [
        recv_activation 0 from 0, forward 0, backward 0, send_gradient 0 to 0,
        recv_activation 1 from 0, forward 1, backward 1, send_gradient 1 to 0,
        update
      ]
    }
    ```
  }];
  let options = [
    Option<"kind", "kind", "std::string", "\"auto\"",
           "The kind of schedule: gpipe, 1f1b, h1f1b, zero_bubble, "
           "interleaved, layered, or auto: that of the plan, else h1f1b">
  ];
  let dependentDialects = ["::hetero::HeteroDialect"];
  let statistics = [
    Statistic<"numStages", "num-stages", "Number of stages">,
    Statistic<"numInstructions", "num-instructions", "Number of instructions">
  ];
}

#endif // HETERO_TRANSFORMS_PLANNING_PASSES_TD
