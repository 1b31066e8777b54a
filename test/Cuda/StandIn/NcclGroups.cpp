//===- NcclGroups.cpp - Calls of NCCL and their groups --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Ending.h"
#include "NcclWorld.h"
#include <algorithm>

using namespace hetero::standin;

namespace {
/// What this thread has collected since ncclGroupStart.
struct Group {
  int depth = 0;
  /// Of a call in it: then nothing of it is done.
  ncclResult_t error = ncclSuccess;
  std::vector<std::shared_ptr<GroupPlan>> plans;
  std::vector<std::shared_ptr<Communicator>> joins;
};
} // namespace

static Group &getGroup() {
  static thread_local Group group;
  return group;
}

bool hetero::standin::isInGroup() { return getGroup().depth > 0; }

void hetero::standin::delayJoin(std::shared_ptr<Communicator> communicator) {
  getGroup().joins.push_back(std::move(communicator));
}

/// "allReduce of 64 float32 by rank 0 of communicator 1".
static std::string nameOf(const GroupPlan &plan) {
  static const char *const names[] = {"send",         "receive", "broadcast",
                                      "allReduce",    "reduce",  "allGather",
                                      "reduceScatter"};
  const CallPlan &first = plan.calls[0];
  std::string name = std::string(names[int(first.kind)]) + " of " +
                     str(first.count) + " " + nameOf(first.type);
  if (first.kind == CallKind::Send)
    name += " to rank " + str(first.peer);
  if (first.kind == CallKind::Receive)
    name += " from rank " + str(first.peer);
  if (plan.calls.size() > 1)
    name += " and " + str(plan.calls.size() - 1) + " more";
  return name + " by rank " + str(plan.communicator->rank) +
         " of communicator " + str(plan.communicator->clique);
}

/// One operation in the first stream; the others wait for it and it for them.
static void enterPlan(std::shared_ptr<GroupPlan> plan) {
  Engine &engine = Engine::get();
  Communicator &communicator = *plan->communicator;
  std::vector<OperationRef> waits = {communicator.last};
  Stream &main = *plan->streams[0];
  for (size_t i = 1; i < plan->streams.size(); ++i)
    waits.push_back(plan->streams[i]->last);
  Work work;
  work.name = nameOf(*plan);
  work.plan = plan;
  OperationRef operation = engine.enter(main, work, waits);
  // In a capture: the graph enters it when it is launched.
  if (!operation)
    return;
  communicator.last = operation;
  for (size_t i = 1; i < plan->streams.size(); ++i) {
    Work join;
    join.name = "wait for a group of NCCL";
    engine.enter(*plan->streams[i], join, {operation});
  }
}

static ncclResult_t endGroup(bool isEndless = false) {
  Group group = std::move(getGroup());
  getGroup() = {};
  if (group.error)
    return group.error;
  awaitMembers(group.joins);
  ncclResult_t result = ncclSuccess;
  for (const std::shared_ptr<GroupPlan> &plan : group.plans) {
    plan->isEndless |= isEndless;
    enterPlan(plan);
    // A communicator that does not block may say so, and is asked later.
    Communicator &communicator = *plan->communicator;
    if (!communicator.isBlocking && Engine::get().flip()) {
      communicator.isDelayed = true;
      result = ncclInProgress;
    }
  }
  return result;
}

static ncclResult_t collectCall(const NcclCall &call, ncclComm_t handle,
                                const CallPlan &plan, cudaStream_t stream) {
  if (ncclResult_t error = call.check())
    return error;
  std::shared_ptr<Communicator> communicator = call.get(handle);
  if (communicator->isAborted || communicator->isFinalized ||
      !hasAllMembers(*communicator))
    return ncclInvalidUsage;
  bool hasPeer = plan.kind != CallKind::AllReduce &&
                 plan.kind != CallKind::AllGather &&
                 plan.kind != CallKind::ReduceScatter;
  bool reduces = plan.kind == CallKind::AllReduce ||
                 plan.kind == CallKind::Reduce ||
                 plan.kind == CallKind::ReduceScatter;
  if (plan.count < 0 || !sizeOf(plan.type) ||
      (hasPeer && (plan.peer < 0 || plan.peer >= communicator->numRanks)) ||
      (reduces && (plan.reduction < 0 || plan.reduction > ncclAvg)))
    return ncclInvalidArgument;
  Engine &engine = Engine::get();
  Stream &used =
      engine.getStream(stream, *communicator->device, call.getName());
  if (used.device != communicator->device)
    return ncclInvalidUsage;
  noteThread();
  Group &group = getGroup();
  auto found = std::find_if(
      group.plans.begin(), group.plans.end(),
      [&](const auto &each) { return each->communicator == communicator; });
  if (found == group.plans.end()) {
    auto made = std::make_shared<GroupPlan>();
    made->communicator = communicator;
    found = group.plans.insert(group.plans.end(), made);
  }
  GroupPlan &target = **found;
  target.calls.push_back(plan);
  target.isEndless |= call.getFate() == Fate::NeverEnds;
  if (std::find(target.streams.begin(), target.streams.end(), &used) ==
      target.streams.end())
    target.streams.push_back(&used);
  return ncclSuccess;
}

ncclResult_t hetero::standin::enterCall(const NcclCall &call, ncclComm_t handle,
                                        CallPlan plan, cudaStream_t stream) {
  if (ncclResult_t error = collectCall(call, handle, plan, stream)) {
    if (isInGroup())
      getGroup().error = error;
    return error;
  }
  return isInGroup() ? ncclSuccess : endGroup();
}

//===----------------------------------------------------------------------===//
// Entry points
//===----------------------------------------------------------------------===//

ncclResult_t ncclGroupStart() {
  NcclCall call(__func__);
  if (ncclResult_t error = call.check())
    return error;
  ++getGroup().depth;
  return ncclSuccess;
}

ncclResult_t ncclGroupEnd() {
  NcclCall call(__func__);
  if (ncclResult_t error = call.check())
    return error;
  if (!isInGroup())
    return ncclInvalidUsage;
  if (--getGroup().depth > 0)
    return ncclSuccess;
  return endGroup(call.getFate() == Fate::NeverEnds);
}

static uint64_t toAddress(const void *memory) {
  return reinterpret_cast<uint64_t>(memory);
}

static CallPlan makePlan(CallKind kind, const void *from, void *to,
                         size_t count, ncclDataType_t type) {
  CallPlan plan;
  plan.kind = kind;
  plan.from = toAddress(from);
  plan.to = toAddress(to);
  plan.count = count;
  plan.type = type;
  return plan;
}

ncclResult_t ncclSend(const void *data, size_t count, ncclDataType_t type,
                      int peer, ncclComm_t comm, cudaStream_t stream) {
  NcclCall call(__func__);
  CallPlan plan = makePlan(CallKind::Send, data, nullptr, count, type);
  plan.peer = peer;
  return enterCall(call, comm, plan, stream);
}

ncclResult_t ncclRecv(void *data, size_t count, ncclDataType_t type, int peer,
                      ncclComm_t comm, cudaStream_t stream) {
  NcclCall call(__func__);
  CallPlan plan = makePlan(CallKind::Receive, nullptr, data, count, type);
  plan.peer = peer;
  return enterCall(call, comm, plan, stream);
}

ncclResult_t ncclBroadcast(const void *from, void *to, size_t count,
                           ncclDataType_t type, int root, ncclComm_t comm,
                           cudaStream_t stream) {
  NcclCall call(__func__);
  CallPlan plan = makePlan(CallKind::Broadcast, from, to, count, type);
  plan.peer = root;
  return enterCall(call, comm, plan, stream);
}

ncclResult_t ncclAllReduce(const void *from, void *to, size_t count,
                           ncclDataType_t type, ncclRedOp_t reduction,
                           ncclComm_t comm, cudaStream_t stream) {
  NcclCall call(__func__);
  CallPlan plan = makePlan(CallKind::AllReduce, from, to, count, type);
  plan.reduction = reduction;
  return enterCall(call, comm, plan, stream);
}

ncclResult_t ncclReduce(const void *from, void *to, size_t count,
                        ncclDataType_t type, ncclRedOp_t reduction, int root,
                        ncclComm_t comm, cudaStream_t stream) {
  NcclCall call(__func__);
  CallPlan plan = makePlan(CallKind::Reduce, from, to, count, type);
  plan.reduction = reduction;
  plan.peer = root;
  return enterCall(call, comm, plan, stream);
}

ncclResult_t ncclAllGather(const void *from, void *to, size_t count,
                           ncclDataType_t type, ncclComm_t comm,
                           cudaStream_t stream) {
  NcclCall call(__func__);
  return enterCall(
      call, comm, makePlan(CallKind::AllGather, from, to, count, type), stream);
}

ncclResult_t ncclReduceScatter(const void *from, void *to, size_t count,
                               ncclDataType_t type, ncclRedOp_t reduction,
                               ncclComm_t comm, cudaStream_t stream) {
  NcclCall call(__func__);
  CallPlan plan = makePlan(CallKind::ReduceScatter, from, to, count, type);
  plan.reduction = reduction;
  return enterCall(call, comm, plan, stream);
}
