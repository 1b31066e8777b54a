//===- DriverCudaApi.cpp - A device of the CUDA driver --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CudaLibraries.h"
#include "hetero/Runtime/CudaApi.h"
#include <algorithm>
#include <chrono>
#include <cstring>
#include <thread>

using namespace hetero::runtime;

static std::string str(int64_t value) { return std::to_string(value); }

namespace {
class DriverCudaApi : public CudaApi {
public:
  explicit DriverCudaApi(CudaFunctions functions) : f(functions) {}
  ~DriverCudaApi() override;

  MaybeError initialize(int index);

  std::string getName() const override { return name; }
  int getCapability() const override { return capability; }

  void *allocate(int64_t bytes) override;
  void free(void *memory) override;
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

  Result<CudaHandle> createStream() override;
  Result<CudaHandle> record(CudaHandle stream) override;
  MaybeError await(CudaHandle stream, CudaHandle event) override;
  bool hasHappened(CudaHandle event) override;
  void release(CudaHandle event) override;
  MaybeError
  synchronize(const std::function<MaybeError()> &getFailure) override;

  Result<NcclId> makeNcclId() override;
  Result<CudaHandle> joinGroup(const NcclId &id, int64_t numMembers,
                               int64_t self) override;
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
  /// An error of NCCL that came up in the background.
  MaybeError checkGroups();

  CudaFunctions f;
  std::string name;
  CUdevice device = 0;
  CUcontext context = nullptr;
  int capability = 0;
  cublasHandle_t cublas = nullptr;
  std::vector<CUstream> streams;
  std::vector<CUmodule> modules;
  std::vector<ncclComm_t> groups;
};

/// A type and operation of NCCL for a reduction of ours.
struct NcclNumber {
  ncclDataType_t type;
  int64_t perElement;
};
} // namespace

static CUdeviceptr toDevice(const void *memory) {
  return reinterpret_cast<CUdeviceptr>(memory);
}
static CUstream toStream(CudaHandle handle) {
  return reinterpret_cast<CUstream>(handle);
}
static ncclComm_t toGroup(CudaHandle handle) {
  return reinterpret_cast<ncclComm_t>(handle);
}
template <typename T>
static CudaHandle toHandle(T *thing) {
  return reinterpret_cast<CudaHandle>(thing);
}

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

MaybeError DriverCudaApi::check(CUresult result, const char *what) const {
  if (result == CUDA_SUCCESS)
    return std::nullopt;
  const char *title = nullptr, *text = nullptr;
  f.cuGetErrorName(result, &title);
  f.cuGetErrorString(result, &text);
  return std::string(what) + " failed: " + (text ? text : "unknown error") +
         " (" + (title ? title : str(result)) + ")";
}

MaybeError DriverCudaApi::check(cublasStatus_t status, const char *what) const {
  if (status == CUBLAS_STATUS_SUCCESS)
    return std::nullopt;
  return std::string(what) + " failed: " + f.cublasGetStatusString(status);
}

MaybeError DriverCudaApi::check(ncclResult_t result, const char *what) const {
  if (result == ncclSuccess || result == ncclInProgress)
    return std::nullopt;
  return std::string(what) + " failed: " + f.ncclGetErrorString(result);
}

MaybeError DriverCudaApi::initialize(int index) {
  if (MaybeError error = check(f.cuInit(0), "cuInit"))
    return "there is no CUDA device: " + *error;
  int count = 0;
  if (MaybeError error = check(f.cuDeviceGetCount(&count), "cuDeviceGetCount"))
    return error;
  if (index < 0 || index >= count)
    return "there is no CUDA device " + str(index) + "; this machine has " +
           str(count);
  if (MaybeError error = check(f.cuDeviceGet(&device, index), "cuDeviceGet"))
    return error;
  char text[256] = {};
  if (MaybeError error = check(f.cuDeviceGetName(text, sizeof(text), device),
                               "cuDeviceGetName"))
    return error;
  name = text;
  int major = 0, minor = 0;
  if (MaybeError error = check(
          f.cuDeviceGetAttribute(
              &major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device),
          "cuDeviceGetAttribute"))
    return error;
  if (MaybeError error = check(
          f.cuDeviceGetAttribute(
              &minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device),
          "cuDeviceGetAttribute"))
    return error;
  capability = 10 * major + minor;
  if (MaybeError error = check(f.cuDevicePrimaryCtxRetain(&context, device),
                               "cuDevicePrimaryCtxRetain"))
    return error;
  if (MaybeError error = enter())
    return error;
  return check(f.cublasCreate(&cublas), "cublasCreate");
}

DriverCudaApi::~DriverCudaApi() {
  if (!context)
    return;
  f.cuCtxSetCurrent(context);
  for (ncclComm_t group : groups)
    f.ncclCommDestroy(group);
  if (cublas)
    f.cublasDestroy(cublas);
  for (CUstream stream : streams)
    f.cuStreamDestroy(stream);
  for (CUmodule module : modules)
    f.cuModuleUnload(module);
  f.cuDevicePrimaryCtxRelease(device);
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

void *DriverCudaApi::allocate(int64_t bytes) {
  CUdeviceptr memory = 0;
  if (enter() || f.cuMemAlloc(&memory, bytes) != CUDA_SUCCESS)
    return nullptr;
  return reinterpret_cast<void *>(memory);
}

void DriverCudaApi::free(void *memory) {
  if (!enter())
    f.cuMemFree(toDevice(memory));
}

MaybeError DriverCudaApi::write(void *to, const void *from, int64_t bytes,
                                CudaHandle stream) {
  if (MaybeError error = enter())
    return error;
  return check(f.cuMemcpyHtoDAsync(toDevice(to), from, bytes, toStream(stream)),
               "cuMemcpyHtoDAsync");
}

MaybeError DriverCudaApi::read(void *to, const void *from, int64_t bytes,
                               CudaHandle stream) {
  if (MaybeError error = enter())
    return error;
  if (MaybeError error = check(
          f.cuMemcpyDtoHAsync(to, toDevice(from), bytes, toStream(stream)),
          "cuMemcpyDtoHAsync"))
    return error;
  return check(f.cuStreamSynchronize(toStream(stream)), "cuStreamSynchronize");
}

MaybeError DriverCudaApi::copy(void *to, const void *from, int64_t bytes,
                               CudaHandle stream) {
  if (MaybeError error = enter())
    return error;
  return check(f.cuMemcpyDtoDAsync(toDevice(to), toDevice(from), bytes,
                                   toStream(stream)),
               "cuMemcpyDtoDAsync");
}

MaybeError DriverCudaApi::copyRows(void *to, int64_t toPitch, const void *from,
                                   int64_t fromPitch, int64_t width,
                                   int64_t rows, CudaHandle stream) {
  if (MaybeError error = enter())
    return error;
  // The driver takes zero for members that are not used.
  CUDA_MEMCPY2D copy;
  std::memset(&copy, 0, sizeof(copy));
  copy.srcMemoryType = copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  copy.srcDevice = toDevice(from);
  copy.srcPitch = fromPitch;
  copy.dstDevice = toDevice(to);
  copy.dstPitch = toPitch;
  copy.WidthInBytes = width;
  copy.Height = rows;
  return check(f.cuMemcpy2DAsync(&copy, toStream(stream)), "cuMemcpy2DAsync");
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

/// The newest image that the device runs: cubins run on later devices of the
/// same major version, PTX on all later ones.
static const HeteroCudaImage *chooseImage(const HeteroCudaImage *images,
                                          int capability) {
  const HeteroCudaImage *best = nullptr;
  for (const HeteroCudaImage *image = images; image->code; ++image) {
    bool isCubin = std::memcmp(image->code, "\177ELF", 4) == 0;
    bool fits = image->capability <= capability &&
                (!isCubin || image->capability / 10 == capability / 10);
    if (fits && (!best || image->capability > best->capability))
      best = image;
  }
  return best;
}

Result<CudaHandle> DriverCudaApi::loadModule(const HeteroCudaImage *images) {
  if (MaybeError error = enter())
    return Error{*error};
  const HeteroCudaImage *image = chooseImage(images, capability);
  if (!image) {
    std::string list;
    for (image = images; image->code; ++image)
      list += (list.empty() ? "sm_" : ", sm_") + str(image->capability);
    return Error{"device '" + name + "' is sm_" + str(capability) +
                 ", and the kernels were compiled for " + list};
  }
  CUmodule module = nullptr;
  if (MaybeError error =
          check(f.cuModuleLoadData(&module, image->code), "cuModuleLoadData"))
    return Error{*error};
  modules.push_back(module);
  return toHandle(module);
}

Result<CudaHandle> DriverCudaApi::getKernel(CudaHandle module,
                                            const char *kernel) {
  CUfunction function = nullptr;
  if (MaybeError error =
          check(f.cuModuleGetFunction(
                    &function, reinterpret_cast<CUmodule>(module), kernel),
                "cuModuleGetFunction"))
    return Error{"kernel '" + std::string(kernel) + "': " + *error};
  return toHandle(function);
}

MaybeError DriverCudaApi::launch(CudaHandle kernel, int64_t numBlocks,
                                 int64_t blockSize, const int64_t *arguments,
                                 int64_t numArguments, CudaHandle stream) {
  if (MaybeError error = enter())
    return error;
  if (numBlocks > INT32_MAX || blockSize > 1024)
    return "a launch of " + str(numBlocks) + " blocks of " + str(blockSize) +
           " threads is more than a device takes";
  // Each word begins with the bytes of its argument.
  std::vector<void *> parameters;
  parameters.reserve(numArguments);
  for (int64_t i = 0; i < numArguments; ++i)
    parameters.push_back(const_cast<int64_t *>(arguments + i));
  return check(f.cuLaunchKernel(reinterpret_cast<CUfunction>(kernel), numBlocks,
                                1, 1, blockSize, 1, 1, /*sharedMemBytes=*/0,
                                toStream(stream), parameters.data(), nullptr),
               "cuLaunchKernel");
}

static cudaDataType toCudaType(ElementType type) {
  switch (type) {
  case ElementType::F16:
    return CUDA_R_16F;
  case ElementType::BF16:
    return CUDA_R_16BF;
  case ElementType::F64:
    return CUDA_R_64F;
  case ElementType::C64:
    return CUDA_C_32F;
  case ElementType::C128:
    return CUDA_C_64F;
  default:
    return CUDA_R_32F;
  }
}

namespace {
/// A matrix as cuBLAS sees it, column by column or transposed.
struct Matrix {
  bool isRowMajor;
  int ld;
};
} // namespace

static Matrix describe(int64_t rows, int64_t columns,
                       const CudaGemm::Steps &steps) {
  if (columns == 1 || steps.column == 1)
    return {true, static_cast<int>(rows == 1 ? std::max<int64_t>(columns, 1)
                                             : steps.row)};
  return {false, static_cast<int>(steps.column)};
}

MaybeError DriverCudaApi::gemm(const CudaGemm &gemm, const void *a,
                               const void *b, void *c, CudaHandle stream) {
  if (MaybeError error = enter())
    return error;
  if (MaybeError error =
          check(f.cublasSetStream(cublas, toStream(stream)), "cublasSetStream"))
    return error;
  bool isDouble = gemm.type == ElementType::F64;
  float alpha = 1, beta = gemm.accumulate ? 1 : 0;
  double wideAlpha = alpha, wideBeta = beta;
  const void *one = isDouble ? static_cast<const void *>(&wideAlpha) : &alpha;
  const void *old = isDouble ? static_cast<const void *>(&wideBeta) : &beta;
  cublasComputeType_t compute =
      isDouble ? CUBLAS_COMPUTE_64F : CUBLAS_COMPUTE_32F;
  cudaDataType type = toCudaType(gemm.type);
  cudaDataType resultType = toCudaType(gemm.resultType);
  Matrix left = describe(gemm.m, gemm.k, gemm.a);
  Matrix right = describe(gemm.k, gemm.n, gemm.b);
  Matrix result = describe(gemm.m, gemm.n, gemm.c);
  // cuBLAS writes column by column; a result that lies row by row is the
  // transposed product.
  auto transpose = [&](const Matrix &matrix) {
    return matrix.isRowMajor == result.isRowMajor ? CUBLAS_OP_N : CUBLAS_OP_T;
  };
  if (result.isRowMajor)
    return check(f.gemmStridedBatchedEx(
                     cublas, transpose(right), transpose(left), gemm.n, gemm.m,
                     gemm.k, one, b, type, right.ld, gemm.b.batch, a, type,
                     left.ld, gemm.a.batch, old, c, resultType, result.ld,
                     gemm.c.batch, gemm.batch, compute, CUBLAS_GEMM_DEFAULT),
                 "cublasGemmStridedBatchedEx");
  return check(f.gemmStridedBatchedEx(
                   cublas, transpose(left), transpose(right), gemm.m, gemm.n,
                   gemm.k, one, a, type, left.ld, gemm.a.batch, b, type,
                   right.ld, gemm.b.batch, old, c, resultType, result.ld,
                   gemm.c.batch, gemm.batch, compute, CUBLAS_GEMM_DEFAULT),
               "cublasGemmStridedBatchedEx");
}

MaybeError DriverCudaApi::add(ElementType type, const void *value, void *sum,
                              int64_t count, CudaHandle stream) {
  if (MaybeError error = enter())
    return error;
  if (MaybeError error =
          check(f.cublasSetStream(cublas, toStream(stream)), "cublasSetStream"))
    return error;
  cudaDataType data = toCudaType(type);
  bool isWide = type == ElementType::F64 || type == ElementType::C128;
  bool isComplex = type == ElementType::C64 || type == ElementType::C128;
  cudaDataType scale = isComplex ? data : isWide ? CUDA_R_64F : CUDA_R_32F;
  const float alpha[2] = {1, 0};
  const double wideAlpha[2] = {1, 0};
  const void *one = isWide ? static_cast<const void *>(wideAlpha) : alpha;
  constexpr int64_t most = int64_t(1) << 30;
  for (int64_t begin = 0; begin < count; begin += most) {
    int64_t size = std::min(most, count - begin), offset = begin * sizeOf(type);
    if (MaybeError error = check(
            f.cublasAxpyEx(cublas, size, one, scale,
                           static_cast<const char *>(value) + offset, data, 1,
                           static_cast<char *>(sum) + offset, data, 1, scale),
            "cublasAxpyEx"))
      return error;
  }
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Streams
//===----------------------------------------------------------------------===//

Result<CudaHandle> DriverCudaApi::createStream() {
  if (MaybeError error = enter())
    return Error{*error};
  CUstream stream = nullptr;
  if (MaybeError error = check(
          f.cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING), "cuStreamCreate"))
    return Error{*error};
  streams.push_back(stream);
  return toHandle(stream);
}

Result<CudaHandle> DriverCudaApi::record(CudaHandle stream) {
  if (MaybeError error = enter())
    return Error{*error};
  CUevent event = nullptr;
  if (MaybeError error = check(f.cuEventCreate(&event, CU_EVENT_DISABLE_TIMING),
                               "cuEventCreate"))
    return Error{*error};
  if (MaybeError error =
          check(f.cuEventRecord(event, toStream(stream)), "cuEventRecord")) {
    f.cuEventDestroy(event);
    return Error{*error};
  }
  return toHandle(event);
}

MaybeError DriverCudaApi::await(CudaHandle stream, CudaHandle event) {
  if (MaybeError error = enter())
    return error;
  return check(f.cuStreamWaitEvent(toStream(stream),
                                   reinterpret_cast<CUevent>(event), 0),
               "cuStreamWaitEvent");
}

bool DriverCudaApi::hasHappened(CudaHandle event) {
  return !enter() &&
         f.cuEventQuery(reinterpret_cast<CUevent>(event)) == CUDA_SUCCESS;
}

void DriverCudaApi::release(CudaHandle event) {
  if (!enter())
    f.cuEventDestroy(reinterpret_cast<CUevent>(event));
}

MaybeError DriverCudaApi::checkGroups() {
  for (ncclComm_t group : groups) {
    ncclResult_t state = ncclSuccess;
    if (MaybeError error = check(f.ncclCommGetAsyncError(group, &state),
                                 "ncclCommGetAsyncError"))
      return error;
    if (MaybeError error = check(state, "communication by NCCL"))
      return error;
  }
  return std::nullopt;
}

MaybeError
DriverCudaApi::synchronize(const std::function<MaybeError()> &getFailure) {
  if (MaybeError error = enter())
    return error;
  auto pause = std::chrono::microseconds(20);
  for (CUstream stream : streams) {
    CUresult state;
    while ((state = f.cuStreamQuery(stream)) == CUDA_ERROR_NOT_READY) {
      MaybeError error = getFailure();
      if (!error)
        error = checkGroups();
      if (error) {
        // A kernel of NCCL waits for a rank that is gone.
        for (ncclComm_t group : groups)
          f.ncclCommAbort(group);
        groups.clear();
        return error;
      }
      std::this_thread::sleep_for(pause);
      pause = std::min(pause * 2, std::chrono::microseconds(1000));
    }
    if (MaybeError error = check(state, "cuStreamQuery"))
      return error;
  }
  return getFailure();
}

//===----------------------------------------------------------------------===//
// Communication
//===----------------------------------------------------------------------===//

static NcclNumber toNumber(ElementType type) {
  switch (type) {
  case ElementType::I8:
    return {ncclInt8, 1};
  case ElementType::I32:
    return {ncclInt32, 1};
  case ElementType::I64:
    return {ncclInt64, 1};
  case ElementType::U32:
    return {ncclUint32, 1};
  case ElementType::U64:
    return {ncclUint64, 1};
  case ElementType::F16:
    return {ncclFloat16, 1};
  case ElementType::BF16:
    return {ncclBfloat16, 1};
  case ElementType::F32:
    return {ncclFloat32, 1};
  case ElementType::F64:
    return {ncclFloat64, 1};
  case ElementType::C64:
    return {ncclFloat32, 2};
  case ElementType::C128:
    return {ncclFloat64, 2};
  default:
    return {ncclUint8, sizeOf(type)};
  }
}

/// Booleans are bytes of 0 and 1, of which the sum is the larger.
static ncclRedOp_t toOperation(Reduction reduction, ElementType type) {
  switch (reduction) {
  case Reduction::Sum:
    return type == ElementType::Bool ? ncclMax : ncclSum;
  case Reduction::Max:
  case Reduction::Or:
    return ncclMax;
  case Reduction::Min:
  case Reduction::And:
    return ncclMin;
  }
  return ncclSum;
}

Result<NcclId> DriverCudaApi::makeNcclId() {
  ncclUniqueId made;
  if (MaybeError error = check(f.ncclGetUniqueId(&made), "ncclGetUniqueId"))
    return Error{*error};
  NcclId id;
  static_assert(sizeof(made) == sizeof(id), "NCCL's id has another size");
  std::memcpy(id.data(), &made, sizeof(made));
  return id;
}

Result<CudaHandle> DriverCudaApi::joinGroup(const NcclId &id,
                                            int64_t numMembers, int64_t self) {
  if (MaybeError error = enter())
    return Error{*error};
  ncclUniqueId given;
  std::memcpy(&given, id.data(), sizeof(given));
  ncclComm_t group = nullptr;
  if (MaybeError error =
          check(f.ncclCommInitRank(&group, numMembers, given, self),
                "ncclCommInitRank"))
    return Error{*error};
  groups.push_back(group);
  return toHandle(group);
}

MaybeError DriverCudaApi::beginGroup() {
  return check(f.ncclGroupStart(), "ncclGroupStart");
}

MaybeError DriverCudaApi::endGroup() {
  return check(f.ncclGroupEnd(), "ncclGroupEnd");
}

MaybeError DriverCudaApi::send(const void *data, int64_t count,
                               ElementType type, int64_t member,
                               CudaHandle group, CudaHandle stream) {
  if (MaybeError error = enter())
    return error;
  return check(f.ncclSend(data, count * sizeOf(type), ncclUint8, member,
                          toGroup(group), toStream(stream)),
               "ncclSend");
}

MaybeError DriverCudaApi::receive(void *data, int64_t count, ElementType type,
                                  int64_t member, CudaHandle group,
                                  CudaHandle stream) {
  if (MaybeError error = enter())
    return error;
  return check(f.ncclRecv(data, count * sizeOf(type), ncclUint8, member,
                          toGroup(group), toStream(stream)),
               "ncclRecv");
}

MaybeError DriverCudaApi::broadcast(const void *from, void *to, int64_t count,
                                    ElementType type, int64_t root,
                                    CudaHandle group, CudaHandle stream) {
  if (MaybeError error = enter())
    return error;
  return check(f.ncclBroadcast(from, to, count * sizeOf(type), ncclUint8, root,
                               toGroup(group), toStream(stream)),
               "ncclBroadcast");
}

MaybeError DriverCudaApi::allReduce(const void *from, void *to, int64_t count,
                                    ElementType type, Reduction reduction,
                                    CudaHandle group, CudaHandle stream) {
  if (MaybeError error = enter())
    return error;
  NcclNumber number = toNumber(type);
  return check(f.ncclAllReduce(from, to, count * number.perElement, number.type,
                               toOperation(reduction, type), toGroup(group),
                               toStream(stream)),
               "ncclAllReduce");
}

MaybeError DriverCudaApi::reduce(const void *from, void *to, int64_t count,
                                 ElementType type, Reduction reduction,
                                 int64_t root, CudaHandle group,
                                 CudaHandle stream) {
  if (MaybeError error = enter())
    return error;
  NcclNumber number = toNumber(type);
  return check(f.ncclReduce(from, to, count * number.perElement, number.type,
                            toOperation(reduction, type), root, toGroup(group),
                            toStream(stream)),
               "ncclReduce");
}

MaybeError DriverCudaApi::allGather(const void *from, void *to, int64_t count,
                                    ElementType type, CudaHandle group,
                                    CudaHandle stream) {
  if (MaybeError error = enter())
    return error;
  return check(f.ncclAllGather(from, to, count * sizeOf(type), ncclUint8,
                               toGroup(group), toStream(stream)),
               "ncclAllGather");
}

MaybeError DriverCudaApi::reduceScatter(const void *from, void *to,
                                        int64_t count, ElementType type,
                                        Reduction reduction, CudaHandle group,
                                        CudaHandle stream) {
  if (MaybeError error = enter())
    return error;
  NcclNumber number = toNumber(type);
  return check(f.ncclReduceScatter(from, to, count * number.perElement,
                                   number.type, toOperation(reduction, type),
                                   toGroup(group), toStream(stream)),
               "ncclReduceScatter");
}

Result<std::unique_ptr<CudaApi>>
hetero::runtime::createCudaApi(int index, CudaLibraries libraries) {
  Result<CudaFunctions> functions = CudaFunctions::load(std::move(libraries));
  if (!functions)
    return Error{"there is no CUDA device: " + functions.error()};
  auto api = std::make_unique<DriverCudaApi>(*functions);
  if (MaybeError error = api->initialize(index))
    return Error{*error};
  return std::unique_ptr<CudaApi>(std::move(api));
}
