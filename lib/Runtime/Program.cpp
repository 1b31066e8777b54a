//===- Program.cpp - Types and names of rank programs ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Runtime/Program.h"

using namespace hetero::runtime;

int64_t hetero::runtime::sizeOf(ElementType type) {
  switch (type) {
  case ElementType::Bool:
  case ElementType::I8:
  case ElementType::U8:
    return 1;
  case ElementType::I16:
  case ElementType::U16:
  case ElementType::F16:
  case ElementType::BF16:
    return 2;
  case ElementType::I32:
  case ElementType::U32:
  case ElementType::F32:
    return 4;
  case ElementType::I64:
  case ElementType::U64:
  case ElementType::F64:
  case ElementType::C64:
    return 8;
  case ElementType::C128:
    return 16;
  }
  return 0;
}

const char *hetero::runtime::nameOf(ElementType type) {
  switch (type) {
  case ElementType::Bool:
    return "i1";
  case ElementType::I8:
    return "i8";
  case ElementType::I16:
    return "i16";
  case ElementType::I32:
    return "i32";
  case ElementType::I64:
    return "i64";
  case ElementType::U8:
    return "ui8";
  case ElementType::U16:
    return "ui16";
  case ElementType::U32:
    return "ui32";
  case ElementType::U64:
    return "ui64";
  case ElementType::F16:
    return "f16";
  case ElementType::BF16:
    return "bf16";
  case ElementType::F32:
    return "f32";
  case ElementType::F64:
    return "f64";
  case ElementType::C64:
    return "complex<f32>";
  case ElementType::C128:
    return "complex<f64>";
  }
  return "unknown type";
}

const char *hetero::runtime::nameOf(Opcode opcode) {
  switch (opcode) {
  case Opcode::Call:
    return "call";
  case Opcode::Constant:
    return "constant";
  case Opcode::Copy:
    return "copy";
  case Opcode::Accumulate:
    return "accumulate";
  case Opcode::Send:
    return "send";
  case Opcode::Recv:
    return "recv";
  case Opcode::AllReduce:
    return "all_reduce";
  case Opcode::AllGather:
    return "all_gather";
  case Opcode::ReduceScatter:
    return "reduce_scatter";
  case Opcode::AllToAll:
    return "all_to_all";
  case Opcode::Broadcast:
    return "broadcast";
  case Opcode::ExclusiveScan:
    return "exclusive_scan";
  case Opcode::Wait:
    return "wait";
  case Opcode::Free:
    return "free";
  }
  return "unknown instruction";
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
