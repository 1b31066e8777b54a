//===- BoolLiteralsTest.cpp - Tests of the i1 literal spellings -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Support/BoolLiterals.h"
#include "llvm/ADT/StringExtras.h"
#include "gtest/gtest.h"
#include <random>

using namespace hetero;

/// A literal of the given bytes with its type behind it.
static std::string literal(llvm::StringRef digits, llvm::StringRef type) {
  return ("dense<\"0x" + digits + "\"> : " + type).str();
}

TEST(BoolLiterals, PacksEightElementsInAByteLowestBitFirst) {
  EXPECT_EQ(packBoolLiterals(literal("0100000000000000"
                                     "0001",
                                     "tensor<10xi1>")),
            literal("0102", "tensor<10xi1>"));
}

TEST(BoolLiterals, ExpandsToAByteAnElement) {
  EXPECT_EQ(expandBoolLiterals(literal("0102", "tensor<2x5xi1>")),
            literal("0100000000000000"
                    "0001",
                    "tensor<2x5xi1>"));
}

TEST(BoolLiterals, AnyNonZeroByteIsTrue) {
  EXPECT_EQ(packBoolLiterals(literal("FF0002", "vector<3xi1>")),
            literal("05", "vector<3xi1>"));
}

TEST(BoolLiterals, LeavesTheOwnSpellingAlone) {
  EXPECT_EQ(packBoolLiterals(literal("0102", "tensor<10xi1>")), std::nullopt);
  EXPECT_EQ(expandBoolLiterals(literal("010001", "tensor<3xi1>")),
            std::nullopt);
}

TEST(BoolLiterals, LeavesOtherTextAlone) {
  constexpr const char *tooLarge =
      "dense<\"0x01\"> : tensor<99999999999x99999999999x99999999999xi1>";
  for (const char *text :
       {"", "dense<\"0x", "dense<\"0x01", "dense<\"0x01\"", "dense<\"0x01\">",
        "dense<\"0x01\"> : ", "dense<\"0x01\"> : tensor<",
        "dense<\"0x0101\"> : tensor<2xi8>", "dense<\"0x0101\"> : tensor<?xi1>",
        "dense<\"0xZZZZ\"> : tensor<2xi1>", "dense<\"0x0101\"> : tensor<2xi1",
        tooLarge}) {
    EXPECT_EQ(packBoolLiterals(text), std::nullopt) << text;
    EXPECT_EQ(expandBoolLiterals(text), std::nullopt) << text;
  }
}

TEST(BoolLiterals, RewritesEveryLiteralAndKeepsTheLines) {
  std::string text = "a\n" + literal("010001", "tensor<3xi1>") + "\nb " +
                     literal("0102", "tensor<2xi8>") + "\n" +
                     literal("0101", "tensor<2x1xi1>") + "\nc";
  EXPECT_EQ(packBoolLiterals(text),
            "a\n" + literal("05", "tensor<3xi1>") + "\nb " +
                literal("0102", "tensor<2xi8>") + "\n" +
                literal("03", "tensor<2x1xi1>") + "\nc");
}

TEST(BoolLiterals, ExpandingUndoesPacking) {
  std::mt19937 random(7);
  for (unsigned count = 2; count < 200; ++count) {
    std::string digits;
    for (unsigned i = 0; i < count; ++i)
      digits += random() % 2 ? "01" : "00";
    std::string text =
        literal(digits, "tensor<" + std::to_string(count) + "xi1>");
    std::optional<std::string> packed = packBoolLiterals(text);
    ASSERT_TRUE(packed);
    EXPECT_EQ(expandBoolLiterals(*packed), text);
  }
}
