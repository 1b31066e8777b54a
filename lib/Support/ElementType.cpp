//===- ElementType.cpp - Names of element types ---------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Support/ElementType.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace hetero;

/// What people compute with comes first. This library knows no MLIR, which has
/// no list of them either.
static constexpr StringLiteral floats[] = {
    "f64",        "f32",       "tf32",          "f16",      "bf16",
    "f8E4M3FN",   "f8E5M2",    "f8E4M3",        "f8E3M4",   "f8E4M3FNUZ",
    "f8E5M2FNUZ", "f8E8M0FNU", "f8E4M3B11FNUZ", "f6E2M3FN", "f6E3M2FN",
    "f4E2M1FN",   "f80",       "f128"};

/// As in MLIR.
static constexpr unsigned maxWidth = (1 << 24) - 1;

static bool isInteger(StringRef name) {
  if (!name.consume_front("si") && !name.consume_front("ui") &&
      !name.consume_front("i"))
    return false;
  unsigned width = 0;
  return !name.empty() && name.front() != '0' && all_of(name, isDigit) &&
         !name.getAsInteger(10, width) && width <= maxWidth;
}

bool hetero::isElementType(StringRef name) {
  if (name.consume_front("complex<") && !name.consume_back(">"))
    return false;
  return is_contained(floats, name) || isInteger(name);
}

void hetero::checkElementType(YamlReader &reader, const YamlNode &key) {
  if (isElementType(key.text))
    return;
  std::vector<std::string> names(std::begin(floats), std::end(floats));
  std::vector<std::string> similar = findSimilar(key.text, names);
  std::string hint =
      similar.empty() ? "" : "did you mean '" + similar.front() + "'? ";
  reader.fail(key, "unknown element type '" + key.text + "'; " + hint +
                       "known types: " + join(names, ", ") +
                       ", integers like i8, and complex like complex<f32>");
}
