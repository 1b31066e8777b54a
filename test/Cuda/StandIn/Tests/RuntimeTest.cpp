//===- RuntimeTest.cpp - Our runtime on the stand-in ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sessions with CUDA devices and NCCL, as hetero-run has them: programs that
// communicate at random, compared with results that are computed here.

#include "../../../Unit/Runtime/RandomCollectives.h"
#include "Harness.h"
#include "hetero/Runtime/Elements.h"
#include "hetero/Runtime/NcclCommunicator.h"
#include <cstdlib>
#include <cstring>

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

static void chooseStandIn() {
  for (const char *variable : {"HETERO_CUDA_DRIVER_LIBRARY",
                               "HETERO_CUBLAS_LIBRARY", "HETERO_NCCL_LIBRARY"})
    setenv(variable, HETERO_STANDIN_LIBRARY, 1);
}

static void runRandom(int64_t numRanks, unsigned seed, int64_t numTransfers,
                      CudaMemory memory) {
  chooseStandIn();
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

/// With a channel for each stream: with fewer, the order in which the ranks
/// enter their transfers would matter.
TEST(StandInRuntime, RandomProgramsAreRight) {
  for (unsigned seed = 0; seed < 40; ++seed) {
    std::string schedule = ";channels=64;seed=" + std::to_string(seed);
    Outcome outcome = run(three + schedule, [&] {
      runRandom(3, seed, 3 + seed % 9,
                seed % 4 ? CudaMemory::Arena : CudaMemory::Pool);
    });
    EXPECT_TRUE(outcome.isRight) << seed << outcome;
  }
}

/// Random bits, of which floats are often special, and booleans 0 or 1.
static std::vector<char> makeOperand(ElementType type, int64_t count,
                                     std::mt19937_64 &random) {
  std::vector<char> data(count * sizeOf(type));
  for (char &byte : data)
    byte = static_cast<char>(type == ElementType::Bool ? random() % 2
                             : random() % 4 == 0       ? (random() % 2) * 0xff
                             : random() % 4 == 0       ? (random() % 2) * 0x80
                                                       : random());
  return data;
}

/// Whether all bits agree, or both are NaN, which has many forms.
static bool areEqual(ElementType type, const char *left, const char *right) {
  if (std::memcmp(left, right, sizeOf(type)) == 0)
    return true;
  auto isNan = [&](const char *data) {
    uint64_t bits = 0;
    std::memcpy(&bits, data, sizeOf(type));
    uint64_t infinity = type == ElementType::F16    ? 0x7c00
                        : type == ElementType::BF16 ? 0x7f80
                        : type == ElementType::F32  ? 0x7f800000
                                                    : 0x7ff0000000000000;
    uint64_t sign = uint64_t(1) << (8 * sizeOf(type) - 1);
    return (bits & (sign - 1)) > infinity;
  };
  return type >= ElementType::F16 && type <= ElementType::F64 && isNan(left) &&
         isNan(right);
}

static void combineEverything() {
  auto api = createCudaApi(0);
  if (!api)
    expect(api.error());
  auto device = CudaDevice::create("gpu", std::move(*api));
  if (!device)
    expect(device.error());
  std::mt19937_64 random(7);
  // More than a block of threads, and no multiple of one.
  constexpr int64_t count = 700;
  for (int t = 0; t <= int(ElementType::F64); ++t) {
    auto type = ElementType(t);
    for (Reduction reduction : {Reduction::Sum, Reduction::Max, Reduction::Min,
                                Reduction::And, Reduction::Or}) {
      bool isAdded = type >= ElementType::F16 && reduction == Reduction::Sum;
      if (!isDefined(reduction, type) || isAdded)
        continue;
      std::vector<char> value = makeOperand(type, count, random),
                        sum = makeOperand(type, count, random), found = sum;
      void *there = *(*device)->allocate(value.size(), "value");
      void *result = *(*device)->allocate(value.size(), "sum");
      expect((*device)->write(there, value.data(), value.size()));
      expect((*device)->write(result, sum.data(), sum.size()));
      expect((*device)->accumulate(reduction, type, there, result, count));
      expect((*device)->read(found.data(), result, found.size()));
      combine(reduction, type, value.data(), sum.data(), count);
      for (int64_t i = 0; i < count; ++i)
        if (!areEqual(type, &sum[i * sizeOf(type)], &found[i * sizeOf(type)]))
          expect("element " + std::to_string(i) + " of the " +
                 nameOf(reduction) + " of " + nameOf(type) + " is wrong");
      (*device)->release(there);
      (*device)->release(result);
    }
  }
}

TEST(StandInRuntime, KernelsCombineAsTheHostDoes) {
  Outcome outcome = run("devices=sm_75:64MiB;seed=1", [] {
    chooseStandIn();
    combineEverything();
  });
  EXPECT_TRUE(outcome.isRight) << outcome;
}
