//===- PlannersTest.cpp - Tests of the planners ---------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Planner/RandomProblems.h"
#include "hetero/Planner/Baselines/DataParallel.h"
#include "hetero/Planner/Joint/Joint.h"
#include "hetero/Planner/Model/Microbatches.h"
#include "hetero/Planner/Model/PlanBuilder.h"
#include "gtest/gtest.h"

using namespace hetero;
using namespace hetero::planner;
using hetero::cluster::Cluster;

TEST(PlannersTest, plansAreVerifiedAndEvaluated) {
  std::mt19937 random(11);
  int found = 0, failed = 0;
  for (int i = 0; i < 150; ++i) {
    Problem problem = makeRandomProblem(random);
    Cluster cluster = makeRandomCluster(random, 4, /*scarce=*/i % 2);
    for (const PlannerEntry &entry : planners()) {
      llvm::Expected<Plan> plan = entry.plan(problem, cluster, {});
      if (!plan) {
        std::string message = llvm::toString(plan.takeError());
        EXPECT_NE(message.find("is short of"), std::string::npos) << message;
        ++failed;
        continue;
      }
      ++found;
      EXPECT_EQ(plan->planner, entry.name.str());
      llvm::Error error = verify(problem, cluster, *plan);
      EXPECT_FALSE(bool(error)) << llvm::toString(std::move(error));
      Plan again = *plan;
      error = evaluate(problem, cluster, again);
      EXPECT_FALSE(bool(error)) << llvm::toString(std::move(error));
      // A planner may know a better bound.
      EXPECT_LE(again.bound, plan->bound);
      again.bound = plan->bound;
      EXPECT_TRUE(again == *plan);
      EXPECT_LE(plan->bound, plan->predicted);
      // The same input gives the same plan.
      EXPECT_TRUE(llvm::cantFail(entry.plan(problem, cluster, {})) == *plan);
    }
  }
  EXPECT_GT(found, 300);
  EXPECT_GT(failed, 20);
}

//===----------------------------------------------------------------------===//
// proportional
//===----------------------------------------------------------------------===//

/// The least time of the slowest device, over all divisions of one microbatch
/// that leave no given device out.
static Time slowestOfBest(const Problem &problem, const Cluster &cluster,
                          Plan plan, size_t row, int64_t left) {
  std::vector<int64_t> &samples = plan.stages[0].samples[0];
  if (row + 1 < samples.size()) {
    Time best = Time::max();
    for (int64_t share = 0; share <= left; ++share) {
      samples[row] = share;
      best = std::min(
          best, slowestOfBest(problem, cluster, plan, row + 1, left - share));
    }
    return best;
  }
  samples[row] = left;
  llvm::cantFail(evaluate(problem, cluster, plan));
  return plan.stages[0].forward + plan.stages[0].backward;
}

TEST(PlannersTest, proportionalMinimizesTheSlowestDevice) {
  std::mt19937 random(12);
  int several = 0;
  for (int i = 0; i < 60; ++i) {
    Problem problem = makeRandomProblem(random, 3, 8);
    // One phase, so that the slowest device is the same forwards and backwards.
    for (Layer &layer : problem.layers) {
      layer.backward = Cost();
      for (auto &[deviceClass, times] : layer.measured)
        for (MeasuredTimes::Point &point : times.points)
          point.backward = Time(0);
    }
    Cluster cluster = makeRandomCluster(random, 4);
    problem.constraints.microbatches = {problem.batch};
    Plan plan = llvm::cantFail(planDpProportional(problem, cluster));
    // All devices, also those that the planner has left out.
    Plan all = plan;
    Stage &stage = all.stages[0];
    stage.state = StateMode::Replicated;
    stage.mesh = {cluster.availableDevices(), 0, 1};
    stage.mesh.data = stage.mesh.devices.size();
    stage.samples = {std::vector<int64_t>(stage.mesh.data, 0)};
    stage.shares.clear();
    Bytes state;
    for (const Layer &layer : problem.layers)
      state += layer.parameters + layer.optimizerState;
    for (int64_t device : stage.mesh.devices)
      stage.shares.push_back({device, {}, state, {}});
    several += stage.mesh.data > 1;
    EXPECT_EQ(plan.stages[0].forward + plan.stages[0].backward,
              slowestOfBest(problem, cluster, all, 0, problem.batch));
  }
  EXPECT_GT(several, 30);
}

TEST(PlannersTest, proportionalPutsStateWhereThereIsRoom) {
  // Devices of the same speed, one with four times the memory.
  Problem problem;
  problem.batch = 4;
  Layer layer;
  layer.name = "layer";
  layer.forward.work["f32"].perSample = Work(1000000);
  layer.parameters = Bytes(20);
  layer.optimizerState = Bytes(480);
  layer.saved.perSample = Bytes(50);
  problem.layers.push_back(layer);
  Cluster cluster;
  cluster.name = "uneven";
  for (int64_t memory : {200, 800}) {
    cluster::DeviceClass deviceClass;
    deviceClass.name = "m" + std::to_string(memory);
    deviceClass.memory = Bytes(memory);
    deviceClass.peak["f32"] = Speed(1000000);
    deviceClass.bandwidth = Bandwidth(1000000);
    cluster.classes.push_back(deviceClass);
  }
  cluster::Node node;
  node.name = "box";
  node.groups = {{1, 0}, {1, 1}};
  node.link = cluster::Link{cluster::LinkKind::Pcie, Bandwidth(1000000),
                            Time(0), false};
  cluster.nodes = {node};
  llvm::cantFail(cluster.finish());

  PlannerOptions options;
  options.stateModes = {StateMode::Full};
  problem.constraints.microbatches = {4};
  Plan plan = llvm::cantFail(planDpProportional(problem, cluster, options));
  const Stage &stage = plan.stages[0];
  EXPECT_EQ(stage.state, StateMode::Full);
  EXPECT_EQ(stage.samples[0], (std::vector<int64_t>{2, 2}));
  // 200 - 20 - 100 and 800 - 20 - 100 are free: the first is filled.
  EXPECT_EQ(stage.shares[0].state, Bytes(80));
  EXPECT_EQ(stage.shares[1].state, Bytes(420));

  problem.layers[0].optimizerState = Bytes(120);
  plan = llvm::cantFail(planDpProportional(problem, cluster, options));
  // There is room for equal parts.
  EXPECT_EQ(plan.stages[0].shares[0].state, Bytes(70));
  EXPECT_EQ(plan.stages[0].shares[1].state, Bytes(70));
}

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

static std::string messageOf(llvm::Expected<Plan> plan) {
  return plan ? "" : llvm::toString(plan.takeError());
}

/// A layer of 3 MB of state on one CPU, or on one with little memory.
static Problem makeProblem() {
  std::mt19937 random(5);
  Problem problem = makeRandomProblem(random, 1, 1);
  problem.batch = 4;
  Layer &layer = problem.layers[0];
  layer.parameters = layer.gradients = Bytes(1 << 20);
  layer.optimizerState = Bytes(2 << 20);
  layer.saved = {Bytes(0), Bytes(1 << 20)};
  layer.workspace = {};
  return problem;
}

TEST(PlannersTest, unknownPlannersAreRefused) {
  std::string names;
  for (const PlannerEntry &entry : planners())
    names += (names.empty() ? "" : ", ") + entry.name.str();
  EXPECT_EQ(messageOf(runPlanner("best", makeProblem(),
                                 cluster::makeDefaultCluster())),
            "there is no planner 'best'; there are: " + names);
}

TEST(PlannersTest, withoutTimeThereIsStillAPlan) {
  // Far too much for trying everything.
  Problem problem = makeProblem();
  problem.batch = 256;
  while (problem.layers.size() < 24) {
    problem.layers.push_back(problem.layers.front());
    problem.layers.back().like = 0;
  }
  std::mt19937 random(17);
  Cluster cluster = makeRandomCluster(random, 6);
  PlannerOptions options;
  options.timeBudget = Time(0);
  for (const PlannerEntry &entry : planners()) {
    llvm::Expected<Plan> plan = entry.plan(problem, cluster, options);
    ASSERT_TRUE(bool(plan))
        << entry.name.str() << ": " << llvm::toString(plan.takeError());
    EXPECT_FALSE(llvm::errorToBool(verify(problem, cluster, *plan)))
        << entry.name.str();
  }
}

TEST(PlannersTest, theShortMemoryIsNamed) {
  Problem problem = makeProblem();
  Cluster cluster = cluster::makeDefaultCluster();
  cluster.classes[0].memory = Bytes(4 << 20);
  cluster.classes[0].reserved = Bytes(0);
  llvm::cantFail(cluster.finish());
  for (const PlannerEntry &entry : planners()) {
    std::string message = messageOf(entry.plan(problem, cluster, {}));
    // Cephalo accumulates inside of one microbatch, with gradients only once;
    // joint has that from there.
    bool isOne = entry.name == "cephalo" || entry.name == "joint";
    EXPECT_EQ(message,
              "the planner '" + entry.name.str() +
                  "' finds no plan that fits; in the closest one that it "
                  "tried, with " +
                  (isOne ? "1 microbatch" : "4 microbatches") +
                  ", device 0 (cpu of node 'host') is short of " +
                  (isOne ? "1" : "2") + " MiB of memory: stage 0 needs " +
                  (isOne ? "5" : "6") + " MiB there (state 3 MiB, " +
                  (isOne ? "activations 1 MiB, gradients 1 MiB"
                         : "gradients 2 MiB, activations 1 MiB") +
                  "), and 4 MiB can be used");
  }
}

/// What the plan of a planner is short of; nothing if it has one, or fails for
/// another reason.
static std::optional<Bytes> shortageOf(const PlannerEntry &entry,
                                       const Problem &problem,
                                       const Cluster &cluster) {
  std::optional<Candidate> candidate =
      takeCandidate(entry.plan(problem, cluster, {}));
  if (!candidate || !candidate->shortage)
    return std::nullopt;
  return candidate->shortage->missing;
}

TEST(PlannersTest, jointNamesTheLeastShortage) {
  std::mt19937 random(19);
  const PlannerEntry *joint =
      llvm::find_if(planners(), [](const PlannerEntry &entry) {
        return entry.name == "joint";
      });
  int compared = 0;
  for (int i = 0; i < 60; ++i) {
    Problem problem = makeRandomProblem(random, 5, 8);
    Cluster cluster = makeRandomCluster(random, 4, /*scarce=*/true);
    for (cluster::DeviceClass &deviceClass : cluster.classes)
      deviceClass.memory =
          Bytes(deviceClass.memory.count() / 4) + deviceClass.reserved;
    llvm::cantFail(cluster.finish());
    std::optional<Bytes> least = shortageOf(*joint, problem, cluster);
    if (!least)
      continue;
    for (const PlannerEntry &entry : planners())
      if (std::optional<Bytes> missing = shortageOf(entry, problem, cluster);
          missing && entry.plan != planJoint && entry.plan != planExhaustive) {
        ++compared;
        EXPECT_LE(*least, *missing) << entry.name.str() << " in case " << i;
      }
  }
  EXPECT_GT(compared, 50);
}

TEST(PlannersTest, shortagesUnderConstraintsAreNamed) {
  Problem problem = makeProblem();
  problem.layers[0].tensorDegrees = {2};
  Cluster cluster =
      llvm::cantFail(cluster::readCluster(llvm::MemoryBufferRef(R"(nodes:
  - {name: n, devices: [2 x l4], link: {kind: pcie, bandwidth: 12 GB/s}}
)",
                                                                "lab.yaml")));
  cluster.classes[0].memory = Bytes(1 << 20) + cluster.classes[0].reserved;
  llvm::cantFail(cluster.finish());
  problem.constraints.tensor = 2;
  EXPECT_NE(messageOf(runPlanner("joint", problem, cluster))
                .find("(l4 of node 'n') is short of"),
            std::string::npos);
  problem.constraints = Constraints();
  problem.constraints.pins = {{0, {}, {1}}};
  EXPECT_NE(messageOf(runPlanner("stages", problem, cluster))
                .find("device 1 (l4 of node 'n') is short of"),
            std::string::npos);
}

TEST(PlannersTest, moreMicrobatchesThanAreTriedAreNamed) {
  Problem problem = makeProblem();
  problem.batch = 2 * mostMicrobatches;
  Cluster cluster = cluster::makeDefaultCluster();
  cluster.classes[0].memory = Bytes(4 << 20) + cluster.classes[0].reserved;
  llvm::cantFail(cluster.finish());
  const char *text =
      "; more than 4096 microbatches are tried only if they are given";
  std::string message = messageOf(runPlanner("single", problem, cluster));
  EXPECT_TRUE(llvm::StringRef(message).ends_with(text)) << message;
  problem.constraints.maxMicrobatches = mostMicrobatches;
  message = messageOf(runPlanner("single", problem, cluster));
  EXPECT_FALSE(llvm::StringRef(message).contains("tried only")) << message;
}

TEST(PlannersTest, stepsThatCannotBeTimedAreErrors) {
  Problem problem = makeProblem();
  problem.layers[0].forward.operations = std::numeric_limits<int64_t>::max();
  for (const PlannerEntry &entry : planners())
    EXPECT_EQ(messageOf(entry.plan(problem, cluster::makeDefaultCluster(), {})),
              "the planner '" + entry.name.str() +
                  "' finds no plan that can be timed: the step takes more than "
                  "9223372 s, which is too long to count; it is limited by "
                  "compute");
}

TEST(PlannersTest, hugeBatchesAreNotTabulated) {
  Problem problem = makeProblem();
  problem.batch = 1 << 30;
  for (Layer &layer : problem.layers)
    layer.saved = layer.output = layer.outputGradient = layer.workspace = {};
  Plan plan = llvm::cantFail(planJoint(problem, cluster::makeDefaultCluster()));
  EXPECT_EQ(plan.batch, problem.batch);
  EXPECT_LE(plan.bound, plan.predicted);
}

TEST(PlannersTest, impossibleConstraintsAreNamed) {
  Problem problem = makeProblem();
  problem.layers.push_back(problem.layers[0]);
  Cluster cluster =
      llvm::cantFail(cluster::readCluster(llvm::MemoryBufferRef(R"(nodes:
  - {name: n, devices: [2 x cpu], link: {kind: memory, bandwidth: 12 GB/s}}
)",
                                                                "lab.yaml")));
  problem.constraints.pins = {{1, 1, {}}};
  for (const char *name : {"dp-even", "dp-proportional", "single"})
    EXPECT_EQ(messageOf(runPlanner(name, problem, cluster)),
              "the planner '" + std::string(name) +
                  "' makes one stage, but layer 1 is pinned to stage 1");
  problem.layers.push_back(problem.layers[0]);
  problem.constraints.maxStages = 1;
  problem.constraints.pins = {{0, {}, {0}}, {2, {}, {1}}};
  EXPECT_EQ(messageOf(runPlanner("stages", problem, cluster)),
            "the planner 'stages' finds no plan that respects the constraints: "
            "2 pins, 1 stage at most");
  problem.constraints = Constraints();
  problem.constraints.forbiddenDevices = {0, 1};
  for (const PlannerEntry &entry : planners())
    EXPECT_EQ(messageOf(entry.plan(problem, cluster, {})),
              "no device of the cluster 'cluster' may be used: 0 not "
              "available, 2 forbidden");
  problem.batch = 0;
  for (const PlannerEntry &entry : planners())
    EXPECT_EQ(messageOf(entry.plan(problem, cluster, {})),
              "the batch has 0 samples; it must have at least 1");
}

TEST(PlannersTest, constraintsAreRespected) {
  std::mt19937 random(13);
  int found = 0;
  for (int i = 0; i < 120; ++i) {
    Problem problem = makeRandomProblem(random, 5, 7);
    Cluster cluster = makeRandomCluster(random, 5);
    int64_t numLayers = problem.layers.size();
    int64_t numDevices = cluster.devices.size();
    switch (i % 4) {
    case 0:
      problem.constraints.pins = {{numLayers - 1, 1, {}}};
      break;
    case 1:
      problem.constraints.pins = {{0, {}, {numDevices - 1}}};
      break;
    case 2:
      problem.constraints.maxStages = 2;
      problem.constraints.maxMicrobatches = 2;
      break;
    default:
      problem.constraints.microbatches.assign(problem.batch, 1);
      problem.constraints.forbiddenDevices = {0};
      break;
    }
    for (const PlannerEntry &entry : planners()) {
      PlannerOptions options;
      options.maxPlans = 2000;
      llvm::Expected<Plan> plan = entry.plan(problem, cluster, options);
      if (!plan) {
        llvm::consumeError(plan.takeError());
        continue;
      }
      ++found;
      llvm::Error error = verify(problem, cluster, *plan);
      EXPECT_FALSE(bool(error)) << llvm::toString(std::move(error));
    }
  }
  EXPECT_GT(found, 200);
}

TEST(PlannersTest, stagesIsNotWorseThanTheOthers) {
  std::mt19937 random(14);
  int better = 0;
  for (int i = 0; i < 60; ++i) {
    Problem problem = makeRandomProblem(random, 6, 12);
    Cluster cluster = makeRandomCluster(random, 6, /*scarce=*/i % 3 == 0);
    llvm::Expected<Plan> stages = planStages(problem, cluster);
    bool best = bool(stages);
    for (auto *planner : {planSingle, planDpEven, planDpProportional}) {
      llvm::Expected<Plan> plan = planner(problem, cluster, {});
      if (!plan) {
        llvm::consumeError(plan.takeError());
        continue;
      }
      ASSERT_TRUE(bool(stages));
      EXPECT_LE(stages->predicted, plan->predicted);
      best &= stages->predicted < plan->predicted;
    }
    better += best;
    if (!stages)
      llvm::consumeError(stages.takeError());
  }
  EXPECT_GT(better, 20);
}
