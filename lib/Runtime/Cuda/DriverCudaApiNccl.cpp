//===- DriverCudaApiNccl.cpp - What a CUDA device does by NCCL ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "DriverCudaApi.h"
#include <algorithm>
#include <chrono>
#include <cstring>
#include <thread>

using namespace hetero::runtime;

namespace {
/// A type and operation of NCCL for a reduction of ours.
struct NcclNumber {
  ncclDataType_t type;
  int64_t perElement;
};
} // namespace

static NcclNumber toNumber(ElementType type) {
  switch (type) {
  case ElementType::I8:
    return {ncclInt8, 1};
  case ElementType::I32:
    return {ncclInt32, 1};
  case ElementType::I64:
    return {ncclInt64, 1};
  case ElementType::U32:
    return {ncclUint32, 1};
  case ElementType::U64:
    return {ncclUint64, 1};
  case ElementType::F16:
    return {ncclFloat16, 1};
  case ElementType::BF16:
    return {ncclBfloat16, 1};
  case ElementType::F32:
    return {ncclFloat32, 1};
  case ElementType::F64:
    return {ncclFloat64, 1};
  case ElementType::C64:
    return {ncclFloat32, 2};
  case ElementType::C128:
    return {ncclFloat64, 2};
  default:
    return {ncclUint8, sizeOf(type)};
  }
}

/// Booleans are bytes of 0 and 1, of which the sum is the larger.
static ncclRedOp_t toOperation(Reduction reduction, ElementType type) {
  switch (reduction) {
  case Reduction::Sum:
    return type == ElementType::Bool ? ncclMax : ncclSum;
  case Reduction::Max:
  case Reduction::Or:
    return ncclMax;
  case Reduction::Min:
  case Reduction::And:
    return ncclMin;
  }
  return ncclSum;
}

MaybeError DriverCudaApi::checkGroups() {
  for (ncclComm_t group : groups) {
    ncclResult_t state = ncclSuccess;
    if (MaybeError error = check(f.ncclCommGetAsyncError(group, &state),
                                 "ncclCommGetAsyncError"))
      return error;
    if (MaybeError error = check(state, "communication by NCCL"))
      return error;
  }
  return std::nullopt;
}

Result<NcclId> DriverCudaApi::makeNcclId() {
  if (f.ncclMissing)
    return Error{*f.ncclMissing};
  ncclUniqueId made;
  if (MaybeError error = check(f.ncclGetUniqueId(&made), "ncclGetUniqueId"))
    return Error{*error};
  NcclId id;
  static_assert(sizeof(made) == sizeof(id), "NCCL's id has another size");
  std::memcpy(id.data(), &made, sizeof(made));
  return id;
}

Result<CudaHandle>
DriverCudaApi::joinGroup(const NcclId &id, int64_t numMembers, int64_t self,
                         const std::function<MaybeError()> &getFailure) {
  if (f.ncclMissing)
    return Error{*f.ncclMissing};
  if (MaybeError error = enter())
    return Error{*error};
  ncclUniqueId given;
  std::memcpy(&given, id.data(), sizeof(given));
  ncclComm_t group = nullptr;
  if (!f.ncclCommInitRankConfig) {
    // Waits for all members, for ever if need be.
    if (MaybeError error =
            check(f.ncclCommInitRank(&group, numMembers, given, self),
                  "ncclCommInitRank"))
      return Error{*error};
    groups.push_back(group);
    return toHandle(group);
  }
  ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
  config.blocking = 0;
  MaybeError error =
      check(f.ncclCommInitRankConfig(&group, numMembers, given, self, &config),
            "ncclCommInitRankConfig");
  if (group)
    groups.push_back(group);
  if (!error)
    error = awaitGroup(group, "ncclCommInitRankConfig", getFailure);
  if (error)
    return Error{*error};
  return toHandle(group);
}

MaybeError
DriverCudaApi::awaitGroup(ncclComm_t group, const char *what,
                          const std::function<MaybeError()> &getFailure) {
  // As long as what NCCL does by itself takes at best, and as seldom as a
  // waiting rank should take a processor from one that works.
  auto pause = std::chrono::microseconds(20);
  constexpr auto longestPause = std::chrono::microseconds(1000);
  for (;;) {
    ncclResult_t state = ncclSuccess;
    if (MaybeError error = check(f.ncclCommGetAsyncError(group, &state),
                                 "ncclCommGetAsyncError"))
      return error;
    if (state != ncclInProgress) {
      MaybeError error = check(state, what);
      return error ? findReason(*error, getFailure) : error;
    }
    if (MaybeError error = getFailure())
      return error;
    std::this_thread::sleep_for(pause);
    pause = std::min(pause * 2, longestPause);
  }
}

MaybeError
DriverCudaApi::settle(CudaHandle group,
                      const std::function<MaybeError()> &getFailure) {
  // One that blocks has done it when its call has returned.
  if (!f.ncclCommInitRankConfig)
    return std::nullopt;
  return awaitGroup(toGroup(group), "communication by NCCL", getFailure);
}

MaybeError
DriverCudaApi::leaveGroups(const std::function<MaybeError()> &getFailure) {
  if (MaybeError error = enter())
    return error;
  bool areNonBlocking = f.ncclCommInitRankConfig && f.ncclCommFinalize;
  // All begin to end before any is waited for: none waits for a rank that is
  // still in another one.
  for (ncclComm_t group : groups)
    if (areNonBlocking)
      if (MaybeError error =
              check(f.ncclCommFinalize(group), "ncclCommFinalize"))
        return error;
  for (ncclComm_t group : groups)
    if (areNonBlocking)
      if (MaybeError error = awaitGroup(group, "ncclCommFinalize", getFailure))
        return error;
  while (!groups.empty()) {
    ncclComm_t group = groups.back();
    groups.pop_back();
    if (MaybeError error = check(f.ncclCommDestroy(group), "ncclCommDestroy")) {
      groups.push_back(group);
      return error;
    }
  }
  return std::nullopt;
}

void DriverCudaApi::abort(ncclComm_t group) {
  MaybeError error = check(f.ncclCommAbort(group), "ncclCommAbort");
  // What is left of it would occupy the device for ever.
  if (error && f.ncclCommAbort(group) != ncclSuccess)
    keep(error);
}

void DriverCudaApi::abortGroups() {
  if (groups.empty())
    return;
  keep(enter());
  for (ncclComm_t group : groups)
    abort(group);
  groups.clear();
}

MaybeError DriverCudaApi::beginGroup() {
  return check(f.ncclGroupStart(), "ncclGroupStart");
}

MaybeError DriverCudaApi::endGroup() {
  return check(f.ncclGroupEnd(), "ncclGroupEnd");
}

MaybeError DriverCudaApi::send(const void *data, int64_t count,
                               ElementType type, int64_t member,
                               CudaHandle group, CudaHandle stream) {
  if (MaybeError error = enter())
    return error;
  return check(f.ncclSend(data, count * sizeOf(type), ncclUint8, member,
                          toGroup(group), toStream(stream)),
               "ncclSend");
}

MaybeError DriverCudaApi::receive(void *data, int64_t count, ElementType type,
                                  int64_t member, CudaHandle group,
                                  CudaHandle stream) {
  if (MaybeError error = enter())
    return error;
  return check(f.ncclRecv(data, count * sizeOf(type), ncclUint8, member,
                          toGroup(group), toStream(stream)),
               "ncclRecv");
}

MaybeError DriverCudaApi::broadcast(const void *from, void *to, int64_t count,
                                    ElementType type, int64_t root,
                                    CudaHandle group, CudaHandle stream) {
  if (MaybeError error = enter())
    return error;
  return check(f.ncclBroadcast(from, to, count * sizeOf(type), ncclUint8, root,
                               toGroup(group), toStream(stream)),
               "ncclBroadcast");
}

MaybeError DriverCudaApi::allReduce(const void *from, void *to, int64_t count,
                                    ElementType type, Reduction reduction,
                                    CudaHandle group, CudaHandle stream) {
  if (MaybeError error = enter())
    return error;
  NcclNumber number = toNumber(type);
  return check(f.ncclAllReduce(from, to, count * number.perElement, number.type,
                               toOperation(reduction, type), toGroup(group),
                               toStream(stream)),
               "ncclAllReduce");
}

MaybeError DriverCudaApi::reduce(const void *from, void *to, int64_t count,
                                 ElementType type, Reduction reduction,
                                 int64_t root, CudaHandle group,
                                 CudaHandle stream) {
  if (MaybeError error = enter())
    return error;
  NcclNumber number = toNumber(type);
  return check(f.ncclReduce(from, to, count * number.perElement, number.type,
                            toOperation(reduction, type), root, toGroup(group),
                            toStream(stream)),
               "ncclReduce");
}

MaybeError DriverCudaApi::allGather(const void *from, void *to, int64_t count,
                                    ElementType type, CudaHandle group,
                                    CudaHandle stream) {
  if (MaybeError error = enter())
    return error;
  return check(f.ncclAllGather(from, to, count * sizeOf(type), ncclUint8,
                               toGroup(group), toStream(stream)),
               "ncclAllGather");
}

MaybeError DriverCudaApi::reduceScatter(const void *from, void *to,
                                        int64_t count, ElementType type,
                                        Reduction reduction, CudaHandle group,
                                        CudaHandle stream) {
  if (MaybeError error = enter())
    return error;
  NcclNumber number = toNumber(type);
  return check(f.ncclReduceScatter(from, to, count * number.perElement,
                                   number.type, toOperation(reduction, type),
                                   toGroup(group), toStream(stream)),
               "ncclReduceScatter");
}
