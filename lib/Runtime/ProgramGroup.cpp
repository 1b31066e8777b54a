//===- ProgramGroup.cpp - The ranks of one process ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Runtime/ProgramGroup.h"
#include "Bytes.h"
#include "hetero/Runtime/Regions.h"
#include "hetero/Runtime/ThreadPool.h"
#include <algorithm>
#include <cstring>

using namespace hetero::runtime;

/// How long a rank may take to notice that the run has ended, and to give back
/// what it has: a driver takes its time for that.
static constexpr std::chrono::seconds grace{2}, graceToClose{15};

static std::string str(int64_t value) { return std::to_string(value); }

/// One rank with its thread. The members are destroyed in reverse order.
struct ProgramGroup::Rank {
  std::unique_ptr<Transport> transport;
  std::shared_ptr<Device> device;
  std::unique_ptr<Communicator> communicator;
  std::unique_ptr<Session> session;
  std::thread thread;
  bool busy = false;
  MaybeError error;
};

struct ProgramGroup::Shared {
  std::vector<Rank> ranks;
  std::mutex mutex;
  std::condition_variable changed;
  std::function<MaybeError(size_t)> job;
  bool stopping = false;

  void work(size_t index);
};

void ProgramGroup::Shared::work(size_t index) {
  std::unique_lock<std::mutex> lock(mutex);
  while (true) {
    changed.wait(lock, [&] { return stopping || ranks[index].busy; });
    if (stopping)
      return;
    std::function<MaybeError(size_t)> current = job;
    lock.unlock();
    MaybeError error = current(index);
    lock.lock();
    ranks[index].error = std::move(error);
    ranks[index].busy = false;
    changed.notify_all();
  }
}

ProgramGroup::ProgramGroup() : shared(std::make_shared<Shared>()) {}

ProgramGroup::~ProgramGroup() {
  close();
  {
    std::lock_guard<std::mutex> lock(shared->mutex);
    shared->stopping = true;
  }
  shared->changed.notify_all();
  for (Rank &rank : shared->ranks) {
    if (!rank.thread.joinable())
      continue;
    // A kernel that does not return keeps its thread, and that what it uses.
    bool stuck;
    {
      std::lock_guard<std::mutex> lock(shared->mutex);
      stuck = rank.busy;
    }
    if (stuck)
      rank.thread.detach();
    else
      rank.thread.join();
  }
}

MaybeError ProgramGroup::runAll(const std::function<MaybeError(size_t)> &job,
                                std::chrono::seconds patience) {
  std::vector<Rank> &ranks = shared->ranks;
  std::unique_lock<std::mutex> lock(shared->mutex);
  shared->job = job;
  for (Rank &rank : ranks)
    rank.busy = true;
  shared->changed.notify_all();
  auto isDone = [&] {
    return std::none_of(ranks.begin(), ranks.end(),
                        [](const Rank &rank) { return rank.busy; });
  };
  // When the run has ended, ranks inside of a kernel get some time to see it.
  std::optional<Clock::time_point> ended;
  while (!isDone()) {
    shared->changed.wait_for(lock, std::chrono::milliseconds(100), isDone);
    // What fails on the device of a rank that has returned keeps the others.
    for (Rank &rank : ranks)
      if (!rank.busy && !rank.error && !ended && !isDone())
        if (MaybeError error = rank.device->check())
          rank.transport->abort("rank " + str(rank.transport->getRank()) +
                                ": " + *error);
    if (!ended && ranks[0].transport->getFailure())
      ended = Clock::now();
    if (ended && Clock::now() - *ended > patience)
      break;
  }
  // All ranks have the same reason, if the run has ended.
  if (MaybeError failure = ranks[0].transport->getFailure()) {
    for (Rank &rank : ranks)
      if (rank.busy)
        *failure +=
            "; rank " + str(rank.transport->getRank()) +
            " is still executing '" +
            rank.transport->getStatus(rank.transport->getRank()).executing +
            "'";
    return failure;
  }
  for (Rank &rank : ranks)
    if (rank.error)
      return rank.error;
  return std::nullopt;
}

Result<std::unique_ptr<ProgramGroup>>
ProgramGroup::create(std::vector<RankSetup> setups,
                     std::vector<std::unique_ptr<Transport>> transports,
                     CommunicatorOptions options) {
  if (setups.size() != transports.size() || setups.empty())
    return Error{str(setups.size()) + " programs for " +
                 str(transports.size()) + " ranks"};
  int64_t numRanks = transports[0]->getNumRanks();
  if (setups.size() != 1 && int64_t(setups.size()) != numRanks)
    return Error{"this process has " + str(setups.size()) + " of " +
                 str(numRanks) + " ranks; it can have one or all"};
  std::unique_ptr<ProgramGroup> group(new ProgramGroup());
  std::vector<Rank> &ranks = group->shared->ranks;
  ranks.resize(setups.size());
  for (size_t i = 0; i < setups.size(); ++i) {
    ranks[i].transport = std::move(transports[i]);
    ranks[i].device = std::move(setups[i].device);
    if (!ranks[i].device)
      ranks[i].device = std::make_unique<Device>(
          setups[i].deviceName, setups[i].memoryCap, setups[i].numThreads);
    if (setups[i].makeCommunicator)
      ranks[i].communicator = setups[i].makeCommunicator(
          *ranks[i].transport, *ranks[i].device, options);
    else
      ranks[i].communicator =
          std::make_unique<Communicator>(*ranks[i].transport, options);
  }
  for (size_t i = 0; i < setups.size(); ++i)
    ranks[i].thread =
        std::thread([shared = group->shared, i] { shared->work(i); });
  MaybeError error = group->runAll(
      [&](size_t i) -> MaybeError {
        // The threads of the device are started from here.
        if (!setups[i].processors.empty() && !holdTo(setups[i].processors)) {
          std::string problem = "cannot be held to the processors it is given";
          ranks[i].transport->abort(problem);
          return problem;
        }
        Result<std::unique_ptr<Session>> session = Session::create(
            std::move(setups[i].program), std::move(setups[i].kernels),
            *ranks[i].device, *ranks[i].communicator,
            std::move(setups[i].inPlace));
        if (!session) {
          ranks[i].transport->abort(session.error());
          return session.error();
        }
        ranks[i].session = std::move(*session);
        return std::nullopt;
      },
      grace);
  if (!error)
    error = group->exchangeBindings();
  if (error)
    return Error{*error};
  return group;
}

size_t ProgramGroup::getNumLocalRanks() const { return shared->ranks.size(); }

Session &ProgramGroup::getSession(size_t i) {
  return *shared->ranks[i].session;
}

int64_t ProgramGroup::getNumRanks() const {
  return shared->ranks[0].transport->getNumRanks();
}

bool ProgramGroup::hasOthers() const {
  return int64_t(getNumLocalRanks()) < getNumRanks();
}

MaybeError ProgramGroup::setArgument(int64_t index, const void *whole,
                                     const TensorType &type) {
  for (Rank &rank : shared->ranks) {
    const Program &program = rank.session->getProgram();
    for (size_t i = 0; i < program.arguments.size(); ++i) {
      const Binding &binding = program.arguments[i];
      if (binding.index != index)
        continue;
      if (MaybeError error = checkRegion(binding.region,
                                         program.buffers[binding.buffer], type))
        return "argument " + str(index) + ": " + *error;
      MaybeError error;
      if (rank.device->isHost()) {
        Result<void *> part = rank.session->makeArgument(i);
        if (part)
          scatterInto(*part, binding.region, whole, type);
        else
          error = part.error();
      } else {
        std::vector<char> part(program.buffers[binding.buffer].numBytes());
        scatterInto(part.data(), binding.region, whole, type);
        error = rank.session->setArgument(i, part.data());
      }
      if (!error)
        continue;
      // The other processes do not see it.
      error = "rank " + str(program.rank) + ": " + *error;
      if (hasOthers())
        rank.transport->abort(*error);
      return error;
    }
  }
  return std::nullopt;
}

MaybeError ProgramGroup::carry(int64_t result, int64_t argument) {
  for (Rank &rank : shared->ranks) {
    const Program &program = rank.session->getProgram();
    for (size_t i = 0; i < program.arguments.size(); ++i) {
      const Binding &to = program.arguments[i];
      if (to.index != argument)
        continue;
      auto from = std::find_if(program.results.begin(), program.results.end(),
                               [&](const Binding &binding) {
                                 return binding.index == result &&
                                        binding.region == to.region;
                               });
      if (from == program.results.end())
        return "rank " + str(program.rank) + " has a part of argument " +
               str(argument) + " that is no part of result " + str(result) +
               " there";
      if (MaybeError error =
              rank.session->carry(from - program.results.begin(), i))
        return error;
    }
  }
  return std::nullopt;
}

MaybeError ProgramGroup::keep(int64_t argument) {
  for (Rank &rank : shared->ranks) {
    const Program &program = rank.session->getProgram();
    for (size_t i = 0; i < program.arguments.size(); ++i)
      if (program.arguments[i].index == argument)
        if (MaybeError error = rank.session->keep(i))
          return error;
  }
  return std::nullopt;
}

MaybeError ProgramGroup::step() {
  Shared *ranks = shared.get();
  return runAll([ranks](size_t i) { return ranks->ranks[i].session->step(); },
                grace);
}

MaybeError ProgramGroup::synchronize() {
  Shared *ranks = shared.get();
  return runAll(
      [ranks](size_t i) { return ranks->ranks[i].session->synchronize(); },
      grace);
}

/// Each rank by its thread: they wait for each other to leave. Nobody can leave
/// while one is stuck.
MaybeError ProgramGroup::close() {
  {
    std::lock_guard<std::mutex> lock(shared->mutex);
    for (Rank &rank : shared->ranks)
      if (rank.busy)
        return rank.transport->getFailure();
  }
  Shared *ranks = shared.get();
  auto closeRank = [ranks](size_t i) -> MaybeError {
    Rank &rank = ranks->ranks[i];
    if (!rank.communicator)
      return std::nullopt;
    rank.session.reset();
    MaybeError error = rank.communicator->close();
    rank.communicator.reset();
    if (MaybeError other = rank.device->close(); !error)
      error = other;
    if (!error || rank.transport->getFailure())
      return error;
    error =
        "rank " + str(rank.transport->getRank()) + ": at the end: " + *error;
    rank.transport->abort(*error);
    return error;
  };
  return runAll(closeRank, graceToClose);
}

void ProgramGroup::setDonating(bool on) {
  for (Rank &rank : shared->ranks)
    rank.session->setDonating(on);
}

void ProgramGroup::setTracing(bool on) {
  for (Rank &rank : shared->ranks)
    rank.session->setTracing(on);
}

/// Writes or reads an event.
template <typename Bytes>
static void transfer(Bytes &bytes, TraceEvent &event) {
  bytes.integers(event.rank, event.step, event.instruction, event.opcode,
                 event.begin, event.end, event.bytes, event.liveBytes,
                 event.isOperation);
  bytes.text(event.label);
  bytes.text(event.place);
}

std::vector<TraceEvent> ProgramGroup::takeTrace() {
  std::vector<TraceEvent> events;
  for (Rank &rank : shared->ranks)
    for (TraceEvent &event : rank.session->takeTrace())
      events.push_back(std::move(event));
  if (!hasOthers())
    return events;
  ByteWriter writer;
  for (TraceEvent &event : events)
    ::transfer(writer, event);
  auto all = shared->ranks[0].communicator->exchange("the trace", writer.bytes);
  // After a failure everybody has what is its own.
  if (!all)
    return events;
  events.clear();
  for (const std::string &bytes : *all)
    for (ByteReader reader(bytes); !reader.atEnd();)
      ::transfer(reader, events.emplace_back());
  return events;
}

//===----------------------------------------------------------------------===//
// Whole results
//===----------------------------------------------------------------------===//

/// Writes or reads a part.
template <typename Bytes>
void ProgramGroup::transfer(Bytes &bytes, ResultBinding &part) {
  size_t rank = part.type.shape.size();
  bytes.integers(part.rank, part.binding, part.index, part.type.element);
  bytes.count(rank);
  part.type.shape.resize(rank);
  part.region.dimensions.resize(rank);
  for (int64_t &size : part.type.shape)
    bytes.integers(size);
  for (std::vector<Range> &ranges : part.region.dimensions) {
    size_t count = ranges.size();
    bytes.count(count);
    ranges.resize(count);
    for (Range &range : ranges)
      bytes.integers(range.begin, range.end);
  }
}

/// Makes `parts` known to all processes.
MaybeError ProgramGroup::exchangeBindings() {
  for (Rank &rank : shared->ranks) {
    const Program &program = rank.session->getProgram();
    for (size_t i = 0; i < program.results.size(); ++i) {
      const Binding &binding = program.results[i];
      parts.push_back({program.rank, i, binding.index,
                       program.buffers[binding.buffer], binding.region});
    }
  }
  if (!hasOthers())
    return std::nullopt;
  ByteWriter writer;
  for (ResultBinding &part : parts)
    transfer(writer, part);
  auto all = shared->ranks[0].communicator->exchange("the list of results",
                                                     writer.bytes);
  if (!all)
    return all.error();
  parts.clear();
  for (const std::string &bytes : *all)
    for (ByteReader reader(bytes); !reader.atEnd();)
      transfer(reader, parts.emplace_back());
  return std::nullopt;
}

/// The parts that make up a result: of equal ones the first.
Result<std::vector<ProgramGroup::ResultBinding>>
ProgramGroup::chooseBindings(int64_t index, const TensorType &type) const {
  std::vector<ResultBinding> chosen;
  int64_t covered = 0;
  for (const ResultBinding &part : parts) {
    if (part.index != index)
      continue;
    if (MaybeError error = checkRegion(part.region, part.type, type))
      return Error{"result " + str(index) + ": " + *error};
    bool known = std::any_of(chosen.begin(), chosen.end(),
                             [&](const ResultBinding &other) {
                               return other.region == part.region;
                             });
    if (known)
      continue;
    covered += part.type.numElements();
    chosen.push_back(part);
  }
  if (covered < type.numElements())
    return Error{"result " + str(index) + " has " + str(type.numElements()) +
                 " elements and the ranks have " + str(covered)};
  return chosen;
}

MaybeError ProgramGroup::getResult(int64_t index, void *whole,
                                   const TensorType &type, int64_t root) {
  Result<std::vector<ResultBinding>> chosen = chooseBindings(index, type);
  if (!chosen)
    return chosen.error();
  return gatherResult(*chosen, whole, type, root);
}

/// Where the parts of this process lie.
Result<std::vector<const char *>>
ProgramGroup::findParts(const std::vector<ResultBinding> &chosen) {
  // A rank that takes too long to see the end of the run still has them.
  auto memory = std::make_shared<std::vector<const char *>>(chosen.size());
  auto find = [memory, chosen, ranks = shared.get()](size_t r) -> MaybeError {
    Rank &rank = ranks->ranks[r];
    for (size_t i = 0; i < chosen.size(); ++i) {
      if (chosen[i].rank != rank.transport->getRank())
        continue;
      (*memory)[i] =
          static_cast<const char *>(rank.session->getResult(chosen[i].binding));
      if ((*memory)[i])
        continue;
      MaybeError failure = rank.transport->getFailure();
      return failure ? failure : "there is no result before the first step";
    }
    return std::nullopt;
  };
  // The host has them at hand. Those of a device are waited for, and meanwhile
  // it is looked after the other ranks.
  bool areAtHand =
      std::all_of(shared->ranks.begin(), shared->ranks.end(),
                  [](const Rank &rank) { return rank.device->isHost(); });
  MaybeError error = areAtHand ? std::nullopt : runAll(find, grace);
  for (size_t r = 0; areAtHand && !error && r < shared->ranks.size(); ++r)
    error = find(r);
  if (error)
    return Error{*error};
  return *memory;
}

MaybeError ProgramGroup::gatherResult(const std::vector<ResultBinding> &chosen,
                                      void *whole, const TensorType &type,
                                      int64_t root) {
  Result<std::vector<const char *>> found = findParts(chosen);
  if (!found)
    return found.error();
  std::vector<const char *> memory = std::move(*found);
  std::vector<std::string> received;
  if (hasOthers())
    if (MaybeError error = exchangeResult(chosen, root, memory, received))
      return error;
  if (whole && (!hasOthers() || root == -1 ||
                root == shared->ranks[0].transport->getRank()))
    for (size_t i = 0; i < chosen.size(); ++i)
      gatherFrom(memory[i], chosen[i].region, whole, type);
  return std::nullopt;
}

/// Sends the parts of each process, one after the other, to those that want
/// them, and completes `memory` there.
MaybeError
ProgramGroup::exchangeResult(const std::vector<ResultBinding> &chosen,
                             int64_t root, std::vector<const char *> &memory,
                             std::vector<std::string> &received) {
  int64_t self = shared->ranks[0].transport->getRank();
  std::vector<int64_t> sizes(getNumRanks());
  for (const ResultBinding &part : chosen)
    sizes[part.rank] += part.type.numBytes();
  std::string mine;
  for (size_t i = 0; i < chosen.size(); ++i)
    if (memory[i])
      mine.append(memory[i], chosen[i].type.numBytes());
  received.resize(getNumRanks());
  std::vector<Block> sends(getNumRanks()), receives(getNumRanks());
  for (int64_t i = 0; i < getNumRanks(); ++i) {
    if (i != self && (root == -1 || root == i))
      sends[i] = {sizes[self], mine.data()};
    if (i != self && (root == -1 || root == self)) {
      received[i].resize(sizes[i]);
      receives[i] = {sizes[i], received[i].data()};
    }
  }
  if (MaybeError error = shared->ranks[0].communicator->exchange(
          "a result", std::move(sends), std::move(receives)))
    return error;
  std::vector<int64_t> position(getNumRanks());
  for (size_t i = 0; i < chosen.size(); ++i) {
    int64_t owner = chosen[i].rank;
    if (owner != self)
      memory[i] = received[owner].data() + position[owner];
    position[owner] += chosen[i].type.numBytes();
  }
  return std::nullopt;
}
