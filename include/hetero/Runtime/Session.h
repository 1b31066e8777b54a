//===- Session.h - Runs the program of one rank -----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The executor: a verified program, its kernels, a device and a communicator.
// Training state stays on the device between steps.
//
// A worked example: argument binding 0 is the parameter, 1 the batch; result
// binding 0 is the updated parameter, 1 the loss.
//
//   Session session = ...;
//   session.carry(/*resultBinding=*/0, /*argumentBinding=*/0); // once
//   session.setArgument(0, parameter);
//   for (...) {
//     session.setArgument(1, batch);
//     if (MaybeError error = session.step())
//       ...
//     float loss = *static_cast<const float *>(session.getResult(1));
//   }
//
// From the second step on the updated parameter is the argument, without a
// copy.
//
// What an argument is in a step, in this order: what `setArgument` gave since
// the last step; the result that is carried to it; what it was in the last step
// if it is kept. Otherwise the step consumes it, and a program may free it as
// soon as it has no more use for it, as a donated buffer.

#ifndef HETERO_RUNTIME_SESSION_H
#define HETERO_RUNTIME_SESSION_H

#include "hetero/Runtime/Communicator.h"
#include "hetero/Runtime/Device.h"
#include "hetero/Runtime/ProbeLog.h"
#include "hetero/Runtime/Trace.h"

namespace hetero::runtime {

class Session {
public:
  /// Verifies the program and makes its streams known: all ranks create their
  /// sessions together. `kernels` has one function for each name in the
  /// program, `inPlace` what they compute in place, if any do. Device and
  /// communicator outlive the session.
  static Result<std::unique_ptr<Session>>
  create(Program program, std::vector<KernelFunction> kernels, Device &device,
         Communicator &communicator, std::vector<InPlaceList> inPlace = {});
  ~Session();
  Session(const Session &) = delete;
  Session &operator=(const Session &) = delete;

  const Program &getProgram() const { return program; }
  Device &getDevice() { return device; }
  Communicator &getCommunicator() { return communicator; }

  /// Copies dense row-major data of the binding's buffer type to the device.
  MaybeError setArgument(size_t binding, const void *data);
  /// As setArgument, and the caller fills the memory, which has to be the
  /// host's.
  Result<void *> makeArgument(size_t binding);

  /// After each step the result becomes the argument of the next one. Types and
  /// regions agree.
  MaybeError carry(size_t resultBinding, size_t argumentBinding);

  /// The argument stays as it is for the following steps. Not for one that the
  /// program updates in place.
  MaybeError keep(size_t argumentBinding);

  /// Whether the program may free arguments before the step ends; at first it
  /// may. If not, a step needs memory for old and updated state at once.
  void setDonating(bool on) { donating = on; }

  /// Runs all instructions once. A device may still be at it when this returns
  /// (hetero/Runtime/Device.h); what went wrong is said by a later call then.
  /// After an error the session has ended, and so has the run on all ranks.
  MaybeError step();

  /// Returns when all steps are done.
  MaybeError synchronize();

  /// Where the result lies, or a copy on the host if the device is elsewhere,
  /// until the next step; null before the first, and after an error.
  const void *getResult(size_t binding);

  /// Records what happens from now on.
  void setTracing(bool on) { tracing = on; }
  /// What was recorded since it was last asked for.
  std::vector<TraceEvent> takeTrace();

private:
  Session(Program program, std::vector<KernelFunction> kernels, Device &device,
          Communicator &communicator, std::vector<InPlaceList> inPlace);

  /// What a step was given when it was recorded, and what it left behind.
  struct Recorded {
    std::vector<void *> begin, end;
    uint64_t layout = 0;
    Device::LayoutChange change;
    std::unique_ptr<Device::Recording> work;
  };
  /// Where a step began.
  using Start = std::pair<uint64_t, std::vector<void *>>;

  MaybeError rehearse();
  /// Says on which rank and where something happened.
  MaybeError locate(MaybeError error, const std::string &where = {}) const;
  MaybeError end(MaybeError error);
  MaybeError run();
  MaybeError executeAll();
  /// Whether the step that begins now was recorded.
  Result<bool> replay();
  bool isToRecord();
  MaybeError recordStep();
  void setTimes(size_t firstEvent);
  MaybeError checkArgument(size_t binding) const;
  Result<void *> allocateArgument(size_t binding);
  MaybeError takeArguments();
  MaybeError execute(size_t index);
  MaybeError allocateResults(const Instruction &what);
  MaybeError reuseOperands(const Instruction &what);
  MaybeError call(const Instruction &what);
  MaybeError communicate(size_t index);
  MaybeError waitFor(size_t index);
  bool mayFree(BufferId id) const {
    return !keptBuffers[id] && (donating || !argumentBuffers[id]);
  }
  MaybeError allocate(BufferId id, void *&block);
  void release(BufferId id);

  /// Begin and end are marks of the device.
  void record(size_t index, int64_t begin, int64_t end);
  void recordOperations(const Instruction &what,
                        const std::vector<ProbeLog::Span> &spans);
  std::string describeArgument(size_t binding) const;

  const Program program;
  const std::vector<KernelFunction> kernels;
  /// By kernel; as long as `kernels`.
  std::vector<InPlaceList> inPlace;
  Device &device;
  Communicator &communicator;
  /// What to call buffers in messages about memory.
  std::vector<std::string> labels;
  /// Memory of buffers, by id; after a step, results and kept arguments.
  std::vector<void *> memory;
  /// Copies of results of a device that is not the host, by buffer.
  std::map<BufferId, std::vector<char>> hostResults;
  /// Arguments that were set for the next step, by binding.
  std::vector<void *> nextArguments;
  /// By argument binding: the result that it comes from, or -1.
  std::vector<int64_t> carried;
  std::vector<bool> kept;
  /// By buffer: it belongs to an argument; to one that is kept.
  std::vector<bool> argumentBuffers, keptBuffers;
  /// Transfers under way, by instruction; those of a bucket share one.
  std::map<size_t, std::shared_ptr<Transfer>> transfers;
  int64_t numSteps = 0;
  MaybeError failure;
  /// The latest comes last.
  std::vector<Recorded> recorded;
  std::vector<Start> seen;
  bool donating = true;
  bool tracing = false;
  std::vector<TraceEvent> trace;
};

} // namespace hetero::runtime

#endif // HETERO_RUNTIME_SESSION_H
