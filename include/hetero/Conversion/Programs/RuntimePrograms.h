//===- RuntimePrograms.h - Rank programs for the runtime --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Turns the rank programs of a partitioned module into runtime::Programs and
// the kernels that they call.
//
// The idea
// --------
// A rank program is straight-line code, so its values become buffers and its
// operations instructions, one by one. The units that it calls may communicate
// inside of their stage; what lies between two communications is a kernel.
// Units that do not communicate are kernels as they are, so equal work on
// different ranks and microbatches is compiled once. A program that does not
// communicate at all is one kernel. A buffer is freed after its last use.
//
//   func.func @rank0(%w, %x) {
//     %g = call @stage0_backward_0(%w, %x)        Call stage0_backward_0
//     %s = hetero.all_reduce sum %g over @stage0  AllReduce sum
//     %n = call @stage0_update_0(%w, %s)          Call stage0_update_0
//     return %n                                   (result)
//   }

#ifndef HETERO_CONVERSION_PROGRAMS_RUNTIMEPROGRAMS_H
#define HETERO_CONVERSION_PROGRAMS_RUNTIMEPROGRAMS_H

#include "hetero/Analysis/RankPrograms.h"
#include "hetero/Runtime/Program.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include <optional>
#include <vector>

namespace hetero {

/// On an argument of a kernel: no call needs the operand afterwards.
inline constexpr llvm::StringLiteral kLastUseAttr = "hetero.last_use";

/// On an argument of a kernel: it is the buffer of a result.
inline constexpr llvm::StringLiteral kResultAttr = "hetero.result";

/// On a kernel: pairs of the number of an operand and that of a result which is
/// computed in its memory. Decided by hetero-lower-to-linalg
/// (Analysis/KernelMemory.h), done by hetero-plan-memory.
inline constexpr llvm::StringLiteral kInPlaceAttr = "hetero.in_place";

struct RuntimePrograms {
  /// By rank: 0, 1, ...
  std::vector<runtime::Program> programs;
  /// The kernels, as functions on tensors.
  mlir::OwningOpRef<mlir::ModuleOp> kernels;
};

/// Converts the rank programs of `module`, which stays as it is: all of them,
/// or `only` one. Ranks up to `numRanks` that have no program, because the plan
/// leaves their device out, have an empty one, as those have that were not
/// asked for. Fails with a diagnostic if there is no rank program, or if a type
/// or an operation cannot be executed.
mlir::FailureOr<RuntimePrograms>
convertToRuntimePrograms(mlir::ModuleOp module, int64_t numRanks = 0,
                         std::optional<int64_t> only = std::nullopt);

/// Marks the operands of kernels that no call of any rank needs afterwards with
/// `hetero.last_use`, so that results can be computed in their memory.
void markLastUses(RuntimePrograms &programs);

/// The runtime's name of a type; nothing if it cannot be executed.
std::optional<runtime::TensorType> getRuntimeType(mlir::Type type);

} // namespace hetero

#endif // HETERO_CONVERSION_PROGRAMS_RUNTIMEPROGRAMS_H
