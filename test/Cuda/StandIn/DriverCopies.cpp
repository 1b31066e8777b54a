//===- DriverCopies.cpp - Copies and fills --------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// When a copy touches memory of the host, as "API synchronization behavior" of
// the driver's manual says: from pageable memory at the call, to and from
// pinned memory when it has its turn; a copy to pageable memory "might be
// synchronous with respect to host", so it is or is not.

#include "Calls.h"
#include "Damages.h"
#include "Ending.h"
#include <cstring>

using namespace hetero::standin;

namespace {
/// One side of a copy: rows of the same width.
struct Side {
  /// Null for the host.
  Device *device = nullptr;
  uint64_t address = 0;
  uint64_t pitch = 0;

  char *host() const { return reinterpret_cast<char *>(address); }
};

struct Copy {
  Side to, from;
  uint64_t width = 0, rows = 1;
  /// Whether another device than the stream's may be used.
  bool isBetween = false;

  uint64_t bytes() const { return width * rows; }
};
} // namespace

/// How far the rows of a side reach.
static uint64_t getExtent(const Side &side, const Copy &copy) {
  return copy.rows ? (copy.rows - 1) * side.pitch + copy.width : 0;
}

static std::string nameOf(const Copy &copy) {
  std::string name = "copy of " + str(copy.width) + " bytes";
  if (copy.rows != 1)
    name =
        "copy of " + str(copy.rows) + " rows of " + str(copy.width) + " bytes";
  if (!copy.from.device)
    name += " from the host";
  return name + (copy.to.device ? " to the device" : " to the host");
}

/// Where rows of a device lie now, each checked by itself.
static char *reach(const Side &side, const Copy &copy, uint64_t row,
                   bool isWrite, const std::string &who) {
  uint64_t address = side.address + row * side.pitch;
  if (!side.device)
    return Engine::get().pinned.toAlias(reinterpret_cast<char *>(address));
  return side.device->memory.access(address, copy.width, isWrite, who.c_str());
}

static void runCopy(const Copy &copy, const char *staged,
                    const std::string &who) {
  for (uint64_t row = 0; row < copy.rows; ++row) {
    char *to = reach(copy.to, copy, row, /*isWrite=*/true, who);
    const char *from = staged ? staged + row * copy.width
                              : reach(copy.from, copy, row, false, who);
    if (!copyGuarded(to, from, copy.width))
      leaveProcess(who + " cannot touch its side on the host, " +
                   hex(copy.from.device ? copy.to.address : copy.from.address));
    if (copy.from.device && copy.to.device)
      copy.to.device->memory.copyState(
          copy.to.address + row * copy.to.pitch, copy.from.device->memory,
          copy.from.address + row * copy.from.pitch, copy.width);
  }
}

/// What is at an address that is no memory of the host.
static std::string describeHost(uint64_t address) {
  std::string what = describeFreedPinned(address);
  if (Device *device = Engine::get().findDevice(address))
    what = device->memory.describe(address);
  return what.empty() ? hex(address) : what;
}

/// What the host has now, row after row.
static std::shared_ptr<std::vector<char>> stage(const Copy &copy,
                                                const std::string &who) {
  auto staged = std::make_shared<std::vector<char>>(copy.bytes());
  for (uint64_t row = 0; row < copy.rows; ++row)
    if (!copyGuarded(staged->data() + row * copy.width,
                     copy.from.host() + row * copy.from.pitch, copy.width)) {
      leaveProcess(who + ": " + nameOf(copy) + " cannot read " +
                   describeHost(copy.from.address));
    }
  return staged;
}

/// Who reads the target before the copy is done reads this.
static void poisonTarget(const Copy &copy, const std::string &who) {
  for (uint64_t row = 0; row < copy.rows; ++row)
    if (!poisonGuarded(
            Engine::get().pinned.toAlias(copy.to.host() + row * copy.to.pitch),
            copy.width))
      leaveProcess(who + ": " + nameOf(copy) + " cannot write at " +
                   describeHost(copy.to.address));
}

static void checkDevice(const Copy &copy, const Side &side,
                        const Stream &stream, const std::string &who) {
  if (!side.device || side.device == stream.device || copy.isBetween)
    return;
  leaveProcess(who + " in stream " + str(stream.number) + " of device " +
               str(stream.device->number) + " is given " +
               side.device->memory.describe(side.address) +
               ", of another device");
}

namespace {
/// What can be wrong with a copy, by where it goes.
struct CopyDamages {
  Damage drop, stream, turned;
};
} // namespace

static CopyDamages getDamages(const Copy &copy) {
  if (!copy.to.device)
    return {Damage::DropRead, Damage::ReadStream, Damage::None};
  if (!copy.from.device)
    return {Damage::DropWrite, Damage::WriteStream, Damage::TurnedWrite};
  return {Damage::DropCopy, Damage::CopyStream, Damage::TurnedCopy};
}

/// More than what allocations are rounded up to.
static constexpr uint64_t longer = 256;

/// A copy that means something else; none if it is forgotten.
static void damageCopy(Copy &copy, const CopyDamages &damages,
                       const Device &device) {
  if (isDamaged(damages.turned, device))
    std::swap(copy.to, copy.from);
  if (isDamaged(damages.drop, device))
    copy.rows = 0;
  bool isWrite = !copy.from.device && copy.to.device;
  if (isWrite && isDamaged(Damage::LongWrite, device))
    copy.width += longer;
  if (isWrite && isDamaged(Damage::ShortWrite, device))
    --copy.width;
}

/// Enters the copy; waits for it where CUDA does, or may.
static CUresult enterCopy(const DriverCall &call, Copy copy, CUstream handle,
                          bool isAsync) {
  if (CUresult error = call.check())
    return error;
  Engine &engine = Engine::get();
  const std::string &who = call.getName();
  CopyDamages damages = getDamages(copy);
  Stream &stream = damageStream(
      damages.stream, engine.getStream(handle, *call.getDevice(), who));
  damageCopy(copy, damages, *stream.device);
  if (!copy.bytes())
    return CUDA_SUCCESS;
  checkDevice(copy, copy.to, stream, who);
  checkDevice(copy, copy.from, stream, who);
  const Side &host = copy.from.device ? copy.to : copy.from;
  uint64_t extent = getExtent(host, copy);
  bool isOnDevice = copy.to.device && copy.from.device;
  bool isPinned = !isOnDevice && engine.pinned.contains(host.host(), extent);
  Work work;
  work.name = nameOf(copy);
  // What arrives at the host somebody has written.
  work.isTransfer = copy.to.device;
  bool mayWait = !stream.capture && !isOnDevice && !isPinned;
  // The driver "may synchronize with the stream" before it stages.
  bool waits =
      mayWait && (engine.settings.order == Order::Eager ||
                  (engine.settings.order == Order::Random && engine.flip()));
  std::shared_ptr<std::vector<char>> staged;
  if (!copy.from.device && !isPinned && !stream.capture) {
    if (waits || !isAsync)
      engine.wait({stream.last}, who);
    staged = stage(copy, who);
  } else if (!isOnDevice) {
    work.host = host.host();
    work.hostBytes = extent;
    work.isHostWritten = !copy.to.device;
  }
  // What the host put there may still be needed by what is in front.
  if (!copy.to.device && !stream.capture &&
      !engine.isHostBusy(host.host(), extent))
    poisonTarget(copy, who);
  work.run = [copy, staged](const std::string &name) {
    runCopy(copy, staged ? staged->data() : nullptr, name);
  };
  OperationRef operation = engine.enter(stream, work);
  bool blocks = !isAsync && !isOnDevice && (isPinned || !copy.to.device);
  if (blocks || (waits && !copy.to.device))
    engine.wait({operation}, who);
  if (isPinned && isDamaged(Damage::FreePinned, *stream.device)) {
    engine.wait({operation}, "cuMemFreeHost");
    engine.pinned.release(host.host(), /*isAdopted=*/false, "cuMemFreeHost");
  }
  return CUDA_SUCCESS;
}

static Copy makeCopy(const DriverCall &call, uint64_t to, bool isToDevice,
                     uint64_t from, bool isFromDevice, uint64_t bytes) {
  Engine &engine = Engine::get();
  Copy copy;
  copy.to.address = to;
  copy.from.address = from;
  copy.width = copy.to.pitch = copy.from.pitch = bytes;
  auto find = [&](uint64_t address) {
    Device *device = engine.findDevice(address);
    if (!device && bytes)
      leaveProcess(call.getName() + " is given " + hex(address) +
                   " as memory of a device, which it is not");
    return device;
  };
  if (isToDevice)
    copy.to.device = find(to);
  if (isFromDevice)
    copy.from.device = find(from);
  return copy;
}

static uint64_t toAddress(const void *memory) {
  return reinterpret_cast<uint64_t>(memory);
}

//===----------------------------------------------------------------------===//
// Bytes
//===----------------------------------------------------------------------===//

CUresult cuMemcpyHtoDAsync(CUdeviceptr to, const void *from, size_t bytes,
                           CUstream stream) {
  DriverCall call(__func__);
  return enterCopy(call,
                   makeCopy(call, to, true, toAddress(from), false, bytes),
                   stream, /*isAsync=*/true);
}

CUresult cuMemcpyDtoHAsync(void *to, CUdeviceptr from, size_t bytes,
                           CUstream stream) {
  DriverCall call(__func__);
  return enterCopy(call,
                   makeCopy(call, toAddress(to), false, from, true, bytes),
                   stream, /*isAsync=*/true);
}

CUresult cuMemcpyDtoDAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes,
                           CUstream stream) {
  DriverCall call(__func__);
  return enterCopy(call, makeCopy(call, to, true, from, true, bytes), stream,
                   /*isAsync=*/true);
}

CUresult cuMemcpyHtoD(CUdeviceptr to, const void *from, size_t bytes) {
  DriverCall call(__func__);
  return enterCopy(call,
                   makeCopy(call, to, true, toAddress(from), false, bytes),
                   nullptr, /*isAsync=*/false);
}

CUresult cuMemcpyDtoH(void *to, CUdeviceptr from, size_t bytes) {
  DriverCall call(__func__);
  return enterCopy(call,
                   makeCopy(call, toAddress(to), false, from, true, bytes),
                   nullptr, /*isAsync=*/false);
}

CUresult cuMemcpyDtoD(CUdeviceptr to, CUdeviceptr from, size_t bytes) {
  DriverCall call(__func__);
  return enterCopy(call, makeCopy(call, to, true, from, true, bytes), nullptr,
                   /*isAsync=*/false);
}

/// Sides by their addresses.
static Copy makeUnified(const DriverCall &call, uint64_t to, uint64_t from,
                        uint64_t bytes) {
  Engine &engine = Engine::get();
  return makeCopy(call, to, engine.findDevice(to), from,
                  engine.findDevice(from), bytes);
}

CUresult cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes,
                       CUstream stream) {
  DriverCall call(__func__);
  return enterCopy(call, makeUnified(call, to, from, bytes), stream,
                   /*isAsync=*/true);
}

CUresult cuMemcpy(CUdeviceptr to, CUdeviceptr from, size_t bytes) {
  DriverCall call(__func__);
  return enterCopy(call, makeUnified(call, to, from, bytes), nullptr,
                   /*isAsync=*/false);
}

CUresult cuMemcpyPeerAsync(CUdeviceptr to, CUcontext, CUdeviceptr from,
                           CUcontext, size_t bytes, CUstream stream) {
  DriverCall call(__func__);
  Copy copy = makeCopy(call, to, true, from, true, bytes);
  copy.isBetween = true;
  return enterCopy(call, copy, stream, /*isAsync=*/true);
}

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

static Side makeSide(const DriverCall &call, CUmemorytype type,
                     const void *host, CUdeviceptr device, size_t x, size_t y,
                     size_t pitch, size_t width) {
  Side side;
  side.pitch = pitch ? pitch : width;
  bool isHost = type == CU_MEMORYTYPE_HOST;
  side.address =
      (isHost ? toAddress(host) : uint64_t(device)) + y * side.pitch + x;
  if (!isHost)
    side.device = Engine::get().findDevice(side.address);
  if (!isHost && !side.device && type == CU_MEMORYTYPE_DEVICE)
    leaveProcess(call.getName() + " is given " + hex(side.address) +
                 " as memory of a device, which it is not");
  return side;
}

static CUresult enterRows(const DriverCall &call, const CUDA_MEMCPY2D *rows,
                          CUstream stream, bool isAsync) {
  bool isArray = rows->srcMemoryType == CU_MEMORYTYPE_ARRAY ||
                 rows->dstMemoryType == CU_MEMORYTYPE_ARRAY;
  if (isArray)
    return CUDA_ERROR_NOT_SUPPORTED;
  auto isWrong = [&](size_t pitch, size_t x) {
    // CU_DEVICE_ATTRIBUTE_MAX_PITCH.
    return (pitch && pitch < x + rows->WidthInBytes) || pitch > INT32_MAX;
  };
  if (isWrong(rows->srcPitch, rows->srcXInBytes) ||
      isWrong(rows->dstPitch, rows->dstXInBytes))
    return CUDA_ERROR_INVALID_VALUE;
  Copy copy;
  copy.width = rows->WidthInBytes;
  copy.rows = rows->Height;
  if (!copy.bytes())
    return call.check();
  copy.from =
      makeSide(call, rows->srcMemoryType, rows->srcHost, rows->srcDevice,
               rows->srcXInBytes, rows->srcY, rows->srcPitch, copy.width);
  copy.to = makeSide(call, rows->dstMemoryType, rows->dstHost, rows->dstDevice,
                     rows->dstXInBytes, rows->dstY, rows->dstPitch, copy.width);
  return enterCopy(call, copy, stream, isAsync);
}

CUresult cuMemcpy2DAsync(const CUDA_MEMCPY2D *rows, CUstream stream) {
  DriverCall call(__func__);
  return enterRows(call, rows, stream, /*isAsync=*/true);
}

CUresult cuMemcpy2D(const CUDA_MEMCPY2D *rows) {
  DriverCall call(__func__);
  return enterRows(call, rows, nullptr, /*isAsync=*/false);
}

//===----------------------------------------------------------------------===//
// Fills
//===----------------------------------------------------------------------===//

template <typename T>
static CUresult enterFill(const DriverCall &call, CUdeviceptr address, T value,
                          size_t count, CUstream handle) {
  if (CUresult error = call.check())
    return error;
  if (address % sizeof(T))
    return CUDA_ERROR_INVALID_VALUE;
  if (!count)
    return CUDA_SUCCESS;
  Engine &engine = Engine::get();
  Stream &stream = engine.getStream(handle, *call.getDevice(), call.getName());
  Work work;
  work.name = "fill of " + str(count * sizeof(T)) + " bytes";
  Memory &memory = stream.device->memory;
  work.run = [=, &memory](const std::string &who) {
    char *place = memory.access(address, count * sizeof(T), /*isWrite=*/true,
                                who.c_str());
    for (size_t i = 0; i < count; ++i)
      std::memcpy(place + i * sizeof(T), &value, sizeof(T));
  };
  // Also without "Async" it does not wait for the device.
  engine.enter(stream, work);
  return CUDA_SUCCESS;
}

CUresult cuMemsetD8Async(CUdeviceptr address, unsigned char value, size_t count,
                         CUstream stream) {
  DriverCall call(__func__);
  return enterFill(call, address, value, count, stream);
}

CUresult cuMemsetD16Async(CUdeviceptr address, unsigned short value,
                          size_t count, CUstream stream) {
  DriverCall call(__func__);
  return enterFill(call, address, value, count, stream);
}

CUresult cuMemsetD32Async(CUdeviceptr address, unsigned value, size_t count,
                          CUstream stream) {
  DriverCall call(__func__);
  return enterFill(call, address, value, count, stream);
}

CUresult cuMemsetD8(CUdeviceptr address, unsigned char value, size_t count) {
  DriverCall call(__func__);
  return enterFill(call, address, value, count, nullptr);
}

CUresult cuMemsetD32(CUdeviceptr address, unsigned value, size_t count) {
  DriverCall call(__func__);
  return enterFill(call, address, value, count, nullptr);
}
