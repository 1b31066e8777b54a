//===- PlanBuilder.h - From choices to plans --------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A planner chooses microbatches, and for each stage layers, devices, degree
// and state mode. The rest follows here in the same way for all of them:
//
//   samples    evenly; or one at a time to the row that would finish it first
//              and has the memory, which minimizes the slowest row
//   in flight  by the kind of schedule, as far as memory allows
//   state      evenly; or as evenly as free memory allows (StateDivision.h)

#ifndef HETERO_PLANNER_MODEL_PLANBUILDER_H
#define HETERO_PLANNER_MODEL_PLANBUILDER_H

#include "hetero/Planner/Model/QuickBound.h"
#include "hetero/Planner/Model/StateDivision.h"
#include "hetero/Planner/Plan/PlannerOptions.h"
#include <chrono>

namespace hetero::planner {

/// What a planner decides of a stage; makeStage adds what follows from it.
struct StageChoice {
  LayerRun layers;
  /// Row by row.
  std::vector<int64_t> devices;
  int64_t tensor = 1;
  StateMode state = StateMode::Replicated;
  bool recompute = false;

  auto fields() const {
    return std::tie(layers, devices, tensor, state, recompute);
  }
};

/// A plan with its predictions, and what it is short of.
struct Candidate {
  Plan plan;
  std::optional<Shortage> shortage;
};

/// That a planner finds no plan that fits, with the plan that is short of least
/// of those that it has tried.
class ShortageError : public llvm::ErrorInfo<ShortageError> {
public:
  static char ID;

  ShortageError(std::string message, Candidate closest)
      : closest(std::move(closest)), message(std::move(message)) {}

  void log(llvm::raw_ostream &os) const override { os << message; }
  std::error_code convertToErrorCode() const override {
    return llvm::inconvertibleErrorCode();
  }

  Candidate closest;

private:
  std::string message;
};

/// The plan of a planner, or the one that comes closest to fitting; nothing if
/// it has failed for another reason.
std::optional<Candidate> takeCandidate(llvm::Expected<Plan> plan);

/// Keeps the fastest candidate that fits, or the one that is short of least.
class Selection {
public:
  /// Returns whether the candidate is the best one that fits so far.
  bool add(Candidate candidate);
  bool found() const { return best && !best->shortage; }
  const std::optional<Candidate> &get() const { return best; }

  /// The plan under the name of the planner, or what it is short of.
  llvm::Expected<Plan> take(llvm::StringRef planner, const StageModel &model);

private:
  std::optional<Candidate> best;
};

/// When a search has to end.
class Deadline {
public:
  explicit Deadline(std::optional<Time> budget)
      : budget(budget), start(std::chrono::steady_clock::now()) {}

  bool isOver() const { return budget && *left() == Time(0); }
  /// What is left of the budget.
  std::optional<Time> left() const;
  /// When it is over.
  std::optional<std::chrono::steady_clock::time_point> end() const;

private:
  std::optional<Time> budget;
  std::chrono::steady_clock::time_point start;
};

class PlanBuilder {
public:
  PlanBuilder(const Problem &problem, const cluster::Cluster &cluster,
              const PlannerOptions &options)
      : model(problem, cluster), options(options),
        bound(computeBound(problem, cluster)) {}

  StageModel model;
  const PlannerOptions &options;

  /// The plan that follows from choices for all layers in order, on devices
  /// that are all different. Rows without a sample are left out.
  Candidate build(llvm::ArrayRef<int64_t> microbatches,
                  llvm::ArrayRef<StageChoice> stages, Division division) const;

  /// The stage of a choice: the samples of microbatches of these sizes divided
  /// for `depth` in flight, without rows that have none.
  Stage makeStage(const StageChoice &choice, StagePlace place,
                  llvm::ArrayRef<int64_t> sizes, int64_t depth,
                  Division division = Division::Proportional) const;

  /// The parts of build: the plan without in-flight counts, and rows without
  /// samples; how many each stage can have in flight, with state divided for
  /// that many; state divided for given counts; the predictions.
  Plan draft(llvm::ArrayRef<int64_t> microbatches,
             llvm::ArrayRef<StageChoice> stages, Division division) const;
  std::vector<int64_t> findLimits(Plan &plan, Division division) const;
  void setInFlight(Plan &plan, llvm::ArrayRef<int64_t> counts,
                   Division division) const;
  Candidate complete(Plan plan) const;

  /// When nothing fits: adds layouts that come close, with layers by memory
  /// along each order of the devices, or all of them on all devices, so that it
  /// can be said what is missing. The smallest microbatches keep least, and a
  /// single one needs no sum of gradients.
  void addClosest(llvm::ArrayRef<std::vector<int64_t>> orders,
                  Selection &selection) const;

private:
  Time bound;
};

} // namespace hetero::planner

#endif // HETERO_PLANNER_MODEL_PLANBUILDER_H
