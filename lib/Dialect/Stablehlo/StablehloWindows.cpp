//===- StablehloWindows.cpp - Reductions over sliding windows -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Along one dimension, n elements dilated by d fill 0 if n = 0, otherwise
//
//   dilated(n, d) = (n - 1) * d + 1
//
// places, and a window of w elements dilated by e that moves by s steps over
// them, with `low` and `high` places of padding, stands in
//
//   p = low + dilated(n, d) + high
//   positions = 0 if dilated(w, e) > p, otherwise (p - dilated(w, e)) / s + 1

#include "hetero/Dialect/Stablehlo/Reducers.h"
#include "hetero/Dialect/Stablehlo/StablehloOps.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/Support/CheckedArithmetic.h"

using namespace mlir;
using namespace mlir::stablehlo;

namespace {
/// A window and its movement along one dimension.
struct WindowDimension {
  int64_t size = 1;
  int64_t stride = 1;
  int64_t baseDilation = 1;
  int64_t windowDilation = 1;
  int64_t low = 0;
  int64_t high = 0;
};

/// The attributes of a window as they are written.
struct WindowAttrs {
  ArrayRef<int64_t> sizes, strides, baseDilations, windowDilations;
  DenseIntElementsAttr padding;
};
} // namespace

//===----------------------------------------------------------------------===//
// Windows
//===----------------------------------------------------------------------===//

/// Sets one member of each dimension from a list of positive numbers. Only
/// `required` lists may not be empty.
static LogicalResult setMember(std::optional<Location> location, StringRef name,
                               ArrayRef<int64_t> values, bool required,
                               MutableArrayRef<WindowDimension> window,
                               int64_t WindowDimension::*member) {
  if (values.empty() && !required)
    return success();
  if (values.size() != window.size())
    return emitOptionalError(location, "expects ", name, " to have ",
                             window.size(), " members, got ", values.size());
  for (auto [dimension, value] : llvm::zip(window, values)) {
    if (value <= 0)
      return emitOptionalError(location, "expects ", name,
                               " to be positive, got ", value);
    dimension.*member = value;
  }
  return success();
}

static LogicalResult setPadding(std::optional<Location> location,
                                DenseIntElementsAttr padding,
                                MutableArrayRef<WindowDimension> window) {
  if (!padding)
    return success();
  ShapedType type = padding.getType();
  bool isPairs = type.getRank() == 2 && type.getDimSize(1) == 2;
  int64_t count = isPairs ? type.getDimSize(0) : 0;
  if (!isPairs || (count != 0 && count != int64_t(window.size())))
    return emitOptionalError(location, "expects padding of the shape [",
                             window.size(), ", 2], got [", type.getShape(),
                             "]");
  if (count == 0)
    return success();
  auto values = padding.getValues<int64_t>();
  for (auto [index, dimension] : llvm::enumerate(window)) {
    dimension.low = values[2 * index];
    dimension.high = values[2 * index + 1];
  }
  return success();
}

/// Checks the attributes of a window over tensors of the given rank.
static FailureOr<SmallVector<WindowDimension>>
getWindow(std::optional<Location> location, int64_t rank, WindowAttrs attrs) {
  SmallVector<WindowDimension> window(rank);
  // reduce_window_c4 to c12, select_and_scatter_c4 to c8
  if (failed(setMember(location, "window_dimensions", attrs.sizes,
                       /*required=*/true, window, &WindowDimension::size)) ||
      failed(setMember(location, "window_strides", attrs.strides,
                       /*required=*/false, window, &WindowDimension::stride)) ||
      failed(setMember(location, "base_dilations", attrs.baseDilations,
                       /*required=*/false, window,
                       &WindowDimension::baseDilation)) ||
      failed(setMember(location, "window_dilations", attrs.windowDilations,
                       /*required=*/false, window,
                       &WindowDimension::windowDilation)) ||
      failed(setPadding(location, attrs.padding, window)))
    return failure();
  return window;
}

/// dilated(size, dilation), nothing when it exceeds 64 bits.
static std::optional<int64_t> getDilated(int64_t size, int64_t dilation) {
  if (size == 0)
    return 0;
  return llvm::checkedMulAdd<int64_t>(size - 1, dilation, 1);
}

/// The number of positions of the window along one dimension.
static FailureOr<int64_t> getNumPositions(std::optional<Location> location,
                                          int64_t size,
                                          const WindowDimension &window) {
  if (ShapedType::isDynamic(size))
    return ShapedType::kDynamic;
  std::optional<int64_t> base = getDilated(size, window.baseDilation);
  std::optional<int64_t> width = getDilated(window.size, window.windowDilation);
  if (base)
    base = llvm::checkedAdd(*base, window.low);
  if (base)
    base = llvm::checkedAdd(*base, window.high);
  if (!base || !width)
    return emitOptionalError(location,
                             "the padded and dilated size of a "
                             "dimension of ",
                             size, " exceeds 64 bits");
  return *width > *base ? 0 : (*base - *width) / window.stride + 1;
}

static FailureOr<SmallVector<int64_t>>
getNumPositions(std::optional<Location> location, ArrayRef<int64_t> sizes,
                ArrayRef<WindowDimension> window) {
  SmallVector<int64_t> positions;
  for (auto [size, dimension] : llvm::zip(sizes, window)) {
    FailureOr<int64_t> count = getNumPositions(location, size, dimension);
    if (failed(count))
      return failure();
    positions.push_back(*count);
  }
  return positions;
}

//===----------------------------------------------------------------------===//
// reduce_window
//===----------------------------------------------------------------------===//

/// Checks inputs and attributes.
static FailureOr<SmallVector<WindowDimension>>
checkReduceWindow(std::optional<Location> location, TypeRange inputs,
                  WindowAttrs attrs) {
  // reduce_window_c1, reduce_window_c2
  FailureOr<RankedTensorType> first = getFirstReducedType(location, inputs);
  if (failed(first))
    return failure();
  return getWindow(location, first->getRank(), attrs);
}

template <typename OpT>
static WindowAttrs getAttrs(OpT op) {
  ArrayRef<int64_t> none;
  return {op.getWindowDimensions(), op.getWindowStrides().value_or(none),
          op.getBaseDilations().value_or(none),
          op.getWindowDilations().value_or(none), op.getPaddingAttr()};
}

LogicalResult ReduceWindowOp::inferReturnTypes(
    MLIRContext *context, std::optional<Location> location, Adaptor adaptor,
    SmallVectorImpl<Type> &inferred) {
  TypeRange inputs = adaptor.getInputs().getTypes();
  FailureOr<SmallVector<WindowDimension>> window =
      checkReduceWindow(location, inputs, getAttrs(adaptor));
  if (failed(window))
    return failure();
  // reduce_window_c15
  auto first = cast<RankedTensorType>(inputs.front());
  FailureOr<SmallVector<int64_t>> sizes =
      getNumPositions(location, first.getShape(), *window);
  if (failed(sizes))
    return failure();
  Attribute encoding;
  if (ArrayRef<int64_t> all = getBounds(first); !all.empty()) {
    FailureOr<SmallVector<int64_t>> bounds =
        getNumPositions(location, all, *window);
    if (failed(bounds))
      return failure();
    encoding = TypeExtensionsAttr::get(context, *bounds);
  }
  // reduce_window_c14, reduce_window_c16
  FailureOr<SmallVector<Type>> elements = getAccumulatorElementTypes(
      location, adaptor.getBody(), inputs.size(), "the body");
  if (failed(elements))
    return failure();
  for (Type element : *elements)
    inferred.push_back(RankedTensorType::get(*sizes, element, encoding));
  return success();
}

LogicalResult ReduceWindowOp::verify() {
  TypeRange inputs = getInputs().getTypes();
  FailureOr<SmallVector<WindowDimension>> window =
      checkReduceWindow(getLoc(), inputs, getAttrs(*this));
  if (failed(window))
    return failure();
  // reduce_window_c3, reduce_window_c13
  return verifyReducer(getLoc(), getBody(), inputs, getInitValues().getTypes(),
                       getWindowDimensions(), "the body");
}

//===----------------------------------------------------------------------===//
// select_and_scatter
//===----------------------------------------------------------------------===//

LogicalResult SelectAndScatterOp::inferReturnTypes(
    MLIRContext *, std::optional<Location> location, Adaptor adaptor,
    SmallVectorImpl<Type> &inferred) {
  FailureOr<SmallVector<Type>> elements =
      getAccumulatorElementTypes(location, adaptor.getScatter(), 1, "scatter");
  if (failed(elements))
    return failure();
  // select_and_scatter_c11, select_and_scatter_c12
  auto operand = cast<RankedTensorType>(adaptor.getOperand().getType());
  inferred.push_back(operand.clone(elements->front()));
  return success();
}

LogicalResult SelectAndScatterOp::verify() {
  auto operand = cast<RankedTensorType>(getOperand().getType());
  Type source = getSource().getType();
  // select_and_scatter_c9
  if (failed(verifyComparator(getLoc(), getSelect(), operand,
                              /*anyFloat=*/true, "select")))
    return failure();
  // select_and_scatter_c1, select_and_scatter_c3, select_and_scatter_c10
  if (failed(verifyReducer(getLoc(), getScatter(), source,
                           getInitValue().getType(), {}, "scatter")))
    return failure();
  ArrayRef<int64_t> none;
  WindowAttrs attrs = {getWindowDimensions().value_or(none),
                       getWindowStrides().value_or(none), none, none,
                       getPaddingAttr()};
  FailureOr<SmallVector<WindowDimension>> window =
      getWindow(getLoc(), operand.getRank(), attrs);
  if (failed(window))
    return failure();
  // select_and_scatter_c2
  FailureOr<SmallVector<int64_t>> sizes =
      getNumPositions(getLoc(), operand.getShape(), *window);
  if (failed(sizes))
    return failure();
  auto expected = RankedTensorType::get(*sizes, getElementTypeOrSelf(source));
  if (!areCompatibleShapes(source, expected))
    return emitOpError() << "expects the source to have the type " << expected
                         << ", one element for each position of the window, "
                            "got "
                         << source;
  return success();
}
