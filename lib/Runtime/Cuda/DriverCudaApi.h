//===- DriverCudaApi.h - A device of the CUDA driver ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The implementation of CudaApi that `createCudaApi` gives. Its functions lie
// by what they call: the driver for memory and kernels (DriverCudaApi.cpp) and
// for streams (DriverCudaApiStreams.cpp), cuBLAS (DriverCudaApiBlas.cpp), NCCL
// (DriverCudaApiNccl.cpp), cuFFT (DriverCudaApiFft.cpp) and cuSOLVER
// (DriverCudaApiSolver.cpp).

#ifndef HETERO_LIB_RUNTIME_CUDA_DRIVERCUDAAPI_H
#define HETERO_LIB_RUNTIME_CUDA_DRIVERCUDAAPI_H

#include "CudaLibraries.h"
#include "MathLibraries.h"
#include "hetero/Runtime/CudaApi.h"
#include <optional>
#include <set>

namespace hetero::runtime {

class DriverCudaApi : public CudaApi {
public:
  explicit DriverCudaApi(CudaFunctions functions) : f(std::move(functions)) {}
  ~DriverCudaApi() override;

  MaybeError initialize(int index);
  MaybeError close() override;

  std::string getName() const override { return name; }
  int getCapability() const override { return capability; }

  Result<void *> allocate(int64_t bytes) override;
  void free(void *memory) override;
  Result<void *> allocateInOrder(int64_t bytes, CudaHandle stream) override;
  void freeInOrder(void *memory, CudaHandle stream) override;
  Result<void *> allocateOnHost(int64_t bytes) override;
  void freeOnHost(void *memory) override;
  MaybeError write(void *to, const void *from, int64_t bytes,
                   CudaHandle stream) override;
  MaybeError read(void *to, const void *from, int64_t bytes,
                  CudaHandle stream) override;
  MaybeError copy(void *to, const void *from, int64_t bytes,
                  CudaHandle stream) override;
  MaybeError copyRows(void *to, int64_t toPitch, const void *from,
                      int64_t fromPitch, int64_t width, int64_t rows,
                      CudaHandle stream) override;

  Result<CudaHandle> loadModule(const HeteroCudaImage *images) override;
  Result<CudaHandle> getKernel(CudaHandle module, const char *kernel) override;
  MaybeError launch(CudaHandle kernel, int64_t numBlocks, int64_t blockSize,
                    const int64_t *arguments, int64_t numArguments,
                    CudaHandle stream) override;
  MaybeError gemm(const CudaGemm &gemm, const void *a, const void *b, void *c,
                  CudaHandle stream) override;
  MaybeError add(ElementType type, const void *value, void *sum, int64_t count,
                 CudaHandle stream) override;

  Result<CudaHandle> planFft(const CudaFft &fft, int64_t &workspace) override;
  MaybeError runFft(CudaHandle plan, void *from, void *to, void *workspace,
                    CudaHandle stream) override;
  Result<int64_t> getWorkspace(const CudaSolve &solve) override;
  MaybeError solve(const CudaSolve &solve, void *workspace, int64_t bytes,
                   CudaHandle stream) override;
  MaybeError transpose(LapackElement element, int64_t rows, int64_t columns,
                       const void *from, void *to, bool isConjugated,
                       CudaHandle stream) override;

  Result<CudaHandle> createStream() override;
  Result<CudaHandle> record(CudaHandle stream, bool isTimed) override;
  MaybeError await(CudaHandle stream, CudaHandle event) override;
  void release(CudaHandle event) override;
  Result<double> getSeconds(CudaHandle from, CudaHandle to) override;
  MaybeError waitFor(CudaHandle event,
                     const std::function<MaybeError()> &getFailure) override;
  MaybeError
  synchronize(const std::function<MaybeError()> &getFailure) override;
  MaybeError check() override;
  Result<const int32_t *> createCounters(int32_t number, int32_t most) override;
  MaybeError setCounter(int32_t counter, int32_t value,
                        CudaHandle stream) override;
  MaybeError beginGraph(CudaHandle stream) override;
  Result<CudaHandle> endGraph(CudaHandle stream) override;
  MaybeError launchGraph(CudaHandle graph, CudaHandle stream) override;
  void releaseGraph(CudaHandle graph) override;

  Result<NcclId> makeNcclId() override;
  Result<CudaHandle>
  joinGroup(const NcclId &id, int64_t numMembers, int64_t self,
            const std::function<MaybeError()> &getFailure) override;
  MaybeError settle(CudaHandle group,
                    const std::function<MaybeError()> &getFailure) override;
  MaybeError
  leaveGroups(const std::function<MaybeError()> &getFailure) override;
  void abortGroups() override;
  MaybeError beginGroup() override;
  MaybeError endGroup() override;
  MaybeError send(const void *data, int64_t count, ElementType type,
                  int64_t member, CudaHandle group, CudaHandle stream) override;
  MaybeError receive(void *data, int64_t count, ElementType type,
                     int64_t member, CudaHandle group,
                     CudaHandle stream) override;
  MaybeError broadcast(const void *from, void *to, int64_t count,
                       ElementType type, int64_t root, CudaHandle group,
                       CudaHandle stream) override;
  MaybeError allReduce(const void *from, void *to, int64_t count,
                       ElementType type, Reduction reduction, CudaHandle group,
                       CudaHandle stream) override;
  MaybeError reduce(const void *from, void *to, int64_t count, ElementType type,
                    Reduction reduction, int64_t root, CudaHandle group,
                    CudaHandle stream) override;
  MaybeError allGather(const void *from, void *to, int64_t count,
                       ElementType type, CudaHandle group,
                       CudaHandle stream) override;
  MaybeError reduceScatter(const void *from, void *to, int64_t count,
                           ElementType type, Reduction reduction,
                           CudaHandle group, CudaHandle stream) override;

private:
  MaybeError check(CUresult result, const char *what) const;
  MaybeError check(cublasStatus_t status, const char *what) const;
  MaybeError check(ncclResult_t result, const char *what) const;
  /// Makes the device that of this thread.
  MaybeError enter() {
    return check(f.cuCtxSetCurrent(context), "cuCtxSetCurrent");
  }
  /// "cuMemAlloc failed on device 0 (NVIDIA A100)".
  std::string describeFailure(const char *what) const;
  /// Keeps the first error that nobody can be told, for `close`.
  void keep(MaybeError error);
  /// What has happened to the device, of which the error of a library is a
  /// consequence.
  MaybeError findCause() const;
  /// What a rank is told by NCCL when another one has failed is not why: that
  /// comes from the run, which may take a moment longer.
  static MaybeError findReason(const std::string &error,
                               const std::function<MaybeError()> &getFailure);
  /// An error of NCCL that came up in the background.
  MaybeError checkGroups();
  /// Asks until the group is not busy any more with what was asked of it.
  MaybeError awaitGroup(ncclComm_t group, const char *what,
                        const std::function<MaybeError()> &getFailure);
  void abort(ncclComm_t group);
  /// Asks until the answer is not that something is under way; ends the groups
  /// when the run has ended.
  MaybeError poll(const std::function<CUresult()> &ask, const char *what,
                  const std::function<MaybeError()> &getFailure);

  /// A plan of cuFFT and what it is for.
  struct FftPlan {
    CudaFft fft;
    cufftHandle plan = 0;
    int64_t workspace = 0;
  };
  MaybeError makePlan(FftPlan &plan);
  /// Loads cuSOLVER, unless it is there.
  MaybeError openCusolver();
  MaybeError solveTriangular(const CudaSolve &solve, CudaHandle stream);

  CudaFunctions f;
  std::string name;
  CUdevice device = 0;
  CUcontext context = nullptr;
  int capability = 0;
  cublasHandle_t cublas = nullptr;
  MaybeError kept;
  int number = 0;
  std::vector<CUstream> streams;
  /// All events; those that were released, without and with time; and those
  /// with time.
  std::vector<CUevent> events;
  std::vector<CUevent> spare[2];
  std::set<CUevent> timed;
  /// Pinned: the counters, and behind them the numbers that they can have,
  /// which the device has as well.
  int32_t *counters = nullptr;
  void *numbers = nullptr;
  std::vector<CUmodule> modules;
  std::vector<ncclComm_t> groups;
  /// What only some programs need.
  std::optional<CufftFunctions> cufft;
  std::optional<CusolverFunctions> cusolver;
  cusolverDnHandle_t solver = nullptr;
  std::vector<FftPlan> plans;
};

inline CUdeviceptr toDevice(const void *memory) {
  return reinterpret_cast<CUdeviceptr>(memory);
}
inline CUstream toStream(CudaHandle handle) {
  return reinterpret_cast<CUstream>(handle);
}
inline ncclComm_t toGroup(CudaHandle handle) {
  return reinterpret_cast<ncclComm_t>(handle);
}
template <typename T>
inline CudaHandle toHandle(T *thing) {
  return reinterpret_cast<CudaHandle>(thing);
}

} // namespace hetero::runtime

#endif // HETERO_LIB_RUNTIME_CUDA_DRIVERCUDAAPI_H
