//===- SampleDivisionTest.cpp - Tests of samples by speed -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Planner/Model/SampleDivision.h"
#include "RandomCases.h"
#include "gtest/gtest.h"
#include <random>

using namespace hetero;
using namespace hetero::planner;

/// Hands out samples to one row after the other, as the comment of the header
/// says; returns the time of the slowest.
static double handOutOneByOne(const std::vector<RowKind> &kinds, int64_t size,
                              int64_t &left) {
  std::vector<std::pair<size_t, int64_t>> rows;
  for (size_t kind = 0; kind < kinds.size(); ++kind)
    for (int64_t row = 0; row < kinds[kind].rows; ++row)
      rows.emplace_back(kind, 0);
  double slowest = 0;
  for (left = size; left > 0; --left) {
    std::pair<size_t, int64_t> *best = nullptr;
    for (auto &row : rows) {
      if (row.second >= kinds[row.first].cap)
        continue;
      if (!best || kinds[row.first].seconds(row.second + 1) <
                       kinds[best->first].seconds(best->second + 1))
        best = &row;
    }
    if (!best)
      break;
    ++best->second;
    slowest = std::max(slowest, kinds[best->first].seconds(best->second));
  }
  return slowest;
}

TEST(SampleDivisionTest, equalsHandingOutOneByOne) {
  std::mt19937 random(41);
  for (int i = 0, cases = numRandomCases(500); i < cases; ++i) {
    std::vector<RowKind> kinds(1 + random() % 4);
    for (RowKind &kind : kinds) {
      kind.rows = 1 + random() % 4;
      kind.cap = random() % 40;
      double fixed = random() % 100, slope = random() % 20;
      // Times may stay the same for a while.
      int64_t step = 1 + random() % 3;
      kind.seconds = [=](int64_t samples) {
        return fixed + slope * static_cast<double>(samples / step);
      };
    }
    int64_t size = 1 + random() % 100, left = 0;
    double slowest = handOutOneByOne(kinds, size, left);
    std::vector<RowSamples> rows = divideBySpeed(kinds, size);
    int64_t sum = 0;
    double worst = 0;
    for (size_t kind = 0; kind < kinds.size(); ++kind)
      for (int64_t row = 0; row < kinds[kind].rows; ++row) {
        int64_t samples = rows[kind].of(row);
        EXPECT_LE(samples, kinds[kind].cap);
        sum += samples;
        if (samples > 0)
          worst = std::max(worst, kinds[kind].seconds(samples));
      }
    EXPECT_EQ(sum, size - left);
    EXPECT_EQ(worst, slowest);
  }
}

TEST(SampleDivisionTest, largeBatchesTakeFewSteps) {
  int64_t calls = 0;
  std::vector<RowKind> kinds(3);
  for (RowKind &kind : kinds) {
    kind.rows = 5;
    kind.cap = 1 << 30;
    double slope = 1 + static_cast<double>(&kind - kinds.data());
    kind.seconds = [&calls, slope](int64_t samples) {
      ++calls;
      return slope * static_cast<double>(samples);
    };
  }
  std::vector<RowSamples> rows = divideBySpeed(kinds, 1 << 30);
  EXPECT_LT(calls, 10000);
  // 6 : 3 : 2 of 2^30 / 5.
  EXPECT_NEAR(static_cast<double>(rows[0].samples), 117135471.7, 1);
  EXPECT_NEAR(static_cast<double>(rows[2].samples), 39045157.2, 1);
}
