//===- Enums.cpp - Enumerations of all layers -----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Support/Enums.h"
#include "llvm/ADT/StringSwitch.h"

#include "hetero/Support/Enums.cpp.inc"
