//===- Slab.h - Parts of tensors along a dimension --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a member of a collective has of a tensor that is split along one
// dimension, as a device copies it: rows of bytes that are equally far apart.

#ifndef HETERO_LIB_RUNTIME_CUDA_SLAB_H
#define HETERO_LIB_RUNTIME_CUDA_SLAB_H

#include "hetero/Runtime/Program.h"

namespace hetero::runtime {

/// The part of a dense tensor that has indices [begin, end) along one
/// dimension: as many rows as there are indices in front of the dimension.
struct Slab {
  char *data = nullptr;
  int64_t rows = 1, width = 0, pitch = 0;

  int64_t bytes() const { return rows * width; }
  bool isDense() const { return rows == 1 || width == pitch; }
};

Slab makeSlab(const void *tensor, const TensorType &type, int64_t dimension,
              int64_t begin, int64_t end);

/// What each member has of `sizes` along a dimension.
std::vector<Slab> makeSlabs(const void *tensor, const TensorType &type,
                            int64_t dimension,
                            const std::vector<int64_t> &sizes);

} // namespace hetero::runtime

#endif // HETERO_LIB_RUNTIME_CUDA_SLAB_H
