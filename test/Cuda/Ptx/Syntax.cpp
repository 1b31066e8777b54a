//===- Syntax.cpp - Reads PTX ---------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Syntax.h"
#include "Tokens.h"
#include <cerrno>
#include <cstdlib>

namespace hetero::standin::ptx {

int typeBits(std::string_view type) {
  if (type == "pred")
    return 1;
  if (type == "f16x2" || type == "bf16x2" || type == "u16x2" || type == "s16x2")
    return 32;
  if (type == "bf16")
    return 16;
  if (type.size() < 2 || !std::strchr("bsuf", type[0]))
    return 0;
  std::string_view bits = type.substr(1);
  return bits == "8"                       ? 8
         : bits == "16"                    ? 16
         : bits == "32"                    ? 32
         : bits == "64"                    ? 64
         : bits == "128" && type[0] == 'b' ? 128
                                           : 0;
}

namespace {

class Parser {
public:
  Parser(std::string_view text, Module &module, Problem &problem)
      : tokens(tokenize(text)), module(module), problem(problem) {}

  bool parseModule();

private:
  const Token &peek(size_t ahead = 0) const {
    return tokens[std::min(at + ahead, tokens.size() - 1)];
  }
  bool isNext(std::string_view text) const { return peek().text == text; }
  std::string next() { return std::string(tokens[take()].text); }
  size_t take() { return at + 1 < tokens.size() ? at++ : at; }
  bool accept(std::string_view text) {
    if (!isNext(text))
      return false;
    take();
    return true;
  }
  bool fail(const std::string &message) {
    problem = {peek().line, message};
    return false;
  }
  bool expect(std::string_view text) {
    return accept(text) ||
           fail("'" + std::string(text) + "' is expected and '" +
                std::string(peek().text) + "' found");
  }
  bool parseInteger(int64_t &value);
  bool parseThreads(uint32_t (&counts)[3]);
  bool parseName(std::string &name);
  bool parseTarget();
  bool parseTopLevel();
  bool skipBlock();
  bool parseVariable(Variable &variable, bool isParameter);
  bool parseArray(Variable &variable);
  bool parseInitial(Variable &variable, size_t offset, size_t &end);
  bool parseInitialReference(Variable &variable, size_t offset);
  bool parseParameters(std::vector<Variable> &parameters);
  bool parseFunction(bool isKernel);
  bool parseBody(std::vector<Statement> &body);
  bool parseStatement(std::vector<Statement> &body);
  bool parseDirective(std::vector<Statement> &body);
  bool parseRegisters(std::vector<Statement> &body);
  bool parseLabel(std::vector<Statement> &body);
  bool parseInstruction(std::vector<Statement> &body);
  bool parseOperand(Operand &operand);
  bool parsePrimary(Operand &operand);
  bool parseList(Operand &operand, std::string_view close);
  bool parseAddress(Operand &operand);
  bool parseNumber(Operand &operand);

  std::vector<Token> tokens;
  size_t at = 0;
  Module &module;
  Problem &problem;
};

bool Parser::parseNumber(Operand &operand) {
  operand.kind = Operand::Kind::Number;
  bool isNegative = accept("-");
  std::string text = next();
  char *end = nullptr;
  errno = 0;
  std::string prefix = text.substr(0, 2);
  if (prefix == "0f" || prefix == "0F" || prefix == "0d" || prefix == "0D") {
    operand.floatBits = std::tolower(prefix[1]) == 'f' ? 32 : 64;
    operand.bits = std::strtoull(text.c_str() + 2, &end, 16);
    if (*end || text.size() != 2u + operand.floatBits / 4 || isNegative)
      return fail("'" + text + "' is not a number");
    return true;
  }
  bool isBinary = prefix == "0b" || prefix == "0B";
  operand.bits = isBinary ? std::strtoull(text.c_str() + 2, &end, 2)
                          : std::strtoull(text.c_str(), &end, 0);
  if (*end == 'U')
    ++end;
  if (text.empty() || *end || errno)
    return fail("'" + text + "' is not a number");
  if (isNegative)
    operand.bits = 0 - operand.bits;
  return true;
}

bool Parser::parseInteger(int64_t &value) {
  Operand operand;
  if (!parseNumber(operand))
    return false;
  value = operand.bits;
  return !operand.floatBits || fail("an integer is expected");
}

bool Parser::parseName(std::string &name) {
  name = peek().text;
  if (name.empty() || !isWordCharacter(name[0]) || std::isdigit(name[0]))
    return fail("a name is expected and '" + name + "' found");
  take();
  return true;
}

bool Parser::parseModule() {
  while (!peek().text.empty())
    if (!parseTopLevel())
      return false;
  return true;
}

bool Parser::parseTarget() {
  std::string name = next();
  if (name.substr(0, 3) != "sm_")
    return fail("the target '" + name + "' is not known");
  char *end = nullptr;
  module.target = std::strtol(name.c_str() + 3, &end, 10);
  module.isExact = *end;
  while (accept(","))
    next();
  return true;
}

bool Parser::skipBlock() {
  if (!expect("{"))
    return false;
  for (int depth = 1; depth;) {
    if (peek().text.empty())
      return fail("'}' is missing");
    std::string text = next();
    depth += text == "{" ? 1 : text == "}" ? -1 : 0;
  }
  return true;
}

bool Parser::parseTopLevel() {
  if (accept(".version")) {
    next();
    return true;
  }
  if (accept(".target"))
    return parseTarget();
  if (accept(".address_size"))
    return expect("64");
  if (accept(".file")) {
    int line = peek().line;
    while (!peek().text.empty() && peek().line == line)
      take();
    return true;
  }
  if (accept(".section")) {
    next();
    return skipBlock();
  }
  bool isExternal = false;
  while (isNext(".visible") || isNext(".weak") || isNext(".extern") ||
         isNext(".common"))
    isExternal |= next() == ".extern";
  if (accept(".entry"))
    return parseFunction(/*isKernel=*/true);
  if (accept(".func"))
    return parseFunction(/*isKernel=*/false);
  if (!isNext(".global") && !isNext(".const") && !isNext(".shared"))
    return fail("'" + std::string(peek().text) + "' is not known here");
  Variable variable;
  variable.isExternal = isExternal;
  if (!parseVariable(variable, /*isParameter=*/false) || !expect(";"))
    return false;
  module.variables.push_back(std::move(variable));
  return true;
}

/// `.space .align 4 .b8 name[16] = {..}`; of a parameter `.ptr` and the space
/// of what it points to are allowed.
bool Parser::parseVariable(Variable &variable, bool isParameter) {
  variable.line = peek().line;
  variable.space = next().substr(1);
  int64_t vector = 1;
  for (; peek().text.substr(0, 1) == "."; take()) {
    std::string text(peek().text.substr(1));
    if (text == "align") {
      int64_t alignment;
      take();
      if (!parseInteger(alignment))
        return false;
      --at;
      variable.alignment = alignment;
    } else if (int bits = typeBits(text)) {
      variable.elementBytes = bits / 8;
    } else if (text == "v2" || text == "v4") {
      vector = text[1] - '0';
    } else if (isParameter && text == "ptr") {
      // What follows says how what it points to is aligned, and where it is.
      size_t alignment = variable.alignment;
      take();
      if (peek().text != ".align")
        take();
      if (accept(".align"))
        take();
      --at;
      variable.alignment = alignment;
    } else {
      return fail("'." + text + "' is not known here");
    }
  }
  if (!variable.elementBytes)
    return fail("a type is expected");
  variable.elementBytes *= vector;
  if (!variable.alignment)
    variable.alignment = variable.elementBytes;
  variable.bytes = variable.elementBytes;
  return parseName(variable.name) && parseArray(variable);
}

bool Parser::parseArray(Variable &variable) {
  while (accept("[")) {
    int64_t size = 0;
    if (!isNext("]") && !parseInteger(size))
      return false;
    variable.bytes *= size;
    if (!expect("]"))
      return false;
  }
  if (!accept("="))
    return true;
  if (variable.space != "global" && variable.space != "const")
    return fail("only .global and .const have initial values");
  variable.initial.assign(variable.bytes, 0);
  size_t end = 0;
  return parseInitial(variable, 0, end);
}

bool Parser::parseInitial(Variable &variable, size_t offset, size_t &end) {
  end = offset;
  if (accept("{")) {
    while (!accept("}"))
      if (!parseInitial(variable, end, end) ||
          !(accept(",") || isNext("}") || expect("}")))
        return false;
    return true;
  }
  size_t bytes = variable.elementBytes;
  end = offset + bytes;
  if (end > variable.bytes)
    return fail("there are more initial values than elements");
  if (!isNext("-") && !std::isdigit(peek().text.empty() ? 0 : peek().text[0]))
    return parseInitialReference(variable, offset);
  Operand number;
  if (!parseNumber(number))
    return false;
  std::memcpy(variable.initial.data() + offset, &number.bits,
              std::min(bytes, sizeof number.bits));
  return true;
}

bool Parser::parseInitialReference(Variable &variable, size_t offset) {
  Variable::Reference reference{offset, "", 0};
  bool isGeneric = accept("generic");
  if ((isGeneric && !expect("(")) || !parseName(reference.name) ||
      (isGeneric && !expect(")")))
    return false;
  if (accept("+") && !parseInteger(reference.addend))
    return false;
  if (variable.elementBytes != 8)
    return fail("only elements of 8 bytes can hold an address");
  variable.references.push_back(reference);
  return true;
}

bool Parser::parseParameters(std::vector<Variable> &parameters) {
  if (!expect("("))
    return false;
  while (!accept(")")) {
    Variable parameter;
    if (!isNext(".param"))
      return fail("only parameters in .param are known");
    if (!parseVariable(parameter, /*isParameter=*/true) ||
        !(accept(",") || isNext(")") || expect(")")))
      return false;
    parameters.push_back(std::move(parameter));
  }
  return true;
}

bool Parser::parseThreads(uint32_t (&counts)[3]) {
  counts[1] = counts[2] = 1;
  int i = 0;
  do {
    int64_t count;
    if (!parseInteger(count))
      return false;
    counts[std::min(i++, 2)] = count;
  } while (accept(","));
  return true;
}

bool Parser::parseFunction(bool isKernel) {
  Function function;
  function.line = peek().line;
  function.isKernel = isKernel;
  if ((isNext("(") && !parseParameters(function.results)) ||
      !parseName(function.name) ||
      (isNext("(") && !parseParameters(function.parameters)))
    return false;
  while (!isNext("{") && !isNext(";")) {
    int64_t ignored;
    if (accept(".maxntid")) {
      if (!parseThreads(function.maxThreads))
        return false;
    } else if (accept(".reqntid")) {
      if (!parseThreads(function.requiredThreads))
        return false;
    } else if (accept(".minnctapersm") || accept(".maxnreg")) {
      if (!parseInteger(ignored))
        return false;
    } else if (!accept(".noreturn")) {
      return fail("'" + std::string(peek().text) + "' is not known here");
    }
  }
  if (!accept(";")) {
    function.hasBody = true;
    if (!expect("{") || !parseBody(function.body))
      return false;
  }
  module.functions.push_back(std::move(function));
  return true;
}

/// Up to the closing brace.
bool Parser::parseBody(std::vector<Statement> &body) {
  while (!accept("}")) {
    if (peek().text.empty())
      return fail("'}' is missing");
    if (!parseStatement(body))
      return false;
  }
  return true;
}

bool Parser::parseStatement(std::vector<Statement> &body) {
  if (accept(";"))
    return true;
  if (isNext("{")) {
    Statement block;
    block.kind = Statement::Kind::Block;
    block.line = tokens[take()].line;
    if (!parseBody(block.body))
      return false;
    body.push_back(std::move(block));
    return true;
  }
  if (peek().text[0] == '.')
    return parseDirective(body);
  if (peek(1).text == ":")
    return parseLabel(body);
  return parseInstruction(body);
}

bool Parser::parseDirective(std::vector<Statement> &body) {
  if (isNext(".reg"))
    return parseRegisters(body);
  if (accept(".loc")) {
    int line = peek().line;
    while (peek().line == line && !peek().text.empty())
      take();
    return true;
  }
  if (accept(".pragma")) {
    next();
    return expect(";");
  }
  Statement statement;
  statement.kind = Statement::Kind::Variable;
  statement.line = peek().line;
  if (!isNext(".param") && !isNext(".local") && !isNext(".shared"))
    return fail("'" + std::string(peek().text) + "' is not known here");
  if (!parseVariable(statement.variable, /*isParameter=*/false) || !expect(";"))
    return false;
  body.push_back(std::move(statement));
  return true;
}

bool Parser::parseRegisters(std::vector<Statement> &body) {
  take();
  std::string type = next().substr(1);
  if (!typeBits(type))
    return fail("'" + type + "' is not a type of registers");
  do {
    Statement registers;
    registers.kind = Statement::Kind::Registers;
    registers.line = peek().line;
    registers.mnemonic = {type};
    if (!parseName(registers.name))
      return false;
    if (accept("<")) {
      int64_t count;
      if (!parseInteger(count) || !expect(">"))
        return false;
      registers.count = count;
    }
    body.push_back(std::move(registers));
  } while (accept(","));
  return expect(";");
}

bool Parser::parseLabel(std::vector<Statement> &body) {
  Statement label;
  label.kind = Statement::Kind::Label;
  label.line = peek().line;
  if (!parseName(label.name) || !expect(":"))
    return false;
  if (accept(".branchtargets")) {
    label.kind = Statement::Kind::BranchTargets;
    do {
      Operand target;
      if (!parsePrimary(target))
        return false;
      label.operands.push_back(std::move(target));
    } while (accept(","));
    if (!expect(";"))
      return false;
  }
  body.push_back(std::move(label));
  return true;
}

bool Parser::parseInstruction(std::vector<Statement> &body) {
  Statement instruction;
  instruction.line = peek().line;
  if (accept("@")) {
    instruction.isGuardNegated = accept("!");
    if (!parseName(instruction.guard))
      return false;
  }
  std::string mnemonic;
  if (!parseName(mnemonic))
    return false;
  for (size_t begin = 0; begin <= mnemonic.size();) {
    size_t end = std::min(mnemonic.find('.', begin), mnemonic.size());
    instruction.mnemonic.push_back(mnemonic.substr(begin, end - begin));
    begin = end + 1;
  }
  while (!accept(";")) {
    Operand operand;
    if (!parseOperand(operand) || !(accept(",") || isNext(";") || expect(";")))
      return false;
    instruction.operands.push_back(std::move(operand));
  }
  body.push_back(std::move(instruction));
  return true;
}

bool Parser::parseList(Operand &operand, std::string_view close) {
  take();
  while (!accept(close)) {
    Operand part;
    if (!parsePrimary(part) || !(accept(",") || isNext(close) || expect(close)))
      return false;
    operand.parts.push_back(std::move(part));
  }
  return true;
}

bool Parser::parseAddress(Operand &operand) {
  take();
  operand.kind = Operand::Kind::Address;
  bool isNumber = std::isdigit(peek().text.empty() ? 0 : peek().text[0]);
  if (!isNumber && !parseName(operand.name))
    return false;
  if (isNumber || accept("+")) {
    if (!parseInteger(operand.offset))
      return false;
  } else if (isNext("-") && !parseInteger(operand.offset)) {
    return false;
  }
  return expect("]");
}

bool Parser::parsePrimary(Operand &operand) {
  if (isNext("[")) {
    return parseAddress(operand);
  }
  if (isNext("{")) {
    operand.kind = Operand::Kind::Vector;
    return parseList(operand, "}");
  }
  if (isNext("(")) {
    operand.kind = Operand::Kind::List;
    return parseList(operand, ")");
  }
  if (accept("_"))
    return true;
  if (isNext("-") || std::isdigit(peek().text.empty() ? 0 : peek().text[0]))
    return parseNumber(operand);
  operand.kind = Operand::Kind::Name;
  operand.isNegated = accept("!");
  if (!parseName(operand.name))
    return false;
  // An address of a variable with an offset.
  if (accept("+"))
    return parseInteger(operand.offset);
  return true;
}

bool Parser::parseOperand(Operand &operand) {
  Operand first;
  if (!parsePrimary(first))
    return false;
  if (!accept("|")) {
    operand = std::move(first);
    return true;
  }
  Operand second;
  if (!parsePrimary(second))
    return false;
  operand.kind = Operand::Kind::Pair;
  operand.parts = {std::move(first), std::move(second)};
  return true;
}

} // namespace

bool parse(std::string_view text, Module &module, Problem &problem) {
  return Parser(text, module, problem).parseModule();
}

} // namespace hetero::standin::ptx
