//===- Exhaustive.cpp - All plans of a small problem ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Enumerates, stage by stage from the first layer on,
//
//   numbers of microbatches   those of microbatchOptions
//   layers                    all cuts
//   devices                   all numbers of each kind that are left; devices
//                             are of one kind if they have the same class and
//                             node and the same pins allow them
//   tensor degrees            all that divide the devices of each kind
//   state and recompute       all modes that the options allow
//   samples                   all divisions of a microbatch over the rows
//   in flight                 all counts that fit and do not rise
//
// and evaluates each plan as every other one. Only what cannot be better than
// the best plan so far is left out: a stage that computes for longer than that
// alone, or that recomputes where all microbatches fit without. Rows of one
// kind are alike, so that they have falling numbers of samples.

#include "hetero/Planner/Baselines/Exhaustive.h"
#include "hetero/Planner/Model/Microbatches.h"
#include "hetero/Planner/Model/VerifyPlan.h"
#include "hetero/Planner/Problem/UsableDevices.h"
#include "hetero/Planner/Search/StageSearch.h"
#include "llvm/ADT/STLExtras.h"
#include <set>

using namespace llvm;
using namespace hetero;
using namespace hetero::planner;
using hetero::cluster::Cluster;

/// How many stages are kept for one number of microbatches.
static constexpr int64_t mostDrafts = 1 << 19;

namespace {
/// A stage on its own: what it decides, how many microbatches it can have in
/// flight, and how long it computes in a step.
struct StageDraft {
  Stage stage;
  int64_t limit = 0;
  Time busy;
};

class Enumeration {
public:
  Enumeration(PlanBuilder &builder, Selection &selection, int64_t maxWork)
      : builder(builder), model(builder.model), problem(model.problem),
        cluster(model.cluster), options(builder.options), selection(selection),
        left(maxWork), deadline(options.timeBudget) {}

  /// Tries all plans with these microbatches; false if there are too many.
  bool run(ArrayRef<int64_t> microbatches);
  bool isOver() const { return deadline.isOver(); }

private:
  void findKinds();
  void chooseLayers(int64_t first);
  void chooseDevices(LayerRun layers, size_t kind,
                     std::vector<int64_t> &counts);
  void tryStages(LayerRun layers, ArrayRef<int64_t> counts);
  void chooseInFlight(Plan &plan, size_t stage);

  const std::vector<StageDraft> &drafts(LayerRun layers,
                                        ArrayRef<int64_t> counts);
  void addDrafts(Stage stage, std::vector<StageDraft> &list);
  void chooseSamples(Stage &stage, size_t size, size_t row, int64_t rest,
                     std::vector<StageDraft> &list);
  void addDraft(const Stage &stage, std::vector<StageDraft> &list);

  /// Whether there are too many, or there is no time for them.
  bool mustStop() const { return left < 0 || draftsLeft < 0 || isOver(); }
  bool isHopeless(Time busy) const {
    return selection.found() && busy >= selection.get()->plan.predicted;
  }

  PlanBuilder &builder;
  const StageModel &model;
  const Problem &problem;
  const Cluster &cluster;
  const PlannerOptions &options;
  Selection &selection;
  int64_t left, draftsLeft = 0;
  Deadline deadline;
  /// The devices of each kind, and how many of them are given to stages.
  std::vector<std::vector<int64_t>> kinds;
  std::vector<int64_t> used;
  /// The kind of each device.
  std::map<int64_t, size_t> kindOf;
  /// The plan that is being made, with what its stages can have in flight.
  Plan plan;
  std::vector<int64_t> limits;
  /// By first and last layer and the devices of each kind, the shortest first.
  std::map<std::tuple<int64_t, int64_t, std::vector<int64_t>>,
           std::vector<StageDraft>>
      cache;
};
} // namespace

void Enumeration::findKinds() {
  std::map<std::vector<int64_t>, size_t> indices;
  for (int64_t device : usableDevices(problem, cluster)) {
    std::vector<int64_t> key = {cluster.devices[device].node,
                                cluster.devices[device].deviceClass};
    for (const Pin &pin : problem.constraints.pins)
      key.push_back(is_contained(pin.devices, device));
    auto [entry, isNew] = indices.try_emplace(std::move(key), kinds.size());
    if (isNew)
      kinds.emplace_back();
    kinds[entry->second].push_back(device);
    kindOf[device] = entry->second;
  }
  used.assign(kinds.size(), 0);
}

//===----------------------------------------------------------------------===//
// Stages on their own
//===----------------------------------------------------------------------===//

void Enumeration::addDraft(const Stage &stage, std::vector<StageDraft> &list) {
  --left;
  StageDraft draft;
  draft.stage = stage;
  std::vector<int64_t> sizes = plan.distinctMicrobatches();
  for (auto [index, size] : enumerate(sizes)) {
    auto [forward, backward] = model.computeTimes(stage, index);
    draft.busy += (forward + backward) * llvm::count(plan.microbatches, size);
  }
  if (isHopeless(draft.busy))
    return;
  // Memory depends on whether there are neighbours, not on what they are.
  StagePlace place = {stage.layers.front().first == 0,
                      stage.layers.back().last + 1 ==
                          int64_t(problem.layers.size()),
                      int64_t(plan.microbatches.size())};
  draft.limit =
      StateDivision(model, draft.stage, place, Division::Proportional).limit();
  if (draft.limit < 1)
    return;
  --draftsLeft;
  list.push_back(draft);
}

/// All ways to divide the samples of the sizes from `size` on, beginning with
/// the row `row`.
void Enumeration::chooseSamples(Stage &stage, size_t size, size_t row,
                                int64_t rest, std::vector<StageDraft> &list) {
  std::vector<int64_t> sizes = plan.distinctMicrobatches();
  if (mustStop())
    return;
  std::vector<int64_t> &samples = stage.samples[size];
  if (row + 1 < samples.size()) {
    auto kindOfRow = [&](size_t index) {
      return kindOf[stage.mesh.devices[index * stage.mesh.tensor]];
    };
    int64_t most = row > 0 && kindOfRow(row) == kindOfRow(row - 1)
                       ? std::min(rest, samples[row - 1])
                       : rest;
    for (int64_t share = 0; share <= most; ++share) {
      samples[row] = share;
      chooseSamples(stage, size, row + 1, rest - share, list);
    }
    return;
  }
  samples[row] = rest;
  if (size + 1 < sizes.size())
    return chooseSamples(stage, size + 1, 0, sizes[size + 1], list);
  // A row that never has a sample is one of another set of devices.
  for (int64_t index = 0; index < stage.mesh.data; ++index)
    if (all_of(stage.samples,
               [&](ArrayRef<int64_t> shares) { return shares[index] == 0; }))
      return;
  addDraft(stage, list);
}

/// All modes, with and without recompute.
void Enumeration::addDrafts(Stage stage, std::vector<StageDraft> &list) {
  std::vector<int64_t> sizes = plan.distinctMicrobatches();
  stage.samples.assign(sizes.size(), std::vector<int64_t>(stage.mesh.data, 0));
  std::vector<StateMode> modes = {StateMode::Replicated};
  if (stage.mesh.data > 1)
    modes = options.stateModes;
  int64_t most = plan.microbatches.size();
  for (StateMode mode : modes) {
    // Those that have room for all microbatches.
    std::set<std::vector<std::vector<int64_t>>> roomy;
    for (bool recompute : {false, true}) {
      if (recompute && !options.recompute)
        continue;
      stage.state = mode;
      stage.recompute = recompute;
      std::vector<StageDraft> found;
      chooseSamples(stage, 0, 0, sizes.front(), found);
      for (StageDraft &draft : found) {
        if (recompute && roomy.count(draft.stage.samples) > 0)
          continue;
        if (!recompute && draft.limit >= most)
          roomy.insert(draft.stage.samples);
        list.push_back(std::move(draft));
      }
    }
  }
}

const std::vector<StageDraft> &Enumeration::drafts(LayerRun layers,
                                                   ArrayRef<int64_t> counts) {
  auto [entry, isNew] =
      cache.try_emplace({layers.first, layers.last, counts.vec()});
  std::vector<StageDraft> &list = entry->second;
  if (!isNew)
    return list;
  std::vector<int64_t> degrees = {1};
  if (options.tensorParallel)
    append_range(degrees, problem.layers[layers.first].tensorDegrees);
  sort(degrees);
  degrees.erase(llvm::unique(degrees), degrees.end());
  for (int64_t degree : degrees) {
    bool divides =
        all_of(counts, [&](int64_t count) { return count % degree == 0; });
    for (int64_t layer = layers.first; degree > 1 && layer <= layers.last;
         ++layer)
      divides &= is_contained(problem.layers[layer].tensorDegrees, degree);
    if (!divides)
      continue;
    // The first devices of a kind stand for all of them.
    Stage stage;
    stage.layers = {layers};
    for (auto [kind, count] : zip_equal(kinds, counts))
      for (int64_t device : ArrayRef(kind).take_front(count)) {
        stage.mesh.devices.push_back(device);
        stage.shares.emplace_back().device = device;
      }
    stage.mesh.tensor = degree;
    stage.mesh.data = stage.mesh.devices.size() / degree;
    if (stage.mesh.data <= plan.microbatches.front())
      addDrafts(stage, list);
  }
  stable_sort(list, [](const StageDraft &left, const StageDraft &right) {
    return left.busy < right.busy;
  });
  return list;
}

//===----------------------------------------------------------------------===//
// Plans
//===----------------------------------------------------------------------===//

void Enumeration::chooseInFlight(Plan &whole, size_t index) {
  if (mustStop())
    return;
  if (index < whole.stages.size()) {
    int64_t most = index == 0 ? whole.microbatches.size()
                              : whole.stages[index - 1].inFlight;
    for (int64_t count = std::min(limits[index], most); count >= 1; --count) {
      StateDivision(model, whole.stages[index], model.placeOf(whole, index),
                    Division::Proportional)
          .apply(count);
      chooseInFlight(whole, index + 1);
    }
    return;
  }
  --left;
  Candidate candidate = builder.complete(whole);
  if (!candidate.shortage &&
      !errorToBool(verifyStructure(model, candidate.plan)))
    selection.add(std::move(candidate));
}

void Enumeration::tryStages(LayerRun layers, ArrayRef<int64_t> counts) {
  for (const StageDraft &draft : drafts(layers, counts)) {
    if (isHopeless(draft.busy) || mustStop())
      return;
    Stage stage = draft.stage;
    // The devices of each kind that are left, instead of the first ones.
    for (auto [device, share] : zip_equal(stage.mesh.devices, stage.shares)) {
      size_t kind = kindOf[device];
      auto at = find(kinds[kind], device);
      device = share.device = at[used[kind]];
    }
    plan.stages.push_back(std::move(stage));
    limits.push_back(draft.limit);
    for (auto [given, count] : zip_equal(used, counts))
      given += count;
    chooseLayers(layers.last + 1);
    for (auto [given, count] : zip_equal(used, counts))
      given -= count;
    limits.pop_back();
    plan.stages.pop_back();
  }
}

void Enumeration::chooseDevices(LayerRun layers, size_t kind,
                                std::vector<int64_t> &counts) {
  if (kind < kinds.size()) {
    for (int64_t count = 0; count <= int64_t(kinds[kind].size()) - used[kind];
         ++count) {
      counts.push_back(count);
      chooseDevices(layers, kind + 1, counts);
      counts.pop_back();
    }
    return;
  }
  if (any_of(counts, [](int64_t count) { return count > 0; }))
    tryStages(layers, counts);
}

void Enumeration::chooseLayers(int64_t first) {
  int64_t numLayers = problem.layers.size();
  if (first == numLayers) {
    Plan whole = plan;
    return chooseInFlight(whole, 0);
  }
  if (problem.constraints.maxStages &&
      int64_t(plan.stages.size()) >= *problem.constraints.maxStages)
    return;
  std::vector<int64_t> counts;
  for (int64_t last = first; last < numLayers; ++last)
    chooseDevices({first, last}, 0, counts);
}

bool Enumeration::run(ArrayRef<int64_t> microbatches) {
  if (kinds.empty())
    findKinds();
  cache.clear();
  draftsLeft = mostDrafts;
  plan = Plan();
  plan.batch = problem.batch;
  plan.microbatches = microbatches.vec();
  chooseLayers(0);
  return isOver() || !mustStop();
}

Expected<Plan> hetero::planner::searchExhaustively(
    const Problem &problem, const Cluster &cluster,
    const PlannerOptions &options, Expected<Plan> start) {
  if (Error error = requireDevices(problem, cluster).takeError())
    return error;
  PlanBuilder builder(problem, cluster, options);
  Selection selection;
  if (std::optional<Candidate> candidate = takeCandidate(std::move(start)))
    selection.add(std::move(*candidate));
  Enumeration enumeration(builder, selection, options.maxPlans);
  for (ArrayRef<int64_t> microbatches : microbatchOptions(problem))
    if (!enumeration.run(microbatches))
      return createStringError(
          "the planner 'exhaustive' gives up after " + Twine(options.maxPlans) +
          " plans or " + Twine(mostDrafts) +
          " stages; it is for a few layers, devices and samples");
  return selection.take("exhaustive", builder.model);
}
