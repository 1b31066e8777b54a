//===- ChloBytecode.cpp - Binary form of CHLO's attributes ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The encoding is the one of CHLO's own library: a code and the case of an
// enumeration. Attributes without a code are written as text.

#include "hetero/Dialect/BytecodeTable.h"
#include "hetero/Dialect/Chlo/ChloOps.h"

using namespace mlir;
using namespace mlir::chlo;
using mlir::bytecode::BytecodeCase;

using Attributes = bytecode::BytecodeTable<
    BytecodeCase<0, ComparisonDirectionAttr, symbolizeComparisonDirection>,
    BytecodeCase<1, ComparisonTypeAttr, symbolizeComparisonType>>;

namespace {
struct ChloBytecodeInterface : public BytecodeDialectInterface {
  explicit ChloBytecodeInterface(Dialect *dialect)
      : BytecodeDialectInterface(dialect) {}

  Attribute readAttribute(DialectBytecodeReader &reader) const override {
    return Attributes::read<Attribute>(reader, "unknown chlo attribute code: ");
  }
  LogicalResult writeAttribute(Attribute attr,
                               DialectBytecodeWriter &writer) const override {
    return Attributes::write(writer, attr);
  }
};
} // namespace

void ChloDialect::registerBytecode() { addInterfaces<ChloBytecodeInterface>(); }
