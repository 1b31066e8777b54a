//===- AsmDirectives.h - Spellings shared by attributes and ops -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parsers and printers for the parts of the syntax that appear in more than
// one attribute or operation.

#ifndef HETERO_LIB_DIALECT_HETERO_ASMDIRECTIVES_H
#define HETERO_LIB_DIALECT_HETERO_ASMDIRECTIVES_H

#include "hetero/Dialect/Hetero/HeteroAttrs.h"
#include "mlir/IR/OpImplementation.h"

namespace hetero {

/// The most entries that a list in the text may expand to.
constexpr int64_t maxListLength = int64_t(1) << 20;

//===----------------------------------------------------------------------===//
// Amounts: 40 GiB
//===----------------------------------------------------------------------===//

mlir::ParseResult parseAmount(mlir::AsmParser &parser, int64_t &value,
                              Dimension dimension);
void printAmount(mlir::AsmPrinter &printer, int64_t value, Dimension dimension);

/// The same for a quantity attribute of an operation.
template <typename QuantityAttr>
mlir::ParseResult parseQuantity(mlir::OpAsmParser &parser,
                                QuantityAttr &attribute) {
  int64_t value = 0;
  if (parseAmount(parser, value, QuantityAttr::dimension))
    return mlir::failure();
  attribute = QuantityAttr::get(parser.getContext(), value);
  return mlir::success();
}

template <typename QuantityAttr>
void printQuantity(mlir::OpAsmPrinter &printer, mlir::Operation *,
                   QuantityAttr attribute) {
  printAmount(printer, attribute.getValue(), QuantityAttr::dimension);
}

//===----------------------------------------------------------------------===//
// Lists of sizes: [13, 3 x 16], and of ranks: [0 to 7, 9]
//===----------------------------------------------------------------------===//

mlir::ParseResult parseSizeList(mlir::AsmParser &parser,
                                llvm::SmallVectorImpl<int64_t> &sizes);
void printSizeList(mlir::AsmPrinter &printer, llvm::ArrayRef<int64_t> sizes);

mlir::ParseResult parseRankList(mlir::AsmParser &parser,
                                llvm::SmallVectorImpl<int64_t> &ranks);
void printRankList(mlir::AsmPrinter &printer, llvm::ArrayRef<int64_t> ranks);

mlir::ParseResult parseSizes(mlir::OpAsmParser &parser,
                             mlir::DenseI64ArrayAttr &sizes);
void printSizes(mlir::OpAsmPrinter &printer, mlir::Operation *,
                mlir::DenseI64ArrayAttr sizes);

mlir::ParseResult parseRanks(mlir::OpAsmParser &parser,
                             mlir::DenseI64ArrayAttr &ranks);
void printRanks(mlir::OpAsmPrinter &printer, mlir::Operation *,
                mlir::DenseI64ArrayAttr ranks);

//===----------------------------------------------------------------------===//
// Axes: (data, tensor); nothing for all axes
//===----------------------------------------------------------------------===//

mlir::ParseResult parseAxes(mlir::OpAsmParser &parser, mlir::ArrayAttr &axes);
void printAxes(mlir::OpAsmPrinter &printer, mlir::Operation *,
               mlir::ArrayAttr axes);

//===----------------------------------------------------------------------===//
// Splits: 0 outer 3 inner 64 : [8, 4]
//===----------------------------------------------------------------------===//

/// Reads `word N` into `number`, or nothing.
mlir::ParseResult parseOptionalNumber(mlir::AsmParser &parser,
                                      llvm::StringRef word, int64_t &number);

/// Reads `D outer O inner U`, where outer and inner are optional.
mlir::ParseResult parseSplitForm(mlir::AsmParser &parser, int64_t &dim,
                                 int64_t &outer, int64_t &inner);
void printSplitForm(mlir::AsmPrinter &printer, int64_t dim, int64_t outer,
                    int64_t inner);

mlir::ParseResult parseSplit(mlir::AsmParser &parser, SplitAttr &split);
void printSplit(mlir::AsmPrinter &printer, SplitAttr split);
inline void printSplit(mlir::OpAsmPrinter &printer, mlir::Operation *,
                       SplitAttr split) {
  printSplit(printer, split);
}

//===----------------------------------------------------------------------===//
// Instructions: send_activation 3 to 1
//===----------------------------------------------------------------------===//

/// Reads an instruction without its brackets; null after an error.
InstructionAttr parseInstruction(mlir::AsmParser &parser);
void printInstruction(mlir::AsmPrinter &printer, InstructionAttr instruction);

} // namespace hetero

#endif // HETERO_LIB_DIALECT_HETERO_ASMDIRECTIVES_H
