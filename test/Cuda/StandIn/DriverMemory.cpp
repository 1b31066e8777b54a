//===- DriverMemory.cpp - Allocations of devices and the host -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Calls.h"
#include "Damages.h"
#include "Ending.h"
#include "Leaks.h"

using namespace hetero::standin;

/// The device whose allocation it is, whichever is current.
static Device &getOwner(CUdeviceptr address, const std::string &who) {
  if (Device *device = Engine::get().findDevice(address))
    return *device;
  leaveProcess(who + " is given " + hex(address) +
               ", which is not memory of a device");
}

static bool isCapturing(const Device &device) {
  for (const auto &stream : device.streams)
    if (stream->capture)
      return true;
  return false;
}

//===----------------------------------------------------------------------===//
// At once
//===----------------------------------------------------------------------===//

CUresult cuMemAlloc(CUdeviceptr *address, size_t bytes) {
  DriverCall call(__func__);
  if (CUresult error = call.check())
    return error;
  if (!address || !bytes)
    return CUDA_ERROR_INVALID_VALUE;
  if (isDamaged(Damage::SmallMemory, *call.getDevice()))
    bytes = (bytes + 1) / 2;
  *address = call.getDevice()->memory.allocate(bytes);
  Engine &engine = Engine::get();
  if (!*address)
    return CUDA_ERROR_OUT_OF_MEMORY;
  noteGiven(Thing::Allocation);
  engine.log("cuMemAlloc: " + call.getDevice()->memory.describe(*address));
  return CUDA_SUCCESS;
}

CUresult cuMemFree(CUdeviceptr address) {
  DriverCall call(__func__);
  noteGivenBack(Thing::Allocation);
  if (CUresult error = call.check())
    return error;
  if (!address)
    return CUDA_ERROR_INVALID_VALUE;
  Device &device = getOwner(address, "cuMemFree");
  if (isCapturing(device))
    return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  Engine &engine = Engine::get();
  Allocation &allocation = device.memory.get(address, "cuMemFree");
  if (allocation.isFreeing)
    leaveProcess("cuMemFree frees " + allocation.describe() + " of device " +
                 str(device.number) + ", for which cuMemFreeAsync was called");
  engine.log("cuMemFree: " + device.memory.describe(address));
  engine.wait(engine.getLast(device), "cuMemFree");
  device.memory.release(address, "cuMemFree");
  if (isDamaged(Damage::DoubleFree, device))
    device.memory.release(address, "cuMemFree");
  return CUDA_SUCCESS;
}

//===----------------------------------------------------------------------===//
// In the order of a stream
//===----------------------------------------------------------------------===//

CUresult cuMemAllocAsync(CUdeviceptr *address, size_t bytes, CUstream handle) {
  DriverCall call(__func__);
  if (CUresult error = call.check())
    return error;
  if (!address || !bytes)
    return CUDA_ERROR_INVALID_VALUE;
  Engine &engine = Engine::get();
  Stream &stream = engine.getStream(handle, *call.getDevice(), call.getName());
  if (stream.capture)
    return CUDA_ERROR_NOT_SUPPORTED;
  Memory &memory = stream.device->memory;
  if (isDamaged(Damage::SmallMemory, *stream.device))
    bytes = (bytes + 1) / 2;
  uint64_t made = memory.allocate(bytes);
  if (!made) {
    // What is being freed in the stream may be used again.
    engine.wait({stream.last}, "cuMemAllocAsync");
    made = memory.allocate(bytes);
  }
  if (!made)
    return CUDA_ERROR_OUT_OF_MEMORY;
  noteGiven(Thing::Allocation);
  *address = made;
  Allocation &allocation = memory.get(made, "cuMemAllocAsync");
  allocation.isReachable = false;
  Work work;
  work.name = "cuMemAllocAsync of " + allocation.describe();
  work.run = [&memory, made](const std::string &who) {
    memory.get(made, who).isReachable = true;
  };
  memory.setMaker(made, *engine.enter(stream, work)->moment);
  return CUDA_SUCCESS;
}

CUresult cuMemAllocFromPoolAsync(CUdeviceptr *address, size_t bytes,
                                 CUmemoryPool, CUstream handle) {
  return cuMemAllocAsync(address, bytes, handle);
}

CUresult cuMemFreeAsync(CUdeviceptr address, CUstream handle) {
  DriverCall call(__func__);
  noteGivenBack(Thing::Allocation);
  if (CUresult error = call.check())
    return error;
  Engine &engine = Engine::get();
  Stream &stream =
      damageStream(Damage::FreeStream,
                   engine.getStream(handle, *call.getDevice(), call.getName()));
  if (stream.capture)
    return CUDA_ERROR_NOT_SUPPORTED;
  Device &device = getOwner(address, "cuMemFreeAsync");
  Allocation &allocation = device.memory.get(address, "cuMemFreeAsync");
  if (allocation.isFreeing)
    leaveProcess("cuMemFreeAsync frees " + allocation.describe() +
                 " of device " + str(device.number) + " for the second time");
  allocation.isFreeing = true;
  Work work;
  work.name = "cuMemFreeAsync of " + allocation.describe();
  work.run = [&device, address](const std::string &who) {
    device.memory.release(address, who);
  };
  engine.enter(stream, work);
  if (isDamaged(Damage::DoubleFree, device))
    engine.enter(stream, work);
  return CUDA_SUCCESS;
}

//===----------------------------------------------------------------------===//
// Pools: there is one for each device, and it gives everything back
//===----------------------------------------------------------------------===//

CUresult cuDeviceGetDefaultMemPool(CUmemoryPool *pool, CUdevice index) {
  DriverCall call(__func__);
  if (CUresult error = call.check(/*needsContext=*/false))
    return error;
  Engine &engine = Engine::get();
  if (index < 0 || index >= int(engine.devices.size()))
    return CUDA_ERROR_INVALID_DEVICE;
  *pool = reinterpret_cast<CUmemoryPool>(engine.devices[index].get());
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetMemPool(CUmemoryPool *pool, CUdevice index) {
  return cuDeviceGetDefaultMemPool(pool, index);
}

CUresult cuMemPoolSetAttribute(CUmemoryPool, CUmemPool_attribute, void *) {
  DriverCall call(__func__);
  return call.check(/*needsContext=*/false);
}

CUresult cuMemPoolGetAttribute(CUmemoryPool pool, CUmemPool_attribute attribute,
                               void *value) {
  DriverCall call(__func__);
  if (CUresult error = call.check(/*needsContext=*/false))
    return error;
  const Memory &memory = reinterpret_cast<Device *>(pool)->memory;
  switch (attribute) {
  case CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES:
  case CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC:
  case CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES:
    *static_cast<int *>(value) = 1;
    return CUDA_SUCCESS;
  case CU_MEMPOOL_ATTR_RELEASE_THRESHOLD:
    *static_cast<cuuint64_t *>(value) = 0;
    return CUDA_SUCCESS;
  default:
    *static_cast<cuuint64_t *>(value) = memory.getCapacity() - memory.getFree();
    return CUDA_SUCCESS;
  }
}

CUresult cuMemPoolTrimTo(CUmemoryPool, size_t) {
  DriverCall call(__func__);
  return call.check(/*needsContext=*/false);
}

//===----------------------------------------------------------------------===//
// Pinned memory
//===----------------------------------------------------------------------===//

static CUresult allocatePinned(const DriverCall &call, void **memory,
                               size_t bytes, bool isShared) {
  if (CUresult error = call.check())
    return error;
  if (!memory || !bytes)
    return CUDA_ERROR_INVALID_VALUE;
  *memory = Engine::get().pinned.allocate(bytes, isShared);
  if (!*memory)
    return CUDA_ERROR_OUT_OF_MEMORY;
  noteGiven(Thing::PinnedBlock);
  return CUDA_SUCCESS;
}

CUresult cuMemAllocHost(void **memory, size_t bytes) {
  DriverCall call(__func__);
  return allocatePinned(call, memory, bytes, /*isShared=*/false);
}

CUresult cuMemHostAlloc(void **memory, size_t bytes, unsigned flags) {
  DriverCall call(__func__);
  return allocatePinned(call, memory, bytes, flags & CU_MEMHOSTALLOC_DEVICEMAP);
}

/// As cuMemFree, it waits for everything that could still use it.
static CUresult releasePinned(const DriverCall &call, void *memory,
                              bool isAdopted) {
  if (!isAdopted)
    noteGivenBack(Thing::PinnedBlock);
  if (CUresult error = call.check())
    return error;
  Engine &engine = Engine::get();
  for (const auto &device : engine.devices)
    if (!device->sickness && !device->isLost)
      engine.wait(engine.getLast(*device), call.getName());
  engine.pinned.release(memory, isAdopted, call.getName());
  return CUDA_SUCCESS;
}

CUresult cuMemFreeHost(void *memory) {
  DriverCall call(__func__);
  return releasePinned(call, memory, /*isAdopted=*/false);
}

CUresult cuMemHostRegister(void *memory, size_t bytes, unsigned) {
  DriverCall call(__func__);
  if (CUresult error = call.check())
    return error;
  if (!memory || !bytes)
    return CUDA_ERROR_INVALID_VALUE;
  Engine::get().pinned.adopt(memory, bytes);
  return CUDA_SUCCESS;
}

CUresult cuMemHostUnregister(void *memory) {
  DriverCall call(__func__);
  return releasePinned(call, memory, /*isAdopted=*/true);
}

CUresult cuPointerGetAttribute(void *data, CUpointer_attribute attribute,
                               CUdeviceptr address) {
  DriverCall call(__func__);
  if (CUresult error = call.check(/*needsContext=*/false))
    return error;
  Engine &engine = Engine::get();
  Device *device = engine.findDevice(address);
  bool isPinned = engine.pinned.contains(reinterpret_cast<void *>(address), 1);
  if (!device && !isPinned)
    return CUDA_ERROR_INVALID_VALUE;
  if (attribute == CU_POINTER_ATTRIBUTE_MEMORY_TYPE)
    *static_cast<unsigned *>(data) =
        device ? CU_MEMORYTYPE_DEVICE : CU_MEMORYTYPE_HOST;
  else if (attribute == CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL)
    *static_cast<int *>(data) = device ? device->number : 0;
  else
    return CUDA_ERROR_NOT_SUPPORTED;
  return CUDA_SUCCESS;
}
