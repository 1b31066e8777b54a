//===- KernelMemoryInPlace.cpp - What is computed in place ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "KernelMemoryWalk.h"
#include "hetero/Analysis/KernelMemory.h"

using namespace mlir;
using namespace hetero;

/// Whether the loop that writes the result reads the operand, and that only at
/// the places where it writes.
bool MemoryWalk::readsElementwise(const Buffer &result, int64_t operand) const {
  Operation *op = result.value.getDefiningOp();
  if (!isFusible(op))
    return false;
  auto type = cast<RankedTensorType>(result.value.getType());
  AffineMap identity =
      AffineMap::getMultiDimIdentityMap(type.getRank(), op->getContext());
  using Element = std::pair<Value, AffineMap>;
  SmallVector<Element> stack;
  auto push = [&](Operation *from, AffineMap map) {
    for (Value value : from->getOperands()) {
      bool isScalar = cast<RankedTensorType>(value.getType()).getRank() == 0;
      if (isView(from))
        stack.push_back({value, getViewMap(from, map)});
      else
        stack.push_back({value, isScalar ? AffineMap::get(map.getNumDims(), 0,
                                                          op->getContext())
                                         : map});
    }
  };
  push(op, identity);
  llvm::DenseSet<Element> visited;
  while (!stack.empty()) {
    Element element = stack.pop_back_val();
    if (!visited.insert(element).second)
      continue;
    if (Operation *inlined = getInlined(element.first, /*isLoop=*/true))
      push(inlined, element.second);
    else if (find(element.first) == operand &&
             (element.second != identity ||
              element.first != buffers[operand].value))
      return false;
  }
  return true;
}

void MemoryWalk::findInPlace(const llvm::SmallBitVector &lastUses,
                             runtime::InPlaceList &pairs) const {
  llvm::SmallBitVector free = lastUses, open(kernel.results.size(), true);
  for (bool elementwise : {true, false})
    for (unsigned i : open.set_bits())
      for (unsigned argument : free.set_bits()) {
        Value operand = kernel.operands[argument], result = kernel.results[i];
        if (operand.getType() != result.getType())
          continue;
        int64_t number = find(operand), last = buffers[number].last;
        bool fits = last < written[i];
        if (elementwise)
          fits = last == written[i] && find(result) >= 0 &&
                 buffers[find(result)].kind == Buffer::Result &&
                 readsElementwise(buffers[find(result)], number);
        if (!fits)
          continue;
        pairs.push_back({argument, i});
        free.reset(argument);
        open.reset(i);
        break;
      }
}
