//===- Conversions.cpp - Moves and conversions ----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "FunctionWriter.h"

namespace hetero::standin::ptx {

void FunctionWriter::addConversionHandlers(
    std::map<std::string, Handler> &handlers) {
  handlers["mov"] = &FunctionWriter::move;
  handlers["cvt"] = &FunctionWriter::convert;
  handlers["cvta"] = &FunctionWriter::convertAddress;
  handlers["isspacep"] = &FunctionWriter::isInSpace;
}

void FunctionWriter::move() {
  Type type = takeType();
  if (!expectOperands(2) || (type.bits < 16 && type.name != "pred"))
    return problem("the type is not known here");
  const Operand &to = current->operands[0], &from = current->operands[1];
  bool isSplit = to.kind == Operand::Kind::Vector;
  if (!isSplit && from.kind != Operand::Kind::Vector)
    return result(type.bits, read(1, type.bits));
  const std::vector<Operand> &parts = isSplit ? to.parts : from.parts;
  int bits = type.bits / int(std::max<size_t>(parts.size(), 1));
  if ((parts.size() != 2 && parts.size() != 4) || bits < 16)
    return problem("the parts do not fit");
  auto offset = [&](size_t i) { return std::to_string(i * bits); };
  if (!isSplit) {
    std::string value;
    for (size_t i = 0; i < parts.size(); ++i)
      value += (i ? " | (u64)" : "(u64)") + readOperand(parts[i], bits) +
               " << " + offset(i);
    return result(type.bits, value);
  }
  emit("{ const u64 whole = " + read(1, type.bits) + ";");
  for (size_t i = 0; i < parts.size(); ++i)
    if (parts[i].kind != Operand::Kind::Nothing)
      writeOperand(parts[i], bits, "whole >> " + offset(i));
  emit("}");
}

//===----------------------------------------------------------------------===//
// cvt
//===----------------------------------------------------------------------===//

void FunctionWriter::convert() {
  Type to = takeType();
  Type from = takeType();
  if (to.isPair() && to.isFloat())
    return convertPair(to, from);
  if (!expectOperands(2) || to.isPair() || from.isPair() || to.bits < 8 ||
      from.bits < 8 || (to.kind() == 'b' && !to.isFloat()) ||
      (from.kind() == 'b' && !from.isFloat()))
    return problem("the types are not known here");
  if (to.isFloat() && from.isFloat())
    return convertFloats(to, from);
  if (to.isFloat())
    return convertToFloat(to, from);
  if (from.isFloat())
    return convertToInteger(to, from);
  convertIntegers(to, from);
}

/// The C expression of an integer, whose type has the same sign.
static std::string integerValue(const Type &type, const std::string &bits) {
  std::string width = std::to_string(type.bits);
  return type.isSigned() ? "(s64)(s" + width + ")" + bits
                         : "(u64)(u" + width + ")" + bits;
}

void FunctionWriter::convertIntegers(const Type &to, const Type &from) {
  std::string value = integerValue(from, read(1, from.bits, true));
  if (take("sat"))
    value = "clamp_integer(" + value + ", " + std::to_string(to.bits) + ", " +
            (to.isSigned() ? "1" : "0") + ")";
  writeExtended(current->operands[0], to, value);
}

/// The rounding to an integer, or nothing.
std::string FunctionWriter::integralMode() {
  std::string mode = takeOneOf({"rni", "rzi", "rmi", "rpi", ""});
  return mode.empty()    ? ""
         : mode == "rni" ? "RN"
         : mode == "rzi" ? "RZ"
         : mode == "rmi" ? "RM"
                         : "RP";
}

void FunctionWriter::convertToInteger(const Type &to, const Type &from) {
  std::string mode = integralMode(), flush = flag("ftz");
  // What it says is so in any case: the result is clamped.
  take("sat");
  if (mode.empty())
    problem("a rounding to integers is expected");
  bool isWide = from.bits == 64 || to.bits == 64;
  writeExtended(current->operands[0], to,
                "to_integer(in_" + from.name + "(" + read(1, from.bits) + ", " +
                    flush + "), " + mode + ", " + std::to_string(to.bits) +
                    ", " + (to.isSigned() ? "1, " : "0, ") +
                    (isWide ? "1)" : "0)"));
}

/// A double, exact or rounded to odd, as a number of a type.
std::string FunctionWriter::roundTo(const Type &to, const std::string &value,
                                    const std::string &mode,
                                    const std::string &flush,
                                    const std::string &saturate) {
  std::string upper = to.name == "f32"   ? "F32"
                      : to.name == "f16" ? "F16"
                                         : "BF16";
  std::string bits = "narrow(" + value + ", MANTISSA_" + upper + ", EXPONENT_" +
                     upper + ", " + mode + ")";
  if (to.name == "f32")
    return "out_f32(value_f32(" + bits + "), " + flush + ", " + saturate + ")";
  if (flush == "1")
    bits = "flush_" + to.name + "(" + bits + ")";
  if (saturate == "1")
    bits = "clamp_half(" + bits + ", " +
           (to.name == "f16" ? "0x3c00" : "0x3f80") + ")";
  return bits;
}

void FunctionWriter::convertToFloat(const Type &to, const Type &from) {
  std::string mode = takeRounding(), saturate = flag("sat");
  std::string flush = flag("ftz");
  std::string value = integerValue(from, read(1, from.bits, true));
  std::string text;
  if (to.bits == 64 && mode == "RN")
    text = "bits_f64((double)(" + value + "))";
  else if (to.bits == 64)
    text = "directed_integer(" + value + ", " + mode + ")";
  else if (to.bits == 32 && mode == "RN")
    text = "out_f32((float)(" + value + "), 0, " + saturate + ")";
  else
    text = roundTo(to,
                   from.isSigned() ? "odd_signed(" + value + ")"
                                   : "odd_integer(" + value + ", 0)",
                   mode, "0", saturate);
  writeExtended(current->operands[0], to, text);
}

void FunctionWriter::convertFloats(const Type &to, const Type &from) {
  std::string integral = integralMode();
  bool hasRounding = false;
  for (const std::string &modifier : modifiers)
    hasRounding |= modifier == "rn" || modifier == "rz" || modifier == "rm" ||
                   modifier == "rp";
  std::string mode = takeRounding(), flush = flag("ftz");
  std::string saturate = flag("sat"), relu = flag("relu");
  bool isNarrowing = to.bits < from.bits ||
                     (to.bits == 16 && from.bits == 16 && to.name != from.name);
  if (isNarrowing != hasRounding || (!integral.empty() && to.name != from.name))
    problem("the rounding is not known here");
  std::string value =
      "in_" + from.name + "(" + read(1, from.bits) + ", " + flush + ")";
  if (!integral.empty())
    value = "to_integral(" + value + ", " + integral + ")";
  std::string text;
  if (to.bits == 64)
    text = "bits_f64(" + value + ")";
  else if (to.bits == 32 && mode == "RN")
    text = "out_f32((float)" + value + ", " + flush + ", " + saturate + ")";
  else
    text = roundTo(to, value, mode, flush, saturate);
  if (to.bits == 64 && saturate == "1")
    problem("saturation to 64 bits is not supported");
  if (relu == "1" && to.bits == 16)
    text = "relu_half(" + text + ")";
  else if (relu == "1")
    problem("'.relu' is not known here");
  writeExtended(current->operands[0], to, text);
}

/// `cvt.rn.f16x2.f32 d, high, low`
void FunctionWriter::convertPair(const Type &to, const Type &from) {
  std::string mode = takeRounding(), relu = flag("relu");
  if (!expectOperands(3) || from.name != "f32")
    return problem("the types are not known here");
  auto half = [&](size_t i) {
    std::string text =
        roundTo(to.element(), "in_f32(" + read(i, 32) + ", 0)", mode, "0", "0");
    return relu == "1" ? "relu_half(" + text + ")" : text;
  };
  result(32, "pair_16(" + half(2) + ", " + half(1) + ")");
}

//===----------------------------------------------------------------------===//
// Addresses
//===----------------------------------------------------------------------===//

/// Where a space begins in the generic one; empty if it is not known.
static std::string windowOf(const std::string &space) {
  return space == "global" || space == "const" ? "0"
         : space == "shared"                   ? "PTX_SHARED_WINDOW"
         : space == "local"                    ? "PTX_LOCAL_WINDOW"
         : space == "param"                    ? "PTX_PARAM_WINDOW"
                                               : "";
}

void FunctionWriter::convertAddress() {
  bool isToSpace = take("to");
  std::string window = windowOf(takeSpace());
  Type type = takeType();
  if (!expectOperands(2) || window.empty() || type.bits != 64)
    return problem("the space or type is not known here");
  result(64, read(1, 64) + (isToSpace ? " - " : " + ") + window);
}

void FunctionWriter::isInSpace() {
  std::string window = windowOf(takeSpace());
  if (!expectOperands(2) || window.empty())
    return problem("the space is not known here");
  // Variables of the module are in .global, too.
  std::string space = "(" + read(1, 64) + " & PTX_WINDOW_MASK)";
  result(1, window == "0"
                ? "(" + space + " == 0 || " + space + " == PTX_MODULE_WINDOW)"
                : space + " == " + window);
}

} // namespace hetero::standin::ptx
