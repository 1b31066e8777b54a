//===- DualBound.cpp - What no solution can beat --------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "DualBound.h"
#include "hetero/Solver/LinearProgram.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <cmath>

using namespace llvm;
using namespace hetero::solver;

DualBound::DualBound(const LiveGraph &graph)
    : bestCost(infinity), base(graph.base) {
  std::vector<int> number(graph.nodes.size(), -1);
  for (auto [index, node] : enumerate(graph.nodes)) {
    if (!node.alive)
      continue;
    number[index] = nodes.size();
    Node &entry = nodes.emplace_back();
    entry.offset = costs.size();
    entry.size = graph.sizeOf(index);
    entry.index = index;
    append_range(costs, graph.costsOf(index));
  }
  size_t numMessages = 0;
  for (int index = 0, end = nodes.size(); index < end; ++index) {
    int graphIndex = nodes[index].index;
    for (int edgeIndex : graph.nodes[graphIndex].edges) {
      const LiveGraph::Edge &edge = graph.edges[edgeIndex];
      if (edge.first != graphIndex)
        continue;
      int other = number[edge.second];
      int rows = nodes[index].size, columns = nodes[other].size;
      Edge entry;
      entry.first = index;
      entry.second = other;
      entry.index = edgeIndex;
      entry.table = tables.size();
      append_range(tables, graph.tableOf(edge));
      entry.toFirst = numMessages;
      entry.toSecond = numMessages + rows;
      numMessages += rows + columns;
      (other > index ? nodes[index].after : nodes[index].before)
          .push_back(edges.size());
      (other > index ? nodes[other].before : nodes[other].after)
          .push_back(edges.size());
      edges.push_back(entry);
    }
  }
  messages.assign(numMessages, 0);
  for (Node &node : nodes) {
    node.degree = node.before.size() + node.after.size();
    least.resize(std::max<size_t>(least.size(), node.size));
  }
  for (int index = 0, end = nodes.size(); index < end; ++index) {
    addMoves(index, /*ahead=*/true);
    addMoves(end - 1 - index, /*ahead=*/false);
  }
}

/// Adds the moves from a node to those after it, or to those before it.
void DualBound::addMoves(int index, bool isAhead) {
  const Node &node = nodes[index];
  Move move;
  move.from = node.offset;
  move.rows = node.size;
  move.weight = 1.0 / std::max<size_t>(
                          1, std::max(node.before.size(), node.after.size()));
  for (int number : isAhead ? node.after : node.before) {
    const Edge &edge = edges[number];
    bool isFirst = edge.first == index;
    const Node &other = nodes[isFirst ? edge.second : edge.first];
    move.to = other.offset;
    move.columns = other.size;
    move.back = isFirst ? edge.toFirst : edge.toSecond;
    move.message = isFirst ? edge.toSecond : edge.toFirst;
    move.table = edge.table;
    if (!isFirst) {
      move.table = tables.size();
      for (int row = 0; row < move.rows; ++row)
        for (int column = 0; column < move.columns; ++column)
          tables.push_back(tables[edge.table + column * move.rows + row]);
    }
    (isAhead ? ahead : back).push_back(move);
  }
}

/// Moves what can be moved.
void DualBound::pass(ArrayRef<Move> moves) {
  double *lowest = least.data();
  for (const Move &move : moves) {
    const double *table = tables.data() + move.table;
    const double *cost = costs.data() + move.from;
    const double *from = messages.data() + move.back;
    double *message = messages.data() + move.message;
    double *target = costs.data() + move.to;
    int columns = move.columns;
    double start = move.weight * cost[0] - from[0];
    for (int column = 0; column < columns; ++column)
      lowest[column] = start + table[column];
    for (int row = 1; row < move.rows; ++row) {
      table += columns;
      start = move.weight * cost[row] - from[row];
      // Tables have few columns: wider vectors would leave most of them over.
#pragma clang loop vectorize_width(2) interleave_count(1)
      for (int column = 0; column < columns; ++column)
        lowest[column] = std::min(lowest[column], start + table[column]);
    }
    for (int column = 0; column < columns; ++column) {
      target[column] += lowest[column] - message[column];
      message[column] = lowest[column];
    }
  }
}

/// The cost of a pair that is left on the edge.
double DualBound::pairCost(const Edge &edge, int row, int column) const {
  return tables[edge.table + row * nodes[edge.second].size + column] -
         messages[edge.toFirst + row] - messages[edge.toSecond + column];
}

/// Chooses the state of a node that costs least with the states at the other
/// ends of `around`; returns whether that is another one.
bool DualBound::bestStateOf(const Node &node, ArrayRef<int> around,
                            ArrayRef<int> states, int &state) const {
  SmallVector<double, 32> sums(costs.begin() + node.offset,
                               costs.begin() + node.offset + node.size);
  for (int index : around) {
    const Edge &edge = edges[index];
    bool first = &nodes[edge.first] == &node;
    for (int i = 0; i < node.size; ++i)
      sums[i] += first ? pairCost(edge, i, states[edge.second])
                       : pairCost(edge, states[edge.first], i);
  }
  auto *least = llvm::min_element(sums);
  if (sums[state] <= *least)
    return false;
  state = least - sums.begin();
  return true;
}

double DualBound::costOf(ArrayRef<int> states) const {
  double cost = base;
  for (auto [node, state] : zip_equal(nodes, states))
    cost += costs[node.offset + state];
  for (const Edge &edge : edges)
    cost += pairCost(edge, states[edge.first], states[edge.second]);
  return cost;
}

/// Greedy states from one end to the other, then improved one by one.
void DualBound::decode() {
  std::vector<int> states(nodes.size(), 0);
  for (auto [index, node] : enumerate(nodes))
    bestStateOf(node, node.before, states, states[index]);
  bool changed = true;
  for (int round = 0; round < 2 && changed; ++round) {
    changed = false;
    for (auto [index, node] : enumerate(nodes)) {
      SmallVector<int, 8> around(ArrayRef<int>(node.before));
      append_range(around, node.after);
      changed |= bestStateOf(node, around, states, states[index]);
    }
  }
  double cost = costOf(states);
  if (cost < bestCost) {
    bestCost = cost;
    best = std::move(states);
  }
}

double DualBound::getBound() const {
  double bound = base;
  for (const Edge &edge : edges) {
    const Node &first = nodes[edge.first], &second = nodes[edge.second];
    double firstShare = 1.0 / first.degree, secondShare = 1.0 / second.degree;
    double least = infinity;
    for (int row = 0; row < first.size; ++row)
      for (int column = 0; column < second.size; ++column)
        least =
            std::min(least, costs[first.offset + row] * firstShare +
                                pairCost(edge, row, column) +
                                costs[second.offset + column] * secondShare);
    bound += least;
  }
  for (const Node &node : nodes)
    if (node.degree == 0)
      bound += *std::min_element(costs.begin() + node.offset,
                                 costs.begin() + node.offset + node.size);
  return bound;
}

void DualBound::sweep(
    int sweeps, double target,
    std::optional<std::chrono::steady_clock::time_point> deadline) {
  double previous = -infinity;
  for (int done = 0; done < sweeps; ++done) {
    if (deadline && std::chrono::steady_clock::now() >= *deadline)
      return decode();
    if (done % 10 == 9) {
      double bound = getBound();
      double limit = std::min(target, bestCost);
      if (bound >= limit - 1e-10 * std::abs(limit) ||
          (done > 25 && bound - previous < 1e-5 * std::abs(bound)))
        return;
      previous = bound;
    }
    pass(ahead);
    pass(back);
    if (done % 10 == 4)
      decode();
  }
}

bool DualBound::apply(LiveGraph &graph, double limit) const {
  double bound = getBound();
  std::vector<double> slack(costs.size(), 0), table;
  for (const Edge &edge : edges) {
    const Node &first = nodes[edge.first], &second = nodes[edge.second];
    table.resize(first.size * second.size);
    SmallVector<double, 32> rows(first.size, infinity),
        columns(second.size, infinity);
    SmallVector<double, 256> pairs;
    double least = infinity;
    for (int row = 0; row < first.size; ++row)
      for (int column = 0; column < second.size; ++column) {
        double cost = pairCost(edge, row, column);
        table[row * second.size + column] = cost;
        cost += costs[first.offset + row] / first.degree +
                costs[second.offset + column] / second.degree;
        pairs.push_back(cost);
        rows[row] = std::min(rows[row], cost);
        columns[column] = std::min(columns[column], cost);
        least = std::min(least, cost);
      }
    for (auto [pair, cost] : zip_equal(pairs, table))
      if (bound - least + pair > limit)
        cost = infinity;
    graph.setTable(edge.index, table);
    for (int row = 0; row < first.size; ++row)
      slack[first.offset + row] += rows[row] - least;
    for (int column = 0; column < second.size; ++column)
      slack[second.offset + column] += columns[column] - least;
  }
  for (const Node &node : nodes) {
    graph.setCosts(node.index, ArrayRef(costs).slice(node.offset, node.size));
    SmallVector<int> kept;
    for (int state = 0; state < node.size; ++state)
      if (bound + slack[node.offset + state] <= limit)
        kept.push_back(state);
    if (kept.empty())
      return false;
    if (int(kept.size()) < node.size)
      graph.keepStates(node.index, kept);
  }
  return true;
}
