//===- LayerSumsTest.cpp - Tests of sums over layers ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Planner/Model/StageModel.h"
#include "llvm/ADT/STLExtras.h"
#include "gtest/gtest.h"

using namespace hetero;
using namespace hetero::planner;

TEST(LayerSumsTest, runIsADifference) {
  LayerSums<Bytes> sums;
  EXPECT_EQ(sums.all(), Bytes(0));
  for (int64_t bytes : {3, 1, 4, 1})
    sums.add(Bytes(bytes));
  EXPECT_EQ(sums.of(1, 3), Bytes(5));
  EXPECT_EQ(sums.of(LayerRun{1, 2}), Bytes(5));
  EXPECT_EQ(sums.of(2, 2), Bytes(0));
  EXPECT_EQ(sums.upTo(2), Bytes(4));
  EXPECT_EQ(sums.all(), Bytes(9));
  sums += sums;
  EXPECT_EQ(sums.of(1, 3), Bytes(10));
}

/// Amounts of one layer are added one by one: 1e16 + 1 is 1e16.
TEST(LayerSumsTest, partsAreAddedInOrder) {
  LayerSums<double> sums;
  sums.add(1e16);
  sums.add(1.0, 1.0);
  EXPECT_EQ(sums.all(), 1e16);
}

/// Nothing enters the first layer; the others get what the one before makes.
TEST(LayerSumsTest, inputsAreOutputsOfTheLayerBefore) {
  Problem problem;
  problem.layers.resize(3);
  for (auto [index, bytes] : llvm::enumerate(std::vector<int64_t>{5, 7, 9})) {
    problem.layers[index].parameters = Bytes(10 * bytes);
    problem.layers[index].saved.perSample = Bytes(2 * bytes);
    problem.layers[index].output.perSample = Bytes(bytes);
  }
  LayerBytes bytes(problem);
  EXPECT_EQ(bytes.inputs.of(0, 1), Bytes(0));
  EXPECT_EQ(bytes.inputs.of(1, 3), Bytes(12));
  EXPECT_EQ(bytes.saved.all(), Bytes(42));
  EXPECT_EQ(bytes.state.of(1, 3).parameters, Bytes(160));
}
