//===- StepGraph.cpp - A step as a graph of operations --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Analysis/StepGraph.h"
#include "Forms/FormModels.h"
#include "hetero/Analysis/Forms.h"
#include "hetero/Analysis/Fusion.h"
#include "hetero/Analysis/Roles.h"
#include "hetero/Analysis/Summary.h"
#include "hetero/Dialect/Stablehlo.h"

using namespace mlir;
using namespace hetero;
using planner::ArgumentRole;
using planner::GraphOp;

/// Arguments with at most so many elements are everywhere at no cost.
static constexpr uint64_t maxSmallElements = 8;

static bool isTensor(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && type.hasStaticShape();
}

namespace {
class GraphBuilder {
public:
  GraphBuilder(func::FuncOp step, int64_t batch)
      : step(step), block(step.getBody().front()),
        plan(Kernel::ofBlock(block)) {
    result.graph.batch = batch;
  }
  StepGraph build();

private:
  void addArguments(const StepRoles &roles);
  void addOperation(Operation *op);
  void addBarrier(stablehlo::OptimizationBarrierOp op);
  void addResults(const StepRoles &roles);
  int64_t addTensor(Value value);
  void addRule(const DimensionMap &map, ArrayRef<Value> captures, GraphOp &out);
  void addCost(Operation *op, const DimensionMap &map, GraphOp &out);
  bool isFree(Value value) { return !tensorOf.contains(value); }
  int64_t getTensor(Value value) {
    auto it = tensorOf.find(value);
    return it == tensorOf.end() ? GraphOp::anyForm : it->second;
  }

  func::FuncOp step;
  Block &block;
  StepGraph result;
  DenseMap<Value, int64_t> tensorOf;
  FusionPlan plan;
};
} // namespace

static DimensionMap getMap(Operation *op) {
  auto model = dyn_cast<FormOpInterface>(op);
  return model ? model.getDimensionMap() : forms::getWholeMap(op);
}

int64_t GraphBuilder::addTensor(Value value) {
  int64_t number = result.values.size();
  result.values.push_back(value);
  tensorOf[value] = number;
  planner::GraphTensor tensor;
  auto type = cast<RankedTensorType>(value.getType());
  tensor.dims.assign(type.getShape().begin(), type.getShape().end());
  tensor.bytes = Bytes(std::min<uint64_t>(getNumBytes(type), INT64_MAX));
  if (auto argument = dyn_cast<BlockArgument>(value))
    tensor.name = "arg" + std::to_string(argument.getArgNumber());
  else
    tensor.name = value.getDefiningOp()->getName().stripDialect().str() + "_" +
                  std::to_string(number);
  result.graph.tensors.push_back(std::move(tensor));
  return number;
}

void GraphBuilder::addArguments(const StepRoles &roles) {
  for (BlockArgument argument : block.getArguments()) {
    if (!isTensor(argument) ||
        getNumElements(argument.getType()) <= maxSmallElements)
      continue;
    planner::GraphArgument entry;
    entry.tensor = addTensor(argument);
    if (RoleAttr role = roles.arguments[argument.getArgNumber()]) {
      if (role.getKind() == RoleKind::Parameter)
        entry.role = ArgumentRole::Parameter;
      else if (role.getKind() == RoleKind::Batch)
        entry.role = ArgumentRole::Batch;
      else if (role.isState())
        entry.role = ArgumentRole::OptimizerState;
    }
    result.graph.arguments.push_back(entry);
  }
}

void GraphBuilder::addRule(const DimensionMap &map, ArrayRef<Value> captures,
                           GraphOp &out) {
  // Loops beyond what a graph can name are not divided.
  auto getLoops = [&](ArrayRef<int> dims) {
    std::vector<int> loops(dims.begin(), dims.end());
    for (int &loop : loops)
      if (loop >= GraphOp::maxLoops)
        loop = GraphOp::whole;
    return loops;
  };
  for (auto [tensor, dims] : llvm::zip(out.operands, map.operands))
    out.operandLoops.push_back(tensor == GraphOp::anyForm ? std::vector<int>()
                                                          : getLoops(dims));
  for (Value capture : captures) {
    int64_t tensor = getTensor(capture);
    out.operands.push_back(tensor);
    size_t rank = tensor == GraphOp::anyForm
                      ? 0
                      : result.graph.tensors[tensor].dims.size();
    out.operandLoops.emplace_back(rank, GraphOp::whole);
  }
  for (ArrayRef<int> dims : map.results)
    out.resultLoops.push_back(getLoops(dims));
  int used = 0;
  for (auto *lists : {&out.operandLoops, &out.resultLoops})
    for (ArrayRef<int> loops : *lists)
      for (int loop : loops)
        used = std::max(used, loop + 1);
  for (const DimensionMap::Loop &loop : ArrayRef(map.loops).take_front(used))
    out.loops.push_back(loop.reduction);
}

void GraphBuilder::addCost(Operation *op, const DimensionMap &map,
                           GraphOp &out) {
  if (out.reshape)
    return;
  OpWork work = getWork(op);
  if (work.flops != 0) {
    Type element = getElementTypeOrSelf(op->getNumOperands() != 0
                                            ? op->getOperand(0).getType()
                                            : op->getResult(0).getType());
    std::string type;
    llvm::raw_string_ostream os(type);
    os << (isa<FloatType>(element) ? element
                                   : Float32Type::get(op->getContext()));
    out.work[type] = Work(std::min<uint64_t>(work.flops, INT64_MAX));
  }
  uint64_t written = 0, read = 0;
  for (Value value : op->getResults())
    written += getNumBytes(value.getType());
  // What is not stored is read by nobody: what it is made of is, by each loop.
  for (Value operand : llvm::SmallDenseSet<Value, 4>(op->getOperands().begin(),
                                                     op->getOperands().end())) {
    Operation *maker = operand.getDefiningOp();
    if (isFree(operand) || (maker && !plan.isStored(maker)))
      continue;
    uint64_t bytes = getNumBytes(operand.getType());
    read += map.movesData ? std::min(bytes, written) : bytes;
  }
  out.fused = op->getNumResults() > 0 && !plan.isStored(op);
  uint64_t traffic = read * plan.getNumLoops(op) + (out.fused ? 0 : written);
  out.bytes = Bytes(std::min<uint64_t>(traffic, INT64_MAX));
}

static int64_t getLayer(Operation *op) {
  auto layer = op->getAttrOfType<LayerAttr>("hetero.layer");
  return layer ? layer.getLayer() : -1;
}

/// A barrier holds values back and does nothing to them.
void GraphBuilder::addBarrier(stablehlo::OptimizationBarrierOp op) {
  for (auto [operand, value] :
       llvm::zip_equal(op->getOperands(), op->getResults())) {
    if (isFree(operand) || !isTensor(value))
      continue;
    GraphOp out;
    out.name = "optimization_barrier";
    out.operands = {getTensor(operand)};
    out.results = {addTensor(value)};
    size_t rank = cast<RankedTensorType>(value.getType()).getRank();
    out.loops.resize(std::min<size_t>(rank, GraphOp::maxLoops));
    std::vector<int> loops(rank, GraphOp::whole);
    for (int loop = 0, end = out.loops.size(); loop < end; ++loop)
      loops[loop] = loop;
    out.operandLoops = out.resultLoops = {loops};
    out.linear = {{0}};
    out.layer = getLayer(op);
    result.graph.operations.push_back(std::move(out));
    result.operations.push_back(op);
  }
}

void GraphBuilder::addOperation(Operation *op) {
  SmallVector<Value> captures = getCaptures(op);
  auto free = [&](Value value) { return isFree(value); };
  if (llvm::all_of(op->getOperands(), free) && llvm::all_of(captures, free))
    return;
  if (auto barrier = dyn_cast<stablehlo::OptimizationBarrierOp>(op)) {
    addBarrier(barrier);
    return;
  }
  if (!llvm::all_of(op->getResults(), isTensor))
    return;
  DimensionMap map = getMap(op);
  GraphOp out;
  out.name = op->getName().stripDialect().str();
  out.reshape = isa<stablehlo::ReshapeOp>(op);
  for (Value operand : op->getOperands())
    out.operands.push_back(getTensor(operand));
  if (!out.reshape)
    addRule(map, captures, out);
  if (isLinearFor(map, ReductionKind::Sum))
    for (ArrayRef<unsigned> group : map.linear)
      out.linear.emplace_back(group.begin(), group.end());
  for (Value value : op->getResults())
    out.results.push_back(addTensor(value));
  addCost(op, map, out);
  out.layer = getLayer(op);
  result.graph.operations.push_back(std::move(out));
  result.operations.push_back(op);
}

void GraphBuilder::addResults(const StepRoles &roles) {
  DenseMap<int64_t, int64_t> argumentOf;
  for (auto [index, argument] : llvm::enumerate(result.graph.arguments))
    argumentOf[cast<BlockArgument>(result.values[argument.tensor])
                   .getArgNumber()] = index;
  for (auto [index, value] :
       llvm::enumerate(block.getTerminator()->getOperands())) {
    if (isFree(value))
      continue;
    RoleAttr role = roles.results[index];
    if (role && role.getKind() == RoleKind::UpdatedState) {
      auto it = argumentOf.find(*role.getArgument());
      if (it != argumentOf.end()) {
        result.graph.arguments[it->second].updatedBy = getTensor(value);
        continue;
      }
    }
    if (!llvm::is_contained(result.graph.results, getTensor(value)))
      result.graph.results.push_back(getTensor(value));
  }
}

StepGraph GraphBuilder::build() {
  StepRoles roles = getRoles(step);
  addArguments(roles);
  for (Operation &op : block.without_terminator())
    addOperation(&op);
  addResults(roles);
  return std::move(result);
}

StepGraph hetero::getGraph(func::FuncOp step, int64_t batch) {
  return GraphBuilder(step, batch).build();
}
