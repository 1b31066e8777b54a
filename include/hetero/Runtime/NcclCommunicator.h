//===- NcclCommunicator.h - Transfers between GPUs --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The communication instructions of a rank whose buffers are on a GPU, carried
// out by NCCL. The transport (threads or MPI) stays: ranks find each other with
// it, and are told by it when one is lost.
//
// The idea
// --------
// Each stream of transfers (hetero/Runtime/Transport.h) has a group of NCCL and
// a stream of the device of its own, so that a send that waits for its receiver
// holds up nothing else. Events order them with the stream of the device:
//
//   record e0 on s0      what was computed before
//   await e0 on s1
//   all_reduce ... on s1
//   record e1 on s1
//   await e1 on s0       at the wait; what follows comes after
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

namespace hetero::runtime {

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
  /// The device does it by itself.
  void driveInBackground() override {}

private:
  class Work;
  /// What a stream of transfers has on the device.
  struct Channel {
    CudaHandle group = 0, stream = 0;
  };
  /// A transfer that was entered, and the memory that it needs till then.
  struct Entered {
    CudaHandle event = 0;
    bool hasEvent = false;
    std::vector<void *> memory;
    MaybeError error;
  };

  Result<NcclId> exchangeId(const Stream &stream);
  MaybeError enter(const std::vector<TransferPart> &parts, bool copy,
                   Entered &entered);
  /// Ends sends that nobody waits for.
  void releaseDone();
  void release(Entered &entered);

  CudaDevice &device;
  std::map<Stream, Channel> channels;
  std::map<Transfer *, Entered> waiting;
  std::vector<Entered> sends;
};

} // namespace hetero::runtime

#endif // HETERO_RUNTIME_NCCLCOMMUNICATOR_H
