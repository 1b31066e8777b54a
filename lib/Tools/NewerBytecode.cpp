//===- NewerBytecode.cpp - Bytecode of a newer MLIR -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Tools/NewerBytecode.h"
#include "mlir/Bytecode/BytecodeImplementation.h"
#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Config/llvm-config.h"

using namespace mlir;

/// The builtin types that have a number only in a newer MLIR.
static Type getNewerType(MLIRContext *context, uint64_t code) {
  switch (code) {
  case 21:
    return FloatTF32Type::get(context);
  case 22:
    return Float8E5M2Type::get(context);
  case 23:
    return Float8E4M3Type::get(context);
  case 24:
    return Float8E4M3FNType::get(context);
  case 25:
    return Float8E5M2FNUZType::get(context);
  case 26:
    return Float8E4M3FNUZType::get(context);
  case 27:
    return Float8E4M3B11FNUZType::get(context);
  case 28:
    return Float8E3M4Type::get(context);
  case 29:
    return Float4E2M1FNType::get(context);
  case 30:
    return Float6E2M3FNType::get(context);
  case 31:
    return Float6E3M2FNType::get(context);
  case 32:
    return Float8E8M0FNUType::get(context);
  default:
    return {};
  }
}

void hetero::readNewerTypes(BytecodeReaderConfig &config) {
  config.attachTypeCallback([](DialectBytecodeReader &reader, StringRef dialect,
                               Type &type) -> LogicalResult {
    uint64_t code;
    if (dialect != "builtin")
      return success();
    if (failed(reader.readVarInt(code)))
      return failure();
    // Left null, the type is read as ever.
    type = getNewerType(reader.getContext(), code);
    return success();
  });
}

/// Whether the header names a producer `MLIR<major>...` above our own. The
/// header is a magic number of four bytes, the version, and the producer's name
/// up to a zero.
static bool isFromNewerMlir(StringRef bytecode) {
  StringRef producer = bytecode.drop_front(std::min<size_t>(bytecode.size(), 5))
                           .take_front(64)
                           .split('\0')
                           .first;
  unsigned major;
  return producer.consume_front("MLIR") &&
         !producer.consumeInteger(10, major) && major > LLVM_VERSION_MAJOR;
}

std::unique_ptr<llvm::MemoryBuffer>
hetero::rewriteNewerBytecode(const llvm::MemoryBuffer &bytecode,
                             const DialectRegistry &registry) {
  if (!isFromNewerMlir(bytecode.getBuffer()))
    return nullptr;
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.allowUnregisteredDialects();
  ScopedDiagnosticHandler ignore(&context,
                                 [](Diagnostic &) { return success(); });
  FallbackAsmResourceMap resources;
  ParserConfig config(&context, /*verifyAfterParse=*/false, &resources);
  readNewerTypes(config.getBytecodeReaderConfig());
  OwningOpRef<Operation *> op = parseSourceString(bytecode.getBuffer(), config);
  if (!op)
    return nullptr;
  std::string text;
  llvm::raw_string_ostream os(text);
  if (failed(writeBytecodeToFile(*op, os, BytecodeWriterConfig(resources))))
    return nullptr;
  return llvm::MemoryBuffer::getMemBufferCopy(text,
                                              bytecode.getBufferIdentifier());
}
