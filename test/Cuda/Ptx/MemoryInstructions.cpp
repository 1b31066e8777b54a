//===- MemoryInstructions.cpp - Loads, stores and atomics -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "FunctionWriter.h"

namespace hetero::standin::ptx {

void FunctionWriter::addMemoryHandlers(
    std::map<std::string, Handler> &handlers) {
  handlers["ld"] = &FunctionWriter::load;
  handlers["st"] = &FunctionWriter::store;
  handlers["atom"] = &FunctionWriter::atomic;
  handlers["red"] = &FunctionWriter::atomic;
}

std::string FunctionWriter::takeSpace() {
  std::string space =
      takeOneOf({"global", "shared", "shared::cta", "local", "const", "param",
                 "param::entry", "param::func", ""});
  return space.substr(0, space.find("::"));
}

/// What says how long something stays in a cache changes no value.
void FunctionWriter::takeCacheHints() {
  for (const char *hint :
       {"ca", "cg", "cs", "lu", "cv", "wb", "wt", "L1::evict_normal",
        "L1::evict_unchanged", "L1::evict_first", "L1::evict_last",
        "L1::no_allocate", "L2::64B", "L2::128B", "L2::256B"})
    take(hint);
}

int FunctionWriter::takeVector() { return take("v2") ? 2 : take("v4") ? 4 : 1; }

/// The address that an operand says, or the place itself if it is that of an
/// argument of a call.
std::string FunctionWriter::address(const Operand &operand, bool &isArgument,
                                    size_t bytes) {
  isArgument = false;
  std::string offset = std::to_string(operand.offset) + "LL";
  if (operand.kind != Operand::Kind::Address) {
    problem("an address is expected");
    return "0";
  }
  if (operand.name.empty())
    return "(u64)" + offset;
  const Symbol *symbol = lookUp(operand.name);
  if (!symbol) {
    problem("'" + operand.name + "' is not known");
    return "0";
  }
  if (symbol->kind == Symbol::Kind::Argument) {
    isArgument = true;
    if (operand.offset < 0 || operand.offset + bytes > symbol->bytes)
      problem("it is outside of '" + operand.name + "'");
    return symbol->expression + " + " + offset;
  }
  if (symbol->kind == Symbol::Kind::Variable)
    return "(" + symbol->expression + " + " + offset + ")";
  if (symbol->bits != 64 && symbol->bits != 32)
    problem("'" + operand.name + "' is no address");
  return "((u64)" + mangle("R_", operand.name) + " + " + offset + ")";
}

/// Where the bytes are in the host's memory.
std::string FunctionWriter::place(const Operand &operand,
                                  const std::string &space, size_t bytes,
                                  const std::string &how) {
  bool isArgument;
  std::string text = address(operand, isArgument, bytes);
  if (isArgument)
    return space == "param" ? text
                            : (problem("it is in .param"), std::string("0"));
  static const std::map<std::string, std::string> spaces = {
      {"", "PTX_GENERIC"},      {"global", "PTX_GLOBAL"},
      {"shared", "PTX_SHARED"}, {"local", "PTX_LOCAL"},
      {"const", "PTX_CONST"},   {"param", "PTX_PARAM"}};
  return "AT(" + spaces.at(space) + ", " + text + ", " + std::to_string(bytes) +
         ", " + how + ", " + std::to_string(current->line) + ")";
}

/// Whether the access is ordered with others, so that it is no race.
static bool isStrong(const std::vector<std::string> &modifiers) {
  for (const std::string &modifier : modifiers)
    if (modifier == "volatile" || modifier == "relaxed" ||
        modifier == "acquire" || modifier == "release")
      return true;
  return false;
}

void FunctionWriter::load() {
  bool strong = isStrong(modifiers);
  takeOneOf({"volatile", "relaxed", "acquire", "weak", ""});
  takeOneOf({"cta", "cluster", "gpu", "sys", ""});
  std::string space = takeSpace();
  bool isReadOnly = take("nc");
  takeCacheHints();
  int count = takeVector();
  Type type = takeType();
  if (!expectOperands(2) || type.bits < 8 || type.bits > 64 || type.isPair())
    return problem("the type is not known here");
  std::string how = strong       ? "PTX_READ | PTX_ATOMIC"
                    : isReadOnly ? "PTX_READ | PTX_NON_COHERENT"
                                 : "PTX_READ";
  const Operand &to = current->operands[0];
  std::string from =
      place(current->operands[1], space, count * type.bits / 8, how);
  std::string element = "element_" + std::to_string(type.bits) + "(";
  if (count == 1)
    return writeExtended(to, type, element + from + ", 0)");
  if (to.kind != Operand::Kind::Vector || to.parts.size() != size_t(count))
    return problem("a vector is expected");
  emit("{ const char *from = " + from + "; (void)from;");
  for (int i = 0; i < count; ++i)
    writeExtended(to.parts[i], type,
                  element + "from, " + std::to_string(i) + ")");
  emit("}");
}

void FunctionWriter::store() {
  bool strong = isStrong(modifiers);
  takeOneOf({"volatile", "relaxed", "release", "weak", ""});
  takeOneOf({"cta", "cluster", "gpu", "sys", ""});
  std::string space = takeSpace();
  takeCacheHints();
  int count = takeVector();
  Type type = takeType();
  if (!expectOperands(2) || type.bits < 8 || type.bits > 64 || type.isPair())
    return problem("the type is not known here");
  if (space == "const" ||
      (space == "param" && function.isKernel &&
       findRange(scopes.front(), current->operands[0].name)))
    return problem("it cannot be written to");
  std::string how = strong ? "PTX_WRITE | PTX_ATOMIC" : "PTX_WRITE";
  const Operand &from = current->operands[1];
  emit("{ char *to = " +
       place(current->operands[0], space, count * type.bits / 8, how) + ";");
  std::string set = "set_element_" + std::to_string(type.bits) + "(to, ";
  if (count > 1 && (from.kind != Operand::Kind::Vector ||
                    from.parts.size() != size_t(count)))
    return problem("a vector is expected");
  for (int i = 0; i < count; ++i) {
    const Operand &part = count > 1 ? from.parts[i] : from;
    emit(set + std::to_string(i) + ", " +
         readOperand(part, type.bits, /*mayBeWider=*/true) + ");");
  }
  emit("}");
}

//===----------------------------------------------------------------------===//
// Atomics
//===----------------------------------------------------------------------===//

/// What replaces the old value, as an expression of `old`, `b` and `c`.
std::string FunctionWriter::atomicValue(const std::string &operation,
                                        const Type &type,
                                        const std::string &space) {
  std::string width = std::to_string(type.bits);
  bool isBits = type.kind() == 'b' && !type.isFloat();
  if (operation == "exch" && isBits)
    return "b";
  if (operation == "cas" && isBits)
    return "old == b ? c : old";
  if ((operation == "and" || operation == "or" || operation == "xor") && isBits)
    return operation + "_" + width + "(old, b)";
  if ((operation == "inc" || operation == "dec") && type.name == "u32")
    return operation + "_32(old, b)";
  bool isLeast = operation == "min" || operation == "max";
  if (type.isPair() || type.isHalf()) {
    std::string name = operation + "_" + type.element().name;
    if (!take("noftz") || (operation != "add" && !isLeast))
      problem("'.noftz' is expected");
    if (!type.isPair())
      return name + "(old, b, 0, 0)";
    return "pair_16(" + name + "(low_16(old), low_16(b), 0, 0), " + name +
           "(high_16(old), high_16(b), 0, 0))";
  }
  // Sums of 32 bits in global memory know no small numbers.
  if (operation == "add" && type.isFloat())
    return "add_" + type.name + "(old, b, RN, " +
           (type.bits == 32 && space != "shared" ? "1" : "0") + ", 0)";
  if (operation == "add" && !isBits)
    return "add_" + width + "(old, b)";
  if (isLeast && !isBits && !type.isFloat())
    return operation + "_" + (type.isSigned() ? "s" : "u") + width + "(old, b)";
  problem("the operation is not known for the type");
  return "old";
}

void FunctionWriter::atomic() {
  bool hasResult = current->mnemonic.front() == "atom";
  takeOneOf({"relaxed", "acquire", "release", "acq_rel", ""});
  takeOneOf({"cta", "cluster", "gpu", "sys", ""});
  std::string space = takeSpace();
  std::string operation = takeOneOf({"add", "min", "max", "inc", "dec", "cas",
                                     "exch", "and", "or", "xor", ""});
  Type type = takeType();
  size_t first = hasResult, count = operation == "cas" ? 3 : 2;
  bool isOfSpace = space.empty() || space == "global" || space == "shared";
  if (!expectOperands(first + count) || type.bits < 16 || type.bits > 64 ||
      !isOfSpace || operation.empty() ||
      (!hasResult && (operation == "cas" || operation == "exch")))
    return problem("the operation is not known");
  std::string width = std::to_string(type.bits), unsignedType = "u" + width;
  emit("{ char *at = " +
       place(current->operands[first], space, type.bits / 8,
             "PTX_WRITE | PTX_ATOMIC | PTX_UPDATE") +
       "; const " + unsignedType + " old = element_" + width +
       "(at, 0), b = " + read(first + 1, type.bits) + ";");
  if (count == 3)
    emit("const " + unsignedType + " c = " + read(first + 2, type.bits) + ";");
  emit("set_element_" + width + "(at, 0, " +
       atomicValue(operation, type, space) + ");");
  if (hasResult)
    result(type.bits, "old");
  emit("}");
}

} // namespace hetero::standin::ptx
