//===- ProgramGroup.h - The ranks of one process ----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs the programs of all ranks that this process has, each on a thread and a
// device of its own, and speaks of whole arguments and results of the step:
//
//   auto group = ProgramGroup::create(setups, createThreadsTransports(3));
//   (*group)->setArgument(0, parameters, type);
//   (*group)->carry(/*result=*/0, /*argument=*/0);
//   while (...) {
//     (*group)->setArgument(1, batch, batchType);
//     if (MaybeError error = (*group)->step())
//       ...
//   }
//   (*group)->getResult(0, parameters, type);
//
// With the `threads` transport one process has all ranks; with `mpi` each
// process has one, and all processes call the same functions in the same order.

#ifndef HETERO_RUNTIME_PROGRAMGROUP_H
#define HETERO_RUNTIME_PROGRAMGROUP_H

#include "hetero/Runtime/Session.h"

namespace hetero::runtime {

/// What one rank is made of.
struct RankSetup {
  Program program;
  /// One for each kernel of the program.
  std::vector<KernelFunction> kernels;
  /// What they compute in place; empty if none does.
  std::vector<InPlaceList> inPlace;
  std::string deviceName = "cpu";
  /// In bytes; unlimited without.
  std::optional<int64_t> memoryCap;
  /// Threads of `hetero_parallel_for`.
  unsigned numThreads = 1;
  /// All that these threads may use; any if empty.
  std::vector<int> processors;
  /// Where the program runs, and who carries out its transfers; without, this
  /// machine and the transport. The device outlives the communicator.
  std::shared_ptr<Device> device;
  std::function<std::unique_ptr<Communicator>(Transport &, Device &,
                                              const CommunicatorOptions &)>
      makeCommunicator;
};

class ProgramGroup {
public:
  /// `setups` and `transports` are of the same ranks in the same order.
  static Result<std::unique_ptr<ProgramGroup>>
  create(std::vector<RankSetup> setups,
         std::vector<std::unique_ptr<Transport>> transports,
         CommunicatorOptions options = {});
  ~ProgramGroup();
  ProgramGroup(const ProgramGroup &) = delete;
  ProgramGroup &operator=(const ProgramGroup &) = delete;

  /// The ranks of this process.
  size_t getNumLocalRanks() const;
  Session &getSession(size_t i);
  int64_t getNumRanks() const;

  /// Gives every local rank its parts of argument `index` of the step. Nothing
  /// happens where a rank has none.
  MaybeError setArgument(int64_t index, const void *whole,
                         const TensorType &type);
  /// Result becomes argument after each step, on every rank that has both: each
  /// part of the argument is a part of the result there.
  MaybeError carry(int64_t result, int64_t argument);
  /// The argument stays for all following steps.
  MaybeError keep(int64_t argument);

  /// One step of all ranks. The error is the first that happened on any.
  MaybeError step();
  /// Returns when all steps of the ranks of this process are done.
  MaybeError synchronize();
  /// Ends all ranks when their steps are done: nothing else is called
  /// afterwards. With several processes, all call it. The error is the first of
  /// what could not be ended well.
  MaybeError close();

  /// Puts the parts of result `index` together. If other processes have ranks,
  /// all call it; `whole` is filled on the process of rank `root`, or on all
  /// when that is -1, and may be null where it is not filled. Parts that
  /// several ranks have are taken from the first.
  MaybeError getResult(int64_t index, void *whole, const TensorType &type,
                       int64_t root = -1);

  /// As in Session.
  void setDonating(bool on);
  void setTracing(bool on);
  /// Events of all ranks since it was last asked for. If other processes have
  /// ranks, all call it; after a failure they get those of their own.
  std::vector<TraceEvent> takeTrace();

private:
  struct Rank;
  struct Shared;

  /// A result binding of some rank.
  struct ResultBinding {
    int64_t rank;
    size_t binding;
    int64_t index;
    TensorType type;
    Region region;
  };

  ProgramGroup();
  /// Whether other processes have ranks.
  bool hasOthers() const;
  template <typename Bytes>
  static void transfer(Bytes &bytes, ResultBinding &part);

  /// Runs `job` on the thread of every local rank; the first error. When the
  /// run has ended, a rank has `patience` to return.
  MaybeError runAll(const std::function<MaybeError(size_t)> &job,
                    std::chrono::seconds patience);
  MaybeError exchangeBindings();
  Result<std::vector<ResultBinding>>
  chooseBindings(int64_t index, const TensorType &type) const;
  Result<std::vector<const char *>>
  findParts(const std::vector<ResultBinding> &chosen);
  MaybeError gatherResult(const std::vector<ResultBinding> &chosen, void *whole,
                          const TensorType &type, int64_t root);
  MaybeError exchangeResult(const std::vector<ResultBinding> &chosen,
                            int64_t root, std::vector<const char *> &memory,
                            std::vector<std::string> &received);

  /// Shared with the threads, which may outlive the group when a kernel does
  /// not return.
  std::shared_ptr<Shared> shared;
  /// The result bindings of all ranks.
  std::vector<ResultBinding> parts;
};

} // namespace hetero::runtime

#endif // HETERO_RUNTIME_PROGRAMGROUP_H
