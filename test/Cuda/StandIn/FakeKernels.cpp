//===- FakeKernels.cpp - A few kernels without an interpreter -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For tests of the device: the first line of the text names the kernels of the
// module, and nothing has to be translated.
//
//   // fake increment copy
//
//   increment(float *data, uint32_t count)                 data[i] += 1
//   copy(float *to, const float *from, uint32_t count)     to[i] = from[i]
//   scale(float *data, float factor, uint32_t count)       data[i] *= factor

#include "FakeKernels.h"
#include <cstring>
#include <map>
#include <sstream>

using namespace hetero::standin;

namespace {
enum class Fake { Increment, Copy, Scale };

class FakeKernel : public Kernel {
public:
  FakeKernel(std::string name, Fake fake) : name(std::move(name)), fake(fake) {}

  std::vector<size_t> getParameterSizes() const override {
    switch (fake) {
    case Fake::Increment:
      return {8, 4};
    case Fake::Copy:
      return {8, 8, 4};
    case Fake::Scale:
      return {8, 4, 4};
    }
    return {};
  }

  void run(const Launch &launch, DeviceMemory &memory) override;

private:
  template <typename T>
  static T get(const Launch &launch, size_t offset) {
    T value;
    std::memcpy(&value, launch.parameters.data() + offset, sizeof(T));
    return value;
  }

  const std::string name;
  const Fake fake;
};

class FakeModule : public KernelModule {
public:
  bool add(const std::string &name) {
    const std::map<std::string, Fake> known = {{"increment", Fake::Increment},
                                               {"copy", Fake::Copy},
                                               {"scale", Fake::Scale}};
    auto found = known.find(name);
    if (found != known.end())
      kernels.emplace(name, FakeKernel(name, found->second));
    return found != known.end();
  }

  Kernel *find(const std::string &name) override {
    auto found = kernels.find(name);
    return found == kernels.end() ? nullptr : &found->second;
  }

private:
  std::map<std::string, FakeKernel> kernels;
};
} // namespace

void FakeKernel::run(const Launch &launch, DeviceMemory &memory) {
  uint64_t threads = uint64_t(launch.grid[0]) * launch.block[0];
  auto data = get<uint64_t>(launch, 0);
  auto count = get<uint32_t>(launch, fake == Fake::Copy    ? 16
                                     : fake == Fake::Scale ? 12
                                                           : 8);
  for (uint64_t i = 0; i < threads && i < count; ++i) {
    float value;
    uint64_t from = fake == Fake::Copy ? get<uint64_t>(launch, 8) : data;
    std::memcpy(&value, memory.access(from + 4 * i, 4, false, name.c_str()), 4);
    if (fake == Fake::Increment)
      value += 1;
    if (fake == Fake::Scale)
      value *= get<float>(launch, 8);
    std::memcpy(memory.access(data + 4 * i, 4, true, name.c_str()), &value, 4);
  }
}

bool hetero::standin::isFake(std::string_view text) {
  return text.rfind("// fake", 0) == 0;
}

std::unique_ptr<KernelModule> hetero::standin::loadFake(std::string_view text,
                                                        std::string *error) {
  std::istringstream line{std::string(text.substr(0, text.find('\n')))};
  std::string word;
  line >> word >> word;
  auto module = std::make_unique<FakeModule>();
  while (line >> word)
    if (!module->add(word)) {
      *error = "line 1: there is no fake kernel '" + word + "'";
      return nullptr;
    }
  return module;
}

#ifndef HETERO_STANDIN_HAS_PTX
std::unique_ptr<KernelModule> hetero::standin::loadPtx(std::string_view, int,
                                                       std::string *error) {
  *error = "line 1: this build of the stand-in does not run PTX";
  return nullptr;
}
#endif
