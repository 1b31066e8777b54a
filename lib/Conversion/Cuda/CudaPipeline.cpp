//===- CudaPipeline.cpp - From kernels to code for CUDA devices -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Conversion/Cuda/Passes.h"
#include "hetero/Conversion/Kernels/Passes.h"
#include "hetero/Conversion/Programs/Passes.h"
#include "hetero/Conversion/StablehloToLinalg/Passes.h"
#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ComplexToLLVM/ComplexToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/MemRefToLLVM/MemRefToLLVM.h"
#include "mlir/Conversion/NVVMToLLVM/NVVMToLLVM.h"
#include "mlir/Conversion/Passes.h"
#include "mlir/Conversion/UBToLLVM/UBToLLVM.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Target/LLVM/NVVM/Target.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/GPU/GPUToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/NVVM/NVVMToLLVMIRTranslation.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace hetero;

void hetero::registerCudaDialects(DialectRegistry &registry) {
  registry.insert<gpu::GPUDialect, NVVM::NVVMDialect>();
  // convert-gpu-to-nvvm asks the dialects for their patterns.
  arith::registerConvertArithToLLVMInterface(registry);
  cf::registerConvertControlFlowToLLVMInterface(registry);
  registerConvertComplexToLLVMInterface(registry);
  registerConvertMathToLLVMInterface(registry);
  registerConvertMemRefToLLVMInterface(registry);
  registerConvertNVVMToLLVMInterface(registry);
  ub::registerConvertUBToLLVMInterface(registry);
  NVVM::registerNVVMTargetInterfaceExternalModels(registry);
  registerBuiltinDialectTranslation(registry);
  registerGPUDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  registerNVVMDialectTranslation(registry);
}

namespace {
/// LLVM's NVPTX makes `s < 64 ? x << s : 0` one instruction that looks at the
/// lower 32 bits of s alone, so that a shift by 2^32 shifts by nothing. A shift
/// by 64 or more has no value of its own, so it may as well be one by 63; what
/// is selected instead stays as it is.
struct ClampShifts
    : public PassWrapper<ClampShifts, OperationPass<gpu::GPUModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ClampShifts)
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<arith::ArithDialect>();
  }
  void runOnOperation() override {
    getOperation().walk([](Operation *op) {
      if (!isa<arith::ShLIOp, arith::ShRUIOp, arith::ShRSIOp>(op) ||
          !op->getResult(0).getType().isInteger(64) ||
          matchPattern(op->getOperand(1), m_Constant()))
        return;
      OpBuilder b(op);
      Value most =
          arith::ConstantOp::create(b, op->getLoc(), b.getI64IntegerAttr(63));
      op->setOperand(
          1, arith::MinUIOp::create(b, op->getLoc(), op->getOperand(1), most));
    });
  }
};
} // namespace

/// Kernels become the LLVM and NVVM dialects.
static void addDeviceCode(OpPassManager &manager) {
  OpPassManager &nested = manager.nest<gpu::GPUModuleOp>();
  nested.addPass(createCanonicalizerPass());
  nested.addPass(createCSEPass());
  nested.addPass(std::make_unique<ClampShifts>());
  nested.addPass(createLoopInvariantCodeMotionPass());
  nested.addPass(createLowerAffinePass());
  nested.addPass(memref::createExpandStridedMetadataPass());
  nested.addPass(createLowerAffinePass());
  nested.addPass(createSCFToControlFlowPass());
  nested.addPass(createConvertComplexToStandardPass());
  nested.addPass(arith::createArithExpandOpsPass());
  ConvertGpuOpsToNVVMOpsOptions gpu;
  gpu.useBarePtrCallConv = true;
  gpu.indexBitwidth = 64;
  nested.addPass(createConvertGpuOpsToNVVMOps(gpu));
  // What libdevice does not have: counting bits and the like.
  nested.addPass(createConvertMathToLLVMPass());
  nested.addPass(createConvertComplexToLLVMPass());
  nested.addPass(createArithToLLVMConversionPass());
  nested.addPass(createUBToLLVMConversionPass());
  nested.addPass(createReconcileUnrealizedCastsPass());
  nested.addPass(createCanonicalizerPass());
  nested.addPass(createCSEPass());
}

void hetero::buildCudaPipeline(OpPassManager &manager,
                               const CudaPipelineOptions &options) {
  manager.addPass(createExtractKernelsPass());
  if (options.probes)
    manager.addPass(createNameOperationsPass());
  LowerToLinalgPassOptions linalg;
  linalg.target = "cuda";
  manager.addPass(createLowerToLinalgPass(linalg));
  manager.addNestedPass<func::FuncOp>(createSetDestinationsPass());
  addBufferization(manager);
  PlanMemoryPassOptions memory;
  memory.temporaries = false;
  manager.addNestedPass<func::FuncOp>(createPlanMemoryPass(memory));
  manager.addPass(createLowerToCublasPass());
  OutlineLoopsPassOptions outline;
  outline.device = true;
  manager.addPass(createOutlineLoopsPass(outline));
  // Scalars that only kernels read are not read on the host any more.
  manager.addPass(createCanonicalizerPass());
  manager.addPass(createCSEPass());
  manager.addNestedPass<func::FuncOp>(
      bufferization::createOptimizeAllocationLivenessPass());
  manager.addPass(createMapToGpuPass());
  addDeviceCode(manager);
  SerializeKernelsPassOptions serialize;
  serialize.arch.assign(options.arch.begin(), options.arch.end());
  serialize.format = options.format;
  serialize.toolkit = options.toolkit;
  manager.addPass(createSerializeKernelsPass(serialize));
  manager.addPass(createLowerHostToCudaPass());
  addHostCode(manager);
  if (options.probes)
    manager.addPass(createInsertProbesPass());
  WrapKernelsPassOptions wrap;
  wrap.device = true;
  manager.addPass(createWrapKernelsPass(wrap));
  manager.addPass(createVerifyDeviceMemoryPass());
}

void hetero::registerCudaPipeline() {
  PassPipelineRegistration<CudaPipelineOptions>(
      "hetero-cuda-pipeline",
      "Lower StableHLO kernels to code for CUDA devices and their host",
      buildCudaPipeline);
}
