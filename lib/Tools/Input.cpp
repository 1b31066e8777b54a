//===- Input.cpp - How a tool reads a file from outside -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Tools/Input.h"
#include "hetero/Support/BoolLiterals.h"
#include "hetero/Support/InputLimits.h"
#include "hetero/Tools/NewerBytecode.h"
#include "mlir/Bytecode/BytecodeReader.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Support/FileUtilities.h"
#include "llvm/Support/Compiler.h"
#include "llvm/Support/Signals.h"
#include <cerrno>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace mlir;

static void limitResource(int resource, rlim_t value) {
  rlimit limit{value, value};
  setrlimit(resource, &limit);
}

/// The forked process: reads the bytecode and exits with code 0, whether it
/// was valid or not, unless the reader ends the process first.
[[noreturn]] static void readAndExit(const llvm::MemoryBuffer &buffer,
                                     const DialectRegistry &registry) {
  llvm::sys::unregisterHandlers();
  if (int null = open("/dev/null", O_WRONLY); null >= 0)
    dup2(null, STDERR_FILENO);
  rlim_t mebibytes = buffer.getBufferSize() >> 20;
  limitResource(RLIMIT_CORE, 0);
  limitResource(RLIMIT_CPU, 20 + mebibytes);
#if !LLVM_ADDRESS_SANITIZER_BUILD && !LLVM_THREAD_SANITIZER_BUILD
  limitResource(RLIMIT_AS, (2048 + 64 * mebibytes) << 20);
#endif
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.allowUnregisteredDialects();
  ScopedDiagnosticHandler ignore(&context,
                                 [](Diagnostic &) { return success(); });
  ParserConfig config(&context, /*verifyAfterParse=*/false);
  hetero::readNewerTypes(config.getBytecodeReaderConfig());
  (void)parseSourceString(buffer.getBuffer(), config);
  _exit(0);
}

/// Returns true when MLIR's reader comes to an end on `buffer`.
static bool survivesBytecode(const llvm::MemoryBuffer &buffer,
                             const DialectRegistry &registry) {
  pid_t child = fork();
  if (child < 0)
    return true; // No process to spare: take the risk.
  if (child == 0)
    readAndExit(buffer, registry);
  int status = 0;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR)
      return true;
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

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
