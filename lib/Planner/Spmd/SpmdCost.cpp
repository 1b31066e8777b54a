//===- SpmdCost.cpp - What steps of an SPMD program take ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Planner/Spmd/SpmdCost.h"
#include "hetero/Solver/LinearProgram.h"
#include "llvm/ADT/STLExtras.h"
#include <cmath>
#include <tuple>

using namespace llvm;
using namespace hetero;
using namespace hetero::planner;
using solver::infinity;

bool Collective::operator<(const Collective &other) const {
  return std::tie(kind, bytes, from, to, sameUnits) <
         std::tie(other.kind, other.bytes, other.from, other.to,
                  other.sameUnits);
}

std::vector<int64_t> hetero::planner::divideUnits(int64_t units,
                                                  ArrayRef<double> shares) {
  std::vector<int64_t> rows;
  std::vector<std::pair<double, int64_t>> remainders;
  int64_t left = units;
  for (auto [index, share] : enumerate(shares)) {
    double exact = share * double(units);
    auto whole = int64_t(std::floor(exact + 1e-9));
    rows.push_back(std::min(whole, left));
    left -= rows.back();
    remainders.emplace_back(double(whole) - exact, index);
  }
  llvm::sort(remainders);
  for (size_t i = 0; left > 0; i = (i + 1) % remainders.size(), --left)
    ++rows[remainders[i].second];
  return rows;
}

SpmdCost::SpmdCost(const cluster::Cluster &cluster, ArrayRef<int64_t> devices,
                   SegmentShares shares)
    : cluster(cluster), devices(devices.vec()), shares(std::move(shares)),
      group(cost::makeGroup(cluster, devices)) {}

const SpmdCost::Division &SpmdCost::divide(DividedUnits divided) {
  auto [it, inserted] = divisions.try_emplace(divided);
  int64_t units = divided.units;
  Division &division = it->second;
  if (!inserted)
    return division;
  if (units == 0)
    division.parts.assign(devices.size(), 1);
  else
    for (int64_t rows : divideUnits(units, sharesOf(divided.segment)))
      division.parts.push_back(double(rows) / double(units));
  for (auto [device, part] : zip_equal(devices, division.parts)) {
    double &most = division.mostOfClass[cluster.devices[device].deviceClass];
    most = std::max(most, part);
  }
  return division;
}

ArrayRef<double> SpmdCost::partsOf(DividedUnits units) {
  return divide(units).parts;
}

double SpmdCost::mostOf(DividedUnits units, int64_t deviceClass) {
  return divide(units).mostOfClass.lookup(deviceClass);
}

template <typename T>
static void appendKey(std::string &key, const T &value) {
  key.append(reinterpret_cast<const char *>(&value), sizeof(value));
}

/// The same for operations that cost the same.
static std::string getCostKey(const GraphOp &op) {
  std::string key;
  appendKey(key, op.bytes.count());
  appendKey(key, op.fused);
  for (const auto &[type, work] : op.work) {
    key += type;
    appendKey(key, work.count());
  }
  key += '|';
  for (const auto &[deviceClass, time] : op.times) {
    key += deviceClass;
    appendKey(key, time.count());
  }
  return key;
}

/// The same with overhead.
static double timeOfPart(const cluster::DeviceClass &deviceClass,
                         const GraphOp &op, double part) {
  auto measured = op.times.find(deviceClass.name);
  if (measured != op.times.end())
    return toSeconds(measured->second) * part;
  cost::Operations operation;
  for (const auto &[type, work] : op.work)
    operation.work[type] = Work::nearest(double(work.count()) * part);
  operation.bytes = Bytes::nearest(double(op.bytes.count()) * part);
  operation.count = op.fused ? 0 : 1;
  return toSeconds(cost::operationTime(deviceClass, operation));
}

double hetero::planner::timeOfWork(const cluster::DeviceClass &deviceClass,
                                   const GraphOp &op, double part) {
  double overhead =
      op.times.count(deviceClass.name) ? 0 : toSeconds(deviceClass.overhead);
  return std::max(0.0, timeOfPart(deviceClass, op, part) - overhead);
}

/// Reshapes and the like take no time at all.
static bool isFree(const GraphOp &op) {
  return op.work.empty() && op.bytes == Bytes(0) && op.times.empty();
}

SpmdCost SpmdCost::forAnyShares(const cluster::Cluster &cluster,
                                ArrayRef<int64_t> devices, bool spreads) {
  SpmdCost cost(cluster, devices,
                std::vector<double>(devices.size(), 1.0 / devices.size()));
  cost.anyShares = true;
  cost.spreads = spreads;
  return cost;
}

/// For given shares, some class has at least its share in any division, because
/// all sum to 1: no division takes less than the class that takes least for its
/// share. That is close where all take about as long.
double SpmdCost::leastTime(const GraphOp &op) {
  struct Part {
    const cluster::DeviceClass &kind;
    double count, share, time;
  };
  SmallVector<Part, 4> parts;
  double n = devices.size();
  for (auto [index, all] : divide({}).mostOfClass) {
    double count = llvm::count_if(devices, [&, kind = index](int64_t device) {
      return cluster.devices[device].deviceClass == kind;
    });
    parts.push_back({cluster.classes[index], count, 1 / n, 0});
  }
  double best = 0;
  for (int round = 0; round < 4; ++round) {
    double least = infinity, speed = 0;
    for (Part &part : parts) {
      part.time = timeOfPart(part.kind, op, part.share);
      least = std::min(least, part.time);
      speed += part.count * part.share / std::max(part.time, 1e-300);
    }
    best = std::max(best, least);
    for (Part &part : parts)
      part.share = part.share / std::max(part.time, 1e-300) / speed;
  }
  return best;
}

double SpmdCost::operationTime(const GraphOp &op, DividedUnits units) {
  if (isFree(op))
    return 0;
  // All numbers of units have the same bound.
  if (anyShares && units.units > 0)
    units.units = 1;
  std::string key = getCostKey(op);
  appendKey(key, units.units);
  appendKey(key, units.segment);
  auto [it, inserted] = operations.try_emplace(key, 0);
  if (!inserted)
    return it->second;
  if (anyShares && units.units > 0)
    return it->second = leastTime(op);
  double slowest = 0;
  for (auto [deviceClass, part] : divide(units).mostOfClass)
    if (part > 0)
      slowest =
          std::max(slowest, timeOfPart(cluster.classes[deviceClass], op, part));
  return it->second = slowest;
}

std::vector<Bytes> SpmdCost::partsOf(Bytes bytes, DividedUnits units) {
  std::vector<Bytes> shards;
  // Equal shards take least.
  if (anyShares)
    return std::vector<Bytes>(devices.size(),
                              Bytes(bytes.count() / int64_t(devices.size())));
  for (double part : partsOf(units))
    shards.push_back(Bytes::nearest(double(bytes.count()) * part));
  return shards;
}

/// Every device sends what it has to those that want it. Of other units that is
/// a part of what it has; of the same ones, in the same order, what it has and
/// others get.
double SpmdCost::timeExchange(const Collective &collective) {
  auto bytes = double(collective.bytes.count());
  // One device has at least 1 of n parts before, and by rounding at most 1 of n
  // more than half of all afterwards.
  if (anyShares) {
    auto n = double(devices.size());
    Bytes least =
        Bytes::nearest(spreads ? bytes / n * std::max(0.0, 0.5 - 1 / n) : 0.0);
    std::vector<Bytes> sent(devices.size(), least);
    return toSeconds(cost::chooseAllToAll(group, sent, sent).time);
  }
  ArrayRef<double> from = partsOf(collective.from), to = partsOf(collective.to);
  std::vector<Bytes> sent, received;
  double had = 0, got = 0;
  bool moves = false;
  for (auto [have, want] : zip_equal(from, to)) {
    double kept = have * want;
    if (collective.sameUnits)
      kept =
          std::max(0.0, std::min(had + have, got + want) - std::max(had, got));
    had += have;
    got += want;
    sent.push_back(Bytes::nearest(bytes * std::max(0.0, have - kept)));
    received.push_back(Bytes::nearest(bytes * std::max(0.0, want - kept)));
    moves |= sent.back() != Bytes(0) || received.back() != Bytes(0);
  }
  if (collective.sameUnits && !moves)
    return 0;
  return toSeconds(cost::chooseAllToAll(group, sent, received).time);
}

double SpmdCost::timeCollective(const Collective &collective) {
  Bytes bytes = collective.bytes;
  switch (collective.kind) {
  case CollectiveKind::AllReduce:
    return toSeconds(cost::chooseAllReduce(group, bytes).time);
  case CollectiveKind::AllGather:
    return toSeconds(
        cost::chooseAllGather(group, partsOf(bytes, collective.from)).time);
  case CollectiveKind::ReduceScatter:
    return toSeconds(
        cost::chooseAllGather(group, partsOf(bytes, collective.to)).time);
  case CollectiveKind::AllToAll:
    return timeExchange(collective);
  case CollectiveKind::Broadcast:
    break;
  }
  llvm_unreachable("no change of form broadcasts");
}

double SpmdCost::collectiveTime(const Collective &collective) {
  auto [it, inserted] = collectives.try_emplace(collective, 0);
  if (inserted)
    it->second = timeCollective(collective);
  return it->second;
}

std::optional<Collective>
hetero::planner::getCollective(Bytes bytes, ArrayRef<TensorSplit> splits,
                               int from, int to) {
  auto splitOf = [&](int which) -> const TensorSplit & {
    return splits[which - form::firstSplit];
  };
  auto unitsOf = [&](int which) { return splitOf(which).getUnits(); };
  if (from == to || from == form::replicated)
    return std::nullopt;
  if (!form::isSplit(from)) {
    if (to == form::replicated)
      return Collective{CollectiveKind::AllReduce, bytes};
    return Collective{CollectiveKind::ReduceScatter, bytes, {}, unitsOf(to)};
  }
  if (to == form::replicated)
    return Collective{CollectiveKind::AllGather, bytes, unitsOf(from)};
  return Collective{CollectiveKind::AllToAll, bytes, unitsOf(from), unitsOf(to),
                    splitOf(from).isAlong(splitOf(to))};
}

/// Whether one collective, or none, changes `from` to `to`.
static bool isDirect(int from, int to) {
  if (from == to || to == form::replicated)
    return true;
  if (to == form::pending)
    return false;
  if (to == form::partial)
    return from == form::replicated;
  return true;
}

FormChanges SpmdCost::findChanges(Bytes bytes, ArrayRef<TensorSplit> splits) {
  FormChanges changes;
  int numForms = changes.numForms = form::firstSplit + splits.size();
  changes.times.assign(numForms * numForms, infinity);
  changes.via.assign(numForms * numForms, -1);
  for (int from = 0; from < numForms; ++from)
    for (int to = 0; to < numForms; ++to)
      if (isDirect(from, to)) {
        std::optional<Collective> collective =
            getCollective(bytes, splits, from, to);
        changes.times[from * numForms + to] =
            collective ? collectiveTime(*collective) : 0;
      }
  for (int middle = 0; middle < numForms; ++middle)
    for (int from = 0; from < numForms; ++from)
      for (int to = 0; to < numForms; ++to) {
        double time = changes.time(from, middle) + changes.time(middle, to);
        if (time < changes.time(from, to)) {
          changes.times[from * numForms + to] = time;
          changes.via[from * numForms + to] = middle;
        }
      }
  return changes;
}

/// Tensors of equal size whose splits have the same key change their forms in
/// the same time.
static void appendSplits(std::string &key, ArrayRef<TensorSplit> splits) {
  for (auto [index, split] : enumerate(splits)) {
    appendKey(key, split.units);
    if (split.segment == 0)
      continue;
    // Which of the splits before it divides the same units.
    size_t same = 0;
    while (!splits[same].isAlong(split))
      ++same;
    appendKey(key, -split.segment);
    appendKey(key, same);
  }
  key += '|';
}

const FormChanges &SpmdCost::changesOf(Bytes bytes,
                                       ArrayRef<TensorSplit> splits) {
  std::string key;
  appendKey(key, bytes.count());
  appendSplits(key, splits);
  auto [it, inserted] = changes.try_emplace(key);
  if (inserted)
    it->second = findChanges(bytes, splits);
  return it->second;
}

//===----------------------------------------------------------------------===//
// Kinds of operations
//===----------------------------------------------------------------------===//

OperationKinds::OperationKinds(const Graph &graph) : graph(graph) {
  std::unordered_map<std::string, int> known;
  kindOf.reserve(graph.operations.size());
  for (const GraphOp &op : graph.operations) {
    auto [it, inserted] = known.try_emplace(getCostKey(op), kinds.size());
    kindOf.push_back(it->second);
    if (inserted)
      kinds.push_back(&op);
  }
}

double hetero::planner::getWorkTime(const OperationKinds &operations,
                                    const cluster::DeviceClass &deviceClass,
                                    ArrayRef<int64_t> segments,
                                    int64_t segment) {
  std::vector<double> times;
  for (const GraphOp *op : operations.kinds)
    times.push_back(timeOfWork(deviceClass, *op, 1));
  double sum = 0;
  for (auto [index, kind] : enumerate(operations.kindOf))
    if (segments.empty() || segments[index] == segment)
      sum += times[kind];
  return sum;
}

std::vector<double> hetero::planner::getSpeedShares(
    const OperationKinds &operations, const cluster::Cluster &cluster,
    ArrayRef<int64_t> devices, ArrayRef<int64_t> segments, int64_t segment) {
  std::map<int64_t, double> speeds;
  std::vector<double> shares;
  double sum = 0;
  for (int64_t device : devices) {
    double &speed = speeds[cluster.devices[device].deviceClass];
    if (speed == 0)
      speed = 1 / std::max(getWorkTime(operations, cluster.classOf(device),
                                       segments, segment),
                           1e-12);
    shares.push_back(speed);
    sum += speed;
  }
  for (double &share : shares)
    share /= sum;
  return shares;
}

double hetero::planner::computeWorkBound(const OperationKinds &operations,
                                         const cluster::Cluster &cluster,
                                         ArrayRef<int64_t> devices) {
  std::map<int64_t, double> counts;
  for (int64_t device : devices)
    ++counts[cluster.devices[device].deviceClass];
  std::vector<double> bounds;
  for (const GraphOp *op : operations.kinds) {
    double speed = 0;
    for (auto [kind, count] : counts) {
      const cluster::DeviceClass &deviceClass = cluster.classes[kind];
      auto measured = op->times.find(deviceClass.name);
      Time time =
          measured != op->times.end()
              ? measured->second
              : cost::operationBound(deviceClass, {op->work, op->bytes});
      speed += count / std::max(1e-300, toSeconds(time));
    }
    bounds.push_back(1 / speed);
  }
  double sum = 0;
  for (int kind : operations.kindOf)
    sum += bounds[kind];
  return sum;
}
