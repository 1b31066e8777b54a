//===- LowerContractions.cpp - Calls of the matrix library ----------------===//
//
// Part of the hetero project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "hetero/Conversion/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace hetero;

namespace hetero {
#define GEN_PASS_DEF_LOWERCONTRACTIONSPASS
#include "hetero/Conversion/Passes.h.inc"
} // namespace hetero

/// How far an operand moves along each dimension of the loop nest, and where it
/// starts, in elements.
namespace {
struct Steps {
  SmallVector<int64_t> strides;
  int64_t offset = 0;
};
} // namespace

/// Adds `factor` times the linear expression to the steps. Fails if it is not
/// linear.
static LogicalResult addExpr(AffineExpr expr, int64_t factor, Steps &steps) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr)) {
    steps.offset += factor * constant.getValue();
    return success();
  }
  if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
    steps.strides[dim.getPosition()] += factor;
    return success();
  }
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary)
    return failure();
  if (expr.getKind() == AffineExprKind::Add)
    return success(succeeded(addExpr(binary.getLHS(), factor, steps)) &&
                   succeeded(addExpr(binary.getRHS(), factor, steps)));
  if (expr.getKind() != AffineExprKind::Mul)
    return failure();
  auto scale = dyn_cast<AffineConstantExpr>(binary.getRHS());
  return scale ? addExpr(binary.getLHS(), factor * scale.getValue(), steps)
               : failure();
}

static FailureOr<Steps> getSteps(AffineMap map, MemRefType type) {
  SmallVector<int64_t> strides;
  int64_t offset;
  if (failed(type.getStridesAndOffset(strides, offset)))
    return failure();
  Steps steps;
  steps.strides.assign(map.getNumDims(), 0);
  for (auto [expr, stride] : llvm::zip_equal(map.getResults(), strides)) {
    if (ShapedType::isDynamic(stride) || failed(addExpr(expr, stride, steps)))
      return failure();
  }
  return steps;
}

/// The fill with zeros that comes right before the operation, if any: the
/// library then writes instead of adding.
static linalg::FillOp getZeroFill(linalg::GenericOp op) {
  for (Operation *before = op->getPrevNode(); before;
       before = before->getPrevNode()) {
    if (isMemoryEffectFree(before) || isa<memref::AllocOp>(before))
      continue;
    auto fill = dyn_cast<linalg::FillOp>(before);
    if (!fill)
      return {};
    bool isZero = matchPattern(fill.getInputs()[0], m_AnyZeroFloat());
    if (isZero && fill.getOutputs()[0] == op.getOutputs()[0])
      return fill;
    if (llvm::is_contained(op.getInputs(), fill.getOutputs()[0]))
      return {};
    return {};
  }
  return {};
}

namespace {
class Calls {
public:
  explicit Calls(ModuleOp module) : module(module), symbols(module) {}

  /// Replaces the operation by a call. Fails if it has to stay a loop.
  LogicalResult replace(linalg::GenericOp op);

private:
  Value getPointer(ImplicitLocOpBuilder &b, Value buffer, int64_t offset);
  Value getTable(ImplicitLocOpBuilder &b, ArrayRef<int64_t> numbers);
  func::FuncOp getFunction(StringRef name);

  ModuleOp module;
  SymbolTable symbols;
  llvm::DenseMap<Attribute, memref::GlobalOp> tables;
};
} // namespace

/// The address of element `offset` of a buffer, as an index.
Value Calls::getPointer(ImplicitLocOpBuilder &b, Value buffer, int64_t offset) {
  auto type = cast<MemRefType>(buffer.getType());
  int64_t size = type.getElementTypeBitWidth() / 8;
  Value base = memref::ExtractAlignedPointerAsIndexOp::create(b, buffer);
  Value bytes = arith::ConstantIndexOp::create(b, offset * size);
  SmallVector<int64_t> strides;
  int64_t start = 0;
  (void)type.getStridesAndOffset(strides, start);
  if (ShapedType::isDynamic(start)) {
    auto metadata = memref::ExtractStridedMetadataOp::create(b, buffer);
    Value elementSize = arith::ConstantIndexOp::create(b, size);
    Value startBytes =
        arith::MulIOp::create(b, metadata.getOffset(), elementSize);
    bytes = arith::AddIOp::create(b, bytes, startBytes);
  } else {
    bytes = arith::ConstantIndexOp::create(b, (offset + start) * size);
  }
  return arith::AddIOp::create(b, base, bytes);
}

Value Calls::getTable(ImplicitLocOpBuilder &b, ArrayRef<int64_t> numbers) {
  auto tensor =
      RankedTensorType::get({int64_t(numbers.size())}, b.getI64Type());
  auto elements = DenseElementsAttr::get(tensor, numbers);
  auto type = MemRefType::get(tensor.getShape(), b.getI64Type());
  memref::GlobalOp &global = tables[elements];
  if (!global) {
    OpBuilder builder(module.getBodyRegion());
    global = memref::GlobalOp::create(
        builder, module.getLoc(), "contraction", b.getStringAttr("private"),
        type, elements, /*constant=*/true, /*alignment=*/IntegerAttr());
    symbols.insert(global);
  }
  Value table = memref::GetGlobalOp::create(b, type, global.getSymName());
  return memref::ExtractAlignedPointerAsIndexOp::create(b, table);
}

func::FuncOp Calls::getFunction(StringRef name) {
  if (auto known = symbols.lookup<func::FuncOp>(name))
    return known;
  OpBuilder builder(module.getBodyRegion());
  SmallVector<Type> types(4, builder.getIndexType());
  auto function = func::FuncOp::create(builder, module.getLoc(), name,
                                       builder.getFunctionType(types, {}));
  function.setPrivate();
  symbols.insert(function);
  return function;
}

LogicalResult Calls::replace(linalg::GenericOp op) {
  auto type = dyn_cast<MemRefType>(op.getOutputs()[0].getType());
  if (!type ||
      !(type.getElementType().isF32() || type.getElementType().isF64()))
    return failure();
  SmallVector<Steps> steps;
  SmallVector<Value> buffers(op->getOperands());
  for (auto [buffer, map] :
       llvm::zip_equal(buffers, op.getIndexingMapsArray())) {
    auto bufferType = dyn_cast<MemRefType>(buffer.getType());
    if (!bufferType)
      return failure();
    FailureOr<Steps> found = getSteps(map, bufferType);
    if (failed(found))
      return failure();
    steps.push_back(*found);
  }
  linalg::FillOp fill = getZeroFill(op);
  ImplicitLocOpBuilder b(op.getLoc(), op);
  SmallVector<int64_t> sizes = op.getStaticLoopRanges();
  SmallVector<int64_t> numbers = {int64_t(sizes.size()), fill ? 0 : 1};
  for (auto [d, size] : llvm::enumerate(sizes)) {
    numbers.push_back(size);
    for (const Steps &operand : steps)
      numbers.push_back(operand.strides[d]);
  }
  SmallVector<Value> arguments;
  for (auto [buffer, step] : llvm::zip_equal(buffers, steps))
    arguments.push_back(getPointer(b, buffer, step.offset));
  arguments.push_back(getTable(b, numbers));
  StringRef name = type.getElementType().isF32() ? "hetero_contract_f32"
                                                 : "hetero_contract_f64";
  func::CallOp::create(b, getFunction(name), arguments);
  op.erase();
  if (fill)
    fill.erase();
  return success();
}

namespace {
struct LowerContractions
    : public hetero::impl::LowerContractionsPassBase<LowerContractions> {
  void runOnOperation() override {
    SmallVector<linalg::GenericOp> contractions;
    getOperation().walk([&](linalg::GenericOp op) {
      if (op->hasAttr(kContractionAttr))
        contractions.push_back(op);
    });
    Calls calls(getOperation());
    for (linalg::GenericOp op : contractions)
      if (succeeded(calls.replace(op)))
        ++numCalls;
      else
        op->removeAttr(kContractionAttr);
  }
};
} // namespace
