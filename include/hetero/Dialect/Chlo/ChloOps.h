//===- ChloOps.h - The CHLO dialect -----------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Dialect, attributes and ops. Other layers include hetero/Dialect/Chlo.h
// instead, which is this or the header of CHLO's own library.

#ifndef HETERO_DIALECT_CHLO_CHLOOPS_H
#define HETERO_DIALECT_CHLO_CHLOOPS_H

#include "hetero/Dialect/Stablehlo/StablehloOps.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/IR/BuiltinAttributeInterfaces.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace mlir::chlo::OpTrait {
namespace detail {
LogicalResult verifyCompatibleElementTypes(Operation *op);
} // namespace detail

/// See CHLO_CompatibleElementTypes in ChloBase.td.
template <typename ConcreteType>
class CompatibleElementTypes
    : public mlir::OpTrait::TraitBase<ConcreteType, CompatibleElementTypes> {
public:
  static LogicalResult verifyTrait(Operation *op) {
    return detail::verifyCompatibleElementTypes(op);
  }
};
} // namespace mlir::chlo::OpTrait

#include "hetero/Dialect/Chlo/ChloDialect.h.inc"

#include "hetero/Dialect/Chlo/ChloEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "hetero/Dialect/Chlo/ChloAttrs.h.inc"

#define GET_OP_CLASSES
#include "hetero/Dialect/Chlo/ChloOps.h.inc"

#endif // HETERO_DIALECT_CHLO_CHLOOPS_H
