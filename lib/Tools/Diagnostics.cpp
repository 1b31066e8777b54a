//===- Diagnostics.cpp - Errors of one line -------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Tools/Diagnostics.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/DialectRegistry.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;
using namespace hetero;

static FileLineColLoc findFile(Location location) {
  FileLineColLoc found;
  location->walk([&](Location part) {
    found = dyn_cast<FileLineColLoc>(part);
    return found ? WalkResult::interrupt() : WalkResult::advance();
  });
  return found;
}

static StringRef getName(DiagnosticSeverity severity) {
  switch (severity) {
  case DiagnosticSeverity::Note:
    return "note";
  case DiagnosticSeverity::Warning:
    return "warning";
  case DiagnosticSeverity::Error:
    return "error";
  case DiagnosticSeverity::Remark:
    return "remark";
  }
  llvm_unreachable("a severity that MLIR does not have");
}

void hetero::printDiagnostic(Diagnostic &diagnostic, llvm::raw_ostream &os,
                             StringRef file) {
  if (FileLineColLoc place = findFile(diagnostic.getLocation()))
    os << place.getFilename().getValue() << ":" << place.getLine() << ":"
       << place.getColumn() << ": ";
  else if (!file.empty())
    os << file << ": ";
  os << getName(diagnostic.getSeverity()) << ": " << diagnostic << "\n";
  for (Diagnostic &note : diagnostic.getNotes())
    printDiagnostic(note, os);
}

namespace {
/// Numbers of long lines of one file; copied to every context.
struct ShortErrors : public DialectExtension<ShortErrors, func::FuncDialect> {
  explicit ShortErrors(const llvm::MemoryBuffer &input)
      : file(input.getBufferIdentifier()) {
    constexpr size_t longest = 2000;
    unsigned number = 1;
    for (StringRef rest = input.getBuffer(); !rest.empty(); ++number) {
      StringRef line;
      std::tie(line, rest) = rest.split('\n');
      if (line.size() > longest)
        longLines.insert(number);
    }
  }

  bool covers(Diagnostic &diagnostic) const {
    FileLineColLoc place = findFile(diagnostic.getLocation());
    return (place && place.getFilename() == file &&
            longLines.contains(place.getLine())) ||
           llvm::any_of(diagnostic.getNotes(),
                        [&](Diagnostic &note) { return covers(note); });
  }

  void apply(MLIRContext *context, func::FuncDialect *) const override {
    context->getDiagEngine().registerHandler(
        [errors = *this](Diagnostic &diagnostic) {
          if (!errors.covers(diagnostic))
            return failure();
          printDiagnostic(diagnostic, llvm::errs());
          return success();
        });
  }

  std::string file;
  llvm::DenseSet<unsigned> longLines;
};
} // namespace

void hetero::keepErrorsShort(DialectRegistry &registry,
                             const llvm::MemoryBuffer &input) {
  static const char identity = 0;
  ShortErrors errors(input);
  if (!errors.longLines.empty())
    registry.addExtension(TypeID::getFromOpaquePointer(&identity),
                          std::make_unique<ShortErrors>(std::move(errors)));
}
