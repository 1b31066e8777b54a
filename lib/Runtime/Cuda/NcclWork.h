//===- NcclWork.h - A transfer as calls of NCCL -----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What verified communication instructions of one bucket become on a device:
// copies to dense blocks, calls of NCCL that are one group, copies back. Making
// it takes the memory and computes the places; nothing is entered before its
// steps are called, in order:
//
//   NcclWork work(device, neutrals, channel, memory);
//   work.add(part) ...
//   all of getBefore(), getCalls(), getAfter()

#ifndef HETERO_LIB_RUNTIME_CUDA_NCCLWORK_H
#define HETERO_LIB_RUNTIME_CUDA_NCCLWORK_H

#include "Slab.h"
#include "hetero/Runtime/NcclCommunicator.h"

namespace hetero::runtime {

class NcclWork {
public:
  /// Where transfers of a group go. `self` is the position of this rank in it,
  /// `peer` that of the other one of a message.
  struct Channel {
    CudaHandle group = 0, stream = 0;
    int64_t self = 0, peer = 0;
  };
  using Step = std::function<MaybeError()>;

  /// Memory that it takes is added to `memory`, which outlives it, as the
  /// others do.
  NcclWork(CudaDevice &device, NcclNeutrals &neutrals, const Channel &channel,
           std::vector<void *> &memory)
      : device(device), api(device.getApi()), neutrals(neutrals),
        channel(channel), self(channel.self), memory(memory) {}

  MaybeError add(const TransferPart &part);

  /// What comes before, at once, and after.
  const std::vector<Step> &getBefore() const { return before; }
  const std::vector<Step> &getCalls() const { return calls; }
  const std::vector<Step> &getAfter() const { return after; }

private:
  MaybeError addGather(const TransferPart &part);
  MaybeError addScatter(const TransferPart &part);
  MaybeError addExchange(const TransferPart &part);
  MaybeError addScan(const TransferPart &part);
  MaybeError addOwnReduction(const TransferPart &part);
  MaybeError addOwnScatter(const TransferPart &part,
                           const std::vector<char *> &blocks,
                           const std::vector<Slab> &places);
  /// The neutral value in every element; null after an error, which is kept.
  /// What joins a sum of floats is -0, which leaves the sign of a zero alone.
  const void *getNeutral(Reduction reduction, const TensorType &type,
                         bool isSummand = false);
  /// Sends bytes to a member and receives some from it, if there are any.
  void addMessages(int64_t member, const char *out, int64_t outBytes, char *in,
                   int64_t inBytes);
  /// To `to` what all members gave, which lies one after the other from
  /// `parts` on, in their order; after.
  void combineAll(const Instruction &what, const TensorType &type,
                  const char *parts, size_t numParts, void *to);

  /// Memory for the transfer; null after an error, which is kept.
  char *take(int64_t bytes);
  /// Copies a slab to or from a dense block, before or after.
  void pack(const Slab &slab, char *block, std::vector<Step> &steps);
  void unpack(const char *block, const Slab &slab);
  void copy(void *to, const void *from, int64_t bytes,
            std::vector<Step> &steps);

  CudaDevice &device;
  CudaApi &api;
  NcclNeutrals &neutrals;
  const Channel channel;
  const size_t self;
  std::vector<void *> &memory;
  std::vector<Step> before, calls, after;
  MaybeError failure;
};

} // namespace hetero::runtime

#endif // HETERO_LIB_RUNTIME_CUDA_NCCLWORK_H
