//===- ChloBytecode.cpp - Binary form of CHLO's attributes ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The encoding is the one of CHLO's own library: a code and the case of an
// enumeration. Attributes without a code are written as text.

#include "hetero/Dialect/Chlo/ChloOps.h"
#include "mlir/Bytecode/BytecodeImplementation.h"

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
  if (value)
    return AttrT::get(reader.getContext(), *value);
  reader.emitError() << "unknown case " << code << " of "
                     << AttrT::getMnemonic();
  return {};
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
  reader.emitError() << "unknown chlo attribute code: " << code;
  return {};
}

LogicalResult
ChloBytecodeInterface::writeAttribute(Attribute attr,
                                      DialectBytecodeWriter &writer) const {
  if (auto direction = dyn_cast<ComparisonDirectionAttr>(attr)) {
    writer.writeVarInt(uint64_t(AttributeCode::ComparisonDirection));
    writer.writeVarInt(uint64_t(direction.getValue()));
    return success();
  }
  if (auto type = dyn_cast<ComparisonTypeAttr>(attr)) {
    writer.writeVarInt(uint64_t(AttributeCode::ComparisonType));
    writer.writeVarInt(uint64_t(type.getValue()));
    return success();
  }
  return failure();
}

void ChloDialect::registerBytecode() { addInterfaces<ChloBytecodeInterface>(); }
