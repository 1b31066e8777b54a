//===- Passes.td - From what JAX emits to one function -----*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef HETERO_TRANSFORMS_IMPORT_PASSES_TD
#define HETERO_TRANSFORMS_IMPORT_PASSES_TD

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

#endif // HETERO_TRANSFORMS_IMPORT_PASSES_TD
