//===- ContractionAssembly.h - Assembly of dots and convolutions -*- C++ --===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The parse/print pairs behind `custom<...>` in StablehloContractionOps.td, and
// those of dimension numbers.

#ifndef HETERO_DIALECT_STABLEHLO_CONTRACTIONASSEMBLY_H
#define HETERO_DIALECT_STABLEHLO_CONTRACTIONASSEMBLY_H

#include "hetero/Dialect/Stablehlo/StablehloOps.h"
#include "mlir/IR/OpImplementation.h"

namespace mlir::stablehlo {

/// `<lhs_batching_dimensions = [0], ..>`: lists of dimensions with their names,
/// in any order; a trailing comma is accepted. Empty lists are left out, and so
/// is the number `index_vector_dim` at the end when it is 0.
FailureOr<SmallVector<SmallVector<int64_t>>>
parseDimLists(AsmParser &parser, ArrayRef<StringLiteral> names);
void printDimLists(AsmPrinter &printer, ArrayRef<StringLiteral> names,
                   ArrayRef<ArrayRef<int64_t>> lists,
                   int64_t indexVectorDim = 0);

/// `batching_dims = [0] x [0], contracting_dims = [2] x [1]`; the batching
/// dimensions are left out when there are none.
void printDotDimensionNumbers(OpAsmPrinter &printer, Operation *,
                              DotDimensionNumbersAttr numbers);
ParseResult parseDotDimensionNumbers(OpAsmParser &parser,
                                     DotDimensionNumbersAttr &numbers);

/// `, precision = [DEFAULT, HIGHEST]`, or nothing.
void printPrecisionConfig(OpAsmPrinter &printer, Operation *,
                          ArrayAttr precision);
ParseResult parsePrecisionConfig(OpAsmParser &parser, ArrayAttr &precision);

/// The same, followed by `, algorithm = <...>` or nothing.
void printPrecisionConfigAndAlgorithm(OpAsmPrinter &printer, Operation *,
                                      ArrayAttr precision,
                                      DotAlgorithmAttr algorithm);
ParseResult parsePrecisionConfigAndAlgorithm(OpAsmParser &parser,
                                             ArrayAttr &precision,
                                             DotAlgorithmAttr &algorithm);

/// `[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]`.
void printConvolutionDimensions(OpAsmPrinter &printer, Operation *,
                                ConvDimensionNumbersAttr numbers);
ParseResult parseConvolutionDimensions(OpAsmParser &parser,
                                       ConvDimensionNumbersAttr &numbers);

/// `stride = [1, 1], pad = [[0, 1], [0, 1]], lhs_dilate = [1, 1],
/// rhs_dilate = [1, 1], reverse = [false, false]`, without those that are
/// absent. Read in any order.
void printWindowAttributes(OpAsmPrinter &printer, Operation *,
                           DenseI64ArrayAttr strides,
                           DenseIntElementsAttr padding,
                           DenseI64ArrayAttr lhsDilation,
                           DenseI64ArrayAttr rhsDilation,
                           DenseBoolArrayAttr reversal);
ParseResult parseWindowAttributes(OpAsmParser &parser,
                                  DenseI64ArrayAttr &strides,
                                  DenseIntElementsAttr &padding,
                                  DenseI64ArrayAttr &lhsDilation,
                                  DenseI64ArrayAttr &rhsDilation,
                                  DenseBoolArrayAttr &reversal);

} // namespace mlir::stablehlo

#endif // HETERO_DIALECT_STABLEHLO_CONTRACTIONASSEMBLY_H
