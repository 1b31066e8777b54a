//===- SetDestinations.cpp - Results go to given buffers ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Analysis/Step.h"
#include "hetero/Conversion/Kernels/Passes.h"
#include "hetero/Conversion/Programs/RuntimePrograms.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace hetero;

namespace hetero {
#define GEN_PASS_DEF_SETDESTINATIONSPASS
#include "hetero/Conversion/Kernels/Passes.h.inc"
} // namespace hetero

namespace {
struct SetDestinations
    : public hetero::impl::SetDestinationsPassBase<SetDestinations> {
  void runOnOperation() override;
};
} // namespace

void SetDestinations::runOnOperation() {
  func::FuncOp function = getOperation();
  if (function.isExternal())
    return;
  if (failed(checkOneBlock(function, "kernel")))
    return signalPassFailure();
  for (Type type : function.getResultTypes())
    if (!isa<RankedTensorType>(type)) {
      function.emitError() << "returns " << type
                           << ", and a kernel returns ranked tensors";
      return signalPassFailure();
    }
  Block &block = function.getBody().front();
  auto terminator = cast<func::ReturnOp>(block.getTerminator());
  OpBuilder builder(terminator);
  for (unsigned i = 0; i < function.getNumArguments(); ++i)
    function.setArgAttr(i,
                        bufferization::BufferizationDialect::kWritableAttrName,
                        builder.getBoolAttr(false));
  // Discardable attributes of results have no place any more.
  function.removeResAttrsAttr();
  // Who plans the memory has to tell operands from results.
  bool isPlanned = function->hasAttr(kInPlaceAttr);
  SmallVector<Type> types(function.getArgumentTypes());
  for (Value value : terminator.getOperands()) {
    auto tensor = cast<RankedTensorType>(value.getType());
    auto type = MemRefType::get(tensor.getShape(), tensor.getElementType());
    types.push_back(type);
    Value buffer = block.addArgument(type, value.getLoc());
    bufferization::MaterializeInDestinationOp::create(
        builder, terminator.getLoc(), TypeRange(), value, buffer,
        /*restrict=*/true, /*writable=*/true);
    ++numResults;
  }
  terminator->setOperands({});
  SmallVector<DictionaryAttr> argAttrs;
  function.getAllArgAttrs(argAttrs);
  NamedAttribute mark =
      builder.getNamedAttr(kResultAttr, builder.getUnitAttr());
  argAttrs.resize(types.size(), isPlanned ? builder.getDictionaryAttr(mark)
                                          : builder.getDictionaryAttr({}));
  function.setFunctionType(builder.getFunctionType(types, {}));
  function.setAllArgAttrs(argAttrs);
  function->setAttr(kKernelAttr, builder.getUnitAttr());
}
