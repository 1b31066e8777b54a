//===- Solver.cpp - cuSOLVER by a LAPACK of the host ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Nothing says that cuSOLVER may be called while a stream is captured, so it
// fails then.

#include "BlasCall.h"
#include "Ending.h"
#include "LapackSymbols.h"
#include <algorithm>
#include <cstring>
#include <cusolverDn.h>

using namespace hetero::standin;
using hetero::runtime::Lapack;

namespace {
struct SolverHandle {
  Device *device = nullptr;
  CUstream stream = nullptr;
};

/// The host's form of an element type.
template <typename T>
struct Host {
  using Type = T;
};
template <>
struct Host<cuComplex> {
  using Type = std::complex<float>;
};
template <>
struct Host<cuDoubleComplex> {
  using Type = std::complex<double>;
};

/// A matrix that a routine uses, and how.
struct Use {
  ColumnMatrix matrix;
  bool reads = true, writes = true;
};

class SolverCall : public Call {
public:
  SolverCall(const char *function, cusolverDnHandle_t handle)
      : Call(function), handle(reinterpret_cast<SolverHandle *>(handle)) {}

  cusolverStatus_t check() const;
  SolverHandle &getHandle() const { return *handle; }
  /// `compute` gets where the matrices are; the workspace is spoilt before.
  cusolverStatus_t
  enter(std::vector<Use> uses,
        const std::function<void(const std::vector<char *> &)> &compute) const;

private:
  SolverHandle *handle;
};
} // namespace

static std::set<SolverHandle *> &getHandles() {
  static auto *handles = new std::set<SolverHandle *>;
  return *handles;
}

cusolverStatus_t SolverCall::check() const {
  if (fate != Fate::Works)
    return CUSOLVER_STATUS_EXECUTION_FAILED;
  if (!handle)
    return CUSOLVER_STATUS_NOT_INITIALIZED;
  if (!getHandles().count(handle))
    leaveProcess(name +
                 " is given a handle that was destroyed or never was one");
  return handle->device == device ? CUSOLVER_STATUS_SUCCESS
                                  : CUSOLVER_STATUS_EXECUTION_FAILED;
}

cusolverStatus_t SolverCall::enter(
    std::vector<Use> uses,
    const std::function<void(const std::vector<char *> &)> &compute) const {
  Stream &stream = engine.getStream(handle->stream, *handle->device, name);
  if (stream.capture)
    return CUSOLVER_STATUS_INTERNAL_ERROR;
  for (const Use &use : uses)
    if (use.matrix.ld < std::max<int64_t>(use.matrix.rows, 1))
      return CUSOLVER_STATUS_INVALID_VALUE;
  Work work;
  work.name = name;
  Memory &memory = stream.device->memory;
  work.run = [=, &memory](const std::string &who) {
    std::vector<char *> places;
    for (const Use &use : uses)
      places.push_back(use.matrix.reach(memory, use.reads, use.writes, who));
    compute(places);
  };
  engine.enter(stream, work);
  return CUSOLVER_STATUS_SUCCESS;
}

//===----------------------------------------------------------------------===//
// Handles
//===----------------------------------------------------------------------===//

cusolverStatus_t cusolverDnCreate(cusolverDnHandle_t *made) {
  Call call(__func__);
  if (call.getFate() != Fate::Works || !call.getDevice())
    return CUSOLVER_STATUS_NOT_INITIALIZED;
  auto *handle = new SolverHandle;
  handle->device = call.getDevice();
  getHandles().insert(handle);
  *made = reinterpret_cast<cusolverDnHandle_t>(handle);
  return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t cusolverDnDestroy(cusolverDnHandle_t handle) {
  SolverCall call(__func__, handle);
  if (cusolverStatus_t status = call.check())
    return status;
  getHandles().erase(&call.getHandle());
  delete &call.getHandle();
  return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t cusolverDnSetStream(cusolverDnHandle_t handle,
                                     cudaStream_t stream) {
  SolverCall call(__func__, handle);
  if (cusolverStatus_t status = call.check())
    return status;
  call.getHandle().stream = reinterpret_cast<CUstream>(stream);
  return CUSOLVER_STATUS_SUCCESS;
}

//===----------------------------------------------------------------------===//
// Workspaces
//===----------------------------------------------------------------------===//

/// As many elements as show when somebody uses them for something else.
static int64_t getWanted(int64_t m, int64_t n) { return m * n + 2 * n + 32; }

static cusolverStatus_t ask(const char *function, cusolverDnHandle_t handle,
                            int64_t m, int64_t n, int *size) {
  SolverCall call(function, handle);
  if (cusolverStatus_t status = call.check())
    return status;
  if (m < 0 || n < 0)
    return CUSOLVER_STATUS_INVALID_VALUE;
  *size = int(getWanted(m, n));
  return CUSOLVER_STATUS_SUCCESS;
}

template <typename T>
static Use makeWorkspace(T *work, int64_t m, int64_t n) {
  return {makeMatrix(work, getWanted(m, n), 1, getWanted(m, n)), false, true};
}

template <typename T>
static Use makeVector(T *data, int64_t count, bool isRead = false) {
  return {makeMatrix(data, count, 1, std::max<int64_t>(count, 1)), isRead,
          !isRead};
}

static void spoil(char *work, int64_t bytes) {
  if (work)
    std::memset(work, poison, bytes);
}

/// Calls a routine of LAPACK with workspace of its own.
template <typename T, typename Fn>
static void withWorkspace(int64_t m, int64_t n, Fn run) {
  // More than any of them wants.
  int64_t size = 64 * (m + n + 1) + 8 * (m + n) * (m + n);
  std::vector<T> work(size);
  run(work.data(), int(size));
}

//===----------------------------------------------------------------------===//
// Routines
//===----------------------------------------------------------------------===//

static char toUplo(cublasFillMode_t uplo) {
  return uplo == CUBLAS_FILL_MODE_LOWER ? 'L' : 'U';
}

namespace {
/// The routines for elements of type C, whose numbers on the host are T.
template <typename C, typename R>
struct Solver {
  using T = typename Host<C>::Type;
  static constexpr bool isComplex = Lapack<T>::isComplex;
  using Places = std::vector<char *>;

  static T *at(const Places &places, int i) {
    return reinterpret_cast<T *>(places[i]);
  }
  static R *realAt(const Places &places, int i) {
    return reinterpret_cast<R *>(places[i]);
  }
  static int *intAt(const Places &places, int i) {
    return reinterpret_cast<int *>(places[i]);
  }

  static cusolverStatus_t potrf(const SolverCall &call, char uplo, int n, C *a,
                                int lda, C *work, int size, int *info) {
    if (size < getWanted(n, n))
      return CUSOLVER_STATUS_INVALID_VALUE;
    return call.enter({{makeMatrix(a, n, n, lda)},
                       makeWorkspace(work, n, n),
                       makeVector(info, 1)},
                      [=](const Places &places) {
                        spoil(places[1], getWanted(n, n) * sizeof(T));
                        Lapack<T>::potrf(&uplo, &n, at(places, 0), &lda,
                                         intAt(places, 2), 1);
                      });
  }

  static cusolverStatus_t getrf(const SolverCall &call, int m, int n, C *a,
                                int lda, C *work, int *pivots, int *info) {
    return call.enter({{makeMatrix(a, m, n, lda)},
                       makeWorkspace(work, m, n),
                       makeVector(pivots, std::min(m, n)),
                       makeVector(info, 1)},
                      [=](const Places &places) {
                        spoil(places[1], getWanted(m, n) * sizeof(T));
                        Lapack<T>::getrf(&m, &n, at(places, 0), &lda,
                                         intAt(places, 2), intAt(places, 3));
                      });
  }

  static cusolverStatus_t geqrf(const SolverCall &call, int m, int n, C *a,
                                int lda, C *tau, C *work, int size, int *info) {
    if (size < getWanted(m, n))
      return CUSOLVER_STATUS_INVALID_VALUE;
    return call.enter({{makeMatrix(a, m, n, lda)},
                       makeVector(tau, std::min(m, n)),
                       makeWorkspace(work, m, n),
                       makeVector(info, 1)},
                      [=](const Places &places) {
                        spoil(places[2], getWanted(m, n) * sizeof(T));
                        withWorkspace<T>(m, n, [&](T *space, int count) {
                          Lapack<T>::geqrf(&m, &n, at(places, 0), &lda,
                                           at(places, 1), space, &count,
                                           intAt(places, 3));
                        });
                      });
  }

  static cusolverStatus_t orgqr(const SolverCall &call, int m, int n, int k,
                                C *a, int lda, const C *tau, C *work, int size,
                                int *info) {
    if (size < getWanted(m, n) || n > m || k > n)
      return CUSOLVER_STATUS_INVALID_VALUE;
    return call.enter({{makeMatrix(a, m, n, lda)},
                       makeVector(tau, k, true),
                       makeWorkspace(work, m, n),
                       makeVector(info, 1)},
                      [=](const Places &places) {
                        spoil(places[2], getWanted(m, n) * sizeof(T));
                        withWorkspace<T>(m, n, [&](T *space, int count) {
                          Lapack<T>::orgqr(&m, &n, &k, at(places, 0), &lda,
                                           at(places, 1), space, &count,
                                           intAt(places, 3));
                        });
                      });
  }

  static cusolverStatus_t ormqr(const SolverCall &call, char side, char trans,
                                int m, int n, int k, const C *a, int lda,
                                const C *tau, C *c, int ldc, C *work, int size,
                                int *info) {
    if (size < getWanted(m, n) || k > (side == 'L' ? m : n))
      return CUSOLVER_STATUS_INVALID_VALUE;
    return call.enter(
        {{makeMatrix(a, side == 'L' ? m : n, k, lda), true, false},
         makeVector(tau, k, true),
         {makeMatrix(c, m, n, ldc)},
         makeWorkspace(work, m, n),
         makeVector(info, 1)},
        [=](const Places &places) {
          spoil(places[3], getWanted(m, n) * sizeof(T));
          withWorkspace<T>(m, n, [&](T *space, int count) {
            Lapack<T>::ormqr(&side, &trans, &m, &n, &k, at(places, 0), &lda,
                             at(places, 1), at(places, 2), &ldc, space, &count,
                             intAt(places, 4), 1, 1);
          });
        });
  }

  static cusolverStatus_t syevd(const SolverCall &call, char mode, char uplo,
                                int n, C *a, int lda, R *values, C *work,
                                int size, int *info) {
    if (size < getWanted(n, n))
      return CUSOLVER_STATUS_INVALID_VALUE;
    return call.enter(
        {{makeMatrix(a, n, n, lda)},
         makeVector(values, n),
         makeWorkspace(work, n, n),
         makeVector(info, 1)},
        [=](const Places &places) {
          spoil(places[2], getWanted(n, n) * sizeof(T));
          withWorkspace<T>(n, n, [&](T *space, int count) {
            std::vector<R> reals(count);
            std::vector<int> ints(count);
            if constexpr (isComplex)
              Lapack<T>::syevd(&mode, &uplo, &n, at(places, 0), &lda,
                               realAt(places, 1), space, &count, reals.data(),
                               &count, ints.data(), &count, intAt(places, 3), 1,
                               1);
            else
              Lapack<T>::syevd(&mode, &uplo, &n, at(places, 0), &lda,
                               realAt(places, 1), space, &count, ints.data(),
                               &count, intAt(places, 3), 1, 1);
          });
        });
  }

  static cusolverStatus_t gesvd(const SolverCall &call, char left, char right,
                                int m, int n, C *a, int lda, R *values, C *u,
                                int ldu, C *vt, int ldvt, C *work, int size,
                                int *info) {
    // cuSOLVER wants no fewer rows than columns.
    if (size < getWanted(m, n) || m < n)
      return CUSOLVER_STATUS_INVALID_VALUE;
    int columns = left == 'A' ? m : left == 'S' ? n : 0;
    int rows = right == 'A' || right == 'S' ? n : 0;
    return call.enter(
        {{makeMatrix(a, m, n, lda)},
         makeVector(values, n),
         {makeMatrix(u, m, columns, ldu), false, true},
         {makeMatrix(vt, rows, rows ? n : 0, ldvt), false, true},
         makeWorkspace(work, m, n),
         makeVector(info, 1)},
        [=](const Places &places) {
          spoil(places[4], getWanted(m, n) * sizeof(T));
          withWorkspace<T>(m, n, [&](T *space, int count) {
            std::vector<R> reals(5 * size_t(n) + 1);
            if constexpr (isComplex)
              Lapack<T>::gesvd(&left, &right, &m, &n, at(places, 0), &lda,
                               realAt(places, 1), at(places, 2), &ldu,
                               at(places, 3), &ldvt, space, &count,
                               reals.data(), intAt(places, 5), 1, 1);
            else
              Lapack<T>::gesvd(&left, &right, &m, &n, at(places, 0), &lda,
                               realAt(places, 1), at(places, 2), &ldu,
                               at(places, 3), &ldvt, space, &count,
                               intAt(places, 5), 1, 1);
          });
        });
  }

  static cusolverStatus_t sytrd(const SolverCall &call, char uplo, int n, C *a,
                                int lda, R *diagonal, R *beside, C *tau,
                                C *work, int size, int *info) {
    if (size < getWanted(n, n))
      return CUSOLVER_STATUS_INVALID_VALUE;
    int next = std::max(n - 1, 0);
    return call.enter({{makeMatrix(a, n, n, lda)},
                       makeVector(diagonal, n),
                       makeVector(beside, next),
                       makeVector(tau, next),
                       makeWorkspace(work, n, n),
                       makeVector(info, 1)},
                      [=](const Places &places) {
                        spoil(places[4], getWanted(n, n) * sizeof(T));
                        withWorkspace<T>(n, n, [&](T *space, int count) {
                          Lapack<T>::sytrd(&uplo, &n, at(places, 0), &lda,
                                           realAt(places, 1), realAt(places, 2),
                                           at(places, 3), space, &count,
                                           intAt(places, 5), 1);
                        });
                      });
  }
};
} // namespace

//===----------------------------------------------------------------------===//
// Entry points
//===----------------------------------------------------------------------===//

/// Begins an entry point that has a handle.
#define HETERO_BEGIN                                                           \
  SolverCall call(__func__, handle);                                           \
  if (cusolverStatus_t status = call.check())                                  \
    return status;

static char toMode(cusolverEigMode_t mode) {
  return mode == CUSOLVER_EIG_MODE_VECTOR ? 'V' : 'N';
}
static char toSide(cublasSideMode_t side) {
  return side == CUBLAS_SIDE_LEFT ? 'L' : 'R';
}
static char toTrans(cublasOperation_t trans) {
  return trans == CUBLAS_OP_N ? 'N' : trans == CUBLAS_OP_T ? 'T' : 'C';
}

#define HETERO_SOLVER(T, R, L, orth, sy)                                       \
  cusolverStatus_t cusolverDn##L##potrf_bufferSize(cusolverDnHandle_t handle,  \
                                                   cublasFillMode_t, int n,    \
                                                   T *, int, int *size) {      \
    return ask(__func__, handle, n, n, size);                                  \
  }                                                                            \
  cusolverStatus_t cusolverDn##L##potrf(                                       \
      cusolverDnHandle_t handle, cublasFillMode_t uplo, int n, T *a, int lda,  \
      T *work, int size, int *info) {                                          \
    HETERO_BEGIN                                                               \
    return Solver<T, R>::potrf(call, toUplo(uplo), n, a, lda, work, size,      \
                               info);                                          \
  }                                                                            \
  cusolverStatus_t cusolverDn##L##getrf_bufferSize(                            \
      cusolverDnHandle_t handle, int m, int n, T *, int, int *size) {          \
    return ask(__func__, handle, m, n, size);                                  \
  }                                                                            \
  cusolverStatus_t cusolverDn##L##getrf(cusolverDnHandle_t handle, int m,      \
                                        int n, T *a, int lda, T *work,         \
                                        int *pivots, int *info) {              \
    HETERO_BEGIN                                                               \
    return Solver<T, R>::getrf(call, m, n, a, lda, work, pivots, info);        \
  }                                                                            \
  cusolverStatus_t cusolverDn##L##geqrf_bufferSize(                            \
      cusolverDnHandle_t handle, int m, int n, T *, int, int *size) {          \
    return ask(__func__, handle, m, n, size);                                  \
  }                                                                            \
  cusolverStatus_t cusolverDn##L##geqrf(cusolverDnHandle_t handle, int m,      \
                                        int n, T *a, int lda, T *tau, T *work, \
                                        int size, int *info) {                 \
    HETERO_BEGIN                                                               \
    return Solver<T, R>::geqrf(call, m, n, a, lda, tau, work, size, info);     \
  }                                                                            \
  cusolverStatus_t cusolverDn##L##orth##gqr_bufferSize(                        \
      cusolverDnHandle_t handle, int m, int n, int, const T *, int, const T *, \
      int *size) {                                                             \
    return ask(__func__, handle, m, n, size);                                  \
  }                                                                            \
  cusolverStatus_t cusolverDn##L##orth##gqr(                                   \
      cusolverDnHandle_t handle, int m, int n, int k, T *a, int lda,           \
      const T *tau, T *work, int size, int *info) {                            \
    HETERO_BEGIN                                                               \
    return Solver<T, R>::orgqr(call, m, n, k, a, lda, tau, work, size, info);  \
  }                                                                            \
  cusolverStatus_t cusolverDn##L##orth##mqr_bufferSize(                        \
      cusolverDnHandle_t handle, cublasSideMode_t, cublasOperation_t, int m,   \
      int n, int, const T *, int, const T *, const T *, int, int *size) {      \
    return ask(__func__, handle, m, n, size);                                  \
  }                                                                            \
  cusolverStatus_t cusolverDn##L##orth##mqr(                                   \
      cusolverDnHandle_t handle, cublasSideMode_t side,                        \
      cublasOperation_t trans, int m, int n, int k, const T *a, int lda,       \
      const T *tau, T *c, int ldc, T *work, int size, int *info) {             \
    HETERO_BEGIN                                                               \
    return Solver<T, R>::ormqr(call, toSide(side), toTrans(trans), m, n, k, a, \
                               lda, tau, c, ldc, work, size, info);            \
  }                                                                            \
  cusolverStatus_t cusolverDn##L##sy##evd_bufferSize(                          \
      cusolverDnHandle_t handle, cusolverEigMode_t, cublasFillMode_t, int n,   \
      const T *, int, const R *, int *size) {                                  \
    return ask(__func__, handle, n, n, size);                                  \
  }                                                                            \
  cusolverStatus_t cusolverDn##L##sy##evd(                                     \
      cusolverDnHandle_t handle, cusolverEigMode_t mode,                       \
      cublasFillMode_t uplo, int n, T *a, int lda, R *values, T *work,         \
      int size, int *info) {                                                   \
    HETERO_BEGIN                                                               \
    return Solver<T, R>::syevd(call, toMode(mode), toUplo(uplo), n, a, lda,    \
                               values, work, size, info);                      \
  }                                                                            \
  cusolverStatus_t cusolverDn##L##gesvd_bufferSize(cusolverDnHandle_t handle,  \
                                                   int m, int n, int *size) {  \
    return m < n ? CUSOLVER_STATUS_INVALID_VALUE                               \
                 : ask(__func__, handle, m, n, size);                          \
  }                                                                            \
  cusolverStatus_t cusolverDn##L##gesvd(                                       \
      cusolverDnHandle_t handle, signed char left, signed char right, int m,   \
      int n, T *a, int lda, R *values, T *u, int ldu, T *vt, int ldvt,         \
      T *work, int size, R *, int *info) {                                     \
    HETERO_BEGIN                                                               \
    return Solver<T, R>::gesvd(call, left, right, m, n, a, lda, values, u,     \
                               ldu, vt, ldvt, work, size, info);               \
  }                                                                            \
  cusolverStatus_t cusolverDn##L##sy##trd_bufferSize(                          \
      cusolverDnHandle_t handle, cublasFillMode_t, int n, const T *, int,      \
      const R *, const R *, const T *, int *size) {                            \
    return ask(__func__, handle, n, n, size);                                  \
  }                                                                            \
  cusolverStatus_t cusolverDn##L##sy##trd(                                     \
      cusolverDnHandle_t handle, cublasFillMode_t uplo, int n, T *a, int lda,  \
      R *diagonal, R *beside, T *tau, T *work, int size, int *info) {          \
    HETERO_BEGIN                                                               \
    return Solver<T, R>::sytrd(call, toUplo(uplo), n, a, lda, diagonal,        \
                               beside, tau, work, size, info);                 \
  }
HETERO_SOLVER(float, float, S, or, sy)
HETERO_SOLVER(double, double, D, or, sy)
HETERO_SOLVER(cuComplex, float, C, un, he)
HETERO_SOLVER(cuDoubleComplex, double, Z, un, he)
