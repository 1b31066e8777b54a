//===- StreamTest.cpp - Streams, events and graphs of the stand-in --------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Harness.h"
#include <cmath>
#include <cstring>

using namespace hetero::standin::tests;

/// As many as the stand-in promises to be right for.
static const int numSeeds = getNumSeeds();
/// Within these a missing wait has to show.
constexpr int fewSeeds = 20;

static const char *const one = "devices=sm_80:64MiB";

/// Two streams that pass a buffer to and fro.
static void passToAndFro(bool forgetsToWait) {
  Gpu gpu;
  CUstream other = gpu.makeStream();
  CUdeviceptr data = gpu.allocate(4);
  OK(gpu.f.cuMemsetD32Async(data, 0, 4, gpu.stream));
  for (int i = 0; i < 5; ++i) {
    if (!forgetsToWait || i != 2)
      gpu.order(gpu.stream, other);
    gpu.increment(data, 4, other);
    gpu.order(other, gpu.stream);
    gpu.scale(data, 2, 4, gpu.stream);
  }
  CHECK(gpu.read(data, 4)[1] == 62);
}

TEST(StandInStreams, EventsKeepStreamsInOrder) {
  for (const std::string &schedule : getSchedules(numSeeds)) {
    Outcome outcome = run(schedule, [] { passToAndFro(false); });
    ASSERT_TRUE(outcome.isRight) << schedule << " " << outcome;
  }
}

TEST(StandInStreams, AMissingWaitShows) {
  EXPECT_GE(findSeed(one, fewSeeds, [] { passToAndFro(true); }), 0);
}

TEST(StandInStreams, AnEventStandsForItsLastRecord) {
  for (const std::string &schedule : getSchedules(numSeeds)) {
    Outcome outcome = run(schedule, [] {
      Gpu gpu;
      CUdeviceptr data = gpu.allocate(4);
      CUevent event = nullptr;
      OK(gpu.f.cuEventCreate(&event, 0));
      // Never recorded: it has happened.
      OK(gpu.f.cuEventQuery(event));
      OK(gpu.f.cuMemsetD32Async(data, 0, 4, gpu.stream));
      OK(gpu.f.cuEventRecord(event, gpu.stream));
      gpu.increment(data, 4, gpu.stream);
      OK(gpu.f.cuEventRecord(event, gpu.stream));
      CUstream other = gpu.makeStream();
      OK(gpu.f.cuStreamWaitEvent(other, event, 0));
      gpu.increment(data, 4, other);
      OK(gpu.f.cuStreamSynchronize(other));
      CHECK(gpu.read(data, 4)[0] == 2);
      OK(gpu.f.cuEventQuery(event));
    });
    ASSERT_TRUE(outcome.isRight) << schedule << " " << outcome;
  }
}

TEST(StandInStreams, AskingIsEnough) {
  for (const std::string &schedule : getSchedules(numSeeds)) {
    Outcome outcome = run(schedule, [] {
      Gpu gpu;
      CUdeviceptr data = gpu.allocate(4);
      OK(gpu.f.cuMemsetD32Async(data, 0, 4, gpu.stream));
      gpu.increment(data, 4, gpu.stream);
      CUresult state;
      while ((state = gpu.f.cuStreamQuery(gpu.stream)) == CUDA_ERROR_NOT_READY)
        continue;
      OK(state);
      CHECK(gpu.read(data, 4)[0] == 1);
    });
    ASSERT_TRUE(outcome.isRight) << schedule << " " << outcome;
  }
}

TEST(StandInStreams, NothingRunsBeforeItIsAskedFor) {
  Outcome outcome = run("order=lazy", [] {
    Gpu gpu;
    CUevent event = nullptr;
    OK(gpu.f.cuEventCreate(&event, 0));
    int called = 0;
    OK(gpu.f.cuLaunchHostFunc(
        gpu.stream, [](void *data) { ++*static_cast<int *>(data); }, &called));
    gpu.allocate(4);
    OK(gpu.f.cuStreamSynchronize(gpu.makeStream()));
    CHECK(called == 0);
    OK(gpu.f.cuStreamSynchronize(gpu.stream));
    CHECK(called == 1);
  });
  EXPECT_TRUE(outcome.isRight) << outcome;
}

TEST(StandInStreams, TheNullStreamWaitsForBlockingOnes) {
  for (const std::string &schedule : getSchedules(numSeeds)) {
    Outcome outcome = run(schedule, [] {
      Gpu gpu;
      CUstream blocking = nullptr;
      OK(gpu.f.cuStreamCreate(&blocking, CU_STREAM_DEFAULT));
      CUdeviceptr data = gpu.allocate(4);
      OK(gpu.f.cuMemsetD32Async(data, 0, 4, blocking));
      gpu.increment(data, 4, nullptr);
      gpu.scale(data, 3, 4, blocking);
      OK(gpu.f.cuStreamSynchronize(blocking));
      CHECK(gpu.read(data, 4)[0] == 3);
    });
    ASSERT_TRUE(outcome.isRight) << schedule << " " << outcome;
  }
  // The others do not, and that shows.
  EXPECT_GE(findSeed(one, fewSeeds,
                     [] {
                       Gpu gpu;
                       CUdeviceptr data = gpu.allocate(4);
                       OK(gpu.f.cuMemsetD32Async(data, 0, 4, gpu.stream));
                       gpu.increment(data, 4, nullptr);
                       OK(gpu.f.cuCtxSynchronize());
                       CHECK(gpu.read(data, 4)[0] == 1);
                     }),
            0);
}

//===----------------------------------------------------------------------===//
// Memory of the host
//===----------------------------------------------------------------------===//

static float *allocatePinned(const Gpu &gpu, size_t count) {
  void *memory = nullptr;
  OK(gpu.f.cuMemAllocHost(&memory, 4 * count));
  return static_cast<float *>(memory);
}

TEST(StandInStreams, PageableMemoryIsReadAtTheCall) {
  for (const std::string &schedule : getSchedules(numSeeds)) {
    Outcome outcome = run(schedule, [] {
      Gpu gpu;
      CUdeviceptr data = gpu.allocate(1);
      float value = 1;
      OK(gpu.f.cuMemcpyHtoDAsync(data, &value, 4, gpu.stream));
      value = 2;
      CHECK(gpu.read(data, 1)[0] == 1);
    });
    ASSERT_TRUE(outcome.isRight) << schedule << " " << outcome;
  }
}

TEST(StandInStreams, PinnedMemoryIsReadLater) {
  auto program = [] {
    Gpu gpu;
    CUdeviceptr data = gpu.allocate(1);
    float *value = allocatePinned(gpu, 1);
    *value = 1;
    OK(gpu.f.cuMemcpyHtoDAsync(data, value, 4, gpu.stream));
    *value = 2;
    CHECK(gpu.read(data, 1)[0] == 2);
  };
  Outcome outcome = run("order=lazy;watch=off", program);
  EXPECT_TRUE(outcome.isRight) << outcome;
  for (const std::string &schedule : getSchedules(numSeeds))
    EXPECT_TRUE(run(schedule, program).says("the host touches")) << schedule;
}

TEST(StandInStreams, PinnedTargetsReadTooSoonAreNoNumbers) {
  auto program = [](bool waits) {
    Gpu gpu;
    CUdeviceptr data = gpu.allocate(1);
    gpu.write(data, {7});
    float *value = allocatePinned(gpu, 1);
    *value = 7;
    OK(gpu.f.cuMemcpyDtoHAsync(value, data, 4, gpu.stream));
    if (waits)
      OK(gpu.f.cuStreamSynchronize(gpu.stream));
    CHECK(*value == 7);
  };
  EXPECT_GE(findSeed(one, fewSeeds, [&] { program(false); }), 0);
  EXPECT_EQ(findSeed(one, fewSeeds, [&] { program(true); }), -1);
  // Also pageable ones: the copy "might be synchronous".
  EXPECT_GE(findSeed(one, fewSeeds,
                     [] {
                       Gpu gpu;
                       CUdeviceptr data = gpu.allocate(1);
                       gpu.write(data, {7});
                       float value = 7;
                       OK(gpu.f.cuMemcpyDtoHAsync(&value, data, 4, gpu.stream));
                       CHECK(value == 7);
                       OK(gpu.f.cuStreamSynchronize(gpu.stream));
                     }),
            0);
}

TEST(StandInStreams, APinnedBufferGoesThereAndBack) {
  // What is poisoned must not be what an earlier copy still reads.
  for (const std::string &schedule : getSchedules(numSeeds)) {
    Outcome outcome = run(schedule, [] {
      Gpu gpu;
      CUdeviceptr data = gpu.allocate(1);
      float *value = allocatePinned(gpu, 1);
      *value = 3;
      OK(gpu.f.cuMemcpyHtoDAsync(data, value, 4, gpu.stream));
      gpu.increment(data, 1, gpu.stream);
      OK(gpu.f.cuMemcpyDtoHAsync(value, data, 4, gpu.stream));
      OK(gpu.f.cuStreamSynchronize(gpu.stream));
      CHECK(*value == 4);
      OK(gpu.f.cuMemFreeHost(value));
    });
    ASSERT_TRUE(outcome.isRight) << schedule << " " << outcome;
  }
}

//===----------------------------------------------------------------------===//
// Mistakes
//===----------------------------------------------------------------------===//

TEST(StandInStreams, DestroyedThingsAreCaught) {
  Outcome outcome = run(one, [] {
    Gpu gpu;
    OK(gpu.f.cuStreamDestroy(gpu.stream));
    gpu.f.cuStreamSynchronize(gpu.stream);
  });
  EXPECT_TRUE(outcome.says("cuStreamSynchronize is given a stream that was "
                           "destroyed"))
      << outcome;
  outcome = run(one, [] {
    Gpu gpu;
    CUevent event = nullptr;
    OK(gpu.f.cuEventCreate(&event, 0));
    OK(gpu.f.cuEventDestroy(event));
    gpu.f.cuEventQuery(event);
  });
  EXPECT_TRUE(outcome.says("cuEventQuery is given an event")) << outcome;
}

TEST(StandInStreams, ADestroyedStreamStillEnds) {
  for (const std::string &schedule : getSchedules(numSeeds)) {
    Outcome outcome = run(schedule, [] {
      Gpu gpu;
      CUstream other = gpu.makeStream();
      CUdeviceptr data = gpu.allocate(4);
      OK(gpu.f.cuMemsetD32Async(data, 0, 4, other));
      gpu.increment(data, 4, other);
      gpu.order(other, gpu.stream);
      OK(gpu.f.cuStreamDestroy(other));
      CHECK(gpu.read(data, 4)[0] == 1);
    });
    ASSERT_TRUE(outcome.isRight) << schedule << " " << outcome;
  }
}

TEST(StandInStreams, FunctionsOfTheHostMayNotUseTheDriver) {
  Outcome outcome = run(one, [] {
    Gpu gpu;
    OK(gpu.f.cuLaunchHostFunc(
        gpu.stream,
        [](void *data) { static_cast<Gpu *>(data)->f.cuCtxSynchronize(); },
        &gpu));
    OK(gpu.f.cuCtxSynchronize());
  });
  EXPECT_TRUE(
      outcome.says("calls cuCtxSynchronize, which CUDA does not permit"))
      << outcome;
}

TEST(StandInStreams, LaunchesThatNoDeviceTakesAreRefused) {
  Outcome outcome = run(one, [] {
    Gpu gpu;
    CUdeviceptr data = gpu.allocate(4);
    unsigned count = 4;
    void *parameters[] = {&data, &count};
    CHECK(gpu.f.cuLaunchKernel(gpu.incrementKernel, 1, 1, 1, 1025, 1, 1, 0,
                               gpu.stream, parameters,
                               nullptr) == CUDA_ERROR_INVALID_VALUE);
    CHECK(gpu.f.cuLaunchKernel(gpu.incrementKernel, 0, 1, 1, 32, 1, 1, 0,
                               gpu.stream, parameters,
                               nullptr) == CUDA_ERROR_INVALID_VALUE);
  });
  EXPECT_TRUE(outcome.isRight) << outcome;
}

#ifdef HETERO_STANDIN_HAS_PTX
/// The same kernels as text that a compiler could have written.
TEST(StandInKernels, PtxIsRun) {
  Outcome outcome = run(one, [] {
    Gpu gpu(0, /*isFake=*/false);
    CUdeviceptr data = gpu.allocate(40, "weights");
    OK(gpu.f.cuMemsetD32Async(data, 0, 40, gpu.stream));
    gpu.increment(data, 40, gpu.stream);
    gpu.scale(data, 3, 39, gpu.stream);
    CHECK(gpu.read(data, 40)[38] == 3 && gpu.read(data, 40)[39] == 1);
    gpu.increment(data, 41, gpu.stream);
    OK(gpu.f.cuCtxSynchronize());
  });
  EXPECT_TRUE(outcome.says("kernel 'increment' (operation")) << outcome;
  EXPECT_TRUE(outcome.says("offset 160 of allocation 0 ('weights', 160 bytes)"))
      << outcome;
}
#endif

//===----------------------------------------------------------------------===//
// Graphs
//===----------------------------------------------------------------------===//

TEST(StandInGraphs, AGraphDoesWhatWasCaptured) {
  for (const std::string &schedule : getSchedules(numSeeds / 4)) {
    Outcome outcome = run(schedule, [] {
      Gpu gpu;
      CUstream other = gpu.makeStream();
      CUdeviceptr a = gpu.allocate(4), b = gpu.allocate(4);
      gpu.write(a, {1, 1, 1, 1});
      gpu.write(b, {1, 1, 1, 1});
      OK(gpu.f.cuStreamBeginCapture(gpu.stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
      gpu.increment(a, 4, gpu.stream);
      gpu.order(gpu.stream, other);
      gpu.scale(a, 2, 4, other);
      gpu.scale(b, 3, 4, gpu.stream);
      gpu.order(other, gpu.stream);
      OK(gpu.f.cuMemcpyDtoDAsync(b, a, 8, gpu.stream));
      CUgraph graph = nullptr;
      OK(gpu.f.cuStreamEndCapture(gpu.stream, &graph));
      CUgraphExec executable = nullptr;
      OK(gpu.f.cuGraphInstantiate(&executable, graph, 0));
      OK(gpu.f.cuGraphDestroy(graph));
      // Nothing has run yet.
      CHECK((gpu.read(a, 4) == std::vector<float>{1, 1, 1, 1}));
      OK(gpu.f.cuGraphLaunch(executable, gpu.stream));
      OK(gpu.f.cuGraphLaunch(executable, gpu.stream));
      CHECK((gpu.read(a, 4) == std::vector<float>{10, 10, 10, 10}));
      CHECK((gpu.read(b, 4) == std::vector<float>{10, 10, 9, 9}));
      OK(gpu.f.cuGraphExecDestroy(executable));
    });
    ASSERT_TRUE(outcome.isRight) << schedule << " " << outcome;
  }
}

TEST(StandInGraphs, StreamsThatWereNotJoinedAreRefused) {
  Outcome outcome = run(one, [] {
    Gpu gpu;
    CUstream other = gpu.makeStream();
    CUdeviceptr data = gpu.allocate(4);
    OK(gpu.f.cuStreamBeginCapture(gpu.stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
    gpu.order(gpu.stream, other);
    gpu.increment(data, 4, other);
    CHECK(gpu.f.cuStreamSynchronize(gpu.stream) ==
          CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    CUgraph graph = nullptr;
    CHECK(gpu.f.cuStreamEndCapture(gpu.stream, &graph) ==
          CUDA_ERROR_STREAM_CAPTURE_UNJOINED);
  });
  EXPECT_TRUE(outcome.isRight) << outcome;
}
