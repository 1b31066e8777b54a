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

Value Lowering::index(int64_t value) {
  return arith::ConstantIndexOp::create(b, value);
}

Value Lowering::makeEmpty(RankedTensorType type) {
  return tensor::EmptyOp::create(b, type.getShape(), type.getElementType());
}

Value Lowering::makeFilled(RankedTensorType type, Value scalar) {
  return linalg::FillOp::create(b, scalar, makeEmpty(type)).getResult(0);
}

Value Lowering::makeZero(Type type) {
  if (auto complex = dyn_cast<ComplexType>(type)) {
    Attribute zero = b.getZeroAttr(complex.getElementType());
    return complex::ConstantOp::create(b, complex,
                                       b.getArrayAttr({zero, zero}));
  }
  return arith::ConstantOp::create(b, b.getZeroAttr(type));
}

Value Lowering::getScalar(Value value) {
  if (auto constant = value.getDefiningOp<ConstantOp>())
    if (auto elements = dyn_cast<DenseElementsAttr>(constant.getValue()))
      if (elements.isSplat())
        return emitScalarConstant(b, elements.getSplatValue<Attribute>(),
                                  elements.getElementType());
  return tensor::ExtractOp::create(b, lookup(value), ValueRange());
}

Value Lowering::toIndex(ImplicitLocOpBuilder &builder, Value value, Type type) {
  if (type.isUnsignedInteger() || type.isInteger(1))
    return arith::IndexCastUIOp::create(builder, builder.getIndexType(), value);
  return arith::IndexCastOp::create(builder, builder.getIndexType(), value);
}

LogicalResult Lowering::emitRegion(ImplicitLocOpBuilder &builder,
                                   Region &region, ValueRange arguments,
                                   SmallVectorImpl<Value> &results) {
  auto getOutside = [&](Value value) -> Value {
    return tensor::ExtractOp::create(builder, lookup(value), ValueRange());
  };
  return emitScalarRegion(builder, region, arguments, getOutside, results);
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

/// Checks that all values of the operation are tensors that can be computed.
static LogicalResult checkTypes(Operation &op, Target target) {
  auto check = [&](Type type) -> LogicalResult {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (tensor && tensor.hasStaticShape() &&
        convertElementType(tensor.getElementType()))
      return success();
    return op.emitError() << "a value of type " << type
                          << " is not supported on " << nameOf(target);
  };
  for (Type type : op.getOperandTypes())
    if (failed(check(type)))
      return failure();
  for (Type type : op.getResultTypes())
    if (failed(check(type)))
      return failure();
  return success();
}

LogicalResult Lowering::lowerOp(Operation &op) {
  return TypeSwitch<Operation *, LogicalResult>(&op)
      .Case([&](ConstantOp c) { return lowerConstant(c); })
      .Case([&](MapOp o) { return lowerMap(o); })
      .Case([&](ReshapeOp o) { return lowerReshape(o); })
      .Case([&](BitcastConvertOp o) { return lowerBitcast(o); })
      .Case([&](DynamicSliceOp o) { return lowerDynamicSlice(o); })
      .Case([&](DynamicUpdateSliceOp o) { return lowerDynamicUpdateSlice(o); })
      .Case([&](ConcatenateOp o) { return lowerConcatenate(o); })
      .Case([&](PadOp o) { return lowerPad(o); })
      .Case<DotGeneralOp, DotOp>([&](auto o) { return lowerProduct(o); })
      .Case([&](ConvolutionOp o) { return lowerConvolution(o); })
      .Case([&](ReduceOp o) { return lowerReduce(o); })
      .Case([&](ReduceWindowOp o) { return lowerReduceWindow(o); })
      .Case([&](SelectAndScatterOp o) { return lowerSelectAndScatter(o); })
      .Case([&](GatherOp o) { return lowerGather(o); })
      .Case([&](ScatterOp o) { return lowerScatter(o); })
      .Case([&](SortOp o) { return lowerSort(o); })
      .Case([&](WhileOp o) { return lowerWhile(o); })
      .Case([&](CaseOp o) { return lowerCase(o); })
      .Case([&](IfOp o) { return lowerIf(o); })
      .Case([&](OptimizationBarrierOp o) { return lowerBarrier(o); })
      .Case([&](RngBitGeneratorOp o) { return lowerRngBitGenerator(o); })
      .Case([&](FftOp o) { return lowerFft(o); })
      .Case([&](CholeskyOp o) { return lowerCholesky(o); })
      .Case([&](TriangularSolveOp o) { return lowerTriangularSolve(o); })
      .Case([&](CustomCallOp o) { return lowerCustomCall(o); })
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
    if (failed(checkTypes(op, target)))
      return failure();
    if (isFusible(&op)) {
      if (plan.isStored(&op) && !op.use_empty() && failed(lowerFusible(op)))
        return failure();
      continue;
    }
    if (failed(lowerOp(op)))
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
  llvm::SmallBitVector ends(function.getNumArguments());
  for (unsigned i = 0; i < ends.size(); ++i) {
    ends[i] = bool(function.getArgAttr(i, kLastUseAttr));
    function.removeArgAttr(i, kLastUseAttr);
  }
  if (ends.none())
    return;
  SmallVector<int64_t> pairs;
  for (InPlacePair pair : getKernelMemory(kernel, plan, ends).inPlace)
    pairs.append({pair.operand, pair.result});
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
  for (Type type : function.getFunctionType().getInputs()) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor || !tensor.hasStaticShape() ||
        !convertElementType(tensor.getElementType()))
      return function.emitError() << "an argument of type " << type
                                  << " is not supported on " << nameOf(target);
  }
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
  LogicalResult result = lowering.lowerBlock(old);
  if (succeeded(result)) {
    SmallVector<Value> values;
    for (Value value : old.getTerminator()->getOperands()) {
      RankedTensorType type = Lowering::convertType(value);
      results.push_back(flattenEmpty(type));
      values.push_back(results.back() == type
                           ? lowering.lookup(value)
                           : lowering.makeEmpty(flattenEmpty(type)));
    }
    func::ReturnOp::create(lowering.b, values);
  }
  if (failed(result)) {
    block->dropAllDefinedValueUses();
    delete block;
    return failure();
  }
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
