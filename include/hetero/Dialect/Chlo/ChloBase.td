//===- ChloBase.td - Dialect, types and op classes of CHLO ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef HETERO_DIALECT_CHLO_CHLOBASE_TD
#define HETERO_DIALECT_CHLO_CHLOBASE_TD

include "hetero/Dialect/Stablehlo/StablehloBase.td"

def Chlo_Dialect : Dialect {
  let name = "chlo";
  let cppNamespace = "::mlir::chlo";
  let summary = "What JAX leaves to be composed from StableHLO";
  let description = [{
    Operations that JAX may put into a program although StableHLO has none of
    their kind: special functions (`chlo.erf_inv`), operations that broadcast
    their operands (`chlo.broadcast_add`), and compositions that a target may
    know how to do better than by parts (`chlo.top_k`, `chlo.ragged_dot`).
    Declared under the names of CHLO's own library, like `stablehlo`.

    The pass `hetero-expand-chlo` rewrites all of them to StableHLO.
  }];
  let useDefaultAttributePrinterParser = 1;
  let hasConstantMaterializer = 1;
  // For complex splats (`#complex.number`) in chlo.constant_like.
  let dependentDialects = ["::mlir::complex::ComplexDialect",
                           "::mlir::stablehlo::StablehloDialect"];
  let extraClassDeclaration = [{
    void registerAttributes();
    void registerBytecode();
    void registerOps();
  }];
}

//===----------------------------------------------------------------------===//
// Tensor types; where an op takes these, not StableHLO's, they may be unranked
//===----------------------------------------------------------------------===//

def CHLO_Tensor : StableHLO_AnyRankTensorOf<
    [StableHLO_Float, StableHLO_Bool, StableHLO_Int, StableHLO_Complex,
     StableHLO_PerTensorQuantized, StableHLO_PerAxisQuantized]>;
def CHLO_BoolTensor : TensorOf<[StableHLO_Bool]>;
def CHLO_BoolOrIntTensor : TensorOf<[StableHLO_Bool, StableHLO_Int]>;
def CHLO_FloatTensor : TensorOf<[StableHLO_Float]>;
def CHLO_ComplexTensor : TensorOf<[StableHLO_Complex]>;
def CHLO_FloatOrComplexTensor : TensorOf<[StableHLO_Float, StableHLO_Complex]>;

//===----------------------------------------------------------------------===//
// Op classes
//===----------------------------------------------------------------------===//

class CHLO_Op<string mnemonic, list<Trait> traits = []>
    : Op<Chlo_Dialect, mnemonic, traits>;

/// The element types of operands and result agree; shapes may differ.
def CHLO_CompatibleElementTypes : NativeOpTrait<"CompatibleElementTypes"> {
  let cppNamespace = "::mlir::chlo::OpTrait";
}

#endif // HETERO_DIALECT_CHLO_CHLOBASE_TD
