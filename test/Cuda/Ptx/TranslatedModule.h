//===- TranslatedModule.h - Modules that the machine runs -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What modules have in common that came as PTX and as LLVM IR.

#ifndef HETERO_TEST_CUDA_PTX_TRANSLATEDMODULE_H
#define HETERO_TEST_CUDA_PTX_TRANSLATEDMODULE_H

#include "Compile.h"
#include "Machine.h"

namespace hetero::standin::ptx {

class TranslatedModuleKernel : public Kernel {
public:
  TranslatedModuleKernel(LoadedModule &module, const TranslatedKernel &kernel,
                         ptx_kernel code)
      : module(module), kernel(kernel), code(code) {}

  std::vector<size_t> getParameterSizes() const override {
    std::vector<size_t> sizes;
    for (const Range &range : kernel.parameters)
      sizes.push_back(range.bytes);
    return sizes;
  }
  void run(const Launch &launch, DeviceMemory &memory) override;

private:
  LoadedModule &module;
  const TranslatedKernel &kernel;
  ptx_kernel code;
};

class TranslatedModule : public KernelModule {
public:
  Kernel *find(const std::string &name) override {
    auto found = kernels.find(name);
    return found == kernels.end() ? nullptr : &found->second;
  }
  /// When module and library are complete.
  void findKernels();

  LoadedModule module;
  Library library;

private:
  std::map<std::string, TranslatedModuleKernel> kernels;
};

std::vector<std::string> splitLines(std::string_view text);

/// Whether it is what hetero-serialize-kernels{format=llvm} writes.
bool isLlvm(std::string_view text);
/// Compiles it for this machine (HostImage/Retarget.h), whatever device it was
/// made for.
std::unique_ptr<KernelModule> loadHostImage(std::string_view text,
                                            std::string *error);

} // namespace hetero::standin::ptx

#endif // HETERO_TEST_CUDA_PTX_TRANSLATEDMODULE_H
