//===- SpmdReport.cpp - What an SPMD program does -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Planner/Spmd/SpmdReport.h"
#include "hetero/Planner/Spmd/SpmdCost.h"
#include "hetero/Support/ApproximateAmount.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"

using namespace llvm;
using namespace hetero;
using namespace hetero::planner;

static bool isProduct(const GraphOp &op) {
  return op.operands.size() == 2 && op.linear.size() == 2 &&
         is_contained(op.loops, ReductionKind::Sum);
}

static const char *getKind(const OpStrategy &strategy) {
  if (strategy.units > 0)
    return is_contained(strategy.results, form::partial) ? "contracted"
                                                         : "split";
  return is_contained(strategy.operands, form::partial) ? "linear" : "whole";
}

SpmdReport hetero::planner::getReport(const Graph &graph,
                                      const cluster::Cluster &cluster,
                                      ArrayRef<int64_t> devices,
                                      const SpmdSolution &solution) {
  SpmdReport report;
  GraphSplits splits =
      findSplits(graph, devices.size(), solution.program.segments);
  SpmdCost cost(cluster, devices, solution.shares);
  const SpmdProgram &program = solution.program;
  for (auto [index, op] : enumerate(graph.operations))
    if (isProduct(op))
      ++report.products[getKind(
          splits.operations[index][program.strategies[index]])];
  for (const FormChange &change : program.changes) {
    std::optional<Collective> collective =
        getCollective(graph.tensors[change.tensor].bytes,
                      splits.tensors[change.tensor], change.from, change.to);
    if (!collective)
      continue;
    std::string name = stringify(collective->kind).str();
    llvm::replace(name, '_', '-');
    auto &[count, seconds] = report.collectives[name];
    ++count;
    seconds += cost.collectiveTime(*collective);
  }
  for (auto [argument, form] : zip_equal(graph.arguments, program.stored)) {
    if (!argument.isState())
      continue;
    ++report.stateTensors;
    report.state += graph.tensors[argument.tensor].bytes;
    if (!form::isSplit(form))
      continue;
    ++report.splitTensors;
    report.splitState += graph.tensors[argument.tensor].bytes;
  }
  return report;
}

std::vector<Bytes>
hetero::planner::getStoredState(const Graph &graph,
                                const SpmdSolution &solution) {
  GraphSplits splits = findSplits(graph, solution.shares.front().size(),
                                  solution.program.segments);
  std::vector<Bytes> sums(solution.shares.front().size());
  for (auto [argument, form] :
       zip_equal(graph.arguments, solution.program.stored)) {
    if (!argument.isState())
      continue;
    auto bytes = double(graph.tensors[argument.tensor].bytes.count());
    DividedUnits units = splits.unitsOf(argument.tensor, form);
    const std::vector<double> &shares = solution.shares[std::min<size_t>(
        units.segment, solution.shares.size() - 1)];
    for (auto [sum, share] : zip_equal(sums, shares))
      sum += Bytes::nearest(units.units > 0 ? bytes * share : bytes);
  }
  return sums;
}

static std::string seconds(double value) {
  return approximate(Time::nearest(value * double(timePerSecond)));
}

/// Neighbours of one class with one share as "6 x p100", each with `text`.
static void printClasses(const cluster::Cluster &cluster,
                         ArrayRef<int64_t> devices, ArrayRef<double> shares,
                         raw_ostream &os, function_ref<void(size_t)> text) {
  for (size_t first = 0, next = 0; first < devices.size(); first = next) {
    auto isSame = [&](size_t other) {
      return cluster.devices[devices[other]].deviceClass ==
                 cluster.devices[devices[first]].deviceClass &&
             shares[other] == shares[first];
    };
    for (next = first; next < devices.size() && isSame(next);)
      ++next;
    os << (first ? ", " : "") << next - first << " x "
       << cluster.classOf(devices[first]).name << ' ';
    text(first);
  }
  os << '\n';
}

void hetero::planner::printReport(StringRef planner, const Graph &graph,
                                  const cluster::Cluster &cluster,
                                  ArrayRef<int64_t> devices,
                                  const SpmdSolution &solution,
                                  raw_ostream &os) {
  SpmdReport report = getReport(graph, cluster, devices, solution);
  os << "program by '" << planner << "' on cluster '" << cluster.name
     << "': " << graph.operations.size() << " operations on " << devices.size()
     << " devices\n";
  for (auto [segment, shares] : enumerate(solution.shares)) {
    os << (segment == 0 ? "  shares       " : "               ");
    printClasses(cluster, devices, shares, os,
                 [&, &ofSegment = shares](size_t member) {
                   os << format("%.1f%%", ofSegment[member] * 100);
                 });
  }
  os << "  products     ";
  interleaveComma(report.products, os, [&](const auto &entry) {
    os << entry.second << ' ' << entry.first;
  });
  os << "\n  collectives  ";
  interleaveComma(report.collectives, os, [&](const auto &entry) {
    os << entry.second.first << ' ' << entry.first << ' '
       << seconds(entry.second.second);
  });
  double part = report.state == Bytes(0) ? 0
                                         : double(report.splitState.count()) /
                                               double(report.state.count());
  os << "\n  state        " << report.splitTensors << " of "
     << report.stateTensors << " tensors in parts "
     << format("(%.1f%%", part * 100) << " of " << approximate(report.state)
     << ")\n";
  if (!solution.memory.empty()) {
    os << "  memory       ";
    printClasses(
        cluster, devices, solution.shares.front(), os, [&](size_t member) {
          os << approximate(solution.memory[member]) << " of "
             << approximate(cluster.classOf(devices[member]).usableMemory());
        });
  }
  os << "step " << seconds(solution.time()) << ": computation "
     << seconds(solution.computation) << ", communication "
     << seconds(solution.communication) << "; ";
  if (solution.proven)
    os << "optimal for its shares\n";
  else
    os << "at least " << seconds(solution.bound) << " for its shares\n";
}
