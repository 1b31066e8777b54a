//===- StateDivision.cpp - State by free memory ---------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Planner/Model/StateDivision.h"
#include "hetero/Planner/Model/SampleDivision.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace hetero;
using namespace hetero::planner;

std::vector<int64_t> hetero::planner::divideEvenly(int64_t amount,
                                                   int64_t parts) {
  std::vector<int64_t> result(parts, amount / parts);
  for (int64_t i = 0; i < amount % parts; ++i)
    ++result[i];
  return result;
}

std::vector<int64_t> hetero::planner::fillFree(int64_t amount,
                                               ArrayRef<int64_t> free) {
  std::vector<size_t> order(free.size());
  __int128 room = 0;
  for (size_t i = 0; i < order.size(); ++i) {
    order[i] = i;
    room += std::max<int64_t>(0, free[i]);
  }
  std::vector<int64_t> parts(free.size(), 0);
  if (parts.empty())
    return parts;
  if (room < amount) {
    // Everyone goes below what is free by the same.
    std::vector<int64_t> more = divideEvenly(
        int64_t(std::min<__int128>(amount, amount - room)), parts.size());
    for (auto [part, own, beyond] : zip_equal(parts, free, more))
      part = std::max<int64_t>(0, own) + beyond;
    return parts;
  }
  sort(order, [&](size_t left, size_t right) {
    return std::tie(free[left], left) < std::tie(free[right], right);
  });
  int64_t left = amount;
  for (size_t i = 0; i < order.size(); ++i) {
    int64_t members = order.size() - i;
    int64_t part = std::min(std::max<int64_t>(0, free[order[i]]),
                            (left + members - 1) / members);
    parts[order[i]] = part;
    left -= part;
  }
  return parts;
}

StateDivision::StateDivision(const StageModel &model, Stage &stage,
                             StagePlace place, Division division)
    : stage(stage), division(division), numMicrobatches(place.numMicrobatches),
      layered(place.layered) {
  ColumnState column = model.columnState(stage.layers, stage.mesh.tensor);
  common = column.undivided(stage.state);
  divided = column.total() - common;
  if (place.layered && common == Bytes(0))
    alongside = column.gradients;
  for (DeviceShare &share : stage.shares)
    share.state = common;
  // Activations grow by the same number of bytes with each microbatch in
  // flight: the difference between one and two of them.
  std::vector<size_t> kindOf(stage.shares.size());
  for (const MemberKind &kind : model.memberKinds(stage)) {
    for (int64_t member : kind.members)
      kindOf[member] = free.size();
    if (place.layered) {
      // A layered stage has all microbatches of all runs in flight.
      stage.inFlight = numMicrobatches * int64_t(stage.layers.size());
      free.push_back(
          kind.usable -
          model.memoryUse(stage, place, kind.members.front()).total());
      perMicrobatch.emplace_back(0);
      continue;
    }
    stage.inFlight = 1;
    cost::MemoryUse one = model.memoryUse(stage, place, kind.members.front());
    stage.inFlight = 2;
    StagePlace more = place;
    more.numMicrobatches = std::max<int64_t>(2, more.numMicrobatches);
    cost::MemoryUse two = model.memoryUse(stage, more, kind.members.front());
    perMicrobatch.push_back(two.activations - one.activations);
    free.push_back(kind.usable - one.total() + perMicrobatch.back());
  }
  std::map<std::pair<int64_t, int64_t>, std::map<size_t, Part>> members;
  for (auto [number, device] : enumerate(stage.mesh.devices)) {
    int64_t node =
        stage.state == StateMode::Node ? model.cluster.devices[device].node : 0;
    size_t kind = kindOf[number];
    Part &part = members[{int64_t(number) % stage.mesh.tensor, node}][kind];
    part.kind = kind;
    part.members.push_back(number);
  }
  for (auto &[key, parts] : members) {
    std::vector<Part> &group = groups.emplace_back();
    for (auto &[kind, part] : parts)
      group.push_back(std::move(part));
  }
}

int64_t StateDivision::freeOf(size_t kind, int64_t inFlight) const {
  int64_t left = (free[kind] - perMicrobatch[kind] * inFlight).count();
  if (alongside == Bytes(0) || left <= 0)
    return left;
  // The share of `alongside` is rounded up, which may take one byte more.
  __int128 whole = static_cast<__int128>(divided.count()) + alongside.count();
  return int64_t(static_cast<__int128>(left - 1) * divided.count() / whole);
}

bool StateDivision::fits(int64_t inFlight) const {
  for (size_t kind = 0; kind < free.size(); ++kind)
    if (freeOf(kind, inFlight) < 0)
      return false;
  if (stage.state == StateMode::Replicated)
    return true;
  for (const std::vector<Part> &group : groups) {
    __int128 room = 0;
    int64_t count = 0, least = std::numeric_limits<int64_t>::max();
    for (const Part &part : group) {
      room += static_cast<__int128>(freeOf(part.kind, inFlight)) *
              static_cast<__int128>(part.members.size());
      count += part.members.size();
      least = std::min(least, freeOf(part.kind, inFlight));
    }
    if (division == Division::Even
            ? least < (divided.count() + count - 1) / count
            : room < divided.count())
      return false;
  }
  return true;
}

int64_t StateDivision::limit() const {
  return findLargest(0, numMicrobatches * int64_t(stage.layers.size()),
                     [&](int64_t inFlight) { return fits(inFlight); });
}

void StateDivision::apply(int64_t inFlight) {
  stage.inFlight =
      layered ? numMicrobatches * int64_t(stage.layers.size()) : inFlight;
  for (DeviceShare &share : stage.shares)
    share.state = common;
  if (stage.state == StateMode::Replicated)
    return;
  for (const std::vector<Part> &group : groups) {
    std::vector<int64_t> rooms, members;
    for (const Part &part : group)
      for (int64_t member : part.members) {
        members.push_back(member);
        rooms.push_back(freeOf(part.kind, inFlight));
      }
    std::vector<int64_t> parts =
        division == Division::Even
            ? divideEvenly(divided.count(), members.size())
            : fillFree(divided.count(), rooms);
    for (auto [member, part] : zip_equal(members, parts))
      stage.shares[member].state = common + Bytes(part);
  }
}
