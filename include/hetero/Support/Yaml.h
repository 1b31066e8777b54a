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
//   if (const YamlNode *node = top.require("name"))
//     cluster.name = reader.readString(*node);
//   top.finish();                                    // unknown keys
//   if (llvm::Error error = reader.takeError()) ...

#ifndef HETERO_SUPPORT_YAML_H
#define HETERO_SUPPORT_YAML_H

#include "hetero/Support/Amount.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/MemoryBufferRef.h"
#include "llvm/Support/raw_ostream.h"
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

  /// Records an error at `node`, unless there is one already.
  void fail(const YamlNode &node, const llvm::Twine &message);
  bool failed() const { return !message.empty(); }
  llvm::Error takeError();

  std::string readString(const YamlNode &node);
  /// A whole number of at least `minimum`.
  int64_t readInteger(const YamlNode &node,
                      int64_t minimum = std::numeric_limits<int64_t>::min());
  bool readBool(const YamlNode &node);
  std::vector<int64_t> readIntegers(const YamlNode &node);
  /// The items of a sequence called `what`.
  llvm::ArrayRef<YamlNode> readItems(const YamlNode &node,
                                     const llvm::Twine &what);

  /// A number with its unit, "40 GiB".
  int64_t readAmount(Dimension dimension, const YamlNode &node);
  template <Dimension D>
  void read(const YamlNode &node, Amount<D> &amount) {
    amount = Amount<D>(readAmount(D, node));
  }

private:
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

  // The value of an optional key, if it is there.
  void read(llvm::StringRef key, std::string &value);
  void read(llvm::StringRef key, bool &value);
  void read(llvm::StringRef key, std::vector<int64_t> &value);
  void readInteger(llvm::StringRef key, int64_t &value, int64_t minimum);
  void readInteger(llvm::StringRef key, std::optional<int64_t> &value,
                   int64_t minimum);
  template <Dimension D>
  void read(llvm::StringRef key, Amount<D> &value) {
    if (const YamlNode *node = get(key))
      reader.read(*node, value);
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

} // namespace hetero

#endif // HETERO_SUPPORT_YAML_H
