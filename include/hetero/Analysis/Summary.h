//===- Summary.h - What a step consists of ----------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counts for people, and for a first look before planning: operations, floating
// point operations, bytes, and the arguments by role.
//
//   @main: 596 operations, 1.23 GFLOP, 40.1 MiB of results
//   parameter            6 tensors        890 elements    3.5 KiB
//   ...
//
// A contraction of M x K with K x N counts 2 M N K operations, an element-wise
// or reducing op one for each element, data movement none. The body of a loop
// counts as often as it is known to run, and once where that is not known;
// of branches the dearest counts.

#ifndef HETERO_ANALYSIS_SUMMARY_H
#define HETERO_ANALYSIS_SUMMARY_H

#include "hetero/Dialect/Hetero/HeteroAttrs.h"
#include "mlir/Support/LLVM.h"
#include "llvm/ADT/MapVector.h"
#include <string>

namespace mlir {
class ModuleOp;
class Operation;
class Type;
namespace func {
class FuncOp;
} // namespace func
} // namespace mlir

namespace hetero {

/// Saturating counts, so that no input overflows them.
struct OpWork {
  uint64_t flops = 0;
  uint64_t bytes = 0; // Of operands and results, as if nothing were fused.

  OpWork &operator+=(const OpWork &other);
  OpWork operator*(uint64_t times) const;
};

/// The work of one operation, with all that its regions do.
OpWork getWork(mlir::Operation *op);

/// The bytes of operands and results of the largest operation in the regions of
/// `op`: what has to be there for it at one time.
uint64_t getInnerBytes(mlir::Operation *op);

/// The number of elements and of bytes of a type; 0 for dynamic shapes, tokens
/// and the like. Elements of less than a byte are counted as stored, in bytes.
uint64_t getNumElements(mlir::Type type);
uint64_t getNumBytes(mlir::Type type);

struct StepSummary {
  struct Group {
    uint64_t tensors = 0, elements = 0, bytes = 0;
  };
  struct OpCount {
    uint64_t count = 0;
    OpWork work;
  };

  std::string name;
  uint64_t numOps = 0;
  uint64_t unknownLoops = 0; // Loops whose trip count is not known.
  OpWork work;
  // By name, the most frequent first.
  llvm::SmallVector<std::pair<std::string, OpCount>> ops;
  // By role as it is written, `none` where there is no role.
  llvm::MapVector<llvm::StringRef, Group> arguments, results;
};

StepSummary summarize(mlir::func::FuncOp step);

/// Prints the summaries of a module's functions as a table or as one JSON
/// object.
void printSummary(mlir::ModuleOp module, llvm::raw_ostream &os);
void printSummaryAsJSON(mlir::ModuleOp module, llvm::raw_ostream &os);

} // namespace hetero

#endif // HETERO_ANALYSIS_SUMMARY_H
