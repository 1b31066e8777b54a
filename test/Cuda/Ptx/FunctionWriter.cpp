//===- FunctionWriter.cpp - Statements and operands -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "FunctionWriter.h"
#include "PtxThread.h"
#include <algorithm>
#include <cctype>

namespace hetero::standin::ptx {

std::string FunctionWriter::mangle(const std::string &prefix,
                                   const std::string &name) {
  std::string result = prefix;
  for (char c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)))
      result += c;
    else if (c == '_')
      result += "__";
    else
      result += "_" + std::to_string(static_cast<unsigned char>(c)) + "_";
  }
  return result;
}

std::string FunctionWriter::signature(const Function &function) {
  std::string text = function.isKernel ? "void " : "static void ";
  text += mangle(function.isKernel ? "K_" : "F_", function.name) + "(thread t";
  if (!function.isKernel) {
    for (const Variable &variable : function.results)
      text += ", char *" + mangle("A_", variable.name);
    for (const Variable &variable : function.parameters)
      text += ", char *" + mangle("A_", variable.name);
  }
  return text + ")";
}

//===----------------------------------------------------------------------===//
// Statements
//===----------------------------------------------------------------------===//

void FunctionWriter::emit(const std::string &text) { lines.push_back(text); }

/// Instructions are counted by runs without a branch or a label in them.
void FunctionWriter::countInstruction() {
  if (!runLength++) {
    countLine = lines.size();
    emit("");
  }
}

void FunctionWriter::endOfRun() {
  if (runLength)
    lines[countLine] = "t->instructions += " + std::to_string(runLength) + ";";
  runLength = 0;
}

void FunctionWriter::collectLabels(const std::vector<Statement> &body) {
  for (const Statement &statement : body) {
    if (statement.kind == Statement::Kind::Label)
      labels.insert(statement.name);
    if (statement.kind == Statement::Kind::BranchTargets)
      branchTargets[statement.name] = &statement;
    collectLabels(statement.body);
  }
}

std::string FunctionWriter::write() {
  collectLabels(function.body);
  scopes.emplace_back();
  size_t offset = PTX_FIRST_ADDRESS;
  auto declare = [&](const Variable &variable) {
    Symbol symbol;
    symbol.bytes = variable.bytes;
    symbol.space = "param";
    symbol.kind =
        function.isKernel ? Symbol::Kind::Variable : Symbol::Kind::Argument;
    symbol.expression = mangle("A_", variable.name);
    if (function.isKernel) {
      offset = (offset + variable.alignment - 1) / variable.alignment *
               variable.alignment;
      symbol.expression = std::to_string(offset) + "ULL";
      offset += variable.bytes;
    }
    scopes.back()[variable.name] = symbol;
  };
  for (const Variable &variable : function.results)
    declare(variable);
  for (const Variable &variable : function.parameters)
    declare(variable);
  writeBody(function.body, /*isNested=*/false);
  endOfRun();
  std::string text = signature(function) + " {\nu32 carry = 0; (void)carry;\n";
  if (localBytes)
    text += "const u64 frame = t->host->enter(t, " +
            std::to_string(localBytes) + ", " + std::to_string(function.line) +
            ");\n";
  for (const std::string &line : lines)
    text += line + "\n";
  text += "goto leave; leave:;\n";
  if (localBytes)
    text += "t->local_end = frame;\n";
  return text + "}\n";
}

void FunctionWriter::writeBody(const std::vector<Statement> &body,
                               bool isNested) {
  scopes.emplace_back();
  if (isNested)
    for (const Statement &statement : body)
      if (statement.kind == Statement::Kind::Label)
        emit("__label__ " + mangle("L_", statement.name) + ";");
  for (const Statement &statement : body)
    writeStatement(statement);
  scopes.pop_back();
}

void FunctionWriter::writeStatement(const Statement &statement) {
  current = &statement;
  hasProblem = false;
  switch (statement.kind) {
  case Statement::Kind::Instruction:
    return writeInstruction(statement);
  case Statement::Kind::Label:
    endOfRun();
    return emit(mangle("L_", statement.name) + ":;");
  case Statement::Kind::Block:
    // A run may not begin in a block and end behind it: it may be jumped over.
    endOfRun();
    emit("{");
    writeBody(statement.body, /*isNested=*/true);
    endOfRun();
    return emit("}");
  case Statement::Kind::Registers:
    return writeRegisters(statement);
  case Statement::Kind::Variable:
    return writeVariable(statement.variable);
  case Statement::Kind::BranchTargets:
    return;
  }
}

void FunctionWriter::writeRegisters(const Statement &statement) {
  Symbol symbol;
  const std::string &type = statement.mnemonic.front();
  symbol.bits = typeBits(type);
  symbol.count = statement.count;
  if (symbol.bits == 128)
    return problem("registers of 128 bits are not supported");
  std::string width = std::to_string(symbol.bits == 1 ? 8 : symbol.bits);
  std::string value = symbol.bits == 1 ? "1" : "(u" + width + ")POISON";
  auto declare = [&](const std::string &name) {
    emit("u" + width + " " + mangle("R_", name) + " = " + value + ";");
  };
  if (statement.count < 0)
    declare(statement.name);
  for (int i = 0; i < statement.count; ++i)
    declare(statement.name + std::to_string(i));
  symbol.expression = mangle("R_", statement.name);
  scopes.back()[statement.name] = symbol;
}

void FunctionWriter::writeVariable(const Variable &variable) {
  Symbol symbol;
  symbol.kind = Symbol::Kind::Variable;
  symbol.bytes = variable.bytes;
  symbol.space = variable.space;
  if (variable.space == "local") {
    size_t begin = (localBytes + variable.alignment - 1) / variable.alignment *
                   variable.alignment;
    localBytes = begin + variable.bytes;
    symbol.expression = "(frame + " + std::to_string(begin) + ")";
  } else if (variable.space == "shared") {
    size_t begin = (context.sharedEnd + variable.alignment - 1) /
                   variable.alignment * variable.alignment;
    context.sharedEnd = begin + variable.bytes + PTX_FIRST_ADDRESS;
    sharedRanges.push_back({begin, variable.bytes});
    symbol.expression = std::to_string(begin) + "ULL";
  } else {
    symbol.kind = Symbol::Kind::Argument;
    symbol.expression = mangle("A_", variable.name);
    emit("char " + symbol.expression + "[" + std::to_string(variable.bytes) +
         "]; memset(" + symbol.expression + ", 0xa5, " +
         std::to_string(variable.bytes) + ");");
  }
  scopes.back()[variable.name] = symbol;
}

void FunctionWriter::writeInstruction(const Statement &statement) {
  std::string whole;
  for (const std::string &part : statement.mnemonic)
    whole += (whole.empty() ? "" : ".") + part;
  ++context.translation.mnemonics[whole];
  const std::string &name = statement.mnemonic.front();
  modifiers.assign(statement.mnemonic.begin() + 1, statement.mnemonic.end());
  auto handler = handlers().find(name);
  if (handler == handlers().end())
    return problem("the instruction is not known");
  countInstruction();
  if (!statement.guard.empty()) {
    Operand guard;
    guard.kind = Operand::Kind::Name;
    guard.name = statement.guard;
    guard.isNegated = statement.isGuardNegated;
    emit("if (" + readPredicate(guard) + ") {");
  }
  (this->*handler->second)();
  if (!statement.guard.empty())
    emit("}");
  if (!modifiers.empty())
    problem("'." + modifiers.front() + "' is not known here");
  if (name == "bra" || name == "brx" || name == "ret" || name == "exit")
    endOfRun();
}

//===----------------------------------------------------------------------===//
// The parts of an instruction
//===----------------------------------------------------------------------===//

/// One problem of an instruction is enough.
void FunctionWriter::problem(const std::string &message) {
  if (hasProblem)
    return;
  hasProblem = true;
  std::string whole;
  if (current->kind == Statement::Kind::Instruction)
    for (const std::string &part : current->mnemonic)
      whole += (whole.empty() ? "'" : ".") + part;
  context.translation.problems.push_back(
      {current->line, (whole.empty() ? "" : whole + "': ") + message});
}

bool FunctionWriter::take(const std::string &modifier) {
  auto found = std::find(modifiers.begin(), modifiers.end(), modifier);
  if (found == modifiers.end())
    return false;
  modifiers.erase(found);
  return true;
}

std::string FunctionWriter::takeOneOf(const std::vector<std::string> &choices) {
  for (const std::string &choice : choices)
    if (!choice.empty() && take(choice))
      return choice;
  return choices.back();
}

Type FunctionWriter::takeType() {
  for (auto it = modifiers.begin(); it != modifiers.end(); ++it)
    if (int bits = typeBits(*it)) {
      Type type{*it, bits};
      modifiers.erase(it);
      return type;
    }
  problem("a type is expected");
  return {"b32", 32};
}

bool FunctionWriter::expectOperands(size_t least, size_t most) {
  size_t count = current->operands.size();
  if (count >= least && count <= most)
    return true;
  problem("it has " + std::to_string(count) + " operands");
  return false;
}

bool FunctionWriter::expectOperands(size_t count) {
  return expectOperands(count, count);
}

std::string FunctionWriter::takeRounding() {
  std::string mode = takeOneOf({"rn", "rz", "rm", "rp", ""});
  return mode.empty()   ? "RN"
         : mode == "rn" ? "RN"
         : mode == "rz" ? "RZ"
         : mode == "rm" ? "RM"
                        : "RP";
}

std::string FunctionWriter::flag(const std::string &modifier) {
  return take(modifier) ? "1" : "0";
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

const Symbol *
FunctionWriter::findRange(const std::map<std::string, Symbol> &scope,
                          const std::string &name) {
  auto exact = scope.find(name);
  if (exact != scope.end() && exact->second.count < 0)
    return &exact->second;
  size_t end = name.find_last_not_of("0123456789") + 1;
  if (end == name.size() || (name[end] == '0' && end + 1 != name.size()))
    return nullptr;
  auto range = scope.find(name.substr(0, end));
  // A number of more than 9 digits is no register.
  if (range == scope.end() || name.size() - end > 9 ||
      std::stol(name.substr(end)) >= range->second.count)
    return nullptr;
  return &range->second;
}

const Symbol *FunctionWriter::lookUp(const std::string &name) {
  for (auto scope = scopes.rbegin(); scope != scopes.rend(); ++scope)
    if (const Symbol *found = findRange(*scope, name))
      return found;
  auto global = context.variables.find(name);
  if (global == context.variables.end())
    return nullptr;
  if (global->second.space == "shared" && sharedNames.insert(name).second)
    sharedRanges.push_back(context.shared[name]);
  return &global->second;
}

/// Registers of the kernels' coordinates and the like; 0 bits if it is none.
std::string FunctionWriter::specialRegister(const std::string &name,
                                            int &bits) {
  bits = 32;
  static const std::map<std::string, std::string> vectors = {
      {"%tid", "tid"},
      {"%ntid", "ntid"},
      {"%ctaid", "ctaid"},
      {"%nctaid", "nctaid"}};
  auto vector = vectors.find(name.substr(0, name.find('.')));
  if (vector != vectors.end() && name.size() == vector->first.size() + 2) {
    char axis = name.back();
    if (axis >= 'x' && axis <= 'z')
      return "t->" + vector->second + "[" + std::to_string(axis - 'x') + "]";
  }
  static const std::map<std::string, std::string> scalars = {
      {"%laneid", "t->lane"},
      {"%warpid", "t->warp"},
      {"%nwarpid", "((t->ntid[0] * t->ntid[1] * t->ntid[2] + 31) / 32)"},
      {"%lanemask_eq", "(1U << t->lane)"},
      {"%lanemask_lt", "((1U << t->lane) - 1)"},
      {"%lanemask_le", "(~0U >> (31 - t->lane))"},
      {"%lanemask_gt", "~(~0U >> (31 - t->lane))"},
      {"%lanemask_ge", "~((1U << t->lane) - 1)"},
      {"%smid", "0U"},
      {"%nsmid", "1U"},
      {"%clock", "(u32)t->instructions"},
      {"%dynamic_smem_size", "0U"},
      {"WARP_SZ", "32U"}};
  auto scalar = scalars.find(name);
  if (scalar != scalars.end())
    return scalar->second;
  bits = 64;
  if (name == "%clock64" || name == "%globaltimer")
    return "t->instructions";
  bits = 0;
  return "";
}

std::string FunctionWriter::readNumber(const Operand &operand, int bits) {
  if (operand.floatBits && operand.floatBits != bits)
    problem("a number of " + std::to_string(operand.floatBits) +
            " bits where " + std::to_string(bits) + " are expected");
  if (bits == 1)
    return operand.bits ? "1" : "0";
  std::string width = std::to_string(bits);
  return "(u" + width + ")" + std::to_string(operand.bits) + "ULL";
}

std::string FunctionWriter::readVariable(const Symbol &symbol,
                                         const Operand &operand) {
  if (symbol.kind == Symbol::Kind::Argument) {
    problem("the address of '" + operand.name + "' is not supported");
    return "0";
  }
  return "(" + symbol.expression + " + " + std::to_string(operand.offset) +
         "LL)";
}

std::string FunctionWriter::readOperand(const Operand &operand, int bits,
                                        bool mayBeWider) {
  std::string width = std::to_string(bits == 1 ? 8 : bits);
  if (operand.kind == Operand::Kind::Number)
    return readNumber(operand, bits);
  if (operand.kind != Operand::Kind::Name) {
    problem("an operand is not a register or a number");
    return "0";
  }
  if (bits == 1)
    return readPredicate(operand);
  std::string expression;
  int has = 0;
  const Symbol *symbol = lookUp(operand.name);
  if (symbol && symbol->kind != Symbol::Kind::Register) {
    has = 64;
    expression = readVariable(*symbol, operand);
  } else if (symbol) {
    has = symbol->bits;
    expression = mangle("R_", operand.name);
  } else {
    expression = specialRegister(operand.name, has);
  }
  if (!has) {
    problem("'" + operand.name + "' is not known");
    return "0";
  }
  if (operand.isNegated || has < bits || (has != bits && !mayBeWider))
    problem("'" + operand.name + "' has " + std::to_string(has) +
            " bits, which does not fit");
  return has == bits && symbol ? expression : "(u" + width + ")" + expression;
}

std::string FunctionWriter::read(size_t index, int bits, bool mayBeWider) {
  return readOperand(current->operands[index], bits, mayBeWider);
}

std::string FunctionWriter::readPredicate(const Operand &operand) {
  if (operand.kind == Operand::Kind::Number)
    return readNumber(operand, 1);
  const Symbol *symbol = lookUp(operand.name);
  if (!symbol || symbol->kind != Symbol::Kind::Register || symbol->bits != 1) {
    problem("'" + operand.name + "' is not a predicate");
    return "0";
  }
  return (operand.isNegated ? "!" : "") + mangle("R_", operand.name);
}

/// Bits of the register that an operand is, 0 if it is none.
int FunctionWriter::registerBits(const Operand &operand) {
  if (operand.kind != Operand::Kind::Name)
    return 0;
  const Symbol *symbol = lookUp(operand.name);
  return symbol && symbol->kind == Symbol::Kind::Register ? symbol->bits : 0;
}

void FunctionWriter::writeOperand(const Operand &operand, int bits,
                                  const std::string &value) {
  if (operand.kind == Operand::Kind::Nothing)
    return emit("(void)(" + value + ");");
  int has = registerBits(operand);
  if (has != bits)
    return problem("'" + operand.name + "' is no register of " +
                   std::to_string(bits) + " bits");
  emit(mangle("R_", operand.name) + " = " + value + ";");
}

/// A value of a type in a register that may be wider.
void FunctionWriter::writeExtended(const Operand &operand, const Type &type,
                                   const std::string &value) {
  if (operand.kind == Operand::Kind::Nothing)
    return emit("(void)(" + value + ");");
  int has = registerBits(operand);
  if (has < type.bits || has < 16 ||
      (has != type.bits && type.isFloat() && !type.isHalf()))
    return problem("'" + operand.name + "' cannot hold the result");
  std::string width = std::to_string(type.bits);
  std::string narrowed = type.isSigned()
                             ? "(s64)(s" + width + ")(" + value + ")"
                             : "(u" + width + ")(" + value + ")";
  emit(mangle("R_", operand.name) + " = " + narrowed + ";");
}

void FunctionWriter::result(int bits, const std::string &value) {
  writeOperand(current->operands[0], bits, value);
}

} // namespace hetero::standin::ptx
