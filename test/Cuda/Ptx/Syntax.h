//===- Syntax.h - PTX as it is written --------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Modules, functions, variables and instructions as the text has them, with
// their lines. What instructions mean is not known here.

#ifndef HETERO_TEST_CUDA_PTX_SYNTAX_H
#define HETERO_TEST_CUDA_PTX_SYNTAX_H

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace hetero::standin::ptx {

/// A problem and where it is.
struct Problem {
  int line = 0;
  std::string message;
};

struct Operand {
  enum class Kind {
    /// A register, a variable or a label.
    Name,
    /// A number: bits, of a float as wide as floatBits says.
    Number,
    /// `[base+offset]`, the base a name or, if empty, nothing.
    Address,
    /// `{a, b}`
    Vector,
    /// `a|b`
    Pair,
    /// `(a, b)`, of a call.
    List,
    /// `_`
    Nothing
  };
  Kind kind = Kind::Nothing;
  std::string name;
  uint64_t bits = 0;
  int floatBits = 0;
  int64_t offset = 0;
  /// `!` in front of a predicate.
  bool isNegated = false;
  std::vector<Operand> parts;
};

struct Variable {
  int line = 0;
  /// `.shared` and the like, without the dot.
  std::string space;
  std::string name;
  /// Of one element, and of all.
  size_t elementBytes = 0;
  size_t bytes = 0;
  size_t alignment = 0;
  bool isExternal = false;
  std::vector<char> initial;
  /// Addresses of variables that stand in the initial bytes.
  struct Reference {
    size_t offset;
    std::string name;
    int64_t addend;
  };
  std::vector<Reference> references;
};

struct Statement {
  enum class Kind {
    Instruction,
    Label,
    Block,
    Registers,
    Variable,
    BranchTargets
  };
  Kind kind = Kind::Instruction;
  int line = 0;
  /// The predicate in front of an instruction, if there is one.
  std::string guard;
  bool isGuardNegated = false;
  /// The parts of the mnemonic between the dots; or the type of registers.
  std::vector<std::string> mnemonic;
  /// Of a label or of registers; `%r` with a count stands for %r0, %r1, ...
  std::string name;
  int count = -1;
  std::vector<Operand> operands;
  Variable variable;
  std::vector<Statement> body;
};

struct Function {
  int line = 0;
  bool isKernel = false;
  bool hasBody = false;
  std::string name;
  std::vector<Variable> results;
  std::vector<Variable> parameters;
  /// Of .maxntid and .reqntid, 0 if there is none.
  uint32_t maxThreads[3] = {0, 0, 0};
  uint32_t requiredThreads[3] = {0, 0, 0};
  std::vector<Statement> body;
};

struct Module {
  /// 80 for sm_80; `isExact` if no other device can run it (sm_90a).
  int target = 0;
  bool isExact = false;
  std::vector<Function> functions;
  std::vector<Variable> variables;
};

/// Bits of a type such as `b32`, 1 for `pred`, and 0 for what is no type.
int typeBits(std::string_view type);

/// False, and the problem, if the text is not PTX as this reader knows it.
bool parse(std::string_view text, Module &module, Problem &problem);

} // namespace hetero::standin::ptx

#endif // HETERO_TEST_CUDA_PTX_SYNTAX_H
