//===- ChloAttrs.cpp - Attributes of CHLO ---------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Dialect/Chlo/ChloOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::chlo;

#define GET_ATTRDEF_CLASSES
#include "hetero/Dialect/Chlo/ChloAttrs.cpp.inc"

void ChloDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "hetero/Dialect/Chlo/ChloAttrs.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// Dimension numbers of ragged_dot
//===----------------------------------------------------------------------===//

static constexpr StringLiteral raggedDotMembers[] = {
    "lhs_batching_dimensions",    "rhs_batching_dimensions",
    "lhs_contracting_dimensions", "rhs_contracting_dimensions",
    "lhs_ragged_dimensions",      "rhs_group_dimensions"};
static constexpr size_t numRaggedDotMembers = std::size(raggedDotMembers);

/// `[0, 2]`; `?` stands for a number that is not known, which no op accepts.
static ParseResult parseDims(AsmParser &parser,
                             SmallVectorImpl<int64_t> &dims) {
  return parser.parseCommaSeparatedList(
      AsmParser::Delimiter::Square, [&]() -> ParseResult {
        if (succeeded(parser.parseOptionalQuestion())) {
          dims.push_back(ShapedType::kDynamic);
          return success();
        }
        return parser.parseInteger(dims.emplace_back());
      });
}

/// One `name = [..]`, any of the members that has not been seen.
static ParseResult
parseRaggedDotMember(AsmParser &parser,
                     std::optional<SmallVector<int64_t>> *values) {
  SMLoc loc = parser.getCurrentLocation();
  for (size_t i = 0; i != numRaggedDotMembers; ++i) {
    if (failed(parser.parseOptionalKeyword(raggedDotMembers[i])))
      continue;
    if (values[i])
      return parser.emitError(loc)
             << "duplicated `" << raggedDotMembers[i] << "` entry";
    values[i].emplace();
    return failure(parser.parseEqual() || parseDims(parser, *values[i]));
  }
  InFlightDiagnostic diag = parser.emitError(loc) << "expected one of: ";
  llvm::interleaveComma(raggedDotMembers, diag,
                        [&](StringRef name) { diag << "`" << name << "`"; });
  return diag;
}

Attribute RaggedDotDimensionNumbersAttr::parse(AsmParser &parser, Type) {
  std::optional<SmallVector<int64_t>> values[numRaggedDotMembers];
  if (parser.parseLess())
    return {};
  // A trailing comma is accepted.
  while (failed(parser.parseOptionalGreater())) {
    if (parseRaggedDotMember(parser, values))
      return {};
    if (succeeded(parser.parseOptionalComma()))
      continue;
    if (parser.parseGreater())
      return {};
    break;
  }
  auto get = [&](size_t i) {
    return values[i].value_or(SmallVector<int64_t>());
  };
  return RaggedDotDimensionNumbersAttr::get(parser.getContext(), get(0), get(1),
                                            get(2), get(3), get(4), get(5));
}

void RaggedDotDimensionNumbersAttr::print(AsmPrinter &printer) const {
  ArrayRef<int64_t> values[numRaggedDotMembers] = {
      getLhsBatchingDimensions(),    getRhsBatchingDimensions(),
      getLhsContractingDimensions(), getRhsContractingDimensions(),
      getLhsRaggedDimensions(),      getRhsGroupDimensions()};
  printer << "<";
  StringRef separator;
  for (auto [name, dims] : llvm::zip(raggedDotMembers, values)) {
    if (dims.empty())
      continue;
    printer << separator << name << " = [";
    llvm::interleaveComma(dims, printer);
    printer << "]";
    separator = ", ";
  }
  printer << ">";
}
