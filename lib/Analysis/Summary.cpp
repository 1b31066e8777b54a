//===- Summary.cpp - What a step consists of ------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Analysis/Summary.h"
#include "hetero/Analysis/Loops.h"
#include "hetero/Analysis/Roles.h"
#include "hetero/Dialect/Stablehlo.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace hetero;
using llvm::SaturatingAdd;
using llvm::SaturatingMultiply;

OpWork &OpWork::operator+=(const OpWork &other) {
  flops = SaturatingAdd(flops, other.flops);
  bytes = SaturatingAdd(bytes, other.bytes);
  return *this;
}

OpWork OpWork::operator*(uint64_t times) const {
  return {SaturatingMultiply(flops, times), SaturatingMultiply(bytes, times)};
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

uint64_t hetero::getNumElements(Type type) {
  auto shaped = dyn_cast<ShapedType>(type);
  if (!shaped || !shaped.hasStaticShape())
    return 0;
  uint64_t count = 1;
  for (int64_t size : shaped.getShape())
    count = SaturatingMultiply(count, uint64_t(size));
  return count;
}

uint64_t hetero::getNumBytes(Type type) {
  auto shaped = dyn_cast<ShapedType>(type);
  if (!shaped)
    return 0;
  Type element = shaped.getElementType();
  uint64_t parts = 1;
  if (auto complexType = dyn_cast<ComplexType>(element)) {
    parts = 2;
    element = complexType.getElementType();
  }
  if (!element.isIntOrFloat())
    return 0;
  uint64_t width = llvm::divideCeil(element.getIntOrFloatBitWidth(), 8);
  return SaturatingMultiply(getNumElements(type), parts * width);
}

//===----------------------------------------------------------------------===//
// OpWork
//===----------------------------------------------------------------------===//

/// The product of the given dimensions' sizes.
static uint64_t getProduct(Type type, ArrayRef<int64_t> dims) {
  auto shaped = cast<ShapedType>(type);
  uint64_t product = 1;
  for (int64_t dim : dims)
    if (dim >= 0 && dim < shaped.getRank() && !shaped.isDynamicDim(dim))
      product = SaturatingMultiply(product, uint64_t(shaped.getDimSize(dim)));
  return product;
}

/// Multiplications and additions for each element of the result.
static uint64_t getFlopsPerResult(Operation *op) {
  if (auto dot = dyn_cast<stablehlo::DotGeneralOp>(op))
    return 2 * getProduct(
                   dot.getLhs().getType(),
                   dot.getDotDimensionNumbers().getLhsContractingDimensions());
  if (auto conv = dyn_cast<stablehlo::ConvolutionOp>(op)) {
    auto numbers = conv.getDimensionNumbers();
    SmallVector<int64_t> dims(numbers.getKernelSpatialDimensions());
    dims.push_back(numbers.getKernelInputFeatureDimension());
    return 2 * getProduct(conv.getRhs().getType(), dims);
  }
  return op->hasTrait<OpTrait::Elementwise>() ||
                 isa<stablehlo::SelectOp, stablehlo::ClampOp>(op)
             ? 1
             : 0;
}

/// The work of a region's only block.
static OpWork getRegionWork(Region &region) {
  OpWork work;
  for (Block &block : region)
    for (Operation &op : block)
      work += getWork(&op);
  return work;
}

static OpWork getLoopWork(stablehlo::WhileOp loop) {
  std::optional<CountedLoop> counted = matchCountedLoop(loop);
  OpWork work = getRegionWork(loop.getBody());
  work += getRegionWork(loop.getCond());
  return work * (counted ? counted->tripCount : 1);
}

/// The bytes of all operands and results.
static uint64_t getMovedBytes(Operation *op) {
  uint64_t bytes = 0;
  for (Type type : op->getOperandTypes())
    bytes = SaturatingAdd(bytes, getNumBytes(type));
  for (Type type : op->getResultTypes())
    bytes = SaturatingAdd(bytes, getNumBytes(type));
  return bytes;
}

uint64_t hetero::getInnerBytes(Operation *op) {
  uint64_t most = 0;
  for (Region &region : op->getRegions())
    for (Block &block : region)
      for (Operation &inner : block)
        most = std::max(
            most, SaturatingAdd(getInnerBytes(&inner), getMovedBytes(&inner)));
  return most;
}

OpWork hetero::getWork(Operation *op) {
  if (auto loop = dyn_cast<stablehlo::WhileOp>(op))
    return getLoopWork(loop);
  OpWork work;
  if (isa<stablehlo::IfOp, stablehlo::CaseOp>(op)) {
    for (Region &branch : op->getRegions()) {
      OpWork other = getRegionWork(branch);
      if (other.flops >= work.flops)
        work = other;
    }
    return work;
  }
  if (op->hasTrait<OpTrait::IsTerminator>() ||
      op->hasTrait<OpTrait::ConstantLike>())
    return work;
  work.bytes = getMovedBytes(op);
  uint64_t results = 0;
  for (Type type : op->getResultTypes())
    results = SaturatingAdd(results, getNumElements(type));
  work.flops = SaturatingMultiply(results, getFlopsPerResult(op));
  // A reduction applies its region once for each element that goes in.
  if (isa<stablehlo::ReduceOp, stablehlo::ScatterOp>(op) &&
      op->getNumOperands() > 0)
    work.flops = getNumElements(op->getOperands().back().getType()) > 1
                     ? getNumElements(op->getOperands().back().getType())
                     : getNumElements(op->getOperand(0).getType());
  if (auto window = dyn_cast<stablehlo::ReduceWindowOp>(op)) {
    uint64_t size = 1;
    for (int64_t dim : window.getWindowDimensions())
      size = SaturatingMultiply(size, uint64_t(std::max<int64_t>(dim, 0)));
    work.flops = SaturatingMultiply(results, size);
  }
  return work;
}

//===----------------------------------------------------------------------===//
// Summary
//===----------------------------------------------------------------------===//

static StringRef getRoleName(RoleAttr role) {
  return role ? stringifyRoleKind(role.getKind()) : "none";
}

static void addToGroup(StepSummary::Group &group, Type type) {
  ++group.tensors;
  group.elements = SaturatingAdd(group.elements, getNumElements(type));
  group.bytes = SaturatingAdd(group.bytes, getNumBytes(type));
}

StepSummary hetero::summarize(func::FuncOp step) {
  StepSummary summary;
  summary.name = step.getName();
  StepRoles roles = getRoles(step);
  for (auto [type, role] : llvm::zip(step.getArgumentTypes(), roles.arguments))
    addToGroup(summary.arguments[getRoleName(role)], type);
  for (auto [type, role] : llvm::zip(step.getResultTypes(), roles.results))
    addToGroup(summary.results[getRoleName(role)], type);

  llvm::StringMap<StepSummary::OpCount> counts;
  step.getBody().walk([&](Operation *op) {
    ++summary.numOps;
    auto loop = dyn_cast<stablehlo::WhileOp>(op);
    summary.unknownLoops += loop && !matchCountedLoop(loop);
    StepSummary::OpCount &count = counts[op->getName().getStringRef()];
    ++count.count;
    if (op->getNumRegions() == 0 || isa<stablehlo::ReduceOp>(op))
      count.work += getWork(op);
  });
  if (!step.isExternal())
    summary.work = getRegionWork(step.getBody());
  for (auto &entry : counts)
    summary.ops.push_back({entry.getKey().str(), entry.getValue()});
  llvm::sort(summary.ops, [](const auto &a, const auto &b) {
    return std::make_pair(b.second.count, StringRef(a.first)) <
           std::make_pair(a.second.count, StringRef(b.first));
  });
  return summary;
}

//===----------------------------------------------------------------------===//
// Printing
//===----------------------------------------------------------------------===//

/// `12.3 GFLOP`, `4.0 MiB`: three digits and a unit.
static std::string formatScaled(uint64_t value, unsigned base,
                                ArrayRef<const char *> units) {
  double scaled = value;
  size_t unit = 0;
  while (scaled >= base && unit + 1 < units.size()) {
    scaled /= base;
    ++unit;
  }
  std::string text;
  llvm::raw_string_ostream(text)
      << llvm::format(unit == 0 ? "%.0f %s" : "%.2f %s", scaled, units[unit]);
  return text;
}

static std::string formatFlops(uint64_t flops) {
  return formatScaled(flops, 1000,
                      {"FLOP", "KFLOP", "MFLOP", "GFLOP", "TFLOP", "PFLOP"});
}

static std::string formatBytes(uint64_t bytes) {
  return formatScaled(bytes, 1024, {"B", "KiB", "MiB", "GiB", "TiB"});
}

static void
printGroups(StringRef title,
            const llvm::MapVector<StringRef, StepSummary::Group> &groups,
            llvm::raw_ostream &os) {
  os << "\n  " << llvm::left_justify(title, 28)
     << llvm::right_justify("tensors", 10)
     << llvm::right_justify("elements", 20) << llvm::right_justify("bytes", 16)
     << "\n";
  for (const auto &[role, group] : groups)
    os << "  " << llvm::left_justify(role, 28)
       << llvm::right_justify(std::to_string(group.tensors), 10)
       << llvm::right_justify(std::to_string(group.elements), 20)
       << llvm::right_justify(formatBytes(group.bytes), 16) << "\n";
}

static void print(const StepSummary &summary, llvm::raw_ostream &os) {
  os << "@" << summary.name << ": " << summary.numOps << " operations, "
     << formatFlops(summary.work.flops) << ", "
     << formatBytes(summary.work.bytes) << " read and written\n";
  if (summary.unknownLoops)
    os << "  (" << summary.unknownLoops
       << " loops with an unknown trip count are counted once)\n";
  printGroups("arguments", summary.arguments, os);
  printGroups("results", summary.results, os);
  os << "\n  " << llvm::left_justify("operation", 40)
     << llvm::right_justify("count", 8) << llvm::right_justify("work", 16)
     << "\n";
  for (const auto &[name, count] : summary.ops)
    os << "  " << llvm::left_justify(name, 40)
       << llvm::right_justify(std::to_string(count.count), 8)
       << llvm::right_justify(
              count.work.flops ? formatFlops(count.work.flops) : "", 16)
       << "\n";
}

static llvm::json::Object
toJSON(const llvm::MapVector<StringRef, StepSummary::Group> &groups) {
  llvm::json::Object object;
  for (const auto &[role, group] : groups)
    object[role] = llvm::json::Object{{"tensors", group.tensors},
                                      {"elements", group.elements},
                                      {"bytes", group.bytes}};
  return object;
}

static llvm::json::Object toJSON(const StepSummary &summary) {
  llvm::json::Object ops;
  for (const auto &[name, count] : summary.ops)
    ops[name] = llvm::json::Object{{"count", count.count},
                                   {"flops", count.work.flops},
                                   {"bytes", count.work.bytes}};
  return llvm::json::Object{{"name", summary.name},
                            {"operations", summary.numOps},
                            {"flops", summary.work.flops},
                            {"bytes", summary.work.bytes},
                            {"unknown_loops", summary.unknownLoops},
                            {"arguments", toJSON(summary.arguments)},
                            {"results", toJSON(summary.results)},
                            {"ops", std::move(ops)}};
}

void hetero::printSummary(ModuleOp module, llvm::raw_ostream &os) {
  bool first = true;
  for (auto step : module.getOps<func::FuncOp>()) {
    if (!first)
      os << "\n";
    first = false;
    print(summarize(step), os);
  }
}

void hetero::printSummaryAsJSON(ModuleOp module, llvm::raw_ostream &os) {
  llvm::json::Array functions;
  for (auto step : module.getOps<func::FuncOp>())
    functions.push_back(toJSON(summarize(step)));
  os << llvm::formatv("{0:2}", llvm::json::Value(llvm::json::Object{
                                   {"functions", std::move(functions)}}))
     << "\n";
}
