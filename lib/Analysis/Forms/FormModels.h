//===- FormModels.h - Building dimension maps -------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the files that attach FormOpInterface to operations share.

#ifndef HETERO_LIB_ANALYSIS_FORMS_FORMMODELS_H
#define HETERO_LIB_ANALYSIS_FORMS_FORMMODELS_H

#include "hetero/Analysis/Forms.h"
#include "hetero/Dialect/Stablehlo.h"

namespace hetero::forms {

inline llvm::ArrayRef<int64_t> getShape(mlir::Value value) {
  return llvm::cast<mlir::ShapedType>(value.getType()).getShape();
}

/// A map with no loops in which every dimension is needed whole.
DimensionMap getWholeMap(mlir::Operation *op);

/// Adds a loop and returns its number.
int addLoop(DimensionMap &map,
            std::optional<ReductionKind> reduction = std::nullopt);

/// One loop for each dimension of the results, which have all of them in
/// order; operands of that rank run along, others (scalars) are needed whole.
DimensionMap getElementwiseMap(mlir::Operation *op);

/// The map of an operation that only moves the data of its first operand.
DimensionMap makeMove(DimensionMap map);

/// The reduction that a region of two scalar arguments computes; nothing if it
/// is none of ours.
std::optional<ReductionKind> getReduction(mlir::Region &region);

/// Attaches the model of operations whose rules follow from the map that
/// `getMap` gives them.
template <typename OpT, auto getMap>
void attachMap(mlir::MLIRContext *context) {
  struct Model : FormOpInterface::ExternalModel<Model, OpT> {
    DimensionMap getDimensionMap(mlir::Operation *op) const {
      return getMap(llvm::cast<OpT>(op));
    }
  };
  OpT::template attachInterface<Model>(*context);
}

/// Attaches the models of one family of operations.
void attachElementwiseModels(mlir::MLIRContext *context);
void attachContractionModels(mlir::MLIRContext *context);
void attachMovementModels(mlir::MLIRContext *context);
void attachIndexingModels(mlir::MLIRContext *context);
void attachControlModels(mlir::MLIRContext *context);
void attachShardingModels(mlir::MLIRContext *context);
void attachReshardModels(mlir::MLIRContext *context);

} // namespace hetero::forms

#endif // HETERO_LIB_ANALYSIS_FORMS_FORMMODELS_H
