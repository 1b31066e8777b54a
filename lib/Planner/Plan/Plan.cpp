//===- Plan.cpp - What was decided ----------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Planner/Plan/Plan.h"
#include "llvm/ADT/STLExtras.h"
#include <unordered_set>

using namespace llvm;
using namespace hetero;
using namespace hetero::planner;

std::vector<std::vector<int64_t>> Mesh::columns() const {
  std::vector<std::vector<int64_t>> columns(tensor);
  for (auto [index, device] : enumerate(devices))
    columns[index % tensor].push_back(device);
  return columns;
}

Share Plan::gap() const {
  if (predicted <= Time(0) || bound >= predicted)
    return Share(0);
  __int128 saved = predicted.count() - std::max<int64_t>(0, bound.count());
  return Share(int64_t(saved * 1000000 / predicted.count()));
}

std::vector<int64_t> Plan::distinctMicrobatches() const {
  std::vector<int64_t> sizes;
  std::unordered_set<int64_t> seen;
  for (int64_t size : microbatches)
    if (seen.insert(size).second)
      sizes.push_back(size);
  return sizes;
}
