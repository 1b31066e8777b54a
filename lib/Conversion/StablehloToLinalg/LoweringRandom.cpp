//===- LoweringRandom.cpp - Random bits -----------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// rng_bit_generator, with the counters and the order of results that XLA has,
// so that the bits are those that JAX gets. The state is a key and a counter;
// each element is computed from both and its position alone.
//
// ThreeFry 2x32: 64-bit elements are one block each. Of 32-bit ones, a block
// makes two, which stand side by side along the first dimension of even size
// (else the largest one, with one element too many at its end).
// Philox 4x32: a block makes four 32-bit or two 64-bit elements in a row.

#include "Lowering.h"
#include <numeric>

using namespace mlir;
using namespace hetero;
using namespace mlir::stablehlo;

namespace {
/// Arithmetic on words of one width.
class Words {
public:
  Words(LoopBuilder &b, unsigned width) : b(b), type(b.getIntegerType(width)) {}

  Value constant(uint64_t value) {
    APInt bits(64, value);
    return b.integer(type, bits.trunc(type.getIntOrFloatBitWidth()));
  }
  Value shiftLeft(Value x, unsigned n) { return b.shlI(x, constant(n)); }
  Value shiftRight(Value x, unsigned n) { return b.shrUI(x, constant(n)); }

  Value rotateLeft(Value x, unsigned n) {
    unsigned width = type.getIntOrFloatBitWidth();
    return b.orI(shiftLeft(x, n), shiftRight(x, width - n));
  }

  LoopBuilder &b;
  Type type;
};
} // namespace

static Value lowHalf(LoopBuilder &b, Value x) {
  return arith::TruncIOp::create(b, b.getI32Type(), x);
}
static Value highHalf(LoopBuilder &b, Value x) {
  return lowHalf(b, Words(b, 64).shiftRight(x, 32));
}
static Value joinHalves(LoopBuilder &b, Value low, Value high) {
  Type type = b.getI64Type();
  Value wideLow = arith::ExtUIOp::create(b, type, low);
  Value wideHigh = arith::ExtUIOp::create(b, type, high);
  return b.orI(wideLow, Words(b, 64).shiftLeft(wideHigh, 32));
}

/// Twenty rounds on two words.
static std::array<Value, 2> emitThreeFry(LoopBuilder &b, Value key,
                                         Value counter) {
  Words w(b, 32);
  Value k0 = lowHalf(b, key), k1 = highHalf(b, key);
  Value k2 = b.xorI(b.xorI(k0, k1), w.constant(0x1BD11BDA));
  Value keys[] = {k0, k1, k2};
  Value x = b.addI(lowHalf(b, counter), k0);
  Value y = b.addI(highHalf(b, counter), k1);
  const unsigned rotations[2][4] = {{13, 15, 26, 6}, {17, 29, 16, 24}};
  for (unsigned group = 0; group < 5; ++group) {
    for (unsigned rotation : rotations[group % 2]) {
      x = b.addI(x, y);
      y = b.xorI(w.rotateLeft(y, rotation), x);
    }
    x = b.addI(x, keys[(group + 1) % 3]);
    y = b.addI(y, b.addI(keys[(group + 2) % 3], w.constant(group + 1)));
  }
  return {x, y};
}

/// Ten rounds on four words.
static std::array<Value, 4> emitPhilox(LoopBuilder &b, Value key,
                                       std::array<Value, 4> x) {
  Words w(b, 32), wide(b, 64);
  Value k0 = lowHalf(b, key), k1 = highHalf(b, key);
  auto multiply = [&](Value value, uint64_t factor) {
    Value extended = arith::ExtUIOp::create(b, b.getI64Type(), value);
    return b.mulI(extended, wide.constant(factor));
  };
  for (unsigned round = 0; round < 10; ++round) {
    Value first = multiply(x[0], 0xD2511F53),
          second = multiply(x[2], 0xCD9E8D57);
    x = {b.xorI(b.xorI(highHalf(b, second), x[1]), k0), lowHalf(b, second),
         b.xorI(b.xorI(highHalf(b, first), x[3]), k1), lowHalf(b, first)};
    k0 = b.addI(k0, w.constant(0x9E3779B9));
    k1 = b.addI(k1, w.constant(0xBB67AE85));
  }
  return x;
}

/// The position of `indices` in a row-major tensor, as i64.
static Value linearize(LoopBuilder &b, ValueRange indices,
                       ArrayRef<int64_t> shape) {
  Words w(b, 64);
  Value position = w.constant(0);
  for (auto [index, size] : llvm::zip_equal(indices, shape)) {
    Value word = arith::IndexCastOp::create(b, b.getI64Type(), index);
    position = b.addI(b.mulI(position, w.constant(size)), word);
  }
  return position;
}

/// One of `words`, by `number` (i64).
static Value choose(LoopBuilder &b, ArrayRef<Value> words, Value number) {
  Value chosen = words.back();
  for (int64_t i = int64_t(words.size()) - 2; i >= 0; --i) {
    Value is = b.cmpI(IntOrder::eq, number, Words(b, 64).constant(i));
    chosen = b.select(is, words[i], chosen);
  }
  return chosen;
}

namespace {
/// The dimension along which pairs of 32-bit elements of ThreeFry stand.
struct Pairs {
  int64_t dimension = -1;
  SmallVector<int64_t> shape; ///< Of the blocks.

  explicit Pairs(ArrayRef<int64_t> sizes) : shape(sizes) {
    for (auto [d, size] : llvm::enumerate(sizes))
      if (size % 2 == 0) {
        dimension = d;
        break;
      }
    if (dimension < 0 && !sizes.empty())
      dimension = llvm::max_element(sizes) - sizes.begin();
    if (dimension >= 0)
      shape[dimension] = (shape[dimension] + 1) / 2;
  }

  int64_t getNumBlocks() const {
    return std::accumulate(shape.begin(), shape.end(), int64_t(1),
                           std::multiplies<int64_t>());
  }
};
} // namespace

/// One element of `width` bits by ThreeFry.
static Value emitThreeFryElement(LoopBuilder &b, Value key, Value counter,
                                 ValueRange indices, ArrayRef<int64_t> shape,
                                 unsigned width) {
  Words w(b, 64);
  if (width == 64) {
    Value block = b.addI(counter, linearize(b, indices, shape));
    auto [low, high] = emitThreeFry(b, key, block);
    return joinHalves(b, low, high);
  }
  Pairs pairs(shape);
  SmallVector<Value> place(indices);
  Value side = w.constant(0);
  if (pairs.dimension >= 0) {
    Value two = b.index(2);
    Value at = place[pairs.dimension];
    place[pairs.dimension] = b.divUI(at, two);
    side = arith::IndexCastOp::create(b, b.getI64Type(), b.remUI(at, two));
  }
  Value block = b.addI(counter, linearize(b, place, pairs.shape));
  auto words = emitThreeFry(b, key, block);
  return choose(b, {words[0], words[1]}, side);
}

/// One element of `width` bits by Philox. The counter has 128 bits.
static Value emitPhiloxElement(LoopBuilder &b, Value key, Value low, Value high,
                               ValueRange indices, ArrayRef<int64_t> shape,
                               unsigned width) {
  Words w(b, 64);
  unsigned inBlock = width == 64 ? 2 : 4;
  Value position = linearize(b, indices, shape);
  Value count = w.constant(inBlock);
  Value block = b.divUI(position, count);
  Value number = b.remUI(position, count);
  Value newLow = b.addI(low, block);
  Value overflows = b.cmpI(IntOrder::ult, newLow, low);
  Value carry = arith::ExtUIOp::create(b, b.getI64Type(), overflows);
  Value newHigh = b.addI(high, carry);
  auto words = emitPhilox(b, key,
                          {lowHalf(b, newLow), highHalf(b, newLow),
                           lowHalf(b, newHigh), highHalf(b, newHigh)});
  if (width == 64)
    return choose(
        b,
        {joinHalves(b, words[0], words[1]), joinHalves(b, words[2], words[3])},
        number);
  return choose(b, {words[0], words[1], words[2], words[3]}, number);
}

LogicalResult Lowering::lower(RngBitGeneratorOp op) {
  RankedTensorType stateType = convertType(op.getInitialState());
  RankedTensorType type = convertType(op.getOutput());
  auto element = dyn_cast<IntegerType>(type.getElementType());
  if (!element || element.getWidth() < 8 ||
      !stateType.getElementType().isInteger(64) || stateType.getRank() != 1 ||
      stateType.getDimSize(0) < 2)
    return reject(op, "these types");
  bool isThreeFry = op.getRngAlgorithm() == RngAlgorithm::THREE_FRY;
  unsigned width = element.getWidth();
  Value state = lookup(op.getInitialState());
  auto getState = [&](int64_t i) -> Value {
    return b.extract(state, b.index(i));
  };
  Words w(b, 64);
  Value key = getState(0), low = getState(1);
  bool isWide = stateType.getDimSize(0) > 2;
  // A state of two words has no upper half of the counter; XLA takes the key.
  Value high = isWide ? getState(2) : key;
  Value output = makeGenerated(
      type, [&](LoopBuilder &nested, ValueRange indices) -> Value {
        Value bits = isThreeFry
                         ? emitThreeFryElement(nested, key, low, indices,
                                               type.getShape(), width)
                         : emitPhiloxElement(nested, key, low, high, indices,
                                             type.getShape(), width);
        if (bits.getType() == element)
          return bits;
        return arith::TruncIOp::create(nested, element, bits);
      });
  int64_t numElements = type.getNumElements();
  int64_t numBlocks =
      isThreeFry
          ? (width == 64 ? numElements : Pairs(type.getShape()).getNumBlocks())
          : (numElements + (width == 64 ? 1 : 3)) / (width == 64 ? 2 : 4);
  Value newLow = b.addI(low, w.constant(numBlocks));
  Value newState = tensor::InsertOp::create(b, newLow, state, b.index(1));
  if (isWide && !isThreeFry) {
    Value overflows = b.cmpI(IntOrder::ult, newLow, low);
    Value newHigh =
        b.addI(high, arith::ExtUIOp::create(b, b.getI64Type(), overflows));
    newState = tensor::InsertOp::create(b, newHigh, newState, b.index(2));
  }
  map(op.getOutputState(), newState);
  map(op.getOutput(), output);
  return success();
}
