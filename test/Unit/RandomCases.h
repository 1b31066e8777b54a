//===- RandomCases.h - How many random cases are tried ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests that compare planners and solvers with an oracle on random cases have
// one of their own for each number from 0 on. HETERO_RANDOM_CASES sets how many
// each of them tries, instead of what takes little time:
//
//   HETERO_RANDOM_CASES=5000 hetero-planning-tests

#ifndef HETERO_TEST_UNIT_RANDOMCASES_H
#define HETERO_TEST_UNIT_RANDOMCASES_H

#include <cstdint>
#include <cstdlib>

namespace hetero {

/// Whether a number of cases is given.
inline bool isLongRun() {
  return std::getenv("HETERO_RANDOM_CASES") != nullptr;
}

/// The number that is given, or the usual one.
inline int64_t numRandomCases(int64_t usual) {
  const char *given = std::getenv("HETERO_RANDOM_CASES");
  return given ? std::atoll(given) : usual;
}

} // namespace hetero

#endif // HETERO_TEST_UNIT_RANDOMCASES_H
