//===- Translate.h - PTX as C -----------------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A module becomes one C file for which PtxOperations.h says what instructions
// compute; each kernel becomes a function that runs one thread.

#ifndef HETERO_TEST_CUDA_PTX_TRANSLATE_H
#define HETERO_TEST_CUDA_PTX_TRANSLATE_H

#include "Syntax.h"
#include <map>

namespace hetero::standin::ptx {

struct Range {
  size_t offset;
  size_t bytes;
};

struct TranslatedKernel {
  std::string name;
  /// The function of the C file.
  std::string symbol;
  int line = 0;
  std::vector<Range> parameters;
  size_t parameterBytes = 0;
  uint32_t maxThreads[3];
  uint32_t requiredThreads[3];
  /// Whether threads wait for each other, here or in what is called.
  bool isBlocking = false;
  /// What it may access of the module's shared variables.
  std::vector<Range> shared;
};

struct Translation {
  std::string code;
  std::vector<TranslatedKernel> kernels;
  /// The first contents of the module's variables in .global and .const, which
  /// are there from PTX_FIRST_ADDRESS on, and which parts are variables.
  std::vector<char> memory;
  std::vector<Range> variables;
  /// Bytes of shared memory from address 0 on, and of local memory for a
  /// thread.
  size_t sharedBytes = 0;
  size_t localBytes = 0;
  /// All that is not known, not only the first of it.
  std::vector<Problem> problems;
  /// How often each mnemonic occurs.
  std::map<std::string, size_t> mnemonics;
};

Translation translate(const Module &module);

} // namespace hetero::standin::ptx

#endif // HETERO_TEST_CUDA_PTX_TRANSLATE_H
