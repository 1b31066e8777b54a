//===- ProcessTest.cpp - Ranks of the stand-in in several processes -------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Harness.h"
#include <atomic>
#include <new>
#include <sys/mman.h>

using namespace hetero::standin::tests;

static const char *const devices =
    "devices=sm_80:64MiB,sm_75:32MiB,sm_70:32MiB";

/// What a launcher would give to all: the id of the communicator.
namespace {
struct Shared {
  std::atomic<int> hasId{0};
  ncclUniqueId ids[2];

  static Shared *make() {
    return new (mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE,
                     MAP_SHARED | MAP_ANONYMOUS, -1, 0)) Shared;
  }

  /// A communicator that all make in the same order.
  ncclComm_t join(int which, int rank, int size) {
    const Functions &f = getFunctions();
    if (rank == 0) {
      OK(f.ncclGetUniqueId(&ids[which]));
      hasId = which + 1;
    }
    while (hasId <= which)
      std::this_thread::yield();
    ncclComm_t comm = nullptr;
    OK(f.ncclCommInitRank(&comm, size, ids[which], rank));
    return comm;
  }
};
} // namespace

static bool areRight(const std::vector<Outcome> &outcomes) {
  for (const Outcome &outcome : outcomes)
    if (!outcome.isRight)
      return false;
  return true;
}

static std::string listTexts(const std::vector<Outcome> &outcomes) {
  std::string text;
  for (const Outcome &outcome : outcomes)
    text += outcome.text + "|";
  return text;
}

TEST(StandInProcesses, RanksMeet) {
  for (const std::string &schedule : getSchedules(getNumSeeds())) {
    Shared *shared = Shared::make();
    std::vector<Outcome> outcomes =
        runProcesses(devices + (";" + schedule), 3, [&](int rank) {
          Gpu gpu(rank);
          ncclComm_t comm = shared->join(0, rank, 3);
          CUdeviceptr from = gpu.allocate(2), to = gpu.allocate(6);
          for (int step = 0; step < 3; ++step) {
            gpu.write(from, {float(rank), float(step)});
            OK(gpu.f.ncclAllGather(toPointer(from), toPointer(to), 2,
                                   ncclFloat32, comm, toCuda(gpu.stream)));
            float s = step;
            CHECK((gpu.read(to, 6) == std::vector<float>{0, s, 1, s, 2, s}));
            OK(gpu.f.ncclGroupStart());
            OK(gpu.f.ncclSend(toPointer(from), 2, ncclFloat32, (rank + 1) % 3,
                              comm, toCuda(gpu.stream)));
            OK(gpu.f.ncclRecv(toPointer(to), 2, ncclFloat32, (rank + 2) % 3,
                              comm, toCuda(gpu.stream)));
            OK(gpu.f.ncclGroupEnd());
            CHECK(gpu.read(to, 2)[0] == float((rank + 2) % 3));
          }
          OK(gpu.f.ncclCommDestroy(comm));
        });
    ASSERT_TRUE(areRight(outcomes)) << schedule << listTexts(outcomes);
  }
}

/// The host of rank 1 does not call the stand-in while rank 0 waits for what is
/// in rank 1's stream: a device goes on by itself.
TEST(StandInProcesses, DevicesGoOnWithoutTheirHosts) {
  Shared *shared = Shared::make();
  auto *isDone =
      new (mmap(nullptr, 4096, PROT_READ | PROT_WRITE,
                MAP_SHARED | MAP_ANONYMOUS, -1, 0)) std::atomic<int>{0};
  std::vector<Outcome> outcomes =
      runProcesses(devices + std::string(";order=lazy"), 2, [&](int rank) {
        Gpu gpu(rank);
        ncclComm_t comm = shared->join(0, rank, 2);
        CUdeviceptr data = gpu.allocate(1);
        OK(gpu.f.cuMemsetD32Async(data, 0, 1, gpu.stream));
        gpu.increment(data, 1, gpu.stream);
        OK(gpu.f.ncclAllReduce(toPointer(data), toPointer(data), 1, ncclFloat32,
                               ncclSum, comm, toCuda(gpu.stream)));
        if (rank == 0)
          OK(gpu.f.cuStreamSynchronize(gpu.stream));
        *isDone += 1 - rank;
        while (!*isDone)
          std::this_thread::yield();
        CHECK(gpu.read(data, 1)[0] == 2);
      });
  EXPECT_TRUE(areRight(outcomes)) << listTexts(outcomes);
}

TEST(StandInProcesses, DeadlocksAreFound) {
  Shared *shared = Shared::make();
  std::vector<Outcome> outcomes = runProcesses(devices, 2, [&](int rank) {
    Gpu gpu(rank);
    ncclComm_t comms[2] = {};
    for (int i = 0; i < 2; ++i)
      comms[i] = shared->join(i, rank, 2);
    CUdeviceptr data = gpu.allocate(1);
    for (int i = 0; i < 2; ++i)
      OK(gpu.f.ncclAllReduce(toPointer(data), toPointer(data), 1, ncclFloat32,
                             ncclSum, comms[i ^ rank], toCuda(gpu.stream)));
    OK(gpu.f.cuStreamSynchronize(gpu.stream));
  });
  bool isFound = false;
  for (const Outcome &outcome : outcomes)
    isFound |= outcome.says("deadlock of NCCL");
  EXPECT_TRUE(isFound) << listTexts(outcomes);
}

TEST(StandInProcesses, CountsThatDoNotMatchAreCaught) {
  Shared *shared = Shared::make();
  std::vector<Outcome> outcomes = runProcesses(devices, 2, [&](int rank) {
    Gpu gpu(rank);
    ncclComm_t comm = shared->join(0, rank, 2);
    CUdeviceptr data = gpu.allocate(2);
    OK(gpu.f.ncclAllReduce(toPointer(data), toPointer(data), 1 + rank,
                           ncclFloat32, ncclSum, comm, toCuda(gpu.stream)));
    OK(gpu.f.cuStreamSynchronize(gpu.stream));
  });
  EXPECT_TRUE(outcomes[0].says("ranks do not match") ||
              outcomes[1].says("ranks do not match"))
      << listTexts(outcomes);
}

/// A process that ends while others wait for it is noticed.
TEST(StandInProcesses, AProcessThatEndsIsNoticed) {
  Shared *shared = Shared::make();
  std::vector<Outcome> outcomes = runProcesses(devices, 2, [&](int rank) {
    Gpu gpu(rank);
    ncclComm_t comm = shared->join(0, rank, 2);
    if (rank == 1)
      _exit(0);
    CUdeviceptr data = gpu.allocate(1);
    OK(gpu.f.ncclAllReduce(toPointer(data), toPointer(data), 1, ncclFloat32,
                           ncclSum, comm, toCuda(gpu.stream)));
    ncclResult_t state = ncclSuccess;
    while (state == ncclSuccess) {
      CHECK(gpu.f.cuStreamQuery(gpu.stream) == CUDA_ERROR_NOT_READY);
      OK(gpu.f.ncclCommGetAsyncError(comm, &state));
    }
    CHECK(state == ncclRemoteError);
    OK(gpu.f.ncclCommAbort(comm));
    OK(gpu.f.cuStreamSynchronize(gpu.stream));
  });
  EXPECT_TRUE(areRight(outcomes)) << listTexts(outcomes);
}
