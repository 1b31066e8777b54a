//===- Mutator.h - Changes to MLIR text that keep it readable ---*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Changing bytes at random nearly always ends in the lexer. This mutator works
// on tokens and lines: it drops, repeats, swaps and replaces them, changes
// numbers, and leaves the rest to libFuzzer.

#ifndef HETERO_TEST_FUZZ_MUTATOR_H
#define HETERO_TEST_FUZZ_MUTATOR_H

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace hetero::fuzz {

/// Sets the words that may take a token's place.
void setVocabulary(std::vector<std::string> words);

/// Changes the text in place, as LLVMFuzzerCustomMutator does, and returns its
/// new size. The same arguments give the same result.
size_t mutate(uint8_t *data, size_t size, size_t maxSize, unsigned seed);

} // namespace hetero::fuzz

#endif // HETERO_TEST_FUZZ_MUTATOR_H
