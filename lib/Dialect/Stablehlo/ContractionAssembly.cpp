//===- ContractionAssembly.cpp - Assembly of dots and convolutions --------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Dialect/Stablehlo/ContractionAssembly.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"

using namespace mlir;
using namespace mlir::stablehlo;

static ParseResult parseIntegers(OpAsmParser &parser,
                                 SmallVectorImpl<int64_t> &integers) {
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
    return parser.parseInteger(integers.emplace_back());
  });
}

static void printIntegers(OpAsmPrinter &printer, ArrayRef<int64_t> integers) {
  printer << '[';
  llvm::interleaveComma(integers, printer);
  printer << ']';
}

//===----------------------------------------------------------------------===//
// Dots
//===----------------------------------------------------------------------===//

/// `= [0] x [0]`.
static ParseResult parseDimPair(OpAsmParser &parser,
                                SmallVectorImpl<int64_t> &lhs,
                                SmallVectorImpl<int64_t> &rhs) {
  return failure(parser.parseEqual() || parseIntegers(parser, lhs) ||
                 parser.parseKeyword("x") || parseIntegers(parser, rhs));
}

static void printDimPair(OpAsmPrinter &printer, StringRef name,
                         ArrayRef<int64_t> lhs, ArrayRef<int64_t> rhs) {
  printer << name << " = ";
  printIntegers(printer, lhs);
  printer << " x ";
  printIntegers(printer, rhs);
}

void stablehlo::printDotDimensionNumbers(OpAsmPrinter &printer, Operation *,
                                         DotDimensionNumbersAttr numbers) {
  ArrayRef<int64_t> lhs = numbers.getLhsBatchingDimensions();
  ArrayRef<int64_t> rhs = numbers.getRhsBatchingDimensions();
  if (!lhs.empty() || !rhs.empty()) {
    printDimPair(printer, "batching_dims", lhs, rhs);
    printer << ", ";
  }
  printDimPair(printer, "contracting_dims",
               numbers.getLhsContractingDimensions(),
               numbers.getRhsContractingDimensions());
}

ParseResult
stablehlo::parseDotDimensionNumbers(OpAsmParser &parser,
                                    DotDimensionNumbersAttr &numbers) {
  SmallVector<int64_t> lhsBatching, rhsBatching, lhsContracting, rhsContracting;
  if (succeeded(parser.parseOptionalKeyword("batching_dims")) &&
      (parseDimPair(parser, lhsBatching, rhsBatching) || parser.parseComma()))
    return failure();
  if (parser.parseKeyword("contracting_dims") ||
      parseDimPair(parser, lhsContracting, rhsContracting))
    return failure();
  numbers =
      DotDimensionNumbersAttr::get(parser.getContext(), lhsBatching,
                                   rhsBatching, lhsContracting, rhsContracting);
  return success();
}

/// `= [DEFAULT, HIGHEST]`.
static ParseResult parsePrecisions(OpAsmParser &parser, ArrayAttr &precision) {
  SmallVector<Attribute> members;
  auto parseMember = [&]() -> ParseResult {
    FailureOr<Precision> value = FieldParser<Precision>::parse(parser);
    if (failed(value))
      return failure();
    members.push_back(PrecisionAttr::get(parser.getContext(), *value));
    return success();
  };
  if (parser.parseEqual() ||
      parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseMember))
    return failure();
  precision = parser.getBuilder().getArrayAttr(members);
  return success();
}

void stablehlo::printPrecisionConfig(OpAsmPrinter &printer, Operation *,
                                     ArrayAttr precision) {
  if (!precision)
    return;
  printer << ", precision = [";
  llvm::interleaveComma(precision, printer, [&](Attribute member) {
    if (auto attr = dyn_cast<PrecisionAttr>(member))
      printer << stringifyPrecision(attr.getValue());
    else
      printer << member;
  });
  printer << ']';
}

ParseResult stablehlo::parsePrecisionConfig(OpAsmParser &parser,
                                            ArrayAttr &precision) {
  if (failed(parser.parseOptionalComma()))
    return success();
  return failure(parser.parseKeyword("precision") ||
                 parsePrecisions(parser, precision));
}

void stablehlo::printPrecisionConfigAndAlgorithm(OpAsmPrinter &printer,
                                                 Operation *op,
                                                 ArrayAttr precision,
                                                 DotAlgorithmAttr algorithm) {
  printPrecisionConfig(printer, op, precision);
  if (!algorithm)
    return;
  printer << ", algorithm = ";
  printer.printStrippedAttrOrType(algorithm);
}

ParseResult stablehlo::parsePrecisionConfigAndAlgorithm(
    OpAsmParser &parser, ArrayAttr &precision, DotAlgorithmAttr &algorithm) {
  if (failed(parser.parseOptionalComma()))
    return success();
  if (succeeded(parser.parseOptionalKeyword("precision"))) {
    if (parsePrecisions(parser, precision))
      return failure();
    if (failed(parser.parseOptionalComma()))
      return success();
  }
  return failure(parser.parseKeyword("algorithm") || parser.parseEqual() ||
                 parser.parseCustomAttributeWithFallback(algorithm));
}

//===----------------------------------------------------------------------===//
// Convolutions
//===----------------------------------------------------------------------===//

void stablehlo::printConvolutionDimensions(OpAsmPrinter &printer, Operation *,
                                           ConvDimensionNumbersAttr numbers) {
  // The verifier rejects numbers that are no permutation.
  if (!printConvDimensionNumbers(printer, numbers))
    printer << numbers;
}

ParseResult
stablehlo::parseConvolutionDimensions(OpAsmParser &parser,
                                      ConvDimensionNumbersAttr &numbers) {
  FailureOr<ConvDimensionNumbersAttr> parsed =
      parseConvDimensionNumbers(parser);
  if (failed(parsed))
    return failure();
  numbers = *parsed;
  return success();
}

static ParseResult parseList(OpAsmParser &parser, DenseI64ArrayAttr &list) {
  SmallVector<int64_t> integers;
  if (parseIntegers(parser, integers))
    return failure();
  list = parser.getBuilder().getDenseI64ArrayAttr(integers);
  return success();
}

/// `[false, true]`, also `[0, 1]`.
static ParseResult parseList(OpAsmParser &parser, DenseBoolArrayAttr &list) {
  SmallVector<bool> flags;
  auto parseFlag = [&]() -> ParseResult {
    SMLoc loc = parser.getCurrentLocation();
    int64_t value;
    if (succeeded(parser.parseOptionalKeyword("false")))
      value = 0;
    else if (succeeded(parser.parseOptionalKeyword("true")))
      value = 1;
    else if (parser.parseInteger(value))
      return failure();
    if (value != 0 && value != 1)
      return parser.emitError(loc)
             << "expected true, false, 1 or 0, got " << value;
    flags.push_back(value);
    return success();
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseFlag))
    return failure();
  list = parser.getBuilder().getDenseBoolArrayAttr(flags);
  return success();
}

/// `[[0, 1], [2, 3]]`.
static ParseResult parseList(OpAsmParser &parser, DenseIntElementsAttr &list) {
  SmallVector<int64_t> numbers;
  auto parsePair = [&]() -> ParseResult {
    SMLoc loc = parser.getCurrentLocation();
    SmallVector<int64_t> pair;
    if (parseIntegers(parser, pair))
      return failure();
    if (pair.size() != 2)
      return parser.emitError(loc) << "expected array with 2 elements, got "
                                   << pair.size() << " elements instead";
    llvm::append_range(numbers, pair);
    return success();
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parsePair))
    return failure();
  int64_t shape[] = {int64_t(numbers.size() / 2), 2};
  auto type = RankedTensorType::get(shape, parser.getBuilder().getI64Type());
  list = DenseIntElementsAttr::get(type, numbers);
  return success();
}

/// Reads `name = list` into `list` if the keyword is `name`. Returns whether
/// there was an error; `matched` says if the name was this one.
template <typename AttrT>
static ParseResult parseWindowMember(OpAsmParser &parser, StringRef name,
                                     AttrT &list, bool &matched) {
  if (matched)
    return success();
  SMLoc loc = parser.getCurrentLocation();
  if (failed(parser.parseOptionalKeyword(name)))
    return success();
  matched = true;
  if (list)
    return parser.emitError(loc) << "duplicated `" << name << "` entry";
  return failure(parser.parseEqual() || parseList(parser, list));
}

ParseResult stablehlo::parseWindowAttributes(OpAsmParser &parser,
                                             DenseI64ArrayAttr &strides,
                                             DenseIntElementsAttr &padding,
                                             DenseI64ArrayAttr &lhsDilation,
                                             DenseI64ArrayAttr &rhsDilation,
                                             DenseBoolArrayAttr &reversal) {
  while (true) {
    bool matched = false;
    if (parseWindowMember(parser, "stride", strides, matched) ||
        parseWindowMember(parser, "pad", padding, matched) ||
        parseWindowMember(parser, "lhs_dilate", lhsDilation, matched) ||
        parseWindowMember(parser, "rhs_dilate", rhsDilation, matched) ||
        parseWindowMember(parser, "reverse", reversal, matched))
      return failure();
    // A comma may end the list; what else there is, the caller's `}` rejects.
    if (!matched || failed(parser.parseOptionalComma()))
      return success();
  }
}

static void printPadding(OpAsmPrinter &printer, DenseIntElementsAttr padding) {
  SmallVector<int64_t> numbers;
  // The verifier rejects other shapes.
  if (padding.getType().getRank() == 2 && padding.getType().getDimSize(1) == 2)
    numbers = llvm::to_vector(padding.getValues<int64_t>());
  printer << '[';
  llvm::interleaveComma(
      llvm::seq<size_t>(0, numbers.size() / 2), printer, [&](size_t i) {
        printIntegers(printer, ArrayRef(numbers).slice(2 * i, 2));
      });
  printer << ']';
}

void stablehlo::printWindowAttributes(OpAsmPrinter &printer, Operation *,
                                      DenseI64ArrayAttr strides,
                                      DenseIntElementsAttr padding,
                                      DenseI64ArrayAttr lhsDilation,
                                      DenseI64ArrayAttr rhsDilation,
                                      DenseBoolArrayAttr reversal) {
  bool first = true;
  auto begin = [&](StringRef name) {
    printer << (first ? "" : ", ") << name << " = ";
    first = false;
  };
  auto printArray = [&](StringRef name, DenseI64ArrayAttr list) {
    if (!list)
      return;
    begin(name);
    printIntegers(printer, list);
  };
  printArray("stride", strides);
  if (padding) {
    begin("pad");
    printPadding(printer, padding);
  }
  printArray("lhs_dilate", lhsDilation);
  printArray("rhs_dilate", rhsDilation);
  if (reversal) {
    begin("reverse");
    printer << '[';
    llvm::interleaveComma(reversal.asArrayRef(), printer, [&](bool flag) {
      printer << (flag ? "true" : "false");
    });
    printer << ']';
  }
}
