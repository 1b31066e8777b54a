//===- RandomGraphs.cpp - Small graphs ------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "RandomGraphs.h"
#include "llvm/ADT/STLExtras.h"

using namespace hetero;
using namespace hetero::planner;

static int64_t count(const std::vector<int64_t> &dims) {
  int64_t elements = 1;
  for (int64_t dim : dims)
    elements *= dim;
  return elements;
}

int64_t GraphBuilder::tensor(std::vector<int64_t> dims) {
  int64_t number = graph.tensors.size();
  Bytes bytes(count(dims) * elementBytes);
  graph.tensors.push_back(
      {"t" + std::to_string(number), std::move(dims), bytes});
  return number;
}

int64_t GraphBuilder::addOp(GraphOp op, std::vector<int64_t> dims,
                            int64_t flops) {
  int64_t number = tensor(std::move(dims));
  op.results = {number};
  if (flops > 0)
    op.work["f32"] = Work(flops * elementBytes);
  if (!op.reshape) {
    op.bytes = graph.tensors[number].bytes;
    for (int64_t operand : op.operands)
      op.bytes += graph.tensors[operand].bytes;
  }
  graph.operations.push_back(std::move(op));
  return number;
}

int64_t GraphBuilder::argument(std::vector<int64_t> dims, ArgumentRole role) {
  int64_t number = tensor(std::move(dims));
  graph.arguments.push_back({number, role, std::nullopt});
  return number;
}

int64_t GraphBuilder::dot(int64_t lhs, int64_t rhs, bool transposeLhs,
                          bool transposeRhs) {
  GraphOp op;
  op.name = "dot";
  op.operands = {lhs, rhs};
  op.loops = {std::nullopt, ReductionKind::Sum, std::nullopt};
  op.operandLoops = {{0, 1}, {1, 2}};
  if (transposeLhs)
    op.operandLoops[0] = {1, 0};
  if (transposeRhs)
    op.operandLoops[1] = {2, 1};
  op.resultLoops = {{0, 2}};
  op.linear = {{0}, {1}};
  int64_t m = dims(lhs)[transposeLhs], k = dims(lhs)[!transposeLhs];
  int64_t n = dims(rhs)[!transposeRhs];
  return addOp(std::move(op), {m, n}, 2 * m * n * k);
}

static std::vector<int> loopsOf(size_t rank) {
  std::vector<int> loops;
  for (size_t dim = 0; dim < rank; ++dim)
    loops.push_back(dim);
  return loops;
}

int64_t GraphBuilder::elementwise(int64_t lhs, int64_t rhs, bool linear) {
  GraphOp op;
  op.name = linear ? "add" : "maximum";
  op.operands = {lhs, rhs};
  std::vector<int> loops = loopsOf(dims(lhs).size());
  op.loops.resize(loops.size());
  op.operandLoops = {loops, loops};
  op.resultLoops = {loops};
  if (linear)
    op.linear = {{0, 1}};
  std::vector<int64_t> shape = dims(lhs);
  return addOp(std::move(op), shape, count(shape));
}

int64_t GraphBuilder::unary(int64_t operand) {
  GraphOp op;
  op.name = "tanh";
  op.operands = {operand};
  std::vector<int> loops = loopsOf(dims(operand).size());
  op.loops.resize(loops.size());
  op.operandLoops = op.resultLoops = {loops};
  std::vector<int64_t> shape = dims(operand);
  return addOp(std::move(op), shape, count(shape));
}

int64_t GraphBuilder::transpose(int64_t operand) {
  GraphOp op;
  op.name = "transpose";
  op.operands = {operand};
  op.loops.resize(2);
  op.operandLoops = {{0, 1}};
  op.resultLoops = {{1, 0}};
  op.linear = {{0}};
  return addOp(std::move(op), {dims(operand)[1], dims(operand)[0]}, 0);
}

int64_t GraphBuilder::reshape(int64_t operand, std::vector<int64_t> shape) {
  GraphOp op;
  op.name = "reshape";
  op.operands = {operand};
  op.reshape = true;
  op.linear = {{0}};
  return addOp(std::move(op), std::move(shape), 0);
}

int64_t GraphBuilder::reduce(int64_t operand, ReductionKind reduction) {
  GraphOp op;
  op.name = "reduce";
  op.operands = {operand};
  std::vector<int> loops = loopsOf(dims(operand).size());
  op.loops.resize(loops.size());
  op.loops.back() = reduction;
  op.operandLoops = {loops};
  std::vector<int64_t> shape = dims(operand);
  int64_t flops = count(shape);
  loops.pop_back();
  shape.pop_back();
  op.resultLoops = {loops};
  if (reduction == ReductionKind::Sum)
    op.linear = {{0}};
  return addOp(std::move(op), shape, flops);
}

void GraphBuilder::update(int64_t argument, int64_t next) {
  for (GraphArgument &entry : graph.arguments)
    if (entry.tensor == argument)
      entry.updatedBy = next;
}

Graph hetero::planner::makeRandomGraph(std::mt19937 &random, int maxOps) {
  auto below = [&](int64_t end) { return int64_t(random() % end); };
  static const int64_t sizes[] = {4, 6, 12, 30};
  static const int64_t weights[] = {4, 4000, 4000000};
  GraphBuilder builder(weights[below(3)]);
  int64_t m = sizes[below(4)], k = sizes[below(4)], n = sizes[below(4)];
  builder.graph.batch = m;
  int64_t x = builder.argument({m, k}, ArgumentRole::Batch);
  int64_t w = builder.argument({k, n}, ArgumentRole::Parameter);
  std::vector<int64_t> matrices = {x, w};
  auto pick = [&] { return matrices[below(matrices.size())]; };
  int numOps = 1 + below(maxOps);
  for (int i = 0; i < numOps; ++i) {
    int64_t a = pick(), b = pick();
    std::vector<int64_t> dimsA = builder.dims(a), dimsB = builder.dims(b);
    int64_t kind = below(8), made = -1;
    if (kind < 3) {
      for (int flags = below(4), tries = 0; tries < 4 && made < 0;
           flags = (flags + 1) % 4, ++tries)
        if (dimsA[!(flags & 1)] == dimsB[bool(flags & 2)])
          made = builder.dot(a, b, flags & 1, flags & 2);
    } else if (kind == 3) {
      made = builder.transpose(a);
    } else if (kind == 4 && dimsA[1] % 2 == 0) {
      int64_t half = dimsA[1] / 2;
      made = below(2) ? builder.reshape(a, {dimsA[0] * 2, half})
                      : builder.reshape(builder.reshape(a, {dimsA[0], 2, half}),
                                        {dimsA[0], dimsA[1]});
    } else if (kind < 7 && dimsA == dimsB) {
      made = builder.elementwise(a, b, below(2));
    }
    matrices.push_back(made >= 0 ? made : builder.unary(a));
  }
  // The parameter's update: from a tensor of its shape if there is one.
  int64_t other = w;
  for (int64_t tensor : matrices)
    if (builder.dims(tensor) == builder.dims(w))
      other = tensor;
  if (below(4))
    builder.update(w, builder.elementwise(w, other, below(2)));
  int64_t last = builder.reduce(matrices.back(), below(3) ? ReductionKind::Sum
                                                          : ReductionKind::Max);
  if (below(2))
    builder.result(last);
  return std::move(builder.graph);
}
