//===- DriverCudaApi.cpp - Memory and kernels of a CUDA device ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "DriverCudaApi.h"
#include "CudaMachine.h"
#include <cstring>

using namespace hetero::runtime;

static std::string str(int64_t value) { return std::to_string(value); }

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

std::string DriverCudaApi::describeFailure(const char *what) const {
  return std::string(what) + " failed on device " + str(number) +
         (name.empty() ? "" : " (" + name + ")") + ": ";
}

/// Whether a kernel has left the error, which every call gives from then on:
/// the one that fails is not the one that is wrong.
static bool isLeftBehind(CUresult result) {
  switch (result) {
  case CUDA_ERROR_ILLEGAL_ADDRESS:
  case CUDA_ERROR_LAUNCH_TIMEOUT:
  case CUDA_ERROR_ASSERT:
  case CUDA_ERROR_HARDWARE_STACK_ERROR:
  case CUDA_ERROR_ILLEGAL_INSTRUCTION:
  case CUDA_ERROR_MISALIGNED_ADDRESS:
  case CUDA_ERROR_INVALID_ADDRESS_SPACE:
  case CUDA_ERROR_INVALID_PC:
  case CUDA_ERROR_LAUNCH_FAILED:
  case CUDA_ERROR_ECC_UNCORRECTABLE:
    return true;
  default:
    return false;
  }
}

MaybeError DriverCudaApi::check(CUresult result, const char *what) const {
  if (result == CUDA_SUCCESS)
    return std::nullopt;
  return describeFailure(what) + f.describe(result) +
         (isLeftBehind(result)
              ? "; it was left by work that the device was given before"
              : "");
}

MaybeError DriverCudaApi::findCause() const {
  for (CUstream stream : streams) {
    CUresult state = f.cuStreamQuery(stream);
    // Not what a stream says that is being recorded.
    bool isCapture = state >= CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED &&
                     state <= CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD;
    if (state != CUDA_SUCCESS && state != CUDA_ERROR_NOT_READY && !isCapture)
      return check(state, "cuStreamQuery");
  }
  return std::nullopt;
}

MaybeError DriverCudaApi::check(cublasStatus_t status, const char *what) const {
  if (status == CUBLAS_STATUS_SUCCESS)
    return std::nullopt;
  if (MaybeError error = findCause())
    return error;
  return describeFailure(what) + f.cublasGetStatusString(status);
}

MaybeError DriverCudaApi::check(ncclResult_t result, const char *what) const {
  if (result == ncclSuccess || result == ncclInProgress)
    return std::nullopt;
  if (MaybeError error = findCause())
    return error;
  return describeFailure(what) + f.ncclGetErrorString(result);
}

void DriverCudaApi::keep(MaybeError error) {
  if (!kept)
    kept = std::move(error);
}

MaybeError DriverCudaApi::initialize(int index) {
  number = index;
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

DriverCudaApi::~DriverCudaApi() { DriverCudaApi::close(); }

MaybeError DriverCudaApi::close() {
  if (!context)
    return std::exchange(kept, std::nullopt);
  keep(enter());
  abortGroups();
  if (numbers)
    free(numbers);
  if (counters)
    freeOnHost(counters);
  for (const FftPlan &plan : plans)
    cufft->cufftDestroy(plan.plan);
  if (solver)
    cusolver->cusolverDnDestroy(solver);
  if (cublas)
    keep(check(f.cublasDestroy(cublas), "cublasDestroy"));
  for (CUevent event : events)
    keep(check(f.cuEventDestroy(event), "cuEventDestroy"));
  for (CUstream stream : streams)
    keep(check(f.cuStreamDestroy(stream), "cuStreamDestroy"));
  for (CUmodule module : modules)
    keep(check(f.cuModuleUnload(module), "cuModuleUnload"));
  keep(check(f.cuDevicePrimaryCtxRelease(device), "cuDevicePrimaryCtxRelease"));
  context = nullptr;
  return std::exchange(kept, std::nullopt);
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

Result<void *> DriverCudaApi::allocate(int64_t bytes) {
  CUdeviceptr memory = 0;
  MaybeError error = enter();
  if (!error)
    error = check(f.cuMemAlloc(&memory, bytes), "cuMemAlloc");
  if (error)
    return Error{*error};
  return reinterpret_cast<void *>(memory);
}

void DriverCudaApi::free(void *memory) {
  keep(enter());
  keep(check(f.cuMemFree(toDevice(memory)), "cuMemFree"));
}

Result<void *> DriverCudaApi::allocateInOrder(int64_t bytes,
                                              CudaHandle stream) {
  CUdeviceptr memory = 0;
  MaybeError error = enter();
  if (!error)
    error = check(f.cuMemAllocAsync(&memory, bytes, toStream(stream)),
                  "cuMemAllocAsync");
  if (error)
    return Error{*error};
  return reinterpret_cast<void *>(memory);
}

void DriverCudaApi::freeInOrder(void *memory, CudaHandle stream) {
  keep(enter());
  keep(check(f.cuMemFreeAsync(toDevice(memory), toStream(stream)),
             "cuMemFreeAsync"));
}

Result<void *> DriverCudaApi::allocateOnHost(int64_t bytes) {
  void *memory = nullptr;
  MaybeError error = enter();
  if (!error)
    error = check(f.cuMemAllocHost(&memory, bytes), "cuMemAllocHost");
  if (error)
    return Error{*error};
  return memory;
}

void DriverCudaApi::freeOnHost(void *memory) {
  keep(enter());
  keep(check(f.cuMemFreeHost(memory), "cuMemFreeHost"));
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
  return check(f.cuMemcpyDtoHAsync(to, toDevice(from), bytes, toStream(stream)),
               "cuMemcpyDtoHAsync");
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

Result<std::unique_ptr<CudaApi>>
hetero::runtime::createCudaApi(int index, CudaLibraries libraries) {
  Result<LoadedCuda> loaded = loadCuda(libraries);
  if (!loaded)
    return Error{loaded.error()};
  auto api = std::make_unique<DriverCudaApi>(loaded->functions);
  if (MaybeError error = api->initialize(index))
    return Error{*error};
  return std::unique_ptr<CudaApi>(std::move(api));
}
