//===- EmitRankPrograms.cpp - The programs of all ranks -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "EmitRankPrograms.h"
#include "RankBuilder.h"

using namespace mlir;
using namespace hetero;
using namespace hetero::partition;

/// The unit that an instruction of a microbatch runs.
static std::optional<UnitKind> getUnitKind(InstructionKind kind) {
  switch (kind) {
  case InstructionKind::Forward:
    return UnitKind::Forward;
  case InstructionKind::Backward:
  case InstructionKind::InputGradient:
    return UnitKind::Backward;
  case InstructionKind::WeightGradient:
    return UnitKind::Weight;
  default:
    return std::nullopt;
  }
}

namespace {
/// What a rank does next: a unit, or it makes the state of a run whole, or it
/// completes the sums of a run.
struct Turn {
  std::optional<UnitKind> kind;
  int64_t microbatch, chunk;
  bool gathers = false;
};
} // namespace

/// Gathers and reductions have their places in layered schedules alone: in the
/// others all are at the beginning, and at the end.
static bool isPlacedTurn(ScheduleOp schedule, InstructionKind kind) {
  return schedule.getKind() == ScheduleKind::Layered &&
         (kind == InstructionKind::Gather || kind == InstructionKind::Reduce);
}

/// The order of microbatches in a sweep, from the schedule; 1F1B without one.
static SmallVector<Turn> getOrder(const StepLayout &layout, ScheduleOp schedule,
                                  int64_t planStage, int64_t level) {
  SmallVector<Turn> order;
  if (schedule) {
    for (int64_t sweep : {level, int64_t(0)}) {
      for (auto list : schedule.getBody().getOps<StageScheduleOp>())
        if (int64_t(list.getIndex()) == planStage)
          for (auto instruction :
               list.getInstructions().getAsRange<InstructionAttr>())
            if (std::optional<UnitKind> kind =
                    getUnitKind(instruction.getKind());
                instruction.getSweep() == sweep &&
                (kind || isPlacedTurn(schedule, instruction.getKind())))
              order.push_back(
                  {kind, instruction.getMicrobatch().value_or(0),
                   instruction.getChunk(),
                   instruction.getKind() == InstructionKind::Gather});
      if (!order.empty())
        return order;
    }
    return order;
  }
  int64_t count = layout.microbatches.size();
  int64_t ahead = std::min<int64_t>(count, layout.stages.size() - planStage);
  for (int64_t i = 0; i < ahead; ++i)
    order.push_back({UnitKind::Forward, i, 0});
  for (int64_t i = 0; i < count; ++i) {
    order.push_back({UnitKind::Backward, i, 0});
    if (ahead + i < count)
      order.push_back({UnitKind::Forward, ahead + i, 0});
  }
  return order;
}

using RankBuilders = SmallVector<std::unique_ptr<RankBuilder>, 1>;

static LogicalResult runLevel(const StepLayout &layout, ScheduleOp schedule,
                              int64_t planStage, int64_t level,
                              RankBuilders &runs) {
  SmallVector<Turn> order = getOrder(layout, schedule, planStage, level);
  for (auto &run : runs) {
    bool hasTurn = llvm::any_of(order, [&](const Turn &turn) {
      return turn.gathers && turn.chunk == run->getChunk();
    });
    if (level == 0 && failed(run->gather(/*onlyMoved=*/hasTurn)))
      return failure();
  }
  int64_t lastHop = 0;
  for (auto &stageUnits : layout.units)
    for (auto &[unit, ops] : stageUnits)
      if (unit.level == level && unit.kind == UnitKind::Once)
        lastHop = std::max(lastHop, unit.hop);
  for (int64_t hop = 0; hop <= lastHop; ++hop)
    for (auto &run : runs)
      if (failed(run->call({level, UnitKind::Once, hop}, 0)))
        return failure();
  for (const Turn &turn : order)
    for (auto &run : runs) {
      if (run->getChunk() != turn.chunk ||
          (turn.gathers && !run->hasUnits(level)))
        continue;
      if (failed(turn.kind ? run->call({level, *turn.kind, 0}, turn.microbatch)
                 : turn.gathers ? run->gather()
                                : run->finishLevel(level)))
        return failure();
    }
  for (auto &run : runs)
    if (failed(run->finishLevel(level)))
      return failure();
  return success();
}

/// Builds the program of a rank that is `members` of its runs of layers.
static LogicalResult buildRank(const StepLayout &layout, const Traffic &traffic,
                               UnitTable &units, ScheduleOp schedule,
                               ArrayRef<Member> members, int64_t rank,
                               OpBuilder &builder) {
  Location loc = layout.step.getLoc();
  RankProgram program;
  program.rank = rank;
  program.function =
      func::FuncOp::create(builder, loc, "rank" + std::to_string(rank),
                           builder.getFunctionType({}, {}));
  func::FuncOp function = program.function;
  function->setAttr(HeteroDialect::getProgramAttrName(),
                    ProgramAttr::get(builder.getContext(), std::nullopt,
                                     std::nullopt, 0, 0,
                                     ArrayRef<int64_t>{rank}));
  Block *block = function.addEntryBlock();
  RankBuilders runs;
  for (const Member &member : members)
    runs.push_back(
        std::make_unique<RankBuilder>(layout, traffic, units, member, program));
  for (auto &run : runs)
    run->addArguments();
  int64_t planStage = layout.stages[members.front().stage].planStage;
  for (int64_t level = 0; level <= layout.levels.last; ++level)
    if (failed(runLevel(layout, schedule, planStage, level, runs)))
      return failure();
  for (auto &run : runs)
    if (failed(run->addResults()))
      return failure();
  OpBuilder end = OpBuilder::atBlockEnd(block);
  for (Value handle : program.sends)
    WaitOp::create(end, handle.getLoc(), TypeRange(), handle);
  func::ReturnOp::create(
      end, layout.step.getBody().front().getTerminator()->getLoc(),
      program.results);
  function.setType(end.getFunctionType(block->getArgumentTypes(),
                                       ValueRange(program.results).getTypes()));
  function.setArgAttrsAttr(end.getArrayAttr(program.argumentAttrs));
  function.setResAttrsAttr(end.getArrayAttr(program.resultAttrs));
  return success();
}

LogicalResult partition::emitRankPrograms(ModuleOp module,
                                          const StepLayout &layout) {
  Traffic traffic(layout);
  UnitTable units(module, layout, traffic);
  auto schedules = module.getOps<ScheduleOp>();
  ScheduleOp schedule = schedules.empty() ? ScheduleOp() : *schedules.begin();
  std::map<int64_t, SmallVector<Member, 1>> ranks;
  for (auto [index, stage] : llvm::enumerate(layout.stages))
    for (int64_t data = 0; data < stage.dataSize; ++data)
      for (int64_t tensor = 0; tensor < stage.tensorSize; ++tensor)
        ranks[stage.getRank(data, tensor)].push_back(
            {int64_t(index), data, tensor, 0});
  OpBuilder builder(module.getContext());
  for (auto &[rank, members] : ranks) {
    builder.setInsertionPointToEnd(module.getBody());
    if (failed(buildRank(layout, traffic, units, schedule, members, rank,
                         builder)))
      return failure();
  }
  units.setPrograms();
  // Its types and roles say what the parts are parts of.
  layout.step->setAttr(
      "hetero.outputs",
      units.getNumbers(
          layout.step.getBody().front().getTerminator()->getOperands()));
  layout.step.getBody().getBlocks().clear();
  layout.step.setPrivate();
  return success();
}
