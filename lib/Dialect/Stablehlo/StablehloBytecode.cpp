//===- StablehloBytecode.cpp - Binary form of types and attributes --------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The encoding is the one of StableHLO's own library: a code, then the members
// in the order of their declaration. Integers and lists of integers are signed,
// cases of enumerations unsigned. Codes never change their meaning.
//
// What is read comes from files, so no count in it is believed: a list grows as
// its members are read, and every failure leaves a diagnostic.

#include "hetero/Dialect/Stablehlo/StablehloOps.h"
#include "mlir/Bytecode/BytecodeImplementation.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::stablehlo;

namespace {

enum class AttributeCode : uint64_t {
  // 0 was an attribute that no longer exists.
  ChannelHandle = 1,
  ComparisonDirection = 2,
  ComparisonType = 3,
  ConvDimensionNumbers = 4,
  DotDimensionNumbers = 5,
  FftType = 6,
  GatherDimensionNumbers = 7,
  Precision = 8,
  RngAlgorithm = 9,
  RngDistribution = 10,
  ScatterDimensionNumbers = 11,
  Transpose = 12,
  TypeExtensions = 13,
  OutputOperandAlias = 14,
  DotAlgorithm = 15,
  ResultAccuracyMode = 16,
  ResultAccuracy = 17,
  ReplicaGroupMeshAxes = 18,
  SubAxisInfo = 19,
  AxisRef = 20,
  MeshAxis = 21,
  Mesh = 22,
};

enum class TypeCode : uint64_t {
  Token = 0,
  Future = 1,
};

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

using Integers = SmallVector<int64_t>;

/// Reads members one after the other. After a failure, which the reader has
/// reported, all further members are empty and nothing is made of them.
class MemberReader {
public:
  explicit MemberReader(DialectBytecodeReader &reader) : reader(reader) {}

  int64_t integer() {
    int64_t value = 0;
    check(ok() ? reader.readSignedVarInt(value) : failure());
    return value;
  }
  Integers integers() {
    Integers values;
    for (uint64_t left = count(); left != 0 && ok(); --left)
      values.push_back(integer());
    return values;
  }
  bool flag() {
    bool value = false;
    check(ok() ? reader.readBool(value) : failure());
    return value;
  }
  StringRef text() {
    StringRef value;
    check(ok() ? reader.readString(value) : failure());
    return value;
  }
  APFloat number() {
    if (ok()) {
      FailureOr<APFloat> value =
          reader.readAPFloatWithKnownSemantics(APFloat::IEEEdouble());
      if (succeeded(value))
        return *value;
      state = failure();
    }
    return APFloat(0.0);
  }
  Type type() {
    Type value;
    check(ok() ? reader.readType(value) : failure());
    return value;
  }
  SmallVector<Type> types() {
    SmallVector<Type> values;
    for (uint64_t left = count(); left != 0 && ok(); --left)
      values.push_back(type());
    return values;
  }
  template <typename AttrT = Attribute>
  AttrT attribute() {
    AttrT value;
    check(ok() ? reader.readAttribute(value) : failure());
    return value;
  }
  /// A flag, and the attribute if it is set.
  template <typename AttrT>
  AttrT optionalAttribute() {
    return flag() ? attribute<AttrT>() : AttrT();
  }
  SmallVector<Attribute> attributes() {
    SmallVector<Attribute> values;
    for (uint64_t left = count(); left != 0 && ok(); --left)
      values.push_back(attribute());
    return values;
  }

  /// The attribute with these members, null after a failure.
  template <typename T, typename... ArgsT>
  T make(ArgsT &&...args) {
    if (!ok())
      return {};
    return T::get(reader.getContext(), std::forward<ArgsT>(args)...);
  }

  /// The same of an attribute or type that not all members make; they are
  /// checked.
  template <typename T, typename... ArgsT>
  T makeChecked(ArgsT &&...args) {
    if (!ok())
      return {};
    return T::getChecked([this] { return reader.emitError(); },
                         reader.getContext(), std::forward<ArgsT>(args)...);
  }

  /// An attribute with one case of an enumeration.
  template <typename AttrT, typename EnumT>
  AttrT makeEnum(std::optional<EnumT> (*symbolize)(uint32_t)) {
    uint64_t code = count();
    if (!ok())
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

  bool ok() const { return succeeded(state); }

private:
  uint64_t count() {
    uint64_t value = 0;
    check(ok() ? reader.readVarInt(value) : failure());
    return value;
  }
  void check(LogicalResult result) {
    if (failed(result))
      state = failure();
  }

  DialectBytecodeReader &reader;
  LogicalResult state = success();
};

} // namespace

static Attribute readConv(MemberReader &in) {
  int64_t inputBatch = in.integer(), inputFeature = in.integer();
  Integers inputSpatial = in.integers();
  int64_t kernelInput = in.integer(), kernelOutput = in.integer();
  Integers kernelSpatial = in.integers();
  int64_t outputBatch = in.integer(), outputFeature = in.integer();
  Integers outputSpatial = in.integers();
  return in.make<ConvDimensionNumbersAttr>(
      inputBatch, inputFeature, inputSpatial, kernelInput, kernelOutput,
      kernelSpatial, outputBatch, outputFeature, outputSpatial);
}

static Attribute readDot(MemberReader &in) {
  Integers lhsBatching = in.integers(), rhsBatching = in.integers();
  Integers lhsContracting = in.integers(), rhsContracting = in.integers();
  return in.make<DotDimensionNumbersAttr>(lhsBatching, rhsBatching,
                                          lhsContracting, rhsContracting);
}

/// Gather and scatter: five lists and the dimension of the index vector.
template <typename AttrT>
static Attribute readIndexing(MemberReader &in) {
  Integers window = in.integers(), dropped = in.integers();
  Integers batching = in.integers(), indexBatching = in.integers();
  Integers map = in.integers();
  int64_t indexVectorDim = in.integer();
  return in.make<AttrT>(window, dropped, batching, indexBatching, map,
                        indexVectorDim);
}

static Attribute readOutputOperandAlias(MemberReader &in) {
  Integers output = in.integers();
  int64_t index = in.integer();
  Integers operand = in.integers();
  return in.make<OutputOperandAliasAttr>(output, index, operand);
}

static Attribute readDotAlgorithm(MemberReader &in) {
  Type lhs = in.type(), rhs = in.type(), accumulation = in.type();
  int64_t lhsCount = in.integer(), rhsCount = in.integer();
  int64_t numOperations = in.integer();
  bool imprecise = in.flag();
  return in.makeChecked<DotAlgorithmAttr>(lhs, rhs, accumulation, lhsCount,
                                          rhsCount, numOperations, imprecise);
}

static Attribute readResultAccuracy(MemberReader &in) {
  APFloat atol = in.number(), rtol = in.number();
  int64_t ulps = in.integer();
  auto mode = in.attribute<ResultAccuracyModeAttr>();
  return in.makeChecked<ResultAccuracyAttr>(atol, rtol, ulps, mode);
}

static Attribute readReplicaGroupMeshAxes(MemberReader &in,
                                          MLIRContext *context) {
  auto mesh = in.attribute<Attribute>();
  SmallVector<Attribute> axes = in.attributes();
  if (!in.ok())
    return {};
  return in.makeChecked<ReplicaGroupMeshAxesAttr>(
      mesh, ArrayAttr::get(context, axes));
}

static Attribute readAxisRef(MemberReader &in) {
  StringRef name = in.text();
  auto info = in.optionalAttribute<SubAxisInfoAttr>();
  return in.make<AxisRefAttr>(name, info);
}

static Attribute readMesh(MemberReader &in, DialectBytecodeReader &reader) {
  auto list = in.attribute<ArrayAttr>();
  auto deviceIds = in.optionalAttribute<DenseIntElementsAttr>();
  if (!in.ok())
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
  return in.make<MeshAttr>(axes, deviceIds);
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

namespace {
/// Writes a code and members.
class MemberWriter {
public:
  explicit MemberWriter(DialectBytecodeWriter &writer) : writer(writer) {}

  MemberWriter &operator<<(AttributeCode code) {
    writer.writeVarInt(uint64_t(code));
    return *this;
  }
  MemberWriter &operator<<(TypeCode code) {
    writer.writeVarInt(uint64_t(code));
    return *this;
  }
  MemberWriter &operator<<(int64_t value) {
    writer.writeSignedVarInt(value);
    return *this;
  }
  MemberWriter &operator<<(ArrayRef<int64_t> values) {
    writer.writeSignedVarInts(values);
    return *this;
  }
  MemberWriter &operator<<(Type type) {
    writer.writeType(type);
    return *this;
  }
  MemberWriter &operator<<(Attribute attr) {
    writer.writeAttribute(attr);
    return *this;
  }
  MemberWriter &operator<<(StringRef text) {
    writer.writeOwnedString(text);
    return *this;
  }
  MemberWriter &operator<<(const APFloat &number) {
    writer.writeAPFloatWithKnownSemantics(number);
    return *this;
  }

  void writeFlag(bool value) { writer.writeOwnedBool(value); }
  template <typename EnumT>
  void writeEnum(AttributeCode code, EnumT value) {
    *this << code;
    writer.writeVarInt(uint64_t(value));
  }
  void writeOptional(Attribute attr) {
    writeFlag(bool(attr));
    if (attr)
      writer.writeAttribute(attr);
  }
  void writeTypes(ArrayRef<Type> types) { writer.writeTypes(types); }
  void writeAttributes(ArrayRef<Attribute> attrs) {
    writer.writeAttributes(attrs);
  }

private:
  DialectBytecodeWriter &writer;
};
} // namespace

static void write(MemberWriter &out, ChannelHandleAttr attr) {
  out << AttributeCode::ChannelHandle << attr.getHandle() << attr.getType();
}

static void write(MemberWriter &out, ConvDimensionNumbersAttr attr) {
  out << AttributeCode::ConvDimensionNumbers << attr.getInputBatchDimension()
      << attr.getInputFeatureDimension() << attr.getInputSpatialDimensions()
      << attr.getKernelInputFeatureDimension()
      << attr.getKernelOutputFeatureDimension()
      << attr.getKernelSpatialDimensions() << attr.getOutputBatchDimension()
      << attr.getOutputFeatureDimension() << attr.getOutputSpatialDimensions();
}

static void write(MemberWriter &out, DotDimensionNumbersAttr attr) {
  out << AttributeCode::DotDimensionNumbers << attr.getLhsBatchingDimensions()
      << attr.getRhsBatchingDimensions() << attr.getLhsContractingDimensions()
      << attr.getRhsContractingDimensions();
}

static void write(MemberWriter &out, GatherDimensionNumbersAttr attr) {
  out << AttributeCode::GatherDimensionNumbers << attr.getOffsetDims()
      << attr.getCollapsedSliceDims() << attr.getOperandBatchingDims()
      << attr.getStartIndicesBatchingDims() << attr.getStartIndexMap()
      << attr.getIndexVectorDim();
}

static void write(MemberWriter &out, ScatterDimensionNumbersAttr attr) {
  out << AttributeCode::ScatterDimensionNumbers << attr.getUpdateWindowDims()
      << attr.getInsertedWindowDims() << attr.getInputBatchingDims()
      << attr.getScatterIndicesBatchingDims()
      << attr.getScatterDimsToOperandDims() << attr.getIndexVectorDim();
}

static void write(MemberWriter &out, TypeExtensionsAttr attr) {
  out << AttributeCode::TypeExtensions << attr.getBounds();
}

static void write(MemberWriter &out, OutputOperandAliasAttr attr) {
  out << AttributeCode::OutputOperandAlias << attr.getOutputTupleIndices()
      << attr.getOperandIndex() << attr.getOperandTupleIndices();
}

static void write(MemberWriter &out, DotAlgorithmAttr attr) {
  out << AttributeCode::DotAlgorithm << attr.getLhsPrecisionType()
      << attr.getRhsPrecisionType() << attr.getAccumulationType()
      << attr.getLhsComponentCount() << attr.getRhsComponentCount()
      << attr.getNumPrimitiveOperations();
  out.writeFlag(attr.getAllowImpreciseAccumulation());
}

static void write(MemberWriter &out, ResultAccuracyAttr attr) {
  out << AttributeCode::ResultAccuracy << attr.getAtol() << attr.getRtol()
      << attr.getUlps() << attr.getMode();
}

static void write(MemberWriter &out, ReplicaGroupMeshAxesAttr attr) {
  out << AttributeCode::ReplicaGroupMeshAxes << attr.getMesh();
  out.writeAttributes(attr.getAxes().getValue());
}

static void write(MemberWriter &out, SubAxisInfoAttr attr) {
  out << AttributeCode::SubAxisInfo << attr.getPreSize() << attr.getSize();
}

static void write(MemberWriter &out, AxisRefAttr attr) {
  out << AttributeCode::AxisRef << attr.getName();
  out.writeOptional(attr.getSubAxisInfo());
}

static void write(MemberWriter &out, MeshAxisAttr attr) {
  out << AttributeCode::MeshAxis << attr.getName() << attr.getSize();
}

static void write(MemberWriter &out, MeshAttr attr) {
  SmallVector<Attribute> axes = llvm::to_vector_of<Attribute>(attr.getAxes());
  out << AttributeCode::Mesh
      << Attribute(ArrayAttr::get(attr.getContext(), axes));
  out.writeOptional(attr.getDeviceIds());
}

/// Writes an attribute that holds one case of an enumeration.
static LogicalResult writeEnum(MemberWriter &out, Attribute attr) {
  using Code = AttributeCode;
  return TypeSwitch<Attribute, LogicalResult>(attr)
#define HETERO_WRITE_ENUM(NAME)                                                \
  Case<NAME##Attr>([&](NAME##Attr value) {                                     \
    out.writeEnum(Code::NAME, value.getValue());                               \
    return success();                                                          \
  })
      .HETERO_WRITE_ENUM(ComparisonDirection)
      .HETERO_WRITE_ENUM(ComparisonType)
      .HETERO_WRITE_ENUM(FftType)
      .HETERO_WRITE_ENUM(Precision)
      .HETERO_WRITE_ENUM(ResultAccuracyMode)
      .HETERO_WRITE_ENUM(RngAlgorithm)
      .HETERO_WRITE_ENUM(RngDistribution)
      .HETERO_WRITE_ENUM(Transpose)
#undef HETERO_WRITE_ENUM
      .Default([](Attribute) { return failure(); });
}

//===----------------------------------------------------------------------===//
// The interface
//===----------------------------------------------------------------------===//

namespace {

class StablehloBytecodeInterface : public BytecodeDialectInterface {
public:
  explicit StablehloBytecodeInterface(Dialect *dialect)
      : BytecodeDialectInterface(dialect) {}

  Attribute readAttribute(DialectBytecodeReader &reader) const override;
  Type readType(DialectBytecodeReader &reader) const override;
  LogicalResult writeAttribute(Attribute attr,
                               DialectBytecodeWriter &writer) const override;
  LogicalResult writeType(Type type,
                          DialectBytecodeWriter &writer) const override;
  void writeVersion(DialectBytecodeWriter &writer) const override;
  std::unique_ptr<DialectVersion>
  readVersion(DialectBytecodeReader &reader) const override;
};

} // namespace

Attribute
StablehloBytecodeInterface::readAttribute(DialectBytecodeReader &reader) const {
  uint64_t code;
  if (failed(reader.readVarInt(code)))
    return {};
  MemberReader in(reader);
  switch (AttributeCode(code)) {
  case AttributeCode::ChannelHandle: {
    int64_t handle = in.integer(), type = in.integer();
    return in.make<ChannelHandleAttr>(handle, type);
  }
  case AttributeCode::ComparisonDirection:
    return in.makeEnum<ComparisonDirectionAttr>(symbolizeComparisonDirection);
  case AttributeCode::ComparisonType:
    return in.makeEnum<ComparisonTypeAttr>(symbolizeComparisonType);
  case AttributeCode::ConvDimensionNumbers:
    return readConv(in);
  case AttributeCode::DotDimensionNumbers:
    return readDot(in);
  case AttributeCode::FftType:
    return in.makeEnum<FftTypeAttr>(symbolizeFftType);
  case AttributeCode::GatherDimensionNumbers:
    return readIndexing<GatherDimensionNumbersAttr>(in);
  case AttributeCode::Precision:
    return in.makeEnum<PrecisionAttr>(symbolizePrecision);
  case AttributeCode::RngAlgorithm:
    return in.makeEnum<RngAlgorithmAttr>(symbolizeRngAlgorithm);
  case AttributeCode::RngDistribution:
    return in.makeEnum<RngDistributionAttr>(symbolizeRngDistribution);
  case AttributeCode::ScatterDimensionNumbers:
    return readIndexing<ScatterDimensionNumbersAttr>(in);
  case AttributeCode::Transpose:
    return in.makeEnum<TransposeAttr>(symbolizeTranspose);
  case AttributeCode::TypeExtensions:
    return in.make<TypeExtensionsAttr>(in.integers());
  case AttributeCode::OutputOperandAlias:
    return readOutputOperandAlias(in);
  case AttributeCode::DotAlgorithm:
    return readDotAlgorithm(in);
  case AttributeCode::ResultAccuracyMode:
    return in.makeEnum<ResultAccuracyModeAttr>(symbolizeResultAccuracyMode);
  case AttributeCode::ResultAccuracy:
    return readResultAccuracy(in);
  case AttributeCode::ReplicaGroupMeshAxes:
    return readReplicaGroupMeshAxes(in, getContext());
  case AttributeCode::SubAxisInfo: {
    int64_t preSize = in.integer(), size = in.integer();
    return in.make<SubAxisInfoAttr>(preSize, size);
  }
  case AttributeCode::AxisRef:
    return readAxisRef(in);
  case AttributeCode::MeshAxis: {
    StringRef name = in.text();
    int64_t size = in.integer();
    return in.make<MeshAxisAttr>(name, size);
  }
  case AttributeCode::Mesh:
    return readMesh(in, reader);
  }
  reader.emitError() << "unknown stablehlo attribute code: " << code;
  return {};
}

Type StablehloBytecodeInterface::readType(DialectBytecodeReader &reader) const {
  uint64_t code;
  if (failed(reader.readVarInt(code)))
    return {};
  MemberReader in(reader);
  switch (TypeCode(code)) {
  case TypeCode::Token:
    return TokenType::get(getContext());
  case TypeCode::Future: {
    SmallVector<Type> types = in.types();
    return in.makeChecked<FutureType>(ArrayRef<Type>(types));
  }
  }
  reader.emitError() << "unknown stablehlo type code: " << code;
  return {};
}

LogicalResult StablehloBytecodeInterface::writeAttribute(
    Attribute attr, DialectBytecodeWriter &writer) const {
  MemberWriter out(writer);
  return TypeSwitch<Attribute, LogicalResult>(attr)
      .Case<ChannelHandleAttr, ConvDimensionNumbersAttr,
            DotDimensionNumbersAttr, GatherDimensionNumbersAttr,
            ScatterDimensionNumbersAttr, TypeExtensionsAttr,
            OutputOperandAliasAttr, DotAlgorithmAttr, ResultAccuracyAttr,
            ReplicaGroupMeshAxesAttr, SubAxisInfoAttr, AxisRefAttr,
            MeshAxisAttr, MeshAttr>([&](auto value) {
        write(out, value);
        return success();
      })
      .Default([&](Attribute value) { return writeEnum(out, value); });
}

LogicalResult
StablehloBytecodeInterface::writeType(Type type,
                                      DialectBytecodeWriter &writer) const {
  MemberWriter out(writer);
  if (isa<TokenType>(type)) {
    out << TypeCode::Token;
    return success();
  }
  auto future = dyn_cast<FutureType>(type);
  if (!future)
    return failure();
  out << TypeCode::Future;
  out.writeTypes(future.getTypes());
  return success();
}

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
