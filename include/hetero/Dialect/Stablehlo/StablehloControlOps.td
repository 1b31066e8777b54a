//===- StablehloControlOps.td - Control flow, calls, tokens, random bits --===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef HETERO_DIALECT_STABLEHLO_STABLEHLOCONTROLOPS_TD
#define HETERO_DIALECT_STABLEHLO_STABLEHLOCONTROLOPS_TD

include "mlir/IR/OpAsmInterface.td"
include "mlir/IR/SymbolInterfaces.td"
include "hetero/Dialect/Stablehlo/StablehloAttrs.td"

//===----------------------------------------------------------------------===//
// Types that only control flow and calls carry
//===----------------------------------------------------------------------===//

/// A mutable buffer, as JAX passes one through loops and custom calls.
def StableHLO_Buffer : MemRefOf<
    [StableHLO_Float, StableHLO_Bool, StableHLO_Int, StableHLO_Complex,
     StableHLO_PerTensorQuantized]>;
def StableHLO_TensorTokenOrBuffer :
    AnyTypeOf<[StableHLO_Tensor, StableHLO_Token, StableHLO_Buffer]>;
def StableHLO_TupleWithBuffers :
    NestedTupleOf<[StableHLO_Tensor, StableHLO_Buffer, StableHLO_Token]>;
def StableHLO_TupleMember :
    AnyTypeOf<[StableHLO_Tensor, StableHLO_Token, StableHLO_TupleWithBuffers,
               StableHLO_Buffer]>;
def StableHLO_CompositeValue :
    AnyTypeOf<[StableHLO_Tensor, StableHLO_Token, StableHLO_TupleWithBuffers]>;

/// A custom call takes and returns anything, even tensors without a rank.
def StableHLO_AnyRankTensor : StableHLO_AnyRankTensorOf<
    [StableHLO_Float, StableHLO_Bool, StableHLO_Int, StableHLO_Complex,
     StableHLO_PerTensorQuantized, StableHLO_PerAxisQuantized]>;
def StableHLO_CustomCallValue : AnyTypeOf<
    [StableHLO_AnyRankTensor, StableHLO_Buffer, StableHLO_Token,
     NestedTupleOf<[StableHLO_AnyRankTensor, StableHLO_Buffer, StableHLO_Token]>,
     StableHLO_Future]>;

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

def StableHLO_ReturnOp : StableHLO_Op<"return", [Pure, Terminator]> {
  let summary = "Ends a region";
  let description = [{
    Hands values to the operation that owns the region. What they mean, and
    which types they must have, is that operation's business.

    ```mlir
    stablehlo.return %a, %b : tensor<2xf32>, tensor<i32>
    ```
  }];
  let arguments = (ins Variadic<StableHLO_TensorTokenOrBuffer>:$results);
  let assemblyFormat = "$results attr-dict (`:` type($results)^)?";
}

def StableHLO_IfOp : StableHLO_Op<"if", [
    RecursiveMemoryEffects, SingleBlockImplicitTerminator<"ReturnOp">,
    StableHLO_InferredTypes]> {
  let summary = "One of two branches";
  let description = [{
    Runs `true_branch` when the predicate holds and `false_branch` otherwise,
    and returns what that branch returns.

    Constraints:
    * (if_c1) the branches take no arguments.
    * (if_c2) the branches return compatible types.
    * (if_c3) the results have the types that the branches return.

    ```mlir
    %r = "stablehlo.if"(%p) ({
      stablehlo.return %a : tensor<i32>
    }, {
      stablehlo.return %b : tensor<i32>
    }) : (tensor<i1>) -> tensor<i32>
    ```
  }];
  let arguments = (ins StableHLO_BoolTensor:$pred);
  let regions = (region SizedRegion<1>:$true_branch,
                        SizedRegion<1>:$false_branch);
  let results = (outs Variadic<StableHLO_TensorOrToken>);
  let hasCanonicalizer = 1;
}

def StableHLO_CaseOp : StableHLO_Op<"case", [
    RecursiveMemoryEffects, SingleBlockImplicitTerminator<"ReturnOp">,
    StableHLO_InferredTypes]> {
  let summary = "One of several branches";
  let description = [{
    Runs the branch that the index names and returns what it returns. An index
    out of range names the last branch.

    Constraints:
    * (case_c1) there is at least one branch.
    * (case_c2) the branches take no arguments.
    * (case_c3) the branches return compatible types.
    * (case_c4) the results have the types that the branches return.

    ```mlir
    %r = "stablehlo.case"(%i) ({
      stablehlo.return %a : tensor<i32>
    }, {
      stablehlo.return %b : tensor<i32>
    }) : (tensor<i32>) -> tensor<i32>
    ```
  }];
  let arguments = (ins RankedTensorOf<[I32]>:$index);
  let regions = (region VariadicRegion<SizedRegion<1>>:$branches);
  let results = (outs Variadic<StableHLO_TensorOrToken>);
  let hasCanonicalizer = 1;
}

def StableHLO_WhileOp : StableHLO_Op<"while", [
    RecursiveMemoryEffects, SingleBlockImplicitTerminator<"ReturnOp">,
    StableHLO_InferredTypes,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmBlockArgumentNames"]>]> {
  let summary = "A loop";
  let description = [{
    Carries values through iterations: while `cond` of them is true, `body`
    makes the next ones. Returns the last. Both regions see values from outside.

    Constraints:
    * (while_c1) `cond` takes the operand types and returns one `tensor<i1>`.
    * (while_c2) `body` takes the operand types and returns them.
    * (while_c3) the results have the operand types.

    ```mlir
    %r:2 = stablehlo.while(%iterArg = %i, %iterArg_0 = %sum) : tensor<i64>, tensor<f32>
    cond {
      %p = stablehlo.compare LT, %iterArg, %n : (tensor<i64>, tensor<i64>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
    } do {
      %j = stablehlo.add %iterArg, %one : tensor<i64>
      %s = stablehlo.add %iterArg_0, %x : tensor<f32>
      stablehlo.return %j, %s : tensor<i64>, tensor<f32>
    }
    ```
  }];
  let arguments = (ins Variadic<StableHLO_TensorTokenOrBuffer>:$operand);
  let regions = (region SizedRegion<1>:$cond, SizedRegion<1>:$body);
  let results = (outs Variadic<StableHLO_TensorTokenOrBuffer>);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
}

def StableHLO_OptimizationBarrierOp
    : StableHLO_Op<"optimization_barrier", [Pure, StableHLO_InferredTypes]> {
  let summary = "Keeps optimisations from looking through";
  let description = [{
    Returns its operands. What computes them is done before anything that uses
    the results, and no transformation moves or merges across.

    Constraints:
    * (optimization_barrier_c1) each result has the type of its operand.

    ```mlir
    %r:2 = stablehlo.optimization_barrier %a, %b : tensor<2xf32>, tensor<i32>
    ```
  }];
  let arguments = (ins Variadic<
      AnyTypeOf<[StableHLO_TensorPerTensor, StableHLO_Token]>>:$operand);
  let results = (outs Variadic<
      AnyTypeOf<[StableHLO_TensorPerTensor, StableHLO_Token]>>:$result);
  let assemblyFormat = [{
    attr-dict ($operand^ `:` custom<PairwiseOpType>(type($operand), type($result))):(`(` `)`)?
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

def StableHLO_CustomCallOp : StableHLO_Op<"custom_call",
    [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "A call to code outside the program";
  let description = [{
    Calls `call_target_name`, which the target must know. `api_version` says
    how: with version 4 `backend_config` is a dictionary, otherwise a string.
    Without `has_side_effect` the call may be removed or merged with an equal
    one. Layouts list dimensions from minor to major; the layouts of a single
    tuple result are those of its members. `output_operand_aliases` name
    operands that share memory with results.

    Constraints:
    * (custom_call_c1) `backend_config` is a dictionary with `api_version` 4 and
      a string otherwise.
    * (custom_call_c2) `operand_layouts` and `result_layouts` come together.
    * (custom_call_c3) there is a layout for each operand and for each result.
    * (custom_call_c4) a layout is a permutation of its tensor's dimensions, and
      empty for values that are not tensors; tuples have none.
    * (custom_call_c5) `operand_index` of an alias names an operand.
    * (custom_call_c6) the tuple indices of an alias name members; several
      results count as one tuple.
    * (custom_call_c7) the two sides of an alias have the same type.
    * (custom_call_c8) a result that is a buffer is the alias of an operand,
      unless the target makes it: `CreateBuffer` makes one of nothing, `Pin` one
      of a tensor, and `Unpin` a tensor of one.

    ```mlir
    %r = stablehlo.custom_call @lapack_sgeqrf(%a) {
      api_version = 4 : i32, backend_config = {lda = 4 : i64}
    } : (tensor<4x4xf32>) -> tensor<4x4xf32>
    ```
  }];
  let arguments = (ins Variadic<StableHLO_CustomCallValue>:$inputs,
      StrAttr:$call_target_name,
      DefaultValuedOptionalAttr<BoolAttr, "false">:$has_side_effect,
      OptionalAttr<AnyAttrOf<[StrAttr, DictionaryAttr]>>:$backend_config,
      DefaultValuedOptionalAttr<StableHLO_CustomCallApiVersionAttr,
          "::mlir::stablehlo::CustomCallApiVersion::API_VERSION_ORIGINAL">:$api_version,
      DefaultValuedOptionalAttr<TypedArrayAttrBase<FlatSymbolRefAttr,
          "flat symbol ref array attribute">, "{}">:$called_computations,
      OptionalAttr<StableHLO_ArrayOfLayoutAttr>:$operand_layouts,
      OptionalAttr<StableHLO_ArrayOfLayoutAttr>:$result_layouts,
      DefaultValuedOptionalAttr<TypedArrayAttrBase<StableHLO_OutputOperandAlias,
          "array of output_operand_alias attributes">, "{}">:$output_operand_aliases);
  let results = (outs Variadic<StableHLO_CustomCallValue>);
  let assemblyFormat = [{
    custom<CustomCallTarget>($call_target_name) `(` $inputs `)`
      attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def StableHLO_CompositeOp : StableHLO_Op<"composite",
    [DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "A named operation with its definition";
  let description = [{
    Stands for a call of the function `decomposition`. A target that knows
    `name` and `version` may put its own implementation in place;
    `composite_attributes` are the operation's parameters and
    `composite_regions` the computations that it applies.

    Constraints:
    * (composite_c1) `name` is a dialect and an operation name joined by a dot.
    * (composite_c2) `decomposition` names a function of the module.
    * (composite_c3) the operands have the function's argument types.
    * (composite_c4) the results have the function's result types.

    ```mlir
    %r = stablehlo.composite "my.op" %a, %b {
      composite_attributes = {scale = 2 : i32}, decomposition = @impl
    } : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    ```
  }];
  let arguments = (ins Variadic<StableHLO_CompositeValue>:$inputs,
      StrAttr:$name,
      DefaultValuedOptionalAttr<DictionaryAttr, "{}">:$composite_attributes,
      FlatSymbolRefAttr:$decomposition,
      DefaultValuedOptionalAttr<I32Attr, "0">:$version);
  let regions = (region VariadicRegion<AnyRegion>:$composite_regions);
  let results = (outs Variadic<StableHLO_CompositeValue>);
  let assemblyFormat = [{
    $name $inputs `` custom<CompositeRegions>($composite_regions)
      attr-dict `:` functional-type(operands, results)
  }];
}

//===----------------------------------------------------------------------===//
// Tuples
//===----------------------------------------------------------------------===//

def StableHLO_TupleOp : StableHLO_Op<"tuple",
    [Pure, DeclareOpInterfaceMethods<InferTypeOpInterface>]> {
  let summary = "A tuple of values";
  let description = [{
    Packs values into one.

    Constraints:
    * (tuple_c1) the result is a tuple of the operand types.

    ```mlir
    %r = stablehlo.tuple %a, %b : tuple<tensor<2xf32>, tensor<i32>>
    ```
  }];
  let arguments = (ins Variadic<StableHLO_TupleMember>:$val);
  let results = (outs StableHLO_TupleWithBuffers:$result);
  let assemblyFormat = [{
    $val attr-dict `:` custom<TupleOpType>(type($val), type($result))
  }];
}

def StableHLO_GetTupleElementOp : StableHLO_Op<"get_tuple_element",
    [Pure, StableHLO_InferredTypes]> {
  let summary = "One member of a tuple";
  let description = [{
    Extracts the member at `index`.

    Constraints:
    * (get_tuple_element_c1) `index` is at least 0 and less than the number of
      members.
    * (get_tuple_element_c2) the result has the type of that member.

    ```mlir
    %r = stablehlo.get_tuple_element %t[1] : (tuple<tensor<2xf32>, tensor<i32>>) -> tensor<i32>
    ```
  }];
  let arguments = (ins StableHLO_TupleWithBuffers:$operand,
                       ConfinedAttr<I32Attr, [IntNonNegative]>:$index);
  let results = (outs StableHLO_TupleMember);
  let assemblyFormat = [{
    $operand `[` $index `]` attr-dict `:` functional-type(operands, results)
  }];
  let hasFolder = 1;
}

//===----------------------------------------------------------------------===//
// Tokens
//===----------------------------------------------------------------------===//

def StableHLO_CreateTokenOp : StableHLO_TokenOp<"create_token", [Pure]> {
  let summary = "A token to start from";
  let description = [{
    The older spelling of `after_all` without operands.

    ```mlir
    %t = stablehlo.create_token : !stablehlo.token
    ```
  }];
  let results = (outs StableHLO_Token:$output);
  let assemblyFormat = "attr-dict `:` type(results)";
}

def StableHLO_AfterAllOp : StableHLO_TokenOp<"after_all", [Pure]> {
  let summary = "Joins tokens";
  let description = [{
    A token that stands after all of its operands.

    ```mlir
    %t = stablehlo.after_all %a, %b : !stablehlo.token
    ```
  }];
  let arguments = (ins Variadic<StableHLO_Token>:$inputs);
  let results = (outs StableHLO_Token:$result);
  let assemblyFormat = [{
    $inputs attr-dict `:` custom<VariadicSameOperandsAndResultType>(
      ref($inputs), type($inputs), type($result))
  }];
}

def StableHLO_InfeedOp : StableHLO_Op<"infeed"> {
  let summary = "Values from the host";
  let description = [{
    Reads the results, except for the last, from the infeed. `infeed_config` is
    meant for the target; `layout` lists dimensions of each value from minor to
    major.

    Constraints:
    * (infeed_c1) there is at least one result.
    * (infeed_c2) all results except for the last are tensors.
    * (infeed_c3) the last result is a token.
    * (infeed_c4) `layout` has one list of integers for each tensor.

    ```mlir
    %r:2 = "stablehlo.infeed"(%t) <{infeed_config = "", layout = [[0, 1]]}>
      : (!stablehlo.token) -> (tensor<2x3xf32>, !stablehlo.token)
    ```
  }];
  let arguments = (ins StableHLO_Token:$token,
      DefaultValuedStrAttr<StrAttr, "">:$infeed_config,
      OptionalAttr<ArrayAttr>:$layout);
  let results = (outs Variadic<
      AnyTypeOf<[StableHLO_StaticTensor, StableHLO_Token]>>);
  let hasVerifier = 1;
}

def StableHLO_OutfeedOp : StableHLO_TokenOp<"outfeed"> {
  let summary = "Values to the host";
  let description = [{
    Writes its inputs to the outfeed. `outfeed_config` is meant for the target.

    ```mlir
    %r = "stablehlo.outfeed"(%a, %t) <{outfeed_config = ""}>
      : (tensor<2x3xf32>, !stablehlo.token) -> !stablehlo.token
    ```
  }];
  let arguments = (ins Variadic<StableHLO_Tensor>:$inputs,
      StableHLO_Token:$token,
      DefaultValuedStrAttr<StrAttr, "">:$outfeed_config);
  let results = (outs StableHLO_Token);
}

//===----------------------------------------------------------------------===//
// Random numbers
//===----------------------------------------------------------------------===//

def StableHLO_RngOp : StableHLO_Op<"rng", [
    StableHLO_InferredTypes, AllElementTypesMatch<["a", "b", "result"]>]> {
  let summary = "Random numbers from a distribution";
  let description = [{
    Numbers from the interval [a, b) with the distribution UNIFORM, or with mean
    a and standard deviation b with NORMAL. Each call gives others, so calls are
    never merged.

    Constraints:
    * (rng_c1) `a`, `b` and the result have the same element type.
    * (rng_c2) NORMAL needs floating-point numbers.
    * (rng_c3) the result has the shape that `shape` holds.

    ```mlir
    %r = stablehlo.rng %a, %b, %shape, distribution = NORMAL : (tensor<f32>, tensor<f32>, tensor<2xi64>) -> tensor<2x3xf32>
    ```
  }];
  let arguments = (ins
      StableHLO_ScalarTensorOf<[StableHLO_Bool, StableHLO_Int, StableHLO_Float]>:$a,
      StableHLO_ScalarTensorOf<[StableHLO_Bool, StableHLO_Int, StableHLO_Float]>:$b,
      ConfinedType<StableHLO_DimensionTensor,
          [HasStaticShapePred],
          "statically shaped 1-dimensional tensor of index or 2/4/8/16/32/64-bit integer values",
          "::mlir::RankedTensorType">:$shape,
      StableHLO_RngDistributionAttr:$rng_distribution);
  let results = (outs
      StableHLO_TensorOf<[StableHLO_Bool, StableHLO_Int, StableHLO_Float]>:$result);
  let assemblyFormat = [{
    $a `,` $b `,` $shape `,` `distribution` `=`
      custom<EnumKeyword>($rng_distribution) attr-dict
      `:` functional-type(operands, results)
  }];
}

def StableHLO_RngBitGeneratorOp : StableHLO_Op<"rng_bit_generator", [Pure]> {
  let summary = "Random bits and the next state";
  let description = [{
    Fills `output` with bits that the generator makes from `initial_state`, and
    returns the state to go on from. The same state gives the same bits.

    Constraints:
    * (rng_bit_generator_c1) `initial_state` and `output_state` have compatible
      shapes.

    ```mlir
    %s, %r = stablehlo.rng_bit_generator %state, algorithm = PHILOX : (tensor<2xui64>) -> (tensor<2xui64>, tensor<2x3xui32>)
    ```
  }];
  let arguments = (ins StableHLO_RngAlgorithmAttr:$rng_algorithm,
      StableHLO_TensorOf<[StableHLO_Int, StableHLO_Float]>:$initial_state);
  let results = (outs
      StableHLO_TensorOf<[StableHLO_Int, StableHLO_Float]>:$output_state,
      StaticShapeTensorOf<[StableHLO_Int, StableHLO_Float]>:$output);
  let assemblyFormat = [{
    $initial_state `,` `algorithm` `=` custom<EnumKeyword>($rng_algorithm)
      attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

#endif // HETERO_DIALECT_STABLEHLO_STABLEHLOCONTROLOPS_TD
