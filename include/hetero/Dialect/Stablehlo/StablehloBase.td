//===- StablehloBase.td - Types, traits and op classes of StableHLO -------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef HETERO_DIALECT_STABLEHLO_STABLEHLOBASE_TD
#define HETERO_DIALECT_STABLEHLO_STABLEHLOBASE_TD

include "mlir/IR/OpBase.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Stablehlo_Dialect : Dialect {
  let name = "stablehlo";
  let cppNamespace = "::mlir::stablehlo";
  let summary = "The operation set that JAX lowers to";
  let description = [{
    The operations, types and attributes of the public StableHLO specification,
    declared here under the names that StableHLO's own library uses, so that
    either can stand behind the same code. The assembly and the verifiers agree
    with the StableHLO inside jaxlib; the conformance tests compare the two.

    Constraints in the op descriptions carry the label that the specification
    gives them (`dot_general_c7`); the negative tests carry the same labels.
  }];
  let useDefaultTypePrinterParser = 1;
  let hasConstantMaterializer = 1;
  let hasOperationAttrVerify = 0;
  let dependentDialects = ["::mlir::quant::QuantDialect"];
  let extraClassDeclaration = [{
    // Each family of ops is registered by the file that defines it.
    void addElementwiseOps();
    void addShapeOps();
    void addContractionOps();
    void addReductionOps();
    void addControlOps();
    void addCollectiveOps();
    void addDynamicOps();
    void registerAttributes();
    void registerTypes();
    void registerInliner();
    ::mlir::Attribute parseAttribute(::mlir::DialectAsmParser &parser,
                                     ::mlir::Type type) const override;
    void printAttribute(::mlir::Attribute attr,
                        ::mlir::DialectAsmPrinter &printer) const override;
    void registerBytecode();

    /// The version that bytecode is marked with, none by default.
    std::optional<StablehloDialectVersion> getVersion() const { return version; }
    void setVersion(std::optional<StablehloDialectVersion> newVersion) {
      version = newVersion;
    }

  private:
    std::optional<StablehloDialectVersion> version;
  }];
}

//===----------------------------------------------------------------------===//
// Element types
//===----------------------------------------------------------------------===//

def StableHLO_Bool : TypeAlias<I1, "bool">;
def StableHLO_SInt : SignlessIntOfWidths<[2, 4, 8, 16, 32, 64]>;
def StableHLO_UInt : UnsignedIntOfWidths<[2, 4, 8, 16, 32, 64]>;
def StableHLO_Int : AnyTypeOf<[StableHLO_SInt, StableHLO_UInt],
                              "2/4/8/16/32/64-bit integer">;
def StableHLO_Float : AnyTypeOf<[
    F4E2M1FN, F6E2M3FN, F6E3M2FN, F8E3M4, F8E4M3, F8E4M3FN, F8E4M3FNUZ,
    F8E4M3B11FNUZ, F8E5M2, F8E5M2FNUZ, F8E8M0FNU, F16, BF16, F32, F64],
    "4/6/8/16/32/64-bit float">;
def StableHLO_F32OrF64 : AnyTypeOf<[F32, F64], "32/64-bit float">;
def StableHLO_Complex : Complex<StableHLO_F32OrF64>;

/// A quantized element type with one scale for the whole tensor.
def StableHLO_PerTensorQuantized : Type<
    CPred<"::mlir::stablehlo::isPerTensorQuantized($_self)">,
    "per-tensor integer quantized">;
/// A quantized element type with one scale a slice.
def StableHLO_PerAxisQuantized : Type<
    CPred<"::mlir::stablehlo::isPerAxisQuantized($_self)">,
    "per-axis integer quantized">;

//===----------------------------------------------------------------------===//
// Tensor types, always ranked
//===----------------------------------------------------------------------===//

class StableHLO_TensorOf<list<Type> elements> : RankedTensorOf<elements>;
/// A tensor whose elements may be quantized per axis: it has that axis, with as
/// many slices as there are scales.
class StableHLO_PerAxisTensorOf<list<Type> elements> : Type<
    And<[RankedTensorOf<elements>.predicate,
         CPred<"::mlir::stablehlo::hasValidQuantizedAxis($_self)">]>,
    RankedTensorOf<elements>.summary, "::mlir::RankedTensorType">;

/// The same without a rank, or with one.
class StableHLO_AnyRankTensorOf<list<Type> elements> : Type<
    And<[TensorOf<elements>.predicate,
         CPred<"::mlir::stablehlo::hasValidQuantizedAxis($_self)">]>,
    TensorOf<elements>.summary, "::mlir::TensorType">;

def StableHLO_NonQuantizedTensor : StableHLO_TensorOf<
    [StableHLO_Float, StableHLO_Bool, StableHLO_Int, StableHLO_Complex]>;
def StableHLO_TensorPerTensor : StableHLO_TensorOf<
    [StableHLO_Float, StableHLO_Bool, StableHLO_Int, StableHLO_Complex,
     StableHLO_PerTensorQuantized]>;
def StableHLO_Tensor : StableHLO_PerAxisTensorOf<
    [StableHLO_Float, StableHLO_Bool, StableHLO_Int, StableHLO_Complex,
     StableHLO_PerTensorQuantized, StableHLO_PerAxisQuantized]>;
def StableHLO_StaticTensor : Type<
    And<[StableHLO_Tensor.predicate, HasStaticShapePred]>,
    "statically shaped tensor of 4/6/8/16/32/64-bit float or bool or "
    "2/4/8/16/32/64-bit integer or complex type with 32/64-bit float elements "
    "or per-tensor integer quantized or per-axis integer quantized values",
    "::mlir::RankedTensorType">;

def StableHLO_BoolTensor : StableHLO_TensorOf<[StableHLO_Bool]>;
def StableHLO_IntTensor : StableHLO_TensorOf<[StableHLO_Int]>;
def StableHLO_BoolOrIntTensor :
    StableHLO_TensorOf<[StableHLO_Bool, StableHLO_Int]>;
def StableHLO_FloatTensor : StableHLO_TensorOf<[StableHLO_Float]>;
def StableHLO_F32OrF64Tensor : StableHLO_TensorOf<[StableHLO_F32OrF64]>;
def StableHLO_ComplexTensor : StableHLO_TensorOf<[StableHLO_Complex]>;
def StableHLO_FloatOrComplexTensor :
    StableHLO_TensorOf<[StableHLO_Float, StableHLO_Complex]>;
def StableHLO_FloatOrQuantizedTensor :
    StableHLO_TensorOf<[StableHLO_Float, StableHLO_PerTensorQuantized]>;
def StableHLO_FloatComplexOrQuantizedTensor : StableHLO_TensorOf<
    [StableHLO_Float, StableHLO_Complex, StableHLO_PerTensorQuantized]>;
def StableHLO_IntFloatComplexOrQuantizedTensor : StableHLO_TensorOf<
    [StableHLO_Int, StableHLO_Float, StableHLO_Complex,
     StableHLO_PerTensorQuantized]>;
def StableHLO_SIntFloatComplexOrQuantizedTensor : StableHLO_TensorOf<
    [StableHLO_SInt, StableHLO_Float, StableHLO_Complex,
     StableHLO_PerTensorQuantized]>;
def StableHLO_SIntFloatOrQuantizedTensor : StableHLO_TensorOf<
    [StableHLO_SInt, StableHLO_Float, StableHLO_PerTensorQuantized]>;

def StableHLO_QuantizedTensor : StableHLO_PerAxisTensorOf<
    [StableHLO_PerTensorQuantized, StableHLO_PerAxisQuantized]>;
def StableHLO_QuantizableTensor : StableHLO_PerAxisTensorOf<
    [StableHLO_Float, StableHLO_PerTensorQuantized,
     StableHLO_PerAxisQuantized]>;
def StableHLO_IotaTensor : StaticShapeTensorOf<
    [StableHLO_Int, StableHLO_Float, StableHLO_Complex,
     StableHLO_PerTensorQuantized]>;

/// A tensor of rank 0.
class StableHLO_ScalarTensorOf<list<Type> elements> : Type<
    And<[StableHLO_TensorOf<elements>.predicate, HasAnyRankOfPred<[0]>]>,
    "0D tensor of " # AnyTypeOf<elements>.summary # " values",
    "::mlir::RankedTensorType">;
def StableHLO_ScalarIntTensor : StableHLO_ScalarTensorOf<[StableHLO_Int]>;
def StableHLO_ScalarBoolTensor : StableHLO_ScalarTensorOf<[StableHLO_Bool]>;

/// The run-time value of a shape or of one number per dimension.
def StableHLO_DimensionTensor : Type<
    And<[StableHLO_TensorOf<[Index, StableHLO_Int]>.predicate,
         HasAnyRankOfPred<[1]>]>,
    "1D tensor of index or 2/4/8/16/32/64-bit integer values",
    "::mlir::RankedTensorType">;

def StableHLO_Token : Type<CPred<"::llvm::isa<::mlir::stablehlo::TokenType>($_self)">,
                           "token", "::mlir::stablehlo::TokenType">;
def StableHLO_Future : Type<CPred<"::llvm::isa<::mlir::stablehlo::FutureType>($_self)">,
                            "future", "::mlir::stablehlo::FutureType">;
def StableHLO_Tuple : NestedTupleOf<[StableHLO_Tensor, StableHLO_Token]>;
def StableHLO_TensorOrToken : AnyTypeOf<[StableHLO_Tensor, StableHLO_Token]>;
def StableHLO_TensorTokenOrTuple :
    AnyTypeOf<[StableHLO_Tensor, StableHLO_Token, StableHLO_Tuple]>;

//===----------------------------------------------------------------------===//
// Op classes
//===----------------------------------------------------------------------===//

defvar StableHLO_isCompatibleReturnTypes = [{
  static bool isCompatibleReturnTypes(::mlir::TypeRange l, ::mlir::TypeRange r) {
    return ::mlir::stablehlo::isCompatibleForInference(l, r);
  }
}];

/// Operands and results have one type, up to dynamic dimensions: `?` agrees
/// with any size. The result type is inferred from the operands.
def StableHLO_CompatibleTypesTrait
    : NativeOpTrait<"CompatibleOperandsAndResultType", [],
                    StableHLO_isCompatibleReturnTypes> {
  let cppNamespace = "::mlir::stablehlo::OpTrait";
}
def StableHLO_CompatibleOperandsAndResultType
    : TraitList<[InferTypeOpInterface, StableHLO_CompatibleTypesTrait]>;

/// The result types follow from operands and attributes: the op defines
/// inferReturnTypes(context, location, adaptor, inferred), which also checks
/// the constraints on operands and attributes. A result type that is written
/// down may be less precise than the inferred one, or more: dimensions must
/// agree where both are static.
def StableHLO_InferredTypes
    : InferTypeOpAdaptorBase<StableHLO_isCompatibleReturnTypes>;

class StableHLO_Op<string mnemonic, list<Trait> traits = []>
    : Op<Stablehlo_Dialect, mnemonic, traits>;

/// An op whose only result is a token.
class StableHLO_TokenOp<string mnemonic, list<Trait> traits = []>
    : StableHLO_Op<mnemonic, traits # [StableHLO_InferredTypes]> {
  let extraClassDefinition = [{
    ::llvm::LogicalResult $cppClass::inferReturnTypes(
        ::mlir::MLIRContext *context, std::optional<::mlir::Location>, Adaptor,
        ::llvm::SmallVectorImpl<::mlir::Type> &inferred) {
      inferred.push_back(TokenType::get(context));
      return ::mlir::success();
    }
  }];
}

#endif // HETERO_DIALECT_STABLEHLO_STABLEHLOBASE_TD
