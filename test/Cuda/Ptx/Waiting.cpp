//===- Waiting.cpp - Barriers and what warps do together ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Machine.h"
#include <algorithm>

namespace hetero::standin::ptx {

//===----------------------------------------------------------------------===//
// Barriers
//===----------------------------------------------------------------------===//

void Machine::barrier(ptx_thread *code, uint32_t index, uint32_t count,
                      int isAligned, uint32_t line) {
  Thread &thread = *reinterpret_cast<Thread *>(code);
  Machine &machine = *thread.machine;
  machine.settle();
  if (index >= machine.arrivals.size())
    machine.fail(thread, line, "there are only 16 barriers");
  if (count && count != machine.numThreads) {
    std::string what = "waits for " + std::to_string(count) + " threads of " +
                       std::to_string(machine.numThreads) +
                       ", which this machine does not support";
    machine.fail(thread, line, std::move(what));
  }
  thread.state = State::AtBarrier;
  thread.barrier = index;
  thread.isAligned = isAligned;
  thread.line = line;
  thread.fiber->suspend();
}

/// All threads are there.
void Machine::releaseBarrier(uint32_t index) {
  for (uint32_t i = 0; i < numThreads; ++i) {
    const Thread &first = threads[i / 32 * 32], &thread = threads[i];
    // An aligned barrier is one instruction for the whole warp.
    if ((first.isAligned || thread.isAligned) && first.line != thread.line) {
      failure = position(thread) + ", " + instruction(thread.line) +
                ": thread " + coordinates(first) +
                " of the same warp waits at another barrier, " +
                instruction(first.line);
      return;
    }
  }
  arrivals[index] = 0;
  ++barriers;
  for (Thread &thread : threads)
    makeReady(thread);
}

//===----------------------------------------------------------------------===//
// Warps
//===----------------------------------------------------------------------===//

uint64_t Machine::collective(ptx_thread *code, int what, uint32_t mask,
                             uint64_t value, uint32_t lane, uint32_t clamp,
                             uint8_t *predicate, uint32_t line) {
  Thread &thread = *reinterpret_cast<Thread *>(code);
  Machine &machine = *thread.machine;
  machine.settle();
  if (!(mask >> code->lane & 1))
    machine.fail(thread, line, "its lane is not in the mask");
  thread.what = what;
  thread.mask = mask;
  thread.value = value;
  thread.lane = lane;
  thread.clamp = clamp;
  thread.line = line;
  thread.state = State::AtCollective;
  thread.fiber->suspend();
  *predicate = thread.predicate;
  return thread.result;
}

/// Goes on if all lanes of the mask wait for the same.
void Machine::tryCollective(Thread &thread) {
  std::vector<Thread *> members;
  uint32_t begin = thread.index / 32 * 32;
  for (uint32_t lane = 0; lane < 32; ++lane) {
    if (!(thread.mask >> lane & 1))
      continue;
    if (begin + lane >= numThreads)
      return;
    Thread &member = threads[begin + lane];
    if (member.state != State::AtCollective || member.what != thread.what ||
        member.mask != thread.mask)
      return;
    members.push_back(&member);
  }
  finishCollective(members);
  if (!failure.empty())
    return;
  for (Thread *member : members)
    makeReady(*member);
}

void Machine::finishCollective(const std::vector<Thread *> &members) {
  int what = members.front()->what;
  if (globalRaces) {
    std::vector<uint32_t> indices;
    for (const Thread *thread : members)
      indices.push_back(thread->index);
    order.meet(indices, what == PTX_WARP_BARRIER);
  }
  if (what <= PTX_SHUFFLE_INDEX)
    return finishShuffle(members);
  if (what <= PTX_VOTE_BALLOT)
    return finishVote(members);
  if (what <= PTX_MATCH_ALL)
    return finishMatch(members);
  if (what <= PTX_REDUCE_XOR)
    return finishReduction(members);
}

void Machine::finishShuffle(const std::vector<Thread *> &members) {
  for (Thread *thread : members) {
    uint32_t own = thread->code.lane;
    // As the instruction says it: `clamp` is the last lane, or for .up the
    // first, of a segment, which the bits from 8 on give.
    uint32_t clamp = thread->clamp & 31, segment = thread->clamp >> 8 & 31;
    uint32_t last = (own & segment) | (clamp & ~segment);
    uint32_t first = own & segment, by = thread->lane & 31;
    int32_t source = 0;
    bool isInside = false;
    switch (thread->what) {
    case PTX_SHUFFLE_UP:
      source = int32_t(own) - int32_t(by);
      isInside = source >= int32_t(last);
      break;
    case PTX_SHUFFLE_DOWN:
      source = own + by;
      isInside = source <= int32_t(last);
      break;
    case PTX_SHUFFLE_BUTTERFLY:
      source = own ^ by;
      isInside = source <= int32_t(last);
      break;
    default:
      source = first | (by & ~segment);
      isInside = source <= int32_t(last);
    }
    if (!isInside)
      source = own;
    if (!(thread->mask >> source & 1)) {
      failure = position(*thread) + ", " + instruction(thread->line) +
                ": reads lane " + std::to_string(source) +
                ", which is not in the mask";
      return;
    }
    thread->predicate = isInside;
    thread->result = threads[thread->index / 32 * 32 + source].value;
  }
}

void Machine::finishVote(const std::vector<Thread *> &members) {
  uint32_t ballot = 0;
  for (Thread *thread : members)
    ballot |= uint32_t(thread->value & 1) << thread->code.lane;
  uint32_t mask = members.front()->mask;
  for (Thread *thread : members)
    thread->result = thread->what == PTX_VOTE_ALL   ? ballot == mask
                     : thread->what == PTX_VOTE_ANY ? ballot != 0
                     : thread->what == PTX_VOTE_UNIFORM
                         ? ballot == mask || ballot == 0
                         : ballot;
}

void Machine::finishMatch(const std::vector<Thread *> &members) {
  for (Thread *thread : members) {
    uint32_t same = 0;
    for (Thread *other : members)
      same |= uint32_t(other->value == thread->value) << other->code.lane;
    bool isAll = thread->what == PTX_MATCH_ALL;
    thread->predicate = same == thread->mask;
    thread->result = isAll && !thread->predicate ? 0 : same;
  }
}

void Machine::finishReduction(const std::vector<Thread *> &members) {
  uint32_t result = members.front()->value;
  for (size_t i = 1; i < members.size(); ++i) {
    uint32_t value = members[i]->value;
    int32_t one = result, two = value;
    switch (members[i]->what) {
    case PTX_REDUCE_ADD:
      result += value;
      break;
    case PTX_REDUCE_MIN_SIGNED:
      result = std::min(one, two);
      break;
    case PTX_REDUCE_MIN_UNSIGNED:
      result = std::min(result, value);
      break;
    case PTX_REDUCE_MAX_SIGNED:
      result = std::max(one, two);
      break;
    case PTX_REDUCE_MAX_UNSIGNED:
      result = std::max(result, value);
      break;
    case PTX_REDUCE_AND:
      result &= value;
      break;
    case PTX_REDUCE_OR:
      result |= value;
      break;
    default:
      result ^= value;
    }
  }
  for (Thread *thread : members)
    thread->result = result;
}

//===----------------------------------------------------------------------===//
// Programs that do not go on
//===----------------------------------------------------------------------===//

std::string Machine::explainDeadlock() {
  // A shuffle that waits for a lane says more than a barrier.
  const Thread *waiting = nullptr;
  for (const Thread &thread : threads)
    if (thread.state == State::AtCollective)
      return explainCollective(thread);
    else if (thread.state == State::AtBarrier && !waiting)
      waiting = &thread;
  return explainBarrier(*waiting);
}

std::string Machine::explainCollective(const Thread &thread) {
  std::string begin =
      position(thread) + ", " + instruction(thread.line) + ": waits for lane ";
  for (uint32_t lane = 0; lane < 32; ++lane) {
    uint32_t index = thread.index / 32 * 32 + lane;
    if (!(thread.mask >> lane & 1))
      continue;
    begin += std::to_string(lane);
    if (index >= numThreads)
      return begin + ", which is in the mask but not in the block";
    const Thread &other = threads[index];
    if (other.state == State::Ended)
      return begin + ", which is in the mask and has ended";
    if (other.state == State::AtBarrier || other.what != thread.what ||
        other.mask != thread.mask)
      return begin + ", which is in the mask and waits elsewhere, in " +
             instruction(other.line);
    begin.resize(begin.size() - std::to_string(lane).size());
  }
  return begin + "that is not there";
}

std::string Machine::explainBarrier(const Thread &thread) {
  std::string begin = position(thread) + ", " + instruction(thread.line) +
                      ": waits for thread ";
  for (const Thread &other : threads) {
    if (other.state == State::Ended)
      return begin + coordinates(other) + ", which has ended";
    if (other.state == State::AtCollective || other.barrier != thread.barrier)
      return begin + coordinates(other) + ", which waits elsewhere, in " +
             instruction(other.line);
  }
  return begin + "that is not there";
}

} // namespace hetero::standin::ptx
