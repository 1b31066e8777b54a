//===- StepInput.h - Problems of programs -----------------------*- C++ -*-===//
//
// Part of the hetero project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Planning knows no IR, and neither does this tool: hetero-translate, which
// stands beside it, turns a program into the text of its problem.
//
//===----------------------------------------------------------------------===//

#ifndef HETERO_TOOLS_HETERO_PLAN_STEPINPUT_H
#define HETERO_TOOLS_HETERO_PLAN_STEPINPUT_H

#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"

namespace hetero {

/// Whether a file is a program by its name.
bool isProgram(llvm::StringRef file);

/// The problem of the program in a file, as `hetero-translate --problem` writes
/// it, or its graph of operations. What that has to say about the program goes
/// to stderr. `program` is how this tool was called.
llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
translateStep(llvm::StringRef file, llvm::StringRef program,
              bool asGraph = false);

} // namespace hetero

#endif // HETERO_TOOLS_HETERO_PLAN_STEPINPUT_H
