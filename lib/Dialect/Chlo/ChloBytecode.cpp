//===- ChloBytecode.cpp - Binary form of attributes -----------------------===//
//
// Part of the hetero project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The encoding of CHLO's own library: a code, then the case of the enumeration.
// It has codes for two attributes only; the others are stored as text.
//
//===----------------------------------------------------------------------===//

#include "hetero/Dialect/Chlo/ChloOps.h"
#include "mlir/Bytecode/BytecodeImplementation.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/TypeSwitch.h"
#include <limits>

using namespace mlir;
using namespace mlir::chlo;

namespace {
enum class AttributeCode : uint64_t {
  ComparisonDirection = 0,
  ComparisonType = 1,
};

class ChloBytecodeInterface : public BytecodeDialectInterface {
public:
  explicit ChloBytecodeInterface(Dialect *dialect)
      : BytecodeDialectInterface(dialect) {}

  Attribute readAttribute(DialectBytecodeReader &reader) const override;
  LogicalResult writeAttribute(Attribute attr,
                               DialectBytecodeWriter &writer) const override;
};
} // namespace

template <typename AttrT, typename EnumT>
static Attribute readEnum(DialectBytecodeReader &reader,
                          std::optional<EnumT> (*symbolize)(uint32_t)) {
  uint64_t code;
  if (failed(reader.readVarInt(code)))
    return {};
  std::optional<EnumT> value;
  if (code <= std::numeric_limits<uint32_t>::max())
    value = symbolize(code);
  if (!value) {
    reader.emitError() << "unknown case " << code << " of "
                       << AttrT::getMnemonic();
    return {};
  }
  return AttrT::get(reader.getContext(), *value);
}

Attribute
ChloBytecodeInterface::readAttribute(DialectBytecodeReader &reader) const {
  uint64_t code;
  if (failed(reader.readVarInt(code)))
    return {};
  switch (AttributeCode(code)) {
  case AttributeCode::ComparisonDirection:
    return readEnum<ComparisonDirectionAttr>(reader,
                                             symbolizeComparisonDirection);
  case AttributeCode::ComparisonType:
    return readEnum<ComparisonTypeAttr>(reader, symbolizeComparisonType);
  }
  reader.emitError() << "unknown code of a chlo attribute: " << code;
  return {};
}

LogicalResult
ChloBytecodeInterface::writeAttribute(Attribute attr,
                                      DialectBytecodeWriter &writer) const {
  auto write = [&](AttributeCode code, uint32_t value) {
    writer.writeVarInt(uint64_t(code));
    writer.writeVarInt(value);
    return success();
  };
  return TypeSwitch<Attribute, LogicalResult>(attr)
      .Case([&](ComparisonDirectionAttr attr) {
        return write(AttributeCode::ComparisonDirection,
                     uint32_t(attr.getValue()));
      })
      .Case([&](ComparisonTypeAttr attr) {
        return write(AttributeCode::ComparisonType, uint32_t(attr.getValue()));
      })
      .Default([](Attribute) { return failure(); });
}

void ChloDialect::registerBytecode() { addInterfaces<ChloBytecodeInterface>(); }
