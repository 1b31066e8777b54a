//===- Input.cpp - How a tool reads a file from outside -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Tools/Input.h"
#include "hetero/Support/BoolLiterals.h"
#include "hetero/Support/InputLimits.h"
#include "hetero/Tools/NewerBytecode.h"
#include "mlir/Bytecode/BytecodeReader.h"
#include "mlir/Support/FileUtilities.h"

using namespace mlir;

/// Whether the header, after the magic number and the version, names the
/// serializer of StableHLO: such bytecode is of a dialect of its own, VHLO.
static bool isPortableArtifact(const llvm::MemoryBuffer &buffer) {
  return buffer.getBuffer().substr(5).starts_with("StableHLO_v");
}

std::unique_ptr<llvm::MemoryBuffer>
hetero::readInput(StringRef filename, const DialectRegistry &registry,
                  llvm::raw_ostream &errs) {
  std::string error;
  std::unique_ptr<llvm::MemoryBuffer> input = openInputFile(filename, &error);
  if (!input) {
    errs << "error: " << error << "\n";
    return nullptr;
  }
  if (isBytecode(*input)) {
    if (isPortableArtifact(*input)) {
      errs << input->getBufferIdentifier()
           << ":1:1: error: portable artifact of StableHLO; 'python -m "
              "hetero.artifact' turns it into text\n";
      return nullptr;
    }
    if (survivesBytecode(*input, registry)) {
      auto rewritten = rewriteNewerBytecode(*input, registry);
      return rewritten ? std::move(rewritten) : std::move(input);
    }
    errs << input->getBufferIdentifier() << ":1:1: error: malformed bytecode\n";
    return nullptr;
  }
  if (reportInputProblem(*input, errs))
    return nullptr;
  if (auto packed = packBoolLiterals(input->getBuffer()))
    return llvm::MemoryBuffer::getMemBufferCopy(*packed,
                                                input->getBufferIdentifier());
  return input;
}
