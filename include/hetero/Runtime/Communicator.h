//===- Communicator.h - Transfers of one rank -------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Carries out the communication instructions of one rank over a transport:
// sends, receives, and collectives with any sizes.
//
// The idea
// --------
// A collective is one or two *phases*. In each, every member sends a block to
// every other and receives one (Phase); when all have come it combines or
// unpacks them. An all-reduce, for instance, sends slice k of the operand to
// member k, which adds the slices up in the order of members, and then sends
// its sum to all. So every element is added once, in one order, and all members
// have the same bits whatever the transport. Instructions of one bucket share
// their blocks: one message from rank to rank carries all of them.
//
// Transfers that were started go on while the rank computes, on a thread of
// their own; while the rank waits it drives them itself.
//
// Waiting ends
// ------------
// When no rank has finished anything for `patience`, or the transport has lost
// one, the run ends on all ranks with a message such as
//
//   rank 2 waits for 'reduce' (all_reduce) from rank 1 on channel 5 for 60 s;
//   rank 1 was last seen executing 'forward 3'

#ifndef HETERO_RUNTIME_COMMUNICATOR_H
#define HETERO_RUNTIME_COMMUNICATOR_H

#include "hetero/Runtime/Program.h"
#include "hetero/Runtime/Transport.h"
#include <condition_variable>
#include <functional>
#include <list>
#include <map>
#include <mutex>
#include <optional>
#include <thread>

namespace hetero::runtime {

/// A block to or from one member.
struct Block {
  int64_t bytes = 0;
  /// Where it lies, or null: then it is packed into memory of the transfer.
  void *data = nullptr;
};

/// Every member to every other, once. The own place in the lists is empty.
struct Phase {
  /// Tells its messages from those of the other phases.
  int64_t number = 0;
  std::vector<Block> sends, receives;
  /// Writes the block for `member`, if that has no `data`.
  std::function<void(size_t member, char *to)> pack;
  /// When all blocks have come: where they lie, by member.
  std::function<void(const std::vector<const char *> &received)> finish;
};

/// One instruction with its memory. `operand` may be missing.
struct TransferPart {
  const Instruction *instruction = nullptr;
  const TensorType *operandType = nullptr;
  const void *operand = nullptr;
  const TensorType *resultType = nullptr;
  void *result = nullptr;
};

/// The phases of verified instructions of one bucket (or of one instruction)
/// for the member at `self` of their group.
std::vector<Phase> makePhases(const std::vector<TransferPart> &parts,
                              size_t self);

/// The transfers that an instruction of a rank is numbered with.
Stream streamOf(const Instruction &what, int64_t rank);

/// A communication under way.
struct Transfer {
  std::string label;
  Opcode opcode = Opcode::Send;
  int64_t channel = 0;
  std::vector<int64_t> group;
  int64_t stream = 0, sequence = 0;
  std::vector<Phase> phases;
  Clock::time_point begin, end;
  /// When it began and ended, as marks of its device, if that tells.
  std::optional<std::pair<int64_t, int64_t>> marks;
  bool done = false;

  /// The phase under way, its memory and the tickets that are still open.
  struct OpenTicket {
    Ticket ticket;
    int64_t peer;
    bool isReceive;
  };
  size_t phase = 0;
  std::vector<std::unique_ptr<char[]>> memory;
  std::vector<const char *> received;
  std::vector<OpenTicket> open;
};

struct CommunicatorOptions {
  /// How long nothing may happen anywhere.
  std::chrono::milliseconds patience{60000};
};

class Communicator {
public:
  explicit Communicator(Transport &transport, CommunicatorOptions options = {});
  virtual ~Communicator();
  Communicator(const Communicator &) = delete;
  Communicator &operator=(const Communicator &) = delete;

  Transport &getTransport() { return transport; }

  /// Makes the streams of a program known. All ranks call it together.
  virtual MaybeError open(const Program &program);

  /// Starts what verified instructions of one bucket (or one instruction) of an
  /// opened program say. The memory stays as it is until the transfer is done,
  /// except that of a send, which is copied when `copy`.
  virtual std::shared_ptr<Transfer>
  start(const std::vector<TransferPart> &parts, bool copy = false);

  /// Returns when the transfer is done, or the run has ended.
  virtual MaybeError wait(const std::shared_ptr<Transfer> &transfer);

  /// The program has called the kernel of an instruction.
  virtual MaybeError endCall(const Instruction &what) { return std::nullopt; }

  /// The program has started all transfers of a step, and waited for those that
  /// it waits for.
  virtual MaybeError endStep() { return std::nullopt; }

  /// Returns when all transfers are done, or the run has ended: their memory
  /// is not used any more.
  virtual void finish();

  /// Is asked again and again while the rank waits for its device: why the run
  /// has ended, if it has. It ends the run if that takes too long.
  virtual MaybeError checkWait() { return transport.getFailure(); }

  /// All ranks leave, when all that they have started is done.
  virtual MaybeError close() {
    finish();
    return transport.getFailure();
  }

  /// Goes on while the rank computes, until somebody waits for it.
  virtual void driveInBackground();

  /// Returns when all members have called it.
  MaybeError barrier(const std::vector<int64_t> &group);

  /// All ranks of an opened program give the others blocks, as in one phase;
  /// members are the ranks. What is sent to whom is known to both.
  MaybeError exchange(const std::string &label, std::vector<Block> sends,
                      std::vector<Block> receives);
  /// Gives every rank the texts of all ranks.
  Result<std::vector<std::string>> exchange(const std::string &label,
                                            const std::string &content);

protected:
  /// The number of a stream of an opened program.
  int64_t getStreamId(const Stream &stream) const;

private:
  using Lock = std::unique_lock<std::mutex>;

  bool progress();
  bool progress(Transfer &transfer);
  void begin(const std::shared_ptr<Transfer> &transfer, const Stream &stream);
  void startPhase(Transfer &transfer);
  void drive(Lock &lock, std::chrono::microseconds longest);
  void driveLoop();
  MaybeError checkPatience(const Transfer &transfer);
  std::string describeWait(const Transfer &transfer, int64_t lost = -1);
  Result<int64_t> getStream(const Stream &stream);

  Transport &transport;
  const CommunicatorOptions options;
  std::mutex mutex;
  std::condition_variable changed;
  std::list<std::shared_ptr<Transfer>> active;
  std::map<Stream, int64_t> streams;
  /// The number of the next transfer, by stream.
  std::map<int64_t, int64_t> sequences;
  /// One thread at a time drives the transport: the rank's own when it waits,
  /// else the background's.
  bool driving = false;
  unsigned numWaiting = 0;
  bool stopping = false;
  std::thread background;
};

} // namespace hetero::runtime

#endif // HETERO_RUNTIME_COMMUNICATOR_H
