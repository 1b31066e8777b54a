//===- SdyBytecode.cpp - Bytecode of the sdy attributes -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The encoding that Shardy, and so jaxlib, uses. Each attribute is a code, then
// its fields in order. A list is its length and its elements; attributes are
// references into the file's table, integers are signed unless noted.
// Attributes without a code travel as text, which the bytecode allows.

#include "hetero/Dialect/Sdy/Sdy.h"
#include "mlir/Bytecode/BytecodeImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::sdy;

namespace {

/// Fixed by the files that exist; the number is what is written.
enum Code : uint64_t {
  /// list of strings
  ManualAxesCode = 0,
  /// name, size
  MeshAxisCode = 1,
  /// list of axes, list of device ids
  MeshCode = 2,
  /// pre-size, size
  SubAxisInfoCode = 3,
  /// name, optional sub-axis
  AxisRefCode = 4,
  /// list of axes, closed, optional unsigned priority
  DimensionShardingCode = 5,
  /// mesh, list of dimensions, list of replicated axes
  ShardingCode = 6,
  /// list of shardings, none with unreduced axes
  ShardingPerValueCode = 7,
  /// list of factors
  DimMappingCode = 8,
  /// list of dimensions
  TensorMappingCode = 9,
  /// list of sizes, two lists of mappings, four lists of factors, custom
  ShardingRuleCode = 10,
  /// list of axes
  AxisRefListCode = 11,
  /// list of lists of axes
  ListOfAxisRefListsCode = 12,
  /// list of axes, source, target
  AllToAllParamCode = 13,
  /// list of moves
  AllToAllParamListCode = 14,
  /// as Sharding, then the list of unreduced axes
  UnreducedShardingCode = 15,
  /// list of shardings, some with unreduced axes
  UnreducedShardingPerValueCode = 16
};

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

/// Writes fields of any kind one after the other.
class FieldWriter {
public:
  explicit FieldWriter(DialectBytecodeWriter &writer) : writer(writer) {}

  template <typename... Ts>
  LogicalResult operator()(Code code, const Ts &...fields) {
    writer.writeVarInt(code);
    (write(fields), ...);
    return success();
  }

private:
  void write(int64_t value) { writer.writeSignedVarInt(value); }
  void write(bool value) { writer.writeOwnedBool(value); }
  void write(StringRef text) { writer.writeOwnedString(text); }
  void write(Attribute attr) { writer.writeAttribute(attr); }
  void write(SubAxisInfoAttr attr) { writer.writeOptionalAttribute(attr); }
  void write(ArrayRef<int64_t> values) { writer.writeSignedVarInts(values); }
  void write(std::optional<int64_t> value) {
    writer.writeVarIntWithFlag(value.value_or(0), value.has_value());
  }
  template <typename T>
  void write(ArrayRef<T> attrs) {
    writer.writeAttributes(attrs);
  }

  DialectBytecodeWriter &writer;
};
} // namespace

static LogicalResult writeSharding(TensorShardingAttr attr,
                                   FieldWriter &write) {
  if (attr.getUnreducedAxes().empty())
    return write(ShardingCode, attr.getMeshOrRef(), attr.getDimShardings(),
                 attr.getReplicatedAxes());
  return write(UnreducedShardingCode, attr.getMeshOrRef(),
               attr.getDimShardings(), attr.getReplicatedAxes(),
               attr.getUnreducedAxes());
}

static LogicalResult writeShardings(TensorShardingPerValueAttr attr,
                                    FieldWriter &write) {
  bool anyUnreduced =
      llvm::any_of(attr.getShardings(), [](TensorShardingAttr sharding) {
        return !sharding.getUnreducedAxes().empty();
      });
  return write(anyUnreduced ? UnreducedShardingPerValueCode
                            : ShardingPerValueCode,
               attr.getShardings());
}

static LogicalResult writeRule(OpShardingRuleAttr attr, FieldWriter &write) {
  return write(ShardingRuleCode, attr.getFactorSizes(),
               attr.getOperandMappings(), attr.getResultMappings(),
               attr.getReductionFactors(), attr.getNeedReplicationFactors(),
               attr.getPermutationFactors(),
               attr.getBlockedPropagationFactors(), attr.getIsCustomRule());
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

namespace {
/// Reads fields of any kind one after the other. Lists grow as they are read:
/// a damaged length must not reserve memory.
class FieldReader {
public:
  explicit FieldReader(DialectBytecodeReader &reader) : reader(reader) {}

  template <typename... Ts>
  bool operator()(Ts &...fields) {
    return (succeeded(read(fields)) && ...);
  }

  InFlightDiagnostic emitError() const { return reader.emitError(); }
  MLIRContext *getContext() const { return reader.getContext(); }

private:
  LogicalResult read(int64_t &value) { return reader.readSignedVarInt(value); }
  LogicalResult read(bool &value) { return reader.readBool(value); }
  LogicalResult read(StringRef &text) { return reader.readString(text); }
  LogicalResult read(Attribute &attr) { return reader.readAttribute(attr); }
  LogicalResult read(SubAxisInfoAttr &attr) {
    return reader.readOptionalAttribute(attr);
  }
  LogicalResult read(std::optional<int64_t> &value) {
    uint64_t number;
    bool present;
    if (failed(reader.readVarIntWithFlag(number, present)))
      return failure();
    if (present)
      value = int64_t(number);
    return success();
  }
  LogicalResult readElement(int64_t &value) { return read(value); }
  template <typename T>
  LogicalResult readElement(T &attr) {
    return reader.readAttribute(attr);
  }
  template <typename T>
  LogicalResult read(SmallVector<T> &elements) {
    uint64_t size;
    if (failed(reader.readVarInt(size)))
      return failure();
    for (uint64_t i = 0; i < size; ++i) {
      T element{};
      if (failed(readElement(element)))
        return failure();
      elements.push_back(element);
    }
    return success();
  }

  DialectBytecodeReader &reader;
};
} // namespace

template <typename AttrT, typename... Ts>
static Attribute build(FieldReader &read, const Ts &...fields) {
  return AttrT::get(read.getContext(), fields...);
}

/// For attributes that have a verifier of their own.
template <typename AttrT, typename... Ts>
static Attribute buildChecked(FieldReader &read, const Ts &...fields) {
  return AttrT::getChecked([&]() { return read.emitError(); },
                           read.getContext(), fields...);
}

/// Reads an attribute that is a list of attributes of one type.
template <typename AttrT, typename ElementT>
static Attribute readList(FieldReader &read) {
  SmallVector<ElementT> elements;
  if (!read(elements))
    return {};
  return build<AttrT>(read, ArrayRef<ElementT>(elements));
}

static Attribute readMesh(FieldReader &read) {
  SmallVector<MeshAxisAttr> axes;
  SmallVector<int64_t> deviceIds;
  if (!read(axes, deviceIds))
    return {};
  return buildChecked<MeshAttr>(read, ArrayRef(axes), ArrayRef(deviceIds));
}

static Attribute readAxisRef(FieldReader &read) {
  StringRef name;
  SubAxisInfoAttr info;
  if (!read(name, info))
    return {};
  return build<AxisRefAttr>(read, name, info);
}

static Attribute readDimensionSharding(FieldReader &read) {
  SmallVector<AxisRefAttr> axes;
  bool isClosed;
  std::optional<int64_t> priority;
  if (!read(axes, isClosed, priority))
    return {};
  return build<DimensionShardingAttr>(read, ArrayRef(axes), isClosed, priority);
}

static Attribute readSharding(FieldReader &read, bool hasUnreduced) {
  Attribute mesh;
  SmallVector<DimensionShardingAttr> dims;
  SmallVector<AxisRefAttr> replicated, unreduced;
  if (!read(mesh, dims, replicated) || (hasUnreduced && !read(unreduced)))
    return {};
  if (!isa<MeshAttr, FlatSymbolRefAttr>(mesh)) {
    read.emitError() << "expected a mesh or the symbol of one, got " << mesh;
    return {};
  }
  return build<TensorShardingAttr>(read, mesh, ArrayRef(dims),
                                   ArrayRef(replicated), ArrayRef(unreduced));
}

static Attribute readRule(FieldReader &read) {
  SmallVector<int64_t> sizes, reduction, replication, permutation, blocked;
  SmallVector<TensorMappingAttr> operands, results;
  bool isCustom;
  if (!read(sizes, operands, results, reduction, replication, permutation,
            blocked, isCustom))
    return {};
  return build<OpShardingRuleAttr>(read, ArrayRef(sizes), ArrayRef(operands),
                                   ArrayRef(results), ArrayRef(reduction),
                                   ArrayRef(replication), ArrayRef(permutation),
                                   ArrayRef(blocked), isCustom);
}

static Attribute readAllToAllParam(FieldReader &read) {
  SmallVector<AxisRefAttr> axes;
  int64_t source, target;
  if (!read(axes, source, target))
    return {};
  return build<AllToAllParamAttr>(read, ArrayRef(axes), source, target);
}

static Attribute readMeshAxis(FieldReader &read) {
  StringRef name;
  int64_t size;
  return read(name, size) ? buildChecked<MeshAxisAttr>(read, name, size)
                          : Attribute();
}

static Attribute readSubAxisInfo(FieldReader &read) {
  int64_t preSize, size;
  return read(preSize, size) ? build<SubAxisInfoAttr>(read, preSize, size)
                             : Attribute();
}

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
    uint64_t code;
    if (failed(reader.readVarInt(code)))
      return {};
    FieldReader read(reader);
    switch (code) {
    case ManualAxesCode:
      return readList<ManualAxesAttr, StringAttr>(read);
    case MeshAxisCode:
      return readMeshAxis(read);
    case MeshCode:
      return readMesh(read);
    case SubAxisInfoCode:
      return readSubAxisInfo(read);
    case AxisRefCode:
      return readAxisRef(read);
    case DimensionShardingCode:
      return readDimensionSharding(read);
    case ShardingCode:
    case UnreducedShardingCode:
      return readSharding(read, code == UnreducedShardingCode);
    case ShardingPerValueCode:
    case UnreducedShardingPerValueCode:
      return readList<TensorShardingPerValueAttr, TensorShardingAttr>(read);
    case DimMappingCode:
      return readList<DimMappingAttr, int64_t>(read);
    case TensorMappingCode:
      return readList<TensorMappingAttr, DimMappingAttr>(read);
    case ShardingRuleCode:
      return readRule(read);
    case AxisRefListCode:
      return readList<AxisRefListAttr, AxisRefAttr>(read);
    case ListOfAxisRefListsCode:
      return readList<ListOfAxisRefListsAttr, AxisRefListAttr>(read);
    case AllToAllParamCode:
      return readAllToAllParam(read);
    case AllToAllParamListCode:
      return readList<AllToAllParamListAttr, AllToAllParamAttr>(read);
    default:
      reader.emitError() << "unknown sdy attribute code " << code;
      return {};
    }
  }

  LogicalResult writeAttribute(Attribute attribute,
                               DialectBytecodeWriter &writer) const override {
    FieldWriter write(writer);
    using Result = LogicalResult;
    return TypeSwitch<Attribute, Result>(attribute)
        .Case([&](ManualAxesAttr attr) -> Result {
          return write(ManualAxesCode, attr.getValue());
        })
        .Case([&](MeshAxisAttr attr) -> Result {
          return write(MeshAxisCode, attr.getName(), attr.getSize());
        })
        .Case([&](MeshAttr attr) -> Result {
          return write(MeshCode, attr.getAxes(), attr.getDeviceIds());
        })
        .Case([&](SubAxisInfoAttr attr) -> Result {
          return write(SubAxisInfoCode, attr.getPreSize(), attr.getSize());
        })
        .Case([&](AxisRefAttr attr) -> Result {
          return write(AxisRefCode, attr.getName(), attr.getSubAxisInfo());
        })
        .Case([&](DimensionShardingAttr attr) -> Result {
          return write(DimensionShardingCode, attr.getAxes(),
                       attr.getIsClosed(), attr.getPriority());
        })
        .Case([&](TensorShardingAttr attr) -> Result {
          return writeSharding(attr, write);
        })
        .Case([&](TensorShardingPerValueAttr attr) -> Result {
          return writeShardings(attr, write);
        })
        .Case([&](DimMappingAttr attr) -> Result {
          return write(DimMappingCode, attr.getFactorIndices());
        })
        .Case([&](TensorMappingAttr attr) -> Result {
          return write(TensorMappingCode, attr.getDimMappings());
        })
        .Case([&](OpShardingRuleAttr attr) -> Result {
          return writeRule(attr, write);
        })
        .Case([&](AxisRefListAttr attr) -> Result {
          return write(AxisRefListCode, attr.getValue());
        })
        .Case([&](ListOfAxisRefListsAttr attr) -> Result {
          return write(ListOfAxisRefListsCode, attr.getValue());
        })
        .Case([&](AllToAllParamAttr attr) -> Result {
          return write(AllToAllParamCode, attr.getAxes(), attr.getSrcDim(),
                       attr.getTgtDim());
        })
        .Case([&](AllToAllParamListAttr attr) -> Result {
          return write(AllToAllParamListCode, attr.getValue());
        })
        .Default([](Attribute) { return failure(); });
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
