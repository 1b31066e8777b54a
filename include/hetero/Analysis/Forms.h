//===- Forms.h - Replicated, split, partial ---------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One algebra for microbatches, data shards, model shards and accumulation.
//
// The idea
// --------
// An *axis* has N units that its members share. A member is a microbatch, a
// device, or both. On an axis a value is
//
//   replicated     every member has all of it;
//   split d, o, u  dimension d is o * N * u long; a member with n units holds
//                  o * n * u of it;
//   partial        the value is the sum (max, min, and, or) of the members'.
//
// How an operation treats forms follows from which dimensions run together and
// from linearity (DimensionMap). A matrix product, for instance, has four kinds
// of loops: batch and free ones, which give a split result when they are split,
// and contracted ones, which give a partial one; and it is linear in each of
// its two operands, so a partial operand gives a partial result.
//
// A use that needs another form than the value has is where something is paid:
// a partial value is *completed* (it is replicated for all of its uses then), a
// split one is gathered for that use. Where that happens decides what a step
// costs, and what is computed when: the *level* of an operation is the number
// of completions on the longest path to it. Gradients are level 0; the update
// is what comes after they were completed.
//
// A worked example, two dense layers and a sum as loss, batch split:
//
//   %h  = dot_general %x, %w0      split 0, replicated -> split 0
//   %y  = dot_general %h, %w1      split 0, replicated -> split 0
//   %l  = reduce add %y [0, 1]     split 0             -> partial sum
//   %g  = dot_general %h, %one     split 0, split 0    -> partial sum
//   %u  = multiply %g, %rate       partial, replicated -> partial sum
//   %n  = subtract %w1, %u         %u is completed     -> replicated, level 1

#ifndef HETERO_ANALYSIS_FORMS_H
#define HETERO_ANALYSIS_FORMS_H

#include "hetero/Dialect/Hetero/HeteroAttrs.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"
#include <map>
#include <memory>
#include <optional>

namespace hetero {

/// How the members of one axis hold a value; #hetero.form as a plain value.
struct Form {
  FormKind kind = FormKind::Replicated;
  int64_t dim = 0, outer = 1, inner = 1;
  ReductionKind reduction = ReductionKind::Sum;

  static Form replicated() { return {}; }
  static Form split(int64_t dim, int64_t outer = 1, int64_t inner = 1) {
    return {FormKind::Split, dim, outer, inner, ReductionKind::Sum};
  }
  static Form partial(ReductionKind reduction = ReductionKind::Sum) {
    return {FormKind::Partial, 0, 1, 1, reduction};
  }
  static Form get(FormAttr attr) {
    return {attr.getKind(), attr.getDim(), attr.getOuter(), attr.getInner(),
            attr.getReduction()};
  }
  FormAttr toAttr(mlir::MLIRContext *context) const {
    return FormAttr::get(context, kind, dim, outer, inner, reduction);
  }

  /// The attribute of a split with so many units for each member.
  SplitAttr toSplit(mlir::MLIRContext *context,
                    llvm::ArrayRef<int64_t> sizes) const {
    return SplitAttr::get(context, dim, outer, inner, sizes);
  }

  bool isReplicated() const { return kind == FormKind::Replicated; }
  bool isSplit() const { return kind == FormKind::Split; }
  bool isPartial() const { return kind == FormKind::Partial; }
  /// The same split of another dimension.
  Form along(int64_t newDim) const { return split(newDim, outer, inner); }

  bool operator==(const Form &other) const {
    return kind == other.kind && dim == other.dim && outer == other.outer &&
           inner == other.inner && reduction == other.reduction;
  }
  bool operator!=(const Form &other) const { return !(*this == other); }
};

/// What an operation does, seen as nested loops over its dimensions.
struct DimensionMap {
  /// In place of a loop: the operation needs or makes the whole dimension.
  static constexpr int whole = -1;
  struct Loop {
    /// How results that do not have this loop combine what its iterations
    /// give; nothing if every result that depends on it has it.
    std::optional<ReductionKind> reduction;
  };
  llvm::SmallVector<Loop> loops;
  /// For each dimension of each operand and result its loop, or `whole`.
  llvm::SmallVector<llvm::SmallVector<int>> operands, results;
  /// Groups of operands in which the operation is linear when the others are
  /// fixed. `add` has one group of two, `multiply` two groups of one.
  llvm::SmallVector<llvm::SmallVector<unsigned>> linear;
  /// What only moves data commutes with every reduction in the operands of its
  /// first group.
  bool movesData = false;
  /// The one reduction that the operation commutes with, instead of sums: the
  /// largest of maxima is a maximum, but not the largest of sums a sum.
  std::optional<ReductionKind> commutesWith;
};

/// Whether an operation takes operands of its groups that are partial by `kind`
/// as they are.
bool isLinearFor(const DimensionMap &map, ReductionKind kind);

/// How one operation is carried out on an axis.
struct FormRule {
  llvm::SmallVector<Form> operands, results;
  /// Forms of what the regions of the operation use from outside, in the order
  /// of getCaptures.
  llvm::SmallVector<Form> captures;
  /// Why operands cannot stay as they are; null if they can.
  const char *reason = nullptr;
  /// The results are split though the operands are replicated, because a use
  /// wants them so: the operation starts from its member's offset.
  bool seeded = false;

  static FormRule allReplicated(mlir::Operation *op,
                                const char *reason = nullptr);
};

class FormAnalysis;

/// Where a rule is asked for: the axis, and the forms known so far.
class FormScope {
public:
  FormScope(FormAnalysis &analysis, bool inRegion)
      : analysis(analysis), inRegion(inRegion) {}
  int64_t getUnits() const;
  /// Inside of a region nothing can be completed.
  bool isInRegion() const { return inRegion; }
  FormAnalysis &analysis;

private:
  bool inRegion;
};

FormRule deriveFormRule(mlir::Operation *op, const DimensionMap &map,
                        llvm::ArrayRef<Form> forms, FormScope &scope);
std::optional<Form> deriveOperandForm(const DimensionMap &map, unsigned operand,
                                      unsigned result, const Form &form);

/// Whether `value` is zero everywhere, as far as constants show.
bool isZero(mlir::Value value);

/// The form of a reshape's result, given that of its operand (or the other way
/// round): the flat order of elements seen as [before, N, after].
std::optional<Form> reshapeForm(const Form &form, llvm::ArrayRef<int64_t> from,
                                llvm::ArrayRef<int64_t> to, int64_t units);

/// Values from outside that the regions of `op` use, in order of first use.
llvm::SmallVector<mlir::Value> getCaptures(mlir::Operation *op);

/// The operands of `op`, and then these.
llvm::SmallVector<mlir::Value> getUses(mlir::Operation *op);

} // namespace hetero

#include "hetero/Analysis/FormInterface.h.inc"

namespace hetero {

/// Attaches FormOpInterface to the operations of StableHLO.
void registerFormModels(mlir::DialectRegistry &registry);

/// How `op` gives its results in the forms `results` when its operands come in
/// the forms `operands`; nothing if it cannot. The rule may want operands in
/// other forms than they come in. Of loops and branches only whole results are
/// known.
std::optional<FormRule> findFormRule(mlir::Operation *op,
                                     llvm::ArrayRef<Form> operands,
                                     llvm::ArrayRef<Form> results,
                                     FormAnalysis &axis);

/// The axis to be analysed, and what is given.
struct FormAxis {
  /// N; forms are only split where a dimension is outer * N * inner long.
  int64_t units = 1;
  /// Forms of values that come from outside: arguments of the block, results
  /// of operations that are not included. Replicated where nothing is said.
  llvm::DenseMap<mlir::Value, Form> given;
  /// Which operations take part; all if empty. The others keep whole values.
  std::function<bool(mlir::Operation *)> includes;
  /// The operations that take part, in the order of the block, where they are
  /// few and known: nothing else is looked at.
  std::optional<llvm::ArrayRef<mlir::Operation *>> only;
  /// Uses that need a whole or split value even where a rule would take a
  /// partial one (values that go to another stage).
  std::function<bool(mlir::OpOperand &)> needsCompletion;
  /// Whether values may be made split because their uses want them so.
  bool seeds = true;
};

/// Forms of all values of a block on one axis.
class FormAnalysis {
public:
  FormAnalysis(mlir::Block &block, FormAxis axis);

  const FormAxis &getAxis() const { return axis; }
  mlir::Block &getBlock() const { return block; }

  /// The form that a value is computed in.
  Form getForm(mlir::Value value) const;
  /// The form that its uses see: a completed value is replicated.
  Form getUseForm(mlir::Value value) const;
  bool isCompleted(mlir::Value value) const {
    return completed.contains(value) && getForm(value).isPartial();
  }
  const FormRule &getRule(mlir::Operation *op) const;
  /// Whether any member has less than everything of what `op` uses or makes.
  bool isLocal(mlir::Operation *op) const;

  /// Why a value had to be made whole.
  struct Completion {
    mlir::Value value;
    mlir::Operation *user = nullptr;
    const char *reason = nullptr;
  };
  /// In program order; partial values and gathered split ones.
  llvm::SmallVector<Completion> getCompletions() const;

  /// The level that computes `op` as late as its uses allow, and the number of
  /// levels. Only for the operations of the block itself.
  struct Levels {
    llvm::DenseMap<mlir::Operation *, int64_t> ofOp;
    int64_t last = 0;
    int64_t of(mlir::Value value) const;
  };
  Levels getLevels() const;
  /// 1 if a use of `value` in form `wanted` has to wait for a completion.
  int64_t getDelay(mlir::Value value, const Form &wanted) const;

  // For rules of operations with regions.
  void setForm(mlir::Value value, Form form) { forms[value] = form; }
  /// Computes the rules of a region's block; false (and the reason) if a value
  /// in it would have to be completed.
  bool flowRegion(mlir::Block &region, const char *&reason);
  void makeReplicated(mlir::Block &region);

private:
  void run();
  FormRule computeRule(mlir::Operation *op, bool inRegion);
  bool visit(mlir::Operation *op);
  void complete(mlir::Value value, mlir::Operation *user, const char *reason);
  mlir::Value getSmallestPartial(mlir::Value value) const;
  void enqueue(unsigned at) {
    queued.set(at);
    first = std::min(first, at);
  }
  void enqueueUsers(mlir::Value value);
  llvm::MapVector<mlir::Value, Form> findSeeds() const;

  mlir::Block &block;
  FormAxis axis;
  llvm::SmallVector<mlir::Operation *> ops;
  llvm::DenseMap<mlir::Operation *, unsigned> position;
  llvm::DenseMap<mlir::Value, Form> forms;
  llvm::DenseMap<mlir::Operation *, FormRule> rules;
  llvm::MapVector<mlir::Value, Completion> completed;
  llvm::MapVector<mlir::Value, Form> seeds;
  /// The positions to be visited, of which none is before `first`.
  llvm::BitVector queued;
  unsigned first = 0;
};

/// The rules of operations of a block for splits of so many units, for
/// findFormRule: analyses that follow nothing, each made when it is asked for.
class FormRules {
public:
  explicit FormRules(mlir::Block &block) : block(&block) {}
  FormAnalysis &get(int64_t units);

private:
  mlir::Block *block;
  std::map<int64_t, std::unique_ptr<FormAnalysis>> known;
};

} // namespace hetero

#endif // HETERO_ANALYSIS_FORMS_H
