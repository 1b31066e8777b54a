//===- SpmdVerify.cpp - Whether an SPMD program is one --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Planner/Spmd/Spmd.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"

using namespace llvm;
using namespace hetero;
using namespace hetero::planner;

namespace {
class ProgramVerifier {
public:
  ProgramVerifier(const Graph &graph, int64_t numDevices,
                  const SpmdProgram &program)
      : graph(graph), splits(findSplits(graph, numDevices, program.segments)),
        program(program), forms(graph.tensors.size()) {}
  Error run();

private:
  Error checkSizes() const;
  Error checkForm(int64_t tensor, int form) const;
  Error applyChanges();
  const OpStrategy &strategyOf(size_t operation) const {
    return splits.operations[operation][program.strategies[operation]];
  }
  bool offers(int64_t tensor, int wanted) const {
    return is_contained(program.available[tensor], wanted) ||
           is_contained(program.available[tensor], form::replicated);
  }

  const Graph &graph;
  GraphSplits splits;
  const SpmdProgram &program;
  /// Those that each tensor exists in.
  std::vector<SmallVector<int, 4>> forms;
};
} // namespace

static Error failTensor(int64_t tensor, const Twine &what) {
  return createStringError("tensor " + Twine(tensor) + what);
}

Error ProgramVerifier::checkForm(int64_t tensor, int form) const {
  if (form >= 0 && form < form::firstSplit + int(splits.tensors[tensor].size()))
    return Error::success();
  return failTensor(tensor, " ('" + graph.tensors[tensor].name +
                                "') has no form " + Twine(form));
}

Error ProgramVerifier::checkSizes() const {
  if (program.strategies.size() != graph.operations.size() ||
      program.stored.size() != graph.arguments.size() ||
      program.available.size() != graph.tensors.size())
    return createStringError("a program for " +
                             Twine(program.strategies.size()) +
                             " operations, not for the " +
                             Twine(graph.operations.size()) + " of the graph");
  for (auto [index, strategy] : enumerate(program.strategies))
    if (strategy < 0 || strategy >= int(splits.operations[index].size()))
      return createStringError("operation " + Twine(index) + " ('" +
                               graph.operations[index].name +
                               "') has no strategy " + Twine(strategy));
  for (auto [argument, form] : zip_equal(graph.arguments, program.stored)) {
    if (Error error = checkForm(argument.tensor, form))
      return error;
    if (form == form::partial || form == form::pending)
      return failTensor(argument.tensor, " is stored partial");
  }
  for (auto [tensor, list] : enumerate(program.available))
    for (int form : list)
      if (Error error = checkForm(tensor, form))
        return error;
  return Error::success();
}

/// Follows each change from a form that exists.
Error ProgramVerifier::applyChanges() {
  for (const FormChange &change : program.changes) {
    if (change.tensor < 0 || change.tensor >= int64_t(forms.size()))
      return createStringError("a change of tensor " + Twine(change.tensor) +
                               ", which does not exist");
    for (int form : {change.from, change.to})
      if (Error error = checkForm(change.tensor, form))
        return error;
    if (!is_contained(forms[change.tensor], change.from))
      return failTensor(change.tensor, " is changed from form " +
                                           Twine(change.from) +
                                           ", in which it does not exist");
    if (change.to == form::pending ||
        (change.to == form::partial && change.from != form::replicated))
      return failTensor(change.tensor,
                        " cannot be changed to form " + Twine(change.to));
    forms[change.tensor].push_back(change.to);
  }
  for (auto [tensor, list] : enumerate(program.available))
    for (int form : list)
      if (!is_contained(forms[tensor], form) &&
          !is_contained(forms[tensor], form::replicated))
        return failTensor(tensor, " is offered in form " + Twine(form) +
                                      ", in which it does not exist");
  return Error::success();
}

Error ProgramVerifier::run() {
  if (Error error = checkSizes())
    return error;
  for (auto [argument, form] : zip_equal(graph.arguments, program.stored))
    forms[argument.tensor].push_back(form);
  for (auto [index, op] : enumerate(graph.operations))
    for (auto [tensor, form] : zip_equal(op.results, strategyOf(index).results))
      forms[tensor].push_back(form);
  if (Error error = applyChanges())
    return error;
  for (auto [index, op] : enumerate(graph.operations))
    for (auto [tensor, wanted] :
         zip_equal(op.operands, strategyOf(index).operands))
      if (tensor != GraphOp::anyForm && !offers(tensor, wanted))
        return createStringError("operation " + Twine(index) + " ('" + op.name +
                                 "') needs tensor " + Twine(tensor) +
                                 " in form " + Twine(wanted));
  for (auto [argument, form] : zip_equal(graph.arguments, program.stored))
    if (argument.updatedBy && !offers(*argument.updatedBy, form))
      return failTensor(*argument.updatedBy, " does not come back as tensor " +
                                                 Twine(argument.tensor) +
                                                 " is stored");
  for (int64_t result : graph.results)
    if (!offers(result, form::replicated))
      return createStringError("result " + Twine(result) + " is not whole");
  return Error::success();
}

Error hetero::planner::verify(const Graph &graph, int64_t numDevices,
                              const SpmdProgram &program) {
  return ProgramVerifier(graph, numDevices, program).run();
}
