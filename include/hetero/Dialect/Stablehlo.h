//===- Stablehlo.h - StableHLO, ours or the library's -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The one header through which all other layers see the dialect. Both sides
// have the same namespace, class and accessor names; what is not in the
// library's interface is not used outside of hetero/Dialect/Stablehlo.

#ifndef HETERO_DIALECT_STABLEHLO_H
#define HETERO_DIALECT_STABLEHLO_H

#ifdef HETERO_EXTERNAL_STABLEHLO
#include "stablehlo/dialect/StablehloOps.h"
#else
#include "hetero/Dialect/Stablehlo/StablehloOps.h"
#endif

#endif // HETERO_DIALECT_STABLEHLO_H
