//===- RankPrograms.cpp - The program of each rank ------------------------===//
//
// Part of the hetero project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RankPrograms.h"
#include "mlir/IR/SymbolTable.h"

using namespace mlir;
using namespace hetero;
using namespace hetero::partition;

namespace {

/// Unit functions, made when they are first called. Members with equal shapes
/// share one.
class UnitTable {
public:
  UnitTable(ModuleOp module, const StepLayout &layout, const Traffic &traffic)
      : module(module), layout(layout), traffic(traffic) {}

  FailureOr<const UnitFunction *> get(const UnitKey &key, const Member &member);
  /// Says on each function which ranks run it.
  void setPrograms();

private:
  struct Entry {
    UnitFunction unit;
    int64_t stage;
    UnitKey key;
    llvm::SmallSetVector<int64_t, 4> ranks;
  };
  std::string getName(const UnitKey &key, int64_t stage, int64_t number) const;

  ModuleOp module;
  const StepLayout &layout;
  const Traffic &traffic;
  using CacheKey = std::tuple<int64_t, UnitKey, int64_t, int64_t, int64_t>;
  std::map<CacheKey, size_t> cache;
  std::vector<std::unique_ptr<Entry>> entries;
};

/// Where a rank keeps a value: variant, microbatch (0 if there is one
/// instance), and for arguments whether it is the stored part.
using StoreKey = std::tuple<void *, Variant, int64_t, bool>;

class RankBuilder {
public:
  RankBuilder(const StepLayout &layout, const Traffic &traffic,
              UnitTable &units, ScheduleOp schedule, Member member,
              OpBuilder builder)
      : layout(layout), traffic(traffic), units(units), schedule(schedule),
        member(member), stage(layout.stages[member.stage]),
        rank(stage.getRank(member.data, member.tensor)), builder(builder),
        emitter(layout, member, Where{member.stage, false}, builder) {}

  LogicalResult build();

private:
  LogicalResult bindArguments();
  LogicalResult bindState(BlockArgument argument);
  Value addArgument(BlockArgument argument, const Holding &holding,
                    int64_t microbatch);
  LogicalResult runLevel(int64_t level);
  LogicalResult call(const UnitKey &unit, int64_t microbatch);
  LogicalResult skip(ArrayRef<Operation *> ops, int64_t microbatch);
  FailureOr<Value> lookUp(const UnitValue &input, int64_t microbatch,
                          Where where);
  LogicalResult keep(const UnitValue &output, Value local, int64_t microbatch);
  LogicalResult finishLevel(int64_t level);
  FailureOr<Value> putTogether(Value value, const Holding &holding);
  void send(Value value, Variant variant, Value local, const Holding &holding,
            int64_t microbatch);
  Value receive(Value value, Variant variant, int64_t microbatch);
  void waitForSends(size_t keepLast);
  LogicalResult returnResults();
  SmallVector<std::pair<UnitKind, int64_t>> getOrder(int64_t level) const;
  PartAttr getPart(int64_t index, Type type, const Holding &holding,
                   int64_t microbatch) const;
  Value sliceUnits(Value local, Form form, int64_t units, int64_t begin,
                   int64_t end, Location loc);
  Value concatenateUnits(ArrayRef<Value> parts, Form form,
                         RankedTensorType type, Location loc);

  const StepLayout &layout;
  const Traffic &traffic;
  UnitTable &units;
  ScheduleOp schedule;
  Member member;
  const StageMesh &stage;
  int64_t rank;
  OpBuilder builder;
  UnitEmitter emitter;
  func::FuncOp function;
  SmallVector<Attribute> argumentAttrs;
  DenseMap<unsigned, int64_t> stateArguments; // Of the step -> of the rank.
  std::map<StoreKey, Value> store;
  llvm::MapVector<Value, Value> sums;
  llvm::MapVector<Value, SmallVector<Value>> parts;
  SmallVector<std::pair<size_t, Value>> sends; // When, and its handle.
  size_t numCalls = 0;
};
} // namespace

//===----------------------------------------------------------------------===//
// UnitTable
//===----------------------------------------------------------------------===//

std::string UnitTable::getName(const UnitKey &key, int64_t stage,
                               int64_t number) const {
  std::string name = "stage" + std::to_string(stage);
  if (key.kind == UnitKind::Once)
    name += key.level == layout.levels.last ? "_update" : "_prepare";
  else
    name += key.kind == UnitKind::Forward ? "_forward" : "_backward";
  if (layout.levels.last > 1 && key.level != layout.levels.last)
    name += "_sweep" + std::to_string(key.level);
  if (key.hop != 0)
    name += "_after" + std::to_string(key.hop);
  return name + "_" + std::to_string(number);
}

FailureOr<const UnitFunction *> UnitTable::get(const UnitKey &key,
                                               const Member &member) {
  const StageMesh &stage = layout.stages[member.stage];
  int64_t rank = stage.getRank(member.data, member.tensor);
  int64_t samples = key.kind == UnitKind::Once
                        ? 0
                        : stage.samples[member.microbatch][member.data];
  CacheKey cacheKey{member.stage, key, member.data, member.tensor, samples};
  if (auto it = cache.find(cacheKey); it != cache.end()) {
    entries[it->second]->ranks.insert(rank);
    return &entries[it->second]->unit;
  }
  ArrayRef<Operation *> ops = layout.units[member.stage].at(key);
  OpBuilder builder(module.getContext());
  builder.setInsertionPointToEnd(module.getBody());
  Where where = layout.getWhere(ops.front());
  UnitEmitter emitter(layout, member, where, builder);
  int64_t number = llvm::count_if(entries, [&](const auto &entry) {
    return entry->stage == member.stage && entry->key == key;
  });
  FailureOr<UnitFunction> unit =
      emitter.emit(getName(key, member.stage, number), ops,
                   traffic.getOutputs(member.stage, ops), layout.step.getLoc());
  if (failed(unit))
    return failure();
  for (auto [index, entry] : llvm::enumerate(entries)) {
    if (entry->stage != member.stage || !(entry->key == key) ||
        entry->unit.inputs != unit->inputs ||
        !OperationEquivalence::isRegionEquivalentTo(
            &entry->unit.function.getBody(), &unit->function.getBody(),
            OperationEquivalence::IgnoreLocations))
      continue;
    unit->function.erase();
    entry->ranks.insert(rank);
    cache[cacheKey] = index;
    return &entry->unit;
  }
  auto entry = std::make_unique<Entry>();
  entry->unit = std::move(*unit);
  entry->stage = member.stage;
  entry->key = key;
  entry->ranks.insert(rank);
  entries.push_back(std::move(entry));
  cache[cacheKey] = entries.size() - 1;
  return &entries.back()->unit;
}

static InstructionKind getInstructionKind(const UnitKey &key,
                                          int64_t lastLevel) {
  if (key.kind == UnitKind::Forward)
    return InstructionKind::Forward;
  if (key.kind == UnitKind::Backward)
    return InstructionKind::Backward;
  return key.level == lastLevel ? InstructionKind::Update
                                : InstructionKind::Prepare;
}

/// Sweeps are numbered; the update is no sweep.
static int64_t getSweep(const UnitKey &key, int64_t lastLevel) {
  return key.kind == UnitKind::Once && key.level == lastLevel ? 0 : key.level;
}

void UnitTable::setPrograms() {
  MLIRContext *context = module.getContext();
  int64_t last = layout.levels.last;
  for (auto &entry : entries) {
    SmallVector<int64_t> ranks(entry->ranks.begin(), entry->ranks.end());
    llvm::sort(ranks);
    entry->unit.function->setAttr(
        HeteroDialect::getProgramAttrName(),
        ProgramAttr::get(context, entry->stage,
                         getInstructionKind(entry->key, last), /*chunk=*/0,
                         getSweep(entry->key, last), ranks));
  }
}

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

/// The ranges of a value that this rank has.
PartAttr RankBuilder::getPart(int64_t index, Type type, const Holding &holding,
                              int64_t microbatch) const {
  auto tensorType = cast<RankedTensorType>(type);
  SmallVector<SmallVector<int64_t>> ranges;
  for (int64_t size : tensorType.getShape())
    ranges.push_back({0, size});
  auto split = [&](const Form &form, int64_t total,
                   std::pair<int64_t, int64_t> units) {
    if (!form.isSplit())
      return;
    SmallVector<int64_t> &list = ranges[form.dim];
    list.clear();
    for (int64_t outer = 0; outer < form.outer; ++outer) {
      int64_t begin = (outer * total + units.second) * form.inner;
      list.append({begin, begin + units.first * form.inner});
    }
  };
  if (holding.data.isSplit())
    split(holding.data, layout.getTotalUnits(holding),
          layout.getDataUnits(holding, member.stage, microbatch, member.data));
  if (holding.tensor.isSplit())
    split(holding.tensor, holding.tensorClass->units,
          StepLayout::getUnits(*holding.tensorClass, member.tensor));
  MLIRContext *context = type.getContext();
  SmallVector<DenseI64ArrayAttr> attrs =
      llvm::map_to_vector(ranges, [&](ArrayRef<int64_t> list) {
        return DenseI64ArrayAttr::get(context, list);
      });
  return PartAttr::get(context, index, attrs);
}

Value RankBuilder::addArgument(BlockArgument argument, const Holding &holding,
                               int64_t microbatch) {
  unsigned index = argument.getArgNumber();
  SmallVector<NamedAttribute> attrs;
  attrs.push_back(builder.getNamedAttr(
      HeteroDialect::getPartAttrName(),
      getPart(index, argument.getType(), holding, microbatch)));
  if (RoleAttr role = layout.roles.arguments[index])
    attrs.push_back(
        builder.getNamedAttr(HeteroDialect::getRoleAttrName(), role));
  argumentAttrs.push_back(builder.getDictionaryAttr(attrs));
  return function.getBody().front().addArgument(
      layout.getLocalType(argument.getType(), holding, member.stage, microbatch,
                          member.data, member.tensor),
      argument.getLoc());
}

/// State lives here: as it is stored, whole for the gradients if they use it,
/// and sent to other stages that do.
LogicalResult RankBuilder::bindState(BlockArgument argument) {
  Holding stored = layout.getStored(argument),
          whole = layout.getArgument(argument);
  void *key = argument.getAsOpaquePointer();
  stateArguments[argument.getArgNumber()] = argumentAttrs.size();
  Value part = addArgument(argument, stored, 0);
  store[{key, Variant::Native, 0, true}] = part;
  if (!traffic.isNeeded(argument, Variant::Native, member.stage))
    return success();
  FailureOr<Value> gathered = emitter.convert(part, argument.getType(), stored,
                                              whole, argument.getLoc());
  if (failed(gathered))
    return failure();
  store[{key, Variant::Native, 0, false}] = *gathered;
  SmallVector<int64_t> destinations =
      traffic.getDestinations(argument, Variant::Moved);
  if (destinations.empty())
    return success();
  Holding moved = getVariantHolding(layout, {argument, Variant::Moved},
                                    {member.stage, false});
  FailureOr<Value> local = emitter.convert(*gathered, argument.getType(), whole,
                                           moved, argument.getLoc());
  if (failed(local))
    return failure();
  send(argument, Variant::Moved, *local, moved, 0);
  return success();
}

LogicalResult RankBuilder::bindArguments() {
  SmallVector<BlockArgument> state;
  for (BlockArgument argument : layout.step.getArguments()) {
    if (std::optional<int64_t> home = layout.getHome(argument)) {
      if (*home == member.stage && failed(bindState(argument)))
        return failure();
      continue;
    }
    if (!traffic.isNeeded(argument, Variant::Native, member.stage))
      continue;
    Holding holding = layout.getArgument(argument);
    int64_t count = holding.data.isSplit() ? layout.microbatches.size() : 1;
    for (int64_t microbatch = 0; microbatch < count; ++microbatch)
      store[{argument.getAsOpaquePointer(), Variant::Native, microbatch,
             false}] = addArgument(argument, holding, microbatch);
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Parts of values
//===----------------------------------------------------------------------===//

/// The type with the units of `form` apart: [.., outer, units * inner, ..].
static RankedTensorType getWideType(RankedTensorType type, const Form &form) {
  SmallVector<int64_t> shape(type.getShape());
  if (form.outer != 1) {
    shape[form.dim] /= form.outer;
    shape.insert(shape.begin() + form.dim, form.outer);
  }
  return RankedTensorType::get(shape, type.getElementType());
}

Value RankBuilder::sliceUnits(Value local, Form form, int64_t total,
                              int64_t begin, int64_t end, Location loc) {
  if (begin == 0 && end == total)
    return local;
  auto type = cast<RankedTensorType>(local.getType());
  RankedTensorType wide = getWideType(type, form);
  int64_t at = form.dim + (form.outer != 1);
  if (wide != type)
    local = stablehlo::ReshapeOp::create(builder, loc, wide, local);
  SmallVector<int64_t> starts(wide.getRank(), 0), limits(wide.getShape()),
      strides(wide.getRank(), 1);
  starts[at] = begin * form.inner;
  limits[at] = end * form.inner;
  Value part =
      stablehlo::SliceOp::create(builder, loc, local, starts, limits, strides);
  if (wide == type)
    return part;
  SmallVector<int64_t> shape(type.getShape());
  shape[form.dim] = form.outer * (end - begin) * form.inner;
  return stablehlo::ReshapeOp::create(
      builder, loc, RankedTensorType::get(shape, type.getElementType()), part);
}

Value RankBuilder::concatenateUnits(ArrayRef<Value> pieces, Form form,
                                    RankedTensorType type, Location loc) {
  if (pieces.empty())
    return stablehlo::ConstantOp::create(
        builder, loc, cast<DenseElementsAttr>(builder.getZeroAttr(type)));
  if (pieces.size() == 1)
    return pieces.front();
  SmallVector<Value> wide;
  for (Value piece : pieces) {
    auto pieceType = cast<RankedTensorType>(piece.getType());
    RankedTensorType wideType = getWideType(pieceType, form);
    wide.push_back(wideType == pieceType ? piece
                                         : stablehlo::ReshapeOp::create(
                                               builder, loc, wideType, piece));
  }
  RankedTensorType wideType = getWideType(type, form);
  Value all = stablehlo::ConcatenateOp::create(builder, loc, wideType, wide,
                                               form.dim + (form.outer != 1));
  return wideType == type
             ? all
             : stablehlo::ReshapeOp::create(builder, loc, type, all);
}

//===----------------------------------------------------------------------===//
// Between stages
//===----------------------------------------------------------------------===//

/// Sends what the ranks of other stages take from this one.
void RankBuilder::send(Value value, Variant variant, Value local,
                       const Holding &holding, int64_t microbatch) {
  Location loc = value.getLoc();
  int64_t position = member.data * stage.tensorSize + member.tensor;
  for (int64_t to : traffic.getDestinations(value, variant)) {
    const StageMesh &other = layout.stages[to];
    int64_t channel = traffic.getChannel(value, variant, to, microbatch);
    auto emit = [&](Value part, int64_t peer) {
      auto handle = HandleType::get(builder.getContext(), Type());
      Value sent = SendOp::create(builder, loc, handle, part,
                                  builder.getI64IntegerAttr(peer),
                                  builder.getI64IntegerAttr(channel))
                       .getHandle();
      sends.push_back({numCalls, sent});
    };
    for (int64_t data = 0; data < other.dataSize; ++data)
      for (int64_t tensor = 0; tensor < other.tensorSize; ++tensor) {
        int64_t peer = other.getRank(data, tensor);
        if (!holding.data.isSplit()) {
          int64_t source =
              (data * other.tensorSize + tensor) % stage.grid.size();
          if (source == position)
            emit(local, peer);
          continue;
        }
        if (tensor % stage.tensorSize != member.tensor)
          continue;
        auto [size, begin] =
            layout.getDataUnits(holding, member.stage, microbatch, member.data);
        auto [wanted, from] =
            layout.getDataUnits(holding, to, microbatch, data);
        int64_t low = std::max(begin, from);
        int64_t high = std::min(begin + size, from + wanted);
        if (low < high)
          emit(sliceUnits(local, holding.data, size, low - begin, high - begin,
                          loc),
               peer);
      }
  }
}

Value RankBuilder::receive(Value value, Variant variant, int64_t microbatch) {
  Location loc = value.getLoc();
  int64_t from = value.getDefiningOp()
                     ? layout.getStage(value.getDefiningOp())
                     : *layout.getHome(cast<BlockArgument>(value));
  const StageMesh &other = layout.stages[from];
  int64_t channel =
      traffic.getChannel(value, variant, member.stage, microbatch);
  Holding holding =
      getVariantHolding(layout, {value, variant}, {member.stage, false});
  RankedTensorType type =
      layout.getLocalType(value.getType(), holding, member.stage, microbatch,
                          member.data, member.tensor);
  auto emit = [&](RankedTensorType part, int64_t peer) -> Value {
    return RecvOp::create(builder, loc, part, builder.getI64IntegerAttr(peer),
                          builder.getI64IntegerAttr(channel));
  };
  if (!holding.data.isSplit())
    return emit(type,
                other.grid[(member.data * stage.tensorSize + member.tensor) %
                           other.grid.size()]);
  auto [wanted, begin] =
      layout.getDataUnits(holding, member.stage, microbatch, member.data);
  SmallVector<Value> pieces;
  for (int64_t data = 0; data < other.dataSize; ++data) {
    auto [size, start] = layout.getDataUnits(holding, from, microbatch, data);
    int64_t low = std::max(begin, start),
            high = std::min(begin + wanted, start + size);
    if (low >= high)
      continue;
    SmallVector<int64_t> shape(type.getShape());
    shape[holding.data.dim] =
        holding.data.outer * (high - low) * holding.data.inner;
    pieces.push_back(
        emit(RankedTensorType::get(shape, type.getElementType()),
             other.getRank(data, member.tensor % other.tensorSize)));
  }
  return concatenateUnits(pieces, holding.data, type, loc);
}

/// Waits for sends that were started some calls ago: by then they had the time
/// of a call to arrive, and what they send can end.
void RankBuilder::waitForSends(size_t keepLast) {
  size_t done = 0;
  for (auto &[when, handle] : sends) {
    if (when + keepLast > numCalls)
      break;
    WaitOp::create(builder, handle.getLoc(), TypeRange(), handle);
    ++done;
  }
  sends.erase(sends.begin(), sends.begin() + done);
}

/// The value that leaves others as they are when it is combined with them.
static DenseElementsAttr getNeutralValue(RankedTensorType type,
                                         ReductionKind reduction) {
  Type element = type.getElementType();
  bool lowest = reduction == ReductionKind::Max;
  if (reduction == ReductionKind::Max || reduction == ReductionKind::Min) {
    if (auto floating = dyn_cast<FloatType>(element))
      return DenseElementsAttr::get(
          type, APFloat::getInf(floating.getFloatSemantics(), lowest));
    unsigned width = element.getIntOrFloatBitWidth();
    bool isUnsigned = element.isUnsignedInteger() || width == 1;
    APInt value = isUnsigned ? (lowest ? APInt::getZero(width)
                                       : APInt::getMaxValue(width))
                             : (lowest ? APInt::getSignedMinValue(width)
                                       : APInt::getSignedMaxValue(width));
    return DenseElementsAttr::get(type, value);
  }
  if (reduction == ReductionKind::And)
    return DenseElementsAttr::get(
        type, APInt::getAllOnes(element.getIntOrFloatBitWidth()));
  OpBuilder builder(type.getContext());
  return cast<DenseElementsAttr>(builder.getZeroAttr(type));
}

//===----------------------------------------------------------------------===//
// Units
//===----------------------------------------------------------------------===//

FailureOr<Value> RankBuilder::lookUp(const UnitValue &input, int64_t microbatch,
                                     Where where) {
  bool perMicrobatch =
      !isWhole(input.variant) && layout.isPerMicrobatch(input.value);
  bool stored =
      where.update && isa<BlockArgument>(input.value) &&
      layout.getHome(cast<BlockArgument>(input.value)) == member.stage;
  StoreKey key{input.value.getAsOpaquePointer(), input.variant,
               perMicrobatch ? microbatch : 0, stored};
  if (auto it = store.find(key); it != store.end())
    return it->second;
  if (isMoved(input.variant))
    return store[key] = receive(input.value, input.variant, std::get<2>(key));
  return emitError(input.value.getLoc()) << "is used on stage " << member.stage
                                         << " before it is computed there";
}

/// What leaves a unit: kept for later units, added up, sent.
LogicalResult RankBuilder::keep(const UnitValue &output, Value local,
                                int64_t microbatch) {
  Value value = output.value;
  bool perMicrobatch = layout.isPerMicrobatch(value);
  Form form = layout.batch->getForm(value);
  if (output.variant == Variant::Moved) {
    if (form.isPartial())
      return emitError(value.getLoc())
             << "a partial value cannot go from stage " << member.stage
             << " to another one";
    send(value, Variant::Moved, local,
         getVariantHolding(layout, output, {member.stage, false}),
         perMicrobatch ? microbatch : 0);
    return success();
  }
  store[{value.getAsOpaquePointer(), Variant::Native,
         perMicrobatch ? microbatch : 0, false}] = local;
  if (!traffic.isNeeded(value, Variant::Whole, member.stage))
    return success();
  if (form.isSplit()) {
    parts[value].push_back(local);
    return success();
  }
  auto [it, isFirst] = sums.insert({value, local});
  if (!isFirst)
    it->second = AccumulateOp::create(
        builder, value.getLoc(), local.getType(),
        ReductionKindAttr::get(builder.getContext(), form.reduction), local,
        it->second);
  return success();
}

/// What a unit gives a member that has no samples: nothing, or what does not
/// change a sum.
LogicalResult RankBuilder::skip(ArrayRef<Operation *> ops, int64_t microbatch) {
  for (const UnitValue &output : traffic.getOutputs(member.stage, ops)) {
    Holding holding =
        getVariantHolding(layout, output, {member.stage, /*update=*/false});
    RankedTensorType type =
        layout.getLocalType(output.value.getType(), holding, member.stage,
                            microbatch, member.data, member.tensor);
    DenseElementsAttr neutral =
        holding.data.isPartial()
            ? getNeutralValue(type, holding.data.reduction)
            : cast<DenseElementsAttr>(builder.getZeroAttr(type));
    Value nothing =
        stablehlo::ConstantOp::create(builder, output.value.getLoc(), neutral);
    if (failed(keep(output, nothing, microbatch)))
      return failure();
  }
  return success();
}

LogicalResult RankBuilder::call(const UnitKey &unit, int64_t microbatch) {
  auto it = layout.units[member.stage].find(unit);
  if (it == layout.units[member.stage].end())
    return success();
  if (unit.kind != UnitKind::Once &&
      stage.samples[microbatch][member.data] == 0)
    return skip(it->second, microbatch);
  Member at = member;
  at.microbatch = microbatch;
  FailureOr<const UnitFunction *> function = units.get(unit, at);
  if (failed(function))
    return failure();
  Where where = layout.getWhere(it->second.front());
  SmallVector<Value> operands;
  for (const UnitValue &input : (*function)->inputs) {
    FailureOr<Value> operand = lookUp(input, microbatch, where);
    if (failed(operand))
      return failure();
    operands.push_back(*operand);
  }
  Location loc = layout.step.getLoc();
  if ((*function)->takesOffset) {
    auto type = RankedTensorType::get({}, builder.getI64Type());
    int64_t offset =
        layout.getDataUnits(Holding(), member.stage, microbatch, member.data)
            .second;
    operands.push_back(stablehlo::ConstantOp::create(
        builder, loc, DenseElementsAttr::get(type, ArrayRef<int64_t>{offset})));
  }
  func::FuncOp callee = (*function)->function;
  auto call = func::CallOp::create(builder, loc, callee, operands);
  std::optional<int64_t> number;
  if (unit.kind != UnitKind::Once)
    number = microbatch;
  call->setAttr(HeteroDialect::getInstructionAttrName(),
                InstructionAttr::get(
                    builder.getContext(),
                    getInstructionKind(unit, layout.levels.last), number,
                    std::nullopt, 0, getSweep(unit, layout.levels.last)));
  ++numCalls;
  for (auto [output, result] :
       llvm::zip_equal((*function)->outputs, call.getResults()))
    if (failed(keep(output, result, microbatch)))
      return failure();
  waitForSends(/*keepLast=*/2);
  return success();
}

/// The order of microbatches in a sweep, from the schedule; 1F1B without one.
SmallVector<std::pair<UnitKind, int64_t>>
RankBuilder::getOrder(int64_t level) const {
  SmallVector<std::pair<UnitKind, int64_t>> order;
  ScheduleOp source = schedule;
  if (source) {
    for (int64_t sweep : {level, int64_t(0)}) {
      for (auto list : source.getBody().getOps<StageScheduleOp>())
        if (int64_t(list.getIndex()) == member.stage)
          for (auto instruction :
               list.getInstructions().getAsRange<InstructionAttr>())
            if (instruction.getSweep() == sweep &&
                (instruction.getKind() == InstructionKind::Forward ||
                 instruction.getKind() == InstructionKind::Backward))
              order.push_back({instruction.getKind() == InstructionKind::Forward
                                   ? UnitKind::Forward
                                   : UnitKind::Backward,
                               *instruction.getMicrobatch()});
      if (!order.empty())
        return order;
    }
    return order;
  }
  int64_t count = layout.microbatches.size();
  int64_t ahead = std::min<int64_t>(count, layout.stages.size() - member.stage);
  for (int64_t i = 0; i < ahead; ++i)
    order.push_back({UnitKind::Forward, i});
  for (int64_t i = 0; i < count; ++i) {
    order.push_back({UnitKind::Backward, i});
    if (ahead + i < count)
      order.push_back({UnitKind::Forward, ahead + i});
  }
  return order;
}

/// Makes a value whole that came in parts: the parts of each microbatch are
/// gathered from the devices, and follow each other.
FailureOr<Value> RankBuilder::putTogether(Value value, const Holding &holding) {
  Form form = holding.data;
  if (holding.tensor.isSplit() && holding.tensor.dim == form.dim)
    return emitError(value.getLoc())
           << "is split twice along dimension " << form.dim
           << " and needed whole; that cannot be partitioned yet";
  MLIRContext *context = builder.getContext();
  SmallVector<Value> pieces;
  for (auto [microbatch, part] : llvm::enumerate(parts[value])) {
    if (stage.dataSize == 1) {
      pieces.push_back(part);
      continue;
    }
    auto type = cast<RankedTensorType>(part.getType());
    SmallVector<int64_t> shape(type.getShape());
    shape[form.dim] = form.outer * layout.microbatches[microbatch] * form.inner;
    pieces.push_back(AllGatherOp::create(
        builder, value.getLoc(),
        RankedTensorType::get(shape, type.getElementType()), part,
        SplitAttr::get(context, form.dim, form.outer, form.inner,
                       stage.samples[microbatch]),
        FlatSymbolRefAttr::get(stage.mesh.getSymNameAttr()), stage.dataAxes,
        AlgorithmAttr::get(context, Algorithm::Auto), IntegerAttr()));
  }
  Holding whole = holding;
  whole.data = Form::replicated();
  return concatenateUnits(pieces, form,
                          layout.getLocalType(value.getType(), whole,
                                              member.stage, 0, member.data,
                                              member.tensor),
                          value.getLoc());
}

LogicalResult RankBuilder::finishLevel(int64_t level) {
  MLIRContext *context = builder.getContext();
  auto finish = [&](Value value, Value whole) -> LogicalResult {
    store[{value.getAsOpaquePointer(), Variant::Whole, 0, false}] = whole;
    if (traffic.getDestinations(value, Variant::MovedWhole).empty())
      return success();
    Holding have = layout.getCompleted(value);
    FailureOr<Value> moved = emitter.convert(whole, value.getType(), have,
                                             Holding(), value.getLoc());
    if (failed(moved))
      return failure();
    send(value, Variant::MovedWhole, *moved, Holding(), 0);
    return success();
  };
  for (auto &[value, sum] : sums) {
    Holding held = layout.getHeld(value), target = layout.getCompleted(value);
    Value whole = sum;
    if (stage.dataSize > 1) {
      RankedTensorType type = layout.getLocalType(
          value.getType(), target, member.stage, 0, member.data, member.tensor);
      auto reduction = ReductionKindAttr::get(context, held.data.reduction);
      auto mesh = FlatSymbolRefAttr::get(stage.mesh.getSymNameAttr());
      auto algorithm = AlgorithmAttr::get(context, Algorithm::Auto);
      Operation *op;
      if (target.data.isSplit())
        op = ReduceScatterOp::create(
            builder, value.getLoc(), type, reduction, sum,
            SplitAttr::get(context, target.data.dim, target.data.outer,
                           target.data.inner, target.dataClass->sizes),
            mesh, stage.dataAxes, algorithm, IntegerAttr());
      else
        op =
            AllReduceOp::create(builder, value.getLoc(), type, reduction, sum,
                                mesh, stage.dataAxes, algorithm, IntegerAttr());
      op->setAttr(HeteroDialect::getInstructionAttrName(),
                  InstructionAttr::get(context, InstructionKind::Reduce,
                                       std::nullopt, std::nullopt, 0, level));
      whole = op->getResult(0);
    }
    if (failed(finish(value, whole)))
      return failure();
  }
  for (auto &[value, list] : parts) {
    FailureOr<Value> whole = putTogether(value, layout.getHeld(value));
    if (failed(whole) || failed(finish(value, *whole)))
      return failure();
  }
  sums.clear();
  parts.clear();
  return success();
}

LogicalResult RankBuilder::runLevel(int64_t level) {
  int64_t lastHop = 0;
  for (auto &stageUnits : layout.units)
    for (auto &[unit, ops] : stageUnits)
      if (unit.level == level && unit.kind == UnitKind::Once)
        lastHop = std::max(lastHop, unit.hop);
  for (int64_t hop = 0; hop <= lastHop; ++hop)
    if (failed(call({level, UnitKind::Once, hop}, 0)))
      return failure();
  for (auto [kind, microbatch] : getOrder(level))
    if (failed(call({level, kind, 0}, microbatch)))
      return failure();
  return finishLevel(level);
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

LogicalResult RankBuilder::returnResults() {
  Operation *terminator = layout.step.getBody().front().getTerminator();
  SmallVector<Value> results;
  SmallVector<Attribute> attrs;
  auto add = [&](Value local, unsigned index, Type type, const Holding &holding,
                 int64_t microbatch) {
    results.push_back(local);
    SmallVector<NamedAttribute> list;
    list.push_back(
        builder.getNamedAttr(HeteroDialect::getPartAttrName(),
                             getPart(index, type, holding, microbatch)));
    if (RoleAttr role = layout.roles.results[index]) {
      if (role.getArgument())
        role = RoleAttr::get(builder.getContext(), role.getKind(),
                             stateArguments.lookup(*role.getArgument()));
      list.push_back(
          builder.getNamedAttr(HeteroDialect::getRoleAttrName(), role));
    }
    attrs.push_back(builder.getDictionaryAttr(list));
  };
  for (auto [index, value] : llvm::enumerate(terminator->getOperands())) {
    if (getResultStage(layout, index) != member.stage)
      continue;
    RoleAttr role = layout.roles.results[index];
    Variant variant = getResultVariant(layout, value, member.stage);
    Where where{member.stage, false};
    Holding have = getVariantHolding(layout, {value, variant}, where);
    if (!isWhole(variant) && layout.isPerMicrobatch(value)) {
      for (int64_t microbatch = 0, e = layout.microbatches.size();
           microbatch < e; ++microbatch) {
        FailureOr<Value> local = lookUp({value, variant}, microbatch, where);
        if (failed(local))
          return failure();
        add(*local, index, value.getType(), have, microbatch);
      }
      continue;
    }
    FailureOr<Value> local = lookUp({value, variant}, 0, where);
    if (failed(local))
      return failure();
    Holding want = have;
    if (role && role.getKind() == RoleKind::UpdatedState && role.getArgument())
      want = layout.getStored(layout.step.getArgument(*role.getArgument()));
    FailureOr<Value> converted =
        emitter.convert(*local, value.getType(), have, want, value.getLoc());
    if (failed(converted))
      return failure();
    add(*converted, index, value.getType(), want, 0);
  }
  waitForSends(/*keepLast=*/0);
  func::ReturnOp::create(builder, terminator->getLoc(), results);
  function.setType(
      builder.getFunctionType(function.getBody().front().getArgumentTypes(),
                              ValueRange(results).getTypes()));
  function.setArgAttrsAttr(builder.getArrayAttr(argumentAttrs));
  function.setResAttrsAttr(builder.getArrayAttr(attrs));
  return success();
}

LogicalResult RankBuilder::build() {
  Location loc = layout.step.getLoc();
  function = func::FuncOp::create(builder, loc, "rank" + std::to_string(rank),
                                  builder.getFunctionType({}, {}));
  function->setAttr(HeteroDialect::getProgramAttrName(),
                    ProgramAttr::get(builder.getContext(), std::nullopt,
                                     std::nullopt, 0, 0,
                                     ArrayRef<int64_t>{rank}));
  builder.setInsertionPointToEnd(function.addEntryBlock());
  emitter.getBuilder().setInsertionPointToEnd(&function.getBody().front());
  if (failed(bindArguments()))
    return failure();
  for (int64_t level = 0; level <= layout.levels.last; ++level)
    if (failed(runLevel(level)))
      return failure();
  return returnResults();
}

LogicalResult partition::emitRankPrograms(ModuleOp module,
                                          const StepLayout &layout) {
  Traffic traffic(layout);
  UnitTable units(module, layout, traffic);
  auto schedules = module.getOps<ScheduleOp>();
  ScheduleOp schedule = schedules.empty() ? ScheduleOp() : *schedules.begin();
  std::map<int64_t, Member> ranks;
  for (auto [index, stage] : llvm::enumerate(layout.stages))
    for (int64_t data = 0; data < stage.dataSize; ++data)
      for (int64_t tensor = 0; tensor < stage.tensorSize; ++tensor)
        ranks[stage.getRank(data, tensor)] = {int64_t(index), data, tensor, 0};
  OpBuilder builder(module.getContext());
  for (auto &[rank, member] : ranks) {
    builder.setInsertionPointToEnd(module.getBody());
    if (failed(RankBuilder(layout, traffic, units, schedule, member, builder)
                   .build()))
      return failure();
  }
  units.setPrograms();
  layout.step.erase();
  return success();
}
