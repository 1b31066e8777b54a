//===- PlanTest.cpp - Tests of plans --------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Planner/RandomProblems.h"
#include "hetero/Planner/Joint/Joint.h"
#include "hetero/Planner/Model/QuickBound.h"
#include "hetero/Planner/Plan/PlannerOptions.h"
#include "gtest/gtest.h"

using namespace hetero;
using namespace hetero::planner;
using hetero::cluster::Cluster;

static constexpr int64_t us = 1000000;

//===----------------------------------------------------------------------===//
// A worked example
//===----------------------------------------------------------------------===//
//
// Two layers of 100 and 200 FLOP a sample forwards, twice that backwards, with
// 100 bytes of parameters and as much of optimizer state each; 10 bytes a
// sample go from one to the other. A fast device of 1 MFLOP/s and a slow one of
// 0.5 MFLOP/s in one node, another fast one behind a link of 1 KB/s. So a
// sample takes 100 us and 200 us forwards on a fast device.

static Problem makeProblem() {
  Problem problem;
  problem.batch = 8;
  for (int64_t work : {100, 200}) {
    Layer layer;
    layer.name = "layer_" + std::to_string(problem.layers.size());
    layer.forward.work["f32"].perSample = Work(work);
    layer.backward.work["f32"].perSample = Work(2 * work);
    layer.update.work["f32"].fixed = Work(100);
    layer.parameters = layer.optimizerState = layer.gradients = Bytes(100);
    layer.saved.perSample = Bytes(20);
    layer.workspace.perSample = Bytes(7);
    layer.output.perSample = layer.outputGradient.perSample = Bytes(10);
    problem.layers.push_back(layer);
  }
  problem.layers[0].tensorDegrees = {2};
  problem.layers[0].tensorForward.perSample = Bytes(1000);
  return problem;
}

static Cluster makeCluster() {
  Cluster cluster;
  cluster.name = "example";
  for (auto [name, speed, memory] :
       {std::tuple("fast", 1000000, 1000), std::tuple("slow", 500000, 2000)}) {
    cluster::DeviceClass deviceClass;
    deviceClass.name = name;
    deviceClass.memory = Bytes(memory);
    deviceClass.peak["f32"] = Speed(speed);
    deviceClass.bandwidth = Bandwidth(1000000000);
    cluster.classes.push_back(deviceClass);
  }
  cluster::Node box, tower;
  box.name = "box";
  box.groups = {{1, 0}, {1, 1}};
  box.link = cluster::Link{cluster::LinkKind::Pcie, Bandwidth(1000000),
                           Time(10 * us), false};
  tower.name = "tower";
  tower.groups = {{2, 0}};
  tower.link = box.link;
  tower.unavailable = {1};
  cluster.nodes = {box, tower};
  cluster.cables = {{0,
                     1,
                     {cluster::LinkKind::Ethernet, Bandwidth(1000000),
                      Time(50 * us), false}}};
  llvm::cantFail(cluster.finish());
  return cluster;
}

/// The first layer on the devices of the box, 3 and 1 of 4 samples; the second
/// on the tower. State of the first stage is divided by hand.
static Plan makePlan() {
  Plan plan;
  plan.planner = "hand";
  plan.batch = 8;
  plan.microbatches = {4, 4};
  Stage first;
  first.layers = {{0, 0}};
  first.mesh = {{0, 1}, 2, 1};
  first.samples = {{3, 1}};
  first.state = StateMode::Full;
  first.inFlight = 2;
  first.shares = {{0, {}, Bytes(50), {}}, {1, {}, Bytes(150), {}}};
  Stage second;
  second.layers = {{1, 1}};
  second.mesh = {{2}, 1, 1};
  second.samples = {{4}};
  second.shares = {{2, {}, Bytes(200), {}}};
  plan.stages = {first, second};
  return plan;
}

static std::string messageOf(llvm::Error error) {
  return error ? llvm::toString(std::move(error)) : "";
}

TEST(PlanTest, evaluatesTheWorkedExample) {
  Plan plan = makePlan();
  ASSERT_EQ(messageOf(evaluate(makeProblem(), makeCluster(), plan)), "");
  const Stage &first = plan.stages[0], &second = plan.stages[1];
  // Three samples of 100 us, or one of 200 us.
  EXPECT_EQ(first.forward, Time(300 * us));
  EXPECT_EQ(first.backward, Time(600 * us));
  EXPECT_EQ(second.forward, Time(800 * us));
  // Four samples of 10 bytes leave the box one after the other.
  EXPECT_EQ(first.boundary, Time((50 + 40) * us));
  EXPECT_EQ(first.boundaryGradient, Time((50 + 40) * us));
  EXPECT_EQ(second.boundary, Time(0));
  // 25 and 75 of 100 bytes: grouped 75 B and 3 latencies; padded 10 us and 75
  // B.
  EXPECT_EQ(first.gather, Time(85 * us));
  EXPECT_EQ(first.reduce, Time(85 * us));
  EXPECT_EQ(second.reduce, Time(0));
  // A quarter of 100 FLOP on the fast, three quarters on the slow device.
  EXPECT_EQ(first.update, Time(150 * us));
  EXPECT_EQ(second.update, Time(100 * us));
  // State 50, gathered 100, gradients twice 100, activations of two
  // microbatches of three samples 120, workspace 21, two buffers of 30.
  EXPECT_EQ(first.shares[0].memory, Bytes(50 + 100 + 200 + 120 + 21 + 60));
  EXPECT_EQ(first.shares[1].memory, Bytes(150 + 100 + 200 + 40 + 7 + 20));
  EXPECT_EQ(second.shares[0].memory, Bytes(200 + 200 + 80 + 28 + 80));
  // 85 gather, 300 forward, 90 across, then twice 2400 on the second stage, 90
  // back, 600 backward, 85 reduce, 150 update.
  EXPECT_EQ(plan.predicted,
            Time((85 + 300 + 90 + 2 * 2400 + 90 + 600 + 85 + 150) * us));
  // 8 samples of 900 FLOP and 200 FLOP of updates for 2.5 MFLOP/s.
  EXPECT_LE(plan.bound, Time(2960 * us));
  EXPECT_GT(plan.bound, Time(2959 * us));
  ASSERT_EQ(plan.limitedBy.size(), 1u);
  EXPECT_EQ(plan.limitedBy[0].kind, ResourceKind::Compute);
  EXPECT_EQ(plan.limitedBy[0].stage, 1);
}

TEST(PlanTest, partsOfASampleShareTakeTheirTurn) {
  Plan plan = makePlan();
  plan.stages[0].shares[0].micro = 2;
  ASSERT_EQ(messageOf(evaluate(makeProblem(), makeCluster(), plan)), "");
  EXPECT_EQ(plan.stages[0].forward, Time(300 * us));
  // Only the workspace shrinks: from three samples to two.
  EXPECT_EQ(plan.stages[0].shares[0].memory,
            Bytes(50 + 100 + 200 + 120 + 14 + 60));
}

TEST(PlanTest, othersOfACostTakeTheirTimeAfterIt) {
  Plan plan = makePlan();
  Problem problem = makeProblem();
  Cost &other = problem.layers[1].forward.others.emplace_back();
  other.bytes.perSample = Bytes(50000);
  // On the fast device the bytes of 4 samples take 200 us, whatever the work
  // beside them takes.
  ASSERT_EQ(messageOf(evaluate(problem, makeCluster(), plan)), "");
  EXPECT_EQ(plan.stages[1].forward, Time((800 + 200) * us));
  EXPECT_EQ(plan.stages[1].backward, Time(1600 * us));
  problem.layers[1].update.others = {problem.layers[1].update};
  ASSERT_EQ(messageOf(evaluate(problem, makeCluster(), plan)), "");
  EXPECT_EQ(plan.stages[1].update, Time(200 * us));
}

TEST(PlanTest, recomputeKeepsInputsAlone) {
  Plan plan = makePlan();
  plan.stages[1].recompute = true;
  ASSERT_EQ(messageOf(evaluate(makeProblem(), makeCluster(), plan)), "");
  EXPECT_EQ(plan.stages[1].backward, Time(2400 * us));
  // One input of 40 bytes, and one layer of 80.
  EXPECT_EQ(plan.stages[1].shares[0].memory,
            Bytes(200 + 200 + 40 + 80 + 28 + 80));
}

TEST(PlanTest, columnsDivideLayers) {
  Problem problem = makeProblem();
  problem.layers.pop_back();
  Plan plan = makePlan();
  plan.stages.pop_back();
  Stage &stage = plan.stages[0];
  stage.mesh = {{0, 1}, 1, 2};
  stage.samples = {{4}};
  stage.state = StateMode::Replicated;
  stage.shares[0].state = stage.shares[1].state = Bytes(100);
  ASSERT_EQ(messageOf(evaluate(problem, makeCluster(), plan)), "");
  // Half of 4 samples on the slow device, and a sum of 4000 bytes over two.
  EXPECT_EQ(stage.forward, Time((400 + 2 * (10 + 2000)) * us));
  EXPECT_EQ(stage.reduce, Time(0));
  EXPECT_EQ(stage.update, Time(100 * us));
}

TEST(PlanTest, tiedParametersAreCopiedAndExchanged) {
  Problem problem = makeProblem();
  problem.ties = {{{0, 1}, Bytes(60), Bytes(60)}};
  Plan plan = makePlan();
  EXPECT_EQ(messageOf(verify(problem, makeCluster(), plan)),
            "stage 1 gives device 2 (fast of node 'tower') 200 B of state, but "
            "each device holds all 260 B");
  plan.stages[1].shares[0].state = Bytes(260);
  ASSERT_EQ(messageOf(evaluate(problem, makeCluster(), plan)), "");
  EXPECT_EQ(plan.stages[0].reduce, Time((85 + 2 * 110) * us));
  EXPECT_EQ(plan.stages[1].reduce, Time(2 * 110 * us));
}

TEST(PlanTest, inputsAreHeldForAllMicrobatches) {
  Problem problem = makeProblem();
  Plan before = makePlan(), plan = makePlan();
  ASSERT_EQ(messageOf(evaluate(problem, makeCluster(), before)), "");
  problem.inputs = {{{1}, Bytes(5)}};
  ASSERT_EQ(messageOf(evaluate(problem, makeCluster(), plan)), "");
  EXPECT_EQ(plan.stages[0].shares[0].memory, before.stages[0].shares[0].memory);
  // Both microbatches of 4 samples.
  EXPECT_EQ(plan.stages[1].shares[0].memory,
            before.stages[1].shares[0].memory + Bytes(2 * 4 * 5));
}

TEST(PlanTest, saysWhatFillsTheMemory) {
  Problem problem = makeProblem();
  problem.layers[1].saved.perSample = Bytes(200);
  Plan plan = makePlan();
  std::string message = "device 2 (fast of node 'tower') is short of 308 B of "
                        "memory: stage 1 needs 1.277 KiB there (activations "
                        "800 B, gradients 200 B, state 200 B, communication "
                        "buffers 80 B, workspace 28 B), and 1000 B can be used";
  EXPECT_EQ(messageOf(verify(problem, makeCluster(), plan)), message);
  EXPECT_EQ(messageOf(evaluate(problem, makeCluster(), plan)), message);
}

//===----------------------------------------------------------------------===//
// Verification
//===----------------------------------------------------------------------===//

namespace {
struct Corruption {
  const char *message;
  void (*change)(Problem &, Plan &);
};
} // namespace

static const Corruption corruptions[] = {
    {"the plan is for a batch of 9, but the problem has 8 samples",
     [](Problem &, Plan &p) { p.batch = 9; }},
    {"a microbatch of 5 samples follows 4 of the 8 samples of the batch",
     [](Problem &, Plan &p) { p.microbatches[1] = 5; }},
    {"a microbatch of -4 samples follows 4 of the 8 samples of the batch",
     [](Problem &, Plan &p) { p.microbatches[1] = -4; }},
    {"the microbatches make 4 samples, but the batch has 8",
     [](Problem &, Plan &p) { p.microbatches.pop_back(); }},
    {"the plan has 2 microbatches, but at most 1 are allowed",
     [](Problem &q, Plan &) { q.constraints.maxMicrobatches = 1; }},
    {"the microbatches of the plan are not the ones that are given",
     [](Problem &q, Plan &) { q.constraints.microbatches = {8}; }},
    {"the plan has 2 stages, but at most 1 are allowed",
     [](Problem &q, Plan &) { q.constraints.maxStages = 1; }},
    {"stage 0 divides its layers in 1 part, but 2 are given",
     [](Problem &q, Plan &) {
       for (Layer &layer : q.layers)
         layer.tensorDegrees = {2};
       q.constraints.tensor = 2;
     }},
    {"stage 1 has layers from 0 on where layer 1 comes next: every layer is in "
     "one stage, in order",
     [](Problem &, Plan &p) { p.stages[1].layers = {{0, 1}}; }},
    {"stage 1 has layers from 1 to 2, but there are layers 0 to 1",
     [](Problem &, Plan &p) { p.stages[1].layers = {{1, 2}}; }},
    {"stage 1 has layers from 1 to 0, but there are layers 0 to 1",
     [](Problem &, Plan &p) { p.stages[1].layers = {{1, 0}}; }},
    {"stage 1 has no layers",
     [](Problem &, Plan &p) { p.stages[1].layers.clear(); }},
    {"layer 1 and those after it are in no stage",
     [](Problem &, Plan &p) { p.stages.pop_back(); }},
    {"stage 0 has a mesh of 3 x 1 with 2 devices",
     [](Problem &, Plan &p) { p.stages[0].mesh.data = 3; }},
    {"stage 0 has a mesh of 2 x 0 with 2 devices",
     [](Problem &, Plan &p) { p.stages[0].mesh.tensor = 0; }},
    {"stage 1 has a mesh of 1 x 1 with 0 devices",
     [](Problem &, Plan &p) { p.stages[1].mesh.devices.clear(); }},
    {"stage 1 has device 9, but the cluster has devices 0 to 3",
     [](Problem &, Plan &p) { p.stages[1].mesh.devices = {9}; }},
    {"stage 1 has device -1, but the cluster has devices 0 to 3",
     [](Problem &, Plan &p) { p.stages[1].mesh.devices = {-1}; }},
    {"stage 1 has device 3 (fast of node 'tower'), which is not available",
     [](Problem &, Plan &p) { p.stages[1].mesh.devices = {3}; }},
    {"stage 1 has device 1 (slow of node 'box'), which stage 0 has already",
     [](Problem &, Plan &p) { p.stages[1].mesh.devices = {1}; }},
    {"stage 1 has device 2 (fast of node 'tower'), which is forbidden",
     [](Problem &q, Plan &) { q.constraints.forbiddenDevices = {2}; }},
    {"stage 0 divides its layers in 2 parts, but layer 0 ('layer_0') can be "
     "divided in 1, 4",
     [](Problem &q, Plan &p) {
       q.layers[0].tensorDegrees = {4};
       p.stages[0].mesh = {{0, 1}, 1, 2};
     }},
    {"stage 0 divides the samples of 2 sizes of microbatches, but the plan has "
     "1",
     [](Problem &, Plan &p) { p.stages[0].samples.push_back({3, 1}); }},
    {"stage 0 divides samples between 1 members, but its mesh has 2",
     [](Problem &, Plan &p) { p.stages[0].samples = {{4}}; }},
    {"stage 0 divides 3 samples of a microbatch of 4",
     [](Problem &, Plan &p) { p.stages[0].samples = {{3, 0}}; }},
    {"stage 0 gives a member -1 of the 4 samples that are left of 4",
     [](Problem &, Plan &p) { p.stages[0].samples = {{-1, 5}}; }},
    {"stage 0 gives a member 5 of the 4 samples that are left of 4",
     [](Problem &, Plan &p) { p.stages[0].samples = {{5, -1}}; }},
    {"stage 0 has 0 microbatches in flight; at least 1",
     [](Problem &, Plan &p) { p.stages[0].inFlight = 0; }},
    {"stage 0 has 1 shares for 2 devices",
     [](Problem &, Plan &p) { p.stages[0].shares.pop_back(); }},
    {"stage 0 has a share for device 2 where its mesh has device 1",
     [](Problem &, Plan &p) { p.stages[0].shares[1].device = 2; }},
    {"stage 0 lets device 1 (slow of node 'box') compute 0 samples at a time; "
     "at least 1",
     [](Problem &, Plan &p) { p.stages[0].shares[1].micro = 0; }},
    {"stage 0 gives device 1 (slow of node 'box') -1 bytes of state",
     [](Problem &, Plan &p) { p.stages[0].shares[1].state = Bytes(-1); }},
    {"stage 0 holds 199 B of its 200 B of state",
     [](Problem &, Plan &p) { p.stages[0].shares[1].state = Bytes(149); }},
    {"stage 0 holds 50 B of its 200 B of state in node 'box'",
     [](Problem &, Plan &p) {
       p.stages[0].state = StateMode::Node;
       p.stages[0].shares[1].state = Bytes(0);
     }},
    {"stage 0 gives device 0 (fast of node 'box') 50 B of state, but each "
     "device holds all 200 B",
     [](Problem &, Plan &p) { p.stages[0].state = StateMode::Replicated; }},
    {"stage 0 gives device 0 (fast of node 'box') 50 B of state, but each "
     "device holds all 100 B of the parameters",
     [](Problem &, Plan &p) { p.stages[0].state = StateMode::Optimizer; }},
    {"stage 0 holds 120 B of its 100 B of optimizer state",
     [](Problem &, Plan &p) {
       p.stages[0].state = StateMode::Optimizer;
       p.stages[0].shares[0].state = Bytes(110);
       p.stages[0].shares[1].state = Bytes(210);
     }},
    {"stage 1 has layer 1, which is pinned to stage 0",
     [](Problem &q, Plan &) { q.constraints.pins = {{1, 0, {}}}; }},
    {"stage 1 has layer 1 on device 2 (fast of node 'tower'), which is not one "
     "of the devices that it is pinned to",
     [](Problem &q, Plan &) { q.constraints.pins = {{1, {}, {0, 1}}}; }},
    {"the batch has 0 samples; it must have at least 1",
     [](Problem &q, Plan &) { q.batch = 0; }},
};

TEST(PlanTest, everyCorruptionIsFound) {
  Cluster cluster = makeCluster();
  EXPECT_EQ(messageOf(verify(makeProblem(), cluster, makePlan())), "");
  for (const Corruption &corruption : corruptions) {
    Problem problem = makeProblem();
    Plan plan = makePlan();
    corruption.change(problem, plan);
    EXPECT_EQ(messageOf(verify(problem, cluster, plan)), corruption.message);
    EXPECT_EQ(messageOf(evaluate(problem, cluster, plan)), corruption.message);
  }
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

static std::string write(const Plan &plan) {
  std::string text;
  llvm::raw_string_ostream os(text);
  writePlan(plan, os);
  return text;
}

TEST(PlanTest, isReadBackAsItWasWritten) {
  Plan plan = makePlan();
  ASSERT_EQ(messageOf(evaluate(makeProblem(), makeCluster(), plan)), "");
  plan.stages[0].shares[1].micro = 1;
  plan.stages[1].recompute = true;
  plan.planner = "by \"hand\"";
  plan.objective = Objective::Price;
  plan.limitedBy.push_back({ResourceKind::Memory, {}, 2, "tower"});
  std::string text = write(plan);
  Plan again = llvm::cantFail(readPlan(llvm::MemoryBufferRef(text, "p.yaml")));
  EXPECT_TRUE(plan == again) << text;
  EXPECT_EQ(write(again), text);
}

static std::string readError(const std::string &text) {
  llvm::Expected<Plan> plan = readPlan(llvm::MemoryBufferRef(text, "p.yaml"));
  return plan ? "" : llvm::toString(plan.takeError());
}

TEST(PlanTest, mistakesHaveAPlace) {
  EXPECT_EQ(readError("batch: 8\nmicrobatches: [8]\n"),
            "p.yaml:1:1: error: missing key 'stages' in a plan");
  std::string head = "batch: 8\nmicrobatches: [8]\nstages:\n  - layers: ";
  EXPECT_EQ(readError(head + "[[0, 1, 2]]"),
            "p.yaml:4:15: error: expected the first and the last layer of a "
            "run, found 3 numbers");
  EXPECT_EQ(readError(head + "[[0, 1]]\n    mesh: {devices: [0]}\n    samples: "
                             "[[8]]\n    state: some\n"),
            "p.yaml:7:12: error: expected one of replicated, optimizer, full, "
            "node, found 'some'");
}

/// Where evaluate finds the plan of the worked example wrong after `change`,
/// and the text that is there.
static std::pair<std::string, std::string>
placeAfter(const std::function<void(Plan &)> &change) {
  Plan plan = makePlan();
  change(plan);
  std::string text = write(plan);
  llvm::Expected<Plan> read = readPlan(llvm::MemoryBufferRef(text, "p.yaml"),
                                       makeProblem(), makeCluster());
  if (read)
    return {"", ""};
  std::string message = llvm::toString(read.takeError());
  auto [file, rest] = llvm::StringRef(message).split(':');
  auto [line, more] = rest.split(':');
  auto [column, why] = more.split(": error: ");
  unsigned lineNumber = 0, columnNumber = 0;
  EXPECT_FALSE(line.getAsInteger(10, lineNumber)) << message;
  EXPECT_FALSE(column.getAsInteger(10, columnNumber)) << message;
  llvm::SmallVector<llvm::StringRef> lines;
  llvm::StringRef(text).split(lines, '\n');
  return {why.str(), lines[lineNumber - 1].drop_front(columnNumber - 1).str()};
}

TEST(PlanTest, whatEvaluateFindsHasAPlace) {
  using Place = std::pair<std::string, std::string>;
  EXPECT_EQ(placeAfter([](Plan &) {}), Place("", ""));
  EXPECT_EQ(placeAfter([](Plan &p) { p.batch = 9; }),
            Place("the plan is for a batch of 9, but the problem has 8 samples",
                  "9"));
  EXPECT_EQ(placeAfter([](Plan &p) { p.microbatches[1] = 5; }),
            Place("a microbatch of 5 samples follows 4 of the 8 samples of the "
                  "batch",
                  "5]"));
  EXPECT_EQ(placeAfter([](Plan &p) { p.stages[1].mesh.devices = {9}; }),
            Place("stage 1 has device 9, but the cluster has devices 0 to 3",
                  "9], data: 1, tensor: 1}"));
  EXPECT_EQ(placeAfter([](Plan &p) { p.stages[1].layers = {{1, 2}}; }),
            Place("stage 1 has layers from 1 to 2, but there are layers 0 to 1",
                  "[1, 2]]"));
  EXPECT_EQ(placeAfter([](Plan &p) { p.stages[0].samples = {{3, 0}}; }),
            Place("stage 0 divides 3 samples of a microbatch of 4", "3, 0]]"));
  EXPECT_EQ(
      placeAfter([](Plan &p) { p.stages[0].inFlight = 7; }),
      Place("stage 0 has 7 microbatches in flight, but there are 2", "7"));
  EXPECT_EQ(placeAfter([](Plan &p) {
              p.schedule = ScheduleKind::Interleaved;
              p.stages[0].inFlight = 7;
            }).first,
            "stage 0 has 7 microbatches in flight, but there are 2 in runs of "
            "layers, of which the stage has 1");
  EXPECT_EQ(placeAfter([](Plan &p) { p.stages[0].shares[1].device = 2; }),
            Place("stage 0 has a share for device 2 where its mesh has device "
                  "1",
                  "device: 2, state: 150 B, memory: 0 B}"));
  EXPECT_EQ(placeAfter([](Plan &p) { p.stages.pop_back(); }).first,
            "layer 1 and those after it are in no stage");
}

TEST(PlanTest, timesThatCannotBeCountedAreErrors) {
  Problem problem = makeProblem();
  problem.layers[1].forward.operations = std::numeric_limits<int64_t>::max();
  Cluster cluster = makeCluster();
  for (cluster::DeviceClass &deviceClass : cluster.classes)
    deviceClass.overhead = Time(1);
  Plan plan = makePlan();
  EXPECT_EQ(messageOf(evaluate(problem, cluster, plan)),
            "the step takes more than 9223372 s, which is too long to count; "
            "it is limited by compute");
}

TEST(PlanTest, tableForPeople) {
  Problem problem = makeProblem();
  Cluster cluster = makeCluster();
  Plan plan = makePlan();
  ASSERT_EQ(messageOf(evaluate(problem, cluster, plan)), "");
  std::string text;
  llvm::raw_string_ostream os(text);
  printPlan(getLayerNames(problem), cluster, plan, os);
  EXPECT_EQ(
      text,
      R"(plan by 'hand' on cluster 'example': 2 stages, batch 8 in microbatches of 2 x 4
  stage  layers       device          samples  state       memory
  0      0 (layer_0)                           full        in flight 2
                      0 fast (box)    3        50 B        551 B of 1000 B (55.1%)
                      1 slow (box)    1        150 B       517 B of 1.953 KiB (25.9%)
  1      1 (layer_1)                           replicated  in flight 1
                      2 fast (tower)  4        200 B       588 B of 1000 B (58.8%)
stage 0: forward 300 us, backward 600 us, to the next 90 us, gradient back 90 us, gather 85 us, reduce 85 us, update 150 us
stage 1: forward 800 us, backward 1.6 ms, update 100 us
step 6.2 ms, at least 2.96 ms for any plan (gap 52.3%), limited by compute of stage 1
)");
}

TEST(PlanTest, gapIsRoundedDown) {
  Plan plan;
  plan.predicted = Time(18100);
  plan.bound = Time(16500);
  EXPECT_EQ(plan.gap(), Share(88397));
  plan.bound = Time(20000);
  EXPECT_EQ(plan.gap(), Share(0));
}

//===----------------------------------------------------------------------===//
// The bound
//===----------------------------------------------------------------------===//

namespace {
/// Evaluates every plan of a small problem: all numbers of microbatches, cuts
/// of the layers, ordered choices of devices, meshes, divisions of samples and
/// in-flight counts.
class AllPlans {
public:
  AllPlans(const Problem &problem, const Cluster &cluster)
      : problem(problem), cluster(cluster) {}

  /// The time of the fastest plan, whether it fits or not. State is held by
  /// each device or, if `mode` says so, divided with the most on the first.
  Time fastest(StateMode mode) {
    stateMode = mode;
    plan.batch = problem.batch;
    for (int64_t count = 1; count <= problem.batch; ++count) {
      plan.microbatches.assign(count, problem.batch / count);
      for (int64_t i = 0; i < problem.batch % count; ++i)
        ++plan.microbatches[i];
      addStage(0);
    }
    return best;
  }

  int64_t numPlans = 0;

private:
  void addStage(int64_t layer) {
    int64_t numLayers = problem.layers.size();
    if (layer == numLayers) {
      ++numPlans;
      // Memory does not matter for a bound.
      llvm::consumeError(evaluate(problem, cluster, plan));
      EXPECT_GT(plan.predicted, Time(0));
      best = std::min(best, plan.predicted);
      return;
    }
    for (int64_t last = layer; last < numLayers; ++last) {
      // Not more in flight than the stage before lets through.
      int64_t most = plan.stages.empty() ? plan.microbatches.size()
                                         : plan.stages.back().inFlight;
      for (int64_t inFlight = 1; inFlight <= most; ++inFlight) {
        Stage stage;
        stage.layers = {{layer, last}};
        stage.inFlight = inFlight;
        addDevice(stage, last);
      }
    }
  }

  void addDevice(Stage &stage, int64_t last) {
    for (int64_t device = 0; device < int64_t(cluster.devices.size());
         ++device) {
      bool isUsed = llvm::is_contained(stage.mesh.devices, device);
      for (const Stage &other : plan.stages)
        isUsed |= llvm::is_contained(other.mesh.devices, device);
      if (isUsed)
        continue;
      stage.mesh.devices.push_back(device);
      int64_t count = stage.mesh.devices.size();
      for (int64_t tensor : {1, 2})
        if (count % tensor == 0 && count / tensor <= problem.batch) {
          stage.mesh.tensor = tensor;
          stage.mesh.data = count / tensor;
          if (isDivisible(stage))
            divide(stage, last);
        }
      addDevice(stage, last);
      stage.mesh.devices.pop_back();
    }
  }

  bool isDivisible(const Stage &stage) const {
    for (int64_t i = stage.layers[0].first; i <= stage.layers[0].last; ++i)
      if (stage.mesh.tensor > 1 &&
          !llvm::is_contained(problem.layers[i].tensorDegrees,
                              stage.mesh.tensor))
        return false;
    return true;
  }

  void divide(Stage &stage, int64_t last) {
    std::vector<int64_t> sizes = plan.distinctMicrobatches();
    if (stage.samples.size() < sizes.size()) {
      std::vector<int64_t> samples;
      return divideSize(stage, last, sizes[stage.samples.size()], samples);
    }
    Bytes state;
    for (int64_t i = stage.layers[0].first; i <= last; ++i)
      for (Bytes part :
           {problem.layers[i].parameters, problem.layers[i].optimizerState})
        state +=
            Bytes((part.count() + stage.mesh.tensor - 1) / stage.mesh.tensor);
    Stage complete = stage;
    complete.state = stateMode;
    int64_t tensor = stage.mesh.tensor, rows = stage.mesh.data;
    for (size_t i = 0; i < stage.mesh.devices.size(); ++i) {
      Bytes part(state.count() / (rows + 1));
      if (stateMode == StateMode::Replicated)
        part = state;
      else if (int64_t(i) < tensor)
        part = state - part * (rows - 1);
      complete.shares.push_back({stage.mesh.devices[i], {}, part, {}});
    }
    plan.stages.push_back(complete);
    addStage(last + 1);
    plan.stages.pop_back();
  }

  void divideSize(Stage &stage, int64_t last, int64_t left,
                  std::vector<int64_t> &samples) {
    if (int64_t(samples.size()) == stage.mesh.data - 1) {
      samples.push_back(left);
      stage.samples.push_back(samples);
      divide(stage, last);
      stage.samples.pop_back();
      samples.pop_back();
      return;
    }
    for (int64_t share = 0; share <= left; ++share) {
      samples.push_back(share);
      divideSize(stage, last, left - share, samples);
      samples.pop_back();
    }
  }

  const Problem &problem;
  const Cluster &cluster;
  Plan plan;
  StateMode stateMode = StateMode::Replicated;
  Time best = Time::max();
};
} // namespace

TEST(PlanTest, noPlanBeatsTheBound) {
  std::mt19937 random(31);
  int64_t numPlans = 0, close = 0;
  for (int i = 0; i < 60; ++i) {
    Problem problem = makeRandomProblem(random, 3, 3);
    Cluster cluster = makeRandomCluster(random, 3);
    AllPlans all(problem, cluster);
    Time fastest = all.fastest(StateMode::Replicated);
    Time bound = computeBound(problem, cluster);
    // The planners find nothing better than all plans, and little that is
    // worse.
    PlannerOptions options;
    options.stateModes = {StateMode::Replicated};
    Plan plan = llvm::cantFail(planStages(problem, cluster, options));
    EXPECT_GE(plan.predicted, fastest);
    EXPECT_GT(bound, Time(0));
    EXPECT_LE(bound, all.fastest(StateMode::Full));
    numPlans += all.numPlans;
    close += toSeconds(plan.predicted) <= 1.1 * toSeconds(fastest);
  }
  EXPECT_GT(numPlans, 5000);
  EXPECT_GE(close, 55);
}

TEST(PlanTest, turnsBecomeMicrobatches) {
  Plan plan;
  plan.batch = 17;
  plan.microbatches = {17};
  Stage &stage = plan.stages.emplace_back();
  stage.layers = {{0, 3}};
  stage.mesh = {{0, 1, 2}, 3, 1};
  stage.samples = {{12, 4, 1}};
  stage.shares = {{0, 5, Bytes(0), Bytes(0)},
                  {1, 3, Bytes(0), Bytes(0)},
                  {2, std::nullopt, Bytes(0), Bytes(0)}};
  std::optional<Plan> turns = divideIntoTurns(plan);
  ASSERT_TRUE(turns);
  EXPECT_EQ(turns->microbatches, (std::vector<int64_t>{7, 5, 5}));
  EXPECT_EQ(turns->stages[0].samples,
            (std::vector<std::vector<int64_t>>{{4, 2, 1}, {4, 1, 0}}));
  for (const DeviceShare &share : turns->stages[0].shares)
    EXPECT_FALSE(share.micro);
  // Between stages, a microbatch is also what is handed over.
  plan.stages.push_back(plan.stages.front());
  EXPECT_FALSE(divideIntoTurns(plan));
}
