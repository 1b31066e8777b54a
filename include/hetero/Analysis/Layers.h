//===- Layers.h - The parts of a step that a planner places -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A step is one long function: forward, backward and update of all layers.
//
// The idea
// --------
// *Forward* is what the loss depends on. *Update* is what comes after the
// gradients of the whole batch were combined (the last level of forms).
// *Backward* is the rest, recomputation included.
//
// The forward, in program order, is cut between the blocks of the model, which
// its repeated structure shows (RepeatedBlocks.h). A layer is a block, or a
// piece of a large one: then all blocks of a run are cut alike. What is between
// or around them, and a model without blocks, is cut into parts of equal work,
// each at its narrowest place. Equal layers are known to be equal: what is
// found out about one of them holds for all.
//
// Everything else follows the forward. A backward operation goes to the highest
// layer in which all that it takes from the forward is present (made or used
// there), but not above the layers that its gradients come from: gradients only
// ever flow down. An update goes where most of its operands are.
//
// Operations that depend on no argument (constants, masks from iota) belong to
// no layer; whoever needs them makes them.
//
// A worked example, two dense layers:
//
//   %h  = dot_general %x, %w0     layer 0 forward
//   %y  = dot_general %h, %w1     layer 1 forward
//   %l  = reduce add %y           layer 1 forward
//   %d1 = dot_general %h, %one    layer 1 backward: %h is used there
//   %dh = dot_general %one, %w1   layer 1 backward
//   %d0 = dot_general %x, %dh     layer 0 backward: %x is present in 0 only
//   %n0 = subtract %w0, %d0       layer 0 update

#ifndef HETERO_ANALYSIS_LAYERS_H
#define HETERO_ANALYSIS_LAYERS_H

#include "hetero/Analysis/Forms.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace hetero {

struct StepLayers {
  struct Place {
    int64_t layer = 0;
    Phase phase = Phase::Forward;
  };
  int64_t numLayers = 0;
  /// Operations of the step's block that belong to a layer.
  llvm::DenseMap<mlir::Operation *, Place> ofOp;
  /// The layer that each argument lives in: the first one that reads it in the
  /// forward, else that of a user of it.
  llvm::SmallVector<int64_t> ofArgument;
  /// What to call each layer: where most of its forward is in the user's
  /// program ("h_3/attn"), else "block 3 of 12", else "layer_7". All differ.
  /// Empty if the layers were read.
  llvm::SmallVector<std::string> names;
};

/// Divides the forward of `step` into layers and assigns everything else.
/// `forms` is the analysis of its batch axis. If `maxLayers` is not 0 and these
/// are more layers, it is cut into at most so many even parts instead.
StepLayers formLayers(mlir::func::FuncOp step, const FormAnalysis &forms,
                      int64_t maxLayers);

/// Reads the layers that `hetero.layer` attributes give; an error if an
/// operation that depends on an argument has none.
mlir::FailureOr<StepLayers> readLayers(mlir::func::FuncOp step);

/// For each layer the first that has the same structure: the same operations in
/// the same order, with the same operands among them, of which the same are
/// used elsewhere. A layer of a structure of its own has its own number.
llvm::SmallVector<int64_t> getKinds(mlir::func::FuncOp step,
                                    const StepLayers &layers);

/// Whether `op` and everything it depends on use no argument and no loop.
llvm::DenseSet<mlir::Operation *> getArgumentFree(mlir::Block &block);

} // namespace hetero

#endif // HETERO_ANALYSIS_LAYERS_H
