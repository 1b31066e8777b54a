//===- KernelMemoryWalk.h - The buffers of a kernel -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How KernelMemory.h finds its answers: KernelMemory.cpp finds the buffers of a
// kernel and how long each is in use, KernelMemoryInPlace.cpp decides which
// results are computed in the memory of operands.

#ifndef HETERO_LIB_ANALYSIS_KERNELMEMORYWALK_H
#define HETERO_LIB_ANALYSIS_KERNELMEMORYWALK_H

#include "hetero/Analysis/KernelMemory.h"

namespace hetero {

class MemoryWalk {
public:
  MemoryWalk(const Kernel &kernel, const FusionPlan &plan,
             bool ownsOperands = false)
      : kernel(kernel), plan(plan), ownsOperands(ownsOperands) {}
  KernelMemory run(const llvm::SmallBitVector &lastUses);

private:
  /// The memory of an operand or of what an operation makes.
  struct Buffer {
    int64_t bytes = 0, first = -1, last = -1;
    enum Kind { Operand, Constant, Temporary, Result } kind = Temporary;
    /// It may be computed where a result is: one operation makes all of it.
    bool isDirect = false;
    /// What is in it at last.
    mlir::Value value;
  };

  mlir::Operation *getInlined(mlir::Value value, bool isLoop) const;
  void visit(mlir::Operation *op, int64_t at);
  void read(mlir::Operation *op, int64_t at);
  void make(mlir::Value value, int64_t at, bool isDirect);
  bool alias(mlir::Operation *op);
  void addCopies(mlir::Operation *op, int64_t at);
  void addCopies(mlir::stablehlo::ConvolutionOp op, int64_t at);
  void addCopy(uint64_t bytes, int64_t at, int64_t first = INT64_MAX);
  int64_t absorb(mlir::ValueRange parts);
  void addControl(mlir::Operation *op);
  int64_t getNestedBytes();
  void runOps();
  void placeResults();
  void findInPlace(const llvm::SmallBitVector &lastUses,
                   runtime::InPlaceList &pairs) const;
  bool readsElementwise(const Buffer &result, int64_t operand) const;
  int64_t find(mlir::Value value) const {
    auto it = bufferOf.find(value);
    return it == bufferOf.end() ? -1 : it->second;
  }

  const Kernel &kernel;
  const FusionPlan &plan;
  /// Operands may be changed: they are what a loop carries.
  const bool ownsOperands;
  std::vector<Buffer> buffers;
  llvm::DenseMap<mlir::Value, int64_t> bufferOf;
  /// What single operations take beside their results.
  llvm::SmallVector<PlacedBlock> blocks;
  /// By result: when it is first written.
  llvm::SmallVector<int64_t> written;
  /// Bytes of what is not in the block of temporaries, and the most of them.
  int64_t unplanned = 0, mostUnplanned = 0;
};

} // namespace hetero

#endif // HETERO_LIB_ANALYSIS_KERNELMEMORYWALK_H
