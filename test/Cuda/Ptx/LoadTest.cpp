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

//===----------------------------------------------------------------------===//
// What has been compiled is kept
//===----------------------------------------------------------------------===//

static std::vector<std::string> filesOf(const std::string &path) {
  std::vector<std::string> files;
  DIR *directory = opendir(path.c_str());
  while (dirent *entry = readdir(directory))
    if (entry->d_name[0] != '.')
      files.push_back(entry->d_name);
  closedir(directory);
  return files;
}

namespace {

class PtxCache : public ::testing::Test {
protected:
  void SetUp() override {
    path = ::testing::TempDir() + "ptx-cache-" + std::to_string(getpid());
    setenv("HETERO_PTX_CACHE", path.c_str(), 1);
  }
  void TearDown() override {
    unsetenv("HETERO_PTX_CACHE");
    unsetenv("HETERO_PTX_COMPILER");
    for (const std::string &file : filesOf(path))
      unlink((path + "/" + file).c_str());
    rmdir(path.c_str());
  }

  std::string path;
};

} // namespace

TEST_F(PtxCache, KeepsWhatHasBeenCompiled) {
  std::string one = kernel(0, ""), two = kernel(0, "mov.b32 %r1, 1;");
  ASSERT_TRUE(load(one));
  std::vector<std::string> files = filesOf(path);
  ASSERT_EQ(files.size(), 1u);
  struct stat status;
  ASSERT_EQ(stat(path.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0700u);
  ASSERT_TRUE(load(one));
  EXPECT_EQ(filesOf(path), files);
  ASSERT_TRUE(load(two));
  EXPECT_EQ(filesOf(path).size(), 2u);
}

TEST_F(PtxCache, SeveralMayWriteIt) {
  std::vector<std::thread> threads;
  std::string text = kernel(0, "mov.b32 %r1, 2;");
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] { EXPECT_TRUE(load(text)); });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(filesOf(path).size(), 1u);
}

TEST_F(PtxCache, BelongsToItsOwner) {
  mkdir(path.c_str(), 0700);
  chmod(path.c_str(), 0777);
  EXPECT_EQ(loadError(kernel(0, "")),
            path + ": it is not a directory that only its owner can use");
}

TEST_F(PtxCache, HasACompiler) {
  mkdir(path.c_str(), 0700);
  setenv("HETERO_PTX_COMPILER", "no-such-compiler", 1);
  EXPECT_EQ(loadError(kernel(0, "")),
            "no-such-compiler: No such file or directory");
  setenv("HETERO_PTX_COMPILER", "false", 1);
  EXPECT_EQ(loadError(kernel(0, "")),
            "false refuses what was made of the text:\n");
  EXPECT_TRUE(filesOf(path).empty());
}

TEST(PtxLoad, KernelsOfSeveralDevicesRunAtOnce) {
  auto module = load(kernel(1, R"(
mov.u32 %r1, %tid.x;
shfl.sync.bfly.b32 %r2, %r1, 1, 31, -1;
bar.sync 0;
mul.wide.u32 %rd1, %r1, 4;
add.s64 %rd2, %p0, %rd1;
st.global.b32 [%rd2], %r2;
)"));
  ASSERT_TRUE(module);
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      for (uint64_t seed = 0; seed < 20; ++seed) {
        TestMemory memory;
        uint64_t address = memory.allocate(256 * 4);
        Launch launch;
        launch.block[0] = 256;
        launch.parameters = pack({address});
        launch.seed = seed;
        module->find("k")->run(launch, memory);
        std::vector<uint32_t> values = memory.read<uint32_t>(address);
        for (uint32_t i = 0; i < 256; ++i)
          EXPECT_EQ(values[i], i ^ 1);
      }
    });
  for (std::thread &thread : threads)
    thread.join();
}
