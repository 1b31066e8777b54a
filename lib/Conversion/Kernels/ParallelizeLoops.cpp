//===- ParallelizeLoops.cpp - Loops for several threads -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Conversion/Kernels/Passes.h"
#include "hetero/Conversion/StablehloToLinalg/Passes.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Utils/Utils.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace hetero;

namespace hetero {
#define GEN_PASS_DEF_PARALLELIZELOOPSPASS
#include "hetero/Conversion/Kernels/Passes.h.inc"
} // namespace hetero

/// What a function of the mathematics library costs, in simple operations.
static constexpr int64_t kMathCost = 8;
/// A dimension of this size is cut into pieces of about equal size.
static constexpr int64_t kManyPieces = 64;
/// Rows and columns of a block that is transposed at a time.
static constexpr int64_t kBlock = 32;

/// The only operation of a function that `hetero-outline-loops` made which is
/// not a constant or a view; null for other functions.
static Operation *getOnlyLoop(func::FuncOp function) {
  if (!function.isPrivate() || function.isExternal() ||
      !function.getBody().hasOneBlock())
    return nullptr;
  Operation *loop = nullptr;
  for (Operation &op : function.getBody().front().without_terminator()) {
    if (isMemoryEffectFree(&op))
      continue;
    if (loop || !isa<linalg::LinalgOp, scf::ForOp>(op))
      return nullptr;
    loop = &op;
  }
  return loop;
}

//===----------------------------------------------------------------------===//
// Fewer dimensions
//===----------------------------------------------------------------------===//

/// Neighbours that are one dimension for every operand, as groups of all
/// dimensions.
static SmallVector<ReassociationIndices> getGroups(linalg::GenericOp op) {
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  SmallVector<utils::IteratorType> iterators = op.getIteratorTypesArray();
  SmallVector<ReassociationIndices> groups;
  for (int64_t d = 0; d < int64_t(op.getNumLoops()); ++d) {
    if (!groups.empty() && iterators[d] == iterators[d - 1]) {
      ReassociationIndices joined = groups.back();
      joined.push_back(d);
      if (linalg::areDimSequencesPreserved(maps, {joined})) {
        groups.back() = joined;
        continue;
      }
    }
    groups.push_back({d});
  }
  return groups;
}

/// The same loop with dimensions joined where that is possible: one long loop
/// is cut and vectorized better than several short ones.
static linalg::LinalgOp joinDimensions(RewriterBase &rewriter,
                                       linalg::GenericOp op) {
  bool isSimple = llvm::all_of(op->getOperands(), [](Value operand) {
    auto type = dyn_cast<MemRefType>(operand.getType());
    return !type || type.getLayout().isIdentity();
  });
  bool isProjection =
      llvm::all_of(op.getIndexingMapsArray(),
                   [](AffineMap map) { return map.isProjectedPermutation(); });
  if (!isSimple || !isProjection)
    return op;
  SmallVector<ReassociationIndices> groups = getGroups(op);
  if (groups.size() == op.getNumLoops())
    return op;
  rewriter.setInsertionPoint(op);
  auto joined = linalg::collapseOpIterationDims(op, groups, rewriter);
  if (failed(joined))
    return op;
  rewriter.eraseOp(op);
  return joined->collapsedOp;
}

//===----------------------------------------------------------------------===//
// Pieces
//===----------------------------------------------------------------------===//

namespace {
/// A loop of a nest that can be cut.
struct Cut {
  scf::ForOp loop;
  int64_t size = 0;
  /// The outer one of two that are run in square blocks; null if none are.
  scf::ForOp blocked;
};
} // namespace

static int64_t getBodyCost(Operation *op) {
  int64_t cost = 0;
  op->walk([&](Operation *nested) {
    if (nested->hasTrait<OpTrait::ConstantLike>() ||
        nested->getNumRegions() != 0)
      return;
    bool isMath = isa_and_present<math::MathDialect>(nested->getDialect());
    cost += isMath ? kMathCost : 1;
  });
  return std::max<int64_t>(1, cost);
}

/// Whether iterations that differ along dimension `d` write different elements.
static bool isIndependent(linalg::LinalgOp op, unsigned d) {
  if (op.getIteratorTypesArray()[d] != utils::IteratorType::parallel)
    return false;
  return llvm::all_of(op.getDpsInitsMutable(), [&](OpOperand &output) {
    return llvm::is_contained(op.getMatchingIndexingMap(&output).getResults(),
                              getAffineDimExpr(d, op.getContext()));
  });
}

/// Whether the innermost loop walks along the rows of what is written and along
/// the columns of something that is read: then blocks of both stay in the
/// cache.
static bool isTransposing(linalg::LinalgOp op, ArrayRef<int64_t> sizes) {
  unsigned rank = op.getNumLoops();
  if (rank < 2 || op.getNumParallelLoops() != rank ||
      sizes[rank - 1] < 2 * kBlock || sizes[rank - 2] < 2 * kBlock)
    return false;
  AffineExpr inner = getAffineDimExpr(rank - 1, op.getContext());
  AffineExpr outer = getAffineDimExpr(rank - 2, op.getContext());
  auto endsWith = [&](OpOperand &operand, AffineExpr expr) {
    ArrayRef<AffineExpr> results =
        op.getMatchingIndexingMap(&operand).getResults();
    return !results.empty() && results.back() == expr;
  };
  return llvm::all_of(
             op.getDpsInitsMutable(),
             [&](OpOperand &output) { return endsWith(output, inner); }) &&
         llvm::any_of(op->getOpOperands(), [&](OpOperand &operand) {
           return endsWith(operand, outer) &&
                  llvm::is_contained(
                      op.getMatchingIndexingMap(&operand).getResults(), inner);
         });
}

/// The first dimension that many pieces can be made of, else the largest one.
static std::optional<unsigned> chooseDimension(ArrayRef<int64_t> sizes,
                                               ArrayRef<bool> independent) {
  std::optional<unsigned> best;
  for (auto [d, size] : llvm::enumerate(sizes)) {
    if (!independent[d] || size < 2)
      continue;
    if (size >= kManyPieces)
      return d;
    if (!best || size > sizes[*best])
      best = d;
  }
  return best;
}

/// The loop nest of a linalg operation, which is gone then. No loop to cut if
/// there is too little work.
static FailureOr<Cut> cutLinalg(RewriterBase &rewriter, linalg::LinalgOp op,
                                int64_t minWork) {
  if (auto generic = dyn_cast<linalg::GenericOp>(op.getOperation()))
    op = joinDimensions(rewriter, generic);
  SmallVector<int64_t> sizes = op.getStaticLoopRanges();
  SmallVector<bool> independent;
  int64_t work = getBodyCost(op);
  for (auto [d, size] : llvm::enumerate(sizes)) {
    if (ShapedType::isDynamic(size))
      return Cut();
    independent.push_back(isIndependent(op, d));
    work *= std::min<int64_t>(size, minWork);
    work = std::min(work, minWork);
  }
  std::optional<unsigned> dimension = chooseDimension(sizes, independent);
  if (work < minWork || !dimension)
    return Cut();
  bool isBlocked = isTransposing(op, sizes);
  rewriter.setInsertionPoint(op);
  FailureOr<linalg::LinalgLoops> loops = linalg::linalgOpToLoops(rewriter, op);
  if (failed(loops) || loops->size() != sizes.size())
    return failure();
  rewriter.eraseOp(op);
  Cut cut = {cast<scf::ForOp>((*loops)[*dimension]), sizes[*dimension], {}};
  if (isBlocked)
    cut.blocked = cast<scf::ForOp>((*loops)[loops->size() - 2]);
  return cut;
}

/// The constant number of iterations of a loop from 0 by 1.
static std::optional<int64_t> getTripCount(scf::ForOp loop) {
  APInt lower, upper, step;
  if (!matchPattern(loop.getLowerBound(), m_ConstantInt(&lower)) ||
      !matchPattern(loop.getUpperBound(), m_ConstantInt(&upper)) ||
      !matchPattern(loop.getStep(), m_ConstantInt(&step)) || !lower.isZero() ||
      !step.isOne() || upper.isNonPositive())
    return std::nullopt;
  return upper.getSExtValue();
}

/// Whether everything that is stored inside of `outer` is inside of `loop`.
static bool holdsAllStores(scf::ForOp outer, scf::ForOp loop) {
  WalkResult result = outer.walk([&](memref::StoreOp store) {
    return loop->isAncestor(store) ? WalkResult::advance()
                                   : WalkResult::interrupt();
  });
  return !result.wasInterrupted();
}

/// The loop of a nest over elements that is marked and can be cut.
static Cut cutNest(scf::ForOp outermost, int64_t minWork) {
  SmallVector<scf::ForOp> loops;
  SmallVector<int64_t> sizes;
  SmallVector<bool> independent;
  int64_t work = getBodyCost(outermost);
  outermost.walk<WalkOrder::PreOrder>([&](scf::ForOp loop) {
    std::optional<int64_t> size = getTripCount(loop);
    loops.push_back(loop);
    sizes.push_back(size.value_or(1));
    independent.push_back(size && loop.getNumResults() == 0 &&
                          loop->hasAttr(kParallelAttr) &&
                          holdsAllStores(outermost, loop));
    work = std::min(work * std::min(sizes.back(), minWork), minWork);
  });
  std::optional<unsigned> dimension = chooseDimension(sizes, independent);
  if (work < minWork || !dimension)
    return {};
  return {loops[*dimension], sizes[*dimension], {}};
}

/// Gives the function the bounds of the loop as its first arguments.
static void addBounds(func::FuncOp function, Cut cut) {
  MLIRContext *context = function.getContext();
  Type index = IndexType::get(context);
  Location loc = function.getLoc();
  auto none = DictionaryAttr::get(context);
  (void)function.insertArguments({0, 0}, {index, index}, {none, none},
                                 {loc, loc});
  cut.loop.setLowerBound(function.getArgument(0));
  cut.loop.setUpperBound(function.getArgument(1));
  function->setAttr(kPiecesAttr, UnitAttr::get(context));
  if (!cut.blocked)
    return;
  OpBuilder builder(context);
  builder.setInsertionPointToStart(&function.getBody().front());
  Value size = arith::ConstantIndexOp::create(builder, loc, kBlock);
  tilePerfectlyNested(cut.blocked, {size, size});
}

static void addBounds(func::CallOp call, int64_t size) {
  OpBuilder builder(call);
  Location loc = call.getLoc();
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  Value end = arith::ConstantIndexOp::create(builder, loc, size);
  SmallVector<Value> operands = {zero, end};
  llvm::append_range(operands, call.getOperands());
  call->setOperands(operands);
}

namespace {
struct ParallelizeLoops
    : public hetero::impl::ParallelizeLoopsPassBase<ParallelizeLoops> {
  using ParallelizeLoopsPassBase::ParallelizeLoopsPassBase;

  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    llvm::StringMap<int64_t> sizes;
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      Operation *loop = getOnlyLoop(function);
      if (!loop)
        continue;
      FailureOr<Cut> cut = Cut();
      if (auto linalgOp = dyn_cast<linalg::LinalgOp>(loop))
        cut = cutLinalg(rewriter, linalgOp, minWork);
      else
        cut = cutNest(cast<scf::ForOp>(loop), minWork);
      if (failed(cut)) {
        function.emitError() << "has a loop that cannot be written out";
        return signalPassFailure();
      }
      if (!cut->loop)
        continue;
      addBounds(function, *cut);
      sizes[function.getName()] = cut->size;
      ++numFunctions;
    }
    getOperation().walk([&](func::CallOp call) {
      auto found = sizes.find(call.getCallee());
      if (found == sizes.end())
        return;
      addBounds(call, found->second);
      ++numCalls;
    });
  }
};
} // namespace
