//===- FunctionWriter.h - Writes one function as C --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef HETERO_TEST_CUDA_PTX_FUNCTIONWRITER_H
#define HETERO_TEST_CUDA_PTX_FUNCTIONWRITER_H

#include "Translate.h"
#include <set>

namespace hetero::standin::ptx {

/// What a name stands for.
struct Symbol {
  enum class Kind {
    Register,
    /// A variable with an address that C can compute.
    Variable,
    /// Bytes of a call's parameter or result, which are an array of C.
    Argument
  };
  Kind kind = Kind::Register;
  /// The expression: a C variable, an address or an array.
  std::string expression;
  int bits = 0;
  size_t bytes = 0;
  std::string space;
  /// Registers `%r0` to `%r<count - 1>`, named by `%r`.
  int count = -1;
};

/// A scalar type of PTX.
struct Type {
  std::string name;
  int bits = 0;

  char kind() const { return name.empty() ? 0 : name[0]; }
  bool isPair() const {
    return name.size() > 3 && name.substr(name.size() - 2) == "x2";
  }
  bool isFloat() const { return kind() == 'f' || name.substr(0, 2) == "bf"; }
  bool isHalf() const { return isFloat() && bits == 16; }
  bool isSigned() const { return kind() == 's'; }
  /// Of each half of a pair.
  Type element() const {
    return isPair() ? Type{name.substr(0, name.size() - 2), bits / 2} : *this;
  }
};

/// What the functions of a module share.
struct ModuleContext {
  const Module &module;
  Translation &translation;
  std::map<std::string, Symbol> variables;
  std::map<std::string, const Function *> functions;
  /// Where the shared variables are, and the next one.
  std::map<std::string, Range> shared;
  size_t sharedEnd = 0;
};

class FunctionWriter {
public:
  FunctionWriter(ModuleContext &context, const Function &function)
      : context(context), function(function) {}

  std::string write();

  /// What the function does itself.
  bool isBlocking = false;
  std::set<std::string> callees;
  std::vector<Range> sharedRanges;
  std::set<std::string> sharedNames;
  size_t localBytes = 0;

  static std::string mangle(const std::string &prefix, const std::string &name);
  static std::string signature(const Function &function);

private:
  using Handler = void (FunctionWriter::*)();
  static const std::map<std::string, Handler> &handlers();
  static void addMemoryHandlers(std::map<std::string, Handler> &handlers);
  static void addControlHandlers(std::map<std::string, Handler> &handlers);
  static void addConversionHandlers(std::map<std::string, Handler> &handlers);

  // Statements.
  void writeBody(const std::vector<Statement> &body, bool isNested);
  void writeStatement(const Statement &statement);
  void writeRegisters(const Statement &statement);
  void writeVariable(const Variable &variable);
  void writeInstruction(const Statement &statement);
  void collectLabels(const std::vector<Statement> &body);
  void emit(const std::string &text);
  void countInstruction();
  void endOfRun();

  // The parts of an instruction.
  void problem(const std::string &message);
  bool take(const std::string &modifier);
  /// One of the modifiers, or the last argument if there is none.
  std::string takeOneOf(const std::vector<std::string> &modifiers);
  Type takeType();
  bool expectOperands(size_t count);
  bool expectOperands(size_t least, size_t most);
  std::string takeRounding();
  std::string flag(const std::string &modifier);

  // Operands.
  const Symbol *lookUp(const std::string &name);
  const Symbol *findRange(const std::map<std::string, Symbol> &scope,
                          const std::string &name);
  std::string readOperand(const Operand &operand, int bits,
                          bool mayBeWider = false);
  std::string readNumber(const Operand &operand, int bits);
  std::string readVariable(const Symbol &symbol, const Operand &operand);
  std::string specialRegister(const std::string &name, int &bits);
  std::string read(size_t index, int bits, bool mayBeWider = false);
  std::string readPredicate(const Operand &operand);
  int registerBits(const Operand &operand);
  void writeOperand(const Operand &operand, int bits, const std::string &value);
  void writeExtended(const Operand &operand, const Type &type,
                     const std::string &value);
  void result(int bits, const std::string &value);

  // Families of instructions.
  void floatCall(const std::string &name, const Type &type, size_t count,
                 const std::string &extra);
  void integerCall(const std::string &name, size_t count, int bits);
  void addOrSubtract();
  void carry(const std::string &name, const Type &type, bool hasInput);
  void multiply();
  void multiplyAdd();
  void multiplyAddCarry(const Type &type, bool isHigh);
  void fusedMultiplyAdd();
  void divide();
  void remainder();
  void negateOrAbsolute();
  void leastOrGreatest();
  void root();
  void approximate();
  void logic();
  void invert();
  void shift();
  void funnelShift();
  void permute();
  void logic3();
  void extractField();
  void insertField();
  void countBits();
  void findBit();
  void dotProduct();
  void setPredicate();
  std::string comparison(const std::string &how, const Type &type,
                         const std::string &a, const std::string &b,
                         const std::string &flush);
  void select();
  void selectBySign();
  void testProperty();
  void copySign();

  void move();
  void convert();
  void convertIntegers(const Type &to, const Type &from);
  void convertToInteger(const Type &to, const Type &from);
  void convertToFloat(const Type &to, const Type &from);
  void convertFloats(const Type &to, const Type &from);
  void convertPair(const Type &to, const Type &from);
  std::string integralMode();
  std::string roundTo(const Type &to, const std::string &value,
                      const std::string &mode, const std::string &flush,
                      const std::string &saturate);
  void convertAddress();
  void isInSpace();

  std::string takeSpace();
  void takeCacheHints();
  int takeVector();
  std::string address(const Operand &operand, bool &isArgument, size_t bytes);
  std::string place(const Operand &operand, const std::string &space,
                    size_t bytes, const std::string &how);
  void load();
  void store();
  void atomic();
  std::string atomicValue(const std::string &operation, const Type &type,
                          const std::string &space);

  void branch();
  void branchIndexed();
  void call();
  void leave();
  void trap();
  void barrier();
  void fence();
  void shuffle();
  void vote();
  void match();
  void reduce();
  void activeMask();
  void collective(const std::string &what, const std::string &mask,
                  const std::string &value, const std::string &lane,
                  const std::string &clamp);

  ModuleContext &context;
  const Function &function;
  std::vector<std::map<std::string, Symbol>> scopes;
  std::set<std::string> labels;
  std::map<std::string, const Statement *> branchTargets;
  std::vector<std::string> lines;
  size_t countLine = ~size_t(0);
  size_t runLength = 0;
  // The instruction that is being written.
  const Statement *current = nullptr;
  std::vector<std::string> modifiers;
  bool hasProblem = false;
};

} // namespace hetero::standin::ptx

#endif // HETERO_TEST_CUDA_PTX_FUNCTIONWRITER_H
