//===- Spmd.h - One program for unequal devices -----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The idea
// --------
// All devices of a group run the same operations, each on its share. A program
// for them says how each operation is divided (its strategy), in which form
// each argument is stored, and where a tensor changes its form, which is a
// collective. Forward, backward and optimizer are all in the graph, so data
// parallelism, tensor parallelism, expert parallelism, divided optimizer state
// and sufficient factor broadcasting are all just programs; nothing is built in
// for any of them.
//
// For given shares the best program is the least solution of a cost graph
// (Solver/CostGraph.h) with three kinds of nodes:
//
//   operation   its strategies, costing the time of the slowest device
//   tensor      the forms that it is made available in: replicated, partial,
//               split in one way, or two of these; whoever uses it takes one
//   argument    the form that it is stored in
//
// Between producer and tensor an edge has the collectives, between tensor and
// user it allows or forbids, and between an argument and its updated value it
// demands that state comes back as it was stored.
//
// For a given program the best shares are a linear program: time is a sum of
// maxima of functions that are linear in the shares, and so is memory. Both are
// solved in turn, from even shares and from shares by speed, until nothing
// improves. Devices of one class have one share.
//
// Layers that suit the classes of devices differently (convolutions and wide
// products, experts and embeddings) may be divided by other shares: such
// layers form *segments*, forward and backward together. A tensor that
// goes from one segment to another is exchanged between devices, and the linear
// program weighs that against what the other shares save.
//
// Where memory does not suffice, bytes get a price, which is raised until they
// do. Identical layers would all change at one price, so it rises along the
// program.
//
// A worked example
// ----------------
// The graph of Graph.h with x [32, 4096], w [4096, 4096]: an all-reduce of g
// moves 2 * 64 MiB, but gathering x and y only 2 * 0.5 MiB. The program that is
// found computes y split along the batch, gathers both factors, and computes g
// and the update everywhere.

#ifndef HETERO_PLANNER_SPMD_SPMD_H
#define HETERO_PLANNER_SPMD_SPMD_H

#include "hetero/Cluster/Cluster.h"
#include "hetero/Planner/Problem/GraphSplits.h"

namespace hetero::planner {

/// A tensor changes its form by one collective (or none, from replicated).
struct FormChange {
  int64_t tensor = 0;
  int from = 0, to = 0;
};

/// What every device does, in terms of findSplits(graph, devices, segments).
struct SpmdProgram {
  /// For each operation its segment; empty if there is one.
  std::vector<int64_t> segments;
  /// For each operation the number of its strategy.
  std::vector<int> strategies;
  /// For each argument the form that it is stored in.
  std::vector<int> stored;
  /// For each tensor the forms that it is available in to its users.
  std::vector<std::vector<int>> available;
  /// In program order; the changes of an argument come first.
  std::vector<FormChange> changes;
};

/// Shares of the devices in each segment; those of a segment sum to 1.
using SegmentShares = std::vector<std::vector<double>>;

struct SpmdOptions {
  /// Shares of the devices, if they are given.
  std::vector<double> shares;
  /// How often program and shares are solved in turn from each start.
  int rounds = 4;
  /// How many prices of memory are tried.
  int prices = 16;
  /// Whether memory limits the program.
  bool memory = true;
  /// Whether parameters and optimizer state must be stored replicated.
  bool replicatedState = false;
  /// How many segments with shares of their own there may be.
  int64_t maxSegments = 4;
  /// Only programs that take less than so many seconds are of use: the search
  /// may end with an error as soon as a bound says that there is none.
  std::optional<double> below;
};

struct SpmdSolution {
  SpmdProgram program;
  /// Of each segment, and in it of each device in the order of the group.
  SegmentShares shares;
  /// Seconds of a step, one thing after the other.
  double computation = 0, communication = 0;
  /// No program takes less with these shares; the same as the time if `proven`.
  double bound = 0;
  bool proven = false;
  /// The most that each device needs at any time.
  std::vector<Bytes> memory;

  double time() const { return computation + communication; }
};

/// The member of the group that is shortest of memory, and by how much; nothing
/// if a program fits.
std::optional<std::pair<size_t, Bytes>>
findShortage(const cluster::Cluster &cluster, llvm::ArrayRef<int64_t> devices,
             const SpmdSolution &solution);

/// An error that says so of the program that comes closest to fitting.
llvm::Error checkMemory(const cluster::Cluster &cluster,
                        llvm::ArrayRef<int64_t> devices,
                        const SpmdSolution &solution);

/// The best program and shares for the devices with these ranks. `graph` must
/// be sound. Fails when no program fits into the memory of the devices; the
/// error names the one that is short, and of how much, in the program that
/// comes closest.
llvm::Expected<SpmdSolution> synthesize(const Graph &graph,
                                        const cluster::Cluster &cluster,
                                        llvm::ArrayRef<int64_t> devices,
                                        const SpmdOptions &options = {});

/// Parameters and optimizer state that each member of the group stores, as far
/// as shares tell.
std::vector<Bytes> getStoredState(const Graph &graph,
                                  const SpmdSolution &solution);

/// Checks that `program` is one for `graph` on that many devices: each
/// operation finds its operands in the forms that it needs, forms are made by
/// its changes, state comes back as it is stored, results are whole.
/// Independent of how it was found.
llvm::Error verify(const Graph &graph, int64_t numDevices,
                   const SpmdProgram &program);

} // namespace hetero::planner

#endif // HETERO_PLANNER_SPMD_SPMD_H
