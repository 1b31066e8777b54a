//===- InitAll.h - Registration of everything -------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What every tool registers, so that all of them read the same IR and know the
// same passes.

#ifndef HETERO_INITALL_H
#define HETERO_INITALL_H

#include "hetero/Analysis/Forms.h"
#include "hetero/Conversion/Cuda/Passes.h"
#include "hetero/Conversion/Kernels/Passes.h"
#include "hetero/Conversion/Programs/Passes.h"
#include "hetero/Conversion/StablehloToLinalg/Passes.h"
#include "hetero/Dialect/Chlo.h"
#include "hetero/Dialect/Hetero/HeteroDialect.h"
#include "hetero/Dialect/Sdy/Sdy.h"
#include "hetero/Dialect/Stablehlo.h"
#include "hetero/Transforms/Import/Passes.h"
#include "hetero/Transforms/Partition/Passes.h"
#include "hetero/Transforms/Planning/Passes.h"
#include "hetero/Transforms/Ranks/Passes.h"
#include "hetero/Transforms/Verify/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/Func/Extensions/InlinerExtension.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Quant/IR/Quant.h"
#include "mlir/Dialect/Shape/IR/Shape.h"
#include "mlir/Dialect/SparseTensor/IR/SparseTensor.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/Passes.h"

namespace hetero {

/// Adds the dialects that a step may contain when it comes in, and those that
/// the passes up to the rank programs add to it.
inline void registerStepDialects(mlir::DialectRegistry &registry) {
  registry.insert<HeteroDialect>();
  registry.insert<mlir::arith::ArithDialect>();
  registry.insert<mlir::chlo::ChloDialect>();
  registry.insert<mlir::complex::ComplexDialect>();
  registry.insert<mlir::func::FuncDialect>();
  registry.insert<mlir::quant::QuantDialect>();
  registry.insert<mlir::sdy::SdyDialect>();
  registry.insert<mlir::shape::ShapeDialect>();
  registry.insert<mlir::sparse_tensor::SparseTensorDialect>();
  registry.insert<mlir::stablehlo::StablehloDialect>();
  registry.insert<mlir::tensor::TensorDialect>();
  mlir::func::registerInlinerExtension(registry);
  registerFormModels(registry);
}

/// Adds every dialect that a step may contain at any phase boundary, down to
/// machine code.
inline void registerAllDialects(mlir::DialectRegistry &registry) {
  registerStepDialects(registry);
  registerKernelDialects(registry);
  registerCudaDialects(registry);
}

/// Registers every pass and pipeline by name.
inline void registerAllPasses() {
  mlir::registerTransformsPasses();
  registerHeteroTransformsImportPasses();
  registerHeteroTransformsRanksPasses();
  registerHeteroTransformsPartitionPasses();
  registerHeteroTransformsVerifyPasses();
  registerHeteroTransformsPlanningPasses();
  registerHeteroConversionProgramsPasses();
  registerHeteroConversionStablehloToLinalgPasses();
  registerHeteroConversionKernelsPasses();
  registerHeteroConversionCudaPasses();
  registerImportPipeline();
  registerPlanPipeline();
  registerCpuPipeline();
  registerCudaPipeline();
}

} // namespace hetero

#endif // HETERO_INITALL_H
