//===- GraphSplits.cpp - How tensors and operations can be split ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Planner/Problem/GraphSplits.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <string>
#include <unordered_map>

using namespace llvm;
using namespace hetero;
using namespace hetero::planner;

namespace {
/// Classes of dimensions and their cuts.
class Atoms {
public:
  explicit Atoms(const Graph &graph);

  /// The atoms of a dimension, outermost first.
  SmallVector<TensorSplit, 2> of(int64_t tensor, int64_t dim) const;
  ArrayRef<int64_t> cutsOf(int64_t tensor, int64_t dim) const {
    return cuts[find(firstDim[tensor] + dim)];
  }

private:
  int find(int dim) const;
  void joinLoops(const GraphOp &op);
  bool cutReshape(const GraphOp &op);
  bool addCut(int64_t tensor, int64_t dim, int64_t cut);

  const Graph &graph;
  /// Numbers of the first dimensions of tensors; parents in the forest of
  /// classes; ascending cuts, each a multiple of the one before it.
  std::vector<int> firstDim;
  mutable std::vector<int> parent;
  std::vector<SmallVector<int64_t, 2>> cuts;
};
} // namespace

int Atoms::find(int dim) const {
  while (parent[dim] != dim)
    dim = parent[dim] = parent[parent[dim]];
  return dim;
}

void Atoms::joinLoops(const GraphOp &op) {
  SmallVector<int, 8> first(op.loops.size(), -1);
  auto join = [&](int64_t tensor, ArrayRef<int> loops) {
    for (auto [dim, loop] : enumerate(loops)) {
      if (loop == GraphOp::whole)
        continue;
      int number = firstDim[tensor] + dim;
      if (first[loop] < 0)
        first[loop] = number;
      else
        parent[find(number)] = find(first[loop]);
    }
  };
  for (auto [tensor, loops] : zip_equal(op.operands, op.operandLoops))
    if (tensor != GraphOp::anyForm)
      join(tensor, loops);
  for (auto [tensor, loops] : zip_equal(op.results, op.resultLoops))
    join(tensor, loops);
}

static SmallVector<int64_t, 4> getStrides(ArrayRef<int64_t> dims) {
  SmallVector<int64_t, 4> strides(dims.size(), 1);
  for (int dim = int(dims.size()) - 2; dim >= 0; --dim)
    strides[dim] = strides[dim + 1] * dims[dim + 1];
  return strides;
}

/// Adds a cut to a class if it divides the dimension and goes with the others.
bool Atoms::addCut(int64_t tensor, int64_t dim, int64_t cut) {
  int64_t size = graph.tensors[tensor].dims[dim];
  if (cut <= 1 || cut >= size || size % cut != 0)
    return false;
  auto &list = cuts[find(firstDim[tensor] + dim)];
  for (int64_t other : list)
    if (other == cut || (other % cut != 0 && cut % other != 0))
      return false;
  list.insert(llvm::lower_bound(list, cut), cut);
  return true;
}

/// Carries cuts from one side of a reshape to the other.
bool Atoms::cutReshape(const GraphOp &op) {
  SmallVector<int64_t, 8> all;
  int64_t sides[] = {op.operands[0], op.results[0]};
  for (int64_t tensor : sides) {
    ArrayRef<int64_t> dims = graph.tensors[tensor].dims;
    for (auto [dim, stride] : enumerate(getStrides(dims))) {
      if (dims[dim] <= 1)
        continue;
      all.push_back(stride);
      for (int64_t cut : cuts[find(firstDim[tensor] + dim)])
        all.push_back(stride * cut);
    }
  }
  bool changed = false;
  for (int64_t tensor : sides) {
    ArrayRef<int64_t> dims = graph.tensors[tensor].dims;
    for (auto [dim, stride] : enumerate(getStrides(dims)))
      for (int64_t cut : all)
        if (stride > 0 && cut % stride == 0)
          changed |= addCut(tensor, dim, cut / stride);
  }
  return changed;
}

Atoms::Atoms(const Graph &graph) : graph(graph) {
  int numDims = 0;
  for (const GraphTensor &tensor : graph.tensors) {
    firstDim.push_back(numDims);
    numDims += tensor.dims.size();
  }
  parent.resize(numDims);
  for (int dim = 0; dim < numDims; ++dim)
    parent[dim] = dim;
  cuts.resize(numDims);
  SmallVector<const GraphOp *> reshapes;
  for (const GraphOp &op : graph.operations) {
    if (!op.reshape)
      joinLoops(op);
    else if (op.operands[0] != GraphOp::anyForm)
      reshapes.push_back(&op);
  }
  // An updated value is stored as its argument.
  for (const GraphArgument &argument : graph.arguments)
    for (size_t dim = 0;
         argument.updatedBy && dim < graph.tensors[argument.tensor].dims.size();
         ++dim)
      parent[find(firstDim[*argument.updatedBy] + dim)] =
          find(firstDim[argument.tensor] + dim);
  for (bool changed = true; changed;) {
    changed = false;
    for (const GraphOp *op : reshapes)
      changed |= cutReshape(*op);
  }
}

SmallVector<TensorSplit, 2> Atoms::of(int64_t tensor, int64_t dim) const {
  int64_t size = graph.tensors[tensor].dims[dim], above = size;
  SmallVector<TensorSplit, 2> atoms;
  if (size == 0)
    return atoms;
  SmallVector<int64_t, 4> inner = {1};
  append_range(inner, cutsOf(tensor, dim));
  for (int64_t cut : reverse(inner)) {
    atoms.push_back({dim, size / above, above / cut, cut});
    above = cut;
  }
  return atoms;
}

namespace {
class StrategyFinder {
public:
  StrategyFinder(const Graph &graph, int64_t minUnits,
                 ArrayRef<int64_t> segments);
  GraphSplits run();

private:
  void findTensors();
  std::vector<OpStrategy> find(int64_t index) const;
  std::string getKey(int64_t index) const;
  int formOf(int64_t tensor, const TensorSplit &split) const;
  int64_t segmentOf(int64_t index) const {
    return segments.empty() ? 0 : segments[index];
  }
  void addReshape(const GraphOp &op, int64_t segment,
                  std::vector<OpStrategy> &list) const;
  void addLoop(const GraphOp &op, int64_t segment, int loop,
               std::vector<OpStrategy> &list) const;
  void addLinear(const GraphOp &op, std::vector<OpStrategy> &list) const;

  const Graph &graph;
  Atoms atoms;
  int64_t minUnits;
  ArrayRef<int64_t> segments;
  GraphSplits splits;
};
} // namespace

/// The segments whose operations use or make each tensor, ascending. An
/// argument and its updated value have the same.
static std::vector<SmallVector<int64_t, 1>>
findSegments(const Graph &graph, ArrayRef<int64_t> segments) {
  std::vector<SmallVector<int64_t, 1>> of(graph.tensors.size());
  if (segments.empty()) {
    for (auto &list : of)
      list = {0};
    return of;
  }
  auto add = [&](int64_t tensor, int64_t segment) {
    if (tensor != GraphOp::anyForm && !is_contained(of[tensor], segment))
      of[tensor].push_back(segment);
  };
  for (auto [op, segment] : zip_equal(graph.operations, segments)) {
    for (int64_t tensor : op.operands)
      add(tensor, segment);
    for (int64_t tensor : op.results)
      add(tensor, segment);
  }
  for (const GraphArgument &argument : graph.arguments) {
    if (!argument.updatedBy)
      continue;
    for (int64_t segment : SmallVector<int64_t, 1>(of[*argument.updatedBy]))
      add(argument.tensor, segment);
    for (int64_t segment : SmallVector<int64_t, 1>(of[argument.tensor]))
      add(*argument.updatedBy, segment);
  }
  for (auto &list : of) {
    if (list.empty())
      list.push_back(0);
    llvm::sort(list);
  }
  return of;
}

StrategyFinder::StrategyFinder(const Graph &graph, int64_t minUnits,
                               ArrayRef<int64_t> segments)
    : graph(graph), atoms(graph), minUnits(std::max<int64_t>(minUnits, 2)),
      segments(segments) {}

static void appendKey(std::string &key, ArrayRef<int64_t> numbers) {
  for (int64_t number : numbers)
    key.append(reinterpret_cast<const char *>(&number), sizeof(number));
  key += '|';
}

/// Tensors of one kind have the same dimensions with the same cuts, and are in
/// the same segments.
void StrategyFinder::findTensors() {
  std::vector<SmallVector<int64_t, 1>> segmentsOf =
      findSegments(graph, segments);
  std::unordered_map<std::string, int> known;
  for (auto [index, tensor] : enumerate(graph.tensors)) {
    int64_t rank = tensor.dims.size();
    std::string key;
    appendKey(key, segmentsOf[index]);
    appendKey(key, tensor.dims);
    for (int64_t dim = 0; dim < rank; ++dim)
      appendKey(key, atoms.cutsOf(index, dim));
    auto [it, inserted] = known.try_emplace(key, splits.tensors.kinds.size());
    splits.tensors.kindOf.push_back(it->second);
    if (!inserted)
      continue;
    std::vector<TensorSplit> &list = splits.tensors.kinds.emplace_back();
    for (int64_t segment : segmentsOf[index])
      for (int64_t dim = 0; dim < rank; ++dim)
        for (TensorSplit split : atoms.of(index, dim)) {
          split.segment = segment;
          if (split.units < minUnits) {
            splits.mostWhole = std::max(splits.mostWhole, split.units);
            continue;
          }
          splits.fewestDivided = std::min(splits.fewestDivided, split.units);
          list.push_back(split);
        }
  }
}

int StrategyFinder::formOf(int64_t tensor, const TensorSplit &split) const {
  const auto &list = splits.tensors[tensor];
  auto it = llvm::find(list, split);
  return it == list.end() ? form::replicated
                          : form::firstSplit + int(it - list.begin());
}

static void addStrategy(std::vector<OpStrategy> &list, OpStrategy strategy) {
  if (!is_contained(list, strategy))
    list.push_back(std::move(strategy));
}

/// Atoms that stand at the same place in the flat order of both sides.
void StrategyFinder::addReshape(const GraphOp &op, int64_t segment,
                                std::vector<OpStrategy> &list) const {
  int64_t from = op.operands[0], to = op.results[0];
  SmallVector<int64_t, 4> fromStrides = getStrides(graph.tensors[from].dims);
  SmallVector<int64_t, 4> toStrides = getStrides(graph.tensors[to].dims);
  for (auto [index, split] : enumerate(splits.tensors[from]))
    for (auto [other, target] : enumerate(splits.tensors[to]))
      if (split.segment == segment && target.segment == segment &&
          split.units == target.units &&
          fromStrides[split.dim] * split.inner ==
              toStrides[target.dim] * target.inner)
        addStrategy(list, {{form::firstSplit + int(index)},
                           {form::firstSplit + int(other)},
                           split.units,
                           segment});
}

/// The dimension with the loop; nothing if there is none, -1 if there are two.
static std::optional<int> findDim(ArrayRef<int> loops, int loop) {
  std::optional<int> found;
  for (auto [dim, other] : enumerate(loops))
    if (other == loop)
      found = found ? -1 : int(dim);
  return found;
}

void StrategyFinder::addLoop(const GraphOp &op, int64_t segment, int loop,
                             std::vector<OpStrategy> &list) const {
  std::optional<ReductionKind> reduction = op.loops[loop];
  SmallVector<std::optional<int>, 4> operandDims, resultDims;
  int64_t tensor = -1, dim = 0;
  auto note = [&](int64_t which, ArrayRef<int> loops, auto &dims) {
    dims.push_back(which == GraphOp::anyForm ? std::nullopt
                                             : findDim(loops, loop));
    if (dims.back() && tensor < 0) {
      tensor = which;
      dim = *dims.back();
    }
    return dims.back() != -1;
  };
  for (auto [which, loops] : zip_equal(op.operands, op.operandLoops))
    if (!note(which, loops, operandDims))
      return;
  for (auto [which, loops] : zip_equal(op.results, op.resultLoops))
    if (!note(which, loops, resultDims) || (!resultDims.back() && !reduction))
      return;
  if (tensor < 0)
    return;
  for (TensorSplit split : atoms.of(tensor, dim)) {
    if (split.units < minUnits)
      continue;
    OpStrategy strategy;
    strategy.units = split.units;
    strategy.segment = split.segment = segment;
    for (auto [which, at] : zip_equal(op.results, resultDims)) {
      split.dim = at.value_or(0);
      strategy.results.push_back(at ? formOf(which, split)
                                 : reduction == ReductionKind::Sum
                                     ? form::partial
                                     : form::pending);
    }
    bool sums = reduction == ReductionKind::Sum &&
                is_contained(strategy.results, form::partial);
    for (int64_t index = 0, end = op.operands.size(); index < end; ++index) {
      int64_t which = op.operands[index];
      split.dim = operandDims[index].value_or(0);
      // What is added to the sum must be added once.
      bool addend = sums && !operandDims[index] && which != GraphOp::anyForm &&
                    any_of(op.linear, [&](ArrayRef<int64_t> group) {
                      return is_contained(group, index) &&
                             any_of(group, [&](int64_t other) {
                               return operandDims[other].has_value();
                             });
                    });
      strategy.operands.push_back(operandDims[index] ? formOf(which, split)
                                  : addend           ? form::partial
                                                     : form::replicated);
    }
    addStrategy(list, std::move(strategy));
  }
}

void StrategyFinder::addLinear(const GraphOp &op,
                               std::vector<OpStrategy> &list) const {
  for (ArrayRef<int64_t> group : op.linear) {
    OpStrategy strategy;
    strategy.operands.assign(op.operands.size(), form::replicated);
    strategy.results.assign(op.results.size(), form::partial);
    bool some = false;
    for (int64_t operand : group)
      if (op.operands[operand] != GraphOp::anyForm) {
        strategy.operands[operand] = form::partial;
        some = true;
      }
    if (some)
      addStrategy(list, std::move(strategy));
  }
}

std::vector<OpStrategy> StrategyFinder::find(int64_t index) const {
  const GraphOp &op = graph.operations[index];
  std::vector<OpStrategy> list(1);
  list[0].operands.assign(op.operands.size(), form::replicated);
  list[0].results.assign(op.results.size(), form::replicated);
  if (op.reshape) {
    if (op.operands[0] != GraphOp::anyForm)
      addReshape(op, segmentOf(index), list);
  } else {
    for (int loop = 0, end = op.loops.size(); loop < end; ++loop)
      addLoop(op, segmentOf(index), loop, list);
  }
  addLinear(op, list);
  return list;
}

/// Operations with the same key have the same strategies: all that `find` looks
/// at.
std::string StrategyFinder::getKey(int64_t index) const {
  const GraphOp &op = graph.operations[index];
  SmallVector<int64_t, 64> key = {segmentOf(index), op.reshape};
  for (std::optional<ReductionKind> loop : op.loops)
    key.push_back(loop ? int64_t(*loop) : -1);
  auto addTensors = [&](ArrayRef<int64_t> tensors,
                        ArrayRef<std::vector<int>> loops) {
    key.push_back(-2);
    for (int64_t tensor : tensors)
      key.push_back(tensor == GraphOp::anyForm ? -1
                                               : splits.tensors.kindOf[tensor]);
    for (const std::vector<int> &list : loops) {
      key.push_back(-2);
      append_range(key, list);
    }
  };
  addTensors(op.operands, op.operandLoops);
  addTensors(op.results, op.resultLoops);
  for (const std::vector<int64_t> &group : op.linear) {
    key.push_back(-2);
    append_range(key, group);
  }
  std::string text;
  appendKey(text, key);
  return text;
}

GraphSplits StrategyFinder::run() {
  findTensors();
  std::unordered_map<std::string, int> known;
  for (int64_t index = 0, end = graph.operations.size(); index < end; ++index) {
    auto [it, inserted] =
        known.try_emplace(getKey(index), splits.operations.kinds.size());
    splits.operations.kindOf.push_back(it->second);
    if (inserted)
      splits.operations.kinds.push_back(find(index));
  }
  return std::move(splits);
}

GraphSplits hetero::planner::findSplits(const Graph &graph, int64_t minUnits,
                                        ArrayRef<int64_t> segments) {
  return StrategyFinder(graph, minUnits, segments).run();
}
