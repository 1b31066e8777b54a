//===- TestDevice.h - Memory and launches for tests of PTX ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef HETERO_TEST_CUDA_PTX_TESTDEVICE_H
#define HETERO_TEST_CUDA_PTX_TESTDEVICE_H

#include "Ptx.h"
#include "StandIn/Kernels.h"
#include "gtest/gtest.h"
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>

namespace hetero::standin {

/// Allocations far from each other, whose ends are checked.
class TestMemory : public DeviceMemory {
public:
  uint64_t allocate(uint64_t bytes) {
    uint64_t address = next;
    next += (bytes / 0x10000 + 1) * 0x10000;
    allocations[address].resize(bytes);
    return address;
  }
  template <typename T>
  uint64_t allocate(const std::vector<T> &values) {
    uint64_t address = allocate(values.size() * sizeof(T));
    std::memcpy(allocations[address].data(), values.data(),
                values.size() * sizeof(T));
    return address;
  }
  template <typename T>
  std::vector<T> read(uint64_t address) {
    const std::vector<char> &bytes = allocations.at(address);
    std::vector<T> values(bytes.size() / sizeof(T));
    std::memcpy(values.data(), bytes.data(), values.size() * sizeof(T));
    return values;
  }
  char *access(uint64_t address, uint64_t bytes, bool isWrite,
               const char *who) override {
    auto found = allocations.upper_bound(address);
    if (found != allocations.begin() &&
        address + bytes <= (--found)->first + found->second.size())
      return found->second.data() + (address - found->first);
    std::fprintf(stderr, "%s: %s outside of all memory\n", who,
                 isWrite ? "writes" : "reads");
    std::_Exit(1);
  }

private:
  std::map<uint64_t, std::vector<char>> allocations;
  uint64_t next = 0x7f0000000000;
};

/// The parameters of a launch, all of 8 bytes.
inline std::vector<char> pack(const std::vector<uint64_t> &values) {
  std::vector<char> bytes(values.size() * 8);
  if (!values.empty())
    std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

inline std::unique_ptr<KernelModule> load(const std::string &text) {
  std::string error;
  auto module = loadPtx(text, 90, &error);
  EXPECT_TRUE(module) << error;
  return module;
}

/// Why a text cannot be loaded.
inline std::string loadError(const std::string &text, int capability = 90) {
  std::string error;
  EXPECT_FALSE(loadPtx(text, capability, &error));
  return error;
}

/// Runs a kernel; what was found to be wrong.
inline std::string run(KernelModule &module, const std::string &name,
                       TestMemory &memory, const Launch &launch) {
  std::string failure;
  setFailureHandler([&](const std::string &text) { failure = text; });
  module.find(name)->run(launch, memory);
  setFailureHandler({});
  return failure;
}

/// A module with one kernel `k` of 64-bit parameters %p0, %p1, .. in registers
/// of these names; the body has its own registers %r, %rd, %rs, %f, %fd, %q.
inline std::string kernel(int numParameters, const std::string &body,
                          const std::string &before = "") {
  std::string text = ".version 8.0\n.target sm_80\n.address_size 64\n" +
                     before + "\n.visible .entry k(";
  for (int i = 0; i < numParameters; ++i)
    text += (i ? ", " : "") + std::string(".param .u64 k_") + std::to_string(i);
  text += ")\n{\n.reg .pred %q<20>; .reg .b16 %rs<40>; .reg .b32 %r<40>;"
          " .reg .b64 %rd<40>; .reg .b64 %p<10>;\n";
  for (int i = 0; i < numParameters; ++i)
    text += "ld.param.b64 %p" + std::to_string(i) + ", [k_" +
            std::to_string(i) + "];\n";
  return text + body + "\nret;\n}\n";
}

} // namespace hetero::standin

#endif // HETERO_TEST_CUDA_PTX_TESTDEVICE_H
