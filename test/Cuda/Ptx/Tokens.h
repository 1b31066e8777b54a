//===- Tokens.h - The words of PTX ------------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef HETERO_TEST_CUDA_PTX_TOKENS_H
#define HETERO_TEST_CUDA_PTX_TOKENS_H

#include <algorithm>
#include <cctype>
#include <cstring>
#include <string_view>
#include <vector>

namespace hetero::standin::ptx {

/// A word (with its dots), a text in quotes or a sign.
struct Token {
  std::string_view text;
  int line;
};

inline bool isWordCharacter(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) ||
         (c && std::strchr("_$%.", c));
}

/// The tokens of the text, without comments and, at the end, an empty one.
inline std::vector<Token> tokenize(std::string_view text) {
  std::vector<Token> tokens;
  int line = 1;
  size_t at = 0;
  auto startsWith = [&](std::string_view begin) {
    return text.substr(at, begin.size()) == begin;
  };
  while (at < text.size() && text[at]) {
    size_t begin = at;
    if (std::isspace(static_cast<unsigned char>(text[at]))) {
      line += text[at++] == '\n';
      continue;
    }
    if (startsWith("//")) {
      at = std::min(text.find('\n', at), text.size());
      continue;
    }
    if (startsWith("/*")) {
      at = std::min(text.find("*/", at), text.size() - 2) + 2;
      for (size_t i = begin; i < at; ++i)
        line += text[i] == '\n';
      continue;
    }
    if (text[at] == '"')
      at = std::min(text.find('"', at + 1), text.size() - 1) + 1;
    else if (isWordCharacter(text[at]))
      while (at < text.size() &&
             (isWordCharacter(text[at]) || startsWith("::")))
        at += startsWith("::") ? 2 : 1;
    else
      ++at;
    tokens.push_back({text.substr(begin, at - begin), line});
  }
  tokens.push_back({std::string_view(), line});
  return tokens;
}

} // namespace hetero::standin::ptx

#endif // HETERO_TEST_CUDA_PTX_TOKENS_H
