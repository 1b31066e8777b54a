//===- Harness.h - Programs that use the stand-in ---------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A test is a program of its own: the stand-in reads its settings once, and a
// mistake ends the process. `run` makes a child for it.
//
//   Outcome outcome = run("devices=sm_80:1GiB;seed=3", [] {
//     Gpu gpu;
//     ...
//   });
//   EXPECT_TRUE(outcome.isRight) << outcome;

#ifndef HETERO_TEST_CUDA_STANDIN_TESTS_HARNESS_H
#define HETERO_TEST_CUDA_STANDIN_TESTS_HARNESS_H

#include "gtest/gtest.h"
#include <cublas_v2.h>
#include <cuda.h>
#include <functional>
#include <nccl.h>
#include <ostream>
#include <string>
#include <thread>
#include <vector>

namespace hetero::standin::tests {

#define HETERO_TEST_FUNCTIONS(F)                                               \
  F(cuInit)                                                                    \
  F(cuDeviceGetCount)                                                          \
  F(cuDeviceGetAttribute)                                                      \
  F(cuDevicePrimaryCtxRetain)                                                  \
  F(cuCtxSetCurrent)                                                           \
  F(cuCtxSynchronize)                                                          \
  F(cuMemGetInfo)                                                              \
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
  F(cuMemcpyHtoD)                                                              \
  F(cuMemcpyDtoH)                                                              \
  F(cuMemsetD8Async)                                                           \
  F(cuMemsetD32Async)                                                          \
  F(cuModuleLoadData)                                                          \
  F(cuModuleGetFunction)                                                       \
  F(cuLaunchKernel)                                                            \
  F(cuLaunchHostFunc)                                                          \
  F(cuStreamCreate)                                                            \
  F(cuStreamDestroy)                                                           \
  F(cuStreamSynchronize)                                                       \
  F(cuStreamQuery)                                                             \
  F(cuStreamWaitEvent)                                                         \
  F(cuStreamBeginCapture)                                                      \
  F(cuStreamEndCapture)                                                        \
  F(cuGraphInstantiate)                                                        \
  F(cuGraphLaunch)                                                             \
  F(cuGraphExecDestroy)                                                        \
  F(cuGraphDestroy)                                                            \
  F(cuEventCreate)                                                             \
  F(cuEventRecord)                                                             \
  F(cuEventQuery)                                                              \
  F(cuEventSynchronize)                                                        \
  F(cuEventDestroy)                                                            \
  F(cublasCreate)                                                              \
  F(cublasSetStream)                                                           \
  F(cublasAxpyEx)                                                              \
  F(ncclGetUniqueId)                                                           \
  F(ncclCommInitRank)                                                          \
  F(ncclCommInitRankConfig)                                                    \
  F(ncclCommSplit)                                                             \
  F(ncclCommDestroy)                                                           \
  F(ncclCommAbort)                                                             \
  F(ncclCommFinalize)                                                          \
  F(ncclCommUserRank)                                                          \
  F(ncclCommCount)                                                             \
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

using GemmFunction = cublasStatus_t (*)(
    cublasHandle_t, cublasOperation_t, cublasOperation_t, int, int, int,
    const void *, const void *, cudaDataType, int, long long, const void *,
    cudaDataType, int, long long, const void *, void *, cudaDataType, int,
    long long, int, cublasComputeType_t, cublasGemmAlgo_t);

/// The entry points, looked up in the library.
struct Functions {
#define HETERO_MEMBER(name) decltype(&::name) name = nullptr;
  HETERO_TEST_FUNCTIONS(HETERO_MEMBER)
#undef HETERO_MEMBER
  GemmFunction gemm = nullptr;
  void (*setName)(void *, const char *) = nullptr;
  void (*mark)(const char *) = nullptr;
};
const Functions &getFunctions();

/// How a child ended.
struct Outcome {
  /// The program returned, and all its checks were right.
  bool isRight = false;
  /// It was ended by the stand-in.
  bool isCaught = false;
  /// What it wrote to the error output.
  std::string text;

  bool says(const std::string &part) const {
    return isCaught && text.find(part) != std::string::npos;
  }
};
std::ostream &operator<<(std::ostream &stream, const Outcome &outcome);

Outcome run(const std::string &settings, const std::function<void()> &program);
/// As many processes as `size` at once; the settings get a name of the job.
std::vector<Outcome> runProcesses(const std::string &settings, int size,
                                  const std::function<void(int)> &program);

/// In a child: what is wrong makes the outcome so.
void check(bool isRight, const char *what, int line);
#define CHECK(condition) check(bool(condition), #condition, __LINE__)
#define OK(call) check((call) == 0, #call, __LINE__)

/// How many seeds legal programs are run over: HETERO_STANDIN_SEEDS, else a
/// sample of 4, as what runs in CI should take seconds.
int getNumSeeds();

/// "seed=3;order=lazy", for all orders and the seeds below a limit.
std::vector<std::string> getSchedules(int numSeeds);

/// The first seed of an order for which the program is caught, or wrong; -1 if
/// all are right.
int findSeed(const std::string &settings, int numSeeds,
             const std::function<void()> &program, Outcome *outcome = nullptr);

//===----------------------------------------------------------------------===//
// Parts of programs
//===----------------------------------------------------------------------===//

/// A device that is current in this thread, with a stream and kernels.
struct Gpu {
  /// Kernels that are built in, or PTX.
  explicit Gpu(int index = 0, bool isFake = true);

  CUstream makeStream() const;
  /// Memory for floats; named if there is a name.
  CUdeviceptr allocate(size_t count, const char *name = nullptr) const;
  /// Waits.
  void write(CUdeviceptr to, const std::vector<float> &values) const;
  std::vector<float> read(CUdeviceptr from, size_t count) const;
  void increment(CUdeviceptr data, unsigned count, CUstream stream) const;
  void scale(CUdeviceptr data, float factor, unsigned count,
             CUstream stream) const;
  /// `after` goes on when `before` has come here.
  void order(CUstream before, CUstream after) const;

  const Functions &f;
  CUcontext context = nullptr;
  CUstream stream = nullptr;
  CUfunction incrementKernel = nullptr, scaleKernel = nullptr,
             copyKernel = nullptr;
};

float *toPointer(CUdeviceptr address);
cudaStream_t toCuda(CUstream stream);

/// A member of communicators that all ranks made in the same order.
struct Rank {
  int rank;
  Gpu &gpu;
  std::vector<ncclComm_t> communicators;
};

/// A communicator of two devices that one thread makes: nobody has to come.
std::vector<ncclComm_t> joinAlone(const Gpu &first, const Gpu &second);

/// Runs a thread for each rank, on a device each.
void runRanks(int numRanks, int numCommunicators,
              const std::function<void(Rank &)> &program);

} // namespace hetero::standin::tests

#endif // HETERO_TEST_CUDA_STANDIN_TESTS_HARNESS_H
