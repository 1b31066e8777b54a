//===- UnitTable.h - Units that ranks share ---------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef HETERO_LIB_TRANSFORMS_PARTITION_UNITTABLE_H
#define HETERO_LIB_TRANSFORMS_PARTITION_UNITTABLE_H

#include "EmitRankPrograms.h"

namespace hetero::partition {

/// Unit functions, made when they are first called. Members with equal shapes
/// share one.
class UnitTable {
public:
  UnitTable(mlir::ModuleOp module, const StepLayout &layout,
            const Traffic &traffic)
      : module(module), layout(layout), traffic(traffic) {
    numberValues();
  }

  mlir::FailureOr<const UnitFunction *> get(const UnitKey &key,
                                            const Member &member);
  /// Says on each function which ranks run it, and on what.
  void setPrograms();
  /// Values of the step by number: its arguments, then the results of its
  /// operations.
  mlir::DenseI64ArrayAttr getNumbers(mlir::ValueRange values) const;

private:
  struct Entry {
    UnitFunction unit;
    int64_t stage;
    UnitKey key;
    llvm::SmallSetVector<int64_t, 4> ranks;
  };
  void numberValues();
  std::string getName(const UnitKey &key, int64_t stage, int64_t number) const;

  mlir::ModuleOp module;
  const StepLayout &layout;
  const Traffic &traffic;
  using CacheKey = std::tuple<int64_t, UnitKey, int64_t, int64_t, int64_t>;
  std::map<CacheKey, size_t> cache;
  std::vector<std::unique_ptr<Entry>> entries;
  llvm::DenseMap<mlir::Value, int64_t> numbers;
};

/// What a unit is in a schedule.
InstructionKind getInstructionKind(const StepLayout &layout, int64_t stage,
                                   const UnitKey &key);
/// Sweeps are numbered; the update is no sweep.
int64_t getSweep(const UnitKey &key, int64_t lastLevel);

} // namespace hetero::partition

#endif // HETERO_LIB_TRANSFORMS_PARTITION_UNITTABLE_H
