//===- Passes.td - Passes over steps -----------------------*- tablegen -*-===//
//
// Part of the hetero project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HETERO_TRANSFORMS_PASSES_TD
#define HETERO_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def AnnotateFormsPass : Pass<"hetero-annotate-forms", "::mlir::ModuleOp"> {
  let summary = "Shows how the batch runs through a step";
  let description = [{
    Writes `hetero.forms` on every operation, argument and result of the step:
    whether the value is replicated, split or partial when the samples of the
    batch are shared out among members (microbatches, devices or both), and the
    level at which it can be computed. `hetero/Analysis/Forms.h` states the
    algebra. Values that have to be made whole are reported as remarks: they are
    what ties samples together, and where the gradients end and the update
    starts. Nothing else of the step changes, and no later pass reads the
    attributes.

    ```mlir
    func.func @step(%w: tensor<4xf32> {hetero.role = #hetero.role<parameter>},
                    %x: tensor<8x4xf32> {hetero.role = #hetero.role<batch>})
        -> tensor<8xf32> {
      // Gets hetero.forms = [#hetero.forms<batch = split 0>].
      %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0]
          : (tensor<8x4xf32>, tensor<4xf32>) -> tensor<8xf32>
      return %0 : tensor<8xf32>
    }
    ```
  }];
  let options = [
    Option<"remarks", "remarks", "bool", "true",
           "Report values that have to be made whole">
  ];
  let statistics = [
    Statistic<"numSplit", "num-split", "Number of values that are split">,
    Statistic<"numPartial", "num-partial", "Number of values that are partial">,
    Statistic<"numCompleted", "num-completed",
              "Number of values that are made whole">
  ];
}

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

def CheckTypesPass : Pass<"hetero-check-types", "::mlir::ModuleOp"> {
  let summary = "Rejects what cannot be planned: dynamic, quantized, sparse, too large";
  let description = [{
    A plan says how many rows of each tensor a device gets, so every size has to
    be known, and every element type has to be one that a step can be computed
    in. Tensors with an encoding (sparse ones) and shapes whose elements 64 bits
    cannot count are outside, too. This pass reports the first operation of each kind that is outside of
    that, with its location; the dialect itself accepts all of them. It is
    separate from the rest of the import so that the message comes before
    anything has been rewritten.

    ```mlir
    func.func @main(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {
      // error: 'stablehlo.add' op has a dynamic shape, 'tensor<?x4xf32>', and
      // a plan needs static ones
      %0 = stablehlo.add %x, %x : tensor<?x4xf32>
      return %0 : tensor<?x4xf32>
    }
    ```
  }];
  let statistics = [
    Statistic<"numOps", "num-ops", "Number of operations that were checked">
  ];
}

def InlineCallsPass : Pass<"hetero-inline-calls", "::mlir::ModuleOp"> {
  let summary = "Makes the step one function";
  let description = [{
    JAX emits a private function for every jitted helper, and composites with a
    decomposition. Layers, roles and forms are properties of the whole step, so
    all calls and composites below the entry point (`@main`, or the only public
    function) are replaced by the bodies they name, and functions that nothing
    uses any more are removed. Locations become call sites, which keeps the
    names of the scopes that a helper was called from.

    Recursion is an error that shows the cycle; so is a program that would grow
    beyond `max-ops` operations.

    ```mlir
    func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
      %0 = call @double(%x) : (tensor<4xf32>) -> tensor<4xf32>
      return %0 : tensor<4xf32>
    }
    func.func private @double(%x: tensor<4xf32>) -> tensor<4xf32> {
      %0 = stablehlo.add %x, %x : tensor<4xf32>
      return %0 : tensor<4xf32>
    }
    // becomes
    func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
      %0 = stablehlo.add %x, %x : tensor<4xf32>
      return %0 : tensor<4xf32>
    }
    ```
  }];
  let options = [
    Option<"maxOps", "max-ops", "uint64_t", "10000000",
           "Largest number of operations that the step may grow to">
  ];
  let statistics = [
    Statistic<"numCalls", "num-calls", "Number of calls that were inlined">,
    Statistic<"numFunctions", "num-functions",
              "Number of functions that were removed">
  ];
}

def InferRolesPass : Pass<"hetero-infer-roles", "::mlir::func::FuncOp"> {
  let summary = "Says what each argument and result is to training";
  let description = [{
    Puts `hetero.role` on the arguments and results of a step: parameter,
    optimizer state, model state, batch, rng, hyper-parameter; loss, metric,
    gradient, updated state. How they are found is told in
    hetero/Analysis/Roles.h. A role that is already there, or that the option
    `roles` gives, is kept, and the others are inferred around it. A function
    that updates no state or has no loss is not a step and is left alone,
    with a warning.

    ```mlir
    // --hetero-infer-roles
    func.func @main(%w: tensor<4xf32> {tf.aliasing_output = 0 : i32},
                    %x: tensor<4xf32>) -> (tensor<4xf32>, tensor<f32>)
    // becomes
    func.func @main(
        %w: tensor<4xf32> {hetero.role = #hetero.role<parameter>, tf.aliasing_output = 0 : i32},
        %x: tensor<4xf32> {hetero.role = #hetero.role<batch>})
        -> (tensor<4xf32> {hetero.role = #hetero.role<updated_state of 0>},
            tensor<f32> {hetero.role = #hetero.role<loss>})
    ```
  }];
  let dependentDialects = ["::hetero::HeteroDialect"];
  let options = [
    ListOption<"roles", "roles", "std::string",
               "Roles that are given: arg3=batch, result0=loss, "
               "result1=updated_state:2 (separated by commas)">
  ];
  let statistics = [
    Statistic<"numParameters", "num-parameters", "Number of parameters">,
    Statistic<"numOptimizerStates", "num-optimizer-states",
              "Number of tensors of optimizer state">
  ];
}

def SelectBranchesPass
    : Pass<"hetero-select-branches", "::mlir::func::FuncOp"> {
  let summary = "Makes selections of small branches in a step";
  let description = [{
    A branch around the update of all parameters (`jax.lax.cond`, to skip a step
    or to accumulate) is one operation on the values of all layers, which would
    have to come together on one device. Where the branches have nothing in them
    that costs more than passes over memory (no products, loops or factorizations),
    they are all computed, and each result is selected for itself. Functions
    without roles (`hetero-infer-roles`) keep their branches.

    ```mlir
    %r:2 = "stablehlo.if"(%ok) ({
      %a = stablehlo.subtract %w0, %g0 : tensor<4xf32>
      %b = stablehlo.subtract %w1, %g1 : tensor<8xf32>
      stablehlo.return %a, %b : tensor<4xf32>, tensor<8xf32>
    }, {
      stablehlo.return %w0, %w1 : tensor<4xf32>, tensor<8xf32>
    }) : (tensor<i1>) -> (tensor<4xf32>, tensor<8xf32>)
    // becomes
    %a = stablehlo.subtract %w0, %g0 : tensor<4xf32>
    %b = stablehlo.subtract %w1, %g1 : tensor<8xf32>
    %r0 = stablehlo.select %ok, %a, %w0 : tensor<i1>, tensor<4xf32>
    %r1 = stablehlo.select %ok, %b, %w1 : tensor<i1>, tensor<8xf32>
    ```
  }];
  let dependentDialects = ["::mlir::stablehlo::StablehloDialect"];
  let statistics = [
    Statistic<"numSelected", "num-selected", "Number of branches that are gone">
  ];
}

def SplitBarriersPass : Pass<"hetero-split-barriers", "::mlir::func::FuncOp"> {
  let summary = "Keeps what samples do not change by itself in barriers";
  let description = [{
    Where JAX recomputes (`jax.checkpoint`), one `optimization_barrier` holds
    parameters, keys, activations and the gradient that comes back, so all of
    them would seem to wait for that gradient, for each microbatch anew. What
    does not depend on the batch (`hetero.role`) gets a barrier of its own: it is
    still not merged with what the forward made of it, but it and what follows
    from it alone are the same for all microbatches.

    ```mlir
    %0:3 = stablehlo.optimization_barrier %w, %h, %dy : tensor<4x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>
    // becomes
    %0 = stablehlo.optimization_barrier %w : tensor<4x4xf32>
    %1:2 = stablehlo.optimization_barrier %h, %dy : tensor<8x4xf32>, tensor<8x4xf32>
    ```
  }];
  let dependentDialects = ["::mlir::stablehlo::StablehloDialect"];
  let statistics = [
    Statistic<"numSplit", "num-split", "Number of barriers that became two">
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
    to be split (`hetero/Analysis/UserShardings.h`). A module that has a plan is left alone, so a plan that was made
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
    Option<"plannerName", "planner", "std::string", "\"joint\"",
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
               "Devices, by rank, that must not be used">
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

def UnrollLayersPass : Pass<"hetero-unroll-layers", "::mlir::func::FuncOp"> {
  let summary = "Unrolls loops over stacked layers";
  let description = [{
    `lax.scan` over layers arrives as a `while` with a constant trip count whose
    body slices layer i out of stacked parameters. Iterations can only go to
    different stages when they are different operations, so such loops are
    unrolled, and the slices and stacks become static. A loop counts as one over
    layers when it slices a value of the same length as its trip count along the
    first dimension, at its counter, and that value is a parameter (possibly
    converted or transposed) or was stacked by another loop over layers. Loops
    over time steps, which slice data, are left alone. Needs `hetero.role`, see
    `hetero-infer-roles`; `all` unrolls every loop with a constant trip count.

    ```mlir
    // %w: tensor<2x4x4xf32>, a parameter
    %r:2 = stablehlo.while(%i = %c0, %h = %x) : tensor<i32>, tensor<4xf32>
    cond { %p = stablehlo.compare LT, %i, %c2 : ... }
    do { %wi = stablehlo.dynamic_slice %w, %i, %c0, %c0, sizes = [1, 4, 4] ... }
    // becomes
    %w0 = stablehlo.slice %w [0:1, 0:4, 0:4]
    ...
    %w1 = stablehlo.slice %w [1:2, 0:4, 0:4]
    ```
  }];
  let options = [
    Option<"all", "all", "bool", "false",
           "Unroll every loop with a constant trip count">,
    Option<"maxTripCount", "max-trip-count", "int64_t", "4096",
           "Leave longer loops alone">
  ];
  let statistics = [
    Statistic<"numLoops", "num-loops", "Number of loops that were unrolled">,
    Statistic<"numIterations", "num-iterations",
              "Number of iterations that they had">
  ];
}

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

def ExpandChloPass : Pass<"hetero-expand-chlo"> {
  let summary = "Rewrites CHLO to StableHLO";
  let description = [{
    JAX leaves special functions, broadcasting operations, `top_k`, `ragged_dot`
    and `scan` in its programs as `chlo` operations. Everything after the import
    knows StableHLO only, so each of them is composed from it here:

    * Special functions become polynomials, fractions and elementary functions
      whose error stays within a few units in the last place, in f32 and f64;
      smaller types are computed in f32. Zeros keep their signs, and poles,
      infinities, NaN and denormal numbers give what they give in JAX.
    * `broadcast_*` become `broadcast_in_dim` and the operation itself.
    * `top_k` is a stable sort in IEEE's total order, and a slice.
    * `ragged_dot` is one `dot_general` over all groups with a mask. It costs as
      much as multiplying every row with every group; in the mode with a ragged
      contracting dimension a NaN in one group reaches the others.
    * `scan` is a `while`.

    Attributes on an operation with one result go to the operation that computes
    its value. What cannot be expanded (dynamic shapes in other than
    element-wise operations, quantized types) is reported.

    ```mlir
    %r = chlo.asin %x : tensor<4xf32> -> tensor<4xf32>
    // becomes
    %one = stablehlo.constant dense<1.0> : tensor<4xf32>
    %0 = stablehlo.subtract %one, %x : tensor<4xf32>
    %1 = stablehlo.add %one, %x : tensor<4xf32>
    %2 = stablehlo.multiply %0, %1 : tensor<4xf32>
    %3 = stablehlo.sqrt %2 : tensor<4xf32>
    %r = stablehlo.atan2 %x, %3 : tensor<4xf32>
    ```
  }];
  let dependentDialects = ["::mlir::stablehlo::StablehloDialect"];
  let statistics = [
    Statistic<"numExpanded", "num-expanded",
              "Number of operations that were expanded">
  ];
}

def ExternalizeConstantsPass
    : Pass<"hetero-externalize-constants", "::mlir::func::FuncOp"> {
  let summary = "Turns constants into splats or resources";
  let description = [{
    A constant whose elements are all equal becomes a splat, however it was
    written. Any other with more than `max-elements` elements becomes a resource
    that is stored once, beside the module, so that what a person reads and what
    passes copy stays small.

    ```mlir
    %c = stablehlo.constant dense<"0x..."> : tensor<50000xf32>
    // becomes
    %c = stablehlo.constant dense_resource<constant_0> : tensor<50000xf32>
    ```
  }];
  let options = [
    Option<"maxElements", "max-elements", "int64_t", "256",
           "Largest constant that stays in the text">
  ];
  let statistics = [
    Statistic<"numSplats", "num-splats", "Number of constants made splats">,
    Statistic<"numResources", "num-resources",
              "Number of constants made resources">
  ];
}

#endif // HETERO_TRANSFORMS_PASSES_TD
