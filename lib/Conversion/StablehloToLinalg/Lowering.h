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
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StructuredOpsUtils.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallBitVector.h"

namespace hetero {

/// A tensor and where a loop reads it.
struct Access {
  mlir::Value tensor;
  mlir::AffineMap map;
};

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
  void map(mlir::Value value, mlir::Value lowered) {
    mapping.map(value, lowered);
  }

  ///===-------------------------------------------------------------------===//
  /// Helpers for the families
  ///===-------------------------------------------------------------------===//

  /// The type of the counterpart of a tensor value.
  static mlir::RankedTensorType convertType(mlir::Type type);
  static mlir::RankedTensorType convertType(mlir::Value value) {
    return convertType(value.getType());
  }

  mlir::Value index(int64_t value);
  mlir::Value makeEmpty(mlir::RankedTensorType type);
  mlir::Value makeFilled(mlir::RankedTensorType type, mlir::Value scalar);
  mlir::Value makeZero(mlir::Type type);

  /// The only element of a tensor value of rank 0, constants as such.
  mlir::Value getScalar(mlir::Value value);

  /// The counterpart of a value, made here if it is a view without one.
  mlir::Value getTensor(mlir::Value value);

  /// A loop nest over `shape` that writes `outputs` by `outputMaps`. Its body
  /// gets the elements of `values` (StableHLO values, fused producers included)
  /// at `valueMaps`, then those of the outputs, and returns what to write.
  /// Fails after an error.
  using BodyFn = llvm::function_ref<mlir::LogicalResult(
      mlir::ImplicitLocOpBuilder &, mlir::ValueRange elements,
      mlir::ValueRange outputs, llvm::SmallVectorImpl<mlir::Value> &results)>;
  mlir::FailureOr<mlir::linalg::GenericOp>
  makeLoop(llvm::ArrayRef<int64_t> shape, mlir::ValueRange values,
           llvm::ArrayRef<mlir::AffineMap> valueMaps, mlir::ValueRange outputs,
           llvm::ArrayRef<mlir::AffineMap> outputMaps,
           llvm::ArrayRef<mlir::utils::IteratorType> iterators, BodyFn body);

  /// A nest of loops over `shape` with values that each iteration replaces.
  /// Iterations that differ along an `independent` dimension do not write the
  /// same elements.
  using NestFn = llvm::function_ref<llvm::SmallVector<mlir::Value>(
      mlir::ImplicitLocOpBuilder &, mlir::ValueRange indices,
      mlir::ValueRange carried)>;
  llvm::SmallVector<mlir::Value>
  makeNest(llvm::ArrayRef<int64_t> shape,
           const llvm::SmallBitVector &independent, mlir::ValueRange carried,
           NestFn body);

  /// A loop over the elements of a new tensor, from their indices.
  mlir::Value
  makeGenerated(mlir::RankedTensorType type,
                llvm::function_ref<mlir::Value(mlir::ImplicitLocOpBuilder &,
                                               mlir::ValueRange indices)>
                    body);

  /// Emits a region on single elements.
  mlir::LogicalResult emitRegion(mlir::ImplicitLocOpBuilder &b,
                                 mlir::Region &region,
                                 mlir::ValueRange arguments,
                                 llvm::SmallVectorImpl<mlir::Value> &results);

  /// `value` as an index, read as signed or unsigned as `type` says.
  mlir::Value toIndex(mlir::ImplicitLocOpBuilder &b, mlir::Value value,
                      mlir::Type type);

  /// Cuts out a static box, and pads: see stablehlo.pad.
  mlir::Value pad(mlir::Value tensor, mlir::Value scalar,
                  llvm::ArrayRef<int64_t> low, llvm::ArrayRef<int64_t> high,
                  llvm::ArrayRef<int64_t> interior);

  /// Error at an operation that has no lowering.
  mlir::LogicalResult reject(mlir::Operation *op, const llvm::Twine &why = "");

  mlir::ImplicitLocOpBuilder b;
  const Target target;

private:
  friend class LoopBody;

  mlir::LogicalResult lowerOp(mlir::Operation &op);

  // LoweringElementwise.cpp
  mlir::LogicalResult lowerFusible(mlir::Operation &op);
  mlir::LogicalResult lowerConstant(mlir::stablehlo::ConstantOp op);
  mlir::LogicalResult lowerMap(mlir::stablehlo::MapOp op);

  // LoweringDataMovement.cpp
  mlir::LogicalResult lowerReshape(mlir::stablehlo::ReshapeOp op);
  mlir::LogicalResult lowerBitcast(mlir::stablehlo::BitcastConvertOp op);
  mlir::LogicalResult lowerDynamicSlice(mlir::stablehlo::DynamicSliceOp op);
  mlir::LogicalResult
  lowerDynamicUpdateSlice(mlir::stablehlo::DynamicUpdateSliceOp op);
  mlir::LogicalResult lowerConcatenate(mlir::stablehlo::ConcatenateOp op);
  mlir::LogicalResult lowerPad(mlir::stablehlo::PadOp op);

  // LoweringContraction.cpp
  mlir::LogicalResult lowerProduct(mlir::Operation *op);
  mlir::LogicalResult lowerConvolution(mlir::stablehlo::ConvolutionOp op);

  // LoweringReduction.cpp
  mlir::LogicalResult lowerReduce(mlir::stablehlo::ReduceOp op);
  mlir::LogicalResult lowerReduceWindow(mlir::stablehlo::ReduceWindowOp op);
  mlir::LogicalResult
  lowerSelectAndScatter(mlir::stablehlo::SelectAndScatterOp op);

  // LoweringGatherScatter.cpp
  mlir::LogicalResult lowerGather(mlir::stablehlo::GatherOp op);
  mlir::LogicalResult lowerScatter(mlir::stablehlo::ScatterOp op);

  // LoweringSort.cpp
  mlir::LogicalResult lowerSort(mlir::stablehlo::SortOp op);
  mlir::LogicalResult lowerSortByRanks(mlir::stablehlo::SortOp op,
                                       int64_t dimension);

  // LoweringControl.cpp
  mlir::LogicalResult lowerWhile(mlir::stablehlo::WhileOp op);
  mlir::LogicalResult lowerCountedLoop(mlir::stablehlo::WhileOp op,
                                       const CountedLoop &loop);
  mlir::LogicalResult lowerCase(mlir::stablehlo::CaseOp op);
  mlir::LogicalResult lowerIf(mlir::stablehlo::IfOp op);
  mlir::LogicalResult lowerBarrier(mlir::stablehlo::OptimizationBarrierOp op);
  mlir::LogicalResult lowerBranch(mlir::Region &region);

  // LoweringRandom.cpp
  mlir::LogicalResult
  lowerRngBitGenerator(mlir::stablehlo::RngBitGeneratorOp op);

  // LoweringLibrary.cpp
  /// Calls the function `name` with a list of words: the numbers, then where
  /// the operands and results are. Maps the results.
  mlir::LogicalResult callLibrary(mlir::Operation *op, mlir::StringRef name,
                                  llvm::ArrayRef<int64_t> numbers,
                                  mlir::ValueRange operands,
                                  mlir::ValueRange results);
  mlir::LogicalResult lowerFft(mlir::stablehlo::FftOp op);
  mlir::LogicalResult lowerCholesky(mlir::stablehlo::CholeskyOp op);
  mlir::LogicalResult
  lowerTriangularSolve(mlir::stablehlo::TriangularSolveOp op);
  mlir::LogicalResult lowerCustomCall(mlir::stablehlo::CustomCallOp op);

  const FusionPlan &plan;
  mlir::IRMapping mapping;
};

} // namespace hetero

#endif // HETERO_LIB_CONVERSION_STABLEHLOTOLINALG_LOWERING_H
