//===- SdyDialect.cpp - Registration and attributes on other ops ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "SdyVerify.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Transforms/InliningUtils.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::sdy;

#include "hetero/Dialect/Sdy/SdyDialect.cpp.inc"

namespace {
/// Nothing here depends on the function that it stands in.
struct SdyInlinerInterface : public DialectInlinerInterface {
  using DialectInlinerInterface::DialectInlinerInterface;

  bool isLegalToInline(Operation *, Region *, bool, IRMapping &) const final {
    return true;
  }
  bool isLegalToInline(Region *, Region *, bool, IRMapping &) const final {
    return true;
  }
};
} // namespace

void SdyDialect::initialize() {
  registerAttributes();
  addOperations<
#define GET_OP_LIST
#include "hetero/Dialect/Sdy/SdyOps.cpp.inc"
      >();
  addInterfaces<SdyInlinerInterface>();
  addBytecodeInterface();
}

//===----------------------------------------------------------------------===//
// Discardable attributes
//===----------------------------------------------------------------------===//

/// An array of propagation edges.
static bool isEdgesArray(Attribute attr) {
  auto array = dyn_cast<ArrayAttr>(attr);
  return array && llvm::all_of(array, llvm::IsaPred<PropagationEdgesAttr>);
}

LogicalResult SdyDialect::verifyOperationAttribute(Operation *op,
                                                   NamedAttribute attr) {
  auto mustBe = [&](StringRef what) {
    return op->emitOpError()
           << "attribute '" << attr.getName().getValue() << "' must be " << what
           << ", got " << attr.getValue();
  };
  StringRef name = attr.getName().getValue();
  if (name == kShardingAttr) {
    auto shardings = dyn_cast<TensorShardingPerValueAttr>(attr.getValue());
    if (!shardings)
      return mustBe("a #sdy.sharding_per_value");
    return verifyShardings(shardings, op->getResultTypes(), op, "result");
  }
  if (name == kShardingRuleAttr) {
    auto rule = dyn_cast<OpShardingRuleAttr>(attr.getValue());
    if (!rule)
      return mustBe("an #sdy.op_sharding_rule");
    return verifyShardingRule(rule, op);
  }
  if (name == kPropagationEdgesAttr) {
    auto edges = dyn_cast<PropagationEdgesAttr>(attr.getValue());
    if (!edges)
      return mustBe("an #sdy.propagation_edges");
    return verifyPropagationEdges(edges, op);
  }
  if ((name == kResultPropagationEdgesAttr ||
       name == kBlockArgPropagationEdgesAttr) &&
      !isEdgesArray(attr.getValue()))
    return mustBe("an array of #sdy.propagation_edges");
  return success();
}

/// Checks `sdy.sharding` on an argument or result of a function.
static LogicalResult verifyFunctionAttribute(Operation *op, NamedAttribute attr,
                                             TypeRange types, unsigned index,
                                             StringRef kind) {
  if (attr.getName() != kShardingAttr || index >= types.size())
    return success();
  auto sharding = dyn_cast<TensorShardingAttr>(attr.getValue());
  if (!sharding)
    return op->emitOpError()
           << kind << " " << index << ": attribute '" << kShardingAttr
           << "' must be an #sdy.sharding, got " << attr.getValue();
  return verifySharding(sharding, types[index], op, [&]() {
    return op->emitOpError() << kind << " " << index << ": ";
  });
}

LogicalResult SdyDialect::verifyRegionArgAttribute(Operation *op, unsigned,
                                                   unsigned argIndex,
                                                   NamedAttribute attr) {
  auto function = dyn_cast<func::FuncOp>(op);
  if (!function)
    return success();
  return verifyFunctionAttribute(op, attr, function.getArgumentTypes(),
                                 argIndex, "argument");
}

LogicalResult SdyDialect::verifyRegionResultAttribute(Operation *op, unsigned,
                                                      unsigned resultIndex,
                                                      NamedAttribute attr) {
  auto function = dyn_cast<func::FuncOp>(op);
  if (!function)
    return success();
  return verifyFunctionAttribute(op, attr, function.getResultTypes(),
                                 resultIndex, "result");
}

//===----------------------------------------------------------------------===//
// getSharding
//===----------------------------------------------------------------------===//

/// The sharding at `index`, if there is one.
static TensorShardingAttr getAt(TensorShardingPerValueAttr shardings,
                                unsigned index) {
  if (!shardings || index >= shardings.getShardings().size())
    return TensorShardingAttr();
  return shardings.getSharding(index);
}

/// `sharding` without the manual axes of `op`.
static TensorShardingAttr dropManualAxes(TensorShardingAttr sharding,
                                         ManualComputationOp op) {
  if (!sharding || op.getManualAxes().empty())
    return sharding;
  llvm::SmallDenseSet<StringRef> manual;
  for (StringAttr name : op.getManualAxes())
    manual.insert(name.getValue());
  auto keepFree = [&](ArrayRef<AxisRefAttr> axes) {
    return llvm::filter_to_vector(axes, [&](AxisRefAttr axis) {
      return !manual.contains(axis.getName());
    });
  };
  SmallVector<DimensionShardingAttr> dims;
  for (DimensionShardingAttr dim : sharding.getDimShardings())
    dims.push_back(
        DimensionShardingAttr::get(op.getContext(), keepFree(dim.getAxes()),
                                   dim.getIsClosed(), dim.getPriority()));
  return TensorShardingAttr::get(op.getContext(), sharding.getMeshOrRef(), dims,
                                 keepFree(sharding.getReplicatedAxes()),
                                 keepFree(sharding.getUnreducedAxes()));
}

static TensorShardingAttr getArgumentSharding(BlockArgument argument) {
  unsigned index = argument.getArgNumber();
  Operation *owner = argument.getOwner()->getParentOp();
  if (!owner || !argument.getOwner()->isEntryBlock())
    return TensorShardingAttr();
  return TypeSwitch<Operation *, TensorShardingAttr>(owner)
      .Case<func::FuncOp>([&](func::FuncOp op) {
        return op.getArgAttrOfType<TensorShardingAttr>(index, kShardingAttr);
      })
      .Case<ManualComputationOp>([&](ManualComputationOp op) {
        return dropManualAxes(getAt(op.getInShardings(), index), op);
      })
      .Case<NamedComputationOp>([&](NamedComputationOp op) {
        return getAt(op.getInShardingsAttr(), index);
      })
      .Default([&](Operation *op) {
        // A variable of a loop: the result is its last value.
        if (op->getNumResults() != argument.getOwner()->getNumArguments() ||
            op->getResult(index).getType() != argument.getType())
          return TensorShardingAttr();
        return getSharding(op->getResult(index));
      });
}

TensorShardingAttr sdy::getSharding(Value value) {
  if (value.hasOneUse())
    if (auto edge = dyn_cast<DataFlowEdgeOp>(*value.user_begin()))
      return edge.getShardingAttr();
  if (auto argument = dyn_cast<BlockArgument>(value))
    return getArgumentSharding(argument);
  unsigned index = cast<OpResult>(value).getResultNumber();
  return TypeSwitch<Operation *, TensorShardingAttr>(value.getDefiningOp())
      .Case<ShardingConstraintOp, ReshardOp, DataFlowEdgeOp>(
          [](auto op) { return op.getShardingAttr(); })
      .Case<CollectiveOpInterface>(
          [](CollectiveOpInterface op) { return op.getOutSharding(); })
      .Case<ManualComputationOp, NamedComputationOp>(
          [&](auto op) { return getAt(op.getOutShardingsAttr(), index); })
      .Default([&](Operation *op) {
        return getAt(
            op->getAttrOfType<TensorShardingPerValueAttr>(kShardingAttr),
            index);
      });
}
