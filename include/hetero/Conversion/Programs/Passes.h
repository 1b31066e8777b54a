//===- Passes.h - What rank programs compute --------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef HETERO_CONVERSION_PROGRAMS_PASSES_H
#define HETERO_CONVERSION_PROGRAMS_PASSES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace hetero {

#define GEN_PASS_DECL
#include "hetero/Conversion/Programs/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "hetero/Conversion/Programs/Passes.h.inc"

} // namespace hetero

#endif // HETERO_CONVERSION_PROGRAMS_PASSES_H
