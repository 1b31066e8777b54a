//===- StablehloShapeOps.cpp - Moving data --------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Dialect/Stablehlo/AssemblyFormat.h"
#include "hetero/Dialect/Stablehlo/ShapeUtils.h"
#include "hetero/Dialect/Stablehlo/StablehloOps.h"
#include "mlir/Dialect/Quant/IR/QuantTypes.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/Support/CheckedArithmetic.h"

using namespace mlir;
using namespace mlir::stablehlo;

//===----------------------------------------------------------------------===//
// Assembly
//===----------------------------------------------------------------------===//

/// `[start:limit, start:limit:stride]`; a stride of 1 is left out.
static void printSliceRanges(OpAsmPrinter &printer, Operation *,
                             ArrayRef<int64_t> starts, ArrayRef<int64_t> limits,
                             ArrayRef<int64_t> strides) {
  printer << '[';
  // An op that failed to verify may have lists of different lengths.
  size_t count = std::min({starts.size(), limits.size(), strides.size()});
  llvm::interleaveComma(llvm::seq<size_t>(0, count), printer, [&](size_t i) {
    printer << starts[i] << ':' << limits[i];
    if (strides[i] != 1)
      printer << ':' << strides[i];
  });
  printer << ']';
}

static ParseResult parseSliceRanges(OpAsmParser &parser,
                                    DenseI64ArrayAttr &starts,
                                    DenseI64ArrayAttr &limits,
                                    DenseI64ArrayAttr &strides) {
  SmallVector<int64_t> lists[3];
  auto parseRange = [&]() -> ParseResult {
    int64_t start, limit, stride = 1;
    if (parser.parseInteger(start) || parser.parseColon() ||
        parser.parseInteger(limit))
      return failure();
    if (succeeded(parser.parseOptionalColon()) && parser.parseInteger(stride))
      return failure();
    lists[0].push_back(start);
    lists[1].push_back(limit);
    lists[2].push_back(stride);
    return success();
  };
  if (parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Square,
                                     parseRange))
    return failure();
  Builder &builder = parser.getBuilder();
  starts = builder.getDenseI64ArrayAttr(lists[0]);
  limits = builder.getDenseI64ArrayAttr(lists[1]);
  strides = builder.getDenseI64ArrayAttr(lists[2]);
  return success();
}

/// `%a, %b,`: operands before a named attribute, with a comma after the last.
static void printOperandsBeforeAttribute(OpAsmPrinter &printer, Operation *,
                                         OperandRange operands) {
  llvm::interleaveComma(operands, printer);
  printer << ',';
}

static ParseResult parseOperandsBeforeAttribute(
    OpAsmParser &parser,
    SmallVectorImpl<OpAsmParser::UnresolvedOperand> &operands) {
  while (true) {
    OpAsmParser::UnresolvedOperand operand;
    OptionalParseResult result = parser.parseOptionalOperand(operand);
    if (!result.has_value())
      break;
    if (failed(*result) || parser.parseComma())
      return failure();
    operands.push_back(operand);
  }
  // An empty list is printed as the comma alone; it may also be left out.
  if (operands.empty())
    (void)parser.parseOptionalComma();
  return success();
}

#define GET_OP_CLASSES
#include "hetero/Dialect/Stablehlo/StablehloShapeOps.cpp.inc"

void StablehloDialect::addShapeOps() {
  addOperations<
#define GET_OP_LIST
#include "hetero/Dialect/Stablehlo/StablehloShapeOps.cpp.inc"
      >();
}

static RankedTensorType getTensorType(Value value) {
  return cast<RankedTensorType>(value.getType());
}

//===----------------------------------------------------------------------===//
// Another shape for the same elements
//===----------------------------------------------------------------------===//

LogicalResult ReshapeOp::verify() {
  RankedTensorType operand = getOperand().getType();
  RankedTensorType result = getType();
  if (failed(verifyReshapeElements(getLoc(), operand, result)))
    return failure();
  // reshape_c2
  if (!operand.hasStaticShape() || !result.hasStaticShape() ||
      operand.getShape() == result.getShape())
    return success();
  std::optional<int64_t> count = countElements(operand.getShape());
  std::optional<int64_t> resultCount = countElements(result.getShape());
  if (!count || !resultCount)
    return emitOpError() << "has more elements than 64 bits can count";
  if (*count != *resultCount)
    return emitOpError() << "number of output elements (" << *resultCount
                         << ") doesn't match expected number of elements ("
                         << *count << ")";
  return success();
}

/// The number of bits that an element is stored in.
static int64_t getStorageWidth(Type elementType) {
  if (auto complexType = dyn_cast<ComplexType>(elementType))
    return 2 * complexType.getElementType().getIntOrFloatBitWidth();
  if (auto quantized = dyn_cast<quant::QuantizedType>(elementType))
    return quantized.getStorageTypeIntegralWidth();
  return elementType.getIntOrFloatBitWidth();
}

LogicalResult BitcastConvertOp::verify() {
  RankedTensorType narrow = getOperand().getType(), wide = getType();
  // bitcast_convert_c2
  if (isa<ComplexType>(narrow.getElementType()) !=
      isa<ComplexType>(wide.getElementType()))
    return emitOpError() << "cannot convert between real and complex types, "
                         << "but got " << narrow << " and " << wide;
  int64_t narrowWidth = getStorageWidth(narrow.getElementType());
  int64_t wideWidth = getStorageWidth(wide.getElementType());
  // bitcast_convert_c1. Equally wide elements may differ in rank, as they may
  // in StableHLO's own verifier.
  if (narrowWidth == wideWidth) {
    size_t rank = std::min(narrow.getRank(), wide.getRank());
    if (areCompatibleSizes(narrow.getShape().take_front(rank),
                           wide.getShape().take_front(rank)))
      return success();
    return emitOpError() << "requires equally wide elements to keep their "
                         << "shape, but got " << narrow << " and " << wide;
  }
  if (narrowWidth > wideWidth) {
    std::swap(narrow, wide);
    std::swap(narrowWidth, wideWidth);
  }
  if (narrow.getRank() != wide.getRank() + 1)
    return emitOpError() << "rank of smaller element type (" << narrow.getRank()
                         << ") should be 1 more than rank of larger element "
                            "type ("
                         << wide.getRank() << ")";
  if (!areCompatibleSizes(narrow.getShape().drop_back(), wide.getShape()))
    return emitOpError() << "requires all but the last dimension of " << narrow
                         << " to be those of " << wide;
  int64_t count = narrow.getShape().back();
  if (ShapedType::isStatic(count) &&
      (wideWidth % narrowWidth != 0 || wideWidth / narrowWidth != count))
    return emitOpError() << "requires compatible bit widths, but " << count
                         << " elements of " << narrowWidth << " bits do not "
                         << "make one of " << wideWidth;
  return success();
}

LogicalResult TransposeOp::inferReturnTypes(MLIRContext *context,
                                            std::optional<Location> location,
                                            Adaptor adaptor,
                                            SmallVectorImpl<Type> &inferred) {
  RankedTensorType operand = getTensorType(adaptor.getOperand());
  ArrayRef<int64_t> permutation = adaptor.getPermutation();
  // transpose_c2
  if (int64_t(permutation.size()) != operand.getRank())
    return emitOptionalError(location, "permutation has ", permutation.size(),
                             " entries, but the operand has rank ",
                             operand.getRank());
  if (failed(verifyDimsInRange(location, permutation, operand.getRank(),
                               "permutation")) ||
      failed(verifyDimsDistinct(location, permutation, "permutation")))
    return failure();
  // transpose_c3
  SmallVector<int64_t> shape, bounds;
  for (int64_t dim : permutation) {
    shape.push_back(operand.getDimSize(dim));
    bounds.push_back(getBound(operand, dim));
  }
  // transpose_c1; which dimension is quantized is checked by the verifier.
  inferred.push_back(RankedTensorType::get(shape, operand.getElementType(),
                                           encodeBounds(context, bounds)));
  return success();
}

LogicalResult TransposeOp::verify() {
  Type from = getOperand().getType().getElementType();
  Type to = getType().getElementType();
  auto perAxisFrom = dyn_cast<quant::UniformQuantizedPerAxisType>(from);
  auto perAxisTo = dyn_cast<quant::UniformQuantizedPerAxisType>(to);
  // transpose_c1
  if (!perAxisFrom || !perAxisTo) {
    if (from == to)
      return success();
    return emitOpError()
           << "requires operand and result to have the same element type, got "
           << from << " and " << to;
  }
  // transpose_c4
  ArrayRef<int64_t> permutation = getPermutation();
  int32_t dim = perAxisTo.getQuantizedDimension();
  if (dim < 0 || dim >= int64_t(permutation.size()) ||
      permutation[dim] != perAxisFrom.getQuantizedDimension())
    return emitOpError() << "operand quantization dimension "
                         << perAxisFrom.getQuantizedDimension()
                         << " does not become result quantization dimension "
                         << dim;
  if (perAxisFrom.getScales() != perAxisTo.getScales() ||
      perAxisFrom.getZeroPoints() != perAxisTo.getZeroPoints())
    return emitOpError() << "requires the scales and zero points of operand "
                            "and result to be the same";
  return success();
}

LogicalResult ReverseOp::verify() {
  // reverse_c2, reverse_c3
  ArrayRef<int64_t> dims = getDimensions();
  int64_t rank = getOperand().getType().getRank();
  if (failed(verifyDimsDistinct(getLoc(), dims, "dimensions")))
    return failure();
  return verifyDimsInRange(getLoc(), dims, rank, "dimensions");
}

//===----------------------------------------------------------------------===//
// Repeating
//===----------------------------------------------------------------------===//

LogicalResult BroadcastInDimOp::verify() {
  RankedTensorType operand = getOperand().getType(), result = getType();
  if (failed(verifyBroadcastInDim(getLoc(), operand, getBroadcastDimensions(),
                                  result)))
    return failure();
  // broadcast_in_dim_c5; a static size does not become a bounded one either.
  for (auto [dim, resultDim] : llvm::enumerate(getBroadcastDimensions()))
    if (!operand.isDynamicDim(dim) && operand.getDimSize(dim) != 1 &&
        result.isDynamicDim(resultDim))
      return emitOpError() << "size of operand dimension " << dim << " ("
                           << operand.getDimSize(dim)
                           << ") is not 1, but result dimension " << resultDim
                           << " is dynamic";
  return success();
}

LogicalResult BroadcastOp::inferReturnTypes(MLIRContext *,
                                            std::optional<Location> location,
                                            Adaptor adaptor,
                                            SmallVectorImpl<Type> &inferred) {
  RankedTensorType operand = getTensorType(adaptor.getOperand());
  ArrayRef<int64_t> sizes = adaptor.getBroadcastSizes();
  // broadcast_c2
  for (int64_t size : sizes)
    if (size < 0)
      return emitOptionalError(location, "broadcast size ", size,
                               " is negative");
  // broadcast_c3
  SmallVector<int64_t> shape(sizes);
  llvm::append_range(shape, operand.getShape());
  inferred.push_back(RankedTensorType::get(shape, operand.getElementType()));
  return success();
}

//===----------------------------------------------------------------------===//
// Cutting and joining
//===----------------------------------------------------------------------===//

/// Reports a list that does not have one entry for each dimension.
static LogicalResult verifyLength(std::optional<Location> location,
                                  StringRef name, int64_t length,
                                  int64_t rank) {
  if (length == rank)
    return success();
  return emitOptionalError(location, name, " has ", length,
                           " entries, but the operand has rank ", rank);
}

LogicalResult SliceOp::inferReturnTypes(MLIRContext *,
                                        std::optional<Location> location,
                                        Adaptor adaptor,
                                        SmallVectorImpl<Type> &inferred) {
  RankedTensorType operand = getTensorType(adaptor.getOperand());
  ArrayRef<int64_t> starts = adaptor.getStartIndices();
  ArrayRef<int64_t> limits = adaptor.getLimitIndices();
  ArrayRef<int64_t> strides = adaptor.getStrides();
  int64_t rank = operand.getRank();
  // slice_c2
  if (failed(verifyLength(location, "start_indices", starts.size(), rank)) ||
      failed(verifyLength(location, "limit_indices", limits.size(), rank)) ||
      failed(verifyLength(location, "strides", strides.size(), rank)))
    return failure();
  SmallVector<int64_t> shape;
  for (int64_t dim = 0; dim < rank; ++dim) {
    int64_t start = starts[dim], limit = limits[dim], stride = strides[dim];
    // slice_c3
    if (start < 0)
      return emitOptionalError(location, "negative start index ", start,
                               " in dimension ", dim);
    if (start > limit)
      return emitOptionalError(location, "start index ", start,
                               " is larger than limit index ", limit,
                               " in dimension ", dim);
    bool isDynamic = operand.isDynamicDim(dim);
    int64_t size = isDynamic ? getBound(operand, dim) : operand.getDimSize(dim);
    if (ShapedType::isStatic(size) && limit > size)
      return emitOptionalError(
          location, "limit index ", limit, " is larger than dimension ",
          isDynamic ? "bound " : "size ", size, " in dimension ", dim);
    // slice_c4
    if (stride <= 0)
      return emitOptionalError(location, "stride must be positive but got ",
                               stride, " in dimension ", dim);
    // slice_c5
    shape.push_back(llvm::divideCeil(limit - start, stride));
  }
  // slice_c1
  inferred.push_back(RankedTensorType::get(shape, operand.getElementType()));
  return success();
}

/// Reports start indices of different number than dimensions, or of different
/// types.
static LogicalResult verifyStartIndices(std::optional<Location> location,
                                        ValueRange starts, int64_t rank) {
  if (int64_t(starts.size()) != rank)
    return emitOptionalError(location, "has ", starts.size(),
                             " start indices, but the operand has rank ", rank);
  if (!llvm::all_equal(starts.getTypes()))
    return emitOptionalError(location,
                             "start indices must have same element type");
  return success();
}

LogicalResult DynamicSliceOp::inferReturnTypes(
    MLIRContext *, std::optional<Location> location, Adaptor adaptor,
    SmallVectorImpl<Type> &inferred) {
  RankedTensorType operand = getTensorType(adaptor.getOperand());
  ArrayRef<int64_t> sizes = adaptor.getSliceSizes();
  // dynamic_slice_c2, dynamic_slice_c3
  if (failed(verifyLength(location, "slice_sizes", sizes.size(),
                          operand.getRank())) ||
      failed(verifyStartIndices(location, adaptor.getStartIndices(),
                                operand.getRank())))
    return failure();
  // dynamic_slice_c4
  for (auto [dim, size] : llvm::enumerate(sizes)) {
    if (size < 0)
      return emitOptionalError(location, "has negative slice size ", size,
                               " in dimension ", dim);
    if (!operand.isDynamicDim(dim) && size > operand.getDimSize(dim))
      return emitOptionalError(location, "has slice size ", size,
                               " greater than dimension size ",
                               operand.getDimSize(dim), " in dimension ", dim);
  }
  // dynamic_slice_c1, dynamic_slice_c5
  inferred.push_back(RankedTensorType::get(sizes, operand.getElementType()));
  return success();
}

LogicalResult DynamicUpdateSliceOp::inferReturnTypes(
    MLIRContext *, std::optional<Location> location, Adaptor adaptor,
    SmallVectorImpl<Type> &inferred) {
  RankedTensorType operand = getTensorType(adaptor.getOperand());
  RankedTensorType update = getTensorType(adaptor.getUpdate());
  // dynamic_update_slice_c3
  if (update.getRank() != operand.getRank())
    return emitOptionalError(location, "update has rank ", update.getRank(),
                             ", but the operand has rank ", operand.getRank());
  // dynamic_update_slice_c4, dynamic_update_slice_c5
  if (failed(verifyStartIndices(location, adaptor.getStartIndices(),
                                operand.getRank())))
    return failure();
  // dynamic_update_slice_c6
  for (int64_t dim : llvm::seq<int64_t>(0, operand.getRank()))
    if (!operand.isDynamicDim(dim) && !update.isDynamicDim(dim) &&
        update.getDimSize(dim) > operand.getDimSize(dim))
      return emitOptionalError(location, "update has size ",
                               update.getDimSize(dim), " in dimension ", dim,
                               ", more than the operand's ",
                               operand.getDimSize(dim));
  // dynamic_update_slice_c1
  inferred.push_back(operand);
  return success();
}

namespace {
/// A size and its bound, either of which may be unknown.
struct SizeAndBound {
  int64_t size = ShapedType::kDynamic;
  int64_t bound = ShapedType::kDynamic;

  /// The largest possible size, kDynamic if there is none.
  int64_t getLimit() const { return ShapedType::isStatic(size) ? size : bound; }
};
} // namespace

/// The size of two tensors laid one after the other.
static LogicalResult addSizes(std::optional<Location> location,
                              SizeAndBound &sum, SizeAndBound next) {
  int64_t limit = ShapedType::kDynamic;
  if (ShapedType::isStatic(sum.getLimit()) &&
      ShapedType::isStatic(next.getLimit())) {
    std::optional<int64_t> added =
        llvm::checkedAdd(sum.getLimit(), next.getLimit());
    if (!added)
      return emitOptionalError(location, "concatenated size exceeds 64 bits: ",
                               sum.getLimit(), " + ", next.getLimit());
    limit = *added;
  }
  bool isStatic =
      ShapedType::isStatic(sum.size) && ShapedType::isStatic(next.size);
  sum.size = isStatic ? limit : ShapedType::kDynamic;
  sum.bound = isStatic ? ShapedType::kDynamic : limit;
  return success();
}

/// The size that agrees with both.
static LogicalResult mergeSizes(std::optional<Location> location, int64_t dim,
                                SizeAndBound &merged, SizeAndBound next) {
  if (ShapedType::isDynamic(merged.size) && ShapedType::isStatic(next.size))
    std::swap(merged, next);
  if (ShapedType::isDynamic(merged.size)) {
    if (ShapedType::isDynamic(merged.bound) ||
        (ShapedType::isStatic(next.bound) && next.bound < merged.bound))
      merged.bound = next.bound;
    return success();
  }
  if (!areCompatibleSizes(merged.size, next.size))
    return emitOptionalError(location, "inputs have sizes ", merged.size,
                             " and ", next.size, " in dimension ", dim);
  if (ShapedType::isStatic(next.bound) && merged.size > next.bound)
    return emitOptionalError(location, "an input's size ", merged.size,
                             " exceeds another's bound ", next.bound,
                             " in dimension ", dim);
  return success();
}

LogicalResult ConcatenateOp::inferReturnTypes(MLIRContext *context,
                                              std::optional<Location> location,
                                              Adaptor adaptor,
                                              SmallVectorImpl<Type> &inferred) {
  // concatenate_c3
  ValueRange inputs = adaptor.getInputs();
  if (inputs.empty())
    return emitOptionalError(location, "expected 1 or more operands");
  // concatenate_c4
  int64_t dimension = adaptor.getDimension();
  RankedTensorType first = getTensorType(inputs.front());
  int64_t rank = first.getRank();
  if (dimension < 0 || dimension >= rank)
    return emitOptionalError(location, "dimension ", dimension,
                             " is out of range for inputs of rank ", rank);
  SmallVector<SizeAndBound> dims(rank);
  dims[dimension].size = 0;
  for (auto [index, input] : llvm::enumerate(inputs)) {
    RankedTensorType type = getTensorType(input);
    // concatenate_c2, concatenate_c6
    if (type.getRank() != rank)
      return emitOptionalError(location, "input #", index, " has rank ",
                               type.getRank(), ", but input #0 has rank ",
                               rank);
    for (int64_t dim = 0; dim < rank; ++dim) {
      SizeAndBound size{type.getDimSize(dim), getBound(type, dim)};
      if (failed(dim == dimension ? addSizes(location, dims[dim], size)
                                  : mergeSizes(location, dim, dims[dim], size)))
        return failure();
    }
  }
  SmallVector<int64_t> shape, bounds;
  for (const SizeAndBound &dim : dims) {
    shape.push_back(dim.size);
    bounds.push_back(dim.bound);
  }
  // concatenate_c1, concatenate_c5
  inferred.push_back(RankedTensorType::get(shape, first.getElementType(),
                                           encodeBounds(context, bounds)));
  return success();
}

LogicalResult PadOp::inferReturnTypes(MLIRContext *context,
                                      std::optional<Location> location,
                                      Adaptor adaptor,
                                      SmallVectorImpl<Type> &inferred) {
  RankedTensorType operand = getTensorType(adaptor.getOperand());
  ArrayRef<int64_t> low = adaptor.getEdgePaddingLow();
  ArrayRef<int64_t> high = adaptor.getEdgePaddingHigh();
  ArrayRef<int64_t> interior = adaptor.getInteriorPadding();
  int64_t rank = operand.getRank();
  // pad_c2
  if (failed(verifyLength(location, "edge_padding_low", low.size(), rank)) ||
      failed(verifyLength(location, "edge_padding_high", high.size(), rank)) ||
      failed(verifyLength(location, "interior_padding", interior.size(), rank)))
    return failure();
  SmallVector<int64_t> shape, bounds;
  for (int64_t dim = 0; dim < rank; ++dim) {
    // pad_c3
    if (interior[dim] < 0)
      return emitOptionalError(location, "interior padding ", interior[dim],
                               " is negative in dimension ", dim);
    // pad_c4
    bool isDynamic = operand.isDynamicDim(dim);
    int64_t size = isDynamic ? getBound(operand, dim) : operand.getDimSize(dim);
    if (ShapedType::isStatic(size)) {
      std::optional<int64_t> padded =
          padSize(size, low[dim], high[dim], interior[dim]);
      if (!padded || *padded < 0)
        return emitOptionalError(
            location, "padding results in ", padded ? "negative" : "too large",
            isDynamic ? " bound" : " size", " for dimension ", dim);
      size = *padded;
    }
    shape.push_back(isDynamic ? ShapedType::kDynamic : size);
    bounds.push_back(isDynamic ? size : ShapedType::kDynamic);
  }
  // pad_c1
  inferred.push_back(RankedTensorType::get(shape, operand.getElementType(),
                                           encodeBounds(context, bounds)));
  return success();
}

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

/// Reports a number that is no dimension of the operand.
static LogicalResult verifyDimension(std::optional<Location> location,
                                     int64_t dimension, int64_t rank) {
  if (dimension >= 0 && dimension < rank)
    return success();
  return emitOptionalError(location,
                           "requires dimension attribute in range [0, ", rank,
                           "), got ", dimension);
}

LogicalResult GetDimensionSizeOp::inferReturnTypes(
    MLIRContext *context, std::optional<Location> location, Adaptor adaptor,
    SmallVectorImpl<Type> &inferred) {
  // get_dimension_size_c1
  RankedTensorType operand = getTensorType(adaptor.getOperand());
  if (failed(
          verifyDimension(location, adaptor.getDimension(), operand.getRank())))
    return failure();
  inferred.push_back(RankedTensorType::get({}, IntegerType::get(context, 32)));
  return success();
}

LogicalResult SetDimensionSizeOp::inferReturnTypes(
    MLIRContext *context, std::optional<Location> location, Adaptor adaptor,
    SmallVectorImpl<Type> &inferred) {
  RankedTensorType operand = getTensorType(adaptor.getOperand());
  int64_t dimension = adaptor.getDimension();
  // set_dimension_size_c1
  if (failed(verifyDimension(location, dimension, operand.getRank())))
    return failure();
  // set_dimension_size_c2
  if (getTensorType(adaptor.getSize()).getRank() != 0)
    return emitOptionalError(location, "requires size to have rank 0, got ",
                             adaptor.getSize().getType());
  // set_dimension_size_c3
  SmallVector<int64_t> shape(operand.getShape()), bounds;
  for (int64_t dim : llvm::seq<int64_t>(0, operand.getRank()))
    bounds.push_back(getBound(operand, dim));
  std::optional<SmallVector<int64_t>> size = getConstantInts(adaptor.getSize());
  // Setting a size to what it is leaves it static.
  if (ShapedType::isStatic(shape[dimension]) &&
      (!size || size->front() != shape[dimension])) {
    bounds[dimension] = shape[dimension];
    shape[dimension] = ShapedType::kDynamic;
  }
  inferred.push_back(RankedTensorType::get(shape, operand.getElementType(),
                                           encodeBounds(context, bounds)));
  return success();
}
