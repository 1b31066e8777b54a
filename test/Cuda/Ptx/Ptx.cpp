//===- Ptx.cpp - Loads modules and launches kernels -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Ptx.h"
#include "TranslatedModule.h"
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <mutex>

namespace hetero::standin {

static std::mutex handlerMutex;
static std::function<void(const std::string &)> failureHandler;
static std::atomic<uint64_t> numThreadInstructions{0};

/// 1 and 0 as setRaceChecks said; before, what the environment says.
static std::atomic<int> raceChecks{-1};

void setFailureHandler(std::function<void(const std::string &)> handler) {
  std::lock_guard<std::mutex> lock(handlerMutex);
  failureHandler = std::move(handler);
}

void setRaceChecks(bool areOn) { raceChecks = areOn; }

uint64_t getNumThreadInstructions() { return numThreadInstructions; }

bool ptx::areRacesChecked() {
  if (raceChecks >= 0)
    return raceChecks;
  const char *text = std::getenv("HETERO_PTX_RACES");
  return text && *text == '1';
}

static void reportFailure(const std::string &sentence) {
  std::function<void(const std::string &)> handler;
  {
    std::lock_guard<std::mutex> lock(handlerMutex);
    handler = failureHandler;
  }
  if (handler)
    return handler(sentence);
  std::fprintf(stderr, "PTX: %s\n", sentence.c_str());
  std::fflush(stderr);
  std::_Exit(1);
}

void ptx::TranslatedModuleKernel::run(const Launch &launch,
                                      DeviceMemory &memory) {
  Machine machine(module, kernel, code, launch, memory);
  std::string failure = machine.run();
  numThreadInstructions += machine.getNumInstructions();
  if (!failure.empty())
    reportFailure(failure);
}

void ptx::TranslatedModule::findKernels() {
  for (const TranslatedKernel &kernel : module.translation.kernels) {
    auto code = reinterpret_cast<ptx_kernel>(library.find(kernel.symbol));
    kernels.emplace(std::piecewise_construct,
                    std::forward_as_tuple(kernel.name),
                    std::forward_as_tuple(module, kernel, code));
  }
}

static std::string checkTarget(const ptx::Module &module, int capability) {
  if (!module.target)
    return "there is no .target";
  if (module.isExact ? module.target == capability
                     : module.target <= capability)
    return "";
  return "the text is for sm_" + std::to_string(module.target) +
         (module.isExact ? " alone" : "") + ", and the device is sm_" +
         std::to_string(capability);
}

std::vector<std::string> ptx::splitLines(std::string_view text) {
  std::vector<std::string> lines(1);
  for (char c : text)
    if (c == '\n')
      lines.emplace_back();
    else
      lines.back() += c;
  return lines;
}

static std::string describe(const ptx::Problem &problem) {
  return "line " + std::to_string(problem.line) + ": " + problem.message;
}

std::unique_ptr<KernelModule> loadPtx(std::string_view text, int capability,
                                      std::string *error) {
  using namespace ptx;
  if (isLlvm(text))
    return loadHostImage(text, error);
  Module module;
  Problem problem;
  std::string message;
  auto result = std::make_unique<TranslatedModule>();
  LoadedModule &loaded = result->module;
  if (!parse(text, module, problem)) {
    message = describe(problem);
  } else if (message = checkTarget(module, capability); message.empty()) {
    loaded.translation = translate(module);
    if (!loaded.translation.problems.empty())
      message = describe(loaded.translation.problems.front());
    else
      result->library.compile(loaded.translation.code, message);
  }
  if (!message.empty()) {
    if (error)
      *error = message;
    return nullptr;
  }
  loaded.lines = splitLines(text);
  loaded.memory = loaded.translation.memory;
  result->findKernels();
  return result;
}

} // namespace hetero::standin
