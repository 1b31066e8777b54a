//===- ProgramVerify.cpp - What the executor relies on --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Runtime/Elements.h"
#include "hetero/Runtime/Error.h"
#include "hetero/Runtime/Program.h"
#include "hetero/Runtime/Regions.h"
#include <algorithm>
#include <map>
#include <numeric>
#include <set>

using namespace hetero::runtime;

namespace {
/// Walks the instructions once, with the state of every buffer.
class Verifier {
public:
  explicit Verifier(const Program &program)
      : program(program), buffers(program.buffers.size()) {}

  MaybeError run();

private:
  struct BufferState {
    /// Instructions by index; -1: none, -2: it is an argument.
    int64_t writer = -1;
    int64_t freer = -1;
    /// Started instructions that write or read it and were not waited for.
    int64_t pendingWriter = -1;
    std::set<int64_t> pendingReaders;
  };

  MaybeError checkBuffers();
  MaybeError checkBinding(const Binding &binding, const std::string &what);
  MaybeError checkInstruction(const Instruction &what);
  MaybeError checkCounts(const Instruction &what);
  MaybeError checkUses(const Instruction &what);
  MaybeError checkBucket(const Instruction &what);
  MaybeError checkLocal(const Instruction &what);
  MaybeError checkCollective(const Instruction &what);
  MaybeError checkSplit(const Instruction &what, int64_t member);
  MaybeError checkAllToAll(const Instruction &what, int64_t member);
  MaybeError checkWait(const Instruction &what);
  MaybeError checkShapes(const TensorType &part, const TensorType &whole,
                         int64_t dimension, const std::vector<int64_t> &sizes,
                         int64_t member);
  void apply(const Instruction &what);

  const TensorType &operand(const Instruction &what) const {
    return program.buffers[what.operands[0]];
  }
  const TensorType &result(const Instruction &what) const {
    return program.buffers[what.results[0]];
  }

  MaybeError fail(const std::string &why) const {
    return describe(program, current) + " " + why;
  }

  const Program &program;
  std::vector<BufferState> buffers;
  /// Started instructions that were not waited for.
  std::set<int64_t> pending;
  /// Buckets that are complete, and the one that is not.
  std::map<int64_t, int64_t> closedBuckets;
  int64_t openBucket = -1, bucketFirst = -1;
  int64_t current = 0;
};
} // namespace

static std::string str(int64_t value) { return std::to_string(value); }

/// The sum, or nothing when a size is negative or the sum does not fit.
static std::optional<int64_t> sum(const std::vector<int64_t> &sizes) {
  int64_t total = 0;
  for (int64_t size : sizes)
    if (size < 0 || __builtin_add_overflow(total, size, &total))
      return std::nullopt;
  return total;
}

MaybeError Verifier::checkBuffers() {
  for (size_t i = 0; i < program.buffers.size(); ++i) {
    const TensorType &type = program.buffers[i];
    int64_t bytes = sizeOf(type.element);
    for (int64_t size : type.shape)
      if (size < 0 || __builtin_mul_overflow(bytes, size, &bytes))
        return "buffer " + str(i) + " of type " + type.str() +
               " has no valid size";
  }
  for (size_t i = 0; i < program.arguments.size(); ++i) {
    const Binding &binding = program.arguments[i];
    if (MaybeError error = checkBinding(binding, "argument binding " + str(i)))
      return error;
    if (buffers[binding.buffer].writer == -2)
      return "argument binding " + str(i) + " has buffer " +
             str(binding.buffer) + ", which another argument has";
    buffers[binding.buffer].writer = -2;
  }
  for (size_t i = 0; i < program.results.size(); ++i)
    if (MaybeError error =
            checkBinding(program.results[i], "result binding " + str(i)))
      return error;
  return std::nullopt;
}

MaybeError Verifier::checkBinding(const Binding &binding,
                                  const std::string &what) {
  if (binding.buffer < 0 || size_t(binding.buffer) >= program.buffers.size())
    return what + " has buffer " + str(binding.buffer) + " of " +
           str(program.buffers.size());
  if (binding.index < 0)
    return what + " has the negative index " + str(binding.index);
  if (MaybeError error =
          checkRegion(binding.region, program.buffers[binding.buffer]))
    return what + ": " + *error;
  return std::nullopt;
}

MaybeError Verifier::checkCounts(const Instruction &what) {
  size_t numOperands = 1, numResults = 1;
  switch (what.opcode) {
  case Opcode::Call:
    return std::nullopt;
  case Opcode::Free:
    return what.results.empty() ? std::nullopt : fail("has results");
  case Opcode::Wait:
    numOperands = numResults = 0;
    break;
  case Opcode::Constant:
  case Opcode::Recv:
    numOperands = 0;
    break;
  case Opcode::Send:
    numResults = 0;
    break;
  case Opcode::Accumulate:
    numOperands = 2;
    numResults = 0;
    break;
  case Opcode::Broadcast:
    numOperands = what.root >= 0 && size_t(what.root) < what.group.size() &&
                  what.group[what.root] == program.rank;
    break;
  default:
    break;
  }
  if (what.operands.size() != numOperands)
    return fail("has " + str(what.operands.size()) + " operands instead of " +
                str(numOperands));
  if (what.results.size() != numResults)
    return fail("has " + str(what.results.size()) + " results instead of " +
                str(numResults));
  return std::nullopt;
}

MaybeError Verifier::checkUses(const Instruction &what) {
  for (BufferId id : what.operands) {
    if (id < 0 || size_t(id) >= buffers.size())
      return fail("reads buffer " + str(id) + " of " + str(buffers.size()));
    const BufferState &state = buffers[id];
    std::string which = "buffer " + str(id);
    if (state.writer == -1)
      return fail("reads " + which + ", which is not written yet");
    if (state.freer != -1)
      return fail("reads " + which + ", which " +
                  describe(program, state.freer) + " has freed");
    if (state.pendingWriter != -1)
      return fail("reads " + which + " before " +
                  describe(program, state.pendingWriter) + " is waited for");
    bool ends = what.opcode == Opcode::Free ||
                (what.opcode == Opcode::Accumulate && id == what.operands[1]);
    if (ends && !state.pendingReaders.empty())
      return fail("changes " + which + " before " +
                  describe(program, *state.pendingReaders.begin()) +
                  ", which reads it, is waited for");
  }
  std::set<BufferId> written;
  for (BufferId id : what.results) {
    if (id < 0 || size_t(id) >= buffers.size())
      return fail("writes buffer " + str(id) + " of " + str(buffers.size()));
    if (buffers[id].writer == -2)
      return fail("writes buffer " + str(id) + ", which is an argument");
    if (buffers[id].writer != -1)
      return fail("writes buffer " + str(id) + ", which " +
                  describe(program, buffers[id].writer) + " has written");
    if (!written.insert(id).second)
      return fail("writes buffer " + str(id) + " twice");
  }
  if (what.opcode == Opcode::Free) {
    std::set<BufferId> freed(what.operands.begin(), what.operands.end());
    if (freed.size() != what.operands.size())
      return fail("frees a buffer twice");
  }
  return std::nullopt;
}

MaybeError Verifier::checkBucket(const Instruction &what) {
  // Only a Free may stand inside of a bucket.
  if (what.opcode == Opcode::Free)
    return std::nullopt;
  if (what.bucket == openBucket && openBucket != -1) {
    const Instruction &first = program.instructions[bucketFirst];
    if (what.opcode != first.opcode || what.group != first.group ||
        what.channel != first.channel || what.reduction != first.reduction ||
        what.started != first.started)
      return fail("is unlike " + describe(program, bucketFirst) +
                  " of the same bucket " + str(what.bucket));
    return std::nullopt;
  }
  if (openBucket != -1)
    closedBuckets[openBucket] = bucketFirst;
  openBucket = what.bucket;
  bucketFirst = current;
  if (what.bucket == -1)
    return std::nullopt;
  if (what.bucket < 0)
    return fail("has the negative bucket " + str(what.bucket));
  if (what.opcode < Opcode::AllReduce || what.opcode > Opcode::ExclusiveScan)
    return fail("is in bucket " + str(what.bucket) +
                "; buckets are of collectives");
  auto closed = closedBuckets.find(what.bucket);
  if (closed != closedBuckets.end())
    return fail("does not follow " + describe(program, closed->second) +
                " of the same bucket " + str(what.bucket));
  return std::nullopt;
}

MaybeError Verifier::checkLocal(const Instruction &what) {
  switch (what.opcode) {
  case Opcode::Call:
    if (what.kernel < 0 || size_t(what.kernel) >= program.kernels.size())
      return fail("calls kernel " + str(what.kernel) + " of " +
                  str(program.kernels.size()));
    return std::nullopt;
  case Opcode::Constant: {
    if (what.constant < 0 || size_t(what.constant) >= program.constants.size())
      return fail("has constant " + str(what.constant) + " of " +
                  str(program.constants.size()));
    int64_t bytes = program.constants[what.constant].size();
    if (bytes != result(what).numBytes())
      return fail("has a constant of " + str(bytes) + " bytes for " +
                  result(what).str());
    return std::nullopt;
  }
  case Opcode::Copy:
    if (operand(what).element != result(what).element ||
        operand(what).numElements() != result(what).numElements())
      return fail("copies " + operand(what).str() + " to " +
                  result(what).str());
    return std::nullopt;
  case Opcode::Accumulate: {
    const TensorType &total = program.buffers[what.operands[1]];
    if (what.operands[0] == what.operands[1])
      return fail("accumulates buffer " + str(what.operands[0]) +
                  " into itself");
    if (operand(what) != total)
      return fail("accumulates " + operand(what).str() + " into " +
                  total.str());
    if (!isDefined(what.reduction, total.element))
      return fail(std::string("has no ") + nameOf(what.reduction) + " of " +
                  nameOf(total.element));
    return std::nullopt;
  }
  case Opcode::Send:
  case Opcode::Recv:
    if (what.peer < 0 || what.peer == program.rank)
      return fail("of rank " + str(program.rank) + " has the peer " +
                  str(what.peer));
    if (what.channel < 0)
      return fail("has the negative channel " + str(what.channel));
    return std::nullopt;
  default:
    return std::nullopt;
  }
}

MaybeError Verifier::checkShapes(const TensorType &part,
                                 const TensorType &whole, int64_t dimension,
                                 const std::vector<int64_t> &sizes,
                                 int64_t member) {
  if (part.element != whole.element || part.shape.size() != whole.shape.size())
    return fail("has " + part.str() + " for a part of " + whole.str());
  if (dimension < 0 || size_t(dimension) >= whole.shape.size())
    return fail("has dimension " + str(dimension) + " of " + whole.str());
  TensorType expected = whole;
  expected.shape[dimension] = sizes[member];
  if (part != expected)
    return fail("has " + part.str() + " instead of " + expected.str() +
                " for the part of member " + str(member));
  std::optional<int64_t> total = sum(sizes);
  if (!total || *total != whole.shape[dimension])
    return fail("has sizes that do not add up to the " +
                str(whole.shape[dimension]) + " of " + whole.str());
  return std::nullopt;
}

MaybeError Verifier::checkSplit(const Instruction &what, int64_t member) {
  if (what.sizes.size() != what.group.size())
    return fail("has " + str(what.sizes.size()) + " sizes for " +
                str(what.group.size()) + " members");
  if (what.opcode == Opcode::AllGather)
    return checkShapes(operand(what), result(what), what.dimension, what.sizes,
                       member);
  if (what.opcode == Opcode::ReduceScatter)
    return checkShapes(result(what), operand(what), what.dimension, what.sizes,
                       member);
  return checkAllToAll(what, member);
}

MaybeError Verifier::checkAllToAll(const Instruction &what, int64_t member) {
  if (what.toSizes.size() != what.group.size())
    return fail("has " + str(what.toSizes.size()) + " sizes to split by for " +
                str(what.group.size()) + " members");
  // Both sides are parts of this one.
  TensorType whole = operand(what);
  int64_t rank = whole.shape.size();
  std::optional<int64_t> total = sum(what.sizes);
  if (what.dimension < 0 || what.dimension >= rank || !total)
    return fail("cannot split " + whole.str() + " in dimension " +
                str(what.dimension));
  whole.shape[what.dimension] = *total;
  if (MaybeError error =
          checkShapes(operand(what), whole, what.dimension, what.sizes, member))
    return error;
  return checkShapes(result(what), whole, what.toDimension, what.toSizes,
                     member);
}

MaybeError Verifier::checkCollective(const Instruction &what) {
  auto self = std::find(what.group.begin(), what.group.end(), program.rank);
  if (self == what.group.end())
    return fail("is not over its own rank " + str(program.rank));
  std::set<int64_t> members(what.group.begin(), what.group.end());
  if (members.size() != what.group.size() || *members.begin() < 0)
    return fail("has a group with equal or negative ranks");
  if (what.channel < 0)
    return fail("has the negative channel " + str(what.channel));
  int64_t member = self - what.group.begin();
  switch (what.opcode) {
  case Opcode::AllReduce:
  case Opcode::ExclusiveScan:
    if (operand(what) != result(what))
      return fail("makes " + result(what).str() + " from " +
                  operand(what).str());
    break;
  case Opcode::Broadcast:
    if (what.root < 0 || size_t(what.root) >= what.group.size())
      return fail("has the root " + str(what.root) + " of " +
                  str(what.group.size()) + " members");
    if (member == what.root && operand(what) != result(what))
      return fail("makes " + result(what).str() + " from " +
                  operand(what).str());
    return std::nullopt;
  default:
    if (MaybeError error = checkSplit(what, member))
      return error;
  }
  if (what.opcode == Opcode::AllGather || what.opcode == Opcode::AllToAll)
    return std::nullopt;
  if (!isDefined(what.reduction, operand(what).element))
    return fail(std::string("has no ") + nameOf(what.reduction) + " of " +
                nameOf(operand(what).element));
  return std::nullopt;
}

MaybeError Verifier::checkWait(const Instruction &what) {
  if (what.target < 0 || what.target >= current)
    return fail("waits for instruction " + str(what.target) +
                ", which is not before it");
  if (!program.instructions[what.target].started)
    return fail("waits for " + describe(program, what.target) +
                ", which is not started");
  if (!pending.count(what.target))
    return fail("waits for " + describe(program, what.target) + " again");
  return std::nullopt;
}

MaybeError Verifier::checkInstruction(const Instruction &what) {
  if (what.opcode > Opcode::Free || what.reduction > Reduction::Or)
    return fail("has an unknown opcode or reduction");
  if (what.started && !isCommunication(what.opcode))
    return fail("is started; only communication is");
  if (MaybeError error = checkCounts(what))
    return error;
  if (MaybeError error = checkUses(what))
    return error;
  if (MaybeError error = checkBucket(what))
    return error;
  if (what.opcode == Opcode::Wait)
    return checkWait(what);
  if (what.opcode >= Opcode::AllReduce && what.opcode <= Opcode::ExclusiveScan)
    return checkCollective(what);
  return checkLocal(what);
}

void Verifier::apply(const Instruction &what) {
  for (BufferId id : what.results) {
    buffers[id].writer = current;
    if (what.started)
      buffers[id].pendingWriter = current;
  }
  if (what.started) {
    pending.insert(current);
    for (BufferId id : what.operands)
      buffers[id].pendingReaders.insert(current);
  }
  if (what.opcode == Opcode::Free)
    for (BufferId id : what.operands)
      buffers[id].freer = current;
  if (what.opcode == Opcode::Wait) {
    pending.erase(what.target);
    const Instruction &target = program.instructions[what.target];
    for (BufferId id : target.operands)
      buffers[id].pendingReaders.erase(what.target);
    for (BufferId id : target.results)
      buffers[id].pendingWriter = -1;
  }
}

MaybeError Verifier::run() {
  if (program.rank < 0)
    return "the program has the negative rank " + str(program.rank);
  if (MaybeError error = checkBuffers())
    return error;
  for (const Instruction &what : program.instructions) {
    if (MaybeError error = checkInstruction(what))
      return error;
    apply(what);
    ++current;
  }
  if (!pending.empty())
    return describe(program, *pending.begin()) + " is never waited for";
  for (size_t i = 0; i < program.results.size(); ++i) {
    const BufferState &state = buffers[program.results[i].buffer];
    std::string which = "result binding " + str(i) + " has buffer " +
                        str(program.results[i].buffer);
    if (state.writer == -1)
      return which + ", which is never written";
    if (state.freer != -1)
      return which + ", which " + describe(program, state.freer) + " has freed";
  }
  return std::nullopt;
}

MaybeError hetero::runtime::verify(const Program &program) {
  return Verifier(program).run();
}
