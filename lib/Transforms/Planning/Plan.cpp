//===- Plan.cpp - Plans a step for its cluster ----------------------------===//
//
// Part of the hetero project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PlanTrial.h"
#include "StateLayout.h"
#include "WriteSpmd.h"
#include "hetero/Analysis/BatchAxis.h"
#include "hetero/Analysis/ClusterValue.h"
#include "hetero/Analysis/PlanValue.h"
#include "hetero/Analysis/Roles.h"
#include "hetero/Analysis/Step.h"
#include "hetero/Analysis/StepGraph.h"
#include "hetero/Analysis/StepProblem.h"
#include "hetero/Analysis/UserShardings.h"
#include "hetero/Planner/Driver/Planners.h"
#include "hetero/Planner/Model/Evaluate.h"
#include "hetero/Planner/Model/QuickBound.h"
#include "hetero/Planner/Spmd/HapSearch.h"
#include "hetero/Transforms/Planning/Passes.h"
#include "mlir/Pass/PassManager.h"

namespace hetero {
#define GEN_PASS_DEF_PLANPASS
#include "hetero/Transforms/Planning/Passes.h.inc"
} // namespace hetero

using namespace mlir;
using namespace hetero;

namespace {
/// A plan, and what it says of single values.
struct FoundPlan {
  planner::Plan plan;
  StateLayout layout;
  /// How single operations are divided, if the plan says so.
  std::optional<planner::SpmdSolution> program;
};

struct PlanPass : public hetero::impl::PlanPassBase<PlanPass> {
  using PlanPassBase::PlanPassBase;
  void runOnOperation() override;

private:
  LogicalResult checkStep(func::FuncOp step);
  LogicalResult formLayers();
  FailureOr<planner::PlannerOptions> getOptions();
  LogicalResult addConstraints(func::FuncOp step, const StepLayers &layers,
                               int64_t numDevices, planner::Problem &problem);
  LogicalResult addMicrobatches(func::FuncOp step, planner::Problem &problem);
  FailureOr<TensorSplits>
  addTensorSplits(func::FuncOp step, const FormAnalysis &forms,
                  const StepLayers &layers, const cluster::Cluster &cluster,
                  const UserShardings &user, planner::Problem &problem);
  FailureOr<FoundPlan> findPlan(func::FuncOp step, const FormAnalysis &forms,
                                const StepLayers &layers,
                                const cluster::Cluster &cluster,
                                planner::Problem &problem);
  SmallVector<std::pair<std::vector<int64_t>, planner::SpmdSolution>>
  solvePrograms(const planner::Graph &graph, const planner::Problem &problem,
                const cluster::Cluster &cluster);
  bool mayDivideOperations(const UserShardings &user,
                           const planner::Problem &problem);
  FailureOr<FoundPlan> findPlanOfLayers(func::FuncOp step,
                                        const StepLayers &layers,
                                        const cluster::Cluster &cluster,
                                        const planner::Problem &problem,
                                        const UserShardings &user,
                                        const TensorSplits &splits,
                                        planner::PlannerOptions &options);
  std::optional<FoundPlan> findProgram(const planner::Graph &graph,
                                       const planner::Problem &problem,
                                       const cluster::Cluster &cluster,
                                       std::optional<Time> below = {});
  FailureOr<std::map<int64_t, int64_t>> measure(const FoundPlan &found);
  SmallVector<Bytes> tryPlan(const FoundPlan &found,
                             const cluster::Cluster &cluster, bool &fitsBarely);
  LogicalResult reportNoPlan(func::FuncOp step, llvm::Error error,
                             const cluster::Cluster &cluster,
                             const cluster::Cluster &tight);
};
} // namespace

//===----------------------------------------------------------------------===//
// What is asked
//===----------------------------------------------------------------------===//

LogicalResult PlanPass::checkStep(func::FuncOp step) {
  StepRoles roles = getRoles(step);
  if (!llvm::any_of(roles.arguments, [](RoleAttr role) { return role; }))
    return step.emitError("has no hetero.role on its arguments; run "
                          "hetero-import first");
  if (!roles.isStep())
    return step.emitError("returns no next value of any argument, so there is "
                          "nothing to train; return the updated parameters");
  return success();
}

LogicalResult PlanPass::formLayers() {
  OpPassManager manager(ModuleOp::getOperationName());
  manager.addPass(createFormLayersPass());
  return runPipeline(manager, getOperation());
}

FailureOr<planner::PlannerOptions> PlanPass::getOptions() {
  planner::PlannerOptions options;
  if (schedule != "auto") {
    std::optional<simulator::ScheduleKind> kind =
        simulator::parseScheduleKind(schedule);
    if (!kind)
      return getOperation().emitError()
             << "unknown kind of schedule '" << schedule << "'; one of: auto, "
             << simulator::listScheduleKinds();
    options.schedule = *kind;
    options.otherSchedules.clear();
  }
  // What hetero-partition can write: it divides state over all members of an
  // axis.
  llvm::erase(options.stateModes, planner::StateMode::Node);
  if (!state.empty())
    options.stateModes.clear();
  for (StringRef name : state) {
    bool known = false;
    for (planner::StateMode mode :
         {planner::StateMode::Replicated, planner::StateMode::Optimizer,
          planner::StateMode::Full})
      if (stringify(mode) == name) {
        options.stateModes.push_back(mode);
        known = true;
      }
    if (!known)
      return getOperation().emitError()
             << "unknown way to hold state '" << name
             << "'; one of: replicated, optimizer, full";
  }
  return options;
}

/// One number is how many there are, of sizes that differ by at most one;
/// several are the sizes.
LogicalResult PlanPass::addMicrobatches(func::FuncOp step,
                                        planner::Problem &problem) {
  SmallVector<int64_t> sizes(microbatches.begin(), microbatches.end());
  if (sizes.empty())
    return success();
  int64_t sum = 0;
  for (int64_t size : sizes) {
    if (size < 1)
      return step.emitError() << "the step cannot have microbatches=" << size
                              << "; it must be at least 1";
    sum += std::min(size, INT64_MAX / int64_t(sizes.size()));
  }
  if (sizes.size() == 1) {
    int64_t count = sizes.front();
    if (count > problem.batch)
      return step.emitError()
             << "the step has a batch of " << problem.batch
             << " samples, which cannot make " << count << " microbatches";
    problem.constraints.microbatches.assign(count, problem.batch / count);
    for (int64_t i = 0; i < problem.batch % count; ++i)
      ++problem.constraints.microbatches[i];
    return success();
  }
  if (sum != problem.batch)
    return step.emitError() << "the step has a batch of " << problem.batch
                            << " samples, but the microbatches make " << sum;
  problem.constraints.microbatches.assign(sizes.begin(), sizes.end());
  return success();
}

LogicalResult PlanPass::addConstraints(func::FuncOp step,
                                       const StepLayers &layers,
                                       int64_t numDevices,
                                       planner::Problem &problem) {
  if (maxStages < 0)
    return getOperation().emitError() << "max-stages is " << int64_t(maxStages)
                                      << " and must be at least 1";
  if (maxStages > 0)
    problem.constraints.maxStages = maxStages;
  for (int64_t device : without)
    if (device < 0 || device >= numDevices)
      return getOperation().emitError()
             << "without names device " << device
             << ", but the cluster has devices 0 to " << numDevices - 1;
  problem.constraints.forbiddenDevices.assign(without.begin(), without.end());
  return failure(failed(addMicrobatches(step, problem)) ||
                 failed(addPins(step, layers, problem)));
}

/// The most devices of one class in one node.
static int64_t countAlike(const cluster::Cluster &cluster) {
  int64_t most = 1;
  std::map<std::pair<int64_t, int64_t>, int64_t> alike;
  for (int64_t rank : cluster.availableDevices())
    most = std::max(most, ++alike[{cluster.devices[rank].node,
                                   cluster.devices[rank].deviceClass}]);
  return most;
}

/// Says of each layer over how many devices it can be divided, where there are
/// that many alike in a node.
FailureOr<TensorSplits> PlanPass::addTensorSplits(
    func::FuncOp step, const FormAnalysis &forms, const StepLayers &layers,
    const cluster::Cluster &cluster, const UserShardings &user,
    planner::Problem &problem) {
  int64_t most = countAlike(cluster);
  int64_t degree = tensor;
  if (user.tensor != 1) {
    if (degree != 0 && degree != user.tensor)
      return emitError(step.getArgument(user.tensorDims.front().first).getLoc())
             << "sdy.sharding asks for " << user.tensor
             << " parts, but tensor is " << degree;
    degree = user.tensor;
  }
  if (degree < 0 || degree > most)
    return getOperation().emitError()
           << (user.tensor != 1 ? "sdy.sharding on arguments asks for "
                                : "tensor asks for ")
           << degree
           << " parts, but the most devices of one class in one node are "
           << most;
  if (degree != 0)
    problem.constraints.tensor = degree;
  if (most < 2 || degree == 1)
    return TensorSplits();
  TensorSplits splits = findTensorSplits(step, forms, layers, user.tensorDims);
  hetero::addTensorSplits(splits, std::min(most, largestTensorDegree), problem);
  for (planner::Layer &layer : problem.layers)
    allowTensorDegree(degree, layer);
  return splits;
}

/// By class, how much memory a device lacks for the state in exact rows and all
/// that the plan has counted beside it; empty if that fits everywhere.
static SmallVector<Bytes> findShortage(const planner::Plan &plan,
                                       const cluster::Cluster &cluster) {
  SmallVector<Bytes> shortage;
  for (const planner::Stage &stage : plan.stages)
    for (const planner::DeviceShare &share : stage.shares) {
      int64_t kind = cluster.devices[share.device].deviceClass;
      Bytes usable = cluster.classes[kind].usableMemory();
      if (share.memory <= usable)
        continue;
      shortage.resize(cluster.classes.size(), Bytes(0));
      shortage[kind] = std::max(shortage[kind], share.memory - usable);
    }
  return shortage;
}

/// The plan in microbatches, if its devices compute only some samples at a
/// time. What that lacks in memory is found with the rest.
static std::optional<planner::Plan> getTurns(const planner::Problem &problem,
                                             const cluster::Cluster &cluster,
                                             const planner::Plan &plan) {
  if (llvm::none_of(plan.stages, [](const planner::Stage &stage) {
        return llvm::any_of(
            stage.shares, [](const auto &share) { return bool(share.micro); });
      }))
    return std::nullopt;
  std::optional<planner::Plan> turns = planner::divideIntoTurns(plan);
  if (!turns)
    return std::nullopt;
  // Turns are no microbatches that a user has asked for.
  planner::Problem free = problem;
  free.constraints.microbatches.clear();
  free.constraints.maxMicrobatches.reset();
  llvm::consumeError(planner::evaluate(free, cluster, *turns));
  return turns;
}

static PlanOp writePlan(ModuleOp module, const FoundPlan &found);

/// The most bytes that each rank of the plan's program needs.
FailureOr<std::map<int64_t, int64_t>>
PlanPass::measure(const FoundPlan &found) {
  OwningOpRef<ModuleOp> copy(getOperation().clone());
  writePlan(*copy, found);
  return measureMemory(*copy, schedule);
}

static Bytes getUsable(const cluster::Cluster &cluster, int64_t device) {
  return cluster.classes[cluster.devices[device].deviceClass].usableMemory();
}

/// What kernels take beside what their operations say, as a share of all:
/// operands that are packed for a product, sums in parts. A sixteenth was seen
/// in a BERT of 570 KiB; it is less in larger ones. Where no plan leaves that
/// much, two thirds of it have to do.
static constexpr int64_t kernelShare = 16, leastKernelShare = 24;

/// As findShortage, by the program of the plan. Planners count on less than a
/// program may need, but not on less than half of it. `fitsBarely` says whether
/// it leaves a little for what kernels may take.
SmallVector<Bytes> PlanPass::tryPlan(const FoundPlan &found,
                                     const cluster::Cluster &cluster,
                                     bool &fitsBarely) {
  fitsBarely = true;
  bool isFull =
      llvm::any_of(found.plan.stages, [&](const planner::Stage &stage) {
        return llvm::any_of(
            stage.shares, [&](const planner::DeviceShare &share) {
              return share.memory * 2 > getUsable(cluster, share.device);
            });
      });
  SmallVector<Bytes> shortage;
  if (!isFull)
    return shortage;
  FailureOr<std::map<int64_t, int64_t>> needs = measure(found);
  if (failed(needs))
    return shortage;
  for (auto [device, bytes] : *needs) {
    Bytes usable = getUsable(cluster, device);
    Bytes needed(bytes + bytes / kernelShare);
    if (needed <= usable)
      continue;
    fitsBarely &= Bytes(bytes + bytes / leastKernelShare) <= usable;
    shortage.resize(cluster.classes.size(), Bytes(0));
    Bytes &missing = shortage[cluster.devices[device].deviceClass];
    missing = std::max(missing, needed - usable);
  }
  return shortage;
}

/// On more devices `joint` does not look for a program of single operations:
/// that would take longer than its own search, and one microbatch for so many
/// devices leaves each of them little to do.
static constexpr size_t mostDevicesOfProgram = 64;

/// All devices that may be used, those that are left without the slowest
/// classes, and the fastest one.
static SmallVector<std::vector<int64_t>>
getDeviceSets(const planner::Graph &graph, const planner::Problem &problem,
              const cluster::Cluster &cluster) {
  std::vector<int64_t> devices;
  for (int64_t device : cluster.availableDevices())
    if (!llvm::is_contained(problem.constraints.forbiddenDevices, device))
      devices.push_back(device);
  std::vector<double> shares = planner::getSpeedShares(graph, cluster, devices);
  // By class, from the slowest to the fastest.
  std::map<double, SmallVector<int64_t>> bySpeed;
  for (auto [device, share] : llvm::zip_equal(devices, shares))
    bySpeed[share].push_back(device);
  SmallVector<std::vector<int64_t>> sets;
  for (auto &[speed, slowest] : bySpeed) {
    sets.push_back(devices);
    llvm::erase_if(devices, [&, &slowest = slowest](int64_t device) {
      return llvm::is_contained(slowest, device);
    });
  }
  if (!sets.empty() && sets.back().size() > 1)
    sets.push_back({sets.back().front()});
  return sets;
}

/// Programs that divide single operations, the fastest first; those of one
/// device are there for comparison.
SmallVector<std::pair<std::vector<int64_t>, planner::SpmdSolution>>
PlanPass::solvePrograms(const planner::Graph &graph,
                        const planner::Problem &problem,
                        const cluster::Cluster &cluster) {
  SmallVector<std::pair<std::vector<int64_t>, planner::SpmdSolution>> solutions;
  SmallVector<std::vector<int64_t>> sets =
      getDeviceSets(graph, problem, cluster);
  planner::SpmdOptions synthesis;
  planner::HapOptions search;
  synthesis.replicatedState = search.replicatedState = !state.empty();
  // What was published uses all devices.
  if (plannerName == "hap" && !sets.empty())
    sets.resize(1);
  for (const std::vector<int64_t> &devices : sets) {
    llvm::Expected<planner::SpmdSolution> solution =
        plannerName == "hap"
            ? planner::searchInTurn(graph, cluster, devices, search)
            : planner::synthesize(graph, cluster, devices, synthesis);
    if (solution)
      solutions.push_back({devices, std::move(*solution)});
    else
      llvm::consumeError(solution.takeError());
  }
  llvm::stable_sort(solutions, [](const auto &left, const auto &right) {
    return left.second.time() < right.second.time();
  });
  return solutions;
}

/// The best program that divides single operations and fits, as a plan of one
/// stage whose devices all see the whole batch. Nothing if there is none, if
/// one device is as fast, or if it takes as long as `below`.
std::optional<FoundPlan> PlanPass::findProgram(const planner::Graph &graph,
                                               const planner::Problem &problem,
                                               const cluster::Cluster &cluster,
                                               std::optional<Time> below) {
  Time bound = planner::computeWorkBound(problem, cluster);
  for (auto &[devices, solution] : solvePrograms(graph, problem, cluster)) {
    FoundPlan found;
    found.plan.planner = plannerName;
    found.plan.batch = problem.batch;
    found.plan.microbatches = {problem.batch};
    found.plan.predicted =
        Time::nearest(solution.time() * double(timePerSecond));
    if (devices.size() == 1 || (below && found.plan.predicted >= *below))
      return std::nullopt;
    found.plan.bound = bound;
    planner::Stage stage;
    stage.layers = {{0, int64_t(problem.layers.size()) - 1}};
    stage.mesh.devices = devices;
    stage.mesh.tensor = devices.size();
    stage.samples = {{problem.batch}};
    found.plan.stages.push_back(stage);
    found.program = std::move(solution);
    FailureOr<std::map<int64_t, int64_t>> needs = measure(found);
    if (failed(needs) || llvm::any_of(*needs, [&](auto need) {
          // There is another plan, so that nothing has to fit barely.
          int64_t more = below ? need.second / kernelShare : 0;
          return Bytes(need.second + more) > getUsable(cluster, need.first);
        }))
      continue;
    for (auto [member, device] : llvm::enumerate(devices)) {
      planner::DeviceShare part;
      part.device = device;
      part.memory = Bytes((*needs)[device]);
      part.state = planner::getStoredState(graph, *found.program, member);
      found.plan.stages[0].shares.push_back(part);
    }
    return found;
  }
  return std::nullopt;
}

/// Warns of a stage whose samples go to another number of devices than the user
/// has asked for.
static void warnOfOtherParts(func::FuncOp step, const UserShardings &user,
                             const planner::Plan &plan) {
  if (!user.data)
    return;
  auto [argument, parts] = *user.data;
  for (auto [index, stage] : llvm::enumerate(plan.stages))
    if (stage.mesh.data != parts) {
      emitWarning(step.getArgument(argument).getLoc())
          << "argument " << argument << ": sdy.sharding asks for " << parts
          << " parts of the samples, but stage " << index << " has "
          << stage.mesh.data << "; the planner decides";
      return;
    }
}

FailureOr<FoundPlan> PlanPass::findPlan(func::FuncOp step,
                                        const FormAnalysis &forms,
                                        const StepLayers &layers,
                                        const cluster::Cluster &cluster,
                                        planner::Problem &problem) {
  FailureOr<planner::PlannerOptions> options = getOptions();
  if (failed(options))
    return failure();
  // Without optimizer state there is nothing to divide in that way.
  if (state.empty() &&
      llvm::all_of(problem.layers, [](const planner::Layer &layer) {
        return layer.optimizerState == Bytes(0);
      }))
    llvm::erase(options->stateModes, planner::StateMode::Optimizer);
  FailureOr<UserShardings> user = readUserShardings(step);
  if (failed(user))
    return failure();
  if (!user->storageDims.empty() && state.empty())
    options->stateModes = {planner::StateMode::Full};
  FailureOr<TensorSplits> splits =
      addTensorSplits(step, forms, layers, cluster, *user, problem);
  if (failed(splits))
    return failure();
  // These divide single operations.
  if (plannerName == "spmd" || plannerName == "hap") {
    StepGraph graph = getGraph(step, problem.batch);
    options->graph = &graph.graph;
    if (mayDivideOperations(*user, problem))
      if (std::optional<FoundPlan> program =
              findProgram(graph.graph, problem, cluster))
        return std::move(*program);
    return findPlanOfLayers(step, layers, cluster, problem, *user, *splits,
                            *options);
  }
  FailureOr<FoundPlan> found = findPlanOfLayers(step, layers, cluster, problem,
                                                *user, *splits, *options);
  if (plannerName != "joint" || failed(found) ||
      !mayDivideOperations(*user, problem) ||
      cluster.availableDevices().size() > mostDevicesOfProgram)
    return found;
  // Where one program for all devices is faster than any plan of layers.
  StepGraph graph = getGraph(step, problem.batch);
  std::optional<FoundPlan> program = findProgram(
      graph.graph, problem, cluster, /*below=*/found->plan.predicted);
  return program ? FailureOr<FoundPlan>(std::move(*program)) : found;
}

/// Whether nobody else has decided what a program of single operations would.
bool PlanPass::mayDivideOperations(const UserShardings &user,
                                   const planner::Problem &problem) {
  bool isReplicated = llvm::all_of(state, [](StringRef name) {
    return name == stringify(planner::StateMode::Replicated);
  });
  return microbatches.empty() && isReplicated && tensor == 0 &&
         schedule == "auto" && user.tensorDims.empty() &&
         user.storageDims.empty() && !user.data &&
         problem.constraints.pins.empty();
}

FailureOr<FoundPlan> PlanPass::findPlanOfLayers(
    func::FuncOp step, const StepLayers &layers,
    const cluster::Cluster &cluster, const planner::Problem &problem,
    const UserShardings &user, const TensorSplits &splits,
    planner::PlannerOptions &options) {
  cluster::Cluster tight = cluster;
  bool isTight = false;
  // The first plan that leaves little.
  std::optional<FoundPlan> barely;
  constexpr int maxRounds = 12;
  for (int round = 0; round < maxRounds; ++round) {
    llvm::Expected<planner::Plan> plan =
        planner::runPlanner(plannerName, problem, tight, options);
    if (!plan && barely) {
      llvm::consumeError(plan.takeError());
      break;
    }
    if (!plan)
      return reportNoPlan(step, plan.takeError(), cluster, tight);
    if (std::optional<planner::Plan> turns = getTurns(problem, tight, *plan))
      *plan = std::move(*turns);
    FoundPlan found;
    found.layout = layOutState(step, layers, splits, user.storageDims, *plan);
    found.plan = std::move(*plan);
    SmallVector<Bytes> shortage = findShortage(found.plan, cluster);
    bool hasRows = shortage.empty(), fitsBarely = false;
    if (hasRows)
      shortage = tryPlan(found, cluster, fitsBarely);
    // A bound for less memory is none for all of it.
    if (isTight)
      found.plan.bound = Time(0);
    if (shortage.empty()) {
      warnOfOtherParts(step, user, found.plan);
      return found;
    }
    if (fitsBarely && !barely)
      barely = found;
    // Planners take all of a layer to be divided. Where that is not so and the
    // rest does not fit, layers stay whole.
    bool divides =
        llvm::any_of(found.plan.stages, [](const planner::Stage &stage) {
          return stage.mesh.tensor > 1;
        });
    if (!hasRows && divides && !problem.constraints.tensor &&
        options.tensorParallel) {
      options.tensorParallel = false;
      continue;
    }
    // They divide state anywhere, and rows are whole; their temporaries are
    // estimates: that much less is free, and ever more, so that this ends soon.
    isTight = true;
    for (auto [kind, bytes] : llvm::zip_equal(tight.classes, shortage))
      kind.reserved =
          std::min(kind.memory, kind.reserved + bytes * (1 + round));
  }
  if (barely) {
    warnOfOtherParts(step, user, barely->plan);
    return std::move(*barely);
  }
  return LogicalResult(
      step.emitError()
      << "the planner '" << plannerName
      << "' finds no plan whose program fits the memory of its devices");
}

LogicalResult PlanPass::reportNoPlan(func::FuncOp step, llvm::Error error,
                                     const cluster::Cluster &cluster,
                                     const cluster::Cluster &tight) {
  InFlightDiagnostic report = step.emitError()
                              << llvm::toString(std::move(error));
  for (auto [kind, less] : llvm::zip_equal(cluster.classes, tight.classes))
    if (less.reserved != kind.reserved)
      report.attachNote(step.getLoc())
          << "of a " << kind.name << ", "
          << (less.reserved - kind.reserved).count()
          << " bytes were kept back, because the program of another plan needs "
             "so much more than was planned";
  return report;
}

//===----------------------------------------------------------------------===//
// What is answered
//===----------------------------------------------------------------------===//

static AxisShardingAttr toAttr(const StateLayout::Split &split, ArrayAttr axes,
                               MLIRContext *context) {
  SmallVector<StringAttr> names(axes.getAsRange<StringAttr>());
  return AxisShardingAttr::get(context, names,
                               SplitAttr::get(context, split.form.dim,
                                              split.form.outer,
                                              split.form.inner, split.sizes),
                               ReductionKind::Sum);
}

/// Puts what the plan decides about single values on them.
static void annotate(func::FuncOp step, PlanOp plan,
                     const StateLayout &layout) {
  MLIRContext *context = step.getContext();
  SmallVector<StageOp, 4> stages = plan.getStages();
  auto tensorAxes =
      ArrayAttr::get(context, {Attribute(StringAttr::get(context, "tensor"))});
  for (unsigned index = 0; index < step.getNumArguments(); ++index) {
    const std::optional<StateLayout::Split> &tensor = layout.tensor[index],
                                            &storage = layout.storage[index];
    SmallVector<AxisShardingAttr> entries;
    if (tensor) {
      entries.push_back(toAttr(*tensor, tensorAxes, context));
      step.setArgAttr(index, HeteroDialect::getShardingAttrName(),
                      ShardingAttr::get(context,
                                        stages[tensor->stage].getMeshAttr(),
                                        entries));
    }
    if (storage) {
      StageOp stage = stages[storage->stage];
      entries.insert(entries.begin(),
                     toAttr(*storage, stage.getBatchAxes(), context));
      step.setArgAttr(index, HeteroDialect::getStorageAttrName(),
                      ShardingAttr::get(context, stage.getMeshAttr(), entries));
    }
  }
  // A mesh that a pin named may be a larger one than that of the stage.
  for (Operation &op : step.getBody().front())
    if (auto placement = op.getAttrOfType<PlacementAttr>(
            HeteroDialect::getPlacementAttrName());
        placement && placement.getMesh() &&
        placement.getStage() < int64_t(stages.size()))
      op.setAttr(HeteroDialect::getPlacementAttrName(),
                 PlacementAttr::get(context, placement.getStage(),
                                    stages[placement.getStage()].getMeshAttr(),
                                    placement.getChunk()));
}

/// Writes the plan before the step of the module, which has layers.
static PlanOp writePlan(ModuleOp module, const FoundPlan &found) {
  func::FuncOp step = *getStep(module);
  OpBuilder builder(step);
  PlanOp op = createPlan(builder, step.getLoc(), found.plan, step.getSymName(),
                         *module.getOps<LayerTableOp>().begin());
  if (!found.program)
    annotate(step, op, found.layout);
  else {
    auto mesh = SymbolTable::lookupNearestSymbolFrom<MeshOp>(
        op, op.getStages()[0].getMeshAttr());
    writeSpmdProgram(step, found.plan.batch, *found.program, mesh);
  }
  return op;
}

void PlanPass::runOnOperation() {
  ModuleOp module = getOperation();
  if (!module.getOps<PlanOp>().empty())
    return;
  FailureOr<func::FuncOp> step = getStep(module);
  if (failed(step) || failed(checkStep(*step)))
    return signalPassFailure();
  auto clusters = module.getOps<ClusterOp>();
  if (clusters.empty()) {
    module.emitError("has no hetero.cluster; run hetero-attach-cluster first");
    return signalPassFailure();
  }
  FailureOr<cluster::Cluster> cluster = getCluster(*clusters.begin());
  FailureOr<FormAxis> axis = getBatchAxis(*step);
  if (failed(cluster) || failed(axis))
    return signalPassFailure();
  if (module.getOps<LayerTableOp>().empty() && failed(formLayers()))
    return signalPassFailure();
  FailureOr<StepLayers> layers = readLayers(*step);
  if (failed(layers))
    return signalPassFailure();
  FormAnalysis forms(step->getBody().front(), std::move(*axis));
  planner::Problem problem = getProblem(*step, forms, *layers);
  if (failed(addConstraints(*step, *layers, cluster->devices.size(), problem)))
    return signalPassFailure();
  FailureOr<FoundPlan> found =
      findPlan(*step, forms, *layers, *cluster, problem);
  if (failed(found))
    return signalPassFailure();
  writePlan(module, *found);
  auto isDivided = [](const std::optional<StateLayout::Split> &split) {
    return split.has_value();
  };
  numDivided += llvm::count_if(found->layout.storage, isDivided);
  numSplit += llvm::count_if(found->layout.tensor, isDivided);
  numStages += found->plan.stages.size();
  numMicrobatches += found->plan.microbatches.size();
}
