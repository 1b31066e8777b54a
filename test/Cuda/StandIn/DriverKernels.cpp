//===- DriverKernels.cpp - Modules and launches ---------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Calls.h"
#include "Damages.h"
#include "Ending.h"
#include "FakeKernels.h"
#include "Leaks.h"
#include "Versions.h"
#ifdef HETERO_STANDIN_HAS_PTX
#include "Ptx/Ptx.h"
#endif
#include <cstring>
#include <utility>

using namespace hetero::standin;

namespace {
struct Function;

struct Module {
  Device *device = nullptr;
  /// Launches keep it.
  std::shared_ptr<KernelModule> code;
  std::map<std::string, std::unique_ptr<Function>> functions;
};

struct Function {
  std::string name;
  Module *module = nullptr;
  Kernel *kernel = nullptr;
  std::vector<size_t> sizes;
};
} // namespace

static std::set<Module *> &getModules() {
  static auto *modules = new std::set<Module *>;
  return *modules;
}

static Function &getFunction(CUfunction handle, const std::string &who) {
  auto *function = reinterpret_cast<Function *>(handle);
  for (Module *module : getModules())
    for (const auto &[name, known] : module->functions)
      if (known.get() == function)
        return *function;
  leaveProcess(
      who + " is given a kernel of a module that was unloaded or never loaded");
}

//===----------------------------------------------------------------------===//
// Modules
//===----------------------------------------------------------------------===//

static CUresult load(const DriverCall &call, CUmodule *handle,
                     const void *image) {
  if (CUresult error = call.check())
    return error;
  if (!image)
    return CUDA_ERROR_INVALID_VALUE;
  // Machine code of a GPU cannot be run.
  if (std::memcmp(image, "\177ELF", 4) == 0)
    return CUDA_ERROR_NO_BINARY_FOR_GPU;
  std::string error;
  const Device &device = *call.getDevice();
  if (!canReadPtx(static_cast<const char *>(image)))
    return CUDA_ERROR_UNSUPPORTED_PTX_VERSION;
  std::string text =
      damageText(static_cast<const char *>(image), *call.getDevice());
  std::unique_ptr<KernelModule> code =
      isFake(text) ? loadFake(text, &error)
                   : loadPtx(text, device.kind.capability, &error);
  if (!code) {
    Engine::get().log("cuModuleLoadData: " + error);
    std::fprintf(stderr, "hetero stand-in: the PTX cannot be loaded: %s\n",
                 error.c_str());
    return CUDA_ERROR_INVALID_PTX;
  }
  auto *module = new Module;
  module->device = call.getDevice();
  module->code = std::move(code);
  getModules().insert(module);
  *handle = reinterpret_cast<CUmodule>(module);
  noteGiven(Thing::Module);
  return CUDA_SUCCESS;
}

CUresult cuModuleLoadData(CUmodule *module, const void *image) {
  DriverCall call(__func__);
  return load(call, module, image);
}

CUresult cuModuleLoadDataEx(CUmodule *module, const void *image, unsigned,
                            CUjit_option *, void **) {
  DriverCall call(__func__);
  return load(call, module, image);
}

CUresult cuModuleUnload(CUmodule handle) {
  DriverCall call(__func__);
  noteGivenBack(Thing::Module);
  if (CUresult error = call.check())
    return error;
  auto *module = reinterpret_cast<Module *>(handle);
  if (!getModules().erase(module))
    leaveProcess(
        "cuModuleUnload is given a module that was unloaded or never loaded");
  delete module;
  return CUDA_SUCCESS;
}

CUresult cuModuleGetFunction(CUfunction *handle, CUmodule moduleHandle,
                             const char *name) {
  DriverCall call(__func__);
  if (CUresult error = call.check())
    return error;
  auto *module = reinterpret_cast<Module *>(moduleHandle);
  if (!getModules().count(module))
    leaveProcess(
        "cuModuleGetFunction is given a module that was unloaded or never "
        "loaded");
  Kernel *kernel = module->code->find(name);
  if (!kernel)
    return CUDA_ERROR_NOT_FOUND;
  std::unique_ptr<Function> &function = module->functions[name];
  if (!function) {
    function = std::make_unique<Function>();
    function->name = name;
    function->module = module;
    function->kernel = kernel;
    function->sizes = kernel->getParameterSizes();
  }
  *handle = reinterpret_cast<CUfunction>(function.get());
  return CUDA_SUCCESS;
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

/// Each parameter at a multiple of its size.
static std::vector<char> pack(const Function &function, void **parameters) {
  std::vector<char> packed;
  for (size_t i = 0; i < function.sizes.size(); ++i) {
    size_t size = function.sizes[i];
    size_t offset = (packed.size() + size - 1) / size * size;
    packed.resize(offset + size);
    if (!copyGuarded(packed.data() + offset, parameters[i], size))
      leaveProcess("cuLaunchKernel of " + quote(function.name) +
                   " cannot read parameter " + str(i) + " of " + str(size) +
                   " bytes");
  }
  return packed;
}

/// Parameters that the program packed itself.
static bool unpackExtra(void **extra, std::vector<char> &packed) {
  const void *buffer = nullptr;
  size_t size = 0;
  for (; *extra != CU_LAUNCH_PARAM_END; extra += 2) {
    if (*extra == CU_LAUNCH_PARAM_BUFFER_POINTER)
      buffer = extra[1];
    else if (*extra == CU_LAUNCH_PARAM_BUFFER_SIZE)
      size = *static_cast<size_t *>(extra[1]);
    else
      return false;
  }
  packed.resize(size);
  return buffer && copyGuarded(packed.data(), buffer, size);
}

/// The limits of all devices from sm_70 on.
static bool isPossible(const Launch &launch, unsigned sharedBytes) {
  for (int i = 0; i < 3; ++i)
    if (!launch.grid[i] || !launch.block[i])
      return false;
  uint64_t threads = uint64_t(launch.block[0]) * launch.block[1];
  return launch.grid[0] <= INT32_MAX && launch.grid[1] <= 65535 &&
         launch.grid[2] <= 65535 && launch.block[0] <= 1024 &&
         launch.block[1] <= 1024 && launch.block[2] <= 64 &&
         threads * launch.block[2] <= 1024 && sharedBytes <= 48 << 10;
}

/// What is wrong with the code of a kernel ends the process as well.
static void runKernel(Kernel &kernel, const Launch &launch, Memory &memory,
                      const std::string &who) {
#ifdef HETERO_STANDIN_HAS_PTX
  setFailureHandler([&](const std::string &sentence) {
    leaveProcess(who + ": " + sentence);
  });
  kernel.run(launch, memory);
  setFailureHandler(nullptr);
#else
  kernel.run(launch, memory);
#endif
}

/// A launch of the same kernel that means something else.
static void damageLaunch(Launch &launch, const Device &device) {
  if (launch.grid[0] > 1 && isDamaged(Damage::LaunchBlocks, device))
    --launch.grid[0];
  auto *words = reinterpret_cast<uint64_t *>(launch.parameters.data());
  std::vector<uint64_t *> buffers;
  for (size_t i = 0; i < launch.parameters.size() / sizeof(uint64_t); ++i)
    if (device.memory.contains(words[i]))
      buffers.push_back(words + i);
  if (buffers.empty() || *buffers.front() == *buffers.back())
    return;
  if (isDamaged(Damage::LaunchSwapped, device))
    std::swap(*buffers.front(), *buffers.back());
  if (isDamaged(Damage::LaunchShifted, device))
    *buffers.front() += sizeof(float);
}

CUresult cuLaunchKernel(CUfunction handle, unsigned gridX, unsigned gridY,
                        unsigned gridZ, unsigned blockX, unsigned blockY,
                        unsigned blockZ, unsigned sharedBytes,
                        CUstream streamHandle, void **parameters,
                        void **extra) {
  DriverCall call(__func__);
  if (CUresult error = call.check())
    return error;
  Engine &engine = Engine::get();
  Function &function = getFunction(handle, call.getName());
  Stream &stream = damageStream(
      Damage::LaunchStream,
      engine.getStream(streamHandle, *call.getDevice(), call.getName()));
  Device &device = *stream.device;
  if (function.module->device != &device || &device != call.getDevice())
    return CUDA_ERROR_INVALID_HANDLE;
  Launch launch;
  launch.grid[0] = gridX, launch.grid[1] = gridY, launch.grid[2] = gridZ;
  launch.block[0] = blockX, launch.block[1] = blockY, launch.block[2] = blockZ;
  if (!isPossible(launch, sharedBytes))
    return CUDA_ERROR_INVALID_VALUE;
  if (extra) {
    if (!unpackExtra(extra, launch.parameters))
      return CUDA_ERROR_INVALID_VALUE;
  } else {
    if (!parameters && !function.sizes.empty())
      return CUDA_ERROR_INVALID_VALUE;
    launch.parameters = pack(function, parameters);
  }
  if (isDamaged(Damage::DropLaunch, device))
    return CUDA_SUCCESS;
  damageLaunch(launch, device);
  launch.seed = engine.draw(UINT64_MAX);
  Work work;
  work.name = "kernel " + quote(function.name);
  work.run = [launch, kernel = function.kernel, code = function.module->code,
              &device](const std::string &who) {
    static int64_t numRun = 0;
    if (++numRun == Engine::get().settings.faultyKernel) {
      device.sickness = CUDA_ERROR_ILLEGAL_ADDRESS;
      return;
    }
    device.memory.setActor(who);
    runKernel(*kernel, launch, device.memory, who);
    device.memory.setActor("");
  };
  engine.enter(stream, work);
  if (isDamaged(Damage::UnloadModule, device))
    getModules().erase(function.module);
  if (isDamaged(Damage::DestroyStream, device))
    engine.destroyStream(stream);
  if (isDamaged(Damage::EarlyFree, device)) {
    engine.wait(engine.getLast(device), "cuMemFree");
    device.memory.releaseAll("cuMemFree");
  }
  return CUDA_SUCCESS;
}

CUresult cuFuncGetAttribute(int *value, CUfunction_attribute attribute,
                            CUfunction handle) {
  DriverCall call(__func__);
  if (CUresult error = call.check())
    return error;
  getFunction(handle, call.getName());
  *value = attribute == CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK ? 1024 : 0;
  return CUDA_SUCCESS;
}

CUresult cuFuncSetAttribute(CUfunction handle, CUfunction_attribute, int) {
  DriverCall call(__func__);
  if (CUresult error = call.check())
    return error;
  getFunction(handle, call.getName());
  return CUDA_SUCCESS;
}
