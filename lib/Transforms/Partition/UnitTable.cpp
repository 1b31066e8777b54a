//===- UnitTable.cpp - Units that ranks share -----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "UnitTable.h"
#include "mlir/IR/OperationSupport.h"

using namespace mlir;
using namespace hetero;
using namespace hetero::partition;

std::string UnitTable::getName(const UnitKey &key, int64_t stage,
                               int64_t number) const {
  const StageRun &run = layout.stages[stage];
  std::string name = "stage" + std::to_string(run.planStage);
  if (run.chunk != 0)
    name += "_chunk" + std::to_string(run.chunk);
  if (key.kind == UnitKind::Once)
    name += key.level == layout.levels.last ? "_update" : "_prepare";
  else if (key.kind == UnitKind::Forward)
    name += "_forward";
  else
    name += key.kind == UnitKind::Weight ? "_weights" : "_backward";
  if (layout.levels.last > 1 && key.level != layout.levels.last)
    name += "_sweep" + std::to_string(key.level);
  if (key.hop != 0)
    name += "_after" + std::to_string(key.hop);
  return name + "_" + std::to_string(number);
}

FailureOr<const UnitFunction *> UnitTable::get(const UnitKey &key,
                                               const Member &member) {
  const StageRun &stage = layout.stages[member.stage];
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

InstructionKind partition::getInstructionKind(const StepLayout &layout,
                                              int64_t stage,
                                              const UnitKey &key) {
  switch (key.kind) {
  case UnitKind::Forward:
    return InstructionKind::Forward;
  case UnitKind::Backward:
    return layout.stages[stage].splitsBackward ? InstructionKind::InputGradient
                                               : InstructionKind::Backward;
  case UnitKind::Weight:
    return InstructionKind::WeightGradient;
  case UnitKind::Once:
    break;
  }
  return key.level == layout.levels.last ? InstructionKind::Update
                                         : InstructionKind::Prepare;
}

int64_t partition::getSweep(const UnitKey &key, int64_t lastLevel) {
  return key.kind == UnitKind::Once && key.level == lastLevel ? 0 : key.level;
}

void UnitTable::numberValues() {
  int64_t next = 0;
  for (Value argument : layout.step.getArguments())
    numbers[argument] = next++;
  for (Operation &op : layout.step.getBody().front())
    for (Value result : op.getResults())
      numbers[result] = next++;
}

DenseI64ArrayAttr UnitTable::getNumbers(ValueRange values) const {
  return DenseI64ArrayAttr::get(
      layout.step.getContext(),
      llvm::map_to_vector(values, [&](Value v) { return numbers.lookup(v); }));
}

void UnitTable::setPrograms() {
  MLIRContext *context = module.getContext();
  int64_t last = layout.levels.last;
  for (auto &entry : entries) {
    SmallVector<int64_t> ranks(entry->ranks.begin(), entry->ranks.end());
    llvm::sort(ranks);
    entry->unit.function->setAttr(
        HeteroDialect::getProgramAttrName(),
        ProgramAttr::get(context, layout.stages[entry->stage].planStage,
                         getInstructionKind(layout, entry->stage, entry->key),
                         layout.stages[entry->stage].chunk,
                         getSweep(entry->key, last), ranks));
    auto valuesOf = [](ArrayRef<UnitValue> list) {
      return llvm::map_to_vector(list,
                                 [](const UnitValue &v) { return v.value; });
    };
    entry->unit.function->setAttr("hetero.inputs",
                                  getNumbers(valuesOf(entry->unit.inputs)));
    entry->unit.function->setAttr("hetero.outputs",
                                  getNumbers(valuesOf(entry->unit.outputs)));
  }
}
