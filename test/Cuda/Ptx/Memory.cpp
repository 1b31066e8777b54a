//===- Memory.cpp - What threads may access -------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Machine.h"
#include <cstring>

namespace hetero::standin::ptx {

static std::string hexadecimal(uint64_t address) {
  char digits[24];
  std::snprintf(digits, sizeof digits, "0x%llx",
                static_cast<unsigned long long>(address));
  return digits;
}

/// `reads 4 bytes of shared memory at 0x40`
static std::string describe(int how, uint32_t bytes, const char *space,
                            uint64_t address) {
  return std::string(how & PTX_WRITE ? "writes " : "reads ") +
         std::to_string(bytes) + " bytes" +
         (*space ? std::string(" of ") + space + " memory" : "") + " at " +
         hexadecimal(address);
}

char *Machine::access(ptx_thread *code, int space, uint64_t address,
                      uint32_t bytes, int how, uint32_t line) {
  Thread &thread = *reinterpret_cast<Thread *>(code);
  Machine &machine = *thread.machine;
  machine.settle();
  if (address % bytes) {
    std::string what = describe(how, bytes, "", address) +
                       ", which is not a multiple of the size";
    machine.fail(thread, line, std::move(what));
  }
  uint64_t window = address & PTX_WINDOW_MASK;
  if (space == PTX_GENERIC) {
    space = window == PTX_SHARED_WINDOW  ? PTX_SHARED
            : window == PTX_LOCAL_WINDOW ? PTX_LOCAL
            : window == PTX_PARAM_WINDOW ? PTX_PARAM
                                         : PTX_GLOBAL;
    if (space != PTX_GLOBAL)
      address -= window;
  }
  switch (space) {
  case PTX_SHARED:
    return machine.accessShared(thread, address, bytes, how, line);
  case PTX_LOCAL:
    return machine.accessLocal(thread, address, bytes, how, line);
  case PTX_PARAM:
    return machine.accessParameters(thread, address, bytes, how, line);
  default:
    if (window == PTX_MODULE_WINDOW || space == PTX_CONST)
      return machine.accessModule(thread, address, bytes, how, line);
    return machine.accessGlobal(thread, address, bytes, how, line);
  }
}

char *Machine::accessGlobal(Thread &thread, uint64_t address, uint32_t bytes,
                            int how, uint32_t line) {
  char *place =
      memory.access(address, bytes, how & PTX_WRITE, who(thread, line));
  if (globalRaces)
    checkRaces(*globalRaces, thread, address, bytes, how, line, place);
  return place;
}

char *Machine::accessModule(Thread &thread, uint64_t address, uint32_t bytes,
                            int how, uint32_t line) {
  uint64_t offset = address - PTX_MODULE_WINDOW;
  for (const Range &range : module.translation.variables)
    if (offset >= range.offset &&
        offset + bytes <= range.offset + range.bytes) {
      char *place = module.memory.data() + offset;
      if (globalRaces)
        checkRaces(*globalRaces, thread, address, bytes, how, line, place);
      return place;
    }
  std::string what = describe(how, bytes, "the module's", address) +
                     ", which is in none of its variables";
  fail(thread, line, std::move(what));
}

char *Machine::accessShared(Thread &thread, uint64_t address, uint32_t bytes,
                            int how, uint32_t line) {
  bool isWrite = how & PTX_WRITE, isRead = !isWrite || (how & PTX_UPDATE);
  bool isInside =
      address < sharedStates.size() && address + bytes <= sharedStates.size();
  for (uint32_t i = 0; isInside && i < bytes; ++i) {
    uint8_t &state = sharedStates[address + i];
    isInside = state;
    if (isRead && state == 1) {
      std::string what = describe(how, bytes, "shared", address) +
                         ", which no thread of the block has written";
      fail(thread, line, std::move(what));
    }
  }
  if (!isInside) {
    std::string what = describe(how, bytes, "shared", address) +
                       ", which is in none of the kernel's variables";
    fail(thread, line, std::move(what));
  }
  if (isWrite)
    std::memset(&sharedStates[address], 2, bytes);
  char *place = shared.data() + address;
  if (sharedRaces)
    checkRaces(*sharedRaces, thread, address, bytes, how, line, place);
  return place;
}

char *Machine::accessLocal(Thread &thread, uint64_t address, uint32_t bytes,
                           int how, uint32_t line) {
  uint64_t end = thread.code.local_end;
  if (address < PTX_FIRST_ADDRESS || address > end || bytes > end - address) {
    std::string what =
        describe(how, bytes, "local", address) + ", which is behind its end";
    fail(thread, line, std::move(what));
  }
  return thread.local.data() + address;
}

char *Machine::accessParameters(Thread &thread, uint64_t address,
                                uint32_t bytes, int how, uint32_t line) {
  if (how & PTX_WRITE)
    fail(thread, line, "writes to a parameter of the kernel");
  for (const Range &range : kernel.parameters) {
    uint64_t begin = PTX_FIRST_ADDRESS + range.offset;
    if (address >= begin && address + bytes <= begin + range.bytes)
      return parameters.data() + address;
  }
  std::string what = describe(how, bytes, "parameter", address) +
                     ", which is in none of the parameters";
  fail(thread, line, std::move(what));
}

/// Room for the variables of a function, which nobody has written to.
uint64_t Machine::enter(ptx_thread *code, uint32_t bytes, uint32_t line) {
  Thread &thread = *reinterpret_cast<Thread *>(code);
  // The largest alignment of an element.
  uint64_t begin = (code->local_end + 15) / 16 * 16;
  if (begin + bytes > thread.local.size())
    thread.machine->fail(thread, line, "has no local memory left");
  std::memset(thread.local.data() + begin, 0xa5, bytes);
  code->local_end = begin + bytes;
  return begin;
}

void Machine::checkRaces(Races &races, Thread &thread, uint64_t address,
                         uint32_t bytes, int how, uint32_t line,
                         const char *place) {
  Accessor accessor;
  accessor.line = line;
  accessor.block = block;
  accessor.thread = thread.index;
  accessor.barriers = barriers;
  accessor.time = order.now();
  Conflict conflict = races.access(address, bytes, how, accessor);
  if (conflict.message.empty())
    return;
  const Accessor &other = conflict.other;
  std::string message = std::move(conflict.message) + " at " +
                        hexadecimal(address) + " by thread " +
                        std::to_string(other.thread) + " of block " +
                        std::to_string(other.block) + " in " +
                        instruction(other.line) + ", and nothing orders them";
  if (!conflict.isIfDifferent)
    fail(thread, line, std::move(message));
  suspicion = {place, std::vector<char>(place, place + bytes),
               position(thread) + ", " + instruction(line) + ": " + message};
}

/// Called when the store is over that has been suspected.
void Machine::settle() {
  if (!suspicion)
    return;
  bool isSame = std::memcmp(suspicion->place, suspicion->before.data(),
                            suspicion->before.size()) == 0;
  if (!isSame)
    failure = suspicion->message;
  suspicion.reset();
  if (isSame)
    return;
  running->fiber->suspend();
}

} // namespace hetero::standin::ptx
