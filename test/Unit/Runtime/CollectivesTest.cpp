//===- CollectivesTest.cpp - Tests of collectives on threads --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "RandomCollectives.h"
#include "gtest/gtest.h"
#include <atomic>
#include <thread>

using namespace hetero::runtime;

/// Runs the random program of `seed` twice and compares.
static void run(int64_t numRanks, unsigned seed) {
  RandomCollectives programs(numRanks, seed, 30);
  std::vector<RankSetup> setups(numRanks);
  for (int64_t rank = 0; rank < numRanks; ++rank)
    setups[rank].program = programs.getProgram(rank);
  auto group = ProgramGroup::create(std::move(setups),
                                    createThreadsTransports(numRanks));
  ASSERT_TRUE(group) << group.error();
  for (int step = 0; step < 2; ++step) {
    for (int64_t rank = 0; rank < numRanks; ++rank)
      ASSERT_EQ(programs.setArguments((*group)->getSession(rank)),
                std::nullopt);
    ASSERT_EQ((*group)->step(), std::nullopt);
    for (int64_t rank = 0; rank < numRanks; ++rank)
      ASSERT_EQ(programs.compare((*group)->getSession(rank)), std::nullopt)
          << "seed " << seed;
  }
}

TEST(RuntimeCollectivesTest, randomPrograms) {
  for (unsigned seed = 0; seed < 12; ++seed)
    run(/*numRanks=*/1 + seed % 5, seed);
}

TEST(RuntimeCollectivesTest, manyRanks) { run(/*numRanks=*/9, /*seed=*/100); }

TEST(RuntimeCollectivesTest, barrierWaitsForAll) {
  auto transports = createThreadsTransports(3);
  std::vector<std::unique_ptr<Communicator>> communicators;
  for (auto &transport : transports)
    communicators.push_back(std::make_unique<Communicator>(*transport));
  std::atomic<int> arrived{0};
  std::vector<std::thread> threads;
  for (int64_t rank = 0; rank < 3; ++rank)
    threads.emplace_back([&, rank] {
      Program program;
      program.rank = rank;
      ASSERT_EQ(communicators[rank]->open(program), std::nullopt);
      for (int round = 1; round <= 10; ++round) {
        ++arrived;
        ASSERT_EQ(communicators[rank]->barrier({0, 1, 2}), std::nullopt);
        EXPECT_GE(arrived, 3 * round);
      }
    });
  for (std::thread &thread : threads)
    thread.join();
}

TEST(RuntimeCollectivesTest, abortEndsAllWaits) {
  auto transports = createThreadsTransports(2);
  Communicator communicator(*transports[0]);
  Program program;
  ASSERT_EQ(communicator.open(program), std::nullopt);
  std::thread other([&] { transports[1]->abort("rank 1 has had enough"); });
  EXPECT_EQ(communicator.barrier({0, 1}), "rank 1 has had enough");
  other.join();
}
