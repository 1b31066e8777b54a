//===- JointState.h - What the phases of joint share ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is asked of the joint search, and what its phases have found. A phase
// adds *designs* (choices, with an estimate of their time) and *plans* (designs
// that were evaluated exactly), each under the name of who found it: a phase or
// a baseline. The fastest plan that fits is the answer; estimates only decide
// which designs are looked at next.

#ifndef HETERO_LIB_PLANNER_JOINT_JOINTSTATE_H
#define HETERO_LIB_PLANNER_JOINT_JOINTSTATE_H

#include "JointNumbers.h"
#include "hetero/Planner/Model/Microbatches.h"
#include "hetero/Planner/Search/StagePool.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/Twine.h"

namespace hetero::planner {

/// How far a joint search goes.
enum class JointMode {
  /// planStages: the quick baselines, and lines that keep runs together.
  Quick,
  /// planJoint: all phases, and a certificate.
  Whole,
  /// All phases for a part of the problem, inside of a whole search: without a
  /// certificate, and without the wider cutoff for small problems.
  Part,
};

/// A design with what it is expected to take, and who found it.
struct FoundDesign {
  Design design;
  Estimate estimate;
  /// How many designs were found before it; decides between equal estimates.
  size_t number = 0;
  llvm::StringRef by;
};

/// Estimates designs, and remembers the stages that it has met. One for each
/// thread.
class Estimator {
public:
  Estimator(const Problem &problem, const cluster::Cluster &cluster,
            const PlannerOptions &options)
      : builder(problem, cluster, options),
        microbatches(microbatchOptions(problem)) {}

  PlanBuilder builder;
  /// All ways to cut the batch.
  const std::vector<std::vector<int64_t>> microbatches;
  /// For the way that the design cuts it.
  StagePool &pool(const Design &design) {
    return pools
        .try_emplace(design.microbatches, builder,
                     microbatches[design.microbatches])
        .first->second;
  }

private:
  std::map<size_t, StagePool> pools;
};

class JointState {
public:
  JointState(const Problem &problem, const cluster::Cluster &cluster,
             const PlannerOptions &options, JointMode mode,
             llvm::StringRef planner);

  const Problem &problem;
  const cluster::Cluster &cluster;
  const PlannerOptions &options;
  const JointMode mode;
  /// The name of the planner, for its plan, its errors and its log.
  const llvm::StringRef planner;
  const Deadline deadline;
  Estimator estimator;
  const PlanBuilder &builder;
  /// The devices that may be used.
  const std::vector<int64_t> devices;
  /// All ways to cut the batch, and the numbers of those that are searched.
  const std::vector<std::vector<int64_t>> &microbatches;
  const std::vector<size_t> searched;

  bool isOver() const { return deadline.isOver(); }

  /// What a design takes; infinite if it breaks a constraint, does not fit, or
  /// is not below the cutoff.
  Estimate
  estimate(const Design &design, Estimator &by,
           double cutoff = std::numeric_limits<double>::infinity()) const;
  /// What it takes with split backwards; infinite also if time is over.
  double estimateSplit(const Design &design);
  /// Adds a design that the phase has found, if it is possible; returns its
  /// estimate, else infinity.
  double add(Design design) { return add(std::move(design), phase); }
  /// All designs, the fastest first.
  llvm::ArrayRef<FoundDesign> sortDesigns();
  /// The least time of all designs and baselines.
  double least() const { return leastSeconds; }

  /// Adds the plan of another planner or what that is short of, and, if it is a
  /// start for the phases to come, its design if it has one.
  void addAnswer(std::optional<Candidate> answer, llvm::StringRef by,
                 bool isStart = true);
  /// Evaluates the `most` best designs, of which at most `mostAlike` may have
  /// the same number of microbatches, and adds their plans.
  void evaluateBest(size_t most,
                    size_t mostAlike = std::numeric_limits<size_t>::max());
  /// Adds the plans of a design with all schedules; returns the seconds of the
  /// fastest, else infinity.
  double schedule(const Design &design, const Estimate &whole);
  /// The plans of designs and baselines that fit and take different times, the
  /// fastest first.
  llvm::ArrayRef<Plan> plans() const { return sortedPlans; }

  /// The best plan, or the one that is short of least.
  Selection selection;

  /// Runs a phase, and writes to the log what there is after it, and who has
  /// found the best of that.
  void runPhase(llvm::StringRef name, llvm::function_ref<void()> run);
  /// Writes a line about a phase to the log.
  void log(llvm::StringRef name, const llvm::Twine &text) const;

private:
  bool isPossible(const Design &design) const;
  /// The plan of a design; nothing if it breaks a rule of verify.
  std::optional<Candidate> makeCandidate(const Design &design,
                                         llvm::ArrayRef<int64_t> inFlight);
  double add(Design design, llvm::StringRef by);
  void addSeed(const Plan &plan, llvm::StringRef by);
  void consider(Candidate candidate, llvm::StringRef by);
  void creditBest(llvm::StringRef by);

  /// The phase that runs.
  llvm::StringRef phase;
  std::vector<FoundDesign> designs;
  double leastSeconds = std::numeric_limits<double>::infinity();
  std::vector<Plan> sortedPlans;
  /// The time of the best plan when its finder was credited with it.
  Time creditedTime = Time::max();
  llvm::StringRef creditedTo;
};

} // namespace hetero::planner

#endif // HETERO_LIB_PLANNER_JOINT_JOINTSTATE_H
