//===- CudaApiMissing.cpp - In place of CUDA ------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Runtime/CudaApi.h"

using namespace hetero::runtime;

static const char message[] =
    "this build of hetero has no CUDA, because no toolkit with cuBLAS, cuFFT, "
    "cuSOLVER and NCCL was found when it was configured";

bool hetero::runtime::isCudaBuilt() { return false; }

Result<std::unique_ptr<CudaApi>> hetero::runtime::createCudaApi(int,
                                                                CudaLibraries) {
  return Error{message};
}

Result<CudaMachine> hetero::runtime::findCuda(const CudaLibraries &) {
  return Error{message};
}

std::string CudaMachine::str() const { return std::string(message) + "\n"; }

MaybeError hetero::runtime::checkCudaLibraries(const CudaLibraries &) {
  return message;
}
