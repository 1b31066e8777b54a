//===- Ptx.h - Options of the machine for PTX -------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Besides loadPtx of Kernels.h. The environment:
//
//   HETERO_PTX_COMPILER  the C compiler, instead of the one of the build
//   HETERO_PTX_CACHE     a directory for what has been compiled; it is made if
//                        it is not there, and only its owner may use it
//   HETERO_PTX_RACES     1 to look for races between threads of a launch

#ifndef HETERO_TEST_CUDA_PTX_PTX_H
#define HETERO_TEST_CUDA_PTX_PTX_H

#include <cstdint>
#include <functional>
#include <string>

namespace hetero::standin {

/// Called with what is wrong with a program. If it returns, the launch ends
/// there, with whatever was written until then. Without one, or with an empty
/// one, the sentence is printed and the process ends with code 1.
void setFailureHandler(std::function<void(const std::string &)> handler);

/// Whether races are looked for in launches from now on.
void setRaceChecks(bool areOn);

/// Instructions that the threads of all launches of this process have begun.
uint64_t getNumThreadInstructions();

} // namespace hetero::standin

#endif // HETERO_TEST_CUDA_PTX_PTX_H
