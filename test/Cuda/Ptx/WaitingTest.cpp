//===- WaitingTest.cpp - Barriers, warps and what goes wrong --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "TestDevice.h"
#include <set>

using namespace hetero::standin;

static Launch launchOf(uint32_t blocks, uint32_t threads,
                       std::vector<uint64_t> parameters, uint64_t seed = 0) {
  Launch launch;
  launch.grid[0] = blocks;
  launch.block[0] = threads;
  launch.parameters = pack(parameters);
  launch.seed = seed;
  return launch;
}

static bool contains(const std::string &text, const std::string &part) {
  return text.find(part) != std::string::npos;
}

/// Each thread writes its number to shared memory and reads the next one's.
static std::string exchange(const std::string &between) {
  return kernel(1, R"(
mov.u32 %r1, %tid.x;
mov.u32 %r2, %ntid.x;
mul.wide.u32 %rd1, %r1, 4;
mov.b64 %rd2, room;
add.s64 %rd3, %rd2, %rd1;
st.shared.b32 [%rd3], %r1;
)" + between + R"(
add.s32 %r3, %r1, 1;
rem.u32 %r3, %r3, %r2;
mul.wide.u32 %rd4, %r3, 4;
add.s64 %rd5, %rd2, %rd4;
ld.shared.b32 %r4, [%rd5];
add.s64 %rd6, %p0, %rd1;
st.global.b32 [%rd6], %r4;
)",
                ".shared .align 4 .b8 room[256];");
}

TEST(PtxWaiting, BarriersOrderThreads) {
  auto module = load(exchange("bar.sync 0;"));
  ASSERT_TRUE(module);
  setRaceChecks(true);
  for (uint64_t seed = 0; seed < 20; ++seed) {
    TestMemory memory;
    uint64_t address = memory.allocate(64 * 4);
    EXPECT_EQ(run(*module, "k", memory, launchOf(1, 64, {address}, seed)), "");
    std::vector<uint32_t> values = memory.read<uint32_t>(address);
    for (uint32_t i = 0; i < 64; ++i)
      EXPECT_EQ(values[i], (i + 1) % 64);
  }
  setRaceChecks(false);
}

TEST(PtxWaiting, MissingBarriersShow) {
  // Nobody has written what is read, in most orders.
  auto module = load(exchange(""));
  ASSERT_TRUE(module);
  TestMemory memory;
  uint64_t address = memory.allocate(64 * 4);
  std::string failure =
      run(*module, "k", memory, launchOf(1, 64, {address}, 1));
  EXPECT_TRUE(contains(failure, "kernel k, block (0,0,0), thread ("));
  EXPECT_TRUE(contains(failure, "line 21 'ld.shared.b32 %r4, [%rd5];'"))
      << failure;
  EXPECT_TRUE(contains(failure, "which no thread of the block has written"));
}

/// Everybody reads what thread 0 writes, after it was 7 for all.
static std::string overwrite(const std::string &between) {
  return kernel(1, R"(
mov.u32 %r1, %tid.x;
setp.ne.b32 %q1, %r1, 0;
@%q1 bra $first;
st.shared.b32 [room], 7;
$first:
bar.sync 0;
@%q1 bra $second;
st.shared.b32 [room], 8;
$second:
)" + between + R"(
ld.shared.b32 %r4, [room];
mul.wide.u32 %rd1, %r1, 4;
add.s64 %rd6, %p0, %rd1;
st.global.b32 [%rd6], %r4;
)",
                ".shared .align 4 .b8 room[4];");
}

TEST(PtxWaiting, MissingBarriersGiveWrongValuesForSomeSeeds) {
  auto module = load(overwrite(""));
  ASSERT_TRUE(module);
  std::set<bool> right;
  for (uint64_t seed = 0; seed < 40; ++seed) {
    TestMemory memory;
    uint64_t address = memory.allocate(2 * 4);
    EXPECT_EQ(run(*module, "k", memory, launchOf(1, 2, {address}, seed)), "");
    right.insert(memory.read<uint32_t>(address)[1] == 8);
  }
  EXPECT_EQ(right.size(), 2u);
  setRaceChecks(true);
  for (uint64_t seed = 0; seed < 10; ++seed) {
    TestMemory memory;
    uint64_t address = memory.allocate(2 * 4);
    std::string failure =
        run(*module, "k", memory, launchOf(1, 2, {address}, seed));
    EXPECT_TRUE(contains(failure, "and nothing orders them")) << failure;
    EXPECT_TRUE(contains(failure, "line 17 'st.shared.b32 [room], 8;'"));
    EXPECT_TRUE(contains(failure, "line 20 'ld.shared.b32 %r4, [room];'"));
  }
  module = load(overwrite("bar.sync 0;"));
  TestMemory memory;
  uint64_t address = memory.allocate(2 * 4);
  EXPECT_EQ(run(*module, "k", memory, launchOf(1, 2, {address}, 3)), "");
  setRaceChecks(false);
}

TEST(PtxWaiting, BarriersThatSomeNeverReach) {
  auto module = load(kernel(0, R"(
mov.u32 %r1, %tid.x;
setp.eq.b32 %q1, %r1, 5;
@%q1 bra $end;
bar.sync 0;
$end:
)"));
  ASSERT_TRUE(module);
  TestMemory memory;
  std::string failure = run(*module, "k", memory, launchOf(2, 64, {}));
  EXPECT_TRUE(contains(failure, "line 12 'bar.sync 0;': waits for thread "
                                "(5,0,0), which has ended"))
      << failure;
}

TEST(PtxWaiting, DivergentBarriers) {
  // As many barriers for all, but not the same ones within a warp.
  std::string text = kernel(0, R"(
mov.u32 %r1, %tid.x;
setp.lt.u32 %q1, %r1, $COUNT;
@%q1 bra $other;
bar.sync 0;
bra $end;
$other:
bar.sync 0;
$end:
)");
  auto with = [&](const std::string &count) {
    std::string result = text;
    return result.replace(result.find("$COUNT"), 6, count);
  };
  TestMemory memory;
  std::string failure = run(*load(with("5")), "k", memory, launchOf(1, 64, {}));
  EXPECT_TRUE(contains(failure, "of the same warp waits at another barrier"))
      << failure;
  // Warps may.
  EXPECT_EQ(run(*load(with("32")), "k", memory, launchOf(1, 64, {})), "");
}

static std::string shuffle(const std::string &instruction) {
  return kernel(1, R"(
mov.u32 %r1, %tid.x;
setp.eq.b32 %q1, 0, 0;
mov.b32 %r2, -1;
)" + instruction + R"(
mul.wide.u32 %rd1, %r1, 8;
add.s64 %rd6, %p0, %rd1;
st.global.b32 [%rd6], %r4;
selp.b32 %r5, 1, 0, %q1;
st.global.b32 [%rd6+4], %r5;
)");
}

TEST(PtxWaiting, ShufflesInAllModes) {
  struct Mode {
    const char *text;
    int32_t (*lane)(int32_t own, bool &isInside);
  };
  // Segments of 8 lanes are 0x1807; of 32, 31; up has 0 in the lower bits.
  const Mode modes[] = {
      {"bfly.b32 %r4|%q1, %r1, 3, 31, -1;",
       [](int32_t own, bool &) { return own ^ 3; }},
      {"up.b32 %r4|%q1, %r1, 5, 0, -1;",
       [](int32_t own, bool &isInside) {
         isInside = own >= 5;
         return isInside ? own - 5 : own;
       }},
      {"down.b32 %r4|%q1, %r1, 5, 31, %r2;",
       [](int32_t own, bool &isInside) {
         isInside = own + 5 < 32;
         return isInside ? own + 5 : own;
       }},
      {"idx.b32 %r4|%q1, %r1, 9, 31, -1;", [](int32_t, bool &) { return 9; }},
      {"idx.b32 %r4|%q1, %r1, 2, 0x1807, -1;",
       [](int32_t own, bool &) { return (own & ~7) + 2; }},
      {"down.b32 %r4|%q1, %r1, 1, 0x1807, -1;",
       [](int32_t own, bool &isInside) {
         isInside = own % 8 != 7;
         return isInside ? own + 1 : own;
       }},
      {"up.b32 %r4|%q1, %r1, 1, 0x1800, -1;",
       [](int32_t own, bool &isInside) {
         isInside = own % 8 != 0;
         return isInside ? own - 1 : own;
       }},
      {"bfly.b32 %r4|%q1, %r1, 8, 0x1807, -1;",
       [](int32_t own, bool &isInside) {
         isInside = (own ^ 8) <= (own & ~7) + 7;
         return isInside ? own ^ 8 : own;
       }},
  };
  for (const Mode &mode : modes) {
    auto module = load(shuffle(std::string("shfl.sync.") + mode.text));
    ASSERT_TRUE(module);
    TestMemory memory;
    uint64_t address = memory.allocate(64 * 8);
    EXPECT_EQ(run(*module, "k", memory, launchOf(1, 64, {address}, 4)), "");
    std::vector<uint32_t> values = memory.read<uint32_t>(address);
    for (int32_t i = 0; i < 64; ++i) {
      bool isInside = true;
      int32_t lane = mode.lane(i % 32, isInside);
      EXPECT_EQ(int32_t(values[2 * i]), i / 32 * 32 + lane)
          << mode.text << " of " << i;
      EXPECT_EQ(values[2 * i + 1], isInside) << mode.text << " of " << i;
    }
  }
}

static std::string failureOf(const std::string &text, uint32_t threads) {
  auto module = load(text);
  if (!module)
    return "";
  TestMemory memory;
  uint64_t address = memory.allocate(1024 * 8);
  return run(*module, "k", memory, launchOf(1, threads, {address}, 2));
}

TEST(PtxWaiting, WrongMasks) {
  std::string all = "shfl.sync.bfly.b32 %r4, %r1, 1, 31, -1;";
  EXPECT_EQ(failureOf(shuffle(all), 32), "");
  std::string failure = failureOf(shuffle(all), 20);
  EXPECT_TRUE(contains(failure, "line 13 'shfl.sync.bfly.b32 %r4, %r1, 1, 31, "
                                "-1;': waits for lane 20, which is in the mask "
                                "but not in the block"))
      << failure;
  std::string ended = "setp.eq.b32 %q2, %r1, 3;\n@%q2 ret;\n" + all;
  EXPECT_TRUE(contains(failureOf(shuffle(ended), 32),
                       "waits for lane 3, which is in the mask and has ended"));
  std::string elsewhere = "setp.eq.b32 %q2, %r1, 3;\n@%q2 bra $there;\n" + all +
                          "\nbra $end;\n$there:\nbar.sync 0;\n$end:";
  EXPECT_TRUE(contains(failureOf(shuffle(elsewhere), 32),
                       "waits for lane 3, which is in the mask and waits "
                       "elsewhere, in line 18 'bar.sync 0;'"));
  std::string outside = "shfl.sync.bfly.b32 %r4, %r1, 1, 31, 0xffff;";
  EXPECT_TRUE(
      contains(failureOf(shuffle(outside), 32), "its lane is not in the mask"));
  std::string inactive = "setp.ge.u32 %q2, %r1, 16;\n@%q2 bra $end;\n"
                         "shfl.sync.idx.b32 %r4, %r1, 20, 31, 0xffff;\n$end:";
  EXPECT_TRUE(contains(failureOf(shuffle(inactive), 32),
                       "reads lane 20, which is not in the mask"));
}

TEST(PtxWaiting, WarpsVoteMatchAndReduce) {
  struct Case {
    const char *text;
    uint32_t expected;
  };
  const Case cases[] = {
      {"setp.lt.u32 %q2, %r1, 4; vote.sync.ballot.b32 %r4, %q2, -1;", 0xf},
      {"setp.lt.u32 %q2, %r1, 4; vote.sync.any.pred %q3, %q2, -1;"
       "selp.b32 %r4, 1, 0, %q3;",
       1},
      {"setp.lt.u32 %q2, %r1, 4; vote.sync.all.pred %q3, !%q2, -1;"
       "selp.b32 %r4, 1, 0, %q3;",
       0},
      {"setp.lt.u32 %q2, %r1, 99; vote.sync.uni.pred %q3, %q2, -1;"
       "selp.b32 %r4, 1, 0, %q3;",
       1},
      {"and.b32 %r3, %r1, 16; match.any.sync.b32 %r4, %r3, -1;"
       "shfl.sync.idx.b32 %r4, %r4, 0, 31, -1;",
       0xffff},
      {"match.all.sync.b32 %r4|%q1, %r2, -1;", 0xffffffff},
      {"redux.sync.add.s32 %r4, %r1, -1;", 496},
      {"redux.sync.max.u32 %r4, %r1, -1;", 31},
      {"sub.s32 %r3, 5, %r1; redux.sync.min.s32 %r4, %r3, -1;", 0xffffffe6},
      {"redux.sync.xor.b32 %r4, %r1, -1; bar.warp.sync -1;", 0},
  };
  for (const Case &each : cases) {
    auto module = load(shuffle(each.text));
    ASSERT_TRUE(module);
    TestMemory memory;
    uint64_t address = memory.allocate(32 * 8);
    EXPECT_EQ(run(*module, "k", memory, launchOf(1, 32, {address}, 4)), "");
    std::vector<uint32_t> values = memory.read<uint32_t>(address);
    for (int i = 0; i < 32; ++i)
      EXPECT_EQ(values[2 * i], each.expected) << each.text;
  }
}

TEST(PtxWaiting, BlocksAndThreadsComeInAnyOrder) {
  auto module = load(kernel(1, R"(
mov.u32 %r1, %tid.x;
mov.u32 %r2, %ctaid.x;
mad.lo.u32 %r3, %r2, 4, %r1;
atom.global.exch.b32 %r4, [%p0], %r3;
mul.wide.u32 %rd1, %r3, 4;
add.s64 %rd2, %p0, %rd1;
st.global.b32 [%rd2+4], %r4;
)"));
  ASSERT_TRUE(module);
  std::set<std::vector<uint32_t>> orders;
  for (uint64_t seed = 0; seed < 10; ++seed) {
    TestMemory memory;
    uint64_t address = memory.allocate(9 * 4);
    EXPECT_EQ(run(*module, "k", memory, launchOf(2, 4, {address}, seed)), "");
    orders.insert(memory.read<uint32_t>(address));
  }
  EXPECT_GT(orders.size(), 5u);
}
