//===- Passes.h - Proofs about rank programs --------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef HETERO_TRANSFORMS_VERIFY_PASSES_H
#define HETERO_TRANSFORMS_VERIFY_PASSES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace hetero {

#define GEN_PASS_DECL
#include "hetero/Transforms/Verify/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "hetero/Transforms/Verify/Passes.h.inc"

} // namespace hetero

#endif // HETERO_TRANSFORMS_VERIFY_PASSES_H
