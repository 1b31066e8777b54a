//===- InputBytecode.cpp - Whether MLIR's reader survives bytecode --------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Tools/Input.h"
#include "hetero/Tools/NewerBytecode.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Parser/Parser.h"
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

bool hetero::survivesBytecode(const llvm::MemoryBuffer &buffer,
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
