//===- DriverCudaApiStreams.cpp - Streams and events of a CUDA device -----===//
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

static CUevent toEvent(CudaHandle handle) {
  return reinterpret_cast<CUevent>(handle);
}

Result<CudaHandle> DriverCudaApi::record(CudaHandle stream, bool isTimed) {
  if (MaybeError error = enter())
    return Error{*error};
  CUevent event = nullptr;
  if (!spare[isTimed].empty()) {
    event = spare[isTimed].back();
    spare[isTimed].pop_back();
  } else {
    unsigned flags = isTimed ? CU_EVENT_DEFAULT : CU_EVENT_DISABLE_TIMING;
    if (MaybeError error =
            check(f.cuEventCreate(&event, flags), "cuEventCreate"))
      return Error{*error};
    events.push_back(event);
    if (isTimed)
      timed.insert(event);
  }
  if (MaybeError error =
          check(f.cuEventRecord(event, toStream(stream)), "cuEventRecord")) {
    release(toHandle(event));
    return Error{*error};
  }
  return toHandle(event);
}

MaybeError DriverCudaApi::await(CudaHandle stream, CudaHandle event) {
  if (MaybeError error = enter())
    return error;
  return check(f.cuStreamWaitEvent(toStream(stream), toEvent(event), 0),
               "cuStreamWaitEvent");
}

void DriverCudaApi::release(CudaHandle event) {
  // A rehearsal has no events.
  if (!event)
    return;
  spare[timed.count(toEvent(event))].push_back(toEvent(event));
}

Result<double> DriverCudaApi::getSeconds(CudaHandle from, CudaHandle to) {
  float milliseconds = 0;
  MaybeError error = enter();
  if (!error)
    error =
        check(f.cuEventElapsedTime(&milliseconds, toEvent(from), toEvent(to)),
              "cuEventElapsedTime");
  if (error)
    return Error{*error};
  return milliseconds * 1e-3;
}

MaybeError
DriverCudaApi::findReason(const std::string &error,
                          const std::function<MaybeError()> &getFailure) {
  // A process that is gone is noticed after a tenth of a second, and what it
  // was awaited for is said then; ten times that is still soon.
  constexpr int numTries = 100;
  for (int i = 0; i < numTries; ++i) {
    if (MaybeError failure = getFailure())
      return failure;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return error;
}

MaybeError DriverCudaApi::poll(const std::function<CUresult()> &ask,
                               const char *what,
                               const std::function<MaybeError()> &getFailure) {
  auto pause = std::chrono::microseconds(20);
  CUresult state;
  while ((state = ask()) == CUDA_ERROR_NOT_READY) {
    MaybeError error = getFailure();
    if (!error && (error = checkGroups()))
      error = findReason(*error, getFailure);
    if (error) {
      // A kernel of NCCL waits for a rank that is gone.
      abortGroups();
      return error;
    }
    std::this_thread::sleep_for(pause);
    pause = std::min(pause * 2, std::chrono::microseconds(1000));
  }
  return check(state, what);
}

MaybeError
DriverCudaApi::waitFor(CudaHandle event,
                       const std::function<MaybeError()> &getFailure) {
  if (MaybeError error = enter())
    return error;
  return poll([&] { return f.cuEventQuery(toEvent(event)); }, "cuEventQuery",
              getFailure);
}

MaybeError
DriverCudaApi::synchronize(const std::function<MaybeError()> &getFailure) {
  if (MaybeError error = enter())
    return error;
  for (CUstream stream : streams)
    if (MaybeError error = poll([&] { return f.cuStreamQuery(stream); },
                                "cuStreamQuery", getFailure))
      return error;
  return getFailure();
}

MaybeError DriverCudaApi::check() {
  if (!context)
    return std::nullopt;
  if (MaybeError error = enter())
    return error;
  for (CUstream stream : streams)
    if (CUresult state = f.cuStreamQuery(stream);
        state != CUDA_ERROR_NOT_READY && state != CUDA_SUCCESS)
      return check(state, "cuStreamQuery");
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Counters
//===----------------------------------------------------------------------===//

Result<const int32_t *> DriverCudaApi::createCounters(int32_t number,
                                                      int32_t most) {
  if (MaybeError error = enter())
    return Error{*error};
  // Host and device share them: the host reads what the device may be writing.
  int64_t bytes = (int64_t(most) + 1) * sizeof(int32_t);
  void *onHost = nullptr;
  if (MaybeError error =
          check(f.cuMemHostAlloc(&onHost, number * sizeof(int32_t) + bytes,
                                 CU_MEMHOSTALLOC_DEVICEMAP),
                "cuMemHostAlloc"))
    return Error{*error};
  counters = static_cast<int32_t *>(onHost);
  std::fill_n(counters, number, 0);
  for (int32_t i = 0; i <= most; ++i)
    counters[number + i] = i;
  Result<void *> onDevice = allocate(bytes);
  if (!onDevice)
    return Error{onDevice.error()};
  numbers = *onDevice;
  if (MaybeError error =
          write(numbers, counters + number, bytes, toHandle(streams[0])))
    return Error{*error};
  return counters;
}

/// A copy is what every device can do, also as a part of a graph.
MaybeError DriverCudaApi::setCounter(int32_t counter, int32_t value,
                                     CudaHandle stream) {
  return read(counters + counter, static_cast<int32_t *>(numbers) + value,
              sizeof(value), stream);
}

//===----------------------------------------------------------------------===//
// Graphs
//===----------------------------------------------------------------------===//

MaybeError DriverCudaApi::beginGraph(CudaHandle stream) {
  if (MaybeError error = enter())
    return error;
  // Other threads have devices of their own, which go on.
  return check(f.cuStreamBeginCapture(toStream(stream),
                                      CU_STREAM_CAPTURE_MODE_THREAD_LOCAL),
               "cuStreamBeginCapture");
}

Result<CudaHandle> DriverCudaApi::endGraph(CudaHandle stream) {
  if (MaybeError error = enter())
    return Error{*error};
  CUgraph graph = nullptr;
  CUgraphExec executable = nullptr;
  MaybeError error = check(f.cuStreamEndCapture(toStream(stream), &graph),
                           "cuStreamEndCapture");
  if (!error)
    error = check(f.cuGraphInstantiate(&executable, graph, 0),
                  "cuGraphInstantiate");
  if (graph)
    keep(check(f.cuGraphDestroy(graph), "cuGraphDestroy"));
  if (error)
    return Error{*error};
  return toHandle(executable);
}

MaybeError DriverCudaApi::launchGraph(CudaHandle graph, CudaHandle stream) {
  if (MaybeError error = enter())
    return error;
  return check(
      f.cuGraphLaunch(reinterpret_cast<CUgraphExec>(graph), toStream(stream)),
      "cuGraphLaunch");
}

void DriverCudaApi::releaseGraph(CudaHandle graph) {
  keep(enter());
  keep(check(f.cuGraphExecDestroy(reinterpret_cast<CUgraphExec>(graph)),
             "cuGraphExecDestroy"));
}
