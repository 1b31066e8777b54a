//===- AsmDirectives.cpp - Spellings shared by attributes and ops ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "AsmDirectives.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace hetero;

//===----------------------------------------------------------------------===//
// Amounts
//===----------------------------------------------------------------------===//

/// Reads an integer or a decimal number and returns how it is spelled: going
/// through a double would lose digits that the attribute can hold.
static ParseResult parseNumber(AsmParser &parser, std::string &spelling) {
  SMLoc loc = parser.getCurrentLocation();
  APInt integer;
  OptionalParseResult isInteger = parser.parseOptionalInteger(integer);
  if (isInteger.has_value()) {
    if (failed(*isInteger))
      return failure();
    spelling = llvm::toString(integer, 10, /*Signed=*/true);
    return success();
  }
  double ignored;
  if (parser.parseFloat(ignored))
    return failure();
  StringRef text(loc.getPointer(),
                 parser.getCurrentLocation().getPointer() - loc.getPointer());
  spelling = text.take_while([](char c) {
                   return llvm::isDigit(c) || StringRef(".eE+-").contains(c);
                 })
                 .str();
  return success();
}

ParseResult hetero::parseAmount(AsmParser &parser, int64_t &value,
                                Dimension dimension) {
  SMLoc loc = parser.getCurrentLocation();
  std::string number, unit;
  if (parseNumber(parser, number))
    return failure();
  StringRef word;
  if (dimension != Dimension::Share &&
      succeeded(parser.parseOptionalKeyword(&word)))
    unit = word.str();
  if (dimension != Dimension::Share && succeeded(parser.parseOptionalSlash())) {
    if (parser.parseKeyword(&word))
      return failure();
    unit += "/" + word.str();
  }
  llvm::Expected<int64_t> read = readQuantity(dimension, number, unit);
  if (!read)
    return parser.emitError(loc)
           << "quantity_c1: " << llvm::toString(read.takeError());
  value = *read;
  return success();
}

void hetero::printAmount(AsmPrinter &printer, int64_t value,
                         Dimension dimension) {
  printer << writeQuantity(dimension, value);
}

//===----------------------------------------------------------------------===//
// Lists
//===----------------------------------------------------------------------===//

/// Appends `count` numbers from `first` on, `step` apart.
static ParseResult appendRun(AsmParser &parser, SMLoc loc, int64_t count,
                             int64_t first, int64_t step,
                             SmallVectorImpl<int64_t> &list) {
  int64_t room = maxListLength - static_cast<int64_t>(list.size());
  if (count < 0 || count > room)
    return parser.emitError(loc)
           << "a run of " << count << " entries; a list has 0 to "
           << maxListLength;
  for (int64_t i = 0; i < count; ++i)
    list.push_back(first + i * step);
  return success();
}

ParseResult hetero::parseSizeList(AsmParser &parser,
                                  SmallVectorImpl<int64_t> &sizes) {
  return parser.parseCommaSeparatedList(
      AsmParser::Delimiter::Square, [&]() -> ParseResult {
        SMLoc loc = parser.getCurrentLocation();
        int64_t size, count = 1;
        if (parser.parseInteger(size))
          return failure();
        if (succeeded(parser.parseOptionalKeyword("x"))) {
          count = size;
          if (parser.parseInteger(size))
            return failure();
        }
        return appendRun(parser, loc, count, size, /*step=*/0, sizes);
      });
}

ParseResult hetero::parseRankList(AsmParser &parser,
                                  SmallVectorImpl<int64_t> &ranks) {
  return parser.parseCommaSeparatedList(
      AsmParser::Delimiter::Square, [&]() -> ParseResult {
        SMLoc loc = parser.getCurrentLocation();
        int64_t first;
        if (parser.parseInteger(first))
          return failure();
        int64_t last = first;
        if (succeeded(parser.parseOptionalKeyword("to")) &&
            parser.parseInteger(last))
          return failure();
        if (first < 0)
          return parser.emitError(loc)
                 << first << " is not the number of a rank; the first is 0";
        if (last < first)
          return parser.emitError(loc) << "'" << first << " to " << last
                                       << "' is not a range of ranks";
        // Both are non-negative, so the difference does not overflow.
        int64_t count =
            last - first < maxListLength ? last - first + 1 : maxListLength + 1;
        return appendRun(parser, loc, count, first, /*step=*/1, ranks);
      });
}

/// Calls `print(begin, end)` for each maximal run in which neighbours differ by
/// `step`; runs of at most four are given one by one.
static void printRuns(AsmPrinter &printer, ArrayRef<int64_t> list, int64_t step,
                      function_ref<void(size_t begin, size_t end)> print) {
  printer << '[';
  for (size_t begin = 0, end; begin < list.size(); begin = end) {
    end = begin + 1;
    // Nothing comes after the largest number.
    while (end < list.size() && list[end] >= step &&
           list[end] - step == list[end - 1])
      ++end;
    if (end - begin <= 4)
      end = begin + 1;
    if (begin != 0)
      printer << ", ";
    print(begin, end);
  }
  printer << ']';
}

void hetero::printSizeList(AsmPrinter &printer, ArrayRef<int64_t> sizes) {
  printRuns(printer, sizes, /*step=*/0, [&](size_t begin, size_t end) {
    if (end - begin > 1)
      printer << end - begin << " x ";
    printer << sizes[begin];
  });
}

void hetero::printRankList(AsmPrinter &printer, ArrayRef<int64_t> ranks) {
  printRuns(printer, ranks, /*step=*/1, [&](size_t begin, size_t end) {
    printer << ranks[begin];
    if (end - begin > 1)
      printer << " to " << ranks[end - 1];
  });
}

ParseResult hetero::parseSizes(OpAsmParser &parser, DenseI64ArrayAttr &sizes) {
  SmallVector<int64_t> list;
  if (parseSizeList(parser, list))
    return failure();
  sizes = parser.getBuilder().getDenseI64ArrayAttr(list);
  return success();
}

void hetero::printSizes(OpAsmPrinter &printer, Operation *,
                        DenseI64ArrayAttr sizes) {
  printSizeList(printer, sizes);
}

ParseResult hetero::parseRanks(OpAsmParser &parser, DenseI64ArrayAttr &ranks) {
  SmallVector<int64_t> list;
  if (parseRankList(parser, list))
    return failure();
  ranks = parser.getBuilder().getDenseI64ArrayAttr(list);
  return success();
}

void hetero::printRanks(OpAsmPrinter &printer, Operation *,
                        DenseI64ArrayAttr ranks) {
  printRankList(printer, ranks);
}

//===----------------------------------------------------------------------===//
// Axes
//===----------------------------------------------------------------------===//

ParseResult hetero::parseAxes(OpAsmParser &parser, ArrayAttr &axes) {
  SmallVector<Attribute> names;
  if (parser.parseCommaSeparatedList(
          AsmParser::Delimiter::OptionalParen, [&]() -> ParseResult {
            StringRef name;
            if (parser.parseKeyword(&name))
              return failure();
            names.push_back(parser.getBuilder().getStringAttr(name));
            return success();
          }))
    return failure();
  axes = parser.getBuilder().getArrayAttr(names);
  return success();
}

void hetero::printAxes(OpAsmPrinter &printer, Operation *, ArrayAttr axes) {
  if (axes.empty())
    return;
  printer << '(';
  llvm::interleaveComma(axes.getAsRange<StringAttr>(), printer,
                        [&](StringAttr axis) { printer << axis.getValue(); });
  printer << ')';
}

//===----------------------------------------------------------------------===//
// Splits
//===----------------------------------------------------------------------===//

ParseResult hetero::parseOptionalNumber(AsmParser &parser, StringRef word,
                                        int64_t &number) {
  return succeeded(parser.parseOptionalKeyword(word))
             ? parser.parseInteger(number)
             : ParseResult(success());
}

ParseResult hetero::parseSplitForm(AsmParser &parser, int64_t &dim,
                                   int64_t &outer, int64_t &inner) {
  outer = inner = 1;
  return failure(parser.parseInteger(dim) ||
                 parseOptionalNumber(parser, "outer", outer) ||
                 parseOptionalNumber(parser, "inner", inner));
}

void hetero::printSplitForm(AsmPrinter &printer, int64_t dim, int64_t outer,
                            int64_t inner) {
  printer << dim;
  if (outer != 1)
    printer << " outer " << outer;
  if (inner != 1)
    printer << " inner " << inner;
}

ParseResult hetero::parseSplit(AsmParser &parser, SplitAttr &split) {
  SMLoc loc = parser.getCurrentLocation();
  int64_t dim, outer, inner;
  SmallVector<int64_t> sizes;
  if (parseSplitForm(parser, dim, outer, inner) || parser.parseColon())
    return failure();
  if (failed(parser.parseOptionalKeyword("batch"))) {
    SMLoc sizesLoc = parser.getCurrentLocation();
    if (parseSizeList(parser, sizes))
      return failure();
    if (sizes.empty())
      return parser.emitError(sizesLoc)
             << "expected the sizes of at least one member";
  }
  split = parser.getChecked<SplitAttr>(loc, parser.getContext(), dim, outer,
                                       inner, ArrayRef(sizes));
  return success(split != nullptr);
}

void hetero::printSplit(AsmPrinter &printer, SplitAttr split) {
  printSplitForm(printer, split.getDim(), split.getOuter(), split.getInner());
  printer << " : ";
  if (split.isBatch())
    printer << "batch";
  else
    printSizeList(printer, split.getSizes());
}
