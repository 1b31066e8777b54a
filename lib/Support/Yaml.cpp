//===- Yaml.cpp - YAML with exact complaints ------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Support/Yaml.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/YAMLParser.h"

using namespace llvm;
using namespace hetero;

/// Far more than any file of ours nests.
static constexpr unsigned maxDepth = 32;

//===----------------------------------------------------------------------===//
// From LLVM's nodes to the tree
//===----------------------------------------------------------------------===//

namespace {
/// Copies a document. Stops at the first problem.
class Loader {
public:
  Loader(MemoryBufferRef buffer) : stream(buffer, sources) {
    sources.setDiagHandler(
        [](const SMDiagnostic &diagnostic, void *self) {
          static_cast<Loader *>(self)->report(diagnostic.getLineNo(),
                                              diagnostic.getColumnNo() + 1,
                                              diagnostic.getMessage());
        },
        this);
  }

  YamlNode load() {
    YamlNode root;
    auto document = stream.begin();
    if (document == stream.end())
      return root;
    if (yaml::Node *node = document->getRoot())
      root = copy(*node, 0);
    if (!failed() && !stream.failed() && ++document != stream.end())
      report(root.line, root.column, "must be a single document");
    if (stream.failed())
      report(1, 1, "is not YAML");
    return root;
  }

  bool failed() const { return !message.empty(); }

  unsigned line = 1, column = 1;
  std::string message;

private:
  void report(unsigned atLine, unsigned atColumn, const Twine &text) {
    if (failed())
      return;
    line = std::max(1u, atLine);
    column = std::max(1u, atColumn);
    message = text.str();
  }

  YamlNode copy(yaml::Node &node, unsigned depth);
  void copyMapping(yaml::MappingNode &mapping, YamlNode &result,
                   unsigned depth);

  SourceMgr sources;
  yaml::Stream stream;
};
} // namespace

void Loader::copyMapping(yaml::MappingNode &mapping, YamlNode &result,
                         unsigned depth) {
  StringSet<> seen;
  for (yaml::KeyValueNode &entry : mapping) {
    yaml::Node *key = entry.getKey();
    if (failed() || stream.failed() || !key)
      return;
    YamlNode name = copy(*key, depth + 1);
    if (!failed() && name.kind != YamlNode::Kind::Scalar)
      return report(name.line, name.column, "expected a plain key");
    if (!failed() && !seen.insert(name.text).second)
      return report(name.line, name.column,
                    "key '" + name.text + "' is given twice");
    yaml::Node *value = entry.getValue();
    if (failed() || stream.failed() || !value)
      return;
    result.keys.push_back(std::move(name));
    result.items.push_back(copy(*value, depth + 1));
    if (failed() || stream.failed())
      return;
  }
}

YamlNode Loader::copy(yaml::Node &node, unsigned depth) {
  YamlNode result;
  auto [line, column] =
      sources.getLineAndColumn(node.getSourceRange().Start, /*BufferID=*/1);
  result.line = line;
  result.column = column;
  if (depth > maxDepth) {
    report(line, column, "is nested too deeply");
    return result;
  }
  if (auto *scalar = dyn_cast<yaml::ScalarNode>(&node)) {
    SmallString<32> storage;
    result.kind = YamlNode::Kind::Scalar;
    result.text = scalar->getValue(storage).str();
  } else if (auto *block = dyn_cast<yaml::BlockScalarNode>(&node)) {
    result.kind = YamlNode::Kind::Scalar;
    result.text = block->getValue().str();
  } else if (auto *sequence = dyn_cast<yaml::SequenceNode>(&node)) {
    result.kind = YamlNode::Kind::Sequence;
    for (yaml::Node &item : *sequence) {
      result.items.push_back(copy(item, depth + 1));
      if (failed() || stream.failed())
        break;
    }
  } else if (auto *mapping = dyn_cast<yaml::MappingNode>(&node)) {
    result.kind = YamlNode::Kind::Mapping;
    copyMapping(*mapping, result, depth);
  } else if (isa<yaml::AliasNode>(node)) {
    report(line, column, "aliases are not supported");
  }
  return result;
}

//===----------------------------------------------------------------------===//
// YamlReader
//===----------------------------------------------------------------------===//

YamlReader::YamlReader(MemoryBufferRef buffer)
    : name(buffer.getBufferIdentifier()) {
  Loader loader(buffer);
  document = loader.load();
  if (!loader.failed())
    return;
  YamlNode place;
  place.line = loader.line;
  place.column = loader.column;
  fail(place, loader.message);
}

const YamlNode &YamlReader::find(StringRef path) const {
  const YamlNode *node = &document;
  for (StringRef step : split(path, '.')) {
    size_t index = 0;
    if (node->kind == YamlNode::Kind::Mapping) {
      auto key = find_if(
          node->keys, [&](const YamlNode &name) { return name.text == step; });
      index = key - node->keys.begin();
    } else if (step.getAsInteger(10, index)) {
      continue;
    }
    if (index < node->items.size())
      node = &node->items[index];
  }
  return *node;
}

void YamlReader::fail(const YamlNode &node, const Twine &text) {
  if (failed())
    return;
  message = (name + ":" + Twine(node.line) + ":" + Twine(node.column) +
             ": error: " + text)
                .str();
}

Error YamlReader::takeError() {
  if (!failed())
    return Error::success();
  return createStringError(message);
}

static StringRef describeKind(const YamlNode &node) {
  switch (node.kind) {
  case YamlNode::Kind::Null:
    return "nothing";
  case YamlNode::Kind::Scalar:
    return "a single value";
  case YamlNode::Kind::Sequence:
    return "a list";
  case YamlNode::Kind::Mapping:
    return "a mapping";
  }
  llvm_unreachable("every kind has a name");
}

/// As messages quote it.
static std::string describeFound(const YamlNode &node) {
  return node.kind == YamlNode::Kind::Scalar ? "'" + node.text + "'"
                                             : describeKind(node).str();
}

std::string YamlReader::readString(const YamlNode &node) {
  if (node.kind != YamlNode::Kind::Scalar)
    fail(node, "expected a text, found " + describeKind(node));
  return node.text;
}

/// Whether a text is a whole number, of whatever size.
static bool isWhole(StringRef text) {
  text.consume_front("-");
  return !text.empty() && all_of(text, isDigit);
}

int64_t YamlReader::readInteger(const YamlNode &node, int64_t minimum) {
  int64_t value = 0;
  if (node.kind == YamlNode::Kind::Scalar && isWhole(node.text) &&
      StringRef(node.text).getAsInteger(10, value))
    fail(node, "the number " + node.text + " is too large; at most " +
                   Twine(std::numeric_limits<int64_t>::max()));
  else if (node.kind != YamlNode::Kind::Scalar ||
           StringRef(node.text).getAsInteger(10, value))
    fail(node, "expected a whole number, found " + describeFound(node));
  else if (value < minimum)
    fail(node, "expected a number of at least " + Twine(minimum) + ", found " +
                   Twine(value));
  return failed() ? std::max<int64_t>(minimum, 0) : value;
}

void YamlReader::read(const YamlNode &node, bool &value) {
  if (node.kind != YamlNode::Kind::Scalar ||
      (node.text != "true" && node.text != "false"))
    fail(node, "expected true or false, found " + describeFound(node));
  value = node.text == "true";
}

ArrayRef<YamlNode> YamlReader::readItems(const YamlNode &node,
                                         const Twine &what) {
  if (node.kind == YamlNode::Kind::Sequence)
    return node.items;
  fail(node, "expected a list of " + what + ", found " + describeKind(node));
  return {};
}

std::vector<int64_t> YamlReader::readIntegers(const YamlNode &node) {
  std::vector<int64_t> values;
  for (const YamlNode &item : readItems(node, "whole numbers"))
    values.push_back(readInteger(item));
  return values;
}

std::pair<StringRef, StringRef> hetero::splitAmount(StringRef text) {
  text = text.trim();
  size_t end = 0;
  while (end < text.size()) {
    char c = text[end];
    bool exponent = (c == 'e' || c == 'E') && end + 1 < text.size() &&
                    (isDigit(text[end + 1]) || text[end + 1] == '-' ||
                     text[end + 1] == '+');
    bool sign = (c == '-' || c == '+') &&
                (end == 0 || text[end - 1] == 'e' || text[end - 1] == 'E');
    if (!isDigit(c) && c != '.' && !exponent && !sign)
      break;
    ++end;
  }
  return {text.take_front(end), text.drop_front(end).ltrim()};
}

int64_t YamlReader::readAmount(Dimension dimension, const YamlNode &node) {
  auto [number, unit] = splitAmount(node.text);
  if (number.empty()) {
    fail(node, "expected an amount like '" + writeQuantity(dimension, 1500000) +
                   "', found " + describeFound(node));
    return 0;
  }
  Expected<int64_t> value = readQuantity(dimension, number, unit);
  if (value)
    return *value;
  fail(node, toString(value.takeError()));
  return 0;
}

//===----------------------------------------------------------------------===//
// YamlMapping
//===----------------------------------------------------------------------===//

YamlMapping::YamlMapping(YamlReader &reader, const YamlNode &node,
                         StringRef what)
    : reader(reader), node(node), what(what) {
  if (node.kind != YamlNode::Kind::Mapping)
    reader.fail(node, "expected the keys of " + what + ", found " +
                          describeKind(node));
}

const YamlNode *YamlMapping::get(StringRef key) {
  known.push_back(key);
  for (auto [name, value] : zip(node.keys, node.items))
    if (name.text == key)
      return &value;
  return nullptr;
}

const YamlNode *YamlMapping::require(StringRef key) {
  const YamlNode *value = get(key);
  if (!value && node.kind == YamlNode::Kind::Mapping) {
    // A misspelled key explains a missing one better.
    std::vector<std::string> unknown;
    for (const YamlNode &name : node.keys)
      if (!is_contained(known, name.text))
        unknown.push_back(name.text);
    for (const std::string &similar : findSimilar(key, unknown))
      for (const YamlNode &name : node.keys)
        if (name.text == similar)
          reader.fail(name, "unknown key '" + similar + "' in " + what +
                                "; did you mean '" + key + "'?");
    reader.fail(node, "missing key '" + key + "' in " + what);
  }
  return value;
}

void YamlMapping::finish() {
  for (const YamlNode &name : node.keys) {
    if (is_contained(known, name.text))
      continue;
    std::vector<std::string> names(known.begin(), known.end());
    std::vector<std::string> similar = findSimilar(name.text, names);
    std::string hint =
        similar.empty() ? "" : "did you mean '" + similar.front() + "'? ";
    reader.fail(name, "unknown key '" + name.text + "' in " + what + "; " +
                          hint + "known keys: " + join(names, ", "));
  }
}

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

std::vector<std::string> hetero::findSimilar(StringRef name,
                                             ArrayRef<std::string> names) {
  // A third of the letters may be wrong, or the rest of the name missing.
  unsigned best = std::max<unsigned>(name.size() > 1, name.size() / 3);
  std::vector<std::string> similar;
  for (const std::string &candidate : names) {
    unsigned distance = name.edit_distance_insensitive(candidate);
    bool prefix = name.size() >= 2 &&
                  (StringRef(candidate).starts_with_insensitive(name) ||
                   name.starts_with_insensitive(candidate));
    if (prefix)
      distance = std::min(distance, 1u);
    if (distance < best)
      similar.clear();
    best = std::min(best, distance);
    if (distance <= best)
      similar.push_back(candidate);
  }
  return similar;
}

std::string hetero::quoteYaml(StringRef text) {
  return "\"" + yaml::escape(text, /*EscapePrintable=*/false) + "\"";
}
