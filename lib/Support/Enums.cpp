//===- Enums.cpp - Enumerations of all layers -----------------------------===//
//
// Part of the hetero project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "hetero/Support/Enums.h"
#include "llvm/ADT/StringSwitch.h"

#include "hetero/Support/Enums.cpp.inc"
