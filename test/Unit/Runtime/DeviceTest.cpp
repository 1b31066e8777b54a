//===- DeviceTest.cpp - Tests of memory and threads of devices ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Runtime/Device.h"
#include "hetero/Runtime/Hooks.h"
#include "hetero/Runtime/ThreadPool.h"
#include "gtest/gtest.h"
#include <cstring>
#include <numeric>

using namespace hetero::runtime;

TEST(RuntimeDeviceTest, countsWhatIsAskedFor) {
  Device device("a");
  void *first = *device.allocate(100, "first");
  void *second = *device.allocate(1000, "second");
  EXPECT_EQ(reinterpret_cast<uintptr_t>(first) % 64, 0u);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(second) % 64, 0u);
  std::memset(second, 1, 1000);
  EXPECT_EQ(device.getLiveBytes(), 1100);
  device.release(second);
  EXPECT_EQ(device.getLiveBytes(), 100);
  EXPECT_EQ(device.getPeakBytes(), 1100);
  device.resetPeak();
  EXPECT_EQ(device.getPeakBytes(), 100);
  device.release(nullptr);
  EXPECT_NE(*device.allocate(0, "nothing"), nullptr);
}

TEST(RuntimeDeviceTest, reusesBlocks) {
  Device device("a", 10000);
  for (int step = 0; step < 3; ++step) {
    void *a = *device.allocate(3000, "a"), *b = *device.allocate(5000, "b");
    device.release(a);
    device.release(b);
    EXPECT_EQ(device.getNumSystemBlocks(), 2);
    EXPECT_EQ(device.getLiveBytes(), 0);
  }
  // What is kept gives way.
  void *c = *device.allocate(9000, "c");
  EXPECT_EQ(device.getCachedBytes(), 0);
  device.release(c);
}

TEST(RuntimeDeviceTest, refusesBeyondTheCap) {
  Device device("t4 1", 4096);
  ASSERT_TRUE(device.allocate(1024, "argument 0: 256xf32"));
  ASSERT_TRUE(device.allocate(2048, "forward 0: 512xf32"));
  Result<void *> third = device.allocate(1025, "forward 1: 1025xi8");
  ASSERT_FALSE(third);
  EXPECT_EQ(
      third.error(),
      "device 't4 1' is out of memory: 'forward 1: 1025xi8' asks for "
      "1.025 KB, 3 KiB of 4 KiB are in use; the largest: 2 KiB 'forward 0: "
      "512xf32', 1 KiB 'argument 0: 256xf32'");
  EXPECT_TRUE(device.allocate(1024, "forward 1: 1024xi8"));
}

TEST(RuntimeDeviceTest, sizeThatNoSystemHas) {
  Device device("a");
  EXPECT_FALSE(device.allocate(INT64_MAX, "all"));
  EXPECT_FALSE(device.allocate(INT64_MAX / 4, "much"));
}

TEST(RuntimeDeviceTest, workspaceCountsAndRemembers) {
  Device device("a", 1000);
  Device::Scope scope(&device);
  void *small = hetero_workspace_alloc(100);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(small) % 64, 0u);
  EXPECT_GE(device.getLiveBytes(), 100);
  EXPECT_EQ(device.takeError(), std::nullopt);
  void *large = hetero_workspace_alloc(2000);
  std::memset(large, 0, 2000);
  hetero_workspace_free(large);
  hetero_workspace_free(small);
  hetero_workspace_free(nullptr);
  EXPECT_EQ(device.getLiveBytes(), 0);
  MaybeError error = device.takeError();
  ASSERT_TRUE(error);
  EXPECT_NE(error->find("'temporary of a kernel' asks for"), std::string::npos);
  EXPECT_EQ(device.takeError(), std::nullopt);
}

TEST(RuntimeDeviceTest, workspaceWithoutDevice) {
  void *memory = hetero_workspace_alloc(10);
  Device device("a");
  Device::Scope scope(&device);
  hetero_workspace_free(memory);
  EXPECT_EQ(device.getLiveBytes(), 0);
}

TEST(RuntimeDeviceTest, parallelForCoversTheRangeOnce) {
  for (unsigned threads : {1u, 2u, 3u}) {
    Device device("a", std::nullopt, threads);
    Device::Scope scope(&device);
    for (int64_t n : {0, 1, 2, 7, 1000}) {
      std::vector<int> counts(n);
      hetero_parallel_for(
          n,
          [](int64_t begin, int64_t end, void *context) {
            // Temporaries of all threads count for the device.
            void *memory = hetero_workspace_alloc(64);
            for (int64_t i = begin; i < end; ++i)
              ++(*static_cast<std::vector<int> *>(context))[i];
            hetero_workspace_free(memory);
          },
          &counts);
      EXPECT_EQ(counts, std::vector<int>(n, 1));
    }
    EXPECT_EQ(device.getLiveBytes(), 0);
    EXPECT_GE(device.getPeakBytes(), 64);
  }
}

TEST(RuntimeDeviceTest, loopInsideOfALoop) {
  Device device("a", std::nullopt, 2);
  Device::Scope scope(&device);
  std::vector<int64_t> sums(4);
  hetero_parallel_for(
      4,
      [](int64_t begin, int64_t end, void *context) {
        for (int64_t i = begin; i < end; ++i)
          hetero_parallel_for(
              10,
              [](int64_t begin, int64_t end, void *context) {
                for (int64_t i = begin; i < end; ++i)
                  *static_cast<int64_t *>(context) += i;
              },
              static_cast<int64_t *>(context) + i);
      },
      sums.data());
  EXPECT_EQ(sums, std::vector<int64_t>(4, 45));
}

TEST(RuntimeDeviceTest, holdsThreadsToProcessors) {
  std::vector<int> all = getProcessors();
  if (all.empty())
    GTEST_SKIP() << "processors are not known here";
  std::vector<int> last = {all.back()};
  std::vector<std::vector<int>> seen(3);
  std::thread rank([&] {
    ASSERT_TRUE(holdTo(last));
    ThreadPool pool(3);
    pool.parallelFor(
        3,
        [](int64_t begin, int64_t end, void *context) {
          for (int64_t i = begin; i < end; ++i)
            (*static_cast<std::vector<std::vector<int>> *>(context))[i] =
                getProcessors();
        },
        &seen);
    EXPECT_FALSE(holdTo({}));
  });
  rank.join();
  for (const std::vector<int> &processors : seen)
    EXPECT_EQ(processors, last);
  EXPECT_EQ(getProcessors(), all);
}
