//===- HeteroEnums.td - Enumerations as attributes ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef HETERO_DIALECT_HETERO_HETEROENUMS_TD
#define HETERO_DIALECT_HETERO_HETEROENUMS_TD

include "hetero/Dialect/Hetero/HeteroBase.td"
include "hetero/Support/Enums.td"

// The attribute of an enumeration. Inside of an op it is the bare word.
class Hetero_EnumAttr<Hetero_Enum enumInfo, string attrMnemonic, string example>
    : EnumAttr<Hetero_Dialect, enumInfo, attrMnemonic> {
  let assemblyFormat = "`` $value";
  let description = [{
    Says }] # enumInfo.summary # [{. In the generic form:

    ```mlir
    #alias = #hetero<}] # attrMnemonic # " " # example # [{>
    ```
  }];
}

def Hetero_CollectiveKindAttr
    : Hetero_EnumAttr<Hetero_CollectiveKind, "collective", "all_reduce">;
def Hetero_ReductionKindAttr
    : Hetero_EnumAttr<Hetero_ReductionKind, "reduction", "sum">;
def Hetero_ObjectiveAttr : Hetero_EnumAttr<Hetero_Objective, "objective", "time">;
def Hetero_StateModeAttr
    : Hetero_EnumAttr<Hetero_StateMode, "state_sharding", "replicated">;
def Hetero_ScheduleKindAttr
    : Hetero_EnumAttr<Hetero_ScheduleKind, "schedule_kind", "h1f1b">;
def Hetero_AlgorithmAttr : Hetero_EnumAttr<Hetero_Algorithm, "algorithm", "ring">;

#endif // HETERO_DIALECT_HETERO_HETEROENUMS_TD
