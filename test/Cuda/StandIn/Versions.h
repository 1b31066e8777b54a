//===- Versions.h - What older drivers and libraries lack -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What depends on the settings `driver` and `libraries`.

#ifndef HETERO_TEST_CUDA_STANDIN_VERSIONS_H
#define HETERO_TEST_CUDA_STANDIN_VERSIONS_H

#include <string>

namespace hetero::standin {

struct Device;

/// Whether the libraries have code for the device, and the driver runs them.
bool canRunLibraries(const Device &device);

/// Whether the driver knows the version of PTX in which `text` is written.
bool canReadPtx(const std::string &text);

} // namespace hetero::standin

#endif // HETERO_TEST_CUDA_STANDIN_VERSIONS_H
