//===- SdyRules.cpp - Verification of rules and edges ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "SdyVerify.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::sdy;

//===----------------------------------------------------------------------===//
// Sharding rules
//===----------------------------------------------------------------------===//

/// Checks the factors of one tensor; marks them in `used`.
static LogicalResult verifyMapping(OpShardingRuleAttr rule,
                                   TensorMappingAttr mapping, Type type,
                                   llvm::BitVector &used, ErrorFn emitError) {
  // rule_c3
  auto shaped = dyn_cast<ShapedType>(type);
  if (!shaped || !shaped.hasStaticShape())
    return emitError() << "a sharding rule needs a static shape, got " << type;
  // rule_c4
  if (shaped.getRank() != mapping.getRank())
    return emitError() << "mapping has " << mapping.getRank()
                       << " dimensions, but " << type << " has "
                       << shaped.getRank();
  int64_t numFactors = rule.getNumFactors();
  llvm::BitVector usedHere(numFactors);
  for (auto [dim, dimMapping] : llvm::enumerate(mapping.getDimMappings())) {
    ArrayRef<int64_t> factors = dimMapping.getFactorIndices();
    // rule_c5
    if (factors.empty())
      return emitError() << "dimension " << dim << " has no factor";
    for (int64_t factor : factors) {
      std::string symbol = OpShardingRuleAttr::getFactorSymbol(factor);
      // rule_c6
      if (factor < 0 || factor >= numFactors)
        return emitError() << "factor " << symbol << " has no size";
      // rule_c7
      if (usedHere.test(factor))
        return emitError() << "factor " << symbol << " occurs twice";
      // rule_c8
      if (factors.size() > 1 && rule.getFactorSizes()[factor] == 1)
        return emitError() << "factor " << symbol
                           << " has size 1, but is not alone in dimension "
                           << dim;
      usedHere.set(factor);
    }
  }
  used |= usedHere;
  return success();
}

static LogicalResult verifyMappings(OpShardingRuleAttr rule,
                                    ArrayRef<TensorMappingAttr> mappings,
                                    TypeRange types, llvm::BitVector &used,
                                    Operation *op, StringRef kind) {
  // rule_c1
  if (mappings.size() != types.size())
    return op->emitOpError()
           << "has " << types.size() << " " << kind
           << "s, but its sharding rule is for " << mappings.size();
  // rule_c2
  if (mappings.empty())
    return op->emitOpError()
           << "has a sharding rule, but no " << kind << " to shard";
  for (auto [index, mapping, type] : llvm::enumerate(mappings, types)) {
    size_t position = index;
    if (failed(verifyMapping(rule, mapping, type, used, [&]() {
          return op->emitOpError() << kind << " " << position << ": ";
        })))
      return failure();
  }
  return success();
}

/// Checks a list of factors of some kind.
static LogicalResult verifyFactorList(OpShardingRuleAttr rule,
                                      ArrayRef<int64_t> factors, Operation *op,
                                      StringRef kind) {
  for (auto [index, factor] : llvm::enumerate(factors)) {
    // rule_c10
    if (index > 0 && factors[index - 1] >= factor)
      return op->emitOpError()
             << kind << " factors must increase, got "
             << OpShardingRuleAttr::getFactorSymbol(factors[index - 1])
             << " before " << OpShardingRuleAttr::getFactorSymbol(factor);
    // rule_c11
    if (factor < 0 || factor >= rule.getNumFactors())
      return op->emitOpError()
             << kind << " factor "
             << OpShardingRuleAttr::getFactorSymbol(factor) << " has no size";
  }
  return success();
}

LogicalResult sdy::verifyShardingRule(OpShardingRuleAttr rule, Operation *op) {
  llvm::BitVector used(rule.getNumFactors());
  llvm::BitVector usedInResults(rule.getNumFactors());
  if (failed(verifyMappings(rule, rule.getOperandMappings(),
                            op->getOperandTypes(), used, op, "operand")) ||
      failed(verifyMappings(rule, rule.getResultMappings(),
                            op->getResultTypes(), usedInResults, op, "result")))
    return failure();
  used |= usedInResults;
  // rule_c9
  if (!used.all())
    return op->emitOpError()
           << "has a sharding rule with factor "
           << OpShardingRuleAttr::getFactorSymbol(used.find_first_unset())
           << ", which occurs in no operand or result";

  llvm::BitVector special(rule.getNumFactors());
  for (auto [kind, factors] :
       {std::pair("reduction", rule.getReductionFactors()),
        std::pair("need_replication", rule.getNeedReplicationFactors()),
        std::pair("permutation", rule.getPermutationFactors())}) {
    if (failed(verifyFactorList(rule, factors, op, kind)))
      return failure();
    for (int64_t factor : factors) {
      // rule_c12
      if (special.test(factor))
        return op->emitOpError() << kind << " factor "
                                 << OpShardingRuleAttr::getFactorSymbol(factor)
                                 << " is also of another kind";
      special.set(factor);
    }
  }
  // rule_c13
  for (int64_t factor : rule.getReductionFactors())
    if (usedInResults.test(factor))
      return op->emitOpError() << "reduction factor "
                               << OpShardingRuleAttr::getFactorSymbol(factor)
                               << " occurs in a result";
  return verifyFactorList(rule, rule.getBlockedPropagationFactors(), op,
                          "blocked_propagation");
}

//===----------------------------------------------------------------------===//
// Propagation edges
//===----------------------------------------------------------------------===//

/// The value that an edge refers to; null if the operation has no such.
static Value getReferredValue(EdgeValueRefAttr ref, Operation *op) {
  int64_t index = ref.getIndex();
  bool isOperand = ref.getType() == EdgeNodeType::OPERAND;
  int64_t count = isOperand ? op->getNumOperands() : op->getNumResults();
  if (index < 0 || index >= count)
    return Value();
  return isOperand ? op->getOperand(index) : Value(op->getResult(index));
}

static LogicalResult verifyEdge(AxisToPropagationDetailsAttr entry,
                                Operation *op) {
  SmallVector<EdgeValueRefAttr> refs{entry.getSource()};
  llvm::append_range(refs, entry.getTargets());
  MeshAttr common;
  for (EdgeValueRefAttr ref : refs) {
    // edges_c5
    Value value = getReferredValue(ref, op);
    if (!value)
      return op->emitOpError() << "has a propagation edge at "
                               << stringifyEdgeNodeType(ref.getType()) << " "
                               << ref.getIndex() << ", which it does not have";
    TensorShardingAttr sharding = getSharding(value);
    MeshAttr mesh = sharding ? sharding.getMesh(op) : MeshAttr();
    // edges_c7
    if (mesh && failed(mergeMesh(common, mesh)))
      return op->emitOpError() << "has a propagation edge between the meshes "
                               << common << " and " << mesh;
  }
  // edges_c6
  if (!common)
    return op->emitOpError()
           << "has a propagation edge for axis "
           << entry.getAxisName().toString() << " between values without "
           << "sharding";
  // edges_c8
  if (!common.hasAxis(entry.getAxisName().getName()))
    return op->emitOpError()
           << "has a propagation edge for axis "
           << entry.getAxisName().toString() << ", which is not in " << common;
  return success();
}

LogicalResult sdy::verifyPropagationEdges(PropagationEdgesAttr edges,
                                          Operation *op) {
  for (PropagationOneStepAttr step : edges.getValue())
    for (AxisToPropagationDetailsAttr entry : step.getAxisEntries())
      if (failed(verifyEdge(entry, op)))
        return failure();
  return success();
}
