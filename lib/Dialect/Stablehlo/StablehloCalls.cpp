//===- StablehloCalls.cpp - Custom calls and composites -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Dialect/Stablehlo/StablehloOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::stablehlo;

//===----------------------------------------------------------------------===//
// custom_call
//===----------------------------------------------------------------------===//

void CustomCallOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  if (!getHasSideEffect())
    return;
  effects.emplace_back(MemoryEffects::Allocate::get());
  effects.emplace_back(MemoryEffects::Free::get());
  effects.emplace_back(MemoryEffects::Read::get());
  effects.emplace_back(MemoryEffects::Write::get());
}

static LogicalResult verifyBackendConfig(CustomCallOp op) {
  Attribute config = op.getBackendConfigAttr();
  if (!config)
    return success();
  // custom_call_c1
  bool typed =
      op.getApiVersion() == CustomCallApiVersion::API_VERSION_TYPED_FFI;
  if (typed != isa<DictionaryAttr>(config))
    return op.emitOpError()
           << "expects backend_config to be a "
           << (typed ? "dictionary" : "string") << " with api_version "
           << uint32_t(op.getApiVersion()) << ", got " << config;
  return success();
}

/// Checks the layouts of operands or results. `kind` names which.
static LogicalResult verifyLayouts(CustomCallOp op, TypeRange types,
                                   ArrayAttr layouts, StringRef kind) {
  // custom_call_c3
  if (types.size() != layouts.size())
    return op.emitOpError() << "expects a layout for each of " << types.size()
                            << " " << kind << "s, got " << layouts.size();
  for (auto [index, type, attr] : llvm::enumerate(types, layouts)) {
    auto layout = cast<DenseIntElementsAttr>(attr);
    // custom_call_c4
    if (isa<TupleType>(type))
      return op.emitOpError() << kind << " #" << index
                              << " is a tuple, which cannot have a layout";
    auto shaped = dyn_cast<ShapedType>(type);
    if (!shaped && layout.empty())
      continue;
    if (!shaped)
      return op.emitOpError()
             << "expects an empty layout for " << kind << " #" << index
             << " of type " << type << ", got " << layout;
    if (!shaped.hasRank())
      continue;
    SmallVector<int64_t> dimensions;
    for (const APInt &dimension : layout)
      dimensions.push_back(dimension.getSExtValue());
    llvm::sort(dimensions);
    if (!llvm::equal(dimensions, llvm::seq<int64_t>(0, shaped.getRank())))
      return op.emitOpError()
             << "expects the layout of " << kind << " #" << index
             << " to be a permutation of the dimensions of " << type << ", got "
             << layout;
  }
  return success();
}

static LogicalResult verifyAllLayouts(CustomCallOp op) {
  ArrayAttr operandLayouts = op.getOperandLayoutsAttr();
  ArrayAttr resultLayouts = op.getResultLayoutsAttr();
  // custom_call_c2
  if (bool(operandLayouts) != bool(resultLayouts))
    return op.emitOpError()
           << "expects operand_layouts and result_layouts "
              "together, got only "
           << (operandLayouts ? "operand_layouts" : "result_layouts");
  if (!operandLayouts)
    return success();
  if (failed(
          verifyLayouts(op, op->getOperandTypes(), operandLayouts, "operand")))
    return failure();
  TypeRange results = op->getResultTypes();
  if (results.size() == 1)
    if (auto tuple = dyn_cast<TupleType>(results.front()))
      results = tuple.getTypes();
  return verifyLayouts(op, results, resultLayouts, "result");
}

/// The part of `type` that the indices lead to, null if there is none.
static Type getTuplePart(Type type, ArrayRef<int64_t> indices) {
  for (int64_t index : indices) {
    auto tuple = dyn_cast<TupleType>(type);
    if (!tuple || index < 0 || index >= int64_t(tuple.size()))
      return {};
    type = tuple.getType(index);
  }
  return type;
}

/// The type of all results: several of them count as one tuple.
static Type getResultsType(CustomCallOp op) {
  return op->getNumResults() == 1
             ? op->getResult(0).getType()
             : TupleType::get(op.getContext(), op->getResultTypes());
}

static LogicalResult verifyAlias(CustomCallOp op,
                                 OutputOperandAliasAttr alias) {
  // custom_call_c5
  int64_t index = alias.getOperandIndex();
  if (index < 0 || index >= op->getNumOperands())
    return op.emitOpError() << "expects operand_index of an alias to be less "
                               "than the number of operands, "
                            << op->getNumOperands() << ", got " << index;
  // custom_call_c6
  Type operand = getTuplePart(op->getOperand(index).getType(),
                              alias.getOperandTupleIndices());
  if (!operand)
    return op.emitOpError() << "operand_tuple_indices of an alias lead to no "
                               "member of "
                            << op->getOperand(index).getType();
  Type all = getResultsType(op);
  Type result = getTuplePart(all, alias.getOutputTupleIndices());
  if (!result)
    return op.emitOpError()
           << "output_tuple_indices of an alias lead to no member of " << all;
  // custom_call_c7
  if (operand != result)
    return op.emitOpError()
           << "expects both sides of an alias to have the same type, got "
           << operand << " for the operand and " << result << " for the result";
  return success();
}

/// Checks a target that makes buffers or tensors of each other
/// (custom_call_c8). Nothing for any other target.
static std::optional<LogicalResult> verifyBufferTarget(CustomCallOp op) {
  StringRef target = op.getCallTargetName();
  bool creates = target == "CreateBuffer", pins = target == "Pin";
  if (!creates && !pins && target != "Unpin")
    return std::nullopt;
  unsigned numOperands = creates ? 0 : 1;
  if (op->getNumOperands() != numOperands || op->getNumResults() != 1)
    return op.emitOpError()
           << "expects " << numOperands << " operands and 1 result for target "
           << target << ", got " << op->getNumOperands() << " and "
           << op->getNumResults();
  Type result = op->getResult(0).getType();
  Type operand = creates ? Type() : op->getOperand(0).getType();
  bool kinds = creates ? isa<MemRefType>(result)
               : pins  ? isa<TensorType>(operand) && isa<MemRefType>(result)
                       : isa<MemRefType>(operand) && isa<TensorType>(result);
  if (!kinds)
    return op.emitOpError()
           << "expects target " << target << " to make "
           << (target == "Unpin" ? "a tensor of a buffer"
               : pins            ? "a buffer of a tensor"
                                 : "a buffer")
           << ", got " << op->getOperandTypes() << " and " << result;
  if (!creates &&
      (getElementTypeOrSelf(operand) != getElementTypeOrSelf(result) ||
       failed(verifyCompatibleShape(operand, result))))
    return op.emitOpError() << "expects target " << target
                            << " to keep shape and element type, got "
                            << operand << " and " << result;
  return success();
}

/// Checks that each buffer within the results, which `indices` lead to, is the
/// alias of an operand (custom_call_c8).
static LogicalResult verifyBuffersAliased(CustomCallOp op, Type type,
                                          SmallVectorImpl<int64_t> &indices) {
  if (isa<MemRefType>(type)) {
    ArrayAttr aliases = op.getOutputOperandAliasesAttr();
    bool aliased =
        aliases && llvm::any_of(aliases, [&](Attribute alias) {
          return cast<OutputOperandAliasAttr>(alias).getOutputTupleIndices() ==
                 ArrayRef<int64_t>(indices);
        });
    if (!aliased)
      return op.emitOpError() << "expects an alias for the buffer at ["
                              << indices << "] of the results";
    return success();
  }
  auto tuple = dyn_cast<TupleType>(type);
  for (size_t i = 0; tuple && i < tuple.size(); ++i) {
    indices.push_back(i);
    if (failed(verifyBuffersAliased(op, tuple.getType(i), indices)))
      return failure();
    indices.pop_back();
  }
  return success();
}

LogicalResult CustomCallOp::verify() {
  if (std::optional<LogicalResult> result = verifyBufferTarget(*this))
    return *result;
  if (failed(verifyBackendConfig(*this)) || failed(verifyAllLayouts(*this)))
    return failure();
  if (ArrayAttr aliases = getOutputOperandAliasesAttr())
    for (Attribute alias : aliases)
      if (failed(verifyAlias(*this, cast<OutputOperandAliasAttr>(alias))))
        return failure();
  SmallVector<int64_t> indices;
  return verifyBuffersAliased(*this, getResultsType(*this), indices);
}

//===----------------------------------------------------------------------===//
// composite
//===----------------------------------------------------------------------===//

/// `dialect.op`: words joined by dots, the first starting with a letter.
static bool isNamespacedName(StringRef name) {
  SmallVector<StringRef> words;
  name.split(words, '.');
  if (words.size() < 2 || words.front().empty() ||
      !llvm::isAlpha(words.front().front()))
    return false;
  auto isWord = [](StringRef word, StringRef extra) {
    return !word.empty() && llvm::all_of(word, [&](char c) {
      return llvm::isAlnum(c) || c == '_' || extra.contains(c);
    });
  };
  return isWord(words.front(), "") &&
         llvm::all_of(llvm::drop_begin(words),
                      [&](StringRef word) { return isWord(word, "$"); });
}

/// Checks that the types are those of the function.
static LogicalResult verifySameTypes(CompositeOp op, func::FuncOp function,
                                     TypeRange types, TypeRange expected,
                                     StringRef kind) {
  if (llvm::equal(types, expected))
    return success();
  InFlightDiagnostic diagnostic =
      op.emitOpError() << "expects the " << kind << " types (" << expected
                       << ") of its decomposition, got (" << types << ")";
  diagnostic.attachNote(function.getLoc())
      << "decomposition '" << function.getName() << "' is here";
  return diagnostic;
}

LogicalResult
CompositeOp::verifySymbolUses(SymbolTableCollection &symbolTable) {
  // composite_c1
  if (!isNamespacedName(getName()))
    return emitOpError() << "expects a name like \"my_dialect.my_op\", got \""
                         << getName() << "\"";
  // composite_c2
  auto function = symbolTable.lookupNearestSymbolFrom<func::FuncOp>(
      *this, getDecompositionAttr());
  if (!function)
    return emitOpError() << "expects decomposition '" << getDecomposition()
                         << "' to name a function";
  // composite_c3
  if (failed(verifySameTypes(*this, function, getOperandTypes(),
                             function.getArgumentTypes(), "operand")))
    return failure();
  // composite_c4
  return verifySameTypes(*this, function, getResultTypes(),
                         function.getResultTypes(), "result");
}
