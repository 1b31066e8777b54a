//===- CudaMachine.h - What there is to run on with CUDA --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The driver, what it sees, and the libraries for it. The devices are asked
// before the libraries are looked for, which have to run on all of them.

#ifndef HETERO_LIB_RUNTIME_CUDA_CUDAMACHINE_H
#define HETERO_LIB_RUNTIME_CUDA_CUDAMACHINE_H

#include "CudaLibraries.h"

namespace hetero::runtime {

struct LoadedCuda {
  CudaFunctions functions;
  CudaMachine machine;
};

/// Everything stays loaded. The error says what is missing.
Result<LoadedCuda> loadCuda(const CudaLibraries &libraries);

} // namespace hetero::runtime

#endif // HETERO_LIB_RUNTIME_CUDA_CUDAMACHINE_H
