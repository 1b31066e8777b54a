//===- ChloOps.td - Operations of CHLO ---------------------*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef HETERO_DIALECT_CHLO_CHLOOPS_TD
#define HETERO_DIALECT_CHLO_CHLOOPS_TD

include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/OpAsmInterface.td"
include "hetero/Dialect/Chlo/ChloAttrs.td"

//===----------------------------------------------------------------------===//
// Functions of one operand
//===----------------------------------------------------------------------===//

/// `result[i] = meaning(operand[i])`, operand and result of compatible types.
class CHLO_UnaryOp<string mnemonic, Type type, string meaning,
                   string element = "f32">
    : CHLO_Op<mnemonic, [
        Pure, Elementwise, SameOperandsAndResultShape,
        StableHLO_CompatibleOperandsAndResultType]> {
  let summary = meaning;
  let description = [{
    Computes, element by element: }] # meaning # [{.

    Constraints:
    * (}] # mnemonic # [{_c1) operand and result have compatible types.

    ```mlir
    %r = chlo.}] # mnemonic # " %x : tensor<2x3x" # element # "> -> tensor<2x3x"
         # element # [{>
    ```
  }];
  let arguments = (ins type:$operand);
  let results = (outs type:$result);
  let assemblyFormat = [{
    $operand attr-dict `:` type($operand) `->` type($result)
  }];
}

def CHLO_AcosOp : CHLO_UnaryOp<"acos", CHLO_FloatOrComplexTensor,
    "inverse cosine, NaN for real numbers outside of [-1, 1]">;
def CHLO_AcoshOp : CHLO_UnaryOp<"acosh", CHLO_FloatOrComplexTensor,
    "inverse hyperbolic cosine, NaN for real numbers below 1">;
def CHLO_AsinAcosKernelOp : CHLO_UnaryOp<"_asin_acos_kernel",
    CHLO_ComplexTensor,
    "what the complex asin and acos share, Re(sqrt(1 - z^2)) + i |Im(asin(z))|; "
    "asin(z) is atan2(Re z, Re w) + i sign(Im z) Im w for that number w",
    "complex<f32>">;
def CHLO_AsinOp : CHLO_UnaryOp<"asin", CHLO_FloatOrComplexTensor,
    "inverse sine, NaN for real numbers outside of [-1, 1]">;
def CHLO_AsinhOp : CHLO_UnaryOp<"asinh", CHLO_FloatOrComplexTensor,
    "inverse hyperbolic sine">;
def CHLO_AtanOp : CHLO_UnaryOp<"atan", CHLO_FloatOrComplexTensor,
    "inverse tangent">;
def CHLO_AtanhOp : CHLO_UnaryOp<"atanh", CHLO_FloatOrComplexTensor,
    "inverse hyperbolic tangent, NaN for real numbers outside of [-1, 1]">;
def CHLO_BesselI1eOp : CHLO_UnaryOp<"bessel_i1e", CHLO_FloatOrComplexTensor,
    "exp(-|x|) times the modified Bessel function of the first kind and "
    "order 1">;
def CHLO_ConjOp : CHLO_UnaryOp<"conj", CHLO_FloatOrComplexTensor,
    "complex conjugate", "complex<f32>">;
def CHLO_CoshOp : CHLO_UnaryOp<"cosh", CHLO_FloatOrComplexTensor,
    "hyperbolic cosine">;
def CHLO_DigammaOp : CHLO_UnaryOp<"digamma", CHLO_FloatTensor,
    "logarithmic derivative of the gamma function, NaN at its poles">;
def CHLO_ErfOp : CHLO_UnaryOp<"erf", CHLO_FloatTensor, "error function">;
def CHLO_ErfInvOp : CHLO_UnaryOp<"erf_inv", CHLO_FloatTensor,
    "inverse of the error function, NaN outside of [-1, 1]">;
def CHLO_ErfcOp : CHLO_UnaryOp<"erfc", CHLO_FloatTensor,
    "complement of the error function, 1 - erf(x), without cancellation">;
def CHLO_LgammaOp : CHLO_UnaryOp<"lgamma", CHLO_FloatTensor,
    "logarithm of the absolute value of the gamma function">;
def CHLO_SinhOp : CHLO_UnaryOp<"sinh", CHLO_FloatOrComplexTensor,
    "hyperbolic sine">;
def CHLO_SquareOp : CHLO_UnaryOp<"square", CHLO_FloatOrComplexTensor,
    "square">;
def CHLO_TanOp : CHLO_UnaryOp<"tan", CHLO_FloatOrComplexTensor, "tangent">;

/// A test of each element.
class CHLO_PredicateOp<string mnemonic, string meaning>
    : CHLO_Op<mnemonic, [Pure, Elementwise, SameOperandsAndResultShape,
                         StableHLO_InferredTypes]> {
  let summary = meaning;
  let description = [{
    True for each element that is }] # meaning # [{.

    Constraints:
    * (}] # mnemonic # [{_c1) the shapes of operand and result agree.

    ```mlir
    %r = chlo.}] # mnemonic # [{ %x : tensor<2x3xf32> -> tensor<2x3xi1>
    ```
  }];
  let arguments = (ins CHLO_FloatTensor:$operand);
  let results = (outs CHLO_BoolTensor:$result);
  let assemblyFormat = [{
    $operand attr-dict `:` type($operand) `->` type($result)
  }];
  let extraClassDefinition = [{
    ::llvm::LogicalResult $cppClass::inferReturnTypes(
        ::mlir::MLIRContext *context, std::optional<::mlir::Location>,
        Adaptor adaptor, ::llvm::SmallVectorImpl<::mlir::Type> &inferred) {
      inferred.push_back(withElementType(adaptor.getOperand(),
                                         ::mlir::IntegerType::get(context, 1)));
      return ::mlir::success();
    }
  }];
}
def CHLO_IsInfOp : CHLO_PredicateOp<"is_inf", "infinite">;
def CHLO_IsNegInfOp : CHLO_PredicateOp<"is_neg_inf", "minus infinity">;
def CHLO_IsPosInfOp : CHLO_PredicateOp<"is_pos_inf", "plus infinity">;

//===----------------------------------------------------------------------===//
// Functions of two operands
//===----------------------------------------------------------------------===//

/// `result[i] = meaning(first[i], second[i])`.
class CHLO_BinaryOp<string mnemonic, Type type, string first, string second,
                    string meaning, string element = "f32">
    : CHLO_Op<mnemonic, [Pure, StableHLO_CompatibleOperandsAndResultType]> {
  let summary = meaning;
  let description = [{
    Computes, element by element: }] # meaning # [{.

    Constraints:
    * (}] # mnemonic # [{_c1) operands and result have compatible types.

    ```mlir
    %r = chlo.}] # mnemonic # " %a, %b : tensor<4x" # element # ">, tensor<4x"
         # element # "> -> tensor<4x" # element # [{>
    ```
  }];
  let results = (outs type:$result);
  let assemblyFormat = "$" # first # " `,` $" # second # " attr-dict `:` type($"
      # first # ") `,` type($" # second # ") `->` type($result)";
}

def CHLO_MulhiOp : CHLO_BinaryOp<"mulhi", StableHLO_IntTensor, "lhs", "rhs",
    "the upper half of the bits of the product", "i32"> {
  let arguments = (ins StableHLO_IntTensor:$lhs, StableHLO_IntTensor:$rhs);
}
def CHLO_NextAfterOp : CHLO_BinaryOp<"next_after", CHLO_FloatTensor, "x", "y",
    "the number next to x in the direction of y; y itself if they are equal"> {
  let arguments = (ins CHLO_FloatTensor:$x, CHLO_FloatTensor:$y);
}
def CHLO_PolygammaOp : CHLO_BinaryOp<"polygamma", CHLO_FloatTensor, "n", "x",
    "the n-th derivative of the digamma function at x"> {
  let arguments = (ins CHLO_FloatTensor:$n, CHLO_FloatTensor:$x);
}
def CHLO_ZetaOp : CHLO_BinaryOp<"zeta", CHLO_FloatTensor, "x", "q",
    "Hurwitz's zeta function, the sum of (q + n)^(-x) over n = 0, 1, .."> {
  let arguments = (ins CHLO_FloatTensor:$x, CHLO_FloatTensor:$q);
}

//===----------------------------------------------------------------------===//
// Functions that broadcast their operands
//===----------------------------------------------------------------------===//

/// A function of two operands whose shapes are made equal first.
class CHLO_BroadcastBinaryOp<string mnemonic, string meaning,
                             list<Trait> traits = [], Type type = CHLO_Tensor,
                             Type resultType = type, string element = "f32",
                             string resultElement = element>
    : CHLO_Op<mnemonic, traits # [Pure, StableHLO_InferredTypes]> {
  let summary = meaning # ", after broadcasting";
  let description = [{
    }] # meaning # [{, element by element, of operands that are broadcast to one
    shape first. Without `broadcast_dimensions` the shapes are aligned at their
    last dimension, and dimensions of size 1, or missing ones, are repeated.
    With it, dimension `i` of the operand of lower rank is aligned with
    dimension `broadcast_dimensions[i]` of the other.

    Constraints:
    * (}] # mnemonic # [{_c1) the element types of the operands agree.
    * (}] # mnemonic # [{_c2) the result agrees with the broadcast shape. When
      there is none, the result may have any shape, and the operation cannot be
      expanded.
    * (}] # mnemonic # [{_c3) no value of `broadcast_dimensions` is negative.

    ```mlir
    %r = chlo.}] # mnemonic # " %a, %b : (tensor<2x1x" # element
         # ">, tensor<3x" # element # ">) -> tensor<2x3x" # resultElement # [{>
    ```
  }];
  let arguments = (ins type:$lhs, type:$rhs,
                       OptionalAttr<DenseI64ArrayAttr>:$broadcast_dimensions);
  let results = (outs resultType);
  let assemblyFormat = [{
    $lhs `,` $rhs attr-dict `:`
      `(` type($lhs) `,` type($rhs) `)` `->` type(results)
  }];
  let extraClassDefinition = [{
    ::llvm::LogicalResult $cppClass::inferReturnTypes(
        ::mlir::MLIRContext *, std::optional<::mlir::Location> location,
        Adaptor adaptor, ::llvm::SmallVectorImpl<::mlir::Type> &inferred) {
      return inferBroadcastBinary(location, adaptor, inferred);
    }
  }];
}

def CHLO_BroadcastAddOp : CHLO_BroadcastBinaryOp<"broadcast_add", "Sum",
    [Commutative, CHLO_CompatibleElementTypes]>;
def CHLO_BroadcastAtan2Op : CHLO_BroadcastBinaryOp<"broadcast_atan2",
    "Angle of the point (rhs, lhs)", [SameOperandsAndResultElementType]>;
def CHLO_BroadcastDivOp : CHLO_BroadcastBinaryOp<"broadcast_divide",
    "Quotient", [SameOperandsAndResultElementType]>;
def CHLO_BroadcastMaxOp : CHLO_BroadcastBinaryOp<"broadcast_maximum",
    "Maximum", [Commutative, CHLO_CompatibleElementTypes]>;
def CHLO_BroadcastMinOp : CHLO_BroadcastBinaryOp<"broadcast_minimum",
    "Minimum", [Commutative, CHLO_CompatibleElementTypes]>;
def CHLO_BroadcastMulOp : CHLO_BroadcastBinaryOp<"broadcast_multiply",
    "Product", [Commutative, SameOperandsAndResultElementType]>;
def CHLO_BroadcastNextAfterOp : CHLO_BroadcastBinaryOp<"broadcast_next_after",
    "Number next to lhs in the direction of rhs",
    [SameOperandsAndResultElementType]>;
def CHLO_BroadcastPolygammaOp : CHLO_BroadcastBinaryOp<"broadcast_polygamma",
    "Derivative of order lhs of the digamma function at rhs",
    [SameOperandsAndResultElementType]>;
def CHLO_BroadcastPowOp : CHLO_BroadcastBinaryOp<"broadcast_power",
    "Power lhs ^ rhs", [SameOperandsAndResultElementType]>;
def CHLO_BroadcastRemOp : CHLO_BroadcastBinaryOp<"broadcast_remainder",
    "Remainder", [SameOperandsAndResultElementType]>;
def CHLO_BroadcastShiftLeftOp : CHLO_BroadcastBinaryOp<"broadcast_shift_left",
    "lhs shifted left by rhs bits", [SameOperandsAndResultElementType],
    CHLO_Tensor, CHLO_Tensor, "i32">;
def CHLO_BroadcastShiftRightArithmeticOp
    : CHLO_BroadcastBinaryOp<"broadcast_shift_right_arithmetic",
        "lhs shifted right by rhs bits, keeping the sign",
        [SameOperandsAndResultElementType], CHLO_Tensor, CHLO_Tensor, "i32">;
def CHLO_BroadcastShiftRightLogicalOp
    : CHLO_BroadcastBinaryOp<"broadcast_shift_right_logical",
        "lhs shifted right by rhs bits, filling with zeros",
        [SameOperandsAndResultElementType], CHLO_Tensor, CHLO_Tensor, "i32">;
def CHLO_BroadcastSubOp : CHLO_BroadcastBinaryOp<"broadcast_subtract",
    "Difference", [SameOperandsAndResultElementType]>;
def CHLO_BroadcastZetaOp : CHLO_BroadcastBinaryOp<"broadcast_zeta",
    "Hurwitz's zeta function", [SameOperandsAndResultElementType],
    CHLO_FloatTensor>;

def CHLO_BroadcastAndOp : CHLO_BroadcastBinaryOp<"broadcast_and",
    "Bitwise and", [Commutative], CHLO_BoolOrIntTensor, CHLO_Tensor, "i1">;
def CHLO_BroadcastOrOp : CHLO_BroadcastBinaryOp<"broadcast_or",
    "Bitwise or", [Commutative], CHLO_BoolOrIntTensor, CHLO_Tensor, "i1">;
def CHLO_BroadcastXorOp : CHLO_BroadcastBinaryOp<"broadcast_xor",
    "Bitwise exclusive or", [Commutative], CHLO_BoolOrIntTensor, CHLO_Tensor,
    "i1">;

def CHLO_BroadcastComplexOp : CHLO_BroadcastBinaryOp<"broadcast_complex",
    "Complex number from its parts", [], CHLO_FloatTensor, CHLO_ComplexTensor,
    "f32", "complex<f32>"> {
  // Infers another element type, in C++.
  let extraClassDefinition = "";
}

def CHLO_BroadcastCompareOp : CHLO_Op<"broadcast_compare",
                                      [Pure, StableHLO_InferredTypes]> {
  let summary = "Comparison, after broadcasting";
  let description = [{
    Compares the elements of operands that are broadcast to one shape first (see
    `chlo.broadcast_add`). Without `compare_type` the order is the natural one
    of the element type.

    Constraints:
    * (broadcast_compare_c1) the element types of the operands agree.
    * (broadcast_compare_c2) the result agrees with the broadcast shape.
    * (broadcast_compare_c3) no value of `broadcast_dimensions` is negative.

    ```mlir
    %r = chlo.broadcast_compare %a, %b {
      comparison_direction = #chlo<comparison_direction LT>
    } : (tensor<2x1xf32>, tensor<3xf32>) -> tensor<2x3xi1>
    ```
  }];
  let arguments = (ins CHLO_Tensor:$lhs, CHLO_Tensor:$rhs,
                       OptionalAttr<DenseI64ArrayAttr>:$broadcast_dimensions,
                       CHLO_ComparisonDirectionAttr:$comparison_direction,
                       OptionalAttr<CHLO_ComparisonTypeAttr>:$compare_type);
  let results = (outs CHLO_BoolTensor);
  let assemblyFormat = [{
    $lhs `,` $rhs attr-dict `:`
      `(` type($lhs) `,` type($rhs) `)` `->` type(results)
  }];
}

def CHLO_BroadcastSelectOp : CHLO_Op<"broadcast_select",
    [Pure, InferTypeOpAdaptorBase<[{
      static bool isCompatibleReturnTypes(::mlir::TypeRange l,
                                          ::mlir::TypeRange r) {
        return ::mlir::succeeded(::mlir::verifyCompatibleShapes(l, r));
      }
    }]>]> {
  let summary = "Choice between two values, after broadcasting";
  let description = [{
    The element of `on_true` where `pred` holds and of `on_false` elsewhere, all
    three being broadcast to one shape first, aligned at the last dimension.

    Constraints:
    * (broadcast_select_c1) the element types of `on_true` and `on_false` are
      equal.
    * (broadcast_select_c2) the result agrees with the broadcast shape.

    ```mlir
    %r = chlo.broadcast_select %p, %a, %b
       : (tensor<2x1xi1>, tensor<3xf32>, tensor<f32>) -> tensor<2x3xf32>
    ```
  }];
  let arguments = (ins StableHLO_BoolTensor:$pred, CHLO_Tensor:$on_true,
                       CHLO_Tensor:$on_false);
  let results = (outs CHLO_Tensor);
  let assemblyFormat = [{
    $pred `,` $on_true `,` $on_false attr-dict `:`
      `(` type($pred) `,` type($on_true) `,` type($on_false) `)` `->`
      type(results)
  }];
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

def CHLO_ConstantOp : CHLO_Op<"constant", [
    ConstantLike, Pure, StableHLO_InferredTypes]> {
  let summary = "A constant";
  let description = [{
    The value that is written.

    Constraints:
    * (constant_c1) the result has the type of the value.

    ```mlir
    %r = chlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
    ```
  }];
  let arguments = (ins ElementsAttr:$value);
  let results = (outs StableHLO_StaticTensor:$output);
  let assemblyFormat = "attr-dict $value";
  let hasFolder = 1;
}

def CHLO_ConstantLikeOp : CHLO_Op<"constant_like", [
    Pure, SameOperandsAndResultShape, StableHLO_InferredTypes]> {
  let summary = "One value in the shape of another tensor";
  let description = [{
    Repeats `value` over the shape of the operand, whose elements do not matter.

    Constraints:
    * (constant_like_c1) the element type of the result is the type of `value`.
    * (constant_like_c2) the shapes of operand and result agree.

    ```mlir
    %r = "chlo.constant_like"(%x) <{value = 1.0 : f32}>
       : (tensor<?x3xi32>) -> tensor<?x3xf32>
    ```
  }];
  let arguments = (ins TypedAttrInterface:$value, CHLO_Tensor:$operand);
  let results = (outs CHLO_Tensor);
  let hasFolder = 1;
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Compositions
//===----------------------------------------------------------------------===//

def CHLO_TopKOp : CHLO_Op<"top_k", [Pure, StableHLO_InferredTypes]> {
  let summary = "The largest elements of each row and where they are";
  let description = [{
    Finds the `k` largest elements along the last dimension, largest first, and
    their positions. Of equal elements the one at the lower position comes
    first.

    Constraints:
    * (top_k_c1) the operand has at least one dimension.
    * (top_k_c2) the last dimension, where it is static, is at least `k`.
    * (top_k_c3) `k` is not negative.
    * (top_k_c4) the results have the shape of the operand with `k` as last
      dimension; the positions are of type `i32`.

    ```mlir
    %values, %indices = chlo.top_k(%x, k = 2)
        : tensor<3x5xf32> -> (tensor<3x2xf32>, tensor<3x2xi32>)
    ```
  }];
  let arguments = (ins CHLO_Tensor:$operand, I64Attr:$k);
  let results = (outs CHLO_Tensor:$values, CHLO_Tensor:$indices);
  let assemblyFormat = [{
    `(` $operand `,` `k` `=` $k `)` attr-dict `:`
      type($operand) `->` `(` type($values) `,` type($indices) `)`
  }];
}

def CHLO_RaggedDotOp : CHLO_Op<"ragged_dot", [Pure]> {
  let summary = "Products of groups of rows with one matrix each";
  let description = [{
    A `stablehlo.dot_general` one of whose lhs dimensions, the ragged one, is cut
    into consecutive groups of the sizes in `group_sizes`. What that means
    depends on the role of the ragged dimension (b, m, k, n stand for any number
    of batching, free lhs, contracting and free rhs dimensions, g for groups):

    | ragged dimension | lhs | rhs | group_sizes | result |
    |---|---|---|---|---|
    | free (m): each row meets the matrix of its group | `[b, m, k]` | `[g, b, k, n]` | `[b, g]` | `[b, m, n]` |
    | contracting (k): one sum for each group | `[b, m, k]` | `[b, k, n]` | `[b, g]` | `[g, b, m, n]` |
    | batching (b): a dot_general | `[b, m, k]` | `[b, k, n]` | `[g]` | `[b, m, n]` |

    Rows after the last group contribute nothing: their results are zero in the
    first mode. `group_sizes` may always be of shape `[g]`; otherwise it has,
    before the groups, the batching dimensions of lhs and then those dimensions
    of the ragged one's kind that come before it.

    Constraints:
    * (ragged_dot_c1) `precision_config` has at most two elements.
    * (ragged_dot_c2) lhs and rhs have equally many batching dimensions.
    * (ragged_dot_c3) lhs and rhs have equally many contracting dimensions.
    * (ragged_dot_c4) batching, contracting and group dimensions of an operand
      are in range and distinct.
    * (ragged_dot_c5) paired dimensions have the same size.
    * (ragged_dot_c6) there is exactly one ragged dimension, in range.
    * (ragged_dot_c7) `group_sizes` has the shape above.
    * (ragged_dot_c8) rhs has exactly one group dimension if the ragged
      dimension is free, of as many groups as `group_sizes`, and none otherwise.
    * (ragged_dot_c9) the result has the shape above.

    ```mlir
    %r = "chlo.ragged_dot"(%x, %w, %sizes) <{
      ragged_dot_dimension_numbers = #chlo.ragged_dot<
        lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1],
        lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>
    }> : (tensor<11x5xf32>, tensor<3x5x7xf32>, tensor<3xi32>) -> tensor<11x7xf32>
    ```
  }];
  let arguments = (ins CHLO_Tensor:$lhs, CHLO_Tensor:$rhs,
      StableHLO_IntTensor:$group_sizes,
      CHLO_RaggedDotDimensionNumbers:$ragged_dot_dimension_numbers,
      CHLO_PrecisionConfigAttr:$precision_config);
  let results = (outs CHLO_Tensor:$result);
  let hasVerifier = 1;
}

def CHLO_ScanOp : CHLO_Op<"scan", [
    AttrSizedOperandSegments, AttrSizedResultSegments, RecursiveMemoryEffects,
    IsolatedFromAbove, StableHLO_InferredTypes,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmBlockArgumentNames"]>]> {
  let summary = "A loop along one dimension";
  let description = [{
    Walks along `dimension` of the inputs, from the last slice to the first if
    `is_reverse`. The body takes the current slice of each input, without that
    dimension, and the carried values, which start as `inits`; it returns a
    slice of each output and the new carried values. The results are the
    outputs, made of those slices, and the last carried values.
    `is_associative` says that the order of the steps may be changed;
    `scan_dim_size` gives the number of steps, which the inputs otherwise tell.

    Constraints:
    * (scan_c1) there is an input or an output.
    * (scan_c2) `dimension` is in range for each input and output.
    * (scan_c3) `dimension` of each input has the same size, which equals
      `scan_dim_size` if both are known.
    * (scan_c4) the body has one argument for each operand, of the type of its
      slice or of the carried value.
    * (scan_c5) the body returns at least the carried values.
    * (scan_c6) the results agree with what the body returns.

    ```mlir
    %sums, %total = chlo.scan(%x) inits (%zero) dimension=1 {
    ^bb0(%input: tensor<2xf32>, %carry: tensor<2xf32>):
      %s = stablehlo.add %input, %carry : tensor<2xf32>
      stablehlo.return %s, %s : tensor<2xf32>, tensor<2xf32>
    } : (tensor<2x3xf32>, tensor<2xf32>) -> (tensor<2x3xf32>, tensor<2xf32>)
    ```
  }];
  let arguments = (ins Variadic<CHLO_Tensor>:$inputs,
      Variadic<CHLO_Tensor>:$inits,
      ConfinedAttr<I64Attr, [IntNonNegative]>:$dimension,
      OptionalAttr<ConfinedAttr<I64Attr, [IntNonNegative]>>:$scan_dim_size,
      DefaultValuedOptionalAttr<BoolAttr, "false">:$is_reverse,
      OptionalAttr<BoolAttr>:$is_associative);
  let results = (outs Variadic<CHLO_Tensor>:$outputs,
                      Variadic<CHLO_Tensor>:$carries);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

#endif // HETERO_DIALECT_CHLO_CHLOOPS_TD
