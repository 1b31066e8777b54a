//===- Error.h - How the runtime reports what went wrong --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The runtime is compiled without exceptions and links into programs that know
// no LLVM, so an error is a sentence: lower-case, without a final period.
//
//   MaybeError step();              nothing, or the sentence
//   Result<Archive> read(path);     a value, or the sentence

#ifndef HETERO_RUNTIME_ERROR_H
#define HETERO_RUNTIME_ERROR_H

#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace hetero::runtime {

/// Nothing when it went well.
using MaybeError = std::optional<std::string>;

/// An error as a value of its own type, so that a Result of a string is clear.
struct Error {
  std::string message;
};

/// A value or an error.
template <typename T>
class [[nodiscard]] Result {
public:
  Result(T value) : storage(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : storage(std::in_place_index<1>, std::move(error)) {}

  explicit operator bool() const { return storage.index() == 0; }
  T &operator*() { return *std::get_if<0>(&storage); }
  const T &operator*() const { return *std::get_if<0>(&storage); }
  T *operator->() { return std::get_if<0>(&storage); }
  const T *operator->() const { return std::get_if<0>(&storage); }
  /// Only when there is no value.
  const std::string &error() const { return std::get_if<1>(&storage)->message; }

private:
  std::variant<T, Error> storage;
};

} // namespace hetero::runtime

#endif // HETERO_RUNTIME_ERROR_H
