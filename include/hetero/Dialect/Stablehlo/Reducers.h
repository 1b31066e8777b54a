//===- Reducers.h - Regions that combine elements ---------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reductions, scatters, windows and collectives hold a region that combines
// elements. For N inputs it is a function
//
//   (acc_1, .., acc_N, new_1, .., new_N) -> (acc_1, .., acc_N)
//
// over tensors of rank 0. The accumulated type may be wider than the input's:
// i8 may be summed in i32, and floats in floats of any width. The result of the
// op then has the accumulated type.

#ifndef HETERO_DIALECT_STABLEHLO_REDUCERS_H
#define HETERO_DIALECT_STABLEHLO_REDUCERS_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Region.h"
#include "mlir/Support/LLVM.h"
#include <optional>

namespace mlir::stablehlo {

/// The types of the values that the region's `stablehlo.return` hands back.
/// Fails and reports when the region does not end in one, as it may before it
/// has been verified. `name` is what the diagnostic calls the region.
FailureOr<SmallVector<Type>> getReturnedTypes(std::optional<Location> location,
                                              Region &region, StringRef name);

/// Checks that there are inputs to reduce, of compatible shapes, and returns
/// the type of the first.
FailureOr<RankedTensorType>
getFirstReducedType(std::optional<Location> location, TypeRange inputs);

/// Whether elements of `from` may be accumulated in those of `to`: the same
/// kind of number and at least as many bits. Floats of any width go together.
bool isPromotableElementType(Type from, Type to);

/// The element types that the region accumulates in, one for each input.
FailureOr<SmallVector<Type>>
getAccumulatorElementTypes(std::optional<Location> location, Region &region,
                           size_t numInputs, StringRef name);

/// Checks that the region combines elements of `inputs`, starting from
/// `initValues`. Its arguments have rank 0, or a shape made of some of the
/// `allowedDimensions`, in order.
LogicalResult verifyReducer(std::optional<Location> location, Region &region,
                            TypeRange inputs, TypeRange initValues,
                            ArrayRef<int64_t> allowedDimensions,
                            StringRef name);

/// Checks that the region compares two elements of each of `inputs`,
/// (a_1, b_1, .., a_N, b_N) -> i1. With `anyFloat` floats of any width pass.
LogicalResult verifyComparator(std::optional<Location> location, Region &region,
                               TypeRange inputs, bool anyFloat, StringRef name);

} // namespace mlir::stablehlo

#endif // HETERO_DIALECT_STABLEHLO_REDUCERS_H
