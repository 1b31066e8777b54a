//===- GraphText.cpp - Graphs as files ------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Planner/Problem/Graph.h"
#include "hetero/Support/ElementType.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace hetero;
using namespace hetero::planner;

static constexpr StringLiteral letters =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

static constexpr ReductionKind reductions[] = {
    ReductionKind::Sum, ReductionKind::Max, ReductionKind::Min,
    ReductionKind::And, ReductionKind::Or};

static constexpr ArgumentRole roles[] = {
    ArgumentRole::Batch, ArgumentRole::Parameter, ArgumentRole::OptimizerState,
    ArgumentRole::Other};

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

/// One side of a rule: "ab,bc".
static std::vector<std::vector<int>> readLoops(YamlReader &reader,
                                               const YamlNode &node,
                                               StringRef text, int &numLoops) {
  std::vector<std::vector<int>> lists;
  SmallVector<StringRef> parts;
  if (text.empty())
    return lists;
  text.split(parts, ',');
  for (StringRef part : parts) {
    lists.emplace_back();
    for (char c : part.trim()) {
      size_t loop = letters.find(c);
      if (c != '.' && loop == StringRef::npos)
        reader.fail(node, "expected loops as letters and whole dimensions as "
                          "dots, like \"ab,bc->ac\", not '" +
                              Twine(c) + "'");
      lists.back().push_back(
          c == '.' || loop == StringRef::npos ? GraphOp::whole : int(loop));
      numLoops = std::max(numLoops, lists.back().back() + 1);
    }
  }
  return lists;
}

static void readRule(YamlReader &reader, YamlMapping &mapping, GraphOp &op) {
  int numLoops = 0;
  if (const YamlNode *node = mapping.get("rule")) {
    std::string text = reader.readString(*node);
    if (text == "reshape") {
      op.reshape = true;
      return;
    }
    auto [operands, results] = StringRef(text).split("->");
    op.operandLoops = readLoops(reader, *node, operands.trim(), numLoops);
    op.resultLoops = readLoops(reader, *node, results.trim(), numLoops);
    // One operand or result without dimensions.
    if (op.operandLoops.empty() && op.operands.size() == 1)
      op.operandLoops.resize(1);
    if (op.resultLoops.empty() && op.results.size() == 1)
      op.resultLoops.resize(1);
  }
  op.loops.resize(numLoops);
  for (ReductionKind reduction : reductions)
    if (const YamlNode *node = mapping.get(stringify(reduction)))
      for (char c : reader.readString(*node)) {
        size_t loop = letters.find(c);
        if (loop >= op.loops.size())
          reader.fail(*node, "the rule has no loop '" + Twine(c) + "'");
        else
          op.loops[loop] = reduction;
      }
}

static GraphOp readOp(YamlReader &reader, const YamlNode &node) {
  GraphOp op;
  YamlMapping mapping(reader, node, "an operation");
  mapping.read("name", op.name);
  mapping.read("operands", op.operands);
  mapping.read("results", op.results);
  readRule(reader, mapping, op);
  mapping.read("linear", op.linear, "linear groups",
               std::mem_fn(&YamlReader::readIntegers));
  if (const YamlNode *work = mapping.get("work"))
    for (auto [key, value] : reader.readEntries(
             *work, "work by element type, like {f32: 48 FLOP}")) {
      checkElementType(reader, key);
      reader.read(value, op.work[key.text]);
    }
  mapping.read("bytes", op.bytes);
  mapping.read("fused", op.fused);
  mapping.read("layer", op.layer, 0);
  if (const YamlNode *times = mapping.get("times"))
    for (auto [key, value] : reader.readEntries(
             *times, "times by class of devices, like {l4: 9 ms}"))
      reader.read(value, op.times[key.text]);
  mapping.finish();
  return op;
}

static GraphTensor readTensor(YamlReader &reader, const YamlNode &node) {
  GraphTensor tensor;
  YamlMapping mapping(reader, node, "a tensor");
  mapping.read("name", tensor.name);
  mapping.read("dims", tensor.dims);
  mapping.read("bytes", tensor.bytes);
  mapping.finish();
  return tensor;
}

static GraphArgument readArgument(YamlReader &reader, const YamlNode &node) {
  GraphArgument argument;
  YamlMapping mapping(reader, node, "an argument");
  mapping.require("tensor", argument.tensor, 0);
  if (const YamlNode *role = mapping.get("role")) {
    std::string name = reader.readString(*role);
    const auto *known = find_if(roles, [&](ArgumentRole candidate) {
      return stringify(candidate) == name;
    });
    if (known == std::end(roles))
      reader.fail(*role, "unknown role '" + name +
                             "'; one of: batch, parameter, optimizer, other");
    else
      argument.role = *known;
  }
  mapping.read("next", argument.updatedBy, 0);
  mapping.finish();
  return argument;
}

Expected<Graph> hetero::planner::readGraph(MemoryBufferRef buffer) {
  YamlReader reader(buffer);
  Graph graph;
  YamlMapping top(reader, reader.root(), "a graph");
  top.read("batch", graph.batch, 0);
  top.require("tensors", graph.tensors, "tensors", readTensor);
  top.read("arguments", graph.arguments, "arguments", readArgument);
  top.read("operations", graph.operations, "operations", readOp);
  top.read("results", graph.results);
  top.finish();
  if (Error error = reader.takeError())
    return error;
  if (Error error = check(graph)) {
    reader.fail(reader.root(), toString(std::move(error)));
    return reader.takeError();
  }
  return graph;
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

/// One side of a rule.
static std::string stringify(ArrayRef<std::vector<int>> lists) {
  return join(map_range(lists,
                        [](ArrayRef<int> loops) {
                          std::string text;
                          for (int loop : loops)
                            text +=
                                loop == GraphOp::whole ? '.' : letters[loop];
                          return text;
                        }),
              ",");
}

static void writeOp(YamlWriter &keys, const GraphOp &op) {
  keys.write("name", op.name);
  keys.write("operands", op.operands);
  keys.write("results", op.results);
  keys.write("rule", op.reshape ? "reshape"
                                : stringify(op.operandLoops) + "->" +
                                      stringify(op.resultLoops));
  for (ReductionKind reduction : reductions) {
    std::string text;
    for (auto [loop, kind] : enumerate(op.loops))
      if (kind == reduction)
        text += letters[loop];
    keys.writeUnless({}, stringify(reduction), text);
  }
  keys.writeUnless({}, "linear", op.linear);
  keys.writeUnless({}, "work", op.work);
  keys.writeUnless({}, "bytes", op.bytes);
  keys.writeUnless(false, "fused", op.fused);
  if (op.layer >= 0)
    keys.write("layer", op.layer);
  keys.writeUnless({}, "times", op.times);
}

void hetero::planner::writeGraph(const Graph &graph, raw_ostream &os) {
  YamlWriter top(os, "");
  top.write("batch", graph.batch);
  if (graph.tensors.empty())
    os << "tensors:\n";
  top.writeItems("tensors", graph.tensors,
                 [](YamlWriter &item, const GraphTensor &tensor) {
                   item.write("name", tensor.name);
                   item.write("dims", tensor.dims);
                   item.write("bytes", tensor.bytes);
                 });
  top.writeItems("arguments", graph.arguments,
                 [](YamlWriter &item, const GraphArgument &argument) {
                   item.write("tensor", argument.tensor);
                   item.write("role", argument.role);
                   item.write("next", argument.updatedBy);
                 });
  top.writeItems("operations", graph.operations, writeOp);
  top.writeUnless({}, "results", graph.results);
}
