//===- StepLayout.cpp - What a plan says about a step ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "StepLayout.h"
#include "hetero/Analysis/BatchAxis.h"
#include "hetero/Analysis/Layers.h"
#include "hetero/Analysis/Step.h"

using namespace mlir;
using namespace hetero;
using namespace hetero::partition;

FailureOr<std::unique_ptr<StepLayout>> StepLayout::read(ModuleOp module) {
  auto layout = std::make_unique<StepLayout>();
  FailureOr<func::FuncOp> step = getStep(module);
  if (failed(step))
    return failure();
  layout->step = *step;
  layout->roles = getRoles(*step);
  if (failed(layout->readStages(module)) || failed(layout->placeOperations()) ||
      failed(layout->findHomes()) || failed(layout->formUnits()))
    return failure();
  size_t numStages = layout->stages.size();
  layout->readSchedule(module);
  for (size_t stage = 0; stage < numStages; ++stage)
    if (layout->stages[stage].splitsBackward)
      layout->splitBackward(stage);
  layout->tensorClasses.resize(numStages);
  layout->storageClasses.resize(numStages);
  for (size_t stage = 0; stage < numStages; ++stage)
    if (failed(layout->buildClasses(stage)))
      return failure();
  return layout;
}

/// Warns of what a stage says and nobody does: results are the same, memory is
/// not.
static void warnOfIgnored(const StageView &view) {
  StageOp stage = view.stage;
  if (stage.getOffload())
    stage.emitWarning("has 'offload', which is not carried out: what the "
                      "backward needs stays in the memory of the device");
  for (ShareOp share : stage.getBody().getOps<ShareOp>()) {
    auto member = view.findMember(share.getDevice());
    if (!share.getMicro() || !member)
      continue;
    int64_t most = 0;
    for (ArrayRef<int64_t> samples : view.samples)
      most = std::max(most, samples[member->first]);
    if (most > int64_t(*share.getMicro()))
      share.emitWarning() << "asks for at most " << *share.getMicro()
                          << " samples at once and gets " << most
                          << "; make microbatches of them";
  }
}

LogicalResult StepLayout::readStages(ModuleOp module) {
  FailureOr<PlanOp> op = getPlanOp(module);
  if (failed(op))
    return failure();
  FailureOr<PlanView> view = PlanView::read(*op);
  if (failed(view))
    return failure();
  plan = *op;
  microbatches = std::move(view->microbatches);
  microbatchOffsets = std::move(view->offsets);
  DenseMap<Operation *, StageOp> owners;
  for (auto [index, stage] : llvm::enumerate(view->stages)) {
    auto [owner, isFirst] =
        owners.try_emplace(stage.mesh.getOperation(), stage.stage);
    if (!isFirst) {
      return stage.stage
                 .emitOpError("shares its mesh with another stage, which "
                              "cannot be partitioned yet")
                 .attachNote(owner->second.getLoc())
             << "the other stage is here";
    }
    warnOfIgnored(stage);
    for (auto [chunk, first, last] : llvm::enumerate(
             stage.stage.getFirstLayers(), stage.stage.getLastLayers())) {
      StageRun run{stage};
      run.planStage = index;
      run.chunk = chunk;
      run.firstLayer = first;
      run.lastLayer = last;
      stages.push_back(std::move(run));
    }
  }
  llvm::stable_sort(stages, [](const StageRun &left, const StageRun &right) {
    return left.firstLayer < right.firstLayer;
  });
  return success();
}

/// The stage that `hetero.placement`, or the layer, of an operation says; -1 if
/// it has neither.
FailureOr<int64_t> StepLayout::findStage(Operation *op) const {
  auto find = [&](auto isIt) -> int64_t {
    const auto *it = llvm::find_if(stages, isIt);
    return it == stages.end() ? -1 : it - stages.begin();
  };
  std::string named;
  int64_t stage = stages.size() == 1 ? 0 : -1;
  if (auto placement = op->getAttrOfType<PlacementAttr>("hetero.placement")) {
    named = "is placed on stage " + std::to_string(placement.getStage());
    if (placement.getChunk() != 0)
      named += ", chunk " + std::to_string(placement.getChunk());
    stage = find([&](const StageRun &run) {
      return run.planStage == placement.getStage() &&
             run.chunk == placement.getChunk();
    });
    if (placement.getMesh() && stage >= 0 &&
        placement.getMesh().getAttr() != stages[stage].mesh.getSymNameAttr())
      return op->emitOpError()
             << "is placed on " << placement.getMesh()
             << ", a mesh that is not that of stage " << placement.getStage()
             << "; that cannot be partitioned yet";
  } else if (auto layer = op->getAttrOfType<LayerAttr>("hetero.layer")) {
    named = "is of layer " + std::to_string(layer.getLayer()) +
            ", which no stage has";
    stage = find([&](const StageRun &run) {
      return run.firstLayer <= layer.getLayer() &&
             layer.getLayer() <= run.lastLayer;
    });
  }
  if (!named.empty() && stage < 0) {
    InFlightDiagnostic error = op->emitOpError() << named;
    PlanOp source = plan;
    error.attachNote(source.getLoc())
        << "the plan has " << source.getStages().size() << " stages";
    return error;
  }
  return stage;
}

/// Reads `hetero.placement`, or the stage of `hetero.layer`; operations that
/// have neither go where they are used first.
LogicalResult StepLayout::placeOperations() {
  Block &block = step.getBody().front();
  argumentFree = getArgumentFree(block);
  for (Operation &op : llvm::reverse(block)) {
    if (isa<ReshardOp>(op))
      argumentFree.erase(&op);
    hasShardings |= isa<ReshardOp>(op) || op.hasAttr("hetero.sharding");
    if (op.hasTrait<OpTrait::IsTerminator>() || argumentFree.contains(&op))
      continue;
    FailureOr<int64_t> found = findStage(&op);
    if (failed(found))
      return failure();
    int64_t stage = *found;
    if (stage < 0) {
      for (Operation *user : op.getUsers())
        if (auto it = stageOf.find(block.findAncestorOpInBlock(*user));
            it != stageOf.end())
          stage = stage < 0 ? it->second : std::min(stage, it->second);
      stage = std::max<int64_t>(stage, 0);
    }
    stageOf[&op] = stage;
  }
  return checkShardings();
}

Operation *StepLayout::getTop(Operation *op) const {
  return step.getBody().front().findAncestorOpInBlock(*op);
}

/// The stage that uses an argument first, in program order.
int64_t StepLayout::findFirstUse(BlockArgument argument) const {
  Operation *first = nullptr;
  for (Operation *user : argument.getUsers()) {
    Operation *top = getTop(user);
    if (stageOf.contains(top) && (!first || top->isBeforeInBlock(first)))
      first = top;
  }
  return first ? stageOf.lookup(first) : 0;
}

/// What a plan says about an argument; empty if it says nothing.
static StringRef getPlanAttr(func::FuncOp step, unsigned index) {
  for (StringRef name :
       {"hetero.storage", "hetero.sharding", "hetero.placement"})
    if (step.getArgAttr(index, name))
      return name;
  return {};
}

/// State lives where `hetero.storage` or `hetero.sharding` says, else where it
/// is used first. State that is never updated is an argument of every stage
/// that uses it, unless something is said about it.
LogicalResult StepLayout::findHomes() {
  homes.resize(step.getNumArguments());
  SmallVector<bool> isUpdated(step.getNumArguments(), false);
  for (RoleAttr role : roles.results)
    if (role && role.getKind() == RoleKind::UpdatedState && role.getArgument())
      isUpdated[*role.getArgument()] = true;
  for (BlockArgument argument : step.getArguments()) {
    unsigned index = argument.getArgNumber();
    StringRef said = getPlanAttr(step, index);
    if (!isUpdated[index] && said.empty())
      continue;
    RoleAttr role = roles.arguments[index];
    bool isState = isUpdated[index] || (role && role.isState());
    // The samples of a stage whose members share them.
    if (!isState && hasShardings && said == "hetero.sharding")
      continue;
    if (!isState)
      return emitError(argument.getLoc())
             << "argument " << index << " is no state, so " << said
             << " cannot be followed; the stages of the plan say how samples "
                "are divided, and every device has the rest whole";
    int64_t used = findFirstUse(argument), home = -1;
    // Of runs that share a mesh, the one that uses it.
    auto prefer = [&](auto isIt) {
      if (isIt(stages[used]))
        home = used;
      for (auto [stage, run] : llvm::enumerate(stages))
        if (home < 0 && isIt(run))
          home = stage;
    };
    for (StringRef name : {"hetero.storage", "hetero.sharding"})
      if (auto sharding = step.getArgAttrOfType<ShardingAttr>(index, name))
        prefer([&](const StageRun &run) {
          return run.mesh.getSymNameAttr() == sharding.getMesh().getAttr();
        });
    if (auto placement =
            step.getArgAttrOfType<PlacementAttr>(index, "hetero.placement")) {
      home = -1;
      prefer([&](const StageRun &run) {
        return run.planStage == placement.getStage();
      });
      if (home < 0)
        return emitError(argument.getLoc())
               << "is placed on stage " << placement.getStage()
               << ", but the plan has " << plan.getStages().size() << " stages";
    }
    homes[index] = home < 0 ? used : home;
  }
  return success();
}

/// An operation on whole values is carried out once, unless it uses what an
/// operation on samples gives beside them: the last state of a generator in a
/// loop over layers, for instance. That is there in each microbatch.
UnitKind StepLayout::getUnitKind(Operation *op) const {
  auto layer = op->getAttrOfType<LayerAttr>("hetero.layer");
  UnitKind local = !layer || layer.getPhase() == Phase::Forward
                       ? UnitKind::Forward
                       : UnitKind::Backward;
  if (batch->isLocal(op))
    return local;
  UnitKind kind = UnitKind::Once;
  for (Value use : getUses(op)) {
    auto it = unitOf.find(use.getDefiningOp());
    if (it == unitOf.end() || it->second.level != levels.ofOp.lookup(op) ||
        it->second.kind == UnitKind::Once || isCompleted(use))
      continue;
    if (it->second.kind == UnitKind::Backward)
      return UnitKind::Backward;
    kind = local;
  }
  return kind;
}

LogicalResult StepLayout::formUnits() {
  Block &block = step.getBody().front();
  FailureOr<FormAxis> axis = getBatchAxis(step);
  if (failed(axis))
    return failure();
  int64_t planned = plan.getBatch();
  if (axis->units != planned) {
    return (plan.emitOpError() << "is for a batch of " << planned)
               .attachNote(step.getLoc())
           << "the step has a batch of " << axis->units;
  }
  axis->needsCompletion = [&](OpOperand &use) {
    Operation *def = use.get().getDefiningOp(), *user = getTop(use.getOwner());
    return def && stageOf.contains(def) && stageOf.contains(user) &&
           stageOf[def] != stageOf[user];
  };
  batch = std::make_unique<FormAnalysis>(block, std::move(*axis));
  levels = batch->getLevels();
  // Partial values, and what waits for a completion, cannot be made anew.
  for (Operation &op : block)
    if (argumentFree.contains(&op)) {
      const FormRule &rule = batch->getRule(&op);
      bool waits =
          llvm::any_of(rule.results, [](Form f) { return f.isPartial(); });
      for (auto [value, want] :
           llvm::zip_equal(op.getOperands(), rule.operands))
        waits |= batch->getDelay(value, want) != 0;
      for (Value operand : op.getOperands())
        waits |= !argumentFree.contains(operand.getDefiningOp());
      for (Operation *user : op.getUsers())
        waits |= user == block.getTerminator();
      if (!waits)
        continue;
      argumentFree.erase(&op);
      int64_t stage = 0;
      for (Operation *user : op.getUsers())
        if (stageOf.contains(getTop(user)))
          stage = stageOf[getTop(user)];
      stageOf[&op] = stage;
    }
  units.resize(stages.size());
  for (Operation &op : block) {
    if (!stageOf.contains(&op))
      continue;
    UnitKey unit;
    unit.level = levels.ofOp[&op];
    unit.kind = getUnitKind(&op);
    for (Value use : getUses(&op)) {
      Operation *def = use.getDefiningOp();
      if (!def || !stageOf.contains(def))
        continue;
      UnitKey other = unitOf[def];
      if (other.level != unit.level || other.kind != unit.kind ||
          isCompleted(use))
        continue;
      int64_t from = stageOf[def], to = stageOf[&op];
      if (unit.kind == UnitKind::Once) {
        unit.hop = std::max(unit.hop, other.hop + (from != to));
      } else if (unit.kind == UnitKind::Forward ? from > to : from < to) {
        return (op.emitOpError()
                << "is on stage " << to << " and uses a value of stage " << from
                << " in the "
                << (unit.kind == UnitKind::Forward ? "forward" : "backward")
                << ", where values only go to "
                << (unit.kind == UnitKind::Forward ? "later" : "earlier")
                << " stages")
                   .attachNote(def->getLoc())
               << "the value is computed here";
      }
    }
    unitOf[&op] = unit;
  }
  delayHops();
  for (Operation &op : block)
    if (auto it = unitOf.find(&op); it != unitOf.end())
      units[stageOf[&op]][it->second].push_back(&op);
  return success();
}

/// Moves what only later hops of its stage need to the first of them: the less
/// is kept between hops, and what becomes updated state does so at once.
void StepLayout::delayHops() {
  Block &block = step.getBody().front();
  for (Operation &op : llvm::reverse(block)) {
    auto it = unitOf.find(&op);
    if (it == unitOf.end() || it->second.kind != UnitKind::Once ||
        op.use_empty() || llvm::any_of(op.getResults(), [&](Value result) {
          return isCompleted(result);
        }))
      continue;
    UnitKey &own = it->second;
    int64_t first = INT64_MAX;
    for (Operation *user : op.getUsers()) {
      auto used = unitOf.find(getTop(user));
      bool isBeside = used != unitOf.end() && used->second.level == own.level &&
                      used->second.kind == own.kind &&
                      stageOf[getTop(user)] == stageOf[&op];
      first = std::min(first, isBeside ? used->second.hop : own.hop);
    }
    own.hop = std::max(own.hop, first);
  }
}

void StepLayout::readSchedule(ModuleOp module) {
  for (ScheduleOp schedule : module.getOps<ScheduleOp>())
    for (auto list : schedule.getBody().getOps<StageScheduleOp>())
      for (StageRun &stage : stages)
        if (stage.planStage == int64_t(list.getIndex()))
          stage.splitsBackward |= llvm::any_of(
              list.getInstructions().getAsRange<InstructionAttr>(),
              [](InstructionAttr instruction) {
                return instruction.getKind() ==
                           InstructionKind::InputGradient ||
                       instruction.getKind() == InstructionKind::WeightGradient;
              });
}

/// Leaves in the backward of a stage what other stages need, and what that
/// needs; the rest becomes units of its own.
void StepLayout::splitBackward(int64_t stage) {
  std::map<UnitKey, std::vector<Operation *>> weights;
  for (auto &[unit, ops] : units[stage]) {
    if (unit.kind != UnitKind::Backward)
      continue;
    DenseSet<Operation *> needed;
    for (Operation *op : llvm::reverse(ops))
      if (llvm::any_of(op->getUsers(), [&](Operation *user) {
            Operation *top = getTop(user);
            auto it = stageOf.find(top);
            return needed.contains(top) ||
                   (it != stageOf.end() && it->second != stage);
          }))
        needed.insert(op);
    UnitKey weight = unit;
    weight.kind = UnitKind::Weight;
    std::vector<Operation *> rest;
    for (Operation *op : ops)
      (needed.contains(op) ? rest : weights[weight]).push_back(op);
    ops = std::move(rest);
  }
  for (auto &[unit, ops] : weights) {
    for (Operation *op : ops)
      unitOf[op] = unit;
    units[stage][unit] = std::move(ops);
  }
  for (auto it = units[stage].begin(); it != units[stage].end();)
    it = it->second.empty() ? units[stage].erase(it) : std::next(it);
}

std::pair<int64_t, int64_t> StepLayout::getUnits(const Holding &holding,
                                                 bool isTensor,
                                                 const Member &member) const {
  const AxisClass *axis = holding.getClass(isTensor);
  ArrayRef<int64_t> sizes =
      axis ? axis->sizes : stages[member.stage].samples[member.microbatch];
  int64_t before = axis ? 0 : microbatchOffsets[member.microbatch];
  int64_t number = isTensor ? member.tensor : member.data;
  for (int64_t size : sizes.take_front(number))
    before += size;
  return {sizes[number], before};
}

RankedTensorType StepLayout::getLocalType(Type type, const Holding &holding,
                                          const Member &member) const {
  auto tensorType = cast<RankedTensorType>(type);
  SmallVector<int64_t> shape(tensorType.getShape());
  for (bool isTensor : {false, true})
    if (const Form &form = holding.getForm(isTensor); form.isSplit()) {
      int64_t &dim = shape[form.dim];
      dim = dim / getTotalUnits(holding, isTensor) *
            getUnits(holding, isTensor, member).first;
    }
  return RankedTensorType::get(shape, tensorType.getElementType());
}
