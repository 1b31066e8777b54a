//===- Graph.cpp - A step as operations on divisible tensors --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Planner/Problem/Graph.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"
#include <tuple>

using namespace llvm;
using namespace hetero;
using namespace hetero::planner;

bool GraphTensor::operator==(const GraphTensor &other) const {
  return std::tie(name, dims, bytes) ==
         std::tie(other.name, other.dims, other.bytes);
}

bool GraphOp::operator==(const GraphOp &other) const {
  return std::tie(name, operands, results, loops, operandLoops, resultLoops,
                  linear, reshape, work, bytes, fused, layer, times) ==
         std::tie(other.name, other.operands, other.results, other.loops,
                  other.operandLoops, other.resultLoops, other.linear,
                  other.reshape, other.work, other.bytes, other.fused,
                  other.layer, other.times);
}

bool GraphArgument::operator==(const GraphArgument &other) const {
  return std::tie(tensor, role, next) ==
         std::tie(other.tensor, other.role, other.next);
}

bool Graph::operator==(const Graph &other) const {
  return std::tie(batch, tensors, arguments, operations, results) ==
         std::tie(other.batch, other.tensors, other.arguments, other.operations,
                  other.results);
}

StringRef hetero::planner::stringify(ArgumentRole role) {
  switch (role) {
  case ArgumentRole::Batch:
    return "batch";
  case ArgumentRole::Parameter:
    return "parameter";
  case ArgumentRole::OptimizerState:
    return "optimizer";
  case ArgumentRole::Other:
    return "other";
  }
  llvm_unreachable("every role has a name");
}

namespace {
class GraphChecker {
public:
  explicit GraphChecker(const Graph &graph)
      : graph(graph), defined(graph.tensors.size(), false) {}
  Error run();

private:
  Error checkTensors() const;
  Error define(int64_t tensor, const Twine &by);
  Error checkUse(int64_t tensor, const Twine &by) const;
  Error checkOp(const GraphOp &op, const Twine &name);
  Error checkRule(const GraphOp &op, const Twine &name) const;
  Error checkReshape(const GraphOp &op, const Twine &name) const;
  Error checkDims(ArrayRef<int> loops, int64_t tensor,
                  MutableArrayRef<int64_t> sizes, const Twine &name) const;

  const Graph &graph;
  std::vector<bool> defined;
};
} // namespace

Error GraphChecker::checkTensors() const {
  for (auto [index, tensor] : enumerate(graph.tensors)) {
    if (tensor.bytes < Bytes(0))
      return createStringError("tensor " + Twine(index) + " has " +
                               tensor.bytes.str());
    int64_t elements = 1;
    for (int64_t dim : tensor.dims) {
      if (dim < 0)
        return createStringError("tensor " + Twine(index) +
                                 " has a dimension of " + Twine(dim));
      if (MulOverflow(elements, dim, elements))
        return createStringError("tensor " + Twine(index) +
                                 " has more elements than 63 bits can count");
    }
  }
  return Error::success();
}

Error GraphChecker::define(int64_t tensor, const Twine &by) {
  if (tensor < 0 || tensor >= int64_t(graph.tensors.size()))
    return createStringError(by + " makes tensor " + Twine(tensor) +
                             ", which does not exist");
  if (defined[tensor])
    return createStringError(by + " makes tensor " + Twine(tensor) +
                             ", which something else makes as well");
  defined[tensor] = true;
  return Error::success();
}

Error GraphChecker::checkUse(int64_t tensor, const Twine &by) const {
  if (tensor >= 0 && tensor < int64_t(graph.tensors.size()) && defined[tensor])
    return Error::success();
  return createStringError(by + " uses tensor " + Twine(tensor) +
                           ", which nothing before it makes");
}

/// Checks the loops of one operand or result and notes their sizes.
Error GraphChecker::checkDims(ArrayRef<int> loops, int64_t tensor,
                              MutableArrayRef<int64_t> sizes,
                              const Twine &name) const {
  ArrayRef<int64_t> dims = graph.tensors[tensor].dims;
  if (loops.size() != dims.size())
    return createStringError(name + " has " + Twine(loops.size()) +
                             " loops for the " + Twine(dims.size()) +
                             " dimensions of tensor " + Twine(tensor));
  for (auto [loop, dim] : zip_equal(loops, dims)) {
    if (loop == GraphOp::whole)
      continue;
    if (loop < 0 || loop >= int(sizes.size()))
      return createStringError(name + " names loop " + Twine(loop) + " of " +
                               Twine(sizes.size()));
    if (sizes[loop] >= 0 && sizes[loop] != dim)
      return createStringError(name + " has a loop of both " +
                               Twine(sizes[loop]) + " and " + Twine(dim) +
                               " iterations");
    sizes[loop] = dim;
  }
  return Error::success();
}

Error GraphChecker::checkRule(const GraphOp &op, const Twine &name) const {
  if (op.operandLoops.size() != op.operands.size() ||
      op.resultLoops.size() != op.results.size())
    return createStringError(name + " has a rule for " +
                             Twine(op.operandLoops.size()) + " operands and " +
                             Twine(op.resultLoops.size()) + " results, but " +
                             Twine(op.operands.size()) + " and " +
                             Twine(op.results.size()) + " of them");
  std::vector<int64_t> sizes(op.loops.size(), -1);
  for (auto [tensor, loops] : zip_equal(op.operands, op.operandLoops))
    if (tensor != GraphOp::anyForm)
      if (Error error = checkDims(loops, tensor, sizes, name))
        return error;
  for (auto [tensor, loops] : zip_equal(op.results, op.resultLoops))
    if (Error error = checkDims(loops, tensor, sizes, name))
      return error;
  return Error::success();
}

Error GraphChecker::checkReshape(const GraphOp &op, const Twine &name) const {
  if (op.operands.size() != 1 || op.results.size() != 1)
    return createStringError(name + " is a reshape with " +
                             Twine(op.operands.size()) + " operands and " +
                             Twine(op.results.size()) + " results");
  auto count = [&](int64_t tensor) {
    int64_t elements = 1;
    for (int64_t dim : graph.tensors[tensor].dims)
      elements *= dim;
    return elements;
  };
  if (op.operands[0] != GraphOp::anyForm &&
      count(op.operands[0]) != count(op.results[0]))
    return createStringError(name + " is a reshape of " +
                             Twine(count(op.operands[0])) + " elements to " +
                             Twine(count(op.results[0])));
  return Error::success();
}

Error GraphChecker::checkOp(const GraphOp &op, const Twine &name) {
  for (int64_t operand : op.operands)
    if (operand != GraphOp::anyForm)
      if (Error error = checkUse(operand, name))
        return error;
  for (int64_t result : op.results)
    if (Error error = define(result, name))
      return error;
  for (ArrayRef<int64_t> group : op.linear)
    for (int64_t operand : group)
      if (operand < 0 || operand >= int64_t(op.operands.size()))
        return createStringError(name + " is linear in operand " +
                                 Twine(operand) + ", which it does not have");
  if (op.bytes < Bytes(0))
    return createStringError(name + " has " + op.bytes.str() + " of traffic");
  for (const auto &[type, work] : op.work)
    if (work < Work(0))
      return createStringError(name + " has work of " + work.str());
  for (const auto &[deviceClass, time] : op.times)
    if (time < Time(0))
      return createStringError(name + " takes " + time.str() + " on '" +
                               deviceClass + "'");
  return op.reshape ? checkReshape(op, name) : checkRule(op, name);
}

Error GraphChecker::run() {
  if (Error error = checkTensors())
    return error;
  for (auto [index, argument] : enumerate(graph.arguments))
    if (Error error = define(argument.tensor, "argument " + Twine(index)))
      return error;
  for (auto [index, op] : enumerate(graph.operations))
    if (Error error =
            checkOp(op, "operation " + Twine(index) + " ('" + op.name + "')"))
      return error;
  for (auto [index, argument] : enumerate(graph.arguments)) {
    if (!argument.next)
      continue;
    std::string name = "argument " + std::to_string(index);
    if (Error error = checkUse(*argument.next, name))
      return error;
    if (graph.tensors[*argument.next].dims !=
        graph.tensors[argument.tensor].dims)
      return createStringError(name + " has other dimensions than its next "
                                      "value");
  }
  for (int64_t result : graph.results)
    if (Error error = checkUse(result, "the list of results"))
      return error;
  return Error::success();
}

Error hetero::planner::check(const Graph &graph) {
  return GraphChecker(graph).run();
}
