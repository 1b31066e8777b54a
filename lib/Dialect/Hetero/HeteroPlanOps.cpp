//===- HeteroPlanOps.cpp - Layers and plans -------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Dialect/Hetero/HeteroPlanOps.h"
#include "AsmDirectives.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/APInt.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/Support/MathExtras.h"
#include <map>
#include <set>

using namespace mlir;
using namespace hetero;

//===----------------------------------------------------------------------===//
// Spelling
//===----------------------------------------------------------------------===//

/// (predicted - bound) / predicted in millionths, rounded down.
static int64_t computeGap(int64_t predicted, int64_t bound) {
  if (predicted <= 0 || bound < 0 || bound > predicted)
    return 0;
  APInt saved(128, predicted - bound);
  return (saved * 1000000).udiv(APInt(128, predicted)).getSExtValue();
}

/// Reads `18.1 ms bound 16.5 ms gap 0.088397`; the gap is only checked.
static ParseResult parsePrediction(OpAsmParser &parser, TimeAttr &predicted,
                                   TimeAttr &bound) {
  if (parseQuantity(parser, predicted))
    return failure();
  if (failed(parser.parseOptionalKeyword("bound")))
    return success();
  if (parseQuantity(parser, bound))
    return failure();
  SMLoc loc = parser.getCurrentLocation();
  if (failed(parser.parseOptionalKeyword("gap")))
    return success();
  int64_t written;
  if (parseAmount(parser, written, Dimension::Share))
    return failure();
  int64_t gap = computeGap(predicted.getValue(), bound.getValue());
  if (written != gap)
    return parser.emitError(loc) << "plan_c3: the gap is written as "
                                 << writeQuantity(Dimension::Share, written)
                                 << ", but prediction and bound give "
                                 << writeQuantity(Dimension::Share, gap);
  return success();
}

static void printPrediction(OpAsmPrinter &printer, PlanOp, TimeAttr predicted,
                            TimeAttr bound) {
  printer << writeQuantity(Dimension::Time, predicted.getValue());
  if (!bound)
    return;
  int64_t gap = computeGap(predicted.getValue(), bound.getValue());
  printer << " bound " << writeQuantity(Dimension::Time, bound.getValue())
          << " gap " << writeQuantity(Dimension::Share, gap);
}

/// Reads `[<compute of stage 1>, <memory of device 3>]`.
static ParseResult parseResources(OpAsmParser &parser, ArrayAttr &resources) {
  SmallVector<Attribute> list;
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
        return success(list.emplace_back(ResourceAttr::parse(parser, {})) !=
                       nullptr);
      }))
    return failure();
  resources = parser.getBuilder().getArrayAttr(list);
  return success();
}

static void printResources(OpAsmPrinter &printer, PlanOp, ArrayAttr resources) {
  printer << '[';
  llvm::interleaveComma(
      resources.getAsRange<ResourceAttr>(), printer,
      [&](ResourceAttr resource) { resource.print(printer); });
  printer << ']';
}

/// Reads `[0 to 3, 8 to 11]`.
static ParseResult parseLayerRuns(OpAsmParser &parser, DenseI64ArrayAttr &first,
                                  DenseI64ArrayAttr &last) {
  SmallVector<int64_t> begins, ends;
  if (parser.parseCommaSeparatedList(
          AsmParser::Delimiter::Square, [&]() -> ParseResult {
            if (parser.parseInteger(begins.emplace_back()))
              return failure();
            ends.push_back(begins.back());
            if (succeeded(parser.parseOptionalKeyword("to")))
              return parser.parseInteger(ends.back());
            return success();
          }))
    return failure();
  first = parser.getBuilder().getDenseI64ArrayAttr(begins);
  last = parser.getBuilder().getDenseI64ArrayAttr(ends);
  return success();
}

static void printLayerRuns(OpAsmPrinter &printer, StageOp,
                           DenseI64ArrayAttr first, DenseI64ArrayAttr last) {
  printer << '[';
  llvm::interleaveComma(llvm::zip(first.asArrayRef(), last.asArrayRef()),
                        printer, [&](auto run) {
                          auto [begin, end] = run;
                          printer << begin;
                          if (end != begin)
                            printer << " to " << end;
                        });
  printer << ']';
}

/// Reads `(data) [[11, 5], [3, 2]]`.
static ParseResult parseSamples(OpAsmParser &parser, ArrayAttr &axes,
                                ArrayAttr &samples) {
  SmallVector<Attribute> lists;
  if (parseAxes(parser, axes) ||
      parser.parseCommaSeparatedList(AsmParser::Delimiter::Square,
                                     [&]() -> ParseResult {
                                       DenseI64ArrayAttr list;
                                       if (parseSizes(parser, list))
                                         return failure();
                                       lists.push_back(list);
                                       return success();
                                     }))
    return failure();
  samples = parser.getBuilder().getArrayAttr(lists);
  return success();
}

static void printSamples(OpAsmPrinter &printer, StageOp op, ArrayAttr axes,
                         ArrayAttr samples) {
  printAxes(printer, op, axes);
  printer << (axes.empty() ? "[" : " [");
  llvm::interleaveComma(
      samples.getAsRange<DenseI64ArrayAttr>(), printer,
      [&](DenseI64ArrayAttr list) { printSizeList(printer, list); });
  printer << ']';
}

static ParseResult parseOptionalBody(OpAsmParser &parser, Region &body) {
  OptionalParseResult result = parser.parseOptionalRegion(body);
  return result.has_value() ? ParseResult(*result) : success();
}

static void printOptionalBody(OpAsmPrinter &printer, StageOp, Region &body) {
  if (body.empty())
    return;
  printer << ' ';
  printer.printRegion(body);
}

//===----------------------------------------------------------------------===//
// LayerTableOp
//===----------------------------------------------------------------------===//

int64_t LayerTableOp::getNumLayers() {
  return llvm::range_size(getBody().getOps<LayerOp>());
}

LogicalResult LayerOp::verify() {
  if (DictionaryAttr measured = getMeasuredAttr())
    for (NamedAttribute entry : measured)
      if (!isa<LayerTimesAttr>(entry.getValue()))
        return emitOpError()
               << "layer_c2: measured on '" << entry.getName().getValue()
               << "' is " << entry.getValue() << ", not a #hetero.layer_times";
  return success();
}

LogicalResult LayerTableOp::verifyRegions() {
  SmallVector<LayerOp> layers;
  for (Operation &op : getBody().front()) {
    auto layer = dyn_cast<LayerOp>(op);
    if (!layer)
      return op.emitOpError() << "layer_table_c1: is not a layer";
    int64_t number = layers.size();
    if (layer.getIndex() != static_cast<uint64_t>(number))
      return op.emitOpError() << "layer_table_c1: must have number " << number;
    if (auto like = layer.getLike()) {
      if (static_cast<int64_t>(*like) < 0 ||
          static_cast<int64_t>(*like) >= number)
        return op.emitOpError()
               << "layer_c1: is like layer " << static_cast<int64_t>(*like)
               << ", which is not an earlier one";
      if (layers[*like].getLike())
        return (op.emitOpError() << "layer_c1: is like layer " << *like
                                 << ", which is itself like another")
                   .attachNote(layers[*like].getLoc())
               << "that layer is here";
    }
    layers.push_back(layer);
  }
  return success();
}

//===----------------------------------------------------------------------===//
// PlanOp
//===----------------------------------------------------------------------===//

SmallVector<StageOp, 4> PlanOp::getStages() {
  return llvm::to_vector<4>(getBody().getOps<StageOp>());
}

LogicalResult PlanOp::verify() {
  int64_t total = 0;
  for (int64_t size : getMicrobatches()) {
    if (size < 1)
      return emitOpError() << "plan_c1: has a microbatch of " << size
                           << " samples";
    if (llvm::AddOverflow(total, size, total))
      return emitOpError() << "plan_c1: the sum of the microbatches overflows";
  }
  int64_t batch = getBatch();
  if (getMicrobatches().empty() || total != batch)
    return emitOpError() << "plan_c1: the microbatches make " << total
                         << " samples, but the batch has " << batch;
  if (getPredicted().getValue() <= 0)
    return emitOpError() << "plan_c2: the predicted time must be positive";
  if (getBound() && getBound()->getValue() > getPredicted().getValue())
    return emitOpError() << "plan_c2: the bound of "
                         << writeQuantity(Dimension::Time,
                                          getBound()->getValue())
                         << " exceeds the predicted time of "
                         << writeQuantity(Dimension::Time,
                                          getPredicted().getValue());
  return success();
}

/// Checks that the runs of layers of all stages are 0 to the last layer, each
/// once, and returns the number of layers.
static FailureOr<int64_t> verifyLayers(PlanOp plan, ArrayRef<StageOp> stages) {
  struct Run {
    int64_t first, last;
    size_t order;
    StageOp stage;
  };
  SmallVector<Run> runs;
  for (StageOp stage : stages)
    for (auto [first, last] :
         llvm::zip(stage.getFirstLayers(), stage.getLastLayers()))
      runs.push_back({first, last, runs.size(), stage});
  llvm::sort(runs, [](const Run &left, const Run &right) {
    return std::tie(left.first, left.order) <
           std::tie(right.first, right.order);
  });
  int64_t next = 0;
  StageOp previous;
  for (Run &run : runs) {
    if (run.first > next)
      return plan.emitOpError()
             << "plan_c5: layer " << next << " is in no stage";
    if (run.first < next)
      return (run.stage.emitOpError()
              << "plan_c5: layer " << run.first << " is in two stages")
                 .attachNote(previous.getLoc())
             << "the other one is here";
    // A run never ends at the largest integer: see stage_c2.
    next = run.last + 1;
    previous = run.stage;
  }
  return next;
}

LogicalResult PlanOp::verifyRegions() {
  SmallVector<StageOp> stages;
  for (Operation &op : getBody().front()) {
    auto stage = dyn_cast<StageOp>(op);
    if (!stage)
      return op.emitOpError() << "plan_c4: is not a stage";
    if (stage.getIndex() != stages.size())
      return op.emitOpError() << "plan_c4: must have number " << stages.size();
    stages.push_back(stage);
  }
  if (stages.empty())
    return emitOpError() << "plan_c4: has no stages";
  for (size_t i = 1; i < stages.size(); ++i) {
    ArrayRef<int64_t> before = stages[i - 1].getFirstLayers();
    ArrayRef<int64_t> layers = stages[i].getFirstLayers();
    if (before.empty() || layers.empty() || before.front() < layers.front())
      continue;
    return (stages[i].emitOpError()
            << "plan_c4: begins with layer " << layers.front()
            << ", but the stage before it begins with layer " << before.front())
               .attachNote(stages[i - 1].getLoc())
           << "the stage before it is here";
  }
  return verifyLayers(*this, stages);
}

/// Checks that the meshes of two stages are the same devices or have none in
/// common, and collects all devices.
static LogicalResult verifyMeshes(PlanOp plan, SymbolTableCollection &symbols,
                                  std::map<int64_t, StageOp> &users) {
  for (StageOp stage : plan.getStages()) {
    auto mesh =
        symbols.lookupNearestSymbolFrom<MeshOp>(plan, stage.getMeshAttr());
    if (!mesh)
      return stage.emitOpError()
             << "stage_c1: " << stage.getMeshAttr() << " is not a mesh";
    std::set<int64_t> devices(mesh.getDevices().begin(),
                              mesh.getDevices().end());
    for (int64_t device : mesh.getDevices()) {
      auto [user, inserted] = users.try_emplace(device, stage);
      if (inserted)
        continue;
      auto other = symbols.lookupNearestSymbolFrom<MeshOp>(
          plan, user->second.getMeshAttr());
      if (other.getDevices().size() == devices.size() &&
          llvm::all_of(other.getDevices(),
                       [&](int64_t device) { return devices.count(device); }))
        continue;
      return (stage.emitOpError()
              << "plan_c7: device " << device
              << " is in another stage whose mesh is not the same")
                 .attachNote(user->second.getLoc())
             << "the other stage is here";
    }
  }
  return success();
}

/// Checks that what limits the plan is part of it or of the cluster.
static LogicalResult verifyLimits(PlanOp plan,
                                  const std::map<int64_t, StageOp> &users) {
  if (!plan.getLimitedBy())
    return success();
  ClusterOp cluster = ClusterOp::lookupNear(plan);
  int64_t numStages = plan.getStages().size();
  for (auto resource : plan.getLimitedBy()->getAsRange<ResourceAttr>()) {
    if (resource.getStage() && *resource.getStage() >= numStages)
      return plan.emitOpError()
             << "plan_c9: stage " << *resource.getStage()
             << " limits it, but it has " << numStages << " stages";
    if (resource.getDevice() && !users.count(*resource.getDevice()))
      return plan.emitOpError() << "plan_c9: device " << *resource.getDevice()
                                << " limits it, but is in no stage";
    if (FlatSymbolRefAttr symbol = resource.getSymbol();
        symbol && cluster &&
        !SymbolTable::lookupSymbolIn(cluster, symbol.getAttr()))
      return plan.emitOpError() << "plan_c9: " << symbol
                                << " limits it, but is not in the cluster";
  }
  return success();
}

LogicalResult PlanOp::verifySymbolUses(SymbolTableCollection &symbols) {
  Operation *step = symbols.lookupNearestSymbolFrom(*this, getStepAttr());
  if (step && !isa<FunctionOpInterface>(step))
    return (emitOpError() << "plan_c8: " << getStepAttr()
                          << " is not a function")
               .attachNote(step->getLoc())
           << "it is defined here";
  if (FlatSymbolRefAttr name = getLayerTableAttr()) {
    auto table = symbols.lookupNearestSymbolFrom<LayerTableOp>(*this, name);
    if (!table)
      return emitOpError() << "plan_c6: " << name << " is not a layer table";
    FailureOr<int64_t> numLayers = verifyLayers(*this, getStages());
    if (failed(numLayers))
      return failure();
    if (*numLayers != table.getNumLayers())
      return (emitOpError()
              << "plan_c6: its stages have " << *numLayers
              << " layers, but the table has " << table.getNumLayers())
                 .attachNote(table.getLoc())
             << "the table is here";
  }
  std::map<int64_t, StageOp> users;
  return failure(failed(verifyMeshes(*this, symbols, users)) ||
                 failed(verifyLimits(*this, users)));
}

//===----------------------------------------------------------------------===//
// StageOp
//===----------------------------------------------------------------------===//

LogicalResult StageOp::verify() {
  if (getFirstLayers().empty() ||
      getFirstLayers().size() != getLastLayers().size())
    return emitOpError() << "stage_c2: has no layers";
  int64_t next = 0;
  for (auto [first, last] :
       llvm::zip_equal(getFirstLayers(), getLastLayers())) {
    if (first < next || last < first ||
        last == std::numeric_limits<int64_t>::max())
      return emitOpError() << "stage_c2: layers " << first << " to " << last
                           << " do not follow those before";
    next = last + 1;
  }
  if (static_cast<int64_t>(getInFlight()) < 1)
    return emitOpError() << "stage_c6: must have at least one in flight";
  return success();
}

LogicalResult StageOp::verifyRegions() {
  for (Operation &op : getBody().getOps())
    if (!isa<ShareOp>(op))
      return op.emitOpError() << "stage_c7: is not a share";
  return success();
}

/// The different sizes of microbatches, in order of first appearance.
static SmallVector<int64_t> getDistinctMicrobatches(PlanOp plan) {
  SmallVector<int64_t> sizes;
  std::set<int64_t> seen;
  for (int64_t size : plan.getMicrobatches())
    if (seen.insert(size).second)
      sizes.push_back(size);
  return sizes;
}

/// Checks the shares of a stage on `mesh` in a plan near `cluster`, if any.
static LogicalResult verifyShares(StageOp stage, MeshOp mesh,
                                  ClusterOp cluster) {
  auto shares = stage.getBody().getOps<ShareOp>();
  if (shares.empty())
    return success();
  std::set<int64_t> members(mesh.getDevices().begin(), mesh.getDevices().end());
  std::map<int64_t, ShareOp> owners;
  std::vector<Device> devices;
  if (cluster)
    devices = cluster.getDevices();
  for (ShareOp share : shares) {
    int64_t device = share.getDevice();
    if (!members.count(device))
      return share.emitOpError() << "share_c1: device " << device
                                 << " is not in the mesh of the stage";
    auto [owner, inserted] = owners.try_emplace(device, share);
    if (!inserted)
      return (share.emitOpError()
              << "share_c1: device " << device << " has a share already")
                 .attachNote(owner->second.getLoc())
             << "that share is here";
    if (device >= static_cast<int64_t>(devices.size()))
      continue;
    DeviceClassOp deviceClass = devices[device].deviceClass;
    int64_t needed = share.getMemory().getValue();
    if (needed > deviceClass.getUsableMemory())
      return (share.emitOpError()
              << "share_c4: needs " << writeQuantity(Dimension::Bytes, needed)
              << " of memory, but device " << device << " has "
              << writeQuantity(Dimension::Bytes, deviceClass.getUsableMemory()))
                 .attachNote(deviceClass.getLoc())
             << "its class is here";
  }
  return success();
}

LogicalResult StageOp::verifySymbolUses(SymbolTableCollection &symbols) {
  auto plan = cast<PlanOp>((*this)->getParentOp());
  auto mesh = symbols.lookupNearestSymbolFrom<MeshOp>(plan, getMeshAttr());
  if (!mesh)
    return emitOpError() << "stage_c1: " << getMeshAttr() << " is not a mesh";
  llvm::DenseSet<Attribute> axes(getBatchAxes().begin(), getBatchAxes().end());
  std::optional<int64_t> members = mesh.getGroupSize(getBatchAxes());
  if (!members || axes.size() != getBatchAxes().size())
    return (
               emitOpError()
               << "stage_c3: the axes must be different ones of the mesh")
               .attachNote(mesh.getLoc())
           << "the mesh is here";

  SmallVector<int64_t> sums;
  for (auto list : getSamples().getAsRange<DenseI64ArrayAttr>()) {
    if (list.size() != *members)
      return emitOpError() << "stage_c4: divides samples between "
                           << list.size() << " members, but the mesh has "
                           << *members;
    int64_t sum = 0;
    for (int64_t samples : list.asArrayRef())
      if (samples < 0 || llvm::AddOverflow(sum, samples, sum))
        return emitOpError() << "stage_c4: a share of " << samples
                             << " samples is not possible";
    sums.push_back(sum);
  }
  SmallVector<int64_t> sizes = getDistinctMicrobatches(plan);
  if (sums == sizes)
    return verifyShares(*this, mesh, ClusterOp::lookupNear(plan));
  InFlightDiagnostic error = emitOpError()
                             << "stage_c5: divides microbatches of [";
  llvm::interleaveComma(sums, error);
  error << "] samples, but the plan has microbatches of [";
  llvm::interleaveComma(sizes, error);
  return error << "]";
}

//===----------------------------------------------------------------------===//
// ShareOp
//===----------------------------------------------------------------------===//

LogicalResult ShareOp::verify() {
  if (getMicro() && static_cast<int64_t>(*getMicro()) < 1)
    return emitOpError() << "share_c2: must compute at least one sample at a "
                            "time";
  if (getState().getValue() > getMemory().getValue())
    return emitOpError() << "share_c3: holds "
                         << writeQuantity(Dimension::Bytes,
                                          getState().getValue())
                         << " of state, more than the "
                         << writeQuantity(Dimension::Bytes,
                                          getMemory().getValue())
                         << " it uses in all";
  return success();
}

#define GET_OP_CLASSES
#include "hetero/Dialect/Hetero/HeteroPlanOps.cpp.inc"
