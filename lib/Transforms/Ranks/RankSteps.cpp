//===- RankSteps.cpp - What every rank does, in order ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Transforms/Ranks/RankSteps.h"
#include "hetero/Analysis/RankPrograms.h"

using namespace mlir;
using namespace hetero;
using namespace hetero::ranks;

/// Units call no units, so more than this is a cycle.
static constexpr int maxDepth = 16;

StringRef ranks::getShortName(Operation *op) {
  return op->getName().stripDialect();
}

std::string ranks::describePlace(const RankSteps &rank, const Step &step) {
  std::string text = "rank " + std::to_string(rank.rank);
  Operation *top = rank.getTop(step);
  if (auto instruction = top->getAttrOfType<InstructionAttr>(
          HeteroDialect::getInstructionAttrName())) {
    text += " in '" + stringifyInstructionKind(instruction.getKind()).str();
    if (instruction.getMicrobatch())
      text += " " + std::to_string(*instruction.getMicrobatch());
    text += "'";
  }
  return text;
}

LogicalResult Programs::addCommunication(RankSteps &rank, Step step) {
  auto op = cast<CommunicationOpInterface>(step.op);
  int64_t channel = op.getChannelNumber();
  StreamKey key;
  if (std::optional<int64_t> peer = op.getPeerRank()) {
    std::vector<int64_t> ends = {rank.rank, *peer};
    if (isa<RecvOp>(step.op))
      std::swap(ends[0], ends[1]);
    key = {ends, channel, true};
  } else {
    auto mesh =
        symbols.lookupNearestSymbolFrom<MeshOp>(step.op, op.getGroupMesh());
    SmallVector<int64_t> group;
    if (mesh)
      group = mesh.getGroup(rank.rank, op.getGroupAxes());
    if (!llvm::is_contained(group, rank.rank)) {
      return (step.op->emitOpError()
              << "is executed by rank " << rank.rank << ", which is not in "
              << op.getGroupMesh())
                 .attachNote(rank.function.getLoc())
             << "the program is here";
    }
    key = {std::vector<int64_t>(group.begin(), group.end()), channel, false};
  }
  auto [it, isNew] = streamNumbers.try_emplace(key, streams.size());
  if (isNew) {
    Stream stream;
    stream.group.assign(std::get<0>(key).begin(), std::get<0>(key).end());
    stream.channel = channel;
    stream.isMessage = std::get<2>(key);
    stream.steps.resize(stream.group.size());
    streams.push_back(std::move(stream));
  }
  Stream &stream = streams[it->second];
  std::vector<size_t> &list = stream.steps[stream.getMember(rank.rank)];
  step.stream = it->second;
  step.position = list.size();
  list.push_back(rank.steps.size());
  if (op.isStart())
    started[step.op->getResult(0)] = rank.steps.size();
  rank.steps.push_back(step);
  return success();
}

/// What of a function a rank program has to follow: communications, waits and
/// calls. Looked up once for each function.
FailureOr<ArrayRef<Operation *>> Programs::getFollowed(func::FuncOp function) {
  auto [it, isNew] = followed.try_emplace(function);
  if (!isNew)
    return ArrayRef<Operation *>(it->second);
  if (!llvm::hasSingleElement(function.getBody()))
    return function.emitOpError()
           << "has branches; a program is straight-line code";
  std::vector<Operation *> ops;
  Operation *inRegion = nullptr;
  for (Operation &op : function.getBody().front()) {
    if (isa<CommunicationOpInterface, WaitOp, func::CallOp>(op))
      ops.push_back(&op);
    for (Region &region : op.getRegions())
      region.walk([&](Operation *inner) {
        if (isa<CommunicationOpInterface, WaitOp, func::CallOp>(inner))
          inRegion = inner;
      });
  }
  if (inRegion)
    return inRegion->emitOpError() << "is inside of a region, where it is not "
                                      "known how often it is executed";
  it->second = std::move(ops);
  return ArrayRef<Operation *>(it->second);
}

LogicalResult Programs::addWait(RankSteps &rank, WaitOp wait, Operation *call) {
  auto it = started.find(wait.getHandle());
  if (it == started.end())
    return wait.emitOpError() << "waits for something that was not started, or "
                                 "that was waited for already";
  rank.steps.push_back({wait, call, -1, -1, int64_t(it->second)});
  started.erase(it);
  return success();
}

LogicalResult Programs::addCall(RankSteps &rank, func::CallOp op,
                                Operation *call, int depth) {
  func::FuncOp &known = callees[op];
  if (!known)
    known =
        symbols.lookupNearestSymbolFrom<func::FuncOp>(op, op.getCalleeAttr());
  func::FuncOp callee = known;
  if (!callee || callee.isExternal())
    return op.emitOpError()
           << "calls " << op.getCalleeAttr() << ", which has no body";
  if (depth == maxDepth)
    return op.emitOpError()
           << "is nested more than " << maxDepth << " calls deep";
  FailureOr<ArrayRef<Operation *>> ops = getFollowed(callee);
  if (failed(ops))
    return failure();
  for (Operation *inner : *ops)
    if (failed(addStep(rank, inner, call ? call : op, depth + 1)))
      return failure();
  return checkWaited(rank, *ops);
}

LogicalResult Programs::addStep(RankSteps &rank, Operation *op, Operation *call,
                                int depth) {
  if (isa<CommunicationOpInterface>(op))
    return addCommunication(rank, {op, call});
  if (auto wait = dyn_cast<WaitOp>(op))
    return addWait(rank, wait, call);
  if (auto inner = dyn_cast<func::CallOp>(op))
    if (failed(addCall(rank, inner, call, depth)))
      return failure();
  if (!call)
    rank.steps.push_back({op, nullptr});
  return success();
}

/// A handle does not leave the function that it was made in.
LogicalResult Programs::checkWaited(const RankSteps &rank,
                                    ArrayRef<Operation *> ops) {
  for (Operation *op : ops)
    for (Value result : op->getResults())
      if (started.contains(result))
        return op->emitOpError()
               << "is started by rank " << rank.rank << " and never waited for";
  return success();
}

FailureOr<std::unique_ptr<Programs>> Programs::read(ModuleOp module) {
  auto programs = std::make_unique<Programs>();
  programs->module = module;
  FailureOr<std::map<int64_t, func::FuncOp>> functions =
      readRankPrograms(module);
  if (failed(functions))
    return failure();
  for (auto [rank, function] : *functions) {
    RankSteps &steps = programs->ranks[rank];
    steps.rank = rank;
    steps.function = function;
  }
  for (auto &[number, rank] : programs->ranks) {
    FailureOr<ArrayRef<Operation *>> ops = programs->getFollowed(rank.function);
    if (failed(ops))
      return failure();
    for (Operation &op : rank.function.getBody().front())
      if (failed(programs->addStep(rank, &op, nullptr, 0)))
        return failure();
    if (failed(programs->checkWaited(rank, *ops)))
      return failure();
  }
  return programs;
}
