//===- ProgramGroup.cpp - The ranks of one process ------------------------===//
//
// Part of the hetero project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "hetero/Runtime/ProgramGroup.h"
#include "hetero/Runtime/Regions.h"
#include <algorithm>
#include <cstring>

using namespace hetero::runtime;

/// How long a rank may take to notice that the run has ended.
static constexpr std::chrono::seconds grace{2};

static std::string str(int64_t value) { return std::to_string(value); }

/// One rank with its thread. The members are destroyed in reverse order.
struct ProgramGroup::Rank {
  std::unique_ptr<Transport> transport;
  std::unique_ptr<Communicator> communicator;
  std::unique_ptr<Device> device;
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

MaybeError ProgramGroup::runAll(const std::function<MaybeError(size_t)> &job) {
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
    if (!ended && ranks[0].transport->getFailure())
      ended = Clock::now();
    if (ended && Clock::now() - *ended > grace)
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
  std::unique_ptr<ProgramGroup> group(new ProgramGroup());
  std::vector<Rank> &ranks = group->shared->ranks;
  ranks.resize(setups.size());
  for (size_t i = 0; i < setups.size(); ++i) {
    ranks[i].transport = std::move(transports[i]);
    ranks[i].communicator =
        std::make_unique<Communicator>(*ranks[i].transport, options);
    ranks[i].device = std::make_unique<Device>(
        setups[i].deviceName, setups[i].memoryCap, setups[i].numThreads);
  }
  for (size_t i = 0; i < setups.size(); ++i)
    ranks[i].thread =
        std::thread([shared = group->shared, i] { shared->work(i); });
  MaybeError error = group->runAll([&](size_t i) -> MaybeError {
    Result<std::unique_ptr<Session>> session = Session::create(
        std::move(setups[i].program), std::move(setups[i].kernels),
        *ranks[i].device, *ranks[i].communicator);
    if (!session) {
      ranks[i].transport->abort(session.error());
      return session.error();
    }
    ranks[i].session = std::move(*session);
    return std::nullopt;
  });
  if (!error)
    error = group->exchangeParts();
  if (error)
    return Error{*error};
  return group;
}

size_t ProgramGroup::getNumSessions() const { return shared->ranks.size(); }

Session &ProgramGroup::getSession(size_t i) {
  return *shared->ranks[i].session;
}

int64_t ProgramGroup::getNumRanks() const {
  return shared->ranks[0].transport->getNumRanks();
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
      Result<void *> local = rank.session->makeArgument(i);
      if (!local)
        return local.error();
      scatterInto(*local, binding.region, whole, type);
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
  return runAll([ranks](size_t i) { return ranks->ranks[i].session->step(); });
}

void ProgramGroup::setTracing(bool on) {
  for (Rank &rank : shared->ranks)
    rank.session->setTracing(on);
}

std::vector<TraceEvent> ProgramGroup::takeTrace() {
  std::vector<TraceEvent> events;
  for (Rank &rank : shared->ranks)
    for (TraceEvent &event : rank.session->takeTrace())
      events.push_back(std::move(event));
  return events;
}

//===----------------------------------------------------------------------===//
// Whole results
//===----------------------------------------------------------------------===//

/// Makes `parts` known: of this process only, until others have ranks.
MaybeError ProgramGroup::exchangeParts() {
  for (Rank &rank : shared->ranks) {
    const Program &program = rank.session->getProgram();
    for (size_t i = 0; i < program.results.size(); ++i) {
      const Binding &binding = program.results[i];
      parts.push_back({program.rank, i, binding.index,
                       program.buffers[binding.buffer], binding.region});
    }
  }
  return std::nullopt;
}

/// The parts that make up a result: of equal ones the first.
Result<std::vector<ProgramGroup::Part>>
ProgramGroup::chooseParts(int64_t index, const TensorType &type) const {
  std::vector<Part> chosen;
  int64_t covered = 0;
  for (const Part &part : parts) {
    if (part.index != index)
      continue;
    if (MaybeError error = checkRegion(part.region, part.type, type))
      return Error{"result " + str(index) + ": " + *error};
    bool known =
        std::any_of(chosen.begin(), chosen.end(), [&](const Part &other) {
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
  Result<std::vector<Part>> chosen = chooseParts(index, type);
  if (!chosen)
    return chosen.error();
  return collect(*chosen, whole, type, root);
}

MaybeError ProgramGroup::collect(const std::vector<Part> &chosen, void *whole,
                                 const TensorType &type, int64_t root) {
  for (Rank &rank : shared->ranks) {
    int64_t number = rank.transport->getRank();
    for (const Part &part : chosen) {
      if (part.rank != number)
        continue;
      const void *local = rank.session->getResult(part.binding);
      if (!local)
        return "there is no result before the first step";
      if (whole && (root == -1 || getNumSessions() > 1 || root == number))
        gatherFrom(local, part.region, whole, type);
    }
  }
  return std::nullopt;
}
