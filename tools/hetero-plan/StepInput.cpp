//===- StepInput.cpp - Problems of programs -------------------------------===//
//
// Part of the hetero project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StepInput.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"

using namespace llvm;
using namespace hetero;

bool hetero::isProgram(StringRef file) {
  return file.ends_with(".mlir") || file.ends_with(".mlirbc");
}

/// Anything in this program, to find it by.
static void anchor() {}

Expected<std::unique_ptr<MemoryBuffer>>
hetero::translateStep(StringRef file, StringRef program, bool asGraph) {
  std::string self = sys::fs::getMainExecutable(
      program.str().c_str(), reinterpret_cast<void *>(&anchor));
  ErrorOr<std::string> tool = sys::findProgramByName(
      "hetero-translate", {sys::path::parent_path(self)});
  if (!tool)
    tool = sys::findProgramByName("hetero-translate");
  if (!tool)
    return createStringError("cannot find hetero-translate, which turns '" +
                             file + "' into a problem");
  SmallString<128> output;
  if (std::error_code code =
          sys::fs::createTemporaryFile("problem", "yaml", output))
    return createStringError("cannot write a temporary file: " +
                             code.message());
  FileRemover remover(output);
  std::string message;
  int code = sys::ExecuteAndWait(
      *tool, {*tool, file, asGraph ? "--graph" : "--problem", "-o", output},
      /*Env=*/std::nullopt, /*Redirects=*/{},
      /*SecondsToWait=*/0, /*MemoryLimit=*/0, &message);
  if (code != 0)
    return createStringError("'" + file + "' cannot be turned into a problem" +
                             (message.empty() ? "" : ": " + message));
  ErrorOr<std::unique_ptr<MemoryBuffer>> buffer =
      MemoryBuffer::getFile(output, /*IsText=*/true);
  if (!buffer)
    return createStringError("cannot read the problem of '" + file +
                             "': " + buffer.getError().message());
  // Errors then name the program.
  return MemoryBuffer::getMemBufferCopy((*buffer)->getBuffer(), file);
}
