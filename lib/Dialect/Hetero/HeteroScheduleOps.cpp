//===- HeteroScheduleOps.cpp - Schedules ----------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Dialect/Hetero/HeteroScheduleOps.h"
#include "AsmDirectives.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/Support/MathExtras.h"
#include <map>
#include <tuple>

using namespace mlir;
using namespace hetero;

//===----------------------------------------------------------------------===//
// Spelling
//===----------------------------------------------------------------------===//

static ParseResult parseInstructions(OpAsmParser &parser,
                                     ArrayAttr &instructions) {
  SmallVector<Attribute> list;
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
        return success(list.emplace_back(parseInstruction(parser)) != nullptr);
      }))
    return failure();
  instructions = parser.getBuilder().getArrayAttr(list);
  return success();
}

/// Prints the list on lines of its own, a few instructions on each.
static void printInstructions(OpAsmPrinter &printer, StageScheduleOp,
                              ArrayAttr instructions) {
  constexpr size_t perLine = 6;
  printer << '[';
  printer.increaseIndent();
  for (auto [i, instruction] :
       llvm::enumerate(instructions.getAsRange<InstructionAttr>())) {
    if (i != 0)
      printer << ',';
    if (i % perLine == 0)
      printer.printNewline();
    else
      printer << ' ';
    printInstruction(printer, instruction);
  }
  printer.decreaseIndent();
  if (!instructions.empty())
    printer.printNewline();
  printer << ']';
}

//===----------------------------------------------------------------------===//
// StageScheduleOp
//===----------------------------------------------------------------------===//

namespace {
/// Checks one list of instructions. Positions in the list stand for time.
class StageScheduleVerifier {
public:
  StageScheduleVerifier(StageScheduleOp op, int64_t microbatches)
      : op(op), microbatches(microbatches), chunks(op.getChunks()),
        instructions(op.getInstructions().getAsRange<InstructionAttr>().begin(),
                     op.getInstructions().getAsRange<InstructionAttr>().end()) {
  }

  LogicalResult verify() {
    return failure(failed(verifyNumbers()) || failed(record()) ||
                   failed(verifyComplete()) || failed(verifyOrder()) ||
                   failed(verifyInFlight()) || failed(verifyTransfers()));
  }

private:
  /// A microbatch of a chunk, and when it is worked on.
  struct Work {
    std::optional<int64_t> firstForward, lastForward;
    /// Positions of backward or input gradient, and of weight gradient.
    std::optional<int64_t> gradient, weightGradient;
    bool whole = false;
    /// When nothing of it needs to be kept any more.
    std::optional<int64_t> end;
  };
  using Pair = std::pair<int64_t, int64_t>;

  LogicalResult verifyNumbers();
  LogicalResult record();
  LogicalResult verifyComplete();
  LogicalResult verifyOrder();
  LogicalResult verifyInFlight();
  LogicalResult verifyTransfers();

  InFlightDiagnostic emitError(StringRef label, InstructionAttr instruction) {
    return op.emitOpError() << label << ": " << describe(instruction) << " ";
  }
  static std::string describe(InstructionAttr instruction);
  static Pair getPair(InstructionAttr instruction) {
    return {instruction.getMicrobatch().value_or(0), instruction.getChunk()};
  }

  StageScheduleOp op;
  int64_t microbatches, chunks;
  SmallVector<InstructionAttr> instructions;
  llvm::DenseMap<InstructionAttr, int64_t> positions;
  llvm::DenseMap<Pair, Work> works;
  /// Forwards by sweep; the last position of a forward by chunk and sweep; the
  /// last gradient by chunk. Ordered, so that messages are stable.
  std::map<int64_t, int64_t> forwardsOfSweep;
  std::map<Pair, int64_t> lastForwardOfSweep;
  std::map<int64_t, int64_t> lastGradientOfChunk;
};
} // namespace

std::string StageScheduleVerifier::describe(InstructionAttr instruction) {
  std::string text =
      "'" + stringifyInstructionKind(instruction.getKind()).str();
  if (instruction.getMicrobatch())
    text += " " + std::to_string(*instruction.getMicrobatch());
  if (instruction.getChunk() != 0)
    text += " chunk " + std::to_string(instruction.getChunk());
  if (instruction.getSweep() != 0)
    text += " sweep " + std::to_string(instruction.getSweep());
  return text + "'";
}

LogicalResult StageScheduleVerifier::verifyNumbers() {
  int64_t index = op.getIndex();
  if (chunks < 1 || static_cast<int64_t>(op.getInFlight()) < 1)
    return op.emitOpError()
           << "stage_schedule_c1: must have at least one chunk and one in "
              "flight";
  for (InstructionAttr instruction : instructions) {
    if (instruction.getMicrobatch().value_or(0) >= microbatches)
      return emitError("stage_schedule_c1", instruction)
             << "is of a microbatch that does not exist; there are "
             << microbatches;
    if (instruction.getChunk() >= chunks)
      return emitError("stage_schedule_c1", instruction)
             << "is of a chunk that does not exist; there are " << chunks;
    if (instruction.getPeer() && *instruction.getPeer() == index)
      return emitError("stage_schedule_c1", instruction)
             << "is between stage " << index << " and itself";
  }
  return success();
}

LogicalResult StageScheduleVerifier::record() {
  for (auto [index, instruction] : llvm::enumerate(instructions)) {
    int64_t position = index;
    InstructionKind kind = instruction.getKind();
    bool inserted = positions.try_emplace(instruction, position).second;
    if (!inserted && kind != InstructionKind::Gather &&
        kind != InstructionKind::Reduce)
      return emitError("stage_schedule_c2", instruction) << "appears twice";
    if (!instruction.isCompute() || !instruction.getMicrobatch())
      continue;
    Work &work = works[getPair(instruction)];
    if (kind == InstructionKind::Recompute)
      continue;
    if (kind == InstructionKind::Forward) {
      if (!work.firstForward)
        work.firstForward = position;
      work.lastForward = position;
      ++forwardsOfSweep[instruction.getSweep()];
      lastForwardOfSweep[{instruction.getChunk(), instruction.getSweep()}] =
          position;
      continue;
    }
    if (kind == InstructionKind::WeightGradient) {
      work.weightGradient = position;
    } else {
      if (!work.gradient)
        work.gradient = position;
      work.whole |= kind == InstructionKind::Backward;
    }
    work.end = position;
    lastGradientOfChunk[instruction.getChunk()] = position;
  }
  return success();
}

LogicalResult StageScheduleVerifier::verifyComplete() {
  int64_t total;
  if (llvm::MulOverflow(microbatches, chunks, total))
    total = std::numeric_limits<int64_t>::max();
  for (auto [sweep, count] : forwardsOfSweep)
    if (count != total)
      return op.emitOpError() << "stage_schedule_c3: sweep " << sweep << " has "
                              << count << " forwards for " << microbatches
                              << " microbatches of " << chunks << " chunks";
  // Finds the first one that is missing; every step before it finds an entry,
  // so this takes no longer than the list is.
  for (int64_t chunk = 0; chunk < chunks; ++chunk)
    for (int64_t microbatch = 0; microbatch < microbatches; ++microbatch) {
      auto work = works.find({microbatch, chunk});
      StringRef missing;
      if (work == works.end() || !work->second.firstForward)
        missing = "forward";
      else if (!work->second.gradient)
        missing = "backward or input gradient";
      else if (!work->second.whole && !work->second.weightGradient)
        missing = "weight gradient";
      if (!missing.empty())
        return op.emitOpError()
               << "stage_schedule_c3: microbatch " << microbatch << " of chunk "
               << chunk << " has no " << missing;
    }
  return success();
}

LogicalResult StageScheduleVerifier::verifyOrder() {
  for (auto [index, instruction] : llvm::enumerate(instructions)) {
    int64_t position = index;
    if (instruction.getKind() == InstructionKind::Update) {
      auto last = lastGradientOfChunk.find(instruction.getChunk());
      if (last != lastGradientOfChunk.end() && position < last->second)
        return emitError("stage_schedule_c6", instruction)
               << "comes before " << describe(instructions[last->second]);
      continue;
    }
    if (!instruction.isCompute())
      continue;
    const Work &work = works.find(getPair(instruction))->second;
    if (instruction.getKind() == InstructionKind::Forward) {
      auto before = lastForwardOfSweep.find(
          {instruction.getChunk(), instruction.getSweep() - 1});
      if (before != lastForwardOfSweep.end() && position < before->second)
        return emitError("stage_schedule_c4", instruction)
               << "comes before " << describe(instructions[before->second])
               << " of the sweep before";
      continue;
    }
    if (position < *work.lastForward)
      return emitError("stage_schedule_c4", instruction)
             << "comes before " << describe(instructions[*work.lastForward]);
    if (instruction.getKind() == InstructionKind::WeightGradient &&
        position < *work.gradient)
      return emitError("stage_schedule_c4", instruction)
             << "comes before " << describe(instructions[*work.gradient]);
  }
  return success();
}

LogicalResult StageScheduleVerifier::verifyInFlight() {
  int64_t inFlight = 0, limit = op.getInFlight();
  for (auto [index, instruction] : llvm::enumerate(instructions)) {
    if (!instruction.isCompute() || !instruction.getMicrobatch())
      continue;
    int64_t position = index;
    const Work &work = works.find(getPair(instruction))->second;
    if (position == *work.firstForward && ++inFlight > limit)
      return emitError("stage_schedule_c5", instruction)
             << "puts " << inFlight << " in flight; at most " << limit;
    if (position == *work.end)
      --inFlight;
  }
  return success();
}

LogicalResult StageScheduleVerifier::verifyTransfers() {
  for (auto [index, instruction] : llvm::enumerate(instructions)) {
    if (!instruction.isSend() && !instruction.isRecv())
      continue;
    int64_t position = index;
    InstructionKind kind = instruction.getKind();
    std::optional<int64_t> other;
    if (kind == InstructionKind::SendActivation ||
        kind == InstructionKind::RecvActivation) {
      auto forward = positions.find(
          InstructionAttr::get(op.getContext(), InstructionKind::Forward,
                               instruction.getMicrobatch(), std::nullopt,
                               instruction.getChunk(), instruction.getSweep()));
      if (forward == positions.end())
        return emitError("stage_schedule_c7", instruction)
               << "is of a sweep that has no such forward";
      other = forward->second;
    } else {
      other = works.find(getPair(instruction))->second.gradient;
    }
    if (instruction.isSend() && position < *other)
      return emitError("stage_schedule_c7", instruction)
             << "comes before " << describe(instructions[*other]);
    if (instruction.isRecv() && position > *other)
      return emitError("stage_schedule_c7", instruction)
             << "comes after " << describe(instructions[*other]);
  }
  return success();
}

LogicalResult StageScheduleOp::verify() {
  auto schedule = cast<ScheduleOp>((*this)->getParentOp());
  return StageScheduleVerifier(*this, schedule.getMicrobatches()).verify();
}

//===----------------------------------------------------------------------===//
// ScheduleOp
//===----------------------------------------------------------------------===//

LogicalResult ScheduleOp::verify() {
  if (static_cast<int64_t>(getMicrobatches()) < 1)
    return emitOpError() << "schedule_c1: has "
                         << static_cast<int64_t>(getMicrobatches())
                         << " microbatches";
  return success();
}

namespace {
/// What a send and its receive have in common: whether it is a gradient, the
/// microbatch, the sweep, and both stages.
using Transfer = std::tuple<bool, int64_t, int64_t, int64_t, int64_t>;
} // namespace

static Transfer getTransfer(InstructionAttr instruction, int64_t stage) {
  bool gradient = instruction.getKind() == InstructionKind::SendGradient ||
                  instruction.getKind() == InstructionKind::RecvGradient;
  int64_t from = stage, to = *instruction.getPeer();
  if (instruction.isRecv())
    std::swap(from, to);
  return {gradient, *instruction.getMicrobatch(), instruction.getSweep(), from,
          to};
}

/// Checks that sends and receives of all stages match.
static LogicalResult verifyMatching(MutableArrayRef<StageScheduleOp> stages) {
  std::map<Transfer, int64_t> surplus;
  for (StageScheduleOp stage : stages)
    for (auto instruction :
         stage.getInstructions().getAsRange<InstructionAttr>())
      if (instruction.getPeer())
        surplus[getTransfer(instruction, stage.getIndex())] +=
            instruction.isSend() ? 1 : -1;
  for (StageScheduleOp stage : stages)
    for (auto instruction :
         stage.getInstructions().getAsRange<InstructionAttr>()) {
      if (!instruction.getPeer())
        continue;
      int64_t more = surplus[getTransfer(instruction, stage.getIndex())];
      if (instruction.isSend() ? more <= 0 : more >= 0)
        continue;
      InFlightDiagnostic error =
          stage.emitOpError()
          << "schedule_c3: '" << stringifyInstructionKind(instruction.getKind())
          << " " << *instruction.getMicrobatch() << "' has no counterpart in "
          << "stage " << *instruction.getPeer();
      if (*instruction.getPeer() < static_cast<int64_t>(stages.size()))
        error.attachNote(stages[*instruction.getPeer()].getLoc())
            << "the other stage is here";
      return error;
    }
  return success();
}

LogicalResult ScheduleOp::verifyRegions() {
  SmallVector<StageScheduleOp> stages;
  for (Operation &op : getBody().front()) {
    auto stage = dyn_cast<StageScheduleOp>(op);
    if (!stage)
      return op.emitOpError() << "schedule_c2: is not the schedule of a stage";
    if (stage.getIndex() != stages.size())
      return op.emitOpError()
             << "schedule_c2: must have number " << stages.size();
    stages.push_back(stage);
  }
  if (stages.empty())
    return emitOpError() << "schedule_c2: has no stages";
  return verifyMatching(stages);
}

LogicalResult ScheduleOp::verifySymbolUses(SymbolTableCollection &symbols) {
  FlatSymbolRefAttr name = getPlanAttr();
  if (!name)
    return success();
  auto plan = symbols.lookupNearestSymbolFrom<PlanOp>(*this, name);
  if (!plan)
    return emitOpError() << "schedule_c4: " << name << " is not a plan";
  auto fail = [&](Operation *op, const Twine &what, int64_t here,
                  int64_t there) -> LogicalResult {
    return (op->emitOpError() << "schedule_c4: has " << here << " " << what
                              << ", but the plan has " << there)
               .attachNote(plan.getLoc())
           << "the plan is here";
  };
  int64_t microbatches = plan.getMicrobatches().size();
  if (static_cast<int64_t>(getMicrobatches()) != microbatches)
    return fail(*this, "microbatches", getMicrobatches(), microbatches);
  SmallVector<StageOp, 4> planned = plan.getStages();
  auto stages = llvm::to_vector(getBody().getOps<StageScheduleOp>());
  if (stages.size() != planned.size())
    return fail(*this, "stages", stages.size(), planned.size());
  for (auto [stage, plannedStage] : llvm::zip_equal(stages, planned))
    if (static_cast<int64_t>(stage.getChunks()) != plannedStage.getNumChunks())
      return fail(stage, "chunks", stage.getChunks(),
                  plannedStage.getNumChunks());
  return success();
}

#define GET_OP_CLASSES
#include "hetero/Dialect/Hetero/HeteroScheduleOps.cpp.inc"
