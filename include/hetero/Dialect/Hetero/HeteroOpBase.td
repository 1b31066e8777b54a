//===- HeteroOpBase.td - What all operations share ---------*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef HETERO_DIALECT_HETERO_HETEROOPBASE_TD
#define HETERO_DIALECT_HETERO_HETEROOPBASE_TD

include "hetero/Dialect/Hetero/HeteroAttrs.td"
include "hetero/Dialect/Hetero/HeteroTypes.td"
include "mlir/IR/SymbolInterfaces.td"

class Hetero_Op<string opMnemonic, list<Trait> traits = []>
    : Op<Hetero_Dialect, opMnemonic, traits>;

#endif // HETERO_DIALECT_HETERO_HETEROOPBASE_TD
