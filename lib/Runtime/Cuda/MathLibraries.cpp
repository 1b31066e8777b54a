//===- MathLibraries.cpp - Entry points of cuFFT and cuSOLVER -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "MathLibraries.h"
#include <dlfcn.h>

using namespace hetero::runtime;

#define HETERO_SPELL(name) #name

/// cuFFT 12 and cuSOLVER 12 are of CUDA 13.
static constexpr int lag = 1;
static constexpr int builtMajor = CUDA_VERSION / 1000;

namespace {
/// Looks up functions one after the other; the first error stays.
class Lookup {
public:
  explicit Lookup(void *library) : library(library) {}

  template <typename Function>
  void find(const char *name, Function &function) {
    if (failure)
      return;
    function = reinterpret_cast<Function>(dlsym(library, name));
    if (!function)
      failure = std::string("it has no function '") + name + "'";
  }

  const MaybeError &getFailure() const { return failure; }

private:
  void *library;
  MaybeError failure;
};
} // namespace

static Error explain(const std::string &error) {
  return Error{"the program needs a library that is not there: " + error};
}

Result<CufftFunctions> CufftFunctions::load(const CudaFunctions &cuda) {
  CufftFunctions functions;
  MaybeError error = cuda.loadLater(
      {"cuFFT", "libcufft.so", true, lag, HETERO_CUFFT_LIBRARY, builtMajor},
      "HETERO_CUFFT_LIBRARY", cuda.named.cufft, [&](void *library) {
        Lookup lookup(library);
#define HETERO_FIND(name) lookup.find(HETERO_SPELL(name), functions.name);
        HETERO_CUFFT_FUNCTIONS(HETERO_FIND)
#undef HETERO_FIND
        return lookup.getFailure();
      });
  if (error)
    return explain(*error);
  return functions;
}

MaybeError CusolverFunctions::find(void *library) {
  Lookup lookup(library);
#define HETERO_FIND(name) lookup.find(HETERO_SPELL(name), this->name);
  HETERO_CUSOLVER_FUNCTIONS(HETERO_FIND)
#undef HETERO_FIND
#define HETERO_FIND(name, function)                                            \
  lookup.find(HETERO_SPELL(function), routines.name);                          \
  lookup.find(HETERO_SPELL(function) "_bufferSize", routines.name##Size);
#define HETERO_FIND_ALL(member, letter, orth, sy)                              \
  {                                                                            \
    auto &routines = member;                                                   \
    HETERO_CUSOLVER_ROUTINES(HETERO_FIND, letter, orth, sy)                    \
  }
  HETERO_FIND_ALL(f32, S, or, sy)
  HETERO_FIND_ALL(f64, D, or, sy)
  HETERO_FIND_ALL(c64, C, un, he)
  HETERO_FIND_ALL(c128, Z, un, he)
#undef HETERO_FIND_ALL
#undef HETERO_FIND
  return lookup.getFailure();
}

Result<CusolverFunctions> CusolverFunctions::load(const CudaFunctions &cuda) {
  CusolverFunctions functions;
  MaybeError error =
      cuda.loadLater({"cuSOLVER", "libcusolver.so", true, lag,
                      HETERO_CUSOLVER_LIBRARY, builtMajor},
                     "HETERO_CUSOLVER_LIBRARY", cuda.named.cusolver,
                     [&](void *library) { return functions.find(library); });
  if (error)
    return explain(*error);
  return functions;
}

MaybeError hetero::runtime::checkMathLibraries(const CudaFunctions &cuda) {
  Result<CufftFunctions> cufft = CufftFunctions::load(cuda);
  if (!cufft)
    return cufft.error();
  Result<CusolverFunctions> cusolver = CusolverFunctions::load(cuda);
  if (!cusolver)
    return cusolver.error();
  return std::nullopt;
}
