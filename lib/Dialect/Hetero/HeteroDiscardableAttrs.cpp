//===- HeteroDiscardableAttrs.cpp - Checks of hetero.* attributes ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Verifiers.h"
#include "hetero/Dialect/Hetero/HeteroClusterOps.h"
#include "hetero/Dialect/Hetero/HeteroDialect.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace hetero;

LogicalResult LayerAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                int64_t layer, Phase) {
  if (layer < 0)
    return emitError() << "layer_attr_c1: layer " << layer << " does not exist";
  return success();
}

//===----------------------------------------------------------------------===//
// Shardings
//===----------------------------------------------------------------------===//

LogicalResult hetero::verifyReduction(Operation *op, ReductionKind reduction,
                                      Type type, StringRef label) {
  bool logical =
      reduction == ReductionKind::And || reduction == ReductionKind::Or;
  bool fits = logical
                  ? isa<IntegerType>(type)
                  : !type.isInteger(1) && (reduction == ReductionKind::Sum ||
                                           !isa<ComplexType>(type));
  if (!fits)
    return op->emitOpError()
           << label << ": '" << stringifyReductionKind(reduction)
           << "' does not combine elements of type " << type;
  return success();
}

/// Checks one entry of a sharding on `mesh`.
static LogicalResult verifyEntry(Operation *op, AxisShardingAttr entry,
                                 RankedTensorType type, MeshOp mesh) {
  SmallVector<Attribute> names(entry.getAxes().begin(), entry.getAxes().end());
  std::optional<int64_t> members =
      mesh.getGroupSize(ArrayAttr::get(op->getContext(), names));
  if (!members)
    return (op->emitOpError() << "sharding_c3: mesh '" << mesh.getSymName()
                              << "' does not have all axes of " << entry)
               .attachNote(mesh.getLoc())
           << "the mesh is here";
  SplitAttr split = entry.getSplit();
  if (!split)
    return verifyReduction(op, entry.getReduction(), type.getElementType(),
                           "sharding_c7");
  if (split.getDim() >= type.getRank())
    return op->emitOpError() << "sharding_c5: dimension " << split.getDim()
                             << " does not exist in " << type;
  if (split.isBatch())
    return success();
  if (static_cast<int64_t>(split.getSizes().size()) != *members)
    return (op->emitOpError() << "sharding_c4: has " << split.getSizes().size()
                              << " sizes for " << *members << " members")
               .attachNote(mesh.getLoc())
           << "the mesh is here";
  if (!type.isDynamicDim(split.getDim()) &&
      split.getLength() != type.getDimSize(split.getDim()))
    return op->emitOpError()
           << "sharding_c5: the parts of dimension " << split.getDim()
           << " make " << split.getLength() << ", but it has length "
           << type.getDimSize(split.getDim());
  return success();
}

LogicalResult hetero::verifySharding(Operation *op, ShardingAttr sharding,
                                     Type type, MeshOp mesh) {
  if (!mesh)
    return op->emitOpError()
           << "sharding_c3: " << sharding.getMesh() << " is not a mesh";
  auto tensorType = dyn_cast<RankedTensorType>(type);
  if (!tensorType)
    return op->emitOpError()
           << "sharding_c6: a value of type " << type << " cannot be sharded";
  for (AxisShardingAttr entry : sharding.getEntries())
    if (failed(verifyEntry(op, entry, tensorType, mesh)))
      return failure();
  return success();
}

//===----------------------------------------------------------------------===//
// Values of attributes
//===----------------------------------------------------------------------===//

static InFlightDiagnostic emitUnknown(Operation *op, NamedAttribute attribute,
                                      const Twine &where) {
  return op->emitOpError() << "hetero_c1: " << attribute.getName()
                           << " is not an attribute of " << where;
}

/// The value of `attribute` as an `AttrT`, or null after an error.
template <typename AttrT>
static AttrT getValueAs(Operation *op, NamedAttribute attribute,
                        StringRef kind) {
  auto value = dyn_cast<AttrT>(attribute.getValue());
  if (!value)
    op->emitOpError() << "hetero_c2: " << attribute.getName() << " must be "
                      << kind << ", but is " << attribute.getValue();
  return value;
}

/// Checks that `attribute` is an `AttrT`.
template <typename AttrT>
static LogicalResult verifyKind(Operation *op, NamedAttribute attribute,
                                StringRef kind) {
  return success(getValueAs<AttrT>(op, attribute, kind) != nullptr);
}

static MeshOp lookupMesh(Operation *op, FlatSymbolRefAttr name) {
  return SymbolTable::lookupNearestSymbolFrom<MeshOp>(op, name);
}

static LogicalResult verifyShardingOf(Operation *op, NamedAttribute attribute,
                                      Type type) {
  auto sharding = getValueAs<ShardingAttr>(op, attribute, "a #hetero.sharding");
  if (!sharding)
    return failure();
  return verifySharding(op, sharding, type, lookupMesh(op, sharding.getMesh()));
}

static LogicalResult verifyPlacement(Operation *op, NamedAttribute attribute) {
  auto placement =
      getValueAs<PlacementAttr>(op, attribute, "a #hetero.placement");
  if (!placement)
    return failure();
  FlatSymbolRefAttr mesh = placement.getMesh();
  if (mesh && !lookupMesh(op, mesh))
    return op->emitOpError() << "placement_c2: " << mesh << " is not a mesh";
  return success();
}

static LogicalResult verifyForms(Operation *op, FormsAttr forms, Type type) {
  auto tensorType = dyn_cast<RankedTensorType>(type);
  for (auto [axis, form] : llvm::zip_equal(forms.getAxes(), forms.getForms()))
    if (form.isSplit() &&
        (!tensorType || form.getDim() >= tensorType.getRank()))
      return op->emitOpError()
             << "forms_c3: dimension " << form.getDim() << ", split on axis '"
             << axis.getValue() << "', does not exist in " << type;
  return success();
}

static LogicalResult verifyFormsOf(Operation *op, NamedAttribute attribute,
                                   Type type) {
  auto forms = getValueAs<FormsAttr>(op, attribute, "a #hetero.forms");
  return failure(!forms || failed(verifyForms(op, forms, type)));
}

/// Checks an array with one entry per result of `op`.
template <typename AttrT>
static LogicalResult
verifyPerResult(Operation *op, NamedAttribute attribute, StringRef label,
                StringRef kind,
                function_ref<LogicalResult(AttrT, Type)> verify) {
  auto array = getValueAs<ArrayAttr>(op, attribute, kind);
  if (!array)
    return failure();
  if (array.size() != op->getNumResults())
    return op->emitOpError()
           << label << ": " << attribute.getName() << " has " << array.size()
           << " entries for " << op->getNumResults() << " results";
  for (auto [entry, type] : llvm::zip_equal(array, op->getResultTypes())) {
    auto value = dyn_cast<AttrT>(entry);
    if (!value)
      return op->emitOpError() << "hetero_c2: " << attribute.getName()
                               << " must be " << kind << ", but has " << entry;
    if (failed(verify(value, type)))
      return failure();
  }
  return success();
}

static LogicalResult verifyPart(Operation *op, NamedAttribute attribute,
                                Type type) {
  auto part = getValueAs<PartAttr>(op, attribute, "a #hetero.part");
  if (!part)
    return failure();
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || !tensor.hasStaticShape())
    return op->emitOpError() << "part_c3: " << attribute.getName()
                             << " must be on a ranked tensor with static "
                                "shape, but is on "
                             << type;
  if (int64_t(part.getRanges().size()) != tensor.getRank())
    return op->emitOpError() << "part_c2: " << part.getRanges().size()
                             << " lists of ranges for the " << tensor.getRank()
                             << " dimensions of " << type;
  for (auto [dim, ranges] : llvm::enumerate(part.getRanges())) {
    int64_t length = 0;
    ArrayRef<int64_t> bounds = ranges.asArrayRef();
    for (size_t i = 0; i + 1 < bounds.size(); i += 2)
      length += bounds[i + 1] - bounds[i];
    if (length != tensor.getDimSize(dim))
      return op->emitOpError()
             << "part_c2: ranges of " << length << " in all for dimension "
             << dim << " of " << type;
  }
  return success();
}

/// Attributes that arguments and results have in common; nothing if
/// `attribute` is not one of them.
static std::optional<LogicalResult>
verifyValueAttribute(Operation *op, NamedAttribute attribute, Type type) {
  StringRef name = attribute.getName();
  if (name == HeteroDialect::getShardingAttrName() ||
      name == HeteroDialect::getStorageAttrName())
    return verifyShardingOf(op, attribute, type);
  if (name == HeteroDialect::getFormsAttrName())
    return verifyFormsOf(op, attribute, type);
  if (name == HeteroDialect::getPartAttrName())
    return verifyPart(op, attribute, type);
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// HeteroDialect
//===----------------------------------------------------------------------===//

LogicalResult HeteroDialect::verifyRegionArgAttribute(
    Operation *op, unsigned, unsigned argIndex, NamedAttribute attribute) {
  auto function = dyn_cast<FunctionOpInterface>(op);
  if (!function)
    return emitUnknown(op, attribute, "arguments of this operation");
  if (attribute.getName() == getRoleAttrName()) {
    auto role = getValueAs<RoleAttr>(op, attribute, "a #hetero.role");
    return failure(!role || failed(verifyArgumentRole(op, argIndex, role)));
  }
  if (attribute.getName() == getPlacementAttrName())
    return verifyPlacement(op, attribute);
  // Marks on kernels (hetero/Conversion/Kernels/Passes.h).
  if (attribute.getName() == "hetero.last_use" ||
      attribute.getName() == "hetero.result")
    return verifyKind<UnitAttr>(op, attribute, "a unit");
  if (auto result = verifyValueAttribute(op, attribute,
                                         function.getArgumentTypes()[argIndex]))
    return *result;
  return emitUnknown(op, attribute, "arguments");
}

LogicalResult HeteroDialect::verifyRegionResultAttribute(
    Operation *op, unsigned, unsigned resultIndex, NamedAttribute attribute) {
  auto function = dyn_cast<FunctionOpInterface>(op);
  if (!function)
    return emitUnknown(op, attribute, "results of this operation");
  if (attribute.getName() == getRoleAttrName()) {
    auto role = getValueAs<RoleAttr>(op, attribute, "a #hetero.role");
    return failure(!role || failed(verifyResultRole(op, resultIndex, role)));
  }
  if (auto result = verifyValueAttribute(
          op, attribute, function.getResultTypes()[resultIndex]))
    return *result;
  return emitUnknown(op, attribute, "results");
}

LogicalResult
HeteroDialect::verifyOperationAttribute(Operation *op,
                                        NamedAttribute attribute) {
  StringRef name = attribute.getName();
  if (name == getLayerAttrName())
    return verifyKind<LayerAttr>(op, attribute, "a #hetero.layer");
  if (name == getInstructionAttrName())
    return verifyKind<InstructionAttr>(op, attribute, "a #hetero.instruction");
  if (name == getPlacementAttrName())
    return verifyPlacement(op, attribute);
  if (name == getFormsAttrName())
    return verifyPerResult<FormsAttr>(op, attribute, "hetero_c2",
                                      "an array of #hetero.forms",
                                      [&](FormsAttr forms, Type type) {
                                        return verifyForms(op, forms, type);
                                      });
  if (name == getShardingAttrName()) {
    if (isa<ShardingAttr>(attribute.getValue()) && op->getNumResults() == 1)
      return verifyShardingOf(op, attribute, op->getResult(0).getType());
    return verifyPerResult<ShardingAttr>(
        op, attribute, "sharding_c8", "an array of #hetero.sharding",
        [&](ShardingAttr sharding, Type type) {
          return verifySharding(op, sharding, type,
                                lookupMesh(op, sharding.getMesh()));
        });
  }
  if (name == getProgramAttrName()) {
    if (!isa<FunctionOpInterface>(op))
      return op->emitOpError() << "program_c4: " << attribute.getName()
                               << " must be on a function";
    return verifyKind<ProgramAttr>(op, attribute, "a #hetero.program");
  }
  // What the arguments of a unit, its results, and the results of a step are,
  // by numbers of values (hetero-partition); which operands of a kernel become
  // results (hetero-plan-memory).
  if (name == "hetero.inputs" || name == "hetero.outputs" ||
      name == "hetero.in_place")
    return verifyKind<DenseI64ArrayAttr>(op, attribute, "a list of numbers");
  // Marks that lowerings leave for each other
  // (hetero/Conversion/Kernels/Passes.h).
  const StringRef marks[] = {"hetero.contraction", "hetero.kernel",
                             "hetero.device_loop", "hetero.parallel",
                             "hetero.host_table",  "hetero.pieces"};
  if (llvm::is_contained(marks, StringRef(name)))
    return verifyKind<UnitAttr>(op, attribute, "a unit");
  if (name == getRoleAttrName())
    return op->emitOpError()
           << "role_c8: " << attribute.getName()
           << " must be on an argument or a result of a function";
  return emitUnknown(op, attribute, "operations");
}
