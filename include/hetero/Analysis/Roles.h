//===- Roles.h - What arguments and results are to training -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A JAX step is a function of flat lists of tensors. Which of them are
// parameters, which moments, which data? The planner must know, and the user
// should not have to say. It is found in three moves:
//
// 1. **Pairing**: which result is the updated value of which argument. Names
// tell,
//    where both sides have them: all leaves below `opt` stand again below
//    `result[2]`, with the same types. Otherwise data flow tells: an optimizer
//    computes the updated value element by element from the old one, and in
//    fewer operations than anything else that depends on it. Donation
//    (`tf.aliasing_output`) only decides what is still open, because it pairs
//    buffers by type, not by meaning.
// 2. **The loss**: the float scalar among the results that is called so, or the
//    only one, or the first that a differentiable path joins to the parameters,
//    data takes part in, and that needs no more of the state than the others.
// 3. **The rest** follows: state that the loss depends on is a parameter, state
//    that only the update depends on belongs to the optimizer, and so does a
//    scalar that follows a schedule of its own, such as a loss scale; an
//    integer key that is shifted and xor-ed is a random generator's, a scalar
//    that is not state is a hyper-parameter, other data is the batch. A tree of
//    arguments whose first sizes differ, where those of all others are one, is
//    frozen.
//
// A function without state or without a loss is not a step, and has no roles;
// that is worth a warning, but not an error here. Two readings that make a
// difference are one: the message names both and the attribute that decides.
// That is for functions that are declared to be steps, by a donated argument or
// a role; others that are ambiguous have no roles. A role that is already on
// the function is taken as given.

#ifndef HETERO_ANALYSIS_ROLES_H
#define HETERO_ANALYSIS_ROLES_H

#include "hetero/Dialect/Hetero/HeteroAttrs.h"
#include "mlir/Support/LLVM.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/SmallVector.h"
#include <optional>

namespace mlir::func {
class FuncOp;
} // namespace mlir::func

namespace hetero {

/// The roles of a function's arguments and results; null where there is none.
struct StepRoles {
  llvm::SmallVector<RoleAttr> arguments;
  llvm::SmallVector<RoleAttr> results;

  /// Whether any result is the updated value of an argument.
  bool isStep() const;
};

/// The argument that each result is the updated value of.
using StatePairs = llvm::SmallVector<std::optional<unsigned>>;

/// What the first move finds, each list with a place for each result.
struct StateMatch {
  StatePairs pairs;
  /// Results that carry the gradient of an argument instead.
  StatePairs gradients;
  /// Pairs that nothing but a donated buffer speaks for.
  llvm::BitVector byDonationOnly;
};

/// The first move. Pairs that `given` names are kept, and results that it gives
/// another role are not paired.
StateMatch matchState(mlir::func::FuncOp step, const StepRoles &given);

/// Infers the roles of a function without calls (see `hetero-inline-calls`),
/// which has one block. Fails, with a diagnostic, when they are ambiguous. When
/// the function is not a step, `whyNot` says what it lacks.
mlir::FailureOr<StepRoles> inferRoles(mlir::func::FuncOp step,
                                      llvm::StringRef &whyNot);

/// Reads the roles that are on the function.
StepRoles getRoles(mlir::func::FuncOp step);

/// Writes roles onto the function.
void setRoles(mlir::func::FuncOp step, const StepRoles &roles);

} // namespace hetero

#endif // HETERO_ANALYSIS_ROLES_H
