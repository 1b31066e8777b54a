//===- BlasTest.cpp - cuBLAS of the stand-in ------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Harness.h"
#include "Numbers.h"

using namespace hetero::standin;
using namespace hetero::standin::tests;

namespace {
/// A handle on the first device.
struct Blas : Gpu {
  Blas() {
    OK(f.cublasCreate(&handle));
    OK(f.cublasSetStream(handle, toCuda(stream)));
  }

  cublasStatus_t multiply(CUdeviceptr a, CUdeviceptr b, CUdeviceptr c,
                          float beta = 0, int ldb = 2, int batch = 1) const {
    float alpha = 1;
    return f.gemm(handle, CUBLAS_OP_N, CUBLAS_OP_T, 3, 2, 2, &alpha,
                  toPointer(a), CUDA_R_32F, 3, 6, toPointer(b), CUDA_R_32F, ldb,
                  4, &beta, toPointer(c), CUDA_R_32F, 3, 6, batch,
                  CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT);
  }

  cublasHandle_t handle = nullptr;
};
} // namespace

TEST(StandInBlas, MatricesAreMultiplied) {
  for (const std::string &schedule : getSchedules(getNumSeeds())) {
    Outcome outcome = run(schedule, [] {
      Blas blas;
      CUdeviceptr a = blas.allocate(12), b = blas.allocate(8),
                  c = blas.allocate(12);
      blas.write(a, {1, 2, 3, 4, 5, 6, 1, 1, 1, 1, 1, 1});
      blas.write(b, {1, 0, 2, 1, 1, 1, 1, 1});
      OK(blas.multiply(a, b, c, 0, 2, 2));
      // A times the transposed of B, column by column.
      CHECK((blas.read(c, 12) ==
             std::vector<float>{9, 12, 15, 4, 5, 6, 2, 2, 2, 2, 2, 2}));
      OK(blas.multiply(a, b, c, 1));
      CHECK(blas.read(c, 12)[1] == 24);
    });
    ASSERT_TRUE(outcome.isRight) << schedule << " " << outcome;
  }
}

TEST(StandInBlas, ExtentsAreExact) {
  auto program = [](size_t count) {
    Blas blas;
    CUdeviceptr a = blas.allocate(6), b = blas.allocate(4);
    blas.write(a, {1, 2, 3, 4, 5, 6});
    blas.write(b, {1, 0, 2, 1});
    OK(blas.multiply(a, b, blas.allocate(count, "result")));
    OK(blas.f.cuCtxSynchronize());
  };
  EXPECT_TRUE(run("", [&] { program(6); }).isRight);
  Outcome outcome = run("", [&] { program(5); });
  EXPECT_TRUE(outcome.says("gemm of 1 x 3x2x2")) << outcome;
  EXPECT_TRUE(outcome.says("('result', 20 bytes)")) << outcome;
}

TEST(StandInBlas, ParametersAreChecked) {
  Outcome outcome = run("", [] {
    Blas blas;
    CUdeviceptr a = blas.allocate(12);
    CHECK(blas.multiply(a, a, a, 0, /*ldb=*/1) == CUBLAS_STATUS_INVALID_VALUE);
    CHECK(blas.multiply(a, a, a, 0, /*ldb=*/-1) == CUBLAS_STATUS_INVALID_VALUE);
  });
  EXPECT_TRUE(outcome.isRight) << outcome;
}

TEST(StandInBlas, ShortFloatsAreRoundedOnce) {
  Outcome outcome = run("", [] {
    Blas blas;
    // 256 * 1 + 1 * 1 + 1 * 1 is 258 in bf16, if 257 was not rounded before.
    std::vector<BFloat> left, right(3, BFloat(1));
    for (float value : {256.0f, 1.0f, 1.0f})
      left.emplace_back(value);
    CUdeviceptr a = blas.allocate(2), b = blas.allocate(2),
                c = blas.allocate(1);
    OK(blas.f.cuMemcpyHtoDAsync(a, left.data(), 6, blas.stream));
    OK(blas.f.cuMemcpyHtoDAsync(b, right.data(), 6, blas.stream));
    float alpha = 1, beta = 0;
    OK(blas.f.gemm(blas.handle, CUBLAS_OP_N, CUBLAS_OP_N, 1, 1, 3, &alpha,
                   toPointer(a), CUDA_R_16BF, 1, 0, toPointer(b), CUDA_R_16BF,
                   3, 0, &beta, toPointer(c), CUDA_R_16BF, 1, 0, 1,
                   CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT));
    alpha = beta = 7;
    BFloat result;
    OK(blas.f.cuMemcpyDtoHAsync(&result, c, 2, blas.stream));
    OK(blas.f.cuStreamSynchronize(blas.stream));
    CHECK(float(result) == 258);
  });
  EXPECT_TRUE(outcome.isRight) << outcome;
}

TEST(StandInBlas, VectorsAreAdded) {
  Outcome outcome = run("", [] {
    Blas blas;
    CUdeviceptr x = blas.allocate(4), y = blas.allocate(4);
    blas.write(x, {1, 2, 3, 4});
    blas.write(y, {1, 1, 1, 1});
    float alpha = 2;
    OK(blas.f.cublasAxpyEx(blas.handle, 4, &alpha, CUDA_R_32F, toPointer(x),
                           CUDA_R_32F, 1, toPointer(y), CUDA_R_32F, 1,
                           CUDA_R_32F));
    CHECK((blas.read(y, 4) == std::vector<float>{3, 5, 7, 9}));
    // i times (1, 2), (3, 4).
    const float i[] = {0, 1};
    blas.write(y, {0, 0, 0, 0});
    OK(blas.f.cublasAxpyEx(blas.handle, 2, i, CUDA_C_32F, toPointer(x),
                           CUDA_C_32F, 1, toPointer(y), CUDA_C_32F, 1,
                           CUDA_C_32F));
    CHECK((blas.read(y, 4) == std::vector<float>{-2, 1, -4, 3}));
  });
  EXPECT_TRUE(outcome.isRight) << outcome;
}

/// Every value of 16 bits is itself after a round trip, and the middle of two
/// goes to the even one.
TEST(StandInNumbers, ShortFloatsAreRoundedToTheNearest) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    Half half;
    half.bits = bits;
    BFloat bfloat;
    bfloat.bits = bits;
    if (!std::isnan(float(half))) {
      EXPECT_EQ(Half(float(half)).bits, bits);
    }
    if (!std::isnan(float(bfloat))) {
      EXPECT_EQ(BFloat(float(bfloat)).bits, bits);
      // bf16 is the upper half of f32.
      uint32_t wide = bits << 16;
      float value = bfloat;
      EXPECT_EQ(std::memcmp(&wide, &value, 4), 0);
    }
  }
  EXPECT_EQ(float(Half(2049.0f)), 2048.0f);
  EXPECT_EQ(float(Half(2051.0f)), 2052.0f);
  EXPECT_EQ(float(Half(65519.0f)), 65504.0f);
  EXPECT_TRUE(std::isinf(float(Half(65520.0f))));
  EXPECT_EQ(float(BFloat(257.0f)), 256.0f);
  EXPECT_EQ(float(BFloat(259.0f)), 260.0f);
}
