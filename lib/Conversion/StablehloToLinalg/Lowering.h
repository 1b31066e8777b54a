//===- Lowering.h - From StableHLO to linalg on tensors ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One forward walk over a function that builds its counterpart on linalg,
// tensor, arith, math, complex and scf. Values are mapped as they are made;
// what the fusion plan leaves unstored has no counterpart and is computed by
// the loops that use it. Each family of operations has a file that implements
// its `lower*` members.

#ifndef HETERO_LIB_CONVERSION_STABLEHLOTOLINALG_LOWERING_H
#define HETERO_LIB_CONVERSION_STABLEHLOTOLINALG_LOWERING_H

#include "ScalarOps.h"
#include "hetero/Analysis/Fusion.h"
#include "hetero/Analysis/Loops.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallBitVector.h"
#include "llvm/ADT/SmallVectorExtras.h"

namespace hetero {

/// A tensor and where a loop reads it.
struct Access {
  mlir::Value tensor;
  mlir::AffineMap map;
};

/// Where a linalg operation of this rank stands in its loops.
llvm::SmallVector<mlir::Value> getIndices(LoopBuilder &b, int64_t rank);

/// Loops of which those that a result lacks are reductions.
llvm::SmallVector<mlir::utils::IteratorType>
getIterators(mlir::AffineMap resultMap);

/// What the loops are for.
enum class Target { Cpu, Cuda };

class Lowering {
public:
  Lowering(mlir::OpBuilder &builder, mlir::Location loc, const FusionPlan &plan,
           Target target)
      : b(loc, builder), target(target), plan(plan) {}

  /// Maps the arguments and lowers all operations of the block but its
  /// terminator. `b` is where code goes.
  mlir::LogicalResult lowerBlock(mlir::Block &block);

  /// The counterpart of a value, which has one.
  mlir::Value lookup(mlir::Value value) const { return mapping.lookup(value); }
  llvm::SmallVector<mlir::Value> lookup(mlir::ValueRange values) const {
    return llvm::map_to_vector(
        values, [&](mlir::Value value) { return lookup(value); });
  }
  void map(mlir::Value value, mlir::Value lowered) {
    mapping.map(value, lowered);
  }
  void map(mlir::ValueRange values, mlir::ValueRange lowered) {
    mapping.map(values, lowered);
  }
  /// Maps a value that has no elements; whether it is one.
  bool mapEmpty(mlir::Value value);

  ///===-------------------------------------------------------------------===//
  /// Helpers for the families
  ///===-------------------------------------------------------------------===//

  /// The type of the counterpart of a tensor value.
  static mlir::RankedTensorType convertType(mlir::Type type);
  static mlir::RankedTensorType convertType(mlir::Value value) {
    return convertType(value.getType());
  }

  mlir::Value makeEmpty(mlir::RankedTensorType type);
  mlir::Value makeFilled(mlir::RankedTensorType type, mlir::Value scalar);

  /// The only element of a tensor value of rank 0, constants as such.
  mlir::Value getScalar(mlir::Value value);

  /// The counterpart of a value, made here if it is a view without one.
  mlir::Value getTensor(mlir::Value value);

  /// A buffer that a tensor value has, or could have.
  mlir::Value makeBuffer(mlir::Value value);
  mlir::Value getBuffer(mlir::Value value);
  /// Maps values to what is in buffers then.
  void mapBuffers(mlir::ValueRange values, mlir::ValueRange buffers);

  /// A loop nest over `shape` that writes all `outputs` by `outputMap`, and
  /// reduces along the dimensions that this lacks. Its body gets the elements
  /// of `values` (StableHLO values, fused producers included) at `valueMaps`,
  /// then those of the outputs, and returns what to write.
  using BodyFn = llvm::function_ref<llvm::SmallVector<mlir::Value>(
      LoopBuilder &, mlir::ValueRange elements, mlir::ValueRange outputs)>;
  mlir::linalg::GenericOp makeLoop(llvm::ArrayRef<int64_t> shape,
                                   mlir::ValueRange values,
                                   llvm::ArrayRef<mlir::AffineMap> valueMaps,
                                   mlir::ValueRange outputs,
                                   mlir::AffineMap outputMap, BodyFn body);

  /// A nest of loops over `shape` with values that each iteration replaces.
  /// Iterations that differ along an `independent` dimension do not write the
  /// same elements.
  mlir::scf::ValueVector makeNest(llvm::ArrayRef<int64_t> shape,
                                  const llvm::SmallBitVector &independent,
                                  mlir::ValueRange carried,
                                  LoopBuilder::NestFn body);

  /// A loop over the elements of a new tensor, from their indices.
  mlir::Value makeGenerated(
      mlir::RankedTensorType type,
      llvm::function_ref<mlir::Value(LoopBuilder &, mlir::ValueRange indices)>
          body);

  /// Emits a region on single elements. After an error its results are zeros,
  /// and `hasFailed`.
  llvm::SmallVector<mlir::Value>
  emitRegion(LoopBuilder &b, mlir::Region &region, mlir::ValueRange arguments);

  /// `value` as an index, read as signed or unsigned as `type` says.
  mlir::Value toIndex(LoopBuilder &b, mlir::Value value, mlir::Type type);

  /// Cuts out a static box, and pads: see stablehlo.pad.
  mlir::Value pad(mlir::Value tensor, mlir::Value scalar,
                  llvm::ArrayRef<int64_t> low, llvm::ArrayRef<int64_t> high,
                  llvm::ArrayRef<int64_t> interior);

  /// Error at an operation that has no lowering.
  mlir::LogicalResult reject(mlir::Operation *op, const llvm::Twine &why = "");

  LoopBuilder b;
  const Target target;

  /// An error was emitted within a loop, whose operation comes to nothing.
  bool hasFailed = false;

private:
  friend class LoopBody;

  mlir::LogicalResult lowerOp(mlir::Operation &op);

  // LoweringElementwise.cpp
  void lowerFusible(mlir::Operation &op);
  mlir::LogicalResult lower(mlir::stablehlo::ConstantOp op);
  mlir::LogicalResult lower(mlir::stablehlo::MapOp op);

  // LoweringDataMovement.cpp
  mlir::LogicalResult lower(mlir::stablehlo::ReshapeOp op);
  mlir::LogicalResult lower(mlir::stablehlo::BitcastConvertOp op);
  mlir::LogicalResult lower(mlir::stablehlo::DynamicSliceOp op);
  mlir::LogicalResult lower(mlir::stablehlo::DynamicUpdateSliceOp op);
  mlir::LogicalResult lower(mlir::stablehlo::ConcatenateOp op);
  mlir::LogicalResult lower(mlir::stablehlo::PadOp op);

  // LoweringContraction.cpp
  mlir::LogicalResult lowerProduct(mlir::Operation *op);

  // LoweringConvolution.cpp
  mlir::LogicalResult lower(mlir::stablehlo::ConvolutionOp op);

  // LoweringReduction.cpp
  mlir::LogicalResult lower(mlir::stablehlo::ReduceOp op);
  mlir::LogicalResult lower(mlir::stablehlo::ReduceWindowOp op);
  mlir::LogicalResult lower(mlir::stablehlo::SelectAndScatterOp op);

  // LoweringGatherScatter.cpp
  mlir::LogicalResult lower(mlir::stablehlo::GatherOp op);
  mlir::LogicalResult lower(mlir::stablehlo::ScatterOp op);

  // LoweringSort.cpp
  mlir::LogicalResult lower(mlir::stablehlo::SortOp op);
  mlir::LogicalResult lowerSortByRanks(mlir::stablehlo::SortOp op,
                                       int64_t dimension);

  // LoweringControl.cpp
  mlir::LogicalResult lower(mlir::stablehlo::WhileOp op);
  mlir::LogicalResult lowerCountedLoop(mlir::stablehlo::WhileOp op,
                                       const CountedLoop &loop);
  mlir::LogicalResult lower(mlir::stablehlo::CaseOp op);
  mlir::LogicalResult lower(mlir::stablehlo::IfOp op);
  mlir::LogicalResult lower(mlir::stablehlo::OptimizationBarrierOp op);
  mlir::LogicalResult lowerBranch(mlir::Region &region);

  // LoweringRandom.cpp
  mlir::LogicalResult lower(mlir::stablehlo::RngBitGeneratorOp op);

  // LoweringLibrary.cpp
  /// Calls the function `name` with a list of words: the numbers, then where
  /// the operands and results are. Maps the results.
  mlir::LogicalResult callLibrary(mlir::Operation *op, mlir::StringRef name,
                                  llvm::ArrayRef<int64_t> numbers,
                                  mlir::ValueRange operands,
                                  mlir::ValueRange results);
  /// Computes each element of a mapped value anew.
  void replace(mlir::Value value,
               llvm::function_ref<mlir::Value(
                   LoopBuilder &, mlir::ValueRange indices, mlir::Value old)>
                   body);
  void maskFactor(mlir::stablehlo::CholeskyOp op, mlir::Value info);
  mlir::LogicalResult lower(mlir::stablehlo::FftOp op);
  mlir::LogicalResult lower(mlir::stablehlo::CholeskyOp op);
  mlir::LogicalResult lower(mlir::stablehlo::TriangularSolveOp op);
  mlir::LogicalResult lower(mlir::stablehlo::CustomCallOp op);

  const FusionPlan &plan;
  mlir::IRMapping mapping;
};

//===----------------------------------------------------------------------===//
// Sums of products (LoweringContraction.cpp)
//===----------------------------------------------------------------------===//

/// What products of these elements are summed in: 16-bit floats in f32,
/// everything else in the type of the result.
mlir::Type getSumType(mlir::Type resultType);

/// `tensor`, whose elements are of StableHLO type `from`, as elements `to`.
mlir::Value convertTensor(Lowering &lowering, mlir::Value tensor,
                          mlir::Type from, mlir::Type to);

/// The sum over the dimensions that `resultMap` lacks of the products of
/// elements; all three have converted types.
mlir::Value makeContraction(Lowering &lowering, Access lhs, Access rhs,
                            mlir::RankedTensorType type,
                            mlir::AffineMap resultMap);

} // namespace hetero

#endif // HETERO_LIB_CONVERSION_STABLEHLOTOLINALG_LOWERING_H
