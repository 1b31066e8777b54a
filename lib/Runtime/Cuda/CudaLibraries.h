//===- CudaLibraries.h - Entry points of CUDA, cuBLAS and NCCL --*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The functions that are used of the three libraries, with the types that the
// toolkit's headers give them, looked up at run time. The headers rename some
// (cuMemAlloc is cuMemAlloc_v2); the names are expanded before they are looked
// up. The driver comes first: it tells which libraries of the others fit
// (CudaSearch.h).

#ifndef HETERO_LIB_RUNTIME_CUDA_CUDALIBRARIES_H
#define HETERO_LIB_RUNTIME_CUDA_CUDALIBRARIES_H

#include "CudaSearch.h"
#include "hetero/Runtime/CudaApi.h"
#include <cublas_v2.h>
#include <cuda.h>
#include <functional>
#include <nccl.h>

#define HETERO_DRIVER_FUNCTIONS(F)                                             \
  F(cuInit)                                                                    \
  F(cuDriverGetVersion)                                                        \
  F(cuGetErrorName)                                                            \
  F(cuGetErrorString)                                                          \
  F(cuDeviceGetCount)                                                          \
  F(cuDeviceGet)                                                               \
  F(cuDeviceGetName)                                                           \
  F(cuDeviceGetUuid)                                                           \
  F(cuDeviceTotalMem)                                                          \
  F(cuDeviceGetAttribute)                                                      \
  F(cuDevicePrimaryCtxRetain)                                                  \
  F(cuDevicePrimaryCtxRelease)                                                 \
  F(cuCtxSetCurrent)                                                           \
  F(cuMemAlloc)                                                                \
  F(cuMemFree)                                                                 \
  F(cuMemAllocAsync)                                                           \
  F(cuMemFreeAsync)                                                            \
  F(cuMemAllocHost)                                                            \
  F(cuMemHostAlloc)                                                            \
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
  F(cublasGetProperty)                                                         \
  F(cublasCreate)                                                              \
  F(cublasDestroy)                                                             \
  F(cublasSetStream)                                                           \
  F(cublasGetStatusString)                                                     \
  F(cublasAxpyEx)                                                              \
  F(cublasStrsm)                                                               \
  F(cublasDtrsm)                                                               \
  F(cublasCtrsm)                                                               \
  F(cublasZtrsm)                                                               \
  F(cublasSgeam)                                                               \
  F(cublasDgeam)                                                               \
  F(cublasCgeam)                                                               \
  F(cublasZgeam)

#define HETERO_NCCL_FUNCTIONS(F)                                               \
  F(ncclGetVersion)                                                            \
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

// Since NCCL 2.14. Null in a library without them.
#define HETERO_LATER_NCCL_FUNCTIONS(F)                                         \
  F(ncclCommInitRankConfig)                                                    \
  F(ncclCommFinalize)

// Older headers give cuGraphInstantiate other arguments.
static_assert(CUDA_VERSION >= 12000, "the toolkit is older than CUDA 12.0");

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
  HETERO_LATER_NCCL_FUNCTIONS(HETERO_MEMBER)
#undef HETERO_MEMBER

  /// Where they were found.
  CudaLibraries libraries;
  /// 22809 for 2.28.9.
  int ncclVersion = 0;
  /// Why there is no NCCL; its functions are null then. One that is named has
  /// to be there.
  MaybeError ncclMissing;
  /// What was asked for, and where it has to run.
  CudaLibraries named;
  CudaPlatform platform;

  /// Those of the driver. They stay loaded. The error names the library or the
  /// function.
  static Result<CudaFunctions> loadDriver(const CudaLibraries &libraries);
  /// The others, of a CUDA that fits. The error says what was looked for.
  MaybeError loadLibraries(const CudaLibraries &given,
                           const CudaPlatform &machine);
  /// One that only some programs need, after the others: `use` looks up its
  /// functions, `variable` of the environment names it unless it is given.
  MaybeError loadLater(const CudaLibraryKind &kind, const char *variable,
                       const std::string &given,
                       const std::function<MaybeError(void *)> &use) const;

  /// "out of memory (CUDA_ERROR_OUT_OF_MEMORY)".
  std::string describe(CUresult result) const;
  /// Why the call failed, if it did.
  MaybeError check(CUresult result, const char *what) const;

private:
  MaybeError findCublas(void *library, const CudaPlatform &platform);
  MaybeError findNccl(void *library, const CudaPlatform &platform);

  /// Where libraries are looked for first.
  std::vector<std::string> directories;
};

/// "2.28.9" for 22809.
std::string writeNcclVersion(int version);

} // namespace hetero::runtime

#endif // HETERO_LIB_RUNTIME_CUDA_CUDALIBRARIES_H
