//===- Orders.cpp - What comes before what, and who accessed what ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Orders.h"
#include <algorithm>

using namespace hetero::standin;

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

void Clock::add(const Stamp &stamp) {
  if (places.size() <= stamp.lane)
    places.resize(stamp.lane + 1);
  places[stamp.lane] = std::max(places[stamp.lane], stamp.place);
}

void Clock::add(const Clock &other) {
  if (places.size() < other.places.size())
    places.resize(other.places.size());
  for (size_t i = 0; i < other.places.size(); ++i)
    places[i] = std::max(places[i], other.places[i]);
}

std::shared_ptr<const Moment>
Orders::enter(const std::vector<const Moment *> &after) {
  auto made = std::make_shared<Moment>();
  made->number = stamps.size();
  made->before = host;
  for (const Moment *moment : after) {
    made->before.add(moment->before);
    made->before.add(moment->stamp);
  }
  // A lane goes on with any operation that comes after its last one, so there
  // are about as many as operations can be under way at once.
  uint32_t lane = 0;
  while (lane < lanes.size() && !made->before.has({lane, lanes[lane]}))
    ++lane;
  if (lane == lanes.size())
    lanes.push_back(0);
  made->stamp = {lane, ++lanes[lane]};
  stamps.push_back(made->stamp);
  names.emplace_back();
  return made;
}

void Orders::observe(const Moment &moment) {
  host.add(moment.before);
  host.add(moment.stamp);
}

void Orders::setName(uint32_t number, std::string name) {
  names[number] = std::move(name);
}

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

/// Bytes whose accesses have one grain.
static constexpr uint64_t pageBytes = 1024;

struct Accesses::Page {
  uint32_t grain = 4;
  std::vector<Cell> cells = std::vector<Cell>(pageBytes / 4);

  void split() {
    std::vector<Cell> fine;
    fine.reserve(pageBytes);
    for (const Cell &cell : cells)
      fine.insert(fine.end(), grain, cell);
    cells = std::move(fine);
    grain = 1;
  }
};

Accesses::Accesses(uint64_t bytes, uint32_t maker)
    : maker(maker), pages((bytes + pageBytes - 1) / pageBytes) {}
Accesses::~Accesses() = default;

Accesses::Page &Accesses::getPage(uint64_t index) {
  std::unique_ptr<Page> &page = pages[index];
  if (!page)
    page = std::make_unique<Page>();
  return *page;
}

bool Accesses::isRight(Cell &cell, bool isWrite, bool needsValue,
                       const Moment &who, const Orders &orders,
                       std::string &wrong) const {
  auto refuse = [&](uint32_t other, const char *what) {
    wrong = std::string(what) + " by " + orders.getName(other) +
            ", and nothing orders the two";
    return false;
  };
  uint32_t last = cell.write ? cell.write : maker;
  if (last && !orders.isBefore(last, who))
    return refuse(last, cell.write ? "which is written" : "which is made");
  if (!isWrite) {
    if (needsValue && (!cell.write || cell.isUnknown)) {
      wrong = "which nobody has written";
      return false;
    }
    if (cell.reads[0] == who.number || cell.reads[1] == who.number)
      return true;
    // Two that are under way at once are enough.
    bool isOver = !cell.reads[0] || orders.isBefore(cell.reads[0], who);
    cell.reads[isOver ? 0 : 1] = who.number;
    return true;
  }
  for (uint32_t read : cell.reads)
    if (read && !orders.isBefore(read, who))
      return refuse(read, "which is read");
  cell.write = who.number;
  cell.reads[0] = cell.reads[1] = 0;
  cell.isUnknown = false;
  return true;
}

std::string Accesses::note(uint64_t offset, uint64_t bytes, bool isWrite,
                           bool needsValue, const Moment &who,
                           const Orders &orders) {
  std::string wrong;
  for (uint64_t at = offset, end = offset + bytes; at < end;) {
    Page &page = getPage(at / pageBytes);
    uint64_t pageEnd = std::min(end, (at / pageBytes + 1) * pageBytes);
    if (page.grain > 1 && (at % page.grain || pageEnd % page.grain))
      page.split();
    for (; at < pageEnd; at += page.grain) {
      Cell &cell = page.cells[at % pageBytes / page.grain];
      if (!isRight(cell, isWrite, needsValue, who, orders, wrong))
        return wrong;
    }
  }
  return wrong;
}

std::string Accesses::noteAll(const Moment &who, const Orders &orders) {
  if (maker && !orders.isBefore(maker, who))
    return "which is made by " + orders.getName(maker) +
           ", and nothing orders the two";
  std::string wrong;
  for (const std::unique_ptr<Page> &page : pages) {
    if (!page)
      continue;
    for (Cell &cell : page->cells)
      if (!isRight(cell, /*isWrite=*/true, /*needsValue=*/false, who, orders,
                   wrong))
        return wrong;
  }
  return wrong;
}

void Accesses::copyState(uint64_t offset, const Accesses &from,
                         uint64_t fromOffset, uint64_t bytes) {
  for (uint64_t i = 0; i < bytes; ++i) {
    const Page *source = from.pages[(fromOffset + i) / pageBytes].get();
    uint64_t at = (fromOffset + i) % pageBytes;
    const Cell cell = source ? source->cells[at / source->grain] : Cell();
    if (cell.write && !cell.isUnknown)
      continue;
    Page &page = getPage((offset + i) / pageBytes);
    page.cells[(offset + i) % pageBytes / page.grain].isUnknown = true;
  }
}
