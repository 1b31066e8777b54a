//===- LinearProgramTest.cpp - Linear programs against corners ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Solver/LinearProgram.h"
#include "../RandomCases.h"
#include "llvm/Support/Error.h"
#include "gtest/gtest.h"
#include <random>

using namespace hetero;
using namespace llvm;
using namespace hetero::solver;

static LinearProgram makeExample(double slowLimit) {
  LinearProgram program;
  int fast = program.addVariable("fast", 0, 1);
  int slow = program.addVariable("slow", 0, slowLimit);
  int time = program.addVariable("time", 0, infinity, /*cost=*/1);
  program.addRow("all", {{fast, 1}, {slow, 1}}, 1, 1);
  program.addRow("fast done", {{time, 1}, {fast, -2}}, 0, infinity);
  program.addRow("slow done", {{time, 1}, {slow, -6}}, 0, infinity);
  program.addRow("memory", {{fast, 1}}, -infinity, 0.6);
  return program;
}

TEST(LinearProgramTest, SolvesTheWorkedExample) {
  Expected<LinearSolution> solution = makeExample(1).minimize();
  ASSERT_TRUE(bool(solution)) << toString(solution.takeError());
  EXPECT_NEAR(solution->values[0], 0.6, 1e-9);
  EXPECT_NEAR(solution->values[1], 0.4, 1e-9);
  EXPECT_NEAR(solution->cost, 2.4, 1e-9);
}

TEST(LinearProgramTest, NamesTheRowThatCannotHold) {
  Expected<LinearSolution> solution = makeExample(0.3).minimize();
  ASSERT_FALSE(bool(solution));
  EXPECT_EQ(toString(solution.takeError()),
            "infeasible: row 'memory' is 0.7, but must be at most 0.6");
}

TEST(LinearProgramTest, NamesTheVariableThatGrows) {
  LinearProgram program;
  int x = program.addVariable("x", 0, infinity, -1);
  int y = program.addVariable("y", 0, 1);
  program.addRow("row", {{x, 1}, {y, -1}}, 0, infinity);
  Expected<LinearSolution> solution = program.minimize();
  ASSERT_FALSE(bool(solution));
  EXPECT_EQ(toString(solution.takeError()),
            "unbounded: variable 'x' can grow without end");
}

TEST(LinearProgramTest, RefusesWhatIsNotAProgram) {
  LinearProgram bounds;
  bounds.addVariable("x", 2, 1);
  EXPECT_EQ(toString(bounds.minimize().takeError()),
            "variable 'x' must be at least 2 and at most 1");
  LinearProgram term;
  term.addRow("row", {{3, 1}}, 0, 1);
  EXPECT_EQ(toString(term.minimize().takeError()),
            "row 'row' has a term without a variable or a finite factor");
  LinearProgram number;
  number.addVariable("x", 0, 1, std::nan(""));
  EXPECT_EQ(toString(number.minimize().takeError()),
            "variable 'x' has a cost that is not finite");
}

TEST(LinearProgramTest, SumsTermsOfOneVariable) {
  LinearProgram program;
  int x = program.addVariable("x", 0, infinity, 1);
  program.addRow("row", {{x, 1}, {x, 2}}, 6, infinity);
  Expected<LinearSolution> solution = program.minimize();
  ASSERT_TRUE(bool(solution)) << toString(solution.takeError());
  EXPECT_NEAR(solution->values[0], 2, 1e-9);
}

/// In two dimensions an optimum lies on a corner: the intersection of two of
/// the lines that bounds and rows draw.
TEST(LinearProgramTest, EqualsTheBestCorner) {
  std::mt19937 random(7);
  auto draw = [&] { return double(int(random() % 21) - 10); };
  for (int trial = 0, cases = numRandomCases(300); trial < cases; ++trial) {
    LinearProgram program;
    double costX = draw(), costY = draw();
    int x = program.addVariable("x", 0, 10, costX);
    int y = program.addVariable("y", 0, 10, costY);
    struct Line {
      double a, b, c;
    };
    std::vector<Line> lines = {{1, 0, 0}, {1, 0, 10}, {0, 1, 0}, {0, 1, 10}};
    for (int row = 0; row < 4; ++row) {
      lines.push_back({draw(), draw(), draw() * 3});
      program.addRow("row", {{x, lines.back().a}, {y, lines.back().b}},
                     -infinity, lines.back().c);
    }
    double best = infinity;
    for (const Line &first : lines)
      for (const Line &second : lines) {
        double determinant = first.a * second.b - first.b * second.a;
        if (std::abs(determinant) < 1e-9)
          continue;
        std::vector<double> at = {
            (first.c * second.b - first.b * second.c) / determinant,
            (first.a * second.c - first.c * second.a) / determinant};
        if (program.getViolation(at) < 1e-9)
          best = std::min(best, costX * at[0] + costY * at[1]);
      }
    Expected<LinearSolution> solution = program.minimize();
    if (!solution) {
      EXPECT_EQ(toString(solution.takeError()).find("infeasible: row 'row'"),
                0u);
      EXPECT_EQ(best, infinity) << "trial " << trial;
      continue;
    }
    EXPECT_NEAR(solution->cost, best, 1e-6) << "trial " << trial;
    EXPECT_LT(program.getViolation(solution->values), 1e-6);
  }
}
