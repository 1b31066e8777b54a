//===- WriteSpmd.cpp - An SPMD program on a step --------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "WriteSpmd.h"
#include "StateLayout.h"
#include "hetero/Analysis/Roles.h"
#include "hetero/Analysis/StepGraph.h"
#include "hetero/Dialect/Stablehlo.h"
#include <cmath>
#include <numeric>
#include <set>

using namespace mlir;
using namespace hetero;
namespace form = planner::form;

namespace {
/// A form with the units of its members, as the partitioning sees it: their
/// common factor is part of the form.
struct SizedForm {
  Form form;
  SmallVector<int64_t> sizes;
  int64_t units = 1;
};

class ProgramWriter {
public:
  ProgramWriter(func::FuncOp step, GraphValues of,
                const planner::SpmdSolution &solution, MeshOp mesh)
      : step(step), graph(*of.graph), values(std::move(of.values)),
        operations(std::move(of.operations)), solution(solution),
        program(solution.program), mesh(mesh),
        splits(planner::findSplits(graph, solution.shares.front().size(),
                                   program.segments)),
        versions(graph.tensors.size()), changesOf(graph.tensors.size()),
        rules(step.getBody().front()) {
    for (const planner::FormChange &change : program.changes)
      changesOf[change.tensor].push_back(change);
  }
  void write();

private:
  void writeArguments();
  void writeOperation(int64_t index);
  void writeResults();
  SizedForm getForm(int64_t tensor, int number, ReductionKind kind) const;
  ShardingAttr getSharding(const SizedForm &sized) const;
  Value getVersion(int64_t tensor, int wanted, Operation *user) {
    return getVersion(tensor, wanted, user, changesOf[tensor]);
  }
  Value getVersion(int64_t tensor, int wanted, Operation *user,
                   ArrayRef<planner::FormChange> changes);
  void hurry(Value value, Operation *user);
  Value makeBroadcast(Value whole, const SizedForm &wanted, Operation *user);
  bool setSharding(int64_t index, Operation *op,
                   const planner::OpStrategy &strategy);

  func::FuncOp step;
  const planner::Graph &graph;
  SmallVector<Value> values;
  SmallVector<Operation *> operations;
  const planner::SpmdSolution &solution;
  const planner::SpmdProgram &program;
  mutable MeshOp mesh;
  planner::GraphSplits splits;
  /// Of each tensor the values that it has in some form.
  std::vector<std::map<int, Value>> versions;
  std::vector<SmallVector<planner::FormChange, 2>> changesOf;
  /// How tensors that are pending are to be combined.
  std::map<int64_t, ReductionKind> pending;
  /// Operations that were not in the step.
  DenseSet<Operation *> added;
  FormRules rules;
};
} // namespace

SizedForm ProgramWriter::getForm(int64_t tensor, int number,
                                 ReductionKind kind) const {
  SizedForm sized;
  if (number == form::partial)
    sized.form = Form::partial();
  else if (number == form::pending)
    sized.form = Form::partial(kind);
  if (!form::isSplit(number))
    return sized;
  const planner::TensorSplit &split =
      splits.tensors[tensor][number - form::firstSplit];
  // Shares as whole numbers, fine enough for any tensor.
  constexpr double scale = 1e9;
  SmallVector<int64_t> weights;
  const planner::SegmentShares &shares = solution.shares;
  for (double share :
       shares[std::min<size_t>(split.segment, shares.size() - 1)])
    weights.push_back(std::llround(share * scale));
  sized.sizes = divide(split.units, weights);
  int64_t factor = 0;
  for (int64_t size : sized.sizes)
    factor = std::gcd(factor, size);
  sized.units = split.units / factor;
  sized.form = Form::split(split.dim, split.outer, split.inner * factor);
  for (int64_t &size : sized.sizes)
    size /= factor;
  return sized;
}

ShardingAttr ProgramWriter::getSharding(const SizedForm &sized) const {
  MLIRContext *context = mesh.getContext();
  auto name = FlatSymbolRefAttr::get(mesh.getSymNameAttr());
  const Form &form = sized.form;
  SmallVector<AxisShardingAttr> entries;
  if (!form.isReplicated())
    entries.push_back(AxisShardingAttr::get(
        context, StringAttr::get(context, "tensor"),
        form.isSplit() ? form.toSplit(context, sized.sizes) : SplitAttr(),
        form.reduction));
  return ShardingAttr::get(context, name, entries);
}

/// A part of what is spread out from a whole value: instead of cutting it out
/// of the whole result it is made as it is wanted, without the memory for the
/// rest. Null for all others.
Value ProgramWriter::makeBroadcast(Value whole, const SizedForm &wanted,
                                   Operation *user) {
  auto op = whole.getDefiningOp<stablehlo::BroadcastInDimOp>();
  if (!op || !wanted.form.isSplit() || wanted.sizes.empty() ||
      op->hasAttr(HeteroDialect::getShardingAttrName()) ||
      !findFormRule(op, Form::replicated(), wanted.form,
                    rules.get(wanted.units)))
    return {};
  OpBuilder builder(user);
  Operation *part = builder.clone(*op);
  part->setAttr(HeteroDialect::getShardingAttrName(), getSharding(wanted));
  added.insert(part);
  return part->getResult(0);
}

/// What was made for the backward and is now needed in the forward moves there,
/// with what it is made from.
void ProgramWriter::hurry(Value value, Operation *user) {
  StringRef name = HeteroDialect::getLayerAttrName();
  auto wanted = user->getAttrOfType<LayerAttr>(name);
  for (Operation *op = value.getDefiningOp();
       wanted && wanted.getPhase() == Phase::Forward && op &&
       added.contains(op);
       op = op->getOperand(0).getDefiningOp()) {
    auto layer = op->getAttrOfType<LayerAttr>(name);
    if (layer && layer.getPhase() != Phase::Forward)
      op->setAttr(name, wanted);
  }
}

/// The tensor in a form, by the changes of the program; what is whole can be
/// had in any form.
Value ProgramWriter::getVersion(int64_t tensor, int wanted, Operation *user,
                                ArrayRef<planner::FormChange> changes) {
  std::map<int, Value> &known = versions[tensor];
  if (auto it = known.find(wanted); it != known.end()) {
    hurry(it->second, user);
    return it->second;
  }
  Value value;
  if (auto it = known.find(form::replicated); it != known.end()) {
    value = it->second;
    hurry(value, user);
  }
  // A change starts from what is there or from what earlier ones make.
  while (!value && !changes.empty()) {
    planner::FormChange last = changes.back();
    changes = changes.drop_back();
    if (last.to == wanted)
      value = getVersion(tensor, last.from, user, changes);
  }
  if (!value)
    value = known.begin()->second;
  if (Value made = makeBroadcast(
          value, getForm(tensor, wanted, ReductionKind::Sum), user))
    return known[wanted] = made;
  auto kind = pending.find(tensor);
  OpBuilder builder(user);
  auto reshard = ReshardOp::create(
      builder, user->getLoc(), value,
      getSharding(
          getForm(tensor, wanted,
                  kind == pending.end() ? ReductionKind::Sum : kind->second)));
  // It belongs to whoever needs it.
  StringRef name = HeteroDialect::getLayerAttrName();
  Operation *near = user->hasAttr(name) ? user : value.getDefiningOp();
  if (Attribute layer = near ? near->getAttr(name) : Attribute())
    reshard->setAttr(name, layer);
  added.insert(reshard);
  known[wanted] = reshard;
  return reshard;
}

void ProgramWriter::writeArguments() {
  std::vector<std::set<int>> wanted(graph.tensors.size());
  for (auto [index, op] : llvm::enumerate(graph.operations))
    for (auto [tensor, form] : llvm::zip_equal(
             op.operands,
             splits.operations[index][program.strategies[index]].operands))
      if (tensor != planner::GraphOp::anyForm)
        wanted[tensor].insert(form);
  for (int64_t result : graph.results)
    wanted[result].insert(form::replicated);
  for (auto [argument, stored] :
       llvm::zip_equal(graph.arguments, program.stored)) {
    Value value = values[argument.tensor];
    // What is no state is given to devices as they all use it, or whole.
    int given = stored;
    if (!argument.isState())
      given = wanted[argument.tensor].size() == 1
                  ? *wanted[argument.tensor].begin()
                  : form::replicated;
    bool isSplit = form::isSplit(given);
    versions[argument.tensor][isSplit ? given : form::replicated] = value;
    if (isSplit)
      step.setArgAttr(
          cast<BlockArgument>(value).getArgNumber(),
          HeteroDialect::getShardingAttrName(),
          getSharding(getForm(argument.tensor, given, ReductionKind::Sum)));
  }
}

/// Says how the results of an operation are made, if there is a rule for it.
bool ProgramWriter::setSharding(int64_t index, Operation *op,
                                const planner::OpStrategy &strategy) {
  const planner::GraphOp &graphOp = graph.operations[index];
  ReductionKind kind = ReductionKind::Sum;
  for (std::optional<ReductionKind> reduction : graphOp.loops)
    if (reduction && reduction != ReductionKind::Sum)
      kind = *reduction;
  SizedForm divided;
  SmallVector<Form> operands(op->getNumOperands()), results;
  auto read = [&](int64_t tensor, int number) {
    SizedForm sized = getForm(tensor, number, kind);
    if (sized.form.isSplit())
      divided = sized;
    return sized;
  };
  for (auto [number, tensor, wanted] :
       llvm::enumerate(graphOp.operands, strategy.operands))
    if (tensor != planner::GraphOp::anyForm && number < operands.size())
      operands[number] = read(tensor, wanted).form;
  SmallVector<ShardingAttr> shardings;
  bool isWhole = true;
  for (auto [tensor, made] :
       llvm::zip_equal(graphOp.results, strategy.results)) {
    SizedForm sized = read(tensor, made);
    results.push_back(sized.form);
    shardings.push_back(getSharding(sized));
    isWhole &= sized.form.isReplicated();
    if (made == form::pending)
      pending[tensor] = kind;
  }
  if (isWhole)
    return true;
  std::optional<FormRule> rule =
      findFormRule(op, operands, results, rules.get(divided.units));
  if (!rule)
    return false;
  // What exists in every form is made in the one that the rule takes.
  for (auto [number, tensor] : llvm::enumerate(graphOp.operands)) {
    if (tensor != planner::GraphOp::anyForm || number >= operands.size())
      continue;
    divided.form = rule->operands[number];
    if (Value made = makeBroadcast(op->getOperand(number), divided, op))
      op->setOperand(number, made);
  }
  op->setAttr(HeteroDialect::getShardingAttrName(),
              shardings.size() == 1
                  ? Attribute(shardings.front())
                  : ArrayAttr::get(op->getContext(),
                                   SmallVector<Attribute>(shardings.begin(),
                                                          shardings.end())));
  return true;
}

void ProgramWriter::writeOperation(int64_t index) {
  const planner::GraphOp &graphOp = graph.operations[index];
  Operation *op = operations[index];
  planner::OpStrategy strategy =
      splits.operations[index][program.strategies[index]];
  // The first strategy is on whole values.
  if (!setSharding(index, op, strategy))
    strategy = splits.operations[index].front();
  for (auto [number, tensor, wanted] :
       llvm::enumerate(graphOp.operands, strategy.operands)) {
    if (tensor == planner::GraphOp::anyForm)
      continue;
    Value version = getVersion(tensor, wanted, op);
    if (number < op->getNumOperands()) {
      op->setOperand(number, version);
      continue;
    }
    // A capture.
    values[tensor].replaceUsesWithIf(version, [&](OpOperand &use) {
      return op->isProperAncestor(use.getOwner());
    });
  }
  for (auto [tensor, made] : llvm::zip_equal(graphOp.results, strategy.results))
    versions[tensor][made] = values[tensor];
}

void ProgramWriter::writeResults() {
  Operation *end = step.getBody().front().getTerminator();
  StepRoles roles = getRoles(step);
  DenseMap<Value, int64_t> tensorOf;
  for (auto [tensor, value] : llvm::enumerate(values))
    tensorOf[value] = tensor;
  DenseMap<int64_t, int> storedAs;
  for (auto [argument, stored] :
       llvm::zip_equal(graph.arguments, program.stored))
    if (argument.isState())
      storedAs[cast<BlockArgument>(values[argument.tensor]).getArgNumber()] =
          stored;
  for (OpOperand &operand : end->getOpOperands()) {
    auto it = tensorOf.find(operand.get());
    if (it == tensorOf.end())
      continue;
    int wanted = form::replicated;
    RoleAttr role = roles.results[operand.getOperandNumber()];
    if (role && role.getKind() == RoleKind::UpdatedState)
      wanted = storedAs.lookup(*role.getArgument());
    operand.set(getVersion(it->second, wanted, end));
  }
}

void ProgramWriter::write() {
  writeArguments();
  for (size_t index = 0; index < operations.size(); ++index)
    writeOperation(index);
  writeResults();
  for (auto broadcast :
       llvm::make_early_inc_range(step.getOps<stablehlo::BroadcastInDimOp>()))
    if (broadcast->use_empty())
      broadcast.erase();
}

/// Makes barriers of several values one for each, which may be divided
/// differently. The graph has them so.
static void splitBarriers(func::FuncOp step, GraphValues &graph) {
  DenseMap<Value, Value> single;
  DenseSet<Operation *> erased;
  for (auto barrier : llvm::make_early_inc_range(
           step.getOps<stablehlo::OptimizationBarrierOp>())) {
    if (barrier->getNumOperands() < 2)
      continue;
    OpBuilder builder(barrier);
    for (auto [operand, result] :
         llvm::zip_equal(barrier->getOperands(), barrier->getResults())) {
      OperationState state(barrier.getLoc(), barrier->getName());
      state.addOperands(operand);
      state.addTypes(operand.getType());
      state.addAttributes(llvm::to_vector(barrier->getDiscardableAttrs()));
      single[result] = builder.create(state)->getResult(0);
      result.replaceAllUsesWith(single[result]);
    }
    erased.insert(barrier);
    barrier.erase();
  }
  for (Value &value : graph.values)
    if (Value other = single.lookup(value))
      value = other;
  for (auto [op, node] :
       llvm::zip_equal(graph.operations, graph.graph->operations))
    if (erased.contains(op))
      op = graph.values[node.results.front()].getDefiningOp();
}

void hetero::writeSpmdProgram(func::FuncOp step, GraphValues graph,
                              const planner::SpmdSolution &solution,
                              MeshOp mesh) {
  splitBarriers(step, graph);
  ProgramWriter(step, std::move(graph), solution, mesh).write();
}
