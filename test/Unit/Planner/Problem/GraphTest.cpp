//===- GraphTest.cpp - Graphs as values and files -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Planner/RandomGraphs.h"
#include "hetero/Planner/Problem/GraphSplits.h"
#include "gtest/gtest.h"

using namespace llvm;
using namespace hetero;
using namespace hetero::planner;

static const char *example = R"(
batch: 8
tensors:
  - {name: "x", dims: [8, 4], bytes: 128 B}
  - {name: "w", dims: [4, 6], bytes: 96 B}
  - {name: "y", dims: [8, 6], bytes: 192 B}
  - {name: "g", dims: [4, 6], bytes: 96 B}
  - {name: "n", dims: [4, 6], bytes: 96 B}
arguments:
  - {tensor: 0, role: batch}
  - {tensor: 1, role: parameter, next: 4}
operations:
  - {name: "dot", operands: [0, 1], results: [2], rule: "ab,bc->ac", sum: "b",
     linear: [[0], [1]], work: {f32: 384 FLOP}, bytes: 416 B}
  - {name: "dot", operands: [0, 2], results: [3], rule: "ab,ac->bc", sum: "a",
     linear: [[0], [1]], work: {f32: 384 FLOP}, bytes: 416 B}
  - {name: "subtract", operands: [1, 3], results: [4], rule: "ab,ab->ab",
     linear: [[0, 1]], work: {f32: 24 FLOP}, bytes: 288 B}
)";

static Expected<Graph> read(StringRef text) {
  return readGraph(MemoryBufferRef(text, "graph.yaml"));
}

static std::string readError(std::string from, std::string to) {
  std::string text = example;
  size_t at = text.find(from);
  text.replace(at, from.size(), to);
  Expected<Graph> graph = read(text);
  if (graph)
    return "";
  return toString(graph.takeError());
}

TEST(GraphTest, ReadsTheWorkedExample) {
  Expected<Graph> graph = read(example);
  ASSERT_TRUE(bool(graph)) << toString(graph.takeError());
  EXPECT_EQ(graph->operations.size(), 3u);
  EXPECT_EQ(graph->operations[0].operandLoops[1], (std::vector<int>{1, 2}));
  EXPECT_EQ(graph->operations[1].loops[0], ReductionKind::Sum);
  GraphSplits splits = findSplits(*graph, 2);
  // Replicated, three loops, two partial operands.
  EXPECT_EQ(splits.operations[0].size(), 6u);
}

TEST(GraphTest, RoundTripsRandomGraphs) {
  std::mt19937 random(31);
  for (int trial = 0; trial < 100; ++trial) {
    Graph graph = makeRandomGraph(random, 8);
    for (GraphOp &op : graph.operations)
      op.layer = int64_t(random() % 4) - 1;
    std::string text;
    raw_string_ostream os(text);
    writeGraph(graph, os);
    Expected<Graph> again = read(text);
    ASSERT_TRUE(bool(again)) << toString(again.takeError()) << text;
    EXPECT_TRUE(graph == *again) << text;
  }
}

TEST(GraphTest, NamesWhatIsWrong) {
  auto expect = [](std::string from, std::string to, StringRef message) {
    std::string error = readError(from, to);
    EXPECT_NE(StringRef(error).find(message), StringRef::npos)
        << "expected " << message.str() << ", got " << error;
  };
  expect("ab,bc->ac", "ab,bc->a", "has 1 loops for the 2 dimensions of tensor");
  expect("ab,bc->ac", "ab,ac->bc", "has a loop of both 8 and 4 iterations");
  expect(
      "ab,bc->ac", "a-,bc->ac",
      "13:57: error: expected loops as letters and whole dimensions as dots");
  expect("operands: [0, 2]", "operands: [0, 3]",
         "operation 1 ('dot') uses tensor 3, which nothing before it makes");
  expect("results: [3]", "results: [2]",
         "makes tensor 2, which something else makes as well");
  expect("next: 4", "next: 2", "argument 1 has other dimensions than its next");
  expect("linear: [[0, 1]]", "linear: [[0, 2]]",
         "is linear in operand 2, which it does not have");
  expect("role: batch", "role: data", "unknown role 'data'; one of: batch");
  expect("sum: \"b\"", "sum: \"z\"", "the rule has no loop 'z'");
  expect("batch: 8", "btach: 8", "unknown key 'btach'");
}

/// Heads are factors of a merged dimension, on both sides of the product.
TEST(GraphTest, FindsFactorsBehindReshapes) {
  GraphBuilder builder;
  int64_t x = builder.argument({10, 24}, ArgumentRole::Batch);
  int64_t w = builder.argument({24, 24}, ArgumentRole::Parameter);
  int64_t y = builder.dot(x, w);
  int64_t heads = builder.reshape(y, {10, 4, 6});
  GraphSplits splits = findSplits(builder.graph, 2);
  // 24 is 4 outer times 6 inner wherever it is joined with the heads.
  EXPECT_EQ(splits.tensors[y].size(), 3u);
  EXPECT_EQ(splits.tensors[y][1], (TensorSplit{1, 1, 4, 6}));
  EXPECT_EQ(splits.tensors[y][2], (TensorSplit{1, 4, 6, 1}));
  EXPECT_EQ(splits.tensors[w].size(), 3u);
  EXPECT_EQ(splits.tensors[w][1], (TensorSplit{1, 1, 4, 6}));
  EXPECT_EQ(splits.tensors[heads].size(), 3u);
  // The reshape: replicated, the batch, heads, inside of heads, partial.
  EXPECT_EQ(splits.operations[1].size(), 5u);
  // Splits of fewer units than devices are left out.
  EXPECT_EQ(findSplits(builder.graph, 5).tensors[heads].size(), 2u);
}
