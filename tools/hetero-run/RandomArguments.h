//===- RandomArguments.h - Inputs from nothing ------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef HETERO_TOOLS_HETERO_RUN_RANDOMARGUMENTS_H
#define HETERO_TOOLS_HETERO_RUN_RANDOMARGUMENTS_H

#include "hetero/Runtime/Npz.h"
#include "hetero/Tools/StepExecutable.h"

namespace hetero {

/// Values that make sense for the roles of the arguments, the same for the same
/// seed: parameters near zero, optimizer state positive (it has second
/// moments), labels and tokens 0 or 1, small hyper-parameters.
std::vector<runtime::Array>
makeRandomArguments(const std::vector<StepTensor> &arguments, uint64_t seed);

} // namespace hetero

#endif // HETERO_TOOLS_HETERO_RUN_RANDOMARGUMENTS_H
