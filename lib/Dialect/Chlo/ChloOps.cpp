//===- ChloOps.cpp - Functions and constants of CHLO ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Dialect/Chlo/ChloOps.h"
#include "hetero/Dialect/Stablehlo/ShapeUtils.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::chlo;

void ChloDialect::registerOps() {
  addOperations<
#define GET_OP_LIST
#include "hetero/Dialect/Chlo/ChloOps.cpp.inc"
      >();
}

LogicalResult
chlo::OpTrait::detail::verifyCompatibleElementTypes(Operation *op) {
  Type result = getElementTypeOrSelf(op->getResult(0).getType());
  for (Type operand : op->getOperandTypes())
    if (!stablehlo::areCompatibleElementTypes(operand, result))
      return op->emitOpError()
             << "requires compatible element types for all operands and "
                "results, got "
             << getElementTypeOrSelf(operand) << " and " << result;
  return success();
}

/// The type of a tensor of the shape and bounds of `tensor`.
static Type withElementType(Value tensor, Type elementType) {
  return cast<TensorType>(tensor.getType()).clone(elementType);
}

//===----------------------------------------------------------------------===//
// Broadcasting
//===----------------------------------------------------------------------===//

namespace {
/// One dimension of a shape that is being broadcast.
struct Extent {
  int64_t size;
  int64_t bound = ShapedType::kDynamic;

  bool isOne() const { return size == 1; }
  bool isDynamic() const { return ShapedType::isDynamic(size); }
};
} // namespace

static SmallVector<Extent> getExtents(RankedTensorType type,
                                      bool withBounds = true) {
  SmallVector<Extent> extents;
  for (auto [dim, size] : llvm::enumerate(type.getShape()))
    extents.push_back({size, withBounds ? stablehlo::getBound(type, dim)
                                        : ShapedType::kDynamic});
  return extents;
}

/// The extent that both broadcast to, if there is one. 1 gives way to anything,
/// and a dynamic size to a static one unless it may have a bound; with bounds,
/// both must be the same.
static std::optional<Extent> broadcast(Extent a, Extent b, bool withBounds) {
  if (a.isOne())
    return b;
  if (b.isOne())
    return a;
  if (a.size == b.size && a.bound == b.bound)
    return a;
  if (withBounds || (!a.isDynamic() && !b.isDynamic()))
    return std::nullopt;
  return a.isDynamic() ? b : a;
}

/// Broadcasts `from` into `to`, dimension i to dimension dims[i]; of several to
/// one dimension the last counts. Fails if two sizes disagree.
static LogicalResult broadcastInto(SmallVectorImpl<Extent> &to,
                                   ArrayRef<Extent> from,
                                   ArrayRef<int64_t> dims, bool withBounds) {
  SmallVector<Extent> before(to.begin(), to.end());
  for (auto [extent, dim] : llvm::zip_equal(from, dims)) {
    if (dim < 0 || dim >= int64_t(to.size()))
      return failure();
    std::optional<Extent> merged = broadcast(before[dim], extent, withBounds);
    if (!merged)
      return failure();
    to[dim] = *merged;
  }
  return success();
}

static Type getType(ArrayRef<Extent> extents, Type elementType) {
  SmallVector<int64_t> sizes, bounds;
  for (Extent extent : extents) {
    sizes.push_back(extent.size);
    bounds.push_back(extent.isDynamic() ? extent.bound : ShapedType::kDynamic);
  }
  return RankedTensorType::get(
      sizes, elementType,
      stablehlo::encodeBounds(elementType.getContext(), bounds));
}

/// The type of all operands broadcast together, aligned at the last dimension
/// or, for two of them, as `dims` says. Unranked when there is no such type,
/// which is left to whoever needs it to complain about.
static Type inferBroadcast(ValueRange operands, Type elementType,
                           std::optional<ArrayRef<int64_t>> dims) {
  Type unranked = UnrankedTensorType::get(elementType);
  SmallVector<RankedTensorType> types;
  for (Type type : operands.getTypes()) {
    types.push_back(dyn_cast<RankedTensorType>(type));
    if (!types.back())
      return unranked;
  }
  // The last one of the highest rank takes in the others.
  size_t large = 0;
  for (auto [i, type] : llvm::enumerate(types))
    if (type.getRank() >= types[large].getRank())
      large = i;
  // Bounds are kept where no list of dimensions and no operand that has dynamic
  // sizes, but no bounds, comes between.
  bool withBounds = !dims && llvm::all_of(types, [](RankedTensorType type) {
    return type.hasStaticShape() || !stablehlo::getBounds(type).empty();
  });
  SmallVector<Extent> extents = getExtents(types[large], withBounds);
  types.erase(types.begin() + large);
  for (RankedTensorType type : types) {
    SmallVector<int64_t> aligned = llvm::to_vector(llvm::seq<int64_t>(
        int64_t(extents.size()) - type.getRank(), int64_t(extents.size())));
    if (dims)
      aligned.assign(dims->begin(), dims->end());
    if (int64_t(aligned.size()) != type.getRank() ||
        failed(broadcastInto(extents, getExtents(type, withBounds), aligned,
                             withBounds)))
      return unranked;
  }
  return getType(extents, elementType);
}

/// Checks the operands of a broadcasting function and infers its result, with
/// `elementType` or, if that is null, the operands' own.
template <typename AdaptorT>
static LogicalResult
inferBroadcastBinary(std::optional<Location> location, AdaptorT adaptor,
                     SmallVectorImpl<Type> &inferred, Type elementType = {}) {
  Type lhs = getElementTypeOrSelf(adaptor.getLhs().getType());
  Type rhs = getElementTypeOrSelf(adaptor.getRhs().getType());
  // broadcast_*_c1
  if (!stablehlo::areCompatibleElementTypes(lhs, rhs))
    return emitOptionalError(location, "mismatched operand types: elements of ",
                             lhs, " and ", rhs);
  // broadcast_*_c3; a list of another length has no meaning at all.
  std::optional<ArrayRef<int64_t>> dims = adaptor.getBroadcastDimensions();
  auto getRank = [](Value value) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    return type ? type.getRank() : int64_t(-1);
  };
  if (dims && int64_t(dims->size()) == std::min(getRank(adaptor.getLhs()),
                                                getRank(adaptor.getRhs())))
    for (int64_t dim : *dims)
      if (dim < 0)
        return emitOptionalError(
            location, "broadcast_dimensions must not be negative, got ", dim);
  inferred.push_back(inferBroadcast(adaptor.getOperands(),
                                    elementType ? elementType : lhs, dims));
  return success();
}

LogicalResult BroadcastComplexOp::inferReturnTypes(
    MLIRContext *, std::optional<Location> location, Adaptor adaptor,
    SmallVectorImpl<Type> &inferred) {
  Type part = getElementTypeOrSelf(adaptor.getLhs().getType());
  return inferBroadcastBinary(location, adaptor, inferred,
                              ComplexType::get(part));
}

LogicalResult BroadcastCompareOp::inferReturnTypes(
    MLIRContext *context, std::optional<Location> location, Adaptor adaptor,
    SmallVectorImpl<Type> &inferred) {
  return inferBroadcastBinary(location, adaptor, inferred,
                              IntegerType::get(context, 1));
}

LogicalResult BroadcastSelectOp::inferReturnTypes(
    MLIRContext *, std::optional<Location> location, Adaptor adaptor,
    SmallVectorImpl<Type> &inferred) {
  Type onTrue = getElementTypeOrSelf(adaptor.getOnTrue().getType());
  Type onFalse = getElementTypeOrSelf(adaptor.getOnFalse().getType());
  // broadcast_select_c1
  if (onTrue != onFalse)
    return emitOptionalError(location, "mismatched operand types: elements of ",
                             onTrue, " and ", onFalse);
  inferred.push_back(
      inferBroadcast(adaptor.getOperands(), onTrue, std::nullopt));
  return success();
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

LogicalResult ConstantOp::inferReturnTypes(MLIRContext *,
                                           std::optional<Location>,
                                           Adaptor adaptor,
                                           SmallVectorImpl<Type> &inferred) {
  inferred.push_back(adaptor.getValue().getType());
  return success();
}

OpFoldResult ConstantOp::fold(FoldAdaptor) { return getValue(); }

LogicalResult
ConstantLikeOp::inferReturnTypes(MLIRContext *, std::optional<Location>,
                                 Adaptor adaptor,
                                 SmallVectorImpl<Type> &inferred) {
  Type elementType = adaptor.getValue().getType();
  // No tensor has such elements; the verifier reports it.
  if (!TensorType::isValidElementType(elementType))
    elementType = getElementTypeOrSelf(adaptor.getOperand().getType());
  inferred.push_back(withElementType(adaptor.getOperand(), elementType));
  return success();
}

LogicalResult ConstantLikeOp::verify() {
  // constant_like_c1
  Type elementType = getElementTypeOrSelf(getType());
  if (getValue().getType() != elementType)
    return emitOpError() << "value's type " << getValue().getType()
                         << " doesn't match element return type "
                         << elementType;
  return success();
}

OpFoldResult ConstantLikeOp::fold(FoldAdaptor) {
  auto type = dyn_cast<RankedTensorType>(getType());
  if (!type || !type.hasStaticShape())
    return {};
  if (auto number = dyn_cast<complex::NumberAttr>(getValue()))
    return DenseElementsAttr::get(
        type, std::complex<APFloat>(number.getReal(), number.getImag()));
  if (!isa<FloatAttr, IntegerAttr>(getValue()))
    return {};
  return DenseElementsAttr::get(type, getValue());
}

//===----------------------------------------------------------------------===//
// top_k
//===----------------------------------------------------------------------===//

LogicalResult TopKOp::inferReturnTypes(MLIRContext *context,
                                       std::optional<Location> location,
                                       Adaptor adaptor,
                                       SmallVectorImpl<Type> &inferred) {
  Type indices = IntegerType::get(context, 32);
  auto type = dyn_cast<RankedTensorType>(adaptor.getOperand().getType());
  int64_t k = adaptor.getK();
  if (!type) {
    inferred.push_back(adaptor.getOperand().getType());
    inferred.push_back(UnrankedTensorType::get(indices));
    return success();
  }
  // top_k_c3
  if (k < 0)
    return emitOptionalError(location, "k must not be negative, got ", k);
  // top_k_c1
  if (type.getRank() < 1)
    return emitOptionalError(location, "operand's rank must be at least 1");
  // top_k_c2
  int64_t last = type.getRank() - 1;
  if (!type.isDynamicDim(last) && type.getDimSize(last) < k)
    return emitOptionalError(location,
                             "operand's last dimension must be at least ", k,
                             ", but it is ", type.getDimSize(last));
  SmallVector<Extent> extents = getExtents(type);
  extents[last] = {k};
  inferred.push_back(::getType(extents, type.getElementType()));
  inferred.push_back(::getType(extents, indices));
  return success();
}

#define GET_OP_CLASSES
#include "hetero/Dialect/Chlo/ChloOps.cpp.inc"
