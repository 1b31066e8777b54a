//===- Control.cpp - Branches, calls and what threads do together ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "FunctionWriter.h"

namespace hetero::standin::ptx {

void FunctionWriter::addControlHandlers(
    std::map<std::string, Handler> &handlers) {
  using W = FunctionWriter;
  handlers["bra"] = &W::branch;
  handlers["brx"] = &W::branchIndexed;
  handlers["call"] = &W::call;
  handlers["ret"] = &W::leave;
  handlers["exit"] = &W::leave;
  handlers["trap"] = &W::trap;
  handlers["brkpt"] = &W::trap;
  handlers["bar"] = &W::barrier;
  handlers["barrier"] = &W::barrier;
  handlers["membar"] = &W::fence;
  handlers["fence"] = &W::fence;
  handlers["shfl"] = &W::shuffle;
  handlers["vote"] = &W::vote;
  handlers["match"] = &W::match;
  handlers["redux"] = &W::reduce;
  handlers["activemask"] = &W::activeMask;
}

void FunctionWriter::branch() {
  take("uni");
  if (!expectOperands(1))
    return;
  const std::string &label = current->operands[0].name;
  if (!labels.count(label))
    return problem("the label '" + label + "' is not known");
  emit("goto " + mangle("L_", label) + ";");
}

void FunctionWriter::branchIndexed() {
  take("uni");
  if (!take("idx") || !expectOperands(2))
    return problem("'.idx' is expected");
  auto targets = branchTargets.find(current->operands[1].name);
  if (targets == branchTargets.end())
    return problem("the targets are not known");
  emit("switch (" + read(0, 32) + ") {");
  size_t index = 0;
  for (const Operand &target : targets->second->operands) {
    if (!labels.count(target.name))
      return problem("the label '" + target.name + "' is not known");
    emit("case " + std::to_string(index++) + ": goto " +
         mangle("L_", target.name) + ";");
  }
  emit("default: t->host->fail(t, \"branches to a label that is not there\", " +
       std::to_string(current->line) + "); }");
}

void FunctionWriter::call() {
  take("uni");
  const std::vector<Operand> &operands = current->operands;
  size_t at = 0;
  const Operand *results = nullptr, *arguments = nullptr;
  if (at < operands.size() && operands[at].kind == Operand::Kind::List)
    results = &operands[at++];
  if (at == operands.size() || operands[at].kind != Operand::Kind::Name)
    return problem("the name of a function is expected");
  const std::string &name = operands[at++].name;
  if (at < operands.size() && operands[at].kind == Operand::Kind::List)
    arguments = &operands[at++];
  auto callee = context.functions.find(name);
  if (at != operands.size() || callee == context.functions.end() ||
      callee->second->isKernel || !callee->second->hasBody)
    return problem("the function '" + name + "' is not known");
  std::string text = mangle("F_", name) + "(t";
  auto pass = [&](const Operand *list, const std::vector<Variable> &formal) {
    size_t count = list ? list->parts.size() : 0;
    if (count != formal.size())
      return problem("'" + name + "' has " + std::to_string(formal.size()) +
                     " parameters or results, not " + std::to_string(count));
    for (size_t i = 0; i < count; ++i) {
      const Symbol *symbol = lookUp(list->parts[i].name);
      if (!symbol || symbol->kind != Symbol::Kind::Argument ||
          symbol->bytes != formal[i].bytes)
        return problem("'" + list->parts[i].name + "' does not fit");
      text += ", " + symbol->expression;
    }
  };
  pass(results, callee->second->results);
  pass(arguments, callee->second->parameters);
  callees.insert(name);
  emit(text + ");");
}

void FunctionWriter::leave() {
  take("uni");
  if (current->mnemonic.front() == "exit" && !function.isKernel)
    return problem("it is only supported in kernels");
  // The size of the frame is known at the end.
  emit("goto leave;");
}

void FunctionWriter::trap() {
  emit("t->host->fail(t, \"ends the program\", " +
       std::to_string(current->line) + ");");
}

void FunctionWriter::barrier() {
  std::string line = std::to_string(current->line);
  bool isAligned = take("aligned") || current->mnemonic.front() == "bar";
  take("cta");
  isBlocking = true;
  if (take("warp")) {
    if (!take("sync") || !expectOperands(1))
      return problem("'.sync' is expected");
    collective("PTX_WARP_BARRIER", read(0, 32), "0", "0", "0");
    return emit("}");
  }
  if (!take("sync") || !expectOperands(1, 2))
    return problem("'.sync' is expected");
  std::string count = current->operands.size() == 2 ? read(1, 32) : "0";
  emit("t->host->barrier(t, " + read(0, 32) + ", " + count + ", " +
       (isAligned ? "1, " : "0, ") + line + ");");
}

/// Threads run one after the other, so that memory is always in order.
void FunctionWriter::fence() {
  takeOneOf({"sc", "acq_rel", "acquire", "release", ""});
  if (takeOneOf({"cta", "cluster", "gpu", "gl", "sys", ""}).empty())
    problem("a scope is expected");
  expectOperands(0);
}

void FunctionWriter::collective(const std::string &what,
                                const std::string &mask,
                                const std::string &value,
                                const std::string &lane,
                                const std::string &clamp) {
  isBlocking = true;
  emit("{ u8 second = 0; (void)second; const u64 first = "
       "t->host->collective(t, " +
       what + ", " + mask + ", " + value + ", " + lane + ", " + clamp +
       ", &second, " + std::to_string(current->line) + "); (void)first;");
}

void FunctionWriter::shuffle() {
  std::string mode = takeOneOf({"up", "down", "bfly", "idx", ""});
  if (!take("sync") || mode.empty() || takeType().name != "b32" ||
      !expectOperands(5))
    return problem("it is not known in this form");
  std::string what = mode == "up"     ? "PTX_SHUFFLE_UP"
                     : mode == "down" ? "PTX_SHUFFLE_DOWN"
                     : mode == "bfly" ? "PTX_SHUFFLE_BUTTERFLY"
                                      : "PTX_SHUFFLE_INDEX";
  collective(what, read(4, 32), read(1, 32), read(2, 32), read(3, 32));
  const Operand &to = current->operands[0];
  bool isPair = to.kind == Operand::Kind::Pair;
  writeOperand(isPair ? to.parts[0] : to, 32, "first");
  if (isPair)
    writeOperand(to.parts[1], 1, "second");
  emit("}");
}

void FunctionWriter::vote() {
  std::string mode = takeOneOf({"all", "any", "uni", "ballot", ""});
  Type type = takeType();
  bool isBallot = mode == "ballot";
  if (!take("sync") || mode.empty() || !expectOperands(3) ||
      type.name != (isBallot ? "b32" : "pred"))
    return problem("it is not known in this form");
  std::string what = mode == "all"   ? "PTX_VOTE_ALL"
                     : mode == "any" ? "PTX_VOTE_ANY"
                     : mode == "uni" ? "PTX_VOTE_UNIFORM"
                                     : "PTX_VOTE_BALLOT";
  collective(what, read(2, 32), readPredicate(current->operands[1]), "0", "0");
  result(isBallot ? 32 : 1, "first");
  emit("}");
}

void FunctionWriter::match() {
  bool isAll = take("all");
  Type type = takeType();
  if ((!isAll && !take("any")) || !take("sync") || !expectOperands(3) ||
      type.kind() != 'b' || type.bits < 32)
    return problem("it is not known in this form");
  collective(isAll ? "PTX_MATCH_ALL" : "PTX_MATCH_ANY", read(2, 32),
             read(1, type.bits), "0", "0");
  const Operand &to = current->operands[0];
  bool isPair = to.kind == Operand::Kind::Pair;
  writeOperand(isPair ? to.parts[0] : to, 32, "first");
  if (isPair)
    writeOperand(to.parts[1], 1, "second");
  emit("}");
}

void FunctionWriter::reduce() {
  std::string operation =
      takeOneOf({"add", "min", "max", "and", "or", "xor", ""});
  Type type = takeType();
  if (!take("sync") || operation.empty() || type.bits != 32 || type.isFloat() ||
      type.isPair() || !expectOperands(3))
    return problem("it is not known in this form");
  std::string sign = type.isSigned() ? "_SIGNED" : "_UNSIGNED";
  std::string what = operation == "add"   ? "PTX_REDUCE_ADD"
                     : operation == "min" ? "PTX_REDUCE_MIN" + sign
                     : operation == "max" ? "PTX_REDUCE_MAX" + sign
                     : operation == "and" ? "PTX_REDUCE_AND"
                     : operation == "or"  ? "PTX_REDUCE_OR"
                                          : "PTX_REDUCE_XOR";
  collective(what, read(2, 32), read(1, 32), "0", "0");
  result(32, "first");
  emit("}");
}

/// A device may say of any other thread that it is not active.
void FunctionWriter::activeMask() {
  if (takeType().name != "b32" || !expectOperands(1))
    return problem("it is not known in this form");
  result(32, "1U << t->lane");
}

} // namespace hetero::standin::ptx
