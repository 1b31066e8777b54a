//===- SdyBytecode.cpp - Bytecode of the sdy attributes -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The encoding that Shardy, and so jaxlib, uses. Each attribute is a code, then
// its fields in order. Attributes without a code travel as text, which the
// bytecode allows.

#include "hetero/Dialect/BytecodeTable.h"
#include "hetero/Dialect/Sdy/Sdy.h"

using namespace mlir;
using namespace mlir::sdy;
using mlir::bytecode::BytecodeFields;
using mlir::bytecode::readField;
using mlir::bytecode::writeField;

//===----------------------------------------------------------------------===//
// Fields of other forms
//===----------------------------------------------------------------------===//

namespace mlir::sdy {
static LogicalResult readField(DialectBytecodeReader &reader,
                               SubAxisInfoAttr &info) {
  return reader.readOptionalAttribute(info);
}
static void writeField(DialectBytecodeWriter &writer, SubAxisInfoAttr info) {
  writer.writeOptionalAttribute(info);
}
} // namespace mlir::sdy

namespace {
/// The priority is unsigned.
struct DimensionShardingFields : BytecodeFields<5, DimensionShardingAttr> {
  static DimensionShardingAttr read(DialectBytecodeReader &reader) {
    SmallVector<AxisRefAttr> axes;
    bool isClosed, hasPriority;
    uint64_t number;
    if (failed(readField(reader, axes)) || failed(reader.readBool(isClosed)) ||
        failed(reader.readVarIntWithFlag(number, hasPriority)))
      return {};
    std::optional<int64_t> priority;
    if (hasPriority)
      priority = number;
    return DimensionShardingAttr::get(reader.getContext(), axes, isClosed,
                                      priority);
  }
  static void write(DialectBytecodeWriter &writer, DimensionShardingAttr attr) {
    writeField(writer, attr.getAxes());
    writer.writeOwnedBool(attr.getIsClosed());
    writer.writeVarIntWithFlag(attr.getPriority().value_or(0),
                               attr.getPriority().has_value());
  }
};

/// Unreduced axes came later, and only shardings that have some are written
/// with them.
template <uint64_t Code, bool isUnreduced>
struct ShardingFields : BytecodeFields<Code, TensorShardingAttr> {
  static bool isFor(TensorShardingAttr attr) {
    return attr.getUnreducedAxes().empty() != isUnreduced;
  }
  static TensorShardingAttr read(DialectBytecodeReader &reader) {
    Attribute mesh;
    SmallVector<DimensionShardingAttr> dims;
    SmallVector<AxisRefAttr> replicated, unreduced;
    if (failed(readField(reader, mesh)) || failed(readField(reader, dims)) ||
        failed(readField(reader, replicated)) ||
        (isUnreduced && failed(readField(reader, unreduced))))
      return {};
    if (!isa<MeshAttr, FlatSymbolRefAttr>(mesh)) {
      reader.emitError() << "expected a mesh or the symbol of one, got "
                         << mesh;
      return {};
    }
    return TensorShardingAttr::get(reader.getContext(), mesh, dims, replicated,
                                   unreduced);
  }
  static void write(DialectBytecodeWriter &writer, TensorShardingAttr attr) {
    writeField(writer, attr.getMeshOrRef());
    writeField(writer, attr.getDimShardings());
    writeField(writer, attr.getReplicatedAxes());
    if (isUnreduced)
      writeField(writer, attr.getUnreducedAxes());
  }
};

/// A list of shardings, where some have unreduced axes or none.
template <uint64_t Code, bool isUnreduced>
struct ShardingsFields
    : BytecodeFields<Code, TensorShardingPerValueAttr,
                     &TensorShardingPerValueAttr::getShardings> {
  static bool isFor(TensorShardingPerValueAttr attr) {
    return llvm::any_of(attr.getShardings(), [](TensorShardingAttr sharding) {
             return !sharding.getUnreducedAxes().empty();
           }) == isUnreduced;
  }
};
} // namespace

//===----------------------------------------------------------------------===//
// The codes
//===----------------------------------------------------------------------===//

/// Fixed by the files that exist; the number is what is written.
using Attributes = bytecode::BytecodeTable<
    BytecodeFields<0, ManualAxesAttr, &ManualAxesAttr::getValue>,
    BytecodeFields<1, MeshAxisAttr, &MeshAxisAttr::getName,
                   &MeshAxisAttr::getSize>,
    BytecodeFields<2, MeshAttr, &MeshAttr::getAxes, &MeshAttr::getDeviceIds>,
    BytecodeFields<3, SubAxisInfoAttr, &SubAxisInfoAttr::getPreSize,
                   &SubAxisInfoAttr::getSize>,
    BytecodeFields<4, AxisRefAttr, &AxisRefAttr::getName,
                   &AxisRefAttr::getSubAxisInfo>,
    DimensionShardingFields, ShardingFields<6, /*isUnreduced=*/false>,
    ShardingsFields<7, /*isUnreduced=*/false>,
    BytecodeFields<8, DimMappingAttr, &DimMappingAttr::getFactorIndices>,
    BytecodeFields<9, TensorMappingAttr, &TensorMappingAttr::getDimMappings>,
    BytecodeFields<10, OpShardingRuleAttr, &OpShardingRuleAttr::getFactorSizes,
                   &OpShardingRuleAttr::getOperandMappings,
                   &OpShardingRuleAttr::getResultMappings,
                   &OpShardingRuleAttr::getReductionFactors,
                   &OpShardingRuleAttr::getNeedReplicationFactors,
                   &OpShardingRuleAttr::getPermutationFactors,
                   &OpShardingRuleAttr::getBlockedPropagationFactors,
                   &OpShardingRuleAttr::getIsCustomRule>,
    BytecodeFields<11, AxisRefListAttr, &AxisRefListAttr::getValue>,
    BytecodeFields<12, ListOfAxisRefListsAttr,
                   &ListOfAxisRefListsAttr::getValue>,
    BytecodeFields<13, AllToAllParamAttr, &AllToAllParamAttr::getAxes,
                   &AllToAllParamAttr::getSrcDim,
                   &AllToAllParamAttr::getTgtDim>,
    BytecodeFields<14, AllToAllParamListAttr, &AllToAllParamListAttr::getValue>,
    ShardingFields<15, /*isUnreduced=*/true>,
    ShardingsFields<16, /*isUnreduced=*/true>>;

//===----------------------------------------------------------------------===//
// The interface
//===----------------------------------------------------------------------===//

namespace {
/// Counts the attributes of this dialect that are being read one inside the
/// other. MLIR's reader follows references on demand, in a damaged file for
/// ever: an attribute may refer to itself.
class Nesting {
public:
  Nesting() { ++depth; }
  ~Nesting() { --depth; }

  /// Shardings per value, sharding, dimension, axis and sub-axis are five.
  static bool isTooDeep() { return depth > 8; }

private:
  static thread_local unsigned depth;
};

thread_local unsigned Nesting::depth = 0;

/// Read and passed over: all versions so far read alike.
struct Version : public DialectVersion {};

struct SdyBytecodeInterface : public BytecodeDialectInterface {
  explicit SdyBytecodeInterface(Dialect *dialect)
      : BytecodeDialectInterface(dialect) {}

  Attribute readAttribute(DialectBytecodeReader &reader) const override {
    Nesting nesting;
    if (Nesting::isTooDeep()) {
      reader.emitError() << "sdy attribute refers to itself";
      return {};
    }
    return Attributes::read<Attribute>(reader, "unknown sdy attribute code ");
  }

  LogicalResult writeAttribute(Attribute attribute,
                               DialectBytecodeWriter &writer) const override {
    return Attributes::write(writer, attribute);
  }

  std::unique_ptr<DialectVersion>
  readVersion(DialectBytecodeReader &reader) const override {
    uint64_t major, minor, patch;
    if (failed(reader.readVarInt(major)) || failed(reader.readVarInt(minor)) ||
        failed(reader.readVarInt(patch)))
      return nullptr;
    return std::make_unique<Version>();
  }
};
} // namespace

void SdyDialect::addBytecodeInterface() {
  addInterfaces<SdyBytecodeInterface>();
}
