//===- CpuPipeline.cpp - From kernels to the LLVM dialect -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ApproximateMath.h"
#include "hetero/Conversion/Kernels/Passes.h"
#include "hetero/Conversion/StablehloToLinalg/Passes.h"
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

using namespace mlir;
using namespace hetero;

void hetero::registerKernelDialects(DialectRegistry &registry) {
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

/// Frees what kernels allocate. Where only the blocks of planned memory are
/// left to be freed, that is simple; else a pipeline finds out who owns what.
struct FreeBuffers : public PassWrapper<FreeBuffers, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(FreeBuffers)
  FreeBuffers() : pipeline(ModuleOp::getOperationName()) {
    bufferization::buildBufferDeallocationPipeline(pipeline);
  }
  void getDependentDialects(DialectRegistry &registry) const override {
    pipeline.getDependentDialects(registry);
  }

  static bool isPlanned(Operation *op) {
    auto alloc = dyn_cast<memref::AllocOp>(op);
    return alloc && isa<func::FuncOp>(op->getParentOp()) &&
           llvm::all_of(op->getUsers(), llvm::IsaPred<memref::ViewOp>);
  }

  void runOnOperation() override {
    SmallVector<memref::AllocOp> planned;
    WalkResult others = getOperation().walk([&](Operation *op) {
      if (isPlanned(op))
        planned.push_back(cast<memref::AllocOp>(op));
      else if (hasEffect<MemoryEffects::Allocate>(op) &&
               !isa<memref::AllocaOp>(op))
        return WalkResult::interrupt();
      return WalkResult::advance();
    });
    if (others.wasInterrupted()) {
      if (failed(runPipeline(pipeline, getOperation())))
        signalPassFailure();
      return;
    }
    for (memref::AllocOp alloc : planned) {
      OpBuilder builder(alloc->getBlock()->getTerminator());
      memref::DeallocOp::create(builder, alloc.getLoc(), alloc);
    }
  }

  OpPassManager pipeline;
};
} // namespace

static void addOneShotBufferization(OpPassManager &manager) {
  manager.addPass(createReuseDestinationsPass());
  bufferization::OneShotBufferizePassOptions options;
  options.bufferizeFunctionBoundaries = true;
  options.functionBoundaryTypeConversion =
      bufferization::LayoutMapOption::IdentityLayoutMap;
  options.allowReturnAllocsFromLoops = true;
  // The workspace aligns what it gives.
  options.bufferAlignment = 0;
  manager.addPass(bufferization::createOneShotBufferizePass(options));
}

void hetero::addBufferization(OpPassManager &manager) {
  addOneShotBufferization(manager);
  bufferization::buildBufferDeallocationPipeline(manager);
  manager.addNestedPass<func::FuncOp>(std::make_unique<CopiesToLoops>());
  manager.addPass(createCanonicalizerPass());
  manager.addPass(createCSEPass());
}

/// Memory is planned first: little is left to be freed one by one.
static void addPlannedBufferization(OpPassManager &manager) {
  addOneShotBufferization(manager);
  OpPassManager &functions = manager.nest<func::FuncOp>();
  functions.addPass(createCanonicalizerPass());
  functions.addPass(std::make_unique<CopiesToLoops>());
  functions.addPass(createCSEPass());
  // Loops are merged with results where they will be: what was decided to be in
  // place stays so.
  PlanMemoryPassOptions early, late;
  early.temporaries = false;
  late.results = false;
  functions.addPass(createPlanMemoryPass(early));
  functions.addPass(createMergeLoopsPass());
  functions.addPass(createPlanMemoryPass(late));
  manager.addPass(std::make_unique<FreeBuffers>());
}

/// Passes that look at one function at a time are nested, so that threads share
/// the functions.
void hetero::addHostCode(OpPassManager &manager) {
  manager.addPass(createLowerLibraryCallsPass());
  OpPassManager &functions = manager.nest<func::FuncOp>();
  functions.addPass(createConvertLinalgToLoopsPass());
  functions.addPass(createLowerAffinePass());
  functions.addPass(memref::createExpandStridedMetadataPass());
  functions.addPass(createLowerAffinePass());
  functions.addPass(createSCFToControlFlowPass());
  functions.addPass(createConvertComplexToStandardPass());
  arith::ArithExpandOpsPassOptions expand;
  expand.includeBf16 = true;
  functions.addPass(arith::createArithExpandOpsPass(expand));
  ConvertMathToLLVMPassOptions math;
  math.approximateLog1p = false;
  functions.addPass(createConvertMathToLLVMPass(math));
  manager.addPass(createConvertMathToLibmPass());
  manager.addNestedPass<func::FuncOp>(createConvertComplexToLLVMPass());
  FinalizeMemRefToLLVMConversionPassOptions memory;
  memory.useGenericFunctions = true;
  manager.addPass(createFinalizeMemRefToLLVMConversionPass(memory));
  ConvertFuncToLLVMPassOptions conversion;
  conversion.useBarePtrCallConv = true;
  manager.addPass(createConvertFuncToLLVMPass(conversion));
  manager.addPass(createConvertControlFlowToLLVMPass());
  OpPassManager &converted = manager.nest<LLVM::LLVMFuncOp>();
  converted.addPass(createArithToLLVMConversionPass());
  converted.addPass(createUBToLLVMConversionPass());
  converted.addPass(createReconcileUnrealizedCastsPass());
}

void hetero::buildCpuPipeline(OpPassManager &manager,
                              const CpuPipelineOptions &options) {
  if (options.probes)
    manager.addPass(createNameOperationsPass());
  manager.addPass(createLowerToLinalgPass());
  manager.addNestedPass<func::FuncOp>(createSetDestinationsPass());
  addPlannedBufferization(manager);
  manager.addPass(createLowerContractionsPass());
  if (options.outline) {
    manager.addPass(createOutlineLoopsPass());
    ParallelizeLoopsPassOptions parallelize;
    parallelize.minWork = options.minWork;
    manager.addPass(createParallelizeLoopsPass(parallelize));
  }
  manager.addNestedPass<func::FuncOp>(createApproximateMathPass());
  addHostCode(manager);
  if (options.probes)
    manager.addPass(createInsertProbesPass());
  manager.addPass(createWrapKernelsPass());
}

void hetero::registerCpuPipeline() {
  PassPipelineRegistration<CpuPipelineOptions>(
      "hetero-cpu-pipeline",
      "Lower StableHLO kernels to the LLVM dialect for the CPU",
      buildCpuPipeline);
}
