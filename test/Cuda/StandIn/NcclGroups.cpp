//===- NcclGroups.cpp - Calls of NCCL and their groups --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Damages.h"
#include "Ending.h"
#include "NcclWorld.h"
#include <algorithm>
#include <optional>
#include <utility>

using namespace hetero::standin;

namespace {
/// What this thread has collected since ncclGroupStart.
struct Group {
  int depth = 0;
  /// Of a call in it: then nothing of it is done.
  ncclResult_t error = ncclSuccess;
  /// Its begin was forgotten, by a damage.
  bool isDropped = false;
  std::vector<std::shared_ptr<GroupPlan>> plans;
  std::vector<std::shared_ptr<Communicator>> joins;
};
} // namespace

static Group &getGroup() {
  static thread_local Group group;
  return group;
}

bool hetero::standin::isInGroup() { return getGroup().depth > 0; }

/// "allReduce of 64 float32 by rank 0 of communicator 1".
static std::string describePlan(const GroupPlan &plan) {
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

void communication::checkGroup(const std::string &who) {
  const Group &group = getGroup();
  // Who asks for the reason of a failure does not wait for the group.
  if (group.plans.empty() || group.error)
    return;
  leaveProcess(who +
               " waits while this thread has a group of NCCL that is not "
               "ended, with the " +
               describePlan(*group.plans[0]));
}

void hetero::standin::delayJoin(std::shared_ptr<Communicator> communicator) {
  getGroup().joins.push_back(std::move(communicator));
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
  work.name = describePlan(*plan);
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
  getGroup().isDropped = group.isDropped;
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

namespace {
/// A call that a damaged program enters after the next one.
struct LateCall {
  std::shared_ptr<Communicator> communicator;
  CallPlan plan;
  Stream *stream;
};
} // namespace

/// A call that means something else.
static void damageCall(CallPlan &plan,
                       std::shared_ptr<Communicator> &communicator) {
  const Device &device = *communicator->device;
  bool reduces = plan.kind == CallKind::AllReduce ||
                 plan.kind == CallKind::Reduce ||
                 plan.kind == CallKind::ReduceScatter;
  bool hasPeer = !reduces || plan.kind == CallKind::Reduce;
  hasPeer &= plan.kind != CallKind::AllGather;
  if (hasPeer && isDamaged(Damage::CallRoot, device))
    plan.peer = (plan.peer + 1) % communicator->numRanks;
  if (isDamaged(Damage::CallCount, device))
    --plan.count;
  if (isDamaged(Damage::CallType, device))
    plan.type = sizeOf(plan.type) == 8 ? ncclInt32 : ncclInt64;
  if (reduces && isDamaged(Damage::CallReduction, device))
    plan.reduction = plan.reduction == ncclMax ? ncclSum : ncclMax;
  if (isDamaged(Damage::CallKind, device))
    plan.kind = plan.kind == CallKind::Send      ? CallKind::Receive
                : plan.kind == CallKind::Receive ? CallKind::Send
                : reduces                        ? CallKind::AllGather
                                                 : CallKind::AllReduce;
  // Other kinds have other buffers.
  if (Engine::get().settings.damage.kind == Damage::CallKind) {
    plan.from = plan.from ? plan.from : plan.to;
    plan.to = plan.to ? plan.to : plan.from;
  }
  if (isDamaged(Damage::CallBuffer, device))
    (plan.from ? plan.from : plan.to) += uint64_t(1) << 30;
  for (const auto &[handle, other] : getCommunicators())
    if (other != communicator && other->device == &device &&
        isDamaged(Damage::CallGroup, device)) {
      communicator = other;
      plan.peer %= other->numRanks;
      return;
    }
}

static void addCall(const std::shared_ptr<Communicator> &communicator,
                    const CallPlan &plan, Stream &used, bool isEndless) {
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
  target.isEndless |= isEndless;
  if (std::find(target.streams.begin(), target.streams.end(), &used) ==
      target.streams.end())
    target.streams.push_back(&used);
}

static ncclResult_t collectCall(const NcclCall &call, ncclComm_t handle,
                                CallPlan plan, cudaStream_t stream) {
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
  Stream &used = damageStream(
      Damage::CallStream,
      engine.getStream(stream, *communicator->device, call.getName()));
  if (used.device != communicator->device)
    return ncclInvalidUsage;
  noteThread();
  static std::optional<LateCall> late;
  if (isDamaged(Damage::CallOrder, *used.device)) {
    late = {communicator, plan, &used};
    return ncclSuccess;
  }
  if (isDamaged(Damage::DropCall, *used.device))
    return ncclSuccess;
  damageCall(plan, communicator);
  bool isEndless = call.getFate() == Fate::NeverEnds;
  addCall(communicator, plan, used, isEndless);
  if (late && late->stream->device == used.device) {
    LateCall next = *std::exchange(late, std::nullopt);
    addCall(next.communicator, next.plan, *next.stream, isEndless);
  }
  return ncclSuccess;
}

ncclResult_t hetero::standin::enterCall(const NcclCall &call, ncclComm_t handle,
                                        CallPlan plan, cudaStream_t stream) {
  if (ncclResult_t error = collectCall(call, handle, plan, stream)) {
    if (isInGroup())
      getGroup().error = error;
    return error;
  }
  ncclResult_t result = isInGroup() ? ncclSuccess : endGroup();
  if (call.getDevice() && isDamaged(Damage::DestroyGroup, *call.getDevice()))
    getCommunicators().erase(handle);
  return result;
}

//===----------------------------------------------------------------------===//
// Entry points
//===----------------------------------------------------------------------===//

ncclResult_t ncclGroupStart() {
  NcclCall call(__func__);
  if (ncclResult_t error = call.check())
    return error;
  if (call.getDevice() && isDamaged(Damage::DropGroup, *call.getDevice())) {
    getGroup().isDropped = true;
    return ncclSuccess;
  }
  ++getGroup().depth;
  return ncclSuccess;
}

ncclResult_t ncclGroupEnd() {
  NcclCall call(__func__);
  if (ncclResult_t error = call.check()) {
    getGroup() = {};
    return error;
  }
  if (std::exchange(getGroup().isDropped, false))
    return ncclSuccess;
  if (!isInGroup())
    return ncclInvalidUsage;
  if (call.getDevice() && isDamaged(Damage::DropGroupEnd, *call.getDevice()))
    return ncclSuccess;
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
