//===- QuantityTest.cpp - Tests of amounts with units ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Support/Quantity.h"
#include "gtest/gtest.h"
#include <random>

using namespace hetero;

/// Reads what writeQuantity wrote: a number, then a unit.
static int64_t readBack(Dimension dimension, llvm::StringRef text) {
  size_t end = text.find_first_not_of("0123456789.");
  llvm::StringRef number = text.take_front(end);
  llvm::StringRef unit =
      end == llvm::StringRef::npos ? "" : text.drop_front(end).ltrim();
  llvm::Expected<int64_t> value = readQuantity(dimension, number, unit);
  if (!value) {
    ADD_FAILURE() << text.str() << ": " << llvm::toString(value.takeError());
    return -1;
  }
  return *value;
}

TEST(QuantityTest, readsBackWhatItWrites) {
  std::mt19937_64 random(17);
  for (Dimension dimension :
       {Dimension::Bytes, Dimension::Bandwidth, Dimension::Work,
        Dimension::Speed, Dimension::Time, Dimension::Price,
        Dimension::Share}) {
    for (int64_t value : {int64_t(0), int64_t(1), INT64_MAX, INT64_MAX - 1})
      EXPECT_EQ(readBack(dimension, writeQuantity(dimension, value)), value);
    for (int i = 0; i < 2000; ++i) {
      // All magnitudes alike, and often round in base 2 or 10.
      int64_t value = random() >> (1 + random() % 63);
      if (i % 4 == 1)
        value &= -(int64_t(1) << (random() % 40));
      if (i % 4 == 2)
        value -= value % 1000000;
      EXPECT_EQ(readBack(dimension, writeQuantity(dimension, value)), value);
    }
  }
}

TEST(QuantityTest, rejectsWhatIsNotExact) {
  auto fails = [](Dimension dimension, llvm::StringRef number,
                  llvm::StringRef unit) {
    llvm::Expected<int64_t> value = readQuantity(dimension, number, unit);
    if (value)
      return false;
    llvm::consumeError(value.takeError());
    return true;
  };
  EXPECT_TRUE(fails(Dimension::Bytes, "0.1", "B"));
  EXPECT_TRUE(fails(Dimension::Bytes, "-1", "B"));
  EXPECT_TRUE(fails(Dimension::Bytes, "1", "s"));
  EXPECT_TRUE(fails(Dimension::Bytes, "", "B"));
  EXPECT_TRUE(fails(Dimension::Bytes, ".", "B"));
  EXPECT_TRUE(fails(Dimension::Bytes, "1x", "B"));
  EXPECT_TRUE(fails(Dimension::Bytes, "1e", "B"));
  EXPECT_TRUE(fails(Dimension::Bytes, "1e1000000000000000000000", "B"));
  EXPECT_TRUE(fails(Dimension::Bytes, "8", "EiB"));
  EXPECT_TRUE(fails(Dimension::Bandwidth, "0.5", "B/s"));
  EXPECT_TRUE(fails(Dimension::Share, "0.0000001", ""));
}

TEST(QuantityTest, nothingNeedsNoUnit) {
  EXPECT_EQ(llvm::cantFail(readQuantity(Dimension::Time, "0", "")), 0);
  EXPECT_FALSE(
      llvm::errorToBool(readQuantity(Dimension::Bytes, "0", "").takeError()));
  EXPECT_TRUE(
      llvm::errorToBool(readQuantity(Dimension::Time, "1", "").takeError()));
}
