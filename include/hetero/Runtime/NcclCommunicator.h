//===- NcclCommunicator.h - Transfers between GPUs --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The communication instructions of a rank whose buffers are on a GPU, carried
// out by NCCL. The transport (threads or MPI) stays: ranks find each other with
// it, and are told by it when one is lost.
//
// The idea
// --------
// NCCL promises nothing between two of its operations on one device: they may
// run one after the other, in any order. So all transfers of a rank go to one
// stream, in the order that all ranks agree on
// (hetero/Runtime/TransferOrder.h). One that the program starts earlier than
// its turn is entered when its turn has come, messages of one instant as one
// group. There is one communicator of NCCL for all messages, and one for each
// group of a collective.
//
// Events order the stream of transfers with that of the device:
//
//   record e0 on s0      what was computed before
//   await e0 on s1       when it is the turn of the transfer
//   all_reduce ... on s1
//   record e1 on s1
//   await e1 on s0       at the wait; what follows comes after
//
// A send that the program does not wait for has a copy of its operand, which
// ends when the device's stream comes after a later transfer, or with the step.
// So blocks come and go in the same order in every step.
//
// Every group is one of NCCL that does not block: the host asks whether NCCL is
// done, and meanwhile whether the run has ended or a peer takes too long. Then
// all groups are aborted, which ends what the device does for them.
//
// NCCL gathers and scatters equal parts. Unequal ones are one group of
// broadcasts (or reductions, one for each member), or, if the instruction asks
// for the padded algorithm, one call with all parts as large as the largest.
// Parts that do not lie densely in their tensor are copied to and from a dense
// block. Members of a scan contribute the neutral value to those before them.

#ifndef HETERO_RUNTIME_NCCLCOMMUNICATOR_H
#define HETERO_RUNTIME_NCCLCOMMUNICATOR_H

#include "hetero/Runtime/Communicator.h"
#include "hetero/Runtime/CudaDevice.h"
#include "hetero/Runtime/TransferOrder.h"
#include <tuple>

namespace hetero::runtime {

class NcclWork;
class TransferWatch;

/// What members of a scan give to those before them: constants. The last part
/// of their names is whether they join a sum of floats.
using NcclNeutrals = std::map<std::tuple<Reduction, ElementType, int64_t, bool>,
                              std::vector<char>>;

class NcclCommunicator : public Communicator {
public:
  /// Both outlive it.
  NcclCommunicator(Transport &transport, CudaDevice &device,
                   CommunicatorOptions options = {});
  ~NcclCommunicator() override;

  MaybeError open(const Program &program) override;
  std::shared_ptr<Transfer> start(const std::vector<TransferPart> &parts,
                                  bool copy = false) override;
  MaybeError wait(const std::shared_ptr<Transfer> &transfer) override;
  MaybeError endCall(const Instruction &what) override;
  MaybeError endStep() override;
  /// After a failure no group of NCCL is left.
  void finish() override;
  /// Nobody waits for ever: not for a peer that does not come, and not to join
  /// or to leave a group.
  MaybeError checkWait() override;
  MaybeError close() override;
  /// The device does it by itself.
  void driveInBackground() override {}

private:
  /// A transfer of the program, and its instant.
  struct Turn {
    TransferName name;
    int64_t instant = 0;
  };
  /// A transfer that was started, and the memory that it needs till it is done.
  struct Started {
    std::shared_ptr<Transfer> transfer;
    std::unique_ptr<NcclWork> work;
    CudaHandle group = 0;
    /// When its operands have been computed, until it is entered.
    std::optional<CudaHandle> computed;
    /// When it is done, from when it is entered on.
    std::optional<CudaHandle> done;
    /// A send that has its copy: nobody waits for it.
    bool isAlone = false;
    /// Its place among all that were entered.
    int64_t number = 0;
    std::vector<void *> memory;
  };

  MaybeError agreeOnOrder(const Program &program);
  MaybeError watchTransfers(const Program &program);
  MaybeError joinGroups(const std::vector<std::vector<TransferEvent>> &events);
  MaybeError prepare(const std::vector<TransferPart> &parts, bool copy,
                     Started &started);
  /// Enters all transfers whose turn has come.
  MaybeError enterReady();
  /// They are the last of those that have numbers up to `end` in a step.
  MaybeError enter(const std::vector<Started *> &transfers, size_t end);
  MaybeError enterCalls(const std::vector<Started *> &transfers, size_t end);
  /// Ends sends that nobody waits for and that were entered before this one:
  /// the device's stream comes after it now.
  void releaseSends(int64_t before);
  void release(Started &started);

  CudaDevice &device;
  std::unique_ptr<TransferWatch> watch;
  /// Where transfers go.
  CudaHandle stream = 0;
  /// The communicator of NCCL for each group, and the ranks that send messages.
  std::map<std::vector<int64_t>, CudaHandle> groups;
  std::vector<int64_t> messengers;
  /// The transfers of a step in their order, and the next one to enter.
  std::vector<Turn> turns;
  size_t nextTurn = 0;
  /// How many kernels a step calls, and how many this one has called.
  int32_t numCalls = 0, nextCall = 0;
  int64_t numEntered = 0;
  /// How many transfers of each stream this step has started.
  std::map<Stream, int64_t> sequences;
  /// Transfers that were started and whose turn has not come.
  std::map<TransferName, std::unique_ptr<Started>> ready;
  /// Those that were entered: somebody will wait for them, or nobody.
  std::map<Transfer *, std::unique_ptr<Started>> waiting;
  std::vector<std::unique_ptr<Started>> sends;
  NcclNeutrals neutrals;
  /// Transfers that could not be entered.
  std::map<Transfer *, std::string> failed;
};

} // namespace hetero::runtime

#endif // HETERO_RUNTIME_NCCLCOMMUNICATOR_H
