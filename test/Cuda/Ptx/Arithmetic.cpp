//===- Arithmetic.cpp - Instructions that compute -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "FunctionWriter.h"

namespace hetero::standin::ptx {

const std::map<std::string, FunctionWriter::Handler> &
FunctionWriter::handlers() {
  using W = FunctionWriter;
  static const std::map<std::string, Handler> all = [] {
    std::map<std::string, Handler> result = {{"add", &W::addOrSubtract},
                                             {"addc", &W::addOrSubtract},
                                             {"sub", &W::addOrSubtract},
                                             {"subc", &W::addOrSubtract},
                                             {"mul", &W::multiply},
                                             {"mad", &W::multiplyAdd},
                                             {"madc", &W::multiplyAdd},
                                             {"fma", &W::fusedMultiplyAdd},
                                             {"div", &W::divide},
                                             {"rem", &W::remainder},
                                             {"neg", &W::negateOrAbsolute},
                                             {"abs", &W::negateOrAbsolute},
                                             {"min", &W::leastOrGreatest},
                                             {"max", &W::leastOrGreatest},
                                             {"sqrt", &W::root},
                                             {"rcp", &W::root},
                                             {"rsqrt", &W::approximate},
                                             {"sin", &W::approximate},
                                             {"cos", &W::approximate},
                                             {"ex2", &W::approximate},
                                             {"lg2", &W::approximate},
                                             {"tanh", &W::approximate},
                                             {"and", &W::logic},
                                             {"or", &W::logic},
                                             {"xor", &W::logic},
                                             {"not", &W::invert},
                                             {"cnot", &W::invert},
                                             {"shl", &W::shift},
                                             {"shr", &W::shift},
                                             {"shf", &W::funnelShift},
                                             {"prmt", &W::permute},
                                             {"lop3", &W::logic3},
                                             {"bfe", &W::extractField},
                                             {"bfi", &W::insertField},
                                             {"popc", &W::countBits},
                                             {"clz", &W::countBits},
                                             {"brev", &W::countBits},
                                             {"bfind", &W::findBit},
                                             {"dp4a", &W::dotProduct},
                                             {"setp", &W::setPredicate},
                                             {"selp", &W::select},
                                             {"slct", &W::selectBySign},
                                             {"testp", &W::testProperty},
                                             {"copysign", &W::copySign}};
    addConversionHandlers(result);
    addMemoryHandlers(result);
    addControlHandlers(result);
    return result;
  }();
  return all;
}

/// `name_type(a, b, extra)` of the operands behind the first; of pairs for each
/// half.
void FunctionWriter::floatCall(const std::string &name, const Type &type,
                               size_t count, const std::string &extra) {
  if (!expectOperands(count + 1))
    return;
  Type element = type.element();
  auto part = [&](const std::string &half) {
    std::string text = name + "_" + element.name + "(";
    for (size_t i = 1; i <= count; ++i) {
      std::string operand = read(i, type.bits);
      text += (i > 1 ? ", " : "") +
              (half.empty() ? operand : half + "(" + operand + ")");
    }
    return text + (extra.empty() ? "" : ", " + extra) + ")";
  };
  if (type.isPair())
    return result(32,
                  "pair_16(" + part("low_16") + ", " + part("high_16") + ")");
  result(type.bits, part(""));
}

void FunctionWriter::integerCall(const std::string &name, size_t count,
                                 int bits) {
  if (!expectOperands(count + 1))
    return;
  std::string text = name + "(";
  for (size_t i = 1; i <= count; ++i)
    text += (i > 1 ? ", " : "") + read(i, bits);
  result(bits, text + ")");
}

static std::string widthOf(const Type &type) {
  return std::to_string(type.bits);
}

/// `u32` or `s32`, the signedness as the type says it.
static std::string signedWidth(const Type &type) {
  return (type.isSigned() ? "s" : "u") + widthOf(type);
}

void FunctionWriter::addOrSubtract() {
  std::string name = current->mnemonic.front();
  Type type = takeType();
  std::string plain = name.substr(0, 3);
  bool hasInput = name.size() == 4;
  if (hasInput)
    return carry(plain, type, hasInput);
  for (const std::string &modifier : modifiers)
    if (modifier == "cc")
      return carry(plain, type, hasInput);
  if (type.isPair() && !type.isFloat())
    return floatCall(plain, {"16x2", 32}, 2, ""); // add_16 of each half.
  if (!type.isFloat()) {
    if (type.name == "s32" && take("sat"))
      return integerCall(plain + "_sat_s32", 2, 32);
    if (type.bits < 16 || type.kind() == 'b')
      problem("the type is not known here");
    return integerCall(plain + "_" + widthOf(type), 2, type.bits);
  }
  std::string mode = takeRounding(), flush = flag("ftz");
  std::string saturate = flag("sat");
  if (type.bits == 16 || type.isPair())
    return mode == "RN" ? floatCall(plain, type, 2, flush + ", " + saturate)
                        : problem("halves are only rounded to the nearest");
  floatCall(plain, type, 2, mode + ", " + flush + ", " + saturate);
}

void FunctionWriter::carry(const std::string &name, const Type &type,
                           bool hasInput) {
  bool hasOutput = take("cc");
  if (!expectOperands(3) || (type.bits != 32 && type.bits != 64) ||
      type.isFloat())
    return problem("the type is not known here");
  emit("{ u32 next; (void)next;");
  result(type.bits, name + "_cc_" + widthOf(type) + "(" + read(1, type.bits) +
                        ", " + read(2, type.bits) + ", " +
                        (hasInput ? "carry" : "0") + ", &next)");
  emit(hasOutput ? "carry = next; }" : "}");
}

void FunctionWriter::multiply() {
  Type type = takeType();
  if (type.isFloat()) {
    std::string mode = takeRounding(), flush = flag("ftz");
    std::string saturate = flag("sat");
    if (type.bits == 16 || type.isPair())
      return mode == "RN" ? floatCall("mul", type, 2, flush + ", " + saturate)
                          : problem("halves are only rounded to the nearest");
    return floatCall("mul", type, 2, mode + ", " + flush + ", " + saturate);
  }
  if (type.kind() == 'b' || type.isPair())
    problem("the type is not known here");
  if (take("lo"))
    return integerCall("mul_lo_" + widthOf(type), 2, type.bits);
  if (take("hi"))
    return integerCall("mul_hi_" + signedWidth(type), 2, type.bits);
  if (!take("wide") || type.bits > 32 || !expectOperands(3))
    return problem("'.lo', '.hi' or '.wide' is expected");
  result(type.bits * 2, "mul_wide_" + signedWidth(type) + "(" +
                            read(1, type.bits) + ", " + read(2, type.bits) +
                            ")");
}

void FunctionWriter::multiplyAdd() {
  Type type = takeType();
  if (type.isFloat()) {
    if (type.bits == 16 || current->mnemonic.front() == "madc")
      problem("the type is not known here");
    return floatCall("fma", type, 3,
                     takeRounding() + ", " + flag("ftz") + ", " + flag("sat"));
  }
  if (!expectOperands(4))
    return;
  bool isHigh = take("hi"), isWide = !isHigh && take("wide");
  bool hasCarry = current->mnemonic.front() == "madc";
  for (const std::string &modifier : modifiers)
    hasCarry |= modifier == "cc";
  if ((!isHigh && !isWide && !take("lo")) || type.kind() == 'b' ||
      type.isPair())
    return problem("'.lo', '.hi' or '.wide' is expected");
  if (hasCarry && !isWide)
    return multiplyAddCarry(type, isHigh);
  std::string a = read(1, type.bits), b = read(2, type.bits);
  if (isWide)
    return result(type.bits * 2, "add_" + std::to_string(type.bits * 2) +
                                     "(mul_wide_" + signedWidth(type) + "(" +
                                     a + ", " + b + "), " +
                                     read(3, type.bits * 2) + ")");
  std::string c = read(3, type.bits);
  if (isHigh && type.name == "s32" && take("sat"))
    return result(32, "mad_hi_sat_s32(" + a + ", " + b + ", " + c + ")");
  std::string product =
      isHigh ? "mul_hi_" + signedWidth(type) : "mul_lo_" + widthOf(type);
  result(type.bits, "add_" + widthOf(type) + "(" + product + "(" + a + ", " +
                        b + "), " + c + ")");
}

void FunctionWriter::multiplyAddCarry(const Type &type, bool isHigh) {
  bool hasInput = current->mnemonic.front() == "madc";
  bool hasOutput = take("cc");
  if (type.bits != 32 && type.bits != 64)
    return problem("the type is not known here");
  std::string product =
      isHigh ? "mul_hi_" + signedWidth(type) : "mul_lo_" + widthOf(type);
  emit("{ u32 next; (void)next;");
  result(type.bits, "add_cc_" + widthOf(type) + "(" + product + "(" +
                        read(1, type.bits) + ", " + read(2, type.bits) + "), " +
                        read(3, type.bits) + ", " + (hasInput ? "carry" : "0") +
                        ", &next)");
  emit(hasOutput ? "carry = next; }" : "}");
}

void FunctionWriter::fusedMultiplyAdd() {
  Type type = takeType();
  if (!type.isFloat())
    return problem("the type is not known here");
  bool isHalf = type.bits == 16 || type.isPair();
  std::string mode = takeRounding(), flush = flag("ftz");
  std::string saturate = flag("sat");
  if (isHalf && mode != "RN")
    problem("halves are only rounded to the nearest");
  if (isHalf && take("relu"))
    return floatCall("fma_relu", type, 3, flush);
  floatCall("fma", type, 3,
            (isHalf ? "" : mode + ", ") + flush + ", " + saturate);
}

void FunctionWriter::divide() {
  Type type = takeType();
  if (!type.isFloat()) {
    if (type.bits < 16 || type.kind() == 'b')
      problem("the type is not known here");
    return integerCall("div_" + signedWidth(type), 2, type.bits);
  }
  if (type.bits == 16 || type.isPair())
    return problem("the type is not known here");
  std::string flush = flag("ftz");
  if (type.bits == 32 && take("approx"))
    return floatCall("div_approx", type, 2, flush);
  if (type.bits == 32 && take("full"))
    return floatCall("div_full", type, 2, flush);
  floatCall("div", type, 2, takeRounding() + ", " + flush);
}

void FunctionWriter::remainder() {
  Type type = takeType();
  if (type.isFloat() || type.bits < 16 || type.kind() == 'b')
    problem("the type is not known here");
  integerCall("rem_" + signedWidth(type), 2, type.bits);
}

void FunctionWriter::negateOrAbsolute() {
  Type type = takeType();
  const std::string &name = current->mnemonic.front();
  if (type.isFloat())
    return floatCall(name, type, 1, flag("ftz"));
  if (!type.isSigned() || type.bits < 16)
    problem("the type is not known here");
  integerCall(name + "_s" + widthOf(type), 1, type.bits);
}

void FunctionWriter::leastOrGreatest() {
  Type type = takeType();
  const std::string &name = current->mnemonic.front();
  if (type.isFloat()) {
    std::string flush = flag("ftz");
    return floatCall(name, type, 2, flush + ", " + flag("NaN"));
  }
  if (type.isPair())
    return floatCall(name, type, 2, "");
  if (type.bits < 16 || type.kind() == 'b')
    problem("the type is not known here");
  integerCall(name + "_" + signedWidth(type), 2, type.bits);
}

void FunctionWriter::root() {
  Type type = takeType();
  const std::string &name = current->mnemonic.front();
  if (!type.isFloat() || type.isPair() || type.bits == 16)
    return problem("the type is not known here");
  bool isApproximate = take("approx");
  std::string flush = flag("ftz");
  if (isApproximate && type.bits == 64)
    return name == "rcp" && flush == "1"
               ? floatCall("rcp_approx", type, 1, "")
               : problem("the type is not known here");
  if (isApproximate)
    return floatCall(name + "_approx", type, 1, flush);
  std::string mode = takeRounding();
  if (name == "sqrt")
    return floatCall("sqrt", type, 1, mode + ", " + flush);
  if (!expectOperands(2))
    return;
  std::string one = type.bits == 32 ? "0x3f800000" : "0x3ff0000000000000ULL";
  result(type.bits, "div_" + type.name + "(" + one + ", " + read(1, type.bits) +
                        ", " + mode + ", " + flush + ")");
}

void FunctionWriter::approximate() {
  Type type = takeType();
  const std::string &name = current->mnemonic.front();
  if (!take("approx"))
    problem("'.approx' is expected");
  std::string flush = flag("ftz");
  if (type.name == "f32" || (type.name == "f64" && name == "rsqrt"))
    return floatCall(name + "_approx", type, 1, flush);
  if (name == "ex2" && type.isFloat() && type.bits != 64)
    return floatCall("ex2", type, 1, flush);
  if (name == "tanh" && type.isFloat() && type.bits != 64)
    return floatCall("tanh", type, 1, "");
  problem("the type is not known here");
}

//===----------------------------------------------------------------------===//
// Bits
//===----------------------------------------------------------------------===//

void FunctionWriter::logic() {
  Type type = takeType();
  const std::string &name = current->mnemonic.front();
  if (type.name == "pred")
    return integerCall(name + "_pred", 2, 1);
  if (type.kind() != 'b' || type.isFloat() || type.bits < 16)
    problem("the type is not known here");
  integerCall(name + "_" + widthOf(type), 2, type.bits);
}

void FunctionWriter::invert() {
  Type type = takeType();
  const std::string &name = current->mnemonic.front();
  if (type.name == "pred" && name == "not")
    return integerCall("not_pred", 1, 1);
  if (type.kind() != 'b' || type.isFloat() || type.bits < 16)
    problem("the type is not known here");
  integerCall(name + "_" + widthOf(type), 1, type.bits);
}

void FunctionWriter::shift() {
  Type type = takeType();
  if (!expectOperands(3) || type.isFloat() || type.bits < 16)
    return problem("the type is not known here");
  bool isLeft = current->mnemonic.front() == "shl";
  std::string name =
      isLeft ? "shl_" + widthOf(type) : "shr_" + signedWidth(type);
  result(type.bits, name + "(" + read(1, type.bits) + ", " + read(2, 32) + ")");
}

void FunctionWriter::funnelShift() {
  Type type = takeType();
  std::string side = takeOneOf({"l", "r"});
  std::string mode = take("wrap") ? "wrap" : "clamp";
  if (mode == "clamp" && !take("clamp"))
    problem("'.wrap' or '.clamp' is expected");
  if (type.name != "b32")
    problem("the type is not known here");
  integerCall("shf_" + side + "_" + mode, 3, 32);
}

void FunctionWriter::permute() {
  if (takeType().name != "b32")
    problem("the type is not known here");
  integerCall("prmt_32", 3, 32);
}

void FunctionWriter::logic3() {
  if (takeType().name != "b32")
    problem("the type is not known here");
  integerCall("lop3_32", 4, 32);
}

void FunctionWriter::extractField() {
  Type type = takeType();
  if (!expectOperands(4) || type.bits < 32 || type.kind() == 'b')
    return problem("the type is not known here");
  result(type.bits, "bfe_" + signedWidth(type) + "(" + read(1, type.bits) +
                        ", " + read(2, 32) + ", " + read(3, 32) + ")");
}

void FunctionWriter::insertField() {
  Type type = takeType();
  if (!expectOperands(5) || type.bits < 32 || type.kind() != 'b')
    return problem("the type is not known here");
  result(type.bits, "bfi_" + widthOf(type) + "(" + read(1, type.bits) + ", " +
                        read(2, type.bits) + ", " + read(3, 32) + ", " +
                        read(4, 32) + ")");
}

void FunctionWriter::countBits() {
  Type type = takeType();
  const std::string &name = current->mnemonic.front();
  if (!expectOperands(2) || type.bits < 32 || type.kind() != 'b')
    return problem("the type is not known here");
  result(name == "brev" ? type.bits : 32,
         name + "_" + widthOf(type) + "(" + read(1, type.bits) + ")");
}

void FunctionWriter::findBit() {
  Type type = takeType();
  std::string shift = flag("shiftamt");
  if (!expectOperands(2) || type.bits < 32 || type.kind() == 'b')
    return problem("the type is not known here");
  result(32, "bfind_" + signedWidth(type) + "(" + read(1, type.bits) + ", " +
                 shift + ")");
}

void FunctionWriter::dotProduct() {
  Type first = takeType(), second = takeType();
  if (!expectOperands(4) || first.bits != 32 || second.bits != 32)
    return problem("the type is not known here");
  result(32, "dot_bytes(" + read(1, 32) + ", " + read(2, 32) + ", " +
                 read(3, 32) + ", " + (first.isSigned() ? "1" : "0") + ", " +
                 (second.isSigned() ? "1" : "0") + ")");
}

//===----------------------------------------------------------------------===//
// Predicates
//===----------------------------------------------------------------------===//

std::string FunctionWriter::comparison(const std::string &how, const Type &type,
                                       const std::string &a,
                                       const std::string &b,
                                       const std::string &flush) {
  if (type.isFloat()) {
    std::string in = "in_" + type.name + "(";
    return (how == "nan" ? "nan_pair" : how) + "_float(" + in + a + ", " +
           flush + "), " + in + b + ", " + flush + "))";
  }
  static const std::map<std::string, std::string> operators = {
      {"eq", "=="}, {"ne", "!="}, {"lt", "<"},  {"le", "<="}, {"gt", ">"},
      {"ge", ">="}, {"lo", "<"},  {"ls", "<="}, {"hi", ">"},  {"hs", ">="}};
  auto found = operators.find(how);
  bool isOrder = how != "eq" && how != "ne";
  bool isUnsigned = how == "lo" || how == "ls" || how == "hi" || how == "hs";
  if (found == operators.end() || (isOrder && type.kind() == 'b') ||
      (isUnsigned && type.isSigned())) {
    problem("'." + how + "' is not known here");
    return "0";
  }
  std::string cast = "((" + signedWidth(type) + ")";
  return "(" + cast + a + ") " + found->second + " " + cast + b + "))";
}

void FunctionWriter::setPredicate() {
  static const std::vector<std::string> orders = {
      "eq", "ne",  "lt",  "le",  "gt",  "ge",  "lo",  "ls",  "hi",
      "hs", "equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan"};
  Type type = takeType();
  std::string how, flush = flag("ftz");
  for (const std::string &order : orders)
    if (how.empty() && take(order))
      how = order;
  std::string join = takeOneOf({"and", "or", "xor", ""});
  if (!expectOperands(join.empty() ? 3 : 4) || type.bits < 16)
    return problem("the operands are not known here");
  std::string a = read(1, type.bits), b = read(2, type.bits);
  const Operand &target = current->operands[0];
  std::string first, second;
  if (type.isPair()) {
    auto half = [&](const std::string &part) {
      return comparison(how, type.element(), part + "(" + a + ")",
                        part + "(" + b + ")", flush);
    };
    first = half("low_16");
    second = half("high_16");
  } else {
    first = comparison(how, type, a, b, flush);
    second = "!" + first;
  }
  if (!join.empty()) {
    std::string sign = join == "and" ? " & " : join == "or" ? " | " : " ^ ";
    std::string other = sign + readPredicate(current->operands[3]);
    first = "(" + first + other + ")";
    second = "(" + second + other + ")";
  }
  if (target.kind != Operand::Kind::Pair) {
    if (type.isPair())
      problem("two predicates are expected");
    return writeOperand(target, 1, first);
  }
  emit("{ const u8 one = " + first + ", two = " + second + ";");
  writeOperand(target.parts[0], 1, "one");
  writeOperand(target.parts[1], 1, "two");
  emit("}");
}

void FunctionWriter::select() {
  Type type = takeType();
  if (!expectOperands(4) || type.bits < 16)
    return problem("the type is not known here");
  result(type.bits, "selp_" + widthOf(type) + "(" + read(1, type.bits) + ", " +
                        read(2, type.bits) + ", " +
                        readPredicate(current->operands[3]) + ")");
}

void FunctionWriter::selectBySign() {
  Type type = takeType(), sign = takeType();
  if (!expectOperands(4) || type.bits < 16 || sign.bits != 32)
    return problem("the type is not known here");
  std::string c = read(3, 32);
  std::string holds = sign.isFloat()
                          ? "in_f32(" + c + ", " + flag("ftz") + ") >= 0"
                          : "(s32)" + c + " >= 0";
  result(type.bits, "selp_" + widthOf(type) + "(" + read(1, type.bits) + ", " +
                        read(2, type.bits) + ", " + holds + ")");
}

void FunctionWriter::testProperty() {
  std::string property = takeOneOf({"finite", "infinite", "number",
                                    "notanumber", "normal", "subnormal", ""});
  Type type = takeType();
  if (!expectOperands(2) || property.empty() || !type.isFloat() ||
      type.bits < 32 || type.isPair())
    return problem("the property is not known");
  std::string a = read(1, type.bits);
  bool isOfBits = property == "normal" || property == "subnormal";
  result(1, isOfBits
                ? "is_" + property + "_" + type.name + "(" + a + ")"
                : "is_" + property + "(value_" + type.name + "(" + a + "))");
}

void FunctionWriter::copySign() {
  Type type = takeType();
  if (!type.isFloat() || type.bits < 32 || type.isPair())
    problem("the type is not known here");
  floatCall("copysign", type, 2, "");
}

} // namespace hetero::standin::ptx
