//===- StablehloBytecode.cpp - Binary form of types and attributes --------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The encoding is the one of StableHLO's own library: a code, then the members
// in the order of their declaration. Codes never change their meaning.

#include "hetero/Dialect/BytecodeTable.h"
#include "hetero/Dialect/Stablehlo/StablehloOps.h"

using namespace mlir;
using namespace mlir::stablehlo;
using mlir::bytecode::BytecodeCase;
using mlir::bytecode::BytecodeFields;
using mlir::bytecode::BytecodeTable;

//===----------------------------------------------------------------------===//
// Members of other forms
//===----------------------------------------------------------------------===//

/// A flag, and the attribute if it is set.
template <typename AttrT>
static LogicalResult readOptional(DialectBytecodeReader &reader, AttrT &attr) {
  bool isPresent;
  if (failed(reader.readBool(isPresent)))
    return failure();
  return isPresent ? reader.readAttribute(attr) : success();
}

static void writeOptional(DialectBytecodeWriter &writer, Attribute attr) {
  writer.writeOwnedBool(bool(attr));
  if (attr)
    writer.writeAttribute(attr);
}

namespace mlir::stablehlo {
/// The part of an axis, which not every reference to one has.
static LogicalResult readField(DialectBytecodeReader &reader,
                               SubAxisInfoAttr &info) {
  return readOptional(reader, info);
}
static void writeField(DialectBytecodeWriter &writer, SubAxisInfoAttr info) {
  writeOptional(writer, info);
}
} // namespace mlir::stablehlo

namespace {
/// The axes are written one by one.
struct MeshAxesFields : BytecodeFields<18, ReplicaGroupMeshAxesAttr> {
  static ReplicaGroupMeshAxesAttr read(DialectBytecodeReader &reader) {
    Attribute mesh;
    SmallVector<Attribute> axes;
    if (failed(reader.readAttribute(mesh)) ||
        failed(bytecode::readField(reader, axes)))
      return {};
    return bytecode::buildFromFields<ReplicaGroupMeshAxesAttr>(
        reader, mesh, ArrayAttr::get(reader.getContext(), axes));
  }
  static void write(DialectBytecodeWriter &writer,
                    ReplicaGroupMeshAxesAttr attr) {
    writer.writeAttribute(attr.getMesh());
    bytecode::writeField(writer, attr.getAxes().getValue());
  }
};

/// The axes are written as one attribute.
struct MeshFields : BytecodeFields<22, MeshAttr> {
  static MeshAttr read(DialectBytecodeReader &reader) {
    ArrayAttr list;
    DenseIntElementsAttr deviceIds;
    if (failed(reader.readAttribute(list)) ||
        failed(readOptional(reader, deviceIds)))
      return {};
    SmallVector<MeshAxisAttr> axes;
    for (Attribute member : list) {
      auto axis = dyn_cast<MeshAxisAttr>(member);
      if (!axis) {
        reader.emitError() << "expected an axis of a mesh, got " << member;
        return {};
      }
      axes.push_back(axis);
    }
    return MeshAttr::get(reader.getContext(), axes, deviceIds);
  }
  static void write(DialectBytecodeWriter &writer, MeshAttr attr) {
    writer.writeAttribute(ArrayAttr::get(
        attr.getContext(), llvm::to_vector_of<Attribute>(attr.getAxes())));
    writeOptional(writer, attr.getDeviceIds());
  }
};
} // namespace

//===----------------------------------------------------------------------===//
// The codes
//===----------------------------------------------------------------------===//

/// 0 was an attribute that no longer exists.
using Attributes = BytecodeTable<
    BytecodeFields<1, ChannelHandleAttr, &ChannelHandleAttr::getHandle,
                   &ChannelHandleAttr::getType>,
    BytecodeCase<2, ComparisonDirectionAttr, symbolizeComparisonDirection>,
    BytecodeCase<3, ComparisonTypeAttr, symbolizeComparisonType>,
    BytecodeFields<4, ConvDimensionNumbersAttr,
                   &ConvDimensionNumbersAttr::getInputBatchDimension,
                   &ConvDimensionNumbersAttr::getInputFeatureDimension,
                   &ConvDimensionNumbersAttr::getInputSpatialDimensions,
                   &ConvDimensionNumbersAttr::getKernelInputFeatureDimension,
                   &ConvDimensionNumbersAttr::getKernelOutputFeatureDimension,
                   &ConvDimensionNumbersAttr::getKernelSpatialDimensions,
                   &ConvDimensionNumbersAttr::getOutputBatchDimension,
                   &ConvDimensionNumbersAttr::getOutputFeatureDimension,
                   &ConvDimensionNumbersAttr::getOutputSpatialDimensions>,
    BytecodeFields<5, DotDimensionNumbersAttr,
                   &DotDimensionNumbersAttr::getLhsBatchingDimensions,
                   &DotDimensionNumbersAttr::getRhsBatchingDimensions,
                   &DotDimensionNumbersAttr::getLhsContractingDimensions,
                   &DotDimensionNumbersAttr::getRhsContractingDimensions>,
    BytecodeCase<6, FftTypeAttr, symbolizeFftType>,
    BytecodeFields<7, GatherDimensionNumbersAttr,
                   &GatherDimensionNumbersAttr::getOffsetDims,
                   &GatherDimensionNumbersAttr::getCollapsedSliceDims,
                   &GatherDimensionNumbersAttr::getOperandBatchingDims,
                   &GatherDimensionNumbersAttr::getStartIndicesBatchingDims,
                   &GatherDimensionNumbersAttr::getStartIndexMap,
                   &GatherDimensionNumbersAttr::getIndexVectorDim>,
    BytecodeCase<8, PrecisionAttr, symbolizePrecision>,
    BytecodeCase<9, RngAlgorithmAttr, symbolizeRngAlgorithm>,
    BytecodeCase<10, RngDistributionAttr, symbolizeRngDistribution>,
    BytecodeFields<11, ScatterDimensionNumbersAttr,
                   &ScatterDimensionNumbersAttr::getUpdateWindowDims,
                   &ScatterDimensionNumbersAttr::getInsertedWindowDims,
                   &ScatterDimensionNumbersAttr::getInputBatchingDims,
                   &ScatterDimensionNumbersAttr::getScatterIndicesBatchingDims,
                   &ScatterDimensionNumbersAttr::getScatterDimsToOperandDims,
                   &ScatterDimensionNumbersAttr::getIndexVectorDim>,
    BytecodeCase<12, TransposeAttr, symbolizeTranspose>,
    BytecodeFields<13, TypeExtensionsAttr, &TypeExtensionsAttr::getBounds>,
    BytecodeFields<14, OutputOperandAliasAttr,
                   &OutputOperandAliasAttr::getOutputTupleIndices,
                   &OutputOperandAliasAttr::getOperandIndex,
                   &OutputOperandAliasAttr::getOperandTupleIndices>,
    BytecodeFields<15, DotAlgorithmAttr, &DotAlgorithmAttr::getLhsPrecisionType,
                   &DotAlgorithmAttr::getRhsPrecisionType,
                   &DotAlgorithmAttr::getAccumulationType,
                   &DotAlgorithmAttr::getLhsComponentCount,
                   &DotAlgorithmAttr::getRhsComponentCount,
                   &DotAlgorithmAttr::getNumPrimitiveOperations,
                   &DotAlgorithmAttr::getAllowImpreciseAccumulation>,
    BytecodeCase<16, ResultAccuracyModeAttr, symbolizeResultAccuracyMode>,
    BytecodeFields<17, ResultAccuracyAttr, &ResultAccuracyAttr::getAtol,
                   &ResultAccuracyAttr::getRtol, &ResultAccuracyAttr::getUlps,
                   &ResultAccuracyAttr::getMode>,
    MeshAxesFields,
    BytecodeFields<19, SubAxisInfoAttr, &SubAxisInfoAttr::getPreSize,
                   &SubAxisInfoAttr::getSize>,
    BytecodeFields<20, AxisRefAttr, &AxisRefAttr::getName,
                   &AxisRefAttr::getSubAxisInfo>,
    BytecodeFields<21, MeshAxisAttr, &MeshAxisAttr::getName,
                   &MeshAxisAttr::getSize>,
    MeshFields>;

using Types =
    BytecodeTable<BytecodeFields<0, TokenType>,
                  BytecodeFields<1, FutureType, &FutureType::getTypes>>;

//===----------------------------------------------------------------------===//
// The interface
//===----------------------------------------------------------------------===//

namespace {
struct StablehloBytecodeInterface : public BytecodeDialectInterface {
  explicit StablehloBytecodeInterface(Dialect *dialect)
      : BytecodeDialectInterface(dialect) {}

  Attribute readAttribute(DialectBytecodeReader &reader) const override {
    return Attributes::read<Attribute>(reader,
                                       "unknown stablehlo attribute code: ");
  }
  Type readType(DialectBytecodeReader &reader) const override {
    return Types::read<Type>(reader, "unknown stablehlo type code: ");
  }
  LogicalResult writeAttribute(Attribute attr,
                               DialectBytecodeWriter &writer) const override {
    return Attributes::write(writer, attr);
  }
  LogicalResult writeType(Type type,
                          DialectBytecodeWriter &writer) const override {
    return Types::write(writer, type);
  }
  void writeVersion(DialectBytecodeWriter &writer) const override;
  std::unique_ptr<DialectVersion>
  readVersion(DialectBytecodeReader &reader) const override;
};
} // namespace

void StablehloBytecodeInterface::writeVersion(
    DialectBytecodeWriter &writer) const {
  auto version = cast<StablehloDialect>(getDialect())->getVersion();
  if (!version)
    return;
  writer.writeVarInt(uint64_t(version->getMajor()));
  writer.writeVarInt(uint64_t(version->getMinor()));
  writer.writeVarInt(uint64_t(version->getPatch()));
}

std::unique_ptr<DialectVersion>
StablehloBytecodeInterface::readVersion(DialectBytecodeReader &reader) const {
  uint64_t major, minor, patch;
  if (failed(reader.readVarInt(major)) || failed(reader.readVarInt(minor)) ||
      failed(reader.readVarInt(patch)))
    return nullptr;
  constexpr uint64_t max = std::numeric_limits<int32_t>::max();
  auto current = StablehloDialectVersion::getCurrentVersion();
  if (major > max || minor > max || patch > max ||
      current < StablehloDialectVersion(major, minor, patch)) {
    reader.emitError() << "stablehlo " << major << "." << minor << "." << patch
                       << " is newer than what is understood, "
                       << current.getMajor() << "." << current.getMinor() << "."
                       << current.getPatch();
    return nullptr;
  }
  return std::make_unique<StablehloDialectVersion>(major, minor, patch);
}

void StablehloDialect::registerBytecode() {
  addInterfaces<StablehloBytecodeInterface>();
}
