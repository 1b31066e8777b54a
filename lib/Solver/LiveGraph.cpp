//===- LiveGraph.cpp - A cost graph that shrinks --------------------------===//
//
// Part of the hetero project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LiveGraph.h"
#include "hetero/Solver/LinearProgram.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <cmath>

using namespace llvm;
using namespace hetero::solver;

LiveGraph::LiveGraph(const CostGraph &graph) : nodes(graph.getNumNodes()) {
  for (auto [index, node] : enumerate(nodes)) {
    node.costs = graph.getNode(index).vec();
    node.states.resize(node.costs.size());
    for (auto [number, state] : enumerate(node.states))
      state = number;
  }
  edges.reserve(graph.getEdges().size());
  for (const CostGraph::Edge &edge : graph.getEdges())
    join(edge.first, edge.second, graph.getTable(edge.table).vec());
  numAlive = nodes.size();
}

/// Adds an edge, or adds to the one that is there.
void LiveGraph::join(int first, int second, std::vector<double> table) {
  for (int index : nodes[first].edges) {
    Edge &edge = edges[index];
    if (edge.other(first) != second)
      continue;
    int rows = nodes[edge.first].size(), columns = nodes[edge.second].size();
    for (int row = 0; row < rows; ++row)
      for (int column = 0; column < columns; ++column)
        edge.table[row * columns + column] +=
            edge.first == first ? table[row * columns + column]
                                : table[column * rows + row];
    return;
  }
  nodes[first].edges.push_back(edges.size());
  nodes[second].edges.push_back(edges.size());
  edges.push_back({first, second, std::move(table)});
}

void LiveGraph::unlink(int node, int edge) {
  auto &list = nodes[node].edges;
  list.erase(llvm::find(list, edge));
}

/// The table of an edge with the states of `node` as rows.
std::vector<double> LiveGraph::rowsOf(const Edge &edge, int node) const {
  if (edge.first == node)
    return edge.table;
  int rows = nodes[edge.first].size(), columns = nodes[node].size();
  std::vector<double> table(edge.table.size());
  for (int row = 0; row < rows; ++row)
    for (int column = 0; column < columns; ++column)
      table[column * rows + row] = edge.table[row * columns + column];
  return table;
}

void LiveGraph::keepStates(int index, ArrayRef<int> kept) {
  Node &node = nodes[index];
  for (int number : node.edges) {
    Edge &edge = edges[number];
    int columns = nodes[edge.second].size();
    std::vector<double> table;
    if (edge.first == index) {
      table.reserve(kept.size() * columns);
      for (int state : kept)
        table.insert(table.end(), edge.table.begin() + state * columns,
                     edge.table.begin() + (state + 1) * columns);
    } else {
      table.reserve(kept.size() * nodes[edge.first].size());
      for (int row = 0, rows = nodes[edge.first].size(); row < rows; ++row)
        for (int state : kept)
          table.push_back(edge.table[row * columns + state]);
    }
    edge.table = std::move(table);
  }
  for (auto [position, state] : enumerate(kept)) {
    node.costs[position] = node.costs[state];
    node.states[position] = node.states[state];
  }
  node.costs.resize(kept.size());
  node.states.resize(kept.size());
}

/// Whether each neighbour has a state that goes with this one.
bool LiveGraph::isSupported(int index, int state) const {
  const Node &node = nodes[index];
  if (node.costs[state] == infinity)
    return false;
  return all_of(node.edges, [&](int number) {
    const Edge &edge = edges[number];
    const Node &other = nodes[edge.other(index)];
    for (int i = 0; i < other.size(); ++i)
      if (other.costs[i] != infinity &&
          entry(edge, index, state, i) != infinity)
        return true;
    return false;
  });
}

/// Whether `by` costs no more than `state` whatever the neighbours are.
bool LiveGraph::isDominated(int index, int state, int by) const {
  const Node &node = nodes[index];
  double excess = node.costs[state] - node.costs[by];
  for (int number : node.edges) {
    const Edge &edge = edges[number];
    const Node &other = nodes[edge.other(index)];
    bool rows = edge.first == index;
    int step = rows ? 1 : node.size();
    const double *mine =
        edge.table.data() + (rows ? state * other.size() : state);
    const double *theirs = edge.table.data() + (rows ? by * other.size() : by);
    double least = infinity;
    for (int i = 0, size = other.size(); i < size;
         ++i, mine += step, theirs += step)
      if (*mine != infinity)
        least = std::min(least, *mine - *theirs);
    excess += least;
    if (excess == -infinity)
      return false;
  }
  return excess >= 0;
}

/// Removes states; false when none is left.
bool LiveGraph::shrink(int index) {
  int size = nodes[index].size();
  SmallVector<char> keep(size, 1);
  int left = size;
  for (int state = 0; state < size; ++state)
    if (!isSupported(index, state)) {
      keep[state] = 0;
      --left;
    }
  for (int state = 0; state < size && left > 1; ++state)
    for (int by = 0; by < size && keep[state]; ++by)
      if (by != state && keep[by] && isDominated(index, state, by)) {
        keep[state] = 0;
        --left;
      }
  if (left == 0)
    return false;
  if (left == size)
    return true;
  SmallVector<int> kept;
  for (int state = 0; state < size; ++state)
    if (keep[state])
      kept.push_back(state);
  keepStates(index, kept);
  for (int edge : nodes[index].edges)
    enqueue(edges[edge].other(index));
  return true;
}

/// Folds a node with one state or at most two neighbours.
bool LiveGraph::fold(int index) {
  Node &node = nodes[index];
  if (node.size() > 1 && node.edges.size() > 2)
    return false;
  Fold fold;
  fold.node = index;
  fold.states = node.states;
  bool single = node.size() == 1;
  for (int number : node.edges) {
    int other = edges[number].other(index);
    std::vector<double> rows = rowsOf(edges[number], index);
    unlink(other, number);
    enqueue(other);
    if (single)
      for (auto [cost, pair] : zip_equal(nodes[other].costs, rows))
        cost += pair;
    else
      fold.neighbors.push_back({other, nodes[other].states, std::move(rows)});
    edges[number].table = {};
  }
  fold.costs = std::move(node.costs);
  node.edges.clear();
  node.alive = false;
  --numAlive;
  int size = fold.costs.size();
  if (fold.neighbors.empty()) {
    base += *std::min_element(fold.costs.begin(), fold.costs.end());
  } else if (fold.neighbors.size() == 1) {
    auto &neighbor = fold.neighbors[0];
    std::vector<double> &costs = nodes[neighbor.node].costs;
    int columns = costs.size();
    for (int column = 0; column < columns; ++column) {
      double least = infinity;
      for (int state = 0; state < size; ++state)
        least = std::min(least, fold.costs[state] +
                                    neighbor.table[state * columns + column]);
      costs[column] += least;
    }
  } else {
    auto &first = fold.neighbors[0], &second = fold.neighbors[1];
    int rows = first.states.size(), columns = second.states.size();
    std::vector<double> table(rows * columns, infinity);
    for (int state = 0; state < size; ++state)
      for (int row = 0; row < rows; ++row) {
        double cost = fold.costs[state] + first.table[state * rows + row];
        if (cost == infinity)
          continue;
        const double *from = second.table.data() + state * columns;
        double *into = table.data() + row * columns;
        for (int column = 0; column < columns; ++column)
          into[column] = std::min(into[column], cost + from[column]);
      }
    join(first.node, second.node, std::move(table));
  }
  folds.push_back(std::move(fold));
  return true;
}

void LiveGraph::enqueue(int node) {
  if (queued[node] || !nodes[node].alive)
    return;
  queued[node] = 1;
  queue.push_back(node);
}

bool LiveGraph::reduce() {
  queue.clear();
  queued.assign(nodes.size(), 0);
  for (int node = 0, end = nodes.size(); node < end; ++node)
    enqueue(node);
  for (size_t next = 0; next < queue.size(); ++next) {
    int node = queue[next];
    queued[node] = 0;
    if (!nodes[node].alive)
      continue;
    if (!shrink(node))
      return false;
    fold(node);
  }
  return base != infinity;
}

LiveGraph LiveGraph::compact(std::vector<int> &nodeOf) const {
  LiveGraph result;
  std::vector<int> number(nodes.size(), -1);
  nodeOf.clear();
  for (auto [index, node] : enumerate(nodes)) {
    if (!node.alive)
      continue;
    number[index] = nodeOf.size();
    nodeOf.push_back(index);
    result.nodes.push_back({node.costs, node.states, {}, true});
  }
  for (int index : nodeOf)
    for (int edge : nodes[index].edges)
      if (edges[edge].first == index)
        result.join(number[index], number[edges[edge].second],
                    edges[edge].table);
  result.numAlive = nodeOf.size();
  result.base = base;
  return result;
}

void LiveGraph::extend(std::vector<int> &states) const {
  for (const Fold &fold : reverse(folds)) {
    SmallVector<std::pair<int, int>, 2> columns;
    for (const auto &neighbor : fold.neighbors) {
      auto it = llvm::find(neighbor.states, states[neighbor.node]);
      columns.push_back(
          {int(it - neighbor.states.begin()), int(neighbor.states.size())});
    }
    double least = infinity;
    int best = 0;
    for (int state = 0, size = fold.costs.size(); state < size; ++state) {
      double cost = fold.costs[state];
      for (auto [neighbor, column] : zip_equal(fold.neighbors, columns))
        cost += neighbor.table[state * column.second + column.first];
      if (cost < least) {
        least = cost;
        best = state;
      }
    }
    states[fold.node] = fold.states[best];
  }
}
