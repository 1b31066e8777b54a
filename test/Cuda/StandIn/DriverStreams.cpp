//===- DriverStreams.cpp - Streams, events and graphs ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Calls.h"
#include "Capture.h"
#include "Damages.h"
#include "Ending.h"
#include "Leaks.h"
#include <algorithm>

using namespace hetero::standin;

static Stream &getStream(const DriverCall &call, CUstream handle) {
  return Engine::get().getStream(handle, *call.getDevice(), call.getName());
}

//===----------------------------------------------------------------------===//
// Streams
//===----------------------------------------------------------------------===//

CUresult cuStreamCreate(CUstream *stream, unsigned flags) {
  DriverCall call(__func__);
  if (CUresult error = call.check())
    return error;
  if (flags & ~unsigned(CU_STREAM_NON_BLOCKING))
    return CUDA_ERROR_INVALID_VALUE;
  *stream = reinterpret_cast<CUstream>(Engine::get().createStream(
      *call.getDevice(), !(flags & CU_STREAM_NON_BLOCKING)));
  noteGiven(Thing::Stream);
  return CUDA_SUCCESS;
}

CUresult cuStreamCreateWithPriority(CUstream *stream, unsigned flags, int) {
  return cuStreamCreate(stream, flags);
}

CUresult cuStreamDestroy(CUstream handle) {
  DriverCall call(__func__);
  noteGivenBack(Thing::Stream);
  if (CUresult error = call.check())
    return error;
  if (!handle)
    return CUDA_ERROR_INVALID_HANDLE;
  Engine::get().destroyStream(getStream(call, handle));
  return CUDA_SUCCESS;
}

CUresult cuStreamSynchronize(CUstream handle) {
  DriverCall call(__func__);
  if (CUresult error = call.check())
    return error;
  Stream &stream = getStream(call, handle);
  if (stream.capture)
    return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  Engine::get().wait({stream.last},
                     "cuStreamSynchronize of stream " + str(stream.number));
  return call.checkDevice();
}

CUresult cuStreamQuery(CUstream handle) {
  DriverCall call(__func__);
  if (CUresult error = call.check())
    return error;
  Stream &stream = getStream(call, handle);
  if (stream.capture)
    return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  bool isDone = Engine::get().poll({stream.last}, call.getName());
  return isDone ? call.checkDevice() : CUDA_ERROR_NOT_READY;
}

CUresult cuLaunchHostFunc(CUstream handle, CUhostFn function, void *data) {
  DriverCall call(__func__);
  if (CUresult error = call.check())
    return error;
  Work work;
  work.name = "function of the host";
  work.isCallback = true;
  work.run = [=](const std::string &) { function(data); };
  Engine::get().enter(getStream(call, handle), work);
  return CUDA_SUCCESS;
}

//===----------------------------------------------------------------------===//
// Events
//===----------------------------------------------------------------------===//

static std::set<Event *> &getEvents() {
  static auto *events = new std::set<Event *>;
  return *events;
}

static Event &getEvent(const DriverCall &call, CUevent handle) {
  auto *event = reinterpret_cast<Event *>(handle);
  if (getEvents().count(event))
    return *event;
  leaveProcess(call.getName() +
               " is given an event that was destroyed or never was one");
}

CUresult cuEventCreate(CUevent *handle, unsigned flags) {
  DriverCall call(__func__);
  if (CUresult error = call.check())
    return error;
  static int numEvents = 0;
  auto *event = new Event;
  event->number = numEvents++;
  event->device = call.getDevice();
  event->hasTime = !(flags & CU_EVENT_DISABLE_TIMING);
  getEvents().insert(event);
  noteGiven(Thing::Event);
  *handle = reinterpret_cast<CUevent>(event);
  return CUDA_SUCCESS;
}

/// What was entered to wait for it still does.
CUresult cuEventDestroy(CUevent handle) {
  DriverCall call(__func__);
  noteGivenBack(Thing::Event);
  if (CUresult error = call.check())
    return error;
  Event *event = &getEvent(call, handle);
  getEvents().erase(event);
  delete event;
  return CUDA_SUCCESS;
}

CUresult cuEventRecord(CUevent handle, CUstream streamHandle) {
  DriverCall call(__func__);
  if (CUresult error = call.check())
    return error;
  Event &event = getEvent(call, handle);
  Stream &stream = getStream(call, streamHandle);
  if (event.device != stream.device)
    return CUDA_ERROR_INVALID_HANDLE;
  if (isDamaged(Damage::DropRecord, *stream.device))
    return CUDA_SUCCESS;
  Work work;
  work.name = "record of event " + str(event.number);
  event.capture = stream.capture;
  if (stream.capture) {
    event.node = stream.capture->add(stream, work);
    return CUDA_SUCCESS;
  }
  event.recorded = Engine::get().enter(stream, work);
  if (isDamaged(Damage::DestroyEvent, *stream.device))
    getEvents().erase(&event);
  return CUDA_SUCCESS;
}

CUresult cuEventRecordWithFlags(CUevent event, CUstream stream, unsigned) {
  return cuEventRecord(event, stream);
}

CUresult cuEventQuery(CUevent handle) {
  DriverCall call(__func__);
  if (CUresult error = call.check())
    return error;
  Event &event = getEvent(call, handle);
  if (event.capture)
    return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  // The host asks again until it is done; the first time counts. That it is
  // done by chance does not help a host that has not asked.
  static const Operation *asked = nullptr;
  bool isFirst = event.recorded.get() != asked;
  asked = event.recorded.get();
  if (isFirst && isDamaged(Damage::LieQuery, *event.device))
    return CUDA_SUCCESS;
  bool isDone = Engine::get().poll({event.recorded}, call.getName());
  return isDone ? call.checkDevice() : CUDA_ERROR_NOT_READY;
}

CUresult cuEventSynchronize(CUevent handle) {
  DriverCall call(__func__);
  if (CUresult error = call.check())
    return error;
  Event &event = getEvent(call, handle);
  if (event.capture)
    return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  Engine::get().wait({event.recorded}, call.getName());
  return call.checkDevice();
}

CUresult cuEventElapsedTime(float *milliseconds, CUevent first,
                            CUevent second) {
  DriverCall call(__func__);
  if (CUresult error = call.check())
    return error;
  Event &from = getEvent(call, first), &to = getEvent(call, second);
  if (!from.hasTime || !to.hasTime || !from.recorded || !to.recorded)
    return CUDA_ERROR_INVALID_HANDLE;
  if (!from.recorded->isDone() || !to.recorded->isDone())
    return CUDA_ERROR_NOT_READY;
  // A microsecond for each operation that was entered between them.
  *milliseconds =
      1e-3f * (double(to.recorded->number) - double(from.recorded->number));
  return CUDA_SUCCESS;
}

CUresult cuStreamWaitEvent(CUstream streamHandle, CUevent handle, unsigned) {
  DriverCall call(__func__);
  if (CUresult error = call.check())
    return error;
  Event &event = getEvent(call, handle);
  Stream &stream = getStream(call, streamHandle);
  bool isNeeded = event.capture || event.recorded;
  if (isNeeded && isDamaged(Damage::DropWait, *stream.device))
    return CUDA_SUCCESS;
  if (event.capture) {
    if (stream.capture && stream.capture != event.capture)
      return CUDA_ERROR_STREAM_CAPTURE_ISOLATION;
    stream.capture = event.capture;
    event.capture->tips[&stream].push_back(event.node);
    return CUDA_SUCCESS;
  }
  if (stream.capture && event.recorded)
    return CUDA_ERROR_STREAM_CAPTURE_ISOLATION;
  // An event that was never recorded counts as one that has happened.
  if (stream.capture || !event.recorded)
    return CUDA_SUCCESS;
  Work work;
  work.name = "wait for event " + str(event.number);
  Engine::get().enter(stream, work, {event.recorded});
  return CUDA_SUCCESS;
}

//===----------------------------------------------------------------------===//
// Graphs
//===----------------------------------------------------------------------===//

namespace {
struct ExecutableGraph {
  Graph graph;
  Device *device;
  /// One for each node, so that only what the graph says keeps them in order.
  std::vector<Stream *> streams;
};
} // namespace

CUresult cuStreamBeginCapture(CUstream handle, CUstreamCaptureMode) {
  DriverCall call(__func__);
  if (CUresult error = call.check())
    return error;
  Stream &stream = getStream(call, handle);
  if (stream.capture || &stream == stream.device->streams[0].get())
    return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  stream.capture = std::make_shared<Capture>();
  stream.capture->origin = &stream;
  stream.capture->tips[&stream];
  noteGiven(Thing::Capture);
  return CUDA_SUCCESS;
}

CUresult cuStreamIsCapturing(CUstream handle, CUstreamCaptureStatus *status) {
  DriverCall call(__func__);
  if (CUresult error = call.check())
    return error;
  *status = getStream(call, handle).capture ? CU_STREAM_CAPTURE_STATUS_ACTIVE
                                            : CU_STREAM_CAPTURE_STATUS_NONE;
  return CUDA_SUCCESS;
}

/// Whether what the origin does last comes after everything else.
static bool isJoined(const Capture &capture) {
  std::set<size_t> reached;
  std::vector<size_t> open = capture.tips.at(capture.origin);
  while (!open.empty()) {
    size_t node = open.back();
    open.pop_back();
    if (!reached.insert(node).second)
      continue;
    const std::vector<size_t> &after = capture.graph.nodes[node].after;
    open.insert(open.end(), after.begin(), after.end());
  }
  return reached.size() == capture.graph.nodes.size();
}

CUresult cuStreamEndCapture(CUstream handle, CUgraph *graph) {
  DriverCall call(__func__);
  *graph = nullptr;
  if (CUresult error = call.check(); error && !call.hasFailed())
    return error;
  Stream &stream = getStream(call, handle);
  std::shared_ptr<Capture> capture = stream.capture;
  if (!capture)
    return CUDA_ERROR_ILLEGAL_STATE;
  if (capture->origin != &stream)
    return CUDA_ERROR_STREAM_CAPTURE_UNMATCHED;
  // Also one that has failed ends with this call.
  for (auto &[other, tip] : capture->tips)
    other->capture = nullptr;
  noteGivenBack(Thing::Capture);
  if (call.getFate() == Fate::Fails)
    return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
  if (CUresult error = call.check())
    return error;
  if (!isJoined(*capture))
    return CUDA_ERROR_STREAM_CAPTURE_UNJOINED;
  *graph = reinterpret_cast<CUgraph>(new Graph(std::move(capture->graph)));
  noteGiven(Thing::Graph);
  return CUDA_SUCCESS;
}

CUresult cuGraphInstantiate(CUgraphExec *executable, CUgraph graph,
                            unsigned long long) {
  DriverCall call(__func__);
  if (CUresult error = call.check())
    return error;
  auto *made = new ExecutableGraph;
  made->graph = *reinterpret_cast<Graph *>(graph);
  made->device = call.getDevice();
  for (GraphNode &node : made->graph.nodes)
    if (!node.after.empty() && isDamaged(Damage::GraphEdge, *made->device))
      node.after.clear();
  for (size_t i = 0; i < made->graph.nodes.size(); ++i)
    made->streams.push_back(
        Engine::get().createStream(*made->device, /*isBlocking=*/false));
  *executable = reinterpret_cast<CUgraphExec>(made);
  noteGiven(Thing::ExecutableGraph);
  return CUDA_SUCCESS;
}

CUresult cuGraphLaunch(CUgraphExec handle, CUstream streamHandle) {
  DriverCall call(__func__);
  if (CUresult error = call.check())
    return error;
  Engine &engine = Engine::get();
  Stream &stream =
      damageStream(Damage::GraphStream, getStream(call, streamHandle));
  if (stream.capture)
    return CUDA_ERROR_NOT_SUPPORTED;
  auto &executable = *reinterpret_cast<ExecutableGraph *>(handle);
  if (isDamaged(Damage::GraphStale, *executable.device))
    executable.device->memory.releaseAll(call.getName());
  Work begin;
  begin.name = "begin of a graph";
  OperationRef first = engine.enter(stream, begin);
  if (isDamaged(Damage::GraphOverlap, *executable.device))
    first = nullptr;
  // Two launches of a graph do not overlap: each node waits in its stream.
  std::vector<OperationRef> operations;
  for (size_t i = 0; i < executable.graph.nodes.size(); ++i) {
    const GraphNode &node = executable.graph.nodes[i];
    std::vector<OperationRef> waits = {first};
    for (size_t before : node.after)
      waits.push_back(operations[before]);
    operations.push_back(
        engine.enter(*executable.streams[i], node.work, std::move(waits)));
  }
  Work last;
  last.name = "end of a graph";
  engine.enter(stream, last, operations);
  return CUDA_SUCCESS;
}

CUresult cuGraphExecDestroy(CUgraphExec handle) {
  DriverCall call(__func__);
  noteGivenBack(Thing::ExecutableGraph);
  if (CUresult error = call.check(/*needsContext=*/false))
    return error;
  auto *executable = reinterpret_cast<ExecutableGraph *>(handle);
  for (Stream *stream : executable->streams)
    Engine::get().destroyStream(*stream);
  delete executable;
  return CUDA_SUCCESS;
}

CUresult cuGraphDestroy(CUgraph graph) {
  DriverCall call(__func__);
  noteGivenBack(Thing::Graph);
  if (CUresult error = call.check(/*needsContext=*/false))
    return error;
  delete reinterpret_cast<Graph *>(graph);
  return CUDA_SUCCESS;
}
