//===- KernelMemory.cpp - What a kernel takes in memory -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Analysis/KernelMemory.h"
#include "KernelMemoryWalk.h"
#include "hetero/Analysis/Summary.h"
#include "hetero/Dialect/Sdy/Sdy.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace hetero;
using namespace mlir::stablehlo;

/// What the runtime puts in front of each block that a kernel asks for.
static constexpr int64_t blockHeader = 64;

int64_t hetero::placeBlocks(MutableArrayRef<PlacedBlock> blocks) {
  SmallVector<PlacedBlock *> order;
  for (PlacedBlock &block : blocks)
    order.push_back(&block);
  // Equal ones stay in their order, which is that of the array.
  llvm::sort(order, [](PlacedBlock *a, PlacedBlock *b) {
    return std::pair(-a->size, a) < std::pair(-b->size, b);
  });
  // By offset.
  SmallVector<PlacedBlock *> placed;
  int64_t total = 0;
  for (PlacedBlock *block : order) {
    int64_t offset = 0;
    for (PlacedBlock *other : placed) {
      if (other->last < block->first || block->last < other->first)
        continue;
      if (other->offset >= offset + block->size)
        break;
      offset = std::max(offset, other->offset + other->size);
    }
    block->offset = offset;
    total = std::max(total, offset + block->size);
    placed.insert(llvm::upper_bound(placed, block,
                                    [](PlacedBlock *a, PlacedBlock *b) {
                                      return a->offset < b->offset;
                                    }),
                  block);
  }
  return total;
}

/// What a loop, or another operation, computes itself to get the value.
Operation *MemoryWalk::getInlined(Value value, bool isLoop) const {
  Operation *op = value.getDefiningOp();
  if (!op || !isFusible(op))
    return nullptr;
  return (isLoop ? plan.isInlined(op) : !plan.isStored(op)) ? op : nullptr;
}

/// Notes that the operation reads its operands, and what it sees from inside of
/// its regions.
void MemoryWalk::read(Operation *op, int64_t at) {
  bool isLoop = isFusible(op) || isa<ReduceOp>(op);
  SmallVector<Value> stack(op->getOperands());
  if (op->getNumRegions() != 0)
    op->walk([&](Operation *inner) {
      for (Value operand : inner->getOperands())
        if (operand.getParentBlock() == kernel.block)
          stack.push_back(operand);
    });
  llvm::SmallDenseSet<Operation *, 16> visited;
  while (!stack.empty()) {
    Value value = stack.pop_back_val();
    if (Operation *inlined = getInlined(value, isLoop)) {
      if (visited.insert(inlined).second)
        llvm::append_range(stack, inlined->getOperands());
      continue;
    }
    if (int64_t buffer = find(value); buffer >= 0)
      buffers[buffer].last = std::max(buffers[buffer].last, at);
  }
}

void MemoryWalk::make(Value value, int64_t at, bool isDirect) {
  Buffer buffer;
  buffer.bytes = getNumBytes(value.getType());
  buffer.first = buffer.last = at;
  buffer.isDirect = isDirect;
  buffer.value = value;
  if (value.getDefiningOp<ConstantOp>() && !isGenerated(value.getDefiningOp()))
    buffer.kind = Buffer::Constant;
  bufferOf[value] = buffers.size();
  buffers.push_back(buffer);
}

/// Gives results the buffers of operands that they are another name of.
bool MemoryWalk::alias(Operation *op) {
  if (isa<ReshapeOp, DynamicSliceOp, sdy::ShardingConstraintOp>(op)) {
    bufferOf[op->getResult(0)] = find(op->getOperand(0));
    return true;
  }
  if (isa<OptimizationBarrierOp>(op)) {
    for (auto [operand, result] :
         llvm::zip_equal(op->getOperands(), op->getResults()))
      bufferOf[result] = find(operand);
    return true;
  }
  // What is changed in part is changed where it is, if it is nobody else's.
  if (!isa<DynamicUpdateSliceOp, ScatterOp>(op) || op->getNumResults() != 1)
    return false;
  int64_t number = find(op->getOperand(0));
  if (number < 0 ||
      (buffers[number].kind != Buffer::Temporary &&
       !(ownsOperands && buffers[number].kind == Buffer::Operand)) ||
      buffers[number].value != op->getOperand(0) ||
      !op->getOperand(0).hasOneUse())
    return false;
  buffers[number].value = op->getResult(0);
  bufferOf[op->getResult(0)] = number;
  return true;
}

void MemoryWalk::addCopy(uint64_t bytes, int64_t at, int64_t first) {
  int64_t size = llvm::alignTo(bytes, temporaryAlignment);
  blocks.push_back({size, std::min(first, at), at});
}

/// Parts of a tensor that nobody else needs are computed in their place.
/// Returns when the first of them is.
int64_t MemoryWalk::absorb(ValueRange parts) {
  int64_t first = INT64_MAX;
  for (Value part : parts) {
    int64_t number = find(part);
    if (number < 0 || !part.hasOneUse())
      continue;
    Buffer &buffer = buffers[number];
    if (buffer.kind != Buffer::Temporary || !buffer.isDirect ||
        buffer.value != part)
      continue;
    buffer.kind = Buffer::Constant;
    first = std::min(first, buffer.first);
  }
  return first;
}

/// Bytes of elements of a type in which products are summed.
static int64_t getSumWidth(Type element) {
  if (auto type = dyn_cast<FloatType>(element); type && type.getWidth() < 32)
    return 4;
  return 0;
}

/// The bytes of the input of a convolution with its padding, if it has any.
static uint64_t getPaddedBytes(ConvolutionOp op, int64_t width) {
  auto type = cast<RankedTensorType>(op.getLhs().getType());
  SmallVector<int64_t> padding;
  if (auto attr = op.getPadding())
    padding = llvm::to_vector(attr->getValues<int64_t>());
  SmallVector<int64_t> shape(type.getShape());
  bool isPadded = false;
  for (auto [i, dim] :
       llvm::enumerate(op.getDimensionNumbers().getInputSpatialDimensions())) {
    int64_t dilation = op.getLhsDilation() ? (*op.getLhsDilation())[i] : 1;
    int64_t added = padding.empty() ? 0 : padding[2 * i] + padding[2 * i + 1];
    // What is only cut off is not copied.
    isPadded |=
        dilation != 1 ||
        (!padding.empty() && (padding[2 * i] > 0 || padding[2 * i + 1] > 0));
    shape[dim] = (shape[dim] - 1) * dilation + 1 + added;
  }
  return isPadded
             ? width * std::max<int64_t>(ShapedType::getNumElements(shape), 0)
             : 0;
}

/// What the input of a convolution is padded into, and a kernel reversed.
void MemoryWalk::addCopies(ConvolutionOp op, int64_t at) {
  auto type = cast<RankedTensorType>(op.getLhs().getType());
  int64_t width = getSumWidth(getElementTypeOrSelf(op.getResult()));
  if (width == 0 && type.getNumElements() > 0)
    width = getNumBytes(type) / type.getNumElements();
  if (uint64_t padded = getPaddedBytes(op, width)) {
    bool isConverted =
        uint64_t(width * type.getNumElements()) != getNumBytes(type);
    addCopy(padded, at,
            absorb(isConverted ? ValueRange() : ValueRange(op.getLhs())));
  }
  if (auto reversal = op.getWindowReversal();
      reversal && llvm::is_contained(*reversal, true))
    addCopy(getNumBytes(op.getRhs().getType()), at);
}

/// What products and convolutions are computed from and into, where that is not
/// their operands and results. A sum over a dimension of one element, which a
/// reshape may have added, takes a byte that tells its loop that size.
void MemoryWalk::addCopies(Operation *op, int64_t at) {
  if (auto reduce = dyn_cast<ReduceOp>(op))
    if (auto type = dyn_cast<ShapedType>(op->getOperand(0).getType()))
      for (int64_t dim : reduce.getDimensions())
        if (type.getDimSize(dim) == 1)
          addCopy(1, at);
  if (!isa<DotGeneralOp, DotOp, ConvolutionOp>(op))
    return;
  int64_t sumWidth = getSumWidth(getElementTypeOrSelf(op->getResult(0)));
  auto widen = [&](Value value) {
    Type element = getElementTypeOrSelf(value);
    if (sumWidth == 0 || !isa<FloatType>(element))
      return;
    if (element.getIntOrFloatBitWidth() < 32)
      addCopy(getNumElements(value.getType()) * sumWidth, at);
  };
  if (auto convolution = dyn_cast<ConvolutionOp>(op)) {
    addCopies(convolution, at);
    llvm::for_each(op->getOperands(), widen);
  } else if (getNumElements(op->getResult(0).getType()) != 0) {
    ProductAccess access(op, plan);
    for (Value source : {access.lhs.source, access.rhs.source}) {
      // A view that the product cannot read through is made for it.
      if (getInlined(source, /*isLoop=*/false))
        addCopy(getNumBytes(source.getType()), at);
      widen(source);
    }
  }
  widen(op->getResult(0));
}

/// What a block of a loop or branch takes: there each buffer is allocated and
/// freed by itself, at the end of the block.
int64_t MemoryWalk::getNestedBytes() {
  runOps();
  int64_t sum = mostUnplanned;
  for (const Buffer &buffer : buffers)
    if (buffer.kind == Buffer::Temporary)
      sum += buffer.bytes + blockHeader;
  for (const PlacedBlock &block : blocks)
    sum += block.size + blockHeader;
  return sum;
}

/// Results of loops and branches are allocated by themselves and stay to the
/// end. So does what a loop starts from; each iteration has what it is given,
/// and hands on a copy of that to its body.
void MemoryWalk::addControl(Operation *op) {
  bool isLoop = isa<WhileOp>(op);
  int64_t results = 0, most = 0;
  for (Value result : op->getResults()) {
    make(result, 0, /*isDirect=*/false);
    buffers.back().kind = Buffer::Constant;
    results += buffers.back().bytes + blockHeader;
  }
  for (Region &region : op->getRegions())
    for (Block &block : region) {
      Kernel inner = Kernel::ofBlock(block);
      int64_t bytes = MemoryWalk(inner, plan, isLoop).getNestedBytes();
      if (isLoop)
        bytes += &region == &op->getRegion(0) ? 2 * results : results;
      most = std::max(most, bytes);
    }
  unplanned += results;
  mostUnplanned = std::max(mostUnplanned, unplanned + most);
  unplanned += isLoop ? results : 0;
}

/// Whether the lowering computes the results as they are, where they are to be.
static bool isDirect(Operation *op) {
  // Groups are computed in another shape, unless they are converted afterwards.
  if (auto convolution = dyn_cast<ConvolutionOp>(op))
    return (convolution.getFeatureGroupCount() == 1 &&
            convolution.getBatchGroupCount() == 1) ||
           getSumWidth(getElementTypeOrSelf(op->getResult(0))) != 0;
  return isFusible(op) ||
         isa<BitcastConvertOp, ConcatenateOp, DotGeneralOp, DotOp, GatherOp,
             MapOp, PadOp, ReduceOp, ReduceWindowOp, RngBitGeneratorOp,
             SelectAndScatterOp>(op);
}

void MemoryWalk::visit(Operation *op, int64_t at) {
  if (isFusible(op) && (!plan.isStored(op) || op->use_empty()))
    return;
  read(op, at);
  if (alias(op))
    return;
  if (isa<WhileOp, IfOp, CaseOp>(op))
    return addControl(op);
  for (Value result : op->getResults())
    make(result, at, isDirect(op));
  if (isa<ConcatenateOp, PadOp>(op)) {
    ValueRange operands = op->getOperands();
    int64_t first = absorb(isa<PadOp>(op) ? operands.take_front() : operands);
    Buffer &buffer = buffers.back();
    // What parts are computed in is a temporary.
    buffer.isDirect = first > at;
    buffer.first = std::min(at, first);
  }
  addCopies(op, at);
}

/// Results take the place of temporaries that are computed in one go. Others
/// are copied, one after the other, when all is done.
void MemoryWalk::placeResults() {
  for (auto [i, result] : llvm::enumerate(kernel.results)) {
    int64_t end = kernel.ops.size() + i;
    int64_t number = find(result);
    written.push_back(end);
    if (number < 0)
      continue;
    Buffer &buffer = buffers[number];
    if (buffer.isDirect && buffer.kind == Buffer::Temporary &&
        buffer.value == result) {
      buffer.kind = Buffer::Result;
      written.back() = buffer.first;
      continue;
    }
    buffer.last = std::max(buffer.last, end);
  }
}

void MemoryWalk::runOps() {
  for (Value operand : kernel.operands) {
    Buffer buffer;
    buffer.kind = Buffer::Operand;
    buffer.value = operand;
    bufferOf[operand] = buffers.size();
    buffers.push_back(buffer);
  }
  for (auto [at, op] : llvm::enumerate(kernel.ops))
    visit(op, at);
}

KernelMemory MemoryWalk::run(const llvm::SmallBitVector &lastUses) {
  runOps();
  placeResults();
  KernelMemory memory;
  findInPlace(lastUses, memory.inPlace);
  for (const Buffer &buffer : buffers)
    if (buffer.kind == Buffer::Temporary)
      blocks.push_back(
          {int64_t(llvm::alignTo(std::max<int64_t>(buffer.bytes, 1),
                                 temporaryAlignment)),
           buffer.first, buffer.last});
  if (!blocks.empty())
    memory.workspace = placeBlocks(blocks) + blockHeader;
  memory.workspace += mostUnplanned;
  return memory;
}

KernelMemory hetero::getKernelMemory(const Kernel &kernel,
                                     const FusionPlan &plan,
                                     const llvm::SmallBitVector &lastUses) {
  return MemoryWalk(kernel, plan).run(lastUses);
}
