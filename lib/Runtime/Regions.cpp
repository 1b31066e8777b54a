//===- Regions.cpp - Parts of row-major arrays ----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Runtime/Regions.h"
#include <cstring>

using namespace hetero::runtime;

namespace {
/// Visits the runs of bytes that lie together in both arrays.
class Walker {
public:
  Walker(const Region &region, const TensorType &whole)
      : region(region), strides(whole.shape.size()) {
    // Trailing dimensions that the region has all of are one run.
    rank = whole.shape.size();
    int64_t stride = sizeOf(whole.element);
    bool full = true;
    for (size_t i = whole.shape.size(); i-- > 0;) {
      strides[i] = stride;
      stride *= whole.shape[i];
      const std::vector<Range> &ranges = region.dimensions[i];
      if (full)
        rank = i + 1;
      full = full && ranges.size() == 1 && ranges[0].begin == 0 &&
             ranges[0].end == whole.shape[i];
    }
    if (whole.shape.empty() || full)
      rank = 0;
    total = stride;
  }

  /// Calls `visit(offset in local, offset in whole, bytes)` in order of local.
  template <typename Visitor>
  void walk(Visitor visit) {
    int64_t local = 0;
    if (rank == 0)
      visit(local, int64_t(0), total);
    else
      walk(0, local, 0, visit);
  }

private:
  template <typename Visitor>
  void walk(size_t dimension, int64_t &local, int64_t whole, Visitor &visit) {
    int64_t stride = strides[dimension];
    for (Range range : region.dimensions[dimension]) {
      if (dimension + 1 == rank) {
        int64_t bytes = (range.end - range.begin) * stride;
        if (bytes != 0)
          visit(local, whole + range.begin * stride, bytes);
        local += bytes;
        continue;
      }
      for (int64_t i = range.begin; i < range.end; ++i)
        walk(dimension + 1, local, whole + i * stride, visit);
    }
  }

  const Region &region;
  std::vector<int64_t> strides;
  /// Dimensions that are walked; those behind them are whole.
  size_t rank;
  int64_t total;
};
} // namespace

Region hetero::runtime::wholeOf(const TensorType &type) {
  Region region;
  for (int64_t size : type.shape)
    region.dimensions.push_back({{0, size}});
  return region;
}

MaybeError hetero::runtime::checkRegion(const Region &region,
                                        const TensorType &local) {
  if (region.dimensions.size() != local.shape.size())
    return "region of rank " + std::to_string(region.dimensions.size()) +
           " for a tensor of rank " + std::to_string(local.shape.size());
  for (size_t i = 0; i < local.shape.size(); ++i) {
    int64_t end = 0, count = 0;
    std::string where = "dimension " + std::to_string(i) + " of the region ";
    for (Range range : region.dimensions[i]) {
      if (range.begin < end || range.end < range.begin)
        return where + "has [" + std::to_string(range.begin) + ", " +
               std::to_string(range.end) + ") after index " +
               std::to_string(end) + "; ranges must ascend";
      end = range.end;
      count += range.end - range.begin;
    }
    if (count != local.shape[i])
      return where + "has " + std::to_string(count) +
             " indices and the tensor " + std::to_string(local.shape[i]);
  }
  return std::nullopt;
}

MaybeError hetero::runtime::checkRegion(const Region &region,
                                        const TensorType &local,
                                        const TensorType &whole) {
  if (local.element != whole.element)
    return std::string("element type ") + nameOf(whole.element) +
           " where the program has " + nameOf(local.element);
  if (MaybeError error = checkRegion(region, local))
    return error;
  if (whole.shape.size() != local.shape.size())
    return "tensor " + whole.str() + " of rank " +
           std::to_string(whole.shape.size()) + " where the program has rank " +
           std::to_string(local.shape.size());
  for (size_t i = 0; i < whole.shape.size(); ++i) {
    const std::vector<Range> &ranges = region.dimensions[i];
    if (!ranges.empty() && ranges.back().end > whole.shape[i])
      return "tensor " + whole.str() + " has " +
             std::to_string(whole.shape[i]) + " indices in dimension " +
             std::to_string(i) + " where the program uses " +
             std::to_string(ranges.back().end);
  }
  return std::nullopt;
}

void hetero::runtime::scatterInto(void *local, const Region &region,
                                  const void *whole,
                                  const TensorType &wholeType) {
  if (wholeType.numElements() == 0)
    return;
  auto *to = static_cast<char *>(local);
  const auto *from = static_cast<const char *>(whole);
  Walker(region, wholeType).walk([&](int64_t near, int64_t far, int64_t bytes) {
    std::memcpy(to + near, from + far, bytes);
  });
}

void hetero::runtime::gatherFrom(const void *local, const Region &region,
                                 void *whole, const TensorType &wholeType) {
  if (wholeType.numElements() == 0)
    return;
  const auto *from = static_cast<const char *>(local);
  auto *to = static_cast<char *>(whole);
  Walker(region, wholeType).walk([&](int64_t near, int64_t far, int64_t bytes) {
    std::memcpy(to + far, from + near, bytes);
  });
}
