//===- LoweringElementwise.cpp - Fused loops ------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Lowering.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace hetero;
using namespace mlir::stablehlo;

//===----------------------------------------------------------------------===//
// Bodies of loops
//===----------------------------------------------------------------------===//

namespace hetero {

/// Collects what a loop loads, then emits what it computes from it. A pair of
/// value and map stands for one element.
class LoopBody {
public:
  explicit LoopBody(Lowering &lowering) : lowering(lowering) {}

  /// Adds the tensors that the element is computed from.
  void collect(Value value, AffineMap map);
  /// The element; after `collect` and `setArguments`.
  Value emit(LoopBuilder &b, Value value, AffineMap map);

  SmallVector<Value> getTensors() const;
  SmallVector<AffineMap> getMaps() const;
  void setArguments(ValueRange arguments);

private:
  using Element = std::pair<Value, AffineMap>;

  Operation *getInlined(Value value) const;

  Value emitIota(LoopBuilder &b, IotaOp op, AffineMap map);
  Value emitOp(LoopBuilder &b, Operation *op, AffineMap map);

  Lowering &lowering;
  /// Elements that are loaded, in order.
  llvm::MapVector<Element, Value> loads;
  llvm::DenseSet<Element> visited;
  llvm::DenseMap<Element, Value> emitted;
};

} // namespace hetero

SmallVector<Value> hetero::getIndices(LoopBuilder &b, int64_t rank) {
  SmallVector<Value> indices;
  for (int64_t d = 0; d < rank; ++d)
    indices.push_back(linalg::IndexOp::create(b, d));
  return indices;
}

SmallVector<utils::IteratorType> hetero::getIterators(AffineMap resultMap) {
  SmallVector<utils::IteratorType> iterators(resultMap.getNumDims(),
                                             utils::IteratorType::reduction);
  for (AffineExpr expr : resultMap.getResults())
    iterators[cast<AffineDimExpr>(expr).getPosition()] =
        utils::IteratorType::parallel;
  return iterators;
}

Operation *LoopBody::getInlined(Value value) const {
  Operation *op = value.getDefiningOp();
  if (!op || !isFusible(op))
    return nullptr;
  return lowering.plan.isInlined(op) ? op : nullptr;
}

/// Where the element at `map` of what `op` computes comes from.
static AffineMap getOperandMap(Operation *op, OpOperand &operand,
                               AffineMap map) {
  if (isView(op))
    return getViewMap(op, map);
  // A predicate or bound of rank 0 serves all elements.
  if (cast<RankedTensorType>(operand.get().getType()).getRank() == 0)
    return AffineMap::get(map.getNumDims(), 0, op->getContext());
  return map;
}

void LoopBody::collect(Value value, AffineMap map) {
  SmallVector<Element> stack = {{value, map}};
  while (!stack.empty()) {
    Element element = stack.pop_back_val();
    if (!visited.insert(element).second)
      continue;
    Operation *op = getInlined(element.first);
    if (!op) {
      loads.insert({element, Value()});
      continue;
    }
    for (OpOperand &operand : llvm::reverse(op->getOpOperands()))
      stack.push_back(
          {operand.get(), getOperandMap(op, operand, element.second)});
  }
}

SmallVector<Value> LoopBody::getTensors() const {
  SmallVector<Value> tensors;
  for (auto &load : loads)
    tensors.push_back(lowering.lookup(load.first.first));
  return tensors;
}

SmallVector<AffineMap> LoopBody::getMaps() const {
  SmallVector<AffineMap> maps;
  for (auto &load : loads)
    maps.push_back(load.first.second);
  return maps;
}

void LoopBody::setArguments(ValueRange arguments) {
  for (auto [load, argument] : llvm::zip(loads, arguments))
    emitted[load.first] = argument;
}

static Value convertIndex(LoopBuilder &b, Value index, Type type) {
  Value integer = arith::IndexCastOp::create(b, b.getI64Type(), index);
  return emitConvert(b, integer, b.getI64Type(), type);
}

Value LoopBody::emitIota(LoopBuilder &b, IotaOp op, AffineMap map) {
  AffineMap dimension = map.getSubMap({unsigned(op.getIotaDimension())});
  Value position = affine::AffineApplyOp::create(
      b, dimension, getIndices(b, map.getNumDims()));
  return convertIndex(b, position, getElementType(op.getOutput()));
}

Value LoopBody::emitOp(LoopBuilder &b, Operation *op, AffineMap map) {
  if (auto constant = dyn_cast<ConstantOp>(op))
    return emitSplat(b, constant);
  if (auto iota = dyn_cast<IotaOp>(op))
    return emitIota(b, iota, map);
  SmallVector<Value> operands;
  for (OpOperand &operand : op->getOpOperands()) {
    Value element =
        emitted.lookup({operand.get(), getOperandMap(op, operand, map)});
    if (!element)
      return {};
    operands.push_back(element);
  }
  return isView(op) ? operands[0] : emitScalarOp(b, op, operands);
}

/// Depth first without recursion: clusters may be deep.
Value LoopBody::emit(LoopBuilder &b, Value value, AffineMap map) {
  SmallVector<std::pair<Element, bool>> stack = {{{value, map}, false}};
  while (!stack.empty()) {
    auto [element, isReady] = stack.pop_back_val();
    if (emitted.contains(element))
      continue;
    Operation *op = getInlined(element.first);
    if (isReady) {
      Value result = emitOp(b, op, element.second);
      if (!result)
        return {};
      emitted[element] = result;
      continue;
    }
    stack.push_back({element, true});
    for (OpOperand &operand : llvm::reverse(op->getOpOperands()))
      stack.push_back(
          {{operand.get(), getOperandMap(op, operand, element.second)}, false});
  }
  return emitted.lookup({value, map});
}

/// Adds an input that is not read for each dimension of the loop nest whose
/// size no map tells.
static void addSizes(Lowering &lowering, ArrayRef<int64_t> shape,
                     SmallVectorImpl<Value> &inputs,
                     SmallVectorImpl<AffineMap> &maps, AffineMap outputMap) {
  llvm::SmallBitVector known(shape.size());
  auto note = [&](AffineMap map) {
    for (AffineExpr expr : map.getResults())
      if (auto dim = dyn_cast<AffineDimExpr>(expr))
        known.set(dim.getPosition());
  };
  llvm::for_each(maps, note);
  note(outputMap);
  for (auto [d, size] : llvm::enumerate(shape)) {
    if (known.test(d))
      continue;
    Type element = lowering.b.getI8Type();
    inputs.push_back(
        lowering.makeEmpty(RankedTensorType::get({size}, element)));
    maps.push_back(
        AffineMap::get(shape.size(), 0, lowering.b.getAffineDimExpr(d)));
  }
}

/// A dimension that a loop of `shape` runs over alone must be as long as the
/// loop; of a longer one, the front is taken.
static Value takeFront(OpBuilder &b, Value tensor, AffineMap map,
                       ArrayRef<int64_t> shape) {
  auto type = cast<RankedTensorType>(tensor.getType());
  SmallVector<int64_t> sizes(type.getShape());
  for (auto [size, expr] : llvm::zip_equal(sizes, map.getResults()))
    if (auto dim = dyn_cast<AffineDimExpr>(expr))
      size = std::min(size, shape[dim.getPosition()]);
  if (ArrayRef<int64_t>(sizes) == type.getShape())
    return tensor;
  SmallVector<OpFoldResult> offsets(sizes.size(), b.getIndexAttr(0)),
      strides(sizes.size(), b.getIndexAttr(1));
  return tensor::ExtractSliceOp::create(
      b, tensor.getLoc(), tensor, offsets,
      getAsIndexOpFoldResult(b.getContext(), sizes), strides);
}

linalg::GenericOp Lowering::makeLoop(ArrayRef<int64_t> shape, ValueRange values,
                                     ArrayRef<AffineMap> valueMaps,
                                     ValueRange outputs, AffineMap outputMap,
                                     BodyFn body) {
  LoopBody loop(*this);
  for (auto [value, map] : llvm::zip_equal(values, valueMaps))
    loop.collect(value, map);
  SmallVector<Value> inputs = loop.getTensors();
  SmallVector<AffineMap> maps = loop.getMaps();
  for (auto [input, map] : llvm::zip_equal(inputs, maps))
    input = takeFront(b, input, map, shape);
  addSizes(*this, shape, inputs, maps, outputMap);
  maps.append(outputs.size(), outputMap);
  return linalg::GenericOp::create(
      b, TypeRange(outputs), inputs, outputs, maps, getIterators(outputMap),
      [&](OpBuilder &builder, Location loc, ValueRange arguments) {
        LoopBuilder nested(loc, builder);
        loop.setArguments(arguments);
        SmallVector<Value> elements;
        for (auto [value, map] : llvm::zip_equal(values, valueMaps))
          elements.push_back(loop.emit(nested, value, map));
        ValueRange old = arguments.drop_front(inputs.size());
        hasFailed |= llvm::is_contained(elements, Value());
        SmallVector<Value> results(old);
        if (!hasFailed)
          results = body(nested, elements, old);
        linalg::YieldOp::create(nested, results);
      });
}

Value Lowering::makeGenerated(
    RankedTensorType type,
    llvm::function_ref<Value(LoopBuilder &, ValueRange)> body) {
  if (type.getNumElements() == 0)
    return makeEmpty(type);
  auto loop = makeLoop(type.getShape(), {}, {}, makeEmpty(type),
                       b.getMultiDimIdentityMap(type.getRank()),
                       [&](LoopBuilder &nested, ValueRange, ValueRange) {
                         SmallVector<Value> indices =
                             getIndices(nested, type.getRank());
                         return SmallVector<Value>{body(nested, indices)};
                       });
  return loop.getResult(0);
}

Value Lowering::getTensor(Value value) {
  if (Value known = mapping.lookupOrNull(value))
    return known;
  lowerFusible(*value.getDefiningOp());
  Value made = mapping.lookup(value);
  // It does not dominate other users.
  mapping.erase(value);
  return made;
}

//===----------------------------------------------------------------------===//
// Roots of clusters
//===----------------------------------------------------------------------===//

void Lowering::lowerFusible(Operation &op) {
  Value result = op.getResult(0);
  RankedTensorType type = convertType(result);
  if (mapEmpty(result))
    return;

  if (auto constant = dyn_cast<ConstantOp>(op))
    return map(result, makeFilled(type, emitSplat(b, constant)));
  AffineMap identity = b.getMultiDimIdentityMap(type.getRank());
  // The root itself is computed here, from its operands.
  SmallVector<Value> operands(op.getOperands());
  SmallVector<AffineMap> maps;
  for (OpOperand &operand : op.getOpOperands())
    maps.push_back(getOperandMap(&op, operand, identity));

  auto body = [&](LoopBuilder &nested, ValueRange elements,
                  ValueRange old) -> SmallVector<Value> {
    if (isView(&op))
      return {elements[0]};
    if (auto iota = dyn_cast<IotaOp>(op)) {
      Value position = linalg::IndexOp::create(nested, iota.getIotaDimension());
      return {convertIndex(nested, position, getElementType(result))};
    }
    Value element = emitScalarOp(nested, &op, elements);
    hasFailed |= !element;
    return {element ? element : old[0]};
  };
  auto loop = makeLoop(type.getShape(), operands, maps, makeEmpty(type),
                       identity, body);
  map(result, loop.getResult(0));
}

/// The elements with signless integers, as arith has them.
static DenseElementsAttr convertElements(ElementsAttr value,
                                         RankedTensorType type) {
  if (auto dense = dyn_cast<DenseElementsAttr>(value))
    return isa<IntegerType>(type.getElementType())
               ? dense.bitcast(type.getElementType())
               : dense;
  auto resource = dyn_cast<DenseResourceElementsAttr>(value);
  if (!resource)
    return {};
  AsmResourceBlob *blob = resource.getRawHandle().getBlob();
  if (!blob)
    return {};
  ArrayRef<char> data = blob->getData();
  if (!type.getElementType().isInteger(1)) {
    bool isSplat = false;
    if (!DenseElementsAttr::isValidRawBuffer(type, data, isSplat))
      return {};
    return DenseElementsAttr::getFromRawBuffer(type, data);
  }
  // Resources have a byte for each bool.
  if (int64_t(data.size()) != type.getNumElements())
    return {};
  SmallVector<bool> bits(llvm::map_range(data, [](char c) { return c != 0; }));
  return DenseElementsAttr::get(type, bits);
}

LogicalResult Lowering::lower(ConstantOp op) {
  RankedTensorType type = convertType(op.getOutput());
  DenseElementsAttr elements = convertElements(op.getValue(), type);
  if (!elements)
    return reject(op, "a constant whose elements are not available");
  map(op.getOutput(), arith::ConstantOp::create(b, type, elements));
  return success();
}

LogicalResult Lowering::lower(MapOp op) {
  RankedTensorType type = convertType(op.getResult());
  if (mapEmpty(op.getResult()))
    return success();
  AffineMap identity = b.getMultiDimIdentityMap(type.getRank());
  SmallVector<AffineMap> maps(op.getInputs().size(), identity);
  auto loop =
      makeLoop(type.getShape(), op.getInputs(), maps, makeEmpty(type), identity,
               [&](LoopBuilder &nested, ValueRange elements, ValueRange) {
                 return emitRegion(nested, op.getComputation(), elements);
               });
  map(op.getResult(), loop.getResult(0));
  return success();
}
