//===- ModuleParts.h - Code in parts that are compiled apart ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Divides a module among several that threads can compile at the same time.
//
// The idea
// --------
// Functions that may be inlined stay with those that refer to them; such groups
// are given to the part that is smallest so far, the largest group first. What
// goes where depends on the code alone, not on the machine: objects are equal
// everywhere. A module that is small is one part.
//
//   @kernel -> @loop (noinline) -> @loop.body     groups {@kernel},
//           -> @other (noinline)                  {@loop, @loop.body}, {@other}

#ifndef HETERO_LIB_CONVERSION_JIT_MODULEPARTS_H
#define HETERO_LIB_CONVERSION_JIT_MODULEPARTS_H

#include "llvm/ADT/SmallVector.h"
#include <vector>

namespace llvm {
class Module;
} // namespace llvm

namespace hetero {

/// The parts of the module as bitcode, so that each can be read in a context of
/// its own. Together they define what the module does, and each constant is in
/// all parts that use it. Functions of the module that were internal are hidden
/// afterwards.
std::vector<llvm::SmallVector<char, 0>> divideModule(llvm::Module &module);

} // namespace hetero

#endif // HETERO_LIB_CONVERSION_JIT_MODULEPARTS_H
