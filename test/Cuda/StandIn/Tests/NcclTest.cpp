//===- NcclTest.cpp - Communication between the stand-in's devices --------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Harness.h"
#include <cmath>
#include <cstring>

using namespace hetero::standin::tests;

static const int numSeeds = getNumSeeds();
constexpr int fewSeeds = 20;

/// Unlike ones, as in our clusters.
static const char *const four =
    "devices=sm_80:64MiB,sm_75:32MiB,sm_70:64MiB,sm_90:64MiB";

static std::string with(const std::string &schedule) {
  return std::string(four) + ";" + schedule;
}

//===----------------------------------------------------------------------===//
// What is right
//===----------------------------------------------------------------------===//

/// All collectives after each other in one stream, and a ring in a group.
static void useEverything(Rank &self) {
  const Functions &f = self.gpu.f;
  const int size = 4, rank = self.rank;
  ncclComm_t comm = self.communicators[0];
  cudaStream_t stream = toCuda(self.gpu.stream);
  CUdeviceptr from = self.gpu.allocate(4), to = self.gpu.allocate(16);
  auto fill = [&] {
    self.gpu.write(from, {float(rank), float(rank + 1), 2, float(-rank)});
  };
  fill();
  OK(f.ncclAllReduce(toPointer(from), toPointer(to), 4, ncclFloat32, ncclSum,
                     comm, stream));
  CHECK((self.gpu.read(to, 4) == std::vector<float>{6, 10, 8, -6}));
  OK(f.ncclAllGather(toPointer(from), toPointer(to), 2, ncclFloat32, comm,
                     stream));
  CHECK((self.gpu.read(to, 8) == std::vector<float>{0, 1, 1, 2, 2, 3, 3, 4}));
  OK(f.ncclBroadcast(toPointer(from), toPointer(to), 4, ncclFloat32, 2, comm,
                     stream));
  CHECK((self.gpu.read(to, 4) == std::vector<float>{2, 3, 2, -2}));
  OK(f.ncclReduce(toPointer(from), toPointer(to), 4, ncclFloat32, ncclMax, 1,
                  comm, stream));
  if (rank == 1)
    CHECK((self.gpu.read(to, 4) == std::vector<float>{3, 4, 2, 0}));
  OK(f.ncclReduceScatter(toPointer(from), toPointer(to), 1, ncclFloat32,
                         ncclSum, comm, stream));
  CHECK(self.gpu.read(to, 1)[0] == (std::vector<float>{6, 10, 8, -6})[rank]);
  // The ring: in place for the sender, from the left.
  OK(f.ncclGroupStart());
  OK(f.ncclSend(toPointer(from), 4, ncclFloat32, (rank + 1) % size, comm,
                stream));
  OK(f.ncclRecv(toPointer(to), 4, ncclFloat32, (rank + size - 1) % size, comm,
                stream));
  OK(f.ncclGroupEnd());
  CHECK(self.gpu.read(to, 1)[0] == float((rank + size - 1) % size));
  // In place.
  OK(f.ncclAllReduce(toPointer(from), toPointer(from), 4, ncclFloat32, ncclSum,
                     comm, stream));
  CHECK((self.gpu.read(from, 4) == std::vector<float>{6, 10, 8, -6}));
  OK(f.ncclCommDestroy(comm));
}

TEST(StandInNccl, CollectivesAreRight) {
  for (int seed = 0; seed < numSeeds; ++seed) {
    const char *const orders[] = {"lazy", "eager", "random"};
    std::string schedule =
        "seed=" + std::to_string(seed) + ";order=" + orders[seed % 3];
    Outcome outcome =
        run(with(schedule), [] { runRanks(4, 1, useEverything); });
    ASSERT_TRUE(outcome.isRight) << schedule << " " << outcome;
  }
}

/// Work in one stream, transfers in another, kept in order by events.
TEST(StandInNccl, EventsKeepTransfersInOrder) {
  auto program = [](bool waits) {
    runRanks(2, 1, [&](Rank &self) {
      Gpu &gpu = self.gpu;
      CUstream transfers = gpu.makeStream();
      CUdeviceptr data = gpu.allocate(4), sum = gpu.allocate(4);
      OK(gpu.f.cuMemsetD32Async(data, 0, 4, gpu.stream));
      for (int i = 0; i < 4; ++i) {
        gpu.increment(data, 4, gpu.stream);
        if (waits)
          gpu.order(gpu.stream, transfers);
        OK(gpu.f.ncclAllReduce(toPointer(data), toPointer(sum), 4, ncclFloat32,
                               ncclSum, self.communicators[0],
                               toCuda(transfers)));
        gpu.order(transfers, gpu.stream);
        OK(gpu.f.cuMemcpyDtoDAsync(data, sum, 16, gpu.stream));
      }
      CHECK(gpu.read(data, 4)[3] == 30);
    });
  };
  for (int seed = 0; seed < numSeeds; ++seed)
    for (const char *order : {"lazy", "eager", "random"}) {
      std::string schedule = "seed=" + std::to_string(seed) + ";order=" + order;
      Outcome outcome = run(with(schedule), [&] { program(true); });
      ASSERT_TRUE(outcome.isRight) << schedule << " " << outcome;
    }
  EXPECT_GE(findSeed(four, fewSeeds, [&] { program(false); }), 0);
}

TEST(StandInNccl, ShortFloatsAreRoundedAfterEachRank) {
  Outcome outcome = run(four, [] {
    runRanks(3, 1, [](Rank &self) {
      Gpu &gpu = self.gpu;
      // 256 + 1 is 256 in bf16, and 1 + 1 + 256 is 258.
      const uint16_t values[3][2] = {
          {0x4380, 0x3f80}, {0x3f80, 0x3f80}, {0x3f80, 0x4380}};
      CUdeviceptr data = gpu.allocate(1);
      OK(gpu.f.cuMemcpyHtoDAsync(data, values[self.rank], 4, gpu.stream));
      OK(gpu.f.ncclAllReduce(toPointer(data), toPointer(data), 2, ncclBfloat16,
                             ncclSum, self.communicators[0],
                             toCuda(gpu.stream)));
      uint16_t sums[2] = {};
      OK(gpu.f.cuMemcpyDtoHAsync(sums, data, 4, gpu.stream));
      OK(gpu.f.cuStreamSynchronize(gpu.stream));
      CHECK(sums[0] == 0x4380 && sums[1] == 0x4381);
    });
  });
  EXPECT_TRUE(outcome.isRight) << outcome;
}

TEST(StandInNccl, CommunicatorsAreDivided) {
  Outcome outcome = run(four, [] {
    runRanks(4, 1, [](Rank &self) {
      const Functions &f = self.gpu.f;
      ncclComm_t half = nullptr;
      // The order is turned around by the keys.
      OK(f.ncclCommSplit(self.communicators[0], self.rank % 2, -self.rank,
                         &half, nullptr));
      int rank = -1, count = 0;
      OK(f.ncclCommUserRank(half, &rank));
      OK(f.ncclCommCount(half, &count));
      CHECK(count == 2 && rank == (self.rank < 2 ? 1 : 0));
      CUdeviceptr data = self.gpu.allocate(1);
      self.gpu.write(data, {float(self.rank)});
      OK(f.ncclAllReduce(toPointer(data), toPointer(data), 1, ncclFloat32,
                         ncclSum, half, toCuda(self.gpu.stream)));
      CHECK(self.gpu.read(data, 1)[0] == (self.rank % 2 ? 4 : 2));
      ncclComm_t none = half;
      OK(f.ncclCommSplit(self.communicators[0], NCCL_SPLIT_NOCOLOR, 0, &none,
                         nullptr));
      CHECK(none == nullptr);
    });
  });
  EXPECT_TRUE(outcome.isRight) << outcome;
}

TEST(StandInNccl, CommunicatorsThatDoNotBlock) {
  for (int seed = 0; seed < numSeeds; ++seed) {
    Outcome outcome = run(with("seed=" + std::to_string(seed)), [] {
      const Functions &f = getFunctions();
      OK(f.cuInit(0));
      ncclUniqueId id;
      OK(f.ncclGetUniqueId(&id));
      // One thread makes both ranks, which would block for ever otherwise.
      Gpu first(0), second(1);
      ncclComm_t comms[2] = {};
      ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
      config.blocking = 0;
      Gpu *gpus[] = {&first, &second};
      ncclResult_t state = ncclSuccess;
      for (int i = 0; i < 2; ++i) {
        OK(f.cuCtxSetCurrent(gpus[i]->context));
        CHECK(f.ncclCommInitRankConfig(&comms[i], 2, id, i, &config) ==
              ncclInProgress);
        OK(f.ncclCommGetAsyncError(comms[i], &state));
        CHECK(state == (i == 0 ? ncclInProgress : ncclSuccess));
      }
      OK(f.ncclGroupStart());
      for (int i = 0; i < 2; ++i) {
        OK(f.cuCtxSetCurrent(gpus[i]->context));
        CUdeviceptr data = gpus[i]->allocate(1);
        OK(f.cuMemsetD8Async(data, 0, 4, gpus[i]->stream));
        OK(f.ncclAllReduce(toPointer(data), toPointer(data), 1, ncclFloat32,
                           ncclSum, comms[i], toCuda(gpus[i]->stream)));
      }
      ncclResult_t ended = f.ncclGroupEnd();
      CHECK(ended == ncclSuccess || ended == ncclInProgress);
      for (ncclComm_t comm : comms)
        do
          OK(f.ncclCommGetAsyncError(comm, &state));
        while (state == ncclInProgress);
      OK(f.cuCtxSynchronize());
    });
    ASSERT_TRUE(outcome.isRight) << seed << " " << outcome;
  }
}

TEST(StandInNccl, GraphsCommunicate) {
  for (int seed = 0; seed < numSeeds; ++seed) {
    Outcome outcome = run(with("seed=" + std::to_string(seed)), [] {
      runRanks(2, 1, [](Rank &self) {
        Gpu &gpu = self.gpu;
        CUdeviceptr data = gpu.allocate(1);
        gpu.write(data, {1});
        OK(gpu.f.cuStreamBeginCapture(gpu.stream,
                                      CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
        OK(gpu.f.ncclAllReduce(toPointer(data), toPointer(data), 1, ncclFloat32,
                               ncclSum, self.communicators[0],
                               toCuda(gpu.stream)));
        gpu.increment(data, 1, gpu.stream);
        CUgraph graph = nullptr;
        OK(gpu.f.cuStreamEndCapture(gpu.stream, &graph));
        CUgraphExec executable = nullptr;
        OK(gpu.f.cuGraphInstantiate(&executable, graph, 0));
        for (int i = 0; i < 3; ++i)
          OK(gpu.f.cuGraphLaunch(executable, gpu.stream));
        CHECK(gpu.read(data, 1)[0] == 15);
      });
    });
    ASSERT_TRUE(outcome.isRight) << seed << " " << outcome;
  }
}

//===----------------------------------------------------------------------===//
// Deadlocks
//===----------------------------------------------------------------------===//

/// One float in the stream of the GPU.
static void send(Rank &self, int peer) {
  OK(self.gpu.f.ncclSend(toPointer(self.gpu.allocate(1)), 1, ncclFloat32, peer,
                         self.communicators[0], toCuda(self.gpu.stream)));
}
static void receive(Rank &self, int peer) {
  OK(self.gpu.f.ncclRecv(toPointer(self.gpu.allocate(1)), 1, ncclFloat32, peer,
                         self.communicators[0], toCuda(self.gpu.stream)));
}

/// A program that must be caught, whatever the schedule.
static void expectCaught(const char *part,
                         const std::function<void()> &program) {
  for (const char *order : {"lazy", "eager", "random"}) {
    Outcome outcome = run(with(std::string("order=") + order), program);
    EXPECT_TRUE(outcome.says(part)) << order << " " << outcome;
  }
}

TEST(StandInNccl, SendsInOppositeOrderAreADeadlock) {
  expectCaught("deadlock of NCCL: send 0 of 1 float32 to rank", [] {
    runRanks(2, 1, [](Rank &self) {
      send(self, 1 - self.rank);
      receive(self, 1 - self.rank);
      OK(self.gpu.f.cuStreamSynchronize(self.gpu.stream));
    });
  });
}

TEST(StandInNccl, DeadlocksAreFoundByAskingToo) {
  expectCaught("where its part is behind send 0 of 1 float32", [] {
    runRanks(2, 1, [](Rank &self) {
      send(self, 1 - self.rank);
      receive(self, 1 - self.rank);
      while (self.gpu.f.cuStreamQuery(self.gpu.stream) == CUDA_ERROR_NOT_READY)
        continue;
    });
  });
}

TEST(StandInNccl, ARingWithoutAGroupIsADeadlock) {
  expectCaught("deadlock of NCCL", [] {
    runRanks(3, 1, [](Rank &self) {
      send(self, (self.rank + 1) % 3);
      receive(self, (self.rank + 2) % 3);
      OK(self.gpu.f.cuStreamSynchronize(self.gpu.stream));
    });
  });
}

TEST(StandInNccl, ASendToItselfWithoutAGroupIsADeadlock) {
  expectCaught("deadlock of NCCL", [] {
    runRanks(1, 1, [](Rank &self) {
      send(self, 0);
      receive(self, 0);
      OK(self.gpu.f.cuStreamSynchronize(self.gpu.stream));
    });
  });
}

/// Every host waits for its receive before it enters the other's.
TEST(StandInNccl, HostsThatWaitForEachOtherAreADeadlock) {
  expectCaught("whose process waits for what cannot end", [] {
    runRanks(2, 1, [](Rank &self) {
      receive(self, 1 - self.rank);
      OK(self.gpu.f.cuStreamSynchronize(self.gpu.stream));
      send(self, 1 - self.rank);
      OK(self.gpu.f.cuStreamSynchronize(self.gpu.stream));
    });
  });
}

/// Sums over two communicators, in one stream or two.
static void useTwoCommunicators(Rank &self, bool turnsAround, bool oneStream) {
  Gpu &gpu = self.gpu;
  CUstream streams[] = {gpu.stream, oneStream ? gpu.stream : gpu.makeStream()};
  CUdeviceptr data[] = {gpu.allocate(1), gpu.allocate(1)};
  for (CUdeviceptr each : data)
    gpu.write(each, {1});
  for (int i = 0; i < 2; ++i) {
    int which = turnsAround && self.rank == 1 ? 1 - i : i;
    OK(gpu.f.ncclAllReduce(toPointer(data[which]), toPointer(data[which]), 1,
                           ncclFloat32, ncclSum, self.communicators[which],
                           toCuda(streams[which])));
  }
  for (CUstream stream : streams)
    OK(gpu.f.cuStreamSynchronize(stream));
  CHECK(gpu.read(data[0], 1)[0] == 2 && gpu.read(data[1], 1)[0] == 2);
}

TEST(StandInNccl, CommunicatorsInDifferentOrderAreADeadlock) {
  expectCaught("deadlock of NCCL: allReduce (collective 0) of the sum of 1 "
               "float32 (rank",
               [] {
                 runRanks(2, 2, [](Rank &self) {
                   useTwoCommunicators(self, true, true);
                 });
               });
}

/// Nothing keeps streams in order: with one channel some schedule goes wrong,
/// with two none does.
TEST(StandInNccl, CommunicatorsInStreamsOfTheirOwnMayBeADeadlock) {
  auto program = [] {
    runRanks(2, 2, [](Rank &self) { useTwoCommunicators(self, false, false); });
  };
  Outcome outcome;
  EXPECT_GE(findSeed(four, 4 * fewSeeds, program, &outcome), 0);
  EXPECT_TRUE(outcome.says("which occupies the device")) << outcome;
  EXPECT_EQ(findSeed(with("channels=2"), fewSeeds, program), -1);
  auto ordered = [] {
    runRanks(2, 2, [](Rank &self) { useTwoCommunicators(self, false, true); });
  };
  EXPECT_EQ(findSeed(four, fewSeeds, ordered), -1);
}

//===----------------------------------------------------------------------===//
// Other mistakes
//===----------------------------------------------------------------------===//

TEST(StandInNccl, CountsThatDoNotMatchAreCaught) {
  expectCaught("ranks do not match: rank", [] {
    runRanks(2, 1, [](Rank &self) {
      CUdeviceptr data = self.gpu.allocate(8);
      OK(self.gpu.f.ncclAllReduce(
          toPointer(data), toPointer(data), 4 + self.rank, ncclFloat32, ncclSum,
          self.communicators[0], toCuda(self.gpu.stream)));
      OK(self.gpu.f.cuStreamSynchronize(self.gpu.stream));
    });
  });
  Outcome outcome = run(four, [] {
    runRanks(2, 1, [](Rank &self) {
      if (self.rank == 0)
        send(self, 1);
      else
        OK(self.gpu.f.ncclRecv(toPointer(self.gpu.allocate(2)), 2, ncclFloat32,
                               0, self.communicators[0],
                               toCuda(self.gpu.stream)));
      OK(self.gpu.f.cuStreamSynchronize(self.gpu.stream));
    });
  });
  EXPECT_TRUE(outcome.says("send 0 of 1 float32 to rank 1")) << outcome;
  EXPECT_TRUE(outcome.says("receive 0 of 2 float32 from rank 0")) << outcome;
}

TEST(StandInNccl, KindsAndRootsThatDoNotMatchAreCaught) {
  expectCaught("ranks do not match: rank", [] {
    runRanks(2, 1, [](Rank &self) {
      CUdeviceptr data = self.gpu.allocate(1);
      OK(self.gpu.f.ncclBroadcast(toPointer(data), toPointer(data), 1,
                                  ncclFloat32, self.rank, self.communicators[0],
                                  toCuda(self.gpu.stream)));
      OK(self.gpu.f.cuStreamSynchronize(self.gpu.stream));
    });
  });
}

TEST(StandInNccl, BuffersThatDoNotLiveAreCaught) {
  expectCaught("where nothing lives", [] {
    runRanks(2, 1, [](Rank &self) {
      CUdeviceptr data = self.gpu.allocate(1);
      OK(self.gpu.f.cuMemFree(data));
      OK(self.gpu.f.ncclAllReduce(toPointer(data), toPointer(data), 1,
                                  ncclFloat32, ncclSum, self.communicators[0],
                                  toCuda(self.gpu.stream)));
      OK(self.gpu.f.cuStreamSynchronize(self.gpu.stream));
    });
  });
}

TEST(StandInNccl, RanksThatThereAreNotAreRefused) {
  Outcome outcome = run(four, [] {
    runRanks(1, 1, [](Rank &self) {
      CHECK(self.gpu.f.ncclSend(toPointer(self.gpu.allocate(1)), 1, ncclFloat32,
                                1, self.communicators[0],
                                toCuda(self.gpu.stream)) ==
            ncclInvalidArgument);
    });
  });
  EXPECT_TRUE(outcome.isRight) << outcome;
}

TEST(StandInNccl, AMissingMemberIsNamed) {
  // It never comes: how long the others wait does not matter.
  Outcome outcome = run(with("patience=1"), [] {
    const Functions &f = getFunctions();
    Gpu gpu;
    ncclUniqueId id;
    OK(f.ncclGetUniqueId(&id));
    ncclComm_t comm = nullptr;
    f.ncclCommInitRank(&comm, 2, id, 0);
  });
  EXPECT_TRUE(outcome.says("ncclCommInitRank of rank 0 of 2 waits without end "
                           "for rank 1"))
      << outcome;
}

TEST(StandInNccl, TheSameRankTwiceIsCaught) {
  Outcome outcome = run(four, [] {
    const Functions &f = getFunctions();
    Gpu gpu;
    ncclUniqueId id;
    OK(f.ncclGetUniqueId(&id));
    ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
    config.blocking = 0;
    ncclComm_t comms[2] = {};
    f.ncclCommInitRankConfig(&comms[0], 2, id, 0, &config);
    f.ncclCommInitRankConfig(&comms[1], 2, id, 0, &config);
  });
  EXPECT_TRUE(outcome.says("another one has joined as the same rank"))
      << outcome;
}

TEST(StandInNccl, RanksOnOneDeviceAreRefused) {
  Outcome outcome = run(four, [] {
    const Functions &f = getFunctions();
    Gpu gpu;
    ncclUniqueId id;
    OK(f.ncclGetUniqueId(&id));
    ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
    config.blocking = 0;
    ncclComm_t comms[2] = {};
    f.ncclCommInitRankConfig(&comms[0], 2, id, 0, &config);
    CHECK(f.ncclCommInitRankConfig(&comms[1], 2, id, 1, &config) ==
          ncclInvalidUsage);
  });
  EXPECT_TRUE(outcome.isRight) << outcome;
}

/// Rank 1 gives up; rank 0 learns of it, and its streams go on when it has
/// aborted as well.
TEST(StandInNccl, AnAbortReachesTheOthers) {
  for (int seed = 0; seed < numSeeds; ++seed) {
    Outcome outcome = run(with("seed=" + std::to_string(seed)), [] {
      runRanks(2, 1, [](Rank &self) {
        const Functions &f = self.gpu.f;
        if (self.rank == 1) {
          OK(f.ncclCommAbort(self.communicators[0]));
          return;
        }
        receive(self, 1);
        ncclResult_t state = ncclSuccess;
        while (state == ncclSuccess) {
          CHECK(f.cuStreamQuery(self.gpu.stream) == CUDA_ERROR_NOT_READY);
          OK(f.ncclCommGetAsyncError(self.communicators[0], &state));
        }
        CHECK(state == ncclRemoteError);
        OK(f.ncclCommAbort(self.communicators[0]));
        OK(f.cuStreamSynchronize(self.gpu.stream));
      });
    });
    ASSERT_TRUE(outcome.isRight) << seed << " " << outcome;
  }
}

/// Nothing of it is entered, so that nobody waits for the rest.
TEST(StandInNccl, AFailedCallEndsItsGroup) {
  Outcome outcome = run(with("fail=ncclRecv@1"), [] {
    Gpu second(1), first(0);
    std::vector<ncclComm_t> comms = joinAlone(first, second);
    const Functions &f = first.f;
    OK(f.cuCtxSetCurrent(first.context));
    float *data = toPointer(first.allocate(2));
    cudaStream_t stream = toCuda(first.stream);
    OK(f.ncclGroupStart());
    OK(f.ncclSend(data, 1, ncclFloat32, 1, comms[0], stream));
    CHECK(f.ncclRecv(data + 1, 1, ncclFloat32, 1, comms[0], stream) !=
          ncclSuccess);
    CHECK(f.ncclGroupEnd() != ncclSuccess);
    OK(f.cuStreamSynchronize(first.stream));
  });
  EXPECT_TRUE(outcome.isRight) << outcome;
}

TEST(StandInNccl, WaitingForWhoHasAbortedIsNamed) {
  Outcome outcome = run(with("patience=1"), [] {
    Gpu first(0), second(1);
    std::vector<ncclComm_t> comms = joinAlone(first, second);
    OK(first.f.ncclCommAbort(comms[1]));
    OK(first.f.ncclRecv(toPointer(first.allocate(1)), 1, ncclFloat32, 1,
                        comms[0], toCuda(first.stream)));
    OK(first.f.cuStreamSynchronize(first.stream));
  });
  EXPECT_TRUE(outcome.says("waits, and rank 1 has aborted its communicator"))
      << outcome;
}

TEST(StandInNccl, WaitingForWhoHasLeftIsADeadlock) {
  expectCaught("which has destroyed its communicator", [] {
    runRanks(2, 1, [](Rank &self) {
      if (self.rank == 1) {
        OK(self.gpu.f.ncclCommDestroy(self.communicators[0]));
        return;
      }
      receive(self, 1);
      OK(self.gpu.f.cuStreamSynchronize(self.gpu.stream));
    });
  });
}
