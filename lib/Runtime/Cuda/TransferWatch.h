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
// What has happened on the device is read from a counter, which the stream of
// transfers sets when each of them is done (CudaApi::setCounter), in recorded
// steps as well. A transfer that is done is progress, and the other ranks are
// told. So only the transfers themselves, and what is computed between two of
// them, must not take longer than the patience.

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

  /// Those of a step in their order; the counter has how many of them are done,
  /// in this step or in the one before.
  void setTransfers(std::vector<Awaited> transfers, const int32_t *counter);

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
  const int32_t *counter = nullptr;

  /// The wait that is under way.
  const Awaited *current = nullptr;
  Clock::time_point waitsSince, lastAsked, lastLook;
  int32_t numDone = 0;
};

} // namespace hetero::runtime

#endif // HETERO_LIB_RUNTIME_CUDA_TRANSFERWATCH_H
