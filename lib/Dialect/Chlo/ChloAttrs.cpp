//===- ChloAttrs.cpp - Attributes of CHLO ---------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Dialect/Chlo/ChloOps.h"
#include "hetero/Dialect/Stablehlo/ContractionAssembly.h"
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

Attribute RaggedDotDimensionNumbersAttr::parse(AsmParser &parser, Type) {
  auto lists = stablehlo::parseDimLists(parser, raggedDotMembers);
  if (failed(lists))
    return {};
  ArrayRef<SmallVector<int64_t>> dims = *lists;
  return get(parser.getContext(), dims[0], dims[1], dims[2], dims[3], dims[4],
             dims[5]);
}

void RaggedDotDimensionNumbersAttr::print(AsmPrinter &printer) const {
  stablehlo::printDimLists(
      printer, raggedDotMembers,
      {getLhsBatchingDimensions(), getRhsBatchingDimensions(),
       getLhsContractingDimensions(), getRhsContractingDimensions(),
       getLhsRaggedDimensions(), getRhsGroupDimensions()});
}
