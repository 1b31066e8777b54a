//===- CpuPipeline.cpp - From kernels to the LLVM dialect -----------------===//
//
// Part of the hetero project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Pipelines.h"
#include "hetero/Conversion/Passes.h"
#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Transforms/BufferDeallocationOpInterfaceImpl.h"
#include "mlir/Dialect/Arith/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Bufferization/Pipelines/Passes.h"
#include "mlir/Dialect/Bufferization/Transforms/FuncBufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/ControlFlow/Transforms/BufferDeallocationOpInterfaceImpl.h"
#include "mlir/Dialect/ControlFlow/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Dialect/Linalg/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Linalg/Utils/Utils.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/MemRef/Transforms/AllocationOpInterfaceImpl.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/BufferDeallocationOpInterfaceImpl.h"
#include "mlir/Dialect/SCF/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/IR/TensorInferTypeOpInterfaceImpl.h"
#include "mlir/Dialect/Tensor/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

using namespace mlir;
using namespace hetero;

void hetero::registerConversionDialects(DialectRegistry &registry) {
  registry
      .insert<affine::AffineDialect, arith::ArithDialect,
              bufferization::BufferizationDialect, cf::ControlFlowDialect,
              complex::ComplexDialect, func::FuncDialect, linalg::LinalgDialect,
              LLVM::LLVMDialect, math::MathDialect, memref::MemRefDialect,
              scf::SCFDialect, tensor::TensorDialect>();
  arith::registerBufferizableOpInterfaceExternalModels(registry);
  arith::registerBufferDeallocationOpInterfaceExternalModels(registry);
  bufferization::func_ext::registerBufferizableOpInterfaceExternalModels(
      registry);
  cf::registerBufferDeallocationOpInterfaceExternalModels(registry);
  cf::registerBufferizableOpInterfaceExternalModels(registry);
  linalg::registerBufferizableOpInterfaceExternalModels(registry);
  memref::registerAllocationOpInterfaceExternalModels(registry);
  scf::registerBufferDeallocationOpInterfaceExternalModels(registry);
  scf::registerBufferizableOpInterfaceExternalModels(registry);
  tensor::registerBufferizableOpInterfaceExternalModels(registry);
  tensor::registerInferTypeOpInterfaceExternalModels(registry);
  registerCudaDialects(registry);
}

namespace {
/// Copies of parts of buffers become loops; LLVM would call a library for them.
struct CopiesToLoops
    : public PassWrapper<CopiesToLoops, OperationPass<func::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(CopiesToLoops)
  void runOnOperation() override {
    getOperation().walk([](memref::CopyOp copy) {
      auto isWhole = [](Value value) {
        auto type = dyn_cast<MemRefType>(value.getType());
        return type && type.getLayout().isIdentity();
      };
      if (isWhole(copy.getSource()) && isWhole(copy.getTarget()))
        return;
      OpBuilder builder(copy);
      linalg::makeMemRefCopyOp(builder, copy.getLoc(), copy.getSource(),
                               copy.getTarget());
      copy.erase();
    });
  }
};

/// Functions that have no vectorized form elsewhere become polynomials, which
/// LLVM vectorizes with the rest of the loop.
struct ApproximateMath
    : public PassWrapper<ApproximateMath, OperationPass<func::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ApproximateMath)
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    populateMathPolynomialApproximationPatterns(patterns, [](StringRef name) {
      return name == math::TanhOp::getOperationName() ||
             name == math::ExpOp::getOperationName();
    });
    walkAndApplyPatterns(getOperation(), std::move(patterns));
  }
};
} // namespace

void hetero::addBufferization(OpPassManager &manager) {
  manager.addPass(createReuseDestinationsPass());
  bufferization::OneShotBufferizePassOptions options;
  options.bufferizeFunctionBoundaries = true;
  options.functionBoundaryTypeConversion =
      bufferization::LayoutMapOption::IdentityLayoutMap;
  options.allowReturnAllocsFromLoops = true;
  // The workspace aligns what it gives.
  options.bufferAlignment = 0;
  manager.addPass(bufferization::createOneShotBufferizePass(options));
  manager.addPass(memref::createExpandReallocPass());
  bufferization::buildBufferDeallocationPipeline(manager);
  manager.addNestedPass<func::FuncOp>(std::make_unique<CopiesToLoops>());
  manager.addPass(createCanonicalizerPass());
  manager.addPass(createCSEPass());
}

void hetero::addHostCode(OpPassManager &manager) {
  manager.addNestedPass<func::FuncOp>(createConvertLinalgToLoopsPass());
  manager.addPass(createLowerAffinePass());
  manager.addPass(memref::createExpandStridedMetadataPass());
  manager.addPass(createLowerAffinePass());
  manager.addPass(createSCFToControlFlowPass());
  manager.addNestedPass<func::FuncOp>(createConvertComplexToStandardPass());
  arith::ArithExpandOpsPassOptions expand;
  expand.includeBf16 = true;
  manager.addNestedPass<func::FuncOp>(arith::createArithExpandOpsPass(expand));
  ConvertMathToLLVMPassOptions math;
  math.approximateLog1p = false;
  manager.addNestedPass<func::FuncOp>(createConvertMathToLLVMPass(math));
  manager.addPass(createConvertMathToLibmPass());
  manager.addPass(createConvertComplexToLLVMPass());
  FinalizeMemRefToLLVMConversionPassOptions memory;
  memory.useGenericFunctions = true;
  manager.addPass(createFinalizeMemRefToLLVMConversionPass(memory));
  ConvertFuncToLLVMPassOptions functions;
  functions.useBarePtrCallConv = true;
  manager.addPass(createConvertFuncToLLVMPass(functions));
  manager.addPass(createArithToLLVMConversionPass());
  manager.addPass(createConvertControlFlowToLLVMPass());
  manager.addPass(createUBToLLVMConversionPass());
  manager.addPass(createReconcileUnrealizedCastsPass());
}

void hetero::buildCpuPipeline(OpPassManager &manager,
                              const CpuPipelineOptions &options) {
  if (options.probes)
    manager.addPass(createNameOperationsPass());
  manager.addPass(createLowerToLinalgPass());
  manager.addNestedPass<func::FuncOp>(createSetDestinationsPass());
  addBufferization(manager);
  manager.addNestedPass<func::FuncOp>(createPlanMemoryPass());
  manager.addPass(createLowerContractionsPass());
  if (options.outline) {
    manager.addPass(createOutlineLoopsPass());
    ParallelizeLoopsPassOptions parallelize;
    parallelize.minWork = options.minWork;
    manager.addPass(createParallelizeLoopsPass(parallelize));
  }
  manager.addNestedPass<func::FuncOp>(std::make_unique<ApproximateMath>());
  addHostCode(manager);
  if (options.probes)
    manager.addPass(createInsertProbesPass());
  manager.addPass(createWrapKernelsPass());
}

void hetero::registerConversionPipelines() {
  PassPipelineRegistration<CpuPipelineOptions>(
      "hetero-cpu-pipeline",
      "Lower StableHLO kernels to the LLVM dialect for the CPU",
      buildCpuPipeline);
  PassPipelineRegistration<CudaPipelineOptions>(
      "hetero-cuda-pipeline",
      "Lower StableHLO kernels to code for CUDA devices and their host",
      buildCudaPipeline);
}
