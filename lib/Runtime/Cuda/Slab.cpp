//===- Slab.cpp - Parts of tensors along a dimension ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Slab.h"

using namespace hetero::runtime;

Slab hetero::runtime::makeSlab(const void *tensor, const TensorType &type,
                               int64_t dimension, int64_t begin, int64_t end) {
  Slab slab;
  int64_t inner = sizeOf(type.element);
  for (size_t d = 0; d < type.shape.size(); ++d) {
    if (int64_t(d) < dimension)
      slab.rows *= type.shape[d];
    if (int64_t(d) > dimension)
      inner *= type.shape[d];
  }
  slab.width = (end - begin) * inner;
  slab.pitch = type.shape[dimension] * inner;
  slab.data = static_cast<char *>(const_cast<void *>(tensor)) + begin * inner;
  return slab;
}

std::vector<Slab>
hetero::runtime::makeSlabs(const void *tensor, const TensorType &type,
                           int64_t dimension,
                           const std::vector<int64_t> &sizes) {
  std::vector<Slab> slabs;
  int64_t begin = 0;
  for (int64_t size : sizes) {
    slabs.push_back(makeSlab(tensor, type, dimension, begin, begin + size));
    begin += size;
  }
  return slabs;
}
