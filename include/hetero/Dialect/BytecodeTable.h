//===- BytecodeTable.h - Attributes as codes and fields ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The binary form of attributes and types is a code and then fields. A table
// says once, for reading and for writing, what these are:
//
//   using Attributes = BytecodeTable<
//       BytecodeFields<1, MeshAxisAttr, &MeshAxisAttr::getName,
//                      &MeshAxisAttr::getSize>,
//       BytecodeCase<2, PrecisionAttr, symbolizePrecision>>;
//
// Integers are signed; a list is its length and its elements; an attribute is a
// reference into the file's table. A dialect that writes fields of one of its
// types in another way declares readField and writeField for that type.
//
// What is read comes from files, so no length in it is believed: a list grows
// as its elements are read, and every failure leaves a diagnostic.

#ifndef HETERO_DIALECT_BYTECODETABLE_H
#define HETERO_DIALECT_BYTECODETABLE_H

#include "mlir/Bytecode/BytecodeImplementation.h"
#include <limits>
#include <tuple>

namespace mlir::bytecode {

//===----------------------------------------------------------------------===//
// Fields
//===----------------------------------------------------------------------===//

inline LogicalResult readField(DialectBytecodeReader &reader, int64_t &value) {
  return reader.readSignedVarInt(value);
}
inline LogicalResult readField(DialectBytecodeReader &reader, bool &value) {
  return reader.readBool(value);
}
inline LogicalResult readField(DialectBytecodeReader &reader, StringRef &text) {
  return reader.readString(text);
}
inline LogicalResult readField(DialectBytecodeReader &reader,
                               FailureOr<APFloat> &number) {
  number = reader.readAPFloatWithKnownSemantics(APFloat::IEEEdouble());
  return number;
}
inline LogicalResult readField(DialectBytecodeReader &reader, Type &type) {
  return reader.readType(type);
}
template <typename AttrT>
std::enable_if_t<std::is_base_of_v<Attribute, AttrT>, LogicalResult>
readField(DialectBytecodeReader &reader, AttrT &attr) {
  return reader.readAttribute(attr);
}
template <typename T>
LogicalResult readField(DialectBytecodeReader &reader, SmallVector<T> &list) {
  uint64_t size;
  if (failed(reader.readVarInt(size)))
    return failure();
  for (uint64_t i = 0; i < size; ++i)
    if (failed(readField(reader, list.emplace_back())))
      return failure();
  return success();
}

inline void writeField(DialectBytecodeWriter &writer, int64_t value) {
  writer.writeSignedVarInt(value);
}
inline void writeField(DialectBytecodeWriter &writer, bool value) {
  writer.writeOwnedBool(value);
}
inline void writeField(DialectBytecodeWriter &writer, StringRef text) {
  writer.writeOwnedString(text);
}
inline void writeField(DialectBytecodeWriter &writer, const APFloat &number) {
  writer.writeAPFloatWithKnownSemantics(number);
}
inline void writeField(DialectBytecodeWriter &writer, Type type) {
  writer.writeType(type);
}
inline void writeField(DialectBytecodeWriter &writer, Attribute attr) {
  writer.writeAttribute(attr);
}
template <typename T>
void writeField(DialectBytecodeWriter &writer, ArrayRef<T> list) {
  writer.writeVarInt(list.size());
  for (const T &element : list)
    writeField(writer, element);
}

//===----------------------------------------------------------------------===//
// What has fields
//===----------------------------------------------------------------------===//

namespace detail {
/// What a field is read into, where that is not what its getter returns.
template <typename T>
struct ReadAs {
  using Type = T;
};
template <typename T>
struct ReadAs<ArrayRef<T>> {
  using Type = SmallVector<T>;
};
template <>
struct ReadAs<APFloat> {
  using Type = FailureOr<APFloat>;
};

template <typename T>
T getValue(const T &field) {
  return field;
}
template <typename T>
ArrayRef<T> getValue(const SmallVector<T> &field) {
  return field;
}
template <typename T>
T getValue(const FailureOr<T> &field) {
  return *field;
}

template <typename T>
using HasVerifier = decltype(&T::verify);
} // namespace detail

/// Makes an attribute or a type of what was read; null, after a diagnostic, if
/// it has a verifier and that rejects it.
template <typename ValueT, typename... FieldTs>
ValueT buildFromFields(DialectBytecodeReader &reader, FieldTs... fields) {
  if constexpr (llvm::is_detected<detail::HasVerifier, ValueT>::value)
    return ValueT::getChecked([&] { return reader.emitError(); },
                              reader.getContext(), fields...);
  else
    return ValueT::get(reader.getContext(), fields...);
}

/// An attribute or a type whose fields are what `getters` return, in the order
/// of the parameters of its builder.
template <uint64_t Code, typename ValueT, auto... getters>
struct BytecodeFields {
  using Value = ValueT;
  static constexpr uint64_t code = Code;

  /// Whether this is how `value` is written, if there are several ways.
  static bool isFor(ValueT) { return true; }

  static ValueT read(DialectBytecodeReader &reader) {
    std::tuple<typename detail::ReadAs<decltype((std::declval<ValueT>().*
                                                 getters)())>::Type...>
        fields;
    return std::apply(
        [&](auto &...field) -> ValueT {
          if ((failed(readField(reader, field)) || ...))
            return {};
          return buildFromFields<ValueT>(reader, detail::getValue(field)...);
        },
        fields);
  }

  static void write(DialectBytecodeWriter &writer, ValueT value) {
    (writeField(writer, (value.*getters)()), ...);
  }
};

/// An attribute that holds one case of an enumeration, written unsigned.
template <uint64_t Code, typename AttrT,
          std::optional<decltype(std::declval<AttrT>().getValue())> (
              *symbolize)(uint32_t)>
struct BytecodeCase : BytecodeFields<Code, AttrT> {
  static AttrT read(DialectBytecodeReader &reader) {
    uint64_t number;
    if (failed(reader.readVarInt(number)))
      return {};
    if (number <= std::numeric_limits<uint32_t>::max())
      if (auto value = symbolize(number))
        return AttrT::get(reader.getContext(), *value);
    reader.emitError() << "unknown case " << number << " of "
                       << AttrT::getMnemonic();
    return {};
  }

  static void write(DialectBytecodeWriter &writer, AttrT attr) {
    writer.writeVarInt(uint64_t(attr.getValue()));
  }
};

/// All attributes, or all types, of a dialect that have a code. One that is
/// written in several ways is written in the first that is for it.
template <typename... Entries>
struct BytecodeTable {
  /// Reads a code and what comes after it. Null after a failure; an unknown
  /// code is reported with the words `unknown` before it.
  template <typename ValueT>
  static ValueT read(DialectBytecodeReader &reader, StringRef unknown) {
    uint64_t code;
    if (failed(reader.readVarInt(code)))
      return {};
    ValueT value;
    bool isKnown =
        ((code == Entries::code && (value = Entries::read(reader), true)) ||
         ...);
    if (!isKnown)
      reader.emitError() << unknown << code;
    return value;
  }

  /// Fails if `value` is none of these; it is written as text then.
  template <typename ValueT>
  static LogicalResult write(DialectBytecodeWriter &writer, ValueT value) {
    return success((writeAs<Entries>(writer, value) || ...));
  }

private:
  template <typename Entry, typename ValueT>
  static bool writeAs(DialectBytecodeWriter &writer, ValueT value) {
    auto typed = dyn_cast<typename Entry::Value>(value);
    if (!typed || !Entry::isFor(typed))
      return false;
    writer.writeVarInt(Entry::code);
    Entry::write(writer, typed);
    return true;
  }
};

} // namespace mlir::bytecode

#endif // HETERO_DIALECT_BYTECODETABLE_H
