//===- MemoryTest.cpp - Memory of the stand-in's devices ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Harness.h"
#include <cmath>

using namespace hetero::standin::tests;

static const char *const one = "devices=sm_80:64MiB";

TEST(StandInMemory, WhatIsWrittenIsRead) {
  for (const std::string &schedule : getSchedules(getNumSeeds())) {
    Outcome outcome = run(schedule, [] {
      Gpu gpu;
      CUdeviceptr data = gpu.allocate(5);
      gpu.write(data, {1, 2, 3, 4, 5});
      CHECK(data % 256 == 0);
      CHECK((gpu.read(data, 5) == std::vector<float>{1, 2, 3, 4, 5}));
      OK(gpu.f.cuMemFree(data));
    });
    EXPECT_TRUE(outcome.isRight) << schedule << " " << outcome;
  }
}

TEST(StandInMemory, NewMemoryIsNoNumber) {
  Outcome outcome = run(std::string(one) + ";watch=off", [] {
    Gpu gpu;
    CHECK(std::isnan(gpu.read(gpu.allocate(3), 3)[2]));
  });
  EXPECT_TRUE(outcome.isRight) << outcome;
}

TEST(StandInMemory, MemoryEnds) {
  Outcome outcome = run(one, [] {
    Gpu gpu;
    CUdeviceptr large = 0, small = 0;
    size_t available = 0, total = 0;
    OK(gpu.f.cuMemGetInfo(&available, &total));
    CHECK(available == total && total == size_t(64) << 20);
    OK(gpu.f.cuMemAlloc(&large, total - 256));
    CHECK(gpu.f.cuMemAlloc(&small, 257) == CUDA_ERROR_OUT_OF_MEMORY);
    OK(gpu.f.cuMemAlloc(&small, 256));
    OK(gpu.f.cuMemFree(large));
    OK(gpu.f.cuMemAlloc(&large, total - 256));
  });
  EXPECT_TRUE(outcome.isRight) << outcome;
}

TEST(StandInMemory, TheHostCannotTouchIt) {
  Outcome outcome = run(one, [] {
    Gpu gpu;
    CUdeviceptr data = gpu.allocate(4, "weights");
    volatile float value = toPointer(data)[1];
    (void)value;
  });
  EXPECT_TRUE(outcome.says("the host touches address"));
  EXPECT_TRUE(outcome.says("offset 4 of allocation 0 ('weights', 16 bytes)"))
      << outcome;
}

TEST(StandInMemory, OneByteOutOfBoundsIsCaught) {
  for (const std::string &schedule : getSchedules(2)) {
    Outcome outcome = run(schedule, [] {
      Gpu gpu;
      CUdeviceptr data = gpu.allocate(4, "weights");
      OK(gpu.f.cuMemsetD8Async(data, 0, 17, gpu.stream));
      OK(gpu.f.cuStreamSynchronize(gpu.stream));
    });
    EXPECT_TRUE(
        outcome.says("fill of 17 bytes (operation 0, stream 1 of device "
                     "0) writes 17 bytes at"))
        << outcome;
    EXPECT_TRUE(outcome.says("('weights', 16 bytes)")) << outcome;
  }
  Outcome outcome = run(one, [] {
    Gpu gpu;
    CUdeviceptr data = gpu.allocate(4);
    gpu.write(data, {1, 2, 3, 4});
    gpu.increment(data, 5, gpu.stream);
    OK(gpu.f.cuCtxSynchronize());
  });
  EXPECT_TRUE(outcome.says("kernel 'increment'")) << outcome;
  EXPECT_TRUE(outcome.says("offset 16 of allocation 0 (16 bytes)")) << outcome;
}

TEST(StandInMemory, UseAfterFreeIsCaught) {
  Outcome outcome = run(one, [] {
    Gpu gpu;
    CUdeviceptr data = gpu.allocate(4, "weights");
    OK(gpu.f.cuMemFree(data));
    gpu.increment(data, 4, gpu.stream);
    OK(gpu.f.cuCtxSynchronize());
  });
  EXPECT_TRUE(outcome.says("which cuMemFree freed, where nothing lives"))
      << outcome;
}

TEST(StandInMemory, FreeWaitsForTheDevice) {
  for (const std::string &schedule : getSchedules(getNumSeeds())) {
    Outcome outcome = run(schedule, [] {
      Gpu gpu;
      CUdeviceptr data = gpu.allocate(4), other = gpu.allocate(4);
      gpu.write(data, {1, 2, 3, 4});
      gpu.write(other, {1, 2, 3, 4});
      gpu.increment(data, 4, gpu.stream);
      gpu.increment(other, 4, gpu.makeStream());
      OK(gpu.f.cuMemFree(other));
      OK(gpu.f.cuMemFree(data));
    });
    EXPECT_TRUE(outcome.isRight) << schedule << " " << outcome;
  }
}

TEST(StandInMemory, DoubleFreeIsCaught) {
  Outcome outcome = run(one, [] {
    Gpu gpu;
    CUdeviceptr data = gpu.allocate(4);
    OK(gpu.f.cuMemFree(data));
    OK(gpu.f.cuMemFree(data));
  });
  EXPECT_TRUE(outcome.says("cuMemFree is given")) << outcome;
  EXPECT_TRUE(outcome.says("which cuMemFree freed")) << outcome;
  outcome = run(one, [] {
    Gpu gpu;
    CUdeviceptr data = gpu.allocate(4);
    OK(gpu.f.cuMemFreeAsync(data, gpu.stream));
    OK(gpu.f.cuMemFree(data));
  });
  EXPECT_TRUE(outcome.isCaught) << outcome;
}

TEST(StandInMemory, FreeOfWhatWasNeverAllocatedIsCaught) {
  Outcome outcome = run(one, [] {
    Gpu gpu;
    gpu.f.cuMemFree(gpu.allocate(4) + 4);
  });
  EXPECT_TRUE(outcome.says("not the beginning of an allocation")) << outcome;
  outcome = run(one, [] { Gpu().f.cuMemFree(64); });
  EXPECT_TRUE(outcome.says("which is not memory of a device")) << outcome;
}

TEST(StandInMemory, MemoryInTheOrderOfAStream) {
  for (const std::string &schedule : getSchedules(getNumSeeds())) {
    Outcome outcome = run(schedule, [] {
      Gpu gpu;
      CUstream other = gpu.makeStream();
      CUdeviceptr data = 0;
      OK(gpu.f.cuMemAllocAsync(&data, 16, gpu.stream));
      OK(gpu.f.cuMemsetD32Async(data, 0, 4, gpu.stream));
      gpu.order(gpu.stream, other);
      gpu.increment(data, 4, other);
      gpu.order(other, gpu.stream);
      CHECK(gpu.read(data, 4)[3] == 1);
      OK(gpu.f.cuMemFreeAsync(data, gpu.stream));
    });
    EXPECT_TRUE(outcome.isRight) << schedule << " " << outcome;
  }
}

TEST(StandInMemory, UseAfterAsynchronousFreeIsCaught) {
  Outcome outcome;
  int seed = findSeed(
      one, 20,
      [] {
        Gpu gpu;
        CUstream other = gpu.makeStream();
        CUdeviceptr data = gpu.allocate(4);
        OK(gpu.f.cuMemsetD32Async(data, 0, 4, gpu.stream));
        gpu.order(gpu.stream, other);
        gpu.increment(data, 4, other);
        OK(gpu.f.cuMemFreeAsync(data, gpu.stream));
        OK(gpu.f.cuCtxSynchronize());
      },
      &outcome);
  EXPECT_GE(seed, 0);
  EXPECT_TRUE(outcome.says("which cuMemFreeAsync of allocation 0 (16 bytes) "
                           "(operation"))
      << outcome;
}

TEST(StandInMemory, UseBeforeAsynchronousAllocationIsCaught) {
  Outcome outcome;
  auto program = [] {
    Gpu gpu;
    CUdeviceptr data = 0;
    OK(gpu.f.cuMemAllocAsync(&data, 16, gpu.stream));
    OK(gpu.f.cuMemsetD32Async(data, 0, 4, gpu.makeStream()));
    OK(gpu.f.cuCtxSynchronize());
  };
  int seed = findSeed(std::string(one) + ";watch=off", 20, program, &outcome);
  EXPECT_GE(seed, 0);
  EXPECT_TRUE(outcome.says("cuMemAllocAsync has not had its turn")) << outcome;
  // Where it has had its turn by chance as well.
  for (const std::string &schedule : getSchedules(getNumSeeds()))
    EXPECT_TRUE(run(schedule, program).isCaught) << schedule;
}

TEST(StandInMemory, MemoryOfAnotherDeviceIsCaught) {
  Outcome outcome = run("devices=sm_80:64MiB,sm_75:32MiB", [] {
    CUdeviceptr data = Gpu(1).allocate(4, "theirs");
    Gpu gpu(0);
    gpu.increment(data, 4, gpu.stream);
    OK(gpu.f.cuCtxSynchronize());
  });
  EXPECT_TRUE(outcome.isCaught) << outcome;
  outcome = run("devices=sm_80:64MiB,sm_75:32MiB", [] {
    CUdeviceptr data = Gpu(1).allocate(4, "theirs");
    Gpu gpu(0);
    OK(gpu.f.cuMemcpyDtoDAsync(gpu.allocate(4), data, 16, gpu.stream));
  });
  EXPECT_TRUE(outcome.says("'theirs', 16 bytes), of another device"))
      << outcome;
}

TEST(StandInMemory, UnreadableHostMemoryIsCaught) {
  Outcome outcome = run(one, [] {
    Gpu gpu;
    OK(gpu.f.cuMemcpyHtoDAsync(gpu.allocate(4), reinterpret_cast<void *>(64),
                               16, gpu.stream));
  });
  EXPECT_TRUE(outcome.says("copy of 16 bytes from the host to the device "
                           "cannot read 0x40"))
      << outcome;
  outcome = run(one, [] {
    Gpu gpu;
    OK(gpu.f.cuMemcpyHtoDAsync(gpu.allocate(4),
                               toPointer(gpu.allocate(4, "a device's")), 16,
                               gpu.stream));
  });
  EXPECT_TRUE(outcome.says("'a device's'")) << outcome;
}

TEST(StandInMemory, PinnedMemoryThatWasFreedIsCaught) {
  Outcome outcome = run(one, [] {
    Gpu gpu;
    void *memory = nullptr;
    OK(gpu.f.cuMemAllocHost(&memory, 16));
    OK(gpu.f.cuMemFreeHost(memory));
    *static_cast<volatile char *>(memory) = 1;
  });
  EXPECT_TRUE(outcome.says("the host touches offset 0 of pinned memory that "
                           "was freed"))
      << outcome;
}

TEST(StandInMemory, RowsAreCopied) {
  for (const std::string &schedule : getSchedules(getNumSeeds())) {
    Outcome outcome = run(schedule, [] {
      Gpu gpu;
      CUdeviceptr from = gpu.allocate(12), to = gpu.allocate(6);
      gpu.write(from, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11});
      CUDA_MEMCPY2D copy = {};
      copy.srcMemoryType = copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
      copy.srcDevice = from;
      copy.srcPitch = 16;
      copy.dstDevice = to;
      copy.dstPitch = 8;
      copy.WidthInBytes = 8;
      copy.Height = 3;
      OK(gpu.f.cuMemcpy2DAsync(&copy, gpu.stream));
      CHECK((gpu.read(to, 6) == std::vector<float>{0, 1, 4, 5, 8, 9}));
      copy.dstPitch = 4;
      CHECK(gpu.f.cuMemcpy2DAsync(&copy, gpu.stream) ==
            CUDA_ERROR_INVALID_VALUE);
    });
    EXPECT_TRUE(outcome.isRight) << schedule << " " << outcome;
  }
}
