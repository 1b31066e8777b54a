//===- MemoryTest.cpp - Spaces, addresses, atomics and races --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "TestDevice.h"

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

/// Runs a body whose %p0 is an array of 64-bit numbers; what is wrong.
static std::string runBody(const std::string &body,
                           std::vector<uint64_t> &values,
                           const std::string &before = "", uint32_t blocks = 1,
                           uint32_t threads = 1) {
  auto module = load(kernel(1, body, before));
  if (!module)
    return "not loaded";
  TestMemory memory;
  uint64_t address = memory.allocate(values);
  std::string failure =
      run(*module, "k", memory, launchOf(blocks, threads, {address}, 5));
  values = memory.read<uint64_t>(address);
  return failure;
}

TEST(PtxMemory, LoadsAndStores) {
  std::vector<uint64_t> values = {
      0x1122334455667788, 0x99aabbccddeeff00, 0, 0, 0, 0, 0, 0};
  EXPECT_EQ(runBody(R"(
ld.global.s8 %rs1, [%p0+8];
ld.global.nc.v2.b32 {%r1, %r2}, [%p0];
st.global.v2.b32 [%p0+16], {%r2, %r1};
ld.global.v4.b16 {%rs2, %rs3, %rs4, %rs5}, [%p0];
st.global.v4.b16 [%p0+24], {%rs5, %rs4, %rs3, %rs2};
ld.global.s8 %rs6, [%p0+9];
cvt.s64.s16 %rd1, %rs6;
st.global.b64 [%p0+32], %rd1;
ld.global.u8 %r3, [%p0+9];
st.global.b8 [%p0+40], %r3;
ld.global.v2.b64 {%rd2, %rd3}, [%p0];
st.global.b64 [%p0+48], %rd3;
add.s64 %rd4, %p0, 64;
ld.b32 %r4, [%rd4+-60];
st.volatile.global.b32 [%rd4-8], %r4;
)",
                    values),
            "");
  EXPECT_EQ(values[2], 0x5566778811223344u);
  EXPECT_EQ(values[3], 0x7788556633441122u);
  EXPECT_EQ(values[4], ~uint64_t(0));
  EXPECT_EQ(values[5], 0xffu);
  EXPECT_EQ(values[6], 0x99aabbccddeeff00u);
  EXPECT_EQ(values[7], 0x11223344u);
}

TEST(PtxMemory, VariablesOfAllSpaces) {
  std::vector<uint64_t> values(6);
  EXPECT_EQ(runBody(R"(
.local .align 8 .b8 own[16];
mov.b64 %rd1, table;
ld.global.b32 %r1, [%rd1+4];
cvt.u64.u32 %rd2, %r1;
st.global.b64 [%p0], %rd2;
ld.const.b16 %rs1, [few+2];
cvt.u64.u16 %rd2, %rs1;
st.global.b64 [%p0+8], %rd2;
mov.b64 %rd3, own;
cvta.local.u64 %rd4, %rd3;
st.b64 [%rd4+8], 77;
ld.local.b64 %rd5, [%rd3+8];
st.global.b64 [%p0+16], %rd5;
cvta.shared.u64 %rd6, room;
st.shared.b32 [room+4], 5;
ld.b32 %r2, [%rd6+4];
cvt.u64.u32 %rd2, %r2;
st.global.b64 [%p0+24], %rd2;
ld.global.b64 %rd7, [where];
ld.b32 %r3, [%rd7];
cvt.u64.u32 %rd2, %r3;
st.global.b64 [%p0+32], %rd2;
isspacep.shared %q1, %rd6;
isspacep.global %q2, %rd6;
selp.b64 %rd2, 1, 0, %q1;
selp.b64 %rd3, 2, 0, %q2;
or.b64 %rd2, %rd2, %rd3;
st.global.b64 [%p0+40], %rd2;
)",
                    values, R"(.global .align 4 .b32 table[3] = {1, -2, 3};
.const .align 2 .b16 few[2] = {7, 9};
.global .align 8 .u64 where[1] = {generic(table)+8};
.shared .align 4 .b8 room[8];)"),
            "");
  EXPECT_EQ(values, (std::vector<uint64_t>{0xfffffffe, 9, 77, 5, 3, 1}));
}

TEST(PtxMemory, CallsFunctions) {
  std::vector<uint64_t> values = {5, 0, 0};
  EXPECT_EQ(runBody(R"(
ld.global.b64 %rd1, [%p0];
{
.param .b64 param0;
.param .align 8 .b8 retval0[16];
st.param.b64 [param0], %rd1;
call.uni (retval0), twice, (param0);
ld.param.b64 %rd2, [retval0];
ld.param.b32 %r1, [retval0+8];
}
st.global.b64 [%p0+8], %rd2;
st.global.b32 [%p0+16], %r1;
)",
                    values, R"(
.func (.param .align 8 .b8 result[16]) twice(.param .b64 twice_0);
.func (.param .align 8 .b8 result[16]) twice(.param .b64 twice_0)
{
.reg .b64 %rd<4>;
.local .align 8 .b8 depot[8];
ld.param.b64 %rd1, [twice_0];
st.local.b64 [depot], %rd1;
ld.local.b64 %rd2, [depot];
add.s64 %rd3, %rd1, %rd2;
st.param.b64 [result], %rd3;
st.param.b32 [result+8], 9;
ret;
})"),
            "");
  EXPECT_EQ(values[1], 10u);
  EXPECT_EQ(values[2], 9u);
}

TEST(PtxMemory, BranchesByIndex) {
  std::vector<uint64_t> values = {2, 0};
  EXPECT_EQ(runBody(R"(
ld.global.b32 %r1, [%p0];
table: .branchtargets $a, $b, $c;
brx.idx %r1, table;
$a: st.global.b32 [%p0+8], 1; ret;
$b: st.global.b32 [%p0+8], 2; ret;
$c: st.global.b32 [%p0+8], 3;
)",
                    values),
            "");
  EXPECT_EQ(values[1], 3u);
}

TEST(PtxMemory, Atomics) {
  std::vector<uint64_t> values(8);
  values[1] = 0x3f80000000000001;
  values[2] = 100;
  EXPECT_EQ(runBody(R"(
mov.u32 %r1, %tid.x;
atom.global.add.u32 %r2, [%p0], 1;
red.global.add.f32 [%p0+12], 0f3F800000;
red.relaxed.gpu.global.min.s32 [%p0+16], %r1;
red.global.max.u64 [%p0+24], 12;
red.global.or.b32 [%p0+32], 6;
red.global.and.b32 [%p0+32], 3;
red.global.xor.b32 [%p0+36], 1;
atom.global.cas.b32 %r3, [%p0+40], 0, 7;
red.global.inc.u32 [%p0+44], 2;
red.global.add.noftz.f16x2 [%p0+48], %r1;
red.global.add.f64 [%p0+56], 0d3FF0000000000000;
)",
                    values, "", 1, 5),
            "");
  EXPECT_EQ(values[0], 5u);
  EXPECT_EQ(values[1] >> 32, 0x40c00000u);
  EXPECT_EQ(values[2], 0u);
  EXPECT_EQ(values[3], 12u);
  EXPECT_EQ(values[4], (uint64_t(1) << 32) | 2);
  EXPECT_EQ(values[5], (uint64_t(2) << 32) | 7);
  // Five numbers below 2^-21, exactly: 0 + 1 + 2 + 3 + 4 units.
  EXPECT_EQ(values[6], 10u);
  EXPECT_EQ(values[7], 0x4014000000000000u);
}

TEST(PtxMemory, SaysWhatIsNotAllowed) {
  std::vector<uint64_t> values(4);
  auto failure = [&](const std::string &body, const std::string &before = "") {
    std::string text = runBody(body, values, before);
    size_t begin = text.find(", line ");
    return begin == std::string::npos ? text : text.substr(begin + 2);
  };
  EXPECT_EQ(failure(".local .align 4 .b32 own[4];\nst.local.b32 [own+16], 1;"),
            "line 10 'st.local.b32 [own+16], 1;': writes 4 bytes of local "
            "memory at 0x50, which is behind its end");
  EXPECT_EQ(failure("st.shared.b32 [room+8], 1;", ".shared .b32 room[2];"),
            "line 9 'st.shared.b32 [room+8], 1;': writes 4 bytes of shared "
            "memory at 0x48, which is in none of the kernel's variables");
  EXPECT_EQ(failure("ld.shared.b32 %r1, [room];", ".shared .b32 room[2];"),
            "line 9 'ld.shared.b32 %r1, [room];': reads 4 bytes of shared "
            "memory at 0x40, which no thread of the block has written");
  EXPECT_EQ(failure("st.shared.b32 [room+2], 1;", ".shared .b32 room[2];"),
            "line 9 'st.shared.b32 [room+2], 1;': writes 4 bytes at "
            "0x42, which is not a multiple of the size");
  EXPECT_EQ(failure("mov.b64 %rd1, table;\nld.global.b64 %rd2, [%rd1+8];",
                    ".global .align 8 .b32 table[3];"),
            "line 10 'ld.global.b64 %rd2, [%rd1+8];': reads 8 bytes of the "
            "module's memory at 0x4000000000000048, which is in none of its "
            "variables");
  EXPECT_EQ(failure("ld.param.b64 %rd1, [k_0+8];"),
            "line 9 'ld.param.b64 %rd1, [k_0+8];': reads 8 bytes of parameter "
            "memory at 0x48, which is in none of the parameters");
  EXPECT_EQ(failure("trap;"), "line 9 'trap;': ends the program");
}

TEST(PtxMemoryDeathTest, OutsideOfGlobalMemory) {
  auto module = load(kernel(1, R"(
mov.u32 %r1, %tid.x;
mul.wide.u32 %rd1, %r1, 4;
add.s64 %rd2, %p0, %rd1;
st.global.b32 [%rd2], %r1;
)"));
  ASSERT_TRUE(module);
  TestMemory memory;
  uint64_t address = memory.allocate(12 * 4);
  module->find("k")->run(launchOf(1, 12, {address}), memory);
  EXPECT_EXIT(module->find("k")->run(launchOf(1, 13, {address}), memory),
              ::testing::ExitedWithCode(1),
              "kernel k, block \\(0,0,0\\), thread \\(12,0,0\\), line 13: "
              "writes outside of all memory");
  // The default says it and ends.
  module = load(kernel(0, "trap;"));
  EXPECT_EXIT(module->find("k")->run(launchOf(1, 1, {}), memory),
              ::testing::ExitedWithCode(1),
              "PTX: kernel k, block \\(0,0,0\\), thread \\(0,0,0\\), line 8 "
              "'trap;': ends the program");
}

TEST(PtxMemory, RefusesLaunches) {
  auto module = load(kernel(1, ""));
  ASSERT_TRUE(module);
  TestMemory memory;
  EXPECT_EQ(module->find("k")->getParameterSizes(), std::vector<size_t>{8});
  EXPECT_EQ(run(*module, "k", memory, launchOf(1, 1025, {0})),
            "kernel k: a block of (1025,1,1) threads in a grid of (1,1,1) is "
            "not possible");
  EXPECT_EQ(run(*module, "k", memory, launchOf(0, 1, {0})),
            "kernel k: a block of (1,1,1) threads in a grid of (0,1,1) is not "
            "possible");
  EXPECT_EQ(run(*module, "k", memory, launchOf(1, 1, {})),
            "kernel k: there are 0 bytes of parameters instead of 8");
  std::string text = kernel(0, "");
  text.replace(text.find(")\n{"), 2, ") .maxntid 16, 2, 1\n");
  module = load(text);
  EXPECT_EQ(run(*module, "k", memory, launchOf(1, 32, {})), "");
  EXPECT_EQ(run(*module, "k", memory, launchOf(1, 33, {})),
            "kernel k: a block of (33,1,1) threads in a grid of (1,1,1) is "
            "more than .maxntid (16,2,1)");
}

//===----------------------------------------------------------------------===//
// Races
//===----------------------------------------------------------------------===//

class PtxRaces : public ::testing::Test {
protected:
  void SetUp() override { setRaceChecks(true); }
  void TearDown() override { setRaceChecks(false); }

  bool hasRace(const std::string &body, uint32_t blocks, uint32_t threads,
               const std::string &before = "") {
    std::vector<uint64_t> values(64);
    std::string failure =
        runBody("mov.u32 %r1, %tid.x;\nmov.u32 %r2, %ctaid.x;\n"
                "cvt.u64.u32 %rd1, %r1;\nadd.s64 %rd2, %p0, %rd1;\n" +
                    body,
                values, before, blocks, threads);
    EXPECT_TRUE(failure.empty() ||
                failure.find("nothing orders them") != std::string::npos)
        << failure;
    return !failure.empty();
  }
};

TEST_F(PtxRaces, InGlobalMemory) {
  // The same bytes by two threads, and bytes next to each other.
  EXPECT_TRUE(hasRace("st.global.b32 [%p0], %r1;", 1, 2));
  EXPECT_TRUE(hasRace("st.global.b32 [%p0], 1;", 2, 1));
  EXPECT_FALSE(hasRace("st.global.b8 [%rd2], 1;", 1, 64));
  EXPECT_TRUE(
      hasRace("st.global.b8 [%rd2], 1; ld.global.b8 %rs1, [%rd2+1];", 1, 9));
  EXPECT_FALSE(hasRace("ld.global.b32 %r3, [%p0];", 4, 64));
  EXPECT_FALSE(hasRace("red.global.add.u32 [%p0], 1;", 4, 64));
  EXPECT_TRUE(
      hasRace("red.global.add.u32 [%p0], 1; ld.global.b32 %r3, [%p0];", 2, 1));
  // One thread writes what all have read.
  std::string last = "ld.global.b32 %r3, [%p0];\n"
                     "setp.ne.b32 %q1, %r1, 3;\n@%q1 ret;\n";
  EXPECT_TRUE(hasRace(last + "st.global.b32 [%p0], 1;", 1, 5));
}

TEST_F(PtxRaces, BarriersOrderBlocksOnlyWithin) {
  std::string text = "ld.global.b32 %r3, [%p0];\nbar.sync 0;\n"
                     "setp.ne.b32 %q1, %r1, 3;\n@%q1 ret;\n"
                     "st.global.b32 [%p0], 1;";
  EXPECT_FALSE(hasRace(text, 1, 40));
  EXPECT_TRUE(hasRace(text, 2, 40));
  std::string warp = "st.global.b32 [%p0], 1;\n";
  std::string first = "setp.ne.b32 %q1, %r1, 0;\n@%q1 bra $on;\n"
                      "st.global.b32 [%p0], 1;\n$on:\n";
  EXPECT_FALSE(
      hasRace(first + "bar.warp.sync -1;\nld.global.b32 %r3, [%p0];", 1, 32));
  EXPECT_TRUE(
      hasRace(first + "bar.warp.sync -1;\nld.global.b32 %r3, [%p0];", 1, 64));
}

TEST_F(PtxRaces, OneInstructionOfAWarpMayWriteTheSame) {
  std::string room = ".shared .b32 room[1];";
  EXPECT_FALSE(hasRace("st.shared.b32 [room], 7;", 1, 32, room));
  EXPECT_FALSE(hasRace("st.global.b32 [%p0], 7;", 1, 32));
  EXPECT_TRUE(hasRace("st.shared.b32 [room], %r1;", 1, 32, room));
  EXPECT_TRUE(hasRace("st.shared.b32 [room], 7;", 1, 33, room));
  EXPECT_TRUE(hasRace("setp.eq.b32 %q1, %r1, 0;\n"
                      "@%q1 st.shared.b32 [room], 7;\n"
                      "@!%q1 st.shared.b32 [room], 7;",
                      1, 2, room));
}

TEST_F(PtxRaces, ShufflesComeAfterWhatWasRead) {
  // As reductions do it: all lanes read, exchange and write.
  std::string begin = "ld.global.b32 %r3, [%p0];\n";
  std::string exchange = "shfl.sync.bfly.b32 %r4, %r3, 1, 31, -1;\n";
  std::string end = "st.global.b32 [%p0], 7;\n";
  EXPECT_TRUE(hasRace(begin + end, 1, 32));
  EXPECT_FALSE(hasRace(begin + exchange + end, 1, 32));
  // They are no barriers for what was written.
  std::string first = "mov.b32 %r3, 0;\nsetp.ne.b32 %q1, %r1, 0;\n"
                      "@%q1 bra $on;\nst.global.b32 [%p0], 1;\n$on:\n";
  EXPECT_TRUE(hasRace(first + exchange + begin, 1, 32));
}

TEST_F(PtxRaces, WhatIsReadAsReadOnlyIsNotWritten) {
  EXPECT_TRUE(
      hasRace("ld.global.nc.b32 %r3, [%p0];\nst.global.b32 [%p0], 1;", 1, 1));
  EXPECT_TRUE(
      hasRace("st.global.b32 [%p0], 1;\nld.global.nc.b32 %r3, [%p0];", 1, 1));
  EXPECT_FALSE(hasRace("ld.global.nc.b32 %r3, [%p0];\n"
                       "st.global.b8 [%rd2+8], 1;",
                       1, 8));
}
