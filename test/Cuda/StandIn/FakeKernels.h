//===- FakeKernels.h - A few kernels without an interpreter -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef HETERO_TEST_CUDA_STANDIN_FAKEKERNELS_H
#define HETERO_TEST_CUDA_STANDIN_FAKEKERNELS_H

#include "Kernels.h"

namespace hetero::standin {

/// Whether the text begins with "// fake".
bool isFake(std::string_view text);
/// Null if a kernel is not known.
std::unique_ptr<KernelModule> loadFake(std::string_view text,
                                       std::string *error);

} // namespace hetero::standin

#endif // HETERO_TEST_CUDA_STANDIN_FAKEKERNELS_H
