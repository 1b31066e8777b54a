//===- LoadTest.cpp - What can be loaded, and what is said if not ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "TestDevice.h"
#include <cstdlib>
#include <dirent.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

using namespace hetero::standin;

TEST(PtxLoad, RunsAllThreads) {
  auto module = load(kernel(1, R"(
mov.u32 %r1, %ctaid.x;
mov.u32 %r2, %ntid.x;
mov.u32 %r3, %tid.x;
mad.lo.s32 %r4, %r1, %r2, %r3;
mul.wide.u32 %rd1, %r4, 4;
add.s64 %rd2, %p0, %rd1;
st.global.b32 [%rd2], %r4;
)"));
  ASSERT_TRUE(module);
  TestMemory memory;
  uint64_t address = memory.allocate(7 * 33 * 4);
  Launch launch;
  launch.grid[0] = 7;
  launch.block[0] = 33;
  launch.parameters = pack({address});
  EXPECT_EQ(run(*module, "k", memory, launch), "");
  std::vector<uint32_t> values = memory.read<uint32_t>(address);
  for (uint32_t i = 0; i < values.size(); ++i)
    EXPECT_EQ(values[i], i);
  EXPECT_EQ(module->find("other"), nullptr);
}

TEST(PtxLoad, SaysWhatIsNotKnown) {
  EXPECT_EQ(loadError(kernel(0, "wgmma.fence.sync.aligned;")),
            "line 8: 'wgmma.fence.sync.aligned': the instruction is not known");
  EXPECT_EQ(loadError(kernel(0, "add.odd.s32 %r1, %r1, 1;")),
            "line 8: 'add.odd.s32': '.odd' is not known here");
  EXPECT_EQ(loadError(kernel(0, "add.s32 %r1, %rd1, 1;")),
            "line 8: 'add.s32': '%rd1' has 64 bits, which does not fit");
  EXPECT_EQ(loadError(kernel(0, "add.s32 %r1, %r99, 1;")),
            "line 8: 'add.s32': '%r99' is not known");
  EXPECT_EQ(loadError(kernel(0, "bra $nowhere;")),
            "line 8: 'bra': the label '$nowhere' is not known");
  EXPECT_EQ(loadError(kernel(0, "add.s32 %r1 %r2;")),
            "line 8: ';' is expected and '%r2' found");
  EXPECT_EQ(loadError(kernel(0, ""), 75),
            "the text is for sm_80, and the device is sm_75");
  EXPECT_EQ(loadError(".version 8.0\n.target sm_90a\n.address_size 64\n", 100),
            "the text is for sm_90 alone, and the device is sm_100");
}
