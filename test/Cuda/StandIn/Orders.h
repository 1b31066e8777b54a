//===- Orders.h - What comes before what, and who accessed what -*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One order of operations shows a mistake only if it happens to matter there.
// So for each operation it is known which others come before it in every order
// that CUDA allows (those in front of it in its stream, what its stream has
// waited for, what the host knew to be done when it entered it), and for each
// few bytes of a device's memory who wrote them last and who has read them
// since. Two accesses of one place that nothing orders end the process,
// whichever came first this time; so does a kernel that reads what nobody has
// written.
//
// An operation has a place in a lane; operations of a lane are in order. A
// clock says for each lane how many of its operations come before, so that a
// question takes one comparison.

#ifndef HETERO_TEST_CUDA_STANDIN_ORDERS_H
#define HETERO_TEST_CUDA_STANDIN_ORDERS_H

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace hetero::standin {

/// Counted from 1, so that nothing has come before everything.
struct Stamp {
  uint32_t lane = 0, place = 0;
};

class Clock {
public:
  void add(const Stamp &stamp);
  void add(const Clock &other);
  bool has(const Stamp &stamp) const {
    return stamp.lane < places.size() && stamp.place <= places[stamp.lane];
  }

private:
  std::vector<uint32_t> places;
};

/// Where an operation is: its number and all that comes before it.
struct Moment {
  /// Counted from 1.
  uint32_t number = 0;
  Stamp stamp;
  Clock before;
};

/// All operations of a process.
class Orders {
public:
  /// The next operation, after all of these and what the host knows.
  std::shared_ptr<const Moment> enter(const std::vector<const Moment *> &after);
  /// The host knows that it is done.
  void observe(const Moment &moment);
  bool isObserved(const Moment &moment) const { return host.has(moment.stamp); }
  /// Whether an operation, by its number, comes before another one.
  bool isBefore(uint32_t number, const Moment &moment) const {
    return number == moment.number || moment.before.has(stamps[number]);
  }
  /// What it is called, for messages.
  void setName(uint32_t number, std::string name);
  const std::string &getName(uint32_t number) const { return names[number]; }

private:
  /// By number; the first is none.
  std::vector<Stamp> stamps = {{}};
  std::vector<std::string> names = {""};
  /// How many operations each lane has.
  std::vector<uint32_t> lanes;
  Clock host;
};

/// Who has accessed the bytes of one allocation.
class Accesses {
public:
  Accesses(uint64_t bytes, uint32_t maker);
  ~Accesses();

  /// Notes an access. Returns what is wrong with it, or nothing.
  std::string note(uint64_t offset, uint64_t bytes, bool isWrite,
                   bool needsValue, const Moment &who, const Orders &orders);
  /// What somebody has copied here was never written there.
  void copyState(uint64_t offset, const Accesses &from, uint64_t fromOffset,
                 uint64_t bytes);
  /// Everything is written, as by one who frees it.
  std::string noteAll(const Moment &who, const Orders &orders);

private:
  struct Cell {
    /// Numbers of operations; 0 for none.
    uint32_t write = 0, reads[2] = {0, 0};
    /// What was written was a copy of what nobody has written.
    bool isUnknown = false;
  };
  /// Cells are of 4 bytes until something smaller is accessed.
  struct Page;

  /// Notes an access of a cell; false, with what is wrong, if it is not
  /// allowed.
  bool isRight(Cell &cell, bool isWrite, bool needsValue, const Moment &who,
               const Orders &orders, std::string &wrong) const;
  Page &getPage(uint64_t index);

  /// Who made the allocation, in the order of a stream; 0 for the host.
  const uint32_t maker;
  std::vector<std::unique_ptr<Page>> pages;
};

} // namespace hetero::standin

#endif // HETERO_TEST_CUDA_STANDIN_ORDERS_H
