//===- RuntimeTest.cpp - Our runtime on the stand-in ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sessions with CUDA devices and NCCL, as hetero-run has them: programs that
// communicate at random, compared with results that are computed here.

#include "../../../Unit/Runtime/RandomCollectives.h"
#include "Harness.h"
#include "hetero/Runtime/NcclCommunicator.h"
#include <cstdlib>

using namespace hetero::runtime;
using namespace hetero::standin::tests;

static const char *const three =
    "devices=sm_80:256MiB,sm_75:128MiB,sm_90:256MiB";

/// Ends the child with a message, as programs of ours do.
static void expect(const MaybeError &error) {
  if (!error)
    return;
  std::fprintf(stderr, "error: %s\n", error->c_str());
  std::exit(1);
}

static RankSetup makeRank(const RandomCollectives &programs, int64_t rank,
                          CudaMemory memory) {
  auto api = createCudaApi(rank);
  if (!api)
    expect(api.error());
  CudaDeviceOptions options;
  options.memory = memory;
  auto device = CudaDevice::create("gpu " + std::to_string(rank),
                                   std::move(*api), options);
  if (!device)
    expect(device.error());
  RankSetup setup;
  setup.program = programs.getProgram(rank);
  setup.device = std::move(*device);
  setup.makeCommunicator =
      [](Transport &transport, Device &device,
         const CommunicatorOptions &options) -> std::unique_ptr<Communicator> {
    return std::make_unique<NcclCommunicator>(transport, *device.asCuda(),
                                              options);
  };
  return setup;
}

static void runRandom(int64_t numRanks, unsigned seed, int64_t numTransfers,
                      CudaMemory memory) {
  for (const char *variable : {"HETERO_CUDA_DRIVER_LIBRARY",
                               "HETERO_CUBLAS_LIBRARY", "HETERO_NCCL_LIBRARY"})
    setenv(variable, HETERO_STANDIN_LIBRARY, 1);
  RandomCollectives programs(numRanks, seed, numTransfers);
  std::vector<RankSetup> setups;
  for (int64_t rank = 0; rank < numRanks; ++rank)
    setups.push_back(makeRank(programs, rank, memory));
  auto group = ProgramGroup::create(std::move(setups),
                                    createThreadsTransports(numRanks));
  if (!group)
    expect(group.error());
  // Steps that repeat are graphs after some; every second one is entered while
  // the one before it runs.
  for (int step = 0; step < 8; ++step) {
    for (int64_t rank = 0; rank < numRanks; ++rank)
      expect(programs.setArguments((*group)->getSession(rank)));
    expect((*group)->step());
    if (step % 2 == 0)
      continue;
    for (int64_t rank = 0; rank < numRanks; ++rank)
      expect(programs.compare((*group)->getSession(rank)));
  }
}

/// What NCCL cannot do is refused by name, and is no mistake.
static bool isRefused(const Outcome &outcome) {
  return outcome.text.find("is not supported by NCCL") != std::string::npos;
}

/// With a channel for each stream: with fewer, the order in which the ranks
/// enter their transfers would matter.
TEST(StandInRuntime, RandomProgramsAreRight) {
  int numRight = 0;
  for (unsigned seed = 0; seed < 40; ++seed) {
    std::string schedule = ";channels=64;seed=" + std::to_string(seed);
    Outcome outcome = run(three + schedule, [&] {
      runRandom(3, seed, 3 + seed % 9,
                seed % 4 ? CudaMemory::Arena : CudaMemory::Pool);
    });
    EXPECT_TRUE(outcome.isRight || isRefused(outcome)) << seed << outcome;
    numRight += outcome.isRight;
  }
  EXPECT_GT(numRight, 8);
}
