//===- CephaloTest.cpp - Tests of the batch split and its planner ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Planner/Cephalo/Cephalo.h"
#include "Planner/RandomProblems.h"
#include "RandomCases.h"
#include "hetero/CostModel/CostModel.h"
#include "hetero/Planner/Baselines/DataParallel.h"
#include "hetero/Planner/Cephalo/BatchSplit.h"
#include "hetero/Planner/Plan/PlannerOptions.h"
#include "llvm/Support/MemoryBuffer.h"
#include "gtest/gtest.h"
#include <set>

using namespace hetero;
using namespace hetero::planner;
using hetero::cluster::Cluster;

static const std::string examples = HETERO_EXAMPLES;

/// The published recurrence as it stands, D[i][j][k] over devices, samples and
/// the sum of the sizes of microbatches.
static double solveByRecurrence(llvm::ArrayRef<SplitKind> kinds, int64_t batch,
                                int64_t maxSum) {
  const double never = std::numeric_limits<double>::infinity();
  using Table = std::vector<std::vector<double>>;
  Table table(batch + 1, std::vector<double>(maxSum + 1, never));
  table[0][0] = 0;
  for (const SplitKind &kind : kinds)
    for (int64_t device = 0; device < kind.devices; ++device) {
      Table next = table;
      for (int64_t j = 0; j <= batch; ++j)
        for (int64_t k = 0; k <= maxSum; ++k)
          for (int64_t m = 1; m <= std::min(kind.maxMicro, k); ++m)
            for (int64_t l = 1; l * m <= j && l <= kind.maxCount(m); ++l)
              next[j][k] =
                  std::min(next[j][k], std::max(table[j - l * m][k - m],
                                                kind.seconds(m, l)));
      table = std::move(next);
    }
  return *std::min_element(table[batch].begin(), table[batch].end());
}

/// Devices with random times that rise with the size of a microbatch.
static std::vector<SplitKind> makeKinds(std::mt19937 &random,
                                        int64_t maxDevices) {
  auto pick = [&](int64_t low, int64_t high) {
    return low + int64_t(random() % uint64_t(high - low + 1));
  };
  std::vector<SplitKind> kinds(pick(1, 3));
  double gather = double(pick(0, 20)), reduce = double(pick(0, 20));
  for (SplitKind &kind : kinds) {
    kind.devices = pick(1, maxDevices);
    kind.maxMicro = pick(1, 6);
    std::vector<std::pair<double, double>> times(1);
    std::vector<int64_t> counts(1);
    int64_t left = pick(1, 14);
    for (int64_t m = 1; m <= kind.maxMicro; ++m) {
      times.emplace_back(times.back().first + double(pick(0, 9)),
                         times.back().second + double(pick(1, 9)));
      counts.push_back(left / m);
    }
    kind.maxCount = [=](int64_t m) { return counts[m]; };
    // As layers are gathered while others are computed.
    kind.phases = [=](int64_t m, int64_t l) -> PhaseTimes {
      double forward = double(l) * times[m].first;
      double backward = double(l) * times[m].second;
      return {std::max(gather, forward), std::max(gather + reduce, backward),
              forward + backward};
    };
    kind.seconds = [phases = kind.phases](int64_t m, int64_t l) {
      return phases(m, l).forward + phases(m, l).backward;
    };
  }
  return kinds;
}

/// The same recurrence for another time of a share, which is infinite if it may
/// not be.
static double
solveByRecurrence(llvm::ArrayRef<SplitKind> kinds, int64_t batch,
                  int64_t maxSum,
                  llvm::function_ref<double(const PhaseTimes &)> timeOf) {
  std::vector<SplitKind> changed(kinds.begin(), kinds.end());
  for (auto [kind, other] : llvm::zip(kinds, changed))
    other.seconds = [&, phases = kind.phases](int64_t m, int64_t l) {
      return timeOf(phases(m, l));
    };
  return solveByRecurrence(changed, batch, maxSum);
}

/// The least sum of the longest forward and the longest backward: the least
/// backward for each limit of the forward.
static double solvePhases(llvm::ArrayRef<SplitKind> kinds, int64_t batch,
                          int64_t maxSum) {
  const double never = std::numeric_limits<double>::infinity();
  std::set<double> limits;
  for (const SplitKind &kind : kinds)
    for (int64_t m = 1; m <= kind.maxMicro; ++m)
      for (int64_t l = 1; l <= kind.maxCount(m); ++l)
        limits.insert(kind.phases(m, l).forward);
  double best = never;
  for (double limit : limits)
    best =
        std::min(best, limit + solveByRecurrence(kinds, batch, maxSum,
                                                 [&](const PhaseTimes &times) {
                                                   return times.forward <= limit
                                                              ? times.backward
                                                              : never;
                                                 }));
  return best;
}

/// What a split does at most in each phase, and how much it has.
struct SplitFacts {
  PhaseTimes most;
  int64_t samples = 0, sizes = 0, counts = 0;
};

static SplitFacts getFacts(llvm::ArrayRef<SplitKind> kinds,
                           const BatchSplit &split) {
  SplitFacts facts;
  for (auto [kind, shares] : llvm::zip(kinds, split.shares))
    for (const SplitShare &share : shares) {
      facts.samples += share.samples();
      facts.sizes += share.micro;
      facts.counts += share.count;
      if (share.count == 0)
        continue;
      EXPECT_LE(share.count, kind.maxCount(share.micro));
      PhaseTimes times = kind.phases(share.micro, share.count);
      facts.most.forward = std::max(facts.most.forward, times.forward);
      facts.most.backward = std::max(facts.most.backward, times.backward);
      facts.most.computing = std::max(facts.most.computing, times.computing);
    }
  return facts;
}

TEST(CephaloTest, splitEqualsThePublishedRecurrence) {
  std::mt19937 random(5);
  int64_t cases = numRandomCases(4000), solved = 0, bound = 0;
  for (int i = 0; i < cases; ++i) {
    std::vector<SplitKind> kinds = makeKinds(random, 2);
    int64_t batch = 1 + int64_t(random() % 14), sizes = 0;
    for (const SplitKind &kind : kinds)
      sizes += kind.devices * kind.maxMicro;
    int64_t maxSum = 1 + int64_t(random() % uint64_t(sizes));
    std::optional<BatchSplit> split = BatchSplitter(kinds, batch).split(maxSum);
    double best = solveByRecurrence(kinds, batch, maxSum);
    ASSERT_EQ(split.has_value(), std::isfinite(best)) << i;
    if (!split)
      continue;
    ++solved;
    EXPECT_EQ(split->seconds, best) << i;
    bound += maxSum < sizes && best > solveByRecurrence(kinds, batch, sizes);
    int64_t samples = 0, sum = 0;
    ASSERT_EQ(split->shares.size(), kinds.size());
    for (auto [kind, shares] : llvm::zip(kinds, split->shares)) {
      EXPECT_EQ(int64_t(shares.size()), kind.devices);
      for (const SplitShare &share : shares) {
        samples += share.samples();
        sum += share.micro;
        if (share.count == 0)
          continue;
        EXPECT_LE(share.count, kind.maxCount(share.micro));
        EXPECT_LE(kind.seconds(share.micro, share.count), split->seconds);
      }
    }
    EXPECT_EQ(samples, batch);
    EXPECT_LE(sum, maxSum);
  }
  EXPECT_GT(solved, cases * 3 / 8);
  EXPECT_GT(bound, cases / 40);
}

TEST(CephaloTest, splitByPhaseIsTheBest) {
  int64_t cases = numRandomCases(400), solved = 0, better = 0, fewer = 0;
  for (int64_t i = 0; i < cases; ++i) {
    std::mt19937 random(7000 + i);
    std::vector<SplitKind> kinds = makeKinds(random, 2);
    int64_t batch = 1 + int64_t(random() % 12), sizes = 0;
    for (const SplitKind &kind : kinds)
      sizes += kind.devices * kind.maxMicro;
    int64_t maxSum = 1 + int64_t(random() % uint64_t(sizes));
    BatchSplitter splitter(kinds, batch);
    std::optional<BatchSplit> fewest =
        splitter.splitPhases(maxSum, Ties::Fewest);
    std::optional<BatchSplit> smallest =
        splitter.splitPhases(maxSum, Ties::Smallest);
    double best = solvePhases(kinds, batch, maxSum);
    ASSERT_EQ(fewest.has_value(), std::isfinite(best)) << i;
    ASSERT_EQ(smallest.has_value(), std::isfinite(best)) << i;
    if (!fewest)
      continue;
    ++solved;
    SplitFacts few = getFacts(kinds, *fewest);
    SplitFacts small = getFacts(kinds, *smallest);
    for (const SplitFacts &facts : {few, small}) {
      EXPECT_EQ(facts.most.forward + facts.most.backward, best) << i;
      EXPECT_EQ(facts.samples, batch);
      EXPECT_LE(facts.sizes, maxSum);
      // Nobody computes less who waits no longer.
      EXPECT_EQ(facts.most.computing,
                solveByRecurrence(
                    kinds, batch, maxSum,
                    [&](const PhaseTimes &times) {
                      bool waits = times.forward > facts.most.forward ||
                                   times.backward > facts.most.backward;
                      return waits ? std::numeric_limits<double>::infinity()
                                   : times.computing;
                    }))
          << i;
    }
    EXPECT_EQ(fewest->seconds, best) << i;
    EXPECT_LE(small.sizes, few.sizes) << i;
    fewer += few.counts < small.counts;
    // The published split may have one device long forwards, another backwards.
    PhaseTimes published =
        getFacts(kinds, *BatchSplitter(kinds, batch).split(maxSum)).most;
    EXPECT_GE(published.forward + published.backward, best) << i;
    better += published.forward + published.backward > best;
  }
  EXPECT_GT(solved, cases * 3 / 8);
  EXPECT_GT(better, cases / 40);
  EXPECT_GT(fewer, cases / 40);
}

/// Devices that take so long for a sample, in whatever microbatches.
static std::vector<SplitKind> makeLinear(llvm::ArrayRef<double> seconds,
                                         double gather) {
  std::vector<SplitKind> kinds;
  for (double each : seconds) {
    SplitKind &kind = kinds.emplace_back();
    kind.maxMicro = 64;
    kind.maxCount = [](int64_t) { return 64; };
    kind.phases = [=](int64_t m, int64_t l) -> PhaseTimes {
      double time = each * double(m * l);
      return {std::max(gather, time), std::max(2 * gather, 2 * time), 3 * time};
    };
    kind.seconds = [phases = kind.phases](int64_t m, int64_t l) {
      return phases(m, l).forward + phases(m, l).backward;
    };
  }
  return kinds;
}

TEST(CephaloTest, tiesGoToFewMicrobatches) {
  BatchSplitter splitter(makeLinear({3, 1}, 0), 8);
  auto check = [&](int64_t maxSum, Ties ties, SplitShare first,
                   SplitShare second) {
    std::optional<BatchSplit> split = splitter.splitPhases(maxSum, ties);
    ASSERT_TRUE(split);
    EXPECT_EQ(split->seconds, 18);
    for (auto [share, wanted] : {std::pair(split->shares[0][0], first),
                                 std::pair(split->shares[1][0], second)}) {
      EXPECT_EQ(share.micro, wanted.micro) << maxSum;
      EXPECT_EQ(share.count, wanted.count) << maxSum;
    }
  };
  check(100, Ties::Fewest, {2, 1}, {6, 1});
  check(100, Ties::Smallest, {1, 2}, {1, 6});
  // With less memory the largest are divided.
  check(5, Ties::Fewest, {2, 1}, {3, 2});
  check(4, Ties::Fewest, {2, 1}, {2, 3});
  check(2, Ties::Fewest, {1, 2}, {1, 6});
}

TEST(CephaloTest, whoWaitsComputesBySpeed) {
  // Whatever is done is done before the gather ends.
  BatchSplitter splitter(makeLinear({4, 2, 1}, 1000), 14);
  for (Ties ties : {Ties::Fewest, Ties::Smallest}) {
    std::optional<BatchSplit> split = splitter.splitPhases(100, ties);
    ASSERT_TRUE(split);
    EXPECT_EQ(split->seconds, 3000);
    EXPECT_EQ(split->shares[0][0].samples(), 2);
    EXPECT_EQ(split->shares[1][0].samples(), 4);
    EXPECT_EQ(split->shares[2][0].samples(), 8);
  }
}

TEST(CephaloTest, exampleOfTheHeader) {
  std::vector<SplitKind> kinds(2);
  for (auto [index, kind] : llvm::enumerate(kinds)) {
    kind.maxMicro = 6;
    kind.maxCount = [](int64_t) { return 6; };
    double each = double(index + 1);
    kind.seconds = [=](int64_t m, int64_t l) {
      return double(l) * (1 + each * double(m));
    };
  }
  std::optional<BatchSplit> split = BatchSplitter(kinds, 6).split(6);
  ASSERT_TRUE(split);
  EXPECT_EQ(split->seconds, 5);
  EXPECT_EQ(split->shares[0][0].micro, 4);
  EXPECT_EQ(split->shares[0][0].count, 1);
  EXPECT_EQ(split->shares[1][0].samples(), 2);
  // With less memory the microbatches are smaller.
  std::optional<BatchSplit> small = BatchSplitter(kinds, 6).split(2);
  ASSERT_TRUE(small);
  EXPECT_EQ(small->shares[0][0].micro + small->shares[1][0].micro, 2);
  EXPECT_FALSE(BatchSplitter(kinds, 6).split(0));
}

static Problem readExample(const std::string &name) {
  auto buffer =
      llvm::MemoryBuffer::getFile(examples + "/problems/" + name + ".yaml");
  return llvm::cantFail(readProblem(**buffer));
}

/// What Cephalo minimizes for a block of GPT-2.7B on two L4, an A6000 and a
/// P40: gather, recomputation and backward of l microbatches of m samples.
static std::vector<SplitKind> makeLab(const Problem &problem,
                                      const Cluster &cluster) {
  const Layer &block = problem.layers[1];
  cost::Group group = cost::makeGroup(cluster, cluster.availableDevices());
  std::vector<Bytes> shards(4, Bytes(block.parameters.count() / 4));
  double gather = toSeconds(cost::chooseAllGather(group, shards).time);
  std::vector<SplitKind> kinds;
  for (auto [name, devices] :
       {std::pair("l4", 2), std::pair("a6000", 1), std::pair("p40", 1)}) {
    SplitKind &kind = kinds.emplace_back();
    kind.devices = devices;
    kind.maxMicro = 16;
    kind.maxCount = [](int64_t) { return 64; };
    const MeasuredTimes *times = block.measuredOn(name);
    kind.seconds = [=](int64_t m, int64_t l) {
      auto [forward, backward] = times->at(m);
      double all = double(l) * toSeconds(forward);
      return std::max(gather, all) +
             std::max(2 * gather, double(l) * toSeconds(backward) + all);
    };
  }
  return kinds;
}

TEST(CephaloTest, publishedCaseIsAtLeastAsGood) {
  Problem problem = readExample("gpt-2.7b");
  Cluster cluster =
      llvm::cantFail(cluster::readClusterFile(examples + "/clusters/lab.yaml"));
  std::vector<SplitKind> kinds = makeLab(problem, cluster);
  // The published batches, each in its best microbatches.
  double published = 0;
  int64_t sum = 0;
  for (auto [kind, batch] : {std::pair(0, 13), std::pair(0, 12),
                             std::pair(1, 34), std::pair(2, 5)}) {
    double best = std::numeric_limits<double>::infinity();
    int64_t size = 0;
    for (int64_t m = 1; m <= 16; ++m) {
      if (batch % m != 0 || kinds[kind].seconds(m, batch / m) >= best)
        continue;
      best = kinds[kind].seconds(m, batch / m);
      size = m;
    }
    published = std::max(published, best);
    sum += size;
  }
  // With no more memory for activations than these need.
  std::optional<BatchSplit> split = BatchSplitter(kinds, 64).split(sum);
  ASSERT_TRUE(split);
  EXPECT_LT(split->seconds, 0.9 * published);
}

TEST(CephaloTest, planIsAtLeastAsGoodAsThePublishedBatches) {
  Problem problem = readExample("gpt-2.7b");
  Cluster cluster =
      llvm::cantFail(cluster::readClusterFile(examples + "/clusters/lab.yaml"));
  llvm::Expected<Plan> plan = planCephalo(problem, cluster);
  ASSERT_TRUE(bool(plan)) << llvm::toString(plan.takeError());
  EXPECT_EQ(plan->planner, "cephalo");
  ASSERT_EQ(plan->stages.size(), 1u);
  int64_t samples = 0;
  for (int64_t share : plan->stages[0].samples[0])
    samples += share;
  EXPECT_EQ(samples, 64);
  EXPECT_EQ(plan->schedule, ScheduleKind::Layered);
  EXPECT_EQ(plan->stages[0].layers.size(), problem.layers.size());
  // The same plan with the published batches, in any microbatches.
  for (int64_t micro : {1, 2, 4, 17}) {
    Plan published = *plan;
    published.stages[0].samples = {{13, 12, 34, 5}};
    for (auto [share, size] :
         llvm::zip(published.stages[0].shares, published.stages[0].samples[0]))
      share.micro = std::min(micro, size);
    if (llvm::Error error = evaluate(problem, cluster, published)) {
      llvm::consumeError(std::move(error));
      continue;
    }
    EXPECT_LE(plan->predicted, published.predicted);
  }
}

static Time timeOf(llvm::Expected<Plan> plan) {
  if (plan)
    return plan->predicted;
  llvm::consumeError(plan.takeError());
  return Time::max();
}

TEST(CephaloTest, planIsAtLeastAsGoodAsSimplerOnes) {
  int64_t cases = numRandomCases(200), found = 0, better = 0, released = 0;
  for (int64_t i = 0; i < cases; ++i) {
    std::mt19937 random(9000 + i);
    Problem problem = makeRandomProblem(random, 5, 24);
    Cluster cluster = makeRandomCluster(random, 6, /*scarce=*/i % 2 == 1);
    Time time = timeOf(planCephalo(problem, cluster));
    found += time < Time::max();
    PlannerOptions options;
    options.asReleased = true;
    Time published = timeOf(planCephalo(problem, cluster, options));
    released += time < published;
    EXPECT_LE(time, published) << i;
    Time simple = std::min(timeOf(planDpEven(problem, cluster)),
                           timeOf(planDpProportional(problem, cluster)));
    EXPECT_LE(time, simple) << i;
    better += time < simple;
  }
  EXPECT_GT(found, cases / 2);
  EXPECT_GT(better, cases / 20);
  EXPECT_GT(released, cases / 2);
}

TEST(CephaloTest, idleDevicesDoNotHoldTheOthersUp) {
  Problem problem = readExample("llama-tiny");
  problem.batch = 16;
  Cluster cluster = llvm::cantFail(
      cluster::readClusterFile(examples + "/clusters/workstations.yaml"));
  PlannerOptions options;
  options.dataParallel = false;
  llvm::Expected<Plan> plan = planCephalo(problem, cluster, options);
  ASSERT_TRUE(bool(plan)) << llvm::toString(plan.takeError());
  EXPECT_LE(plan->predicted, timeOf(planDpProportional(problem, cluster)));
  // A gather from everywhere would take longer than the fastest device alone.
  EXPECT_EQ(plan->stages[0].mesh.devices, std::vector<int64_t>{0});
  problem.batch = 24;
  EXPECT_LT(plan->predicted, timeOf(planCephalo(problem, cluster, options)));
}

TEST(CephaloTest, moreMicrobatchesAreTried) {
  Problem problem = readExample("gpt-1.3b");
  problem.batch = 128;
  Cluster cluster = llvm::cantFail(
      cluster::readClusterFile(examples + "/clusters/workstations.yaml"));
  // Without layers that come and go only small microbatches leave some room.
  PlannerOptions options;
  options.layered = options.dataParallel = false;
  llvm::Expected<Plan> plan = planCephalo(problem, cluster, options);
  ASSERT_TRUE(bool(plan)) << llvm::toString(plan.takeError());
  EXPECT_GT(plan->microbatches.size(), 1u);
  for (int64_t count = 1; count <= 64; count *= 2) {
    problem.constraints.microbatches.assign(count, problem.batch / count);
    EXPECT_LE(plan->predicted, timeOf(planCephalo(problem, cluster, options)))
        << count;
  }
}

TEST(CephaloTest, theClosestPlanIsTheClosestOfAll) {
  Problem problem = readExample("gpt-6.7b");
  Cluster cluster = llvm::cantFail(
      cluster::readClusterFile(examples + "/clusters/workstations.yaml"));
  auto messageOf = [&](std::vector<StateMode> modes) {
    PlannerOptions options;
    options.stateModes = std::move(modes);
    llvm::Expected<Plan> plan = planCephalo(problem, cluster, options);
    return plan ? "" : llvm::toString(plan.takeError());
  };
  for (Layer &layer : problem.layers)
    layer.optimizerState = layer.optimizerState * 4;
  // Each workstation is a node, where everything would have to be.
  std::string closest = messageOf({StateMode::Full});
  EXPECT_NE(closest, "");
  EXPECT_NE(closest, messageOf({StateMode::Node}));
  EXPECT_EQ(closest, messageOf({StateMode::Replicated, StateMode::Full,
                                StateMode::Node}));
}

TEST(CephaloTest, plansAreSoundOnRandomProblems) {
  std::mt19937 random(21);
  int found = 0, divided = 0;
  for (int i = 0; i < 300; ++i) {
    Problem problem = makeRandomProblem(random, 4, 12);
    Cluster cluster = makeRandomCluster(random, 5, i % 2 == 1);
    if (i % 5 == 0 && problem.batch > 1)
      problem.constraints.microbatches = {problem.batch - 1, 1};
    llvm::Expected<Plan> plan = planCephalo(problem, cluster);
    if (!plan) {
      llvm::consumeError(plan.takeError());
      continue;
    }
    ++found;
    divided += plan->stages[0].state == StateMode::Full;
    EXPECT_FALSE(bool(verify(problem, cluster, *plan)));
    Plan again = *plan;
    EXPECT_FALSE(bool(evaluate(problem, cluster, again)));
    EXPECT_TRUE(again == *plan);
  }
  EXPECT_GT(found, 150);
  EXPECT_GT(divided, 10);
}
