//===- LiveGraph.cpp - A cost graph that shrinks --------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "LiveGraph.h"
#include "hetero/Solver/LinearProgram.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>

using namespace llvm;
using namespace hetero::solver;

//===----------------------------------------------------------------------===//
// What is kept once
//===----------------------------------------------------------------------===//

int LiveGraph::addTable(ArrayRef<double> entries, int columns) {
  scratch.assign(1, columns);
  append_range(scratch, entries);
  return tables.add(scratch);
}

LiveGraph::View LiveGraph::getView(int side) const {
  ArrayRef<double> table = tables.get(side / 2);
  auto columns = int(table.front());
  return side % 2 ? View{table.data() + 1, 1, columns}
                  : View{table.data() + 1, columns, 1};
}

template <typename Find>
int LiveGraph::lookUp(ArrayRef<int> key, const Find &find) {
  int id = keys.add(key);
  if (id == int(results.size()))
    results.push_back(find());
  return results[id];
}

LiveGraph::LiveGraph(const CostGraph &graph) : nodes(graph.getNumNodes()) {
  SmallVector<int> numbers;
  for (auto [index, node] : enumerate(nodes)) {
    ArrayRef<double> costs = graph.getNode(index);
    setCosts(index, costs);
    while (numbers.size() < costs.size())
      numbers.push_back(numbers.size());
    node.states = lists.add(ArrayRef(numbers).take_front(costs.size()));
  }
  edges.reserve(graph.getEdges().size());
  std::vector<int> known(graph.getNumTables(), -1);
  for (const CostGraph::Edge &edge : graph.getEdges()) {
    int &table = known[edge.table];
    if (table < 0)
      table = addTable(graph.getTable(edge.table), sizeOf(edge.second));
    join(edge.first, edge.second, table);
  }
  numAlive = nodes.size();
}

/// Adds an edge, or adds to the one that is there.
void LiveGraph::join(int first, int second, int table) {
  for (int index : nodes[first].edges) {
    Edge &edge = edges[index];
    if (edge.other(first) != second)
      continue;
    int side = 2 * table + (edge.first != first);
    edge.table = lookUp({Add, edge.table, side}, [&] {
      int rows = sizeOf(edge.first), columns = sizeOf(edge.second);
      std::vector<double> sum = getTable(edge.table).vec();
      View view = getView(side);
      for (int row = 0; row < rows; ++row)
        for (int column = 0; column < columns; ++column)
          sum[row * columns + column] += view(row, column);
      return addTable(sum, columns);
    });
    return;
  }
  nodes[first].edges.push_back(edges.size());
  nodes[second].edges.push_back(edges.size());
  edges.push_back({first, second, table});
}

void LiveGraph::unlink(int node, int edge) {
  auto &list = nodes[node].edges;
  list.erase(llvm::find(list, edge));
}

//===----------------------------------------------------------------------===//
// Fewer states
//===----------------------------------------------------------------------===//

/// The table with some of the rows that this side of it has.
int LiveGraph::keepSide(int side, int kept) {
  return lookUp({Keep, side, kept}, [&] {
    ArrayRef<double> table = tables.get(side / 2);
    auto columns = int(table.front()),
         rows = int((table.size() - 1) / size_t(columns));
    ArrayRef<int> states = lists.get(kept);
    View view = getView(side);
    std::vector<double> entries;
    if (side % 2) {
      for (int row = 0; row < rows; ++row)
        for (int state : states)
          entries.push_back(view(state, row));
      return addTable(entries, states.size());
    }
    for (int state : states)
      for (int column = 0; column < columns; ++column)
        entries.push_back(view(state, column));
    return addTable(entries, columns);
  });
}

void LiveGraph::keep(int index, int kept) {
  Node &node = nodes[index];
  for (int number : node.edges)
    edges[number].table = keepSide(sideOf(edges[number], index), kept);
  // Costs are a table of one row, seen from the side of its columns.
  node.costs = keepSide(2 * node.costs + 1, kept);
  node.states = lookUp({KeepList, node.states, kept}, [&] {
    SmallVector<int> states;
    for (int state : lists.get(kept))
      states.push_back(lists.get(node.states)[state]);
    return lists.add(states);
  });
}

void LiveGraph::keepStates(int node, ArrayRef<int> kept) {
  keep(node, lists.add(kept));
}

/// Whether each neighbour has a state that goes with this one.
bool LiveGraph::isSupported(int index, int state) const {
  if (costsOf(index)[state] == infinity)
    return false;
  return all_of(nodes[index].edges, [&](int number) {
    const Edge &edge = edges[number];
    View view = getView(sideOf(edge, index));
    for (auto [i, cost] : enumerate(costsOf(edge.other(index))))
      if (cost != infinity && view(state, i) != infinity)
        return true;
    return false;
  });
}

/// Whether `by` costs no more than `state` whatever the neighbours are.
bool LiveGraph::isDominated(int index, int state, int by) const {
  ArrayRef<double> costs = costsOf(index);
  double excess = costs[state] - costs[by];
  for (int number : nodes[index].edges) {
    const Edge &edge = edges[number];
    View view = getView(sideOf(edge, index));
    const double *mine = view.data + state * view.stride,
                 *theirs = view.data + by * view.stride;
    double least = infinity;
    for (int i = 0, size = sizeOf(edge.other(index)); i < size;
         ++i, mine += view.step, theirs += view.step)
      if (*mine != infinity)
        least = std::min(least, *mine - *theirs);
    excess += least;
    if (excess == -infinity)
      return false;
  }
  return excess >= 0;
}

/// The list of states that stay.
int LiveGraph::findKept(int index) {
  int size = sizeOf(index);
  SmallVector<char> stays(size, 1);
  int left = size;
  for (int state = 0; state < size; ++state)
    if (!isSupported(index, state)) {
      stays[state] = 0;
      --left;
    }
  for (int state = 0; state < size && left > 1; ++state)
    for (int by = 0; by < size && stays[state]; ++by)
      if (by != state && stays[by] && isDominated(index, state, by)) {
        stays[state] = 0;
        --left;
      }
  SmallVector<int> kept;
  for (int state = 0; state < size; ++state)
    if (stays[state])
      kept.push_back(state);
  return lists.add(kept);
}

/// Removes states; false when none is left.
bool LiveGraph::shrink(int index) {
  SmallVector<int, 16> key = {Shrink, nodes[index].costs};
  for (int edge : nodes[index].edges) {
    key.push_back(sideOf(edges[edge], index));
    key.push_back(nodes[edges[edge].other(index)].costs);
  }
  int kept = lookUp(key, [&] { return findKept(index); });
  size_t left = lists.get(kept).size();
  if (left == 0)
    return false;
  if (int(left) == sizeOf(index))
    return true;
  keep(index, kept);
  for (int edge : nodes[index].edges)
    enqueue(edges[edge].other(index));
  return true;
}

//===----------------------------------------------------------------------===//
// Fewer nodes
//===----------------------------------------------------------------------===//

/// The costs of the only neighbour, with those of the folded node.
int LiveGraph::foldIntoCosts(const Fold &fold, int costs) {
  int side = fold.neighbors[0].side;
  return lookUp({FoldOne, fold.costs, side, costs}, [&] {
    std::vector<double> sums = getTable(costs).vec();
    ArrayRef<double> own = getTable(fold.costs);
    View view = getView(side);
    for (auto [column, sum] : enumerate(sums)) {
      double least = infinity;
      for (auto [state, cost] : enumerate(own))
        least = std::min(least, cost + view(state, column));
      sum += least;
    }
    return addTable(sums, sums.size());
  });
}

/// The table between two neighbours that does what the folded node did.
int LiveGraph::foldIntoTable(const Fold &fold) {
  int firstSide = fold.neighbors[0].side, secondSide = fold.neighbors[1].side;
  return lookUp({FoldTwo, fold.costs, firstSide, secondSide}, [&] {
    int rows = lists.get(fold.neighbors[0].states).size(),
        columns = lists.get(fold.neighbors[1].states).size();
    std::vector<double> table(rows * columns, infinity);
    View first = getView(firstSide), second = getView(secondSide);
    for (auto [state, own] : enumerate(getTable(fold.costs)))
      for (int row = 0; row < rows; ++row) {
        double cost = own + first(state, row);
        if (cost == infinity)
          continue;
        double *into = table.data() + row * columns;
        for (int column = 0; column < columns; ++column)
          into[column] = std::min(into[column], cost + second(state, column));
      }
    return addTable(table, columns);
  });
}

/// Folds a node with one state or at most two neighbours.
bool LiveGraph::fold(int index) {
  Node &node = nodes[index];
  bool single = sizeOf(index) == 1;
  if (!single && node.edges.size() > 2)
    return false;
  Fold fold;
  fold.node = index;
  fold.costs = node.costs;
  fold.states = node.states;
  for (int number : node.edges) {
    int other = edges[number].other(index);
    int side = sideOf(edges[number], index);
    unlink(other, number);
    enqueue(other);
    if (!single) {
      fold.neighbors[fold.numNeighbors++] = {other, nodes[other].states, side};
      continue;
    }
    nodes[other].costs = lookUp({AddRow, nodes[other].costs, side}, [&] {
      std::vector<double> sums = costsOf(other).vec();
      View view = getView(side);
      for (auto [column, sum] : enumerate(sums))
        sum += view(0, column);
      return addTable(sums, sums.size());
    });
  }
  node.edges.clear();
  node.alive = false;
  --numAlive;
  int first = fold.neighbors[0].node, second = fold.neighbors[1].node;
  if (fold.numNeighbors == 0)
    base += *llvm::min_element(getTable(fold.costs));
  else if (fold.numNeighbors == 1)
    nodes[first].costs = foldIntoCosts(fold, nodes[first].costs);
  else
    join(first, second, foldIntoTable(fold));
  folds.push_back(fold);
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
  // It grows meanwhile.
  for (size_t next = 0; next < queue.size(); ++next) { // NOLINT(*loop-convert)
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
    result.nodes.emplace_back();
    result.nodes.back().states = result.lists.add(statesOf(index));
    result.setCosts(number[index], costsOf(index));
  }
  for (int index : nodeOf)
    for (int edge : nodes[index].edges)
      if (int second = edges[edge].second; edges[edge].first == index)
        result.join(number[index], number[second],
                    result.addTable(tableOf(edges[edge]), sizeOf(second)));
  result.numAlive = nodeOf.size();
  result.base = base;
  return result;
}

void LiveGraph::extend(std::vector<int> &states) const {
  for (const Fold &fold : reverse(folds)) {
    ArrayRef<int> numbers = lists.get(fold.states);
    int chosen[2] = {};
    View views[2] = {};
    for (int i = 0; i < fold.numNeighbors; ++i) {
      const auto &neighbor = fold.neighbors[i];
      ArrayRef<int> known = lists.get(neighbor.states);
      chosen[i] = llvm::find(known, states[neighbor.node]) - known.begin();
      views[i] = getView(neighbor.side);
    }
    double least = infinity;
    int best = 0;
    for (auto [state, cost] : enumerate(getTable(fold.costs))) {
      double sum = cost;
      for (int i = 0; i < fold.numNeighbors; ++i)
        sum += views[i](state, chosen[i]);
      if (sum < least) {
        least = sum;
        best = state;
      }
    }
    states[fold.node] = numbers[best];
  }
}
