//===- Planners.h - From a problem to a plan --------------------*- C++ -*-===//
//
// Part of the hetero project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each planner is a free function. All of them check the problem first, work
// for any number of devices and samples (a device without a sample is left
// out), and return a plan that verify accepts with the predictions that
// evaluate gives, so plans of different planners can be compared. All are
// deterministic.
//
// Each fails when the problem is not sound, when constraints ask for what it
// cannot do, or when nothing in its space fits: the error then says which
// device is short of how much memory in the plan that came closest, and what
// takes it.
//
//===----------------------------------------------------------------------===//

#ifndef HETERO_PLANNER_PLANNERS_H
#define HETERO_PLANNER_PLANNERS_H

#include "hetero/Planner/Graph.h"
#include "hetero/Planner/Plan.h"
#include "hetero/Simulator/Schedule.h"
#include <functional>

namespace hetero::planner {

struct PlannerOptions {
  /// The schedule that in-flight counts are made for.
  ScheduleKind schedule = ScheduleKind::HeteroOneFOneB;
  /// What planJoint may take instead, if it is faster by simulation.
  std::vector<ScheduleKind> otherSchedules = {ScheduleKind::ZeroBubble,
                                              ScheduleKind::Interleaved};
  /// How stages of several devices may hold their state.
  std::vector<StateMode> stateModes = {StateMode::Replicated,
                                       StateMode::Optimizer, StateMode::Full,
                                       StateMode::Node};
  /// Whether stages may compute activations again instead of keeping them.
  bool recompute = true;
  /// Whether planCephalo may gather and accumulate layers one by one.
  bool layered = true;
  /// Whether planCephalo also tries the plans of planDpEven and
  /// planDpProportional.
  bool dataParallel = true;
  /// Whether planStages may divide layers along a model dimension where the
  /// problem allows it.
  bool tensorParallel = true;
  /// How many candidates of the search planStages evaluates exactly.
  int64_t candidates = 16;
  /// How many orders of sub-clusters planStages tries.
  int64_t maxOrders = 120;
  /// How many cut positions along the devices it considers for each order.
  int64_t maxPositions = 24;
  /// After how many plans planExhaustive gives up.
  int64_t maxPlans = 20000000;
  /// Restricts planners that are known from publications to what their
  /// releases search, for comparisons.
  bool asReleased = false;
  /// When planners whose search takes long stop, with the best plan so far;
  /// never if empty. What they find depends on the machine only if this is
  /// reached.
  std::optional<Time> timeBudget;
  /// How many times as long planJoint searches, and works on its certificate.
  int64_t effort = 1;
  /// Called with each plan that is the best one so far, by planners whose
  /// search takes long.
  std::function<void(const Plan &best)> onBetter;
  /// The operations of the step, for planners that divide single ones; made
  /// from the layers if there is none.
  const Graph *graph = nullptr;
};

/// The best single device. Tries each class and each number of microbatches;
/// O(devices * microbatches).
llvm::Expected<Plan> planSingle(const Problem &problem,
                                const cluster::Cluster &cluster,
                                const PlannerOptions &options = {});

/// Data parallelism over all devices as if they were alike: shares differ by at
/// most one sample, and state, if it does not fit whole, is divided evenly. The
/// smallest number of microbatches that fits.
llvm::Expected<Plan> planDpEven(const Problem &problem,
                                const cluster::Cluster &cluster,
                                const PlannerOptions &options = {});

/// Data parallelism over all devices with samples by speed and state by free
/// memory. The samples of a microbatch are handed out one at a time to the
/// device that would finish it first and has the memory, which minimizes the
/// time of the slowest; state then fills the free memory. All numbers of
/// microbatches are tried. O(batch log devices) for each.
llvm::Expected<Plan> planDpProportional(const Problem &problem,
                                        const cluster::Cluster &cluster,
                                        const PlannerOptions &options = {});

/// Pipeline, tensor and data parallelism as if all devices were alike, which is
/// what Megatron offers: all devices in the order of their ranks, as many in
/// each stage, as many repeated layers, as many samples. Numbers of stages,
/// tensor degrees and microbatches that divide the devices and the batch are
/// ranked by a formula, and the best `candidates` that fit are evaluated.
/// Refuses pins. O(degrees * stages * microbatch counts * devices).
llvm::Expected<Plan> planEven(const Problem &problem,
                              const cluster::Cluster &cluster,
                              const PlannerOptions &options = {});

/// As planEven on the devices of one class, whichever class is fastest alone.
llvm::Expected<Plan> planFastOnly(const Problem &problem,
                                  const cluster::Cluster &cluster,
                                  const PlannerOptions &options = {});

/// Cephalo: one stage, where samples are divided by speed and state by free
/// memory, separately. Device i computes its samples in microbatches of its own
/// size m_i, l_i of them, and minimizes
///
///   max_i (F_i + K_i) and max_i F_i + max_i K_i, with
///   F_i = sum over layers of max(AG, l_i tf(m_i))
///   K_i = sum over layers of max(AG + RS, l_i tb(m_i))
///
/// for each way to hold state, with and without recomputation: the first as
/// published, the second because devices wait for each other in between. By
/// bisection instead of the published cubic recurrence (BatchSplit.h); near
/// linear in the batch. Ties go to who computes least, and then to the fewest
/// microbatches that fit.
///
/// Tries all devices; those that are left without the slowest classes, nodes or
/// sites, or where some come out idle; and one, two, four, ... microbatches of
/// the plan where memory limits fewer. The layout that evaluates best wins,
/// also over those of `dp-even` and `dp-proportional`. As released it is the
/// first sum for all devices, all state divided, one microbatch.
llvm::Expected<Plan> planCephalo(const Problem &problem,
                                 const cluster::Cluster &cluster,
                                 const PlannerOptions &options = {});

/// Pipeline stages inside of sub-clusters (devices of one class in one node, or
/// in one site if there are many), after a published system: for orders of the
/// sub-clusters and numbers of microbatches M, a dynamic program for each
/// possible period p from the last layer to the first chooses layers, mesh,
/// tensor degree, state mode and recompute of each stage. It minimizes
///
///   sum_i (t_i + k_i + g_i) + (M - 1) p,  all t_i, k_i, g_i <= p
///
/// with t forward and backward and a share of gather, reduce and update, k one
/// crossing and g the way back of its gradient, where n_last = 1,
/// n_i = n_{i+1} + 1 + ceil((k_i + g_i) / p) microbatches in flight must fit;
/// the best are also tried with the published counts, which are fewer. Finds
/// the optimum of that for few devices and layers; more are thinned. Devices
/// may be left out; samples and state are divided evenly. O(orders * microbatch
/// counts * periods * layers^2 * positions^2). Does not take layers that are
/// pinned to stages.
llvm::Expected<Plan> planHarp(const Problem &problem,
                              const cluster::Cluster &cluster,
                              const PlannerOptions &options = {});

/// Pipeline stages across unequal sub-clusters, quickly. For orders of the
/// sub-clusters and numbers of microbatches, a dynamic program from the last
/// stage to the first chooses layers, devices, tensor degree, state mode and
/// recompute of each stage; devices may be left out. It minimizes
///
///   max_i (r_i + e_i) + (M - 1) max_i (t_i, k_i, r_i / n_i)
///
/// with t forward and backward of a stage, k one crossing of a boundary,
/// r_i = sum_{j >= i} (t_j + 2 k_j) the way of a microbatch from stage i on, e
/// gather, reduce and update, and n the in-flight count that memory allows. It
/// keeps several labels in each state. The best candidates, and the plans of
/// `single`, `dp-even` and `dp-proportional`, are evaluated with their
/// schedule, and the fastest wins. O(orders * microbatch counts * layers^2 *
/// positions^2).
llvm::Expected<Plan> planStages(const Problem &problem,
                                const cluster::Cluster &cluster,
                                const PlannerOptions &options = {});

/// Everything together: the fastest plan that is found by the search of
/// planStages with more orders (also with classes interleaved, or one around
/// the others), and by local search from its best designs and from the plans of
/// all baselines: cuts, rows of devices, order, options, microbatches and
/// stages change one at a time. Samples go by speed inside of a stage, state by
/// memory, in-flight counts by what is fastest. Never slower than a baseline,
/// because their plans are candidates. Stops early at `timeBudget`. Work is
/// otherwise counted, so that the result is the same everywhere. Fails only if
/// no design and no baseline fits.
llvm::Expected<Plan> planJoint(const Problem &problem,
                               const cluster::Cluster &cluster,
                               const PlannerOptions &options = {});

/// The best of all plans with microbatches that differ by at most one sample:
/// all cuts, devices, tensor degrees, state modes, divisions of samples and
/// in-flight counts. Only what is slower than the best plan so far in one stage
/// alone is left out. Exponential in layers and devices; gives up after
/// `maxPlans`. The oracle that other planners are tested with.
llvm::Expected<Plan> planExhaustive(const Problem &problem,
                                    const cluster::Cluster &cluster,
                                    const PlannerOptions &options = {});

/// One SPMD program for all devices (Spmd.h): program and shares are solved in
/// turn, the program as a cost graph with proven optimality, the shares as a
/// linear program. Works on `options.graph`, or on the layers of the problem as
/// operations. The plan has one stage with the samples by the shares and state
/// as it is fastest; also tried without the slowest classes of devices.
/// Polynomial but for the last step of the solver, which is limited: a step of
/// 10,000 operations takes some tenths of a second.
llvm::Expected<Plan> planSpmd(const Problem &problem,
                              const cluster::Cluster &cluster,
                              const PlannerOptions &options = {});

/// The same with the published search, A* over programs (searchInTurn).
/// Exponential where its bound is not tight, therefore narrowed on large
/// graphs. Stops early at `timeBudget`.
llvm::Expected<Plan> planHap(const Problem &problem,
                             const cluster::Cluster &cluster,
                             const PlannerOptions &options = {});

/// The layers of a problem as a graph: for each a forward, a backward and an
/// update. Layers are not divided along a model dimension in it.
Graph makeGraph(const Problem &problem);

/// A planner by its name on the command line.
struct PlannerEntry {
  llvm::StringLiteral name;
  llvm::StringLiteral summary;
  llvm::Expected<Plan> (*plan)(const Problem &, const cluster::Cluster &,
                               const PlannerOptions &);
  /// Whether planJoint starts from it.
  bool isBaseline = true;
};

/// All planners, by name.
llvm::ArrayRef<PlannerEntry> planners();

/// Runs the planner called `name`; an unknown name is an error that lists them.
llvm::Expected<Plan> runPlanner(llvm::StringRef name, const Problem &problem,
                                const cluster::Cluster &cluster,
                                const PlannerOptions &options = {});

} // namespace hetero::planner

#endif // HETERO_PLANNER_PLANNERS_H
