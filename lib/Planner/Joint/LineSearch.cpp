//===- LineSearch.cpp - Stages along lines of devices ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "LineSearch.h"
#include "hetero/Planner/Search/DeviceOrders.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace hetero;
using namespace hetero::planner;

LineSearch::LineSearch(JointState &state)
    : state(state), coarseTables(state.builder.model, limits.coarseCuts),
      fineTables(state.builder.model, limits.fineCuts),
      runs(findRuns(state.cluster, state.devices, limits.mostRunsByNode)) {}

void LineSearch::addLines(std::vector<std::vector<int64_t>> more) {
  int64_t most = std::max<int64_t>(1, state.options.maxOrders);
  std::vector<std::vector<int64_t>> all = std::move(orders);
  append_range(all, more);
  orders.clear();
  for (size_t index : findDifferent(state.problem, state.cluster, all))
    if (int64_t(orders.size()) < most)
      orders.push_back(std::move(all[index]));
}

/// The numbers of stages that a line is searched for: any, unless layers are
/// pinned to stages.
std::vector<std::optional<int64_t>> LineSearch::stageCounts(size_t line) const {
  const Constraints &constraints = state.problem.constraints;
  int64_t lowest = 0;
  for (const Pin &pin : constraints.pins)
    if (pin.stage)
      lowest = std::max(lowest, *pin.stage + 1);
  if (lowest == 0)
    return {std::nullopt};
  std::vector<std::optional<int64_t>> counts;
  int64_t most =
      std::min<int64_t>(state.problem.layers.size(), orders[line].size());
  for (int64_t count = lowest;
       count <= std::min(most, constraints.maxStages.value_or(most)); ++count)
    counts.emplace_back(count);
  return counts;
}

void LineSearch::search(Pair &pair, SearchTables &tables,
                        int64_t numPositions) {
  const std::vector<int64_t> &line = orders[pair.line];
  const std::vector<int64_t> &sizes = state.microbatches[pair.microbatches];
  StageSearch search(tables, state.options, line,
                     findPositions(state.cluster, line, numPositions),
                     *max_element(sizes), sizes.size());
  bool isSmall =
      state.problem.layers.size() * line.size() <= limits.smallProblem;
  double most = (isSmall && state.mode != JointMode::Part ? limits.smallSlack
                                                          : limits.slack) *
                state.least();
  for (std::optional<int64_t> numStages : stageCounts(pair.line))
    for (StageLayout &layout : search.run(most, limits.layoutsPerSearch,
                                          limits.labelsPerState, numStages))
      pair.value = std::min(
          pair.value, state.add({pair.microbatches, std::move(layout.stages)}));
}

/// Unless that was done before.
void LineSearch::searchCoarsely(size_t line, size_t microbatches) {
  if (state.isOver() || any_of(pairs, [&](const Pair &other) {
        return other.line == line && other.microbatches == microbatches;
      }))
    return;
  int64_t numPositions = int64_t(orders[line].size()) > limits.manyDevices
                             ? limits.morePositions
                             : limits.coarsePositions;
  Pair pair{line, microbatches};
  search(pair, coarseTables,
         std::min(numPositions, state.options.maxPositions + 1));
  pairs.push_back(pair);
}

void LineSearch::searchFinely() {
  sortPairs();
  std::map<size_t, size_t> alike;
  size_t number = 0;
  for (Pair &pair : pairs)
    if (!state.isOver() && number < limits.mostFine &&
        ++alike[pair.microbatches] <= limits.mostAlike) {
      ++number;
      std::pair<size_t, size_t> key(pair.line, pair.microbatches);
      if (is_contained(fine, key))
        continue;
      fine.push_back(key);
      search(pair, fineTables, state.options.maxPositions + 1);
    }
}

void LineSearch::sortPairs() {
  sort(pairs, [](const Pair &left, const Pair &right) {
    return std::tie(left.value, left.line, left.microbatches) <
           std::tie(right.value, right.line, right.microbatches);
  });
}

void LineSearch::searchAll() {
  for (size_t line = 0; line < std::min(limits.firstLines, orders.size());
       ++line)
    for (size_t index : state.searched)
      searchCoarsely(line, index);

  sortPairs();
  std::vector<size_t> good;
  for (const Pair &pair : pairs)
    if (!is_contained(good, pair.microbatches) &&
        good.size() < limits.bestMicrobatches)
      good.push_back(pair.microbatches);
  for (size_t line = 0; line < orders.size(); ++line)
    for (size_t index : good)
      searchCoarsely(line, index);

  // Where a coarse search cuts everywhere, a fine one finds nothing else.
  if (int64_t(orders.front().size()) + 1 > limits.coarsePositions ||
      int64_t(state.problem.layers.size()) > limits.coarseCuts)
    searchFinely();
}

void LineSearch::searchRuns() {
  addLines(permuteRuns(runs, std::max<int64_t>(1, state.options.maxOrders)));
  searchAll();
}

void LineSearch::searchMixed() {
  addLines(mixRuns(state.cluster, runs));
  searchAll();
}
