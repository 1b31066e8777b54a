//===- EmitRankProgramsTraffic.cpp - Who needs what from whom -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "EmitRankPrograms.h"

using namespace mlir;
using namespace hetero;
using namespace hetero::partition;

/// Whether result `index` becomes an argument of the next step.
static bool isState(const StepLayout &layout, unsigned index) {
  RoleAttr role = layout.roles.results[index];
  return role && role.getKind() == RoleKind::UpdatedState && role.getArgument();
}

Variant partition::getResultVariant(const StepLayout &layout, unsigned index,
                                    int64_t stage) {
  Value value =
      layout.step.getBody().front().getTerminator()->getOperand(index);
  Operation *def = value.getDefiningOp();
  if (!def) {
    std::optional<int64_t> home = layout.getHome(cast<BlockArgument>(value));
    return home && *home != stage ? Variant::Moved : Variant::Native;
  }
  bool moved = layout.getStage(def) != stage;
  Form form = layout.batch->getForm(value);
  // State is held whole or as it is stored, never by samples.
  if (form.isPartial() || (form.isSplit() && (moved || isState(layout, index))))
    return moved ? Variant::MovedWhole : Variant::Whole;
  return moved ? Variant::Moved : Variant::Native;
}

int64_t partition::getResultStage(const StepLayout &layout, unsigned index) {
  RoleAttr role = layout.roles.results[index];
  if (isState(layout, index))
    return *layout.getHome(layout.step.getArgument(*role.getArgument()));
  Value value =
      layout.step.getBody().front().getTerminator()->getOperand(index);
  if (Operation *def = value.getDefiningOp())
    return layout.getStage(def);
  return layout.getHome(cast<BlockArgument>(value)).value_or(0);
}

void Traffic::need(Value value, Variant variant, int64_t stage) {
  std::pair<Variant, int64_t> entry(variant, stage);
  if (llvm::is_contained(needs[value], entry))
    return;
  needs[value].push_back(entry);
  if (isMoved(variant)) {
    int64_t channel =
        channels.size() * static_cast<int64_t>(layout.microbatches.size());
    channels[{value.getAsOpaquePointer(), variant, stage}] = channel;
  }
  Operation *def = value.getDefiningOp();
  if (variant == Variant::MovedWhole)
    need(value, Variant::Whole, layout.getStage(def));
  if (variant == Variant::Moved && !def)
    need(value, Variant::Native, *layout.getHome(cast<BlockArgument>(value)));
}

Traffic::Traffic(const StepLayout &layout) : layout(layout) {
  for (Operation &op : layout.step.getBody().front()) {
    if (!layout.isPlaced(&op))
      continue;
    Where where = layout.getWhere(&op);
    for (auto [index, value] : llvm::enumerate(getUses(&op))) {
      Operation *def = value.getDefiningOp();
      if (def && !layout.isPlaced(def))
        continue;
      Form form = layout.getWanted(&op, index, where).data;
      Variant variant = getVariant(layout, value, form, where);
      if (def && variant == Variant::Native &&
          layout.getUnit(def) == layout.getUnit(&op))
        continue;
      need(value, variant, where.stage);
    }
  }
  Operation *terminator = layout.step.getBody().front().getTerminator();
  for (auto [index, value] : llvm::enumerate(terminator->getOperands())) {
    int64_t stage = getResultStage(layout, index);
    need(value, getResultVariant(layout, index, stage), stage);
  }
}

bool Traffic::isNeeded(Value value, Variant variant, int64_t stage) const {
  const auto *it = needs.find(value);
  return it != needs.end() &&
         llvm::is_contained(it->second, std::pair(variant, stage));
}

SmallVector<int64_t> Traffic::getDestinations(Value value,
                                              Variant variant) const {
  SmallVector<int64_t> stages;
  if (const auto *it = needs.find(value); it != needs.end())
    for (auto [other, stage] : it->second)
      if (other == variant)
        stages.push_back(stage);
  llvm::sort(stages);
  return stages;
}

SmallVector<UnitValue> Traffic::getOutputs(int64_t stage,
                                           ArrayRef<Operation *> ops) const {
  SmallVector<UnitValue> outputs;
  for (Operation *op : ops)
    for (Value result : op->getResults()) {
      if (isNeeded(result, Variant::Native, stage) ||
          isNeeded(result, Variant::Whole, stage))
        outputs.push_back({result, Variant::Native});
      if (!getDestinations(result, Variant::Moved).empty())
        outputs.push_back({result, Variant::Moved});
    }
  return outputs;
}

int64_t Traffic::getChannel(Value value, Variant variant, int64_t stage,
                            int64_t microbatch) const {
  return channels.at({value.getAsOpaquePointer(), variant, stage}) + microbatch;
}
