//===- StablehloAttrs.cpp - Attributes of StableHLO -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Dialect/Stablehlo/ContractionAssembly.h"
#include "hetero/Dialect/Stablehlo/StablehloOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::stablehlo;

namespace mlir::stablehlo {
/// `[0, 2]`, with `?` for a dimension that is not known.
static FailureOr<SmallVector<int64_t>>
parseDimList(AsmParser &parser,
             AsmParser::Delimiter delimiter = AsmParser::Delimiter::Square) {
  SmallVector<int64_t> dims;
  auto parseDim = [&]() -> ParseResult {
    if (succeeded(parser.parseOptionalQuestion())) {
      dims.push_back(ShapedType::kDynamic);
      return success();
    }
    return parser.parseInteger(dims.emplace_back());
  };
  if (failed(parser.parseCommaSeparatedList(delimiter, parseDim)))
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

FailureOr<SmallVector<SmallVector<int64_t>>>
stablehlo::parseDimLists(AsmParser &parser, ArrayRef<StringLiteral> names) {
  SmallVector<Member> members = llvm::map_to_vector(names, Member::list);
  if (parser.parseLess() || parseMembers(parser, members))
    return failure();
  return llvm::map_to_vector(members,
                             [](const Member &member) { return member.dims; });
}

void stablehlo::printDimLists(AsmPrinter &printer,
                              ArrayRef<StringLiteral> names,
                              ArrayRef<ArrayRef<int64_t>> lists,
                              int64_t indexVectorDim) {
  printer << "<";
  MemberPrinter members(printer);
  for (auto [name, dims] : llvm::zip_equal(names, lists))
    members.print(name, dims);
  members.print(kIndexVectorDim, indexVectorDim);
  printer << ">";
}

Attribute DotDimensionNumbersAttr::parse(AsmParser &parser, Type) {
  auto lists = parseDimLists(parser, kDotLists);
  if (failed(lists))
    return {};
  return get(parser.getContext(), (*lists)[0], (*lists)[1], (*lists)[2],
             (*lists)[3]);
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
/// are, and what they are called in the short and in the raw form.
struct ConvSide {
  char firstName, secondName;
  StringRef rawFirstName, rawSecondName, rawSpatialName;
  int64_t first = 0, second = 0;
  SmallVector<int64_t> spatial = {};
};

/// Input, kernel and output.
using ConvSides = std::array<ConvSide, 3>;
} // namespace

static ConvSides getConvSides() {
  return {ConvSide{'b', 'f', "input_batch_dimension", "input_feature_dimension",
                   "input_spatial_dimensions"},
          ConvSide{'i', 'o', "kernel_input_feature_dimension",
                   "kernel_output_feature_dimension",
                   "kernel_spatial_dimensions"},
          ConvSide{'b', 'f', "output_batch_dimension",
                   "output_feature_dimension", "output_spatial_dimensions"}};
}

static ConvSides getConvSides(ConvDimensionNumbersAttr numbers) {
  ConvSides sides = getConvSides();
  auto &[input, kernel, output] = sides;
  input.first = numbers.getInputBatchDimension();
  input.second = numbers.getInputFeatureDimension();
  input.spatial = llvm::to_vector(numbers.getInputSpatialDimensions());
  kernel.first = numbers.getKernelInputFeatureDimension();
  kernel.second = numbers.getKernelOutputFeatureDimension();
  kernel.spatial = llvm::to_vector(numbers.getKernelSpatialDimensions());
  output.first = numbers.getOutputBatchDimension();
  output.second = numbers.getOutputFeatureDimension();
  output.spatial = llvm::to_vector(numbers.getOutputSpatialDimensions());
  return sides;
}

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

/// Reads the next entry of a side into its place, which is -1 before that.
static ParseResult parseConvEntry(AsmParser &parser, ConvSide &side,
                                  int64_t position) {
  SMLoc loc = parser.getCurrentLocation();
  int64_t number;
  OptionalParseResult isNumber = parser.parseOptionalInteger(number);
  if (isNumber.has_value()) {
    // A side has at most as many spatial dimensions as a tensor can have.
    if (failed(*isNumber) || number < 0 || number > 64)
      return parser.emitError(loc) << "invalid spatial dimension " << number;
    if (number >= int64_t(side.spatial.size()))
      side.spatial.resize(number + 1, -1);
    if (side.spatial[number] != -1)
      return parser.emitError(loc)
             << "duplicate entry for spatial dimension " << number;
    side.spatial[number] = position;
    return success();
  }
  StringRef name;
  if (parser.parseKeyword(&name))
    return failure();
  auto assign = [&](char expected, int64_t &place) {
    if (place != -1 || name != StringRef(&expected, 1))
      return false;
    place = position;
    return true;
  };
  if (assign(side.firstName, side.first) ||
      assign(side.secondName, side.second))
    return success();
  return parser.emitError(loc) << "unexpected dimension " << name;
}

static ParseResult parseConvSide(AsmParser &parser, ConvSide &side) {
  SMLoc loc = parser.getCurrentLocation();
  side.first = side.second = -1;
  int64_t position = 0;
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
        return parseConvEntry(parser, side, position++);
      }))
    return failure();
  if (side.first == -1 || side.second == -1)
    return parser.emitError(loc) << "expected dimensions " << side.firstName
                                 << " and " << side.secondName;
  for (auto [i, p] : llvm::enumerate(side.spatial))
    if (p == -1)
      return parser.emitError(loc)
             << "expected spatial dimension " << i << " not specified";
  return success();
}

static ConvDimensionNumbersAttr buildConv(MLIRContext *context,
                                          const ConvSides &sides) {
  const auto &[input, kernel, output] = sides;
  return ConvDimensionNumbersAttr::get(
      context, input.first, input.second, input.spatial, kernel.first,
      kernel.second, kernel.spatial, output.first, output.second,
      output.spatial);
}

namespace mlir::stablehlo {
FailureOr<ConvDimensionNumbersAttr>
parseConvDimensionNumbers(AsmParser &parser) {
  ConvSides sides = getConvSides();
  // `]x[` lexes as the keyword `x` here, as nothing may follow it directly.
  if (parseConvSide(parser, sides[0]) || parser.parseKeyword("x") ||
      parseConvSide(parser, sides[1]) || parser.parseArrow() ||
      parseConvSide(parser, sides[2]))
    return failure();
  return buildConv(parser.getContext(), sides);
}

bool printConvDimensionNumbers(AsmPrinter &printer,
                               ConvDimensionNumbersAttr numbers) {
  SmallVector<std::string> texts;
  for (const ConvSide &side : getConvSides(numbers)) {
    std::optional<SmallVector<std::string>> names = listPositions(side);
    if (!names)
      return false;
    texts.push_back("[" + llvm::join(*names, ", ") + "]");
  }
  printer << texts[0] << "x" << texts[1] << "->" << texts[2];
  return true;
}
} // namespace mlir::stablehlo

static Attribute parseRawConv(AsmParser &parser) {
  ConvSides sides = getConvSides();
  SmallVector<Member> members;
  for (const ConvSide &side : sides)
    members.append({Member::scalar(side.rawFirstName),
                    Member::scalar(side.rawSecondName),
                    Member::list(side.rawSpatialName)});
  if (parseMembers(parser, members))
    return {};
  for (auto [i, side] : llvm::enumerate(sides)) {
    side.first = members[3 * i].number;
    side.second = members[3 * i + 1].number;
    side.spatial = members[3 * i + 2].dims;
  }
  return buildConv(parser.getContext(), sides);
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
    for (const ConvSide &side : getConvSides(*this)) {
      members.print(side.rawFirstName, side.first);
      members.print(side.rawSecondName, side.second);
      members.print(side.rawSpatialName, side.spatial);
    }
  }
  printer << ">";
}

//===----------------------------------------------------------------------===//
// Bounds
//===----------------------------------------------------------------------===//

Attribute TypeExtensionsAttr::parse(AsmParser &parser, Type) {
  FailureOr<SmallVector<int64_t>> bounds =
      parseDimList(parser, AsmParser::Delimiter::LessGreater);
  if (failed(bounds))
    return {};
  return get(parser.getContext(), *bounds);
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
