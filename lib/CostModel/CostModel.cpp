//===- CostModel.cpp - What things take -----------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/CostModel/CostModel.h"
#include "hetero/Support/ApproximateAmount.h"
#include "hetero/Support/Yaml.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

using namespace llvm;
using namespace hetero;
using namespace hetero::cost;
using hetero::cluster::CurvePoint;
using hetero::cluster::DeviceClass;

static constexpr StringLiteral figuresText =
#include "Figures.inc"
    ;

const CostFigures &hetero::cost::costFigures() {
  static const CostFigures figures = [] {
    CostFigures read;
    YamlReader reader(MemoryBufferRef(figuresText, "Figures.yaml"));
    YamlMapping mapping(reader, reader.root(), "figures of the cost model");
    mapping.read("uneven", read.uneven);
    mapping.read("parked", read.parked, 1);
    mapping.finish();
    // A mistake in the file fails the unit tests, not a user.
    if (Error error = reader.takeError())
      errs() << toString(std::move(error)) << '\n';
    return read;
  }();
  return figures;
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

/// The work at full efficiency that takes as long as `work` does in one
/// operation: not less than for any smaller work on the curve.
static double effectiveWork(const DeviceClass &deviceClass, double work) {
  double effective = work / deviceClass.efficiencyAt(work);
  for (const CurvePoint &point : deviceClass.efficiency) {
    double at = static_cast<double>(point.work.count());
    if (at > work)
      break;
    effective = std::max(effective, at / deviceClass.efficiencyAt(at));
  }
  return effective;
}

Time hetero::cost::operationTime(const DeviceClass &deviceClass,
                                 const Operations &operations) {
  int64_t count = std::max<int64_t>(1, operations.count);
  double total = 0;
  for (const auto &[type, work] : operations.work)
    total += static_cast<double>(work.count());
  double perOperation = total / static_cast<double>(count);
  double slowdown =
      perOperation > 0 ? effectiveWork(deviceClass, perOperation) / perOperation
                       : 1;
  double seconds = 0;
  for (const auto &[type, work] : operations.work)
    seconds += static_cast<double>(work.count()) * slowdown /
               static_cast<double>(deviceClass.peakFor(type).count());
  Time arithmetic = Time::nearest(seconds * timePerSecond);
  Time traffic = operations.bytes / deviceClass.bandwidth;
  return std::max(arithmetic, traffic) +
         deviceClass.overhead * std::max<int64_t>(0, operations.count);
}

Time hetero::cost::operationBound(const DeviceClass &deviceClass,
                                  const Operations &operations) {
  double seconds = 0;
  for (const auto &[type, work] : operations.work)
    seconds += static_cast<double>(work.count()) /
               static_cast<double>(deviceClass.peakFor(type).count());
  Time arithmetic = Time::nearest(
      std::floor(seconds / deviceClass.bestEfficiency() * timePerSecond));
  return std::max(arithmetic, operations.bytes / deviceClass.bandwidth);
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

ActivationUse hetero::cost::activationUse(const Activations &activations,
                                          int64_t inFlight, bool recompute,
                                          bool offload) {
  Bytes kept = recompute ? activations.inputs : activations.saved;
  Bytes again = recompute ? activations.largest : Bytes(0);
  if (!offload)
    return {kept * inFlight + again, Bytes(0)};
  int64_t staying = std::min(inFlight, costFigures().parked);
  return {kept * staying + again, kept * inFlight};
}

Bytes MemoryUse::total() const {
  return state + gathered + gradients + activations + workspace + buffers +
         inputs;
}

std::string MemoryUse::str() const {
  SmallVector<std::pair<Bytes, StringRef>> parts = {
      {state, "state"},         {gathered, "gathered parameters"},
      {gradients, "gradients"}, {activations, "activations"},
      {workspace, "workspace"}, {buffers, "communication buffers"},
      {inputs, "inputs"}};
  sort(parts, [](const auto &left, const auto &right) {
    return left.first != right.first ? left.first > right.first
                                     : left.second < right.second;
  });
  std::string text;
  for (auto [bytes, name] : parts) {
    if (bytes == Bytes(0))
      continue;
    text +=
        (text.empty() ? "" : ", ") + (name + " " + approximate(bytes)).str();
  }
  return text;
}
