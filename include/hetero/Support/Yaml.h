//===- Yaml.h - YAML with exact complaints ----------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLVM's YAML parser gives nodes that can be walked once. These few classes
// keep them as a tree with line and column, and read fields from it such that
// every mistake is reported where it is, with what would have been right:
//
//   lab.yaml:3:5: error: unknown key 'memroy' in a device class; did you mean
//   'memory'? known keys: like, memory, reserved, ...
//
// Errors stick: after the first one all further reads give defaults, so a
// reader is written straight down and asks once at the end.
//
//   YamlReader reader(buffer);
//   YamlMapping top(reader, reader.root(), "a cluster");
//   top.require("name", cluster.name);
//   top.finish();                                    // unknown keys
//   if (llvm::Error error = reader.takeError()) ...
//
// A YamlWriter puts commas, quotes and indents where they belong:
//
//   YamlWriter top(os, "");
//   top.write("batch", 8);                           // batch: 8
//   top.writeItems("ties", ties, [](YamlWriter &item, const Tie &tie) {
//     item.write("layers", tie.layers);              // ties:
//   });                                              //   - {layers: [0, 2]}

#ifndef HETERO_SUPPORT_YAML_H
#define HETERO_SUPPORT_YAML_H

#include "hetero/Support/Amount.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/MemoryBufferRef.h"
#include "llvm/Support/raw_ostream.h"
#include <map>
#include <optional>
#include <vector>

namespace hetero {

/// A part of a YAML document.
struct YamlNode {
  enum class Kind { Null, Scalar, Sequence, Mapping };

  Kind kind = Kind::Null;
  unsigned line = 1, column = 1;
  /// Of a scalar, without quotes.
  std::string text;
  /// The items of a sequence, or the values of a mapping.
  std::vector<YamlNode> items;
  /// The keys of a mapping, in the order of the values; all are scalars and
  /// different.
  std::vector<YamlNode> keys;
};

/// A document and the first error in it. Nesting is limited, aliases and
/// several documents are refused.
class YamlReader {
public:
  explicit YamlReader(llvm::MemoryBufferRef buffer);

  const YamlNode &root() const { return document; }
  /// The node with a path of keys and numbers of items, "stages.0.layers", or
  /// the last one on the way to it that is there.
  const YamlNode &find(llvm::StringRef path) const;

  /// Records an error at `node`, unless there is one already.
  void fail(const YamlNode &node, const llvm::Twine &message);
  bool failed() const { return !message.empty(); }
  llvm::Error takeError();

  std::string readString(const YamlNode &node);
  /// A whole number of at least `minimum`.
  int64_t readInteger(const YamlNode &node,
                      int64_t minimum = std::numeric_limits<int64_t>::min());
  std::vector<int64_t> readIntegers(const YamlNode &node);
  /// The items of a sequence called `what`.
  llvm::ArrayRef<YamlNode> readItems(const YamlNode &node,
                                     const llvm::Twine &what);
  /// The keys and values of a mapping; `expected` says what should be there.
  auto readEntries(const YamlNode &node, const llvm::Twine &expected) {
    if (node.kind != YamlNode::Kind::Mapping)
      fail(node, "expected " + expected);
    return llvm::zip(node.keys, node.items);
  }

  // The same, into `value`.
  void read(const YamlNode &node, std::string &value) {
    value = readString(node);
  }
  void read(const YamlNode &node, int64_t &value, int64_t minimum) {
    value = readInteger(node, minimum);
  }
  void read(const YamlNode &node, std::vector<int64_t> &value) {
    value = readIntegers(node);
  }
  void read(const YamlNode &node, bool &value);
  /// A number with its unit, "40 GiB".
  template <Dimension D>
  void read(const YamlNode &node, Amount<D> &amount) {
    amount = Amount<D>(readAmount(D, node));
  }
  template <typename T, typename... Args>
  void read(const YamlNode &node, std::optional<T> &value, Args... args) {
    read(node, value.emplace(), args...);
  }
  /// A list of things called `what`, each as `readItem(reader, item)`.
  template <typename T, typename ReadFn>
  void read(const YamlNode &node, std::vector<T> &values,
            const llvm::Twine &what, ReadFn readItem) {
    for (const YamlNode &item : readItems(node, what))
      values.push_back(readItem(*this, item));
  }

private:
  int64_t readAmount(Dimension dimension, const YamlNode &node);

  std::string name;
  YamlNode document;
  std::string message;
};

/// Reads the keys of one mapping. A key counts as known once it was asked for.
class YamlMapping {
public:
  /// `what` names the kind of thing in messages: "a device class".
  YamlMapping(YamlReader &reader, const YamlNode &node, llvm::StringRef what);

  /// The value of `key`; null if it is not there.
  const YamlNode *get(llvm::StringRef key);
  /// The same, but it is an error if it is not there.
  const YamlNode *require(llvm::StringRef key);
  /// Complains about keys that nobody asked for.
  void finish();

  // Reads the value of a key as YamlReader::read does, if it is there.
  template <typename... Args>
  void read(llvm::StringRef key, Args &&...into) {
    if (const YamlNode *value = get(key))
      reader.read(*value, into...);
  }
  template <typename First, typename... Args>
  void require(llvm::StringRef key, First &first, Args &&...into) {
    if (const YamlNode *value = require(key))
      reader.read(*value, first, into...);
  }

private:
  YamlReader &reader;
  const YamlNode &node;
  llvm::StringRef what;
  std::vector<llvm::StringRef> known;
};

/// Splits "40 GiB" or "40GiB" into number and unit.
std::pair<llvm::StringRef, llvm::StringRef> splitAmount(llvm::StringRef text);

/// Those of `names` that are most similar to `name`; empty if none is.
std::vector<std::string> findSimilar(llvm::StringRef name,
                                     llvm::ArrayRef<std::string> names);

/// A scalar in double quotes, escaped so that any text is read back.
std::string quoteYaml(llvm::StringRef text);

/// Writes the keys of one mapping.
class YamlWriter {
public:
  /// In braces, which its destructor closes.
  explicit YamlWriter(llvm::raw_ostream &os) : os(os), inBraces(true) {
    os << '{';
  }
  /// Each on a line that begins with `indent`; the first with `first`, if that
  /// is given.
  YamlWriter(llvm::raw_ostream &os, llvm::StringRef indent,
             llvm::StringRef first = {})
      : os(os), indent(indent), before(first.empty() ? indent : first) {}
  YamlWriter(const YamlWriter &) = delete;
  ~YamlWriter() {
    if (inBraces)
      os << '}';
  }

  template <typename T>
  void write(llvm::StringRef key, const T &value) {
    os << before << key << ": ";
    put(value);
    os << (inBraces ? "" : "\n");
    before = inBraces ? ", " : indent;
  }
  /// What is not there is not written.
  template <typename T>
  void write(llvm::StringRef key, const std::optional<T> &value) {
    if (value)
      write(key, *value);
  }
  /// Nor is what is read if the key is not there.
  template <typename T>
  void writeUnless(const T &usual, llvm::StringRef key, const T &value) {
    if (!(value == usual))
      write(key, value);
  }
  /// A list on lines of their own, unless it is empty: `writeItem(writer,
  /// item)` writes the keys of each item.
  template <typename ItemsT, typename WriteFn>
  void writeItems(llvm::StringRef key, const ItemsT &items, WriteFn writeItem) {
    if (!items.empty())
      os << indent << key << ":\n";
    for (const auto &item : items) {
      os << indent << "  - ";
      putMapping(item, writeItem);
      os << '\n';
    }
  }

private:
  template <typename T, typename WriteFn>
  void putMapping(const T &value, WriteFn writeKeys) {
    YamlWriter keys(os);
    writeKeys(keys, value);
  }
  template <typename T>
  void put(const T &value) {
    if constexpr (std::is_invocable_v<T, llvm::raw_ostream &>)
      value(os);
    else if constexpr (std::is_convertible_v<T, llvm::StringRef>)
      os << quoteYaml(value);
    else if constexpr (std::is_same_v<T, bool>)
      os << (value ? "true" : "false");
    else if constexpr (std::is_integral_v<T>)
      os << value;
    else if constexpr (std::is_enum_v<T>)
      os << stringify(value);
    else {
      os << '[';
      llvm::interleaveComma(value, os, [&](const auto &item) { put(item); });
      os << ']';
    }
  }
  template <Dimension D>
  void put(const Amount<D> &amount) {
    os << amount.str();
  }
  template <typename AmountT>
  void put(const Affine<AmountT> &amount) {
    YamlWriter parts(os);
    parts.writeUnless(AmountT(0), "fixed", amount.fixed);
    parts.writeUnless(AmountT(0), "sample", amount.perSample);
  }
  template <typename T>
  void put(const std::map<std::string, T> &entries) {
    YamlWriter parts(os);
    for (const auto &[key, value] : entries)
      parts.write(quoteYaml(key), value);
  }

  llvm::raw_ostream &os;
  llvm::StringRef indent, before;
  bool inBraces = false;
};

} // namespace hetero

#endif // HETERO_SUPPORT_YAML_H
