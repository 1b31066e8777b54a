//===- StablehloDynamicOps.cpp - Shapes known only at run time ---===//
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
#include "hetero/Dialect/Stablehlo/StablehloDynamicOps.cpp.inc"

// Registration: uncomment with the first op of the family.
// void StablehloDialect::addDynamicOps() {
//   addOperations<
// #define GET_OP_LIST
// #include "hetero/Dialect/Stablehlo/StablehloDynamicOps.cpp.inc"
//       >();
// }
