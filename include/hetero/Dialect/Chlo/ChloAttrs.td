//===- ChloAttrs.td - Enumerations and attributes of CHLO --*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef HETERO_DIALECT_CHLO_CHLOATTRS_TD
#define HETERO_DIALECT_CHLO_CHLOATTRS_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "hetero/Dialect/Chlo/ChloBase.td"

// An enumeration `Name` and its attribute, printed `#chlo<mnemonic CASE>`.
class CHLO_Enum<string name, string summary, list<I32EnumAttrCase> cases>
    : I32EnumAttr<name, summary, cases> {
  let genSpecializedAttr = 0;
  let cppNamespace = "::mlir::chlo";
}
class CHLO_EnumAttr<EnumAttrInfo info, string mnemonic, string example>
    : EnumAttr<Chlo_Dialect, info, mnemonic> {
  let summary = info.summary;
  let description = [{
    }] # info.summary # [{. Example:

    ```mlir
    }] # example # [{
    ```
  }];
}

def CHLO_ComparisonDirection : CHLO_Enum<"ComparisonDirection",
    "Which relation a comparison tests", [
    I32EnumAttrCase<"EQ", 0>, I32EnumAttrCase<"NE", 1>,
    I32EnumAttrCase<"GE", 2>, I32EnumAttrCase<"GT", 3>,
    I32EnumAttrCase<"LE", 4>, I32EnumAttrCase<"LT", 5>]>;
def CHLO_ComparisonDirectionAttr : CHLO_EnumAttr<CHLO_ComparisonDirection,
    "comparison_direction", "#chlo<comparison_direction LT>">;

def CHLO_ComparisonType : CHLO_Enum<"ComparisonType",
    "How the elements of a comparison are ordered", [
    I32EnumAttrCase<"NOTYPE", 0>, I32EnumAttrCase<"FLOAT", 1>,
    I32EnumAttrCase<"TOTALORDER", 2>, I32EnumAttrCase<"SIGNED", 3>,
    I32EnumAttrCase<"UNSIGNED", 4>]>;
def CHLO_ComparisonTypeAttr : CHLO_EnumAttr<CHLO_ComparisonType,
    "comparison_type", "#chlo<comparison_type TOTALORDER>">;

def CHLO_Precision : CHLO_Enum<"Precision",
    "How much accuracy a contraction may trade for speed", [
    I32EnumAttrCase<"DEFAULT", 0>, I32EnumAttrCase<"HIGH", 1>,
    I32EnumAttrCase<"HIGHEST", 2>]>;
def CHLO_PrecisionAttr : CHLO_EnumAttr<CHLO_Precision, "precision",
                                       "#chlo<precision HIGHEST>">;

def CHLO_PrecisionConfigAttr
    : OptionalAttr<TypedArrayAttrBase<CHLO_PrecisionAttr,
                                      "Precision Config attribute">>;

def CHLO_RaggedDotDimensionNumbers
    : AttrDef<Chlo_Dialect, "RaggedDotDimensionNumbers"> {
  let mnemonic = "ragged_dot";
  let summary = "The dimensions that a ragged_dot pairs and the one it groups";
  let description = [{
    Batching and contracting dimensions as in `#stablehlo.dot`. The ragged
    dimension of lhs is the one that is cut into groups; the group dimension of
    rhs, where there is one, holds a matrix for each group. Empty lists are left
    out, and the members may be written in any order.

    ```mlir
    #chlo.ragged_dot<lhs_contracting_dimensions = [1],
                     rhs_contracting_dimensions = [1],
                     lhs_ragged_dimensions = [0],
                     rhs_group_dimensions = [0]>
    ```
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$lhsBatchingDimensions,
                        ArrayRefParameter<"int64_t">:$rhsBatchingDimensions,
                        ArrayRefParameter<"int64_t">:$lhsContractingDimensions,
                        ArrayRefParameter<"int64_t">:$rhsContractingDimensions,
                        ArrayRefParameter<"int64_t">:$lhsRaggedDimensions,
                        ArrayRefParameter<"int64_t">:$rhsGroupDimensions);
  let hasCustomAssemblyFormat = 1;
}

#endif // HETERO_DIALECT_CHLO_CHLOATTRS_TD
