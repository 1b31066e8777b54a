//===- Session.cpp - Runs the program of one rank -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Runtime/Session.h"
#include <algorithm>

using namespace hetero::runtime;

static std::string str(int64_t value) { return std::to_string(value); }

static int64_t toTraceTime(Clock::time_point time) {
  auto ago =
      std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - time);
  return getTraceTime() - ago.count();
}

/// What others are told of an instruction.
static std::string titleOf(const Instruction &what) {
  return what.label.empty() ? nameOf(what.opcode) : what.label;
}

Session::Session(Program theProgram, std::vector<KernelFunction> kernels,
                 Device &device, Communicator &communicator,
                 std::vector<InPlaceList> inPlace)
    : program(std::move(theProgram)), kernels(std::move(kernels)),
      inPlace(std::move(inPlace)), device(device), communicator(communicator),
      labels(program.buffers.size()), memory(program.buffers.size()),
      nextArguments(program.arguments.size()),
      carried(program.arguments.size(), -1), kept(program.arguments.size()),
      argumentBuffers(program.buffers.size()),
      keptBuffers(program.buffers.size()) {
  this->inPlace.resize(this->kernels.size());
  for (const Binding &binding : program.arguments) {
    labels[binding.buffer] = "argument " + str(binding.index);
    argumentBuffers[binding.buffer] = true;
  }
  for (const Instruction &what : program.instructions)
    for (BufferId id : what.results)
      labels[id] = titleOf(what);
  for (size_t i = 0; i < labels.size(); ++i)
    labels[i] += ": " + program.buffers[i].str();
}

Session::~Session() {
  communicator.finish();
  // What is under way uses the memory.
  device.synchronize();
  device.setFailureCheck({});
  for (void *block : memory)
    device.release(block);
  for (void *block : nextArguments)
    device.release(block);
}

Result<std::unique_ptr<Session>>
Session::create(Program program, std::vector<KernelFunction> kernels,
                Device &device, Communicator &communicator,
                std::vector<InPlaceList> inPlace) {
  if (MaybeError error = verify(program))
    return Error{"program of rank " + str(program.rank) +
                 " is not valid: " + *error};
  if (kernels.size() != program.kernels.size())
    return Error{"program of rank " + str(program.rank) + " has " +
                 str(program.kernels.size()) + " kernels, and " +
                 str(kernels.size()) + " are given"};
  for (size_t i = 0; i < kernels.size(); ++i)
    if (!kernels[i])
      return Error{"kernel '" + program.kernels[i] + "' is missing"};
  int64_t rank = communicator.getTransport().getRank();
  if (program.rank != rank)
    return Error{"program of rank " + str(program.rank) + " given to rank " +
                 str(rank)};
  if (MaybeError error = communicator.open(program))
    return Error{"program of rank " + str(rank) + ": " + *error};
  std::unique_ptr<Session> session(
      new Session(std::move(program), std::move(kernels), device, communicator,
                  std::move(inPlace)));
  device.setFailureCheck([&communicator] { return communicator.checkWait(); });
  if (MaybeError error = device.rehearse([&] { return session->rehearse(); }))
    return Error{*session->locate(error)};
  return session;
}

MaybeError Session::locate(MaybeError error, const std::string &where) const {
  // What the transport says names its rank already, and so does what comes from
  // further inside.
  std::string rank = "rank " + str(program.rank) + ": ";
  if (!error || communicator.getTransport().getFailure() ||
      error->compare(0, rank.size(), rank) == 0)
    return error;
  return rank + where + *error;
}

/// A step of which nothing stays.
MaybeError Session::rehearse() {
  Device::Scope scope(&device);
  MaybeError error;
  for (size_t i = 0; i < program.arguments.size() && !error; ++i)
    if (Result<void *> made = allocateArgument(i); !made)
      error = made.error();
  if (!error)
    error = takeArguments();
  if (!error)
    error = executeAll();
  for (size_t i = 0; i < memory.size(); ++i)
    release(i);
  for (void *&block : nextArguments)
    device.release(std::exchange(block, nullptr));
  transfers.clear();
  return error;
}

std::string Session::describeArgument(size_t binding) const {
  return "argument " + str(program.arguments[binding].index) +
         " of the step (binding " + str(binding) + " of rank " +
         str(program.rank) + ")";
}

MaybeError Session::checkArgument(size_t binding) const {
  if (binding < program.arguments.size())
    return std::nullopt;
  return "there is no argument binding " + str(binding) + "; rank " +
         str(program.rank) + " has " + str(program.arguments.size());
}

Result<void *> Session::makeArgument(size_t binding) {
  if (MaybeError error = checkArgument(binding))
    return Error{*error};
  if (!device.isHost())
    return Error{"the memory of device '" + device.getName() +
                 "' cannot be written by the host"};
  return allocateArgument(binding);
}

Result<void *> Session::allocateArgument(size_t binding) {
  if (nextArguments[binding])
    return nextArguments[binding];
  if (MaybeError error =
          allocate(program.arguments[binding].buffer, nextArguments[binding]))
    return Error{*error};
  return nextArguments[binding];
}

MaybeError Session::setArgument(size_t binding, const void *data) {
  if (MaybeError error = checkArgument(binding))
    return error;
  Result<void *> block = allocateArgument(binding);
  if (!block)
    return block.error();
  const TensorType &type = program.buffers[program.arguments[binding].buffer];
  return device.write(*block, data, type.numBytes());
}

MaybeError Session::carry(size_t resultBinding, size_t argumentBinding) {
  if (resultBinding >= program.results.size() ||
      argumentBinding >= program.arguments.size())
    return "there is no result binding " + str(resultBinding) +
           " or no argument binding " + str(argumentBinding);
  const Binding &from = program.results[resultBinding];
  const Binding &to = program.arguments[argumentBinding];
  const TensorType &fromType = program.buffers[from.buffer];
  const TensorType &toType = program.buffers[to.buffer];
  if (fromType != toType)
    return "result " + str(from.index) + " is " + fromType.str() + " and " +
           describeArgument(argumentBinding) + " is " + toType.str();
  if (!(from.region == to.region))
    return "result " + str(from.index) + " and " +
           describeArgument(argumentBinding) +
           " are different parts of their tensors";
  carried[argumentBinding] = resultBinding;
  return std::nullopt;
}

MaybeError Session::keep(size_t argumentBinding) {
  if (argumentBinding >= program.arguments.size())
    return "there is no argument binding " + str(argumentBinding);
  BufferId id = program.arguments[argumentBinding].buffer;
  for (size_t i = 0; i < program.instructions.size(); ++i)
    if (program.instructions[i].opcode == Opcode::Accumulate &&
        program.instructions[i].operands[1] == id)
      return describeArgument(argumentBinding) +
             " cannot be kept: " + describe(program, i) +
             " updates it in place";
  kept[argumentBinding] = true;
  keptBuffers[id] = true;
  return std::nullopt;
}

const void *Session::getResult(size_t binding) {
  if (binding >= program.results.size() || numSteps == 0 || failure)
    return nullptr;
  BufferId id = program.results[binding].buffer;
  if (device.isHost())
    return memory[id];
  int64_t bytes = program.buffers[id].numBytes();
  std::vector<char> &copy = hostResults[id];
  // Nothing has an address, too.
  copy.resize(std::max<int64_t>(1, bytes));
  if (MaybeError error = device.read(copy.data(), memory[id], bytes)) {
    end(locate(error, "result " + str(program.results[binding].index) + ": "));
    return nullptr;
  }
  return copy.data();
}

std::vector<TraceEvent> Session::takeTrace() {
  return std::exchange(trace, {});
}

MaybeError Session::allocate(BufferId id, void *&block) {
  Result<void *> made =
      device.allocate(program.buffers[id].numBytes(), labels[id]);
  if (!made)
    return made.error();
  block = *made;
  return std::nullopt;
}

void Session::release(BufferId id) {
  device.release(std::exchange(memory[id], nullptr));
}

/// Turns what the last step left into the arguments of this one.
MaybeError Session::takeArguments() {
  std::vector<void *> next(memory.size());
  // A result that goes to two arguments is moved to the first.
  std::map<BufferId, void *> moved;
  for (size_t i = 0; i < program.arguments.size(); ++i) {
    BufferId id = program.arguments[i].buffer;
    if (nextArguments[i]) {
      next[id] = std::exchange(nextArguments[i], nullptr);
      continue;
    }
    BufferId source = id;
    if (carried[i] >= 0 && numSteps > 0)
      source = program.results[carried[i]].buffer;
    else if (!kept[i] || !memory[id])
      return describeArgument(i) + " has no value for step " + str(numSteps);
    if (memory[source]) {
      next[id] = moved[source] = std::exchange(memory[source], nullptr);
      continue;
    }
    if (MaybeError error = allocate(id, next[id]))
      return error;
    if (MaybeError error = device.copy(next[id], moved[source],
                                       program.buffers[id].numBytes()))
      return error;
  }
  for (size_t i = 0; i < memory.size(); ++i)
    release(i);
  memory = std::move(next);
  return std::nullopt;
}

MaybeError Session::allocateResults(const Instruction &what) {
  for (BufferId id : what.results) {
    if (memory[id])
      continue;
    if (MaybeError error = allocate(id, memory[id]))
      return error;
  }
  return std::nullopt;
}

/// Results that are computed in place take the memory of their operands. An
/// argument that has to stay does, and the result starts as a copy.
MaybeError Session::reuseOperands(const Instruction &what) {
  for (const InPlacePair &pair : inPlace[what.kernel]) {
    BufferId from = what.operands[pair.operand], to = what.results[pair.result];
    if (mayFree(from)) {
      memory[to] = std::exchange(memory[from], nullptr);
      continue;
    }
    if (MaybeError error = allocate(to, memory[to]))
      return error;
    if (MaybeError error = device.copy(memory[to], memory[from],
                                       program.buffers[to].numBytes()))
      return error;
  }
  return std::nullopt;
}

MaybeError Session::call(const Instruction &what) {
  std::vector<void *> pointers;
  pointers.reserve(what.operands.size());
  for (BufferId id : what.operands)
    pointers.push_back(memory[id]);
  for (BufferId id : what.results)
    pointers.push_back(memory[id]);
  for (const InPlacePair &pair : inPlace[what.kernel])
    pointers[pair.operand] = memory[what.results[pair.result]];
  if (!tracing) {
    kernels[what.kernel](pointers.data());
    return device.takeError();
  }
  ProbeLog log([this] { return device.mark(); });
  {
    ProbeLog::Scope scope(log);
    kernels[what.kernel](pointers.data());
  }
  recordOperations(what, log.takeSpans());
  return device.takeError();
}

/// Starts the transfer of an instruction, with all others of its bucket.
MaybeError Session::communicate(size_t index) {
  const Instruction &first = program.instructions[index];
  auto found = transfers.find(index);
  std::shared_ptr<Transfer> transfer;
  if (found != transfers.end()) {
    transfer = found->second;
  } else {
    std::vector<TransferPart> parts;
    std::vector<size_t> members;
    for (size_t i = index; i < program.instructions.size(); ++i) {
      const Instruction &what = program.instructions[i];
      if (what.opcode == Opcode::Free && first.bucket != -1)
        continue;
      if (i != index && (first.bucket == -1 || what.bucket != first.bucket))
        break;
      if (MaybeError error = allocateResults(what))
        return error;
      TransferPart part;
      part.instruction = &what;
      if (!what.operands.empty()) {
        part.operandType = &program.buffers[what.operands[0]];
        part.operand = memory[what.operands[0]];
      }
      if (!what.results.empty()) {
        part.resultType = &program.buffers[what.results[0]];
        part.result = memory[what.results[0]];
      }
      parts.push_back(part);
      members.push_back(i);
    }
    bool copies = first.opcode == Opcode::Send && !first.started;
    transfer = communicator.start(parts, copies);
    for (size_t i : members)
      transfers[i] = transfer;
  }
  if (first.started) {
    communicator.driveInBackground();
    return std::nullopt;
  }
  transfers.erase(index);
  // A send has its copy: it does not wait for the receiver.
  if (first.opcode == Opcode::Send) {
    if (!transfer->done)
      communicator.driveInBackground();
    return std::nullopt;
  }
  return communicator.wait(transfer);
}

MaybeError Session::waitFor(size_t index) {
  size_t target = program.instructions[index].target;
  std::shared_ptr<Transfer> transfer = transfers[target];
  transfers.erase(target);
  if (MaybeError error = communicator.wait(transfer))
    return error;
  if (tracing && transfer->marks)
    record(target, transfer->marks->first, transfer->marks->second);
  else if (tracing)
    record(target, toTraceTime(transfer->begin), toTraceTime(transfer->end));
  return std::nullopt;
}

static TraceEvent makeEvent(const Program &program, const Instruction &what,
                            int64_t step, int64_t begin, int64_t end) {
  TraceEvent event;
  event.rank = program.rank;
  event.step = step;
  event.instruction = &what - program.instructions.data();
  event.opcode = what.opcode;
  event.begin = begin;
  event.end = end;
  return event;
}

void Session::recordOperations(const Instruction &what,
                               const std::vector<ProbeLog::Span> &spans) {
  for (const ProbeLog::Span &span : spans) {
    TraceEvent event = makeEvent(program, what, numSteps, span.begin, span.end);
    event.isOperation = true;
    size_t line = span.name.find('\n');
    event.label = span.name.substr(0, line);
    if (line != std::string_view::npos)
      event.place = span.name.substr(line + 1);

    trace.push_back(std::move(event));
  }
}

void Session::record(size_t index, int64_t begin, int64_t end) {
  const Instruction &what = program.instructions[index];
  TraceEvent event = makeEvent(program, what, numSteps, begin, end);
  event.label = what.label;

  for (const std::vector<BufferId> *ids : {&what.operands, &what.results})
    for (BufferId id : *ids)
      event.bytes += program.buffers[id].numBytes();
  event.liveBytes = device.getLiveBytes();
  trace.push_back(std::move(event));
}

MaybeError Session::execute(size_t index) {
  const Instruction &what = program.instructions[index];
  if (what.opcode == Opcode::Free) {
    for (BufferId id : what.operands)
      if (mayFree(id))
        release(id);
    return std::nullopt;
  }
  if (what.opcode == Opcode::Call)
    if (MaybeError error = reuseOperands(what))
      return error;
  if (MaybeError error = allocateResults(what))
    return error;
  auto bytesOf = [&](BufferId id) { return program.buffers[id].numBytes(); };
  switch (what.opcode) {
  case Opcode::Call:
    return call(what);
  case Opcode::Constant:
    return device.writeConstant(memory[what.results[0]],
                                program.constants[what.constant].data(),
                                bytesOf(what.results[0]));
  case Opcode::Copy:
    return device.copy(memory[what.results[0]], memory[what.operands[0]],
                       bytesOf(what.results[0]));
  case Opcode::Accumulate: {
    const TensorType &type = program.buffers[what.operands[1]];
    return device.accumulate(what.reduction, type.element,
                             memory[what.operands[0]], memory[what.operands[1]],
                             type.numElements());
  }
  case Opcode::Wait:
    return waitFor(index);
  default:
    return communicate(index);
  }
}

MaybeError Session::executeAll() {
  Transport &transport = communicator.getTransport();
  for (size_t i = 0; i < program.instructions.size(); ++i) {
    const Instruction &what = program.instructions[i];
    if (what.opcode == Opcode::Call || isCommunication(what.opcode) ||
        what.opcode == Opcode::Wait)
      transport.publish(titleOf(what));
    int64_t begin = tracing ? device.mark() : 0;
    MaybeError error = execute(i);
    if (!error && what.opcode == Opcode::Call)
      error = communicator.endCall(what);
    if (error)
      return locate(error, describe(program, i) + ": ");
    if (tracing && !what.started)
      record(i, begin, device.mark());
  }
  return locate(communicator.endStep(), "at the end of a step: ");
}

//===----------------------------------------------------------------------===//
// Recorded steps
//===----------------------------------------------------------------------===//

/// State moves between two places if updated state is written beside the old
/// one; twice that leaves room for what changes after the first steps.
static constexpr size_t mostRecorded = 4;

Result<bool> Session::replay() {
  if (tracing || !device.canRecord())
    return false;
  auto found =
      std::find_if(recorded.begin(), recorded.end(), [&](const Recorded &step) {
        return step.layout == device.getLayout() && step.begin == memory;
      });
  if (found == recorded.end())
    return false;
  std::rotate(found, found + 1, recorded.end());
  const Recorded &step = recorded.back();
  if (MaybeError error = device.replay(*step.work))
    return Error{*error};
  device.apply(step.change);
  memory = step.end;
  return true;
}

/// Whether a step has begun like this before.
bool Session::isToRecord() {
  if (tracing || !device.canRecord())
    return false;
  Start start = {device.getLayout(), memory};
  if (std::find(seen.begin(), seen.end(), start) != seen.end())
    return true;
  if (seen.size() >= mostRecorded)
    seen.erase(seen.begin());
  seen.push_back(std::move(start));
  return false;
}

MaybeError Session::recordStep() {
  Recorded step;
  step.begin = memory;
  step.layout = device.getLayout();
  std::vector<Device::Held> before = device.getHeld();
  if (MaybeError error = device.beginRecording())
    return locate(error, "the step cannot be recorded: ");
  MaybeError error = executeAll();
  auto work = device.endRecording();
  if (error)
    return error;
  if (!work)
    return locate(work.error(), "the step cannot be recorded: ");
  step.end = memory;
  step.change = Device::compare(before, device.getHeld());
  step.work = std::move(*work);
  if (recorded.size() >= mostRecorded)
    recorded.erase(recorded.begin());
  recorded.push_back(std::move(step));
  return locate(device.replay(*recorded.back().work), "the recorded step: ");
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

MaybeError Session::run() {
  if (MaybeError error = takeArguments())
    return locate(error);
  Transport &transport = communicator.getTransport();
  Result<bool> isReplayed = replay();
  if (!isReplayed)
    return locate(isReplayed.error(), "the recorded step: ");
  if (*isReplayed)
    transport.publish("step " + str(numSteps));
  else if (MaybeError error = isToRecord() ? recordStep() : executeAll())
    return error;
  transport.publish("end of step " + str(numSteps));
  if (MaybeError error = device.endStep())
    return locate(error, "at the end of a step: ");
  return transport.getFailure();
}

/// The error ends the run.
MaybeError Session::end(MaybeError error) {
  if (error && !failure) {
    failure = error;
    communicator.getTransport().abort(*failure);
  }
  return failure;
}

MaybeError Session::synchronize() {
  return failure ? failure
                 : end(locate(device.synchronize(), "after the last step: "));
}

/// Marks of the device become times.
void Session::setTimes(size_t firstEvent) {
  for (size_t i = firstEvent; i < trace.size(); ++i) {
    trace[i].begin = device.toTraceTime(trace[i].begin);
    trace[i].end = device.toTraceTime(trace[i].end);
  }
}

MaybeError Session::step() {
  if (failure)
    return failure;
  Device::Scope scope(&device);
  size_t firstEvent = trace.size();
  MaybeError error = tracing ? device.beginMarks() : std::nullopt;
  if (!error)
    error = run();
  if (!error && tracing && !(error = device.synchronize()))
    setTimes(firstEvent);
  if (!error && tracing)
    error = device.takeError();
  if (error)
    return end(locate(error, "at the end of a step: "));
  // What the program did not free ends with the step.
  std::vector<bool> stays = keptBuffers;
  for (const Binding &binding : program.results)
    stays[binding.buffer] = true;
  for (size_t i = 0; i < memory.size(); ++i)
    if (!stays[i])
      release(i);
  ++numSteps;
  return std::nullopt;
}
