//===- SessionTest.cpp - Tests of the executor ----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Programs.h"
#include "hetero/Runtime/Hooks.h"
#include "gtest/gtest.h"
#include <atomic>
#include <cstring>
#include <thread>

using namespace hetero::runtime;

/// The error of a group whose creation fails, else "".
static std::string
getError(const Result<std::unique_ptr<ProgramGroup>> &group) {
  return group ? "" : group.error();
}

static std::unique_ptr<ProgramGroup>
makeGroup(std::vector<RankSetup> setups, CommunicatorOptions options = {}) {
  size_t size = setups.size();
  auto group = ProgramGroup::create(std::move(setups),
                                    createThreadsTransports(size), options);
  EXPECT_EQ(getError(group), "");
  return group ? std::move(*group) : nullptr;
}

/// weights (4) and batch (n x 4) -> gradient (4): the sum of the rows.
template <int64_t n>
static void sumRows(void **buffers) {
  const auto *batch = static_cast<const float *>(buffers[0]);
  auto *gradient = static_cast<float *>(buffers[1]);
  for (int64_t j = 0; j < 4; ++j) {
    gradient[j] = 0;
    for (int64_t i = 0; i < n; ++i)
      gradient[j] += batch[i * 4 + j];
  }
}

/// weights, gradient -> weights - gradient
static void subtract(void **buffers) {
  const auto *weights = static_cast<const float *>(buffers[0]);
  const auto *gradient = static_cast<const float *>(buffers[1]);
  auto *updated = static_cast<float *>(buffers[2]);
  for (int64_t i = 0; i < 4; ++i)
    updated[i] = weights[i] - gradient[i];
}

/// Data parallel: `rows` of the batch from `begin`, as rank `rank` of two.
static RankSetup makeDataParallel(int64_t rank, int64_t begin, int64_t rows,
                                  bool started) {
  ProgramBuilder builder(rank);
  BufferId weights = builder.argument(0, f32({4}));
  BufferId batch = builder.argument(1, f32({rows, 4}),
                                    {{{{begin, begin + rows}}, {{0, 4}}}});
  BufferId gradient = builder.buffer(f32({4})), sum = builder.buffer(f32({4}));
  BufferId updated = builder.buffer(f32({4}));
  builder.call("sum", {batch}, {gradient}, "backward 0");
  builder.free({batch});
  Instruction &reduce =
      builder.add(Opcode::AllReduce, {gradient}, {sum}, "reduce");
  reduce.group = {0, 1};
  reduce.started = started;
  if (started)
    builder.wait(2);
  builder.free({gradient});
  builder.call("update", {weights, sum}, {updated}, "update");
  builder.free({weights, sum});
  builder.result(0, updated);
  RankSetup setup;
  setup.program = builder.program;
  setup.kernels = {rows == 3 ? sumRows<3> : sumRows<2>, subtract};
  return setup;
}

TEST(RuntimeSessionTest, trainsDataParallel) {
  for (bool started : {false, true}) {
    auto group = makeGroup({makeDataParallel(0, 0, 2, started),
                            makeDataParallel(1, 2, 3, started)});
    ASSERT_TRUE(group);
    std::vector<float> weights = {100, 200, 300, 400}, batch(20), result(4);
    for (size_t i = 0; i < batch.size(); ++i)
      batch[i] = i;
    ASSERT_EQ(group->setArgument(0, weights.data(), f32({4})), std::nullopt);
    ASSERT_EQ(group->carry(0, 0), std::nullopt);
    for (int step = 0; step < 5; ++step) {
      ASSERT_EQ(group->setArgument(1, batch.data(), f32({5, 4})), std::nullopt);
      ASSERT_EQ(group->step(), std::nullopt);
    }
    ASSERT_EQ(group->getResult(0, result.data(), f32({4})), std::nullopt);
    EXPECT_EQ(result, (std::vector<float>{-100, -25, 50, 125}));
    // Weights and the result of the last step, nothing else.
    EXPECT_EQ(group->getSession(0).getDevice().getLiveBytes(), 16);
  }
}

TEST(RuntimeSessionTest, holdsArgumentsUnlessTheyAreDonated) {
  for (bool donating : {true, false}) {
    ProgramBuilder builder(0);
    BufferId weights = builder.argument(0, f32({4}));
    BufferId gradient = builder.argument(1, f32({4}));
    BufferId updated = builder.buffer(f32({4}));
    BufferId again = builder.buffer(f32({4}));
    builder.call("first", {weights, gradient}, {updated}, "first");
    builder.free({weights});
    builder.call("second", {updated, gradient}, {again}, "second");
    builder.free({updated, gradient});
    builder.result(0, again);
    RankSetup setup;
    setup.program = builder.program;
    setup.kernels = {subtract, subtract};
    auto group = makeGroup({setup});
    ASSERT_TRUE(group);
    group->setDonating(donating);
    std::vector<float> values = {10, 20, 30, 40}, step = {1, 2, 3, 4},
                       result(4);
    ASSERT_EQ(group->carry(0, 0), std::nullopt);
    ASSERT_EQ(group->setArgument(0, values.data(), f32({4})), std::nullopt);
    for (int i = 0; i < 2; ++i) {
      ASSERT_EQ(group->setArgument(1, step.data(), f32({4})), std::nullopt);
      ASSERT_EQ(group->step(), std::nullopt);
    }
    ASSERT_EQ(group->getResult(0, result.data(), f32({4})), std::nullopt);
    EXPECT_EQ(result, (std::vector<float>{6, 12, 18, 24}));
    EXPECT_EQ(group->getSession(0).getDevice().getPeakBytes(),
              donating ? 48 : 64);
    EXPECT_EQ(group->getSession(0).getDevice().getLiveBytes(), 16);
  }
}

TEST(RuntimeSessionTest, wantsAllArguments) {
  auto group = makeGroup(
      {makeDataParallel(0, 0, 2, false), makeDataParallel(1, 2, 3, false)});
  ASSERT_TRUE(group);
  std::vector<float> weights(4);
  ASSERT_EQ(group->setArgument(0, weights.data(), f32({4})), std::nullopt);
  MaybeError error = group->step();
  ASSERT_TRUE(error);
  EXPECT_NE(error->find("argument 1 of the step"), std::string::npos) << *error;
  EXPECT_NE(error->find("has no value for step 0"), std::string::npos);
  std::vector<float> samples(12);
  EXPECT_EQ(group->setArgument(1, samples.data(), f32({3, 4})),
            "argument 1: tensor 3x4xf32 has 3 indices in dimension 0 where the "
            "program uses 5");
}

TEST(RuntimeSessionTest, rejectsInvalidPrograms) {
  RankSetup setup = makeDataParallel(0, 0, 2, false);
  setup.program.instructions.pop_back();
  setup.program.instructions.back().results[0] = 1;
  EXPECT_EQ(getError(ProgramGroup::create({setup}, createThreadsTransports(1))),
            "program of rank 0 is not valid: instruction 4 (call 'update') "
            "writes buffer 1, which is an argument");
  setup = makeDataParallel(0, 0, 2, false);
  EXPECT_EQ(getError(ProgramGroup::create({setup}, createThreadsTransports(1))),
            "program of rank 0: 'reduce' is with rank 1 of 1");
  setup.kernels.pop_back();
  EXPECT_EQ(getError(ProgramGroup::create({setup}, createThreadsTransports(1))),
            "program of rank 0 has 2 kernels, and 1 are given");
}

static void addOne(void **buffers) {
  const auto *from = static_cast<const float *>(buffers[0]);
  auto *to = static_cast<float *>(buffers[1]);
  to[0] = from[0] + 1;
}

/// Stage `rank` of `size`: each adds one and passes it on; the last has the
/// result. Two microbatches, with sends in front of the receives.
static RankSetup makeStage(int64_t rank, int64_t size, bool started) {
  ProgramBuilder builder(rank);
  std::vector<BufferId> outputs;
  RankSetup setup;
  for (int64_t micro = 0; micro < 2; ++micro) {
    std::string number = " " + std::to_string(micro);
    BufferId input;
    if (rank == 0) {
      input = builder.argument(0, f32({1}), {{{{micro, micro + 1}}}});
    } else {
      input = builder.buffer(f32({1}));
      builder.add(Opcode::Recv, {}, {input}, "recv" + number).peer = rank - 1;
    }
    BufferId output = builder.buffer(f32({1}));
    builder.call("add", {input}, {output}, "forward" + number);
    setup.kernels.push_back(addOne);
    builder.free({input});
    if (rank + 1 == size) {
      builder.result(0, output, {{{{micro, micro + 1}}}});
      continue;
    }
    Instruction &send =
        builder.add(Opcode::Send, {output}, {}, "send" + number);
    send.peer = rank + 1;
    send.started = started;
    if (started)
      builder.wait(builder.program.instructions.size() - 1);
    builder.free({output});
  }
  setup.program = builder.program;
  return setup;
}

TEST(RuntimeSessionTest, runsPipelines) {
  for (bool started : {false, true}) {
    auto group = makeGroup({makeStage(0, 3, started), makeStage(1, 3, started),
                            makeStage(2, 3, started)});
    ASSERT_TRUE(group);
    std::vector<float> input = {10, 20}, output(2);
    for (int step = 0; step < 20; ++step) {
      ASSERT_EQ(group->setArgument(0, input.data(), f32({2})), std::nullopt);
      ASSERT_EQ(group->step(), std::nullopt);
    }
    ASSERT_EQ(group->getResult(0, output.data(), f32({2})), std::nullopt);
    EXPECT_EQ(output, (std::vector<float>{13, 23}));
  }
}

TEST(RuntimeSessionTest, bothSendFirst) {
  // Sends do not wait for receivers, whatever the size.
  int64_t size = 1 << 20;
  std::vector<RankSetup> setups(2);
  for (int64_t rank = 0; rank < 2; ++rank) {
    ProgramBuilder builder(rank);
    BufferId mine = builder.argument(rank, f32({size}));
    BufferId theirs = builder.buffer(f32({size}));
    builder.add(Opcode::Send, {mine}, {}, "send").peer = 1 - rank;
    builder.free({mine});
    builder.add(Opcode::Recv, {}, {theirs}, "recv").peer = 1 - rank;
    builder.result(1 - rank, theirs);
    setups[rank].program = builder.program;
  }
  auto group = makeGroup(std::move(setups));
  ASSERT_TRUE(group);
  std::vector<float> zero(size, 3), one(size, 4), result(size);
  ASSERT_EQ(group->setArgument(0, zero.data(), f32({size})), std::nullopt);
  ASSERT_EQ(group->setArgument(1, one.data(), f32({size})), std::nullopt);
  ASSERT_EQ(group->step(), std::nullopt);
  ASSERT_EQ(group->getResult(1, result.data(), f32({size})), std::nullopt);
  EXPECT_EQ(result, one);
}

/// One rank that keeps argument 0, accumulates into a constant, and gives
/// argument 1 back twice.
static RankSetup makeLocal() {
  ProgramBuilder builder(0);
  BufferId kept = builder.argument(0, f32({1}));
  BufferId passed = builder.argument(1, f32({1}));
  BufferId also = builder.argument(2, f32({1}));
  BufferId sum = builder.buffer(f32({1}));
  builder.add(Opcode::Constant, {}, {sum}, "zero").constant = 0;
  builder.add(Opcode::Accumulate, {kept, sum}, {}, "accumulate 0");
  builder.add(Opcode::Accumulate, {also, sum}, {}, "accumulate 1");
  builder.free({kept, also});
  builder.result(0, sum);
  builder.result(1, passed);
  builder.result(2, passed);
  float start = 0.5;
  builder.program.constants.emplace_back(sizeof(start));
  std::memcpy(builder.program.constants[0].data(), &start, sizeof(start));
  RankSetup setup;
  setup.program = builder.program;
  return setup;
}

TEST(RuntimeSessionTest, keepsAndCarries) {
  auto group = makeGroup({makeLocal()});
  ASSERT_TRUE(group);
  Session &session = group->getSession(0);
  float kept = 10, passed = 3, also = 100;
  ASSERT_EQ(session.setArgument(0, &kept), std::nullopt);
  ASSERT_EQ(session.setArgument(1, &passed), std::nullopt);
  ASSERT_EQ(session.setArgument(2, &also), std::nullopt);
  ASSERT_EQ(session.keep(0), std::nullopt);
  ASSERT_EQ(session.carry(1, 1), std::nullopt);
  ASSERT_EQ(session.carry(2, 2), std::nullopt);
  EXPECT_EQ(session.getResult(0), nullptr);
  auto result = [&](size_t i) {
    return *static_cast<const float *>(session.getResult(i));
  };
  ASSERT_EQ(group->step(), std::nullopt);
  EXPECT_EQ(result(0), 110.5f);
  // One buffer goes to two arguments.
  ASSERT_EQ(group->step(), std::nullopt);
  EXPECT_EQ(result(0), 13.5f);
  ASSERT_EQ(group->step(), std::nullopt);
  EXPECT_EQ(result(0), 13.5f);
  EXPECT_EQ(result(1), 3.0f);
  // What is set has precedence.
  ASSERT_EQ(session.setArgument(2, &also), std::nullopt);
  ASSERT_EQ(group->step(), std::nullopt);
  EXPECT_EQ(result(0), 110.5f);
  EXPECT_EQ(session.getDevice().getLiveBytes(), 12);
}

/// weights, gradient -> weights - gradient, in the memory of the weights: the
/// buffer of the result is not looked at.
static void subtractInPlace(void **buffers) {
  auto *weights = static_cast<float *>(buffers[0]);
  const auto *gradient = static_cast<const float *>(buffers[1]);
  for (int64_t i = 0; i < 4; ++i)
    weights[i] -= gradient[i];
}

TEST(RuntimeSessionTest, updatesInPlace) {
  for (bool isKept : {false, true}) {
    ProgramBuilder builder(0);
    BufferId weights = builder.argument(0, f32({4}));
    BufferId gradient = builder.argument(1, f32({4}));
    BufferId updated = builder.buffer(f32({4}));
    builder.call("update", {weights, gradient}, {updated}, "update");
    builder.free({weights, gradient});
    builder.result(0, updated);
    RankSetup setup;
    setup.program = builder.program;
    setup.kernels = {subtractInPlace};
    setup.inPlace = {{{0, 0}}};
    std::vector<RankSetup> setups;
    setups.push_back(std::move(setup));
    auto group = makeGroup(std::move(setups));
    ASSERT_TRUE(group);
    std::vector<float> start = {10, 20, 30, 40}, change = {1, 2, 3, 4};
    std::vector<float> result(4);
    ASSERT_EQ(group->setArgument(0, start.data(), f32({4})), std::nullopt);
    ASSERT_EQ(isKept ? group->keep(0) : group->carry(0, 0), std::nullopt);
    for (int step = 0; step < 3; ++step) {
      ASSERT_EQ(group->setArgument(1, change.data(), f32({4})), std::nullopt);
      ASSERT_EQ(group->step(), std::nullopt);
    }
    ASSERT_EQ(group->getResult(0, result.data(), f32({4})), std::nullopt);
    // An argument that is kept starts every step from the same values.
    EXPECT_EQ(result, isKept ? (std::vector<float>{9, 18, 27, 36})
                             : (std::vector<float>{7, 14, 21, 28}));
    // Two buffers at a time, three with the one that is kept.
    EXPECT_EQ(group->getSession(0).getDevice().getPeakBytes(),
              isKept ? 48 : 32);
  }
}

TEST(RuntimeSessionTest, carryWantsEqualParts) {
  RankSetup setup = makeStage(0, 1, false);
  auto group = makeGroup({setup});
  ASSERT_TRUE(group);
  EXPECT_EQ(group->getSession(0).carry(1, 0),
            "result 0 and argument 0 of the step (binding 0 of rank 0) are "
            "different parts of their tensors");
  EXPECT_EQ(group->carry(0, 0), std::nullopt);
}

TEST(RuntimeSessionTest, stopsAtTheCap) {
  std::vector<RankSetup> setups = {makeDataParallel(0, 0, 2, false),
                                   makeDataParallel(1, 2, 3, false)};
  setups[1].memoryCap = 79;
  setups[1].deviceName = "t4";
  auto group = makeGroup(std::move(setups));
  ASSERT_TRUE(group);
  std::vector<float> weights(4), batch(20);
  ASSERT_EQ(group->setArgument(0, weights.data(), f32({4})), std::nullopt);
  ASSERT_EQ(group->setArgument(1, batch.data(), f32({5, 4})), std::nullopt);
  // Rank 0, which waits for the all-reduce, ends with the same error.
  EXPECT_EQ(group->step(),
            "rank 1: instruction 0 (call 'backward 0'): device 't4' is out of "
            "memory: 'backward 0: 4xf32' asks for 16 B, 64 B of 79 B are in "
            "use; the largest: 48 B 'argument 1: 3x4xf32', 16 B 'argument 0: "
            "4xf32'");
}

static void wasteful(void **buffers) {
  hetero_workspace_free(hetero_workspace_alloc(1000));
  addOne(buffers);
}

TEST(RuntimeSessionTest, stopsAfterAWastefulKernel) {
  RankSetup setup = makeStage(0, 1, false);
  setup.kernels = {wasteful, addOne};
  setup.memoryCap = 500;
  auto group = makeGroup({setup});
  ASSERT_TRUE(group);
  std::vector<float> input(2);
  ASSERT_EQ(group->setArgument(0, input.data(), f32({2})), std::nullopt);
  MaybeError error = group->step();
  ASSERT_TRUE(error);
  EXPECT_EQ(error->rfind("rank 0: instruction 0 (call 'forward 0'): device "
                         "'cpu' is out of memory: 'temporary of a kernel' asks "
                         "for ",
                         0),
            0u)
      << *error;
}

TEST(RuntimeSessionTest, aMissingSendIsNamed) {
  std::vector<RankSetup> setups = {makeStage(0, 2, false),
                                   makeStage(1, 2, false)};
  // The second send is on another channel.
  for (Instruction &what : setups[0].program.instructions)
    if (what.label == "send 1")
      what.channel = 5;
  CommunicatorOptions options;
  options.patience = std::chrono::milliseconds(300);
  auto group = makeGroup(std::move(setups), options);
  ASSERT_TRUE(group);
  std::vector<float> input(2);
  ASSERT_EQ(group->setArgument(0, input.data(), f32({2})), std::nullopt);
  EXPECT_EQ(group->step(),
            "rank 1 waits for 'recv 1' (recv) from rank 0 on channel 0 for 0 "
            "s; rank 0 was last seen executing 'end of step 0'");
  // The run has ended.
  EXPECT_TRUE(group->step());
}

TEST(RuntimeSessionTest, sizesOfMessagesMustAgree) {
  std::vector<RankSetup> setups = {makeStage(0, 2, false),
                                   makeStage(1, 2, false)};
  setups[1].program.buffers[0] = f32({2});
  auto group = makeGroup(std::move(setups));
  ASSERT_TRUE(group);
  std::vector<float> input(2);
  ASSERT_EQ(group->setArgument(0, input.data(), f32({2})), std::nullopt);
  EXPECT_EQ(group->step(), "rank 1 expects 8 bytes from rank 0, which sent 4");
}

static std::atomic<bool> isReleased{false};

static void stuck(void **) {
  while (!isReleased)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

TEST(RuntimeSessionTest, aStuckKernelIsNamed) {
  std::vector<RankSetup> setups = {makeStage(0, 2, false),
                                   makeStage(1, 2, false)};
  setups[0].kernels[1] = stuck;
  CommunicatorOptions options;
  options.patience = std::chrono::milliseconds(300);
  auto group = makeGroup(std::move(setups), options);
  ASSERT_TRUE(group);
  std::vector<float> input(2);
  ASSERT_EQ(group->setArgument(0, input.data(), f32({2})), std::nullopt);
  MaybeError error = group->step();
  isReleased = true;
  EXPECT_EQ(error,
            "rank 1 waits for 'recv 1' (recv) from rank 0 on channel 0 for 0 "
            "s; rank 0 was last seen executing 'forward 1'; rank 0 is still "
            "executing 'forward 1'");
}
