//===- DriverCudaApiSolver.cpp - What a CUDA device does by cuSOLVER ------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Triangular systems and transposition are of cuBLAS, all else of cuSOLVER.

#include "DriverCudaApi.h"
#include <algorithm>

using namespace hetero::runtime;

static MaybeError check(cusolverStatus_t status, const std::string &what) {
  auto name = [&]() -> std::string {
    switch (status) {
    case CUSOLVER_STATUS_NOT_INITIALIZED:
      return "CUSOLVER_STATUS_NOT_INITIALIZED";
    case CUSOLVER_STATUS_ALLOC_FAILED:
      return "CUSOLVER_STATUS_ALLOC_FAILED";
    case CUSOLVER_STATUS_INVALID_VALUE:
      return "CUSOLVER_STATUS_INVALID_VALUE";
    case CUSOLVER_STATUS_ARCH_MISMATCH:
      return "CUSOLVER_STATUS_ARCH_MISMATCH";
    case CUSOLVER_STATUS_EXECUTION_FAILED:
      return "CUSOLVER_STATUS_EXECUTION_FAILED";
    case CUSOLVER_STATUS_INTERNAL_ERROR:
      return "CUSOLVER_STATUS_INTERNAL_ERROR";
    default:
      return "status " + std::to_string(status) + " of cuSOLVER";
    }
  };
  if (status == CUSOLVER_STATUS_SUCCESS)
    return std::nullopt;
  return what + " failed: " + name();
}

static cublasFillMode_t toUplo(int64_t option) {
  return option == 'L' ? CUBLAS_FILL_MODE_LOWER : CUBLAS_FILL_MODE_UPPER;
}
static cublasSideMode_t toSide(int64_t option) {
  return option == 'L' ? CUBLAS_SIDE_LEFT : CUBLAS_SIDE_RIGHT;
}
static cublasOperation_t toOperation(int64_t option) {
  return option == 'N'   ? CUBLAS_OP_N
         : option == 'T' ? CUBLAS_OP_T
                         : CUBLAS_OP_C;
}
static cusolverEigMode_t toMode(int64_t option) {
  return option == 'V' ? CUSOLVER_EIG_MODE_VECTOR : CUSOLVER_EIG_MODE_NOVECTOR;
}

//===----------------------------------------------------------------------===//
// cuSOLVER
//===----------------------------------------------------------------------===//

namespace {
/// One call for elements of type T.
template <typename T>
class SolverCall {
public:
  using Routines = CusolverRoutines<T>;
  using Real = typename Routines::Real;

  SolverCall(const Routines &f, cusolverDnHandle_t handle,
             const CudaSolve &solve)
      : f(f), handle(handle), solve(solve), m(int(solve.m)), n(int(solve.n)),
        k(int(solve.k)), rows(std::max(m, 1)),
        uplo(toUplo(solve.options[solve.routine == kSyevd])) {}

  /// `size` is the number of elements of workspace.
  cusolverStatus_t ask(int *size) const;
  cusolverStatus_t run(T *work, int size) const;

private:
  template <typename Element = T>
  Element *get(int i) const {
    return static_cast<Element *>(solve.buffers[i]);
  }
  /// Of the reflectors of kOrmqr.
  int order() const { return std::max(side() == CUBLAS_SIDE_LEFT ? m : n, 1); }
  cublasSideMode_t side() const { return toSide(solve.options[0]); }
  cublasOperation_t trans() const { return toOperation(solve.options[1]); }
  cusolverEigMode_t mode() const { return toMode(solve.options[0]); }

  const Routines &f;
  const cusolverDnHandle_t handle;
  const CudaSolve &solve;
  const int m, n, k, rows;
  const cublasFillMode_t uplo;
};
} // namespace

template <typename T>
cusolverStatus_t SolverCall<T>::ask(int *size) const {
  // The addresses are not followed.
  T *none = nullptr;
  Real *real = nullptr;
  switch (solve.routine) {
  case kPotrf:
    return f.potrfSize(handle, uplo, n, none, rows, size);
  case kGetrf:
    return f.getrfSize(handle, m, n, none, rows, size);
  case kGeqrf:
    return f.geqrfSize(handle, m, n, none, rows, size);
  case kOrgqr:
    return f.orgqrSize(handle, m, n, k, none, rows, none, size);
  case kOrmqr:
    return f.ormqrSize(handle, side(), trans(), m, n, k, none, order(), none,
                       none, rows, size);
  case kSyevd:
    return f.syevdSize(handle, mode(), uplo, n, none, rows, real, size);
  case kGesvd:
    return f.gesvdSize(handle, m, n, size);
  case kSytrd:
    return f.sytrdSize(handle, uplo, n, none, rows, real, real, none, size);
  default:
    return CUSOLVER_STATUS_NOT_SUPPORTED;
  }
}

template <typename T>
cusolverStatus_t SolverCall<T>::run(T *work, int size) const {
  T *a = get(0);
  switch (solve.routine) {
  case kPotrf:
    return f.potrf(handle, uplo, n, a, rows, work, size, get<int>(1));
  case kGetrf:
    return f.getrf(handle, m, n, a, rows, work, get<int>(1), get<int>(2));
  case kGeqrf:
    return f.geqrf(handle, m, n, a, rows, get(1), work, size, get<int>(2));
  case kOrgqr:
    return f.orgqr(handle, m, n, k, a, rows, get(1), work, size, get<int>(2));
  case kOrmqr:
    return f.ormqr(handle, side(), trans(), m, n, k, a, order(), get(1), get(2),
                   rows, work, size, get<int>(3));
  case kSyevd:
    return f.syevd(handle, mode(), uplo, n, a, rows, get<Real>(1), work, size,
                   get<int>(2));
  case kGesvd: {
    auto vectors = static_cast<signed char>(solve.options[0]);
    return f.gesvd(handle, vectors, vectors, m, n, a, rows, get<Real>(1),
                   get(2), rows, get(3), std::max(n, 1), work, size,
                   /*rwork=*/nullptr, get<int>(4));
  }
  case kSytrd:
    return f.sytrd(handle, uplo, n, a, rows, get<Real>(1), get<Real>(2), get(3),
                   work, size, get<int>(4));
  default:
    return CUSOLVER_STATUS_NOT_SUPPORTED;
  }
}

/// "cusolverDnSgetrf", for messages.
template <typename T>
static std::string titleOf(const CudaSolve &solve) {
  constexpr bool isComplex = CusolverRoutines<T>::isComplex;
  std::string name = [&] {
    switch (solve.routine) {
    case kPotrf:
      return "potrf";
    case kGetrf:
      return "getrf";
    case kGeqrf:
      return "geqrf";
    case kOrgqr:
      return isComplex ? "ungqr" : "orgqr";
    case kOrmqr:
      return isComplex ? "unmqr" : "ormqr";
    case kSyevd:
      return isComplex ? "heevd" : "syevd";
    case kGesvd:
      return "gesvd";
    default:
      return isComplex ? "hetrd" : "sytrd";
    }
  }();
  return CusolverRoutines<T>::prefix + name;
}

/// Calls `visit` with the routines for the elements.
template <typename Visitor>
static auto dispatch(const CusolverFunctions &f, LapackElement element,
                     Visitor visit) {
  switch (element) {
  case kLapackF64:
    return visit(f.f64, double());
  case kLapackC64:
    return visit(f.c64, cuComplex());
  case kLapackC128:
    return visit(f.c128, cuDoubleComplex());
  default:
    return visit(f.f32, float());
  }
}

MaybeError DriverCudaApi::openCusolver() {
  if (solver)
    return std::nullopt;
  if (!cusolver) {
    Result<CusolverFunctions> loaded = CusolverFunctions::load(f);
    if (!loaded)
      return loaded.error();
    cusolver = *loaded;
  }
  return ::check(cusolver->cusolverDnCreate(&solver), "cusolverDnCreate");
}

Result<int64_t> DriverCudaApi::getWorkspace(const CudaSolve &solve) {
  if (solve.routine == kTrsm)
    return int64_t(0);
  if (std::max({solve.m, solve.n, solve.k}) > INT32_MAX)
    return Error{"a matrix of " + std::to_string(solve.m) + "x" +
                 std::to_string(solve.n) + " is larger than cuSOLVER takes"};
  MaybeError error = enter();
  if (!error)
    error = openCusolver();
  if (error)
    return Error{*error};
  return dispatch(*cusolver, solve.element,
                  [&](const auto &routines, auto example) -> Result<int64_t> {
                    using T = decltype(example);
                    int size = 0;
                    SolverCall<T> call(routines, solver, solve);
                    if (MaybeError failure = ::check(
                            call.ask(&size), titleOf<T>(solve) + "_bufferSize"))
                      return Error{*failure};
                    return int64_t(size) * int64_t(sizeof(T));
                  });
}

MaybeError DriverCudaApi::solve(const CudaSolve &solve, void *workspace,
                                int64_t bytes, CudaHandle stream) {
  if (MaybeError error = enter())
    return error;
  if (solve.routine == kTrsm)
    return solveTriangular(solve, stream);
  if (MaybeError error =
          ::check(cusolver->cusolverDnSetStream(
                      solver, reinterpret_cast<cudaStream_t>(stream)),
                  "cusolverDnSetStream"))
    return error;
  return dispatch(*cusolver, solve.element,
                  [&](const auto &routines, auto example) {
                    using T = decltype(example);
                    SolverCall<T> call(routines, solver, solve);
                    return ::check(call.run(static_cast<T *>(workspace),
                                            int(bytes / int64_t(sizeof(T)))),
                                   titleOf<T>(solve));
                  });
}

//===----------------------------------------------------------------------===//
// cuBLAS
//===----------------------------------------------------------------------===//

MaybeError DriverCudaApi::solveTriangular(const CudaSolve &solve,
                                          CudaHandle stream) {
  if (MaybeError error =
          check(f.cublasSetStream(cublas, toStream(stream)), "cublasSetStream"))
    return error;
  cublasSideMode_t side = toSide(solve.options[0]);
  int m = int(solve.m), n = int(solve.n);
  int order = std::max(side == CUBLAS_SIDE_LEFT ? m : n, 1);
  cublasDiagType_t diag =
      solve.options[3] == 'U' ? CUBLAS_DIAG_UNIT : CUBLAS_DIAG_NON_UNIT;
  auto run = [&](auto routine, auto one, const char *name) {
    using T = decltype(one);
    return check(routine(cublas, side, toUplo(solve.options[1]),
                         toOperation(solve.options[2]), diag, m, n, &one,
                         static_cast<const T *>(solve.buffers[0]), order,
                         static_cast<T *>(solve.buffers[1]), std::max(m, 1)),
                 name);
  };
  switch (solve.element) {
  case kLapackF64:
    return run(f.cublasDtrsm, 1.0, "cublasDtrsm");
  case kLapackC64:
    return run(f.cublasCtrsm, cuComplex{1, 0}, "cublasCtrsm");
  case kLapackC128:
    return run(f.cublasZtrsm, cuDoubleComplex{1, 0}, "cublasZtrsm");
  default:
    return run(f.cublasStrsm, 1.0f, "cublasStrsm");
  }
}

MaybeError DriverCudaApi::transpose(LapackElement element, int64_t rows,
                                    int64_t columns, const void *from, void *to,
                                    bool isConjugated, CudaHandle stream) {
  if (MaybeError error = enter())
    return error;
  if (MaybeError error =
          check(f.cublasSetStream(cublas, toStream(stream)), "cublasSetStream"))
    return error;
  if (std::max(rows, columns) > INT32_MAX)
    return "a matrix of " + std::to_string(rows) + "x" +
           std::to_string(columns) + " is larger than cuBLAS takes";
  int m = int(rows), n = int(columns);
  // What lies row by row is, column by column, the transposed matrix. With beta
  // zero the second one is not read.
  auto run = [&](auto routine, auto one, auto zero, const char *name) {
    using T = decltype(one);
    auto *result = static_cast<T *>(to);
    return check(routine(cublas, isConjugated ? CUBLAS_OP_C : CUBLAS_OP_T,
                         CUBLAS_OP_N, m, n, &one, static_cast<const T *>(from),
                         std::max(n, 1), &zero, result, std::max(m, 1), result,
                         std::max(m, 1)),
                 name);
  };
  switch (element) {
  case kLapackF64:
    return run(f.cublasDgeam, 1.0, 0.0, "cublasDgeam");
  case kLapackC64:
    return run(f.cublasCgeam, cuComplex{1, 0}, cuComplex{0, 0}, "cublasCgeam");
  case kLapackC128:
    return run(f.cublasZgeam, cuDoubleComplex{1, 0}, cuDoubleComplex{0, 0},
               "cublasZgeam");
  default:
    return run(f.cublasSgeam, 1.0f, 0.0f, "cublasSgeam");
  }
}
