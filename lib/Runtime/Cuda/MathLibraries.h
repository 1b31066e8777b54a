//===- MathLibraries.h - Entry points of cuFFT and cuSOLVER -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The two libraries that only some programs need, which are loaded when one
// does. Their functions have the types of the toolkit's headers, as those of
// CudaLibraries.h; cuSOLVER has a set of them for each element type.

#ifndef HETERO_LIB_RUNTIME_CUDA_MATHLIBRARIES_H
#define HETERO_LIB_RUNTIME_CUDA_MATHLIBRARIES_H

#include "CudaLibraries.h"
#include <cufftXt.h>
#include <cusolverDn.h>

#define HETERO_CUFFT_FUNCTIONS(F)                                              \
  F(cufftCreate)                                                               \
  F(cufftDestroy)                                                              \
  F(cufftSetAutoAllocation)                                                    \
  F(cufftXtMakePlanMany)                                                       \
  F(cufftSetWorkArea)                                                          \
  F(cufftSetStream)                                                            \
  F(cufftXtExec)

#define HETERO_CUSOLVER_FUNCTIONS(F)                                           \
  F(cusolverDnCreate)                                                          \
  F(cusolverDnDestroy)                                                         \
  F(cusolverDnSetStream)

/// What is there for each element type: a name of ours, and the routine. The
/// letter of the type is S, D, C or Z.
#define HETERO_CUSOLVER_ROUTINES(F, letter, orth, sy)                          \
  F(potrf, cusolverDn##letter##potrf)                                          \
  F(getrf, cusolverDn##letter##getrf)                                          \
  F(geqrf, cusolverDn##letter##geqrf)                                          \
  F(orgqr, cusolverDn##letter##orth##gqr)                                      \
  F(ormqr, cusolverDn##letter##orth##mqr)                                      \
  F(syevd, cusolverDn##letter##sy##evd)                                        \
  F(gesvd, cusolverDn##letter##gesvd)                                          \
  F(sytrd, cusolverDn##letter##sy##trd)

namespace hetero::runtime {

struct CufftFunctions {
#define HETERO_MEMBER(name) decltype(&::name) name = nullptr;
  HETERO_CUFFT_FUNCTIONS(HETERO_MEMBER)
#undef HETERO_MEMBER

  /// The library stays loaded. The error names it or the function.
  static Result<CufftFunctions> load(const CudaFunctions &cuda);
};

/// The routines for elements of type T.
template <typename T>
struct CusolverRoutines;

// NOLINTBEGIN(bugprone-macro-parentheses)
#define HETERO_MEMBER(name, function)                                          \
  decltype(&::function) name = nullptr;                                        \
  decltype(&::function##_bufferSize) name##Size = nullptr;
#define HETERO_TYPE(T, R, letter, orth, sy, isComplexType)                     \
  template <>                                                                  \
  struct CusolverRoutines<T> {                                                 \
    using Real = R;                                                            \
    static constexpr bool isComplex = isComplexType;                           \
    static constexpr const char *prefix = "cusolverDn" #letter;                \
    HETERO_CUSOLVER_ROUTINES(HETERO_MEMBER, letter, orth, sy)                  \
  };
HETERO_TYPE(float, float, S, or, sy, false)
HETERO_TYPE(double, double, D, or, sy, false)
HETERO_TYPE(cuComplex, float, C, un, he, true)
HETERO_TYPE(cuDoubleComplex, double, Z, un, he, true)
#undef HETERO_TYPE
#undef HETERO_MEMBER
// NOLINTEND(bugprone-macro-parentheses)

struct CusolverFunctions {
#define HETERO_MEMBER(name) decltype(&::name) name = nullptr;
  HETERO_CUSOLVER_FUNCTIONS(HETERO_MEMBER)
#undef HETERO_MEMBER
  CusolverRoutines<float> f32;
  CusolverRoutines<double> f64;
  CusolverRoutines<cuComplex> c64;
  CusolverRoutines<cuDoubleComplex> c128;

  /// As above.
  static Result<CusolverFunctions> load(const CudaFunctions &cuda);

private:
  MaybeError find(void *library);
};

/// Looks up everything. The error names the first that is missing.
MaybeError checkMathLibraries(const CudaFunctions &cuda);

} // namespace hetero::runtime

#endif // HETERO_LIB_RUNTIME_CUDA_MATHLIBRARIES_H
