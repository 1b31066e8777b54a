//===- Memory.h - Memory of devices and pinned memory -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A device has a range of addresses that nobody can touch; what is there lives
// in a second mapping, the alias, that only the stand-in knows. Who wants to
// read or write at an address of the device asks `Memory::access` for the place
// in the alias, and is told if that is not within one live allocation.

#ifndef HETERO_TEST_CUDA_STANDIN_MEMORY_H
#define HETERO_TEST_CUDA_STANDIN_MEMORY_H

#include "Kernels.h"
#include "Orders.h"
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <random>

namespace hetero::standin {

/// What memory holds that nobody has written: not-a-number in all formats of
/// floats, and an index that is out of bounds everywhere.
constexpr unsigned char poison = 0xff;

struct Allocation {
  uint64_t address = 0, bytes = 0;
  int64_t number = 0;
  std::string name;
  /// False between cuMemAllocAsync and its turn in the stream.
  bool isReachable = true;
  /// cuMemFreeAsync was called; it may not have had its turn.
  bool isFreeing = false;
  /// Until it is dead.
  std::shared_ptr<Accesses> accesses;
  /// Who freed it, once it is dead.
  std::string end;

  /// "allocation 3 ('weights', 64 bytes)".
  std::string describe() const;
};

class Memory : public DeviceMemory {
public:
  Memory(int device, uint64_t capacity, uint64_t seed);

  /// For where allocations begin.
  void setSeed(uint64_t seed) { random.seed(seed); }

  /// Zero if there is no more.
  uint64_t allocate(uint64_t bytes);
  /// Ends the process if nothing that lives begins there.
  Allocation &get(uint64_t address, const std::string &who);
  void release(uint64_t address, const std::string &who);
  /// Everything that lives.
  void releaseAll(const std::string &who);
  void name(uint64_t address, const std::string &name);
  /// The operation from which on an allocation is there.
  void setMaker(uint64_t address, const Moment &maker);

  char *access(uint64_t address, uint64_t bytes, bool isWrite,
               const char *who) override;
  /// The copy that runs has copied what nobody has written as well.
  void copyState(uint64_t to, const Memory &fromMemory, uint64_t from,
                 uint64_t bytes);
  /// Null if it is not within one live allocation.
  const Allocation *find(uint64_t address) const;

  /// Who runs now; messages say it together with what a kernel says of itself.
  void setActor(const std::string &who) { actor = who; }

  /// The operation that runs: from now on its accesses are noted. Null when it
  /// has ended.
  void setMoment(const Moment *theMoment, const Orders *theOrders,
                 bool doesNeedValues) {
    moment = theMoment;
    orders = theOrders;
    needsValues = doesNeedValues;
  }

  bool contains(uint64_t address) const {
    return address >= base && address < base + span;
  }
  /// What is known about an address of this device.
  std::string describe(uint64_t address) const;

  uint64_t getCapacity() const { return capacity; }
  uint64_t getFree() const { return capacity - used; }
  /// For other processes: the file behind the alias, and where in it.
  int getFile() const { return file; }
  uint64_t getOffset(const char *place) const { return place - alias; }
  char *getAlias() const { return alias; }
  uint64_t getSpan() const { return span; }

private:
  uint64_t findRoom(uint64_t bytes);
  [[noreturn]] void refuse(uint64_t address, uint64_t bytes, bool isWrite,
                           const char *who, const char *why) const;
  void checkSlack(const Allocation &allocation, const std::string &who) const;
  char *toAlias(uint64_t address) const { return alias + (address - base); }

  const int device;
  const uint64_t capacity;
  std::mt19937_64 random;
  int file = -1;
  uint64_t base = 0, span = 0, next = 0, used = 0;
  char *alias = nullptr;
  int64_t numAllocations = 0;
  std::map<uint64_t, Allocation> live;
  /// The last ones, for messages.
  std::map<uint64_t, Allocation> dead;
  std::deque<uint64_t> deadOrder;
  Allocation *recent = nullptr;
  std::string actor;
  const Moment *moment = nullptr;
  const Orders *orders = nullptr;
  bool needsValues = false;
};

/// Memory of the host that copies can reach at any time. While one may, the
/// host cannot write there, nor read what the copy writes: its pages are
/// protected, and the stand-in uses a second mapping of them. The host cannot
/// read what nobody has put there, either.
class PinnedMemory {
public:
  /// Null if there is none. What is shared the host may read and write while
  /// copies do.
  void *allocate(uint64_t bytes, bool isShared = false);
  void adopt(void *memory, uint64_t bytes);
  /// Ends the process if it is not the beginning of such memory.
  void release(void *memory, bool isAdopted, const std::string &who);
  /// Whether all bytes are in one block.
  bool contains(const void *memory, uint64_t bytes) const;
  /// The same bytes where they can always be touched.
  char *toAlias(char *memory) const;

  /// An operation was entered that uses these bytes at any time.
  void use(const char *memory, uint64_t bytes, bool isWritten,
           std::shared_ptr<const Moment> moment, const std::string &name);
  /// The host knows of more operations that they are done.
  void release(const std::function<bool(const Moment &)> &isObserved);

  /// What is wrong with the host touching an address; empty if nothing is, or
  /// if it is no such memory. For the fault handler.
  std::string describe(uint64_t address, bool isWrite) const;
  /// Gives the host the page of an address that no copy uses, if it is here.
  bool open(uint64_t address);
  /// The host may use it at any time.
  void setUnguarded() { isGuarded = false; }

private:
  struct Block {
    uint64_t bytes, mapped;
    bool isAdopted, isShared;
    char *alias;
    /// By page: whether anything was put there.
    std::vector<bool> isWritten;
  };
  struct Use {
    uint64_t begin, end;
    bool isWritten;
    std::shared_ptr<const Moment> moment;
    std::string name;
  };
  using Blocks = std::map<uint64_t, Block>;
  Blocks::const_iterator find(uint64_t address) const;
  Blocks::iterator find(uint64_t address);
  void protect(uint64_t address, const Block &block) const;

  /// The fault handler comes from any thread, without the engine's lock. No
  /// function of this class touches what could fault.
  mutable std::recursive_mutex mutex;
  Blocks blocks;
  std::vector<Use> uses;
  bool isGuarded = true;
};

/// False if one side cannot be touched.
bool copyGuarded(void *to, const void *from, uint64_t bytes);
bool poisonGuarded(void *to, uint64_t bytes);

/// Says what is at an address that the host touched; empty if it is not ours.
using AddressReader = std::string (*)(uint64_t address, bool isWrite);
/// Whether the host may touch the address after all.
using AddressOpener = bool (*)(uint64_t address);
void installFaultHandler(AddressReader reader, AddressOpener opener);

/// What the reader says of pinned memory that was freed.
std::string describeFreedPinned(uint64_t address);

} // namespace hetero::standin

#endif // HETERO_TEST_CUDA_STANDIN_MEMORY_H
