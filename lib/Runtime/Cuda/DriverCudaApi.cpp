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
  for (const FftPlan &plan : plans)
    cufft->cufftDestroy(plan.plan);
  if (solver)
    cusolver->cusolverDnDestroy(solver);
  if (cublas)
    f.cublasDestroy(cublas);
  for (const std::vector<CUevent> &events : spare)
    for (CUevent event : events)
      f.cuEventDestroy(event);
  for (CUstream stream : streams)
    f.cuStreamDestroy(stream);
  for (CUmodule module : modules)
    f.cuModuleUnload(module);
  f.cuDevicePrimaryCtxRelease(device);
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
  if (!enter())
    f.cuMemFree(toDevice(memory));
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
  if (!enter())
    f.cuMemFreeAsync(toDevice(memory), toStream(stream));
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
  if (!enter())
    f.cuMemFreeHost(memory);
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
