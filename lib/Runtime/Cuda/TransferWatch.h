//===- TransferWatch.h - Whether a device still gets on ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// NCCL waits for a peer for ever. While the host waits for its device it asks
// here, and the run ends when nothing has happened anywhere for as long as it
// has patience, or a rank is lost:
//
//   rank 1 waits for instruction 6 (recv, step.mlir:14) from rank 0 after
//   'forward 1' on device 'gpu 1' for 60 s; rank 0 was last seen executing
//   'step 7'
//
// What has happened on the device is read from two counters, which its streams
// set when a transfer or a kernel of the program is done (CudaApi::setCounter),
// in recorded steps as well. Either is progress, and the other ranks are told.
// So a single transfer or kernel must not take longer than the patience, as on
// the CPU.

#ifndef HETERO_LIB_RUNTIME_CUDA_TRANSFERWATCH_H
#define HETERO_LIB_RUNTIME_CUDA_TRANSFERWATCH_H

#include "hetero/Runtime/Error.h"
#include "hetero/Runtime/Transport.h"

namespace hetero::runtime {

class TransferWatch {
public:
  /// What is waited for, as a part of a sentence; who has a part in it; and in
  /// few words what the others see.
  struct Awaited {
    std::string what;
    std::vector<int64_t> peers;
    std::string title;
  };

  TransferWatch(Transport &transport, std::chrono::milliseconds patience,
                std::string device);

  /// The counters.
  static constexpr int32_t ofTransfers = 0, ofCalls = 1;

  /// The transfers of a step in their order, and what its kernels carry out.
  /// The counters have how many of them are done, in this step or in the one
  /// before.
  void setSteps(std::vector<Awaited> transfers, std::vector<std::string> calls,
                const int32_t *counters);

  /// Says in which transfer of a step something went wrong, unless the run has
  /// ended already.
  MaybeError locate(size_t transfer, MaybeError error) const;

  /// Another wait begins, and the ranks are told what for.
  void begin(const Awaited &other);
  /// Why the run has ended, if it has. Who asks again after a while begins
  /// another wait. Without `other` the next transfer is awaited, if any.
  MaybeError check(const Awaited *other = nullptr);

private:
  MaybeError findLoss(const Awaited &awaited);
  std::string describe(const Awaited &awaited, Clock::time_point now) const;

  Transport &transport;
  const std::chrono::milliseconds patience;
  const std::string device;
  std::vector<Awaited> transfers;
  std::vector<std::string> calls;
  const int32_t *counters = nullptr;

  /// The wait that is under way.
  const Awaited *current = nullptr;
  Clock::time_point waitsSince, lastAsked, lastLook;
  int32_t numTransfers = 0, numCalls = 0;
};

} // namespace hetero::runtime

#endif // HETERO_LIB_RUNTIME_CUDA_TRANSFERWATCH_H
