//===- FoldUtils.h - What is worth folding ----------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef HETERO_LIB_DIALECT_STABLEHLO_FOLDUTILS_H
#define HETERO_LIB_DIALECT_STABLEHLO_FOLDUTILS_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/OpDefinition.h"

namespace mlir::stablehlo {

/// Constants of at most this many elements are folded element by element;
/// larger ones only when all their elements are equal.
constexpr int64_t kFoldLimit = 256;

/// The operand's value when it is worth folding, otherwise null.
inline DenseElementsAttr getFoldable(Attribute value) {
  auto elements = dyn_cast_or_null<DenseElementsAttr>(value);
  if (!elements)
    return {};
  bool small = elements.getNumElements() <= kFoldLimit;
  return small || elements.isSplat() ? elements : DenseElementsAttr();
}

/// `value` when replacing the op by it keeps its type.
inline OpFoldResult sameType(Operation *op, Value value) {
  return value.getType() == op->getResult(0).getType() ? OpFoldResult(value)
                                                       : OpFoldResult();
}

} // namespace mlir::stablehlo

#endif // HETERO_LIB_DIALECT_STABLEHLO_FOLDUTILS_H
