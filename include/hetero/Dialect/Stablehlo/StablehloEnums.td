//===- StablehloEnums.td - Enumerations of StableHLO -------*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef HETERO_DIALECT_STABLEHLO_STABLEHLOENUMS_TD
#define HETERO_DIALECT_STABLEHLO_STABLEHLOENUMS_TD

include "mlir/IR/EnumAttr.td"
include "hetero/Dialect/Stablehlo/StablehloBase.td"

// An enumeration `Name` and its attribute, printed `#stablehlo<mnemonic CASE>`.
class StableHLO_Enum<string name, string summary, list<I32EnumAttrCase> cases>
    : I32EnumAttr<name, summary, cases> {
  let genSpecializedAttr = 0;
  let cppNamespace = "::mlir::stablehlo";
}
class StableHLO_EnumAttr<EnumAttrInfo info, string mnemonic, string example>
    : EnumAttr<Stablehlo_Dialect, info, mnemonic> {
  let summary = info.summary;
  let description = [{
    }] # info.summary # [{. Example:

    ```mlir
    }] # example # [{
    ```
  }];
}

def StableHLO_Precision : StableHLO_Enum<"Precision",
    "How much accuracy a contraction may trade for speed", [
    I32EnumAttrCase<"DEFAULT", 0>, I32EnumAttrCase<"HIGH", 1>,
    I32EnumAttrCase<"HIGHEST", 2>]>;
def StableHLO_PrecisionAttr : StableHLO_EnumAttr<StableHLO_Precision,
    "precision", "#stablehlo<precision HIGHEST>">;

def StableHLO_ComparisonDirection : StableHLO_Enum<"ComparisonDirection",
    "Which relation a comparison tests", [
    I32EnumAttrCase<"EQ", 0>, I32EnumAttrCase<"NE", 1>,
    I32EnumAttrCase<"GE", 2>, I32EnumAttrCase<"GT", 3>,
    I32EnumAttrCase<"LE", 4>, I32EnumAttrCase<"LT", 5>]>;
def StableHLO_ComparisonDirectionAttr
    : StableHLO_EnumAttr<StableHLO_ComparisonDirection, "comparison_direction",
                         "#stablehlo<comparison_direction LT>">;

def StableHLO_ComparisonType : StableHLO_Enum<"ComparisonType",
    "How the elements of a comparison are ordered", [
    I32EnumAttrCase<"NOTYPE", 0>, I32EnumAttrCase<"FLOAT", 1>,
    I32EnumAttrCase<"TOTALORDER", 2>, I32EnumAttrCase<"SIGNED", 3>,
    I32EnumAttrCase<"UNSIGNED", 4>]>;
def StableHLO_ComparisonTypeAttr
    : StableHLO_EnumAttr<StableHLO_ComparisonType, "comparison_type",
                         "#stablehlo<comparison_type TOTALORDER>">;

def StableHLO_FftType : StableHLO_Enum<"FftType",
    "Which Fourier transform is applied", [
    I32EnumAttrCase<"FFT", 0>, I32EnumAttrCase<"IFFT", 1>,
    I32EnumAttrCase<"RFFT", 2>, I32EnumAttrCase<"IRFFT", 3>]>;
def StableHLO_FftTypeAttr : StableHLO_EnumAttr<StableHLO_FftType, "fft_type",
                                               "#stablehlo<fft_type RFFT>">;

def StableHLO_RngAlgorithm : StableHLO_Enum<"RngAlgorithm",
    "Which generator makes random bits", [
    I32EnumAttrCase<"DEFAULT", 0>, I32EnumAttrCase<"THREE_FRY", 1>,
    I32EnumAttrCase<"PHILOX", 2>]>;
def StableHLO_RngAlgorithmAttr
    : StableHLO_EnumAttr<StableHLO_RngAlgorithm, "rng_algorithm",
                         "#stablehlo<rng_algorithm THREE_FRY>">;

def StableHLO_RngDistribution : StableHLO_Enum<"RngDistribution",
    "Which distribution random numbers follow", [
    I32EnumAttrCase<"UNIFORM", 1>, I32EnumAttrCase<"NORMAL", 2>]>;
def StableHLO_RngDistributionAttr
    : StableHLO_EnumAttr<StableHLO_RngDistribution, "rng_distribution",
                         "#stablehlo<rng_distribution UNIFORM>">;

def StableHLO_Transpose : StableHLO_Enum<"Transpose",
    "In which orientation a matrix is read", [
    I32EnumAttrCase<"TRANSPOSE_INVALID", 0>, I32EnumAttrCase<"NO_TRANSPOSE", 1>,
    I32EnumAttrCase<"TRANSPOSE", 2>, I32EnumAttrCase<"ADJOINT", 3>]>;
def StableHLO_TransposeAttr : StableHLO_EnumAttr<StableHLO_Transpose,
    "transpose", "#stablehlo<transpose ADJOINT>">;

def StableHLO_ResultAccuracyMode : StableHLO_Enum<"ResultAccuracyMode",
    "How the accuracy of a result is requested", [
    I32EnumAttrCase<"DEFAULT", 0>, I32EnumAttrCase<"HIGHEST", 1>,
    I32EnumAttrCase<"TOLERANCE", 2>]>;
def StableHLO_ResultAccuracyModeAttr
    : EnumAttr<Stablehlo_Dialect, StableHLO_ResultAccuracyMode,
               "result_accuracy_mode"> {
  let summary = "How the accuracy of a result is requested";
  let description = [{
    The default of the target, the best it has, or the bounds that are written
    beside it. Example:

    ```mlir
    #stablehlo.result_accuracy_mode<HIGHEST>
    ```
  }];
  let assemblyFormat = "`<` $value `>`";
}

// A plain i32 attribute with checked values; not an attribute of the dialect.
def StableHLO_CustomCallApiVersionAttr : I32EnumAttr<"CustomCallApiVersion",
    "Calling convention of a custom call", [
    I32EnumAttrCase<"API_VERSION_UNSPECIFIED", 0>,
    I32EnumAttrCase<"API_VERSION_ORIGINAL", 1>,
    I32EnumAttrCase<"API_VERSION_STATUS_RETURNING", 2>,
    I32EnumAttrCase<"API_VERSION_STATUS_RETURNING_UNIFIED", 3>,
    I32EnumAttrCase<"API_VERSION_TYPED_FFI", 4>]> {
  let cppNamespace = "::mlir::stablehlo";
}

#endif // HETERO_DIALECT_STABLEHLO_STABLEHLOENUMS_TD
