//===- DriverCudaApiBlas.cpp - What a CUDA device does by cuBLAS ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "DriverCudaApi.h"
#include <algorithm>

using namespace hetero::runtime;

static cudaDataType toCudaType(ElementType type) {
  switch (type) {
  case ElementType::F16:
    return CUDA_R_16F;
  case ElementType::BF16:
    return CUDA_R_16BF;
  case ElementType::F64:
    return CUDA_R_64F;
  case ElementType::C64:
    return CUDA_C_32F;
  case ElementType::C128:
    return CUDA_C_64F;
  default:
    return CUDA_R_32F;
  }
}

namespace {
/// A matrix as cuBLAS sees it, column by column or transposed.
struct Matrix {
  bool isRowMajor;
  int ld;
};
} // namespace

static Matrix describeMatrix(int64_t rows, int64_t columns,
                             const CudaGemm::Steps &steps) {
  if (columns == 1 || steps.column == 1)
    return {true, static_cast<int>(rows == 1 ? std::max<int64_t>(columns, 1)
                                             : steps.row)};
  return {false, static_cast<int>(steps.column)};
}

MaybeError DriverCudaApi::gemm(const CudaGemm &gemm, const void *a,
                               const void *b, void *c, CudaHandle stream) {
  if (MaybeError error = enter())
    return error;
  if (MaybeError error =
          check(f.cublasSetStream(cublas, toStream(stream)), "cublasSetStream"))
    return error;
  bool isDouble = gemm.type == ElementType::F64;
  float alpha = 1, beta = gemm.accumulate ? 1 : 0;
  double wideAlpha = alpha, wideBeta = beta;
  const void *one = isDouble ? static_cast<const void *>(&wideAlpha) : &alpha;
  const void *old = isDouble ? static_cast<const void *>(&wideBeta) : &beta;
  cublasComputeType_t compute =
      isDouble ? CUBLAS_COMPUTE_64F : CUBLAS_COMPUTE_32F;
  cudaDataType type = toCudaType(gemm.type);
  cudaDataType resultType = toCudaType(gemm.resultType);
  Matrix left = describeMatrix(gemm.m, gemm.k, gemm.a);
  Matrix right = describeMatrix(gemm.k, gemm.n, gemm.b);
  Matrix result = describeMatrix(gemm.m, gemm.n, gemm.c);
  // cuBLAS writes column by column; a result that lies row by row is the
  // transposed product.
  auto transpose = [&](const Matrix &matrix) {
    return matrix.isRowMajor == result.isRowMajor ? CUBLAS_OP_N : CUBLAS_OP_T;
  };
  if (result.isRowMajor)
    return check(f.gemmStridedBatchedEx(
                     cublas, transpose(right), transpose(left), gemm.n, gemm.m,
                     gemm.k, one, b, type, right.ld, gemm.b.batch, a, type,
                     left.ld, gemm.a.batch, old, c, resultType, result.ld,
                     gemm.c.batch, gemm.batch, compute, CUBLAS_GEMM_DEFAULT),
                 "cublasGemmStridedBatchedEx");
  return check(f.gemmStridedBatchedEx(
                   cublas, transpose(left), transpose(right), gemm.m, gemm.n,
                   gemm.k, one, a, type, left.ld, gemm.a.batch, b, type,
                   right.ld, gemm.b.batch, old, c, resultType, result.ld,
                   gemm.c.batch, gemm.batch, compute, CUBLAS_GEMM_DEFAULT),
               "cublasGemmStridedBatchedEx");
}

MaybeError DriverCudaApi::add(ElementType type, const void *value, void *sum,
                              int64_t count, CudaHandle stream) {
  if (MaybeError error = enter())
    return error;
  if (MaybeError error =
          check(f.cublasSetStream(cublas, toStream(stream)), "cublasSetStream"))
    return error;
  cudaDataType data = toCudaType(type);
  bool isWide = type == ElementType::F64 || type == ElementType::C128;
  bool isComplex = type == ElementType::C64 || type == ElementType::C128;
  cudaDataType scale = isComplex ? data : isWide ? CUDA_R_64F : CUDA_R_32F;
  const float alpha[2] = {1, 0};
  const double wideAlpha[2] = {1, 0};
  const void *one = isWide ? static_cast<const void *>(wideAlpha) : alpha;
  constexpr int64_t most = int64_t(1) << 30;
  for (int64_t begin = 0; begin < count; begin += most) {
    int64_t size = std::min(most, count - begin), offset = begin * sizeOf(type);
    if (MaybeError error = check(
            f.cublasAxpyEx(cublas, size, one, scale,
                           static_cast<const char *>(value) + offset, data, 1,
                           static_cast<char *>(sum) + offset, data, 1, scale),
            "cublasAxpyEx"))
      return error;
  }
  return std::nullopt;
}
