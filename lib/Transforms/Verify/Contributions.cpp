//===- Contributions.cpp - Which samples a value is the sum of ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Contributions.h"
#include "hetero/Analysis/RankPrograms.h"
#include "hetero/Dialect/Stablehlo.h"

using namespace mlir;
using namespace hetero;
using namespace hetero::verify;

StringRef verify::getName(Axis axis) {
  switch (axis) {
  case Axis::Batch:
    return "batch";
  case Axis::Tensor:
    return "tensor";
  case Axis::Storage:
    return "storage";
  }
  return "";
}

/// "samples [0 to 4]", "members [1 to 2] of the tensor axis".
static std::string describe(Axis axis, const Cells &cells) {
  if (axis == Axis::Batch)
    return "samples " + cells.str();
  return "members " + cells.str() + " of the " +
         (axis == Axis::Tensor ? "tensor" : "storage") + " axis";
}

//===----------------------------------------------------------------------===//
// The plan
//===----------------------------------------------------------------------===//

static bool hasForms(func::FuncOp function) {
  StringRef name = HeteroDialect::getFormsAttrName();
  for (unsigned i = 0; i < function.getNumArguments(); ++i)
    if (function.getArgAttr(i, name))
      return true;
  for (unsigned i = 0; i < function.getNumResults(); ++i)
    if (function.getResultAttr(i, name))
      return true;
  return false;
}

std::unique_ptr<Contributions> Contributions::create(const Programs &programs) {
  ModuleOp module = programs.module;
  auto plans = module.getOps<PlanOp>();
  if (plans.empty() || llvm::none_of(module.getOps<func::FuncOp>(), hasForms)) {
    module.emitWarning() << "has no "
                         << (plans.empty() ? "hetero.plan" : "hetero.forms")
                         << "; that gradients are complete is not checked";
    return nullptr;
  }
  std::unique_ptr<Contributions> result(new Contributions(programs));
  FailureOr<PlanView> view = PlanView::read(*plans.begin());
  if (failed(view))
    return nullptr;
  result->view = std::move(*view);
  result->step = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
      module, result->view.plan.getStepAttr());
  for (auto &[rank, program] : programs.ranks)
    for (BlockArgument argument : program.function.getArguments()) {
      Content &content = result->values[rank][argument];
      content.argument = argument;
      if (auto part = program.function.getArgAttrOfType<PartAttr>(
              argument.getArgNumber(), HeteroDialect::getPartAttrName()))
        content.number = part.getIndex();
    }
  for (auto &[rank, program] : programs.ranks)
    for (size_t stage = 0; stage < result->view.stages.size(); ++stage)
      if (std::optional<Place> place = result->getPlace(rank, stage))
        result->places[rank] = *place;
  return result;
}

std::optional<Place> Contributions::getPlace(int64_t rank,
                                             int64_t stage) const {
  if (stage < 0 || stage >= int64_t(view.stages.size()))
    return std::nullopt;
  const StageView &found = view.stages[stage];
  std::optional<std::pair<int64_t, int64_t>> member = found.findMember(rank);
  if (!member)
    return std::nullopt;
  return Place{&found, member->first, member->second};
}

/// The samples of a microbatch that a data member has.
static Cells getSamples(const PlanView &view, const StageView &stage,
                        int64_t microbatch, int64_t data) {
  ArrayRef<int64_t> shares = stage.samples[microbatch];
  int64_t offset = view.offsets[microbatch];
  for (int64_t share : shares.take_front(data))
    offset += share;
  return Cells(offset, offset + shares[data]);
}

FailureOr<std::array<Cells, 3>> Contributions::getOwn(const RankSteps &rank,
                                                      Operation *call) const {
  auto place = places.find(rank.rank);
  func::FuncOp callee = programs.getCallee(call);
  ProgramAttr program = getProgram(callee);
  if (place == places.end())
    return call->emitOpError()
           << "is of rank " << rank.rank << ", which no stage of the plan has";
  StageOp stage = place->second.stage->stage;
  if (!program || program.getStage() != int64_t(stage.getIndex())) {
    return (call->emitOpError()
            << "is of rank " << rank.rank << ", which the plan puts on stage "
            << stage.getIndex())
               .attachNote(callee.getLoc())
           << "what it calls is not of that stage";
  }
  if (!llvm::is_contained(program.getRanks(), rank.rank)) {
    return (call->emitOpError() << "is of rank " << rank.rank)
               .attachNote(callee.getLoc())
           << "what it calls is not for that rank";
  }
  int64_t data = place->second.data, tensor = place->second.tensor;
  std::array<Cells, 3> own = {Cells(), Cells(tensor, tensor + 1),
                              Cells(data, data + 1)};
  auto instruction = call->getAttrOfType<InstructionAttr>(
      HeteroDialect::getInstructionAttrName());
  if (!instruction || !instruction.getMicrobatch())
    return own;
  int64_t microbatch = *instruction.getMicrobatch();
  if (microbatch >= int64_t(view.microbatches.size())) {
    return (call->emitOpError() << "is for microbatch " << microbatch)
               .attachNote(view.plan.getLoc())
           << "the plan has " << view.microbatches.size() << " microbatches";
  }
  own[0] = getSamples(view, *place->second.stage, microbatch, data);
  return own;
}

Cells Contributions::getAll(const RankSteps &rank, Axis axis) const {
  if (axis == Axis::Batch)
    return Cells(0, view.plan.getBatch());
  auto place = places.find(rank.rank);
  if (place == places.end())
    return Cells(0, 1);
  const StageView &stage = *place->second.stage;
  return Cells(0, axis == Axis::Tensor ? stage.tensorSize : stage.dataSize);
}

/// A sum of everything is whole on all members once they have joined it.
Share Contributions::complete(const RankSteps &rank, Axis axis,
                              Share share) const {
  if (share.isPartial() && share.cells == getAll(rank, axis))
    return Share::whole();
  return share;
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

const Content &Contributions::get(const RankSteps &rank, Value value) const {
  static const Content nothing;
  auto known = values.find(rank.rank);
  if (known == values.end())
    return nothing;
  auto it = known->second.find(value);
  return it == known->second.end() ? nothing : it->second;
}

InFlightDiagnostic Contributions::reportUse(const RankSteps &rank,
                                            Operation *op, OpOperand &operand,
                                            Axis axis,
                                            const Share &share) const {
  Cells all = getAll(rank, axis);
  InFlightDiagnostic error = op->emitOpError();
  error << "of rank " << rank.rank;
  if (auto instruction = op->getAttrOfType<InstructionAttr>(
          HeteroDialect::getInstructionAttrName()))
    error << " (" << stringifyInstructionKind(instruction.getKind()) << ")";
  error << " uses operand " << operand.getOperandNumber() << " as a whole, ";
  if (share.isSplit())
    error << "which has only " << describe(axis, share.cells);
  else
    error << "which is a " << stringifyReductionKind(share.reduction) << " of "
          << describe(axis, share.cells);
  error << "; " << describe(axis, all.subtract(share.cells)) << " are missing";
  Location from = operand.get().getLoc();
  error.attachNote(from) << "it comes from here";
  return error;
}

/// The samples that a part has of an argument, if that is split as `form` says.
static std::optional<Cells> getPartCells(PartAttr part, FormAttr form) {
  if (form.getDim() >= int64_t(part.getRanges().size()))
    return std::nullopt;
  ArrayRef<int64_t> ranges = part.getRanges()[form.getDim()].asArrayRef();
  if (int64_t(ranges.size()) != 2 * form.getOuter() ||
      ranges[0] % form.getInner() != 0 || ranges[1] % form.getInner() != 0)
    return std::nullopt;
  return Cells(ranges[0] / form.getInner(), ranges[1] / form.getInner());
}

LogicalResult Contributions::checkOperand(const RankSteps &rank, Operation *op,
                                          OpOperand &operand, FormsAttr forms,
                                          const std::array<Cells, 3> &own) {
  const Content &content = get(rank, operand.get());
  auto type = dyn_cast<RankedTensorType>(operand.get().getType());
  if (content.isConstant) {
    // An offset, no samples, or nothing to be added.
    bool isOffset =
        type && type.getRank() == 0 && type.getElementType().isInteger();
    if (forms || isOffset)
      return success();
    return (report(rank, op)
            << "uses operand " << operand.getOperandNumber()
            << " as a whole, to which no sample has contributed")
               .attachNote(operand.get().getLoc())
           << "it comes from here";
  }
  for (Axis axis : allAxes) {
    FormAttr form = forms ? forms.getForm(getName(axis))
                          : FormAttr::getReplicated(op->getContext());
    Share share = content[axis];
    const Cells &mine = own[static_cast<int>(axis)];
    // On the other axes the types of split values say enough.
    if (form.isSplit() && axis != Axis::Batch)
      form = FormAttr::getReplicated(op->getContext());
    // Where the tensor axis divides the samples, VerifyParts.cpp knows who has
    // which.
    FormAttr other = forms ? forms.getForm(getName(Axis::Tensor)) : FormAttr();
    bool isDivided =
        other && other.isSplit() && other.getDim() == form.getDim();
    if (form.isSplit() && content.argument && !isDivided) {
      auto part = rank.function.getArgAttrOfType<PartAttr>(
          content.argument.getArgNumber(), HeteroDialect::getPartAttrName());
      std::optional<Cells> cells;
      if (part)
        cells = getPartCells(part, form);
      if (cells)
        share = {FormKind::Split, ReductionKind::Sum, *cells};
    }
    Cells all = getAll(rank, axis);
    if (form.isReplicated()) {
      if (share.isWhole() || share.cells == all)
        continue;
      return reportUse(rank, op, operand, axis, share);
    }
    Share wanted{form.getKind(), form.getReduction(), mine};
    if (share == wanted || (share.isWhole() && mine == all))
      continue;
    InFlightDiagnostic error = report(rank, op);
    error << "takes " << (form.isSplit() ? "" : "a sum of ")
          << describe(axis, mine) << " as operand "
          << operand.getOperandNumber() << " and is given ";
    if (share.isWhole())
      error << "a whole value";
    else
      error << (share.isSplit() ? "" : "a sum of ")
            << describe(axis, share.cells);
    error.attachNote(operand.get().getLoc()) << "it comes from here";
    return error;
  }
  return success();
}

std::string Contributions::describeNumber(std::optional<int64_t> number) const {
  if (!number)
    return "a value without a number";
  if (step && *number < int64_t(step.getNumArguments()))
    return "argument " + std::to_string(*number) + " of the step";
  return "value " + std::to_string(*number);
}

LogicalResult Contributions::checkNumber(const RankSteps &rank, Operation *op,
                                         const Twine &what,
                                         std::optional<int64_t> number,
                                         DenseI64ArrayAttr expected,
                                         int64_t index) const {
  if (!number || !expected || index >= expected.size() ||
      expected[index] == *number)
    return success();
  return report(rank, op) << "has " << describeNumber(number) << " as " << what
                          << " instead of " << describeNumber(expected[index]);
}

/// An operand after the inputs says where the samples begin, so that indices
/// and random numbers are those of the whole batch.
LogicalResult Contributions::checkOffset(const RankSteps &rank, Operation *op,
                                         const Cells &samples) const {
  func::FuncOp callee = programs.getCallee(op);
  auto inputs = callee->getAttrOfType<DenseI64ArrayAttr>("hetero.inputs");
  if (!inputs || samples.empty() ||
      int64_t(op->getNumOperands()) != inputs.size() + 1)
    return success();
  Value offset = op->getOperand(inputs.size());
  auto constant = offset.getDefiningOp<stablehlo::ConstantOp>();
  auto value = constant ? dyn_cast<DenseIntElementsAttr>(constant.getValue())
                        : DenseIntElementsAttr();
  if (value && value.isSplat() &&
      value.getSplatValue<APInt>().getSExtValue() == samples.front())
    return success();
  return (report(rank, op) << "works on samples " << samples.str()
                           << ", and its offset is not " << samples.front())
             .attachNote(offset.getLoc())
         << "the offset comes from here";
}

LogicalResult Contributions::executeCall(const RankSteps &rank, Operation *op) {
  FailureOr<std::array<Cells, 3>> own = getOwn(rank, op);
  if (failed(own))
    return failure();
  func::FuncOp callee = programs.getCallee(op);
  StringRef name = HeteroDialect::getFormsAttrName();
  for (OpOperand &operand : op->getOpOperands()) {
    unsigned number = operand.getOperandNumber();
    if (failed(checkOperand(rank, op, operand,
                            callee.getArgAttrOfType<FormsAttr>(number, name),
                            *own)) ||
        failed(checkNumber(
            rank, op, "operand " + Twine(number),
            get(rank, operand.get()).number,
            callee->getAttrOfType<DenseI64ArrayAttr>("hetero.inputs"), number)))
      return failure();
  }
  if (failed(checkOffset(rank, op, (*own)[0])))
    return failure();
  auto outputs = callee->getAttrOfType<DenseI64ArrayAttr>("hetero.outputs");
  for (OpResult result : op->getResults()) {
    Content content;
    if (outputs && int64_t(result.getResultNumber()) < outputs.size())
      content.number = outputs[result.getResultNumber()];
    auto forms =
        callee.getResultAttrOfType<FormsAttr>(result.getResultNumber(), name);
    for (Axis axis : allAxes) {
      if (!forms)
        break;
      FormAttr form = forms.getForm(getName(axis));
      if (form.isReplicated() || (form.isSplit() && axis != Axis::Batch))
        continue;
      const Cells &mine = (*own)[static_cast<int>(axis)];
      content[axis] = {form.getKind(), form.getReduction(), mine};
      numSums += form.isPartial();
    }
    set(rank, result, content);
  }
  return success();
}

LogicalResult Contributions::executeAccumulate(const RankSteps &rank,
                                               AccumulateOp op) {
  Content operand = get(rank, op.getOperand()),
          sum = get(rank, op.getAccumulator());
  if (operand.isConstant || sum.isConstant) {
    const Content &other = operand.isConstant ? sum : operand;
    for (Axis axis : allAxes)
      if (other[axis].isPartial() && other[axis].reduction != op.getReduction())
        return report(rank, op)
               << "combines by " << stringifyReductionKind(op.getReduction())
               << " what is partial "
               << stringifyReductionKind(other[axis].reduction);
    set(rank, op.getResult(), other);
    return success();
  }
  if (operand.number != sum.number)
    return report(rank, op) << "adds " << describeNumber(operand.number)
                            << " to " << describeNumber(sum.number);
  bool joined = false;
  for (Axis axis : allAxes) {
    Share &to = sum[axis], &from = operand[axis];
    if (axis != Axis::Batch && from == to)
      continue;
    if (from.isWhole() && to.isWhole())
      continue;
    if (!from.isPartial() || !to.isPartial() ||
        from.reduction != op.getReduction() ||
        to.reduction != op.getReduction())
      return report(rank, op) << "joins what is not partial "
                              << stringifyReductionKind(op.getReduction())
                              << " on the " << getName(axis) << " axis";
    Cells twice = from.cells.intersect(to.cells);
    if (op.getReduction() == ReductionKind::Sum && !twice.empty()) {
      return (report(rank, op)
              << "counts " << describe(axis, twice) << " twice")
                 .attachNote(op.getOperand().getLoc())
             << "once more here";
    }
    to.cells = to.cells.unite(from.cells);
    joined = true;
  }
  if (!joined && op.getReduction() == ReductionKind::Sum)
    return report(rank, op) << "adds to a value that is whole already";
  set(rank, op.getResult(), sum);
  return success();
}

/// Operations of the rank program around communication: they move data, or take
/// whole values.
LogicalResult Contributions::executeOther(const RankSteps &rank,
                                          Operation *op) {
  Content content;
  content.isConstant = llvm::all_of(op->getOperands(), [&](Value value) {
    return get(rank, value).isConstant;
  });
  Cells cells;
  bool isSplit = false, isFirst = true;
  for (OpOperand &operand : op->getOpOperands()) {
    const Content &from = get(rank, operand.get());
    if (from.isConstant)
      continue;
    if (isFirst)
      content.number = from.number;
    else if (content.number != from.number)
      content.number = std::nullopt;
    isFirst = false;
    bool moves = isa<stablehlo::SliceOp, stablehlo::ReshapeOp,
                     stablehlo::ConcatenateOp, CopyOp>(op);
    for (Axis axis : allAxes) {
      const Share &share = from[axis];
      bool isComplete = share.cells == getAll(rank, axis);
      if (share.isWhole() || (isComplete && (share.isPartial() || !moves)))
        continue;
      // Pieces of sums are put together if they are sums of the same.
      bool agree = llvm::all_of(op->getOperands(), [&](Value other) {
        const Content &piece = get(rank, other);
        return piece.isConstant || piece[axis] == share;
      });
      if (!moves || (share.isPartial() && !agree))
        return reportUse(rank, op, operand, axis, share);
      content[axis] = share;
    }
    if (!from[Axis::Batch].isSplit() || !moves)
      continue;
    const Cells &more = from[Axis::Batch].cells;
    if (!cells.empty() && !more.empty() && more.front() < cells.back())
      return report(rank, op) << "puts " << describe(Axis::Batch, more)
                              << " after " << describe(Axis::Batch, cells);
    cells = cells.unite(more);
    isSplit = true;
  }
  if (auto slice = dyn_cast<stablehlo::SliceOp>(op); slice && isSplit) {
    ArrayRef<int64_t> shape =
        cast<RankedTensorType>(slice.getOperand().getType()).getShape();
    int64_t count = cells.count();
    for (auto [dim, size] : llvm::enumerate(shape)) {
      int64_t begin = slice.getStartIndices()[dim],
              end = slice.getLimitIndices()[dim];
      if ((begin == 0 && end == size) || count == 0 || size % count != 0)
        continue;
      int64_t inner = size / count;
      cells = cells.slice(begin / inner, end / inner);
      break;
    }
  }
  if (isSplit)
    content[Axis::Batch] = {FormKind::Split, ReductionKind::Sum, cells};
  for (Value result : op->getResults())
    set(rank, result, content);
  return success();
}

LogicalResult Contributions::executeReturn(const RankSteps &rank,
                                           Operation *op) {
  for (OpOperand &operand : op->getOpOperands()) {
    const Content &content = get(rank, operand.get());
    auto part = rank.function.getResultAttrOfType<PartAttr>(
        operand.getOperandNumber(), HeteroDialect::getPartAttrName());
    if (part && step &&
        failed(checkNumber(
            rank, op, "result " + Twine(part.getIndex()) + " of the step",
            content.number,
            step->getAttrOfType<DenseI64ArrayAttr>("hetero.outputs"),
            part.getIndex())))
      return failure();
    for (Axis axis : allAxes) {
      if (content.isConstant || !content[axis].isPartial() ||
          content[axis].cells == getAll(rank, axis))
        continue;
      return (report(rank, op)
              << "returns as result " << operand.getOperandNumber() << " a "
              << stringifyReductionKind(content[axis].reduction) << " of "
              << describe(axis, content[axis].cells) << "; "
              << describe(axis,
                          getAll(rank, axis).subtract(content[axis].cells))
              << " are missing")
                 .attachNote(operand.get().getLoc())
             << "it comes from here";
    }
  }
  return success();
}

LogicalResult Contributions::checkUnits() const {
  bool ok = true;
  ModuleOp module = programs.module;
  for (auto unit : module.getOps<func::FuncOp>()) {
    ProgramAttr program = getProgram(unit);
    if (!program || !program.getStage() || unit.isExternal())
      continue;
    // Members of one stage differ in nothing that matters inside.
    std::optional<Place> place =
        getPlace(program.getRanks().front(), *program.getStage());
    if (!place)
      return unit.emitOpError() << "is of stage " << *program.getStage()
                                << " and rank " << program.getRanks().front()
                                << ", which the plan does not have there";
    ok &= succeeded(checkUnitSums(unit, *place));
  }
  return success(ok);
}

LogicalResult Contributions::execute(const RankSteps &rank, const Step &step) {
  Operation *op = step.op;
  if (isa<func::CallOp>(op))
    return executeCall(rank, op);
  if (auto accumulate = dyn_cast<AccumulateOp>(op))
    return executeAccumulate(rank, accumulate);
  if (isa<func::ReturnOp>(op))
    return executeReturn(rank, op);
  return executeOther(rank, op);
}
