//===- RankBuilder.h - The program of one rank ------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds the straight-line program of one rank. RankBuilder.cpp has what it
// does, EmitRankPrograms.cpp in which order, RankBuilderTransfers.cpp how it
// exchanges values with other stages. A rank whose stage has several runs of
// layers has a builder for each of them, which write into one program; what one
// run gives to another stays on the rank.

#ifndef HETERO_LIB_TRANSFORMS_PARTITION_RANKBUILDER_H
#define HETERO_LIB_TRANSFORMS_PARTITION_RANKBUILDER_H

#include "UnitTable.h"

namespace hetero::partition {

/// Where a rank keeps a value: variant, microbatch (0 if there is one
/// instance), and for arguments whether it is the stored part.
using StoreKey = std::tuple<void *, Variant, int64_t, bool>;

/// What the runs of a rank share.
struct RankProgram {
  int64_t rank = 0;
  mlir::func::FuncOp function;
  llvm::SmallVector<mlir::Attribute> argumentAttrs, resultAttrs;
  llvm::SmallVector<mlir::Value> results;
  llvm::DenseMap<unsigned, int64_t>
      stateArguments; ///< Of the step -> of the rank.
  /// Arguments that are no state, with variant and microbatch.
  std::map<std::tuple<void *, Variant, int64_t>, mlir::Value> arguments;
  llvm::SmallVector<mlir::Value> sends; ///< Handles.
  /// By channel: what one run has for another.
  std::map<int64_t, mlir::Value> handedOver;
};

/// Writes the part of one run of layers.
class RankBuilder {
public:
  RankBuilder(const StepLayout &layout, const Traffic &traffic,
              UnitTable &units, Member member, RankProgram &program)
      : layout(layout), traffic(traffic), units(units), member(member),
        stage(layout.stages[member.stage]), program(program),
        rank(program.rank),
        builder(mlir::OpBuilder::atBlockEnd(&program.function.front())),
        emitter(layout, member, Where{member.stage, false}, builder) {}

  void addArguments();
  /// Makes the state of the run whole for the gradients that use it, once more
  /// if it was so before; only what other runs take of it if `onlyMoved`.
  mlir::LogicalResult gather(bool onlyMoved = false);
  mlir::LogicalResult call(const UnitKey &unit, int64_t microbatch);
  mlir::LogicalResult finishLevel(int64_t level);
  mlir::LogicalResult addResults();
  int64_t getChunk() const { return stage.chunk; }
  /// Whether the run has work for microbatches in a level.
  bool hasUnits(int64_t level) const {
    return llvm::any_of(layout.units[member.stage], [&](const auto &entry) {
      return entry.first.level == level && entry.first.kind != UnitKind::Once;
    });
  }

private:
  void addState(mlir::BlockArgument argument);
  mlir::LogicalResult gatherState(mlir::BlockArgument argument);
  mlir::Value addArgument(mlir::BlockArgument argument, const Holding &holding,
                          int64_t microbatch);
  bool canSkip(llvm::ArrayRef<mlir::Operation *> ops) const;
  mlir::FailureOr<bool> meetsOthers(const UnitKey &unit, int64_t microbatch);
  mlir::LogicalResult skip(llvm::ArrayRef<mlir::Operation *> ops,
                           int64_t microbatch);
  mlir::FailureOr<mlir::Value> lookUp(const UnitValue &input,
                                      int64_t microbatch, Where where);
  mlir::LogicalResult keep(const UnitValue &output, mlir::Value local,
                           int64_t microbatch);
  mlir::FailureOr<mlir::Value> putTogether(mlir::Value value, Holding holding);
  void send(mlir::Value value, Variant variant, mlir::Value local,
            const Holding &holding, int64_t microbatch);
  mlir::FailureOr<mlir::Value> receive(mlir::Value value, Variant variant,
                                       int64_t microbatch);
  /// How a value that comes or goes is held here.
  Holding getHolding(const UnitValue &value) const {
    return getVariantHolding(layout, value, {member.stage, /*update=*/false});
  }
  mlir::Value completeTensor(mlir::Value local, const Holding &holding);
  PartAttr getPart(int64_t index, mlir::Type type, const Holding &holding,
                   int64_t microbatch) const;
  mlir::Value sliceUnits(mlir::Value local, Form form, int64_t units,
                         int64_t begin, int64_t end, mlir::Location loc);
  mlir::Value concatenateUnits(llvm::ArrayRef<mlir::Value> parts, Form form,
                               mlir::RankedTensorType type, mlir::Location loc);

  const StepLayout &layout;
  const Traffic &traffic;
  UnitTable &units;
  Member member;
  const StageRun &stage;
  RankProgram &program;
  int64_t rank;
  mlir::OpBuilder builder;
  UnitEmitter emitter;
  std::map<StoreKey, mlir::Value> store;
  llvm::DenseSet<mlir::Value> sentState;
  llvm::MapVector<mlir::Value, mlir::Value> sums;
  llvm::MapVector<mlir::Value, llvm::SmallVector<mlir::Value>> parts;
};

} // namespace hetero::partition

#endif // HETERO_LIB_TRANSFORMS_PARTITION_RANKBUILDER_H
