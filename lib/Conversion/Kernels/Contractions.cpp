//===- Contractions.cpp - Contractions as calls of a library --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Conversion/Kernels/Contractions.h"
#include "hetero/Conversion/Kernels/Passes.h"
#include "mlir/Analysis/FlatLinearValueConstraints.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace hetero;

/// Fails for expressions that are not linear.
static FailureOr<Steps> getSteps(AffineMap map, MemRefType type) {
  SmallVector<int64_t> strides;
  int64_t offset;
  if (failed(type.getStridesAndOffset(strides, offset)))
    return failure();
  unsigned numDims = map.getNumDims();
  Steps steps;
  steps.strides.assign(numDims, 0);
  for (auto [expr, stride] : llvm::zip_equal(map.getResults(), strides)) {
    // A factor for each dimension and the constant; more if it is not linear.
    SmallVector<int64_t> factors;
    if (ShapedType::isDynamic(stride) ||
        failed(getFlattenedAffineExpr(expr, numDims, 0, &factors)) ||
        factors.size() != numDims + 1)
      return failure();
    for (unsigned d = 0; d < numDims; ++d)
      steps.strides[d] += factors[d] * stride;
    steps.offset += factors.back() * stride;
  }
  return steps;
}

static linalg::FillOp getZeroFill(linalg::GenericOp op) {
  for (Operation *before = op->getPrevNode(); before;
       before = before->getPrevNode()) {
    if (isMemoryEffectFree(before) || isa<memref::AllocOp>(before))
      continue;
    auto fill = dyn_cast<linalg::FillOp>(before);
    bool isOwn = fill && fill.getOutputs()[0] == op.getOutputs()[0] &&
                 matchPattern(fill.getInputs()[0], m_AnyZeroFloat());
    return isOwn ? fill : linalg::FillOp();
  }
  return {};
}

FailureOr<ContractionLoops> hetero::getContractionLoops(linalg::GenericOp op) {
  ContractionLoops loops;
  for (auto [buffer, map] :
       llvm::zip_equal(op->getOperands(), op.getIndexingMapsArray())) {
    auto type = dyn_cast<MemRefType>(buffer.getType());
    if (!type)
      return failure();
    FailureOr<Steps> steps = getSteps(map, type);
    if (failed(steps))
      return failure();
    loops.operands.push_back(*steps);
  }
  loops.sizes = op.getStaticLoopRanges();
  loops.fill = getZeroFill(op);
  return loops;
}

Value hetero::getElementAddress(ImplicitLocOpBuilder &b, Value buffer,
                                int64_t offset) {
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

Value LibraryCalls::getTable(ImplicitLocOpBuilder &b,
                             ArrayRef<int64_t> numbers) {
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
    global->setAttr(kHostTableAttr, builder.getUnitAttr());
    symbols.insert(global);
  }
  Value table = memref::GetGlobalOp::create(b, type, global.getSymName());
  return memref::ExtractAlignedPointerAsIndexOp::create(b, table);
}

static FunctionType getCallType(MLIRContext *context) {
  SmallVector<Type> types(4, IndexType::get(context));
  return FunctionType::get(context, types, {});
}

LogicalResult LibraryCalls::checkNames(ArrayRef<StringRef> names) {
  FunctionType type = getCallType(module.getContext());
  for (StringRef name : names) {
    Operation *known = symbols.lookup(name);
    auto function = dyn_cast_or_null<func::FuncOp>(known);
    if (known && (!function || function.getFunctionType() != type))
      return known->emitError()
             << "has the name of a function of the runtime, '" << name
             << "', which is of type " << type;
  }
  return success();
}

func::FuncOp LibraryCalls::getFunction(StringRef name) {
  if (auto known = symbols.lookup<func::FuncOp>(name))
    return known;
  OpBuilder builder(module.getBodyRegion());
  auto function = func::FuncOp::create(builder, module.getLoc(), name,
                                       getCallType(module.getContext()));
  function.setPrivate();
  symbols.insert(function);
  return function;
}

void LibraryCalls::replace(linalg::GenericOp op, const ContractionLoops &loops,
                           StringRef name, ArrayRef<int64_t> table) {
  ImplicitLocOpBuilder b(op.getLoc(), op);
  SmallVector<Value> arguments;
  for (auto [buffer, steps] :
       llvm::zip_equal(op->getOperands(), loops.operands))
    arguments.push_back(getElementAddress(b, buffer, steps.offset));
  arguments.push_back(getTable(b, table));
  func::CallOp::create(b, getFunction(name), arguments);
  op.erase();
  if (linalg::FillOp fill = loops.fill)
    fill.erase();
}
