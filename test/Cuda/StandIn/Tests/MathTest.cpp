//===- MathTest.cpp - cuFFT and cuSOLVER of the stand-in ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Harness.h"
#include <cmath>
#include <cufftXt.h>
#include <cusolverDn.h>
#include <dlfcn.h>

using namespace hetero::standin::tests;

/// An entry point that the other tests do not need.
template <typename Function>
static Function *find(Function *, const char *name) {
  void *library = dlopen(HETERO_STANDIN_LIBRARY, RTLD_NOW | RTLD_LOCAL);
  return reinterpret_cast<Function *>(dlsym(library, name));
}
#define FIND(name) find(&::name, #name)

namespace {
/// A plan for one transform of eight numbers.
struct Transform : Gpu {
  Transform(cudaDataType from, cudaDataType to) {
    OK(FIND(cufftCreate)(&plan));
    OK(FIND(cufftSetAutoAllocation)(plan, 0));
    long long length = 8;
    size_t bytes = 0;
    OK(FIND(cufftXtMakePlanMany)(plan, 1, &length, nullptr, 1, 1, from, nullptr,
                                 1, 1, to, 1, &bytes, CUDA_C_32F));
    OK(FIND(cufftSetStream)(plan, toCuda(stream)));
    workspace = allocate(bytes / 4, "workspace");
  }

  void setWorkspace() const {
    OK(FIND(cufftSetWorkArea)(plan, toPointer(workspace)));
  }
  cufftResult run(CUdeviceptr from, CUdeviceptr to, int direction) const {
    return FIND(cufftXtExec)(plan, toPointer(from), toPointer(to), direction);
  }

  cufftHandle plan = 0;
  CUdeviceptr workspace = 0;
};

/// A handle of cuSOLVER and a definite matrix, 4 1 1 3.
struct Matrix : Gpu {
  Matrix() {
    OK(FIND(cusolverDnCreate)(&handle));
    OK(FIND(cusolverDnSetStream)(handle, toCuda(stream)));
    OK(FIND(cusolverDnSpotrf_bufferSize)(handle, CUBLAS_FILL_MODE_LOWER, 2,
                                         nullptr, 2, &size));
    data = allocate(4, "matrix");
    info = allocate(1);
    workspace = allocate(size);
    write(data, {4, 1, 1, 3});
  }

  cusolverStatus_t factorize(int lda = 2, int given = 0) const {
    return FIND(cusolverDnSpotrf)(handle, CUBLAS_FILL_MODE_LOWER, 2,
                                  toPointer(data), lda, toPointer(workspace),
                                  given ? given : size,
                                  reinterpret_cast<int *>(toPointer(info)));
  }

  cusolverDnHandle_t handle = nullptr;
  int size = 0;
  CUdeviceptr data = 0, info = 0, workspace = 0;
};
} // namespace

TEST(StandInMath, NumbersAreTransformed) {
  Outcome outcome = run("", [] {
    Transform there(CUDA_R_32F, CUDA_C_32F), back(CUDA_C_32F, CUDA_R_32F);
    CUdeviceptr numbers = there.allocate(8), waves = there.allocate(10);
    there.setWorkspace();
    back.setWorkspace();
    there.write(numbers, {1, 2, 3, 4, 5, 6, 7, 8});
    OK(there.run(numbers, waves, CUFFT_FORWARD));
    std::vector<float> found = there.read(waves, 10);
    CHECK(found[0] == 36 && std::abs(found[8] + 4) < 1e-5);
    OK(there.f.cuStreamSynchronize(there.stream));
    OK(back.run(waves, numbers, CUFFT_INVERSE));
    // Not divided by their number, and the operand is gone.
    CHECK(std::abs(back.read(numbers, 8)[2] - 24) < 1e-4);
    CHECK(std::isnan(back.read(waves, 10)[0]));
    CHECK(there.run(numbers, waves, CUFFT_INVERSE) == CUFFT_INVALID_VALUE);
  });
  EXPECT_TRUE(outcome.isRight) << outcome;
}

TEST(StandInMath, TransformsNeedTheirWorkspace) {
  Outcome outcome = run("", [] {
    Transform there(CUDA_R_32F, CUDA_C_32F);
    CUdeviceptr numbers = there.allocate(8), waves = there.allocate(10);
    there.run(numbers, waves, CUFFT_FORWARD);
  });
  EXPECT_TRUE(outcome.says("a plan without a work area")) << outcome;
  outcome = run("", [] {
    Transform there(CUDA_R_32F, CUDA_C_32F);
    CUdeviceptr numbers = there.allocate(8), waves = there.allocate(9, "waves");
    there.write(numbers, {1, 2, 3, 4, 5, 6, 7, 8});
    there.setWorkspace();
    OK(there.run(numbers, waves, CUFFT_FORWARD));
    OK(there.f.cuCtxSynchronize());
  });
  EXPECT_TRUE(outcome.says("'waves', 36 bytes")) << outcome;
}

TEST(StandInMath, MatricesAreFactorized) {
  Outcome outcome = run("", [] {
    Matrix matrix;
    CHECK(matrix.factorize(2, matrix.size - 1) ==
          CUSOLVER_STATUS_INVALID_VALUE);
    OK(matrix.factorize());
    std::vector<float> found = matrix.read(matrix.data, 4);
    CHECK(found[0] == 2 && found[1] == 0.5f && found[2] == 1);
    CHECK(std::abs(found[3] * found[3] - 2.75f) < 1e-6f);
    CHECK(matrix.read(matrix.info, 1)[0] == 0);
  });
  EXPECT_TRUE(outcome.isRight) << outcome;
  outcome = run("", [] {
    Matrix matrix;
    OK(matrix.factorize(3));
    OK(matrix.f.cuCtxSynchronize());
  });
  EXPECT_TRUE(outcome.says("cusolverDnSpotrf")) << outcome;
  EXPECT_TRUE(outcome.says("'matrix', 16 bytes")) << outcome;
}

TEST(StandInMath, SolversAreNotCaptured) {
  Outcome outcome = run("", [] {
    Matrix matrix;
    OK(matrix.f.cuStreamBeginCapture(matrix.stream,
                                     CU_STREAM_CAPTURE_MODE_RELAXED));
    CHECK(matrix.factorize() == CUSOLVER_STATUS_INTERNAL_ERROR);
  });
  EXPECT_TRUE(outcome.isRight) << outcome;
}
