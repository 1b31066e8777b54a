//===- Chlo.h - CHLO, ours or the library's ---------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The one header through which all other layers see the dialect, as
// hetero/Dialect/Stablehlo.h is for StableHLO.

#ifndef HETERO_DIALECT_CHLO_H
#define HETERO_DIALECT_CHLO_H

#ifdef HETERO_EXTERNAL_STABLEHLO
#include "stablehlo/dialect/ChloOps.h"
#else
#include "hetero/Dialect/Chlo/ChloOps.h"
#endif

#endif // HETERO_DIALECT_CHLO_H
