//===- NcclTransfers.cpp - How data moves between ranks -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Ending.h"
#include "NcclWorld.h"
#include "Numbers.h"
#include <algorithm>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

using namespace hetero::standin;

int64_t hetero::standin::sizeOf(ncclDataType_t type) {
  switch (type) {
  case ncclInt8:
  case ncclUint8:
    return 1;
  case ncclFloat16:
  case ncclBfloat16:
    return 2;
  case ncclInt32:
  case ncclUint32:
  case ncclFloat32:
    return 4;
  case ncclInt64:
  case ncclUint64:
  case ncclFloat64:
    return 8;
  default:
    return 0;
  }
}

const char *hetero::standin::nameOf(ncclDataType_t type) {
  switch (type) {
  case ncclInt8:
    return "int8";
  case ncclUint8:
    return "uint8";
  case ncclInt32:
    return "int32";
  case ncclUint32:
    return "uint32";
  case ncclInt64:
    return "int64";
  case ncclUint64:
    return "uint64";
  case ncclFloat16:
    return "float16";
  case ncclBfloat16:
    return "bfloat16";
  case ncclFloat32:
    return "float32";
  case ncclFloat64:
    return "float64";
  default:
    return "unknown";
  }
}

const char *hetero::standin::nameOf(ncclRedOp_t reduction) {
  switch (reduction) {
  case ncclSum:
    return "sum";
  case ncclProd:
    return "product";
  case ncclMax:
    return "maximum";
  case ncclMin:
    return "minimum";
  case ncclAvg:
    return "average";
  default:
    return "unknown";
  }
}

uint64_t CallPlan::getReadBytes(int rank, int numRanks) const {
  uint64_t bytes = count * standin::sizeOf(type);
  switch (kind) {
  case CallKind::Receive:
    return 0;
  case CallKind::Broadcast:
    return rank == peer ? bytes : 0;
  case CallKind::ReduceScatter:
    return bytes * numRanks;
  default:
    return bytes;
  }
}

uint64_t CallPlan::getWrittenBytes(int rank, int numRanks) const {
  uint64_t bytes = count * standin::sizeOf(type);
  switch (kind) {
  case CallKind::Send:
    return 0;
  case CallKind::Reduce:
    return rank == peer ? bytes : 0;
  case CallKind::AllGather:
    return bytes * numRanks;
  default:
    return bytes;
  }
}

/// Memory of a device of any process: that of others is mapped through their
/// open files.
static char *reach(World &world, const Place &place) {
  if (place.process < 0)
    return nullptr;
  if (place.process == getProcessSlot())
    return Engine::get().devices[place.device]->memory.getAlias() +
           place.offset;
  static auto *mapped = new std::map<std::pair<int, int>, char *>;
  char *&alias = (*mapped)[{place.process, place.device}];
  if (!alias) {
    const ProcessRow &process = world.processes[place.process];
    std::string path = "/proc/" + str(process.process) + "/fd/" +
                       str(process.files[place.device]);
    int file = open(path.c_str(), O_RDWR | O_CLOEXEC);
    void *memory =
        mmap(nullptr, process.spans[place.device], PROT_READ | PROT_WRITE,
             MAP_SHARED | MAP_NORESERVE, file, 0);
    if (file < 0 || memory == MAP_FAILED)
      leaveProcess("memory of process " + str(process.process) +
                   " cannot be reached");
    close(file);
    alias = static_cast<char *>(memory);
  }
  return alias + place.offset;
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

template <typename T>
static T combine(ncclRedOp_t reduction, T a, T b) {
  switch (reduction) {
  case ncclProd:
    return T(a * b);
  case ncclMax:
    return a < b ? b : a;
  case ncclMin:
    return b < a ? b : a;
  default:
    return T(a + b);
  }
}

/// Rank after rank, rounded to the type each time.
template <typename T>
static void reduceAs(ncclRedOp_t reduction,
                     const std::vector<const char *> &parts, int64_t count,
                     char *to) {
  auto *result = reinterpret_cast<T *>(to);
  for (int64_t i = 0; i < count; ++i) {
    T value = reinterpret_cast<const T *>(parts[0])[i];
    for (size_t rank = 1; rank < parts.size(); ++rank)
      value = combine<T>(reduction, value,
                         reinterpret_cast<const T *>(parts[rank])[i]);
    if (reduction == ncclAvg)
      value = T(value / static_cast<T>(float(parts.size())));
    result[i] = value;
  }
}

static std::vector<char> reduce(const CallRow &call,
                                const std::vector<const char *> &parts) {
  std::vector<char> result(call.count * sizeOf(call.type));
  switch (call.type) {
#define HETERO_REDUCE(code, type)                                              \
  case code:                                                                   \
    reduceAs<type>(call.reduction, parts, call.count, result.data());          \
    break;
    HETERO_REDUCE(ncclInt8, int8_t)
    HETERO_REDUCE(ncclUint8, uint8_t)
    HETERO_REDUCE(ncclInt32, int32_t)
    HETERO_REDUCE(ncclUint32, uint32_t)
    HETERO_REDUCE(ncclInt64, int64_t)
    HETERO_REDUCE(ncclUint64, uint64_t)
    HETERO_REDUCE(ncclFloat16, Half)
    HETERO_REDUCE(ncclBfloat16, BFloat)
    HETERO_REDUCE(ncclFloat32, float)
    HETERO_REDUCE(ncclFloat64, double)
#undef HETERO_REDUCE
  default:
    leaveProcess("NCCL cannot reduce its type " + str(call.type));
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Collectives
//===----------------------------------------------------------------------===//

static void write(char *to, const std::vector<char> &data) {
  if (to && !data.empty())
    std::memcpy(to, data.data(), data.size());
}

/// `byRank` is in the order of ranks. All is read before anything is written,
/// since results may be in place.
static void transferCollective(World &world,
                               const std::vector<CallRow *> &byRank) {
  const CallRow &call = *byRank[0];
  uint64_t bytes = call.count * sizeOf(call.type);
  if (!bytes)
    return;
  std::vector<const char *> parts;
  for (CallRow *each : byRank)
    parts.push_back(reach(world, each->from));
  std::vector<std::vector<char>> results;
  switch (call.kind) {
  case CallKind::Broadcast:
    results.assign(byRank.size(), {parts[call.peer], parts[call.peer] + bytes});
    break;
  case CallKind::AllReduce:
  case CallKind::Reduce:
    results.assign(byRank.size(), reduce(call, parts));
    break;
  case CallKind::AllGather: {
    std::vector<char> all;
    for (const char *part : parts)
      all.insert(all.end(), part, part + bytes);
    results.assign(byRank.size(), all);
    break;
  }
  default:
    for (size_t rank = 0; rank < byRank.size(); ++rank) {
      std::vector<const char *> shares;
      for (const char *part : parts)
        shares.push_back(part + rank * bytes);
      results.push_back(reduce(call, shares));
    }
  }
  for (size_t rank = 0; rank < byRank.size(); ++rank)
    write(reach(world, byRank[rank]->to), results[rank]);
}

void hetero::standin::transfer(World &world,
                               const std::vector<CallRow *> &calls,
                               const std::vector<int> &ranks) {
  if (isCollective(calls[0]->kind)) {
    std::vector<CallRow *> byRank(calls.size());
    for (size_t i = 0; i < calls.size(); ++i)
      byRank[ranks[i]] = calls[i];
    transferCollective(world, byRank);
    return;
  }
  bool isSend = calls[0]->kind == CallKind::Send;
  const CallRow &from = *calls[isSend ? 0 : 1], &to = *calls[isSend ? 1 : 0];
  if (uint64_t bytes = from.count * sizeOf(from.type))
    std::memcpy(reach(world, to.to), reach(world, from.from), bytes);
}
