//===- ExternalizeConstants.cpp - Constants as splats or resources --------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Dialect/Stablehlo.h"
#include "hetero/Transforms/Import/Passes.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/DialectResourceBlobManager.h"

namespace hetero {
#define GEN_PASS_DEF_EXTERNALIZECONSTANTSPASS
#include "hetero/Transforms/Import/Passes.h.inc"
} // namespace hetero

using namespace mlir;
using namespace hetero;

namespace {
struct ExternalizeConstantsPass
    : public hetero::impl::ExternalizeConstantsPassBase<
          ExternalizeConstantsPass> {
  using ExternalizeConstantsPassBase::ExternalizeConstantsPassBase;
  void runOnOperation() override;
};
} // namespace

/// Whether all elements have the same bytes; i1 is stored packed and compared
/// as such.
static bool hasEqualElements(DenseElementsAttr value) {
  ArrayRef<char> data = value.getRawData();
  unsigned width =
      value.getNumElements() == 0 ? 0 : data.size() / value.getNumElements();
  if (width == 0)
    return false;
  return llvm::all_of(llvm::seq<size_t>(width, data.size()),
                      [&](size_t i) { return data[i] == data[i - width]; });
}

static DenseElementsAttr toSplat(DenseElementsAttr value) {
  size_t width = value.getRawData().size() / value.getNumElements();
  return DenseElementsAttr::getFromRawBuffer(
      value.getType(), value.getRawData().take_front(width));
}

static DenseResourceElementsAttr toResource(DenseElementsAttr value,
                                            StringRef name) {
  AsmResourceBlob blob = HeapAsmResourceBlob::allocateAndCopyWithAlign(
      value.getRawData(), /*align=*/64, /*dataIsMutable=*/false);
  return DenseResourceElementsAttr::get(value.getType(), name, std::move(blob));
}

void ExternalizeConstantsPass::runOnOperation() {
  unsigned index = 0;
  // One resource for equal constants.
  DenseMap<Attribute, DenseResourceElementsAttr> resources;
  getOperation().walk([&](stablehlo::ConstantOp op) {
    auto value = dyn_cast<DenseElementsAttr>(op.getValue());
    if (!value || value.isSplat() || value.getElementType().isInteger(1))
      return;
    if (hasEqualElements(value)) {
      op.setValueAttr(toSplat(value));
      ++numSplats;
      return;
    }
    if (value.getNumElements() <= maxElements)
      return;
    DenseResourceElementsAttr &resource = resources[value];
    if (!resource)
      resource = toResource(value, ("constant_" + Twine(index++)).str());
    op.setValueAttr(resource);
    ++numResources;
  });
}
