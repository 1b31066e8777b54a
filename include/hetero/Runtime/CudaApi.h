//===- CudaApi.h - What is asked of CUDA, cuBLAS and NCCL -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The few things that the runtime needs of one GPU, each with an error that is
// a sentence. There are two implementations:
//
//  * `createCudaApi` calls the CUDA driver, cuBLAS and NCCL, which are looked
//  up
//    when it is created: a program that was built with the toolkit also runs
//    where there is no driver, and says so when a device is asked for. A
//    library that has the same entry points can take their place
//    (CudaLibraries).
//  * `createRecordingCudaApi` writes down each call as a line of text, for
//    tests on machines without a GPU. Its memory is not memory: what is read
//    from it is zero.
//
// One thread at a time uses an api. What has a stream only enters work into it.
// What makes the host wait asks its `getFailure` again and again, and ends with
// the error that it gives.

#ifndef HETERO_RUNTIME_CUDAAPI_H
#define HETERO_RUNTIME_CUDAAPI_H

#include "hetero/Runtime/Cuda.h"
#include "hetero/Runtime/Error.h"
#include "hetero/Runtime/Fft.h"
#include "hetero/Runtime/Lapack.h"
#include "hetero/Runtime/Program.h"
#include <array>
#include <functional>
#include <memory>

namespace hetero::runtime {

/// Things of the device, as the implementation numbers or points to them.
using CudaHandle = uint64_t;

/// One multiplication of batches of matrices; steps in elements.
struct CudaGemm {
  ElementType type = ElementType::F32;
  ElementType resultType = ElementType::F32;
  bool accumulate = false;
  int64_t batch = 1, m = 1, n = 1, k = 1;
  /// From matrix to matrix, row to row, column to column.
  struct Steps {
    int64_t batch = 0, row = 0, column = 0;
  } a, b, c;
};

/// Transforms as hetero/Runtime/Fft.h has them, but without the division by the
/// number of elements.
struct CudaFft {
  FftKind kind = kFft;
  bool isDouble = false;
  int64_t batch = 1;
  std::vector<int64_t> lengths;
};

/// One call of a routine on one matrix, with sizes and options as
/// hetero/Runtime/Lapack.h has them. Matrices lie column by column without gaps
/// and are overwritten by results. The buffers are
///
///   kPotrf  a, info                    kTrsm   a, b
///   kGetrf  a, pivots, info            kGeqrf  a, tau, info
///   kOrgqr  a, tau, info               kOrmqr  a, tau, c, info
///   kSyevd  a, values, info            kSytrd  a, diagonal, beside, tau, info
///   kGesvd  a, values, u, vt, info, with no fewer rows than columns
struct CudaSolve {
  LapackRoutine routine = kPotrf;
  LapackElement element = kLapackF32;
  int64_t m = 0, n = 0, k = 0;
  std::array<int64_t, 4> options = {};
  std::array<void *, 5> buffers = {};
};

/// How ranks find each other: made by one, given to NCCL by all.
using NcclId = std::array<char, 128>;

class CudaApi {
public:
  virtual ~CudaApi() = default;

  /// Gives back all that this still has; nothing else is called afterwards. The
  /// error is the first of all that had nobody to be returned to: what could
  /// not be given back, now or before. Groups that were not left are aborted.
  virtual MaybeError close() = 0;

  /// "NVIDIA A100-SXM4-40GB", for messages.
  virtual std::string getName() const = 0;
  /// 80 for sm_80.
  virtual int getCapability() const = 0;

  //===--------------------------------------------------------------------===//
  // Memory
  //===--------------------------------------------------------------------===//

  virtual Result<void *> allocate(int64_t bytes) = 0;
  virtual void free(void *memory) = 0;
  /// Memory from the device's pool, for what the stream does from here on, and
  /// its end.
  virtual Result<void *> allocateInOrder(int64_t bytes, CudaHandle stream) = 0;
  virtual void freeInOrder(void *memory, CudaHandle stream) = 0;
  /// Memory of the host that the device can read and write by itself.
  virtual Result<void *> allocateOnHost(int64_t bytes) = 0;
  virtual void freeOnHost(void *memory) = 0;
  /// From and to memory of `allocateOnHost`, which stays until the stream has
  /// come here.
  virtual MaybeError write(void *to, const void *from, int64_t bytes,
                           CudaHandle stream) = 0;
  virtual MaybeError read(void *to, const void *from, int64_t bytes,
                          CudaHandle stream) = 0;
  virtual MaybeError copy(void *to, const void *from, int64_t bytes,
                          CudaHandle stream) = 0;
  /// `rows` pieces of `width` bytes that are as far apart as the pitches say.
  virtual MaybeError copyRows(void *to, int64_t toPitch, const void *from,
                              int64_t fromPitch, int64_t width, int64_t rows,
                              CudaHandle stream) = 0;

  //===--------------------------------------------------------------------===//
  // Kernels
  //===--------------------------------------------------------------------===//

  virtual Result<CudaHandle> loadModule(const HeteroCudaImage *images) = 0;
  virtual Result<CudaHandle> getKernel(CudaHandle module, const char *name) = 0;
  virtual MaybeError launch(CudaHandle kernel, int64_t numBlocks,
                            int64_t blockSize, const int64_t *arguments,
                            int64_t numArguments, CudaHandle stream) = 0;
  virtual MaybeError gemm(const CudaGemm &gemm, const void *a, const void *b,
                          void *c, CudaHandle stream) = 0;
  /// sum[i] += value[i], for floats and complex numbers.
  virtual MaybeError add(ElementType type, const void *value, void *sum,
                         int64_t count, CudaHandle stream) = 0;

  //===--------------------------------------------------------------------===//
  // Transforms and matrices. cuFFT and cuSOLVER are looked up when they are
  // first asked for a plan or a workspace.
  //===--------------------------------------------------------------------===//

  /// A plan, which lives as long as this, and the bytes of workspace that it
  /// needs. The same plan is given for the same transforms.
  virtual Result<CudaHandle> planFft(const CudaFft &fft,
                                     int64_t &workspace) = 0;
  /// What it reads may be overwritten if the result is real.
  virtual MaybeError runFft(CudaHandle plan, void *from, void *to,
                            void *workspace, CudaHandle stream) = 0;
  /// The bytes of workspace that a call needs, whatever the buffers are.
  virtual Result<int64_t> getWorkspace(const CudaSolve &solve) = 0;
  virtual MaybeError solve(const CudaSolve &solve, void *workspace,
                           int64_t bytes, CudaHandle stream) = 0;
  /// From a matrix that lies row by row to one that lies column by column.
  virtual MaybeError transpose(LapackElement element, int64_t rows,
                               int64_t columns, const void *from, void *to,
                               bool isConjugated, CudaHandle stream) = 0;

  //===--------------------------------------------------------------------===//
  // Streams
  //===--------------------------------------------------------------------===//

  virtual Result<CudaHandle> createStream() = 0;
  /// An event that happens when the stream has come here; with the time if
  /// `isTimed`.
  virtual Result<CudaHandle> record(CudaHandle stream,
                                    bool isTimed = false) = 0;
  /// What follows in the stream comes after the event.
  virtual MaybeError await(CudaHandle stream, CudaHandle event) = 0;
  /// The event is not needed any more.
  virtual void release(CudaHandle event) = 0;
  /// From one timed event that has happened to another.
  virtual Result<double> getSeconds(CudaHandle from, CudaHandle to) = 0;
  /// Waits until the event has happened, or `getFailure` gives an error.
  virtual MaybeError waitFor(CudaHandle event,
                             const std::function<MaybeError()> &getFailure) = 0;
  /// The same for all streams.
  virtual MaybeError
  synchronize(const std::function<MaybeError()> &getFailure) = 0;

  /// Words of the host that streams set to numbers up to `most`, and that the
  /// host may read at any time. They are 0 at first; an api makes them once.
  virtual Result<const int32_t *> createCounters(int32_t number,
                                                 int32_t most) = 0;
  /// The counter has the value when the stream has come here.
  virtual MaybeError setCounter(int32_t counter, int32_t value,
                                CudaHandle stream) = 0;

  /// What has gone wrong on the device, as far as is known; does not wait.
  virtual MaybeError check() = 0;

  /// What is entered into the stream from now on, and into others that await
  /// its events, is not done but becomes a graph.
  virtual MaybeError beginGraph(CudaHandle stream) = 0;
  virtual Result<CudaHandle> endGraph(CudaHandle stream) = 0;
  /// Enters what the graph has.
  virtual MaybeError launchGraph(CudaHandle graph, CudaHandle stream) = 0;
  virtual void releaseGraph(CudaHandle graph) = 0;

  //===--------------------------------------------------------------------===//
  // Communication
  //===--------------------------------------------------------------------===//

  virtual Result<NcclId> makeNcclId() = 0;
  /// All members call it, and return together; or `getFailure` gives an error.
  virtual Result<CudaHandle>
  joinGroup(const NcclId &id, int64_t numMembers, int64_t self,
            const std::function<MaybeError()> &getFailure) = 0;
  /// What was entered for the group is in its stream when this returns: NCCL
  /// may have to connect ranks before.
  virtual MaybeError settle(CudaHandle group,
                            const std::function<MaybeError()> &getFailure) = 0;
  /// All groups end when what was entered is done, as those of their other
  /// members do, or when `getFailure` gives an error.
  virtual MaybeError
  leaveGroups(const std::function<MaybeError()> &getFailure) = 0;
  /// All groups end at once, and what the device does for them.
  virtual void abortGroups() = 0;
  /// Calls between the two are one operation.
  virtual MaybeError beginGroup() = 0;
  virtual MaybeError endGroup() = 0;
  virtual MaybeError send(const void *data, int64_t count, ElementType type,
                          int64_t member, CudaHandle group,
                          CudaHandle stream) = 0;
  virtual MaybeError receive(void *data, int64_t count, ElementType type,
                             int64_t member, CudaHandle group,
                             CudaHandle stream) = 0;
  virtual MaybeError broadcast(const void *from, void *to, int64_t count,
                               ElementType type, int64_t root, CudaHandle group,
                               CudaHandle stream) = 0;
  virtual MaybeError allReduce(const void *from, void *to, int64_t count,
                               ElementType type, Reduction reduction,
                               CudaHandle group, CudaHandle stream) = 0;
  virtual MaybeError reduce(const void *from, void *to, int64_t count,
                            ElementType type, Reduction reduction, int64_t root,
                            CudaHandle group, CudaHandle stream) = 0;
  /// Each member brings `count`.
  virtual MaybeError allGather(const void *from, void *to, int64_t count,
                               ElementType type, CudaHandle group,
                               CudaHandle stream) = 0;
  /// Each member gets `count`.
  virtual MaybeError reduceScatter(const void *from, void *to, int64_t count,
                                   ElementType type, Reduction reduction,
                                   CudaHandle group, CudaHandle stream) = 0;
};

/// Where the entry points are. A name without a directory is searched for as
/// the system does it. Empty: what the variables HETERO_CUDA_DRIVER_LIBRARY,
/// HETERO_CUBLAS_LIBRARY and HETERO_NCCL_LIBRARY of the environment say, or
/// libcuda.so.1 and the newest libraries that run with this driver and on all
/// devices.
struct CudaLibraries {
  std::string driver, cublas, nccl;
  /// Loaded only for programs that need them; without names those that
  /// HETERO_CUFFT_LIBRARY and HETERO_CUSOLVER_LIBRARY say, or of the CUDA of
  /// cuBLAS.
  std::string cufft, cusolver;
  /// Where cuBLAS and NCCL are looked for before the usual places, and after
  /// those that HETERO_CUDA_LIBRARY_PATH lists.
  std::vector<std::string> directories;
};

/// A device that this process may use.
struct CudaDeviceInfo {
  std::string name;
  /// 80 for sm_80.
  int capability = 0;
  int64_t bytes = 0;
  /// The same for all processes that see it.
  std::string uuid;
};

/// What there is to run on.
struct CudaMachine {
  /// 12040 for CUDA 12.4.
  int driverVersion = 0;
  /// Where they were found.
  CudaLibraries libraries;
  /// 22809 for 2.28.9.
  int ncclVersion = 0;
  /// Why there is no NCCL, without which a rank runs alone.
  MaybeError ncclMissing;
  /// By their number.
  std::vector<CudaDeviceInfo> devices;

  /// For people, in lines.
  std::string str() const;
};

/// The devices that this process sees, and the libraries for them. The error
/// says what is missing: the toolkit when this was built, the driver, a
/// library, a device.
Result<CudaMachine> findCuda(const CudaLibraries &libraries = {});

/// Device number `index` of this machine. Errors are as above.
Result<std::unique_ptr<CudaApi>> createCudaApi(int index,
                                               CudaLibraries libraries = {});

/// Whether this was built with the CUDA toolkit.
bool isCudaBuilt();

/// Looks up all entry points without using a device. The error names the first
/// that is missing.
MaybeError checkCudaLibraries(const CudaLibraries &libraries);

/// Gives each call as a line without end to `write`. Addresses appear as names
/// in the order of allocation.
std::unique_ptr<CudaApi>
createRecordingCudaApi(std::function<void(const std::string &)> write);

} // namespace hetero::runtime

#endif // HETERO_RUNTIME_CUDAAPI_H
