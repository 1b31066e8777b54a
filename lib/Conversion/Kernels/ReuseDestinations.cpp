//===- ReuseDestinations.cpp - Results computed in their own buffers ------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Conversion/Kernels/Passes.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Bufferization/Transforms/OneShotAnalysis.h"
#include "mlir/Dialect/Bufferization/Transforms/Transforms.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"

using namespace mlir;
using namespace hetero;

namespace hetero {
#define GEN_PASS_DEF_REUSEDESTINATIONSPASS
#include "hetero/Conversion/Kernels/Passes.h.inc"
} // namespace hetero

/// What `value` was made of in place; null if that is not known.
static Value getOrigin(Value value) {
  auto result = dyn_cast<OpResult>(value);
  if (!result)
    return Value();
  Operation *op = result.getOwner();
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return loop.getTiedLoopInit(result)->get();
  if (auto cast = dyn_cast<tensor::CastOp>(op))
    return cast.getSource();
  if (auto insert = dyn_cast<tensor::InsertOp>(op))
    return insert.getDest();
  if (auto insert = dyn_cast<tensor::InsertSliceOp>(op))
    return insert.getDest();
  if (auto write = dyn_cast<DestinationStyleOpInterface>(op))
    return write.getTiedOpOperand(result)->get();
  return Value();
}

/// Whether nothing but `value` and what it is made of, starting with what
/// `user` makes of `empty`, would be in the buffer of a result.
static bool isAlone(Value value, tensor::EmptyOp empty, Operation *user) {
  while (value.getDefiningOp() != user) {
    value = getOrigin(value);
    if (!value || !value.hasOneUse())
      return false;
  }
  return getOrigin(value) == empty.getResult();
}

/// Writes to buffers are not seen by the analysis of tensors.
static Value getReplacement(RewriterBase &rewriter,
                            SubsetInsertionOpInterface op,
                            tensor::EmptyOp empty, Operation *user) {
  bool isBuffer = isa<bufferization::MaterializeInDestinationOp>(op) &&
                  op->getNumResults() == 0;
  Value source = op.getSourceOperand().get();
  if (isBuffer && !isAlone(source, empty, user))
    return Value();
  // What others read as well would keep all that it is inserted into.
  if (!isBuffer && !source.hasOneUse())
    return Value();
  return bufferization::buildSubsetExtraction(rewriter, op, empty, user);
}

namespace {
struct ReuseDestinations
    : public hetero::impl::ReuseDestinationsPassBase<ReuseDestinations> {
  void runOnOperation() override {
    bufferization::OneShotBufferizationOptions options;
    options.allowReturnAllocsFromLoops = true;
    bufferization::OneShotAnalysisState state(getOperation(), options);
    if (failed(bufferization::analyzeOp(getOperation(), state)))
      return signalPassFailure();
    IRRewriter rewriter(&getContext());
    auto replace = [this](RewriterBase &rewriter, SubsetInsertionOpInterface op,
                          tensor::EmptyOp empty, Operation *user) {
      Value replacement = getReplacement(rewriter, op, empty, user);
      if (replacement)
        ++numReused;
      return replacement;
    };
    if (failed(bufferization::eliminateEmptyTensors(rewriter, getOperation(),
                                                    state, replace)))
      signalPassFailure();
  }
};
} // namespace
