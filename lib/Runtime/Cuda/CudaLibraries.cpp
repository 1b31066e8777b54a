//===- CudaLibraries.cpp - Entry points of CUDA, cuBLAS and NCCL ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CudaLibraries.h"
#include "MathLibraries.h"
#include <climits>
#include <cstdlib>
#include <dlfcn.h>
#include <link.h>

using namespace hetero::runtime;

#define HETERO_SPELL(name) #name

/// Drivers of CUDA 12 (525 and later) run libraries of CUDA 12, the oldest with
/// all functions that are used here.
static constexpr int leastDriver = 12000;
/// 2.10 has sums of bfloat16; graphs may contain its operations since 2.9.
static constexpr int leastNccl = 21000;

static constexpr int builtMajor = CUDA_VERSION / 1000;

static Result<void *> open(const std::string &path) {
  if (void *library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL))
    return library;
  const char *why = dlerror();
  return Error{"'" + path + "' cannot be loaded" +
               (why ? std::string(": ") + why : "")};
}

/// What functions were called before the headers renamed them, in drivers that
/// do not have them under the new name: their type has not changed.
static const char *getOlderName(const std::string &name) {
  // New in CUDA 12.8.
  if (name == "cuEventElapsedTime_v2")
    return "cuEventElapsedTime";
  // New in CUDA 11.4. It tells parts of a device apart.
  if (name == "cuDeviceGetUuid_v2")
    return "cuDeviceGetUuid";
  return nullptr;
}

static MaybeError find(void *library, const char *name, void **function) {
  *function = dlsym(library, name);
  const char *older = getOlderName(name);
  if (!*function && older)
    *function = dlsym(library, older);
  if (*function)
    return std::nullopt;
  return std::string("it has no function '") + name + "'";
}

/// The file of a library that is loaded.
static std::string getFile(void *library, const std::string &path) {
  link_map *map = nullptr;
  bool isKnown = dlinfo(library, RTLD_DI_LINKMAP, &map) == 0 && map;
  return isKnown && map->l_name && *map->l_name ? map->l_name : path;
}

/// What was given, else what the variable of the environment says.
static std::string getNamed(const std::string &given, const char *variable) {
  const char *named = std::getenv(variable);
  return given.empty() && named ? named : given;
}

std::string CudaFunctions::describe(CUresult result) const {
  const char *title = nullptr, *text = nullptr;
  cuGetErrorName(result, &title);
  cuGetErrorString(result, &text);
  return std::string(text ? text : "unknown error") + " (" +
         (title ? title : std::to_string(result)) + ")";
}

MaybeError CudaFunctions::check(CUresult result, const char *what) const {
  if (result == CUDA_SUCCESS)
    return std::nullopt;
  return std::string(what) + " failed: " + describe(result);
}

//===----------------------------------------------------------------------===//
// The driver
//===----------------------------------------------------------------------===//

/// Before its functions are looked up, some of which it would lack.
static MaybeError checkDriverVersion(void *driver) {
  using GetVersion = decltype(&::cuDriverGetVersion);
  auto getVersion =
      reinterpret_cast<GetVersion>(dlsym(driver, "cuDriverGetVersion"));
  int version = 0;
  if (!getVersion || getVersion(&version) != CUDA_SUCCESS ||
      version >= leastDriver)
    return std::nullopt;
  return "it is of CUDA " + writeCudaVersion(version) +
         ", and CUDA 12.0 or later is needed: install a driver 525 or later";
}

Result<CudaFunctions>
CudaFunctions::loadDriver(const CudaLibraries &libraries) {
  std::string path = getNamed(libraries.driver, "HETERO_CUDA_DRIVER_LIBRARY");
  bool isNamed = !path.empty();
  Result<void *> driver = open(isNamed ? path : "libcuda.so.1");
  if (!driver)
    return Error{"the CUDA driver " + driver.error() +
                 (isNamed ? ""
                          : "; it comes with NVIDIA's driver for the device, "
                            "or HETERO_CUDA_DRIVER_LIBRARY names it")};
  CudaFunctions functions;
  functions.libraries.driver = getFile(*driver, path);
  MaybeError error = checkDriverVersion(*driver);
#define HETERO_FIND_DRIVER(name)                                               \
  if (!error)                                                                  \
    error = find(*driver, HETERO_SPELL(name),                                  \
                 reinterpret_cast<void **>(&functions.name));
  HETERO_DRIVER_FUNCTIONS(HETERO_FIND_DRIVER)
  if (error)
    return Error{"the CUDA driver '" + functions.libraries.driver +
                 "' cannot be used: " + *error};
  return functions;
}

//===----------------------------------------------------------------------===//
// The libraries
//===----------------------------------------------------------------------===//

MaybeError CudaFunctions::findCublas(void *library,
                                     const CudaPlatform &platform) {
  MaybeError error;
#define HETERO_FIND_CUBLAS(name)                                               \
  if (!error)                                                                  \
    error = find(library, HETERO_SPELL(name), reinterpret_cast<void **>(&name));
  HETERO_CUBLAS_FUNCTIONS(HETERO_FIND_CUBLAS)
  if (!error)
    error = find(library, "cublasGemmStridedBatchedEx",
                 reinterpret_cast<void **>(&gemmStridedBatchedEx));
  int major = 0;
  if (!error &&
      cublasGetProperty(MAJOR_VERSION, &major) == CUBLAS_STATUS_SUCCESS)
    error = checkCudaMajor(major, platform);
  return error;
}

std::string hetero::runtime::writeNcclVersion(int version) {
  return std::to_string(version / 10000) + "." +
         std::to_string(version % 10000 / 100) + "." +
         std::to_string(version % 100);
}

/// Whether libraries of some CUDA do not run there: then a file has to tell its
/// own, which takes a tenth of a second.
static bool isRestricted(const CudaPlatform &platform) {
  for (int major : listCudaMajors())
    if (checkCudaMajor(major, platform))
      return true;
  return false;
}

MaybeError CudaFunctions::findNccl(void *library,
                                   const CudaPlatform &platform) {
  MaybeError error;
#define HETERO_FIND_NCCL(name)                                                 \
  if (!error)                                                                  \
    error = find(library, HETERO_SPELL(name), reinterpret_cast<void **>(&name));
  HETERO_NCCL_FUNCTIONS(HETERO_FIND_NCCL)
  if (error)
    return error;
#define HETERO_FIND_LATER(name)                                                \
  name =                                                                       \
      reinterpret_cast<decltype(&::name)>(dlsym(library, HETERO_SPELL(name)));
  HETERO_LATER_NCCL_FUNCTIONS(HETERO_FIND_LATER)
  if (ncclGetVersion(&ncclVersion) != ncclSuccess)
    return "it does not tell its version";
  if (ncclVersion < leastNccl)
    return "it is NCCL " + writeNcclVersion(ncclVersion) + ", and " +
           writeNcclVersion(leastNccl) + " or later is needed";
  if (!isRestricted(platform))
    return std::nullopt;
  std::optional<int> major = readCudaMajorOfNccl(getFile(library, ""));
  return major ? checkCudaMajor(*major, platform) : std::nullopt;
}

namespace {
/// A library that is looked for, and what has been found out.
struct Search {
  CudaLibraryKind kind;
  std::string variable;
  std::string named;
  std::function<MaybeError(void *)> use;
};
} // namespace

/// Why nothing was found where it was looked for.
static Error describeSearch(const Search &search, const CudaPlatform &platform,
                            const std::vector<std::string> &reasons) {
  std::string majors, others;
  for (int major : listCudaMajors()) {
    MaybeError misfit = checkCudaMajor(major, platform);
    if (misfit)
      others += "; " + *misfit;
    else
      majors += (majors.empty() ? "" : " or ") + std::to_string(major);
  }
  std::string text = "no " + search.kind.name + " of CUDA " +
                     (majors.empty() ? "12 or 13" : majors) +
                     " was found: install it, or name it with " +
                     search.variable + ", or its directory with " +
                     "HETERO_CUDA_LIBRARY_PATH" + others;
  for (size_t i = 0; i < reasons.size(); ++i)
    text += (i == 0 ? "; tried: " : "; ") + reasons[i];
  return Error{text};
}

/// The file of the first library that can be used.
static Result<std::string>
findFirst(const Search &search, const CudaPlatform &platform,
          const std::vector<std::string> &directories) {
  if (!search.named.empty()) {
    Result<void *> library = open(search.named);
    if (!library)
      return Error{search.kind.name + " " + library.error()};
    if (MaybeError error = search.use(*library))
      return Error{search.kind.name + " '" + search.named +
                   "' cannot be used: " + *error};
    return getFile(*library, search.named);
  }
  std::vector<std::string> reasons;
  for (const CudaPlace &place :
       listPlaces(search.kind, platform, directories)) {
    Result<void *> library = open(place.path);
    if (!library) {
      reasons.push_back(library.error());
      continue;
    }
    MaybeError error = search.use(*library);
    if (!error)
      return getFile(*library, place.path);
    reasons.push_back("'" + getFile(*library, place.path) +
                      "' cannot be used: " + *error);
    dlclose(*library);
  }
  return describeSearch(search, platform, reasons);
}

/// Those of a list with colons in between.
static void addDirectories(const char *text,
                           std::vector<std::string> &directories) {
  std::string rest = text ? text : "";
  for (size_t begin = 0; begin < rest.size();) {
    size_t end = std::min(rest.find(':', begin), rest.size());
    if (end > begin)
      directories.push_back(rest.substr(begin, end - begin));
    begin = end + 1;
  }
}

MaybeError CudaFunctions::loadLibraries(const CudaLibraries &given,
                                        const CudaPlatform &machine) {
  named = given;
  platform = machine;
  addDirectories(std::getenv("HETERO_CUDA_LIBRARY_PATH"), directories);
  directories.insert(directories.end(), named.directories.begin(),
                     named.directories.end());
  Search blas = {
      {"cuBLAS", "libcublas.so", true, 0, HETERO_CUBLAS_LIBRARY, builtMajor},
      "HETERO_CUBLAS_LIBRARY",
      getNamed(named.cublas, "HETERO_CUBLAS_LIBRARY"),
      [&](void *library) { return findCublas(library, platform); }};
  Search nccl = {
      {"NCCL", "libnccl.so.2", false, 0, HETERO_NCCL_LIBRARY, builtMajor},
      "HETERO_NCCL_LIBRARY",
      getNamed(named.nccl, "HETERO_NCCL_LIBRARY"),
      [&](void *library) { return findNccl(library, platform); }};
  Result<std::string> foundBlas = findFirst(blas, platform, directories);
  if (!foundBlas)
    return foundBlas.error();
  libraries.cublas = *foundBlas;
  Result<std::string> foundNccl = findFirst(nccl, platform, directories);
  if (foundNccl)
    libraries.nccl = *foundNccl;
  else if (!nccl.named.empty())
    return foundNccl.error();
  else
    ncclMissing = foundNccl.error();
  libraries.cufft = named.cufft;
  libraries.cusolver = named.cusolver;
  libraries.directories = named.directories;
  return std::nullopt;
}

MaybeError
CudaFunctions::loadLater(const CudaLibraryKind &kind, const char *variable,
                         const std::string &given,
                         const std::function<MaybeError(void *)> &use) const {
  Result<std::string> found = findFirst(
      {kind, variable, getNamed(given, variable), use}, platform, directories);
  if (found)
    return std::nullopt;
  return found.error();
}

bool hetero::runtime::isCudaBuilt() { return true; }

MaybeError hetero::runtime::checkCudaLibraries(const CudaLibraries &named) {
  Result<CudaFunctions> functions = CudaFunctions::loadDriver(named);
  if (!functions)
    return functions.error();
  // As if the driver were new and had new devices.
  if (MaybeError error = functions->loadLibraries(named, {INT_MAX, INT_MAX}))
    return error;
  if (functions->ncclMissing)
    return functions->ncclMissing;
  return checkMathLibraries(*functions);
}
