//===- CudaLibraries.cpp - Entry points of CUDA, cuBLAS and NCCL ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CudaLibraries.h"
#include <cstdlib>
#include <dlfcn.h>

using namespace hetero::runtime;

#define HETERO_SPELL(name) #name

static Result<void *> open(const std::string &path, const char *what) {
  if (void *library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL))
    return library;
  const char *why = dlerror();
  return Error{std::string(what) + " '" + path + "' cannot be loaded" +
               (why ? std::string(": ") + why : "")};
}

static MaybeError find(void *library, const char *name, void **function) {
  *function = dlsym(library, name);
  if (*function)
    return std::nullopt;
  return std::string("it has no function '") + name + "'";
}

/// The library that the environment names, if it does and the program has not
/// chosen one.
static void choose(std::string &library, const char *variable,
                   const std::string &usual) {
  if (!library.empty())
    return;
  const char *named = std::getenv(variable);
  library = named && *named ? named : usual;
}

Result<CudaFunctions> CudaFunctions::load(CudaLibraries libraries) {
  choose(libraries.driver, "HETERO_CUDA_DRIVER_LIBRARY", "libcuda.so.1");
  choose(libraries.cublas, "HETERO_CUBLAS_LIBRARY", HETERO_CUBLAS_LIBRARY);
  choose(libraries.nccl, "HETERO_NCCL_LIBRARY", HETERO_NCCL_LIBRARY);
  Result<void *> driver = open(libraries.driver, "the CUDA driver");
  if (!driver)
    return Error{driver.error()};
  Result<void *> cublas = open(libraries.cublas, "cuBLAS");
  if (!cublas)
    return Error{cublas.error()};
  Result<void *> nccl = open(libraries.nccl, "NCCL");
  if (!nccl)
    return Error{nccl.error()};
  CudaFunctions functions;
#define HETERO_FIND(library, path, name)                                       \
  if (MaybeError error = find(library, HETERO_SPELL(name),                     \
                              reinterpret_cast<void **>(&functions.name)))     \
    return Error{"'" + (path) + "' cannot be used: " + *error};
#define HETERO_FIND_DRIVER(name) HETERO_FIND(*driver, libraries.driver, name)
#define HETERO_FIND_CUBLAS(name) HETERO_FIND(*cublas, libraries.cublas, name)
#define HETERO_FIND_NCCL(name) HETERO_FIND(*nccl, libraries.nccl, name)
  HETERO_DRIVER_FUNCTIONS(HETERO_FIND_DRIVER)
  HETERO_CUBLAS_FUNCTIONS(HETERO_FIND_CUBLAS)
  HETERO_NCCL_FUNCTIONS(HETERO_FIND_NCCL)
  if (MaybeError error =
          find(*cublas, "cublasGemmStridedBatchedEx",
               reinterpret_cast<void **>(&functions.gemmStridedBatchedEx)))
    return Error{"'" + libraries.cublas + "' cannot be used: " + *error};
  return functions;
}

bool hetero::runtime::isCudaBuilt() { return true; }

MaybeError hetero::runtime::checkCudaLibraries(const CudaLibraries &libraries) {
  Result<CudaFunctions> functions = CudaFunctions::load(libraries);
  if (functions)
    return std::nullopt;
  return functions.error();
}
