//===- Kernels.h - Kernels that the stand-in can run ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What stands between the stand-in's device (memory, streams) and whatever runs
// the code of a kernel. A module is loaded from the text that a driver would be
// given; a launch runs all threads of all blocks to their end, one after the
// other, in an order that depends on its seed.
//
//   std::string error;
//   std::unique_ptr<KernelModule> module = loadPtx(text, /*capability=*/80,
//                                                  &error);
//   Kernel *kernel = module->find("loop_0");
//   kernel->run(launch, memory);

#ifndef HETERO_TEST_CUDA_STANDIN_KERNELS_H
#define HETERO_TEST_CUDA_STANDIN_KERNELS_H

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace hetero::standin {

/// The memory of a device, as kernels reach it.
class DeviceMemory {
public:
  virtual ~DeviceMemory() = default;

  /// Where `bytes` at an address of the device can be read or written now. If
  /// they are not all within one live allocation this does not return: it ends
  /// the process with a sentence that says what `who` did where.
  virtual char *access(uint64_t address, uint64_t bytes, bool isWrite,
                       const char *who) = 0;
};

struct Launch {
  uint32_t grid[3] = {1, 1, 1};
  uint32_t block[3] = {1, 1, 1};
  /// The values of the parameters, one after the other, each at a multiple of
  /// its size, as the kernel's parameter space has them.
  std::vector<char> parameters;
  /// For the order of blocks and threads.
  uint64_t seed = 0;
};

class Kernel {
public:
  virtual ~Kernel() = default;

  /// Bytes of each parameter.
  virtual std::vector<size_t> getParameterSizes() const = 0;
  virtual void run(const Launch &launch, DeviceMemory &memory) = 0;
};

class KernelModule {
public:
  virtual ~KernelModule() = default;

  /// Null if there is none of the name. It lives as long as the module.
  virtual Kernel *find(const std::string &name) = 0;
};

/// Null if the text cannot be run on a device of the capability (80 for sm_80);
/// `error` then says why, with the line.
std::unique_ptr<KernelModule> loadPtx(std::string_view text, int capability,
                                      std::string *error);

} // namespace hetero::standin

#endif // HETERO_TEST_CUDA_STANDIN_KERNELS_H
