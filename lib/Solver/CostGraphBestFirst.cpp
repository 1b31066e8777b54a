//===- CostGraphBestFirst.cpp - A* over a cost graph ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// States are chosen from the last node to the first: of a program that is what
// is wanted before what makes it. A label stands for the choices so far.
//
// First the graph is reduced, and the dual bound moves all cost onto the edges
// such that their least pairs sum to the bound; these are taken off. What a
// label costs at least is then the bound, the pairs that it has chosen, and for
// each node to come the state that goes best with the chosen states of its
// neighbours. That never falls when another state is chosen, and with none left
// it is the cost itself.
//
// Only states of nodes that still have neighbours to come matter: of labels at
// the same node that agree in them the first one that is followed costs least,
// and the others are forgotten.

#include "DualBound.h"
#include "hetero/Solver/CostGraph.h"
#include "hetero/Solver/LinearProgram.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include <cmath>
#include <queue>

using namespace llvm;
using namespace hetero::solver;

namespace {
struct Label {
  double cost = 0; // At least, of all solutions that begin so.
  /// Stands for the states that matter.
  uint64_t key = 0;
  int parent = -1;
  int node = 0;  // The next one.
  int state = 0; // Of the node before.
};

class BestFirst {
public:
  BestFirst(const CostGraph &graph, const BestFirstOptions &options)
      : graph(graph), options(options), full(graph) {}

  std::optional<CostGraphSolution> run(ArrayRef<std::vector<int>> starts);

private:
  struct Edge {
    int from = 0, to = 0;      // The node that comes first, and the other.
    std::vector<double> table; // Rows are states of `from`.

    ArrayRef<double> row(int state, int columns) const {
      return ArrayRef(table).slice(state * columns, columns);
    }
  };
  struct Node {
    int size = 0;
    SmallVector<int, 4> before, after; // Edges, by their other node.
    /// Nodes that have no neighbour after this one.
    SmallVector<int, 2> closed;
  };
  struct Entry {
    double priority;
    int node, label;
    bool operator<(const Entry &other) const {
      return std::tie(other.priority, node, other.label) <
             std::tie(priority, other.node, label);
    }
  };

  void offer(std::vector<int> offered);
  void offerLeft(ArrayRef<int> chosen);
  void reverseNodes();
  bool moveCosts();
  void addEdge(const LiveGraph::Edge &edge);
  void select(int label);
  SmallVector<double, 16> sumBefore(int node, int end) const;
  int expand(int label);
  int search();
  int dive(int label);

  const CostGraph &graph;
  const BestFirstOptions &options;
  CostGraphSolution solution;
  /// The graph, and what its reduction leaves, with the nodes there that it
  /// came from.
  LiveGraph full, live;
  std::vector<int> nodeOf;
  std::vector<Node> nodes;
  std::vector<Edge> edges;
  double bound = 0;
  std::vector<Label> labels;
  std::priority_queue<Entry> queue;
  /// By node: how many labels were followed, and what they stand for.
  std::vector<int> followed;
  std::vector<DenseSet<uint64_t>> seen;
  /// The label that is looked at with all before it, and its states.
  std::vector<int> path, states;
  double dropped = infinity;
};
} // namespace

void BestFirst::addEdge(const LiveGraph::Edge &edge) {
  bool swapped = edge.first > edge.second;
  Edge entry;
  entry.from = swapped ? edge.second : edge.first;
  entry.to = swapped ? edge.first : edge.second;
  ArrayRef<double> from = live.costsOf(entry.from), to = live.costsOf(entry.to),
                   table = live.tableOf(edge);
  auto fromEdges = double(live.nodes[entry.from].edges.size()),
       toEdges = double(live.nodes[entry.to].edges.size());
  double least = infinity;
  for (size_t row = 0; row < from.size(); ++row)
    for (size_t column = 0; column < to.size(); ++column) {
      double pair = swapped ? table[column * from.size() + row]
                            : table[row * to.size() + column];
      entry.table.push_back(pair + from[row] / fromEdges +
                            to[column] / toEdges);
      least = std::min(least, entry.table.back());
    }
  for (double &cost : entry.table)
    cost -= least;
  bound += least;
  nodes[entry.from].after.push_back(edges.size());
  nodes[entry.to].before.push_back(edges.size());
  edges.push_back(std::move(entry));
}

void BestFirst::reverseNodes() {
  int last = int(live.nodes.size()) - 1;
  std::reverse(live.nodes.begin(), live.nodes.end());
  std::reverse(nodeOf.begin(), nodeOf.end());
  for (LiveGraph::Edge &edge : live.edges) {
    edge.first = last - edge.first;
    edge.second = last - edge.second;
  }
}

/// Removes what is worse than a solution that the bound comes by, and moves
/// what is left of costs to edges and to the bound. False if nothing is left.
bool BestFirst::moveCosts() {
  if (!live.empty()) {
    DualBound dual(live);
    dual.sweep(options.sweeps, solution.cost, options.deadline);
    if (dual.getBestCost() < infinity)
      offerLeft(dual.getBest());
    if (!dual.apply(live, solution.cost + 1e-11 * std::abs(solution.cost)))
      return false;
  }
  bound = live.base;
  nodes.resize(live.nodes.size());
  for (auto [index, node] : enumerate(nodes)) {
    node.size = live.sizeOf(index);
    if (live.nodes[index].edges.empty())
      bound += live.costsOf(index).front();
  }
  for (const LiveGraph::Edge &edge : live.edges)
    addEdge(edge);
  for (auto [index, node] : enumerate(nodes)) {
    llvm::sort(node.before, [&](int left, int right) {
      return edges[left].from < edges[right].from;
    });
    int last = index;
    for (int edge : node.after)
      last = std::max(last, edges[edge].to);
    nodes[last].closed.push_back(index);
  }
  followed.assign(nodes.size(), 0);
  seen.resize(nodes.size());
  states.assign(nodes.size(), 0);
  return true;
}

/// Makes `label` the one that is looked at.
void BestFirst::select(int label) {
  SmallVector<int, 8> ahead;
  int at = label;
  for (; labels[at].node >= int(path.size()) || path[labels[at].node] != at;
       at = labels[at].parent)
    ahead.push_back(at);
  path.resize(labels[at].node + 1);
  for (int next : reverse(ahead)) {
    path.push_back(next);
    states[labels[next].node - 1] = labels[next].state;
  }
}

/// What the states of a node cost with the neighbours before `end`.
SmallVector<double, 16> BestFirst::sumBefore(int node, int end) const {
  SmallVector<double, 16> sums(nodes[node].size, 0);
  for (int number : nodes[node].before) {
    const Edge &edge = edges[number];
    if (edge.from >= end)
      break;
    for (auto [sum, cost] :
         zip_equal(sums, edge.row(states[edge.from], sums.size())))
      sum += cost;
  }
  return sums;
}

/// Mixed so well that sums of such numbers differ where the states do.
static uint64_t hashState(int node, int state) {
  uint64_t value = (uint64_t(node) << 32 | uint64_t(state)) + 1;
  value *= 0x9e3779b97f4a7c15;
  value = (value ^ value >> 30) * 0xbf58476d1ce4e5b9;
  value = (value ^ value >> 27) * 0x94d049bb133111eb;
  return value ^ value >> 31;
}

/// Adds a label for each state of the next node that is possible; returns the
/// one that costs least, or -1 for none.
int BestFirst::expand(int parent) {
  select(parent);
  Label next = labels[parent];
  int node = next.node++;
  next.parent = parent;
  SmallVector<double, 16> costs = sumBefore(node, node);
  double had = *llvm::min_element(costs);
  for (int number : nodes[node].after) {
    const Edge &edge = edges[number];
    SmallVector<double, 16> sums = sumBefore(edge.to, node);
    had += *llvm::min_element(sums);
    for (int state = 0; state < nodes[node].size; ++state) {
      double least = infinity;
      for (auto [sum, pair] : zip_equal(sums, edge.row(state, sums.size())))
        least = std::min(least, sum + pair);
      costs[state] += least;
    }
  }
  for (int before : nodes[node].closed)
    if (before != node)
      next.key -= hashState(before, states[before]);
  bool isClosed = is_contained(nodes[node].closed, node);
  int best = -1;
  double start = next.cost;
  uint64_t key = next.key;
  for (auto [state, cost] : enumerate(costs)) {
    if (cost == infinity)
      continue;
    next.state = state;
    next.cost = start + std::max(0.0, cost - had);
    next.key = isClosed ? key : key + hashState(node, state);
    if (best < 0 || next.cost < labels[best].cost)
      best = labels.size();
    labels.push_back(next);
  }
  return best;
}

/// Follows the best state of each node to the end, or to a dead end.
int BestFirst::dive(int label) {
  while (label >= 0 && labels[label].node < int(nodes.size()))
    label = expand(label);
  return label;
}

/// The label of the best solution that is found; -1 for none.
int BestFirst::search() {
  // What differs by rounding counts as equal: then the label that is further
  // goes first.
  double unit = std::max(1e-10 * std::abs(bound), 1e-18);
  auto push = [&](int label) {
    queue.push({std::floor((labels[label].cost - bound) / unit),
                labels[label].node, label});
  };
  // About as much work for graphs of all sizes.
  constexpr int manyLabels = 40000;
  int width = options.width > 0 ? options.width
                                : 1 + manyLabels / (1 + int(nodes.size()));
  labels.push_back({bound});
  path.push_back(0);
  push(0);
  int furthest = 0;
  while (!queue.empty()) {
    Entry entry = queue.top();
    if (entry.node == int(nodes.size()))
      return entry.label;
    if (options.deadline &&
        std::chrono::steady_clock::now() >= *options.deadline) {
      dropped = std::min(dropped, labels[entry.label].cost);
      return dive(furthest);
    }
    queue.pop();
    const Label &label = labels[entry.label];
    // The set keeps the largest numbers for itself.
    if (!seen[entry.node].insert(label.key >> 1).second)
      continue;
    if (followed[entry.node] >= width) {
      dropped = std::min(dropped, label.cost);
      continue;
    }
    ++followed[entry.node];
    if (entry.node >= labels[furthest].node)
      furthest = entry.label;
    int end = labels.size();
    expand(entry.label);
    for (int added = end; added < int(labels.size()); ++added)
      push(added);
  }
  return -1;
}

void BestFirst::offer(std::vector<int> offered) {
  double cost = graph.getCost(offered);
  if (cost < solution.cost) {
    solution.cost = cost;
    solution.states = std::move(offered);
  }
}

/// The same for indices of states of what is left of the graph.
void BestFirst::offerLeft(ArrayRef<int> chosen) {
  std::vector<int> offered(graph.getNumNodes(), 0);
  for (auto [index, number, state] : enumerate(nodeOf, chosen))
    offered[number] = live.statesOf(index)[state];
  full.extend(offered);
  offer(std::move(offered));
}

std::optional<CostGraphSolution>
BestFirst::run(ArrayRef<std::vector<int>> starts) {
  solution.cost = infinity;
  for (const std::vector<int> &start : starts)
    offer(start);
  if (!full.reduce())
    return std::nullopt;
  live = full.compact(nodeOf);
  reverseNodes();
  if (moveCosts())
    if (int found = search(); found >= 0) {
      select(found);
      offerLeft(states);
    }
  if (solution.cost == infinity)
    return std::nullopt;
  solution.bound = std::min(solution.cost, dropped);
  solution.proven =
      solution.bound >= solution.cost - 1e-9 * std::abs(solution.cost);
  if (solution.proven)
    solution.bound = solution.cost;
  return std::move(solution);
}

std::optional<CostGraphSolution>
hetero::solver::searchBestFirst(const CostGraph &graph,
                                const BestFirstOptions &options,
                                ArrayRef<std::vector<int>> starts) {
  return BestFirst(graph, options).run(starts);
}
