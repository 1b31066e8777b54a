//===- ProblemTest.cpp - Tests of problems --------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Planner/RandomProblems.h"
#include "gtest/gtest.h"

using namespace hetero;
using namespace hetero::planner;

static const char *const dense = R"(batch: 8
layers:
  - name: "dense_0"
    forward: {work: {f32: {sample: 48 FLOP}}, bytes: {fixed: 96 B, sample: 40 B}}
    backward: {work: {f32: {sample: 48 FLOP}}, bytes: {fixed: 96 B, sample: 40 B}}
    update: {work: {f32: {fixed: 48 FLOP}}, bytes: {fixed: 288 B}}
    parameters: 96 B
    gradients: 96 B
    saved: {sample: 16 B}
    output: {sample: 24 B}
    outputGradient: {sample: 24 B}
  - name: "dense_1"
    tensorDegrees: [2]
    parameters: 48 B
)";

static std::string replace(std::string text, const std::string &from,
                           const std::string &to) {
  size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

static std::string errorOf(const std::string &text) {
  llvm::Expected<Problem> problem =
      readProblem(llvm::MemoryBufferRef(text, "p.yaml"));
  return problem ? "" : llvm::toString(problem.takeError());
}

TEST(ProblemTest, readsTheExampleOfTheHeader) {
  Problem problem =
      llvm::cantFail(readProblem(llvm::MemoryBufferRef(dense, "p.yaml")));
  EXPECT_EQ(problem.batch, 8);
  ASSERT_EQ(problem.layers.size(), 2u);
  const Layer &first = problem.layers[0];
  EXPECT_EQ(first.forward.work.at("f32").at(8), Work(384));
  EXPECT_EQ(first.forward.bytes.at(8), Bytes(96 + 320));
  EXPECT_EQ(first.update.bytes.fixed, Bytes(288));
  EXPECT_EQ(first.output.perSample, Bytes(24));
  EXPECT_EQ(problem.layers[1].tensorDegrees, std::vector<int64_t>{2});
  EXPECT_EQ(problem.layers[1].forward, Cost());
}

TEST(ProblemTest, costsHaveOthersOnce) {
  std::string first = "sample: 40 B}}";
  std::string text = replace(dense, first,
                             "sample: 40 B}, operations: 4, others: [{bytes: "
                             "{sample: 7 B}, operations: 30}]}");
  Problem problem =
      llvm::cantFail(readProblem(llvm::MemoryBufferRef(text, "p.yaml")));
  const Cost &forward = problem.layers[0].forward;
  EXPECT_EQ(forward.operations, 4);
  ASSERT_EQ(forward.others.size(), 1u);
  EXPECT_EQ(forward.others[0].bytes.perSample, Bytes(7));
  EXPECT_EQ(forward.others[0].operations, 30);
  EXPECT_EQ(
      errorOf(replace(text, "operations: 30", "others: [{operations: 1}]")),
      "p.yaml:4:130: error: unknown key 'others' in a cost; known keys: work, "
      "bytes, operations");
  EXPECT_EQ(errorOf(replace(text, "operations: 30", "operations: -1")),
            "p.yaml:4:142: error: expected a number of at least 0, found -1");
}

TEST(ProblemTest, isReadBackAsItWasWritten) {
  std::mt19937 random(3);
  for (int i = 0; i < 100; ++i) {
    Problem problem = makeRandomProblem(random);
    problem.layers[0].name = "a \"b\"\n\\c: d";
    problem.constraints.forbiddenDevices = {0, 3};
    problem.constraints.maxStages = 2;
    problem.constraints.tensor = 3;
    for (Layer &layer : problem.layers)
      layer.tensorDegrees = {3};
    problem.constraints.pins.push_back({0, 0, {1, 2}});
    if (problem.layers.size() > 1)
      problem.ties.push_back({{0, int64_t(problem.layers.size()) - 1},
                              problem.layers[0].parameters,
                              Bytes(5)});
    problem.inputs.push_back({{0}, Bytes(7)});
    std::string text;
    llvm::raw_string_ostream os(text);
    writeProblem(problem, os);
    llvm::Expected<Problem> again =
        readProblem(llvm::MemoryBufferRef(text, "p.yaml"));
    ASSERT_TRUE(bool(again)) << llvm::toString(again.takeError()) << text;
    EXPECT_TRUE(problem == *again) << text;
  }
}

TEST(ProblemTest, mistakesHaveAPlace) {
  EXPECT_EQ(errorOf(replace(dense, "parameters: 96 B", "paramters: 96 B")),
            "p.yaml:7:5: error: unknown key 'paramters' in a layer; did you "
            "mean 'parameters'? known keys: like, name, forward, backward, "
            "update, parameters, optimizerState, gradients, saved, workspace, "
            "output, outputGradient, tensorDegrees, tensorForward, "
            "tensorBackward, measured");
  EXPECT_EQ(errorOf(replace(dense, "batch: 8\n", "")),
            "p.yaml:1:1: error: missing key 'batch' in a problem");
  EXPECT_EQ(errorOf(replace(dense, "sample: 48 FLOP", "sample: -48 FLOP"))
                .substr(0, 22),
            "p.yaml:4:36: error: '-");
  EXPECT_EQ(errorOf(replace(dense, "batch: 8", "batch: 0")),
            "p.yaml:1:8: error: expected a number of at least 1, found 0");
  EXPECT_EQ(errorOf("batch: 3\nlayers: []\n"),
            "p.yaml:1:1: error: the problem has no layers");
}

/// The message of `check` after `change`.
static std::string checkAfter(const std::function<void(Problem &)> &change) {
  Problem problem =
      llvm::cantFail(readProblem(llvm::MemoryBufferRef(dense, "p.yaml")));
  change(problem);
  llvm::Error error = check(problem);
  return error ? llvm::toString(std::move(error)) : "";
}

TEST(ProblemTest, checkNamesLayersAndConstraints) {
  EXPECT_EQ(checkAfter([](Problem &) {}), "");
  EXPECT_EQ(checkAfter([](Problem &p) { p.layers[1].parameters = Bytes(-1); }),
            "layer 1 ('dense_1'): the size of the parameters is -1, but cannot "
            "be negative");
  EXPECT_EQ(checkAfter([](Problem &p) {
              p.layers[1].saved.perSample = Bytes(1LL << 60);
            }).substr(0, 69),
            "layer 1 ('dense_1'): what is saved makes the step too large to "
            "count,");
  EXPECT_EQ(checkAfter([](Problem &p) { p.layers[1].like = 1; }),
            "layer 1 ('dense_1') is like layer 1, which is not an earlier one");
  EXPECT_EQ(checkAfter([](Problem &p) { p.layers[1].like = 0; }),
            "layer 1 ('dense_1') is like layer 0, but its costs are not the "
            "same");
  EXPECT_EQ(checkAfter([](Problem &p) { p.layers[0].tensorDegrees = {0}; }),
            "layer 0 ('dense_0') cannot be divided in 0 parts; at least 1");
  EXPECT_EQ(checkAfter([](Problem &p) { p.ties = {{{1}, {}, {}}}; }),
            "tie 0 must have at least two layers, not 1");
  EXPECT_EQ(checkAfter([](Problem &p) { p.ties = {{{0, 2}, {}, {}}}; }),
            "tie 0 refers to layer 2, but there are layers 0 to 1");
  EXPECT_EQ(checkAfter([](Problem &p) { p.inputs = {{{}, Bytes(1)}}; }),
            "input 0 must have at least one layer");
  EXPECT_EQ(checkAfter([](Problem &p) { p.inputs = {{{0, 2}, Bytes(1)}}; }),
            "input 0 refers to layer 2, but there are layers 0 to 1");
  EXPECT_EQ(checkAfter([](Problem &p) { p.inputs = {{{1, 0}, Bytes(1)}}; }),
            "input 0 lists layer 0 after layer 1; layers must ascend");
  EXPECT_EQ(checkAfter([](Problem &p) { p.inputs = {{{0}, Bytes(-1)}}; }),
            "input 0: the size of a sample is -1, but cannot be negative");
  EXPECT_EQ(checkAfter([](Problem &p) { p.constraints.microbatches = {4, 3}; }),
            "the given microbatches make 7 samples, but the batch has 8");
  EXPECT_EQ(checkAfter([](Problem &p) {
              p.constraints.microbatches = {4, 4};
              p.constraints.maxMicrobatches = 1;
            }),
            "2 microbatches are given, but at most 1 are allowed");
  EXPECT_EQ(checkAfter([](Problem &p) {
              p.layers.push_back(p.layers[1]);
              p.constraints.pins = {{1, 1, {}}, {2, 0, {}}};
            }),
            "layer 1 is pinned to stage 1 and layer 2 to stage 0, but stages "
            "follow the order of the layers");
  EXPECT_EQ(checkAfter([](Problem &p) { p.constraints.pins = {{0, 1, {}}}; }),
            "pin 0 puts layer 0 into stage 1, but it can be in stages 0 to 0");
  EXPECT_EQ(checkAfter([](Problem &p) {
              p.layers.push_back(p.layers[1]);
              p.constraints.pins = {{2, 2, {}}, {1, 0, {}}};
            }),
            "layer 1 is pinned to stage 0 and layer 2 to stage 2, but stages "
            "have layers, and there are 0 between them");
  EXPECT_EQ(checkAfter([](Problem &p) {
              p.constraints.pins = {{0, 0, {3}}, {1, 1, {3}}};
            }),
            "layers 0 and 1 are pinned to stages 0 and 1, but both to device 3 "
            "alone, and a device is in one stage");
  EXPECT_EQ(checkAfter([](Problem &p) {
              p.constraints.pins = {{0, {}, {0, 1}}, {0, {}, {2}}};
            }),
            "layer 0 is pinned twice, but to no common device: to 0, 1 and to "
            "2");
  EXPECT_EQ(checkAfter([](Problem &p) {
              p.layers[0].tensorDegrees = {2, 4};
              p.constraints.tensor = 3;
            }),
            "3 parts are given, but layer 0 ('dense_0') can be divided in 1, "
            "2, 4");
  EXPECT_EQ(checkAfter([](Problem &p) {
              p.constraints.pins = {{0, 0, {1}}, {1, 0, {2}}};
            }),
            "layers 0 and 1 are pinned to stage 0, but to no common device");
  EXPECT_EQ(checkAfter([](Problem &p) {
              p.constraints.forbiddenDevices = {1};
              p.constraints.pins = {{0, {}, {1}}};
            }),
            "pin 0 allows layer 0 only on device 1, which is forbidden");
}

/// The message of `check` on three devices, of which the last one is not
/// available, after `change`.
static std::string
checkOnCluster(const std::function<void(Constraints &)> &change) {
  Problem problem =
      llvm::cantFail(readProblem(llvm::MemoryBufferRef(dense, "p.yaml")));
  for (Layer &layer : problem.layers)
    layer.tensorDegrees = {2, 4};
  cluster::Cluster cluster =
      llvm::cantFail(cluster::readCluster(llvm::MemoryBufferRef(R"(name: lab
nodes:
  - name: n
    devices: [3 x l4]
    link: {kind: pcie, bandwidth: 12 GB/s}
    unavailable: [2]
)",
                                                                "lab.yaml")));
  change(problem.constraints);
  llvm::Error error = check(problem, cluster);
  return error ? llvm::toString(std::move(error)) : "";
}

TEST(ProblemTest, constraintsAreCheckedOnTheCluster) {
  EXPECT_EQ(checkOnCluster([](Constraints &) {}), "");
  EXPECT_EQ(checkOnCluster([](Constraints &c) { c.forbiddenDevices = {3}; }),
            "device 3 is forbidden, but the cluster 'lab' has devices 0 to 2");
  EXPECT_EQ(checkOnCluster([](Constraints &c) {
              c.pins = {{1, {}, {0}}, {0, {}, {0, 7}}};
            }),
            "pin 1 allows layer 0 on device 7, but the cluster 'lab' has "
            "devices 0 to 2");
  EXPECT_EQ(checkOnCluster([](Constraints &c) { c.pins = {{0, {}, {2}}}; }),
            "pin 0 allows layer 0 on no device that may be used: device 2 (l4 "
            "of node 'n') is not available");
  EXPECT_EQ(checkOnCluster([](Constraints &c) {
              c.forbiddenDevices = {0};
              c.pins = {{0, {}, {0, 2}}};
            }),
            "pin 0 allows layer 0 on no device that may be used: device 0 (l4 "
            "of node 'n') is forbidden, device 2 (l4 of node 'n') is not "
            "available");
  // What is not there today may be listed beside what is.
  EXPECT_EQ(checkOnCluster([](Constraints &c) { c.pins = {{0, {}, {1, 2}}}; }),
            "");
  EXPECT_EQ(checkOnCluster([](Constraints &c) {
              c.forbiddenDevices = {1};
              c.pins = {{1, 1, {}}};
            }),
            "pin 0 puts layer 1 into stage 1, but 1 of the 3 devices of the "
            "cluster 'lab' may be used, which is enough for 1 stage");
  EXPECT_EQ(checkOnCluster([](Constraints &c) { c.tensor = 4; }),
            "4 parts are given, but 2 of the 3 devices of the cluster 'lab' "
            "may be used");
  EXPECT_EQ(checkOnCluster([](Constraints &c) {
              c.tensor = 2;
              c.pins = {{0, {}, {1}}};
            }),
            "pin 0 allows layer 0 on 1 device that may be used, but 2 parts "
            "are given");
  EXPECT_EQ(checkOnCluster([](Constraints &c) {
              c.pins = {{0, 0, {0, 2}}, {1, 0, {1, 2}}};
            }),
            "pin 1 puts layer 1 into stage 0, but no device that may be used "
            "is one that all layers that are pinned there allow");
}

static const char *const measuredText = R"(batch: 8
layers:
  - {name: "embed", parameters: 8 B}
  - name: "block_0"
    parameters: 96 B
    measured:
      l4: {samples: [2, 4, 6], forward: [20 ms, 16 ms, 24 ms], backward: [30 ms, 50 ms, 70 ms]}
      t4: {samples: [4], forward: [8 ms], backward: [16 ms]}
  - {name: "block_1", like: 1}
)";

TEST(ProblemTest, measuredTimesAreInterpolated) {
  Problem problem = llvm::cantFail(
      readProblem(llvm::MemoryBufferRef(measuredText, "p.yaml")));
  EXPECT_EQ(problem.layers[2].parameters, Bytes(96));
  EXPECT_EQ(problem.layers[2].name, "block_1");
  EXPECT_EQ(problem.layers[0].measuredOn("l4"), nullptr);
  const MeasuredTimes *l4 = problem.layers[2].measuredOn("l4");
  const MeasuredTimes *t4 = problem.layers[2].measuredOn("t4");
  ASSERT_TRUE(l4 && t4);
  auto ms = [](double value) { return Time::nearest(value * 1e9); };
  using Pair = std::pair<Time, Time>;
  // 4 samples are taken to need as long as 2.
  EXPECT_EQ(l4->at(2), Pair(ms(20), ms(30)));
  EXPECT_EQ(l4->at(3), Pair(ms(20), ms(40)));
  EXPECT_EQ(l4->at(5), Pair(ms(22), ms(60)));
  EXPECT_EQ(l4->at(1), Pair(ms(20), ms(20)));
  // On the line from the middle point, 2 ms and 10 ms for each sample.
  EXPECT_EQ(l4->at(10), Pair(ms(32), ms(110)));
  // In proportion to a single point.
  EXPECT_EQ(t4->at(1), Pair(ms(2), ms(4)));
  EXPECT_EQ(t4->at(8), Pair(ms(16), ms(32)));
  EXPECT_DOUBLE_EQ(t4->leastPerSample(), 0.006);
  EXPECT_NEAR(l4->leastPerSample(), 0.012, 1e-9);
}

TEST(ProblemTest, measuredTimesNeverFallAndStayAboveTheLeast) {
  std::mt19937 random(11);
  int tables = 0;
  for (int i = 0; i < 300; ++i)
    for (const Layer &layer : makeRandomProblem(random).layers)
      for (const auto &[deviceClass, times] : layer.measured) {
        ++tables;
        double least = times.leastPerSample();
        Time before;
        for (int64_t samples = 1; samples < 40; ++samples) {
          auto [forward, backward] = times.at(samples);
          EXPECT_GE(forward + backward, before);
          before = forward + backward;
          EXPECT_GE(toSeconds(before) + 2e-12, least * double(samples));
        }
      }
  EXPECT_GT(tables, 50);
}

TEST(ProblemTest, mistakesInMeasuredTimesHaveAPlace) {
  EXPECT_EQ(errorOf(replace(measuredText, "[8 ms]", "[8 ms, 9 ms]")),
            "p.yaml:8:36: error: expected 1 times, one for each number of "
            "samples, found 2");
  EXPECT_EQ(errorOf(replace(measuredText, "[8 ms]", "[8 GiB]")).substr(0, 20),
            "p.yaml:8:36: error: ");
  EXPECT_EQ(errorOf(replace(measuredText, ", backward: [16 ms]", "")),
            "p.yaml:8:12: error: missing key 'backward' in measured times");
  EXPECT_EQ(errorOf(replace(measuredText, "[2, 4, 6]", "[2, 4, 4]")),
            "p.yaml:4:5: error: layer 1 ('block_0'): the times on 'l4' for 4 "
            "samples follow those for 4; the numbers must be positive and "
            "ascend");
  EXPECT_EQ(errorOf(replace(measuredText, "like: 1}", "like: 2}")),
            "p.yaml:9:6: error: layer 2 ('block_1') is like layer 2, which is "
            "not an earlier one");
  EXPECT_EQ(
      errorOf(replace(measuredText, "like: 1}", "like: 1, parameters: 5 B}")),
      "p.yaml:9:6: error: layer 2 ('block_1') is like layer 1, but its "
      "costs are not the same");
}
