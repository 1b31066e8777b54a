//===- StablehloOps.h - The StableHLO dialect -------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Dialect, types, attributes and ops. Other layers include hetero/Dialect/
// Stablehlo.h instead, which is this or the header of StableHLO's own library.

#ifndef HETERO_DIALECT_STABLEHLO_STABLEHLOOPS_H
#define HETERO_DIALECT_STABLEHLO_STABLEHLOOPS_H

#include "hetero/Dialect/Stablehlo/StablehloTraits.h"
#include "mlir/Bytecode/BytecodeImplementation.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Quant/IR/Quant.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/IR/TensorEncoding.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include <array>

namespace mlir::stablehlo {

/// The version of the encoding of types and attributes in bytecode.
class StablehloDialectVersion : public DialectVersion {
public:
  StablehloDialectVersion(int64_t major, int64_t minor, int64_t patch)
      : numbers{major, minor, patch} {}

  static StablehloDialectVersion getCurrentVersion() { return {1, 0, 0}; }

  int64_t getMajor() const { return numbers[0]; }
  int64_t getMinor() const { return numbers[1]; }
  int64_t getPatch() const { return numbers[2]; }

  bool operator<(const StablehloDialectVersion &other) const {
    return numbers < other.numbers;
  }

private:
  std::array<int64_t, 3> numbers;
};

} // namespace mlir::stablehlo

#include "hetero/Dialect/Stablehlo/StablehloDialect.h.inc"

#include "hetero/Dialect/Stablehlo/StablehloEnums.h.inc"

#define GET_TYPEDEF_CLASSES
#include "hetero/Dialect/Stablehlo/StablehloTypes.h.inc"

#define GET_ATTRDEF_CLASSES
#include "hetero/Dialect/Stablehlo/StablehloAttrs.h.inc"

namespace mlir::stablehlo {

/// The accuracy attribute of a mode that has no tolerances.
ResultAccuracyAttr getResultAccuracy(MLIRContext *context,
                                     ResultAccuracyMode mode);

/// `[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]`. Printing returns false, having
/// printed nothing, when the numbers are no permutation.
FailureOr<ConvDimensionNumbersAttr>
parseConvDimensionNumbers(AsmParser &parser);
bool printConvDimensionNumbers(AsmPrinter &printer,
                               ConvDimensionNumbersAttr numbers);

} // namespace mlir::stablehlo

// The control ops come first: they have the terminator of the others' regions.
#define GET_OP_CLASSES
#include "hetero/Dialect/Stablehlo/StablehloControlOps.h.inc"

#define GET_OP_CLASSES
#include "hetero/Dialect/Stablehlo/StablehloCollectiveOps.h.inc"
#define GET_OP_CLASSES
#include "hetero/Dialect/Stablehlo/StablehloContractionOps.h.inc"
#define GET_OP_CLASSES
#include "hetero/Dialect/Stablehlo/StablehloDynamicOps.h.inc"
#define GET_OP_CLASSES
#include "hetero/Dialect/Stablehlo/StablehloElementwiseOps.h.inc"
#define GET_OP_CLASSES
#include "hetero/Dialect/Stablehlo/StablehloReductionOps.h.inc"
#define GET_OP_CLASSES
#include "hetero/Dialect/Stablehlo/StablehloShapeOps.h.inc"

#endif // HETERO_DIALECT_STABLEHLO_STABLEHLOOPS_H
