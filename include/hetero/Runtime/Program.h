//===- Program.h - What one rank executes -----------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The program of one rank for one step, as data: a list of instructions over
// numbered buffers. The conversion writes it, the executor runs it on any
// device and transport, and nothing in it knows MLIR.
//
// The idea
// --------
// A buffer holds one dense row-major tensor. It comes to life when an
// instruction writes it and ends with a `Free` (or with the step, if it is a
// result). Every buffer is written by one instruction, except the target of an
// `Accumulate`, which is updated in place. An instruction that communicates
// either completes before the next one starts, or is `started` and completed by
// the `Wait` that names it.
//
// A worked example: rank 1 of two data-parallel ranks, one microbatch.
//
//   buffers      0: 3x4 f32   1: 4x6 f32   2: 4x6 f32   3: 4x6 f32  4: 4x6 f32
//   arguments    0 (argument 1 of the step, rows 5 to 8), 1 (argument 0)
//   instructions Call gradients (0, 1) -> (2)     "backward 0"
//                Free 0
//                AllReduce sum 2 -> 3 over [0, 1]  "reduce"
//                Free 2
//                Call update (1, 3) -> (4)         "update"
//                Free 1, Free 3
//   results      4 (result 1 of the step, whole)
//
// Kernels are called with one pointer for each operand and then one for each
// result; a kernel allocates what else it needs through `Workspace`.

#ifndef HETERO_RUNTIME_PROGRAM_H
#define HETERO_RUNTIME_PROGRAM_H

#include "hetero/Support/Enums.h"
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace hetero::runtime {

/// Element types of buffers. Booleans take one byte, complex numbers two
/// floats; sub-byte types are not executed.
enum class ElementType : uint8_t {
  Bool,
  I8,
  I16,
  I32,
  I64,
  U8,
  U16,
  U32,
  U64,
  F16,
  BF16,
  F32,
  F64,
  C64,
  C128
};

/// Bytes of one element.
int64_t sizeOf(ElementType type);
/// "f32", "ui8", "i1", ..., as MLIR spells it.
const char *nameOf(ElementType type);

struct TensorType {
  ElementType element = ElementType::F32;
  std::vector<int64_t> shape;

  int64_t numElements() const;
  int64_t numBytes() const { return numElements() * sizeOf(element); }
  /// "3x4xf32", as inside of MLIR's tensor<>.
  std::string str() const;

  bool operator==(const TensorType &other) const {
    return element == other.element && shape == other.shape;
  }
  bool operator!=(const TensorType &other) const { return !(*this == other); }
};

using BufferId = int32_t;

/// Where a local tensor lies in the tensor of the step: for each dimension the
/// indices that it has, as disjoint ascending ranges (one, unless the dimension
/// was merged with an unsplit one in front of it).
struct Range {
  int64_t begin = 0;
  int64_t end = 0;

  bool operator==(const Range &other) const {
    return begin == other.begin && end == other.end;
  }
};
struct Region {
  std::vector<std::vector<Range>> dimensions;

  bool operator==(const Region &other) const {
    return dimensions == other.dimensions;
  }
};

/// An argument or result of the step as this rank has it. Several bindings of
/// one rank may cover one argument (the microbatches of a batch), and ranks may
/// have the same part (replicated values): then all copies are equal.
struct Binding {
  BufferId buffer = -1;
  int64_t index = 0; ///< Which argument or result of the step.
  Region region;
};

using Reduction = ReductionKind;

/// How a collective is carried out; transports that know only some of them take
/// the others as `auto`, which leaves it to them.
using hetero::Algorithm;

enum class Opcode : uint8_t {
  Call,          ///< kernel: operands -> results
  Constant,      ///< -> result, from Program::constants[constant]
  Copy,          ///< operand -> result, the same bytes (also a reshape)
  Accumulate,    ///< operands (value, sum): sum := sum op value, in place
  Send,          ///< operand to `peer` on `channel`
  Recv,          ///< result from `peer` on `channel`
  AllReduce,     ///< operand -> result over `group`
  AllGather,     ///< along `dimension`, member k brings `sizes[k]`
  ReduceScatter, ///< along `dimension`, member k gets `sizes[k]`
  AllToAll,      ///< from split along `dimension` by `sizes` to split along
                 ///< `toDimension` by `toSizes`; it may be the same dimension
  Broadcast,     ///< member `root` brings the operand, the others none
  ExclusiveScan, ///< result of the members before; the first gets the neutral
                 ///< value
  Wait,          ///< completes the started instruction at index `target`
  Free           ///< ends the operands
};

/// "call", "all_reduce", ..., for traces and messages.
const char *nameOf(Opcode opcode);
/// "sum", "max", ...
std::string nameOf(Reduction reduction);
/// Whether it goes through the transport.
bool isCommunication(Opcode opcode);

struct Instruction {
  Opcode opcode = Opcode::Call;
  std::vector<BufferId> operands;
  std::vector<BufferId> results;
  int32_t kernel = -1;   ///< Call: index into Program::kernels.
  int32_t constant = -1; ///< Constant: index into Program::constants.
  int64_t peer = -1;     ///< Send, Recv: the other rank.
  int64_t channel = 0;   ///< What matches what: in order on each channel.
  Reduction reduction = Reduction::Sum;
  Algorithm algorithm = Algorithm::Auto;
  /// Instructions that follow each other with equal bucket (not -1) may be
  /// carried out as one transfer.
  int64_t bucket = -1;
  std::vector<int64_t> group; ///< Ranks of a collective, in member order.
  int64_t root = 0;           ///< Broadcast: position in `group`.
  int64_t dimension = 0;
  std::vector<int64_t> sizes;
  int64_t toDimension = 0;
  std::vector<int64_t> toSizes;
  bool started = false; ///< Goes on in the background until its Wait.
  int32_t target = -1;  ///< Wait: index of what was started.
  /// What it carries out, for traces and messages: "forward 2", "reduce".
  std::string label;
  /// Where it comes from, for messages; may be empty.
  std::string location;
};

struct Program {
  int64_t rank = 0;
  std::vector<TensorType> buffers;
  std::vector<Binding> arguments;
  std::vector<Binding> results;
  std::vector<std::string> kernels;
  /// Row-major bytes of constants.
  std::vector<std::vector<char>> constants;
  std::vector<Instruction> instructions;
};

/// The compiled form of a kernel: pointers to its operands, then to its
/// results, which it fills.
using KernelFunction = void (*)(void **buffers);

/// An operand and a result of a kernel, by number, that are the same memory: it
/// holds the operand, which nothing reads afterwards, before a call and the
/// result after it. An optimizer then needs no second copy of the state.
struct InPlacePair {
  int64_t operand = 0, result = 0;
};

/// What a kernel computes in place; it relies on that. No operand and no result
/// is in two pairs.
using InPlaceList = std::vector<InPlacePair>;

/// Checks what the executor relies on: ids in range, every buffer written
/// before it is read and read before it is freed, types of communication fit,
/// every started instruction waited for once, what it reads neither freed nor
/// updated before that, and instructions of one bucket alike and together (only
/// a `Free` may stand between them). Returns a sentence that names the
/// instruction, or nothing.
std::optional<std::string> verify(const Program &program);

/// "instruction 7 (all_reduce 'reduce', loc)", as messages name it.
std::string describe(const Program &program, size_t instruction);

} // namespace hetero::runtime

#endif // HETERO_RUNTIME_PROGRAM_H
