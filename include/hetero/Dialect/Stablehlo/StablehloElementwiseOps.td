//===- StablehloElementwiseOps.td - One element at a time --*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ops that compute every element of the result from the elements at the same
// place in the operands, and constants.

#ifndef HETERO_DIALECT_STABLEHLO_STABLEHLOELEMENTWISEOPS_TD
#define HETERO_DIALECT_STABLEHLO_STABLEHLOELEMENTWISEOPS_TD

include "mlir/IR/OpAsmInterface.td"
include "hetero/Dialect/Stablehlo/StablehloAttrs.td"

class StableHLO_ElementwiseOp<string mnemonic, list<Trait> traits>
    : StableHLO_Op<mnemonic, [Pure, Elementwise] # traits>;

//===----------------------------------------------------------------------===//
// Unary ops
//===----------------------------------------------------------------------===//

/// `result[i] = meaning(operand[i])`, operand and result of compatible types.
class StableHLO_UnaryOp<string mnemonic, Type type, string meaning,
                        list<Trait> traits = []>
    : StableHLO_ElementwiseOp<mnemonic, [
        SameOperandsAndResultShape, StableHLO_CompatibleOperandsAndResultType]
        # traits> {
  let summary = meaning;
  let description = [{
    Computes the }] # !tolower(meaning) # [{ of each element of the operand.

    Constraints:
    * (}] # mnemonic # [{_c1) operand and result have compatible types.

    ```mlir
    %r = stablehlo.}] # mnemonic # [{ %x : tensor<2x3x}]
      # !if(!or(!eq(type, StableHLO_IntTensor), !eq(type, StableHLO_BoolOrIntTensor)), "i32", "f32")
      # [{>
    ```
  }];
  let arguments = (ins type:$operand);
  let results = (outs type:$result);
  let assemblyFormat = [{
    $operand attr-dict `:` custom<SameOperandsAndResultType>(type($operand), type($result))
  }];
}

/// A transcendental function, whose accuracy can be asked for.
class StableHLO_AccurateUnaryOp<string mnemonic, string meaning>
    : StableHLO_UnaryOp<mnemonic, StableHLO_FloatComplexOrQuantizedTensor,
                        meaning> {
  let arguments = (ins StableHLO_FloatComplexOrQuantizedTensor:$operand,
      DefaultValuedOptionalAttr<StableHLO_ResultAccuracy,
        "::mlir::stablehlo::ResultAccuracyMode::DEFAULT">:$result_accuracy);
}

def StableHLO_CbrtOp : StableHLO_AccurateUnaryOp<"cbrt", "Cubic root">;
def StableHLO_CosineOp : StableHLO_AccurateUnaryOp<"cosine", "Cosine">;
def StableHLO_ExpOp : StableHLO_AccurateUnaryOp<"exponential", "Exponential">;
def StableHLO_Expm1Op : StableHLO_AccurateUnaryOp<"exponential_minus_one",
    "Exponential minus one">;
def StableHLO_LogOp : StableHLO_AccurateUnaryOp<"log", "Natural logarithm">;
def StableHLO_Log1pOp : StableHLO_AccurateUnaryOp<"log_plus_one",
    "Natural logarithm of one plus the value">;
def StableHLO_LogisticOp : StableHLO_AccurateUnaryOp<"logistic",
    "Logistic function">;
def StableHLO_RsqrtOp : StableHLO_AccurateUnaryOp<"rsqrt",
    "Reciprocal of the square root">;
def StableHLO_SineOp : StableHLO_AccurateUnaryOp<"sine", "Sine">;
def StableHLO_SqrtOp : StableHLO_AccurateUnaryOp<"sqrt", "Square root">;
def StableHLO_TanOp : StableHLO_AccurateUnaryOp<"tan", "Tangent">;
def StableHLO_TanhOp : StableHLO_AccurateUnaryOp<"tanh", "Hyperbolic tangent">;

def StableHLO_CeilOp : StableHLO_UnaryOp<"ceil",
    StableHLO_FloatOrQuantizedTensor, "Smallest integer not below">;
def StableHLO_FloorOp : StableHLO_UnaryOp<"floor",
    StableHLO_FloatOrQuantizedTensor, "Largest integer not above">;
def StableHLO_RoundOp : StableHLO_UnaryOp<"round_nearest_afz",
    StableHLO_FloatOrQuantizedTensor,
    "Nearest integer, ties away from zero">;
def StableHLO_RoundNearestEvenOp : StableHLO_UnaryOp<"round_nearest_even",
    StableHLO_FloatOrQuantizedTensor, "Nearest integer, ties to even">;
def StableHLO_ClzOp : StableHLO_UnaryOp<"count_leading_zeros",
    StableHLO_IntTensor, "Number of leading zero bits">;
def StableHLO_PopulationCountOp : StableHLO_UnaryOp<"popcnt",
    StableHLO_IntTensor, "Number of one bits">;
def StableHLO_NotOp : StableHLO_UnaryOp<"not", StableHLO_BoolOrIntTensor,
    "Complement of bits"> {
  let hasFolder = 1;
}
def StableHLO_NegOp : StableHLO_UnaryOp<"negate",
    StableHLO_IntFloatComplexOrQuantizedTensor, "Negative"> {
  let hasFolder = 1;
}
def StableHLO_SignOp : StableHLO_UnaryOp<"sign",
    StableHLO_SIntFloatComplexOrQuantizedTensor,
    "Sign (-1, 0 or 1; for complex numbers the unit vector)">;

def StableHLO_AbsOp : StableHLO_ElementwiseOp<"abs", [
    SameOperandsAndResultShape, StableHLO_InferredTypes]> {
  let summary = "Absolute value";
  let description = [{
    Computes the absolute value of each element of the operand; for a complex
    operand a real one.

    Constraints:
    * (abs_c1) the shapes of operand and result agree.
    * (abs_c2) the element type of the result is that of the operand, or its
      real part's when the operand is complex.

    ```mlir
    %r = stablehlo.abs %x : (tensor<4xcomplex<f32>>) -> tensor<4xf32>
    ```
  }];
  let arguments = (ins StableHLO_SIntFloatComplexOrQuantizedTensor:$operand);
  let results = (outs StableHLO_SIntFloatOrQuantizedTensor:$result);
  let assemblyFormat = [{
    $operand attr-dict `:` custom<SameOperandsAndResultType>(type($operand), type($result))
  }];
}

/// `real` and `imag`.
class StableHLO_ComplexPartOp<string mnemonic, string meaning>
    : StableHLO_ElementwiseOp<mnemonic, [
        SameOperandsAndResultShape, StableHLO_InferredTypes]> {
  let summary = meaning;
  let description = [{
    Extracts the }] # !tolower(meaning) # [{ of each element of the operand.

    Constraints:
    * (}] # mnemonic # [{_c1) the shapes of operand and result agree.
    * (}] # mnemonic # [{_c2) the element type of the result is the real type of
      the operand's.

    ```mlir
    %r = stablehlo.}] # mnemonic # [{ %x : (tensor<4xcomplex<f32>>) -> tensor<4xf32>
    ```
  }];
  let arguments = (ins StableHLO_FloatOrComplexTensor:$operand);
  let results = (outs StableHLO_FloatTensor:$result);
  let assemblyFormat = [{
    $operand attr-dict `:` custom<SameOperandsAndResultType>(type($operand), type($result))
  }];
}
def StableHLO_RealOp : StableHLO_ComplexPartOp<"real", "Real part"> {
  let hasFolder = 1;
}
def StableHLO_ImagOp : StableHLO_ComplexPartOp<"imag", "Imaginary part"> {
  let hasFolder = 1;
}

def StableHLO_IsFiniteOp : StableHLO_ElementwiseOp<"is_finite", [
    SameOperandsAndResultShape, StableHLO_InferredTypes]> {
  let summary = "Whether a number is finite";
  let description = [{
    True for each element that is neither infinite nor NaN.

    Constraints:
    * (is_finite_c1) the shapes of operand and result agree.

    ```mlir
    %r = stablehlo.is_finite %x : (tensor<7xf64>) -> tensor<7xi1>
    ```
  }];
  let arguments = (ins StableHLO_FloatOrQuantizedTensor:$x);
  let results = (outs StableHLO_BoolTensor:$y);
  let assemblyFormat = "$x attr-dict `:` functional-type(operands, results)";
}

def StableHLO_ConvertOp : StableHLO_ElementwiseOp<"convert",
                                                  [SameOperandsAndResultShape]> {
  let summary = "Change of element type";
  let description = [{
    Converts each element to the element type of the result: `i1` to 0 or 1,
    real to complex with a zero imaginary part, complex to real by dropping the
    imaginary part, anything to `i1` by comparison with zero.

    Constraints:
    * (convert_c1) the shapes of operand and result agree.

    ```mlir
    %r = stablehlo.convert %x : (tensor<3xi64>) -> tensor<3xbf16>
    ```
  }];
  let arguments = (ins StableHLO_NonQuantizedTensor:$operand);
  let results = (outs StableHLO_NonQuantizedTensor:$result);
  let assemblyFormat = [{
    $operand attr-dict `:` custom<SameOperandsAndResultType>(type($operand), type($result))
  }];
  let builders = [OpBuilder<(ins "::mlir::Value":$operand,
                                 "::mlir::Type":$resultElementType)>];
  let hasFolder = 1;
}

def StableHLO_ReducePrecisionOp : StableHLO_ElementwiseOp<"reduce_precision", [
    SameOperandsAndResultShape, StableHLO_CompatibleOperandsAndResultType]> {
  let summary = "Rounds to a smaller format and back";
  let description = [{
    Rounds each element to a floating-point format with the given number of
    exponent and mantissa bits, and returns it in the original type.

    Constraints:
    * (reduce_precision_c1) operand and result have compatible types.
    * (reduce_precision_c2) `exponent_bits` is at least 1.
    * (reduce_precision_c3) `mantissa_bits` is at least 0.

    ```mlir
    %r = stablehlo.reduce_precision %x, format = e5m10 : tensor<6xf64>
    ```
  }];
  let arguments = (ins StableHLO_FloatOrQuantizedTensor:$operand,
      ConfinedAttr<I32Attr, [IntPositive]>:$exponent_bits,
      ConfinedAttr<I32Attr, [IntNonNegative]>:$mantissa_bits);
  let results = (outs StableHLO_FloatOrQuantizedTensor:$output);
  let assemblyFormat = [{
    $operand `,` `format` `=` custom<ExponentMantissa>($exponent_bits, $mantissa_bits)
      attr-dict `:` custom<SameOperandsAndResultType>(type($operand), type($output))
  }];
}

//===----------------------------------------------------------------------===//
// Binary ops
//===----------------------------------------------------------------------===//

/// `result[i] = lhs[i] (meaning) rhs[i]`.
class StableHLO_BinaryOp<string mnemonic, Type type, string meaning,
                         list<Trait> traits = [], Type resultType = type>
    : StableHLO_ElementwiseOp<mnemonic, [
        SameOperandsAndResultShape, StableHLO_CompatibleOperandsAndResultType]
        # traits> {
  let summary = meaning;
  let description = [{
    }] # meaning # [{, element by element.

    Constraints:
    * (}] # mnemonic # [{_c1) operands and result have compatible types.

    ```mlir
    %r = stablehlo.}] # mnemonic # [{ %a, %b : tensor<2x3x}]
      # !if(!or(!eq(type, StableHLO_IntTensor), !eq(type, StableHLO_BoolOrIntTensor)), "i32", "f32")
      # [{>
    ```
  }];
  let arguments = (ins type:$lhs, type:$rhs);
  let results = (outs resultType:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs attr-dict `:`
      custom<SameOperandsAndResultType>(type($lhs), type($rhs), type($result))
  }];
}

def StableHLO_AddOp : StableHLO_BinaryOp<"add", StableHLO_Tensor,
    "Sum (logical or for booleans)", [Commutative]> {
  let hasFolder = 1;
}
def StableHLO_Atan2Op : StableHLO_BinaryOp<"atan2",
    StableHLO_FloatComplexOrQuantizedTensor, "Angle of the point (rhs, lhs)">;
def StableHLO_DivOp : StableHLO_BinaryOp<"divide",
    StableHLO_IntFloatComplexOrQuantizedTensor,
    "Quotient (truncated for integers)"> {
  let hasFolder = 1;
}
def StableHLO_MaxOp : StableHLO_BinaryOp<"maximum", StableHLO_TensorPerTensor,
    "Maximum (logical or for booleans, lexicographic for complex numbers)",
    [Commutative]> {
  let hasFolder = 1;
}
def StableHLO_MinOp : StableHLO_BinaryOp<"minimum", StableHLO_TensorPerTensor,
    "Minimum (logical and for booleans, lexicographic for complex numbers)",
    [Commutative]> {
  let hasFolder = 1;
}
def StableHLO_MulOp : StableHLO_BinaryOp<"multiply", StableHLO_TensorPerTensor,
    "Product (logical and for booleans)", [Commutative]> {
  let hasFolder = 1;
}
def StableHLO_PowOp : StableHLO_BinaryOp<"power",
    StableHLO_IntFloatComplexOrQuantizedTensor, "lhs to the power of rhs">;
def StableHLO_RemOp : StableHLO_BinaryOp<"remainder",
    StableHLO_IntFloatComplexOrQuantizedTensor,
    "Remainder with the sign of lhs"> {
  let hasFolder = 1;
}
def StableHLO_SubtractOp : StableHLO_BinaryOp<"subtract",
    StableHLO_IntFloatComplexOrQuantizedTensor, "Difference"> {
  let hasFolder = 1;
}
def StableHLO_ShiftLeftOp : StableHLO_BinaryOp<"shift_left",
    StableHLO_IntTensor, "lhs shifted left by rhs bits"> {
  let hasFolder = 1;
}
def StableHLO_ShiftRightArithmeticOp
    : StableHLO_BinaryOp<"shift_right_arithmetic", StableHLO_IntTensor,
        "lhs shifted right by rhs bits, keeping the sign"> {
  let hasFolder = 1;
}
def StableHLO_ShiftRightLogicalOp
    : StableHLO_BinaryOp<"shift_right_logical", StableHLO_IntTensor,
        "lhs shifted right by rhs bits, filling with zeros"> {
  let hasFolder = 1;
}

class StableHLO_BitwiseOp<string mnemonic, string meaning>
    : StableHLO_BinaryOp<mnemonic, StableHLO_BoolOrIntTensor, meaning,
                         [Commutative], StableHLO_TensorPerTensor> {
  let hasFolder = 1;
}
def StableHLO_AndOp : StableHLO_BitwiseOp<"and", "Bitwise and">;
def StableHLO_OrOp : StableHLO_BitwiseOp<"or", "Bitwise or">;
def StableHLO_XorOp : StableHLO_BitwiseOp<"xor", "Bitwise exclusive or">;

def StableHLO_ComplexOp : StableHLO_ElementwiseOp<"complex", [
    SameOperandsAndResultShape, StableHLO_InferredTypes]> {
  let summary = "A complex number from its parts";
  let description = [{
    Makes a complex number of each pair of real and imaginary part.

    Constraints:
    * (complex_c1) lhs and rhs have compatible types.
    * (complex_c2) the shapes of operands and result agree.
    * (complex_c3) the element type of the result is complex over theirs.

    ```mlir
    %r = stablehlo.complex %re, %im : tensor<4xcomplex<f32>>
    ```
  }];
  let arguments = (ins StableHLO_F32OrF64Tensor:$lhs,
                       StableHLO_F32OrF64Tensor:$rhs);
  let results = (outs StableHLO_ComplexTensor:$result);
  let assemblyFormat = [{
    operands attr-dict `:` custom<ComplexOpType>(type($lhs), type($rhs), type($result))
  }];
  let hasFolder = 1;
}

def StableHLO_CompareOp : StableHLO_ElementwiseOp<"compare", [
    SameOperandsAndResultShape, StableHLO_InferredTypes]> {
  let summary = "Comparison";
  let description = [{
    Compares lhs with rhs, element by element. Without `compare_type` the
    element type decides how: floats by IEEE rules, unsigned integers and
    booleans as unsigned, other integers as signed. TOTALORDER gives floats the
    total order of IEEE 754, in which -NaN < -inf < .. < inf < NaN.

    Constraints:
    * (compare_c1) lhs and rhs have the same element type.
    * (compare_c2) the shapes of operands and result agree.
    * (compare_c3) complex numbers are only compared with EQ and NE.

    ```mlir
    %r = stablehlo.compare LT, %a, %b, TOTALORDER : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
    ```
  }];
  let arguments = (ins StableHLO_TensorPerTensor:$lhs,
      StableHLO_TensorPerTensor:$rhs,
      StableHLO_ComparisonDirectionAttr:$comparison_direction,
      OptionalAttr<StableHLO_ComparisonTypeAttr>:$compare_type);
  let results = (outs StableHLO_BoolTensor:$result);
  let assemblyFormat = [{
    custom<EnumKeyword>($comparison_direction) `,` $lhs `,` $rhs
      (`,` custom<EnumKeyword>($compare_type)^)? attr-dict
      `:` functional-type(operands, results)
  }];
  let builders = [OpBuilder<(ins "::mlir::Value":$lhs, "::mlir::Value":$rhs,
      "::mlir::stablehlo::ComparisonDirection":$comparisonDirection,
      CArg<"::mlir::stablehlo::ComparisonType",
           "::mlir::stablehlo::ComparisonType::NOTYPE">:$compareType)>];
  let hasFolder = 1;
}

//===----------------------------------------------------------------------===//
// Ternary ops
//===----------------------------------------------------------------------===//

def StableHLO_ClampOp : StableHLO_Op<"clamp", [Pure, StableHLO_InferredTypes]> {
  let summary = "Limits each element to a range";
  let description = [{
    `minimum(maximum(operand, min), max)`, where a bound of rank 0 serves all
    elements.

    Constraints:
    * (clamp_c1) `min` has rank 0 or the shape of the operand.
    * (clamp_c2) `max` has rank 0 or the shape of the operand.
    * (clamp_c3) `min`, operand and `max` have the same element type.
    * (clamp_c4) operand and result have compatible types.

    ```mlir
    %r = stablehlo.clamp %lo, %x, %hi : (tensor<f32>, tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
    ```
  }];
  let arguments = (ins StableHLO_TensorPerTensor:$min,
      StableHLO_TensorPerTensor:$operand, StableHLO_TensorPerTensor:$max);
  let results = (outs StableHLO_TensorPerTensor:$result);
  let assemblyFormat = [{
    $min `,` $operand `,` $max attr-dict `:`
      custom<SameOperandsAndResultType>(type($min), type($operand), type($max), type($result))
  }];
}

def StableHLO_SelectOp : StableHLO_Op<"select", [Pure, StableHLO_InferredTypes]> {
  let summary = "Chooses between two values";
  let description = [{
    Takes each element from `on_true` where the predicate holds and from
    `on_false` elsewhere. A predicate of rank 0 decides for all elements.

    Constraints:
    * (select_c1) `pred` has rank 0 or the shape of `on_true`.
    * (select_c2) `on_true`, `on_false` and the result have compatible types.

    ```mlir
    %r = stablehlo.select %p, %a, %b : tensor<2x3xi1>, tensor<2x3xf32>
    ```
  }];
  let arguments = (ins StableHLO_BoolTensor:$pred, StableHLO_TensorPerTensor:$on_true,
                       StableHLO_TensorPerTensor:$on_false);
  let results = (outs StableHLO_TensorPerTensor:$result);
  let assemblyFormat = [{
    operands attr-dict `:`
      custom<SelectOpType>(type($pred), type($on_true), type($on_false), type($result))
  }];
  let hasFolder = 1;
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

def StableHLO_ConstantOp : StableHLO_Op<"constant", [
    ConstantLike, Pure, InferTypeOpAdaptorWithIsCompatible,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>]> {
  let summary = "A constant";
  let description = [{
    The value of the attribute: a list of elements, one element for all, or a
    resource that is stored beside the module.

    Constraints:
    * (constant_c1) the type of the value is that of the result, with the
      storage type for elements where the result is quantized.

    ```mlir
    %c = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<8x128xf32>
    ```
  }];
  let arguments = (ins ElementsAttr:$value);
  let results = (outs StableHLO_StaticTensor:$output);
  let hasCustomAssemblyFormat = 1;
  let hasFolder = 1;
  let builders = [OpBuilder<(ins "::mlir::Attribute":$value)>];
}

def StableHLO_IotaOp : StableHLO_Op<"iota", [Pure]> {
  let summary = "Counts along a dimension";
  let description = [{
    Each element is its own index along `iota_dimension`.

    Constraints:
    * (iota_c1) `iota_dimension` is a dimension of the result.

    ```mlir
    %r = stablehlo.iota dim = 1 : tensor<4x5xi32>
    ```
  }];
  let arguments = (ins ConfinedAttr<I64Attr, [IntNonNegative]>:$iota_dimension);
  let results = (outs StableHLO_IotaTensor:$output);
  let assemblyFormat = "`dim` `=` $iota_dimension attr-dict `:` type($output)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def StableHLO_UniformQuantizeOp : StableHLO_ElementwiseOp<"uniform_quantize",
                                                          [SameOperandsAndResultShape]> {
  let summary = "Quantizes, or changes the quantization";
  let description = [{
    Rounds each element to the nearest number that the quantized element type of
    the result can hold.

    Constraints:
    * (uniform_quantize_c1) the shapes of operand and result agree.
    * (uniform_quantize_c2) the result's expressed type is the element type of
      the operand, or its expressed type.

    ```mlir
    %q = stablehlo.uniform_quantize %x : (tensor<2xf32>) -> tensor<2x!quant.uniform<i8:f32, 0.1:-30>>
    ```
  }];
  let arguments = (ins StableHLO_QuantizableTensor:$operand);
  let results = (outs StableHLO_QuantizedTensor:$result);
  let assemblyFormat = [{
    $operand attr-dict `:` custom<SameOperandsAndResultType>(type($operand), type($result))
  }];
  let hasVerifier = 1;
}

def StableHLO_UniformDequantizeOp : StableHLO_ElementwiseOp<"uniform_dequantize", [
    SameOperandsAndResultShape, StableHLO_InferredTypes]> {
  let summary = "The real numbers behind quantized ones";
  let description = [{
    Constraints:
    * (uniform_dequantize_c1) the shapes of operand and result agree.
    * (uniform_dequantize_c2) the element type of the result is the operand's
      expressed type.

    ```mlir
    %x = stablehlo.uniform_dequantize %q : (tensor<2x!quant.uniform<i8:f32, 0.1:-30>>) -> tensor<2xf32>
    ```
  }];
  let arguments = (ins StableHLO_QuantizedTensor:$operand);
  let results = (outs StableHLO_FloatTensor:$result);
  let assemblyFormat = [{
    $operand attr-dict `:` custom<SameOperandsAndResultType>(type($operand), type($result))
  }];
}

#endif // HETERO_DIALECT_STABLEHLO_STABLEHLOELEMENTWISEOPS_TD
