//===- ModuleFile.h - What the tools of these tests read --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef HETERO_TEST_CONVERSION_RUN_MODULEFILE_H
#define HETERO_TEST_CONVERSION_RUN_MODULEFILE_H

#include "hetero/InitAll.h"
#include "hetero/Tools/Input.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/StringExtras.h"
#include <memory>

namespace hetero {

/// A file with one module, or with several and `// -----` between them. What is
/// wrong goes to standard error.
class ModuleFile {
public:
  /// Null after an error.
  static std::unique_ptr<ModuleFile> read(llvm::StringRef path) {
    std::unique_ptr<ModuleFile> file(new ModuleFile());
    mlir::DialectRegistry registry;
    registerAllDialects(registry);
    file->buffer = readInput(path, registry, llvm::errs());
    if (!file->buffer)
      return nullptr;
    file->context = std::make_unique<mlir::MLIRContext>(registry);
    file->context->printOpOnDiagnostic(false);
    file->buffer->getBuffer().split(file->parts, "// -----\n");
    return file;
  }

  size_t size() const { return parts.size(); }
  /// Null after an error, which goes through the context.
  mlir::OwningOpRef<mlir::ModuleOp> parse(size_t index) {
    return mlir::parseSourceString<mlir::ModuleOp>(parts[index], context.get());
  }
  mlir::MLIRContext &getContext() { return *context; }

private:
  ModuleFile() = default;
  std::unique_ptr<llvm::MemoryBuffer> buffer;
  std::unique_ptr<mlir::MLIRContext> context;
  llvm::SmallVector<llvm::StringRef> parts;
};

inline int fail(const llvm::Twine &message) {
  llvm::errs() << "error: " << message << "\n";
  return 1;
}

} // namespace hetero

#endif // HETERO_TEST_CONVERSION_RUN_MODULEFILE_H
