//===- BoolLiterals.cpp - Two spellings of large i1 constants -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Support/BoolLiterals.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace {
/// A `dense<"0x...">` literal with an i1 shaped type behind it.
struct Literal {
  size_t begin;     // Offset of the first hex digit.
  StringRef digits; // Without the leading 0x.
  uint64_t numElements;
};
} // namespace

/// Reads `5x40xi1` up to the closing bracket; nothing for any other type.
static std::optional<uint64_t> parseBoolShape(StringRef type) {
  uint64_t count = 1;
  while (!type.consume_front("i1>")) {
    uint64_t dim;
    if (type.consumeInteger(10, dim) || !type.consume_front("x"))
      return std::nullopt;
    bool overflow = false;
    count = SaturatingMultiply(count, dim, &overflow);
    if (overflow)
      return std::nullopt;
  }
  return count;
}

/// Finds the next literal at or after `from`.
static std::optional<Literal> findLiteral(StringRef text, size_t from) {
  static constexpr StringLiteral opening = "dense<\"0x";
  for (size_t at = text.find(opening, from); at != StringRef::npos;
       at = text.find(opening, at + opening.size())) {
    size_t begin = at + opening.size();
    size_t end = text.find('"', begin);
    if (end == StringRef::npos)
      return std::nullopt;
    StringRef rest = text.substr(end + 1);
    if (!rest.consume_front("> : ") ||
        !(rest.consume_front("tensor<") || rest.consume_front("vector<")))
      continue;
    StringRef digits = text.slice(begin, end);
    std::optional<uint64_t> count = parseBoolShape(rest);
    if (count && all_of(digits, [](char c) { return isHexDigit(c); }))
      return Literal{begin, digits, *count};
  }
  return std::nullopt;
}

/// Copies `text` with each literal that `convert` has an answer for replaced.
template <typename ConvertT>
static std::optional<std::string> rewriteLiterals(StringRef text,
                                                  ConvertT convert) {
  std::optional<std::string> result;
  size_t copied = 0;
  for (std::optional<Literal> literal = findLiteral(text, 0); literal;
       literal = findLiteral(text, literal->begin + literal->digits.size())) {
    std::optional<std::string> digits = convert(*literal);
    if (!digits)
      continue;
    if (!result)
      result.emplace();
    result->append(text.slice(copied, literal->begin));
    result->append(*digits);
    copied = literal->begin + literal->digits.size();
  }
  if (result)
    result->append(text.substr(copied));
  return result;
}

static unsigned byteAt(StringRef digits, uint64_t index) {
  return hexDigitValue(digits[2 * index]) * 16 +
         hexDigitValue(digits[2 * index + 1]);
}

static void appendByte(std::string &digits, unsigned byte) {
  digits.push_back(hexdigit(byte >> 4));
  digits.push_back(hexdigit(byte & 15));
}

std::optional<std::string> hetero::packBoolLiterals(StringRef text) {
  return rewriteLiterals(
      text, [](const Literal &literal) -> std::optional<std::string> {
        uint64_t count = literal.numElements;
        if (count < 2 || literal.digits.size() != 2 * count)
          return std::nullopt;
        std::string packed;
        for (uint64_t base = 0; base < count; base += 8) {
          unsigned byte = 0;
          for (uint64_t i = base; i < std::min(count, base + 8); ++i)
            byte |= unsigned(byteAt(literal.digits, i) != 0) << (i - base);
          appendByte(packed, byte);
        }
        return packed;
      });
}

std::optional<std::string> hetero::expandBoolLiterals(StringRef text) {
  return rewriteLiterals(
      text, [](const Literal &literal) -> std::optional<std::string> {
        uint64_t count = literal.numElements;
        if (count < 2 || literal.digits.size() != 2 * divideCeil(count, 8))
          return std::nullopt;
        std::string expanded;
        expanded.reserve(2 * count);
        for (uint64_t i = 0; i < count; ++i)
          appendByte(expanded, (byteAt(literal.digits, i / 8) >> (i % 8)) & 1);
        return expanded;
      });
}
