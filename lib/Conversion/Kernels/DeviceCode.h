//===- DeviceCode.h - What runs on a device, and what it needs --*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// After bufferization a kernel is a function over buffers: loops, single loads
// and stores, views, allocations, calls of the matrix library, and control flow
// around them. When the buffers are in the memory of a device, everything that
// reads or writes an element has to run there, and the rest stays on the host:
//
//   %o = memref.load %start[] : memref<i32>            // scalar, from memory
//   %i = arith.index_cast %o : i32 to index
//   %v = memref.subview %x[%i, 0] [4, 8] [1, 1] : ...  // view
//   linalg.generic ins(%v) outs(%y) {...}              // device code
//
// The loop is device code; its slice copies the view and the scalar, so that
// the device reads `%start` itself and the host does not wait for it.

#ifndef HETERO_LIB_CONVERSION_KERNELS_DEVICECODE_H
#define HETERO_LIB_CONVERSION_KERNELS_DEVICECODE_H

#include "mlir/IR/Operation.h"
#include "mlir/IR/Region.h"

namespace hetero {

/// What an operation needs from outside.
struct CodeSlice {
  /// Values that are passed, each once.
  llvm::SmallVector<mlir::Value> arguments;
  /// Operations that are copied in front of it, in order.
  llvm::SmallVector<mlir::Operation *> copied;
};

/// The slice of an operation. Constants are copied, and views that more than a
/// pointer tells about; on a device, all views, and scalars that nothing
/// changes in between.
CodeSlice getSlice(mlir::Operation *op, bool isOnDevice);

/// Adds the outermost linalg operations and loops with nothing but single
/// elements in them, in order; on a device, where all of it has to run there,
/// also branches over single elements, and stores.
void collectCode(mlir::Region &region, bool isOnDevice,
                 llvm::SmallVectorImpl<mlir::Operation *> &code);

/// The allocation, part of planned memory, argument or other value that a
/// buffer is a view of.
mlir::Value getBaseBuffer(mlir::Value buffer);

/// Whether it is an allocation, a part of planned memory, a global or an
/// argument of a kernel: then it does not overlap with another one that is in
/// use.
bool isOwnBuffer(mlir::Value base);

} // namespace hetero

#endif // HETERO_LIB_CONVERSION_KERNELS_DEVICECODE_H
