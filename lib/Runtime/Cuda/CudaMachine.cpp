//===- CudaMachine.cpp - What there is to run on with CUDA ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CudaMachine.h"
#include "hetero/Support/Quantity.h"
#include <algorithm>
#include <climits>
#include <cstdlib>

using namespace hetero::runtime;

/// "GPU-6f1d...", as nvidia-smi writes it.
static std::string writeUuid(const CUuuid &uuid) {
  static const char digits[] = "0123456789abcdef";
  std::string text = "GPU-";
  for (int i = 0; i < 16; ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10)
      text += '-';
    auto byte = static_cast<unsigned char>(uuid.bytes[i]);
    text += digits[byte >> 4];
    text += digits[byte & 15];
  }
  return text;
}

static Result<CudaDeviceInfo> describeDevice(const CudaFunctions &f,
                                             int index) {
  CudaDeviceInfo info;
  CUdevice device = 0;
  MaybeError error = f.check(f.cuDeviceGet(&device, index), "cuDeviceGet");
  char text[256] = {};
  if (!error)
    error = f.check(f.cuDeviceGetName(text, sizeof(text), device),
                    "cuDeviceGetName");
  int major = 0, minor = 0;
  for (auto [attribute, value] :
       {std::pair{CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, &major},
        {CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, &minor}})
    if (!error)
      error = f.check(f.cuDeviceGetAttribute(value, attribute, device),
                      "cuDeviceGetAttribute");
  size_t bytes = 0;
  if (!error)
    error = f.check(f.cuDeviceTotalMem(&bytes, device), "cuDeviceTotalMem");
  CUuuid uuid = {};
  if (!error)
    error = f.check(f.cuDeviceGetUuid(&uuid, device), "cuDeviceGetUuid");
  if (error)
    return Error{*error};
  info.name = text;
  info.capability = 10 * major + minor;
  info.bytes = bytes;
  info.uuid = writeUuid(uuid);
  return info;
}

/// Why there are none may be what the user has set.
static std::string describeVisible() {
  const char *visible = std::getenv("CUDA_VISIBLE_DEVICES");
  return visible ? std::string("; CUDA_VISIBLE_DEVICES is '") + visible + "'"
                 : "";
}

Result<LoadedCuda> hetero::runtime::loadCuda(const CudaLibraries &libraries) {
  auto fail = [](const std::string &why) {
    return Error{"there is no CUDA device: " + why};
  };
  Result<CudaFunctions> functions = CudaFunctions::loadDriver(libraries);
  if (!functions)
    return fail(functions.error());
  LoadedCuda loaded;
  CudaFunctions &f = loaded.functions = *functions;
  CudaMachine &machine = loaded.machine;
  if (MaybeError error = f.check(f.cuInit(0), "cuInit"))
    return fail(*error + describeVisible());
  int count = 0;
  MaybeError error = f.check(f.cuDriverGetVersion(&machine.driverVersion),
                             "cuDriverGetVersion");
  if (!error)
    error = f.check(f.cuDeviceGetCount(&count), "cuDeviceGetCount");
  CudaPlatform platform = {machine.driverVersion, INT_MAX};
  for (int i = 0; i < count && !error; ++i) {
    Result<CudaDeviceInfo> info = describeDevice(f, i);
    if (info) {
      platform.capability = std::min(platform.capability, info->capability);
      machine.devices.push_back(*info);
    } else {
      error = "device " + std::to_string(i) + ": " + info.error();
    }
  }
  if (!error && count == 0)
    return fail("the driver sees none" + describeVisible());
  if (!error)
    error = f.loadLibraries(libraries, platform);
  if (error)
    return Error{*error};
  machine.libraries = f.libraries;
  machine.ncclVersion = f.ncclVersion;
  machine.ncclMissing = f.ncclMissing;
  return loaded;
}

Result<CudaMachine> hetero::runtime::findCuda(const CudaLibraries &libraries) {
  Result<LoadedCuda> loaded = loadCuda(libraries);
  if (!loaded)
    return Error{loaded.error()};
  return loaded->machine;
}

std::string CudaMachine::str() const {
  std::string nccl = ncclMissing ? "NCCL: " + *ncclMissing
                                 : "NCCL " + libraries.nccl + ": " +
                                       writeNcclVersion(ncclVersion);
  std::string text = "driver " + libraries.driver + ": CUDA " +
                     writeCudaVersion(driverVersion) + "\ncuBLAS " +
                     libraries.cublas + "\n" + nccl + "\n";
  for (size_t i = 0; i < devices.size(); ++i)
    text += "device " + std::to_string(i) + ": " + devices[i].name + ", sm_" +
            std::to_string(devices[i].capability) + ", " +
            hetero::writeQuantity(Dimension::Bytes, devices[i].bytes) + ", " +
            devices[i].uuid + "\n";
  return text;
}
