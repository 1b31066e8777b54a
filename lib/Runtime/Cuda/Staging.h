//===- Staging.h - Data on its way between host and device ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A device copies by itself, while the host goes on, only from and to memory of
// the host that is pinned. Everything that sessions write and read goes through
// blocks of such memory, which are allocated once and used again and again:
//
//   Staging staging(api, stream);
//   staging.write(there, batch, bytes);   // `batch` may change now
//   int64_t point = staging.getPoint();
//   ...                                   // the host learns that the stream
//   staging.setPassed(point);             // has come so far: blocks are free

#ifndef HETERO_LIB_RUNTIME_CUDA_STAGING_H
#define HETERO_LIB_RUNTIME_CUDA_STAGING_H

#include "hetero/Runtime/CudaApi.h"
#include <map>

namespace hetero::runtime {

class Staging {
public:
  using FailureCheck = std::function<MaybeError()>;

  Staging(CudaApi &api, CudaHandle stream) : api(api), stream(stream) {}
  ~Staging();
  Staging(const Staging &) = delete;
  Staging &operator=(const Staging &) = delete;

  /// Enters the copy; waits only if too much is under way.
  MaybeError write(void *to, const void *from, int64_t bytes,
                   const FailureCheck &getFailure);
  /// Waits for everything before it.
  MaybeError read(void *to, const void *from, int64_t bytes,
                  const FailureCheck &getFailure);

  /// A number for what was entered so far.
  int64_t getPoint() const { return point; }
  /// The stream has done that.
  void setPassed(int64_t passedPoint);

private:
  struct Block {
    char *memory = nullptr;
    /// It is free when the stream has come here.
    int64_t until = 0;
  };

  Result<Block *> take(int64_t bytes, const FailureCheck &getFailure);
  MaybeError waitForAll(const FailureCheck &getFailure);

  CudaApi &api;
  const CudaHandle stream;
  /// By capacity.
  std::multimap<int64_t, Block> blocks;
  int64_t total = 0, point = 0, passed = 0;
};

} // namespace hetero::runtime

#endif // HETERO_LIB_RUNTIME_CUDA_STAGING_H
