//===- CudaLibraries.h - Entry points of CUDA, cuBLAS and NCCL --*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The functions that are used of the three libraries, with the types that the
// toolkit's headers give them, looked up at run time. The headers rename some
// (cuMemAlloc is cuMemAlloc_v2); the names are expanded before they are looked
// up.

#ifndef HETERO_LIB_RUNTIME_CUDA_CUDALIBRARIES_H
#define HETERO_LIB_RUNTIME_CUDA_CUDALIBRARIES_H

#include "hetero/Runtime/CudaApi.h"
#include <cublas_v2.h>
#include <cuda.h>
#include <nccl.h>

#define HETERO_DRIVER_FUNCTIONS(F)                                             \
  F(cuInit)                                                                    \
  F(cuGetErrorName)                                                            \
  F(cuGetErrorString)                                                          \
  F(cuDeviceGetCount)                                                          \
  F(cuDeviceGet)                                                               \
  F(cuDeviceGetName)                                                           \
  F(cuDeviceGetAttribute)                                                      \
  F(cuDevicePrimaryCtxRetain)                                                  \
  F(cuDevicePrimaryCtxRelease)                                                 \
  F(cuCtxSetCurrent)                                                           \
  F(cuMemAlloc)                                                                \
  F(cuMemFree)                                                                 \
  F(cuMemAllocAsync)                                                           \
  F(cuMemFreeAsync)                                                            \
  F(cuMemAllocHost)                                                            \
  F(cuMemFreeHost)                                                             \
  F(cuMemcpyHtoDAsync)                                                         \
  F(cuMemcpyDtoHAsync)                                                         \
  F(cuMemcpyDtoDAsync)                                                         \
  F(cuMemcpy2DAsync)                                                           \
  F(cuModuleLoadData)                                                          \
  F(cuModuleUnload)                                                            \
  F(cuModuleGetFunction)                                                       \
  F(cuLaunchKernel)                                                            \
  F(cuStreamCreate)                                                            \
  F(cuStreamDestroy)                                                           \
  F(cuStreamQuery)                                                             \
  F(cuStreamWaitEvent)                                                         \
  F(cuEventCreate)                                                             \
  F(cuEventRecord)                                                             \
  F(cuEventQuery)                                                              \
  F(cuEventElapsedTime)                                                        \
  F(cuEventDestroy)                                                            \
  F(cuStreamBeginCapture)                                                      \
  F(cuStreamEndCapture)                                                        \
  F(cuGraphInstantiate)                                                        \
  F(cuGraphLaunch)                                                             \
  F(cuGraphExecDestroy)                                                        \
  F(cuGraphDestroy)

#define HETERO_CUBLAS_FUNCTIONS(F)                                             \
  F(cublasCreate)                                                              \
  F(cublasDestroy)                                                             \
  F(cublasSetStream)                                                           \
  F(cublasGetStatusString)                                                     \
  F(cublasAxpyEx)

#define HETERO_NCCL_FUNCTIONS(F)                                               \
  F(ncclGetErrorString)                                                        \
  F(ncclGetUniqueId)                                                           \
  F(ncclCommInitRank)                                                          \
  F(ncclCommDestroy)                                                           \
  F(ncclCommAbort)                                                             \
  F(ncclCommGetAsyncError)                                                     \
  F(ncclGroupStart)                                                            \
  F(ncclGroupEnd)                                                              \
  F(ncclSend)                                                                  \
  F(ncclRecv)                                                                  \
  F(ncclBroadcast)                                                             \
  F(ncclAllReduce)                                                             \
  F(ncclReduce)                                                                \
  F(ncclAllGather)                                                             \
  F(ncclReduceScatter)

namespace hetero::runtime {

/// The headers have two of this name.
using GemmStridedBatchedEx = cublasStatus_t (*)(
    cublasHandle_t, cublasOperation_t, cublasOperation_t, int m, int n, int k,
    const void *alpha, const void *a, cudaDataType, int lda, long long strideA,
    const void *b, cudaDataType, int ldb, long long strideB, const void *beta,
    void *c, cudaDataType, int ldc, long long strideC, int batch,
    cublasComputeType_t, cublasGemmAlgo_t);
static_assert(static_cast<GemmStridedBatchedEx>(&::cublasGemmStridedBatchedEx),
              "not the type that the toolkit declares");

/// The three libraries, loaded.
struct CudaFunctions {
  GemmStridedBatchedEx gemmStridedBatchedEx = nullptr;
#define HETERO_MEMBER(name) decltype(&::name) name = nullptr;
  HETERO_DRIVER_FUNCTIONS(HETERO_MEMBER)
  HETERO_CUBLAS_FUNCTIONS(HETERO_MEMBER)
  HETERO_NCCL_FUNCTIONS(HETERO_MEMBER)
#undef HETERO_MEMBER

  /// They stay loaded. The error names the library or the function.
  static Result<CudaFunctions> load(CudaLibraries libraries);
};

} // namespace hetero::runtime

#endif // HETERO_LIB_RUNTIME_CUDA_CUDALIBRARIES_H
