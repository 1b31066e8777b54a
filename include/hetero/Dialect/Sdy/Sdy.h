//===- Sdy.h - The sdy dialect ----------------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shardings by named mesh axes, as JAX writes them: the dialect, its
// attributes and operations, and how to ask for the sharding of a value.

#ifndef HETERO_DIALECT_SDY_SDY_H
#define HETERO_DIALECT_SDY_SDY_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include <optional>
#include <string>

#include "hetero/Dialect/Sdy/SdyDialect.h.inc"
#include "hetero/Dialect/Sdy/SdyEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "hetero/Dialect/Sdy/SdyAttrs.h.inc"

namespace mlir {
namespace sdy {

/// Names of the discardable attributes that the dialect verifies.
inline constexpr llvm::StringLiteral kShardingAttr = "sdy.sharding";
inline constexpr llvm::StringLiteral kShardingRuleAttr = "sdy.sharding_rule";
inline constexpr llvm::StringLiteral kPropagationEdgesAttr =
    "sdy.propagation_edges";
inline constexpr llvm::StringLiteral kResultPropagationEdgesAttr =
    "sdy.result_propagation_edges";
inline constexpr llvm::StringLiteral kBlockArgPropagationEdgesAttr =
    "sdy.block_arg_propagation_edges";

/// The sharding that is written on `value`: on its data flow edge if it has
/// one, on the function argument, on the sdy operation that defines it, or in
/// `sdy.sharding` of any other operation. Null if there is none. Arguments of a
/// manual computation have their in_sharding without the manual axes, as the
/// body sees it; variables of a loop have the sharding of its result.
TensorShardingAttr getSharding(Value value);

namespace detail {
/// Verifies the constraints collective_c1 to collective_c3.
LogicalResult verifyCollective(Operation *op);
} // namespace detail

} // namespace sdy
} // namespace mlir

#include "hetero/Dialect/Sdy/SdyInterfaces.h.inc"

#define GET_OP_CLASSES
#include "hetero/Dialect/Sdy/SdyOps.h.inc"

#endif // HETERO_DIALECT_SDY_SDY_H
