//===- Graph.cpp - A step as operations on divisible tensors --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Planner/Problem/Graph.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;
using namespace hetero;
using namespace hetero::planner;

StringRef hetero::planner::stringify(ArgumentRole role) {
  static constexpr StringLiteral names[] = {"batch", "parameter", "optimizer",
                                            "other"};
  return names[int(role)];
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
    return createStringError(
        formatv("{0} makes tensor {1}, which does not exist", by, tensor));
  if (defined[tensor])
    return createStringError(
        formatv("{0} makes tensor {1}, which something else makes as well", by,
                tensor));
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
    return createStringError(
        formatv("{0} has {1} loops for the {2} dimensions of tensor {3}", name,
                loops.size(), dims.size(), tensor));
  for (auto [loop, dim] : zip_equal(loops, dims)) {
    if (loop == GraphOp::whole)
      continue;
    if (loop < 0 || loop >= int(sizes.size()))
      return createStringError(name + " names loop " + Twine(loop) + " of " +
                               Twine(sizes.size()));
    if (sizes[loop] >= 0 && sizes[loop] != dim)
      return createStringError(
          formatv("{0} has a loop of both {1} and {2} iterations", name,
                  sizes[loop], dim));
    sizes[loop] = dim;
  }
  return Error::success();
}

Error GraphChecker::checkRule(const GraphOp &op, const Twine &name) const {
  if (op.operandLoops.size() != op.operands.size() ||
      op.resultLoops.size() != op.results.size())
    return createStringError(
        formatv("{0} has a rule for {1} operands and {2} results, but {3} and "
                "{4} of them",
                name, op.operandLoops.size(), op.resultLoops.size(),
                op.operands.size(), op.results.size()));
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
    return createStringError(
        formatv("{0} is a reshape with {1} operands and {2} results", name,
                op.operands.size(), op.results.size()));
  auto count = [&](int64_t tensor) {
    return product_of(graph.tensors[tensor].dims, int64_t(1));
  };
  if (op.operands[0] != GraphOp::anyForm &&
      count(op.operands[0]) != count(op.results[0]))
    return createStringError(formatv("{0} is a reshape of {1} elements to {2}",
                                     name, count(op.operands[0]),
                                     count(op.results[0])));
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
        return createStringError(
            formatv("{0} is linear in operand {1}, which it does not have",
                    name, operand));
  if (op.bytes < Bytes(0))
    return createStringError(name + " has " + op.bytes.str() + " of traffic");
  for (const auto &[type, work] : op.work)
    if (work < Work(0))
      return createStringError(name + " has work of " + work.str());
  for (const auto &[deviceClass, time] : op.times)
    if (time < Time(0))
      return createStringError(
          formatv("{0} takes {1} on '{2}'", name, time.str(), deviceClass));
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
    if (!argument.updatedBy)
      continue;
    std::string name = "argument " + std::to_string(index);
    if (Error error = checkUse(*argument.updatedBy, name))
      return error;
    if (graph.tensors[*argument.updatedBy].dims !=
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
