//===- HeteroTypes.h - Types of the hetero dialect --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef HETERO_DIALECT_HETERO_HETEROTYPES_H
#define HETERO_DIALECT_HETERO_HETEROTYPES_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Types.h"
#include <optional>

#define GET_TYPEDEF_CLASSES
#include "hetero/Dialect/Hetero/HeteroTypes.h.inc"

namespace hetero {

/// The type that waiting for `type` gives: what a handle holds (null if it
/// holds nothing), any other type itself.
mlir::Type getAwaitedType(mlir::Type type);

/// The bytes that a tensor of `type` takes, each element in whole bytes;
/// nothing if a dimension is dynamic, the element type has no width, or 63 bits
/// are too few.
std::optional<int64_t> getByteSize(mlir::RankedTensorType type);

} // namespace hetero

#endif // HETERO_DIALECT_HETERO_HETEROTYPES_H
