//===- StepTensor.h - An argument or a result of a step ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef HETERO_TOOLS_STEPTENSOR_H
#define HETERO_TOOLS_STEPTENSOR_H

#include "hetero/Runtime/Program.h"

namespace hetero {

/// An argument or a result of the step, for those who know no IR.
struct StepTensor {
  /// As JAX calls it, for instance "params['w']"; may be empty.
  std::string name;
  runtime::TensorType type;
  /// "parameter", "batch", "loss", "updated_state", ..., or empty.
  std::string role;
  /// The argument that this result is the updated value of.
  std::optional<int64_t> updates;
};

} // namespace hetero

#endif // HETERO_TOOLS_STEPTENSOR_H
