//===- Engine.cpp - Streams, events and what runs when --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Engine.h"
#include "Calls.h"
#include "Capture.h"
#include "Ending.h"
#include "Leaks.h"
#include <algorithm>
#include <chrono>
#include <cuda.h>
#include <utility>

using namespace hetero::standin;

std::string Operation::describe() const {
  return work.name + " (operation " + str(number) + ", stream " +
         str(stream->number) + " of device " + str(stream->device->number) +
         ")";
}

/// What the host touched, for the fault handler: without a lock, since the
/// process ends.
static std::string describeAddress(uint64_t address, bool isWrite) {
  if (Device *device = Engine::get().findDevice(address))
    return device->memory.describe(address);
  std::string busy = Engine::get().pinned.describe(address, isWrite);
  return busy.empty() ? describeFreedPinned(address) : busy;
}

static bool openAddress(uint64_t address) {
  return Engine::get().pinned.open(address);
}

Engine &Engine::get() {
  static auto *engine = new Engine(Settings::fromEnvironment());
  return *engine;
}

void Engine::seed() {
  // Neighbouring seeds shall not begin alike.
  std::seed_seq sequence{uint32_t(settings.seed), uint32_t(settings.seed >> 32),
                         uint32_t(settings.order)};
  random.seed(sequence);
}

Engine::Engine(Settings given) : settings(std::move(given)) {
  seed();
  setReport(settings.report);
  openLogs(settings);
  if (settings.refusesLeaks)
    refuseLeaks();
  for (const DeviceKind &kind : settings.devices) {
    devices.push_back(std::make_unique<Device>(devices.size(), kind, random()));
    createStream(*devices.back(), /*isBlocking=*/true);
  }
  if (!settings.isWatching)
    pinned.setUnguarded();
  installFaultHandler(describeAddress, openAddress);
}

Device *Engine::findDevice(uint64_t address) const {
  for (const auto &device : devices)
    if (device->memory.contains(address))
      return device.get();
  return nullptr;
}

void Engine::log(const std::string &line) { writeLog(line); }

void Engine::rest() {
  // Other threads wake it; other processes cannot, so it looks every 2 ms.
  std::unique_lock<std::mutex> lock(mutex, std::adopt_lock);
  changed.wait_for(lock, std::chrono::milliseconds(2));
  lock.release();
}

//===----------------------------------------------------------------------===//
// Streams
//===----------------------------------------------------------------------===//

/// One of four never runs by itself, one runs ahead of the others.
static int chooseHaste(uint64_t number) {
  const int hastes[] = {0, 1, 1, 8};
  return hastes[number];
}

void Engine::setSeed(uint64_t number, Order order) {
  settings.seed = number;
  settings.order = order;
  seed();
  for (const auto &device : devices) {
    device->memory.setSeed(random());
    for (const auto &stream : device->streams)
      stream->haste = chooseHaste(draw(4));
  }
}

Stream *Engine::createStream(Device &device, bool isBlocking) {
  auto stream = std::make_unique<Stream>();
  stream->number = numStreams++;
  stream->device = &device;
  stream->isBlocking = isBlocking;
  stream->haste = chooseHaste(draw(4));
  device.streams.push_back(std::move(stream));
  return device.streams.back().get();
}

/// What is in it still has its turn.
void Engine::destroyStream(Stream &stream) {
  stream.isDestroyed = true;
  if (!stream.queue.empty())
    return;
  auto &streams = stream.device->streams;
  auto found = std::find_if(streams.begin(), streams.end(), [&](auto &other) {
    return other.get() == &stream;
  });
  // Operations that are done still name it.
  graveyard.push_back(std::move(*found));
  streams.erase(found);
}

Stream &Engine::getStream(void *handle, Device &device,
                          const std::string &who) {
  if (!handle || handle == CU_STREAM_LEGACY || handle == CU_STREAM_PER_THREAD)
    return *device.streams[0];
  auto *stream = static_cast<Stream *>(handle);
  for (const auto &other : devices)
    for (const auto &known : other->streams)
      if (known.get() == stream && !stream->isDestroyed)
        return *stream;
  leaveProcess(who + " is given a stream that was destroyed or never was one");
}

std::vector<OperationRef> Engine::getLast(const Device &device) const {
  std::vector<OperationRef> last;
  for (const auto &stream : device.streams)
    if (stream->last)
      last.push_back(stream->last);
  return last;
}

bool Engine::isHostBusy(const char *memory, uint64_t bytes) const {
  for (const auto &device : devices)
    for (const auto &stream : device->streams)
      for (const OperationRef &operation : stream->queue) {
        const Work &work = operation->work;
        if (work.host < memory + bytes && memory < work.host + work.hostBytes)
          return true;
      }
  return false;
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

OperationRef Engine::enter(Stream &stream, Work work,
                           std::vector<OperationRef> waits) {
  if (stream.capture) {
    stream.capture->add(stream, std::move(work));
    return nullptr;
  }
  auto operation = std::make_shared<Operation>();
  operation->number = numOperations++;
  operation->work = std::move(work);
  operation->stream = &stream;
  // The NULL stream and those that are not non-blocking await each other.
  Device &device = *stream.device;
  if (&stream == device.streams[0].get()) {
    for (const auto &other : device.streams)
      if (other->isBlocking && other->last && other.get() != &stream)
        waits.push_back(other->last);
  } else if (stream.isBlocking && device.streams[0]->last) {
    waits.push_back(device.streams[0]->last);
  }
  std::vector<const Moment *> after;
  auto follow = [&](const OperationRef &before) {
    if (before)
      after.push_back(before->moment.get());
    if (!before || before->isDone())
      return;
    if (before->communication)
      operation->behind.insert(before->communication);
    else
      operation->behind.insert(before->behind.begin(), before->behind.end());
  };
  for (OperationRef &other : waits) {
    follow(other);
    if (other && !other->isDone())
      operation->waits.push_back(std::move(other));
  }
  follow(stream.last);
  operation->moment = orders.enter(after);
  orders.setName(operation->moment->number, operation->describe());
  const Work &entered = operation->work;
  if (entered.host && settings.isWatching)
    pinned.use(entered.host, entered.hostBytes, entered.isHostWritten,
               operation->moment, operation->describe());
  if (operation->work.plan) {
    operation->communication = communication::enter(*operation);
    communications[operation->communication] = operation;
  }
  becomeOpen(*operation);
  stream.queue.push_back(operation);
  stream.last = operation;
  ++progress;
  log("enter " + operation->describe());
  changed.notify_all();
  return operation;
}

OperationRef Engine::findCommunication(uint64_t number) const {
  auto found = communications.find(number);
  return found == communications.end() ? nullptr : found->second;
}

/// Counts what it waits for; it is not in its stream yet.
void Engine::becomeOpen(Operation &operation) {
  for (const OperationRef &other : operation.waits)
    other->followers.push_back(&operation);
  operation.numOpen = operation.waits.size() + 1;
  if (operation.stream->queue.empty())
    becomeLessOpen(operation);
}

void Engine::becomeLessOpen(Operation &operation) {
  const Stream &stream = *operation.stream;
  if (--operation.numOpen == 0)
    ready[{stream.device->number, stream.number}] = &operation;
}

bool Engine::isRunnable(const Operation &operation) const {
  return operation.state == State::Queued && operation.numOpen == 0 &&
         !operation.stream->device->sickness &&
         (!operation.communication ||
          operation.stream->device->numResident < settings.channels);
}

std::vector<OperationRef> Engine::getRunnable() const {
  std::vector<OperationRef> runnable;
  for (const auto &[place, operation] : ready)
    if (isRunnable(*operation))
      runnable.push_back(operation->stream->queue.front());
  return runnable;
}

void Engine::run(const OperationRef &operation) {
  std::string who = operation->describe();
  log("run " + who);
  ++progress;
  const Work &work = operation->work;
  // Others run operations while the host's function does what it likes.
  // Behind what was aborted nothing is in order, and nobody reads it.
  if (!work.isCallback && settings.isWatching &&
      !operation->stream->device->isCutShort)
    for (const auto &device : devices)
      device->memory.setMoment(operation->moment.get(), &orders,
                               !work.isTransfer && !work.plan);
  if (operation->communication) {
    operation->state = State::Resident;
    ++operation->stream->device->numResident;
    communication::start(*operation);
    endMoment();
    refresh();
    return;
  }
  operation->state = State::Running;
  if (work.isCallback) {
    mutex.unlock();
    {
      CallbackScope scope;
      work.run(who);
    }
    mutex.lock();
  } else if (work.run) {
    work.run(who);
  }
  endMoment();
  finish(operation);
}

void Engine::endMoment() {
  for (const auto &device : devices)
    device->memory.setMoment(nullptr, nullptr, false);
}

void Engine::observe(const std::vector<OperationRef> &operations) {
  for (const OperationRef &operation : operations)
    if (operation)
      orders.observe(*operation->moment);
  pinned.release(
      [&](const Moment &moment) { return orders.isObserved(moment); });
}

void Engine::finish(const OperationRef &operation) {
  Stream &stream = *operation->stream;
  if (operation->state == State::Resident)
    --stream.device->numResident;
  operation->state = State::Done;
  operation->work.run = nullptr;
  operation->work.plan = nullptr;
  // One that is dropped may still have waited.
  for (const OperationRef &other : operation->waits) {
    std::vector<Operation *> &all = other->followers;
    all.erase(std::remove(all.begin(), all.end(), operation.get()), all.end());
  }
  operation->waits.clear();
  communications.erase(operation->communication);
  bool wasFirst = stream.queue.front() == operation;
  auto found = std::find(stream.queue.begin(), stream.queue.end(), operation);
  stream.queue.erase(found);
  if (operation->numOpen == 0)
    ready.erase({stream.device->number, stream.number});
  if (wasFirst && !stream.queue.empty())
    becomeLessOpen(*stream.queue.front());
  for (Operation *follower : std::exchange(operation->followers, {}))
    becomeLessOpen(*follower);
  if (stream.isDestroyed && stream.queue.empty())
    destroyStream(stream);
  ++progress;
  changed.notify_all();
}

void Engine::refresh() {
  std::vector<OperationRef> done;
  for (const auto &[number, operation] : communications)
    if (communication::isDone(number))
      done.push_back(operation);
  for (const OperationRef &operation : done) {
    log("end " + operation->describe());
    finish(operation);
  }
}

//===----------------------------------------------------------------------===//
// What runs when
//===----------------------------------------------------------------------===//

/// Of communications that could start on a device any may be the first,
/// whichever is needed.
OperationRef Engine::choose(std::vector<OperationRef> runnable) {
  OperationRef chosen = runnable[draw(runnable.size())];
  if (!chosen->communication)
    return chosen;
  std::vector<OperationRef> rivals;
  for (const OperationRef &other : getRunnable())
    if (other->communication && other->stream->device == chosen->stream->device)
      rivals.push_back(other);
  return rivals[draw(rivals.size())];
}

void Engine::drift() {
  refresh();
  if (settings.order == Order::Lazy)
    return;
  // Once in 64 calls a stream changes its pace.
  if (draw(64) == 0)
    for (const auto &device : devices)
      device->streams[draw(device->streams.size())]->haste = draw(4) * draw(3);
  for (;;) {
    // On average two operations for each call.
    if (settings.order == Order::Random && draw(3) == 0)
      return;
    std::vector<OperationRef> candidates;
    for (const OperationRef &operation : getRunnable()) {
      bool isEager = settings.order == Order::Eager;
      int haste = isEager ? 1 : operation->stream->haste;
      candidates.insert(candidates.end(), haste, operation);
    }
    if (candidates.empty())
      return;
    run(choose(candidates));
  }
}

/// Everything that has to happen before the operation is done.
void Engine::collect(const OperationRef &operation,
                     std::set<const void *> &seen,
                     std::vector<OperationRef> &needed) const {
  std::vector<OperationRef> open = {operation};
  // Of what stands before it in its stream, the first can run, and others may
  // need something of elsewhere. Each stream is looked through once: a queue
  // may have all kernels of a step.
  auto addBefore = [&](const OperationRef &last) {
    const auto &queue = last->stream->queue;
    if (queue.empty() || !seen.insert(&queue).second)
      return;
    for (const OperationRef &before : queue) {
      if (before == last)
        break;
      if (before == queue.front() || before->communication ||
          !before->waits.empty())
        open.push_back(before);
    }
  };
  while (!open.empty()) {
    OperationRef next = open.back();
    open.pop_back();
    if (!next || next->isDone() || !seen.insert(next.get()).second)
      continue;
    needed.push_back(next);
    open.insert(open.end(), next->waits.begin(), next->waits.end());
    addBefore(next);
    if (!next->communication)
      continue;
    for (uint64_t partner : communication::getPartners(next->communication))
      open.push_back(findCommunication(partner));
    Device *device = next->stream->device;
    if (next->state != State::Resident &&
        device->numResident >= settings.channels)
      for (const auto &[number, other] : communications)
        if (other->state == State::Resident && other->stream->device == device)
          open.push_back(other);
  }
}

bool Engine::step(Need &need) {
  std::vector<OperationRef> runnable;
  auto look = [&] {
    auto isDone = [](const OperationRef &each) { return each->isDone(); };
    need.open.erase(std::remove_if(need.open.begin(), need.open.end(), isDone),
                    need.open.end());
    for (const OperationRef &operation : need.open)
      if (isRunnable(*operation))
        runnable.push_back(operation);
  };
  look();
  // What was needed stays so; more may have come.
  if (runnable.empty()) {
    need.open.clear();
    std::set<const void *> seen;
    for (const OperationRef &operation : need.operations)
      collect(operation, seen, need.open);
    look();
  }
  if (runnable.empty())
    return false;
  run(choose(runnable));
  return true;
}

static bool areDone(const std::vector<OperationRef> &operations) {
  return std::all_of(
      operations.begin(), operations.end(), [](const OperationRef &each) {
        // Nobody waits for a device that does nothing any more.
        return !each || each->isDone() || each->stream->device->sickness ||
               each->stream->device->isLost;
      });
}

/// Which communications this thread waits for.
static void noteBlocked(const std::vector<OperationRef> &operations) {
  std::set<uint64_t> numbers;
  for (const OperationRef &operation : operations) {
    if (!operation || operation->isDone())
      continue;
    numbers.insert(operation->behind.begin(), operation->behind.end());
    if (operation->communication)
      numbers.insert(operation->communication);
  }
  communication::noteAwaited({numbers.begin(), numbers.end()});
}

void Engine::wait(const std::vector<OperationRef> &operations,
                  const std::string &who) {
  communication::checkGroup(who);
  Patience patience;
  Need need = {operations, {}};
  for (;;) {
    refresh();
    if (areDone(operations)) {
      observe(operations);
      return communication::noteAwaited({});
    }
    if (step(need))
      continue;
    noteBlocked(operations);
    communication::checkDeadlock();
    if (patience.isOver(settings.patience)) {
      std::string sentence = who + " waits without end";
      for (const OperationRef &operation : operations)
        if (operation && !operation->isDone()) {
          uint64_t number = operation->communication;
          if (!number && !operation->behind.empty())
            number = *operation->behind.begin();
          sentence += " for " + operation->describe();
          if (number)
            sentence += ": " + communication::explain(number);
          break;
        }
      leaveProcess(sentence);
    }
    rest();
  }
}

bool Engine::poll(const std::vector<OperationRef> &operations,
                  const std::string &who) {
  communication::checkGroup(who);
  refresh();
  if (areDone(operations)) {
    observe(operations);
    return true;
  }
  // A device goes on while it is asked, in every second question: by four
  // operations on average and more where many wait, so that programs that sleep
  // in between come to an end.
  int64_t numWaiting = 0;
  for (const OperationRef &operation : operations)
    if (operation && !operation->isDone())
      numWaiting =
          std::max<int64_t>(numWaiting, operation->stream->queue.size());
  int64_t numSteps = draw(2) * draw(8 + numWaiting / 16);
  // The same is asked again and again.
  static thread_local Need need;
  if (need.operations != operations)
    need = {operations, {}};
  while (numSteps-- > 0 && !areDone(operations))
    if (!step(need)) {
      communication::checkDeadlock();
      break;
    }
  if (!areDone(operations))
    return false;
  observe(operations);
  return true;
}
