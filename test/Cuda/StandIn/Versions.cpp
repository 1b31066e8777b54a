//===- Versions.cpp - What older drivers and libraries lack ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Versions.h"
#include "Engine.h"
#include <cublas_v2.h>
#include <cuda.h>

using namespace hetero::standin;

//===----------------------------------------------------------------------===//
// Names from before the headers' renamings, which drivers keep. The variant of
// this library that stands for a driver of CUDA 12 has no others.
//===----------------------------------------------------------------------===//

extern "C" {
CUresult heteroElapsedTime(float *milliseconds, CUevent first,
                           CUevent second) asm("cuEventElapsedTime");
CUresult heteroGetUuid(CUuuid *uuid, CUdevice device) asm("cuDeviceGetUuid");
}

CUresult heteroElapsedTime(float *milliseconds, CUevent first, CUevent second) {
  return cuEventElapsedTime(milliseconds, first, second);
}

CUresult heteroGetUuid(CUuuid *uuid, CUdevice device) {
  return cuDeviceGetUuid(uuid, device);
}

//===----------------------------------------------------------------------===//
// Versions
//===----------------------------------------------------------------------===//

cublasStatus_t cublasGetProperty(libraryPropertyType type, int *value) {
  const Settings &settings = Engine::get().settings;
  *value = type == MAJOR_VERSION ? settings.libraries : 0;
  return CUBLAS_STATUS_SUCCESS;
}

bool hetero::standin::canRunLibraries(const Device &device) {
  const Settings &settings = Engine::get().settings;
  return settings.libraries * 1000 <= settings.driver &&
         (settings.libraries < 13 || device.kind.capability >= 75);
}

/// As 84 for 8.4: what the release notes of CUDA say for each version.
static int getNewestPtx(int driver) {
  int major = driver / 1000, minor = driver % 1000 / 10;
  if (major < 12)
    return 70 + minor;
  if (major > 12)
    return 90 + minor;
  // CUDA 12.6 brought nothing new.
  return 80 + (minor >= 6 ? minor - 1 : minor);
}

bool hetero::standin::canReadPtx(const std::string &text) {
  size_t at = text.find(".version");
  if (at == std::string::npos)
    return true;
  int major = 0, minor = 0;
  std::sscanf(text.c_str() + at, ".version %d.%d", &major, &minor);
  return 10 * major + minor <= getNewestPtx(Engine::get().settings.driver);
}
