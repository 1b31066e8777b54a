//===- BucketElimination.cpp - Folding everything -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "BucketElimination.h"
#include "hetero/Solver/LinearProgram.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <cmath>
#include <queue>
#include <random>

using namespace llvm;
using namespace hetero::solver;

//===----------------------------------------------------------------------===//
// Orders
//===----------------------------------------------------------------------===//

namespace {
/// An order of folding; `largest` is the logarithm of its largest table.
struct Order {
  std::vector<int> nodes;
  double largest = 0, work = 0;
};

/// Simulates folding on the neighbours alone.
class OrderSearch {
public:
  explicit OrderSearch(const LiveGraph &graph);
  /// Stops, and gives nothing, when the work exceeds `mostWork`.
  std::optional<Order> find(int trial, std::mt19937 &random, double mostWork);

private:
  std::vector<SmallVector<int, 8>> neighbors;
  std::vector<double> weights; // Logarithms of the numbers of states.
};
} // namespace

OrderSearch::OrderSearch(const LiveGraph &graph)
    : neighbors(graph.nodes.size()), weights(graph.nodes.size()) {
  for (auto [index, node] : enumerate(graph.nodes)) {
    if (!node.alive)
      continue;
    weights[index] = std::log2(std::max(1, graph.sizeOf(index)));
    for (int edge : node.edges)
      neighbors[index].push_back(graph.edges[edge].other(index));
    llvm::sort(neighbors[index]);
  }
}

static void insertSorted(SmallVector<int, 8> &list, int value) {
  auto *it = llvm::lower_bound(list, value);
  if (it == list.end() || *it != value)
    list.insert(it, value);
}

std::optional<Order> OrderSearch::find(int trial, std::mt19937 &random,
                                       double mostWork) {
  std::vector<SmallVector<int, 8>> around = neighbors;
  std::vector<double> advantage(around.size(), 0), current(around.size());
  double scale = trial == 0 ? 0 : 0.5 + 1.5 * (trial % 4);
  for (double &value : advantage)
    value = scale * double(random() % 1000) / 1000;
  auto weigh = [&](int node) {
    double sum = trial % 2 ? weights[node] / 2 : 0;
    for (int other : around[node])
      sum += weights[other];
    return sum > 12 ? sum + advantage[node] : sum;
  };
  using Entry = std::pair<double, int>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<Entry>> queue;
  std::vector<char> folded(around.size(), 0);
  for (int node = 0, end = around.size(); node < end; ++node) {
    if (neighbors[node].empty())
      continue;
    current[node] = weigh(node);
    queue.emplace(current[node], node);
  }
  Order order;
  while (!queue.empty()) {
    auto [weight, node] = queue.top();
    queue.pop();
    if (folded[node] || weight != current[node])
      continue;
    folded[node] = 1;
    order.nodes.push_back(node);
    double size = weights[node];
    for (int other : around[node])
      size += weights[other];
    order.largest = std::max(order.largest, size);
    order.work += std::exp2(size);
    if (order.work > mostWork)
      return std::nullopt;
    for (int other : around[node]) {
      auto &list = around[other];
      list.erase(llvm::lower_bound(list, node));
      for (int third : around[node])
        if (third != other)
          insertSorted(list, third);
    }
    for (int other : around[node]) {
      double changed = weigh(other);
      if (changed == current[other])
        continue;
      current[other] = changed;
      queue.emplace(changed, other);
    }
  }
  return order;
}

//===----------------------------------------------------------------------===//
// Folding
//===----------------------------------------------------------------------===//

namespace {
/// Costs of combinations of states; the last node of the scope runs fastest.
struct Table {
  SmallVector<int, 6> scope;
  std::vector<double> costs;
};

class Folder {
public:
  Folder(const LiveGraph &graph, ArrayRef<int> order);
  EliminationResult run();

private:
  void place(Table table);
  Table foldNode(int node);

  const LiveGraph &graph;
  ArrayRef<int> order;
  std::vector<int> position;
  /// For each node the tables that are folded with it.
  std::vector<std::vector<Table>> buckets;
  double total = 0;
};
} // namespace

Folder::Folder(const LiveGraph &graph, ArrayRef<int> order)
    : graph(graph), order(order), position(graph.nodes.size(), -1),
      buckets(graph.nodes.size()) {
  for (auto [index, node] : enumerate(order))
    position[node] = index;
}

void Folder::place(Table table) {
  int first = table.scope[0];
  for (int node : table.scope)
    if (position[node] < position[first])
      first = node;
  buckets[first].push_back(std::move(table));
}

/// Makes all costs at least zero, so that sums only grow; returns what was
/// taken away.
static double shiftToZero(std::vector<double> &costs) {
  double least = *llvm::min_element(costs);
  if (least == infinity)
    return 0;
  for (double &cost : costs)
    cost -= least;
  return least;
}

/// The table over the neighbours of `node` with its best states.
Table Folder::foldNode(int node) {
  std::vector<Table> &bucket = buckets[node];
  Table result;
  for (const Table &table : bucket)
    for (int other : table.scope)
      if (other != node && !is_contained(result.scope, other))
        result.scope.push_back(other);
  llvm::sort(result.scope);
  int rank = result.scope.size(), numTables = bucket.size();
  int size = graph.sizeOf(node);
  size_t numEntries = 1;
  SmallVector<int, 6> sizes;
  for (int other : result.scope) {
    sizes.push_back(graph.sizeOf(other));
    numEntries *= sizes.back();
  }
  // Strides of each table along the scope and along the node itself.
  std::vector<SmallVector<int64_t, 6>> strides(numTables);
  SmallVector<int64_t, 8> own(numTables, 0);
  SmallVector<const double *, 8> at;
  for (auto [index, table] : enumerate(bucket)) {
    strides[index].assign(rank, 0);
    int64_t stride = 1;
    for (int other : reverse(table.scope)) {
      if (other == node)
        own[index] = stride;
      else
        strides[index][llvm::find(result.scope, other) - result.scope.begin()] =
            stride;
      stride *= graph.sizeOf(other);
    }
    at.push_back(table.costs.data());
  }
  SmallVector<int, 6> counter(rank, 0);
  result.costs.resize(numEntries);
  for (double &entry : result.costs) {
    double best = infinity;
    for (int state = 0; state < size; ++state) {
      double sum = 0;
      for (int i = 0; i < numTables && sum < best; ++i)
        sum += at[i][state * own[i]];
      best = std::min(best, sum);
    }
    entry = best;
    for (int dim = rank - 1; dim >= 0; --dim) {
      bool next = ++counter[dim] < sizes[dim];
      for (int i = 0; i < numTables; ++i)
        at[i] += next ? strides[i][dim] : -strides[i][dim] * (sizes[dim] - 1);
      if (next)
        break;
      counter[dim] = 0;
    }
  }
  return result;
}

EliminationResult Folder::run() {
  for (int node : order) {
    Table own{{node}, graph.costsOf(node).vec()};
    total += shiftToZero(own.costs);
    place(std::move(own));
    for (int index : graph.nodes[node].edges) {
      const LiveGraph::Edge &edge = graph.edges[index];
      if (edge.first != node)
        continue;
      Table pairs{{edge.first, edge.second}, graph.tableOf(edge).vec()};
      total += shiftToZero(pairs.costs);
      place(std::move(pairs));
    }
  }
  for (int node : order) {
    Table table = foldNode(node);
    if (table.scope.empty())
      total += table.costs[0];
    else
      place(std::move(table));
  }
  EliminationResult result;
  result.cost = graph.base + total;
  std::vector<int> chosen(graph.nodes.size(), 0);
  for (int node : reverse(order)) {
    double least = infinity;
    for (int state = 0, size = graph.sizeOf(node); state < size; ++state) {
      double sum = 0;
      for (const Table &table : buckets[node]) {
        size_t offset = 0;
        for (int other : table.scope)
          offset = offset * graph.sizeOf(other) +
                   (other == node ? state : chosen[other]);
        sum += table.costs[offset];
      }
      if (sum < least) {
        least = sum;
        chosen[node] = state;
      }
    }
  }
  result.states.assign(graph.nodes.size(), 0);
  for (int node : order)
    result.states[node] = graph.statesOf(node)[chosen[node]];
  return result;
}

std::optional<EliminationResult>
hetero::solver::eliminate(const LiveGraph &graph, int orders, double limit) {
  OrderSearch search(graph);
  std::mt19937 random(1);
  std::optional<Order> best;
  double mostWork = std::exp2(limit + 8);
  for (int trial = 0; trial < orders; ++trial)
    if (std::optional<Order> order =
            search.find(trial, random, best ? best->work : mostWork))
      if (!best || order->work < best->work)
        best = std::move(order);
  if (!best || best->largest > limit)
    return std::nullopt;
  return Folder(graph, best->nodes).run();
}
