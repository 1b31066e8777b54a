//===- Bytes.h - Numbers and texts as messages ------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What ranks tell each other besides tensors. A reader gives zeros and empty
// texts at the end of its bytes.

#ifndef HETERO_LIB_RUNTIME_BYTES_H
#define HETERO_LIB_RUNTIME_BYTES_H

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>

namespace hetero::runtime {

class ByteWriter {
public:
  void add(int64_t value) {
    bytes.append(reinterpret_cast<const char *>(&value), sizeof(value));
  }
  void add(const std::string &text) {
    add(int64_t(text.size()));
    bytes += text;
  }

  /// What a ByteReader reads with the same calls.
  template <typename... T>
  void integers(const T &...values) {
    (add(int64_t(values)), ...);
  }
  void text(const std::string &value) { add(value); }
  /// How many of something follow.
  void count(size_t &value) { add(int64_t(value)); }

  std::string bytes;
};

class ByteReader {
public:
  explicit ByteReader(const std::string &bytes) : bytes(bytes) {}

  bool atEnd() const { return position >= bytes.size(); }
  int64_t integer() {
    int64_t value = 0;
    if (bytes.size() - position < sizeof(value)) {
      position = bytes.size();
      return 0;
    }
    std::memcpy(&value, bytes.data() + position, sizeof(value));
    position += sizeof(value);
    return value;
  }
  std::string text() {
    size_t size =
        std::min<uint64_t>(uint64_t(integer()), bytes.size() - position);
    position += size;
    return bytes.substr(position - size, size);
  }

  template <typename... T>
  void integers(T &...values) {
    ((values = T(integer())), ...);
  }
  void text(std::string &value) { value = text(); }
  /// No more than could follow, whatever the bytes are.
  void count(size_t &value) {
    value = std::min<uint64_t>(uint64_t(integer()), bytes.size() - position);
  }

private:
  const std::string &bytes;
  size_t position = 0;
};

} // namespace hetero::runtime

#endif // HETERO_LIB_RUNTIME_BYTES_H
