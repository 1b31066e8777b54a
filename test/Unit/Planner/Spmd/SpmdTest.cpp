//===- SpmdTest.cpp - Programs against all programs -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Planner/Spmd/Spmd.h"
#include "Planner/RandomGraphs.h"
#include "Planner/RandomProblems.h"
#include "RandomCases.h"
#include "hetero/Planner/Spmd/HapSearch.h"
#include "hetero/Planner/Spmd/SpmdSpace.h"
#include "hetero/Solver/LinearProgram.h"
#include "llvm/ADT/STLExtras.h"
#include "gtest/gtest.h"

using namespace llvm;
using namespace hetero;
using namespace hetero::planner;
using solver::infinity;

/// `fast` devices of one class and `slow` of another, each in a node of its own
/// on one switch.
static cluster::Cluster makeCluster(int64_t fast, int64_t slow,
                                    std::string bandwidth = "10.4 Gb/s") {
  std::string text =
      "name: test\nnodes:\n"
      "  - {name: f, devices: [v100-16], count: " +
      std::to_string(fast) +
      "}\n  - {name: s, devices: [p100], count: " + std::to_string(slow) +
      "}\nswitches:\n  - {name: net, joins: [f, s], link: "
      "{bandwidth: " +
      bandwidth + ", latency: 10 us}}\n";
  return cantFail(cluster::readCluster(MemoryBufferRef(text, "test")));
}

/// Least cost of offering a tensor in all of `wanted`.
static double offerCost(const FormChanges &changes, int from,
                        const std::vector<int> &wanted) {
  double best = infinity;
  for (int first = 0; first < changes.numForms; ++first)
    for (int second = -1; second < changes.numForms; ++second) {
      Availability availability{first, second};
      if (all_of(wanted, [&](int form) { return availability.offers(form); }))
        best = std::min(best, timeToOffer(changes, from, availability));
    }
  return best;
}

/// Tries all strategies and stored forms.
static double timeByTrying(const Graph &graph, SpmdCost &cost,
                           ArrayRef<int64_t> segments = {}) {
  GraphSplits splits = findSplits(graph, cost.devices.size(), segments);
  std::vector<int> sizes;
  for (size_t i = 0; i < graph.operations.size(); ++i)
    sizes.push_back(splits.operations[i].size());
  for (const GraphArgument &argument : graph.arguments)
    sizes.push_back(1 + splits.tensors[argument.tensor].size());
  std::vector<int> choice(sizes.size(), 0);
  size_t numOps = graph.operations.size();
  double best = infinity;
  for (;;) {
    double time = 0;
    std::vector<std::vector<int>> wanted(graph.tensors.size());
    std::vector<int> made(graph.tensors.size(), 0);
    for (size_t i = 0; i < numOps; ++i) {
      const GraphOp &op = graph.operations[i];
      const OpStrategy &strategy = splits.operations[i][choice[i]];
      time += cost.operationTime(op, strategy.getUnits());
      for (auto [tensor, form] : zip_equal(op.operands, strategy.operands))
        wanted[tensor].push_back(form);
      for (auto [tensor, form] : zip_equal(op.results, strategy.results))
        made[tensor] = form;
    }
    for (auto [index, argument] : enumerate(graph.arguments)) {
      int stored = choice[numOps + index];
      if (stored > 0)
        stored += form::firstSplit - 1;
      made[argument.tensor] = stored;
      if (argument.updatedBy)
        wanted[*argument.updatedBy].push_back(stored);
    }
    for (int64_t result : graph.results)
      wanted[result].push_back(form::replicated);
    for (auto [tensor, forms] : enumerate(wanted)) {
      if (!forms.empty())
        time += offerCost(
            cost.changesOf(graph.tensors[tensor].bytes, splits.tensors[tensor]),
            made[tensor], forms);
    }
    best = std::min(best, time);
    size_t at = 0;
    for (; at < sizes.size(); ++at) {
      if (++choice[at] < sizes[at])
        break;
      choice[at] = 0;
    }
    if (at == sizes.size())
      return best;
  }
}

TEST(SpmdTest, EqualsAllProgramsAndTheSearch) {
  std::mt19937 random(21);
  int split = 0;
  for (int trial = 0; trial < numRandomCases(60); ++trial) {
    Graph graph = makeRandomGraph(random, 3);
    ASSERT_FALSE(bool(check(graph)));
    cluster::Cluster cluster = makeCluster(1 + random() % 2, 1 + random() % 2);
    std::vector<int64_t> devices = cluster.availableDevices();
    SpmdOptions options;
    options.shares =
        trial % 2 ? getSpeedShares(graph, cluster, devices)
                  : std::vector<double>(devices.size(), 1.0 / devices.size());
    options.memory = false;
    SpmdCost cost(cluster, devices, options.shares);
    double expected = timeByTrying(graph, cost);
    Expected<SpmdSolution> solution =
        synthesize(graph, cluster, devices, options);
    ASSERT_TRUE(bool(solution)) << toString(solution.takeError());
    EXPECT_TRUE(solution->proven);
    EXPECT_NEAR(solution->time(), expected, 1e-9 * expected)
        << "trial " << trial;
    if (Error error = verify(graph, devices.size(), solution->program))
      ADD_FAILURE() << toString(std::move(error)) << " in trial " << trial;
    HapOptions wide;
    wide.width = 1 << 20;
    Expected<SpmdSolution> found =
        searchProgram(graph, cluster, devices, {options.shares}, wide);
    ASSERT_TRUE(bool(found)) << toString(found.takeError());
    EXPECT_TRUE(found->proven);
    EXPECT_NEAR(found->time(), expected, 1e-9 * expected) << "trial " << trial;
    split += any_of(solution->program.strategies, [](int s) { return s > 0; });
  }
  EXPECT_GT(split, 0);
}

/// The same with segments that have shares of their own.
TEST(SpmdTest, EqualsAllProgramsOfSegments) {
  std::mt19937 random(24);
  int exchanged = 0;
  for (int trial = 0; trial < numRandomCases(15); ++trial) {
    Graph graph = makeRandomGraph(random, 3);
    cluster::Cluster cluster = makeCluster(1, 1 + random() % 2);
    std::vector<int64_t> devices = cluster.availableDevices();
    HapOptions wide;
    wide.width = 1 << 20;
    for (size_t i = 0; i < graph.operations.size(); ++i)
      wide.segments.push_back(random() % 2);
    SegmentShares shares(2, getSpeedShares(graph, cluster, devices));
    std::reverse(shares[1].begin(), shares[1].end());
    SpmdCost cost(cluster, devices, shares);
    double expected = timeByTrying(graph, cost, wide.segments);
    SpmdSpace space(graph, devices.size(), false, wide.segments);
    std::optional<solver::CostGraphSolution> found =
        solver::solve(space.getCosts(cost), {}, {space.getReplicated()});
    ASSERT_TRUE(found && found->proven);
    SpmdProgram program = space.decode(found->states, cost);
    if (Error error = verify(graph, devices.size(), program))
      ADD_FAILURE() << toString(std::move(error)) << " in trial " << trial;
    auto [computation, communication] = space.evaluate(program, cost);
    EXPECT_NEAR(computation + communication, expected, 1e-9 * expected)
        << "trial " << trial;
    Expected<SpmdSolution> searched =
        searchProgram(graph, cluster, devices, shares, wide);
    ASSERT_TRUE(bool(searched)) << toString(searched.takeError());
    EXPECT_NEAR(searched->time(), expected, 1e-9 * expected)
        << "trial " << trial;
    for (const FormChange &change : program.changes)
      if (std::optional<Collective> collective =
              getCollective(Bytes(1), space.splits.tensors[change.tensor],
                            change.from, change.to))
        exchanged += collective->sameUnits;
  }
  EXPECT_GT(exchanged, 0);
}

/// A search that gives up early has a bound that is not above the optimum.
TEST(SpmdTest, NarrowSearchesAreBounded) {
  std::mt19937 random(22);
  for (int trial = 0; trial < numRandomCases(100); ++trial) {
    Graph graph = makeRandomGraph(random, 8);
    cluster::Cluster cluster = makeCluster(1, 2);
    std::vector<int64_t> devices = cluster.availableDevices();
    std::vector<double> shares = getSpeedShares(graph, cluster, devices);
    SpmdOptions options;
    options.shares = shares;
    options.memory = false;
    double optimum =
        cantFail(synthesize(graph, cluster, devices, options)).time();
    HapOptions narrow;
    narrow.width = 1 + trial % 3;
    Expected<SpmdSolution> found =
        searchProgram(graph, cluster, devices, {shares}, narrow);
    ASSERT_TRUE(bool(found)) << toString(found.takeError());
    EXPECT_GE(found->time(), optimum * (1 - 1e-9)) << "trial " << trial;
    EXPECT_LE(found->bound, optimum * (1 + 1e-9)) << "trial " << trial;
  }
}

/// Dense layers, forward, backward and plain SGD.
static Graph makeDense(int64_t batch, std::vector<int64_t> widths) {
  GraphBuilder builder;
  builder.graph.batch = batch;
  std::vector<int64_t> inputs = {
      builder.argument({batch, widths[0]}, ArgumentRole::Batch)};
  std::vector<int64_t> weights;
  for (size_t i = 1; i < widths.size(); ++i) {
    weights.push_back(
        builder.argument({widths[i - 1], widths[i]}, ArgumentRole::Parameter));
    inputs.push_back(builder.unary(builder.dot(inputs.back(), weights.back())));
  }
  builder.result(builder.reduce(
      builder.reduce(inputs.back(), ReductionKind::Sum), ReductionKind::Sum));
  int64_t gradient = builder.unary(inputs.back());
  for (size_t i = weights.size(); i-- > 0;) {
    int64_t weightGradient =
        builder.dot(inputs[i], gradient, /*transposeLhs=*/true);
    if (i > 0)
      gradient = builder.elementwise(
          builder.dot(gradient, weights[i], false, /*transposeRhs=*/true),
          inputs[i], /*linear=*/false);
    builder.update(weights[i], builder.elementwise(weights[i], weightGradient,
                                                   /*linear=*/true));
  }
  return std::move(builder.graph);
}

/// Counts weight gradients that every device computes whole from factors.
static int countWholeGradients(const Graph &graph, const SpmdProgram &program,
                               const GraphSplits &splits) {
  int whole = 0;
  for (auto [index, op] : enumerate(graph.operations))
    whole += op.name == "dot" && op.operandLoops[0] == std::vector<int>{1, 0} &&
             splits.operations[index][program.strategies[index]].units == 0;
  return whole;
}

TEST(SpmdTest, FindsFactorBroadcasting) {
  cluster::Cluster cluster = makeCluster(2, 6);
  std::vector<int64_t> devices = cluster.availableDevices();
  for (int64_t batch : {32, 8192}) {
    Graph graph = makeDense(batch, {4096, 4096, 4096});
    SpmdOptions options;
    options.memory = false;
    options.replicatedState = true;
    Expected<SpmdSolution> solution =
        synthesize(graph, cluster, devices, options);
    ASSERT_TRUE(bool(solution)) << toString(solution.takeError());
    EXPECT_TRUE(solution->proven);
    for (int form : ArrayRef(solution->program.stored).drop_front())
      EXPECT_EQ(form, form::replicated);
    // With few samples the factors are smaller than the gradient.
    int whole = countWholeGradients(graph, solution->program,
                                    findSplits(graph, devices.size()));
    EXPECT_EQ(whole, batch == 32 ? 2 : 0);
  }
}

/// In a long program the factors are gathered many operations before the
/// gradient would have to be summed.
TEST(SpmdTest, SearchesFindFactorBroadcasting) {
  cluster::Cluster cluster = makeCluster(2, 6);
  std::vector<int64_t> devices = cluster.availableDevices();
  Graph graph = makeDense(32, std::vector<int64_t>(25, 4096));
  HapOptions options;
  options.replicatedState = true;
  SpmdOptions exact;
  exact.memory = false;
  exact.replicatedState = true;
  Expected<SpmdSolution> solution =
      searchInTurn(graph, cluster, devices, options);
  ASSERT_TRUE(bool(solution)) << toString(solution.takeError());
  EXPECT_EQ(countWholeGradients(graph, solution->program,
                                findSplits(graph, devices.size())),
            24);
  EXPECT_LE(solution->time(),
            1.001 *
                cantFail(synthesize(graph, cluster, devices, exact)).time());
}

TEST(SpmdTest, SearchesEndInTime) {
  cluster::Cluster cluster = makeCluster(2, 6);
  std::vector<int64_t> devices = cluster.availableDevices();
  Graph graph = makeDense(32, std::vector<int64_t>(25, 4096));
  HapOptions options;
  SpmdSolution patient =
      cantFail(searchInTurn(graph, cluster, devices, options));
  EXPECT_TRUE(patient.proven);
  options.timeBudget = Time(0);
  Expected<SpmdSolution> early = searchInTurn(graph, cluster, devices, options);
  ASSERT_TRUE(bool(early)) << toString(early.takeError());
  EXPECT_FALSE(early->proven);
  EXPECT_LT(early->bound, patient.time());
  EXPECT_GE(early->time(), patient.time() * (1 - 1e-9));
}

TEST(SpmdTest, GivesFastDevicesMore) {
  cluster::Cluster cluster = makeCluster(1, 1);
  Graph graph = makeDense(4096, {1024, 1024});
  Expected<SpmdSolution> solution =
      synthesize(graph, cluster, cluster.availableDevices());
  ASSERT_TRUE(bool(solution)) << toString(solution.takeError());
  ASSERT_EQ(solution->shares.size(), 1u);
  ArrayRef<double> shares = solution->shares.front();
  EXPECT_GT(shares[0], shares[1]);
  EXPECT_NEAR(shares[0] + shares[1], 1, 1e-9);
  SpmdOptions even;
  even.shares = {0.5, 0.5};
  EXPECT_LE(
      solution->time(),
      cantFail(synthesize(graph, cluster, cluster.availableDevices(), even))
          .time());
}

/// Two layers, at the first of which one class is fast, and at the second the
/// other: each has shares of its own. With a slow network they have not.
TEST(SpmdTest, GivesSegmentsSharesOfTheirOwn) {
  for (bool isFar : {false, true}) {
    cluster::Cluster cluster = makeCluster(1, 1, isFar ? "1 KB/s" : "1 TB/s");
    std::vector<int64_t> devices = cluster.availableDevices();
    Graph graph = makeDense(120, {64, 64, 64});
    int64_t dots = 0;
    for (GraphOp &op : graph.operations) {
      // Forward 0 and 1, then back.
      bool isSecond = op.name == "dot" && dots > 0 && dots < 4;
      dots += op.name == "dot";
      op.layer = isSecond;
      op.times["v100-16"] = Time(timePerSecond * (isSecond ? 4 : 1));
      op.times["p100"] = Time(timePerSecond * (isSecond ? 1 : 4));
    }
    Expected<SpmdSolution> solution = synthesize(graph, cluster, devices);
    ASSERT_TRUE(bool(solution)) << toString(solution.takeError());
    SpmdOptions one;
    one.maxSegments = 1;
    double without = cantFail(synthesize(graph, cluster, devices, one)).time();
    if (Error error = verify(graph, devices.size(), solution->program))
      ADD_FAILURE() << toString(std::move(error));
    EXPECT_LE(solution->time(), without * (1 + 1e-9));
    if (isFar)
      continue;
    ASSERT_EQ(solution->shares.size(), 2u);
    EXPECT_GT(solution->shares[0][0], 0.6);
    EXPECT_LT(solution->shares[1][0], 0.4);
    EXPECT_LT(solution->time(), 0.8 * without);
    double found = cantFail(searchInTurn(graph, cluster, devices)).time();
    EXPECT_LT(found, without);
  }
}

TEST(SpmdTest, SplitsStateWhereMemoryIsShort) {
  cluster::Cluster cluster = makeCluster(2, 2);
  Graph graph = makeDense(32768, {1024, 1024, 1024, 1024});
  Expected<SpmdSolution> free =
      synthesize(graph, cluster, cluster.availableDevices());
  ASSERT_TRUE(bool(free)) << toString(free.takeError());
  Bytes most = *std::max_element(free->memory.begin(), free->memory.end());
  for (cluster::DeviceClass &deviceClass : cluster.classes)
    deviceClass.memory = deviceClass.reserved + Bytes(most.count() / 100 * 98);
  Expected<SpmdSolution> tight =
      synthesize(graph, cluster, cluster.availableDevices());
  ASSERT_TRUE(bool(tight)) << toString(tight.takeError());
  EXPECT_GE(tight->time(), free->time());
  for (auto [member, memory] : enumerate(tight->memory))
    EXPECT_LE(memory.count(), cluster.classOf(member).usableMemory().count());
  for (cluster::DeviceClass &deviceClass : cluster.classes)
    deviceClass.memory = deviceClass.reserved + Bytes(1 << 20);
  Expected<SpmdSolution> none =
      synthesize(graph, cluster, cluster.availableDevices());
  ASSERT_FALSE(bool(none));
  std::string message = toString(none.takeError());
  EXPECT_NE(message.find("has 1 MiB of memory, and the program that comes "
                         "closest needs"),
            std::string::npos)
      << message;
}

/// The share that suits the fast device best is too much for its memory.
TEST(SpmdTest, SearchesPreferWhatFits) {
  cluster::Cluster cluster = makeCluster(1, 1);
  std::vector<int64_t> devices = cluster.availableDevices();
  Graph graph = makeDense(32768, {1024, 1024, 1024, 1024});
  SpmdSolution free = cantFail(searchInTurn(graph, cluster, devices));
  cluster::DeviceClass &fast = cluster.classes[cluster.devices[0].deviceClass];
  fast.memory = fast.reserved + Bytes(free.memory[0].count() / 100 * 90);
  SpmdSolution tight = cantFail(searchInTurn(graph, cluster, devices));
  EXPECT_GT(tight.time(), free.time());
  for (auto [member, memory] : enumerate(tight.memory))
    EXPECT_LE(memory, cluster.classOf(member).usableMemory());
}

TEST(SpmdTest, VerifyNoticesCorruption) {
  std::mt19937 random(23);
  cluster::Cluster cluster = makeCluster(1, 1);
  Graph graph = makeDense(64, {64, 64, 64});
  SpmdSolution solution =
      cantFail(synthesize(graph, cluster, cluster.availableDevices()));
  EXPECT_FALSE(bool(verify(graph, 2, solution.program)));
  int noticed = 0;
  for (size_t tensor = 0; tensor < graph.tensors.size(); ++tensor) {
    SpmdProgram changed = solution.program;
    changed.available[tensor].clear();
    if (Error error = verify(graph, 2, changed)) {
      consumeError(std::move(error));
      ++noticed;
    }
  }
  EXPECT_GT(noticed, 5);
  SpmdProgram changed = solution.program;
  changed.strategies[0] = 99;
  EXPECT_EQ(toString(verify(graph, 2, changed)),
            "operation 0 ('dot') has no strategy 99");
}
