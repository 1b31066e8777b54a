//===- StablehloControlOps.cpp - Control flow, calls, tokens, random bits ---===//
//
// Part of the hetero project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "hetero/Dialect/Stablehlo/AssemblyFormat.h"
#include "hetero/Dialect/Stablehlo/StablehloOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::stablehlo;

#define GET_OP_CLASSES
#include "hetero/Dialect/Stablehlo/StablehloControlOps.cpp.inc"

// Registration: uncomment with the first op of the family.
// void StablehloDialect::addControlOps() {
//   addOperations<
// #define GET_OP_LIST
// #include "hetero/Dialect/Stablehlo/StablehloControlOps.cpp.inc"
//       >();
// }
