//===- ElementsTest.cpp - Tests of combining and of regions ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Runtime/Elements.h"
#include "hetero/Runtime/Regions.h"
#include "gtest/gtest.h"
#include <cmath>
#include <complex>
#include <limits>
#include <numeric>

using namespace hetero::runtime;

template <typename T>
static std::vector<T> combined(Reduction reduction, ElementType type,
                               std::vector<T> sum,
                               const std::vector<T> &value) {
  combine(reduction, type, value.data(), sum.data(), sum.size());
  return sum;
}

TEST(RuntimeElementsTest, integersWrap) {
  EXPECT_EQ(
      combined<int8_t>(Reduction::Sum, ElementType::I8, {127, -3}, {1, 2}),
      (std::vector<int8_t>{-128, -1}));
  EXPECT_EQ(
      combined<uint64_t>(Reduction::Max, ElementType::U64, {1, ~0ull}, {2, 0}),
      (std::vector<uint64_t>{2, ~0ull}));
  EXPECT_EQ(combined<int64_t>(Reduction::Min, ElementType::I64, {INT64_MIN, 5},
                              {0, -5}),
            (std::vector<int64_t>{INT64_MIN, -5}));
  EXPECT_EQ(combined<uint16_t>(Reduction::And, ElementType::U16, {12}, {10}),
            (std::vector<uint16_t>{8}));
  EXPECT_EQ(combined<uint16_t>(Reduction::Or, ElementType::U16, {12}, {10}),
            (std::vector<uint16_t>{14}));
}

TEST(RuntimeElementsTest, booleansStayZeroOrOne) {
  using Bytes = std::vector<uint8_t>;
  EXPECT_EQ(combined<uint8_t>(Reduction::Sum, ElementType::Bool, {1, 0, 1},
                              {1, 0, 0}),
            (Bytes{1, 0, 1}));
  EXPECT_EQ(combined<uint8_t>(Reduction::And, ElementType::Bool, {1, 0, 1},
                              {1, 0, 0}),
            (Bytes{1, 0, 0}));
  Bytes neutral(1);
  fillNeutral(Reduction::And, ElementType::Bool, neutral.data(), 1);
  EXPECT_EQ(neutral, Bytes{1});
}

TEST(RuntimeElementsTest, floatsPropagateNaN) {
  float nan = std::numeric_limits<float>::quiet_NaN();
  for (Reduction reduction : {Reduction::Max, Reduction::Min}) {
    EXPECT_TRUE(std::isnan(
        combined<float>(reduction, ElementType::F32, {nan}, {1})[0]));
    EXPECT_TRUE(std::isnan(
        combined<float>(reduction, ElementType::F32, {1}, {nan})[0]));
  }
  EXPECT_FALSE(std::signbit(
      combined<float>(Reduction::Max, ElementType::F32, {-0.0f}, {0.0f})[0]));
  EXPECT_TRUE(std::signbit(
      combined<float>(Reduction::Min, ElementType::F32, {0.0f}, {-0.0f})[0]));
}

TEST(RuntimeElementsTest, halvesRoundToEven) {
  // 1 + 2^-8 is half way between two bfloat16 and goes to the even one; three
  // times that goes up.
  EXPECT_EQ(combined<uint16_t>(Reduction::Sum, ElementType::BF16,
                               {0x3f80, 0x3f81}, {0x3b80, 0x3b80}),
            (std::vector<uint16_t>{0x3f80, 0x3f82}));
  // 2048 + 1 in f16 likewise, and 65504 + 32 is infinity.
  EXPECT_EQ(combined<uint16_t>(Reduction::Sum, ElementType::F16,
                               {0x6800, 0x7bff}, {0x3c00, 0x5000}),
            (std::vector<uint16_t>{0x6800, 0x7c00}));
}

TEST(RuntimeElementsTest, complexAdds) {
  using C = std::complex<double>;
  EXPECT_EQ(combined<C>(Reduction::Sum, ElementType::C128, {{1, 2}}, {{3, -5}}),
            (std::vector<C>{{4, -3}}));
  EXPECT_FALSE(isDefined(Reduction::Max, ElementType::C64));
  EXPECT_FALSE(isDefined(Reduction::Or, ElementType::BF16));
}

TEST(RuntimeElementsTest, neutralChangesNothing) {
  for (Reduction reduction : {Reduction::Sum, Reduction::Max, Reduction::Min}) {
    std::vector<float> values = {-3, 0, 1e30f,
                                 -std::numeric_limits<float>::infinity()};
    std::vector<float> sum(values.size());
    fillNeutral(reduction, ElementType::F32, sum.data(), sum.size());
    EXPECT_EQ(combined(reduction, ElementType::F32, sum, values), values);
  }
  std::vector<int32_t> sum(1), value = {-77};
  fillNeutral(Reduction::And, ElementType::I32, sum.data(), 1);
  EXPECT_EQ(combined(Reduction::And, ElementType::I32, sum, value), value);
}

TEST(RuntimeRegionsTest, takesTheExample) {
  TensorType whole{ElementType::I32, {4, 6}}, local{ElementType::I32, {2, 3}};
  Region region{{{{1, 3}}, {{0, 2}, {4, 5}}}};
  ASSERT_EQ(checkRegion(region, local, whole), std::nullopt);
  std::vector<int32_t> from(24), to(6), back(24, -1);
  std::iota(from.begin(), from.end(), 0);
  scatterInto(to.data(), region, from.data(), whole);
  EXPECT_EQ(to, (std::vector<int32_t>{6, 7, 10, 12, 13, 16}));
  gatherFrom(to.data(), region, back.data(), whole);
  for (int32_t i = 0; i < 24; ++i)
    EXPECT_EQ(back[i], std::find(to.begin(), to.end(), i) != to.end() ? i : -1);
}

TEST(RuntimeRegionsTest, runsAreWholeTrailingDimensions) {
  TensorType whole{ElementType::U8, {3, 2, 4}};
  std::vector<uint8_t> from(24), to(24);
  std::iota(from.begin(), from.end(), 0);
  scatterInto(to.data(), wholeOf(whole), from.data(), whole);
  EXPECT_EQ(to, from);
  std::vector<uint8_t> middle(8);
  scatterInto(middle.data(), Region{{{{1, 2}}, {{0, 2}}, {{0, 4}}}},
              from.data(), whole);
  EXPECT_EQ(middle, std::vector<uint8_t>(from.begin() + 8, from.begin() + 16));
  std::vector<uint8_t> column(6);
  scatterInto(column.data(), Region{{{{0, 3}}, {{0, 2}}, {{3, 4}}}},
              from.data(), whole);
  EXPECT_EQ(column, (std::vector<uint8_t>{3, 7, 11, 15, 19, 23}));
  TensorType scalar{ElementType::U8, {}};
  uint8_t one = 0;
  scatterInto(&one, wholeOf(scalar), from.data() + 5, scalar);
  EXPECT_EQ(one, 5);
}

TEST(RuntimeRegionsTest, rejectsWhatDoesNotFit) {
  TensorType whole{ElementType::F32, {4, 6}}, local{ElementType::F32, {2, 6}};
  EXPECT_EQ(checkRegion(Region{{{{3, 5}}, {{0, 6}}}}, local, whole),
            "tensor 4x6xf32 has 4 indices in dimension 0 where the program "
            "uses 5");
  EXPECT_EQ(checkRegion(wholeOf(local), local, {ElementType::F32, {4}}),
            "tensor 4xf32 of rank 1 where the program has rank 2");
  EXPECT_EQ(checkRegion(wholeOf(local), local, {ElementType::I32, {4, 6}}),
            "element type i32 where the program has f32");
}
