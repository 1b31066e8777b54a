//===- DriverStreams.cpp - Streams and events of a CUDA device ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "DriverCudaApi.h"
#include <algorithm>
#include <chrono>
#include <thread>

using namespace hetero::runtime;

Result<CudaHandle> DriverCudaApi::createStream() {
  if (MaybeError error = enter())
    return Error{*error};
  CUstream stream = nullptr;
  if (MaybeError error = check(
          f.cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING), "cuStreamCreate"))
    return Error{*error};
  streams.push_back(stream);
  return toHandle(stream);
}

Result<CudaHandle> DriverCudaApi::record(CudaHandle stream) {
  if (MaybeError error = enter())
    return Error{*error};
  CUevent event = nullptr;
  if (MaybeError error = check(f.cuEventCreate(&event, CU_EVENT_DISABLE_TIMING),
                               "cuEventCreate"))
    return Error{*error};
  if (MaybeError error =
          check(f.cuEventRecord(event, toStream(stream)), "cuEventRecord")) {
    f.cuEventDestroy(event);
    return Error{*error};
  }
  return toHandle(event);
}

MaybeError DriverCudaApi::await(CudaHandle stream, CudaHandle event) {
  if (MaybeError error = enter())
    return error;
  return check(f.cuStreamWaitEvent(toStream(stream),
                                   reinterpret_cast<CUevent>(event), 0),
               "cuStreamWaitEvent");
}

bool DriverCudaApi::hasHappened(CudaHandle event) {
  return !enter() &&
         f.cuEventQuery(reinterpret_cast<CUevent>(event)) == CUDA_SUCCESS;
}

void DriverCudaApi::release(CudaHandle event) {
  if (!enter())
    f.cuEventDestroy(reinterpret_cast<CUevent>(event));
}

MaybeError
DriverCudaApi::synchronize(const std::function<MaybeError()> &getFailure) {
  if (MaybeError error = enter())
    return error;
  auto pause = std::chrono::microseconds(20);
  for (CUstream stream : streams) {
    CUresult state;
    while ((state = f.cuStreamQuery(stream)) == CUDA_ERROR_NOT_READY) {
      MaybeError error = getFailure();
      if (!error)
        error = checkGroups();
      if (error) {
        // A kernel of NCCL waits for a rank that is gone.
        for (ncclComm_t group : groups)
          f.ncclCommAbort(group);
        groups.clear();
        return error;
      }
      std::this_thread::sleep_for(pause);
      pause = std::min(pause * 2, std::chrono::microseconds(1000));
    }
    if (MaybeError error = check(state, "cuStreamQuery"))
      return error;
  }
  return getFailure();
}
