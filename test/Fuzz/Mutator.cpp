//===- Mutator.cpp - Changes to MLIR text that keep it readable -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Mutator.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"
#include <cstring>
#include <random>

using namespace llvm;

extern "C" size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t maxSize);

static std::vector<std::string> &vocabulary() {
  static std::vector<std::string> words;
  return words;
}

void hetero::fuzz::setVocabulary(std::vector<std::string> words) {
  for (const char *word :
       {"f32",    "bf16",    "f64", "i1", "i8",    "ui32", "i64",
        "tensor", "?",       "x",   "->", "array", "unit", "true",
        "none",   "complex", "loc", "-1", "index", "0x7F", "tuple"})
    words.push_back(word);
  vocabulary() = std::move(words);
}

/// Splits into words, runs of blanks, and single other characters.
static std::vector<StringRef> tokenize(StringRef text) {
  auto isWord = [](char c) { return isAlnum(c) || c == '_' || c == '.'; };
  auto isBlank = [](char c) { return c == ' ' || c == '\n'; };
  std::vector<StringRef> tokens;
  while (!text.empty()) {
    size_t length = text.take_while(isWord).size();
    if (!length)
      length = std::max<size_t>(1, text.take_while(isBlank).size());
    tokens.push_back(text.take_front(length));
    text = text.drop_front(length);
  }
  return tokens;
}

static std::vector<StringRef> splitLines(StringRef text) {
  std::vector<StringRef> lines;
  while (!text.empty()) {
    size_t length = std::min(text.find('\n'), text.size() - 1) + 1;
    lines.push_back(text.take_front(length));
    text = text.drop_front(length);
  }
  return lines;
}

/// Another number: its neighbours, the ends of the ranges, and nonsense.
static std::string mutateNumber(StringRef word, std::mt19937 &random) {
  int64_t value = 0;
  (void)word.getAsInteger(10, value);
  // Wraps around at the ends of the range.
  uint64_t bits = value;
  const uint64_t values[] = {bits - 1,
                             bits + 1,
                             0,
                             1,
                             2,
                             7,
                             64,
                             uint64_t(value / 2),
                             -bits,
                             INT32_MAX,
                             uint64_t(INT64_MAX),
                             uint64_t(INT64_MIN),
                             uint64_t(random() % 10)};
  return std::to_string(int64_t(values[random() % std::size(values)]));
}

/// Changes one of `parts`, tokens or lines; `storage` keeps a new token.
static void mutateParts(std::vector<StringRef> &parts, bool areTokens,
                        std::string &storage, std::mt19937 &random) {
  size_t at = random() % parts.size();
  size_t other = random() % parts.size();
  switch (random() % (areTokens ? 7 : 4)) {
  case 0:
    parts.erase(parts.begin() + at);
    return;
  case 1:
    parts.insert(parts.begin() + at, parts[other]);
    return;
  case 2:
    std::swap(parts[at], parts[other]);
    return;
  case 3:
    parts[at] = parts[other];
    return;
  case 4:
    storage = vocabulary()[random() % vocabulary().size()];
    parts[at] = storage;
    return;
  default:
    // The first number from here on.
    for (size_t i = 0; i < parts.size(); ++i) {
      StringRef &part = parts[(at + i) % parts.size()];
      if (isDigit(part.front())) {
        storage = mutateNumber(part, random);
        part = storage;
        return;
      }
    }
  }
}

size_t hetero::fuzz::mutate(uint8_t *data, size_t size, size_t maxSize,
                            unsigned seed) {
  std::mt19937 random(seed);
  unsigned kind = random() % 8;
  if (size < 2 || kind == 0)
    return LLVMFuzzerMutate(data, size, maxSize);
  StringRef text(reinterpret_cast<const char *>(data), size);
  bool areTokens = kind < 6;
  std::vector<StringRef> parts = areTokens ? tokenize(text) : splitLines(text);
  std::vector<std::string> storage(1 + random() % 3);
  for (std::string &word : storage)
    if (!parts.empty())
      mutateParts(parts, areTokens, word, random);
  std::string result;
  for (StringRef part : parts)
    result += part;
  result.resize(std::min(result.size(), maxSize));
  std::memcpy(data, result.data(), result.size());
  return result.size();
}
