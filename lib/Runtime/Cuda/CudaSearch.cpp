//===- CudaSearch.cpp - Which CUDA libraries a machine can use ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CudaSearch.h"
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace hetero::runtime;

namespace {
struct CudaGeneration {
  int major;
  /// The oldest device that its libraries have code for.
  int leastCapability;
};
} // namespace

/// From NVIDIA's release notes: CUDA 13 has dropped Maxwell, Pascal and Volta,
/// CUDA 12 Kepler.
static constexpr CudaGeneration generations[] = {{13, 75}, {12, 50}};

std::vector<int> hetero::runtime::listCudaMajors() {
  std::vector<int> majors;
  for (const CudaGeneration &generation : generations)
    majors.push_back(generation.major);
  return majors;
}

std::string hetero::runtime::writeCudaVersion(int version) {
  return std::to_string(version / 1000) + "." +
         std::to_string(version % 1000 / 10);
}

MaybeError hetero::runtime::checkCudaMajor(int major,
                                           const CudaPlatform &platform) {
  std::string name = "CUDA " + std::to_string(major);
  if (platform.driverVersion < major * 1000)
    return "the driver is of CUDA " + writeCudaVersion(platform.driverVersion) +
           ", which runs no libraries of " + name;
  for (const CudaGeneration &generation : generations)
    if (generation.major == major &&
        platform.capability < generation.leastCapability)
      return "a device is sm_" + std::to_string(platform.capability) +
             ", for which libraries of " + name + " have no code";
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

static bool doesExist(const std::string &path) {
  struct stat status;
  return stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode);
}

/// Of toolkits of a CUDA, or of any.
static std::vector<std::string> listToolkitDirectories(int major) {
  std::vector<std::string> directories;
  auto add = [&](const std::string &toolkit) {
    directories.push_back(toolkit + "/lib64");
    directories.push_back(toolkit + "/lib");
  };
  for (const char *variable : {"CUDA_HOME", "CUDA_PATH", "CUDA_ROOT"})
    if (const char *value = std::getenv(variable); value && *value)
      add(value);
  // Where NVIDIA's packages install, with a link for each CUDA.
  if (major != 0)
    add("/usr/local/cuda-" + std::to_string(major));
  add("/usr/local/cuda");
  return directories;
}

namespace {
class Places {
public:
  void add(const std::string &path, int major) {
    auto isSame = [&](const CudaPlace &place) { return place.path == path; };
    if (std::none_of(list.begin(), list.end(), isSame))
      list.push_back({path, major});
  }
  void addFile(const std::string &directory, const std::string &file,
               int major) {
    std::string path = directory + "/" + file;
    if (doesExist(path))
      add(path, major);
  }

  std::vector<CudaPlace> list;
};
} // namespace

std::vector<CudaPlace>
hetero::runtime::listPlaces(const CudaLibraryKind &kind,
                            const CudaPlatform &platform,
                            const std::vector<std::string> &directories) {
  std::vector<int> majors;
  for (int major : listCudaMajors())
    if (!checkCudaMajor(major, platform))
      majors.push_back(major);
  if (!kind.isFileByMajor)
    majors.assign(1, 0);
  auto getFile = [&](int major) {
    return kind.isFileByMajor
               ? kind.file + "." + std::to_string(major - kind.lag)
               : kind.file;
  };
  Places places;
  for (int major : majors)
    for (const std::string &directory : directories)
      places.addFile(directory, getFile(major), major);
  for (int major : majors) {
    bool isBuilt = !kind.isFileByMajor || major == kind.builtMajor;
    if (isBuilt && doesExist(kind.built))
      places.add(kind.built, major);
    places.add(getFile(major), major);
    for (const std::string &directory : listToolkitDirectories(major))
      places.addFile(directory, getFile(major), major);
  }
  return places.list;
}

//===----------------------------------------------------------------------===//
// NCCL
//===----------------------------------------------------------------------===//

/// Looks for "NCCL version 2.28.9+cuda13.0".
static std::optional<int> findCudaMajor(const char *data, size_t size) {
  static const char title[] = "NCCL version ";
  static const char mark[] = "+cuda";
  constexpr size_t titleSize = sizeof(title) - 1;
  // Longer than any version.
  constexpr size_t reach = 40;
  const char *end = data + size;
  while (const void *found = memmem(data, end - data, title, titleSize)) {
    data = static_cast<const char *>(found) + titleSize;
    size_t rest = std::min<size_t>(end - data, reach);
    std::string version(data, strnlen(data, rest));
    size_t at = version.find(mark);
    if (at == std::string::npos)
      continue;
    int major = std::atoi(version.c_str() + at + sizeof(mark) - 1);
    if (major > 0)
      return major;
  }
  return std::nullopt;
}

std::optional<int>
hetero::runtime::readCudaMajorOfNccl(const std::string &file) {
  int descriptor = open(file.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0)
    return std::nullopt;
  std::optional<int> major;
  struct stat status;
  if (fstat(descriptor, &status) == 0 && status.st_size > 0) {
    size_t size = status.st_size;
    void *data = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, descriptor, 0);
    if (data != MAP_FAILED) {
      major = findCudaMajor(static_cast<const char *>(data), size);
      munmap(data, size);
    }
  }
  close(descriptor);
  return major;
}
