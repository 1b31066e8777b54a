//===- Arrays.cpp - NumPy arrays into and out of the step -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Arrays.h"
#include <nanobind/ndarray.h>

namespace nb = nanobind;
using namespace hetero;
using namespace hetero::python;
using runtime::MaybeError;

using ArgumentBytes =
    nb::ndarray<const uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using ResultBytes =
    nb::ndarray<uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

static void checkBytes(const std::vector<StepTensor> &list, const char *what,
                       int64_t index, size_t bytes) {
  if (index < 0 || index >= static_cast<int64_t>(list.size()))
    throw nb::index_error();
  int64_t expected = list[index].type.numBytes();
  if (static_cast<int64_t>(bytes) != expected)
    throw nb::value_error((std::string(what) + " " + std::to_string(index) +
                           " has " + std::to_string(expected) + " bytes, not " +
                           std::to_string(bytes))
                              .c_str());
}

static void setArgument(StepExecutable &compiled, int64_t index,
                        const ArgumentBytes &whole) {
  checkBytes(compiled.getArguments(), "argument", index, whole.size());
  MaybeError error;
  {
    nb::gil_scoped_release unlocked;
    error = compiled.setArgument(index, whole.data());
  }
  if (error)
    throw ExecutionError(*error);
}

static void getResult(StepExecutable &compiled, int64_t index,
                      const ResultBytes &whole) {
  checkBytes(compiled.getResults(), "result", index, whole.size());
  MaybeError error;
  {
    nb::gil_scoped_release unlocked;
    error = compiled.getResult(index, whole.data());
  }
  if (error)
    throw ExecutionError(*error);
}

void hetero::python::bindArrays(nb::class_<StepExecutable> &executable) {
  executable.def("set_argument", setArgument).def("get_result", getResult);
}
