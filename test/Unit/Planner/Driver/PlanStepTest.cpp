//===- PlanStepTest.cpp - Tests of the driver of planners -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Planner/Driver/PlanStep.h"
#include "hetero/Planner/Driver/Planners.h"
#include "gtest/gtest.h"

using namespace hetero;
using namespace hetero::planner;
using hetero::cluster::Cluster;

/// Two layers of 1 MB that compute, on a fast device and a slow one with more
/// memory.
static const char *problemText = R"(
batch: 4
layers:
  - name: a
    forward: {work: {f32: {sample: 1 GFLOP}}}
    backward: {work: {f32: {sample: 2 GFLOP}}}
    parameters: 1 MB
    gradients: 1 MB
    saved: {sample: 100 KB}
  - {name: b, like: 0}
)";
static const char *clusterText = R"(
name: two
classes:
  fast: {memory: 8 MB, peak: {f32: 2 TFLOP/s}, bandwidth: 1 TB/s}
  slow: {memory: 80 MB, peak: {f32: 1 TFLOP/s}, bandwidth: 1 TB/s}
nodes:
  - {name: n, devices: [fast, slow], link: {kind: pcie, bandwidth: 1 GB/s}}
)";

static Problem makeProblem() {
  return llvm::cantFail(readProblem({problemText, "problem"}));
}
static Cluster makeCluster() {
  return llvm::cantFail(cluster::readCluster({clusterText, "cluster"}));
}

namespace {
/// Needs a number of times the memory that a plan expects.
class FakeProgram : public PlanTrial {
public:
  explicit FakeProgram(int64_t times) : times(times) {}
  int64_t layOut(Plan &) override { return numLayouts++; }
  std::optional<std::map<int64_t, Bytes>> measure(const StepPlan &plan,
                                                  const Cluster &) override {
    ++numMeasured;
    std::map<int64_t, Bytes> needs;
    for (const Stage &stage : plan.plan.stages)
      for (const DeviceShare &share : stage.shares)
        needs[share.device] = share.memory * times;
    return needs;
  }

  int64_t times, numLayouts = 0, numMeasured = 0;
};
} // namespace

static std::string getError(const PlanRequest &request) {
  StepModel model;
  model.problem = makeProblem();
  llvm::Expected<StepPlan> plan = planStep(model, makeCluster(), request);
  return plan ? "" : llvm::toString(plan.takeError());
}

TEST(PlanStepTest, withoutProgramAPlannerIsAskedOnce) {
  StepModel model;
  model.problem = makeProblem();
  Cluster cluster = makeCluster();
  for (const char *name : {"joint", "single", "spmd", "dp-even"}) {
    PlanRequest request;
    request.planner = name;
    StepPlan found = llvm::cantFail(planStep(model, cluster, request));
    EXPECT_TRUE(found.plan ==
                llvm::cantFail(runPlanner(name, model.problem, cluster)));
    EXPECT_FALSE(found.program || found.layout);
  }
}

TEST(PlanStepTest, measuredMemoryMovesAPlan) {
  StepModel model;
  model.problem = makeProblem();
  Cluster cluster = makeCluster();
  PlanRequest request;
  request.planner = "single";
  FakeProgram honest(1);
  model.trial = &honest;
  StepPlan fast = llvm::cantFail(planStep(model, cluster, request));
  EXPECT_EQ(fast.plan.stages[0].mesh.devices, std::vector<int64_t>({0}));
  EXPECT_GT(honest.numMeasured, 0);
  EXPECT_EQ(fast.layout, 0);
  // What the program needs does not fit on the fast device.
  FakeProgram larger(2);
  model.trial = &larger;
  StepPlan slow = llvm::cantFail(planStep(model, cluster, request));
  EXPECT_EQ(slow.plan.stages[0].mesh.devices, std::vector<int64_t>({1}));
  EXPECT_GT(larger.numLayouts, 1);
  EXPECT_EQ(slow.layout, larger.numLayouts - 1);
  // The bound is that of all memory.
  EXPECT_EQ(slow.plan.bound, fast.plan.bound);
}

TEST(PlanStepTest, saysWhatWasKeptBack) {
  StepModel model;
  model.problem = makeProblem();
  FakeProgram huge(1000);
  model.trial = &huge;
  PlanRequest request;
  request.planner = "single";
  // Nobody has so much that a plan would not be measured.
  Cluster cluster = makeCluster();
  cluster.classes[1].memory = cluster.classes[0].memory;
  llvm::Expected<StepPlan> plan = planStep(model, cluster, request);
  ASSERT_FALSE(bool(plan));
  bool explained = false;
  llvm::handleAllErrors(
      plan.takeError(),
      [&](const NoPlanError &error) {
        explained = true;
        EXPECT_NE(error.message.find("is short of"), std::string::npos);
        ASSERT_FALSE(error.notes.empty());
        EXPECT_NE(error.notes[0].find("of a fast, "), std::string::npos);
        EXPECT_NE(error.notes[0].find(" bytes were kept back"),
                  std::string::npos);
      },
      [](const llvm::ErrorInfoBase &) {});
  EXPECT_TRUE(explained);
}

TEST(PlanStepTest, requestsBecomeConstraints) {
  StepModel model;
  model.problem = makeProblem();
  PlanRequest request;
  request.without = {0};
  request.microbatches = {3, 1};
  request.maxStages = 1;
  request.schedule = "1f1b";
  Plan plan = llvm::cantFail(planStep(model, makeCluster(), request)).plan;
  ASSERT_EQ(plan.stages.size(), 1u);
  EXPECT_EQ(plan.stages[0].mesh.devices, std::vector<int64_t>({1}));
  EXPECT_EQ(plan.microbatches, std::vector<int64_t>({3, 1}));
  EXPECT_EQ(plan.schedule, ScheduleKind::OneFOneB);
}

TEST(PlanStepTest, requestsThatCannotBeMetAreErrors) {
  PlanRequest request;
  EXPECT_EQ(getError(request), "");
  auto expect = [&](auto PlanRequest::*field, auto value,
                    llvm::StringRef message) {
    PlanRequest wrong;
    wrong.*field = value;
    EXPECT_EQ(getError(wrong), message);
  };
  using Numbers = std::vector<int64_t>;
  expect(&PlanRequest::maxStages, -1,
         "max-stages is -1 and must be at least 1");
  expect(&PlanRequest::without, Numbers{2},
         "without names device 2, but the cluster has devices 0 to 1");
  expect(&PlanRequest::microbatches, Numbers{5},
         "a batch of 4 samples cannot make 5 microbatches");
  expect(&PlanRequest::microbatches, Numbers{2, 3},
         "the batch has 4 samples, but the microbatches make 5");
  expect(&PlanRequest::microbatches, Numbers{INT64_MAX, INT64_MAX},
         "the batch has 4 samples, but the microbatches make "
         "9223372036854775806");
  expect(&PlanRequest::tensor, 2,
         "tensor asks for 2 parts, but the most devices of one class in one "
         "node are 1");
  expect(&PlanRequest::effort, 0, "effort is 0 and must be from 1 to 100");
  expect(&PlanRequest::timeBudget, "5 apples",
         "time-budget is '5 apples' and must be a time, like 5s");
  expect(&PlanRequest::state, std::vector<std::string>{"half"},
         "there is no way to hold state 'half'; there are: replicated, "
         "optimizer, full");
}
