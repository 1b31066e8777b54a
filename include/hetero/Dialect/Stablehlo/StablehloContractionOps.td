//===- StablehloContractionOps.td - Products, transforms, normalisation ---===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products of tensors and convolutions, matrix factorisations, Fourier
// transforms and batch normalisation.

#ifndef HETERO_DIALECT_STABLEHLO_STABLEHLOCONTRACTIONOPS_TD
#define HETERO_DIALECT_STABLEHLO_STABLEHLOCONTRACTIONOPS_TD

include "hetero/Dialect/Stablehlo/StablehloAttrs.td"

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

def StableHLO_DotGeneralOp : StableHLO_Op<"dot_general", [Pure]> {
  let summary = "Sums products over paired dimensions";
  let description = [{
    Multiplies the two operands and sums over the contracting dimensions. The
    result has the batching dimensions, then what remains of `lhs`, then what
    remains of `rhs`.

    `precision_config` and `algorithm` say how exact the arithmetic has to be;
    both are up to the target when they are absent.

    Constraints:
    * (dot_general_c1) both operands have the same number of batching
      dimensions.
    * (dot_general_c2) both operands have the same number of contracting
      dimensions.
    * (dot_general_c3, dot_general_c4) no dimension of an operand is listed
      twice.
    * (dot_general_c5, dot_general_c6) the dimensions of `lhs` are in range.
    * (dot_general_c7, dot_general_c8) the dimensions of `rhs` are in range.
    * (dot_general_c9) paired batching dimensions have the same size.
    * (dot_general_c10) paired contracting dimensions have the same size.
    * (dot_general_c11) `precision_config` has at most two members.
    * (dot_general_c12) the shape of the result is as described above.
    * (dot_general_c14) quantized operands have quantized partners: `rhs`
      always, `lhs` and result both or neither.
    * (dot_general_c15) the zero points of `rhs` are 0.
    * (dot_general_c16) `rhs` is not quantized along a contracting dimension.
    * (dot_general_c17) the storage types of `lhs` and `rhs` are equal.
    * (dot_general_c18) the expressed types of operands and result are equal.
    * (dot_general_c19) if `rhs` has one scale, so has the result.
    * (dot_general_c20) if `lhs` is not quantized, its element type is what
      `rhs` expresses, and that of the result.
    * (dot_general_c21) with an `algorithm`, every precision is `DEFAULT`.

    ```mlir
    %r = stablehlo.dot_general %a, %b, batching_dims = [0] x [0],
      contracting_dims = [2] x [1], precision = [DEFAULT, HIGHEST]
      : (tensor<8x3x4xf32>, tensor<8x4x5xf32>) -> tensor<8x3x5xf32>
    ```
  }];
  let arguments = (ins StableHLO_TensorPerTensor:$lhs, StableHLO_Tensor:$rhs,
      StableHLO_DotDimensionNumbers:$dot_dimension_numbers,
      StableHLO_PrecisionConfigAttr:$precision_config,
      OptionalAttr<StableHLO_DotAlgorithm>:$algorithm);
  let results = (outs StableHLO_Tensor);
  let assemblyFormat = [{
    $lhs `,` $rhs `,` custom<DotDimensionNumbers>($dot_dimension_numbers)
      `` custom<PrecisionConfigAndAlgorithm>($precision_config, $algorithm)
      attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def StableHLO_DotOp : StableHLO_Op<"dot", [Pure]> {
  let summary = "Product of vectors and matrices";
  let description = [{
    The inner product of two vectors, or the product of a matrix with a vector
    or another matrix. `dot_general` says the same with explicit dimensions.

    Constraints:
    * (dot_c1) the ranks of the operands are 1 or 2 and the last dimension of
      `lhs` has the size of the first of `rhs`.
    * (dot_c2) `precision_config` has at most two members.
    * (dot_c3) the shape of the result is that of the product.

    ```mlir
    %r = stablehlo.dot %a, %b : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2xf32>
    ```
  }];
  let arguments = (ins StableHLO_TensorPerTensor:$lhs,
      StableHLO_TensorPerTensor:$rhs,
      StableHLO_PrecisionConfigAttr:$precision_config);
  let results = (outs StableHLO_TensorPerTensor);
  let assemblyFormat = [{
    $lhs `,` $rhs `` custom<PrecisionConfig>($precision_config)
      attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def StableHLO_EinsumOp : StableHLO_Op<"einsum", [Pure]> {
  let summary = "Sum of products in Einstein's notation";
  let description = [{
    `einsum_config` gives a letter to each dimension of both operands and of the
    result; letters that the result lacks are summed over. The text is not
    interpreted here.

    ```mlir
    %r = stablehlo.einsum %a, %b, config = "ab,bc->ac"
      : (tensor<4x16xf32>, tensor<16x4xf32>) -> tensor<4x4xf32>
    ```
  }];
  let arguments = (ins StableHLO_TensorPerTensor:$lhs,
      StableHLO_TensorPerTensor:$rhs, StrAttr:$einsum_config);
  let results = (outs StableHLO_TensorPerTensor);
  let assemblyFormat = [{
    $lhs `,` $rhs `,` `config` `=` $einsum_config attr-dict `:`
      functional-type(operands, results)
  }];
}

def StableHLO_UnaryEinsumOp : StableHLO_Op<"unary_einsum", [Pure]> {
  let summary = "Einstein's notation for one operand";
  let description = [{
    Transposes, sums or takes diagonals of one operand, as `einsum_config` says.
    The text is not interpreted here.

    ```mlir
    %r = stablehlo.unary_einsum %a, config = "ab->a"
      : (tensor<4x16xf32>) -> tensor<4xf32>
    ```
  }];
  let arguments = (ins StableHLO_TensorPerTensor:$operand,
                       StrAttr:$einsum_config);
  let results = (outs StableHLO_TensorPerTensor);
  let assemblyFormat = [{
    $operand `,` `config` `=` $einsum_config attr-dict `:`
      functional-type(operands, results)
  }];
}

//===----------------------------------------------------------------------===//
// Convolutions
//===----------------------------------------------------------------------===//

def StableHLO_GroupCount : ConfinedAttr<I64Attr, [IntPositive]>;

def StableHLO_ConvolutionOp : StableHLO_Op<"convolution", [Pure]> {
  let summary = "Dot products of a kernel with windows of the input";
  let description = [{
    Slides `rhs` over the spatial dimensions of `lhs` and computes a dot product
    over window and input features at every place. `dimension_numbers` names the
    dimensions of input, kernel and output.

    `padding` is added around the input after it has been spread by
    `lhs_dilation`; the kernel is spread by `rhs_dilation` and mirrored along
    the dimensions of `window_reversal`. All of them default to none.

    `feature_group_count` splits features, `batch_group_count` the batch, into
    groups that have their own kernels.

    Constraints:
    * (convolution_c1) `lhs` and `rhs` have the same rank.
    * (convolution_c2) `window_strides` has an entry for each spatial dimension.
    * (convolution_c3) `window_strides` are positive.
    * (convolution_c4) the shape of `padding` is [number of spatial
      dimensions, 2].
    * (convolution_c5) `lhs_dilation` has an entry for each spatial dimension.
    * (convolution_c6) `lhs_dilation` is positive.
    * (convolution_c7) `rhs_dilation` has an entry for each spatial dimension.
    * (convolution_c8) `rhs_dilation` is positive.
    * (convolution_c9) `window_reversal` has an entry for each spatial
      dimension.
    * (convolution_c10) `batch_group_count` divides the input batch.
    * (convolution_c11) `feature_group_count` divides the input features.
    * (convolution_c12) the rank is the number of spatial dimensions plus 2.
    * (convolution_c13) the input dimensions are distinct and in range.
    * (convolution_c14) the kernel's input features are the input features
      divided by `feature_group_count`.
    * (convolution_c15) `batch_group_count` divides the output features.
    * (convolution_c16) `feature_group_count` divides the output features.
    * (convolution_c17) kernel and input have equally many spatial dimensions.
    * (convolution_c18) the kernel dimensions are distinct and in range.
    * (convolution_c19) output and input have equally many spatial dimensions.
    * (convolution_c20) the output dimensions are distinct and in range.
    * (convolution_c21) `feature_group_count` is positive.
    * (convolution_c22) `batch_group_count` is positive.
    * (convolution_c23) at most one of the two counts is above 1.
    * (convolution_c24) `precision_config` has at most two members.
    * (convolution_c25, convolution_c26) the shape of the result follows from
      the places that the window fits in.
    * (convolution_c27) without quantization, `lhs` and `rhs` have the same
      element type.
    * (convolution_c28) quantized operands have quantized partners: `rhs`
      always, `lhs` and result both or neither.
    * (convolution_c29) a `rhs` quantized per axis is so along its output
      features.
    * (convolution_c30) a result quantized per axis is so along its features.
    * (convolution_c31) the storage types of `lhs` and `rhs` are equal.
    * (convolution_c32) the expressed types of operands and result are equal.
    * (convolution_c33) if `rhs` has one scale, so has the result.
    * (convolution_c34) if `lhs` is not quantized, its element type is what
      `rhs` expresses, and that of the result.

    ```mlir
    %r = stablehlo.convolution(%x, %k)
      dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f],
      window = {stride = [2, 2], pad = [[1, 1], [1, 1]]}
      {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
      : (tensor<1x8x8x3xf32>, tensor<3x3x3x16xf32>) -> tensor<1x4x4x16xf32>
    ```
  }];
  let arguments = (ins StableHLO_TensorPerTensor:$lhs, StableHLO_Tensor:$rhs,
      OptionalAttr<DenseI64ArrayAttr>:$window_strides,
      StableHLO_PaddingAttr:$padding,
      OptionalAttr<DenseI64ArrayAttr>:$lhs_dilation,
      OptionalAttr<DenseI64ArrayAttr>:$rhs_dilation,
      OptionalAttr<DenseBoolArrayAttr>:$window_reversal,
      StableHLO_ConvDimensionNumbers:$dimension_numbers,
      StableHLO_GroupCount:$feature_group_count,
      StableHLO_GroupCount:$batch_group_count,
      StableHLO_PrecisionConfigAttr:$precision_config);
  let results = (outs StableHLO_Tensor);
  let assemblyFormat = [{
    `(` operands `)` `dim_numbers` `=`
      custom<ConvolutionDimensions>($dimension_numbers) `,`
      `window` `=` `{` custom<WindowAttributes>($window_strides, $padding,
        $lhs_dilation, $rhs_dilation, $window_reversal) `}`
      attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def StableHLO_DynamicConvOp : StableHLO_Op<"dynamic_conv", [Pure]> {
  let summary = "A convolution with padding that is computed";
  let description = [{
    `convolution` whose padding is an operand: low and high padding of each
    spatial dimension.

    Constraints:
    * (dynamic_conv_c1 to dynamic_conv_c34) those of `convolution`. The window
      (c2, c3, c5 to c9) is checked when the padding is a constant, the shape of
      the result (c25, c26) never.
    * (dynamic_conv_c4) the shape of `padding` is [number of spatial
      dimensions, 2].

    ```mlir
    %r = "stablehlo.dynamic_conv"(%x, %k, %p) <{
      dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>,
      feature_group_count = 1 : i64, batch_group_count = 1 : i64}>
      : (tensor<1x8x3xf32>, tensor<3x3x4xf32>, tensor<1x2xi64>) -> tensor<1x?x4xf32>
    ```
  }];
  let arguments = (ins StableHLO_TensorPerTensor:$lhs, StableHLO_Tensor:$rhs,
      StableHLO_IntTensor:$padding,
      OptionalAttr<DenseI64ArrayAttr>:$window_strides,
      OptionalAttr<DenseI64ArrayAttr>:$lhs_dilation,
      OptionalAttr<DenseI64ArrayAttr>:$rhs_dilation,
      OptionalAttr<DenseBoolArrayAttr>:$window_reversal,
      StableHLO_ConvDimensionNumbers:$dimension_numbers,
      StableHLO_GroupCount:$feature_group_count,
      StableHLO_GroupCount:$batch_group_count,
      StableHLO_PrecisionConfigAttr:$precision_config);
  let results = (outs StableHLO_Tensor);
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Matrices
//===----------------------------------------------------------------------===//

def StableHLO_CholeskyOp : StableHLO_Op<"cholesky", [
    Pure, StableHLO_InferredTypes]> {
  let summary = "Cholesky decomposition of a batch of matrices";
  let description = [{
    Decomposes each Hermitian positive-definite matrix in the two last
    dimensions into a triangular matrix and its adjoint, and returns the
    triangular one: the lower if `lower`, otherwise the upper.

    Constraints:
    * (cholesky_c1) operand and result have compatible types.
    * (cholesky_c2) the rank of `a` is at least 2.
    * (cholesky_c3) the two last dimensions of `a` have the same size.

    ```mlir
    %r = stablehlo.cholesky %a, lower = true : tensor<3x3xf32>
    ```
  }];
  let arguments = (ins StableHLO_FloatComplexOrQuantizedTensor:$a,
      DefaultValuedOptionalAttr<BoolAttr, "false">:$lower);
  let results = (outs StableHLO_FloatComplexOrQuantizedTensor:$result);
  let assemblyFormat = [{
    $a (`,` `lower` `=` $lower^)? attr-dict `:`
      custom<SameOperandsAndResultType>(type($a), type($result))
  }];
}

def StableHLO_TriangularSolveOp : StableHLO_Op<"triangular_solve", [
    Pure, SameOperandsAndResultElementType, StableHLO_InferredTypes]> {
  let summary = "Solves systems with triangular matrices";
  let description = [{
    Solves `op(a) * x = b` if `left_side`, otherwise `x * op(a) = b`, for each
    pair of matrices in the two last dimensions. `transpose_a` gives `op`;
    `lower` says which triangle of `a` is read; with `unit_diagonal` its
    diagonal is taken to be ones.

    Constraints:
    * (triangular_solve_c1) `a` and `b` have the same element type.
    * (triangular_solve_c2) the ranks of `a` and `b` are equal and at least 2.
    * (triangular_solve_c3) the matrices of `a` are square, fit those of `b`,
      and the remaining dimensions agree.
    * (triangular_solve_c4) `b` and the result have compatible types.
    * (triangular_solve_i6) `transpose_a` is not `TRANSPOSE_INVALID`.

    ```mlir
    %x = "stablehlo.triangular_solve"(%a, %b) <{left_side = true, lower = true,
      transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = false}>
      : (tensor<3x3xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
    ```
  }];
  let arguments = (ins StableHLO_FloatOrComplexTensor:$a,
      StableHLO_FloatOrComplexTensor:$b, BoolAttr:$left_side, BoolAttr:$lower,
      BoolAttr:$unit_diagonal, StableHLO_TransposeAttr:$transpose_a);
  let results = (outs StableHLO_FloatOrComplexTensor);
}

//===----------------------------------------------------------------------===//
// Transforms
//===----------------------------------------------------------------------===//

def StableHLO_FftOp : StableHLO_Op<"fft", [Pure, StableHLO_InferredTypes]> {
  let summary = "Fourier transform of the last dimensions";
  let description = [{
    Transforms the last one to three dimensions: forward or inverse (`FFT`,
    `IFFT`), from real to complex numbers keeping half of the spectrum (`RFFT`),
    or back (`IRFFT`). `fft_length` holds the sizes before `RFFT` and after
    `IRFFT`.

    Constraints:
    * (fft_c1) the rank of the operand is at least the number of lengths.
    * (fft_c2) the element types are those of the transform: complex to complex,
      `RFFT` f32 or f64 to complex, `IRFFT` complex to real.
    * (fft_c3) there are one to three lengths.
    * (fft_c4) the real side of `RFFT` and `IRFFT` has the sizes `fft_length`,
      the complex side likewise but `fft_length[-1] / 2 + 1` in the last
      dimension.
    * (fft_c5) all other dimensions of operand and result agree.

    ```mlir
    %r = stablehlo.fft %x, type = RFFT, length = [16]
      : (tensor<4x16xf32>) -> tensor<4x9xcomplex<f32>>
    ```
  }];
  let arguments = (ins StableHLO_FloatOrComplexTensor:$operand,
      StableHLO_FftTypeAttr:$fft_type, DenseI64ArrayAttr:$fft_length);
  let results = (outs StableHLO_FloatOrComplexTensor);
  let assemblyFormat = [{
    $operand `,` `type` `=` custom<EnumKeyword>($fft_type) `,` `length` `=`
      $fft_length attr-dict `:` functional-type(operands, results)
  }];
}

//===----------------------------------------------------------------------===//
// Batch normalisation
//===----------------------------------------------------------------------===//

def StableHLO_FloatVector : Type<
    And<[StableHLO_FloatOrQuantizedTensor.predicate, HasAnyRankOfPred<[1]>]>,
    "1D tensor of 4/6/8/16/32/64-bit float or per-tensor integer quantized "
    "values",
    "::mlir::RankedTensorType">;
def StableHLO_FeatureIndex : ConfinedAttr<I64Attr, [IntNonNegative]>;

def StableHLO_BatchNormTrainingOp : StableHLO_Op<"batch_norm_training", [
    Pure, StableHLO_InferredTypes]> {
  let summary = "Normalises by the mean and variance of the batch";
  let description = [{
    Computes mean and variance of the operand over all dimensions except
    `feature_index`, and returns `scale * (operand - mean) / sqrt(variance +
    epsilon) + offset` with both.

    Constraints:
    * (batch_norm_training_c1) `feature_index` is a dimension of the operand.
    * (batch_norm_training_c2) operands and results have compatible
      element types.
    * (batch_norm_training_c3) `scale` has one element for each feature.
    * (batch_norm_training_c4) `offset` has one element for each feature.
    * (batch_norm_training_c5) `batch_mean` has one element for each feature.
    * (batch_norm_training_c6) `batch_var` has one element for each feature.
    * (batch_norm_training_c7) operand and `output` have compatible types.

    ```mlir
    %o, %m, %v = "stablehlo.batch_norm_training"(%x, %scale, %offset) <{
      epsilon = 1.0e-5 : f32, feature_index = 3 : i64}>
      : (tensor<8x4x4x16xf32>, tensor<16xf32>, tensor<16xf32>)
      -> (tensor<8x4x4x16xf32>, tensor<16xf32>, tensor<16xf32>)
    ```
  }];
  let arguments = (ins StableHLO_FloatOrQuantizedTensor:$operand,
      StableHLO_FloatVector:$scale, StableHLO_FloatVector:$offset,
      F32Attr:$epsilon, StableHLO_FeatureIndex:$feature_index);
  let results = (outs StableHLO_FloatOrQuantizedTensor:$output,
      StableHLO_FloatVector:$batch_mean, StableHLO_FloatVector:$batch_var);
}

def StableHLO_BatchNormInferenceOp : StableHLO_Op<"batch_norm_inference", [
    Pure, StableHLO_InferredTypes]> {
  let summary = "Normalises by a given mean and variance";
  let description = [{
    Computes `scale * (operand - mean) / sqrt(variance + epsilon) + offset`, the
    four taken along the dimension `feature_index`.

    Constraints:
    * (batch_norm_inference_c1) `feature_index` is a dimension of the operand.
    * (batch_norm_inference_c2) operands and result have compatible
      element types.
    * (batch_norm_inference_c3) `scale` has one element for each feature.
    * (batch_norm_inference_c4) `offset` has one element for each feature.
    * (batch_norm_inference_c5) `mean` has one element for each feature.
    * (batch_norm_inference_c6) `variance` has one element for each feature.
    * (batch_norm_inference_c7) operand and result have compatible types.

    ```mlir
    %r = "stablehlo.batch_norm_inference"(%x, %scale, %offset, %mean, %var) <{
      epsilon = 1.0e-5 : f32, feature_index = 1 : i64}>
      : (tensor<8x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>,
         tensor<4xf32>) -> tensor<8x4xf32>
    ```
  }];
  let arguments = (ins StableHLO_FloatOrQuantizedTensor:$operand,
      StableHLO_FloatVector:$scale, StableHLO_FloatVector:$offset,
      StableHLO_FloatVector:$mean, StableHLO_FloatVector:$variance,
      F32Attr:$epsilon, StableHLO_FeatureIndex:$feature_index);
  let results = (outs StableHLO_FloatOrQuantizedTensor:$result);
}

def StableHLO_BatchNormGradOp : StableHLO_Op<"batch_norm_grad", [
    Pure, StableHLO_InferredTypes]> {
  let summary = "Gradient of batch_norm_training";
  let description = [{
    From the gradient of the output computes those of operand, scale and offset.

    Constraints:
    * (batch_norm_grad_c1) `feature_index` is a dimension of the operand.
    * (batch_norm_grad_c2) operands and results have compatible
      element types.
    * (batch_norm_grad_c3) `operand`, `grad_output` and `grad_operand` have the
      same shape.
    * (batch_norm_grad_c4) `scale`, `mean`, `variance`, `grad_scale` and
      `grad_offset` have the same shape.
    * (batch_norm_grad_c5) `scale` has one element for each feature.

    ```mlir
    %x, %s, %o = "stablehlo.batch_norm_grad"(%operand, %scale, %mean, %var, %g)
      <{epsilon = 1.0e-5 : f32, feature_index = 1 : i64}>
      : (tensor<8x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>,
         tensor<8x4xf32>) -> (tensor<8x4xf32>, tensor<4xf32>, tensor<4xf32>)
    ```
  }];
  let arguments = (ins StableHLO_FloatOrQuantizedTensor:$operand,
      StableHLO_FloatVector:$scale, StableHLO_FloatVector:$mean,
      StableHLO_FloatVector:$variance, StableHLO_FloatOrQuantizedTensor:$grad_output,
      F32Attr:$epsilon, StableHLO_FeatureIndex:$feature_index);
  let results = (outs StableHLO_FloatOrQuantizedTensor:$grad_operand,
      StableHLO_FloatVector:$grad_scale, StableHLO_FloatVector:$grad_offset);
}

#endif // HETERO_DIALECT_STABLEHLO_STABLEHLOCONTRACTIONOPS_TD
