//===- HapSearch.cpp - A* over SPMD programs ------------------------------===//
//
// Part of the hetero project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A label stands before an operation and knows, for each tensor that is still
// needed, the form that it came in and the forms that it was changed to. An
// operation is done in each of its strategies, with each way to get its
// operands in the right forms: by a collective to that form, to all of it, or
// by way of another form that a later use may want.
//
//===----------------------------------------------------------------------===//

#include "SpmdShares.h"
#include "hetero/Solver/LinearProgram.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <deque>
#include <queue>

using namespace llvm;
using namespace hetero;
using namespace hetero::planner;
using solver::infinity;

namespace {
/// The form that a tensor came in and up to two that it was changed to; -1 for
/// none. A tensor that is replicated has no use for others.
struct Held {
  int8_t made = -1, first = -1, second = -1;
  /// State has to come back as it was made.
  bool isState = false;

  bool operator==(const Held &other) const {
    return made == other.made && first == other.first &&
           second == other.second && isState == other.isState;
  }
  bool isWhole() const {
    return made == form::replicated || first == form::replicated;
  }
  bool has(int form) const {
    return isWhole() || first == form || second == form;
  }
  /// Whether whoever has `other` has no more than this.
  bool covers(const Held &other) const {
    if (isState && made != other.made)
      return false;
    if (*this == other || isWhole())
      return true;
    return made == other.made && (other.first < 0 || has(other.first)) &&
           (other.second < 0 || has(other.second)) && !other.isWhole();
  }
};

using HeldList = std::vector<Held>; // By slot.

struct Label {
  int64_t index = 0; // Of the next operation.
  double cost = 0;
  int parent = -1;
  int strategy = 0;                        // Of the operation before.
  std::vector<std::pair<int, int>> stored; // Arguments decided on the way.
  HeldList held;
};

/// A label in the making.
struct Variant {
  double cost = 0;
  HeldList held;
  std::vector<std::pair<int, int>> stored;
};

class HapSearch {
public:
  HapSearch(const Graph &graph, SpmdCost &cost, const HapOptions &options);
  SpmdSolution run();

private:
  void assignSlots();
  void expand(int parent);
  SmallVector<int> getStoredForms(int64_t index) const;
  void acquire(std::vector<Variant> &variants, int64_t tensor, int form);
  void acquireHeld(const Variant &variant, int64_t tensor, int form,
                   std::vector<Variant> &out);
  void finishTensors(std::vector<Variant> &variants, int64_t index);
  void push(int parent, int strategy, Variant variant);
  bool isDominated(int64_t index, const Variant &variant);
  void release(int64_t index);
  SpmdSolution reconstruct(int label);
  const FormChanges &changesOf(int64_t tensor) {
    return cost.changesOf(graph.tensors[tensor].bytes, splits.tensors[tensor]);
  }

  const Graph &graph;
  SpmdCost &cost;
  const HapOptions &options;
  GraphSplits splits;
  std::vector<std::vector<int>> wanted;       // Forms, by tensor.
  std::vector<int> slots, argumentOf, nextOf; // By tensor.
  std::vector<std::vector<int>> freed;        // By operation.
  /// The least cost of all operations from this one on.
  std::vector<double> rest;
  std::deque<Label> labels;
  struct Entry {
    double priority;
    int64_t index;
    int label;
    bool operator<(const Entry &other) const {
      if (priority != other.priority)
        return priority > other.priority;
      return index != other.index ? index < other.index : label > other.label;
    }
  };
  std::priority_queue<Entry> queue;
  /// Labels that were pushed for each operation, and how many were followed.
  std::vector<std::vector<int>> known;
  std::vector<int> followed;
  std::vector<std::unordered_map<std::string, double>> cheapest;
  double dropped = infinity;
  int numSlots = 0;
};
} // namespace

HapSearch::HapSearch(const Graph &graph, SpmdCost &cost,
                     const HapOptions &options)
    : graph(graph), cost(cost), options(options),
      splits(findSplits(graph, cost.numDevices(), options.segments)),
      wanted(graph.tensors.size()), slots(graph.tensors.size(), -1),
      argumentOf(graph.tensors.size(), -1), nextOf(graph.tensors.size(), -1),
      freed(graph.operations.size()), rest(graph.operations.size() + 1, 0),
      known(graph.operations.size() + 1),
      followed(graph.operations.size() + 1, 0),
      cheapest(graph.operations.size() + 1) {
  for (int64_t index = graph.operations.size() - 1; index >= 0; --index) {
    double least = infinity;
    for (const OpStrategy &strategy : splits.operations[index])
      least = std::min(least, cost.operationTime(graph.operations[index],
                                                 strategy.getUnits()));
    rest[index] = rest[index + 1] + least;
  }
  auto want = [&](int64_t tensor, int form) {
    if (!is_contained(wanted[tensor], form))
      wanted[tensor].push_back(form);
  };
  for (auto [op, strategies] : zip_equal(graph.operations, splits.operations))
    for (const OpStrategy &strategy : strategies)
      for (auto [tensor, form] : zip_equal(op.operands, strategy.operands))
        if (tensor != GraphOp::anyForm)
          want(tensor, form);
  for (const GraphArgument &argument : graph.arguments)
    if (argument.next)
      for (size_t split = 0; split < splits.tensors[argument.tensor].size();
           ++split)
        want(*argument.next, form::firstSplit + split);
  assignSlots();
}

/// Tensors have a slot from when they are made to their last use; arguments
/// from the start until their next value is made.
void HapSearch::assignSlots() {
  int64_t end = graph.operations.size();
  std::vector<int64_t> dies(graph.tensors.size(), -1), born(dies);
  for (auto [index, op] : enumerate(graph.operations)) {
    for (int64_t tensor : op.operands)
      if (tensor != GraphOp::anyForm)
        dies[tensor] = index;
    for (int64_t tensor : op.results)
      born[tensor] = dies[tensor] = index;
  }
  for (auto [index, argument] : enumerate(graph.arguments)) {
    argumentOf[argument.tensor] = index;
    if (!argument.next)
      continue;
    nextOf[*argument.next] = index;
    dies[argument.tensor] =
        std::max(dies[argument.tensor], born[*argument.next]);
  }
  std::vector<int> free;
  auto take = [&](int64_t tensor) {
    if (free.empty()) {
      slots[tensor] = numSlots++;
      return;
    }
    slots[tensor] = free.back();
    free.pop_back();
  };
  for (const GraphArgument &argument : graph.arguments)
    if (dies[argument.tensor] >= 0)
      take(argument.tensor);
  std::vector<std::vector<int64_t>> dying(end);
  for (auto [tensor, at] : enumerate(dies))
    if (at >= 0)
      dying[at].push_back(tensor);
  for (int64_t index = 0; index < end; ++index) {
    for (int64_t tensor : graph.operations[index].results)
      take(tensor);
    for (int64_t tensor : dying[index]) {
      freed[index].push_back(slots[tensor]);
      free.push_back(slots[tensor]);
    }
  }
}

/// All ways to have `tensor` in `form`, beginning with what `variant` has.
void HapSearch::acquireHeld(const Variant &variant, int64_t tensor, int form,
                            std::vector<Variant> &out) {
  const Held &held = variant.held[slots[tensor]];
  if (held.has(form)) {
    out.push_back(variant);
    return;
  }
  const FormChanges &changes = changesOf(tensor);
  auto timeTo = [&](int to) {
    double time = changes.time(held.made, to);
    for (int from : {held.first, held.second})
      if (from >= 0)
        time = std::min(time, changes.time(from, to));
    return time;
  };
  auto add = [&](double time, int8_t first, int8_t second) {
    if (time == infinity)
      return;
    out.push_back(variant);
    out.back().cost += time;
    Held &changed = out.back().held[slots[tensor]];
    changed.first = first;
    changed.second = second;
  };
  add(timeTo(form::replicated), form::replicated, -1);
  if (form == form::replicated || held.second >= 0)
    return;
  if (held.first >= 0) {
    add(timeTo(form), std::min<int>(held.first, form),
        std::max<int>(held.first, form));
    return;
  }
  add(timeTo(form), form, -1);
  for (int via : wanted[tensor])
    if (via != form && via != form::replicated)
      add(changes.time(held.made, via) + changes.time(via, form),
          std::min(via, form), std::max(via, form));
}

/// Forms that an argument may be stored in.
SmallVector<int> HapSearch::getStoredForms(int64_t index) const {
  const GraphArgument &argument = graph.arguments[index];
  SmallVector<int> forms = {form::replicated};
  for (size_t split = 0; split < splits.tensors[argument.tensor].size() &&
                         !(options.replicatedState && argument.isState());
       ++split)
    forms.push_back(form::firstSplit + int(split));
  return forms;
}

void HapSearch::acquire(std::vector<Variant> &variants, int64_t tensor,
                        int form) {
  std::vector<Variant> out;
  for (Variant &variant : variants) {
    Held &held = variant.held[slots[tensor]];
    if (held.made >= 0) {
      acquireHeld(variant, tensor, form, out);
      continue;
    }
    // An argument that nothing has used yet: it may be stored in any form.
    for (int stored : getStoredForms(argumentOf[tensor])) {
      Variant decided = variant;
      decided.held[slots[tensor]].made = stored;
      decided.stored.push_back({argumentOf[tensor], stored});
      acquireHeld(decided, tensor, form, out);
    }
  }
  variants = std::move(out);
}

/// Makes whole what must be whole, brings state back as it is stored, and
/// forgets what is needed no more.
void HapSearch::finishTensors(std::vector<Variant> &variants, int64_t index) {
  for (int64_t tensor : graph.operations[index].results) {
    if (is_contained(graph.results, tensor))
      acquire(variants, tensor, form::replicated);
    int argument = nextOf[tensor];
    if (argument < 0)
      continue;
    int64_t state = graph.arguments[argument].tensor;
    std::vector<Variant> out;
    for (Variant &variant : variants) {
      std::vector<Variant> one;
      if (variant.held[slots[state]].made >= 0) {
        one.push_back(std::move(variant));
      } else {
        for (int form : getStoredForms(argument)) {
          one.push_back(variant);
          one.back().held[slots[state]].made = form;
          one.back().stored.push_back({argument, form});
        }
      }
      for (Variant &decided : one) {
        std::vector<Variant> single;
        int form = decided.held[slots[state]].made;
        single.push_back(std::move(decided));
        acquire(single, tensor, form);
        std::move(single.begin(), single.end(), std::back_inserter(out));
      }
    }
    variants = std::move(out);
  }
  for (Variant &variant : variants)
    for (int slot : freed[index])
      variant.held[slot] = Held();
}

/// Whether a label with no more forms costs no more.
bool HapSearch::isDominated(int64_t index, const Variant &variant) {
  std::string key(reinterpret_cast<const char *>(variant.held.data()),
                  variant.held.size() * sizeof(Held));
  auto [it, inserted] =
      cheapest[index].try_emplace(std::move(key), variant.cost);
  if (!inserted) {
    if (it->second <= variant.cost)
      return true;
    it->second = variant.cost;
  }
  constexpr size_t compared = 64;
  for (int other : ArrayRef(known[index]).take_front(compared)) {
    const Label &label = labels[other];
    if (label.cost <= variant.cost && !label.held.empty() &&
        all_of(zip_equal(label.held, variant.held), [](const auto &pair) {
          return std::get<0>(pair).covers(std::get<1>(pair));
        }))
      return true;
  }
  return false;
}

void HapSearch::push(int parent, int strategy, Variant variant) {
  int64_t index = labels[parent].index + 1;
  if (isDominated(index, variant))
    return;
  Label label;
  label.index = index;
  label.cost = variant.cost;
  label.parent = parent;
  label.strategy = strategy;
  label.stored = std::move(variant.stored);
  label.held = std::move(variant.held);
  int number = labels.size();
  queue.push({label.cost + rest[index], index, number});
  known[index].push_back(number);
  labels.push_back(std::move(label));
}

void HapSearch::expand(int parent) {
  int64_t index = labels[parent].index;
  const GraphOp &op = graph.operations[index];
  for (auto [number, strategy] : enumerate(splits.operations[index])) {
    std::vector<Variant> variants(1);
    variants[0].cost =
        labels[parent].cost + cost.operationTime(op, strategy.getUnits());
    variants[0].held = labels[parent].held;
    for (auto [tensor, form] : zip_equal(op.operands, strategy.operands))
      if (tensor != GraphOp::anyForm)
        acquire(variants, tensor, form);
    for (Variant &variant : variants)
      for (auto [tensor, form] : zip_equal(op.results, strategy.results)) {
        Held &held = variant.held[slots[tensor]];
        held = Held();
        held.made = form;
      }
    finishTensors(variants, index);
    for (Variant &variant : variants)
      push(parent, number, std::move(variant));
  }
}

/// The program of the strategies and stored forms on the way to a label, each
/// tensor offered in the cheapest way.
SpmdSolution HapSearch::reconstruct(int label) {
  SpmdSolution solution;
  SpmdProgram &program = solution.program;
  program.segments = options.segments;
  program.strategies.assign(graph.operations.size(), 0);
  program.stored.assign(graph.arguments.size(), form::replicated);
  for (int at = label; labels[at].parent >= 0; at = labels[at].parent) {
    program.strategies[labels[at].index - 1] = labels[at].strategy;
    for (auto [argument, form] : labels[at].stored)
      program.stored[argument] = form;
  }
  std::tie(solution.computation, solution.communication) =
      completeProgram(graph, splits, cost, program);
  return solution;
}

/// Forgets what labels of an operation hold when none of them is followed any
/// more and none can be added: with many tensors that fills the memory.
void HapSearch::release(int64_t index) {
  bool isComplete = index == 0 || followed[index - 1] >= options.width;
  if (!isComplete || followed[index] < options.width)
    return;
  for (int label : known[index])
    HeldList().swap(labels[label].held);
  known[index].clear();
  cheapest[index].clear();
}

SpmdSolution HapSearch::run() {
  Label start;
  start.held.resize(numSlots);
  for (const GraphArgument &argument : graph.arguments)
    if (slots[argument.tensor] >= 0)
      start.held[slots[argument.tensor]].isState = argument.next.has_value();
  labels.push_back(std::move(start));
  queue.push({rest[0], 0, 0});
  int64_t end = graph.operations.size();
  int found = 0;
  while (!queue.empty()) {
    Entry entry = queue.top();
    queue.pop();
    if (entry.index == end) {
      found = entry.label;
      break;
    }
    if (followed[entry.index] >= options.width) {
      dropped = std::min(dropped, entry.priority);
      HeldList().swap(labels[entry.label].held);
      continue;
    }
    ++followed[entry.index];
    expand(entry.label);
    release(entry.index);
    if (entry.index + 1 < end)
      release(entry.index + 1);
  }
  SpmdSolution solution = reconstruct(found);
  solution.shares = cost.getShares();
  solution.bound = std::min(solution.time(), dropped);
  solution.proven = dropped >= solution.time();
  return solution;
}

Expected<SpmdSolution>
hetero::planner::searchProgram(const Graph &graph,
                               const cluster::Cluster &cluster,
                               ArrayRef<int64_t> devices, SegmentShares shares,
                               const HapOptions &options) {
  SpmdCost cost(cluster, devices, std::move(shares));
  HapOptions chosen = options;
  if (chosen.width <= 0)
    chosen.width = 1 + 5000 / std::max<int64_t>(1, graph.operations.size());
  SpmdSolution solution = HapSearch(graph, cost, chosen).run();
  if (Error error = verify(graph, devices.size(), solution.program))
    return error;
  return solution;
}

/// In turn from these shares, until it gets no faster than `best`.
static Error searchFrom(const Graph &graph, const cluster::Cluster &cluster,
                        ArrayRef<int64_t> devices, SegmentShares shares,
                        const HapOptions &options,
                        std::optional<SpmdSolution> &best) {
  constexpr int rounds = 3;
  SpmdSpace space(graph, devices.size(), options.replicatedState,
                  options.segments);
  for (int round = 0; round < rounds; ++round) {
    Expected<SpmdSolution> found =
        searchProgram(graph, cluster, devices, shares, options);
    if (!found)
      return found.takeError();
    SpmdCost cost(cluster, devices, shares);
    Expected<SegmentShares> next =
        findShares(space, found->program, cost, /*limitMemory=*/true);
    bool isFaster = !best || found->time() < best->time();
    if (isFaster)
      best = std::move(*found);
    if (!next) {
      // What was found stays, even if memory does not suffice for it.
      consumeError(next.takeError());
      break;
    }
    // New segments start from the shares of one.
    if (!isFaster && round > 0)
      break;
    shares = std::move(*next);
  }
  return Error::success();
}

Expected<SpmdSolution> hetero::planner::searchInTurn(
    const Graph &graph, const cluster::Cluster &cluster,
    ArrayRef<int64_t> devices, const HapOptions &options) {
  std::optional<SpmdSolution> best;
  if (Error error =
          searchFrom(graph, cluster, devices,
                     {getSpeedShares(graph, cluster, devices)}, options, best))
    return error;
  HapOptions segmented = options;
  if (segmented.segments.empty())
    segmented.segments =
        findSegments(graph, cluster, devices, options.maxSegments);
  if (!segmented.segments.empty())
    if (Error error =
            searchFrom(graph, cluster, devices, best->shares, segmented, best))
      return error;
  return std::move(*best);
}
