//===- StablehloAttrs.cpp - Attributes of StableHLO -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Dialect/Stablehlo/StablehloOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::stablehlo;

namespace mlir::stablehlo {
/// `[0, 2]`, with `?` for a dimension that is not known.
static FailureOr<SmallVector<int64_t>> parseDimList(AsmParser &parser) {
  SmallVector<int64_t> dims;
  auto parseDim = [&]() -> ParseResult {
    if (succeeded(parser.parseOptionalQuestion())) {
      dims.push_back(ShapedType::kDynamic);
      return success();
    }
    return parser.parseInteger(dims.emplace_back());
  };
  if (failed(parser.parseCommaSeparatedList(AsmParser::Delimiter::Square,
                                            parseDim)))
    return failure();
  return dims;
}

static void printDims(AsmPrinter &printer, ArrayRef<int64_t> dims) {
  llvm::interleaveComma(dims, printer, [&](int64_t dim) {
    if (ShapedType::isDynamic(dim))
      printer << "?";
    else
      printer << dim;
  });
}

static void printDimList(AsmPrinter &printer, ArrayRef<int64_t> dims) {
  printer << "[";
  printDims(printer, dims);
  printer << "]";
}
} // namespace mlir::stablehlo

#define GET_ATTRDEF_CLASSES
#include "hetero/Dialect/Stablehlo/StablehloAttrs.cpp.inc"

void StablehloDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "hetero/Dialect/Stablehlo/StablehloAttrs.cpp.inc"
      >();
}

/// `#stablehlo.type_extensions<bounds = [3, ?]>`, the older spelling of bounds.
static Attribute parseTypeExtensions(AsmParser &parser) {
  if (parser.parseLess() || parser.parseKeyword("bounds") ||
      parser.parseEqual())
    return {};
  FailureOr<SmallVector<int64_t>> bounds = parseDimList(parser);
  if (failed(bounds) || parser.parseGreater())
    return {};
  return TypeExtensionsAttr::get(parser.getContext(), *bounds);
}

Attribute StablehloDialect::parseAttribute(DialectAsmParser &parser,
                                           Type type) const {
  SMLoc loc = parser.getCurrentLocation();
  StringRef mnemonic;
  Attribute attr;
  OptionalParseResult result =
      generatedAttributeParser(parser, &mnemonic, type, attr);
  if (result.has_value())
    return attr;
  if (mnemonic == "type_extensions")
    return parseTypeExtensions(parser);
  parser.emitError(loc) << "unknown StableHLO attribute '" << mnemonic << "'";
  return {};
}

void StablehloDialect::printAttribute(Attribute attr,
                                      DialectAsmPrinter &printer) const {
  (void)generatedAttributePrinter(attr, printer);
}

//===----------------------------------------------------------------------===//
// Members in any order: dot, gather, scatter, and conv's raw form
//===----------------------------------------------------------------------===//

namespace {
/// One `name = value` of an attribute: a list of dimensions or one number.
struct Member {
  StringRef name;
  SmallVector<int64_t> dims = {};
  int64_t number = 0;
  bool isList = true;
  bool seen = false;

  static Member list(StringRef name) { return {name}; }
  static Member scalar(StringRef name) {
    Member member = {name};
    member.isList = false;
    return member;
  }
};
} // namespace

static ParseResult parseMember(AsmParser &parser,
                               MutableArrayRef<Member> members) {
  SMLoc loc = parser.getCurrentLocation();
  for (Member &member : members) {
    if (failed(parser.parseOptionalKeyword(member.name)))
      continue;
    if (member.seen)
      return parser.emitError(loc)
             << "duplicated `" << member.name << "` entry";
    member.seen = true;
    if (parser.parseEqual())
      return failure();
    if (!member.isList)
      return parser.parseInteger(member.number);
    FailureOr<SmallVector<int64_t>> dims = parseDimList(parser);
    if (failed(dims))
      return failure();
    member.dims = *dims;
    return success();
  }
  InFlightDiagnostic diag = parser.emitError(loc) << "expected one of: ";
  llvm::interleaveComma(members, diag, [&](const Member &member) {
    diag << "`" << member.name << "`";
  });
  return diag;
}

/// Parses members up to and including `>`. A trailing comma is accepted.
static ParseResult parseMembers(AsmParser &parser,
                                MutableArrayRef<Member> members) {
  while (failed(parser.parseOptionalGreater())) {
    if (parseMember(parser, members))
      return failure();
    if (failed(parser.parseOptionalComma()))
      return parser.parseGreater();
  }
  return success();
}

namespace {
/// Prints members with commas between them, skipping the empty and the zero.
class MemberPrinter {
public:
  explicit MemberPrinter(AsmPrinter &printer, bool all = false)
      : printer(printer), all(all) {}

  void print(StringRef name, ArrayRef<int64_t> dims) {
    if (dims.empty() && !all)
      return;
    begin(name);
    printer << "[";
    llvm::interleaveComma(dims, printer);
    printer << "]";
  }
  void print(StringRef name, int64_t number) {
    if (number == 0 && !all)
      return;
    begin(name);
    printer << number;
  }

private:
  void begin(StringRef name) {
    if (!first)
      printer << ", ";
    first = false;
    printer << name << " = ";
  }

  AsmPrinter &printer;
  bool all;
  bool first = true;
};
} // namespace

/// The lists of an attribute in the order of its parameters.
static constexpr StringLiteral kDotLists[] = {
    "lhs_batching_dimensions", "rhs_batching_dimensions",
    "lhs_contracting_dimensions", "rhs_contracting_dimensions"};
static constexpr StringLiteral kGatherLists[] = {
    "offset_dims", "collapsed_slice_dims", "operand_batching_dims",
    "start_indices_batching_dims", "start_index_map"};
static constexpr StringLiteral kScatterLists[] = {
    "update_window_dims", "inserted_window_dims", "input_batching_dims",
    "scatter_indices_batching_dims", "scatter_dims_to_operand_dims"};
/// The number that comes after those of gather and scatter.
static constexpr StringLiteral kIndexVectorDim = "index_vector_dim";

/// Parses `<` lists `, index_vector_dim = N>` into gather's or scatter's.
template <typename AttrT>
static Attribute parseIndexedDims(AsmParser &parser,
                                  ArrayRef<StringLiteral> lists) {
  SmallVector<Member> members = llvm::map_to_vector(lists, Member::list);
  members.push_back(Member::scalar(kIndexVectorDim));
  if (parser.parseLess() || parseMembers(parser, members))
    return {};
  return AttrT::get(parser.getContext(), members[0].dims, members[1].dims,
                    members[2].dims, members[3].dims, members[4].dims,
                    members[5].number);
}

/// Prints `<` lists `>` with the number, when there is one, at the end.
static void printDimLists(AsmPrinter &printer, ArrayRef<StringLiteral> names,
                          ArrayRef<ArrayRef<int64_t>> lists,
                          int64_t indexVectorDim = 0) {
  printer << "<";
  MemberPrinter members(printer);
  for (auto [name, dims] : llvm::zip_equal(names, lists))
    members.print(name, dims);
  members.print(kIndexVectorDim, indexVectorDim);
  printer << ">";
}

Attribute DotDimensionNumbersAttr::parse(AsmParser &parser, Type) {
  SmallVector<Member> members = llvm::map_to_vector(kDotLists, Member::list);
  if (parser.parseLess() || parseMembers(parser, members))
    return {};
  return get(parser.getContext(), members[0].dims, members[1].dims,
             members[2].dims, members[3].dims);
}

void DotDimensionNumbersAttr::print(AsmPrinter &printer) const {
  printDimLists(printer, kDotLists,
                {getLhsBatchingDimensions(), getRhsBatchingDimensions(),
                 getLhsContractingDimensions(), getRhsContractingDimensions()});
}

Attribute GatherDimensionNumbersAttr::parse(AsmParser &parser, Type) {
  return parseIndexedDims<GatherDimensionNumbersAttr>(parser, kGatherLists);
}

void GatherDimensionNumbersAttr::print(AsmPrinter &printer) const {
  printDimLists(printer, kGatherLists,
                {getOffsetDims(), getCollapsedSliceDims(),
                 getOperandBatchingDims(), getStartIndicesBatchingDims(),
                 getStartIndexMap()},
                getIndexVectorDim());
}

Attribute ScatterDimensionNumbersAttr::parse(AsmParser &parser, Type) {
  return parseIndexedDims<ScatterDimensionNumbersAttr>(parser, kScatterLists);
}

void ScatterDimensionNumbersAttr::print(AsmPrinter &printer) const {
  printDimLists(printer, kScatterLists,
                {getUpdateWindowDims(), getInsertedWindowDims(),
                 getInputBatchingDims(), getScatterIndicesBatchingDims(),
                 getScatterDimsToOperandDims()},
                getIndexVectorDim());
}

//===----------------------------------------------------------------------===//
// Convolution dimensions: [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]
//===----------------------------------------------------------------------===//

namespace {
/// One side of a convolution: where its two named and its spatial dimensions
/// are.
struct ConvSide {
  char firstName, secondName;
  int64_t first = 0, second = 0;
  SmallVector<int64_t> spatial = {};
};
} // namespace

/// Lists what stands at each position; nothing unless it is a permutation.
static std::optional<SmallVector<std::string>>
listPositions(const ConvSide &side) {
  SmallVector<std::string> names(side.spatial.size() + 2);
  auto put = [&](int64_t position, std::string name) {
    if (position < 0 || position >= int64_t(names.size()) ||
        !names[position].empty())
      return false;
    names[position] = std::move(name);
    return true;
  };
  if (!put(side.first, std::string(1, side.firstName)) ||
      !put(side.second, std::string(1, side.secondName)))
    return std::nullopt;
  for (auto [i, position] : llvm::enumerate(side.spatial))
    if (!put(position, std::to_string(i)))
      return std::nullopt;
  return names;
}

/// Reads the next entry of a side into its place.
static ParseResult parseConvEntry(AsmParser &parser, ConvSide &side,
                                  int64_t position, bool &sawFirst,
                                  bool &sawSecond,
                                  SmallVectorImpl<int64_t> &spatial) {
  SMLoc loc = parser.getCurrentLocation();
  int64_t number;
  OptionalParseResult isNumber = parser.parseOptionalInteger(number);
  if (isNumber.has_value()) {
    // A side has at most as many spatial dimensions as a tensor can have.
    if (failed(*isNumber) || number < 0 || number > 64)
      return parser.emitError(loc) << "invalid spatial dimension " << number;
    if (number >= int64_t(spatial.size()))
      spatial.resize(number + 1, -1);
    if (spatial[number] != -1)
      return parser.emitError(loc)
             << "duplicate entry for spatial dimension " << number;
    spatial[number] = position;
    return success();
  }
  StringRef name;
  if (parser.parseKeyword(&name))
    return failure();
  auto assign = [&](char expected, int64_t &slot, bool &saw) {
    if (saw || name != StringRef(&expected, 1))
      return false;
    slot = position;
    return saw = true;
  };
  if (assign(side.firstName, side.first, sawFirst) ||
      assign(side.secondName, side.second, sawSecond))
    return success();
  return parser.emitError(loc) << "unexpected dimension " << name;
}

static ParseResult parseConvSide(AsmParser &parser, ConvSide &side) {
  SMLoc loc = parser.getCurrentLocation();
  bool sawFirst = false, sawSecond = false;
  int64_t position = 0;
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
        return parseConvEntry(parser, side, position++, sawFirst, sawSecond,
                              side.spatial);
      }))
    return failure();
  if (!sawFirst || !sawSecond)
    return parser.emitError(loc) << "expected dimensions " << side.firstName
                                 << " and " << side.secondName;
  for (auto [i, p] : llvm::enumerate(side.spatial))
    if (p == -1)
      return parser.emitError(loc)
             << "expected spatial dimension " << i << " not specified";
  return success();
}

static ConvSide getInputSide() { return {'b', 'f'}; }
static ConvSide getKernelSide() { return {'i', 'o'}; }

static ConvDimensionNumbersAttr buildConv(MLIRContext *context,
                                          const ConvSide &input,
                                          const ConvSide &kernel,
                                          const ConvSide &output) {
  return ConvDimensionNumbersAttr::get(
      context, input.first, input.second, input.spatial, kernel.first,
      kernel.second, kernel.spatial, output.first, output.second,
      output.spatial);
}

namespace mlir::stablehlo {
FailureOr<ConvDimensionNumbersAttr>
parseConvDimensionNumbers(AsmParser &parser) {
  ConvSide input = getInputSide(), kernel = getKernelSide(),
           output = getInputSide();
  // `]x[` lexes as the keyword `x` here, as nothing may follow it directly.
  if (parseConvSide(parser, input) || parser.parseKeyword("x") ||
      parseConvSide(parser, kernel) || parser.parseArrow() ||
      parseConvSide(parser, output))
    return failure();
  return buildConv(parser.getContext(), input, kernel, output);
}

bool printConvDimensionNumbers(AsmPrinter &printer,
                               ConvDimensionNumbersAttr numbers) {
  ConvSide input = getInputSide(), kernel = getKernelSide(),
           output = getInputSide();
  input.first = numbers.getInputBatchDimension();
  input.second = numbers.getInputFeatureDimension();
  input.spatial = llvm::to_vector(numbers.getInputSpatialDimensions());
  kernel.first = numbers.getKernelInputFeatureDimension();
  kernel.second = numbers.getKernelOutputFeatureDimension();
  kernel.spatial = llvm::to_vector(numbers.getKernelSpatialDimensions());
  output.first = numbers.getOutputBatchDimension();
  output.second = numbers.getOutputFeatureDimension();
  output.spatial = llvm::to_vector(numbers.getOutputSpatialDimensions());
  auto inputs = listPositions(input), kernels = listPositions(kernel),
       outputs = listPositions(output);
  if (!inputs || !kernels || !outputs)
    return false;
  auto printSide = [&](ArrayRef<std::string> names) {
    printer << "[" << llvm::join(names, ", ") << "]";
  };
  printSide(*inputs);
  printer << "x";
  printSide(*kernels);
  printer << "->";
  printSide(*outputs);
  return true;
}
} // namespace mlir::stablehlo

static Attribute parseRawConv(AsmParser &parser) {
  Member members[] = {Member::scalar("input_batch_dimension"),
                      Member::scalar("input_feature_dimension"),
                      Member::list("input_spatial_dimensions"),
                      Member::scalar("kernel_input_feature_dimension"),
                      Member::scalar("kernel_output_feature_dimension"),
                      Member::list("kernel_spatial_dimensions"),
                      Member::scalar("output_batch_dimension"),
                      Member::scalar("output_feature_dimension"),
                      Member::list("output_spatial_dimensions")};
  if (parseMembers(parser, members))
    return {};
  return ConvDimensionNumbersAttr::get(
      parser.getContext(), members[0].number, members[1].number,
      members[2].dims, members[3].number, members[4].number, members[5].dims,
      members[6].number, members[7].number, members[8].dims);
}

Attribute ConvDimensionNumbersAttr::parse(AsmParser &parser, Type) {
  if (parser.parseLess())
    return {};
  if (succeeded(parser.parseOptionalKeyword("raw")))
    return parseRawConv(parser);
  FailureOr<ConvDimensionNumbersAttr> numbers =
      parseConvDimensionNumbers(parser);
  if (failed(numbers) || parser.parseGreater())
    return {};
  return *numbers;
}

void ConvDimensionNumbersAttr::print(AsmPrinter &printer) const {
  printer << "<";
  if (!printConvDimensionNumbers(printer, *this)) {
    printer << "raw ";
    MemberPrinter members(printer, /*all=*/true);
    members.print("input_batch_dimension", getInputBatchDimension());
    members.print("input_feature_dimension", getInputFeatureDimension());
    members.print("input_spatial_dimensions", getInputSpatialDimensions());
    members.print("kernel_input_feature_dimension",
                  getKernelInputFeatureDimension());
    members.print("kernel_output_feature_dimension",
                  getKernelOutputFeatureDimension());
    members.print("kernel_spatial_dimensions", getKernelSpatialDimensions());
    members.print("output_batch_dimension", getOutputBatchDimension());
    members.print("output_feature_dimension", getOutputFeatureDimension());
    members.print("output_spatial_dimensions", getOutputSpatialDimensions());
  }
  printer << ">";
}

//===----------------------------------------------------------------------===//
// Bounds
//===----------------------------------------------------------------------===//

Attribute TypeExtensionsAttr::parse(AsmParser &parser, Type) {
  SmallVector<int64_t> bounds;
  auto parseBound = [&]() -> ParseResult {
    if (succeeded(parser.parseOptionalQuestion())) {
      bounds.push_back(ShapedType::kDynamic);
      return success();
    }
    return parser.parseInteger(bounds.emplace_back());
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::LessGreater,
                                     parseBound))
    return {};
  return get(parser.getContext(), bounds);
}

void TypeExtensionsAttr::print(AsmPrinter &printer) const {
  printer << "<";
  printDims(printer, getBounds());
  printer << ">";
}

LogicalResult TypeExtensionsAttr::verifyEncoding(
    ArrayRef<int64_t> shape, Type,
    function_ref<InFlightDiagnostic()> emitError) const {
  ArrayRef<int64_t> bounds = getBounds();
  if (bounds.size() != shape.size())
    return emitError() << "bounds length is " << bounds.size()
                       << ", expected to be equal to rank(" << shape.size()
                       << ") of the tensor";
  for (auto [dim, pair] : llvm::enumerate(llvm::zip(shape, bounds)))
    if (ShapedType::isStatic(std::get<0>(pair)) &&
        ShapedType::isStatic(std::get<1>(pair)))
      return emitError() << "static dimension " << dim
                         << " cannot have a bound, use `?` to indicate none";
  return success();
}

//===----------------------------------------------------------------------===//
// Accuracy and algorithm
//===----------------------------------------------------------------------===//

ResultAccuracyAttr stablehlo::getResultAccuracy(MLIRContext *context,
                                                ResultAccuracyMode mode) {
  return ResultAccuracyAttr::get(context, APFloat(0.0), APFloat(0.0), 0,
                                 ResultAccuracyModeAttr::get(context, mode));
}

Attribute ResultAccuracyAttr::parse(AsmParser &parser, Type) {
  double atol = 0.0, rtol = 0.0;
  int64_t ulps = 0;
  ResultAccuracyModeAttr mode;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseLess())
    return {};
  if (succeeded(parser.parseOptionalKeyword("atol")) &&
      (parser.parseEqual() || parser.parseFloat(atol) || parser.parseComma()))
    return {};
  if (succeeded(parser.parseOptionalKeyword("rtol")) &&
      (parser.parseEqual() || parser.parseFloat(rtol) || parser.parseComma()))
    return {};
  if (succeeded(parser.parseOptionalKeyword("ulps")) &&
      (parser.parseEqual() || parser.parseInteger(ulps) || parser.parseComma()))
    return {};
  if (parser.parseKeyword("mode") || parser.parseEqual() ||
      parser.parseAttribute(mode) || parser.parseGreater())
    return {};
  return getChecked([&] { return parser.emitError(loc); }, parser.getContext(),
                    APFloat(atol), APFloat(rtol), ulps, mode);
}

void ResultAccuracyAttr::print(AsmPrinter &printer) const {
  printer << "<";
  if (!getAtol().isZero()) {
    printer << "atol = ";
    printer.printFloat(getAtol());
    printer << ", ";
  }
  if (!getRtol().isZero()) {
    printer << "rtol = ";
    printer.printFloat(getRtol());
    printer << ", ";
  }
  if (getUlps() != 0)
    printer << "ulps = " << getUlps() << ", ";
  printer << "mode = " << getMode() << ">";
}

LogicalResult
ResultAccuracyAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                           APFloat atol, APFloat rtol, int64_t ulps,
                           ResultAccuracyModeAttr mode) {
  if (atol.isNegative() || rtol.isNegative() || ulps < 0)
    return emitError() << "expected tolerances that are not negative";
  bool hasTolerance = !atol.isZero() || !rtol.isZero() || ulps != 0;
  if (hasTolerance && mode.getValue() != ResultAccuracyMode::TOLERANCE)
    return emitError() << "tolerances need the mode TOLERANCE, got "
                       << stringifyResultAccuracyMode(mode.getValue());
  return success();
}

/// Whether some hardware multiplies in this way.
static bool isKnownDotAlgorithm(Type lhs, Type rhs, Type accumulation,
                                int64_t numOperations, bool imprecise) {
  auto isF8 = llvm::IsaPred<Float8E3M4Type, Float8E4M3Type, Float8E4M3FNType,
                            Float8E4M3FNUZType, Float8E4M3B11FNUZType,
                            Float8E5M2Type, Float8E5M2FNUZType>;
  if (isF8(lhs) && isF8(rhs))
    return accumulation.isF32() && numOperations == 1;
  if (lhs != rhs || imprecise)
    return false;
  if (lhs.isBF16() && accumulation.isF32())
    return llvm::is_contained({1, 3, 6, 9}, numOperations);
  if (lhs.isTF32())
    return accumulation.isF32() && (numOperations == 1 || numOperations == 3);
  if (numOperations != 1)
    return false;
  if (lhs.isF16())
    return accumulation.isF16() || accumulation.isF32();
  return lhs == accumulation && (lhs.isBF16() || lhs.isF32() || lhs.isF64());
}

LogicalResult DotAlgorithmAttr::verify(
    function_ref<InFlightDiagnostic()> emitError, Type lhsPrecisionType,
    Type rhsPrecisionType, Type accumulationType, int64_t lhsComponentCount,
    int64_t rhsComponentCount, int64_t numPrimitiveOperations,
    bool allowImpreciseAccumulation) {
  // dot_general_c22
  if (lhsComponentCount < 1)
    return emitError() << "lhs component count must be positive, got "
                       << lhsComponentCount;
  // dot_general_c23
  if (rhsComponentCount < 1)
    return emitError() << "rhs component count must be positive, got "
                       << rhsComponentCount;
  // dot_general_c24
  if (numPrimitiveOperations < 1)
    return emitError() << "num primitive operations must be positive, got "
                       << numPrimitiveOperations;
  // dot_general_i8, dot_general_i9, dot_general_i10
  if (lhsComponentCount != 1 || rhsComponentCount != 1 ||
      !isKnownDotAlgorithm(lhsPrecisionType, rhsPrecisionType, accumulationType,
                           numPrimitiveOperations, allowImpreciseAccumulation))
    return emitError()
           << "dot algorithm not known to be supported on any hardware: {lhs:"
           << lhsPrecisionType << ", rhs:" << rhsPrecisionType
           << ", accum:" << accumulationType
           << ", lhs_components:" << lhsComponentCount
           << ", rhs_components:" << rhsComponentCount
           << ", primitive_ops:" << numPrimitiveOperations
           << ", imprecise:" << allowImpreciseAccumulation << "}";
  return success();
}
