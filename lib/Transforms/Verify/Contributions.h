//===- Contributions.h - Which samples a value is the sum of ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Proves that every sum over samples and devices is completed exactly once.
//
// The idea
// --------
// hetero-partition says which results of a unit are split or partial on the
// three axes of a step (`hetero.forms`); checkUnitSums proves that the body of
// the unit agrees with it. What is left are the rank programs. There, each
// value has a *content* on each axis:
//
//   whole           all of it;
//   split C         the part of the cells C;
//   partial C       the sum of what the cells C contribute;
//
// where a cell is a sample of the batch, a member of the tensor axis, or a
// member of the data axis (of the stored state). A call of a unit makes
// contents of the cells that are its own: the samples that the plan gives to
// this rank in this microbatch. An accumulation and a reduction over devices
// join cells, which must be disjoint: otherwise a contribution is counted
// twice. A sum of all cells is whole. Only a whole value may be used as one, so
// what is missing is missed at the first use.
//
// A content also has the number of the value of the step that it is, which the
// units say of their arguments and results: values of equal shape cannot be
// exchanged unnoticed.
//
// A worked example: 8 samples in microbatches of 5 and 3, shared [4, 1] and
// [2, 1] by two ranks. On rank 0:
//
//   %g0  = call @backward(...)   backward 0    partial [0 to 4]
//   %g1  = call @backward(...)   backward 1    partial [5 to 7]
//   %g   = accumulate %g1 into %g0             partial [0 to 4, 5 to 7]
//   %sum = all_reduce %g         with rank 1   partial [0 to 8]: whole
//   %w   = call @update(%w, %sum)

#ifndef HETERO_LIB_TRANSFORMS_VERIFY_CONTRIBUTIONS_H
#define HETERO_LIB_TRANSFORMS_VERIFY_CONTRIBUTIONS_H

#include "hetero/Analysis/PlanView.h"
#include "hetero/Transforms/Ranks/RankSteps.h"
#include <array>

namespace hetero::verify {

using ranks::Programs;
using ranks::RankSteps;
using ranks::Step;
using ranks::Stream;

/// An error at `op`, which begins with its rank.
inline mlir::InFlightDiagnostic report(const RankSteps &rank,
                                       mlir::Operation *op) {
  return op->emitOpError() << "of rank " << rank.rank << " ";
}

enum class Axis { Batch, Tensor, Storage };
inline constexpr std::array<Axis, 3> allAxes = {Axis::Batch, Axis::Tensor,
                                                Axis::Storage};
/// As hetero.forms names it.
llvm::StringRef getName(Axis axis);

/// A set of numbers, as ranges that ascend and do not touch.
class Cells {
public:
  Cells() = default;
  Cells(int64_t begin, int64_t end) {
    if (begin < end)
      ranges.push_back({begin, end});
  }
  bool empty() const { return ranges.empty(); }
  int64_t count() const;
  int64_t front() const { return ranges.front().first; }
  int64_t back() const { return ranges.back().second; }
  Cells unite(const Cells &other) const;
  Cells intersect(const Cells &other) const;
  Cells subtract(const Cells &other) const;
  /// The cells with the numbers from `begin` to `end` among these.
  Cells slice(int64_t begin, int64_t end) const;
  bool operator==(const Cells &other) const { return ranges == other.ranges; }
  bool operator!=(const Cells &other) const { return !(*this == other); }
  /// "[0 to 4, 5 to 7]"
  std::string str() const;

private:
  llvm::SmallVector<std::pair<int64_t, int64_t>, 2> ranges;
};

/// What a value is on one axis.
struct Share {
  FormKind kind = FormKind::Replicated;
  ReductionKind reduction = ReductionKind::Sum;
  Cells cells;

  static Share whole() { return {}; }
  bool isWhole() const { return kind == FormKind::Replicated; }
  bool isSplit() const { return kind == FormKind::Split; }
  bool isPartial() const { return kind == FormKind::Partial; }
  bool operator==(const Share &other) const {
    return kind == other.kind &&
           (isWhole() || (cells == other.cells &&
                          (isSplit() || reduction == other.reduction)));
  }
};

struct Content {
  std::array<Share, 3> shares;
  /// The number of the value in the step, if that is known.
  std::optional<int64_t> number;
  /// Made from nothing: it changes no sum that it is added to, or is empty.
  bool isConstant = false;
  /// An argument of the rank program; its part says what it is.
  mlir::BlockArgument argument;

  Share &operator[](Axis axis) { return shares[static_cast<int>(axis)]; }
  const Share &operator[](Axis axis) const {
    return shares[static_cast<int>(axis)];
  }
};

/// Where a rank stands in the plan.
struct Place {
  const StageView *stage = nullptr;
  int64_t data = 0, tensor = 0;
};

class Contributions {
public:
  /// Null if the module has no plan or no forms, with a warning.
  static std::unique_ptr<Contributions> create(const Programs &programs);

  /// The sums inside of units.
  mlir::LogicalResult checkUnits() const;

  /// A step of the rank program that is no communication.
  mlir::LogicalResult execute(const RankSteps &rank, const Step &step);
  /// What a communication brings.
  Content getContribution(const RankSteps &rank, const Step &step) const;
  /// What a communication gives; `contents` are those of the members.
  mlir::LogicalResult receive(const RankSteps &rank, const Step &step,
                              const Stream &stream,
                              llvm::ArrayRef<Content> contents,
                              mlir::Value result);

  std::optional<Place> getPlace(int64_t rank, int64_t stage) const;

  int64_t numSums = 0;

private:
  explicit Contributions(const Programs &programs) : programs(programs) {}

  mlir::LogicalResult executeCall(const RankSteps &rank, mlir::Operation *op);
  mlir::LogicalResult checkOperand(const RankSteps &rank, mlir::Operation *op,
                                   mlir::OpOperand &operand, FormsAttr forms,
                                   const std::array<Cells, 3> &own);
  mlir::LogicalResult executeReturn(const RankSteps &rank, mlir::Operation *op);
  mlir::LogicalResult executeAccumulate(const RankSteps &rank, AccumulateOp op);
  mlir::LogicalResult executeOther(const RankSteps &rank, mlir::Operation *op);
  mlir::FailureOr<Content> reduce(const RankSteps &rank, mlir::Operation *op,
                                  ReductionKind reduction,
                                  llvm::ArrayRef<Content> contents);
  /// Checks that the value at `index` of `expected` is `number`.
  mlir::LogicalResult checkNumber(const RankSteps &rank, mlir::Operation *op,
                                  const llvm::Twine &what,
                                  std::optional<int64_t> number,
                                  mlir::DenseI64ArrayAttr expected,
                                  int64_t index) const;
  mlir::LogicalResult checkOffset(const RankSteps &rank, mlir::Operation *op,
                                  const Cells &samples) const;
  std::string describeNumber(std::optional<int64_t> number) const;
  mlir::FailureOr<Content> gather(mlir::Operation *op,
                                  llvm::ArrayRef<Content> contents) const;
  /// The cells that a unit of `stage` has of its own on `rank`.
  mlir::FailureOr<std::array<Cells, 3>> getOwn(const RankSteps &rank,
                                               mlir::Operation *call) const;
  /// The cells of an axis.
  Cells getAll(const RankSteps &rank, Axis axis) const;
  Share complete(const RankSteps &rank, Axis axis, Share share) const;
  const Content &get(const RankSteps &rank, mlir::Value value) const;
  void set(const RankSteps &rank, mlir::Value value, Content content) {
    values[rank.rank][value] = std::move(content);
  }
  mlir::InFlightDiagnostic reportUse(const RankSteps &rank, mlir::Operation *op,
                                     mlir::OpOperand &operand, Axis axis,
                                     const Share &share) const;

  const Programs &programs;
  mutable PlanView view;
  std::map<int64_t, Place> places;
  std::map<int64_t, llvm::DenseMap<mlir::Value, Content>> values;
  mutable mlir::func::FuncOp step;
};

/// Proves that the body of a unit completes the sums that it makes, and returns
/// those as partial that it says it does. `place` is that of any rank that runs
/// it.
mlir::LogicalResult checkUnitSums(mlir::func::FuncOp unit, const Place &place);

} // namespace hetero::verify

#endif // HETERO_LIB_TRANSFORMS_VERIFY_CONTRIBUTIONS_H
