//===- CudaPlaces.h - Which rank has which GPU ------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each rank has a GPU of its own. As threads of one process, ranks take the
// GPUs that it sees in their order. As processes they tell each other what they
// see, because that may be one GPU, all of their machine, or some that others
// see as well (SLURM does each of these); all come to the same answer, or to
// the same error. The places in CUDA's own list say nothing: every process
// counts from 0.

#ifndef HETERO_LIB_TOOLS_CUDAPLACES_H
#define HETERO_LIB_TOOLS_CUDAPLACES_H

#include "hetero/Runtime/Communicator.h"
#include "hetero/Runtime/CudaApi.h"
#include <set>

namespace hetero {

/// What one process has told.
struct CudaSight {
  /// Why it cannot use any, if it cannot.
  std::string error;
  std::string host;
  int ncclVersion = 0;
  std::vector<runtime::CudaDeviceInfo> devices;

  std::string write() const;
  static CudaSight read(const std::string &text);
};

/// The device of each rank, as a number in its own list. A rank looks first
/// where its place among the ranks of its machine is, and then on; the error
/// names two ranks that would share a GPU, or what else is wrong.
runtime::Result<std::vector<int>>
chooseCudaDevices(const std::vector<CudaSight> &sights);

/// What a process runs its ranks on: the devices of the ranks, in the order of
/// `transports`, and where they are.
struct CudaPlaces {
  runtime::CudaMachine machine;
  std::vector<int> devices;
  /// Of the devices of all ranks, of other processes as well: kernels are
  /// compiled for all of them, so that objects that are kept fit whichever of
  /// them a rank has next time.
  std::set<int> capabilities;
};

/// All processes call it together. All ranks are of this process, or one is.
runtime::Result<CudaPlaces> findCudaPlaces(
    const std::vector<std::unique_ptr<runtime::Transport>> &transports,
    const runtime::CudaLibraries &libraries,
    const runtime::CommunicatorOptions &options);

} // namespace hetero

#endif // HETERO_LIB_TOOLS_CUDAPLACES_H
