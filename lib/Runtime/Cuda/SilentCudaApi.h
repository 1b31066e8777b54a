//===- SilentCudaApi.h - A device that does nothing -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef HETERO_LIB_RUNTIME_CUDA_SILENTCUDAAPI_H
#define HETERO_LIB_RUNTIME_CUDA_SILENTCUDAAPI_H

#include "hetero/Runtime/CudaApi.h"

namespace hetero::runtime {

/// For a rehearsal: modules are loaded, kernels looked up and transforms
/// planned by `real`; what would enter work does nothing and succeeds.
std::unique_ptr<CudaApi> createSilentCudaApi(CudaApi &real);

} // namespace hetero::runtime

#endif // HETERO_LIB_RUNTIME_CUDA_SILENTCUDAAPI_H
