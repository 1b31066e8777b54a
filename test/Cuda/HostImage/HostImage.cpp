//===- HostImage.cpp - Modules that came as LLVM IR -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Ptx/TranslatedModule.h"
#include <sstream>

namespace hetero::standin::ptx {

bool isLlvm(std::string_view text) {
  return text.substr(0, 10) == "; ModuleID";
}

/// Reads what Retarget.h describes.
static void readManifest(const char *manifest, LoadedModule &loaded) {
  std::istringstream lines(manifest);
  std::vector<TranslatedKernel> &kernels = loaded.translation.kernels;
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string what;
    words >> what;
    if (what == "kernel") {
      TranslatedKernel &kernel = kernels.emplace_back();
      std::fill_n(kernel.maxThreads, 3, 0);
      std::fill_n(kernel.requiredThreads, 3, 0);
      words >> kernel.name >> kernel.symbol >> kernel.isBlocking;
    } else if (what == "parameter") {
      Range range;
      words >> range.offset >> range.bytes;
      kernels.back().parameters.push_back(range);
      kernels.back().parameterBytes = range.offset + range.bytes;
    } else if (what == "threads") {
      for (uint32_t &count : kernels.back().maxThreads)
        words >> count;
    } else if (what == "shared") {
      Range range;
      words >> range.offset >> range.bytes;
      kernels.back().shared.push_back(range);
    } else if (what == "memory") {
      words >> loaded.translation.sharedBytes;
    } else if (what == "line") {
      loaded.lines.push_back(line.substr(4));
    }
  }
}

std::unique_ptr<KernelModule> loadHostImage(std::string_view text,
                                            std::string *error) {
  auto result = std::make_unique<TranslatedModule>();
  std::string message;
  if (!result->library.compile("#include \"HostOperations.h\"\n", message,
                               std::string(text))) {
    if (error)
      *error = message;
    return nullptr;
  }
  readManifest(
      static_cast<const char *>(result->library.find("hetero_manifest")),
      result->module);
  // The thread's own variables are on its stack.
  result->module.translation.localBytes = PTX_FIRST_ADDRESS;
  result->findKernels();
  return result;
}

} // namespace hetero::standin::ptx
