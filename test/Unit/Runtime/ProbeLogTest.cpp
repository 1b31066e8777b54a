//===- ProbeLogTest.cpp - Tests of what kernels tell while they run -------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Runtime/ProbeLog.h"
#include "hetero/Runtime/Hooks.h"
#include "gtest/gtest.h"
#include <thread>

using namespace hetero::runtime;

TEST(ProbeLogTest, spansAreInTheOrderOfTheirBegin) {
  ProbeLog log;
  {
    ProbeLog::Scope scope(log);
    hetero_probe_begin("outer");
    hetero_probe_begin("inner");
    hetero_probe_end();
    hetero_probe_end();
    hetero_probe_begin("next");
    hetero_probe_end();
  }
  auto spans = log.takeSpans();
  ASSERT_EQ(spans.size(), 3u);
  EXPECT_EQ(spans[0].name, "outer");
  EXPECT_EQ(spans[1].name, "inner");
  EXPECT_EQ(spans[2].name, "next");
  EXPECT_LE(spans[0].begin, spans[1].begin);
  EXPECT_LE(spans[1].end, spans[0].end);
  EXPECT_LE(spans[0].end, spans[2].begin);
  EXPECT_TRUE(log.takeSpans().empty());
}

TEST(ProbeLogTest, onlyTheThreadThatHasTheLogWritesToIt) {
  hetero_probe_begin("nobody listens");
  hetero_probe_end();
  ProbeLog log, other;
  {
    ProbeLog::Scope scope(log);
    std::thread helper([] {
      hetero_probe_begin("elsewhere");
      hetero_probe_end();
    });
    helper.join();
    ProbeLog::Scope inner(other);
    hetero_probe_begin("inner log");
    hetero_probe_end();
  }
  EXPECT_TRUE(log.takeSpans().empty());
  EXPECT_EQ(other.takeSpans().size(), 1u);
}

TEST(ProbeLogTest, unmatchedCallsAreHarmless) {
  ProbeLog log;
  ProbeLog::Scope scope(log);
  hetero_probe_end();
  hetero_probe_begin("never ends");
  auto spans = log.takeSpans();
  ASSERT_EQ(spans.size(), 1u);
  EXPECT_EQ(spans[0].begin, spans[0].end);
  // It was forgotten with its span.
  hetero_probe_end();
}

TEST(ProbeLogTest, takesAMillionSpans) {
  ProbeLog log;
  ProbeLog::Scope scope(log);
  hetero_probe_begin("all");
  for (size_t i = 0; i < ProbeLog::maxSpans + 10; ++i) {
    hetero_probe_begin("one");
    hetero_probe_end();
  }
  hetero_probe_end();
  auto spans = log.takeSpans();
  EXPECT_EQ(spans.size(), ProbeLog::maxSpans);
  EXPECT_GE(spans.front().end, spans.back().end);
}
