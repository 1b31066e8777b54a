//===- Program.cpp - Types and names of rank programs ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Runtime/Program.h"
#include <iterator>

using namespace hetero::runtime;

namespace {
struct ElementInfo {
  const char *name;
  int64_t size;
};
} // namespace

/// In the order of ElementType.
static constexpr ElementInfo elements[] = {
    {"i1", 1},   {"i8", 1},           {"i16", 2},          {"i32", 4},
    {"i64", 8},  {"ui8", 1},          {"ui16", 2},         {"ui32", 4},
    {"ui64", 8}, {"f16", 2},          {"bf16", 2},         {"f32", 4},
    {"f64", 8},  {"complex<f32>", 8}, {"complex<f64>", 16}};
static_assert(std::size(elements) == size_t(ElementType::C128) + 1);

/// In the order of Opcode.
static constexpr const char *opcodes[] = {
    "call",           "constant",   "copy",       "accumulate",
    "send",           "recv",       "all_reduce", "all_gather",
    "reduce_scatter", "all_to_all", "broadcast",  "exclusive_scan",
    "wait",           "free"};
static_assert(std::size(opcodes) == size_t(Opcode::Free) + 1);

int64_t hetero::runtime::sizeOf(ElementType type) {
  return type <= ElementType::C128 ? elements[size_t(type)].size : 0;
}

const char *hetero::runtime::nameOf(ElementType type) {
  return type <= ElementType::C128 ? elements[size_t(type)].name
                                   : "unknown type";
}

const char *hetero::runtime::nameOf(Opcode opcode) {
  return opcode <= Opcode::Free ? opcodes[size_t(opcode)]
                                : "unknown instruction";
}

std::string hetero::runtime::nameOf(Reduction reduction) {
  return stringify(reduction).str();
}

bool hetero::runtime::isCommunication(Opcode opcode) {
  return opcode >= Opcode::Send && opcode <= Opcode::ExclusiveScan;
}

int64_t TensorType::numElements() const {
  int64_t count = 1;
  for (int64_t size : shape)
    count *= size;
  return count;
}

std::string TensorType::str() const {
  std::string text;
  for (int64_t size : shape)
    text += std::to_string(size) + "x";
  return text + nameOf(element);
}

std::string hetero::runtime::describe(const Program &program,
                                      size_t instruction) {
  std::string text = "instruction " + std::to_string(instruction);
  if (instruction >= program.instructions.size())
    return text;
  const Instruction &what = program.instructions[instruction];
  text += std::string(" (") + nameOf(what.opcode);
  if (!what.label.empty())
    text += " '" + what.label + "'";
  if (!what.location.empty())
    text += ", " + what.location;
  return text + ")";
}
