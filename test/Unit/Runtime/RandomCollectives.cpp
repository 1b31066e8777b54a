//===- RandomCollectives.cpp - Programs with known results ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "RandomCollectives.h"
#include "hetero/Runtime/Elements.h"
#include <algorithm>
#include <cstring>
#include <numeric>

using namespace hetero::runtime;

using Bytes = std::vector<char>;

static int64_t sum(const std::vector<int64_t> &sizes) {
  return std::accumulate(sizes.begin(), sizes.end(), int64_t(0));
}

static TensorType withSize(TensorType type, int64_t dimension, int64_t size) {
  type.shape[dimension] = size;
  return type;
}

/// The part of `member` along a dimension that is split by `sizes`.
static Bytes takePart(const Bytes &whole, const TensorType &type,
                      int64_t dimension, const std::vector<int64_t> &sizes,
                      size_t member) {
  int64_t begin =
      std::accumulate(sizes.begin(), sizes.begin() + member, int64_t(0));
  Region region = wholeOf(type);
  region.dimensions[dimension] = {{begin, begin + sizes[member]}};
  Bytes part(withSize(type, dimension, sizes[member]).numBytes());
  scatterInto(part.data(), region, whole.data(), type);
  return part;
}

/// Members [0, end) combined in their order.
static Bytes reduce(const std::vector<Bytes> &values, size_t end,
                    const TensorType &type, Reduction reduction) {
  Bytes total(type.numBytes());
  if (end == 0)
    fillNeutral(reduction, type.element, total.data(), type.numElements());
  else
    total = values[0];
  for (size_t i = 1; i < end; ++i)
    combine(reduction, type.element, values[i].data(), total.data(),
            type.numElements());
  return total;
}

RandomCollectives::RandomCollectives(int64_t numRanks, unsigned seed,
                                     int64_t numTransfers)
    : random(seed), inputs(numRanks), expected(numRanks), open(numRanks) {
  for (int64_t rank = 0; rank < numRanks; ++rank)
    builders.emplace_back(rank);
  for (int64_t i = 0; i < numTransfers; ++i) {
    addTransfer();
    endStarted(/*all=*/false);
  }
  endStarted(/*all=*/true);
}

int64_t RandomCollectives::pick(int64_t low, int64_t high) {
  return std::uniform_int_distribution<int64_t>(low, high)(random);
}

Bytes RandomCollectives::makeBytes(const TensorType &type) {
  Bytes bytes(type.numBytes());
  bool isFloat = type.element >= ElementType::F16;
  for (char &byte : bytes)
    byte = type.element == ElementType::Bool ? pick(0, 1) : pick(0, 255);
  // Bytes at random, but no exponent of only ones: a NaN has many spellings.
  if (isFloat)
    for (size_t i = 1; i < bytes.size(); i += 2)
      bytes[i] &= char(0xbb);
  return bytes;
}

std::vector<int64_t> RandomCollectives::pickSizes(int64_t count) {
  std::vector<int64_t> sizes;
  for (int64_t i = 0; i < count; ++i)
    sizes.push_back(pick(0, 5));
  return sizes;
}

void RandomCollectives::addPart(Instruction what, int64_t rank,
                                const TensorType *operandType,
                                const Bytes &operand,
                                const TensorType *resultType,
                                const Bytes &result) {
  ProgramBuilder &builder = builders[rank];
  if (operandType) {
    what.operands = {
        builder.argument(builder.program.arguments.size(), *operandType)};
    inputs[rank].push_back(operand);
  }
  if (resultType) {
    what.results = {builder.buffer(*resultType)};
    builder.result(builder.program.results.size(), what.results[0]);
    expected[rank].push_back(result);
  }
  if (what.started)
    open[rank].push_back(builder.program.instructions.size());
  builder.program.instructions.push_back(std::move(what));
}

void RandomCollectives::endStarted(bool all) {
  for (size_t rank = 0; rank < open.size(); ++rank) {
    std::shuffle(open[rank].begin(), open[rank].end(), random);
    while (!open[rank].empty() && (all || pick(0, 3) == 0)) {
      builders[rank].wait(open[rank].back());
      open[rank].pop_back();
    }
  }
}

void RandomCollectives::addTransfer() {
  int64_t kind = pick(int64_t(Opcode::Recv), int64_t(Opcode::ExclusiveScan));
  if (Opcode(kind) == Opcode::Recv)
    addMessage();
  else
    addCollective(Opcode(kind));
}

void RandomCollectives::addMessage() {
  int64_t size = builders.size();
  if (size < 2)
    return;
  int64_t from = pick(0, size - 1), to = (from + pick(1, size - 1)) % size;
  TensorType type{ElementType(pick(0, 14)), {pick(0, 40), pick(1, 40)}};
  Bytes bytes = makeBytes(type);
  Instruction what;
  what.channel = pick(0, 2);
  what.label = "message " + std::to_string(nextChannel);
  what.opcode = Opcode::Send;
  what.peer = to;
  what.started = pick(0, 1);
  addPart(what, from, &type, bytes, nullptr, {});
  what.opcode = Opcode::Recv;
  what.peer = from;
  what.started = pick(0, 1);
  addPart(what, to, nullptr, {}, &type, bytes);
}

void RandomCollectives::addCollective(Opcode opcode) {
  Instruction what;
  what.opcode = opcode;
  what.channel = nextChannel++;
  what.started = pick(0, 1);
  what.label = std::string(nameOf(opcode)) + " " + std::to_string(what.channel);
  for (size_t i = 0; i < builders.size(); ++i)
    what.group.push_back(i);
  std::shuffle(what.group.begin(), what.group.end(), random);
  what.group.resize(pick(1, what.group.size()));
  size_t size = what.group.size();
  what.root = pick(0, size - 1);
  what.reduction = Reduction(pick(0, 4));
  int64_t count = pick(1, 3);
  if (count > 1)
    what.bucket = nextBucket++;

  for (int64_t part = 0; part < count; ++part) {
    TensorType type;
    do
      type.element = ElementType(pick(0, 14));
    while (!isDefined(what.reduction, type.element));
    // Sometimes large enough that an all-reduce is done in slices.
    type.shape = {pick(1, 6), pick(0, 7), pick(1, 5),
                  pick(0, 3) == 0 ? 331 : 3};
    what.dimension = pick(0, 3);
    what.toDimension = pick(0, 3);
    what.sizes = pickSizes(size);
    what.toSizes = pickSizes(size);
    if (opcode == Opcode::AllToAll && what.dimension == what.toDimension)
      what.toSizes = {what.sizes.rbegin(), what.sizes.rend()};

    // Every member has its own value of the whole, or they have parts of one.
    TensorType whole = type;
    bool isSplit = opcode == Opcode::AllGather || opcode == Opcode::AllToAll ||
                   opcode == Opcode::ReduceScatter;
    if (isSplit)
      whole.shape[what.dimension] = sum(what.sizes);
    if (opcode == Opcode::AllToAll)
      whole.shape[what.toDimension] = sum(what.toSizes);
    Bytes common = makeBytes(whole);
    std::vector<Bytes> values;
    for (size_t i = 0; i < size; ++i)
      values.push_back(makeBytes(whole));

    for (size_t i = 0; i < size; ++i) {
      TensorType partType =
          isSplit ? withSize(whole, what.dimension, what.sizes[i]) : whole;
      int64_t rank = what.group[i];
      switch (opcode) {
      case Opcode::AllGather:
        addPart(what, rank, &partType,
                takePart(common, whole, what.dimension, what.sizes, i), &whole,
                common);
        break;
      case Opcode::ReduceScatter:
        addPart(what, rank, &whole, values[i], &partType,
                takePart(reduce(values, size, whole, what.reduction), whole,
                         what.dimension, what.sizes, i));
        break;
      case Opcode::AllToAll: {
        TensorType toType = withSize(whole, what.toDimension, what.toSizes[i]);
        addPart(what, rank, &partType,
                takePart(common, whole, what.dimension, what.sizes, i), &toType,
                takePart(common, whole, what.toDimension, what.toSizes, i));
        break;
      }
      case Opcode::Broadcast:
        addPart(what, rank, int64_t(i) == what.root ? &whole : nullptr, common,
                &whole, common);
        break;
      default:
        addPart(what, rank, &whole, values[i], &whole,
                reduce(values, opcode == Opcode::AllReduce ? size : i, whole,
                       what.reduction));
      }
    }
  }
}

MaybeError RandomCollectives::setArguments(Session &session) const {
  const std::vector<Bytes> &values = inputs[session.getProgram().rank];
  for (size_t i = 0; i < values.size(); ++i)
    if (MaybeError error = session.setArgument(i, values[i].data()))
      return error;
  return std::nullopt;
}

MaybeError RandomCollectives::compare(Session &session) const {
  const Program &program = session.getProgram();
  const std::vector<Bytes> &values = expected[program.rank];
  for (size_t i = 0; i < values.size(); ++i)
    if (!values[i].empty() &&
        std::memcmp(session.getResult(i), values[i].data(), values[i].size()) !=
            0)
      return "result " + std::to_string(i) + " of rank " +
             std::to_string(program.rank) + ", " +
             program.buffers[program.results[i].buffer].str() + ", differs";
  return std::nullopt;
}
