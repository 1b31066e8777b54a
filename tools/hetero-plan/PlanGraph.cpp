//===- PlanGraph.cpp - Programs for graphs of operations ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "PlanGraph.h"
#include "hetero/Planner/Spmd/HapSearch.h"
#include "hetero/Planner/Spmd/SpmdReport.h"
#include "hetero/Support/ApproximateAmount.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include <chrono>

using namespace llvm;
using namespace hetero;
using namespace hetero::planner;

static json::Object toJson(const SpmdSolution &solution,
                           const SpmdReport &report, StringRef planner) {
  json::Array shares, memory;
  for (const std::vector<double> &ofSegment : solution.shares)
    shares.push_back(json::Array(ofSegment));
  for (Bytes bytes : solution.memory)
    memory.push_back(bytes.count());
  json::Object products, collectives;
  for (const auto &[name, count] : report.products)
    products[name] = count;
  for (const auto &[name, entry] : report.collectives)
    collectives[name] =
        json::Object{{"count", entry.first}, {"seconds", entry.second}};
  return json::Object{{"planner", planner},
                      {"seconds", solution.time()},
                      {"computation_seconds", solution.computation},
                      {"communication_seconds", solution.communication},
                      {"bound_seconds", solution.bound},
                      {"proven", solution.proven},
                      {"shares", std::move(shares)},
                      {"memory_bytes", std::move(memory)},
                      {"products", std::move(products)},
                      {"collectives", std::move(collectives)},
                      {"state_tensors", report.stateTensors},
                      {"split_state_tensors", report.splitTensors},
                      {"state_bytes", report.state.count()},
                      {"split_state_bytes", report.splitState.count()}};
}

Error hetero::planner::planGraph(const Graph &graph,
                                 const GraphRequest &request, raw_ostream &os) {
  if (request.planner != "spmd" && request.planner != "hap")
    return createStringError("the planner '" + request.planner +
                             "' takes no graphs; those that do: hap, spmd");
  Expected<cluster::Cluster> cluster =
      cluster::readClusterFile(request.cluster);
  if (!cluster)
    return cluster.takeError();
  std::vector<int64_t> devices = cluster->availableDevices();
  if (devices.empty())
    return createStringError(
        "no device of the cluster '" + cluster->name +
        "' may be used: " + Twine(cluster->devices.size()) + " not available");
  HapOptions search;
  search.timeBudget = request.timeBudget;
  auto start = std::chrono::steady_clock::now();
  Expected<SpmdSolution> solution =
      request.planner == "spmd"
          ? synthesize(graph, *cluster, devices)
          : searchInTurn(graph, *cluster, devices, search);
  std::chrono::duration<double> taken =
      std::chrono::steady_clock::now() - start;
  if (request.timing)
    errs() << formatv("searched for {0:f3} s\n", taken.count());
  if (!solution)
    return solution.takeError();
  if (Error error = verify(graph, devices.size(), solution->program))
    return error;
  // The search of `hap` puts no price on memory.
  if (Error error = checkMemory(*cluster, devices, *solution))
    return error;
  // An operation that takes as long takes any time that is longer.
  if (solution->time() >= toSeconds(Time::max()))
    return createStringError("the step takes more than " +
                             approximate(Time::max()) +
                             ", which is too long to count");
  if (request.json)
    os << formatv("{0:2}\n",
                  json::Value(toJson(
                      *solution, getReport(graph, *cluster, devices, *solution),
                      request.planner)));
  else
    printReport(request.planner, graph, *cluster, devices, *solution, os);
  return Error::success();
}
