//===- OrdersTest.cpp - Accesses that nothing orders ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each program here is wrong in one order and right in most others: it has to
// be caught in all of them, and not when the order is there.

#include "Harness.h"

using namespace hetero::standin::tests;

/// In every order the same.
static void expectCaught(const std::function<void()> &program,
                         const std::string &what) {
  for (const std::string &schedule : getSchedules(getNumSeeds())) {
    Outcome outcome = run(schedule, program);
    EXPECT_TRUE(outcome.says(what)) << schedule << " " << outcome;
  }
}

static void expectRight(const std::function<void()> &program) {
  for (const std::string &schedule : getSchedules(getNumSeeds())) {
    Outcome outcome = run(schedule, program);
    EXPECT_TRUE(outcome.isRight) << schedule << " " << outcome;
  }
}

namespace {
/// Whoever writes and whoever comes after it in another stream.
struct TwoStreams {
  Gpu gpu;
  CUdeviceptr data = gpu.allocate(4), other = gpu.allocate(4);
  CUstream second = gpu.makeStream();
  CUevent event = nullptr;

  TwoStreams() {
    gpu.write(data, {1, 2, 3, 4});
    gpu.write(other, {5, 6, 7, 8});
    OK(gpu.f.cuEventCreate(&event, CU_EVENT_DISABLE_TIMING));
  }
};
} // namespace

TEST(StandInOrders, WritesAndReadsOfTwoStreams) {
  expectCaught(
      [] {
        TwoStreams s;
        s.gpu.increment(s.data, 4, s.gpu.stream);
        OK(s.gpu.f.cuMemcpyDtoDAsync(s.other, s.data, 16, s.second));
        OK(s.gpu.f.cuCtxSynchronize());
      },
      "and nothing orders the two");
  expectCaught(
      [] {
        TwoStreams s;
        OK(s.gpu.f.cuMemcpyDtoDAsync(s.other, s.data, 16, s.second));
        s.gpu.increment(s.data, 4, s.gpu.stream);
        OK(s.gpu.f.cuCtxSynchronize());
      },
      "and nothing orders the two");
}

TEST(StandInOrders, EventsOrder) {
  expectRight([] {
    TwoStreams s;
    s.gpu.increment(s.data, 4, s.gpu.stream);
    OK(s.gpu.f.cuEventRecord(s.event, s.gpu.stream));
    OK(s.gpu.f.cuStreamWaitEvent(s.second, s.event, 0));
    OK(s.gpu.f.cuMemcpyDtoDAsync(s.other, s.data, 16, s.second));
    OK(s.gpu.f.cuCtxSynchronize());
  });
  // The event was recorded in front of what matters.
  expectCaught(
      [] {
        TwoStreams s;
        OK(s.gpu.f.cuEventRecord(s.event, s.gpu.stream));
        s.gpu.increment(s.data, 4, s.gpu.stream);
        OK(s.gpu.f.cuStreamWaitEvent(s.second, s.event, 0));
        OK(s.gpu.f.cuMemcpyDtoDAsync(s.other, s.data, 16, s.second));
        OK(s.gpu.f.cuCtxSynchronize());
      },
      "and nothing orders the two");
}

TEST(StandInOrders, WhatTheHostKnowsOrders) {
  expectRight([] {
    TwoStreams s;
    s.gpu.increment(s.data, 4, s.gpu.stream);
    OK(s.gpu.f.cuEventRecord(s.event, s.gpu.stream));
    while (s.gpu.f.cuEventQuery(s.event) == CUDA_ERROR_NOT_READY) {
    }
    OK(s.gpu.f.cuMemcpyDtoDAsync(s.other, s.data, 16, s.second));
    OK(s.gpu.f.cuCtxSynchronize());
  });
}

TEST(StandInOrders, PartsThatDoNotMeetAreFree) {
  expectRight([] {
    TwoStreams s;
    OK(s.gpu.f.cuMemsetD8Async(s.data, 0, 7, s.gpu.stream));
    OK(s.gpu.f.cuMemsetD8Async(s.data + 7, 1, 9, s.second));
    OK(s.gpu.f.cuCtxSynchronize());
  });
  expectCaught(
      [] {
        TwoStreams s;
        OK(s.gpu.f.cuMemsetD8Async(s.data, 0, 8, s.gpu.stream));
        OK(s.gpu.f.cuMemsetD8Async(s.data + 7, 1, 9, s.second));
        OK(s.gpu.f.cuCtxSynchronize());
      },
      "and nothing orders the two");
}

TEST(StandInOrders, FreesInOrderOfAnotherStream) {
  expectCaught(
      [] {
        Gpu gpu;
        CUdeviceptr data = 0;
        OK(gpu.f.cuMemAllocAsync(&data, 16, gpu.stream));
        OK(gpu.f.cuMemsetD32Async(data, 0, 4, gpu.stream));
        OK(gpu.f.cuMemFreeAsync(data, gpu.makeStream()));
        OK(gpu.f.cuCtxSynchronize());
      },
      "allocation 0 (16 bytes)");
}

TEST(StandInOrders, KernelsReadWhatSomebodyHasWritten) {
  expectCaught(
      [] {
        Gpu gpu;
        gpu.increment(gpu.allocate(4), 4, gpu.stream);
        OK(gpu.f.cuCtxSynchronize());
      },
      "which nobody has written");
  // Copies may move anything, and move that nobody has written it.
  expectCaught(
      [] {
        Gpu gpu;
        CUdeviceptr from = gpu.allocate(4), to = gpu.allocate(4);
        OK(gpu.f.cuMemcpyDtoDAsync(to, from, 16, gpu.stream));
        gpu.read(to, 4);
      },
      "which nobody has written");
}

TEST(StandInOrders, HostWaitsForPinnedMemory) {
  auto program = [](bool waits) {
    TwoStreams s;
    void *memory = nullptr;
    OK(s.gpu.f.cuMemAllocHost(&memory, 16));
    auto *values = static_cast<volatile float *>(memory);
    OK(s.gpu.f.cuMemcpyDtoHAsync(memory, s.data, 16, s.gpu.stream));
    if (waits)
      OK(s.gpu.f.cuStreamSynchronize(s.gpu.stream));
    CHECK(values[1] == 2);
    OK(s.gpu.f.cuMemcpyHtoDAsync(s.other, memory, 16, s.gpu.stream));
    // Others may read what a copy reads.
    CHECK(values[2] == 3);
    if (waits)
      OK(s.gpu.f.cuStreamSynchronize(s.gpu.stream));
    values[0] = 9;
  };
  expectRight([&] { program(true); });
  expectCaught([&] { program(false); },
               "of pinned memory, which copy of 16 bytes to the host");
}

TEST(StandInOrders, GraphsHaveTheOrderOfTheirCapture) {
  auto program = [](bool waits) {
    TwoStreams s;
    CUgraph graph = nullptr;
    CUgraphExec executable = nullptr;
    OK(s.gpu.f.cuStreamBeginCapture(s.gpu.stream,
                                    CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
    s.gpu.increment(s.data, 4, s.gpu.stream);
    OK(s.gpu.f.cuStreamEndCapture(s.gpu.stream, &graph));
    OK(s.gpu.f.cuGraphInstantiate(&executable, graph, 0));
    OK(s.gpu.f.cuGraphLaunch(executable, s.gpu.stream));
    // Two launches of one graph are in order in any stream, others are not.
    OK(s.gpu.f.cuGraphLaunch(executable, s.gpu.stream));
    if (waits) {
      OK(s.gpu.f.cuEventRecord(s.event, s.gpu.stream));
      OK(s.gpu.f.cuStreamWaitEvent(s.second, s.event, 0));
    }
    OK(s.gpu.f.cuMemcpyDtoDAsync(s.other, s.data, 16, s.second));
    OK(s.gpu.f.cuCtxSynchronize());
  };
  expectRight([&] { program(true); });
  expectCaught([&] { program(false); }, "and nothing orders the two");
}
