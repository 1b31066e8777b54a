//===- StablehloShapeFolders.cpp - Folding of moved data ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ops that move nothing become their operand, and those that move constants
// become constants: splats of any size, others within the limit of FoldUtils.h.
// Each fold of the second kind is a function from an index of the result to the
// element of an operand that stands there.

#include "FoldUtils.h"
#include "hetero/Dialect/Stablehlo/ShapeUtils.h"
#include "hetero/Dialect/Stablehlo/StablehloOps.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "llvm/Support/CheckedArithmetic.h"
#include <complex>

using namespace mlir;
using namespace mlir::stablehlo;

namespace {
/// An element of one of several constants.
struct Pick {
  unsigned source;
  int64_t element;
};
} // namespace

/// The element at `index` of a row-major tensor.
static int64_t getElement(ArrayRef<int64_t> index, ArrayRef<int64_t> shape) {
  return linearize(index, computeSuffixProduct(shape));
}

template <typename ElementT>
static DenseElementsAttr build(RankedTensorType type,
                               ArrayRef<DenseElementsAttr> sources,
                               ArrayRef<Pick> picks) {
  SmallVector<ElementT> elements;
  for (const Pick &pick : picks)
    elements.push_back(
        sources[pick.source].getValues<ElementT>()[pick.element]);
  return DenseElementsAttr::get(type, elements);
}

/// The constant of type `type` whose element at each index is the one that
/// `choose` picks, null when it is too large or of a type that is left alone.
static DenseElementsAttr
rearrange(RankedTensorType type, ArrayRef<DenseElementsAttr> sources,
          function_ref<Pick(ArrayRef<int64_t>)> choose) {
  std::optional<int64_t> count = countElements(type.getShape());
  if (!count || *count == 0 || *count > kFoldLimit)
    return {};
  SmallVector<int64_t> strides = computeSuffixProduct(type.getShape());
  SmallVector<Pick> picks;
  for (int64_t i = 0; i < *count; ++i) {
    SmallVector<int64_t> index = delinearize(i, strides);
    picks.push_back(choose(index));
  }
  Type element = type.getElementType();
  if (isa<IntegerType>(element))
    return build<APInt>(type, sources, picks);
  if (isa<FloatType>(element))
    return build<APFloat>(type, sources, picks);
  if (auto complexType = dyn_cast<ComplexType>(element))
    if (isa<FloatType>(complexType.getElementType()))
      return build<std::complex<APFloat>>(type, sources, picks);
  return {};
}

/// The result's type when constants of it can be made, otherwise null.
static RankedTensorType getConstantType(Value result) {
  auto type = dyn_cast<RankedTensorType>(result.getType());
  bool isPlain = type && type.hasStaticShape() && !type.getEncoding() &&
                 (type.getElementType().isIntOrFloat() ||
                  isa<ComplexType>(type.getElementType()));
  return isPlain ? type : RankedTensorType();
}

/// The operand's value when it can be folded into a constant of type `type`.
static DenseElementsAttr getSource(Attribute value, Value operand,
                                   RankedTensorType type) {
  DenseElementsAttr source = getFoldable(value);
  if (!source || !type || source.getType() != operand.getType() ||
      source.getElementType() != type.getElementType())
    return {};
  return source;
}

/// The splat of the same value with the type `type`, null for an empty one.
static DenseElementsAttr resize(DenseElementsAttr source,
                                RankedTensorType type) {
  std::optional<int64_t> count = countElements(type.getShape());
  if (!source.isSplat() || !count || *count == 0 ||
      source.getNumElements() == 0)
    return {};
  return source.resizeSplat(type);
}

/// The fold of an op whose result consists of elements of its operand: of a
/// splat, whichever they are.
static OpFoldResult foldSplat(Attribute value, Value operand, Value result) {
  RankedTensorType type = getConstantType(result);
  DenseElementsAttr source = getSource(value, operand, type);
  return source ? resize(source, type) : DenseElementsAttr();
}

/// `rearrange` for an op with one source, of which splats stay splats. `move`
/// changes an index of the result into one of the operand.
static OpFoldResult
foldMove(Attribute value, Value operand, Value result,
         function_ref<void(SmallVectorImpl<int64_t> &)> move) {
  RankedTensorType type = getConstantType(result);
  DenseElementsAttr source = getSource(value, operand, type);
  if (!source || source.getNumElements() == 0)
    return {};
  if (source.isSplat())
    return resize(source, type);
  ArrayRef<int64_t> shape = source.getType().getShape();
  return rearrange(type, source, [&](ArrayRef<int64_t> index) {
    SmallVector<int64_t> moved(index);
    move(moved);
    return Pick{0, getElement(moved, shape)};
  });
}

static bool isIdentity(ArrayRef<int64_t> permutation) {
  return llvm::equal(permutation, llvm::seq<int64_t>(0, permutation.size()));
}

/// Whether both list the same dimensions, in any order.
static bool haveSameDims(ArrayRef<int64_t> lhs, ArrayRef<int64_t> rhs) {
  return lhs.size() == rhs.size() &&
         std::is_permutation(lhs.begin(), lhs.end(), rhs.begin());
}

static bool allZero(ArrayRef<int64_t> values) {
  return llvm::all_of(values, [](int64_t value) { return value == 0; });
}

//===----------------------------------------------------------------------===//
// Another shape for the same elements
//===----------------------------------------------------------------------===//

OpFoldResult ReshapeOp::fold(FoldAdaptor adaptor) {
  if (OpFoldResult same = sameType(*this, getOperand()))
    return same;
  // Longer chains shorten from their beginning. In an unreachable block there
  // may be none: a cycle is left alone.
  auto inner = getOperand().getDefiningOp<ReshapeOp>();
  if (inner && !inner.getOperand().getDefiningOp<ReshapeOp>()) {
    setOperand(inner.getOperand());
    return getResult();
  }
  RankedTensorType type = getConstantType(getResult());
  DenseElementsAttr source =
      getSource(adaptor.getOperand(), getOperand(), type);
  if (!source || countElements(type.getShape()) !=
                     countElements(source.getType().getShape()))
    return {};
  return source.reshape(type);
}

OpFoldResult BitcastConvertOp::fold(FoldAdaptor) {
  if (OpFoldResult same = sameType(*this, getOperand()))
    return same;
  if (auto inner = getOperand().getDefiningOp<BitcastConvertOp>())
    return sameType(*this, inner.getOperand());
  return {};
}

OpFoldResult TransposeOp::fold(FoldAdaptor adaptor) {
  ArrayRef<int64_t> permutation = getPermutation();
  if (isIdentity(permutation))
    if (OpFoldResult same = sameType(*this, getOperand()))
      return same;
  // Longer chains shorten from their beginning, as for reshape.
  auto inner = getOperand().getDefiningOp<TransposeOp>();
  if (inner && !inner.getOperand().getDefiningOp<TransposeOp>()) {
    SmallVector<int64_t> composed;
    for (int64_t dim : permutation)
      composed.push_back(inner.getPermutation()[dim]);
    setPermutation(composed);
    setOperand(inner.getOperand());
    return getResult();
  }
  return foldMove(adaptor.getOperand(), getOperand(), getResult(),
                  [&](SmallVectorImpl<int64_t> &index) {
                    SmallVector<int64_t> moved(index.size());
                    for (auto [dim, from] : llvm::enumerate(permutation))
                      moved[from] = index[dim];
                    index = moved;
                  });
}

OpFoldResult ReverseOp::fold(FoldAdaptor adaptor) {
  RankedTensorType operand = getOperand().getType();
  ArrayRef<int64_t> dims = getDimensions();
  bool isIdle = llvm::all_of(dims, [&](int64_t dim) {
    return !operand.isDynamicDim(dim) && operand.getDimSize(dim) <= 1;
  });
  if (isIdle)
    if (OpFoldResult same = sameType(*this, getOperand()))
      return same;
  if (auto inner = getOperand().getDefiningOp<ReverseOp>())
    if (haveSameDims(dims, inner.getDimensions()))
      if (OpFoldResult same = sameType(*this, inner.getOperand()))
        return same;
  return foldMove(adaptor.getOperand(), getOperand(), getResult(),
                  [&](SmallVectorImpl<int64_t> &index) {
                    for (int64_t dim : dims)
                      index[dim] = operand.getDimSize(dim) - 1 - index[dim];
                  });
}

//===----------------------------------------------------------------------===//
// Repeating
//===----------------------------------------------------------------------===//

OpFoldResult BroadcastInDimOp::fold(FoldAdaptor adaptor) {
  RankedTensorType operand = getOperand().getType();
  ArrayRef<int64_t> dims = getBroadcastDimensions();
  if (isIdentity(dims))
    if (OpFoldResult same = sameType(*this, getOperand()))
      return same;
  return foldMove(adaptor.getOperand(), getOperand(), getResult(),
                  [&](SmallVectorImpl<int64_t> &index) {
                    SmallVector<int64_t> moved;
                    for (auto [dim, resultDim] : llvm::enumerate(dims))
                      moved.push_back(
                          operand.getDimSize(dim) == 1 ? 0 : index[resultDim]);
                    index = moved;
                  });
}

OpFoldResult BroadcastOp::fold(FoldAdaptor adaptor) {
  size_t added = getBroadcastSizes().size();
  if (added == 0)
    if (OpFoldResult same = sameType(*this, getOperand()))
      return same;
  return foldMove(adaptor.getOperand(), getOperand(), getResult(),
                  [&](SmallVectorImpl<int64_t> &index) {
                    index.erase(index.begin(), index.begin() + added);
                  });
}

//===----------------------------------------------------------------------===//
// Cutting and joining
//===----------------------------------------------------------------------===//

OpFoldResult SliceOp::fold(FoldAdaptor adaptor) {
  // A slice that is as large as the operand is all of it.
  if (getOperand().getType().hasStaticShape())
    if (OpFoldResult same = sameType(*this, getOperand()))
      return same;
  return foldMove(adaptor.getOperand(), getOperand(), getResult(),
                  [&](SmallVectorImpl<int64_t> &index) {
                    for (size_t dim = 0; dim < index.size(); ++dim)
                      index[dim] = getStartIndices()[dim] +
                                   index[dim] * getStrides()[dim];
                  });
}

OpFoldResult DynamicSliceOp::fold(FoldAdaptor adaptor) {
  if (getOperand().getType().hasStaticShape())
    if (OpFoldResult same = sameType(*this, getOperand()))
      return same;
  return foldSplat(adaptor.getOperand(), getOperand(), getResult());
}

OpFoldResult DynamicUpdateSliceOp::fold(FoldAdaptor adaptor) {
  RankedTensorType operand = getOperand().getType();
  RankedTensorType update = getUpdate().getType();
  // An update as large as the operand can only start at its beginning.
  if (operand.hasStaticShape() && operand.getShape() == update.getShape())
    if (OpFoldResult same = sameType(*this, getUpdate()))
      return same;
  if (llvm::is_contained(update.getShape(), 0))
    return sameType(*this, getOperand());
  auto from = dyn_cast_or_null<SplatElementsAttr>(adaptor.getOperand());
  auto to = dyn_cast_or_null<SplatElementsAttr>(adaptor.getUpdate());
  if (from && to && from.getElementType() == to.getElementType() &&
      from.getSplatValue<Attribute>() == to.getSplatValue<Attribute>())
    return sameType(*this, getOperand());
  return {};
}

/// Whether all are splats of one value.
static bool isOneSplat(ArrayRef<DenseElementsAttr> values) {
  return llvm::all_of(values, [&](DenseElementsAttr value) {
    return value.isSplat() && value.getSplatValue<Attribute>() ==
                                  values.front().getSplatValue<Attribute>();
  });
}

OpFoldResult ConcatenateOp::fold(FoldAdaptor adaptor) {
  if (getInputs().size() == 1)
    if (OpFoldResult same = sameType(*this, getInputs().front()))
      return same;
  RankedTensorType type = getConstantType(getResult());
  SmallVector<DenseElementsAttr> sources;
  // The source and the offset in it of each index along the dimension.
  SmallVector<Pick> slices;
  int64_t dimension = getDimension();
  for (auto [value, input] : llvm::zip(adaptor.getInputs(), getInputs())) {
    DenseElementsAttr source = getSource(value, input, type);
    if (!source || source.getNumElements() == 0)
      return {};
    sources.push_back(source);
    if (int64_t(slices.size()) > kFoldLimit)
      continue;
    int64_t size = source.getType().getDimSize(dimension);
    for (int64_t i = 0; i < std::min(size, kFoldLimit + 1); ++i)
      slices.push_back({unsigned(sources.size() - 1), i});
  }
  if (isOneSplat(sources))
    return resize(sources.front(), type);
  return rearrange(type, sources, [&](ArrayRef<int64_t> index) {
    Pick slice = slices[index[dimension]];
    SmallVector<int64_t> moved(index);
    moved[dimension] = slice.element;
    ArrayRef<int64_t> shape = sources[slice.source].getType().getShape();
    return Pick{slice.source, getElement(moved, shape)};
  });
}

OpFoldResult PadOp::fold(FoldAdaptor adaptor) {
  ArrayRef<int64_t> low = getEdgePaddingLow(), interior = getInteriorPadding();
  if (allZero(low) && allZero(getEdgePaddingHigh()) && allZero(interior))
    if (OpFoldResult same = sameType(*this, getOperand()))
      return same;
  RankedTensorType type = getConstantType(getResult());
  DenseElementsAttr source =
      getSource(adaptor.getOperand(), getOperand(), type);
  DenseElementsAttr padding =
      getSource(adaptor.getPaddingValue(), getPaddingValue(), type);
  if (!source || !padding || source.getNumElements() == 0)
    return {};
  if (isOneSplat({source, padding}))
    return resize(source, type);
  ArrayRef<int64_t> shape = source.getType().getShape();
  return rearrange(type, {source, padding}, [&](ArrayRef<int64_t> index) {
    SmallVector<int64_t> moved(index);
    for (size_t dim = 0; dim < moved.size(); ++dim) {
      std::optional<int64_t> offset = llvm::checkedSub(index[dim], low[dim]);
      // Only a single element can be that far from the next one.
      std::optional<int64_t> step = llvm::checkedAdd<int64_t>(interior[dim], 1);
      int64_t stride = step.value_or(interior[dim]);
      if (!offset || *offset < 0 || *offset % stride != 0 ||
          *offset / stride >= shape[dim])
        return Pick{1, 0};
      moved[dim] = *offset / stride;
    }
    return Pick{0, getElement(moved, shape)};
  });
}

OpFoldResult GatherOp::fold(FoldAdaptor adaptor) {
  // Every index leads to an element, and all are equal.
  return foldSplat(adaptor.getOperand(), getOperand(), getResult());
}

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

OpFoldResult GetDimensionSizeOp::fold(FoldAdaptor) {
  int64_t size = getOperand().getType().getDimSize(getDimension());
  RankedTensorType type = getType();
  if (ShapedType::isDynamic(size) || !llvm::isInt<32>(size) ||
      type.getRank() != 0)
    return {};
  return DenseElementsAttr::get(type, int32_t(size));
}

OpFoldResult SetDimensionSizeOp::fold(FoldAdaptor adaptor) {
  auto size = dyn_cast_or_null<SplatElementsAttr>(adaptor.getSize());
  if (!size || size.getSplatValue<APInt>().getSExtValue() !=
                   getOperand().getType().getDimSize(getDimension()))
    return {};
  return sameType(*this, getOperand());
}
