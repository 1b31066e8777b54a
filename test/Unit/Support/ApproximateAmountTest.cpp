//===- ApproximateAmountTest.cpp - Tests of amounts for people ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Support/ApproximateAmount.h"
#include "gtest/gtest.h"

using namespace hetero;

TEST(ApproximateAmountTest, hasFourDigits) {
  EXPECT_EQ(approximate(Bytes(0)), "0 B");
  EXPECT_EQ(approximate(Bytes(1000)), "1000 B");
  EXPECT_EQ(approximate(Bytes(1024)), "1 KiB");
  EXPECT_EQ(approximate(Bytes(12369505812)), "11.52 GiB");
  EXPECT_EQ(approximate(Bytes(1023LL << 20)), "1023 MiB");
  EXPECT_EQ(approximate(Bytes::max()), "8192 PiB");
  EXPECT_EQ(approximate(Time(3276800)), "3.277 us");
  EXPECT_EQ(approximate(Time(327680000)), "327.7 us");
  EXPECT_EQ(approximate(Time(999)), "999 ps");
  EXPECT_EQ(approximate(Time(-1500)), "-1.5 ns");
  EXPECT_EQ(approximate(Share(500000)), "0.5");
}
