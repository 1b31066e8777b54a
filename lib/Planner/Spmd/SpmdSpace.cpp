//===- SpmdSpace.cpp - All SPMD programs as a cost graph ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Planner/Spmd/SpmdSpace.h"
#include "hetero/Solver/LinearProgram.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>

using namespace llvm;
using namespace hetero;
using namespace hetero::planner;
using solver::infinity;

//===----------------------------------------------------------------------===//
// Ways to make a tensor available
//===----------------------------------------------------------------------===//

/// The better order for two forms: the second may come from the first.
static bool isFirstFirst(const FormChanges &changes, int from,
                         const Availability &both, double &time) {
  int a = both.first, b = both.second;
  double firstFirst = changes.time(from, a) +
                      std::min(changes.time(from, b), changes.time(a, b));
  double secondFirst = changes.time(from, b) +
                       std::min(changes.time(from, a), changes.time(b, a));
  time = std::min(firstFirst, secondFirst);
  return firstFirst <= secondFirst;
}

double hetero::planner::timeToOffer(const FormChanges &changes, int from,
                                    const Availability &availability) {
  if (availability.second < 0)
    return changes.time(from, availability.first);
  double time = 0;
  isFirstFirst(changes, from, availability, time);
  return time;
}

static void appendWay(const FormChanges &changes, int64_t tensor, int from,
                      int to, std::vector<FormChange> &list) {
  if (from == to)
    return;
  int via = changes.via[from * changes.numForms + to];
  if (via < 0) {
    list.push_back({tensor, from, to});
    return;
  }
  appendWay(changes, tensor, from, via, list);
  appendWay(changes, tensor, via, to, list);
}

/// The changes of the way that timeToOffer is about, in order.
static void appendChanges(const FormChanges &changes, int64_t tensor, int from,
                          const Availability &availability,
                          std::vector<FormChange> &list) {
  int first = availability.first, second = availability.second;
  if (second < 0) {
    appendWay(changes, tensor, from, first, list);
    return;
  }
  double time;
  if (!isFirstFirst(changes, from, availability, time))
    std::swap(first, second);
  appendWay(changes, tensor, from, first, list);
  bool direct = changes.time(from, second) <= changes.time(first, second);
  appendWay(changes, tensor, direct ? from : first, second, list);
}

//===----------------------------------------------------------------------===//
// Building
//===----------------------------------------------------------------------===//

void SpmdSpace::findUses() {
  for (auto [index, argument] : enumerate(graph.arguments)) {
    argumentOf[argument.tensor] = index;
    std::vector<int> &forms = argumentForms[index];
    forms.push_back(form::replicated);
    for (size_t split = 0; split < splits.tensors[argument.tensor].size() &&
                           !(replicatedState && argument.isState());
         ++split)
      forms.push_back(form::firstSplit + split);
    uses[argument.tensor].made.insert(forms.begin(), forms.end());
  }
  for (auto [number, op] : enumerate(graph.operations)) {
    ArrayRef<OpStrategy> strategies = splits.operations[number];
    for (auto [index, tensor] : enumerate(op.operands)) {
      if (tensor == GraphOp::anyForm)
        continue;
      ++uses[tensor].count;
      for (const OpStrategy &strategy : strategies)
        uses[tensor].wanted.insert(strategy.operands[index]);
    }
    for (auto [index, tensor] : enumerate(op.results))
      for (const OpStrategy &strategy : strategies)
        uses[tensor].made.insert(strategy.results[index]);
  }
  for (auto [index, argument] : enumerate(graph.arguments)) {
    if (!argument.updatedBy)
      continue;
    ++uses[*argument.updatedBy].count;
    for (int form : argumentForms[index])
      uses[*argument.updatedBy].wanted.insert(form);
  }
  for (int64_t result : graph.results) {
    ++uses[result].count;
    uses[result].wanted.insert(form::replicated);
  }
}

/// One form or two of those that are wanted. Partial is only worth keeping if
/// it can come so.
void SpmdSpace::findAvailabilities() {
  std::map<std::vector<int>, int> known;
  for (Uses &use : uses) {
    std::vector<int> kept;
    for (int form : use.wanted)
      if (form::isSplit(form) ||
          (form == form::partial && use.made.count(form) > 0))
        kept.push_back(form);
    std::vector<int> key = kept;
    key.push_back(use.count > 1);
    auto [it, inserted] = known.try_emplace(std::move(key), known.size());
    availabilities.kindOf.push_back(it->second);
    if (!inserted)
      continue;
    auto &list = availabilities.kinds.emplace_back();
    list.push_back({form::replicated, -1});
    for (int form : kept)
      list.push_back({form, -1});
    for (size_t i = 0; use.count > 1 && i < kept.size(); ++i)
      for (size_t j = i + 1; j < kept.size(); ++j)
        list.push_back({kept[i], kept[j]});
  }
}

/// Numbers pairs in the order in which they come up.
static void findKinds(ArrayRef<std::pair<int64_t, int>> pairs,
                      std::vector<int> &kindOf, std::vector<int64_t> &first) {
  std::map<std::pair<int64_t, int>, int> known;
  for (auto [index, pair] : enumerate(pairs)) {
    auto [it, inserted] = known.try_emplace(pair, first.size());
    kindOf.push_back(it->second);
    if (inserted)
      first.push_back(index);
  }
}

void SpmdSpace::findKinds() {
  std::vector<std::pair<int64_t, int>> pairs;
  for (auto [cost, strategies] :
       zip_equal(kinds.kindOf, splits.operations.kindOf))
    pairs.emplace_back(cost, strategies);
  ::findKinds(pairs, timeKind, timeKinds);
  pairs.clear();
  for (auto [tensor, kind] : zip_equal(graph.tensors, splits.tensors.kindOf))
    pairs.emplace_back(tensor.bytes.count(), kind);
  ::findKinds(pairs, changeKind, changeKinds);
}

/// The position where what is alive is largest if nothing is divided.
void SpmdSpace::findPeak() {
  int64_t end = graph.operations.size();
  for (auto [index, op] : enumerate(graph.operations)) {
    for (int64_t tensor : op.results)
      born[tensor] = dies[tensor] = index;
    for (int64_t tensor : op.operands)
      if (tensor != GraphOp::anyForm)
        dies[tensor] = index;
  }
  // An updated value takes the place of its argument.
  for (auto [index, argument] : enumerate(graph.arguments))
    if (argument.updatedBy)
      updates[*argument.updatedBy] = index;
  for (int64_t result : graph.results)
    dies[result] = end;
  std::vector<int64_t> change(end + 2, 0);
  for (auto [index, tensor] : enumerate(graph.tensors)) {
    if (argumentOf[index] >= 0 || updates[index] >= 0)
      continue;
    change[born[index]] += tensor.bytes.count();
    change[dies[index] + 1] -= tensor.bytes.count();
  }
  int64_t alive = 0, most = -1;
  for (int64_t at = 0; at < end; ++at) {
    alive += change[at];
    if (alive > most) {
      most = alive;
      peak = at;
    }
  }
}

int SpmdSpace::shareTable(ArrayRef<int64_t> key, int64_t rows, int64_t tensor,
                          bool &added) {
  std::vector<int64_t> full = key.vec();
  full.push_back(availabilities.kindOf[tensor]);
  auto [it, inserted] = tables.try_emplace(std::move(full), 0);
  added = inserted;
  if (inserted) {
    int64_t columns = availabilities[tensor].size();
    it->second =
        costs.addTable(rows, columns, std::vector<double>(rows * columns, 0));
  }
  return it->second;
}

void SpmdSpace::addChangeEdge(int node, int64_t tensor, ArrayRef<int64_t> key,
                              function_ref<std::vector<int>()> from) {
  SmallVector<int64_t, 8> full(key);
  // With prices of memory arguments differ from each other.
  full.append({changeKind[tensor], argumentOf[tensor] >= 0 ? tensor : -1});
  bool added = false;
  int table = shareTable(full, costs.getNumStates(node), tensor, added);
  costs.addEdge(node, tensorNode[tensor], table);
  if (added)
    changeTables.push_back({table, tensor, from()});
}

void SpmdSpace::addUseEdge(int node, int64_t tensor, ArrayRef<int64_t> key,
                           function_ref<Wanted()> wanted) {
  bool added = false;
  int table = shareTable(key, costs.getNumStates(node), tensor, added);
  costs.addEdge(node, tensorNode[tensor], table);
  if (!added)
    return;
  std::vector<double> numbers;
  for (ArrayRef<int> forms : wanted())
    for (const Availability &availability : availabilities[tensor])
      numbers.push_back(
          all_of(forms, [&](int form) { return availability.offers(form); })
              ? 0
              : infinity);
  costs.setTable(table, numbers);
}

/// What the keys of tables begin with.
enum TableKind : int64_t { Stored, Made, Used, Next };

void SpmdSpace::addTensor(int64_t tensor) {
  if (uses[tensor].count == 0)
    return;
  std::vector<double> numbers(availabilities[tensor].size(), 0);
  if (is_contained(graph.results, tensor))
    std::fill(numbers.begin() + 1, numbers.end(), infinity);
  tensorNode[tensor] = costs.addNode(numbers);
}

void SpmdSpace::addArgument(int64_t index) {
  int64_t tensor = graph.arguments[index].tensor;
  argumentNode[index] =
      costs.addNode(std::vector<double>(argumentForms[index].size(), 0));
  addTensor(tensor);
  if (tensorNode[tensor] >= 0)
    addChangeEdge(argumentNode[index], tensor, {Stored},
                  [&] { return argumentForms[index]; });
}

void SpmdSpace::addOperation(int64_t index) {
  const GraphOp &op = graph.operations[index];
  ArrayRef<OpStrategy> strategies = splits.operations[index];
  for (int64_t tensor : op.operands)
    if (tensor != GraphOp::anyForm && argumentOf[tensor] >= 0 &&
        argumentNode[argumentOf[tensor]] < 0)
      addArgument(argumentOf[tensor]);
  int node = opNode[index] =
      costs.addNode(std::vector<double>(strategies.size(), 0));
  int64_t kind = splits.operations.kindOf[index];
  for (auto [position, tensor] : enumerate(op.operands)) {
    if (tensor == GraphOp::anyForm ||
        is_contained(ArrayRef(op.operands).take_front(position), tensor))
      continue;
    SmallVector<int64_t, 8> key = {Used, kind};
    for (auto [number, other] : enumerate(op.operands))
      if (other == tensor)
        key.push_back(number);
    addUseEdge(node, tensor, key, [&] {
      Wanted wanted;
      for (const OpStrategy &strategy : strategies) {
        SmallVector<int, 2> forms;
        for (int64_t number : ArrayRef(key).drop_front(2))
          forms.push_back(strategy.operands[number]);
        wanted.push_back(std::move(forms));
      }
      return wanted;
    });
  }
  for (auto [position, tensor] : enumerate(op.results)) {
    addTensor(tensor);
    if (tensorNode[tensor] < 0)
      continue;
    addChangeEdge(node, tensor, {Made, kind, int64_t(position)},
                  [&, position = position] {
                    std::vector<int> from;
                    for (const OpStrategy &strategy : strategies)
                      from.push_back(strategy.results[position]);
                    return from;
                  });
  }
}

void SpmdSpace::addNextEdges() {
  for (auto [index, argument] : enumerate(graph.arguments)) {
    if (argumentNode[index] < 0)
      addArgument(index);
  }
  for (auto [index, argument] : enumerate(graph.arguments)) {
    if (!argument.updatedBy || *argument.updatedBy == argument.tensor)
      continue;
    ArrayRef<int> forms = argumentForms[index];
    addUseEdge(argumentNode[index], *argument.updatedBy,
               {Next, int64_t(forms.size())}, [&] {
                 Wanted wanted;
                 for (int form : forms)
                   wanted.push_back({form});
                 return wanted;
               });
  }
}

SpmdSpace::SpmdSpace(const Graph &graph, int64_t numDevices,
                     bool replicatedState, std::vector<int64_t> inSegments)
    : graph(graph), segments(std::move(inSegments)), kinds(graph),
      splits(findSplits(graph, numDevices, segments)),
      replicatedState(replicatedState), uses(graph.tensors.size()),
      opNode(graph.operations.size(), -1), tensorNode(graph.tensors.size(), -1),
      argumentNode(graph.arguments.size(), -1),
      argumentForms(graph.arguments.size()),
      argumentOf(graph.tensors.size(), -1), updates(graph.tensors.size(), -1),
      born(graph.tensors.size(), 0), dies(graph.tensors.size(), 0) {
  findUses();
  findAvailabilities();
  findKinds();
  findPeak();
  for (int64_t index = 0, end = graph.operations.size(); index < end; ++index)
    addOperation(index);
  addNextEdges();
}

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

/// The price of holding a tensor in a form at the peak.
double SpmdSpace::memoryCost(int64_t tensor, int form, int64_t at,
                             SpmdCost &cost, const MemoryPrice &price) const {
  if (form < 0)
    return 0;
  double sum = 0;
  for (auto [part, perByte] :
       zip_equal(cost.partsOf(splits.unitsOf(tensor, form)), price.perByte))
    sum += part * perByte;
  double position = graph.operations.empty()
                        ? 0
                        : double(at) / double(graph.operations.size());
  return sum * double(graph.tensors[tensor].bytes.count()) *
         (1 + price.slope * position);
}

std::vector<std::vector<double>> SpmdSpace::getTimes(SpmdCost &cost) const {
  std::vector<std::vector<double>> times;
  times.reserve(timeKinds.size());
  for (int64_t index : timeKinds) {
    times.emplace_back();
    for (const OpStrategy &strategy : splits.operations[index])
      times.back().push_back(
          cost.operationTime(graph.operations[index], strategy.getUnits()));
  }
  return times;
}

std::vector<const FormChanges *> SpmdSpace::getChanges(SpmdCost &cost) const {
  std::vector<const FormChanges *> changes;
  changes.reserve(changeKinds.size());
  for (int64_t tensor : changeKinds)
    changes.push_back(
        &cost.changesOf(graph.tensors[tensor].bytes, splits.tensors[tensor]));
  return changes;
}

solver::CostGraph SpmdSpace::getCosts(SpmdCost &cost,
                                      const MemoryPrice &price) const {
  solver::CostGraph result = costs;
  std::vector<std::vector<double>> times = getTimes(cost);
  for (auto [node, kind] : zip_equal(opNode, timeKind))
    result.setNode(node, times[kind]);
  std::vector<const FormChanges *> changes = getChanges(cost);
  std::vector<double> numbers;
  for (const ChangeTable &table : changeTables) {
    numbers.clear();
    for (int from : table.from)
      for (const Availability &availability : availabilities[table.tensor])
        numbers.push_back(timeToOffer(*changes[changeKind[table.tensor]], from,
                                      availability));
    result.setTable(table.table, numbers);
  }
  if (!price.perByte.empty())
    setPrices(cost, price, result);
  return result;
}

/// Adds what memory costs to the times.
void SpmdSpace::setPrices(SpmdCost &cost, const MemoryPrice &price,
                          solver::CostGraph &result) const {
  auto isAlive = [&](int64_t tensor) {
    return born[tensor] <= peak && peak <= dies[tensor] && updates[tensor] < 0;
  };
  for (const ChangeTable &table : changeTables) {
    // A copy of an argument in another form than the stored one.
    if (argumentOf[table.tensor] < 0 || !isAlive(table.tensor))
      continue;
    std::vector<double> numbers = result.getTable(table.table).vec();
    auto number = numbers.begin();
    for (int from : table.from)
      for (const Availability &availability : availabilities[table.tensor]) {
        for (int form : {availability.first, availability.second})
          if (form != from)
            *number +=
                memoryCost(table.tensor, form, born[table.tensor], cost, price);
        ++number;
      }
    result.setTable(table.table, numbers);
  }
  for (auto [index, argument] : enumerate(graph.arguments)) {
    SmallVector<double, 8> numbers;
    for (int form : argumentForms[index])
      numbers.push_back(memoryCost(argument.tensor, form, dies[argument.tensor],
                                   cost, price));
    result.setNode(argumentNode[index], numbers);
  }
  for (auto [tensor, node] : enumerate(tensorNode)) {
    if (node < 0 || argumentOf[tensor] >= 0 || !isAlive(tensor))
      continue;
    std::vector<double> numbers = result.getNode(node).vec();
    for (auto [number, availability] :
         zip_equal(numbers, availabilities[tensor]))
      for (int form : {availability.first, availability.second})
        number += memoryCost(tensor, form, born[tensor], cost, price);
    result.setNode(node, numbers);
  }
}

std::vector<int> SpmdSpace::getReplicated() const {
  return std::vector<int>(costs.getNumNodes(), 0);
}

SpmdProgram SpmdSpace::decode(ArrayRef<int> states, SpmdCost &cost) const {
  SpmdProgram program;
  program.segments = segments;
  program.available.resize(graph.tensors.size());
  std::vector<const FormChanges *> changes = getChanges(cost);
  auto addTensor = [&](int64_t tensor, int from) {
    if (tensorNode[tensor] < 0)
      return;
    const Availability &availability =
        availabilities[tensor][states[tensorNode[tensor]]];
    program.available[tensor].push_back(availability.first);
    if (availability.second >= 0)
      program.available[tensor].push_back(availability.second);
    appendChanges(*changes[changeKind[tensor]], tensor, from, availability,
                  program.changes);
  };
  for (auto [index, argument] : enumerate(graph.arguments)) {
    program.stored.push_back(argumentForms[index][states[argumentNode[index]]]);
    addTensor(argument.tensor, program.stored.back());
  }
  for (auto [index, op] : enumerate(graph.operations)) {
    program.strategies.push_back(states[opNode[index]]);
    const OpStrategy &strategy =
        splits.operations[index][program.strategies.back()];
    for (auto [tensor, form] : zip_equal(op.results, strategy.results))
      addTensor(tensor, form);
  }
  return program;
}

std::pair<double, double> SpmdSpace::evaluate(const SpmdProgram &program,
                                              SpmdCost &cost) const {
  double computation = 0, communication = 0;
  std::vector<std::vector<double>> times = getTimes(cost);
  for (auto [kind, strategy] : zip_equal(timeKind, program.strategies))
    computation += times[kind][strategy];
  for (const FormChange &change : program.changes)
    if (std::optional<Collective> collective = getCollective(
            graph.tensors[change.tensor].bytes, splits.tensors[change.tensor],
            change.from, change.to))
      communication += cost.collectiveTime(*collective);
  return {computation, communication};
}

SpmdSolution SpmdSpace::getSolution(const solver::CostGraphSolution &found,
                                    SpmdCost &cost) const {
  SpmdSolution solution;
  solution.program = decode(found.states, cost);
  solution.shares = cost.shares;
  std::tie(solution.computation, solution.communication) =
      evaluate(solution.program, cost);
  solution.proven = found.proven;
  solution.bound = found.proven ? solution.time() : found.bound;
  solution.memory = getMemory(solution.program, cost);
  return solution;
}

/// Calls `visit` with tensor, form, and the first and last position at which it
/// is held in that form.
void SpmdSpace::visitMemory(
    const SpmdProgram &program,
    function_ref<void(int64_t, int, int64_t, int64_t)> visit) const {
  int64_t end = graph.operations.size();
  for (auto [index, argument] : enumerate(graph.arguments))
    visit(argument.tensor, program.stored[index], 0, end);
  for (auto [tensor, forms] : enumerate(program.available))
    for (int form : forms) {
      int argument = std::max(argumentOf[tensor], updates[tensor]);
      if (argument < 0 || program.stored[argument] != form)
        visit(tensor, form, born[tensor], dies[tensor]);
    }
}

std::vector<Bytes> SpmdSpace::getMemory(const SpmdProgram &program,
                                        SpmdCost &cost) const {
  std::vector<Bytes> result;
  std::map<std::pair<int64_t, std::vector<double>>, Bytes> known;
  for (auto [member, device] : enumerate(cost.devices)) {
    std::vector<double> shares;
    for (const std::vector<double> &ofSegment : cost.shares)
      shares.push_back(ofSegment[member]);
    int64_t deviceClass = cost.cluster.devices[device].deviceClass;
    auto [it, inserted] = known.try_emplace({deviceClass, shares});
    if (inserted) {
      Peak peak = getPeak(program, cost, member);
      double sum = peak.fixed;
      for (auto [segment, divided] : enumerate(peak.divided))
        sum += divided * cost.sharesOf(segment)[member];
      it->second = Bytes::nearest(sum);
    }
    result.push_back(it->second);
  }
  return result;
}

SpmdSpace::Peak SpmdSpace::getPeak(const SpmdProgram &program, SpmdCost &cost,
                                   int64_t member) const {
  int64_t deviceClass = cost.cluster.devices[cost.devices[member]].deviceClass;
  size_t end = graph.operations.size() + 2;
  size_t numSegments = segments.empty() ? 1 : 1 + *llvm::max_element(segments);
  std::vector<double> fixed(end, 0);
  std::vector<std::vector<double>> divided(numSegments, fixed);
  visitMemory(program, [&](int64_t tensor, int form, int64_t from, int64_t to) {
    auto bytes = double(graph.tensors[tensor].bytes.count());
    DividedUnits units = splits.unitsOf(tensor, form);
    double part = cost.mostOf(units, deviceClass);
    // What rounding adds to the share stays when the share changes.
    if (units.units > 0) {
      divided[units.segment][from] += bytes;
      divided[units.segment][to + 1] -= bytes;
      part -= cost.sharesOf(units.segment)[member];
    }
    fixed[from] += part * bytes;
    fixed[to + 1] -= part * bytes;
  });
  double most = -1;
  Peak now, peak;
  now.divided.assign(numSegments, 0);
  for (size_t at = 0; at < end; ++at) {
    now.fixed += fixed[at];
    double alive = now.fixed;
    for (size_t segment = 0; segment < numSegments; ++segment) {
      now.divided[segment] += divided[segment][at];
      alive += now.divided[segment] * cost.sharesOf(segment)[member];
    }
    if (alive > most) {
      most = alive;
      peak = now;
    }
  }
  return peak;
}
