//===- Device.cpp - Memory and threads of one device ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Runtime/Device.h"
#include "hetero/Runtime/Elements.h"
#include "hetero/Runtime/Hooks.h"
#include "hetero/Runtime/ThreadPool.h"
#include "hetero/Runtime/Trace.h"
#include "hetero/Support/Quantity.h"
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <set>

using namespace hetero;
using namespace hetero::runtime;

static constexpr int64_t alignment = 64;
/// How many of the largest blocks an error names.
static constexpr size_t numNamed = 5;

static thread_local Device *currentDevice = nullptr;

/// The size class of a request: a multiple of the alignment, with two bits
/// behind the leading one.
static int64_t roundUp(int64_t bytes) {
  int64_t step = alignment;
  while (step * 8 <= bytes)
    step *= 2;
  return std::max(step, (bytes + step - 1) / step * step);
}

static std::string inBytes(int64_t bytes) {
  return writeQuantity(Dimension::Bytes, bytes);
}

Device::Device(std::string name, std::optional<int64_t> cap,
               unsigned numThreads)
    : name(std::move(name)), cap(cap),
      pool(std::make_unique<ThreadPool>(numThreads)) {}

Device::~Device() {
  pool.reset();
  releaseAll();
}

void Device::releaseAll() {
  std::lock_guard<std::mutex> lock(mutex);
  for (auto &[memory, block] : live)
    unplace(memory, block.bytes);
  live.clear();
  liveBytes = 0;
  layout = 0;
  trim();
}

MaybeError Device::write(void *to, const void *from, int64_t bytes) {
  return copy(to, from, bytes);
}

MaybeError Device::read(void *to, const void *from, int64_t bytes) {
  return copy(to, from, bytes);
}

MaybeError Device::copy(void *to, const void *from, int64_t bytes) {
  if (bytes > 0)
    std::memcpy(to, from, bytes);
  return std::nullopt;
}

MaybeError Device::accumulate(Reduction reduction, ElementType type,
                              const void *value, void *sum, int64_t count) {
  combine(reduction, type, value, sum, count);
  return std::nullopt;
}

std::vector<Device::Use> Device::getUses() const {
  std::vector<Use> uses;
  uses.reserve(live.size());
  for (const auto &entry : live)
    uses.push_back({entry.second.bytes, entry.second.label});
  // By size, then by label: addresses change from run to run.
  std::sort(uses.begin(), uses.end(), [](const Use &a, const Use &b) {
    return std::make_pair(-a.bytes, a.label) <
           std::make_pair(-b.bytes, b.label);
  });
  return uses;
}

std::string Device::describeOverrun(int64_t bytes,
                                    const std::string &label) const {
  std::string text = "device '" + name + "' is out of memory: '" + label +
                     "' asks for " + inBytes(bytes) + ", " + inBytes(liveBytes);
  text += cap ? " of " + inBytes(*cap) + " are in use"
              : " are in use and " + whyNoMore();
  std::vector<Use> uses = getUses();
  for (size_t i = 0; i < std::min(numNamed, uses.size()); ++i)
    text += (i == 0 ? "; the largest: " : ", ") + inBytes(uses[i].bytes) +
            " '" + uses[i].label + "'";
  return text;
}

void Device::trim() {
  for (auto &[capacity, blocks] : cached)
    for (void *memory : blocks)
      std::free(memory);
  cached.clear();
  cachedBytes = 0;
}

void *Device::place(int64_t bytes) {
  int64_t capacity = roundUp(bytes);
  auto found = cached.find(capacity);
  if (found != cached.end() && !found->second.empty()) {
    void *memory = found->second.back();
    found->second.pop_back();
    cachedBytes -= capacity;
    return memory;
  }
  if (cap && cachedBytes > 0 &&
      liveBytes + cachedBytes + capacity > std::max(*cap, capacity))
    trim();
  void *memory = std::aligned_alloc(alignment, capacity);
  if (!memory) {
    trim();
    memory = std::aligned_alloc(alignment, capacity);
  }
  systemBlocks += memory != nullptr;
  return memory;
}

void Device::unplace(void *memory, int64_t bytes) {
  int64_t capacity = roundUp(bytes);
  cachedBytes += capacity;
  cached[capacity].push_back(memory);
}

/// A number for a block of which the sum over all is the layout's.
static uint64_t scramble(const void *memory, int64_t bytes) {
  uint64_t value = reinterpret_cast<uint64_t>(memory) * 0x9e3779b97f4a7c15u ^
                   static_cast<uint64_t>(bytes);
  value = (value ^ (value >> 29)) * 0xbf58476d1ce4e5b9u;
  return value ^ (value >> 32);
}

/// With the mutex held, as all of these.
void Device::use(void *memory, int64_t bytes, const std::string &label) {
  live.emplace(memory, Block{bytes, label});
  layout += scramble(memory, bytes);
  liveBytes += bytes;
  if (liveBytes > peakBytes) {
    peakBytes = liveBytes;
    isAtPeak = true;
  }
}

void Device::drop(std::unordered_map<void *, Block>::iterator block) {
  if (tracksPeak && isAtPeak)
    peakUses = getUses();
  isAtPeak = false;
  layout -= scramble(block->first, block->second.bytes);
  liveBytes -= block->second.bytes;
  unplace(block->first, block->second.bytes);
  live.erase(block);
}

/// Null when the system has no more.
void *Device::take(int64_t bytes, const std::string &label) {
  // Leaves room for rounding up.
  void *memory = bytes > INT64_MAX / 2 ? nullptr : place(bytes);
  if (memory)
    use(memory, bytes, label);
  return memory;
}

Result<void *> Device::allocate(int64_t bytes, const std::string &label) {
  std::lock_guard<std::mutex> lock(mutex);
  if (cap && bytes > *cap - liveBytes)
    return Error{describeOverrun(bytes, label)};
  if (void *memory = take(bytes, label))
    return memory;
  return Error{describeOverrun(bytes, label)};
}

void *Device::allocateWorkspace(int64_t bytes) {
  std::lock_guard<std::mutex> lock(mutex);
  static const std::string label = "temporary of a kernel";
  if (cap && bytes > *cap - liveBytes && !workspaceError)
    workspaceError = describeOverrun(bytes, label);
  if (void *memory = take(bytes, label))
    return memory;
  // A kernel has no way to stop, and nothing to go on with.
  std::fprintf(stderr, "error: %s\n", describeOverrun(bytes, label).c_str());
  std::_Exit(1);
}

void Device::release(void *memory) {
  if (!memory)
    return;
  std::lock_guard<std::mutex> lock(mutex);
  auto found = live.find(memory);
  if (found != live.end())
    drop(found);
}

void Device::keepError(std::string message) {
  std::lock_guard<std::mutex> lock(mutex);
  if (!workspaceError)
    workspaceError = std::move(message);
}

MaybeError Device::takeError() {
  std::lock_guard<std::mutex> lock(mutex);
  return std::exchange(workspaceError, std::nullopt);
}

int64_t Device::getLiveBytes() const {
  std::lock_guard<std::mutex> lock(mutex);
  return liveBytes;
}

int64_t Device::getPeakBytes() const {
  std::lock_guard<std::mutex> lock(mutex);
  return peakBytes;
}

void Device::resetPeak() {
  std::lock_guard<std::mutex> lock(mutex);
  peakBytes = liveBytes;
  isAtPeak = true;
}

void Device::trackPeak() {
  std::lock_guard<std::mutex> lock(mutex);
  tracksPeak = true;
  peakBytes = liveBytes;
  isAtPeak = true;
}

std::vector<Device::Use> Device::getPeakUses() const {
  std::lock_guard<std::mutex> lock(mutex);
  if (!tracksPeak)
    return {};
  return isAtPeak ? getUses() : peakUses;
}

int64_t Device::getCachedBytes() const {
  std::lock_guard<std::mutex> lock(mutex);
  return cachedBytes;
}

int64_t Device::getNumSystemBlocks() const {
  std::lock_guard<std::mutex> lock(mutex);
  return systemBlocks;
}

uint64_t Device::getLayout() const {
  std::lock_guard<std::mutex> lock(mutex);
  return layout;
}

std::vector<Device::Held> Device::getHeld() const {
  std::lock_guard<std::mutex> lock(mutex);
  std::vector<Held> held;
  held.reserve(live.size());
  for (const auto &[memory, block] : live)
    held.push_back({memory, block.bytes, block.label});
  return held;
}

Device::LayoutChange Device::compare(const std::vector<Held> &before,
                                     const std::vector<Held> &after) {
  auto key = [](const Held &held) {
    return std::make_pair(held.memory, held.bytes);
  };
  auto without = [&](const std::vector<Held> &all,
                     const std::vector<Held> &others) {
    std::set<std::pair<void *, int64_t>> known;
    for (const Held &held : others)
      known.insert(key(held));
    std::vector<Held> rest;
    for (const Held &held : all)
      if (!known.count(key(held)))
        rest.push_back(held);
    return rest;
  };
  return {without(before, after), without(after, before)};
}

void Device::apply(const LayoutChange &change) {
  std::lock_guard<std::mutex> lock(mutex);
  for (const Held &held : change.gone)
    if (auto found = live.find(held.memory); found != live.end())
      drop(found);
  for (const Held &held : change.come) {
    placeAt(held.memory, held.bytes);
    use(held.memory, held.bytes, held.label);
  }
}

int64_t Device::mark() { return getTraceTime(); }

Device *Device::getCurrent() { return currentDevice; }

Device::Scope::Scope(Device *device) : previous(currentDevice) {
  currentDevice = device;
}

Device::Scope::~Scope() { currentDevice = previous; }

// What a thread without a device allocates may be given back on one with: the
// device does not know the block then, so a word in front says whose it is.
namespace {
struct alignas(alignment) Header {
  Device *owner;
};
} // namespace

extern "C" void *hetero_workspace_alloc(uint64_t bytes) {
  // More than there can be; the allocation below says so.
  uint64_t padded = bytes > INT64_MAX - sizeof(Header) ? uint64_t(INT64_MAX)
                                                       : bytes + sizeof(Header);
  Device *device = Device::getCurrent();
  void *memory = device
                     ? device->allocateWorkspace(padded)
                     : std::aligned_alloc(alignment, (padded + alignment - 1) /
                                                         alignment * alignment);
  if (!memory) {
    std::fprintf(stderr, "error: out of memory: a kernel asks for %llu bytes\n",
                 static_cast<unsigned long long>(bytes));
    std::_Exit(1);
  }
  auto *header = static_cast<Header *>(memory);
  header->owner = device;
  return header + 1;
}

extern "C" void hetero_workspace_free(void *memory) {
  if (!memory)
    return;
  Header *header = static_cast<Header *>(memory) - 1;
  if (header->owner)
    header->owner->release(header);
  else
    std::free(header);
}
