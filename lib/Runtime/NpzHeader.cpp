//===- NpzHeader.cpp - Headers of NumPy's files ---------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A header is a magic word, a version, a length, and a Python dictionary such
// as {'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }, padded with
// spaces and a line feed so that the data begin at a multiple of 64.

#include "hetero/Runtime/Npz.h"
#include <algorithm>
#include <cctype>
#include <iterator>

using namespace hetero::runtime;

namespace {

/// The little of Python's literals that headers use.
class HeaderParser {
public:
  explicit HeaderParser(const std::string &text) : text(text) {}

  Result<NpyHeader> parse();

private:
  void skipSpace() {
    while (position < text.size() &&
           std::isspace(static_cast<unsigned char>(text[position])))
      ++position;
  }
  bool consume(char what) {
    skipSpace();
    if (position == text.size() || text[position] != what)
      return false;
    ++position;
    return true;
  }
  bool parseString(std::string &value);
  bool parseWord(std::string &value);
  bool parseShape(std::vector<int64_t> &shape);
  MaybeError parseEntry(const std::string &key, NpyHeader &header);

  const std::string &text;
  size_t position = 0;
  bool hasType = false, hasOrder = false, hasShape = false;
};
} // namespace

static const char magic[] = "\x93NUMPY";
static constexpr size_t magicSize = 6;
/// More than any array needs.
static constexpr int64_t maxHeaderSize = 1 << 16;
static constexpr size_t maxRank = 64;

/// In the order of ElementType.
static constexpr const char *typeNames[] = {"b1", "i1", "i2", "i4", "i8",
                                            "u1", "u2", "u4", "u8", "f2",
                                            "V2", "f4", "f8", "c8", "c16"};
static_assert(std::size(typeNames) == size_t(ElementType::C128) + 1);

std::string hetero::runtime::makeNpyHeader(const TensorType &type) {
  std::string name = sizeOf(type.element) == 1 ? "|" : "<";
  name += typeNames[size_t(type.element)];

  std::string dictionary =
      "{'descr': '" + name + "', 'fortran_order': False, 'shape': (";
  for (size_t i = 0; i < type.shape.size(); ++i)
    dictionary += (i ? " " : "") + std::to_string(type.shape[i]) + ",";
  dictionary += "), }";
  size_t fixed = magicSize + 4;
  size_t total = (fixed + dictionary.size() + 1 + 63) / 64 * 64;
  dictionary.append(total - fixed - dictionary.size() - 1, ' ');
  dictionary += '\n';
  std::string header(magic, magicSize);
  header += '\x01';
  header += '\0';
  header += char(dictionary.size() & 0xff);
  header += char(dictionary.size() >> 8);
  return header + dictionary;
}

/// The fixed part: 10 bytes in version 1, 12 in the others.
static size_t getFixedSize(const std::string &start) {
  return start[magicSize] == 1 ? 10 : 12;
}

Result<int64_t> hetero::runtime::getNpyHeaderSize(const std::string &start) {
  if (start.size() < 12 || start.compare(0, magicSize, magic, magicSize) != 0)
    return Error{"is no array of NumPy"};
  int version = static_cast<unsigned char>(start[magicSize]);
  if (version < 1 || version > 3)
    return Error{"has version " + std::to_string(version) +
                 " of NumPy's format; 1 to 3 are known"};
  int64_t fixed = getFixedSize(start), length = 0;
  for (int64_t i = fixed - 1; i >= int64_t(magicSize) + 2; --i)
    length = length * 256 + static_cast<unsigned char>(start[i]);
  if (length > maxHeaderSize)
    return Error{"has a header of " + std::to_string(length) + " bytes"};
  return fixed + length;
}

bool HeaderParser::parseString(std::string &value) {
  skipSpace();
  if (position == text.size() ||
      (text[position] != '\'' && text[position] != '"'))
    return false;
  size_t end = text.find(text[position], position + 1);
  if (end == std::string::npos)
    return false;
  value = text.substr(position + 1, end - position - 1);
  position = end + 1;
  return true;
}

bool HeaderParser::parseWord(std::string &value) {
  skipSpace();
  value.clear();
  while (position < text.size() &&
         std::isalnum(static_cast<unsigned char>(text[position])))
    value += text[position++];
  return !value.empty();
}

bool HeaderParser::parseShape(std::vector<int64_t> &shape) {
  if (!consume('('))
    return false;
  while (!consume(')')) {
    std::string digits;
    if (!parseWord(digits) || digits.size() > 18 ||
        digits.find_first_not_of("0123456789") != std::string::npos ||
        shape.size() == maxRank)
      return false;
    shape.push_back(std::stoll(digits));
    if (!consume(',')) {
      if (!consume(')'))
        return false;
      break;
    }
  }
  return true;
}

static Result<ElementType> parseType(const std::string &name) {
  if (name == "bfloat16")
    return ElementType::BF16;
  bool hasOrder =
      !name.empty() && std::string("<>|=").find(name[0]) != std::string::npos;
  std::string plain = name.substr(hasOrder ? 1 : 0);
  const auto *found =
      std::find(std::begin(typeNames), std::end(typeNames), plain);
  if (found != std::end(typeNames)) {
    auto type = ElementType(found - std::begin(typeNames));
    if (name[0] == '>' && sizeOf(type) > 1)
      return Error{"has big-endian elements '" + name + "'; convert it to '<" +
                   plain + "'"};
    return type;
  }
  return Error{"has elements of type '" + name +
               "'; booleans, integers, floats, complex numbers and bfloat16 "
               "are known"};
}

MaybeError HeaderParser::parseEntry(const std::string &key, NpyHeader &header) {
  std::string value;
  if (key == "descr") {
    if (consume('['))
      return "has a structured type; only plain ones are known";
    if (!parseString(value))
      return "has a header without a type";
    Result<ElementType> type = parseType(value);
    if (!type)
      return type.error();
    header.type.element = *type;
    hasType = true;
    return std::nullopt;
  }
  if (key == "fortran_order") {
    if (!parseWord(value) || (value != "True" && value != "False"))
      return "has a header without an order";
    header.isFortranOrder = value == "True";
    hasOrder = true;
    return std::nullopt;
  }
  if (key == "shape") {
    header.type.shape.clear();
    if (!parseShape(header.type.shape))
      return "has a header without a valid shape";
    hasShape = true;
    return std::nullopt;
  }
  return "has a header with the unknown entry '" + key + "'";
}

Result<NpyHeader> HeaderParser::parse() {
  Result<int64_t> size = getNpyHeaderSize(text);
  if (!size)
    return Error{size.error()};
  if (*size > int64_t(text.size()))
    return Error{"ends inside of its header"};
  NpyHeader header;
  header.size = *size;
  position = getFixedSize(text);
  bool valid = consume('{');
  while (valid && !consume('}')) {
    std::string key;
    if (!parseString(key) || !consume(':')) {
      valid = false;
      break;
    }
    if (MaybeError error = parseEntry(key, header))
      return Error{*error};
    if (!consume(',')) {
      valid = consume('}');
      break;
    }
  }
  if (!valid || !hasType || !hasOrder || !hasShape)
    return Error{"has a header that is not complete"};
  int64_t bytes = sizeOf(header.type.element);
  for (int64_t extent : header.type.shape)
    if (__builtin_mul_overflow(bytes, extent, &bytes))
      return Error{"has the impossible shape " + header.type.str()};
  return header;
}

Result<NpyHeader> hetero::runtime::parseNpyHeader(const std::string &text) {
  return HeaderParser(text).parse();
}
