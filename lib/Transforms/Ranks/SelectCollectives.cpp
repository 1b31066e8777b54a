//===- SelectCollectives.cpp - An algorithm for each communication --------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All members of a group must decide alike, and they are in different
// functions. So an algorithm follows from nothing but the mesh, the axes and
// the sizes, which all of them have; where the axes make several groups, from
// the slowest. A bucket is decided once for all members, on the streams that
// hetero-verify compares.

#include "hetero/Analysis/ClusterValue.h"
#include "hetero/Analysis/RankPrograms.h"
#include "hetero/CostModel/CostModel.h"
#include "hetero/Transforms/Ranks/Passes.h"
#include "hetero/Transforms/Ranks/RankSteps.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace hetero {
#define GEN_PASS_DEF_SELECTCOLLECTIVESPASS
#include "hetero/Transforms/Ranks/Passes.h.inc"
} // namespace hetero

using namespace mlir;
using namespace hetero;
using ranks::Programs;
using ranks::RankSteps;
using ranks::Step;
using ranks::Stream;

//===----------------------------------------------------------------------===//
// Times
//===----------------------------------------------------------------------===//

namespace {
/// What transfers take; without a cluster, sizes alone decide.
class Times {
public:
  explicit Times(std::optional<cluster::Cluster> cluster)
      : cluster(std::move(cluster)) {}

  /// The algorithm of a collective of `members` with these shards (all-gather,
  /// reduce-scatter) or one tensor (all-reduce).
  Algorithm choose(MeshOp mesh, ArrayAttr axes, bool isAllReduce,
                   ArrayRef<Bytes> shards);
  /// Whether it pays to add `more` to a transfer of `bytes`, if `packed` bytes
  /// have to be packed for that.
  bool isWorthJoining(ArrayRef<int64_t> group, bool isAllReduce, Bytes bytes,
                      Bytes more, Bytes packed) const;

private:
  ArrayRef<cost::Group> getGroups(MeshOp mesh, ArrayAttr axes);
  static Time getTime(const cost::Group &group, bool isAllReduce,
                      ArrayRef<Bytes> shards, Algorithm algorithm) {
    return isAllReduce ? cost::allReduceTime(group, shards.front(), algorithm)
                       : cost::allGatherTime(group, shards, algorithm);
  }

  std::optional<cluster::Cluster> cluster;
  std::map<std::pair<void *, void *>, std::vector<cost::Group>> groups;
};
} // namespace

/// The groups of a mesh along some axes, as the cost model sees them.
ArrayRef<cost::Group> Times::getGroups(MeshOp mesh, ArrayAttr axes) {
  std::vector<cost::Group> &list = groups[{
      mesh.getOperation(), const_cast<void *>(axes.getAsOpaquePointer())}];
  if (!list.empty())
    return list;
  int64_t numDevices = cluster->devices.size();
  for (int64_t device : mesh.getDevices()) {
    SmallVector<int64_t> group = mesh.getGroup(device, axes);
    bool known = llvm::all_of(
        group, [&](int64_t rank) { return rank >= 0 && rank < numDevices; });
    if (!group.empty() && group.front() == device && known)
      list.push_back(cost::makeGroup(*cluster, group));
  }
  return list;
}

Algorithm Times::choose(MeshOp mesh, ArrayAttr axes, bool isAllReduce,
                        ArrayRef<Bytes> shards) {
  bool even = llvm::all_equal(shards);
  if (!cluster) {
    if (isAllReduce || even)
      return Algorithm::Auto;
    // Padded while it moves at most a quarter more.
    Bytes total, largest;
    for (Bytes shard : shards) {
      total += shard;
      largest = std::max(largest, shard);
    }
    int64_t members = shards.size();
    return (largest * members - total) * 4 <= total ? Algorithm::Padded
                                                    : Algorithm::Grouped;
  }
  ArrayRef<cost::Group> list = getGroups(mesh, axes);
  if (list.empty() || list.front().members <= 1)
    return Algorithm::Auto;
  SmallVector<Algorithm> candidates;
  if (isAllReduce || even)
    candidates.push_back(Algorithm::Ring);
  if (isAllReduce) {
    candidates.push_back(Algorithm::Tree);
    if (llvm::any_of(list, [](const cost::Group &group) {
          return group.nodes > 1 && group.mostInNode > 1;
        }))
      candidates.push_back(Algorithm::Hierarchical);
  } else if (!even) {
    candidates = {Algorithm::Padded, Algorithm::Grouped};
  }
  std::optional<Time> best;
  Algorithm chosen = candidates.front();
  for (Algorithm candidate : candidates) {
    Time slowest;
    for (const cost::Group &group : list)
      slowest =
          std::max(slowest, getTime(group, isAllReduce, shards, candidate));
    if (!best || slowest < *best) {
      best = slowest;
      chosen = candidate;
    }
  }
  return chosen;
}

bool Times::isWorthJoining(ArrayRef<int64_t> group, bool isAllReduce,
                           Bytes bytes, Bytes more, Bytes packed) const {
  // Without a cluster, as is usual elsewhere: small ones, up to a limit.
  constexpr int64_t small = 1 << 20, limit = 1 << 25;
  if (!cluster)
    return packed.count() <= 2 * small && more.count() <= small &&
           (bytes + more).count() <= limit;
  for (int64_t rank : group)
    if (rank < 0 || rank >= int64_t(cluster->devices.size()))
      return false;
  cost::Group members = cost::makeGroup(*cluster, group);
  auto timeOf = [&](Bytes amount) {
    return isAllReduce
               ? cost::chooseAllReduce(members, amount).time
               : cost::allGatherTime(members, {amount}, Algorithm::Ring);
  };
  // What is joined is packed and unpacked: read and written twice.
  Time packing;
  for (int64_t rank : group)
    packing =
        std::max(packing, (packed * 4) / cluster->classOf(rank).bandwidth);
  return timeOf(bytes) + timeOf(more) > timeOf(bytes + more) + packing;
}

//===----------------------------------------------------------------------===//
// Algorithms
//===----------------------------------------------------------------------===//

/// The bytes that each member of an all-gather or reduce-scatter has.
static SmallVector<Bytes> getShards(SplitAttr split, RankedTensorType whole) {
  SmallVector<Bytes> shards;
  int64_t length = split.getLength();
  int64_t bytes = getByteSize(whole).value_or(0);
  for (size_t i = 0; i < split.getSizes().size(); ++i)
    shards.push_back(
        Bytes(length == 0 ? 0 : bytes / length * split.getLength(i)));
  return shards;
}

namespace {
struct SelectCollectivesPass
    : public hetero::impl::SelectCollectivesPassBase<SelectCollectivesPass> {
  using SelectCollectivesPassBase::SelectCollectivesPassBase;
  void runOnOperation() override;

private:
  void selectAlgorithms(Times &times);
  void formBuckets(const Programs &programs, const Times &times);
  bool joins(const Programs &programs, const Stream &stream, size_t begin,
             size_t end);
  void makeBucket(const Programs &programs, const Stream &stream, size_t begin,
                  size_t end);
  void startEarly(const Programs &programs);

  int64_t nextBucket = 0;
};
} // namespace

void SelectCollectivesPass::selectAlgorithms(Times &times) {
  SymbolTableCollection symbols;
  getOperation().walk([&](CommunicationOpInterface op) {
    if (!isa<AllReduceOp, AllGatherOp, ReduceScatterOp>(op.getOperation()))
      return;
    auto given = op->getAttrOfType<AlgorithmAttr>("algorithm");
    if (given && given.getValue() != Algorithm::Auto)
      return;
    auto mesh = symbols.lookupNearestSymbolFrom<MeshOp>(op, op.getGroupMesh());
    SmallVector<Bytes> shards;
    if (auto gather = dyn_cast<AllGatherOp>(op.getOperation()))
      shards = getShards(
          gather.getSplit(),
          cast<RankedTensorType>(getAwaitedType(gather.getResult().getType())));
    else if (auto scatter = dyn_cast<ReduceScatterOp>(op.getOperation()))
      shards = getShards(scatter.getSplit(), scatter.getOperand().getType());
    else
      shards = {
          Bytes(getByteSize(cast<RankedTensorType>(op->getOperand(0).getType()))
                    .value_or(0))};
    Algorithm algorithm = times.choose(
        mesh, op.getGroupAxes(), isa<AllReduceOp>(op.getOperation()), shards);
    op->setAttr("algorithm", AlgorithmAttr::get(&getContext(), algorithm));
    ++numSelected;
  });
}

//===----------------------------------------------------------------------===//
// Buckets
//===----------------------------------------------------------------------===//

/// Whether the parts of a collective do not follow each other.
static bool isWide(Operation *op) {
  auto split = op->getAttrOfType<SplitAttr>("split");
  return split && split.getOuter() != 1;
}

/// Whether two collectives may be one transfer.
static bool isAlike(Operation *op, Operation *other) {
  return op->getName() == other->getName() &&
         isa<AllReduceOp, ReduceScatterOp, AllGatherOp>(op) && !isWide(op) &&
         !isWide(other) && !op->hasAttr("bucket") &&
         !other->hasAttr("bucket") &&
         op->getAttr("mesh") == other->getAttr("mesh") &&
         op->getAttr("axes") == other->getAttr("axes") &&
         op->getAttr("reduction") == other->getAttr("reduction") &&
         isa<RankedTensorType>(op->getResult(0).getType()) &&
         isa<RankedTensorType>(other->getResult(0).getType());
}

/// Whether `next` can follow `members` at once: what stands between could stand
/// before all of them.
static bool canMoveTogether(ArrayRef<Operation *> members, Operation *next) {
  if (members.back()->getBlock() != next->getBlock())
    return false;
  DenseSet<Operation *> joined(members.begin(), members.end());
  for (Operation *op = members.front()->getNextNode(); op;
       op = op->getNextNode()) {
    if (joined.contains(op))
      continue;
    for (Value operand : op->getOperands())
      if (operand.getDefiningOp() && joined.contains(operand.getDefiningOp()))
        return false;
    if (op == next)
      return true;
    if (!isPure(op) || op->getNumRegions() != 0)
      return false;
  }
  return false;
}

/// Whether the collective at `end` can be one transfer with those from `begin`
/// on, on every member.
bool SelectCollectivesPass::joins(const Programs &programs,
                                  const Stream &stream, size_t begin,
                                  size_t end) {
  for (auto [member, steps] : llvm::enumerate(stream.steps)) {
    const RankSteps &rank = programs.ranks.at(stream.group[member]);
    if (end >= steps.size())
      return false;
    const Step &first = rank.steps[steps[begin]],
               &next = rank.steps[steps[end]];
    SmallVector<Operation *> members;
    for (size_t i = begin; i < end; ++i)
      members.push_back(rank.steps[steps[i]].op);
    ProgramAttr program = getProgram(rank.function);
    // In a unit that is called twice a bucket would come twice.
    if (first.call || next.call || program.getRanks().size() != 1 ||
        !isAlike(first.op, next.op) || !canMoveTogether(members, next.op))
      return false;
  }
  return true;
}

void SelectCollectivesPass::makeBucket(const Programs &programs,
                                       const Stream &stream, size_t begin,
                                       size_t end) {
  auto number = Builder(&getContext()).getI64IntegerAttr(nextBucket++);
  for (auto [member, steps] : llvm::enumerate(stream.steps)) {
    const RankSteps &rank = programs.ranks.at(stream.group[member]);
    Operation *first = rank.steps[steps[begin]].op;
    for (size_t i = begin; i < end; ++i) {
      Operation *op = rank.steps[steps[i]].op;
      op->setAttr("bucket", number);
      if (i == begin)
        continue;
      // What stands between goes before all of them.
      Operation *before = rank.steps[steps[i - 1]].op;
      while (before->getNextNode() != op)
        before->getNextNode()->moveBefore(first);
    }
  }
  ++numBuckets;
  numJoined += end - begin;
}

void SelectCollectivesPass::formBuckets(const Programs &programs,
                                        const Times &times) {
  for (const Stream &stream : programs.streams) {
    if (stream.isMessage || stream.group.size() < 2 ||
        !llvm::all_of(stream.group,
                      [&](int64_t rank) { return programs.ranks.count(rank); }))
      continue;
    ArrayRef<size_t> steps = stream.steps.front();
    const RankSteps &rank = programs.ranks.at(stream.group.front());
    auto bytesOf = [&](size_t i) {
      Operation *op = rank.steps[steps[i]].op;
      auto type = cast<RankedTensorType>(isa<AllGatherOp>(op)
                                             ? op->getResult(0).getType()
                                             : op->getOperand(0).getType());
      return Bytes(getByteSize(type).value_or(0));
    };
    for (size_t begin = 0; begin < steps.size();) {
      size_t end = begin + 1;
      bool isAllReduce = isa<AllReduceOp>(rank.steps[steps[begin]].op);
      Bytes bytes;
      if (joins(programs, stream, begin, end))
        bytes = bytesOf(begin);
      while (end < steps.size() && joins(programs, stream, begin, end) &&
             times.isWorthJoining(
                 stream.group, isAllReduce, bytes, bytesOf(end),
                 end == begin + 1 ? bytes + bytesOf(end) : bytesOf(end)))
        bytes += bytesOf(end++);
      if (end - begin > 1)
        makeBucket(programs, stream, begin, end);
      begin = end;
    }
  }
}

//===----------------------------------------------------------------------===//
// Overlap
//===----------------------------------------------------------------------===//

/// The first operation of the same block that uses a result of `op`.
static Operation *getFirstUse(Operation *op) {
  Operation *first = nullptr;
  for (Operation *inner : op->getUsers()) {
    Operation *user = op->getBlock()->findAncestorOpInBlock(*inner);
    if (user && (!first || user->isBeforeInBlock(first)))
      first = user;
  }
  return first;
}

/// A collective of a rank program that other work lies behind goes on during
/// that work. Starting it never waits, so no cycle of waits can come of it, and
/// the order on its channel stays as it is.
void SelectCollectivesPass::startEarly(const Programs &programs) {
  for (auto &[number, rank] : programs.ranks)
    for (const Step &step : rank.steps) {
      Operation *op = step.op;
      if (step.call || !isa<AllReduceOp, ReduceScatterOp, AllGatherOp>(op) ||
          op->hasAttr("bucket") || op->getNumResults() != 1)
        continue;
      Value result = op->getResult(0);
      Operation *use = getFirstUse(op);
      if (!isa<RankedTensorType>(result.getType()) || !use || isWide(op))
        continue;
      bool anyWork = false;
      for (Operation *at = op->getNextNode(); at && at != use;
           at = at->getNextNode())
        anyWork |= isa<func::CallOp>(at);
      if (!anyWork)
        continue;
      OpBuilder builder(use);
      Type type = result.getType();
      result.setType(HandleType::get(&getContext(), type));
      auto wait =
          WaitOp::create(builder, op->getLoc(), TypeRange(type), result);
      result.replaceAllUsesExcept(wait.getValue(), wait);
      ++numStarted;
    }
}

void SelectCollectivesPass::runOnOperation() {
  ModuleOp module = getOperation();
  std::optional<cluster::Cluster> cluster;
  auto clusters = module.getOps<ClusterOp>();
  if (!clusters.empty()) {
    FailureOr<cluster::Cluster> value = getCluster(*clusters.begin());
    if (failed(value))
      return signalPassFailure();
    cluster = std::move(*value);
  }
  Times times(std::move(cluster));
  selectAlgorithms(times);
  FailureOr<std::unique_ptr<Programs>> programs = Programs::read(module);
  if (failed(programs))
    return signalPassFailure();
  for (auto &[number, rank] : (*programs)->ranks)
    for (const Step &step : rank.steps)
      if (auto bucket = step.op->getAttrOfType<IntegerAttr>("bucket");
          bucket && step.isCommunication())
        nextBucket = std::max(nextBucket, bucket.getInt() + 1);
  if (buckets)
    formBuckets(**programs, times);
  if (overlap)
    startEarly(**programs);
}
