//===- VerifyMemory.cpp - What each rank holds at every instant -----------===//
//
// Part of the hetero project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The model is that of the runtime: a value takes its bytes from the operation
// that makes it to the last one that uses it. What is being sent stays until
// the wait for it; what is being received is there from the start. An
// accumulation overwrites its accumulator if that has no other use.
//
// Inside of a unit the code generator fuses: an element-wise operation that has
// one element-wise user, a reshape and a broadcast take no memory, and keep
// what they are made of alive instead; an element-wise operation overwrites an
// operand of its size that ends there. A result of the unit takes the memory of
// an operand that no call of the unit needs afterwards, as hetero-plan-memory
// does it: new state takes the place of the old.
//
//===----------------------------------------------------------------------===//

#include "hetero/Dialect/Stablehlo.h"
#include "hetero/Transforms/Verify/Verify.h"
#include "llvm/ADT/SmallBitVector.h"
#include "llvm/Support/Format.h"

using namespace mlir;
using namespace hetero;
using namespace hetero::verify;

static int64_t getBytes(Type type) {
  if (auto handle = dyn_cast<HandleType>(type))
    type = getAwaitedType(handle);
  auto tensor = dyn_cast_or_null<RankedTensorType>(type);
  return tensor ? getByteSize(tensor).value_or(0) : 0;
}

static std::string str(int64_t bytes) {
  // Three digits are enough for a message.
  const char *units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  double amount = bytes;
  int unit = 0;
  for (; amount >= 1024 && unit < 4; ++unit)
    amount /= 1024;
  std::string text;
  llvm::raw_string_ostream os(text);
  if (unit == 0)
    os << bytes;
  else
    os << llvm::format(amount < 10    ? "%.2f"
                       : amount < 100 ? "%.1f"
                                      : "%.0f",
                       amount);
  os << " " << units[unit];
  return text;
}

//===----------------------------------------------------------------------===//
// Units
//===----------------------------------------------------------------------===//

namespace {
/// A result of a unit that takes the memory of an operand.
struct InPlace {
  unsigned operand, result;
};

/// What happens to the memory of values within a block.
struct Lifetimes {
  explicit Lifetimes(Block &block);
  /// The values that a value keeps alive: itself, or what it is fused from.
  SmallVector<Value, 2> rootsOf(Value value) const {
    auto it = roots.find(value);
    return it == roots.end() ? SmallVector<Value, 2>{value} : it->second;
  }

  DenseMap<Value, SmallVector<Value, 2>> roots;
  DenseMap<Value, Operation *> lastUse;
};

/// The memory that units need beside their operands.
class Workspaces {
public:
  explicit Workspaces(const Programs &programs);
  int64_t get(Operation *call);
  ArrayRef<InPlace> getInPlace(Operation *call);

private:
  int64_t compute(Block &block, const DenseSet<Value> &inPlace = {});
  int64_t getInner(Operation *op);
  SmallVector<InPlace> findInPlace(func::FuncOp callee);

  const Programs &programs;
  DenseMap<Operation *, int64_t> known;
  DenseMap<Operation *, SmallVector<InPlace>> inPlace;
  /// By unit: the operands that end with each of its calls.
  DenseMap<Operation *, llvm::SmallBitVector> ended;
};
} // namespace

static bool isElementwise(Operation *op) {
  return op->getNumRegions() == 0 && op->getNumResults() == 1 &&
         op->hasTrait<OpTrait::Elementwise>();
}

/// Whether `op` makes no buffer of its own.
static bool isFused(Operation *op) {
  if (isa<stablehlo::ConstantOp, stablehlo::IotaOp, stablehlo::BroadcastInDimOp,
          stablehlo::ReshapeOp>(op))
    return true;
  return isElementwise(op) && op->hasOneUse() &&
         isElementwise(*op->getUsers().begin());
}

int64_t Workspaces::getInner(Operation *op) {
  if (isa<func::CallOp>(op))
    return get(op);
  int64_t most = 0;
  for (Region &region : op->getRegions())
    for (Block &block : region)
      // Combiners of reductions work on single elements.
      if (isa<stablehlo::WhileOp, stablehlo::IfOp, stablehlo::CaseOp>(op))
        most = std::max(most, compute(block));
  return most;
}

Lifetimes::Lifetimes(Block &block) {
  constexpr size_t maxRoots = 16;
  for (Operation &op : block) {
    SmallVector<Value, 2> used;
    auto use = [&](Value value) {
      for (Value root : rootsOf(value))
        if (!llvm::is_contained(used, root))
          used.push_back(root);
    };
    op.walk([&](Operation *inner) {
      for (Value operand : inner->getOperands())
        if (operand.getParentBlock() == &block)
          use(operand);
    });
    if (isFused(&op) && used.size() <= maxRoots)
      roots[op.getResult(0)] = used;
    for (Value value : used)
      lastUse[value] = &op;
  }
}

int64_t Workspaces::compute(Block &block, const DenseSet<Value> &inPlace) {
  Lifetimes lifetimes(block);
  auto makesBuffer = [&](Value result) {
    return !lifetimes.roots.contains(result) && !inPlace.contains(result);
  };
  DenseMap<Operation *, SmallVector<Value>> ends;
  for (auto [value, op] : lifetimes.lastUse)
    if (value.getDefiningOp() && !inPlace.contains(value))
      ends[op].push_back(value);
  int64_t live = 0, most = 0;
  for (Operation &op : block) {
    int64_t made = 0, ended = 0, reused = 0;
    for (Value result : op.getResults())
      if (makesBuffer(result))
        made += getBytes(result.getType());
    for (Value value : ends.lookup(&op)) {
      int64_t bytes = getBytes(value.getType());
      ended += bytes;
      if (isElementwise(&op) && bytes == made)
        reused = made;
    }
    most = std::max(most, live + made - reused + getInner(&op));
    // What nothing uses ends at once.
    for (Value result : op.getResults())
      if (makesBuffer(result) && !lifetimes.lastUse.contains(result))
        ended += getBytes(result.getType());
    live += made - ended;
  }
  return most;
}

/// Whether `op` reads each element of `value` where it writes that of its
/// result, whatever is fused between them.
static bool readsElementwise(Operation *op, Value value,
                             const Lifetimes &lifetimes) {
  return llvm::all_of(value.getUsers(), [&](Operation *user) {
    if (user == op)
      return isElementwise(op);
    if (user->getBlock() != op->getBlock())
      return false;
    if (!lifetimes.roots.contains(user->getResult(0)))
      return user->isBeforeInBlock(op);
    return isElementwise(user) &&
           readsElementwise(op, user->getResult(0), lifetimes);
  });
}

SmallVector<InPlace> Workspaces::findInPlace(func::FuncOp callee) {
  Block &block = callee.getBody().front();
  Operation *terminator = block.getTerminator();
  Lifetimes lifetimes(block);
  SmallVector<InPlace> pairs;
  llvm::SmallBitVector free = ended.lookup(callee);
  free.resize(block.getNumArguments());
  DenseSet<Value> taken;
  for (bool elementwise : {true, false})
    for (auto [i, result] : llvm::enumerate(terminator->getOperands())) {
      Operation *op = result.getDefiningOp();
      if (!op || op->getBlock() != &block || lifetimes.roots.contains(result) ||
          taken.contains(result))
        continue;
      for (unsigned argument : free.set_bits()) {
        Value operand = block.getArgument(argument);
        Operation *last = lifetimes.lastUse.lookup(operand);
        if (operand.getType() != result.getType() || last == terminator)
          continue;
        bool fits = !last || last->isBeforeInBlock(op);
        if (elementwise)
          fits = last == op && readsElementwise(op, operand, lifetimes);
        if (!fits)
          continue;
        pairs.push_back({argument, unsigned(i)});
        free.reset(argument);
        taken.insert(result);
        break;
      }
    }
  return pairs;
}

/// Whether a use of the value other than `operand` comes no earlier than it.
/// What is being sent is in use until the wait for it.
static bool isUsedLater(OpOperand &operand) {
  auto isLater = [&](OpOperand &use) {
    return &use != &operand &&
           !use.getOwner()->isBeforeInBlock(operand.getOwner());
  };
  return llvm::any_of(operand.get().getUses(), [&](OpOperand &use) {
    if (isLater(use))
      return true;
    Operation *user = use.getOwner();
    return isa<CommunicationOpInterface>(user) &&
           llvm::any_of(user->getUses(), isLater);
  });
}

/// Finds which operands of units end with each of their calls.
Workspaces::Workspaces(const Programs &programs) : programs(programs) {
  for (auto &[number, rank] : programs.ranks)
    for (Operation &op : rank.function.getBody().front()) {
      func::FuncOp callee = programs.getCallee(&op);
      if (!callee)
        continue;
      unsigned numOperands = op.getNumOperands();
      llvm::SmallBitVector &all =
          ended.try_emplace(callee, numOperands, true).first->second;
      for (OpOperand &operand : op.getOpOperands())
        if (isUsedLater(operand))
          all.reset(operand.getOperandNumber());
    }
}

ArrayRef<InPlace> Workspaces::getInPlace(Operation *call) {
  func::FuncOp callee = programs.getCallee(call);
  if (!callee)
    return {};
  auto [it, isNew] = inPlace.try_emplace(callee);
  if (isNew)
    it->second = findInPlace(callee);
  return it->second;
}

int64_t Workspaces::get(Operation *call) {
  func::FuncOp callee = programs.getCallee(call);
  if (!callee)
    return 0;
  if (auto it = known.find(callee); it != known.end())
    return it->second;
  Block &block = callee.getBody().front();
  DenseSet<Value> results;
  for (const InPlace &pair : getInPlace(call))
    results.insert(block.getTerminator()->getOperand(pair.result));
  int64_t bytes = compute(block, results);
  known[callee] = bytes;
  return bytes;
}

//===----------------------------------------------------------------------===//
// Ranks
//===----------------------------------------------------------------------===//

namespace {
class RankMemory {
public:
  RankMemory(const RankSteps &rank, Workspaces &workspaces)
      : rank(rank), workspaces(workspaces) {}
  Peak run();

private:
  std::string describe() const;
  void findEnds();
  void hold(Value value, StringRef kind);
  void release(Value value);

  const RankSteps &rank;
  Workspaces &workspaces;
  DenseMap<Operation *, SmallVector<Value>> ends;
  DenseSet<Value> used;
  /// Values that live in the memory of another one.
  DenseMap<Value, Value> homes;
  DenseMap<Value, StringRef> held;
  std::map<StringRef, int64_t> amounts, atPeak;
  int64_t live = 0;
  Peak peak;
};
} // namespace

/// What a value is, for people.
static StringRef getKind(Value value, func::FuncOp function) {
  Operation *op = value.getDefiningOp();
  if (!op) {
    auto role = function.getArgAttrOfType<RoleAttr>(
        cast<BlockArgument>(value).getArgNumber(),
        HeteroDialect::getRoleAttrName());
    return role && role.isState() ? "state" : "inputs";
  }
  if (isa<AllGatherOp>(op))
    return "gathered";
  if (isa<RecvOp>(op))
    return "received";
  if (isa<AccumulateOp, AllReduceOp, ReduceScatterOp>(op))
    return "gradients";
  auto instruction = op->getAttrOfType<InstructionAttr>(
      HeteroDialect::getInstructionAttrName());
  if (!instruction)
    return "other values";
  switch (instruction.getKind()) {
  case InstructionKind::Forward:
    return "activations";
  case InstructionKind::Backward:
  case InstructionKind::InputGradient:
  case InstructionKind::WeightGradient:
    return "gradients";
  case InstructionKind::Update:
    return "new state";
  default:
    return "other values";
  }
}

/// Finds where each value ends, and which ones share their memory.
void RankMemory::findEnds() {
  Block &block = rank.function.getBody().front();
  DenseMap<Value, Operation *> last;
  DenseMap<Value, Value> sent; // By handle.
  auto home = [&](Value value) {
    for (auto it = homes.find(value); it != homes.end(); it = homes.find(value))
      value = it->second;
    return value;
  };
  for (Operation &op : block) {
    for (Value operand : op.getOperands()) {
      last[home(operand)] = &op;
      if (auto it = sent.find(operand); it != sent.end())
        last[home(it->second)] = &op;
    }
    if (isa<CommunicationOpInterface>(op) && op.getNumOperands() != 0 &&
        op.getNumResults() != 0 && isa<HandleType>(op.getResult(0).getType()))
      sent[op.getResult(0)] = op.getOperand(0);
    if (isa<WaitOp>(op) && op.getNumResults() != 0)
      homes[op.getResult(0)] = op.getOperand(0);
    for (const InPlace &pair : workspaces.getInPlace(&op))
      homes[op.getResult(pair.result)] = op.getOperand(pair.operand);
    if (auto accumulate = dyn_cast<AccumulateOp>(op)) {
      bool isLast = llvm::all_of(
          accumulate.getAccumulator().getUsers(), [&](Operation *user) {
            return user == &op || user->isBeforeInBlock(&op);
          });
      if (isLast && !isa<BlockArgument>(accumulate.getAccumulator()))
        homes[accumulate.getResult()] = accumulate.getAccumulator();
    }
  }
  for (auto [value, op] : last) {
    used.insert(value);
    if (!isa<func::ReturnOp>(op))
      ends[op].push_back(value);
  }
}

void RankMemory::hold(Value value, StringRef kind) {
  if (homes.contains(value))
    return;
  int64_t bytes = getBytes(value.getType());
  held[value] = kind;
  amounts[kind] += bytes;
  live += bytes;
}

void RankMemory::release(Value value) {
  auto it = held.find(value);
  if (it == held.end())
    return;
  int64_t bytes = getBytes(value.getType());
  amounts[it->second] -= bytes;
  live -= bytes;
  held.erase(it);
}

Peak RankMemory::run() {
  findEnds();
  for (Value argument : rank.function.getArguments())
    hold(argument, getKind(argument, rank.function));
  for (Operation &op : rank.function.getBody().front()) {
    int64_t workspace = isa<func::CallOp>(op) ? workspaces.get(&op) : 0;
    int64_t results = 0;
    for (Value result : op.getResults())
      if (!homes.contains(result))
        results += getBytes(result.getType());
    for (Value result : op.getResults())
      hold(result, getKind(result, rank.function));
    // The results of a unit are made inside of it.
    int64_t extra = std::max<int64_t>(workspace - results, 0);
    if (!peak.at || live + extra > peak.bytes) {
      peak.bytes = live + extra;
      peak.at = &op;
      atPeak = amounts;
      atPeak["workspace"] = extra;
    }
    for (Value value : ends.lookup(&op))
      release(value);
    for (Value result : op.getResults())
      if (!used.contains(result) && !homes.contains(result))
        release(result);
  }
  peak.kinds = describe();
  return peak;
}

std::string RankMemory::describe() const {
  SmallVector<std::pair<int64_t, StringRef>> list;
  for (auto [kind, bytes] : atPeak)
    if (bytes != 0)
      list.push_back({bytes, kind});
  llvm::sort(list, [](const auto &a, const auto &b) {
    return std::pair(-a.first, a.second) < std::pair(-b.first, b.second);
  });
  std::string text;
  for (auto [bytes, kind] : list)
    text += (text.empty() ? "" : ", ") + kind.str() + " " + str(bytes);
  return text;
}

LogicalResult verify::checkMemory(const Programs &programs,
                                  std::map<int64_t, Peak> &peaks) {
  ModuleOp module = programs.module;
  auto clusters = module.getOps<ClusterOp>();
  ClusterOp cluster = clusters.empty() ? ClusterOp() : *clusters.begin();
  std::vector<Device> devices;
  if (cluster)
    devices = cluster.getDevices();
  Workspaces workspaces(programs);
  bool ok = true;
  for (auto &[number, rank] : programs.ranks) {
    const Peak &peak = peaks[number] = RankMemory(rank, workspaces).run();
    if (!cluster || number >= int64_t(devices.size()) || !peak.at)
      continue;
    DeviceClassOp deviceClass = devices[number].deviceClass;
    int64_t usable = deviceClass.getUsableMemory();
    if (peak.bytes <= usable)
      continue;
    ok = false;
    InFlightDiagnostic error = peak.at->emitOpError();
    error << "of " << describePlace(rank, {peak.at}) << " needs "
          << str(peak.bytes) << " of memory and its device, a "
          << deviceClass.getSymName() << ", has " << str(usable) << " ("
          << peak.bytes - usable << " bytes too little): " << peak.kinds;
    error.attachNote(deviceClass.getLoc()) << "the class is here";
  }
  return success(ok);
}
