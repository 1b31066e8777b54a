//===- SdyAssembly.cpp - Text of the sdy attributes -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the declarative formats of SdyAttrs.td leave to C++. Error locations:
// the parser stands behind what it has read, so locations are taken before.

#include "hetero/Dialect/Sdy/Sdy.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::sdy;

//===----------------------------------------------------------------------===//
// Shardings
//===----------------------------------------------------------------------===//

/// mesh-or-ref ::= `mesh` mesh-body | symbol
static ParseResult parseMeshOrRef(AsmParser &parser, Attribute &meshOrRef) {
  if (succeeded(parser.parseOptionalKeyword("mesh"))) {
    FailureOr<MeshAttr> mesh = FieldParser<MeshAttr>::parse(parser);
    if (failed(mesh))
      return failure();
    meshOrRef = *mesh;
    return success();
  }
  FlatSymbolRefAttr symbol;
  if (parser.parseAttribute(symbol))
    return failure();
  meshOrRef = symbol;
  return success();
}

static void printMeshOrRef(AsmPrinter &printer, Attribute meshOrRef) {
  auto mesh = dyn_cast<MeshAttr>(meshOrRef);
  if (!mesh) {
    printer << meshOrRef;
    return;
  }
  printer << "mesh";
  printer.printStrippedAttrOrType(mesh);
}

/// Reads `={"a", "b"}`. The list is not empty.
static ParseResult parseAxisList(AsmParser &parser,
                                 SmallVector<AxisRefAttr> &axes) {
  if (parser.parseEqual() || parser.parseLBrace())
    return failure();
  FailureOr<SmallVector<AxisRefAttr>> parsed =
      FieldParser<SmallVector<AxisRefAttr>>::parse(parser);
  if (failed(parsed) || parser.parseRBrace())
    return failure();
  axes = std::move(*parsed);
  return success();
}

/// named-axis-lists ::= (`,` (`replicated` | `unreduced`) `=` `{` axes `}`)*
/// in either order, each at most once.
static ParseResult parseNamedAxisLists(AsmParser &parser,
                                       SmallVector<AxisRefAttr> &replicated,
                                       SmallVector<AxisRefAttr> &unreduced) {
  while (succeeded(parser.parseOptionalComma())) {
    SMLoc loc = parser.getCurrentLocation();
    StringRef keyword;
    if (parser.parseOptionalKeyword(&keyword, {"replicated", "unreduced"}))
      return parser.emitError(loc, "expected 'replicated' or 'unreduced'");
    SmallVector<AxisRefAttr> &axes =
        keyword == "replicated" ? replicated : unreduced;
    if (!axes.empty())
      return parser.emitError(loc, "'" + keyword + "' occurs twice");
    if (parseAxisList(parser, axes))
      return failure();
  }
  return success();
}

static void printAxisList(AsmPrinter &printer, StringRef keyword,
                          ArrayRef<AxisRefAttr> axes) {
  if (axes.empty())
    return;
  printer << ", " << keyword << "={";
  printer.printStrippedAttrOrType(axes);
  printer << "}";
}

static void printNamedAxisLists(AsmPrinter &printer,
                                ArrayRef<AxisRefAttr> replicated,
                                ArrayRef<AxisRefAttr> unreduced) {
  printAxisList(printer, "replicated", replicated);
  printAxisList(printer, "unreduced", unreduced);
}

/// Reads the optional priority `p` decimal, without leading zeros.
static ParseResult parsePriority(AsmParser &parser,
                                 std::optional<int64_t> &priority) {
  SMLoc loc = parser.getCurrentLocation();
  StringRef text;
  if (parser.parseOptionalKeyword(&text))
    return success();
  StringRef digits = text;
  if (!digits.consume_front("p") || digits.empty() ||
      !llvm::all_of(digits, llvm::isDigit))
    return parser.emitError(loc, "expected a priority 'p<number>', got '")
           << text << "'";
  if (digits.size() > 1 && digits.front() == '0')
    return parser.emitError(loc, "priority has leading zeros: '")
           << text << "'";
  int64_t value;
  if (digits.getAsInteger(10, value))
    return parser.emitError(loc, "priority does not fit in 64 bits: '")
           << text << "'";
  priority = value;
  return success();
}

/// dimension-sharding ::= `{` (axis (`,` axis)* (`,` `?`)? | `?`)? `}`
/// priority?
Attribute DimensionShardingAttr::parse(AsmParser &parser, Type) {
  if (parser.parseLBrace())
    return {};
  SmallVector<AxisRefAttr> axes;
  bool isClosed = true;
  if (failed(parser.parseOptionalRBrace())) {
    do {
      if (succeeded(parser.parseOptionalQuestion())) {
        isClosed = false;
        break;
      }
      auto axis = dyn_cast_or_null<AxisRefAttr>(AxisRefAttr::parse(parser, {}));
      if (!axis)
        return {};
      axes.push_back(axis);
    } while (succeeded(parser.parseOptionalComma()));
    if (parser.parseRBrace())
      return {};
  }
  std::optional<int64_t> priority;
  if (parsePriority(parser, priority))
    return {};
  return DimensionShardingAttr::get(parser.getContext(), axes, isClosed,
                                    priority);
}

void DimensionShardingAttr::print(AsmPrinter &printer) const {
  printer << "{";
  printer.printStrippedAttrOrType(getAxes());
  if (!getIsClosed())
    printer << (emptyAxes() ? "?" : ", ?");
  printer << "}";
  if (getPriority())
    printer << "p" << *getPriority();
}

//===----------------------------------------------------------------------===//
// Sharding rules
//===----------------------------------------------------------------------===//

/// Factors 0 to 17 are the letters from i to z, factor 17 + n is z_n.
static constexpr int64_t lastLetterFactor = 'z' - 'i';

std::string OpShardingRuleAttr::getFactorSymbol(int64_t index) {
  if (index >= 0 && index <= lastLetterFactor)
    return std::string(1, char('i' + index));
  return "z_" + std::to_string(index - lastLetterFactor);
}

/// Takes one symbol off the front of `symbols` and returns its factor.
static FailureOr<int64_t> parseFactor(AsmParser &parser, SMLoc loc,
                                      StringRef &symbols) {
  if (!symbols.consume_front("z_")) {
    char letter = symbols.front();
    if (letter < 'i' || letter > 'z')
      return parser.emitError(loc, "expected a factor from 'i' to 'z', got '")
             << StringRef(&letter, 1) << "'";
    symbols = symbols.drop_front();
    return int64_t(letter - 'i');
  }
  StringRef digits = symbols.take_while(llvm::isDigit);
  symbols = symbols.drop_front(digits.size());
  int64_t number;
  if (digits.empty() || digits.front() == '0' ||
      digits.getAsInteger(10, number) ||
      llvm::AddOverflow(number, lastLetterFactor, number))
    return parser.emitError(loc, "expected a positive number without leading "
                                 "zeros after 'z_', got '")
           << digits << "'";
  return number;
}

/// An absent mapping is read as one without factors, which the verifier
/// rejects where it matters.
Attribute DimMappingAttr::parse(AsmParser &parser, Type) {
  SMLoc loc = parser.getCurrentLocation();
  SmallVector<int64_t> factors;
  StringRef symbols;
  if (succeeded(parser.parseOptionalKeyword(&symbols))) {
    while (!symbols.empty()) {
      FailureOr<int64_t> factor = parseFactor(parser, loc, symbols);
      if (failed(factor))
        return {};
      factors.push_back(*factor);
    }
  }
  return DimMappingAttr::get(parser.getContext(), factors);
}

void DimMappingAttr::print(AsmPrinter &printer) const {
  for (int64_t factor : getFactorIndices())
    printer << OpShardingRuleAttr::getFactorSymbol(factor);
}

/// factor-sizes ::= (`{` (factor `=` integer (`,` factor `=` integer)*)? `}`)?
/// with the factors in order.
static ParseResult parseFactorSizes(AsmParser &parser,
                                    SmallVector<int64_t> &sizes) {
  return parser.parseCommaSeparatedList(
      AsmParser::Delimiter::OptionalBraces, [&]() -> ParseResult {
        SMLoc loc = parser.getCurrentLocation();
        StringRef symbol;
        int32_t size;
        if (parser.parseKeyword(&symbol) || parser.parseEqual() ||
            parser.parseInteger(size))
          return failure();
        std::string expected =
            OpShardingRuleAttr::getFactorSymbol(sizes.size());
        if (symbol != expected)
          return parser.emitError(loc, "expected factor '")
                 << expected << "', got '" << symbol << "'";
        sizes.push_back(size);
        return success();
      });
}

static void printFactorSizes(AsmPrinter &printer, ArrayRef<int64_t> sizes) {
  if (sizes.empty())
    return;
  printer << " {";
  int64_t index = 0;
  llvm::interleaveComma(sizes, printer, [&](int64_t size) {
    printer << OpShardingRuleAttr::getFactorSymbol(index++) << "=" << size;
  });
  printer << "}";
}

/// factors-of-kind ::= (kind `=` (`{` (factor (`,` factor)*)? `}`)?)?
static ParseResult parseFactorsOfKind(AsmParser &parser,
                                      SmallVector<int64_t> &factors,
                                      StringRef kind) {
  if (failed(parser.parseOptionalKeyword(kind)))
    return success();
  if (parser.parseEqual())
    return failure();
  return parser.parseCommaSeparatedList(
      AsmParser::Delimiter::OptionalBraces, [&]() -> ParseResult {
        SMLoc loc = parser.getCurrentLocation();
        StringRef symbol;
        if (parser.parseKeyword(&symbol))
          return failure();
        FailureOr<int64_t> factor = parseFactor(parser, loc, symbol);
        if (failed(factor))
          return failure();
        factors.push_back(*factor);
        return success();
      });
}

static void printFactorsOfKind(AsmPrinter &printer, ArrayRef<int64_t> factors,
                               StringRef kind) {
  if (factors.empty())
    return;
  printer << " " << kind << "={";
  llvm::interleaveComma(factors, printer, [&](int64_t factor) {
    printer << OpShardingRuleAttr::getFactorSymbol(factor);
  });
  printer << "}";
}

static ParseResult parseIsCustomRule(AsmParser &parser, bool &isCustom) {
  isCustom = succeeded(parser.parseOptionalComma());
  return isCustom ? parser.parseKeyword("custom") : ParseResult(success());
}

static void printIsCustomRule(AsmPrinter &printer, bool isCustom) {
  if (isCustom)
    printer << ", custom";
}

//===----------------------------------------------------------------------===//
// Propagation edges
//===----------------------------------------------------------------------===//

static ParseResult parseDashedIndex(AsmParser &parser, int64_t &index) {
  return failure(parser.parseMinus() || parser.parseInteger(index));
}

static void printDashedIndex(AsmPrinter &printer, int64_t index) {
  printer << "-" << index;
}

//===----------------------------------------------------------------------===//
// Generated code
//===----------------------------------------------------------------------===//

#include "hetero/Dialect/Sdy/SdyEnums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "hetero/Dialect/Sdy/SdyAttrs.cpp.inc"

void SdyDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "hetero/Dialect/Sdy/SdyAttrs.cpp.inc"
      >();
}
