//===- InputLimitsTest.cpp - Tests of the limits on input -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Support/InputLimits.h"
#include "gtest/gtest.h"

using namespace hetero;

static std::string repeat(llvm::StringRef text, unsigned count) {
  std::string result;
  for (unsigned i = 0; i < count; ++i)
    result += text;
  return result;
}

/// The offset of the problem of `text`, or -1.
static int64_t problemAt(llvm::StringRef text) {
  std::optional<InputProblem> problem = findInputProblem(text);
  return problem ? int64_t(problem->offset) : -1;
}

TEST(InputLimits, NestingUpToTheLimitIsAccepted) {
  for (const char *bracket : {"(", "[", "{", "<"}) {
    EXPECT_EQ(problemAt(repeat(bracket, maxNesting)), -1) << bracket;
    EXPECT_EQ(problemAt(repeat(bracket, maxNesting + 1)), maxNesting)
        << bracket;
  }
}

TEST(InputLimits, ClosedBracketsDoNotCount) {
  EXPECT_EQ(problemAt(repeat("([{<>}])", 5 * maxNesting)), -1);
}

TEST(InputLimits, ArrowsAndComparisonsAreNoBrackets) {
  for (const char *op : {"->", "<->", "<=", ">="})
    EXPECT_EQ(problemAt(repeat(op, 5 * maxNesting)), -1) << op;
}

TEST(InputLimits, StrayAngleBracketsEndWithTheirScope) {
  EXPECT_EQ(problemAt(repeat("{ < < }", 5 * maxNesting)), -1);
  EXPECT_EQ(problemAt(repeat("< { } >", 5 * maxNesting)), -1);
  EXPECT_EQ(problemAt(repeat(") ] } >", 5 * maxNesting)), -1);
}

TEST(InputLimits, StringsAndCommentsDoNotCount) {
  std::string deep = repeat("[", 5 * maxNesting);
  EXPECT_EQ(problemAt("\"" + deep + "\""), -1);
  EXPECT_EQ(problemAt("\"\\\"" + deep + "\""), -1);
  EXPECT_EQ(problemAt("// " + deep + "\n"), -1);
  EXPECT_EQ(problemAt("// no newline " + deep), -1);
  // A string ends with its line, closed or not; a slash opens no comment.
  EXPECT_EQ(problemAt("\"\n" + deep), 2 + maxNesting);
  EXPECT_EQ(problemAt("/ " + deep), 2 + maxNesting);
}

TEST(InputLimits, UnfinishedTokensAtTheEnd) {
  for (const char *text : {"", "\"", "\"\\", "\"\\\"", "/", "//", "-", "<", ">",
                           "affine_map", "affine_map<"})
    EXPECT_EQ(problemAt(text), -1) << text;
}

TEST(InputLimits, LongAffineFormsAreRefused) {
  std::string terms = repeat(" + d0", maxAffineLength);
  EXPECT_EQ(problemAt("affine_map<(d0) -> (d0" + terms + ")>"), 10);
  EXPECT_EQ(problemAt("affine_set<(d0) : (d0" + terms + " == 0)>"), 10);
  EXPECT_EQ(problemAt("affine_map<(d0) -> (d0 + 1)>" + terms), -1);
  EXPECT_EQ(problemAt(repeat("affine_map<(d0) -> (d0 + 1)> ", 5000)), -1);
}

TEST(InputLimits, LongNumbersAreRefused) {
  EXPECT_EQ(problemAt("a = " + repeat("9", maxNumberLength)), -1);
  EXPECT_EQ(problemAt("a = " + repeat("9", maxNumberLength + 1)), 4);
  EXPECT_EQ(problemAt("a = 0x" + repeat("F", maxNumberLength)), 4);
  EXPECT_EQ(problemAt("0.5" + repeat("0", maxNumberLength + 1)), 2);
  EXPECT_EQ(problemAt(repeat("9, ", 5 * maxNumberLength)), -1);
}

TEST(InputLimits, LargeResultNumbersAreRefused) {
  EXPECT_EQ(problemAt("%a#65535"), -1);
  EXPECT_EQ(problemAt("%a#65536"), 3);
  EXPECT_EQ(problemAt("%a#99999999999999999999999"), 3);
  EXPECT_EQ(problemAt("%a:99999 = #map99999"), -1);
}

TEST(InputLimits, ComplexElementsNeedAComplexType) {
  EXPECT_EQ(problemAt("dense<(1.0, 2.0)> : tensor<5xf32>"), 6);
  EXPECT_EQ(problemAt("a = dense<[(1, 2), (3, 4)]> : tensor<2xi32>, b"), 11);
  EXPECT_EQ(problemAt("dense<(1.0, 2.0)> : tensor<5xcomplex<f32>>"), -1);
  EXPECT_EQ(problemAt("dense<1.0> : tensor<5xf32>, (f) dense<2> : i32"), -1);
  EXPECT_EQ(problemAt("f(dense<[1, 2]> : tensor<2xi32>) -> (i32)"), -1);
  EXPECT_EQ(problemAt("dense<(1.0, 2.0)> : !alias"), -1);
  EXPECT_EQ(problemAt("dense<(1.0, 2.0)> : tensor<5x!quant.any<i8>>"), 6);
  EXPECT_EQ(problemAt("dense<(1, 2)> // a\n : // b\n tensor<5x\n f32>"), 6);
  EXPECT_EQ(
      problemAt("dense<(1, 2)> // a\n : // b\n tensor<5x\n complex<f32>>"), -1);
}

TEST(InputLimits, ComplexTypesHideBehindAliases) {
  std::string use = "dense<(1.0, 2.0)> : tensor<5x!c>";
  EXPECT_EQ(problemAt("!c = complex<f32>\n" + use), -1);
  EXPECT_EQ(problemAt("!cc = f32\n!d = complex<f32>\n!c = !d\n" + use), -1);
  EXPECT_EQ(problemAt("!cc = complex<f32>\n!c = f32\n" + use), 34);
  EXPECT_EQ(problemAt("!c = tensor<5xf32>\ndense<(1.0, 2.0)> : !c"), 25);
  EXPECT_EQ(problemAt("!c = !d !d = !c\n" + use), -1);
}

TEST(InputLimits, ZeroesAreRefused) {
  EXPECT_EQ(problemAt(std::string(100, '\0')), 0);
  EXPECT_EQ(problemAt(std::string("module {}\0", 10)), 9);
}

TEST(InputLimits, BytecodeIsNotText) {
  EXPECT_EQ(problemAt("ML\xefR" + repeat("[", 5 * maxNesting)), -1);
}

TEST(InputLimits, TheReportNamesFileLineAndColumn) {
  std::string text = "a\n\n  " + repeat("(", maxNesting + 1);
  std::string report;
  llvm::raw_string_ostream os(report);
  EXPECT_TRUE(reportInputProblem({text, "x.mlir"}, os));
  EXPECT_EQ(report, "x.mlir:3:1003: error: brackets nested more than 1000 "
                    "levels deep\n");
  EXPECT_FALSE(reportInputProblem({"module {}", "x.mlir"}, os));
}
