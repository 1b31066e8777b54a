//===- RandomCollectives.h - Programs with known results --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random programs that communicate: all kinds, groups in any order, sizes that
// do not divide, element types, buckets, started and not, and waits in another
// order on every rank. What they give is computed here from the inputs, one
// member after the other, so that any transport can be compared with it.

#ifndef HETERO_TEST_UNIT_RUNTIME_RANDOMCOLLECTIVES_H
#define HETERO_TEST_UNIT_RUNTIME_RANDOMCOLLECTIVES_H

#include "Programs.h"
#include <random>

namespace hetero::runtime {

class RandomCollectives {
public:
  /// The same for all processes that give the same seed.
  RandomCollectives(int64_t numRanks, unsigned seed, int64_t numTransfers);

  const Program &getProgram(int64_t rank) const {
    return builders[rank].program;
  }

  /// Sets the arguments of one rank.
  MaybeError setArguments(Session &session) const;
  /// What is wrong with the results of one rank, if anything.
  MaybeError compare(Session &session) const;

private:
  using Bytes = std::vector<char>;

  void addTransfer();
  void addMessage();
  void addCollective(Opcode opcode);
  /// One instruction on one rank, with its operand and the expected result.
  void addPart(Instruction what, int64_t rank, const TensorType *operandType,
               const Bytes &operand, const TensorType *resultType,
               const Bytes &result);
  void endStarted(bool all);

  int64_t pick(int64_t low, int64_t high);
  Bytes makeBytes(const TensorType &type);
  std::vector<int64_t> pickSizes(int64_t count);

  std::mt19937_64 random;
  std::vector<ProgramBuilder> builders;
  /// By rank and binding.
  std::vector<std::vector<Bytes>> inputs, expected;
  /// Started instructions of each rank that have no wait yet.
  std::vector<std::vector<int32_t>> open;
  int64_t nextChannel = 0, nextBucket = 0;
};

} // namespace hetero::runtime

#endif // HETERO_TEST_UNIT_RUNTIME_RANDOMCOLLECTIVES_H
