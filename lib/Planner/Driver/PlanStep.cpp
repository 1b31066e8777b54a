//===- PlanStep.cpp - One driver for all who plan -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Planner/Driver/PlanStep.h"
#include "hetero/Planner/Driver/Planners.h"
#include "hetero/Planner/Model/Evaluate.h"
#include "hetero/Planner/Model/QuickBound.h"
#include "hetero/Planner/Problem/UsableDevices.h"
#include "hetero/Planner/Spmd/DeviceSets.h"
#include "hetero/Planner/Spmd/HapSearch.h"
#include "hetero/Support/ApproximateAmount.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace hetero;
using namespace hetero::planner;
using hetero::cluster::Cluster;

/// What a program needs, and a little more: the check of memory says what the
/// runtime takes up to 0.05 % (test/Run/test_memory.py), and buffers that
/// libraries allocate on their own are not in it.
static Bytes addMargin(Bytes needed) {
  return Bytes(needed.count() + needed.count() / 256);
}

/// Programs of few devices that fill half of the memory by formulas need all of
/// it at worst: planners count on less than a program may need, but not on less
/// than half of it. Plans that fill less are not measured.
static constexpr int64_t mayNeedTimes = 2;

/// How often a planner is asked again because memory was short. What is kept
/// back grows with each round, so that this many have always been enough to end
/// with a plan that fits or with an error.
static constexpr int mostRounds = 12;

/// On more devices `joint` does not look for a program of single operations:
/// that would take longer than its own search, and one microbatch for so many
/// devices leaves each of them little to do.
static constexpr size_t mostDevicesOfProgram = 64;

PlanTrial::~PlanTrial() = default;

char NoPlanError::ID;

void NoPlanError::log(raw_ostream &os) const {
  os << message;
  for (const std::string &note : notes)
    os << "\nnote: " << note;
}

namespace {
/// By class of devices, how many bytes a device lacks; empty if none does.
using ClassShortage = std::vector<Bytes>;

/// One call of planStep.
class Driver {
public:
  Driver(const StepModel &model, const Cluster &cluster,
         const PlanRequest &request)
      : model(model), cluster(cluster), request(request),
        problem(model.problem) {}

  Expected<StepPlan> run(const PlanListener &listener);

private:
  void keepToPrograms();
  bool mayDivideOperations() const;
  Expected<StepPlan> findLayers();
  std::optional<StepPlan> findProgram(std::optional<Time> below);
  std::vector<DeviceProgram> solvePrograms(std::optional<Time> below) const;
  bool fill(StepPlan &found, const std::vector<int64_t> &devices) const;
  void addNeed(int64_t device, Bytes needed, ClassShortage &shortage) const;
  ClassShortage findShortage(const Plan &plan) const;
  ClassShortage measure(const StepPlan &found) const;
  Error explain(Error error, const Cluster &tight) const;
  Bytes getUsable(int64_t device) const {
    return cluster.classOf(device).usableMemory();
  }

  const StepModel &model;
  const Cluster &cluster;
  const PlanRequest &request;
  Problem problem;
  PlannerOptions options;
};
} // namespace

/// What programs can do: they divide state over all devices of an axis.
void Driver::keepToPrograms() {
  if (!request.state.empty())
    return;
  llvm::erase(options.stateModes, StateMode::Node);
  // Without optimizer state there is nothing to divide in that way.
  if (all_of(problem.layers, [](const Layer &layer) {
        return layer.optimizerState == Bytes(0);
      }))
    llvm::erase(options.stateModes, StateMode::Optimizer);
}

/// Whether nobody has decided what a program of single operations would.
bool Driver::mayDivideOperations() const {
  bool isReplicated = all_of(request.state, [](StringRef name) {
    return name == stringify(StateMode::Replicated);
  });
  return model.graph && model.trial && !model.hasShardings && isReplicated &&
         request.microbatches.empty() && request.tensor == 0 &&
         request.schedule == "auto" && problem.constraints.pins.empty();
}

Expected<StepPlan> Driver::run(const PlanListener &listener) {
  Expected<PlannerOptions> asked = getPlannerOptions(request);
  if (!asked)
    return asked.takeError();
  options = std::move(*asked);
  options.onBetter = listener.onBetter;
  options.log = listener.log;
  if (Error error = addConstraints(request, cluster, problem))
    return error;
  if (model.trial)
    keepToPrograms();
  bool divides = request.planner == "spmd" || request.planner == "hap";
  if (divides) {
    options.graph = model.graph;
    if (mayDivideOperations())
      if (std::optional<StepPlan> program = findProgram({}))
        return std::move(*program);
    return findLayers();
  }
  Expected<StepPlan> layers = findLayers();
  if (request.planner != "joint" || !mayDivideOperations() ||
      usableDevices(problem, cluster).size() > mostDevicesOfProgram)
    return layers;
  // Where one program for all devices is faster than any plan of layers.
  std::optional<Time> below;
  if (layers)
    below = layers->plan.predicted;
  std::optional<StepPlan> program = findProgram(below);
  if (!program)
    return layers;
  if (!layers)
    consumeError(layers.takeError());
  return std::move(*program);
}

//===----------------------------------------------------------------------===//
// Plans of layers
//===----------------------------------------------------------------------===//

/// Notes what a device lacks of what it needs.
void Driver::addNeed(int64_t device, Bytes needed,
                     ClassShortage &shortage) const {
  Bytes usable = getUsable(device);
  if (needed <= usable)
    return;
  shortage.resize(cluster.classes.size());
  Bytes &missing = shortage[cluster.devices[device].deviceClass];
  missing = std::max(missing, needed - usable);
}

/// What devices lack for the state in whole rows and all that the plan has
/// counted beside it.
ClassShortage Driver::findShortage(const Plan &plan) const {
  ClassShortage shortage;
  for (const Stage &stage : plan.stages)
    for (const DeviceShare &share : stage.shares)
      addNeed(share.device, share.memory, shortage);
  return shortage;
}

/// The same by the program of the plan.
ClassShortage Driver::measure(const StepPlan &found) const {
  auto isFull = [&](const DeviceShare &share) {
    return share.memory * mayNeedTimes > getUsable(share.device);
  };
  ClassShortage shortage;
  if (none_of(found.plan.stages,
              [&](const Stage &stage) { return any_of(stage.shares, isFull); }))
    return shortage;
  auto needs = model.trial->measure(found, cluster);
  if (!needs)
    return shortage;
  for (auto [device, bytes] : *needs)
    addNeed(device, addMargin(bytes), shortage);
  return shortage;
}

/// The plan in microbatches, if its devices compute only some samples at a
/// time. What that lacks in memory is found with the rest.
static std::optional<Plan> getTurns(const Problem &problem,
                                    const Cluster &cluster, const Plan &plan) {
  auto hasTurns = [](const Stage &stage) {
    return any_of(stage.shares,
                  [](const DeviceShare &share) { return bool(share.micro); });
  };
  if (none_of(plan.stages, hasTurns))
    return std::nullopt;
  std::optional<Plan> turns = divideIntoTurns(plan);
  if (!turns)
    return std::nullopt;
  // Turns are no microbatches that a user has asked for.
  Problem free = problem;
  free.constraints.microbatches.clear();
  free.constraints.maxMicrobatches.reset();
  consumeError(evaluate(free, cluster, *turns));
  return turns;
}

/// An error of a planner, with what was kept back from it.
Error Driver::explain(Error error, const Cluster &tight) const {
  std::vector<std::string> notes;
  for (auto [kind, less] : zip_equal(cluster.classes, tight.classes))
    if (less.reserved != kind.reserved)
      notes.push_back("of a " + kind.name + ", " +
                      std::to_string((less.reserved - kind.reserved).count()) +
                      " bytes were kept back, because the program of another "
                      "plan needs so much more than was planned");
  if (notes.empty())
    return error;
  return make_error<NoPlanError>(toString(std::move(error)), std::move(notes));
}

Expected<StepPlan> Driver::findLayers() {
  Cluster tight = cluster;
  // Of all memory: what is found for less of it does not change that.
  Time bound;
  for (int round = 0; round < mostRounds; ++round) {
    Expected<Plan> plan = runPlanner(request.planner, problem, tight, options);
    if (!plan)
      return explain(plan.takeError(), tight);
    StepPlan found;
    found.plan = std::move(*plan);
    if (!model.trial)
      return found;
    if (std::optional<Plan> turns = getTurns(problem, tight, found.plan))
      found.plan = std::move(*turns);
    found.layout = model.trial->layOut(found.plan);
    ClassShortage shortage = findShortage(found.plan);
    bool fitsRows = shortage.empty();
    if (fitsRows)
      shortage = measure(found);
    if (round == 0)
      bound = found.plan.bound;
    found.plan.bound = std::min(bound, found.plan.predicted);
    if (options.log)
      *options.log << "driver: the program of a plan of "
                   << approximate(found.plan.predicted)
                   << (shortage.empty() ? " fits\n" : " does not fit\n");
    if (shortage.empty())
      return found;
    // Planners take all of a layer to be divided. Where that is not so and the
    // rest does not fit, layers stay whole.
    bool divides = any_of(found.plan.stages, [](const Stage &stage) {
      return stage.mesh.tensor > 1;
    });
    if (!fitsRows && divides && !problem.constraints.tensor &&
        options.tensorParallel) {
      options.tensorParallel = false;
      continue;
    }
    // They divide state anywhere, and rows are whole; their temporaries are
    // estimates: that much less is free, and ever more, so that this ends soon.
    for (auto [kind, bytes] : zip_equal(tight.classes, shortage))
      kind.reserved =
          std::min(kind.memory, kind.reserved + bytes * (1 + round));
  }
  return make_error<NoPlanError>(
      "the planner '" + request.planner +
          "' finds no plan whose program fits the memory of its devices",
      std::vector<std::string>());
}

//===----------------------------------------------------------------------===//
// Programs of single operations
//===----------------------------------------------------------------------===//

/// Programs that divide single operations and take less than `below`, the
/// fastest first; those of one device are there for comparison.
std::vector<DeviceProgram>
Driver::solvePrograms(std::optional<Time> below) const {
  std::vector<std::vector<int64_t>> sets =
      getDeviceSets(*model.graph, cluster, usableDevices(problem, cluster));
  // Where one device is as fast, joint knows a plan of layers for it.
  if (request.planner == "joint" && sets.size() > 1 && sets.back().size() == 1)
    sets.pop_back();
  if (sets.empty())
    return {};
  if (request.planner != "hap") {
    SpmdOptions synthesis;
    synthesis.replicatedState = !request.state.empty();
    if (below)
      synthesis.below = toSeconds(*below);
    return planner::solvePrograms(*model.graph, cluster, sets, synthesis);
  }
  // What was published uses all devices.
  HapOptions search;
  search.replicatedState = !request.state.empty();
  search.timeBudget = options.timeBudget;
  if (auto solution = expectedToOptional(
          searchInTurn(*model.graph, cluster, sets.front(), search)))
    return {{sets.front(), std::move(*solution)}};
  return {};
}

/// Gives the devices of a program their shares; false if it does not fit.
bool Driver::fill(StepPlan &found, const std::vector<int64_t> &devices) const {
  auto needs = model.trial->measure(found, cluster);
  if (!needs || any_of(*needs, [&](auto need) {
        return addMargin(need.second) > getUsable(need.first);
      }))
    return false;
  std::vector<Bytes> stored = getStoredState(*model.graph, *found.program);
  for (auto [device, state] : zip_equal(devices, stored))
    found.plan.stages[0].shares.push_back(
        {device, /*micro=*/std::nullopt, state, (*needs)[device]});
  return true;
}

/// The best program that fits. Nothing if there is none, if one device is as
/// fast, or if it takes as long as `below`.
std::optional<StepPlan> Driver::findProgram(std::optional<Time> below) {
  Time bound = computeWorkBound(problem, cluster);
  std::vector<DeviceProgram> programs = solvePrograms(below);
  if (options.log)
    *options.log << "driver: " << programs.size()
                 << " sets of devices have a program of single operations\n";
  for (auto &[devices, solution] : programs) {
    StepPlan found;
    found.plan.planner = request.planner;
    found.plan.batch = problem.batch;
    found.plan.microbatches = {problem.batch};
    found.plan.predicted =
        Time::nearest(solution.time() * double(timePerSecond));
    if (devices.size() == 1 || (below && found.plan.predicted >= *below))
      return std::nullopt;
    found.plan.bound = bound;
    Stage stage;
    stage.layers = {{0, int64_t(problem.layers.size()) - 1}};
    stage.mesh.devices = devices;
    stage.mesh.tensor = devices.size();
    stage.samples = {{problem.batch}};
    found.plan.stages.push_back(std::move(stage));
    found.program = std::move(solution);
    if (fill(found, devices))
      return found;
  }
  return std::nullopt;
}

Expected<StepPlan> hetero::planner::planStep(const StepModel &model,
                                             const Cluster &cluster,
                                             const PlanRequest &request,
                                             const PlanListener &listener) {
  return Driver(model, cluster, request).run(listener);
}
