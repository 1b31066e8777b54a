//===- Fusion.cpp - Which operations share a loop -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Analysis/Fusion.h"
#include "hetero/Analysis/Summary.h"
#include "mlir/IR/AffineMap.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/SmallBitVector.h"

using namespace mlir;
using namespace hetero;
using namespace mlir::stablehlo;

/// Loops beyond this size spill registers, and take LLVM long. An operation on
/// floats counts as much as four on integers, which are one instruction each
/// and soon forgotten: random bits take more than a hundred of them.
static constexpr unsigned kMaxClusterSize = 384;

static unsigned getClusterSize(Operation &op) {
  return isa<IntegerType>(getElementTypeOrSelf(op.getResult(0))) ? 1 : 4;
}

static RankedTensorType getType(Value value) {
  return cast<RankedTensorType>(value.getType());
}

/// Whether the bits of an element are those of one element of the result.
static bool isPlainBitcast(BitcastConvertOp op) {
  Type from = getElementTypeOrSelf(op.getOperand());
  Type to = getElementTypeOrSelf(op.getResult());
  return from.isIntOrFloat() && to.isIntOrFloat() &&
         from.getIntOrFloatBitWidth() == to.getIntOrFloatBitWidth();
}

bool hetero::isScalarOp(Operation *op) {
  if (op->getNumResults() != 1)
    return false;
  if (auto bitcast = dyn_cast<BitcastConvertOp>(op))
    return isPlainBitcast(bitcast);
  return isa<AbsOp, AddOp, AndOp, Atan2Op, CbrtOp, CeilOp, ClampOp, ClzOp,
             CompareOp, ComplexOp, ConvertOp, CosineOp, DivOp, ExpOp, Expm1Op,
             FloorOp, ImagOp, IsFiniteOp, Log1pOp, LogOp, LogisticOp, MaxOp,
             MinOp, MulOp, NegOp, NotOp, OrOp, PopulationCountOp, PowOp, RealOp,
             ReducePrecisionOp, RemOp, RoundNearestEvenOp, RoundOp, RsqrtOp,
             SelectOp, ShiftLeftOp, ShiftRightArithmeticOp, ShiftRightLogicalOp,
             SignOp, SineOp, SqrtOp, SubtractOp, TanOp, TanhOp, XorOp>(op);
}

/// The sizes that are not 1.
static SmallVector<int64_t> getProperSizes(Value value) {
  return llvm::to_vector(llvm::make_filter_range(
      getType(value).getShape(), [](int64_t size) { return size != 1; }));
}

bool hetero::isUnitReshape(Operation *op) {
  auto reshape = dyn_cast<ReshapeOp>(op);
  return reshape && getProperSizes(reshape.getOperand()) ==
                        getProperSizes(reshape.getResult());
}

bool hetero::isView(Operation *op) {
  return isa<BroadcastInDimOp, TransposeOp, ReverseOp, SliceOp>(op) ||
         isUnitReshape(op);
}

bool hetero::isFusible(Operation *op) {
  return isView(op) || isGenerated(op) || isScalarOp(op);
}

bool hetero::isGenerated(Operation *op) {
  if (auto constant = dyn_cast<ConstantOp>(op)) {
    auto elements = dyn_cast<DenseElementsAttr>(constant.getValue());
    return elements && elements.isSplat();
  }
  return isa<IotaOp>(op);
}

/// Whether each element of the operand is found at exactly one place.
static bool isBijective(Operation *view) {
  return isa<TransposeOp, ReverseOp>(view) || isUnitReshape(view);
}

AffineMap hetero::getViewMap(Operation *view, AffineMap map) {
  MLIRContext *context = view->getContext();
  RankedTensorType from = getType(view->getOperand(0));
  SmallVector<AffineExpr> exprs(from.getRank(),
                                getAffineConstantExpr(0, context));
  if (auto broadcast = dyn_cast<BroadcastInDimOp>(view)) {
    for (auto [i, d] : llvm::enumerate(broadcast.getBroadcastDimensions()))
      if (from.getDimSize(i) != 1)
        exprs[i] = map.getResult(d);
  } else if (auto transpose = dyn_cast<TransposeOp>(view)) {
    for (auto [i, d] : llvm::enumerate(transpose.getPermutation()))
      exprs[d] = map.getResult(i);
  } else if (auto reverse = dyn_cast<ReverseOp>(view)) {
    llvm::copy(map.getResults(), exprs.begin());
    for (int64_t d : reverse.getDimensions())
      exprs[d] = from.getDimSize(d) - 1 - exprs[d];
  } else if (auto slice = dyn_cast<SliceOp>(view)) {
    for (auto [i, expr] : llvm::enumerate(map.getResults()))
      exprs[i] = expr * slice.getStrides()[i] + slice.getStartIndices()[i];
  } else {
    RankedTensorType to = getType(view->getResult(0));
    int64_t position = 0;
    for (int64_t i = 0; i < from.getRank(); ++i) {
      if (from.getDimSize(i) == 1)
        continue;
      while (to.getDimSize(position) == 1)
        ++position;
      exprs[i] = map.getResult(position++);
    }
  }
  return AffineMap::get(map.getNumDims(), 0, exprs, context);
}

/// Whether a block holds operations on whole tensors.
static bool isPlannedBlock(Block *block) {
  return !isa_and_present<StablehloDialect>(
             block->getParentOp()->getDialect()) ||
         isa<WhileOp, CaseOp, IfOp>(block->getParentOp());
}

FusionPlan::FusionPlan(const Kernel &kernel) {
  if (!kernel.isWhole) {
    block = kernel.block;
    inside.insert(kernel.ops.begin(), kernel.ops.end());
    results.insert(kernel.results.begin(), kernel.results.end());
  }
  visitOps(kernel.ops);
}

std::optional<Operation *> FusionPlan::getUser(OpOperand &use) const {
  Operation *user = use.getOwner();
  if (!block || use.get().getParentBlock() != block ||
      inside.contains(block->findAncestorOpInBlock(*user)))
    return user;
  if (results.contains(use.get()))
    return nullptr;
  return std::nullopt;
}

bool FusionPlan::hasOneUse(Value value) const {
  return llvm::count_if(value.getUses(), [&](OpOperand &use) {
           return getUser(use).has_value();
         }) == 1;
}

unsigned FusionPlan::getNumLoops(Operation *op) const {
  if (isStored(op))
    return 1;
  // Products read through views each for itself.
  size_t number = clusters.lookup(op).size();
  return number != 0 ? number
                     : std::max<size_t>(llvm::range_size(op->getUses()), 1);
}

bool FusionPlan::isInlined(Operation *op) const {
  if (isGenerated(op) || isa<BroadcastInDimOp>(op))
    return true;
  return !isStored(op);
}

void FusionPlan::visitOps(ArrayRef<Operation *> ops) {
  findRecomputable(ops);
  for (Operation *op : llvm::reverse(ops)) {
    if (isFusible(op)) {
      visitFusible(*op);
      continue;
    }
    if (isa<ReduceOp>(op)) {
      clusters[op] = {op};
      continue;
    }
    if (isa<WhileOp, CaseOp, IfOp>(op))
      for (Region &region : op->getRegions())
        for (Block &nested : region)
          visitOps(Kernel::ofBlock(nested).ops);
  }
}

//===----------------------------------------------------------------------===//
// What may be computed again
//===----------------------------------------------------------------------===//

/// The most steps that are repeated, and the most tensors they are made from.
static constexpr unsigned kMaxSteps = 64;
static constexpr size_t kMaxSources = 8;

namespace {
/// What a value is computed from, element by element.
struct Origin {
  SmallVector<Value, 4> sources;
  unsigned numSteps = 0;
};
} // namespace

static unsigned getNumSteps(Operation &op) {
  if (isa<IntegerType>(getElementTypeOrSelf(op.getResult(0))))
    return 1;
  if (isa<Atan2Op, CbrtOp, CosineOp, ExpOp, Expm1Op, Log1pOp, LogOp, LogisticOp,
          PowOp, SineOp, TanOp, TanhOp>(op))
    return 8;
  return isa<DivOp, RemOp, RsqrtOp, SqrtOp>(op) ? 4 : 1;
}

/// The sources of all operands together.
static Origin join(Operation &op,
                   const llvm::DenseMap<Value, Origin> &origins) {
  Origin joined;
  joined.numSteps = isScalarOp(&op) ? getNumSteps(op) : 0;
  for (Value operand : op.getOperands()) {
    auto known = origins.find(operand);
    if (known == origins.end()) {
      if (!llvm::is_contained(joined.sources, operand))
        joined.sources.push_back(operand);
      continue;
    }
    joined.numSteps += known->second.numSteps;
    for (Value source : known->second.sources)
      if (!llvm::is_contained(joined.sources, source))
        joined.sources.push_back(source);
  }
  return joined;
}

/// An operation that is made from much, or in many steps, is where others
/// begin. So is the one that follows, if it is the only one: nothing is won
/// when the first is stored in its place.
void FusionPlan::findRecomputable(ArrayRef<Operation *> ops) {
  llvm::DenseMap<Value, Origin> origins;
  llvm::DenseSet<Value> ends;
  for (Operation *each : ops) {
    Operation &op = *each;
    if (isGenerated(&op)) {
      origins[op.getResult(0)] = {};
      continue;
    }
    if (isView(&op)) {
      // What is read in part, or many times, is stored itself.
      Operation *viewed = op.getOperand(0).getDefiningOp();
      bool isSeenThrough =
          viewed && (isBijective(&op) || isView(viewed) || isGenerated(viewed));
      origins[op.getResult(0)] =
          isSeenThrough ? join(op, origins) : Origin{{op.getOperand(0)}, 0};
      continue;
    }
    if (!isScalarOp(&op))
      continue;
    Origin origin = join(op, origins);
    uint64_t numBytes = 0;
    for (Value source : origin.sources)
      numBytes += getNumBytes(source.getType());
    bool isEnd = origin.numSteps > kMaxSteps ||
                 origin.sources.size() > kMaxSources ||
                 4 * numBytes > 5 * getNumBytes(op.getResult(0).getType()) ||
                 llvm::any_of(op.getOperands(), [&](Value operand) {
                   return ends.contains(operand) && hasOneUse(operand);
                 });
    if (isEnd) {
      ends.insert(op.getResult(0));
      continue;
    }
    recomputable.insert(&op);
    origins[op.getResult(0)] = std::move(origin);
  }
}

//===----------------------------------------------------------------------===//
// Clusters
//===----------------------------------------------------------------------===//

/// Whether the use reads elements of the result through views by itself.
static bool readsThroughViews(OpOperand &use) {
  return isa<DotGeneralOp, DotOp>(use.getOwner());
}

bool FusionPlan::addClusters(OpOperand &use, int64_t rank, Roots &roots) const {
  Operation *user = *getUser(use);
  auto known = clusters.find(user);
  if (!user || user->getBlock() != use.get().getParentBlock() ||
      known == clusters.end() || known->second.empty())
    return false;
  if (auto reduce = dyn_cast<ReduceOp>(user)) {
    if (use.getOperandNumber() >= reduce.getInputs().size())
      return false;
  } else if (isView(user)) {
    // A view that is stored is a root; the clusters of one that is not are
    // those of its users.
    if (!isBijective(user))
      return false;
  } else if (getType(user->getResult(0)).getRank() != rank) {
    return false;
  }
  for (Operation *root : known->second)
    if (!llvm::is_contained(roots, root))
      roots.push_back(root);
  return true;
}

FusionPlan::Roots FusionPlan::getClusters(Operation &op) const {
  Roots roots;
  int64_t rank = getType(op.getResult(0)).getRank();
  for (OpOperand &use : op.getUses())
    if (getUser(use) && !addClusters(use, rank, roots))
      return {};
  return roots;
}

void FusionPlan::visitFusible(Operation &op) {
  Roots roots = getClusters(op);
  if (isScalarOp(&op)) {
    bool joins =
        roots.size() == 1 || (roots.size() > 1 && recomputable.contains(&op));
    joins &= llvm::all_of(roots, [&](Operation *root) {
      return clusterSizes.lookup(root) < kMaxClusterSize;
    });
    if (joins)
      unstored.insert(&op);
    else
      roots = {&op};
    for (Operation *root : roots)
      clusterSizes[root] += getClusterSize(op);
    clusters[&op] = std::move(roots);
    return;
  }
  // Views and generated values are stored for users that need a tensor.
  bool needsTensor = llvm::any_of(op.getUses(), [&](OpOperand &use) {
    std::optional<Operation *> seen = getUser(use);
    if (!seen || !*seen)
      return seen.has_value();
    Operation *user = *seen;
    // Computations on single elements see tensors of their surroundings.
    if (!isPlannedBlock(user->getBlock()))
      return !isa<ConstantOp>(op);
    if (isView(user) || isScalarOp(user))
      return false;
    if (auto reduce = dyn_cast<ReduceOp>(user))
      return use.getOperandNumber() >= reduce.getInputs().size();
    return !(isView(&op) && readsThroughViews(use));
  });
  if (needsTensor) {
    clusters[&op] = {&op};
    return;
  }
  unstored.insert(&op);
  clusters[&op] = std::move(roots);
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// Whether each dimension of the loop nest is one of a map by itself, from
/// which its size is known.
static bool areInvertible(ArrayRef<AffineMap> maps) {
  llvm::SmallBitVector found(maps[0].getNumDims());
  for (AffineMap map : maps)
    for (AffineExpr expr : map.getResults())
      if (auto dim = dyn_cast<AffineDimExpr>(expr))
        found.set(dim.getPosition());
  return found.all();
}

/// Whether a dimension that is one of the loop nest by itself is as long as the
/// loop: of a slice, it may be longer.
static bool hasSizes(const ProductAccess::Operand &operand,
                     ArrayRef<int64_t> sizes) {
  return llvm::all_of(llvm::zip_equal(getType(operand.source).getShape(),
                                      operand.map.getResults()),
                      [&](auto pair) {
                        auto dim = dyn_cast<AffineDimExpr>(std::get<1>(pair));
                        return !dim ||
                               std::get<0>(pair) == sizes[dim.getPosition()];
                      });
}

namespace {
/// The loop nest of a dot_general: the result's dimensions, then those that are
/// summed over.
struct DotLoops {
  SmallVector<AffineExpr> lhs, rhs;
  int64_t numDims = 0;

  DotLoops(DotDimensionNumbersAttr numbers, int64_t lhsRank, int64_t rhsRank,
           MLIRContext *context)
      : lhs(lhsRank), rhs(rhsRank) {
    auto next = [&] { return getAffineDimExpr(numDims++, context); };
    for (auto [l, r] : llvm::zip_equal(numbers.getLhsBatchingDimensions(),
                                       numbers.getRhsBatchingDimensions()))
      lhs[l] = rhs[r] = next();
    for (int64_t d = 0; d < lhsRank; ++d)
      if (!lhs[d] &&
          !llvm::is_contained(numbers.getLhsContractingDimensions(), d))
        lhs[d] = next();
    for (int64_t d = 0; d < rhsRank; ++d)
      if (!rhs[d] &&
          !llvm::is_contained(numbers.getRhsContractingDimensions(), d))
        rhs[d] = next();
    for (auto [l, r] : llvm::zip_equal(numbers.getLhsContractingDimensions(),
                                       numbers.getRhsContractingDimensions()))
      lhs[l] = rhs[r] = next();
  }
};
} // namespace

static DotDimensionNumbersAttr getNumbers(Operation *product) {
  if (auto dot = dyn_cast<DotGeneralOp>(product))
    return dot.getDotDimensionNumbers();
  int64_t lhsRank = getType(product->getOperand(0)).getRank();
  return DotDimensionNumbersAttr::get(product->getContext(), {}, {},
                                      {lhsRank - 1}, {0});
}

ProductAccess::ProductAccess(Operation *product, const FusionPlan &plan) {
  MLIRContext *context = product->getContext();
  Value values[] = {product->getOperand(0), product->getOperand(1)};
  DotLoops loops(getNumbers(product), getType(values[0]).getRank(),
                 getType(values[1]).getRank(), context);
  resultMap = AffineMap::getMultiDimIdentityMap(loops.numDims, context)
                  .getSliceMap(0, getType(product->getResult(0)).getRank());
  SmallVector<int64_t> sizes(loops.numDims);
  auto read = [&](Value value, ArrayRef<AffineExpr> exprs) {
    for (auto [expr, size] : llvm::zip_equal(exprs, getType(value).getShape()))
      sizes[cast<AffineDimExpr>(expr).getPosition()] = size;
    Operand operand = {value, AffineMap::get(loops.numDims, 0, exprs, context)};
    for (Operation *op = value.getDefiningOp();
         op && isView(op) && plan.isInlined(op);
         op = operand.source.getDefiningOp())
      operand = {op->getOperand(0), getViewMap(op, operand.map)};
    return operand;
  };
  lhs = read(values[0], loops.lhs);
  rhs = read(values[1], loops.rhs);
  if (areInvertible({lhs.map, rhs.map, resultMap}) && hasSizes(lhs, sizes) &&
      hasSizes(rhs, sizes))
    return;
  lhs = {values[0], AffineMap::get(loops.numDims, 0, loops.lhs, context)};
  rhs = {values[1], AffineMap::get(loops.numDims, 0, loops.rhs, context)};
}
