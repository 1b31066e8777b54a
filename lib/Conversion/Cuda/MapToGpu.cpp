//===- MapToGpu.cpp - Loops onto blocks and threads -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each loop function becomes a kernel of one of three kinds:
//
//  * a thread for each point of the parallel dimensions, which runs the other
//    dimensions in order, with its sums in registers;
//  * a block for each point, whose threads share the reduction and combine
//    their parts at the end. For reductions whose combiner is one operation
//    with a neutral value, and that are long enough;
//  * one thread for everything, where no iteration is known to be independent.

#include "hetero/Conversion/Cuda/Passes.h"
#include "hetero/Conversion/Kernels/Passes.h"
#include "hetero/Conversion/StablehloToLinalg/Passes.h"
#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Affine/Utils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace hetero;

namespace hetero {
#define GEN_PASS_DEF_MAPTOGPUPASS
#include "hetero/Conversion/Cuda/Passes.h.inc"
} // namespace hetero

static constexpr int64_t kBlockSize = 256;
/// A reduction over fewer elements is left to one thread.
static constexpr int64_t kMinShared = 64;
/// With more results than this, a thread for each fills the device.
static constexpr int64_t kManyResults = 65536;

static Value makeIndex(ImplicitLocOpBuilder &b, int64_t value) {
  return arith::ConstantIndexOp::create(b, value);
}

static int64_t getProduct(ArrayRef<int64_t> sizes) {
  int64_t product = 1;
  for (int64_t size : sizes)
    product *= size;
  return product;
}

/// The indices in a box of `sizes` of its element number `linear`.
static SmallVector<Value> delinearize(ImplicitLocOpBuilder &b, Value linear,
                                      ArrayRef<int64_t> sizes) {
  SmallVector<Value> indices(sizes.size());
  for (size_t d = sizes.size(); d-- > 0;) {
    if (d == 0) {
      indices[d] = linear;
      continue;
    }
    Value size = makeIndex(b, sizes[d]);
    indices[d] = arith::RemUIOp::create(b, linear, size);
    linear = arith::DivUIOp::create(b, linear, size);
  }
  return indices;
}

/// The number of this thread in the grid.
static Value getThread(ImplicitLocOpBuilder &b) {
  Value block = gpu::BlockIdOp::create(b, gpu::Dimension::x);
  Value thread = gpu::ThreadIdOp::create(b, gpu::Dimension::x);
  return arith::AddIOp::create(
      b, arith::MulIOp::create(b, block, makeIndex(b, kBlockSize)), thread);
}

/// An `if` around what is built at the insertion point from now on.
static void enterIf(ImplicitLocOpBuilder &b, arith::CmpIPredicate predicate,
                    Value lhs, int64_t rhs) {
  Value condition = arith::CmpIOp::create(b, predicate, lhs, makeIndex(b, rhs));
  auto branch = scf::IfOp::create(b, condition, /*withElseRegion=*/false);
  b.setInsertionPointToStart(branch.thenBlock());
}

//===----------------------------------------------------------------------===//
// Linalg operations
//===----------------------------------------------------------------------===//

namespace {
/// How many blocks and threads a kernel has.
struct Shape {
  int64_t numBlocks = 1;
  int64_t blockSize = 1;
};

/// One linalg.generic on buffers, element by element.
class LoopBody {
public:
  explicit LoopBody(linalg::GenericOp op) : op(op) {
    for (auto [d, size] : llvm::enumerate(op.getStaticLoopRanges())) {
      bool isParallel =
          op.getIteratorTypesArray()[d] == utils::IteratorType::parallel;
      (isParallel ? parallelDims : reductionDims).push_back(d);
      (isParallel ? parallelSizes : reductionSizes).push_back(size);
    }
  }

  /// Where the operand lies at the indices of the loop nest.
  SmallVector<Value> locate(ImplicitLocOpBuilder &b, OpOperand &operand,
                            ValueRange indices);
  /// What the outputs hold at the indices; nothing for those that are not read.
  SmallVector<Value> loadOutputs(ImplicitLocOpBuilder &b, ValueRange indices);
  void storeOutputs(ImplicitLocOpBuilder &b, ValueRange indices,
                    ValueRange values);
  /// What the body gives for inputs at the indices and values of the outputs.
  SmallVector<Value> emit(ImplicitLocOpBuilder &b, ValueRange indices,
                          ValueRange outputs);
  /// The indices of the loop nest from those of the two kinds of dimensions.
  SmallVector<Value> join(ImplicitLocOpBuilder &b, ValueRange parallel,
                          ValueRange reduction);

  linalg::GenericOp op;
  SmallVector<int64_t> parallelDims, parallelSizes;
  SmallVector<int64_t> reductionDims, reductionSizes;
};
} // namespace

SmallVector<Value> LoopBody::locate(ImplicitLocOpBuilder &b, OpOperand &operand,
                                    ValueRange indices) {
  AffineMap map = op.getMatchingIndexingMap(&operand);
  auto position = affine::expandAffineMap(b, b.getLoc(), map, indices);
  return SmallVector<Value>(position->begin(), position->end());
}

SmallVector<Value> LoopBody::loadOutputs(ImplicitLocOpBuilder &b,
                                         ValueRange indices) {
  SmallVector<Value> values;
  for (OpOperand &output : op.getDpsInitsMutable()) {
    if (op.getMatchingBlockArgument(&output).use_empty())
      values.push_back(Value());
    else
      values.push_back(
          memref::LoadOp::create(b, output.get(), locate(b, output, indices)));
  }
  return values;
}

void LoopBody::storeOutputs(ImplicitLocOpBuilder &b, ValueRange indices,
                            ValueRange values) {
  for (auto [output, value] : llvm::zip_equal(op.getDpsInitsMutable(), values))
    memref::StoreOp::create(b, value, output.get(), locate(b, output, indices));
}

SmallVector<Value> LoopBody::emit(ImplicitLocOpBuilder &b, ValueRange indices,
                                  ValueRange outputs) {
  IRMapping mapping;
  for (OpOperand *input : op.getDpsInputOperands()) {
    BlockArgument element = op.getMatchingBlockArgument(input);
    if (element.use_empty())
      continue;
    // A scalar input is what it is.
    Value value = input->get();
    if (isa<MemRefType>(value.getType()))
      value = memref::LoadOp::create(b, value, locate(b, *input, indices));
    mapping.map(element, value);
  }
  for (auto [output, value] : llvm::zip_equal(op.getDpsInitsMutable(), outputs))
    if (value)
      mapping.map(op.getMatchingBlockArgument(&output), value);
  for (Operation &nested : op.getBody()->without_terminator()) {
    if (auto index = dyn_cast<linalg::IndexOp>(nested)) {
      mapping.map(index.getResult(), indices[index.getDim()]);
      continue;
    }
    Operation *copy = b.clone(nested, mapping);
    // Branches of the body ask for indices as well.
    copy->walk([&](linalg::IndexOp index) {
      index.replaceAllUsesWith(indices[index.getDim()]);
      index.erase();
    });
  }
  SmallVector<Value> results;
  for (Value value : op.getBody()->getTerminator()->getOperands())
    results.push_back(mapping.lookupOrDefault(value));
  return results;
}

SmallVector<Value> LoopBody::join(ImplicitLocOpBuilder &b, ValueRange parallel,
                                  ValueRange reduction) {
  SmallVector<Value> indices(op.getNumLoops());
  for (auto [d, index] : llvm::zip_equal(parallelDims, parallel))
    indices[d] = index;
  for (auto [d, index] : llvm::zip_equal(reductionDims, reduction))
    indices[d] = index;
  return indices;
}

/// A thread for each point of the parallel dimensions.
static Shape mapToThreads(ImplicitLocOpBuilder &b, LoopBody &loop) {
  int64_t count = getProduct(loop.parallelSizes);
  Value thread = getThread(b);
  enterIf(b, arith::CmpIPredicate::ult, thread, count);
  SmallVector<Value> point = delinearize(b, thread, loop.parallelSizes);
  SmallVector<Value> zeros(loop.reductionDims.size(), makeIndex(b, 0));
  SmallVector<Value> first = loop.join(b, point, zeros);
  SmallVector<Value> results;
  if (loop.reductionDims.empty()) {
    results = loop.emit(b, first, loop.loadOutputs(b, first));
  } else {
    SmallVector<Value> lower, upper, steps;
    for (int64_t size : loop.reductionSizes) {
      lower.push_back(makeIndex(b, 0));
      upper.push_back(makeIndex(b, size));
      steps.push_back(makeIndex(b, 1));
    }
    // An output that the body overwrites is carried all the same.
    SmallVector<Value> sums;
    for (OpOperand &output : loop.op.getDpsInitsMutable())
      sums.push_back(memref::LoadOp::create(b, output.get(),
                                            loop.locate(b, output, first)));
    scf::LoopNest nest = scf::buildLoopNest(
        b, b.getLoc(), lower, upper, steps, sums,
        [&](OpBuilder &builder, Location loc, ValueRange reduction,
            ValueRange carried) -> scf::ValueVector {
          ImplicitLocOpBuilder nested(loc, builder);
          SmallVector<Value> next =
              loop.emit(nested, loop.join(nested, point, reduction), carried);
          return scf::ValueVector(next.begin(), next.end());
        });
    results.assign(nest.results.begin(), nest.results.end());
  }
  loop.storeOutputs(b, first, results);
  return {int64_t(llvm::divideCeil(count, kBlockSize)), kBlockSize};
}

/// The operation that combines two parts of the reduction, if it is one with a
/// neutral value and the order of parts may change.
static Operation *getCombiner(linalg::GenericOp op) {
  if (op.getNumDpsInits() != 1)
    return nullptr;
  SmallVector<Operation *> combiners;
  if (!matchReduction(op.getRegionOutputArgs(), 0, combiners) ||
      combiners.size() != 1)
    return nullptr;
  Operation *combiner = combiners[0];
  if (combiner->getNumOperands() != 2 ||
      !combiner->getResult(0).getType().isIntOrFloat() ||
      !arith::getNeutralElement(combiner))
    return nullptr;
  // The yielded value is the combined one, and not computed from it.
  if (op.getBody()->getTerminator()->getOperand(0) != combiner->getResult(0))
    return nullptr;
  auto fast = dyn_cast<arith::ArithFastMathInterface>(combiner);
  bool isSum = isa<arith::AddFOp, arith::MulFOp>(combiner);
  if (isSum &&
      (!fast || !bitEnumContainsAny(fast.getFastMathFlagsAttr().getValue(),
                                    arith::FastMathFlags::reassoc)))
    return nullptr;
  return combiner;
}

static bool isWorthBlocks(LoopBody &loop) {
  int64_t length = getProduct(loop.reductionSizes);
  int64_t numResults = getProduct(loop.parallelSizes);
  if (length < kMinShared)
    return false;
  // Along the last dimension neighbouring threads read neighbouring elements.
  bool isAlongRows = loop.reductionDims.back() + 1 == loop.op.getNumLoops();
  return isAlongRows || numResults < kManyResults;
}

/// A narrow number in a word of 32 bits, and back.
static Value toWord(ImplicitLocOpBuilder &b, Value value) {
  unsigned width = value.getType().getIntOrFloatBitWidth();
  if (width >= 32)
    return value;
  if (isa<FloatType>(value.getType()))
    value = arith::BitcastOp::create(b, b.getIntegerType(width), value);
  return arith::ExtUIOp::create(b, b.getI32Type(), value);
}
static Value fromWord(ImplicitLocOpBuilder &b, Value word, Type type) {
  if (word.getType() == type)
    return word;
  Type bits = b.getIntegerType(type.getIntOrFloatBitWidth());
  Value value = arith::TruncIOp::create(b, bits, word);
  return bits == type ? value
                      : arith::BitcastOp::create(b, type, value).getResult();
}

/// A block for each point of the parallel dimensions.
static Shape mapToBlocks(ImplicitLocOpBuilder &b, LoopBody &loop,
                         Operation *combiner) {
  Value block = gpu::BlockIdOp::create(b, gpu::Dimension::x);
  Value thread = gpu::ThreadIdOp::create(b, gpu::Dimension::x);
  SmallVector<Value> point = delinearize(b, block, loop.parallelSizes);
  Value neutral =
      arith::ConstantOp::create(b, *arith::getNeutralElement(combiner));
  auto part = scf::ForOp::create(
      b, thread, makeIndex(b, getProduct(loop.reductionSizes)),
      makeIndex(b, kBlockSize), neutral,
      [&](OpBuilder &builder, Location loc, Value linear, ValueRange carried) {
        ImplicitLocOpBuilder nested(loc, builder);
        SmallVector<Value> indices = loop.join(
            nested, point, delinearize(nested, linear, loop.reductionSizes));
        scf::YieldOp::create(nested, loop.emit(nested, indices, carried));
      });
  auto combine = [&](ImplicitLocOpBuilder &builder, Value lhs, Value rhs) {
    Operation *copy = builder.clone(*combiner);
    copy->setOperands({lhs, rhs});
    return copy->getResult(0);
  };
  // Threads exchange words of 32 or 64 bits.
  Type type = neutral.getType();
  Value word = toWord(b, part.getResult(0));
  auto whole = gpu::AllReduceOp::create(b, word.getType(), word,
                                        gpu::AllReduceOperationAttr(),
                                        /*uniform=*/true);
  {
    OpBuilder::InsertionGuard guard(b);
    Block *body =
        b.createBlock(&whole.getBody(), {}, {word.getType(), word.getType()},
                      {b.getLoc(), b.getLoc()});
    Value sum = combine(b, fromWord(b, body->getArgument(0), type),
                        fromWord(b, body->getArgument(1), type));
    gpu::YieldOp::create(b, toWord(b, sum));
  }
  Value total = fromWord(b, whole.getResult(), type);
  enterIf(b, arith::CmpIPredicate::eq, thread, 0);
  SmallVector<Value> zeros(loop.reductionDims.size(), makeIndex(b, 0));
  SmallVector<Value> first = loop.join(b, point, zeros);
  Value init = loop.loadOutputs(b, first)[0];
  loop.storeOutputs(b, first, combine(b, init, total));
  return {getProduct(loop.parallelSizes), kBlockSize};
}

static Shape mapLinalg(ImplicitLocOpBuilder &b, linalg::LinalgOp op) {
  IRRewriter rewriter(b.getContext());
  rewriter.setInsertionPoint(op);
  auto generic = dyn_cast<linalg::GenericOp>(op.getOperation());
  if (!generic) {
    FailureOr<linalg::GenericOp> made = linalg::generalizeNamedOp(rewriter, op);
    if (failed(made))
      return {0, 0};
    generic = *made;
  }
  if (llvm::is_contained(generic.getStaticLoopRanges(), ShapedType::kDynamic))
    return {0, 0};
  b.setInsertionPoint(generic);
  LoopBody loop(generic);
  if (llvm::is_contained(generic.getStaticLoopRanges(), 0)) {
    generic.erase();
    return {1, 1};
  }
  Operation *combiner =
      loop.reductionDims.empty() ? nullptr : getCombiner(generic);
  Shape shape = combiner && isWorthBlocks(loop) ? mapToBlocks(b, loop, combiner)
                                                : mapToThreads(b, loop);
  generic.erase();
  return shape;
}

//===----------------------------------------------------------------------===//
// Loops over single elements
//===----------------------------------------------------------------------===//

static std::optional<int64_t> getTripCount(scf::ForOp loop) {
  APInt lower, upper, step;
  if (!matchPattern(loop.getLowerBound(), m_ConstantInt(&lower)) ||
      !matchPattern(loop.getUpperBound(), m_ConstantInt(&upper)) ||
      !matchPattern(loop.getStep(), m_ConstantInt(&step)) || !lower.isZero() ||
      !step.isOne() || upper.isNegative())
    return std::nullopt;
  return upper.getSExtValue();
}

/// The outermost loops whose iterations are independent, as far as they are
/// nested perfectly.
static SmallVector<scf::ForOp> getParallelNest(Operation *op) {
  SmallVector<scf::ForOp> nest;
  auto loop = dyn_cast<scf::ForOp>(op);
  while (loop && loop->hasAttr(kParallelAttr) && loop.getInitArgs().empty() &&
         getTripCount(loop)) {
    nest.push_back(loop);
    Block *body = loop.getBody();
    loop = llvm::hasSingleElement(body->without_terminator())
               ? dyn_cast<scf::ForOp>(body->front())
               : scf::ForOp();
  }
  return nest;
}

/// A thread for each iteration of the independent loops.
static Shape mapNest(ImplicitLocOpBuilder &b, Operation *op) {
  b.setInsertionPoint(op);
  SmallVector<scf::ForOp> nest = getParallelNest(op);
  if (nest.empty()) {
    enterIf(b, arith::CmpIPredicate::eq, getThread(b), 0);
    op->moveBefore(b.getInsertionBlock(), b.getInsertionPoint());
    return {1, 1};
  }
  SmallVector<int64_t> sizes;
  for (scf::ForOp loop : nest)
    sizes.push_back(*getTripCount(loop));
  int64_t count = getProduct(sizes);
  Value thread = getThread(b);
  enterIf(b, arith::CmpIPredicate::ult, thread, count);
  SmallVector<Value> indices = delinearize(b, thread, sizes);
  for (auto [loop, index] : llvm::zip_equal(nest, indices))
    loop.getInductionVar().replaceAllUsesWith(index);
  Block *body = nest.back().getBody();
  for (Operation &inner :
       llvm::make_early_inc_range(body->without_terminator()))
    inner.moveBefore(b.getInsertionBlock(), b.getInsertionPoint());
  op->erase();
  return {std::max<int64_t>(1, llvm::divideCeil(count, kBlockSize)),
          kBlockSize};
}

//===----------------------------------------------------------------------===//
// Kernels and launches
//===----------------------------------------------------------------------===//

/// Moves the loop function into the module as a kernel.
static gpu::GPUFuncOp makeKernel(func::FuncOp function, OpBuilder &builder) {
  auto kernel =
      gpu::GPUFuncOp::create(builder, function.getLoc(), function.getName(),
                             function.getFunctionType());
  kernel->setAttr(gpu::GPUDialect::getKernelFuncAttrName(),
                  builder.getUnitAttr());
  for (unsigned i = 0; i < function.getNumArguments(); ++i)
    if (Attribute attr =
            function.getArgAttr(i, LLVM::LLVMDialect::getNoAliasAttrName()))
      kernel.setArgAttr(i, LLVM::LLVMDialect::getNoAliasAttrName(), attr);
  Block &from = function.getBody().front(), &to = kernel.getBody().front();
  for (auto [old, argument] :
       llvm::zip_equal(from.getArguments(), to.getArguments()))
    old.replaceAllUsesWith(argument);
  to.getOperations().splice(to.end(), from.getOperations());
  Operation *terminator = to.getTerminator();
  builder.setInsertionPoint(terminator);
  gpu::ReturnOp::create(builder, terminator->getLoc());
  terminator->erase();
  builder.setInsertionPointAfter(kernel);
  return kernel;
}

/// Distributes what the kernel does: its last operation; the others are what
/// that reads.
static Shape mapKernel(gpu::GPUFuncOp kernel) {
  Operation *root = kernel.getBody().front().getTerminator()->getPrevNode();
  ImplicitLocOpBuilder b(root->getLoc(), root);
  auto loop = dyn_cast<linalg::LinalgOp>(root);
  return loop ? mapLinalg(b, loop) : mapNest(b, root);
}

static void launch(func::CallOp call, gpu::GPUFuncOp kernel, Shape shape) {
  ImplicitLocOpBuilder b(call.getLoc(), call);
  Value one = makeIndex(b, 1);
  gpu::KernelDim3 grid = {makeIndex(b, shape.numBlocks), one, one};
  gpu::KernelDim3 block = {makeIndex(b, shape.blockSize), one, one};
  gpu::LaunchFuncOp::create(b, kernel, grid, block, Value(),
                            call.getOperands());
  call.erase();
}

/// Whether nothing is left of a loop that was found to do nothing after it had
/// become a function: not a launch either.
static bool doesNothing(func::FuncOp function) {
  return llvm::all_of(function.getBody().front().without_terminator(),
                      [](Operation &op) { return isMemoryEffectFree(&op); });
}

/// Takes functions that do nothing away, with their calls.
static void eraseIdle(ModuleOp module, SmallVector<func::FuncOp> &functions) {
  SmallVector<func::CallOp> calls;
  llvm::StringSet<> idle;
  for (func::FuncOp function : functions)
    if (doesNothing(function))
      idle.insert(function.getName());
  module.walk([&](func::CallOp call) {
    if (idle.contains(call.getCallee()))
      calls.push_back(call);
  });
  for (func::CallOp call : calls)
    call.erase();
  llvm::erase_if(functions, [&](func::FuncOp function) {
    if (!idle.contains(function.getName()))
      return false;
    function.erase();
    return true;
  });
}

namespace {
struct MapToGpu : public hetero::impl::MapToGpuPassBase<MapToGpu> {
  void runOnOperation() override;
};
} // namespace

void MapToGpu::runOnOperation() {
  ModuleOp module = getOperation();
  SmallVector<func::FuncOp> functions;
  for (auto function : module.getOps<func::FuncOp>())
    if (function->hasAttr(kDeviceLoopAttr))
      functions.push_back(function);
  eraseIdle(module, functions);
  if (functions.empty())
    return;
  OpBuilder builder(&getContext());
  builder.setInsertionPointToEnd(module.getBody());
  module->setAttr(gpu::GPUDialect::getContainerModuleAttrName(),
                  builder.getUnitAttr());
  auto kernels = gpu::GPUModuleOp::create(builder, module.getLoc(), "kernels");
  SymbolTable(module).insert(kernels);
  llvm::StringMap<std::pair<gpu::GPUFuncOp, Shape>> made;
  builder.setInsertionPointToStart(kernels.getBody());
  for (func::FuncOp function : functions) {
    gpu::GPUFuncOp kernel = makeKernel(function, builder);
    Shape shape = mapKernel(kernel);
    if (shape.blockSize == 0) {
      kernel.emitError() << "has a loop that cannot be mapped to threads";
      return signalPassFailure();
    }
    kernel.setKnownBlockSize(
        ArrayRef<int32_t>{static_cast<int32_t>(shape.blockSize), 1, 1});
    made[function.getName()] = {kernel, shape};
    ++numKernels;
  }
  module.walk([&](func::CallOp call) {
    auto found = made.find(call.getCallee());
    if (found == made.end())
      return;
    launch(call, found->second.first, found->second.second);
    ++numLaunches;
  });
  for (func::FuncOp function : functions)
    function.erase();
}
