//===- DriverDevices.cpp - Devices, contexts and errors -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Calls.h"
#include "Ending.h"
#include "Leaks.h"
#include <cstring>

using namespace hetero::standin;

static CUcontext toHandle(Device *device) {
  return reinterpret_cast<CUcontext>(device);
}

/// Null if it is no context.
static Device *toDevice(Engine &engine, CUcontext context) {
  for (const auto &device : engine.devices)
    if (toHandle(device.get()) == context)
      return device->numContexts > 0 ? device.get() : nullptr;
  return nullptr;
}

static Device *getDevice(Engine &engine, CUdevice index) {
  bool isKnown = index >= 0 && index < int(engine.devices.size());
  return isKnown ? engine.devices[index].get() : nullptr;
}

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

#define HETERO_ERRORS(F)                                                       \
  F(CUDA_SUCCESS, "no error")                                                  \
  F(CUDA_ERROR_INVALID_VALUE, "invalid argument")                              \
  F(CUDA_ERROR_OUT_OF_MEMORY, "out of memory")                                 \
  F(CUDA_ERROR_NOT_INITIALIZED, "initialization error")                        \
  F(CUDA_ERROR_DEVICE_UNAVAILABLE, "the device is unavailable")                \
  F(CUDA_ERROR_NO_DEVICE, "no CUDA-capable device is detected")                \
  F(CUDA_ERROR_INVALID_DEVICE, "invalid device ordinal")                       \
  F(CUDA_ERROR_INVALID_CONTEXT, "invalid device context")                      \
  F(CUDA_ERROR_NO_BINARY_FOR_GPU, "no kernel image for the device")            \
  F(CUDA_ERROR_INVALID_PTX, "a PTX compilation failed")                        \
  F(CUDA_ERROR_UNSUPPORTED_PTX_VERSION,                                        \
    "the provided PTX was compiled with an unsupported toolchain")             \
  F(CUDA_ERROR_INVALID_HANDLE, "invalid resource handle")                      \
  F(CUDA_ERROR_NOT_FOUND, "named symbol not found")                            \
  F(CUDA_ERROR_ILLEGAL_ADDRESS, "an illegal memory access was encountered")    \
  F(CUDA_ERROR_NOT_READY, "device not ready")                                  \
  F(CUDA_ERROR_NOT_SUPPORTED, "operation not supported")                       \
  F(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED,                                     \
    "operation not permitted when stream is capturing")                        \
  F(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, "capture was invalidated")          \
  F(CUDA_ERROR_STREAM_CAPTURE_UNMATCHED, "capture was begun elsewhere")        \
  F(CUDA_ERROR_STREAM_CAPTURE_UNJOINED, "capturing streams were not joined")   \
  F(CUDA_ERROR_STREAM_CAPTURE_ISOLATION, "capture depends on other work")      \
  F(CUDA_ERROR_ILLEGAL_STATE, "operation cannot be done in this state")        \
  F(CUDA_ERROR_UNKNOWN, "unknown error")

CUresult cuGetErrorName(CUresult error, const char **text) {
  DriverCall call(__func__, /*doesDrift=*/false);
  if (call.getFate() == Fate::Fails)
    return CUDA_ERROR_INVALID_VALUE;
#define HETERO_NAME(code, meaning)                                             \
  if (error == (code)) {                                                       \
    *text = #code;                                                             \
    return CUDA_SUCCESS;                                                       \
  }
  HETERO_ERRORS(HETERO_NAME)
  *text = nullptr;
  return CUDA_ERROR_INVALID_VALUE;
}

CUresult cuGetErrorString(CUresult error, const char **text) {
  DriverCall call(__func__, /*doesDrift=*/false);
  if (call.getFate() == Fate::Fails)
    return CUDA_ERROR_INVALID_VALUE;
#define HETERO_MEANING(code, meaning)                                          \
  if (error == (code)) {                                                       \
    *text = meaning;                                                           \
    return CUDA_SUCCESS;                                                       \
  }
  HETERO_ERRORS(HETERO_MEANING)
  *text = nullptr;
  return CUDA_ERROR_INVALID_VALUE;
}

//===----------------------------------------------------------------------===//
// Devices
//===----------------------------------------------------------------------===//

CUresult cuInit(unsigned flags) {
  DriverCall call(__func__, /*doesDrift=*/false);
  if (CUresult error = call.check(/*needsContext=*/false))
    return error;
  Engine &engine = Engine::get();
  if (flags != 0)
    return CUDA_ERROR_INVALID_VALUE;
  if (engine.devices.empty())
    return CUDA_ERROR_NO_DEVICE;
  engine.isInitialized = true;
  return CUDA_SUCCESS;
}

CUresult cuDriverGetVersion(int *version) {
  if (!version)
    return CUDA_ERROR_INVALID_VALUE;
  *version = Engine::get().settings.driver;
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetCount(int *count) {
  DriverCall call(__func__);
  if (CUresult error = call.check(/*needsContext=*/false))
    return error;
  *count = Engine::get().devices.size();
  return CUDA_SUCCESS;
}

CUresult cuDeviceGet(CUdevice *device, int index) {
  DriverCall call(__func__);
  if (CUresult error = call.check(/*needsContext=*/false))
    return error;
  if (!::getDevice(Engine::get(), index))
    return CUDA_ERROR_INVALID_DEVICE;
  *device = index;
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetName(char *name, int length, CUdevice index) {
  DriverCall call(__func__);
  if (CUresult error = call.check(/*needsContext=*/false))
    return error;
  Device *device = ::getDevice(Engine::get(), index);
  if (!device)
    return CUDA_ERROR_INVALID_DEVICE;
  std::string text = "Stand-in sm_" + str(device->kind.capability) + " " +
                     str(device->kind.bytes >> 20) + "MiB";
  std::snprintf(name, length, "%s", text.c_str());
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetUuid(CUuuid *uuid, CUdevice index) {
  DriverCall call(__func__);
  if (CUresult error = call.check(/*needsContext=*/false))
    return error;
  Device *device = ::getDevice(Engine::get(), index);
  if (!device)
    return CUDA_ERROR_INVALID_DEVICE;
  std::memset(uuid, 0, sizeof(*uuid));
  std::snprintf(uuid->bytes, sizeof(uuid->bytes), "standin %d",
                device->kind.physical);
  return CUDA_SUCCESS;
}

CUresult cuDeviceTotalMem(size_t *bytes, CUdevice index) {
  DriverCall call(__func__);
  if (CUresult error = call.check(/*needsContext=*/false))
    return error;
  Device *device = ::getDevice(Engine::get(), index);
  if (!device)
    return CUDA_ERROR_INVALID_DEVICE;
  *bytes = device->kind.bytes;
  return CUDA_SUCCESS;
}

/// The documented limits of all devices from sm_70 on.
static int getAttribute(const Device &device, CUdevice_attribute attribute) {
  int capability = device.kind.capability;
  switch (attribute) {
  case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR:
    return capability / 10;
  case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR:
    return capability % 10;
  case CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
  case CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X:
  case CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y:
    return 1024;
  case CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z:
    return 64;
  case CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X:
  case CU_DEVICE_ATTRIBUTE_MAX_PITCH:
    return INT32_MAX;
  case CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y:
  case CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z:
    return 65535;
  case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK:
    return 48 << 10;
  case CU_DEVICE_ATTRIBUTE_WARP_SIZE:
    return 32;
  case CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT:
    // Few, so that estimates of occupancy meet small numbers.
    return 16;
  case CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING:
  case CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT:
  case CU_DEVICE_ATTRIBUTE_CONCURRENT_KERNELS:
  case CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED:
  case CU_DEVICE_ATTRIBUTE_COMPUTE_PREEMPTION_SUPPORTED:
    return 1;
  case CU_DEVICE_ATTRIBUTE_PCI_BUS_ID:
    return device.kind.physical + 1;
  default:
    return 0;
  }
}

CUresult cuDeviceGetAttribute(int *value, CUdevice_attribute attribute,
                              CUdevice index) {
  DriverCall call(__func__);
  if (CUresult error = call.check(/*needsContext=*/false))
    return error;
  Device *device = ::getDevice(Engine::get(), index);
  if (!device)
    return CUDA_ERROR_INVALID_DEVICE;
  *value = getAttribute(*device, attribute);
  return CUDA_SUCCESS;
}

//===----------------------------------------------------------------------===//
// Contexts
//===----------------------------------------------------------------------===//

CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice index) {
  DriverCall call(__func__);
  if (CUresult error = call.check(/*needsContext=*/false))
    return error;
  Device *device = ::getDevice(Engine::get(), index);
  if (!device)
    return CUDA_ERROR_INVALID_DEVICE;
  ++device->numContexts;
  noteGiven(Thing::Context);
  *context = toHandle(device);
  return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxRelease(CUdevice index) {
  DriverCall call(__func__);
  noteGivenBack(Thing::Context);
  if (CUresult error = call.check(/*needsContext=*/false))
    return error;
  Device *device = ::getDevice(Engine::get(), index);
  if (!device)
    return CUDA_ERROR_INVALID_DEVICE;
  if (device->numContexts == 0)
    return CUDA_ERROR_INVALID_CONTEXT;
  --device->numContexts;
  return CUDA_SUCCESS;
}

CUresult cuCtxSetCurrent(CUcontext context) {
  // Programs call it before everything: nothing runs for that.
  DriverCall call(__func__, /*doesDrift=*/false);
  Engine &engine = Engine::get();
  if (call.getFate() == Fate::Fails || !engine.isInitialized)
    return call.check(/*needsContext=*/false);
  std::vector<Device *> &contexts = getContexts();
  if (!contexts.empty())
    contexts.pop_back();
  if (!context)
    return CUDA_SUCCESS;
  Device *device = toDevice(engine, context);
  if (!device)
    return CUDA_ERROR_INVALID_CONTEXT;
  contexts.push_back(device);
  return CUDA_SUCCESS;
}

CUresult cuCtxGetCurrent(CUcontext *context) {
  DriverCall call(__func__, /*doesDrift=*/false);
  if (CUresult error = call.check(/*needsContext=*/false))
    return error;
  *context = toHandle(call.getDevice());
  return CUDA_SUCCESS;
}

CUresult cuCtxPushCurrent(CUcontext context) {
  DriverCall call(__func__, /*doesDrift=*/false);
  if (CUresult error = call.check(/*needsContext=*/false))
    return error;
  Device *device = toDevice(Engine::get(), context);
  if (!device)
    return CUDA_ERROR_INVALID_CONTEXT;
  getContexts().push_back(device);
  return CUDA_SUCCESS;
}

CUresult cuCtxPopCurrent(CUcontext *context) {
  DriverCall call(__func__, /*doesDrift=*/false);
  if (CUresult error = call.check())
    return error;
  if (context)
    *context = toHandle(call.getDevice());
  getContexts().pop_back();
  return CUDA_SUCCESS;
}

CUresult cuCtxGetDevice(CUdevice *device) {
  DriverCall call(__func__, /*doesDrift=*/false);
  if (CUresult error = call.check())
    return error;
  *device = call.getDevice()->number;
  return CUDA_SUCCESS;
}

CUresult cuCtxSynchronize() {
  DriverCall call(__func__);
  if (CUresult error = call.check())
    return error;
  Engine &engine = Engine::get();
  for (const auto &stream : call.getDevice()->streams)
    if (stream->capture)
      return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  engine.wait(engine.getLast(*call.getDevice()), "cuCtxSynchronize");
  return call.checkDevice();
}

CUresult cuMemGetInfo(size_t *available, size_t *total) {
  DriverCall call(__func__);
  if (CUresult error = call.check())
    return error;
  *available = call.getDevice()->memory.getFree();
  *total = call.getDevice()->memory.getCapacity();
  return CUDA_SUCCESS;
}

//===----------------------------------------------------------------------===//
// Extras
//===----------------------------------------------------------------------===//

extern "C" {
/// Gives an allocation of a device a name for messages.
void heteroStandInName(void *memory, const char *name);
/// Begins a section of the counts.
void heteroStandInMark(const char *name);
/// The seed and order from now on, in a process that was forked.
void heteroStandInSeed(uint64_t seed, const char *order);
}

void heteroStandInName(void *memory, const char *name) {
  Engine &engine = Engine::get();
  std::lock_guard<std::mutex> lock(engine.mutex);
  uint64_t address = reinterpret_cast<uint64_t>(memory);
  if (Device *device = engine.findDevice(address))
    device->memory.name(address, name);
}

void heteroStandInMark(const char *name) {
  Engine &engine = Engine::get();
  std::lock_guard<std::mutex> lock(engine.mutex);
  mark(name);
}

void heteroStandInSeed(uint64_t seed, const char *order) {
  Engine &engine = Engine::get();
  std::lock_guard<std::mutex> lock(engine.mutex);
  engine.setSeed(seed, parseOrder(order));
}
