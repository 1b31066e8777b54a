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
  Value emit(ImplicitLocOpBuilder &b, Value value, AffineMap map);

  SmallVector<Value> getTensors() const;
  SmallVector<AffineMap> getMaps() const;
  void setArguments(ValueRange arguments);

private:
  using Element = std::pair<Value, AffineMap>;

  Operation *getInlined(Value value) const;
  AffineMap getOperandMap(Operation *op, OpOperand &operand, AffineMap map);
  Value emitIota(ImplicitLocOpBuilder &b, IotaOp op, AffineMap map);
  Value emitOp(ImplicitLocOpBuilder &b, Operation *op, AffineMap map);

  Lowering &lowering;
  /// Elements that are loaded, in order.
  llvm::MapVector<Element, Value> loads;
  llvm::DenseSet<Element> visited;
  llvm::DenseMap<Element, Value> emitted;
};

} // namespace hetero

Operation *LoopBody::getInlined(Value value) const {
  Operation *op = value.getDefiningOp();
  if (!op || !isFusible(op))
    return nullptr;
  return lowering.plan.isInlined(op) ? op : nullptr;
}

AffineMap LoopBody::getOperandMap(Operation *op, OpOperand &operand,
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

Value LoopBody::emitIota(ImplicitLocOpBuilder &b, IotaOp op, AffineMap map) {
  AffineMap dimension = map.getSubMap({unsigned(op.getIotaDimension())});
  SmallVector<Value> indices;
  for (unsigned d = 0; d < map.getNumDims(); ++d)
    indices.push_back(linalg::IndexOp::create(b, d));
  Value position = affine::AffineApplyOp::create(b, dimension, indices);
  Value integer = arith::IndexCastOp::create(b, b.getI64Type(), position);
  return emitConvert(b, integer, b.getI64Type(),
                     getElementType(op.getOutput()));
}

Value LoopBody::emitOp(ImplicitLocOpBuilder &b, Operation *op, AffineMap map) {
  if (auto constant = dyn_cast<ConstantOp>(op)) {
    auto elements = cast<DenseElementsAttr>(constant.getValue());
    return emitScalarConstant(b, elements.getSplatValue<Attribute>(),
                              elements.getElementType());
  }
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
Value LoopBody::emit(ImplicitLocOpBuilder &b, Value value, AffineMap map) {
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
                     SmallVectorImpl<AffineMap> &maps,
                     ArrayRef<AffineMap> outputMaps) {
  llvm::SmallBitVector known(shape.size());
  auto note = [&](AffineMap map) {
    for (AffineExpr expr : map.getResults())
      if (auto dim = dyn_cast<AffineDimExpr>(expr))
        known.set(dim.getPosition());
  };
  llvm::for_each(maps, note);
  llvm::for_each(outputMaps, note);
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
      strides(sizes.size(), b.getIndexAttr(1)), lengths;
  for (int64_t size : sizes)
    lengths.push_back(b.getIndexAttr(size));
  return tensor::ExtractSliceOp::create(b, tensor.getLoc(), tensor, offsets,
                                        lengths, strides);
}

FailureOr<linalg::GenericOp>
Lowering::makeLoop(ArrayRef<int64_t> shape, ValueRange values,
                   ArrayRef<AffineMap> valueMaps, ValueRange outputs,
                   ArrayRef<AffineMap> outputMaps,
                   ArrayRef<utils::IteratorType> iterators, BodyFn body) {
  LoopBody loop(*this);
  for (auto [value, map] : llvm::zip_equal(values, valueMaps))
    loop.collect(value, map);
  SmallVector<Value> inputs = loop.getTensors();
  SmallVector<AffineMap> maps = loop.getMaps();
  for (auto [input, map] : llvm::zip_equal(inputs, maps))
    input = takeFront(b, input, map, shape);
  addSizes(*this, shape, inputs, maps, outputMaps);
  maps.append(outputMaps.begin(), outputMaps.end());
  bool hasFailed = false;
  auto op = linalg::GenericOp::create(
      b, TypeRange(outputs), inputs, outputs, maps, iterators,
      [&](OpBuilder &builder, Location loc, ValueRange arguments) {
        ImplicitLocOpBuilder nested(loc, builder);
        loop.setArguments(arguments);
        SmallVector<Value> elements, results;
        for (auto [value, map] : llvm::zip_equal(values, valueMaps)) {
          elements.push_back(loop.emit(nested, value, map));
          hasFailed |= !elements.back();
        }
        ValueRange old = arguments.drop_front(inputs.size());
        if (hasFailed || failed(body(nested, elements, old, results))) {
          hasFailed = true;
          results.assign(old.begin(), old.end());
        }
        linalg::YieldOp::create(nested, results);
      });
  if (hasFailed)
    return failure();
  return op;
}

Value Lowering::makeGenerated(
    RankedTensorType type,
    llvm::function_ref<Value(ImplicitLocOpBuilder &, ValueRange)> body) {
  if (type.getNumElements() == 0)
    return makeEmpty(type);
  AffineMap map = b.getMultiDimIdentityMap(type.getRank());
  SmallVector<utils::IteratorType> iterators(type.getRank(),
                                             utils::IteratorType::parallel);
  auto loop =
      makeLoop(type.getShape(), {}, {}, makeEmpty(type), map, iterators,
               [&](ImplicitLocOpBuilder &nested, ValueRange, ValueRange,
                   SmallVectorImpl<Value> &results) {
                 SmallVector<Value> indices;
                 for (int64_t d = 0; d < type.getRank(); ++d)
                   indices.push_back(linalg::IndexOp::create(nested, d));
                 results.push_back(body(nested, indices));
                 return success();
               });
  return (*loop)->getResult(0);
}

Value Lowering::getTensor(Value value) {
  if (Value known = mapping.lookupOrNull(value))
    return known;
  if (failed(lowerFusible(*value.getDefiningOp())))
    return {};
  Value made = mapping.lookup(value);
  // It does not dominate other users.
  mapping.erase(value);
  return made;
}

//===----------------------------------------------------------------------===//
// Roots of clusters
//===----------------------------------------------------------------------===//

LogicalResult Lowering::lowerFusible(Operation &op) {
  Value result = op.getResult(0);
  RankedTensorType type = convertType(result);
  if (type.getNumElements() == 0) {
    map(result, makeEmpty(type));
    return success();
  }
  if (auto constant = dyn_cast<ConstantOp>(op)) {
    auto elements = cast<DenseElementsAttr>(constant.getValue());
    Value scalar = emitScalarConstant(b, elements.getSplatValue<Attribute>(),
                                      elements.getElementType());
    map(result, makeFilled(type, scalar));
    return success();
  }
  AffineMap identity = b.getMultiDimIdentityMap(type.getRank());
  // The root itself is computed here, from its operands.
  SmallVector<Value> operands(op.getOperands());
  SmallVector<AffineMap> maps;
  for (Value operand : operands) {
    if (isView(&op))
      maps.push_back(getViewMap(&op, identity));
    else if (cast<RankedTensorType>(operand.getType()).getRank() == 0)
      maps.push_back(AffineMap::get(type.getRank(), 0, b.getContext()));
    else
      maps.push_back(identity);
  }
  SmallVector<utils::IteratorType> iterators(type.getRank(),
                                             utils::IteratorType::parallel);
  auto body = [&](ImplicitLocOpBuilder &nested, ValueRange elements, ValueRange,
                  SmallVectorImpl<Value> &results) -> LogicalResult {
    if (isView(&op)) {
      results.push_back(elements[0]);
    } else if (auto iota = dyn_cast<IotaOp>(op)) {
      Value position = linalg::IndexOp::create(nested, iota.getIotaDimension());
      Value integer =
          arith::IndexCastOp::create(nested, nested.getI64Type(), position);
      results.push_back(emitConvert(nested, integer, nested.getI64Type(),
                                    getElementType(result)));
    } else {
      results.push_back(emitScalarOp(nested, &op, elements));
    }
    return success(results[0] != nullptr);
  };
  auto loop = makeLoop(type.getShape(), operands, maps, makeEmpty(type),
                       identity, iterators, body);
  if (failed(loop))
    return failure();
  map(result, (*loop)->getResult(0));
  return success();
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

LogicalResult Lowering::lowerConstant(ConstantOp op) {
  RankedTensorType type = convertType(op.getOutput());
  DenseElementsAttr elements = convertElements(op.getValue(), type);
  if (!elements)
    return reject(op, "a constant whose elements are not available");
  map(op.getOutput(), arith::ConstantOp::create(b, type, elements));
  return success();
}

LogicalResult Lowering::lowerMap(MapOp op) {
  RankedTensorType type = convertType(op.getResult());
  if (type.getNumElements() == 0) {
    map(op.getResult(), makeEmpty(type));
    return success();
  }
  AffineMap identity = b.getMultiDimIdentityMap(type.getRank());
  SmallVector<AffineMap> maps(op.getInputs().size(), identity);
  SmallVector<utils::IteratorType> iterators(type.getRank(),
                                             utils::IteratorType::parallel);
  auto loop = makeLoop(type.getShape(), op.getInputs(), maps, makeEmpty(type),
                       identity, iterators,
                       [&](ImplicitLocOpBuilder &nested, ValueRange elements,
                           ValueRange, SmallVectorImpl<Value> &results) {
                         return emitRegion(nested, op.getComputation(),
                                           elements, results);
                       });
  if (failed(loop))
    return failure();
  map(op.getResult(), (*loop)->getResult(0));
  return success();
}
