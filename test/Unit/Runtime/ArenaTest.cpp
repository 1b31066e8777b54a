//===- ArenaTest.cpp - Tests of places for blocks -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Runtime/Arena.h"
#include "gtest/gtest.h"
#include <random>
#include <vector>

using namespace hetero::runtime;

static void *at(uint64_t address) { return reinterpret_cast<void *>(address); }

TEST(ArenaTest, GivesTheLowestPlace) {
  Arena arena;
  arena.add(at(4096), 4096);
  EXPECT_EQ(arena.take(1), at(4096));
  EXPECT_EQ(arena.take(257), at(4096 + 256));
  EXPECT_EQ(arena.take(0), at(4096 + 768));
  arena.give(at(4096 + 256), 257);
  EXPECT_EQ(arena.take(513), at(4096 + 1024));
  EXPECT_EQ(arena.take(512), at(4096 + 256));
  EXPECT_EQ(arena.getReach(), 1024 + 768);
  EXPECT_EQ(arena.take(4096), nullptr);
}

TEST(ArenaTest, GapsJoinWithinAPiece) {
  Arena arena;
  arena.add(at(4096), 1024);
  // The next one begins where that ends; no block lies in both.
  arena.add(at(5120), 1024);
  EXPECT_EQ(arena.take(2048), nullptr);
  void *a = arena.take(512), *b = arena.take(512), *c = arena.take(512);
  EXPECT_EQ(c, at(5120));
  arena.give(b, 512);
  arena.give(c, 512);
  arena.give(a, 512);
  EXPECT_EQ(arena.take(2048), nullptr);
  EXPECT_EQ(arena.take(1024), at(4096));
  EXPECT_EQ(arena.take(1024), at(5120));
}

TEST(ArenaTest, SameRequestsHaveTheSamePlaces) {
  Arena arena;
  arena.add(at(1 << 20), 1 << 20);
  std::vector<std::pair<void *, int64_t>> first;
  auto run = [&](std::vector<std::pair<void *, int64_t>> &places) {
    std::mt19937 choices(2);
    std::vector<std::pair<void *, int64_t>> live;
    for (int i = 0; i < 500; ++i) {
      if (live.size() > 20 || (!live.empty() && choices() % 2)) {
        size_t which = choices() % live.size();
        arena.give(live[which].first, live[which].second);
        live.erase(live.begin() + which);
        continue;
      }
      int64_t bytes = choices() % 5000;
      void *place = arena.take(bytes);
      ASSERT_NE(place, nullptr);
      // No two blocks overlap.
      for (auto &[other, size] : live)
        EXPECT_TRUE(static_cast<char *>(other) + Arena::roundUp(size) <=
                        static_cast<char *>(place) ||
                    static_cast<char *>(place) + Arena::roundUp(bytes) <=
                        static_cast<char *>(other));
      live.push_back({place, bytes});
      places.push_back({place, bytes});
    }
    for (auto &[place, bytes] : live)
      arena.give(place, bytes);
  };
  run(first);
  std::vector<std::pair<void *, int64_t>> second;
  run(second);
  EXPECT_EQ(first, second);
  EXPECT_EQ(arena.take(1 << 20), at(1 << 20));
}

TEST(ArenaTest, TakesAPlaceThatIsFree) {
  Arena arena;
  arena.add(at(4096), 4096);
  arena.takeAt(at(5120), 300);
  EXPECT_EQ(arena.take(2048), at(5632));
  EXPECT_EQ(arena.take(1024), at(4096));
  EXPECT_EQ(arena.take(512), at(7680));
  EXPECT_EQ(arena.take(1), nullptr);
}
