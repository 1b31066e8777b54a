//===- Contractions.cpp - Contractions as calls of a library --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Conversion/Kernels/Contractions.h"
#include "hetero/Dialect/Hetero/HeteroKernelOps.h"
#include "mlir/Analysis/FlatLinearValueConstraints.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
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

/// The buffer from its element number `offset` on, in the same order.
static Value moveStart(ImplicitLocOpBuilder &b, Value buffer, int64_t offset) {
  if (offset == 0)
    return buffer;
  auto type = cast<MemRefType>(buffer.getType());
  SmallVector<int64_t> strides;
  int64_t start = 0;
  (void)type.getStridesAndOffset(strides, start);
  OpFoldResult moved = b.getIndexAttr(start + offset);
  if (ShapedType::isDynamic(start)) {
    auto metadata = memref::ExtractStridedMetadataOp::create(b, buffer);
    moved = arith::AddIOp::create(b, metadata.getOffset(),
                                  arith::ConstantIndexOp::create(b, offset))
                .getResult();
    start = ShapedType::kDynamic;
  } else {
    start += offset;
  }
  auto layout = StridedLayoutAttr::get(b.getContext(), start, strides);
  auto to = MemRefType::get(type.getShape(), type.getElementType(), layout,
                            type.getMemorySpace());
  return memref::ReinterpretCastOp::create(
      b, to, buffer, moved,
      getAsIndexOpFoldResult(b.getContext(), type.getShape()),
      getAsIndexOpFoldResult(b.getContext(), strides));
}

void hetero::callLibrary(linalg::GenericOp op, const ContractionLoops &loops,
                         StringRef callee, ArrayRef<int64_t> numbers) {
  ImplicitLocOpBuilder b(op.getLoc(), op);
  SmallVector<Value> buffers;
  for (auto [buffer, steps] :
       llvm::zip_equal(op->getOperands(), loops.operands))
    buffers.push_back(moveStart(b, buffer, steps.offset));
  CallLibraryOp::create(b, callee, numbers, ValueRange(buffers).drop_back(),
                        buffers.back(),
                        /*accumulates=*/!loops.fill, /*inList=*/false);
  op.erase();
  if (linalg::FillOp fill = loops.fill)
    fill.erase();
}
