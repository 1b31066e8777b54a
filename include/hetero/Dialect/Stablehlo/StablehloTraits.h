//===- StablehloTraits.h - Compatibility of types ---------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// StableHLO types agree when no run-time value could tell them apart: a dynamic
// dimension agrees with any size up to its bound, a static one only with
// itself. So
//
//   tensor<?x3xf32>   agrees with   tensor<2x3xf32>
//   tensor<?x3xf32, #stablehlo.bounds<4, ?>>   not with   tensor<5x3xf32>
//
// Quantized element types agree with their expressed type's family only where
// an op says so.

#ifndef HETERO_DIALECT_STABLEHLO_STABLEHLOTRAITS_H
#define HETERO_DIALECT_STABLEHLO_STABLEHLOTRAITS_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/OpDefinition.h"
#include <optional>

namespace mlir::stablehlo {

/// An element type with one scale and zero point (quant.uniform), and one with
/// a scale for each slice along an axis.
bool isPerTensorQuantized(Type elementType);
bool isPerAxisQuantized(Type elementType);

/// Whether a tensor that is quantized per axis has that axis, with one slice a
/// scale.
bool hasValidQuantizedAxis(Type type);

/// The bounds of a tensor's dimensions, empty when the type has none.
ArrayRef<int64_t> getBounds(RankedTensorType type);

/// Whether all dimensions are static, or all but one, which has a bound.
bool isStaticOrSingleBounded(Type type);

/// Whether the two shapes agree dimension by dimension (see above).
bool areCompatibleShapes(Type lhs, Type rhs);

/// Whether the two element types agree: equal, or both quantized with the same
/// storage and expressed type.
bool areCompatibleElementTypes(Type lhs, Type rhs);

/// Whether the two types agree in shape and element type; tuples member by
/// member, anything else by equality.
bool areCompatibleTypes(Type lhs, Type rhs);

/// Whether a written list of result types agrees with an inferred one.
bool isCompatibleForInference(TypeRange written, TypeRange inferred);

/// The most precise type that agrees with all of `types`: a static dimension
/// wins over a dynamic one, the smaller bound over the larger.
/// Fails (and reports at `location`, when there is one) if two disagree.
FailureOr<Type> inferMostSpecificType(std::optional<Location> location,
                                      TypeRange types);

namespace OpTrait {
namespace detail {
LogicalResult verifyCompatibleOperandsAndResultType(Operation *op);
LogicalResult
inferCompatibleOperandsAndResultType(std::optional<Location> location,
                                     ValueRange operands,
                                     SmallVectorImpl<Type> &inferred);
} // namespace detail

/// See StableHLO_CompatibleOperandsAndResultType in StablehloBase.td.
template <typename ConcreteType>
class CompatibleOperandsAndResultType
    : public mlir::OpTrait::TraitBase<ConcreteType,
                                      CompatibleOperandsAndResultType> {
public:
  static LogicalResult verifyTrait(Operation *op) {
    return detail::verifyCompatibleOperandsAndResultType(op);
  }

  static LogicalResult inferReturnTypes(MLIRContext *,
                                        std::optional<Location> location,
                                        ValueRange operands, DictionaryAttr,
                                        OpaqueProperties, RegionRange,
                                        SmallVectorImpl<Type> &inferred) {
    return detail::inferCompatibleOperandsAndResultType(location, operands,
                                                        inferred);
  }
};
} // namespace OpTrait

} // namespace mlir::stablehlo

#endif // HETERO_DIALECT_STABLEHLO_STABLEHLOTRAITS_H
