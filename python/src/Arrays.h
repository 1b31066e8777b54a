//===- Arrays.h - NumPy arrays into and out of the step ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef HETERO_PYTHON_SRC_ARRAYS_H
#define HETERO_PYTHON_SRC_ARRAYS_H

#include "Core.h"
#include <nanobind/nanobind.h>
#include <stdexcept>

namespace hetero::python {

/// A step that ran has failed.
struct ExecutionError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Gives Python what sets an argument of a step and gets a result.
void bindArrays(nanobind::class_<StepExecutable> &executable);

} // namespace hetero::python

#endif // HETERO_PYTHON_SRC_ARRAYS_H
