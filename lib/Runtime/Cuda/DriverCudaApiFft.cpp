//===- DriverCudaApiFft.cpp - What a CUDA device does by cuFFT ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "DriverCudaApi.h"
#include <algorithm>
#include <tuple>

using namespace hetero::runtime;

static MaybeError check(cufftResult result, const char *what) {
  auto name = [&]() -> std::string {
    switch (result) {
    case CUFFT_INVALID_PLAN:
      return "CUFFT_INVALID_PLAN";
    case CUFFT_ALLOC_FAILED:
      return "CUFFT_ALLOC_FAILED";
    case CUFFT_INVALID_VALUE:
      return "CUFFT_INVALID_VALUE";
    case CUFFT_INTERNAL_ERROR:
      return "CUFFT_INTERNAL_ERROR";
    case CUFFT_EXEC_FAILED:
      return "CUFFT_EXEC_FAILED";
    case CUFFT_SETUP_FAILED:
      return "CUFFT_SETUP_FAILED";
    case CUFFT_INVALID_SIZE:
      return "CUFFT_INVALID_SIZE";
    default:
      return "result " + std::to_string(result) + " of cuFFT";
    }
  };
  if (result == CUFFT_SUCCESS)
    return std::nullopt;
  return std::string(what) + " failed: " + name();
}

static bool areEqual(const CudaFft &a, const CudaFft &b) {
  auto key = [](const CudaFft &fft) {
    return std::tie(fft.kind, fft.isDouble, fft.batch, fft.lengths);
  };
  return key(a) == key(b);
}

/// The workspace is ours, so that a step allocates nothing.
MaybeError DriverCudaApi::makePlan(FftPlan &plan) {
  const CudaFft &fft = plan.fft;
  if (MaybeError error = ::check(cufft->cufftCreate(&plan.plan), "cufftCreate"))
    return error;
  if (MaybeError error =
          ::check(cufft->cufftSetAutoAllocation(plan.plan, /*autoAllocate=*/0),
                  "cufftSetAutoAllocation"))
    return error;
  cudaDataType real = fft.isDouble ? CUDA_R_64F : CUDA_R_32F;
  cudaDataType complex = fft.isDouble ? CUDA_C_64F : CUDA_C_32F;
  std::vector<long long> lengths(fft.lengths.begin(), fft.lengths.end());
  size_t bytes = 0;
  // Without embeddings the tensors are dense.
  if (MaybeError error = ::check(
          cufft->cufftXtMakePlanMany(
              plan.plan, static_cast<int>(lengths.size()), lengths.data(),
              /*inembed=*/nullptr, 1, 1, fft.kind == kRfft ? real : complex,
              /*onembed=*/nullptr, 1, 1, fft.kind == kIrfft ? real : complex,
              fft.batch, &bytes, complex),
          "cufftXtMakePlanMany"))
    return error;
  plan.workspace = static_cast<int64_t>(bytes);
  return std::nullopt;
}

Result<CudaHandle> DriverCudaApi::planFft(const CudaFft &fft,
                                          int64_t &workspace) {
  auto known = std::find_if(plans.begin(), plans.end(), [&](auto &plan) {
    return areEqual(plan.fft, fft);
  });
  if (known == plans.end()) {
    if (MaybeError error = enter())
      return Error{*error};
    if (!cufft) {
      Result<CufftFunctions> loaded = CufftFunctions::load(f);
      if (!loaded)
        return Error{loaded.error()};
      cufft = *loaded;
    }
    FftPlan made;
    made.fft = fft;
    if (MaybeError error = makePlan(made)) {
      if (made.plan)
        cufft->cufftDestroy(made.plan);
      return Error{*error};
    }
    known = plans.insert(plans.end(), std::move(made));
  }
  workspace = known->workspace;
  return static_cast<CudaHandle>(known - plans.begin());
}

MaybeError DriverCudaApi::runFft(CudaHandle handle, void *from, void *to,
                                 void *workspace, CudaHandle stream) {
  if (MaybeError error = enter())
    return error;
  const FftPlan &plan = plans[handle];
  if (MaybeError error =
          ::check(cufft->cufftSetStream(plan.plan,
                                        reinterpret_cast<cudaStream_t>(stream)),
                  "cufftSetStream"))
    return error;
  if (plan.workspace > 0)
    if (MaybeError error = ::check(
            cufft->cufftSetWorkArea(plan.plan, workspace), "cufftSetWorkArea"))
      return error;
  bool isInverse = plan.fft.kind == kIfft || plan.fft.kind == kIrfft;
  return ::check(cufft->cufftXtExec(plan.plan, from, to,
                                    isInverse ? CUFFT_INVERSE : CUFFT_FORWARD),
                 "cufftXtExec");
}
