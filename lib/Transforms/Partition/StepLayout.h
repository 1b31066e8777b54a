//===- StepLayout.h - What a plan says about a step -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A planned module read into plain data, and what follows from it for every
// operation: its stage, its forms on the three kinds of axes, and the *unit* of
// work that it belongs to.
//
// The units
// ---------
// A step is a sequence of levels (hetero/Analysis/Forms.h). In each, a stage
//
//   once     computes what does not depend on a microbatch: casts of
//            parameters, statistics of the whole batch, the update;
//   forward  computes, for each microbatch, what the loss depends on;
//   backward computes the rest of the microbatch. Where the schedule has its
//            two halves apart, it computes what other stages wait for, and
//   weight   what they do not.
//
// Between two levels, partial values are summed over microbatches and devices.
// Values of `once` may go back and forth between stages (the norm of all
// gradients); a unit is therefore cut where it would wait for another stage,
// and the number of such cuts before an operation is its `hop`.
//
// The axes
// --------
//   batch    microbatches and the data axis of each stage's mesh together;
//   tensor   the other axis of a stage's mesh, along which parameters are
//            split as `hetero.sharding` on them says;
//   storage  the data axis again, in the update, as `hetero.storage` says.
//
// On the last two, splits need not have equal proportions for all values. Those
// that do form a *class* with an analysis of its own, and an operation is
// split in at most one class of an axis.
//
// Where operations have `hetero.sharding`, that and `hetero.reshard` decide on
// the tensor axis, and nothing is derived: each operation takes its operands as
// they are, and one without it makes whole values (StepLayoutDivisions.cpp).

#ifndef HETERO_LIB_TRANSFORMS_PARTITION_STEPLAYOUT_H
#define HETERO_LIB_TRANSFORMS_PARTITION_STEPLAYOUT_H

#include "hetero/Analysis/Forms.h"
#include "hetero/Analysis/PlanView.h"
#include "hetero/Analysis/Roles.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include <map>
#include <memory>
#include <tuple>

namespace hetero::partition {

/// One run of layers of a stage of the plan, on the devices of that stage. Here
/// and in all of the partitioning, `stage` is the number of such a run, in the
/// order of layers; runs of one stage share their devices.
struct StageRun : StageView {
  /// The number of the stage in the plan, of the run in it, and its layers.
  int64_t planStage = 0, chunk = 0, firstLayer = 0, lastLayer = 0;
  /// Whether the schedule has the two halves of the backward apart.
  bool splitsBackward = false;
};

/// Splits of equal proportions on one axis of one stage.
struct AxisClass {
  llvm::SmallVector<int64_t> sizes; ///< Units of each member.
  int64_t units = 0;
  std::unique_ptr<FormAnalysis> forms;
  /// Operations that another axis splits in a way that does not go together
  /// with this one; they see whole values here.
  llvm::DenseSet<mlir::Operation *> excluded;
};

/// The class of `sizes`, made if there is none; members are divided by their
/// common factor, which is the first result, if `normalize`.
std::pair<int64_t, AxisClass *> findClass(std::vector<AxisClass> &classes,
                                          llvm::ArrayRef<int64_t> sizes,
                                          bool normalize);

/// How a value is held: its form on the data axis and on the tensor axis, with
/// the units of each member.
struct Holding {
  Form data, tensor;
  const AxisClass *storageClass = nullptr; ///< Null: samples of a microbatch.
  const AxisClass *tensorClass = nullptr;

  /// What it is on one of the two axes.
  const Form &getForm(bool isTensor) const { return isTensor ? tensor : data; }
  const AxisClass *getClass(bool isTensor) const {
    return isTensor ? tensorClass : storageClass;
  }
  void set(bool isTensor, const Form &form, const AxisClass *axis) {
    (isTensor ? tensor : data) = form;
    (isTensor ? tensorClass : storageClass) = axis;
  }
};

/// How an operation is carried out on the tensor axis as `hetero.sharding`
/// says.
struct Division {
  FormRule rule;
  const AxisClass *axis = nullptr;
};

enum class UnitKind { Once, Forward, Backward, Weight };

/// A piece of work of one stage that runs without waiting for another.
struct UnitKey {
  int64_t level = 0;
  UnitKind kind = UnitKind::Once;
  int64_t hop = 0;
  bool operator<(const UnitKey &other) const {
    return std::tie(level, kind, hop) <
           std::tie(other.level, other.kind, other.hop);
  }
  bool operator==(const UnitKey &other) const {
    return level == other.level && kind == other.kind && hop == other.hop;
  }
};

/// Which member of which stage, working on which microbatch.
struct Member {
  int64_t stage = 0, data = 0, tensor = 0, microbatch = 0;

  /// The same one, working on another microbatch.
  Member at(int64_t other) const { return {stage, data, tensor, other}; }
};

/// The surroundings that an operation is emitted in.
struct Where {
  int64_t stage = 0;
  bool update = false;
};

class StepLayout {
public:
  static mlir::FailureOr<std::unique_ptr<StepLayout>> read(mlir::ModuleOp);

  mutable mlir::func::FuncOp step;
  PlanOp plan;
  StepRoles roles;
  llvm::SmallVector<StageRun> stages;
  llvm::SmallVector<int64_t> microbatches, microbatchOffsets;
  std::unique_ptr<FormAnalysis> batch;
  FormAnalysis::Levels levels;
  llvm::DenseSet<mlir::Operation *> argumentFree;
  /// Operations of each stage and unit, in program order.
  std::vector<std::map<UnitKey, std::vector<mlir::Operation *>>> units;

  int64_t getStage(mlir::Operation *op) const { return stageOf.lookup(op); }
  /// The stage that an argument lives on, or none if it is given to every
  /// stage that uses it: only state lives anywhere.
  std::optional<int64_t> getHome(mlir::BlockArgument argument) const {
    return homes[argument.getArgNumber()];
  }
  UnitKey getUnit(mlir::Operation *op) const { return unitOf.lookup(op); }
  bool isPlaced(mlir::Operation *op) const { return stageOf.contains(op); }
  /// Whether there is one instance of the value for each microbatch.
  bool isPerMicrobatch(mlir::Value value) const {
    return !batch->getForm(value).isReplicated();
  }
  /// Whether uses have to wait for the end of a level.
  bool isCompleted(mlir::Value value) const {
    return batch->isCompleted(value);
  }

  /// How an argument is held while gradients are computed (in use), and between
  /// steps (in storage).
  Holding getHoldingInUse(mlir::BlockArgument argument) const;
  Holding getHoldingInStorage(mlir::BlockArgument argument) const;
  /// How `op` needs an operand (captures follow the operands), and how it gives
  /// a result.
  Holding getWanted(mlir::Operation *op, unsigned operand, Where where) const;
  Holding getGiven(mlir::Operation *op, unsigned result, Where where) const;
  /// As getGiven, after what is completed at once (over devices, without
  /// waiting for other microbatches).
  Holding getHeld(mlir::Value value) const;
  Where getWhere(mlir::Operation *op) const {
    return {stageOf.lookup(op), isUpdate(op)};
  }
  /// How a value that is completed leaves the end of its level: replicated, or
  /// split as the state that it updates is stored.
  Holding getCompleted(mlir::Value value) const;
  /// Whether samples and tensor axis split the same dimension of a value.
  bool isSplitTwice(mlir::Value value) const;
  /// Whether `op` is part of the update, which sees state as it is stored.
  bool isUpdate(mlir::Operation *op) const {
    auto it = unitOf.find(op);
    return it != unitOf.end() && it->second.kind == UnitKind::Once &&
           it->second.level == levels.last;
  }

  /// The shape of `value` on a member, held so.
  mlir::RankedTensorType getLocalType(mlir::Type type, const Holding &holding,
                                      const Member &member) const;
  /// Units of a member on one axis, and those before it.
  std::pair<int64_t, int64_t> getUnits(const Holding &holding, bool isTensor,
                                       const Member &member) const;
  int64_t getTotalUnits(const Holding &holding, bool isTensor) const {
    const AxisClass *axis = holding.getClass(isTensor);
    return axis ? axis->units : batch->getAxis().units;
  }

private:
  using Split = std::pair<Form, const AxisClass *>;

  mlir::LogicalResult readStages(mlir::ModuleOp module);
  mlir::FailureOr<int64_t> findStage(mlir::Operation *op) const;
  int64_t findFirstUse(mlir::BlockArgument argument) const;
  mlir::LogicalResult placeOperations();
  mlir::LogicalResult formUnits();
  void delayHops();
  UnitKind getUnitKind(mlir::Operation *op) const;
  void readSchedule(mlir::ModuleOp module);
  void splitBackward(int64_t stage);
  mlir::LogicalResult findHomes();
  mlir::LogicalResult buildClasses(int64_t stage);
  mlir::LogicalResult
  readSplits(int64_t stage, mlir::StringRef attribute,
             llvm::function_ref<mlir::LogicalResult(mlir::BlockArgument,
                                                    SplitAttr, bool isTensor)>
                 callback);
  mlir::LogicalResult checkShardings() const;
  mlir::FailureOr<Split> readSharding(mlir::Operation *op,
                                      ShardingAttr sharding);
  mlir::LogicalResult divide(mlir::Operation *op);
  mlir::LogicalResult readDivisions();
  std::pair<const FormRule *, const AxisClass *>
  getTensorRule(mlir::Operation *op) const;
  /// Whether one member has all samples at once.
  bool isWholeBatch() const {
    return microbatches.size() == 1 &&
           llvm::all_of(stages, [](const StageRun &stage) {
             return stage.dataSize == 1;
           });
  }
  void analyzeClasses(int64_t stage, std::vector<AxisClass> &classes,
                      const llvm::DenseMap<mlir::Value, Split> &splits,
                      bool storage);
  bool excludeMisfits(AxisClass &axis, bool storage) const;
  bool fits(const Split &split, mlir::Value value) const;
  void findUpdateForms(int64_t stage);
  std::optional<Split> findStoredUse(mlir::Value value) const;
  /// On each axis what `pick` takes from the rule of `op` there.
  Holding getHolding(mlir::Operation *op, Where where,
                     llvm::function_ref<Form(const FormRule &)> pick) const;
  /// The class that an operation is split in.
  using ClassOfOp = llvm::DenseMap<mlir::Operation *, const AxisClass *>;
  const AxisClass *getClass(mlir::Operation *op,
                            const ClassOfOp &classes) const;
  mlir::Operation *getTop(mlir::Operation *op) const;

  llvm::DenseMap<mlir::Operation *, int64_t> stageOf;
  llvm::DenseMap<mlir::Operation *, UnitKey> unitOf;
  llvm::SmallVector<std::optional<int64_t>> homes;
  /// By stage.
  std::vector<std::vector<AxisClass>> tensorClasses, storageClasses;
  ClassOfOp tensorClassOf, storageClassOf;
  /// Whether operations say how they are split, and what they say.
  bool hasShardings = false;
  llvm::DenseMap<mlir::Operation *, Division> divisions;
  std::optional<FormRules> rules;
  llvm::DenseMap<mlir::Value, Split> tensorSplits, storageSplits, completedAs;
};

} // namespace hetero::partition

#endif // HETERO_LIB_TRANSFORMS_PARTITION_STEPLAYOUT_H
