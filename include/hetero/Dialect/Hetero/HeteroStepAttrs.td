//===- HeteroStepAttrs.td - Attributes of a step -----------*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a value or an operation is to the training step, before any plan.

#ifndef HETERO_DIALECT_HETERO_HETEROSTEPATTRS_TD
#define HETERO_DIALECT_HETERO_HETEROSTEPATTRS_TD

include "hetero/Dialect/Hetero/HeteroEnums.td"

def Hetero_RoleAttr : Hetero_Attr<"Role", "role"> {
  let summary = "what an argument or a result of a step is to training";
  let description = [{
    Attached as `hetero.role` to the arguments and results of the function that
    is a training step. Planners need it: parameters and optimizer state stay
    on the devices from step to step and may be stored in other shares than
    they are computed with, a batch is cut into microbatches, an rng key must
    give the same numbers however the step is cut.

    Of arguments:
    - `parameter`: trained, its gradient is taken;
    - `optimizer_state`: moments, step counters, whatever the optimizer keeps;
    - `model_state`: belongs to the model but has no gradient: batch
      statistics, masks, frozen parameters;
    - `batch`: data of this step, with the samples along one dimension;
    - `rng`: key or state of a random number generator;
    - `hyper_parameter`: a number that is chosen outside, as a learning rate.

    Of results:
    - `loss`: what the gradient is taken of;
    - `metric`: reported, used by nothing;
    - `gradient`, or `gradient of N` of argument N;
    - `updated_state of N`: becomes argument N of the next step.

    Constraints:
    - (role_c1) `updated_state` names its argument.
    - (role_c2) Only `updated_state` and `gradient` name an argument.
    - (role_c3) An argument has one of the argument roles.
    - (role_c4) A result has one of the result roles.
    - (role_c5) The named argument exists.
    - (role_c6) `updated_state of N` has the type of argument N.
    - (role_c7) At most one result is `updated_state of N`.
    - (role_c8) `hetero.role` is on an argument or a result of a function, not
      on an operation.

    ```mlir
    func.func @sgd(
        %w: tensor<4x2xf32> {hetero.role = #hetero.role<parameter>},
        %x: tensor<8x4xf32> {hetero.role = #hetero.role<batch>})
        -> (tensor<f32> {hetero.role = #hetero.role<loss>},
            tensor<4x2xf32> {hetero.role = #hetero.role<updated_state of 0>}) {
      %loss = arith.constant dense<0.0> : tensor<f32>
      return %loss, %w : tensor<f32>, tensor<4x2xf32>
    }
    ```
  }];
  let parameters = (ins "RoleKind":$kind, "std::optional<int64_t>":$argument);
  let builders = [
    AttrBuilder<(ins "RoleKind":$kind), [{
      return $_get($_ctxt, kind, std::nullopt);
    }]>,
    AttrBuilder<(ins "RoleKind":$kind, "int64_t":$argument), [{
      return $_get($_ctxt, kind, std::optional<int64_t>(argument));
    }]>
  ];
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// Whether this is a role of arguments; otherwise it is one of results.
    bool isArgumentRole() const;
    /// Whether the value is kept on the devices from step to step: parameter,
    /// optimizer state, model state or rng.
    bool isState() const;
  }];
}

def Hetero_LayerAttr : Hetero_Attr<"Layer", "layer"> {
  let summary = "the layer and the phase that an operation belongs to";
  let description = [{
    Attached as `hetero.layer` to operations. Layers are what a planner places:
    backward, recomputation and update of a layer go where its forward goes.
    `hetero.layer_table` lists them.

    Constraints:
    - (layer_attr_c1) The layer number is not negative.

    ```mlir
    func.func @block(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
      %y = arith.negf %x {hetero.layer = #hetero.layer<3, forward>}
          : tensor<8x4xf32>
      return %y : tensor<8x4xf32>
    }
    ```
  }];
  let parameters = (ins "int64_t":$layer, "Phase":$phase);
  let assemblyFormat = "`<` $layer `,` $phase `>`";
  let genVerifyDecl = 1;
}

#endif // HETERO_DIALECT_HETERO_HETEROSTEPATTRS_TD
