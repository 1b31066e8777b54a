//===- Passes.h - Passes over rank programs ---------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef HETERO_TRANSFORMS_RANKS_PASSES_H
#define HETERO_TRANSFORMS_RANKS_PASSES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace hetero {

#define GEN_PASS_DECL
#include "hetero/Transforms/Ranks/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "hetero/Transforms/Ranks/Passes.h.inc"

} // namespace hetero

#endif // HETERO_TRANSFORMS_RANKS_PASSES_H
