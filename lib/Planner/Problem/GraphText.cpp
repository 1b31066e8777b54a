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
  if (const YamlNode *groups = mapping.get("linear"))
    for (const YamlNode &group : reader.readItems(*groups, "linear groups"))
      op.linear.push_back(reader.readIntegers(group));
  if (const YamlNode *work = mapping.get("work")) {
    if (work->kind != YamlNode::Kind::Mapping)
      reader.fail(*work, "expected work by element type, like {f32: 48 FLOP}");
    for (auto [key, value] : zip(work->keys, work->items)) {
      checkElementType(reader, key);
      reader.read(value, op.work[key.text]);
    }
  }
  mapping.read("bytes", op.bytes);
  mapping.read("fused", op.fused);
  mapping.readInteger("layer", op.layer, 0);
  if (const YamlNode *times = mapping.get("times")) {
    if (times->kind != YamlNode::Kind::Mapping)
      reader.fail(*times,
                  "expected times by class of devices, like {l4: 9 ms}");
    for (auto [key, value] : zip(times->keys, times->items))
      reader.read(value, op.times[key.text]);
  }
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
  if (const YamlNode *tensor = mapping.require("tensor"))
    argument.tensor = reader.readInteger(*tensor, 0);
  if (const YamlNode *role = mapping.get("role")) {
    std::string name = reader.readString(*role);
    bool known = false;
    for (ArgumentRole candidate :
         {ArgumentRole::Batch, ArgumentRole::Parameter,
          ArgumentRole::OptimizerState, ArgumentRole::Other})
      if (stringify(candidate) == name) {
        argument.role = candidate;
        known = true;
      }
    if (!known)
      reader.fail(*role, "unknown role '" + name +
                             "'; one of: batch, parameter, optimizer, other");
  }
  mapping.readInteger("next", argument.next, 0);
  mapping.finish();
  return argument;
}

Expected<Graph> hetero::planner::readGraph(MemoryBufferRef buffer) {
  YamlReader reader(buffer);
  Graph graph;
  YamlMapping top(reader, reader.root(), "a graph");
  top.readInteger("batch", graph.batch, 0);
  if (const YamlNode *tensors = top.require("tensors"))
    for (const YamlNode &item : reader.readItems(*tensors, "tensors"))
      graph.tensors.push_back(readTensor(reader, item));
  if (const YamlNode *arguments = top.get("arguments"))
    for (const YamlNode &item : reader.readItems(*arguments, "arguments"))
      graph.arguments.push_back(readArgument(reader, item));
  if (const YamlNode *operations = top.get("operations"))
    for (const YamlNode &item : reader.readItems(*operations, "operations"))
      graph.operations.push_back(readOp(reader, item));
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

static void writeIntegers(ArrayRef<int64_t> values, raw_ostream &os) {
  os << '[';
  interleaveComma(values, os);
  os << ']';
}

static void writeLoops(ArrayRef<std::vector<int>> lists, raw_ostream &os) {
  interleave(
      lists, os,
      [&](ArrayRef<int> loops) {
        for (int loop : loops)
          os << (loop == GraphOp::whole ? '.' : letters[loop]);
      },
      ",");
}

static void writeOp(const GraphOp &op, raw_ostream &os) {
  os << "  - {name: " << quoteYaml(op.name) << ", operands: ";
  writeIntegers(op.operands, os);
  os << ", results: ";
  writeIntegers(op.results, os);
  os << ", rule: \"";
  if (op.reshape) {
    os << "reshape";
  } else {
    writeLoops(op.operandLoops, os);
    os << "->";
    writeLoops(op.resultLoops, os);
  }
  os << '"';
  for (ReductionKind reduction : reductions) {
    std::string text;
    for (auto [loop, kind] : enumerate(op.loops))
      if (kind == reduction)
        text += letters[loop];
    if (!text.empty())
      os << ", " << stringify(reduction) << ": \"" << text << '"';
  }
  if (!op.linear.empty()) {
    os << ", linear: [";
    interleaveComma(op.linear, os,
                    [&](ArrayRef<int64_t> group) { writeIntegers(group, os); });
    os << ']';
  }
  if (!op.work.empty()) {
    os << ", work: {";
    interleaveComma(op.work, os, [&](const auto &entry) {
      os << quoteYaml(entry.first) << ": " << entry.second.str();
    });
    os << '}';
  }
  if (op.bytes != Bytes(0))
    os << ", bytes: " << op.bytes.str();
  if (op.fused)
    os << ", fused: true";
  if (op.layer >= 0)
    os << ", layer: " << op.layer;
  if (!op.times.empty()) {
    os << ", times: {";
    interleaveComma(op.times, os, [&](const auto &entry) {
      os << quoteYaml(entry.first) << ": " << entry.second.str();
    });
    os << '}';
  }
  os << "}\n";
}

void hetero::planner::writeGraph(const Graph &graph, raw_ostream &os) {
  os << "batch: " << graph.batch << "\ntensors:\n";
  for (const GraphTensor &tensor : graph.tensors) {
    os << "  - {name: " << quoteYaml(tensor.name) << ", dims: ";
    writeIntegers(tensor.dims, os);
    os << ", bytes: " << tensor.bytes.str() << "}\n";
  }
  if (!graph.arguments.empty())
    os << "arguments:\n";
  for (const GraphArgument &argument : graph.arguments) {
    os << "  - {tensor: " << argument.tensor
       << ", role: " << stringify(argument.role);
    if (argument.next)
      os << ", next: " << *argument.next;
    os << "}\n";
  }
  if (!graph.operations.empty())
    os << "operations:\n";
  for (const GraphOp &op : graph.operations)
    writeOp(op, os);
  if (!graph.results.empty()) {
    os << "results: ";
    writeIntegers(graph.results, os);
    os << '\n';
  }
}
