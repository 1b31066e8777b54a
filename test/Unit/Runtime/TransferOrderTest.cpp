//===- TransferOrderTest.cpp - One order of all transfers of a step -------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Runtime/TransferOrder.h"
#include "Programs.h"
#include "gtest/gtest.h"
#include <algorithm>
#include <random>
#include <set>

using namespace hetero::runtime;

static TransferName message(int64_t from, int64_t to, int64_t sequence = 0) {
  return {{{from, to}, 0, true}, sequence};
}

static TransferEvent begin(const TransferName &name, int64_t work = 0) {
  return {name, false, work, "begin"};
}
static TransferEvent wait(const TransferName &name) {
  return {name, true, 0, "wait"};
}

TEST(TransferOrder, FindsInstants) {
  TransferName a0 = message(0, 1), a1 = message(0, 1, 1), g0 = message(1, 0);
  auto order =
      orderTransfers({{begin(a0), begin(a1), begin(g0), wait(g0)},
                      {begin(a0), wait(a0), begin(g0), begin(a1), wait(a1)}});
  ASSERT_TRUE(bool(order)) << order.error();
  EXPECT_EQ(order->at(a0), 1);
  EXPECT_EQ(order->at(a1), 2);
  EXPECT_EQ(order->at(g0), 2);
}

TEST(TransferOrder, CountsWorkAsTime) {
  TransferName a = message(0, 1), b = message(1, 0);
  auto order = orderTransfers(
      {{begin(a, 5), begin(b), wait(b)}, {begin(a), begin(b, 2), wait(a)}});
  ASSERT_TRUE(bool(order)) << order.error();
  EXPECT_EQ(order->at(a), 6);
  EXPECT_EQ(order->at(b), 6);
}

TEST(TransferOrder, NamesRanksThatWaitForEachOther) {
  TransferName a = message(0, 1), b = message(1, 0);
  auto order = orderTransfers(
      {{begin(b), wait(b), begin(a)}, {begin(a), wait(a), begin(b)}});
  ASSERT_FALSE(bool(order));
  EXPECT_EQ(order.error(),
            "the transfers of the ranks have no common order: rank 0 waits for "
            "'wait' of ranks 1, 0 on channel 0; rank 1 waits for 'wait' of "
            "ranks 0, 1 on channel 0");
}

TEST(TransferOrder, NamesATransferThatAMemberDoesNotStart) {
  auto order = orderTransfers({{begin(message(0, 1))}, {}});
  ASSERT_FALSE(bool(order));
  EXPECT_EQ(order.error(), "not all members start 'begin' of ranks 0, 1 on "
                           "channel 0");
}

TEST(TransferOrder, ReadsWhatItWrites) {
  std::vector<TransferEvent> events = {
      begin(message(0, 1), 3),
      {{{{2, 0, 1}, 7, false}, 4}, true, 0, "sum of 3 parts"}};
  std::string text = writeTransferEvents(events);
  auto again = readTransferEvents(text);
  ASSERT_TRUE(bool(again)) << again.error();
  EXPECT_EQ(writeTransferEvents(*again), text);
  for (size_t length = 0; length < text.size(); ++length)
    EXPECT_FALSE(bool(readTransferEvents(text.substr(0, length)))) << length;
}

TEST(TransferOrder, ListsBucketsOnce) {
  ProgramBuilder builder(0);
  BufferId a = builder.argument(0, f32({4})), b = builder.argument(1, f32({4}));
  BufferId x = builder.buffer(f32({4})), y = builder.buffer(f32({4}));
  builder.call("k", {a}, {}, "forward");
  for (auto [from, to] : {std::pair(a, x), std::pair(b, y)}) {
    Instruction &what = builder.add(Opcode::AllReduce, {from}, {to}, "sum");
    what.group = {0, 1};
    what.bucket = 3;
    builder.free({from});
  }
  std::vector<TransferEvent> events = listTransferEvents(builder.program);
  ASSERT_EQ(events.size(), 2u);
  EXPECT_FALSE(events[0].isWait);
  EXPECT_EQ(events[0].work, 1);
  EXPECT_TRUE(events[1].isWait);
}

namespace {
/// What ranks do that exchange blocks at random, in one order that works.
struct RandomRanks {
  explicit RandomRanks(unsigned seed) : random(seed) {
    size_t numRanks = 2 + random() % 4;
    ranks.resize(numRanks);
    open.resize(numRanks);
    std::map<Stream, int64_t> sequences;
    for (int i = 0; i < 60; ++i) {
      Stream stream = choose(numRanks);
      TransferName name = {stream, sequences[stream]++};
      for (int64_t member : stream.group) {
        // Some wait for something first.
        if (!open[member].empty() && random() % 2)
          waitForOne(member);
        ranks[member].push_back(begin(name, random() % 3));
        open[member].push_back(name);
      }
    }
    for (size_t rank = 0; rank < numRanks; ++rank)
      while (!open[rank].empty())
        waitForOne(rank);
  }

  Stream choose(size_t numRanks) {
    std::vector<int64_t> all;
    for (size_t i = 0; i < numRanks; ++i)
      all.push_back(i);
    std::shuffle(all.begin(), all.end(), random);
    bool isMessage = random() % 2;
    all.resize(isMessage ? 2 : 2 + random() % (numRanks - 1));
    return {all, int64_t(random() % 2), isMessage};
  }

  void waitForOne(int64_t rank) {
    size_t k = random() % open[rank].size();
    ranks[rank].push_back(wait(open[rank][k]));
    open[rank].erase(open[rank].begin() + k);
  }

  std::mt19937 random;
  std::vector<std::vector<TransferEvent>> ranks;
  std::vector<std::vector<TransferName>> open;
};
} // namespace

/// Whether each rank can go on when a device carries out one transfer (or the
/// messages of one instant) at a time, in the order of instants.
static void
expectNobodyWaits(const std::vector<std::vector<TransferEvent>> &ranks,
                  const std::map<TransferName, int64_t> &order) {
  std::vector<size_t> next(ranks.size());
  std::map<TransferName, size_t> started;
  std::set<TransferName> done;
  // The transfers of each rank, by instant.
  std::vector<std::multimap<int64_t, TransferName>> queues(ranks.size());
  for (size_t rank = 0; rank < ranks.size(); ++rank)
    for (const TransferEvent &event : ranks[rank])
      if (!event.isWait)
        queues[rank].insert({order.at(event.name), event.name});
  auto isFirst = [&](int64_t rank, const TransferName &name) {
    return queues[rank].begin()->first == order.at(name);
  };
  bool moved = true;
  while (moved) {
    moved = false;
    for (size_t rank = 0; rank < ranks.size(); ++rank)
      for (; next[rank] < ranks[rank].size(); ++next[rank], moved = true) {
        const TransferEvent &event = ranks[rank][next[rank]];
        if (event.isWait && !done.count(event.name))
          break;
        if (!event.isWait)
          ++started[event.name];
      }
    for (const auto &[name, count] : started) {
      const std::vector<int64_t> &group = name.stream.group;
      bool canRun = !done.count(name) && count == group.size() &&
                    std::all_of(group.begin(), group.end(),
                                [&, &name = name](int64_t member) {
                                  return isFirst(member, name);
                                });
      if (!canRun)
        continue;
      done.insert(name);
      moved = true;
      for (int64_t member : group)
        for (auto it = queues[member].begin(); it != queues[member].end(); ++it)
          if (!(it->second < name) && !(name < it->second)) {
            queues[member].erase(it);
            break;
          }
    }
  }
  for (size_t rank = 0; rank < ranks.size(); ++rank)
    EXPECT_EQ(next[rank], ranks[rank].size()) << "rank " << rank;
}

TEST(TransferOrder, LetsEveryRankGoOn) {
  for (unsigned seed = 0; seed < 500; ++seed) {
    RandomRanks random(seed);
    auto order = orderTransfers(random.ranks);
    ASSERT_TRUE(bool(order)) << seed << ": " << order.error();
    expectNobodyWaits(random.ranks, *order);
    if (HasFailure())
      FAIL() << "seed " << seed;
  }
}
