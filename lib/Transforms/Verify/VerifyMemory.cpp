//===- VerifyMemory.cpp - What each rank holds at every instant -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The model is that of the runtime. A rank program is a list of instructions
// over buffers, as the conversion to programs of the runtime makes it: units
// are cut into kernels at their communication (Analysis/Kernels.h), and a
// kernel has all of its operands and results, and its workspace, as long as it
// runs. Which results take the memory of operands, and what the workspace is,
// is asked of Analysis/KernelMemory.h. What is being sent stays until the wait
// for it; what is being received is there from the start; what is transferred
// together is received together. An accumulation overwrites its accumulator if
// that has no other use. The inputs of a step stay: who runs it may keep them
// for the next.

#include "hetero/Analysis/KernelMemory.h"
#include "hetero/Analysis/PrepareForCpu.h"
#include "hetero/Transforms/Verify/Verify.h"
#include "llvm/Support/Format.h"
#include <functional>

using namespace mlir;
using namespace hetero;
using namespace hetero::verify;

static int64_t getBytes(Type type) {
  if (auto handle = dyn_cast_or_null<HandleType>(type))
    type = getAwaitedType(handle);
  auto tensor = dyn_cast_or_null<RankedTensorType>(type);
  return tensor ? getByteSize(tensor).value_or(0) : 0;
}

static std::string formatBytes(int64_t bytes) {
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
// Instructions
//===----------------------------------------------------------------------===//

namespace {
using BufferId = int;

/// A kernel of some unit, and what is known of it from all calls.
struct UsedKernel {
  explicit UsedKernel(Kernel made,
                      std::function<func::FuncOp(func::CallOp)> getUnit = {})
      : kernel(std::move(made)), lastUses(kernel.operands.size(), true),
        getUnit(std::move(getUnit)) {}

  const KernelMemory &getMemory() {
    if (memory)
      return *memory;
    Kernel *made = &kernel;
    Kernel inlined;
    OwningOpRef<func::FuncOp> prepared;
    if (getUnit || hasShortLoops(kernel)) {
      prepared = prepare();
      inlined = Kernel::ofBlock(prepared->getBody().front());
      made = &inlined;
    }
    memory = getKernelMemory(*made, FusionPlan(*made), lastUses);
    return *memory;
  }

  /// A copy of the kernel as it is lowered.
  OwningOpRef<func::FuncOp> prepare() {
    Operation *parent = kernel.block->getParentOp();
    OpBuilder builder(parent->getContext());
    OwningOpRef<func::FuncOp> copy =
        emitKernel(builder, "kernel", kernel, parent->getLoc(), getUnit);
    prepareForCpu(*copy);
    return copy;
  }

  Kernel kernel;
  /// The operands that no call needs afterwards.
  llvm::SmallBitVector lastUses;
  /// Of a whole program, which calls units.
  std::function<func::FuncOp(func::CallOp)> getUnit;
  std::optional<KernelMemory> memory;
};

/// What a rank does at one moment.
struct Moment {
  /// The operation of the rank program.
  Operation *at;
  SmallVector<BufferId, 4> operands, results;
  UsedKernel *kernel = nullptr;
  /// Results of moments with the same bucket are made together.
  Attribute bucket;
  /// The buffers that have their last use here.
  SmallVector<BufferId, 4> freed;
};

/// The kernels of all units.
class Kernels {
public:
  explicit Kernels(const Programs &programs) : programs(programs) {}

  /// A kernel, or an operation that communicates.
  struct UnitPiece {
    UsedKernel *kernel;
    Operation *communication;
  };
  ArrayRef<UnitPiece> getPieces(func::FuncOp unit);
  /// Of a program that does not communicate, or null.
  UsedKernel *getWhole(func::FuncOp program);

private:
  const Programs &programs;
  DenseMap<Operation *, SmallVector<UnitPiece>> pieces;
  std::vector<std::unique_ptr<UsedKernel>> kernels;
};

/// What a rank does, and the memory that it has meanwhile.
class RankMemory {
public:
  RankMemory(const RankSteps &rank, const Programs &programs, Kernels &kernels)
      : rank(rank), programs(programs), kernels(kernels) {
    build();
    findLastUses();
  }
  /// After all ranks are built.
  Peak run();

private:
  void build();
  void addOperation(Operation *op);
  void addCall(Operation *call, func::FuncOp unit);
  void addKernel(UsedKernel *kernel, ValueRange inputs, ValueRange results);
  void addCommunication(Operation *op);
  void addAccumulate(AccumulateOp op);
  void addReturn(Operation *op);
  BufferId addBuffer(int64_t size, StringRef kind);
  BufferId copy(BufferId from);
  Moment &add(ArrayRef<BufferId> operands, ArrayRef<BufferId> results);
  void findLastUses();
  BufferId get(Value value) const {
    auto it = buffers.find(value);
    return it == buffers.end() ? -1 : it->second;
  }
  void set(Value value, BufferId id) {
    buffers[value] = id;
    if (id >= 0)
      ++numNames[id];
  }

  void hold(BufferId id);
  void release(BufferId id);
  void reuseOperands(const Moment &moment);
  void note(const Moment &moment, int64_t workspace);
  std::string describe() const;

  const RankSteps &rank;
  const Programs &programs;
  Kernels &kernels;
  std::vector<Moment> moments;
  DenseMap<Value, BufferId> buffers;
  DenseMap<Value, size_t> started; // Handle -> moment.
  std::vector<int64_t> bytes;
  std::vector<StringRef> kindOf;
  std::vector<int> numNames;
  /// The operation of the rank program that is being added.
  Operation *at = nullptr;

  std::vector<bool> isHeld, isKept;
  std::map<StringRef, int64_t> amounts, atPeak;
  int64_t live = 0;
  Peak peak;
};
} // namespace

ArrayRef<Kernels::UnitPiece> Kernels::getPieces(func::FuncOp unit) {
  auto [it, isNew] = pieces.try_emplace(unit);
  if (isNew)
    for (Piece &piece : cutUnit(unit)) {
      if (!piece.communication)
        kernels.push_back(
            std::make_unique<UsedKernel>(std::move(piece.kernel)));
      it->second.push_back(
          {piece.communication ? nullptr : kernels.back().get(),
           piece.communication});
    }
  return it->second;
}

UsedKernel *Kernels::getWhole(func::FuncOp program) {
  auto getUnit = [this](func::CallOp call) { return programs.getCallee(call); };
  std::optional<Kernel> kernel = getWholeProgram(program, getUnit);
  if (!kernel)
    return nullptr;
  kernels.push_back(std::make_unique<UsedKernel>(std::move(*kernel), getUnit));
  return kernels.back().get();
}

/// What an operation makes, for people.
static StringRef getKind(Operation *op) {
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
    return "updated state";
  default:
    return "other values";
  }
}

BufferId RankMemory::addBuffer(int64_t size, StringRef kind) {
  bytes.push_back(size);
  kindOf.push_back(kind);
  numNames.push_back(0);
  return bytes.size() - 1;
}

Moment &RankMemory::add(ArrayRef<BufferId> operands,
                        ArrayRef<BufferId> results) {
  Moment moment;
  moment.at = at;
  for (BufferId id : operands)
    if (id >= 0)
      moment.operands.push_back(id);
  moment.results.assign(results.begin(), results.end());
  moments.push_back(std::move(moment));
  return moments.back();
}

BufferId RankMemory::copy(BufferId from) {
  if (from < 0)
    return from;
  BufferId to = addBuffer(bytes[from], kindOf[from]);
  add({from}, {to});
  return to;
}

void RankMemory::addKernel(UsedKernel *kernel, ValueRange inputs,
                           ValueRange results) {
  SmallVector<BufferId> operands, ids;
  for (Value input : inputs) {
    BufferId id = get(input);
    operands.push_back(id < 0 ? addBuffer(0, "other values") : id);
  }
  for (Value output : kernel->kernel.results)
    ids.push_back(addBuffer(getBytes(output.getType()), getKind(at)));
  add(operands, ids).kernel = kernel;
  for (auto [result, id] : llvm::zip_equal(results, ids))
    set(result, id);
}

void RankMemory::addCall(Operation *call, func::FuncOp unit) {
  Block &block = unit.getBody().front();
  for (auto [argument, operand] :
       llvm::zip_equal(block.getArguments(), call->getOperands()))
    set(argument, get(operand));
  for (Kernels::UnitPiece piece : kernels.getPieces(unit)) {
    if (piece.communication)
      addCommunication(piece.communication);
    else if (piece.kernel->kernel.isWhole)
      return addKernel(piece.kernel, call->getOperands(), call->getResults());
    else
      addKernel(piece.kernel, piece.kernel->kernel.operands,
                piece.kernel->kernel.results);
  }
  for (auto [result, value] : llvm::zip_equal(
           call->getResults(), block.getTerminator()->getOperands()))
    set(result, get(value));
}

void RankMemory::addAccumulate(AccumulateOp op) {
  BufferId sum = get(op.getAccumulator());
  bool isArgument = sum < int64_t(rank.function.getNumArguments());
  if (sum >= 0 &&
      (!op.getAccumulator().hasOneUse() || numNames[sum] != 1 || isArgument))
    sum = copy(sum);
  add({get(op.getOperand()), sum}, {});
  if (sum >= 0)
    numNames[sum] = 0;
  set(op.getResult(), sum);
}

void RankMemory::addCommunication(Operation *op) {
  if (auto accumulate = dyn_cast<AccumulateOp>(op))
    return addAccumulate(accumulate);
  if (auto wait = dyn_cast<WaitOp>(op)) {
    Moment &moment = add({}, {});
    if (auto it = started.find(wait.getHandle()); it != started.end()) {
      const Moment &start = moments[it->second];
      moment.operands = start.operands;
      moment.operands.append(start.results);
    }
    if (op->getNumResults() != 0)
      set(op->getResult(0), get(wait.getHandle()));
    return;
  }
  // Parts that do not follow each other are copied apart, and together again.
  SplitAttr split;
  if (auto gather = dyn_cast<AllGatherOp>(op))
    split = gather.getSplit();
  else if (auto scatter = dyn_cast<ReduceScatterOp>(op))
    split = scatter.getSplit();
  bool isWide = split && split.getOuter() != 1;
  BufferId from = op->getNumOperands() != 0 ? get(op->getOperand(0)) : -1;
  if (isWide)
    from = copy(from);
  SmallVector<BufferId, 1> into;
  bool hasValue = op->getNumResults() != 0 && !isa<SendOp>(op);
  if (hasValue)
    into.push_back(
        addBuffer(getBytes(op->getResult(0).getType()), getKind(op)));
  Moment &moment = add({from}, into);
  if (!isWide)
    moment.bucket = op->getAttr("bucket");
  if (op->getNumResults() == 0)
    return;
  if (isa<HandleType>(op->getResult(0).getType()))
    started[op->getResult(0)] = moments.size() - 1;
  if (hasValue)
    set(op->getResult(0), isWide ? copy(into[0]) : into[0]);
}

void RankMemory::addReturn(Operation *op) {
  llvm::SmallDenseSet<BufferId> taken;
  for (Value argument : rank.function.getArguments())
    taken.insert(get(argument));
  SmallVector<BufferId> results;
  for (Value value : op->getOperands()) {
    BufferId id = get(value);
    results.push_back(taken.insert(id).second ? id : copy(id));
  }
  add(results, {});
}

void RankMemory::addOperation(Operation *op) {
  at = op;
  if (auto unit = programs.getCallee(op))
    return addCall(op, unit);
  if (op->hasTrait<OpTrait::IsTerminator>())
    return addReturn(op);
  if (isa<CommunicationOpInterface, WaitOp, AccumulateOp>(op))
    return addCommunication(op);
  SmallVector<BufferId> operands = llvm::map_to_vector(
      op->getOperands(), [&](Value value) { return get(value); });
  SmallVector<BufferId> results;
  for (Value result : op->getResults()) {
    results.push_back(addBuffer(getBytes(result.getType()), getKind(op)));
    set(result, results.back());
  }
  add(operands, results);
}

void RankMemory::build() {
  Block &block = rank.function.getBody().front();
  for (BlockArgument argument : block.getArguments()) {
    auto role = rank.function.getArgAttrOfType<RoleAttr>(
        argument.getArgNumber(), HeteroDialect::getRoleAttrName());
    bool isState = role && role.isState();
    set(argument,
        addBuffer(getBytes(argument.getType()), isState ? "state" : "inputs"));
    isKept.push_back(!isState);
  }
  if (UsedKernel *whole = kernels.getWhole(rank.function)) {
    at = &*llvm::find_if(llvm::reverse(block), llvm::IsaPred<func::CallOp>);
    addKernel(whole, block.getArguments(), whole->kernel.results);
    return addReturn(block.getTerminator());
  }
  for (Operation &op : block)
    addOperation(&op);
}

/// Finds the last use of each buffer, and which operands of kernels have it in
/// all calls.
void RankMemory::findLastUses() {
  std::vector<int64_t> last(bytes.size(), -1);
  for (auto [index, moment] : llvm::enumerate(moments)) {
    for (BufferId id :
         llvm::concat<const BufferId>(moment.operands, moment.results))
      last[id] = index;
  }
  isKept.resize(bytes.size(), false);
  for (auto [id, index] : llvm::enumerate(last))
    // What is returned stays, and so do arguments that nothing reads.
    if (index >= 0 && index + 1 < int64_t(moments.size()))
      moments[index].freed.push_back(id);
  for (auto [index, moment] : llvm::enumerate(moments))
    if (moment.kernel)
      for (auto [i, id] : llvm::enumerate(moment.operands))
        if (last[id] != int64_t(index) || llvm::count(moment.operands, id) != 1)
          moment.kernel->lastUses.reset(i);
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

void RankMemory::hold(BufferId id) {
  if (isHeld[id])
    return;
  isHeld[id] = true;
  amounts[kindOf[id]] += bytes[id];
  live += bytes[id];
}

void RankMemory::release(BufferId id) {
  if (!isHeld[id] || isKept[id])
    return;
  isHeld[id] = false;
  amounts[kindOf[id]] -= bytes[id];
  live -= bytes[id];
}

/// Results take the memory of operands; that of inputs, which stay, is copied.
void RankMemory::reuseOperands(const Moment &moment) {
  for (runtime::InPlacePair pair : moment.kernel->getMemory().inPlace) {
    BufferId from = moment.operands[pair.operand];
    BufferId to = moment.results[pair.result];
    if (isKept[from])
      continue;
    isHeld[from] = false;
    isHeld[to] = true;
    kindOf[to] = kindOf[from];
  }
}

void RankMemory::note(const Moment &moment, int64_t workspace) {
  if (peak.at && live + workspace <= peak.bytes)
    return;
  peak.bytes = live + workspace;
  peak.at = moment.at;
  atPeak = amounts;
  atPeak["workspace"] = workspace;
}

Peak RankMemory::run() {
  isHeld.assign(bytes.size(), false);
  for (BufferId id = 0; id < int64_t(rank.function.getNumArguments()); ++id)
    hold(id);
  for (size_t i = 0; i < moments.size(); ++i) {
    const Moment &moment = moments[i];
    if (moment.kernel)
      reuseOperands(moment);
    for (size_t j = i; j == i || (j < moments.size() && moment.bucket &&
                                  moments[j].bucket == moment.bucket);
         ++j)
      llvm::for_each(moments[j].results, [&](BufferId id) { hold(id); });
    note(moment, moment.kernel ? moment.kernel->getMemory().workspace : 0);
    for (BufferId id : moment.freed)
      release(id);
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
    text += (text.empty() ? "" : ", ") + kind.str() + " " + formatBytes(bytes);
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
  Kernels kernels(programs);
  // The last uses of a kernel are known when all of its calls are.
  std::map<int64_t, RankMemory> memories;
  for (auto &[number, rank] : programs.ranks)
    memories.try_emplace(number, rank, programs, kernels);
  bool ok = true;
  for (auto &[number, memory] : memories) {
    const RankSteps &rank = programs.ranks.at(number);
    const Peak &peak = peaks[number] = memory.run();
    if (!cluster || number >= int64_t(devices.size()) || !peak.at)
      continue;
    DeviceClassOp deviceClass = devices[number].deviceClass;
    int64_t usable = deviceClass.getUsableMemory();
    if (peak.bytes <= usable)
      continue;
    ok = false;
    InFlightDiagnostic error = peak.at->emitOpError();
    error << "of " << describePlace(rank, {peak.at}) << " needs "
          << formatBytes(peak.bytes) << " of memory and its device, a "
          << deviceClass.getSymName() << ", has " << formatBytes(usable) << " ("
          << peak.bytes - usable << " bytes too little): " << peak.kinds;
    error.attachNote(deviceClass.getLoc()) << "the class is here";
  }
  return success(ok);
}
