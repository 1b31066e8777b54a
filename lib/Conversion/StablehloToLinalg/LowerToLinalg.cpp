//===- LowerToLinalg.cpp - StableHLO to linalg on tensors -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Lowering.h"
#include "hetero/Analysis/KernelMemory.h"
#include "hetero/Analysis/PrepareForCpu.h"
#include "hetero/Conversion/Programs/RuntimePrograms.h"
#include "hetero/Conversion/StablehloToLinalg/Passes.h"
#include "hetero/Dialect/Sdy/Sdy.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Threading.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace hetero;
using namespace mlir::stablehlo;

namespace hetero {
#define GEN_PASS_DEF_LOWERTOLINALGPASS
#include "hetero/Conversion/StablehloToLinalg/Passes.h.inc"
} // namespace hetero

/// As messages name it.
static StringRef nameOf(Target target) {
  return target == Target::Cuda ? "CUDA" : "the CPU";
}

//===----------------------------------------------------------------------===//
// Helpers for the families
//===----------------------------------------------------------------------===//

RankedTensorType Lowering::convertType(Type type) {
  auto tensor = cast<RankedTensorType>(type);
  return RankedTensorType::get(tensor.getShape(),
                               convertElementType(tensor.getElementType()));
}

Value Lowering::makeEmpty(RankedTensorType type) {
  return tensor::EmptyOp::create(b, type.getShape(), type.getElementType());
}

Value Lowering::makeFilled(RankedTensorType type, Value scalar) {
  return linalg::FillOp::create(b, scalar, makeEmpty(type)).getResult(0);
}

bool Lowering::mapEmpty(Value value) {
  RankedTensorType type = convertType(value);
  if (type.getNumElements() == 0)
    map(value, makeEmpty(type));
  return type.getNumElements() == 0;
}

static MemRefType getBufferType(Value value) {
  RankedTensorType type = Lowering::convertType(value);
  return MemRefType::get(type.getShape(), type.getElementType());
}

Value Lowering::makeBuffer(Value value) {
  return memref::AllocOp::create(b, getBufferType(value));
}

Value Lowering::getBuffer(Value value) {
  return bufferization::ToBufferOp::create(b, getBufferType(value),
                                           lookup(value), /*read_only=*/true);
}

void Lowering::mapBuffers(ValueRange values, ValueRange buffers) {
  for (auto [value, buffer] : llvm::zip_equal(values, buffers))
    map(value, bufferization::ToTensorOp::create(b, convertType(value), buffer,
                                                 /*restrict=*/true));
}

Value Lowering::getScalar(Value value) {
  if (auto constant = value.getDefiningOp<ConstantOp>())
    if (Value splat = emitSplat(b, constant))
      return splat;
  return b.extract(lookup(value), ValueRange());
}

Value Lowering::toIndex(LoopBuilder &builder, Value value, Type type) {
  if (type.isUnsignedInteger() || type.isInteger(1))
    return arith::IndexCastUIOp::create(builder, builder.getIndexType(), value);
  return arith::IndexCastOp::create(builder, builder.getIndexType(), value);
}

SmallVector<Value> Lowering::emitRegion(LoopBuilder &builder, Region &region,
                                        ValueRange arguments) {
  SmallVector<Value> results;
  auto getOutside = [&](Value value) {
    return builder.extract(lookup(value), {});
  };
  if (succeeded(
          emitScalarRegion(builder, region, arguments, getOutside, results)))
    return results;
  hasFailed = true;
  return llvm::map_to_vector(
      region.front().getTerminator()->getOperands(), [&](Value result) {
        return builder.zero(convertElementType(getElementType(result)));
      });
}

LogicalResult Lowering::reject(Operation *op, const Twine &why) {
  InFlightDiagnostic error = op->emitError() << op->getName();
  if (!why.isTriviallyEmpty())
    error << " with " << why;
  return error << " is not supported on " << nameOf(target);
}

//===----------------------------------------------------------------------===//
// The walk
//===----------------------------------------------------------------------===//

/// Checks that all types are tensors that can be computed; `what` has them.
static LogicalResult checkTypes(Operation *op, TypeRange types, StringRef what,
                                Target target) {
  for (Type type : types) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor || !tensor.hasStaticShape() ||
        !convertElementType(tensor.getElementType()))
      return op->emitError() << what << " of type " << type
                             << " is not supported on " << nameOf(target);
  }
  return success();
}

LogicalResult Lowering::lowerOp(Operation &op) {
  return TypeSwitch<Operation *, LogicalResult>(&op)
      .Case<BitcastConvertOp, CaseOp, CholeskyOp, ConcatenateOp, ConstantOp,
            ConvolutionOp, CustomCallOp, DynamicSliceOp, DynamicUpdateSliceOp,
            FftOp, GatherOp, IfOp, MapOp, OptimizationBarrierOp, PadOp,
            ReduceOp, ReduceWindowOp, ReshapeOp, RngBitGeneratorOp, ScatterOp,
            SelectAndScatterOp, SortOp, TriangularSolveOp, WhileOp>(
          [&](auto o) { return lower(o); })
      .Case<DotGeneralOp, DotOp>([&](auto o) { return lowerProduct(o); })
      .Case([&](sdy::ShardingConstraintOp o) {
        // A wish that this code is too late for.
        map(o->getResult(0), lookup(o->getOperand(0)));
        return success();
      })
      .Default([&](Operation *o) { return reject(o); });
}

LogicalResult Lowering::lowerBlock(Block &block) {
  for (Operation &op : block.without_terminator()) {
    b.setLoc(op.getLoc());
    if (failed(checkTypes(&op, op.getOperandTypes(), "a value", target)) ||
        failed(checkTypes(&op, op.getResultTypes(), "a value", target)))
      return failure();
    if (!isFusible(&op)) {
      if (failed(lowerOp(op)))
        return failure();
    } else if (plan.isStored(&op) && !op.use_empty()) {
      lowerFusible(op);
    }
    if (hasFailed)
      return failure();
  }
  b.setLoc(block.getTerminator()->getLoc());
  return success();
}

/// Tensors without elements have rank 1 at the boundary of functions: a stride
/// of 0, which others have, is none that LLVM's conversion takes.
static RankedTensorType flattenEmpty(RankedTensorType type) {
  if (type.getNumElements() != 0)
    return type;
  return RankedTensorType::get({0}, type.getElementType());
}

/// Decides which results are computed in the memory of operands. The lowering
/// relies on nothing of it; hetero-plan-memory does it.
static void decideInPlace(func::FuncOp function, const Kernel &kernel,
                          const FusionPlan &plan) {
  llvm::SmallBitVector lastUses(function.getNumArguments());
  for (unsigned i = 0; i < lastUses.size(); ++i) {
    lastUses[i] = bool(function.getArgAttr(i, kLastUseAttr));
    function.removeArgAttr(i, kLastUseAttr);
  }
  if (lastUses.none())
    return;
  SmallVector<int64_t> pairs;
  for (auto [operand, result] : getKernelMemory(kernel, plan, lastUses).inPlace)
    pairs.append({operand, result});
  if (!pairs.empty())
    function->setAttr(kInPlaceAttr,
                      DenseI64ArrayAttr::get(function.getContext(), pairs));
}

/// Replaces the body of a function by its counterpart.
static LogicalResult lowerFunction(func::FuncOp function, Target target) {
  if (function.isExternal())
    return success();
  if (!function.getBody().hasOneBlock())
    return function.emitError()
           << "has " << function.getBody().getBlocks().size()
           << " blocks, and a kernel has one";
  Block &old = function.getBody().front();
  if (failed(checkTypes(function, function.getArgumentTypes(), "an argument",
                        target)))
    return failure();
  if (target == Target::Cpu)
    prepareForCpu(function);
  Kernel kernel = Kernel::ofBlock(old);
  FusionPlan plan(kernel);
  decideInPlace(function, kernel, plan);
  Block *block = new Block();
  OpBuilder builder(function.getContext());
  builder.setInsertionPointToEnd(block);
  Lowering lowering(builder, function.getLoc(), plan, target);
  SmallVector<Type> inputs, results;
  for (BlockArgument argument : old.getArguments()) {
    RankedTensorType type = Lowering::convertType(argument.getType());
    inputs.push_back(flattenEmpty(type));
    Value added = block->addArgument(inputs.back(), argument.getLoc());
    lowering.map(argument,
                 added.getType() == type ? added : lowering.makeEmpty(type));
  }
  if (failed(lowering.lowerBlock(old))) {
    block->dropAllDefinedValueUses();
    delete block;
    return failure();
  }
  SmallVector<Value> values;
  for (Value value : old.getTerminator()->getOperands()) {
    RankedTensorType type = Lowering::convertType(value);
    results.push_back(flattenEmpty(type));
    values.push_back(results.back() == type
                         ? lowering.lookup(value)
                         : lowering.makeEmpty(flattenEmpty(type)));
  }
  func::ReturnOp::create(lowering.b, values);

  function.getBody().push_back(block);
  old.dropAllDefinedValueUses();
  old.erase();
  function.setFunctionType(builder.getFunctionType(inputs, results));
  return success();
}

namespace {
struct LowerToLinalg
    : public hetero::impl::LowerToLinalgPassBase<LowerToLinalg> {
  using LowerToLinalgPassBase::LowerToLinalgPassBase;

  void runOnOperation() override {
    if (target != "cpu" && target != "cuda") {
      getOperation().emitError()
          << "target '" << target << "' is neither 'cpu' nor 'cuda'";
      return signalPassFailure();
    }
    SmallVector<func::FuncOp> functions(getOperation().getOps<func::FuncOp>());
    auto lower = [&](func::FuncOp function) {
      return lowerFunction(function,
                           target == "cuda" ? Target::Cuda : Target::Cpu);
    };
    if (failed(failableParallelForEach(&getContext(), functions, lower)))
      return signalPassFailure();
  }
};
} // namespace
